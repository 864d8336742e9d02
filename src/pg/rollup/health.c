/*
 * health.c - what there is to know of rollups, and what is wrong with them.
 *
 * What is wrong with a rollup is asked of the catalogs: {section problem} of template.sql.
 */
#include "pg/rollup/rollup.h"
#include "pg/shared/glue.h"

#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/resowner.h"

char *
rollup_problem(Rollup *rollup)
{
    char *problem = rollup_damage(rollup);
    ListCell *cell;

    if (problem || rollup->query == NULL)
        return problem;
    foreach (cell, rollup_statements(rollup, "problem"))
        if ((problem = rollup_answer(lfirst(cell))) != NULL)
            return problem;
    return rollup->query->below ? rollup_problem(rollup->query->below) : NULL;
}

bool
rollup_has_triggers(Rollup *rollup)
{
    return rollup_answer(rollup_text(rollup, "{changed_triggers}")) == NULL;
}

/* What a look at a rollup found. */
typedef struct Report {
    Oid state;
    bool was_dropped;
    char *bytes[2]; /* of rows and log; NULL: not for the caller */
    char *problem;
} Report;

static void
examine(Rollup *rollup, Report *report)
{
    rollup_become_owner(rollup);
    report->problem = rollup_missing_right(rollup);
    if (report->problem)
        return;
    rollup_open(rollup);
    report->problem = rollup_problem(rollup);
}

/* What anybody may know: by the caller's right on the tables of Citus, their bytes. */
static void
find_and_examine(Rollup *rollup, Report *report)
{
    static const RollupPart parts[] = {ROLLUP_ROWS, ROLLUP_LOG};

    report->was_dropped = !rollup_find(rollup, InvalidOid, report->state);
    if (report->was_dropped)
        return;
    for (size_t i = 0; i < lengthof(parts); i++) {
        Oid part = rollup->parts[parts[i]];

        if (OidIsValid(part))
            report->bytes[i] = rollup_ask("SELECT %s", rollup_size_of(psprintf("%u::oid", part)));
    }
    if (OidIsValid(rollup->view))
        examine(rollup, report);
    else
        report->problem = psprintf("its view is gone: SELECT rollup_drop(%s)",
                                   quote_literal_cstr(rollup_called(rollup)));
}

/*
 * A look at a rollup that must not hide others from who monitors them: at one whose query was
 * changed, one that somebody has locked, or a table that anybody made to look like the state of a
 * rollup. An error is what is wrong with it, but for those of which `is_callers` is true. Unless
 * the caller goes on with it, the rollup is unlocked: nobody needs a right to look, and whoever
 * looks at all of them must not keep others from TRUNCATE or ALTER TABLE until the transaction
 * ends.
 */
static void
look(Rollup *rollup, Report *report, void (*at)(Rollup *rollup, Report *report),
     bool (*is_callers)(const ErrorData *error), bool goes_on)
{
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner resources = CurrentResourceOwner;

    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        at(rollup, report);
        if (goes_on)
            ReleaseCurrentSubTransaction();
        else
            RollbackAndReleaseCurrentSubTransaction();
    }
    PG_CATCH();
    {
        ErrorData *error;

        MemoryContextSwitchTo(context);
        error = CopyErrorData();
        FlushErrorState();
        RollbackAndReleaseCurrentSubTransaction();
        if (is_callers(error))
            ReThrowError(error);
        rollup->query = NULL;
        /* A right that is missing may be granted. */
        report->problem = rollup_is_passing(error) || rollup->name == NULL ||
                                  error->sqlerrcode == ERRCODE_INSUFFICIENT_PRIVILEGE
                              ? psprintf("it cannot be examined now (%s)", error->message)
                              : psprintf("%s: SELECT rollup_drop(%s)", error->message,
                                         quote_literal_cstr(rollup_called(rollup)));
    }
    PG_END_TRY();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = resources;
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

    rollup_execute(query);
    MemoryContextSwitchTo(caller);
    rows = palloc0(sizeof *rows);
    rows->count = SPI_processed;
    rows->columns = CreateTupleDescCopy(SPI_tuptable->tupdesc);
    rows->tuples = palloc((rows->count + 1) * sizeof *rows->tuples);
    for (uint64 i = 0; i < rows->count; i++)
        rows->tuples[i] = heap_copytuple(SPI_tuptable->vals[i]);
    return rows;
}

static void
set_text(Datum *value, bool *null, const char *text)
{
    *null = text == NULL;
    *value = text ? CStringGetTextDatum(text) : (Datum)0;
}

/* A cancelled statement, a transaction that cannot go on. */
static bool
ends_list(const ErrorData *error)
{
    return ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
               ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION) ||
           error->sqlerrcode == ERRCODE_T_R_SERIALIZATION_FAILURE;
}

/* The columns of rollup_list. */
enum { VIEW, SOURCE, OWNER, PERIOD, ROW_BYTES, LOG_BYTES, PROBLEM, LISTED };

static bool
list_one(FunctionCallInfo fcinfo, Oid state, Datum *values, bool *nulls)
{
    Rollup *rollup = rollup_begin(fcinfo);
    Report report = {.state = state};

    look(rollup, &report, find_and_examine, ends_list, false);
    MemoryContextSwitchTo(rollup->caller);
    if (rollup->query) {
        values[SOURCE] = ObjectIdGetDatum(rollup->query->read);
        nulls[SOURCE] = false;
        if (rollup->query->period)
            set_text(&values[PERIOD], &nulls[PERIOD], rollup->query->period->name);
    }
    for (size_t i = 0; i < lengthof(report.bytes); i++) {
        nulls[ROW_BYTES + i] = report.bytes[i] == NULL;
        if (report.bytes[i])
            values[ROW_BYTES + i] = Int64GetDatum(strtoll(report.bytes[i], NULL, 10));
    }
    set_text(&values[PROBLEM], &nulls[PROBLEM], report.problem);
    rollup_end(rollup);
    return !report.was_dropped;
}

