/*
 * from_ddsketch.c - DDSketch, as its Protocol Buffers message (core/common/datadog.h).
 *
 * The values of a bin stand where the sketch reports them, so the error of the sketch stays. Only
 * wide bins are spread. Counts are rounded. The type ddsketch keeps the bins as they are.
 */
#include <float.h>
#include <math.h>

#include "core/common/datadog.h"
#include "import.h"

#define WIDE 1.25 /* bins whose upper end is this many times the lower one are spread */
#define POINTS 10 /* centroids of a bin that is spread */
#define BIN_BYTES 8

typedef struct Bins {
    TdigestImport import;
    DatadogMapping mapping;
    double accuracy;
    unsigned points;
} Bins;

static bool
add_bin(void *context, bool negative, double index, uint64_t count)
{
    Bins *bins = context;
    double low = datadog_bound(&bins->mapping, index);
    double high = fmin(datadog_bound(&bins->mapping, index + 1), DBL_MAX);
    double middle = fmin(low * (1 + bins->accuracy), high);

    if (!(low <= DBL_MAX))
        return sketch_refuse(bins->import.error, SKETCH_MALFORMED,
                             "A bin lies outside the range of double precision");
    if (bins->points == 1 || count <= 1)
        return count == 0 || tdigest_import_add(&bins->import, negative ? -middle : middle, count);
    return tdigest_import_spread(&bins->import, negative ? -high : low, negative ? -low : high,
                                 count, bins->points);
}

bool
tdigest_from_ddsketch(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                      SketchError *error)
{
    const uint64_t most = input.size / BIN_BYTES; /* bins: each has a count of 8 bytes */
    uint64_t zeros;
    Bins bins;
    bool good;

    if (!datadog_read(input, &bins.mapping, &zeros, error))
        return false;
    bins.accuracy = datadog_accuracy(&bins.mapping);
    bins.points =
        datadog_bound(&bins.mapping, 1) < datadog_bound(&bins.mapping, 0) * WIDE ? 1 : POINTS;
    if (!tdigest_import_begin(&bins.import, most * (bins.points + 2) + 1, memory, error))
        return false;
    good = (zeros == 0 || tdigest_import_point(&bins.import, 0, zeros)) &&
           datadog_each_bin(input, add_bin, &bins, memory, error);
    if (good)
        *value = tdigest_import_finish(&bins.import, TDIGEST_COMPRESSION_DEFAULT,
                                       2.0 * TDIGEST_COMPRESSION_DEFAULT);
    tdigest_import_end(&bins.import);
    return good;
}
