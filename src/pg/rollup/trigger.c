/*
 * trigger.c - the trigger of all rollups: which one it is for, and what it logs.
 *
 * SQL objects served:
 *   _rollup_write() -> trigger
 *       logs what a statement or a row changed; on the state, notes that it is restored; on a shard
 *       of the log, refreshes it
 *   _rollup_moves(is_deleted bool) -> bool, STRICT
 *       whether a row is one that an UPDATE or MERGE moves to another partition
 *
 * A trigger says which rollup it is for in WHEN ('NAME_state'::regclass IS NOT NULL), and that
 * names its other parts, see parts.c: PostgreSQL keeps OIDs of both, follows renames, and dumps
 * names. Anybody may execute the function, and so hang it on a table of their own. So it logs for
 * tables that the query reads only, for triggers as rollup_create makes them, and for the eldest of
 * those that would log the same. The same triggers on another table that is not temporary may be
 * those of a partition that was detached: they log nothing, and let it be written.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/tupconvert.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "parser/parsetree.h"
#include "replication/logicalworker.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* The type of the trigger of a state. */
#define RESTORING (TRIGGER_TYPE_ROW | TRIGGER_TYPE_BEFORE | TRIGGER_TYPE_INSERT)

typedef enum Role {
    WRITES,   /* its table is the query's, or below it */
    JOINED,   /* its table is one that the query joins */
    IS_AWAY,  /* it was, as a partition that was detached */
    IDLE,     /* another trigger logs the same, or nobody can read the rollup */
    RESTORES, /* its table is the state, of which the only row comes by a restore */
    FOLDS,    /* its table is a shard of the log */
    STORED,   /* its table has the stored rows of the rollup that is read */
    FLOWS     /* its table is the log of that, of which a refresh takes away what it stores */
} Role;

/* What a trigger is for. */
typedef struct Follower {
    Oid trigger; /* key */
    bool is_valid, is_made, is_moved;
    bool is_restored; /* see is_restored() */
    Distributed distributed;
    int replication; /* the role of the session in replication, which decides who fires */
    Role role;
    Oid state; /* on Citus, the bounds */
    RollupTarget target;
    Oid keys;           /* of a star: where those of rows that changed are logged */
    List *joined;       /* the numbers of a table that is joined */
    AttrMap *to_source; /* where its table has the columns of the source; NULL: as that */
    List *relations;    /* what it depends on */
    MemoryContext context;
} Follower;

static HTAB *followers;

static void
forget_relation(Datum argument, Oid relation)
{
    HASH_SEQ_STATUS all;
    Follower *follower;

    (void)argument;
    hash_seq_init(&all, followers);
    while ((follower = hash_seq_search(&all)) != NULL)
        if (!OidIsValid(relation) || list_member_oid(follower->relations, relation))
            follower->is_valid = false;
    rollup_forget_plans(relation);
}

/* ---- which trigger ---- */

static _Noreturn void
raise_foreign(Oid table, const Trigger *trigger)
{
    const char *name = quote_identifier(trigger->tgname);
    const char *of = rollup_relation_name(table);

    ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                    errmsg("trigger %s of table %s is not one that a rollup has", name, of),
                    errdetail("_rollup_write() logs for triggers that rollup_create or "
                              "rollup_refresh made."),
                    errhint("DROP TRIGGER %s ON %s;", name, of)));
}

/* Whether it fires for the rows that a rollup logs, and has them. */
static bool
has_rows(const Trigger *trigger, bool is_moved)
{
    const int16 insert = TRIGGER_TYPE_INSERT, delete = TRIGGER_TYPE_DELETE,
                update = TRIGGER_TYPE_UPDATE, row = TRIGGER_TYPE_ROW;

    if (trigger->tgnattr > 0 || trigger->tgdeferrable)
        return false;
    if (is_moved)
        return trigger->tgtype == (row | insert) || trigger->tgtype == (row | delete);
    switch (trigger->tgtype) {
    case TRIGGER_TYPE_INSERT:
        return trigger->tgnewtable != NULL;
    case TRIGGER_TYPE_DELETE:
        return trigger->tgoldtable != NULL;
    case TRIGGER_TYPE_UPDATE:
        return trigger->tgoldtable != NULL && trigger->tgnewtable != NULL;
    default:
        return trigger->tgtype == TRIGGER_TYPE_TRUNCATE ||
               trigger->tgtype == (TRIGGER_TYPE_BEFORE | update) ||
               trigger->tgtype == (row | insert | delete | update);
    }
}

