/*
 * level.c - a level: a rollup whose query reads the view of another one, which is below it.
 *
 * Days from hours. The query of the days is over the live view of the hours, and triggers follow
 * what is stored of these. A level equals its query at every snapshot, because whatever happens to
 * an hour is known of its day in the same transaction:
 *
 *   - What waits for a refresh of the hours is read as the level would have it, by NAME_flow: what
 *     it adds to a day, or that the day is to be computed anew. That and NAME_log is NAME_changes,
 *     which readers of the level have in the place of a log. Writers of the table do nothing more.
 *   - What a refresh takes out of the log below is what it stores. So a trigger on that log puts
 *     the same into NAME_log; see DELTA_FLOW in delta.c. It reaches days that are frozen, too, and
 *     such whose hours were deleted.
 *   - What else writes stored rows, as a DELETE of old hours, is followed as writes of any table.
 *
 * What waits is added if the level merges each column as the rollup below does, whatever the order:
 * a sum of counts, a union of sketches. Otherwise, as for max(requests), it marks.
 */
#include "pg/rollup/rollup.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/typcache.h"

/* ---- the rollup below ---- */

/* Whether a query can be a level over it; an error, if not. */
static void
check_below(Rollup *below, Oid view, bool is_new)
{
    const char *name = rollup_relation_name(view);
    const char *refresh = psprintf("SELECT rollup_refresh(%s);",
                                   quote_literal_cstr(rollup_relation_name(below->view)));

    if (below->owner != GetUserId())
        ereport(ERROR, (errcode(is_new ? ERRCODE_INSUFFICIENT_PRIVILEGE
                                       : ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("rollup %s belongs to %s, and so must what reads it", name,
                               quote_identifier(GetUserNameFromId(below->owner, false))),
                        errhint("SET ROLE %s;",
                                quote_identifier(GetUserNameFromId(below->owner, false)))));
    if (below->is_distributed)
        rollup_refuse(psprintf("%s in FROM, which Citus distributes: name its table", name));
    if (OidIsValid(below->parts[ROLLUP_JOINED]))
        rollup_refuse(psprintf("%s in FROM, a rollup of joined tables: join them here, too", name));
    if (below->form == 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is stored as before 1.0", name), errhint("%s", refresh)));
    if (below->merge == NULL || rollup_owner_of(below->parts[ROLLUP_QUERY]) != below->owner ||
        rollup_owner_of(below->parts[ROLLUP_ROWS]) != below->owner ||
        rollup_owner_of(below->parts[ROLLUP_LOG]) != below->owner)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("rollup %s is damaged: %s", name, rollup_damage(below))));
    /* A refresh that stores what came with another query takes nothing out of the log for it. */
    if (is_new && below->is_altered &&
        rollup_ask("SELECT 1 FROM ONLY %s WHERE stale IS NOT NULL OR unfilled IS NOT NULL",
                   rollup_relation_name(below->state)))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s has not been refreshed since its query changed", name),
                        errhint("%s", refresh)));
}

void
rollup_open_below(RollupQuery *level, Query *query, bool is_new, Oid sketches)
{
    MemoryContext caller = CurrentMemoryContext;
    Rollup *below = palloc0(sizeof *below);
    int settings = rollup_pin_settings();
    Oid view = level->read;
    ListCell *cell;
    Datum merge;

    SPI_connect();
    if (!rollup_find(below, view, InvalidOid) &&
        !rollup_find(below, InvalidOid, rollup_state_of(view, ROLLUP_PARTS)))
        rollup_refuse(psprintf("view %s in FROM: write its query there, as FROM (SELECT ...)",
                               rollup_relation_name(view)));
    /* Nothing of others is read. */
    if (below->owner == GetUserId() && rollup_owner_of(below->state) == below->owner &&
        rollup_read_state(below))
        below->merge = rollup_read_merge(below);
    check_below(below, view, is_new);
    MemoryContextSwitchTo(caller);
    below->schema = pstrdup(below->schema);
    below->name = pstrdup(below->name);
    below->merge = pstrdup(below->merge);
    below->sketches = sketches;
    merge = DirectFunctionCall1(jsonb_in, CStringGetDatum(below->merge));
    below->query = rollup_analyze(rollup_query_of(below->parts[ROLLUP_QUERY]),
                                  below->parts[ROLLUP_ROWS], DatumGetJsonbP(merge), sketches);
    rollup_mark_columns(below);
    MemoryContextSwitchTo(caller);
    foreach (cell, below->query->columns) {
        RollupColumn *column = lfirst(cell);

        column->since = column->since ? pstrdup(column->since) : NULL;
    }
    SPI_finish();
    AtEOXact_GUC(false, settings);
    /* What a view computes of its parts is computed of them here, too. */
    if (view == below->view && OidIsValid(below->parts[ROLLUP_PARTS])) {
        Query *shown = rollup_query_of(view);

        rollup_check_clauses(shown, true);
        level->read = rollup_source_of(shown);
        if (level->read != below->parts[ROLLUP_PARTS])
            rollup_refuse(psprintf("%s in FROM, which its owner replaced: SELECT rollup_repair(%s)",
                                   rollup_relation_name(view),
                                   quote_literal_cstr(rollup_relation_name(view))));
        rollup_put_in(query, rollup_source_number(query), shown);
    }
    level->below = below;
    level->source = below->parts[ROLLUP_ROWS];
    level->only = false;
}

