/*
 * rollup.c - the functions of rollups that users call.
 *
 * A rollup is its view and the objects beside it, whose names are the rollup's and _query, _rows,
 * _log, _state, _fresh and _trigger. It is known by a default of its state that depends on the view,
 * which is why PostgreSQL refuses to drop the view alone.
 *
 * rollup_create runs as its caller. All others run as the owner of the rollup, as REFRESH
 * MATERIALIZED VIEW does, for who has the owner's rights: nothing that the owner could have made or
 * replaced runs as somebody else. What is wrong with a rollup is found by making its parts again, as
 * text, and comparing them with what is there.
 */
#include "pg/rollup/rollup.h"
#include "pg/shared/glue.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/tablecmds.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "rewrite/rewriteHandler.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/rls.h"

/* The schema of the extension is that of the function that is called. */
#define SKETCHES (get_func_namespace(fcinfo->flinfo->fn_oid))

static void
run(const char *statement)
{
    if (SPI_execute(statement, false, 0) < 0)
        elog(ERROR, "cannot execute %s", statement);
}

/* One command at a time: Citus sends the text of each to its nodes as it was written. */
static void
run_all(List *statements)
{
    ListCell *cell, *command;

    foreach (cell, statements)
        foreach (command, pg_parse_query(lfirst(cell))) {
            RawStmt *statement = lfirst(command);
            const char *text = (char *)lfirst(cell) + statement->stmt_location;

            run(statement->stmt_len ? pnstrdup(text, statement->stmt_len) : text);
        }
}

/* The first column of the first row, as text. */
static char *
ask(const char *query)
{
    char *value;

    run(query);
    value = SPI_processed ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) : NULL;
    SPI_freetuptable(SPI_tuptable);
    return value;
}

static Oid
ask_oid(const char *query)
{
    char *value = ask(query);

    return value ? DatumGetObjectId(DirectFunctionCall1(oidin, CStringGetDatum(value)))
                 : InvalidOid;
}

/* ---- sessions ---- */

typedef struct Session {
    int settings;
    Oid user;
    int context;
    char *datestyle;
} Session;

static void
begin(Session *session)
{
    session->datestyle = pstrdup(GetConfigOption("datestyle", false, false));
    session->settings = rollup_pin_settings();
    (void)set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    GetUserIdAndSecContext(&session->user, &session->context);
    SPI_connect();
}

static void
end(Session *session)
{
    SPI_finish();
    SetUserIdAndSecContext(session->user, session->context);
    AtEOXact_GUC(false, session->settings);
}

/* ---- finding a rollup ---- */

static Oid
part_oid(const Rollup *rollup, const char *suffix, char kind)
{
    Oid part = get_relname_relid(psprintf("%s%s", rollup->name, suffix),
                                 get_namespace_oid(rollup->schema, true));

    return OidIsValid(part) && get_rel_relkind(part) == kind ? part : InvalidOid;
}

static Oid
owner_of(Oid relation)
{
    return ask_oid(psprintf("SELECT relowner FROM pg_class WHERE oid = %u", relation));
}

/* Keeps a relation from being dropped; false: it was. */
static bool
keep(Oid relation)
{
    LockRelationOid(relation, AccessShareLock);
    return get_rel_name(relation) != NULL;
}

static bool
set_names(Rollup *rollup)
{
    char *name;

    if (!keep(rollup->state))
        return false;
    name = get_rel_name(rollup->state);
    rollup->name = pnstrdup(name, strlen(name) - strlen("_state"));
    rollup->schema = get_namespace_name(get_rel_namespace(rollup->state));
    return true;
}

static bool
find_rollup(Rollup *rollup, Oid view)
{
    rollup->view = view;
    rollup->state = ask_oid(psprintf(
        "SELECT c.oid FROM pg_depend AS d JOIN pg_attrdef AS a ON a.oid = d.objid"
        " JOIN pg_attribute AS t ON t.attrelid = a.adrelid AND t.attnum = a.adnum AND t.attname = "
        "'use_rollup_drop'"
        " JOIN pg_class AS c ON c.oid = a.adrelid AND c.relkind = 'r' AND c.relname ~ '._state$'"
        " JOIN pg_class AS v ON v.oid = d.refobjid AND v.relkind = 'v'"
        " WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass AND "
        "d.refobjid = %u"
        " ORDER BY c.relowner = v.relowner DESC, c.oid LIMIT 1",
        view));
    if (!OidIsValid(rollup->state) || !keep(view) || !set_names(rollup))
        return false;
    rollup->owner = owner_of(view);
    return true;
}

static void
read_state(Rollup *rollup)
{
    const char *state = rollup_part(rollup, "_state");

    if (get_attnum(rollup->state, "each_row") <= 0 || get_attnum(rollup->state, "distributed") <= 0)
        return; /* not of ours */
    rollup->each_row = ask(psprintf("SELECT 1 FROM ONLY %s WHERE each_row", state)) != NULL;
    rollup->is_distributed =
        ask(psprintf("SELECT 1 FROM ONLY %s WHERE distributed", state)) != NULL;
}

