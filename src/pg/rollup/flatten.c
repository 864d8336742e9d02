/*
 * flatten.c - FROM of a query with joins, brought into one shape.
 *
 * The facts are number 1 of its range table, the others follow in an order in which each is joined
 * to tables before it, and FROM is a chain of JOIN and LEFT JOIN. Conditions of inner joins stand
 * in WHERE, but for those by which a row is found. The facts are the first table in FROM from which
 * all others are reached by = with all columns of a unique index.
 */
#include "pg/rollup/rollup.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* A table in FROM. */
typedef struct Table {
    int number; /* in the range table */
    bool is_left, is_placed;
    List *on; /* of a LEFT JOIN, or by which its row is found */
} Table;

typedef struct From {
    Query *query;
    List *items, *order; /* of Table; in order, those that are reached */
    List *where;         /* conditions of all rows */
    bool is_new;
} From;

/* Columns of joins, as those of tables. */
static Node *
of_tables(Node *node, void *context)
{
    const Query *query = context;

    if (node && IsA(node, Var) && ((Var *)node)->varlevelsup == 0) {
        Var *column = (Var *)node;
        const RangeTblEntry *entry = rt_fetch(column->varno, query->rtable);

        if (column->varattno <= 0)
            rollup_refuse("system columns or whole rows: name the columns");
        if (entry->rtekind == RTE_JOIN)
            return of_tables(list_nth(entry->joinaliasvars, column->varattno - 1), context);
        column = copyObject(column);
        sketches_forget_joins(column);
        column->varnosyn = column->varno;
        column->varattnosyn = column->varattno;
        return (Node *)column;
    }
    return node ? expression_tree_mutator(node, of_tables, context) : NULL;
}

static List *
conditions_of(const From *from, Node *quals)
{
    return make_ands_implicit((Expr *)of_tables(quals, from->query));
}

static const char *
name_of(const From *from, const Table *item)
{
    return rollup_relation_name(rt_fetch(item->number, from->query->rtable)->relid);
}

static void
add_item(From *from, Node *node, bool is_left, List *on)
{
    Table *item = palloc0(sizeof *item);
    RangeTblEntry *entry;

    if (!IsA(node, RangeTblRef))
        rollup_refuse_join("a LEFT JOIN of tables that are joined: join them one after the other");
    item->number = ((RangeTblRef *)node)->rtindex;
    item->is_left = is_left;
    item->on = on;
    entry = rt_fetch(item->number, from->query->rtable);
    if (entry->rtekind == RTE_SUBQUERY && entry->relkind != RELKIND_VIEW)
        rollup_refuse_join("a subquery that is joined: join the table in it");
    if (entry->rtekind != RTE_RELATION || entry->tablesample)
        rollup_refuse_join("anything but tables, joined by = of unique keys, in FROM");
    from->items = lappend(from->items, item);
}

static void
collect(From *from, Node *node)
{
    JoinExpr *join = (JoinExpr *)node;

    if (!IsA(node, JoinExpr)) {
        add_item(from, node, false, NIL);
        return;
    }
    switch (join->jointype) {
    case JOIN_INNER:
        collect(from, join->larg);
        if (!from->is_new) {
            add_item(from, join->rarg, false, conditions_of(from, join->quals));
            break;
        }
        collect(from, join->rarg);
        from->where = list_concat(from->where, conditions_of(from, join->quals));
        break;
    case JOIN_LEFT:
        collect(from, join->larg);
        add_item(from, join->rarg, true, conditions_of(from, join->quals));
        break;
    case JOIN_RIGHT:
        collect(from, join->rarg);
        add_item(from, join->larg, true, conditions_of(from, join->quals));
        break;
    default:
        rollup_refuse_join("FULL JOIN: a rollup has rows of its facts");
    }
}

AttrNumber
rollup_column_of(Node *condition, int number)
{
    OpExpr *comparison = (OpExpr *)condition;

    if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2 ||
        !op_mergejoinable(comparison->opno, exprType(linitial(comparison->args))))
        return 0;
    for (int i = 0; i < 2; i++) {
        Node *column = list_nth(comparison->args, i), *other = list_nth(comparison->args, 1 - i);

        while (IsA(column, RelabelType))
            column = (Node *)((RelabelType *)column)->arg;
        if (IsA(column, Var) && ((Var *)column)->varno == number &&
            !bms_is_member(number, pull_varnos(NULL, other)))
            return ((Var *)column)->varattno;
    }
    return 0;
}

/* Conditions that name a table and those that are reached; of a LEFT JOIN, also of those alone. */
static List *
applicable(const List *conditions, int number, bool is_left, Bitmapset *reached)
{
    List *found = NIL;
    ListCell *cell;

    foreach (cell, conditions) {
        Relids named = pull_varnos(NULL, lfirst(cell));

        if ((is_left || bms_is_member(number, named)) &&
            bms_is_subset(bms_del_member(named, number), reached))
            found = lappend(found, lfirst(cell));
    }
    return found;
}

