/*
 * compare.c - equality and hash of values, for all types.
 *
 * SQL objects served, one C function for every type: the operators = and <> and the support
 * functions of the hash operator classes. All are STRICT.
 *
 * Two values are equal when their packed bytes are. GROUP BY, DISTINCT, EXCEPT, hash joins and hash
 * indexes work, and so does logical replication of rows without a key. There is no order: nobody
 * asks for one, and with it count(DISTINCT sketch) would count sketches where items were meant.
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

/* Joins and index searches compare in a context that lives long: copies are given back. */
static void
free_if_copy(FunctionCallInfo fcinfo, int n, SketchBytes value)
{
    const char *argument = DatumGetPointer(PG_GETARG_DATUM(n));

    if ((const char *)value.data != VARDATA_ANY(argument))
        pfree((void *)(value.data - VARHDRSZ));
}

/*
 * Returns true if values are equal. Packed values of different lengths are not, and of one stored
 * out of line the length is known before its body is read.
 */
static bool
args_equal(FunctionCallInfo fcinfo)
{
    SketchBytes a, b;
    bool equal;

    if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1))) {
        bool packed;

        a = sketch_front(fcinfo, 0);
        b = sketch_front(fcinfo, 1);
        packed = sketch_is_packed(a.data) && sketch_is_packed(b.data);
        free_if_copy(fcinfo, 0, a);
        free_if_copy(fcinfo, 1, b);
        if (packed)
            return false;
    }
    a = canonical_arg(fcinfo, 0);
    b = canonical_arg(fcinfo, 1);
    equal = a.size == b.size && polled_compare(a.data, b.data, a.size, &sketch_memory) == 0;
    free_if_copy(fcinfo, 0, a);
    free_if_copy(fcinfo, 1, b);
    return equal;
}

SQL_FUNCTION(sketches_eq, BoolGetDatum(args_equal(fcinfo)));
SQL_FUNCTION(sketches_ne, BoolGetDatum(!args_equal(fcinfo)));

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
