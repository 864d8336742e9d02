/*
 * planner.c - the support function, which tells the planner how to search by position.
 *
 * SQL objects served: _geohash_support. The planner calls it for calls of the functions that name
 * it as their SUPPORT.
 *
 *     geohash_within(g, lon, lat, radius, unit)
 *
 * is one call in a query, and is simplified to
 *
 *     (geohash_between(g, low1, high1) OR ... OR geohash_between(g, lowN, highN))
 *         AND geohash_within_exact(g, lon, lat, radius, unit)
 *
 * with ranges that cover the circle. The result is the same, because the ranges are a superset.
 * The gain: each geohash_between becomes a pair of conditions on a btree index of g. An OR of
 * several becomes a BitmapOr, and a single range becomes an index scan or index-only scan. An
 * index condition for the whole call would not be enough: conditions of one scan are joined by
 * AND, and around some circles, for example in London, a single range in Z-order is most of the
 * Earth.
 *
 * If longitude, latitude or size are not constants, but come from another table or a parameter,
 * the ends of the ranges are calls of _geohash_cover_end, which run when the scan begins. There
 * are four ranges then. The exact test comes first, because without an index it is cheaper than
 * the ranges. Arguments are copied nine times. So a call stays as it is if an argument is
 * volatile or has a subquery. A call with an argument out of range also stays, and raises its
 * error when it runs.
 *
 * The functions of the result are not geohash_within itself, because the planner simplifies some
 * expressions twice (those of partitions, for example); the result is then not simplified again.
 */
#include "pg/shared/planner.h"
#include "geohash.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#define RANGES 8 /* of a region that is known */

/* Selectivities of geohash_between and geohash_within_exact with unknown arguments. */
#define UNKNOWN_RANGE_SELECTIVITY 0.00025
#define UNKNOWN_SHARE 0.5

/* ---- geohash_within: ranges ---- */

/* Context for simplifying a call of geohash_within or geohash_within_box. */
typedef struct Search {
    FuncExpr *call;
    bool box;
    Oid type; /* geohash */
    Oid exact, between, end;
} Search;

static bool
find_search(FuncExpr *call, Search *search)
{
    bool box = list_length(call->args) > 5;
    Oid *types;
    int count;
    Oid between[3], end[6];

    (void)get_func_signature(call->funcid, &types, &count);
    for (int i = 0; i < 3; i++)
        between[i] = types[0];
    for (int i = 1; i < count; i++)
        end[i - 1] = types[i];
    end[count - 1] = INT4OID;
    *search = (Search){
        .call = call,
        .box = box,
        .type = types[0],
        .exact =
            sketch_supported_function(call->funcid, sketches_geohash_within_exact, types, count),
        .between = sketch_supported_function(call->funcid, sketches_geohash_between, between, 3),
        .end = sketch_supported_function(call->funcid, sketches_geohash_cover_end, end, count)};
    return OidIsValid(search->exact) && OidIsValid(search->between) && OidIsValid(search->end);
}

/* A call without collation: nothing depends on it, and postgres_fdw ships only such a call. */
static Expr *
call_of(Oid function, Oid result, List *args)
{
    return (Expr *)makeFuncExpr(function, result, args, InvalidOid, InvalidOid,
                                COERCE_EXPLICIT_CALL);
}

static Expr *
code_constant(const Search *search, uint64 code)
{
    return (Expr *)makeConst(search->type, -1, InvalidOid, sizeof(int64), geohash_datum(code),
                             false, FLOAT8PASSBYVAL);
}

/* A call that returns end n, from 1, of the ranges when the plan runs. */
static Expr *
late_end(const Search *search, int n)
{
    List *args = copyObject(list_copy_tail(search->call->args, 1));
    Const *number =
        makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(n), false, true);

    return call_of(search->end, search->type, lappend(args, number));
}

static Expr *
between(const Search *search, Expr *low, Expr *high)
{
    Node *column = copyObject(linitial(search->call->args));

    return call_of(search->between, BOOLOID, list_make3(column, low, high));
}

static Expr *
any_of(List *conditions)
{
    return list_length(conditions) == 1 ? linitial(conditions) : make_orclause(conditions);
}

/* Reads the region of a call; false unless all arguments but the first are constants in range. */
static bool
known_region(List *args, bool box, GeohashRegion *region)
{
    Datum values[5];

    for (int i = 1; i < list_length(args); i++) {
        Node *arg = list_nth(args, i);

        if (!IsA(arg, Const) || ((Const *)arg)->constisnull)
            return false;
        values[i - 1] = ((Const *)arg)->constvalue;
    }
    return geohash_region(region, box, values, false);
}