/* Those of the conditions that compare a column of an index with something by its own =. */
static List *
by_column(Relation index, int column, const List *conditions, int number)
{
    ListCell *cell;
    List *found = NIL;

    foreach (cell, conditions) {
        OpExpr *comparison = lfirst(cell);

        if (rollup_column_of((Node *)comparison, number) ==
                index->rd_index->indkey.values[column] &&
            get_op_opfamily_strategy(comparison->opno, index->rd_opfamily[column]) ==
                BTEqualStrategyNumber &&
            (!OidIsValid(index->rd_indcollation[column]) ||
             index->rd_indcollation[column] == comparison->inputcollid))
            found = lappend(found, comparison);
    }
    return found;
}

/* The conditions by which at most one row of a table is found; NIL: there may be several. */
static List *
find_unique(Oid table, const List *conditions, int number, bool *is_deferrable)
{
    Relation relation = table_open(table, AccessShareLock);
    List *found = NIL;
    ListCell *cell;

    foreach (cell, RelationGetIndexList(relation)) {
        Relation index = index_open(lfirst_oid(cell), AccessShareLock);
        Form_pg_index form = index->rd_index;
        bool is_unique = form->indisunique && form->indisvalid &&
                         RelationGetIndexPredicate(index) == NIL &&
                         RelationGetIndexExpressions(index) == NIL;
        List *by = NIL;

        for (int i = 0; is_unique && i < form->indnkeyatts; i++) {
            List *one = by_column(index, i, conditions, number);

            is_unique = one != NIL;
            by = list_concat_unique_ptr(by, one);
        }
        index_close(index, AccessShareLock);
        if (is_unique && form->indimmediate) {
            found = by;
            break;
        }
        *is_deferrable = *is_deferrable || is_unique;
    }
    table_close(relation, NoLock);
    return found;
}

/* Reaches all tables from one that has the facts; false: not all of them are. */
static bool
reach(From *from, Table *facts, Table **missing, bool *is_deferrable)
{
    Bitmapset *reached = bms_make_singleton(facts->number);
    List *where = from->where;
    bool goes_on = true;
    ListCell *cell;

    from->order = list_make1(facts);
    foreach (cell, from->items)
        ((Table *)lfirst(cell))->is_placed = lfirst(cell) == facts;
    while (goes_on) {
        goes_on = false;
        *missing = NULL;
        foreach (cell, from->items) {
            Table *item = lfirst(cell);
            Oid table = rt_fetch(item->number, from->query->rtable)->relid;
            List *on =
                applicable(item->is_left ? item->on : where, item->number, item->is_left, reached);
            List *by;

            if (item->is_placed)
                continue;
            by = item->is_left && list_length(on) < list_length(item->on)
                     ? NIL
                     : find_unique(table, on, item->number, is_deferrable);
            if (by == NIL) {
                *missing = *missing ? *missing : item;
                continue;
            }
            if (!item->is_left) {
                item->on = by;
                where = list_difference_ptr(where, by);
            }
            item->is_placed = goes_on = true;
            reached = bms_add_member(reached, item->number);
            from->order = lappend(from->order, item);
        }
    }
    if (*missing == NULL)
        from->where = where;
    return *missing == NULL;
}

static bool
is_table(const From *from, const Table *table)
{
    const RangeTblEntry *entry = rt_fetch(table->number, from->query->rtable);

    return entry->relkind == RELKIND_RELATION && !has_superclass(entry->relid) &&
           !(entry->inh && has_subclass(entry->relid));
}

static _Noreturn void
refuse_kind(const char *name)
{
    rollup_refuse_join(
        psprintf("a join with %s, which is no ordinary table: partitions, children, views and "
                 "foreign tables are not joined",
                 name));
}

static _Noreturn void
refuse_join(const From *from, const Table *missing, bool is_deferrable)
{
    const char *name = name_of(from, missing);
    Oid table = rt_fetch(missing->number, from->query->rtable)->relid;
    StringInfoData columns;
    ListCell *cell;

    initStringInfo(&columns);
    foreach (cell, missing->is_left ? missing->on : from->where) {
        AttrNumber column = rollup_column_of(lfirst(cell), missing->number);

        if (column > 0)
            appendStringInfo(&columns, "%s%s", columns.len ? ", " : "",
                             quote_identifier(get_attname(table, column, false)));
    }
    if (!is_table(from, missing))
        refuse_kind(name);
    if (is_deferrable)
        rollup_refuse_join(
            psprintf("a join with %s by a deferrable constraint, which lets a key be "
                     "there twice: make it NOT DEFERRABLE",
                     name));
    if (columns.len == 0)
        rollup_refuse_join(
            psprintf("a join with %s by something else than = with a unique key", name));
    if (missing->is_left)
        rollup_refuse_join(
            psprintf("a LEFT JOIN with %s, which can find several rows: CREATE UNIQUE INDEX ON %s "
                     "(%s); or, if it has the facts, begin FROM with it",
                     name, name, columns.data));
    rollup_refuse_join(
        psprintf("a join with %s, which can find several rows: CREATE UNIQUE INDEX ON %s (%s), if "
                 "it does not. Two tables of facts are two rollups",
                 name, name, columns.data));
}

