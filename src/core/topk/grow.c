/*
 * grow.c - states of topk with an index: making, growing and purging them.
 */
#include "core/common/polled.h"
#include "working.h"

/* Bytes per counter for texts; if items take more on average, there are fewer counters. */
#define TEXTS_SHARE 128

static size_t
texts_share(uint32_t k)
{
    return (size_t)topk_counters_max(k) * TEXTS_SHARE;
}

/* ---- sizes ---- */

/*
 * Returns the smallest capacity for `counters`, and sets *slots. The capacity is no more than k
 * allows, unless there are already more counters, as after a union with a smaller k.
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
    size_t bytes = sizeof(TopkIndexed) + capacity * sizeof(TopkWorkingCounter) +
                   slots * sizeof(uint32_t) + (type == TOPK_TEXT ? sizeof(uint32_t) + texts : 0);
    SketchState state = state_new(SKETCH_TOPK, TOPK_INDEXED, (uint8_t)type, bytes,
                                  offsetof(TopkIndexed, log), memory);
    TopkIndexed *s = topk_indexed(topk_state(state.data));

    s->state.k = k;
    s->capacity = capacity;
    s->slots = slots;
    memset(topk_index(s), 0, slots * sizeof(uint32_t));
    if (type == TOPK_TEXT)
        *topk_texts_used(s) = 0;
    return state;
}

/* Builds the index of all counters anew. */
static void
fill_index(TopkIndexed *s)
{
    uint32_t *index = topk_index(s);

    memset(index, 0, s->slots * sizeof *index);
    for (uint32_t i = 0; i < s->state.counters; i++) {
        uint32_t hash = topk_word_hash(s, s->counter[i].word);
        uint32_t at = hash & (s->slots - 1);

        while (index[at] != 0)
            at = (at + 1) & (s->slots - 1);
        index[at] = (hash & ~TOPK_POSITION_MASK) | (i + 1);
    }
}

/* ---- purging ---- */

/* Moves a text that is kept to the front; returns its new word. Texts come in counter order. */
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
 * Raises the error bound to the lowest upper bound that at most `keep` counters exceed, and drops
 * the others. If many upper bounds are equal and hardly a counter would be left, some that equal
 * the error bound stay: even if all items are equally rare, the list has k of them.
 */
static void
purge(TopkIndexed *s, uint32_t keep, const SketchMemory *memory)
{
    TopkWorkingCounter *counters = s->counter;
    uint32_t count = s->state.counters;
    uint64_t *above = memory->scratch((size_t)count * sizeof64(*above), memory->context);
    uint32_t least = topk_packed_least(s->state.k), equals = keep < least ? keep : least;
    uint32_t kept = 0, used = 0;
    bool text = topk_type(&s->state) == TOPK_TEXT;
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
        if (text)
            counters[kept].word = move_text(topk_texts(s), counters[i].word, &used);
        kept++;
    }
    if (text)
        *topk_texts_used(s) = used;
    s->state.counters = kept;
    s->error_bound += rise;
    fill_index(s);
}

/* ---- growing ---- */

/* Copies the counters, with room for `counters` and `texts` bytes; the log must be empty. */
static SketchState
grown(const TopkIndexed *s, uint32_t counters, size_t texts, const SketchMemory *memory)
{
    uint32_t count = s->state.counters, k = s->state.k;
    bool text = topk_type(&s->state) == TOPK_TEXT;
    SketchState state;
    TopkIndexed *to;

    /* Room for more counters is useless without room for their texts. */
    if (text && count > 0) {
        uint32_t slots;
        size_t guess = (texts / count + 1) * choose_capacity(counters, k, &slots);
        size_t share = texts_share(k);

        guess = guess < share ? guess : share;
        texts = texts > guess ? texts : guess;
    }
    state = topk_new_indexed(k, topk_type(&s->state), counters, texts, memory);
    to = topk_indexed(topk_state(state.data));
    to->state.total = s->state.total;
    to->error_bound = s->error_bound;
    to->state.counters = count;
    memcpy(to->counter, s->counter, count * sizeof *s->counter);
    if (text) {
        *topk_texts_used(to) = *topk_texts_used(s);
        polled_copy(topk_texts(to), topk_texts(s), *topk_texts_used(s), memory);
    }
    fill_index(to);
    return state;
}

void
topk_make_room(StateWriter *w, size_t bytes)
{
    const TopkState *state = topk_state(w->state.data);
    uint32_t k = state->k, most = topk_counters_max(k);
    bool text = topk_type(state) == TOPK_TEXT;

    for (;;) {
        TopkIndexed *s = topk_indexed(topk_state(w->state.data));
        uint32_t count = s->state.counters;
        size_t texts = text ? *topk_texts_used(s) + bytes : 0;
        bool full = count >= s->capacity;
        bool long_items = texts > texts_share(k);

        if (!full && (!text || texts <= topk_texts_room(w->state)))
            return;
        if (count >= most || (long_items && count > 2 * topk_packed_least(k)) ||
            texts > TOPK_BYTES_MAX) {
            purge(s, count / 2, w->memory);
        } else {
            /* If it is the texts that need room, they get half as much again. */
            if (text && !full)
                texts += texts / 2;
            state_replace(w, grown(s, full ? count + 1 : s->capacity, texts, w->memory));
        }
        state_poll(w, count);
    }
}
