/*
 * aggregate.c - the aggregates of roaring and roaring64.
 *
 * SQL objects served, each for both types:
 *   _roaring_agg_state             transition of roaring_agg
 *   _roaring_xor_state             transition and combine function of roaring_xor_agg
 *   _roaring_intersection_state    the same of roaring_intersection_agg
 *   _roaring_cardinality_final     final function of roaring_union_cardinality_agg and its kin
 *
 * The transition of roaring_union_agg is union_state of shared/union.c. NULL is skipped; an
 * aggregate over no rows is NULL.
 */
#include "pg/shared/moving.h"

#include "roaring_pg.h"

static pg_noinline Datum
agg_state_slow(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchState state = PG_ARGISNULL(0) ? roaring_new(kind, false, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, sketch_ops(kind));

    roaring_insert(&state, roaring_check_value(kind, PG_GETARG_INT64(1)), &sketch_memory);
    return sketch_aggregate_result(fcinfo, state);
}

/* For nearly every row: the state is changed in place and has room. */
static inline Datum
agg_state(FunctionCallInfo fcinfo, SketchKind kind)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (!PG_ARGISNULL(0) && likely((uint64)PG_GETARG_INT64(1) <= roaring_value_max(kind))) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && roaring_add(state, (uint64)PG_GETARG_INT64(1)))
            return PG_GETARG_DATUM(0);
    }
    return agg_state_slow(fcinfo, kind);
}

SQL_FUNCTION(sketches_roaring_agg_state, agg_state(fcinfo, SKETCH_ROARING));
SQL_FUNCTION(sketches_roaring64_agg_state, agg_state(fcinfo, SKETCH_ROARING64));

/* An empty state whose merging is symmetric difference: it counts by parity. */
static SketchState
parity_state(SketchKind kind)
{
    return roaring_new(kind, true, &sketch_memory);
}

/*
 * Returns the state of symmetric difference to merge into. A state that was packed, to be spilled
 * or sent, no longer says that it counts by parity; sketch_open would make a union's state of it.
 */
static SketchState
xor_state(FunctionCallInfo fcinfo)
{
    SketchState state = sketch_state_in_place(fcinfo);
    SketchBytes value;

    if (state.data)
        return state;
    value = sketch_arg(fcinfo, 0);
    if (!sketch_is_packed(value.data))
        return sketch_open(value, NULL);
    state = parity_state(sketch_kind(value.data));
    sketch_merge(&state, value);
    return state;
}

/* Transition and combine function: the values of argument 1 are flipped in the state. */
PG_FUNCTION_INFO_V1(sketches_roaring_xor_state);
Datum
sketches_roaring_xor_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    state =
        PG_ARGISNULL(0) ? parity_state(roaring_kind(sketch_front(fcinfo, 1))) : xor_state(fcinfo);
    sketch_merge(&state, sketch_arg(fcinfo, 1));
    return sketch_aggregate_result(fcinfo, state);
}

/* The state is a packed set, which only shrinks. */
PG_FUNCTION_INFO_V1(sketches_roaring_intersection_state);
Datum
sketches_roaring_intersection_state(PG_FUNCTION_ARGS)
{
    SketchBytes state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0))
        return sketch_packed_datum(sketch_arg(fcinfo, 1));
    state = sketch_packed_arg(fcinfo, 0);
    if (roaring_cardinality(state, &sketch_memory) == 0)
        return PG_GETARG_DATUM(0);
    return sketch_datum(roaring_op(ROARING_AND, state, sketch_packed_arg(fcinfo, 1)).data);
}

static int64
cardinality_of(SketchBytes set)
{
    int64 cardinality = roaring_cardinality(set, &sketch_memory);

    if (cardinality < 0)
        sketch_raise_damaged();
    return cardinality;
}

SQL_FUNCTION(sketches_roaring_cardinality_final,
             Int64GetDatum(PG_ARGISNULL(0) ? 0 : cardinality_of(sketch_arg(fcinfo, 0))));

/* Of a sliding window. */
PG_FUNCTION_INFO_V1(sketches_roaring_union_cardinality_moving_final);
Datum
sketches_roaring_union_cardinality_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_INT64(0);
    PG_RETURN_INT64(cardinality_of(united));
}
