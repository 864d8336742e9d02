/*
 * hll.c - the type hll in SQL. What it is and how it works: core/hll/hll.c.
 *
 * SQL objects served, besides the shared ones of shared/io.c, shared/union.c and shared/compare.c:
 *   hll_empty, hll_add, hll_add_all, hll_try_add, hll_reduce      build and change
 *   _hll_agg_state, _approx_count_distinct_final,
 *   _hll_union_cardinality_final                                  aggregates
 *   hll_cardinality, hll_bounds, hll_info, hll_describe,
 *   hll_registers                                                 ask one sketch
 *   hll_intersection_cardinality, hll_difference_cardinality, hll_jaccard    ask two
 *
 * Sketches of other systems: import.c.
 *
 * Adding takes NULL for an empty sketch or for nothing to add; the other scalar functions are
 * STRICT. Aggregates skip NULL values; over no rows they are NULL, except approx_count_distinct,
 * which is 0.
 */
#include "hll.h"

#include "pg/shared/describe.h"
#include "pg/shared/items.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

/* ---- parameters ---- */

static unsigned
check_precision(int64 precision, int highest)
{
    return (unsigned)sketch_check_range("hll precision", precision, HLL_PRECISION_MIN, highest);
}

/* Adds an item by the sketch's own hash function. */
static void
add_item(SketchState *state, SketchItem item)
{
    SketchHash hash = hll_state_hash(*state);

    if (likely(hash == SKETCH_HASH_XXH3))
        hll_insert(state, sketch_item_hash(item), &sketch_memory);
    else {
        SketchBytes bytes = sketch_foreign_item(item, "an hll", hll_origin(hash)->system);

        if (hash == SKETCH_HASH_DATASKETCHES && item.type == ITEM_TEXT)
            bytes = sketch_utf8(bytes);
        hll_insert_foreign(state, bytes.data, bytes.size, &sketch_memory);
    }
}

/* ---- building and changing ---- */

SQL_FUNCTION(sketches_hll_empty,
             sketch_state_result(hll_new(SKETCH_HASH_XXH3,
                                         check_precision(PG_GETARG_INT64(0), HLL_PRECISION_MAX),
                                         &sketch_memory)));

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return hll_new(SKETCH_HASH_XXH3, HLL_PRECISION_DEFAULT, &sketch_memory);
}

static const SketchAdding adding = {&hll_ops, default_state, add_item};

SQL_FUNCTION(sketches_hll_add, sketch_add_item(fcinfo, &adding));
SQL_FUNCTION(sketches_hll_add_all, sketch_add_items(fcinfo, &adding));

/* (sketch with the item, whether that is another sketch than before) */
PG_FUNCTION_INFO_V1(sketches_hll_try_add);
Datum
sketches_hll_try_add(PG_FUNCTION_ARGS)
{
    SketchBytes before, after;
    SketchState state;
    Datum values[2];

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    before = sketch_pack(sketch_arg_or_empty(fcinfo, default_state));
    state = sketch_open(before, &hll_ops);
    add_item(&state, sketch_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1)));
    after = sketch_pack(sketch_bytes(state));
    values[0] = sketch_datum(after.data);
    values[1] =
        BoolGetDatum(after.size != before.size || memcmp(after.data, before.data, after.size) != 0);
    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_hll_reduce);
Datum
sketches_hll_reduce(PG_FUNCTION_ARGS)
{
    SketchState state = sketch_open(sketch_arg(fcinfo, 0), &hll_ops);
    unsigned precision =
        check_precision(PG_GETARG_INT64(1), (int)hll_precision(sketch_bytes(state)));

    hll_reduce(&state, precision, &sketch_memory);
    return sketch_state_result(state);
}

/* ---- aggregates ---- */

static void
check_unchanged(unsigned before, int64 precision, const char *name)
{
    if (precision != before)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s changed within a group", name),
                        errdetail("It was %u and is now %lld.", before, (long long)precision)));
}

