/*
 * neighbors.c - which neighbours become one centroid.
 *
 * The rule is in tdigest.c. Centroids are formed from both ends to the middle: the side that has
 * joined less weight forms the next one, so both meet in the middle. Those from the right fill
 * `out` from its end, and the two halves are joined at last.
 *
 * A centroid that reached over a gap between values would be a point in the middle of the gap,
 * where no value is, and whatever comes later between these values would be on one side of all of
 * them. If a gap is most of what a centroid extends over, it ends there, and the values at both
 * sides of the gap are centroids of their own. Between two single values there is no weight.
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
static inline __attribute__((always_inline)) uint32_t
join(const TdigestCentroid *first, const int step, uint32_t available, double limit,
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
    *merged = (TdigestCentroid){mean, (uint64_t)weight, taken == 1 && first->point};
    return taken;
}

/*
 * Counts the neighbours up to `last` before the widest gap between two points, if it is
 * wider than `widest`; else 0. A bound of a histogram is wider than any.
 */
static uint32_t
count_before_gap(const TdigestCentroid *first, const int step, uint32_t last, double widest,
                 bool bounds)
{
    uint32_t before = 0;

    for (uint32_t i = 1; i <= last; i++) {
        const TdigestCentroid *here = &first[step * (int)i];
        double gap = fabs(here->mean - here[-step].mean);

        if (bounds && tdigest_beside_one_bound(fmin(here->mean, here[-step].mean),
                                               fmax(here->mean, here[-step].mean)))
            gap = INFINITY;
        if (gap > widest && tdigest_is_point(here) && tdigest_is_point(&here[-step])) {
            widest = gap;
            before = i;
        }
    }
    return before;
}

/* One side, from its end to the middle. */
typedef struct Side {
    uint64_t weight; /* joined so far */
    double limit;    /* of the next centroid */
    double length;   /* of the last one, up to where the next one began */
    unsigned alone;  /* single values at a gap that come next, each by itself */
} Side;

/*
 * Where to look for gaps: nowhere, in centroids that seem to have one, in all, or for bounds too.
 */
typedef enum Gaps { GAPS_IGNORED, GAPS_SUSPECTED, GAPS_FOUND, GAPS_AND_BOUNDS } Gaps;

/*
 * The next centroid of a side, of the neighbours that are available; `all` are those in its
 * direction. Returns how many became one.
 */
static inline __attribute__((always_inline)) uint32_t
join_next(Side *side, const TdigestCentroid *first, const int step, uint32_t available,
          uint32_t all, TdigestCentroid *merged, Gaps gaps)
{
    double limit = side->alone > 0 ? 0 : side->limit;
    uint32_t taken = join(first, step, available, limit, merged);

    if (side->alone > 0)
        side->alone--;
    else if (gaps != GAPS_IGNORED && limit >= TDIGEST_GAP_WEIGHT) {
        /*
         * A centroid may end at a gap, also at one where the other side ended. One that is hardly
         * longer than the last one has none.
         */
        uint32_t last = taken < all ? taken : taken - 1;
        double length = fabs(first[step * (int)last].mean - first->mean);
        /* What is left in the middle may be a few values: the centroid before is their measure. */
        double whole = taken < available ? length : fmax(length, side->length);
        uint32_t before = gaps >= GAPS_FOUND || length > 1.5 * side->length
                              ? count_before_gap(first, step, last, tdigest_wide_gap(whole, limit),
                                                 gaps == GAPS_AND_BOUNDS)
                              : 0;

        /* All before the gap except the last value, which becomes a centroid of its own. */
        if (before > 0) {
            side->alone = before > 1 ? 2 : 1;
            taken = join(first, step, before > 1 ? before - 1 : 1, limit, merged);
        } else
            side->length = length;
    }
    side->weight += merged->weight;
    return taken;
}

/* Counts the points of equal mean that come first. */
static uint32_t
count_equal_points(const TdigestCentroid *c, uint32_t count)
{
    uint32_t equal = 0;

    while (equal < count && c[equal].mean == c->mean && tdigest_is_point(&c[equal]))
        equal++;
    return equal;
}

static bool
has_equal_means(const TdigestCentroid *c, uint32_t count)
{
    bool equal = false;

    for (uint32_t i = 0; i + 1 < count; i++)
        equal |= c[i].mean == c[i + 1].mean;
    return equal;
}

bool
tdigest_has_spread(const TdigestCentroid *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!tdigest_is_point(&c[i]))
            return true;
    return false;
}

bool
tdigest_is_tame(const TdigestCentroid *c, uint32_t count, uint64_t weight)
{
    bool tame = weight < UINT64_C(1) << 53;

    for (uint32_t i = 0; i < count; i++)
        tame = tame && fabs(c[i].mean) < 0x1p900;
    return tame;
}

