/*
 * from_histogram.c - histograms: counts of values between bounds, given or growing exponentially.
 *
 * Values are spread evenly inside their bucket; what that costs is in import.c. A bucket that is
 * open to one side has no width: its values stand next to its bound, outside, and the bound is what
 * a percentile among them is; except that the first bucket begins at 0 where its upper bound is
 * positive. Prometheus interpolates by the same rules.
 *
 * A bucket becomes some centroids: each bucket the same few, and large ones more in proportion to
 * their share; and two values next to its bounds. Up to BUCKETS_EXACT buckets make centroids that
 * fit at twice the default compression as they are, so none has values of two buckets and the share
 * below a bound is that of the counts. More buckets become a centroid each, and large ones more;
 * some are merged where these do not fit.
 *
 * Bucket i of an exponential histogram holds the values above b^i up to b^(i+1), with b = 2^(2^-s)
 * at scale s; negative values mirrored. Up to scale 2, where buckets are at least 19% wide, they
 * are spread. In narrower ones values stand at the geometric middle, at most 4.5% away.
 */
#include <float.h>
#include <math.h>

#include "import.h"

#define SCALE_MIN -10
#define SCALE_MAX 20
#define SCALE_NARROW 3

#define POINTS_EACH 10     /* of a bucket, at most, before its share */
#define POINTS_TOGETHER 50 /* of all buckets, before their shares; and as many by shares */
#define COMPRESSION_MAX (2.0 * TDIGEST_COMPRESSION_DEFAULT)
#define BUCKETS_EXACT 80

/* How finely buckets are spread. */
typedef struct Spread {
    uint64_t total;
    uint64_t buckets; /* those that are not empty */
} Spread;

/* Adds up counts, which must not be negative. */
static bool
add_counts(Spread *spread, const int64_t *counts, uint32_t count, const SketchMemory *memory,
           SketchError *error)
{
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (counts[i] < 0)
            return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "A count is negative", counts[i],
                                       0, INT64_MAX);
        if ((uint64_t)counts[i] > TDIGEST_WEIGHT_MAX - spread->total)
            return sketch_refuse(error, SKETCH_OVERFLOW, "The counts add up to more than 2^63-1");
        spread->total += (uint64_t)counts[i];
        spread->buckets += counts[i] > 0;
        sketch_poll(memory, &steps, 1);
    }
    return true;
}

static unsigned
points_each(const Spread *spread)
{
    uint64_t points = POINTS_TOGETHER / (spread->buckets | 1);

    return points < 1 ? 1 : points > POINTS_EACH ? POINTS_EACH : (unsigned)points;
}

static unsigned
points_of(const Spread *spread, uint64_t count)
{
    return points_each(spread) +
           (unsigned)((double)count / (double)spread->total * POINTS_TOGETHER);
}

/* The values of a bucket: of so many buckets that each has a centroid only, in the middle. */
static bool
add_values(TdigestImport *import, double low, double high, uint64_t count, const Spread *spread)
{
    unsigned points = points_of(spread, count);

    return spread->buckets > BUCKETS_EXACT && points == 1
               ? tdigest_import_add(import, low / 2 + high / 2, count)
               : tdigest_import_spread(import, low, high, count, points);
}

static bool
begin(TdigestImport *import, const Spread *spread, const SketchMemory *memory, SketchError *error)
{
    /* With values next to both bounds of each bucket. */
    uint64_t most = spread->buckets * (points_each(spread) + 2) + POINTS_TOGETHER;

    return tdigest_import_begin(import, most, memory, error);
}

/* ---- bounds given ---- */

static bool
check_bounds(const double *bounds, uint32_t count, const SketchMemory *memory, SketchError *error)
{
    size_t steps = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (isnan(bounds[i]) || (isinf(bounds[i]) && i > 0 && i + 1 < count))
            return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "A bound is not a number");
        if (i > 0 && !(bounds[i] > bounds[i - 1]))
            return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "Bounds are not in ascending order");
        sketch_poll(memory, &steps, 1);
    }
    return true;
}

