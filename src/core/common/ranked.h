/*
 * ranked.h - which is the k-th smallest number of a collection that gains and loses members?
 *
 * The numbers stand in sorted runs (sorted_runs.h): a member is added or removed in some ten
 * nanoseconds in any collection that fits the cache, and takes 8 to 32 bytes, plus one run. The
 * k-th smallest is found by adding up the lengths of runs.
 *
 * Interface: ranked_begin, _end, ranked_add, ranked_remove, ranked_at, ranked_quantile; `count` is
 * how many members there are.
 * Limitations: no NaN; -0 and 0 are one number. Beyond some ten million members adding up the
 * lengths takes longer than the rest.
 */
#ifndef RANKED_H
#define RANKED_H

#include "sorted_runs.h"

#define RANKED_RUN 512

typedef SortedRuns Ranked;

extern void ranked_begin(Ranked *ranked, const SketchMemory *memory);
extern void ranked_end(Ranked *ranked, const SketchMemory *memory);

/* One more of a number; it is not NaN. */
extern void ranked_add(Ranked *ranked, double number, const SketchMemory *memory);

/* One less of a number; false when there is none. */
extern bool ranked_remove(Ranked *ranked, double number, const SketchMemory *memory);

/* The k-th smallest, counted from 0; k is below `count`. */
extern double ranked_at(const Ranked *ranked, size_t k);

/*
 * Returns the number above a fraction q of the members, interpolated between two members as
 * by percentile_cont of SQL; there is at least one member, and 0 <= q <= 1.
 */
extern double ranked_quantile(const Ranked *ranked, double q);

#endif
