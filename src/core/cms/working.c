/*
 * working.c - Count-Min sketches that change: adding and merging.
 *
 * Working values, in host byte order, with the header of packed ones up to byte 19:
 *
 *     list (0x80)       20..23 entries used   24..27 sorted   28.. entries: hash, count, 8 bytes
 *                       each
 *     tables            20..27 0              28.. cells of 4 bytes (0x81) or 8 (0x82), row by row
 *
 * Entries are appended. When there is no room left they are settled: sorted, and those of one item
 * added up; then the list grows, or has become too long for one and is made a table, which is also
 * done when it is packed. Cells of 4 bytes become 8 when a count passes 2^32 - 1. Ten items take
 * 192 bytes with the length word.
 */
#include <stdlib.h>

#include "cms_internal.h"

/*
 * Sizes of lists, with the length word. The steps are large where many groups may grow in step: what
 * one leaves behind others cannot use then, but for what the allocator gives back, and that is what
 * exceeds 8 kB.
 */
static const size_t list_sizes[] = {64, 192, 256, 512, 1024, 2048, 4096, 8448};
#define LIST_SIZES (sizeof list_sizes / sizeof list_sizes[0])

static size_t
table_bytes(CmsShape shape, uint8_t encoding)
{
    return CMS_WORKING_HEADER + cms_cells(shape) * (encoding == CMS_WORKING_TABLE32 ? 4 : 8);
}

static uint32_t
list_capacity(SketchState state)
{
    return (uint32_t)((state.size - CMS_WORKING_HEADER) / sizeof(CmsEntry));
}

bool
cms_working_is_sound(SketchBytes value)
{
    CmsShape shape;

    if (value.size < CMS_WORKING_HEADER)
        return false;
    shape = cms_shape(value);
    if (shape.depth < 1 || shape.depth > CMS_DEPTH_MAX || shape.width < 1 ||
        shape.width > CMS_CELLS_MAX / shape.depth || *cms_total_at(value.data) > INT64_MAX)
        return false;
    if (value.data[2] == CMS_WORKING_LIST)
        return *cms_count_at(value.data) <= (value.size - CMS_WORKING_HEADER) / sizeof(CmsEntry) &&
               *cms_sorted_at(value.data) <= *cms_count_at(value.data);
    return (value.data[2] == CMS_WORKING_TABLE32 || value.data[2] == CMS_WORKING_TABLE64) &&
           value.size == table_bytes(shape, value.data[2]);
}

static SketchState
new_working(uint8_t encoding, CmsShape shape, uint64_t total, size_t size,
            const SketchMemory *memory)
{
    SketchState state = {memory->value(size, memory->context), size};
    uint16_t depth = (uint16_t)shape.depth;

    memset(state.data, 0, size);
    state.data[0] = SKETCH_CMS;
    state.data[1] = cms_ops.version;
    state.data[2] = encoding;
    memcpy(state.data + 4, &shape.width, sizeof shape.width);
    memcpy(state.data + 8, &depth, sizeof depth);
    *cms_total_at(state.data) = total;
    return state;
}

/* An empty list with room for `count`. */
static SketchState
new_list(CmsShape shape, uint32_t count, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + CMS_WORKING_HEADER + (size_t)count * sizeof(CmsEntry);
    size_t size = list_sizes[0];

    for (size_t i = 1; size < needed; i++)
        size = i < LIST_SIZES ? list_sizes[i] : size + size / 2;
    return new_working(CMS_WORKING_LIST, shape, 0, size - SKETCH_PREFIX_BYTES, memory);
}

SketchState
cms_new(CmsShape shape, const SketchMemory *memory)
{
    return new_list(shape, 0, memory);
}

/* ---- lists ---- */

static int
entry_order(const void *a, const void *b)
{
    uint64_t x = ((const CmsEntry *)a)->hash, y = ((const CmsEntry *)b)->hash;

    return (x > y) - (x < y);
}

