/*
 * aggregate.c - the aggregates of cuckoo.
 *
 * SQL objects served:
 *   _cuckoo_agg_state and its forms with parameters    transitions of cuckoo_agg
 *   _cuckoo_sum_state, _cuckoo_sum_final               transition and combine function, and final
 *                                                      function, of cuckoo_sum_agg
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

/*
 * The capacity in argument 2, and the fingerprint bits in argument 3 if there is one, which may not
 * change within a group.
 */
static Parameters
constant_parameters(FunctionCallInfo fcinfo)
{
    Parameters p = DEFAULTS;

    sketch_check_not_null(fcinfo, 2, "cuckoo capacity");
    p.capacity = cuckoo_check_capacity(PG_GETARG_INT64(2));
    if (PG_NARGS() > 3) {
        sketch_check_not_null(fcinfo, 3, "cuckoo fingerprint bits");
        p.fingerprint_bits = cuckoo_check_fingerprint_bits(PG_GETARG_INT64(3));
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

static SketchState
aggregate_begin(FunctionCallInfo fcinfo)
{
    Parameters p = PG_NARGS() > 2 ? constant_parameters(fcinfo) : DEFAULTS;

    return cuckoo_new_list(p.capacity, p.fingerprint_bits, &sketch_memory);
}

static void
aggregate_check(FunctionCallInfo fcinfo)
{
    constant_parameters(fcinfo);
}

static void
aggregate_insert(SketchState *state, uint64 hash)
{
    SketchError error;

    if (!cuckoo_insert(state, hash, &sketch_memory, &error))
        cuckoo_raise_refused(&error);
}

static const SketchAggregate aggregate = {.ops = &cuckoo_ops,
                                          .hash = sketch_item_hash,
                                          .begin = aggregate_begin,
                                          .check = aggregate_check,
                                          .add = cuckoo_list_add,
                                          .insert = aggregate_insert};

SQL_FUNCTION(sketches_cuckoo_agg_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_HASHED));

/* cuckoo_agg(text): what cuckoo_agg(hashed) does, for untyped literals, and with one call less */
SQL_FUNCTION(sketches_cuckoo_agg_text_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_TEXT));
SQL_FUNCTION(sketches_cuckoo_agg_enum_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_ENUM));

/* Transition and combine function of cuckoo_sum_agg; NULL on either side is skipped. */
PG_FUNCTION_INFO_V1(sketches_cuckoo_sum_state);
Datum
sketches_cuckoo_sum_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0)) {
        state = cuckoo_open_sum(sketch_arg(fcinfo, 1), &sketch_memory);
        if (state.data == NULL)
            sketch_raise_damaged();
        return sketch_aggregate_result(fcinfo, state);
    }
    state = sketch_aggregate_state(fcinfo, &cuckoo_ops);
    cuckoo_sum_or_raise(&state, sketch_arg(fcinfo, 1));
    return sketch_aggregate_result(fcinfo, state);
}

/* Packs the sum; the last values that were added may be too many. */
PG_FUNCTION_INFO_V1(sketches_cuckoo_sum_final);
Datum
sketches_cuckoo_sum_final(PG_FUNCTION_ARGS)
{
    SketchBytes packed;
    SketchError error;

    if (!cuckoo_pack_sum(sketch_arg(fcinfo, 0), &sketch_memory, &packed, &error))
        cuckoo_raise_sum(&error);
    return sketch_datum(packed.data);
}
