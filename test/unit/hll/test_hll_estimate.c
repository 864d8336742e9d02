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

/* P(rank <= k) of a register after lambda items, ranks up to 65 - p. */
static double
below(double lambda, int k, unsigned precision)
{
    return k < 0 ? 0 : k > 64 - (int)precision ? 1 : exp(-ldexp(lambda, -k));
}

/* Cramer-Rao of 2^precision registers, less what n's own fluctuation would add. */
static double
theory(double n, unsigned precision)
{
    double m = ldexp(1, (int)precision), lambda = n / m, h = 1e-4 * lambda, information = 0;

    for (int k = 0; k <= 65 - (int)precision; k++) {
        double p = below(lambda, k, precision) - below(lambda, k - 1, precision);
        double up = below(lambda + h, k, precision) - below(lambda + h, k - 1, precision);
        double down = below(lambda - h, k, precision) - below(lambda - h, k - 1, precision);

        if (p > 1e-12)
            information += (up - down) * (up - down) / (4 * h * h) / p;
    }
    return sqrt(fmax(0, 1 / (information * lambda * lambda * m) - 1 / n));
}

static void
test_theory(void)
{
    for (unsigned p = 4; p <= 18; p++)
        for (double n = 30; n < 1e15; n *= 3) {
            double expected = theory(n, p), found = hll_estimate_error(n, p);

            if (n < ldexp(0.3, (int)p)) /* where differences of differences say little */
                continue;
            expect(fabs(found - expected) <= 2e-3 * expected, "p %u, n %g: %g, %g", p, n, found,
                   expected);
        }
    conclude("the error is that of Cramer and Rao");
    expect(hll_estimate_error(0, 14) == 0, "0");
    for (double n = 1; n < 1e18; n *= 1.5)
        expect(hll_estimate_error(n, 14) <= 1.04 / 128 &&
                   hll_estimate_error(n, 14) > 0.9 * sqrt(.5) / 128,
               "n %g: %g", n, hll_estimate_error(n, 14));
    expect(fabs(hll_estimate_error(1e9, 14) / (1.037 / 128) - 1) < 0.002, "at a billion");
    conclude("it lies between 0.7 and 1.04 / sqrt(m)");
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
 * Ertl's estimator has Flajolet's constant for infinitely many registers, which is 1 + 1.08 / m of
 * that for m, and its rms error is within 2 % of the theory besides.
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
test_counting(unsigned precision, unsigned trials, const uint64_t *n, unsigned steps)
{
    Errors errors[8] = {{0}};
    double sigma[8];

    for (unsigned trial = 0; trial < trials; trial++) {
        SketchState state = hll_new(SKETCH_HASH_XXH3, precision, &memory);
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
            sigma[i] = hll_estimate_error((double)n[i], hll_header(packed).dense ? precision : 26);
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
    conclude("precision %u, %u trials: error and bias are those of the theory", precision, trials);
}

/* Any n at the price of one: registers drawn from their distribution. */
static void
test_drawn(unsigned precision, unsigned trials)
{
    size_t m = (size_t)1 << precision;
    uint8_t *registers = malloc(m);
    Random random = {precision};

    for (double n = (double)m / 2; n <= MOST; n = n < MOST / 300 ? n * 300
                                                  : n < MOST     ? MOST
                                                                 : 2 * MOST) {
        Errors errors = {0, 0, 0};
        double sigma = theory(n, precision);

        for (unsigned trial = 0; trial < trials; trial++) {
            SketchBytes packed;

            for (size_t i = 0; i < m; i++) {
                double u = random_unit(&random);
                /* the least k with exp(-lambda / 2^k) >= u */
                double k = ceil(log2(n / (double)m) - log2(-log(u)));

                registers[i] = (uint8_t)fmin(fmax(k, 0), 65 - (int)precision);
            }
            packed = hll_from_registers(registers, SKETCH_HASH_XXH3, precision, &memory);
            note(&errors, (double)hll_cardinality(packed, &memory), n);
            release_bytes(packed);
        }
        /* Poisson many items: their fluctuation comes on top. */
        judge(&errors, hypot(sigma, 1 / sqrt(n)), precision, "drawn", n);
    }
    conclude("precision %u: up to 4e18 items", precision);
    free(registers);
}

/* One sketch across the switch from sparse to dense: no jump beyond the errors of both. */
static void
test_switch(void)
{
    const unsigned trials = 200;
    double sum = 0, squares = 0, sigma = hll_estimate_error(2731, 14);

    for (unsigned trial = 0; trial < trials; trial++) {
        SketchState state = hll_new(SKETCH_HASH_XXH3, 14, &memory);
        double before = 0, jump = 0;

        for (uint64_t i = 0; i < 2800 && jump == 0; i++) {
            uint8_t *old = state.data;
            HllHeader h;
            SketchBytes packed;

            hll_insert(&state, mix64((uint64_t)trial << 40 | i), &memory);
            if (state.data != old)
                memory_release_value(old, NULL);
            if (i < 2725)
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
    expect(fabs(sum / trials) < 1.0 / 2731 + DEVIATIONS * sigma / sqrt(trials), "mean jump %g",
           sum / trials);
    expect(fabs(sqrt(squares / trials) / sigma - 1) < 0.3, "rms jump %g, theory %g",
           sqrt(squares / trials), sigma);
    conclude("the step from sparse to dense is no larger than the error");
}

/* Registers no set of items gives: an answer all the same. */
static void
test_saturated(void)
{
    for (unsigned p = 4; p <= 18; p++) {
        size_t m = (size_t)1 << p;
        uint8_t *registers = malloc(m);
        uint64_t before = 0;

        for (unsigned rank = 0; rank <= 65 - p; rank++) {
            SketchBytes packed =
                hll_from_registers(memset(registers, (int)rank, m), SKETCH_HASH_XXH3, p, &memory);
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
            registers[i] = (uint8_t)((i & 1) * (65 - p));
        release_bytes(hll_from_registers(registers, SKETCH_HASH_XXH3, p, &memory));
        free(registers);
    }
    conclude("constant ranks: from 0 to 2^63 - 1, and finite errors");
}

int
main(void)
{
    static const uint64_t few[] = {10, 1000, 2730, 2731, 10000, 50000};
    static const uint64_t more[] = {50, 682, 683, 3000, 10000, 30000, 100000};

    test_theory();
    test_counting(14, 200, few, 6);
    test_counting(12, 400, more, 7);
    test_drawn(12, 600);
    test_drawn(6, 3000);
    test_switch();
    test_saturated();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
