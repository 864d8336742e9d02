/*
 * value.c - a value in its encodings: opened to be changed, packed to be a result.
 *
 * SQL object served, one C function for every type T: _T_final(T), the final function of most
 * aggregates. It packs the state, and is STRICT.
 */
#include "glue.h"

#include "core/common/polled.h"

SketchBytes
sketch_copy(SketchBytes value)
{
    uint8_t *copy = sketch_memory.value(value.size, sketch_memory.context);

    polled_copy(copy, value.data, value.size, &sketch_memory);
    return (SketchBytes){copy, value.size};
}

/* Raises if core found a value damaged; so does `written`, for results. */
static SketchState
opened(SketchState state)
{
    if (state.data == NULL)
        sketch_raise_damaged();
    return state;
}

SketchState
sketch_open(SketchBytes value, const SketchOps *ops)
{
    SketchState state = {NULL, 0};

    if (ops == NULL)
        ops = sketch_ops(sketch_kind(value.data));
    if (sketch_kind(value.data) == ops->kind)
        state = ops->open(value, &sketch_memory);
    return opened(state);
}

SketchState
sketch_open_many(SketchBytes value)
{
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));

    return ops->open_many ? opened(ops->open_many(value, &sketch_memory))
                          : sketch_open(value, NULL);
}

static SketchBytes
written(SketchBytes value)
{
    if (value.data == NULL)
        sketch_raise_damaged();
    return value;
}

SketchBytes
sketch_pack(SketchBytes value)
{
    if (sketch_is_packed(value.data))
        return value;
    return written(sketch_ops(sketch_kind(value.data))->pack(value, &sketch_memory));
}

SketchBytes
sketch_outgoing(SketchBytes value)
{
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));

    if (!sketch_is_working(value.data))
        return value;
    return ops->transit ? written(ops->transit(value, &sketch_memory)) : sketch_pack(value);
}

Datum
sketch_packed_datum(SketchBytes value)
{
    SketchBytes packed = sketch_pack(value);

    /* An argument may have a short length word, or live in a cache. */
    return sketch_datum(packed.data == value.data ? sketch_copy(packed).data : packed.data);
}

Datum
sketch_packed_arg_datum(FunctionCallInfo fcinfo, int n)
{
    Datum datum = PG_GETARG_DATUM(n);

    if (sketch_is_packed(sketch_front(fcinfo, n).data))
        return datum;
    return sketch_datum(sketch_pack(sketch_any_value(datum)).data);
}

SQL_FUNCTION(sketches_final, sketch_packed_arg_datum(fcinfo, 0));

Datum
sketch_state_result(SketchState state)
{
    SketchBytes packed = sketch_pack(sketch_bytes(state));

    /* A type may have no working encoding. */
    if (packed.data != state.data)
        pfree((void *)DatumGetPointer(sketch_datum(state.data)));
    return sketch_datum(packed.data);
}
