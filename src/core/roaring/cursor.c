/*
 * cursor.c - reading packed values: buckets and containers in order.
 *
 * A roaring is bucket 0 alone; a roaring64 has an index of its buckets. Each bucket is a portable
 * bitmap, which portable.c reads.
 */
#include "roaring_internal.h"

#define CURSOR_STEPS 32 /* what a container counts for when polling */

RoaringCursor
roaring_cursor(SketchBytes value, bool reverse, const SketchMemory *memory)
{
    RoaringCursor cursor = {.value = value,
                            .reverse = reverse,
                            .buckets = 1,
                            .bound = reverse ? UINT64_MAX : 0,
                            .memory = memory};

    if (value.data[0] == SKETCH_ROARING) {
        cursor.damaged = value.size < ROARING_HEADER;
    } else {
        cursor.damaged = value.size < ROARING64_HEADER ||
                         roaring_buckets(value) > (value.size - ROARING64_HEADER) / 8;
        if (!cursor.damaged)
            cursor.buckets = roaring_buckets(value);
    }
    return cursor;
}

bool
roaring_bucket_at(SketchBytes value, uint32_t i, RoaringBucket *bucket)
{
    const uint8_t *index = value.data + ROARING64_HEADER + (size_t)i * 8;
    size_t start = ROARING_HEADER, end = value.size;
    uint32_t high = 0;

    if (value.data[0] == SKETCH_ROARING64) {
        start =
            i > 0 ? load_le32(index - 4) : ROARING64_HEADER + (size_t)roaring_buckets(value) * 8;
        end = load_le32(index + 4);
        high = load_le32(index);
    }
    return start <= end && end <= value.size &&
           roaring_bucket_open(bucket, high, value.data + start, end - start);
}

static bool
next_bucket(RoaringCursor *cursor)
{
    uint32_t i = cursor->reverse ? cursor->buckets - 1 - cursor->begun : cursor->begun;

    if (cursor->damaged || cursor->begun >= cursor->buckets)
        return false;
    cursor->begun++;
    cursor->returned = 0;
    cursor->damaged = !roaring_bucket_at(cursor->value, i, &cursor->bucket);
    if (cursor->damaged)
        cursor->bucket.containers = 0;
    return !cursor->damaged;
}

/* What changes a state relies on it that no key comes twice. */
static bool
in_order(RoaringCursor *cursor, uint64_t key)
{
    bool good = cursor->reverse ? key < cursor->bound : key >= cursor->bound;

    cursor->bound = cursor->reverse ? key : key + 1;
    return good;
}

bool
roaring_next(RoaringCursor *cursor, RoaringContainer *container)
{
    uint32_t i;

    sketch_poll(cursor->memory, &cursor->steps, CURSOR_STEPS);
    while (cursor->returned >= cursor->bucket.containers)
        if (!next_bucket(cursor))
            return false;
    i = cursor->reverse ? cursor->bucket.containers - 1 - cursor->returned : cursor->returned;
    cursor->returned++;
    cursor->damaged = !roaring_bucket_container(&cursor->bucket, i, container) ||
                      !in_order(cursor, container->key);
    if (cursor->damaged)
        cursor->bucket.containers = 0;
    return !cursor->damaged;
}

void
roaring_unread(RoaringCursor *cursor, const RoaringContainer *container)
{
    cursor->returned--;
    cursor->bound = container->key;
}

size_t
roaring_expected(SketchBytes value)
{
    RoaringBucket bucket;

    if (value.data[0] == SKETCH_ROARING64)
        return value.size / ROARING_BITSET_BYTES;
    return roaring_bucket_at(value, 0, &bucket) ? bucket.containers : 0;
}
