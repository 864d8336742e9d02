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

#endif