/* Becomes the owner, and takes the query apart, if what that needs is there. */
static void
open_rollup(Rollup *rollup, Session *session, Oid sketches)
{
    Oid query = part_oid(rollup, "_query", RELKIND_VIEW),
        rows = part_oid(rollup, "_rows", RELKIND_RELATION);

    SetUserIdAndSecContext(rollup->owner, session->context | SECURITY_RESTRICTED_OPERATION);
    if (!OidIsValid(query) || !OidIsValid(rows) ||
        !OidIsValid(part_oid(rollup, "_log", RELKIND_RELATION)) ||
        owner_of(rollup->state) != rollup->owner)
        return;
    rollup->merge = ask(psprintf("SELECT merge FROM ONLY %s", rollup_part(rollup, "_state")));
    read_state(rollup);
    if (rollup->is_distributed) {
        rollup_pin_citus();
        rollup->distribution = rollup_distribution(rows);
        if (rollup->distribution == NULL)
            return;
    }
    if (rollup->merge) {
        Relation view = table_open(query, AccessShareLock);
        Query *parsed = copyObject(get_view_query(view));

        table_close(view, NoLock);
        sketches_inline_groups(parsed);
        rollup->query = rollup_analyze(
            parsed, rows,
            DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(rollup->merge))),
            sketches);
    }
}

static _Noreturn void
raise_no_rollup(const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s is not a rollup", name),
                    errhint("SELECT * FROM rollup_list() shows all rollups.")));
}

static char *find_problem(Rollup *rollup, Oid sketches);

static void
check_owner(const Rollup *rollup)
{
    if (!has_privs_of_role(GetUserId(), rollup->owner)) {
        char *owner = GetUserNameFromId(rollup->owner, false);

        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("must be owner of rollup %s", rollup->name),
                        errhint("SET ROLE %s;", quote_identifier(owner))));
    }
}

/* Finds a rollup to change it. */
static void
begin_change(Rollup *rollup, Session *session, Oid view, Oid sketches)
{
    begin(session);
    if (!find_rollup(rollup, view))
        raise_no_rollup(rollup_relation_name(view));
    check_owner(rollup);
    open_rollup(rollup, session, sketches);
    if (rollup->query == NULL)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("rollup %s is damaged", rollup_relation_name(view)),
                        errdetail("%s", find_problem(rollup, sketches))));
}

/* Keeps writers and new partitions away until the triggers are there. */
static void
lock_source(RollupQuery *query)
{
    LockRelationOid(query->source, ShareRowExclusiveLock);
    rollup_find_tables(query);
}

static RollupColumn *
period_of(const RollupQuery *query)
{
    ListCell *cell;

    foreach (cell, query->columns)
        if (((RollupColumn *)lfirst(cell))->is_period)
            return lfirst(cell);
    return NULL;
}

/* ---- making one ---- */

static void
name_rollup(Rollup *rollup, const char *name)
{
    List *parts = sketches_name_list(name), *path = fetch_search_path(false);

    rollup->name = strVal(llast(parts));
    if (list_length(parts) > 2 || strlen(rollup->name) > 54 || strpbrk(name, "\n\r\t\f\v\b"))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_NAME), errmsg("%s cannot be the name of a rollup", name),
                 errhint("It has at most 54 bytes, after a schema or alone, and no line breaks.")));
    rollup->schema = list_length(parts) == 2 ? strVal(linitial(parts))
                     : path                  ? get_namespace_name(linitial_oid(path))
                                             : NULL;
    if (rollup->schema == NULL || strncmp(rollup->schema, "pg_temp", 7) == 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_SCHEMA_NAME),
                        errmsg("a rollup needs a schema that writers of its table see, too"),
                        errhint("Name the rollup with its schema, such as public.hourly.")));
}

/*
 * The owner of a schema can drop what others have in it, and put own tables in its place. Nobody but
 * a superuser shall do that to the trigger function of a superuser.
 */
static void
check_schema(const Rollup *rollup)
{
    Oid owner = ask_oid(psprintf("SELECT nspowner FROM pg_namespace WHERE nspname = %s",
                                 quote_literal_cstr(rollup->schema)));

    if (superuser() && OidIsValid(owner) && owner != ROLE_PG_DATABASE_OWNER &&
        !superuser_arg(owner))
        ereport(
            ERROR,
            (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
             errmsg("schema %s belongs to a role that could replace parts of a superuser's rollup",
                    quote_identifier(rollup->schema)),
             errhint("SET ROLE %s;", quote_identifier(GetUserNameFromId(owner, false)))));
}

static void
check_names(Rollup *rollup)
{
    static const char *const suffixes[] = {"_state", "",       "_query", "_rows",
                                           "_log",   "_fresh", "_bounds"};
    Oid schema = get_namespace_oid(rollup->schema, false);
    const char *const functions[] = {"_trigger", "_fold"};

    for (size_t i = 0; i < lengthof(suffixes); i++) {
        Oid taken = get_relname_relid(psprintf("%s%s", rollup->name, suffixes[i]), schema);

        if (OidIsValid(taken))
            ereport(ERROR, (errcode(ERRCODE_DUPLICATE_TABLE),
                            errmsg("relation \"%s%s\" already exists", rollup->name, suffixes[i]),
                            i == 0 && get_attnum(taken, "use_rollup_drop") > 0
                                ? errhint("SELECT rollup_drop(%s) drops the rollup that is there.",
                                          quote_literal_cstr(rollup_part(rollup, "")))
                                : errhint("A rollup of this name needs it. Choose another name.")));
    }
    for (size_t i = 0; i < (rollup->distribution ? 2 : 1); i++) {
        const char *function = rollup_part(rollup, functions[i]);

        if (ask(psprintf("SELECT to_regprocedure(%s)",
                         quote_literal_cstr(psprintf("%s()", function)))))
            ereport(ERROR, (errcode(ERRCODE_DUPLICATE_FUNCTION),
                            errmsg("function %s() already exists", function),
                            errhint("A rollup of this name needs it. Choose another name.")));
    }
}