typedef struct ListedRow {
    Datum values[LISTED];
    bool nulls[LISTED];
} ListedRow;

typedef struct Listed {
    ListedRow *rows;
    uint64 count, next;
} Listed;

/*
 * All that look like rollups: tables with a column use_rollup_drop and defaults. Anybody can make
 * one that names a view of others, which is no rollup if the view has a state of its owner's.
 */
#define ROLLUPS                                                                                    \
    "WITH named AS (SELECT s.oid AS state, s.relname, nspname, s.relowner AS owner, v.oid AS "     \
    "view,"                                                                                        \
    " v.relowner = s.relowner AS is_owners"                                                        \
    " FROM (SELECT DISTINCT adrelid FROM pg_attrdef) AS d"                                         \
    " JOIN pg_attribute ON attrelid = adrelid AND attname = '%s' AND atttypid = "                  \
    "'regclass'::regtype"                                                                          \
    " JOIN pg_class AS s ON s.oid = adrelid AND s.relkind = 'r' AND s.relpersistence <> 't'"       \
    " JOIN pg_namespace AS n ON n.oid = s.relnamespace"                                            \
    " LEFT JOIN pg_attrdef AS a ON a.adrelid = d.adrelid AND adnum = attnum"                       \
    " LEFT JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = a.oid"                   \
    " AND refclassid = 'pg_class'::regclass AND refobjid <> d.adrelid"                             \
    " LEFT JOIN pg_class AS v ON v.oid = refobjid AND v.relkind = 'v')"                            \
    " SELECT state, view, owner FROM named AS n WHERE view IS NULL OR is_owners OR NOT EXISTS"     \
    " (SELECT FROM named AS other WHERE other.view = n.view AND other.is_owners)"                  \
    " ORDER BY nspname, relname"

static void *
begin_list(FunctionCallInfo fcinfo)
{
    Rollup *rollup = rollup_begin(fcinfo);
    Rows *found = collect(psprintf(ROLLUPS, rollup_part_names[ROLLUP_VIEW]), rollup->caller);
    Listed *list = palloc0(sizeof *list);
    Datum values[3];
    bool nulls[3];

    rollup_end(rollup);
    list->rows = palloc0((found->count + 1) * sizeof *list->rows);
    while (next_row(found, values, nulls)) {
        Datum *row = list->rows[list->count].values;
        bool *null = list->rows[list->count].nulls;

        memset(null, true, LISTED * sizeof *null);
        row[VIEW] = values[1];
        null[VIEW] = nulls[1];
        row[OWNER] = values[2];
        null[OWNER] = false;
        list->count += list_one(fcinfo, DatumGetObjectId(values[0]), row, null);
    }
    return list;
}

static bool
next_listed(void *context, Datum *values, bool *nulls)
{
    Listed *list = context;

    if (list->next == list->count)
        return false;
    memcpy(values, list->rows[list->next].values, sizeof list->rows->values);
    memcpy(nulls, list->rows[list->next++].nulls, sizeof list->rows->nulls);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_rollup_list);
Datum
sketches_rollup_list(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_list, next_listed);
}

/* What waits for a refresh: for the owner, who may read the view, and who monitors. */
PG_FUNCTION_INFO_V1(sketches_rollup_status);
Datum
sketches_rollup_status(PG_FUNCTION_ARGS)
{
    Oid view = PG_GETARG_OID(0), user = GetUserId();
    Rollup *rollup = rollup_begin(fcinfo);
    Datum values[9] = {0};
    bool nulls[9];
    Report report = {0};

    memset(nulls, true, sizeof nulls);
    if (!rollup_find(rollup, view, InvalidOid))
        rollup_raise_unknown(rollup_relation_name(view));
    if (!has_privs_of_role(user, rollup->owner) && !has_privs_of_role(user, ROLE_PG_MONITOR) &&
        pg_class_aclcheck(view, user, ACL_SELECT) != ACLCHECK_OK)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied for rollup %s", rollup->name),
                        errhint("GRANT SELECT ON %s TO %s;", rollup_relation_name(view),
                                quote_identifier(GetUserNameFromId(user, false)))));
    look(rollup, &report, examine, rollup_is_passing, true);
    if (rollup->query)
        (void)next_row(collect(linitial(rollup_statements(rollup, "status")), rollup->caller),
                       values, nulls);
    MemoryContextSwitchTo(rollup->caller);
    set_text(&values[8], &nulls[8], report.problem);
    rollup_end(rollup);
    return sketch_row(fcinfo, values, nulls);
}

static void *
begin_check(FunctionCallInfo fcinfo)
{
    Rollup *rollup = rollup_begin_change(fcinfo, false);
    Rows *rows = collect(linitial(rollup_statements(rollup, "check")), rollup->caller);

    rollup_end(rollup);
    return rows;
}

PG_FUNCTION_INFO_V1(sketches_rollup_check);
Datum
sketches_rollup_check(PG_FUNCTION_ARGS)
{
    return sketch_rows(fcinfo, begin_check, next_row);
}
