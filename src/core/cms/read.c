/*
 * read.c - what any value of cms tells, shape, total and cells; and the estimate of an item, which
 * packed values tell.
 */
#include <math.h>

#include "cms_internal.h"

/* ---- shapes ---- */

bool
cms_shape_of_size(int64_t width, int64_t depth, CmsShape *shape, SketchError *refused)
{
    if (depth < 1 || depth > CMS_DEPTH_MAX)
        return sketch_refuse_range(refused, SKETCH_OUT_OF_RANGE, "depth", depth, 1, CMS_DEPTH_MAX);
    if (width < 1 || width > CMS_CELLS_MAX / depth)
        return sketch_refuse_range(refused, SKETCH_OUT_OF_RANGE, "width", width, 1,
                                   CMS_CELLS_MAX / depth);
    *shape = (CmsShape){(uint32_t)width, (uint32_t)depth, SKETCH_HASH_XXH3};
    return true;
}

bool
cms_shape_of_error(double error, double probability, CmsShape *shape, SketchError *refused)
{
    double width = ceil(2 / error), depth = ceil(-log2(probability));

    if (!(width <= CMS_CELLS_MAX))
        width = CMS_CELLS_MAX + 1.0;
    if (!(depth <= CMS_DEPTH_MAX))
        depth = CMS_DEPTH_MAX + 1.0;
    return cms_shape_of_size((int64_t)width, (int64_t)depth, shape, refused);
}

CmsShape
cms_shape(SketchBytes value)
{
    if (sketch_is_working(value.data))
        return cms_working_shape(value.data);
    return (CmsShape){load_le32(value.data + 4), load_le16(value.data + 8), value.data[10]};
}

uint64_t
cms_total(SketchBytes value)
{
    uint64_t total;

    if (!sketch_is_working(value.data))
        return load_le64(value.data + 12);
    /* Copied: the header of a stored value may lie anywhere in a tuple. */
    memcpy(&total, value.data + 12, sizeof total);
    return total;
}

bool
cms_is_exact(SketchBytes value)
{
    return value.data[2] == CMS_LIST;
}

/* ---- sizes ---- */

static bool
shape_is_sound(CmsShape shape)
{
    return shape.depth >= 1 && shape.depth <= CMS_DEPTH_MAX && shape.width >= 1 &&
           shape.width <= CMS_CELLS_MAX / shape.depth && shape.hash <= SKETCH_HASH_REDIS;
}

size_t
cms_table_bytes(CmsShape shape, uint8_t encoding)
{
    return CMS_WORKING_BODY + cms_cells(shape) * (encoding == CMS_WORKING_TABLE32 ? 4 : 8);
}

bool
cms_working_is_sound(SketchBytes value)
{
    CmsShape shape;

    if (value.size < CMS_WORKING_HEADER)
        return false;
    shape = cms_shape(value);
    if (!shape_is_sound(shape) || cms_total(value) > INT64_MAX ||
        *cms_waiting_count_at(value.data) > cms_waiting_room(value.size) ||
        *cms_waiting_count_at(value.data) > cms_total(value))
        return false;
    if (value.data[2] == CMS_WORKING_LIST)
        return shape.hash == SKETCH_HASH_XXH3 &&
               *cms_log_used_at(value.data) <= cms_log_room(value.size);
    return (value.data[2] == CMS_WORKING_TABLE32 || value.data[2] == CMS_WORKING_TABLE64) &&
           value.size == cms_table_bytes(shape, value.data[2]);
}

bool
cms_packed_is_sound(SketchBytes value)
{
    CmsShape shape;
    unsigned bytes;
    size_t count;

    if (value.size < CMS_HEADER || value.data[2] > CMS_TABLE)
        return false;
    shape = cms_shape(value);
    bytes = value.data[3];
    count = load_le32(value.data + 20);
    if (!shape_is_sound(shape) || !(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8))
        return false;
    return value.size == CMS_HEADER + (value.data[2] == CMS_LIST ? count * (8 + bytes)
                                                                 : cms_cells(shape) * bytes +
                                                                       count * CMS_EXCEPTION_BYTES);
}

bool
cms_is_sound(SketchBytes value)
{
    return sketch_is_working(value.data) ? cms_working_is_sound(value) : cms_packed_is_sound(value);
}

/* ---- cells and items ---- */

/* Looks an exception up by bisection. In a damaged value it may be missing. */
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

CmsCells
cms_cells_of(SketchBytes table)
{
    return (CmsCells){.table = table, .shape = cms_shape(table)};
}

/* Cells of one width, which vectorizes when the width is known. */
static inline void
widen(uint64_t *block, const uint8_t *from, size_t count, unsigned bytes)
{
    for (size_t i = 0; i < count; i++)
        block[i] = cms_load(from + i * bytes, bytes);
}

static void
widen_packed(CmsCells *c, uint64_t *block, size_t count)
{
    const uint8_t *cells = c->table.data + CMS_HEADER;
    unsigned bytes = c->table.data[3];
    const uint8_t *exceptions = cells + cms_cells(c->shape) * bytes;
    uint32_t exceptions_count = load_le32(c->table.data + 20);

    cells += c->at * bytes;
    switch (bytes) {
    case 1:
        widen(block, cells, count, 1);
        break;
    case 2:
        widen(block, cells, count, 2);
        break;
    case 4:
        widen(block, cells, count, 4);
        break;
    default:
        widen(block, cells, count, 8);
    }
    for (; c->exception < exceptions_count; c->exception++) {
        const uint8_t *exception = exceptions + (size_t)c->exception * CMS_EXCEPTION_BYTES;
        size_t cell = load_le32(exception);

        if (cell >= c->at + count)
            break;
        if (cell >= c->at)
            block[cell - c->at] = load_le64(exception + 4);
    }
}

size_t
cms_next_cells(CmsCells *c, uint64_t block[CMS_BLOCK])
{
    size_t left = cms_cells(c->shape) - c->at;
    size_t count = left < CMS_BLOCK ? left : CMS_BLOCK;

    if (c->table.data[2] == CMS_WORKING_TABLE32)
        for (size_t i = 0; i < count; i++)
            block[i] = cms_cells32(c->table.data)[c->at + i];
    else if (c->table.data[2] == CMS_WORKING_TABLE64)
        memcpy(block, cms_cells64(c->table.data) + c->at, count * sizeof *block);
    else
        widen_packed(c, block, count);
    c->at += count;
    return count;
}

static uint64_t
query_table(SketchBytes table, uint64_t item)
{
    CmsShape shape = cms_shape(table);
    CmsHash hash = cms_hash(item);
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < shape.depth; row++) {
        uint64_t cell =
            cms_cell(table, shape, (size_t)row * shape.width + cms_next_column(&hash, shape.width));

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

uint64_t
cms_query(SketchBytes value, uint64_t hash)
{
    if (!sketch_is_packed(value.data) || !cms_packed_is_sound(value))
        return 0;
    if (value.data[2] == CMS_LIST)
        return query_list(value, hash);
    return query_table(value, hash);
}

uint64_t
cms_error(SketchBytes value)
{
    uint64_t width = cms_shape(value).width, total = cms_total(value);

    if (cms_is_exact(value) || width == 0)
        return 0;
    /* Twice a total is below 2^64. */
    return 2 * total / width + (2 * total % width > 0);
}