void
cms_settle(uint8_t *data)
{
    CmsEntry *entries = cms_entries(data);
    uint32_t count = *cms_count_at(data), left = 0;

    if (*cms_sorted_at(data) == count)
        return;
    qsort(entries, count, sizeof *entries, entry_order);
    for (uint32_t i = 0; i < count; i++) {
        if (left > 0 && entries[left - 1].hash == entries[i].hash)
            entries[left - 1].count += entries[i].count;
        else
            entries[left++] = entries[i];
    }
    *cms_count_at(data) = *cms_sorted_at(data) = left;
}

/* ---- tables ---- */

static void
widen(uint64_t *wide, const uint32_t *narrow, size_t cells)
{
    for (size_t i = 0; i < cells; i++)
        wide[i] = narrow[i];
}

static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

static void
make_wide(SketchState *state, const uint8_t *original, const SketchMemory *memory)
{
    CmsShape shape = cms_shape(sketch_bytes(*state));
    SketchState wide = new_working(CMS_WORKING_TABLE64, shape, *cms_total_at(state->data),
                                   table_bytes(shape, CMS_WORKING_TABLE64), memory);

    widen(cms_cells64(wide.data), cms_cells32(state->data), cms_cells(shape));
    replace(state, wide, original, memory);
}

/* Conservative update of 32-bit cells; false where one would overflow. */
static inline bool
update32(uint32_t *cells, CmsShape shape, uint64_t item, uint64_t count)
{
    uint32_t *at[CMS_DEPTH_MAX], least = UINT32_MAX;
    CmsHash hash = cms_hash(item);
    uint64_t raised;

    for (uint32_t row = 0; row < shape.depth; row++) {
        at[row] = cells + cms_next_cell(&hash, shape, row);
        least = *at[row] < least ? *at[row] : least;
    }
    raised = least + count;
    if (raised > UINT32_MAX)
        return false;
    for (uint32_t row = 0; row < shape.depth; row++)
        *at[row] = *at[row] < raised ? (uint32_t)raised : *at[row];
    return true;
}

static void
update64(uint64_t *cells, CmsShape shape, uint64_t item, uint64_t count)
{
    uint64_t *at[CMS_DEPTH_MAX], least = UINT64_MAX;
    CmsHash hash = cms_hash(item);

    for (uint32_t row = 0; row < shape.depth; row++) {
        at[row] = cells + cms_next_cell(&hash, shape, row);
        least = *at[row] < least ? *at[row] : least;
    }
    for (uint32_t row = 0; row < shape.depth; row++)
        *at[row] = *at[row] < least + count ? least + count : *at[row];
}

static void
add_to_table(SketchState *state, uint64_t hash, uint64_t count, const uint8_t *original,
             const SketchMemory *memory)
{
    CmsShape shape = cms_shape(sketch_bytes(*state));

    if (state->data[2] == CMS_WORKING_TABLE32) {
        if (count <= UINT32_MAX && update32(cms_cells32(state->data), shape, hash, count))
            return;
        make_wide(state, original, memory);
    }
    update64(cms_cells64(state->data), shape, hash, count);
}

void
cms_make_table(SketchState *state, const uint8_t *original, const SketchMemory *memory)
{
    CmsShape shape = cms_shape(sketch_bytes(*state));
    const CmsEntry *entries = cms_entries(state->data);
    uint32_t count = *cms_count_at(state->data);
    SketchState list = *state;
    SketchState table = new_working(CMS_WORKING_TABLE32, shape, *cms_total_at(state->data),
                                    table_bytes(shape, CMS_WORKING_TABLE32), memory);

    for (uint32_t i = 0; i < count; i++)
        add_to_table(&table, entries[i].hash, entries[i].count, NULL, memory);
    if (list.data != original)
        memory->release_value(list.data, memory->context);
    *state = table;
}

/* ---- adding ---- */

