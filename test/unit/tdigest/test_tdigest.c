/*
 * test_tdigest.c - digests that hold every value: each answer is the definition's.
 */
#include "../digest.h"

/* Every query of n values against the oracle, from a working and a packed digest. */
static void
check_exact(const double *values, size_t n, unsigned compression, const char *name)
{
    SketchState state = digest_of(values, n, compression);
    SketchBytes packed = digest_pack(state);
    double *sorted = malloc(n * sizeof *sorted);

    memcpy(sorted, values, n * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] += 0.0;
    sort_doubles(sorted, n);
    expect(digest_canonical(packed), "%s: %zu, not canonical", name, n);
    for (unsigned form = 0; form < 2; form++) {
        Tdigest digest = digest_read(form ? packed : sketch_bytes(state));

        expect(digest_sound(&digest) && digest.count == n && digest.weight == n &&
                   digest.compression == compression,
               "%s: %zu, not sound", name, n);
        expect(tdigest_min(&digest) == sorted[0] && tdigest_max(&digest) == sorted[n - 1],
               "%s: %zu, extremes", name, n);
        for (size_t i = 0; i < n; i++) {
            double between = sorted[i] / 2 + sorted[i + 1 < n ? i + 1 : i] / 2;
            double ask[] = {sorted[i], nextafter(sorted[i], -INFINITY),
                            nextafter(sorted[i], INFINITY), between};

            expect(tdigest_at(&digest, (double)i) == sorted[i] &&
                       tdigest_at(&digest, (double)i + 0.999) == sorted[i],
                   "%s: %zu, value %zu", name, n, i);
            for (unsigned j = 0; j < 4; j++)
                expect(tdigest_below(&digest, ask[j]) == oracle_below(sorted, n, ask[j]) &&
                           tdigest_less(&digest, ask[j]) ==
                               (double)oracle_count(sorted, n, ask[j], false),
                       "%s: %zu, rank of %.17g", name, n, ask[j]);
        }
        for (size_t i = 0; i <= 4 * n; i++) {
            double q = (double)i / (double)(4 * n);

            /* Of two values whose difference is infinite percentile_cont has no number. */
            if (isfinite(sorted[n - 1] - sorted[0]))
                expect(tdigest_percentile(&digest, q) == oracle_percentile(sorted, n, q),
                       "%s: %zu, percentile %.17g", name, n, q);
            expect(tdigest_quantile(&digest, q) == oracle_quantile(sorted, n, q),
                   "%s: %zu, quantile %.17g", name, n, q);
        }
        expect(tdigest_below(&digest, -INFINITY) == 0 && tdigest_below(&digest, INFINITY) == n &&
                   tdigest_less(&digest, -INFINITY) == 0 && tdigest_less(&digest, INFINITY) == n,
               "%s: %zu, infinite", name, n);
        digest_close(&digest);
    }
    free(sorted);
    release_bytes(packed);
    release_state(state);
}

/* Values of moderate size: their means can be computed another way. */
static void
check_means(const double *values, size_t n, unsigned compression)
{
    SketchBytes packed = digest_packed_of(values, n, compression);
    Tdigest digest = digest_read(packed);
    double *sorted = malloc(n * sizeof *sorted);

    memcpy(sorted, values, n * sizeof *sorted);
    sort_doubles(sorted, n);
    for (unsigned i = 0; i < 20; i++)
        for (unsigned j = i + 1; j <= 20; j++) {
            double mean = tdigest_trimmed_mean(&digest, i / 20.0, j / 20.0);
            double right = oracle_trimmed_mean(sorted, n, i / 20.0, j / 20.0);

            expect(fabs(mean - right) <= 1e-13 * fmax(fabs(sorted[0]), fabs(sorted[n - 1])),
                   "%zu: mean from %u to %u of 20 is %.17g, not %.17g", n, i, j, mean, right);
        }
    expect(isnan(tdigest_trimmed_mean(&digest, 0, 0)), "the mean of none");
    free(sorted);
    digest_close(&digest);
    release_bytes(packed);
}

