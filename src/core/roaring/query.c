/*
 * query.c - questions about packed sets: membership, ranks, positions.
 *
 * Answers come from the directory and one container; nothing is built. Searches in arrays, runs and
 * keys are binary; a rank is the sum of the cardinalities in the directory.
 */
#include "core/common/popcount.h"
#include "roaring_internal.h"

uint32_t
roaring_decode(const RoaringContainer *container, uint16_t *lows)
{
    uint32_t n = 0;

    switch (container->form) {
    case ROARING_BITSET:
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
            for (uint64_t word = load_le64(container->data + i * 8); word != 0; word &= word - 1)
                lows[n++] = (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word));
        break;
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            uint32_t low = load_le16(container->data + (size_t)i * 4);
            uint32_t end = low + load_le16(container->data + (size_t)i * 4 + 2) + 1;

            for (; low < end && low < 65536 && n < 65536; low++)
                lows[n++] = (uint16_t)low;
        }
        break;
    default:
        for (; n < container->count; n++)
            lows[n] = (uint16_t)roaring_container_low(container, n);
    }
    return n;
}

/* ---- searching ---- */

/* The first of `count` u16 at steps of `step` bytes that is at least `wanted`; count if none is. */
static uint32_t
lower_bound(const uint8_t *at, uint32_t count, size_t step, uint32_t wanted)
{
    uint32_t low = 0;

    while (low < count) {
        uint32_t middle = low + (count - low) / 2;

        if (load_le16(at + middle * step) < wanted)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* The last run that begins at or before `low`, or -1. */
static int64_t
run_before(const RoaringContainer *container, uint32_t low)
{
    return (int64_t)lower_bound(container->data, container->count, 4, low + 1) - 1;
}

static uint32_t
run_first(const RoaringContainer *container, int64_t i)
{
    return load_le16(container->data + (size_t)i * 4);
}

static uint32_t
run_last(const RoaringContainer *container, int64_t i)
{
    return run_first(container, i) + load_le16(container->data + (size_t)i * 4 + 2);
}

bool
roaring_container_contains(const RoaringContainer *container, uint32_t low)
{
    if (container->form == ROARING_BITSET)
        return container->data[low >> 3] >> (low & 7) & 1;
    if (container->form == ROARING_RUNS) {
        int64_t i = run_before(container, low);

        return i >= 0 && low <= run_last(container, i);
    } else {
        uint32_t i = lower_bound(container->data, container->count, 2, low);

        return i < container->count && load_le16(container->data + (size_t)i * 2) == low;
    }
}

uint32_t
roaring_container_rank(const RoaringContainer *container, uint32_t low)
{
    uint32_t rank = 0;

    if (container->form == ROARING_BITSET) {
        rank = (uint32_t)popcount_bytes(container->data, (size_t)(low >> 6) * 8);
        return rank +
               (uint32_t)__builtin_popcountll(load_le64(container->data + (size_t)(low >> 6) * 8) &
                                              UINT64_MAX >> (63 - (low & 63)));
    }
    if (container->form == ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count && run_first(container, i) <= low; i++) {
            uint32_t last = run_last(container, i);

            rank += (last < low ? last : low) - run_first(container, i) + 1;
        }
        return rank;
    }
    return lower_bound(container->data, container->count, 2, low + 1);
}

uint32_t
roaring_container_select(const RoaringContainer *container, uint32_t rank)
{
    if (container->form == ROARING_BITSET) {
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
            uint64_t word = load_le64(container->data + i * 8);
            uint32_t here = (uint32_t)__builtin_popcountll(word);

            if (rank < here) {
                for (; rank > 0; rank--)
                    word &= word - 1;
                return i * 64 + (unsigned)__builtin_ctzll(word);
            }
            rank -= here;
        }
        return 65535;
    }
    if (container->form == ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count; i++) {
            uint32_t length = run_last(container, i) - run_first(container, i) + 1;

            if (rank < length)
                return run_first(container, i) + rank;
            rank -= length;
        }
        return 65535;
    }
    return load_le16(container->data + (size_t)rank * 2);
}

/* ---- whole sets ---- */

/* The bucket of a high half. */
static bool
find_bucket(SketchBytes value, uint64_t high, RoaringBucket *bucket)
{
    uint32_t low = 0, end;

    if (value.data[0] == SKETCH_ROARING)
        return high == 0 && value.size >= ROARING_HEADER && roaring_bucket_at(value, 0, bucket);
    if (value.size < ROARING64_HEADER ||
        roaring_buckets(value) > (value.size - ROARING64_HEADER) / 8)
        return false;
    end = roaring_buckets(value);
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;

        if (load_le32(value.data + ROARING64_HEADER + (size_t)middle * 8) < high)
            low = middle + 1;
        else
            end = middle;
    }
    return low < roaring_buckets(value) && roaring_bucket_at(value, low, bucket) &&
           bucket->high == high;
}

bool
roaring_bucket_contains(const RoaringBucket *bucket, uint32_t wanted)
{
    RoaringContainer container;
    uint32_t key = wanted >> 16;
    uint32_t i = lower_bound(bucket->keys, bucket->containers, 4, key);

    return i < bucket->containers && load_le16(bucket->keys + (size_t)i * 4) == key &&
           roaring_bucket_container(bucket, i, &container) &&
           roaring_container_contains(&container, wanted & 0xffff);
}

bool
roaring_contains(SketchBytes value, uint64_t wanted)
{
    RoaringBucket bucket;

    return find_bucket(value, wanted >> 32, &bucket) &&
           roaring_bucket_contains(&bucket, (uint32_t)wanted);
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

/* The least value of the container from `low` on that is in it, or is not; 65536 if none is. */
static uint32_t
container_next(const RoaringContainer *container, uint32_t low, bool present)
{
    if (present) {
        uint32_t below = low > 0 ? roaring_container_rank(container, low - 1) : 0;

        return below < container->cardinality ? roaring_container_select(container, below) : 65536;
    }
    while (low < 65536 && roaring_container_contains(container, low))
        low = container->form == ROARING_RUNS ? run_last(container, run_before(container, low)) + 1
                                              : low + 1;
    return low;
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
        low = container_next(&container, start & 0xffff, present);
        if (low < 65536) {
            *found = container.key << 16 | low;
            return true;
        }
        start = (container.key + 1) << 16;
    }
    *found = start;
    return !present && start <= roaring_value_max(value.data[0]);
}
