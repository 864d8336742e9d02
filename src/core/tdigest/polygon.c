/*
 * polygon.c - digests that overlap become one: the sum of their polygons.
 *
 * Parts of like structure have their centroids at the same places. Sorted together these are stacks
 * of points, while each centroid stands for weight on both sides of its mean. Joining neighbours
 * cuts through the stacks, always in the same direction, so that the errors of all parts add up.
 * Here the distributions are added instead: each run of centroids is a distribution whose weight is
 * spread evenly between neighbouring means, and their sum is cut where density allows, at any
 * value.
 *
 *     run a     o-------------o---o--o-----o        each centroid spreads its weight over both
 *     run b        o------o-o-----------o           sides of its mean
 *     density   111222222222333222222222211
 *     cuts         |        |    |      |           equal weights, but for their place
 *
 * A centroid's weight is divided between its two sides in such a way that its mean stays its mean:
 * more on the side where its neighbour is nearer. If a and b are the weights on both sides and r, s
 * the densities there, a^2/r = b^2/s. The densities are first taken from equal halves; what is then
 * left of the difference is added to the slice in which the mean is. So the mean of all values
 * stays, and so do, but for one slice, those of parts.
 *
 * A single value is a point; runs begin and end with one, so nothing is spread from one run to the
 * next. Between equal means there is nothing to spread over, and if values are so close that a
 * density would drown all others, the weight between them stays at the means.
 *
 * The sweep goes upwards over the means in order. Each is the end of one density and the beginning
 * of another one. The sum of densities has twice the digits of a double: where heavy and narrow
 * centroids are gone, sparse ones are counted to the last digit. A slice takes what is between two
 * cuts: its weight is a whole number, and its mean that of the weight in it. A gap in the sum is
 * treated as in neighbors.c.
 */
#include <math.h>

#include "tdigest_internal.h"

/* Gaps narrower than this part of the whole, or not within these numbers, hold no density. */
#define MIN_GAP_PART 0x1p-60
#define GAP_MIN 0x1p-900
#define GAP_MAX 0x1p900

/* The relative rounding error that a sum of values, less the lowest of them, may have. */
#define ROUNDING_LOSS 0x1p-40

/* Weights below this are rounding noise: a slice ends where so little is missing. */
#define ROUNDING 0x1p-10

/* Centroid or value at a mean. */
typedef struct Knot {
    double below, above; /* densities on both sides */
    double point;        /* weight at the mean */
    double rows;         /* of that, rows of a weight */
    double missing_sum;  /* what the sides fall short of point * mean */
} Knot;

/*
 * Returns the weight of centroid i to spread on each side, as a first guess: none if its values are
 * known to be equal, because it has the mean of a neighbour or ends a run. All runs but the first
 * one, of `first` centroids, end in single values.
 */
static inline double
half_of(const TdigestCentroid *c, uint32_t i, uint32_t count, uint32_t first)
{
    bool equal = i == 0 || i + 1 == first || i + 1 == count || c[i - 1].mean == c[i].mean ||
                 c[i].mean == c[i + 1].mean;

    return !tdigest_is_point(&c[i]) && !equal ? (double)(int64_t)c[i].weight / 2 : 0;
}

/* `length` is that of all runs together. */
static void
make_knots(const Tdigest *digest, double length, Knot *knots)
{
    const TdigestCentroid *c = digest->centroids;
    const uint32_t count = digest->count, first = digest->first;
    const double narrowest = fmax(length * MIN_GAP_PART, GAP_MIN);
    /* Between the knot before and this one: length, weight as guessed, and that of the former. */
    double gap_below = 0, guess_below = 0, from_below = 0, half = half_of(c, 0, count, first);

    for (uint32_t i = 0; i < count; i++) {
        bool last = i + 1 == count || i + 1 == first;
        double gap = last ? 0 : c[i + 1].mean - c[i].mean;
        double half_above = i + 1 < count ? half_of(c, i + 1, count, first) : 0;
        double guess = gap > narrowest && gap < GAP_MAX ? half + half_above : 0;
        double below = guess_below > 0 ? half : 0, above = guess > 0 ? half : 0;
        Knot *knot = &knots[i];

        if (below > 0 && above > 0) {
            below *= 2 / (1 + sqrt(guess * gap_below / (guess_below * gap)));
            above = 2 * half - below;
        }
        *knot = (Knot){.point = (double)(int64_t)c[i].weight - below - above,
                       .rows = c[i].point ? (double)(int64_t)c[i].weight : 0};
        if (guess_below > 0) {
            double weight = from_below + below, each = gap_below / weight;

            knot[-1].missing_sum -= from_below * from_below * each / 2;
            knot->missing_sum = below * below * each / 2;
            knot[-1].above = knot->below = 1 / each;
        }
        half = half_above;
        gap_below = gap;
        guess_below = guess;
        from_below = above;
    }
}

