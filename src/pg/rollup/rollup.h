/*
 * rollup.h - what the files of live rollups share.
 *
 *   query.c       what a query reads, groups by and computes, or why it cannot be a rollup
 *   immutable.c   what depends on the time or on settings
 *   again.c       the query, read again from the text that it becomes
 *   merge.c       the aggregate that merges a column
 *   script.c      the script that makes a rollup, from template.sql
 *   find.c        which view is a rollup, and who may change it
 *   create.c      making and dropping
 *   refresh.c     refreshing, freezing, repairing
 *   health.c      what is wrong with one; list, status, check
 *   distributed.c rollups of tables that Citus distributes
 *   rows.c        rollups that follow single rows
 *   planner.c     what the planner has to believe of a list of groups
 *   writers.c     what triggers and refreshes ask about the writes of this session
 */
#ifndef ROLLUP_H
#define ROLLUP_H

#include "pg/shared/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* A column of the rollup, as SQL that names all schemas. */
typedef struct RollupColumn {
    const char *name; /* quoted */
    Oid type;
    const char *expression; /* of columns of the table */
    const char *computed;   /* the same where generated columns have no value */
    const char *key;        /* group: what two rows are compared by; aggregate: NULL */
    const char *merged;     /* aggregate: what merges it */
    bool is_scalar;
    bool is_exact; /* the same in whatever order parts are merged */
} RollupColumn;

typedef struct RollupQuery {
    Oid source;
    bool only;
    List *tables;         /* OIDs of the source and of all below it that are followed */
    List *columns;        /* of RollupColumn */
    RollupColumn *period; /* or NULL */
    const char *where, *computed_where;
    const char *read;     /* columns by which an UPDATE is seen; NULL: any UPDATE counts */
    List *numbers;        /* those columns */
    List *named;          /* numbers of the columns that the view names */
    const char *nullable; /* a group that can be NULL now, and could not when it was made */
} RollupQuery;

/* A rollup, existing or to be made, and the session of the function that works on it. */
typedef struct Rollup {
    Oid view, state, owner;
    const char *schema, *name; /* of the parts, which have this name and more */
    char *merge;
    bool each_row;
    bool is_distributed;
    const char *distribution; /* the column by which Citus distributes it; NULL: it does not */
    RollupQuery *query;
    Oid sketches; /* the schema of the extension */
    Oid user;
    int settings, context;
    char *datestyle;
    MemoryContext caller;
} Rollup;

/* Makes expressions become text, and text expressions, in the same way in all sessions. */
extern int rollup_pin_settings(void);

/* "a rollup cannot have ...": what and, after a colon, the way out. */
extern void rollup_refuse(const char *what);
extern void rollup_check_immutable(struct Node *expressions);

extern struct Query *rollup_parse(const char *text);
/* The query, as CREATE VIEW reads it from the text of its expressions. */
extern struct Query *rollup_read_again(RollupQuery *result, struct Query *query);
extern RollupQuery *rollup_analyze(struct Query *query, Oid stored, Jsonb *merge, Oid sketches);
extern void rollup_find_tables(RollupQuery *query);
/* The table that the caller's view NAME_query reads, and whether without those below it. */
extern Oid rollup_source_of(Oid query, bool *only);
/* The numbers of the columns that it names. */
extern List *rollup_named(struct Query *query, int source);
extern List *rollup_columns_of(Oid query);
extern const char *rollup_merge(struct Aggref *aggregate, const char *name, Jsonb *merge,
                                Oid sketches, bool *is_exact);

/* The statements of a section of the template; before the first one it is "create". */
extern List *rollup_statements(Rollup *rollup, const char *section);
/* A text in the language of the template; {table} and {triggers} are those of `table`. */
extern List *rollup_texts(Rollup *rollup, const char *text, const List *tables);
extern char *rollup_text(Rollup *rollup, const char *text, Oid table);
extern char *rollup_part(Rollup *rollup, const char *suffix); /* schema.name_suffix */
extern const char *rollup_relation_name(Oid table);
/* How rollup_drop takes it: by its view; when that is gone, by what is not another's. */
extern const char *rollup_called(Rollup *rollup);
/* A group that can be NULL, as an array of one. */
extern const char *rollup_in_array(const RollupColumn *group, const char *value);
extern void rollup_describe_type(Oid type, char **name, Oid *base, bool *not_null);

