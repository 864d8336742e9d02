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
    memcpy(&h.error_bound, value.data + 12, sizeof h.error_bound);
    memcpy(&h.k, value.data + 20, sizeof h.k);
    memcpy(&h.counters, value.data + 24, sizeof h.counters);
    return h;
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    const uint8_t *data = value.data;

    if (value.size < TOPK_WORKING_HEADER || (data[2] != TOPK_EXACT && data[2] != TOPK_BOUNDED) ||
        data[3] > TOPK_TEXT || topk_k(data) < TOPK_K_MIN || topk_k(data) > TOPK_K_MAX ||
        *topk_total_at(data) > TOPK_TOTAL_MAX ||
        *topk_error_bound_at(data) > *topk_total_at(data) ||
        (!topk_is_bounded(data) && *topk_error_bound_at(data) > 0) ||
        (data[3] == TOPK_NONE && *topk_total_at(data) > 0) ||
        *topk_count_at(data) > topk_capacity(data) ||
        topk_capacity(data) > value.size / sizeof(TopkWorkingCounter) ||
        topk_slots(data) > value.size / sizeof(uint32_t) || value.size < topk_texts_offset(data) ||
        (topk_has_buffer(data) && topk_buffer_of(data)->count > TOPK_BUFFER_ITEMS))
        return false;
    return data[3] != TOPK_TEXT ||
           (value.size - topk_texts_offset(data) >= sizeof(uint32_t) &&
            *topk_texts_used_at(data) <= value.size - topk_texts_offset(data) - 4);
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

/* Counts a buffered item without the index, which a damaged value may have wrong. */
static void
count_buffered(Topk *topk, uint64_t word)
{
    TopkItem item = topk_number((int64_t)word);
    uint32_t position = topk_find(topk, item);

    if (position == topk->header.counters)
        topk->counters[topk->header.counters++] = (TopkCounter){item, 0, topk->header.error_bound};
    topk->counters[position].count++;
}

bool
topk_read_working(Topk *topk, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *data = value.data;
    const TopkWorkingCounter *counters;
    uint32_t buffered, at = 0;
    uint64_t left;
    size_t steps = 0;

    if (!fits_working(value))
        return false;
    topk->header = working_header(value);
    left = topk->header.total - topk->header.error_bound;
    counters = topk_counters_of(data);
    buffered = topk_has_buffer(data) ? (uint32_t)topk_buffer_of(data)->count : 0;
    topk->counters = memory->scratch(
        (topk->header.counters + TOPK_BUFFER_ITEMS) * sizeof(TopkCounter), memory->context);
    for (uint32_t i = 0; i < topk->header.counters; i++) {
        uint64_t margin = topk_is_bounded(data) ? topk_margins_of(data)[i] : 0;

        if (counters[i].count == 0 || counters[i].count > left || margin > counters[i].count ||
            margin > topk->header.error_bound ||
            (data[3] == TOPK_TEXT && !fits_texts(data, counters[i].word, &at))) {
            topk_close(topk, memory);
            return false;
        }
        left -= counters[i].count;
        sketch_poll(memory, &steps, 1);
        topk->counters[i] = (TopkCounter){.item = topk_item_of(data, counters[i].word),
                                          .count = counters[i].count,
                                          .error = topk->header.error_bound - margin};
    }
    if (buffered > left || (topk->header.error_bound == 0 && left > buffered)) {
        topk_close(topk, memory);
        return false;
    }
    for (uint32_t i = 0; i < buffered; i++)
        count_buffered(topk, topk_buffer_of(data)->words[i]);
    if (topk->header.total == 0)
        topk->header.type = TOPK_NONE;
    return true;
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

static bool
same_item(const TopkItem *a, const TopkItem *b)
{
    if (a->type != b->type)
        return false;
    return a->type == TOPK_BIGINT ? a->number == b->number
                                  : a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

uint32_t
topk_find(const Topk *topk, TopkItem item)
{
    uint32_t i = 0;

    while (i < topk->header.counters && !same_item(&topk->counters[i].item, &item))
        i++;
    return i;
}
