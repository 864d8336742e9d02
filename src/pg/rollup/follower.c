/*
 * follower.c - which rollup a trigger is for.
 *
 * A trigger says so in WHEN ('NAME_state'::regclass IS NOT NULL), and the state names the other
 * parts, see parts.c: PostgreSQL keeps OIDs of both, follows renames, and dumps names. Anybody may
 * execute the trigger's function, and so hang it on a table of their own. So it logs for tables
 * that the query reads only, for triggers as rollup_create makes them, and for the eldest of those
 * that would log the same. The same triggers on another table that is not temporary may be those of
 * a partition that was detached: they log nothing, and let it be written.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/trigger.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "parser/parsetree.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* The type of the trigger of a state. */
#define RESTORING (TRIGGER_TYPE_ROW | TRIGGER_TYPE_BEFORE | TRIGGER_TYPE_INSERT)

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
}

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

/* Parts are of one owner, with whose rights they are written. */
static void
check_owner(Oid part, Oid state)
{
    if (OidIsValid(part) && rollup_owner_of(part) != rollup_owner_of(state))
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("%s and %s belong to different roles, and to one rollup",
                        rollup_relation_name(part), rollup_relation_name(state)),
                 errhint("Column problem of rollup_list() has the statement that mends it.")));
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

    rollup_check_form(follower->state);
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
        (OidIsValid(target->written) && get_rel_relkind(target->written) != RELKIND_VIEW) ||
        (OidIsValid(follower->keys) && get_rel_relkind(follower->keys) != RELKIND_RELATION))
        raise_foreign(table, trigger);
    check_owner(target->query, follower->state);
    check_owner(target->log, follower->state);
    check_owner(target->written, follower->state);
    check_owner(follower->keys, follower->state);
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

const Follower *
rollup_find_follower(const TriggerData *data)
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
