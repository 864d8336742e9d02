/*
 * estimate.c - how many items does a theta sketch represent? Estimate, bounds, similarity.
 *
 * A sketch has n of the N items, those with a hash below theta: each item with the probability
 * p = theta / 2^63, independently of the others. So N is about n / p. The upper bound of 1, 2 or 3
 * standard deviations is the N for which n or fewer hashes are as likely as that tail of the normal
 * distribution; the lower bound, the N for which n or more are. These are the bounds of
 * DataSketches, which documents where each way to compute them is good enough (Kevin Lang's
 * BinomialBoundsN):
 *
 *   n above 120           the normal approximation of the binomial distribution, solved for N, with
 *                         n shifted by a half for continuity
 *   p below n / 360       the same, but instead of 1, 2 or 3 deviations those that make it exact in
 *                         the limit of a small p, where n has a Poisson distribution
 *   n = 0, n = 1          the distribution itself, which is geometric
 *   otherwise             the distribution itself, summed up: N is at most a few hundred
 *
 * In the second row, let m be the mean at which n or more items (for an upper bound, n or fewer)
 * are as likely as the tail. The bound in the limit is N = m / p, which the approximation gives for
 *
 *     (n - 1/2) / sqrt(m) - sqrt(m)   or, for an upper bound,   sqrt(m) - (n + 1/2) / sqrt(m)
 *
 * deviations. DataSketches has a table of these, found by a search, which is rounded in the eighth
 * digit: bounds agree with its own to 5e-8 there, and to 1e-9 everywhere else.
 *
 * Similarity is that of the hashes below the lower theta: of m hashes in the union, x are in both.
 * This is a sample of a proportion, so the bounds are quantiles of a beta distribution, by the
 * approximation 26.5.22 of Abramowitz and Stegun. They are narrower if the sample is a large part
 * of the union: deviations are multiplied by sqrt(1 - p).
 *
 * References: M. Abramowitz, I. Stegun, Handbook of Mathematical Functions, 7.1.28 (error function)
 * and 26.5.22. C. Clopper, E. Pearson, The use of confidence or fiducial limits illustrated in the
 * case of the binomial, Biometrika 26 (1934). Apache DataSketches, BinomialBoundsN and
 * BoundsOnBinomialProportions (thresholds).
 */
#include <math.h>

#include "core/common/portable.h"
#include "theta_internal.h"

#define SMALL_SAMPLE 120
#define NEARLY_ALL (1 - 1e-5)

static double
fraction_of(uint64_t theta)
{
    return (double)theta / (double)THETA_EXACT;
}

/* Returns the probability beyond `deviations` on one side, by an error function of seven digits. */
static double
normal_beyond(double deviations)
{
    double x = deviations / sqrt(2.0);
    double sum =
        1 +
        x * (0.0705230784 +
             x * (0.0422820123 +
                  x * (0.0092705272 + x * (0.0001520143 + x * (0.0002765672 + x * 0.0000430638)))));

    return 0.5 / portable_power(sum, 16);
}

/* Returns the N for which n is `deviations` below (sign 1) or above (sign -1) its expectation. */
static double
normal_bound(double n, double p, double deviations, double sign)
{
    double center = (n + sign * 0.5) / p;
    double b = deviations * sqrt((1.0 - p) / p);
    double d = 0.5 * b * sqrt(b * b + 4.0 * center);

    center = center + 0.5 * (b * b);
    return center + sign * d;
}

/* Returns the mean of a Poisson variable that is below n >= 2 with the probability `below`. */
static double
poisson_mean(double n, double below)
{
    double mean = n - 1, step = mean;

    /* Newton's method from the point of inflection: no step goes past the root. */
    for (unsigned round = 0; round < 30 && fabs(step) > 1e-12 * mean; round++) {
        double term = exp(-mean), sum = term;

        for (double i = 1; i < n; i++) {
            term *= mean / i;
            sum += term;
        }
        step = (sum - below) / term;
        mean += step;
    }
    return mean;
}

/* The probability that the n-th success comes with the m-th trial, for ascending m. */
typedef struct Trials {
    double n;
    double q;
    double m;
    double likely;
} Trials;

static Trials
first_trials(double n, double p)
{
    return (Trials){n, 1.0 - p, n, pow(p, n)};
}

static double
next_trial(Trials *t)
{
    t->likely = t->likely * t->q * t->m / (t->m + 1 - t->n);
    t->m += 1;
    return t->likely;
}

/* Returns the most trials of which n or more successes are no likelier than the tail. */
static double
exact_lower(double n, double p, double in_tail)
{
    Trials t = first_trials(n, p);
    double sum = t.likely;

    while (sum <= in_tail)
        sum += next_trial(&t);
    return t.m - 1;
}

/* Returns the fewest trials of which n or fewer successes are no likelier than the tail. */
static double
exact_upper(double n, double p, double in_tail)
{
    Trials t = first_trials(n + 1, p);
    double sum = t.likely;

    while (sum < 1.0 - in_tail)
        sum += next_trial(&t);
    return t.m;
}

static double
lower_bound(double n, double p, double deviations)
{
    double tail = normal_beyond(deviations);

    if (n == 0)
        return 0;
    if (n == 1)
        return floor(log1p(-tail) / log1p(-p));
    if (n <= SMALL_SAMPLE) {
        double root;

        if (p > NEARLY_ALL)
            return n;
        if (p >= n / 360)
            return exact_lower(n, p, tail);
        root = sqrt(poisson_mean(n, 1 - tail));
        deviations = (n - 0.5) / root - root;
    }
    return normal_bound(n, p, deviations, -1) - 0.5;
}

