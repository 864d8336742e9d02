/*
 * planner.c - what the planner is told of searches by a set.
 *
 * SQL objects served: _roaring_support, of both types, for functions of a value and a set, for
 * roaring_elements and for the cast to bigint[]; _roaring_sel and _roaring_joinsel, for the
 * operators of a value and a set.
 *
 *     column <@ set, set @> column
 *
 * with an integer column can use a btree or BRIN index of the column:
 *
 *     column = ANY ('{...}')                      btree: as many searches as values
 *     column >= minimum AND column <= maximum     one search; rows are checked by the set, unless
 *                                                 the set has all numbers between
 *
 * A set that is known when the query is planned, as a constant or stable expression, tells its own
 * number of values, its minimum and its maximum. The values are taken for distinct ones of the
 * column: rows = rows of the table * values / distinct values, at most those of the range. The
 * range is searched if it has all numbers, if it has at most MAX_RANGE_ROWS_PER_VALUE rows for each
 * row of the set, or if there are too many values to list: then the planner prefers to read the
 * table if the set is scattered over it.
 *
 * Of a set from a column, by a join or a scalar subquery, ANALYZE knows the number of values
 * (analyze.c). It is searched for value by value if the array of the largest one fits into
 * work_mem: an array knows no bound when the query runs. The planner takes an array that it does
 * not know for 10 values, so the cast to bigint[] costs as much as searching for all of them. Any
 * other set, and whether a set of a column has a value, is unknown: constants.
 *
 * Of several sets for one column only the first becomes = ANY: before PostgreSQL 17 an index scan
 * runs once for each pair of values. (Arms of an OR are not looked at.) Then = ANY for a later
 * column of an index also costs the scan its order, so there is none where the query may use the
 * order.
 */
#include "roaring_pg.h"
#include "pg/shared/planner.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/selfuncs.h"

#define UNKNOWN_SELECTIVITY 0.001
#define MAX_RANGE_ROWS_PER_VALUE 2
#define PROBE_IN_ANY_CASE 100    /* values that are searched for one by one in any case */
#define MIN_ROWS_PER_VALUE 16    /* rows of the table for each value of an array */
#define MAX_ARRAY_VALUES 500000  /* .7 us and 250 bytes each when the query is planned */
#define ARRAY_BYTES_PER_VALUE 16 /* with the copy that the scan sorts */
#define OPERATORS_PER_SEARCH 400 /* of a value: most wait for a page of the index */

/* ---- what is known of a set ---- */

typedef struct KnownSet {
    bool known, null;
    int64 first, last; /* of a known set that is not empty: in the order of bigint */
    /* Of a known set, or the average and the largest of a column's; below 0 if unknown. */
    double cardinality, largest;
} KnownSet;

/* The column that a scalar subquery takes its value from, and the query it is in. */
static Node *
subquery_result(PlannerInfo **root, Node *expression)
{
    bool is_result = IsA(expression, Param) && ((Param *)expression)->paramkind == PARAM_EXEC;
    ListCell *cell;

    for (PlannerInfo *query = *root; is_result && query; query = query->parent_root)
        foreach (cell, query->init_plans) {
            SubPlan *plan = lfirst_node(SubPlan, cell);

            if (list_length(plan->setParam) == 1 &&
                linitial_int(plan->setParam) == ((Param *)expression)->paramid) {
                *root = list_nth((*root)->glob->subroots, plan->plan_id - 1);
                return (Node *)linitial_node(TargetEntry, (*root)->parse->targetList)->expr;
            }
        }
    return expression;
}

/*
 * The lowest and the highest value in the order of bigint: in that of sets, negative numbers are
 * above the others.
 */
