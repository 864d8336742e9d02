/*
 * joins.c - a star: a table of facts, joined to tables of which each fact has at most one row.
 *
 * A query with joins is brought into one shape: the facts are number 1 of its range table, the
 * others follow in an order in which each is joined to tables before it, and FROM is a chain of
 * JOIN and LEFT JOIN. Conditions of inner joins stand in WHERE, but for those by which a row is
 * found. The facts are the first table in FROM from which all others are reached by = with all
 * columns of a unique index.
 *
 * What follows is right for joins that find several rows, too; that they do not is asked of new
 * rollups only, and tells which table has the facts.
 *
 *   A statement on the facts    logs what its new rows add, joined as its snapshot has it, with the
 *                               oldest transaction of which that snapshot may not know
 *                               (rollup_seen), also for rows that a join or a condition leaves out
 *                               (mark 3). Rows that go or change mark groups of the facts' own
 *                               columns, whatever they are joined to; and so do new ones of a
 *                               writer who may miss what they are joined to, and nobody logged that
 *                               (rollup_finds_joined).
 *   A statement on another      logs the keys of rows that it changed, in columns that the query
 *                               reads, and its transaction.
 *   A reader, and a refresh,    compute from the rows all groups of which the facts' own columns
 *                               are marked, or are those of a fact that has a changed key
 *                               (NAME_touched), or were logged by who did not see a change that is
 *                               in the stored groups: rollup_seen <= folded of the state.
 *   A refresh of all periods    forgets the keys, and notes the last transaction of them as folded.
 *
 * Nobody waits. Of a fact that is in two snapshots, a refresh's and a reader's, what it is joined
 * to differs by changes after the refresh, whose keys are logged. One that came in between was
 * logged by a writer who knew of all changes that the reader sees; or of one less, which is
 * logged, or was folded, and then is not older than rollup_seen. One that went in between is
 * marked.
 */
#include "pg/rollup/rollup.h"

#include "access/genam.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

static _Noreturn void
refuse(const char *what)
{
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a rollup cannot have %s", what),
             errhint("Its FROM is a table of facts, and JOIN or LEFT JOIN of tables by their "
                     "unique keys. Join others to the rollup when you read it.")));
}

