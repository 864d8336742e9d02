/*
 * combine.c - bitfields of bitfields: bit by bit, and the bits of rows.
 *
 * SQL objects served, all STRICT except bitfield_or, for which NULL is empty, and
 * _bitfield_agg_state, which skips NULL:
 *   & | # ~, bitfield_bitop                         bit by bit
 *   _bitfield_and_state, or_state, xor_state        aggregates: transition and combine functions
 *   _bitfield_agg_state, agg_final                  the bits of rows
 */
#include "bitfield.h"

#include "miscadmin.h"

#include "core/common/polled.h"

static Datum
combined(BitfieldOp op, const SketchBytes *strings, unsigned count)
{
    SketchBytes result = {NULL, 0};

    for (unsigned i = 0; i < count; i++)
        result.size = Max(result.size, strings[i].size);
    result.data = sketch_memory.value(result.size, sketch_memory.context);
    bitfield_combine(op, strings, count, result, &sketch_memory);
    return sketch_datum(result.data);
}

static Datum
combine_args(FunctionCallInfo fcinfo, BitfieldOp op)
{
    SketchBytes strings[2];

    for (int i = 0; i < PG_NARGS(); i++)
        strings[i] = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(i)));
    return combined(op, strings, (unsigned)PG_NARGS());
}

SQL_FUNCTION(sketches_bitfield_and, combine_args(fcinfo, BITFIELD_AND));

/* NULL is empty, as in the union of sketches. */
PG_FUNCTION_INFO_V1(sketches_bitfield_or);
Datum
sketches_bitfield_or(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        return combine_args(fcinfo, BITFIELD_OR);
    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    return PG_GETARG_DATUM(PG_ARGISNULL(0) ? 1 : 0);
}

SQL_FUNCTION(sketches_bitfield_xor, combine_args(fcinfo, BITFIELD_XOR));
SQL_FUNCTION(sketches_bitfield_not, combine_args(fcinfo, BITFIELD_NOT));

/*
 * bitfield_bitop(op, VARIADIC bitfield[]). A NULL element is an empty string, as a key that does
 * not exist is to BITOP. Of NULLs after the first element one empty string stands for all.
 */
PG_FUNCTION_INFO_V1(sketches_bitfield_bitop);
Datum
sketches_bitfield_bitop(PG_FUNCTION_ARGS)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(1);
    const unsigned given = (unsigned)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    SketchElements elements = sketch_elements(array);
    unsigned count = 0, found = 0, room = 8;
    const SketchBytes empty = {(const uint8 *)"", 0};
    SketchBytes *strings = palloc(room * sizeof *strings);
    BitfieldOp op;
    Datum element;

    if (!bitfield_read_op(bitfield_word_arg(fcinfo, 0), &op))
        bitfield_refuse_word(bitfield_word_arg(fcinfo, 0), "unknown operation",
                             "and, or, xor, not, diff, diff1, andor or one");
    if (!bitfield_op_takes(op, given))
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("operation \"%.*s\" does not take %u bitfields",
                    (int)bitfield_word_arg(fcinfo, 0).length, bitfield_word_arg(fcinfo, 0).text,
                    given),
             errdetail("not takes one; diff, diff1 and andor take two or more; the others one or "
                       "more.")));
    while (sketch_next_element(&elements, &element)) {
        if (found++ == 0 && elements.at > 0)
            strings[count++] = empty;
        if (count + 1 == room)
            strings = repalloc(strings, (room *= 2) * sizeof *strings);
        strings[count++] = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(element));
    }
    if (found == 0)
        PG_RETURN_NULL();
    if (found < given)
        strings[count++] = empty;
    return combined(op, strings, count);
}

/*
 * (state, bitfield), both of the aggregate's type and STRICT: the first value is the state to begin
 * with. In an aggregate, a state that is neither toasted nor too short is changed in place.
 */
static Datum
combine_state(FunctionCallInfo fcinfo, BitfieldOp op)
{
    struct varlena *state = (struct varlena *)PG_GETARG_POINTER(0);
    SketchBytes strings[2];

    strings[0] = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
    strings[1] = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(1)));
    if (!AggCheckCallContext(fcinfo, NULL) || VARATT_IS_EXTENDED(state) ||
        strings[0].size < strings[1].size)
        return combined(op, strings, 2);
    bitfield_combine(op, strings, 2, strings[0], &sketch_memory);
    PG_RETURN_POINTER(state);
}

SQL_FUNCTION(sketches_bitfield_and_state, combine_state(fcinfo, BITFIELD_AND));
SQL_FUNCTION(sketches_bitfield_or_state, combine_state(fcinfo, BITFIELD_OR));
SQL_FUNCTION(sketches_bitfield_xor_state, combine_state(fcinfo, BITFIELD_XOR));

/* ---- bits of rows ---- */

#define AGG_VALUE_BYTES 32 /* with the length word; doubling, it fills the allocator's chunks */

/*
 * (state, offset): a state has zero bytes behind the last 1, which the final function takes away.
 * It is lengthened by doubling.
 */
PG_FUNCTION_INFO_V1(sketches_bitfield_agg_state);
Datum
sketches_bitfield_agg_state(PG_FUNCTION_ARGS)
{
    struct varlena *state = PG_ARGISNULL(0) ? NULL : (struct varlena *)PG_GETARG_POINTER(0);
    int64 offset;
    Size bytes, room = AGG_VALUE_BYTES;

    if (PG_ARGISNULL(1)) {
        if (state)
            PG_RETURN_POINTER(state);
        PG_RETURN_NULL();
    }
    offset = PG_GETARG_INT64(1);
    bitfield_check_offset(offset, bitfield_one_bit);
    bytes = bitfield_bytes(offset, 1);
    if (!state || !AggCheckCallContext(fcinfo, NULL) || VARATT_IS_EXTENDED(state) ||
        VARSIZE(state) - VARHDRSZ < bytes) {
        SketchBytes old = {NULL, 0};
        uint8 *longer;

        if (state)
            old = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
        while (room - VARHDRSZ < Max(bytes, old.size))
            room *= 2;
        room = Min(room - VARHDRSZ, Max(BITFIELD_BITS_MAX / 8, old.size));
        longer = sketch_memory.value(room, sketch_memory.context);
        state = (struct varlena *)DatumGetPointer(sketch_datum(longer));
        if (old.size > 0)
            polled_copy(longer, old.data, old.size, &sketch_memory);
        polled_zero(longer + old.size, room - old.size, &sketch_memory);
    }
    bitfield_put((uint8 *)VARDATA(state), bitfield_one_bit, offset, 1);
    PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(sketches_bitfield_agg_final);
Datum
sketches_bitfield_agg_final(PG_FUNCTION_ARGS)
{
    SketchBytes state = sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(PG_GETARG_DATUM(0)));
    SketchBytes exact = state;

    while (exact.size > 0 && exact.data[exact.size - 1] == 0)
        if (--exact.size % SKETCH_POLL_STEPS == 0)
            CHECK_FOR_INTERRUPTS();
    return combined(BITFIELD_OR, &exact, 1);
}
