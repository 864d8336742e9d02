/*
 * roaring.h - roaring bitmaps: exact sets of integers. The essay is in roaring.c.
 */
#ifndef SKETCHES_ROARING_H
#define SKETCHES_ROARING_H

#include "core/common/state.h"

/* Values of roaring are 0 .. 2^32-1, of roaring64 0 .. 2^64-1. */
#define ROARING_VALUE_MAX UINT32_MAX
#define ROARING64_VALUE_MAX UINT64_MAX

#define ROARING_PACKED 0
#define ROARING_WORKING (SKETCH_WORKING | 0)

/* Packed: the portable form of roaring begins here; of roaring64 the index of its buckets. */
#define ROARING_HEADER 12
#define ROARING64_HEADER 16

#define ROARING_FORMAT_VERSION 1 /* of both */

/* The longest range has 2^24 containers: 2^40 values, in 235 MB. */
#define ROARING_RANGE_CONTAINERS_MAX (INT64_C(1) << 24)

extern const SketchOps roaring_ops;
extern const SketchOps roaring64_ops;

static inline uint64_t
roaring_value_max(SketchKind kind)
{
    return kind == SKETCH_ROARING ? ROARING_VALUE_MAX : ROARING64_VALUE_MAX;
}

/* ---- states: sets that grow, working.c ---- */

/*
 * Beginning of a state; working.h describes the rest. Offsets count from the value's byte 0.
 */
typedef struct RoaringState {
    StateHeader header;   /* `hash` is 1 if the set counts by parity */
    uint32_t next;        /* where the next value goes */
    uint32_t end;         /* where the room for values ends and lists begin */
    uint32_t entry_slots; /* of the directory, which is there if this is not 0 */
    uint32_t bitset_slots;
} RoaringState;

static inline RoaringState *
roaring_state(const uint8_t *data)
{
    return state_at(data);
}

typedef struct RoaringEntry {
    uint64_t key;
    uint32_t bitset;
    uint32_t list;
} RoaringEntry;

#define ROARING_BITSET_BYTES 8192
#define ROARING_FULL UINT32_MAX            /* for a bitset */
#define ROARING_NO_BITSET (UINT32_MAX - 1) /* for a bitset */

typedef struct RoaringDirectory {
    uint32_t entries;
    uint32_t bitsets;
    uint32_t sorted;
    uint32_t unused;
    RoaringEntry entry[];
} RoaringDirectory;

/* To be called only if there are slots for entries. */
static inline RoaringDirectory *
roaring_directory(const uint8_t *data)
{
    return (RoaringDirectory *)(roaring_state(data) + 1);
}

/*
 * An empty working set. One of `parity` counts how often each value came: merging is symmetric
 * difference, and a value is in the set when it came an odd number of times.
 */
extern SketchState roaring_new(SketchKind kind, bool parity, const SketchMemory *memory);

/* Adds a value in range, replacing *state as SketchOps.merge does. */
extern void roaring_insert(SketchState *state, uint64_t value, const SketchMemory *memory);

/* The fast path: false where there is no room. roaring_push only appends. */
static inline bool roaring_add(SketchState state, uint64_t value);
static inline bool roaring_push(SketchState state, uint64_t value);

/* The number of values in a set, packed or working; -1 for a damaged one. */
extern int64_t roaring_cardinality(SketchBytes value, const SketchMemory *memory);

/* ---- building, packed ---- */

/* Make a set of ascending values without duplicates, and of lo .. hi, both included. */
extern SketchBytes roaring_from_sorted(SketchKind kind, const uint64_t *values, size_t count,
                                       const SketchMemory *memory);
extern bool roaring_from_range(SketchKind kind, uint64_t lo, uint64_t hi,
                               const SketchMemory *memory, SketchBytes *value, SketchError *error);

/* Returns the values that are not in lo .. hi; false for a damaged set. */
extern bool roaring_without_range(SketchBytes value, uint64_t lo, uint64_t hi,
                                  const SketchMemory *memory, SketchBytes *result);

/* Converts to the other type, or to this one; values must be in its range. */
extern bool roaring_convert(SketchBytes value, SketchKind kind, const SketchMemory *memory,
                            SketchBytes *result);

