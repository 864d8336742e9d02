/*
 * joint.c - how many items two sketches have in common, by maximum likelihood.
 *
 * Subtracting cardinalities, |A| + |B| - |A or B|, adds up three errors, each in proportion to the
 * larger sets. But the sketches hold more: an item of both sets hits the same cell (an index and a
 * rank; see estimate.c) in both sketches.
 *
 * Model: the sizes of A and B are their cardinalities, so that one number is unknown: how many
 * items are in both. Let a, b and x be the items of A, of B and of both, per register, as Poisson
 * variables, and y = 1 / 2^rank. A cell that both sketches know is hit
 *
 *     in neither     N = exp(-(a + b - x) y)
 *     in A only      exp(-by) - N
 *     in B only      exp(-ay) - N
 *     in both        (1 - exp(-ay)) (1 - exp(-by)) + N (1 - exp(-xy))
 *
 * A cell that only one of them knows, because the register of the other has a higher rank and its
 * history does not reach down to the cell, says nothing of x. So the likelihood needs three counts
 * for each rank, and the sum of y over the cells known to be hit in neither, u. Its logarithm has
 * the derivative
 *
 *     u + sum of y N / P(both)                      over the cells hit in both
 *       - sum of y / (exp((a - x) y) - 1)           over those hit in A only
 *       - sum of y / (exp((b - x) y) - 1)           over those hit in B only
 *
 * which is positive below the likeliest x and negative above it, so halving an interval finds it:
 * from no common item up to all items of the smaller set. At x = 0 the derivative does not depend,
 * to first order, on errors of a and b, so taking them as known costs nothing where little is in
 * common; where much is, they limit x as they limit each other.
 *
 * All results follow from a, b and x. So they agree with one another and with the cardinalities,
 * and exchanging the sketches exchanges the results, to the last bit: every sum is formed of terms
 * of A and B that are added to each other first.
 *
 * Two sparse sketches are compared as 2^26 registers, of which their tokens know every cell. If
 * only one is sparse, its tokens are folded to the registers of the other, and still know every
 * cell there. Registers of different precision are compared at the lower one; the cardinalities
 * are still those of the sketches as they are.
 *
 * Since x is never below 0, the result for disjoint sets is too high on average; the reference has
 * figures.
 *
 * References: O. Ertl, arXiv 1702.01284, section 5, for registers without history and three free
 * rates; arXiv 2308.16862.
 */
#include <math.h>

#include "hll_internal.h"

/* Cells known to both sketches. */
typedef struct JointCells {
    uint32_t both[HLL_RANKS];
    uint32_t only_a[HLL_RANKS];
    uint32_t only_b[HLL_RANKS];
    uint64_t neither; /* hashes that hit a cell hit in neither; modulo 2^64, as in HllCells */
    unsigned index_bits;
    unsigned rank_max;
} JointCells;

/* ---- comparing ---- */

/* History of an index in one sketch: the ranks seen, bit rank, from the lowest known one. */
typedef struct Known {
    uint64_t seen;
    unsigned lowest;
} Known;

static void
count_index(JointCells *cells, Known a, Known b)
{
    unsigned highest = 63 - (unsigned)__builtin_clzll(a.seen | b.seen | 1);

    for (unsigned rank = a.lowest > b.lowest ? a.lowest : b.lowest; rank <= highest; rank++) {
        bool in_a = a.seen >> rank & 1;
        bool in_b = b.seen >> rank & 1;

        cells->both[rank] += in_a && in_b;
        cells->only_a[rank] += in_a && !in_b;
        cells->only_b[rank] += in_b && !in_a;
        cells->neither += in_a || in_b ? 0 : hll_hashes_of(rank, cells->index_bits);
    }
    cells->neither += hll_hashes_above(highest, cells->index_bits);
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

        i += token_a <= token_b;
        j += token_b <= token_a;
        cells->both[rank] += token_a == token_b;
        cells->only_a[rank] += token_a < token_b;
        cells->only_b[rank] += token_b < token_a;
        cells->neither -= hll_hashes_of(rank, cells->index_bits);
    }
}

