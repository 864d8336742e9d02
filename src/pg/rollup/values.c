/*
 * values.c - what is known of the values of an expression, whatever rows it is of.
 */
#include "pg/rollup/rollup.h"

#include "access/nbtree.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

bool
rollup_is_call(Node *node, Oid *function, List **arguments)
{
    if (IsA(node, FuncExpr)) {
        *function = ((FuncExpr *)node)->funcid;
        *arguments = ((FuncExpr *)node)->args;
    } else if (IsA(node, OpExpr)) {
        *function = get_opcode(((OpExpr *)node)->opno);
        *arguments = ((OpExpr *)node)->args;
    }
    return IsA(node, FuncExpr) || IsA(node, OpExpr);
}

/* Whether a column is NOT NULL, in all tables; partitions cannot have it otherwise. */
static bool
never_null_column(AttrNumber number, List *tables)
{
    char *name = get_attname(linitial_oid(tables), number, false);
    ListCell *cell;

    foreach (cell, tables) {
        Relation table = table_open(lfirst_oid(cell), AccessShareLock);
        bool not_null =
            sketches_never_null(RelationGetDescr(table), get_attnum(lfirst_oid(cell), name));
        bool is_partitioned = table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;

        table_close(table, NoLock);
        if (!not_null || is_partitioned)
            return not_null;
    }
    return true;
}

/* Functions of PostgreSQL, and those of operators, that are NULL only if an argument is. */
static bool
is_total(Oid function)
{
    static const char names[] =
        " date_trunc date_bin timezone date timestamp timestamptz to_timestamp"
        " int2 int4 int8 float8 numeric floor ceil ceiling trunc round"
        " int2div int4div int8div int24div int42div int28div int82div int48div int84div"
        " int2mul int4mul int8mul int24mul int42mul int28mul int82mul int48mul int84mul"
        " int2pl int4pl int8pl int24pl int42pl int28pl int82pl int48pl int84pl"
        " int2mi int4mi int8mi int24mi int42mi int28mi int82mi int48mi int84mi"
        " int2mod int4mod int8mod numeric_div numeric_mul numeric_add numeric_sub numeric_mod"
        " float8div float8mul float8pl float8mi ";

    return get_func_namespace(function) == PG_CATALOG_NAMESPACE &&
           strstr(names, psprintf(" %s ", get_func_name(function)));
}

bool
rollup_never_null(Node *node, const RollupQuery *query)
{
    List *arguments;
    Oid function;
    ListCell *cell;

    switch (nodeTag(node)) {
    case T_Var:
        if (((Var *)node)->varno != 1)
            return false;
        if (query->below)
            return ((RollupColumn *)list_nth(query->below->query->columns,
                                             ((Var *)node)->varattno - 1))
                ->never_null;
        return never_null_column(((Var *)node)->varattno, query->tables);
    case T_Const:
        return !((Const *)node)->constisnull;
    case T_RelabelType:
        return rollup_never_null((Node *)((RelabelType *)node)->arg, query);
    case T_CoalesceExpr:
        return rollup_never_null(llast(((CoalesceExpr *)node)->args), query);
    default:
        if (!rollup_is_call(node, &function, &arguments))
            return false;
    }
    foreach (cell, arguments)
        if (!rollup_never_null(lfirst(cell), query) || exprType(lfirst(cell)) == JSONBOID)
            return false;
    return is_total(function);
}

static const char *
operator_of(Node *node)
{
    return node && IsA(node, OpExpr) ? get_func_name(get_opcode(((OpExpr *)node)->opno)) : "";
}

/* A constant; 0: it is none. */
static int64
integer_of(Node *node)
{
    const Const *constant = (Const *)node;

    return !IsA(node, Const) || constant->constisnull ? 0
           : constant->consttype == INT8OID           ? DatumGetInt64(constant->constvalue)
           : constant->consttype == INT4OID           ? DatumGetInt32(constant->constvalue)
                                                      : 0;
}

/* x / n * n, or x - x % n. */
static bool
is_rounded(Node *node, void *context)
{
    const char *name = operator_of(node);

    if (strncmp(name, "int", 3) == 0 && strstr(name, "div"))
        return true;
    if (strncmp(name, "int", 3) == 0 && strstr(name, "mi") &&
        strstr(operator_of(lsecond(((OpExpr *)node)->args)), "mod"))
        return true;
    return node && expression_tree_walker(node, is_rounded, context);
}

bool
rollup_is_rounded(Node *integer)
{
    return is_rounded(integer, NULL);
}