static bool
fires(const Trigger *trigger)
{
    return trigger->tgenabled == TRIGGER_FIRES_ALWAYS ||
           trigger->tgenabled == (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA
                                      ? TRIGGER_FIRES_ON_REPLICA
                                      : TRIGGER_FIRES_ON_ORIGIN);
}

/* Whether an elder trigger logs the same rows: who may make triggers must not count them twice. */
static bool
has_elder(const TriggerDesc *triggers, const Trigger *trigger, Oid state)
{
    for (int i = 0; triggers && i < triggers->numtriggers; i++) {
        const Trigger *other = &triggers->triggers[i];
        bool is_moved;

        if (other->tgfoid == trigger->tgfoid && other->tgoid < trigger->tgoid && fires(other) &&
            (other->tgtype & trigger->tgtype & TRIGGER_TYPE_EVENT_MASK) &&
            !TRIGGER_FOR_BEFORE(other->tgtype) && has_rows(other, false) &&
            rollup_state_in(other->tgqual, &is_moved) == state && !is_moved &&
            other->tgnargs == trigger->tgnargs &&
            (other->tgnargs == 0 || strcmp(other->tgargs[0], trigger->tgargs[0]) == 0))
            return true;
    }
    return false;
}

/*
 * Whether a table is below the source; the tables on the way there become what the follower depends
 * on. As the catalogs are now: a transaction that began before fires new triggers, too.
 */
static bool
is_below(Follower *follower, Oid table)
{
    List *way = list_make1_oid(table);
    bool found = false;

    for (int i = 0; i < list_length(way) && !found; i++) {
        Relation inherits = table_open(InheritsRelationId, AccessShareLock);
        ScanKeyData key;
        SysScanDesc scan;
        HeapTuple tuple;

        CHECK_FOR_INTERRUPTS();
        ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
                    ObjectIdGetDatum(list_nth_oid(way, i)));
        scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
        while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
            Form_pg_inherits child = (Form_pg_inherits)GETSTRUCT(tuple);

            /* There can be more ways up than tables. */
            if (!child->inhdetachpending)
                way = list_append_unique_oid(way, child->inhparent);
            found =
                found || (!child->inhdetachpending && child->inhparent == follower->target.source);
        }
        systable_endscan(scan);
        table_close(inherits, AccessShareLock);
    }
    follower->relations = list_concat_unique_oid(follower->relations, way);
    return found;
}

/* What is stored and waits below a level, of the same owner, is written by a refresh or by hand. */
static void
find_below(Follower *follower, const Oid *parts, Oid table, const Trigger *trigger)
{
    RollupTarget *target = &follower->target;
    Oid below[ROLLUP_PART_COUNT];

    rollup_read_below(parts, below);
    target->layout = table;
    follower->role = table == below[ROLLUP_ROWS] ? STORED : FLOWS;
    if (follower->role == FLOWS) {
        target->query = parts[ROLLUP_FLOW];
        target->source = OidIsValid(below[ROLLUP_CHANGES]) ? below[ROLLUP_CHANGES] : table;
    }
    if ((target->source != below[ROLLUP_VIEW] && target->source != below[ROLLUP_PARTS] &&
         follower->role == STORED) ||
        (follower->role == FLOWS &&
         (table != below[ROLLUP_LOG] || trigger->tgtype != TRIGGER_TYPE_DELETE)) ||
        follower->is_moved || !has_rows(trigger, false) ||
        rollup_owner_of(target->query) != target->owner || rollup_owner_of(table) != target->owner)
        raise_foreign(table, trigger);
    follower->relations = lappend_oid(follower->relations, parts[ROLLUP_BELOW]);
}

