/*
 * joint.c - how many items two sketches have in common, by joint maximum likelihood.
 *
 * Subtracting cardinalities, |A| + |B| - |A or B|, adds up three errors, each in proportion to the
 * larger sets. But the sketches tell more: an item of both sets hits the same cell (an index and a
 * rank; see estimate.c) in both sketches.
 *
 * Model: the numbers of items only in A, only in B and in both are Poisson variables of rates a, b
 * and x per register. Let y = 1 / 2^rank. A cell that both sketches know is hit
 *
 *     in neither     exp(-ya - yb - yx)
 *     in A only      exp(-yb - yx) (1 - exp(-ya))
 *     in B only      exp(-ya - yx) (1 - exp(-yb))
 *     in both        1 - X + X (1 - A)(1 - B),  A = exp(-ya) ...
 *
 * and a cell that only A knows, because the register of B has a higher rank and its history does
 * not reach down to the cell, is hit with probability 1 - exp(-ya - yx); likewise for B. So the
 * likelihood needs five counts for each rank, and the sums of 2^-rank over cells known to be unhit
 * in A, in B, and in at least one of them.
 *
 * The logarithm of the likelihood is maximised over the logarithms of the three rates by BFGS with
 * a backtracking line search, started from inclusion and exclusion; every loop is bounded. Two
 * sparse sketches are compared as 2^26 registers, of which their tokens know every cell. If only
 * one is sparse, its tokens are folded to the registers of the other, and still know every cell
 * there.
 *
 * If A has no item that is not in B, the likelihood grows as the rate a falls to 0; the search
 * then ends when the gain is too small to matter. Equal sketches are answered at once, and no
 * answer for the intersection is above the cardinality of either sketch.
 *
 * References: O. Ertl, arXiv 1702.01284, section 5, for registers without history; arXiv
 * 2308.16862.
 */
#include <math.h>

#include "hll_internal.h"

/* Hashes are counted as in HllCells, modulo 2^64: those that hit a cell known to be unhit. */
typedef struct JointCells {
    uint32_t both[HLL_RANKS];
    uint32_t only_a[HLL_RANKS];
    uint32_t only_b[HLL_RANKS];
    uint32_t a_alone[HLL_RANKS]; /* B does not know of them */
    uint32_t b_alone[HLL_RANKS];
    uint64_t unseen_a;
    uint64_t unseen_b;
    uint64_t unseen_any;
    unsigned index_bits;
    unsigned rank_max;
} JointCells;

/* The rates per register, in this order wherever there are three of something. */
enum { ONLY_A, ONLY_B, BOTH, RATES };

/* ---- comparing ---- */

/* What one sketch knows of an index: the ranks seen, bit rank, from the lowest that it knows of. */
typedef struct Known {
    uint64_t seen;
    unsigned lowest;
} Known;

static void
count_index(JointCells *cells, Known a, Known b)
{
    unsigned highest = 63 - (unsigned)__builtin_clzll(a.seen | b.seen | 1);
    unsigned from = a.lowest < b.lowest ? a.lowest : b.lowest;
    uint64_t above = hll_hashes_above(highest, cells->index_bits);

    for (unsigned rank = from; rank <= highest; rank++) {
        uint64_t hashes = hll_hashes_of(rank, cells->index_bits);
        bool in_a = a.seen >> rank & 1;
        bool in_b = b.seen >> rank & 1;

        if (rank < a.lowest) {
            cells->b_alone[rank] += in_b;
            cells->unseen_b += in_b ? 0 : hashes;
            cells->unseen_any += in_b ? 0 : hashes;
        } else if (rank < b.lowest) {
            cells->a_alone[rank] += in_a;
            cells->unseen_a += in_a ? 0 : hashes;
            cells->unseen_any += in_a ? 0 : hashes;
        } else {
            cells->both[rank] += in_a && in_b;
            cells->only_a[rank] += in_a && !in_b;
            cells->only_b[rank] += in_b && !in_a;
            cells->unseen_a += in_a ? 0 : hashes;
            cells->unseen_b += in_b ? 0 : hashes;
            cells->unseen_any += in_a && in_b ? 0 : hashes;
        }
    }
    cells->unseen_a += above;
    cells->unseen_b += above;
    cells->unseen_any += above;
}

/* Two sorted lists of tokens that know of every cell. */
static void
compare_tokens(const HllView *a, const HllView *b, JointCells *cells)
{
    uint32_t i = 0, j = 0;

    while (i < a->count || j < b->count) {
        uint32_t token_a = i < a->count ? a->tokens[i] : UINT32_MAX;
        uint32_t token_b = j < b->count ? b->tokens[j] : UINT32_MAX;
        unsigned rank = (token_a < token_b ? token_a : token_b) & (HLL_RANKS - 1);
        uint64_t hashes = hll_hashes_of(rank, cells->index_bits);

        if (token_a <= token_b) {
            cells->unseen_a -= hashes;
            i++;
        }
        if (token_b <= token_a) {
            cells->unseen_b -= hashes;
            j++;
        }
        if (token_a == token_b)
            cells->unseen_any -= hashes;
        cells->both[rank] += token_a == token_b;
        cells->only_a[rank] += token_a < token_b;
        cells->only_b[rank] += token_b < token_a;
    }
}

