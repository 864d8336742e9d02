/*
 * moving.c - aggregates of ddsketch over window frames that move, by subtraction.
 *
 * SQL objects served: MSFUNC, MINVFUNC and MFINALFUNC of ddsketch_agg, ddsketch_weighted_agg,
 * ddsketch_union_agg and ddsketch_union_percentile_agg. None of them is STRICT. A row with a NULL
 * changes nothing; a frame that has only such rows is NULL.
 *
 * A row that enters is added to the sketch of the frame, and one that leaves is subtracted, so a
 * row costs the same in frames of any length, and the result has the bytes of the plain aggregate.
 * Sketches of several relative errors meet at the largest. When the last one of it leaves, the
 * finer buckets of the others are gone: the inverse returns NULL, and PostgreSQL begins again with
 * the rows of the frame.
 */
#include "pg/shared/moving.h"

#include "ddsketch.h"

#define SCALES (DDSKETCH_SCALE_MAX - DDSKETCH_SCALE_MIN + 1)

typedef struct Frame {
    SketchState state; /* data is NULL before the first row */
    int64 rows;
    int64 of_scale[SCALES]; /* sketches of each scale */
} Frame;

/* The frame, an empty one for its first row; *memory is where it lives. */
static Frame *
frame_of(FunctionCallInfo fcinfo, MemoryContext *memory)
{
    sketch_moving_memory(fcinfo, memory);
    if (!PG_ARGISNULL(0))
        return (Frame *)PG_GETARG_POINTER(0);
    return MemoryContextAllocZero(*memory, sizeof(Frame));
}

/* Frees the state before a change unless it is the state after it. */
static void
replace(Frame *frame, SketchState before)
{
    if (before.data && before.data != frame->state.data)
        pfree(DatumGetPointer(sketch_datum(before.data)));
}

/* A row has left. What is empty begins anew, with whatever comes next. */
static void
row_left(Frame *frame)
{
    if (--frame->rows > 0)
        return;
    pfree(DatumGetPointer(sketch_datum(frame->state.data)));
    frame->state.data = NULL;
}

/* ---- values ---- */

/* The weight of a row: of argument 2 if there is one and it is a bigint. */
static uint64
weight_of(FunctionCallInfo fcinfo, bool weighted)
{
    return weighted ? ddsketch_check_weight(PG_GETARG_INT64(2)) : 1;
}

static Datum
add_value(FunctionCallInfo fcinfo, bool weighted)
{
    int error_at = weighted ? 3 : 2;
    MemoryContext memory, caller;
    Frame *frame = frame_of(fcinfo, &memory);
    SketchState before;
    uint64 weight;
    int scale;

    if (PG_ARGISNULL(1) || (weighted && PG_ARGISNULL(2)))
        PG_RETURN_POINTER(frame);
    weight = weight_of(fcinfo, weighted);
    scale = ddsketch_scale_arg(fcinfo, error_at);
    caller = MemoryContextSwitchTo(memory);
    if (frame->state.data == NULL)
        frame->state = ddsketch_new_state(scale);
    else if (PG_NARGS() > error_at)
        ddsketch_check_unchanged(sketch_bytes(frame->state), scale);
    before = frame->state;
    ddsketch_insert_checked(&frame->state, PG_GETARG_FLOAT8(1), weight);
    replace(frame, before);
    frame->rows++;
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(frame);
}

static Datum
remove_value(FunctionCallInfo fcinfo, bool weighted)
{
    MemoryContext memory;
    Frame *frame = frame_of(fcinfo, &memory);
    SketchError error;
    uint64 weight;

    if (PG_ARGISNULL(1) || (weighted && PG_ARGISNULL(2)))
        PG_RETURN_POINTER(frame);
    weight = weight_of(fcinfo, weighted);
    if (weight > 0 && !ddsketch_remove(&frame->state, PG_GETARG_FLOAT8(1), weight, &error))
        elog(ERROR, "a row leaves the frame that is not in it");
    row_left(frame);
    PG_RETURN_POINTER(frame);
}

SQL_FUNCTION(sketches_ddsketch_agg_moving, add_value(fcinfo, false));
SQL_FUNCTION(sketches_ddsketch_agg_inverse, remove_value(fcinfo, false));
SQL_FUNCTION(sketches_ddsketch_weighted_agg_moving, add_value(fcinfo, true));
SQL_FUNCTION(sketches_ddsketch_weighted_agg_inverse, remove_value(fcinfo, true));