/*
 * Finds the tables that a star joins. Whether a table is one of them, and which of its numbers has
 * changes that are logged.
 */
static bool
find_joined(Follower *follower, Query *query, Oid table, bool is_insert)
{
    bool found = false;

    rollup_flatten(query, false);
    if (!IsA(linitial(query->jointree->fromlist), JoinExpr))
        return false;
    for (int number = 1; number <= list_length(query->rtable); number++) {
        Oid relation = rt_fetch(number, query->rtable)->relid;

        /* Foreign keys, too, decide. */
        follower->relations = lappend_oid(follower->relations, relation);
        if (number > 1)
            follower->target.joins = lappend_oid(follower->target.joins, relation);
        if (number == 1 || relation != table)
            continue;
        found = true;
        if (!is_insert || !rollup_is_referenced(query, number))
            follower->joined = lappend_int(follower->joined, number);
    }
    return found;
}

/*
 * Whether data are being restored into a schema that was there, triggers on: the row of the state
 * is still to come, or came, and nothing was refreshed since. What is written then is in the
 * stored rows or the log that come, too, and would be added to frozen groups twice. So all others
 * are computed from the rows.
 */
static bool
is_restored(Follower *follower)
{
    AttrNumber number = rollup_state_column(follower->state, "restored", BOOLOID);
    Datum value;
    bool is_null;

    if (number == 0)
        return false;
    /* Who changes it may wait for the table that is written. Then this is asked again. */
    if (!ConditionalLockRelationOid(follower->state, AccessShareLock)) {
        follower->is_valid = false;
        return false;
    }
    return !rollup_read_cell(follower->state, number, &value, &is_null) ||
           (!is_null && DatumGetBool(value));
}

/* Local: the state names the parts. */
static void
find_parts(Follower *follower, Oid table, const Trigger *trigger)
{
    RollupTarget *target = &follower->target;
    Oid parts[ROLLUP_PART_COUNT];
    Query *query;
    RangeTblEntry *entry;
    bool is_joined;

    rollup_read_parts(follower->state, parts);
    target->query = parts[ROLLUP_QUERY];
    target->log = parts[ROLLUP_LOG];
    target->written = parts[ROLLUP_WRITTEN];
    target->owner = rollup_owner_of(follower->state);
    follower->keys = parts[ROLLUP_JOINED];
    /* DROP ... CASCADE took a part, and with it the view that is read. */
    if (!OidIsValid(target->query) || !OidIsValid(target->log) ||
        (!OidIsValid(follower->keys) && get_attnum(follower->state, "folded") > 0)) {
        follower->role = IDLE;
        return;
    }
    if (get_rel_relkind(target->query) != RELKIND_VIEW ||
        get_rel_relkind(target->log) != RELKIND_RELATION ||
        rollup_owner_of(target->query) != target->owner ||
        rollup_owner_of(target->log) != target->owner ||
        (OidIsValid(target->written) && (rollup_owner_of(target->written) != target->owner ||
                                         get_rel_relkind(target->written) != RELKIND_VIEW)) ||
        (OidIsValid(follower->keys) && (rollup_owner_of(follower->keys) != target->owner ||
                                        get_rel_relkind(follower->keys) != RELKIND_RELATION)))
        raise_foreign(table, trigger);
    query = rollup_query_of(target->query);
    entry = rt_fetch(rollup_source_number(query), query->rtable);
    target->source = entry->relid;
    follower->is_restored = is_restored(follower);
    is_joined = OidIsValid(follower->keys) &&
                find_joined(follower, query, table, trigger->tgtype == TRIGGER_TYPE_INSERT);
    if (table == follower->state && trigger->tgtype == RESTORING)
        follower->role = RESTORES;
    else if (entry->relkind == RELKIND_VIEW)
        find_below(follower, parts, table, trigger);
    else if (is_joined && table != target->source && has_rows(trigger, false) &&
             !TRIGGER_FOR_ROW(trigger->tgtype))
        follower->role = JOINED;
    else if (has_rows(trigger, follower->is_moved) &&
             (table == target->source || (entry->inh && is_below(follower, table))))
        follower->role = WRITES;
    else if (has_rows(trigger, follower->is_moved) && !is_joined &&
             get_rel_persistence(table) != RELPERSISTENCE_TEMP)
        follower->role = IS_AWAY;
    else
        raise_foreign(table, trigger);
    /* Anybody can have such a trigger, and must not keep the owner from changing the rollup. */
    if (follower->role == IS_AWAY)
        UnlockRelationOid(target->query, AccessShareLock);
}

