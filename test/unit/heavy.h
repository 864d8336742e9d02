/*
 * heavy.h - topk sketches beside an oracle: how often every item really was added.
 *
 * Items are numbered; item_of makes a bigint or a text of a number, the same one for the same
 * number. What must hold of any sketch is in heavy_sound: the truth lies within all bounds.
 */
#ifndef HEAVY_H
#define HEAVY_H

#include <math.h>

#include "check.h"
#include "memory.h"
#include "core/topk/topk.h"

/* ---- items ---- */

#define TEXT_MOST 64

/*
 * Item i: bigints of both signs, small ones and such of 64 bits; texts of 0 to 63 bytes, any bytes
 * among them. The number stands at the front of most texts, so that they differ.
 */
static inline TopkItem
item_of(TopkType type, uint32_t i, uint8_t *buffer)
{
    uint64_t mixed = mix64(i);
    uint32_t size = 4 + (uint32_t)(mixed % (TEXT_MOST - 4));

    if (type == TOPK_BIGINT)
        return topk_number(i % 3 == 0 ? (int64_t)(mixed | 1u << 31) : (int64_t)i - 1000);
    if (i == 0)
        return topk_text(buffer, 0);
    for (uint32_t j = 0; j < size; j++)
        buffer[j] = j < 4 ? (uint8_t)(i >> (8 * j)) : (uint8_t)(mixed >> (j % 8 * 8));
    return topk_text(buffer, size);
}

static inline bool
same_item(TopkItem a, TopkItem b)
{
    return a.type == b.type &&
           (a.type == TOPK_BIGINT ? a.number == b.number
                                  : same_bytes(a.bytes, a.size, b.bytes, b.size));
}

/* ---- building ---- */

/* The fast path where there is room, as an aggregate does it. */
static inline void
heavy_insert(SketchState *state, TopkItem item, uint64_t weight)
{
    uint8_t *before = state->data;
    SketchError error;

    if (weight == 1 && (item.type == TOPK_BIGINT ? topk_add_number(*state, item.number)
                                                 : topk_add_text(*state, item.bytes, item.size)))
        return;
    if (!topk_insert(state, item, weight, &memory, &error))
        expect(false, "not added: %s", error.reason);
    if (state->data != before)
        memory_release_value(before, NULL);
}

/* A sketch, and how often each of `items` items was added to it. */
typedef struct Heavy {
    SketchState state;
    TopkType type;
    uint32_t items;
    uint64_t *truth;
} Heavy;

static inline Heavy
heavy_new(uint32_t k, TopkType type, uint32_t items)
{
    return (Heavy){topk_new(k, TOPK_NONE, &memory), type, items, calloc(items, sizeof(uint64_t))};
}

static inline void
heavy_add(Heavy *heavy, uint32_t i, uint64_t weight)
{
    uint8_t buffer[TEXT_MOST];

    heavy_insert(&heavy->state, item_of(heavy->type, i, buffer), weight);
    heavy->truth[i] += weight;
}

static inline void
heavy_free(Heavy *heavy)
{
    release_state(heavy->state);
    free(heavy->truth);
}

static inline SketchBytes
heavy_pack(SketchState state)
{
    return topk_ops.pack(sketch_bytes(state), &memory);
}

static inline Topk
heavy_read(SketchBytes value)
{
    Topk topk;

    if (!topk_read(&topk, value, &memory)) {
        expect(false, "cannot be read");
        topk.header = (TopkHeader){.k = 1};
        topk.counters = memory_scratch(1, NULL);
    }
    return topk;
}

static inline void
heavy_close(Topk *topk)
{
    topk_close(topk, &memory);
}

/* `other` becomes part of `heavy`, packed on the way or not. */
static inline void
heavy_merge(Heavy *heavy, const Heavy *other, bool packed)
{
    SketchBytes value = packed ? heavy_pack(other->state) : sketch_bytes(other->state);
    SketchError error = {.reason = ""};

    if (!merge_into(&topk_ops, &heavy->state, value, &error))
        expect(false, "not merged: %s", error.reason);
    if (packed)
        release_bytes(value);
    for (uint32_t i = 0; i < heavy->items; i++)
        heavy->truth[i] += other->truth[i];
}

