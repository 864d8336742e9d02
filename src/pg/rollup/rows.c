/*
 * rows.c - rollups that follow single rows, for tables that logical replication fills.
 *
 * The workers of a subscription apply one row after the other. They fire triggers FOR EACH ROW that
 * are ENABLE ALWAYS, and of statement triggers only those for TRUNCATE. So a rollup whose triggers
 * have transition tables would never hear of what a subscription writes.
 */
#include "pg/rollup/rollup.h"

void
rollup_check_subscription(const RollupQuery *query)
{
    ListCell *cell;

    foreach (cell, rollup_all_tables(query)) {
        char *name = rollup_ask("SELECT quote_ident(subname) FROM pg_subscription_rel"
                                " JOIN pg_subscription AS s ON s.oid = srsubid WHERE srrelid = %u",
                                lfirst_oid(cell));

        if (name)
            ereport(ERROR,
                    (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                     errmsg("table %s is filled by subscription %s, which fires triggers for "
                            "single rows only",
                            rollup_relation_name(lfirst_oid(cell)), name),
                     errhint("rollup_create(..., each_row => true) makes a rollup that "
                             "follows single rows.")));
    }
}