/* On Citus: a token names the bounds. */
static void
find_distributed(Follower *follower, Oid table, const Trigger *trigger)
{
    follower->distributed =
        rollup_find_distributed(table, trigger->tgargs[0], trigger->tgtype == TRIGGER_TYPE_TRUNCATE,
                                &follower->target, &follower->state);
    follower->relations = lappend_oid(follower->relations, follower->target.layout);
    follower->role = follower->distributed == NOT_DISTRIBUTED ? IDLE
                     : follower->distributed == OF_LOG        ? FOLDS
                                                              : WRITES;
    /* The trigger of a log has no transition tables. */
    if (follower->distributed == FOREIGN ||
        (follower->role == WRITES && !has_rows(trigger, follower->is_moved)) ||
        (follower->role == FOLDS && trigger->tgtype != TRIGGER_TYPE_UPDATE))
        raise_foreign(table, trigger);
}

/* Finds what a trigger reads and writes. */
static void
find_target(Follower *follower, Relation table, const Trigger *trigger)
{
    RollupTarget *target = &follower->target;

    if (OidIsValid(follower->state))
        find_parts(follower, RelationGetRelid(table), trigger);
    else
        find_distributed(follower, RelationGetRelid(table), trigger);
    follower->relations =
        list_concat(follower->relations,
                    list_make4_oid(follower->state, target->query, target->log, target->source));
    if (follower->role == STORED || follower->role == FLOWS)
        return;
    target->layout = target->source;
    if (follower->role != WRITES || RelationGetRelid(table) == target->source)
        return;
    follower->to_source =
        sketches_attribute_map(RelationGetDescr(table), rollup_columns_of(target->source));
    /* On Citus, that of the table is never needed. */
    if (follower->to_source || follower->distributed != NOT_DISTRIBUTED)
        target->layout = RelationGetRelid(table);
}

static Follower *
find_follower(const TriggerData *data)
{
    const Trigger *trigger = data->tg_trigger;
    Relation table = data->tg_relation;
    Follower *follower;
    MemoryContext caller;
    bool found;

    if (followers == NULL) {
        HASHCTL control = {0};

        control.keysize = sizeof(Oid);
        control.entrysize = sizeof(Follower);
        followers = hash_create("triggers of rollups", 32, &control, HASH_ELEM | HASH_BLOBS);
        CacheRegisterRelcacheCallback(forget_relation, (Datum)0);
    }
    follower = hash_search(followers, &trigger->tgoid, HASH_ENTER, &found);
    if (found && follower->is_valid && follower->is_made &&
        follower->replication == SessionReplicationRole)
        return follower;
    /* Who is at work with it may go on. */
    if (found && follower->context)
        MemoryContextSetParent(follower->context, TopTransactionContext);
    *follower = (Follower){.trigger = trigger->tgoid, .replication = SessionReplicationRole};
    follower->context =
        AllocSetContextCreate(TopMemoryContext, "trigger of a rollup", ALLOCSET_SMALL_SIZES);
    caller = MemoryContextSwitchTo(follower->context);
    /* What comes while it is made makes it invalid, too. */
    follower->relations = list_make1_oid(RelationGetRelid(table));
    follower->is_valid = true;
    follower->state = rollup_state_in(trigger->tgqual, &follower->is_moved);
    if (!OidIsValid(follower->state) && trigger->tgnargs != 1)
        raise_foreign(RelationGetRelid(table), trigger);
    if (!follower->is_moved && !TRIGGER_FOR_BEFORE(trigger->tgtype) &&
        has_elder(table->trigdesc, trigger, follower->state))
        follower->role = IDLE;
    else
        find_target(follower, table, trigger);
    follower->is_made = true;
    MemoryContextSwitchTo(caller);
    return follower;
}

