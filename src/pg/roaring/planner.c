/*
 * planner.c - the support function, which tells the planner how to search by a set.
 *
 * SQL object served: _roaring_support, for both types. The planner calls it for calls of the
 * functions that name it as their SUPPORT, and for the operators of these functions.
 *
 *     column <@ set, set @> column
 *
 * with an integer column can use a btree or BRIN index of the column:
 *
 *     column = ANY ('{...}')                        a set of at most INDEX_VALUES values; btree
 *     column >= least AND column <= greatest        a larger one; rows are checked by the set
 *
 * Values that the column's type cannot have are left out. Whether the index is worth it the planner
 * finds by the statistics of the column: the range of a large scattered set is most of the table.
 *
 * For a set that is not a constant the conditions have calls in place of values, which run when the
 * scan begins: of a stable expression by the value that it has when the query is planned, of a
 * column of sets, as in a join or a scalar subquery, by the column's statistics. There only small
 * sets get a condition, and none if the largest set that ANALYZE has seen is large.
 */
#include "selectivity.h"

#include "access/stratnum.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define INDEX_VALUES 10000 /* a descent and an estimate each */

/* ---- index conditions ---- */

/* The condition that is wanted: a column of integers, an index of it, a set. */
typedef struct Search {
    SupportRequestIndexCondition *request;
    Node *column, *set;
    Oid type; /* of the column */
    int64 least, greatest;
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
        search->greatest = PG_INT16_MAX;
        return true;
    case INT4OID:
        search->greatest = PG_INT32_MAX;
        return true;
    case INT8OID:
        search->greatest = PG_INT64_MAX;
        return true;
    default:
        return false;
    }
}

/*
 * The operator of the index for `column = other` and the like, of the column's type and `type`. An
 * operator class of somebody else may have another order: only the server's operators are taken.
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

/* column = ANY (array) */
static List *
any_condition(const Search *search, Oid type, Node *array)
{
    Oid operator= comparison(search, BTEqualStrategyNumber, type);
    ScalarArrayOpExpr *condition = makeNode(ScalarArrayOpExpr);

    if (!OidIsValid(operator) || !search->request->index->amsearcharray)
        return NIL;
    condition->opno = operator;
    condition->opfuncid = get_opcode(operator);
    condition->useOr = true;
    condition->args = list_make2(copyObject(search->column), array);
    condition->location = -1;
    search->request->lossy = false;
    return list_make1(condition);
}

/* column >= least AND column <= greatest */
static List *
range_condition(const Search *search, Oid type, Node *least, Node *greatest)
{
    Oid from = comparison(search, BTGreaterEqualStrategyNumber, type);
    Oid to = comparison(search, BTLessEqualStrategyNumber, type);

    if (!OidIsValid(from) || !OidIsValid(to))
        return NIL;
    search->request->lossy = true;
    return list_make2(make_opclause(from, BOOLOID, false, copyObject((Expr *)search->column),
                                    (Expr *)least, InvalidOid, InvalidOid),
                      make_opclause(to, BOOLOID, false, copyObject((Expr *)search->column),
                                    (Expr *)greatest, InvalidOid, InvalidOid));
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

static List *
constant_conditions(const Search *search, SketchBytes set)
{
    uint64 count = roaring_rank(set, (uint64)search->greatest, &sketch_memory), least, last;
    List *conditions = NIL;

    if (count <= INDEX_VALUES)
        conditions = any_condition(search, search->type, array_constant(search, set, (int)count));
    if (conditions == NIL && count > 0 && roaring_select(set, 0, &sketch_memory, &least) &&
        roaring_select(set, count - 1, &sketch_memory, &last)) {
        conditions = range_condition(search, search->type, integer_constant(search->type, least),
                                     integer_constant(search->type, last));
        search->request->lossy = last - least + 1 != count;
    }
    return conditions;
}

/* A call of roaring_to_array and the like with the set; NULL if there is no such function. */
static Node *
call_with_set(const Search *search, const char *name, Oid result)
{
    Oid type = exprType(search->set);
    char *called = get_func_name(search->request->funcid);
    Oid function;

    if (called == NULL || strchr(called, '_') == NULL)
        return NULL;
    *strchr(called, '_') = '\0';
    function =
        sketch_function_beside(search->request->funcid, psprintf("%s_%s", called, name), &type, 1);
    if (!OidIsValid(function))
        return NULL;
    return (Node *)makeFuncExpr(function, result, list_make1(copyObject(search->set)), InvalidOid,
                                InvalidOid, COERCE_EXPLICIT_CALL);
}

static List *
late_conditions(const Search *search, const KnownSet *known)
{
    double rows = search->request->index->rel->tuples;
    Node *array, *least, *greatest;

    if (!known->estimated)
        return NIL;
    if (known->largest <= INDEX_VALUES && (known->constant || known->cardinality <= rows / 10)) {
        array = call_with_set(search, "to_array", INT8ARRAYOID);
        return array ? any_condition(search, INT8OID, array) : NIL;
    }
    if (!known->constant)
        return NIL;
    least = call_with_set(search, "min", INT8OID);
    greatest = call_with_set(search, "max", INT8OID);
    return least && greatest ? range_condition(search, INT8OID, least, greatest) : NIL;
}

static List *
index_conditions(SupportRequestIndexCondition *request)
{
    Search search;
    KnownSet known;

    if ((request->index->relam != BTREE_AM_OID && request->index->relam != BRIN_AM_OID) ||
        !find_search(request, &search) ||
        !sketches_constant_for_index(request->root, search.set, request->index) ||
        !roaring_known_set(request->root, search.set, request->funcid, &known))
        return NIL;
    return IsA(search.set, Const) ? constant_conditions(&search, known.set)
                                  : late_conditions(&search, &known);
}

/* ---- rows ---- */

/* Of roaring_elements and its like. */
static bool
estimate_rows(SupportRequestRows *request)
{
    KnownSet known;

    if (!IsA(request->node, FuncExpr) ||
        !roaring_known_set(request->root, linitial(((FuncExpr *)request->node)->args),
                           request->funcid, &known) ||
        !known.estimated)
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
        PG_RETURN_POINTER(index_conditions((SupportRequestIndexCondition *)request));
    if (IsA(request, SupportRequestSelectivity)) {
        SupportRequestSelectivity *selectivity = (SupportRequestSelectivity *)request;

        selectivity->selectivity =
            roaring_selectivity(selectivity->root, selectivity->funcid, selectivity->args);
        PG_RETURN_POINTER(request);
    }
    if (IsA(request, SupportRequestRows) && estimate_rows((SupportRequestRows *)request))
        PG_RETURN_POINTER(request);
    PG_RETURN_POINTER(NULL);
}