static inline int
compare(double a, double b)
{
    return (a > b) - (a < b);
}

static bool
knot_before(const Knot *a, const Knot *b)
{
    int order = compare(a->below, b->below);

    order = order ? order : compare(a->above, b->above);
    order = order ? order : compare(a->point, b->point);
    order = order ? order : compare(a->rows, b->rows);
    return (order ? order : compare(a->missing_sum, b->missing_sum)) < 0;
}

#define SORT_NAME sort_knots
#define SORT_ELEMENT Knot
#define SORT_BEFORE(a, b) knot_before(a, b)
#include "core/common/sort_merge.h"

/*
 * Knots of equal means in one order, with all their weight at the first of them, so that a | b has
 * the bytes of b | a: only the ends of the run that came first are not split. Single values that
 * are equal to others are rows as these are.
 */
static void
order_ties(const TdigestCentroid *order, uint32_t count, const TdigestCentroid *centroids,
           Knot *knots, const SketchMemory *memory)
{
    Knot *spare = NULL;

    for (uint32_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && order[end].mean == order[from].mean;)
            end++;
        if (end - from == 1)
            continue;
        if (!spare)
            spare = memory->scratch(2 * (size_t)count * sizeof64(*spare), memory->context);
        for (uint32_t i = from; i < end; i++) {
            spare[i - from] = knots[order[i].weight];
            if (centroids[order[i].weight].weight == 1)
                spare[i - from].rows = 1;
        }
        sort_knots(spare, end - from, spare + count, memory);
        for (uint32_t i = 1; i < end - from; i++) {
            spare[0].point += spare[i].point;
            spare[0].rows += spare[i].rows;
            spare[0].missing_sum += spare[i].missing_sum;
            spare[i].point = spare[i].rows = spare[i].missing_sum = 0;
        }
        for (uint32_t i = from; i < end; i++)
            knots[order[i].weight] = spare[i - from];
    }
    if (spare)
        memory->release(spare, memory->context);
}

/* A sum of twice the digits. */
typedef struct Sum {
    double high, low;
} Sum;

static inline void
sum_add(Sum *sum, double more)
{
    double high = sum->high + more, added = high - sum->high;

    sum->low += (sum->high - (high - added)) + (more - added);
    sum->high = high;
}

/* An interval without weight. */
typedef struct Gap {
    double from, to;
    double length; /* or infinite, at a bound of a histogram */
    double sum;    /* of the slice, before it */
    double before; /* the weight before it */
} Gap;

typedef struct Slices {
    TdigestCentroid *out;
    uint32_t count, most; /* centroids; at most `most` if there are gaps */
    uint64_t *end;        /* of this slice, by the weight before it */
    uint64_t total;       /* of the digest */
    uint32_t left;        /* slices from this one on */
    uint64_t before;      /* weight in `out` */
    double stop;          /* the weight swept over at which the slice ends */
    double weight;        /* swept over */
    double lowest;        /* of all values */
    double highest;       /* of all values */
    double low;           /* where the slice begins */
    double sum;           /* of its differences to low */
    Gap gap;              /* the widest in it */
    bool owes;            /* the slice before would have had to have a mean below it */
    bool bounds;          /* the digest may have bounds of a histogram */
} Slices;

static void
put_single(Slices *s, double value)
{
    s->out[s->count++] = (TdigestCentroid){value + 0.0, 1};
    s->before++;
}

/*
 * Puts `weight` from s->low on, whose sum is s->sum. If its mean would exceed `high`, the rest of
 * the sum is left to the slices above; and so is what is missing to s->low. It is missing because a
 * point's weight was spread over these slices: their means may go down to that point.
 */
static void
put_weight(Slices *s, double high, uint64_t weight)
{
    double mean = s->low + s->sum / (double)weight;
    double least = s->owes ? s->out[s->count - 1].mean : s->low;

    if (!isfinite(mean)) {
        mean = s->low / 2 + high / 2;
        s->sum = 0;
    } else
        s->sum -= (fmin(fmax(mean, least), high) - s->low) * (double)weight;
    s->owes = mean < least;
    mean = mean < least ? least : mean > high ? high : mean;
    /* None of this weight is at the point below. */
    if (s->count > 0 && s->out[s->count - 1].point && high > s->out[s->count - 1].mean)
        mean = fmax(mean, nextafter(s->out[s->count - 1].mean, high));
    s->out[s->count++] = (TdigestCentroid){mean + 0.0, weight};
    s->before += weight;
    s->low = high;
}