static bool
all_constant(List *args)
{
    ListCell *cell;

    foreach (cell, args)
        if (!IsA(lfirst(cell), Const))
            return false;
    return true;
}

/* Returns the simplified form of a call, or NULL if the call stays. */
static Node *
simplify(FuncExpr *call)
{
    List *measures = list_copy_tail(call->args, 1);
    Search search;
    GeohashRegion region;
    GeohashRange ranges[RANGES];
    List *conditions = NIL;
    Expr *exact;

    if (contain_volatile_functions((Node *)call->args) || contain_subplans((Node *)call->args) ||
        !find_search(call, &search))
        return NULL;
    exact = call_of(search.exact, BOOLOID, copyObject(call->args));
    if (known_region(call->args, search.box, &region)) {
        unsigned count = geohash_cover(&region, RANGES, ranges);

        for (unsigned i = 0; i < count; i++)
            conditions = lappend(conditions, between(&search, code_constant(&search, ranges[i].low),
                                                     code_constant(&search, ranges[i].high)));
        return (Node *)make_andclause(list_make2(any_of(conditions), exact));
    }
    if (all_constant(measures))
        return NULL;
    for (int i = 0; i < GEOHASH_LATE_RANGES; i++)
        conditions = lappend(conditions, between(&search, late_end(&search, 2 * i + 1),
                                                 late_end(&search, 2 * i + 2)));
    return (Node *)make_andclause(list_make2(exact, any_of(conditions)));
}

/* ---- geohash_between: index conditions ---- */

/*
 * A comparison by the operator of the index. An operator class of somebody else may have another
 * order: only that of the type itself is taken.
 */
static Expr *
comparison(SupportRequestIndexCondition *request, Oid type, StrategyNumber strategy, Node *column,
           Node *end)
{
    Oid operator= get_opfamily_member(request->opfamily, type, type, strategy);

    if (!OidIsValid(operator) ||
        request->opfamily != lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf)
        return NULL;
    return make_opclause(operator, BOOLOID, false, (Expr *)column, (Expr *)end, InvalidOid,
                         InvalidOid);
}

static List *
range_conditions(SupportRequestIndexCondition *request, Oid type, Node *column, Node *low,
                 Node *high)
{
    Expr *from = comparison(request, type, BTGreaterEqualStrategyNumber, column, low);
    Expr *to = comparison(request, type, BTLessEqualStrategyNumber, column, high);

    return from && to ? list_make2(from, to) : NIL;
}

/* Returns true if an end is known only at run time, by a call of this extension. */
static bool
is_late_end(Node *end)
{
    return IsA(end, FuncExpr) &&
           sketch_c_function(((FuncExpr *)end)->funcid) == sketches_geohash_cover_end;
}

/* Copies the call with another number of an end. */
static Node *
other_end(Node *end, int n)
{
    FuncExpr *call = copyObject((FuncExpr *)end);

    llast(call->args) =
        makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(n), false, true);
    return (Node *)call;
}

/*
 * A range of a btree index, exactly what the function says.
 *
 * The planner estimates the index scan by these comparisons, without asking this support
 * function. In a join it expects each comparison with a value that it does not know to leave a
 * third of the column, so a range a ninth, and the four of a search almost half: then the whole
 * table is read for nine places. So two conditions more stand with each range, from the first
 * code there is to the last. They always hold, cost next to nothing, and make a range count as
 * 1/81.
 */
static List *
index_conditions(SupportRequestIndexCondition *request)
{
    List *args, *conditions;
    Oid type;
    Node *column, *low, *high;

    if (!is_funcclause(request->node) || request->indexarg != 0 ||
        request->index->relam != BTREE_AM_OID)
        return NIL;
    args = ((FuncExpr *)request->node)->args;
    for (int i = 1; i < 3; i++)
        if (!is_pseudo_constant_for_index(request->root, list_nth(args, i), request->index))
            return NIL;
    column = linitial(args);
    low = lsecond(args);
    high = lthird(args);
    type = exprType(low);
    conditions = range_conditions(request, type, column, low, high);
    if (conditions && is_late_end(low) && is_late_end(high))
        conditions = list_concat(conditions, range_conditions(request, type, column,
                                                              other_end(low, GEOHASH_FIRST_END),
                                                              other_end(high, GEOHASH_LAST_END)));
    request->lossy = false;
    return conditions;
}

