/*
 * roaring.c - the types roaring and roaring64 in SQL: making sets and changing them. What they are
 * and how they work: core/roaring/roaring.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c; each for both types:
 *   roaring_empty, roaring(bigint[]), roaring(int[]),
 *   roaring_range                                          make
 *   roaring_add, remove, add_all, remove_all,
 *   add_range, remove_range, flip, shift                   change
 *   roaring_from_portable, to_portable                     the format of other languages
 *   roaring(roaring64), roaring64(roaring)                 casts
 *
 * roaring_add, add_all and add_range take NULL for an empty set or for nothing to add; remove,
 * remove_all and remove_range take it for nothing to remove. The others are STRICT.
 */
#include "roaring_pg.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/common/sort.h"

/* ---- arguments ---- */

/* A roaring64 has every bigint. */
uint64
roaring_check_value(SketchKind kind, int64 value)
{
    if ((uint64)value > roaring_value_max(kind))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("value %lld is out of range for type %s", (long long)value,
                               sketch_ops((uint8_t)kind)->name),
                        errdetail("Must be between 0 and %llu.",
                                  (unsigned long long)roaring_value_max(kind))));
    return (uint64)value;
}

/*
 * In the order of roaring64, negative numbers come after all others, and 0 after them is the end:
 * [-5, 0) has five values, and [5, -5) all but ten. [-5, 5) would go on at 0.
 */
static bool
is_range64(int64 lo, int64 hi)
{
    if (lo < 0 && hi > 0)
        ereport(
            ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
             errmsg("range from %lld to %lld wraps around", (long long)lo, (long long)hi),
             errdetail("In a roaring64, negative numbers are above all others, as unsigned ones "
                       "are."),
             errhint("Use two ranges: from 0 to %lld, and from %lld to 0.", (long long)hi,
                     (long long)lo)));
    return lo < 0 ? hi == 0 || lo < hi : hi < 0 || lo < hi;
}

bool
roaring_range_of(SketchKind kind, int64 lo, int64 hi, uint64 *first, uint64 *last)
{
    if (kind == SKETCH_ROARING)
        lo = Max(lo, 0);
    if (kind == SKETCH_ROARING ? hi <= lo : !is_range64(lo, hi))
        return false;
    *first = (uint64)lo;
    *last = (uint64)hi - 1;
    return true;
}

/* ---- results ---- */

SketchBytes
roaring_op(RoaringOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes result;
    SketchError error;

    if (roaring_combine(op, a, b, &sketch_memory, &result, &error))
        return result;
    if (error.status == SKETCH_NO_LIBRARY)
        ereport(ERROR,
                (errcode(ERRCODE_UNDEFINED_FILE),
                 errmsg("combining these sets takes CRoaring, a library"), sketch_errdetail(&error),
                 errhint("Install the library, for example Debian's package libroaring21, or run "
                         "\"make deps\" and \"make install\" in the sources of sketches.")));
    sketch_raise(&error, "cannot combine these sets");
}

SketchBytes
roaring_empty_set(SketchKind kind)
{
    return roaring_from_sorted(kind, NULL, 0, &sketch_memory);
}

static SketchBytes
range_set(SketchKind kind, int64 lo, int64 hi)
{
    SketchBytes range;
    SketchError error;
    uint64 first, last;

    if (!roaring_range_of(kind, lo, hi, &first, &last))
        return roaring_empty_set(kind);
    roaring_check_value(kind, lo);
    roaring_check_value(kind, hi - 1);
    if (!roaring_from_range(kind, first, last, &sketch_memory, &range, &error))
        sketch_raise(&error, psprintf("range of %s is too long", sketch_ops((uint8_t)kind)->name));
    return range;
}

