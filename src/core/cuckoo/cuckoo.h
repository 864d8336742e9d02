/*
 * cuckoo.h - is an item in a set, and how often? By fingerprints. The essay is in cuckoo.c.
 */
#ifndef CUCKOO_H
#define CUCKOO_H

#include "core/common/hash_log.h"
#include "core/common/state.h"

#define CUCKOO_BITS_MIN 8
#define CUCKOO_BITS_MAX 32
#define CUCKOO_BITS_DEFAULT 16

/* The capacity of a new filter. One below the default takes the hash bits of the default. */
#define CUCKOO_CAPACITY_MAX (1 << 30)
#define CUCKOO_CAPACITY_DEFAULT 1024

/* Maximum number of copies of one item. */
#define CUCKOO_COPIES_MAX 8

/* Encodings: packed, in transit, and three working ones. */
#define CUCKOO_PACKED 0
#define CUCKOO_TRANSIT SKETCH_TRANSIT
#define CUCKOO_LIST (SKETCH_WORKING | 0)
#define CUCKOO_TABLE (SKETCH_WORKING | 1)
#define CUCKOO_PENDING (SKETCH_WORKING | 2)

#define CUCKOO_PACKED_HEADER 28

extern const SketchOps cuckoo_ops;

/* Reasons of SKETCH_LIMIT. */
extern const char cuckoo_copies[];
extern const char cuckoo_full[];
extern const char cuckoo_used_up[];

/* Header of a packed value or a table. */
typedef struct CuckooHeader {
    unsigned fingerprint_bits; /* these state the requested rate */
    unsigned hash_bits;        /* kept of each item's hash */
    uint64_t items;            /* each copy counts */
    uint64_t deletes;
    uint32_t capacity; /* of a filter that must not grow, or 0 */
} CuckooHeader;

/* Returns the hash bits that `items` items need for the rate of `fingerprint_bits`. */
extern unsigned cuckoo_hash_bits(uint64_t items, unsigned fingerprint_bits);

/* The layout of a packed value, which follows from its header. */
typedef struct CuckooLayout {
    unsigned hash_bits;
    unsigned quotient_bits;  /* the highest of them, which determine the run */
    unsigned remainder_bits; /* the others, which are stored */
    uint32_t quotients;      /* of a bucket */
    uint32_t buckets;
    uint32_t slots;    /* of a bucket, one for each item */
    size_t slot_bytes; /* of all slots of a bucket */
    uint64_t items;
} CuckooLayout;

/* Parameters of a value in any encoding, from its first bytes. */
typedef struct CuckooParameters {
    unsigned fingerprint_bits;
    unsigned hash_bits; /* of a list: those that its capacity needs */
    bool is_list;
} CuckooParameters;

extern CuckooParameters cuckoo_parameters(const uint8_t *data);

extern CuckooHeader cuckoo_header(SketchBytes packed);
extern CuckooLayout cuckoo_layout(const CuckooHeader *header);

/* Returns true if bits and items are within their ranges. */
extern bool cuckoo_header_valid(const CuckooHeader *header);

/* Returns the fingerprint bits that state the rate of the filter with the items it has now. */
extern unsigned cuckoo_current_bits(const CuckooHeader *header);

/* Returns the false-positive rate, an upper bound if there are copies. */
extern double cuckoo_false_positive_rate(const CuckooHeader *header);

/*
 * Return an empty working filter for `capacity` items, which grows beyond them unless it is
 * `fixed`; or the state of an aggregate, a list of hashes that becomes a filter for at least
 * `capacity` items. The parameters must be in range.
 */
extern SketchState cuckoo_new(uint32_t capacity, bool fixed, unsigned fingerprint_bits,
                              const SketchMemory *memory);
extern SketchState cuckoo_new_list(uint32_t capacity, unsigned fingerprint_bits,
                                   const SketchMemory *memory);

/*
 * Adds an item unless it is there. cuckoo_list_add is the fast path, for a list with space; packing
 * drops the repetitions that it lets in. cuckoo_insert takes any working value, replaces *state as
 * SketchOps.merge does, and fails, with nothing changed, when the filter is full.
 */
static inline bool cuckoo_list_add(SketchState state, uint64_t hash);
extern bool cuckoo_insert(SketchState *state, uint64_t hash, const SketchMemory *memory,
                          SketchError *error);

/*
 * The following functions are for tables. cuckoo_open_table makes a table of any value, without
 * data if the value is damaged. cuckoo_add fails, with nothing changed, when the filter is full or
 * holds CUCKOO_COPIES_MAX copies of the item. cuckoo_delete returns whether there was a copy.
 */
extern SketchState cuckoo_open_table(SketchBytes value, const SketchMemory *memory);
extern bool cuckoo_add(SketchState *state, uint64_t hash, const SketchMemory *memory,
                       SketchError *error);
extern bool cuckoo_delete(SketchState state, uint64_t hash, const SketchMemory *memory);
extern uint64_t cuckoo_table_count(SketchState state, uint64_t hash);

/* Resets the number of deletes, and cuts hash bits that items and capacity do not need. */
extern void cuckoo_compact(SketchState *state, const SketchMemory *memory);

/*
 * Merges, but adds up the copies of each item; fails if an item would have too many. A state of
 * cuckoo_open_sum, without data if the value is damaged, collects values: it may find an item with
 * too many copies later, at the latest when cuckoo_pack_sum packs it.
 */
extern bool cuckoo_sum(SketchState *state, SketchBytes other, const SketchMemory *memory,
                       SketchError *error);
extern SketchState cuckoo_open_sum(SketchBytes value, const SketchMemory *memory);
extern bool cuckoo_pack_sum(SketchBytes value, const SketchMemory *memory, SketchBytes *packed,
                            SketchError *error);

/*
 * A packed value to probe, or part of one: `data` is the value's bytes from `offset` on. If
 * `missing` is true after a probe, it needed bytes that are not there, and its result is void.
 */
typedef struct CuckooView {
    CuckooLayout layout;
    const uint8_t *data;
    size_t size;
    size_t offset;
    bool missing;
    const SketchMemory *memory; /* to be polled */
} CuckooView;

extern CuckooView cuckoo_view(SketchBytes packed, const SketchMemory *memory);

/* Counts the copies of an item. A probe of damaged bytes ends, too, with some result. */
extern uint64_t cuckoo_count(CuckooView *view, uint64_t hash);

/* Counts the copies of an item in a whole value; fails only if it is damaged. */
extern bool cuckoo_count_packed(SketchBytes packed, uint64_t hash, uint64_t *count,
                                const SketchMemory *memory);

/* Return where the bytes for a probe begin in a packed value, and how many are usually enough. */
extern size_t cuckoo_probe_offset(const CuckooLayout *layout, uint64_t hash);
extern size_t cuckoo_probe_size(const CuckooLayout *layout);

/* The struct of a list: a log of hashes. */
typedef struct CuckooListState {
    StateHeader header;
    uint8_t fingerprint_bits;
    uint8_t hash_bits; /* of the filter it becomes, at least */
    uint16_t unused;
    uint32_t count;
    uint64_t hash[];
} CuckooListState;

_Static_assert(sizeof(CuckooListState) == 16, "a list of 14 hashes has 128 bytes");

static inline bool
cuckoo_list_add(SketchState state, uint64_t hash)
{
    CuckooListState *s = state_at(state.data);
    HashLog log = {s->hash, &s->count, state_end(state)};

    return s->header.encoding == CUCKOO_LIST && hash_log_add(log, hash);
}

#endif
