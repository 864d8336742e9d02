/*
 * selectivity.c - how many rows a condition with a set leaves.
 *
 * SQL objects served: _roaring_sel and _roaring_joinsel, the estimators of the operators @>, <@ and
 * && of both types. planner.c asks for the same of calls of their functions.
 *
 *     column <@ set     integers: the sum of the frequencies of the set's values in the column
 *     column @> value   sets: the frequency of the value among the column's elements
 *     column && set     1 - product of (1 - frequency) over the set's values
 *     column @> set     product of the frequencies
 *     column <@ set     p^cardinality, where p is the share of the column's elements that the set
 *                       has, averaged over the cardinalities that ANALYZE has seen
 *
 * The products take elements for independent. A set is known if it is a constant, or a stable
 * expression or parameter that has a value when the query is planned. Another set from a column, of
 * another table or by a scalar subquery, is taken to be like that column's sets on average. Of any
 * other set nothing is known: a thousandth of the rows is expected.
 */
#include "selectivity.h"
#include "pg/shared/planner.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define UNKNOWN_SELECTIVITY 0.001

bool
roaring_is_integer(Node *expression)
{
    Oid type = exprType(expression);

    return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* ---- what is known of an argument ---- */

/* The statistics of an expression, or of the column that a scalar subquery takes it from. */
static void
examine(PlannerInfo *root, Node *expression, VariableStatData *variable)
{
    bool is_result = IsA(expression, Param) && ((Param *)expression)->paramkind == PARAM_EXEC;
    ListCell *cell;

    for (PlannerInfo *query = root; is_result && query; query = query->parent_root)
        foreach (cell, query->init_plans) {
            SubPlan *plan = lfirst_node(SubPlan, cell);
            PlannerInfo *subroot = list_nth(root->glob->subroots, plan->plan_id - 1);

            if (list_length(plan->setParam) == 1 &&
                linitial_int(plan->setParam) == ((Param *)expression)->paramid) {
                TargetEntry *result = linitial(subroot->parse->targetList);

                examine_variable(subroot, (Node *)result->expr, 0, variable);
                return;
            }
        }
    examine_variable(root, expression, 0, variable);
}

bool
roaring_known_set(PlannerInfo *root, Node *expression, Oid function, KnownSet *known)
{
    VariableStatData variable;

    *known = (KnownSet){.constant = false};
    if (root)
        expression = estimate_expression_value(root, expression);
    if (IsA(expression, Const)) {
        if (((Const *)expression)->constisnull)
            return false;
        known->constant = true;
        known->set = sketch_pack(sketch_value(((Const *)expression)->constvalue));
        known->cardinality = known->largest =
            (double)roaring_cardinality(known->set, &sketch_memory);
    } else if (root) {
        examine(root, expression, &variable);
        if (roaring_element_distribution(&variable, function, &known->column)) {
            known->from_column = true;
            known->cardinality = known->column.cardinality;
            known->largest = known->column.quantile[known->column.quantiles - 1];
        }
        ReleaseVariableStats(variable);
    }
    return true;
}

/* ---- a column of integers ---- */

static double
integers_in_set(PlannerInfo *root, Oid function, Node *column, const KnownSet *known)
{
    VariableStatData variable;
    Distribution distribution;
    double selectivity = UNKNOWN_SELECTIVITY;
    Matches matches;

    examine(root, column, &variable);
    distribution = roaring_integer_distribution(&variable, function);
    if (!known->constant)
        selectivity = (1 - distribution.nulls) * known->cardinality /
                      Max(distribution.distinct + distribution.commons, known->cardinality);
    else if (roaring_matches(&distribution, known->set, &matches))
        selectivity = matches.sum;
    ReleaseVariableStats(variable);
    return selectivity;
}

/* Two sets that have a value in common, or of which the first contains the second. */
static double
two_sets(bool overlap, const KnownSet *a, const KnownSet *b)
{
    double present = (1 - a->column.nulls) * (1 - b->column.nulls), common;
    Matches matches;

    if (a->from_column && b->constant && roaring_matches(&a->column, b->set, &matches))
        return present * (overlap ? matches.any : matches.all);
    if (a->constant && b->from_column && roaring_matches(&b->column, a->set, &matches))
        return present * (overlap ? matches.any : roaring_all_within(&b->column, &matches));
    if (!a->from_column || !b->from_column)
        return UNKNOWN_SELECTIVITY;
    common = roaring_expected_common(&a->column, &b->column);
    return present * (overlap ? 1 - exp(-common)
                              : pow(Min(common / Max(b->cardinality, 1e-10), 1), b->cardinality));
}

static double
integer_and_set(PlannerInfo *root, Oid function, Node *integer, const KnownSet *set)
{
    Const *constant = (Const *)estimate_expression_value(root, integer);
    KnownSet one = {.constant = true};
    uint64 value;

    if (!IsA(constant, Const))
        return set->constant || set->from_column ? integers_in_set(root, function, integer, set)
                                                 : UNKNOWN_SELECTIVITY;
    value = (uint64)DatumGetInt64(constant->constvalue);
    if (constant->constisnull || (int64)value < 0)
        return 0;
    one.set = roaring_set_of(SKETCH_ROARING64, &value, 1);
    return two_sets(false, set, &one);
}

static double
selectivity_of(PlannerInfo *root, Oid function, Node *left, Node *right)
{
    PGFunction called = sketch_c_function(function);
    bool overlap = called == sketches_roaring_overlaps;
    KnownSet a, b;

    if ((!roaring_is_integer(left) && !roaring_known_set(root, left, function, &a)) ||
        (!roaring_is_integer(right) && !roaring_known_set(root, right, function, &b)))
        return 0;
    if (roaring_is_integer(left))
        return integer_and_set(root, function, left, &b);
    if (roaring_is_integer(right))
        return integer_and_set(root, function, right, &a);
    if (overlap || called == sketches_roaring_contains_set)
        return two_sets(overlap, &a, &b);
    return called == sketches_roaring_contained_set ? two_sets(false, &b, &a) : UNKNOWN_SELECTIVITY;
}

double
roaring_selectivity(PlannerInfo *root, Oid function, List *args)
{
    MemoryContext old, context;
    double selectivity;

    if (list_length(args) != 2)
        return UNKNOWN_SELECTIVITY;
    /* Sets that had to be fetched are freed at once. */
    context = AllocSetContextCreate(CurrentMemoryContext, "selectivity", ALLOCSET_DEFAULT_SIZES);
    old = MemoryContextSwitchTo(context);
    selectivity = selectivity_of(root, function, linitial(args), lsecond(args));
    MemoryContextSwitchTo(old);
    MemoryContextDelete(context);
    return sketch_probability(selectivity);
}

PG_FUNCTION_INFO_V1(sketches_roaring_sel);
Datum
sketches_roaring_sel(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);

    PG_RETURN_FLOAT8(
        roaring_selectivity(root, get_opcode(PG_GETARG_OID(1)), (List *)PG_GETARG_POINTER(2)));
}

/* For a semijoin or antijoin: the share of the rows that match any row of the other side. */
PG_FUNCTION_INFO_V1(sketches_roaring_joinsel);
Datum
sketches_roaring_joinsel(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
    JoinType type = (JoinType)PG_GETARG_INT16(3);
    const SpecialJoinInfo *join = (SpecialJoinInfo *)PG_GETARG_POINTER(4);
    double selectivity =
        roaring_selectivity(root, get_opcode(PG_GETARG_OID(1)), (List *)PG_GETARG_POINTER(2));
    RelOptInfo *others;
    int relid;

    if (type != JOIN_SEMI && type != JOIN_ANTI)
        PG_RETURN_FLOAT8(selectivity);
    others = find_join_rel(root, join->min_righthand);
    /* Not by find_base_rel, which raises where it is an outer join or was removed. */
    if (others == NULL && bms_get_singleton_member(join->min_righthand, &relid) &&
        relid < root->simple_rel_array_size)
        others = root->simple_rel_array[relid];
    if (others)
        selectivity = -expm1(Max(others->rows, 1) * log1p(-Min(selectivity, 1 - 1e-10)));
    PG_RETURN_FLOAT8(selectivity);
}
