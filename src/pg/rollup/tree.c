/*
 * tree.c - the query of a rollup, as the tree that its view keeps.
 *
 * PostgreSQL keeps the query of the view NAME_query in pg_rewrite: by OIDs and numbers of columns.
 * So what is renamed or moved is the same still, and nothing is read from text.
 */
#include "pg/rollup/rollup.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/*
 * A dump, or Citus on another node, makes a view from text, and of groups with one expression
 * PostgreSQL then takes the first for all.
 */
static void
separate_equal_groups(Query *query)
{
    ListCell *cell;

    foreach (cell, query->targetList) {
        TargetEntry *column = lfirst(cell);
        const TargetEntry *first = tlist_member(column->expr, query->targetList);
        SortGroupClause *clause;

        if (column->ressortgroupref || !first->ressortgroupref)
            continue;
        clause = copyObject(get_sortgroupref_clause(first->ressortgroupref, query->groupClause));
        clause->tleSortGroupRef = assignSortGroupRef(column, query->targetList);
        query->groupClause = lappend(query->groupClause, clause);
    }
}

static Query *
tree_of(Relation view)
{
    Query *query;

    /* The owner of a state can name anything there. */
    if (view->rd_rel->relkind != RELKIND_VIEW)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is no view", rollup_relation_name(RelationGetRelid(view))),
                        errhint("rollup_list() shows what is wrong.")));
    query = copyObject(get_view_query(view));
    sketches_inline_groups(query);
    separate_equal_groups(query);
    return query;
}

Query *
rollup_query_of(Oid view)
{
    Relation relation = table_open(view, AccessShareLock);
    Query *query = tree_of(relation);

    table_close(relation, NoLock);
    return query;
}

/*
 * Without a lock: who writes a partition, or a shard, has one of that, and what changes a column of
 * the source needs it, too. One more could be waited for in a circle, on Citus through other nodes.
 */
Relation
rollup_peek(Oid table)
{
    Relation relation = RelationIdGetRelation(table);

    if (relation == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("table %u was dropped", table)));
    return relation;
}

Query *
rollup_peek_query(Oid view)
{
    Relation relation = rollup_peek(view);
    Query *query = tree_of(relation);

    RelationClose(relation);
    return query;
}

TupleDesc
rollup_columns_of(Oid table)
{
    Relation relation = rollup_peek(table);
    TupleDesc columns = CreateTupleDescCopy(RelationGetDescr(relation));

    RelationClose(relation);
    return columns;
}

List *
rollup_targets_of(Oid view)
{
    Query *query = rollup_query_of(view);

    ChangeVarNodes((Node *)query->targetList, rollup_source_number(query), 1, 0);
    return query->targetList;
}