/* ---- rows that move to another partition ---- */

/*
 * The rows that an UPDATE moves are in its transition tables, those that a MERGE moves are not:
 * PostgreSQL puts them into those of DELETE and INSERT, and fires triggers of the actions that the
 * MERGE names. So row triggers collect them, and the statement's trigger, which fires after those
 * of rows, has their groups marked once. After an error, more UPDATEs seem to be at work than are,
 * and rows are collected that nothing takes.
 */
static struct {
    TimestampTz transaction;
    int updates; /* of partitioned tables, at work */
    bool deleted;
} moving;

/* Rows that were moved, in the layout of the source, at a level of savepoints. */
typedef struct Moved {
    Oid query;
    SubTransactionId level;
    TupleDesc columns; /* of the source when the rows came */
    Tuplestorestate *rows;
    struct Moved *next;
    MemoryContextCallback forget;
} Moved;

static Moved *moved;

static void
count_updates(int more)
{
    if (moving.transaction != GetCurrentTransactionStartTimestamp()) {
        moving.transaction = GetCurrentTransactionStartTimestamp();
        moving.updates = 0;
    }
    moving.updates = Max(moving.updates + more, 0);
    moving.deleted = moving.deleted && moving.updates > 0;
}

PG_FUNCTION_INFO_V1(sketches_rollup_moves);
Datum
sketches_rollup_moves(PG_FUNCTION_ARGS)
{
    bool moves = moving.updates > 0 && moving.transaction == GetCurrentTransactionStartTimestamp();

    if (moves && PG_GETARG_BOOL(0))
        moving.deleted = true;
    PG_RETURN_BOOL(moves && moving.deleted);
}

static void
forget_moved(void *argument)
{
    for (Moved **one = &moved; *one; one = &(*one)->next)
        if (*one == argument) {
            *one = (*one)->next;
            return;
        }
}

static Moved *
find_moved(Oid query)
{
    for (Moved *one = moved; one; one = one->next)
        if (one->query == query && one->level == GetCurrentSubTransactionId())
            return one;
    return NULL;
}

/* The rest of it goes with the transaction. */
static void
end_moved(Moved *one)
{
    one->query = InvalidOid;
    tuplestore_end(one->rows);
}

static void
collect_moved(const Follower *follower, const TriggerData *data)
{
    Moved *one = find_moved(follower->target.query);
    TupleTableSlot *row = data->tg_trigslot;

    /* What was left by a statement that failed may be from before an ALTER TABLE. */
    if (one && !equalTupleDescs(one->columns, rollup_columns_of(follower->target.source))) {
        end_moved(one);
        one = NULL;
    }
    if (one == NULL) {
        MemoryContext caller = MemoryContextSwitchTo(CurTransactionContext);
        ResourceOwner resources = CurrentResourceOwner;

        CurrentResourceOwner = CurTransactionResourceOwner;
        one = palloc0(sizeof *one);
        one->query = follower->target.query;
        one->level = GetCurrentSubTransactionId();
        one->columns = CreateTupleDescCopy(rollup_columns_of(follower->target.source));
        one->rows = tuplestore_begin_heap(false, false, work_mem);
        one->next = moved;
        one->forget.func = forget_moved;
        one->forget.arg = one;
        MemoryContextRegisterResetCallback(CurTransactionContext, &one->forget);
        moved = one;
        CurrentResourceOwner = resources;
        MemoryContextSwitchTo(caller);
    }
    if (follower->to_source) {
        TupleTableSlot *mapped =
            MakeSingleTupleTableSlot(rollup_columns_of(follower->target.source), &TTSOpsVirtual);

        tuplestore_puttupleslot(one->rows, execute_attr_map_slot(follower->to_source, row, mapped));
        ExecDropSingleTupleTableSlot(mapped);
    } else
        tuplestore_puttupleslot(one->rows, row);
}

