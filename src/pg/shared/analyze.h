/*
 * analyze.h - what ANALYZE computes for every type, for types that add to it.
 */
#ifndef SHARED_ANALYZE_H
#define SHARED_ANALYZE_H

#include "glue.h"

#include "commands/vacuum.h"

/* The result of a typanalyze function; statistics are computed by `compute`. */
extern Datum sketch_typanalyze(VacAttrStats *stats, AnalyzeAttrComputeStatsFunc compute);

/* NULLs, width and distinct values. */
extern void sketch_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled,
                                 double total);

extern void sketch_sort(uint64 *numbers, size_t count);

/*
 * Estimates how many distinct values `total` have, from a sorted sample: n d / (n - f1 + f1 n /
 * N), where f1 of the d distinct ones were seen once. This is the estimator Duj1 of Haas and
 * Stokes (IBM Research Report RJ 10025).
 */
extern double sketch_estimate_distinct(const uint64 *sorted, size_t count, double total);

#endif