/* ---- one shape ---- */

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
        refuse("a LEFT JOIN of tables that are joined: join them one after the other");
    item->number = ((RangeTblRef *)node)->rtindex;
    item->is_left = is_left;
    item->on = on;
    entry = rt_fetch(item->number, from->query->rtable);
    if (entry->rtekind == RTE_SUBQUERY && entry->relkind != RELKIND_VIEW)
        refuse("a subquery that is joined: join the table in it");
    if (entry->rtekind != RTE_RELATION || entry->tablesample)
        refuse("anything but tables, joined by = of unique keys, in FROM");
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
        refuse("FULL JOIN: a rollup has rows of its facts");
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
    refuse(psprintf("a join with %s, which is no ordinary table: partitions, children, views and "
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
        refuse(psprintf("a join with %s by a deferrable constraint, which lets a key be "
                        "there twice: make it NOT DEFERRABLE",
                        name));
    if (columns.len == 0)
        refuse(psprintf("a join with %s by something else than = with a unique key", name));
    if (missing->is_left)
        refuse(
            psprintf("a LEFT JOIN with %s, which can find several rows: CREATE UNIQUE INDEX ON %s "
                     "(%s); or, if it has the facts, begin FROM with it",
                     name, name, columns.data));
    refuse(
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
        refuse(psprintf("a join of %s with itself: keep what it reads of the other row as a "
                        "column",
                        name));
    if (!is_table(from, item))
        refuse_kind(name);
    if (get_rel_persistence(entry->relid) == RELPERSISTENCE_TEMP)
        refuse("a temporary table");
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
        refuse(psprintf("joins of %s, which is a view: name its tables", name_of(from, facts)));
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

        ChangeVarNodes((Node *)exprs, most + number, number, 0);
        rtable = lappend(rtable, rt_fetch(item->number, query->rtable));
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
            refuse(psprintf("a join with %s by something else than = with a unique key",
                            rollup_relation_name(rt_fetch(number, query->rtable)->relid)));
}

/* ---- what is said of them ---- */

static const JoinExpr *
join_of(const Query *query, int number)
{
    const JoinExpr *join = linitial(query->jointree->fromlist);

    for (int last = list_length(query->rtable); last > number; last--)
        join = (const JoinExpr *)join->larg;
    return join;
}

List *
rollup_join_conditions(const Query *query, int number)
{
    return make_ands_implicit((Expr *)join_of(query, number)->quals);
}

List *
rollup_keys_of(const Query *query, int number)
{
    List *keys = NIL;
    ListCell *cell;

    foreach (cell, rollup_join_conditions(query, number)) {
        AttrNumber column = rollup_column_of(lfirst(cell), number);

        if (column > 0)
            keys = list_append_unique_int(keys, column);
    }
    return keys;
}

Var *
rollup_column_beside(OpExpr *comparison, int number)
{
    for (int i = 0; i < 2; i++) {
        Node *node = list_nth(comparison->args, i);

        while (IsA(node, RelabelType))
            node = (Node *)((RelabelType *)node)->arg;
        if (IsA(node, Var) && ((Var *)node)->varno != number)
            return (Var *)node;
    }
    return NULL;
}

bool
rollup_is_of_facts(Node *expression)
{
    return bms_is_subset(pull_varnos(NULL, expression), bms_make_singleton(1));
}

bool
rollup_is_marked(const Query *query, Node *group)
{
    Node *from = linitial(query->jointree->fromlist);

    if (!rollup_is_of_facts(group))
        return false;
    if (!IsA(from, JoinExpr) || rollup_cannot_fail(group))
        return true;
    for (; IsA(from, JoinExpr); from = ((JoinExpr *)from)->larg)
        if (((JoinExpr *)from)->jointype != JOIN_LEFT)
            return false;
    return query->jointree->quals == NULL;
}

const char *
rollup_deparse(const RollupQuery *query, Node *expression)
{
    return deparse_expression(expression, query->context, query->alias != NULL, true);
}

/* Names for the tables: two of different schemas may have the same. */
static List *
choose_aliases(const Query *query)
{
    List *aliases = NIL;
    ListCell *cell, *other;

    foreach (cell, query->rtable) {
        const char *wanted = lfirst_node(RangeTblEntry, cell)->eref->aliasname, *alias = wanted;
        bool is_taken = true;

        for (int number = 2; is_taken; number++) {
            is_taken = false;
            foreach (other, aliases)
                is_taken = is_taken || strcmp(lfirst(other), alias) == 0;
            if (is_taken)
                alias = psprintf("%s_%d", wanted, number);
        }
        aliases = lappend(aliases, pstrdup(alias));
    }
    return aliases;
}

static RollupJoin *
describe_join(const RollupQuery *result, const Query *query, int number, const char *alias)
{
    RollupJoin *join = palloc0(sizeof *join);
    const RangeTblEntry *entry = rt_fetch(number, query->rtable);
    List *conditions = rollup_join_conditions(query, number), *by = NIL;
    Relids named;
    ListCell *cell;

    join->table = entry->relid;
    join->is_left = join_of(query, number)->jointype == JOIN_LEFT;
    join->name = psprintf("%s%s", entry->inh ? "" : "ONLY ", rollup_relation_name(entry->relid));
    join->alias = quote_identifier(alias);
    join->on = rollup_deparse(result, (Node *)make_ands_explicit(conditions));
    join->keys = rollup_keys_of(query, number);
    foreach (cell, conditions)
        if (rollup_column_of(lfirst(cell), number) > 0) {
            Var *beside = rollup_column_beside(lfirst(cell), number);

            if (beside && beside->varno == 1)
                join->beside = beside->varattno;
            by = lappend(by, lfirst(cell));
        }
    join->by = rollup_deparse(result, (Node *)make_ands_explicit(by));
    named = pull_varnos(NULL, (Node *)by);
    for (int other = 2; other < number; other++)
        if (bms_is_member(other, named))
            join->behind = bms_add_member(
                bms_union(join->behind, ((RollupJoin *)list_nth(result->joins, other - 2))->behind),
                other);
    return join;
}

void
rollup_describe_from(RollupQuery *result, Query *query, int source)
{
    const RangeTblEntry *facts = rt_fetch(source, query->rtable);
    const char *name = rollup_relation_name(facts->relid);
    List *of_facts = NIL, *there = NIL, *aliases;
    PlannedStmt *tables = makeNode(PlannedStmt);
    StringInfoData from;
    ListCell *cell;

    result->source_only = facts->inh ? name : psprintf("ONLY %s", name);
    if (IsA(linitial(query->jointree->fromlist), RangeTblRef)) {
        result->context = deparse_context_for(get_rel_name(facts->relid), facts->relid);
        result->from = result->source_only;
        return;
    }
    aliases = choose_aliases(query);
    tables->rtable = query->rtable;
    result->context = deparse_context_for_plan_tree(tables, aliases);
    result->alias = quote_identifier(linitial(aliases));
    initStringInfo(&from);
    appendStringInfo(&from, "%s AS %s", result->source_only, result->alias);
    for (int number = 2; number <= list_length(query->rtable); number++) {
        RollupJoin *join = describe_join(result, query, number, list_nth(aliases, number - 1));

        result->joins = lappend(result->joins, join);
        appendStringInfo(&from, "\n    %sJOIN %s AS %s ON %s", join->is_left ? "LEFT " : "",
                         join->name, join->alias, join->on);
        if (!join->is_left) {
            AttrNumber key = linitial_int(join->keys);
            NullTest *is_found = makeNode(NullTest);
            Oid type, collation;
            int32 modifier;

            get_atttypetypmodcoll(join->table, key, &type, &modifier, &collation);
            is_found->arg = (Expr *)makeVar(number, key, type, modifier, collation, 0);
            is_found->nulltesttype = IS_NOT_NULL;
            is_found->location = -1;
            there = lappend(there, is_found);
        }
    }
    result->from = from.data;
    foreach (cell, make_ands_implicit((Expr *)query->jointree->quals))
        if (rollup_is_of_facts(lfirst(cell)))
            of_facts = lappend(of_facts, lfirst(cell));
        else
            there = lappend(there, lfirst(cell));
    result->where_facts = of_facts ? (Node *)make_ands_explicit(of_facts) : NULL;
    result->is_there = there ? (Node *)make_ands_explicit(there) : NULL;
}

List *
rollup_all_tables(const RollupQuery *query)
{
    List *tables = list_copy(query->tables);
    ListCell *cell;

    foreach (cell, query->joins)
        tables = list_append_unique_oid(tables, ((RollupJoin *)lfirst(cell))->table);
    return tables;
}

/* What is logged of a column of facts that may not be in the result. */
const char *
rollup_logged(const RollupQuery *result, const Query *query, const TargetEntry *column)
{
    const char *text = rollup_deparse(result, (Node *)column->expr);
    Aggref *aggregate;

    if (result->is_there == NULL ||
        (column->ressortgroupref && rollup_is_marked(query, (Node *)column->expr)))
        return text;
    if (!IsA(column->expr, Aggref))
        return psprintf("CASE WHEN %s THEN %s END", rollup_deparse(result, result->is_there), text);
    aggregate = copyObject((Aggref *)column->expr);
    aggregate->aggfilter =
        (Expr *)make_and_qual(copyObject(result->is_there), (Node *)aggregate->aggfilter);
    return rollup_deparse(result, (Node *)aggregate);
}

void
rollup_check_star(Rollup *rollup)
{
    ListCell *cell;

    if (rollup->each_row)
        refuse("joins, and follow single rows: make a rollup of the facts alone, and join it "
               "when you read it");
    foreach (cell, rollup_all_tables(rollup->query))
        if (rollup_is_in_citus(lfirst_oid(cell)))
            refuse(psprintf("joins of tables that are in Citus, such as %s: make a rollup of "
                            "the facts alone, and join it when you read it",
                            rollup_relation_name(lfirst_oid(cell))));
}
