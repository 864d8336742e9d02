/*
 * refresh.c - keeping a rollup: rollup_refresh, rollup_freeze, rollup_repair.
 */
#include "pg/rollup/rollup.h"

#include "catalog/dependency.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

void
rollup_lock_source(RollupQuery *query)
{
    List *tables = list_make1_oid(query->source);
    ListCell *cell;

    foreach (cell, query->joins)
        tables = list_append_unique_oid(tables, ((RollupJoin *)lfirst(cell))->table);
    /* Rollups of the same tables are made in one order. */
    list_sort(tables, list_oid_cmp);
    /* A refresh below locks the log first. */
    if (query->below && rollup_owner_of(query->below->parts[ROLLUP_LOG]) == GetUserId())
        LockRelationOid(query->below->parts[ROLLUP_LOG], ShareRowExclusiveLock);
    foreach (cell, tables) {
        Oid table = lfirst_oid(cell);

        if (pg_class_aclcheck(table, GetUserId(), ACL_TRIGGER) != ACLCHECK_OK)
            aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
        LockRelationOid(table, ShareRowExclusiveLock);
    }
    rollup_find_tables(query);
}

static List *
ask_oids(const char *query)
{
    List *oids = NIL;

    for (char *next = rollup_answer(query); next && *next;)
        oids = lappend_oid(oids, (Oid)strtoul(next, &next, 10));
    return oids;
}

static const char *
listed(const List *tables)
{
    StringInfoData list;
    ListCell *cell;

    initStringInfo(&list);
    foreach (cell, tables)
        appendStringInfo(&list, "%s%u", foreach_current_index(cell) ? "," : "", lfirst_oid(cell));
    return psprintf("ARRAY[%s]::oid[]", list.data);
}

/* The tables that have triggers of the rollup: parents first, as a query locks them. */
static List *
find_followed(Rollup *rollup)
{
    return ask_oids(rollup_text(
        rollup, "SELECT string_agg(tgrelid::text, ' ' ORDER BY is_below, tgrelid) FROM ("
                "SELECT DISTINCT tgrelid, tgrelid IN (SELECT inhrelid FROM pg_inherits) AS is_below"
                " FROM pg_trigger WHERE oid IN ({dependent}) AND tgtype & 1 = 0"
                " AND tgrelid NOT IN ({stored})) AS t"));
}

/*
 * Of a list of tables and of its own parts, or of all tables. Who was granted TRIGGER on a table of
 * others may not DROP TRIGGER there; but what depends on a table goes with it, whoever owns that.
 */
static void
drop_triggers(Rollup *rollup, const char *tables)
{
    const char *from =
        psprintf("FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = tgrelid WHERE tgparentid = 0"
                 " AND t.oid IN ({dependent}) AND (tgrelid IN ({stored}) OR %s) AND ",
                 tables);
    char *drops = rollup_answer(rollup_text(
        rollup,
        psprintf(
            "SELECT string_agg(format('DROP TRIGGER %%I ON %%s', tgname, tgrelid::regclass), ';')"
            " %s pg_has_role(relowner, 'USAGE')",
            from)));
    ListCell *cell;

    if (drops)
        rollup_execute_all(list_make1(drops));
    foreach (cell, ask_oids(rollup_text(rollup, psprintf("SELECT string_agg(t.oid::text, ' ') %s"
                                                         " NOT pg_has_role(relowner, 'USAGE')",
                                                         from)))) {
        ObjectAddress trigger;

        ObjectAddressSet(trigger, TriggerRelationId, lfirst_oid(cell));
        performDeletion(&trigger, DROP_RESTRICT, 0);
    }
}

void
rollup_drop_triggers(Rollup *rollup)
{
    Oid below[ROLLUP_PART_COUNT];
    char *indexes;
    ListCell *cell;

    rollup_read_below(rollup->parts, below);
    if (rollup_owner_of(below[ROLLUP_LOG]) == rollup->owner)
        LockRelationOid(below[ROLLUP_LOG], AccessExclusiveLock);
    foreach (cell, find_followed(rollup))
        LockRelationOid(lfirst_oid(cell), AccessExclusiveLock);
    drop_triggers(rollup, "true");
    /* Of its owner's: anybody may have one that names the state. */
    indexes = rollup_ask("SELECT string_agg('DROP INDEX ' || i.oid::regclass, ';') FROM pg_depend"
                         " JOIN pg_class AS i ON i.oid = objid"
                         " WHERE classid = 'pg_class'::regclass AND refclassid = classid"
                         " AND refobjid = %u AND relkind = 'i' AND relowner = %u AND deptype = 'n'",
                         rollup->state, rollup->owner);
    if (indexes)
        rollup_execute(indexes);
}