/* Room for one more entry; the list may have become a table. */
static void
make_room(SketchState *state, const uint8_t *original, const SketchMemory *memory)
{
    CmsShape shape = cms_shape(sketch_bytes(*state));
    SketchState longer;
    uint32_t count;

    if (*cms_count_at(state->data) < list_capacity(*state))
        return;
    cms_settle(state->data);
    count = *cms_count_at(state->data);
    if (count > cms_list_limit(shape)) {
        cms_make_table(state, original, memory);
    } else if (count > list_capacity(*state) - list_capacity(*state) / 4 ||
               count == list_capacity(*state)) {
        longer = new_list(shape, list_capacity(*state) + 1, memory);
        memcpy(longer.data, state->data, CMS_WORKING_HEADER + count * sizeof(CmsEntry));
        replace(state, longer, original, memory);
    }
}

static void
add(SketchState *state, uint64_t hash, uint64_t count, const uint8_t *original,
    const SketchMemory *memory)
{
    if (state->data[2] == CMS_WORKING_LIST)
        make_room(state, original, memory);
    if (state->data[2] == CMS_WORKING_LIST)
        cms_entries(state->data)[(*cms_count_at(state->data))++] = (CmsEntry){hash, count};
    else
        add_to_table(state, hash, count, original, memory);
}

bool
cms_add(SketchState state, uint64_t hash)
{
    uint64_t *total = cms_total_at(state.data);

    if (*total >= INT64_MAX)
        return false;
    if (state.data[2] == CMS_WORKING_TABLE32) {
        if (!update32(cms_cells32(state.data), cms_working_shape(state.data), hash, 1))
            return false;
    } else if (state.data[2] == CMS_WORKING_LIST) {
        uint32_t *count = cms_count_at(state.data);

        if (*count >= list_capacity(state))
            return false;
        cms_entries(state.data)[(*count)++] = (CmsEntry){hash, 1};
    } else {
        update64(cms_cells64(state.data), cms_working_shape(state.data), hash, 1);
    }
    ++*total;
    return true;
}

static bool
check_total(SketchState state, uint64_t more, SketchError *error)
{
    uint64_t room = INT64_MAX - *cms_total_at(state.data);

    if (more <= room)
        return true;
    return sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
}

bool
cms_insert(SketchState *state, uint64_t hash, uint64_t count, const SketchMemory *memory,
           SketchError *error)
{
    if (!check_total(*state, count, error))
        return false;
    add(state, hash, count, state->data, memory);
    *cms_total_at(state->data) += count;
    return true;
}

/* ---- opening and merging ---- */

SketchState
cms_open(SketchBytes value, const SketchMemory *memory)
{
    CmsShape shape = cms_shape(value);
    uint32_t count = load_le32(value.data + 20);
    unsigned bytes = value.data[3];
    bool wide = false;
    SketchState state;

    if (sketch_is_working(value.data)) {
        if (!cms_working_is_sound(value))
            return (SketchState){NULL, 0};
        state = (SketchState){memory->value(value.size, memory->context), value.size};
        memcpy(state.data, value.data, value.size);
        return state;
    }
    if (shape.depth < 1 || shape.depth > CMS_DEPTH_MAX || shape.width < 1 ||
        shape.width > CMS_CELLS_MAX / shape.depth ||
        value.size !=
            CMS_HEADER + (value.data[2] == CMS_LIST
                              ? (size_t)count * (8 + bytes)
                              : cms_cells(shape) * bytes + (size_t)count * CMS_EXCEPTION_BYTES))
        return (SketchState){NULL, 0};
    if (value.data[2] == CMS_LIST) {
        const uint8_t *hashes = value.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;

        state = new_list(shape, count, memory);
        for (uint32_t i = 0; i < count; i++)
            cms_entries(state.data)[i] = (CmsEntry){load_le64(hashes + (size_t)i * 8),
                                                    cms_load(counts + (size_t)i * bytes, bytes)};
        *cms_count_at(state.data) = *cms_sorted_at(state.data) = count;
    } else {
        uint8_t encoding;

        for (size_t i = 0; !wide && bytes >= 4 && i < cms_cells(shape); i++)
            wide = cms_cell(value, shape, i) > UINT32_MAX;
        for (uint32_t i = 0; !wide && bytes < 4 && i < count; i++)
            wide = load_le64(value.data + value.size - (size_t)(i + 1) * CMS_EXCEPTION_BYTES + 4) >
                   UINT32_MAX;
        encoding = wide ? CMS_WORKING_TABLE64 : CMS_WORKING_TABLE32;
        state = new_working(encoding, shape, 0, table_bytes(shape, encoding), memory);
        for (size_t i = 0; i < cms_cells(shape); i++) {
            uint64_t cell = cms_cell(value, shape, i);

            if (wide)
                cms_cells64(state.data)[i] = cell;
            else
                cms_cells32(state.data)[i] = (uint32_t)cell;
        }
    }
    *cms_total_at(state.data) = cms_total(value);
    return state;
}

