/*
 * analyze.c - what ANALYZE keeps of columns of sets.
 *
 * SQL objects served: _roaring_typanalyze, _roaring64_typanalyze.
 *
 * Beside NULLs, width and distinct values, as for every type:
 *
 *     most_common_elems, most_common_elem_freqs   as of an array, with least and greatest frequency
 *     elem_count_histogram                        cardinalities, their average at the end
 *     a slot of our own, which pg_stats does not  numbers: average cardinality, distinct elements
 *     show                                        values: a histogram of the other elements
 *
 * The cardinality is in the header. Elements are sampled: of each set some, at equal distances of
 * rank from a random one on, each of which stands for as many as the distance. A set is fetched as a
 * whole for it, so if the sample's sets are more than FETCHED_BYTES, only some of them are read.
 *
 * An element is common if it was met in SEEN_LEAST sets or more and in a multiple of the average.
 * Fewer would be chance: of the elements that were met, those that were met too often would be kept.
 *
 * The number of distinct elements is estimated from the sample, as that of distinct values of
 * columns is: n d / (n - f1 + f1 n / N), of n sampled elements of N, with f1 of the d distinct ones
 * met once (Haas and Stokes, IBM Research Report RJ 10025).
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
#define SAMPLES (1 << 20) /* elements of all sets together */
#define SAMPLES_LEAST 16  /* of a set */
#define SEEN_LEAST 16     /* sets that have a common element, in the sample */
#define MORE_THAN_AVERAGE 1.25
#define COMMON_PER_TARGET 10 /* common elements for each unit of the statistics target */

typedef struct Element {
    uint64 value;
    float4 weight; /* elements that it stands for */
} Element;

/* An element that was met, with all that it stands for. */
typedef struct Met {
    uint64 value;
    uint32 seen;
    double weight;
} Met;

typedef struct Sample {
    VacAttrStats *stats;
    AnalyzeAttrFetchFunc fetch;
    int rows;
    int sets;        /* rows that are not NULL */
    int read;        /* sets whose elements were sampled */
    double bytes;    /* of all sets */
    Oid equal, less; /* operators of bigint */
    float4 *cardinality;
    double total; /* of the cardinalities */
    Element *elements;
    size_t count;
    Met *met;
    size_t distinct, once;
} Sample;

static int
compare_floats(const void *a, const void *b)
{
    float4 x = *(const float4 *)a, y = *(const float4 *)b;

    return x < y ? -1 : x > y;
}

static int
compare_elements(const void *a, const void *b)
{
    uint64 x = ((const Element *)a)->value, y = ((const Element *)b)->value;

    return x < y ? -1 : x > y;
}

static int
compare_met_by_value(const void *a, const void *b)
{
    uint64 x = ((const Met *)a)->value, y = ((const Met *)b)->value;

    return x < y ? -1 : x > y;
}

static int
compare_met_by_weight(const void *a, const void *b)
{
    double x = ((const Met *)a)->weight, y = ((const Met *)b)->weight;

    return x > y ? -1 : x < y ? 1 : compare_met_by_value(a, b);
}

static void
read_cardinalities(Sample *sample)
{
    sample->cardinality = palloc(Max(sample->rows, 1) * sizeof(float4));
    for (int i = 0; i < sample->rows; i++) {
        bool is_null;
        Datum datum = sample->fetch(sample->stats, i, &is_null);

        sketches_vacuum_delay_point();
        if (is_null)
            continue;
        sample->bytes += (double)toast_raw_datum_size(datum);
        sample->cardinality[sample->sets] =
            (float4)roaring_cardinality(sketch_value_header(datum), &sketch_memory);
        sample->total += sample->cardinality[sample->sets++];
    }
    qsort(sample->cardinality, sample->sets, sizeof(float4), compare_floats);
}

static void
sample_set(Sample *sample, SketchBytes set, int row, uint64 most)
{
    uint64 count = (uint64)roaring_cardinality(set, &sketch_memory);
    uint64 step = (count + most - 1) / most, *values = palloc(most * sizeof *values);
    size_t found;

    if (count > 0) {
        found = roaring_sample(set, murmurhash32((uint32)row) % step, step, values, (size_t)most,
                               &sketch_memory);
        for (size_t i = 0; i < found; i++)
            sample->elements[sample->count++] = (Element){values[i], (float4)step};
    }
    pfree(values);
}

