/*
 * test_hll_estimate.c - how far off cardinalities are, within bounds that follow from theory.
 *
 * The theoretical error is computed here a second time, by numerical differentiation of the
 * registers' distribution. The rms error of T trials, each of error s, is s times the root of
 * chi-square(T) / T; five deviations of that are allowed. Every seed is fixed.
 */
#include <math.h>

#include "../check.h"
#include "../memory.h"
#include "core/hll/hll_internal.h"

#define DEVIATIONS 5
#define MOST 4e18 /* where a fifth of the registers have run full */

/* That a cell of this rank was hit after lambda items a register; the highest is 65 - p. */
static double
hit(unsigned rank, double lambda, unsigned precision)
{
    unsigned halvings = rank < 65 - precision ? rank : 64 - precision;

    return rank > 0 ? -expm1(-ldexp(lambda, -(int)halvings)) : 1;
}

/* That a register has this value. */
static double
probability(unsigned reg, double lambda, unsigned precision, unsigned history)
{
    unsigned rank = reg >> history;
    double p = hit(rank, lambda, precision);

    if (rank < 65 - precision)
        p *= exp(-ldexp(lambda, -(int)rank)); /* none above */
    for (unsigned down = 1; down <= history; down++) {
        double below = hit(rank > down ? rank - down : 0, lambda, precision);

        p *= reg >> (history - down) & 1 ? below : 1 - below;
    }
    return p;
}

/* Cramer-Rao of 2^precision registers, less what n's own fluctuation would add. */
static double
theory(double n, unsigned precision, unsigned history)
{
    double m = ldexp(1, (int)precision), lambda = n / m, h = 1e-4 * lambda, information = 0;

    for (unsigned reg = 0; reg < (66 - precision) << history; reg++) {
        double p = probability(reg, lambda, precision, history);
        double up = probability(reg, lambda + h, precision, history);
        double down = probability(reg, lambda - h, precision, history);

        if (p > 1e-12)
            information += (up - down) * (up - down) / (4 * h * h) / p;
    }
    return sqrt(fmax(0, 1 / (information * lambda * lambda * m) - 1 / n));
}

static void
test_theory(unsigned history, double least, double most, double billion)
{
    for (unsigned p = 4; p <= 18; p++)
        for (double n = 30; n < MOST; n *= 3) {
            double expected = theory(n, p, history), found = hll_estimate_error(n, p, history);

            if (n < ldexp(0.3, (int)p)) /* where differences of differences say little */
                continue;
            expect(fabs(found - expected) <= 2e-3 * expected, "p %u, n %g: %g, %g", p, n, found,
                   expected);
        }
    conclude("history %u: the error is that of Cramer and Rao", history);
    expect(hll_estimate_error(0, 14, history) == 0, "0");
    for (double n = 1; n < 1e18; n *= 1.5)
        expect(hll_estimate_error(n, 14, history) <= most / 128 &&
                   hll_estimate_error(n, 14, history) >= least / 128,
               "n %g: %g", n, hll_estimate_error(n, 14, history));
    expect(fabs(hll_estimate_error(1e9, 14, history) / (billion / 128) - 1) < 0.002,
           "at a billion");
    conclude("history %u: it lies between %.2f and %.2f / sqrt(m)", history, least, most);
}

/* The sums of errors, relative to n, over trials. */
typedef struct Errors {
    double sum, squares;
    unsigned trials;
} Errors;

static void
note(Errors *errors, double estimate, double n)
{
    double error = estimate / n - 1;

    errors->sum += error;
    errors->squares += error * error;
    errors->trials++;
}

/*
 * Ertl's raw estimator has Flajolet's constant for infinitely many registers, which is 1 + 1.08 / m
 * of that for m, and the maximum of a likelihood is off by about .48 / m where registers are few;
 * their rms errors are within 2 % of the theory besides.
 */
