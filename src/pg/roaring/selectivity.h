/*
 * selectivity.h - what the planner is told of conditions with sets.
 */
#ifndef PG_ROARING_SELECTIVITY_H
#define PG_ROARING_SELECTIVITY_H

#include "value_distribution.h"

#include "nodes/pathnodes.h"

/* A set as far as the planner knows it. */
typedef struct KnownSet {
    bool constant; /* `set` is it, packed, or was when the planner asked for it */
    SketchBytes set;
    bool from_column;    /* else: of a column, whose statistics are known */
    Distribution column; /* of its elements */
    double cardinality;  /* in both cases; average */
    double largest;      /* of those that ANALYZE has seen */
} KnownSet;

extern bool roaring_is_integer(Node *expression);

/* Reads the set of an expression; false for a NULL set. */
extern bool roaring_known_set(PlannerInfo *root, Node *expression, Oid function, KnownSet *known);

/*
 * The fraction of the rows for which a call of `function` is true. Its two arguments are an integer
 * and a set, or two sets, as their types say.
 */
extern double roaring_selectivity(PlannerInfo *root, Oid function, List *args);

#endif
