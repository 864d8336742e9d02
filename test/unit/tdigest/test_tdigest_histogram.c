/*
 * test_tdigest_histogram.c - histograms as digests: of any bounds, and exponential ones.
 */
#include "../digest.h"

static SketchError error;

static void
test_histograms(void)
{
    static const double bounds[] = {-1, 0, 1, 3};
    static const int64_t counts[] = {5, 0, 1000, 7, 1};
    SketchBytes value;

    for (uint32_t n = 0; n <= 5; n++)
        for (uint32_t b = 0; b <= 4; b++) {
            bool good = n + 1 >= b && n <= b + 1 && (n == 0 || b > 0);

            expect(tdigest_from_histogram(bounds, b, counts, n, &memory, &value, &error) == good,
                   "%u counts, %u bounds", n, b);
            if (good) {
                uint64_t total = 0;

                for (uint32_t i = 0; i < n; i++)
                    total += (uint64_t)counts[i];
                expect(tdigest_weight(value) == total && digest_canonical(value),
                       "%u counts, %u bounds: weight", n, b);
                release_bytes(value);
            } else
                expect(error.status == SKETCH_OUT_OF_RANGE, "%u counts, %u bounds", n, b);
        }
    conclude("histograms: as many counts as bounds, one more or one less");
}

/* Bounds and counts, the first bucket or the last one open or not, and what they say. */
typedef struct Histogram {
    double bounds[82];
    int64_t counts[82];
    uint32_t bounds_count, count;
    bool open_below, open_above; /* with an infinite bound, or none */
    double total;
} Histogram;

static Histogram
random_histogram(Random *random, const Histogram *same_bounds, bool narrow)
{
    static const double least[] = {-5, -1, 0, 0.25, 1e-300, -0x1p-1074, -1e305};
    uint32_t buckets = 1 + (uint32_t)random_below(random, random_below(random, 2) ? 10 : 78);
    uint64_t most = UINT64_C(1) << random_below(random, 24);
    Histogram h = {.total = 0};

    if (same_bounds)
        h = *same_bounds;
    else {
        h.open_below = random_below(random, 2) == 0;
        h.open_above = random_below(random, 2) == 0;
        h.bounds[0] = least[random_below(random, 7)];
        h.bounds_count = buckets + 1 - h.open_below - h.open_above;
        if (h.bounds_count == 0)
            h.bounds_count = 1;
        for (uint32_t i = 1; i < h.bounds_count; i++)
            h.bounds[i] = narrow && random_below(random, 9) == 0
                              ? step_from(h.bounds[i - 1], INFINITY, 2 + (unsigned)(i % 3))
                              : h.bounds[i - 1] + (1 + floor(random_unit(random) * 300)) / 100 *
                                                      fmax(fabs(h.bounds[0]), 1);
        /*
         * Open below without an open end above is as many counts as bounds; or a bound is infinite.
         */
        if (h.open_above && !h.open_below) {
            h.bounds[h.bounds_count++] = INFINITY;
        }
        h.count = h.bounds_count - 1 + h.open_below + (h.open_above && h.open_below);
    }
    h.total = 0;
    for (uint32_t i = 0; i < h.count; i++) {
        h.counts[i] = random_below(random, 4) == 0 ? 0 : (int64_t)random_below(random, most + 1);
        h.total += (double)h.counts[i];
    }
    return h;
}

static SketchBytes
digest_of_histogram(const Histogram *h)
{
    SketchBytes value = {NULL, 0};

    if (!tdigest_from_histogram(h->bounds, h->bounds_count, h->counts, h->count, &memory, &value,
                                &error))
        expect(false, "refused: %s", error.reason);
    return value;
}

/* How many values are up to each bound: counts of up to two histograms, added up. */
static void
expect_counts(SketchBytes value, const Histogram *a, const Histogram *b, double allowed,
              const char *what, unsigned trial)
{
    double below = a->open_below ? (double)(a->counts[0] + (b ? b->counts[0] : 0)) : 0;
    double total = a->total + (b ? b->total : 0);
    Tdigest digest = digest_read(value);

    if (a->open_below && a->bounds[0] > 0)
        expect(digest.count == 0 || tdigest_min(&digest) >= 0, "%s, %u: min", what, trial);
    for (uint32_t i = 0; digest.count > 0 && i < a->bounds_count; i++) {
        double bound = a->bounds[i], one = tdigest_below(&digest, bound);
        double other = tdigest_up_to(&digest, bound), less = tdigest_less(&digest, bound);
        uint32_t next = i + a->open_below;

        expect(fabs(one - below) <= allowed * total && fabs(other - below) <= allowed * total &&
                   fabs(less - below) <= allowed * total,
               "%s, %u, bound %u (%.17g): %.17g, %.17g, %.17g, not %.17g of %g", what, trial, i,
               bound, one, other, less, below, total);
        if (next < a->count)
            below += (double)(a->counts[next] + (b ? b->counts[next] : 0));
    }
    digest_close(&digest);
}

