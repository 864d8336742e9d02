/*
 * test_tdigest_weight.c - weights: like repeated values, up to 2^63-1 and not beyond.
 */
#include "../digest.h"

static SketchError error;

/* ---- weighted and repeated ---- */

/* The errors of all quantiles in thousandths; their rms. Releases the digest. */
static double
rms_error(SketchState state, const double *sorted, size_t n, double most)
{
    SketchBytes packed = digest_finish(state);
    Tdigest digest = digest_read(packed);
    double sum = 0;

    expect(digest.weight == n && digest_canonical(packed), "weight");
    expect(tdigest_min(&digest) == sorted[0] && tdigest_max(&digest) == sorted[n - 1], "extremes");
    for (unsigned i = 1; i < 1000; i++) {
        double q = i / 1e3;
        double off = oracle_error(sorted, n, tdigest_quantile(&digest, q), q);

        expect(off <= most, "quantile %g is %g ppm off", q, off * 1e6);
        sum += off * off;
    }
    expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) / oracle_trimmed_mean(sorted, n, 0, 1) - 1) <
               1e-12,
           "mean");
    expect_consistent(&digest, "weighted");
    digest_close(&digest);
    release_bytes(packed);
    return sqrt(sum / 999);
}

static void
test_repeated(void)
{
    enum { ITEMS = 4000, MOST = 20 };
    double *all = malloc(ITEMS * MOST * sizeof *all);
    double sum[2] = {0};

    for (unsigned seed = 1; seed <= 6; seed++) {
        Random random = {seed};
        SketchState weighted = digest_new(200), repeated = digest_new(200);
        size_t n = 0;

        for (unsigned i = 0; i < ITEMS; i++) {
            double value = pow(random_unit(&random), -0.5);
            uint64_t weight = 1 + random_below(&random, MOST);

            digest_add(&weighted, value, weight);
            for (uint64_t j = 0; j < weight; j++) {
                digest_add(&repeated, value, 1);
                all[n++] = value;
            }
        }
        sort_doubles(all, n);
        sum[0] += rms_error(weighted, all, n, 4e-3);
        sum[1] += rms_error(repeated, all, n, 4e-3);
    }
    expect(sum[0] < 1.25 * sum[1], "%g ppm, repeated %g ppm", sum[0] / 6e-6, sum[1] / 6e-6);
    free(all);
    conclude("a weight is as good as as many values");
}

/* ---- huge weights ---- */