static bool
add_bucket(TdigestImport *import, double low, double high, int64_t count, const Spread *spread)
{
    sketch_poll(import->memory, &import->steps, 1);
    if (count == 0)
        return true;
    if (isinf(low) && isinf(high))
        return sketch_refuse(import->error, SKETCH_OUT_OF_RANGE, "A bucket has no bounds");
    if (isinf(high))
        return tdigest_import_beside(import, low, TDIGEST_ABOVE_BOUND, (uint64_t)count);
    if (isinf(low) && high <= 0)
        return tdigest_import_beside(import, high, TDIGEST_BELOW_BOUND, (uint64_t)count);
    return add_values(import, isinf(low) ? 0 : low, high, (uint64_t)count, spread);
}

bool
tdigest_from_histogram(const double *bounds, uint32_t bounds_count, const int64_t *counts,
                       uint32_t count, const SketchMemory *memory, SketchBytes *value,
                       SketchError *error)
{
    bool open_below = count >= bounds_count;
    Spread spread = {0, 0};
    TdigestImport import;
    bool good;

    if ((int64_t)count - bounds_count < -1 || (int64_t)count - bounds_count > 1 ||
        (count > 0 && bounds_count == 0))
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE,
                                   "The number of counts does not match the number of bounds",
                                   count, bounds_count == 0 ? 0 : (int64_t)bounds_count - 1,
                                   bounds_count == 0 ? 0 : (int64_t)bounds_count + 1);
    if (!check_bounds(bounds, bounds_count, memory, error) ||
        !add_counts(&spread, counts, count, memory, error) ||
        !begin(&import, &spread, memory, error))
        return false;
    good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        uint32_t above = open_below ? i : i + 1; /* the bound at its upper end */

        good = add_bucket(&import, above == 0 ? -INFINITY : bounds[above - 1],
                          above == bounds_count ? INFINITY : bounds[above], counts[i], &spread);
    }
    if (good)
        *value = tdigest_import_finish(&import, TDIGEST_COMPRESSION_DEFAULT, COMPRESSION_MAX);
    tdigest_import_end(&import);
    return good;
}

/* ---- bounds that grow exponentially ---- */

/*
 * 2^(index / 2^scale). Square roots and products only, which are alike on every platform; no
 * library's exp2 decides over stored bytes.
 */
static double
bound(int scale, int64_t index)
{
    double factor = 1, root = 2;
    int64_t exponent;

    if (scale <= 0)
        exponent = index * (INT64_C(1) << -scale);
    else {
        exponent = index >> scale;
        for (int bit = scale - 1; bit >= 0; bit--) {
            root = sqrt(root);
            if (index >> bit & 1)
                factor *= root;
        }
    }
    return exponent > 1100 ? INFINITY : exponent < -1100 ? 0 : ldexp(factor, (int)exponent);
}

/*
 * Buckets from the lowest value to the highest: those of negative values go backwards. No value is
 * outside of the extremes.
 */
static bool
add_buckets(TdigestImport *import, const ExponentialHistogram *h, bool negative,
            const Spread *spread)
{
    const HistogramCounts *buckets = negative ? &h->negative : &h->positive;

    for (uint32_t i = 0; i < buckets->count; i++) {
        uint32_t at = negative ? buckets->count - 1 - i : i;
        int64_t index = (int64_t)buckets->offset + at;
        uint64_t count = (uint64_t)buckets->counts[at];
        double low, high, middle;

        sketch_poll(import->memory, &import->steps, 1);
        if (count == 0)
            continue;
        low = bound(h->scale, index);
        high = fmin(bound(h->scale, index + 1), DBL_MAX);
        if (isinf(low))
            return sketch_refuse(import->error, SKETCH_OUT_OF_RANGE,
                                 "A bucket lies outside the range of double precision");
        middle = low > 0 ? sqrt(low) * sqrt(high) : high / 2;
        if (negative) {
            double upper = -low;

            low = -high;
            high = upper;
            middle = -middle;
        }
        low = fmin(fmax(low, h->min), high);
        high = fmax(fmin(high, h->max), low);
        middle = fmin(fmax(middle, low), high);
        if (!(h->scale < SCALE_NARROW && count > 1 ? add_values(import, low, high, count, spread)
                                                   : tdigest_import_add(import, middle, count)))
            return false;
    }
    return true;
}

