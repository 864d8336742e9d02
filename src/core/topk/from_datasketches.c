/*
 * from_datasketches.c - DataSketches' frequent items to topk.
 *
 * The bytes, little-endian:
 *
 *     0           1       2       3, 4  5      6, 7  8..11  12..15  16..23  24..31  32..
 *     words in    serial  family  log2  flags  0     n      0       total   offset  n counts of 8
 *     front: 1    1       10      of    1, 4:                                       bytes, n items
 *     or 4                        maps  empty
 *
 * An empty sketch is 8 bytes. An item is a bigint of 8 bytes, or a text: 4 bytes of length, then
 * its bytes. An item occurred at least `count` and at most count + offset times, an item without a
 * counter at most `offset` times: these are topk's count, error and error bound. Each of their
 * purges takes its part of the offset from at least one counter for good, so the counts and the
 * offset add up to no more than the total.
 */
#include "working.h"

#define DATASKETCHES_FAMILY 10
#define DATASKETCHES_EMPTY (1 | 4)
#define DATASKETCHES_HEADER 32

enum { WORDS = 0, SERIAL = 1, FAMILY = 2, FLAGS = 5, COUNT = 8, TOTAL = 16, OFFSET = 24 };

static bool
read_item(ByteReader *r, TopkType type, TopkItem *item)
{
    const uint8_t *bytes = read_span(r, type == TOPK_BIGINT ? 8 : 4);

    if (!bytes)
        return false;
    if (type == TOPK_BIGINT) {
        *item = topk_number((int64_t)load_le64(bytes));
        return true;
    }
    *item = topk_text(NULL, load_le32(bytes));
    if (item->size > TOPK_ITEM_MAX)
        return false;
    item->bytes = read_span(r, item->size);
    return item->bytes != NULL;
}

static bool
read_frequent(SketchBytes input, TopkType type, uint32_t count, Topk *topk, TopkItems *items,
              const SketchMemory *memory, SketchError *error)
{
    TopkHeader *h = &topk->header;
    ByteReader counts = byte_reader(input.data + DATASKETCHES_HEADER, (size_t)count * 8);
    ByteReader r = byte_reader(counts.end, (size_t)(input.data + input.size - counts.end));
    uint64_t left = h->total - h->error_bound, bytes = 0;
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = load_le64(read_span(&counts, 8));
        TopkCounter *c;
        TopkItem item;

        if (!read_item(&r, type, &item))
            return sketch_refuse(error, SKETCH_MALFORMED, "An item is truncated or corrupt");
        if (number == 0 || number > left)
            return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
        c = topk_items_get(items, &item);
        if (c->count > 0)
            return sketch_refuse(error, SKETCH_MALFORMED, "An item has two counters");
        c->count = number;
        c->error = h->error_bound;
        left -= number;
        bytes += item.size;
        sketch_poll(memory, &steps, 8);
    }
    if (bytes_left(&r) > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "There are extra bytes at the end");
    if (bytes > TOPK_BYTES_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "More bytes of items than allowed");
    if (h->error_bound == 0 && left > 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
    topk->counters = items->counters;
    h->counters = items->count;
    return true;
}

bool
topk_from_datasketches(SketchBytes input, uint32_t k, TopkType type, const SketchMemory *memory,
                       SketchBytes *value, SketchError *error)
{
    Topk topk = {.header = {.k = k}};
    size_t least = type == TOPK_BIGINT ? 16 : 12;
    TopkItems items;
    uint32_t count = 0;
    bool good;

    if (input.size < 8 || input.data[SERIAL] != 1 || input.data[FAMILY] != DATASKETCHES_FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not DataSketches' frequent items");
    if (input.data[FLAGS] & DATASKETCHES_EMPTY
            ? input.size != 8
            : input.data[WORDS] != 4 || input.size < DATASKETCHES_HEADER)
        return sketch_refuse(error, SKETCH_MALFORMED, "The length differs from that in the header");
    if (input.size > 8) {
        count = load_le32(input.data + COUNT);
        topk.header.type = type;
        topk.header.total = load_le64(input.data + TOTAL);
        topk.header.error_bound = load_le64(input.data + OFFSET);
        if (topk.header.total < 1 || topk.header.total > TOPK_TOTAL_MAX ||
            topk.header.error_bound > topk.header.total)
            return sketch_refuse(error, SKETCH_MALFORMED, "The total or the error is out of range");
        if (count > (input.size - DATASKETCHES_HEADER) / least)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "More counters than bytes for them",
                                       count, 0,
                                       (int64_t)((input.size - DATASKETCHES_HEADER) / least));
    }
    items = topk_items(count, memory);
    topk.counters = items.counters;
    good = input.size == 8 || read_frequent(input, type, count, &topk, &items, memory, error);
    if (good)
        *value = topk_pack_counters(&topk, memory);
    topk_items_close(&items, memory);
    return good;
}