static Oid
type_of_bound(Oid state)
{
    AttrNumber frozen = get_attnum(state, "frozen");

    return frozen > 0 ? get_atttype(state, frozen) : InvalidOid;
}

Oid
rollup_view_below(FunctionCallInfo fcinfo, Oid view, Oid *state, bool *is_alike)
{
    Rollup *caller = rollup_begin(fcinfo);
    Oid parts[ROLLUP_PART_COUNT], below[ROLLUP_PART_COUNT] = {0}, type, of_below;

    *state = rollup_peek_parts(view, parts);
    /* Else, its refresh says what is wrong. */
    if (OidIsValid(*state) && has_privs_of_role(caller->by.user, rollup_owner_of(*state)) &&
        get_rel_relkind(parts[ROLLUP_QUERY]) == RELKIND_VIEW &&
        rollup_below_of(rollup_peek_query(parts[ROLLUP_QUERY])) == parts[ROLLUP_BELOW] &&
        !rollup_is_below_itself(*state))
        rollup_read_below(parts, below);
    if (OidIsValid(below[ROLLUP_VIEW])) {
        /* Before its refresh writes it. */
        rollup_check_writes(below[ROLLUP_ROWS]);
        type = type_of_bound(*state);
        of_below = type_of_bound(parts[ROLLUP_BELOW]);
        /* Times have a text that all their types read; numbers may count something else. */
        *is_alike = OidIsValid(type) && OidIsValid(of_below) &&
                    TypeCategory(type) == TypeCategory(of_below) &&
                    (type == of_below || TypeCategory(type) == TYPCATEGORY_DATETIME);
    }
    rollup_end(caller);
    return below[ROLLUP_VIEW];
}

void
rollup_check_levels(Rollup *rollup, const char *hint)
{
    Oid state = rollup_state_of(rollup->state, ROLLUP_BELOW);
    Rollup level = {0};

    /* Anybody can make one that names it. */
    if (rollup_owner_of(state) != rollup->owner || !rollup_find(&level, InvalidOid, state) ||
        level.owner != rollup->owner)
        return;
    ereport(ERROR,
            (errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
             errmsg("rollup %s reads rollup %s", rollup_called(&level), rollup_called(rollup)),
             errhint("%s%sSELECT rollup_drop(%s);", hint ? hint : "", hint ? " Else, " : "",
                     quote_literal_cstr(rollup_called(&level)))));
}

/* ---- how changes flow ---- */

/* A column of the rollup below. */
static RollupColumn *
column_below(const RollupQuery *level, AttrNumber number)
{
    return list_nth(level->below->query->columns, number - 1);
}

static bool
reads_aggregates(const RollupQuery *level, Node *node)
{
    Bitmapset *read = NULL;

    pull_varattnos(node, 1, &read);
    for (int member = -1; (member = bms_next_member(read, member)) >= 0;)
        if (column_below(level, member + FirstLowInvalidHeapAttributeNumber)->key == NULL)
            return true;
    return false;
}

static bool
find_aggregate(Node *node, void *found)
{
    if (node && IsA(node, Aggref)) {
        *(Aggref **)found = (Aggref *)node;
        return true;
    }
    return node && expression_tree_walker(node, find_aggregate, found);
}