/* Puts what is before the gap, and the values at both of its sides. */
static void
put_before_gap(Slices *s)
{
    const Gap gap = s->gap;
    const double above = s->sum - gap.sum, low = s->low;
    uint64_t before = (uint64_t)llrint(gap.before), weight = before - s->before;
    TdigestCentroid *last = &s->out[s->count - 1];

    s->sum = gap.sum - (gap.from - low);
    if (weight > 1)
        put_weight(s, gap.from, weight - 1);
    else if (weight == 0) {
        s->sum = gap.sum;
        /* The slice before ended at the gap: the value there was its last one. */
        if (last->weight > 1) {
            double mean = last->mean - (gap.from - last->mean) / (double)(last->weight - 1);

            last->mean = s->count > 1 ? fmax(mean, last[-1].mean) : mean;
            last->weight--;
            s->before--;
            weight = 1;
        }
    }
    if (weight > 0)
        put_single(s, gap.from);
    put_single(s, gap.to);
    s->sum += above - (gap.to - low) * (double)(*s->end - before);
    s->low = gap.to;
}

/* Ends the slice at `high`, where the next one begins. What is put there says so. */
static void
end_slice(Slices *s, double high)
{
    uint64_t end = *s->end;

    if (end - s->before >= TDIGEST_GAP_WEIGHT && s->count > 0 &&
        s->count + s->left + 3 <= s->most && (uint64_t)llrint(s->gap.before) < end &&
        (uint64_t)llrint(s->gap.before) >= s->before && /* not rounded into rows of a weight */
        s->gap.length > tdigest_wide_gap(high - s->low, (double)(end - s->before)))
        put_before_gap(s);
    if (s->before < end)
        put_weight(s, high, end - s->before);
    s->gap.length = 0;
    s->weight = (double)end;
    s->end++;
    s->left--;
    s->stop = s->left > 1 ? (double)*s->end - ROUNDING : INFINITY;
}

/* Puts a point; nothing of the weight before it is there. */
static void
put_point(Slices *s, double value, uint64_t rows)
{
    uint32_t first = s->count;

    while (first > 0 && !s->out[first - 1].point && s->out[first - 1].mean >= value)
        first--;
    for (uint32_t i = first; first > 0 && i < s->count; i++)
        s->out[i].mean = nextafter(value, s->out[first - 1].mean);
    s->out[s->count++] = (TdigestCentroid){value, rows, rows > 1};
    s->before += rows;
}

/*
 * Sweeps over rows of a weight that fill the rest of the slice and more: they stay a point, between
 * two slices. Their ends are rounded to whole numbers, so a part of a value may be on the wrong
 * side of the first one.
 */
static void
sweep_rows(Slices *s, double mean, double weight)
{
    uint64_t begin = (uint64_t)llrint(s->weight), end = *s->end;
    /*
     * Past 2^53 sums are rounded. The slices have the weight of the digest all the same, and none
     * of it is taken from the extremes.
     */
    uint64_t below = s->before == 0 && mean > s->lowest ? 1 : s->before;
    uint64_t above = mean < s->highest && s->total - below > 1 ? 1 : 0;
    uint64_t left = s->total - below - above;
    uint64_t rows = weight < (double)(int64_t)left ? (uint64_t)llrint(weight) : left;
    double swept = s->weight;

    begin = begin > below ? begin : below;
    begin = begin < s->total - above - rows ? begin : s->total - above - rows;
    s->sum -= (swept - (double)begin) * (mean - s->low);
    if (begin > s->before) {
        *s->end = begin;
        end_slice(s, mean);
        s->end--;
        s->left++;
        *s->end = end;
    }
    put_point(s, mean, rows);
    s->weight = swept + weight;
    s->low = mean;
    s->gap.length = 0;
    s->owes = false;
    for (; s->left > 0 && *s->end <= s->before; s->end++)
        s->left--;
    s->stop = s->left > 1 ? (double)*s->end - ROUNDING : INFINITY;
}

/* Sweeps over an interval without weight. */
static inline void
sweep_gap(Slices *s, double from, double to)
{
    double length = s->bounds && tdigest_beside_one_bound(from, to) ? INFINITY : to - from;

    if (length > s->gap.length)
        s->gap = (Gap){from, to, length, s->sum, s->weight};
}

