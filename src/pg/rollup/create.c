/*
 * create.c - making a rollup, and dropping it: rollup_script, rollup_create, rollup_drop.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/delta.h"
#include "pg/shared/glue.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/resowner.h"

/* A name, after a schema or alone. */
static void
split_name(const char *given, const char **schema, const char **name)
{
    List *parts = sketches_name_list(given);

    if (list_length(parts) > 2)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_NAME), errmsg("%s cannot be the name of a rollup", given),
                 errhint("Write the name alone, or a schema, a dot and the name.")));
    *schema = list_length(parts) == 2 ? strVal(linitial(parts)) : NULL;
    *name = strVal(llast(parts));
}

static void
name_rollup(Rollup *rollup, const char *name)
{
    List *path = fetch_search_path(false);

    split_name(name, &rollup->schema, &rollup->name);
    if (rollup->schema == NULL && path)
        rollup->schema = get_namespace_name(linitial_oid(path));
    if (rollup->schema == NULL || strncmp(rollup->schema, "pg_temp", 7) == 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_SCHEMA_NAME),
                        errmsg("a rollup needs a schema that writers of its table see, too"),
                        errhint("Name the rollup with its schema, such as public.hourly.")));
}

/*
 * The owner of a schema can drop what others have in it, and put own tables in its place, or rename
 * it and make another of its name. Nobody but a superuser shall do that to the trigger function of
 * a superuser, or to what it calls. Schema public is the database owner's.
 */
static void
check_schema(const char *schema)
{
    Oid owner = rollup_ask_oid("SELECT CASE nspowner WHEN %u THEN datdba ELSE nspowner END"
                               " FROM pg_namespace CROSS JOIN pg_database"
                               " WHERE nspname = %s AND datname = current_database()",
                               ROLE_PG_DATABASE_OWNER, quote_literal_cstr(schema));

    if (superuser() && OidIsValid(owner) && !superuser_arg(owner))
        ereport(
            ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             errmsg("schema %s belongs to a role that could replace parts of a superuser's rollup",
                    quote_identifier(schema)),
             errhint("SET ROLE %s;", quote_identifier(GetUserNameFromId(owner, false)))));
}

/* Parts take other names where these are taken. */
static void
check_name(Rollup *rollup)
{
    Oid taken = get_relname_relid(rollup->name, get_namespace_oid(rollup->schema, false));
    Rollup found = *rollup;

    if (OidIsValid(taken))
        ereport(ERROR, (errcode(ERRCODE_DUPLICATE_TABLE),
                        errmsg("relation \"%s\" already exists", rollup->name),
                        rollup_find(&found, taken, InvalidOid)
                            ? errhint("SELECT rollup_drop(%s) drops the rollup that is there.",
                                      quote_literal_cstr(rollup_called(&found)))
                            : errhint("Choose another name.")));
}

/* A crash would empty some of the tables and not the rollup, or the rollup and not all tables. */
static void
check_persistence(const RollupQuery *query)
{
    ListCell *cell;

    foreach (cell, rollup_all_tables(query)) {
        Oid table = lfirst_oid(cell);

        if (RELKIND_HAS_STORAGE(get_rel_relkind(table)) &&
            get_rel_persistence(table) != get_rel_persistence(query->source))
            rollup_refuse(psprintf(
                "logged and unlogged tables together: ALTER TABLE %s SET %s",
                rollup_relation_name(table),
                get_rel_persistence(table) == RELPERSISTENCE_UNLOGGED ? "LOGGED" : "UNLOGGED"));
    }
}

void
rollup_take_merge(Rollup *rollup, const Jsonb *merge)
{
    char *unknown;

    rollup->merge = JsonbToCString(NULL, (JsonbContainer *)&merge->root, 0);
    if (!JB_ROOT_IS_OBJECT(merge))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("merge is no object: %s", rollup->merge),
                        errhint("merge => '{\"column\": \"schema.aggregate\"}'")));
    unknown = rollup_answer(rollup_text(
        rollup,
        "SELECT key FROM jsonb_object_keys({merge}) AS key WHERE key <> ALL ({aggregates})"));
    if (unknown)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("merge names %s, which is no aggregate of the query", unknown)));
}

