/*
 * query.c - quantiles, ranks, counts and moments of a sketch.
 *
 * SQL objects served: ddsketch_percentile, cdf, rank, each for a number, an array of them, or a
 * number without a type; ddsketch_count, counts, sum, mean, min, max, stddev. All are STRICT. Of an
 * empty sketch they are NULL, counts 0. Elements of an array that are NULL are answered NULL.
 */
#include "ddsketch.h"

#include <math.h>

#include "catalog/pg_type.h"

bool
ddsketch_open_arg(FunctionCallInfo fcinfo, Ddsketch *sketch)
{
    if (!ddsketch_read(sketch, sketch_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    return sketch->count > 0;
}

static Datum
number_result(FunctionCallInfo fcinfo, Ddsketch *sketch, double number)
{
    ddsketch_close(sketch, &sketch_memory);
    if (isnan(number))
        PG_RETURN_NULL();
    if (isinf(number))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("value out of range: overflow")));
    PG_RETURN_FLOAT8(number);
}

/* ---- quantiles ---- */

static bool
query_percentile(const void *sketch, Datum number, Datum *answer)
{
    double q = sketch_check_fraction("percentile", DatumGetFloat8(number), NULL);

    if (!sketch)
        return false;
    *answer = Float8GetDatum(ddsketch_percentile(sketch, q));
    return true;
}

static bool
query_cdf(const void *sketch, Datum number, Datum *answer)
{
    double value = sketch_check_number(number);

    if (!sketch)
        return false;
    *answer = Float8GetDatum((double)ddsketch_rank(sketch, value) /
                             (double)((const Ddsketch *)sketch)->total);
    return true;
}

static bool
query_rank(const void *sketch, Datum number, Datum *answer)
{
    double value = sketch_check_number(number);

    if (!sketch)
        return false;
    *answer = Int64GetDatum((int64)ddsketch_rank(sketch, value));
    return true;
}

static Datum
answer_query(FunctionCallInfo fcinfo, SketchQuery query, Oid answer)
{
    Ddsketch sketch;
    bool filled = ddsketch_open_arg(fcinfo, &sketch);
    Datum result = sketch_answer(fcinfo, filled ? &sketch : NULL, query, FLOAT8OID, answer);

    ddsketch_close(&sketch, &sketch_memory);
    return result;
}

SQL_FUNCTION(sketches_ddsketch_percentile, answer_query(fcinfo, query_percentile, FLOAT8OID));
SQL_FUNCTION(sketches_ddsketch_cdf, answer_query(fcinfo, query_cdf, FLOAT8OID));
SQL_FUNCTION(sketches_ddsketch_rank, answer_query(fcinfo, query_rank, INT8OID));

/* The quantile q of argument 0. */
static Datum
end(FunctionCallInfo fcinfo, double q)
{
    Ddsketch sketch;
    bool filled = ddsketch_open_arg(fcinfo, &sketch);

    return number_result(fcinfo, &sketch, filled ? ddsketch_percentile(&sketch, q) : NAN);
}

SQL_FUNCTION(sketches_ddsketch_min, end(fcinfo, 0));
SQL_FUNCTION(sketches_ddsketch_max, end(fcinfo, 1));

/* ---- counts ---- */

PG_FUNCTION_INFO_V1(sketches_ddsketch_count);
Datum
sketches_ddsketch_count(PG_FUNCTION_ARGS)
{
    DdsketchGrid grid;
    uint64_t total;

    if (!ddsketch_grid(sketch_header(fcinfo, 0, NULL), &grid, &total))
        sketch_raise_damaged();
    PG_RETURN_INT64((int64)total);
}

/* Counts the values above `low` and up to `high`. */
PG_FUNCTION_INFO_V1(sketches_ddsketch_count_between);
Datum
sketches_ddsketch_count_between(PG_FUNCTION_ARGS)
{
    double low = sketch_check_number(PG_GETARG_DATUM(1));
    double high = sketch_check_number(PG_GETARG_DATUM(2));
    Ddsketch sketch;
    uint64 below, up_to;

    if (low > high)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the lower bound %s is above the upper one %s", sketch_shortest(low),
                               sketch_shortest(high))));
    ddsketch_open_arg(fcinfo, &sketch);
    below = ddsketch_rank(&sketch, low);
    up_to = ddsketch_rank(&sketch, high);
    ddsketch_close(&sketch, &sketch_memory);
    PG_RETURN_INT64((int64)(up_to - below));
}

static int64
up_to(const void *sketch, double value)
{
    return (int64)ddsketch_rank(sketch, value);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_counts);
Datum
sketches_ddsketch_counts(PG_FUNCTION_ARGS)
{
    Ddsketch sketch;
    Datum counts;

    ddsketch_open_arg(fcinfo, &sketch);
    counts = sketch_counts(fcinfo, (int64)sketch.total, up_to, &sketch);
    ddsketch_close(&sketch, &sketch_memory);
    return counts;
}

/* ---- moments ---- */

static Datum
moment(FunctionCallInfo fcinfo, double (*of)(const Ddsketch *))
{
    Ddsketch sketch;
    bool filled = ddsketch_open_arg(fcinfo, &sketch);

    return number_result(fcinfo, &sketch, filled ? of(&sketch) : NAN);
}

SQL_FUNCTION(sketches_ddsketch_sum, moment(fcinfo, ddsketch_sum));
SQL_FUNCTION(sketches_ddsketch_mean, moment(fcinfo, ddsketch_mean));
SQL_FUNCTION(sketches_ddsketch_stddev, moment(fcinfo, ddsketch_deviation));
