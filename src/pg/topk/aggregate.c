/*
 * aggregate.c - the aggregates of topk.
 *
 * SQL objects served:
 *   _topk_agg_state and its forms with k, _topk_weighted_agg_state    transitions
 *   _topk_combine                                                     combines with a k
 *   _approx_top_k_final, _approx_top_count_final                      the list: array, jsonb
 *
 * The transition of topk_union_agg is union_state of shared/union.c. Items and counts that are NULL
 * are skipped; an aggregate over no rows is NULL.
 */
#include "topk.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

static void
check_unchanged(uint32 before, int64 k)
{
    if (k != before)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("topk k changed within a group"),
                 errdetail("It was %u and is now %lld.", before, (long long)k)));
}

static uint32
checked_k(FunctionCallInfo fcinfo, int n, uint32 before)
{
    int64 k;

    sketch_check_not_null(fcinfo, n, "topk k");
    k = PG_GETARG_INT64(n);
    if (before > 0)
        check_unchanged(before, k);
    return topk_check_k(k);
}

/* Returns the k in argument n; raises if the state has another. */
static pg_noinline uint32
constant_k_slow(FunctionCallInfo fcinfo, int n)
{
    SketchState state;

    if (PG_ARGISNULL(0))
        return checked_k(fcinfo, n, 0);
    state = sketch_state_in_place(fcinfo);
    return checked_k(fcinfo, n,
                     topk_k_of(state.data ? sketch_bytes(state) : sketch_arg(fcinfo, 0)));
}

/* Returns k, checked to be that of every earlier row; nearly every row finds it so. */
static inline uint32
constant_k(FunctionCallInfo fcinfo, int n)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(n)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && topk_k_of(sketch_bytes(state)) == PG_GETARG_INT64(n))
            return (uint32)PG_GETARG_INT64(n);
    }
    return constant_k_slow(fcinfo, n);
}

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, TopkItem item, uint32 k, uint64 count)
{
    SketchState state = PG_ARGISNULL(0) ? topk_new(k, item.type, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, &topk_ops);

    topk_insert_or_raise(&state, item, count);
    return sketch_aggregate_result(fcinfo, state);
}

/*
 * Transition: (state, item [, k]). Only the first value of a group needs k. Appending to the log of
 * a state in place is what happens per row.
 */
static pg_attribute_always_inline Datum
aggregate(FunctionCallInfo fcinfo, SketchItemType type)
{
    uint32 k = TOPK_K_DEFAULT;
    TopkItem item;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    item = topk_item_arg(fcinfo, 1, type);
    if (PG_NARGS() > 2)
        k = constant_k(fcinfo, 2);
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && (type == ITEM_TEXT ? topk_add_text(state, item.bytes, item.size)
                                             : topk_add_number(state, item.number)))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, item, k, 1);
}

/* Also the transitions of approx_top_k and approx_top_count. */
SQL_FUNCTION(sketches_topk_agg_state, aggregate(fcinfo, ITEM_TEXT));
SQL_FUNCTION(sketches_topk_agg_bigint_state, aggregate(fcinfo, ITEM_BIGINT));

/*
 * Combines the states of an aggregate that was given k. A parallel plan raises where a serial one
 * does; the union of finished sketches takes the lower k instead.
 */
PG_FUNCTION_INFO_V1(sketches_topk_combine);
Datum
sketches_topk_combine(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(0) && !PG_ARGISNULL(1))
        check_unchanged(topk_k_of(sketch_arg(fcinfo, 0)), topk_k_of(sketch_arg(fcinfo, 1)));
    return sketches_union_state(fcinfo);
}

/* (state, item, weight [, k]) */
static Datum
aggregate_weighted(FunctionCallInfo fcinfo, SketchItemType type)
{
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return sketch_unchanged_state(fcinfo);
    return aggregate_slow(fcinfo, topk_item_arg(fcinfo, 1, type),
                          PG_NARGS() > 3 ? constant_k(fcinfo, 3) : TOPK_K_DEFAULT,
                          topk_check_least(PG_GETARG_INT64(2), "weight"));
}

SQL_FUNCTION(sketches_topk_weighted_agg_state, aggregate_weighted(fcinfo, ITEM_TEXT));
SQL_FUNCTION(sketches_topk_weighted_agg_bigint_state, aggregate_weighted(fcinfo, ITEM_BIGINT));

/* Filled in here: construct_array would copy as much as a GB without a look for interrupts. */
static Datum
item_array(const TopkCounter *counters, uint32 count)
{
    text **texts = palloc((count + 1) * sizeof *texts);
    Size bytes = 0;
    ArrayType *array;
    char *to;

    if (count == 0)
        return PointerGetDatum(construct_empty_array(TEXTOID));
    for (uint32 i = 0; i < count; i++) {
        CHECK_FOR_INTERRUPTS();
        texts[i] = DatumGetTextP(topk_item_datum(counters[i].item));
        bytes += INTALIGN(VARSIZE(texts[i]));
    }
    array = sketch_new_array(1, (int[]){(int)count}, (int[]){1}, TEXTOID, bytes, false);
    to = ARR_DATA_PTR(array);
    for (uint32 i = 0; i < count; i++) {
        Size size = VARSIZE(texts[i]);

        CHECK_FOR_INTERRUPTS();
        memcpy(to, texts[i], size);
        memset(to + size, 0, INTALIGN(size) - size);
        to += INTALIGN(size);
        pfree(texts[i]);
    }
    PG_RETURN_ARRAYTYPE_P(array);
}

/* Returns the items as bigint[]; an empty array if there are none. */
static Datum
number_array(const TopkCounter *counters, uint32 count)
{
    Datum *numbers = palloc((count + 1) * sizeof *numbers);
    bool *nulls = palloc0(count + 1);
    int length = (int)count, lower = 1;

    for (uint32 i = 0; i < count; i++)
        numbers[i] = Int64GetDatum(counters[i].item.number);
    PG_RETURN_ARRAYTYPE_P(sketch_array_of(numbers, nulls, count > 0, &length, &lower, INT8OID));
}

static Datum
json_of(const TopkCounter *counters, uint32 count)
{
    StringInfoData json;

    initStringInfo(&json);
    for (uint32 i = 0; i < count; i++) {
        const TopkCounter *c = &counters[i];
        char *item = TextDatumGetCString(topk_item_datum(c->item));

        CHECK_FOR_INTERRUPTS();
        appendStringInfoString(&json, i == 0 ? "[{\"item\":" : ",{\"item\":");
        if (c->item.type == TOPK_TEXT)
            escape_json(&json, item);
        else
            appendStringInfoString(&json, item);
        appendStringInfo(&json, ",\"count\":" UINT64_FORMAT "}", c->count);
        pfree(item);
    }
    appendStringInfoString(&json, count == 0 ? "[]" : "]");
    return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* Final functions: what `make` makes of the list. */
static Datum
listed(FunctionCallInfo fcinfo, Datum (*make)(const TopkCounter *, uint32))
{
    Topk topk = topk_read_or_raise(sketch_arg(fcinfo, 0));

    /* Anybody may call it, with the state of an aggregate of texts. */
    if (make == number_array)
        topk_check_numbers(topk.header);
    return make(topk.counters, topk_listed(&topk));
}

SQL_FUNCTION(sketches_approx_top_k_final, listed(fcinfo, item_array));
SQL_FUNCTION(sketches_approx_top_k_bigint_final, listed(fcinfo, number_array));
SQL_FUNCTION(sketches_approx_top_count_final, listed(fcinfo, json_of));
