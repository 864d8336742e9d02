/*
 * writers.c - what triggers and refreshes ask about the writes of this session.
 *
 * SQL objects served, all STRICT:
 *   _rollup_may_log(relation regclass, trigger name, query regclass, columns text[], log regclass,
 *                   state regclass) -> bool
 *       whether the trigger of a table may log what it sees
 *   _rollup_updates(begins bool), _rollup_moves(is_deleted bool) -> bool
 *       rows that an UPDATE of a partitioned table, or of a MERGE, moves to another partition
 */
#include "pg/rollup/rollup.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/indexing.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/*
 * Triggers can be hung on other tables by whoever may execute their function, as after GRANT ... ON
 * ALL FUNCTIONS IN SCHEMA or a dump without privileges. So a trigger looks at its table first, in
 * the catalogs as they are now, not as the transaction's snapshot has them: a transaction that
 * began before the rollup was made fires its triggers, too. What this returns is valid until
 * something is looked up: then PostgreSQL may read the triggers of a table again.
 */
static const Trigger *
find_trigger(Relation table, const char *name)
{
    for (int i = 0; table->trigdesc && i < table->trigdesc->numtriggers; i++)
        if (strcmp(table->trigdesc->triggers[i].tgname, name) == 0)
            return &table->trigdesc->triggers[i];
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
                    errmsg("trigger \"%s\" for table \"%s\" does not exist", name,
                           RelationGetRelationName(table))));
}

static _Noreturn void
raise_foreign(Relation table, const char *trigger)
{
    const char *name = rollup_relation_name(RelationGetRelid(table));

    ereport(ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             errmsg("trigger %s of table %s is not one that a rollup has",
                    quote_identifier(trigger), name),
             errdetail("Functions of rollups log for triggers that rollup_create or rollup_refresh "
                       "made."),
             errhint("DROP TRIGGER %s ON %s;", quote_identifier(trigger), name)));
}

/* Adds what a table inherits from, each once: there can be more ways up than tables. */
static List *
add_parents(List *tables, Oid table)
{
    Relation inherits = table_open(InheritsRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple tuple;

    ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(table));
    scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
    while (HeapTupleIsValid(tuple = systable_getnext(scan))) {
        Form_pg_inherits child = (Form_pg_inherits)GETSTRUCT(tuple);

        if (!child->inhdetachpending)
            tables = list_append_unique_oid(tables, child->inhparent);
    }
    systable_endscan(scan);
    table_close(inherits, AccessShareLock);
    return tables;
}

/* Whether a table is the source or, unless `only`, below it. */
static bool
is_below(Oid table, Oid source, bool only)
{
    List *tables = list_make1_oid(table);

    for (int i = 0; i < list_length(tables); i++) {
        CHECK_FOR_INTERRUPTS();
        if (list_nth_oid(tables, i) == source)
            return true;
        if (!only)
            tables = add_parents(tables, list_nth_oid(tables, i));
    }
    return false;
}

static bool
is_called(const char *table, const char *name)
{
    return table && strcmp(table, name) == 0;
}

/* Whether a trigger is of a kind that rollup_create makes, and so has the rows that it logs. */
static bool
is_ours(const Trigger *trigger, char kind)
{
    const int16 insert = TRIGGER_TYPE_INSERT, delete = TRIGGER_TYPE_DELETE,
                update = TRIGGER_TYPE_UPDATE, row = TRIGGER_TYPE_ROW;

    switch (trigger->tgtype) {
    case TRIGGER_TYPE_TRUNCATE:
        return true;
    case TRIGGER_TYPE_INSERT:
        return is_called(trigger->tgnewtable, "rollup_new");
    case TRIGGER_TYPE_DELETE:
        return is_called(trigger->tgoldtable, "rollup_old");
    case TRIGGER_TYPE_UPDATE:
        return is_called(trigger->tgnewtable, "rollup_new") &&
               is_called(trigger->tgoldtable, "rollup_old");
    case TRIGGER_TYPE_BEFORE | TRIGGER_TYPE_UPDATE:
        return kind == RELKIND_PARTITIONED_TABLE;
    default:
        return trigger->tgtype == (row | insert) || trigger->tgtype == (row | delete) ||
               trigger->tgtype == (row | insert | delete | update);
    }
}

