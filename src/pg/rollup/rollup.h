/*
 * rollup.h - what the files of live rollups share.
 *
 * What a query is, or why it cannot be a rollup
 *   pull_up.c     a subquery or WITH in FROM, put into the query that reads it
 *   apart.c       a query as people write it, as one of groups and aggregates that merge
 *   moments.c     deviations of exact numbers, from their sums
 *   flatten.c     FROM of a query with joins, in one shape
 *   joins.c       a table of facts that is joined to others
 *   references.c  what foreign keys and snapshots say of the rows that facts are joined to
 *   query.c       what a query reads, groups by and computes
 *   values.c      what is known of the values of an expression
 *   generated.c   generated columns
 *   immutable.c   what depends on the time or on settings
 *   again.c       the query, read again from the text that it becomes
 *   merge.c       the aggregate that merges a column
 *   level.c       a rollup that another one reads, and how its changes flow into that
 *
 * What a writer does
 *   trigger.c     the trigger of all rollups, and what it logs
 *   follower.c    which rollup a trigger is for
 *   moves.c       rows that move to another partition
 *   tree.c        the query, as its view keeps it
 *   delta.c       what rows that were written change, as a statement of that tree
 *   plans.c       which is planned once a session, and logs it
 *   rows.c        rollups that follow single rows
 *
 * What a reader does
 *   late.c        groups for which a reader reads the table, computed apart
 *   planner.c     what the planner has to believe of a list of groups
 *
 * What functions do
 *   session.c     who asks SQL, as whom
 *   parts.c       how the parts of a rollup know each other
 *   state.c       the only row of a rollup's state, read without a query
 *   find.c        which view is a rollup, and who may change it
 *   template.c    a text with names in braces, filled in
 *   columns.c     what template.sql names of columns
 *   script.c      the script that makes a rollup, from template.sql
 *   create.c      making and dropping
 *   refresh.c     refreshing, freezing, repairing
 *   change.c      how a new query differs
 *   alter.c       changing the query
 *   belongings.c  what belongs to a view that is made again
 *   health.c      what is wrong with one; list, status, check
 *   rights.c      what keeps a rollup from writing or reading
 *   distributed.c rollups of tables that Citus distributes
 */
#ifndef ROLLUP_H
#define ROLLUP_H

#include "pg/shared/compat.h"

#include "access/tupdesc.h"
#include "nodes/bitmapset.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"
#include "utils/uuid.h"

/* A column of the rollup, as SQL that names all schemas. */
typedef struct RollupColumn {
    const char *name; /* quoted */
    Oid type;
    const char *expression; /* of columns of the table */
    const char *guarded;    /* group: that, also of rows that WHERE leaves out */
    const char *alone;  /* where these are of the table of facts alone, without its alias; or NULL;
                        * of a level, of what is stored below */
    const char *logged; /* of a star: what is logged of a row that may not be in the result */
    const char *described; /* type and collation */
    const char *declared;  /* with its name */
    const char *key;       /* group: what two rows are compared by; aggregate: NULL */
    bool never_null;       /* of a group */
    bool has_one_image;    /* see rollup_has_one_image() */
    const char *merged;    /* aggregate: what merges it */
    const char *flow;      /* aggregate of a level: what waits below adds to it */
    const char *since;     /* the first period of which it is known; NULL: all */
    bool is_filling;       /* not stored yet in groups up to unfilled of the state */
    bool is_scalar;
    bool is_exact; /* the same in whatever order parts are merged */
} RollupColumn;

/* A table that is joined: number i + 2 of the query, as rollup_flatten() leaves it. */
typedef struct RollupJoin {
    Oid table;
    bool is_left;
    const char *name, *alias;
    const char *on, *by; /* the conditions; those of them that compare keys */
    List *keys;          /* numbers of the columns by which its row is found */
    AttrNumber beside;   /* a column of the facts that is compared with one of them; or 0 */
    Bitmapset *behind;   /* the tables between the facts and it */
} RollupJoin;

