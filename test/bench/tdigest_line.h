/*
 * tdigest_line.h - quantiles by lines between the middles of centroids, as t-digests are usually
 * asked, and as ours were before the curve (src/core/tdigest/curve.c).
 */
#ifndef TDIGEST_LINE_H
#define TDIGEST_LINE_H

#include <math.h>

#include "core/tdigest/tdigest.h"

/* A single value fills its unit of the axis of weight. */
static inline double
tdigest_line_half(const TdigestCentroid *c)
{
    return c->weight == 1 ? 0.5 : 0;
}

static double
tdigest_line_quantile(const Tdigest *digest, double q)
{
    const TdigestCentroid *c = digest->centroids;
    const double index = q * (double)digest->weight;
    double middle = (double)c[0].weight / 2;

    if (index < middle)
        return c[0].mean;
    for (uint32_t i = 0; i + 1 < digest->count; i++) {
        double next = middle + ((double)c[i].weight + (double)c[i + 1].weight) / 2;
        double low = middle + tdigest_line_half(&c[i]);
        double high = next - tdigest_line_half(&c[i + 1]);

        if (index < low)
            return c[i].mean;
        if (index < high) {
            double share = (index - low) / (high - low);

            /* Differences may exceed the range of double. */
            return c[i].mean * (1 - share) + c[i + 1].mean * share;
        }
        if (index < next)
            return c[i + 1].mean;
        middle = next;
    }
    return c[digest->count - 1].mean;
}

#endif