/* Every n-th set is read, of those that come in the order of the table. */
static void
read_elements(Sample *sample)
{
    int every = (int)(sample->bytes / FETCHED_BYTES) + 1, nth = 0;
    uint64 most = (uint64)Max(SAMPLES / (sample->sets / every + 1), SAMPLES_LEAST);
    MemoryContext context =
        AllocSetContextCreate(CurrentMemoryContext, "sampled set", ALLOCSET_DEFAULT_SIZES);

    sample->elements =
        palloc_extended((Size)(sample->sets / every + 1) * most * sizeof(Element), MCXT_ALLOC_HUGE);
    for (int i = 0; i < sample->rows; i++) {
        bool is_null;
        Datum datum = sample->fetch(sample->stats, i, &is_null);
        MemoryContext old;

        if (is_null || nth++ % every != 0)
            continue;
        sketches_vacuum_delay_point();
        old = MemoryContextSwitchTo(context);
        sample_set(sample, sketch_pack(sketch_value(datum)), i, most);
        MemoryContextSwitchTo(old);
        MemoryContextReset(context);
        sample->read++;
    }
    MemoryContextDelete(context);
}

static void
count_elements(Sample *sample)
{
    qsort(sample->elements, sample->count, sizeof(Element), compare_elements);
    sample->met = palloc_extended((sample->count + 1) * sizeof(Met), MCXT_ALLOC_HUGE);
    for (size_t i = 0; i < sample->count; i++) {
        Met *last = &sample->met[sample->distinct];

        if (sample->distinct == 0 || sample->elements[i].value != last[-1].value) {
            *last = (Met){.value = sample->elements[i].value};
            sample->distinct++;
        } else
            last--;
        last->seen++;
        last->weight += sample->elements[i].weight;
    }
    for (size_t i = 0; i < sample->distinct; i++)
        sample->once += sample->met[i].seen == 1;
}

static double
estimate_distinct(const Sample *sample, double rows)
{
    double n = (double)sample->count, all = Max(sample->total / sample->rows * rows, n);
    double once = (double)sample->once;
    double width =
        sample->distinct > 0
            ? (double)(sample->met[sample->distinct - 1].value - sample->met[0].value) + 1
            : 1;
    double distinct = n - once + once * n / all;

    distinct = distinct > 0 ? n * (double)sample->distinct / distinct : all;
    return Max(Min(distinct, Min(all, width)), 1);
}

static void
keep_values(VacAttrStats *stats, int slot, Datum *values, int count)
{
    stats->stavalues[slot] = values;
    stats->numvalues[slot] = count;
    stats->statypid[slot] = INT8OID;
    stats->statyplen[slot] = sizeof(int64);
    stats->statypbyval[slot] = FLOAT8PASSBYVAL;
    stats->statypalign[slot] = 'd';
}

/*
 * Moves the common elements to the front, ascending, keeps them in a slot, and returns how many
 * there are.
 */
static int
keep_common(Sample *sample, int slot, int target, double distinct)
{
    double average = sample->total / sample->sets / distinct, least = 1, greatest = 0;
    int most = target * COMMON_PER_TARGET, count = 0;
    float4 *frequencies;
    Datum *values;

    qsort(sample->met, sample->distinct, sizeof(Met), compare_met_by_weight);
    while (count < most && (size_t)count < sample->distinct &&
           sample->met[count].seen >= SEEN_LEAST &&
           sample->met[count].weight / sample->read > MORE_THAN_AVERAGE * average)
        count++;
    qsort(sample->met, count, sizeof(Met), compare_met_by_value);
    if (count == 0)
        return 0;
    frequencies = palloc((count + 2) * sizeof *frequencies);
    values = palloc(count * sizeof *values);
    for (int i = 0; i < count; i++) {
        double frequency = Min(sample->met[i].weight / sample->read, 1);

        frequencies[i] = (float4)frequency;
        values[i] = Int64GetDatum((int64)sample->met[i].value);
        least = Min(least, frequency);
        greatest = Max(greatest, frequency);
    }
    frequencies[count] = (float4)least;
    frequencies[count + 1] = (float4)greatest;
    sample->stats->stakind[slot] = STATISTIC_KIND_MCELEM;
    sample->stats->staop[slot] = sample->equal;
    sample->stats->stanumbers[slot] = frequencies;
    sample->stats->numnumbers[slot] = count + 2;
    keep_values(sample->stats, slot, values, count);
    return count;
}