/* ---- the portable format that other languages read ---- */

extern bool roaring_from_portable(SketchKind kind, SketchBytes input, const SketchMemory *memory,
                                  SketchBytes *value, SketchError *error);
/* Returns 0 for a damaged value, which roaring_to_portable must not be given. */
extern size_t roaring_portable_bytes(SketchBytes value);
extern void roaring_to_portable(SketchBytes value, uint8_t *to, const SketchMemory *memory);

/* ---- containers of a packed value, in ascending order ---- */

typedef enum RoaringForm {
    ROARING_ARRAY,  /* up to 4096 values of 16 bits, ascending */
    ROARING_BITSET, /* 65536 bits */
    ROARING_RUNS,   /* pairs of 16 bits: first value, how many follow it */
    /* In memory only: */
    ROARING_WORDS,    /* 65536 bits in words of the host */
    ROARING_VALUES32, /* whole values, ascending, whose low 16 bits count */
    ROARING_VALUES64
} RoaringForm;

/* The values whose bits above the lowest 16 are `key`. */
typedef struct RoaringContainer {
    uint64_t key;
    RoaringForm form;
    uint32_t cardinality;
    uint32_t count; /* of what is at `data`: values or runs */
    const uint8_t *data;
} RoaringContainer;

/*
 * The directory of one portable bitmap: the values whose bits above the lowest 32 are `high`. A
 * roaring is one bucket.
 */
typedef struct RoaringBucket {
    uint32_t high;
    const uint8_t *data;
    size_t size;
    uint32_t containers;
    const uint8_t *run_flags; /* a bit per container, or NULL */
    const uint8_t *keys;      /* 4 bytes per container: key, cardinality - 1 */
    const uint8_t *offsets;   /* 4 bytes per container, or NULL: three containers at most */
    size_t first;             /* where the first container lies */
} RoaringBucket;

typedef struct RoaringCursor {
    SketchBytes value;
    bool reverse;
    bool damaged;
    uint32_t buckets, begun; /* how many there are, how many were begun */
    RoaringBucket bucket;    /* the present one */
    uint32_t returned;       /* containers of it */
    uint64_t bound;          /* the next key is not below it; in descending order below it */
    size_t steps;
    const SketchMemory *memory; /* polled */
} RoaringCursor;

/* Bucket i; a roaring has bucket 0 only. False for a damaged value. */
extern bool roaring_bucket_at(SketchBytes value, uint32_t i, RoaringBucket *bucket);

/* In ascending or in descending order. False at the end; `damaged` says if it came too early. */
extern RoaringCursor roaring_cursor(SketchBytes value, bool reverse, const SketchMemory *memory);
extern bool roaring_next(RoaringCursor *cursor, RoaringContainer *container);

/* Pushes back the container roaring_next just returned (ascending cursors only). */
extern void roaring_unread(RoaringCursor *cursor, const RoaringContainer *container);

/* The lowest 16 bits of the values of a container, ascending; room for 65536. */
extern uint32_t roaring_decode(const RoaringContainer *container, uint16_t *lows);

/* ---- queries of packed values ---- */

/* Looks for a value; false if the bytes read for it are damaged. */
extern bool roaring_contains(SketchBytes value, uint64_t wanted, bool *found);

/*
 * Looks for a value in a packed set that is read in pieces. The first piece is there; `read`
 * returns the bytes from `offset` on, fewer than `length` only at the end. The set is stored in
 * chunks of ROARING_PIECE_BYTES.
 */
#define ROARING_PIECE_BYTES 1996

typedef struct RoaringPieces {
    size_t size;
    SketchBytes first;
    SketchBytes (*read)(const void *source, size_t offset, size_t length);
    const void *source;
} RoaringPieces;

extern bool roaring_lookup(const RoaringPieces *value, uint64_t wanted, bool *found);
extern bool roaring_container_contains(const RoaringContainer *container, uint32_t low);

/* The number of values in the set that are at most `limit`; false for a damaged one. */
extern bool roaring_rank(SketchBytes value, uint64_t limit, const SketchMemory *memory,
                         uint64_t *rank);

