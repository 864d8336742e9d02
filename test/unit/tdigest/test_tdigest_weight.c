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

int
main(void)
{
    test_repeated();
    test_huge();
    test_overflow();
    test_one_heavy();
    test_nearly_equal();
    test_zero();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
