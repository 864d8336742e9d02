/*
 * merge.c - opening sketches for changes, and merging them.
 */
#include "working.h"

/* Opens a sketch as a list; fails if it is not exact or is too large for a list. */
static bool
open_list(const Topk *topk, const SketchMemory *memory, SketchState *state)
{
    const TopkHeader *h = &topk->header;
    StateWriter w = {.memory = memory};
    size_t bytes = 0;

    for (uint32_t i = 0; i < h->counters; i++)
        bytes += topk_record_bytes(&topk->counters[i].item, topk->counters[i].count);
    if (h->error_bound > 0 || !topk_list_holds(bytes, h->counters))
        return false;
    w.state = topk_new_list(h->k, h->type, bytes <= TOPK_LIST_LOG_BYTES ? 0 : bytes, memory);
    for (uint32_t i = 0; i < h->counters; i++)
        topk_add_item(&w, &topk->counters[i].item, topk->counters[i].count);
    *state = w.state;
    return true;
}

/* Opens a sketch with an index; returns no data if it is damaged: an item has two counters. */
static SketchState
open_indexed(const Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    StateWriter w = {.memory = memory};
    TopkIndexed *s;
    size_t texts = 0;

    for (uint32_t i = 0; h->type == TOPK_TEXT && i < h->counters; i++)
        texts += TOPK_LENGTH_BYTES + topk->counters[i].item.size;
    w.state = topk_new_indexed(h->k, h->type, h->counters, texts, memory);
    s = topk_indexed(topk_state(w.state.data));
    s->state.total = h->total;
    s->error_bound = h->error_bound;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        topk_add_counter(&w, &c->item, c->count, h->error_bound - c->error);
    }
    if (topk_state(w.state.data)->counters == h->counters)
        return w.state;
    memory->release_value(w.state.data, memory->context);
    return (SketchState){NULL, 0};
}

SketchState
topk_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    Topk topk;

    if (!topk_read(&topk, value, memory))
        return (SketchState){NULL, 0};
    if (!open_list(&topk, memory, &state))
        state = open_indexed(&topk, memory);
    topk_close(&topk, memory);
    return state;
}

/*
 * Adds a sketch whose counters have errors.
 *
 * A purge halfway does no harm. The item of a dropped counter occurred at most as often as the
 * error bound; if it comes again, this bound becomes the error of its new counter.
 */
static void
add_bounded(StateWriter *w, const Topk *topk)
{
    const TopkHeader *h = &topk->header;
    TopkIndexed *s;

    if (!topk_has_index(topk_state(w->state.data)))
        topk_make_indexed(w);
    topk_empty_log(w);
    s = topk_indexed(topk_state(w->state.data));
    s->error_bound += h->error_bound;
    s->state.total += h->total;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        topk_add_counter(w, &c->item, c->count, h->error_bound - c->error);
    }
}

bool
topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    TopkState *s = topk_state(state->data);
    const TopkHeader *h;
    Topk topk;

    if (!state_fits(sketch_bytes(*state), sizeof(TopkList)) || !topk_read(&topk, other, memory))
        return sketch_refuse_damaged(error);
    h = &topk.header;
    if (!topk_check_type(s, h->type, error) || !topk_check_total(s, h->total, error)) {
        topk_close(&topk, memory);
        return false;
    }
    if (h->k < s->k)
        s->k = h->k;
    if (h->type != TOPK_NONE)
        s->header.hash = (uint8_t)h->type;
    if (h->error_bound > 0)
        add_bounded(&w, &topk);
    else
        for (uint32_t i = 0; i < h->counters; i++)
            topk_add_item(&w, &topk.counters[i].item, topk.counters[i].count);
    topk_close(&topk, memory);
    *state = w.state;
    return true;
}
