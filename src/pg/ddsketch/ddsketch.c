/*
 * ddsketch.c - the type ddsketch in SQL. What it is and how it works: core/ddsketch/ddsketch.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   ddsketch_empty, ddsketch_add, ddsketch_add_all, ddsketch_reduce       build and change
 *   ddsketch_difference (-), ddsketch_increase                            subtract
 *   _ddsketch_agg_state, _ddsketch_weighted_agg_state, _ddsketch_combine  aggregates
 *
 * Other files: query.c (quantiles, ranks, moments), view.c (a sketch to look at), import.c (other
 * systems' sketches).
 *
 * Adding takes NULL for an empty sketch or for nothing to add; the other scalar functions are
 * STRICT. Aggregates skip NULL values and are NULL over no rows.
 */
#include "ddsketch.h"

#include <math.h>

#include "pg/shared/items.h"

/* ---- parameters ---- */

#define ERROR_MIN 0.000001
#define ERROR_MAX 0.5

static int
check_error(double relative_error)
{
    if (!(relative_error >= ERROR_MIN && relative_error <= ERROR_MAX))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ddsketch relative error %s is out of range",
                               sketch_shortest(relative_error)),
                        errdetail("Must be between 0.000001 and 0.5."), errhint("0.01 is 1%%.")));
    return ddsketch_scale_for(relative_error);
}

static int
scale_arg(FunctionCallInfo fcinfo, int n)
{
    if (PG_NARGS() <= n)
        return ddsketch_scale_for(DDSKETCH_ERROR_DEFAULT);
    sketch_check_not_null(fcinfo, n, "ddsketch relative error");
    return check_error(PG_GETARG_FLOAT8(n));
}

static SketchState
new_state(int scale)
{
    DdsketchGrid grid = {.mapping = DDSKETCH_EXPONENTIAL, .scale = scale};

    return ddsketch_new(&grid, &sketch_memory);
}

static uint64
check_weight(int64 weight)
{
    if (weight < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("ddsketch weight %lld is out of range", (long long)weight),
                        errdetail("Must be at least 0."),
                        errhint("To remove values, subtract a sketch of them.")));
    return (uint64)weight;
}

static pg_noinline void
insert_checked(SketchState *state, double value, uint64 weight)
{
    SketchError error;

    /* Nothing is added, so the value may be anything. */
    if (weight == 0)
        return;
    if (!isfinite(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a ddsketch cannot hold %s", isnan(value) ? "NaN"
                                                            : value > 0  ? "Infinity"
                                                                         : "-Infinity"),
                        errhint("Filter out values that are not finite.")));
    if (!ddsketch_insert(state, value, weight, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this ddsketch");
}

/* ---- building and changing ---- */

SQL_FUNCTION(sketches_ddsketch_empty, sketch_state_result(new_state(scale_arg(fcinfo, 0))));

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return new_state(ddsketch_scale_for(DDSKETCH_ERROR_DEFAULT));
}

static void
add_value(SketchState *state, SketchItem item)
{
    insert_checked(state, item.number, 1);
}

static const SketchAdding adding = {&ddsketch_ops, default_state, add_value};

/* ddsketch_add(ddsketch, float8 [, bigint]) */
PG_FUNCTION_INFO_V1(sketches_ddsketch_add);
Datum
sketches_ddsketch_add(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open_or_empty(fcinfo, &adding);
    insert_checked(&state, PG_GETARG_FLOAT8(1),
                   PG_NARGS() > 2 ? check_weight(PG_GETARG_INT64(2)) : 1);
    return sketch_state_result(state);
}

SQL_FUNCTION(sketches_ddsketch_add_all, sketch_add_items(fcinfo, &adding));

static void
read_grid(SketchBytes value, DdsketchGrid *grid)
{
    uint64_t total;

    if (!ddsketch_grid(value, grid, &total))
        sketch_raise_damaged();
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_reduce);
Datum
sketches_ddsketch_reduce(PG_FUNCTION_ARGS)
{
    SketchState state = sketch_open(sketch_arg(fcinfo, 0), &ddsketch_ops);
    int scale = scale_arg(fcinfo, 1);
    DdsketchGrid grid;

    read_grid(sketch_bytes(state), &grid);
    if (grid.mapping != DDSKETCH_EXPONENTIAL)
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 errmsg("cannot reduce a sketch of the DDSketch library"),
                 errdetail("Its buckets grow by %.15g, and no coarser ones have the same bounds.",
                           grid.gamma)));
    if (scale > grid.scale)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cannot reduce the relative error of a ddsketch"),
                        errdetail("It is %.3g; requested was %.3g.", ddsketch_relative_error(&grid),
                                  PG_GETARG_FLOAT8(1)),
                        errhint("Precision that was lost cannot be restored.")));
    ddsketch_fold(&state, scale, &sketch_memory);
    return sketch_state_result(state);
}

