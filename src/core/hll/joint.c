/*
 * joint.c - what two sketches have in common, by joint maximum likelihood.
 *
 * Subtracting cardinalities, |A| + |B| - |A or B|, adds up three errors that are each in
 * proportion to the larger sets. The two register arrays know more: where the items of A, of B and
 * of both meet in a register, which rank is the larger one tells which of the three rates pushed.
 *
 * Model: items only in A, only in B and in both arrive per register as Poisson variables of rates
 * a, b and x. Then P(rank_A <= i, rank_B <= j) = exp(-a/2^i - b/2^j - x/2^min(i,j)), and the
 * likelihood of all pairs of ranks needs only five histograms: the ranks of A where A is less, of
 * A where A is more, the same for B, and the common rank where they are equal. With y = rate / 2^k
 *
 *     a smaller rank k of A    comes from rate a + x:  exp(-y) (1 - exp(-y))
 *     a larger rank k of A     comes from rate a:      the same form     (B alike)
 *     an equal rank k          exp(-ya-yb-yx) (1 - X + X (1 - A)(1 - B)), A = exp(-ya) ...
 *
 * where exp(-y) is missing at the highest rank and rank 0 is exp(-rate). The logarithm of the
 * likelihood is maximised over the logarithms of the three rates by BFGS with a backtracking line
 * search, started from inclusion and exclusion; every loop is bounded. Two sparse sketches are
 * compared as the 2^26 registers that their tokens stand for, all others as dense arrays at the
 * lower precision.
 *
 * Where A holds nothing that is not in B, the rate a has no maximum but falls to 0; the search
 * then ends where the gain is too small to matter. Equal register arrays are answered at once.
 *
 * Reference: O. Ertl, arXiv 1702.01284, section 5.
 */
#include <math.h>

#include "hll_internal.h"

typedef struct JointHistogram {
    uint32_t a_less[HLL_RANKS];
    uint32_t a_more[HLL_RANKS];
    uint32_t b_less[HLL_RANKS];
    uint32_t b_more[HLL_RANKS];
    uint32_t equal[HLL_RANKS];
    unsigned index_bits;
} JointHistogram;

/* The rates per register, in this order wherever there are three of something. */
enum { ONLY_A, ONLY_B, BOTH, RATES };

static inline void
count_pair(JointHistogram *h, unsigned a, unsigned b)
{
    if (a == b)
        h->equal[a]++;
    else if (a < b) {
        h->a_less[a]++;
        h->b_more[b]++;
    } else {
        h->a_more[a]++;
        h->b_less[b]++;
    }
}

static void
compare_tokens(const HllView *a, const HllView *b, JointHistogram *h)
{
    uint32_t i = 0, j = 0, used = 0;

    h->index_bits = a->token_bits;
    while (i < a->count || j < b->count) {
        uint32_t index_a = i < a->count ? a->tokens[i] >> 6 : UINT32_MAX;
        uint32_t index_b = j < b->count ? b->tokens[j] >> 6 : UINT32_MAX;

        count_pair(h, index_a <= index_b ? a->tokens[i++] & 63 : 0,
                   index_b <= index_a ? b->tokens[j++] & 63 : 0);
        used++;
    }
    h->equal[0] = (UINT32_C(1) << h->index_bits) - used;
}

/* The ranks of any view at a precision no higher than its own. */
static uint8_t *
ranks_at(const HllView *view, unsigned precision, const SketchMemory *memory)
{
    uint8_t *ranks = memory->scratch((size_t)1 << precision, memory->context);

    memset(ranks, 0, (size_t)1 << precision);
    if (view->dense)
        hll_fold_registers(view->registers, view->precision, ranks, precision);
    else
        for (uint32_t i = 0; i < view->count; i++)
            hll_raise(ranks, view->tokens[i], view->token_bits, precision);
    return ranks;
}

static void
compare_registers(const HllView *a, const HllView *b, JointHistogram *h, const SketchMemory *memory)
{
    unsigned precision = a->precision < b->precision ? a->precision : b->precision;
    uint8_t *ranks_a = ranks_at(a, precision, memory);
    uint8_t *ranks_b = ranks_at(b, precision, memory);

    h->index_bits = precision;
    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++)
        count_pair(h, ranks_a[i], ranks_b[i]);
    memory->release(ranks_a, memory->context);
    memory->release(ranks_b, memory->context);
}

