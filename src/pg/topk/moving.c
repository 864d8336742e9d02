/*
 * moving.c - aggregates of topk over window frames that move. How: pg/shared/moving.c.
 *
 * approx_top_k and approx_top_count have a way of their own: all items of the frame with their
 * counts, in the order of the list (core/topk/frame.h), so that the answer is exact. A row costs
 * four searches at most; the frame takes 120 to 270 bytes a distinct item and the bytes of its
 * text.
 */
#include "pg/shared/moving.h"

#include "core/topk/frame.h"
#include "topk.h"

/* The items of a frame, and k, which is 0 before the first one. */
typedef struct Frame {
    TopkFrame items;
    uint32 k;
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
    topk_frame_begin(&frame->items, &sketch_memory);
    MemoryContextSwitchTo(caller);
    return frame;
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_moving);
Datum
sketches_approx_top_k_moving(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        TopkItem item = topk_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
        MemoryContext caller;
        SketchError error;

        frame->k = topk_constant_k(fcinfo, 2, frame->k);
        caller = MemoryContextSwitchTo(memory);
        if (!topk_frame_add(&frame->items, item, &sketch_memory, &error))
            sketch_raise(&error, "cannot add to this topk");
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(frame);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_inverse);
Datum
sketches_approx_top_k_inverse(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        TopkItem item = topk_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
        MemoryContext caller = MemoryContextSwitchTo(memory);

        if (!topk_frame_remove(&frame->items, item, &sketch_memory))
            elog(ERROR, "a row leaves the frame that is not in it");
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(frame);
}

/* Final functions: what `make` makes of the list of a frame in argument 0; NULL over no rows. */
static Datum
listed(FunctionCallInfo fcinfo, Datum (*make)(const TopkCounter *, uint32))
{
    Frame *frame = PG_ARGISNULL(0) ? NULL : (Frame *)PG_GETARG_POINTER(0);
    TopkCounter *counters;
    uint32 k;

    if (!frame || frame->items.items.used == 0)
        PG_RETURN_NULL();
    k = (uint32)Min(frame->k, frame->items.items.used);
    counters = palloc(k * sizeof *counters);
    return make(counters, topk_frame_top(&frame->items, k, counters));
}

SQL_FUNCTION(sketches_approx_top_k_moving_final, listed(fcinfo, topk_item_array));
SQL_FUNCTION(sketches_approx_top_k_bigint_moving_final, listed(fcinfo, topk_number_array));
SQL_FUNCTION(sketches_approx_top_count_moving_final, listed(fcinfo, topk_json));
