/*
 * text.c - texts that are read as roaring and roaring64.
 *
 * SQL objects served, each for both types: roaring_in, which takes base64 and {1,2,5};
 * roaring_from_bits, which takes 0101. Both are STRICT.
 */
#include "roaring.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* The text {1,2,5}. */
static Datum
in_braces(char *text, SketchKind kind, Node *context)
{
    size_t room = 1, count = 0;
    uint64 *values;
    char *at = text + 1 + strspn(text + 1, " \t\r\n");
    bool closed = *at == '}';

    for (const char *p = text; *p; p++)
        room += *p == ',';
    values = palloc_extended(room * sizeof *values, MCXT_ALLOC_HUGE);
    while (!closed) {
        char *end;
        long long value;

        errno = 0;
        value = strtoll(at, &end, 10);
        if (end == at)
            break;
        if (errno == ERANGE || value < 0 || (uint64)value > roaring_value_max(kind))
            sketches_ereturn(
                context, (Datum)0,
                (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                 errmsg("value %.*s is out of range for type %s", (int)(end - at), at,
                        sketch_ops((uint8_t)kind)->name),
                 errdetail("Allowed are 0 to %llu.", (unsigned long long)roaring_value_max(kind))));
        values[count++] = (uint64)value;
        at = end + strspn(end, " \t\r\n");
        closed = *at == '}';
        if (*at != ',' && !closed)
            break;
        at++;
        if (count % 65536 == 0)
            CHECK_FOR_INTERRUPTS();
    }
    if (closed && count == 0)
        at++;
    if (!closed || at[strspn(at, " \t\r\n")] != '\0')
        sketches_ereturn(context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid value of type %s", sketch_ops((uint8_t)kind)->name),
                          errdetail("In braces only integers separated by commas are allowed: "
                                    "\"%.*s\".",
                                    pg_mbcliplen(at, (int)strlen(at), 40), at)));
    return sketch_datum(roaring_set_of(kind, values, count).data);
}

static Datum
in(FunctionCallInfo fcinfo, SketchKind kind)
{
    char *text = PG_GETARG_CSTRING(0);

    text += strspn(text, " \t\r\n");
    if (*text == '{')
        return in_braces(text, kind, fcinfo->context);
    return sketch_in(fcinfo, sketch_ops((uint8_t)kind));
}

/* From a text of 0 and 1: the positions of the ones. */
static Datum
from_bits(FunctionCallInfo fcinfo, SketchKind kind)
{
    text *bits = PG_GETARG_TEXT_PP(0);
    const char *at = VARDATA_ANY(bits);
    size_t length = VARSIZE_ANY_EXHDR(bits), count = 0;
    uint64 *values = palloc_extended(length * sizeof *values + 1, MCXT_ALLOC_HUGE);

    for (size_t i = 0; i < length; i++) {
        if (at[i] == '1')
            values[count++] = i;
        else if (at[i] != '0')
            ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("\"%.*s\" is not a valid bit", pg_mblen(at + i), at + i),
                            errdetail("It stands at position %zu; allowed are 0 and 1.", i)));
    }
    return sketch_datum(roaring_from_sorted(kind, values, count, &sketch_memory).data);
}

SKETCHES_FUNCTION(roaring_in) { return in(fcinfo, SKETCH_ROARING); }

SKETCHES_FUNCTION(roaring64_in) { return in(fcinfo, SKETCH_ROARING64); }

SKETCHES_FUNCTION(roaring_from_bits) { return from_bits(fcinfo, SKETCH_ROARING); }

SKETCHES_FUNCTION(roaring64_from_bits) { return from_bits(fcinfo, SKETCH_ROARING64); }