/* The estimate from one histogram that is the sum of others, per register. */
static double
rate_of(const JointHistogram *h, const uint32_t *x, const uint32_t *y)
{
    HllHistogram sum = {.index_bits = h->index_bits};

    for (unsigned k = 0; k < HLL_RANKS; k++)
        sum.count[k] = x[k] + y[k] + h->equal[k];
    /* Saturated registers, which only crafted values have, would give infinity. */
    return ldexp(fmin(hll_estimate(&sum), 0x1p70), -(int)h->index_bits);
}

/*
 * Adds `count` times the log-likelihood of rank k at `rate` to *value, and its derivative to
 * *slope. Ranks run from 0 to q + 1.
 */
static inline void
add_single(double rate, unsigned k, unsigned q, uint32_t count, double *value, double *slope)
{
    if (count == 0)
        return;
    if (k == 0) {
        *value -= count * rate;
        *slope -= count;
    } else {
        double scale = ldexp(1, -(int)(k <= q ? k : q));
        double y = rate * scale;
        double tail = k <= q ? 1 : 0;

        *value += count * (log(-expm1(-y)) - tail * y);
        *slope += count * scale * (1 / expm1(y) - tail);
    }
}

/* The same for both ranks equal to k. */
static inline void
add_equal(const double rate[RATES], unsigned k, unsigned q, uint32_t count, double *value,
          double slope[RATES])
{
    double scale, a, b, x, not_a, not_b, not_x, either, tail;

    if (count == 0)
        return;
    if (k == 0) {
        *value -= count * (rate[ONLY_A] + rate[ONLY_B] + rate[BOTH]);
        for (unsigned i = 0; i < RATES; i++)
            slope[i] -= count;
        return;
    }
    scale = ldexp(1, -(int)(k <= q ? k : q));
    tail = k <= q ? 1 : 0;
    not_a = -expm1(-rate[ONLY_A] * scale);
    not_b = -expm1(-rate[ONLY_B] * scale);
    not_x = -expm1(-rate[BOTH] * scale);
    a = 1 - not_a;
    b = 1 - not_b;
    x = 1 - not_x;
    either = not_x + x * not_a * not_b;
    *value += count * (log(either) - tail * scale * (rate[ONLY_A] + rate[ONLY_B] + rate[BOTH]));
    slope[ONLY_A] += count * scale * (x * a * not_b / either - tail);
    slope[ONLY_B] += count * scale * (x * b * not_a / either - tail);
    slope[BOTH] += count * scale * (x * (1 - not_a * not_b) / either - tail);
}

/* The negative log-likelihood per register at logarithms of rates, and its gradient. */
static double
objective(const JointHistogram *h, const double log_rate[RATES], double gradient[RATES])
{
    const unsigned q = 64 - h->index_bits;
    const double scale = ldexp(1, -(int)h->index_bits);
    double rate[RATES], slope[RATES] = {0, 0, 0};
    double slope_ax = 0, slope_bx = 0, value = 0;

    for (unsigned i = 0; i < RATES; i++)
        rate[i] = exp(log_rate[i]);
    for (unsigned k = 0; k <= q + 1; k++) {
        add_single(rate[ONLY_A] + rate[BOTH], k, q, h->a_less[k], &value, &slope_ax);
        add_single(rate[ONLY_B] + rate[BOTH], k, q, h->b_less[k], &value, &slope_bx);
        add_single(rate[ONLY_A], k, q, h->a_more[k], &value, &slope[ONLY_A]);
        add_single(rate[ONLY_B], k, q, h->b_more[k], &value, &slope[ONLY_B]);
        add_equal(rate, k, q, h->equal[k], &value, slope);
    }
    slope[ONLY_A] += slope_ax;
    slope[ONLY_B] += slope_bx;
    slope[BOTH] += slope_ax + slope_bx;
    for (unsigned i = 0; i < RATES; i++)
        gradient[i] = -slope[i] * rate[i] * scale;
    return -value * scale;
}

static double
dot(const double u[RATES], const double v[RATES])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

/* BFGS: inverse += ... such that inverse * (change of gradient) = step. */
static void
update_inverse(double inverse[RATES][RATES], const double step[RATES], const double change[RATES])
{
    double curvature = dot(step, change);
    double moved[RATES];
    double factor;

    if (!(curvature > 0))
        return;
    for (unsigned i = 0; i < RATES; i++)
        moved[i] = dot(inverse[i], change);
    factor = (1 + dot(change, moved) / curvature) / curvature;
    for (unsigned i = 0; i < RATES; i++)
        for (unsigned j = 0; j < RATES; j++)
            inverse[i][j] +=
                factor * step[i] * step[j] - (moved[i] * step[j] + step[i] * moved[j]) / curvature;
}

