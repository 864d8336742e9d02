/*
 * detours.h - what PGlite's PostgreSQL has and does not show to extensions, for all of src/pg.
 *
 * Variables of the server cannot be had twice, so each is asked for or stands for the nearest that is shown.
 */
#ifndef DETOURS_H
#define DETOURS_H

#include "postgres.h"

#include "commands/trigger.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"

/* The session's role in replication, as SHOW session_replication_role says it. */
extern int detour_replication_role(void);
#define SessionReplicationRole detour_replication_role()

/* Those of the subtransaction: what lives until the end of the transaction lives longer, and does no harm. */
#define CurTransactionContext TopTransactionContext
#define CurTransactionResourceOwner TopTransactionResourceOwner

/* Functions that read variables of their file. */
extern bool detour_has_pending_triggers(Oid table);
extern List *detour_index_nodes(Relation index, AttrNumber column);
#define AfterTriggerPendingOnRel(table) detour_has_pending_triggers(table)
#define RelationGetIndexExpressions(index) detour_index_nodes(index, Anum_pg_index_indexprs)
#define RelationGetIndexPredicate(index) detour_index_nodes(index, Anum_pg_index_indpred)

#endif
