/*
 * theta.c - the type theta in SQL. What it is and how it works: core/theta/theta.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   theta_empty, theta_reduce                                    build and change
 *   theta_union, theta_intersection, theta_difference            expressions
 *   _theta_agg_combine, _theta_intersection_state                aggregates
 *   theta_cardinality, theta_bounds, theta_info, theta_describe  ask one sketch
 *   theta_jaccard                                                asks two
 *   theta_from_datasketches, theta_to_datasketches               exchange
 *
 * What takes values, by their types: items.c.
 *
 * Adding takes NULL for an empty sketch or for nothing to add, and so does the union; the other
 * scalar functions are STRICT. Aggregates skip NULL; over no rows they are NULL.
 */
#include "theta.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "pg/shared/describe.h"
#include "pg/shared/moving.h"

/* ---- building and changing ---- */

unsigned
theta_check_lgk(int64 lgk, int highest)
{
    return (unsigned)sketch_check_range("lgk", lgk, THETA_LGK_MIN, highest);
}

SQL_FUNCTION(sketches_theta_empty,
             sketch_state_result(theta_new(theta_check_lgk(PG_GETARG_INT64(0), THETA_LGK_MAX),
                                           &sketch_memory)));

PG_FUNCTION_INFO_V1(sketches_theta_reduce);
Datum
sketches_theta_reduce(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    int highest = (int)theta_summary(value, &sketch_memory).lgk;
    unsigned lgk = theta_check_lgk(PG_GETARG_INT64(1), highest);
    SketchState state = sketch_open(value, &theta_ops);

    theta_reduce(state, lgk);
    return sketch_state_result(state);
}

static Datum
combined(FunctionCallInfo fcinfo, ThetaOp op)
{
    SketchBytes value;
    SketchError error;

    if (!theta_combine(op, sketch_arg(fcinfo, 0), sketch_arg(fcinfo, 1), &sketch_memory, &value,
                       &error))
        sketch_raise(&error, "cannot combine these values of type theta");
    return sketch_datum(value.data);
}

SQL_FUNCTION(sketches_theta_union, PG_ARGISNULL(0) || PG_ARGISNULL(1)
                                       ? sketch_one_of_two(fcinfo)
                                       : combined(fcinfo, THETA_UNION));
SQL_FUNCTION(sketches_theta_intersection, combined(fcinfo, THETA_INTERSECTION));
SQL_FUNCTION(sketches_theta_difference, combined(fcinfo, THETA_DIFFERENCE));

/* ---- aggregates ---- */

void
theta_check_same_lgk(unsigned before, int64 now)
{
    if (now != before)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("lgk changed within a group"),
                 errdetail("It was %u and is now %lld.", before, (long long)now)));
}

/* States of one aggregate have one lgk, in whatever parts it is computed. */
PG_FUNCTION_INFO_V1(sketches_theta_agg_combine);
Datum
sketches_theta_agg_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        theta_check_same_lgk(theta_lgk(sketch_front(fcinfo, 0)),
                             theta_lgk(sketch_front(fcinfo, 1)));
    return sketches_union_state(fcinfo);
}

/* The state is a packed value: it is read once and written once for each row. */
PG_FUNCTION_INFO_V1(sketches_theta_intersection_state);
Datum
sketches_theta_intersection_state(PG_FUNCTION_ARGS)
{
    SketchBytes value;
    SketchError error;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    value = sketch_arg(fcinfo, 1);
    if (PG_ARGISNULL(0))
        return sketch_packed_datum(value);
    if (!theta_combine(THETA_COMMON, sketch_arg(fcinfo, 0), value, &sketch_memory, &value, &error))
        sketch_raise(&error, "cannot combine these values of type theta");
    return sketch_datum(value.data);
}

/* ---- questions ---- */

static ThetaSummary
summary_of(FunctionCallInfo fcinfo, Size *size)
{
    return theta_summary(sketch_header(fcinfo, 0, size), &sketch_memory);
}

SQL_FUNCTION(sketches_theta_cardinality,
             Int64GetDatum(theta_cardinality(summary_of(fcinfo, NULL))));

/* Of a state: a header would be packed for it. */
SQL_FUNCTION(sketches_theta_cardinality_final,
             Int64GetDatum(PG_ARGISNULL(0) ? 0
                                           : theta_cardinality(theta_summary(sketch_arg(fcinfo, 0),
                                                                             &sketch_memory))));

/* Of a sliding window. */
PG_FUNCTION_INFO_V1(sketches_theta_union_cardinality_moving_final);
Datum
sketches_theta_union_cardinality_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_INT64(0);
    PG_RETURN_INT64(theta_cardinality(theta_summary(united, &sketch_memory)));
}

