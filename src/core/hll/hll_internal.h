/*
 * hll_internal.h - what the files of HyperLogLog share. Each calls only those above it.
 *
 * header.c     where the fields of a value are
 * hash.c       the hashes of other systems
 * fold.c       tokens and registers at a lower precision
 * sparse.c     tokens: sorting, their packed form
 * dense.c      registers: their packed form, a prefix code
 * estimate.c   cardinality and its error
 * view.c       reading any encoding
 * packed.c     packing
 * working.c    sketches that change: new, add, grow, reduce
 * merge.c      the union of two
 * joint.c      intersection and differences of two
 * from_redis.c, from_postgresql_hll.c, from_datasketches.c    sketches of those systems, both ways
 * hll.c        what it is; validating, the operations and the cardinality of one sketch
 */
#ifndef HLL_INTERNAL_H
#define HLL_INTERNAL_H

#include "core/common/bits.h"
#include "core/common/bytes.h"
#include "hll.h"

#define HLL_VERSION 1

#define HLL_RANKS 64 /* ranks are 0..63 in every encoding */

/* The history of tokens: whether a rank was seen is known of every rank. */
#define HLL_EVERY_RANK 64

/*
 * Summary of a sketch for its estimate. An index and a rank are a cell; every hash hits one cell.
 * `unseen` counts the hashes, of all 2^64, that hit a cell known to be unhit; an empty sketch would
 * have 2^64 of them, and has 0 here.
 */
typedef struct HllCells {
    uint32_t seen[HLL_RANKS]; /* cells of each rank that are known to be hit */
    uint64_t unseen;
    unsigned index_bits;
    unsigned history; /* 0, HLL_HISTORY or HLL_EVERY_RANK */
    unsigned rank_max;
} HllCells;

/*
 * A value opened for reading, whatever its encoding: sorted tokens or registers. They are in the
 * value itself, in `few`, or in scratch memory.
 */
#define HLL_VIEW_INLINE_TOKENS 64
typedef struct HllView {
    SketchHash hash;
    unsigned precision;
    uint8_t encoding;
    bool dense;
    unsigned limit;      /* of its tokens: a code of hll_sparse_limit */
    unsigned index_bits; /* of its registers or tokens */
    unsigned history;    /* of its registers, or HLL_EVERY_RANK of its tokens */
    uint32_t count;
    const uint32_t *tokens;
    const uint8_t *registers;
    void *scratch;
    uint32_t few[HLL_VIEW_INLINE_TOKENS];
} HllView;

/* Registers that can be changed, 2^precision of them. */
typedef struct HllRegisters {
    uint8_t *of;
    unsigned precision;
    SketchHash hash;
} HllRegisters;

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
 * The most tokens a sparse sketch holds: they take about as many bytes as the largest dense one.
 * Registers without history are packed sparse if no more of them than this are not empty. A value
 * that postgresql-hll keeps exact up to more hashes holds 2^code tokens instead, as far as the
 * header can count them; code 0 is none.
 */
#define HLL_LIMIT_CODE_MAX 16

static inline uint32_t
hll_sparse_limit(unsigned precision, unsigned code)
{
    uint32_t limit = (UINT32_C(1) << precision) / 5;

    if (code > 0)
        return code < HLL_LIMIT_CODE_MAX ? UINT32_C(1) << code : UINT16_MAX;
    return limit < 12 ? 12 : limit;
}

/* Returns true if a header may have its limit: none, or one above that of the precision. */
static inline bool
hll_has_limit(const HllHeader *h)
{
    return h->limit == 0 ||
           (h->hash == SKETCH_HASH_POSTGRESQL_HLL && h->encoding == HLL_SPARSE &&
            h->limit <= HLL_LIMIT_CODE_MAX &&
            hll_sparse_limit(h->precision, h->limit) > hll_sparse_limit(h->precision, 0));
}

/* Counts the possible hashes of one index with a higher rank than this. */
static inline uint64_t
hll_hashes_above(unsigned rank, unsigned index_bits)
{
    unsigned left = 64 - index_bits;

    return rank <= left ? UINT64_C(1) << (left - rank) : 0;
}

/* Counts the possible hashes of one index with this rank. */
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

/* Ranks seen by a register, rank r as bit r; and the lowest rank with a known history. */
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

/* header.c. hll_write_header returns where the body begins. */
extern uint64_t hll_packed_estimate(SketchBytes value);
extern uint8_t *hll_write_header(uint8_t *data, const HllHeader *h);

/* Checks the fields behind the common header. */
extern bool hll_validate_header(SketchBytes input, SketchError *error);

