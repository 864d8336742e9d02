/*
 * distributed.c - rollups of tables that Citus distributes by a column.
 *
 * The stored rows and the log are distributed by the same column as the table, and have their
 * shards beside its shards. So what a statement changes in a shard is logged, read and refreshed
 * where the shard is. What all shards need to know, frozen and stale, is a reference table,
 * _bounds.
 *
 * SQL objects served, all STRICT; the source is given as the view of the rollup's query:
 *   _rollup_write(shard oid, query regclass, delta record) -> void
 *       the trigger of a shard of the table: one row for the shard of the log beside it
 *   _rollup_fold(shard oid, tables regclass[]) -> text[]
 *       the trigger of a shard of the log: may a refresh begin, and what the shards are called
 *
 * On nodes that are added later, Citus gives PUBLIC the right to execute the functions of triggers,
 * which run as the owner of the rollup, and so would what the columns of a table of somebody else's
 * are cast by, and the triggers of a log of theirs. So nothing is read or written before it is
 * known what the trigger was hung on. Names prove nothing: a node is free to have any for which it
 * has no shard. What nobody else can make is a table of the same owner's, and a row of
 * pg_dist_placement.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

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

static void
refuse_quoted(const char *name)
{
    if (strcmp(quote_identifier(name), name) != 0)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_NAME),
                 errmsg("\"%s\" cannot be in the name of a rollup of a distributed table", name),
                 errhint("Citus sends names of functions to its nodes without quotes. Choose "
                         "one of lower-case letters, digits and underscores.")));
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

void
rollup_distribute(Rollup *rollup)
{
    const RollupQuery *query = rollup->query;
    const char *source = rollup_relation_name(query->source), *by;

    if (!has_citus() || !rollup_ask("SELECT 1 FROM pg_dist_partition"
                                    " WHERE logicalrelid = %u",
                                    query->source))
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
    refuse_quoted(rollup->schema);
    refuse_quoted(rollup->name);
}

void
rollup_find_distribution(Rollup *rollup)
{
    Oid rows = rollup_part_oid(rollup, "_rows", RELKIND_RELATION);

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

/* Whether a relation is a shard of the table, or of a partition: by the number in its name. */
static bool
find_itself(Oid relation, Oid table, Shard *shard)
{
    char *name = get_rel_name(relation), *digits = name ? strrchr(name, '_') : NULL;

    return digits && digits[1] != '\0' && strlen(digits + 1) <= 18 &&
           strspn(digits + 1, "0123456789") == strlen(digits + 1) &&
           find_shard(psprintf("s.shardid = %s AND (s.logicalrelid = %u OR %u IN"
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

/* ---- what this session knows ---- */

/* A relation that a trigger was hung on, and the statement that writes what changed in it. */
typedef struct Known {
    struct {
        Oid relation, query, delta; /* delta: the row type of the log, or InvalidOid */
    } key;
    Oid table, log_table, log; /* of which it is a shard, the log, and the shard of that */
    SPIPlanPtr insert;
    bool is_valid, is_at_work;
} Known;

static HTAB *known;
static uint64 changes;

/* When a shard moves, Citus sends this for its table. */
static void
forget(Datum argument, Oid relation)
{
    HASH_SEQ_STATUS all;
    Known *one;

    (void)argument;
    changes++;
    hash_seq_init(&all, known);
    while ((one = hash_seq_search(&all)) != NULL)
        if (!OidIsValid(relation) || relation == one->key.relation || relation == one->key.query ||
            relation == one->table || relation == one->log_table || relation == one->log)
            one->is_valid = false;
}

static void
prepare_insert(Known *one, int64 shard)
{
    one->log_table = get_typ_typrelid(one->key.delta);
    if (OidIsValid(one->log_table))
        one->log = lock_beside(shard, one->log_table, RowExclusiveLock);
    if (!OidIsValid(one->log))
        raise_no_shard(one->key.relation, rollup_source_of(one->key.query, NULL), one->log_table);
    rollup_check_part(one->log);
    one->insert =
        SPI_prepare(psprintf("INSERT INTO %s SELECT ($1).*", rollup_relation_name(one->log)), 1,
                    &one->key.delta);
    if (one->insert == NULL || SPI_keepplan(one->insert) != 0)
        elog(ERROR, "cannot prepare for %s", rollup_relation_name(one->log));
}

/* NULL: it is no shard of the table of the query. */
static Known *
know(Oid relation, Oid query, Oid delta)
{
    Known found = {.key = {relation, query, delta}}, *one;
    Shard shard;
    uint64 before;
    int settings;
    bool is_there;

    if (known == NULL) {
        HASHCTL how = {0};

        how.keysize = sizeof found.key;
        how.entrysize = sizeof found;
        how.hcxt = TopMemoryContext;
        known = hash_create("shards of rollups", 64, &how, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
        CacheRegisterRelcacheCallback(forget, (Datum)0);
    }
    one = hash_search(known, &found.key, HASH_FIND, NULL);
    if (one && one->is_valid)
        return one;
    before = changes;
    settings = rollup_pin_settings();
    SPI_connect();
    is_there = find_itself(relation, rollup_source_of(query, NULL), &shard);
    if (is_there && OidIsValid(delta))
        prepare_insert(&found, shard.number);
    SPI_finish();
    AtEOXact_GUC(false, settings);
    if (!is_there)
        return NULL;
    found.table = shard.table;
    found.is_valid = changes == before;
    one = hash_search(known, &found.key, HASH_ENTER, &is_there);
    if (is_there && one->insert && !one->is_at_work)
        (void)SPI_freeplan(one->insert);
    *one = found;
    return one;
}

bool
rollup_is_shard(Oid relation, Oid query, bool must_be)
{
    bool is_distributed;

    if (!OidIsValid(get_relname_relid("pg_dist_shard", PG_CATALOG_NAMESPACE)))
        return false;
    if (know(relation, query, InvalidOid) != NULL)
        return true;
    SPI_connect();
    is_distributed = ask_now(psprintf("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = %u",
                                      rollup_source_of(query, NULL))) != NULL;
    SPI_finish();
    if (must_be && is_distributed)
        raise_no_shard(relation, rollup_source_of(query, NULL), InvalidOid);
    return false;
}

/* What a fold names, in its order: the source by the query. */
enum { OF_LOG, OF_ROWS, OF_SOURCE, OF_BOUNDS, COUNT };

PG_FUNCTION_INFO_V1(sketches_rollup_fold);
Datum
sketches_rollup_fold(PG_FUNCTION_ARGS)
{
    static const LOCKMODE locks[COUNT] = {RowExclusiveLock, RowExclusiveLock, AccessShareLock,
                                          AccessShareLock};
    Oid relation = PG_GETARG_OID(0), log;
    ArrayType *given = PG_GETARG_ARRAYTYPE_P(1);
    Datum *tables, *names;
    int count, settings;
    Shard shard;
    MemoryContext caller = CurrentMemoryContext;

    if (ARR_HASNULL(given))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a table is NULL")));
    deconstruct_array(given, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT, &tables, NULL, &count);
    if (count != COUNT)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%d tables, and not log, rows, query and bounds", count)));
    settings = rollup_pin_settings();
    SPI_connect();
    log = DatumGetObjectId(tables[OF_LOG]);
    if (!find_itself(relation, log, &shard))
        raise_no_shard(relation, log, log);
    names = MemoryContextAlloc(caller, count * sizeof *names);
    for (int i = 0; i < count; i++) {
        Oid table = DatumGetObjectId(tables[i]);
        Oid found = lock_beside(shard.number,
                                i == OF_SOURCE ? rollup_source_of(table, NULL) : table, locks[i]);

        if (!OidIsValid(found))
            raise_no_shard(relation, log, table);
        if (i == OF_SOURCE)
            rollup_check_writes(found);
        else
            rollup_check_part(found);
        MemoryContextSwitchTo(caller);
        names[i] = CStringGetTextDatum(rollup_relation_name(found));
    }
    SPI_finish();
    AtEOXact_GUC(false, settings);
    PG_RETURN_ARRAYTYPE_P(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

PG_FUNCTION_INFO_V1(sketches_rollup_write);
Datum
sketches_rollup_write(PG_FUNCTION_ARGS)
{
    Oid relation = PG_GETARG_OID(0), query = PG_GETARG_OID(1);
    HeapTupleHeader delta = PG_GETARG_HEAPTUPLEHEADER(2);
    Datum value = HeapTupleHeaderGetDatum(delta);
    Known *one;

    SPI_connect();
    one = know(relation, query, HeapTupleHeaderGetTypeId(delta));
    /* With the lock comes what was changed before. */
    if (one)
        LockRelationOid(one->log, RowExclusiveLock);
    if (one && !one->is_valid)
        one = know(relation, query, HeapTupleHeaderGetTypeId(delta));
    if (one == NULL)
        raise_no_shard(relation, rollup_source_of(query, NULL), InvalidOid);
    one->is_at_work = true; /* in an outer call, maybe; after an error, the plan is kept */
    if (SPI_execute_plan(one->insert, &value, NULL, false, 0) != SPI_OK_INSERT)
        elog(ERROR, "cannot write a delta");
    one->is_at_work = false;
    SPI_finish();
    PG_RETURN_VOID();
}
