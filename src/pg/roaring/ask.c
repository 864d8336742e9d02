/*
 * ask.c - questions about roaring and roaring64.
 *
 * SQL objects served, each for both types:
 *   roaring_cardinality, also of lo .. hi; operator #             how many
 *   roaring_union_cardinality, intersection, xor, difference,
 *   roaring_jaccard                                               how many of two sets
 *   @> <@ &&, roaring_contains_each                               membership
 *   roaring_is_empty, min, max, rank, select, position            order
 *   roaring_info                                                  look inside
 *
 * All are STRICT. The number of values is in the header: of an out-of-line value no more is read.
 */
#include "roaring.h"

#include "catalog/pg_type.h"

/* Reading a few chunks takes as long as copying so many bytes: what a probe counts for. */
#define PROBE_BYTES 65536

/* ---- how many ---- */

static uint64
cardinality_of(SketchBytes packed)
{
    return (uint64)roaring_cardinality(packed, &sketch_memory);
}

SKETCHES_FUNCTION(roaring_cardinality)
{
    PG_RETURN_INT64((int64)cardinality_of(sketch_header(PG_GETARG_DATUM(0), NULL)));
}

/* roaring_cardinality(roaring, lo, hi), half-open */
SKETCHES_FUNCTION(roaring_range_cardinality)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    uint64 first, last;

    if (!roaring_check_range(roaring_kind(value), PG_GETARG_INT64(1), PG_GETARG_INT64(2), &first,
                             &last))
        PG_RETURN_INT64(0);
    PG_RETURN_INT64(
        (int64)(roaring_rank(value, last) - (first > 0 ? roaring_rank(value, first - 1) : 0)));
}

/* How many values two arguments have, each and together. */
typedef struct Counts {
    uint64 a, b, both;
} Counts;

static Counts
count_two(FunctionCallInfo fcinfo)
{
    SketchBytes a = sketch_packed_arg(fcinfo, 0), b = sketch_packed_arg(fcinfo, 1);
    Counts counts = {.a = cardinality_of(a), .b = cardinality_of(b)};

    if (!roaring_intersection_cardinality(a, b, &counts.both))
        sketch_raise_damaged();
    return counts;
}

SKETCHES_FUNCTION(roaring_intersection_cardinality)
{
    PG_RETURN_INT64((int64)count_two(fcinfo).both);
}

SKETCHES_FUNCTION(roaring_union_cardinality)
{
    Counts counts = count_two(fcinfo);

    PG_RETURN_INT64((int64)(counts.a + counts.b - counts.both));
}

SKETCHES_FUNCTION(roaring_xor_cardinality)
{
    Counts counts = count_two(fcinfo);

    PG_RETURN_INT64((int64)(counts.a + counts.b - 2 * counts.both));
}

SKETCHES_FUNCTION(roaring_difference_cardinality)
{
    Counts counts = count_two(fcinfo);

    PG_RETURN_INT64((int64)(counts.a - counts.both));
}