static void
check_merge(const Rollup *rollup)
{
    StringInfoData names;
    ListCell *cell;
    char *unknown;

    initStringInfo(&names);
    foreach (cell, rollup->query->columns) {
        RollupColumn *column = lfirst(cell);

        if (column->key == NULL)
            appendStringInfo(
                &names, "%s, ",
                quote_literal_cstr(strVal(linitial(sketches_name_list(column->name)))));
    }
    unknown = ask(psprintf("SELECT key FROM jsonb_object_keys(%s::jsonb) AS key WHERE key <> ALL "
                           "(ARRAY[%sNULL::text]) IS NOT FALSE",
                           quote_literal_cstr(rollup->merge), names.data));
    if (unknown)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("merge names %s, which is no aggregate of the query", unknown)));
}

static int
count_of(const char *text, const char *part)
{
    int count = 0;

    for (; (text = strstr(text, part)) != NULL; text += strlen(part))
        count++;
    return count;
}

/* The statements of a new rollup. Reads names and query with the search_path of the caller. */
static List *
make_script(FunctionCallInfo fcinfo, Rollup *rollup, Session *session, bool lock)
{
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
    Query *query = rollup_parse(text_to_cstring(PG_GETARG_TEXT_PP(1)));
    static const char *const quotes[] = {"$rollup$", "$fold$"};
    List *statements;
    ListCell *cell;

    rollup->query = rollup_analyze(query, InvalidOid, PG_GETARG_JSONB_P(2), SKETCHES);
    name_rollup(rollup, name);
    begin(session);
    rollup->merge = JsonbToCString(NULL, &PG_GETARG_JSONB_P(2)->root, 0);
    check_merge(rollup);
    rollup->each_row = PG_GETARG_BOOL(3);
    rollup_distribute(rollup);
    if (rollup->distribution)
        rollup_pin_citus();
    if (!rollup->each_row)
        rollup_check_subscription(rollup->query);
    if (lock)
        lock_source(rollup->query);
    statements = rollup_statements(rollup, NULL, SKETCHES);
    foreach (cell, statements)
        for (size_t i = 0; i < lengthof(quotes); i++)
            if (count_of(lfirst(cell), quotes[i]) % 2 != 0 || count_of(lfirst(cell), quotes[i]) > 2)
                ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                                errmsg("a rollup cannot have %s in its query or names, because it "
                                       "quotes its functions",
                                       quotes[i])));
    return statements;
}

PG_FUNCTION_INFO_V1(sketches_rollup_script);
Datum
sketches_rollup_script(PG_FUNCTION_ARGS)
{
    Rollup rollup = {0};
    Session session;
    StringInfoData script;
    MemoryContext caller = CurrentMemoryContext;
    ListCell *cell;
    List *statements = make_script(fcinfo, &rollup, &session, false);
    List *refresh = rollup_statements(&rollup, "refresh", SKETCHES);
    Datum result;

    initStringInfo(&script);
    appendStringInfoString(
        &script,
        "-- To be executed in one transaction.\nSET LOCAL search_path = pg_catalog, pg_temp;\n");
    if (rollup.distribution)
        appendStringInfoString(&script, "SET LOCAL citus.enable_unsafe_triggers = on;\n"
                                        "SET LOCAL citus.multi_shard_modify_mode = sequential;\n");
    foreach (cell, statements)
        appendStringInfo(&script, "\n%s\n", (char *)lfirst(cell));
    appendStringInfoString(
        &script, "\n-- This is what rollup_refresh executes, after an UPDATE of the state, so "
                 "one at a time; $1 is the "
                 "period to\n-- go back to:\n/*\n");
    foreach (cell, refresh)
        appendStringInfo(&script, "%s%s\n", (char *)lfirst(cell),
                         lnext(refresh, cell) ? ";\n" : "");
    appendStringInfoString(&script, "*/\n");
    MemoryContextSwitchTo(caller);
    result = CStringGetTextDatum(script.data);
    end(&session);
    return result;
}

static void
say_advice(const Rollup *rollup, RollupColumn *period)
{
    const RollupQuery *query = rollup->query;
    ListCell *cell;
    uint64 blocks = 0;

    foreach (cell, query->tables) {
        Relation table = table_open(lfirst_oid(cell), NoLock);

        if (RELKIND_HAS_STORAGE(table->rd_rel->relkind))
            blocks += RelationGetNumberOfBlocks(table);
        table_close(table, NoLock);
    }
    if (period == NULL)
        foreach (cell, query->columns) {
            RollupColumn *column = lfirst(cell);

            if (column->key && (column->type == DATEOID || column->type == TIMESTAMPOID ||
                                column->type == TIMESTAMPTZOID)) {
                ereport(NOTICE,
                        (errmsg("group %s can be NULL, so it is no period, and the rollup can be "
                                "neither frozen nor filled in steps",
                                column->name)));
                break;
            }
        }
    else if (blocks > 64 * 1024 * 1024 / BLCKSZ &&
             !ask(psprintf("SELECT 1 FROM pg_index WHERE indrelid = %u AND"
                           " pg_get_indexdef(indexrelid, 1, false) IN (%s, '(' || %s || ')')",
                           query->source, quote_literal_cstr(period->expression),
                           quote_literal_cstr(period->expression))))
        ereport(NOTICE, (errmsg("an index on %s makes refreshes faster", period->name),
                         errhint("CREATE INDEX ON %s USING brin ((%s));",
                                 rollup_relation_name(query->source), period->expression)));
}