static void
keep_cardinalities(Sample *sample, int slot, int target)
{
    int bins = Max(Min(target, sample->sets - 1), 1);
    float4 *numbers = palloc((bins + 2) * sizeof *numbers);

    for (int i = 0; i <= bins; i++)
        numbers[i] = sample->cardinality[(int64)(sample->sets - 1) * i / bins];
    numbers[bins + 1] = (float4)(sample->total / sample->sets);
    sample->stats->stakind[slot] = STATISTIC_KIND_DECHIST;
    sample->stats->staop[slot] = sample->equal;
    sample->stats->stanumbers[slot] = numbers;
    sample->stats->numnumbers[slot] = bins + 2;
}

/*
 * Finds bounds of equal weight for the elements after the `common` ones; a single value, if there
 * are fewer than two of these.
 */
static void
keep_histogram(Sample *sample, int slot, int target, int common, double distinct)
{
    Met *others = sample->met + common;
    size_t count = sample->distinct - common, next = 0;
    int bins = (int)Min((size_t)target, Max(count, 1) - 1);
    Datum *values = palloc((bins + 1) * sizeof *values);
    float4 *numbers = palloc(2 * sizeof *numbers);
    double weight = 0, passed = 0;

    numbers[0] = (float4)(sample->total / sample->sets);
    numbers[1] = (float4)distinct;
    sample->stats->stakind[slot] = ROARING_STATISTIC_ELEMENTS;
    sample->stats->staop[slot] = sample->less;
    sample->stats->stanumbers[slot] = numbers;
    sample->stats->numnumbers[slot] = 2;
    if (bins < 1) {
        /* Numbers without a value could not be read together with it. */
        values[0] = Int64GetDatum(count > 0 ? (int64)others[0].value : 0);
        keep_values(sample->stats, slot, values, 1);
        return;
    }
    qsort(others, count, sizeof *others, compare_met_by_value);
    for (size_t i = 0; i < count; i++)
        weight += others[i].weight;
    for (int i = 0; i <= bins; i++) {
        /* As many are left as bounds to come. */
        while (next + (size_t)(bins - i) + 1 < count &&
               passed + others[next].weight <= weight * i / bins)
            passed += others[next++].weight;
        values[i] = Int64GetDatum((int64)others[i < bins ? next : count - 1].value);
        passed += others[next++].weight;
    }
    keep_values(sample->stats, slot, values, bins + 1);
}

static void
compute_stats(VacAttrStats *stats, AnalyzeAttrFetchFunc fetch, int sampled, double total)
{
    TypeCacheEntry *type = lookup_type_cache(INT8OID, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
    Sample sample = {.stats = stats,
                     .fetch = fetch,
                     .rows = sampled,
                     .equal = type->eq_opr,
                     .less = type->lt_opr};
    int target = sketches_statistics_target(stats), common, slot = 0;
    double distinct;
    MemoryContext old;

    sketch_compute_stats(stats, fetch, sampled, total);
    read_cardinalities(&sample);
    if (sample.sets == 0)
        return;
    read_elements(&sample);
    count_elements(&sample);
    distinct = estimate_distinct(&sample, total);
    old = MemoryContextSwitchTo(stats->anl_context);
    common = keep_common(&sample, slot, target, distinct);
    slot += common > 0;
    keep_cardinalities(&sample, slot++, target);
    keep_histogram(&sample, slot, target, common, distinct);
    MemoryContextSwitchTo(old);
}

PG_FUNCTION_INFO_V1(sketches_roaring_typanalyze);
Datum
sketches_roaring_typanalyze(PG_FUNCTION_ARGS)
{
    VacAttrStats *stats = (VacAttrStats *)PG_GETARG_POINTER(0);

    /* std_typanalyze decides how many rows are wanted. */
    if (!std_typanalyze(stats))
        PG_RETURN_BOOL(false);
    stats->compute_stats = compute_stats;
    PG_RETURN_BOOL(true);
}
