/*
 * test_theta_estimate.c - estimates and bounds: beside the distributions that they approximate,
 * known answers, coverage, and the error of sketches and of expressions.
 */
#include <math.h>

#include "../theta_set.h"
#include "core/theta/theta_internal.h"

#define SMALL_SAMPLE 120 /* up to so many hashes a bound is not that of a normal distribution */

static SketchError error;

/* Beyond 1, 2 and 3 standard deviations, as DataSketches has it. */
static const double tail[] = {0, 0.1586553191586026479, 0.0227502618904135701,
                              0.0013498126861731796};

/* The probability that a Poisson variable of this mean is below n. */
static double
poisson_below(unsigned n, double mean)
{
    double term = exp(-mean), sum = 0;

    for (unsigned i = 0; i < n; i++) {
        sum += term;
        term *= mean / (i + 1);
    }
    return sum;
}

/* The mean for which that is `probability`. */
static double
poisson_mean(unsigned n, double probability)
{
    double low = 0, high = 1000;

    for (unsigned i = 0; i < 200; i++) {
        double middle = (low + high) / 2;

        if (poisson_below(n, middle) > probability)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Sketches with n hashes, each of them kept with the probability p. */
static ThetaBounds
bounds_at(unsigned n, double p, unsigned sigmas)
{
    ThetaSummary summary = {12, n, (uint64_t)(p * 0x1p63)};

    return theta_bounds(summary, sigmas);
}

static bool
near(double is, double expected)
{
    return fabs(is - expected) <= 1e-9 * fabs(expected);
}

/* If p is small, N p has a Poisson distribution, whose quantiles are the bounds. */
static void
test_small_p(void)
{
    const double p = 0x1p-44;

    for (unsigned n = 0; n <= SMALL_SAMPLE; n++)
        for (unsigned sigmas = 1; sigmas <= 3; sigmas++) {
            ThetaBounds b = bounds_at(n, p, sigmas);
            double lower = n > 0 ? poisson_mean(n, 1 - tail[sigmas]) / p : 0;
            double upper = poisson_mean(n + 1, tail[sigmas]) / p;

            expect(near(b.lower, lower) && b.estimate == n / p && near(b.upper, upper),
                   "%u hashes, %u deviations: %.17g to %.17g, not %.17g to %.17g", n, sigmas,
                   b.lower, b.upper, lower, upper);
        }
    conclude("bounds of small samples of many items are quantiles of a Poisson distribution");
}

/* How many deviations n is from what is expected of a bound, half an item nearer. */
static double
deviations_from(double n, double p, double bound, double sign)
{
    double items = bound - sign * 0.5;

    return sign * (items * p - n - sign * 0.5) / sqrt(items * p * (1 - p));
}

/* The normal approximation, with 1, 2 or 3 deviations or those that are exact for a small p. */
static void
test_approximation(void)
{
    static const unsigned samples[] = {2, 3, 5, 20, 119, 120, 121, 122, 500, 4000};

    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        for (unsigned sigmas = 1; sigmas <= 3; sigmas++)
            for (double p = 0.999; p > 1e-6; p *= 0.7) {
                double n = samples[i], lower = sigmas, upper = sigmas;
                ThetaBounds b = bounds_at(samples[i], p, sigmas);

                if (n <= SMALL_SAMPLE) {
                    double root = sqrt(poisson_mean(samples[i], 1 - tail[sigmas]));

                    lower = (n - 0.5) / root - root;
                    root = sqrt(poisson_mean(samples[i] + 1, tail[sigmas]));
                    upper = root - (n + 0.5) / root;
                    if (p >= n / 360)
                        continue;
                }
                /* A bound is not beyond the number of hashes, or the estimate. */
                expect(b.lower == n || b.lower == b.estimate ||
                           near(deviations_from(n, p, b.lower, -1), lower),
                       "%g hashes, p %g, %u deviations: lower %.17g", n, p, sigmas, b.lower);
                expect(near(deviations_from(n, p, b.upper, 1), upper),
                       "%g hashes, p %g, %u deviations: upper %.17g", n, p, sigmas, b.upper);
            }
    conclude("bounds of large samples are those of the normal approximation");
}

/* The probability of n or fewer successes in so many trials. */
static double
binomial_up_to(unsigned n, double trials, double p)
{
    double sum = 0;

    for (unsigned i = 0; i <= n; i++)
        sum += exp(lgamma(trials + 1) - lgamma(i + 1) - lgamma(trials - i + 1) + i * log(p) +
                   (trials - i) * log1p(-p));
    return sum;
}

/* The most items with which n or more, and the fewest with which n or fewer, are in the tail. */
static void
test_exact(void)
{
    for (unsigned n = 0; n <= SMALL_SAMPLE; n += n < 10 ? 1 : 11)
        for (unsigned sigmas = 1; sigmas <= 3; sigmas++)
            for (double p = 0.97; n < 2 ? p > 0.1 : p > n / 360.0; p -= 0.09) {
                ThetaBounds b = bounds_at(n, p, sigmas);
                double more = b.lower + 1, fewer = b.upper - 1;

                expect(b.lower == n ||
                           (b.lower == floor(b.lower) &&
                            1 - binomial_up_to(n - 1, b.lower, p) <= tail[sigmas] + 1e-12),
                       "%u, p %g, %u deviations: %g is too high", n, p, sigmas, b.lower);
                expect(n == 0 || more > b.estimate ||
                           1 - binomial_up_to(n - 1, more, p) > tail[sigmas] - 1e-12,
                       "%u, p %g, %u deviations: %g is too low", n, p, sigmas, b.lower);
                expect(b.upper == floor(b.upper) &&
                           binomial_up_to(n, b.upper, p) <= tail[sigmas] + 1e-12,
                       "%u, p %g, %u deviations: %g is too low", n, p, sigmas, b.upper);
                expect(fewer < b.estimate || binomial_up_to(n, fewer, p) > tail[sigmas] - 1e-12,
                       "%u, p %g, %u deviations: %g is too high", n, p, sigmas, b.upper);
            }
    conclude("bounds of small samples of few items are those of the binomial distribution");
}

/* Which way is taken where: whole numbers are of the distribution, others of the approximation. */
static void
test_thresholds(void)
{
    for (unsigned n = 2; n <= SMALL_SAMPLE; n++) {
        ThetaBounds below = bounds_at(n, n / 360.0 * (1 - 1e-9), 2);
        ThetaBounds from = bounds_at(n, n / 360.0 * (1 + 1e-9), 2);

        expect(below.upper != floor(below.upper) && fabs(below.upper - from.upper) < 2 &&
                   from.upper == floor(from.upper),
               "%u hashes: upper %g and %g", n, below.upper, from.upper);
        expect(below.lower != floor(below.lower) && fabs(below.lower - from.lower) < 2 &&
                   from.lower == floor(from.lower),
               "%u hashes: lower %g and %g", n, below.lower, from.lower);
    }
    expect(bounds_at(120, 0.5, 2).upper == floor(bounds_at(120, 0.5, 2).upper) &&
               bounds_at(121, 0.5, 2).upper != floor(bounds_at(121, 0.5, 2).upper),
           "120 and 121 hashes");
    expect(bounds_at(120, 1 - 1.2e-5, 3).upper == 122 && bounds_at(120, 1 - 9e-6, 3).upper == 121 &&
               bounds_at(120, 1 - 9e-6, 3).lower == 120,
           "nearly all");
    expect(theta_bounds((ThetaSummary){12, 120, THETA_EXACT}, 3).upper == 120 &&
               theta_bounds((ThetaSummary){12, 120, THETA_EXACT - 1}, 3).upper == 121,
           "all, and one less");
    conclude("each way to the bounds begins where it should");
}

/* With 2 and 3 deviations each side fails at most as often as the tail, and some noise. */
static void
test_coverage(void)
{
    static const struct {
        uint32_t lgk;
        uint64_t items;
    } size[] = {{4, 17}, {4, 40}, {4, 300}, {5, 2000}, {6, 5000}, {7, 200}, {8, 20000}};
    const unsigned trials = trials_of(3000);

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        unsigned below[4] = {0}, above[4] = {0};
        double n = (double)size[i].items;

        for (unsigned trial = 0; trial < trials; trial++) {
            uint64_t from = (trial + i * trials) * UINT64_C(1000000);
            SketchBytes value = theta_of(size[i].lgk, from, from + size[i].items);
            ThetaSummary summary = theta_summary(value, &memory);

            for (unsigned sigmas = 1; sigmas <= 3; sigmas++) {
                ThetaBounds b = theta_bounds(summary, sigmas);

                expect(b.lower <= b.estimate && b.estimate <= b.upper, "bounds in order");
                above[sigmas] += b.lower > n;
                below[sigmas] += b.upper < n;
            }
            release_bytes(value);
        }
        for (unsigned sigmas = 1; sigmas <= 3; sigmas++) {
            /* The normal approximation of the tail is 10 % off at most; 4 standard errors. */
            double most = 1.1 * tail[sigmas] * trials + 4 * sqrt(tail[sigmas] * trials) + 1;

            expect(below[sigmas] <= most && above[sigmas] <= most,
                   "lgk %u, %g items, %u deviations: %u below, %u above of %u", size[i].lgk, n,
                   sigmas, below[sigmas], above[sigmas], trials);
        }
    }
    conclude("bounds hold as often as they say");
}

/* Estimates of n items at lgk: mean and spread over trials. */
static void
test_error(void)
{
    static const struct {
        unsigned lgk;
        uint64_t items;
        unsigned trials;
    } size[] = {{8, 128, 20}, {8, 256, 20}, {8, 1000, 2000}, {8, 50000, 2000}, {10, 20000, 1000}};

    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        double sum = 0, squares = 0, n = (double)size[i].items;
        unsigned trials = trials_of(size[i].trials);
        /* A sample of a part of the items; k of n are known for certain. */
        double k = ldexp(1, (int)size[i].lgk), expected = n > k ? sqrt((1 - k / n) / (k - 1)) : 0;

        for (unsigned trial = 0; trial < trials; trial++) {
            uint64_t from = (trial + (i + 100) * 10000) * UINT64_C(1000000);
            SketchBytes value = theta_of(size[i].lgk, from, from + size[i].items);
            double off = theta_bounds(theta_summary(value, &memory), 1).estimate / n - 1;

            sum += off;
            squares += off * off;
            release_bytes(value);
        }
        expect(fabs(sum / trials) <= 4 * expected / sqrt(trials), "bias %g", sum / trials);
        expect(fabs(sqrt(squares / trials) - expected) <= 4 * expected / sqrt(2 * trials),
               "lgk %u, %g items: %g, expected %g", size[i].lgk, n, sqrt(squares / trials),
               expected);
    }
    conclude("the error is 1 / sqrt(k - 1), without bias");
}

