/*
 * io.c - sketches in and out: text, binary, bytea.
 *
 * SQL objects served, one C function for every type T: _T_in, _T_recv, T(bytea), T(text), which
 * find T as the result that they were declared with, and _T_out, _T_send, bytea(T). (Types with a
 * text or checks of their own have some of them in their rooms: roaring/text.c, topk/topk.c.) All
 * are STRICT.
 *
 * Text is base64 of a value, as pg_dump stores it and Citus 13 moves it; input may have line
 * breaks, or be \x and the bytes in hexadecimal, as bytea prints them. Binary is the value itself.
 * Both have the packed value. An aggregate's state, which other servers unite, has the form in
 * transit instead, which loses nothing. bytea is always the packed value. Bytes from outside become
 * a value only through the type's validate.
 */
#include "glue.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "core/common/foreign.h"
#include "core/common/polled.h"

/* Returns true if the names of one or two functions, with "or" between them, have this one. */
static bool
names(const char *readers, const char *function)
{
    const char *at = strstr(readers, function);
    const char after = at ? at[strlen(function)] : 'x';

    return at && (at == readers || at[-1] == ' ') && (after == '\0' || after == ' ');
}

/*
 * Returns a hint: what the bytes look like, and what reads them. NULL if nobody knows, or if
 * `function`, which has refused them, is what reads them. They were text in `encoding`, or NULL.
 */
static char *
foreign_hint(SketchBytes input, const char *function, const char *encoding)
{
    const char *bytes = encoding ? psprintf("decode(payload, '%s')", encoding) : "them";
    const char *are = encoding ? psprintf("are %s text of", encoding) : "look like";
    ForeignMark mark;

    if (!foreign_mark(input, &sketch_memory, &mark) ||
        (mark.reader && names(mark.reader, function)))
        return NULL;
    return mark.reader
               ? psprintf("The bytes %s %s: %s reads %s.", are, mark.what, mark.reader, bytes)
               : psprintf("The bytes %s %s, which is not read; %s.", are, mark.what, mark.advice);
}

/*
 * Validates bytes. The error is raised or, if the caller of an input function asks for that, saved
 * in `context`.
 */
static Datum
validate(SketchBytes input, const SketchOps *ops, int code, Node *context)
{
    SketchBytes value;
    SketchError error;
    char *hint;

    if (input.size > SKETCH_BYTES_MAX)
        sketch_raise_too_large(input.size, SKETCH_BYTES_MAX);
    if (ops->validate(input, &sketch_memory, &value, &error))
        return sketch_datum(value.data);
    hint = foreign_hint(input, psprintf("cast to %s", ops->name), NULL);
    sketches_ereturn(context, (Datum)0,
                     (errcode(code), errmsg("invalid value of type %s", ops->name),
                      sketch_errdetail(&error), hint ? errhint("%s", hint) : 0));
}

/* ---- base64, in pieces between which the user may cancel ---- */

#define PIECE_BYTES ((Size)3 << 20)
#define PIECE_TEXT (PIECE_BYTES / 3 * 4)

/* As strlen. */
static Size
length_of(const char *text)
{
    Size length = 0, piece;

    do {
        CHECK_FOR_INTERRUPTS();
        piece = strnlen(text + length, PIECE_TEXT);
        length += piece;
    } while (piece == PIECE_TEXT);
    return length;
}

/* A copy without white space, with which SQL's encode() breaks its lines. */
static char *
without_space(const char *text, Size *length)
{
    Size all = length_of(text);
    char *copy = palloc(all + 1), *to = copy;

    for (Size at = 0; at < all;) {
        Size end = Min(all, at + PIECE_TEXT);

        CHECK_FOR_INTERRUPTS();
        for (; at < end; at++)
            if (text[at] != ' ' && text[at] != '\n' && text[at] != '\t' && text[at] != '\r')
                *to++ = text[at];
    }
    *length = (Size)(to - copy);
    return copy;
}

/* Decodes base64; false if the text is not base64. Only its end may be padded. */
static bool
decode(const char *text, Size length, uint8 *data, Size *size)
{
    *size = 0;
    for (Size at = 0; at < length; at += PIECE_TEXT) {
        Size piece = Min(PIECE_TEXT, length - at);
        int bytes;

        CHECK_FOR_INTERRUPTS();
        bytes = sketches_b64_decode(text + at, (int)piece, data + *size, (int)(piece / 4 * 3 + 3));
        if (bytes < 0 || (at + piece < length && bytes != PIECE_BYTES))
            return false;
        *size += (Size)bytes;
    }
    return true;
}

static void
encode(SketchBytes value, char *text)
{
    for (Size at = 0; at < value.size; at += PIECE_BYTES) {
        Size piece = Min(PIECE_BYTES, value.size - at);
        int length;

        CHECK_FOR_INTERRUPTS();
        length = sketches_b64_encode(value.data + at, (int)piece, text, (int)((piece + 2) / 3 * 4));
        if (length < 0)
            elog(ERROR, "base64 needs more room than its definition says");
        text += length;
    }
    *text = '\0';
}

/* Decodes hexadecimal digits, as bytea prints them; false if the text has anything else. */
static bool
decode_hex(const char *text, Size length, uint8 *data, Size *size)
{
    static const char digits[] = "0123456789abcdef";

    *size = length / 2;
    for (Size i = 0; i < length; i++) {
        const char *digit = strchr(digits, pg_tolower((unsigned char)text[i]));

        if (i % PIECE_TEXT == 0)
            CHECK_FOR_INTERRUPTS();
        if (digit == NULL || length % 2 != 0)
            return false;
        data[i / 2] = (uint8)(data[i / 2] << 4 | (digit - digits));
    }
    return true;
}

