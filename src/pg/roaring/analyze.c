/*
 * analyze.c - what ANALYZE keeps of columns of sets.
 *
 * SQL objects served: _roaring_typanalyze, _roaring64_typanalyze.
 *
 * Beside NULLs, width and distinct values, as for every type:
 *
 *     most_common_elems, most_common_elem_freqs   as of an array, with the lowest and the highest
 *                                                 frequency
 *     elem_count_histogram                        cardinalities, their average at the end
 *     a slot of our own, which pg_stats does not  the number of distinct elements; as values a
 *     show                                        histogram of the others
 *
 * The cardinality is in the header. Elements are sampled: every n-th of a set, beginning at
 * random. That takes whole sets; of more than FETCHED_BYTES only some are fetched.
 *
 * An element is common if it was seen at least MIN_SEEN times, and more often than the average.
 * Which of the others were seen often is chance.
 */
#include "value_distribution.h"
#include "pg/shared/analyze.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#define FETCHED_BYTES (64 * 1024 * 1024)
#define SAMPLED_ELEMENTS (1 << 20) /* of all sets together */
#define MIN_SEEN 16                /* samples of a common element */
#define MORE_THAN_AVERAGE 1.25
#define COMMON_PER_TARGET 10 /* common elements for each unit of the statistics target */

typedef struct Sample {
    VacAttrStats *stats;
    AnalyzeAttrFetchFunc fetch;
    int rows, sets;        /* sets are rows that are not NULL */
    uint64 *cardinalities; /* of the sets, ascending */
    double bytes, total;   /* of all sets; elements of all sets */

    int read;    /* sets whose elements were sampled */
    uint64 step; /* elements that each sampled one stands for */
    uint64 *elements;
    size_t count;
} Sample;

/* ---- sampling ---- */

static void
read_cardinalities(Sample *sample)
{
    sample->cardinalities = palloc(Max(sample->rows, 1) * sizeof(uint64));
    for (int i = 0; i < sample->rows; i++) {
        bool is_null;
        Datum datum = sample->fetch(sample->stats, i, &is_null);
        int64 cardinality;

        sketches_vacuum_delay_point();
        if (is_null)
            continue;
        cardinality = roaring_cardinality(sketch_value_header(datum), &sketch_memory);
        sample->bytes += (double)toast_raw_datum_size(datum);
        sample->total += (double)cardinality;
        sample->cardinalities[sample->sets++] = (uint64)cardinality;
    }
    sketch_sort(sample->cardinalities, sample->sets);
}

/* Samples every n-th set, in the order of the table, if they are too large together. */
static void
read_elements(Sample *sample)
{
    int every = (int)(sample->bytes / FETCHED_BYTES) + 1, nth = 0;
    /* The sets that are read may be larger than the average. */
    size_t room = (size_t)Min(sample->total, 2.0 * SAMPLED_ELEMENTS);
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "sampled set", ALLOCSET_DEFAULT_SIZES);

    sample->step = (uint64)(sample->total / every / SAMPLED_ELEMENTS) + 1;
    sample->elements = palloc(Max(room, 1) * sizeof(uint64));
    for (int i = 0; i < sample->rows; i++) {
        bool is_null;
        Datum datum = sample->fetch(sample->stats, i, &is_null);
        MemoryContext old;

        if (is_null || nth++ % every != 0)
            continue;
        sketches_vacuum_delay_point();
        old = MemoryContextSwitchTo(context);
        sample->count += roaring_sample(
            sketch_pack(sketch_value(datum)), murmurhash32((uint32)i) % sample->step, sample->step,
            sample->elements + sample->count, room - sample->count, &sketch_memory);
        MemoryContextSwitchTo(old);
        MemoryContextReset(context);
        sample->read++;
    }
    MemoryContextDelete(context);
}

/* The next distinct element from `*at` on, and how often it was seen; false at the end. */
static bool
next_distinct(const Sample *sample, size_t *at, uint64 *element, size_t *seen)
{
    size_t begin = *at;

    if (begin == sample->count)
        return false;
    *element = sample->elements[begin];
    while (*at < sample->count && sample->elements[*at] == *element)
        ++*at;
    *seen = *at - begin;
    return true;
}

/* Counts the distinct elements that were seen `min_seen` times or more. */
static size_t
count_distinct(const Sample *sample, size_t min_seen)
{
    size_t at = 0, count = 0, seen;
    uint64 element;

    while (next_distinct(sample, &at, &element, &seen))
        count += seen >= min_seen;
    return count;
}

/* Estimates the distinct elements of the column: at most as many as fit between its ends. */
static double
estimate_distinct(const Sample *sample, double rows)
{
    double all = Max(sample->total / sample->rows * rows, (double)sample->count);

    if (sample->count == 0)
        return 1;
    return Min(sketch_estimate_distinct(sample->elements, sample->count, all),
               (double)(sample->elements[sample->count - 1] - sample->elements[0]) + 1);
}

