/*
 * topk_internal.h - what the files of topk share with one another and with nobody else.
 *
 * topk.c      what it is, and what the glue calls
 * packed.c    the packed encoding, read and written
 * working.c   adding; working.h describes the values that change
 * list.c      the log of these values, and small ones
 * grow.c      large ones: sizes, growing, purging
 * read.c      values of any encoding, opened for reading
 * merge.c     opening for changes, merging
 * decay.c     ageing
 * rank.c      orders of counters, and selection
 */
#ifndef TOPK_INTERNAL_H
#define TOPK_INTERNAL_H

#include "core/common/bytes.h"
#include "topk.h"

/* ---- how much is kept ---- */

/* The most counters of a working sketch: 3 * 2^j of them, which fill an index well. */
static inline uint32_t
topk_counters_max(uint32_t k)
{
    uint32_t counters = 1536;

    while (counters < 24576 && counters < (uint64_t)k * 240)
        counters *= 2;
    return counters > k * 32 ? counters : k * 32;
}

/*
 * The bytes that the counters of a packed sketch may take, if there are more than 2 k of them: 80 k
 * with the header and the length word.
 */
static inline size_t
topk_packed_room(uint32_t k)
{
    return (k < 13 ? 1000 : (size_t)k * 80) - TOPK_PACKED_HEADER - SKETCH_PREFIX_BYTES;
}

static inline uint32_t
topk_packed_least(uint32_t k)
{
    return 2 * k;
}

/* ---- integers of 7 bits a byte, the lowest first, high bit set on all but the last ---- */

#define VARINT_MAX 10

static inline size_t
varint_bytes(uint64_t number)
{
    return (size_t)(63 - __builtin_clzll(number | 1)) / 7 + 1;
}

static inline uint8_t *
write_varint(uint8_t *to, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *to++ = (uint8_t)(number | 128);
    *to++ = (uint8_t)number;
    return to;
}

/* Only the shortest form of 64 bits is read; anything else sets `failed`. */
static inline uint64_t
read_varint(ByteReader *r)
{
    const uint8_t *at = r->at;
    size_t most = bytes_left(r) < VARINT_MAX ? bytes_left(r) : VARINT_MAX, size = 1;
    uint64_t number;

    if (most > 0 && at[0] < 128) {
        r->at++;
        return at[0];
    }
    number = most > 0 ? at[0] & 127 : 0;
    for (; size < most; size++) {
        number |= (uint64_t)(at[size] & 127) << 7 * size;
        if (at[size] < 128)
            break;
    }
    /* The last byte is there, not 0, and the tenth has but one bit of the number. */
    if (size >= most || at[size] == 0 || (size == VARINT_MAX - 1 && at[size] > 1)) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    r->at += size + 1;
    return number;
}

/* Small integers of either sign as small ones of none. */
static inline uint64_t
zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline int64_t
unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1 ^ -(number & 1));
}

/* ---- rank.c ---- */

static inline uint64_t
topk_upper(const TopkCounter *counter)
{
    return counter->count + counter->error;
}

extern int topk_compare_items(const TopkItem *a, const TopkItem *b);

/* The order of a list: by count. And the order in which counters are kept: by upper bound. */
extern bool topk_ranks_before(const TopkCounter *a, const TopkCounter *b);
extern void topk_sort_by_count(TopkCounter *counters, uint32_t count, const SketchMemory *memory);

/* Counters taken in the order in which they are kept: each moves to the end, the rest before it. */
extern void topk_heap_make(TopkCounter *counters, uint32_t count, const SketchMemory *memory);
extern TopkCounter *topk_heap_take(TopkCounter *heap, uint32_t count);

/* The number that `rank` of the values, 1 to count, are at least; rearranges the values. */
extern uint64_t topk_nth_largest(uint64_t *values, uint32_t count, uint32_t rank,
                                 const SketchMemory *memory);

/* ---- packed.c ---- */

extern TopkHeader topk_packed_header(const uint8_t *data);

/* Checks everything except that no item comes twice. */
extern bool topk_read_packed(Topk *topk, SketchBytes value, const SketchMemory *memory,
                             SketchError *error);

/* Whether a packed value may have all these counters. */
extern bool topk_fits_packed(const Topk *topk);

/* Packs counters in any order, as many as k allows; rearranges them. */
extern SketchBytes topk_pack_counters(Topk *topk, const SketchMemory *memory);

/* ---- read.c ---- */

/* The counters of a working value in the order in which they lie. */
extern bool topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory);

/* ---- merge.c ---- */

extern SketchState topk_open(SketchBytes value, const SketchMemory *memory);
extern bool topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                       SketchError *error);

#endif