typedef struct RollupQuery {
    Oid source; /* whose writes are followed */
    bool only;
    List *tables;         /* OIDs of the source and of all below it that are followed */
    List *joins;          /* of RollupJoin, to the source; NIL: it is read alone */
    List *columns;        /* of RollupColumn */
    RollupColumn *period; /* or NULL */
    const char *where;
    List *named;                            /* numbers of the columns of the table that it names */
    const char *from, *source_only, *alias; /* as text: all of FROM, the source in it, its alias */
    List *context;                          /* for rollup_deparse() */
    struct Node *where_facts, *is_there;    /* of a star: conditions; NULL: there are none */
    const char *nullable; /* a group that can be NULL now, and could not when it was made */
    /* The table or view in FROM; of a level, the rollup that this is, with whose rows as source. */
    Oid read;
    struct Rollup *below;
    bool flows;             /* what waits below adds to groups; else it marks them */
    const char *flow_where; /* WHERE, as far as it is known of what waits */
} RollupQuery;

/* ---- parts.c: what a rollup is made of, beside its state ---- */

typedef enum RollupPart {
    ROLLUP_VIEW,    /* what is read */
    ROLLUP_QUERY,   /* the query, as a view */
    ROLLUP_LOG,     /* what has changed since the last refresh */
    ROLLUP_ROWS,    /* what was stored then */
    ROLLUP_FRESH,   /* the groups that the log names, as they are now */
    ROLLUP_LATE,    /* those of them for which the table is read; of partitioned tables only */
    ROLLUP_BOUNDS,  /* on Citus, what all shards need to know */
    ROLLUP_PARTS,   /* where columns are computed from what is kept: that; else the view is */
    ROLLUP_LIVE,    /* where columns are not stored yet: the others; else the view or PARTS is */
    ROLLUP_FILLING, /* these columns */
    /* Of a level: what waits below, as it has it; that, and its log; the state of what it reads. */
    ROLLUP_FLOW,
    ROLLUP_CHANGES,
    ROLLUP_BELOW,
    ROLLUP_JOINED,  /* of a star: keys of rows that changed in tables that are joined */
    ROLLUP_TOUCHED, /* the groups that facts with these keys are in, as far as facts know */
    ROLLUP_WRITTEN, /* what is logged of new facts */
    ROLLUP_PART_COUNT
} RollupPart;

/* Columns of the state, of which a part is the default. */
extern const char *const rollup_part_names[ROLLUP_PART_COUNT];

extern void rollup_read_parts(Oid state, Oid *parts);
/* The state in the condition of a trigger, or InvalidOid; is_moved: it is for rows that move. */
extern Oid rollup_state_in(const char *condition, bool *is_moved);

extern bool rollup_is_below_itself(Oid state);
extern struct Node *rollup_default_of(Oid table, const char *column);

/*
 * The number of how rollups are stored: raised when what rollup_create makes changes so that what
 * is there has to. 0: before it had one, when parts were known by name.
 */
#define ROLLUP_FORM 1

/* An error if the form of a rollup is newer than ours. */
extern void rollup_check_form(Oid state);

/* ---- state.c ---- */

/* The number of a column of the state; 0: it has none of this type. */
extern AttrNumber rollup_state_column(Oid state, const char *name, Oid type);

/*
 * Reads a column of the state's only row as it is now, whatever the transaction sees, and takes off
 * the caller's lock. False: there is no row.
 */
extern bool rollup_read_cell(Oid state, AttrNumber number, Datum *value, bool *is_null);

/* Whether the state has this secret, which only who may read the rollup can know. */
extern bool rollup_has_secret(Oid state, const pg_uuid_t *secret);

/* ---- session.c: who asks SQL, as whom ---- */

typedef struct RollupUser {
    Oid user;
    int context;
} RollupUser;