static void
find_bounds(SketchBytes set, uint64 count, KnownSet *known)
{
    uint64 first, last, negative, below;

    if (!roaring_select(set, 0, &sketch_memory, &first) ||
        !roaring_select(set, count - 1, &sketch_memory, &last))
        sketch_raise_damaged();
    if (first <= PG_INT64_MAX && last > PG_INT64_MAX) {
        if (!roaring_next_value(set, (uint64)PG_INT64_MAX + 1, true, &sketch_memory, &negative) ||
            !roaring_rank(set, PG_INT64_MAX, &sketch_memory, &below) ||
            !roaring_select(set, below - 1, &sketch_memory, &last))
            sketch_raise_damaged();
        first = negative;
    }
    known->first = (int64)first;
    known->last = (int64)last;
}

/* Looks at a set that has a value when the query is planned. */
static bool
examine_value(PlannerInfo *root, Node *expression, KnownSet *known)
{
    Const *constant = (Const *)(root ? estimate_expression_value(root, expression) : expression);
    SketchBytes set;
    uint64 count;

    if (!IsA(constant, Const))
        return false;
    known->known = true;
    known->null = constant->constisnull;
    if (known->null)
        return true;
    set = sketch_pack(sketch_value(constant->constvalue));
    count = (uint64)roaring_cardinality(set, &sketch_memory);
    known->cardinality = known->largest = (double)count;
    if (count > 0)
        find_bounds(set, count, known);
    return true;
}

static KnownSet
examine_set(PlannerInfo *root, Node *expression)
{
    /* What was fetched or computed is freed at once: the planner asks often. */
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "examined set", ALLOCSET_SMALL_SIZES);
    MemoryContext caller = MemoryContextSwitchTo(context);
    KnownSet known = {.cardinality = -1};
    VariableStatData variable;
    AttStatsSlot slot;

    if (!examine_value(root, expression, &known) && root) {
        expression = subquery_result(&root, expression);
        examine_variable(root, expression, 0, &variable);
        if (HeapTupleIsValid(variable.statsTuple) &&
            get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_DECHIST, InvalidOid,
                             ATTSTATSSLOT_NUMBERS)) {
            known.cardinality = slot.numbers[slot.nnumbers - 1];
            known.largest = slot.numbers[slot.nnumbers - 2];
            free_attstatsslot(&slot);
        }
        ReleaseVariableStats(variable);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(context);
    return known;
}

/* ---- conditions ---- */

static bool
is_integer(Node *expression)
{
    Oid type = exprType(expression);

    return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* The operator of integers that compares the column with a bigint. */
static Oid
comparison(Node *column, StrategyNumber strategy)
{
    return get_opfamily_member(INTEGER_BTREE_FAM_OID, exprType(column), INT8OID, strategy);
}

static Expr *
compare(Node *column, StrategyNumber strategy, int64 value)
{
    Const *constant = makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
                                FLOAT8PASSBYVAL);

    return make_opclause(comparison(column, strategy), BOOLOID, false, copyObject((Expr *)column),
                         (Expr *)constant, InvalidOid, InvalidOid);
}

/* column >= minimum AND column <= maximum */
static List *
in_range(Node *column, const KnownSet *set)
{
    return list_make2(compare(column, BTGreaterEqualStrategyNumber, set->first),
                      compare(column, BTLessEqualStrategyNumber, set->last));
}

/* column = ANY (the set as an array), which is a constant if the set is one */
static List *
in_array(PlannerInfo *root, Node *column, Node *set)
{
    ScalarArrayOpExpr *condition = makeNode(ScalarArrayOpExpr);
    Oid cast;

    if (find_coercion_pathway(INT8ARRAYOID, exprType(set), COERCION_EXPLICIT, &cast) !=
            COERCION_PATH_FUNC ||
        sketch_c_function(cast) != sketches_roaring_to_array)
        return NIL;
    condition->opno = comparison(column, BTEqualStrategyNumber);
    condition->opfuncid = get_opcode(condition->opno);
    condition->useOr = true;
    condition->args =
        list_make2(copyObject(column),
                   eval_const_expressions(
                       root, (Node *)makeFuncExpr(cast, INT8ARRAYOID, list_make1(copyObject(set)),
                                                  InvalidOid, InvalidOid, COERCE_EXPLICIT_CAST)));
    condition->location = -1;
    return list_make1(condition);
}

