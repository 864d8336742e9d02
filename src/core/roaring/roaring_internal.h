/*
 * roaring_internal.h - what the files of roaring share. Each uses those above it only.
 *
 * bitmap.c    portable bitmaps: reading and checking
 * header.c    the header of a value and, of roaring64, the index of its buckets
 * bitset.c    a container as 65536 bits in memory
 * container.c the values of one container, and what two have in common
 * cursor.c    packed values: their containers in order
 * query.c     packed values: membership, ranks, positions
 * lookup.c    membership in a value that is stored in chunks
 * writer.c    the containers of a value that is made, each in its smallest form, and the value
 * build.c     packed values from sorted values, ranges and other packed values
 * venn.c      which values are in exactly which of many sets
 * croaring.c  finds CRoaring
 * algebra.c   set algebra of packed values, by CRoaring
 * shift.c     moving all values of a set
 * groups.c    states: their containers, each in one piece; working.h describes states
 * packed.c    states: packing
 * place.c     states: their memory, and where a container goes
 * working.c   states: adding, compacting, growing
 * merge.c     states: opening and merging
 * roaring.c   what it is; validating; the operations of both types
 */
#ifndef ROARING_INTERNAL_H
#define ROARING_INTERNAL_H

#include "core/common/bytes.h"
#include "roaring.h"

#define ROARING_ARRAY_MAX 4096
#define ROARING_BITSET_WORDS 1024
#define ROARING_BUCKET_CONTAINERS 65536

/* ---- elements of containers: arrays and runs ---- */

#define ROARING_LOW_BYTES 2 /* of a value in an array */
#define ROARING_RUN_BYTES 4

/* The low 16 bits of value i of an array. */
static inline uint16_t
roaring_low(const RoaringContainer *array, uint32_t i)
{
    return load_le16(array->data + (size_t)i * ROARING_LOW_BYTES);
}

static inline void
roaring_put_low(uint8_t *array, uint32_t i, uint32_t low)
{
    store_le16(array + (size_t)i * ROARING_LOW_BYTES, (uint16_t)low);
}

/* The last value of a damaged run may be above 65535. */
typedef struct RoaringRun {
    uint32_t first, last;
} RoaringRun;

static inline RoaringRun
roaring_run(const RoaringContainer *runs, uint32_t i)
{
    const uint8_t *run = runs->data + (size_t)i * ROARING_RUN_BYTES;
    uint32_t first = load_le16(run);

    return (RoaringRun){first, first + load_le16(run + ROARING_LOW_BYTES)};
}

static inline uint8_t *
roaring_put_run(uint8_t *to, uint32_t first, uint32_t last)
{
    store_le16(to, (uint16_t)first);
    store_le16(to + ROARING_LOW_BYTES, (uint16_t)(last - first));
    return to + ROARING_RUN_BYTES;
}

/* The low 16 bits of value i of a container in one of the three forms that list values. */
static inline uint32_t
roaring_listed(const RoaringContainer *container, uint32_t i)
{
    switch (container->form) {
    case ROARING_VALUES32:
        return ((const uint32_t *)container->data)[i] & 0xffff;
    case ROARING_VALUES64:
        return ((const uint64_t *)container->data)[i] & 0xffff;
    default:
        return roaring_low(container, i);
    }
}

/* Word i of a container in one of the two forms of bits. */
static inline uint64_t
roaring_word(const RoaringContainer *container, uint32_t i)
{
    return container->form == ROARING_WORDS ? ((const uint64_t *)container->data)[i]
                                            : load_le64(container->data + (size_t)i * 8);
}

/* ---- header.c ---- */

/* Entry of a bucket in a roaring64: its high half, and where it ends, counted from byte 0. */
typedef struct RoaringIndexEntry {
    uint32_t high;
    size_t end;
} RoaringIndexEntry;

#define ROARING_INDEX_BYTES 8 /* of an entry */

/* Returns the number of buckets of a value; `header` is its packed header. */
extern uint32_t roaring_buckets(const uint8_t *header);

/* Where the first bucket begins, or 0 if the index leaves the value. */
extern size_t roaring_first_bucket(SketchBytes value);
extern RoaringIndexEntry roaring_index_entry(const uint8_t *entry);

/* The entry of bucket i, of a value whose index does not leave it. */
extern RoaringIndexEntry roaring_index(SketchBytes value, uint32_t i);

/* Opens the bucket of a high half; there may be none, without containers. False: damaged. */
extern bool roaring_find_bucket(SketchBytes value, uint64_t high, RoaringBucket *bucket);

extern uint64_t roaring_packed_cardinality(const uint8_t *header);

