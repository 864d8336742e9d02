/*
 * read.c - sketches of any encoding, opened for reading.
 */
#include "working.h"

/* ---- working encodings ---- */

static TopkHeader
working_header(SketchBytes value)
{
    TopkHeader h = {.type = value.data[3]};

    /* Copied: the value may lie anywhere in a tuple. */
    memcpy(&h.total, value.data + 4, sizeof h.total);
    memcpy(&h.k, value.data + 12, sizeof h.k);
    if (!topk_has_index(value.data))
        return h;
    memcpy(&h.counters, value.data + 24, sizeof h.counters);
    memcpy(&h.error_bound, value.data + 28, sizeof h.error_bound);
    return h;
}

/* Working values are not validated, but a packed value that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    const uint8_t *data = value.data;
    size_t texts;

    if (value.size < TOPK_LIST_BODY || (data[2] != TOPK_LIST && data[2] != TOPK_INDEXED) ||
        (topk_has_index(data) && value.size < TOPK_INDEXED_HEADER + TOPK_LOG_BYTES) ||
        data[3] > TOPK_TEXT || topk_k(data) < TOPK_K_MIN || topk_k(data) > TOPK_K_MAX ||
        *topk_total_at(data) > TOPK_TOTAL_MAX ||
        (data[3] == TOPK_NONE && *topk_total_at(data) > 0) ||
        *topk_log_used_at(data) > topk_log_room(data))
        return false;
    if (!topk_has_index(data))
        return *topk_list_used_at(data) <= value.size - TOPK_LIST_BODY;
    if (data[3] == TOPK_NONE || *topk_error_bound_at(data) > *topk_total_at(data) ||
        *topk_count_at(data) > topk_capacity(data) ||
        topk_capacity(data) > value.size / sizeof(TopkWorkingCounter) ||
        topk_slots(data) > value.size / sizeof(uint32_t))
        return false;
    texts = topk_texts_offset(topk_capacity(data), topk_slots(data));
    if (data[3] == TOPK_BIGINT)
        return texts <= value.size;
    return texts + sizeof(uint32_t) <= value.size &&
           *topk_texts_used_at(data) <= value.size - texts - sizeof(uint32_t);
}

/* Whether a text lies right behind the one before it, which ends at *at. */
static bool
fits_texts(const uint8_t *data, uint64_t word, uint32_t *at)
{
    uint32_t used = *topk_texts_used_at(data);
    uint32_t size;

    if ((uint32_t)word != *at || used - *at < TOPK_LENGTH_BYTES)
        return false;
    size = topk_text_length(topk_texts_of(data), word);
    if (size > TOPK_ITEM_MAX || size > used - *at - TOPK_LENGTH_BYTES)
        return false;
    *at += (uint32_t)TOPK_LENGTH_BYTES + size;
    return true;
}

static bool
read_list(Topk *topk, const uint8_t *data, const SketchMemory *memory)
{
    TopkItems items;
    uint64_t counted = 0;

    if (!topk_read_records(data, &items, memory))
        return false;
    for (uint32_t i = 0; i < items.count; i++)
        counted += items.counters[i].count;
    topk->counters = items.counters;
    topk->header.counters = items.count;
    memory->release(items.slots, memory->context);
    if (counted == topk->header.total)
        return true;
    topk_close(topk, memory);
    return false;
}

/* The counters, with what the log has for them, and behind them items that only the log has. */
static bool
read_counters(Topk *topk, const uint8_t *data, TopkItems *logged, const SketchMemory *memory)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    TopkHeader *h = &topk->header;
    uint64_t left = h->total - h->error_bound;
    uint32_t at = 0, slot, count = h->counters;
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        TopkCounter *c = &topk->counters[i], *more;

        if (counters[i].count == 0 || counters[i].count > left ||
            counters[i].margin > counters[i].count || counters[i].margin > h->error_bound ||
            (data[3] == TOPK_TEXT && !fits_texts(data, counters[i].word, &at)))
            return false;
        left -= counters[i].count;
        *c = (TopkCounter){.item = topk_item_of(data, counters[i].word),
                           .count = counters[i].count,
                           .error = h->error_bound - counters[i].margin};
        sketch_poll(memory, &steps, topk_item_steps(&c->item));
        if (logged->count == 0)
            continue;
        more = topk_items_find(logged, &c->item, topk_word_hash(data, counters[i].word), &slot);
        if (more && more->count <= left) {
            c->count += more->count;
            left -= more->count;
            more->count = 0;
        }
    }
    for (uint32_t i = 0; i < logged->count; i++)
        if (logged->counters[i].count > 0) {
            if (logged->counters[i].count > left)
                return false;
            left -= logged->counters[i].count;
            topk->counters[h->counters] = logged->counters[i];
            topk->counters[h->counters++].error = h->error_bound;
        }
    return h->error_bound > 0 || left == 0;
}

static bool
read_indexed(Topk *topk, const uint8_t *data, const SketchMemory *memory)
{
    TopkItems logged;
    bool good;

    if (!topk_read_records(data, &logged, memory))
        return false;
    topk->counters = memory->scratch(
        ((size_t)topk->header.counters + logged.count) * sizeof(TopkCounter) + 1, memory->context);
    good = read_counters(topk, data, &logged, memory);
    topk_items_close(&logged, memory);
    if (!good)
        topk_close(topk, memory);
    return good;
}

bool
topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    if (!fits_working(value))
        return false;
    topk->header = working_header(value);
    if (topk->header.total == 0)
        topk->header.type = TOPK_NONE;
    return topk_has_index(value.data) ? read_indexed(topk, value.data, memory)
                                      : read_list(topk, value.data, memory);
}

/* ---- any encoding ---- */

TopkHeader
topk_header(SketchBytes value)
{
    return sketch_is_working(value.data) ? working_header(value) : topk_packed_header(value.data);
}

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
