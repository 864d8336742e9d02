/*
 * text.c - roaring and roaring64 as texts.
 *
 * SQL objects served, each for both types:
 *   _roaring_out        {1,2,5} for a set of few values, base64 for a larger one
 *   _roaring_in         both; also the digits of one value, and \x with the bytes of the portable
 *                       format in hexadecimal, as pg_roaringbitmap prints
 *   roaring_from_bits   a text such as 0101
 *   roaring_describe    a human-readable summary
 *
 * All are STRICT.
 */
#include "roaring_pg.h"

#include "pg/shared/describe.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#define MAX_VALUES_IN_BRACES 1000 /* a larger set is printed in base64 */
#define WHITE_SPACE " \t\r\n"

/*
 * Reads an integer, possibly in double quotes, as drivers write those of 64 bits; false if there is
 * none. *in_range is false for one that the type cannot have. A roaring64 takes signed and unsigned
 * ones: -1 is 2^64-1.
 */
static bool
read_value(char **text, SketchKind kind, uint64 *value, bool *in_range)
{
    const bool quoted = **text == '"';
    char *from = *text + (quoted ? 1 : 0), *end;
    const bool negative = from[strspn(from, WHITE_SPACE)] == '-';

    errno = 0;
    *value = negative ? (uint64)strtoll(from, &end, 10) : strtoull(from, &end, 10);
    if (end == from || (quoted && *end != '"'))
        return false;
    *in_range = errno != ERANGE && *value <= roaring_value_max(kind);
    *text = end + (quoted ? 1 : 0);
    return true;
}

/* The text {1,2,5}. */
static Datum
in_braces(char *text, SketchKind kind, Node *context)
{
    size_t room = 1, count = 0;
    uint64 *values;
    char *at = text + 1 + strspn(text + 1, WHITE_SPACE);
    bool closed = *at == '}', in_range;

    for (Size i = 0; text[i] != '\0'; i++) {
        room += text[i] == ',';
        if (i % SKETCH_POLL_STEPS == 0)
            CHECK_FOR_INTERRUPTS();
    }
    values = sketch_memory.scratch(room * sizeof64(*values), sketch_memory.context);
    while (!closed) {
        const char *begin = at;

        if (!read_value(&at, kind, &values[count], &in_range))
            break;
        if (!in_range)
            sketches_ereturn(context, (Datum)0,
                             (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                              errmsg("value %.*s is out of range for type %s", (int)(at - begin),
                                     begin, sketch_ops((uint8_t)kind)->name),
                              errdetail("Must be between %lld and %llu.",
                                        kind == SKETCH_ROARING ? 0 : (long long)PG_INT64_MIN,
                                        (unsigned long long)roaring_value_max(kind))));
        count++;
        at += strspn(at, WHITE_SPACE);
        closed = *at == '}';
        if (*at != ',' && !closed)
            break;
        at++;
        if (!closed)
            at += strspn(at, WHITE_SPACE);
        if (count % SKETCH_POLL_STEPS == 0)
            CHECK_FOR_INTERRUPTS();
    }
    if (closed && count == 0)
        at++;
    if (!closed || at[strspn(at, WHITE_SPACE)] != '\0')
        sketches_ereturn(context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid value of type %s", sketch_ops((uint8_t)kind)->name),
                          errdetail("In braces only integers separated by commas are allowed: "
                                    "\"%.*s\".",
                                    pg_mbcliplen(at, (int)strlen(at), 40), at)));
    return sketch_datum(roaring_set_of(kind, values, count).data);
}

static int
hex_digit(char digit)
{
    const char *digits = "0123456789abcdef";
    const char *found = digit ? strchr(digits, pg_tolower((unsigned char)digit)) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* The portable format in hexadecimal digits. */
static Datum
in_hex(const char *digits, SketchKind kind, Node *context)
{
    size_t size = 0;
    uint8 *bytes = palloc(strlen(digits) / 2 + 1);
    SketchBytes value;
    SketchError error;

    for (; hex_digit(digits[0]) >= 0 && hex_digit(digits[1]) >= 0; digits += 2) {
        bytes[size++] = (uint8)(hex_digit(digits[0]) << 4 | hex_digit(digits[1]));
        if (size % SKETCH_POLL_STEPS == 0)
            CHECK_FOR_INTERRUPTS();
    }
    if (digits[strspn(digits, WHITE_SPACE)] != '\0')
        sketches_ereturn(context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid value of type %s", sketch_ops((uint8_t)kind)->name),
                          errdetail("After \\x only pairs of hexadecimal digits are allowed: "
                                    "\"%.*s\".",
                                    pg_mbcliplen(digits, (int)strlen(digits), 40), digits)));
    /*
     * The type's own bytes, as bytea prints them, begin with its kind; of a portable one they are
     * no value.
     */
    if (size > 0 && bytes[0] == (uint8)kind &&
        sketch_ops((uint8)kind)
            ->validate((SketchBytes){bytes, size}, &sketch_memory, &value, &error))
        return sketch_datum(value.data);
    if (!roaring_from_portable(kind, (SketchBytes){bytes, size}, &sketch_memory, &value, &error))
        sketches_ereturn(context, (Datum)0,
                         (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                          errmsg("invalid value of type %s", sketch_ops((uint8_t)kind)->name),
                          sketch_errdetail(&error)));
    pfree(bytes);
    return sketch_datum(value.data);
}

