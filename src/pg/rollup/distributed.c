/*
 * distributed.c - rollups of tables that Citus distributes by a column.
 *
 * The stored rows and the log are distributed by the same column as the table, and have their
 * shards beside its shards. So what a statement changes in a shard is logged, read and refreshed
 * where the shard is. What all shards need to know, frozen and stale, is a reference table,
 * _bounds.
 *
 * SQL objects served, all STRICT:
 *   _rollup_write(shard oid, source regclass, delta record) -> void
 *       the trigger of a shard of the table: one row for the shard of the log beside it
 *   _rollup_fold(shard oid, tables regclass[]) -> text[]
 *       the trigger of a shard of the log: may a refresh begin, and what the shards are called
 *
 * On nodes that are added later, Citus gives PUBLIC the right to execute the functions of triggers.
 * So both look at what the trigger was hung on.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
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
    char *kind = rollup_ask("SELECT concat(partmethod, repmodel) FROM pg_dist_partition"
                            " WHERE logicalrelid = %u",
                            source);

    if (strcmp(kind, "nt") == 0)
        return "It is a reference table, of which all nodes have a copy. Make the rollup of a "
               "local or a distributed table.";
    if (strcmp(kind, "ns") == 0 &&
        rollup_ask("SELECT 1 FROM pg_dist_schema AS d JOIN pg_class AS c ON "
                   "c.relnamespace = d.schemaid WHERE c.oid = %u",
                   source))
        return "Its schema is distributed as a whole. Distribute the table by a column, in a "
               "schema that is not.";
    if (kind[0] == 'n')
        return psprintf(
            "It is a local table in the metadata of Citus. SELECT undistribute_table(%s) takes it "
            "out.",
            quote_literal_cstr(rollup_relation_name(source)));
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
raise_no_shard(Oid shard, Oid table, Oid beside)
{
    ereport(
        ERROR,
        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
         errmsg("%s is no shard of %s, or has none of %s beside it", rollup_relation_name(shard),
                rollup_relation_name(table), rollup_relation_name(beside)),
         errhint("Drop the rollup by rollup_drop on the coordinator, and make it anew.")));
}

/*
 * The number of a shard, by its name, if it is one of the table or of a partition of it; otherwise
 * 0. (For sessions of clients, Citus hides shards in pg_class from queries, but not from the
 * cache.)
 */
static int64
shard_number(Oid shard, Oid table)
{
    char *name = get_rel_name(shard), *digits = name ? strrchr(name, '_') : NULL;
    char *found;

    if (digits == NULL || digits[1] == '\0' || strlen(digits + 1) > 18 ||
        strspn(digits + 1, "0123456789") != strlen(digits + 1))
        return 0;
    found = rollup_ask("SELECT s.shardid FROM pg_dist_shard AS s"
                       " WHERE s.shardid = %s AND to_regclass(shard_name("
                       "s.logicalrelid, s.shardid, false)) = %u AND (s.logicalrelid = %u OR %u IN "
                       "(SELECT relid FROM pg_partition_ancestors(s.logicalrelid)))",
                       digits + 1, shard, table, table);
    return found ? strtoll(found, NULL, 10) : 0;
}

/* The name of the shard of a table that is beside one, or of a reference table; or NULL. */
static char *
shard_beside(int64 shard, Oid table)
{
    return rollup_ask("SELECT shard_name(s.logicalrelid, s.shardid, false)"
                      " FROM pg_dist_shard AS s WHERE s.logicalrelid = %u"
                      " AND (s.shardid = ANY (get_colocated_shard_array(" INT64_FORMAT "))"
                      " OR s.shardminvalue IS NULL)",
                      table, shard);
}

static Oid
relation_called(const char *name)
{
    return rollup_ask_oid("SELECT to_regclass(%s)::oid", quote_literal_cstr(name));
}

/* The tables that a fold names, in their order. */
enum { OF_LOG, OF_ROWS, OF_SOURCE, OF_BOUNDS, COUNT };