/* What a view knows of each index at a precision no higher than its own. */
static Known *
known_at(const HllView *view, unsigned precision, const SketchMemory *memory)
{
    const size_t size = (size_t)1 << precision;
    const bool rank_apart = hll_origin(view->hash)->rank_apart;
    const unsigned history = hll_history(view->hash);
    Known *known = memory->scratch(size * sizeof(Known), memory->context);

    for (size_t i = 0; i < size; i++)
        known[i] = (Known){0, 1};
    if (view->history == HLL_EVERY_RANK)
        for (uint32_t i = 0; i < view->count; i++) {
            uint32_t token =
                hll_fold_token(view->tokens[i], view->index_bits, precision, rank_apart);

            known[token >> 6].seen |= UINT64_C(1) << (token & (HLL_RANKS - 1));
        }
    else {
        uint8_t *registers = memory->scratch(size, memory->context);

        memset(registers, hll_register_empty(history), size);
        if (view->dense)
            hll_fold_registers(view->registers, view->precision, registers, precision, view->hash);
        else
            hll_fold_tokens(view->tokens, view->count, view->index_bits, registers, precision,
                            view->hash);
        for (size_t i = 0; i < size; i++)
            known[i] = (Known){hll_register_seen(registers[i], history),
                               hll_register_lowest(registers[i], history)};
        memory->release(registers, memory->context);
    }
    return known;
}

static JointCells
compare(const HllView *a, const HllView *b, const SketchMemory *memory)
{
    unsigned bits = a->index_bits < b->index_bits ? a->index_bits : b->index_bits;
    JointCells cells = {.index_bits = bits, .rank_max = hll_rank_max(a->hash, bits)};
    Known *known_a, *known_b;

    if (bits == HLL_TOKEN_BITS) {
        compare_tokens(a, b, &cells);
        return cells;
    }
    known_a = known_at(a, bits, memory);
    known_b = known_at(b, bits, memory);
    for (size_t i = 0; i < (size_t)1 << bits; i++)
        count_index(&cells, known_a[i], known_b[i]);
    memory->release(known_a, memory->context);
    memory->release(known_b, memory->context);
    return cells;
}

/* ---- the likelihood ---- */

/* A cell's share of the items that reach its register; the two highest ranks have the same. */
static double
share_of(unsigned rank, unsigned rank_max)
{
    return ldexp(1, -(int)(rank < rank_max ? rank : rank_max - 1));
}

/*
 * The share of cells known to be unhit. A count of 0 stands for all 2^64 hashes: it has wrapped.
 * That of one sketch never has, because neither is empty; if it is 0, estimate_joint has answered.
 */
static double
unseen_share(uint64_t hashes, unsigned index_bits)
{
    return ldexp(hashes > 0 ? (double)hashes : 0x1p64, (int)index_bits - 64);
}

/* Adds the log-likelihood of cells hit at `rate` to *value, and its derivative to *slope. */
static inline void
add_hits(double rate, double share, uint32_t count, double *value, double *slope)
{
    if (count > 0) {
        *value += count * log(-expm1(-rate * share));
        *slope += count * share / expm1(rate * share);
    }
}

/* The same for cells hit in both. */
static inline void
add_both(const double rate[RATES], double share, uint32_t count, double *value, double slope[RATES])
{
    double not_a, not_b, not_x, either;

    if (count == 0)
        return;
    not_a = -expm1(-rate[ONLY_A] * share);
    not_b = -expm1(-rate[ONLY_B] * share);
    not_x = -expm1(-rate[BOTH] * share);
    either = not_x + (1 - not_x) * not_a * not_b;
    *value += count * log(either);
    slope[ONLY_A] += count * share * (1 - not_x) * (1 - not_a) * not_b / either;
    slope[ONLY_B] += count * share * (1 - not_x) * (1 - not_b) * not_a / either;
    slope[BOTH] += count * share * (1 - not_x) * (1 - not_a * not_b) / either;
}

/* The negative log-likelihood at logarithms of rates, and its gradient. */
static double
objective(const JointCells *cells, const double log_rate[RATES], double gradient[RATES])
{
    const unsigned bits = cells->index_bits;
    const double unseen[RATES] = {unseen_share(cells->unseen_a, bits),
                                  unseen_share(cells->unseen_b, bits),
                                  unseen_share(cells->unseen_any, bits)};
    double rate[RATES], slope[RATES];
    double slope_ax = 0, slope_bx = 0, value = 0;

    for (unsigned i = 0; i < RATES; i++) {
        rate[i] = exp(log_rate[i]);
        value -= rate[i] * unseen[i];
        slope[i] = -unseen[i];
    }
    for (unsigned rank = 1; rank <= cells->rank_max; rank++) {
        double share = share_of(rank, cells->rank_max);

        add_hits(rate[ONLY_A], share, cells->only_a[rank], &value, &slope[ONLY_A]);
        add_hits(rate[ONLY_B], share, cells->only_b[rank], &value, &slope[ONLY_B]);
        add_hits(rate[ONLY_A] + rate[BOTH], share, cells->a_alone[rank], &value, &slope_ax);
        add_hits(rate[ONLY_B] + rate[BOTH], share, cells->b_alone[rank], &value, &slope_bx);
        add_both(rate, share, cells->both[rank], &value, slope);
    }
    slope[ONLY_A] += slope_ax;
    slope[ONLY_B] += slope_bx;
    slope[BOTH] += slope_ax + slope_bx;
    for (unsigned i = 0; i < RATES; i++)
        gradient[i] = -slope[i] * rate[i];
    return -value;
}

