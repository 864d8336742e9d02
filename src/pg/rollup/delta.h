/*
 * delta.h - what rows that were written change in a rollup.
 *
 *   delta.c  a statement that logs it
 *   plans.c  plans of these, kept for the session
 */
#ifndef ROLLUP_DELTA_H
#define ROLLUP_DELTA_H

#include "pg/shared/compat.h"

#include "executor/tuptable.h"
#include "nodes/bitmapset.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/* What is logged, as the log has it in its first column. */
typedef enum Delta {
    DELTA_ADD,        /* what rows add to their groups */
    DELTA_MARK,       /* their groups, to be computed from the rows that are left */
    DELTA_EVERYTHING, /* all groups */
    DELTA_FLOW,       /* what the query makes of rows of the log below, with its own first column */
    DELTA_KEYS,       /* of rows of a table that is joined, their keys */
    DELTA_KINDS
} Delta;

/* Where it is logged, and what it is computed by. */
typedef struct RollupTarget {
    Oid query;  /* the view that keeps the tree */
    Oid source; /* the table in it, or the view of a rollup */
    Oid layout; /* whose columns the rows have: the source, or a table below it with others */
    Oid log;
    Oid owner;   /* of query and log, with whose rights all of it is done */
    Oid written; /* of a star: the view that keeps what is logged of new rows */
    List *joins; /* of a star: the tables that are joined */
    int joined;  /* of a table that is joined: its number in the query, if it is flat; or 0 */
} RollupTarget;

/* What the trigger of a table that Citus distributes is for. */
typedef enum Distributed {
    NOT_DISTRIBUTED, /* nothing: it is a shard of what is no part any more */
    FOREIGN,         /* nothing, and it is no shard */
    OF_TABLE,        /* the table itself, or a partition, which only TRUNCATE fires for */
    OF_SHARD,        /* a shard of them; the log is the shard beside it */
    OF_LOG           /* a shard of the log */
} Distributed;

/* Finds what a trigger with a token is for; an error, if the node does not have its shard. */
extern Distributed rollup_find_distributed(Oid relation, const char *token, bool is_truncate,
                                           RollupTarget *target, Oid *bounds);

/* ---- delta.c ---- */

#define ROLLUP_ROWS_WRITTEN "rollup_written" /* the rows, as the statement calls them */

/*
 * The statement that logs a delta. read: the columns of the layout that the query reads, less
 * FirstLowInvalidHeapAttributeNumber; it stays as it was for DELTA_EVERYTHING and for DELTA_FLOW,
 * of which no rows are compared.
 */
extern struct Query *rollup_log_query(const RollupTarget *target, Delta delta, Bitmapset **read);

/* ---- plans.c ---- */

/*
 * Logs a delta of rows; they are NULL for DELTA_EVERYTHING. Their columns are those of `table`,
 * which is locked; or, if it is invalid, those of the layout, which need not be.
 */
extern void rollup_log(const RollupTarget *target, Delta delta, Tuplestorestate *rows, Oid table);

/* Whether an UPDATE of a row changed anything that the query reads. */
extern bool rollup_differs(const RollupTarget *target, TupleDesc columns, TupleTableSlot *old,
                           TupleTableSlot *new);
/*
 * The rows before and after an UPDATE that differ in what the query reads; NULL: none. Whichever
 * stand beside each other: rows that are the same before and after add and take away the same.
 */
extern Tuplestorestate *rollup_changed_rows(const RollupTarget *target, TupleDesc columns,
                                            Tuplestorestate *before, Tuplestorestate *after);

#endif
