/*
 * packed.c - packing Count-Min sketches, and checking packed ones. Their bytes: cms.c.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

/* ---- writing ---- */

static void
store(uint8_t *at, unsigned bytes, uint64_t number)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(number >> 8 * i);
}

static unsigned
bytes_for(uint64_t number)
{
    return number <= UINT8_MAX ? 1 : number <= UINT16_MAX ? 2 : number <= UINT32_MAX ? 4 : 8;
}

/* Packs a list of items whose counts add up to `total`. */
static SketchBytes
pack_entries(const CmsItems *items, CmsShape shape, uint64_t total, const SketchMemory *memory)
{
    CmsPacked list = {.shape = shape, .encoding = CMS_LIST, .count = items->count, .total = total};
    uint64_t most = 0;
    uint8_t *hashes, *counts;
    SketchBytes packed;

    for (uint32_t i = 0; i < items->count; i++)
        most = items->entries[i].count > most ? items->entries[i].count : most;
    list.bytes = bytes_for(most);
    packed = cms_new_packed(&list, memory);
    hashes = (uint8_t *)list.body;
    counts = (uint8_t *)list.rest;
    for (uint32_t i = 0; i < items->count; i++) {
        store_le64(hashes + i * sizeof(uint64_t), items->entries[i].hash);
        store(counts + (size_t)i * list.bytes, list.bytes, items->entries[i].count);
    }
    return packed;
}

/*
 * Returns the cell width that takes the least space, and sets *exceptions to the number of cells
 * that do not fit. Returns 0 for a damaged table: a row adds up to more than the total.
 */
static unsigned
best_width(SketchBytes table, uint64_t total, uint32_t *exceptions, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(table);
    uint64_t block[CMS_BLOCK], left = total;
    size_t row_end = cells.shape.width, at = 0, above[9] = {0}, least = SIZE_MAX, steps = 0, count;
    unsigned best = 8;

    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++, at++) {
            if (at == row_end) {
                row_end += cells.shape.width;
                left = total;
            }
            if (block[i] > left)
                return 0;
            left -= block[i];
            above[1] += block[i] >= cms_marker(1);
            above[2] += block[i] >= cms_marker(2);
            above[4] += block[i] >= cms_marker(4);
        }
        sketch_poll(memory, &steps, count);
    }
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        size_t taken = at * bytes + above[bytes] * CMS_EXCEPTION_BYTES;

        if (taken < least) {
            least = taken;
            best = bytes;
        }
    }
    *exceptions = (uint32_t)above[best];
    return best;
}

/* Packs a table without pending hashes; returns no data for a damaged one. */
static SketchBytes
pack_table(SketchBytes value, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(value);
    CmsPacked table = {.shape = cells.shape, .encoding = CMS_TABLE, .total = cms_total(value)};
    uint64_t block[CMS_BLOCK];
    SketchBytes packed;
    uint8_t *at, *exception;
    size_t steps = 0, count;

    table.bytes = best_width(value, table.total, &table.count, memory);
    if (table.bytes == 0)
        return (SketchBytes){NULL, 0};
    packed = cms_new_packed(&table, memory);
    at = (uint8_t *)table.body;
    exception = (uint8_t *)table.rest;
    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++, at += table.bytes) {
            uint64_t cell = block[i];

            if (cell >= cms_marker(table.bytes)) {
                store_le32(exception, (uint32_t)(cells.at - count + i));
                store_le64(exception + 4, cell);
                exception += CMS_EXCEPTION_BYTES;
                cell = cms_marker(table.bytes);
            }
            store(at, table.bytes, cell);
        }
        sketch_poll(memory, &steps, count);
    }
    return packed;
}

static SketchBytes
pack_list(const CmsState *list, const SketchMemory *memory)
{
    CmsShape shape = cms_state_shape(list);
    CmsItems items = cms_read_items(list, memory);
    SketchBytes packed;
    SketchState table;

    if (items.count > cms_list_limit(shape)) {
        table = cms_table_of(shape, list->total, &items, memory);
        packed = pack_table(sketch_bytes(table), memory);
        memory->release_value(table.data, memory->context);
    } else {
        packed = pack_entries(&items, shape, list->total, memory);
    }
    memory->release(items.entries, memory->context);
    return packed;
}

SketchBytes
cms_pack(SketchBytes value, const SketchMemory *memory)
{
    StateWriter copy = {.memory = memory};
    SketchBytes packed;

    if (!sketch_is_working(value.data)) {
        packed = (SketchBytes){memory->value(value.size, memory->context), value.size};
        polled_copy((uint8_t *)packed.data, value.data, value.size, memory);
        return packed;
    }
    if (!state_fits(value, sizeof(CmsState)))
        return (SketchBytes){NULL, 0};
    if (cms_state(value.data)->header.encoding == CMS_WORKING_LIST)
        return pack_list(cms_state(value.data), memory);
    if (cms_state(value.data)->waiting == 0)
        return pack_table(value, memory);
    copy.state = cms_open(value, memory);
    cms_add_waiting(&copy);
    packed = pack_table(sketch_bytes(copy.state), memory);
    memory->release_value(copy.state.data, memory->context);
    return packed;
}

/* ---- checking ---- */

bool
cms_check_list(SketchBytes input, SketchError *error)
{
    CmsPacked list = cms_read_header(input.data);
    uint64_t most = 0, sum = 0;

    if (list.count > cms_list_limit(list.shape))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More items than a list may have",
                                   list.count, 0, cms_list_limit(list.shape));
    if (!cms_read_packed(input, &list))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The length does not match the number of items");
    for (uint32_t i = 0; i < list.count; i++) {
        CmsEntry entry = cms_packed_entry(&list, i);

        if (i > 0 && entry.hash <= cms_packed_entry(&list, i - 1).hash)
            return sketch_refuse(error, SKETCH_MALFORMED, "Hashes are not in ascending order");
        if (entry.count < 1 || entry.count > list.total - sum)
            return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
        sum += entry.count;
        most = entry.count > most ? entry.count : most;
    }
    if (sum != list.total)
        return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
    if (list.bytes != bytes_for(most))
        return sketch_refuse(error, SKETCH_MALFORMED, "Counts are wider than necessary");
    return true;
}

bool
cms_check_table(SketchBytes input, const SketchMemory *memory, SketchError *error)
{
    CmsPacked table = cms_read_header(input.data);
    size_t cells = cms_cells(table.shape), row_end = 0;
    uint64_t marker = cms_marker(table.bytes), left = 0;
    uint32_t marked = 0;

    if (table.count > cells || !cms_read_packed(input, &table))
        return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the shape");
    if (table.total == 0 && table.shape.hash == SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MALFORMED, "A table with a total of 0");
    POLLED_FOR (i, 0, cells, 1, memory) {
        uint64_t cell = cms_load(table.body + i * table.bytes, table.bytes);

        if (cell == marker) {
            CmsException exception = {0, 0};

            if (marked < table.count)
                exception = cms_packed_exception(&table, marked);
            if (marked == table.count || exception.cell != i)
                return sketch_refuse(error, SKETCH_MALFORMED, "A cell is not among the exceptions");
            cell = exception.count;
            if (cell < marker)
                return sketch_refuse(error, SKETCH_MALFORMED, "An exception that fits its cell");
            marked++;
        }
        if (i == row_end) {
            row_end += table.shape.width;
            left = table.total;
        }
        if (cell > left)
            return sketch_refuse(error, SKETCH_MALFORMED, "A row adds up to more than the total");
        left -= cell;
    }
    return marked == table.count ||
           sketch_refuse(error, SKETCH_MALFORMED, "An exception without a full cell");
}