/*
 * Whether one of the tables that came has others below it that were followed before: what was
 * written through it fired its statement triggers only, which it did not have yet.
 */
static bool
is_above(const List *came, const List *followed)
{
    ListCell *cell;

    foreach (cell, came) {
        List *below = has_subclass(lfirst_oid(cell))
                          ? find_all_inheritors(lfirst_oid(cell), NoLock, NULL)
                          : NIL;

        if (list_length(list_difference_oid(below, followed)) < list_length(below))
            return true;
    }
    return false;
}

/*
 * Those of tables that came that may have, or have had, rows: what was written through their
 * parents was logged, and what was written through them was not. Nobody has written to a new table
 * of no pages, which VACUUM and TRUNCATE have not seen. On Citus, the rows are elsewhere.
 */
static List *
written(Rollup *rollup, List *tables)
{
    return tables == NIL || rollup->is_distributed
               ? tables
               : ask_oids(psprintf("SELECT string_agg(oid::text, ' ') FROM pg_class"
                                   " WHERE oid = ANY (%s) AND relkind = 'r' AND (reltuples >= 0"
                                   " OR relfilenode <> oid OR pg_relation_size(oid) > 0)",
                                   listed(tables)));
}

/*
 * Has the groups of all rows of tables that came computed anew, and those in the log, whose rows
 * may have been in these tables, and be gone. A policy of a partition does not apply to who reads
 * its parent, but to who reads it alone: then everything is.
 */
static void
mark_groups_of(Rollup *rollup, List *tables, bool marks_everything)
{
    List *stored = NIL;
    ListCell *cell;

    foreach (cell, tables)
        if (RELKIND_HAS_STORAGE(get_rel_relkind(lfirst_oid(cell)))) {
            stored = lappend_oid(stored, lfirst_oid(cell));
            marks_everything = marks_everything || rollup_is_hidden(lfirst_oid(cell));
        }
    if (marks_everything) {
        rollup_execute(rollup_text(rollup, "{mark_everything}"));
        return;
    }
    rollup_execute_all(rollup_texts(rollup, "{mark_table}", stored));
    if (stored && written(rollup, stored))
        rollup_execute(rollup_text(rollup, "{mark_logged}"));
}

/*
 * Those of partitions that came that the owner may follow. Whoever reads their parent needs no
 * rights on them, but to make triggers there, and to find the groups of the rows that are there.
 */
static List *
permitted(Rollup *rollup, const List *tables)
{
    return tables
               ? ask_oids(rollup_text(
                     rollup, psprintf("SELECT string_agg(c.oid::text, ' ' ORDER BY number)"
                                      " FROM unnest(%s) WITH ORDINALITY AS t (oid, number)"
                                      " JOIN pg_class AS c USING (oid) WHERE ({forbidden}) IS NULL",
                                      listed(tables))))
               : NIL;
}

/*
 * A table that was written or refreshed without while it was not below the source, as a partition
 * that was detached, may be back with rows that were not counted, or without some that were; so may
 * one be that the owner was not allowed to follow. Everything is computed anew.
 */
static void
take_missed(Rollup *rollup)
{
    if (!rollup_answer(rollup_text(rollup, "SELECT 1 FROM ({returned}) AS returned LIMIT 1")))
        return;
    rollup_execute(rollup_text(rollup, "{mark_everything}"));
    /* Nothing of those that are still away is counted any more. */
    rollup_execute(
        rollup_text(rollup, "UPDATE {state} SET missed = ARRAY[]::text[], followed = {followed}"));
}

/* Tables whose rows are counted, and that are written without triggers: see take_missed(). */
static void
note_missed(Rollup *rollup, const List *tables)
{
    ListCell *cell;

    foreach (cell, tables)
        rollup_run("UPDATE %1$s SET missed = missed || ARRAY['%2$u', %3$s]"
                   " WHERE '%2$u' <> ALL (missed)",
                   rollup_relation_name(rollup->state), lfirst_oid(cell),
                   quote_literal_cstr(rollup_relation_name(lfirst_oid(cell))));
}

