/*
 * cuckoo_internal.h - what the files of cuckoo share. Each file uses those above it only.
 *
 *   geometry.c  how many hash bits for how many items at which rate
 *   header.c    the fields of packed values
 *   packed.c    writing and reading packed values
 *   probe.c     is one item in a packed value, or part of one?
 *   list.c      the list, the state of an aggregate
 *   table.c     the table: adding and deleting one item
 *   pending.c   packed values kept to be merged or added up together
 *   working.c   reading and opening any value
 *   merge.c     union, sum, fewer hash bits
 *   cuckoo.c    the essay; validating, packing
 */
#ifndef CUCKOO_INTERNAL_H
#define CUCKOO_INTERNAL_H

#include "cuckoo.h"

#include "core/common/bytes.h"
#include "core/common/wide.h"

#define CUCKOO_VERSION 1

#define CUCKOO_BUCKET_BITS 8 /* a bucket has 2^8 quotients, */
#define CUCKOO_QUARTER 64    /* a quarter of it 64 */
#define CUCKOO_BUCKET_HEADER 8

/* Maximum size of a working value; the database allows a little more. */
#define CUCKOO_MAX_BYTES ((size_t)(1 << 30) - 64)

/* Hash bits beyond the fingerprint bits: from those for the default capacity to those for 2^31. */
#define CUCKOO_SPREAD_MIN 8
#define CUCKOO_SPREAD_MAX 29

static inline uint64_t
cuckoo_fingerprint(uint64_t hash, unsigned hash_bits)
{
    return hash >> (64 - hash_bits);
}

/* ---- geometry.c ---- */

/* Returns how many items a filter may have. */
static inline uint64_t
cuckoo_limit(const CuckooHeader *header)
{
    uint64_t half = UINT64_C(1) << (header->hash_bits - 1);
    uint64_t limit = half < UINT32_MAX ? half : UINT32_MAX;

    return header->capacity > 0 && header->capacity < limit ? header->capacity : limit;
}

extern bool cuckoo_refuse_full(const CuckooHeader *header, uint64_t items, SketchError *error);

/* ---- the packed layout ---- */

/* Returns the bytes in front of a bucket's slots. */
static inline size_t
cuckoo_bucket_header(const CuckooLayout *layout)
{
    return layout->buckets > 1 ? CUCKOO_BUCKET_HEADER : 0;
}

/* Returns the bytes of a bucket's run lengths; its remainders follow. */
static inline size_t
cuckoo_unary_bytes(const CuckooLayout *layout, uint64_t items)
{
    return (size_t)((layout->quotients + items + 7) / 8);
}

static inline size_t
cuckoo_bucket_bytes(const CuckooLayout *layout, uint64_t items)
{
    return cuckoo_unary_bytes(layout, items) + (size_t)((items * layout->remainder_bits + 7) / 8);
}

static inline CuckooLayout
cuckoo_layout_of(unsigned hash_bits, uint64_t items)
{
    CuckooLayout layout = {.hash_bits = hash_bits, .items = items};
    unsigned bucket_bits;

    if (items > 1)
        layout.quotient_bits = 64 - (unsigned)__builtin_clzll(items - 1);
    bucket_bits =
        layout.quotient_bits < CUCKOO_BUCKET_BITS ? layout.quotient_bits : CUCKOO_BUCKET_BITS;
    layout.remainder_bits = hash_bits - layout.quotient_bits;
    layout.quotients = UINT32_C(1) << bucket_bits;
    layout.buckets = UINT32_C(1) << (layout.quotient_bits - bucket_bits);
    layout.slots =
        (uint32_t)((items * 33 / 32 + layout.buckets - 1) >> (layout.quotient_bits - bucket_bits));
    if (layout.buckets == 1)
        layout.slots = (uint32_t)items;
    layout.slot_bytes = cuckoo_bucket_bytes(&layout, layout.slots);
    return layout;
}

/*
 * After the displacement, a bucket's header has four bytes, the items of each quarter. 255 stands
 * for 255 or more; these have to be counted.
 */
static inline bool
cuckoo_quarters_known(uint32_t quarters)
{
    uint32_t spaces = ~quarters; /* has a zero byte if a quarter is 255 */

    return ((spaces - UINT32_C(0x01010101)) & ~spaces & UINT32_C(0x80808080)) == 0;
}

static inline uint32_t
cuckoo_quarters_sum(uint32_t quarters)
{
    return (quarters & UINT32_C(0x00ff00ff)) * UINT32_C(0x10001) / 65536 +
           (quarters >> 8 & UINT32_C(0x00ff00ff)) * UINT32_C(0x10001) / 65536;
}