/* Base64 of a set begins with a letter, so digits alone are one value. */
static Datum
in(FunctionCallInfo fcinfo, SketchKind kind)
{
    char *text = PG_GETARG_CSTRING(0);
    size_t digits, sign;

    text += strspn(text, WHITE_SPACE);
    sign = *text == '-';
    digits = strspn(text + sign, "0123456789");
    if (*text == '{')
        return in_braces(text, kind, fcinfo->context);
    if (text[0] == '\\' && text[1] == 'x')
        return in_hex(text + 2, kind, fcinfo->context);
    if (digits > 0 && text[sign + digits + strspn(text + sign + digits, WHITE_SPACE)] == '\0')
        return in_braces(psprintf("{%s}", text), kind, fcinfo->context);
    return sketch_in(fcinfo, sketch_ops((uint8_t)kind));
}

extern Datum sketches_out(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(sketches_roaring_out);
Datum
sketches_roaring_out(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_pack(sketch_any_value(PG_GETARG_DATUM(0)));
    RoaringCursor cursor = roaring_cursor(value, false, &sketch_memory);
    RoaringContainer container;
    StringInfoData text;
    uint16 *lows;

    if (roaring_cardinality(value, &sketch_memory) > MAX_VALUES_IN_BRACES)
        return sketches_out(fcinfo);
    initStringInfo(&text);
    lows = palloc(65536 * sizeof *lows);
    while (roaring_next(&cursor, &container)) {
        uint32 count = roaring_decode(&container, lows);

        for (uint32 i = 0; i < count; i++)
            appendStringInfo(&text, "%c%lld", text.len == 0 ? '{' : ',',
                             (long long)(container.key << 16 | lows[i]));
    }
    if (cursor.damaged)
        sketch_raise_damaged();
    pfree(lows);
    appendStringInfoString(&text, text.len == 0 ? "{}" : "}");
    PG_RETURN_CSTRING(text.data);
}

/* As the bigint that it is for SQL. */
static char *
bigint_number(uint64 value)
{
    return value > PG_INT64_MAX ? psprintf("-%s", sketch_number(-value)) : sketch_number(value);
}

/* roaring: 1,000 values from 5 to 65,999, 2 containers, 2,040 bytes */
PG_FUNCTION_INFO_V1(sketches_roaring_describe);
Datum
sketches_roaring_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    RoaringCursor cursor = roaring_cursor(value, false, &sketch_memory);
    uint64 cardinality = (uint64)roaring_cardinality(value, &sketch_memory);
    uint64 containers = 0, least, greatest;
    RoaringContainer container;
    char *range = "";

    while (roaring_next(&cursor, &container))
        containers++;
    if (cardinality > 0 && roaring_select(value, 0, &sketch_memory, &least) &&
        roaring_select(value, cardinality - 1, &sketch_memory, &greatest))
        range = cardinality == 1
                    ? psprintf(" %s", bigint_number(least))
                    : psprintf(" from %s to %s", bigint_number(least), bigint_number(greatest));
    if (cursor.damaged)
        sketch_raise_damaged();
    return sketch_line(
        value.size + VARHDRSZ, "%s: %s%s, %s", sketch_ops(sketch_kind(value.data))->name,
        sketch_count(cardinality, "value"), range, sketch_count(containers, "container"));
}

/* From a text of 0 and 1: the positions of the ones. */
PG_FUNCTION_INFO_V1(sketches_roaring_from_bits);
Datum
sketches_roaring_from_bits(PG_FUNCTION_ARGS)
{
    text *bits = PG_GETARG_TEXT_PP(0);
    const char *at = VARDATA_ANY(bits);
    size_t length = VARSIZE_ANY_EXHDR(bits), count = 0;
    uint64 *values = sketch_memory.scratch(length * sizeof64(*values) + 1, sketch_memory.context);

    for (size_t i = 0; i < length; i++) {
        if (i % SKETCH_POLL_STEPS == 0)
            CHECK_FOR_INTERRUPTS();
        if (at[i] == '1')
            values[count++] = i;
        else if (at[i] != '0')
            ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                            errmsg("\"%.*s\" is not a valid bit",
                                   (int)Min((size_t)pg_mblen(at + i), length - i), at + i),
                            errdetail("At position %zu; must be 0 or 1.", i)));
    }
    return sketch_datum(
        roaring_from_sorted(roaring_result_kind(fcinfo), values, count, &sketch_memory).data);
}

SQL_FUNCTION(sketches_roaring_in, in(fcinfo, roaring_result_kind(fcinfo)));
