/*
 * working.c - HyperLogLog sketches that change: adding, folding, merging.
 *
 * Working value, in host byte order:
 *
 *     0..3    as in every value
 *     4       precision
 *     5       index bits of its tokens or registers
 *     6       sparse: tokens in the buffer
 *     7       zero
 *     8..11   sparse: tokens in the list, repetitions included
 *     12..    sparse: the buffer, 12 tokens of 32 bits, and the list, as many as fit, in no order
 *             dense: 2^precision registers
 *
 * An item is appended to the buffer, beside the header; a full buffer moves to the list. So a row
 * touches one place in memory instead of two, which decides its cost if there are thousands of
 * groups. When both are full, the tokens are sorted and repetitions dropped. If there are then more
 * tokens than a sparse sketch may hold, they become registers; otherwise, if more than half of the
 * value is still in use, it doubles. A sparse value and its length word fill a power of two, from
 * 64 bytes (a buffer without a list) on: the size of a chunk of PostgreSQL's allocator. Sorting
 * costs constant amortised time for each item, and a group of ten items takes 64 bytes.
 */
#include "core/common/bytes.h"
#include "hll_internal.h"

/* The smallest working value with its length word. */
#define SMALLEST_CHUNK 64

static SketchState
new_working(uint8_t encoding, SketchHash hash, unsigned precision, size_t size,
            const SketchMemory *memory)
{
    SketchState state = {memory->value(size, memory->context), size};

    memset(state.data, 0, size);
    state.data[0] = SKETCH_HLL;
    state.data[1] = hll_ops.version;
    state.data[2] = SKETCH_WORKING | encoding;
    state.data[3] = (uint8_t)hash;
    state.data[4] = (uint8_t)precision;
    state.data[5] = (uint8_t)hll_index_bits(encoding, precision);
    return state;
}

static uint32_t
list_capacity(SketchState state)
{
    return (uint32_t)((state.size - HLL_WORKING_HEADER) / sizeof(uint32_t)) - HLL_BUFFER;
}

/* An empty sparse value with a list for `tokens`; without one if the buffer can hold them. */
static SketchState
new_sparse(SketchHash hash, unsigned precision, uint8_t encoding, uint32_t tokens,
           const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + HLL_WORKING_HEADER +
                    (HLL_BUFFER + (tokens <= HLL_BUFFER ? 0 : tokens)) * sizeof(uint32_t);
    size_t chunk = SMALLEST_CHUNK;

    while (chunk < needed)
        chunk *= 2;
    return new_working(encoding, hash, precision, chunk - SKETCH_PREFIX_BYTES, memory);
}

/* All tokens of a sparse value; `tokens` has room for the count its header tells. */
void
hll_working_copy_tokens(const uint8_t *data, uint32_t *tokens)
{
    const uint8_t *buffer = data + HLL_WORKING_HEADER;
    uint32_t buffered = data[6];
    uint32_t listed;

    memcpy(&listed, data + 8, sizeof listed);
    memcpy(tokens, buffer, buffered * sizeof(uint32_t));
    memcpy(tokens + buffered, buffer + HLL_BUFFER * sizeof(uint32_t), listed * sizeof(uint32_t));
}

/* Replaces all tokens of a sparse value by some that fit into its list, or its buffer. */
static void
set_tokens(SketchState state, const uint32_t *tokens, uint32_t count)
{
    bool listed = count <= list_capacity(state);

    memcpy(hll_working_buffer(state.data) + (listed ? HLL_BUFFER : 0), tokens,
           count * sizeof(uint32_t));
    state.data[6] = (uint8_t)(listed ? 0 : count);
    *hll_working_listed(state.data) = listed ? count : 0;
}

SketchState
hll_new_sparse(SketchHash hash, unsigned precision, uint8_t encoding, const uint32_t *tokens,
               uint32_t count, const SketchMemory *memory)
{
    SketchState state = new_sparse(hash, precision, encoding, count, memory);

    if (count > 0)
        set_tokens(state, tokens, count);
    return state;
}