/* The aggregates that merge columns of the rollup below: what its views say, read as a query. */
static List *
merges_below(const RollupQuery *level)
{
    StringInfoData merged, names;
    List *merges = NIL;
    ListCell *cell;

    initStringInfo(&merged);
    initStringInfo(&names);
    foreach (cell, level->below->query->columns) {
        const RollupColumn *column = lfirst(cell);

        appendStringInfo(&names, "%s%s", names.len ? ", " : "", column->name);
        if (column->key == NULL)
            appendStringInfo(&merged, "%s%s", merged.len ? ", " : "", column->merged);
    }
    foreach (cell, rollup_parse(psprintf("SELECT %s FROM %s AS part (%s)", merged.data,
                                         rollup_relation_name(level->read), names.data))
                       ->targetList) {
        Aggref *aggregate = NULL;

        (void)find_aggregate((Node *)lfirst_node(TargetEntry, cell)->expr, &aggregate);
        merges = lappend(merges, aggregate);
    }
    return merges;
}

/* Whether an aggregate adds what waits below as it adds what is stored there. */
static bool
flows(const RollupQuery *level, const Aggref *aggregate, List *merges)
{
    ListCell *cell;

    foreach (cell, merges) {
        const Aggref *merge = lfirst(cell);

        if (aggregate->aggfnoid == merge->aggfnoid &&
            aggregate->inputcollid == merge->inputcollid && equal(aggregate->args, merge->args))
            return !reads_aggregates(level, (Node *)aggregate->aggfilter);
    }
    return false;
}

/* Columns that are not known of all groups below add nothing to those; see merged(). */
static Node *
as_known(Node *node, void *context)
{
    const RollupQuery *level = context, *below = level->below->query;
    const RollupColumn *column =
        node && IsA(node, Var) ? column_below(level, ((Var *)node)->varattno) : NULL;
    ListCell *cell;

    if (node == NULL)
        return NULL;
    if (column == NULL || column->since == NULL)
        return expression_tree_mutator(node, as_known, context);
    foreach (cell, below->columns)
        if (lfirst(cell) == below->period) {
            Oid type = below->period->type;
            AttrNumber number = foreach_current_index(cell) + 1;
            CaseWhen *known = makeNode(CaseWhen);
            CaseExpr *value = makeNode(CaseExpr);

            known->expr = make_op(make_parsestate(NULL),
                                  list_make2(makeString("pg_catalog"), makeString(">=")),
                                  (Node *)makeVar(1, number, type, -1, InvalidOid, 0),
                                  (Node *)makeConst(type, -1, InvalidOid, get_typlen(type),
                                                    rollup_read_bound(type, column->since), false,
                                                    get_typbyval(type)),
                                  NULL, -1);
            known->result = (Expr *)node;
            value->casetype = exprType(node);
            value->casecollid = exprCollation(node);
            value->args = list_make1(known);
            value->defresult =
                (Expr *)makeNullConst(value->casetype, exprTypmod(node), value->casecollid);
            return (Node *)value;
        }
    return node;
}

/* A group below whose equal values are not the same. */
static bool
find_many_images(Node *node, void *level)
{
    if (node && IsA(node, Var) && column_below(level, ((Var *)node)->varattno)->key)
        return !rollup_has_one_image(((Var *)node)->vartype, ((Var *)node)->varcollid);
    return node && expression_tree_walker(node, find_many_images, level);
}

/* Whether an operator compares as groups are compared. */
static bool
compares_as_groups(Oid operator, Oid collation, Node *compared)
{
    TypeCacheEntry *entry =
        lookup_type_cache(getBaseType(exprType(compared)), TYPECACHE_BTREE_OPFAMILY);

    return OidIsValid(entry->btree_opf) && collation == exprCollation(compared) &&
           (op_in_opfamily(operator, entry->btree_opf) ||
            op_in_opfamily(get_negator(operator), entry->btree_opf));
}

/* Whether values that are equal as one type are equal as the other: not so of citext and text. */
static bool
are_equal_alike(Oid one, Oid other)
{
    Oid equal = lookup_type_cache(getBaseType(one), TYPECACHE_EQ_OPR)->eq_opr;

    return OidIsValid(equal) &&
           lookup_type_cache(getBaseType(other), TYPECACHE_EQ_OPR)->eq_opr == equal;
}

/*
 * Whether an expression is the same of equal values of groups below. What waits there may have
 * another one of them than what is stored.
 */