PG_FUNCTION_INFO_V1(sketches_rollup_fold);
Datum
sketches_rollup_fold(PG_FUNCTION_ARGS)
{
    Oid shard = PG_GETARG_OID(0);
    ArrayType *given = PG_GETARG_ARRAYTYPE_P(1);
    Datum *tables, *names;
    int count, settings;
    int64 number;
    MemoryContext caller = CurrentMemoryContext;

    if (ARR_HASNULL(given))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a table is NULL")));
    deconstruct_array(given, REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT, &tables, NULL, &count);
    if (count != COUNT)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%d tables, and not log, rows, source and bounds", count)));
    settings = rollup_pin_settings();
    SPI_connect();
    number = shard_number(shard, DatumGetObjectId(tables[OF_LOG]));
    names = MemoryContextAlloc(caller, count * sizeof *names);
    for (int i = 0; i < count; i++) {
        char *name = number ? shard_beside(number, DatumGetObjectId(tables[i])) : NULL;
        Oid found = name ? relation_called(name) : InvalidOid;

        if (!OidIsValid(found))
            raise_no_shard(shard, DatumGetObjectId(tables[OF_LOG]), DatumGetObjectId(tables[i]));
        if (i == OF_SOURCE)
            rollup_check_writes(found);
        MemoryContextSwitchTo(caller);
        names[i] = CStringGetTextDatum(name);
    }
    SPI_finish();
    AtEOXact_GUC(false, settings);
    PG_RETURN_ARRAYTYPE_P(construct_array(names, count, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The statement that writes a delta, kept for each shard that this session has written. */
typedef struct Log {
    struct {
        Oid shard, source, delta; /* delta: the row type of the log */
    } key;
    Oid log; /* the shard of it */
    SPIPlanPtr insert;
} Log;

static HTAB *logs;

static SPIPlanPtr
prepare_insert(Oid shard, Oid source, Oid delta, Oid *log)
{
    int settings = rollup_pin_settings();
    Oid whole = get_typ_typrelid(delta);
    int64 number = OidIsValid(whole) ? shard_number(shard, source) : 0;
    char *name = number ? shard_beside(number, whole) : NULL;
    SPIPlanPtr plan;

    if (name == NULL)
        raise_no_shard(shard, source, whole);
    *log = relation_called(name);
    plan = SPI_prepare(psprintf("INSERT INTO %s SELECT ($1).*", name), 1, &delta);
    if (plan == NULL || SPI_keepplan(plan) != 0)
        elog(ERROR, "cannot prepare for %s", name);
    AtEOXact_GUC(false, settings);
    return plan;
}

PG_FUNCTION_INFO_V1(sketches_rollup_write);
Datum
sketches_rollup_write(PG_FUNCTION_ARGS)
{
    HeapTupleHeader delta = PG_GETARG_HEAPTUPLEHEADER(2);
    Datum value = HeapTupleHeaderGetDatum(delta);
    Log *log, found = {0};
    bool known;

    found.key.shard = PG_GETARG_OID(0);
    found.key.source = PG_GETARG_OID(1);
    found.key.delta = HeapTupleHeaderGetTypeId(delta);
    if (logs == NULL) {
        HASHCTL how = {0};

        how.keysize = sizeof found.key;
        how.entrysize = sizeof found;
        how.hcxt = TopMemoryContext;
        logs = hash_create("shards of logs of rollups", 64, &how,
                           HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
    }
    SPI_connect();
    log = hash_search(logs, &found.key, HASH_FIND, NULL);
    /* Shards move, split, and are not co-located any more. */
    if (log && !SearchSysCacheExists1(RELOID, ObjectIdGetDatum(log->log))) {
        (void)SPI_freeplan(log->insert);
        (void)hash_search(logs, &found.key, HASH_REMOVE, NULL);
        log = NULL;
    }
    if (log == NULL) {
        found.insert =
            prepare_insert(found.key.shard, found.key.source, found.key.delta, &found.log);
        log = hash_search(logs, &found.key, HASH_ENTER, &known);
        *log = found;
    }
    if (SPI_execute_plan(log->insert, &value, NULL, false, 0) != SPI_OK_INSERT)
        elog(ERROR, "cannot write a delta");
    SPI_finish();
    PG_RETURN_VOID();
}