/* The statements of a new rollup. Reads names and query with the search_path of the caller. */
static List *
begin_script(FunctionCallInfo fcinfo, Rollup **begun, bool lock)
{
    Oid sketches = get_func_namespace(fcinfo->flinfo->fn_oid);
    RollupApart apart = rollup_take_apart(rollup_parse(text_to_cstring(PG_GETARG_TEXT_PP(1))), NIL,
                                          NIL, InvalidOid, sketches);
    RollupQuery *query = rollup_analyze(apart.query, InvalidOid, PG_GETARG_JSONB_P(2), sketches);
    Rollup named, *rollup;
    List *statements;

    name_rollup(&named, text_to_cstring(PG_GETARG_TEXT_PP(0)));
    *begun = rollup = rollup_begin(fcinfo);
    rollup->schema = named.schema;
    rollup->name = named.name;
    rollup->query = query;
    rollup->shown = apart.shown;
    rollup->having = apart.having;
    rollup->form = ROLLUP_FORM;
    rollup_take_merge(rollup, PG_GETARG_JSONB_P(2));
    rollup->each_row = PG_GETARG_BOOL(3);
    if (query->below && rollup->each_row)
        rollup_refuse(psprintf("single rows of %s to follow, which is a rollup: leave each_row out",
                               rollup_relation_name(query->read)));
    rollup->parts[ROLLUP_BELOW] = query->below ? query->below->state : InvalidOid;
    if (query->joins)
        rollup_check_star(rollup);
    else
        rollup_distribute(rollup);
    check_persistence(query);
    if (!rollup->each_row) {
        rollup_check_subscription(query);
        rollup_check_parents(rollup);
    }
    /* What a snapshot of before the locks does not know was not logged. */
    if (lock && query->joins)
        rollup_check_writes(query->source);
    if (lock)
        rollup_lock_source(query);
    statements =
        list_concat(rollup_statements(rollup, "create"), rollup_statements(rollup, "views"));
    statements = list_concat(statements, rollup_statements(rollup, "names"));
    return list_concat(statements, rollup_statements(rollup, "triggers"));
}

/* Statements, one below the other, as a comment: names in them may have line breaks. */
static void
append_comment(StringInfo script, const List *statements)
{
    ListCell *cell;

    foreach (cell, statements) {
        appendStringInfoString(script, "-- ");
        for (const char *text = lfirst(cell); *text; text++) {
            appendStringInfoChar(script, *text);
            if (*text == '\n' || *text == '\r')
                appendStringInfoString(script, "-- ");
        }
        appendStringInfoString(script, lnext(statements, cell) ? ";\n" : "\n");
    }
}

PG_FUNCTION_INFO_V1(sketches_rollup_script);
Datum
sketches_rollup_script(PG_FUNCTION_ARGS)
{
    Rollup *rollup;
    StringInfoData script;
    ListCell *cell;
    List *statements = begin_script(fcinfo, &rollup, false);
    List *refresh = rollup_statements(rollup, "refresh");
    Datum result;

    initStringInfo(&script);
    appendStringInfoString(&script, "-- To be executed in one transaction.\n"
                                    "SET LOCAL search_path = pg_catalog, pg_temp;\n"
                                    "SET LOCAL standard_conforming_strings = on;\n"
                                    "SET LOCAL datestyle = ISO;\n"
                                    "SET LOCAL intervalstyle = postgres;\n");
    if (rollup->is_distributed)
        appendStringInfoString(&script, "SET LOCAL citus.enable_unsafe_triggers = on;\n"
                                        "SET LOCAL citus.multi_shard_modify_mode = sequential;\n");
    foreach (cell, statements)
        appendStringInfo(&script, "\n%s\n", (char *)lfirst(cell));
    appendStringInfoString(&script,
                           "\n-- This is what rollup_refresh executes, after an UPDATE of the "
                           "state, so one at a time; $1 is the period to\n-- go back to, $2 the "
                           "last one before it:\n--\n");
    append_comment(&script, refresh);
    MemoryContextSwitchTo(rollup->caller);
    result = CStringGetTextDatum(script.data);
    rollup_end(rollup);
    return result;
}

/* A value of a type for a row that nobody wrote, or NULL. */
static const char *
sample_of(Oid type, const char *text)
{
    switch (getBaseType(type)) {
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
        return "1";
    case TEXTOID:
    case VARCHAROID:
        return text;
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
        return "2000-01-01";
    default:
        return NULL;
    }
}

