/*
 * from_redis.c - lists the items in a payload of Redis's Top-K.
 *
 * Redis decays the counts of its Top-K at random, so they bound nothing, and its items can only be
 * listed. The payload: k, width, depth, decay; the table, 8 bytes per cell; the heap, 24 bytes per
 * item (hash 4, length 4, address 8, count 4, padding 4); and k items, each followed by a zero
 * byte. Encoding version 1 has the seed of the hash functions behind them. An item without bytes is
 * a free place, or in version 1 the empty item if it has a count. Length and address are ignored,
 * and so is the seed: nothing is looked up in the table.
 */
#include "topk.h"

#include "core/common/redis_dump.h"

#define REDIS_MODULE_ID UINT64_C(0x4e8a4af9360f1000) /* the low 10 bits are the version */
#define REDIS_VERSION_MAX 1
#define REDIS_HEAP_BYTES 24
#define REDIS_COUNT_OFFSET 16

static bool
read_heap(ByteReader *fields, unsigned version, SketchBytes heap, TopkRedis *list,
          const SketchMemory *memory, SketchError *error)
{
    uint32_t k = (uint32_t)(heap.size / REDIS_HEAP_BYTES);
    size_t steps = 0;

    for (uint32_t i = 0; i < k; i++) {
        TopkRedisItem *item = &list->items[list->count];

        if (!redis_dump_string_field(fields, memory, &item->bytes))
            return sketch_refuse(error, SKETCH_MALFORMED, "An item is truncated or corrupt");
        list->count++;
        if (item->bytes.size == 0 || item->bytes.data[item->bytes.size - 1] != 0)
            return sketch_refuse(error, SKETCH_MALFORMED,
                                 "An item is not terminated by a zero byte");
        item->count = load_le32(heap.data + (size_t)i * REDIS_HEAP_BYTES + REDIS_COUNT_OFFSET);
        if (--item->bytes.size == 0 && (version == 0 || item->count == 0)) {
            memory->release((void *)item->bytes.data, memory->context);
            list->count--;
        }
        sketch_poll(memory, &steps, 64);
    }
    if (version >= 1)
        redis_dump_signed(fields);
    return redis_dump_end(fields) ||
           sketch_refuse(error, SKETCH_MALFORMED, "Extra bytes in the DUMP payload");
}

#define SORT_NAME sort_redis
#define SORT_ELEMENT TopkRedisItem
#define SORT_BEFORE(a, b) ((a)->count > (b)->count)
#include "core/common/sort_merge.h"

/* Sorts as TOPK.LIST does: the highest counts first. */
static void
sort_items(TopkRedis *list, const SketchMemory *memory)
{
    TopkRedisItem *other = memory->scratch(list->count * sizeof64(*other) + 1, memory->context);

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
    unsigned version;
    double decay;
    bool good;

    if (!redis_dump_versions(payload, REDIS_MODULE_ID, REDIS_VERSION_MAX, &version, &fields, memory,
                             error))
        return false;
    k = redis_dump_signed(&fields);
    width = redis_dump_signed(&fields);
    depth = redis_dump_signed(&fields);
    decay = redis_dump_double(&fields);
    if (fields.failed || k < 1 || width < 1 || depth < 1 || !(decay > 0 && decay <= 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "k, width, depth or decay out of range");
    if (!redis_dump_string_field(&fields, memory, &cells))
        return sketch_refuse(error, SKETCH_MALFORMED, "The cells are truncated or corrupt");
    memory->release((void *)cells.data, memory->context);
    if (cells.size % 8 > 0 || (uint64_t)width > cells.size / 8 ||
        (uint64_t)depth > cells.size / 8 || cells.size / 8 != (uint64_t)width * (uint64_t)depth)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The number of cells does not match width and depth");
    if (!redis_dump_string_field(&fields, memory, &heap))
        return sketch_refuse(error, SKETCH_MALFORMED, "The heap is truncated or corrupt");
    if (heap.size % REDIS_HEAP_BYTES > 0 || heap.size / REDIS_HEAP_BYTES != (uint64_t)k ||
        (uint64_t)k > bytes_left(&fields)) {
        memory->release((void *)heap.data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "The number of items does not match k");
    }
    *list = (TopkRedis){memory->scratch((size_t)k * sizeof64(*list->items), memory->context), 0};
    good = read_heap(&fields, version, heap, list, memory, error);
    memory->release((void *)heap.data, memory->context);
    if (good)
        sort_items(list, memory);
    else
        topk_redis_close(list, memory);
    return good;
}
