/*
 * compare.c - equality, order and hash of values, for all types.
 *
 * SQL objects served, one C function for every type: the operators = <> < <= > >= and the support
 * functions of the btree and hash operator classes. All are STRICT.
 *
 * Two values are equal when their packed bytes are; the order is that of the bytes and means
 * nothing by itself. GROUP BY, DISTINCT, ORDER BY and joins work; a UNIQUE constraint, being a
 * btree index, takes values up to a third of a page.
 */
#include "glue.h"

#include "access/detoast.h"

#include "core/common/hash.h"
#include "core/common/polled.h"

static SketchBytes
canonical_arg(FunctionCallInfo fcinfo, int n)
{
    return sketch_pack(sketch_value(PG_GETARG_DATUM(n)));
}

/* Sorting and index searches compare in a context that lives long: copies are given back. */
static void
free_if_copy(FunctionCallInfo fcinfo, int n, SketchBytes value)
{
    const char *argument = DatumGetPointer(PG_GETARG_DATUM(n));

    if ((const char *)value.data != VARDATA_ANY(argument))
        pfree((void *)(value.data - VARHDRSZ));
}

static int
compare_args(FunctionCallInfo fcinfo)
{
    SketchBytes a = canonical_arg(fcinfo, 0);
    SketchBytes b = canonical_arg(fcinfo, 1);
    int order = polled_compare(a.data, b.data, Min(a.size, b.size), &sketch_memory);

    if (order == 0)
        order = a.size < b.size ? -1 : a.size > b.size;
    free_if_copy(fcinfo, 0, a);
    free_if_copy(fcinfo, 1, b);
    return order;
}

/*
 * Returns true if values are equal. Packed values of different lengths are not, and of one stored
 * out of line the length is known before its body is read.
 */
static bool
args_equal(FunctionCallInfo fcinfo)
{
    if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1))) {
        SketchBytes a = sketch_front(fcinfo, 0), b = sketch_front(fcinfo, 1);
        bool packed = sketch_is_packed(a.data) && sketch_is_packed(b.data);

        free_if_copy(fcinfo, 0, a);
        free_if_copy(fcinfo, 1, b);
        if (packed)
            return false;
    }
    return compare_args(fcinfo) == 0;
}

SQL_FUNCTION(sketches_eq, BoolGetDatum(args_equal(fcinfo)));
SQL_FUNCTION(sketches_ne, BoolGetDatum(!args_equal(fcinfo)));
SQL_FUNCTION(sketches_lt, BoolGetDatum(compare_args(fcinfo) < 0));
SQL_FUNCTION(sketches_le, BoolGetDatum(compare_args(fcinfo) <= 0));
SQL_FUNCTION(sketches_gt, BoolGetDatum(compare_args(fcinfo) > 0));
SQL_FUNCTION(sketches_ge, BoolGetDatum(compare_args(fcinfo) >= 0));
SQL_FUNCTION(sketches_cmp, Int32GetDatum(compare_args(fcinfo)));

static uint64
hash_arg(FunctionCallInfo fcinfo, uint64 seed)
{
    SketchBytes value = canonical_arg(fcinfo, 0);
    uint64 hash = hash_polled(value.data, value.size, seed, &sketch_memory);

    free_if_copy(fcinfo, 0, value);
    return hash;
}

/* The low half of hash_extended for a seed of 0, as hash operator classes have it. */
SQL_FUNCTION(sketches_hash, Int32GetDatum((int32)hash_arg(fcinfo, 0)));
SQL_FUNCTION(sketches_hash_extended,
             Int64GetDatum((int64)hash_arg(fcinfo, (uint64)PG_GETARG_INT64(1))));