/* Whether the fault is the query's, whatever a row has. */
static bool
is_of_query(const ErrorData *error)
{
    return error->sqlerrcode == ERRCODE_FEATURE_NOT_SUPPORTED ||
           error->sqlerrcode == ERRCODE_INVALID_PARAMETER_VALUE ||
           error->sqlerrcode == ERRCODE_DATETIME_VALUE_OUT_OF_RANGE ||
           ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
               ERRCODE_TO_CATEGORY(ERRCODE_PROGRAM_LIMIT_EXCEEDED);
}

/* Logs what a row would add, and undoes it. Returns what is wrong with the query, or NULL. */
static ErrorData *
try_row(const Rollup *rollup, const char *text)
{
    Oid source = rollup->query->source;
    RollupTarget target = {
        rollup->parts[ROLLUP_QUERY], rollup->query->read, source,
        rollup->parts[ROLLUP_LOG],   rollup->owner,       rollup->parts[ROLLUP_WRITTEN]};
    Relation table = table_open(source, AccessShareLock);
    TupleDesc columns = RelationGetDescr(table);
    Datum *values = palloc0(columns->natts * sizeof *values);
    bool *nulls = palloc0(columns->natts * sizeof *nulls);
    Tuplestorestate *rows = tuplestore_begin_heap(false, false, work_mem);
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner resources = CurrentResourceOwner;
    ErrorData *volatile wrong = NULL;

    for (int i = 0; i < columns->natts; i++) {
        Form_pg_attribute column = TupleDescAttr(columns, i);
        const char *sample = column->attisdropped ? NULL : sample_of(column->atttypid, text);

        nulls[i] = sample == NULL;
        if (sample)
            values[i] = rollup_read_bound(getBaseType(column->atttypid), sample);
    }
    tuplestore_putvalues(rows, columns, values, nulls);
    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        rollup_log(&target, DELTA_ADD, rows, source);
        RollbackAndReleaseCurrentSubTransaction();
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        FlushErrorState();
        RollbackAndReleaseCurrentSubTransaction();
        if (rollup_is_passing(error))
            ReThrowError(error);
        wrong = is_of_query(error) ? error : NULL;
    }
    PG_END_TRY();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = resources;
    tuplestore_end(rows);
    table_close(table, NoLock);
    return wrong;
}

/*
 * The table may be empty, and a delta may be too wide. Text may be a number, or name a part of a
 * time.
 */
static void
try_sample(const Rollup *rollup)
{
    ErrorData *wrong = try_row(rollup, "1");

    if (wrong && try_row(rollup, "day"))
        ReThrowError(wrong);
}

/* By which facts are found that are joined to what has changed. */
static void
advise_index(const RollupQuery *query, const RollupJoin *join)
{
    const char *column;

    if (join->beside <= 0 ||
        rollup_ask("SELECT 1 FROM pg_index WHERE indrelid = %u AND indkey[0] = %d", query->source,
                   join->beside))
        return;
    column = quote_identifier(get_attname(query->source, join->beside, false));
    ereport(NOTICE,
            (errmsg("an index on %s makes changes of %s cheaper to read", column,
                    rollup_relation_name(join->table)),
             errhint("CREATE INDEX ON %s (%s);", rollup_relation_name(query->source), column)));
}

static void
say_advice(const RollupQuery *query)
{
    ListCell *cell;
    uint64 blocks = 0;

    foreach (cell, query->tables) {
        Relation table = table_open(lfirst_oid(cell), NoLock);

        if (RELKIND_HAS_STORAGE(table->rd_rel->relkind))
            blocks += RelationGetNumberOfBlocks(table);
        table_close(table, NoLock);
    }
    foreach (cell, blocks > 64 * 1024 * 1024 / BLCKSZ ? query->joins : NIL)
        advise_index(query, lfirst(cell));
    if (query->period) {
        const char *expression = quote_literal_cstr(query->period->alone);

        if (blocks > 64 * 1024 * 1024 / BLCKSZ &&
            !rollup_ask("SELECT 1 FROM pg_index WHERE indrelid = %u AND"
                        " pg_get_indexdef(indexrelid, 1, false) IN (%s, '(' || %s || ')')",
                        query->source, expression, expression))
            ereport(NOTICE, (errmsg("an index on %s makes refreshes faster", query->period->name),
                             errhint("CREATE INDEX ON %s USING brin ((%s));",
                                     rollup_relation_name(query->source), query->period->alone)));
        return;
    }
    foreach (cell, query->columns) {
        RollupColumn *column = lfirst(cell);

        if (column->key && (column->type == DATEOID || column->type == TIMESTAMPOID ||
                            column->type == TIMESTAMPTZOID)) {
            ereport(NOTICE,
                    (errmsg("group %s can be NULL, so it is no period, and the rollup can be "
                            "neither frozen nor filled in steps",
                            column->name),
                     errhint("Declare its column NOT NULL, or keep it in a generated column that "
                             "is, and make the rollup again.")));
            return;
        }
    }
}

