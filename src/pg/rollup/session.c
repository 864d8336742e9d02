/*
 * session.c - who asks SQL, as whom, and with which settings.
 *
 * rollup_create runs as its caller. All others run as the owner of the rollup, as REFRESH
 * MATERIALIZED VIEW does, for who has the owner's rights: nothing that the owner could have made or
 * replaced runs as somebody else. What is computed does not depend on the settings of the caller.
 */
#include "pg/rollup/rollup.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

int
rollup_pin_settings(void)
{
    static const char *const settings[][2] = {{"search_path", "pg_catalog, pg_temp"},
                                              {"standard_conforming_strings", "on"},
                                              {"array_nulls", "on"},
                                              {"datestyle", "ISO, MDY"},
                                              {"intervalstyle", "postgres"},
                                              {"extra_float_digits", "1"},
                                              {"bytea_output", "hex"},
                                              {"lc_monetary", "C"},
                                              {"xmloption", "content"},
                                              {"quote_all_identifiers", "off"},
                                              {"transform_null_equals", "off"},
                                              {"jit", "off"},
                                              /* Else an index returns some of its rows. */
                                              {"gin_fuzzy_search_limit", "0"},
                                              {"plan_cache_mode", "force_custom_plan"},
                                              {"default_tablespace", ""},
                                              {"check_function_bodies", "on"},
                                              /* Rather an error than rows that a policy hides. */
                                              {"row_security", "off"}};
    int level = NewGUCNestLevel();

    for (size_t i = 0; i < lengthof(settings); i++)
        (void)set_config_option(settings[i][0], settings[i][1], PGC_USERSET, PGC_S_SESSION,
                                GUC_ACTION_SAVE, true, 0, false);
    return level;
}

RollupUser
rollup_act_as(Oid owner)
{
    RollupUser caller;

    GetUserIdAndSecContext(&caller.user, &caller.context);
    SetUserIdAndSecContext(owner, caller.context | SECURITY_LOCAL_USERID_CHANGE |
                                      SECURITY_RESTRICTED_OPERATION);
    return caller;
}

void
rollup_act_again(RollupUser caller)
{
    SetUserIdAndSecContext(caller.user, caller.context);
}

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
    GetUserIdAndSecContext(&rollup->by.user, &rollup->by.context);
    SPI_connect();
    return rollup;
}

void
rollup_end(Rollup *rollup)
{
    SPI_finish();
    rollup_act_again(rollup->by);
    AtEOXact_GUC(false, rollup->settings);
}

void
rollup_become_owner(Rollup *rollup)
{
    SetUserIdAndSecContext(rollup->owner, rollup->by.context | SECURITY_RESTRICTED_OPERATION);
}
