/*
 * product.c - what two Count-Min sketches know together: the inner product of their counts.
 */
#include "cms_internal.h"

typedef unsigned __int128 Wide;

/* Of the items of a list with what the other sketch knows of them. */
static Wide
product_of_list(SketchBytes list, SketchBytes other)
{
    uint32_t count = load_le32(list.data + 20);
    const uint8_t *hashes = list.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    Wide sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += (Wide)cms_load(counts + (size_t)i * list.data[3], list.data[3]) *
               cms_query(other, load_le64(hashes + (size_t)i * 8));
    return sum;
}

static Wide
product_of_tables(SketchBytes a, SketchBytes b, CmsShape shape)
{
    Wide least = 0;

    for (uint32_t row = 0; row < shape.depth; row++) {
        Wide sum = 0;

        for (uint32_t i = 0; i < shape.width; i++) {
            size_t cell = (size_t)row * shape.width + i;

            sum += (Wide)cms_cell(a, shape, cell) * cms_cell(b, shape, cell);
        }
        least = row == 0 || sum < least ? sum : least;
    }
    return least;
}

bool
cms_inner_product(SketchBytes a, SketchBytes b, const SketchMemory *memory, uint64_t *product,
                  SketchError *error)
{
    CmsShape shape = cms_shape(a), other = cms_shape(b);
    SketchBytes packed[2] = {a, b};
    Wide wide;

    if (shape.width != other.width || shape.depth != other.depth)
        return cms_refuse_shape(shape, other, error);
    for (int i = 0; i < 2; i++) {
        if (sketch_is_working(packed[i].data))
            packed[i] = cms_pack(packed[i], memory);
        if (packed[i].data == NULL || !cms_packed_is_sound(packed[i]))
            return sketch_refuse_damaged(error);
    }
    if (cms_is_exact(packed[0]))
        wide = product_of_list(packed[0], packed[1]);
    else if (cms_is_exact(packed[1]))
        wide = product_of_list(packed[1], packed[0]);
    else
        wide = product_of_tables(packed[0], packed[1], shape);
    if (packed[0].data != a.data)
        memory->release_value((uint8_t *)packed[0].data, memory->context);
    if (packed[1].data != b.data)
        memory->release_value((uint8_t *)packed[1].data, memory->context);
    if (wide > INT64_MAX)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The product is beyond 2^63 - 1");
    *product = (uint64_t)wide;
    return true;
}