/* ---- in and out ---- */

static Datum
refuse_text(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    const char *text = PG_GETARG_CSTRING(0);
    char *hint = foreign_hint((SketchBytes){(const uint8_t *)text, length_of(text)}, "", NULL);

    sketches_ereturn(fcinfo->context, (Datum)0,
                     (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                      errmsg("invalid value of type %s", ops->name),
                      errdetail("The text is neither base64 nor \\x and hexadecimal digits."),
                      hint ? errhint("%s", hint) : 0));
}

Datum
sketch_in(FunctionCallInfo fcinfo, const SketchOps *ops)
{
    Size length, size;
    char *text = without_space(PG_GETARG_CSTRING(0), &length);
    uint8 *data = palloc0(length / 4 * 3 + 3);
    Datum value;

    if (!(text[0] == '\\' && text[1] == 'x' ? decode_hex(text + 2, length - 2, data, &size)
                                            : decode(text, length, data, &size)))
        return refuse_text(fcinfo, ops);
    value = validate((SketchBytes){data, size}, ops, ERRCODE_INVALID_TEXT_REPRESENTATION,
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

/* Returns the encoding of bytes that are the text in which other systems print them, or NULL. */
static const char *
text_encoding(SketchBytes input)
{
    Size size = Min(input.size, 1000), hex = 0, base64 = 0;

    for (Size i = 0; i < size; i++) {
        hex += isxdigit(input.data[i]) != 0;
        base64 += isalnum(input.data[i]) || memchr("+/=\n", input.data[i], 4) != NULL;
    }
    return size < 8 ? NULL : hex == size ? "hex" : base64 == size ? "base64" : NULL;
}

#define TEXT_MAX (1 << 20) /* a longer text is not decoded only to be named */

void
sketch_raise_import(FunctionCallInfo fcinfo, const SketchError *error, SketchBytes input,
                    const char *what)
{
    const char *encoding = text_encoding(input), *function = get_func_name(fcinfo->flinfo->fn_oid);
    char *hint = NULL;

    if (function == NULL) /* somebody dropped it */
        function = "";
    if (error->status != SKETCH_MALFORMED)
        sketch_raise(error, what);
    if (encoding && input.size <= TEXT_MAX) {
        uint8 *data = palloc(input.size + 3);
        Size size = 0;

        if (*encoding == 'h' ? decode_hex((const char *)input.data, input.size, data, &size)
                             : decode((const char *)input.data, input.size, data, &size))
            hint = foreign_hint((SketchBytes){data, size}, function, encoding);
    } else if (!encoding)
        hint = foreign_hint(input, function, NULL);
    if (encoding && !hint)
        hint = psprintf("The bytes are text: pass decode(payload, '%s').", encoding);
    ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("%s", what),
                    sketch_errdetail(error), hint ? errhint("%s", hint) : 0));
}

Datum
sketch_import(FunctionCallInfo fcinfo, SketchReader reader, const char *what)
{
    SketchBytes input = sketch_inline_bytes(PG_GETARG_VARLENA_PP(0)), value;
    SketchError error;

    if (!reader(input, &sketch_memory, &value, &error))
        sketch_raise_import(fcinfo, &error, input, what);
    return sketch_datum(value.data);
}

SQL_FUNCTION(sketches_in, sketch_in(fcinfo, sketch_result_ops(fcinfo)));
SQL_FUNCTION(sketches_recv, sketch_recv(fcinfo, sketch_result_ops(fcinfo)));
SQL_FUNCTION(sketches_from_bytea, sketch_from_bytea(fcinfo, sketch_result_ops(fcinfo)));

/*
 * T(text), where T has other functions of one argument: a parameter without a type is a text then,
 * and is read as a literal is.
 */
PG_FUNCTION_INFO_V1(sketches_from_text);
Datum
sketches_from_text(PG_FUNCTION_ARGS)
{
    Oid type = get_func_rettype(fcinfo->flinfo->fn_oid), input, parameter;

    getTypeInputInfo(type, &input, &parameter);
    return OidInputFunctionCall(input, text_to_cstring(PG_GETARG_TEXT_PP(0)), parameter, -1);
}

PG_FUNCTION_INFO_V1(sketches_out);
Datum
sketches_out(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_outgoing(sketch_any_value(PG_GETARG_DATUM(0)));
    size_t room = (value.size + 2) / 3 * 4 + 1;
    char *text;

    if (room > MaxAllocSize)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("sketch is too large for its text form"),
                        errdetail("It would take %zu bytes, the limit is %zu.", room,
                                  (size_t)MaxAllocSize),
                        errhint("Use the binary format.")));
    text = palloc(room);
    encode(value, text);
    PG_RETURN_CSTRING(text);
}

Datum
sketch_bytea(SketchBytes value)
{
    bytea *result = palloc(value.size + VARHDRSZ);

    SET_VARSIZE(result, value.size + VARHDRSZ);
    polled_copy(VARDATA(result), value.data, value.size, &sketch_memory);
    PG_RETURN_BYTEA_P(result);
}

SQL_FUNCTION(sketches_send, sketch_bytea(sketch_outgoing(sketch_any_value(PG_GETARG_DATUM(0)))));
SQL_FUNCTION(sketches_to_bytea, sketch_bytea(sketch_pack(sketch_value(PG_GETARG_DATUM(0)))));
