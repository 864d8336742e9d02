/*
 * sort.c - values and centroids in order.
 *
 * Both are sorted by numbers: a double's bits become a number of the same order. The centroids of a
 * union come in ascending runs, as packed digests that were appended, but merging the runs takes
 * longer than sorting them by digits.
 *
 * Equal means keep the order in which they came until a digest is read, which puts the lightest
 * first: then it is the same digest in whatever order its values came.
 */
#include "tdigest_internal.h"

#include "core/common/sort.h"

static inline uint64_t
sort_key(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

static double
value_of(uint64_t key)
{
    uint64_t bits = key ^ ((uint64_t)((int64_t)~key >> 63) | UINT64_C(1) << 63);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

void
tdigest_sort_values(const double *values, uint32_t count, TdigestCentroid *out,
                    TdigestCentroid *spare, const SketchMemory *memory)
{
    uint64_t *keys = (uint64_t *)spare;

    for (uint32_t i = 0; i < count; i++)
        keys[i] = sort_key(values[i]);
    sort_u64(keys, count, keys + count, memory);
    for (uint32_t i = 0; i < count; i++)
        out[i] = tdigest_unmarked(value_of(keys[i]), 1);
}

#define SORT_NAME sort_by_mean
#define SORT_ELEMENT TdigestCentroid
#define SORT_KEY(e) sort_key((e).mean)
#include "core/common/sort_digits.h"

void
tdigest_sort_centroids(TdigestCentroid *centroids, uint32_t count, TdigestCentroid *other,
                       const SketchMemory *memory)
{
    sort_by_mean(centroids, count, other, memory);
}

/* Weight and mark of a centroid as a number, which is ordered by the weight. */
static inline uint64_t
tie_key(const TdigestCentroid *c)
{
    return (uint64_t)c->weight << 1 | c->point;
}

/* Sorts equal means by weight, lightest first; `spare` is twice as long. */
static void
order_ties(TdigestCentroid *centroids, uint32_t count, uint64_t *spare, const SketchMemory *memory)
{
    for (uint32_t from = 0, end; from < count; from = end) {
        uint32_t tied;
        bool ordered = true;

        for (end = from + 1; end < count && centroids[end].mean == centroids[from].mean; end++)
            ordered &= tie_key(&centroids[end - 1]) <= tie_key(&centroids[end]);
        if (ordered)
            continue;
        tied = end - from;
        for (uint32_t i = 0; i < tied; i++)
            spare[i] = tie_key(&centroids[from + i]);
        sort_u64(spare, tied, spare + tied, memory);
        for (uint32_t i = 0; i < tied; i++) {
            centroids[from + i].weight = spare[i] >> 1;
            centroids[from + i].point = spare[i] & 1;
        }
    }
}

void
tdigest_sort_all(TdigestCentroid *centroids, uint32_t count, const SketchMemory *memory)
{
    TdigestCentroid *spare = memory->scratch(count * sizeof64(*spare) + 1, memory->context);

    tdigest_sort_centroids(centroids, count, spare, memory);
    order_ties(centroids, count, (uint64_t *)spare, memory);
    memory->release(spare, memory->context);
}
