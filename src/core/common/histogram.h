/*
 * histogram.h - the buckets of one sign of an exponential histogram, as OpenTelemetry has them:
 * bucket i holds the values above b^i up to b^(i+1), with b = 2^(2^-scale).
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stdint.h>

typedef struct HistogramCounts {
    int32_t offset; /* the first index */
    uint32_t count;
    const int64_t *counts;
} HistogramCounts;

#endif
