/*
 * moving.c - aggregates of topk over window frames that move. How: pg/shared/moving.c.
 *
 * approx_top_k has a way of its own: all items of the frame with their counts, in the order of the
 * list (core/topk/frame.h), so that the answer is exact. A row costs four searches at most; the
 * frame takes 120 to 270 bytes a distinct item and the bytes of its text.
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

static Datum
take_in(FunctionCallInfo fcinfo, SketchItemType type)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        TopkItem item = topk_item_arg(fcinfo, 1, type);
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

static Datum
take_out(FunctionCallInfo fcinfo, SketchItemType type)
{
    MemoryContext memory;
    Frame *frame = frame_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        TopkItem item = topk_item_arg(fcinfo, 1, type);
        MemoryContext caller = MemoryContextSwitchTo(memory);

        if (!topk_frame_remove(&frame->items, item, &sketch_memory))
            elog(ERROR, "a row leaves the frame that is not in it");
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(frame);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_moving);
Datum
sketches_approx_top_k_moving(PG_FUNCTION_ARGS)
{
    return take_in(fcinfo, ITEM_TEXT);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_inverse);
Datum
sketches_approx_top_k_inverse(PG_FUNCTION_ARGS)
{
    return take_out(fcinfo, ITEM_TEXT);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_bigint_moving);
Datum
sketches_approx_top_k_bigint_moving(PG_FUNCTION_ARGS)
{
    return take_in(fcinfo, ITEM_BIGINT);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_bigint_inverse);
Datum
sketches_approx_top_k_bigint_inverse(PG_FUNCTION_ARGS)
{
    return take_out(fcinfo, ITEM_BIGINT);
}

/* The list of a frame in argument 0, of which there are *count; none over no rows. */
static TopkItem *
frame_top(FunctionCallInfo fcinfo, uint32 *count)
{
    Frame *frame = PG_ARGISNULL(0) ? NULL : (Frame *)PG_GETARG_POINTER(0);
    TopkItem *items;
    uint32 k;

    if (!frame || frame->items.items.used == 0)
        return NULL;
    k = (uint32)Min(frame->k, frame->items.items.used);
    items = palloc(k * sizeof *items);
    *count = topk_frame_top(&frame->items, k, items);
    return items;
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_moving_final);
Datum
sketches_approx_top_k_moving_final(PG_FUNCTION_ARGS)
{
    uint32 count;
    TopkItem *items = frame_top(fcinfo, &count);

    if (items == NULL)
        PG_RETURN_NULL();
    return topk_item_array(items, count);
}

PG_FUNCTION_INFO_V1(sketches_approx_top_k_bigint_moving_final);
Datum
sketches_approx_top_k_bigint_moving_final(PG_FUNCTION_ARGS)
{
    uint32 count;
    TopkItem *items = frame_top(fcinfo, &count);

    if (items == NULL)
        PG_RETURN_NULL();
    return topk_number_array(items, count);
}