/* A rollup, existing or to be made, and the session of the function that works on it. */
typedef struct Rollup {
    Oid view, state, owner;
    Oid parts[ROLLUP_PART_COUNT];
    const char *schema, *name; /* of the view, and so of parts that are still to be made */
    const char *taken[ROLLUP_PART_COUNT + 1]; /* what those are called; the last one is the state */
    int form;
    const char *shown;  /* what the view shows of its parts, of one to be made; NULL: all of them */
    const char *having; /* which of its groups */
    bool is_altered;    /* the state has what rollup_alter adds */
    bool makes_live;
    const char *called; /* the view, while it is not there */
    List *labels;       /* names of its columns, other than those that it has */
    char *merge;
    bool each_row;
    bool is_distributed;
    const char *token;
    const char *distribution; /* the column by which Citus distributes it; NULL: it does not */
    RollupQuery *query;
    Oid sketches; /* the schema of the extension */
    RollupUser by;
    int settings;
    char *datestyle;
    MemoryContext caller;
} Rollup;

extern RollupUser rollup_act_as(Oid owner);
extern void rollup_act_again(RollupUser caller);

/* Makes expressions become text, and text expressions, in the same way in all sessions. */
extern int rollup_pin_settings(void);

/* "a rollup cannot have ...": what and, after a colon, the way out. */
extern void rollup_refuse(const char *what);
/* Of expressions of a query. */
extern void rollup_check_immutable(struct Node *expressions, const struct Query *query);
/* An expression of a query, as it could be written. */
extern const char *rollup_written(struct Node *node, const struct Query *query);
/* Refuses what a query, or one below it in FROM, cannot have. */
extern void rollup_check_clauses(const struct Query *query, bool is_below);

/* ---- pull_up.c ---- */

/* Makes a query one over its table alone, or over a star; the table is number 1. */
extern void rollup_pull_up(struct Query *query);
/* Puts a query into one that reads it as that number of its range table. */
extern void rollup_put_in(struct Query *query, int number, const struct Query *lower);
/* Columns of that number become the expressions of these. */
extern struct Node *rollup_put_columns(struct Node *node, int number, List *targets);

/* ---- apart.c: a query as people write it ---- */

typedef struct RollupApart {
    struct Query *query; /* of groups and parts, for rollup_analyze(); the source is number 1 */
    const char *shown;   /* what the view shows of them; NULL: all of them */
    const char *having;  /* of which of its groups; NULL: of all */
    List *columns;       /* what it shows, as RollupColumns */
    List *readers;       /* as rollup_readers_of() finds them */
} RollupApart;

/*
 * A query, taken apart. known: columns of the query of a rollup that is there, whose table is
 * number 1, as TargetEntries; aggregates that are among them keep their names. readers: of each of
 * these, the names of columns that its view computes of it, as Strings; or NIL. shown: of a level,
 * the view below, if that is computed of parts, which known columns read; or invalid. Expressions
 * that are compared are evaluated: who is at work must be who could have made them.
 */
extern RollupApart rollup_take_apart(struct Query *query, List *known, List *readers, Oid shown,
                                     Oid sketches);
/* Of each of a relation's columns, as Strings: what is computed of it, and "having". */
extern List *rollup_readers_of(List *targets, struct Node *having, int source, int count);
/* Expressions over a relation of these columns, as text. */
extern List *rollup_context_of(const List *names);
/* Refuses what is shown if its text means something else. */
extern void rollup_read_shown_again(const List *parts, const List *shown, struct Node *having,
                                    const RollupApart *texts);
extern bool rollup_means_same(struct Node *one, struct Node *other);

/* ---- flatten.c, joins.c: a star ---- */

/* Gives FROM of a query one shape; of a new one, the table of facts is found. */
extern void rollup_flatten(struct Query *query, bool is_new);
/* "a rollup cannot have ...", and what its FROM can be. */
extern _Noreturn void rollup_refuse_join(const char *what);

/* Of a flat query: the columns of a table by which it is joined. */
extern List *rollup_keys_of(const struct Query *query, int number);
/*
 * The conditions by which it is joined; the column of it that one of them compares with what is
 * known without it, or 0; and the column of another table beside it, or NULL.
 */
extern List *rollup_join_conditions(const struct Query *query, int number);
extern AttrNumber rollup_column_of(struct Node *condition, int number);
extern struct Var *rollup_column_beside(struct OpExpr *comparison, int number);
extern bool rollup_is_of_facts(struct Node *expression);
/*
 * Whether a group is known of facts alone, and can be computed of those, too, that joins or
 * conditions leave out: what is logged where they are not known is about such groups.
 */
