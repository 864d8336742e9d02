/*
 * working.c - Count-Min sketches that change: adding and merging.
 *
 * Working values, in host byte order, with the header of packed ones up to byte 19:
 *
 *     list (0x80)       20..23 entries used   24..27 sorted   28.. entries: hash, count, 8 bytes
 *                       each
 *     tables            20..27 0              28.. cells of 4 bytes (0x81) or 8 (0x82), row by row
 *
 * Entries are appended. When there is no room left they are settled: sorted, and the entries of one
 * item added up. Then the list grows, or becomes a table if it is too long for a list; packing does
 * the same. Cells of 4 bytes become cells of 8 when a count passes 2^32 - 1. Ten items take 192
 * bytes with the length word.
 */
#include <stdlib.h>

#include "cms_internal.h"

/*
 * Sizes of lists, with the length word. The steps are large because groups may grow in step: no
 * other group has a use for the memory that a group leaves behind then. Memory above 8 kB is given
 * back by the allocator.
 */
static const size_t list_sizes[] = {64, 192, 256, 512, 1024, 2048, 4096, 8448};
#define LIST_SIZES (sizeof list_sizes / sizeof list_sizes[0])

static uint32_t
list_capacity(SketchState state)
{
    return (uint32_t)((state.size - CMS_WORKING_HEADER) / sizeof(CmsEntry));
}

SketchState
cms_new_working(uint8_t encoding, CmsShape shape, uint64_t total, size_t size,
                const SketchMemory *memory)
{
    SketchState state = {memory->value(size, memory->context), size};
    uint16_t depth = (uint16_t)shape.depth;

    memset(state.data, 0, size);
    state.data[0] = SKETCH_CMS;
    state.data[1] = CMS_VERSION;
    state.data[2] = encoding;
    memcpy(state.data + 4, &shape.width, sizeof shape.width);
    memcpy(state.data + 8, &depth, sizeof depth);
    state.data[10] = (uint8_t)shape.hash;
    *cms_total_at(state.data) = total;
    return state;
}

/* An empty list with room for `count`. */
SketchState
cms_new_list(CmsShape shape, uint32_t count, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + CMS_WORKING_HEADER + (size_t)count * sizeof(CmsEntry);
    size_t size = list_sizes[0];

    for (size_t i = 1; size < needed; i++)
        size = i < LIST_SIZES ? list_sizes[i] : size + size / 2;
    return cms_new_working(CMS_WORKING_LIST, shape, 0, size - SKETCH_PREFIX_BYTES, memory);
}

SketchState
cms_new(CmsShape shape, const SketchMemory *memory)
{
    if (shape.hash == SKETCH_HASH_REDIS)
        return cms_new_working(CMS_WORKING_TABLE32, shape, 0,
                               cms_table_bytes(shape, CMS_WORKING_TABLE32), memory);
    return cms_new_list(shape, 0, memory);
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

void
cms_replace(CmsWriter *w, SketchState fresh)
{
    if (w->state.data != w->original)
        w->memory->release_value(w->state.data, w->memory->context);
    w->state = fresh;
}

void
cms_make_wide(CmsWriter *w)
{
    CmsShape shape = cms_working_shape(w->state.data);
    CmsCells cells = cms_cells_of(sketch_bytes(w->state));
    size_t count;
    SketchState wide = cms_new_working(CMS_WORKING_TABLE64, shape, *cms_total_at(w->state.data),
                                       cms_table_bytes(shape, CMS_WORKING_TABLE64), w->memory);

    while ((count = cms_next_cells(&cells, cms_cells64(wide.data) + cells.at)) > 0)
        sketch_poll(w->memory, &w->steps, count);
    cms_replace(w, wide);
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

void
cms_add_to_table(CmsWriter *w, uint64_t hash, uint64_t count)
{
    CmsShape shape = cms_working_shape(w->state.data);

    if (w->state.data[2] == CMS_WORKING_TABLE32) {
        if (count <= UINT32_MAX && update32(cms_cells32(w->state.data), shape, hash, count))
            return;
        cms_make_wide(w);
    }
    update64(cms_cells64(w->state.data), shape, hash, count);
}

void
cms_add_to_cells(CmsWriter *w, const size_t *cells, uint64_t count)
{
    uint32_t depth = cms_working_shape(w->state.data).depth;
    SketchBytes table = sketch_bytes(w->state);
    uint64_t least = UINT64_MAX;

    for (uint32_t row = 0; row < depth; row++) {
        uint64_t cell = cms_cell(table, cms_shape(table), cells[row]);

        least = cell < least ? cell : least;
    }
    least += count;
    if (least > UINT32_MAX && w->state.data[2] == CMS_WORKING_TABLE32)
        cms_make_wide(w);
    for (uint32_t row = 0; row < depth; row++)
        if (w->state.data[2] == CMS_WORKING_TABLE64) {
            uint64_t *cell = &cms_cells64(w->state.data)[cells[row]];

            *cell = *cell < least ? least : *cell;
        } else {
            uint32_t *cell = &cms_cells32(w->state.data)[cells[row]];

            *cell = *cell < least ? (uint32_t)least : *cell;
        }
}

void
cms_make_table(CmsWriter *w)
{
    CmsShape shape = cms_working_shape(w->state.data);
    const CmsEntry *entries = cms_entries(w->state.data);
    uint32_t count = *cms_count_at(w->state.data);
    CmsWriter table = {.memory = w->memory};

    table.state = cms_new_working(CMS_WORKING_TABLE32, shape, *cms_total_at(w->state.data),
                                  cms_table_bytes(shape, CMS_WORKING_TABLE32), w->memory);
    for (uint32_t i = 0; i < count; i++)
        cms_add_to_table(&table, entries[i].hash, entries[i].count);
    cms_replace(w, table.state);
}

/* ---- adding ---- */

/* Room for one more entry; the list may have become a table. */
static void
make_room(CmsWriter *w)
{
    CmsShape shape = cms_working_shape(w->state.data);
    uint32_t capacity = list_capacity(w->state), count;
    SketchState longer;

    if (*cms_count_at(w->state.data) < capacity)
        return;
    cms_settle(w->state.data);
    count = *cms_count_at(w->state.data);
    if (count > cms_list_limit(shape)) {
        cms_make_table(w);
    } else if (count > capacity - capacity / 4 || count == capacity) {
        longer = cms_new_list(shape, capacity + 1, w->memory);
        memcpy(longer.data, w->state.data, CMS_WORKING_HEADER + count * sizeof(CmsEntry));
        cms_replace(w, longer);
    }
}

void
cms_add_item(CmsWriter *w, uint64_t hash, uint64_t count)
{
    sketch_poll(w->memory, &w->steps, 1 + cms_working_shape(w->state.data).depth);
    if (w->state.data[2] == CMS_WORKING_LIST)
        make_room(w);
    if (w->state.data[2] == CMS_WORKING_LIST)
        cms_entries(w->state.data)[(*cms_count_at(w->state.data))++] = (CmsEntry){hash, count};
    else
        cms_add_to_table(w, hash, count);
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

bool
cms_check_total(SketchState state, uint64_t more, SketchError *error)
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
    CmsWriter w = {*state, state->data, memory, 0};

    if (state->data[10] != SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MISMATCH, "It counts with the hash of Redis");
    if (!cms_check_total(*state, count, error))
        return false;
    cms_add_item(&w, hash, count);
    *cms_total_at(w.state.data) += count;
    *state = w.state;
    return true;
}
