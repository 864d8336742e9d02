/*
 * from_exponential_histogram.c - exponential histograms of OpenTelemetry and native histograms of
 * Prometheus.
 *
 * The buckets are the same, so nothing is lost. Scale and index are OpenTelemetry's; Prometheus
 * calls the scale schema, and its indexes are one higher. The zero bucket becomes zeros, whatever
 * its width. OpenTelemetry's messages may have the minimum and the maximum, too. Export reads the
 * buckets with ddsketch_read.
 */
#include "ddsketch_internal.h"

static bool
check_counts(const HistogramCounts *counts, int scale, uint64_t *total, const SketchMemory *memory,
             SketchError *error)
{
    int32_t low = ddsketch_index_min(scale), high = ddsketch_index_max(scale);
    size_t steps = 0;

    for (uint32_t i = 0; i < counts->count; i++) {
        int64_t count = counts->counts[i], index = (int64_t)counts->offset + i;

        sketch_poll(memory, &steps, 1);
        if (count < 0)
            return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "A count is negative", count, 0,
                                       INT64_MAX);
        if (count > 0 && (index < low || index > high))
            return sketch_refuse_range(
                error, SKETCH_OUT_OF_RANGE,
                "A bucket lies outside the range of double precision (index)", index, low, high);
        if (!dd_check_total(*total, (uint64_t)count, error))
            return false;
        *total += (uint64_t)count;
    }
    return true;
}

static bool
add_counts(StateWriter *w, bool negative, const HistogramCounts *counts, SketchError *error)
{
    DdBlock block;

    for (uint32_t i = 0; i < counts->count;) {
        int32_t index = (int32_t)((int64_t)counts->offset + i);
        uint64_t all = 0;

        /* Empty buckets may even be out of range. */
        if (counts->counts[i] == 0) {
            i++;
            state_poll(w, 1);
            continue;
        }
        block = (DdBlock){.negative = negative, .number = index >> 4};
        for (unsigned at = index & (DDSKETCH_BLOCK - 1); at < DDSKETCH_BLOCK && i < counts->count;
             at++, i++)
            all |= block.counts[at] = (uint64_t)counts->counts[i];
        if (all > 0 && !dd_add_block(w, &block, error))
            return false;
        state_poll(w, DDSKETCH_BLOCK);
    }
    return true;
}

/* A single value is minimum and maximum. */
static bool
one_value(DdsketchExtremes *extremes, SketchError *error)
{
    if (isinf(extremes->min))
        extremes->min = isinf(extremes->max) ? extremes->min : extremes->max;
    else if (isinf(extremes->max))
        extremes->max = extremes->min;
    return extremes->min == extremes->max || isinf(extremes->min) ||
           sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                         "Of a single value minimum and maximum are not the same");
}

/* The extremes in the outer buckets; a zero bucket has nothing but zeros. */
static bool
place_extremes(SketchBytes state, const DdsketchGrid *grid, const ExponentialHistogram *h,
               DdsketchExtremes *extremes, const SketchMemory *memory, SketchError *error)
{
    double *const known[2] = {&extremes->min, &extremes->max};
    DdsketchBucket ends[2];

    *extremes = (DdsketchExtremes){h->min, h->max};
    /* As given: of zeros, what is known becomes 0. */
    if (isfinite(extremes->min) && isfinite(extremes->max) && extremes->min > extremes->max)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The minimum is above the maximum");
    if (!dd_outer_buckets(state, &ends[0], &ends[1], memory))
        return sketch_refuse_damaged(error);
    for (unsigned i = 0; i < 2; i++) {
        double least = nextafter(ddsketch_lower(grid, ends[i].index), INFINITY);
        double greatest = ddsketch_upper(grid, ends[i].index);

        if (isinf(*known[i]))
            continue;
        if (ends[i].sign == 0)
            *known[i] = 0;
        else if (!(ends[i].sign > 0 ? histogram_extreme(least, greatest, known[i])
                                    : histogram_extreme(-greatest, -least, known[i])))
            return sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                                 i == 0 ? "The minimum is not in the lowest bucket"
                                        : "The maximum is not in the highest bucket");
    }
    if (extremes->min > extremes->max)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The minimum is above the maximum");
    return true;
}

bool
ddsketch_from_exponential_histogram(const ExponentialHistogram *h, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error)
{
    DdsketchGrid grid = {.mapping = DDSKETCH_EXPONENTIAL, .scale = h->scale};
    uint64_t total = h->zeros < 0 ? 0 : (uint64_t)h->zeros;
    StateWriter w = {{NULL, 0}, NULL, memory, 0};
    DdPages *pages;
    bool good;

    if (h->scale < DDSKETCH_SCALE_MIN || h->scale > DDSKETCH_SCALE_MAX)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "Scale out of range", h->scale,
                                   DDSKETCH_SCALE_MIN, DDSKETCH_SCALE_MAX);
    if (h->zeros < 0)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "The count of zeros is negative",
                                   h->zeros, 0, INT64_MAX);
    if (!check_counts(&h->positive, h->scale, &total, memory, error) ||
        !check_counts(&h->negative, h->scale, &total, memory, error))
        return false;
    w.state = dd_new_pages(&grid, total > UINT32_MAX, 0, memory);
    good = add_counts(&w, false, &h->positive, error) && add_counts(&w, true, &h->negative, error);
    pages = state_at(w.state.data);
    pages->total = total;
    pages->zeros = (uint64_t)h->zeros;
    if (good && total > 0)
        good = place_extremes(sketch_bytes(w.state), &grid, h, &pages->state.extremes, memory,
                              error) &&
               (total > 1 || one_value(&pages->state.extremes, error));
    if (good)
        *value = ddsketch_ops.pack(sketch_bytes(w.state), memory);
    memory->release_value(w.state.data, memory->context);
    return good;
}
