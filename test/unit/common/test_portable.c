/*
 * test_portable.c - logarithms and powers: beside those of the C library in long double, at their
 * limits, and a checksum of their bits that is the same on every platform (make cross).
 */
#include <float.h>
#include <math.h>

#include "../check.h"
#include "core/common/hash.h"
#include "core/common/portable.h"

#define ROUNDS 200000

/* How far a result is from the exact one, in units of its last place. */
static double
ulps(double is, long double exact)
{
    int exponent;

    frexpl(exact, &exponent);
    return (double)(fabsl((long double)is - exact) / ldexpl(1, exponent - DBL_MANT_DIG));
}

/* A positive finite double of any exponent, or one near 1. */
static double
some_double(Random *random, bool near)
{
    double significand = 1 + random_unit(random);

    return near ? significand * ldexp(1, (int)random_below(random, 3) - 2)
                : ldexp(significand, (int)random_below(random, 2000) - 1000);
}

static void
test_log(void)
{
    Random random = {1};
    double furthest = 0, least = 5e-324;

    for (unsigned i = 0; i < ROUNDS; i++) {
        double x = some_double(&random, i % 2);

        furthest = fmax(furthest, ulps(portable_log(x), logl(x)));
    }
    for (unsigned i = 1; i < 2000; i++) {
        double x = 1 + (i % 2 ? 1 : -1) * ldexp(random_unit(&random), -(int)(i % 60));

        if (x != 1 && x > 0)
            furthest = fmax(furthest, ulps(portable_log(x), logl(x)));
    }
    expect(furthest < 1, "%g ulp", furthest);
    expect(portable_log(1) == 0, "1");
    expect(ulps(portable_log(least), logl(least)) < 1 &&
               ulps(portable_log(DBL_MAX), logl(DBL_MAX)) < 1,
           "the smallest and the largest");
    conclude("logarithms are less than 1 ulp off");
}

static void
test_exp(void)
{
    Random random = {2};
    double furthest = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        double x = (random_unit(&random) - 0.5) * (i % 2 ? 1416 : 2);

        furthest = fmax(furthest, ulps(portable_exp(x), expl(x)));
    }
    expect(furthest < 2, "%g ulp", furthest);
    expect(portable_exp(0) == 1 && portable_exp(-0.0) == 1, "0");
    expect(portable_exp(-745) == 5e-324 && portable_exp(-746) == 0 && portable_exp(-HUGE_VAL) == 0,
           "below the smallest double");
    expect(portable_exp(709.78) < DBL_MAX && isinf(portable_exp(709.79)) &&
               isinf(portable_exp(711)) && isinf(portable_exp(HUGE_VAL)),
           "above the largest double");
    conclude("powers of e are less than 2 ulp off");
}

static void
test_power(void)
{
    Random random = {3};

    for (unsigned i = 0; i < ROUNDS; i++) {
        double x = random_unit(&random);
        unsigned n = (unsigned)random_below(&random, 256);
        long double exact = powl(x, n);

        expect(exact < 1e-300L || ulps(portable_power(x, n), exact) <= n, "%a^%u", x, n);
    }
    expect(portable_power(0, 0) == 1 && portable_power(-2, 3) == -8 &&
               portable_power(2, 10) == 1024,
           "small ones");
    conclude("whole powers are less than n ulp off");
}

/* Any bit that differs on another processor or with another library or compiler changes this. */
static void
test_bits(void)
{
    Random random = {4};
    uint64_t sum = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        double x = some_double(&random, i % 2);
        double result[] = {portable_log(x), portable_exp(portable_log(x) * random_unit(&random)),
                           portable_power(random_unit(&random), i % 300)};

        for (size_t j = 0; j < sizeof result / sizeof result[0]; j++) {
            uint64_t bits;

            memcpy(&bits, &result[j], sizeof bits);
            sum = sum * UINT64_C(0x9e3779b97f4a7c15) + bits;
        }
    }
    expect(sum == UINT64_C(0x6e83f9fd9e40516a), "%#llx", (unsigned long long)sum);
    conclude("the same bits on every platform");
}

int
main(void)
{
    test_log();
    test_exp();
    test_power();
    test_bits();
    return conclude_all();
}