static double
upper_bound(double n, double p, double deviations)
{
    double tail = normal_beyond(deviations);

    if (n == 0)
        return ceil(log(tail) / log1p(-p));
    if (n <= SMALL_SAMPLE) {
        double root;

        if (p > NEARLY_ALL)
            return n + 1;
        if (p >= n / 360)
            return exact_upper(n, p, tail);
        root = sqrt(poisson_mean(n + 1, tail));
        deviations = root - (n + 0.5) / root;
    }
    return normal_bound(n, p, deviations, 1) + 0.5;
}

ThetaBounds
theta_bounds(ThetaSummary summary, unsigned sigmas)
{
    double n = summary.count, p = fraction_of(summary.theta), estimate = n / p;

    if (summary.theta >= THETA_EXACT)
        return (ThetaBounds){n, n, n};
    return (ThetaBounds){
        fmin(estimate, fmax(n, lower_bound(n, p, sigmas))),
        estimate,
        fmax(estimate, upper_bound(n, p, sigmas)),
    };
}

int64_t
theta_cardinality(ThetaSummary summary)
{
    double estimate = summary.count / fraction_of(summary.theta);

    return estimate < 0x1p63 ? llround(estimate) : INT64_MAX;
}

/* ---- similarity ---- */

/* Returns the x at which the incomplete beta function of a, b is the tail beyond y deviations. */
static double
beta_quantile(double a, double b, double y)
{
    double twice_a = 2.0 * a - 1.0, twice_b = 2.0 * b - 1.0;
    double lambda = (y * y - 3.0) / 6.0;
    double h = 2.0 / (1.0 / twice_a + 1.0 / twice_b);
    double w = y * sqrt(h + lambda) / h -
               (1.0 / twice_b - 1.0 / twice_a) * (lambda + 5.0 / 6.0 - 2.0 / (3.0 * h));

    return a / (a + b * exp(2.0 * w));
}

static double
proportion_lower(double n, double x, double deviations)
{
    if (x == 0)
        return 0;
    if (x == 1)
        return 1.0 - pow(1.0 - normal_beyond(deviations), 1.0 / n);
    if (x == n)
        return pow(normal_beyond(deviations), 1.0 / n);
    return 1.0 - beta_quantile(n - x + 1.0, x, -1.0 * deviations);
}

static double
proportion_upper(double n, double x, double deviations)
{
    if (x == n)
        return 1;
    if (x == n - 1)
        return pow(1.0 - normal_beyond(deviations), 1.0 / n);
    if (x == 0)
        return 1.0 - pow(normal_beyond(deviations), 1.0 / n);
    return 1.0 - beta_quantile(n - x, x + 1.0, deviations);
}

/* Counts the hashes of union and intersection below `theta`; fails if a value is damaged. */
static bool
count_both(ThetaCursor *a, ThetaCursor *b, uint64_t theta, const SketchMemory *memory, double *all,
           double *both)
{
    size_t steps = 0;

    for (*all = *both = 0;; *all += 1) {
        uint64_t hash = a->hash < b->hash ? a->hash : b->hash;
        bool in_a = a->hash == hash, in_b = b->hash == hash;

        if (hash >= theta)
            return !a->damaged && !b->damaged;
        *both += in_a && in_b;
        if (in_a)
            theta_next(a);
        if (in_b)
            theta_next(b);
        sketch_poll(memory, &steps, 8);
    }
}

static ThetaBounds
similarity(ThetaSummary a, ThetaSummary b, double all, double both)
{
    uint64_t theta = a.theta < b.theta ? a.theta : b.theta;
    double p = fraction_of(theta), deviations = sqrt(1.0 - p);
    bool empty_a = a.count == 0 && a.theta == THETA_EXACT;
    bool empty_b = b.count == 0 && b.theta == THETA_EXACT;

    if (empty_a != empty_b)
        return (ThetaBounds){0, 0, 0};
    if (a.theta == b.theta && a.count == all && b.count == all)
        return (ThetaBounds){1, 1, 1};
    if (all == 0)
        return (ThetaBounds){0, 0.5, 1};
    if (theta == THETA_EXACT)
        return (ThetaBounds){both / all, both / all, both / all};
    deviations = 2.0 * (p <= 0.5 ? deviations : deviations + 0.01 * (p - 0.5));
    return (ThetaBounds){proportion_lower(all, both, deviations), both / all,
                         proportion_upper(all, both, deviations)};
}

bool
theta_jaccard(SketchBytes a, SketchBytes b, const SketchMemory *memory, ThetaBounds *jaccard,
              SketchError *error)
{
    ThetaCursor one, other;
    double all, both;
    bool good;

    if (!theta_cursor_begin(&one, a, memory))
        return sketch_refuse_damaged(error);
    if (!theta_cursor_begin(&other, b, memory)) {
        theta_cursor_end(&one, memory);
        return sketch_refuse_damaged(error);
    }
    good = count_both(&one, &other,
                      one.summary.theta < other.summary.theta ? one.summary.theta
                                                              : other.summary.theta,
                      memory, &all, &both);
    if (good)
        *jaccard = similarity(one.summary, other.summary, all, both);
    theta_cursor_end(&one, memory);
    theta_cursor_end(&other, memory);
    return good || sketch_refuse_damaged(error);
}