/* The share below each bound is that of the counts. */
static void
test_histogram_shares(void)
{
    Random random = {3};

    for (unsigned trial = 0; trial < trials_of(4000); trial++) {
        Histogram h = random_histogram(&random, NULL, true);
        SketchBytes value = digest_of_histogram(&h);

        if (value.data) {
            expect(digest_canonical(value), "trial %u", trial);
            expect_counts(value, &h, NULL, 0, "shares", trial);
            release_bytes(value);
        }
    }
    conclude("histograms: shares at the bounds are those of the counts");
}

/* A percentile in an open bucket is its bound; so is an extreme there. */
static void
test_open_buckets(void)
{
    Random random = {4};

    for (unsigned trial = 0; trial < trials_of(2000); trial++) {
        Histogram h = random_histogram(&random, NULL, true);
        SketchBytes value = digest_of_histogram(&h);
        uint32_t last = h.count - 1;
        double high = h.bounds[h.bounds_count - 1 - isinf(h.bounds[h.bounds_count - 1])];
        Tdigest digest = digest_read(value);

        for (unsigned i = 0; i <= 50 && digest.count > 0; i++) {
            double index = i / 50.0 * h.total, percentile = tdigest_percentile(&digest, i / 50.0);

            if (h.open_below && h.bounds[0] <= 0 && h.counts[0] > 0 && index <= (double)h.counts[0])
                expect(percentile == h.bounds[0], "trial %u, %u: %.17g", trial, i, percentile);
            else if (h.open_above && h.counts[last] > 0 &&
                     index >= h.total - (double)h.counts[last])
                expect(percentile == high, "trial %u, %u: %.17g", trial, i, percentile);
            expect(percentile >= tdigest_min(&digest) && percentile <= tdigest_max(&digest),
                   "trial %u, %u: %.17g is no value", trial, i, percentile);
        }
        if (digest.count > 0 && h.open_below && h.bounds[0] <= 0 && h.counts[0] > 0)
            expect(tdigest_min(&digest) == h.bounds[0], "trial %u: min", trial);
        if (digest.count > 0 && h.open_above && h.counts[last] > 0)
            expect(tdigest_max(&digest) == high, "trial %u: max", trial);
        digest_close(&digest);
        release_bytes(value);
    }
    conclude("histograms: open buckets");
}

/*
 * Merged, in either order; with an empty digest, nothing changes. Unions that fit as they are stay
 * exact; larger ones within the weight of two centroids.
 */
static void
test_merged(void)
{
    Random random = {5};

    for (unsigned trial = 0; trial < trials_of(2000); trial++) {
        Histogram a = random_histogram(&random, NULL, false);
        Histogram b = random_histogram(&random, trial % 4 ? &a : NULL, false);
        SketchBytes values[2] = {digest_of_histogram(&a), digest_of_histogram(&b)}, both[2];
        double min = 0, max = 0;
        unsigned centroids = 0;

        for (unsigned order = 0; order < 2; order++) {
            SketchState empty = digest_new(200), state = tdigest_ops.open(values[order], &memory);
            SketchBytes none = digest_pack(empty), same;

            digest_merge(&empty, values[order]);
            same = digest_finish(empty);
            expect(same_values(same, values[order]), "trial %u: empty | a", trial);
            release_bytes(same);
            digest_merge(&state, none);
            same = digest_pack(state);
            expect(same_values(same, values[order]), "trial %u: a | empty", trial);
            release_bytes(same);
            release_bytes(none);
            digest_merge(&state, values[1 - order]);
            both[order] = digest_finish(state);
            expect(digest_canonical(both[order]), "trial %u", trial);
        }
        for (unsigned i = 0; i < 2; i++) {
            Tdigest digest = digest_read(values[i]);

            if (digest.count > 0) {
                min = i == 0 || tdigest_min(&digest) < min ? tdigest_min(&digest) : min;
                max = i == 0 || tdigest_max(&digest) > max ? tdigest_max(&digest) : max;
            }
            centroids += digest.count;
            digest_close(&digest);
        }
        for (unsigned order = 0; order < 2; order++) {
            Tdigest digest = digest_read(both[order]);

            /* Of bounds that are neighbours, values may be on the other side of each other. */
            if (a.total > 0 && b.total > 0)
                expect(
                    (tdigest_min(&digest) == min || tdigest_min(&digest) == nextafter(min, max)) &&
                        (tdigest_max(&digest) == max ||
                         tdigest_max(&digest) == nextafter(max, min)),
                    "trial %u: extremes of a union: %.17g to %.17g, not %.17g to %.17g", trial,
                    tdigest_min(&digest), tdigest_max(&digest), min, max);
            digest_close(&digest);
            if (trial % 4 && fabs(a.bounds[0]) < 1e300)
                expect_counts(both[order], &a, &b, centroids <= 130 ? 1e-12 : 0.03, "merged",
                              trial);
        }
        for (unsigned i = 0; i < 2; i++) {
            release_bytes(values[i]);
            release_bytes(both[i]);
        }
    }
    conclude("histograms: merged");
}

