/*
 * analyze.c - what ANALYZE keeps of columns of sketches.
 *
 * SQL objects served, one C function for every type T: _T_typanalyze.
 *
 * The share of NULLs, the width and the number of distinct values, which GROUP BY and joins are
 * planned with. No most common values: a hundred sketches would make the catalog large.
 *
 * Values are told apart by their bytes as they lie in the row. What is out of line is not fetched:
 * two toast pointers differ, and so do, nearly always, the values behind them.
 */
#include "analyze.h"

#include <math.h>

#include "common/hashfn.h"
#include "miscadmin.h"

#include "core/common/sort.h"

/*
 * Estimates how many distinct values `total` have, from a sorted sample: n d / (n - f1 + f1 n /
 * N), where f1 of the d distinct ones were seen once. This is the estimator Duj1 of Haas and
 * Stokes (IBM Research Report RJ 10025).
 */
static double
estimate_distinct(const uint64 *sorted, size_t count, double total)
{
    double n = (double)count, distinct = 0, once = 0;

    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && sorted[next] == sorted[i];)
            next++;
        distinct++;
        once += next == i + 1;
    }
    return Min(n * distinct / (n - once + once * n / total), total);
}

void
sketch_compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled, double total)
{
    uint64 *hashes = palloc(Max(sampled, 1) * sizeof *hashes);
    uint64 *other = palloc(Max(sampled, 1) * sizeof *other);
    double width = 0, distinct;
    int values = 0;

    for (int i = 0; i < sampled; i++) {
        bool is_null;
        const void *value = DatumGetPointer(fetch(stats, i, &is_null));

        CHECK_FOR_INTERRUPTS();
        if (is_null)
            continue;
        width += VARSIZE_ANY(value);
        hashes[values++] = DatumGetUInt64(hash_any_extended(value, (int)VARSIZE_ANY(value), 0));
    }
    if (sampled == 0)
        return;
    stats->stats_valid = true;
    stats->stanullfrac = (float4)((double)(sampled - values) / sampled);
    if (values == 0)
        return;
    stats->stawidth = (int32)(width / values);
    sort_u64(hashes, values, other, &sketch_memory);
    total *= 1 - stats->stanullfrac;
    distinct = rint(estimate_distinct(hashes, values, total));
    /* Many are expected to grow with the table: kept as a share of its rows, which is negative. */
    if (distinct > 0.1 * total)
        distinct = -(distinct / total) * (1 - stats->stanullfrac);
    stats->stadistinct = (float4)distinct;
}

Datum
sketch_typanalyze(VacAttrStats *stats, AnalyzeAttrComputeStatsFunc compute)
{
    /* std_typanalyze decides how many rows are wanted. */
    if (!std_typanalyze(stats))
        PG_RETURN_BOOL(false);
    stats->compute_stats = compute;
    PG_RETURN_BOOL(true);
}

SQL_FUNCTION(sketches_typanalyze,
             sketch_typanalyze((VacAttrStats *)PG_GETARG_POINTER(0), sketch_compute_stats));
