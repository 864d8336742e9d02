/*
 * product.c - the inner product of the counts in two Count-Min sketches.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

/* Returns sum + a * b, or UINT64_MAX on overflow; the caller refuses all above 2^63 - 1. */
static uint64_t
add_product(uint64_t sum, uint64_t a, uint64_t b)
{
    uint64_t product;

    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum))
        return UINT64_MAX;
    return sum;
}

/* Returns the sum, over the items of a list, of their count times the other sketch's estimate. */
static uint64_t
product_of_list(const CmsPacked *list, SketchBytes other, const SketchMemory *memory)
{
    uint64_t sum = 0;

    POLLED_FOR (i, 0, list->count, list->shape.depth, memory) {
        CmsEntry entry = cms_packed_entry(list, i);

        sum = add_product(sum, entry.count, cms_query(other, entry.hash));
    }
    return sum;
}

static uint64_t
product_of_tables(SketchBytes a, SketchBytes b, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(a), others = cms_cells_of(b);
    uint64_t block[CMS_BLOCK], other[CMS_BLOCK], sum = 0, least = UINT64_MAX;
    size_t row_end = cells.shape.width, at = 0, steps = 0, count;

    while ((count = cms_next_cells(&cells, block)) > 0) {
        cms_next_cells(&others, other);
        for (size_t i = 0; i < count; i++) {
            sum = add_product(sum, block[i], other[i]);
            if (++at == row_end) {
                least = sum < least ? sum : least;
                row_end += cells.shape.width;
                sum = 0;
            }
        }
        sketch_poll(memory, &steps, count);
    }
    return least;
}

bool
cms_inner_product(SketchBytes a, SketchBytes b, const SketchMemory *memory, uint64_t *product,
                  SketchError *error)
{
    SketchBytes packed[2] = {a, b};
    CmsPacked read[2];
    uint64_t answer = 0;
    bool good = true;

    for (int i = 0; i < 2; i++) {
        if (sketch_is_working(packed[i].data))
            packed[i] = cms_pack(packed[i], memory);
        if (packed[i].data == NULL || !cms_read_packed(packed[i], &read[i]))
            good = sketch_refuse_damaged(error);
    }
    good = good && cms_check_shape(read[0].shape, read[1].shape, error);
    if (good && read[0].encoding == CMS_LIST)
        answer = product_of_list(&read[0], packed[1], memory);
    else if (good && read[1].encoding == CMS_LIST)
        answer = product_of_list(&read[1], packed[0], memory);
    else if (good)
        answer = product_of_tables(packed[0], packed[1], memory);
    for (int i = 0; i < 2; i++)
        if (packed[i].data && sketch_is_working((i == 0 ? a : b).data))
            memory->release_value((uint8_t *)packed[i].data, memory->context);
    if (good && answer > INT64_MAX)
        good = sketch_refuse(error, SKETCH_OVERFLOW, "The product would exceed 2^63-1");
    *product = answer;
    return good;
}
