/*
 * packed.c - the packed encodings of cms, written and checked. Their bytes: cms.c.
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

static SketchBytes
new_packed(uint8_t encoding, unsigned bytes, CmsShape shape, uint64_t total, uint32_t count,
           size_t body, const SketchMemory *memory)
{
    uint8_t *data = memory->value(CMS_HEADER + body, memory->context);

    data[0] = SKETCH_CMS;
    data[1] = CMS_VERSION;
    data[2] = encoding;
    data[3] = (uint8_t)bytes;
    store_le32(data + 4, shape.width);
    store_le16(data + 8, (uint16_t)shape.depth);
    store_le16(data + 10, (uint16_t)shape.hash);
    store_le64(data + 12, total);
    store_le32(data + 20, count);
    return (SketchBytes){data, CMS_HEADER + body};
}

static unsigned
bytes_for(uint64_t number)
{
    return number <= UINT8_MAX ? 1 : number <= UINT16_MAX ? 2 : number <= UINT32_MAX ? 4 : 8;
}

/* Entries in ascending order that add up to the total. */
static SketchBytes
pack_entries(const CmsEntry *entries, uint32_t count, CmsShape shape, uint64_t total,
             const SketchMemory *memory)
{
    uint64_t most = 0;
    SketchBytes packed;
    uint8_t *hashes, *counts;
    unsigned bytes;

    for (uint32_t i = 0; i < count; i++)
        most = entries[i].count > most ? entries[i].count : most;
    bytes = bytes_for(most);
    packed = new_packed(CMS_LIST, bytes, shape, total, count, (size_t)count * (8 + bytes), memory);
    hashes = (uint8_t *)packed.data + CMS_HEADER;
    counts = hashes + (size_t)count * 8;
    for (uint32_t i = 0; i < count; i++) {
        store_le64(hashes + (size_t)i * 8, entries[i].hash);
        store(counts + (size_t)i * bytes, bytes, entries[i].count);
    }
    return packed;
}

/*
 * The cell width that takes the least room; 0 for a table whose rows add up to more than the total.
 */
static unsigned
best_width(SketchBytes table, size_t exceptions[9], size_t *size, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(table);
    uint64_t block[CMS_BLOCK], total = cms_total(table), left = total;
    size_t row_end = cells.shape.width, at = 0, steps = 0, count;
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
            exceptions[1] += block[i] >= cms_marker(1);
            exceptions[2] += block[i] >= cms_marker(2);
            exceptions[4] += block[i] >= cms_marker(4);
        }
        sketch_poll(memory, &steps, count);
    }
    *size = SIZE_MAX;
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        size_t taken = at * bytes + exceptions[bytes] * CMS_EXCEPTION_BYTES;

        if (taken < *size) {
            *size = taken;
            best = bytes;
        }
    }
    return best;
}

/* Data is NULL for a damaged table. */
static SketchBytes
pack_table(SketchBytes table, CmsShape shape, const SketchMemory *memory)
{
    size_t exceptions[9] = {0}, size = 0, steps = 0, count;
    unsigned width = best_width(table, exceptions, &size, memory);
    CmsCells cells = cms_cells_of(table);
    uint64_t block[CMS_BLOCK];
    SketchBytes packed;
    uint8_t *at, *exception;

    if (width == 0)
        return (SketchBytes){NULL, 0};
    packed = new_packed(CMS_TABLE, width, shape, cms_total(table), (uint32_t)exceptions[width],
                        size, memory);
    at = (uint8_t *)packed.data + CMS_HEADER;
    exception = at + cms_cells(shape) * width;
    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++, at += width) {
            uint64_t cell = block[i];

            if (cell >= cms_marker(width)) {
                store_le32(exception, (uint32_t)(cells.at - count + i));
                store_le64(exception + 4, cell);
                exception += CMS_EXCEPTION_BYTES;
                cell = cms_marker(width);
            }
            store(at, width, cell);
        }
        sketch_poll(memory, &steps, count);
    }
    return packed;
}