/* ---- geohash_between: selectivity ---- */

/* Returns the share of a histogram's values in a range. In a bin they are spread evenly. */
static double
histogram_share(const AttStatsSlot *slot, GeohashRange range)
{
    double share = 0;

    for (int i = 0; i + 1 < slot->nvalues; i++) {
        uint64 low = (uint64)DatumGetInt64(slot->values[i]);
        uint64 high = (uint64)DatumGetInt64(slot->values[i + 1]);

        if (low > range.high || high < range.low)
            continue;
        share += ((double)Min(high, range.high) - (double)Max(low, range.low) + 1) /
                 ((double)high - (double)low + 1);
    }
    return slot->nvalues > 1 ? Min(share / (slot->nvalues - 1), 1) : 0;
}

static double
common_values_share(const AttStatsSlot *slot, GeohashRange range, double *all)
{
    double share = 0;

    *all = 0;
    for (int i = 0; i < slot->nvalues; i++) {
        uint64 code = (uint64)DatumGetInt64(slot->values[i]);

        *all += slot->numbers[i];
        if (code >= range.low && code <= range.high)
            share += slot->numbers[i];
    }
    return share;
}

static double
statistics_share(VariableStatData *variable, GeohashRange range)
{
    double nulls = ((Form_pg_statistic)GETSTRUCT(variable->statsTuple))->stanullfrac;
    double common = 0, share = 0;
    AttStatsSlot slot;

    if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                         ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
        share = common_values_share(&slot, range, &common);
        free_attstatsslot(&slot);
    }
    if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                         ATTSTATSSLOT_VALUES)) {
        share += histogram_share(&slot, range) * Max(1 - nulls - common, 0);
        free_attstatsslot(&slot);
    }
    return share;
}

static double
range_selectivity(SupportRequestSelectivity *request)
{
    VariableStatData variable;
    Node *low = lsecond(request->args), *high = lthird(request->args);
    double share = UNKNOWN_RANGE_SELECTIVITY;

    if (!IsA(low, Const) || !IsA(high, Const) || ((Const *)low)->constisnull ||
        ((Const *)high)->constisnull)
        return share;
    examine_variable(request->root, linitial(request->args), request->varRelid, &variable);
    if (HeapTupleIsValid(variable.statsTuple) &&
        statistic_proc_security_check(&variable, request->funcid))
        share = statistics_share(
            &variable, (GeohashRange){.low = (uint64)DatumGetInt64(((Const *)low)->constvalue),
                                      .high = (uint64)DatumGetInt64(((Const *)high)->constvalue)});
    ReleaseVariableStats(variable);
    return share;
}

/* ---- geohash_within_exact: selectivity ---- */

/* The ranges are estimated apart: this is the share of them that is within the region. */
static double
exact_selectivity(List *args)
{
    bool box = list_length(args) > 5;
    GeohashRegion region;
    GeohashRange ranges[RANGES];

    if (!known_region(args, box, &region))
        return UNKNOWN_SHARE;
    return geohash_cover_share(&region, ranges, geohash_cover(&region, RANGES, ranges));
}

/* ---- what the planner calls ---- */

static bool
estimate_selectivity(SupportRequestSelectivity *request)
{
    PGFunction called = sketch_c_function(request->funcid);

    if (called != sketches_geohash_between && called != sketches_geohash_within_exact)
        return false;
    request->selectivity =
        sketch_probability(called == sketches_geohash_between ? range_selectivity(request)
                                                              : exact_selectivity(request->args));
    return true;
}

PG_FUNCTION_INFO_V1(sketches_geohash_support);
Datum
sketches_geohash_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestSimplify)) {
        FuncExpr *call = ((SupportRequestSimplify *)request)->fcall;

        if (sketch_c_function(call->funcid) == sketches_geohash_within)
            PG_RETURN_POINTER(simplify(call));
    }
    if (IsA(request, SupportRequestIndexCondition)) {
        SupportRequestIndexCondition *search = (SupportRequestIndexCondition *)request;

        if (sketch_c_function(search->funcid) == sketches_geohash_between)
            PG_RETURN_POINTER(index_conditions(search));
    }
    if (IsA(request, SupportRequestSelectivity) &&
        estimate_selectivity((SupportRequestSelectivity *)request))
        PG_RETURN_POINTER(request);
    PG_RETURN_POINTER(NULL);
}
