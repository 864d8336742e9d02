/*
 * delta.c - what rows that were written change in a rollup, computed from its query as a tree.
 *
 * PostgreSQL keeps the query of the view NAME_query in pg_rewrite: by OIDs and numbers of columns.
 * That tree is executed here, with the rows that a statement wrote in place of the table, and its
 * result is inserted into the log. So what is renamed or moved is the same still, and nothing is
 * read from text.
 *
 * Plans are kept for the session. What they depend on makes them invalid, as in plancache.c of
 * PostgreSQL, whose own plans need a text to be made again from.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"

#include "access/attmap.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define WRITTEN "rollup_written" /* the rows, as plans call them */

/* How what rows of one layout change is computed. */
typedef struct KeptPlan {
    struct {
        Oid query, layout, log;
        int joined;
    } key;
    bool is_valid, pins_settings, reads_tables;
    int read_count;
    AttrNumber *read;                  /* the columns that the query reads, of the layout */
    List *relations, *items;           /* what it depends on */
    PlannedStmt *planned[DELTA_KINDS]; /* NULL: not needed yet */
    MemoryContext context;
} KeptPlan;

static HTAB *plans;

/* ---- what makes a plan invalid ---- */

void
rollup_forget_plans(Oid relation)
{
    HASH_SEQ_STATUS all;
    KeptPlan *plan;

    if (plans == NULL)
        return;
    hash_seq_init(&all, plans);
    while ((plan = hash_seq_search(&all)) != NULL)
        if (!OidIsValid(relation) || list_member_oid(plan->relations, relation))
            plan->is_valid = false;
}

/* Functions and domains that a plan depends on; anything else of these catalogs is of all plans. */
static void
forget_object(Datum argument, int cache, uint32 hash)
{
    HASH_SEQ_STATUS all;
    KeptPlan *plan;
    ListCell *cell;

    (void)argument;
    hash_seq_init(&all, plans);
    while ((plan = hash_seq_search(&all)) != NULL) {
        if (cache != PROCOID && cache != TYPEOID)
            plan->is_valid = false;
        foreach (cell, plan->is_valid ? plan->items : NIL) {
            PlanInvalItem *item = lfirst(cell);

            if (item->cacheId == cache && (hash == 0 || item->hashValue == hash))
                plan->is_valid = false;
        }
    }
}

static void
begin_session(void)
{
    static const int caches[] = {PROCOID, TYPEOID, OPEROID, AMOPOPID, NAMESPACEOID};
    HASHCTL control = {0};

    control.keysize = sizeof((KeptPlan *)NULL)->key;
    control.entrysize = sizeof(KeptPlan);
    plans = hash_create("plans of rollups", 32, &control, HASH_ELEM | HASH_BLOBS);
    for (size_t i = 0; i < lengthof(caches); i++)
        CacheRegisterSyscacheCallback(caches[i], forget_object, (Datum)0);
}

/* ---- the tree ---- */

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
    EphemeralNamedRelationData rows = {
        {WRITTEN, InvalidOid, rollup_columns_of(target->layout), ENR_NAMED_TUPLESTORE, 100}};

    state->p_queryEnv = create_queryEnv();
    register_ENR(state->p_queryEnv, &rows);
    return addRangeTableEntryForENR(state, makeRangeVar(NULL, WRITTEN, -1), true)->p_rte;
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
    query->targetList =
        (List *)rollup_expand_generated((Node *)query->targetList, source, target->source);
    query->jointree =
        (FromExpr *)rollup_expand_generated((Node *)query->jointree, source, target->source);
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

/* ---- the statement ---- */

static _Noreturn void
raise_other_columns(Oid log)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("%s does not have the columns of the query of its rollup",
                           rollup_relation_name(log)),
                    errhint("rollup_list() shows what is wrong.")));
}

/*
 * INSERT INTO log SELECT delta, ... FROM the rows. places: which of their columns each of the log
 * has. Those that have none are constants, which a domain that is NOT NULL does not look at. What
 * is marked as a whole has no rows; its period is the column that is never NULL.
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
    int seen = 0;

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

        if (column->attisdropped)
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
    if (rows && seen != list_length(places))
        raise_other_columns(target->log);
    insert->rtable = state->p_rtable;
    sketches_take_permissions(insert, state);
    table_close(log, NoLock);
    return insert;
}

static bool
is_interpreted(Oid function, void *context)
{
    /* Those that are compiled do not look up names. */
    HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
    Oid language = HeapTupleIsValid(tuple) ? ((Form_pg_proc)GETSTRUCT(tuple))->prolang : InvalidOid;

    (void)context;
    if (HeapTupleIsValid(tuple))
        ReleaseSysCache(tuple);
    return language != INTERNALlanguageId && language != ClanguageId;
}

static bool
calls_interpreted(Node *node, void *context)
{
    if (node && IsA(node, Query))
        return query_tree_walker((Query *)node, calls_interpreted, context, 0);
    return node && (check_functions_in_node(node, is_interpreted, context) ||
                    expression_tree_walker(node, calls_interpreted, context));
}

