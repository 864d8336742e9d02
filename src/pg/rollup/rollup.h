/*
 * rollup.h - what the files of live rollups share.
 *
 *   query.c       what a query reads, groups by and computes, or why it cannot be a rollup
 *   merge.c       the aggregate that merges a column
 *   script.c      the script that makes a rollup, from template.sql
 *   rollup.c      the functions that users call
 *   distributed.c rollups of tables that Citus distributes
 *   rows.c        rollups that follow single rows
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
    bool is_scalar, is_period;
    bool is_exact; /* the same in whatever order parts are merged */
} RollupColumn;

typedef struct RollupQuery {
    Oid source;
    bool only;
    List *tables;  /* OIDs of the source and of all below it that are followed */
    List *columns; /* of RollupColumn */
    const char *where, *computed_where;
    const char *read;     /* columns by which an UPDATE is seen; NULL: any UPDATE counts */
    List *numbers;        /* those columns */
    const char *nullable; /* a group that can be NULL now, and could not when it was made */
} RollupQuery;

/* A rollup, existing or to be made. */
typedef struct Rollup {
    Oid view, state, owner;
    const char *schema, *name; /* of the parts, which have this name and more */
    char *merge;
    bool each_row;
    bool is_distributed;
    const char *distribution; /* of its columns, that by which Citus distributes it; or NULL */
    RollupQuery *query;
} Rollup;

/* Makes expressions become text, and text expressions, in the same way in all sessions. */
extern int rollup_pin_settings(void);

extern struct Query *rollup_parse(const char *text);
extern RollupQuery *rollup_analyze(struct Query *query, Oid stored, Jsonb *merge, Oid sketches);
extern void rollup_find_tables(RollupQuery *query);
extern const char *rollup_merge(struct Aggref *aggregate, const char *name, Jsonb *merge,
                                Oid sketches, bool *is_exact);

/* The statements of a section of the template; with a NULL section, all but the refresh. */
extern List *rollup_statements(Rollup *rollup, const char *section, Oid sketches);
extern char *rollup_part(Rollup *rollup, const char *suffix); /* schema.name_suffix */
extern char *rollup_text(Rollup *rollup, const char *part, Oid table, Oid sketches);
extern const char *rollup_relation_name(Oid table);
extern void rollup_describe_type(Oid type, char **name, Oid *base, bool *not_null);

extern void rollup_distribute(Rollup *rollup);
extern const char *rollup_distribution(Oid rows);
extern const char *rollup_apart(const Rollup *rollup);
extern void rollup_pin_citus(void);
extern const char *rollup_size_of(const char *table);
extern const char *rollup_status_query(Rollup *rollup, const RollupColumn *period,
                                       const char *problem);
extern const char *rollup_check_query(Rollup *rollup, const char *columns,
                                      const RollupColumn *period, Oid sketches);

/* The subscription that fills a table of the query, or NULL. */
extern const char *rollup_subscription(const RollupQuery *query, const char **table);
extern void rollup_check_subscription(const RollupQuery *query);

extern void rollup_check_writes(Oid source);
extern void rollup_check_row_security(Oid table);

#endif
