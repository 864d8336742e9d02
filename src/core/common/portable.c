/*
 * portable.c - logarithms and powers with the same bits on every platform. Why: portable.h.
 *
 * x is a power of two times a number near 1, or e^x is, and a short series does the rest. ln 2 is
 * split in two: a whole number of up to 2^11 times the first part is exact.
 *
 * Reference: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 4.1.27 and 4.2.1.
 */
#include "portable.h"

#include <math.h>

#define LN2 0.693147180559945309417
#define LN2_HIGH 0x1.62e42fefa2p-1    /* its first 40 bits */
#define LN2_LOW 0x1.9ef35793c7673p-41 /* and what they leave */
#define SQRT_HALF 0.70710678118654752

/* ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1), and 2s = f - s f. */
double
portable_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent), f, s, square, sum = 0;

    if (m < SQRT_HALF) {
        m *= 2;
        exponent--;
    }
    f = m - 1;
    s = f / (2 + f);
    square = s * s;
    for (int i = 21; i >= 3; i -= 2)
        sum = sum * square + 2.0 / i;
    return exponent * LN2_HIGH + (f - (s * (f - square * sum) - exponent * LN2_LOW));
}

double
portable_exp(double x)
{
    double n, rest, sum = 1;

    if (!(x > -746))
        return 0;
    if (x > 710)
        return INFINITY;
    n = floor(x / LN2 + 0.5);
    rest = x - n * LN2_HIGH - n * LN2_LOW;
    for (int i = 14; i >= 1; i--)
        sum = 1 + rest / i * sum;
    return ldexp(sum, (int)n);
}

double
portable_power(double x, unsigned n)
{
    double result = 1;

    for (; n > 0; n >>= 1, x *= x)
        if (n & 1)
            result *= x;
    return result;
}