unsigned
hll_constant_precision(FunctionCallInfo fcinfo, const char *name)
{
    int64 precision;

    sketch_check_not_null(fcinfo, 2, name);
    precision = PG_GETARG_INT64(2);
    if (!PG_ARGISNULL(0))
        check_unchanged(hll_precision(sketch_front(fcinfo, 0)), precision, name);
    return (unsigned)sketch_check_range(name, precision, HLL_PRECISION_MIN, HLL_PRECISION_MAX);
}

/*
 * Combines the states of an aggregate that was given a precision. A parallel plan raises where a
 * serial one does; the union of finished sketches takes the lower precision instead.
 */
PG_FUNCTION_INFO_V1(sketches_hll_combine);
Datum
sketches_hll_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        check_unchanged(hll_precision(sketch_front(fcinfo, 0)),
                        hll_precision(sketch_front(fcinfo, 1)), "hll precision");
    return sketches_union_state(fcinfo);
}

static SketchState
aggregate_begin(FunctionCallInfo fcinfo)
{
    unsigned precision =
        PG_NARGS() > 2 ? hll_constant_precision(fcinfo, "hll precision") : HLL_PRECISION_DEFAULT;

    return hll_new(SKETCH_HASH_XXH3, precision, &sketch_memory);
}

static void
aggregate_check(FunctionCallInfo fcinfo)
{
    hll_constant_precision(fcinfo, "hll precision");
}

static void
aggregate_insert(SketchState *state, uint64 hash)
{
    add_item(state, sketch_hashed_item(hash));
}

static const SketchAggregate aggregate = {.ops = &hll_ops,
                                          .hash = sketch_item_hash,
                                          .begin = aggregate_begin,
                                          .check = aggregate_check,
                                          .add = hll_add,
                                          .insert = aggregate_insert};

SQL_FUNCTION(sketches_hll_agg_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_HASHED));

/* hll_agg(text): what hll_agg(hashed) does; for untyped literals, and with one call less */
SQL_FUNCTION(sketches_hll_agg_text_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_TEXT));
SQL_FUNCTION(sketches_hll_agg_enum_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_ENUM));
SQL_FUNCTION(sketches_hll_cardinality_final,
             Int64GetDatum(PG_ARGISNULL(0)
                               ? 0
                               : (int64)hll_cardinality(sketch_arg(fcinfo, 0), &sketch_memory)));

/* ---- questions to one sketch ---- */

static int64
round_count(double count)
{
    return count < 0x1p63 ? (int64)llround(count) : PG_INT64_MAX;
}

SQL_FUNCTION(sketches_hll_cardinality,
             Int64GetDatum((int64)hll_cardinality(sketch_header(fcinfo, 0, NULL), &sketch_memory)));

PG_FUNCTION_INFO_V1(sketches_hll_bounds);
Datum
sketches_hll_bounds(PG_FUNCTION_ARGS)
{
    SketchBytes header = sketch_header(fcinfo, 0, NULL);
    double sigmas = PG_GETARG_FLOAT8(1);
    uint64 cardinality = hll_cardinality(header, &sketch_memory);
    double estimate = (double)cardinality;
    double margin = sigmas * hll_relative_error(header, &sketch_memory) * estimate;
    Datum values[3];

    if (!(sigmas >= 0 && sigmas <= 100))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("number of standard errors %s is out of range", sketch_shortest(sigmas)),
                 errdetail("Must be between 0 and 100.")));
    values[0] = Int64GetDatum(round_count(fmax(estimate - margin, 0)));
    values[1] = Int64GetDatum((int64)cardinality);
    values[2] = Int64GetDatum(round_count(estimate + margin));
    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_hll_info);
