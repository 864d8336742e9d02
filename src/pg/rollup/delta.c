/*
 * delta.c - what rows that were written change in a rollup, as a statement that logs it.
 *
 * The tree of the query is that of the statement, with the rows in place of the table. It is never
 * made of text.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"

#include "access/attmap.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/*
 * Has the query read columns of a table below the source, which may be others there. What is stored
 * below a level has those of its view, whatever they are called.
 */
static void
read_layout(Query *query, int source, Oid from, Oid to)
{
    TupleDesc columns = rollup_columns_of(to), names = rollup_columns_of(from);
    AttrMap *map = get_rel_relkind(from) == RELKIND_VIEW
                       ? build_attrmap_by_position(columns, names, "A part of the rollup below.")
                       : sketches_attribute_map(columns, names);
    bool whole_row;

    if (map == NULL)
        return;
    query->targetList = (List *)map_variable_attnos((Node *)query->targetList, source, 0, map,
                                                    InvalidOid, &whole_row);
    query->jointree = (FromExpr *)map_variable_attnos((Node *)query->jointree, source, 0, map,
                                                      InvalidOid, &whole_row);
}

/* Leaves the groups of a query, distinct by GROUP BY; returns their places among all columns. */
static List *
keep_groups(Query *query)
{
    List *groups = NIL, *places = NIL;
    ListCell *cell;

    foreach (cell, query->targetList) {
        TargetEntry *column = lfirst(cell);

        places = lappend_int(places, column->ressortgroupref ? list_length(groups) + 1 : 0);
        if (column->ressortgroupref) {
            groups = lappend(groups, column);
            column->resno = list_length(groups);
        }
    }
    query->targetList = groups;
    query->hasAggs = false;
    return places;
}

static RangeTblEntry *
entry_of_rows(const RollupTarget *target)
{
    ParseState *state = make_parsestate(NULL);
    EphemeralNamedRelationData rows = {{ROLLUP_ROWS_WRITTEN, InvalidOid,
                                        rollup_columns_of(target->layout), ENR_NAMED_TUPLESTORE,
                                        100}};

    state->p_queryEnv = create_queryEnv();
    register_ENR(state->p_queryEnv, &rows);
    return addRangeTableEntryForENR(state, makeRangeVar(NULL, ROLLUP_ROWS_WRITTEN, -1), true)
        ->p_rte;
}

/* It was replaced. */
static _Noreturn void
raise_other_table(Oid view)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("%s does not read the table of its rollup", rollup_relation_name(view)),
                    errhint("rollup_list() shows what is wrong.")));
}

/* Where a table is in a query. */
typedef struct Place {
    int number, level;
} Place;

/* Whether a query, which may have been replaced, reads what rows alone do not have. */
static bool
reads_no_column(Node *node, void *context)
{
    Place *table = context;
    bool found;

    if (node == NULL)
        return false;
    if (IsA(node, Var))
        return ((Var *)node)->varno == table->number &&
               (int)((Var *)node)->varlevelsup == table->level && ((Var *)node)->varattno <= 0;
    if (!IsA(node, Query))
        return expression_tree_walker(node, reads_no_column, context);
    table->level++;
    found = query_tree_walker((Query *)node, reads_no_column, context, 0);
    table->level--;
    return found;
}

static void
expand_generated(Query *query, int number, Oid table)
{
    query->targetList = (List *)rollup_expand_generated((Node *)query->targetList, number, table);
    query->jointree = (FromExpr *)rollup_expand_generated((Node *)query->jointree, number, table);
}

/* The query that a view keeps, of rows in place of the table. */
static Query *
query_of_rows(const RollupTarget *target, Oid view)
{
    Query *query = rollup_query_of(view);
    int source = rollup_source_number(query);

    if (rt_fetch(source, query->rtable)->relid != target->source)
        raise_other_table(view);
    if (query_tree_walker(query, reads_no_column, &(Place){.number = source}, 0))
        rollup_refuse("system columns or whole rows: name the columns");
    expand_generated(query, source, target->source);
    if (target->layout != target->source)
        read_layout(query, source, target->source, target->layout);
    lfirst(list_nth_cell(query->rtable, source - 1)) = entry_of_rows(target);
    AcquireRewriteLocks(query, true, false);
    return query;
}

/* A query of the rows, which are number 1, alone. */
static Query *
query_of_rows_alone(const RollupTarget *target, List *columns)
{
    Query *query = makeNode(Query);
    RangeTblRef *from = makeNode(RangeTblRef);

    from->rtindex = 1;
    query->commandType = CMD_SELECT;
    query->querySource = QSRC_ORIGINAL;
    query->canSetTag = true;
    query->rtable = list_make1(entry_of_rows(target));
    query->targetList = columns;
    query->jointree = makeFromExpr(list_make1(from), NULL);
    return query;
}

