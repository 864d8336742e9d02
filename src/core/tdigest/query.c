/*
 * query.c - quantiles, ranks and means of a digest.
 *
 * The weight axis: centroid i covers the indexes from W(i), the weight before it, to W(i) + w(i),
 * and its mean stands at the middle. A single value fills its unit of the axis: it is the answer
 * for every index from W(i) to W(i) + 1. Between what neighbouring centroids fill, the value
 * changes linearly. Quantiles and ranks use the same polygon, so they are monotone and inverse to
 * one another. A digest of single values answers its own values: that of index floor(q n).
 *
 * Redis's TDIGEST.* answers the same from the same centroids.
 *
 * tdigest_percentile differs: there a single value stands at the middle of its unit only, and q
 * goes from the middle of the first unit to the middle of the last one. A digest of single values
 * then answers what PostgreSQL's percentile_cont does, to the last digit.
 */
#include <math.h>

#include "tdigest_internal.h"

/* Half the length of the part of the axis that a centroid fills with its own mean. */
static double
half_width(const TdigestCentroid *c)
{
    return c->weight == 1 ? 0.5 : 0;
}

/*
 * The value at a share of the way from one mean to the next. Written so that rounding neither
 * leaves the two nor breaks the order: equal means stay what they are, and a greater share never
 * has a lower value.
 */
static double
between(double low, double high, double share)
{
    double width = high - low;

    return isfinite(width) ? fmin(low + width * share, high) : low * (1 - share) + high * share;
}

/*
 * The value at an index of the weight axis, where the middle of the first centroid stands at
 * `middle`. With `cells` a single value fills its unit of the axis, otherwise only the middle of
 * it.
 */
static double
value_at(const Tdigest *digest, double index, double middle, bool cells)
{
    const TdigestCentroid *c = digest->centroids;

    if (index < middle)
        return c[0].mean;
    for (uint32_t i = 0; i + 1 < digest->count; i++) {
        double next = middle + ((double)c[i].weight + (double)c[i + 1].weight) / 2;

        if (index < next) {
            double low = middle + (cells ? half_width(&c[i]) : 0);
            double high = next - (cells ? half_width(&c[i + 1]) : 0);

            if (index < low)
                return c[i].mean;
            if (index >= high)
                return c[i + 1].mean;
            return between(c[i].mean, c[i + 1].mean, (index - low) / (high - low));
        }
        middle = next;
    }
    return tdigest_max(digest);
}

double
tdigest_at(const Tdigest *digest, double index)
{
    return value_at(digest, index, (double)digest->centroids[0].weight / 2, true);
}

double
tdigest_quantile(const Tdigest *digest, double q)
{
    return tdigest_at(digest, q * (double)digest->weight);
}

/* Counted from the middle of the least value, as PostgreSQL counts its rows. */
double
tdigest_percentile(const Tdigest *digest, double q)
{
    return value_at(digest, q * ((double)digest->weight - 1),
                    ((double)digest->centroids[0].weight - 1) / 2, false);
}

/*
 * The weight below a value; with `half_of_equal` also half of the weight that equals it. Without, a
 * centroid of many whose mean is the value still counts the half that lies below its mean. Weights
 * are added up as integers, so the result never exceeds the whole.
 */
static double
weight_below(const Tdigest *digest, double value, bool half_of_equal)
{
    const TdigestCentroid *c = digest->centroids;
    uint64_t before = 0;

    if (value < tdigest_min(digest))
        return 0;
    if (value > tdigest_max(digest))
        return (double)digest->weight;
    for (uint32_t i = 0; i < digest->count; i++) {
        double middle = (double)before + (double)c[i].weight / 2;

        if (c[i].mean == value) {
            uint64_t equal = c[i].weight;

            if (!half_of_equal)
                return i == 0 ? 0 : middle - half_width(&c[i]);
            while (++i < digest->count && c[i].mean == value)
                equal += c[i].weight;
            return (double)before + (double)equal / 2;
        }
        before += c[i].weight;
        if (i + 1 < digest->count && value < c[i + 1].mean) {
            double next = (double)before + (double)c[i + 1].weight / 2;
            double low = middle + half_width(&c[i]);
            double high = next - half_width(&c[i + 1]);
            double width = c[i + 1].mean - c[i].mean;
            /* Halves, where the difference of two finite values is infinite. */
            double share = isfinite(width)
                               ? (value - c[i].mean) / width
                               : (value / 2 - c[i].mean / 2) / (c[i + 1].mean / 2 - c[i].mean / 2);

            return fmin(fmax(low + (high - low) * share, middle), next);
        }
    }
    return (double)digest->weight;
}

double
tdigest_below(const Tdigest *digest, double value)
{
    return weight_below(digest, value, true);
}

double
tdigest_less(const Tdigest *digest, double value)
{
    return weight_below(digest, value, false);
}

/* The mean of the weight from floor(n low) to ceil(n high); NaN where there is none. */
double
tdigest_trimmed_mean(const Tdigest *digest, double low, double high)
{
    double weight = (double)digest->weight;
    double first = floor(weight * low);
    double last = ceil(weight * high);
    double before = 0, least = 0, mean = 0, taken = 0;

    for (uint32_t i = 0; i < digest->count && before < last; i++) {
        double end = before + (double)digest->centroids[i].weight;
        double share = fmin(end, last) - fmax(before, first);
        double next = digest->centroids[i].mean;

        if (share > 0) {
            double part, step;

            least = taken > 0 ? least : next;
            taken += share;
            part = share / taken;
            step = next - mean;
            /* The difference of two finite values may be infinite, and rounding leads astray. */
            mean = isfinite(step) ? mean + step * part : mean * (1 - part) + next * part;
            mean = fmin(fmax(mean, least), next);
        }
        before = end;
    }
    return taken > 0 ? mean : NAN;
}

double
tdigest_trimmed_sum(const Tdigest *digest, double low, double high)
{
    double weight = (double)digest->weight;

    return tdigest_trimmed_mean(digest, low, high) * (ceil(weight * high) - floor(weight * low));
}
