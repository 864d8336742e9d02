/*
 * hll_internal.h - what the files of HyperLogLog share with one another and with nobody else.
 *
 * hll.c       what it is; packing, validating, asking
 * working.c   adding, folding, merging
 * view.c      reading any encoding
 * sparse.c    tokens: sorting, their packed form
 * dense.c     registers: their packed form, a prefix code
 * estimate.c  cardinality and its error
 * joint.c     intersection and differences of two sketches
 * redis.c     Redis's strings
 * postgresql_hll.c, datasketches.c    values of those two
 */
#ifndef HLL_INTERNAL_H
#define HLL_INTERNAL_H

#include "core/common/bits.h"
#include "hll.h"

#define HLL_RANKS 64 /* ranks are 0..63 in every encoding */

/* The history of tokens: they tell of every rank whether it was seen. */
#define HLL_EVERY_RANK 64

/*
 * What a sketch knows, as its estimate needs it. An index and a rank are a cell; every hash hits
 * one cell. `unseen` counts the hashes, of all 2^64, that hit a cell known to be unhit; an empty
 * sketch would have 2^64 of them, and has 0 here.
 */
typedef struct HllCells {
    uint32_t seen[HLL_RANKS]; /* cells of each rank that are known to be hit */
    uint64_t unseen;
    unsigned index_bits;
    unsigned history; /* 0, HLL_HISTORY or HLL_EVERY_RANK */
    unsigned rank_max;
} HllCells;

/*
 * A value opened for reading, whatever its encoding: sorted tokens or registers. They lie in the
 * value itself, in `few`, or in scratch memory.
 */
#define HLL_VIEW_FEW 64
typedef struct HllView {
    SketchHash hash;
    unsigned precision;
    uint8_t encoding;
    bool dense;
    unsigned index_bits; /* of its registers or tokens */
    unsigned history;    /* of its registers, or HLL_EVERY_RANK of its tokens */
    uint32_t count;
    const uint32_t *tokens;
    const uint8_t *registers;
    void *scratch;
    uint32_t few[HLL_VIEW_FEW];
} HllView;

/*
 * False if a value cannot be read, which a validated one always can unless storage damaged it;
 * hll_view_end need not be called then.
 */
extern bool hll_view(HllView *view, SketchBytes value, const SketchMemory *memory);
extern void hll_view_as_dense(HllView *view, const SketchMemory *memory);
extern void hll_view_end(HllView *view, const SketchMemory *memory);
extern void hll_view_cells(const HllView *view, HllCells *cells);

/* The cardinality, before it is rounded. */
extern double hll_view_estimate(const HllView *view);

/* Why sketches of different hash functions do not go together. */
extern bool hll_refuse_hashes(SketchError *error, SketchBytes one, SketchBytes other);

/* The encoding of an empty sketch of a hash function, and that of its registers. */
static inline uint8_t
hll_first_encoding(SketchHash hash)
{
    return hll_origin(hash)->has_tokens ? HLL_SPARSE : HLL_PLAIN_SPARSE;
}

static inline uint8_t
hll_dense_encoding(SketchHash hash)
{
    return hll_history(hash) > 0 ? HLL_DENSE : HLL_PLAIN;
}

static inline bool
hll_has_encoding(SketchHash hash, uint8_t encoding)
{
    if (encoding == HLL_SPARSE)
        return hll_origin(hash)->has_tokens;
    if (encoding == HLL_DENSE)
        return hll_history(hash) > 0;
    return encoding < HLL_ENCODINGS && hll_history(hash) == 0;
}

static inline bool
hll_is_dense(uint8_t encoding)
{
    return encoding == HLL_DENSE || encoding == HLL_PLAIN;
}

/* The index bits of an encoding, and what it knows of the ranks below the highest. */
static inline unsigned
hll_index_bits(uint8_t encoding, unsigned precision)
{
    return encoding == HLL_SPARSE ? HLL_TOKEN_BITS : precision;
}

static inline unsigned
hll_encoding_history(uint8_t encoding)
{
    return encoding == HLL_SPARSE ? HLL_EVERY_RANK : encoding == HLL_DENSE ? HLL_HISTORY : 0;
}

/*
 * The highest rank there is: that of a hash whose bits above the index are all zero, or the limit
 * of a system that takes the rank from bits of its own.
 */
static inline unsigned
hll_rank_max(SketchHash hash, unsigned index_bits)
{
    return hll_origin(hash)->rank_apart ? HLL_RANKS - 1 : 65 - index_bits;
}

/*
 * The most tokens a sparse sketch holds: they then take about what a dense one may take at most.
 * Registers without history are packed sparse if at most so many of them are not empty.
 */
