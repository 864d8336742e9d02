/*
 * pull_up.c - a subquery or WITH in FROM, put into the query that reads it.
 *
 * One that filters, renames and computes becomes the query of its table.
 */
#include "pg/rollup/rollup.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

/* The number of what stands alone in FROM, or 0. */
static int
number_in_from(const Query *query)
{
    List *from = query->jointree->fromlist;

    return list_length(from) == 1 && IsA(linitial(from), RangeTblRef)
               ? linitial_node(RangeTblRef, from)->rtindex
               : 0;
}

/*
 * The query of a subquery or WITH, or NULL. around: the queries that it is in, innermost first;
 * becomes those of the query found. is_fenced: it is computed apart, with its conditions before
 * others.
 */
static Query *
query_below(const RangeTblEntry *entry, List **around, bool *is_fenced)
{
    ListCell *cell;

    *is_fenced = false;
    if (entry->rtekind == RTE_SUBQUERY)
        return entry->subquery;
    if (entry->rtekind != RTE_CTE)
        return NULL;
    *around = list_copy_tail(*around, entry->ctelevelsup);
    foreach (cell, linitial_node(Query, *around)->cteList) {
        CommonTableExpr *with = lfirst(cell);

        if (strcmp(with->ctename, entry->ctename) == 0) {
            *is_fenced = with->ctematerialized == CTEMaterializeAlways;
            return castNode(Query, with->ctequery);
        }
    }
    return NULL;
}

typedef struct Below {
    int number; /* in the range table of the query above */
    List *targets;
} Below;

/* Columns of a query below become their expressions. */
static Node *
put_in(Node *node, void *context)
{
    const Below *below = context;
    const Var *column = (Var *)node;

    if (node && IsA(node, Var) && column->varno == below->number) {
        if (column->varattno <= 0)
            rollup_refuse("system columns or whole rows: name the columns");
        return copyObject(
            (Node *)list_nth_node(TargetEntry, below->targets, column->varattno - 1)->expr);
    }
    return node ? expression_tree_mutator(node, put_in, context) : NULL;
}

Node *
rollup_put_columns(Node *node, int number, List *targets)
{
    Below below = {number, targets};

    return put_in(node, &below);
}

void
rollup_put_in(Query *query, int number, const Query *lower)
{
    query->targetList =
        (List *)rollup_put_columns((Node *)query->targetList, number, lower->targetList);
    query->havingQual = rollup_put_columns(query->havingQual, number, lower->targetList);
    query->jointree->quals =
        make_and_qual(copyObject(lower->jointree->quals),
                      rollup_put_columns(query->jointree->quals, number, lower->targetList));
    query->jointree->fromlist = copyObject(lower->jointree->fromlist);
    query->rtable = copyObject(lower->rtable);
}

void
rollup_pull_up(Query *query)
{
    List *around = list_make1(copyObject(query));
    Query *lower;
    int number;
    bool is_fenced, are_fenced = false;

    if (query->hasModifyingCTE)
        rollup_refuse("WITH that writes");
    while ((number = number_in_from(query)) > 0 &&
           (lower = query_below(rt_fetch(number, query->rtable), &around, &is_fenced)) != NULL) {
        rollup_check_clauses(lower, true);
        /* Conditions of one query are evaluated in any order. */
        are_fenced = are_fenced || (is_fenced && query->jointree->quals);
        if (are_fenced && lower->jointree->quals)
            rollup_refuse(
                "a condition on WITH ... AS MATERIALIZED that has one: leave MATERIALIZED "
                "out, and write what may fail as CASE WHEN ... THEN");
        around = lcons(lower, around);
        rollup_put_in(query, number, lower);
    }
    query->cteList = NIL;
    if (number == 0) {
        rollup_flatten(query, true);
        return;
    }
    ChangeVarNodes((Node *)query->targetList, number, 1, 0);
    ChangeVarNodes(query->havingQual, number, 1, 0);
    ChangeVarNodes(query->jointree->quals, number, 1, 0);
    query->rtable = list_make1(rt_fetch(number, query->rtable));
    linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex = 1;
}