/* ---- what must hold ---- */

/*
 * The truth lies within the bounds of every item, counters are in order, and the header is theirs.
 * Truths are of a sketch that was never decayed.
 */
static inline void
heavy_sound(const Heavy *heavy, SketchBytes value, const char *what)
{
    Topk topk = heavy_read(value);
    const TopkHeader *h = &topk.header;
    uint64_t total = 0, counted = 0, missing = 0;
    uint8_t buffer[TEXT_MOST];

    for (uint32_t i = 0; i < heavy->items; i++) {
        total += heavy->truth[i];
        missing += heavy->truth[i] > 0;
    }
    /* Items are looked for in both, one by one, where there are few, or else a sample of them. */
    for (uint32_t i = 0; i < heavy->items; i += 1 + heavy->items / 2000) {
        uint32_t at = topk_find(&topk, item_of(heavy->type, i, buffer));
        uint64_t low = at < h->counters ? topk.counters[at].count : 0;
        uint64_t high = at < h->counters ? low + topk.counters[at].error : h->error_bound;

        expect(heavy->truth[i] >= low && heavy->truth[i] <= high,
               "%s: item %u: %llu, not in %llu .. %llu", what, i,
               (unsigned long long)heavy->truth[i], (unsigned long long)low,
               (unsigned long long)high);
        expect(low > 0 || at == h->counters, "%s: item %u: a counter of nothing", what, i);
    }
    for (uint32_t i = 0; i < h->counters; i++) {
        const TopkCounter *c = &topk.counters[i];

        counted += c->count;
        expect(c->error <= h->error_bound && c->count + c->error >= h->error_bound,
               "%s: counter %u against the error bound", what, i);
        expect(i == 0 || c[-1].count > c->count ||
                   (c[-1].count == c->count && c[-1].error >= c->error),
               "%s: counter %u is out of order", what, i);
    }
    expect(h->total == total, "%s: total %llu, not %llu", what, (unsigned long long)h->total,
           (unsigned long long)total);
    expect(h->error_bound > 0 ? counted + h->error_bound <= total
                              : counted == total && h->counters == missing,
           "%s: counts add up to %llu of %llu", what, (unsigned long long)counted,
           (unsigned long long)total);
    expect(h->counters >= h->k || h->error_bound == 0 || h->k > 1000,
           "%s: only %u counters for k = %u", what, h->counters, h->k);
    heavy_close(&topk);
}

/* The same of a state and of all that becomes of it. */
static inline void
heavy_check(const Heavy *heavy, const char *what)
{
    SketchBytes packed = heavy_pack(heavy->state), again;
    SketchState opened = topk_ops.open(packed, &memory);
    SketchError error;

    heavy_sound(heavy, sketch_bytes(heavy->state), what);
    heavy_sound(heavy, packed, what);
    if (opened.data) {
        heavy_sound(heavy, sketch_bytes(opened), what);
        again = heavy_pack(opened);
        expect(same_bytes(again.data, again.size, packed.data, packed.size),
               "%s: opened and packed, it is another", what);
        release_bytes(again);
        release_state(opened);
    } else
        expect(false, "%s: cannot be opened", what);
    if (topk_ops.validate(packed, &memory, &again, &error)) {
        expect(same_bytes(again.data, again.size, packed.data, packed.size),
               "%s: validated, it is another", what);
        release_bytes(again);
    } else
        expect(false, "%s: refused: %s", what, error.reason);
    release_bytes(packed);
}

/* An item number whose frequency is about 1 / (1 + number). */
static inline uint32_t
zipf(Random *random, uint32_t items)
{
    uint32_t x = (uint32_t)pow(items + 1.0, random_unit(random)) - 1;

    return x < items ? x : items - 1;
}

#endif
