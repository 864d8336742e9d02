/*
 * value_distribution.c - how often integers occur in a column, from its statistics.
 *
 * A column of integers has most common values and a histogram of the others. A column of sets has
 * the same of its elements, by analyze.c: most common elements, and a histogram of the others.
 *
 * What the planner wants to know is which share of the rows a set of integers matches. Common
 * values are looked up in the set. For the others the set is counted bin by bin. A bin holds the
 * same share of the rows as every other, and some number of distinct values; this number is at most
 * the bin's width and at most its rows, and is otherwise taken in proportion to the width. So a
 * narrow bin of a skewed column has few values of many rows, and a bin of a unique column has as
 * many values as rows.
 *
 * Sets are mostly made of values that the column has: then c values of a bin with d distinct ones
 * match c/d of its rows. If a set has more values in a bin than the column, as a range over ids with
 * gaps has, it was not made from the column: then its share of the bin's width counts. A set that is
 * independent of the column without having more values is found by the bounds of the bins, which are
 * values of the column: if far fewer of them are in the set than expected, the estimate is scaled.
 */
#include "value_distribution.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#define MORE_THAN_COLUMN 1.1     /* times as many values in a bin as the column: not made from it */
#define ROWS_SAMPLED_PER_BIN 150 /* half of what ANALYZE takes: there are two ends */
#define RARE 1e-10               /* frequency of a value that is outside of all bins */
#define BOUNDS_EXPECTED 20       /* in the set, before the bounds are trusted to contradict */

static int64
integer_of(Datum datum, Oid type)
{
    return type == INT2OID   ? DatumGetInt16(datum)
           : type == INT4OID ? DatumGetInt32(datum)
                             : DatumGetInt64(datum);
}

static bool
is_integer(Oid type)
{
    return type == INT2OID || type == INT4OID || type == INT8OID;
}

typedef struct Common {
    int64 value;
    double frequency;
} Common;

static int
compare_commons(const void *a, const void *b)
{
    int64 x = ((const Common *)a)->value, y = ((const Common *)b)->value;

    return x < y ? -1 : x > y;
}

static void
read_common(Distribution *distribution, const AttStatsSlot *slot)
{
    Common *all = palloc(Max(slot->nvalues, 1) * sizeof *all);

    for (int i = 0; i < slot->nvalues; i++)
        all[i] = (Common){integer_of(slot->values[i], slot->valuetype), slot->numbers[i]};
    qsort(all, slot->nvalues, sizeof *all, compare_commons);
    distribution->commons = slot->nvalues;
    distribution->common = palloc(Max(slot->nvalues, 1) * sizeof(int64));
    distribution->frequency = palloc(Max(slot->nvalues, 1) * sizeof(double));
    for (int i = 0; i < slot->nvalues; i++) {
        distribution->common[i] = all[i].value;
        distribution->frequency[i] = all[i].frequency;
        distribution->common_total += all[i].frequency;
    }
    pfree(all);
}

/* Values below 0, which no set has, are left out of the bounds, not of the bins. */
static void
read_histogram(Distribution *distribution, const AttStatsSlot *slot)
{
    if (slot->nvalues < 2)
        return;
    distribution->bins = slot->nvalues - 1;
    distribution->bounds = palloc(slot->nvalues * sizeof(uint64));
    for (int i = 0; i < slot->nvalues; i++)
        distribution->bounds[i] = (uint64)Max(integer_of(slot->values[i], slot->valuetype), 0);
    distribution->bounds[slot->nvalues - 1]++;
}

static double
bin_width(const Distribution *distribution, int i)
{
    return (double)(distribution->bounds[i + 1] - distribution->bounds[i]);
}

/*
 * Divides the distinct values among the bins: `share` of the width of each, but at most `rows`. The
 * share is found by bisection.
 */