static void
follow_persistence(Rollup *rollup)
{
    static const RollupPart parts[] = {ROLLUP_ROWS, ROLLUP_LOG, ROLLUP_JOINED};
    char persistence = get_rel_persistence(rollup->query->source);

    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = rollup->parts[parts[i]];

        if (!OidIsValid(part) || get_rel_persistence(part) == persistence)
            continue;
        rollup_run("ALTER TABLE %s SET %s", rollup_relation_name(part),
                   persistence == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED");
        /* A crash may have emptied them. */
        rollup_execute(rollup_text(rollup, "{mark_everything}"));
        if (!rollup->is_distributed)
            rollup_execute(rollup_text(rollup, "{keep_log}"));
    }
}

/*
 * Takes in partitions that came; returns those of which something is missed: that were below the
 * source and are away, with triggers, which a stranger's table may have, too, so the state must
 * list it; and those that the owner may not follow.
 */
static List *
follow_tables(Rollup *rollup)
{
    RollupQuery *query = rollup->query;
    List *followed = find_followed(rollup);
    List *came = list_difference_oid(query->tables, followed), *taken, *away;

    take_missed(rollup);
    came = list_delete_oid(came, query->source);
    taken = permitted(rollup, came);
    if (taken) {
        rollup_execute_all(rollup_texts(rollup, "{triggers}", taken));
        mark_groups_of(rollup, taken, !rollup->each_row && is_above(taken, followed));
    }
    /* Those that went stay, and are said to have gone. After a dump, numbers are others. */
    rollup_execute(rollup_text(
        rollup, "UPDATE {state} SET followed = {followed} || (SELECT coalesce(array_agg(name"
                " ORDER BY pair, number), ARRAY[]::text[]) FROM ({went}) AS went (pair),"
                " unnest(pair) WITH ORDINALITY AS n (name, number))"
                " WHERE followed[1:cardinality({followed})] IS DISTINCT FROM {followed}"));
    away = list_difference_oid(followed, rollup_all_tables(query));
    if (away)
        away = ask_oids(rollup_text(
            rollup, psprintf("SELECT string_agg(oid::text, ' ') FROM {state}, unnest(%s)"
                             " AS t (oid) WHERE oid::text = ANY (followed)",
                             listed(away))));
    return list_concat(away, written(rollup, list_difference_oid(came, taken)));
}

/*
 * The tables whose triggers are to be made again, but for partitions that the owner may not follow.
 * What is wrong with those of a partition may be wrong with one of the source's, of which it has a
 * copy.
 */
static List *
find_changed(Rollup *rollup)
{
    List *changed = ask_oids(rollup_text(
        rollup, "WITH RECURSIVE {ours} SELECT string_agg(t.oid::text, ' ' ORDER BY number)"
                " FROM {changed_tables} AND CASE WHEN {is_new} THEN ({forbidden}) IS NULL ELSE true"
                " END"));

    return changed ? list_append_unique_oid(changed, rollup->query->source) : NIL;
}

static bool
has_primary_key(Oid table)
{
    return rollup_ask("SELECT 1 FROM pg_index WHERE indrelid = %u AND indisprimary", table) != NULL;
}

/*
 * Makes its views again, and triggers that are not what they should be, in the form of this
 * version. The table of the query is locked first, as by writers and readers.
 */
void
rollup_make_again(Rollup *rollup, bool marks)
{
    List *changed;
    ListCell *cell;

    if (rollup->query->joins)
        rollup_check_writes(rollup->query->source);
    rollup_lock_source(rollup->query);
    changed = find_changed(rollup);
    foreach (cell, changed)
        LockRelationOid(lfirst_oid(cell), AccessExclusiveLock);
    if (rollup->form == 0) {
        Oid view = rollup->view;

        changed = rollup->query->tables;
        rollup_drop_triggers(rollup);
        rollup_execute_all(rollup_statements(rollup, "convert"));
        rollup->form = ROLLUP_FORM;
        rollup_execute_all(rollup_statements(rollup, "views"));
        rollup_execute_all(rollup_statements(rollup, "names"));
        (void)rollup_find(rollup, view, InvalidOid);
    } else {
        drop_triggers(rollup, psprintf("tgrelid = ANY (%s)", listed(changed)));
        rollup_execute_all(rollup_statements(rollup, "views"));
    }
    if (marks)
        rollup_execute(rollup_text(rollup, "{mark_everything}"));
    if (rollup->query->joins)
        rollup_execute(rollup_text(rollup, "{note_now}"));
    if (!rollup->is_distributed) {
        rollup_execute(rollup_text(rollup, "{keep_log}"));
        if (rollup_answer(rollup_text(rollup, "{has_index}")) == NULL)
            rollup_execute(rollup_text(rollup, has_primary_key(rollup->parts[ROLLUP_ROWS])
                                                   ? "CREATE UNIQUE INDEX ON {rows} ({groups})"
                                                   : "{make_index}"));
    }
    rollup_execute_all(list_make1(rollup_text(rollup, "{own_triggers}")));
    rollup_execute_all(rollup_texts(rollup, "{triggers}", changed));
    /* By numbers: the owner may not look up what is in a schema of others. */
    rollup_execute(
        rollup_text(rollup, "UPDATE {state} SET {nothing_missed}, followed = {followed}"));
}

