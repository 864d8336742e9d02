/*
 * import.c - how a sketch of another system becomes a digest.
 *
 * Other systems store the extremes in addition to centroids of more than one value. Here they are
 * centroids of their own, so one value of the weight of the outer centroids moves to each extreme.
 *
 * Of values in a bucket only its bounds are known. They are spread evenly inside it, and one of
 * them stands next to each bound (ends.c), over which no centroid reaches then; so the rank of a
 * bound is what the counts say, and a quantile is off by at most the width of the bucket that it
 * lies in. Few values are centroids of their own.
 */
#include "import.h"

#include <math.h>

bool
tdigest_import_begin(TdigestImport *import, uint64_t capacity, const SketchMemory *memory,
                     SketchError *error)
{
    *import = (TdigestImport){.memory = memory, .error = error, .sorted = true};
    if (capacity > TDIGEST_IMPORT_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Too many centroids or buckets",
                                   (int64_t)(capacity > INT64_MAX ? INT64_MAX : capacity), 0,
                                   TDIGEST_IMPORT_MAX);
    import->capacity = (uint32_t)capacity;
    import->room =
        memory->scratch(((size_t)capacity + 2) * sizeof64(TdigestCentroid), memory->context);
    import->centroids = import->room + 1;
    return true;
}

void
tdigest_import_end(TdigestImport *import)
{
    if (import->room)
        import->memory->release(import->room, import->memory->context);
    import->room = NULL;
}

bool
tdigest_import_add(TdigestImport *import, double mean, uint64_t weight)
{
    if (!isfinite(mean))
        return sketch_refuse(import->error, SKETCH_MALFORMED, "A value is not a finite number");
    if (weight == 0)
        return sketch_refuse(import->error, SKETCH_MALFORMED, "A weight is 0");
    if (weight > TDIGEST_WEIGHT_MAX - import->weight)
        return sketch_refuse(import->error, SKETCH_OVERFLOW,
                             "The weights add up to more than 2^63-1");
    if (import->count == import->capacity)
        return sketch_refuse(import->error, SKETCH_MALFORMED, "More centroids than announced");
    if (import->count > 0 && mean < import->centroids[import->count - 1].mean)
        import->sorted = false;
    import->centroids[import->count++] = (TdigestCentroid){mean + 0.0, weight};
    import->weight += weight;
    sketch_poll(import->memory, &import->steps, 1);
    return true;
}

bool
tdigest_import_point(TdigestImport *import, double value, uint64_t weight)
{
    if (!tdigest_import_add(import, value, weight))
        return false;
    import->centroids[import->count - 1].point = weight > 1;
    return true;
}

bool
tdigest_import_beside(TdigestImport *import, double bound, TdigestBeside beside, uint64_t weight)
{
    double value = tdigest_beside(bound, &beside);
    TdigestEnds ends = {value, value, beside, beside};

    tdigest_widen_ends(&import->ends, &ends);
    return tdigest_import_point(import, value, weight);
}

bool
tdigest_import_spread(TdigestImport *import, double low, double high, uint64_t weight,
                      unsigned points)
{
    const double inner_low = nextafter(low, high), inner_high = nextafter(high, low);
    const bool few = weight <= (uint64_t)points + 2;
    unsigned count = few ? (unsigned)weight : points;
    uint64_t each, rest;

    /* One double inside or none: a bucket has its upper bound. */
    if (!(inner_low < inner_high))
        return weight == 0 ||
               tdigest_import_point(import, inner_low == inner_high ? inner_high : high, weight);
    if (!few) {
        if (!tdigest_import_beside(import, low, TDIGEST_ABOVE_BOUND, 1))
            return false;
        weight -= 2;
    }
    each = count > 0 ? weight / count : 0;
    rest = count > 0 ? weight % count : 0;
    for (unsigned i = 0; i < count; i++) {
        double share = (i + 0.5) / count, mean = low * (1 - share) + high * share;
        uint64_t more = (i + 1) * rest / count - i * rest / count;

        if (!tdigest_import_add(import, fmin(fmax(mean, inner_low), inner_high), each + more))
            return false;
    }
    return few || tdigest_import_beside(import, high, TDIGEST_BELOW_BOUND, 1);
}

static void
sort(TdigestImport *import)
{
    if (!import->sorted)
        tdigest_sort_all(import->centroids, import->count, import->memory);
    import->sorted = true;
}

/* Splits the extreme value off an outer centroid of more than one. */
static void
split_extreme(TdigestCentroid *from, TdigestCentroid *single, double extreme, TdigestOuter outer)
{
    double weight = (double)from->weight;

    *single = (TdigestCentroid){extreme, 1};
    if (outer == TDIGEST_OUTER_MEANS)
        from->mean += (from->mean - extreme) / (weight - 1);
    from->weight--;
    from->point &= from->weight > 1; /* put_extreme may have made it one */
}

/* An outer centroid at the extreme: no value is beyond it, so if it is a mean, all equal it. */
static void
put_extreme(TdigestCentroid *at, double extreme, TdigestOuter outer)
{
    at->point |= outer == TDIGEST_OUTER_MEANS && at->weight > 1 && at->mean == extreme;
    at->mean = extreme + 0.0;
}

bool
tdigest_import_extremes(TdigestImport *import, double low, double high, TdigestOuter outer)
{
    TdigestCentroid *first, *last;

    if (import->count == 0)
        return true;
    sort(import);
    first = import->centroids;
    last = first + import->count - 1;
    if (!isfinite(low) || !isfinite(high) || low > first->mean || high < last->mean ||
        (import->weight == 1 && low != high))
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "Values are below the minimum or above the maximum");
    if (last->weight > 1 && last->mean < high) {
        split_extreme(last, last + 1, high + 0.0, outer);
        import->count++;
    } else
        put_extreme(last, high, outer);
    if (first->weight > 1 && first->mean > low) {
        split_extreme(first, first - 1, low + 0.0, outer);
        import->centroids--;
        import->count++;
    } else
        put_extreme(first, low, outer);
    /* The rest of the outer centroids must stay within the extremes and in order. */
    for (uint32_t i = 1; i < import->count; i++)
        import->centroids[i].mean =
            fmin(fmax(import->centroids[i].mean, import->centroids[i - 1].mean), high) + 0.0;
    return true;
}

SketchBytes
tdigest_import_finish(TdigestImport *import, double compression, double most)
{
    Tdigest digest = {.count = import->count, .weight = import->weight, .ends = import->ends};

    sort(import);
    /* Points are joined with their equals; without one, single values stay as they came. */
    for (uint32_t i = 0; i < import->count; i++)
        if (import->centroids[i].point)
            digest.order = TDIGEST_SORTED;
    digest.centroids = import->centroids;
    compression =
        fmax(compression, fmin(most, tdigest_compression_for(import->centroids, import->count)));
    digest.compression =
        (unsigned)fmin(fmax(compression, TDIGEST_COMPRESSION_MIN), TDIGEST_COMPRESSION_MAX);
    return tdigest_write_packed(&digest, import->memory);
}