static void
test_exact(void)
{
    static const unsigned compressions[] = {10, 11, 100, 200, 1000};
    double values[750];
    Random random = {3};

    for (unsigned c = 0; c < 5; c++) {
        size_t most = compressions[c] * 3 / 4;

        for (size_t n = 1; n <= most; n += n < 20 ? 1 : most - n < 3 ? 1 : most / 5) {
            if (n > most - 2 && n < most)
                n = most;
            for (size_t i = 0; i < n; i++)
                values[i] = (random_unit(&random) - 0.5) * 1000;
            check_exact(values, n, compressions[c], "random");
            check_means(values, n, compressions[c]);
            for (size_t i = 0; i < n; i++)
                values[i] = (double)random_below(&random, 4) - 1;
            check_exact(values, n, compressions[c], "few distinct");
            check_means(values, n, compressions[c]);
        }
    }
    conclude("up to 3/4 compression values every answer is exact");
}

static void
test_extreme_values(void)
{
    static const double values[] = {
        DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 0x1p-1074, -0x1p-1074, 0.0,    -0.0, 1e300, -1e300,
        1e-300,  -1e-300,  1,       -1,       0x1p53,    0x1p53 + 2, 1e-310, 3,    0.1,   -0.0};
    const size_t n = sizeof values / sizeof values[0];
    double repeated[150];

    for (size_t i = 0; i < 150; i++)
        repeated[i] = values[i * 7 % n];
    check_exact(values, n, 200, "extremes");
    check_exact(repeated, 150, 200, "repeated extremes");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            check_exact((double[]){values[i], values[j]}, 2, 10, "two");
    conclude("the largest, the least, the smallest and zero");
}

/* Of no more than is held, means that stay between the extremes whatever they are. */
static void
test_extreme_means(void)
{
    static const struct {
        double value[4];
        double mean;
    } known[] = {
        {{DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, DBL_MAX},
        {{-DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX}, -DBL_MAX},
        {{-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX}, 0},
        {{-DBL_MAX, DBL_MAX, DBL_MAX, DBL_MAX}, DBL_MAX / 2},
        {{0x1p-1074, 0x1p-1074, 0x1p-1074, 0x1p-1074}, 0x1p-1074},
        {{0x1p-1074, 0x1p-1073, 0x1p-1073, 0x1p-1074 * 3}, 0x1p-1073},
        {{0.1, 0.1, 0.1, 0.1}, 0.1},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes packed = digest_packed_of(known[i].value, 4, 200);
        Tdigest digest = digest_read(packed);
        double mean = tdigest_trimmed_mean(&digest, 0, 1);

        expect(fabs(mean / 2 - known[i].mean / 2) <= DBL_MAX * 1e-15 &&
                   (known[i].mean == 0 || fabs(known[i].mean) > 1 ||
                    fabs(mean - known[i].mean) <= 0x1p-1074),
               "mean %zu is %.17g, not %.17g", i, mean, known[i].mean);
        expect(mean >= tdigest_min(&digest) && mean <= tdigest_max(&digest), "mean %zu: %g", i,
               mean);
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("means of the largest and the smallest values");
}

/* What Redis answered: REDIS.md. */
static void
test_known(void)
{
    static const double values[] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5};
    static const double below[] = {0, 0.5, 2, 4.5, 8, 12.5, 15};
    static const double cdf[] = {0, 1 / 30.0, 2 / 15.0, 0.3, 8 / 15.0, 5 / 6.0, 1};
    SketchBytes packed = digest_packed_of(values, 15, 100);
    Tdigest digest = digest_read(packed);
    SketchState state = digest_new(200);

    for (unsigned i = 0; i < 7; i++)
        expect(tdigest_below(&digest, i) == below[i] && tdigest_below(&digest, i) / 15 == cdf[i],
               "below %u", i);
    for (unsigned i = 0; i < 15; i++)
        expect(tdigest_at(&digest, i) == values[i] && tdigest_quantile(&digest, i / 15.0) > 0,
               "rank %u", i);
    expect(tdigest_trimmed_mean(&digest, 0.1, 0.9) == 3.769230769230769, "trimmed mean %.17g",
           tdigest_trimmed_mean(&digest, 0.1, 0.9));
    digest_close(&digest);
    release_bytes(packed);
    for (unsigned i = 1; i <= 10000; i++)
        digest_add(&state, i, 1);
    packed = digest_finish(state);
    digest = digest_read(packed);
    expect(fabs(tdigest_quantile(&digest, 0.5) - 5000.5) <= 1, "p50 is %.17g",
           tdigest_quantile(&digest, 0.5));
    expect(fabs(tdigest_quantile(&digest, 0.99) - 9900.5) <= 1, "p99 is %.17g",
           tdigest_quantile(&digest, 0.99));
    expect(tdigest_min(&digest) == 1 && tdigest_max(&digest) == 10000, "extremes");
    expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) - 5000.5) < 1e-9, "mean %.17g",
           tdigest_trimmed_mean(&digest, 0, 1));
    digest_close(&digest);
    release_bytes(packed);
    conclude("known answers of Redis");
}