Datum
sketches_hll_info(PG_FUNCTION_ARGS)
{
    Size size;
    SketchBytes header = sketch_header(fcinfo, 0, &size);
    HllHeader h = hll_header(header);
    Datum values[6];

    values[0] = Int32GetDatum((int32)h.precision);
    values[1] = CStringGetTextDatum(h.dense ? "dense" : "sparse");
    values[2] = Int64GetDatum((int64)h.estimate);
    values[3] = Float8GetDatum(hll_relative_error(header, &sketch_memory));
    values[4] = CStringGetTextDatum(hll_origin(h.hash)->hash);
    values[5] = Int32GetDatum((int32)(size + VARHDRSZ));
    return sketch_row(fcinfo, values, NULL);
}

/* One line for people; the signs of mathematics are written out where the encoding lacks them. */
PG_FUNCTION_INFO_V1(sketches_hll_describe);
Datum
sketches_hll_describe(PG_FUNCTION_ARGS)
{
    bool utf8 = GetDatabaseEncoding() == PG_UTF8;
    Size size;
    SketchBytes header = sketch_header(fcinfo, 0, &size);
    HllHeader h = hll_header(header);

    return sketch_line(
        size + VARHDRSZ, "hll %s %s %s %.2g%%, %s, precision %u%s", utf8 ? "\xe2\x89\x88" : "~",
        sketch_number(h.estimate), utf8 ? "\xc2\xb1" : "+-",
        100 * hll_relative_error(header, &sketch_memory), h.dense ? "dense" : "sparse", h.precision,
        h.hash == SKETCH_HASH_XXH3 ? "" : psprintf(", hash of %s", hll_origin(h.hash)->system));
}

/* Registers from number `at` that are not empty. */
typedef struct RegisterScan {
    uint8 *registers;
    unsigned history; /* bits of them */
    uint32 count;
    uint32 at;
} RegisterScan;

static void *
begin_registers(FunctionCallInfo fcinfo)
{
    SketchBytes value = sketch_arg(fcinfo, 0);
    RegisterScan *scan = palloc0(sizeof *scan);

    scan->registers = hll_registers(value, &sketch_memory);
    if (scan->registers == NULL)
        sketch_raise_damaged();
    scan->history = hll_history(hll_header(value).hash);
    scan->count = UINT32_C(1) << hll_precision(value);
    return scan;
}

static bool
next_register(void *rows, Datum *values, bool *nulls)
{
    RegisterScan *scan = rows;
    uint8 empty = hll_register_empty(scan->history);
    uint8 reg;

    while (scan->at < scan->count && scan->registers[scan->at] == empty)
        scan->at++;
    if (scan->at == scan->count)
        return false;
    reg = scan->registers[scan->at];
    values[0] = Int32GetDatum((int32)scan->at++);
    values[1] = Int32GetDatum(reg >> scan->history);
    values[2] = Int32GetDatum(reg & empty);
    nulls[2] = scan->history == 0;
    return true;
}

SQL_FUNCTION(sketches_hll_registers, sketch_rows(fcinfo, begin_registers, next_register));

/* ---- questions to two sketches ---- */

static HllJoint
joint_args(FunctionCallInfo fcinfo)
{
    SketchError error;
    HllJoint joint;

    if (!hll_joint(sketch_arg(fcinfo, 0), sketch_arg(fcinfo, 1), &sketch_memory, &joint, &error))
        sketch_raise(&error, "cannot compare these hll values");
    return joint;
}

SQL_FUNCTION(sketches_hll_intersection_cardinality,
             Int64GetDatum(round_count(joint_args(fcinfo).both)));
SQL_FUNCTION(sketches_hll_difference_cardinality,
             Int64GetDatum(round_count(joint_args(fcinfo).only_a)));

PG_FUNCTION_INFO_V1(sketches_hll_jaccard);
Datum
sketches_hll_jaccard(PG_FUNCTION_ARGS)
{
    HllJoint joint = joint_args(fcinfo);
    double all = joint.only_a + joint.only_b + joint.both;

    if (all == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(joint.both / all);
}