/* ---- sketches ---- */

/* Counts the frame's sketches of this one's scale; sketches of other buckets are all alike. */
static int64 *
of_scale(Frame *frame, SketchBytes sketch, int *scale)
{
    DdsketchGrid grid;
    uint64_t total;

    if (!ddsketch_grid(sketch, &grid, &total))
        sketch_raise_damaged();
    *scale = grid.scale;
    return &frame->of_scale[grid.scale - DDSKETCH_SCALE_MIN];
}

/* Adds the sketch of a row; the state of its frame carries the quantiles, if any are requested. */
static Datum
add_sketch(FunctionCallInfo fcinfo, const SketchRequested *requested)
{
    MemoryContext memory, caller;
    Frame *frame = frame_of(fcinfo, &memory);
    SketchBytes sketch = sketch_pack(sketch_arg(fcinfo, 1));
    SketchState before;
    int scale;

    caller = MemoryContextSwitchTo(memory);
    if (frame->state.data == NULL) {
        frame->state = sketch_open(sketch, &ddsketch_ops);
        before = frame->state;
        if (requested)
            ddsketch_request_checked(&frame->state, *requested);
    } else {
        before = frame->state;
        if (requested)
            ddsketch_check_requested(sketch_bytes(before), *requested);
        sketch_merge(&frame->state, sketch);
    }
    replace(frame, before);
    ++*of_scale(frame, sketch, &scale);
    frame->rows++;
    MemoryContextSwitchTo(caller);
    PG_RETURN_POINTER(frame);
}

/* The frame as it is, for a row that changes nothing. */
static Datum
same_frame(FunctionCallInfo fcinfo)
{
    MemoryContext memory;

    PG_RETURN_POINTER(frame_of(fcinfo, &memory));
}

SQL_FUNCTION(sketches_ddsketch_union_moving,
             PG_ARGISNULL(1) ? same_frame(fcinfo) : add_sketch(fcinfo, NULL));

PG_FUNCTION_INFO_V1(sketches_ddsketch_union_percentile_moving);
Datum
sketches_ddsketch_union_percentile_moving(PG_FUNCTION_ARGS)
{
    SketchRequested requested;
    double one;

    if (PG_ARGISNULL(1))
        return same_frame(fcinfo);
    requested = sketch_requested_arg(fcinfo, sketch_requested_kind(fcinfo), &one);
    return add_sketch(fcinfo, &requested);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_union_inverse);
Datum
sketches_ddsketch_union_inverse(PG_FUNCTION_ARGS)
{
    MemoryContext memory, caller;
    Frame *frame = frame_of(fcinfo, &memory);
    SketchState before = frame->state;
    SketchBytes sketch;
    SketchError error;
    int64 *alike;
    int scale;

    if (PG_ARGISNULL(1))
        PG_RETURN_POINTER(frame);
    sketch = sketch_arg(fcinfo, 1);
    alike = of_scale(frame, sketch, &scale);
    if (--*alike == 0 && frame->rows > 1) {
        DdsketchGrid grid;
        uint64_t total;

        ddsketch_grid(sketch_bytes(frame->state), &grid, &total);
        if (grid.scale == scale)
            PG_RETURN_NULL();
    }
    caller = MemoryContextSwitchTo(memory);
    if (!ddsketch_subtract(&frame->state, sketch, &sketch_memory, &error))
        sketch_raise(&error, "a row leaves the frame that is not in it");
    replace(frame, before);
    MemoryContextSwitchTo(caller);
    row_left(frame);
    PG_RETURN_POINTER(frame);
}

static const Frame *
final_frame(FunctionCallInfo fcinfo)
{
    const Frame *frame = PG_ARGISNULL(0) ? NULL : (const Frame *)PG_GETARG_POINTER(0);

    return frame && frame->rows > 0 ? frame : NULL;
}

/* The final function of all that make sketches. */
PG_FUNCTION_INFO_V1(sketches_ddsketch_final_moving);
Datum
sketches_ddsketch_final_moving(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (frame == NULL)
        PG_RETURN_NULL();
    return sketch_datum(sketch_pack(sketch_bytes(frame->state)).data);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_union_percentile_final_moving);
Datum
sketches_ddsketch_union_percentile_final_moving(PG_FUNCTION_ARGS)
{
    const Frame *frame = final_frame(fcinfo);

    if (frame == NULL)
        PG_RETURN_NULL();
    return ddsketch_requested_result(fcinfo, sketch_bytes(frame->state));
}
