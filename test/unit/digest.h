/*
 * digest.h - t-digests beside an oracle: the sorted array of all values that went in.
 *
 * The oracle's answers are the definitions of tdigest/query.c where every value is a centroid of
 * its own; for larger digests it tells how far off a rank is.
 */
#ifndef DIGEST_H
#define DIGEST_H

#include <float.h>
#include <math.h>

#include "check.h"
#include "memory.h"
#include "sorted.h"
#include "core/tdigest/tdigest.h"

/* ---- building ---- */

/* The fast path where there is room, as an aggregate does it. */
static inline void
digest_add(SketchState *state, double value, uint64_t weight)
{
    uint8_t *before = state->data;
    SketchError error;

    if (weight == 1 && tdigest_add(*state, value))
        return;
    if (!tdigest_insert(state, value, weight, &memory, &error))
        expect(false, "%g, weight %llu: %s", value, (unsigned long long)weight, error.reason);
    if (state->data != before)
        memory_release_value(before, NULL);
}

static inline SketchState
digest_new(unsigned compression)
{
    return tdigest_new(compression, 0, NULL, &memory);
}

static inline SketchState
digest_of(const double *values, size_t count, unsigned compression)
{
    SketchState state = digest_new(compression);

    for (size_t i = 0; i < count; i++)
        digest_add(&state, values[i], 1);
    return state;
}

static inline SketchBytes
digest_pack(SketchState state)
{
    return tdigest_ops.pack(sketch_bytes(state), &memory);
}

/* The state as it is sent to another server. */
static inline SketchBytes
digest_transit(SketchState state)
{
    return tdigest_ops.transit(sketch_bytes(state), &memory);
}

/* Packs and releases the state. */
static inline SketchBytes
digest_finish(SketchState state)
{
    SketchBytes packed = digest_pack(state);

    release_state(state);
    return packed;
}

static inline SketchBytes
digest_packed_of(const double *values, size_t count, unsigned compression)
{
    return digest_finish(digest_of(values, count, compression));
}

static inline void
digest_merge(SketchState *state, SketchBytes other)
{
    SketchError error = {.reason = ""};

    if (!merge_into(&tdigest_ops, state, other, &error))
        expect(false, "not merged: %s", error.reason);
}

static inline Tdigest
digest_read(SketchBytes value)
{
    Tdigest digest;

    if (!tdigest_read(&digest, value, &memory)) {
        expect(false, "cannot be read");
        memset(&digest, 0, sizeof digest);
    }
    return digest;
}

static inline void
digest_close(Tdigest *digest)
{
    tdigest_close(digest, &memory);
}

static inline bool
same_values(SketchBytes a, SketchBytes b)
{
    return same_bytes(a.data, a.size, b.data, b.size);
}

/* ---- what holds of every digest ---- */

/* Centroids in order, finite, without -0, none empty, and together the weight. */
static inline bool
digest_sound(const Tdigest *digest)
{
    uint64_t total = 0;

    for (uint32_t i = 0; i < digest->count; i++) {
        const TdigestCentroid *c = &digest->centroids[i];

        if (!isfinite(c->mean) || (c->mean == 0 && signbit(c->mean)) || c->weight == 0 ||
            (i > 0 && c->mean < c[-1].mean) || c->weight > TDIGEST_WEIGHT_MAX - total)
            return false;
        total += c->weight;
    }
    return total == digest->weight;
}

/*
 * A packed value is sound, small enough, passes validation as it is, and comes back from a
 * working copy as it is.
 */
static inline bool
digest_canonical(SketchBytes value)
{
    SketchError error;
    SketchBytes validated, again;
    Tdigest digest = digest_read(value);
    bool good = digest_sound(&digest) && digest.count <= digest.compression * 3 / 4;
    SketchState state = tdigest_ops.open(value, &memory);

    digest_close(&digest);
    again = digest_transit(state);
    release_state(state);
    good = good && same_values(again, value);
    release_bytes(again);
    if (!tdigest_ops.validate(value, &memory, &validated, &error))
        return false;
    good = good && same_values(validated, value);
    release_bytes(validated);
    return good;
}

/* The value some steps of the last place further on; not past the finite ones. */
static inline double
step_from(double value, double towards, unsigned steps)
{
    for (; steps > 0; steps--)
        value = nextafter(value, towards);
    return value;
}

/*
 * Quantiles and ranks do not descend, stay between the extremes, and invert one another to within
 * half a value and what is lost in the last places. `name` is of the digest.
 */
