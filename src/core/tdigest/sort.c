/*
 * sort.c - values and centroids in order.
 *
 * Values are sorted as numbers: a double's bits become a number of the same order. Few centroids
 * are sorted by such numbers, too, whose lowest bits are replaced by the centroid's index. Many
 * come in ascending runs, as packed digests that were appended, and are merged run by run.
 *
 * Equal means keep the order in which they came until a digest is read, which puts the lightest
 * first: then it is the same digest in whatever order its values came.
 */
#include "tdigest_internal.h"

#include "core/common/radix.h"

/* Fewer centroids than two to this power have room for their indexes in the keys. */
#define INDEX_BITS 12

static double
value_of(uint64_t key)
{
    uint64_t bits = key ^ ((uint64_t)((int64_t)~key >> 63) | UINT64_C(1) << 63);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

void
tdigest_sort_values(uint64_t *keys, uint32_t count, TdigestCentroid *out,
                    const SketchMemory *memory)
{
    radix_sort_u64(keys, count, keys + count, memory);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (TdigestCentroid){value_of(keys[i]), 1};
}

void
tdigest_merge_runs(const TdigestCentroid *a, const TdigestCentroid *a_end, const TdigestCentroid *b,
                   const TdigestCentroid *b_end, TdigestCentroid *out)
{
    TdigestCentroid *end = out + (a_end - a) + (b_end - b);

    /* The smallest and the largest: two chains of steps, which the processor takes side by side. */
    while (a_end - a > 1 && b_end - b > 1) {
        bool second = b->mean < a->mean;
        bool first = b_end[-1].mean < a_end[-1].mean;

        *out++ = second ? *b : *a;
        b += second;
        a += !second;
        *--end = first ? a_end[-1] : b_end[-1];
        a_end -= first;
        b_end -= !first;
    }
    while (a < a_end && b < b_end) {
        bool second = b->mean < a->mean;

        *out++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

/* The end of the ascending run that begins at `from`. */
static uint32_t
run_end(const TdigestCentroid *centroids, uint32_t from, uint32_t count)
{
    while (++from < count && !(centroids[from].mean < centroids[from - 1].mean))
        continue;
    return from;
}

/* Merges ascending runs in pairs until one is left. Returns where it is: `centroids` or `other`. */
static TdigestCentroid *
sort_by_runs(TdigestCentroid *centroids, uint32_t count, TdigestCentroid *other,
             const SketchMemory *memory)
{
    size_t steps = 0;

    for (;;) {
        uint32_t at = 0;
        TdigestCentroid *swap = centroids;

        if (count == 0 || run_end(centroids, 0, count) == count)
            return centroids;
        while (at < count) {
            uint32_t middle = run_end(centroids, at, count);
            uint32_t end = middle < count ? run_end(centroids, middle, count) : count;

            tdigest_merge_runs(centroids + at, centroids + middle, centroids + middle,
                               centroids + end, other + at);
            sketch_poll(memory, &steps, end - at);
            at = end;
        }
        centroids = other;
        other = swap;
    }
}

/*
 * One radix sort of numbers, one walk in its order, and insertion for means that agree in all bits
 * but the lowest.
 */
static void
sort_by_index(const TdigestCentroid *centroids, uint32_t count, TdigestCentroid *out,
              const SketchMemory *memory)
{
    const uint64_t index = (UINT64_C(1) << INDEX_BITS) - 1;
    uint64_t keys[2 << INDEX_BITS];

    for (uint32_t i = 0; i < count; i++)
        keys[i] = (tdigest_sort_key(centroids[i].mean) & ~index) | i;
    radix_sort_u64(keys, count, keys + count, memory);
    for (uint32_t i = 0; i < count; i++)
        out[i] = centroids[keys[i] & index];
    for (uint32_t i = 1; i < count; i++)
        if (out[i].mean < out[i - 1].mean) {
            TdigestCentroid centroid = out[i];
            uint32_t j = i;

            for (; j > 0 && centroid.mean < out[j - 1].mean; j--)
                out[j] = out[j - 1];
            out[j] = centroid;
        }
}

void
tdigest_sort_centroids(const TdigestCentroid *centroids, uint32_t count, TdigestCentroid *out,
                       TdigestCentroid *spare, const SketchMemory *memory)
{
    if (count < 1 << INDEX_BITS)
        sort_by_index(centroids, count, out, memory);
    else {
        memcpy(out, centroids, count * sizeof *out);
        if (sort_by_runs(out, count, spare, memory) == spare)
            memcpy(out, spare, count * sizeof *out);
    }
}

void
tdigest_order_ties(TdigestCentroid *centroids, uint32_t count, uint64_t *spare,
                   const SketchMemory *memory)
{
    for (uint32_t from = 0, end; from < count; from = end) {
        uint32_t tied;
        bool ordered = true;

        for (end = from + 1; end < count && centroids[end].mean == centroids[from].mean; end++)
            ordered &= centroids[end - 1].weight <= centroids[end].weight;
        if (ordered)
            continue;
        tied = end - from;
        for (uint32_t i = 0; i < tied; i++)
            spare[i] = centroids[from + i].weight;
        radix_sort_u64(spare, tied, spare + tied, memory);
        for (uint32_t i = 0; i < tied; i++)
            centroids[from + i].weight = spare[i];
    }
}
