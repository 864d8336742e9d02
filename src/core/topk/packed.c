/*
 * packed.c - the packed encoding of topk, read and written. Its bytes: topk.c.
 */
#include "topk_internal.h"

/* ---- reading ---- */

static bool
check_header(const TopkHeader *h, SketchError *error)
{
    if (h->k < TOPK_K_MIN || h->k > TOPK_K_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "k out of range", h->k, TOPK_K_MIN,
                                   TOPK_K_MAX);
    if (h->type > TOPK_TEXT)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown type of items", h->type,
                                   TOPK_NONE, TOPK_TEXT);
    if (h->total > TOPK_TOTAL_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "The total is more than 2^63-1");
    if ((h->type == TOPK_NONE) != (h->total == 0))
        return sketch_refuse(error, SKETCH_MALFORMED, "Only one of type and total is 0");
    if (h->error_bound > h->total)
        return sketch_refuse(error, SKETCH_MALFORMED, "The error exceeds the total");
    return true;
}

/* Reads the counters and checks everything but that no item occurs twice. */
static bool
read_counters(Topk *topk, ByteReader *r, const SketchMemory *memory, SketchError *error)
{
    const TopkHeader *h = &topk->header;
    uint64_t left = h->total - h->error_bound;
    uint64_t bytes = 0;
    size_t steps = 0;

    for (uint32_t i = 0; i < h->counters; i++) {
        TopkCounter *c = &topk->counters[i];

        c->count = read_varint(r);
        c->error = read_varint(r);
        topk_read_item(r, h->type, &c->item);
        sketch_poll(memory, &steps, topk_item_steps(&c->item));
        if (r->failed)
            return sketch_refuse(error, SKETCH_MALFORMED, "A counter is truncated or corrupt");
        if (c->count == 0 || c->count > left || c->error > h->error_bound ||
            topk_upper(c) < h->error_bound)
            return sketch_refuse(error, SKETCH_MALFORMED, "A counter breaks the bounds");
        if (i > 0 && !topk_ranks_before(c - 1, c))
            return sketch_refuse(error, SKETCH_MALFORMED, "Counters are not in descending order");
        left -= c->count;
        bytes += c->item.size;
    }
    if (bytes > TOPK_BYTES_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "More bytes of items than allowed");
    if (h->error_bound == 0 && left > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "The counts do not add up to the total");
    if (bytes_left(r) > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "There are extra bytes at the end");
    return true;
}

#define COUNTER_BYTES_MIN 3

bool
topk_read_packed(Topk *topk, SketchBytes value, const SketchMemory *memory, SketchError *error)
{
    ByteReader r = byte_reader(value.data + TOPK_PACKED_HEADER, value.size - TOPK_PACKED_HEADER);

    topk->header = topk_read_header(value.data);
    if (!check_header(&topk->header, error))
        return false;
    if (topk->header.counters > bytes_left(&r) / COUNTER_BYTES_MIN)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More counters than bytes for them",
                                   topk->header.counters, 0,
                                   (int64_t)(bytes_left(&r) / COUNTER_BYTES_MIN));
    topk->counters =
        memory->scratch(topk->header.counters * sizeof64(TopkCounter) + 1, memory->context);
    if (read_counters(topk, &r, memory, error))
        return true;
    memory->release(topk->counters, memory->context);
    return false;
}

/* ---- packing ---- */

static size_t
counter_bytes(const TopkCounter *c)
{
    return varint_bytes(c->count) + varint_bytes(c->error) + topk_item_bytes(&c->item);
}

static size_t
all_bytes(const TopkCounter *counters, uint32_t count)
{
    size_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        bytes += counter_bytes(&counters[i]);
    return bytes;
}

bool
topk_fits_packed(const Topk *topk)
{
    size_t room = topk_packed_room(topk->header.k);

    if (topk->header.counters <= topk_packed_least(topk->header.k))
        return true;
    for (uint32_t i = 0; i < topk->header.counters; i++) {
        size_t bytes = counter_bytes(&topk->counters[i]);

        if (bytes > room)
            return false;
        room -= bytes;
    }
    return true;
}

/* Returns an upper bound of how many counters fit into `room`: if all were like the shortest. */
static uint32_t
most_that_fit(const Topk *topk, size_t room)
{
    TopkCounter shortest = {.item.type = topk->header.type};
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < topk->header.counters; i++) {
        const TopkItem *item = &topk->counters[i].item;
        uint64_t length = item->type == TOPK_BIGINT ? zigzag(item->number) : item->size;

        least = length < least ? length : least;
    }
    shortest.item.number = unzigzag(least);
    shortest.item.size = (uint32_t)least;
    return (uint32_t)(room / counter_bytes(&shortest));
}

/* Keeps as many counters as k allows, and raises the error bound to the first one dropped. */
static void
reduce(Topk *topk, const SketchMemory *memory)
{
    TopkHeader *h = &topk->header;
    size_t room = topk_packed_room(h->k), used = 0;
    uint32_t least = topk_packed_least(h->k), most, kept = 0;

    if (topk_fits_packed(topk))
        return;
    most = most_that_fit(topk, room);
    most = (most > least ? most : least) + 1; /* with the first one that is dropped */
    most = most < h->counters ? most : h->counters;
    topk_keep_best(topk->counters, h->counters, most, memory);
    h->counters = most;
    while (kept < h->counters) {
        used += counter_bytes(&topk->counters[kept]);
        if (kept >= least && used > room)
            break;
        kept++;
    }
    if (kept < h->counters && topk_upper(&topk->counters[kept]) > h->error_bound)
        h->error_bound = topk_upper(&topk->counters[kept]);
    h->counters = kept;
}

SketchBytes
topk_pack_counters(Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    SketchBytes packed;
    uint8_t *data, *to;
    size_t steps = 0;

    reduce(topk, memory);
    topk_sort_by_count(topk->counters, h->counters, memory);
    packed.size = TOPK_PACKED_HEADER + all_bytes(topk->counters, h->counters);
    packed.data = data = memory->value(packed.size, memory->context);
    topk_write_header(data, h);
    to = data + TOPK_PACKED_HEADER;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        to = topk_write_item(write_varint(write_varint(to, c->count), c->error), &c->item);
        sketch_poll(memory, &steps, topk_item_steps(&c->item));
    }
    return packed;
}