extern bool rollup_is_marked(const struct Query *query, struct Node *group);
/*
 * Sets how expressions over its tables become text, and what is said of joins. Of a row that all
 * joins keep, is_there says whether it is one of the query.
 */
extern void rollup_describe_from(RollupQuery *result, struct Query *query, int source);
extern const char *rollup_logged(const RollupQuery *result, const struct TargetEntry *column,
                                 bool is_marked);
/* An expression over its tables as text. */
extern const char *rollup_deparse(const RollupQuery *query, struct Node *expression);

/* ---- references.c ---- */

/* Whether what finds the rows of a table that is joined has a foreign key to it. */
extern bool rollup_is_referenced(const struct Query *query, int number);
/*
 * Whether the owner, who is at work, finds all rows of tables that are joined of which nobody has
 * logged that they may be missed. Locks the tables.
 */
extern bool rollup_finds_joined(Oid facts, const List *joins);

/*
 * Whether the file of a table, which is locked, is another one than in a snapshot: TRUNCATE or
 * ALTER TABLE wrote it anew. if_unknown: what is said of a table that is newer than the snapshot.
 */
extern bool rollup_was_rewritten(Oid table, Snapshot snapshot, bool if_unknown);

/* ---- tree.c: the query, as its view keeps it ---- */

extern struct Query *rollup_query_of(Oid view);
/* Its columns, as TargetEntries over its source as number 1. */
extern List *rollup_targets_of(Oid view);
/* Without a lock: what changes it has that of the rollup's view first. */
extern struct Query *rollup_peek_query(Oid view);
/* A table as the relcache has it, which is not locked; closed by RelationClose(). */
extern struct RelationData *rollup_peek(Oid table);
/* Its columns. */
extern TupleDesc rollup_columns_of(Oid table);

/* ---- query.c ---- */

extern struct Query *rollup_parse(const char *text);
/* The query, as CREATE VIEW reads it from the text of its expressions. */
extern struct Query *rollup_read_again(RollupQuery *result, struct Query *query);
extern RollupQuery *rollup_analyze(struct Query *query, Oid stored, Jsonb *merge, Oid sketches);
extern void rollup_find_tables(RollupQuery *query);
/* Those, and the tables that are joined. */
extern List *rollup_all_tables(const RollupQuery *query);
/* The number of the table in its range table, and the table. */
extern int rollup_source_number(const struct Query *query);
extern Oid rollup_source_of(const struct Query *query);
/* The lowest or highest period of a type. */
extern const char *rollup_bound(Oid type, bool is_highest);
extern Datum rollup_read_bound(Oid type, const char *text);
extern const char *rollup_merge(struct Aggref *aggregate, const char *written, const char *name,
                                Jsonb *merge, Oid sketches, bool *is_exact);

/* ---- values.c: what is known of the values of an expression ---- */

/* Of a call of a function or an operator: the function, and its arguments. */
extern bool rollup_is_call(struct Node *node, Oid *function, List **arguments);
/* Whether it is never NULL, as far as it is one that makes groups. */
extern bool rollup_never_null(struct Node *node, const RollupQuery *query);
/* Whether an integer is rounded, as an epoch to its hour. */
extern bool rollup_is_rounded(struct Node *integer);
/* Whether it calls functions that users made. */
extern bool rollup_calls_users(struct Node *node);
/* Whether equal values of a type are the same, as 1.0 and 1.00 are not. */
extern bool rollup_has_one_image(Oid type, Oid collation);
/*
 * Whether it raises no error, whatever values its columns have, but for times far from any in use.
 * Generated columns have to be expanded, if they are computed when they are read.
 */
extern bool rollup_cannot_fail(struct Node *node);

/* ---- generated.c ---- */

/* Generated columns of a table, by its number, as their expressions. */
extern struct Node *rollup_expand_generated(struct Node *node, int source, Oid table);
/* Refuses those of number 1 that partitions compute in another way, or by users' functions. */
extern void rollup_check_generated(struct Query *query, List *tables);

