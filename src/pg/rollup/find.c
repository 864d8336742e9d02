/*
 * find.c - which view is a rollup, and the session in which its functions run.
 *
 * A rollup is known by a default of its state that depends on the view, which is why PostgreSQL
 * refuses to drop the view alone.
 *
 * rollup_create runs as its caller. All others run as the owner of the rollup, as REFRESH
 * MATERIALIZED VIEW does, for who has the owner's rights: nothing that the owner could have made or
 * replaced runs as somebody else.
 */
#include "pg/rollup/rollup.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "rewrite/rewriteHandler.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

void
rollup_execute(const char *statement)
{
    if (SPI_execute(statement, false, 0) < 0)
        elog(ERROR, "cannot execute %s", statement);
}

/* Citus sends the text of each to its nodes as it was written. */
void
rollup_execute_all(List *statements)
{
    ListCell *cell, *command;

    foreach (cell, statements)
        foreach (command, pg_parse_query(lfirst(cell))) {
            RawStmt *statement = lfirst(command);
            const char *text = (char *)lfirst(cell) + statement->stmt_location;

            rollup_execute(statement->stmt_len ? pnstrdup(text, statement->stmt_len) : text);
        }
}

char *
rollup_answer(const char *query)
{
    char *value;

    rollup_execute(query);
    value = SPI_processed ? SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1) : NULL;
    SPI_freetuptable(SPI_tuptable);
    return value;
}

Oid
rollup_answer_oid(const char *query)
{
    char *value = rollup_answer(query);

    return value ? DatumGetObjectId(DirectFunctionCall1(oidin, CStringGetDatum(value)))
                 : InvalidOid;
}

bool
rollup_is_passing(const ErrorData *error)
{
    int category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

    return category == ERRCODE_TO_CATEGORY(ERRCODE_TRANSACTION_ROLLBACK) ||
           category == ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES) ||
           category == ERRCODE_TO_CATEGORY(ERRCODE_OBJECT_IN_USE) ||
           category == ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION) ||
           category == ERRCODE_TO_CATEGORY(ERRCODE_SYSTEM_ERROR) ||
           category == ERRCODE_TO_CATEGORY(ERRCODE_INTERNAL_ERROR);
}