/* The constant above 0 by which an integer is divided, or of which it has the rest; 0: none. */
static int64
divisor_of(Node *node)
{
    const char *name = operator_of(node);
    bool divides = strncmp(name, "int", 3) == 0 && (strstr(name, "div") || strstr(name, "mod"));

    return divides ? Max(integer_of(llast(((OpExpr *)node)->args)), 0) : 0;
}

/*
 * PostgreSQL calls functions that are leakproof for rows that other conditions leave out; it says
 * so of few. Times fail only far from any that are in use.
 */
static bool
cannot_fail(Oid function, const List *arguments)
{
    static const char names[] = " date_trunc date_bin timezone date timestamp timestamptz ";
    ListCell *cell;

    if (get_func_leakproof(function))
        return true;
    if (get_func_namespace(function) != PG_CATALOG_NAMESPACE ||
        strstr(names, psprintf(" %s ", get_func_name(function))) == NULL)
        return false;
    foreach (cell, arguments) {
        Oid type = exprType(lfirst(cell));

        if (!IsA(lfirst(cell), Const) && type != DATEOID && type != TIMESTAMPOID &&
            type != TIMESTAMPTZOID)
            return false;
    }
    return true;
}

/* As an epoch is rounded to its hour, by x / n * n or x - x % n: the result is nearer to 0. */
static bool
is_safe_rounding(Node *node)
{
    const char *name = operator_of(node);
    List *arguments = IsA(node, OpExpr) ? ((OpExpr *)node)->args : NIL;
    int64 divisor;

    if (divisor_of(node) > 0)
        return true;
    if (strncmp(name, "int", 3) != 0 || list_length(arguments) != 2)
        return false;
    if (strstr(name, "mul")) {
        divisor =
            strstr(operator_of(linitial(arguments)), "div") ? divisor_of(linitial(arguments)) : 0;
        return integer_of(lsecond(arguments)) > 0 && integer_of(lsecond(arguments)) <= divisor;
    }
    return strstr(name, "mi") && strstr(operator_of(lsecond(arguments)), "mod") &&
           divisor_of(lsecond(arguments)) > 0 &&
           equal(linitial(arguments), linitial(((OpExpr *)lsecond(arguments))->args));
}

bool
rollup_cannot_fail(Node *node)
{
    List *arguments;
    Oid function;
    ListCell *cell;

    switch (nodeTag(node)) {
    case T_Var:
    case T_Const:
        return true;
    case T_RelabelType:
        return rollup_cannot_fail((Node *)((RelabelType *)node)->arg);
    case T_CoalesceExpr:
        arguments = ((CoalesceExpr *)node)->args;
        function = InvalidOid;
        break;
    default:
        if (!rollup_is_call(node, &function, &arguments))
            return false;
        if (is_safe_rounding(node))
            function = InvalidOid;
    }
    foreach (cell, arguments)
        if (!rollup_cannot_fail(lfirst(cell)))
            return false;
    return !OidIsValid(function) || cannot_fail(function, arguments);
}

bool
rollup_has_one_image(Oid type, Oid collation)
{
    TypeCacheEntry *entry;
    Oid of_elements, compare;

    type = getBaseType(type);
    /* Some catalogs say that these have: those of intervals until November 2023. */
    if (type == INTERVALOID || type == BPCHAROID)
        return false;
    of_elements = get_element_type(type);
    if (OidIsValid(of_elements))
        return rollup_has_one_image(of_elements, collation);
    entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
    compare = OidIsValid(entry->btree_opf)
                  ? get_opfamily_proc(entry->btree_opf, entry->btree_opintype,
                                      entry->btree_opintype, BTEQUALIMAGE_PROC)
                  : InvalidOid;
    return OidIsValid(compare) && DatumGetBool(OidFunctionCall1Coll(
                                      compare, collation, ObjectIdGetDatum(entry->btree_opintype)));
}

static bool
is_users_function(Oid function, void *context)
{
    return function >= FirstNormalObjectId;
}

static bool
calls_users_functions(Node *node, void *context)
{
    return node && (check_functions_in_node(node, is_users_function, context) ||
                    /* By its constraints. */
                    (IsA(node, CoerceToDomain) &&
                     ((CoerceToDomain *)node)->resulttype >= FirstNormalObjectId) ||
                    expression_tree_walker(node, calls_users_functions, context));
}

bool
rollup_calls_users(Node *node)
{
    return calls_users_functions(node, NULL);
}
