/*
 * grow.c - values of topk with an index: making, growing and purging them.
 */
#include "core/common/polled.h"
#include "working.h"

/* Items that take more bytes of text each than this, on average, leave room for fewer counters. */
#define TEXTS_SHARE 128

static size_t
texts_share(uint32_t k)
{
    return (size_t)topk_counters_max(k) * TEXTS_SHARE;
}

/* ---- sizes ---- */

/*
 * The smallest numbers of counters and slots with room for `counters`, and no more room than k
 * allows. (After a union with a smaller k there may be more counters than that.)
 */
static uint32_t
choose_capacity(uint32_t counters, uint32_t k, uint32_t *slots)
{
    uint32_t most = topk_counters_max(k);

    most = most > counters ? most : counters;
    for (*slots = 512;; *slots *= 2)
        for (unsigned eighths = 9; eighths <= 12; eighths += 3) {
            uint32_t capacity = *slots / 16 * eighths;

            if (capacity >= counters)
                return capacity < most ? capacity : most;
        }
}

SketchState
topk_new_indexed(uint32_t k, TopkType type, uint32_t counters, size_t texts,
                 const SketchMemory *memory)
{
    uint32_t slots, capacity = choose_capacity(counters, k, &slots);
    SketchState state = {.size = topk_texts_offset(capacity, slots)};
    uint8_t *data;

    if (type == TOPK_TEXT)
        state.size += sizeof(uint32_t) + texts;
    state.data = data = memory->value(state.size, memory->context);
    memset(data, 0, TOPK_INDEXED_HEADER);
    data[0] = SKETCH_TOPK;
    data[1] = TOPK_VERSION;
    data[2] = TOPK_INDEXED;
    data[3] = (uint8_t)type;
    *topk_field_at(data, 12) = k;
    *topk_field_at(data, 36) = capacity;
    *topk_field_at(data, 40) = slots;
    memset(topk_index_of(data), 0, slots * sizeof(uint32_t));
    if (type == TOPK_TEXT)
        *topk_texts_used_at(data) = 0;
    return state;
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
    for (uint32_t i = 0; i < count; i++) {
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
 * Raises the error bound to the least upper bound that at most `keep` counters exceed, and drops
 * the others. Where many upper bounds are equal and hardly a counter would be left, some that equal
 * the error bound stay: a list of items that are all equally rare still has k of them.
 */
static void
purge(uint8_t *data, uint32_t keep, const SketchMemory *memory)
{
    TopkWorkingCounter *counters = topk_counters_of(data);
    uint32_t count = *topk_count_at(data);
    uint64_t *above = memory->scratch((size_t)count * sizeof *above, memory->context);
    uint32_t equals =
        keep < topk_packed_least(topk_k(data)) ? keep : topk_packed_least(topk_k(data));
    uint32_t kept = 0, used = 0;
    uint64_t rise;

    for (uint32_t i = 0; i < count; i++)
        above[i] = counters[i].count - counters[i].margin;
    rise = topk_nth_largest(above, count, keep + 1, memory);
    memory->release(above, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        bool more = counters[i].count - counters[i].margin > rise;

        equals -= more && equals > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t height = counters[i].count - counters[i].margin;

        if (height < rise || (height == rise && equals == 0))
            continue;
        equals -= height == rise;
        counters[kept] = counters[i];
        counters[kept].margin += rise;
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

/* The same content with room for `counters` and `texts` bytes. The log is empty and not copied. */
static SketchState
regrow(const uint8_t *data, uint32_t counters, size_t texts, const SketchMemory *memory)
{
    uint32_t count = *topk_count_at(data), k = topk_k(data);
    SketchState grown;

    /* Room for more counters is of use only with room for their texts. */
    if (data[3] == TOPK_TEXT && count > 0) {
        uint32_t slots;
        size_t guess = (texts / count + 1) * choose_capacity(counters, k, &slots);
        size_t share = texts_share(k);

        guess = guess < share ? guess : share;
        texts = texts > guess ? texts : guess;
    }
    grown = topk_new_indexed(k, data[3], counters, texts, memory);
    *topk_total_at(grown.data) = *topk_total_at(data);
    *topk_error_bound_at(grown.data) = *topk_error_bound_at(data);
    *topk_count_at(grown.data) = count;
    memcpy(topk_counters_of(grown.data), topk_counters_of(data),
           count * sizeof(TopkWorkingCounter));
    if (data[3] == TOPK_TEXT) {
        *topk_texts_used_at(grown.data) = *topk_texts_used_at(data);
        polled_copy(topk_texts_of(grown.data), topk_texts_of(data), *topk_texts_used_at(data),
                    memory);
    }
    fill_index(grown.data);
    return grown;
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
            purge(w->state.data, count / 2, w->memory);
        } else {
            /* Texts that need room before the counters do get half as much again. */
            if (text && !full)
                texts += texts / 2;
            topk_replace(w, regrow(data, full ? count + 1 : topk_capacity(data), texts, w->memory));
        }
        sketch_poll(w->memory, &w->steps, count);
    }
}
