/*
 * cms.c - Count-Min sketch: how often did each item occur?
 *
 * A table of `depth` rows of `width` counters. An item has one cell in each row, chosen by its
 * hash; other items share them, so every one of its cells is at least its count, and the least of
 * them is the estimate: never below the truth, and above it by more than 2 N / width, N being all
 * that was counted, for one item in 2^depth.
 *
 * What is different from the textbook:
 *
 *   It begins as a list of hashes and counts, which is exact, and stays one while it has no more
 *   entries than a twentieth of the cells.
 *
 *   Update is conservative: an item raises its cells no further than to its new estimate. The bound
 *   holds as before; errors get smaller by half and more, and those of frequent items all but
 *   vanish.
 *
 *   A stored table has counters as narrow as serves best, 1, 2, 4 or 8 bytes, and the few that do
 *   not fit stand behind it.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3      4..7   8..9   10..11  12..19  20..23
 *     kind   version  encoding  bytes  width  depth  0       total   n
 *
 *     list (0)    n hashes of 8 bytes, ascending; n counts of `bytes` bytes
 *     table (1)   width * depth cells of `bytes` bytes, row by row; n exceptions: u32 cell, u64
 *                 count. The cell of an exception has all bits set.
 *
 * What validate enforces: depth 1..32, width * depth <= 2^26, total <= 2^63 - 1. A list: n no more
 * than the limit, hashes ascending, counts at least 1 that add up to the total, in as few bytes as
 * the largest takes. A table: no row that adds up to more than the total; exceptions ascending, for
 * just the cells that say so; of the widths the one that takes the least room, the narrower of two.
 *
 * Merging adds tables cell by cell, and the items of a list one by one. Since an update looks at
 * all cells, a table depends on the order of its items, unlike one of the textbook: parallel plans
 * give other estimates than serial ones, within the same bounds.
 *
 * Left out: decrements, which conservative update does not allow.
 *
 * References: G. Cormode, S. Muthukrishnan, An improved data stream summary, J. Algorithms 55,
 * 2005. C. Estan, G. Varghese, New directions in traffic measurement, SIGCOMM 2002 (conservative
 * update).
 */
#include "cms.h"

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
    *shape = (CmsShape){(uint32_t)width, (uint32_t)depth};
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
    return (CmsShape){load_le32(value.data + 4), load_le16(value.data + 8)};
}

uint64_t
cms_total(SketchBytes value)
{
    return sketch_is_working(value.data) ? *cms_total_at(value.data) : load_le64(value.data + 12);
}

bool
cms_is_exact(SketchBytes value)
{
    return (value.data[2] & ~SKETCH_WORKING) == CMS_LIST;
}

/* ---- packing ---- */

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
    data[1] = cms_ops.version;
    data[2] = encoding;
    data[3] = (uint8_t)bytes;
    store_le32(data + 4, shape.width);
    store_le16(data + 8, (uint16_t)shape.depth);
    store_le16(data + 10, 0);
    store_le64(data + 12, total);
    store_le32(data + 20, count);
    return (SketchBytes){data, CMS_HEADER + body};
}

static unsigned
bytes_for(uint64_t number)
{
    return number <= UINT8_MAX ? 1 : number <= UINT16_MAX ? 2 : number <= UINT32_MAX ? 4 : 8;
}

/* Entries in ascending order that add up to the total; those of a damaged value may not. */
static SketchBytes
pack_entries(const CmsEntry *entries, uint32_t count, CmsShape shape, uint64_t total,
             const SketchMemory *memory)
{
    uint64_t most = 0, left = total;
    SketchBytes packed;
    uint8_t *hashes, *counts;
    unsigned bytes;

    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].count < 1 || entries[i].count > left ||
            (i > 0 && entries[i].hash <= entries[i - 1].hash))
            return (SketchBytes){NULL, 0};
        left -= entries[i].count;
        most = entries[i].count > most ? entries[i].count : most;
    }
    if (left > 0)
        return (SketchBytes){NULL, 0};
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

/* Cells of a working table; of a damaged one a row adds up to more than the total. */
static SketchBytes
pack_table(SketchBytes table, CmsShape shape, const SketchMemory *memory)
{
    size_t cells = cms_cells(shape), exceptions[9] = {0}, best_size = SIZE_MAX;
    uint64_t total = cms_total(table), left = 0;
    unsigned best = 8;
    SketchBytes packed;
    uint8_t *at, *exception;

    for (size_t i = 0, row_end = 0; i < cells; i++) {
        uint64_t cell = cms_cell(table, shape, i);

        if (i == row_end) {
            row_end += shape.width;
            left = total;
        }
        if (cell > left)
            return (SketchBytes){NULL, 0};
        left -= cell;
        exceptions[1] += cell >= cms_marker(1);
        exceptions[2] += cell >= cms_marker(2);
        exceptions[4] += cell >= cms_marker(4);
    }
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        size_t size = cells * bytes + exceptions[bytes] * CMS_EXCEPTION_BYTES;

        if (size < best_size) {
            best_size = size;
            best = bytes;
        }
    }
    packed =
        new_packed(CMS_TABLE, best, shape, total, (uint32_t)exceptions[best], best_size, memory);
    at = (uint8_t *)packed.data + CMS_HEADER;
    exception = at + cells * best;
    for (size_t i = 0; i < cells; i++, at += best) {
        uint64_t cell = cms_cell(table, shape, i);

        if (cell >= cms_marker(best)) {
            store_le32(exception, (uint32_t)i);
            store_le64(exception + 4, cell);
            exception += CMS_EXCEPTION_BYTES;
            cell = cms_marker(best);
        }
        store(at, best, cell);
    }
    return packed;
}

