/*
 * merge.c - Count-Min sketches opened for changes, and merged.
 */
#include "cms_internal.h"

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

        state = cms_new_list(shape, count, memory);
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
        state = cms_new_working(encoding, shape, 0, cms_table_bytes(shape, encoding), memory);
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

/* Adds the cells of a table, each `times` times, to those of a table of the same shape. */
static void
add_table(CmsWriter *w, SketchState other, uint64_t times)
{
    CmsShape shape = cms_working_shape(w->state.data);
    size_t cells = cms_cells(shape);
    SketchBytes from = sketch_bytes(other);

    if (w->state.data[2] == CMS_WORKING_TABLE32) {
        uint32_t *sum = cms_cells32(w->state.data);
        bool fits = true;

        for (size_t i = 0; fits && i < cells; i++)
            fits = sum[i] + (unsigned __int128)cms_cell(from, shape, i) * times <= UINT32_MAX;
        if (fits) {
            for (size_t i = 0; i < cells; i++)
                sum[i] += (uint32_t)(cms_cell(from, shape, i) * times);
            return;
        }
        cms_make_wide(w);
    }
    /* No cell is greater than the total, so none overflows. */
    for (size_t i = 0; i < cells; i++)
        cms_cells64(w->state.data)[i] += cms_cell(from, shape, i) * times;
}

/* The list that the state was becomes the table of `other`, `times` times, with the list's items. */
static void
turn_into_table(CmsWriter *w, SketchState other, uint64_t times)
{
    CmsShape shape = cms_working_shape(other.data);
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
add_opened(CmsWriter *w, SketchState other, uint64_t times)
{
    const CmsEntry *entries = cms_entries(other.data);

    if (other.data[2] == CMS_WORKING_LIST) {
        cms_settle(other.data);
        for (uint32_t i = 0; i < *cms_count_at(other.data); i++)
            cms_add_item(w, entries[i].hash, entries[i].count * times);
    } else if (w->state.data[2] == CMS_WORKING_LIST) {
        turn_into_table(w, other, times);
    } else {
        add_table(w, other, times);
    }
}

bool
cms_merge_times(SketchState *state, SketchBytes other, uint64_t times, const SketchMemory *memory,
                SketchError *error)
{
    CmsWriter w = {*state, state->data, memory};
    CmsShape shape = cms_shape(sketch_bytes(*state)), added = cms_shape(other);
    SketchState opened = cms_open(other, memory);
    uint64_t total;
    bool good = true;

    if (opened.data == NULL || !cms_working_is_sound(sketch_bytes(*state)))
        return sketch_refuse_damaged(error);
    if (shape.width != added.width || shape.depth != added.depth)
        good = cms_refuse_shape(shape, added, error);
    else if (__builtin_mul_overflow(cms_total(other), times, &total))
        good = sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
    else
        good = cms_check_total(*state, total, error);
    if (good && times > 0) {
        add_opened(&w, opened, times);
        *cms_total_at(w.state.data) += total;
        *state = w.state;
    }
    memory->release_value(opened.data, memory->context);
    return good;
}
