/*
 * bitset.c - a container as 65536 bits in memory.
 */
#include "roaring_internal.h"

void
roaring_change_range(uint64_t *bitset, uint32_t first, uint32_t last, RoaringChange change)
{
    for (uint32_t word = first >> 6; word <= last >> 6; word++) {
        uint64_t mask = UINT64_MAX;

        if (word == first >> 6)
            mask &= UINT64_MAX << (first & 63);
        if (word == last >> 6)
            mask &= UINT64_MAX >> (63 - (last & 63));
        if (change == ROARING_SET)
            bitset[word] |= mask;
        else
            bitset[word] ^= mask;
    }
}

/* Four values of one load: the loop is bound by its instructions. */
static void
change_array(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    const uint8_t *lows = container->data;
    uint32_t i = 0;

    for (; i + 4 <= container->count; i += 4) {
        uint64_t four = load_le64(lows + (size_t)i * 2);

        roaring_change_value(bitset, four & 0xffff, change);
        roaring_change_value(bitset, four >> 16 & 0xffff, change);
        roaring_change_value(bitset, four >> 32 & 0xffff, change);
        roaring_change_value(bitset, four >> 48, change);
    }
    for (; i < container->count; i++)
        roaring_change_value(bitset, load_le16(lows + (size_t)i * 2), change);
}

void
roaring_change_bitset(uint64_t *bitset, const RoaringContainer *container, RoaringChange change)
{
    switch (container->form) {
    case ROARING_BITSET:
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
            uint64_t word = load_le64(container->data + i * sizeof word);

            bitset[i] = change == ROARING_SET ? bitset[i] | word : bitset[i] ^ word;
        }
        break;
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            uint32_t first = load_le16(container->data + (size_t)i * 4);
            uint32_t last = first + load_le16(container->data + (size_t)i * 4 + 2);

            roaring_change_range(bitset, first, last < 65535 ? last : 65535, change);
        }
        break;
    case ROARING_ARRAY:
        if (change == ROARING_SET)
            change_array(bitset, container, ROARING_SET);
        else
            change_array(bitset, container, ROARING_FLIP);
        break;
    default:
        for (uint32_t i = 0; i < container->count; i++)
            roaring_change_value(bitset, roaring_container_low(container, i), change);
    }
}

uint32_t
roaring_bitset_cardinality(const uint64_t *bitset)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(bitset[i]);
    return count;
}
