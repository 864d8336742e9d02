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

    expect(cms_merge_times(state, other, times, &memory, &error), "merged");
    if (state->data != before.data)
        release_state(before);
}

static inline SketchBytes
pack(SketchState state)
{
    return cms_ops.pack(sketch_bytes(state), &memory);
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
    for (uint64_t i = 0; i < 200; i++)
        expect(cms_query(sketch_bytes(opened), item(i)) == cms_query(packed, item(i)),
               "%s: item %d", what, (int)i);
    expect(cms_total(packed) == cms_total(sketch_bytes(state)), "%s: total", what);
    release_state(opened);
    release_bytes(again);
    release_bytes(packed);
}

/* And of one that is stored in the form it has: the same answers. */
static inline void
check_value(SketchState state, const char *what)
{
    SketchBytes packed = pack(state);

    check_stored(state, what);
    expect(cms_is_exact(packed) == cms_is_exact(sketch_bytes(state)), "%s: form", what);
    for (uint64_t i = 0; i < 200; i++)
        expect(cms_query(packed, item(i)) == cms_query(sketch_bytes(state), item(i)), "%s: item %d",
               what, (int)i);
    release_bytes(packed);
}

#endif
