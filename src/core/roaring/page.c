/*
 * page.c - a container as 65536 bits in memory.
 */
#include "core/common/popcount.h"
#include "roaring_internal.h"

void
page_change_range(uint64_t *page, uint32_t first, uint32_t last, PageChange change)
{
    for (uint32_t word = first >> 6; word <= last >> 6; word++) {
        uint64_t mask = UINT64_MAX;

        if (word == first >> 6)
            mask &= UINT64_MAX << (first & 63);
        if (word == last >> 6)
            mask &= UINT64_MAX >> (63 - (last & 63));
        if (change == PAGE_SET)
            page[word] |= mask;
        else
            page[word] ^= mask;
    }
}

/* Four values of one load: the loop is bound by its instructions. */
static void
change_array(uint64_t *page, const RoaringContainer *container, PageChange change)
{
    const uint8_t *lows = container->data;
    uint32_t i = 0;

    for (; i + 4 <= container->count; i += 4) {
        uint64_t four = load_le64(lows + (size_t)i * 2);

        page_change_value(page, four & 0xffff, change);
        page_change_value(page, four >> 16 & 0xffff, change);
        page_change_value(page, four >> 32 & 0xffff, change);
        page_change_value(page, four >> 48, change);
    }
    for (; i < container->count; i++)
        page_change_value(page, load_le16(lows + (size_t)i * 2), change);
}

void
page_change(uint64_t *page, const RoaringContainer *container, PageChange change)
{
    switch (container->form) {
    case ROARING_BITSET:
        for (unsigned i = 0; i < PAGE_WORDS; i++) {
            uint64_t word = load_le64(container->data + i * sizeof word);

            page[i] = change == PAGE_SET ? page[i] | word : page[i] ^ word;
        }
        break;
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            uint32_t first = load_le16(container->data + (size_t)i * 4);
            uint32_t last = first + load_le16(container->data + (size_t)i * 4 + 2);

            page_change_range(page, first, last < 65535 ? last : 65535, change);
        }
        break;
    case ROARING_ARRAY:
        if (change == PAGE_SET)
            change_array(page, container, PAGE_SET);
        else
            change_array(page, container, PAGE_FLIP);
        break;
    default:
        for (uint32_t i = 0; i < container->count; i++)
            page_change_value(page, container_low(container, i), change);
    }
}

uint32_t
page_cardinality(const uint64_t *page)
{
    return (uint32_t)popcount_bytes((const uint8_t *)page, PAGE_WORDS * sizeof *page);
}
