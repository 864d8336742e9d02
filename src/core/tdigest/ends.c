/*
 * ends.c - digests that end beside bounds.
 *
 * A histogram says how many values are up to a bound and how many are above it, and its cdf is that
 * of its counts only if none of them is the bound itself: of values that are equal, half count. So
 * they are put next to the bound, one double above or below. There they stay through all merges. A
 * minimum of 0.9999999999999999 is nobody's bound, though; so a digest says in one byte whether its
 * first and its last value are such neighbours, and then the bound is its minimum or maximum, and
 * its percentile where those values are the answer.
 *
 *     bits 0, 1   the first value: 0 is itself, 1 is below a bound (an open bucket), 2 is above one
 *     bits 2, 3   the last value: 0 is itself, 1 is below a bound, 2 is above one (an open bucket)
 *
 * Where one stops, another bucket may begin, with a value above the same bound: no centroid is made
 * of values on both sides, as if there were a wide gap (neighbors.c, polygon.c).
 *
 * Of a union the ends are those of the digest that reaches farther: the values are kept beside the
 * byte, and mean nothing any more if others are less or greater.
 */
#include <math.h>

#include "tdigest_internal.h"

#define BITS 2
#define MASK 3

/* The bound that a value is next to, or the value. */
static double
bound_of(double value, TdigestBeside beside)
{
    if (beside == TDIGEST_AT_END)
        return value;
    return nextafter(value, beside == TDIGEST_BELOW_BOUND ? INFINITY : -INFINITY) + 0.0;
}

double
tdigest_beside(double bound, TdigestBeside *beside)
{
    double value = bound_of(bound, *beside == TDIGEST_BELOW_BOUND   ? TDIGEST_ABOVE_BOUND
                                   : *beside == TDIGEST_ABOVE_BOUND ? TDIGEST_BELOW_BOUND
                                                                    : TDIGEST_AT_END);

    if (isfinite(value))
        return value;
    /* Nothing is beyond the greatest double. */
    *beside = TDIGEST_AT_END;
    return bound;
}

bool
tdigest_ends_of(uint8_t byte, double low, double high, TdigestEnds *ends)
{
    *ends = (TdigestEnds){low, high, byte & MASK, byte >> BITS};
    return ends->low_beside <= TDIGEST_ABOVE_BOUND && ends->high_beside <= TDIGEST_ABOVE_BOUND &&
           isfinite(bound_of(low, ends->low_beside)) && isfinite(bound_of(high, ends->high_beside));
}

uint8_t
tdigest_ends_byte(const TdigestEnds *ends)
{
    return (uint8_t)(ends->low_beside | ends->high_beside << BITS);
}

TdigestEnds
tdigest_ends(const Tdigest *digest)
{
    TdigestEnds ends = digest->ends;

    if (digest->count == 0)
        return (TdigestEnds){0};
    if (ends.low != digest->centroids[0].mean)
        ends.low_beside = TDIGEST_AT_END;
    if (ends.high != digest->centroids[digest->count - 1].mean)
        ends.high_beside = TDIGEST_AT_END;
    return ends;
}

bool
tdigest_beside_one_bound(double low, double high)
{
    return nextafter(low, INFINITY) == nextafter(high, -INFINITY);
}

void
tdigest_widen_ends(TdigestEnds *ends, const TdigestEnds *other)
{
    if (other->low_beside > TDIGEST_AT_END &&
        (ends->low_beside == TDIGEST_AT_END || other->low < ends->low ||
         (other->low == ends->low && other->low_beside > ends->low_beside))) {
        ends->low = other->low;
        ends->low_beside = other->low_beside;
    }
    if (other->high_beside > TDIGEST_AT_END &&
        (ends->high_beside == TDIGEST_AT_END || other->high > ends->high ||
         (other->high == ends->high && other->high_beside > ends->high_beside))) {
        ends->high = other->high;
        ends->high_beside = other->high_beside;
    }
}

double
tdigest_min(const Tdigest *digest)
{
    return bound_of(digest->centroids[0].mean, tdigest_ends(digest).low_beside);
}

/* Not less than the minimum: two bounds may be one double apart, and their values the same. */
double
tdigest_max(const Tdigest *digest)
{
    double last = digest->centroids[digest->count - 1].mean;

    return fmax(bound_of(last, tdigest_ends(digest).high_beside), tdigest_min(digest));
}

double
tdigest_shown(const Tdigest *digest, double value)
{
    double min = tdigest_min(digest), max = tdigest_max(digest);

    if (value <= digest->centroids[0].mean)
        return min;
    return value >= digest->centroids[digest->count - 1].mean ? max : fmin(fmax(value, min), max);
}
