/*
 * ranked.h - which is the k-th smallest number of a collection that gains and loses members?
 *
 * The numbers stand in order, divided into runs of at most RANKED_RUN. Adding or removing one takes
 * a search among the first numbers of the runs, a search inside a run, and a move of the rest of
 * that run: some ten nanoseconds in any collection that fits the cache. The k-th smallest is found
 * by adding up the lengths of runs.
 *
 * A full run is split in halves. A run that lost a number is joined with a neighbour if both
 * together are at most three quarters full. So any two neighbours have more than half a run of
 * numbers together: halves that were just split have it alone, and two runs that lose numbers are
 * joined before they fall below. Hence runs are at least a quarter full on average, and a
 * collection takes 8 to 32 bytes a number, and one run more.
 *
 * Interface: ranked_begin, _end, ranked_add, ranked_remove, ranked_at, ranked_quantile; `count` is
 * how many members there are.
 * Limitations: no NaN; -0 and 0 are one number. Beyond some ten million members the array of runs
 * takes most of the time; a tree over them would help.
 */
#ifndef RANKED_H
#define RANKED_H

#include "core/sketch.h"

#define RANKED_RUN 512

typedef struct RankedRun {
    double *number; /* room for a full run */
    size_t count;   /* at least 1 */
} RankedRun;

typedef struct Ranked {
    RankedRun *run;
    size_t runs;
    size_t room;  /* for runs */
    size_t count; /* of numbers */
} Ranked;

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