/* ---- plans ---- */

/* The columns of the layout that the query reads, of the table with a number in it. */
static void
note_read(KeptPlan *plan, const Query *query, int table)
{
    int number = -1;
    Bitmapset *read = NULL;

    pull_varattnos((Node *)query->targetList, table, &read);
    pull_varattnos((Node *)query->jointree, table, &read);
    plan->read =
        MemoryContextAlloc(plan->context, (bms_num_members(read) + 1) * sizeof *plan->read);
    while ((number = bms_next_member(read, number)) >= 0)
        if (number + FirstLowInvalidHeapAttributeNumber > 0)
            plan->read[plan->read_count++] = number + FirstLowInvalidHeapAttributeNumber;
}

/* Plans a delta, as the owner. Whatever comes meanwhile makes it invalid. */
static void
make_plan(KeptPlan *plan, const RollupTarget *target, Delta delta)
{
    int settings = rollup_pin_settings();
    MemoryContext caller = CurrentMemoryContext;
    MemoryContext work = AllocSetContextCreate(caller, "planning a rollup", ALLOCSET_DEFAULT_SIZES);
    Query *rows = NULL;
    List *places = NIL, *rewritten;
    PlannedStmt *planned;
    ListCell *cell;

    MemoryContextSwitchTo(work);
    rollup_check_part(target->log);
    if (delta == DELTA_KEYS) {
        Query *flat = rollup_query_of(target->query);

        rollup_flatten(flat, false);
        if (target->joined > list_length(flat->rtable) ||
            rt_fetch(target->joined, flat->rtable)->relid != target->layout)
            raise_other_table(target->query);
        flat->targetList = (List *)rollup_expand_generated((Node *)flat->targetList, target->joined,
                                                           target->layout);
        flat->jointree = (FromExpr *)rollup_expand_generated((Node *)flat->jointree, target->joined,
                                                             target->layout);
        note_read(plan, flat, target->joined);
        rows = keys_of_rows(target, flat, &places);
    } else if (delta != DELTA_EVERYTHING) {
        bool is_star = OidIsValid(target->written) || target->joins;

        rows = query_of_rows(target, target->query);
        plan->pins_settings = calls_interpreted((Node *)rows, NULL);
        /* Rows that flow are never compared, and their query has subqueries. */
        if (plan->read == NULL && delta != DELTA_FLOW)
            note_read(plan, rows, rollup_source_number(rows));
        if (is_star && delta == DELTA_MARK)
            rows = marks_of_rows(target, rows, &places);
        else if (is_star)
            rows = query_of_rows(target, target->written);
        else if (delta == DELTA_MARK)
            places = lcons_int(0, keep_groups(rows));
        else if (delta != DELTA_FLOW)
            places = list_make1_int(0);
        foreach (cell, delta == DELTA_MARK ? NIL : rows->targetList)
            places = lappend_int(places, foreach_current_index(cell) + 1);
    }
    rewritten = QueryRewrite(insert_of(target, rows, places, delta));
    if (list_length(rewritten) != 1)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s has rules", rollup_relation_name(target->log)),
                        errhint("DROP RULE ... ON %s;", rollup_relation_name(target->log))));
    planned = sketches_plan_query(linitial_node(Query, rewritten), "rollup");
    planned->jitFlags = 0;
    MemoryContextSwitchTo(plan->context);
    plan->planned[delta] = planned = copyObject(planned);
    foreach (cell, planned->relationOids)
        if (!list_member_oid(plan->relations, lfirst_oid(cell))) {
            plan->relations = lappend_oid(plan->relations, lfirst_oid(cell));
            plan->reads_tables = true;
        }
    plan->items = list_concat(plan->items, copyObject(planned->invalItems));
    MemoryContextSwitchTo(caller);
    MemoryContextDelete(work);
    AtEOXact_GUC(false, settings);
}

/* The plan of a target, of which everything is dropped if it is not valid any more. */
static KeptPlan *
find_plan(const RollupTarget *target)
{
    KeptPlan wanted = {.key = {target->query, target->layout, target->log, target->joined}}, *plan;
    MemoryContext caller;
    bool found;

    if (plans == NULL)
        begin_session();
    plan = hash_search(plans, &wanted.key, HASH_ENTER, &found);
    if (found && plan->is_valid)
        return plan;
    /* Who is at work with it, as after an error or in an outer call, may go on. */
    if (found && plan->context)
        MemoryContextSetParent(plan->context, TopTransactionContext);
    *plan = wanted;
    plan->context =
        AllocSetContextCreate(TopMemoryContext, "plan of a rollup", ALLOCSET_SMALL_SIZES);
    caller = MemoryContextSwitchTo(plan->context);
    plan->relations =
        list_make5_oid(target->query, target->source, target->layout, target->log, target->written);
    MemoryContextSwitchTo(caller);
    plan->is_valid = true;
    return plan;
}

