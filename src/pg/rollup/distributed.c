/*
 * distributed.c - rollups of tables that Citus distributes by a column.
 *
 * The stored rows and the log are distributed by the same column as the table, and have their
 * shards beside its shards. So what a statement changes in a shard is logged, read and refreshed
 * where the shard is. What all shards need to know, frozen and stale, is a reference table,
 * _bounds.
 *
 * The trigger of a shard of the table finds the log's shard beside it here, and that of a shard of
 * the log refreshes it: by a statement that the refresh wrote into _bounds, so it is of the moment.
 *
 * On nodes that are added later, Citus gives PUBLIC rights on functions, and names prove nothing: a
 * node is free to have any for which it has no shard. What nobody else can make is a table of the
 * same owner's, and a row of pg_dist_placement. So nothing is read or written before it is known
 * what the trigger was hung on.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

static bool
has_citus(void)
{
    return rollup_ask("SELECT to_regclass('pg_catalog.pg_dist_partition')") != NULL;
}

/* ---- what can be distributed ---- */

/* How Citus keeps the table, where that is not by the hash of a column: a hint. */
static const char *
other_way(Oid source)
{
    char *kind = rollup_ask("SELECT concat(partmethod, repmodel, sign(colocationid))"
                            " FROM pg_dist_partition WHERE logicalrelid = %u",
                            source);
    const char *undistribute =
        psprintf("SELECT undistribute_table(%s)", quote_literal_cstr(rollup_relation_name(source)));

    if (strncmp(kind, "nt", 2) == 0)
        return "It is a reference table, of which all nodes have a copy. Make the rollup of a "
               "local or a distributed table.";
    if (strncmp(kind, "ns", 2) == 0 &&
        rollup_ask("SELECT 1 FROM pg_dist_schema AS d JOIN pg_class AS c ON "
                   "c.relnamespace = d.schemaid WHERE c.oid = %u",
                   source))
        return "Its schema is distributed as a whole. Distribute the table by a column, in a "
               "schema that is not.";
    if (strcmp(kind, "ns1") == 0)
        return psprintf("It has a single shard. %s, and distribute it by a column.", undistribute);
    if (kind[0] == 'n')
        return psprintf("It is a local table in the metadata of Citus. %s takes it out.",
                        undistribute);
    return "SELECT create_distributed_table(...) distributes a table by the hash of a column.";
}

/* The column of the rollup that is the one by which Citus distributes its table. */
static const char *
find_distribution(const RollupQuery *query, const char *by)
{
    ListCell *cell;

    foreach (cell, query->columns) {
        RollupColumn *column = lfirst(cell);

        if (column->key == column->name && strcmp(column->expression, by) == 0)
            return column->name;
    }
    return NULL;
}

static const char *
distributed_by(Oid table)
{
    char *name = rollup_ask("SELECT column_to_column_name(logicalrelid, partkey)"
                            " FROM pg_dist_partition"
                            " WHERE logicalrelid = %u AND partmethod = 'h' AND partkey IS NOT NULL",
                            table);

    return name ? quote_identifier(name) : NULL;
}

/*
 * Settings of Citus until the end of the function: triggers may be made, and all statements of the
 * transaction go to a node by one connection, which sees what the others changed.
 */
static void
pin_settings(void)
{
    (void)set_config_option("citus.enable_unsafe_triggers", "on", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    (void)set_config_option("citus.multi_shard_modify_mode", "sequential", PGC_USERSET,
                            PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

bool
rollup_is_in_citus(Oid table)
{
    return has_citus() &&
           rollup_ask("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %u", table) != NULL;
}

void
rollup_distribute(Rollup *rollup)
{
    const RollupQuery *query = rollup->query;
    const char *source = rollup_relation_name(query->source), *by;

    if (!rollup_is_in_citus(query->source))
        return;
    by = distributed_by(query->source);
    if (by == NULL)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("table %s is in Citus, but not distributed by the hash of a column",
                               source),
                        errhint("%s", other_way(query->source))));
    if (rollup_ask("SELECT 1 FROM pg_dist_local_group WHERE groupid <> 0"))
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("a rollup of the distributed table %s is made on the coordinator", source),
                 errhint("This is a worker.")));
    if (rollup->each_row)
        ereport(ERROR,
                (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                 errmsg("a rollup of the distributed table %s cannot follow single rows", source),
                 errhint("Leave out each_row: on shards, all statements fire its triggers.")));
    if (rollup_ask("SELECT 1 FROM pg_dist_shard AS s"
                   " JOIN pg_dist_placement AS p USING (shardid)"
                   " WHERE s.logicalrelid = %u GROUP BY s.shardid HAVING count(*) > 1",
                   query->source))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("shards of table %s have more than one placement", source),
                        errdetail("Each placement would compute the rollup on its own."),
                        errhint("Distribute the table with citus.shard_replication_factor = 1, and "
                                "let streaming replication keep copies.")));
    rollup->distribution = find_distribution(query, by);
    if (rollup->distribution == NULL)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a rollup of %s needs the column by which the table is distributed, "
                               "%s, among its groups",
                               source, by),
                        errhint("Add it to SELECT and GROUP BY, and declare it NOT NULL. Merge "
                                "groups when you read.")));
    rollup->is_distributed = true;
    pin_settings();
}