/*
 * A trigger that rollup_create did not make must not count the same rows again, nor rows that are
 * not written in the end, nor those of a temporary table or view that has the name of the
 * transition table that it lacks: functions in such a view would run as the rollup's owner.
 */
static void
check_trigger(Relation table, const char *name)
{
    const int16 when = TRIGGER_TYPE_LEVEL_MASK | TRIGGER_TYPE_TIMING_MASK;
    const Trigger *trigger = find_trigger(table, name);
    const int16 type = trigger->tgtype;
    bool has_rows = is_ours(trigger, table->rd_rel->relkind);

    for (int i = 0; has_rows && i < table->trigdesc->numtriggers; i++) {
        const Trigger *other = &table->trigdesc->triggers[i];

        has_rows = other->tgfoid != trigger->tgfoid || other->tgoid >= trigger->tgoid ||
                   ((other->tgtype ^ type) & when) != 0 ||
                   (other->tgtype & type & TRIGGER_TYPE_EVENT_MASK) == 0;
    }
    if (!has_rows)
        raise_foreign(table, name);
}

/*
 * The trigger has the names of columns, and would read others that have been given these names: the
 * wrong ones, where two changed theirs, or one of a type that the owner of the table made, whose
 * casts would run as the owner of the rollup. `columns` are those of the query, in the order of
 * their numbers, which may be others after a dump.
 */
static void
check_columns(Oid source, const List *columns, ArrayType *names)
{
    Datum *name;
    int count;

    if (ARR_HASNULL(names))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a column is NULL")));
    deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &name, NULL, &count);
    for (int i = 0; i < count; i++) {
        const char *expected = TextDatumGetCString(name[i]);
        AttrNumber found = get_attnum(source, expected);

        /* Of one that is gone, the statement says so. */
        if (found != InvalidAttrNumber &&
            (i >= list_length(columns) || list_nth_int(columns, i) != found))
            ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                            errmsg("column %s of table %s is another than when its rollup was made",
                                   quote_identifier(expected), rollup_relation_name(source)),
                            errhint("rollup_list() says how to fix it.")));
    }
}

void
rollup_check_part(Oid part)
{
    Relation relation = relation_open(part, AccessShareLock);
    List *names = NIL, *functions = NIL;
    ListCell *name, *function;

    for (int i = 0; relation->trigdesc && i < relation->trigdesc->numtriggers; i++) {
        names = lappend(names, pstrdup(relation->trigdesc->triggers[i].tgname));
        functions = lappend_oid(functions, relation->trigdesc->triggers[i].tgfoid);
    }
    relation_close(relation, AccessShareLock);
    forboth(name, names, function, functions)
    {
        HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(lfirst_oid(function)));
        Oid owner =
            HeapTupleIsValid(tuple) ? ((Form_pg_proc)GETSTRUCT(tuple))->proowner : InvalidOid;

        if (HeapTupleIsValid(tuple))
            ReleaseSysCache(tuple);
        if (OidIsValid(owner) && !has_privs_of_role(owner, GetUserId()))
            ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                            errmsg("trigger %s of %s would run a function of %s as %s",
                                   quote_identifier(lfirst(name)), rollup_relation_name(part),
                                   quote_identifier(GetUserNameFromId(owner, false)),
                                   quote_identifier(GetUserNameFromId(GetUserId(), false))),
                            errhint("DROP TRIGGER %s ON %s;", quote_identifier(lfirst(name)),
                                    rollup_relation_name(part))));
    }
}

/* What the trigger writes is its owner's, and so is what that fires, until the transaction ends. */
static void
lock_part(Oid part)
{
    if (rollup_owner_of(part) != GetUserId())
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is not a part of a rollup of %s", rollup_relation_name(part),
                               quote_identifier(GetUserNameFromId(GetUserId(), false)))));
    LockRelationOid(part, RowExclusiveLock);
    rollup_check_part(part);
}

/*
 * Whether the trigger of a table may log what it sees. False: the table was a partition or child,
 * or is being detached, and may become one again. NULL: the same, but its owner, who may have made
 * the trigger, has not the rights of the source's.
 */
