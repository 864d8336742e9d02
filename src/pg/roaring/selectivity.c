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
 * expression or parameter that has a value when the query is planned. Otherwise a set that comes
 * from a column, of another table or by a scalar subquery, has the column's average cardinality.
 * Of any other set nothing is known; as before a thousandth of the rows is expected.
 */
#include "selectivity.h"
#include "value_distribution.h"
#include "pg/shared/planner.h"

#include <math.h>

#include "catalog/pg_statistic.h"
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

/* The subquery whose one result a parameter is, and its planner; NULL if it is none. */
static Node *
scalar_subquery(PlannerInfo *root, Param *param, PlannerInfo **subroot)
{
    for (; root; root = root->parent_root) {
        ListCell *cell;

        foreach (cell, root->init_plans) {
            SubPlan *plan = lfirst(cell);

            if (list_length(plan->setParam) != 1 || linitial_int(plan->setParam) != param->paramid)
                continue;
            *subroot = list_nth(root->glob->subroots, plan->plan_id - 1);
            return (Node *)((TargetEntry *)linitial((*subroot)->parse->targetList))->expr;
        }
    }
    return NULL;
}

/* The statistics of an expression, or of the column that a scalar subquery takes it from. */
static void
examine(PlannerInfo *root, Node *expression, VariableStatData *variable)
{
    PlannerInfo *subroot = root;
    Node *origin = NULL;

    if (IsA(expression, Param) && ((Param *)expression)->paramkind == PARAM_EXEC)
        origin = scalar_subquery(root, (Param *)expression, &subroot);
    examine_variable(subroot, origin ? origin : expression, 0, variable);
}

/* The least, the quantiles and the greatest of the cardinalities in a column, then the average. */
static bool
cardinalities(VariableStatData *variable, AttStatsSlot *slot)
{
    return HeapTupleIsValid(variable->statsTuple) &&
           get_attstatsslot(slot, variable->statsTuple, STATISTIC_KIND_DECHIST, InvalidOid,
                            ATTSTATSSLOT_NUMBERS);
}

bool
roaring_known_set(PlannerInfo *root, Node *expression, Oid function, KnownSet *known)
{
    VariableStatData variable;
    AttStatsSlot slot;

    *known = (KnownSet){.constant = false};
    if (root)
        expression = estimate_expression_value(root, expression);
    if (IsA(expression, Const)) {
        if (((Const *)expression)->constisnull)
            return false;
        known->constant = known->estimated = true;
        known->set = sketch_pack(sketch_value(((Const *)expression)->constvalue));
        known->cardinality = known->largest =
            (double)roaring_cardinality(known->set, &sketch_memory);
        return true;
    }
    if (root == NULL)
        return true;
    examine(root, expression, &variable);
    if (cardinalities(&variable, &slot)) {
        if (statistic_proc_security_check(&variable, function) && slot.nnumbers >= 2) {
            known->estimated = true;
            known->cardinality = slot.numbers[slot.nnumbers - 1];
            known->largest = slot.numbers[slot.nnumbers - 2];
        }
        free_attstatsslot(&slot);
    }
    ReleaseVariableStats(variable);
    return true;
}

/* ---- an integer and a set ---- */

static double
integer_in_known_set(PlannerInfo *root, Oid function, Node *value, const KnownSet *known)
{
    VariableStatData variable;
    Distribution distribution;
    double selectivity = UNKNOWN_SELECTIVITY;
    Matches matches;

    examine(root, value, &variable);
    distribution = roaring_integer_distribution(&variable, function);
    if (!known->constant)
        selectivity = (1 - distribution.nulls) * known->cardinality /
                      Max(distribution.distinct + distribution.commons, known->cardinality);
    else if (roaring_matches(&distribution, known->set, &matches))
        selectivity = matches.sum;
    ReleaseVariableStats(variable);
    return selectivity;
}

