/*
 * working.c - HyperLogLog sketches that change: HllState of hll.h.
 *
 *     0     StateHeader of core/common/state.h, with the encoding
 *     8     precision, index bits of its tokens or registers, tokens in the buffer, limit of tokens
 *     12    tokens in the list, repetitions included
 *     16    sparse: the buffer, 12 tokens of 32 bits, and the list, as many as fit, in no order
 *           dense: 2^precision registers
 *
 * An item is appended to the buffer, next to the header; a full buffer moves to the list. So a row
 * touches one place in memory instead of two, which decides its cost if there are thousands of
 * groups. When both are full, the tokens are sorted and repetitions dropped. If there are then more
 * tokens than a sparse sketch may hold, they become registers; otherwise, if more than half of the
 * value is still in use, it doubles. A sparse value and its length word fill a power of two, from
 * 64 bytes (a buffer without a list) on: the size of a chunk of PostgreSQL's allocator. Sorting
 * costs constant amortised time for each item, and a group of ten items takes 64 bytes.
 */
#include "hll_internal.h"

/* The smallest working value with its length word. */
#define MIN_CHUNK_BYTES 64

static SketchState
new_state(uint8_t encoding, SketchHash hash, unsigned precision, size_t bytes,
          const SketchMemory *memory)
{
    SketchState state = state_new(SKETCH_HLL, SKETCH_WORKING | encoding, (uint8_t)hash, bytes,
                                  sizeof(HllState), memory);

    hll_state(state)->precision = (uint8_t)precision;
    hll_state(state)->index_bits = (uint8_t)hll_index_bits(encoding, precision);
    return state;
}

/* An empty sparse value with a list for `tokens`; without one if the buffer can hold them. */
static SketchState
new_sparse(SketchHash hash, unsigned precision, uint8_t encoding, uint32_t tokens,
           const SketchMemory *memory)
{
    size_t listed = tokens <= HLL_BUFFER ? 0 : tokens;
    size_t bytes =
        state_chunk(MIN_CHUNK_BYTES, sizeof(HllState) + (HLL_BUFFER + listed) * sizeof(uint32_t));

    return new_state(encoding, hash, precision, bytes, memory);
}

SketchState
hll_new(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    return new_sparse(hash, precision, hll_first_encoding(hash), 0, memory);
}

SketchState
hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    size_t registers = (size_t)1 << precision;
    SketchState state =
        new_state(hll_dense_encoding(hash), hash, precision, sizeof(HllState) + registers, memory);

    memset(hll_registers_of(state).of, hll_register_empty(hll_history(hash)), registers);
    return state;
}

static uint8_t
encoding_of(SketchState state)
{
    return hll_state(state)->header.encoding & (uint8_t)~SKETCH_WORKING;
}

static uint32_t
list_capacity(SketchState state)
{
    size_t tokens = (state.size - state_size(sizeof(HllState))) / sizeof(uint32_t);

    return (uint32_t)tokens - HLL_BUFFER;
}

/* Replaces all tokens of a sparse value by some that fit into its list, or its buffer. */
static void
set_tokens(SketchState state, const uint32_t *tokens, uint32_t count)
{
    HllState *s = hll_state(state);
    bool listed = count <= list_capacity(state);

    memcpy(s->tokens + (listed ? HLL_BUFFER : 0), tokens, count * sizeof(uint32_t));
    s->buffered = (uint8_t)(listed ? 0 : count);
    s->listed = listed ? count : 0;
}

SketchState
hll_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    HllView view;

    if (!hll_view(&view, value, memory))
        return (SketchState){NULL, 0};
    if (view.dense) {
        state = hll_new_dense(view.hash, view.precision, memory);
        memcpy(hll_registers_of(state).of, view.registers, (size_t)1 << view.precision);
    } else {
        state = new_sparse(view.hash, view.precision, view.encoding, view.count, memory);
        hll_state(state)->limit = (uint8_t)view.limit;
        set_tokens(state, view.tokens, view.count);
    }
    hll_view_end(&view, memory);
    return state;
}

/* ---- growing ---- */

/* All tokens of a sparse value, sorted and without repetitions, in scratch memory. */
static uint32_t *
sorted_tokens(SketchState state, uint32_t *count, const SketchMemory *memory)
{
    const HllState *s = hll_state(state);
    uint32_t all = s->listed + s->buffered;
    uint32_t *tokens = memory->scratch((all + 1) * sizeof64(uint32_t), memory->context);

    hll_state_copy_tokens(s, tokens);
    *count = hll_tokens_sort(tokens, all, hll_encoding_history(encoding_of(state)), memory);
    return tokens;
}

static void
replace_by_registers(StateWriter *w, const uint32_t *tokens, uint32_t count)
{
    const HllState *s = hll_state(w->state);
    SketchState dense = hll_new_dense(hll_state_hash(w->state), s->precision, w->memory);

    hll_fold_tokens(tokens, count, s->index_bits, hll_registers_of(dense));
    state_replace(w, dense);
}

