/*
 * counted_buckets.h - ddsketches beside an oracle: the values themselves, sorted.
 */
#ifndef COUNTED_BUCKETS_H
#define COUNTED_BUCKETS_H

#include <float.h>
#include <math.h>

#include "check.h"
#include "memory.h"
#include "sorted.h"
#include "core/ddsketch/ddsketch.h"

static inline DdsketchGrid
grid_of(int scale)
{
    return (DdsketchGrid){.mapping = DDSKETCH_EXPONENTIAL, .scale = scale};
}

static inline SketchState
sketch_new(int scale)
{
    DdsketchGrid grid = grid_of(scale);

    return ddsketch_new(&grid, &memory);
}

/* The fast path where there is one, as an aggregate does it. */
static inline void
sketch_add(SketchState *state, double value, uint64_t weight)
{
    uint8_t *before = state->data;
    SketchError error = {.reason = ""};

    if (weight == 1 && ddsketch_add(*state, value))
        return;
    if (!ddsketch_insert(state, value, weight, &memory, &error))
        expect(false, "%g, weight %llu: %s", value, (unsigned long long)weight, error.reason);
    if (state->data != before)
        memory_release_value(before, NULL);
}

static inline SketchState
sketch_of(const double *values, size_t count, int scale)
{
    SketchState state = sketch_new(scale);

    for (size_t i = 0; i < count; i++)
        sketch_add(&state, values[i], 1);
    return state;
}

static inline SketchBytes
sketch_packed(SketchState state)
{
    return ddsketch_ops.pack(sketch_bytes(state), &memory);
}

/* Packs and releases the state. */
static inline SketchBytes
sketch_finish(SketchState state)
{
    SketchBytes packed = sketch_packed(state);

    release_state(state);
    return packed;
}

static inline void
sketch_union(SketchState *state, SketchBytes other)
{
    SketchError error = {.reason = ""};

    if (!merge_into(&ddsketch_ops, state, other, &error))
        expect(false, "not merged: %s", error.reason);
}

static inline bool
sketch_minus(SketchState *state, SketchBytes other, SketchError *error)
{
    uint8_t *before = state->data;
    bool subtracted = ddsketch_subtract(state, other, &memory, error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return subtracted;
}

static inline bool
same_sketch(SketchBytes a, SketchBytes b)
{
    return a.data && b.data && same_bytes(a.data, a.size, b.data, b.size);
}

static inline Ddsketch
sketch_read(SketchBytes value)
{
    Ddsketch sketch;

    if (!ddsketch_read(&sketch, value, &memory)) {
        expect(false, "cannot be read");
        memset(&sketch, 0, sizeof sketch);
        sketch.buckets = memory_scratch(1, NULL);
    }
    return sketch;
}

/* The same buckets and counts, whatever is known of the extremes. */
static inline bool
same_counts(SketchBytes a, SketchBytes b)
{
    Ddsketch x = sketch_read(a), y = sketch_read(b);
    bool same =
        x.total == y.total && x.count == y.count &&
        (x.grid.scale == y.grid.scale || x.total == 0) &&
        same_bytes(x.buckets, x.count * sizeof *x.buckets, y.buckets, y.count * sizeof *y.buckets);

    ddsketch_close(&x, &memory);
    ddsketch_close(&y, &memory);
    return same;
}

/* It passes validation, opening and packing as it is. */
static inline bool
sketch_canonical(SketchBytes packed)
{
    SketchBytes validated, again = sketch_finish(ddsketch_ops.open(packed, &memory));
    SketchError error;
    bool good = same_sketch(again, packed);

    release_bytes(again);
    if (!ddsketch_ops.validate(packed, &memory, &validated, &error))
        return false;
    good = good && same_sketch(validated, packed);
    release_bytes(validated);
    return good;
}

/* The row of percentile_disc, from 0. */
static inline size_t
oracle_row(size_t count, double q)
{
    double row = ceil(q * (double)count);

    return row < 1 ? 0 : (size_t)row - 1;
}

/*
 * Whether an answer is within the relative error of a value; beside it are the error of double
 * precision, and among subnormal numbers the distance of two of them, of which some buckets have
 * two.
 */
static inline bool
is_within(double answer, double value, double relative_error)
{
    long double distance = fabsl((long double)answer - value);

    return distance <=
           fabsl((long double)value) * relative_error * (1 + 0x1p-40L) +
               (fabs(value) < DBL_MIN ? 0x1p-1074L : fabsl((long double)value) * 0x1p-51L);
}

/* ---- values that make it hard ---- */

static inline double
hard_value(Random *random, unsigned kind)
{
    double sign = random_below(random, 3) ? 1 : -1;

    switch (kind % 10) {
    case 0: /* like latencies */
        return exp(3 + sqrt(-2 * log(random_unit(random))) * cos(6.28 * random_unit(random)));
    case 1: /* any exponent */
        return sign * ldexp(1 + random_unit(random), (int)random_below(random, 2046) - 1022);
    case 2: /* subnormal numbers */
        return sign *
               (double)(1 + random_below(random, 1 + (UINT64_C(1) << random_below(random, 52)))) *
               0x1p-1074;
    case 3: /* few values, and zeros */
        return (double)random_below(random, 7) - 3;
    case 4: /* powers of two, and the next to them */
        return sign * nextafter(ldexp(1, (int)random_below(random, 2000) - 1000),
                                random_below(random, 2) ? INFINITY : 0);
    case 5: /* boundaries, and the next to them */ {
        DdsketchGrid grid = grid_of((int)random_below(random, 12) - 3);
        double bound = ddsketch_upper(&grid, (int64_t)random_below(random, 2000) - 1000);

        return sign * (random_below(random, 2) ? bound : fmin(nextafter(bound, INFINITY), DBL_MAX));
    }
    case 6: /* clusters, exponentially far from one another */
        return sign * (ldexp(1, (int)random_below(random, 20) * 50 - 500) *
                       (1 + 1e-3 * random_unit(random)));
    case 7:
        return sign * (random_below(random, 2) ? DBL_MAX : DBL_MIN);
    case 8: /* one bucket after the other */
        return pow(1.0109, (double)random_below(random, 300));
    default:
        return random_unit(random) * 100 - 10;
    }
}

#endif