void
rollup_find_distribution(Rollup *rollup)
{
    Oid rows = rollup->parts[ROLLUP_ROWS];

    pin_settings();
    rollup->distribution = OidIsValid(rows) && has_citus() ? distributed_by(rows) : NULL;
}

/* SQL for the bytes of a table, with those of its shards. */
const char *
rollup_size_of(const char *table)
{
    const char *here = psprintf("pg_total_relation_size(%s)", table);

    /* Citus asks its nodes, as the role that calls. */
    return has_citus() ? psprintf("CASE WHEN %s NOT IN (SELECT logicalrelid FROM "
                                  "pg_dist_partition) THEN %s WHEN "
                                  "has_table_privilege(%s, 'SELECT') THEN "
                                  "citus_total_relation_size(%s) END",
                                  table, here, table, table)
                       : here;
}

/* ---- on a shard ---- */

static _Noreturn void
raise_no_shard(Oid relation, Oid table, Oid beside)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    OidIsValid(beside)
                        ? errmsg("%s is no shard of %s, or has none of %s beside it",
                                 rollup_relation_name(relation), rollup_relation_name(table),
                                 rollup_relation_name(beside))
                        : errmsg("%s is no shard of %s that this node has",
                                 rollup_relation_name(relation), rollup_relation_name(table)),
                    errhint("Try again if a shard was moved just now. Otherwise drop the rollup by "
                            "rollup_drop on the coordinator, and make it anew.")));
}

/* As catalogs are now: a transaction may have begun before a shard came or went. */
static char *
ask_now(const char *query)
{
    char *value;

    PushActiveSnapshot(GetLatestSnapshot());
    if (SPI_execute(query, true, 1) < 0)
        elog(ERROR, "cannot execute %s", query);
    value = SPI_processed ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) : NULL;
    SPI_freetuptable(SPI_tuptable);
    PopActiveSnapshot();
    return value;
}

/* A shard that this node has: its table, its number, and the relation. */
typedef struct Shard {
    Oid table, relation;
    int64 number;
} Shard;

/* Nodes learn one after the other that a shard was moved. */
#define TRIES 100
#define PAUSE_MICROSECONDS 10000

/*
 * Finds a shard that this node has by a condition on its row s. False if there is none, or if what
 * has its name is of another owner than the table: somebody else made it.
 */
static bool
find_shard(const char *condition, Shard *shard)
{
    for (int tries = 0; tries < TRIES; tries++) {
        int is_here;
        char *found = ask_now(
            psprintf("SELECT concat_ws(' ', s.shardid, s.logicalrelid::oid, EXISTS (SELECT FROM "
                     "pg_dist_placement AS p JOIN pg_dist_local_group AS l ON l.groupid = p.groupid"
                     " WHERE p.shardid = s.shardid AND p.shardstate = 1)::int,"
                     " to_regclass(shard_name(s.logicalrelid, s.shardid, false))::oid)"
                     " FROM pg_dist_shard AS s WHERE %s",
                     condition));

        if (found == NULL || sscanf(found, INT64_FORMAT " %u %d %u", &shard->number, &shard->table,
                                    &is_here, &shard->relation) != 4)
            return false;
        if (!OidIsValid(rollup_owner_of(shard->table)) ||
            rollup_owner_of(shard->table) != rollup_owner_of(shard->relation))
            return false;
        if (is_here)
            return true;
        CHECK_FOR_INTERRUPTS();
        pg_usleep(PAUSE_MICROSECONDS);
    }
    return false;
}

