/*
 * gin.c - GIN indexes of columns of sets.
 *
 * SQL objects served, each for both types: the support functions of two operator classes, for
 * &&, @>, <@ and = of sets and for set @> value.
 *
 *     roaring_ops         The keys are the elements. The index alone decides && and @>. For sets of
 *                         up to about a thousand elements; more than MAX_ELEMENTS are an error.
 *     roaring_chunk_ops   The keys are the elements divided by 65536: few keys for large sets whose
 *                         elements lie close together. Every row that is found is checked.
 *
 * <@ and = are checked in both: no key says that a set has no others. If a query has a set of more
 * than MAX_QUERY_KEYS keys, it uses only the first of them if all must be there, and scans the
 * whole index if one is enough; then rows are checked, too.
 *
 * The empty set has no key. GIN keeps rows without keys, and returns them where a query wants them:
 * for subsets, and for sets that equal the empty set.
 */
#include "roaring_pg.h"

#include "access/gin.h"
#include "access/stratnum.h"
#include "miscadmin.h"

/* Strategies; that of a value is for each of the three integer types. */
#define OVERLAPS 1
#define CONTAINS 2
#define CONTAINED 3
#define EQUAL 4
#define CONTAINS_BIGINT 5
#define CONTAINS_INT 6
#define CONTAINS_SMALLINT 7

#define MAX_ELEMENTS 100000 /* keys of a row; each takes some 20 bytes of the index */
#define MAX_CHUNKS 100000
#define MAX_QUERY_KEYS 10000

typedef enum KeyKind { ELEMENTS, CHUNKS } KeyKind;

/* Counts the keys of a set. */
static uint64
count_keys(SketchBytes set, KeyKind kind)
{
    RoaringCursor cursor = roaring_cursor(set, false, &sketch_memory);
    RoaringContainer container;
    uint64 count = 0;

    while (roaring_next(&cursor, &container))
        count += kind == ELEMENTS ? container.cardinality : 1;
    if (cursor.damaged)
        sketch_raise_damaged();
    return count;
}

/* Makes the first `count` keys; a set must have as many. */
static Datum *
make_keys(SketchBytes set, KeyKind kind, uint64 count)
{
    RoaringCursor cursor = roaring_cursor(set, false, &sketch_memory);
    RoaringContainer container;
    Datum *keys = palloc(Max(count, 1) * sizeof *keys);
    uint16 *lows = kind == ELEMENTS ? palloc(65536 * sizeof *lows) : NULL;

    for (uint64 made = 0; made < count && roaring_next(&cursor, &container);) {
        uint32 values = kind == ELEMENTS ? roaring_decode(&container, lows) : 1;

        for (uint32 i = 0; i < values && made < count; i++)
            keys[made++] = Int64GetDatum(
                (int64)(kind == ELEMENTS ? container.key << 16 | lows[i] : container.key));
    }
    if (lows)
        pfree(lows);
    return keys;
}

static _Noreturn void
refuse_elements(SketchBytes set, uint64 count)
{
    const char *type = sketch_ops(sketch_kind(set.data))->name;

    ereport(
        ERROR,
        (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
         errmsg("a set of %llu values is too large for an index with %s_ops",
                (unsigned long long)count, type),
         errdetail("At most %d values are indexed.", MAX_ELEMENTS),
         errhint("Create the index with %s_chunk_ops, which has one key for each 65536 numbers.",
                 type)));
}

static _Noreturn void
refuse_chunks(SketchBytes set, uint64 count)
{
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
             errmsg("a set with values in %llu ranges of 65536 numbers is too large for an index "
                    "with %s_chunk_ops",
                    (unsigned long long)count, sketch_ops(sketch_kind(set.data))->name),
             errdetail("At most %d such ranges are indexed.", MAX_CHUNKS)));
}

static Datum
extract_value(FunctionCallInfo fcinfo, KeyKind kind)
{
    SketchBytes set = sketch_packed_arg(fcinfo, 0);
    int32 *count = (int32 *)PG_GETARG_POINTER(1);
    uint64 keys = count_keys(set, kind);

    if (kind == ELEMENTS && keys > MAX_ELEMENTS)
        refuse_elements(set, keys);
    if (kind == CHUNKS && keys > MAX_CHUNKS)
        refuse_chunks(set, keys);
    *count = (int32)keys;
    PG_RETURN_POINTER(make_keys(set, kind, keys));
}

static int64
query_value(FunctionCallInfo fcinfo, StrategyNumber strategy)
{
    return strategy == CONTAINS_BIGINT ? PG_GETARG_INT64(0)
           : strategy == CONTAINS_INT  ? PG_GETARG_INT32(0)
                                       : PG_GETARG_INT16(0);
}

