/*
 * roaring.c - the types roaring and roaring64 in SQL: building and changing them. What they are and
 * how they work: ../core/roaring.c.
 *
 * SQL objects served, beside the shared ones of shared/io.c, shared/union.c and shared/compare.c; each for both types:
 *   roaring_in                                             text, also {1,2,5}
 *   roaring_empty, roaring(bigint[]), roaring_range        make
 *   roaring_add, remove, add_all, remove_all,
 *   add_range, remove_range, flip, shift                   change
 *   | & # -, roaring_bitop, roaring_not                    set algebra
 *   roaring_agg_state, xor_state, intersection_state,
 *   roaring_cardinality_final                              aggregates; union is shared/union.c's
 *   roaring_from_portable, to_portable, casts between both types
 *
 * Scalar functions are STRICT. Aggregates skip NULL and are NULL over no rows.
 */
#include "roaring.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/common/radix.h"

/* ---- arguments ---- */

uint64
roaring_check_value(SketchKind kind, int64 value)
{
    if (value < 0 || (uint64)value > roaring_value_max(kind))
        ereport(ERROR,
                (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                 errmsg("value %lld is out of range for type %s", (long long)value,
                        sketch_ops((uint8_t)kind)->name),
                 errdetail("Allowed are 0 to %llu.", (unsigned long long)roaring_value_max(kind))));
    return (uint64)value;
}

bool
roaring_check_range(SketchKind kind, int64 lo, int64 hi, uint64 *first, uint64 *last)
{
    *first = roaring_check_value(kind, lo);
    if (hi <= lo)
        return false;
    *last = roaring_check_value(kind, hi - 1);
    return true;
}

/* ---- results ---- */

SketchBytes
roaring_op(RoaringOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes result;

    if (!roaring_combine(op, a, b, &sketch_memory, &result))
        sketch_raise_damaged();
    return result;
}

static SketchBytes
empty_set(SketchKind kind)
{
    return roaring_from_sorted(kind, NULL, 0, &sketch_memory);
}

static SketchBytes
range_set(SketchKind kind, int64 lo, int64 hi)
{
    SketchBytes range;
    SketchError error;
    uint64 first, last;

    if (!roaring_check_range(kind, lo, hi, &first, &last))
        return empty_set(kind);
    if (!roaring_from_range(kind, first, last, &sketch_memory, &range, &error))
        sketch_raise(&error, psprintf("range of %s is too long", sketch_ops((uint8_t)kind)->name));
    return range;
}

static SketchBytes
set_of_values(SketchKind kind, uint64 *values, size_t count)
{
    uint64 *other = palloc_extended(count * sizeof *other + 1, MCXT_ALLOC_HUGE);
    size_t left = 0;

    radix_sort_u64(values, count, other);
    pfree(other);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i] != values[i - 1])
            values[left++] = values[i];
    return roaring_from_sorted(kind, values, left, &sketch_memory);
}

/* Of a bigint[] or an int[]; NULL elements are skipped. */
static SketchBytes
set_of_array(SketchKind kind, ArrayType *array)
{
    bool is_bigint = ARR_ELEMTYPE(array) == INT8OID;
    int room = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    uint64 *values = palloc_extended((size_t)room * sizeof *values + 1, MCXT_ALLOC_HUGE);
    SketchElements elements = sketch_elements(array);
    size_t count = 0;
    Datum element;

    while (room > 0 && sketch_next_element(&elements, &element))
        values[count++] =
            roaring_check_value(kind, is_bigint ? DatumGetInt64(element) : DatumGetInt32(element));
    return set_of_values(kind, values, count);
}

static SketchBytes
single(SketchKind kind, int64 value)
{
    uint64 checked = roaring_check_value(kind, value);

    return roaring_from_sorted(kind, &checked, 1, &sketch_memory);
}

/* ---- making ---- */

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
    return sketch_datum(set_of_values(kind, values, count).data);
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

static Datum
from_portable(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchBytes value;
    SketchError error;

    if (!roaring_from_portable(kind, sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), &sketch_memory,
                               &value, &error)) {
        error.status = SKETCH_MALFORMED;
        sketch_raise(&error, "invalid roaring bitmap in portable format");
    }
    return sketch_datum(value.data);
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

