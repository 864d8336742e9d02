/*
 * test_tdigest_error.c - how far off answers are, for any distribution in any order.
 *
 * Errors are of ranks, as shares of all values, so they depend on the order in which values come
 * and hardly on what they are. The bounds at compression 200 are the targets for a million values
 * (rms over seeds); of a single digest twice that and two values more. Where values jump, or are so
 * few that a centroid is few values, all that is known is how large a centroid may be.
 */
#include "../digest.h"

#define N 200000
#define MILLION 1000000
#define SEEDS 8
#define PACKED_MOST 1400 /* bytes at compression 200, with the length word */

static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
static const double targets[] = {300e-6, 300e-6, 200e-6, 50e-6, 8e-6};
#define QUANTILES 5

static double sorted[MILLION], ordered[MILLION];

/* ---- distributions, sorted ---- */

static double
uniform(Random *random)
{
    return random_unit(random);
}

static double
lognormal(Random *random)
{
    double radius = sqrt(-2 * log(random_unit(random)));

    return exp(radius * cos(6.283185307179586 * random_unit(random)));
}

static double
pareto(Random *random)
{
    return pow(random_unit(random), -1 / 1.16);
}

static double
constant(Random *random)
{
    (void)random;
    return 0.1;
}

static double
two_valued(Random *random)
{
    return random_below(random, 3) ? -0.3 : 1e9 / 3;
}

static double
few_valued(Random *random)
{
    return floor(random_unit(random) * random_unit(random) * 40) / 7;
}

static double
huge_range(Random *random)
{
    double value = pow(10, 600 * random_unit(random) - 300);

    return random_below(random, 2) ? value : -value;
}

static double
largest(Random *random)
{
    double value = DBL_MAX * (1 - random_unit(random) / 8);

    return random_below(random, 2) ? value : -value;
}

static double
denormal(Random *random)
{
    return 0x1p-1074 * (double)random_below(random, 1 << 20);
}

typedef struct Distribution {
    const char *name;
    double (*draw)(Random *random);
} Distribution;

static const Distribution smooth[] = {
    {"uniform", uniform}, {"lognormal", lognormal}, {"Pareto", pareto}};
static const Distribution odd[] = {{"constant", constant},     {"two values", two_valued},
                                   {"few values", few_valued}, {"1e-300 to 1e300", huge_range},
                                   {"+-DBL_MAX", largest},     {"denormal", denormal}};

static void
draw_sorted(const Distribution *distribution, size_t n, uint64_t seed)
{
    Random random = {seed};

    for (size_t i = 0; i < n; i++)
        sorted[i] = distribution->draw(&random);
    sort_doubles(sorted, n);
}

/* ---- orders ---- */

static size_t
ascending(size_t i, size_t n)
{
    (void)n;
    return i;
}

static size_t
descending(size_t i, size_t n)
{
    return n - 1 - i;
}

static size_t
sawtooth(size_t i, size_t n)
{
    return i % 1000 * (n / 1000) + i / 1000;
}

/* Up over every other one, and down over the rest. */
static size_t
organ_pipe(size_t i, size_t n)
{
    return i < n / 2 ? 2 * i : 2 * (n - 1 - i) + 1;
}

/* From both ends to the middle; and from the middle to both ends. */
static size_t
inward(size_t i, size_t n)
{
    return i % 2 ? n - 1 - i / 2 : i / 2;
}

static size_t
outward(size_t i, size_t n)
{
    return inward(n - 1 - i, n);
}

/* The middle in any order first, then what is above it, then what is below. */
static size_t
blocks(size_t i, size_t n)
{
    return (i + n / 3) % n;
}

typedef struct Order {
    const char *name;
    size_t (*rank)(size_t i, size_t n);
    double factor; /* of the targets */
} Order;

/*
 * Whatever comes inward, or in blocks, lies between values that were neighbours before, and maybe
 * in one centroid: this is the worst that can be done to a digest, half a fine centroid.
 */
static const Order orders[] = {{"ascending", ascending, 2}, {"descending", descending, 2},
                               {"sawtooth", sawtooth, 2},   {"organ pipe", organ_pipe, 2},
                               {"outward", outward, 2},     {"three blocks", blocks, 15},
                               {"inward", inward, 15}};
#define ORDERS (sizeof orders / sizeof orders[0])

static void
put_in_order(const Order *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ordered[i] = sorted[order->rank(i, n)];
}