/* Sums up the points of equal mean. Returns how many centroids are left in `out`. */
static uint32_t
join_equal_points(const TdigestCentroid *c, uint32_t count, TdigestCentroid *out)
{
    uint32_t left = 0;

    for (uint32_t i = 0, equal; i < count; i += equal) {
        TdigestCentroid joined = c[i];

        equal = count_equal_points(&c[i], count - i);
        for (uint32_t j = 1; j < equal; j++)
            joined.weight += c[i + j].weight;
        joined.point |= equal > 1;
        equal += equal == 0;
        out[left++] = joined;
    }
    return left;
}

void
tdigest_join_points(Tdigest *digest, const SketchMemory *memory)
{
    const TdigestCentroid *c = digest->centroids;
    const uint32_t count = digest->count;
    TdigestCentroid *out;

    /* Nothing came to what is merged, and a list of rows stays one. */
    if (digest->order == TDIGEST_MERGED ||
        (digest->weight == count && count <= tdigest_centroids_max(digest->compression)) ||
        (digest->order == TDIGEST_RUNS && tdigest_has_spread(c, count)) ||
        (digest->order == TDIGEST_SORTED && !has_equal_means(c, count)))
        return;
    out = memory->scratch(count * sizeof64(*out), memory->context);
    if (digest->order == TDIGEST_RUNS) {
        memcpy(out, c, count * sizeof *out);
        tdigest_sort_all(out, count, memory);
        digest->order = TDIGEST_SORTED;
        c = out;
    }
    digest->count = join_equal_points(c, count, out);
    tdigest_close(digest, memory);
    digest->centroids = digest->scratch = out;
}

typedef struct Density {
    double total, by_root, by_log;
} Density;

static Density
density_of(uint64_t weight, double d)
{
    /* Use the power of two below the weight: no library's log may affect stored bytes. */
    double log_range = LN_2 * (63 - __builtin_clzll(weight | 1)) + 1;

    return (Density){(double)weight, d / 2 * SHARE_ROOT / PI, d / 2 * SHARE_LOG / (2 * log_range)};
}

uint32_t
tdigest_join_neighbors(const Tdigest *digest, double d, uint32_t most, TdigestCentroid *out,
                       const SketchMemory *memory)
{
    const TdigestCentroid *centroids = digest->centroids;
    const uint32_t count = digest->count;
    const Density density = density_of(digest->weight, d);
    /* While values come in, a gap that is found late does no harm, and time counts. */
    const Gaps gaps = most == 0                       ? GAPS_IGNORED
                      : tdigest_has_bounds(digest)    ? GAPS_AND_BOUNDS
                      : d > 2.0 * digest->compression ? GAPS_SUSPECTED
                                                      : GAPS_FOUND;
    uint32_t begin = 0, end = count;          /* what is still to be merged */
    uint32_t out_left = 0, out_right = count; /* what is still free in out */
    Side left = {0}, right = {0};             /* the ends stay by themselves */
    size_t steps = 0;

    while (begin < end) {
        bool from_left = left.weight <= right.weight;
        Side *side = from_left ? &left : &right;
        TdigestCentroid merged;
        uint32_t taken =
            from_left
                ? join_next(side, &centroids[begin], 1, end - begin, count - begin, &merged, gaps)
                : join_next(side, &centroids[end - 1], -1, end - begin, end, &merged, gaps);

        sketch_poll(memory, &steps, taken);
        /* The limit takes long to compute: the processor does it while the other side joins. */
        side->limit =
            weight_limit((double)side->weight, density.total, density.by_root, density.by_log);
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

uint32_t
tdigest_divide_weight(uint64_t weight, double d, uint64_t *ends, uint32_t most)
{
    const Density density = density_of(weight, d);
    uint64_t at = 0, step;
    uint32_t count = 0;

    /* The left half; the right half mirrors it, and what is left in the middle is one or two. */
    for (;; at += step, ends[count++] = at) {
        double limit = weight_limit((double)at, density.total, density.by_root, density.by_log);

        /* In the middle the limit may be above all weight, and above what an integer holds. */
        step = limit < 1 ? 1 : limit < density.total ? (uint64_t)limit : weight;
        if (step > weight / 2 - at || count >= most / 2 - 1)
            break;
    }
    if (weight - 2 * at > step && weight / 2 > at)
        ends[count++] = weight / 2;
    for (uint32_t i = count; i-- > 0;)
        if (weight - ends[i] > ends[count - 1])
            ends[count++] = weight - ends[i];
    ends[count++] = weight;
    return count;
}
