/*
 * cuckoo_internal.h - what the files of cuckoo share.
 *
 *   cuckoo.c           the essay; the packed layout, writing, reading and validating it
 *   probe.c     asking a packed value, or part of one, for one item
 *   working.c   the two working encodings, opening them
 *   list.c      the list, the state of an aggregate
 *   table.c     the table: adding and deleting one item
 *   merge.c     union, sum, fewer hash bits
 */
#ifndef CUCKOO_INTERNAL_H
#define CUCKOO_INTERNAL_H

#include "cuckoo.h"

#include "core/common/bytes.h"

#define CUCKOO_BUCKET_BITS 8 /* a bucket has 2^8 cells, */
#define CUCKOO_QUARTER 64    /* a quarter of it so many */
#define CUCKOO_BUCKET_HEADER 8

/* Bytes of a working value; the database allows a little more. */
#define CUCKOO_LARGEST ((size_t)(1 << 30) - 64)

/* Hash bits beyond the fingerprint bits: at least for the default capacity, at most for 2^31. */
#define CUCKOO_SPREAD_MIN 8
#define CUCKOO_SPREAD_MAX 29

/* The most items that a filter of these parameters may have. */
extern uint64_t cuckoo_limit(const CuckooHeader *header);

/* A packed value of fingerprints in ascending order, header->items of them. */
extern SketchBytes cuckoo_encode(const CuckooHeader *header, const uint64_t *fingerprints,
                                 const SketchMemory *memory);

/* Its fingerprints, in scratch memory; NULL when they cannot be read. */
extern uint64_t *cuckoo_decode(SketchBytes packed, const SketchMemory *memory);

/* The same of a value in any encoding; the header is filled in. */
extern uint64_t *cuckoo_fingerprints(SketchBytes value, CuckooHeader *header,
                                     const SketchMemory *memory);
extern uint64_t *cuckoo_working_fingerprints(SketchBytes value, CuckooHeader *header,
                                             const SketchMemory *memory);
extern uint64_t *cuckoo_list_fingerprints(SketchBytes value, CuckooHeader *header,
                                          const SketchMemory *memory);
extern uint64_t *cuckoo_sound_fingerprints(SketchBytes table, CuckooHeader *header,
                                           const SketchMemory *memory);

extern SketchState cuckoo_open(SketchBytes value, const SketchMemory *memory);
extern SketchState cuckoo_new_working(uint8_t encoding, unsigned fingerprint_bits, size_t header,
                                      size_t size, const SketchMemory *memory);
extern bool cuckoo_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                         SketchError *error);

/* Bytes in front of a bucket's room. */
static inline size_t
cuckoo_bucket_header(const CuckooLayout *layout)
{
    return layout->buckets > 1 ? CUCKOO_BUCKET_HEADER : 0;
}

/* Bytes of the cell bits of a bucket; its remainders follow. */
static inline size_t
cuckoo_cell_bytes(const CuckooLayout *layout, uint64_t items)
{
    return (size_t)(layout->cells + items + 7) / 8;
}

static inline size_t
cuckoo_bucket_bytes(const CuckooLayout *layout, uint64_t items)
{
    return cuckoo_cell_bytes(layout, items) + (size_t)(items * layout->remainder_bits + 7) / 8;
}

/*
 * Behind the displacement in a bucket's header are four bytes, how many items its quarters have; 255
 * stands for that and any more, and then they have to be counted.
 */
static inline bool
cuckoo_quarters_told(uint32_t quarters)
{
    uint32_t spaces = ~quarters; /* which byte is none? */

    return ((spaces - UINT32_C(0x01010101)) & ~spaces & UINT32_C(0x80808080)) == 0;
}

static inline uint32_t
cuckoo_quarters_sum(uint32_t quarters)
{
    return (quarters & UINT32_C(0x00ff00ff)) * UINT32_C(0x10001) / 65536 +
           (quarters >> 8 & UINT32_C(0x00ff00ff)) * UINT32_C(0x10001) / 65536;
}

/* ---- lists ---- */

/* Whether its header and its size agree. */
extern bool cuckoo_sound_list(SketchBytes value);

/* Room for `more` hashes, and the hashes of another list; both replace *state like a merge. */
extern bool cuckoo_make_list_room(SketchState *state, size_t more, const SketchMemory *memory,
                                  SketchError *error);
extern bool cuckoo_append_list(SketchState *state, SketchBytes other, const SketchMemory *memory,
                               SketchError *error);

static inline uint64_t
cuckoo_fingerprint(uint64_t hash, unsigned hash_bits)
{
    return hash >> (64 - hash_bits);
}

/* ---- tables ---- */

typedef struct CuckooTable {
    SketchState state;
    uint64_t *slot;
    size_t slots;
    uint64_t homes;
    unsigned hash_bits;
} CuckooTable;

static inline CuckooTable
cuckoo_table(SketchState state)
{
    uint32_t homes;

    memcpy(&homes, state.data + 28, sizeof homes);
    return (CuckooTable){.state = state,
                         .slot = (uint64_t *)(state.data + CUCKOO_TABLE_HEADER),
                         .slots = (state.size - CUCKOO_TABLE_HEADER) / sizeof(uint64_t),
                         .homes = homes,
                         .hash_bits = state.data[5]};
}

static inline uint64_t *
cuckoo_items(SketchState state)
{
    return (uint64_t *)(state.data + 12);
}

static inline uint64_t *
cuckoo_deletes(SketchState state)
{
    return (uint64_t *)(state.data + 20);
}

static inline CuckooHeader
cuckoo_table_header(SketchState state)
{
    CuckooHeader header = {.fingerprint_bits = state.data[4],
                           .hash_bits = state.data[5],
                           .items = *cuckoo_items(state),
                           .deletes = *cuckoo_deletes(state)};

    memcpy(&header.capacity, state.data + 8, sizeof header.capacity);
    return header;
}

/* Where a fingerprint would stand in so many homes: in proportion to all there could be. */
static inline size_t
cuckoo_home_of(uint64_t fingerprint, unsigned hash_bits, uint64_t homes)
{
    return (size_t)((unsigned __int128)(fingerprint << (64 - hash_bits)) * homes >> 64);
}

static inline size_t
cuckoo_home(const CuckooTable *table, uint64_t fingerprint)
{
    return cuckoo_home_of(fingerprint, table->hash_bits, table->homes);
}

/* A table of fingerprints in ascending order, header->items of them, with room for `spare` more. */
extern SketchState cuckoo_new_table(const CuckooHeader *header, const uint64_t *fingerprints,
                                    uint64_t spare, const SketchMemory *memory);

/* Its fingerprints, at most one more than `room`, in `to`; returns how many there are. */
extern uint64_t cuckoo_table_fingerprints(const CuckooTable *table, uint64_t *to, uint64_t room);

extern bool cuckoo_refuse_full(const CuckooHeader *header, uint64_t items, SketchError *error);

#endif