/* Both may be columns; the set's statistics come second, because a column of them is rarer. */
static double
integer_and_set(PlannerInfo *root, Oid function, Node *value, Node *set)
{
    VariableStatData variable;
    Distribution distribution;
    double selectivity = UNKNOWN_SELECTIVITY;
    KnownSet known;

    value = estimate_expression_value(root, value);
    if (!roaring_known_set(root, set, function, &known) ||
        (IsA(value, Const) && ((Const *)value)->constisnull))
        return 0;
    if (known.estimated && !IsA(value, Const))
        return integer_in_known_set(root, function, value, &known);
    examine(root, set, &variable);
    if (roaring_element_distribution(&variable, function, &distribution))
        selectivity =
            IsA(value, Const)
                ? roaring_frequency(&distribution, DatumGetInt64(((Const *)value)->constvalue))
                : distribution.cardinality / (distribution.distinct + distribution.commons);
    ReleaseVariableStats(variable);
    return selectivity;
}

/* ---- two sets ---- */

typedef enum Question { CONTAINS, CONTAINED, OVERLAPS, UNKNOWN } Question;

static Question
question_of(Oid function)
{
    PGFunction called = sketch_c_function(function);

    return called == sketches_roaring_contains_set    ? CONTAINS
           : called == sketches_roaring_contained_set ? CONTAINED
           : called == sketches_roaring_overlaps      ? OVERLAPS
                                                      : UNKNOWN;
}

static Question
commuted(Question question)
{
    return question == CONTAINS ? CONTAINED : question == CONTAINED ? CONTAINS : question;
}

/* The average of p^cardinality over the sets of a column. */
static double
all_within(VariableStatData *variable, double p)
{
    AttStatsSlot slot;
    double sum = 0;
    int count;

    if (!cardinalities(variable, &slot))
        return UNKNOWN_SELECTIVITY;
    count = slot.nnumbers - 1;
    for (int i = 0; i < count; i++)
        sum += pow(p, slot.numbers[i]);
    free_attstatsslot(&slot);
    return count > 0 ? sum / count : UNKNOWN_SELECTIVITY;
}

/* A column of sets and a known set. */
static double
column_and_set(VariableStatData *variable, const Distribution *column, Question question,
               SketchBytes set)
{
    /* Frequencies are those among all rows: a row that is not NULL has an element more often. */
    const double present = Max(1 - column->nulls, 1e-10);
    Matches matches;

    if (!roaring_matches(column, set, &matches))
        return UNKNOWN_SELECTIVITY;
    if (question == OVERLAPS)
        return Min(1 - matches.none, present);
    if (question == CONTAINS) {
        double elements = (double)roaring_cardinality(set, &sketch_memory);

        return present * exp(Min(matches.logarithms - elements * log(present), 0));
    }
    return present * all_within(variable, Min(matches.sum / Max(column->cardinality, 1e-10), 1));
}

/* The sum over all values of the product of their frequencies: how many two sets share. */
static double
expected_common(const Distribution *a, const Distribution *b)
{
    double common = 0;

    for (int i = 0; i < a->commons; i++)
        common += a->frequency[i] * roaring_frequency(b, a->common[i]);
    for (int i = 0; i < b->commons; i++)
        if (!roaring_is_common(a, b->common[i]))
            common += b->frequency[i] * roaring_frequency(a, b->common[i]);
    if (a->bins == 0 || b->bins == 0)
        return common + a->rest * b->rest / Max(a->distinct, b->distinct);
    for (int i = 0; i < a->bins; i++) {
        uint64 middle = a->bounds[i] + (a->bounds[i + 1] - a->bounds[i]) / 2;

        if (!roaring_is_common(b, (int64)middle))
            common += a->rest / a->bins * roaring_frequency(b, (int64)middle);
    }
    return common;
}

