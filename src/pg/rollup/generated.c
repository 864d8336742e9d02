/*
 * generated.c - generated columns as their expressions, where a trigger does not see their values.
 */
#include "pg/rollup/rollup.h"

#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/ruleutils.h"

typedef struct Generated {
    int source; /* its number */
    Oid table;
} Generated;

/*
 * The expression of a generated column of which a trigger does not see the value: one that is
 * virtual, or of a row that was routed to a partition of another layout. NULL: it does. The trigger
 * runs with the rights of the rollup's owner, so it must call no function of the table's owner that
 * the query does not name.
 */
static Node *
generated_by(const Var *column, const Generated *of)
{
    Relation table;
    Node *expression = NULL;

    if (column->varno != of->source || column->varlevelsup > 0 || column->varattno <= 0 ||
        get_attgenerated(of->table, column->varattno) == '\0')
        return NULL;
    table = rollup_peek(of->table);
    if (sketches_is_virtual(TupleDescAttr(RelationGetDescr(table), column->varattno - 1)) ||
        table->rd_rel->relkind == RELKIND_PARTITIONED_TABLE)
        expression = build_column_default(table, column->varattno);
    RelationClose(table);
    if (rollup_calls_users(expression))
        rollup_refuse("a generated column of a partitioned table that calls functions of users, or "
                      "checks a domain: write its expression");
    return expression;
}

static Node *
expand_generated(Node *node, void *of)
{
    if (node && IsA(node, Var)) {
        Node *expression = generated_by((Var *)node, of);

        if (expression)
            ChangeVarNodes(expression, 1, ((Generated *)of)->source, 0);
        return expression ? expression : node;
    }
    return node ? expression_tree_mutator(node, expand_generated, of) : NULL;
}

Node *
rollup_expand_generated(Node *node, int source, Oid table)
{
    Generated of = {source, table};

    return expand_generated(node, &of);
}

/* Partitions may compute such a column in another way. */
static bool
check_generated(Node *node, void *tables)
{
    if (node && IsA(node, Var)) {
        Oid source = linitial_oid((List *)tables);
        Generated of = {1, source};
        Node *expression = generated_by((Var *)node, &of);
        const char *text;
        char *name;
        ListCell *cell;

        if (expression == NULL)
            return false;
        name = get_attname(source, ((Var *)node)->varattno, false);
        text = deparse_expression(expression, deparse_context_for("t", source), false, true);
        foreach (cell, (List *)tables) {
            Relation child = table_open(lfirst_oid(cell), AccessShareLock);
            Node *other = build_column_default(child, get_attnum(lfirst_oid(cell), name));

            table_close(child, NoLock);
            if (other == NULL ||
                strcmp(text, deparse_expression(other, deparse_context_for("t", lfirst_oid(cell)),
                                                false, true)) != 0)
                rollup_refuse("a generated column that partitions compute in another way: write "
                              "its expression");
        }
        return false;
    }
    return node && expression_tree_walker(node, check_generated, tables);
}

void
rollup_check_generated(Query *query, List *tables)
{
    (void)check_generated((Node *)query->targetList, tables);
    (void)check_generated((Node *)query->jointree, tables);
}
