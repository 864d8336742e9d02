/*
 * plans.c - what rows that were written change in a rollup, logged by plans kept for the session.
 *
 * What they depend on makes them invalid, as in plancache.c of PostgreSQL, whose own plans need a
 * text to be made again from.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

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

static void
forget_relation(Datum argument, Oid relation)
{
    HASH_SEQ_STATUS all;
    KeptPlan *plan;

    (void)argument;
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
    CacheRegisterRelcacheCallback(forget_relation, (Datum)0);
}

/* ---- plans ---- */

/* The columns of the layout that the query reads. */
static void
keep_read(KeptPlan *plan, const Bitmapset *read)
{
    int number = -1;

    plan->read =
        MemoryContextAlloc(plan->context, (bms_num_members(read) + 1) * sizeof *plan->read);
    while ((number = bms_next_member(read, number)) >= 0)
        if (number + FirstLowInvalidHeapAttributeNumber > 0)
            plan->read[plan->read_count++] = number + FirstLowInvalidHeapAttributeNumber;
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

/* Plans a delta, as the owner. Whatever comes meanwhile makes it invalid. */
static void
make_plan(KeptPlan *plan, const RollupTarget *target, Delta delta)
{
    int settings = rollup_pin_settings();
    MemoryContext caller = CurrentMemoryContext;
    MemoryContext work = AllocSetContextCreate(caller, "planning a rollup", ALLOCSET_DEFAULT_SIZES);
    Bitmapset *read = NULL;
    Query *insert;
    List *rewritten;
    PlannedStmt *planned;
    ListCell *cell;

    MemoryContextSwitchTo(work);
    rollup_check_part(target->log);
    insert = rollup_log_query(target, delta, &read);
    if (plan->read == NULL && delta != DELTA_EVERYTHING && delta != DELTA_FLOW)
        keep_read(plan, read);
    rewritten = QueryRewrite(insert);
    if (list_length(rewritten) != 1)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s has rules", rollup_relation_name(target->log)),
                        errhint("DROP RULE ... ON %s;", rollup_relation_name(target->log))));
    /* Also of defaults of columns that others added. */
    plan->pins_settings = plan->pins_settings || calls_interpreted(linitial(rewritten), NULL);
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
        {ROLLUP_ROWS_WRITTEN, table, OidIsValid(table) ? NULL : rollup_columns_of(plan->key.layout),
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
    /* What was planned under all locks may be executed, whatever is still said of it. */
    for (int tries = 0;; tries++) {
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
        else if (plan->is_valid || tries == 2)
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
