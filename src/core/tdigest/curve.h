/*
 * curve.h - the curve of values over ranks that a digest describes. The essay is in curve.c.
 */
#ifndef TDIGEST_CURVE_H
#define TDIGEST_CURVE_H

#include "tdigest.h"

/*
 * Where single values stand on the axis of weight. TDIGEST_UNITS: each fills its unit, from the
 * weight before it to one more, as Redis counts. TDIGEST_RANKS: each stands at its rank, from 0 to
 * the weight less 1, as PostgreSQL counts.
 */
typedef enum TdigestAxis { TDIGEST_UNITS, TDIGEST_RANKS } TdigestAxis;

/* Returns the value at an index of the axis; beyond its ends, the least or the greatest value. */
extern double tdigest_curve_value(const Tdigest *digest, double index, TdigestAxis axis);

/*
 * Returns the index at which the curve reaches a value, on the axis of units: of values equal to
 * it, half are counted, or none, or all.
 */
typedef enum TdigestEqual { TDIGEST_HALF, TDIGEST_LESS, TDIGEST_UP_TO } TdigestEqual;
extern double tdigest_curve_index(const Tdigest *digest, double value, TdigestEqual equal);

/*
 * Returns the mean of what centroid i, with the weight `before` in front of it, has between two
 * indexes of units.
 */
extern double tdigest_curve_mean(const Tdigest *digest, uint32_t i, uint64_t before, double from,
                                 double to);

#endif
