/*
 * writers.c - what triggers and refreshes ask about the writes of this session.
 *
 * SQL objects served, all STRICT:
 *   _rollup_may_log(relation regclass, trigger name, query regclass) -> bool
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
#include "catalog/pg_trigger.h"
#include "commands/tablecmds.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

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

/* Whether a table is the source or, unless `only`, below it. */
static bool
is_below(Oid table, Oid source, bool only)
{
    Relation inherits;
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple tuple;
    bool found = table == source;

    check_stack_depth();
    if (found || only)
        return found;
    inherits = table_open(InheritsRelationId, AccessShareLock);
    ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(table));
    scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
    while (!found && HeapTupleIsValid(tuple = systable_getnext(scan))) {
        Form_pg_inherits child = (Form_pg_inherits)GETSTRUCT(tuple);

        found = !child->inhdetachpending && is_below(child->inhparent, source, false);
    }
    systable_endscan(scan);
    table_close(inherits, AccessShareLock);
    return found;
}

static bool
is_called(const char *table, const char *name)
{
    return table && strcmp(table, name) == 0;
}

/*
 * A trigger that rollup_create did not make must not count the same rows again, nor rows of a
 * temporary table that has the name of the transition table that it lacks.
 */
static void
check_trigger(Relation table, const char *name)
{
    const int16 when = TRIGGER_TYPE_LEVEL_MASK | TRIGGER_TYPE_TIMING_MASK;
    const Trigger *trigger = find_trigger(table, name);
    const int16 type = trigger->tgtype;
    bool has_rows = TRIGGER_FOR_ROW(type) || TRIGGER_FOR_BEFORE(type) ||
                    ((!(type & (TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE)) ||
                      is_called(trigger->tgnewtable, "rollup_new")) &&
                     (!(type & (TRIGGER_TYPE_DELETE | TRIGGER_TYPE_UPDATE)) ||
                      is_called(trigger->tgoldtable, "rollup_old")));

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

    source = rollup_source_of(query, &only);
    follows = is_below(RelationGetRelid(table), source, only) ||
              rollup_is_shard(RelationGetRelid(table), query, !has_arguments);
    if (follows)
        check_trigger(table, name);
    else if (!has_arguments && !table->rd_rel->relispartition)
        raise_foreign(table, name);
    else
        may_come_back = has_privs_of_role(table->rd_rel->relowner, rollup_owner_of(source));
    table_close(table, NoLock);
    if (!follows && !may_come_back)
        PG_RETURN_NULL();
    PG_RETURN_BOOL(follows);
}

/*
 * The UPDATE statements of partitioned tables that are at work in the transaction that began at
 * `transaction`, and whether they deleted a row. After an error there may be too many: then rows
 * are marked that need not be.
 */
static int updates;
static bool deleted;
static TimestampTz transaction;

PG_FUNCTION_INFO_V1(sketches_rollup_updates);
Datum
sketches_rollup_updates(PG_FUNCTION_ARGS)
{
    if (transaction != GetCurrentTransactionStartTimestamp()) {
        transaction = GetCurrentTransactionStartTimestamp();
        updates = 0;
    }
    if (PG_GETARG_BOOL(0))
        updates++;
    else if (updates > 0)
        updates--;
    if (updates == 0)
        deleted = false;
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(sketches_rollup_moves);
Datum
sketches_rollup_moves(PG_FUNCTION_ARGS)
{
    bool moves = updates > 0 && transaction == GetCurrentTransactionStartTimestamp();

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
