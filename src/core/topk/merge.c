/*
 * merge.c - sketches opened for changing, and merged.
 */
#include "working.h"

SketchState
topk_open_counters(const Topk *topk, const SketchMemory *memory)
{
    const TopkHeader *h = &topk->header;
    bool bounded = h->error_bound > 0;
    size_t texts = 0;
    TopkWriter w = {.memory = memory};

    for (uint32_t i = 0; h->type == TOPK_TEXT && i < h->counters; i++)
        texts += TOPK_LENGTH_BYTES + topk->counters[i].item.size;
    w.state = topk_new_working(h->k, h->type, h->counters, bounded, texts, memory);
    *topk_total_at(w.state.data) = h->total;
    *topk_error_bound_at(w.state.data) = h->error_bound;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk->counters[i];

        topk_add_counter(&w, &c->item, c->count, h->error_bound - c->error);
    }
    if (*topk_count_at(w.state.data) < h->counters) {
        memory->release_value(w.state.data, memory->context);
        return (SketchState){NULL, 0};
    }
    return w.state;
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
 * A purge in the middle does no harm. The item of a dropped counter was added at most as often as
 * the error bound says; if the item comes later, this bound is the error of its new counter.
 */
bool
topk_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    TopkWriter w = {*state, state->data, memory, 0};
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
    if (h->k < topk_k(state->data))
        *topk_field_at(state->data, 20) = h->k;
    topk_empty_buffer(&w);
    if (h->type != TOPK_NONE)
        topk_convert(&w, h->type, h->error_bound > 0);
    *topk_error_bound_at(w.state.data) += h->error_bound;
    *topk_total_at(w.state.data) += h->total;
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk.counters[i];

        topk_add_counter(&w, &c->item, c->count, h->error_bound - c->error);
    }
    topk_close(&topk, memory);
    *state = w.state;
    return true;
}
