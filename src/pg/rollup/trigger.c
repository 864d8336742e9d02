/*
 * trigger.c - the trigger of all rollups: what it logs.
 *
 * SQL objects served:
 *   _rollup_write() -> trigger
 *       logs what a statement or a row changed; on the state, notes that it is restored; on a shard
 *       of the log, refreshes it
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/trigger.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/rel.h"

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
    bool is_new = !rollup_is_same_row(follower->target.query, data) &&
                  TRIGGER_FIRED_BY_INSERT(data->tg_event);
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
    now = *rollup_find_follower(data);
    counts = TRIGGER_FIRED_BY_UPDATE(data->tg_event) &&
             TRIGGER_FIRED_FOR_STATEMENT(data->tg_event) &&
             data->tg_relation->rd_rel->relkind == RELKIND_PARTITIONED_TABLE;
    if (TRIGGER_FIRED_BEFORE(data->tg_event)) {
        if (follower->role == WRITES && counts)
            rollup_begin_update();
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
            rollup_end_update();
        if (TRIGGER_FIRED_BY_TRUNCATE(data->tg_event) || follower->is_restored)
            mark_everything(follower);
        else if (follower->is_moved)
            rollup_collect_moved(follower, data);
        else if (TRIGGER_FIRED_FOR_ROW(data->tg_event))
            log_row(follower, data);
        else
            log_statement(follower, data);
        if (counts)
            rollup_log_moved(follower);
        break;
    }
    return PointerGetDatum(NULL);
}