static Datum
bounds_row(FunctionCallInfo fcinfo, ThetaBounds bounds)
{
    Datum values[3];

    values[0] = Float8GetDatum(bounds.lower);
    values[1] = Float8GetDatum(bounds.estimate);
    values[2] = Float8GetDatum(bounds.upper);
    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_theta_bounds);
Datum
sketches_theta_bounds(PG_FUNCTION_ARGS)
{
    ThetaSummary summary = summary_of(fcinfo, NULL);
    int64 sigmas = sketch_check_range("number of standard deviations", PG_GETARG_INT64(1), 1, 3);

    return bounds_row(fcinfo, theta_bounds(summary, (unsigned)sigmas));
}

static bool
is_empty(SketchBytes value)
{
    ThetaSummary summary = theta_summary(value, &sketch_memory);

    return summary.count == 0 && summary.theta == THETA_EXACT;
}

PG_FUNCTION_INFO_V1(sketches_theta_jaccard);
Datum
sketches_theta_jaccard(PG_FUNCTION_ARGS)
{
    SketchBytes a = sketch_packed_arg(fcinfo, 0), b = sketch_packed_arg(fcinfo, 1);
    ThetaBounds jaccard;
    SketchError error;

    if (is_empty(a) && is_empty(b))
        PG_RETURN_NULL();
    if (!theta_jaccard(a, b, &sketch_memory, &jaccard, &error))
        sketch_raise(&error, "cannot compare these values of type theta");
    return bounds_row(fcinfo, jaccard);
}

/* The standard error as a share of the estimate; NaN if a sample has no item. */
static double
relative_error(ThetaSummary s)
{
    double p = (double)s.theta / (double)THETA_EXACT;

    if (s.theta == THETA_EXACT)
        return 0;
    return s.count == 0 ? NAN : sqrt((1 - p) / (s.count > 1 ? s.count - 1 : 1));
}

PG_FUNCTION_INFO_V1(sketches_theta_info);
Datum
sketches_theta_info(PG_FUNCTION_ARGS)
{
    Size size;
    ThetaSummary s = summary_of(fcinfo, &size);
    double error = relative_error(s);
    bool nulls[6] = {false};
    Datum values[6];

    values[0] = Int32GetDatum((int32)s.lgk);
    values[1] = Int32GetDatum((int32)s.count);
    values[2] = Float8GetDatum((double)s.theta / (double)THETA_EXACT);
    values[3] = Int64GetDatum(theta_cardinality(s));
    values[4] = Float8GetDatum(error);
    nulls[4] = isnan(error);
    values[5] = Int32GetDatum((int32)(size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

/* One line for people; the signs of mathematics are written out where the encoding lacks them. */
PG_FUNCTION_INFO_V1(sketches_theta_describe);
Datum
sketches_theta_describe(PG_FUNCTION_ARGS)
{
    bool utf8 = GetDatabaseEncoding() == PG_UTF8;
    Size size;
    ThetaSummary s = summary_of(fcinfo, &size);
    double error = relative_error(s);

    if (s.theta == THETA_EXACT)
        return sketch_line(size + VARHDRSZ, "theta = %s, exact, lgk %u", sketch_number(s.count),
                           s.lgk);
    return sketch_line(size + VARHDRSZ, "theta %s %s%s, %s hash%s, lgk %u",
                       utf8 ? "\xe2\x89\x88" : "~", sketch_number((uint64)theta_cardinality(s)),
                       isnan(error) ? ""
                                    : psprintf(" %s %.2g%%", utf8 ? "\xc2\xb1" : "+-", 100 * error),
                       sketch_number(s.count), s.count == 1 ? "" : "es", s.lgk);
}

/* ---- DataSketches ---- */

/* theta_from_datasketches(bytea) and (bytea, lgk) */
PG_FUNCTION_INFO_V1(sketches_theta_from_datasketches);
Datum
sketches_theta_from_datasketches(PG_FUNCTION_ARGS)
{
    unsigned lgk = PG_NARGS() > 1 ? theta_check_lgk(PG_GETARG_INT64(1), THETA_LGK_MAX) : 0;
    SketchBytes input = sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), value;
    SketchError error;

    if (!theta_from_datasketches(input, lgk, &sketch_memory, &value, &error))
        sketch_raise_import(fcinfo, &error, input, "invalid theta sketch of DataSketches");
    return sketch_datum(value.data);
}

PG_FUNCTION_INFO_V1(sketches_theta_to_datasketches);
Datum
sketches_theta_to_datasketches(PG_FUNCTION_ARGS)
{
    SketchBytes bytes;
    SketchError error;

    if (!theta_to_datasketches(sketch_arg(fcinfo, 0), PG_GETARG_BOOL(1), &sketch_memory, &bytes,
                               &error))
        sketch_raise(&error, "cannot write this theta as a sketch of DataSketches");
    return sketch_bytea(bytes);
}