SketchBytes
roaring_set_of(SketchKind kind, uint64 *values, size_t count)
{
    uint64 *other = sketch_memory.scratch(count * sizeof64(*other) + 1, sketch_memory.context);
    size_t left = 0;

    sort_u64(values, count, other, &sketch_memory);
    pfree(other);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || values[i] != values[i - 1])
            values[left++] = values[i];
    return roaring_from_sorted(kind, values, left, &sketch_memory);
}

/*
 * Reads an array of integers; NULL elements are skipped. With `skip`, so are values that the type
 * cannot have; otherwise they raise.
 */
static SketchBytes
set_of_array(SketchKind kind, ArrayType *array, bool skip)
{
    Oid type = ARR_ELEMTYPE(array);
    int room = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    uint64 *values = sketch_memory.scratch(room * sizeof64(*values) + 1, sketch_memory.context);
    SketchElements elements = sketch_elements(array);
    size_t count = 0;
    Datum element;

    while (room > 0 && sketch_next_element(&elements, &element)) {
        int64 value = type == INT8OID   ? DatumGetInt64(element)
                      : type == INT4OID ? DatumGetInt32(element)
                                        : DatumGetInt16(element);

        if (!skip || (uint64)value <= roaring_value_max(kind))
            values[count++] = roaring_check_value(kind, value);
    }
    return roaring_set_of(kind, values, count);
}

static SketchBytes
single(SketchKind kind, int64 value)
{
    uint64 checked = roaring_check_value(kind, value);

    return roaring_from_sorted(kind, &checked, 1, &sketch_memory);
}

/* ---- making ---- */

static Datum
from_portable(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchBytes input = sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), value;
    SketchError error;

    if (!roaring_from_portable(kind, input, &sketch_memory, &value, &error)) {
        error.status = SKETCH_MALFORMED;
        sketch_raise_import(fcinfo, &error, input, "invalid roaring bitmap in portable format");
    }
    return sketch_datum(value.data);
}