/* ---- header.c ---- */

/* Offsets of the fields of a packed value. */
enum {
    CUCKOO_AT_FINGERPRINT_BITS = 4,
    CUCKOO_AT_HASH_BITS = 5,
    CUCKOO_AT_RESERVED = 6,
    CUCKOO_AT_ITEMS = 8,
    CUCKOO_AT_DELETES = 16,
    CUCKOO_AT_CAPACITY = 24
};

/* Writes the CUCKOO_PACKED_HEADER bytes of a packed value and of one in transit. */
extern void cuckoo_write_header(uint8_t *data, uint8_t encoding, const CuckooHeader *header);

/* Returns true if the reserved bytes of a header are zero. */
extern bool cuckoo_reserved_is_zero(const uint8_t *data);

/* ---- packed.c ---- */

/* Packs header->items ascending fingerprints. */
extern SketchBytes cuckoo_encode(const CuckooHeader *header, const uint64_t *fingerprints,
                                 const SketchMemory *memory);

/* Returns the fingerprints of a packed value in scratch memory; NULL if they cannot be read. */
extern uint64_t *cuckoo_decode(SketchBytes packed, const SketchMemory *memory);

/* Returns true if the header of a packed value is valid and allows the value's size. */
extern bool cuckoo_fits(SketchBytes packed);

/* ---- states ---- */

/* Header and body of a table, and of pending packed values. */
typedef struct CuckooState {
    StateHeader header;
    uint8_t fingerprint_bits;
    uint8_t hash_bits;
    uint16_t sums;     /* of pending values: 1 if they are to be added up, else 0 for their union */
    uint32_t capacity; /* 0 for a filter that grows */
    uint64_t items;
    uint64_t deletes;
    uint32_t range; /* of a table: canonical slots are 0 .. range - 1 */
    uint32_t bytes; /* of pending values: bytes in use, each value after its size */
    uint64_t slot[];
} CuckooState;

_Static_assert(sizeof(CuckooState) == 40, "slots are aligned");

static inline CuckooState *
cuckoo_state(SketchState state)
{
    return state_at(state.data);
}

static inline CuckooHeader
cuckoo_state_header(const CuckooState *s)
{
    return (CuckooHeader){.fingerprint_bits = s->fingerprint_bits,
                          .hash_bits = s->hash_bits,
                          .items = s->items,
                          .deletes = s->deletes,
                          .capacity = s->capacity};
}

/* Sets everything but hash bits and items. */
static inline void
cuckoo_set_parameters(CuckooState *s, const CuckooHeader *header)
{
    s->fingerprint_bits = (uint8_t)header->fingerprint_bits;
    s->capacity = header->capacity;
    s->deletes = header->deletes;
}

/* Returns a state without items, with an uninitialized body of `size` bytes. */
static inline SketchState
cuckoo_new_state(uint8_t encoding, const CuckooHeader *header, size_t size,
                 const SketchMemory *memory)
{
    SketchState state = state_new(SKETCH_CUCKOO, encoding, SKETCH_HASH_XXH3,
                                  sizeof(CuckooState) + size, sizeof(CuckooState), memory);

    cuckoo_set_parameters(cuckoo_state(state), header);
    cuckoo_state(state)->hash_bits = (uint8_t)header->hash_bits;
    return state;
}

/* ---- list.c ---- */

/* A list of hashes: the state of an aggregate, or such a state in transit. */
typedef struct CuckooList {
    unsigned fingerprint_bits;
    unsigned hash_bits; /* of the filter it becomes, at least */
    HashList hashes;
} CuckooList;

extern bool cuckoo_is_list(const uint8_t *data);

/* Opens a list for reading; false if it is damaged. */
extern bool cuckoo_list(CuckooList *list, SketchBytes value);

/* Returns a working copy, possibly without space for more hashes. */
extern SketchState cuckoo_list_open(const CuckooList *list, const SketchMemory *memory);

/* Append one hash, or another list; replace *state as SketchOps.merge does. */
extern bool cuckoo_list_insert(SketchState *state, uint64_t hash, const SketchMemory *memory,
                               SketchError *error);
extern bool cuckoo_list_append(SketchState *state, const HashList *hashes,
                               const SketchMemory *memory, SketchError *error);

/* cuckoo_read of a list. */
extern uint64_t *cuckoo_list_read(SketchBytes list, CuckooHeader *header,
                                  const SketchMemory *memory);