PG_FUNCTION_INFO_V1(sketches_rollup_create);
Datum
sketches_rollup_create(PG_FUNCTION_ARGS)
{
    Rollup rollup = {0};
    Session session;
    List *statements = make_script(fcinfo, &rollup, &session, true);
    char *passing;
    Oid view;

    check_schema(&rollup);
    check_names(&rollup);
    run_all(statements);
    passing =
        ask(psprintf("SELECT concat(o.type, ' ', replace(o.identity, o.schema, 'pg_temp'))"
                     " FROM pg_depend, pg_identify_object(refclassid, refobjid, 0) AS o"
                     " WHERE classid = 'pg_rewrite'::regclass AND o.schema ~ '^pg_temp'"
                     " AND objid IN (SELECT oid FROM pg_rewrite WHERE ev_class = %s::regclass)",
                     quote_literal_cstr(rollup_part(&rollup, "_query"))));
    if (passing)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("a rollup cannot have temporary objects: %s", passing)));
    view = part_oid(&rollup, "", RELKIND_VIEW);
    AtEOXact_GUC(false, session.settings);
    session.settings = rollup_pin_settings();
    say_advice(&rollup, period_of(rollup.query));
    end(&session);
    PG_RETURN_OID(view);
}

/* Where `frozen` is. */
static char *
bounds_of(Rollup *rollup)
{
    return rollup_part(rollup, rollup->is_distributed ? "_bounds" : "_state");
}

/* ---- what is wrong with one ---- */

/* What triggers a table has: their types, and the names of transition tables. */
#define TRIGGERS_OF                                                                                \
    "(SELECT string_agg(concat_ws(' ', tgtype, tgoldtable, tgnewtable), ', ' ORDER BY tgtype) "    \
    "FROM pg_trigger"                                                                              \
    " WHERE tgrelid = c.oid AND tgfoid = %u AND tgattr = '' AND %s)"
#define STATEMENT_TRIGGERS "tgenabled IN ('O', 'A') AND (tgqual IS NULL) = (tgtype & 1 = 0)"
#define ROW_TRIGGERS "tgenabled = 'A' AND tgqual IS NULL"

static bool
has_statement_triggers(Oid table, Oid function)
{
    return ask(psprintf(
               "SELECT 1 FROM pg_trigger WHERE tgrelid = %u AND tgfoid = %u AND tgtype & 1 = 0",
               table, function)) != NULL;
}

/* Whether the owner may make the triggers of a table. */
static bool
may_follow(const Rollup *rollup, Oid table)
{
    return rollup->each_row ? has_privs_of_role(rollup->owner, owner_of(table))
                            : pg_class_aclcheck(table, rollup->owner, ACL_TRIGGER) == ACLCHECK_OK;
}

static char *
find_trigger_problem(Rollup *rollup, Oid function, const char *repair)
{
    RollupQuery *query = rollup->query;
    bool partitioned = get_rel_relkind(query->source) == RELKIND_PARTITIONED_TABLE;
    ListCell *cell;

    foreach (cell, query->tables) {
        Oid table = lfirst_oid(cell);
        bool has_partitions = get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE;
        const char *inherited = rollup->each_row ? "29" : "5, 9";
        const char *wanted =
            rollup->each_row
                ? "29, 32"
                : psprintf("4 rollup_new, %s8 rollup_old, %s16 rollup_old rollup_new, %s32",
                           partitioned ? "5, " : "", partitioned ? "9, " : "",
                           has_partitions ? "18, " : "");
        char *found =
            ask(psprintf("SELECT " TRIGGERS_OF " FROM pg_class AS c WHERE oid = %u", function,
                         rollup->each_row ? ROW_TRIGGERS : STATEMENT_TRIGGERS, table));

        if (found && strcmp(found, wanted) == 0)
            continue;
        if (table != query->source && (found == NULL || strcmp(found, inherited) == 0) &&
            !has_statement_triggers(table, function)) {
            if (!may_follow(rollup, table) && rollup->each_row)
                return psprintf("%s is not followed: ALTER TABLE %s OWNER TO %s",
                                rollup_relation_name(table), rollup_relation_name(table),
                                quote_identifier(GetUserNameFromId(rollup->owner, false)));
            if (!may_follow(rollup, table))
                return psprintf("%s is not followed: GRANT TRIGGER ON %s TO %s",
                                rollup_relation_name(table), rollup_relation_name(table),
                                quote_identifier(GetUserNameFromId(rollup->owner, false)));
            return psprintf("%s was added: SELECT rollup_refresh(%s)", rollup_relation_name(table),
                            quote_literal_cstr(rollup_relation_name(rollup->view)));
        }
        return psprintf("triggers of %s are missing, disabled or changed: %s",
                        rollup_relation_name(table), repair);
    }
    return NULL;
}

static bool
may_read(const RollupQuery *query, Oid owner)
{
    ListCell *cell;

    if (pg_class_aclcheck(query->source, owner, ACL_SELECT) == ACLCHECK_OK)
        return true;
    foreach (cell, query->numbers)
        if (pg_attribute_aclcheck(query->source, lfirst_int(cell), owner, ACL_SELECT) !=
            ACLCHECK_OK)
            return false;
    return query->numbers != NIL;
}

/* Whether a function of a trigger is what the template makes of the query. */
static char *
find_function_problem(Rollup *rollup, const char *suffix, const char *body, int settings,
                      const char *repair, Oid sketches)
{
    const char *function = rollup_part(rollup, suffix);
    Oid found = ask_oid(psprintf("SELECT to_regprocedure(%s)::oid",
                                 quote_literal_cstr(psprintf("%s()", function))));

    if (!OidIsValid(found))
        return psprintf("function %s() is missing: %s", function, repair);
    if (!ask(psprintf(
            "SELECT 1 FROM pg_proc WHERE oid = %u AND prosrc = %s AND prosecdef AND proowner = %u"
            " AND 'search_path=pg_catalog, pg_temp' = ANY (proconfig) AND cardinality(proconfig) = "
            "%d",
            found, quote_literal_cstr(rollup_text(rollup, body, rollup->query->source, sketches)),
            rollup->owner, settings)))
        return psprintf(
            "function %s() is not what the query needs, as after a column was renamed: %s",
            function, repair);
    return NULL;
}