static SketchBytes
pack(SketchBytes value, const SketchMemory *memory)
{
    CmsShape shape;
    SketchBytes packed;
    SketchState copy;
    uint32_t count;

    if (!sketch_is_working(value.data)) {
        packed = (SketchBytes){memory->value(value.size, memory->context), value.size};
        memcpy((uint8_t *)packed.data, value.data, value.size);
        return packed;
    }
    if (!cms_working_is_sound(value))
        return (SketchBytes){NULL, 0};
    shape = cms_shape(value);
    if (value.data[2] != CMS_WORKING_LIST)
        return pack_table(value, shape, memory);
    copy = (SketchState){memory->value(value.size, memory->context), value.size};
    memcpy(copy.data, value.data, value.size);
    cms_settle(copy.data);
    count = *cms_count_at(copy.data);
    if (count > cms_list_limit(shape)) {
        cms_make_table(&copy, NULL, memory);
        packed = pack_table(sketch_bytes(copy), shape, memory);
    } else {
        packed =
            pack_entries(cms_entries(copy.data), count, shape, *cms_total_at(copy.data), memory);
    }
    memory->release_value(copy.data, memory->context);
    return packed;
}

/* ---- validating ---- */

static bool
check_list(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total, SketchError *error)
{
    unsigned bytes = input.data[3];
    const uint8_t *hashes = input.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    uint64_t most = 0, sum = 0;

    if (count > cms_list_limit(shape))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More items than a list may have",
                                   count, 0, cms_list_limit(shape));
    if (input.size != CMS_HEADER + (size_t)count * (8 + bytes))
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

static bool
check_table(SketchBytes input, CmsShape shape, uint32_t count, uint64_t total, SketchError *error)
{
    unsigned bytes = input.data[3];
    size_t cells = cms_cells(shape);
    const uint8_t *exceptions = input.data + CMS_HEADER + cells * bytes;
    uint64_t marker = cms_marker(bytes), left = 0;
    size_t marked = 0;

    if (count > cells || input.size != CMS_HEADER + cells * bytes + (size_t)count * 12)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as the shape says");
    if (total == 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "A table of nothing");
    for (size_t i = 0, row_end = 0; i < cells; i++) {
        uint64_t cell = cms_load(input.data + CMS_HEADER + i * bytes, bytes);

        if (cell == marker) {
            if (marked == count || load_le32(exceptions + marked * 12) != i)
                return sketch_refuse(error, SKETCH_MALFORMED, "A cell is not among the exceptions");
            cell = load_le64(exceptions + marked * 12 + 4);
            if (cell < marker)
                return sketch_refuse(error, SKETCH_MALFORMED, "An exception that is none");
            marked++;
        }
        if (i == row_end) {
            row_end += shape.width;
            left = total;
        }
        if (cell > left)
            return sketch_refuse(error, SKETCH_MALFORMED, "A row adds up to more than the total");
        left -= cell;
    }
    return marked == count || sketch_refuse(error, SKETCH_MALFORMED, "An exception of no cell");
}

static bool
validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    CmsShape shape;
    uint32_t count;
    uint64_t total;
    SketchState state;
    bool same;

    if (!sketch_validate_common(input, &cms_ops, error))
        return false;
    if (input.data[2] > CMS_TABLE)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2], 0,
                                   CMS_TABLE);
    if (input.data[3] == 0 || input.data[3] > 8 || (input.data[3] & (input.data[3] - 1)) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes of a count are not 1, 2, 4 or 8");
    if (load_le16(input.data + 10) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Bytes 10 and 11 are not 0");
    if (!cms_shape_of_size(load_le32(input.data + 4), load_le16(input.data + 8), &shape, error)) {
        error->status = SKETCH_MALFORMED;
        return false;
    }
    total = load_le64(input.data + 12);
    count = load_le32(input.data + 20);
    if (total > INT64_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "The total is beyond 2^63 - 1");
    if (input.data[2] == CMS_LIST ? !check_list(input, shape, count, total, error)
                                  : !check_table(input, shape, count, total, error))
        return false;
    state = cms_open(input, memory);
    *value = pack(sketch_bytes(state), memory);
    memory->release_value(state.data, memory->context);
    same = value->size == input.size && memcmp(value->data, input.data, input.size) == 0;
    if (!same) {
        memory->release_value((uint8_t *)value->data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "Not in canonical form");
    }
    return true;
}

static bool
merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    return cms_merge_times(state, other, 1, memory, error);
}

const SketchOps cms_ops = {
    .name = "cms",
    .kind = SKETCH_CMS,
    .version = 1,
    .header_bytes = CMS_HEADER,
    .validate = validate,
    .open = cms_open,
    .pack = pack,
    .merge = merge,
};
