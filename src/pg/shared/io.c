/*
 * io.c - sketches in and out: text, binary, bytea.
 *
 * SQL objects served: _T_in, _T_recv, T(bytea) through SKETCHES_IO, and _T_out, _T_send, bytea(T),
 * which are one function each for all types. All are STRICT.
 *
 * Text is base64 of a value, as pg_dump stores it and Citus 13 moves it; it may be broken into lines.
 * Binary is the value itself. Both carry the packed value; of an aggregate's state, which moves
 * between servers to be united there, the form in transit that loses nothing. bytea is always the
 * packed value. Bytes from outside become a value only through the type's validate.
 */
#include "glue.h"

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/memutils.h"

/* Validates bytes in either form; the error goes to `context`, which an input function may collect. */
static Datum
validate(SketchBytes input, const SketchOps *ops, int code, Node *context)
{
    SketchBytes value;
    SketchError error;

    if (!ops->validate(input, &sketch_memory, &value, &error))
        sketches_ereturn(context, (Datum)0,
                         (errcode(code), errmsg("invalid value of type %s", ops->name),
                          sketch_errdetail(&error)));
    return sketch_datum(value.data);
}

/* Removes the white space that encode() breaks its lines with; returns what is left. */
static size_t
squeeze(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++)
        if (strchr(" \t\r\n", *from) == NULL)
            *to++ = *from;
    return (size_t)(to - text);
}

Datum
sketch_in(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    char *text = pstrdup(PG_GETARG_CSTRING(0));
    size_t length = squeeze(text);
    size_t room = length / 4 * 3 + 3;
    uint8 *data = palloc(room);
    int size = sketches_b64_decode(text, (int)length, data, (int)room);
    Datum value;

    if (size < 0)
        sketches_ereturn(fcinfo->context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid value of type %s", ops->name),
                          errdetail("The text is not base64.")));
    value = validate((SketchBytes){data, (size_t)size}, ops, ERRCODE_INVALID_TEXT_REPRESENTATION,
                     fcinfo->context);
    pfree(data);
    pfree(text);
    return value;
}

Datum
sketch_recv(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    StringInfo message = (StringInfo)PG_GETARG_POINTER(0);
    size_t size = (size_t)(message->len - message->cursor);
    const uint8_t *data = (const uint8_t *)pq_getmsgbytes(message, (int)size);

    return validate((SketchBytes){data, size}, ops, ERRCODE_INVALID_BINARY_REPRESENTATION, NULL);
}

Datum
sketch_from_bytea(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    return validate(sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), ops,
                    ERRCODE_INVALID_BINARY_REPRESENTATION, NULL);
}

SKETCHES_FUNCTION(out)
{
    SketchBytes value = sketch_outgoing(sketch_value(PG_GETARG_DATUM(0)));
    size_t room = (value.size + 2) / 3 * 4 + 1;
    char *text;
    int length;

    if (room > MaxAllocSize)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("sketch is too large for its text form"),
                        errdetail("It would take %zu bytes, the limit is %zu.", room,
                                  (size_t)MaxAllocSize),
                        errhint("Use the binary format.")));
    text = palloc(room);
    length = sketches_b64_encode(value.data, (int)value.size, text, (int)room);
    if (length < 0)
        elog(ERROR, "base64 needs more room than its definition says");
    text[length] = '\0';
    PG_RETURN_CSTRING(text);
}

/* bytea has the same layout as a sketch, so the value's bytes are the result. */
static Datum
bytea_of(SketchBytes value)
{
    bytea *result = palloc(value.size + VARHDRSZ);

    SET_VARSIZE(result, value.size + VARHDRSZ);
    memcpy(VARDATA(result), value.data, value.size);
    PG_RETURN_BYTEA_P(result);
}

SKETCHES_FUNCTION(send) { return bytea_of(sketch_outgoing(sketch_value(PG_GETARG_DATUM(0)))); }

SKETCHES_FUNCTION(to_bytea) { return bytea_of(sketch_pack(sketch_value(PG_GETARG_DATUM(0)))); }