/* Whatever is written from now on is not in what was restored. */
static void
end_restore(const Rollup *rollup)
{
    if (rollup->is_distributed)
        return;
    rollup_run("UPDATE %s SET restored = false WHERE restored",
               rollup_relation_name(rollup->state));
    if (SPI_processed > 0)
        CacheInvalidateRelcacheByRelid(rollup->state);
}

/* A period, as the caller's DateStyle reads it. */
static Datum
read_period(const Rollup *rollup, const char *text)
{
    int level = NewGUCNestLevel();
    Datum value;

    (void)set_config_option("datestyle", rollup->datestyle, PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    value = rollup_read_bound(rollup->query->period->type, text);
    AtEOXact_GUC(false, level);
    return value;
}

/*
 * The last period before a bound. Citus refuses what SQL would compute it by for a timestamptz,
 * because that depends on the time zone for other intervals.
 */
static Datum
period_before(Oid type, Datum bound)
{
    if (type == INT4OID) {
        return Int32GetDatum(Max(DatumGetInt32(bound), PG_INT32_MIN + 1) - 1);
    } else if (type == INT8OID) {
        return Int64GetDatum(Max(DatumGetInt64(bound), PG_INT64_MIN + 1) - 1);
    } else if (type == DATEOID) {
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

/*
 * Executes a statement; if there are periods, $1 is a bound, and $2 the last one before it. Returns
 * how many rows it wrote, which is what it answers if it is a SELECT.
 */
static int64
execute(Rollup *rollup, const char *statement, Datum bound)
{
    RollupColumn *period = rollup->query->period;
    Oid types[2] = {0};
    Datum bounds[2] = {0};
    bool ignored;

    if (period) {
        types[0] = types[1] = period->type;
        bounds[0] = bound;
        bounds[1] = period_before(period->type, bound);
    }
    if (SPI_execute_with_args(statement, period ? 2 : 0, types, bounds, NULL, false, 0) < 0)
        elog(ERROR, "cannot execute %s", statement);
    return SPI_tuptable ? DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc,
                                                      1, &ignored))
                        : (int64)SPI_processed;
}

static Oid storing; /* the rows that a refresh writes */

bool
rollup_is_storing(Oid rows)
{
    return rows == storing;
}

static int64
store(Rollup *rollup, Datum bound)
{
    volatile int64 stored = 0;
    Oid outer = storing;

    storing = rollup->parts[ROLLUP_ROWS];
    PG_TRY();
    {
        ListCell *cell;

        foreach (cell, rollup_statements(rollup, "refresh"))
            stored = execute(rollup, lfirst(cell), bound);
    }
    PG_FINALLY();
    {
        storing = outer;
    }
    PG_END_TRY();
    return stored;
}

/*
 * Stored rows that are gone are computed anew. Of frozen ones, that cannot be, and who has lost
 * them must hear of it, and not only until a refresh stores what has changed since.
 */
static void
mend_stored(Rollup *rollup)
{
    char *are_frozen;

    if (rollup->form == 0 || rollup->is_distributed)
        return;
    are_frozen = rollup_answer(
        rollup_text(rollup, "SELECT {if period}frozen > {lowest}{else}false{end} FROM ONLY {state}"
                            " WHERE {is_lost}"));
    if (are_frozen && strcmp(are_frozen, "t") == 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("%s is empty, as after a restore without its rows, and had frozen "
                               "groups",
                               rollup_part(rollup, ROLLUP_ROWS)),
                        errhint("Restore them; or SELECT rollup_repair(%s) goes on without.",
                                quote_literal_cstr(rollup_called(rollup)))));
    if (are_frozen)
        rollup_execute(rollup_text(rollup, "{mark_everything}"));
}