/* ---- what is kept ---- */

static void
keep(Sample *sample, int slot, int kind, float4 *numbers, int count, Datum *values, int value_count)
{
    VacAttrStats *stats = sample->stats;

    stats->stakind[slot] = (int16)kind;
    stats->staop[slot] = lookup_type_cache(INT8OID, TYPECACHE_EQ_OPR)->eq_opr;
    stats->stanumbers[slot] = numbers;
    stats->numnumbers[slot] = count;
    stats->stavalues[slot] = values;
    stats->numvalues[slot] = value_count;
    stats->statypid[slot] = INT8OID;
    stats->statyplen[slot] = sizeof(int64);
    stats->statypbyval[slot] = FLOAT8PASSBYVAL;
    stats->statypalign[slot] = 'd';
}

/*
 * Keeps the common elements, the most frequent ones if there are too many, and leaves the others
 * in the sample. Returns true if there was one.
 */
static bool
keep_common(Sample *sample, int slot, int target, double distinct)
{
    const double share = (double)sample->step / sample->read;
    double average = sample->total / sample->sets / distinct;
    size_t min_seen = (size_t)Max(MIN_SEEN, MORE_THAN_AVERAGE * average / share + 1);
    size_t at = 0, others = 0, seen, room, count = 0;
    uint64 element;
    float4 *numbers, low = 1, high = 0;
    Datum *values;

    while ((room = count_distinct(sample, min_seen)) > (size_t)target * COMMON_PER_TARGET)
        min_seen += min_seen / 16 + 1;
    numbers = palloc((room + 2) * sizeof *numbers);
    values = palloc(room * sizeof *values);
    while (next_distinct(sample, &at, &element, &seen)) {
        if (seen < min_seen) {
            memmove(sample->elements + others, sample->elements + at - seen, seen * sizeof element);
            others += seen;
            continue;
        }
        numbers[count] = (float4)Min(seen * share, 1);
        low = Min(low, numbers[count]);
        high = Max(high, numbers[count]);
        values[count++] = Int64GetDatum((int64)element);
    }
    sample->count = others;
    if (count == 0)
        return false;
    numbers[count] = low;
    numbers[count + 1] = high;
    keep(sample, slot, STATISTIC_KIND_MCELEM, numbers, (int)count + 2, values, (int)count);
    return true;
}

static void
keep_cardinalities(Sample *sample, int slot, int target)
{
    int bins = Max(Min(target, sample->sets - 1), 1);
    float4 *numbers = palloc((bins + 2) * sizeof *numbers);

    for (int i = 0; i <= bins; i++)
        numbers[i] = (float4)sample->cardinalities[(int64)(sample->sets - 1) * i / bins];
    numbers[bins + 1] = (float4)(sample->total / sample->sets);
    keep(sample, slot, STATISTIC_KIND_DECHIST, numbers, bins + 2, NULL, 0);
}

/*
 * Keeps a histogram of the elements that are left in the sample. Its bounds ascend even where one
 * element fills several bins. Without bins there is one value, or the number could not be read.
 */
static void
keep_histogram(Sample *sample, int slot, int target, double distinct)
{
    int bins = (int)Min((size_t)target, Max(count_distinct(sample, 1), 1) - 1);
    Datum *values = palloc0((bins + 1) * sizeof *values);
    float4 *number = palloc(sizeof *number);
    uint64 bound = 0;

    *number = (float4)distinct;
    for (int i = 0; i <= bins && sample->count > 0; i++) {
        bound = Max(sample->elements[(sample->count - 1) * i / Max(bins, 1)], bound + (i > 0));
        values[i] = Int64GetDatum((int64)Min(bound, PG_INT64_MAX));
    }
    keep(sample, slot, ROARING_STATISTIC_ELEMENTS, number, 1, values, bins + 1);
}

static void
compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled, double total)
{
    Sample sample = {.stats = stats, .fetch = fetch, .rows = sampled};
    int target = sketches_statistics_target(stats), slot = 0;
    double distinct;
    MemoryContext old;

    sketch_compute_stats(stats, fetch, sampled, total);
    read_cardinalities(&sample);
    if (sample.sets == 0)
        return;
    read_elements(&sample);
    sketch_sort(sample.elements, sample.count);
    distinct = estimate_distinct(&sample, total);
    old = MemoryContextSwitchTo(stats->anl_context);
    slot += keep_common(&sample, slot, target, distinct);
    keep_cardinalities(&sample, slot++, target);
    keep_histogram(&sample, slot, target, distinct);
    MemoryContextSwitchTo(old);
}

SQL_FUNCTION(sketches_roaring_typanalyze,
             sketch_typanalyze((VacAttrStats *)PG_GETARG_POINTER(0), compute_stats));