/* ---- subtracting ---- */

/* a - b; false, and *error says why, if b is not contained in a. */
static bool
difference(FunctionCallInfo fcinfo, SketchState *state, SketchError *error)
{
    *state = sketch_open(sketch_arg(fcinfo, 0), &ddsketch_ops);
    return ddsketch_subtract(state, sketch_arg(fcinfo, 1), &sketch_memory, error);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_difference);
Datum
sketches_ddsketch_difference(PG_FUNCTION_ARGS)
{
    SketchState state;
    SketchError error;

    if (!difference(fcinfo, &state, &error))
        sketch_raise(&error, "cannot subtract these values of type ddsketch");
    return sketch_state_result(state);
}

/* Returns the increase of a cumulative sketch; all of it after a reset. */
PG_FUNCTION_INFO_V1(sketches_ddsketch_increase);
Datum
sketches_ddsketch_increase(PG_FUNCTION_ARGS)
{
    SketchState state;
    SketchError error;

    if (difference(fcinfo, &state, &error))
        return sketch_state_result(state);
    if (error.status != SKETCH_OUT_OF_RANGE)
        sketch_raise(&error, "cannot subtract these values of type ddsketch");
    return sketch_packed_arg_datum(fcinfo, 0);
}

/* ---- aggregates ---- */

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, int scale, uint64 weight)
{
    SketchState state =
        PG_ARGISNULL(0) ? new_state(scale) : sketch_aggregate_state(fcinfo, &ddsketch_ops);

    insert_checked(&state, PG_GETARG_FLOAT8(1), weight);
    return sketch_aggregate_result(fcinfo, state);
}

/*
 * Transition with argument 1 the value; only the first one of a group needs the scale. Adding a
 * value to a state in place that has room is what happens per row.
 */
static inline Datum
aggregate_value(FunctionCallInfo fcinfo, int scale)
{
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && ddsketch_add(state, PG_GETARG_FLOAT8(1)))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, scale, 1);
}

static void
raise_changed(const DdsketchGrid *before, const DdsketchGrid *now)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("ddsketch relative error changed within a group"),
                    errdetail("It was %.3g and is now %.3g.", ddsketch_relative_error(before),
                              ddsketch_relative_error(now)),
                    errhint("To count a value more than once use ddsketch_weighted_agg.")));
}

static void
check_unchanged(SketchBytes state, int scale)
{
    DdsketchGrid before, now = {.mapping = DDSKETCH_EXPONENTIAL, .scale = scale};

    read_grid(state, &before);
    if (before.scale != scale)
        raise_changed(&before, &now);
}

/* The scale for the relative error in argument n, which may not change within a group. */
static pg_noinline int
constant_scale(FunctionCallInfo fcinfo, int n)
{
    int scale = scale_arg(fcinfo, n);

    if (!PG_ARGISNULL(0) && PG_NARGS() > n)
        check_unchanged(sketch_arg(fcinfo, 0), scale);
    return scale;
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_agg_state);
Datum
sketches_ddsketch_agg_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate_value(fcinfo, PG_NARGS() > 2 ? constant_scale(fcinfo, 2) : 6);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_weighted_agg_state);
Datum
sketches_ddsketch_weighted_agg_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return sketch_unchanged_state(fcinfo);
    return aggregate_slow(fcinfo, constant_scale(fcinfo, 3), check_weight(PG_GETARG_INT64(2)));
}

/*
 * Combines the states of an aggregate that was given a relative error. A parallel plan raises where
 * a serial one does; the union of finished sketches takes the larger error instead.
 */
PG_FUNCTION_INFO_V1(sketches_ddsketch_combine);
Datum
sketches_ddsketch_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1)) {
        DdsketchGrid before, now;

        read_grid(sketch_arg(fcinfo, 0), &before);
        read_grid(sketch_arg(fcinfo, 1), &now);
        if (before.scale != now.scale)
            raise_changed(&before, &now);
    }
    return sketches_union_state(fcinfo);
}
