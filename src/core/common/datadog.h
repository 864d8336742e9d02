/*
 * datadog.h - the buckets of the DDSketch library, and its Protocol Buffers message.
 *
 *     DDSketch       1 IndexMapping   2 Store of positive values   3 Store of negative ones
 *                    4 double, the count of zeros
 *     IndexMapping   1 double gamma   2 double offset   3 interpolation: 0 none, 1 linear,
 *                    2 quadratic, 3 cubic
 *     Store          1 map of index (sint32) to count (double)   2 packed doubles, the counts of
 *                    indexes in a row   3 sint32, the first of these indexes
 *
 * Bin i holds the values from L(i) to L(i+1), where L(i) is gamma^(i - offset), or with an
 * interpolation the inverse of an approximate logarithm. Sketches of the Python library, which
 * rounds indexes up, are read a bin too high.
 *
 * References: C. Masson, J. Rim, H. Lee, DDSketch, VLDB 2019; ddsketch.proto and the mappings of
 * sketches-go and sketches-java.
 */
#ifndef DATADOG_H
#define DATADOG_H

#include "core/sketch.h"

typedef struct DatadogMapping {
    double gamma, offset;
    uint64_t interpolation;
} DatadogMapping;

/* Where bin `index` begins; 0 and infinity where that is outside the range of double. */
extern double datadog_bound(const DatadogMapping *mapping, double index);

/* The relative accuracy a; quantiles are L(i) (1 + a). */
extern double datadog_accuracy(const DatadogMapping *mapping);

/* Reads the mapping of a message, and the count of zeros, which is rounded. */
extern bool datadog_read(SketchBytes message, DatadogMapping *mapping, uint64_t *zeros,
                         SketchError *error);

/*
 * Calls `visit` for each bin of a message that datadog_read accepted whose rounded count is not 0,
 * until it returns false. Bins come in no order, and may come more than once.
 */
typedef bool (*DatadogVisit)(void *context, bool negative, double index, uint64_t count);

extern bool datadog_each_bin(SketchBytes message, DatadogVisit visit, void *context,
                             const SketchMemory *memory, SketchError *error);

/* Wire types of fields. */
enum { DATADOG_VARINT = 0, DATADOG_FIXED64 = 1, DATADOG_BYTES = 2, DATADOG_FIXED32 = 5 };

#endif
