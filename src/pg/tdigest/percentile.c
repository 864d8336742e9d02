/*
 * percentile.c - quantiles as aggregates of their own.
 *
 * SQL objects served: the state and final functions of approx_percentile and
 * tdigest_union_percentile_agg, for one quantile or an array of them, and the final function of
 * approx_median.
 *
 * The state is a digest that also has the requested quantiles, so it is complete wherever the plan
 * moves it. Aggregates skip NULL values and are NULL over no rows. They answer as
 * tdigest_percentile does: while the digest is exact, like PostgreSQL's percentile_cont.
 */
#include "tdigest.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "pg/shared/quantile_functions.h"

/* An empty state that carries quantiles. `hint` is what a wrong one may come from, or NULL. */
static SketchState
new_state(SketchRequested requested, unsigned compression, const char *hint)
{
    uint8 quantiles[SKETCH_REQUESTED_MAX * sizeof(double)];

    sketch_write_requested(requested, quantiles, hint);
    return tdigest_new(compression, (unsigned)requested.count, quantiles, &sketch_memory);
}

/* Raises unless a state carries just these. */
static void
check_unchanged(SketchState state, SketchRequested requested, const char *hint)
{
    unsigned count;
    const uint8_t *quantiles = tdigest_requested(sketch_bytes(state), &count);

    sketch_check_requested(requested, quantiles, count, hint);
}

/* ---- approx_percentile ---- */

static Node *
aggregated_expression(const Aggref *aggref, int n)
{
    Node *node = (Node *)((TargetEntry *)list_nth(aggref->args, n))->expr;

    while (IsA(node, RelabelType) ||
           (IsA(node, FuncExpr) && ((FuncExpr *)node)->funcformat == COERCE_IMPLICIT_CAST))
        node = IsA(node, RelabelType) ? (Node *)((RelabelType *)node)->arg
                                      : (Node *)linitial(((FuncExpr *)node)->args);
    return node;
}

/*
 * Other extensions have the quantile first. That order is noticed here if the value is a constant
 * and the quantile comes from the row; otherwise by quantiles that change or are none. A window
 * call does not show its arguments, and a worker of Citus shows those of an aggregate that calls
 * this one: the number of the aggregate and a row.
 */
static void
check_order(FunctionCallInfo fcinfo)
{
    Aggref *aggref = AggGetAggref(fcinfo);
    Node *value;

    if (aggref == NULL || list_length(aggref->args) != 2 ||
        exprType((Node *)((TargetEntry *)linitial(aggref->args))->expr) != FLOAT8OID)
        return;
    value = aggregated_expression(aggref, 0);
    if ((IsA(value, Const) || (IsA(value, Param) && ((Param *)value)->paramkind == PARAM_EXTERN)) &&
        contain_var_clause(aggregated_expression(aggref, 1)))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("the value of approx_percentile is a constant, its percentile is not"),
                 errhint("%s", APPROX_PERCENTILE_ORDER)));
}

static Datum
percentile_state(FunctionCallInfo fcinfo, SketchQuantileArgument kind)
{
    SketchState state;
    SketchRequested requested;
    double one;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    requested = sketch_requested_arg(fcinfo, kind, &one);
    if (PG_ARGISNULL(0)) {
        check_order(fcinfo);
        state = new_state(requested, TDIGEST_COMPRESSION_DEFAULT, APPROX_PERCENTILE_ORDER);
    } else {
        state = sketch_aggregate_state(fcinfo, &tdigest_ops);
        check_unchanged(state, requested, APPROX_PERCENTILE_ORDER);
    }
    if (!isfinite(PG_GETARG_FLOAT8(1)) || !tdigest_add(state, PG_GETARG_FLOAT8(1)))
        tdigest_insert_checked(&state, PG_GETARG_FLOAT8(1), 1);
    return sketch_aggregate_result(fcinfo, state);
}

SQL_FUNCTION(sketches_approx_percentile_state, percentile_state(fcinfo, ONE_QUANTILE));
SQL_FUNCTION(sketches_approx_percentiles_state, percentile_state(fcinfo, QUANTILE_ARRAY));

/* ---- tdigest_union_percentile_agg ---- */

PG_FUNCTION_INFO_V1(sketches_tdigest_union_percentile_state);
Datum
sketches_tdigest_union_percentile_state(PG_FUNCTION_ARGS)
{
    SketchState state;
    SketchBytes digest;
    SketchRequested requested;
    double one;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    requested = sketch_requested_arg(fcinfo, sketch_requested_kind(fcinfo), &one);
    digest = sketch_arg(fcinfo, 1);
    if (PG_ARGISNULL(0))
        state = new_state(requested, tdigest_compression(digest), NULL);
    else {
        state = sketch_aggregate_state(fcinfo, &tdigest_ops);
        check_unchanged(state, requested, NULL);
    }
    sketch_merge(&state, digest);
    return sketch_aggregate_result(fcinfo, state);
}

/* ---- final functions ---- */

PG_FUNCTION_INFO_V1(sketches_approx_percentile_final);
Datum
sketches_approx_percentile_final(PG_FUNCTION_ARGS)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest) || digest.requested == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_percentile(&digest, load_le_double(digest.quantiles)));
}

PG_FUNCTION_INFO_V1(sketches_approx_percentiles_final);
Datum
sketches_approx_percentiles_final(PG_FUNCTION_ARGS)
{
    Datum answers[TDIGEST_REQUESTED_MAX];
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    for (unsigned i = 0; i < digest.requested; i++)
        answers[i] = Float8GetDatum(
            tdigest_percentile(&digest, load_le_double(digest.quantiles + i * sizeof(double))));
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int)digest.requested, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(sketches_approx_median_final);
Datum
sketches_approx_median_final(PG_FUNCTION_ARGS)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_percentile(&digest, 0.5));
}
