/*
 * union.c - union, and the states of aggregates, for all types.
 *
 * SQL objects served, one C function for every type T that merges:
 *   T_union(T, T), operator |       union         NULL on one side is an empty sketch, NULL on both
 *                                                 sides NULL; roaring has its own
 *   _T_union_state(T, T)            union_state   transition of T_union_agg and combine function of
 *                                                 most aggregates; NULL on either side is skipped
 * Over sliding windows unions have functions of their own, see moving.c.
 * The final function, which packs the state, is in value.c.
 *
 * The state of an aggregate is a flat value of the type itself in working encoding (packed for
 * intersections of roaring), changed in place inside the aggregate's memory. A flat state costs a
 * group nothing but its bytes, can be shipped to a parallel or remote process as it is, and needs
 * no serial functions.
 */
#include "glue.h"

#include "catalog/pg_type.h"
#include "funcapi.h"

void
sketch_merge(SketchState *state, SketchBytes other)
{
    SketchError error;
    bool merged;

    if (sketch_kind(other.data) != sketch_kind(state->data))
        merged = sketch_refuse(&error, SKETCH_MISMATCH, "They are of different types");
    else
        merged = sketch_unite(state, other, &sketch_memory, &error);
    if (!merged)
        sketch_raise(&error, psprintf("cannot combine these values of type %s",
                                      sketch_ops(sketch_kind(state->data))->name));
}

SketchState
sketch_aggregate_state(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    SketchState state = sketch_state_in_place(fcinfo);

    return state.data ? state : sketch_open(sketch_arg(fcinfo, 0), ops);
}

Datum
sketch_aggregate_result(FunctionCallInfo fcinfo, SketchState state)
{
    return sketch_in_aggregate(fcinfo) ? sketch_datum(state.data) : sketch_state_result(state);
}

Datum
sketch_one_of_two(FunctionCallInfo fcinfo)
{
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    return sketch_packed_arg_datum(fcinfo, PG_ARGISNULL(0) ? 1 : 0);
}

/* The sketch as it was; or a row of it and false, or NULL if the second column is not boolean. */
Datum
sketch_as_it_was(FunctionCallInfo fcinfo)
{
    Datum values[2] = {(Datum)0, BoolGetDatum(false)};
    bool nulls[2] = {false, false};
    TupleDesc row;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    values[0] = sketch_packed_arg_datum(fcinfo, 0);
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        return values[0];
    nulls[1] = TupleDescAttr(row, 1)->atttypid != BOOLOID;
    return sketch_row(fcinfo, values, nulls);
}

bool
sketch_is_given_null(FunctionCallInfo fcinfo)
{
    for (int i = 1; i < PG_NARGS(); i++)
        if (PG_ARGISNULL(i))
            return true;
    return false;
}

bool
sketch_removes_nothing(FunctionCallInfo fcinfo)
{
    return PG_ARGISNULL(0) || sketch_is_given_null(fcinfo);
}

SketchBytes
sketch_arg_or_empty(FunctionCallInfo fcinfo, SketchState (*empty)(void))
{
    return PG_ARGISNULL(0) ? sketch_value(sketch_state_result(empty())) : sketch_arg(fcinfo, 0);
}

PG_FUNCTION_INFO_V1(sketches_union);
Datum
sketches_union(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return sketch_one_of_two(fcinfo);
    state = sketch_open_many(sketch_arg(fcinfo, 0));
    sketch_merge(&state, sketch_arg(fcinfo, 1));
    return sketch_state_result(state);
}

PG_FUNCTION_INFO_V1(sketches_union_state);
Datum
sketches_union_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0)) {
        SketchBytes first = sketch_arg(fcinfo, 1);

        /* In a window a result is asked for after every row. */
        state = AggCheckCallContext(fcinfo, NULL) == AGG_CONTEXT_AGGREGATE
                    ? sketch_open_many(first)
                    : sketch_open(first, NULL);
        return sketch_aggregate_result(fcinfo, state);
    }
    state = sketch_aggregate_state(fcinfo, NULL);
    sketch_merge(&state, sketch_arg(fcinfo, 1));
    return sketch_aggregate_result(fcinfo, state);
}