Rollup *
rollup_begin(FunctionCallInfo fcinfo)
{
    Rollup *rollup = palloc0(sizeof *rollup);

    rollup->caller = CurrentMemoryContext;
    rollup->sketches = get_func_namespace(fcinfo->flinfo->fn_oid);
    rollup->datestyle = pstrdup(GetConfigOption("datestyle", false, false));
    rollup->settings = rollup_pin_settings();
    (void)set_config_option("client_min_messages", "warning", PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
    GetUserIdAndSecContext(&rollup->user, &rollup->context);
    SPI_connect();
    return rollup;
}

void
rollup_end(Rollup *rollup)
{
    SPI_finish();
    SetUserIdAndSecContext(rollup->user, rollup->context);
    AtEOXact_GUC(false, rollup->settings);
}

void
rollup_become_owner(Rollup *rollup)
{
    SetUserIdAndSecContext(rollup->owner, rollup->context | SECURITY_RESTRICTED_OPERATION);
}

Oid
rollup_part_oid(const Rollup *rollup, const char *suffix, char kind)
{
    Oid part = get_relname_relid(psprintf("%s%s", rollup->name, suffix),
                                 get_namespace_oid(rollup->schema, true));

    return OidIsValid(part) && get_rel_relkind(part) == kind ? part : InvalidOid;
}

/* By the cache: from queries of clients, Citus hides shards. */
Oid
rollup_owner_of(Oid relation)
{
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
    Oid owner = InvalidOid;

    if (HeapTupleIsValid(tuple)) {
        owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
        ReleaseSysCache(tuple);
    }
    return owner;
}

/* Keeps a relation from being dropped; false: it was. */
static bool
keep(Oid relation)
{
    LockRelationOid(relation, AccessShareLock);
    return get_rel_name(relation) != NULL;
}

bool
rollup_find(Rollup *rollup, Oid view, Oid state)
{
    char *name;

    rollup->state =
        rollup_ask_oid("SELECT state FROM (" ROLLUPS ") AS r WHERE view = %u OR state = %u"
                       " ORDER BY state_owner = view_owner DESC, state LIMIT 1",
                       view, state);
    if (!OidIsValid(rollup->state) || !keep(rollup->state))
        return false;
    rollup->view =
        rollup_ask_oid("SELECT view FROM (" ROLLUPS ") AS r WHERE state = %u", rollup->state);
    if (OidIsValid(rollup->view) ? !keep(rollup->view) : OidIsValid(view))
        return false;
    rollup->owner = rollup_owner_of(OidIsValid(rollup->view) ? rollup->view : rollup->state);
    name = get_rel_name(rollup->state);
    rollup->name = pnstrdup(name, strlen(name) - strlen("_state"));
    rollup->schema = get_namespace_name(get_rel_namespace(rollup->state));
    return true;
}

Oid
rollup_view_made_anew(const Rollup *rollup)
{
    Oid view = rollup_part_oid(rollup, "", RELKIND_VIEW);
    Oid log = rollup_part_oid(rollup, "_log", RELKIND_RELATION);

    return rollup_ask_oid("SELECT v.oid FROM pg_class AS v JOIN pg_rewrite AS r ON ev_class = v.oid"
                          " JOIN pg_depend ON classid = 'pg_rewrite'::regclass AND objid = r.oid"
                          " WHERE v.oid = %u AND relowner = %u AND refobjid = %u LIMIT 1",
                          view, rollup->owner, log);
}

/*
 * Whether a state has the columns that ours have. Others could be of types whose casts are
 * functions of the owner, which would take their time, and raise errors as those of the server,
 * while somebody lists all rollups.
 */
static bool
has_our_columns(Oid state)
{
    static const struct {
        const char *name;
        Oid type;
    } columns[] = {{"merge", JSONBOID},      {"each_row", BOOLOID},
                   {"distributed", BOOLOID}, {"followed", TEXTARRAYOID},
                   {"missed", TEXTARRAYOID}, {"refreshed", TIMESTAMPTZOID}};
    AttrNumber frozen = get_attnum(state, "frozen");

    for (size_t i = 0; i < lengthof(columns); i++) {
        AttrNumber number = get_attnum(state, columns[i].name);

        if (number <= 0 || get_atttype(state, number) != columns[i].type)
            return false;
    }
    return frozen <= 0 || get_atttype(state, frozen) < FirstNormalObjectId;
}

void
rollup_read_state(Rollup *rollup)
{
    const char *state = rollup_part(rollup, "_state");

    if (!has_our_columns(rollup->state))
        return;
    rollup->each_row = rollup_ask("SELECT 1 FROM ONLY %s WHERE each_row", state) != NULL;
    rollup->is_distributed = rollup_ask("SELECT 1 FROM ONLY %s WHERE distributed", state) != NULL;
    if (rollup->is_distributed)
        rollup_find_distribution(rollup);
}

void
rollup_open(Rollup *rollup)
{
    Oid query = rollup_part_oid(rollup, "_query", RELKIND_VIEW);
    Oid rows = rollup_part_oid(rollup, "_rows", RELKIND_RELATION);

    rollup_become_owner(rollup);
    if (rollup_owner_of(rollup->state) != rollup->owner)
        return;
    rollup_read_state(rollup);
    if (!has_our_columns(rollup->state) || !OidIsValid(query) || !OidIsValid(rows) ||
        !OidIsValid(rollup_part_oid(rollup, "_log", RELKIND_RELATION)) ||
        (rollup->is_distributed && rollup->distribution == NULL))
        return;
    rollup->merge = rollup_ask("SELECT merge FROM ONLY %s", rollup_part(rollup, "_state"));
    if (rollup->merge) {
        Relation view = table_open(query, AccessShareLock);
        Query *parsed = copyObject(get_view_query(view));
        Datum merge = DirectFunctionCall1(jsonb_in, CStringGetDatum(rollup->merge));

        table_close(view, NoLock);
        sketches_inline_groups(parsed);
        rollup->query = rollup_analyze(parsed, rows, DatumGetJsonbP(merge), rollup->sketches);
    }
}

void
rollup_raise_unknown(const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("%s is not a rollup", name),
                    errhint("SELECT * FROM rollup_list() shows all rollups.")));
}

void
rollup_check_owner(const Rollup *rollup)
{
    if (!has_privs_of_role(GetUserId(), rollup->owner)) {
        char *owner = GetUserNameFromId(rollup->owner, false);

        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("must be owner of rollup %s", rollup->name),
                        errhint("SET ROLE %s;", quote_identifier(owner))));
    }
}

Rollup *
rollup_begin_change(FunctionCallInfo fcinfo)
{
    static const char *const parts[] = {"_rows", "_log", "_state", "_bounds"};
    Rollup *rollup = rollup_begin(fcinfo);
    const char *name = rollup_relation_name(PG_GETARG_OID(0));

    if (!rollup_find(rollup, PG_GETARG_OID(0), InvalidOid))
        rollup_raise_unknown(name);
    rollup_check_owner(rollup);
    rollup_open(rollup);
    if (rollup->query == NULL)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("rollup %s is damaged", name), errdetail("%s", rollup_problem(rollup))));
    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = rollup_part_oid(rollup, parts[i], RELKIND_RELATION);

        if (OidIsValid(part))
            rollup_check_part(part);
    }
    return rollup;
}
