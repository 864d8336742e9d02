/*
 * view.c - a sketch to look at: its parameters and buckets, a histogram, a sparkline, a line about
 * it.
 *
 * SQL objects served: ddsketch_info, ddsketch_buckets, ddsketch_histogram, ddsketch_sparkline,
 * ddsketch_describe. All are STRICT; of an empty sketch buckets and histogram have no rows and the
 * sparkline is NULL.
 */
#include "ddsketch.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "pg/shared/describe.h"

static void
read_value(Ddsketch *sketch, SketchBytes value)
{
    if (!ddsketch_read(sketch, value, &sketch_memory))
        sketch_raise_damaged();
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_info);
Datum
sketches_ddsketch_info(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    bool nulls[10] = {false};
    Datum values[10] = {0};
    Ddsketch sketch;

    read_value(&sketch, value);
    nulls[1] = sketch.grid.mapping != DDSKETCH_EXPONENTIAL;
    nulls[5] = nulls[6] = nulls[7] = nulls[8] = sketch.count == 0;
    values[0] = Float8GetDatum(ddsketch_relative_error(&sketch.grid));
    values[1] = Int32GetDatum(sketch.grid.scale);
    values[2] = Float8GetDatum(nulls[1] ? sketch.grid.gamma : ddsketch_growth(sketch.grid.scale));
    values[3] = Int32GetDatum((int32)sketch.count);
    values[4] = Int64GetDatum((int64)sketch.total);
    if (sketch.count > 0) {
        values[5] = Float8GetDatum(ddsketch_at(&sketch, 1));
        values[6] = Float8GetDatum(ddsketch_at(&sketch, sketch.total));
        values[7] = BoolGetDatum(ddsketch_has_min(&sketch));
        values[8] = BoolGetDatum(ddsketch_has_max(&sketch));
    }
    values[9] = Int32GetDatum((int32)(value.size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

/* ---- buckets as they are ---- */

typedef struct Rows {
    Ddsketch sketch;
    uint32 at;
} Rows;

static void *
begin_buckets(FunctionCallInfo fcinfo)
{
    Rows *rows = palloc0(sizeof *rows);

    read_value(&rows->sketch, sketch_arg(fcinfo, 0));
    return rows;
}

static bool
next_bucket(void *begun, Datum *values, bool *nulls)
{
    Rows *rows = begun;

    if (rows->at == rows->sketch.count)
        return false;
    values[0] = Float8GetDatum(ddsketch_bucket_low(&rows->sketch, rows->at) + 0.0);
    values[1] = Float8GetDatum(ddsketch_bucket_high(&rows->sketch, rows->at) + 0.0);
    values[2] = Int64GetDatum((int64)rows->sketch.buckets[rows->at++].count);
    return true;
}

SQL_FUNCTION(sketches_ddsketch_buckets, sketch_rows(fcinfo, begin_buckets, next_bucket));

/* ---- buckets of equal width ---- */

static int64
up_to(const void *sketch, double value)
{
    return (int64)ddsketch_rank(sketch, value);
}

static bool
read_distribution(FunctionCallInfo fcinfo, SketchDistribution *d)
{
    Ddsketch *sketch = palloc(sizeof *sketch);

    if (!ddsketch_open_arg(fcinfo, sketch))
        return false;
    *d = (SketchDistribution){.low = ddsketch_at(sketch, 1),
                              .high = ddsketch_at(sketch, sketch->total),
                              .total = (int64)sketch->total,
                              .below = up_to,
                              .sketch = sketch};
    return true;
}

static void *
begin_histogram(FunctionCallInfo fcinfo)
{
    return sketch_begin_histogram(fcinfo, read_distribution);
}

SQL_FUNCTION(sketches_ddsketch_histogram, sketch_rows(fcinfo, begin_histogram, sketch_next_bucket));
SQL_FUNCTION(sketches_ddsketch_sparkline, sketch_sparkline(fcinfo, read_distribution));

PG_FUNCTION_INFO_V1(sketches_ddsketch_describe);
Datum
sketches_ddsketch_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    char *spread = "";
    Ddsketch sketch;

    read_value(&sketch, value);
    if (sketch.count > 0)
        spread = psprintf(" from %.4g to %.4g, median %.4g", ddsketch_at(&sketch, 1),
                          ddsketch_at(&sketch, sketch.total), ddsketch_percentile(&sketch, 0.5));
    return sketch_line(value.size + VARHDRSZ, "ddsketch: %s%s, %s %.2g%%",
                       sketch_count(sketch.total, "value"), spread,
                       GetDatabaseEncoding() == PG_UTF8 ? "\xc2\xb1" : "+-",
                       100 * ddsketch_relative_error(&sketch.grid));
}