/* ---- the search ---- */

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
#define STEP_MAX 4.0  /* in logarithms: no rate changes more than e^4-fold at once */
#define GAIN_END 1e-8 /* of the log-likelihood: a ten-thousandth of a standard error */

static void
maximise(const JointCells *cells, double log_rate[RATES])
{
    double scale = 0;
    double inverse[RATES][RATES] = {{0}};
    double gradient[RATES];
    double value = objective(cells, log_rate, gradient);

    /* The curvature in a log rate is about the number of items, or of registers if that is less. */
    for (unsigned i = 0; i < RATES; i++)
        scale += exp(log_rate[i]);
    for (unsigned i = 0; i < RATES; i++)
        inverse[i][i] = ldexp(1 / fmin(scale, 1), -(int)cells->index_bits);

    for (unsigned n = 0; n < SEARCH_STEPS; n++) {
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
        if (descent > -GAIN_END)
            break;
        for (; halvings < HALVINGS; halvings++) {
            for (unsigned i = 0; i < RATES; i++)
                next[i] = log_rate[i] + step[i];
            next_value = objective(cells, next, next_gradient);
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

/* ---- the answer ---- */

static bool
differ(const JointCells *cells)
{
    for (unsigned rank = 1; rank < HLL_RANKS; rank++)
        if (cells->only_a[rank] + cells->only_b[rank] + cells->a_alone[rank] +
                cells->b_alone[rank] >
            0)
            return true;
    return false;
}

/* Saturated registers, which only crafted values have, are estimated as infinity. */
static double
bounded(double estimate)
{
    return fmin(estimate, 0x1p70);
}

/* The items of the union, from the cells of which both know. */
static double
union_size(const JointCells *cells)
{
    HllCells known = {.unseen = cells->unseen_a + cells->unseen_b - cells->unseen_any,
                      .index_bits = cells->index_bits,
                      .history = HLL_EVERY_RANK,
                      .rank_max = cells->rank_max};

    for (unsigned rank = 1; rank < HLL_RANKS; rank++)
        known.seen[rank] = cells->both[rank] + cells->only_a[rank] + cells->only_b[rank];
    return bounded(hll_maximum_likelihood(&known));
}

static HllJoint
estimate_joint(const JointCells *cells, double size_a, double size_b)
{
    double m = ldexp(1, (int)cells->index_bits);
    double smaller = fmin(size_a, size_b);
    double all, least, log_rate[RATES];

    if (!differ(cells))
        return (HllJoint){0, 0, smaller};
    if (smaller == 0)
        return (HllJoint){size_a, size_b, 0};
    /* All known cells are hit: no rate is the likeliest. The smaller set is taken as a subset. */
    if (cells->unseen_a == 0 || cells->unseen_b == 0)
        return (HllJoint){size_a - smaller, size_b - smaller, smaller};
    all = union_size(cells);
    /* From rates near 0, whose logarithms hardly matter, the search would not come back. */
    least = 0.005 * smaller;
    log_rate[ONLY_A] = log(fmax(all - size_b, least) / m);
    log_rate[ONLY_B] = log(fmax(all - size_a, least) / m);
    log_rate[BOTH] = log(fmax(size_a + size_b - all, least) / m);
    maximise(cells, log_rate);
    return (HllJoint){exp(log_rate[ONLY_A]) * m, exp(log_rate[ONLY_B]) * m,
                      fmin(exp(log_rate[BOTH]) * m, smaller)};
}

static double
size_of(const HllView *view)
{
    return bounded(hll_view_estimate(view));
}

bool
hll_joint(SketchBytes a, SketchBytes b, const SketchMemory *memory, HllJoint *joint,
          SketchError *error)
{
    HllView view_a, view_b;
    JointCells cells;

    if (a.data[3] != b.data[3])
        return hll_refuse_hashes(error, a, b);
    if (!hll_view(&view_a, a, memory))
        return sketch_refuse_damaged(error);
    if (!hll_view(&view_b, b, memory)) {
        hll_view_end(&view_a, memory);
        return sketch_refuse_damaged(error);
    }
    cells = compare(&view_a, &view_b, memory);
    *joint = estimate_joint(&cells, size_of(&view_a), size_of(&view_b));
    hll_view_end(&view_a, memory);
    hll_view_end(&view_b, memory);
    return true;
}