/* What is wrong, and the statement that mends it; NULL: nothing. */
static char *
find_problem(Rollup *rollup, Oid sketches)
{
    const struct {
        const char *suffix;
        char kind;
    } parts[] = {{"_query", RELKIND_VIEW},
                 {rollup->is_distributed ? "_bounds" : "_fresh",
                  rollup->is_distributed ? RELKIND_RELATION : RELKIND_VIEW},
                 {"_rows", RELKIND_RELATION},
                 {"_log", RELKIND_RELATION},
                 {"_state", RELKIND_RELATION}};
    RollupQuery *query = rollup->query;
    const char *name = quote_literal_cstr(rollup_relation_name(rollup->view));
    const char *repair = psprintf("SELECT rollup_repair(%s)", name);
    const char *drop = psprintf("SELECT rollup_drop(%s)", name);
    char *owner = (char *)quote_identifier(GetUserNameFromId(rollup->owner, false)), *problem;
    const char *source, *filled, *subscription, *apart, *function = rollup_part(rollup, "_trigger");
    char persistence;
    Oid trigger;

    /* Anybody can make a state that names a view of others: theirs never become the view's owner's. */
    if (owner_of(rollup->state) != rollup->owner) {
        char *other = (char *)quote_identifier(GetUserNameFromId(owner_of(rollup->state), false));

        return psprintf("the view is of %s, and %s, which says that it is a rollup, of %s. "
                        "If that is true: ALTER VIEW %s OWNER TO %s",
                        owner, rollup_part(rollup, "_state"), other,
                        rollup_relation_name(rollup->view), other);
    }
    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = part_oid(rollup, parts[i].suffix, parts[i].kind);

        if (!OidIsValid(part))
            return psprintf("%s is missing: %s", rollup_part(rollup, parts[i].suffix), drop);
        if (owner_of(part) != rollup->owner)
            return psprintf("%s has another owner: ALTER TABLE %s OWNER TO %s",
                            rollup_part(rollup, parts[i].suffix),
                            rollup_part(rollup, parts[i].suffix), owner);
    }
    if (rollup->is_distributed && rollup->distribution == NULL)
        return psprintf("%s is not distributed any more: %s", rollup_part(rollup, "_rows"), drop);
    if (query == NULL)
        return psprintf("%s is empty: %s", rollup_part(rollup, "_state"), drop);
    source = rollup_relation_name(query->source);
    persistence = get_rel_persistence(query->source);
    trigger = ask_oid(psprintf("SELECT to_regprocedure(%s)::oid",
                               quote_literal_cstr(psprintf("%s()", function))));
    if (has_superclass(query->source))
        return psprintf("%s is a partition or child now, whose triggers do not fire when its "
                        "parent is written: %s",
                        source, drop);
    if (check_enable_rls(query->source, rollup->owner, true) == RLS_ENABLED)
        return psprintf("row-level security hides rows of %s from %s: ALTER TABLE %s DISABLE ROW "
                        "LEVEL SECURITY",
                        source, owner, source);
    if (!may_read(query, rollup->owner))
        return psprintf("%s may not read %s: GRANT SELECT ON %s TO %s", owner, source, source,
                        owner);
    if (query->nullable)
        return psprintf("group %s can be NULL now: put NOT NULL back, or %s", query->nullable,
                        drop);
    if (get_rel_persistence(part_oid(rollup, "_rows", RELKIND_RELATION)) != persistence ||
        get_rel_persistence(part_oid(rollup, "_log", RELKIND_RELATION)) != persistence)
        return psprintf("%s is %s, and its rollup is not: SELECT rollup_refresh(%s)", source,
                        persistence == RELPERSISTENCE_UNLOGGED ? "unlogged" : "logged", name);
    apart = rollup->is_distributed ? rollup_apart(rollup) : NULL;
    if (apart)
        return psprintf("the shards of %s are not beside those of %s any more: %s", apart, source,
                        drop);
    problem = find_function_problem(rollup, "_trigger", "{body}", 9, repair, sketches);
    if (problem == NULL && rollup->is_distributed)
        problem = find_function_problem(rollup, "_fold", "{fold_body}", 10, repair, sketches);
    if (problem)
        return problem;
    problem = find_trigger_problem(rollup, trigger, repair);
    if (problem)
        return problem;
    subscription = rollup->each_row ? NULL : rollup_subscription(query, &filled);
    if (subscription)
        return psprintf("%s is filled by subscription %s, which fires no statement triggers: %s, "
                        "and make it with each_row => true",
                        filled, quote_identifier(subscription), drop);
    /* As many names that are new as are old are of tables that were renamed. */
    problem = ask(psprintf(
        "SELECT string_agg(f, ', ') FROM ONLY %s, unnest(followed) AS f, (SELECT %s AS now) AS "
        "tables"
        " WHERE f <> ALL (now)%s HAVING count(*) > (SELECT count(*) FROM unnest(%s) AS n"
        " WHERE n <> ALL ((SELECT followed FROM ONLY %s)::text[]))",
        rollup_part(rollup, "_state"), rollup_text(rollup, "{followed}", query->source, sketches),
        period_of(query) ? psprintf(" AND (SELECT frozen FROM %s) = '-infinity'", bounds_of(rollup))
                         : "",
        rollup_text(rollup, "{followed}", query->source, sketches), rollup_part(rollup, "_state")));
    return problem ? psprintf("%s went, and is still counted: SELECT rollup_freeze(%s, ...) or "
                              "rollup_repair(%s)",
                              problem, name, name)
                   : NULL;
}