/* Reads the history of each index at a precision up to the view's own. */
static Known *
known_at(const HllView *view, unsigned precision, const SketchMemory *memory)
{
    const size_t size = (size_t)1 << precision;
    const bool rank_apart = hll_origin(view->hash)->rank_apart;
    const unsigned history = hll_history(view->hash);
    Known *known = memory->scratch(size * sizeof64(Known), memory->context);
    uint8_t *registers;

    if (view->history == HLL_EVERY_RANK) {
        for (size_t i = 0; i < size; i++)
            known[i] = (Known){0, 1};
        for (uint32_t i = 0; i < view->count; i++) {
            uint32_t token =
                hll_fold_token(view->tokens[i], view->index_bits, precision, rank_apart);

            known[token >> 6].seen |= UINT64_C(1) << (token & (HLL_RANKS - 1));
        }
        return known;
    }
    registers = hll_view_registers(view, precision, memory);
    for (size_t i = 0; i < size; i++)
        known[i] = (Known){hll_register_seen(registers[i], history),
                           hll_register_lowest(registers[i], history)};
    memory->release(registers, memory->context);
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

/* The term of `count` cells hit in one sketch only, whose own items are `rate` a register. */
static double
lost(uint32_t count, double rate, double share)
{
    return count > 0 ? count * share / expm1(rate * share) : 0;
}

/* The derivative of the log-likelihood by the items in both. Items are per register. */
static double
slope(const JointCells *cells, double a, double b, double both)
{
    double sum = ldexp((double)cells->neither, (int)cells->index_bits - 64);

    for (unsigned rank = 1; rank <= cells->rank_max; rank++) {
        double y = share_of(rank, cells->rank_max);

        if (cells->both[rank] > 0) {
            double neither = exp(-(a + b - both) * y);
            double hit = expm1(-a * y) * expm1(-b * y) - neither * expm1(-both * y);

            sum += cells->both[rank] * (y * neither / hit);
        }
        sum -= lost(cells->only_a[rank], a - both, y) + lost(cells->only_b[rank], b - both, y);
    }
    return sum;
}

#define HALVINGS 50 /* to a smaller part of the smaller set than its own error ever is */

static double
likeliest_both(const JointCells *cells, double size_a, double size_b)
{
    double a = ldexp(size_a, -(int)cells->index_bits), b = ldexp(size_b, -(int)cells->index_bits);
    double low = 0, high = fmin(a, b);

    if (high == 0 || slope(cells, a, b, high) >= 0)
        return fmin(size_a, size_b);
    for (unsigned i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;

        *(slope(cells, a, b, middle) > 0 ? &low : &high) = middle;
    }
    return ldexp(low, (int)cells->index_bits);
}

/* Saturated registers, which only crafted values have, are estimated as infinity. */
static double
size_of(const HllView *view)
{
    return fmin(hll_view_estimate(view), 0x1p70);
}

bool
hll_joint(SketchBytes a, SketchBytes b, const SketchMemory *memory, HllJoint *joint,
          SketchError *error)
{
    double size_a, size_b;
    HllView view_a, view_b;
    JointCells cells;

    if (sketch_hash(a.data) != sketch_hash(b.data))
        return hll_refuse_hashes(error, a, b);
    if (!hll_view(&view_a, a, memory))
        return sketch_refuse_damaged(error);
    if (!hll_view(&view_b, b, memory)) {
        hll_view_end(&view_a, memory);
        return sketch_refuse_damaged(error);
    }
    cells = compare(&view_a, &view_b, memory);
    size_a = size_of(&view_a);
    size_b = size_of(&view_b);
    joint->both = likeliest_both(&cells, size_a, size_b);
    joint->only_a = size_a - joint->both;
    joint->only_b = size_b - joint->both;
    hll_view_end(&view_a, memory);
    hll_view_end(&view_b, memory);
    return true;
}
