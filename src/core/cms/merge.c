/*
 * merge.c - Count-Min sketches opened for changes, and merged.
 */
#include "core/common/polled.h"
#include "cms_internal.h"

/* ---- opening ---- */

/* Opens a list. A few items that occurred once each become pending; all others go to the log. */
static SketchState
open_list(const CmsPacked *list, const SketchMemory *memory)
{
    StateWriter w = {.memory = memory};
    size_t log = 0;

    if (list->count > CMS_WAITING_MAX || list->total != list->count)
        POLLED_FOR (i, 0, list->count, 1, memory)
            log += cms_record_bytes(cms_packed_entry(list, i).count);
    w.state = cms_new_list(list->shape, log, memory);
    for (uint32_t i = 0; i < list->count; i++) {
        CmsEntry entry = cms_packed_entry(list, i);

        cms_add_item(&w, entry.hash, entry.count);
    }
    cms_state(w.state.data)->total = list->total;
    return w.state;
}

/* Returns true if a cell exceeds 32 bits; none does if the total does not. */
static bool
needs_wide_cells(SketchBytes table, uint64_t total, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(table);
    uint64_t block[CMS_BLOCK], most = 0;
    size_t steps = 0, count;

    if (total <= UINT32_MAX)
        return false;
    while ((count = cms_next_cells(&cells, block)) > 0) {
        for (size_t i = 0; i < count; i++)
            most = block[i] > most ? block[i] : most;
        sketch_poll(memory, &steps, count);
    }
    return most > UINT32_MAX;
}

static SketchState
open_table(SketchBytes value, const CmsPacked *table, const SketchMemory *memory)
{
    bool wide = needs_wide_cells(value, table->total, memory);
    uint8_t encoding = wide ? CMS_WORKING_TABLE64 : CMS_WORKING_TABLE32;
    SketchState state = cms_new_table(encoding, table->shape, table->total, memory);
    CmsCells cells = cms_cells_of(value);
    uint64_t block[CMS_BLOCK], *to64 = cms_state_body(cms_state(state.data));
    uint32_t *to32 = cms_state_body(cms_state(state.data));
    size_t steps = 0, count;

    while ((count = cms_next_cells(&cells, block)) > 0) {
        size_t at = cells.at - count;

        if (wide)
            memcpy(to64 + at, block, count * sizeof *block);
        else
            for (size_t i = 0; i < count; i++)
                to32[at + i] = (uint32_t)block[i];
        sketch_poll(memory, &steps, count);
    }
    return state;
}

SketchState
cms_open(SketchBytes value, const SketchMemory *memory)
{
    CmsPacked packed;

    if (!sketch_is_working(value.data)) {
        if (!cms_read_packed(value, &packed))
            return (SketchState){NULL, 0};
        return packed.encoding == CMS_LIST ? open_list(&packed, memory)
                                           : open_table(value, &packed, memory);
    }
    return state_copy(value, sizeof(CmsState), memory);
}

/* ---- merging ---- */