/* Whether a relation is a shard of the table or a partition, or of any: by its name. */
static bool
find_itself(Oid relation, Oid table, Shard *shard)
{
    char *name = get_rel_name(relation), *digits = name ? strrchr(name, '_') : NULL;

    return digits && digits[1] != '\0' && strlen(digits + 1) <= 18 &&
           strspn(digits + 1, "0123456789") == strlen(digits + 1) &&
           find_shard(psprintf("s.shardid = %s AND (%u IN (0, s.logicalrelid) OR %u IN"
                               " (SELECT relid FROM pg_partition_ancestors(s.logicalrelid)))",
                               digits + 1, table, table),
                      shard) &&
           shard->relation == relation;
}

/*
 * The shard of a table that is beside one, or that of a reference table, or InvalidOid. It keeps
 * its name and its owner, for the lock is kept.
 */
static Oid
lock_beside(int64 number, Oid table, LOCKMODE lock)
{
    const char *condition =
        psprintf("s.logicalrelid = %u AND (s.shardid = ANY (get_colocated_shard_array(" INT64_FORMAT
                 ")) OR s.shardminvalue IS NULL)",
                 table, number);
    Shard shard, again;

    while (find_shard(condition, &shard)) {
        /* Locks are for who may read or write. */
        if (lock > AccessShareLock &&
            pg_class_aclcheck(shard.relation, GetUserId(), ACL_INSERT) != ACLCHECK_OK)
            aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(shard.relation));
        LockRelationOid(shard.relation, lock);
        if (find_shard(condition, &again) && again.relation == shard.relation)
            return shard.relation;
        UnlockRelationOid(shard.relation, lock);
    }
    return InvalidOid;
}

/*
 * The rollup whose view reads the table or its ancestor, or the log, and whose bounds have the
 * token: a row of bounds, query, log and source. Whoever may not make triggers of the table did not
 * make it.
 */
#define OF_TOKEN                                                                                   \
    "WITH this AS (SELECT %1$u::oid AS oid UNION SELECT relid FROM pg_partition_ancestors(%1$u))," \
    " rule AS (SELECT objid, relowner, ev_class FROM pg_depend JOIN pg_rewrite AS r ON r.oid = "   \
    "objid"                                                                                        \
    " JOIN pg_class AS c ON c.oid = ev_class WHERE classid = 'pg_rewrite'::regclass"               \
    " AND refclassid = 'pg_class'::regclass AND refobjid IN (TABLE this)),"                        \
    " part AS (SELECT DISTINCT r.objid, c.oid, relkind FROM rule AS r JOIN pg_depend AS d"         \
    " ON d.objid = r.objid AND d.classid = 'pg_rewrite'::regclass AND refclassid = "               \
    "'pg_class'::regclass"                                                                         \
    " AND refobjid <> ev_class JOIN pg_class AS c ON c.oid = refobjid AND c.relowner = "           \
    "r.relowner)"                                                                                  \
    " SELECT concat_ws(' ', bounds.oid, query.oid, log.oid, refobjid) FROM part AS bounds"         \
    " JOIN part AS query USING (objid) JOIN part AS log USING (objid)"                             \
    " JOIN pg_rewrite AS r ON ev_class = query.oid JOIN pg_depend AS d ON d.objid = r.oid"         \
    " AND d.classid = 'pg_rewrite'::regclass AND refclassid = 'pg_class'::regclass"                \
    " AND refobjid <> query.oid WHERE query.relkind = 'v'"                                         \
    " AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = log.oid AND attname = 'mark' AND "     \
    "attnum = 1)"                                                                                  \
    " AND EXISTS (SELECT FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = "    \
    "adnum"                                                                                        \
    " WHERE adrelid = bounds.oid AND attname = 'token' AND pg_get_expr(adbin, adrelid) = %2$s)"    \
    " AND (log.oid IN (TABLE this) OR refobjid IN (TABLE this)) ORDER BY bounds.oid LIMIT 1"