static SketchBytes
combined(ThetaOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes value = {NULL, 0};

    expect(theta_combine(op, a, b, &memory, &value, &error), "combined");
    release_bytes(a);
    release_bytes(b);
    return value;
}

/* (A & B) - C, and ((A & B) - C) | (D & A), of sets of 20,000 items that overlap. */
static void
test_expressions(void)
{
    const unsigned trials = trials_of(400), lgk = 10;
    unsigned outside[2] = {0};
    double sum[2] = {0};

    for (unsigned trial = 0; trial < trials; trial++) {
        uint64_t o = (trial + 5000000) * UINT64_C(1000000);
        const double truth[] = {6000, 11000};
        SketchBytes value[2];

        value[0] = combined(THETA_DIFFERENCE,
                            combined(THETA_INTERSECTION, theta_of(lgk, o, o + 20000),
                                     theta_of(lgk, o + 8000, o + 28000)),
                            theta_of(lgk, o + 14000, o + 34000));
        value[1] = combined(THETA_UNION, theta_finish(theta_ops.open(value[0], &memory)),
                            combined(THETA_INTERSECTION, theta_of(lgk, o + 15000, o + 35000),
                                     theta_of(lgk, o, o + 20000)));
        for (unsigned i = 0; i < 2; i++) {
            ThetaBounds b = theta_bounds(theta_summary(value[i], &memory), 2);

            outside[i] += truth[i] < b.lower || truth[i] > b.upper;
            sum[i] += b.estimate / truth[i] - 1;
            release_bytes(value[i]);
        }
    }
    for (unsigned i = 0; i < 2; i++) {
        expect(outside[i] <= 0.0455 * trials + 4 * sqrt(0.0455 * trials), "%u outside", outside[i]);
        /* Of s in n items: sqrt(n / s) / sqrt(k) each. */
        expect(fabs(sum[i] / trials) < 4 * sqrt(20000 / 6000.0 / 1024 / trials), "bias %g",
               sum[i] / trials);
    }
    conclude("bounds hold for expressions of three and four sets");
}