/* The value with `rank` others below it; false when there are not as many. */
extern bool roaring_select(SketchBytes value, uint64_t rank, const SketchMemory *memory,
                           uint64_t *selected);

/* The least value from `start` on that is in the set, or is not; false where there is none. */
extern bool roaring_next_value(SketchBytes value, uint64_t start, bool present,
                               const SketchMemory *memory, uint64_t *found);

/* ---- set algebra of packed values; false for damaged ones, or as *error says ---- */

typedef enum RoaringOp { ROARING_AND, ROARING_OR, ROARING_XOR, ROARING_ANDNOT } RoaringOp;

extern bool roaring_combine(RoaringOp op, SketchBytes a, SketchBytes b, const SketchMemory *memory,
                            SketchBytes *result, SketchError *error);
extern bool roaring_intersection_cardinality(SketchBytes a, SketchBytes b,
                                             const SketchMemory *memory, uint64_t *cardinality);
extern bool roaring_is_subset(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                              bool *is_subset);
extern bool roaring_intersects(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                               bool *intersects);

/* ---- which values are in exactly which of many sets: venn.c ---- */

#define ROARING_VENN_SETS_MAX 4096 /* 32 MB of masks */

typedef struct RoaringVenn RoaringVenn;

/*
 * Opens sets of one type, at most ROARING_VENN_SETS_MAX; data NULL is the empty set. The sets
 * have to stay where they are. NULL if one is damaged.
 */
extern RoaringVenn *roaring_venn(SketchKind kind, const SketchBytes *sets, size_t count,
                                 const SketchMemory *memory);

/*
 * The next region: values that are in the same sets, whose bits *members has. False at the end.
 */
extern bool roaring_next_region(RoaringVenn *venn, const uint64_t **members, SketchBytes *values);
extern void roaring_release_venn(RoaringVenn *venn);

/* Every value plus `offset`; those that leave the range of the type are dropped. */
extern bool roaring_shift(SketchBytes value, int64_t offset, const SketchMemory *memory,
                          SketchBytes *result);

/* ---- the fast path ---- */

static inline size_t
roaring_value_bytes(const uint8_t *data)
{
    return data[0] == SKETCH_ROARING ? 4 : 8;
}

static inline bool
roaring_push(SketchState state, uint64_t value)
{
    RoaringState *set = roaring_state(state.data);
    uint32_t bytes = (uint32_t)roaring_value_bytes(state.data);

    if (set->end - set->next < bytes)
        return false;
    if (bytes == 4)
        *(uint32_t *)(state.data + set->next) = (uint32_t)value;
    else
        *(uint64_t *)(state.data + set->next) = value;
    set->next += bytes;
    return true;
}

static inline size_t
roaring_bitsets_at(const uint8_t *data)
{
    uint32_t slots = roaring_state(data)->entry_slots;

    return state_size(sizeof(RoaringState)) +
           (slots > 0 ? sizeof(RoaringDirectory) + slots * sizeof(RoaringEntry) : 0);
}

static inline uint64_t *
roaring_bitset(const uint8_t *data, uint32_t bitset)
{
    return (uint64_t *)(data + roaring_bitsets_at(data) + (size_t)bitset * ROARING_BITSET_BYTES);
}

/*
 * Sets the bit of a value, if its container is a bitset, and where it would be if no container were
 * missing: there is nothing to search. Else false. There must be slots for entries.
 */
static inline bool
roaring_set_bit(SketchState state, uint64_t value)
{
    const RoaringDirectory *directory = roaring_directory(state.data);
    const uint64_t key = value >> 16, at = key - directory->entry[0].key;
    const RoaringEntry *entry;

    if (at >= directory->entries)
        return false;
    entry = &directory->entry[at];
    if (entry->key != key || entry->bitset >= ROARING_NO_BITSET ||
        roaring_state(state.data)->header.hash)
        return false;
    roaring_bitset(state.data, entry->bitset)[(value & 65535) / 64] |= UINT64_C(1) << value % 64;
    return true;
}

static inline bool
roaring_add(SketchState state, uint64_t value)
{
    return (roaring_state(state.data)->entry_slots > 0 && roaring_set_bit(state, value)) ||
           roaring_push(state, value);
}

#endif
