/*
 * aggregate.c - the aggregates of cuckoo.
 *
 * SQL objects served:
 *   _cuckoo_agg_state and its forms with parameters    transitions of cuckoo_agg
 *   _cuckoo_sum_state                                  transition and combine function of
 *                                                      cuckoo_sum_agg
 *
 * The transition of cuckoo_union_agg is union_state of shared/union.c. NULL is skipped; an
 * aggregate over no rows is NULL.
 */
#include "cuckoo.h"

/* Parameters of an aggregate. */
typedef struct Parameters {
    unsigned fingerprint_bits;
    uint32 capacity;
} Parameters;

#define DEFAULTS ((Parameters){CUCKOO_BITS_DEFAULT, CUCKOO_CAPACITY_DEFAULT})

static CuckooParameters
parameters_arg(FunctionCallInfo fcinfo, int n)
{
    return cuckoo_parameters(sketch_front(fcinfo, n).data);
}

/*
 * Raises if parameters are not those of a state, `before`. It knows a capacity only by its hash
 * bits, and only as long as it is a list: smaller changes pass.
 */
static void
check_unchanged(CuckooParameters before, unsigned fingerprint_bits, unsigned hash_bits)
{
    if (fingerprint_bits != before.fingerprint_bits)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cuckoo fingerprint bits changed within a group"),
                        errdetail("They were %u and are now %u.", before.fingerprint_bits,
                                  fingerprint_bits)));
    if (before.is_list && hash_bits != before.hash_bits)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("cuckoo capacity changed within a group"),
                 errdetail("It took %u hash bits and now takes %u.", before.hash_bits, hash_bits)));
}

/* Capacity in argument 2, and fingerprint bits in argument 3 if there is one: the same in a group. */
static Parameters
constant_parameters(FunctionCallInfo fcinfo)
{
    Parameters p = DEFAULTS;

    sketch_check_not_null(fcinfo, 2, "cuckoo capacity");
    p.capacity = cuckoo_check_capacity(PG_GETARG_INT64(2));
    if (PG_NARGS() > 3) {
        sketch_check_not_null(fcinfo, 3, "cuckoo fingerprint bits");
        p.fingerprint_bits = cuckoo_check_fingerprint_bits(PG_GETARG_INT32(3));
    }
    if (!PG_ARGISNULL(0))
        check_unchanged(parameters_arg(fcinfo, 0), p.fingerprint_bits,
                        cuckoo_hash_bits(p.capacity, p.fingerprint_bits));
    return p;
}

/*
 * Combines the states of an aggregate that was given parameters. A parallel plan raises where a
 * serial one does; the union of finished filters takes any.
 */
PG_FUNCTION_INFO_V1(sketches_cuckoo_combine);
Datum
sketches_cuckoo_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1)) {
        CuckooParameters before = parameters_arg(fcinfo, 0), now = parameters_arg(fcinfo, 1);

        check_unchanged(before, now.fingerprint_bits,
                        now.is_list ? now.hash_bits : before.hash_bits);
    }
    return sketches_union_state(fcinfo);
}

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, uint64 hash, Parameters parameters)
{
    SketchState state =
        PG_ARGISNULL(0)
            ? cuckoo_new_list(parameters.capacity, parameters.fingerprint_bits, &sketch_memory)
            : sketch_aggregate_state(fcinfo, &cuckoo_ops);
    SketchError error;

    if (!cuckoo_insert(&state, hash, &sketch_memory, &error))
        cuckoo_raise_refused(&error);
    return sketch_aggregate_result(fcinfo, state);
}

/*
 * Transition: (state, item [, capacity [, fingerprint bits]]). Only the first value of a group needs
 * the parameters. Appending to a list that has space is what happens per row.
 */
static pg_attribute_always_inline Datum
aggregate(FunctionCallInfo fcinfo, SketchItemType type, bool has_parameters)
{
    Parameters parameters = DEFAULTS;
    uint64 hash;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    hash = sketch_item_hash_arg(fcinfo, 1, type);
    if (has_parameters)
        parameters = constant_parameters(fcinfo);
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && cuckoo_list_add(state, hash))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, hash, parameters);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_agg_state);
Datum
sketches_cuckoo_agg_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_HASHED, false);
}

/* cuckoo_agg(text): what cuckoo_agg(hashed) does, for untyped literals, and with one call less */
PG_FUNCTION_INFO_V1(sketches_cuckoo_agg_text_state);
Datum
sketches_cuckoo_agg_text_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_TEXT, false);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_agg_parameters_state);
Datum
sketches_cuckoo_agg_parameters_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_HASHED, true);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_agg_text_parameters_state);
Datum
sketches_cuckoo_agg_text_parameters_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_TEXT, true);
}

/* Transition and combine function of cuckoo_sum_agg; NULL on either side is skipped. */
PG_FUNCTION_INFO_V1(sketches_cuckoo_sum_state);
Datum
sketches_cuckoo_sum_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0))
        return sketch_aggregate_result(fcinfo, sketch_open(sketch_arg(fcinfo, 1), &cuckoo_ops));
    state = sketch_aggregate_state(fcinfo, &cuckoo_ops);
    cuckoo_sum_or_raise(&state, sketch_arg(fcinfo, 1));
    return sketch_aggregate_result(fcinfo, state);
}
