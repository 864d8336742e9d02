/*
 * value_distribution.c - how often integers occur in a column, from its statistics.
 *
 * A column of integers has most common values and a histogram of the others. A column of sets has
 * the same of its elements, by analyze.c. Common values are looked up in a set; the set's other
 * values are counted bin by bin. Every bin stands for the same share of the rows, and is taken to
 * have as many distinct values as the others, but no more than its width: a narrow bin of a skewed
 * column has few values, of many rows each.
 *
 * Sets are mostly made of values that the column has: then c values of a bin with d distinct ones
 * match c/d of its rows. A set with more values in a bin than the column was not made from it, as
 * a range over ids with gaps: it matches the share of the bin's width that it covers.
 */
#include "value_distribution.h"

#include <math.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#define MORE_THAN_COLUMN 1.1 /* times as many values in a bin as the column: not made from it */

/* ---- reading statistics ---- */

/* False for statistics that the user must not see, too. */
static bool
has_statistics(VariableStatData *variable, Oid function, Distribution *distribution)
{
    if (!HeapTupleIsValid(variable->statsTuple) ||
        !statistic_proc_security_check(variable, function))
        return false;
    distribution->nulls = ((Form_pg_statistic)GETSTRUCT(variable->statsTuple))->stanullfrac;
    return true;
}

/* Reads a slot of pg_statistic if its values are integers. */
static bool
read_slot(VariableStatData *variable, int kind, int flags, AttStatsSlot *slot)
{
    if (!get_attstatsslot(slot, variable->statsTuple, kind, InvalidOid, flags))
        return false;
    if (slot->valuetype == INT2OID || slot->valuetype == INT4OID || slot->valuetype == INT8OID)
        return true;
    free_attstatsslot(slot);
    return false;
}

static int64
value_at(const AttStatsSlot *slot, int i)
{
    return slot->valuetype == INT2OID   ? DatumGetInt16(slot->values[i])
           : slot->valuetype == INT4OID ? DatumGetInt32(slot->values[i])
                                        : DatumGetInt64(slot->values[i]);
}

/* Reads the common values and takes their frequencies from the rest. */
static void
read_common(Distribution *distribution, VariableStatData *variable, int kind)
{
    AttStatsSlot slot;

    if (!read_slot(variable, kind, ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS, &slot))
        return;
    distribution->commons = slot.nvalues;
    distribution->common = palloc(slot.nvalues * sizeof(int64));
    distribution->frequency = palloc(slot.nvalues * sizeof(double));
    for (int i = 0; i < slot.nvalues; i++) {
        distribution->common[i] = value_at(&slot, i);
        distribution->frequency[i] = slot.numbers[i];
        distribution->rest -= slot.numbers[i];
    }
    distribution->rest = Max(distribution->rest, 0);
    free_attstatsslot(&slot);
}

/*
 * Reads a histogram; one of elements comes with their number. Values below 0, which no set has,
 * are left out of the bounds, not of the bins.
 */
static bool
read_histogram(Distribution *distribution, VariableStatData *variable, int kind, double *elements)
{
    AttStatsSlot slot;

    if (!read_slot(variable, kind, ATTSTATSSLOT_VALUES | (elements ? ATTSTATSSLOT_NUMBERS : 0),
                   &slot))
        return false;
    if (elements)
        *elements = slot.numbers[0];
    distribution->bins = slot.nvalues - 1;
    distribution->bounds = palloc(slot.nvalues * sizeof(uint64));
    for (int i = 0; i < slot.nvalues; i++)
        distribution->bounds[i] = (uint64)Max(value_at(&slot, i), 0);
    distribution->bounds[distribution->bins]++;
    free_attstatsslot(&slot);
    return true;
}

Distribution
roaring_integer_distribution(VariableStatData *variable, Oid function)
{
    Distribution distribution = {.rest = 1};
    bool is_default;

    if (has_statistics(variable, function, &distribution)) {
        distribution.rest -= distribution.nulls;
        read_common(&distribution, variable, STATISTIC_KIND_MCV);
        read_histogram(&distribution, variable, STATISTIC_KIND_HISTOGRAM, NULL);
    }
    distribution.distinct =
        Max(get_variable_numdistinct(variable, &is_default) - distribution.commons, 1);
    return distribution;
}