/* Compares packed values in everything but the estimate, which follows from the rest. */
extern bool hll_same_content(SketchBytes a, SketchBytes b);

/* Why sketches of different hash functions do not go together. */
extern bool hll_refuse_hashes(SketchError *error, SketchBytes one, SketchBytes other);

/* fold.c. Adds tokens, or registers of a precision no lower, to registers. */
extern void hll_fold_tokens(const uint32_t *from, uint32_t count, unsigned index_bits,
                            HllRegisters to);
extern void hll_fold_registers(const uint8_t *from, unsigned precision, HllRegisters to);

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
    uint32_t used;      /* registers that are not empty */
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

/* view.c. A view of an encoding, without contents. */
extern HllView hll_view_of(SketchHash hash, unsigned precision, uint8_t encoding);

/*
 * False if a value cannot be read, which a validated one always can unless storage damaged it;
 * hll_view_end need not be called then.
 */
extern bool hll_view(HllView *view, SketchBytes value, const SketchMemory *memory);
extern void hll_view_end(HllView *view, const SketchMemory *memory);

/* Makes registers of tokens that are more than a sparse sketch may hold. */
extern void hll_view_limit(HllView *view, const SketchMemory *memory);

/* The registers of a view at a precision no higher than its own, in scratch memory. */
extern uint8_t *hll_view_registers(const HllView *view, unsigned precision,
                                   const SketchMemory *memory);

/* The cardinality, before it is rounded. */
extern double hll_view_estimate(const HllView *view);

/* packed.c */
extern SketchBytes hll_pack(SketchBytes value, const SketchMemory *memory);
extern SketchBytes hll_pack_view(const HllView *view, const SketchMemory *memory);
extern uint64_t hll_round_estimate(double estimate);

/*
 * A packed value of the shape of a view from tokens in any order, ranks possible, which are sorted
 * in place; tokens of HLL_PLAIN_SPARSE have as many index bits as the precision.
 */
extern SketchBytes hll_from_tokens(HllView shape, uint32_t *tokens, uint32_t count,
                                   const SketchMemory *memory);

/* Registers of 6 bits, lowest bit first, four in three bytes: `count` is a multiple of 4. */
static inline void
hll_read_sixes(const uint8_t *from, uint8_t *registers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 4, from += 3) {
        uint32_t four = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16;

        for (unsigned j = 0; j < 4; j++)
            registers[i + j] = four >> (6 * j) & 63;
    }
}

static inline void
hll_write_sixes(const uint8_t *registers, uint32_t count, uint8_t *to)
{
    for (uint32_t i = 0; i < count; i += 4, to += 3) {
        uint32_t four = registers[i] | (uint32_t)registers[i + 1] << 6 |
                        (uint32_t)registers[i + 2] << 12 | (uint32_t)registers[i + 3] << 18;

        to[0] = (uint8_t)four;
        to[1] = (uint8_t)(four >> 8);
        to[2] = (uint8_t)(four >> 16);
    }
}

/* The highest of some registers. */
static inline uint8_t
hll_highest(const uint8_t *registers, size_t count)
{
    uint8_t highest = 0;

    for (size_t i = 0; i < count; i++)
        highest = registers[i] > highest ? registers[i] : highest;
    return highest;
}

/*
 * working.c. hll_reduce_to leaves registers of the precision, or tokens that know no more than
 * those of the encoding and the limit.
 */
extern SketchState hll_open(SketchBytes value, const SketchMemory *memory);
extern SketchState hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory);
extern void hll_make_dense(StateWriter *w);
extern void hll_reduce_to(StateWriter *w, unsigned precision, uint8_t encoding, unsigned limit);
extern void hll_add_tokens(StateWriter *w, const uint32_t *tokens, uint32_t count,
                           unsigned index_bits);

/* merge.c: SketchOps.merge. */
extern bool hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                      SketchError *error);

static inline HllRegisters
hll_registers_of(SketchState state)
{
    HllState *s = hll_state(state);

    return (HllRegisters){hll_state_registers(s), s->precision, hll_state_hash(state)};
}

static inline bool
hll_state_is_sparse(SketchState state)
{
    return !hll_is_dense(hll_state(state)->header.encoding & (uint8_t)~SKETCH_WORKING);
}

/* Copies the tokens of a sparse working value, listed + buffered, in no order. */
static inline void
hll_state_copy_tokens(const HllState *s, uint32_t *tokens)
{
    memcpy(tokens, s->tokens, s->buffered * sizeof(uint32_t));
    memcpy(tokens + s->buffered, s->tokens + HLL_BUFFER, s->listed * sizeof(uint32_t));
}

#endif
