/*
 * planner.h - what the support functions of several types share.
 */
#ifndef SHARED_PLANNER_H
#define SHARED_PLANNER_H

#include "glue.h"

/*
 * Returns the C function that a function of SQL calls, to be compared with ours. A function that
 * PostgreSQL wraps, because of its SET options for example, is none of ours.
 */
extern PGFunction sketch_c_function(Oid function);

/*
 * Finds the function that calls `called`, has arguments of these types, and has the same support
 * function as `sibling`; InvalidOid if there is none.
 */
extern Oid sketch_supported_function(Oid sibling, PGFunction called, const Oid *types, int count);

/* Between 0 and 1, as the planner insists: sums of rounded shares are not. */
static inline double
sketch_probability(double estimate)
{
    return estimate >= 0 ? Min(estimate, 1) : 0;
}

#endif