PG_FUNCTION_INFO_V1(sketches_rollup_may_log);
Datum
sketches_rollup_may_log(PG_FUNCTION_ARGS)
{
    Relation table = table_open(PG_GETARG_OID(0), AccessShareLock);
    const char *name = NameStr(*PG_GETARG_NAME(1));
    Oid query = PG_GETARG_OID(2), source;
    bool only, may_come_back = false, follows;
    bool has_arguments = find_trigger(table, name)->tgnargs > 0;
    bool is_truncated = (find_trigger(table, name)->tgtype & TRIGGER_TYPE_TRUNCATE) != 0;

    source = rollup_source_of(query, &only);
    lock_part(PG_GETARG_OID(4));
    follows = is_below(RelationGetRelid(table), source, only) ||
              rollup_is_shard(RelationGetRelid(table), query, !has_arguments);
    if (follows) {
        check_trigger(table, name);
        check_columns(source, rollup_columns_of(query), PG_GETARG_ARRAYTYPE_P(3));
    } else if (!has_arguments && !table->rd_rel->relispartition)
        raise_foreign(table, name);
    else
        may_come_back = has_privs_of_role(table->rd_rel->relowner, rollup_owner_of(source));
    if (!follows || is_truncated)
        lock_part(PG_GETARG_OID(5));
    table_close(table, AccessShareLock);
    if (!follows && !may_come_back)
        PG_RETURN_NULL();
    PG_RETURN_BOOL(follows);
}

/*
 * The UPDATE statements of partitioned tables that are at work in the transaction that began at
 * `transaction`, and whether they deleted a row. After an error there may be too many: then rows
 * are marked that need not be. Anybody may call this, also within an UPDATE of theirs. So they are
 * counted for each user, the owners of rollups, and none ends what another began; what is of too
 * many users ends with the transaction.
 */
static struct {
    Oid user;
    int updates;
} updaters[8];
static bool deleted;
static TimestampTz transaction;

static bool
is_updating(void)
{
    bool found = false;

    for (size_t i = 0; i < lengthof(updaters); i++)
        found = found || updaters[i].updates > 0;
    return found && transaction == GetCurrentTransactionStartTimestamp();
}

PG_FUNCTION_INFO_V1(sketches_rollup_updates);
Datum
sketches_rollup_updates(PG_FUNCTION_ARGS)
{
    const size_t last = lengthof(updaters) - 1;
    size_t mine = last, unused = last;

    if (transaction != GetCurrentTransactionStartTimestamp()) {
        transaction = GetCurrentTransactionStartTimestamp();
        memset(updaters, 0, sizeof updaters);
    }
    for (size_t i = 0; i < last; i++)
        if (updaters[i].updates == 0)
            unused = i;
        else if (updaters[i].user == GetUserId())
            mine = i;
    if (PG_GETARG_BOOL(0)) {
        mine = mine < last ? mine : unused;
        updaters[mine].user = GetUserId();
        updaters[mine].updates++;
    } else if (mine < last)
        updaters[mine].updates--;
    deleted = deleted && is_updating();
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(sketches_rollup_moves);
Datum
sketches_rollup_moves(PG_FUNCTION_ARGS)
{
    bool moves = is_updating();

    if (moves && PG_GETARG_BOOL(0))
        deleted = true;
    PG_RETURN_BOOL(moves && deleted);
}

/*
 * Between the rows of a statement and its trigger, a refresh would count the rows, and later what
 * the trigger logs of them. After a TRUNCATE, an older snapshot sees neither the rows nor the log.
 */
void
rollup_check_writes(Oid table)
{
    Relation source = try_relation_open(table, AccessShareLock);

    if (IsolationUsesXactSnapshot())
        ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
                        errmsg("a rollup is refreshed at isolation level READ COMMITTED only"),
                        errhint("Refresh it in a transaction of its own.")));
    if (source == NULL)
        return; /* a partition that was dropped just now */
    CheckTableNotInUse(source, "refresh a rollup of");
    /* That of a partition does not apply to who reads its parent. */
    if (!source->rd_rel->relispartition)
        rollup_check_row_security(table);
    table_close(source, NoLock);
}