static inline uint32_t
hll_sparse_limit(unsigned precision)
{
    uint32_t limit = (UINT32_C(1) << precision) / 5;

    return limit < 12 ? 12 : limit;
}

/* How many of the hashes of one index have a higher rank than this. */
static inline uint64_t
hll_hashes_above(unsigned rank, unsigned index_bits)
{
    unsigned left = 64 - index_bits;

    return rank <= left ? UINT64_C(1) << (left - rank) : 0;
}

/* How many of the hashes of one index have this rank. */
static inline uint64_t
hll_hashes_of(unsigned rank, unsigned index_bits)
{
    return hll_hashes_above(rank - 1, index_bits) - hll_hashes_above(rank, index_bits);
}

static inline unsigned
hll_register_rank(uint8_t reg, unsigned history)
{
    return reg >> history & (HLL_RANKS - 1);
}

/* The ranks that a register knows were seen, rank r as bit r; and the lowest rank it knows of. */
static inline uint64_t
hll_register_seen(uint8_t reg, unsigned history)
{
    return hll_register_bits(reg, history) >> history & ~UINT64_C(1);
}

static inline unsigned
hll_register_lowest(uint8_t reg, unsigned history)
{
    unsigned rank = hll_register_rank(reg, history);

    return rank > history ? rank - history : 1;
}

/* A token at fewer index bits: what those bits and the rank of the same hash would be there. */
static inline uint32_t
hll_fold_token(uint32_t token, unsigned from, unsigned to, bool rank_apart)
{
    uint32_t index = token >> 6;
    uint32_t above = index >> to;
    uint32_t rank = above ? (uint32_t)__builtin_ctz(above) + 1 : from - to + (token & 63);

    if (rank_apart)
        rank = token & 63;
    return (index & ((UINT32_C(1) << to) - 1)) << 6 | rank;
}

/* working.c. hll_merge is SketchOps.merge. */
extern SketchState hll_new_sparse(SketchHash hash, unsigned precision, uint8_t encoding,
                                  const uint32_t *tokens, uint32_t count,
                                  const SketchMemory *memory);
extern SketchState hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory);
extern bool hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                      SketchError *error);

/* Copies as many tokens as the header of a sparse working value tells. */
extern void hll_working_copy_tokens(const uint8_t *data, uint32_t *tokens);

/* Adds tokens, or registers of a precision no lower, to registers. */
extern void hll_fold_tokens(const uint32_t *from, uint32_t count, unsigned index_bits, uint8_t *to,
                            unsigned to_precision, SketchHash hash);
extern void hll_fold_registers(const uint8_t *from, unsigned from_precision, uint8_t *to,
                               unsigned to_precision, SketchHash hash);

/* sparse.c. With HLL_EVERY_RANK an index may have several tokens; without history, only the token
 * of its highest rank counts. */
extern uint32_t hll_tokens_sort(uint32_t *tokens, uint32_t count, unsigned history,
                                const SketchMemory *memory);
extern void hll_tokens_cells(const uint32_t *tokens, uint32_t count, HllCells *cells);
extern size_t hll_sparse_size(const uint32_t *tokens, uint32_t count, unsigned index_bits);
extern void hll_sparse_write(const uint32_t *tokens, uint32_t count, unsigned index_bits,
                             uint8_t *body);
extern bool hll_sparse_read(uint32_t *tokens, uint32_t count, const HllView *view,
                            SketchBytes body);

/* dense.c */
typedef struct HllDenseLayout {
    unsigned base;
    uint32_t stream[4]; /* bytes of each quarter's bit stream */
    size_t size;        /* bytes of the body */
    HllCells cells;
} HllDenseLayout;

extern void hll_dense_layout(const uint8_t *registers, unsigned precision, SketchHash hash,
                             HllDenseLayout *layout);
extern void hll_dense_write(const uint8_t *registers, unsigned precision, unsigned history,
                            const HllDenseLayout *layout, uint8_t *body);
extern bool hll_dense_read(uint8_t *registers, unsigned precision, SketchHash hash, unsigned base,
                           SketchBytes body);
extern void hll_dense_cells(const uint8_t *registers, unsigned precision, SketchHash hash,
                            HllCells *cells);

/* estimate.c. hll_estimate is hll_maximum_likelihood for cells with history, else as in Redis. */
extern double hll_estimate(const HllCells *cells);
extern double hll_maximum_likelihood(const HllCells *cells);
extern double hll_estimate_error(double cardinality, unsigned index_bits, unsigned history);

#endif