/*
 * Of a star: the groups of rows, as far as the rows alone tell. If they tell nothing, a row for
 * all of them.
 */
static Query *
marks_of_rows(const RollupTarget *target, Query *rows, List **places)
{
    int source = rollup_source_number(rows);
    Query *marks;
    ListCell *cell;

    *places = list_make2_int(0, 0);
    ChangeVarNodes((Node *)rows->targetList, source, 1, 0);
    ChangeVarNodes(rows->jointree->quals, source, 1, 0);
    marks = query_of_rows_alone(target, NIL);
    foreach (cell, rows->targetList) {
        TargetEntry *column = lfirst(cell);
        bool is_marked = column->ressortgroupref && rollup_is_marked(rows, (Node *)column->expr);

        *places = lappend_int(*places, is_marked ? list_length(marks->targetList) + 1 : 0);
        if (!is_marked)
            continue;
        marks->targetList = lappend(marks->targetList, column);
        column->resno = list_length(marks->targetList);
        marks->groupClause =
            lappend(marks->groupClause,
                    get_sortgroupref_clause(column->ressortgroupref, rows->groupClause));
    }
    foreach (cell, make_ands_implicit((Expr *)rows->jointree->quals))
        if (rollup_is_of_facts(lfirst(cell)))
            marks->jointree->quals = make_and_qual(marks->jointree->quals, lfirst(cell));
    if (marks->targetList == NIL)
        marks->limitCount = (Node *)makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
                                              Int64GetDatum(1), false, FLOAT8PASSBYVAL);
    return marks;
}

/* Of rows of a table that is joined: the transaction, and the keys by which facts find them. */
static Query *
keys_of_rows(const RollupTarget *target, const Query *flat, List **places)
{
    List *columns = list_make1(
        makeTargetEntry((Expr *)makeFuncExpr(F_PG_CURRENT_XACT_ID, XID8OID, NIL, InvalidOid,
                                             InvalidOid, COERCE_EXPLICIT_CALL),
                        1, pstrdup("xid"), false));
    ListCell *cell;

    *places = list_make2_int(0, 1);
    for (int number = 2; number <= list_length(flat->rtable); number++)
        foreach (cell, rollup_keys_of(flat, number)) {
            AttrNumber key = lfirst_int(cell);
            Oid type, collation;
            int32 modifier;
            Node *column;

            *places = lappend_int(*places, number == target->joined ? list_length(columns) + 1 : 0);
            if (number != target->joined)
                continue;
            get_atttypetypmodcoll(target->layout, key, &type, &modifier, &collation);
            column = (Node *)makeVar(1, key, type, modifier, collation, 0);
            type = getBaseTypeAndTypmod(type, &modifier);
            column = applyRelabelType(column, type, modifier, collation, COERCE_IMPLICIT_CAST, -1,
                                      false);
            columns = lappend(columns, makeTargetEntry((Expr *)column, list_length(columns) + 1,
                                                       pstrdup("key"), false));
        }
    return query_of_rows_alone(target, columns);
}

static _Noreturn void
raise_other_columns(Oid log)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("%s does not have the columns of the query of its rollup",
                           rollup_relation_name(log)),
                    errhint("rollup_list() shows what is wrong.")));
}

/* Whether a column of a log is the rollup's: it has those of the query, and these. */
static bool
is_logged(const Query *query, Form_pg_attribute column)
{
    ListCell *cell;

    foreach (cell, query->targetList)
        if (namestrcmp(&column->attname, lfirst_node(TargetEntry, cell)->resname) == 0)
            return true;
    return namestrcmp(&column->attname, "mark") == 0 ||
           namestrcmp(&column->attname, "rollup_seen") == 0;
}

/*
 * INSERT INTO log SELECT delta, ... FROM the rows. places: which of their columns each of the log
 * has. Those that have none are constants, which a domain that is NOT NULL does not look at;
 * columns that others added, known by their names, get their defaults. What is marked as a whole
 * has no rows; its period is the column that is never NULL.
 */
