/*
 * roaring_internal.h - what the files of roaring share with one another and with nobody else.
 *
 * roaring.c   what it is; validating; the operations of both types
 * bitset.c    a container as 65536 bits in memory
 * portable.c  the portable format: reading and validating
 * cursor.c    packed values: buckets and containers in order
 * query.c     packed values: membership, ranks, positions
 * spans.c     packed values: how they spread, and samples of them
 * lookup.c    membership in a value that is stored in chunks
 * writer.c    the portable format: writing, each container in its smallest form
 * build.c     packed values from sorted values, ranges and other packed values
 * container.c what two containers have in common
 * venn.c      which values are in exactly which of many sets
 * algebra.c   set algebra of packed values, by CRoaring
 * fold.c      states: their containers, each in one piece; working.h describes states
 * working.c   states: adding, and making room
 * merge.c     states: merging, opening, packing
 *
 * A file uses those above it; fold.c and working.c use each other, and roaring.c uses all.
 */
#ifndef ROARING_INTERNAL_H
#define ROARING_INTERNAL_H

#include "core/common/bytes.h"
#include "roaring.h"

#define ROARING_ARRAY_MAX 4096
#define ROARING_BITSET_WORDS 1024
#define ROARING_BITSET_BYTES 8192
#define ROARING_BUCKET_CONTAINERS 65536

/* Cookies of the portable format. */
#define ROARING_COOKIE_PLAIN 12346
#define ROARING_COOKIE_RUNS 12347
#define ROARING_OFFSETS_FROM 4 /* containers: fewer of them, if some have runs, have no offsets */

/* ---- cursor.c ---- */

/* How many buckets a packed roaring64 has. */
static inline uint32_t
roaring_buckets(SketchBytes value)
{
    return load_le32(value.data + 12);
}

/* How many containers a packed value has, roughly. */
extern size_t roaring_expected(SketchBytes value);

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

/* The values of a bitset that has at most ROARING_ARRAY_MAX, and clears it; returns how many. */
#define ROARING_LOWS_BYTES (2 * ROARING_ARRAY_MAX + 8) /* it writes up to four more */
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

/* Word i of a container in one of the two forms of bits. */
static inline uint64_t
roaring_container_word(const RoaringContainer *container, uint32_t i)
{
    return container->form == ROARING_WORDS ? ((const uint64_t *)container->data)[i]
                                            : load_le64(container->data + (size_t)i * 8);
}

/* The low 16 bits of value i of a container in one of the three forms that list values. */
static inline uint32_t
roaring_container_low(const RoaringContainer *container, uint32_t i)
{
    switch (container->form) {
    case ROARING_VALUES32:
        return *(const uint32_t *)(container->data + (size_t)i * 4) & 0xffff;
    case ROARING_VALUES64:
        return *(const uint64_t *)(container->data + (size_t)i * 8) & 0xffff;
    default:
        return load_le16(container->data + (size_t)i * 2);
    }
}

/* ---- portable.c ---- */

/* The directory of the bitmap at the front of `data`; false when it does not fit. */
extern bool roaring_bucket_open(RoaringBucket *bucket, uint32_t high, const uint8_t *data,
                                size_t size);

/* Container i, for a bucket that was validated once; false when it leaves the bucket. */
extern bool roaring_bucket_container(const RoaringBucket *bucket, uint32_t i,
                                     RoaringContainer *container);

/* Checks everything about a container of a packed value except its key. */
extern bool roaring_container_check(const RoaringContainer *container, SketchError *error);

/* Checks everything about the bitmap at the front of `input`; *used is where it ends. */
extern bool roaring_bucket_check(SketchBytes input, uint32_t high, const SketchMemory *memory,
                                 size_t *used, RoaringBucket *bucket, SketchError *error);

/* The size of a bitmap that was checked. */
extern size_t roaring_bucket_bytes(const RoaringBucket *bucket);

/* ---- query.c ---- */

extern bool roaring_bucket_contains(const RoaringBucket *bucket, uint32_t wanted);

/* Returns how many values of the container are at most `low`. */
extern uint32_t roaring_container_rank(const RoaringContainer *container, uint32_t low);

/* Returns the value with `rank` others of the container below it. */
extern uint32_t roaring_container_select(const RoaringContainer *container, uint32_t rank);

/* ---- writer.c ---- */

/* Memory of any size that is given back together. */
typedef struct RoaringKept RoaringKept;

extern uint8_t *roaring_keep(RoaringKept **kept, size_t bytes, const SketchMemory *memory);
extern void roaring_release_kept(RoaringKept *kept, const SketchMemory *memory);

/* The containers of a value to be written. */
typedef struct RoaringWriter {
    SketchKind kind;
    size_t count, slots;
    struct WrittenContainer *containers;
    RoaringKept *kept;
    size_t steps;
    const SketchMemory *memory;
} RoaringWriter;

/*
 * Containers come in ascending order of their keys; empty ones are left out. `expected` is how many
 * there may be; more are welcome. The data of a container has to stay where it is until
 * roaring_write, unless the writer is told to keep a copy, which is in the smallest form.
 * roaring_write returns the value; that or roaring_discard gives back the writer's memory.
 */
extern RoaringWriter roaring_writer(SketchKind kind, size_t expected, const SketchMemory *memory);
extern void roaring_write_container(RoaringWriter *writer, const RoaringContainer *container);

/* A container of a packed value, whose form is the smallest already. */
extern void roaring_write_packed(RoaringWriter *writer, const RoaringContainer *container);
extern void roaring_write_copy(RoaringWriter *writer, const RoaringContainer *container);
extern void roaring_write_bucket(RoaringWriter *writer, const RoaringBucket *bucket);
extern SketchBytes roaring_write(RoaringWriter *writer);
extern void roaring_discard(RoaringWriter *writer);

/* ---- container.c ---- */

/* Room for two containers as bits. */
typedef struct RoaringScratch {
    uint64_t a[ROARING_BITSET_WORDS], b[ROARING_BITSET_WORDS];
} RoaringScratch;

/* How many values two containers of one key have in common. */
extern uint32_t roaring_common(const RoaringContainer *a, const RoaringContainer *b,
                               RoaringScratch *scratch);

/* ---- merge.c ---- */

extern SketchState roaring_open(SketchBytes value, const SketchMemory *memory);
extern SketchState roaring_open_many(SketchBytes value, const SketchMemory *memory);
extern SketchBytes roaring_pack(SketchBytes value, const SketchMemory *memory);
extern bool roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                          SketchError *error);

#endif