static void
test_jaccard(void)
{
    const unsigned trials = trials_of(600);
    unsigned outside = 0;
    ThetaBounds j;
    SketchBytes a, b, none = theta_of(12, 0, 0);

    a = theta_of(12, 0, 1000);
    b = theta_of(12, 500, 1500);
    expect(theta_jaccard(a, b, &memory, &j, &error) && j.lower == 1 / 3.0 &&
               j.estimate == 1 / 3.0 && j.upper == 1 / 3.0,
           "exact sets");
    expect(theta_jaccard(a, none, &memory, &j, &error) && j.upper == 0, "an empty one");
    expect(theta_jaccard(none, none, &memory, &j, &error) && j.lower == 1, "two empty ones");
    release_bytes(a);
    release_bytes(b);
    release_bytes(none);
    for (unsigned trial = 0; trial < trials; trial++) {
        uint64_t o = (trial + 7000000) * UINT64_C(1000000);

        a = theta_of(8, o, o + 5000);
        b = theta_of(8, o + 2000, o + 8000);
        expect(theta_jaccard(a, b, &memory, &j, &error) && j.lower < j.estimate &&
                   j.estimate < j.upper,
               "bounds in order");
        outside += 3.0 / 8 < j.lower || 3.0 / 8 > j.upper;
        expect(theta_jaccard(a, a, &memory, &j, &error) && j.lower == 1, "of itself");
        release_bytes(a);
        release_bytes(b);
    }
    expect(outside <= 0.0455 * trials + 4 * sqrt(0.0455 * trials), "%u outside", outside);
    conclude("similarity, and its bounds");
}