static void
judge(const Errors *errors, double sigma, unsigned precision, const char *what, double n)
{
    double rmse = sqrt(errors->squares / errors->trials);
    double bias = errors->sum / errors->trials;
    double slack = 1.02 + ldexp(1.1, -(int)precision);
    double spread = sqrt(2.0 / errors->trials);

    expect(rmse <= slack * sigma * sqrt(1 + DEVIATIONS * spread), "%s, n %g: rmse %g, theory %g",
           what, n, rmse, sigma);
    expect(rmse >= sigma * sqrt(fmax(0, 1 - DEVIATIONS * spread)) / slack,
           "%s, n %g: rmse only %g, theory %g", what, n, rmse, sigma);
    expect(fabs(bias) <= DEVIATIONS * sigma / sqrt(errors->trials) + ldexp(1.1, -(int)precision),
           "%s, n %g: bias %g, theory %g", what, n, bias, sigma);
}

/* A sparse sketch errs by collisions, a few in all trials, and by rounding to an integer. */
static void
judge_sparse(const Errors *errors, double sigma, double n)
{
    double rmse = sqrt(errors->squares / errors->trials);
    double collisions = errors->trials * sigma * sigma * n * n;

    expect(rmse * n <= sqrt((collisions + DEVIATIONS * sqrt(collisions)) / errors->trials) + 0.3,
           "sparse, n %g: rmse %g, theory %g", n, rmse, sigma);
}

/* Sketches that are filled item by item, and packed and judged at every n. */
static void
test_counting(SketchHash hash, unsigned precision, unsigned trials, const uint64_t *n,
              unsigned steps)
{
    const unsigned history = hll_history(hash);
    Errors errors[8] = {{0}};
    double sigma[8];

    for (unsigned trial = 0; trial < trials; trial++) {
        SketchState state = hll_new(hash, precision, &memory);
        uint64_t item = (uint64_t)trial << 32, first = item;

        for (unsigned i = 0; i < steps; i++) {
            SketchBytes packed;

            for (; item < first + n[i]; item++) {
                uint8_t *before = state.data;

                hll_insert(&state, mix64(item), &memory);
                if (state.data != before)
                    memory_release_value(before, NULL);
            }
            packed = hll_ops.pack(sketch_bytes(state), &memory);
            note(&errors[i], (double)hll_cardinality(packed, &memory), (double)n[i]);
            sigma[i] = history > 0 && !hll_header(packed).dense
                           ? hll_estimate_error((double)n[i], 26, HLL_EVERY_RANK)
                           : hll_estimate_error((double)n[i], precision, history);
            release_bytes(packed);
        }
        release_state(state);
    }
    for (unsigned i = 0; i < steps; i++) {
        if (sigma[i] < 1e-3)
            judge_sparse(&errors[i], sigma[i], (double)n[i]);
        else
            judge(&errors[i], sigma[i], precision, "counting", (double)n[i]);
    }
    conclude("history %u, precision %u, %u trials: error and bias are those of the theory", history,
             precision, trials);
}

/* A register of n items in all, as Poisson has it. */
static uint8_t
random_register(Random *random, double n, unsigned precision, unsigned history)
{
    double lambda = ldexp(n, -(int)precision);
    /* the least k with exp(-lambda / 2^k) >= u */
    double k = ceil(log2(lambda) - log2(-log(random_unit(random))));
    unsigned rank = (unsigned)fmin(fmax(k, 0), 65 - (int)precision), reg = rank;

    for (unsigned down = 1; down <= history; down++)
        reg =
            2 * reg + (random_unit(random) < hit(rank > down ? rank - down : 0, lambda, precision));
    return (uint8_t)reg;
}