static void
execute(const KeptPlan *plan, PlannedStmt *planned, Tuplestorestate *rows, Oid table)
{
    QueryEnvironment *environment = create_queryEnv();
    EphemeralNamedRelationData written = {
        {WRITTEN, table, OidIsValid(table) ? NULL : rollup_columns_of(plan->key.layout),
         ENR_NAMED_TUPLESTORE, 0},
        rows};
    QueryDesc *query;

    if (rows)
        register_ENR(environment, &written);
    /* What is read beside the rows is read as it is now: after this transaction has its number. */
    PushActiveSnapshot(plan->reads_tables ? GetTransactionSnapshot() : GetActiveSnapshot());
    query = CreateQueryDesc(planned, "rollup", GetActiveSnapshot(), InvalidSnapshot, None_Receiver,
                            NULL, environment, 0);
    (void)ExecutorStart(query, 0);
    sketches_run(query);
    ExecutorFinish(query);
    ExecutorEnd(query);
    FreeQueryDesc(query);
    PopActiveSnapshot();
}

void
rollup_log(const RollupTarget *target, Delta delta, Tuplestorestate *rows, Oid table)
{
    RollupUser caller = rollup_act_as(target->owner);
    KeptPlan *plan;
    int settings = 0;
    bool pins_settings;
    ListCell *cell;

    /* Of a star, what is marked does not depend on what a writer sees of other tables. */
    if (delta == DELTA_ADD && target->joins &&
        (!OidIsValid(target->written) || !rollup_finds_joined(target->source, target->joins)))
        delta = DELTA_MARK;
    for (;;) {
        plan = find_plan(target);
        if (plan->planned[delta] == NULL)
            make_plan(plan, target, delta);
        /* To wait for a lock is to hear of what has changed. */
        foreach (cell, plan->planned[delta]->rtable) {
            RangeTblEntry *entry = lfirst(cell);

            if (entry->rtekind == RTE_RELATION)
                LockRelationOid(entry->relid, entry->rellockmode);
        }
        if (plan->is_valid && delta == DELTA_ADD && target->joins &&
            !sketches_is_permitted(plan->planned[delta]))
            delta = DELTA_MARK;
        else if (plan->is_valid)
            break;
        CHECK_FOR_INTERRUPTS();
    }
    pins_settings = plan->pins_settings;
    if (pins_settings)
        settings = rollup_pin_settings();
    execute(plan, plan->planned[delta], rows, table);
    if (pins_settings)
        AtEOXact_GUC(false, settings);
    rollup_act_again(caller);
}

/* A plan that knows which columns are read. */
static const KeptPlan *
plan_of_rows(const RollupTarget *target)
{
    KeptPlan *plan = find_plan(target);

    if (plan->read == NULL) {
        RollupUser caller = rollup_act_as(target->owner);

        make_plan(plan, target, target->joined ? DELTA_KEYS : DELTA_MARK);
        rollup_act_again(caller);
    }
    return plan;
}

/* Whether a row differs in what the query reads; as bits, so that types need no comparison. */
static bool
differs(const KeptPlan *plan, TupleDesc columns, TupleTableSlot *old, TupleTableSlot *new)
{
    for (int i = 0; i < plan->read_count; i++) {
        Form_pg_attribute column = TupleDescAttr(columns, plan->read[i] - 1);
        bool was_null, is_null;
        Datum was = slot_getattr(old, plan->read[i], &was_null);
        Datum is = slot_getattr(new, plan->read[i], &is_null);

        if (was_null != is_null ||
            (!was_null && !datum_image_eq(was, is, column->attbyval, column->attlen)))
            return true;
    }
    return false;
}

bool
rollup_differs(const RollupTarget *target, TupleDesc columns, TupleTableSlot *old,
               TupleTableSlot *new)
{
    return differs(plan_of_rows(target), columns, old, new);
}

static void
rewind_rows(Tuplestorestate *rows)
{
    tuplestore_select_read_pointer(rows, tuplestore_alloc_read_pointer(rows, EXEC_FLAG_REWIND));
    tuplestore_rescan(rows);
}

Tuplestorestate *
rollup_changed_rows(const RollupTarget *target, TupleDesc columns, Tuplestorestate *before,
                    Tuplestorestate *after)
{
    const KeptPlan *plan = plan_of_rows(target);
    TupleTableSlot *old = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
    TupleTableSlot *new = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);
    Tuplestorestate *changed = NULL;

    rewind_rows(before);
    rewind_rows(after);
    for (;;) {
        bool was = tuplestore_gettupleslot(before, true, false, old);
        bool is = tuplestore_gettupleslot(after, true, false, new);

        CHECK_FOR_INTERRUPTS();
        if (!was && !is)
            break;
        if (was && is && !differs(plan, columns, old, new))
            continue;
        if (changed == NULL)
            changed = tuplestore_begin_heap(false, false, work_mem);
        if (was)
            tuplestore_puttupleslot(changed, old);
        if (is)
            tuplestore_puttupleslot(changed, new);
    }
    ExecDropSingleTupleTableSlot(old);
    ExecDropSingleTupleTableSlot(new);
    return changed;
}
