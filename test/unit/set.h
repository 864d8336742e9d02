/*
 * set.h - roaring bitmaps beside an oracle: a sorted array of the values, each once.
 *
 * Random sets come in shapes that exercise every form of container: lone values, dense stretches,
 * runs, whole containers, and values at the ends of the range.
 */
#ifndef SET_H
#define SET_H

#include "check.h"
#include "memory.h"
#include "core/roaring/roaring.h"

typedef struct Set {
    uint64_t *values;
    size_t count, room;
} Set;

static inline int
set_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static inline void
set_append(Set *set, uint64_t value)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 64;
        set->values = realloc(set->values, set->room * sizeof *set->values);
    }
    set->values[set->count++] = value;
}

/* Puts values that were appended in order, each once. */
static inline void
set_settle(Set *set)
{
    size_t left = 0;

    if (set->count > 0)
        qsort(set->values, set->count, sizeof *set->values, set_order);
    for (size_t i = 0; i < set->count; i++)
        if (i == 0 || set->values[i] != set->values[i - 1])
            set->values[left++] = set->values[i];
    set->count = left;
}

static inline void
set_free(Set *set)
{
    free(set->values);
    *set = (Set){NULL, 0, 0};
}

/* How many values are less than `limit`. */
static inline size_t
set_below(const Set *set, uint64_t limit)
{
    size_t low = 0, high = set->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (set->values[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline bool
set_has(const Set *set, uint64_t value)
{
    size_t i = set_below(set, value);

    return i < set->count && set->values[i] == value;
}

static inline Set
set_combine(RoaringOp op, const Set *a, const Set *b)
{
    Set result = {NULL, 0, 0};
    size_t i = 0, j = 0;

    while (i < a->count || j < b->count) {
        bool in_a = i < a->count && (j >= b->count || a->values[i] <= b->values[j]);
        bool in_b = j < b->count && (i >= a->count || b->values[j] <= a->values[i]);
        uint64_t value = in_a ? a->values[i] : b->values[j];

        if (op == ROARING_AND   ? in_a && in_b
            : op == ROARING_OR  ? in_a || in_b
            : op == ROARING_XOR ? in_a != in_b
                                : in_a && !in_b)
            set_append(&result, value);
        i += in_a;
        j += in_b;
    }
    return result;
}

static inline uint64_t
set_random_base(Random *random, SketchKind kind, unsigned spread)
{
    uint64_t max = roaring_value_max(kind);

    switch (random_below(random, 8)) {
    case 0:
        return random_below(random, 4) * 65536;
    case 1:
        return max - random_below(random, 200000);
    case 2:
        return kind == SKETCH_ROARING64 ? (UINT64_C(1) << 32) * (1 + random_below(random, 3)) -
                                              random_below(random, 70000)
                                        : random_below(random, 70000);
    default:
        return random_below(random, (uint64_t)spread * 65536);
    }
}

/* A set of some stretches of different kinds. */
static inline Set
set_random(Random *random, SketchKind kind, unsigned stretches, unsigned spread)
{
    uint64_t max = roaring_value_max(kind);
    Set set = {NULL, 0, 0};

    for (unsigned s = 0; s < stretches; s++) {
        uint64_t base = set_random_base(random, kind, spread);
        unsigned shape = (unsigned)random_below(random, 5);
        uint64_t length = shape == 0   ? 1 + random_below(random, 20)
                          : shape == 1 ? random_below(random, 9000)
                          : shape == 2 ? random_below(random, 70000)
                          : shape == 3 ? random_below(random, 300)
                                       : random_below(random, 3000);

        for (uint64_t i = 0; i < length; i++) {
            uint64_t value = shape == 0   ? base + random_below(random, 1000000)
                             : shape == 1 ? base + random_below(random, 65536)
                             : shape == 4 ? base + 2 * i
                                          : base + i;

            if (value <= max)
                set_append(&set, value);
        }
    }
    set_settle(&set);
    return set;
}

/* ---- the real one ---- */

static inline void
state_add(SketchState *state, uint64_t value)
{
    uint8_t *before = state->data;

    roaring_insert(state, value, &memory);
    if (state->data != before)
        memory_release_value(before, NULL);
}

static inline SketchBytes
set_pack(const Set *set, SketchKind kind)
{
    return roaring_from_sorted(kind, set->values, set->count, &memory);
}

static inline const SketchOps *
set_ops(SketchKind kind)
{
    return kind == SKETCH_ROARING ? &roaring_ops : &roaring64_ops;
}

/* Whether a packed value holds just these, by walking it in both directions. */
static inline bool
set_equals(const Set *set, SketchBytes value)
{
    static uint16_t lows[65536];
    size_t n = 0;

    for (unsigned reverse = 0; reverse < 2; reverse++) {
        RoaringCursor cursor = roaring_cursor(value, reverse, &memory);
        RoaringContainer container;

        n = 0;
        while (roaring_next(&cursor, &container)) {
            uint32_t count = roaring_decode(&container, lows);

            if (count != container.cardinality)
                return false;
            for (uint32_t i = 0; i < count; i++, n++) {
                uint64_t found = container.key << 16 | lows[reverse ? count - 1 - i : i];

                if (n >= set->count || found != set->values[reverse ? set->count - 1 - n : n])
                    return false;
            }
        }
        if (cursor.damaged || n != set->count)
            return false;
    }
    return roaring_cardinality(value, &memory) == (int64_t)set->count;
}

static inline bool
same_value(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

#endif