static void
log_moved(const Follower *follower)
{
    Moved *one = find_moved(follower->target.query);
    RollupTarget target = follower->target;

    if (one == NULL)
        return;
    target.layout = target.source;
    if (equalTupleDescs(one->columns, rollup_columns_of(target.source)))
        rollup_log(&target, DELTA_MARK, one->rows, InvalidOid);
    end_moved(one);
}

/*
 * A single row that goes to another partition is a DELETE there and an INSERT here, one after the
 * other. It is no new row, which a frozen group would count again. An UPDATE marks what it moves;
 * a subscription deletes and inserts by one command, and does nothing else by it.
 */
typedef struct Gone {
    Oid query;         /* of the rollup: key */
    Oid table;         /* from which the last row went */
    CommandId command; /* by this */
} Gone;

static HTAB *gone;

/* Whether a row that came is one that went just before; notes one that goes. */
static bool
is_same_row(Oid query, const TriggerData *data)
{
    const HeapTupleHeader row = data->tg_trigtuple->t_data;
    const Oid table = RelationGetRelid(data->tg_relation);
    Gone *last = gone ? hash_search(gone, &query, HASH_FIND, NULL) : NULL;

    if (data->tg_relation->rd_rel->relam != HEAP_TABLE_AM_OID)
        return false;
    if (TRIGGER_FIRED_BY_INSERT(data->tg_event)) {
        bool same = last && OidIsValid(last->table) && last->table != table &&
                    last->command == HeapTupleHeaderGetCmin(row);

        if (last)
            last->table = InvalidOid;
        return same;
    }
    if (last)
        last->table = InvalidOid;
    if (!TRIGGER_FIRED_BY_DELETE(data->tg_event) || !data->tg_relation->rd_rel->relispartition ||
        !(HeapTupleHeaderIndicatesMovedPartitions(row) || IsLogicalWorker()))
        return false;
    if (gone == NULL) {
        HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Gone)};

        gone = hash_create("rows that went", 16, &control, HASH_ELEM | HASH_BLOBS);
    }
    last = hash_search(gone, &query, HASH_ENTER, NULL);
    last->table = table;
    last->command = HeapTupleHeaderGetCmax(row);
    return false;
}

/* ---- what is not logged ---- */

/* A list of texts of the state's as it is now. */
static List *
read_texts(Oid state, const char *column)
{
    AttrNumber number = rollup_state_column(state, column, TEXTARRAYOID);
    List *texts = NIL;
    Datum value, *listed;
    bool is_null, *nulls;
    int count = 0;

    if (number == 0)
        return NIL;
    LockRelationOid(state, AccessShareLock);
    if (rollup_read_cell(state, number, &value, &is_null) && !is_null)
        deconstruct_array(DatumGetArrayTypeP(value), TEXTOID, -1, false, 'i', &listed, &nulls,
                          &count);
    for (int i = 0; i < count; i++)
        texts = lappend(texts, makeString(nulls[i] ? "" : TextDatumGetCString(listed[i])));
    return texts;
}

/*
 * Whether the state lists a table as one that was below the source, and not as missed yet: by
 * number. After a restore, numbers are others, and it is known by its name; as anybody may have
 * taken that, it must belong to who has the rights of the source's owner or the rollup's.
 */
