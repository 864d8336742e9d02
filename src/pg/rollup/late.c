/*
 * late.c - the groups of a rollup for which a reader reads the table, computed apart.
 *
 * SQL objects served:
 *   _rollup_late(state regclass, secret uuid, filling bool) -> setof record
 *       the rows of the view NAME_late, or NAME_filling
 *   _rollup_touched(state regclass, secret uuid) -> setof record
 *       the rows of the view NAME_touched
 *
 * A view that named the table would have every reader plan for all of its partitions, and lock
 * them, also while the log marks nothing. The function is called if it does. It reads by the
 * snapshot of its caller, with the rights of the rollup's owner; who may read the rollup passes,
 * without seeing it, the secret that is in the state.
 */
#include "pg/rollup/rollup.h"

#include "access/relation.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "executor/tstoreReceiver.h"
#include "utils/guc.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

/*
 * What the view returns until the transaction ends. PostgreSQL compares it with the columns that
 * the caller named, who may be anybody with a rollup of their own.
 */
static TupleDesc
columns_of(Oid view)
{
    Relation relation = relation_open(view, AccessShareLock);
    TupleDesc columns = CreateTupleDescCopy(RelationGetDescr(relation));

    relation_close(relation, NoLock);
    return columns;
}

/*
 * Tables are locked here, after the caller's snapshot was taken. One that TRUNCATE or ALTER TABLE
 * wrote anew in between is empty in that snapshot, and what is read, or stored by a refresh, would
 * lack its rows. Tables that are newer than the snapshot have none in it.
 */
static void
check_written(const List *tables)
{
    ListCell *cell;

    foreach (cell, tables)
        if (rollup_was_rewritten(lfirst_oid(cell), GetActiveSnapshot(), false))
            ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
                            errmsg("%s was truncated or written anew since this query began",
                                   rollup_relation_name(lfirst_oid(cell))),
                            errhint("Try again.")));
}

static Datum
read_part(FunctionCallInfo fcinfo, RollupPart part)
{
    Oid state = PG_GETARG_OID(0), owner, parts[ROLLUP_PART_COUNT], view;
    ReturnSetInfo *result = (ReturnSetInfo *)fcinfo->resultinfo;
    SPIExecuteOptions how = {.read_only = true};
    SPIPlanPtr plan;
    CachedPlan *tables;
    MemoryContext caller;
    RollupUser user;
    int settings;

    if (result == NULL || !IsA(result, ReturnSetInfo) || result->expectedDesc == NULL ||
        !(result->allowedModes & SFRM_Materialize))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("this function is for views of rollups")));
    if (PG_ARGISNULL(0)) {
        result->isDone = ExprEndResult;
        PG_RETURN_NULL();
    }
    rollup_check_form(state);
    owner = rollup_owner_of(state);
    rollup_read_parts(state, parts);
    view = parts[part];
    if (!OidIsValid(view) || rollup_owner_of(view) != owner)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is not the state of a rollup that has such a part",
                               rollup_relation_name(state))));
    if (PG_ARGISNULL(1))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is empty, as after a restore without its row",
                               rollup_relation_name(state)),
                        errhint("SELECT rollup_repair(...) of its rollup.")));
    if (!rollup_has_secret(state, PG_GETARG_UUID_P(1)))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied for rollup %s", rollup_relation_name(state)),
                        errhint("Read the rollup's view.")));
    caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
    result->returnMode = SFRM_Materialize;
    result->setDesc = columns_of(view);
    result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
                                              false, work_mem);
    MemoryContextSwitchTo(caller);

    settings = rollup_pin_settings();
    user = rollup_act_as(owner);
    SPI_connect();
    how.dest = CreateDestReceiver(DestTuplestore);
    SetTuplestoreDestReceiverParams(how.dest, result->setResult,
                                    result->econtext->ecxt_per_query_memory, false, NULL, NULL);
    plan = SPI_prepare(psprintf("SELECT * FROM %s", rollup_relation_name(view)), 0, NULL);
    tables = plan ? SPI_plan_get_cached_plan(plan) : NULL;
    if (tables == NULL)
        elog(ERROR, "cannot plan %s", rollup_relation_name(view));
    check_written(linitial_node(PlannedStmt, tables->stmt_list)->relationOids);
    if (SPI_execute_plan_extended(plan, &how) < 0)
        elog(ERROR, "cannot read %s", rollup_relation_name(view));
    ReleaseCachedPlan(tables, NULL);
    SPI_finish();
    rollup_act_again(user);
    AtEOXact_GUC(false, settings);
    return (Datum)0;
}

PG_FUNCTION_INFO_V1(sketches_rollup_late);
Datum
sketches_rollup_late(PG_FUNCTION_ARGS)
{
    return read_part(fcinfo, !PG_ARGISNULL(2) && PG_GETARG_BOOL(2) ? ROLLUP_FILLING : ROLLUP_LATE);
}

PG_FUNCTION_INFO_V1(sketches_rollup_touched);
Datum
sketches_rollup_touched(PG_FUNCTION_ARGS)
{
    return read_part(fcinfo, ROLLUP_TOUCHED);
}
