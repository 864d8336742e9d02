/*
 * merge.c - Count-Min sketches opened for changes, and merged.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

/* A few items that occurred once each wait; otherwise the log gets room for all records. */
static SketchState
open_list(SketchBytes value, const SketchMemory *memory)
{
    uint32_t count = load_le32(value.data + 20);
    unsigned bytes = value.data[3];
    const uint8_t *hashes = value.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    CmsWriter w = {.memory = memory};
    size_t log = 0, steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        log += cms_record_bytes(cms_load(counts + (size_t)i * bytes, bytes));
        sketch_poll(memory, &steps, 1);
    }
    if (count <= CMS_WAITING_MAX && cms_total(value) == count)
        log = 0;
    w.state = cms_new_list(cms_shape(value), log, memory);
    for (uint32_t i = 0; i < count; i++)
        cms_add_item(&w, load_le64(hashes + (size_t)i * 8),
                     cms_load(counts + (size_t)i * bytes, bytes));
    *cms_total_at(w.state.data) = cms_total(value);
    return w.state;
}

/* Whether a count exceeds 32 bits; no cell exceeds the total. */
static bool
needs_wide_cells(SketchBytes table, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(table);
    uint64_t block[CMS_BLOCK], most = 0;
    size_t steps = 0, count;

    if (cms_total(table) <= UINT32_MAX)
        return false;
    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++)
            most = block[i] > most ? block[i] : most;
        sketch_poll(memory, &steps, count);
    }
    return most > UINT32_MAX;
}

static SketchState
open_table(SketchBytes value, const SketchMemory *memory)
{
    CmsShape shape = cms_shape(value);
    bool wide = needs_wide_cells(value, memory);
    uint8_t encoding = wide ? CMS_WORKING_TABLE64 : CMS_WORKING_TABLE32;
    SketchState state = cms_new_table(encoding, shape, cms_total(value), memory);
    CmsCells cells = cms_cells_of(value);
    uint64_t block[CMS_BLOCK];
    size_t steps = 0, count;

    while ((count = cms_next_cells(&cells, block)) > 0) {
        size_t at = cells.at - count;

        if (wide)
            memcpy(cms_cells64(state.data) + at, block, count * sizeof *block);
        else
            for (size_t i = 0; i < count; i++)
                cms_cells32(state.data)[at + i] = (uint32_t)block[i];
        sketch_poll(memory, &steps, count);
    }
    return state;
}

SketchState
cms_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;

    if (!sketch_is_working(value.data)) {
        if (!cms_packed_is_sound(value))
            return (SketchState){NULL, 0};
        return value.data[2] == CMS_LIST ? open_list(value, memory) : open_table(value, memory);
    }
    if (!cms_working_is_sound(value) ||
        (value.data[2] == CMS_WORKING_LIST && !cms_log_is_sound(value.data, memory)))
        return (SketchState){NULL, 0};
    state = (SketchState){memory->value(value.size, memory->context), value.size};
    polled_copy(state.data, value.data, value.size, memory);
    return state;
}

/* Whether the sums with the cells of `other`, each `times` times, stay within 32 bits. */
static bool
fits_narrow(SketchBytes narrow, SketchBytes other, uint64_t times, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(other);
    const uint32_t *sum = cms_cells32(narrow.data);
    uint64_t block[CMS_BLOCK], total;
    size_t steps = 0, count;

    /* No cell exceeds its total. */
    if (!__builtin_mul_overflow(cms_total(other), times, &total) &&
        !__builtin_add_overflow(total, cms_total(narrow), &total) && total <= UINT32_MAX)
        return true;
    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++)
            if (block[i] > (UINT32_MAX - sum[cells.at - count + i]) / times)
                return false;
        sketch_poll(memory, &steps, count);
    }
    return true;
}

