/*
 * topk_internal.h - what the files of topk share. Each uses those above it only.
 *
 * header.c    the fields of any value
 * rank.c      orders of counters, and selection
 * grow.c      states with an index: sizes, growing, purging
 * index.c     states with an index: adding to their counters
 * list.c      states that are lists: the log, compacting it
 * working.c   adding; working.h describes the states
 * packed.c    the packed encoding, read and written
 * read.c      values of any encoding, opened for reading
 * merge.c     opening for changes, merging
 * decay.c     ageing
 * from_datasketches.c  frequent items of DataSketches
 * from_redis.c         top-k lists of Redis
 * topk.c      what it is, and what the glue calls
 */
#ifndef TOPK_INTERNAL_H
#define TOPK_INTERNAL_H

#include "core/common/varint.h"
#include "topk.h"

/* Steps of a few nanoseconds that reading, comparing or copying an item takes, for sketch_poll. */
static inline size_t
topk_item_steps(const TopkItem *item)
{
    return 8 + (item->type == TOPK_TEXT ? item->size / 16 : 0);
}

/* ---- how much is kept ---- */

/* Returns the maximum number of counters of a working sketch: 3 * 2^j up to k = 768. */
static inline uint32_t
topk_counters_max(uint32_t k)
{
    uint32_t counters = 1536;

    while (counters < 24576 && counters < (uint64_t)k * 240)
        counters *= 2;
    return counters > k * 32 ? counters : k * 32;
}

/*
 * Returns the space for the counters of a packed sketch that has more than 2 k of them: 80 k bytes
 * (at least 1000) less the header and the length word.
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

/* ---- items ---- */

static inline bool
topk_check_length(TopkItem item, SketchError *error)
{
    if (item.type == TOPK_TEXT && item.size > TOPK_ITEM_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "An item is too long (bytes)", item.size, 0,
                                   TOPK_ITEM_MAX);
    return true;
}

static inline size_t
topk_item_bytes(const TopkItem *item)
{
    return item->type == TOPK_BIGINT ? varint_bytes(zigzag(item->number))
                                     : varint_bytes(item->size) + item->size;
}

static inline uint8_t *
topk_write_item(uint8_t *to, const TopkItem *item)
{
    if (item->type == TOPK_BIGINT)
        return write_varint(to, zigzag(item->number));
    to = write_varint(to, item->size);
    memcpy(to, item->bytes, item->size);
    return to + item->size;
}

/*
 * Reads an item into *to; sets r->failed if the bytes are not an item. (Returning the item would
 * make it from narrow stores and copy it with wide loads, which stall on these.)
 */
static inline void
topk_read_item(ByteReader *r, TopkType type, TopkItem *to)
{
    uint64_t number = read_varint(r);

    to->type = type;
    to->size = 0;
    if (type == TOPK_BIGINT) {
        to->number = unzigzag(number);
        return;
    }
    if (number > TOPK_ITEM_MAX) {
        r->failed = true;
        number = 0;
    }
    to->size = (uint32_t)number;
    to->bytes = read_span(r, (size_t)number);
}

/* ---- rank.c ---- */

static inline uint64_t
topk_upper(const TopkCounter *counter)
{
    return counter->count + counter->error;
}

extern int topk_compare_items(const TopkItem *a, const TopkItem *b);

/* Returns true if `a` comes first in the order of Topk. */
extern bool topk_ranks_before(const TopkCounter *a, const TopkCounter *b);
extern void topk_sort_by_count(TopkCounter *counters, uint32_t count, const SketchMemory *memory);

/* Moves the `most` counters with the highest upper bounds to the front, sorted by these. */
extern void topk_keep_best(TopkCounter *counters, uint32_t count, uint32_t most,
                           const SketchMemory *memory);

/* Returns the rank-th largest of the values, for a rank of 1 to count; rearranges the values. */
extern uint64_t topk_nth_largest(uint64_t *values, uint32_t count, uint32_t rank,
                                 const SketchMemory *memory);

/* ---- header.c ---- */

/* Read and write the header of a packed value. */
extern TopkHeader topk_read_header(const uint8_t *data);
extern void topk_write_header(uint8_t *data, const TopkHeader *header);

/* ---- packed.c ---- */

/* Reads a packed value; checks everything but that no item occurs twice. */
extern bool topk_read_packed(Topk *topk, SketchBytes value, const SketchMemory *memory,
                             SketchError *error);

/* Returns true if a packed value may have all these counters. */
extern bool topk_fits_packed(const Topk *topk);

/* Packs as many counters as k allows; they come in any order and are rearranged. */
extern SketchBytes topk_pack_counters(Topk *topk, const SketchMemory *memory);

/* ---- read.c ---- */

/* Reads the counters of a state, in the order in which they are stored; fails if it is damaged. */
extern bool topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory);

/* ---- merge.c ---- */

extern SketchState topk_open(SketchBytes value, const SketchMemory *memory);
extern bool topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                       SketchError *error);

#endif
