/*
 * planner.c - the support function, which tells the planner how to search by a set.
 *
 * SQL objects served: _roaring_support, for both types. The planner calls it for calls of the
 * functions that name it as their SUPPORT, and for the operators of these functions.
 *
 *     column <@ set, set @> column
 *
 * with an integer column can use a btree or BRIN index of the column:
 *
 *     column = ANY ('{...}')                      btree: as many searches as values
 *     column >= minimum AND column <= maximum     one search; rows are checked by the set, unless
 *                                                 the set has all numbers between
 *
 * The range is chosen
 *
 * - if the set has all numbers in it;
 * - if the column's statistics expect in it at most MAX_RANGE_ROWS_PER_VALUE rows for each row of
 *   the set;
 * - if the set has too many values to list: the planner makes an estimate for each, which takes
 *   .7 us and 250 bytes, and should take a small part of what reading the table takes. If such a
 *   set is scattered over the table, the range costs more than reading the table, and the planner
 *   takes neither.
 *
 * Values that the column's type cannot have are left out.
 *
 * If the set is not a constant, calls that run when the scan begins stand in place of the values.
 * A stable expression is judged by the value that it has when the query is planned. A set from a
 * column, of another table or by a scalar subquery, is judged by the statistics of that column.
 * It becomes = ANY if the array of the largest set that ANALYZE has seen fits into work_mem. If a
 * set has grown since, the scan is slower and its array larger, up to an error at 1 GB.
 *
 * If there are several sets for one column, only the first becomes = ANY: with two such
 * conditions an index scan runs once for each pair of values. Before PostgreSQL 17, = ANY for a
 * later column of an index also costs the scan its order, so there is none where the query may
 * use the order.
 *
 * For a call in = ANY the planner charges 10 searches, whatever the call returns. So the cost of
 * the other searches is charged for the call:
 *
 *     column = ANY (_roaring_to_array_at_cost(set, cost))
 *
 * The call ignores the cost. It is marked as a cast, so that EXPLAIN prints (set)::bigint[].
 */
#include "selectivity.h"
#include "pg/shared/planner.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/spccache.h"

/* The choice between values and a range. */
#define MAX_RANGE_ROWS_PER_VALUE 2
#define PROBE_WITHOUT_STATISTICS 100 /* values that are searched for one by one in any case */
#define MIN_ROWS_PER_VALUE 16        /* rows of the table for each value of an array */
#define MAX_ARRAY_VALUES 500000      /* 125 MB of the planner's memory */
#define ARRAY_BYTES_PER_VALUE 16     /* with the copy that the scan sorts */

/* Costs. */
#define CACHED_SET_VALUES 65536         /* a larger set is not in the processor's caches */
#define OPERATORS_PER_UNCACHED_PROBE 20 /* a search in it costs as many; in others 10 */
#define OPERATORS_PER_PAGE 50           /* reading a page of an index, as in selfuncs.c */
#define ASSUMED_ARRAY_VALUES 10         /* that the planner assumes of an array it does not know */

/* ---- searches ---- */

/* The condition to build: a column of integers, an index of it, a set. */
typedef struct Search {
    SupportRequestIndexCondition *request;
    Node *column, *set;
    Oid type;      /* of the column */
    int64 maximum; /* of the type */
} Search;

static bool
find_search(SupportRequestIndexCondition *request, Search *search)
{
    Node *node = request->node;
    List *args = is_opclause(node)     ? ((OpExpr *)node)->args
                 : is_funcclause(node) ? ((FuncExpr *)node)->args
                                       : NIL;

    if (list_length(args) != 2)
        return false;
    *search = (Search){.request = request,
                       .column = list_nth(args, request->indexarg),
                       .set = list_nth(args, 1 - request->indexarg),
                       .type = request->index->opcintype[request->indexcol]};
    switch (search->type) {
    case INT2OID:
        search->maximum = PG_INT16_MAX;
        return true;
    case INT4OID:
        search->maximum = PG_INT32_MAX;
        return true;
    case INT8OID:
        search->maximum = PG_INT64_MAX;
        return true;
    default:
        return false;
    }
}

/*
 * Returns the operator of the index that compares the column's type with `type`. An operator
 * class of somebody else may have another order: only the server's operators are returned.
 */
