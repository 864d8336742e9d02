/*
 * moving.c - aggregates of tdigest over window frames that move. How: pg/shared/moving.c.
 *
 * approx_percentile and approx_median have a way of their own: the values of the frame in their
 * order (core/common/ranked.h), from which each quantile is exact, as percentile_cont has it. A row
 * costs two searches; the frame takes 8 to 32 bytes a value.
 */
#include "pg/shared/quantile_functions.h"
#include "pg/shared/moving.h"

#include "catalog/pg_type.h"

#include "core/common/ranked.h"
#include "tdigest.h"

/* The values of a frame, and the requested quantiles; `q` is NULL before the first row. */
typedef struct Frame {
    Ranked ranked;
    int requested;
    double *q;
} Frame;

/* A frame, an empty one for its first row; *memory is where it may grow. */
static Frame *
frame_state(FunctionCallInfo fcinfo, MemoryContext *memory)
{
    MemoryContext caller;
    Frame *frame;

    sketch_moving_memory(fcinfo, memory);
    if (!PG_ARGISNULL(0))
        return (Frame *)PG_GETARG_POINTER(0);
    caller = MemoryContextSwitchTo(*memory);
    frame = palloc0(sizeof *frame);
    ranked_begin(&frame->ranked, &sketch_memory);
    MemoryContextSwitchTo(caller);
    return frame;
}

/*
 * The quantiles of the first row are checked by the plain aggregate, with a state that is thrown
 * away; those of all other rows have to be the same.
 */
static void
check_requested(FunctionCallInfo fcinfo, Frame *frame, MemoryContext memory, PGFunction plain,
                const double *q, int requested)
{
    bool same;

    if (frame->q == NULL) {
        LOCAL_FCINFO(first, 3);

        InitFunctionCallInfoData(*first, fcinfo->flinfo, 3, fcinfo->fncollation, NULL, NULL);
        first->args[0] = (NullableDatum){.isnull = true};
        first->args[1] = fcinfo->args[1];
        first->args[2] = fcinfo->args[2];
        plain(first);
        frame->q = MemoryContextAlloc(memory, (requested + 1) * sizeof *q);
        memcpy(frame->q, q, requested * sizeof *q);
        frame->requested = requested;
        return;
    }
    /* Numbers are compared, not bytes: -0 is 0. */
    same = requested == frame->requested;
    for (int i = 0; i < requested && same; i++)
        same = q[i] == frame->q[i];
    if (!same)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("percentiles changed within a group")));
}

static void
take_in(Frame *frame, MemoryContext memory, double value)
{
    MemoryContext caller = MemoryContextSwitchTo(memory);

    ranked_add(&frame->ranked, tdigest_check_value(value), &sketch_memory);
    MemoryContextSwitchTo(caller);
}

extern Datum sketches_approx_percentile_state(PG_FUNCTION_ARGS);
extern Datum sketches_approx_percentiles_state(PG_FUNCTION_ARGS);

/* Adds a row to its frame; `plain` is the transition of the plain aggregate. */
static Datum
add_row(FunctionCallInfo fcinfo, SketchQuantileArgument kind, PGFunction plain)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);
    double one = -1;
    SketchRequested requested = {&one, 1};

    if (PG_ARGISNULL(1))
        PG_RETURN_POINTER(frame);
    if (kind == QUANTILE_ARRAY) {
        ArrayType *array = PG_ARGISNULL(2) ? NULL : PG_GETARG_ARRAYTYPE_P(2);

        /* An array that has a NULL is refused in the first row, and later as one that changed. */
        requested = (SketchRequested){NULL, -1};
        if (array && !(ARR_HASNULL(array) && array_contains_nulls(array)))
            requested = (SketchRequested){(const double *)ARR_DATA_PTR(array),
                                          ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array))};
    } else if (!PG_ARGISNULL(2))
        one = PG_GETARG_FLOAT8(2);
    check_requested(fcinfo, frame, memory, plain, requested.q, requested.count);
    take_in(frame, memory, PG_GETARG_FLOAT8(1));
    PG_RETURN_POINTER(frame);
}

SQL_FUNCTION(sketches_approx_percentile_moving,
             add_row(fcinfo, ONE_QUANTILE, sketches_approx_percentile_state));
SQL_FUNCTION(sketches_approx_percentiles_moving,
             add_row(fcinfo, QUANTILE_ARRAY, sketches_approx_percentiles_state));

PG_FUNCTION_INFO_V1(sketches_approx_median_moving);
Datum
sketches_approx_median_moving(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1))
        take_in(frame, memory, PG_GETARG_FLOAT8(1));
    PG_RETURN_POINTER(frame);
}

/* The inverse transition of all three. */
PG_FUNCTION_INFO_V1(sketches_approx_percentile_inverse);
Datum
sketches_approx_percentile_inverse(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        MemoryContext caller = MemoryContextSwitchTo(memory);

        if (!ranked_remove(&frame->ranked, PG_GETARG_FLOAT8(1), &sketch_memory))
            elog(ERROR, "a row leaves the frame that is not in it");
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(frame);
}

static Frame *
final_frame(FunctionCallInfo fcinfo)
{
    Frame *frame = PG_ARGISNULL(0) ? NULL : (Frame *)PG_GETARG_POINTER(0);

    return frame && frame->ranked.count > 0 ? frame : NULL;
}

PG_FUNCTION_INFO_V1(sketches_approx_percentile_moving_final);
Datum
sketches_approx_percentile_moving_final(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (!frame)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(ranked_quantile(&frame->ranked, frame->q[0]));
}

PG_FUNCTION_INFO_V1(sketches_approx_percentiles_moving_final);
Datum
sketches_approx_percentiles_moving_final(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);
    Datum answers[TDIGEST_REQUESTED_MAX];

    if (!frame)
        PG_RETURN_NULL();
    for (int i = 0; i < frame->requested; i++)
        answers[i] = Float8GetDatum(ranked_quantile(&frame->ranked, frame->q[i]));
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, frame->requested, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(sketches_approx_median_moving_final);
Datum
sketches_approx_median_moving_final(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (!frame)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(ranked_quantile(&frame->ranked, 0.5));
}