/* Rows of weights, as the extremes and beside an equal one: each is a step. */
static void
test_steps(void)
{
    static const struct {
        double index, value;
    } at[] = {{0, 10},   {2, 10}, {3.9, 10},   {4, 20},  {4.5, 20},  {7, 20},
              {8.9, 20}, {9, 30}, {9.999, 30}, {10, 40}, {10.5, 40}, {14, 40}};
    static const struct {
        double value, below;
    } below[] = {{9, 0},  {10, 2},   {12.5, 4}, {15, 4},  {20, 6.5},
                 {25, 9}, {30, 9.5}, {35, 10},  {40, 12}, {41, 14}};
    SketchState state = digest_new(200);
    Tdigest digest;

    digest_add(&state, 40, 4);
    digest_add(&state, 10, 4);
    digest_add(&state, 30, 1);
    digest_add(&state, 20, 4);
    digest_add(&state, 20, 1);
    digest = digest_read(sketch_bytes(state));
    expect(digest.count == 4 && digest.weight == 14, "%u centroids, weight %llu", digest.count,
           (unsigned long long)digest.weight);
    /* 10 up to 4, 20 up to 9 in one with the single one, a single 30 up to 10, 40 up to 14 */
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
        expect(tdigest_at(&digest, at[i].index) == at[i].value, "at %g: %.17g", at[i].index,
               tdigest_at(&digest, at[i].index));
    for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
        expect(tdigest_below(&digest, below[i].value) == below[i].below, "below %g: %.17g",
               below[i].value, tdigest_below(&digest, below[i].value));
    expect_consistent(&digest, "by hand");
    digest_close(&digest);
    release_state(state);
    conclude("rows of weights are steps");
}

static void
test_empty(void)
{
    for (unsigned compression = 10; compression <= 10000; compression *= 10) {
        SketchState state = digest_new(compression);
        SketchBytes packed = digest_pack(state);
        Tdigest digest = digest_read(packed);

        expect(digest.count == 0 && digest.weight == 0 && digest.compression == compression &&
                   tdigest_weight(packed) == 0 && tdigest_weight(sketch_bytes(state)) == 0 &&
                   packed.size == TDIGEST_PACKED_HEADER && digest_canonical(packed),
               "compression %u", compression);
        digest_close(&digest);
        release_bytes(packed);
        release_state(state);
    }
    conclude("empty digests");
}

int
main(void)
{
    test_empty();
    test_exact();
    test_extreme_values();
    test_extreme_means();
    test_known();
    test_steps();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