/* ---- keeping one ---- */

/* Has the groups of all rows of a table computed anew. */
static void
mark_groups_of(Rollup *rollup, Oid table, Oid sketches)
{
    if (RELKIND_HAS_STORAGE(get_rel_relkind(table)))
        run(rollup_text(rollup,
                        "INSERT INTO {log} ({keys}, mark) SELECT DISTINCT {computed_groups}, 1 "
                        "FROM {if local}ONLY {end}{table}"
                        "{if where} WHERE {computed_where}{end}",
                        table, sketches));
}

/* Takes in partitions that came, and follows SET LOGGED and SET UNLOGGED. */
static void
follow_changes(Rollup *rollup, Oid sketches)
{
    RollupQuery *query = rollup->query;
    char persistence = get_rel_persistence(query->source);
    const char *tables[] = {"_rows", "_log"};
    Oid trigger =
        ask_oid(psprintf("SELECT to_regprocedure(%s)::oid",
                         quote_literal_cstr(psprintf("%s()", rollup_part(rollup, "_trigger")))));
    ListCell *cell;

    for (size_t i = 0; i < lengthof(tables); i++)
        if (get_rel_persistence(part_oid(rollup, tables[i], RELKIND_RELATION)) != persistence) {
            run(psprintf("ALTER TABLE %s SET %s", rollup_part(rollup, tables[i]),
                         persistence == RELPERSISTENCE_UNLOGGED ? "UNLOGGED" : "LOGGED"));
            /* A crash may have emptied them. */
            run(rollup_text(rollup, "{mark_everything}", query->source, sketches));
        }
    foreach (cell, query->tables) {
        Oid table = lfirst_oid(cell);

        if (!OidIsValid(trigger) || table == query->source ||
            has_statement_triggers(table, trigger) || !may_follow(rollup, table))
            continue;
        run_all(list_make1(rollup_text(rollup, "{triggers}", table, sketches)));
        mark_groups_of(rollup, table, sketches);
        run(psprintf("UPDATE %s SET followed = array_append(followed, %s)",
                     rollup_part(rollup, "_state"),
                     quote_literal_cstr(rollup_relation_name(table))));
    }
}

