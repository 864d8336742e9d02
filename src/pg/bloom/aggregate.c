/*
 * aggregate.c - the aggregates of bloom.
 *
 * SQL objects served:
 *   _bloom_agg_state and its forms with parameters    transitions of bloom_agg
 *   _bloom_intersection_state                         transition and combine function of
 *                                                     bloom_intersection_agg
 *
 * The transition of bloom_union_agg is union_state of shared/union.c. NULL is skipped; an aggregate
 * over no rows is NULL.
 */
#include "bloom.h"

/* Raises if an aggregate's parameters are not those of its state. */
static void
check_unchanged(SketchState state, uint64 capacity, double rate)
{
    const BloomState *before = bloom_state(state.data);

    if (rate != before->rate)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("bloom error rate changed within a group"),
                        errdetail("It was %s and is now %s.", sketch_shortest(before->rate),
                                  sketch_shortest(rate))));
    if (capacity != before->capacity)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("bloom capacity changed within a group"),
                        errdetail("It was %llu and is now %lld.",
                                  (unsigned long long)before->capacity, (long long)capacity)));
}

/* Argument n as a working value, which is not changed. */
static SketchState
state_arg(FunctionCallInfo fcinfo, int n)
{
    SketchBytes value = sketch_arg(fcinfo, n);

    return sketch_is_working(value.data) ? (SketchState){(uint8_t *)value.data, value.size}
                                         : sketch_open(value, &bloom_ops);
}

/* The capacity in argument 2 and the error rate in argument 3, which may not change in a group. */
static BloomParameters
constant_parameters(FunctionCallInfo fcinfo)
{
    BloomParameters p = bloom_defaults;

    sketch_check_not_null(fcinfo, 2, "bloom capacity");
    p.capacity = (uint64)PG_GETARG_INT64(2);
    if (PG_NARGS() > 3) {
        sketch_check_not_null(fcinfo, 3, "bloom error rate");
        p.rate = PG_GETARG_FLOAT8(3);
    }
    if (PG_ARGISNULL(0))
        return bloom_check_parameters((int64)p.capacity, p.rate, BLOOM_EXPANSION_DEFAULT);
    check_unchanged(state_arg(fcinfo, 0), p.capacity, p.rate);
    return p;
}

/*
 * Combines the states of an aggregate that was given parameters. A parallel plan raises where a
 * serial one does; the union of finished filters takes any.
 */
PG_FUNCTION_INFO_V1(sketches_bloom_combine);
Datum
sketches_bloom_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1)) {
        const BloomState *other = bloom_state(state_arg(fcinfo, 1).data);

        check_unchanged(state_arg(fcinfo, 0), other->capacity, other->rate);
    }
    return sketches_union_state(fcinfo);
}

static SketchState
aggregate_begin(FunctionCallInfo fcinfo)
{
    BloomParameters p = PG_NARGS() > 2 ? constant_parameters(fcinfo) : bloom_defaults;

    return bloom_new(p.capacity, p.rate, p.expansion, &sketch_memory);
}

static void
aggregate_check(FunctionCallInfo fcinfo)
{
    constant_parameters(fcinfo);
}

static void
aggregate_insert(SketchState *state, uint64 hash)
{
    bloom_add_item(state, sketch_hashed_item(hash));
}

static const SketchAggregate aggregate = {.ops = &bloom_ops,
                                          .hash = sketch_item_hash,
                                          .begin = aggregate_begin,
                                          .check = aggregate_check,
                                          .add = bloom_add,
                                          .insert = aggregate_insert};

SQL_FUNCTION(sketches_bloom_agg_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_HASHED));

/* bloom_agg(text): what bloom_agg(hashed) does, for untyped literals, and with one call less */
SQL_FUNCTION(sketches_bloom_agg_text_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_TEXT));
SQL_FUNCTION(sketches_bloom_agg_enum_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_ENUM));

/* Transition and combine function of bloom_intersection_agg; NULL on either side is skipped. */
PG_FUNCTION_INFO_V1(sketches_bloom_intersection_state);
Datum
sketches_bloom_intersection_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0))
        return sketch_aggregate_result(fcinfo, sketch_open(sketch_arg(fcinfo, 1), &bloom_ops));
    state = sketch_aggregate_state(fcinfo, &bloom_ops);
    bloom_intersect_or_raise(&state, sketch_arg(fcinfo, 1));
    return sketch_aggregate_result(fcinfo, state);
}
