/*
 * grow.c - the sizes of working sketches: making, growing and purging them.
 */
#include "working.h"

/* Bytes of text for each counter, on average, from which on long items cost counters. */
#define TEXTS_SHARE 128

static size_t
texts_share(uint32_t k)
{
    return (size_t)topk_counters_max(k) * TEXTS_SHARE;
}

/* ---- sizes ---- */

/* Counters and slots of a value, and the bytes they and the header take. */
typedef struct TopkLayout {
    uint32_t capacity;
    uint32_t slots;
    size_t bytes;
} TopkLayout;

static TopkLayout
layout_of(TopkType type, uint32_t capacity, uint32_t slots, bool bounded)
{
    return (TopkLayout){capacity, slots,
                        topk_index_offset(type, capacity, slots, bounded) +
                            slots * sizeof(uint32_t)};
}

/*
 * The smallest layout with room for `counters`. It fills a chunk of the allocator, and has no more
 * room than k allows. (After a union with a smaller k there may be more counters than that.)
 */
static TopkLayout
choose_layout(TopkType type, uint32_t counters, uint32_t k, bool bounded)
{
    static const size_t small[] = {128, 200, 256, 512};
    uint32_t most = topk_counters_max(k);
    uint32_t capacity, slots;

    most = most > counters ? most : counters;
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++) {
        capacity = (uint32_t)((small[i] - SKETCH_PREFIX_BYTES - TOPK_WORKING_HEADER) /
                              topk_counter_bytes(bounded));
        if (capacity >= counters)
            return layout_of(type, capacity, 0, bounded);
    }
    for (size_t chunk = 1024; chunk <= 4096; chunk *= 2) {
        slots = (uint32_t)chunk / 16;
        capacity = (uint32_t)((chunk - SKETCH_PREFIX_BYTES - slots * sizeof(uint32_t) -
                               topk_index_offset(type, 0, slots, bounded)) /
                              topk_counter_bytes(bounded));
        if (capacity >= counters)
            return layout_of(type, capacity, slots, bounded);
    }
    for (slots = 512;; slots *= 2)
        for (unsigned eighths = slots > 512 ? 9 : 12; eighths <= 12; eighths += 3) {
            capacity = slots / 16 * eighths;
            if (capacity >= counters)
                return layout_of(type, capacity < most ? capacity : most, slots, bounded);
        }
}

static SketchState
new_working(uint32_t k, TopkType type, TopkLayout layout, bool bounded, size_t texts,
            const SketchMemory *memory)
{
    SketchState state = {.size = layout.bytes};
    uint8_t *data;

    if (type == TOPK_TEXT) {
        size_t chunk = 128;

        state.size += sizeof(uint32_t) + texts;
        while (chunk < state.size + SKETCH_PREFIX_BYTES)
            chunk *= 2;
        if (chunk <= 8192)
            state.size = chunk - SKETCH_PREFIX_BYTES;
    }
    state.data = data = memory->value(state.size, memory->context);
    memset(data, 0, TOPK_WORKING_HEADER);
    data[0] = SKETCH_TOPK;
    data[1] = TOPK_VERSION;
    data[2] = bounded ? TOPK_BOUNDED : TOPK_EXACT;
    data[3] = (uint8_t)type;
    *topk_field_at(data, 20) = k;
    *topk_field_at(data, 28) = layout.capacity;
    *topk_field_at(data, 32) = layout.slots;
    if (topk_has_buffer(data))
        topk_buffer_of(data)->count = 0;
    memset(topk_index_of(data), 0, layout.slots * sizeof(uint32_t));
    if (type == TOPK_TEXT)
        *topk_texts_used_at(data) = 0;
    return state;
}

SketchState
topk_new_working(uint32_t k, TopkType type, uint32_t counters, bool bounded, size_t texts,
                 const SketchMemory *memory)
{
    return new_working(k, type, choose_layout(type, counters, k, bounded), bounded, texts, memory);
}

#define TEXT_GUESS 16 /* bytes of a text, before there are any */

SketchState
topk_new(uint32_t k, TopkType type, const SketchMemory *memory)
{
    TopkLayout layout = choose_layout(type, 1, k, false);

    return new_working(k, type, layout, false, TEXT_GUESS * layout.capacity, memory);
}

/* Enters all counters into an index that is empty or out of date. */
static void
fill_index(uint8_t *data)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    uint32_t slots = topk_slots(data);
    uint32_t count = *topk_count_at(data);
    uint32_t *index = topk_index_of(data);

    memset(index, 0, slots * sizeof *index);
    for (uint32_t i = 0; slots > 0 && i < count; i++) {
        uint32_t hash = topk_word_hash(data, counters[i].word);
        uint32_t at = hash & (slots - 1);

        while (index[at] != 0)
            at = (at + 1) & (slots - 1);
        index[at] = (hash & ~TOPK_POSITION_MASK) | (i + 1);
    }
}

/* ---- purging ---- */

/* Moves a text that is kept to the front; counters lie in the order of their texts. */
static uint64_t
move_text(uint8_t *texts, uint64_t word, uint32_t *used)
{
    uint32_t bytes = topk_text_length(texts, word) + (uint32_t)TOPK_LENGTH_BYTES;
    uint64_t moved = (word & ~(uint64_t)UINT32_MAX) | *used;

    memmove(texts + *used, texts + (uint32_t)word, bytes);
    *used += bytes;
    return moved;
}