static bool
is_to_be_noted(const Follower *follower, Oid table)
{
    List *followed = read_texts(follower->state, "followed");
    Oid owner = rollup_owner_of(table);
    char *number = psprintf("%u", table), *source = psprintf("%u", follower->target.source);

    if (followed == NIL || list_member(read_texts(follower->state, "missed"), makeString(number)))
        return false;
    if (strcmp(strVal(linitial(followed)), source) == 0)
        return list_member(followed, makeString(number));
    return list_member(followed, makeString(pstrdup(rollup_relation_name(table)))) &&
           (has_privs_of_role(owner, rollup_owner_of(follower->target.source)) ||
            has_privs_of_role(owner, follower->target.owner));
}

/*
 * A table that is away may become a partition or child again, with rows that were not counted. One
 * that the state does not list is let be, and writes nothing: after a restore or a repair it may
 * have been one that was away, and a refresh finds that it came back; or anybody made its trigger,
 * and must keep neither lock nor row of a rollup.
 */
static void
note_missed(const Follower *follower, Oid table)
{
    int settings;
    RollupUser caller;

    if (!is_to_be_noted(follower, table))
        return;
    settings = rollup_pin_settings();
    caller = rollup_act_as(follower->target.owner);
    rollup_check_part(follower->state);
    SPI_connect();
    rollup_run("UPDATE ONLY %1$s SET missed = missed || ARRAY['%2$u', %3$s]"
               " WHERE '%2$u' <> ALL (missed)",
               rollup_relation_name(follower->state), table,
               quote_literal_cstr(rollup_relation_name(table)));
    SPI_finish();
    rollup_act_again(caller);
    AtEOXact_GUC(false, settings);
}

/* Of a rollup that Citus distributes, all shards read that it is stale. */
static void
mark_everything(const Follower *follower)
{
    RollupUser caller;

    if (follower->distributed == NOT_DISTRIBUTED) {
        rollup_log(&follower->target, DELTA_EVERYTHING, NULL, InvalidOid);
        return;
    }
    /* On shards, too, Citus makes triggers for TRUNCATE when it moves them. */
    if (follower->distributed == OF_SHARD)
        return;
    caller = rollup_act_as(follower->target.owner);
    rollup_mark_distributed(follower->state);
    rollup_act_again(caller);
}

/* ---- the trigger ---- */

static void
log_row(const Follower *follower, const TriggerData *data)
{
    Oid table = RelationGetRelid(data->tg_relation);
    bool is_update = TRIGGER_FIRED_BY_UPDATE(data->tg_event);
    bool is_new =
        !is_same_row(follower->target.query, data) && TRIGGER_FIRED_BY_INSERT(data->tg_event);
    RollupTarget target = follower->target;
    Tuplestorestate *rows;

    if (is_update && !rollup_differs(&target, RelationGetDescr(data->tg_relation),
                                     data->tg_trigslot, data->tg_newslot))
        return;
    rows = tuplestore_begin_heap(false, false, work_mem);
    tuplestore_puttupleslot(rows, data->tg_trigslot);
    if (is_update)
        tuplestore_puttupleslot(rows, data->tg_newslot);
    rollup_log(&target, is_new ? DELTA_ADD : DELTA_MARK, rows, table);
    tuplestore_end(rows);
}

static void
log_statement(const Follower *follower, const TriggerData *data)
{
    Oid table = RelationGetRelid(data->tg_relation);
    RollupTarget target = follower->target;
    Tuplestorestate *rows = data->tg_newtable ? data->tg_newtable : data->tg_oldtable;

    if (TRIGGER_FIRED_BY_UPDATE(data->tg_event)) {
        rows = rollup_changed_rows(&target, RelationGetDescr(data->tg_relation), data->tg_oldtable,
                                   data->tg_newtable);
        if (rows) {
            rollup_log(&target, DELTA_MARK, rows, table);
            tuplestore_end(rows);
        }
    } else if (rows && tuplestore_tuple_count(rows) > 0)
        rollup_log(&target, TRIGGER_FIRED_BY_INSERT(data->tg_event) ? DELTA_ADD : DELTA_MARK, rows,
                   table);
}

