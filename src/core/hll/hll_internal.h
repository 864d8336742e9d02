/*
 * hll_internal.h - what the files of HyperLogLog share with one another and with nobody else.
 *
 * hll.c          what it is; packing, validating, asking
 * working.c  adding, folding, merging
 * view.c     reading any encoding
 * sparse.c   tokens: sorting, folding, their packed form
 * dense.c    registers: their packed form, a prefix code
 * estimate.c cardinality and its error from a rank histogram
 * joint.c    intersection and differences of two sketches
 * redis.c    Redis's strings
 */
#ifndef HLL_INTERNAL_H
#define HLL_INTERNAL_H

#include "core/common/bits.h"
#include "hll.h"

#define HLL_TOKEN_BITS 26 /* index bits of a token hashed by XXH3 */
#define HLL_RANKS 64      /* ranks are 0..63 in every encoding: at most 65 - 4 = 61 */

/* How many registers have each rank. */
typedef struct HllHistogram {
    uint32_t count[HLL_RANKS];
    unsigned index_bits; /* there are 2^index_bits registers */
} HllHistogram;

/*
 * A value opened for reading, whatever its encoding: sorted tokens, one an index, or registers.
 * They lie in the value itself, in `few`, or in scratch memory.
 */
#define HLL_VIEW_FEW 64
typedef struct HllView {
    SketchHash hash;
    unsigned precision;
    unsigned token_bits;
    bool dense;
    uint32_t count;
    const uint32_t *tokens;
    const uint8_t *registers;
    void *scratch;
    uint32_t few[HLL_VIEW_FEW];
} HllView;

/*
 * False when a packed value cannot be decoded, which no validated one is unless storage damaged it;
 * there is nothing to end then.
 */
extern bool hll_view(HllView *view, SketchBytes value, const SketchMemory *memory);
extern void hll_view_end(HllView *view, const SketchMemory *memory);
extern void hll_view_histogram(const HllView *view, HllHistogram *histogram);

/* Index bits of tokens: Redis's hash is only ever known by its registers. */
static inline unsigned
hll_token_bits(SketchHash hash, unsigned precision)
{
    return hash == SKETCH_HASH_REDIS ? precision : HLL_TOKEN_BITS;
}

/*
 * The most tokens a sparse sketch holds: they then take about what a dense one may take at most.
 * Redis's registers are tokens, so there it is the content alone that decides.
 */
static inline uint32_t
hll_sparse_limit(unsigned precision)
{
    uint32_t limit = (UINT32_C(1) << precision) / 6;

    return limit < 12 ? 12 : limit;
}

/* A token at fewer index bits: what those bits and the rank of the same hash would be there. */
static inline uint32_t
hll_fold_token(uint32_t token, unsigned from, unsigned to)
{
    uint32_t index = token >> 6;
    uint32_t above = index >> to;
    uint32_t rank = above ? (uint32_t)__builtin_ctz(above) + 1 : from - to + (token & 63);

    return (index & ((UINT32_C(1) << to) - 1)) << 6 | rank;
}

/* registers[i] = the larger of itself and the token's rank there. */
static inline void
hll_raise(uint8_t *registers, uint32_t token, unsigned token_bits, unsigned precision)
{
    uint32_t folded = hll_fold_token(token, token_bits, precision);

    if (registers[folded >> 6] < (folded & 63))
        registers[folded >> 6] = (uint8_t)(folded & 63);
}

/*
 * working.c. hll_merge is SketchOps.merge; hll_working_copy_tokens copies as many tokens as the
 * header of a sparse value tells.
 * hll_fold_registers raises `to` to what `from` says at a precision no higher than its own.
 */
extern SketchState hll_new_sparse(SketchHash hash, unsigned precision, const uint32_t *tokens,
                                  uint32_t count, const SketchMemory *memory);
extern void hll_working_copy_tokens(const uint8_t *data, uint32_t *tokens);
extern SketchState hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory);
extern bool hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                      SketchError *error);
extern void hll_fold_registers(const uint8_t *from, unsigned from_precision, uint8_t *to,
                               unsigned to_precision);

/* sparse.c */
extern uint32_t hll_tokens_sort(uint32_t *tokens, uint32_t count, const SketchMemory *memory);
extern size_t hll_sparse_size(const uint32_t *tokens, uint32_t count, unsigned token_bits);
extern void hll_sparse_write(const uint32_t *tokens, uint32_t count, unsigned token_bits,
                             uint8_t *body);
extern bool hll_sparse_read(uint32_t *tokens, uint32_t count, unsigned token_bits,
                            SketchBytes body);

/* dense.c */
typedef struct HllDensePlan {
    unsigned base;
    uint32_t stream[4]; /* bytes of each quarter's bit stream */
    size_t size;        /* bytes of the body */
    HllHistogram histogram;
} HllDensePlan;

extern void hll_dense_plan(const uint8_t *registers, unsigned precision, HllDensePlan *plan);
extern void hll_dense_write(const uint8_t *registers, unsigned precision, const HllDensePlan *plan,
                            uint8_t *body);
extern bool hll_dense_read(uint8_t *registers, unsigned precision, unsigned base, SketchBytes body);
extern void hll_dense_histogram(const uint8_t *registers, unsigned precision,
                                HllHistogram *histogram);

/* estimate.c */
extern double hll_estimate(const HllHistogram *histogram);
extern double hll_estimate_error(double cardinality, unsigned index_bits);

#endif