static bool
is_same_of_equals(Node *node, const RollupQuery *level)
{
    static const char names[] = " floor ceil ceiling round trunc abs int2 int4 int8 float8 numeric"
                                " numeric_add numeric_sub numeric_mul numeric_mod"
                                " float8pl float8mi float8mul ";
    List *arguments = NIL;
    Oid function = InvalidOid;
    ListCell *cell;

    if (!find_many_images(node, (void *)level))
        return true;
    switch (nodeTag(node)) {
    case T_Var:
        return true;
    case T_TargetEntry:
        return is_same_of_equals((Node *)((TargetEntry *)node)->expr, level);
    case T_RelabelType:
        arguments = list_make1(((RelabelType *)node)->arg);
        if (exprCollation(linitial(arguments)) != exprCollation(node) ||
            !are_equal_alike(exprType(linitial(arguments)), exprType(node)))
            return false;
        break;
    case T_Aggref:
        arguments = lappend(list_copy(((Aggref *)node)->args), ((Aggref *)node)->aggfilter);
        /* Aggregates of others may tell apart what GROUP BY does not, but for numbers. */
        foreach (cell, ((Aggref *)node)->args)
            if (get_func_namespace(((Aggref *)node)->aggfnoid) != PG_CATALOG_NAMESPACE &&
                TypeCategory(exprType((Node *)lfirst_node(TargetEntry, cell)->expr)) !=
                    TYPCATEGORY_NUMERIC &&
                find_many_images(lfirst(cell), (void *)level))
                return false;
        break;
    case T_BoolExpr:
        arguments = ((BoolExpr *)node)->args;
        break;
    case T_NullTest:
        arguments = list_make1(((NullTest *)node)->arg);
        break;
    case T_CoalesceExpr:
        arguments = ((CoalesceExpr *)node)->args;
        break;
    case T_DistinctExpr:
        arguments = ((DistinctExpr *)node)->args;
        if (!compares_as_groups(((DistinctExpr *)node)->opno, ((DistinctExpr *)node)->inputcollid,
                                linitial(arguments)))
            return false;
        break;
    case T_ScalarArrayOpExpr:
        arguments = ((ScalarArrayOpExpr *)node)->args;
        if (!compares_as_groups(((ScalarArrayOpExpr *)node)->opno,
                                ((ScalarArrayOpExpr *)node)->inputcollid, linitial(arguments)))
            return false;
        break;
    default:
        if (!rollup_is_call(node, &function, &arguments))
            return false;
        if (IsA(node, OpExpr) &&
            compares_as_groups(((OpExpr *)node)->opno, ((OpExpr *)node)->inputcollid,
                               linitial(arguments)))
            function = InvalidOid;
    }
    foreach (cell, arguments)
        if (lfirst(cell) && !is_same_of_equals(lfirst(cell), level))
            return false;
    return !OidIsValid(function) || (get_func_namespace(function) == PG_CATALOG_NAMESPACE &&
                                     strstr(names, psprintf(" %s ", get_func_name(function))));
}

static void
check_same_of_equals(const RollupQuery *level, Node *node, List *context)
{
    if (!is_same_of_equals(node, level))
        rollup_refuse(psprintf(
            "%s, which may differ where values of a group of %s are equal, as 1.0 and 1.00 are: "
            "group by it there, too",
            deparse_expression(node, context, false, true), rollup_relation_name(level->read)));
}

void
rollup_describe_flow(RollupQuery *level, const Query *query, List *context)
{
    List *merges = merges_below(level), *known = NIL;
    bool knows_where = true;
    ListCell *cell;

    foreach (cell, make_ands_implicit((Expr *)query->jointree->quals)) {
        check_same_of_equals(level, lfirst(cell), context);
        if (reads_aggregates(level, lfirst(cell)))
            knows_where = false;
        else
            known = lappend(known, lfirst(cell));
    }
    level->flows = knows_where;
    if (known)
        level->flow_where =
            deparse_expression((Node *)make_ands_explicit(known), context, false, true);
    foreach (cell, query->targetList) {
        const TargetEntry *column = lfirst(cell);
        RollupColumn *described = list_nth(level->columns, foreach_current_index(cell));

        check_same_of_equals(level, (Node *)column->expr, context);
        described->flow = described->expression;
        if (!column->ressortgroupref) {
            level->flows = flows(level, (Aggref *)column->expr, merges) && level->flows;
            described->flow =
                deparse_expression(as_known((Node *)column->expr, level), context, false, true);
        } else if (reads_aggregates(level, (Node *)column->expr))
            rollup_refuse(psprintf("%s, which groups by an aggregate of %s: group by its groups",
                                   quote_identifier(column->resname),
                                   rollup_relation_name(level->read)));
        else if (!knows_where && !rollup_cannot_fail((Node *)column->expr))
            rollup_refuse(psprintf("%s, which may fail where a condition on an aggregate of %s "
                                   "leaves it out: group by it there, too",
                                   described->expression, rollup_relation_name(level->read)));
    }
}