/* Sweeps over weight that ends slices, spread evenly or, with a density of 0, at a point. */
static void
sweep_ends(Slices *s, double from, double to, double density, double weight)
{
    while (s->weight + weight > s->stop) {
        double taken = (double)*s->end - s->weight;
        double cut = density > 0 ? fmin(fmax(from + taken / density, nextafter(from, to)), to) : to;

        s->sum += taken * ((from + cut) / 2 - s->low);
        end_slice(s, cut);
        from = cut;
        weight -= taken;
    }
    s->sum += weight * ((from + to) / 2 - s->low);
    s->weight += weight;
}

/* A single value that is a slice stays what it is, whatever rounding left of those before. */
static inline void
begin_single(Slices *s, double value)
{
    if (s->left == 0 || *s->end - s->before != 1 ||
        !(fabs(s->weight - (double)s->before) < ROUNDING))
        return;
    s->weight = (double)s->before;
    s->low = value;
    s->sum = 0;
    s->owes = false;
}

static void
sweep(Slices *s, const TdigestCentroid *order, uint32_t count, const Knot *knots,
      const SketchMemory *memory)
{
    double at = order[0].mean;
    Sum density = {0, 0};
    uint32_t active = 0; /* densities in the sum */

    s->low = at;
    POLLED_FOR (i, 0, count, 16, memory) {
        Knot knot = knots[order[i].weight];
        const double mean = order[i].mean;

        if (mean > at) {
            double here = density.high + density.low, weight = here * (mean - at);

            if (active == 0)
                sweep_gap(s, at, mean);
            else if (s->weight + weight > s->stop)
                sweep_ends(s, at, mean, here, weight);
            else {
                s->sum += weight * ((at + mean) / 2 - s->low);
                s->weight += weight;
            }
            at = mean;
        }
        s->sum += knot.missing_sum;
        if (knot.rows > 0 && s->left > 0 && s->weight + knot.rows > (double)*s->end - ROUNDING) {
            sweep_rows(s, mean, knot.rows);
            knot.point -= knot.rows;
        }
        if (knot.point == 1)
            begin_single(s, mean);
        if (knot.point > 0)
            sweep_ends(s, mean, mean, 0, knot.point);
        if (knot.below > 0) {
            sum_add(&density, -knot.below);
            active--;
        }
        if (knot.above > 0) {
            sum_add(&density, knot.above);
            active++;
        }
        if (active == 0)
            density = (Sum){0, 0};
    }
    while (s->left > 0)
        end_slice(s, at);
}

/*
 * Returns how much of the sum of all values the slices lack, beyond rounding: a slice of stacked
 * points may not hold its mean, and the first and the last are the extremes. Centroids of one mean
 * count as one, so that the sum is that of a | b and of b | a.
 */
static double
lost_sum(const Slices *s, const TdigestCentroid *order, uint32_t count,
         const TdigestCentroid *centroids)
{
    const double least = order[0].mean;
    Sum lost = {0, 0};
    double all = 0;

    for (uint32_t i = 0; i < count;) {
        const double mean = order[i].mean;
        uint64_t weight = 0;
        double moment;

        /* Ends for damaged means, too: NaN is equal to nothing. */
        do
            weight += centroids[order[i++].weight].weight;
        while (i < count && order[i].mean == mean);
        moment = (mean - least) * (double)(int64_t)weight;
        all += moment;
        sum_add(&lost, moment);
    }
    for (uint32_t i = 0; i < s->count; i++)
        sum_add(&lost, -(s->out[i].mean - least) * (double)(int64_t)s->out[i].weight);
    return fabs(lost.high + lost.low) > ROUNDING_LOSS * all ? lost.high + lost.low : 0;
}

uint32_t
tdigest_add_polygons(Tdigest *digest, double d, uint32_t most, TdigestCentroid **out,
                     const SketchMemory *memory)
{
    const uint32_t count = digest->count;
    const uint32_t ends_most = (uint32_t)fmin(2 * d + 16, (double)digest->weight + 16);
    TdigestCentroid *order = memory->scratch((size_t)count * 2 * sizeof64(*order), memory->context);
    Knot *knots = memory->scratch(count * sizeof64(*knots), memory->context);
    uint64_t *ends = memory->scratch(ends_most * sizeof64(*ends), memory->context);
    Slices s = {
        .most = most, .total = digest->weight, .end = ends, .bounds = tdigest_has_bounds(digest)};

    for (uint32_t i = 0; i < count; i++)
        order[i] = tdigest_unmarked(digest->centroids[i].mean, i);
    tdigest_sort_centroids(order, count, order + count, memory);
    make_knots(digest, order[count - 1].mean - order[0].mean, knots);
    order_ties(order, count, digest->centroids, knots, memory);
    s.lowest = order[0].mean;
    s.highest = order[count - 1].mean;
    s.left = tdigest_divide_weight(digest->weight, d, ends, ends_most);
    s.stop = s.left > 1 ? (double)*ends - ROUNDING : INFINITY;
    /* Two for each slice, and two more for rows that leave the highest value. */
    *out = s.out =
        memory->scratch((2 * (size_t)s.left + most + 2) * sizeof64(*s.out), memory->context);
    sweep(&s, order, count, knots, memory);
    s.out[0].mean = s.lowest;
    s.out[s.count - 1].mean = s.highest;
    digest->residual += lost_sum(&s, order, count, digest->centroids);
    memory->release(ends, memory->context);
    memory->release(knots, memory->context);
    memory->release(order, memory->context);
    return s.count;
}