static void
shuffle(size_t n, uint64_t seed)
{
    Random random = {seed + 1000};

    memcpy(ordered, sorted, n * sizeof *sorted);
    for (size_t i = n; i > 1; i--) {
        size_t j = random_below(&random, i);
        double swap = ordered[i - 1];

        ordered[i - 1] = ordered[j];
        ordered[j] = swap;
    }
}

/* ---- errors ---- */

/* Of both tails, the larger. */
static double
error_at(const Tdigest *digest, size_t n, double q)
{
    return fmax(oracle_error(sorted, n, tdigest_quantile(digest, q), q),
                oracle_error(sorted, n, tdigest_quantile(digest, 1 - q), 1 - q));
}

/*
 * The weight, as a share of all, that tdigest/tdigest.c lets a centroid at q have at compression
 * 200.
 */
static double
centroid_share(double q, size_t n)
{
    double spread = q * (1 - q);
    double log_range = log((double)n) + 1;

    return 1 /
           (105 * (0.65 / (3.141592653589793 * sqrt(spread)) + 0.35 / (2 * log_range * spread)));
}

/* What an error may be; a factor of 0 asks for no more than being near the right centroid. */
static double
bound_at(double q, double target, double factor, size_t n)
{
    return (factor > 0 ? factor * target : 1.5 * centroid_share(q, n)) + 2 / (double)n;
}

/* All that is known of a packed digest of the first n in `sorted`, at compression 200. */
static void
check_packed(SketchBytes packed, size_t n, double factor, const char *what, const char *how)
{
    double mean, right = oracle_trimmed_mean(sorted, n, 0, 1);
    Tdigest digest = digest_read(packed);
    char name[80];

    snprintf(name, sizeof name, "%s, %s", what, how);
    expect(digest_canonical(packed), "%s: not canonical", name);
    expect(digest.weight == n, "%s: weight", name);
    expect(packed.size + SKETCH_PREFIX_BYTES <= PACKED_MOST, "%s: %zu bytes", name, packed.size);
    expect(tdigest_min(&digest) == sorted[0] && tdigest_max(&digest) == sorted[n - 1],
           "%s: extremes", name);
    for (unsigned i = 0; i < QUANTILES; i++) {
        double error = error_at(&digest, n, quantiles[i]);

        expect(error <= bound_at(quantiles[i], targets[i], factor, n), "%s: %g ppm at p%g", name,
               error * 1e6, quantiles[i] * 100);
    }
    for (unsigned i = 0; i <= 50; i++) {
        double value = sorted[(size_t)i * (n - 1) / 50];
        double below = tdigest_below(&digest, value) / (double)n;
        double right = oracle_below(sorted, n, value) / (double)n;

        expect(fabs(below - right) <= bound_at(0.5, targets[0], factor, n),
               "%s: cdf(%g) %g, not %g", name, value, below, right);
    }
    mean = tdigest_trimmed_mean(&digest, 0, 1);
    /* A denormal mean loses up to its last place with each centroid. */
    expect(fabs(mean / 2 - right / 2) <=
               1e-12 * fmax(fabs(sorted[0]), fabs(sorted[n - 1])) + 200 * 0x1p-1074,
           "%s: the mean is %.17g, not %.17g", name, mean, right);
    expect_consistent(&digest, name);
    digest_close(&digest);
}

static void
test_rms(const Distribution *distribution)
{
    double sum[QUANTILES] = {0};

    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        SketchBytes packed;
        Tdigest digest;

        draw_sorted(distribution, N, seed);
        shuffle(N, seed);
        packed = digest_packed_of(ordered, N, 200);
        check_packed(packed, N, 3, distribution->name, "shuffled");
        digest = digest_read(packed);
        for (unsigned i = 0; i < QUANTILES; i++) {
            double q = quantiles[i];
            double high = oracle_error(sorted, N, tdigest_quantile(&digest, q), q);
            double low = oracle_error(sorted, N, tdigest_quantile(&digest, 1 - q), 1 - q);

            sum[i] += (high * high + low * low) / 2;
        }
        digest_close(&digest);
        release_bytes(packed);
    }
    for (unsigned i = 0; i < QUANTILES; i++)
        expect(sqrt(sum[i] / SEEDS) <= targets[i], "%g ppm at p%g", sqrt(sum[i] / SEEDS) * 1e6,
               quantiles[i] * 100);
    conclude("%s: rms error within the targets", distribution->name);
}

