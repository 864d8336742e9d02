/*
 * hll_working.c - HyperLogLog sketches that change: adding, folding, merging.
 *
 * Working value, in host byte order:
 *
 *     0..3    as in every value
 *     4       precision
 *     5       index bits of its tokens
 *     6..7    zero
 *     8..11   sparse: tokens, repetitions included
 *     12..    sparse: 32-bit tokens in no order, then room; dense: 2^precision registers
 *
 * An item is appended as a token. When a value is full, its tokens are sorted and repetitions
 * dropped; more of them than a sparse sketch may hold become registers, and while more than half
 * of the value is still in use it doubles. Sizes are such that value and length word fill a power
 * of two, from 64 bytes (12 tokens) on: what PostgreSQL's allocator hands out anyway. Sorting costs
 * an item a constant amortised time, and a group of ten items 64 bytes.
 */
#include "bytes.h"
#include "hll_parts.h"

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
token_capacity(SketchState state)
{
    return (uint32_t)((state.size - HLL_WORKING_HEADER) / sizeof(uint32_t));
}

/* A sparse working value for at least `tokens`, sized to fill a power-of-two chunk. */
SketchState
hll_new_sparse(SketchHash hash, unsigned precision, uint32_t tokens, const SketchMemory *memory)
{
    const size_t overhead = SKETCH_PREFIX_BYTES + HLL_WORKING_HEADER;
    size_t chunk = SMALLEST_CHUNK;

    while (chunk < overhead + tokens * sizeof(uint32_t))
        chunk *= 2;
    return new_working(HLL_SPARSE, hash, precision, chunk - SKETCH_PREFIX_BYTES, memory);
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

/* The same tokens in a fresh value of room for `tokens`. */
static SketchState
regrow_sparse(SketchState state, uint32_t tokens, const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(state));
    SketchState grown = hll_new_sparse(h.hash, h.precision, tokens, memory);

    *hll_working_count(grown.data) = h.count;
    memcpy(hll_working_tokens(grown.data), hll_working_tokens(state.data),
           h.count * sizeof(uint32_t));
    return grown;
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

/*
 * Room for one more token: sorts, drops repetitions, and then turns dense when there are too many
 * for a sparse sketch, or doubles while more than half is in use. Growth ends where every sparse
 * sketch fits with an eighth to spare, so that sorting stays rare.
 */
static void
make_room(SketchState *state, const SketchMemory *memory)
{
    unsigned precision = state->data[4];
    uint32_t limit = hll_sparse_limit(precision);
    uint32_t *tokens = hll_working_tokens(state->data);
    uint32_t count = hll_tokens_sort(tokens, *hll_working_count(state->data), memory);
    uint32_t capacity = token_capacity(*state);

    *hll_working_count(state->data) = count;
    if (count > limit)
        *state = dense_from_tokens((SketchHash)state->data[3], precision, tokens, count,
                                   state->data[5], memory);
    else if (count > capacity / 2 && capacity < limit + limit / 8)
        *state = regrow_sparse(*state, capacity + 1, memory);
}

static bool
push_token(SketchState state, uint32_t token)
{
    uint32_t *count = hll_working_count(state.data);

    if (*count >= token_capacity(state))
        return false;
    hll_working_tokens(state.data)[(*count)++] = token;
    return true;
}

SketchState
hll_new(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    return hll_new_sparse(hash, precision, 0, memory);
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
    uint32_t *tokens = hll_working_tokens(state->data);

    if (precision >= h.precision)
        return;
    if (h.dense) {
        SketchState folded = hll_new_dense(h.hash, precision, memory);

        hll_fold_registers(working_registers(*state), h.precision, working_registers(folded),
                           precision);
        replace(state, folded, original, memory);
        return;
    }
    for (uint32_t i = 0; i < h.count; i++)
        tokens[i] = hll_fold_token(tokens[i], bits, new_bits);
    h.count = hll_tokens_sort(tokens, h.count, memory);
    *hll_working_count(state->data) = h.count;
    state->data[4] = (uint8_t)precision;
    state->data[5] = (uint8_t)new_bits;
    if (h.count > hll_sparse_limit(precision))
        replace(state, dense_from_tokens(h.hash, precision, tokens, h.count, new_bits, memory),
                original, memory);
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

    if (!h.dense)
        replace(state,
                dense_from_tokens(h.hash, h.precision, hll_working_tokens(state->data), h.count,
                                  state->data[5], memory),
                original, memory);
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

    for (uint32_t i = 0; i < other->count; i++) {
        uint32_t token = hll_fold_token(other->tokens[i], other->token_bits, bits);

        if (!hll_header(sketch_bytes(*state)).dense && !push_token(*state, token)) {
            SketchState roomy = *state;

            make_room(&roomy, memory);
            replace(state, roomy, original, memory);
            if (!hll_header(sketch_bytes(*state)).dense)
                push_token(*state, token);
        }
        if (hll_header(sketch_bytes(*state)).dense)
            hll_raise(working_registers(*state), token, bits, precision);
    }
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
