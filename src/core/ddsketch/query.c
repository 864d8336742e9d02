/*
 * query.c - quantiles, ranks and moments.
 *
 * The middle of a bucket represents all of its values; it is off by at most the relative error.
 * Ranks count whole buckets, and a proportional part of the bucket in which the number lies: they
 * are exact at the bounds of buckets. A bucket of positive values includes its upper bound, one of
 * negative values its lower bound. Both are found by bisection: a bound takes an exact power.
 */
#include "ddsketch_internal.h"

#include <math.h>

double
ddsketch_bucket_low(const Ddsketch *sketch, uint32_t i)
{
    const DdsketchBucket *b = &sketch->buckets[i];

    return b->sign == 0  ? 0
           : b->sign > 0 ? ddsketch_lower(&sketch->grid, b->index)
                         : -ddsketch_upper(&sketch->grid, b->index);
}

double
ddsketch_bucket_high(const Ddsketch *sketch, uint32_t i)
{
    const DdsketchBucket *b = &sketch->buckets[i];

    return b->sign == 0  ? 0
           : b->sign > 0 ? ddsketch_upper(&sketch->grid, b->index)
                         : -ddsketch_lower(&sketch->grid, b->index);
}

double
ddsketch_bucket_middle(const Ddsketch *sketch, uint32_t i)
{
    const DdsketchBucket *b = &sketch->buckets[i];

    return b->sign == 0 ? 0 : b->sign * ddsketch_middle(&sketch->grid, b->index);
}

double
ddsketch_at(const Ddsketch *sketch, uint64_t rank)
{
    const DdsketchExtremes e = sketch->extremes;
    uint32_t i = 0, last = sketch->count - 1;

    if (rank <= 1 && isfinite(e.min))
        return e.min;
    if (rank >= sketch->total && isfinite(e.max))
        return e.max;
    while (i < last) {
        uint32_t middle = i + (last - i) / 2;

        if (rank > sketch->buckets[middle].up_to)
            i = middle + 1;
        else
            last = middle;
    }
    return fmin(fmax(ddsketch_bucket_middle(sketch, i), e.min), e.max);
}

/* Returns the value of percentile_disc: of the first row at or above fraction q of the rows. */
double
ddsketch_percentile(const Ddsketch *sketch, double q)
{
    double row = ceil(q * (double)sketch->total);

    return ddsketch_at(sketch, row < 1                        ? 1
                               : row >= (double)sketch->total ? sketch->total
                                                              : (uint64_t)row);
}

/* Interpolates how many values of a bucket are up to `value`; rounds down. */
static uint64_t
part(const Ddsketch *sketch, uint32_t i, double value)
{
    double low = fmax(ddsketch_bucket_low(sketch, i), sketch->extremes.min);
    double high = fmin(ddsketch_bucket_high(sketch, i), sketch->extremes.max);
    uint64_t count = sketch->buckets[i].count;
    double share;

    if (value >= high)
        return count;
    if (value <= low)
        return 0;
    /* Halves, because the width of a bucket may exceed the greatest double. */
    share = (value / 2 - low / 2) / (high / 2 - low / 2) * (double)count;
    return share < (double)count ? (uint64_t)share : count;
}

uint64_t
ddsketch_rank(const Ddsketch *sketch, double value)
{
    const DdsketchExtremes e = sketch->extremes;
    uint32_t i = 0, end = sketch->count;
    uint64_t rank;

    if (value < e.min || (value == e.min && value < 0))
        return 0;
    if (value > e.max || (value == e.max && value >= 0))
        return sketch->total;
    while (i < end) {
        uint32_t middle = i + (end - i) / 2;

        if (ddsketch_bucket_high(sketch, middle) > value)
            end = middle;
        else
            i = middle + 1;
    }
    rank = (i > 0 ? sketch->buckets[i - 1].up_to : 0) +
           (i < sketch->count ? part(sketch, i, value) : 0);
    /* The minimum is counted by now, and the maximum not yet. */
    if (isfinite(e.min) && rank < 1)
        rank = 1;
    return isfinite(e.max) && rank >= sketch->total ? sketch->total - 1 : rank;
}

/* ---- moments ---- */

double
ddsketch_sum(const Ddsketch *sketch)
{
    double sum = 0;

    for (uint32_t i = 0; i < sketch->count; i++)
        sum += (double)sketch->buckets[i].count * ddsketch_bucket_middle(sketch, i);
    if (isfinite(sketch->extremes.min) && isfinite(sketch->extremes.max))
        sum = fmin(fmax(sum, sketch->extremes.min * (double)sketch->total),
                   sketch->extremes.max * (double)sketch->total);
    return sum;
}

/* Returns a power of two; values divided by it do not overflow, and neither do their squares. */
static double
unit(const Ddsketch *sketch)
{
    double low = fabs(ddsketch_bucket_middle(sketch, 0));
    double high = fabs(ddsketch_bucket_middle(sketch, sketch->count - 1));
    int exponent;

    frexp(fmax(low, high), &exponent);
    return ldexp(1, exponent > 1023 ? 1023 : exponent < -1021 ? -1021 : exponent);
}

/* Returns the mean of the middles of buckets. */
static double
mean_of_buckets(const Ddsketch *sketch)
{
    double u = unit(sketch), mean = 0;

    for (uint32_t i = 0; i < sketch->count; i++)
        mean += (double)sketch->buckets[i].count * (ddsketch_bucket_middle(sketch, i) / u);
    /* Rounding must not lead out of the range of values. */
    return fmin(fmax(mean / (double)sketch->total * u, ddsketch_bucket_middle(sketch, 0)),
                ddsketch_bucket_middle(sketch, sketch->count - 1));
}

double
ddsketch_mean(const Ddsketch *sketch)
{
    return fmin(fmax(mean_of_buckets(sketch), sketch->extremes.min), sketch->extremes.max);
}

double
ddsketch_deviation(const Ddsketch *sketch)
{
    double u = unit(sketch), mean = mean_of_buckets(sketch) / u, squares = 0;

    if (sketch->total < 2)
        return NAN;
    for (uint32_t i = 0; i < sketch->count; i++) {
        double distance = ddsketch_bucket_middle(sketch, i) / u - mean;

        squares += (double)sketch->buckets[i].count * distance * distance;
    }
    return sqrt(squares / ((double)sketch->total - 1)) * u;
}