/* Data is NULL for a damaged list. */
static SketchBytes
pack_list(SketchBytes list, CmsShape shape, const SketchMemory *memory)
{
    uint64_t total = *cms_total_at(list.data);
    SketchBytes packed = {NULL, 0};
    SketchState table;
    CmsItems items;

    if (!cms_read_items(list.data, &items, memory))
        return packed;
    if (items.sum != total) {
        memory->release(items.entries, memory->context);
        return packed;
    }
    if (items.count > cms_list_limit(shape)) {
        table = cms_table_of(shape, total, &items, memory);
        packed = pack_table(sketch_bytes(table), shape, memory);
        memory->release_value(table.data, memory->context);
    } else {
        packed = pack_entries(items.entries, items.count, shape, total, memory);
    }
    memory->release(items.entries, memory->context);
    return packed;
}

SketchBytes
cms_pack(SketchBytes value, const SketchMemory *memory)
{
    CmsShape shape;
    SketchBytes packed;
    CmsWriter copy = {.memory = memory};

    if (!sketch_is_working(value.data)) {
        packed = (SketchBytes){memory->value(value.size, memory->context), value.size};
        polled_copy((uint8_t *)packed.data, value.data, value.size, memory);
        return packed;
    }
    if (!cms_working_is_sound(value))
        return (SketchBytes){NULL, 0};
    shape = cms_shape(value);
    if (value.data[2] == CMS_WORKING_LIST)
        return pack_list(value, shape, memory);
    if (*cms_waiting_count_at(value.data) == 0)
        return pack_table(value, shape, memory);
    copy.state = cms_open(value, memory);
    cms_empty_waiting(&copy);
    packed = pack_table(sketch_bytes(copy.state), shape, memory);
    memory->release_value(copy.state.data, memory->context);
    return packed;
}

/* ---- checking ---- */

bool
cms_check_list(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total,
               SketchError *error)
{
    unsigned bytes = input.data[3];
    const uint8_t *hashes = input.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    uint64_t most = 0, sum = 0;

    if (count > cms_list_limit(shape))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More items than a list may have",
                                   count, 0, cms_list_limit(shape));
    if (!cms_packed_is_sound(input))
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as the number of items says");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t one = cms_load(counts + (size_t)i * bytes, bytes);

        if (i > 0 && load_le64(hashes + (size_t)i * 8) <= load_le64(hashes + (size_t)i * 8 - 8))
            return sketch_refuse(error, SKETCH_MALFORMED, "Hashes are not in ascending order");
        if (one < 1 || one > total - sum)
            return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
        sum += one;
        most = one > most ? one : most;
    }
    if (sum != total)
        return sketch_refuse(error, SKETCH_MALFORMED, "Counts do not add up to the total");
    if (bytes != bytes_for(most))
        return sketch_refuse(error, SKETCH_MALFORMED, "Counts are wider than they have to be");
    return true;
}

bool
cms_check_table(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total,
                const SketchMemory *memory, SketchError *error)
{
    unsigned bytes = input.data[3];
    size_t cells = cms_cells(shape);
    const uint8_t *exceptions = input.data + CMS_HEADER + cells * bytes;
    uint64_t marker = cms_marker(bytes), left = 0;
    size_t marked = 0, steps = 0;

    if (count > cells || !cms_packed_is_sound(input))
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as the shape says");
    if (total == 0 && shape.hash == SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MALFORMED, "A table with a total of 0");
    for (size_t i = 0, row_end = 0; i < cells; i++) {
        uint64_t cell = cms_load(input.data + CMS_HEADER + i * bytes, bytes);

        if (cell == marker) {
            if (marked == count || load_le32(exceptions + marked * CMS_EXCEPTION_BYTES) != i)
                return sketch_refuse(error, SKETCH_MALFORMED, "A cell is not among the exceptions");
            cell = load_le64(exceptions + marked * CMS_EXCEPTION_BYTES + 4);
            if (cell < marker)
                return sketch_refuse(error, SKETCH_MALFORMED, "An exception that fits its cell");
            marked++;
        }
        if (i == row_end) {
            row_end += shape.width;
            left = total;
        }
        if (cell > left)
            return sketch_refuse(error, SKETCH_MALFORMED, "A row adds up to more than the total");
        left -= cell;
        sketch_poll(memory, &steps, 1);
    }
    return marked == count ||
           sketch_refuse(error, SKETCH_MALFORMED, "An exception without a full cell");
}
