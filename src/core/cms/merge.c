/*
 * merge.c - Count-Min sketches opened for changes, and merged.
 */
#include "cms_internal.h"

static SketchState
open_list(SketchBytes value, const SketchMemory *memory)
{
    uint32_t count = load_le32(value.data + 20);
    unsigned bytes = value.data[3];
    const uint8_t *hashes = value.data + CMS_HEADER, *counts = hashes + (size_t)count * 8;
    SketchState state = cms_new_list(cms_shape(value), count, memory);
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        cms_entries(state.data)[i] = (CmsEntry){load_le64(hashes + (size_t)i * 8),
                                                cms_load(counts + (size_t)i * bytes, bytes)};
        sketch_poll(memory, &steps, 1);
    }
    *cms_count_at(state.data) = *cms_sorted_at(state.data) = count;
    *cms_total_at(state.data) = cms_total(value);
    return state;
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
    SketchState state = cms_new_working(encoding, shape, cms_total(value),
                                        cms_table_bytes(shape, encoding), memory);
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
    if (!cms_working_is_sound(value))
        return (SketchState){NULL, 0};
    state = (SketchState){memory->value(value.size, memory->context), value.size};
    memcpy(state.data, value.data, value.size);
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

/* The list that the state was becomes the table of `other`, `times` times, with the list's items. */
static void
turn_into_table(CmsWriter *w, SketchBytes other, uint64_t times)
{
    CmsShape shape = cms_shape(other);
    CmsWriter table = {.memory = w->memory};
    const CmsEntry *entries = cms_entries(w->state.data);

    cms_settle(w->state.data);
    table.state = cms_new_working(CMS_WORKING_TABLE32, shape, *cms_total_at(w->state.data),
                                  cms_table_bytes(shape, CMS_WORKING_TABLE32), w->memory);
    add_table(&table, other, times);
    for (uint32_t i = 0; i < *cms_count_at(w->state.data); i++)
        cms_add_to_table(&table, entries[i].hash, entries[i].count);
    cms_replace(w, table.state);
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

static void
add_working_list(CmsWriter *w, SketchBytes list, uint64_t times)
{
    SketchState copy = cms_open(list, w->memory);
    const CmsEntry *entries = cms_entries(copy.data);

    cms_settle(copy.data);
    for (uint32_t i = 0; i < *cms_count_at(copy.data); i++)
        cms_add_item(w, entries[i].hash, entries[i].count * times);
    w->memory->release_value(copy.data, w->memory->context);
}

bool
cms_merge_times(SketchState *state, SketchBytes other, uint64_t times, const SketchMemory *memory,
                SketchError *error)
{
    CmsWriter w = {*state, state->data, memory, 0};
    CmsShape shape = cms_shape(sketch_bytes(*state)), added = cms_shape(other);
    uint64_t total;

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
        add_working_list(&w, other, times);
    else if (w.state.data[2] == CMS_WORKING_LIST)
        turn_into_table(&w, other, times);
    else
        add_table(&w, other, times);
    *cms_total_at(w.state.data) += total;
    *state = w.state;
    return true;
}