SKETCHES_FUNCTION(roaring_jaccard)
{
    Counts counts = count_two(fcinfo);
    uint64 all = counts.a + counts.b - counts.both;

    if (all == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8((double)counts.both / (double)all);
}

/* ---- membership ---- */

static bool
has_value(SketchBytes set, int64 value)
{
    return roaring_contains(set, roaring_check_value(roaring_kind(set), value));
}

static SketchBytes
read_piece(const void *source, size_t offset, size_t length)
{
    return sketch_slice(PointerGetDatum(source), offset, length);
}

/* Argument `set` contains `value`? Of an out-of-line set pieces are read, while that is cheaper. */
static bool
arg_has_value(FunctionCallInfo fcinfo, int set, int64 value)
{
    RoaringPieces pieces = {.read = read_piece, .source = PG_GETARG_POINTER(set)};

    if (sketch_arg_at_hand(fcinfo, set, PROBE_BYTES, &pieces.first, &pieces.size))
        return has_value(pieces.first, value);
    return roaring_lookup(&pieces, roaring_check_value(roaring_kind(pieces.first), value));
}

SKETCHES_FUNCTION(roaring_contains)
{
    PG_RETURN_BOOL(arg_has_value(fcinfo, 0, PG_GETARG_INT64(1)));
}

SKETCHES_FUNCTION(roaring_contained_value)
{
    PG_RETURN_BOOL(arg_has_value(fcinfo, 1, PG_GETARG_INT64(0)));
}

static bool
is_subset(SketchBytes a, SketchBytes b)
{
    bool answer;

    if (!roaring_is_subset(a, b, &answer))
        sketch_raise_damaged();
    return answer;
}

SKETCHES_FUNCTION(roaring_contains_set)
{
    PG_RETURN_BOOL(is_subset(sketch_packed_arg(fcinfo, 1), sketch_packed_arg(fcinfo, 0)));
}

SKETCHES_FUNCTION(roaring_contained_set)
{
    PG_RETURN_BOOL(is_subset(sketch_packed_arg(fcinfo, 0), sketch_packed_arg(fcinfo, 1)));
}

SKETCHES_FUNCTION(roaring_overlaps)
{
    bool answer;

    if (!roaring_intersects(sketch_packed_arg(fcinfo, 0), sketch_packed_arg(fcinfo, 1), &answer))
        sketch_raise_damaged();
    PG_RETURN_BOOL(answer);
}

static bool
contains_item(void *context, Datum item, Datum *answer)
{
    *answer = BoolGetDatum(has_value(*(const SketchBytes *)context, DatumGetInt64(item)));
    return true;
}

SKETCHES_FUNCTION(roaring_contains_each)
{
    SketchBytes set = sketch_packed_arg(fcinfo, 0);

    return sketch_answer_each(PG_GETARG_ARRAYTYPE_P(1), BOOLOID, contains_item, &set);
}

/* ---- order ---- */

SKETCHES_FUNCTION(roaring_is_empty)
{
    PG_RETURN_BOOL(cardinality_of(sketch_header(PG_GETARG_DATUM(0), NULL)) == 0);
}

static Datum
selected(FunctionCallInfo fcinfo, SketchBytes value, uint64 rank)
{
    uint64 found;

    if (!roaring_select(value, rank, &found))
        PG_RETURN_NULL();
    PG_RETURN_INT64((int64)found);
}

SKETCHES_FUNCTION(roaring_min) { return selected(fcinfo, sketch_packed_arg(fcinfo, 0), 0); }

SKETCHES_FUNCTION(roaring_max)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);

    return selected(fcinfo, value, cardinality_of(value) - 1);
}

/* NULL for a rank that no value has. */
SKETCHES_FUNCTION(roaring_select)
{
    int64 rank = PG_GETARG_INT64(1);

    if (rank < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("rank %lld is out of range", (long long)rank),
                        errdetail("The first value has rank 0.")));
    return selected(fcinfo, sketch_packed_arg(fcinfo, 0), (uint64)rank);
}

SKETCHES_FUNCTION(roaring_rank)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);

    PG_RETURN_INT64(
        (int64)roaring_rank(value, roaring_check_value(roaring_kind(value), PG_GETARG_INT64(1))));
}

/* roaring_position(roaring, bit [, start]), as BITPOS: -1 where there is none. */
SKETCHES_FUNCTION(roaring_position)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    uint64 start =
        roaring_check_value(roaring_kind(value), PG_NARGS() > 2 ? PG_GETARG_INT64(2) : 0);
    uint64 found;

    if (!roaring_next_value(value, start, PG_GETARG_BOOL(1), &found))
        PG_RETURN_INT64(-1);
    PG_RETURN_INT64((int64)found);
}

/* ---- looking inside ---- */

SKETCHES_FUNCTION(roaring_info)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    RoaringCursor cursor = roaring_cursor(value, false);
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
    values[5] = Int32GetDatum((int32)value.size);
    return sketch_row(fcinfo, values, NULL);
}
