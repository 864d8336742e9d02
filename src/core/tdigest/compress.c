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

/*
 * The largest weight of a centroid whose outer end has `outer` of `total` weight outside of it: the
 * total by the density, which is by_root / sqrt(q(1-q)) + by_log / q(1-q).
 */
static inline double
weight_limit(double outer, double total, double by_root, double by_log)
{
    double q = (outer > 0.5 ? outer : 0.5) / total;
    double spread = q * (1 - q);

    return total * spread / (by_root * sqrt(spread) + by_log);
}

/* Without differences, where one of them, or a sum of them, exceeds the range of double. */
static double
mean_of_shares(const TdigestCentroid *first, int step, uint32_t count, double weight)
{
    double mean = 0;

    for (uint32_t i = 0; i < count; i++)
        mean += first[step * (int)i].mean * ((double)first[step * (int)i].weight / weight);
    return mean;
}

static inline double
keep_within(double mean, double low, double high)
{
    return mean < low ? low : mean > high ? high : mean;
}

/*
 * The centroid of as many neighbours as the limit allows from `first` on, in either direction and
 * no more than `available`. Returns how many they are.
 */
static uint32_t
gather(const TdigestCentroid *first, int step, uint32_t available, double limit,
       TdigestCentroid *merged)
{
    /* Weights are below 2^63, and a signed number is converted to double in one step. */
    int64_t weight = (int64_t)first->weight;
    const double from = first->mean;
    double to = from, mean = from, sum = 0;
    uint32_t taken = 1;

    for (; taken < available; taken++) {
        const TdigestCentroid *next = &first[step * (int)taken];
        double more = (double)(int64_t)next->weight;

        if ((double)weight + more > limit)
            break;
        to = next->mean;
        weight += (int64_t)next->weight;
        sum += (to - from) * more;
    }
    if (from != to) {
        mean = from + sum / (double)weight;
        if (!isfinite(mean))
            mean = mean_of_shares(first, step, taken, (double)weight);
        mean = keep_within(mean, step > 0 ? from : to, step > 0 ? to : from) + 0.0;
    }
    *merged = (TdigestCentroid){mean, (uint64_t)weight};
    return taken;
}

/* What a side has gathered, and the limit of its next centroid. */
typedef struct Side {
    uint64_t weight;
    double limit;
} Side;

uint32_t
tdigest_compress(const TdigestCentroid *centroids, uint32_t count, uint64_t weight, double d,
                 TdigestCentroid *out, const SketchMemory *memory)
{
    const double total = (double)weight;
    /* Of the power of two below the weight: no library's log decides over stored bytes. */
    const double log_range = LN_2 * (63 - __builtin_clzll(weight | 1)) + 1;
    const double by_root = d / 2 * SHARE_ROOT / PI;
    const double by_log = d / 2 * SHARE_LOG / (2 * log_range);
    uint32_t begin = 0, end = count;          /* what is still to be merged */
    uint32_t out_left = 0, out_right = count; /* what is still free in out */
    Side left = {0, 0}, right = {0, 0};       /* the ends stay by themselves */
    size_t steps = 0;

    while (begin < end) {
        bool from_left = left.weight <= right.weight;
        Side *side = from_left ? &left : &right;
        TdigestCentroid merged;
        uint32_t taken = gather(&centroids[from_left ? begin : end - 1], from_left ? 1 : -1,
                                end - begin, side->limit, &merged);

        sketch_poll(memory, &steps, taken);
        /* The limit takes long to compute: the processor does it while the other side gathers. */
        side->weight += merged.weight;
        side->limit = weight_limit((double)side->weight, total, by_root, by_log);
        if (from_left) {
            begin += taken;
            out[out_left++] = merged;
        } else {
            end -= taken;
            out[--out_right] = merged;
        }
    }
    memmove(out + out_left, out + out_right, (count - out_right) * sizeof(TdigestCentroid));
    return out_left + count - out_right;
}