/* Two columns of sets. */
static double
two_columns(const Distribution *a, const Distribution *b, Question question)
{
    const double present = Max((1 - a->nulls) * (1 - b->nulls), 1e-10);
    const Distribution *container = question == CONTAINS ? a : b;
    const Distribution *contained = question == CONTAINS ? b : a;
    /* Common elements of two sets that are not NULL, and elements of the contained one. */
    double common = expected_common(a, b) / present;
    double elements = contained->cardinality / Max(1 - contained->nulls, 1e-10);

    if (question == OVERLAPS)
        return present * -expm1(-common);
    return container->cardinality > 0
               ? present * pow(Min(common / Max(elements, 1e-10), 1), elements)
               : 0;
}

static double
two_sets(PlannerInfo *root, Oid function, Node *left, Node *right)
{
    Question question = question_of(function);
    VariableStatData a, b;
    Distribution left_column, right_column;
    KnownSet left_set, right_set;
    bool left_known, right_known;
    double selectivity = UNKNOWN_SELECTIVITY;

    if (question == UNKNOWN)
        return UNKNOWN_SELECTIVITY;
    if (!roaring_known_set(root, left, function, &left_set) ||
        !roaring_known_set(root, right, function, &right_set))
        return 0;
    examine(root, left, &a);
    examine(root, right, &b);
    left_known = roaring_element_distribution(&a, function, &left_column);
    right_known = roaring_element_distribution(&b, function, &right_column);
    if (left_known && right_set.constant)
        selectivity = column_and_set(&a, &left_column, question, right_set.set);
    else if (right_known && left_set.constant)
        selectivity = column_and_set(&b, &right_column, commuted(question), left_set.set);
    else if (left_known && right_known)
        selectivity = two_columns(&left_column, &right_column, question);
    ReleaseVariableStats(a);
    ReleaseVariableStats(b);
    return selectivity;
}

/* ---- what the planner calls ---- */

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
    if (roaring_is_integer(linitial(args)))
        selectivity = integer_and_set(root, function, linitial(args), lsecond(args));
    else if (roaring_is_integer(lsecond(args)))
        selectivity = integer_and_set(root, function, lsecond(args), linitial(args));
    else
        selectivity = two_sets(root, function, linitial(args), lsecond(args));
    MemoryContextSwitchTo(old);
    MemoryContextDelete(context);
    return sketch_probability(selectivity);
}

/*
 * In a semijoin or antijoin: the fraction of the rows that have a partner among `others`, of which
 * each is one with probability `selectivity`.
 */
static double
any_partner(PlannerInfo *root, const SpecialJoinInfo *join, double selectivity)
{
    RelOptInfo *others = find_join_rel(root, join->min_righthand);
    int relid;

    /* Not by find_base_rel, which raises where it is an outer join or was removed. */
    if (others == NULL && bms_get_singleton_member(join->min_righthand, &relid) &&
        relid < root->simple_rel_array_size)
        others = root->simple_rel_array[relid];
    return others ? -expm1(Max(others->rows, 1) * log1p(-Min(selectivity, 1 - 1e-10)))
                  : selectivity;
}

PG_FUNCTION_INFO_V1(sketches_roaring_sel);
Datum
sketches_roaring_sel(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);

    PG_RETURN_FLOAT8(
        roaring_selectivity(root, get_opcode(PG_GETARG_OID(1)), (List *)PG_GETARG_POINTER(2)));
}

PG_FUNCTION_INFO_V1(sketches_roaring_joinsel);
Datum
sketches_roaring_joinsel(PG_FUNCTION_ARGS)
{
    PlannerInfo *root = (PlannerInfo *)PG_GETARG_POINTER(0);
    JoinType type = (JoinType)PG_GETARG_INT16(3);
    double selectivity =
        roaring_selectivity(root, get_opcode(PG_GETARG_OID(1)), (List *)PG_GETARG_POINTER(2));

    if (type == JOIN_SEMI || type == JOIN_ANTI)
        selectivity = any_partner(root, (SpecialJoinInfo *)PG_GETARG_POINTER(4), selectivity);
    PG_RETURN_FLOAT8(selectivity);
}
