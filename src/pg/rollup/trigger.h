/*
 * trigger.h - what the files of the trigger of all rollups share.
 *
 *   trigger.c   what is logged
 *   follower.c  which rollup a trigger is for
 *   moves.c     rows that move to another partition
 */
#ifndef ROLLUP_TRIGGER_H
#define ROLLUP_TRIGGER_H

#include "pg/rollup/delta.h"

#include "access/tupconvert.h"
#include "commands/trigger.h"

typedef enum Role {
    WRITES,   /* its table is the query's, or below it */
    JOINED,   /* its table is one that the query joins */
    IS_AWAY,  /* it was, as a partition that was detached */
    IDLE,     /* another trigger logs the same, or nobody can read the rollup */
    RESTORES, /* its table is the state, of which the only row comes by a restore */
    FOLDS,    /* its table is a shard of the log */
    STORED,   /* its table has the stored rows of the rollup that is read */
    FLOWS     /* its table is the log of that, of which a refresh takes away what it stores */
} Role;

/* What a trigger is for. */
typedef struct Follower {
    Oid trigger; /* key */
    bool is_valid, is_made, is_moved;
    bool is_restored; /* see is_restored() */
    Distributed distributed;
    int replication; /* the role of the session in replication, which decides who fires */
    Role role;
    Oid state; /* on Citus, the bounds */
    RollupTarget target;
    Oid keys;           /* of a star: where those of rows that changed are logged */
    List *joined;       /* the numbers of a table that is joined */
    AttrMap *to_source; /* where its table has the columns of the source; NULL: as that */
    List *relations;    /* what it depends on */
    MemoryContext context;
} Follower;

/* What a trigger is for; an error, if it is none that a rollup has. Holds until the next call. */
extern const Follower *rollup_find_follower(const TriggerData *data);

/* ---- moves.c ---- */

/* Around an UPDATE of a partitioned table. */
extern void rollup_begin_update(void);
extern void rollup_end_update(void);
/* Keeps a row that moves, until the statement's trigger has the groups of all of them marked. */
extern void rollup_collect_moved(const Follower *follower, const TriggerData *data);
extern void rollup_log_moved(const Follower *follower);
/* Whether a row that came is one that went just before; notes one that goes. */
extern bool rollup_is_same_row(Oid query, const TriggerData *data);

#endif