/*
 * Raises the error bound of a bounded value to the highest upper bound that `keep` counters exceed,
 * and drops the others. Where many upper bounds are equal and hardly a counter would be left, some
 * that equal the error bound stay: a list of items that are all equally rare still has k of them.
 */
static void
purge(uint8_t *data, uint32_t keep, const SketchMemory *memory)
{
    TopkWorkingCounter *counters = topk_counters_of(data);
    uint64_t *margins = topk_margins_of(data);
    uint32_t count = *topk_count_at(data);
    uint64_t *above = memory->scratch((size_t)count * sizeof *above, memory->context);
    uint32_t equals =
        keep < topk_packed_least(topk_k(data)) ? keep : topk_packed_least(topk_k(data));
    uint32_t kept = 0, used = 0;
    uint64_t rise;

    for (uint32_t i = 0; i < count; i++)
        above[i] = counters[i].count - margins[i];
    rise = topk_nth_largest(above, count, keep + 1, memory);
    memory->release(above, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        bool more = counters[i].count - margins[i] > rise;

        equals -= more && equals > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t height = counters[i].count - margins[i];

        if (height < rise || (height == rise && equals == 0))
            continue;
        equals -= height == rise;
        counters[kept] = counters[i];
        margins[kept] = margins[i] + rise;
        if (data[3] == TOPK_TEXT)
            counters[kept].word = move_text(topk_texts_of(data), counters[i].word, &used);
        kept++;
    }
    if (data[3] == TOPK_TEXT)
        *topk_texts_used_at(data) = used;
    *topk_count_at(data) = kept;
    *topk_error_bound_at(data) += rise;
    fill_index(data);
}

/* ---- growing ---- */

/* The same content with room for `counters` and `texts` bytes, with or without margins. */
static SketchState
regrow(const uint8_t *data, TopkType type, uint32_t counters, size_t texts, bool bounded,
       const SketchMemory *memory)
{
    TopkLayout layout = choose_layout(type, counters, topk_k(data), bounded);
    uint32_t count = *topk_count_at(data);
    SketchState grown;

    /* Room for more counters is of use with room for their items. */
    if (type == TOPK_TEXT) {
        size_t guess = (count > 0 ? texts / count + 1 : TEXT_GUESS) * layout.capacity;
        size_t share = texts_share(topk_k(data));

        guess = guess < share ? guess : share;
        texts = texts > guess ? texts : guess;
    }
    grown = new_working(topk_k(data), type, layout, bounded, texts, memory);
    *topk_total_at(grown.data) = *topk_total_at(data);
    *topk_error_bound_at(grown.data) = *topk_error_bound_at(data);
    *topk_count_at(grown.data) = count;
    memcpy(topk_counters_of(grown.data), topk_counters_of(data),
           count * sizeof(TopkWorkingCounter));
    if (bounded && topk_is_bounded(data))
        memcpy(topk_margins_of(grown.data), topk_margins_of(data), count * sizeof(uint64_t));
    else if (bounded)
        memset(topk_margins_of(grown.data), 0, count * sizeof(uint64_t));
    if (data[3] == TOPK_TEXT) {
        *topk_texts_used_at(grown.data) = *topk_texts_used_at(data);
        memcpy(topk_texts_of(grown.data), topk_texts_of(data), *topk_texts_used_at(data));
    }
    fill_index(grown.data);
    return grown;
}

static void
replace(TopkWriter *w, SketchState fresh)
{
    if (w->state.data != w->original)
        w->memory->release_value(w->state.data, w->memory->context);
    w->state = fresh;
}

void
topk_convert(TopkWriter *w, TopkType type, bool bounded)
{
    uint8_t *data = w->state.data;

    bounded |= topk_is_bounded(data);
    if (data[3] == type && topk_is_bounded(data) == bounded)
        return;
    if (data[3] == TOPK_NONE && type == TOPK_BIGINT && topk_is_bounded(data) == bounded &&
        topk_slots(data) == 0)
        data[3] = TOPK_BIGINT;
    else
        replace(w,
                regrow(data, type, topk_capacity(data),
                       data[3] == TOPK_TEXT ? topk_texts_room(w->state) : 0, bounded, w->memory));
}

void
topk_make_room(TopkWriter *w, size_t bytes)
{
    uint32_t k = topk_k(w->state.data);
    uint32_t most = topk_counters_max(k);
    bool text = w->state.data[3] == TOPK_TEXT;

    for (;;) {
        const uint8_t *data = w->state.data;
        uint32_t count = *topk_count_at(data);
        size_t texts = text ? *topk_texts_used_at(data) + bytes : 0;
        bool full = count >= topk_capacity(data);
        bool long_items = texts > texts_share(k);

        if (!full && (!text || texts <= topk_texts_room(w->state)))
            return;
        if (count >= most || (long_items && count > 2 * topk_packed_least(k)) ||
            texts > TOPK_BYTES_MAX) {
            topk_convert(w, data[3], true);
            purge(w->state.data, *topk_count_at(w->state.data) / 2, w->memory);
        } else {
            /* Texts that need room before the counters do get half as much again. */
            if (text && !full)
                texts += texts / 2;
            replace(w, regrow(data, data[3], full ? count + 1 : topk_capacity(data), texts,
                              topk_is_bounded(data), w->memory));
        }
    }
}
