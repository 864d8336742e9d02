/*
 * query.c - quantiles, ranks and means of a digest, all read from its curve (curve.c).
 *
 * The weight axis: centroid i covers the indexes from W(i), the weight before it, to W(i) + w(i). A
 * single value fills its unit of the axis: it is the answer for every index from W(i) to W(i) + 1.
 * Quantiles and ranks use the same curve, so they are monotone and inverse to one another. A digest
 * of single values answers its own values: that of index floor(q n).
 *
 * Redis's TDIGEST.* answers the same, but that it has lines between centroids.
 *
 * tdigest_percentile differs: there a value stands at its rank, from 0 to n - 1, and q is that
 * share of the way. A digest of single values then answers what PostgreSQL's percentile_cont does,
 * to the last digit.
 *
 * A trimmed mean has the means of centroids, and at its two ends the mean of the curve: that of all
 * values is theirs.
 */
#include <math.h>

#include "curve.h"
#include "tdigest_internal.h"

double
tdigest_at(const Tdigest *digest, double index)
{
    return tdigest_shown(digest, tdigest_curve_value(digest, index, TDIGEST_UNITS));
}

double
tdigest_quantile(const Tdigest *digest, double q)
{
    return tdigest_at(digest, q * (double)digest->weight);
}

/*
 * In an open bucket, into which q times the weight falls, a percentile is the bound: nothing is
 * known of the way there.
 */
static bool
in_open_bucket(const Tdigest *digest, double index, double *bound)
{
    const TdigestEnds ends = tdigest_ends(digest);

    if (ends.low_beside == TDIGEST_BELOW_BOUND && index <= tdigest_up_to(digest, ends.low))
        *bound = tdigest_min(digest);
    else if (ends.high_beside == TDIGEST_ABOVE_BOUND && index >= tdigest_less(digest, ends.high))
        *bound = tdigest_max(digest);
    else
        return false;
    return true;
}

double
tdigest_percentile(const Tdigest *digest, double q)
{
    double bound;

    /* Beyond 2^53 rows the last one's index is no double of its own. */
    if (q >= 1)
        return tdigest_max(digest);
    if (in_open_bucket(digest, q * (double)digest->weight, &bound))
        return bound;
    return tdigest_shown(
        digest, tdigest_curve_value(digest, q * ((double)digest->weight - 1), TDIGEST_RANKS));
}

double
tdigest_below(const Tdigest *digest, double value)
{
    return tdigest_curve_index(digest, value, TDIGEST_HALF);
}

double
tdigest_less(const Tdigest *digest, double value)
{
    return tdigest_curve_index(digest, value, TDIGEST_LESS);
}

double
tdigest_up_to(const Tdigest *digest, double value)
{
    return tdigest_curve_index(digest, value, TDIGEST_UP_TO);
}

/* The mean of the weight from floor(n low) to ceil(n high); NaN where there is none. */
double
tdigest_trimmed_mean(const Tdigest *digest, double low, double high)
{
    double weight = (double)digest->weight;
    double first = floor(weight * low);
    double last = ceil(weight * high);
    double least = 0, mean = 0, taken = 0;
    const bool to_end = last >= weight;
    uint64_t before = 0;

    for (uint32_t i = 0; i < digest->count && (to_end || (double)before < last); i++) {
        const TdigestCentroid *c = &digest->centroids[i];
        double from = fmax((double)before, first);
        double to = fmin((double)(before + c->weight), last);
        /* Of ranks past 2^53, differences are rounded. */
        bool whole = first <= (double)before && (to_end || (double)(before + c->weight) <= last);
        double share = whole ? (double)(int64_t)c->weight : to - from;

        if (share > 0) {
            double next = whole ? c->mean : tdigest_curve_mean(digest, i, before, from, to);
            double part, step;

            least = taken > 0 ? least : next;
            taken += share;
            part = share / taken;
            step = next - mean;
            /* The difference of two finite values may be infinite, and rounding leads astray. */
            mean = isfinite(step) ? mean + step * part : mean * (1 - part) + next * part;
            mean = fmin(fmax(mean, least), next);
        }
        before += c->weight;
    }
    return taken > 0 ? tdigest_shown(digest, mean) : NAN;
}

double
tdigest_trimmed_sum(const Tdigest *digest, double low, double high)
{
    double weight = (double)digest->weight;

    return tdigest_trimmed_mean(digest, low, high) * (ceil(weight * high) - floor(weight * low));
}