static void
test_million(void)
{
    for (unsigned i = 0; i < 3; i++) {
        SketchBytes packed;

        draw_sorted(&smooth[i], MILLION, 100);
        shuffle(MILLION, 100);
        packed = digest_packed_of(ordered, MILLION, 200);
        check_packed(packed, MILLION, 2, smooth[i].name, "a million");
        release_bytes(packed);
    }
    conclude("a million values: errors, bytes, consistency");
}

static void
test_orders(void)
{
    for (unsigned i = 0; i < ORDERS; i++) {
        SketchBytes packed;

        draw_sorted(&smooth[i % 3], N, i);
        put_in_order(&orders[i], N);
        packed = digest_packed_of(ordered, N, 200);
        check_packed(packed, N, orders[i].factor, smooth[i % 3].name, orders[i].name);
        release_bytes(packed);
    }
    conclude("no order is worse");
}

static void
test_odd(void)
{
    for (unsigned i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        draw_sorted(&odd[i], N / 4, i);
        for (unsigned j = 0; j < 3; j++) {
            SketchBytes packed;

            if (j == 0)
                shuffle(N / 4, i);
            else
                put_in_order(&orders[j - 1], N / 4);
            packed = digest_packed_of(ordered, N / 4, 200);
            check_packed(packed, N / 4, 0, odd[i].name, j ? orders[j - 1].name : "shuffled");
            release_bytes(packed);
        }
    }
    conclude("constant, few values, huge ranges, the largest and the smallest");
}

/* A state is asked at any time, also when only a few values wait beside its centroids. */
static void
test_waiting(void)
{
    SketchState state = digest_new(200);
    Random random = {11};
    double most = 0;

    for (unsigned i = 0; i < N + 2000; i++) {
        Tdigest digest;
        double median;
        unsigned below = 0;

        ordered[i] = random_unit(&random);
        digest_add(&state, ordered[i], 1);
        if (i < N)
            continue;
        digest = digest_read(sketch_bytes(state));
        median = tdigest_quantile(&digest, 0.5);
        digest_close(&digest);
        for (unsigned j = 0; j <= i; j++)
            below += ordered[j] < median;
        most = fmax(most, fabs((double)below / (i + 1) - 0.5));
    }
    expect(most <= targets[0], "%g ppm", most * 1e6);
    release_bytes(digest_finish(state));
    conclude("a state, whatever waits");
}

/* Few values at the ends are centroids of their own, and stay what they are. */
static void
expect_ends(SketchBytes value, double *values, size_t count)
{
    Tdigest digest = digest_read(value);

    sort_doubles(values, count);
    for (unsigned i = 0; i < 3; i++)
        expect(tdigest_at(&digest, i) == values[i] &&
                   tdigest_at(&digest, (double)(count - 1 - i)) == values[count - 1 - i],
               "%u from the ends: %.17g and %.17g, not %.17g and %.17g", i, tdigest_at(&digest, i),
               tdigest_at(&digest, (double)(count - 1 - i)), values[i], values[count - 1 - i]);
    digest_close(&digest);
}

static void
expect_even(SketchBytes value, double n, const char *what, unsigned number)
{
    Tdigest digest = digest_read(value);

    for (unsigned i = 0; i < QUANTILES; i++) {
        double q = quantiles[i], error = fabs(tdigest_quantile(&digest, q) - q);

        expect(error <= targets[i] / 3 + 4 / n, "%s, %u: %g ppm at p%g", what, number, error * 1e6,
               q * 100);
    }
    digest_close(&digest);
}

/*
 * A large digest and a few values, which lie within its centroids: merged in either order, as a
 * state and packed; and one value after the other, each time packed. Multiples of the golden ratio
 * fill the way from 0 to 1 so evenly that a value is its rank.
 */
static void
test_few_more(void)
{
    SketchBytes large, grown;
    SketchState one;

    for (unsigned i = 0; i < N + 1000; i++)
        ordered[i] = fmod((i + 1) * 0.6180339887498949, 1);
    large = digest_packed_of(ordered, N, 200);
    for (unsigned few = 1; few <= 300; few += 1 + few / 4)
        for (unsigned order = 0; order < 2; order++) {
            SketchState more = digest_of(ordered + N, few, 200), state;
            SketchBytes parts[2] = {large, digest_finish(more)};

            state = tdigest_ops.open(parts[order], &memory);
            digest_merge(&state, parts[1 - order]);
            expect_even(sketch_bytes(state), N, "a union", few);
            grown = digest_finish(state);
            expect(digest_canonical(grown), "a union with %u: not canonical", few);
            expect_even(grown, N, "a packed union", few);
            release_bytes(grown);
            release_bytes(parts[1]);
        }
    grown = large;
    for (unsigned i = N; i < N + 1000; i++) {
        one = tdigest_ops.open(grown, &memory);
        release_bytes(grown);
        digest_add(&one, ordered[i], 1);
        grown = digest_finish(one);
        expect_even(grown, N, "one more", i - N);
    }
    expect_ends(grown, ordered, N + 1000);
    release_bytes(grown);
    conclude("a large digest and a few values");
}