SketchState
hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    size_t registers = (size_t)1 << precision;
    SketchState state = new_working(hll_dense_encoding(hash), hash, precision,
                                    HLL_WORKING_HEADER + registers, memory);

    memset(state.data + HLL_WORKING_HEADER, hll_register_empty(hll_history(hash)), registers);
    return state;
}

static uint8_t *
working_registers(SketchState state)
{
    return state.data + HLL_WORKING_HEADER;
}

static uint8_t
encoding_of(SketchState state)
{
    return state.data[2] & (uint8_t)~SKETCH_WORKING;
}

static bool
is_sparse(SketchState state)
{
    return !hll_is_dense(encoding_of(state));
}

static SketchState
dense_from_tokens(SketchHash hash, unsigned precision, const uint32_t *tokens, uint32_t count,
                  unsigned index_bits, const SketchMemory *memory)
{
    SketchState dense = hll_new_dense(hash, precision, memory);

    hll_fold_tokens(tokens, count, index_bits, working_registers(dense), precision, hash);
    return dense;
}

/* All tokens of a sparse value, sorted and without repetitions, in scratch memory. */
static uint32_t *
sorted_tokens(SketchState state, uint32_t *count, const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(state));
    uint32_t *tokens = memory->scratch((h.count + 1) * sizeof(uint32_t), memory->context);

    hll_working_copy_tokens(state.data, tokens);
    *count = hll_tokens_sort(tokens, h.count, hll_encoding_history(h.encoding), memory);
    return tokens;
}

/* The same tokens, sorted, at the precision of the value or as registers where there are many. */
static SketchState
settle(SketchState state, const uint32_t *tokens, uint32_t count, const SketchMemory *memory)
{
    SketchHash hash = (SketchHash)state.data[3];
    unsigned precision = state.data[4];
    uint32_t limit = hll_sparse_limit(precision);
    uint32_t capacity = list_capacity(state);

    if (count > limit)
        return dense_from_tokens(hash, precision, tokens, count, state.data[5], memory);
    /* Growth ends where every sparse sketch fits with an eighth to spare. */
    if (count > (HLL_BUFFER + capacity) / 2 && capacity < limit + limit / 8) {
        SketchState grown =
            new_sparse(hash, precision, encoding_of(state), capacity + HLL_BUFFER + 1, memory);

        set_tokens(grown, tokens, count);
        return grown;
    }
    set_tokens(state, tokens, count);
    return state;
}

/* Room for one more token: empties the full buffer, or sorts and drops repetitions. */
static void
make_room(SketchState *state, const SketchMemory *memory)
{
    uint32_t *buffer = hll_working_buffer(state->data);
    uint32_t *listed = hll_working_listed(state->data);

    if (*listed + HLL_BUFFER <= list_capacity(*state)) {
        memcpy(buffer + HLL_BUFFER + *listed, buffer, HLL_BUFFER * sizeof(uint32_t));
        *listed += HLL_BUFFER;
        state->data[6] = 0;
    } else {
        uint32_t count;
        uint32_t *tokens = sorted_tokens(*state, &count, memory);

        *state = settle(*state, tokens, count, memory);
        memory->release(tokens, memory->context);
    }
}

SketchState
hll_new(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    return new_sparse(hash, precision, hll_first_encoding(hash), 0, memory);
}

/* *state = fresh; frees the value that it replaces, except `original`, which the caller owns. */
static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original && state->data != fresh.data)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

/* Registers that tokens are folded to. */
typedef struct Target {
    uint8_t *registers;
    unsigned precision;
    unsigned history;
    unsigned rank_max;
    bool rank_apart;
} Target;

static Target
target_of(uint8_t *registers, unsigned precision, SketchHash hash)
{
    return (Target){registers, precision, hll_history(hash), hll_rank_max(hash, precision),
                    hll_origin(hash)->rank_apart};
}

static inline void
fold_token(uint32_t token, unsigned from_bits, const Target *to)
{
    uint32_t folded = hll_fold_token(token, from_bits, to->precision, to->rank_apart);
    unsigned rank = folded & (HLL_RANKS - 1);

    if (rank <= to->rank_max) /* as it is, unless storage damaged a working value */
        hll_register_add(to->registers + (folded >> 6), rank, to->history);
}

