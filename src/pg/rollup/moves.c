/*
 * moves.c - rows that move to another partition.
 *
 * SQL objects served:
 *   _rollup_moves(is_deleted bool) -> bool, STRICT
 *       whether a row is one that an UPDATE or MERGE moves to another partition
 *
 * The rows that an UPDATE moves are in its transition tables, those that a MERGE moves are not:
 * PostgreSQL puts them into those of DELETE and INSERT, and fires triggers of the actions that the
 * MERGE names. So row triggers collect them, and the statement's trigger, which fires after those
 * of rows, has their groups marked once.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/trigger.h"

#include "access/htup_details.h"
#include "access/tupconvert.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "replication/logicalworker.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"

static struct {
    List *updates; /* of partitioned tables, at work: their SubTransactionIds */
    bool deleted, is_registered;
    MemoryContextCallback forget;
} moving;

static void
forget_updates(void *argument)
{
    (void)argument;
    moving.updates = NIL;
    moving.is_registered = false;
}

/* Whether an UPDATE is at work, but for those that ended by an error. */
static bool
is_updating(void)
{
    while (moving.updates && !SubTransactionIsActive((SubTransactionId)llast_int(moving.updates)))
        moving.updates = list_delete_last(moving.updates);
    return moving.updates != NIL;
}

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

void
rollup_begin_update(void)
{
    MemoryContext caller = MemoryContextSwitchTo(TopTransactionContext);

    if (!moving.is_registered) {
        moving.forget.func = forget_updates;
        MemoryContextRegisterResetCallback(TopTransactionContext, &moving.forget);
        moving.is_registered = true;
    }
    moving.deleted = moving.deleted && is_updating();
    moving.updates = lappend_int(moving.updates, (int)GetCurrentSubTransactionId());
    MemoryContextSwitchTo(caller);
}

void
rollup_end_update(void)
{
    if (is_updating())
        moving.updates = list_delete_last(moving.updates);
}

PG_FUNCTION_INFO_V1(sketches_rollup_moves);
Datum
sketches_rollup_moves(PG_FUNCTION_ARGS)
{
    bool moves = is_updating();

    moving.deleted = moves && (moving.deleted || PG_GETARG_BOOL(0));
    PG_RETURN_BOOL(moving.deleted);
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

void
rollup_collect_moved(const Follower *follower, const TriggerData *data)
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

void
rollup_log_moved(const Follower *follower)
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
 * A single row that goes to another partition is a DELETE there and an INSERT here, of one command.
 * It is no new row, which a frozen group would count again. An UPDATE marks what it moves; a
 * subscription deletes and inserts by one command, and does nothing else by it. Between both, other
 * commands may write: triggers, or what comes after an error or a trigger that kept the row away.
 */
typedef struct Gone {
    Oid query; /* of the rollup: key */
    Oid table; /* from which the last row went */
    TransactionId transaction;
    CommandId command; /* by this */
} Gone;

static HTAB *gone;

bool
rollup_is_same_row(Oid query, const TriggerData *data)
{
    const HeapTupleHeader row = data->tg_trigtuple->t_data;
    const Oid table = RelationGetRelid(data->tg_relation);
    Gone *last = gone ? hash_search(gone, &query, HASH_FIND, NULL) : NULL;
    Gone now = {.query = query, .table = table};
    bool came = TRIGGER_FIRED_BY_INSERT(data->tg_event), same;

    if (data->tg_relation->rd_rel->relam != HEAP_TABLE_AM_OID)
        return false;
    now.transaction = came ? HeapTupleHeaderGetXmin(row) : HeapTupleHeaderGetUpdateXid(row);
    now.command = came ? HeapTupleHeaderGetCmin(row) : HeapTupleHeaderGetCmax(row);
    same = last && OidIsValid(last->table) && last->transaction == now.transaction &&
           last->command == now.command;
    if (same) {
        same = came && last->table != table;
        last->table = InvalidOid;
    }
    if (!TRIGGER_FIRED_BY_DELETE(data->tg_event) || !data->tg_relation->rd_rel->relispartition ||
        !(HeapTupleHeaderIndicatesMovedPartitions(row) || IsLogicalWorker()))
        return same;
    if (gone == NULL) {
        HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(Gone)};

        gone = hash_create("rows that went", 16, &control, HASH_ELEM | HASH_BLOBS);
    }
    last = hash_search(gone, &query, HASH_ENTER, NULL);
    *last = now;
    return false;
}
