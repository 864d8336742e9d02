/*
 * rows.c - rollups that follow single rows, for tables that logical replication fills.
 *
 * The workers of a subscription apply one row after the other. They fire triggers FOR EACH ROW that are
 * ENABLE ALWAYS, and of statement triggers only those for TRUNCATE. So a rollup whose triggers have
 * transition tables would never hear of what a subscription writes.
 */
#include "pg/rollup/rollup.h"

#include "executor/spi.h"
#include "utils/builtins.h"

const char *
rollup_subscription(const RollupQuery *query, const char **table)
{
    StringInfoData list;
    ListCell *cell;
    char *name = NULL;

    initStringInfo(&list);
    foreach (cell, query->tables)
        appendStringInfo(&list, "%s%u", list.len ? ", " : "", lfirst_oid(cell));
    if (SPI_execute(psprintf("SELECT s.subname, r.srrelid FROM pg_catalog.pg_subscription_rel AS r"
                             " JOIN pg_catalog.pg_subscription AS s ON s.oid = r.srsubid"
                             " WHERE r.srrelid IN (%s) ORDER BY 1, 2 LIMIT 1",
                             list.data),
                    false, 0) != SPI_OK_SELECT)
        elog(ERROR, "cannot read the subscriptions");
    if (SPI_processed > 0) {
        bool null;

        name = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
        *table = rollup_relation_name(DatumGetObjectId(
            SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &null)));
    }
    SPI_freetuptable(SPI_tuptable);
    return name;
}

void
rollup_check_subscription(const RollupQuery *query)
{
    const char *table, *subscription = rollup_subscription(query, &table);

    if (subscription)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("table %s is filled by subscription %s, which fires triggers for "
                               "single rows only",
                               table, quote_identifier(subscription)),
                        errhint("rollup_create(..., each_row => true) makes a rollup that follows "
                                "single rows.")));
}
