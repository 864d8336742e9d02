/*
 * query.c - questions about roaring and roaring64.
 *
 * SQL objects served, each for both types:
 *   roaring_cardinality, also of lo .. hi; operator #             how many
 *   roaring_union_cardinality, intersection, xor, difference,
 *   roaring_jaccard                                               how many of two sets
 *   @> <@ &&, roaring_contains_each                               membership
 *   roaring_is_empty, min, max, rank, index, select, position     order
 *   roaring_info, roaring_describe                                look inside
 *
 * All are STRICT. A value outside the range of the type is treated as any other that is not in the
 * set. The number of values is in the header, so no more is read of an out-of-line set for it.
 */
#include "roaring_pg.h"

#include "catalog/pg_type.h"

/* A probe of an out-of-line set reads a few chunks; copying this many bytes takes as long. */
#define PROBE_BYTES 65536

/* ---- how many ---- */

static uint64
cardinality_of(SketchBytes packed)
{
    return (uint64)roaring_cardinality(packed, &sketch_memory);
}

SQL_FUNCTION(sketches_roaring_cardinality,
             Int64GetDatum((int64)cardinality_of(sketch_header(fcinfo, 0, NULL))));

/* Counts the values up to `value`. */
static int64
rank_of(SketchBytes set, uint64 value)
{
    uint64 rank;

    if (!roaring_rank(set, value, &sketch_memory, &rank))
        sketch_raise_damaged();
    return (int64)rank;
}

/* No number of a roaring is below 0; those of a roaring64 are above the others. */
static bool
is_below_all(SketchBytes set, int64 value)
{
    return value < 0 && roaring_kind(set) == SKETCH_ROARING;
}

/* roaring_cardinality(roaring, lo, hi), half-open */
PG_FUNCTION_INFO_V1(sketches_roaring_range_cardinality);
Datum
sketches_roaring_range_cardinality(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    uint64 first, last;

    if (!roaring_range_of(roaring_kind(value), PG_GETARG_INT64(1), PG_GETARG_INT64(2), &first,
                          &last))
        PG_RETURN_INT64(0);
    PG_RETURN_INT64(rank_of(value, last) - (first > 0 ? rank_of(value, first - 1) : 0));
}

/* How many values of two arguments are in both, in either, in exactly one, in the first only. */
typedef struct Counts {
    uint64 both, either, one, only_a;
} Counts;

static Counts
count_two(FunctionCallInfo fcinfo)
{
    SketchBytes a = sketch_packed_arg(fcinfo, 0), b = sketch_packed_arg(fcinfo, 1);
    uint64 both;

    if (!roaring_intersection_cardinality(a, b, &sketch_memory, &both))
        sketch_raise_damaged();
    return (Counts){.both = both,
                    .either = cardinality_of(a) + cardinality_of(b) - both,
                    .one = cardinality_of(a) + cardinality_of(b) - 2 * both,
                    .only_a = cardinality_of(a) - both};
}

SQL_FUNCTION(sketches_roaring_intersection_cardinality,
             Int64GetDatum((int64)count_two(fcinfo).both));
SQL_FUNCTION(sketches_roaring_union_cardinality, Int64GetDatum((int64)count_two(fcinfo).either));
SQL_FUNCTION(sketches_roaring_xor_cardinality, Int64GetDatum((int64)count_two(fcinfo).one));
SQL_FUNCTION(sketches_roaring_difference_cardinality,
             Int64GetDatum((int64)count_two(fcinfo).only_a));

