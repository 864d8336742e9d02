/* cursor.c - reading packed values: their containers in order, bucket by bucket. */
#include "roaring_internal.h"

#define CURSOR_STEPS 32 /* what a container counts for when polling */

RoaringCursor
roaring_cursor(SketchBytes value, bool reverse, const SketchMemory *memory)
{
    bool damaged = roaring_first_bucket(value) == 0;

    return (RoaringCursor){.value = value,
                           .reverse = reverse,
                           .damaged = damaged,
                           .buckets = damaged ? 0 : roaring_buckets(value.data),
                           .bound = reverse ? UINT64_MAX : 0,
                           .memory = memory};
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

/* Checks that keys ascend: functions that change a state rely on unique keys. */
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
