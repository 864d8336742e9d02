/*
 * working.c - HyperLogLog sketches that change: adding, folding, merging.
 *
 * Working value, in host byte order:
 *
 *     0..3    as in every value
 *     4       precision
 *     5       index bits of its tokens
 *     6       sparse: tokens on the stage
 *     7       zero
 *     8..11   sparse: tokens on the heap, repetitions included
 *     12..    sparse: the stage, 12 tokens of 32 bits, and the heap, as many as fit, in no order
 *             dense: 2^precision registers
 *
 * An item is appended to the stage, beside the header; a full stage moves to the heap. So a row
 * touches one place in memory instead of two, which with thousands of groups is what it costs. When
 * both are full, the tokens are sorted and repetitions dropped; more of them than a sparse sketch
 * may hold become registers, and while more than half of the value is still in use it doubles.
 * Sizes are such that value and length word fill a power of two, from 64 bytes (a stage without a
 * heap) on: what PostgreSQL's allocator hands out anyway. Sorting costs an item a constant
 * amortised time, and a group of ten items 64 bytes.
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
    state.data[5] = (uint8_t)hll_token_bits(hash, precision);
    return state;
}

static uint32_t
heap_capacity(SketchState state)
{
    return (uint32_t)((state.size - HLL_WORKING_HEADER) / sizeof(uint32_t)) - HLL_STAGE;
}

/* An empty sparse value with a heap for `tokens`, or none for what the stage can hold. */
static SketchState
new_sparse(SketchHash hash, unsigned precision, uint32_t tokens, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + HLL_WORKING_HEADER +
                    (HLL_STAGE + (tokens <= HLL_STAGE ? 0 : tokens)) * sizeof(uint32_t);
    size_t chunk = SMALLEST_CHUNK;

    while (chunk < needed)
        chunk *= 2;
    return new_working(HLL_SPARSE, hash, precision, chunk - SKETCH_PREFIX_BYTES, memory);
}

/* All tokens of a sparse value; `tokens` has room for the count its header tells. */
void
hll_working_copy_tokens(const uint8_t *data, uint32_t *tokens)
{
    const uint8_t *stage = data + HLL_WORKING_HEADER;
    uint32_t staged = data[6];
    uint32_t heaped;

    memcpy(&heaped, data + 8, sizeof heaped);
    memcpy(tokens, stage, staged * sizeof(uint32_t));
    memcpy(tokens + staged, stage + HLL_STAGE * sizeof(uint32_t), heaped * sizeof(uint32_t));
}

/* Replaces all tokens of a sparse value by some that fit into its heap, or its stage. */
static void
set_tokens(SketchState state, const uint32_t *tokens, uint32_t count)
{
    bool heap = count <= heap_capacity(state);

    memcpy(hll_working_tokens(state.data) + (heap ? HLL_STAGE : 0), tokens,
           count * sizeof(uint32_t));
    state.data[6] = (uint8_t)(heap ? 0 : count);
    *hll_working_heaped(state.data) = heap ? count : 0;
}

SketchState
hll_new_sparse(SketchHash hash, unsigned precision, const uint32_t *tokens, uint32_t count,
               const SketchMemory *memory)
{
    SketchState state = new_sparse(hash, precision, count, memory);

    if (count > 0)
        set_tokens(state, tokens, count);
    return state;
}

SketchState
hll_new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    return new_working(HLL_DENSE, hash, precision, HLL_WORKING_HEADER + ((size_t)1 << precision),
                       memory);
}

static uint8_t *
working_registers(SketchState state)
{
    return state.data + HLL_WORKING_HEADER;
}

static SketchState
dense_from_tokens(SketchHash hash, unsigned precision, const uint32_t *tokens, uint32_t count,
                  unsigned token_bits, const SketchMemory *memory)
{
    SketchState dense = hll_new_dense(hash, precision, memory);

    for (uint32_t i = 0; i < count; i++)
        hll_raise(working_registers(dense), tokens[i], token_bits, precision);
    return dense;
}

/* All tokens of a sparse value, sorted and without repetitions, in scratch memory. */
static uint32_t *
sorted_tokens(SketchState state, uint32_t *count, const SketchMemory *memory)
{
    uint32_t *tokens;

    *count = hll_header(sketch_bytes(state)).count;
    tokens = memory->scratch((*count + 1) * sizeof(uint32_t), memory->context);
    hll_working_copy_tokens(state.data, tokens);
    *count = hll_tokens_sort(tokens, *count, memory);
    return tokens;
}