/* ---- level.c: rollups of rollups ---- */

/* Takes the view that a query reads for a rollup, or refuses it; has it read what is kept there. */
extern void rollup_open_below(RollupQuery *level, struct Query *query, bool is_new, Oid sketches);
/* Finds how changes flow into a level, of which columns and WHERE read table 1. */
extern void rollup_describe_flow(RollupQuery *level, const struct Query *query, List *context);
/* The parts of the rollup that a level reads; all are invalid, if it is none, or it is broken. */
extern void rollup_read_below(const Oid *parts, Oid *below);
/* The state of the rollup that a query reads; invalid: it reads a table. */
extern Oid rollup_below_of(const struct Query *query);
/*
 * The view of the rollup that one reads; a bound of one is a bound of the other, if is_alike. Sets
 * the state of the one that reads.
 */
extern Oid rollup_view_below(FunctionCallInfo fcinfo, Oid view, Oid *state, bool *is_alike);
/* Refuses, if one reads it; hint: what can be done, other than to drop that. */
extern void rollup_check_levels(Rollup *rollup, const char *hint);
/* Whether a refresh is storing these rows, of which what flows has been logged. */
extern bool rollup_is_storing(Oid rows);

/* The statements of a section of the template; before the first one it is "create". */
extern List *rollup_statements(Rollup *rollup, const char *section);
/* A text in the language of the template; of tables, {table} and {triggers} are those of each. */
extern char *rollup_text(Rollup *rollup, const char *text);
extern List *rollup_texts(Rollup *rollup, const char *text, const List *tables);
/* Whether it has a part, or gets it; the view of stored rows and log. */
extern bool rollup_has(const Rollup *rollup, RollupPart part);
extern RollupPart rollup_live(const Rollup *rollup);
/* The name of a part, also of one that is to be made; of the state: ROLLUP_PART_COUNT. */
extern const char *rollup_part(Rollup *rollup, int part);
extern const char *rollup_relation_name(Oid table);
/* How rollup_drop takes it: by its view; when that is gone, by what is not another's. */
extern const char *rollup_called(Rollup *rollup);
/* A group that can be NULL, as an array of one. */
extern const char *rollup_in_array(const RollupColumn *group, const char *value);
/* Type and collation of an expression. */
extern const char *rollup_describe(struct Node *expression);
extern void rollup_describe_type(Oid type, char **name, Oid *base, bool *not_null);

/* SQL; an answer is the first column of the first row. */
#define rollup_run(...) rollup_execute(psprintf(__VA_ARGS__))
#define rollup_ask(...) rollup_answer(psprintf(__VA_ARGS__))
#define rollup_ask_oid(...) rollup_answer_oid(psprintf(__VA_ARGS__))
extern void rollup_execute(const char *statement);
extern void rollup_execute_all(List *statements); /* one command at a time */
extern char *rollup_answer(const char *query);
extern Oid rollup_answer_oid(const char *query);

/*
 * Whether an error says nothing about a rollup: conflicts of transactions, limits, locks,
 * cancelling, the system's and our own.
 */
extern bool rollup_is_passing(const ErrorData *error);

/* What the functions of users do: begin, find or make, become the owner by opening, end. */
extern Rollup *rollup_begin(FunctionCallInfo fcinfo);
extern bool rollup_find(Rollup *rollup, Oid view, Oid state);
/* The state that names a relation as a part: its owner's, if there are several. */
extern Oid rollup_state_of(Oid relation, RollupPart part);
/* Its state and parts, without a lock. Who waits for that may find that the view was made again. */
extern Oid rollup_peek_parts(Oid view, Oid *parts);
/* What the state and the view NAME_filling say of columns that came later. */
extern void rollup_mark_columns(Rollup *rollup);
/* Of one whose view is gone: Citus makes it anew when it takes tables apart, of the same name. */
extern Oid rollup_view_made_anew(const Rollup *rollup);
extern void rollup_find_made_anew(Rollup *rollup); /* with the parts that were made anew, too */
/* From the default, which only the owner changes: a right to update the state may be granted. */
extern char *rollup_read_merge(const Rollup *rollup);
extern void rollup_open(Rollup *rollup); /* takes the query apart, if what that needs is there */
extern void rollup_become_owner(Rollup *rollup);
extern bool rollup_read_state(Rollup *rollup); /* what kind of rollup it is */
extern void rollup_end(Rollup *rollup);
/* All of it but the end, for the owner of a whole rollup; state: what was found to be its. */
extern Rollup *rollup_begin_change(FunctionCallInfo fcinfo, bool mends);
extern Rollup *rollup_begin_change_of(FunctionCallInfo fcinfo, Oid view, Oid state, bool mends);
/* What is wrong with its parts, so that nothing else can be looked at; NULL: nothing. */
extern char *rollup_damage(Rollup *rollup);