/* Adds the cells of a table, each `times` >= 1 times, to those of a table of the same shape. */
static void
add_table(CmsWriter *w, SketchBytes other, uint64_t times)
{
    CmsCells cells = cms_cells_of(other);
    uint64_t block[CMS_BLOCK];
    size_t count;

    if (w->state.data[2] == CMS_WORKING_TABLE32 &&
        !fits_narrow(sketch_bytes(w->state), other, times, w->memory))
        cms_make_wide(w);
    while ((count = cms_next_cells(&cells, block)) > 0) {
        size_t at = cells.at - count;

        /* No cell is greater than the total, so none overflows. */
        if (w->state.data[2] == CMS_WORKING_TABLE32)
            for (size_t i = 0; i < count; i++)
                cms_cells32(w->state.data)[at + i] += (uint32_t)(block[i] * times);
        else
            for (size_t i = 0; i < count; i++)
                cms_cells64(w->state.data)[at + i] += block[i] * times;
        sketch_poll(w->memory, &w->steps, count);
    }
}

/* The state, a list, becomes a table: the cells of `other`, `times` times, and the list's items. */
static bool
turn_into_table(CmsWriter *w, SketchBytes other, uint64_t times)
{
    CmsWriter table = {.memory = w->memory};
    CmsItems items;

    if (!cms_read_items(w->state.data, &items, w->memory))
        return false;
    table.state = cms_new_table(CMS_WORKING_TABLE32, cms_shape(other), *cms_total_at(w->state.data),
                                w->memory);
    add_table(&table, other, times);
    cms_add_items(&table, &items);
    w->memory->release(items.entries, w->memory->context);
    cms_replace(w, table.state);
    return true;
}

static void
add_packed_list(CmsWriter *w, SketchBytes list, uint64_t times)
{
    uint32_t count = load_le32(list.data + 20);
    unsigned bytes = list.data[3];
    const uint8_t *hashes = list.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;

    for (uint32_t i = 0; i < count; i++)
        cms_add_item(w, load_le64(hashes + (size_t)i * 8),
                     cms_load(counts + (size_t)i * bytes, bytes) * times);
}

static bool
add_working_list(CmsWriter *w, SketchBytes list, uint64_t times)
{
    CmsItems items;
    bool good;

    if (!cms_read_items(list.data, &items, w->memory))
        return false;
    good = items.sum == cms_total(list);
    for (uint32_t i = 0; good && i < items.count; i++)
        cms_add_item(w, items.entries[i].hash, items.entries[i].count * times);
    w->memory->release(items.entries, w->memory->context);
    return good;
}

/* Adds a table, packed or working, in which no hashes wait. */
static bool
add_settled_table(CmsWriter *w, SketchBytes table, uint64_t times)
{
    if (w->state.data[2] == CMS_WORKING_LIST)
        return turn_into_table(w, table, times);
    cms_empty_waiting(w);
    add_table(w, table, times);
    return true;
}

/* Adds a working table; if hashes wait in it, a copy in which they are counted. */
static bool
add_working_table(CmsWriter *w, SketchBytes table, uint64_t times)
{
    CmsWriter copy = {.memory = w->memory};
    bool good;

    if (*cms_waiting_count_at(table.data) == 0)
        return add_settled_table(w, table, times);
    copy.state = cms_open(table, w->memory);
    cms_empty_waiting(&copy);
    good = add_settled_table(w, sketch_bytes(copy.state), times);
    w->memory->release_value(copy.state.data, w->memory->context);
    return good;
}

bool
cms_merge_times(SketchState *state, SketchBytes other, uint64_t times, const SketchMemory *memory,
                SketchError *error)
{
    CmsWriter w = {*state, state->data, memory, 0};
    CmsShape shape = cms_shape(sketch_bytes(*state)), added = cms_shape(other);
    uint64_t total;
    bool good = true;

    if (!cms_is_sound(other) || !cms_working_is_sound(sketch_bytes(*state)))
        return sketch_refuse_damaged(error);
    if (!cms_same_shape(shape, added))
        return cms_refuse_shape(shape, added, error);
    if (__builtin_mul_overflow(cms_total(other), times, &total))
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
    if (!cms_check_total(*state, total, error))
        return false;
    if (times == 0)
        return true;
    if (other.data[2] == CMS_LIST)
        add_packed_list(&w, other, times);
    else if (other.data[2] == CMS_WORKING_LIST)
        good = add_working_list(&w, other, times);
    else if (other.data[2] == CMS_TABLE)
        good = add_settled_table(&w, other, times);
    else
        good = add_working_table(&w, other, times);
    if (!good)
        return sketch_refuse_damaged(error);
    *cms_total_at(w.state.data) += total;
    *state = w.state;
    return true;
}