/* Quantiles of the beta distribution by the formula of Abramowitz and Stegun, in 40 digits. */
static void
test_jaccard_known(void)
{
    static const struct {
        unsigned lgk;
        uint64_t a_from, a_to, b_from, b_to;
        double both, all, lower, upper;
    } known[] = {
        {8, 0, 5000, 2000, 8000, 107, 338, 0.26729653959864025, 0.36908727907630363},
        {8, 0, 300, 100, 400, 172, 337, 0.48609231433995429, 0.53462706414817146},
        {6, 0, 70, 60, 80, 10, 73, 0.10729763178507914, 0.17402463140021575},
        {9, 0, 600, 10, 700, 435, 518, 0.82099907821092739, 0.85703896460858282},
        {5, 0, 100000, 70000, 160000, 9, 54, 0.077687340075581179, 0.29556200354779996},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes a = theta_of(known[i].lgk, known[i].a_from, known[i].a_to);
        SketchBytes b = theta_of(known[i].lgk, known[i].b_from, known[i].b_to);
        ThetaBounds j;

        expect(theta_jaccard(a, b, &memory, &j, &error) &&
                   j.estimate == known[i].both / known[i].all &&
                   fabs(j.lower / known[i].lower - 1) < 1e-13 &&
                   fabs(j.upper / known[i].upper - 1) < 1e-13,
               "%zu: %.17g to %.17g", i, j.lower, j.upper);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("bounds of similarity are those of the formula");
}

/* A sketch of 20,000 hashes from `from`, and of the `more` least ones of those from `others`. */
static SketchBytes
theta_with(unsigned lgk, uint64_t from, uint64_t others, unsigned more)
{
    SketchState state = theta_new(lgk, &memory);
    uint64_t before = 0;

    for (uint64_t n = from; n < from + 20000; n++)
        theta_put(&state, nth_hash(n));
    for (; more > 0; more--) {
        uint64_t least = THETA_EXACT;

        for (uint64_t n = others; n < others + 20000; n++)
            if (nth_hash(n) > before && nth_hash(n) < least)
                least = nth_hash(n);
        theta_put(&state, least);
        before = least;
    }
    return theta_finish(state);
}

/*
 * None, one, all but one and all in common: bounds of Clopper and Pearson have a closed form there.
 */
static void
test_jaccard_corners(void)
{
    for (unsigned corner = 0; corner < 4; corner++) {
        bool many = corner >= 2;
        SketchBytes a = theta_of(8, 0, 20000);
        SketchBytes b = theta_with(many ? 9 : 8, many ? 0 : 50000, many ? 50000 : 0, corner % 2);
        uint64_t of_a = theta_summary(a, &memory).theta, of_b = theta_summary(b, &memory).theta;
        uint64_t theta = of_a < of_b ? of_a : of_b;
        double n = 0, x = 0, beyond, lower, upper;
        ThetaBounds j;

        for (uint64_t i = 0; i < 20000; i++) {
            n += nth_hash(i) < theta;
            n += !many && nth_hash(50000 + i) < theta;
        }
        n += corner == 3;
        x = corner == 0 ? 0 : corner == 1 ? 1 : corner == 2 ? n : n - 1;
        beyond = 0.5 * erfc(sqrt(2.0 * (1.0 - (double)theta / (double)THETA_EXACT)));
        expect(theta_jaccard(a, b, &memory, &j, &error) && j.estimate == x / n,
               "corner %u: %g of %g", corner, x, n);
        /* Where one hash differs, one of the two bounds has no closed form. */
        lower = corner == 0   ? 0
                : corner == 1 ? 1 - pow(1 - beyond, 1 / n)
                : corner == 2 ? pow(beyond, 1 / n)
                              : j.lower;
        upper = corner == 0   ? 1 - pow(beyond, 1 / n)
                : corner == 1 ? j.upper
                : corner == 2 ? 1
                              : pow(1 - beyond, 1 / n);
        expect(fabs(j.lower - lower) <= 1e-6 && fabs(j.upper - upper) <= 1e-6,
               "corner %u: %.9g to %.9g, not %.9g to %.9g", corner, j.lower, j.upper, lower, upper);
        expect(j.lower <= j.estimate && j.estimate <= j.upper &&
                   (corner != 1 || j.upper < 10 / n) && (corner != 3 || j.lower > 1 - 10 / n),
               "corner %u: bounds in order", corner);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("similarity where nothing, one, all but one and all are in common");
}

/* Answers of DataSketches: lgk, theta, count, deviations, and what it prints. */
static void
test_known(void)
{
    static const struct {
        ThetaSummary summary;
        double lower, estimate, upper;
    } known[] = {
        {{12, 37, UINT64_C(1159419464350962628)}, 210.0, 294.34106969617335, 401.0},
        {{12, 50, UINT64_C(81715406400377586)},
         4167.601972836441,
         5643.5943007267215,
         7470.223859990658},
        {{12, 40, UINT64_C(4866085469894479)},
         53787.699930705756,
         75817.59172885868,
         103821.68384976187},
        {{12, 385, UINT64_C(691122002949187227)},
         4651.5476377208615,
         5138.019364216604,
         5674.5264971372935},
        {{12, 364, UINT64_C(56128175564273242)},
         53803.552425476206,
         59815.01069049775,
         66488.35189347099},
        {{12, 4800, UINT64_C(738854721912391516)},
         58277.1533287096,
         59920.014671236575,
         61608.982156702084},
        {{12, 17140, UINT64_C(2647606184071449379)},
         58942.53873656264,
         59710.01188272818,
         60487.44215470767},
        {{12, 4096, UINT64_C(551734575361315420)},
         66420.68774449408,
         68473.01863983566,
         70588.47095925255},
        {{12, 3004, UINT64_C(1395095998947207093)},
         19200.0094816013,
         19860.288911745512,
         20543.124579338957},
        {{12, 3033, UINT64_C(1395095998947207093)},
         19388.521849682093,
         20052.016068350244,
         20738.065992141008},
        {{12, 1997, UINT64_C(1395095998947207093)},
         12665.729726041736,
         13202.728680677692,
         13762.309027940553},
        {{12, 578, UINT64_C(77224785739783491)},
         63489.1235391828,
         69033.65268329467,
         75056.86614691939},
        {{12, 153, UINT64_C(77224785739783491)},
         15503.270749042364,
         18273.613945578,
         21527.28295812532},
        {{12, 185, UINT64_C(77224785739783491)},
         19032.539624051104,
         22095.5462740649,
         25641.01535780263},
        {{12, 95, UINT64_C(77224785739783491)},
         9147.08346084039,
         11346.36160019549,
         13912.449488996786},
        {{12, 351, UINT64_C(1352379931926574039)},
         2165.395943888685,
         2393.8565698206453,
         2645.933489400575},
        {{12, 123, UINT64_C(1352379931926574039)},
         706.655067638948,
         838.8728150653543,
         994.9370983928854},
        {{12, 228, UINT64_C(1352379931926574039)},
         1372.301787295834,
         1554.9837547552909,
         1761.3626077756976},
        {{12, 88, UINT64_C(1352379931926574039)},
         486.70260109572627,
         600.1691685020421,
         731.2829025970497},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ThetaBounds b = theta_bounds(known[i].summary, 2);

        double within = known[i].summary.count > SMALL_SAMPLE ? 1e-14 : 5e-8;

        expect(fabs(b.lower / known[i].lower - 1) <= within && b.estimate == known[i].estimate &&
                   fabs(b.upper / known[i].upper - 1) <= within,
               "%u hashes: %.17g %.17g %.17g", known[i].summary.count, b.lower, b.estimate,
               b.upper);
    }
    conclude("bounds of DataSketches; of small samples to 5e-8");
}

/* A stored value that ends before its hashes do is refused on either side. */
static void
test_damaged(void)
{
    SketchBytes good = theta_of(12, 0, 5000), bad = theta_of(12, 2000, 9000), value;
    SketchError error;
    ThetaBounds j;

    memset((uint8_t *)bad.data + bad.size - 256, 0, 256);
    expect(!theta_jaccard(good, bad, &memory, &j, &error) && error.status == SKETCH_DAMAGED, "b");
    expect(!theta_jaccard(bad, good, &memory, &j, &error) && error.status == SKETCH_DAMAGED, "a");
    for (ThetaOp op = THETA_UNION; op <= THETA_DIFFERENCE; op++) {
        expect(!theta_combine(op, good, bad, &memory, &value, &error), "%d, b", (int)op);
        expect(!theta_combine(op, bad, good, &memory, &value, &error), "%d, a", (int)op);
    }
    release_bytes(good);
    release_bytes(bad);
    conclude("damaged values are refused, whichever is damaged");
}

int
main(void)
{
    test_small_p();
    test_approximation();
    test_exact();
    test_thresholds();
    test_known();
    test_coverage();
    test_error();
    test_expressions();
    test_jaccard();
    test_jaccard_known();
    test_jaccard_corners();
    test_damaged();
    expect(memory_used.pieces == 0, "%u pieces left", memory_used.pieces);
    conclude("no memory is left");
    return conclude_all();
}