extern _Noreturn void rollup_raise_unknown(const char *name);
extern void rollup_check_owner(const Rollup *rollup);
extern Oid rollup_owner_of(Oid relation); /* invalid: there is no such relation */

/* Keeps writers and new partitions away until the triggers are there. */
extern void rollup_lock_source(RollupQuery *query);
/*
 * Drops its triggers, of which it locks the tables before anything else, as writers do, and the
 * index of a level.
 */
extern void rollup_drop_triggers(Rollup *rollup);

/* What is wrong, and the statement that mends it; NULL: nothing. */
extern char *rollup_problem(Rollup *rollup);
/* Whether all tables have their triggers, whatever else is wrong. */
extern bool rollup_has_triggers(Rollup *rollup);

/* Sets how a new rollup is distributed, or finds how an existing one is. */
extern void rollup_distribute(Rollup *rollup);
extern void rollup_find_distribution(Rollup *rollup);
extern bool rollup_is_in_citus(Oid table);
extern const char *rollup_size_of(const char *table);
/* What triggers of a distributed rollup have instead of the number of its state. */
extern const char *rollup_token(Rollup *rollup);
/* Refreshes a shard of the log, as a refresh has written into the bounds. */
extern void rollup_fold_shard(Oid bounds, Oid log, Oid shard);
/* Has all shards compute everything from the rows. */
extern void rollup_mark_distributed(Oid bounds);

/* What merges columns of its query, as the user gives it. */
extern void rollup_take_merge(Rollup *rollup, const Jsonb *merge);
/* Of one whose query was changed: whether all columns are stored, for all who read; then, that
 * its view reads what is stored again. */
extern bool rollup_is_filled(Rollup *rollup);
extern void rollup_settle(Rollup *rollup);
/* Whether the owner can compute the query, before writers have to. */
extern void rollup_try(Rollup *rollup);
extern void rollup_make_again(Rollup *rollup, bool marks);

/* ---- belongings.c ---- */

/*
 * What belongs to a view, as statements that give it back. labels: the names that its columns will
 * have, by their numbers; NULL: it goes.
 */
extern char *rollup_belongings(Oid view, const List *labels, bool is_dropped);
/* Drops a view, or has it depend on nothing until it is replaced. */
extern void rollup_put_away(const Rollup *rollup, Oid *view, bool is_dropped);
/* Gives a view what belonged to it, if it is there again. */
extern void rollup_give_back(Oid view, bool was_dropped, char *belongings);

/* Refuse tables that are written without their statement triggers. */
extern void rollup_check_subscription(const RollupQuery *query);
extern void rollup_check_parents(Rollup *rollup);
/* Refuses what a new star cannot be. */
extern void rollup_check_star(Rollup *rollup);

/* Refuses what of a part would run what others made as the caller: triggers, foreign keys to it. */
extern void rollup_check_part(Oid part);
extern void rollup_check_writes(Oid table);
/* What the owner, who is at work, may not do, with the statement that mends it; NULL: nothing. */
extern char *rollup_missing_right(const Rollup *rollup);
/* Whether row-level security hides rows of a table from the owner, who is at work. */
extern bool rollup_is_hidden(Oid table);
extern void rollup_check_row_security(Oid table);

#endif