/* Brings a set of one type into the other. */
static Datum
convert(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchBytes from = sketch_packed_arg(fcinfo, 0);
    RoaringCursor cursor = roaring_cursor(from, true);
    RoaringContainer container;
    SketchBytes result;
    uint64 *low;

    if (roaring_next(&cursor, &container) && container.key << 16 > roaring_value_max(kind)) {
        low = palloc(sizeof *low);
        if (roaring_next_value(from, (uint64)UINT32_MAX + 1, true, low))
            roaring_check_value(kind, (int64)*low);
    }
    if (cursor.damaged || !roaring_convert(from, kind, &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}

static Datum agg_state(FunctionCallInfo fcinfo, SketchKind kind);

/* The functions that do not know their type from an argument. */
#define FOR_TYPE(type, kind)                                                                       \
    SKETCHES_FUNCTION(type##_in) { return in(fcinfo, kind); }                                      \
    SKETCHES_FUNCTION(type##_recv) { return sketch_recv(fcinfo, sketch_ops(kind)); }               \
    SKETCHES_FUNCTION(type##_from_bytea) { return sketch_from_bytea(fcinfo, sketch_ops(kind)); }   \
    SKETCHES_FUNCTION(type##_from_portable) { return from_portable(fcinfo, kind); }                \
    SKETCHES_FUNCTION(type##_from_bits) { return from_bits(fcinfo, kind); }                        \
    SKETCHES_FUNCTION(type##_convert) { return convert(fcinfo, kind); }                            \
    SKETCHES_FUNCTION(type##_empty) { return sketch_datum(empty_set(kind).data); }                 \
    SKETCHES_FUNCTION(type##_from_array)                                                           \
    {                                                                                              \
        return sketch_datum(set_of_array(kind, PG_GETARG_ARRAYTYPE_P(0)).data);                    \
    }                                                                                              \
    SKETCHES_FUNCTION(type##_range)                                                                \
    {                                                                                              \
        return sketch_datum(range_set(kind, PG_GETARG_INT64(0), PG_GETARG_INT64(1)).data);         \
    }                                                                                              \
    SKETCHES_FUNCTION(type##_agg_state) { return agg_state(fcinfo, kind); }                        \
    extern int sketches_##type##_functions

FOR_TYPE(roaring, SKETCH_ROARING);
FOR_TYPE(roaring64, SKETCH_ROARING64);

SKETCHES_FUNCTION(roaring_to_portable)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    size_t size = roaring_portable_bytes(value);
    bytea *result = palloc(VARHDRSZ + size);

    SET_VARSIZE(result, VARHDRSZ + size);
    roaring_to_portable(value, (uint8_t *)VARDATA(result));
    PG_RETURN_BYTEA_P(result);
}

/* ---- changing: every change is an operation with another set ---- */

static Datum
changed(FunctionCallInfo fcinfo, RoaringOp op, SketchBytes other)
{
    return sketch_datum(roaring_op(op, sketch_packed_arg(fcinfo, 0), other).data);
}

#define CHANGE(name, op, other)                                                                    \
    SKETCHES_FUNCTION(roaring_##name)                                                              \
    {                                                                                              \
        SketchKind kind = roaring_kind(sketch_front(PG_GETARG_DATUM(0)));                          \
                                                                                                   \
        return changed(fcinfo, op, other);                                                         \
    }                                                                                              \
    extern int sketches_roaring_change

CHANGE(add, ROARING_OR, single(kind, PG_GETARG_INT64(1)));
CHANGE(remove, ROARING_ANDNOT, single(kind, PG_GETARG_INT64(1)));
CHANGE(add_all, ROARING_OR, set_of_array(kind, PG_GETARG_ARRAYTYPE_P(1)));
CHANGE(remove_all, ROARING_ANDNOT, set_of_array(kind, PG_GETARG_ARRAYTYPE_P(1)));
CHANGE(add_range, ROARING_OR, range_set(kind, PG_GETARG_INT64(1), PG_GETARG_INT64(2)));
CHANGE(flip, ROARING_XOR, range_set(kind, PG_GETARG_INT64(1), PG_GETARG_INT64(2)));

SKETCHES_FUNCTION(roaring_remove_range)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0), result;
    uint64 first, last;

    if (!roaring_check_range(roaring_kind(value), PG_GETARG_INT64(1), PG_GETARG_INT64(2), &first,
                             &last))
        return sketch_packed_datum(value);
    if (!roaring_without_range(value, first, last, &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}

SKETCHES_FUNCTION(roaring_shift)
{
    SketchBytes result;

    if (!roaring_shift(sketch_packed_arg(fcinfo, 0), PG_GETARG_INT64(1), &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}

/* ---- set algebra ---- */

SKETCHES_FUNCTION(roaring_and)
{
    return changed(fcinfo, ROARING_AND, sketch_packed_arg(fcinfo, 1));
}

SKETCHES_FUNCTION(roaring_or) { return changed(fcinfo, ROARING_OR, sketch_packed_arg(fcinfo, 1)); }

SKETCHES_FUNCTION(roaring_xor)
{
    return changed(fcinfo, ROARING_XOR, sketch_packed_arg(fcinfo, 1));
}

SKETCHES_FUNCTION(roaring_minus)
{
    return changed(fcinfo, ROARING_ANDNOT, sketch_packed_arg(fcinfo, 1));
}

/* roaring_not(roaring, last): the values 0 .. last that are not in the set. */
SKETCHES_FUNCTION(roaring_not)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    SketchKind kind = roaring_kind(value);
    uint64 last = roaring_check_value(kind, PG_GETARG_INT64(1));
    SketchBytes all;
    SketchError error;

    if (!roaring_from_range(kind, 0, last, &sketch_memory, &all, &error))
        sketch_raise(&error, psprintf("range of %s is too long", sketch_ops((uint8_t)kind)->name));
    return sketch_datum(roaring_op(ROARING_ANDNOT, all, value).data);
}

typedef enum Bitop {
    BITOP_AND,
    BITOP_OR,
    BITOP_XOR,
    BITOP_ANDOR,
    BITOP_ONE,
    BITOP_DIFF,
    BITOP_DIFF1
} Bitop;

static Bitop
check_bitop(const text *name)
{
    static const char *const names[] = {"and", "or", "xor", "andor", "one", "diff", "diff1"};
    char *given = text_to_cstring(name);

    for (unsigned i = 0; i < lengthof(names); i++)
        if (pg_strcasecmp(given, names[i]) == 0)
            return (Bitop)i;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown operation \"%s\"", given),
             errdetail("Allowed are and, or, xor, andor, one, diff and diff1.")));
}

/*
 * roaring_bitop(op, VARIADIC roaring[]), as BITOP: andor, diff and diff1 set the first against the
 * union of the others; one are the values that exactly one set has. `twice` are those that two have.
 */
SKETCHES_FUNCTION(roaring_bitop)
{
    Bitop op = check_bitop(PG_GETARG_TEXT_PP(0));
    SketchElements elements = sketch_elements(PG_GETARG_ARRAYTYPE_P(1));
    SketchBytes first = {NULL, 0}, rest = {NULL, 0}, twice = {NULL, 0};
    Datum element;

    while (sketch_next_element(&elements, &element)) {
        SketchBytes next = sketch_pack(sketch_value(element));

        if (first.data == NULL) {
            first = next;
            rest = twice = empty_set(roaring_kind(next));
        } else if (op == BITOP_AND) {
            first = roaring_op(ROARING_AND, first, next);
        } else if (op == BITOP_OR) {
            first = roaring_op(ROARING_OR, first, next);
        } else if (op == BITOP_XOR) {
            first = roaring_op(ROARING_XOR, first, next);
        } else if (op == BITOP_ONE) {
            twice = roaring_op(ROARING_OR, twice, roaring_op(ROARING_AND, first, next));
            first = roaring_op(ROARING_ANDNOT, roaring_op(ROARING_OR, first, next), twice);
        } else {
            rest = roaring_op(ROARING_OR, rest, next);
        }
    }
    if (first.data == NULL)
        PG_RETURN_NULL();
    if (op == BITOP_ANDOR)
        first = roaring_op(ROARING_AND, first, rest);
    else if (op == BITOP_DIFF)
        first = roaring_op(ROARING_ANDNOT, first, rest);
    else if (op == BITOP_DIFF1)
        first = roaring_op(ROARING_ANDNOT, rest, first);
    return sketch_packed_datum(first);
}

/* ---- aggregates ---- */

static pg_noinline Datum
agg_state_slow(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchState state =
        PG_ARGISNULL(0) ? roaring_new(kind, false, &sketch_memory) : sketch_aggregate_state(fcinfo);

    roaring_insert(&state, roaring_check_value(kind, PG_GETARG_INT64(1)), &sketch_memory);
    return sketch_datum(state.data);
}

/* Appending to a state in place that has room is what happens per row. */
static inline Datum
agg_state(FunctionCallInfo fcinfo, SketchKind kind)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (!PG_ARGISNULL(0) && likely((uint64)PG_GETARG_INT64(1) <= roaring_value_max(kind))) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && roaring_push(state, (uint64)PG_GETARG_INT64(1)))
            return PG_GETARG_DATUM(0);
    }
    return agg_state_slow(fcinfo, kind);
}

/* Merging a state that counts by parity is symmetric difference; union_state combines it too. */
SKETCHES_FUNCTION(roaring_xor_state)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0))
        state = roaring_new(roaring_kind(sketch_front(PG_GETARG_DATUM(1))), true, &sketch_memory);
    else
        state = sketch_aggregate_state(fcinfo);
    sketch_merge(&state, sketch_value(PG_GETARG_DATUM(1)));
    return sketch_datum(state.data);
}

/* The state is packed and only shrinks. */
SKETCHES_FUNCTION(roaring_intersection_state)
{
    SketchBytes state;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) {
        if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
            PG_RETURN_NULL();
        return sketch_packed_datum(sketch_value(PG_GETARG_DATUM(PG_ARGISNULL(0) ? 1 : 0)));
    }
    state = sketch_pack(sketch_value(PG_GETARG_DATUM(0)));
    if (roaring_cardinality(state, &sketch_memory) == 0)
        return PG_GETARG_DATUM(0);
    return sketch_datum(
        roaring_op(ROARING_AND, state, sketch_pack(sketch_value(PG_GETARG_DATUM(1)))).data);
}

SKETCHES_FUNCTION(roaring_cardinality_final)
{
    int64 cardinality = roaring_cardinality(sketch_value(PG_GETARG_DATUM(0)), &sketch_memory);

    if (cardinality < 0)
        sketch_raise_damaged();
    PG_RETURN_INT64(cardinality);
}
