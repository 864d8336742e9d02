/*
 * tdigest.c - the type tdigest in SQL. What it is and how it works: core/tdigest/tdigest.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   tdigest_empty, tdigest_add, tdigest_add_all            build and change
 *   _tdigest_agg_state, _tdigest_weighted_agg_state        aggregates
 *   tdigest_min, max, mean, count, info                    what a digest holds
 *
 * Other files: percentile.c (approx_percentile and approx_median), query.c (quantiles and ranks),
 * view.c (a digest to look at), import.c (other systems' sketches).
 *
 * Adding takes NULL for an empty sketch or for nothing to add; the other scalar functions are
 * STRICT, and of an empty digest they are NULL, counts 0. Aggregates skip NULL values and are NULL
 * over no rows.
 */
#include "tdigest.h"

#include <math.h>

#include "pg/shared/items.h"

/* ---- parameters ---- */

static unsigned
check_compression(int64 compression)
{
    return (unsigned)sketch_check_range("tdigest compression", compression, TDIGEST_COMPRESSION_MIN,
                                        TDIGEST_COMPRESSION_MAX);
}

double
tdigest_check_value(double value)
{
    if (!isfinite(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a tdigest cannot hold %s", isnan(value) ? "NaN"
                                                           : value > 0  ? "Infinity"
                                                                        : "-Infinity"),
                        errhint("Filter out values that are not finite.")));
    return value;
}

static uint64
check_weight(int64 weight)
{
    if (weight < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tdigest weight %lld is out of range", (long long)weight),
                        errdetail("Must be at least 0."),
                        errhint("What was added cannot be taken out again.")));
    return (uint64)weight;
}

pg_noinline void
tdigest_insert_checked(SketchState *state, double value, uint64 weight)
{
    SketchError error;

    /* Nothing is added, so the value may be anything. */
    if (weight == 0)
        return;
    if (!tdigest_insert(state, tdigest_check_value(value), weight, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this tdigest");
}

/* ---- building and changing ---- */

SQL_FUNCTION(sketches_tdigest_empty,
             sketch_state_result(tdigest_new(check_compression(PG_GETARG_INT64(0)), 0, NULL,
                                             &sketch_memory)));

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &sketch_memory);
}

static void
add_value(SketchState *state, SketchItem item)
{
    tdigest_insert_checked(state, item.number, 1);
}

static const SketchAdding adding = {&tdigest_ops, default_state, add_value};

/* tdigest_add(tdigest, float8 [, bigint]) */
PG_FUNCTION_INFO_V1(sketches_tdigest_add);
Datum
sketches_tdigest_add(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open_or_empty(fcinfo, &adding);
    tdigest_insert_checked(&state, PG_GETARG_FLOAT8(1),
                           PG_NARGS() > 2 ? check_weight(PG_GETARG_INT64(2)) : 1);
    return sketch_state_result(state);
}

SQL_FUNCTION(sketches_tdigest_add_all, sketch_add_items(fcinfo, &adding));

/* ---- aggregates ---- */

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, unsigned compression, uint64 weight)
{
    SketchState state = PG_ARGISNULL(0) ? tdigest_new(compression, 0, NULL, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, &tdigest_ops);

    tdigest_insert_checked(&state, PG_GETARG_FLOAT8(1), weight);
    return sketch_aggregate_result(fcinfo, state);
}

/*
 * Transition with argument 1 the value; only the first one of a group needs `compression`. Adding a
 * value to a state in place that has room is what happens per row.
 */
static inline Datum
aggregate_value(FunctionCallInfo fcinfo, unsigned compression)
{
    if (!PG_ARGISNULL(0) && likely(isfinite(PG_GETARG_FLOAT8(1)))) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && tdigest_add(state, PG_GETARG_FLOAT8(1)))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, compression, 1);
}

static void
check_unchanged(unsigned before, int64 now)
{
    if (now != before)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tdigest compression changed within a group"),
                        errdetail("It was %u and is now %lld.", before, (long long)now),
                        errhint("To count a value more than once use tdigest_weighted_agg.")));
}

/* The compression in argument n, which may not change within a group. */
static pg_noinline unsigned
constant_compression(FunctionCallInfo fcinfo, int n)
{
    sketch_check_not_null(fcinfo, n, "tdigest compression");
    if (!PG_ARGISNULL(0))
        check_unchanged(tdigest_compression(sketch_arg(fcinfo, 0)), PG_GETARG_INT64(n));
    return check_compression(PG_GETARG_INT64(n));
}

/*
 * Combines the states of an aggregate that was given a compression. A parallel plan raises where a
 * serial one does; the union of finished digests takes the lower compression instead.
 */
PG_FUNCTION_INFO_V1(sketches_tdigest_combine);
Datum
sketches_tdigest_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        check_unchanged(tdigest_compression(sketch_front(fcinfo, 0)),
                        tdigest_compression(sketch_front(fcinfo, 1)));
    return sketches_union_state(fcinfo);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_agg_state);
Datum
sketches_tdigest_agg_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate_value(fcinfo, PG_NARGS() > 2 ? constant_compression(fcinfo, 2)
                                                  : TDIGEST_COMPRESSION_DEFAULT);
}

/* tdigest_weighted_agg(float8, bigint [, int]); a value whose weight is NULL is skipped */
PG_FUNCTION_INFO_V1(sketches_tdigest_weighted_agg_state);
Datum
sketches_tdigest_weighted_agg_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return sketch_unchanged_state(fcinfo);
    return aggregate_slow(
        fcinfo, PG_NARGS() > 3 ? constant_compression(fcinfo, 3) : TDIGEST_COMPRESSION_DEFAULT,
        check_weight(PG_GETARG_INT64(2)));
}

/* ---- reading ---- */

bool
tdigest_open_arg(FunctionCallInfo fcinfo, Tdigest *digest)
{
    if (!tdigest_read(digest, sketch_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    return digest->count > 0;
}

static double
mean(const Tdigest *digest)
{
    return tdigest_trimmed_mean(digest, 0, 1);
}

/* A number that describes the digest; NULL for an empty one. */
static Datum
number_of(FunctionCallInfo fcinfo, double (*of)(const Tdigest *digest))
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(of(&digest));
}

SQL_FUNCTION(sketches_tdigest_min, number_of(fcinfo, tdigest_min));
SQL_FUNCTION(sketches_tdigest_max, number_of(fcinfo, tdigest_max));
SQL_FUNCTION(sketches_tdigest_mean, number_of(fcinfo, mean));
SQL_FUNCTION(sketches_tdigest_count,
             Int64GetDatum((int64)tdigest_weight(sketch_header(fcinfo, 0, NULL))));

PG_FUNCTION_INFO_V1(sketches_tdigest_info);
Datum
sketches_tdigest_info(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    bool nulls[6] = {false};
    Datum values[6] = {0};
    Tdigest digest;

    if (!tdigest_read(&digest, value, &sketch_memory))
        sketch_raise_damaged();
    values[0] = Int32GetDatum((int32)digest.compression);
    values[1] = Int32GetDatum((int32)digest.count);
    values[2] = Int64GetDatum((int64)digest.weight);
    if (digest.count > 0) {
        values[3] = Float8GetDatum(tdigest_min(&digest));
        values[4] = Float8GetDatum(tdigest_max(&digest));
    } else
        nulls[3] = nulls[4] = true;
    values[5] = Int32GetDatum((int32)(value.size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}