/* Bounds of the bucket that has the lowest values, or the highest; of the zero bucket, zeros. */
static void
outer_bucket(const ExponentialHistogram *h, bool highest, double *low, double *high)
{
    const HistogramCounts *far = highest ? &h->positive : &h->negative;
    const HistogramCounts *near = highest ? &h->negative : &h->positive;
    bool negative = !highest;
    int64_t index;
    uint32_t i = far->count;

    while (i > 0 && far->counts[i - 1] == 0)
        i--;
    index = (int64_t)far->offset + i - 1;
    *low = *high = 0;
    if (i == 0) {
        if (h->zeros > 0)
            return;
        negative = highest;
        while (i < near->count && near->counts[i] == 0)
            i++;
        index = (int64_t)near->offset + i;
    }
    *low = bound(h->scale, negative ? index + 1 : index) * (negative ? -1 : 1);
    *high = bound(h->scale, negative ? index : index + 1) * (negative ? -1 : 1);
}

/* Brings the extremes that are known into their buckets. */
static bool
place_extremes(ExponentialHistogram *h, uint64_t total, SketchError *error)
{
    double low, high;

    /* As given: in a bucket of zeros, what is known becomes 0. */
    if (isfinite(h->min) && isfinite(h->max) && h->min > h->max)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The minimum is above the maximum");
    outer_bucket(h, false, &low, &high);
    if (low == high && isfinite(h->min))
        h->min = 0;
    else if (isfinite(h->min) && !histogram_extreme(low, high, &h->min))
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The minimum is not in the lowest bucket");
    outer_bucket(h, true, &low, &high);
    if (low == high && isfinite(h->max))
        h->max = 0;
    else if (isfinite(h->max) && !histogram_extreme(low, high, &h->max))
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                             "The maximum is not in the highest bucket");
    if (h->min > h->max)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The minimum is above the maximum");
    if (total == 1 && isfinite(h->min) && isfinite(h->max) && h->min != h->max)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                             "Of a single value minimum and maximum are not the same");
    if (total == 1 && isfinite(h->min))
        h->max = h->min;
    else if (total == 1 && isfinite(h->max))
        h->min = h->max;
    return true;
}

static bool
set_extremes(TdigestImport *import, const ExponentialHistogram *h)
{
    if (import->count == 0 || (isinf(h->min) && isinf(h->max)))
        return true;
    return tdigest_import_extremes(
        import, isinf(h->min) ? import->centroids[0].mean : h->min,
        isinf(h->max) ? import->centroids[import->count - 1].mean : h->max, TDIGEST_OUTER_MEANS);
}

bool
tdigest_from_exponential_histogram(const ExponentialHistogram *histogram,
                                   const SketchMemory *memory, SketchBytes *value,
                                   SketchError *error)
{
    ExponentialHistogram placed = *histogram, *h = &placed;
    Spread spread = {0, 0};
    TdigestImport import;
    bool good;

    if (h->scale < SCALE_MIN || h->scale > SCALE_MAX)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "Scale out of range", h->scale,
                                   SCALE_MIN, SCALE_MAX);
    if (!add_counts(&spread, &h->zeros, 1, memory, error) ||
        !add_counts(&spread, h->positive.counts, h->positive.count, memory, error) ||
        !add_counts(&spread, h->negative.counts, h->negative.count, memory, error) ||
        (spread.total > 0 && !place_extremes(h, spread.total, error)) ||
        !begin(&import, &spread, memory, error))
        return false;
    good = add_buckets(&import, h, true, &spread) &&
           (h->zeros == 0 || tdigest_import_point(&import, 0, (uint64_t)h->zeros)) &&
           add_buckets(&import, h, false, &spread) && set_extremes(&import, h);
    if (good)
        *value = tdigest_import_finish(&import, TDIGEST_COMPRESSION_DEFAULT, COMPRESSION_MAX);
    tdigest_import_end(&import);
    return good;
}