#define SEARCH_STEPS 200
#define HALVINGS 60
#define STEP_MAX 4.0       /* in logarithms: no rate changes more than e^4-fold at once */
#define GRADIENT_END 1e-13 /* of the log-likelihood per register and unit of log rate */

static void
maximise(const JointHistogram *h, double log_rate[RATES])
{
    double scale = 0;
    double inverse[RATES][RATES] = {{0}};
    double gradient[RATES];
    double value = objective(h, log_rate, gradient);

    /* Curvature in log rates is about the rate itself: a first step of sensible length. */
    for (unsigned i = 0; i < RATES; i++)
        scale += exp(log_rate[i]);
    for (unsigned i = 0; i < RATES; i++)
        inverse[i][i] = 1 / fmin(scale, 1);

    for (unsigned n = 0; n < SEARCH_STEPS && dot(gradient, gradient) > GRADIENT_END * GRADIENT_END;
         n++) {
        double step[RATES], next[RATES], next_gradient[RATES], change[RATES];
        double next_value = value;
        double descent, longest = 0;
        unsigned halvings = 0;

        for (unsigned i = 0; i < RATES; i++) {
            step[i] = -dot(inverse[i], gradient);
            longest = fmax(longest, fabs(step[i]));
        }
        if (longest > STEP_MAX)
            for (unsigned i = 0; i < RATES; i++)
                step[i] *= STEP_MAX / longest;
        descent = dot(step, gradient);
        for (; halvings < HALVINGS; halvings++) {
            for (unsigned i = 0; i < RATES; i++)
                next[i] = log_rate[i] + step[i];
            next_value = objective(h, next, next_gradient);
            if (next_value <= value + 1e-4 * descent)
                break;
            for (unsigned i = 0; i < RATES; i++)
                step[i] /= 2;
            descent /= 2;
        }
        if (halvings == HALVINGS)
            break;
        for (unsigned i = 0; i < RATES; i++) {
            change[i] = next_gradient[i] - gradient[i];
            gradient[i] = next_gradient[i];
            log_rate[i] = next[i];
        }
        update_inverse(inverse, step, change);
        value = next_value;
    }
}

static bool
any(const uint32_t *count)
{
    for (unsigned k = 0; k < HLL_RANKS; k++)
        if (count[k] > 0)
            return true;
    return false;
}

static HllJoint
estimate_joint(const JointHistogram *h)
{
    double m = ldexp(1, (int)h->index_bits);
    double size_a = rate_of(h, h->a_less, h->a_more);
    double size_b = rate_of(h, h->b_less, h->b_more);
    double size_union = rate_of(h, h->a_more, h->b_more);
    double least = 0.5 / m; /* half an item: the logarithm of 0 has no place in the search */
    double log_rate[RATES];

    if (!any(h->a_less) && !any(h->a_more))
        return (HllJoint){0, 0, size_a * m};
    if (size_a == 0 || size_b == 0)
        return (HllJoint){size_a * m, size_b * m, 0};
    log_rate[ONLY_A] = log(fmax(size_union - size_b, least));
    log_rate[ONLY_B] = log(fmax(size_union - size_a, least));
    log_rate[BOTH] = log(fmax(size_a + size_b - size_union, least));
    maximise(h, log_rate);
    return (HllJoint){exp(log_rate[ONLY_A]) * m, exp(log_rate[ONLY_B]) * m,
                      exp(log_rate[BOTH]) * m};
}

bool
hll_joint(SketchBytes a, SketchBytes b, const SketchMemory *memory, HllJoint *joint,
          SketchError *error)
{
    JointHistogram histogram = {.index_bits = 0};
    HllView view_a, view_b;

    if (a.data[3] != b.data[3])
        return sketch_refuse(error, SKETCH_MISMATCH,
                             "They were counted with different hash functions");
    if (!hll_view(&view_a, a, memory))
        return sketch_refuse_damaged(error);
    if (!hll_view(&view_b, b, memory)) {
        hll_view_end(&view_a, memory);
        return sketch_refuse_damaged(error);
    }
    if (!view_a.dense && !view_b.dense && view_a.token_bits == view_b.token_bits)
        compare_tokens(&view_a, &view_b, &histogram);
    else
        compare_registers(&view_a, &view_b, &histogram, memory);
    hll_view_end(&view_a, memory);
    hll_view_end(&view_b, memory);
    *joint = estimate_joint(&histogram);
    return true;
}