static void
test_huge(void)
{
    Random random = {2};

    for (unsigned trial = 0; trial < trials_of(200); trial++) {
        unsigned items = 1 + (unsigned)random_below(&random, trial < 100 ? 12 : 6000);
        uint64_t most = UINT64_C(1) << (62 - (trial < 100 ? 4 : 13));
        SketchState state = digest_new(trial % 4 ? 200 : 10);
        double low = INFINITY, high = -INFINITY;
        uint64_t total = 0;
        SketchBytes packed;
        Tdigest digest;

        for (unsigned i = 0; i < items; i++) {
            double value = random_unit(&random) - 0.5;
            uint64_t weight = trial % 2
                                  ? 1 + random_below(&random, most)
                                  : UINT64_C(1) << random_below(&random, trial < 100 ? 59 : 50);

            digest_add(&state, value, weight);
            total += weight;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        packed = digest_pack(state);
        expect(tdigest_weight(packed) == total && tdigest_weight(sketch_bytes(state)) == total,
               "%u items: weight", items);
        expect(digest_canonical(packed), "%u items: not canonical", items);
        for (unsigned form = 0; form < 2; form++) {
            digest = digest_read(form ? packed : sketch_bytes(state));
            expect(tdigest_min(&digest) == low && tdigest_max(&digest) == high, "extremes");
            expect_consistent(&digest, "huge weights");
            digest_close(&digest);
        }
        release_bytes(packed);
        release_state(state);
    }
    conclude("huge weights: exact totals, consistent answers");
}

/* ---- overflow ---- */

/* Refused with its number and range, and not a byte changed. */
static void
expect_refused(SketchState state, double value, uint64_t weight)
{
    Bytes before = bytes_copy(state.data, state.size);
    SketchState tried = state;
    uint64_t room = TDIGEST_WEIGHT_MAX - tdigest_weight(sketch_bytes(state));

    error = (SketchError){.status = SKETCH_OK};
    expect(!tdigest_insert(&tried, value, weight, &memory, &error) &&
               error.status == SKETCH_OVERFLOW && error.reason && error.has_range == (room > 0) &&
               (room == 0 ||
                (error.found == (int64_t)weight && error.low == 1 && error.high == (int64_t)room)),
           "weight %llu is not refused", (unsigned long long)weight);
    expect(tried.data == state.data && same_bytes(before.data, before.size, state.data, state.size),
           "a refused weight changed something");
    free(before.data);
}

static void
expect_not_merged(SketchState state, SketchBytes other)
{
    Bytes before = bytes_copy(state.data, state.size);
    SketchState tried = state;

    error = (SketchError){.status = SKETCH_OK};
    expect(!tdigest_ops.merge(&tried, other, &memory, &error) && error.status == SKETCH_OVERFLOW,
           "merged beyond the largest weight");
    expect(tried.data == state.data && same_bytes(before.data, before.size, state.data, state.size),
           "a refused merge changed something");
    free(before.data);
}

static void
test_overflow(void)
{
    SketchState state = digest_new(200), other = digest_new(10), nothing = digest_new(200);
    SketchBytes packed;

    digest_add(&state, 1, 1);
    digest_add(&state, 2, 1);
    expect_refused(state, 3, TDIGEST_WEIGHT_MAX);
    expect_refused(state, 3, TDIGEST_WEIGHT_MAX - 1);
    digest_add(&state, 3, TDIGEST_WEIGHT_MAX - 4);
    digest_add(&other, 5, 3);
    packed = digest_pack(other);
    expect_refused(state, 3, 3);
    expect_not_merged(state, packed);
    expect_not_merged(state, sketch_bytes(other));
    expect_not_merged(state, sketch_bytes(state));
    digest_add(&state, 4, 2);
    expect(tdigest_weight(sketch_bytes(state)) == TDIGEST_WEIGHT_MAX, "the largest weight");
    expect_refused(state, 4, 1);
    expect(!tdigest_add(state, 4), "the fast path adds beyond the largest weight");
    digest_merge(&state, sketch_bytes(nothing));
    release_bytes(packed);
    packed = digest_pack(state);
    expect(tdigest_weight(packed) == TDIGEST_WEIGHT_MAX && digest_canonical(packed),
           "the largest weight, packed");
    release_bytes(packed);
    release_state(state);
    release_state(other);
    release_state(nothing);
    conclude("weights beyond 2^63-1 are refused and change nothing");
}

/* A weight of its own in the middle of many: not merged with anything, nor lost. */
static void
test_one_heavy(void)
{
    for (unsigned at = 0; at <= 10; at++) {
        SketchState state = digest_new(200);
        SketchBytes packed;
        Tdigest digest;

        for (unsigned i = 0; i < 5000; i++) {
            if (i == at * 500)
                digest_add(&state, 1000, UINT64_C(1) << 40);
            digest_add(&state, (i * 2654435761u) % 2000 + 0.5, 1);
        }
        if (at == 10)
            digest_add(&state, 1000, UINT64_C(1) << 40);
        packed = digest_finish(state);
        digest = digest_read(packed);
        expect(fabs(tdigest_quantile(&digest, 0.5) - 1000) < 1e-6 &&
                   fabs(tdigest_trimmed_mean(&digest, 0, 1) - 1000) < 1e-5,
               "%u: median %.17g", at, tdigest_quantile(&digest, 0.5));
        expect(tdigest_min(&digest) < 2 && tdigest_max(&digest) > 1998 && digest_canonical(packed),
               "extremes");
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("one value of nearly all the weight");
}

static void
test_zero(void)
{
    for (unsigned i = 0; i < 63; i++) {
        SketchState state = digest_new(10);
        uint8_t *before = state.data;
        SketchBytes packed;
        Tdigest digest;

        if (!tdigest_insert(&state, -0.0, UINT64_C(1) << i, &memory, &error))
            expect(false, "weight 2^%u", i);
        if (state.data != before)
            memory_release_value(before, NULL);
        packed = digest_pack(state);
        digest = digest_read(packed);
        expect(digest_sound(&digest) && digest.count == 1 && digest_canonical(packed),
               "-0 of weight 2^%u", i);
        digest_close(&digest);
        release_bytes(packed);
        release_state(state);
    }
    conclude("-0 becomes 0, whatever its weight");
}

/*
 * A heavy -2 or 2, a few light values, many heavy ones on the other side of 0: the second centroid
 * begins with the light ones, so its mean is the heavy ones', and must not be beyond it in a last
 * place.
 */
static void
test_nearly_equal(void)
{
    for (unsigned seed = 1; seed <= 1000; seed++) {
        SketchState state = digest_new(10 + seed % 30);
        Random random = {seed};
        double sign = seed % 2 ? 1 : -1;
        double values[] = {-2 * sign, -sign * random_unit(&random), sign * random_unit(&random)};
        SketchBytes packed;

        for (unsigned i = 0; i < 160; i++) {
            unsigned v = i == 0 ? 0 : i < 6 ? 1 : 2;

            digest_add(&state, values[v], v == 1 ? 1 : UINT64_C(1) << 55);
        }
        packed = digest_finish(state);
        expect(digest_canonical(packed), "seed %u: not canonical", seed);
        release_bytes(packed);
    }
    conclude("means stay between their values, however uneven the weights");
}

/* ---- a weighted row is as many rows ---- */

typedef struct Row {
    double value;
    uint64_t weight;
} Row;

static int
compare_rows(const void *a, const void *b)
{
    double x = ((const Row *)a)->value, y = ((const Row *)b)->value;

    return (x > y) - (x < y);
}

/* Returns the value of row `rank`, from 0. */
static double
row_at(const Row *rows, unsigned count, uint64_t rank)
{
    for (unsigned i = 0; i + 1 < count; i++) {
        if (rank < rows[i].weight)
            return rows[i].value;
        rank -= rows[i].weight;
    }
    return rows[count - 1].value;
}

/* Sets how many rows are below a value, and how many equal it. */
static void
rank_of(const Row *rows, unsigned count, double value, uint64_t *below, uint64_t *equal)
{
    *below = *equal = 0;
    for (unsigned i = 0; i < count; i++)
        *(rows[i].value < value ? below : equal) += rows[i].value <= value ? rows[i].weight : 0;
}

/* Few values: every answer is that of the rows one by one. */
static void
expect_exact(SketchBytes packed, const Row *rows, unsigned count, uint64_t total, const char *name)
{
    Tdigest digest = digest_read(packed);

    expect(digest.weight == total && digest_canonical(packed), "%s: weight", name);
    for (unsigned i = 0; i <= 1000; i++) {
        double index = i / 1e3 * (double)(total - 1), share = index - floor(index);
        double low = row_at(rows, count, (uint64_t)index);
        double high = row_at(rows, count, (uint64_t)index + (share > 0));
        double percentile = tdigest_percentile(&digest, i / 1e3);

        expect(fabs(percentile - (low + (high - low) * share)) <= 1e-6 * (high - low),
               "%s: percentile %g is %.17g, not between %g and %g", name, i / 1e3, percentile, low,
               high);
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t below, equal;

        rank_of(rows, count, rows[i].value, &below, &equal);
        expect(tdigest_below(&digest, rows[i].value) == (double)below + (double)equal / 2 &&
                   tdigest_less(&digest, rows[i].value) == (double)below &&
                   tdigest_up_to(&digest, rows[i].value) == (double)(below + equal),
               "%s: the rank of %g", name, rows[i].value);
    }
    digest_close(&digest);
}

/* How far the percentiles are from their ranks in the rows, on average. */
static double
average_error(SketchBytes packed, const Row *rows, unsigned count, uint64_t total)
{
    Tdigest digest = digest_read(packed);
    double sum = 0;

    for (unsigned i = 1; i < 1000; i++) {
        double index = i / 1e3 * (double)(total - 1);
        uint64_t below, equal;

        rank_of(rows, count, tdigest_percentile(&digest, i / 1e3), &below, &equal);
        sum += fmax(fmax((double)below - index, index - (double)(below + equal)), 0);
    }
    expect(digest.weight == total && digest_canonical(packed), "weight");
    digest_close(&digest);
    return sum / 999 / (double)total;
}

/* The union of the digests of `parts` parts of the rows, dealt out in turn. */
static SketchBytes
digest_of_rows(const Row *rows, unsigned count, unsigned parts)
{
    SketchState whole = digest_new(200);

    for (unsigned p = 0; p < parts; p++) {
        SketchState state = digest_new(200);
        SketchBytes packed;

        for (unsigned i = p; i < count; i += parts)
            digest_add(&state, rows[i].value, rows[i].weight);
        packed = digest_finish(state);
        digest_merge(&whole, packed);
        release_bytes(packed);
    }
    return digest_finish(whole);
}

static void
test_rows(void)
{
    enum { MOST = 20000 };
    Row *rows = malloc(MOST * sizeof *rows);
    double sum = 0;
    unsigned many = 0;

    for (unsigned seed = 0; seed < trials_of(400); seed++) {
        Random random = {seed};
        bool few = seed % 10 > 0;
        /* 7919 is a prime, so that it leads to each row. */
        unsigned count = few ? 1 + random_below(&random, 60) : MOST, parts = 1 + seed % 7;
        uint64_t total = 0;
        SketchBytes packed;
        char name[40];

        for (unsigned i = 0; i < count; i++) {
            uint64_t weight = UINT64_C(1) << random_below(&random, few ? 40 : 10);

            /* Ratings, whole numbers and fractions; powers of two of weights, and any. */
            rows[i] = (Row){seed % 3 == 0   ? (double)(1 + i % 5)
                            : seed % 3 == 1 ? (double)random_below(&random, 1000000)
                                            : random_unit(&random),
                            seed % 2 ? weight : 1 + random_below(&random, weight)};
            /* Even ones: the noise of a sample would be the most of the error. */
            if (!few && seed % 3 > 0)
                rows[i] = (Row){pow(i, 1 + seed % 3), 1 + i * 7 % 10};
            total += rows[i].weight;
        }
        sprintf(name, "seed %u, %u rows", seed, count);
        packed = digest_of_rows(rows, count, parts);
        qsort(rows, count, sizeof *rows, compare_rows);
        if (few || seed % 3 == 0)
            expect_exact(packed, rows, count, total, name);
        else {
            sum += average_error(packed, rows, count, total);
            many++;
        }
        release_bytes(packed);
    }
    printf("# many weighted rows: %.0f ppm on average\n", sum / many * 1e6);
    expect(sum / many <= 60e-6, "%g ppm on average", sum / many * 1e6);
    free(rows);
    conclude("weighted rows are as many rows: exact where values are few, within 60 ppm elsewhere");
}

int
main(void)
{
    test_rows();
    test_repeated();
    test_huge();
    test_overflow();
    test_one_heavy();
    test_nearly_equal();
    test_zero();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