/* Brings a set of one type into the other. */
static Datum
convert(FunctionCallInfo fcinfo, SketchKind kind)
{
    SketchBytes from = sketch_packed_arg(fcinfo, 0);
    RoaringCursor cursor = roaring_cursor(from, true, &sketch_memory);
    RoaringContainer container;
    SketchBytes result;
    uint64 *low;

    if (roaring_next(&cursor, &container) && container.key << 16 > roaring_value_max(kind)) {
        low = palloc(sizeof *low);
        if (roaring_next_value(from, (uint64)UINT32_MAX + 1, true, &sketch_memory, low))
            roaring_check_value(kind, (int64)*low);
    }
    if (cursor.damaged || !roaring_convert(from, kind, &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}

SQL_FUNCTION(sketches_roaring_from_portable, from_portable(fcinfo, roaring_result_kind(fcinfo)));
SQL_FUNCTION(sketches_roaring_convert, convert(fcinfo, roaring_result_kind(fcinfo)));
SQL_FUNCTION(sketches_roaring_empty,
             sketch_datum(roaring_empty_set(roaring_result_kind(fcinfo)).data));

PG_FUNCTION_INFO_V1(sketches_roaring_from_array);
Datum
sketches_roaring_from_array(PG_FUNCTION_ARGS)
{
    SketchKind kind = roaring_result_kind(fcinfo);

    return sketch_datum(set_of_array(kind, PG_GETARG_ARRAYTYPE_P(0), false).data);
}

SQL_FUNCTION(sketches_roaring_range, sketch_datum(range_set(roaring_result_kind(fcinfo),
                                                            PG_GETARG_INT64(0), PG_GETARG_INT64(1))
                                                      .data));

PG_FUNCTION_INFO_V1(sketches_roaring_to_portable);
Datum
sketches_roaring_to_portable(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    size_t size = roaring_portable_bytes(value);
    bytea *result;

    if (size == 0)
        sketch_raise_damaged();
    result = palloc(VARHDRSZ + size);
    SET_VARSIZE(result, VARHDRSZ + size);
    roaring_to_portable(value, (uint8_t *)VARDATA(result), &sketch_memory);
    PG_RETURN_BYTEA_P(result);
}

/* ---- changing: every change is an operation with another set ---- */

Datum
roaring_changed(FunctionCallInfo fcinfo, RoaringOp op, SketchBytes other)
{
    return sketch_datum(roaring_op(op, sketch_packed_arg(fcinfo, 0), other).data);
}

PG_FUNCTION_INFO_V1(sketches_roaring_remove);
Datum
sketches_roaring_remove(PG_FUNCTION_ARGS)
{
    SketchKind kind;
    int64 value;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    kind = roaring_kind(sketch_front(fcinfo, 0));
    value = PG_GETARG_INT64(1);
    return roaring_changed(fcinfo, ROARING_ANDNOT,
                           (uint64)value <= roaring_value_max(kind) ? single(kind, value)
                                                                    : roaring_empty_set(kind));
}

PG_FUNCTION_INFO_V1(sketches_roaring_remove_all);
Datum
sketches_roaring_remove_all(PG_FUNCTION_ARGS)
{
    SketchKind kind;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    kind = roaring_kind(sketch_front(fcinfo, 0));
    return roaring_changed(fcinfo, ROARING_ANDNOT,
                           set_of_array(kind, PG_GETARG_ARRAYTYPE_P(1), true));
}

PG_FUNCTION_INFO_V1(sketches_roaring_flip);
Datum
sketches_roaring_flip(PG_FUNCTION_ARGS)
{
    SketchKind kind = roaring_kind(sketch_front(fcinfo, 0));

    return roaring_changed(fcinfo, ROARING_XOR,
                           range_set(kind, PG_GETARG_INT64(1), PG_GETARG_INT64(2)));
}

/* Adds a set to argument 0; NULL is an empty set. */
static Datum
with_set(FunctionCallInfo fcinfo, SketchBytes added)
{
    SketchBytes set =
        PG_ARGISNULL(0) ? roaring_empty_set(roaring_kind(added)) : sketch_packed_arg(fcinfo, 0);

    return sketch_datum(roaring_op(ROARING_OR, set, added).data);
}

SQL_FUNCTION(sketches_roaring_add,
             sketch_is_given_null(fcinfo)
                 ? sketch_as_it_was(fcinfo)
                 : with_set(fcinfo, single(roaring_result_kind(fcinfo), PG_GETARG_INT64(1))));
SQL_FUNCTION(sketches_roaring_add_all,
             sketch_is_given_null(fcinfo)
                 ? sketch_as_it_was(fcinfo)
                 : with_set(fcinfo, set_of_array(roaring_result_kind(fcinfo),
                                                 PG_GETARG_ARRAYTYPE_P(1), false)));
SQL_FUNCTION(sketches_roaring_add_range,
             sketch_is_given_null(fcinfo)
                 ? sketch_as_it_was(fcinfo)
                 : with_set(fcinfo, range_set(roaring_result_kind(fcinfo), PG_GETARG_INT64(1),
                                              PG_GETARG_INT64(2))));

PG_FUNCTION_INFO_V1(sketches_roaring_remove_range);
Datum
sketches_roaring_remove_range(PG_FUNCTION_ARGS)
{
    SketchBytes value, result;
    uint64 first, last;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    value = sketch_packed_arg(fcinfo, 0);
    if (!roaring_range_of(roaring_kind(value), PG_GETARG_INT64(1), PG_GETARG_INT64(2), &first,
                          &last))
        return sketch_packed_datum(value);
    if (!roaring_without_range(value, first, last, &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}

PG_FUNCTION_INFO_V1(sketches_roaring_shift);
Datum
sketches_roaring_shift(PG_FUNCTION_ARGS)
{
    SketchBytes result;

    if (!roaring_shift(sketch_packed_arg(fcinfo, 0), PG_GETARG_INT64(1), &sketch_memory, &result))
        sketch_raise_damaged();
    return sketch_datum(result.data);
}