/* A table that is joined, of a new rollup: its triggers have to see all that changes in it. */
static void
check_joined(const From *from, const Table *item)
{
    const RangeTblEntry *entry = rt_fetch(item->number, from->query->rtable);
    const RangeTblEntry *facts =
        rt_fetch(((Table *)linitial(from->order))->number, from->query->rtable);
    const char *name = name_of(from, item);

    if (entry->relid == facts->relid)
        rollup_refuse_join(
            psprintf("a join of %s with itself: keep what it reads of the other row as a "
                     "column",
                     name));
    if (!is_table(from, item))
        refuse_kind(name);
    if (get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP)
        rollup_refuse_join("a temporary table");
    rollup_check_row_security(entry->relid);
}

static Table *
find_facts(From *from)
{
    Table *facts = NULL, *missing, *first_missing = NULL;
    bool is_deferrable = false;
    ListCell *cell;

    foreach (cell, from->items) {
        if (((Table *)lfirst(cell))->is_left)
            continue;
        if (reach(from, lfirst(cell), &missing, &is_deferrable)) {
            facts = lfirst(cell);
            break;
        }
        first_missing = first_missing ? first_missing : missing;
    }
    if (facts == NULL)
        refuse_join(from, first_missing, is_deferrable);
    if (rt_fetch(facts->number, from->query->rtable)->relkind == RELKIND_VIEW)
        rollup_refuse_join(
            psprintf("joins of %s, which is a view: name its tables", name_of(from, facts)));
    foreach (cell, from->order)
        if (lfirst(cell) != facts)
            check_joined(from, lfirst(cell));
    return facts;
}

/* Gives a query its shape: tables in order, as numbers from 1. */
static void
rebuild(From *from)
{
    Query *query = from->query;
    List *rtable = NIL, *exprs;
    Node *tree = NULL;
    ListCell *cell;
    int most = list_length(query->rtable);

    query->jointree->quals = (Node *)make_ands_explicit(from->where);
    if (from->where == NIL)
        query->jointree->quals = NULL;
    exprs = list_make3(query->targetList, query->havingQual, query->jointree->quals);
    foreach (cell, from->order)
        exprs = lappend(exprs, ((Table *)lfirst(cell))->on);
    /* By way of numbers that no table has. */
    foreach (cell, from->order)
        ChangeVarNodes((Node *)exprs, ((Table *)lfirst(cell))->number,
                       most + foreach_current_index(cell) + 1, 0);
    foreach (cell, from->order) {
        Table *item = lfirst(cell);
        int number = foreach_current_index(cell) + 1;
        RangeTblRef *table = makeNode(RangeTblRef);
        RangeTblEntry *entry;

        ChangeVarNodes((Node *)exprs, most + number, number, 0);
        entry = rt_fetch(item->number, query->rtable);
        /* Names of columns, which joins may have given, too, are those of the table. */
        if (entry->alias)
            entry->alias->colnames = NIL;
        rtable = lappend(rtable, entry);
        table->rtindex = number;
        if (tree) {
            JoinExpr *join = makeNode(JoinExpr);

            join->jointype = item->is_left ? JOIN_LEFT : JOIN_INNER;
            join->larg = tree;
            join->rarg = (Node *)table;
            join->quals = (Node *)make_ands_explicit(item->on);
            tree = (Node *)join;
        } else
            tree = (Node *)table;
    }
    query->rtable = rtable;
    query->jointree->fromlist = list_make1(tree);
}

void
rollup_flatten(Query *query, bool is_new)
{
    From from = {.query = query, .is_new = is_new};
    ListCell *cell;

    if (query->jointree->fromlist == NIL)
        rollup_refuse("a FROM without a table");
    if (list_length(query->jointree->fromlist) == 1 &&
        IsA(linitial(query->jointree->fromlist), RangeTblRef))
        return;
    foreach (cell, query->jointree->fromlist)
        collect(&from, lfirst(cell));
    from.where = list_concat(from.where, conditions_of(&from, query->jointree->quals));
    query->targetList = (List *)of_tables((Node *)query->targetList, query);
    query->havingQual = of_tables(query->havingQual, query);
    if (is_new)
        find_facts(&from);
    else
        from.order = from.items;
    rebuild(&from);
    /* Who may replace the view that keeps the query can write anything there. */
    for (int number = 2; number <= list_length(query->rtable); number++)
        if (rollup_keys_of(query, number) == NIL)
            rollup_refuse_join(
                psprintf("a join with %s by something else than = with a unique key",
                         rollup_relation_name(rt_fetch(number, query->rtable)->relid)));
}