/* Values that are all the same are answered as they are, however many. */
static void
test_constant(void)
{
    static const double values[] = {0.1, -1.0 / 3, 1e-310, DBL_MAX, -DBL_MAX, 1e300 / 3, 0};

    for (unsigned v = 0; v < sizeof values / sizeof values[0]; v++) {
        SketchState state = digest_new(100);
        SketchBytes packed;
        Tdigest digest;

        for (unsigned i = 0; i < 20000; i++)
            digest_add(&state, values[v], 1);
        packed = digest_finish(state);
        digest = digest_read(packed);
        for (unsigned i = 0; i <= 1000; i++)
            expect(tdigest_quantile(&digest, i / 1e3) == values[v], "%.17g: quantile %g is %.17g",
                   values[v], i / 1e3, tdigest_quantile(&digest, i / 1e3));
        expect(tdigest_trimmed_mean(&digest, 0.1, 0.9) == values[v] &&
                   tdigest_below(&digest, values[v]) == 10000,
               "%.17g: mean or rank", values[v]);
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("a constant is answered exactly");
}

/* Means of parts, against the values. */
static void
test_means(void)
{
    for (unsigned i = 0; i < 2; i++) {
        SketchBytes packed;
        Tdigest digest;

        draw_sorted(&smooth[i], N, 7);
        shuffle(N, 7);
        packed = digest_packed_of(ordered, N, 200);
        digest = digest_read(packed);
        for (unsigned j = 0; j < 9; j++) {
            double low = j / 20.0, high = 1 - j / 30.0;
            double mean = tdigest_trimmed_mean(&digest, low, high);
            double right = oracle_trimmed_mean(sorted, N, low, high);

            expect(fabs(mean - right) <= (j == 0 ? 1e-12 : 1e-3) * right, "%s: %.17g, not %.17g",
                   smooth[i].name, mean, right);
        }
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("trimmed means");
}

/* The targets scale with the compression; more centroids are never worse than fewer by much. */
static void
test_compressions(void)
{
    static const unsigned compressions[] = {10, 11, 25, 100, 500, 1000, 10000};

    draw_sorted(&smooth[0], N, 9);
    shuffle(N, 9);
    for (unsigned i = 0; i < sizeof compressions / sizeof compressions[0]; i++) {
        unsigned compression = compressions[i];
        double scale = 200.0 / compression;
        SketchBytes packed = digest_packed_of(ordered, N, compression);
        Tdigest digest = digest_read(packed);

        expect(digest_canonical(packed) && digest.compression == compression &&
                   digest.weight == N && digest.count <= compression * 3 / 4 &&
                   digest.count >= compression / 2,
               "compression %u: %u centroids", compression, digest.count);
        /* Between centroids of neighbouring sizes the error falls with the square. */
        for (unsigned j = 0; j < QUANTILES; j++)
            expect(error_at(&digest, N, quantiles[j]) <=
                       2 * targets[j] * scale * fmax(scale, 1) + 2.0 / N,
                   "compression %u: %g ppm at p%g", compression,
                   error_at(&digest, N, quantiles[j]) * 1e6, quantiles[j] * 100);
        expect_consistent(&digest, "a compression");
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("compressions 10 to 10000");
}

/* Every number of values around where packing begins to merge, and on the way up. */
static void
test_sizes(void)
{
    draw_sorted(&smooth[1], N, 11);
    for (size_t n = 140; n < 40000; n += n < 330 ? 1 : n / 9) {
        SketchBytes packed;

        draw_sorted(&smooth[1], n, n);
        shuffle(n, n);
        packed = digest_packed_of(ordered, n, 200);
        check_packed(packed, n, 0, "lognormal", "any number");
        release_bytes(packed);
    }
    conclude("any number of values: errors, bytes, consistency");
}

int
main(void)
{
    for (unsigned i = 0; i < 3; i++)
        test_rms(&smooth[i]);
    test_million();
    test_orders();
    test_odd();
    test_waiting();
    test_few_more();
    test_constant();
    test_means();
    test_compressions();
    test_sizes();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