/* SQL; an answer is the first column of the first row. */
#define rollup_run(...) rollup_execute(psprintf(__VA_ARGS__))
#define rollup_ask(...) rollup_answer(psprintf(__VA_ARGS__))
#define rollup_ask_oid(...) rollup_answer_oid(psprintf(__VA_ARGS__))
extern void rollup_execute(const char *statement);
extern void rollup_execute_all(List *statements); /* one command at a time */
extern char *rollup_answer(const char *query);
extern Oid rollup_answer_oid(const char *query);

/* All that look like rollups. Anybody can make a state that names a view of others. */
#define ROLLUPS                                                                                    \
    "SELECT s.oid AS state, s.relowner AS state_owner, s.relname, s.relnamespace, v.oid AS view, " \
    "v.relowner AS view_owner"                                                                     \
    " FROM pg_attribute JOIN pg_class AS s ON s.oid = attrelid AND s.relkind = 'r'"                \
    " AND s.relpersistence <> 't'"                                                                 \
    " LEFT JOIN pg_attrdef AS a ON adrelid = attrelid AND adnum = attnum"                          \
    " LEFT JOIN pg_depend ON classid = 'pg_attrdef'::regclass AND objid = a.oid"                   \
    " AND refclassid = 'pg_class'::regclass AND refobjid <> adrelid"                               \
    " LEFT JOIN pg_class AS v ON v.oid = refobjid AND v.relkind = 'v'"                             \
    " WHERE attname = 'use_rollup_drop' AND atttypid = 'regclass'::regtype"                        \
    " AND s.relname ~ '._state$'"

/*
 * Whether an error says nothing about a rollup: conflicts of transactions, limits, locks,
 * cancelling, the system's and our own.
 */
extern bool rollup_is_passing(const ErrorData *error);

/* What the functions of users do: begin, find or make, become the owner by opening, end. */
extern Rollup *rollup_begin(FunctionCallInfo fcinfo);
extern bool rollup_find(Rollup *rollup, Oid view, Oid state);
/* Of one whose view is gone: Citus makes it anew when it takes tables apart, of the same name. */
extern Oid rollup_view_made_anew(const Rollup *rollup);
extern void rollup_open(Rollup *rollup); /* takes the query apart, if what that needs is there */
extern void rollup_become_owner(Rollup *rollup);
extern void rollup_read_state(Rollup *rollup); /* what kind of rollup it is */
extern void rollup_end(Rollup *rollup);
/* All of it but the end, for the owner of a whole rollup. */
extern Rollup *rollup_begin_change(FunctionCallInfo fcinfo);

extern _Noreturn void rollup_raise_unknown(const char *name);
extern void rollup_check_owner(const Rollup *rollup);
extern Oid rollup_part_oid(const Rollup *rollup, const char *suffix, char kind);
extern Oid rollup_owner_of(Oid relation); /* invalid: there is no such relation */

/* Keeps writers and new partitions away until the triggers are there. */
extern void rollup_lock_source(RollupQuery *query);
/* Locks the tables whose triggers are about to go, before anything of the rollup, as writers do. */
extern void rollup_lock_triggers(Rollup *rollup);

/* What is wrong, and the statement that mends it; NULL: nothing. */
extern char *rollup_problem(Rollup *rollup);

/* Sets how a new rollup is distributed, or finds how an existing one is. */
extern void rollup_distribute(Rollup *rollup);
extern void rollup_find_distribution(Rollup *rollup);
extern const char *rollup_size_of(const char *table);
/*
 * Whether this node has a relation as a shard of the table of a query, or of a partition of it; if
 * it must be, an error where Citus distributes that table.
 */
extern bool rollup_is_shard(Oid relation, Oid query, bool must_be);

extern void rollup_check_subscription(const RollupQuery *query);

/* Refuses triggers of a part that would run what others made as the caller. */
extern void rollup_check_part(Oid part);
extern void rollup_check_writes(Oid table);
extern void rollup_check_row_security(Oid table);

#endif
