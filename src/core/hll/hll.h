/*
 * hll.h - HyperLogLog: how many distinct items were there? The essay is in hll.c.
 */
#ifndef HLL_H
#define HLL_H

#include "core/common/state.h"

#define HLL_PRECISION_MIN 4
#define HLL_PRECISION_MAX 18
#define HLL_PRECISION_DEFAULT 13
#define HLL_PRECISION_REDIS 14

/* Encodings. Which of them a sketch has follows from its hash function: HllOrigin. */
#define HLL_SPARSE 0       /* tokens of 26 index bits */
#define HLL_DENSE 1        /* registers with history */
#define HLL_PLAIN 2        /* registers of ranks alone */
#define HLL_PLAIN_SPARSE 3 /* tokens of registers of ranks alone, where most are empty */
#define HLL_ENCODINGS 4

/* History bits of a dense register. */
#define HLL_HISTORY 2

#define HLL_TOKEN_BITS 26 /* index bits of a token of HLL_SPARSE */

#define HLL_PACKED_HEADER 16

extern const SketchOps hll_ops;

/*
 * Origin of a sketch. Its hash function names the system, and decides which encodings it may have.
 * Sketches of different origins cannot be merged.
 */
typedef struct HllOrigin {
    const char *hash;   /* for programs */
    const char *system; /* for people */
    unsigned precision_max;
    bool has_tokens; /* HLL_SPARSE: the system keeps small sketches by hash */
    bool rank_apart; /* the rank comes from bits of its own, whatever the index bits are */
} HllOrigin;

/* The origin of a hash function; precision_max is 0 for an unknown one. */
extern const HllOrigin *hll_origin(SketchHash hash);

/* The header of a value, of any encoding. */
typedef struct HllHeader {
    bool working;
    uint8_t encoding;
    bool dense; /* registers, with or without history */
    SketchHash hash;
    unsigned precision;
    unsigned limit;    /* sparse: the code of hll_sparse_limit */
    unsigned base;     /* packed dense: origin of the prefix code */
    uint32_t count;    /* sparse: tokens, in a working value possibly with repetitions */
    uint64_t estimate; /* packed: the cardinality */
} HllHeader;

extern HllHeader hll_header(SketchBytes value);
extern unsigned hll_precision(SketchBytes value);

/*
 * A working value: tokens, in a buffer and a list, or 2^precision registers of a byte each.
 * working.c explains it.
 */
#define HLL_BUFFER 12

typedef struct HllState {
    StateHeader header;
    uint8_t precision;
    uint8_t index_bits; /* of its tokens or registers */
    uint8_t buffered;   /* sparse: tokens in the buffer */
    uint8_t limit;      /* sparse: the code of hll_sparse_limit */
    uint32_t listed;    /* sparse: tokens in the list, repetitions included */
    uint32_t tokens[];  /* sparse: the buffer, then the list */
} HllState;

_Static_assert(sizeof(HllState) == 16, "a state of 12 tokens fills 64 bytes");

static inline HllState *
hll_state(SketchState state)
{
    return state_at(state.data);
}

static inline SketchHash
hll_state_hash(SketchState state)
{
    return (SketchHash)hll_state(state)->header.hash;
}

static inline uint8_t *
hll_state_registers(HllState *s)
{
    return (uint8_t *)s->tokens;
}

/* An empty working sketch. precision must be in range. */
extern SketchState hll_new(SketchHash hash, unsigned precision, const SketchMemory *memory);

/*
 * Adds an item by its hash, which the caller computed with the sketch's own function. If there is
 * no room for it, hll_insert replaces *state as SketchOps.merge does. A hash of DataSketches has
 * 128 bits; use hll_insert_token for it.
 */
static inline bool hll_add(SketchState state, uint64_t hash);
extern void hll_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory);

static inline void
hll_insert(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    if (!hll_add(*state, hash))
        hll_insert_slow(state, hash, memory);
}

