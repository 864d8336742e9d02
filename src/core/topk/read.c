/*
 * read.c - opening sketches of any encoding for reading.
 */
#include "working.h"

/* ---- states ---- */

static void
read_list(Topk *topk, const TopkState *s, const SketchMemory *memory)
{
    TopkItems items = topk_read_records(s, memory);

    topk->counters = items.counters;
    topk->header.counters = items.count;
    memory->release(items.slots, memory->context);
}

/* Reads the counters, adding what the log has for them, then the items that only the log has. */
static void
read_indexed(Topk *topk, const TopkIndexed *s, const SketchMemory *memory)
{
    TopkItems logged = topk_read_records(&s->state, memory);
    uint32_t count = s->state.counters, slot;
    size_t steps = 0;

    topk->counters = memory->scratch(((size_t)count + logged.count) * sizeof64(TopkCounter) + 1,
                                     memory->context);
    for (uint32_t i = 0; i < count; i++) {
        const TopkWorkingCounter *from = &s->counter[i];
        TopkCounter *c = &topk->counters[i], *more;

        *c = (TopkCounter){.item = topk_item_of(s, from->word),
                           .count = from->count,
                           .error = s->error_bound - from->margin};
        sketch_poll(memory, &steps, topk_item_steps(&c->item));
        if (logged.count == 0)
            continue;
        more = topk_items_find(&logged, &c->item, topk_word_hash(s, from->word), &slot);
        if (more) {
            c->count += more->count;
            more->count = 0;
        }
    }
    for (uint32_t i = 0; i < logged.count; i++)
        if (logged.counters[i].count > 0) {
            topk->counters[count] = logged.counters[i];
            topk->counters[count++].error = s->error_bound;
        }
    topk->header.counters = count;
    topk_items_close(&logged, memory);
}

bool
topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    const TopkState *s = topk_state(value.data);

    if (!state_fits(value, sizeof(TopkList)))
        return false;
    topk->header = topk_header(value);
    if (topk->header.total == 0)
        topk->header.type = TOPK_NONE;
    if (topk_has_index(s))
        read_indexed(topk, topk_indexed(s), memory);
    else
        read_list(topk, s, memory);
    return true;
}

/* ---- any encoding ---- */

bool
topk_read(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    SketchError error;

    if (!sketch_is_working(value.data))
        return value.size >= TOPK_PACKED_HEADER && topk_read_packed(topk, value, memory, &error);
    if (!topk_read_working(topk, value, memory))
        return false;
    topk_sort_by_count(topk->counters, topk->header.counters, memory);
    return true;
}

void
topk_close(Topk *topk, const SketchMemory *memory)
{
    memory->release(topk->counters, memory->context);
    topk->counters = NULL;
}

uint32_t
topk_find(const Topk *topk, TopkItem item)
{
    uint32_t i = 0;

    if (topk->header.type != item.type)
        return topk->header.counters;
    while (i < topk->header.counters && !topk_same_item(&topk->counters[i].item, &item))
        i++;
    return i;
}