/* Marks in the query's extra data that keys were left out. */
static Pointer *
mark_partial(void)
{
    Pointer *extra = palloc(MAX_QUERY_KEYS * sizeof *extra);

    memset(extra, 0, MAX_QUERY_KEYS * sizeof *extra);
    extra[0] = (Pointer)extra;
    return extra;
}

static Datum
extract_query(FunctionCallInfo fcinfo, KeyKind kind)
{
    int32 *count = (int32 *)PG_GETARG_POINTER(1);
    StrategyNumber strategy = PG_GETARG_UINT16(2);
    Pointer **extra = (Pointer **)PG_GETARG_POINTER(4);
    int32 *mode = (int32 *)PG_GETARG_POINTER(6);
    SketchBytes set;
    uint64 keys;

    if (strategy >= CONTAINS_BIGINT) {
        Datum *key = palloc(sizeof *key);
        int64 value = query_value(fcinfo, strategy);

        *count = 1;
        key[0] = Int64GetDatum(kind == ELEMENTS ? value : (int64)((uint64)value >> 16));
        PG_RETURN_POINTER(key);
    }
    set = sketch_packed_arg(fcinfo, 0);
    keys = count_keys(set, kind);
    if (keys > MAX_QUERY_KEYS) {
        *extra = mark_partial();
        if (strategy == OVERLAPS || strategy == CONTAINED)
            keys = 0;
        keys = Min(keys, MAX_QUERY_KEYS);
        *mode = keys == 0 ? GIN_SEARCH_MODE_ALL : GIN_SEARCH_MODE_DEFAULT;
    } else if (strategy == CONTAINED || (strategy == EQUAL && keys == 0)) {
        *mode = GIN_SEARCH_MODE_INCLUDE_EMPTY;
    } else if (strategy == CONTAINS && keys == 0) {
        *mode = GIN_SEARCH_MODE_ALL;
    }
    *count = (int32)keys;
    PG_RETURN_POINTER(make_keys(set, kind, keys));
}

/*
 * Decides about a row by the keys of the query that it has. A query without keys scans all rows:
 * it is for supersets of the empty set, or for a set that is too large.
 */
static GinTernaryValue
answer(FunctionCallInfo fcinfo, KeyKind kind, const GinTernaryValue *has)
{
    StrategyNumber strategy = PG_GETARG_UINT16(1);
    int32 count = PG_GETARG_INT32(3);
    const Pointer *extra = (const Pointer *)PG_GETARG_POINTER(4);
    bool partial = count > 0 && extra && extra[0];
    GinTernaryValue any = GIN_FALSE, all = GIN_TRUE;

    for (int32 i = 0; i < count; i++) {
        if (has[i] == GIN_TRUE || (has[i] == GIN_MAYBE && any == GIN_FALSE))
            any = has[i];
        if (has[i] == GIN_FALSE || (has[i] == GIN_MAYBE && all == GIN_TRUE))
            all = has[i];
    }
    if (strategy == CONTAINED || (strategy == OVERLAPS && count == 0))
        return GIN_MAYBE;
    if (strategy == OVERLAPS)
        all = any;
    if (all == GIN_TRUE && count > 0 && (kind == CHUNKS || partial || strategy == EQUAL))
        all = GIN_MAYBE;
    return all;
}

static Datum
consistent(FunctionCallInfo fcinfo, KeyKind kind)
{
    bool *recheck = (bool *)PG_GETARG_POINTER(5);
    /* A bool is one of the three: GIN_FALSE or GIN_TRUE. */
    GinTernaryValue result = answer(fcinfo, kind, (const GinTernaryValue *)PG_GETARG_POINTER(0));

    *recheck = result == GIN_MAYBE;
    PG_RETURN_BOOL(result != GIN_FALSE);
}

static Datum
tri_consistent(FunctionCallInfo fcinfo, KeyKind kind)
{
    PG_RETURN_GIN_TERNARY_VALUE(
        answer(fcinfo, kind, (const GinTernaryValue *)PG_GETARG_POINTER(0)));
}

SQL_FUNCTION(sketches_roaring_extract_value, extract_value(fcinfo, ELEMENTS));
SQL_FUNCTION(sketches_roaring_extract_query, extract_query(fcinfo, ELEMENTS));
SQL_FUNCTION(sketches_roaring_consistent, consistent(fcinfo, ELEMENTS));
SQL_FUNCTION(sketches_roaring_triconsistent, tri_consistent(fcinfo, ELEMENTS));
SQL_FUNCTION(sketches_roaring_chunk_extract_value, extract_value(fcinfo, CHUNKS));
SQL_FUNCTION(sketches_roaring_chunk_extract_query, extract_query(fcinfo, CHUNKS));
SQL_FUNCTION(sketches_roaring_chunk_consistent, consistent(fcinfo, CHUNKS));
SQL_FUNCTION(sketches_roaring_chunk_triconsistent, tri_consistent(fcinfo, CHUNKS));