/* Inserts a token, whose index has HLL_TOKEN_BITS bits. */
extern void hll_insert_token(SketchState *state, uint32_t token, const SketchMemory *memory);

/*
 * Inserts an item by its bytes, which are hashed with the function of the sketch's system; does
 * nothing to a sketch of our own hash.
 */
extern void hll_insert_foreign(SketchState *state, const void *item, size_t size,
                               const SketchMemory *memory);

/* Folds *state to a precision no higher than its own; replaces *state where needed. */
extern void hll_reduce(SketchState *state, unsigned precision, const SketchMemory *memory);

/* The estimated number of distinct items; of a packed value read from its header. 0 if damaged. */
extern uint64_t hll_cardinality(SketchBytes value, const SketchMemory *memory);

/*
 * The relative standard error of the estimate at this cardinality: the Cramér-Rao bound of its
 * registers, which the estimator reaches within two percent. 0 for an empty sketch.
 */
extern double hll_relative_error(SketchBytes value, const SketchMemory *memory);

/*
 * Estimated numbers of items in both sketches and in only one. `only_a` and `both` add up to the
 * cardinality of a, `only_b` and `both` to that of b; the other order gives the same numbers to the
 * last bit. False, with *error, if the hash functions differ or a value is damaged.
 */
typedef struct HllJoint {
    double only_a;
    double only_b;
    double both;
} HllJoint;

extern bool hll_joint(SketchBytes a, SketchBytes b, const SketchMemory *memory, HllJoint *joint,
                      SketchError *error);

/*
 * History bits of the registers of a hash function: a sketch with another system's hash keeps only
 * ranks, as that system does.
 */
static inline unsigned
hll_history(SketchHash hash)
{
    return hash == SKETCH_HASH_XXH3 ? HLL_HISTORY : 0;
}

/*
 * All 2^precision registers, a byte each, in scratch memory of the caller; NULL if damaged.
 */
extern uint8_t *hll_registers(SketchBytes value, const SketchMemory *memory);

/* A packed value from such registers, each as hll_registers would give it. */
extern SketchBytes hll_from_registers(const uint8_t *registers, SketchHash hash, unsigned precision,
                                      const SketchMemory *memory);

/*
 * Redis. hll_from_redis reads a "HYLL" string or a DUMP payload of one into a packed value.
 * hll_to_redis writes the string as Redis would keep it into scratch memory of the caller; the
 * value must have been counted with Redis's hash at precision 14.
 */
extern bool hll_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                           SketchError *error);
extern bool hll_to_redis(SketchBytes value, const SketchMemory *memory, SketchBytes *string,
                         SketchError *error);

/* Hashes an item as PFADD of Redis does. */
extern uint64_t hll_redis_hash(const void *item, size_t size, const SketchMemory *memory);

/*
 * postgresql-hll. Reads a value in any of its forms except the undefined one; a precision above
 * HLL_PRECISION_MAX is folded to it. Writing needs parameters that a value here does not have: the
 * bits of a register, the expansion threshold of the column (-1 for automatic), and whether the
 * sparse form may be written if it is shorter.
 */
#define HLL_POSTGRESQL_HLL_FORMAT 1 /* in the high half of the first byte */
#define HLL_POSTGRESQL_HLL_LOG2M 11
#define HLL_POSTGRESQL_HLL_REGWIDTH 5
#define HLL_POSTGRESQL_HLL_REGWIDTH_MIN 4
#define HLL_POSTGRESQL_HLL_REGWIDTH_MAX 8
#define HLL_POSTGRESQL_HLL_THRESHOLD_MAX 8192 /* powers of two up to it, 0 and -1 */

extern bool hll_from_postgresql_hll(SketchBytes input, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);
extern bool hll_to_postgresql_hll(SketchBytes value, unsigned regwidth, int threshold, bool sparse,
                                  const SketchMemory *memory, SketchBytes *bytes,
                                  SketchError *error);