static inline void
expect_consistent(const Tdigest *digest, const char *name)
{
    double weight = (double)digest->weight;
    double low = tdigest_min(digest), high = tdigest_max(digest);
    double slack = 0.5 + weight * 1e-11;
    double before = low, percentile = low, below = 0, asked = -INFINITY;

    for (int i = 0; i <= 1000; i++) {
        double q = i < 100 ? 1e-6 * i * i : i > 900 ? 1 - 1e-6 * (1000 - i) * (1000 - i) : i / 1e3;
        double value = tdigest_quantile(digest, q);

        expect(value >= before && value <= high, "%s: quantile %.17g is %.17g after %.17g", name, q,
               value, before);
        expect(tdigest_below(digest, step_from(value, -INFINITY, 4)) <= q * weight + slack &&
                   tdigest_below(digest, step_from(value, INFINITY, 4)) >= q * weight - slack,
               "%s: quantile %g is %g, whose rank is %.17g of %g", name, q, value,
               tdigest_below(digest, value), weight);
        before = value;
        value = tdigest_percentile(digest, q);
        expect(value >= percentile && value <= high, "%s: percentile %.17g is %.17g after %.17g",
               name, q, value, percentile);
        expect(tdigest_below(digest, step_from(value, -INFINITY, 4)) <= q * weight + slack + 0.5 &&
                   tdigest_below(digest, step_from(value, INFINITY, 4)) >= q * weight - slack - 0.5,
               "%s: percentile %g is %g, whose rank is %.17g of %g", name, q, value,
               tdigest_below(digest, value), weight);
        percentile = value;
    }
    for (uint32_t i = 0; i < digest->count; i++) {
        double mean = digest->centroids[i].mean;
        double next = digest->centroids[i + 1 < digest->count ? i + 1 : i].mean;
        double ask[] = {nextafter(mean, -INFINITY), mean, nextafter(mean, INFINITY),
                        mean + (next / 2 - mean / 2)};

        for (unsigned j = 0; j < 4; j++) {
            double rank = tdigest_below(digest, ask[j]);

            if (ask[j] < asked)
                continue;
            expect(rank >= below && rank <= weight, "%s: rank of %.17g is %.17g after %.17g", name,
                   ask[j], rank, below);
            expect(tdigest_less(digest, ask[j]) <= rank && tdigest_less(digest, ask[j]) >= 0,
                   "%s: less than %.17g is %.17g", name, ask[j], tdigest_less(digest, ask[j]));
            asked = ask[j];
            below = rank;
        }
    }
    expect(tdigest_quantile(digest, 0) == low && tdigest_quantile(digest, 1) == high,
           "%s: quantiles 0 and 1 are the extremes", name);
    expect(tdigest_percentile(digest, 0) == low && tdigest_percentile(digest, 1) == high,
           "%s: percentiles 0 and 1 are the extremes", name);
    expect(tdigest_below(digest, nextafter(low, -INFINITY)) == 0 &&
               tdigest_below(digest, nextafter(high, INFINITY)) == weight,
           "%s: nothing is below the least, all is below more than the greatest", name);
}

/* ---- the oracle ---- */

/* How many are less than a value, or at most it. */
static inline size_t
oracle_count(const double *sorted, size_t count, double value, bool at_most)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (sorted[middle] < value || (at_most && sorted[middle] == value))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of a value beyond the extremes 0 or all, else what is less and half of what is equal. */
static inline double
oracle_below(const double *sorted, size_t count, double value)
{
    return ((double)oracle_count(sorted, count, value, false) +
            (double)oracle_count(sorted, count, value, true)) /
           2;
}

static inline double
oracle_quantile(const double *sorted, size_t count, double q)
{
    size_t index = (size_t)floor(q * (double)count);

    return sorted[index < count ? index : count - 1];
}

/* As percentile_cont is defined: between the two rows around q (n - 1). */
static inline double
oracle_percentile(const double *sorted, size_t count, double q)
{
    double index = q * (double)(count - 1);
    size_t row = (size_t)floor(index);
    double low = sorted[row], high = sorted[row + 1 < count ? row + 1 : row];

    return low == high ? low : low + (index - floor(index)) * (high - low);
}

static inline double
oracle_trimmed_mean(const double *sorted, size_t count, double low, double high)
{
    size_t first = (size_t)floor((double)count * low);
    size_t last = (size_t)ceil((double)count * high);
    long double sum = 0;

    for (size_t i = first; i < last; i++)
        sum += sorted[i];
    return (double)(sum / (long double)(last - first));
}

/* How far the rank of an answer is from the one asked for, as a share of all. */
static inline double
oracle_error(const double *sorted, size_t count, double answer, double q)
{
    double index = q * (double)count;
    double low = (double)oracle_count(sorted, count, answer, false);
    double high = (double)oracle_count(sorted, count, answer, true);

    return (index < low ? low - index : index > high ? index - high : 0) / (double)count;
}

#endif
