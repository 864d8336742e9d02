/*
 * cms.c - the type cms in SQL. What it is: core/cms/cms.c.
 *
 * SQL objects served:
 *   _cms_in, recv, cms(bytea)                 in and out
 *   cms_empty, cms_by_dim                     make
 *   cms_add, cms_add_all, cms_merge           change
 *   _cms_agg_state, _cms_combine              aggregates; union is shared/union.c's
 *   cms_query, cms_query_each                 estimates
 *   cms_total, cms_error, cms_inner_product,
 *   cms_info, cms_describe                    others
 *   cms_from_redis, cms_to_redis              Redis
 *
 * Items are hashed values, or text, whose hash is the same. Adding takes NULL for an empty sketch
 * or for nothing to add; the other scalar functions are STRICT. Aggregates skip items and counts
 * that are NULL.
 */
#include "pg/shared/describe.h"
#include "pg/shared/items.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/cms/cms.h"

#define ERROR_DEFAULT 0.001
#define PROBABILITY_DEFAULT 0.01

/* ---- arguments ---- */

static CmsShape
check_size(int64 width, int64 depth)
{
    CmsShape shape;
    SketchError error;

    if (!cms_shape_of_size(width, depth, &shape, &error))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cms %s %lld is out of range", error.reason, (long long)error.found),
                        errdetail("Must be between %lld and %lld.", (long long)error.low,
                                  (long long)error.high)));
    return shape;
}

static void
check_share(double share, const char *what)
{
    if (!(share > 0 && share < 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cms %s %s is out of range", what, sketch_shortest(share)),
                        errdetail("It must be above 0 and below 1.")));
}

static CmsShape
check_error(double error, double probability)
{
    CmsShape shape;
    SketchError refused;

    check_share(error, "error");
    check_share(probability, "probability");
    if (!cms_shape_of_error(error, probability, &shape, &refused))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("a cms of error %s and probability %s is too large", sketch_shortest(error),
                        sketch_shortest(probability)),
                 errdetail("It has 2 / error columns and log2(1 / probability) rows; at most %d "
                           "rows and %lld cells are allowed.",
                           CMS_DEPTH_MAX, (long long)CMS_CELLS_MAX)));
    return shape;
}

/* `what` is what errors call it: a count or a weight. */
static uint64
check_least(int64 count, const char *what)
{
    if (count < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cms %s %lld is out of range", what, (long long)count),
                        errdetail("Must be at least 0."),
                        errhint("A conservative update cannot take back what was counted.")));
    return (uint64)count;
}

static pg_noinline void
insert(SketchState *state, uint64 hash, uint64 count)
{
    SketchError error;

    if (count > 0 && !cms_insert(state, hash, count, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this cms");
}

/* ---- items: a value of Redis takes bytes, any other takes their hash ---- */

/* The item in argument 1. */
static SketchItem
item_arg(FunctionCallInfo fcinfo)
{
    return sketch_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
}

static void
add_item(SketchState *state, SketchItem item, uint64 count)
{
    SketchError error;

    if (cms_shape(sketch_bytes(*state)).hash != SKETCH_HASH_REDIS)
        insert(state, sketch_item_hash(item), count);
    else if (!cms_insert_bytes(state, sketch_foreign_item(item, "a cms", "Redis"), count,
                               &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this cms");
}

static int64
query_item(SketchBytes sketch, SketchItem item)
{
    if (cms_shape(sketch).hash == SKETCH_HASH_REDIS)
        return (int64)cms_query_bytes(sketch, sketch_foreign_item(item, "a cms", "Redis"),
                                      &sketch_memory);
    return (int64)cms_query(sketch, sketch_item_hash(item));
}

/* ---- building and changing ---- */

SQL_FUNCTION(sketches_cms_empty,
             sketch_state_result(cms_new(check_error(PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1)),
                                         &sketch_memory)));
SQL_FUNCTION(sketches_cms_by_dim,
             sketch_state_result(cms_new(check_size(PG_GETARG_INT64(0), PG_GETARG_INT64(1)),
                                         &sketch_memory)));

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return cms_new(check_error(ERROR_DEFAULT, PROBABILITY_DEFAULT), &sketch_memory);
}

PG_FUNCTION_INFO_V1(sketches_cms_add);
Datum
sketches_cms_add(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open(sketch_arg_or_empty(fcinfo, default_state), &cms_ops);
    add_item(&state, item_arg(fcinfo), check_least(PG_GETARG_INT64(2), "count"));
    return sketch_state_result(state);
}

/* (cms, items [, counts]): an item is skipped if it or its count is NULL. */
PG_FUNCTION_INFO_V1(sketches_cms_add_all);
Datum
sketches_cms_add_all(PG_FUNCTION_ARGS)
{
    ArrayType *array;
    SketchState state;
    SketchItemType type;
    SketchElements items;
    SketchItem item;
    Datum *counts = NULL;
    bool *nulls = NULL;
    int length = 0;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open(sketch_arg_or_empty(fcinfo, default_state), &cms_ops);
    array = sketch_items_arg(fcinfo, 1, &type);
    items = sketch_elements(array);
    if (PG_NARGS() > 2) {
        int wanted = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

        deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
                          &counts, &nulls, &length);
        if (length != wanted)
            ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                            errmsg("%d counts for %d items", length, wanted),
                            errdetail("Each item needs one count.")));
    }
    while (sketch_next_item(&items, type, &item)) {
        if (counts == NULL)
            add_item(&state, item, 1);
        else if (!nulls[items.at])
            add_item(&state, item, check_least(DatumGetInt64(counts[items.at]), "count"));
    }
    return sketch_state_result(state);
}