/* Hashes an item as its hll_hash functions do, which return a signed number. */
extern uint64_t hll_postgresql_hll_hash(const void *item, size_t size, uint32_t seed,
                                        const SketchMemory *memory);

/*
 * DataSketches. Reads lists, sets and registers of 4, 6 and 8 bits, compact or not. Writes
 * registers of `bits` bits, or a list or a set if DataSketches would write one.
 */
#define HLL_DATASKETCHES_LGK 12

extern bool hll_from_datasketches(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                                  SketchError *error);
extern bool hll_to_datasketches(SketchBytes value, unsigned bits, const SketchMemory *memory,
                                SketchBytes *bytes, SketchError *error);

/*
 * The hash of an item in DataSketches, which it calls a coupon: an index of 26 bits and above it a
 * rank of 6 bits. For no bytes at all it is 0, which means no item.
 */
extern uint32_t hll_datasketches_coupon(const void *item, size_t size, const SketchMemory *memory);

static inline uint32_t
hll_token_of_coupon(uint32_t coupon)
{
    return coupon << 6 | coupon >> HLL_TOKEN_BITS;
}

/*
 * One register. Its high bits are the highest rank seen. Its low `history` bits say whether the
 * ranks directly below were seen, the nearest rank in the highest of them. Ranks below 1 do not
 * exist and count as seen: an empty register has rank 0 and all its history bits set.
 */
static inline uint8_t
hll_register_empty(unsigned history)
{
    return (uint8_t)((1u << history) - 1);
}

/*
 * Returns the ranks seen by a register as bits: rank r is bit r + history. Only the highest are
 * known.
 */
static inline uint64_t
hll_register_bits(uint8_t reg, unsigned history)
{
    uint64_t known = UINT64_C(1) << history | (reg & hll_register_empty(history));

    return known << (reg >> history & 63);
}

/* The register with these ranks; ranks that it does not keep are dropped. */
static inline uint8_t
hll_register_of(uint64_t bits, unsigned history)
{
    unsigned rank = 63 - (unsigned)__builtin_clzll(bits) - history;

    return (uint8_t)(rank << history | (bits >> rank & hll_register_empty(history)));
}

static inline void
hll_register_add(uint8_t *reg, unsigned rank, unsigned history)
{
    uint64_t bits = hll_register_bits(*reg, history) | UINT64_C(1) << (rank + history);

    *reg = hll_register_of(bits, history);
}

/* The rank of a hash: the trailing zeros above its index bits, plus one. */
static inline unsigned
hll_rank(uint64_t hash, unsigned index_bits)
{
    return (unsigned)__builtin_ctzll(hash >> index_bits | UINT64_C(1) << (64 - index_bits)) + 1;
}

/* The cell of HLL_SPARSE that a hash hits. */
static inline uint32_t
hll_token(uint64_t hash)
{
    return (uint32_t)(hash << 6) | hll_rank(hash, HLL_TOKEN_BITS);
}

static inline bool
hll_add(SketchState state, uint64_t hash)
{
    HllState *s = hll_state(state);

    if (s->header.encoding == (SKETCH_WORKING | HLL_DENSE)) {
        uint64_t mask = (UINT64_C(1) << s->precision) - 1;
        uint8_t *reg = hll_state_registers(s) + (hash & mask);
        unsigned rank = hll_rank(hash, s->precision);

        /* Most items are further below the highest rank than history reaches. */
        if (*reg < (rank + HLL_HISTORY + 1) << HLL_HISTORY)
            hll_register_add(reg, rank, HLL_HISTORY);
        return true;
    }
    if (s->header.encoding == (SKETCH_WORKING | HLL_SPARSE) && s->buffered < HLL_BUFFER) {
        s->tokens[s->buffered++] = hll_token(hash);
        return true;
    }
    return false;
}

#endif
