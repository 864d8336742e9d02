/*
 * analyze.c - what ANALYZE keeps of columns of sets.
 *
 * SQL objects served: _roaring_typanalyze, _roaring64_typanalyze.
 *
 * Beside NULLs, width and distinct values, as for every type: the number of values of the smallest
 * and the largest set, and their average, which are in the headers. They stand where an array has
 * its own: elem_count_histogram of pg_stats.
 */
#include "roaring_pg.h"
#include "pg/shared/analyze.h"

#include "catalog/pg_statistic.h"

static void
compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled, double total)
{
    double least = 0, largest = 0, sum = 0;
    int sets = 0;
    float4 *numbers;

    sketch_compute_stats(stats, fetch, sampled, total);
    for (int i = 0; i < sampled; i++) {
        bool is_null;
        Datum set = fetch(stats, i, &is_null);
        double cardinality;

        sketches_vacuum_delay_point();
        if (is_null)
            continue;
        cardinality = (double)roaring_cardinality(sketch_value_header(set), &sketch_memory);
        least = sets++ == 0 ? cardinality : Min(least, cardinality);
        largest = Max(largest, cardinality);
        sum += cardinality;
    }
    if (sets == 0)
        return;
    numbers = MemoryContextAlloc(stats->anl_context, 3 * sizeof *numbers);
    numbers[0] = (float4)least;
    numbers[1] = (float4)largest;
    numbers[2] = (float4)(sum / sets);
    stats->stakind[0] = STATISTIC_KIND_DECHIST;
    stats->stanumbers[0] = numbers;
    stats->numnumbers[0] = 3;
}

SQL_FUNCTION(sketches_roaring_typanalyze,
             sketch_typanalyze((VacAttrStats *)PG_GETARG_POINTER(0), compute_stats));