/* cms_merge(cms[], weights): NULL sketches and weights are skipped. */
PG_FUNCTION_INFO_V1(sketches_cms_merge);
Datum
sketches_cms_merge(PG_FUNCTION_ARGS)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(0), *weight_array = PG_GETARG_ARRAYTYPE_P(1);
    ArrayIterator sketches = array_create_iterator(array, 0, NULL);
    int length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)), count;
    SketchState state = {NULL, 0};
    Datum *weights, sketch;
    bool *nulls, is_null;

    deconstruct_array(weight_array, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &weights, &nulls,
                      &count);
    if (count != length)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("%d weights for %d sketches", count, length),
                        errdetail("Each sketch needs one weight.")));
    for (int i = 0; array_iterate(sketches, &sketch, &is_null); i++) {
        SketchBytes value;
        SketchError error;

        CHECK_FOR_INTERRUPTS();
        if (is_null || nulls[i])
            continue;
        if (DatumGetInt64(weights[i]) < 0)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("cms weight %lld is out of range",
                                   (long long)DatumGetInt64(weights[i])),
                            errdetail("Must be at least 0.")));
        value = sketch_value(sketch);
        if (state.data == NULL)
            state = cms_new(cms_shape(value), &sketch_memory);
        if (!cms_merge_times(&state, value, (uint64)DatumGetInt64(weights[i]), &sketch_memory,
                             &error))
            sketch_raise(&error, "cannot combine these values of type cms");
    }
    if (state.data == NULL)
        PG_RETURN_NULL();
    return sketch_state_result(state);
}

/* ---- aggregates ---- */

static void
check_unchanged(CmsShape before, CmsShape now)
{
    if (before.width != now.width || before.depth != now.depth)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("error or probability of a cms changed within a group"),
                        errdetail("It had %u columns and %u rows and would have %u and %u.",
                                  before.width, before.depth, now.width, now.depth)));
}

/*
 * Combines the states of an aggregate that was given an error and a probability. A parallel plan
 * raises where a serial one does; the union of finished sketches takes only those of one shape.
 */
PG_FUNCTION_INFO_V1(sketches_cms_combine);
Datum
sketches_cms_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        check_unchanged(cms_shape(sketch_arg(fcinfo, 0)), cms_shape(sketch_arg(fcinfo, 1)));
    return sketches_union_state(fcinfo);
}

/* The last two of four or five arguments, error and probability, may not change within a group. */
static CmsShape
constant_shape(FunctionCallInfo fcinfo)
{
    CmsShape shape;
    int error_arg = PG_NARGS() - 2;

    if (PG_NARGS() < 4)
        return check_error(ERROR_DEFAULT, PROBABILITY_DEFAULT);
    if (PG_ARGISNULL(error_arg) || PG_ARGISNULL(error_arg + 1))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("error and probability of a cms must not be null")));
    shape = check_error(PG_GETARG_FLOAT8(error_arg), PG_GETARG_FLOAT8(error_arg + 1));
    if (!PG_ARGISNULL(0))
        check_unchanged(cms_shape(sketch_arg(fcinfo, 0)), shape);
    return shape;
}

static SketchState
aggregate_begin(FunctionCallInfo fcinfo)
{
    return cms_new(constant_shape(fcinfo), &sketch_memory);
}

static void
aggregate_check(FunctionCallInfo fcinfo)
{
    constant_shape(fcinfo);
}

static void
aggregate_insert(SketchState *state, uint64 hash)
{
    insert(state, hash, 1);
}

static const SketchAggregate aggregate = {.ops = &cms_ops,
                                          .hash = sketch_item_hash,
                                          .begin = aggregate_begin,
                                          .check = aggregate_check,
                                          .add = cms_add,
                                          .insert = aggregate_insert};

SQL_FUNCTION(sketches_cms_agg_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_HASHED));
SQL_FUNCTION(sketches_cms_agg_text_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_TEXT));
SQL_FUNCTION(sketches_cms_agg_enum_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_ENUM));

