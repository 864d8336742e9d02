/*
 * estimate.c - cardinality from what the cells of a sketch tell, and how far off it is.
 *
 * A cell is an index and a rank; cell c is hit by a share p(c) of all hashes, 2^-(index bits + rank).
 * Were the number n of items a Poisson variable, cells would be hit independently, cell c with
 * probability 1 - exp(-n p(c)). So the likelihood of n is a product over all cells that a sketch
 * knows of, and knows two ways: cells that were hit, and cells that were not, of which only the sum
 * u of their p(c) matters. With s(k) known hits of rank k
 *
 *     log L(n) = sum over k of s(k) log(1 - exp(-n p(k))) - n u
 *
 * The same holds for registers, which know the cells from their highest rank up and as many below as
 * they have history, and for tokens, which know them all. The derivative times n
 *
 *     sum over k of s(k) x / (exp(x) - 1) - n u,    x = n p(k)
 *
 * is convex and falls, so Newton's method from a point at its left goes up to the zero without ever
 * stepping over it: three steps, starting from x / (exp(x) - 1) >= 1 - x / 2. Each rank's x is twice
 * that of the next, and with g = x / (exp(x) - 1) the next is g^2 / (g + x / 2), computed for
 * h = 1 - g: no exponential is needed, and every platform computes the same digits. The maximum is
 * too high by .481 / m, which comes off.
 *
 * Sketches without history are estimated as the systems do that they come from, by Ertl's improved
 * raw estimator: Flajolet's harmonic mean with the two ends of the rank range replaced by their
 * expectations, sigma for registers still at zero and tau for those that ran full. It uses the limit
 * of HyperLogLog's constant for many registers, as Redis does.
 *
 * The error. With lambda = n / m, the Fisher information of a register about lambda is the sum over
 * k of P(cell k is known) (2^-k)^2 / (exp(lambda / 2^k) - 1), and a cell is known unless a rank was
 * hit that is higher by more than the history bits. The relative variance of the best estimator of
 * n as a Poisson variable is 1 / (m lambda^2 I) (Cramer-Rao); the variance 1 / n of that variable is
 * no error of ours and comes off. What is left for large n is .761^2 / m with two history bits,
 * 1.037^2 / m without; for small n and every rank known, 1 / 6m. Both estimators reach it within
 * 2 %.
 *
 * References: O. Ertl, UltraLogLog, arXiv 2308.16862 (likelihood, the recursion, the bias);
 * O. Ertl, New cardinality estimation algorithms for HyperLogLog sketches, arXiv 1702.01284,
 * algorithm 6 (the raw estimator).
 */
#include <math.h>

#include "hll_internal.h"

/* ---- maximum likelihood ---- */

#define NEWTON_STEPS 60
#define NEWTON_END 1e-12 /* of the relative change */
#define BIAS 0.48147     /* of the maximum, times the registers */

/* The share of all hashes that hit a cell. The two highest ranks, 64 - index bits and one more, have
 * the same. */
static double
cell_share(unsigned rank, unsigned index_bits)
{
    return ldexp(1, rank + index_bits < 64 ? -(int)(rank + index_bits) : -64);
}

/*
 * 1 - x / (exp(x) - 1) for ranks from high to low, each x twice the one before. *rank is set to
 * where that begins: at `highest` or above, where x is small.
 */
static double
first_fraction(double n, unsigned highest, unsigned index_bits, unsigned *rank, double *x)
{
    *rank = highest;
    for (*x = n * cell_share(highest, index_bits); *x > 0.0625; *x /= 2)
        ++*rank;
    return *x / 2 - *x * *x / 12 * (1 - *x * *x / 60 * (1 - *x * *x / 42));
}

double
hll_maximum_likelihood(const HllCells *cells)
{
    const unsigned bits = cells->index_bits;
    const unsigned full = 64 - bits; /* the highest rank but one */
    const double unseen = ldexp((double)cells->unseen, -64);
    unsigned lowest = 0, highest = 0;
    double seen[HLL_RANKS] = {0};
    double all = 0, share = 0, n;

    for (unsigned r = full + 1; r > 0; r--)
        if (cells->seen[r] > 0) {
            lowest = r <= full ? r : full;
            highest = highest > lowest ? highest : lowest;
            seen[lowest] += cells->seen[r];
            all += cells->seen[r];
            share += cells->seen[r] * cell_share(r, bits);
        }
    if (highest == 0)
        return 0;
    if (cells->unseen == 0)
        return INFINITY;
    n = all / (unseen + share / 2);
    for (unsigned step = 0; step < NEWTON_STEPS; step++) {
        double value = -n * unseen, slope = -n * unseen; /* of the derivative above; times n */
        double change, x;
        unsigned rank;
        double h = first_fraction(n, highest, bits, &rank, &x);

        for (;; rank--) {
            if (rank <= highest) {
                value += seen[rank] * (1 - h);
                slope += seen[rank] * (1 - h) * (h - x);
            }
            if (rank == lowest)
                break;
            h = (x / 2 + h * (1 - h)) / (x / 2 + 1 - h);
            x *= 2;
        }
        change = value / slope;
        n -= n * change;
        if (fabs(change) < NEWTON_END)
            break;
    }
    return n / (1 + ldexp(BIAS, -(int)bits));
}

/* ---- ranks alone ---- */

/* 1 / (2 ln 2), the limit of HyperLogLog's constant. */
#define ALPHA_INFINITY 0.721347520444481703680

/* x + sum over k >= 1 of x^(2^k) 2^(k-1), for 0 <= x <= 1; infinity for 1. */
static double
sigma(double x)
{
    double y = 1;
    double z = x;
    double before;

    do {
        x *= x;
        before = z;
        z += x * y;
        y += y;
    } while (z != before);
    return z;
}

/* (1 - x - sum over k >= 1 of (1 - x^(2^-k))^2 2^-k) / 3, for 0 <= x <= 1; 0 for both ends. */
static double
tau(double x)
{
    double y = 1;
    double z = 1 - x;
    double before;

    do {
        x = sqrt(x);
        before = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    } while (z != before);
    return z / 3;
}

static double
improved_raw(const HllCells *cells)
{
    double m = (double)(UINT64_C(1) << cells->index_bits);
    unsigned q = 64 - cells->index_bits;
    double empty = m;
    double z = m * tau((m - cells->seen[q + 1]) / m);

    for (unsigned k = q; k >= 1; k--)
        z = 0.5 * (z + cells->seen[k]);
    for (unsigned k = 1; k <= q + 1; k++)
        empty -= cells->seen[k];
    z += m * sigma(empty / m);
    return ALPHA_INFINITY * m * m / z;
}

double
hll_estimate(const HllCells *cells)
{
    return cells->history > 0 ? hll_maximum_likelihood(cells) : improved_raw(cells);
}

/* ---- the error ---- */

/* The relative standard error of the estimate at a cardinality. */
double
hll_estimate_error(double cardinality, unsigned index_bits, unsigned history)
{
    const double m = (double)(UINT64_C(1) << index_bits);
    const unsigned full = 64 - index_bits;
    double lambda = cardinality / m;
    double information = 0;

    if (cardinality <= 0)
        return 0;
    for (unsigned r = 1; r <= full + 1; r++) {
        double share = ldexp(1, -(int)(r <= full ? r : full));
        double known = r + history <= full ? exp(-ldexp(lambda, -(int)(r + history))) : 1;

        information += known * share * share / expm1(lambda * share);
    }
    return sqrt(fmax(0, (1 / (lambda * information) - 1) / (lambda * m)));
}
