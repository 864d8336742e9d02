/*
 * query.c - the cells of any table, and the estimate of an item in a packed value.
 */
#include "cms_internal.h"

/* ---- cells ---- */

CmsCells
cms_cells_of(SketchBytes table)
{
    CmsCells c = {.encoding = sketch_encoding(table.data)};

    if (sketch_is_working(table.data)) {
        c.shape = cms_state_shape(cms_state(table.data));
        c.cells = cms_state_body(cms_state(table.data));
    } else if (cms_read_packed(table, &c.packed))
        c.shape = c.packed.shape;
    return c;
}

/* Looks up an exception by binary search; in a damaged value it may be missing. */
static uint64_t
exception_of(const CmsPacked *table, size_t cell)
{
    uint32_t low = 0, end = table->count;

    while (low < end) {
        uint32_t middle = low + (end - low) / 2;
        CmsException exception = cms_packed_exception(table, middle);

        if (exception.cell == cell)
            return exception.count;
        if (exception.cell < cell)
            low = middle + 1;
        else
            end = middle;
    }
    return cms_marker(table->bytes);
}

static inline uint64_t
packed_cell(const CmsPacked *table, size_t cell)
{
    uint64_t count = cms_load(table->body + cell * table->bytes, table->bytes);

    return count == cms_marker(table->bytes) ? exception_of(table, cell) : count;
}

uint64_t
cms_cell(const CmsCells *c, size_t cell)
{
    if (c->encoding == CMS_WORKING_TABLE32)
        return ((const uint32_t *)c->cells)[cell];
    if (c->encoding == CMS_WORKING_TABLE64)
        return ((const uint64_t *)c->cells)[cell];
    return packed_cell(&c->packed, cell);
}

/* Widens cells of `bytes` bytes; vectorizes where that is a constant. */
static inline void
widen(uint64_t *block, const uint8_t *from, size_t count, unsigned bytes)
{
    for (size_t i = 0; i < count; i++)
        block[i] = cms_load(from + i * bytes, bytes);
}

static void
widen_packed(CmsCells *c, uint64_t *block, size_t count)
{
    const CmsPacked *table = &c->packed;
    const uint8_t *cells = table->body + c->at * table->bytes;

    switch (table->bytes) {
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
    for (; c->exception < table->count; c->exception++) {
        CmsException exception = cms_packed_exception(table, c->exception);

        if (exception.cell >= c->at + count)
            break;
        if (exception.cell >= c->at)
            block[exception.cell - c->at] = exception.count;
    }
}

size_t
cms_next_cells(CmsCells *c, uint64_t block[CMS_BLOCK])
{
    size_t left = cms_cells(c->shape) - c->at;
    size_t count = left < CMS_BLOCK ? left : CMS_BLOCK;

    if (c->encoding == CMS_WORKING_TABLE32)
        for (size_t i = 0; i < count; i++)
            block[i] = ((const uint32_t *)c->cells)[c->at + i];
    else if (c->encoding == CMS_WORKING_TABLE64)
        memcpy(block, (const uint64_t *)c->cells + c->at, count * sizeof *block);
    else
        widen_packed(c, block, count);
    c->at += count;
    return count;
}

/* ---- estimates ---- */

static uint64_t
query_table(const CmsPacked *table, uint64_t item)
{
    CmsHash hash = cms_hash(item);
    uint64_t least = UINT64_MAX;

    for (size_t row = 0, first = 0; row < table->shape.depth; row++, first += table->shape.width) {
        uint64_t cell = packed_cell(table, first + cms_next_column(&hash, table->shape.width));

        least = cell < least ? cell : least;
    }
    return least;
}

static uint64_t
query_list(const CmsPacked *list, uint64_t hash)
{
    uint32_t low = 0, end = list->count;

    while (low < end) {
        uint32_t middle = low + (end - low) / 2;

        if (load_le64(list->body + middle * sizeof hash) < hash)
            low = middle + 1;
        else
            end = middle;
    }
    if (low == list->count || cms_packed_entry(list, low).hash != hash)
        return 0;
    return cms_packed_entry(list, low).count;
}

uint64_t
cms_query(SketchBytes value, uint64_t hash)
{
    CmsPacked packed;

    if (!cms_read_packed(value, &packed))
        return 0;
    return packed.encoding == CMS_LIST ? query_list(&packed, hash) : query_table(&packed, hash);
}

uint64_t
cms_error(SketchBytes value)
{
    CmsPacked header = cms_read_header(value.data);

    if (header.encoding == CMS_LIST || header.shape.width == 0)
        return 0;
    /* Doubling a total does not overflow: it is at most 2^63 - 1. */
    return 2 * header.total / header.shape.width + (2 * header.total % header.shape.width > 0);
}
