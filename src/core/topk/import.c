/*
 * import.c - what other systems know of frequent items.
 *
 * DataSketches' frequent items, little-endian:
 *
 *     0           1       2       3, 4  5      6, 7  8..11  12..15  16..23  24..31  32..
 *     words in    serial  family  log2  flags  0     n      0       total   offset  n counts of 8
 *     front: 1    1       10      of    1, 4:                                       bytes, n items
 *     or 4                        maps  empty
 *
 * An empty sketch is 8 bytes. An item is a bigint of 8 bytes, or a text: 4 bytes of length and its
 * bytes. An item occurred at least as often as its count and at most count + offset, an item that
 * is not there at most offset: our count, error and error bound. Each purge there takes its offset
 * from at least one counter for good, so counts and offset add up to no more than the total.
 *
 * Redis's Top-K has counts that were lowered at random: they bound nothing, so its items are only
 * listed. Its payload: k, width, depth, decay, the table of 8 bytes a cell, the heap of 24 bytes an
 * item (4 of a hash, 4 of a length, 8 of an address, 4 of the count, 4 of nothing), and k items,
 * each with a 0 behind it. An item of no bytes is a place that is free. Neither length nor address
 * is looked at.
 */
#include "working.h"

#include "core/common/redis_dump.h"

/* ---- DataSketches ---- */

#define DATASKETCHES_FAMILY 10
#define DATASKETCHES_EMPTY (1 | 4)
#define DATASKETCHES_HEADER 32

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
            return sketch_refuse(error, SKETCH_MALFORMED, "An item does not decode");
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
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes are left over");
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

    if (input.size < 8 || input.data[1] != 1 || input.data[2] != DATASKETCHES_FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not DataSketches' frequent items");
    if (input.data[5] & DATASKETCHES_EMPTY ? input.size != 8
                                           : input.data[0] != 4 || input.size < DATASKETCHES_HEADER)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as its first bytes say");
    if (input.size > 8) {
        count = load_le32(input.data + 8);
        topk.header.type = type;
        topk.header.total = load_le64(input.data + 16);
        topk.header.error_bound = load_le64(input.data + 24);
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

/* ---- Redis ---- */

#define REDIS_MODULE_ID UINT64_C(0x4e8a4af9360f1000)
#define REDIS_HEAP_BYTES 24
#define REDIS_COUNT_OFFSET 16

static bool
read_heap(ByteReader *fields, SketchBytes heap, TopkRedis *list, const SketchMemory *memory,
          SketchError *error)
{
    uint32_t k = (uint32_t)(heap.size / REDIS_HEAP_BYTES);
    size_t steps = 0;

    for (uint32_t i = 0; i < k; i++) {
        TopkRedisItem *item = &list->items[list->count];

        if (!redis_dump_string_field(fields, memory, &item->bytes))
            return sketch_refuse(error, SKETCH_MALFORMED, "An item does not decode");
        list->count++;
        if (item->bytes.size == 0 || item->bytes.data[item->bytes.size - 1] != 0)
            return sketch_refuse(error, SKETCH_MALFORMED, "An item without a 0 behind it");
        item->count = load_le32(heap.data + (size_t)i * REDIS_HEAP_BYTES + REDIS_COUNT_OFFSET);
        if (--item->bytes.size == 0) {
            memory->release((void *)item->bytes.data, memory->context);
            list->count--;
        }
        sketch_poll(memory, &steps, 64);
    }
    return redis_dump_end(fields) ||
           sketch_refuse(error, SKETCH_MALFORMED, "Extra bytes in the DUMP payload");
}

#define SORT_NAME sort_redis
#define SORT_ELEMENT TopkRedisItem
#define SORT_BEFORE(a, b) ((a)->count > (b)->count)
#include "core/common/sort_template.h"

/* Sorts as TOPK.LIST lists them: the highest counts first. */
static void
sort_items(TopkRedis *list, const SketchMemory *memory)
{
    TopkRedisItem *other = memory->scratch(list->count * sizeof *other + 1, memory->context);

    sort_redis(list->items, list->count, other, memory);
    memory->release(other, memory->context);
}

void
topk_redis_close(TopkRedis *list, const SketchMemory *memory)
{
    for (uint32_t i = 0; i < list->count; i++)
        memory->release((void *)list->items[i].bytes.data, memory->context);
    memory->release(list->items, memory->context);
}

bool
topk_read_redis(SketchBytes payload, const SketchMemory *memory, TopkRedis *list,
                SketchError *error)
{
    SketchBytes cells, heap;
    int64_t k, width, depth;
    ByteReader fields;
    double decay;
    bool good;

    if (!redis_dump_module(payload, REDIS_MODULE_ID, &fields, memory, error))
        return false;
    k = redis_dump_signed(&fields);
    width = redis_dump_signed(&fields);
    depth = redis_dump_signed(&fields);
    decay = redis_dump_double(&fields);
    if (fields.failed || k < 1 || width < 1 || depth < 1 || !(decay > 0 && decay <= 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "k, width, depth or decay out of range");
    if (!redis_dump_string_field(&fields, memory, &cells))
        return sketch_refuse(error, SKETCH_MALFORMED, "The cells do not decode");
    memory->release((void *)cells.data, memory->context);
    if (cells.size % 8 > 0 || (uint64_t)width > cells.size / 8 ||
        (uint64_t)depth > cells.size / 8 || cells.size / 8 != (uint64_t)width * (uint64_t)depth)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as many cells as width and depth say");
    if (!redis_dump_string_field(&fields, memory, &heap))
        return sketch_refuse(error, SKETCH_MALFORMED, "The heap does not decode");
    if (heap.size % REDIS_HEAP_BYTES > 0 || heap.size / REDIS_HEAP_BYTES != (uint64_t)k ||
        (uint64_t)k > bytes_left(&fields)) {
        memory->release((void *)heap.data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as many items as k says");
    }
    *list = (TopkRedis){memory->scratch((size_t)k * sizeof *list->items, memory->context), 0};
    good = read_heap(&fields, heap, list, memory, error);
    memory->release((void *)heap.data, memory->context);
    if (good)
        sort_items(list, memory);
    else
        topk_redis_close(list, memory);
    return good;
}
