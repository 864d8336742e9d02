/*
 * query.c - what a Count-Min sketch knows of an item, and of two sketches together.
 */
#include "cms_internal.h"

/* An exception, of which there are few, by bisection. A damaged value has none that is sought. */
static uint64_t
exception_of(SketchBytes table, CmsShape shape, size_t cell)
{
    const uint8_t *exceptions = table.data + CMS_HEADER + cms_cells(shape) * (size_t)table.data[3];
    uint32_t low = 0, end = load_le32(table.data + 20);

    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        const uint8_t *at = exceptions + (size_t)middle * CMS_EXCEPTION_BYTES;

        if (load_le32(at) == cell)
            return load_le64(at + 4);
        if (load_le32(at) < cell)
            low = middle + 1;
        else
            end = middle;
    }
    return cms_marker(table.data[3]);
}

uint64_t
cms_cell(SketchBytes table, CmsShape shape, size_t cell)
{
    unsigned bytes = table.data[3];
    uint64_t count;

    if (table.data[2] == CMS_WORKING_TABLE32)
        return cms_cells32(table.data)[cell];
    if (table.data[2] == CMS_WORKING_TABLE64)
        return cms_cells64(table.data)[cell];
    count = cms_load(table.data + CMS_HEADER + cell * bytes, bytes);
    return count == cms_marker(bytes) ? exception_of(table, shape, cell) : count;
}

static uint64_t
query_table(SketchBytes table, uint64_t item)
{
    CmsShape shape = cms_shape(table);
    CmsHash hash = cms_hash(item);
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < shape.depth; row++) {
        uint64_t cell = cms_cell(table, shape, cms_next_cell(&hash, shape, row));

        least = cell < least ? cell : least;
    }
    return least;
}

static uint64_t
query_list(SketchBytes list, uint64_t hash)
{
    uint32_t low = 0, end = load_le32(list.data + 20), count = end;
    const uint8_t *hashes = list.data + CMS_HEADER;

    while (low < end) {
        uint32_t middle = low + (end - low) / 2;

        if (load_le64(hashes + (size_t)middle * 8) < hash)
            low = middle + 1;
        else
            end = middle;
    }
    if (low == count || load_le64(hashes + (size_t)low * 8) != hash)
        return 0;
    return cms_load(hashes + (size_t)count * 8 + (size_t)low * list.data[3], list.data[3]);
}

/* Entries that were appended may have the item once more. */
static uint64_t
query_entries(SketchBytes list, uint64_t hash)
{
    const CmsEntry *entries = cms_entries(list.data);
    uint64_t count = 0;

    for (uint32_t i = 0; i < *cms_count_at(list.data); i++)
        count += entries[i].hash == hash ? entries[i].count : 0;
    return count;
}

/* Whether a packed value is as long as its header says; storage may have damaged it. */
static bool
packed_is_sound(SketchBytes value)
{
    CmsShape shape = cms_shape(value);
    unsigned bytes = value.data[3];
    size_t count = load_le32(value.data + 20);

    if (shape.depth < 1 || shape.depth > CMS_DEPTH_MAX || shape.width < 1 ||
        shape.width > CMS_CELLS_MAX / shape.depth || bytes < 1 || bytes > 8)
        return false;
    return value.size == CMS_HEADER + (value.data[2] == CMS_LIST ? count * (8 + bytes)
                                                                 : cms_cells(shape) * bytes +
                                                                       count * CMS_EXCEPTION_BYTES);
}

uint64_t
cms_query(SketchBytes value, uint64_t hash)
{
    if (sketch_is_working(value.data)) {
        if (!cms_working_is_sound(value))
            return 0;
        return value.data[2] == CMS_WORKING_LIST ? query_entries(value, hash)
                                                 : query_table(value, hash);
    }
    if (!packed_is_sound(value))
        return 0;
    return value.data[2] == CMS_LIST ? query_list(value, hash) : query_table(value, hash);
}

uint64_t
cms_error(SketchBytes value)
{
    uint64_t width = cms_shape(value).width, total = cms_total(value);

    if (cms_is_exact(value) || width == 0)
        return 0;
    return (uint64_t)(((unsigned __int128)total * 2 + width - 1) / width);
}

/* ---- inner products ---- */

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
            packed[i] = cms_ops.pack(packed[i], memory);
        if (packed[i].data == NULL || !packed_is_sound(packed[i]))
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
