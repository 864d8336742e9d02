/*
 * change.h - what change.c finds, for alter.c.
 */
#ifndef ROLLUP_CHANGE_H
#define ROLLUP_CHANGE_H

#include "pg/rollup/rollup.h"

/* What becomes of the query. */
typedef struct Change {
    RollupQuery *query; /* the new one, with its columns as they are stored */
    List *old, *after;  /* the columns that are stored; what each becomes, or NULL: it goes */
    List *added;
    List *copied;  /* of those added, what has the same of frozen groups, or NULL */
    List *visible; /* what the view shows of its parts; NIL: all of them */
    const char *having;
    bool drops;        /* a column */
    bool is_redefined; /* a column that stays */
    bool is_stale;     /* all groups that are not frozen */
} Change;

/* What a column that goes is called, as no column is. */
#define ROLLUP_GONE "rollup_gone"

/* What becomes of the query of a rollup; refuses what cannot change. */
extern Change *rollup_compare(Rollup *rollup, RollupQuery *new, const RollupApart *apart);
/* What a column that is stored will be called; NULL: it goes. */
extern const char *rollup_name_after(const Change *change, const RollupColumn *column);
/*
 * Sets what the view shows: what it has first, by the names of the new query. Returns what becomes
 * of the names that it has; NULL: it goes.
 */
extern List *rollup_choose_visible(Rollup *rollup, const Change *change);
/* The name of a view's column, quoted. */
extern const char *rollup_label_of(Oid view, int number);
/* Those of RollupColumns; of NULL: NULL. */
extern List *rollup_names_of(const List *columns);

#endif