/* The same tokens, sorted, at the precision of the value or as registers where there are many. */
static SketchState
settle(SketchState state, const uint32_t *tokens, uint32_t count, const SketchMemory *memory)
{
    SketchHash hash = (SketchHash)state.data[3];
    unsigned precision = state.data[4];
    uint32_t limit = hll_sparse_limit(precision);
    uint32_t heap = heap_capacity(state);

    if (count > limit)
        return dense_from_tokens(hash, precision, tokens, count, state.data[5], memory);
    /* Growth ends where every sparse sketch fits with an eighth to spare. */
    if (count > (HLL_STAGE + heap) / 2 && heap < limit + limit / 8) {
        SketchState grown = new_sparse(hash, precision, heap + HLL_STAGE + 1, memory);

        set_tokens(grown, tokens, count);
        return grown;
    }
    set_tokens(state, tokens, count);
    return state;
}

/* Room for one more token: empties the full stage, or sorts and drops repetitions. */
static void
make_room(SketchState *state, const SketchMemory *memory)
{
    uint32_t *stage = hll_working_tokens(state->data);
    uint32_t *heaped = hll_working_heaped(state->data);

    if (*heaped + HLL_STAGE <= heap_capacity(*state)) {
        memcpy(stage + HLL_STAGE + *heaped, stage, HLL_STAGE * sizeof(uint32_t));
        *heaped += HLL_STAGE;
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
    return new_sparse(hash, precision, 0, memory);
}

void
hll_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    make_room(state, memory);
    hll_add(*state, hash);
}

/* *state = fresh; what was in between and nobody else knows of is given back. */
static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original && state->data != fresh.data)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

/* A dense array at a lower precision: index bits that are cut off become part of the rank. */
void
hll_fold_registers(const uint8_t *from, unsigned from_precision, uint8_t *to, unsigned to_precision)
{
    for (uint32_t i = 0; i < UINT32_C(1) << from_precision; i++)
        if (from[i] > 0)
            hll_raise(to, i << 6 | from[i], from_precision, to_precision);
}

static void
reduce(SketchState *state, unsigned precision, const uint8_t *original, const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(*state));
    unsigned bits = hll_token_bits(h.hash, h.precision);
    unsigned new_bits = hll_token_bits(h.hash, precision);

    if (precision >= h.precision)
        return;
    if (h.dense) {
        SketchState folded = hll_new_dense(h.hash, precision, memory);

        hll_fold_registers(working_registers(*state), h.precision, working_registers(folded),
                           precision);
        replace(state, folded, original, memory);
    } else {
        uint32_t count;
        uint32_t *tokens = sorted_tokens(*state, &count, memory);

        for (uint32_t i = 0; i < count; i++)
            tokens[i] = hll_fold_token(tokens[i], bits, new_bits);
        count = hll_tokens_sort(tokens, count, memory);
        state->data[4] = (uint8_t)precision;
        state->data[5] = (uint8_t)new_bits;
        replace(state, settle(*state, tokens, count, memory), original, memory);
        memory->release(tokens, memory->context);
    }
}

void
hll_reduce(SketchState *state, unsigned precision, const SketchMemory *memory)
{
    reduce(state, precision, state->data, memory);
}

static void
merge_registers(uint8_t *into, const uint8_t *from, uint32_t registers)
{
    for (uint32_t i = 0; i < registers; i++)
        into[i] = into[i] > from[i] ? into[i] : from[i];
}

static void
merge_dense(SketchState *state, const HllView *other, const uint8_t *original,
            const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(*state));

    if (!h.dense) {
        uint32_t count;
        uint32_t *tokens = sorted_tokens(*state, &count, memory);

        replace(state,
                dense_from_tokens(h.hash, h.precision, tokens, count, state->data[5], memory),
                original, memory);
        memory->release(tokens, memory->context);
    }
    if (other->precision == h.precision)
        merge_registers(working_registers(*state), other->registers, UINT32_C(1) << h.precision);
    else
        hll_fold_registers(other->registers, other->precision, working_registers(*state),
                           h.precision);
}

static void
merge_sparse(SketchState *state, const HllView *other, const uint8_t *original,
             const SketchMemory *memory)
{
    unsigned precision = state->data[4];
    unsigned bits = state->data[5];
    uint32_t i = 0;

    while (i < other->count && state->data[2] == (SKETCH_WORKING | HLL_SPARSE)) {
        if (state->data[6] == HLL_STAGE) {
            SketchState roomy = *state;

            make_room(&roomy, memory);
            replace(state, roomy, original, memory);
        } else
            hll_working_tokens(state->data)[state->data[6]++] =
                hll_fold_token(other->tokens[i++], other->token_bits, bits);
    }
    for (; i < other->count; i++)
        hll_raise(working_registers(*state), other->tokens[i], other->token_bits, precision);
}

bool
hll_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    HllView view;

    if (state->data[3] != other.data[3])
        return sketch_refuse(error, SKETCH_MISMATCH,
                             "They were counted with different hash functions");
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