static Oid
comparison(const Search *search, StrategyNumber strategy, Oid type)
{
    static const struct {
        Oid column, other;
        RegProcedure equal, at_least, at_most;
    } known[] = {
        {INT2OID, INT2OID, F_INT2EQ, F_INT2GE, F_INT2LE},
        {INT4OID, INT4OID, F_INT4EQ, F_INT4GE, F_INT4LE},
        {INT8OID, INT8OID, F_INT8EQ, F_INT8GE, F_INT8LE},
        {INT2OID, INT8OID, F_INT28EQ, F_INT28GE, F_INT28LE},
        {INT4OID, INT8OID, F_INT48EQ, F_INT48GE, F_INT48LE},
    };
    Oid operator= get_opfamily_member(search->request->opfamily, search->type, type, strategy);

    for (unsigned i = 0; OidIsValid(operator) && i < lengthof(known); i++) {
        RegProcedure function = strategy == BTEqualStrategyNumber          ? known[i].equal
                                : strategy == BTGreaterEqualStrategyNumber ? known[i].at_least
                                                                           : known[i].at_most;

        if (known[i].column == search->type && known[i].other == type)
            return get_opcode(operator) == function ? operator: InvalidOid;
    }
    return InvalidOid;
}

/* ---- whether = ANY may be used ---- */

/* Returns the arguments of a clause that is = ANY or may become it; else NIL. */
static List *
search_args(const Search *search, Node *clause)
{
    Oid support = get_func_support(search->request->funcid);

    if (IsA(clause, ScalarArrayOpExpr))
        return ((ScalarArrayOpExpr *)clause)->args;
    if (is_opclause(clause) && get_func_support(get_opcode(((OpExpr *)clause)->opno)) == support)
        return ((OpExpr *)clause)->args;
    if (is_funcclause(clause) && get_func_support(((FuncExpr *)clause)->funcid) == support)
        return ((FuncExpr *)clause)->args;
    return NIL;
}

/*
 * Looks through clauses that hold together: for this search, and for another search of its column,
 * which is an earlier one by a set, or one by an array of the query anywhere.
 */
static void
find_searches(const Search *search, List *clauses, bool *this, bool *other)
{
    ListCell *cell, *arm;

    foreach (cell, clauses) {
        Node *clause = lfirst(cell);
        List *args;

        if (IsA(clause, RestrictInfo)) {
            RestrictInfo *info = (RestrictInfo *)clause;

            clause = info->orclause ? (Node *)info->orclause : (Node *)info->clause;
        }
        if (clause == search->request->node) {
            *this = true;
            continue;
        }
        /* An arm of an OR holds together with the other clauses. */
        if (is_orclause(clause))
            foreach (arm, ((BoolExpr *)clause)->args) {
                Node *held = lfirst(arm);
                bool this_in_arm = false, other_in_arm = false;

                find_searches(search,
                              is_andclause(held) ? ((BoolExpr *)held)->args : list_make1(held),
                              &this_in_arm, &other_in_arm);
                *this |= this_in_arm;
                *other |= this_in_arm && other_in_arm;
            }
        args = *this && !IsA(clause, ScalarArrayOpExpr) ? NIL : search_args(search, clause);
        if (list_length(args) == 2 &&
            (equal(linitial(args), search->column) || equal(lsecond(args), search->column)))
            *other = true;
    }
}