/* Adds the cells of a table to those of another one of the same shape. */
static void
add_tables(SketchState *state, SketchState other, uint64_t times, const uint8_t *original,
           const SketchMemory *memory)
{
    CmsShape shape = cms_shape(sketch_bytes(*state));
    size_t cells = cms_cells(shape);
    SketchBytes from = sketch_bytes(other);

    if (state->data[2] == CMS_WORKING_TABLE32) {
        uint32_t *sum = cms_cells32(state->data);
        bool fits = true;

        for (size_t i = 0; fits && i < cells; i++)
            fits = sum[i] + (unsigned __int128)cms_cell(from, shape, i) * times <= UINT32_MAX;
        if (fits) {
            for (size_t i = 0; i < cells; i++)
                sum[i] += (uint32_t)(cms_cell(from, shape, i) * times);
            return;
        }
        make_wide(state, original, memory);
    }
    /* No cell is greater than the total, so none overflows. */
    for (size_t i = 0; i < cells; i++)
        cms_cells64(state->data)[i] += cms_cell(from, shape, i) * times;
}

/* The table of `other`, so many times, with the items of the list that *state was. */
static void
turn_into_table(SketchState *state, SketchState other, uint64_t times, const uint8_t *original,
                const SketchMemory *memory)
{
    SketchState list = *state;

    cms_settle(list.data);
    *state =
        new_working(CMS_WORKING_TABLE32, cms_shape(sketch_bytes(other)), *cms_total_at(list.data),
                    table_bytes(cms_shape(sketch_bytes(other)), CMS_WORKING_TABLE32), memory);
    add_tables(state, other, times, NULL, memory);
    for (uint32_t i = 0; i < *cms_count_at(list.data); i++)
        add_to_table(state, cms_entries(list.data)[i].hash, cms_entries(list.data)[i].count, NULL,
                     memory);
    if (list.data != original)
        memory->release_value(list.data, memory->context);
}

bool
cms_merge_times(SketchState *state, SketchBytes other, uint64_t times, const SketchMemory *memory,
                SketchError *error)
{
    const uint8_t *original = state->data;
    CmsShape shape = cms_shape(sketch_bytes(*state));
    SketchState opened = cms_open(other, memory);
    uint64_t total;

    if (opened.data == NULL || !cms_working_is_sound(sketch_bytes(*state)))
        return sketch_refuse_damaged(error);
    if (shape.width != cms_shape(other).width || shape.depth != cms_shape(other).depth) {
        memory->release_value(opened.data, memory->context);
        return cms_refuse_shape(shape, cms_shape(other), error);
    }
    if (__builtin_mul_overflow(cms_total(other), times, &total) ||
        !check_total(*state, total, error)) {
        memory->release_value(opened.data, memory->context);
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
    }
    if (times == 0) {
        memory->release_value(opened.data, memory->context);
        return true;
    }
    if (opened.data[2] == CMS_WORKING_LIST) {
        cms_settle(opened.data);
        for (uint32_t i = 0; i < *cms_count_at(opened.data); i++)
            add(state, cms_entries(opened.data)[i].hash, cms_entries(opened.data)[i].count * times,
                original, memory);
    } else if (state->data[2] == CMS_WORKING_LIST) {
        turn_into_table(state, opened, times, original, memory);
    } else {
        add_tables(state, opened, times, original, memory);
    }
    *cms_total_at(state->data) += total;
    memory->release_value(opened.data, memory->context);
    return true;
}