PG_FUNCTION_INFO_V1(sketches_roaring_jaccard);
Datum
sketches_roaring_jaccard(PG_FUNCTION_ARGS)
{
    Counts counts = count_two(fcinfo);

    if (counts.either == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8((double)counts.both / (double)counts.either);
}

/* ---- membership ---- */

static bool
has_value(SketchBytes set, int64 value)
{
    bool found = false;

    if (!roaring_contains(set, (uint64)value, &found))
        sketch_raise_damaged();
    return found;
}

static SketchBytes
read_piece(const void *source, size_t offset, size_t length)
{
    return sketch_slice(PointerGetDatum(source), offset, length);
}

/* Looks for `value`. An out-of-line set is read in pieces while that is cheaper. */
static bool
arg_has_value(FunctionCallInfo fcinfo, int set, int64 value)
{
    RoaringPieces pieces = {.read = read_piece, .source = PG_GETARG_POINTER(set)};
    bool found = false;

    if (sketch_arg_at_hand(fcinfo, set, PROBE_BYTES, &pieces.first, &pieces.size))
        return has_value(pieces.first, value);
    if (!roaring_lookup(&pieces, (uint64)value, &found))
        sketch_raise_damaged();
    return found;
}

SQL_FUNCTION(sketches_roaring_contains, BoolGetDatum(arg_has_value(fcinfo, 0, PG_GETARG_INT64(1))));
SQL_FUNCTION(sketches_roaring_contained_value,
             BoolGetDatum(arg_has_value(fcinfo, 1, PG_GETARG_INT64(0))));
SQL_FUNCTION(sketches_roaring_contains_int,
             BoolGetDatum(arg_has_value(fcinfo, 0, PG_GETARG_INT32(1))));
SQL_FUNCTION(sketches_roaring_contained_int,
             BoolGetDatum(arg_has_value(fcinfo, 1, PG_GETARG_INT32(0))));
SQL_FUNCTION(sketches_roaring_contains_smallint,
             BoolGetDatum(arg_has_value(fcinfo, 0, PG_GETARG_INT16(1))));
SQL_FUNCTION(sketches_roaring_contained_smallint,
             BoolGetDatum(arg_has_value(fcinfo, 1, PG_GETARG_INT16(0))));

static bool
is_subset(SketchBytes a, SketchBytes b)
{
    bool answer;

    if (!roaring_is_subset(a, b, &sketch_memory, &answer))
        sketch_raise_damaged();
    return answer;
}

SQL_FUNCTION(sketches_roaring_contains_set,
             BoolGetDatum(is_subset(sketch_packed_arg(fcinfo, 1), sketch_packed_arg(fcinfo, 0))));
SQL_FUNCTION(sketches_roaring_contained_set,
             BoolGetDatum(is_subset(sketch_packed_arg(fcinfo, 0), sketch_packed_arg(fcinfo, 1))));

PG_FUNCTION_INFO_V1(sketches_roaring_overlaps);
Datum
sketches_roaring_overlaps(PG_FUNCTION_ARGS)
{
    bool answer;

    if (!roaring_intersects(sketch_packed_arg(fcinfo, 0), sketch_packed_arg(fcinfo, 1),
                            &sketch_memory, &answer))
        sketch_raise_damaged();
    PG_RETURN_BOOL(answer);
}

static bool
contains_item(void *context, Datum item, Datum *answer)
{
    *answer = BoolGetDatum(has_value(*(const SketchBytes *)context, DatumGetInt64(item)));
    return true;
}

PG_FUNCTION_INFO_V1(sketches_roaring_contains_each);
Datum
sketches_roaring_contains_each(PG_FUNCTION_ARGS)
{
    SketchBytes set = sketch_packed_arg(fcinfo, 0);

    return sketch_answer_each(PG_GETARG_ARRAYTYPE_P(1), BOOLOID, contains_item, &set);
}

/* ---- order ---- */

SQL_FUNCTION(sketches_roaring_is_empty,
             BoolGetDatum(cardinality_of(sketch_header(fcinfo, 0, NULL)) == 0));

static Datum
selected(FunctionCallInfo fcinfo, SketchBytes value, uint64 rank)
{
    uint64 found;

    if (!roaring_select(value, rank, &sketch_memory, &found))
        PG_RETURN_NULL();
    PG_RETURN_INT64((int64)found);
}

SQL_FUNCTION(sketches_roaring_min, selected(fcinfo, sketch_packed_arg(fcinfo, 0), 0));

PG_FUNCTION_INFO_V1(sketches_roaring_max);
Datum
sketches_roaring_max(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);

    return selected(fcinfo, value, cardinality_of(value) - 1);
}

/* NULL for a rank that no value has. */
PG_FUNCTION_INFO_V1(sketches_roaring_select);
Datum
sketches_roaring_select(PG_FUNCTION_ARGS)
{
    int64 rank = PG_GETARG_INT64(1);

    if (rank < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("rank %lld is out of range", (long long)rank),
                        errdetail("The first value has rank 0.")));
    return selected(fcinfo, sketch_packed_arg(fcinfo, 0), (uint64)rank);
}

PG_FUNCTION_INFO_V1(sketches_roaring_rank);
Datum
sketches_roaring_rank(PG_FUNCTION_ARGS)
{
    SketchBytes set = sketch_packed_arg(fcinfo, 0);
    int64 value = PG_GETARG_INT64(1);

    PG_RETURN_INT64(is_below_all(set, value) ? 0 : rank_of(set, (uint64)value));
}

/* Rank of a value for roaring_select, from 0; NULL for a value not in the set. */
PG_FUNCTION_INFO_V1(sketches_roaring_index);
Datum
sketches_roaring_index(PG_FUNCTION_ARGS)
{
    SketchBytes set = sketch_packed_arg(fcinfo, 0);
    int64 value = PG_GETARG_INT64(1);

    if (!has_value(set, value))
        PG_RETURN_NULL();
    PG_RETURN_INT64(rank_of(set, (uint64)value) - 1);
}

/*
 * roaring_position(roaring, bit [, start]), as BITPOS, but NULL where there is none: BITPOS's -1 is
 * a value of roaring64.
 */
PG_FUNCTION_INFO_V1(sketches_roaring_position);
Datum
sketches_roaring_position(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    int64 start = PG_NARGS() > 2 ? PG_GETARG_INT64(2) : 0;
    uint64 found;

    if (is_below_all(value, start))
        start = 0;

    if (!roaring_next_value(value, (uint64)start, PG_GETARG_BOOL(1), &sketch_memory, &found))
        PG_RETURN_NULL();
    PG_RETURN_INT64((int64)found);
}

/* ---- looking inside ---- */

PG_FUNCTION_INFO_V1(sketches_roaring_info);
Datum
sketches_roaring_info(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    RoaringCursor cursor = roaring_cursor(value, false, &sketch_memory);
    RoaringContainer container;
    int64 forms[3] = {0, 0, 0};
    Datum values[6];

    while (roaring_next(&cursor, &container))
        forms[container.form]++;
    if (cursor.damaged)
        sketch_raise_damaged();
    values[0] = Int64GetDatum((int64)cardinality_of(value));
    values[1] = Int64GetDatum(forms[0] + forms[1] + forms[2]);
    values[2] = Int64GetDatum(forms[ROARING_ARRAY]);
    values[3] = Int64GetDatum(forms[ROARING_BITSET]);
    values[4] = Int64GetDatum(forms[ROARING_RUNS]);
    values[5] = Int32GetDatum((int32)(value.size + VARHDRSZ));
    return sketch_row(fcinfo, values, NULL);
}