void
hll_fold_tokens(const uint32_t *from, uint32_t count, unsigned index_bits, uint8_t *to,
                unsigned to_precision, SketchHash hash)
{
    Target target = target_of(to, to_precision, hash);

    for (uint32_t i = 0; i < count; i++)
        fold_token(from[i], index_bits, &target);
}

/*
 * Index bits that are cut off become part of the rank, unless the rank has bits of its own. No rank
 * is lost that the lower precision would know: either the bits are zeros, and all ranks move up
 * alike, or they alone decide the rank.
 */
void
hll_fold_registers(const uint8_t *from, unsigned from_precision, uint8_t *to, unsigned to_precision,
                   SketchHash hash)
{
    Target target = target_of(to, to_precision, hash);

    for (uint32_t i = 0; i < UINT32_C(1) << from_precision; i++)
        for (uint64_t seen = hll_register_seen(from[i], target.history); seen > 0; seen &= seen - 1)
            fold_token(i << 6 | (uint32_t)__builtin_ctzll(seen), from_precision, &target);
}

/* Folds a sparse state to tokens of an encoding and a precision that know no more. */
static void
fold_sparse(SketchState *state, unsigned precision, uint8_t encoding, const uint8_t *original,
            const SketchMemory *memory)
{
    bool rank_apart = hll_origin((SketchHash)state->data[3])->rank_apart;
    unsigned bits = state->data[5], new_bits = hll_index_bits(encoding, precision);
    uint32_t count;
    uint32_t *tokens = sorted_tokens(*state, &count, memory);

    for (uint32_t i = 0; i < count; i++)
        tokens[i] = hll_fold_token(tokens[i], bits, new_bits, rank_apart);
    count = hll_tokens_sort(tokens, count, hll_encoding_history(encoding), memory);
    state->data[2] = SKETCH_WORKING | encoding;
    state->data[4] = (uint8_t)precision;
    state->data[5] = (uint8_t)new_bits;
    replace(state, settle(*state, tokens, count, memory), original, memory);
    memory->release(tokens, memory->context);
}

static void
reduce(SketchState *state, unsigned precision, const uint8_t *original, const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(*state));

    if (precision >= h.precision)
        return;
    if (h.dense) {
        SketchState folded = hll_new_dense(h.hash, precision, memory);

        hll_fold_registers(working_registers(*state), h.precision, working_registers(folded),
                           precision, h.hash);
        replace(state, folded, original, memory);
    } else
        fold_sparse(state, precision, h.encoding, original, memory);
}

/* ---- adding ---- */

/* Appends a token to a buffer that is not full. */
static inline void
push_token(SketchState state, uint32_t token, unsigned index_bits)
{
    bool rank_apart = hll_origin((SketchHash)state.data[3])->rank_apart;

    hll_working_buffer(state.data)[state.data[6]++] =
        hll_fold_token(token, index_bits, state.data[5], rank_apart);
}

void
hll_insert_token(SketchState *state, uint32_t token, const SketchMemory *memory)
{
    if (is_sparse(*state) && state->data[6] == HLL_BUFFER)
        make_room(state, memory);
    if (is_sparse(*state))
        push_token(*state, token, HLL_TOKEN_BITS);
    else
        hll_fold_tokens(&token, 1, HLL_TOKEN_BITS, working_registers(*state), state->data[4],
                        (SketchHash)state->data[3]);
}

void
hll_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    hll_insert_token(state, hll_token(hash), memory);
}

void
hll_insert_foreign(SketchState *state, const void *item, size_t size, const SketchMemory *memory)
{
    uint32_t coupon;

    switch ((SketchHash)state->data[3]) {
    case SKETCH_HASH_XXH3:
        break;
    case SKETCH_HASH_REDIS:
        hll_insert(state, hll_redis_hash(item, size, memory), memory);
        break;
    case SKETCH_HASH_POSTGRESQL_HLL:
        hll_insert(state, hll_postgresql_hll_hash(item, size, 0, memory), memory);
        break;
    case SKETCH_HASH_DATASKETCHES:
        coupon = hll_datasketches_coupon(item, size, memory);
        if (coupon > 0)
            hll_insert_token(state, hll_token_of_coupon(coupon), memory);
        break;
    }
}

