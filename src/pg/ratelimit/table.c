/*
 * table.c - limiters by key, in the table ratelimit_keys.
 *
 * SQL objects served, all VOLATILE:
 *   ratelimit_throttle, ratelimit_window      take from the limiter of a key; refuse NULL
 *   ratelimit_purge                           delete the keys of limiters like fresh ones
 *
 * A call executes one statement: an INSERT that becomes an UPDATE if the key exists. PostgreSQL
 * locks the row, computes the new state from the newest committed state, and reads the clock
 * only then. So sessions that use one key at the same time wait for one another, and nothing is
 * lost or allowed twice. The answer is stored in the row with the state, because
 * RETURNING sees only stored columns. No column that changes is indexed, so a row is updated
 * within its page.
 *
 * A purge skips the rows that are locked, so it never waits and cannot be part of a deadlock.
 *
 * Functions and table are found in the schema of the function that was called, everything else in
 * pg_catalog. So the search_path has no influence, and the extension can be moved. Others may be
 * allowed to create functions in that schema. One with more arguments, which have defaults, would
 * make a call ambiguous. So every function that is called here has an argument of the type
 * _ratelimit_int, of which nobody but its owner may make functions.
 */
#include "pg/shared/glue.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define KEY_BYTES_MAX 2000

/* A statement with %1$s for the schema, and its plan, kept for the session. */
typedef struct Statement {
    const char *text;
    int argument_count;
    Oid argument_types[5];
    SPIPlanPtr plan;
    char schema[NAMEDATALEN * 2 + 3]; /* quoted, of the plan */
} Statement;

#define ANSWER "allowed, \"limit\", remaining, retry_after, reset_after"
#define NOW "pg_catalog.clock_timestamp()"
#define INT(number) number "::%1$s._ratelimit_int"
#define QUESTION(fresh, quantity)                                                                  \
    "INSERT INTO %1$s.ratelimit_keys AS k (key, state, " ANSWER ")"                                \
    " SELECT $1, t.* FROM %1$s._ratelimit_take(" fresh                                             \
    ", " INT(quantity) ", " NOW ") AS t"                                                           \
                       " ON CONFLICT (key) DO UPDATE SET (state, " ANSWER ") = (SELECT t.*"        \
                       " FROM %1$s._ratelimit_retake(k.state, " fresh                              \
                       ", " INT(quantity) ", " NOW ") AS t)"                                       \
                                          " RETURNING " ANSWER

static Statement throttle = {
    .text = QUESTION("%1$s._ratelimit_bucket(" INT("$2") ", $3, $4)", "$5"),
    .argument_count = 5,
    .argument_types = {TEXTOID, INT4OID, INT4OID, INTERVALOID, INT4OID},
};

static Statement window = {
    .text = QUESTION("%1$s._ratelimit_sliding(" INT("$2") ", $3)", "$4"),
    .argument_count = 4,
    .argument_types = {TEXTOID, INT4OID, INTERVALOID, INT4OID},
};

/* A limiter is like a fresh one when no time is left until its reset. */
static Statement purge = {
    .text = "DELETE FROM %1$s.ratelimit_keys WHERE ctid OPERATOR(pg_catalog.=) ANY (ARRAY("
            " SELECT k.ctid FROM %1$s.ratelimit_keys AS k"
            " WHERE (%1$s._ratelimit_peek(k.state, " INT(
                "0") ", " NOW ")).reset_after"
                     " OPERATOR(pg_catalog.=) '0'::pg_catalog.interval"
                     " FOR UPDATE SKIP LOCKED))",
};

/* Quoted schema of the called function; another session may be dropping it. */
static const char *
schema_of_call(FunctionCallInfo fcinfo)
{
    char *name = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));

    if (name == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
                        errmsg("function of rate limits is gone: the extension was dropped")));
    return quote_identifier(name);
}

/* The plan of a statement for a schema, made anew if the extension was moved. */
static void
prepare(Statement *statement, const char *schema)
{
    SPIPlanPtr plan;

    if (statement->plan && strcmp(schema, statement->schema) == 0)
        return;
    if (statement->plan)
        SPI_freeplan(statement->plan);
    statement->plan = NULL;
    strlcpy(statement->schema, schema, sizeof statement->schema);
    plan = SPI_prepare(psprintf(statement->text, schema), statement->argument_count,
                       statement->argument_types);
    if (plan == NULL || SPI_keepplan(plan) != 0)
        elog(ERROR, "cannot prepare a statement about rate limits: %s",
             SPI_result_code_string(SPI_result));
    statement->plan = plan;
}

/* Runs a statement with the arguments of the function; SPI is connected. */
static void
execute(FunctionCallInfo fcinfo, Statement *statement, int expected)
{
    Datum arguments[5];
    int result;

    for (int i = 0; i < statement->argument_count; i++)
        arguments[i] = PG_GETARG_DATUM(i);
    prepare(statement, schema_of_call(fcinfo));
    result = SPI_execute_plan(statement->plan, arguments, NULL, false, 0);
    if (result != expected)
        elog(ERROR, "a statement about rate limits failed: %s", SPI_result_code_string(result));
}

/* A key has to fit into the index. */
static void
check_key(Datum key)
{
    Size bytes = toast_raw_datum_size(key) - VARHDRSZ;

    if (bytes > KEY_BYTES_MAX)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                        errmsg("key of a rate limit is too long: %zu bytes", bytes),
                        errdetail("Must be between 0 and %d.", KEY_BYTES_MAX),
                        errhint("Use a hash of it, such as md5(key).")));
}

static Datum
ask(FunctionCallInfo fcinfo, Statement *statement)
{
    TupleDesc row;
    HeapTuple answer;

    for (int i = 0; i < PG_NARGS(); i++)
        sketch_check_not_null(fcinfo, i,
                              i == 0 ? "key of a rate limit" : "parameter of a rate limit");
    check_key(PG_GETARG_DATUM(0));
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "return type must be a row type");
    row = BlessTupleDesc(row);
    SPI_connect();
    execute(fcinfo, statement, SPI_OK_INSERT_RETURNING);
    if (SPI_processed != 1)
        elog(ERROR, "a rate limit has " UINT64_FORMAT " answers", SPI_processed);
    answer = SPI_copytuple(SPI_tuptable->vals[0]);
    SPI_finish();
    return heap_copy_tuple_as_datum(answer, row);
}

SQL_FUNCTION(sketches_ratelimit_throttle, ask(fcinfo, &throttle));
SQL_FUNCTION(sketches_ratelimit_window, ask(fcinfo, &window));

PG_FUNCTION_INFO_V1(sketches_ratelimit_purge);
Datum
sketches_ratelimit_purge(PG_FUNCTION_ARGS)
{
    uint64 deleted;

    SPI_connect();
    execute(fcinfo, &purge, SPI_OK_DELETE);
    deleted = SPI_processed;
    SPI_finish();
    PG_RETURN_INT64((int64)deleted);
}
