/*
 * import.c - frequent items of other systems in SQL. Their bytes: core/topk/from_<system>.c.
 *
 * SQL objects served: topk_items_from_redis, topk_from_datasketches, topk_from_topn. All are
 * STRICT.
 */
#include "topk.h"

#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* ---- Redis ---- */

typedef struct Rows {
    TopkRedis list;
    uint32 at;
} Rows;

static void *
begin_redis(FunctionCallInfo fcinfo)
{
    SketchBytes input = sketch_inline_bytes(PG_GETARG_VARLENA_PP(0));
    Rows *rows = palloc0(sizeof *rows);
    SketchError error;

    if (!topk_read_redis(input, &sketch_memory, &rows->list, &error))
        sketch_raise_import(fcinfo, &error, input, "invalid Top-K of Redis");
    return rows;
}

static bool
next_redis(void *context, Datum *values, bool *nulls)
{
    Rows *rows = context;
    const TopkRedisItem *item = &rows->list.items[rows->at];

    if (rows->at == rows->list.count)
        return false;
    rows->at++;
    /* The bytes of a text and of a bytea lie alike. */
    values[0] = PointerGetDatum(
        cstring_to_text_with_len((const char *)item->bytes.data, (int)item->bytes.size));
    values[1] = Int64GetDatum((int64)item->count);
    return true;
}

SQL_FUNCTION(sketches_topk_items_from_redis, sketch_rows(fcinfo, begin_redis, next_redis));

/* ---- DataSketches ---- */

static TopkType
item_type(const text *name)
{
    char *type = text_to_cstring(name);

    if (strcmp(type, "text") == 0)
        return TOPK_TEXT;
    if (strcmp(type, "bigint") == 0)
        return TOPK_BIGINT;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown type of items \"%s\"", type),
             errdetail("Must be \"text\" or \"bigint\".")));
}

PG_FUNCTION_INFO_V1(sketches_topk_from_datasketches);
Datum
sketches_topk_from_datasketches(PG_FUNCTION_ARGS)
{
    SketchBytes input = sketch_inline_bytes(PG_GETARG_VARLENA_PP(0)), value;
    SketchError error;

    if (!topk_from_datasketches(input, topk_check_k(PG_GETARG_INT64(1)),
                                item_type(PG_GETARG_TEXT_PP(2)), &sketch_memory, &value, &error))
        sketch_raise_import(fcinfo, &error, input, "invalid frequent items of DataSketches");
    return topk_check_encoding(sketch_datum(value.data), ERRCODE_INVALID_BINARY_REPRESENTATION,
                               NULL);
}

/* ---- topn ---- */

static void
raise_topn(const char *detail)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("invalid value of topn"),
                    errdetail("%s", detail)));
}

static uint64
frequency(const JsonbValue *value)
{
    Datum number;
    int64 count;

    if (value->type != jbvNumeric)
        raise_topn("A frequency is no number.");
    number = NumericGetDatum(value->val.numeric);
    count = DatumGetInt64(DirectFunctionCall1(numeric_int8, number));
    if (count < 0 ||
        !DatumGetBool(DirectFunctionCall2(numeric_eq, number,
                                          DirectFunctionCall1(int8_numeric, Int64GetDatum(count)))))
        raise_topn("A frequency is no integer of at least 0.");
    return (uint64)count;
}

/* The extension topn stores a JSON object: an item and its frequency in each pair. */
PG_FUNCTION_INFO_V1(sketches_topk_from_topn);
Datum
sketches_topk_from_topn(PG_FUNCTION_ARGS)
{
    Jsonb *counts = PG_GETARG_JSONB_P(0);
    SketchState state = topk_new(topk_check_k(PG_GETARG_INT64(1)), TOPK_NONE, &sketch_memory);
    JsonbIterator *pairs;
    JsonbIteratorToken token;
    JsonbValue key, value;
    SketchError error;

    if (!JB_ROOT_IS_OBJECT(counts))
        raise_topn("It is no JSON object.");
    pairs = JsonbIteratorInit(&counts->root);
    while ((token = JsonbIteratorNext(&pairs, &key, true)) != WJB_DONE) {
        uint64 count;

        CHECK_FOR_INTERRUPTS();
        if (token != WJB_KEY)
            continue;
        JsonbIteratorNext(&pairs, &value, true);
        count = frequency(&value);
        if (count > 0 &&
            !topk_insert(&state,
                         topk_item((SketchItem){.type = ITEM_TEXT,
                                                .bytes = {(const uint8_t *)key.val.string.val,
                                                          (Size)key.val.string.len}}),
                         count, &sketch_memory, &error))
            sketch_raise(&error, "cannot add to this topk");
    }
    return sketch_state_result(state);
}