void
hll_reduce(SketchState *state, unsigned precision, const SketchMemory *memory)
{
    reduce(state, precision, state->data, memory);
}

/* ---- merging ---- */

static void
merge_ranks(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    for (uint32_t i = 0; i < registers; i++)
        into[i] = into[i] > from[i] ? into[i] : from[i];
}

/*
 * The union of two registers, without a branch: the register of the higher rank, and the part of
 * the other that reaches into its history, shifted by the difference of the ranks.
 */
static inline __attribute__((always_inline)) void
merge_histories_inline(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    for (uint32_t i = 0; i < registers; i++) {
        uint8_t high = into[i] > from[i] ? into[i] : from[i];
        uint8_t low = into[i] > from[i] ? from[i] : into[i];
        uint8_t apart = (uint8_t)((high & 0xfc) - (low & 0xfc)); /* 4 for each rank */
        uint8_t same = apart == 0 ? low & 3 : 0;
        uint8_t one = apart == 4 ? 2 | (low >> 1 & 1) : 0;
        uint8_t two = apart == 8 ? 1 : 0;

        into[i] = high | same | one | two;
    }
}

/* The compiler makes vectors of it: of 16 registers, or of 32 where the processor has such. */
#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("avx2"))) static void
merge_histories_of_32(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    merge_histories_inline(into, from, registers);
}

static void
merge_histories(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    if (__builtin_cpu_supports("avx2"))
        merge_histories_of_32(into, from, registers);
    else
        merge_histories_inline(into, from, registers);
}

#else

static void
merge_histories(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    merge_histories_inline(into, from, registers);
}

#endif

static void
merge_dense(SketchState *state, const HllView *other, const uint8_t *original,
            const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(*state));
    uint8_t *registers;

    if (!h.dense) {
        uint32_t count;
        uint32_t *tokens = sorted_tokens(*state, &count, memory);

        replace(state,
                dense_from_tokens(h.hash, h.precision, tokens, count, state->data[5], memory),
                original, memory);
        memory->release(tokens, memory->context);
    }
    registers = working_registers(*state);
    if (other->precision > h.precision)
        hll_fold_registers(other->registers, other->precision, registers, h.precision, h.hash);
    else if (other->history > 0)
        merge_histories(registers, other->registers, UINT32_C(1) << h.precision);
    else
        merge_ranks(registers, other->registers, UINT32_C(1) << h.precision);
}

static void
merge_sparse(SketchState *state, const HllView *other, const uint8_t *original,
             const SketchMemory *memory)
{
    uint32_t i = 0;

    /*
     * Tokens of registers know fewer ranks than tokens of hashes: both become tokens of registers.
     */
    if (other->encoding == HLL_PLAIN_SPARSE && encoding_of(*state) == HLL_SPARSE)
        fold_sparse(state, state->data[4], HLL_PLAIN_SPARSE, original, memory);
    while (i < other->count && is_sparse(*state)) {
        if (state->data[6] == HLL_BUFFER) {
            SketchState roomy = *state;

            make_room(&roomy, memory);
            replace(state, roomy, original, memory);
        } else
            push_token(*state, other->tokens[i++], other->index_bits);
    }
    if (i < other->count)
        hll_fold_tokens(other->tokens + i, other->count - i, other->index_bits,
                        working_registers(*state), state->data[4], other->hash);
}

bool
hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    HllView view;

    if (state->data[3] != other.data[3])
        return hll_refuse_hashes(error, sketch_bytes(*state), other);
    if (!hll_view(&view, other, memory))
        return sketch_refuse_damaged(error);
    reduce(state, view.precision, original, memory);
    if (view.dense)
        merge_dense(state, &view, original, memory);
    else
        merge_sparse(state, &view, original, memory);
    hll_view_end(&view, memory);
    return true;
}