/* ---- estimates ---- */

/* The fraction of the rows whose column has a value of the set. */
static double
selectivity_of(PlannerInfo *root, Node *column, const KnownSet *set, double *range)
{
    VariableStatData variable;
    double nulls = 0, distinct;
    bool is_default;

    *range = 1;
    if (set->cardinality < 0 || set->null)
        return set->null ? 0 : UNKNOWN_SELECTIVITY;
    examine_variable(root, column, 0, &variable);
    if (HeapTupleIsValid(variable.statsTuple))
        nulls = ((Form_pg_statistic)GETSTRUCT(variable.statsTuple))->stanullfrac;
    distinct = get_variable_numdistinct(&variable, &is_default);
    ReleaseVariableStats(variable);
    if (set->known && set->cardinality > 0)
        *range = clauselist_selectivity(root, in_range(column, set), 0, JOIN_INNER, NULL);
    /* Of a smaller range the column's histogram says little. */
    return sketch_probability(
        Min(Max(*range, DEFAULT_RANGE_INEQ_SEL),
            (1 - nulls) * set->cardinality / Max(distinct, set->cardinality)));
}

/* The same of a call with a value and a set, in either order. */
static double
call_selectivity(PlannerInfo *root, List *args)
{
    Node *column = linitial(args), *set = lsecond(args);
    KnownSet known;
    double range;

    if (!is_integer(column)) {
        column = lsecond(args);
        set = linitial(args);
    }
    /* A value that is known is searched for in a column of sets. */
    if (!is_integer(column) || IsA(estimate_expression_value(root, column), Const))
        return UNKNOWN_SELECTIVITY;
    known = examine_set(root, set);
    return selectivity_of(root, column, &known, &range);
}

/* As an estimator of restrictions and of joins, whose first three arguments are the same. */
PG_FUNCTION_INFO_V1(sketches_roaring_sel);
Datum
sketches_roaring_sel(PG_FUNCTION_ARGS)
{
    PG_RETURN_FLOAT8(
        call_selectivity((PlannerInfo *)PG_GETARG_POINTER(0), (List *)PG_GETARG_POINTER(2)));
}

/* ---- searches ---- */

static List *
arguments(Node *clause)
{
    return IsA(clause, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr *)clause)->args
           : is_opclause(clause)          ? ((OpExpr *)clause)->args
           : is_funcclause(clause)        ? ((FuncExpr *)clause)->args
                                          : NIL;
}

/* Returns true if a clause is = ANY, or may become it, for a column. */
static bool
searches_values(Node *clause, Oid support, Node *column)
{
    return (IsA(clause, ScalarArrayOpExpr) ||
            (is_opclause(clause) &&
             get_func_support(get_opcode(((OpExpr *)clause)->opno)) == support) ||
            (is_funcclause(clause) && get_func_support(((FuncExpr *)clause)->funcid) == support)) &&
           list_member(arguments(clause), column);
}

/* Returns true if the query may use the order of the index, as build_index_paths() sees it. */
static bool
order_is_useful(PlannerInfo *root, IndexOptInfo *index)
{
    return has_useful_pathkeys(root, index->rel) &&
           (truncate_useless_pathkeys(root, index->rel,
                                      build_index_pathkeys(root, index, ForwardScanDirection)) ||
            truncate_useless_pathkeys(root, index->rel,
                                      build_index_pathkeys(root, index, BackwardScanDirection)));
}

/* Returns true if = ANY keeps the scan in order and is the only one for its column. */
static bool
may_search_values(SupportRequestIndexCondition *request, Node *column)
{
    IndexOptInfo *index = request->index;
    Oid support = get_func_support(request->funcid);
    bool first = true;
    ListCell *cell;

    if (!index->amsearcharray || (request->indexcol > 0 && !SKETCHES_ARRAYS_KEEP_ORDER &&
                                  order_is_useful(request->root, index)))
        return false;
    foreach (cell, index->rel->baserestrictinfo) {
        Node *clause = (Node *)lfirst_node(RestrictInfo, cell)->clause;

        if (clause == request->node)
            first = false;
        else if ((first || IsA(clause, ScalarArrayOpExpr)) &&
                 searches_values(clause, support, column))
            return false;
    }
    return true;
}

