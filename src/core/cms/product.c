/*
 * product.c - what two Count-Min sketches know together: the inner product of their counts.
 */
#include "cms_internal.h"

/* Sums that end at UINT64_MAX, which is as good as any number beyond 2^63 - 1. */
static uint64_t
add_product(uint64_t sum, uint64_t a, uint64_t b)
{
    uint64_t product;

    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(sum, product, &sum))
        return UINT64_MAX;
    return sum;
}

/* The sum over the items of a list, times what the other sketch estimates of each. */
static uint64_t
product_of_list(SketchBytes list, SketchBytes other, const SketchMemory *memory)
{
    uint32_t count = load_le32(list.data + 20);
    const uint8_t *hashes = list.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    uint64_t sum = 0;
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        sum = add_product(sum, cms_load(counts + (size_t)i * list.data[3], list.data[3]),
                          cms_query(other, load_le64(hashes + (size_t)i * 8)));
        sketch_poll(memory, &steps, cms_shape(other).depth);
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
    CmsShape shape = cms_shape(a), other = cms_shape(b);
    SketchBytes packed[2] = {a, b};
    uint64_t answer;

    if (!cms_same_shape(shape, other))
        return cms_refuse_shape(shape, other, error);
    for (int i = 0; i < 2; i++) {
        if (sketch_is_working(packed[i].data))
            packed[i] = cms_pack(packed[i], memory);
        if (packed[i].data == NULL || !cms_packed_is_sound(packed[i]))
            return sketch_refuse_damaged(error);
    }
    if (cms_is_exact(packed[0]))
        answer = product_of_list(packed[0], packed[1], memory);
    else if (cms_is_exact(packed[1]))
        answer = product_of_list(packed[1], packed[0], memory);
    else
        answer = product_of_tables(packed[0], packed[1], memory);
    if (packed[0].data != a.data)
        memory->release_value((uint8_t *)packed[0].data, memory->context);
    if (packed[1].data != b.data)
        memory->release_value((uint8_t *)packed[1].data, memory->context);
    if (answer > INT64_MAX)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The product is beyond 2^63 - 1");
    *product = answer;
    return true;
}