Distributed
rollup_find_distributed(Oid relation, const char *token, bool is_truncate, RollupTarget *target,
                        Oid *bounds)
{
    int settings = rollup_pin_settings();
    Distributed found = OF_TABLE;
    Shard shard = {.table = relation};
    char *row;

    SPI_connect();
    if (find_itself(relation, InvalidOid, &shard))
        found = OF_SHARD;
    else if (shard.table != relation)
        raise_no_shard(relation, shard.table, InvalidOid);
    target->layout = shard.table;
    row = ask_now(psprintf(OF_TOKEN, shard.table,
                           quote_literal_cstr(psprintf("%s::text", quote_literal_cstr(token)))));
    if (row == NULL ||
        sscanf(row, "%u %u %u %u", bounds, &target->query, &target->log, &target->source) != 4) {
        found = found == OF_SHARD ? NOT_DISTRIBUTED : FOREIGN;
    } else {
        RollupUser caller = rollup_act_as(target->owner = rollup_owner_of(*bounds));

        if (shard.table == target->log)
            found = OF_LOG;
        else if (found == OF_TABLE && !is_truncate)
            raise_no_shard(relation, target->source, InvalidOid);
        else if (found == OF_SHARD) {
            Oid log = lock_beside(shard.number, target->log, RowExclusiveLock);

            if (!OidIsValid(log))
                raise_no_shard(relation, target->source, target->log);
            target->log = log;
        }
        rollup_act_again(caller);
        if (pg_class_aclcheck(target->source, target->owner, ACL_TRIGGER) != ACLCHECK_OK)
            raise_no_shard(relation, target->source, InvalidOid);
    }
    SPI_finish();
    AtEOXact_GUC(false, settings);
    return found;
}

const char *
rollup_token(Rollup *rollup)
{
    if (rollup->token == NULL && rollup->form > 0 && OidIsValid(rollup->parts[ROLLUP_BOUNDS]))
        rollup->token =
            rollup_ask("SELECT token FROM %s", rollup_relation_name(rollup->parts[ROLLUP_BOUNDS]));
    if (rollup->token == NULL)
        rollup->token = rollup_answer("SELECT gen_random_uuid()");
    return rollup->token;
}

/* The tables of a statement of a refresh, in its order. */
enum { OF_ROWS = 1, OF_SOURCE, OF_BOUNDS, COUNT };

void
rollup_fold_shard(Oid bounds, Oid log, Oid shard)
{
    static const LOCKMODE locks[COUNT] = {RowExclusiveLock, RowExclusiveLock, AccessShareLock,
                                          AccessShareLock};
    RollupUser caller = rollup_act_as(rollup_owner_of(bounds));
    int settings = rollup_pin_settings();
    StringInfoData names;
    char *statement;
    Shard found;

    initStringInfo(&names);
    SPI_connect();
    if (!find_itself(shard, log, &found))
        raise_no_shard(shard, log, log);
    if (rollup_ask("SELECT 1 FROM %s WHERE fold IS NOT NULL", rollup_relation_name(bounds)) == NULL)
        ereport(ERROR, (errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
                        errmsg("a rollup of a distributed table is refreshed in a transaction that "
                               "has written nothing before"),
                        errhint("Call rollup_refresh in a transaction of its own.")));
    for (int i = 0; i < COUNT; i++) {
        Oid table = i == OF_BOUNDS ? bounds
                                   : rollup_ask_oid("SELECT fold[%d]::regclass::oid FROM %s", i + 2,
                                                    rollup_relation_name(bounds));
        Oid beside = lock_beside(found.number, table, locks[i]);

        if (!OidIsValid(beside) || (i != OF_SOURCE && rollup_owner_of(beside) != GetUserId()))
            raise_no_shard(shard, log, table);
        if (i == OF_SOURCE) {
            rollup_check_writes(beside);
            rollup_check_row_security(beside);
        } else
            rollup_check_part(beside);
        appendStringInfo(&names, ", %s", quote_literal_cstr(rollup_relation_name(beside)));
    }
    statement =
        rollup_ask("SELECT format(fold[1]%s) FROM %s", names.data, rollup_relation_name(bounds));
    rollup_execute(statement);
    SPI_finish();
    AtEOXact_GUC(false, settings);
    rollup_act_again(caller);
}

void
rollup_mark_distributed(Oid bounds)
{
    Oid type = get_atttype(bounds, get_attnum(bounds, "stale"));
    int settings;

    /* Until the transaction ends: Citus still has to truncate shards, by the same connection. */
    (void)set_config_option("citus.multi_shard_modify_mode", "sequential", PGC_USERSET,
                            PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0, false);
    settings = rollup_pin_settings();
    rollup_check_part(bounds);
    SPI_connect();
    rollup_run("UPDATE %s SET stale = '%s'", rollup_relation_name(bounds),
               type == BOOLOID ? "true" : rollup_bound(type, true));
    SPI_finish();
    AtEOXact_GUC(false, settings);
}