/* A period, as the caller's DateStyle reads it. */
static Datum
read_period(const RollupColumn *period, const char *text, const Session *session)
{
    Oid input, parameter;
    int level = NewGUCNestLevel();
    Datum value;

    (void)set_config_option("datestyle", session->datestyle, PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    getTypeInputInfo(period->type, &input, &parameter);
    value = OidInputFunctionCall(input, (char *)text, parameter, -1);
    AtEOXact_GUC(false, level);
    return value;
}

/* The number of groups stored; -1: shards stored them, and did not say how many. */
static int64
refresh(FunctionCallInfo fcinfo, const char *back_to, const char *before)
{
    Rollup rollup = {0};
    Session session;
    RollupColumn *period;
    Datum bound = (Datum)0;
    int64 stored = 0;
    List *planned;
    ListCell *cell;

    begin_change(&rollup, &session, PG_GETARG_OID(0), SKETCHES);
    period = period_of(rollup.query);
    if ((back_to || before) && period == NULL)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("%s has no period to %s", rollup_relation_name(rollup.view),
                               before ? "freeze" : "go back to"),
                        errhint("A period is a group of type date, timestamp or timestamptz that "
                                "is never NULL.")));
    rollup_check_writes(rollup.query->source);
    planned = rollup.query->tables;
    if (period)
        bound = read_period(period, back_to ? back_to : "-infinity", &session);
    run(psprintf("UPDATE %s SET refreshed = clock_timestamp()", rollup_part(&rollup, "_state")));
    follow_changes(&rollup, SKETCHES);
    foreach (cell, rollup_statements(&rollup, "refresh", SKETCHES))
        if (SPI_execute_with_args(lfirst(cell), period ? 1 : 0, period ? &period->type : NULL,
                                  &bound, NULL, false, 0) < 0)
            elog(ERROR, "cannot refresh");
    stored = rollup.is_distributed ? -1 : SPI_processed;
    /* The plan may be older than the snapshot: of partitions that came meanwhile it has read nothing. */
    rollup_find_tables(rollup.query);
    foreach (cell, list_difference_oid(rollup.query->tables, planned))
        mark_groups_of(&rollup, lfirst_oid(cell), SKETCHES);
    if (before) {
        bound = read_period(period, before, &session);
        (void)SPI_execute_with_args(
            psprintf("UPDATE %s SET frozen = $1 WHERE frozen < $1", bounds_of(&rollup)), 1,
            &period->type, &bound, NULL, false, 0);
    }
    end(&session);
    return stored;
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
    Rollup rollup = {0};
    Session session;

    begin_change(&rollup, &session, PG_GETARG_OID(0), SKETCHES);
    lock_source(rollup.query);
    run(psprintf("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(&rollup, "_trigger")));
    if (rollup.is_distributed)
        run(psprintf("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(&rollup, "_fold")));
    run_all(rollup_statements(&rollup, "repair", SKETCHES));
    end(&session);
    PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(sketches_rollup_drop);
Datum
sketches_rollup_drop(PG_FUNCTION_ARGS)
{
    const char *given = text_to_cstring(PG_GETARG_TEXT_PP(0));
    List *parts = sketches_name_list(given);
    Rollup rollup = {0};
    Session session;
    /* The state is there when the view is not. */
    char *name = psprintf("%s_state", strVal(llast(parts)));
    char *schema = list_length(parts) == 2 ? strVal(linitial(parts)) : NULL;
    Oid state = RangeVarGetRelid(makeRangeVar(schema, name, -1), NoLock, true);
    Oid view = RangeVarGetRelid(makeRangeVar(schema, strVal(llast(parts)), -1), NoLock, true);

    begin(&session);
    if (OidIsValid(state) && get_attnum(state, "use_rollup_drop") > 0 &&
        get_rel_relkind(state) == RELKIND_RELATION) {
        rollup.state = state;
        rollup.owner = owner_of(state);
        if (!set_names(&rollup))
            raise_no_rollup(given);
        rollup.view = ask_oid(psprintf(
            "SELECT refobjid FROM pg_depend, pg_attrdef AS a WHERE objid = a.oid AND adrelid = %u"
            " AND classid = 'pg_attrdef'::regclass AND refclassid = 'pg_class'::regclass"
            " AND deptype = 'n' AND refobjid <> adrelid",
            state));
    } else if (!OidIsValid(view) || !find_rollup(&rollup, view))
        raise_no_rollup(given);
    if (owner_of(rollup.state) != rollup.owner)
        raise_no_rollup(given);
    check_owner(&rollup);
    SetUserIdAndSecContext(rollup.owner, session.context | SECURITY_RESTRICTED_OPERATION);
    read_state(&rollup);
    if (rollup.is_distributed)
        rollup_pin_citus();
    run(psprintf("ALTER TABLE %s ALTER use_rollup_drop DROP DEFAULT",
                 rollup_part(&rollup, "_state")));
    if (OidIsValid(rollup.view))
        run(psprintf("DROP VIEW %s", rollup_relation_name(rollup.view)));
    run(psprintf("DROP VIEW IF EXISTS %s, %s", rollup_part(&rollup, "_fresh"),
                 rollup_part(&rollup, "_query")));
    run(psprintf("DROP TABLE IF EXISTS %s, %s, %s", rollup_part(&rollup, "_rows"),
                 rollup_part(&rollup, "_log"), rollup_part(&rollup, "_state")));
    run(psprintf("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(&rollup, "_trigger")));
    if (rollup.is_distributed) {
        run(psprintf("DROP TABLE IF EXISTS %s", rollup_part(&rollup, "_bounds")));
        run(psprintf("DROP FUNCTION IF EXISTS %s() CASCADE", rollup_part(&rollup, "_fold")));
    }
    end(&session);
    PG_RETURN_VOID();
}

/* ---- looking at one ---- */

/* What anybody may know: source, period, problem. */
PG_FUNCTION_INFO_V1(sketches_rollup_overview);
Datum
sketches_rollup_overview(PG_FUNCTION_ARGS)
{
    MemoryContext caller = CurrentMemoryContext;
    Rollup rollup = {0};
    Session session;
    RollupColumn *period;
    Datum values[3] = {0};
    bool nulls[3] = {true, true, true};
    char *problem = NULL;

    begin(&session);
    /* It may have been dropped since the list was begun. */
    if (find_rollup(&rollup, PG_GETARG_OID(0))) {
        open_rollup(&rollup, &session, SKETCHES);
        problem = find_problem(&rollup, SKETCHES);
    }
    MemoryContextSwitchTo(caller);
    if (rollup.query) {
        period = period_of(rollup.query);
        values[0] = ObjectIdGetDatum(rollup.query->source);
        nulls[0] = false;
        values[1] = period ? CStringGetTextDatum(period->name) : (Datum)0;
        nulls[1] = period == NULL;
    }
    values[2] = problem ? CStringGetTextDatum(problem) : (Datum)0;
    nulls[2] = problem == NULL;
    end(&session);
    return sketch_row(fcinfo, values, nulls);
}

typedef struct Rows {
    HeapTuple *tuples;
    TupleDesc columns;
    uint64 count, next;
} Rows;

static bool
next_row(void *context, Datum *values, bool *nulls)
{
    Rows *rows = context;

    if (rows->next == rows->count)
        return false;
    heap_deform_tuple(rows->tuples[rows->next++], rows->columns, values, nulls);
    return true;
}

/* The rows of a query, in memory of the caller. */
static Rows *
collect(const char *query, MemoryContext caller)
{
    Rows *rows;

    run(query);
    MemoryContextSwitchTo(caller);
    rows = palloc0(sizeof *rows);
    rows->count = SPI_processed;
    rows->columns = CreateTupleDescCopy(SPI_tuptable->tupdesc);
    rows->tuples = palloc((rows->count + 1) * sizeof *rows->tuples);
    for (uint64 i = 0; i < rows->count; i++)
        rows->tuples[i] = heap_copytuple(SPI_tuptable->vals[i]);
    return rows;
}

static void *
begin_list(FunctionCallInfo fcinfo)
{
    MemoryContext caller = CurrentMemoryContext;
    const char *sketches = quote_identifier(get_namespace_name(SKETCHES));
    Session session;
    Rows *rows;

    begin(&session);
    rows = collect(
        psprintf(
            "SELECT v.oid::regclass, o.source, s.relowner::regrole, o.period,"
            " %s, %s, CASE WHEN v.oid IS NULL THEN 'its view is gone: SELECT rollup_drop(' || "
            "quote_literal(p.part || '\"') || ')' ELSE o.problem END"
            " FROM pg_attribute AS t JOIN pg_class AS s ON s.oid = attrelid AND s.relkind = 'r' "
            "AND s.relname ~ '._state$'"
            " JOIN pg_namespace AS n ON n.oid = s.relnamespace"
            " CROSS JOIN LATERAL (SELECT format('\"%%s\".\"%%s', replace(nspname, '\"', '\"\"'),"
            "   replace(left(s.relname, -6), '\"', '\"\"')) AS part) AS p"
            " LEFT JOIN pg_attrdef AS a ON adrelid = attrelid AND adnum = attnum"
            " LEFT JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND objid = a.oid AND "
            "refclassid = 'pg_class'::regclass"
            "   AND refobjid <> adrelid"
            " LEFT JOIN pg_class AS v ON v.oid = refobjid AND v.relkind = 'v'"
            " LEFT JOIN LATERAL (SELECT * FROM %s._rollup_overview(v.oid) WHERE v.oid IS NOT NULL) "
            "AS o ON true"
            " WHERE attname = 'use_rollup_drop' AND atttypid = 'regclass'::regtype ORDER BY "
            "n.nspname, s.relname",
            rollup_size_of("to_regclass(p.part || '_rows\"')"),
            rollup_size_of("to_regclass(p.part || '_log\"')"), sketches),
        caller);
    end(&session);
    return rows;
}

PG_FUNCTION_INFO_V1(sketches_rollup_list);
Datum
sketches_rollup_list(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_list, next_row);
}

/* What waits for a refresh: for the owner, who may read the view, and who monitors. */
PG_FUNCTION_INFO_V1(sketches_rollup_status);
Datum
sketches_rollup_status(PG_FUNCTION_ARGS)
{
    MemoryContext caller = CurrentMemoryContext;
    Oid view = PG_GETARG_OID(0), user = GetUserId();
    Rollup rollup = {0};
    Session session;
    RollupColumn *period;
    Datum values[9] = {0};
    bool nulls[9];
    char *problem;
    Rows *rows = NULL;

    begin(&session);
    if (!find_rollup(&rollup, view))
        raise_no_rollup(rollup_relation_name(view));
    if (!has_privs_of_role(user, rollup.owner) && !has_privs_of_role(user, ROLE_PG_MONITOR) &&
        pg_class_aclcheck(view, user, ACL_SELECT) != ACLCHECK_OK)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied for rollup %s", rollup.name),
                        errhint("GRANT SELECT ON %s TO %s;", rollup_relation_name(view),
                                quote_identifier(GetUserNameFromId(user, false)))));
    open_rollup(&rollup, &session, SKETCHES);
    problem = find_problem(&rollup, SKETCHES);
    memset(nulls, true, sizeof nulls);
    if (rollup.query && !rollup.is_distributed) {
        period = period_of(rollup.query);
        rows = collect(psprintf("SELECT count(*) FILTER (WHERE mark = 0), count(*) FILTER (WHERE "
                                "mark = 1), (min(%s) FILTER (WHERE mark < 2))::text,"
                                " (max(%s) FILTER (WHERE mark = 2))::text, %s, (SELECT refreshed "
                                "FROM ONLY %s), pg_total_relation_size(%s::regclass),"
                                " pg_total_relation_size(%s::regclass), %s FROM ONLY %s",
                                period ? period->name : "CASE mark WHEN 2 THEN 'infinity' END",
                                period ? period->name : "CASE mark WHEN 2 THEN 'infinity' END",
                                period ? psprintf("(SELECT frozen::text FROM ONLY %s)",
                                                  rollup_part(&rollup, "_state"))
                                       : "NULL::text",
                                rollup_part(&rollup, "_state"),
                                quote_literal_cstr(rollup_part(&rollup, "_rows")),
                                quote_literal_cstr(rollup_part(&rollup, "_log")),
                                problem ? quote_literal_cstr(problem) : "NULL::text",
                                rollup_part(&rollup, "_log")),
                       caller);
        (void)next_row(rows, values, nulls);
    } else if (rollup.query) {
        rows = collect(rollup_status_query(&rollup, period_of(rollup.query), problem), caller);
        (void)next_row(rows, values, nulls);
    } else {
        MemoryContextSwitchTo(caller);
        values[8] = CStringGetTextDatum(problem);
        nulls[8] = false;
    }
    end(&session);
    return sketch_row(fcinfo, values, nulls);
}

static void *
begin_check(FunctionCallInfo fcinfo)
{
    MemoryContext caller = CurrentMemoryContext;
    Rollup rollup = {0};
    Session session;
    RollupColumn *period;
    StringInfoData columns;
    ListCell *cell;
    const char *live, *query;
    Rows *rows;

    begin_change(&rollup, &session, PG_GETARG_OID(0), SKETCHES);
    initStringInfo(&columns);
    foreach (cell, rollup.query->columns)
        if (((RollupColumn *)lfirst(cell))->is_exact)
            appendStringInfo(&columns, "%s%s", columns.len ? ", " : "",
                             ((RollupColumn *)lfirst(cell))->name);
    period = period_of(rollup.query);
    live = period ? psprintf(" WHERE %s >= (SELECT frozen FROM %s)", period->name,
                             rollup_part(&rollup, "_state"))
                  : "";
    query =
        rollup.is_distributed
            ? rollup_check_query(&rollup, columns.data, period, SKETCHES)
            : psprintf(
                  "WITH rollup AS (SELECT %s FROM %s%s), query AS (SELECT %s FROM %s%s)"
                  " SELECT 'rollup', to_jsonb(d.*) FROM (TABLE rollup EXCEPT ALL TABLE query) AS d"
                  " UNION ALL SELECT 'query', to_jsonb(d.*) FROM (TABLE query EXCEPT ALL TABLE "
                  "rollup) AS d ORDER BY 2, 1",
                  columns.data, rollup_relation_name(rollup.view), live, columns.data,
                  rollup_part(&rollup, "_query"), live);
    rows = collect(query, caller);
    end(&session);
    return rows;
}

PG_FUNCTION_INFO_V1(sketches_rollup_check);
Datum
sketches_rollup_check(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_check, next_row);
}
