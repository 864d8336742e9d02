/*
 * percentile.c - quantiles of a union of sketches, as an aggregate of its own.
 *
 * SQL objects served: the state and final functions of ddsketch_union_percentile_agg, for one
 * percentile or, by the name in the plural, an array of them; each C function is bound for both.
 * Over sliding windows the other functions are in pg/shared/moving.c.
 *
 * The state is a sketch that also has the requested quantiles, so it is complete wherever the plan
 * moves it. The aggregate skips NULL sketches and is NULL over no rows and if all are empty.
 */
#include "pg/shared/moving.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "core/common/bytes.h"
#include "ddsketch.h"

/* Makes a state carry quantiles, once they are checked. */
static void
request_checked(SketchState *state, SketchRequested requested)
{
    uint8 quantiles[SKETCH_REQUESTED_MAX * sizeof(double)];

    sketch_write_requested(requested, quantiles, NULL);
    ddsketch_request(state, (RequestedQuantiles){(unsigned)requested.count, quantiles},
                     &sketch_memory);
}

/* Raises unless a state carries just these. */
static void
check_unchanged(SketchBytes state, SketchRequested requested)
{
    RequestedQuantiles before = ddsketch_requested(state);

    sketch_check_requested(requested, before.quantiles, before.count, NULL);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_union_percentile_state);
Datum
sketches_ddsketch_union_percentile_state(PG_FUNCTION_ARGS)
{
    SketchRequested requested;
    SketchBytes sketch;
    SketchState state;
    double one;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    requested = sketch_requested_arg(fcinfo, sketch_requested_kind(fcinfo), &one);
    sketch = sketch_arg(fcinfo, 1);
    if (PG_ARGISNULL(0)) {
        state = sketch_open(sketch_pack(sketch), &ddsketch_ops);
        request_checked(&state, requested);
    } else {
        state = sketch_aggregate_state(fcinfo, &ddsketch_ops);
        check_unchanged(sketch_bytes(state), requested);
        sketch_merge(&state, sketch);
    }
    return sketch_aggregate_result(fcinfo, state);
}

/* What is declared as the result: one quantile, or an array. */
PG_FUNCTION_INFO_V1(sketches_ddsketch_union_percentile_final);
Datum
sketches_ddsketch_union_percentile_final(PG_FUNCTION_ARGS)
{
    SketchBytes state = sketch_arg(fcinfo, 0);
    RequestedQuantiles requested = ddsketch_requested(state);
    bool one = get_func_rettype(fcinfo->flinfo->fn_oid) == FLOAT8OID;
    Datum answers[SKETCH_REQUESTED_MAX];
    Ddsketch sketch;

    if (!ddsketch_read(&sketch, state, &sketch_memory))
        sketch_raise_damaged();
    if (sketch.count == 0 || (one && requested.count == 0))
        PG_RETURN_NULL();
    for (unsigned i = 0; i < requested.count; i++)
        answers[i] = Float8GetDatum(
            ddsketch_percentile(&sketch, load_le_double(requested.quantiles + i * sizeof(double))));
    ddsketch_close(&sketch, &sketch_memory);
    if (one)
        return answers[0];
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int)requested.count, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static double
union_percentile(const void *sketch, double q)
{
    return ddsketch_percentile(sketch, q);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_union_percentile_moving_final);
Datum
sketches_ddsketch_union_percentile_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;
    Ddsketch sketch;
    Datum result;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_NULL();
    if (!ddsketch_read(&sketch, united, &sketch_memory))
        sketch_raise_damaged();
    if (sketch.count == 0)
        PG_RETURN_NULL();
    result = sketch_frame_result(sketch_moving_quantiles(fcinfo), &sketch, union_percentile);
    ddsketch_close(&sketch, &sketch_memory);
    return result;
}
