/*
 * query.c - questions about packed sets: membership, ranks, positions.
 *
 * Answers come from the directory and one container; nothing is built. A rank is the sum of the
 * cardinalities in the directory.
 */
#include "roaring_internal.h"

/* Returns the place of a key; of no use if there is none. Ids in use have keys without gaps. */
static inline uint32_t
find_key(const RoaringBucket *bucket, uint32_t key)
{
    uint32_t guess = bucket->containers > 0 ? key - roaring_key(bucket->keys, 0) : 0;

    return guess < bucket->containers && roaring_key(bucket->keys, guess) == key
               ? guess
               : roaring_lower_bound(bucket->keys, bucket->containers, ROARING_KEY_BYTES, key);
}

bool
roaring_bucket_contains(const RoaringBucket *bucket, uint32_t wanted, bool *found)
{
    RoaringContainer container;
    uint32_t key = wanted >> 16;
    uint32_t i = find_key(bucket, key);

    *found = false;
    if (i == bucket->containers || roaring_key(bucket->keys, i) != key)
        return true;
    if (!roaring_bucket_container(bucket, i, &container))
        return false;
    *found = roaring_container_contains(&container, wanted & 0xffff);
    return true;
}

bool
roaring_contains(SketchBytes value, uint64_t wanted, bool *found)
{
    RoaringBucket bucket;

    return roaring_find_bucket(value, wanted >> 32, &bucket) &&
           roaring_bucket_contains(&bucket, (uint32_t)wanted, found);
}

bool
roaring_rank(SketchBytes value, uint64_t limit, const SketchMemory *memory, uint64_t *rank)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;

    *rank = 0;
    while (roaring_next(&cursor, &container) && container.key <= limit >> 16)
        *rank += container.key < limit >> 16 ? container.cardinality
                                             : roaring_container_rank(&container, limit & 0xffff);
    return !cursor.damaged;
}

bool
roaring_select(SketchBytes value, uint64_t rank, const SketchMemory *memory, uint64_t *selected)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;

    while (roaring_next(&cursor, &container)) {
        if (rank < container.cardinality) {
            *selected = container.key << 16 | roaring_container_select(&container, (uint32_t)rank);
            return true;
        }
        rank -= container.cardinality;
    }
    return false;
}

bool
roaring_next_value(SketchBytes value, uint64_t start, bool present, const SketchMemory *memory,
                   uint64_t *found)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;

    while (roaring_next(&cursor, &container)) {
        uint32_t low;

        if (container.key < start >> 16)
            continue;
        if (container.key > start >> 16) {
            if (!present)
                break;
            start = container.key << 16;
        }
        low = roaring_container_next(&container, start & 0xffff, present);
        if (low < 65536) {
            *found = container.key << 16 | low;
            return true;
        }
        if (container.key == roaring_value_max(value.data[0]) >> 16)
            return false;
        start = (container.key + 1) << 16;
    }
    *found = start;
    return !present && start <= roaring_value_max(value.data[0]);
}