/* One of the times that an hour's requests took; most of them about the median. */
static double
draw_duration(Random *random, double median)
{
    double u = random_unit(random);

    return median * pow(u / (1 - u), 0.7);
}

static void
count_duration(Histogram *h, double duration)
{
    uint32_t bucket = 0;

    while (duration > h->bounds[bucket])
        bucket++;
    h->counts[bucket]++;
    h->total++;
}

/*
 * Many histograms of the usual bounds, each with other shares: their union keeps the bounds. Beside
 * a digest, of an hour whose requests are known one by one, these lie within centroids.
 */
static void
test_hours(void)
{
    const Histogram none = {
        .bounds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, INFINITY},
        .bounds_count = 12,
        .count = 12,
        .open_below = true};
    Random random = {6};

    for (unsigned hours = 1; hours <= 30; hours++) {
        bool is_digest_last = hours % 2 == 0;
        SketchState state = digest_new(200);
        Histogram all = none;
        SketchBytes value;

        for (unsigned hour = 1; hour <= hours; hour++) {
            bool is_digest = is_digest_last && hour == hours;
            SketchState requests = digest_new(200);
            double median = 0.03 + random_unit(&random) * 0.1;
            Histogram h = none;

            for (unsigned i = 0; i < 5000; i++) {
                double duration = draw_duration(&random, median);

                count_duration(&h, duration);
                count_duration(&all, duration);
                digest_add(&requests, duration, 1);
            }
            value = digest_finish(requests);
            if (!is_digest) {
                release_bytes(value);
                value = digest_of_histogram(&h);
            }
            digest_merge(&state, value);
            release_bytes(value);
        }
        value = digest_finish(state);
        expect_counts(value, &all, NULL, is_digest_last ? 0.004 : 0.0005, "hours", hours);
        release_bytes(value);
    }
    conclude("histograms: hours merge to a day with the same bounds, and with a digest");
}

/* Values that come later move the ends, or do not. */
static void
test_values_beside(void)
{
    const Histogram h = {
        .bounds = {-3, 0, 5}, .counts = {10, 40, 40, 10}, .bounds_count = 3, .count = 4};
    SketchBytes value = digest_of_histogram(&h);

    for (unsigned i = 0; i < 6; i++) {
        static const double added[] = {-3, -4, 5, 7, 1, 0x1.4000000000002p2};
        SketchState state = tdigest_ops.open(value, &memory);
        SketchBytes packed;
        Tdigest digest;

        digest_add(&state, added[i], 1 + i % 2);
        packed = digest_finish(state);
        digest = digest_read(packed);
        expect(tdigest_min(&digest) == fmin(-3, added[i]) &&
                   tdigest_max(&digest) == fmax(5, added[i]),
               "%g: from %.17g to %.17g", added[i], tdigest_min(&digest), tdigest_max(&digest));
        expect(tdigest_below(&digest, -3) == 10 + (added[i] == -4   ? 2
                                                   : added[i] == -3 ? 0.5
                                                                    : 0),
               "%g: %.17g below -3", added[i], tdigest_below(&digest, -3));
        digest_close(&digest);
        release_bytes(packed);
    }
    release_bytes(value);
    conclude("histograms: values that come later");
}