/*
 * The number of groups stored; -1: shards stored them, and do not say how many. What is below is
 * refreshed first, or what waits there would wait here again.
 */
static int64
refresh(FunctionCallInfo fcinfo, Oid view, const char *back_to, const char *before)
{
    bool is_alike = false;
    Oid state, below = rollup_view_below(fcinfo, view, &state, &is_alike);
    int64 stored = OidIsValid(below) ? refresh(fcinfo, below, is_alike ? back_to : NULL, NULL) : 0;
    Rollup *rollup = rollup_begin_change_of(fcinfo, view, state, false);
    RollupQuery *query = rollup->query;
    List *planned = query->tables, *missed, *came, *all = rollup_all_tables(query);
    Datum bound;
    bool settles;
    ListCell *cell;

    if ((back_to || before) && query->period == NULL)
        ereport(
            ERROR,
            (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
             errmsg("%s has no period to %s", rollup_relation_name(rollup->view),
                    before ? "freeze" : "go back to"),
             errhint("A period is a group of type date, timestamp or timestamptz, or an integer "
                     "that is rounded, as seconds / 3600 * 3600, that is never NULL: its column is "
                     "NOT NULL, or a generated one that is.")));
    mend_stored(rollup);
    rollup_check_row_security(query->source);
    foreach (cell, query->joins) {
        /* Before any snapshot, as the source: whoever writes it anew is waited for. */
        LockRelationOid(((RollupJoin *)lfirst(cell))->table, AccessShareLock);
        rollup_check_row_security(((RollupJoin *)lfirst(cell))->table);
    }
    foreach (cell, query->below ? NIL : all)
        rollup_check_writes(lfirst_oid(cell));
    settles = rollup_has(rollup, ROLLUP_LIVE) && rollup_is_filled(rollup);
    rollup_run("UPDATE %s SET refreshed = clock_timestamp()", rollup_relation_name(rollup->state));
    if (rollup->form == 0)
        rollup_make_again(rollup, !rollup_has_triggers(rollup));
    follow_persistence(rollup);
    missed = follow_tables(rollup);
    bound = query->period
                ? read_period(rollup, back_to ? back_to : rollup_bound(query->period->type, false))
                : (Datum)0;
    stored = store(rollup, bound);
    foreach (cell, rollup_statements(rollup, "refreshed"))
        (void)execute(rollup, lfirst(cell), bound);
    /* Of partitions that came or went between plan and snapshot, nothing was read. */
    rollup_find_tables(query);
    came = list_difference_oid(query->tables, planned);
    mark_groups_of(rollup, permitted(rollup, came), false);
    missed = list_concat(missed, list_difference_oid(planned, query->tables));
    note_missed(rollup, list_concat(missed, written(rollup, came)));
    if (before)
        (void)execute(rollup,
                      psprintf("UPDATE %s SET frozen = $1 WHERE frozen < $1",
                               rollup->is_distributed ? rollup_part(rollup, ROLLUP_BOUNDS)
                                                      : rollup_relation_name(rollup->state)),
                      read_period(rollup, before));
    if (!rollup->is_distributed)
        rollup_execute(rollup_text(
            rollup,
            "UPDATE {state} SET stored = NOT stored WHERE stored <> EXISTS (SELECT FROM {rows})"));
    if (settles)
        rollup_settle(rollup);
    end_restore(rollup);
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
    stored = refresh(fcinfo, PG_GETARG_OID(0),
                     PG_ARGISNULL(1) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(1)), NULL);
    if (stored < 0)
        PG_RETURN_NULL();
    PG_RETURN_INT64(stored);
}

PG_FUNCTION_INFO_V1(sketches_rollup_freeze);
Datum
sketches_rollup_freeze(PG_FUNCTION_ARGS)
{
    (void)refresh(fcinfo, PG_GETARG_OID(0), NULL, text_to_cstring(PG_GETARG_TEXT_PP(1)));
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(sketches_rollup_repair);
Datum
sketches_rollup_repair(PG_FUNCTION_ARGS)
{
    Rollup *rollup = rollup_begin_change(fcinfo, true);

    if (rollup->is_altered && rollup->query->period) {
        rollup_execute(rollup_text(rollup, "{known_since}"));
        rollup_mark_columns(rollup);
    }
    rollup_make_again(rollup, true);
    end_restore(rollup);
    rollup_end(rollup);
    PG_RETURN_VOID();
}
