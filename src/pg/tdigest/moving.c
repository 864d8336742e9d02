/*
 * moving.c - tdigest over sliding windows.
 *
 * SQL objects served: all functions of the moving modes of approx_percentile and approx_median, and
 * the final function of tdigest_union_percentile_agg, whose other functions are in
 * pg/shared/moving.c.
 *
 * approx_percentile and approx_median keep the values of the frame in their order
 * (core/common/ranked.h), from which each quantile is exact, as percentile_cont has it. A row costs
 * two searches; the frame takes 8 to 32 bytes a value.
 */
#include "pg/shared/moving.h"

#include "core/common/ranked.h"
#include "tdigest.h"

typedef struct Frame {
    Ranked ranked;
    SketchFrameQuantiles quantiles;
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

static void
take_in(Frame *frame, MemoryContext memory, double value)
{
    MemoryContext caller = MemoryContextSwitchTo(memory);

    ranked_add(&frame->ranked, tdigest_check_value(value), &sketch_memory);
    MemoryContextSwitchTo(caller);
}

PG_FUNCTION_INFO_V1(sketches_approx_percentile_moving);
Datum
sketches_approx_percentile_moving(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        sketch_frame_quantiles(fcinfo, &frame->quantiles, memory, APPROX_PERCENTILE_ORDER);
        take_in(frame, memory, PG_GETARG_FLOAT8(1));
    }
    PG_RETURN_POINTER(frame);
}

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

/* The inverse of both. */
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

static const Frame *
final_frame(FunctionCallInfo fcinfo)
{
    const Frame *frame = PG_ARGISNULL(0) ? NULL : (const Frame *)PG_GETARG_POINTER(0);

    return frame && frame->ranked.count > 0 ? frame : NULL;
}

static double
ranked_percentile(const void *ranked, double q)
{
    return ranked_quantile(ranked, q);
}

/* One quantile or many. */
PG_FUNCTION_INFO_V1(sketches_approx_percentile_moving_final);
Datum
sketches_approx_percentile_moving_final(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (frame == NULL)
        PG_RETURN_NULL();
    return sketch_frame_result(&frame->quantiles, &frame->ranked, ranked_percentile);
}

PG_FUNCTION_INFO_V1(sketches_approx_median_moving_final);
Datum
sketches_approx_median_moving_final(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (frame == NULL)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(ranked_quantile(&frame->ranked, 0.5));
}

/* ---- unions ---- */

static double
union_percentile(const void *digest, double q)
{
    return tdigest_percentile(digest, q);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_union_percentile_moving_final);
Datum
sketches_tdigest_union_percentile_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;
    Tdigest digest;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_NULL();
    if (!tdigest_read(&digest, united, &sketch_memory))
        sketch_raise_damaged();
    if (digest.count == 0)
        PG_RETURN_NULL();
    return sketch_frame_result(sketch_moving_quantiles(fcinfo), &digest, union_percentile);
}