void
rollup_try(Rollup *rollup)
{
    char *passing =
        rollup_ask("SELECT concat(o.type, ' ', replace(o.identity, o.schema, 'pg_temp'))"
                   " FROM pg_depend, pg_identify_object(refclassid, refobjid, 0) AS o"
                   " WHERE classid = 'pg_rewrite'::regclass AND o.schema ~ '^pg_temp'"
                   " AND objid IN (SELECT oid FROM pg_rewrite WHERE ev_class IN (%u, %u, %u))",
                   rollup->view, rollup->parts[ROLLUP_QUERY], rollup->parts[ROLLUP_FRESH]);

    if (passing)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a rollup cannot have temporary objects: %s", passing)));
    /* What the query cannot compute, as a sketch of a wrong size, must not stop writers first. */
    rollup_execute(rollup_text(rollup,
                               "SELECT {select} FROM (SELECT {read} FROM {source_only} LIMIT 1) AS "
                               "{if star}{alias}{joins}{else}a_row{end}"
                               "{if where} WHERE {where}{end} GROUP BY {by}"));
    if (!rollup->is_distributed)
        try_sample(rollup);
}

PG_FUNCTION_INFO_V1(sketches_rollup_create);
Datum
sketches_rollup_create(PG_FUNCTION_ARGS)
{
    Rollup *rollup;
    List *statements = begin_script(fcinfo, &rollup, true);

    check_schema(rollup->schema);
    check_schema(get_namespace_name(rollup->sketches));
    check_name(rollup);
    rollup_execute_all(statements);
    rollup->view = get_relname_relid(rollup->name, get_namespace_oid(rollup->schema, false));
    (void)rollup_find(rollup, rollup->view, InvalidOid);
    rollup_try(rollup);
    /* The caller may have turned notices off. */
    AtEOXact_GUC(false, rollup->settings);
    rollup->settings = rollup_pin_settings();
    say_advice(rollup->query);
    rollup_end(rollup);
    PG_RETURN_OID(rollup->view);
}

PG_FUNCTION_INFO_V1(sketches_rollup_drop);
Datum
sketches_rollup_drop(PG_FUNCTION_ARGS)
{
    const char *given = text_to_cstring(PG_GETARG_TEXT_PP(0)), *schema, *name;
    Oid named, state;
    Rollup *rollup;
    bool found;

    split_name(given, &schema, &name);
    named = RangeVarGetRelid(makeRangeVar((char *)schema, (char *)name, -1), NoLock, true);
    state = RangeVarGetRelid(makeRangeVar((char *)schema, psprintf("%s_state", name), -1), NoLock,
                             true);
    rollup = rollup_begin(fcinfo);

    /* It is named by its view; when that is gone, by its state, or as that was named for. */
    found = OidIsValid(named) && rollup_find(rollup, named, InvalidOid);
    if (!found) {
        found = OidIsValid(named) && rollup_find(rollup, InvalidOid, named);
        if (!found)
            found = OidIsValid(state) && rollup_find(rollup, InvalidOid, state) &&
                    (!OidIsValid(named) || named == rollup_view_made_anew(rollup));
        found = found && !OidIsValid(rollup->view);
        if (found)
            rollup_find_made_anew(rollup);
    }
    if (!found || rollup_owner_of(rollup->state) != rollup->owner)
        rollup_raise_unknown(given);
    rollup_check_owner(rollup);
    rollup_become_owner(rollup);
    rollup_read_state(rollup);
    rollup_check_levels(rollup, NULL);
    rollup_drop_triggers(rollup);
    rollup_execute_all(rollup_statements(rollup, "drop"));
    rollup_end(rollup);
    PG_RETURN_VOID();
}