static List *
index_conditions(SupportRequestIndexCondition *request)
{
    IndexOptInfo *index = request->index;
    List *args = arguments(request->node);
    Node *column, *expression;
    KnownSet set;
    double selectivity, range;
    bool is_constant, whole, values;

    if (list_length(args) != 2)
        return NIL;
    column = list_nth(args, request->indexarg);
    expression = list_nth(args, 1 - request->indexarg);
    if ((index->relam != BTREE_AM_OID && index->relam != BRIN_AM_OID) || !is_integer(column) ||
        !is_pseudo_constant_for_index(request->root, expression, index))
        return NIL;
    /* An operator class of somebody else may have another order. */
    for (int i = BTLessEqualStrategyNumber; i <= BTGreaterEqualStrategyNumber; i++)
        if (get_op_opfamily_strategy(comparison(column, i), request->opfamily) != i)
            return NIL;
    set = examine_set(request->root, expression);
    if (set.null || set.cardinality < 0)
        return NIL;
    selectivity = selectivity_of(request->root, column, &set, &range);
    is_constant = IsA(expression, Const);
    whole = is_constant && set.cardinality > 1 &&
            (double)((uint64)set.last - (uint64)set.first) + 1 == set.cardinality;
    values = may_search_values(request, column) &&
             (!set.known ? set.largest * ARRAY_BYTES_PER_VALUE <= work_mem * 1024.0
                         : set.cardinality <= PROBE_IN_ANY_CASE ||
                               set.cardinality <=
                                   Min(index->rel->tuples / MIN_ROWS_PER_VALUE, MAX_ARRAY_VALUES));
    if (is_constant && set.cardinality > 0 &&
        (!values || whole ||
         (set.cardinality > PROBE_IN_ANY_CASE &&
          range <= MAX_RANGE_ROWS_PER_VALUE * selectivity))) {
        request->lossy = !whole;
        return in_range(column, &set);
    }
    request->lossy = false;
    return values ? in_array(request->root, column, expression) : NIL;
}

/* ---- rows and costs ---- */

/* The number of values of the set that a call has as its first argument; below 0 if unknown. */
static double
argument_cardinality(PlannerInfo *root, Node *call)
{
    List *args = call ? arguments(call) : NIL;

    return args == NIL ? -1 : examine_set(root, linitial(args)).cardinality;
}

PG_FUNCTION_INFO_V1(sketches_roaring_support);
Datum
sketches_roaring_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(index_conditions((SupportRequestIndexCondition *)request));
    if (IsA(request, SupportRequestSelectivity)) {
        SupportRequestSelectivity *selectivity = (SupportRequestSelectivity *)request;

        if (list_length(selectivity->args) == 2) {
            selectivity->selectivity = call_selectivity(selectivity->root, selectivity->args);
            PG_RETURN_POINTER(request);
        }
    }
    if (IsA(request, SupportRequestRows)) {
        SupportRequestRows *rows = (SupportRequestRows *)request;

        rows->rows = Max(argument_cardinality(rows->root, rows->node), 1);
        if (argument_cardinality(rows->root, rows->node) >= 0)
            PG_RETURN_POINTER(request);
    }
    if (IsA(request, SupportRequestCost)) {
        SupportRequestCost *cost = (SupportRequestCost *)request;

        if (get_func_rettype(cost->funcid) == INT8ARRAYOID &&
            argument_cardinality(cost->root, cost->node) >= 0) {
            cost->startup = 0;
            cost->per_tuple = OPERATORS_PER_SEARCH * cpu_operator_cost *
                              argument_cardinality(cost->root, cost->node);
            PG_RETURN_POINTER(request);
        }
    }
    PG_RETURN_POINTER(NULL);
}
