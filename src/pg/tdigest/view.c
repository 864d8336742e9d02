/*
 * view.c - a digest to look at: its centroids, a histogram, a sparkline, a line about it.
 *
 * SQL objects served: tdigest_centroids, tdigest_histogram, tdigest_sparkline, tdigest_describe.
 * All are STRICT; of an empty digest the first two have no rows and the third is NULL.
 */
#include "tdigest.h"

#include <math.h>

#include "utils/builtins.h"

#include "pg/shared/describe.h"
#include "pg/shared/quantile_functions.h"

/* The rows of a set-returning function, computed at its first call. */
typedef struct Rows {
    uint32 at;
    uint32 count;
    double *bounds; /* of a histogram: one more than rows; of centroids: their means */
    int64 *counts;
} Rows;

static Rows *
new_rows(uint32 count)
{
    Rows *rows = palloc0(sizeof *rows);

    rows->count = count;
    rows->bounds = palloc((count + 1) * sizeof(double));
    rows->counts = palloc((count + 1) * sizeof(int64));
    return rows;
}

static void *
begin_centroids(FunctionCallInfo fcinfo)
{
    Tdigest digest;
    Rows *rows;

    if (!tdigest_read(&digest, sketch_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    rows = new_rows(digest.count);
    for (uint32 i = 0; i < digest.count; i++) {
        rows->bounds[i] = tdigest_shown(&digest, digest.centroids[i].mean);
        rows->counts[i] = (int64)digest.centroids[i].weight;
    }
    return rows;
}

static bool
next_centroid(void *begun, Datum *values, bool *nulls)
{
    Rows *rows = begun;

    if (rows->at == rows->count)
        return false;
    values[0] = Float8GetDatum(rows->bounds[rows->at]);
    values[1] = Int64GetDatum(rows->counts[rows->at++]);
    return true;
}

SQL_FUNCTION(sketches_tdigest_centroids, sketch_rows(fcinfo, begin_centroids, next_centroid));

/* The weight of what is less than a value in whole numbers; rounded, it may be more than all. */
static int64
below(const void *sketch, double value)
{
    const Tdigest *digest = sketch;
    double less = rint(tdigest_less(digest, value));

    return less < (double)digest->weight ? (int64)less : (int64)digest->weight;
}

static bool
read_distribution(FunctionCallInfo fcinfo, SketchDistribution *d)
{
    Tdigest *digest = palloc(sizeof *digest);

    if (!tdigest_open_arg(fcinfo, digest))
        return false;
    *d = (SketchDistribution){.low = tdigest_min(digest),
                              .high = tdigest_max(digest),
                              .total = (int64)digest->weight,
                              .below = below,
                              .sketch = digest};
    return true;
}

static void *
begin_histogram(FunctionCallInfo fcinfo)
{
    return sketch_begin_histogram(fcinfo, read_distribution);
}

SQL_FUNCTION(sketches_tdigest_histogram, sketch_rows(fcinfo, begin_histogram, sketch_next_bucket));
SQL_FUNCTION(sketches_tdigest_sparkline, sketch_sparkline(fcinfo, read_distribution));

PG_FUNCTION_INFO_V1(sketches_tdigest_describe);
Datum
sketches_tdigest_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    char *spread = "";
    Tdigest digest;

    if (!tdigest_read(&digest, value, &sketch_memory))
        sketch_raise_damaged();
    if (digest.count > 0)
        spread = psprintf(" from %.6g to %.6g, median %.6g", tdigest_min(&digest),
                          tdigest_max(&digest), tdigest_percentile(&digest, 0.5));
    return sketch_line(value.size + VARHDRSZ, "tdigest: %s%s, compression %u",
                       sketch_count(digest.weight, "value"), spread, digest.compression);
}