/* (state, item, weight [, error, probability]) */
static Datum
aggregate_weighted(FunctionCallInfo fcinfo, SketchItemType type)
{
    SketchState state;

    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return sketch_unchanged_state(fcinfo);
    if (PG_ARGISNULL(0))
        state = cms_new(constant_shape(fcinfo), &sketch_memory);
    else {
        if (PG_NARGS() > 3)
            constant_shape(fcinfo);
        state = sketch_aggregate_state(fcinfo, &cms_ops);
    }
    insert(&state, sketch_item_hash_arg(fcinfo, 1, type),
           check_least(PG_GETARG_INT64(2), "weight"));
    return sketch_aggregate_result(fcinfo, state);
}

SQL_FUNCTION(sketches_cms_weighted_agg_state, aggregate_weighted(fcinfo, ITEM_HASHED));
SQL_FUNCTION(sketches_cms_weighted_agg_text_state, aggregate_weighted(fcinfo, ITEM_TEXT));
SQL_FUNCTION(sketches_cms_weighted_agg_enum_state, aggregate_weighted(fcinfo, ITEM_ENUM));

/* ---- asking ---- */

SQL_FUNCTION(sketches_cms_query,
             Int64GetDatum(query_item(sketch_packed_arg(fcinfo, 0), item_arg(fcinfo))));

typedef struct Queries {
    SketchBytes sketch;
    SketchItemType type;
} Queries;

static bool
answer_query(void *context, Datum item, Datum *answer)
{
    const Queries *queries = context;

    *answer = Int64GetDatum(query_item(queries->sketch, sketch_item(item, queries->type)));
    return true;
}

PG_FUNCTION_INFO_V1(sketches_cms_query_each);
Datum
sketches_cms_query_each(PG_FUNCTION_ARGS)
{
    Queries queries = {.sketch = sketch_packed_arg(fcinfo, 0)};
    ArrayType *items = sketch_items_arg(fcinfo, 1, &queries.type);

    return sketch_answer_each(items, INT8OID, answer_query, &queries);
}

SQL_FUNCTION(sketches_cms_total, Int64GetDatum((int64)cms_total(sketch_header(fcinfo, 0, NULL))));
SQL_FUNCTION(sketches_cms_error, Int64GetDatum((int64)cms_error(sketch_header(fcinfo, 0, NULL))));

PG_FUNCTION_INFO_V1(sketches_cms_inner_product);
Datum
sketches_cms_inner_product(PG_FUNCTION_ARGS)
{
    uint64 product;
    SketchError error;

    if (!cms_inner_product(sketch_arg(fcinfo, 0), sketch_arg(fcinfo, 1), &sketch_memory, &product,
                           &error))
        sketch_raise(&error, "cannot multiply these values of type cms");
    PG_RETURN_INT64((int64)product);
}

PG_FUNCTION_INFO_V1(sketches_cms_info);
Datum
sketches_cms_info(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    CmsShape shape = cms_shape(value);
    Datum values[8];

    values[0] = Int32GetDatum((int32)shape.width);
    values[1] = Int32GetDatum((int32)shape.depth);
    values[2] = Int64GetDatum((int64)cms_total(value));
    values[3] = CStringGetTextDatum(cms_is_exact(value) ? "list" : "table");
    values[4] = Float8GetDatum(cms_is_exact(value) ? 0 : Min(2.0 / shape.width, 1));
    values[5] =
        Float8GetDatum(cms_is_exact(value) ? 0 : 1.0 / (double)(INT64CONST(1) << shape.depth));
    values[6] = CStringGetTextDatum(shape.hash == SKETCH_HASH_REDIS ? "redis" : "xxh3");
    values[7] = Int32GetDatum((int32)(value.size + VARHDRSZ));
    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_cms_describe);
Datum
sketches_cms_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    CmsShape shape = cms_shape(value);
    char *accuracy = "exact";

    if (!cms_is_exact(value))
        accuracy = psprintf("counts at most %s too high for %.4g%% of the items",
                            sketch_number(cms_error(value)),
                            100 * (1 - 1.0 / (double)(INT64CONST(1) << shape.depth)));
    return sketch_line(value.size + VARHDRSZ, "cms: total %s, %s, %s x %u%s",
                       sketch_number(cms_total(value)), accuracy, sketch_number(shape.width),
                       shape.depth, shape.hash == SKETCH_HASH_REDIS ? ", hash of Redis" : "");
}

/* ---- Redis ---- */

SQL_FUNCTION(sketches_cms_from_redis,
             sketch_import(fcinfo, cms_from_redis, "invalid Count-Min sketch of Redis"));

PG_FUNCTION_INFO_V1(sketches_cms_to_redis);
Datum
sketches_cms_to_redis(PG_FUNCTION_ARGS)
{
    SketchBytes payload;
    SketchError error;

    if (!cms_to_redis(sketch_packed_arg(fcinfo, 0), &sketch_memory, &payload, &error))
        sketch_raise(&error, "cannot make a Count-Min sketch of Redis");
    return sketch_datum(payload.data);
}