/* Of a table that is joined: the keys of what changed, wherever the query has it. */
static void
log_keys(const Follower *follower, const TriggerData *data)
{
    Oid table = RelationGetRelid(data->tg_relation);
    RollupTarget target = follower->target;
    Tuplestorestate *rows = data->tg_newtable ? data->tg_newtable : data->tg_oldtable;
    ListCell *cell;

    target.layout = table;
    target.log = follower->keys;
    foreach (cell, follower->joined) {
        Tuplestorestate *changed = rows;

        target.joined = lfirst_int(cell);
        if (TRIGGER_FIRED_BY_UPDATE(data->tg_event))
            changed = rollup_changed_rows(&target, RelationGetDescr(data->tg_relation),
                                          data->tg_oldtable, data->tg_newtable);
        if (changed && tuplestore_tuple_count(changed) > 0)
            rollup_log(&target, DELTA_KEYS, changed, table);
        if (changed && changed != rows)
            tuplestore_end(changed);
    }
}

/* The only row of the state, on its way into it. */
static HeapTuple
note_restored(const Follower *follower, const TriggerData *data)
{
    int number = rollup_state_column(follower->state, "restored", BOOLOID);
    Datum restored = BoolGetDatum(true);
    bool is_null = false;

    mark_everything(follower);
    CacheInvalidateRelcache(data->tg_relation);
    return number > 0
               ? heap_modify_tuple_by_cols(data->tg_trigtuple, RelationGetDescr(data->tg_relation),
                                           1, &number, &restored, &is_null)
               : data->tg_trigtuple;
}

PG_FUNCTION_INFO_V1(sketches_rollup_write);
Datum
sketches_rollup_write(PG_FUNCTION_ARGS)
{
    const TriggerData *data = (const TriggerData *)fcinfo->context;
    Follower now, *follower = &now; /* a copy: what is nested may find it anew */
    bool counts;

    if (!CALLED_AS_TRIGGER(fcinfo))
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
                        errmsg("_rollup_write() is the trigger function of rollups")));
    now = *find_follower(data);
    counts = TRIGGER_FIRED_BY_UPDATE(data->tg_event) &&
             TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) &&
             data->tg_relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
    if (TRIGGER_FIRED_BEFORE(data->tg_event)) {
        if (follower->role == WRITES && counts)
            count_updates(1);
        return PointerGetDatum(!TRIGGER_FIRED_FOR_ROW(data->tg_event) ? NULL
                               : follower->role == RESTORES ? note_restored(follower, data)
                                                            : data->tg_trigtuple);
    }
    switch (follower->role) {
    case IDLE:
    case RESTORES: /* noted before the row came */
        break;
    case IS_AWAY:
        note_missed(follower, RelationGetRelid(data->tg_relation));
        break;
    case FOLDS:
        rollup_fold_shard(follower->state, follower->target.log,
                          RelationGetRelid(data->tg_relation));
        break;
    case FLOWS:
        if (tuplestore_tuple_count(data->tg_oldtable) > 0)
            rollup_log(&follower->target, DELTA_FLOW, data->tg_oldtable,
                       RelationGetRelid(data->tg_relation));
        break;
    case JOINED:
        if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event) || follower->is_restored)
            mark_everything(follower);
        else
            log_keys(follower, data);
        break;
    case STORED:
        if (rollup_is_storing(RelationGetRelid(data->tg_relation)))
            break;
        pg_fallthrough;
    case WRITES:
        if (counts)
            count_updates(-1);
        if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event) || follower->is_restored)
            mark_everything(follower);
        else if (follower->is_moved)
            collect_moved(follower, data);
        else if (TRIGGER_FIRED_FOR_ROW(data->tg_event))
            log_row(follower, data);
        else
            log_statement(follower, data);
        if (counts)
            log_moved(follower);
        break;
    }
    return PointerGetDatum(NULL);
}
