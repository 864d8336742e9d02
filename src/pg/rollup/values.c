/*
 * values.c - what is known of the values of an expression, whatever rows it is of.
 */
#include "pg/rollup/rollup.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

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

/* Whether a division, or what is left of it, is by a constant that cannot make it fail. */
static bool
is_safe_division(Node *node)
{
    const char *name = operator_of(node);
    Node *by = strncmp(name, "int", 3) == 0 ? llast(((OpExpr *)node)->args) : NULL;
    int64 divisor = 0;

    if (by && IsA(by, Const) && !((Const *)by)->constisnull)
        divisor = ((Const *)by)->consttype == INT8OID   ? DatumGetInt64(((Const *)by)->constvalue)
                  : ((Const *)by)->consttype == INT4OID ? DatumGetInt32(((Const *)by)->constvalue)
                                                        : 0;
    return divisor > 0 && (strstr(name, "div") || strstr(name, "mod"));
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

/* As an epoch is rounded to its hour. */
static bool
is_safe_rounding(Node *node)
{
    const char *name = operator_of(node);
    const List *arguments = IsA(node, OpExpr) ? ((OpExpr *)node)->args : NIL;

    return is_safe_division(node) ||
           (strstr(name, "mul") && is_safe_division(linitial(arguments)) &&
            IsA(llast(arguments), Const)) ||
           (strstr(name, "mi") && is_safe_division(llast(arguments)));
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