/* Returns a list in transit, or packed if it has no hashes or too many. */
extern SketchBytes cuckoo_list_transit(SketchBytes list, const SketchMemory *memory);

/* ---- table.c ---- */

typedef struct CuckooTable {
    SketchState state;
    uint64_t *slot;
    size_t slots;
    uint64_t range; /* the canonical slots of all fingerprints are slots 0 .. range - 1 */
    unsigned hash_bits;
} CuckooTable;

static inline CuckooTable
cuckoo_table(SketchState state)
{
    CuckooState *s = cuckoo_state(state);

    return (CuckooTable){.state = state,
                         .slot = s->slot,
                         .slots = (size_t)(state_end(state) - (uint8_t *)s->slot) / sizeof *s->slot,
                         .range = s->range,
                         .hash_bits = s->hash_bits};
}

/* Returns the canonical slot of a fingerprint, which is proportional to its value. */
static inline size_t
cuckoo_canonical_slot_of(uint64_t fingerprint, unsigned hash_bits, uint64_t range)
{
    return (size_t)multiply_high(fingerprint << (64 - hash_bits), range);
}

static inline size_t
cuckoo_canonical_slot(const CuckooTable *table, uint64_t fingerprint)
{
    return cuckoo_canonical_slot_of(fingerprint, table->hash_bits, table->range);
}

/* Returns a table of header->items ascending fingerprints, with space for `spare` more. */
extern SketchState cuckoo_new_table(const CuckooHeader *header, const uint64_t *fingerprints,
                                    uint64_t spare, const SketchMemory *memory);

/* Copies the table's fingerprints, at most `most` + 1 of them; returns their number. */
extern uint64_t cuckoo_table_copy(const CuckooTable *table, uint64_t *to, uint64_t most,
                                  const SketchMemory *memory);

/* cuckoo_read of a table. */
extern uint64_t *cuckoo_table_read(SketchBytes table, CuckooHeader *header,
                                   const SketchMemory *memory);

/* ---- pending.c ---- */

/* Cuts header->items fingerprints to `hash_bits`. */
extern void cuckoo_cut_bits(uint64_t *fingerprints, CuckooHeader *header, unsigned hash_bits,
                            const SketchMemory *memory);

/*
 * Merges a and b, both ascending, into `to`; returns how many fingerprints it has then. One that is
 * i times in a and j times in b is there i + j times with `sum`, else the greater of the two.
 */
extern uint64_t cuckoo_merge_sorted(const uint64_t *a, uint64_t a_count, const uint64_t *b,
                                    uint64_t b_count, bool sum, uint64_t *to,
                                    const SketchMemory *memory);

/* Refuses a sum in which a fingerprint of both arrays has more than CUCKOO_COPIES_MAX copies. */
extern bool cuckoo_sums_fit(const uint64_t *a, uint64_t a_count, const uint64_t *b,
                            uint64_t b_count, const SketchMemory *memory, SketchError *error);

/* Returns the state of a union or sum of one packed value, with space for `more` bytes. */
extern SketchState cuckoo_new_pending(SketchBytes packed, bool sums, size_t more,
                                      const SketchMemory *memory);

/* Returns a copy of a state of pending values. */
extern SketchState cuckoo_copy_pending(SketchBytes state, const SketchMemory *memory);

/*
 * Appends a packed value to the pending ones; replaces *state as SketchOps.merge does. `header` is
 * that of the result; if it has fewer hash bits than the state, the values are merged first. Fails,
 * with nothing changed, if a pending value is damaged, or if a sum of them has too many copies.
 */
extern bool cuckoo_append_pending(SketchState *state, const CuckooHeader *header,
                                  SketchBytes packed, const SketchMemory *memory,
                                  SketchError *error);

/*
 * cuckoo_read of pending values. NULL, with *error, if one is damaged or a sum has too many copies;
 * without an `error` a sum may have any number of them.
 */
extern uint64_t *cuckoo_pending_read(SketchBytes value, CuckooHeader *header,
                                     const SketchMemory *memory, SketchError *error);

/* ---- working.c ---- */

/*
 * Returns the fingerprints of a value, ascending, in scratch memory, and sets *header; returns NULL
 * if the value cannot be read.
 */
extern uint64_t *cuckoo_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory);
extern SketchState cuckoo_open(SketchBytes value, const SketchMemory *memory);
extern bool cuckoo_is_pending(SketchBytes value);

/* SketchOps.open_many. */
extern SketchState cuckoo_open_many(SketchBytes value, const SketchMemory *memory);

/* ---- merge.c ---- */

extern bool cuckoo_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                         SketchError *error);

#endif