static void
divide_distinct(Distribution *distribution, double rows)
{
    double low = 0, high = 1, most = Max(rows / Max(distribution->bins, 1), 1);

    distribution->bin_distinct = palloc(Max(distribution->bins, 1) * sizeof(double));
    for (int step = 0; step < 50; step++) {
        double share = (low + high) / 2, sum = 0;

        for (int i = 0; i < distribution->bins; i++) {
            distribution->bin_distinct[i] = Min(bin_width(distribution, i) * share, most);
            sum += distribution->bin_distinct[i];
        }
        if (sum < distribution->distinct)
            low = share;
        else
            high = share;
    }
}

Distribution
roaring_integer_distribution(VariableStatData *variable, Oid function)
{
    Distribution distribution = {.cardinality = 1};
    double rows = variable->rel ? variable->rel->tuples : 0;
    bool is_default;
    AttStatsSlot slot;

    if (HeapTupleIsValid(variable->statsTuple) &&
        statistic_proc_security_check(variable, function)) {
        distribution.nulls = ((Form_pg_statistic)GETSTRUCT(variable->statsTuple))->stanullfrac;
        if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
                             ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
            if (is_integer(slot.valuetype))
                read_common(&distribution, &slot);
            free_attstatsslot(&slot);
        }
        if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
                             ATTSTATSSLOT_VALUES)) {
            if (is_integer(slot.valuetype))
                read_histogram(&distribution, &slot);
            free_attstatsslot(&slot);
        }
    }
    distribution.rest = Max(1 - distribution.nulls - distribution.common_total, 0);
    distribution.distinct =
        Max(get_variable_numdistinct(variable, &is_default) - distribution.commons, 1);
    divide_distinct(&distribution, Max(rows * distribution.rest, distribution.distinct));
    return distribution;
}

