/*
 * elements.c - the values of roaring and roaring64 as rows, arrays and texts.
 *
 * SQL objects served, each for both types: roaring_elements, which streams; roaring_to_array, also
 * of a part by ranks; roaring_to_int_array; roaring_bits. All are STRICT.
 */
#include "roaring_pg.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/common/polled.h"

/* Values one after the other, decoded a container at a time. */
typedef struct Elements {
    RoaringCursor cursor;
    uint64 high;
    uint32 at, count;
    uint16 lows[65536];
} Elements;

static Elements *
begin_elements(SketchBytes value, bool reverse)
{
    Elements *elements = palloc(sizeof *elements);

    elements->cursor = roaring_cursor(value, reverse, &sketch_memory);
    elements->at = elements->count = 0;
    return elements;
}

/*
 * Skips *skip values, containers as a whole where possible, and decodes the container of the next
 * value; *skip becomes 0. False at the end.
 */
static bool
next_container(Elements *elements, int64 *skip)
{
    RoaringContainer container;

    do {
        CHECK_FOR_INTERRUPTS();
        if (!roaring_next(&elements->cursor, &container)) {
            if (elements->cursor.damaged)
                sketch_raise_damaged();
            return false;
        }
        elements->at = (uint32)Min(*skip, container.cardinality);
        *skip -= elements->at;
    } while (elements->at == container.cardinality);
    elements->high = container.key << 16;
    elements->count = roaring_decode(&container, elements->lows);
    if (elements->count != container.cardinality)
        sketch_raise_damaged();
    return true;
}

static inline bool
next_element(Elements *elements, int64 *value)
{
    int64 none = 0;
    uint32 at;

    if (elements->at == elements->count && !next_container(elements, &none))
        return false;
    at = elements->cursor.reverse ? elements->count - 1 - elements->at : elements->at;
    elements->at++;
    *value = (int64)(elements->high | elements->lows[at]);
    return true;
}

static void *
begin_rows(FunctionCallInfo fcinfo)
{
    /* A copy: the argument need not outlive the first call. */
    SketchBytes set =
        sketch_inline_bytes(DatumGetPointer(sketch_packed_datum(sketch_arg(fcinfo, 0))));

    return begin_elements(set, PG_NARGS() > 1 && PG_GETARG_BOOL(1));
}

static bool
next_row(void *elements, Datum *values, bool *nulls)
{
    int64 value;

    if (!next_element(elements, &value))
        return false;
    values[0] = Int64GetDatum(value);
    return true;
}

/* roaring_elements(roaring [, reverse]) */
SQL_FUNCTION(sketches_roaring_elements, sketch_rows(fcinfo, begin_rows, next_row));

#define ARRAY_VALUES_MAX ((int64)((MaxAllocSize - 1024) / sizeof(int64)))

/*
 * roaring_to_array(roaring [, skip, count]) and the casts to bigint[] or, as `oid` says, int[]
 */
static Datum
array_of(SketchBytes value, int64 offset, int64 limit, Oid oid)
{
    int64 all = roaring_cardinality(value, &sketch_memory);
    int64 count = offset < all ? Min(limit, all - offset) : 0;
    Elements *elements = begin_elements(value, false);
    ArrayType *array;
    int64 element;

    if (count == 0)
        return PointerGetDatum(construct_empty_array(oid));
    if (count > ARRAY_VALUES_MAX)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("an array of %lld values is too large", (long long)count),
                 errdetail("At most %lld fit.", (long long)ARRAY_VALUES_MAX),
                 errhint("Take a part with %s_to_array(sketch, skip, count), or stream the values "
                         "with %s_elements.",
                         sketch_ops(sketch_kind(value.data))->name,
                         sketch_ops(sketch_kind(value.data))->name)));
    array = sketch_new_array(1, (int[]){(int)count}, (int[]){1}, oid,
                             (Size)count * (oid == INT4OID ? 4 : 8), false);
    if (offset > 0)
        next_container(elements, &offset);
    for (int64 i = 0; i < count; i++) {
        /* The count comes from the directory that says how many each container has. */
        if (!next_element(elements, &element))
            sketch_raise_damaged();
        if (oid != INT4OID)
            ((int64 *)ARR_DATA_PTR(array))[i] = element;
        else if (element >= PG_INT32_MIN && element <= PG_INT32_MAX)
            ((int32 *)ARR_DATA_PTR(array))[i] = (int32)element;
        else
            ereport(ERROR,
                    (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                     errmsg("value %lld is out of range for type integer", (long long)element),
                     errhint("Cast to bigint[].")));
    }
    return PointerGetDatum(array);
}

SQL_FUNCTION(sketches_roaring_to_array,
             array_of(sketch_packed_arg(fcinfo, 0), 0, PG_INT64_MAX, INT8OID));
SQL_FUNCTION(sketches_roaring_to_int_array,
             array_of(sketch_packed_arg(fcinfo, 0), 0, PG_INT64_MAX, INT4OID));

PG_FUNCTION_INFO_V1(sketches_roaring_to_array_part);
Datum
sketches_roaring_to_array_part(PG_FUNCTION_ARGS)
{
    int64 skip = PG_GETARG_INT64(1), count = PG_GETARG_INT64(2);

    if (skip < 0 || count < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s %lld is out of range", skip < 0 ? "skip" : "count",
                               (long long)(skip < 0 ? skip : count)),
                        errdetail("It must not be negative.")));
    return array_of(sketch_packed_arg(fcinfo, 0), skip, count, INT8OID);
}

/* The text ends with the highest value; it is empty for an empty set. */
PG_FUNCTION_INFO_V1(sketches_roaring_bits);
Datum
sketches_roaring_bits(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    int64 count = roaring_cardinality(value, &sketch_memory), element = -1;
    Elements *elements;
    uint64 last = 0;
    text *bits;

    if (count > 0)
        roaring_select(value, (uint64)count - 1, &sketch_memory, &last);
    if (count > 0 && last >= MaxAllocSize - VARHDRSZ)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("a text of bits up to %llu is too large", (unsigned long long)last),
                        errdetail("At most %zu fit.", (size_t)MaxAllocSize - VARHDRSZ)));
    count = count > 0 ? (int64)last + 1 : 0;
    bits = palloc(VARHDRSZ + (size_t)count);
    SET_VARSIZE(bits, VARHDRSZ + (size_t)count);
    for (Size at = 0; at < (Size)count; at += POLLED_PIECE) {
        CHECK_FOR_INTERRUPTS();
        memset(VARDATA(bits) + at, '0', Min(POLLED_PIECE, (Size)count - at));
    }
    elements = begin_elements(value, false);
    while (next_element(elements, &element)) {
        if ((uint64)element >= (uint64)count) /* only in a damaged set */
            sketch_raise_damaged();
        VARDATA(bits)[element] = '1';
    }
    PG_RETURN_TEXT_P(bits);
}
