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

/* The share below each bound is that of the counts, but for the values that stand there. */
static void
test_histogram_shares(void)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        double bounds[21];
        int64_t counts[20];
        Random random = {seed};
        SketchBytes value;
        Tdigest digest;
        double total = 0, below = 0;

        bounds[0] = -5;
        for (unsigned i = 0; i < 20; i++) {
            bounds[i + 1] = bounds[i] + random_unit(&random) * 3;
            counts[i] =
                (int64_t)(100 + random_below(&random, 1000)) * (int64_t)random_below(&random, 3);
            total += (double)counts[i];
        }
        if (!tdigest_from_histogram(bounds, 21, counts, 20, &memory, &value, &error)) {
            expect(false, "%s", error.reason);
            continue;
        }
        digest = digest_read(value);
        for (unsigned i = 0; i <= 20; i++) {
            expect(fabs(tdigest_below(&digest, bounds[i]) - below) <= 1,
                   "seed %u, bound %u: %g, not %g of %g", seed, i,
                   tdigest_below(&digest, bounds[i]), below, total);
            below += i < 20 ? (double)counts[i] : 0;
        }
        digest_close(&digest);
        release_bytes(value);
    }
    conclude("histograms: shares at the bounds");
}

static void
test_exponential(void)
{
    for (int scale = -12; scale <= 22; scale++)
        for (int offset = -1200; offset <= 1200; offset += 150) {
            static const int64_t counts[] = {3, 0, 2};
            HistogramCounts buckets = {offset, 3, counts};
            double low = exp2(offset * exp2(-scale)), high = exp2((offset + 3) * exp2(-scale));
            SketchBytes value;
            Tdigest digest;

            if (!tdigest_from_exponential_histogram(scale, 1, buckets, buckets, &memory, &value,
                                                    &error)) {
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

/* A value alone in its bucket stands in the middle, between 0 and a positive bound, or at the bound. */
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
        expect(digest.count == 1 && digest.centroids[0].mean == buckets[i].middle &&
                   digest.centroids[0].weight == 1,
               "bucket %zu: %g", i, digest.centroids[0].mean);
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
    test_alone();
    test_exponential();
    test_polls();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