bool
roaring_element_distribution(VariableStatData *variable, Oid function, Distribution *distribution)
{
    AttStatsSlot slot;

    *distribution = (Distribution){.cardinality = 0};
    if (!has_statistics(variable, function, distribution) ||
        !get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_DECHIST, InvalidOid,
                          ATTSTATSSLOT_NUMBERS))
        return false;
    distribution->quantiles = slot.nnumbers - 1;
    distribution->quantile = palloc(slot.nnumbers * sizeof(float4));
    memcpy(distribution->quantile, slot.numbers, slot.nnumbers * sizeof(float4));
    distribution->cardinality = distribution->rest = slot.numbers[slot.nnumbers - 1];
    free_attstatsslot(&slot);
    if (!read_histogram(distribution, variable, ROARING_STATISTIC_ELEMENTS,
                        &distribution->distinct))
        return false;
    read_common(distribution, variable, STATISTIC_KIND_MCELEM);
    distribution->distinct = Max(distribution->distinct - distribution->commons, 1);
    return true;
}

/* ---- sets ---- */

/* False, too, where the set is damaged: an estimate does without it. */
static bool
has_value(SketchBytes set, int64 value)
{
    bool found;

    return value >= 0 && roaring_contains(set, (uint64)value, &found) && found;
}

/* Adds `one` to the count of the bin of each value; false for a damaged set. */
static bool
count_by_bins(const Distribution *distribution, SketchBytes set, double one, double *counts)
{
    RoaringSpans spans =
        roaring_spans(set, distribution->bounds, (size_t)distribution->bins, &sketch_memory);
    RoaringSpan span;

    while (roaring_next_span(&spans, &span))
        counts[span.range] += one * span.count;
    return !spans.cursor.damaged;
}

bool
roaring_matches(const Distribution *distribution, SketchBytes set, Matches *matches)
{
    const int bins = distribution->bins;
    double others = (double)roaring_cardinality(set, &sketch_memory), none = 1, rest;
    double *counts = palloc0(bins * sizeof *counts);
    uint64 *common = palloc(distribution->commons * sizeof *common);
    size_t shared = 0;

    *matches = (Matches){.all = 1};
    for (int i = 0; i < distribution->commons; i++)
        if (has_value(set, distribution->common[i])) {
            matches->sum += distribution->frequency[i];
            matches->all *= distribution->frequency[i];
            none *= 1 - Min(distribution->frequency[i], 1);
            common[shared++] = (uint64)distribution->common[i];
        }
    others = Max(others - (double)shared, 0);
    if (bins > 0 && (!count_by_bins(distribution, set, 1, counts) ||
                     !count_by_bins(distribution, roaring_set_of(SKETCH_ROARING64, common, shared),
                                    -1, counts)))
        return false;
    rest = bins == 0 ? Min(others / distribution->distinct, 1) : 0;
    for (int i = 0; i < bins; i++) {
        double width = Max(distribution->bounds[i + 1] - distribution->bounds[i], 1);
        double distinct = Max(Min(distribution->distinct / bins, width), 1);
        bool made_from_column = counts[i] <= MORE_THAN_COLUMN * distinct;

        rest += Min(counts[i] / (made_from_column ? distinct : width), 1) / bins;
    }
    rest *= distribution->rest;
    matches->sum += rest;
    if (others > 0)
        matches->all *= pow(Min(rest / others, 1), others);
    matches->any = 1 - none * exp(-rest);
    return true;
}

double
roaring_expected_common(const Distribution *a, const Distribution *b)
{
    double common = a->rest * b->rest / Max(a->distinct, b->distinct);

    for (int i = 0, j = 0; i < a->commons && j < b->commons;) {
        if (a->common[i] == b->common[j])
            common += a->frequency[i] * b->frequency[j];
        a->common[i] <= b->common[j] ? i++ : j++;
    }
    return common;
}

double
roaring_all_within(const Distribution *distribution, const Matches *matches)
{
    double p = Min(matches->sum / Max(distribution->cardinality, 1e-10), 1), sum = 0;

    for (int i = 0; i < distribution->quantiles; i++)
        sum += pow(p, distribution->quantile[i]);
    return sum / distribution->quantiles;
}
