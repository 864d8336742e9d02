/*
 * rows.c - rollups that follow single rows, for tables that logical replication fills.
 *
 * The workers of a subscription apply one row after the other. They fire triggers FOR EACH ROW that
 * are ENABLE ALWAYS, and of statement triggers only those for TRUNCATE. So a rollup whose triggers
 * have transition tables would never hear of what a subscription writes; nor of what a statement
 * writes through a parent that a child has beside the table of the query.
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

void
rollup_check_parents(Rollup *rollup)
{
    char *child = rollup_answer(rollup_text(
        rollup, "SELECT format('%s is a child of %s', child, parent) FROM ({other_parents}) AS p"));

    if (child)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("table %s, too, whose statements fire triggers for single rows only",
                               child),
                        errhint("rollup_create(..., each_row => true) makes a rollup that "
                                "follows single rows.")));
}
