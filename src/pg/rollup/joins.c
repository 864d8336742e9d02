/*
 * joins.c - a star: a table of facts, joined to tables of which each fact has at most one row.
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

#include "nodes/makefuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

void
rollup_refuse_join(const char *what)
{
    ereport(ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a rollup cannot have %s", what),
             errhint("Its FROM is a table of facts, and JOIN or LEFT JOIN of tables by their "
                     "unique keys. Join others to the rollup when you read it.")));
}

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
rollup_logged(const RollupQuery *result, const TargetEntry *column, bool is_marked)
{
    const char *text = rollup_deparse(result, (Node *)column->expr);
    Aggref *aggregate;

    if (result->is_there == NULL || (column->ressortgroupref && is_marked))
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
        rollup_refuse_join(
            "joins, and follow single rows: make a rollup of the facts alone, and join it "
            "when you read it");
    foreach (cell, rollup_all_tables(rollup->query))
        if (rollup_is_in_citus(lfirst_oid(cell)))
            rollup_refuse_join(
                psprintf("joins of tables that are in Citus, such as %s: make a rollup of "
                         "the facts alone, and join it when you read it",
                         rollup_relation_name(lfirst_oid(cell))));
}