/* Returns true if a condition makes all rows that the scan finds equal in a column of the index. */
static bool
is_equated(const Search *search, int column)
{
    IndexOptInfo *index = search->request->index;
    ListCell *cell;

    foreach (cell, index->rel->baserestrictinfo) {
        RestrictInfo *info = lfirst_node(RestrictInfo, cell);
        OpExpr *equality = (OpExpr *)info->clause;

        if (is_opclause(info->clause) && list_length(equality->args) == 2 &&
            get_op_opfamily_strategy(equality->opno, index->opfamily[column]) ==
                BTEqualStrategyNumber &&
            (!OidIsValid(index->indexcollations[column]) ||
             index->indexcollations[column] == equality->inputcollid) &&
            restriction_is_securely_promotable(info, index->rel))
            for (int i = 0; i < 2; i++)
                if (match_index_to_operand(list_nth(equality->args, i), column, index) &&
                    is_pseudo_constant_for_index(search->request->root,
                                                 list_nth(equality->args, 1 - i), index))
                    return true;
    }
    return false;
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

/* Returns true if rows come in the order that the planner expects, or none is needed. */
static bool
order_is_kept(const Search *search)
{
    SupportRequestIndexCondition *request = search->request;

    if (SKETCHES_ARRAYS_KEEP_ORDER || !order_is_useful(request->root, request->index))
        return true;
    for (int column = 0; column < request->indexcol; column++)
        if (!is_equated(search, column))
            return false;
    return true;
}

static bool
may_search_values(const Search *search)
{
    RelOptInfo *table = search->request->index->rel;
    bool this = false, other = false;

    if (!search->request->index->amsearcharray || !order_is_kept(search))
        return false;
    find_searches(search, table->baserestrictinfo, &this, &other);
    find_searches(search, table->joininfo, &this, &other);
    return !other;
}

/* ---- conditions ---- */

/* column = ANY (array) */
static List *
any_condition(const Search *search, Oid type, Node *array)
{
    Oid operator= comparison(search, BTEqualStrategyNumber, type);
    ScalarArrayOpExpr *condition = makeNode(ScalarArrayOpExpr);

    if (!OidIsValid(operator) || array == NULL)
        return NIL;
    condition->opno = operator;
    condition->opfuncid = get_opcode(operator);
    condition->useOr = true;
    condition->args = list_make2(copyObject(search->column), array);
    condition->location = -1;
    return list_make1(condition);
}

/* column >= minimum AND column <= maximum */
static List *
range_condition(const Search *search, Oid type, Node *minimum, Node *maximum)
{
    Oid from = comparison(search, BTGreaterEqualStrategyNumber, type);
    Oid to = comparison(search, BTLessEqualStrategyNumber, type);

    if (!OidIsValid(from) || !OidIsValid(to) || minimum == NULL || maximum == NULL)
        return NIL;
    return list_make2(make_opclause(from, BOOLOID, false, copyObject((Expr *)search->column),
                                    (Expr *)minimum, InvalidOid, InvalidOid),
                      make_opclause(to, BOOLOID, false, copyObject((Expr *)search->column),
                                    (Expr *)maximum, InvalidOid, InvalidOid));
}

static Datum
integer_datum(Oid type, uint64 value)
{
    return type == INT2OID   ? Int16GetDatum((int16)value)
           : type == INT4OID ? Int32GetDatum((int32)value)
                             : Int64GetDatum((int64)value);
}

static Node *
integer_constant(Oid type, uint64 value)
{
    int16 length = get_typlen(type);

    return (Node *)makeConst(type, -1, InvalidOid, length, integer_datum(type, value), false, true);
}

/* The first `count` values of a set as an array. */
static Node *
array_constant(const Search *search, SketchBytes set, int count)
{
    uint64 *values = palloc(Max(count, 1) * sizeof *values);
    Datum *datums = palloc(Max(count, 1) * sizeof *datums);
    ArrayType *array;
    int16 length;
    bool by_value;
    char alignment;

    if (roaring_sample(set, 0, 1, values, (size_t)count, &sketch_memory) != (size_t)count)
        sketch_raise_damaged();
    for (int i = 0; i < count; i++)
        datums[i] = integer_datum(search->type, values[i]);
    get_typlenbyvalalign(search->type, &length, &by_value, &alignment);
    array = construct_array(datums, count, search->type, length, by_value, alignment);
    return (Node *)makeConst(get_array_type(search->type), -1, InvalidOid, -1,
                             PointerGetDatum(array), false, false);
}

/* A call with the set, and `cost` if not NULL; NULL if there is no such function. */
static Node *
call_with_set(const Search *search, PGFunction called, Oid result, Node *cost)
{
    Oid types[] = {exprType(search->set), FLOAT8OID};
    List *args = list_make1(copyObject(search->set));
    Oid function;

    if (cost)
        args = lappend(args, cost);
    function = sketch_supported_function(search->request->funcid, called, types, list_length(args));
    if (!OidIsValid(function))
        return NULL;
    return (Node *)makeFuncExpr(function, result, args, InvalidOid, InvalidOid,
                                cost ? COERCE_EXPLICIT_CAST : COERCE_EXPLICIT_CALL);
}

/*
 * Estimates the cost of searching for `values` one by one, but for the few that the planner
 * charges itself: a descent for each, the pages read of index and table, and the rows found. As
 * in a bitmap scan, a page is the cheaper the larger the part of the table that is read.
 */
static double
search_cost(const Search *search, double values)
{
    PlannerInfo *root = search->request->root;
    IndexOptInfo *index = search->request->index;
    RelOptInfo *table = index->rel;
    double rows = table->tuples * roaring_selectivity(root, search->request->funcid,
                                                      list_make2(search->column, search->set));
    double descent = log2(Max(index->tuples, 1)) + OPERATORS_PER_PAGE * (index->tree_height + 1);
    double leaves = index_pages_fetched(values, index->pages, index->pages, root);
    double pages = index_pages_fetched(rows, table->pages, index->pages, root);
    double random_page, next_page, page;

    get_tablespace_page_costs(table->reltablespace, &random_page, &next_page);
    page = random_page;
    if (pages <= table->pages)
        page -= (random_page - next_page) * sqrt(pages / Max(table->pages, 1));
    return Max(1 - ASSUMED_ARRAY_VALUES / values, 0) *
           (values * descent * cpu_operator_cost + leaves * random_page + pages * page +
            rows * (cpu_index_tuple_cost + cpu_tuple_cost));
}

/* column = ANY (the array of a set of some number of values, made when the scan begins) */
static List *
any_call_condition(const Search *search, double values)
{
    Node *cost = (Node *)makeConst(FLOAT8OID, -1, InvalidOid, 8,
                                   Float8GetDatum(search_cost(search, Max(values, 1))), false,
                                   FLOAT8PASSBYVAL);

    return any_condition(search, INT8OID,
                         call_with_set(search, sketches_roaring_to_array, INT8ARRAYOID, cost));
}

/* Returns the share of the rows that the range has. */
static double
range_selectivity(const Search *search, List *range)
{
    return clauselist_selectivity(search->request->root, range,
                                  (int)search->request->index->rel->relid, JOIN_INNER, NULL);
}

static bool
is_close_together(const Search *search, const KnownSet *known, List *range)
{
    return known->cardinality > PROBE_WITHOUT_STATISTICS &&
           range_selectivity(search, range) <=
               MAX_RANGE_ROWS_PER_VALUE *
                   roaring_selectivity(search->request->root, search->request->funcid,
                                       list_make2(search->column, search->set));
}

static bool
are_few(const Search *search, double values)
{
    double rows = search->request->index->rel->tuples;

    return values <= PROBE_WITHOUT_STATISTICS ||
           values <= Min(rows / MIN_ROWS_PER_VALUE, MAX_ARRAY_VALUES);
}

/* Conditions for a set that is known now; `count` of its values fit into the column's type. */
static List *
known_conditions(const Search *search, const KnownSet *known)
{
    bool is_const = IsA(search->set, Const);
    uint64 count, first = 0, last = 0;
    List *range = NIL, *any = NIL;
    bool whole;

    if (!roaring_rank(known->set, (uint64)search->maximum, &sketch_memory, &count))
        sketch_raise_damaged();
    if (count > 0 && (!roaring_select(known->set, 0, &sketch_memory, &first) ||
                      !roaring_select(known->set, count - 1, &sketch_memory, &last)))
        sketch_raise_damaged();
    whole = is_const && count > 1 && last - first + 1 == count;
    if (count > 0)
        range = is_const
                    ? range_condition(search, search->type, integer_constant(search->type, first),
                                      integer_constant(search->type, last))
                    : range_condition(search, INT8OID,
                                      call_with_set(search, sketches_roaring_min, INT8OID, NULL),
                                      call_with_set(search, sketches_roaring_max, INT8OID, NULL));
    if ((range == NIL || !(whole || is_close_together(search, known, range))) &&
        may_search_values(search) && are_few(search, (double)count))
        any = is_const ? any_condition(search, search->type,
                                       array_constant(search, known->set, (int)count))
                       : any_call_condition(search, (double)count);
    search->request->lossy = any == NIL && !whole;
    return any != NIL ? any : range;
}

/* Conditions for a set from a column with statistics. */
static List *
unknown_conditions(const Search *search, const KnownSet *known)
{
    if (!known->from_column || known->largest * ARRAY_BYTES_PER_VALUE > work_mem * 1024.0 ||
        !may_search_values(search))
        return NIL;
    search->request->lossy = false;
    return any_call_condition(search, known->cardinality);
}

static List *
index_conditions(SupportRequestIndexCondition *request)
{
    Search search;
    KnownSet known;

    if ((request->index->relam != BTREE_AM_OID && request->index->relam != BRIN_AM_OID) ||
        !find_search(request, &search) ||
        !is_pseudo_constant_for_index(request->root, search.set, request->index) ||
        !roaring_known_set(request->root, search.set, request->funcid, &known))
        return NIL;
    return known.constant ? known_conditions(&search, &known) : unknown_conditions(&search, &known);
}

/* Copies the conditions and frees the sets fetched or computed for them. */
static List *
copied_conditions(SupportRequestIndexCondition *request)
{
    MemoryContext old, context;
    List *conditions;

    context =
        AllocSetContextCreate(CurrentMemoryContext, "index conditions", ALLOCSET_DEFAULT_SIZES);
    old = MemoryContextSwitchTo(context);
    conditions = index_conditions(request);
    MemoryContextSwitchTo(old);
    conditions = copyObject(conditions);
    MemoryContextDelete(context);
    return conditions;
}

/* ---- costs ---- */

/*
 * Estimates a search for one value: in a large set each step of it waits for memory. Only
 * constants are looked at, since the planner asks often. _roaring_to_array_at_cost has its cost
 * as an argument.
 */
static bool
estimate_cost(SupportRequestCost *request)
{
    List *args = request->node == NULL          ? NIL
                 : is_opclause(request->node)   ? ((OpExpr *)request->node)->args
                 : IsA(request->node, FuncExpr) ? ((FuncExpr *)request->node)->args
                                                : NIL;
    Const *set;

    if (list_length(args) != 2)
        return false;
    request->startup = 0;
    if (IsA(lsecond(args), Const) && ((Const *)lsecond(args))->consttype == FLOAT8OID) {
        request->per_tuple = DatumGetFloat8(((Const *)lsecond(args))->constvalue);
        return !((Const *)lsecond(args))->constisnull;
    }
    set = roaring_is_integer(linitial(args)) ? lsecond(args) : linitial(args);
    if (roaring_is_integer(linitial(args)) == roaring_is_integer(lsecond(args)) ||
        !IsA(set, Const) || set->constisnull ||
        roaring_cardinality(sketch_value_header(set->constvalue), &sketch_memory) <
            CACHED_SET_VALUES)
        return false;
    request->per_tuple = OPERATORS_PER_UNCACHED_PROBE * cpu_operator_cost;
    return true;
}

/* ---- rows ---- */

/* Estimates the rows of roaring_elements and its relatives. */
static bool
estimate_rows(SupportRequestRows *request)
{
    KnownSet known;

    if (!IsA(request->node, FuncExpr) ||
        !roaring_known_set(request->root, linitial(((FuncExpr *)request->node)->args),
                           request->funcid, &known) ||
        !(known.constant || known.from_column))
        return false;
    request->rows = Max(known.cardinality, 1);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_roaring_support);
Datum
sketches_roaring_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (IsA(request, SupportRequestIndexCondition))
        PG_RETURN_POINTER(copied_conditions((SupportRequestIndexCondition *)request));
    if (IsA(request, SupportRequestSelectivity)) {
        SupportRequestSelectivity *selectivity = (SupportRequestSelectivity *)request;

        selectivity->selectivity =
            roaring_selectivity(selectivity->root, selectivity->funcid, selectivity->args);
        PG_RETURN_POINTER(request);
    }
    if (IsA(request, SupportRequestCost) && estimate_cost((SupportRequestCost *)request))
        PG_RETURN_POINTER(request);
    if (IsA(request, SupportRequestRows) && estimate_rows((SupportRequestRows *)request))
        PG_RETURN_POINTER(request);
    PG_RETURN_POINTER(NULL);
}
