/*
 * compress.c - which neighbours become one centroid.
 *
 * The rule is in tdigest.c. Centroids are formed from both ends to the middle: the side that has
 * gathered less weight forms the next one, so both meet in the middle. Those from the right fill
 * `out` from its end, and the two halves are joined at last.
 *
 * A mean is computed from differences to the first value of its centroid and kept within its
 * values. So equal values stay exactly what they are, and means never come out of order.
 */
#include <math.h>

#include "tdigest_internal.h"

#define SHARE_ROOT 0.65
#define SHARE_LOG 0.35
#define PI 3.14159265358979323846
#define LN_2 0.69314718055994530942

/* The largest weight of a centroid whose outer end has `outer` of `total` weight outside of it. */
static double
weight_limit(double outer, double total, double d, double log_range)
{
    double q = (outer > 0.5 ? outer : 0.5) / total;
    double spread = q * (1 - q);
    double density =
        d / 2 * (SHARE_ROOT / (PI * sqrt(spread)) + SHARE_LOG / (2 * log_range * spread));

    return total / density;
}

/* The mean of `count` neighbours, given in either direction. */
static double
mean_of(const TdigestCentroid *first, int step, uint32_t count, double weight)
{
    double low = first->mean;
    double high = first[step * ((int)count - 1)].mean;
    double sum = 0;
    double mean;

    if (count == 1 || low == high)
        return low;
    for (uint32_t i = 0; i < count; i++)
        sum += (first[step * (int)i].mean - low) * (double)(int64_t)first[step * (int)i].weight;
    mean = low + sum / weight;
    if (!isfinite(mean)) { /* a difference, or a sum of them, exceeds the range of double */
        mean = 0;
        for (uint32_t i = 0; i < count; i++)
            mean += first[step * (int)i].mean * ((double)first[step * (int)i].weight / weight);
    }
    return fmin(fmax(mean, fmin(low, high)), fmax(low, high)) + 0.0;
}

/* How many from `first` on make one centroid, no more than `available`; adds up their weight. */
static uint32_t
gather(const TdigestCentroid *first, int step, uint32_t available, double limit, uint64_t *weight)
{
    /* Weights are below 2^63, and a signed number is converted to double in one step. */
    int64_t sum = (int64_t)first->weight;
    uint32_t taken = 1;

    for (; taken < available; taken++) {
        int64_t next = (int64_t)first[step * (int)taken].weight;

        if ((double)sum + (double)next > limit)
            break;
        sum += next;
    }
    *weight = (uint64_t)sum;
    return taken;
}

uint32_t
tdigest_compress(const TdigestCentroid *centroids, uint32_t count, uint64_t weight, double d,
                 TdigestCentroid *out, const SketchMemory *memory)
{
    const double total = (double)weight;
    /* Of the power of two below the weight: no library's log decides over stored bytes. */
    const double log_range = LN_2 * (63 - __builtin_clzll(weight | 1)) + 1;
    uint32_t left = 0, right = count;         /* what is still to be merged */
    uint32_t out_left = 0, out_right = count; /* what is still free in out */
    uint64_t weight_left = 0, weight_right = 0;
    size_t steps = 0;

    while (left < right) {
        bool from_left = weight_left <= weight_right;
        const TdigestCentroid *first = &centroids[from_left ? left : right - 1];
        int step = from_left ? 1 : -1;
        uint64_t *outer = from_left ? &weight_left : &weight_right;
        uint32_t available = *outer == 0 ? 1 : right - left; /* the ends stay by themselves */
        uint64_t gathered;
        uint32_t taken = gather(first, step, available,
                                weight_limit((double)*outer, total, d, log_range), &gathered);
        TdigestCentroid merged = {mean_of(first, step, taken, (double)gathered), gathered};

        sketch_poll(memory, &steps, taken);
        *outer += gathered;
        if (from_left) {
            left += taken;
            out[out_left++] = merged;
        } else {
            right -= taken;
            out[--out_right] = merged;
        }
    }
    memmove(out + out_left, out + out_right, (count - out_right) * sizeof(TdigestCentroid));
    return out_left + count - out_right;
}
