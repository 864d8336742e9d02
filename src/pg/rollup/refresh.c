/*
 * refresh.c - keeping a rollup: rollup_refresh, rollup_freeze, rollup_repair.
 */
#include "pg/rollup/rollup.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

void
rollup_lock_source(RollupQuery *query)
{
    if (pg_class_aclcheck(query->source, GetUserId(), ACL_TRIGGER) != ACLCHECK_OK)
        aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(query->source));
    LockRelationOid(query->source, ShareRowExclusiveLock);
    rollup_find_tables(query);
}

static Oid
trigger_function(Rollup *rollup)
{
    return rollup_ask_oid("SELECT to_regprocedure(%s)::oid",
                          quote_literal_cstr(psprintf("%s()", rollup_part(rollup, "_trigger"))));
}

void
rollup_lock_triggers(Rollup *rollup)
{
    /* The source first, as a query does. */
    char *tables = rollup_ask(
        "SELECT string_agg(tgrelid::text, ' ' ORDER BY parameters, tgrelid) FROM (SELECT tgrelid, "
        "min(tgnargs) AS parameters FROM pg_trigger WHERE tgfoid = %u GROUP BY tgrelid) AS t",
        trigger_function(rollup));

    for (char *next = tables; next && *next;)
        LockRelationOid((Oid)strtoul(next, &next, 10), AccessExclusiveLock);
}

/* Has the groups of all rows of tables computed anew. */
static void
mark_groups_of(Rollup *rollup, const List *tables)
{
    List *stored = NIL;
    ListCell *cell;

    foreach (cell, tables)
        if (RELKIND_HAS_STORAGE(get_rel_relkind(lfirst_oid(cell))))
            stored = lappend_oid(stored, lfirst_oid(cell));
    rollup_execute_all(rollup_texts(rollup, "{mark_table}", stored));
}

/* Whether the owner may make the triggers of a table. */
static bool
may_follow(const Rollup *rollup, Oid table)
{
    return rollup->each_row ? has_privs_of_role(rollup->owner, rollup_owner_of(table))
                            : pg_class_aclcheck(table, rollup->owner, ACL_TRIGGER) == ACLCHECK_OK;
}

/*
 * A table that was written or refreshed without while it was not below the source, as a partition
 * that was detached, may be back with rows that were not counted, or without some that were:
 * everything is computed anew.
 */
static void
take_missed(Rollup *rollup)
{
    Oid source = rollup->query->source;

    if (!rollup_answer(rollup_text(rollup,
                                   "SELECT 1 FROM {state} WHERE missed && ({tables}::text[] ||"
                                   " {tables}::regclass[]::text[])",
                                   source)))
        return;
    rollup_execute(rollup_text(rollup, "{mark_everything}", source));
    rollup_execute(rollup_text(rollup, "UPDATE {state} SET missed = ARRAY[]::text[]", source));
}

/* Tables that are not below the source, but have triggers, and may come back: see take_missed(). */
static void
note_missed(Rollup *rollup)
{
    rollup_execute(rollup_text(
        rollup,
        psprintf(
            "UPDATE {state} SET missed = missed || away FROM (SELECT array_agg(name) AS away"
            " FROM (SELECT DISTINCT tgrelid FROM pg_trigger WHERE tgfoid = %u) AS t"
            " CROSS JOIN LATERAL (VALUES (tgrelid::text), (tgrelid::regclass::text)) AS n (name)"
            " WHERE tgrelid <> ALL ({tables}) AND tgrelid::text <> ALL (SELECT unnest(missed)"
            " FROM {state})) AS a WHERE away IS NOT NULL",
            trigger_function(rollup)),
        rollup->query->source));
}