/*
 * Adds to the sum of all values, by moving each mean but the extremes by the same part of the way
 * to the next one above, or below. That part is the whole way at most.
 */
static void
add_to_one_side(TdigestCentroid *c, uint32_t count, double residual)
{
    double room = 0, part;

    for (uint32_t i = 1; i + 1 < count; i++)
        room += tdigest_is_point(&c[i])
                    ? 0
                    : (residual > 0 ? c[i + 1].mean - c[i].mean : c[i].mean - c[i - 1].mean) *
                          (double)(int64_t)c[i].weight;
    part = fabs(residual) / room;
    if (!(part <= 1) || !isfinite(room))
        return;
    if (residual > 0)
        for (uint32_t i = 1; i + 1 < count; i++)
            c[i].mean =
                tdigest_is_point(&c[i])
                    ? c[i].mean
                    : fmin(c[i].mean + part * (c[i + 1].mean - c[i].mean), c[i + 1].mean) + 0.0;
    else
        for (uint32_t i = count - 1; i-- > 1;)
            c[i].mean =
                tdigest_is_point(&c[i])
                    ? c[i].mean
                    : fmax(c[i].mean - part * (c[i].mean - c[i - 1].mean), c[i - 1].mean) + 0.0;
}

/*
 * Adds to the sum of all values, by moving each mean by the same part of the way to its nearer
 * neighbour: a small one, unless rounding is all that is to be added. Where values repeat, the
 * nearer neighbour is often at distance 0.
 */
static void
add_residual(TdigestCentroid *c, uint32_t count, double residual)
{
    double width = 0, part, below = 0;

    for (uint32_t i = 0; i + 1 < count; i++) {
        double above = c[i + 1].mean - c[i].mean;

        width += tdigest_is_point(&c[i]) ? 0 : fmin(below, above) * (double)(int64_t)c[i].weight;
        below = above;
    }
    part = residual / width;
    if (!(fabs(part) < 0.25) || !isfinite(width)) {
        add_to_one_side(c, count, residual);
        return;
    }
    below = 0;
    for (uint32_t i = 0; i + 1 < count; i++) {
        double above = c[i + 1].mean - c[i].mean;

        c[i].mean += tdigest_is_point(&c[i]) ? 0 : part * fmin(below, above) + 0.0;
        below = above;
    }
}

void
tdigest_compact(Tdigest *digest, double d, uint32_t most, const SketchMemory *memory)
{
    TdigestCentroid *out;

    tdigest_join_points(digest, memory);
    if (digest->order == TDIGEST_RUNS)
        digest->count = tdigest_add_polygons(digest, d, most, &out, memory);
    else {
        out = memory->scratch(digest->count * sizeof64(*out) + 1, memory->context);
        digest->count = tdigest_join_neighbors(digest, d, most, out, memory);
    }
    if (digest->residual != 0)
        add_residual(out, digest->count, digest->residual);
    digest->residual = 0;
    tdigest_close(digest, memory);
    digest->centroids = digest->scratch = out;
    digest->order = TDIGEST_SORTED;
    tdigest_join_points(digest, memory);
    digest->order = TDIGEST_MERGED;
}

void
tdigest_settle(Tdigest *digest, uint32_t most, const SketchMemory *memory)
{
    const uint32_t d = TDIGEST_FINENESS * digest->compression;

    if (digest->order != TDIGEST_MERGED)
        tdigest_join_points(digest, memory);
    if (digest->order == TDIGEST_RUNS ||
        (digest->order == TDIGEST_SORTED &&
         (digest->count > d || tdigest_has_spread(digest->centroids, digest->count))))
        tdigest_compact(digest, d, most, memory);
    digest->order = TDIGEST_MERGED;
}