/* Any n at the price of one: registers drawn from their distribution. */
static void
test_drawn(SketchHash hash, unsigned precision, unsigned trials)
{
    const unsigned history = hll_history(hash);
    size_t m = (size_t)1 << precision;
    uint8_t *registers = malloc(m);
    Random random = {precision};

    for (double n = (double)m / 2; n <= MOST; n = n < MOST / 300 ? n * 300
                                                  : n < MOST     ? MOST
                                                                 : 2 * MOST) {
        Errors errors = {0, 0, 0};
        double sigma = theory(n, precision, history);

        for (unsigned trial = 0; trial < trials; trial++) {
            SketchBytes packed;

            for (size_t i = 0; i < m; i++)
                registers[i] = random_register(&random, n, precision, history);
            packed = hll_from_registers(registers, hash, precision, &memory);
            note(&errors, (double)hll_cardinality(packed, &memory), n);
            release_bytes(packed);
        }
        /* Poisson many items: their fluctuation comes on top. */
        judge(&errors, hypot(sigma, 1 / sqrt(n)), precision, "drawn", n);
    }
    conclude("history %u, precision %u: up to 4e18 items", history, precision);
    free(registers);
}

/* One sketch across the switch from sparse to dense: no jump beyond the errors of both. */
static void
test_switch(void)
{
    const unsigned trials = trials_of(200);
    double sum = 0, squares = 0, sigma = hll_estimate_error(3277, 14, HLL_HISTORY);

    for (unsigned trial = 0; trial < trials; trial++) {
        SketchState state = hll_new(SKETCH_HASH_XXH3, 14, &memory);
        double before = 0, jump = 0;

        for (uint64_t i = 0; i < 3350 && jump == 0; i++) {
            uint8_t *old = state.data;
            HllHeader h;
            SketchBytes packed;

            hll_insert(&state, mix64((uint64_t)trial << 40 | i), &memory);
            if (state.data != old)
                memory_release_value(old, NULL);
            if (i < 3270)
                continue;
            packed = hll_ops.pack(sketch_bytes(state), &memory);
            h = hll_header(packed);
            if (h.dense)
                jump = (double)h.estimate / before - 1;
            before = (double)h.estimate;
            release_bytes(packed);
        }
        expect(fabs(jump) < 5 * sigma, "trial %u: %g", trial, jump);
        sum += jump;
        squares += jump * jump;
        release_state(state);
    }
    expect(fabs(sum / trials) < 1.0 / 3277 + DEVIATIONS * sigma / sqrt(trials), "mean jump %g",
           sum / trials);
    expect(fabs(sqrt(squares / trials) / sigma - 1) < 0.3, "rms jump %g, theory %g",
           sqrt(squares / trials), sigma);
    conclude("the step from sparse to dense is no larger than the error");
}

/* Registers no set of items gives: an answer all the same. */
static void
test_saturated(SketchHash hash, unsigned highest_precision)
{
    const unsigned history = hll_history(hash);

    for (unsigned p = 4; p <= highest_precision; p++) {
        size_t m = (size_t)1 << p;
        uint8_t *registers = malloc(m);
        uint64_t before = 0;

        for (unsigned rank = 0; rank <= 65 - p; rank++) {
            int all = (int)(rank << history | hll_register_empty(history));
            SketchBytes packed = hll_from_registers(memset(registers, all, m), hash, p, &memory);
            uint64_t n = hll_cardinality(packed, &memory);
            double error = hll_relative_error(packed, &memory);

            expect((rank == 0) == (n == 0) && n >= before && n <= INT64_MAX, "p %u, all %u: %llu",
                   p, rank, (unsigned long long)n);
            expect(error >= 0 && error < 1e3, "p %u, all %u: error %g", p, rank, error);
            before = n;
            release_bytes(packed);
        }
        expect(before == INT64_MAX, "p %u, full: %llu", p, (unsigned long long)before);
        for (size_t i = 0; i < m; i++)
            registers[i] = (uint8_t)((i & 1) * ((65 - p) << history) | hll_register_empty(history));
        release_bytes(hll_from_registers(registers, hash, p, &memory));
        free(registers);
    }
    conclude("history %u, constant ranks: from 0 to 2^63 - 1, and finite errors", history);
}

