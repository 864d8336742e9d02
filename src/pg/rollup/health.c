/*
 * health.c - what there is to know of rollups, and what is wrong with them.
 *
 * What is wrong with a rollup is found by making its parts again, as text, and comparing them with
 * what is there: {section damage} and {section problem} of template.sql.
 */
#include "pg/rollup/rollup.h"
#include "pg/shared/glue.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"

char *
rollup_problem(Rollup *rollup)
{
    char *problem = rollup_answer(linitial(rollup_statements(rollup, "damage")));

    return problem || rollup->query == NULL
               ? problem
               : rollup_answer(linitial(rollup_statements(rollup, "problem")));
}

/*
 * Opens a rollup and says what is wrong with it. That it cannot be opened is wrong, too: one whose
 * query was changed, or a table that anybody made to look like the state of a rollup, must not hide
 * the others from who monitors them.
 */
static char *
examine(Rollup *rollup)
{
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner resources = CurrentResourceOwner;
    char *volatile problem = NULL;

    BeginInternalSubTransaction(NULL);
    MemoryContextSwitchTo(context);
    PG_TRY();
    {
        rollup_open(rollup);
        problem = rollup_problem(rollup);
        ReleaseCurrentSubTransaction();
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
        rollup->query = NULL;
        problem = psprintf("%s: SELECT rollup_drop(%s)", error->message,
                           quote_literal_cstr(rollup_part(rollup, "")));
    }
    PG_END_TRY();
    MemoryContextSwitchTo(context);
    CurrentResourceOwner = resources;
    return problem;
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

/* What anybody may know: source, period, problem. */
PG_FUNCTION_INFO_V1(sketches_rollup_overview);
Datum
sketches_rollup_overview(PG_FUNCTION_ARGS)
{
    Rollup *rollup = rollup_begin(fcinfo);
    Datum values[3] = {0};
    bool nulls[3] = {true, true, true};
    char *problem = NULL;

    /* It may have been dropped since the list was begun. */
    if (rollup_find(rollup, PG_GETARG_OID(0), InvalidOid))
        problem = examine(rollup);
    MemoryContextSwitchTo(rollup->caller);
    if (rollup->query) {
        values[0] = ObjectIdGetDatum(rollup->query->source);
        nulls[0] = false;
        if (rollup->query->period)
            set_text(&values[1], &nulls[1], rollup->query->period->name);
    }
    set_text(&values[2], &nulls[2], problem);
    rollup_end(rollup);
    return sketch_row(fcinfo, values, nulls);
}

static void *
begin_list(FunctionCallInfo fcinfo)
{
    Rollup *rollup = rollup_begin(fcinfo);
    Rows *rows = collect(
        psprintf(
            "SELECT view::regclass, source, state_owner::regrole, period,"
            " %s, %s, CASE WHEN view IS NULL"
            " THEN format('its view is gone: SELECT rollup_drop(%%L)', part || '\"')"
            " ELSE problem END"
            " FROM (" ROLLUPS ") AS r JOIN pg_namespace AS n ON n.oid = relnamespace"
            " CROSS JOIN LATERAL (SELECT format('\"%%s\".\"%%s', replace(nspname, '\"', '\"\"'),"
            " replace(left(relname, -6), '\"', '\"\"')) AS part) AS p"
            /* By name, but not by to_regclass(): the caller may not use the schema. */
            " LEFT JOIN LATERAL (SELECT oid AS stored FROM pg_class AS c WHERE c.relnamespace = "
            "r.relnamespace AND c.relname = left(r.relname, -5) || 'rows') AS s ON true"
            " LEFT JOIN LATERAL (SELECT oid AS logged FROM pg_class AS c WHERE c.relnamespace = "
            "r.relnamespace AND c.relname = left(r.relname, -5) || 'log') AS l ON true"
            /* As its parameter is declared, so that no overload of others is called. */
            " LEFT JOIN LATERAL (SELECT * FROM %s._rollup_overview(view::regclass)"
            " WHERE view IS NOT NULL) AS o ON true ORDER BY nspname, relname",
            rollup_size_of("stored"), rollup_size_of("logged"),
            quote_identifier(get_namespace_name(rollup->sketches))),
        rollup->caller);

    rollup_end(rollup);
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
    Oid view = PG_GETARG_OID(0), user = GetUserId();
    Rollup *rollup = rollup_begin(fcinfo);
    Datum values[9] = {0};
    bool nulls[9] = {true, true, true, true, true, true, true, true};
    char *problem;

    if (!rollup_find(rollup, view, InvalidOid))
        rollup_raise_unknown(rollup_relation_name(view));
    if (!has_privs_of_role(user, rollup->owner) && !has_privs_of_role(user, ROLE_PG_MONITOR) &&
        pg_class_aclcheck(view, user, ACL_SELECT) != ACLCHECK_OK)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("permission denied for rollup %s", rollup->name),
                        errhint("GRANT SELECT ON %s TO %s;", rollup_relation_name(view),
                                quote_identifier(GetUserNameFromId(user, false)))));
    problem = examine(rollup);
    if (rollup->query)
        (void)next_row(collect(linitial(rollup_statements(rollup, "status")), rollup->caller),
                       values, nulls);
    MemoryContextSwitchTo(rollup->caller);
    set_text(&values[8], &nulls[8], problem);
    rollup_end(rollup);
    return sketch_row(fcinfo, values, nulls);
}

static void *
begin_check(FunctionCallInfo fcinfo)
{
    Rollup *rollup = rollup_begin_change(fcinfo);
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
