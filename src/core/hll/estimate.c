/*
 * estimate.c - cardinality from the cells of a sketch, and its error.
 *
 * A cell is an index and a rank. A share p of all hashes, 2^-(index bits + rank), hits it. If the
 * number n of items is taken as a Poisson variable, cells are hit independently of one another,
 * each with probability 1 - exp(-n p). The likelihood of n is then a product over the known cells:
 * those of which the sketch knows whether they were hit. A register knows its cells from its
 * highest rank up, and below it one cell for each history bit; tokens know all cells. Let s(k) be
 * the number of cells of rank k that are known to be hit, and u the sum of p over the cells known
 * to be unhit:
 *
 *     log L(n) = sum over k of s(k) log(1 - exp(-n p(k))) - n u
 *
 * Its derivative times n, with g(x) = x / (exp(x) - 1),
 *
 *     sum over k of s(k) g(n p(k)) - n u
 *
 * is convex and falls, so Newton's method from a point at its left goes up to the zero without ever
 * stepping over it. The inequality g(x) >= 1 - x / 2 gives such a point, and three steps suffice.
 * n p(k) doubles from one rank to the next lower one, and g(2x) = g^2 / (g + x / 2) for g = g(x).
 * So no exponential is needed, and every platform computes the same digits. The maximum is too high
 * by a share of .481 / m, which is subtracted.
 *
 * Registers without history are estimated as in Redis, by Ertl's improved raw estimator: Flajolet's
 * harmonic mean with the two ends of the rank range replaced by their expectations, sigma for
 * registers that are still zero and tau for those that are full. It uses the limit of HyperLogLog's
 * constant for many registers, as Redis does.
 *
 * The error. With lambda = n / m, the Fisher information of a register about lambda is
 *
 *     I = sum over k of P(the cell of rank k is known) 4^-k / (exp(lambda / 2^k) - 1)
 *
 * and a cell is known unless a rank was hit that is higher by more than the history bits. The
 * relative variance of the best estimator of n as a Poisson variable is 1 / (m lambda^2 I)
 * (Cramer-Rao). The variance 1 / n of that variable is not an error of the estimate, and is
 * subtracted. The rest is .761^2 / m for large n with two history bits, and 1.037^2 / m without;
 * for small n, with every rank known, it is 1 / 6m. Both estimators come within 2% of that error.
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

/* Returns the fraction of hashes in a cell; of the two highest ranks only the lower occurs. */
static double
cell_share(unsigned rank, unsigned index_bits)
{
    return ldexp(1, -(int)(rank + index_bits));
}

typedef struct Likelihood {
    double seen[HLL_RANKS];
    double unseen;
    unsigned lowest; /* of the ranks seen */
    unsigned highest;
    unsigned index_bits;
} Likelihood;

/* h(x) = 1 - g(x), whose digits g would lose, by its series. */
static double
h_of_small(double x)
{
    return x / 2 - x * x / 12 * (1 - x * x / 60 * (1 - x * x / 42));
}

/* By what part of n Newton's step lowers it: f / (n f') for the function f of the essay. */
static double
newton_change(const Likelihood *l, double n)
{
    double f = -n * l->unseen, slope = -n * l->unseen;
    double x = n * cell_share(l->highest, l->index_bits), h;
    unsigned rank = l->highest;

    for (; x > 0.0625; x /= 2)
        rank++;
    for (h = h_of_small(x); rank > l->highest; rank--, x *= 2)
        h = (x / 2 + h * (1 - h)) / (x / 2 + 1 - h); /* h of twice that x */
    for (;; rank--, x *= 2) {
        f += l->seen[rank] * (1 - h);
        slope += l->seen[rank] * (1 - h) * (h - x);
        if (rank == l->lowest)
            return f / slope;
        h = (x / 2 + h * (1 - h)) / (x / 2 + 1 - h);
    }
}

double
hll_maximum_likelihood(const HllCells *cells)
{
    const unsigned full = cells->rank_max - 1; /* has the same share as the highest */
    Likelihood l = {.unseen = ldexp((double)cells->unseen, -64), .index_bits = cells->index_bits};
    double all = 0, share = 0, n;

    for (unsigned rank = full + 1; rank > 0; rank--)
        if (cells->seen[rank] > 0) {
            l.lowest = rank <= full ? rank : full;
            l.highest = l.highest > 0 ? l.highest : l.lowest;
            l.seen[l.lowest] += cells->seen[rank];
            all += cells->seen[rank];
            share += cells->seen[rank] * cell_share(l.lowest, cells->index_bits);
        }
    if (all == 0)
        return 0;
    if (cells->unseen == 0)
        return INFINITY;
    n = all / (l.unseen + share / 2);
    for (unsigned step = 0; step < NEWTON_STEPS; step++) {
        double change = newton_change(&l, n);

        n -= n * change;
        if (fabs(change) < NEWTON_END)
            break;
    }
    return n / (1 + ldexp(BIAS, -(int)cells->index_bits));
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
    unsigned q = cells->rank_max - 1;
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