/* The sums of Ertl's improved raw estimator, arXiv 1702.01284, as he writes them. */
static double
sigma(double x)
{
    double z = x, before;

    for (double y = 1; x < 1; y += y) {
        before = z;
        x *= x;
        z += x * y;
        if (z == before)
            return z;
    }
    return INFINITY;
}

static double
tau(double x)
{
    double z = 1 - x, before;

    for (double y = 0.5; x > 0 && x < 1; y /= 2) {
        before = z;
        x = sqrt(x);
        z -= (1 - x) * (1 - x) * y;
        if (z == before)
            return z / 3;
    }
    return 0;
}

static double
improved_raw_estimate(const uint8_t *registers, unsigned precision)
{
    const unsigned q = 64 - precision;
    const double m = ldexp(1, (int)precision);
    uint32_t count[66] = {0};
    double z;

    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++)
        count[registers[i]]++;
    z = m * tau(1 - count[q + 1] / m);
    for (unsigned rank = q; rank > 0; rank--)
        z = (z + count[rank]) / 2;
    return m * m / (2 * log(2) * (z + m * sigma(count[0] / m)));
}

/* Registers without history are estimated as Redis does it, those with history by likelihood. */
static void
test_estimators(void)
{
    enum { PRECISION = 10, REGISTERS = 1 << PRECISION };
    uint8_t registers[REGISTERS];
    Random random = {4711};
    HllCells cells;

    for (unsigned halvings = 0; halvings < 54; halvings++) {
        double raw, estimate, likelihood;

        /* Ranks from about `halvings` on; a tenth of the registers is empty at first. */
        for (unsigned i = 0; i < REGISTERS; i++) {
            unsigned rank = halvings;

            while (rank < 65 - PRECISION && random_below(&random, 2))
                rank++;
            registers[i] = (uint8_t)(halvings < 3 && i % 10 == 0 ? 0 : rank);
        }
        hll_dense_cells(registers, PRECISION, SKETCH_HASH_REDIS, &cells);
        estimate = hll_estimate(&cells);
        raw = improved_raw_estimate(registers, PRECISION);
        expect(fabs(estimate / raw - 1) < 1e-9, "ranks from %u: %g, not %g", halvings, estimate,
               raw);
        likelihood = hll_maximum_likelihood(&cells);
        expect(fabs(estimate / likelihood - 1) > 1e-7, "ranks from %u: by likelihood", halvings);
        for (unsigned i = 0; i < REGISTERS; i++)
            registers[i] = (uint8_t)(registers[i] << HLL_HISTORY);
        hll_dense_cells(registers, PRECISION, SKETCH_HASH_XXH3, &cells);
        expect(hll_estimate(&cells) == hll_maximum_likelihood(&cells), "with history");
    }
    conclude("each kind of registers has its estimator");
}

int
main(void)
{
    static const uint64_t few[] = {10, 1000, 3276, 3277, 10000, 50000};
    static const uint64_t more[] = {50, 819, 820, 3000, 10000, 30000, 100000};

    test_theory(HLL_HISTORY, .408, .762, .761);
    test_theory(0, .7, 1.04, 1.037);
    test_counting(SKETCH_HASH_XXH3, 14, trials_of(200), few, 6);
    test_counting(SKETCH_HASH_XXH3, 12, trials_of(400), more, 7);
    test_counting(SKETCH_HASH_REDIS, 12, trials_of(400), more + 1, 6);
    test_drawn(SKETCH_HASH_XXH3, 12, trials_of(600));
    test_drawn(SKETCH_HASH_XXH3, 6, trials_of(3000));
    test_drawn(SKETCH_HASH_REDIS, 6, trials_of(3000));
    test_switch();
    test_saturated(SKETCH_HASH_XXH3, HLL_PRECISION_MAX);
    test_saturated(SKETCH_HASH_REDIS, HLL_PRECISION_REDIS);
    test_estimators();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
