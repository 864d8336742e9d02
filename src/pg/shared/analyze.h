/*
 * analyze.h - what ANALYZE computes for every type, for types that add to it.
 */
#ifndef SHARED_ANALYZE_H
#define SHARED_ANALYZE_H

#include "glue.h"

#include "commands/vacuum.h"

extern void sketch_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled,
                                 double total);

#endif