/* Takes in partitions that came, and follows SET LOGGED and SET UNLOGGED. */
static void
follow_changes(Rollup *rollup)
{
    RollupQuery *query = rollup->query;
    char persistence = get_rel_persistence(query->source);
    const char *tables[] = {"_rows", "_log"};
    Oid trigger = trigger_function(rollup);
    List *came = NIL;
    ListCell *cell;
    StringInfoData names;

    for (size_t i = 0; i < lengthof(tables); i++)
        if (get_rel_persistence(rollup_part_oid(rollup, tables[i], RELKIND_RELATION)) !=
            persistence) {
            rollup_run("ALTER TABLE %s SET %s", rollup_part(rollup, tables[i]),
                       persistence == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED");
            /* A crash may have emptied them. */
            rollup_execute(rollup_text(rollup, "{mark_everything}", query->source));
        }
    take_missed(rollup);
    initStringInfo(&names);
    foreach (cell, query->tables) {
        Oid table = lfirst_oid(cell);

        if (!OidIsValid(trigger) || table == query->source ||
            rollup_ask("SELECT 1 FROM pg_trigger WHERE tgrelid = %u AND tgfoid = %u"
                       " AND tgtype & 1 = 0",
                       table, trigger) ||
            !may_follow(rollup, table))
            continue;
        appendStringInfo(&names, "%s%s", came ? ", " : "",
                         quote_literal_cstr(rollup_relation_name(table)));
        came = lappend_oid(came, table);
    }
    if (came == NIL)
        return;
    rollup_execute_all(rollup_texts(rollup, "{triggers}", came));
    mark_groups_of(rollup, came);
    /* A name that is there already is of a table that went: it stays, and is said to have gone. */
    rollup_run("UPDATE %s SET followed = followed || ARRAY[%s]::text[]",
               rollup_part(rollup, "_state"), names.data);
}

/* A period, as the caller's DateStyle reads it. */
static Datum
read_period(const Rollup *rollup, const char *text)
{
    Oid input, parameter;
    int level = NewGUCNestLevel();
    Datum value;

    (void)set_config_option("datestyle", rollup->datestyle, PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    getTypeInputInfo(rollup->query->period->type, &input, &parameter);
    value = OidInputFunctionCall(input, (char *)text, parameter, -1);
    AtEOXact_GUC(false, level);
    return value;
}

/*
 * The last period before a bound, of type date, timestamp or timestamptz. Citus refuses what SQL
 * would compute it by for a timestamptz, because that depends on the time zone for other intervals.
 */
static Datum
period_before(Oid type, Datum bound)
{
    if (type == DATEOID) {
        DateADT date = DatumGetDateADT(bound);

        return DateADTGetDatum(DATE_NOT_FINITE(date)     ? date
                               : IS_VALID_DATE(date - 1) ? date - 1
                                                         : DATEVAL_NOBEGIN);
    } else {
        Timestamp time = DatumGetTimestamp(bound);

        return TimestampGetDatum(TIMESTAMP_NOT_FINITE(time)     ? time
                                 : IS_VALID_TIMESTAMP(time - 1) ? time - 1
                                                                : DT_NOBEGIN);
    }
}

/* Executes a statement; if there are periods, $1 is a bound, and $2 the last one before it. */
static int64
execute(Rollup *rollup, const char *statement, Datum bound)
{
    RollupColumn *period = rollup->query->period;
    Oid types[2] = {0};
    Datum bounds[2] = {0};

    if (period) {
        types[0] = types[1] = period->type;
        bounds[0] = bound;
        bounds[1] = period_before(period->type, bound);
    }
    if (SPI_execute_with_args(statement, period ? 2 : 0, types, bounds, NULL, false, 0) < 0)
        elog(ERROR, "cannot execute %s", statement);
    return SPI_processed;
}

/* The number of groups stored; -1: shards stored them, and do not say how many. */
static int64
refresh(FunctionCallInfo fcinfo, const char *back_to, const char *before)
{
    Rollup *rollup = rollup_begin_change(fcinfo);
    RollupQuery *query = rollup->query;
    List *planned = query->tables;
    int64 stored = 0;
    Datum bound;
    ListCell *cell;

    if ((back_to || before) && query->period == NULL)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("%s has no period to %s", rollup_relation_name(rollup->view),
                               before ? "freeze" : "go back to"),
                        errhint("A period is a group of type date, timestamp or timestamptz that "
                                "is never NULL.")));
    foreach (cell, planned)
        rollup_check_writes(lfirst_oid(cell));
    rollup_run("UPDATE %s SET refreshed = clock_timestamp()", rollup_part(rollup, "_state"));
    follow_changes(rollup);
    bound = query->period ? read_period(rollup, back_to ? back_to : "-infinity") : (Datum)0;
    foreach (cell, rollup_statements(rollup, "refresh"))
        stored = execute(rollup, lfirst(cell), bound);
    /* Of partitions that came between plan and snapshot, nothing was read. */
    rollup_find_tables(query);
    mark_groups_of(rollup, list_difference_oid(query->tables, planned));
    note_missed(rollup);
    if (before)
        (void)execute(rollup,
                      psprintf("UPDATE %s SET frozen = $1 WHERE frozen < $1",
                               rollup_part(rollup, rollup->is_distributed ? "_bounds" : "_state")),
                      read_period(rollup, before));
    rollup_end(rollup);
    return rollup->is_distributed ? -1 : stored;
}

PG_FUNCTION_INFO_V1(sketches_rollup_refresh);
Datum
sketches_rollup_refresh(PG_FUNCTION_ARGS)
{
    int64 stored;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    stored = refresh(fcinfo, PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)), NULL);
    if (stored < 0)
        PG_RETURN_NULL();
    PG_RETURN_INT64(stored);
}

PG_FUNCTION_INFO_V1(sketches_rollup_freeze);
Datum
sketches_rollup_freeze(PG_FUNCTION_ARGS)
{
    (void)refresh(fcinfo, NULL, text_to_cstring(PG_GETARG_TEXT_PP(1)));
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(sketches_rollup_repair);
Datum
sketches_rollup_repair(PG_FUNCTION_ARGS)
{
    Rollup *rollup = rollup_begin_change(fcinfo);

    rollup_lock_triggers(rollup);
    rollup_lock_source(rollup->query);
    rollup_run("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(rollup, "_trigger"));
    if (rollup->is_distributed)
        rollup_run("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(rollup, "_fold"));
    rollup_execute_all(rollup_statements(rollup, "repair"));
    rollup_end(rollup);
    PG_RETURN_VOID();
}