/* Returns true if adding the cells of `other`, each `times` times, stays within 32 bits. */
static bool
fits_narrow(const CmsState *narrow, SketchBytes other, uint64_t times, const SketchMemory *memory)
{
    CmsCells cells = cms_cells_of(other);
    const uint32_t *sum = cms_state_body(narrow);
    uint64_t block[CMS_BLOCK], total;
    size_t steps = 0, count;

    /* No cell exceeds its total. */
    if (!__builtin_mul_overflow(cms_total(other), times, &total) &&
        !__builtin_add_overflow(total, narrow->total, &total) && total <= UINT32_MAX)
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
merge_cells(StateWriter *w, SketchBytes other, uint64_t times)
{
    CmsCells cells = cms_cells_of(other);
    uint64_t block[CMS_BLOCK], *sum64;
    uint32_t *sum32;
    size_t count;
    bool wide;

    if (cms_state(w->state.data)->header.encoding == CMS_WORKING_TABLE32 &&
        !fits_narrow(cms_state(w->state.data), other, times, w->memory))
        cms_widen(w);
    wide = cms_state(w->state.data)->header.encoding == CMS_WORKING_TABLE64;
    sum32 = cms_state_body(cms_state(w->state.data));
    sum64 = cms_state_body(cms_state(w->state.data));
    while ((count = cms_next_cells(&cells, block)) > 0) {
        size_t at = cells.at - count;

        /* No cell is greater than the total, so none overflows. */
        if (wide)
            for (size_t i = 0; i < count; i++)
                sum64[at + i] += block[i] * times;
        else
            for (size_t i = 0; i < count; i++)
                sum32[at + i] += (uint32_t)(block[i] * times);
        state_poll(w, count);
    }
}

/* Adds a table without pending hashes. A list becomes a table of these cells, then of its items. */
static void
merge_table(StateWriter *w, SketchBytes other, uint64_t times)
{
    const CmsState *s = cms_state(w->state.data);
    StateWriter table = {.memory = w->memory};
    CmsItems items;

    if (s->header.encoding != CMS_WORKING_LIST) {
        cms_add_waiting(w);
        merge_cells(w, other, times);
        return;
    }
    items = cms_read_items(s, w->memory);
    table.state = cms_new_table(CMS_WORKING_TABLE32, cms_state_shape(s), s->total, w->memory);
    merge_cells(&table, other, times);
    cms_add_items(&table, &items);
    w->memory->release(items.entries, w->memory->context);
    state_replace(w, table.state);
}

/* Adds another state. A table with pending hashes is copied to count them first. */
static void
merge_state(StateWriter *w, SketchBytes other, uint64_t times)
{
    const CmsState *s = cms_state(other.data);
    StateWriter copy = {.memory = w->memory};

    if (s->header.encoding == CMS_WORKING_LIST) {
        CmsItems items = cms_read_items(s, w->memory);

        for (uint32_t i = 0; i < items.count; i++)
            cms_add_item(w, items.entries[i].hash, items.entries[i].count * times);
        w->memory->release(items.entries, w->memory->context);
    } else if (s->waiting == 0) {
        merge_table(w, other, times);
    } else {
        copy.state = cms_open(other, w->memory);
        cms_add_waiting(&copy);
        merge_table(w, sketch_bytes(copy.state), times);
        w->memory->release_value(copy.state.data, w->memory->context);
    }
}

/*
 * A sketch that counts nothing is neutral, whatever its shape. Of two of different shapes one
 * remains: that of the hash function that comes first, then the wider one, then the deeper one.
 */
static bool
comes_first(CmsShape a, CmsShape b)
{
    if (a.hash != b.hash)
        return a.hash < b.hash;
    return a.width != b.width ? a.width > b.width : a.depth > b.depth;
}

static bool
same_shape(CmsShape a, CmsShape b)
{
    return a.width == b.width && a.depth == b.depth && a.hash == b.hash;
}

/* Adds any value of the same shape; `packed` is what was read of one that is not working. */
static void
merge_value(StateWriter *w, SketchBytes other, const CmsPacked *packed, uint64_t times)
{
    if (sketch_is_working(other.data))
        merge_state(w, other, times);
    else if (packed->encoding == CMS_TABLE)
        merge_table(w, other, times);
    else
        for (uint32_t i = 0; i < packed->count; i++) {
            CmsEntry entry = cms_packed_entry(packed, i);

            cms_add_item(w, entry.hash, entry.count * times);
        }
}

bool
cms_merge_times(SketchState *state, SketchBytes other, uint64_t times, const SketchMemory *memory,
                SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    bool working = sketch_is_working(other.data);
    CmsPacked packed;
    CmsShape mine, theirs;
    uint64_t total;

    if (!state_fits(sketch_bytes(*state), sizeof(CmsState)) ||
        !(working ? state_fits(other, sizeof(CmsState)) : cms_read_packed(other, &packed)))
        return sketch_refuse_damaged(error);
    mine = cms_shape(sketch_bytes(*state));
    theirs = cms_shape(other);
    if (!same_shape(mine, theirs)) {
        bool adds = cms_total(other) > 0 && times > 0;

        if (cms_total(sketch_bytes(*state)) > 0)
            return !adds || cms_check_shape(mine, theirs, error);
        if (!adds && comes_first(mine, theirs))
            return true;
    }
    if (__builtin_mul_overflow(cms_total(other), times, &total))
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
    if (!cms_check_total(cms_state(state->data), total, error))
        return false;
    if (!same_shape(mine, theirs))
        state_replace(&w, cms_new(theirs, memory));
    if (times > 0)
        merge_value(&w, other, &packed, times);
    cms_state(w.state.data)->total += total;
    *state = w.state;
    return true;
}
