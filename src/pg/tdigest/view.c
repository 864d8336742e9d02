/*
 * view.c - a digest to look at: its centroids, a histogram, a sparkline, a line about it.
 *
 * SQL objects served: tdigest_centroids, tdigest_histogram, tdigest_sparkline, tdigest_describe.
 * All are STRICT; of an empty digest the first two have no rows and the third is NULL.
 */
#include "tdigest.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "pg/shared/describe.h"

#define BUCKETS_MAX 10000
#define WIDTH_MAX 1000

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
        rows->bounds[i] = digest.centroids[i].mean;
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

PG_FUNCTION_INFO_V1(sketches_tdigest_centroids);
Datum
sketches_tdigest_centroids(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_centroids, next_centroid);
}

/* The weight of what is less than a value in whole numbers; rounded, it may be more than all. */
static int64
whole_below(const Tdigest *digest, double value)
{
    double below = rint(tdigest_less(digest, value));

    return below < (double)digest->weight ? (int64)below : (int64)digest->weight;
}

/*
 * Cuts the range of a digest into `count` buckets of equal width. Counts are differences of rounded
 * ranks, so they add up to the weight; the last bucket includes its upper bound. Bounds never
 * descend and never leave the range, whatever rounding makes of them.
 */
static void
cut(const Tdigest *digest, uint32 count, double *bounds, int64 *counts)
{
    double low = tdigest_min(digest);
    double high = tdigest_max(digest);
    int64 before = 0;

    for (uint32 i = 0; i <= count; i++) {
        double share = (double)i / count;

        bounds[i] = i == 0       ? low
                    : i == count ? high
                                 : Min(Max(low * (1 - share) + high * share, bounds[i - 1]), high);
    }
    for (uint32 i = 0; i < count; i++) {
        int64 below = i + 1 == count || low == high ? (int64)digest->weight
                                                    : whole_below(digest, bounds[i + 1]);

        below = Max(below, before);
        counts[i] = below - before;
        before = below;
    }
}

static void *
begin_histogram(FunctionCallInfo fcinfo)
{
    uint32 count =
        (uint32)sketch_check_range("number of buckets", PG_GETARG_INT32(1), 1, BUCKETS_MAX);
    Tdigest digest;
    Rows *rows;

    if (!tdigest_read(&digest, sketch_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    if (digest.count == 0)
        count = 0;
    else if (tdigest_min(&digest) == tdigest_max(&digest))
        count = 1;
    rows = new_rows(count);
    if (count > 0)
        cut(&digest, count, rows->bounds, rows->counts);
    return rows;
}

static bool
next_bucket(void *begun, Datum *values, bool *nulls)
{
    Rows *rows = begun;

    if (rows->at == rows->count)
        return false;
    values[0] = Float8GetDatum(rows->bounds[rows->at]);
    values[1] = Float8GetDatum(rows->bounds[rows->at + 1]);
    values[2] = Int64GetDatum(rows->counts[rows->at++]);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_tdigest_histogram);
Datum
sketches_tdigest_histogram(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_histogram, next_bucket);
}

/*
 * One character a bucket, as high as its share of the fullest one. Block elements need UTF-8; other
 * encodings get ASCII.
 */
PG_FUNCTION_INFO_V1(sketches_tdigest_sparkline);
Datum
sketches_tdigest_sparkline(PG_FUNCTION_ARGS)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const char *const *levels = GetDatabaseEncoding() == PG_UTF8 ? blocks : ascii;
    uint32 width = (uint32)sketch_check_range("width", PG_GETARG_INT32(1), 1, WIDTH_MAX);
    double *bounds = palloc((width + 1) * sizeof(double));
    int64 *counts = palloc(width * sizeof(int64));
    int64 most = 1;
    StringInfoData line;
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    cut(&digest, width, bounds, counts);
    for (uint32 i = 0; i < width; i++)
        most = Max(most, counts[i]);
    initStringInfo(&line);
    for (uint32 i = 0; i < width; i++)
        appendStringInfoString(&line, levels[(int)ceil(8.0 * (double)counts[i] / (double)most)]);
    PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_describe);
Datum
sketches_tdigest_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    StringInfoData line;
    Tdigest digest;

    if (!tdigest_read(&digest, value, &sketch_memory))
        sketch_raise_damaged();
    initStringInfo(&line);
    appendStringInfoString(&line, "tdigest: ");
    sketch_append_count(&line, digest.weight, "value");
    if (digest.count > 0)
        appendStringInfo(&line, " from %.6g to %.6g, median %.6g", tdigest_min(&digest),
                         tdigest_max(&digest), tdigest_percentile(&digest, 0.5));
    appendStringInfo(&line, ", compression %u, ", digest.compression);
    sketch_append_count(&line, value.size + VARHDRSZ, "byte");
    PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}
