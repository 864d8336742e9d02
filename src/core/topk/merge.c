/*
 * merge.c - sketches as operands: reading working ones, opening packed ones, merging.
 */
#include "working.h"

/* ---- reading ---- */

TopkHeader
topk_working_header(SketchBytes value)
{
    TopkHeader h = {.type = value.data[3]};

    /* Copied: the value may lie anywhere in a tuple. */
    memcpy(&h.total, value.data + 4, sizeof h.total);
    memcpy(&h.floor, value.data + 12, sizeof h.floor);
    memcpy(&h.k, value.data + 20, sizeof h.k);
    memcpy(&h.counters, value.data + 24, sizeof h.counters);
    return h;
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    const uint8_t *data = value.data;

    if (value.size < HEADER || (data[2] != TOPK_EXACT && data[2] != TOPK_BOUNDED) ||
        data[3] > TOPK_TEXT || k_of(data) < TOPK_K_MIN || k_of(data) > TOPK_K_MAX ||
        *total_at(data) > TOPK_TOTAL_MAX || *floor_at(data) > *total_at(data) ||
        (!is_bounded(data) && *floor_at(data) > 0) ||
        (data[3] == TOPK_NONE && *total_at(data) > 0) || *counters_at(data) > capacity_of(data) ||
        capacity_of(data) > value.size / sizeof(Tally) ||
        slots_of(data) > value.size / sizeof(uint32_t) || value.size < heap_offset(data) ||
        (has_stage(data) && stage_of(data)->count > STAGE_ITEMS))
        return false;
    return data[3] != TOPK_TEXT || (value.size - heap_offset(data) >= sizeof(uint32_t) &&
                                    *used_at(data) <= value.size - heap_offset(data) - 4);
}

/* Whether a text lies in the heap behind the one before it, which ends at *at. */
static bool
fits_heap(const uint8_t *data, uint64_t word, uint32_t *at)
{
    uint32_t used = *used_at(data);
    uint32_t size;

    if ((uint32_t)word != *at || used - *at < LENGTH_BYTES)
        return false;
    size = text_length(heap_of(data), word);
    if (size > TOPK_ITEM_MAX || size > used - *at - LENGTH_BYTES)
        return false;
    *at += (uint32_t)LENGTH_BYTES + size;
    return true;
}

/* Counts a staged item, without the index, which a damaged value may have wrong. */
static void
count_staged(Topk *topk, uint64_t word)
{
    TopkItem item = topk_number((int64_t)word);
    uint32_t place = topk_find(topk, item);

    if (place == topk->header.counters)
        topk->counters[topk->header.counters++] = (TopkCounter){item, 0, topk->header.floor};
    topk->counters[place].count++;
}

bool
topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *data = value.data;
    const Tally *tallies;
    uint32_t staged, at = 0;
    uint64_t left;

    if (!fits_working(value))
        return false;
    topk->header = topk_working_header(value);
    left = topk->header.total - topk->header.floor;
    tallies = tallies_of(data);
    staged = has_stage(data) ? (uint32_t)stage_of(data)->count : 0;
    topk->counters = memory->scratch((topk->header.counters + STAGE_ITEMS) * sizeof(TopkCounter),
                                     memory->context);
    for (uint32_t i = 0; i < topk->header.counters; i++) {
        uint64_t deficit = is_bounded(data) ? deficits_of(data)[i] : 0;

        if (tallies[i].count == 0 || tallies[i].count > left || deficit > tallies[i].count ||
            deficit > topk->header.floor ||
            (data[3] == TOPK_TEXT && !fits_heap(data, tallies[i].word, &at))) {
            topk_close(topk, memory);
            return false;
        }
        left -= tallies[i].count;
        topk->counters[i] = (TopkCounter){.item = item_of(data, tallies[i].word),
                                          .count = tallies[i].count,
                                          .error = topk->header.floor - deficit};
    }
    if (staged > left || (topk->header.floor == 0 && left > staged)) {
        topk_close(topk, memory);
        return false;
    }
    for (uint32_t i = 0; i < staged; i++)
        count_staged(topk, stage_of(data)->words[i]);
    if (topk->header.total == 0)
        topk->header.type = TOPK_NONE;
    return true;
}

/* ---- merging ---- */

SketchState
topk_open_counters(const Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    bool bounded = h->floor > 0;
    size_t heap = 0;
    SketchState state;

    for (uint32_t i = 0; h->type == TOPK_TEXT && i < h->counters; i++)
        heap += LENGTH_BYTES + topk->counters[i].item.size;
    state = topk_new_working(h->k, h->type, h->counters, bounded, heap, memory);
    *total_at(state.data) = h->total;
    *floor_at(state.data) = h->floor;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        topk_add_counter(&state, &c->item, c->count, h->floor - c->error, NULL, memory);
    }
    if (*counters_at(state.data) < h->counters) {
        memory->release_value(state.data, memory->context);
        return (SketchState){NULL, 0};
    }
    return state;
}

SketchState
topk_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    Topk topk;

    if (!topk_read(&topk, value, memory))
        return (SketchState){NULL, 0};
    state = topk_open_counters(&topk, memory);
    topk_close(&topk, memory);
    return state;
}

/*
 * A purge in the middle is no harm: the item of a counter dropped there was added at most as often
 * as the floor then is, which is the error, but for the other's floor, of one that comes later.
 */
bool
topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    const TopkHeader *h;
    Topk topk;

    if (!topk_read(&topk, other, memory))
        return sketch_refuse_damaged(error);
    h = &topk.header;
    if (!topk_check_type(state->data, h->type, error) ||
        !topk_check_total(state->data, h->total, error)) {
        topk_close(&topk, memory);
        return false;
    }
    if (h->k < k_of(state->data))
        *field_at(state->data, 20) = h->k;
    topk_place_staged(state, original, memory);
    if (h->type != TOPK_NONE)
        topk_convert(state, h->type, h->floor > 0, original, memory);
    *floor_at(state->data) += h->floor;
    *total_at(state->data) += h->total;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk.counters[i];

        topk_add_counter(state, &c->item, c->count, h->floor - c->error, original, memory);
    }
    topk_close(&topk, memory);
    return true;
}