/* Returns the bytes of the header with the index, whose entries are written one by one. */
extern size_t roaring_header_bytes(SketchKind kind, uint32_t buckets);
extern uint8_t *roaring_write_header(uint8_t *data, SketchKind kind, uint64_t cardinality,
                                     uint32_t buckets);
extern void roaring_write_index(uint8_t *data, uint32_t i, RoaringIndexEntry entry);

/* ---- bitmap.c ---- */

#define ROARING_COOKIE_PLAIN 12346
#define ROARING_COOKIE_RUNS 12347
#define ROARING_AT_COUNT 4

/* Where the parts of a bitmap are, counted from its first byte; 0 for one that is left out. */
typedef struct RoaringLayout {
    uint32_t containers;
    size_t run_flags; /* a bit for each container: is it one of runs? */
    size_t keys;      /* entries of ROARING_KEY_BYTES */
    size_t offsets;   /* u32 for each container, from the first byte on */
    size_t body;      /* the first container */
} RoaringLayout;

#define ROARING_LAYOUT_BYTES 8 /* that roaring_read_layout reads; no bitmap is shorter */
#define ROARING_KEY_BYTES 4    /* u16 key, u16 cardinality - 1 */
#define ROARING_OFFSET_BYTES 4
#define ROARING_RUNS_BYTES 2 /* the number of runs, in front of them */

extern RoaringLayout roaring_layout_of(uint32_t containers, bool runs);

/* False for bytes that begin no bitmap. */
extern bool roaring_read_layout(const uint8_t *bitmap, RoaringLayout *layout);

/* Returns true if some containers of the bitmap are runs. */
extern bool roaring_has_runs(const uint8_t *bitmap);

/* The key of entry i of a directory. */
static inline uint32_t
roaring_key(const uint8_t *keys, uint32_t i)
{
    return load_le16(keys + (size_t)i * ROARING_KEY_BYTES);
}

static inline void
roaring_put_key(uint8_t *key, const RoaringContainer *container)
{
    store_le16(key, (uint16_t)container->key);
    store_le16(key + ROARING_KEY_BYTES / 2, (uint16_t)(container->cardinality - 1));
}

/* Reads the directory entry of a container: its key, and as many values as an array has. */
static inline void
roaring_describe(RoaringContainer *container, const uint8_t *key)
{
    container->key = load_le16(key);
    container->cardinality = load_le16(key + ROARING_KEY_BYTES / 2) + 1U;
    container->count = container->cardinality;
}

/* The bytes of the values of a container, in packed form. */
static inline size_t
roaring_container_bytes(const RoaringContainer *container)
{
    return container->form == ROARING_RUNS    ? (size_t)container->count * ROARING_RUN_BYTES
           : container->form == ROARING_ARRAY ? (size_t)container->count * ROARING_LOW_BYTES
                                              : ROARING_BITSET_BYTES;
}

/* The directory of the bitmap at the front of `data`; false when it does not fit. */
extern bool roaring_bucket_open(RoaringBucket *bucket, uint32_t high, const uint8_t *data,
                                size_t size);

/* Container i, for a bucket that was validated once; false when it leaves the bucket. */
extern bool roaring_bucket_container(const RoaringBucket *bucket, uint32_t i,
                                     RoaringContainer *container);

/* Checks everything about a container of a packed value except its key. */
extern bool roaring_check_container(const RoaringContainer *container, SketchError *error);

/* Checks everything about the bitmap at the front of `input`; *used is where it ends. */
extern bool roaring_check_bucket(SketchBytes input, uint32_t high, const SketchMemory *memory,
                                 size_t *used, RoaringBucket *bucket, SketchError *error);

extern SketchBytes roaring_pack(SketchBytes value, const SketchMemory *memory);

/* ---- container.c ---- */

/* All 65536 values of a key. */
extern RoaringContainer roaring_full_container(uint64_t key);

/* Returns how many values of the container are at most `low`. */
extern uint32_t roaring_container_rank(const RoaringContainer *container, uint32_t low);

/* Returns the value with `rank` others of the container below it. */
extern uint32_t roaring_container_select(const RoaringContainer *container, uint32_t rank);

/* The least value of the container from `low` on that is in it, or is not; 65536 if none is. */
extern uint32_t roaring_container_next(const RoaringContainer *container, uint32_t low,
                                       bool present);

/* The first of `count` u16 at steps of `step` bytes that is at least `wanted`; count if none is. */
extern uint32_t roaring_lower_bound(const uint8_t *at, uint32_t count, size_t step,
                                    uint32_t wanted);