static Query *
insert_of(const RollupTarget *target, Query *rows, const List *places, Delta delta)
{
    Relation log = table_open(target->log, RowExclusiveLock);
    TupleDesc columns = RelationGetDescr(log);
    ParseState *state = make_parsestate(NULL);
    ParseNamespaceItem *into =
        addRangeTableEntryForRelation(state, log, RowExclusiveLock, NULL, false, false);
    Query *insert = makeNode(Query);
    Query *logged = delta == DELTA_KEYS ? NULL : rollup_query_of(target->query);
    int wanted = rows ? list_length(places)
                      : list_length(logged->targetList) + 1 + OidIsValid(target->written);
    int live = 0, seen = 0;

    for (int i = 0; i < columns->natts; i++)
        live += !TupleDescAttr(columns, i)->attisdropped;
    sketches_require(into, ACL_INSERT);
    insert->commandType = CMD_INSERT;
    insert->querySource = QSRC_ORIGINAL;
    insert->canSetTag = true;
    insert->resultRelation = 1;
    insert->jointree = makeFromExpr(NIL, NULL);
    if (rows) {
        RangeTblRef *from = makeNode(RangeTblRef);

        (void)addRangeTableEntryForSubquery(state, rows, makeAlias("rollup_delta", NIL), false,
                                            true);
        from->rtindex = 2;
        insert->jointree->fromlist = list_make1(from);
    }
    for (int number = 1; number <= columns->natts; number++) {
        Form_pg_attribute column = TupleDescAttr(columns, number - 1);
        int place = seen < list_length(places) ? list_nth_int(places, seen) : 0;
        Node *value;

        if (column->attisdropped || seen == wanted ||
            (live > wanted && logged && !is_logged(logged, column)))
            continue;
        seen++;
        if (place > 0)
            value = (Node *)makeVarFromTargetEntry(2, list_nth(rows->targetList, place - 1));
        else if (seen == 1)
            value = (Node *)makeConst(INT2OID, -1, InvalidOid, sizeof(int16),
                                      Int16GetDatum(target->joined ? target->joined - 1 : delta),
                                      false, true);
        else if (rows == NULL && sketches_never_null(columns, number))
            value = (Node *)makeConst(
                column->atttypid, -1, InvalidOid, column->attlen,
                rollup_read_bound(column->atttypid, rollup_bound(column->atttypid, true)), false,
                column->attbyval);
        else
            value =
                (Node *)makeNullConst(column->atttypid, column->atttypmod, column->attcollation);
        if (exprType(value) != column->atttypid)
            raise_other_columns(target->log);
        insert->targetList =
            lappend(insert->targetList, makeTargetEntry((Expr *)value, number,
                                                        pstrdup(NameStr(column->attname)), false));
    }
    if (seen < wanted)
        raise_other_columns(target->log);
    insert->rtable = state->p_rtable;
    sketches_take_permissions(insert, state);
    table_close(log, NoLock);
    return insert;
}

/* The columns that a query reads of a table, by its number. */
static Bitmapset *
columns_read(const Query *query, int table)
{
    Bitmapset *read = NULL;

    pull_varattnos((Node *)query->targetList, table, &read);
    pull_varattnos((Node *)query->jointree, table, &read);
    return read;
}

/* Of rows of a table that is joined. */
static Query *
log_keys_query(const RollupTarget *target, Bitmapset **read)
{
    Query *flat = rollup_query_of(target->query);
    const int joined = target->joined;
    List *places;

    rollup_flatten(flat, false);
    if (joined > list_length(flat->rtable) ||
        rt_fetch(joined, flat->rtable)->relid != target->layout)
        raise_other_table(target->query);
    expand_generated(flat, joined, target->layout);
    *read = columns_read(flat, joined);
    flat = keys_of_rows(target, flat, &places);
    return insert_of(target, flat, places, DELTA_KEYS);
}

Query *
rollup_log_query(const RollupTarget *target, Delta delta, Bitmapset **read)
{
    bool is_star = OidIsValid(target->written) || target->joins;
    Query *rows;
    List *places = NIL;

    if (delta == DELTA_EVERYTHING)
        return insert_of(target, NULL, NIL, delta);
    if (delta == DELTA_KEYS)
        return log_keys_query(target, read);
    rows = query_of_rows(target, target->query);
    /* Rows that flow are never compared, and their query has subqueries. */
    if (delta != DELTA_FLOW)
        *read = columns_read(rows, rollup_source_number(rows));
    if (is_star && delta == DELTA_MARK)
        rows = marks_of_rows(target, rows, &places);
    else if (is_star)
        rows = query_of_rows(target, target->written);
    else if (delta == DELTA_MARK)
        places = lcons_int(0, keep_groups(rows));
    else if (delta != DELTA_FLOW)
        places = list_make1_int(0);
    for (int i = 1; delta != DELTA_MARK && i <= list_length(rows->targetList); i++)
        places = lappend_int(places, i);
    return insert_of(target, rows, places, delta);
}