static void
test_exponential(void)
{
    for (int scale = -12; scale <= 22; scale++)
        for (int offset = -1200; offset <= 1200; offset += 150) {
            static const int64_t counts[] = {3, 0, 2};
            HistogramCounts buckets = {offset, 3, counts};
            ExponentialHistogram h = {scale, 1, buckets, buckets, -INFINITY, INFINITY};
            double low = exp2(offset * exp2(-scale)), high = exp2((offset + 3) * exp2(-scale));
            SketchBytes value;
            Tdigest digest;

            if (!tdigest_from_exponential_histogram(&h, &memory, &value, &error)) {
                expect(error.status == SKETCH_OUT_OF_RANGE &&
                           (scale < -10 || scale > 20 || isinf(exp2((offset + 2) * exp2(-scale)))),
                       "scale %d, offset %d: %s", scale, offset, error.reason);
                continue;
            }
            digest = digest_read(value);
            expect(scale >= -10 && scale <= 20 && digest.weight == 11 && digest_canonical(value),
                   "scale %d, offset %d", scale, offset);
            expect(tdigest_max(&digest) <= high * (1 + 1e-14) &&
                       tdigest_min(&digest) == -tdigest_max(&digest),
                   "scale %d, offset %d: up to %g, not %g", scale, offset, tdigest_max(&digest),
                   high);
            /* Half are negative; then comes zero. */
            expect(tdigest_at(&digest, 5.5) == 0, "scale %d, offset %d: middle", scale, offset);
            for (uint32_t j = 0; j < digest.count; j++)
                expect(fabs(digest.centroids[j].mean) >= low * (1 - 1e-14) || j == digest.count / 2,
                       "scale %d, offset %d: %g, not %g", scale, offset, digest.centroids[j].mean,
                       low);
            digest_close(&digest);
            release_bytes(value);
        }
    conclude("exponential histograms of every scale");
}

/*
 * A value alone in its bucket stands in the middle, between 0 and a positive bound, or at the
 * bound.
 */
static void
test_alone(void)
{
    static const struct {
        double low, high, middle;
    } buckets[] = {{10, 20, 15},
                   {-20, -10, -15},
                   {-1, 3, 1},
                   {-INFINITY, -4, -4},
                   {-INFINITY, 4, 2},
                   {7, INFINITY, 7},
                   {1e308, 1.2e308, 1.1e308}};

    for (size_t i = 0; i < sizeof buckets / sizeof buckets[0]; i++) {
        double bounds[2] = {buckets[i].low, buckets[i].high};
        int64_t count = 1;
        SketchBytes value;
        Tdigest digest;

        if (!tdigest_from_histogram(bounds, 2, &count, 1, &memory, &value, &error)) {
            expect(false, "bucket %zu: %s", i, error.reason);
            continue;
        }
        digest = digest_read(value);
        expect(digest.count == 1 && tdigest_min(&digest) == buckets[i].middle &&
                   tdigest_max(&digest) == buckets[i].middle && digest.centroids[0].weight == 1,
               "bucket %zu: %g", i, tdigest_min(&digest));
        digest_close(&digest);
        release_bytes(value);
    }
    conclude("histograms: a value alone in its bucket");
}

/* Long inputs can be cancelled. */
static void
test_polls(void)
{
    enum { COUNT = 400000 };
    double *bounds = malloc((COUNT + 1) * sizeof *bounds);
    int64_t *counts = malloc(COUNT * sizeof *counts);
    SketchBytes value;

    for (unsigned i = 0; i <= COUNT; i++)
        bounds[i] = i;
    for (unsigned i = 0; i < COUNT; i++)
        counts[i] = i % 7;
    memory_polls = 0;
    if (tdigest_from_histogram(bounds, COUNT + 1, counts, COUNT, &memory, &value, &error))
        release_bytes(value);
    expect(memory_polls >= 2 * COUNT * 6 / 7 / SKETCH_POLL_STEPS - 2, "%zu polls", memory_polls);
    /* Also where the last count, or the last bound, is the first that is wrong. */
    memory_polls = 0;
    counts[COUNT - 1] = -1;
    expect(!tdigest_from_histogram(bounds, COUNT + 1, counts, COUNT, &memory, &value, &error) &&
               memory_polls >= 2 * (COUNT / SKETCH_POLL_STEPS),
           "%zu polls before the last count", memory_polls);
    memory_polls = 0;
    bounds[COUNT] = 0;
    expect(!tdigest_from_histogram(bounds, COUNT + 1, counts, COUNT, &memory, &value, &error) &&
               memory_polls >= COUNT / SKETCH_POLL_STEPS,
           "%zu polls before the last bound", memory_polls);
    free(bounds);
    free(counts);
    conclude("a long histogram asks whether to go on");
}

int
main(void)
{
    test_histograms();
    test_histogram_shares();
    test_open_buckets();
    test_merged();
    test_hours();
    test_values_beside();
    test_alone();
    test_exponential();
    test_polls();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
