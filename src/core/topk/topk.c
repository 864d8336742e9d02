/*
 * topk.c - heavy hitters: which items occur most often, and how often?
 *
 * A sketch has counters for some of the items, usually for a small part. A counter's count is how
 * often the item was seen since the counter was made; its error is how often, at most, it was seen
 * before. So
 *
 *     count <= truth <= count + error
 *
 * for every item with a counter. For every item without one, truth <= the error bound of the
 * sketch. The list is sorted by counts: heavy hitters come first once they exceed the error bound.
 *
 * The algorithm is Misra and Gries's, in the batched form of Anderson et al. When all counters of a
 * working sketch are taken, a purge raises the error bound to the median of the upper bounds,
 * count + error, and drops the counters that are not above it. An item that comes after that gets a
 * counter whose error is the error bound. Unlike in the paper, a counter keeps two numbers. That
 * costs 8 bytes, but makes the count exact for each item that has had a counter since its first
 * occurrence: the heavy hitters of a shuffled stream, which come before the first purge, and items
 * whose occurrences come together, however late. The paper's counter is the upper bound minus the
 * error bound. A purge lowers at least half of these by as much as it raises the error bound, so
 *
 *     error bound <= 2 * total / counters while building
 *
 * and much less where the heavy hitters take most of the total. The list shows the count, the lower
 * bound: for the items that matter the error is 0.
 *
 * There are two sizes. While building there are at least 240 counters for each of the k items, and
 * at least 1536 in all; but at most 24,576 up to k = 768, and 32 k beyond. A packed sketch keeps
 * the counters with the highest upper bounds that fit into 80 k bytes (at least 1000), or 2 k
 * counters where items are long; its error bound is the highest upper bound that was dropped. As
 * long as nothing was dropped, the error bound is 0 and everything is exact.
 *
 * Merging adds counts, errors and error bounds; an item with a counter on only one side gets the
 * other side's error bound added to its error. So the bounds hold through any tree of merges. Decay
 * multiplies everything and rounds the bounds outwards.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..7  8..15  16..23       24..27    28..
 *     kind   version  encoding  type  k     total  error bound  counters  counters
 *
 *     a counter: count, error, item. The item is a bigint in zigzag form (type 1), or the length
 *     and the bytes of a text (type 2). All these numbers are varints: groups of 7 bits, the lowest
 *     first, with the high bit set in all but the last byte.
 *
 * What topk_validate enforces:
 *   1. kind 8, version 1, encoding 0, type 0 to 2, k 1 to 100,000, total at most 2^63-1; type 0 if
 *      and only if the total is 0.
 *   2. counters in descending order of counts, then of errors, then ascending of items (numbers, or
 *      bytes); no item twice, none longer than 1 MB, all together at most 512 MB.
 *   3. count >= 1, error <= error bound <= count + error; the counts and the error bound add up to
 *      no more than the total, and to exactly the total when the error bound is 0.
 *   4. numbers in their shortest form; no extra bytes; no more counters than k allows.
 *
 * Accuracy at k = 100 on 10M rows, and times: see doc/bench. Left out: HeavyKeeper's random decay
 * (Redis), which has no bounds and depends on chance.
 *
 * References: J. Misra, D. Gries, Finding repeated elements, 1982. A. Metwally et al., Efficient
 * computation of frequent and top-k elements in data streams, 2005. P. Agarwal et al., Mergeable
 * summaries, 2012. D. Anderson et al., A high-performance algorithm for identifying frequent items
 * in data streams, 2017.
 */
#include "working.h"

static SketchBytes
topk_pack(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed;
    Topk topk;

    if (sketch_is_working(value.data) ? !topk_read_working(&topk, value, memory)
                                      : !topk_read(&topk, value, memory))
        return (SketchBytes){NULL, 0};
    packed = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return packed;
}

static bool
validate_counters(Topk *topk, const SketchMemory *memory, SketchError *error)
{
    TopkItems items;
    size_t steps = 0;
    bool good;

    if (!topk_fits_packed(topk))
        return sketch_refuse(error, SKETCH_MALFORMED, "More counters than k allows");
    items = topk_items(topk->header.counters, memory);
    for (uint32_t i = 0; i < topk->header.counters; i++) {
        topk_items_get(&items, &topk->counters[i].item);
        sketch_poll(memory, &steps, topk_item_steps(&topk->counters[i].item));
    }
    good = items.count == topk->header.counters;
    topk_items_close(&items, memory);
    return good || sketch_refuse(error, SKETCH_MALFORMED, "An item has two counters");
}

static bool
topk_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    Topk topk;
    bool good;

    if (!sketch_validate_common(input, &topk_ops, error))
        return false;
    if (!topk_read_packed(&topk, input, memory, error))
        return false;
    good = validate_counters(&topk, memory, error);
    if (good)
        *value = topk_pack_counters(&topk, memory);
    topk_close(&topk, memory);
    return good;
}

/* A sketch that has seen an item has a total. */
static bool
topk_is_empty(SketchBytes value)
{
    return (sketch_is_working(value.data) ? state_fits(value, sizeof(TopkList))
                                          : value.size >= TOPK_PACKED_HEADER) &&
           topk_header(value).total == 0;
}

const SketchOps topk_ops = {
    .name = "topk",
    .kind = SKETCH_TOPK,
    .version = TOPK_VERSION,
    .header_bytes = TOPK_PACKED_HEADER,
    .validate = topk_validate,
    .open = topk_open,
    .pack = topk_pack,
    .merge = topk_merge,
    .is_empty = topk_is_empty,
};