/* Room for two containers as bits. */
typedef struct RoaringScratch {
    uint64_t a[ROARING_BITSET_WORDS], b[ROARING_BITSET_WORDS];
} RoaringScratch;

/* Counts the values common to two containers of one key. */
extern uint32_t roaring_common(const RoaringContainer *a, const RoaringContainer *b,
                               RoaringScratch *scratch);

/* ---- bitset.c: a container as 65536 bits in words of the host ---- */

typedef enum RoaringChange { ROARING_SET, ROARING_FLIP } RoaringChange;

extern void roaring_change_range(uint64_t *bitset, uint32_t first, uint32_t last,
                                 RoaringChange change);
extern void roaring_change_bitset(uint64_t *bitset, const RoaringContainer *container,
                                  RoaringChange change);

/* Fills a bitset with a container. */
extern void roaring_load_bitset(uint64_t *bitset, const RoaringContainer *container);
extern uint32_t roaring_bitset_cardinality(const uint64_t *bitset);
extern bool roaring_bitset_is_full(const uint64_t *bitset);

/* Values and runs of a bitset, written as in arrays and containers of runs. */
extern uint8_t *roaring_bitset_values(const uint64_t *bitset, uint8_t *to);
extern uint8_t *roaring_bitset_runs(const uint64_t *bitset, uint8_t *to);

/* Takes the values, at most ROARING_ARRAY_MAX, out of a bitset; returns their number. */
#define ROARING_LOWS_BYTES (2 * ROARING_ARRAY_MAX + 4) /* it writes up to two more */
extern uint32_t roaring_take_lows(uint64_t *bitset, uint8_t *lows);

static inline void
roaring_change_value(uint64_t *bitset, unsigned low, RoaringChange change)
{
    uint64_t bit = UINT64_C(1) << (low & 63);

    if (change == ROARING_SET)
        bitset[low >> 6] |= bit;
    else
        bitset[low >> 6] ^= bit;
}

/* ---- cursor.c ---- */

/* Estimates the number of containers of a packed value. */
extern size_t roaring_expected(SketchBytes value);

/* ---- query.c ---- */

extern bool roaring_bucket_contains(const RoaringBucket *bucket, uint32_t wanted, bool *found);

/* ---- writer.c ---- */

/* Memory of any size that is given back together. */
typedef struct RoaringKept RoaringKept;

extern uint8_t *roaring_keep(RoaringKept **kept, size_t bytes, const SketchMemory *memory);
extern void roaring_release_kept(RoaringKept *kept, const SketchMemory *memory);

/* A container, and the form in which it is written. */
typedef struct RoaringWritten {
    RoaringContainer from;
    RoaringForm form;
    uint32_t runs;
} RoaringWritten;

/* The containers of a value to be written. */
typedef struct RoaringWriter {
    SketchKind kind;
    size_t count, slots;
    RoaringWritten *containers;
    RoaringKept *kept;
    size_t steps;
    const SketchMemory *memory;
} RoaringWriter;

/*
 * Containers come in ascending order of their keys; empty ones are left out. `expected` is how many
 * there may be; more are welcome. The data of a container has to stay where it is until
 * roaring_write, unless the writer keeps a copy, which is in the smallest form.
 * roaring_write returns the value; that or roaring_discard gives back the writer's memory.
 */
extern RoaringWriter roaring_writer(SketchKind kind, size_t expected, const SketchMemory *memory);
extern void roaring_write_container(RoaringWriter *writer, const RoaringContainer *container);

/* A container of a packed value, whose form is the smallest already. */
extern void roaring_write_packed(RoaringWriter *writer, const RoaringContainer *container);
extern void roaring_write_copy(RoaringWriter *writer, const RoaringContainer *container);
extern SketchBytes roaring_write(RoaringWriter *writer);
extern void roaring_discard(RoaringWriter *writer);

/* The bytes of a container as it is written. */
static inline size_t
roaring_written_bytes(const RoaringWritten *written)
{
    switch (written->form) {
    case ROARING_RUNS:
        return ROARING_RUNS_BYTES + (size_t)written->runs * ROARING_RUN_BYTES;
    case ROARING_ARRAY:
        return (size_t)written->from.cardinality * ROARING_LOW_BYTES;
    default:
        return ROARING_BITSET_BYTES;
    }
}

/* Writes a container; returns where it ends. */
extern uint8_t *roaring_put_container(uint8_t *to, const RoaringWritten *written);

/* ---- merge.c ---- */

extern SketchState roaring_open(SketchBytes value, const SketchMemory *memory);
extern SketchState roaring_open_many(SketchBytes value, const SketchMemory *memory);
extern bool roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                          SketchError *error);

#endif
