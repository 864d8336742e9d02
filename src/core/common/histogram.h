/*
 * histogram.h - exponential histograms, as OpenTelemetry has them: bucket i holds the values above
 * b^i up to b^(i+1), with b = 2^(2^-scale); those of negative values mirror them.
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* The buckets of one sign. */
typedef struct HistogramCounts {
    int32_t offset; /* the first index */
    uint32_t count;
    const int64_t *counts;
} HistogramCounts;

typedef struct ExponentialHistogram {
    int scale;
    int64_t zeros;
    HistogramCounts positive, negative;
    double min, max; /* -INFINITY and INFINITY if they are not known */
} ExponentialHistogram;

/*
 * Brings an extreme, which is known, into the bucket of all that is at that end, whose least and
 * greatest value these are: the logarithm by which a program chose the bucket may have been
 * rounded. Returns false if the extreme is elsewhere.
 */
static inline bool
histogram_extreme(double least, double greatest, double *extreme)
{
    double inside = fmin(fmax(*extreme, least), greatest);
    bool near = fabs(inside - *extreme) <= 0x1p-40 * fabs(*extreme);

    *extreme = inside;
    return near;
}

#endif