bool
roaring_element_distribution(VariableStatData *variable, Oid function, Distribution *distribution)
{
    AttStatsSlot slot;

    *distribution = (Distribution){.cardinality = 0};
    if (!HeapTupleIsValid(variable->statsTuple) ||
        !statistic_proc_security_check(variable, function) ||
        !get_attstatsslot(&slot, variable->statsTuple, ROARING_STATISTIC_ELEMENTS, InvalidOid,
                          ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
        return false;
    distribution->nulls = ((Form_pg_statistic)GETSTRUCT(variable->statsTuple))->stanullfrac;
    if (slot.nnumbers == 2) {
        distribution->cardinality = slot.numbers[0] * (1 - distribution->nulls);
        distribution->distinct = slot.numbers[1];
    }
    read_histogram(distribution, &slot);
    free_attstatsslot(&slot);
    if (get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_MCELEM, InvalidOid,
                         ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS)) {
        read_common(distribution, &slot);
        for (int i = 0; i < distribution->commons; i++)
            distribution->frequency[i] *= 1 - distribution->nulls;
        distribution->common_total *= 1 - distribution->nulls;
        free_attstatsslot(&slot);
    }
    distribution->rest = Max(distribution->cardinality - distribution->common_total, 0);
    distribution->distinct = Max(distribution->distinct - distribution->commons, 1);
    divide_distinct(distribution, distribution->distinct * Max(distribution->bins, 1));
    return true;
}

/* ---- one value ---- */

/* Where the value is, or would be, among the common ones. */
static int
find_common(const Distribution *distribution, int64 value)
{
    int low = 0, high = distribution->commons;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (distribution->common[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Frequency of an uncommon value of bin i; of any value if there are no bins. */
static double
rest_frequency(const Distribution *distribution, int i)
{
    if (distribution->bins == 0)
        return distribution->rest / distribution->distinct;
    return distribution->rest / distribution->bins / Max(distribution->bin_distinct[i], 1);
}

bool
roaring_is_common(const Distribution *distribution, int64 value)
{
    int i = find_common(distribution, value);

    return i < distribution->commons && distribution->common[i] == value;
}

double
roaring_frequency(const Distribution *distribution, int64 value)
{
    int i = 0;

    if (roaring_is_common(distribution, value))
        return distribution->frequency[find_common(distribution, value)];
    if (value < 0)
        return 0;
    if (distribution->bins == 0)
        return rest_frequency(distribution, 0);
    if ((uint64)value < distribution->bounds[0] ||
        (uint64)value >= distribution->bounds[distribution->bins])
        return 0;
    while ((uint64)value >= distribution->bounds[i + 1])
        i++;
    return rest_frequency(distribution, i);
}

/* ---- a set ---- */

/* False, too, where the set is damaged: an estimate does without it. */
static bool
has_value(SketchBytes set, int64 value)
{
    bool found;

    return value >= 0 && roaring_contains(set, (uint64)value, &found) && found;
}

/* `values` of the set, of which the column has `shared`. */
static void
add_matches(Matches *matches, double values, double shared, double frequency)
{
    frequency = Min(Max(frequency, RARE), 1 - RARE);
    matches->sum += shared * frequency;
    matches->none *= exp(shared * log1p(-frequency));
    matches->logarithms += values * log(frequency);
}

/* Estimates the distinct column values common to a bin and `count` values of a set. */
static double
shared_values(const Distribution *distribution, int i, double count)
{
    double distinct = distribution->bin_distinct[i], width = bin_width(distribution, i);

    if (count > MORE_THAN_COLUMN * distinct)
        return distinct * Min(count / width, 1);
    return Min(count, distinct);
}

/* Counts the set by bins, the common values left out. */
static bool
count_by_bins(const Distribution *distribution, SketchBytes set, double *counts)
{
    RoaringSpans spans =
        roaring_spans(set, distribution->bounds, (size_t)distribution->bins, &sketch_memory);
    RoaringSpan span;

    memset(counts, 0, distribution->bins * sizeof *counts);
    while (roaring_next_span(&spans, &span))
        counts[span.range] += span.count;
    for (int i = 0, bin = 0; i < distribution->commons; i++) {
        int64 value = distribution->common[i];

        while (bin < distribution->bins && value >= 0 &&
               (uint64)value >= distribution->bounds[bin + 1])
            bin++;
        if (bin < distribution->bins && value >= 0 && (uint64)value >= distribution->bounds[bin] &&
            counts[bin] >= 1 && has_value(set, value))
            counts[bin]--;
    }
    return !spans.cursor.damaged;
}

/* Returns a factor up to 1: how much less set and column have in common than counts say. */
static double
scale_by_bounds(const Distribution *distribution, SketchBytes set, const double *counts)
{
    double expected = 0, found = 0;

    for (int i = 0; i < distribution->bins; i++) {
        expected +=
            shared_values(distribution, i, counts[i]) / Max(distribution->bin_distinct[i], 1);
        found += has_value(set, (int64)distribution->bounds[i]);
    }
    return expected >= BOUNDS_EXPECTED && found < expected / 2 ? found / expected : 1;
}

bool
roaring_matches(const Distribution *distribution, SketchBytes set, Matches *matches)
{
    double *counts = palloc(Max(distribution->bins, 1) * sizeof *counts);
    double others = (double)roaring_cardinality(set, &sketch_memory), scale, outside;

    *matches = (Matches){.none = 1};
    for (int i = 0; i < distribution->commons; i++) {
        int64 value = distribution->common[i];

        if (!has_value(set, value))
            continue;
        add_matches(matches, 1, 1, distribution->frequency[i]);
        others--;
    }
    others = Max(others, 0);
    if (distribution->bins == 0) {
        add_matches(matches, others, Min(others, distribution->distinct),
                    rest_frequency(distribution, 0));
        return true;
    }
    if (!count_by_bins(distribution, set, counts))
        return false;
    scale = scale_by_bounds(distribution, set, counts);
    for (int i = 0; i < distribution->bins; i++) {
        add_matches(matches, counts[i], scale * shared_values(distribution, i, counts[i]),
                    rest_frequency(distribution, i));
        others -= counts[i];
    }
    /* A sample's ends are not the column's: some values are outside. */
    others = Max(others, 0);
    outside = Min(others, distribution->distinct / distribution->bins / ROWS_SAMPLED_PER_BIN);
    add_matches(matches, outside, outside, distribution->rest / distribution->distinct);
    add_matches(matches, others - outside, 0, RARE);
    pfree(counts);
    return true;
}