/* Stores sorted tokens: in the state, in a larger one, or as registers if there are too many. */
static void
store_tokens(StateWriter *w, const uint32_t *tokens, uint32_t count)
{
    const HllState *s = hll_state(w->state);
    uint32_t limit = hll_sparse_limit(s->precision, s->limit);
    uint32_t capacity = list_capacity(w->state);

    if (count > limit) {
        replace_by_registers(w, tokens, count);
        return;
    }
    /* Growth ends where every sparse sketch fits with an eighth to spare. */
    if (count > (HLL_BUFFER + capacity) / 2 && capacity < limit + limit / 8) {
        SketchState grown = new_sparse(hll_state_hash(w->state), s->precision,
                                       encoding_of(w->state), capacity + HLL_BUFFER + 1, w->memory);

        hll_state(grown)->limit = s->limit;
        state_replace(w, grown);
    }
    set_tokens(w->state, tokens, count);
}

/* Makes room for one more token: empties the full buffer, or sorts and drops repetitions. */
static void
grow(StateWriter *w)
{
    HllState *s = hll_state(w->state);
    uint32_t count, *tokens;

    if (s->listed + HLL_BUFFER <= list_capacity(w->state)) {
        memcpy(s->tokens + HLL_BUFFER + s->listed, s->tokens, HLL_BUFFER * sizeof(uint32_t));
        s->listed += HLL_BUFFER;
        s->buffered = 0;
        return;
    }
    tokens = sorted_tokens(w->state, &count, w->memory);
    store_tokens(w, tokens, count);
    w->memory->release(tokens, w->memory->context);
}

void
hll_make_dense(StateWriter *w)
{
    uint32_t count, *tokens;

    if (!hll_state_is_sparse(w->state))
        return;
    tokens = sorted_tokens(w->state, &count, w->memory);
    replace_by_registers(w, tokens, count);
    w->memory->release(tokens, w->memory->context);
}

/* ---- adding ---- */

void
hll_add_tokens(StateWriter *w, const uint32_t *tokens, uint32_t count, unsigned index_bits)
{
    const bool rank_apart = hll_origin(hll_state_hash(w->state))->rank_apart;

    for (uint32_t i = 0; i < count;) {
        HllState *s = hll_state(w->state);

        if (!hll_state_is_sparse(w->state)) {
            hll_fold_tokens(tokens + i, count - i, index_bits, hll_registers_of(w->state));
            return;
        }
        if (s->buffered == HLL_BUFFER)
            grow(w);
        else
            s->tokens[s->buffered++] =
                hll_fold_token(tokens[i++], index_bits, s->index_bits, rank_apart);
    }
}

void
hll_insert_token(SketchState *state, uint32_t token, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    hll_add_tokens(&w, &token, 1, HLL_TOKEN_BITS);
    *state = w.state;
}

void
hll_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    hll_insert_token(state, hll_token(hash), memory);
}

void
hll_insert_foreign(SketchState *state, const void *item, size_t size, const SketchMemory *memory)
{
    switch (hll_state_hash(*state)) {
    case SKETCH_HASH_XXH3:
        break;
    case SKETCH_HASH_REDIS:
        hll_insert(state, hll_redis_hash(item, size, memory), memory);
        break;
    case SKETCH_HASH_POSTGRESQL_HLL:
        hll_insert(state, hll_postgresql_hll_hash(item, size, 0, memory), memory);
        break;
    case SKETCH_HASH_DATASKETCHES:
        if (size > 0)
            hll_insert_token(
                state, hll_token_of_coupon(hll_datasketches_coupon(item, size, memory)), memory);
        break;
    }
}

/* ---- folding ---- */

/* Folds a sparse state to tokens of an encoding, a precision and a limit that know no more. */
static void
fold_sparse(StateWriter *w, unsigned precision, uint8_t encoding, unsigned limit)
{
    HllState *s = hll_state(w->state);
    bool rank_apart = hll_origin(hll_state_hash(w->state))->rank_apart;
    unsigned bits = s->index_bits, new_bits = hll_index_bits(encoding, precision);
    uint32_t count, *tokens = sorted_tokens(w->state, &count, w->memory);

    for (uint32_t i = 0; i < count; i++)
        tokens[i] = hll_fold_token(tokens[i], bits, new_bits, rank_apart);
    count = hll_tokens_sort(tokens, count, hll_encoding_history(encoding), w->memory);
    s->header.encoding = SKETCH_WORKING | encoding;
    s->precision = (uint8_t)precision;
    s->index_bits = (uint8_t)new_bits;
    s->limit = (uint8_t)limit;
    store_tokens(w, tokens, count);
    w->memory->release(tokens, w->memory->context);
}

void
hll_reduce_to(StateWriter *w, unsigned precision, uint8_t encoding, unsigned limit)
{
    HllState *s = hll_state(w->state);

    if (!hll_state_is_sparse(w->state)) {
        SketchState folded;

        if (precision >= s->precision)
            return;
        folded = hll_new_dense(hll_state_hash(w->state), precision, w->memory);
        hll_fold_registers(hll_state_registers(s), s->precision, hll_registers_of(folded));
        state_replace(w, folded);
        return;
    }
    /* Tokens of registers know fewer ranks than those of hashes. */
    if (encoding != HLL_PLAIN_SPARSE)
        encoding = encoding_of(w->state);
    if (precision > s->precision)
        precision = s->precision;
    if (limit > s->limit)
        limit = s->limit;
    if (precision < s->precision || encoding != encoding_of(w->state) || limit < s->limit)
        fold_sparse(w, precision, encoding, encoding == HLL_SPARSE ? limit : 0);
}

void
hll_reduce(SketchState *state, unsigned precision, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    hll_reduce_to(&w, precision, encoding_of(*state), hll_state(*state)->limit);
    *state = w.state;
}
