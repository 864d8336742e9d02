/*
 * writers.c - what triggers and refreshes ask about the writes of this session.
 *
 * SQL objects served, all STRICT:
 *   _rollup_follows(relation regclass, function regprocedure) -> bool
 *       whether a table still is below the one whose rollup has this trigger function
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
#include "utils/fmgroids.h"
#include "utils/rel.h"

/*
 * Catalogs as they are now, not as the transaction's snapshot has them: a transaction that began
 * before the rollup was made fires its triggers, too.
 */
static bool
has_trigger(Oid table, Oid function)
{
    Relation relation = table_open(table, AccessShareLock);
    bool found = false;

    for (int i = 0; relation->trigdesc && i < relation->trigdesc->numtriggers; i++)
        found = found || (relation->trigdesc->triggers[i].tgfoid == function &&
                          relation->trigdesc->triggers[i].tgnargs == 0 &&
                          !(relation->trigdesc->triggers[i].tgtype & TRIGGER_TYPE_ROW));
    table_close(relation, NoLock);
    return found;
}

static bool
follows(Oid table, Oid function)
{
    Relation inherits = table_open(InheritsRelationId, AccessShareLock);
    ScanKeyData key;
    SysScanDesc scan;
    HeapTuple tuple;
    bool found = false;

    check_stack_depth();
    ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ,
                ObjectIdGetDatum(table));
    scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
    while (!found && HeapTupleIsValid(tuple = systable_getnext(scan))) {
        Form_pg_inherits child = (Form_pg_inherits)GETSTRUCT(tuple);

        found = !child->inhdetachpending &&
                (has_trigger(child->inhparent, function) || follows(child->inhparent, function));
    }
    systable_endscan(scan);
    table_close(inherits, AccessShareLock);
    return found;
}

PG_FUNCTION_INFO_V1(sketches_rollup_follows);
Datum
sketches_rollup_follows(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(follows(PG_GETARG_OID(0), PG_GETARG_OID(1)));
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
