/*
 * frequency.h - Count-Min sketches in unit tests: making them, and what holds of each.
 */
#ifndef FREQUENCY_H
#define FREQUENCY_H

#include "check.h"
#include "memory.h"

#include "core/cms/cms.h"
#include "core/cms/cms_internal.h"
#include "core/common/hash.h"

static inline CmsShape
shape(int64_t width, int64_t depth)
{
    CmsShape made;
    SketchError error;

    expect(cms_shape_of_size(width, depth, &made, &error), "%d x %d", (int)width, (int)depth);
    return made;
}

static inline uint64_t
item(uint64_t i)
{
    return hash_int64((int64_t)i);
}

/* Replaces a state as callers of core do: the old one is given back. */
static inline void
insert(SketchState *state, uint64_t hash, uint64_t count)
{
    SketchState before = *state;
    SketchError error;

    expect(cms_insert(state, hash, count, &memory, &error), "inserted");
    if (state->data != before.data)
        release_state(before);
}

static inline void
merge(SketchState *state, SketchBytes other, uint64_t times)
{
    SketchState before = *state;
    SketchError error;

    expect(times == 1 ? cms_ops.merge(state, other, &memory, &error)
                      : cms_merge_times(state, other, times, &memory, &error),
           "merged");
    if (state->data != before.data)
        release_state(before);
}

static inline SketchBytes
pack(SketchState state)
{
    return cms_ops.pack(sketch_bytes(state), &memory);
}

/* The estimate of an item, and whether it is exact, of a state. */
static inline uint64_t
count_of(SketchState state, uint64_t hash)
{
    SketchBytes packed = pack(state);
    uint64_t count = cms_query(packed, hash);

    expect(cms_query(sketch_bytes(state), hash) == 0, "only packed values are asked");
    release_bytes(packed);
    return count;
}

static inline bool
is_exact(SketchState state)
{
    SketchBytes packed = pack(state);
    bool exact = cms_is_exact(packed);

    release_bytes(packed);
    return exact;
}

/* What holds of every value: its bytes are validated, and give the same again. */
static inline void
check_stored(SketchState state, const char *what)
{
    SketchBytes packed = pack(state), validated, again;
    SketchError error = {.reason = ""};
    SketchState opened;
    bool good = cms_ops.validate(packed, &memory, &validated, &error);

    expect(good, "%s: %s", what, good ? "" : error.reason);
    if (good)
        release_bytes(validated);
    opened = cms_ops.open(packed, &memory);
    again = pack(opened);
    expect(again.size == packed.size && memcmp(again.data, packed.data, packed.size) == 0,
           "%s: packed again", what);
    expect(cms_total(packed) == cms_total(sketch_bytes(state)), "%s: total", what);
    release_state(opened);
    release_bytes(again);
    release_bytes(packed);
}

#endif
