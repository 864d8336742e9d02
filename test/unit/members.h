/*
 * members.h - what the tests of bloom share: filters beside the plain list of what was put in.
 */
#ifndef MEMBERS_H
#define MEMBERS_H

#include <math.h>

#include "core/bloom/bloom.h"
#include "check.h"
#include "memory.h"

/* The n-th of an endless sequence of different hashes; `which` chooses the sequence. */
static inline uint64_t
member(uint64_t which, uint64_t n)
{
    return mix64(mix64(which + 1) + n * UINT64_C(0x9e3779b97f4a7c15));
}

static inline bool
try_insert(SketchState *state, uint64_t hash, SketchError *error)
{
    uint8_t *before = state->data;
    bool good = bloom_add(*state, hash) || bloom_insert(state, hash, &memory, error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

static inline void
insert(SketchState *state, uint64_t hash)
{
    SketchError error = {.reason = ""};

    if (!try_insert(state, hash, &error))
        expect(false, "cannot insert: %s", error.reason);
}

/* Members from..to - 1 of a sequence. */
static inline void
insert_members(SketchState *state, uint64_t which, uint64_t from, uint64_t to)
{
    for (uint64_t n = from; n < to; n++)
        insert(state, member(which, n));
}

static inline SketchBytes
pack(SketchState state)
{
    return bloom_ops.pack(sketch_bytes(state), &memory);
}

/* Packs and releases. */
static inline SketchBytes
finish(SketchState state)
{
    SketchBytes packed = pack(state);

    release_state(state);
    return packed;
}

static inline SketchBytes
filter_of(uint64_t capacity, double rate, unsigned expansion, uint64_t which, uint64_t from,
          uint64_t to)
{
    SketchState state = bloom_new(capacity, rate, expansion, &memory);

    insert_members(&state, which, from, to);
    return finish(state);
}

/* The members added to a packed value, which is released. */
static inline SketchBytes
with_members(SketchBytes value, uint64_t which, uint64_t from, uint64_t to)
{
    SketchState state = bloom_ops.open(value, &memory);

    release_bytes(value);
    insert_members(&state, which, from, to);
    return finish(state);
}

static inline uint64_t
count_missing(SketchBytes value, uint64_t which, uint64_t from, uint64_t to)
{
    uint64_t missing = 0;

    for (uint64_t n = from; n < to; n++)
        missing += !bloom_contains(value, member(which, n));
    return missing;
}

/* How many of so many strangers it takes for members. */
static inline uint64_t
count_false(SketchBytes value, uint64_t strangers)
{
    uint64_t found = 0;

    for (uint64_t n = 0; n < strangers; n++)
        found += bloom_contains(value, member(UINT64_MAX / 2, n));
    return found;
}

/* Whether a rate of at most `rate` explains so many hits: within 4 standard errors of it. */
static inline bool
rate_is_within(uint64_t found, uint64_t strangers, double rate)
{
    double mean = rate * (double)strangers;

    return (double)found <= mean + 4 * sqrt(mean) + 1;
}

static inline Bloom
read_value(SketchBytes value)
{
    Bloom bloom;

    if (!bloom_read(&bloom, value)) {
        expect(false, "cannot be read");
        memset(&bloom, 0, sizeof bloom);
    }
    return bloom;
}

static inline bool
same_value(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

/* Opened and packed it is the same, and so it is through the door. */
static inline bool
canonical(SketchBytes value)
{
    SketchBytes again = finish(bloom_ops.open(value, &memory)), validated;
    SketchError error;
    bool good = same_value(again, value);

    release_bytes(again);
    if (!bloom_ops.validate(value, &memory, &validated, &error)) {
        printf("# refused: %s\n", error.reason);
        return false;
    }
    good = good && same_value(validated, value);
    release_bytes(validated);
    return good;
}

#endif
