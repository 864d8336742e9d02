/*
 * planner.c - what the planner has to believe of a list of groups.
 *
 * SQL objects served, all STRICT:
 *   _rollup_hashed(mark smallint) -> bool
 *       true, for each row of a log whose groups are to be in a hash table
 *
 * IN (SELECT ...) is a hash table if the planner expects it to fit into memory, and a scan for
 * every row otherwise. A log has any number of groups, and statistics of a time when it had others.
 */
#include "pg/rollup/rollup.h"

#include "nodes/supportnodes.h"

PG_FUNCTION_INFO_V1(sketches_rollup_hashed);
Datum
sketches_rollup_hashed(PG_FUNCTION_ARGS)
{
    PG_RETURN_BOOL(true);
}

PG_FUNCTION_INFO_V1(sketches_rollup_hashed_support);
Datum
sketches_rollup_hashed_support(PG_FUNCTION_ARGS)
{
    Node *request = (Node *)PG_GETARG_POINTER(0);

    if (!IsA(request, SupportRequestSelectivity))
        PG_RETURN_POINTER(NULL);
    ((SupportRequestSelectivity *)request)->selectivity = 0;
    PG_RETURN_POINTER(request);
}
