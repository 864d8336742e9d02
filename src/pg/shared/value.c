/*
 * value.c - a value in its encodings: opened to be changed, packed to be a result.
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

SketchState
sketch_open(SketchBytes value, const SketchOps *ops)
{
    SketchState state = {NULL, 0};

    if (ops == NULL)
        ops = sketch_ops(sketch_kind(value.data));
    if (sketch_kind(value.data) == ops->kind)
        state = ops->open(value, &sketch_memory);
    if (state.data == NULL)
        sketch_raise_damaged();
    return state;
}

SketchState
sketch_open_many(SketchBytes value)
{
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));
    SketchState state;

    if (ops->open_many == NULL)
        return sketch_open(value, NULL);
    state = ops->open_many(value, &sketch_memory);
    if (state.data == NULL)
        sketch_raise_damaged();
    return state;
}

SketchBytes
sketch_pack(SketchBytes value)
{
    SketchBytes packed;

    if (sketch_is_packed(value.data))
        return value;
    packed = sketch_ops(sketch_kind(value.data))->pack(value, &sketch_memory);
    if (packed.data == NULL)
        sketch_raise_damaged();
    return packed;
}

SketchBytes
sketch_outgoing(SketchBytes value)
{
    const SketchOps *ops = sketch_ops(sketch_kind(value.data));

    if (!sketch_is_working(value.data))
        return value;
    if (ops->transit == NULL)
        return sketch_pack(value);
    value = ops->transit(value, &sketch_memory);
    if (value.data == NULL)
        sketch_raise_damaged();
    return value;
}

Datum
sketch_packed_datum(SketchBytes value)
{
    SketchBytes packed = sketch_pack(value);

    /* An argument may have a short length word, or live in a cache. */
    return sketch_datum(packed.data == value.data ? sketch_copy(packed).data : packed.data);
}

Datum
sketch_unchanged_arg(FunctionCallInfo fcinfo, int n)
{
    Datum datum = PG_GETARG_DATUM(n);

    if (sketch_is_packed(sketch_front(fcinfo, n).data))
        return datum;
    return sketch_datum(sketch_pack(sketch_any_value(datum)).data);
}

Datum
sketch_state_result(SketchState state)
{
    SketchBytes packed = sketch_pack(sketch_bytes(state));

    /* A type may have no working encoding. */
    if (packed.data != state.data)
        pfree((void *)DatumGetPointer(sketch_datum(state.data)));
    return sketch_datum(packed.data);
}
