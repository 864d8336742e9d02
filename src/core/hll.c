/*
 * hll.c - HyperLogLog: how many distinct items were there?
 *
 * Each item is hashed to 64 bits. The low p bits choose one of m = 2^p registers, and the register
 * keeps the highest rank seen: the trailing zeros of the remaining bits, plus one. A rank r turns
 * up once in 2^r items, so the ranks tell how many distinct items there were; repetitions change
 * nothing, and the register-wise maximum of two sketches is the sketch of both together.
 *
 * Three things are different from the textbook:
 *
 *   It starts as tokens. 26 index bits and the rank of an item fit a 32-bit token, a register of a
 *   sketch of precision 26. Up to m/6 distinct tokens (at least 12) are kept as they are, so small
 *   counts are exact but for collisions: relative error .009 %. A sketch of more becomes dense;
 *   that depends on the set of items alone, not on their order or on how it was merged, so
 *   serial, parallel and distributed plans give the same bytes.
 *
 *   It is stored compressed. Register ranks have 2.83 bits of entropy each; hll_dense.c stores
 *   them in 2.94, half of what Redis and 60 % of what postgresql-hll take.
 *
 *   It has one estimator for all cardinalities (hll_estimate.c), cached in the header.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4          5     6..7   8..15     16..
 *     kind   version  encoding  hash  precision  base  count  estimate  body
 *
 *     sparse (encoding 0): base 0, count tokens; body in hll_sparse.c
 *     dense  (encoding 1): count 0; body in hll_dense.c, which explains base
 *
 * What hll_admit enforces:
 *   1. kind 1, version 1, a known hash, precision 4..18 (Redis's hash: at most 14).
 *   2. sparse: count at most hll_sparse_limit, indexes ascending and in range, ranks possible.
 *   3. dense: 2^precision ranks, each possible; for Redis's hash, whose tokens are its registers,
 *      more of them non-zero than a sparse sketch may hold.
 *   4. the body, size included, is what packing its content again gives.
 *   5. the estimate is computed again.
 *
 * Working value: see hll.h. Its tokens are appended unsorted; when they fill the value they are
 * sorted and repetitions dropped, and if more than half of it is still in use it doubles.
 *
 * Bytes and error at precision 14: 10 items 54 bytes, 1,000 items 2.5 kB, .009 %; beyond 2,730
 * items at most 6.1 kB, from .55 % rising to .81 %. The general error is 1.04 / sqrt(m).
 *
 * Merging sketches of different precision folds the finer one; what a register of the coarser
 * sketch would hold follows from the index bits that are cut off. Different hash functions never
 * mix. Left out: deletion, which the maximum forgets.
 *
 * References: P. Flajolet et al., HyperLogLog, AofA 2007. S. Heule et al., HyperLogLog in
 * practice, EDBT 2013 (tokens). O. Ertl, arXiv 1702.01284 (estimation). Register layout and
 * Redis's hash: Redis, so that its sketches convert without loss.
 */
#include "hll.h"

#include <math.h>

#include "bytes.h"
#include "hash.h"
#include "hll_parts.h"

/* The smallest working value: with the database's length word a chunk of 64 bytes, 12 tokens. */
#define SMALLEST_CHUNK 64


HllHeader
hll_header(SketchBytes value)
{
    const uint8_t *data = value.data;
    HllHeader h = {.working = sketch_is_working(data),
                   .dense = (data[2] & ~SKETCH_WORKING) == HLL_DENSE,
                   .hash = (SketchHash)data[3],
                   .precision = data[4]};

    if (h.working)
        h.count = h.dense ? 0 : *hll_working_count((uint8_t *)data);
    else {
        h.base = data[5];
        h.count = load_le16(data + 6);
        h.estimate = load_le64(data + 8);
    }
    return h;
}

/* ---- working values ---- */

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
static SketchState
new_sparse(SketchHash hash, unsigned precision, uint32_t tokens, const SketchMemory *memory)
{
    const size_t overhead = SKETCH_PREFIX_BYTES + HLL_WORKING_HEADER;
    size_t chunk = SMALLEST_CHUNK;

    while (chunk < overhead + tokens * sizeof(uint32_t))
        chunk *= 2;
    return new_working(HLL_SPARSE, hash, precision, chunk - SKETCH_PREFIX_BYTES, memory);
}

static SketchState
new_dense(SketchHash hash, unsigned precision, const SketchMemory *memory)
{
    return new_working(HLL_DENSE, hash, precision,
                       HLL_WORKING_HEADER + ((size_t)1 << precision), memory);
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
    SketchState grown = new_sparse(h.hash, h.precision, tokens, memory);

    *hll_working_count(grown.data) = h.count;
    memcpy(hll_working_tokens(grown.data), hll_working_tokens(state.data),
           h.count * sizeof(uint32_t));
    return grown;
}

static SketchState
dense_from_tokens(SketchHash hash, unsigned precision, const uint32_t *tokens, uint32_t count,
                  unsigned token_bits, const SketchMemory *memory)
{
    SketchState dense = new_dense(hash, precision, memory);

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
replace(SketchState *state, SketchState fresh, const uint8_t *original,
        const SketchMemory *memory)
{
    if (state->data != original && state->data != fresh.data)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

/* ---- reading any encoding ---- */

static uint32_t *
view_tokens(HllView *view, uint32_t count, const SketchMemory *memory)
{
    if (count <= HLL_VIEW_FEW)
        return view->few;
    view->scratch = memory->scratch(count * sizeof(uint32_t), memory->context);
    return view->scratch;
}

static bool
view_packed(HllView *view, const HllHeader *h, SketchBytes body, const SketchMemory *memory)
{
    if (h->dense) {
        uint8_t *registers = memory->scratch((size_t)1 << h->precision, memory->context);

        view->scratch = registers;
        view->registers = registers;
        return hll_dense_read(registers, h->precision, h->base, body);
    } else {
        uint32_t *tokens = view_tokens(view, h->count, memory);

        view->tokens = tokens;
        view->count = h->count;
        return hll_sparse_read(tokens, h->count, view->token_bits, body);
    }
}

/* Working tokens are sorted aside; more of them than a sparse sketch may hold become registers. */
static void
view_working(HllView *view, const HllHeader *h, SketchBytes value, const SketchMemory *memory)
{
    const uint8_t *body = value.data + HLL_WORKING_HEADER;
    uint32_t *tokens;

    if (h->dense) {
        view->registers = body;
        return;
    }
    tokens = view_tokens(view, h->count, memory);
    memcpy(tokens, body, h->count * sizeof(uint32_t));
    view->count = hll_tokens_sort(tokens, h->count, memory);
    view->tokens = tokens;
    if (view->count > hll_sparse_limit(h->precision)) {
        uint8_t *registers = memory->scratch((size_t)1 << h->precision, memory->context);

        memset(registers, 0, (size_t)1 << h->precision);
        for (uint32_t i = 0; i < view->count; i++)
            hll_raise(registers, tokens[i], view->token_bits, h->precision);
        hll_view_end(view, memory);
        view->dense = true;
        view->count = 0;
        view->scratch = registers;
        view->registers = registers;
    }
}

bool
hll_view(HllView *view, SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = {.precision = 0};

    if (value.size >= HLL_PACKED_HEADER)
        h = hll_header(value);
    view->hash = h.hash;
    view->precision = h.precision;
    view->token_bits = hll_token_bits(h.hash, h.precision);
    view->dense = h.dense;
    view->count = 0;
    view->tokens = NULL;
    view->registers = NULL;
    view->scratch = NULL;
    if (h.precision < HLL_PRECISION_MIN || h.precision > HLL_PRECISION_MAX)
        return false;
    if (h.working) {
        view_working(view, &h, value, memory);
        return true;
    }
    if (view_packed(view, &h,
                    (SketchBytes){value.data + HLL_PACKED_HEADER, value.size - HLL_PACKED_HEADER},
                    memory))
        return true;
    hll_view_end(view, memory);
    return false;
}

void
hll_view_end(HllView *view, const SketchMemory *memory)
{
    if (view->scratch)
        memory->release(view->scratch, memory->context);
    view->scratch = NULL;
}

void
hll_view_histogram(const HllView *view, HllHistogram *histogram)
{
    if (view->dense) {
        hll_dense_histogram(view->registers, view->precision, histogram);
        return;
    }
    memset(histogram, 0, sizeof *histogram);
    histogram->index_bits = view->token_bits;
    histogram->count[0] = (UINT32_C(1) << view->token_bits) - view->count;
    for (uint32_t i = 0; i < view->count; i++)
        histogram->count[view->tokens[i] & 63]++;
}

/* ---- folding and merging ---- */

/* A dense array at a lower precision: index bits that are cut off become part of the rank. */
void
hll_fold_registers(const uint8_t *from, unsigned from_precision, uint8_t *to,
                   unsigned to_precision)
{
    for (uint32_t i = 0; i < UINT32_C(1) << from_precision; i++)
        if (from[i] > 0)
            hll_raise(to, i << 6 | from[i], from_precision, to_precision);
}

static void
reduce(SketchState *state, unsigned precision, const uint8_t *original,
       const SketchMemory *memory)
{
    HllHeader h = hll_header(sketch_bytes(*state));
    unsigned bits = hll_token_bits(h.hash, h.precision);
    unsigned new_bits = hll_token_bits(h.hash, precision);
    uint32_t *tokens = hll_working_tokens(state->data);

    if (precision >= h.precision)
        return;
    if (h.dense) {
        SketchState folded = new_dense(h.hash, precision, memory);

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
        replace(state,
                dense_from_tokens(h.hash, precision, tokens, h.count, new_bits, memory),
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
        merge_registers(working_registers(*state), other->registers,
                        UINT32_C(1) << h.precision);
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

static bool
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

/* ---- packing ---- */

/* To the nearest integer; saturated registers, which only crafted values have, stop at 2^63-1. */
static uint64_t
round_estimate(double estimate)
{
    return estimate < 0x1p63 ? (uint64_t)llround(estimate) : INT64_MAX;
}

static SketchBytes
new_packed(const HllView *view, size_t body, const HllHistogram *histogram,
           const SketchMemory *memory, uint8_t **data)
{
    SketchBytes packed = {memory->value(HLL_PACKED_HEADER + body, memory->context),
                          HLL_PACKED_HEADER + body};

    *data = (uint8_t *)packed.data;
    (*data)[0] = SKETCH_HLL;
    (*data)[1] = hll_ops.version;
    (*data)[2] = view->dense ? HLL_DENSE : HLL_SPARSE;
    (*data)[3] = (uint8_t)view->hash;
    (*data)[4] = (uint8_t)view->precision;
    (*data)[5] = 0;
    store_le16(*data + 6, (uint16_t)view->count);
    store_le64(*data + 8, round_estimate(hll_estimate(histogram)));
    return packed;
}

static SketchBytes
pack_view(const HllView *view, const SketchMemory *memory)
{
    SketchBytes packed;
    uint8_t *data;

    if (view->dense) {
        HllDensePlan plan;

        hll_dense_plan(view->registers, view->precision, &plan);
        packed = new_packed(view, plan.size, &plan.histogram, memory, &data);
        data[5] = (uint8_t)plan.base;
        hll_dense_write(view->registers, view->precision, &plan, data + HLL_PACKED_HEADER);
    } else {
        HllHistogram histogram;
        size_t size = hll_sparse_size(view->tokens, view->count, view->token_bits);

        hll_view_histogram(view, &histogram);
        packed = new_packed(view, size, &histogram, memory, &data);
        hll_sparse_write(view->tokens, view->count, view->token_bits, data + HLL_PACKED_HEADER);
    }
    return packed;
}

static SketchBytes
hll_pack(SketchBytes value, const SketchMemory *memory)
{
    HllView view;
    SketchBytes packed;

    if (!hll_view(&view, value, memory))
        return (SketchBytes){NULL, 0};
    packed = pack_view(&view, memory);
    hll_view_end(&view, memory);
    return packed;
}

static SketchState
hll_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;
    HllView view;

    if (!hll_view(&view, value, memory))
        return (SketchState){NULL, 0};
    if (view.dense) {
        state = new_dense(view.hash, view.precision, memory);
        memcpy(working_registers(state), view.registers, (size_t)1 << view.precision);
    } else {
        state = new_sparse(view.hash, view.precision, view.count, memory);
        *hll_working_count(state.data) = view.count;
        if (view.count > 0)
            memcpy(hll_working_tokens(state.data), view.tokens, view.count * sizeof(uint32_t));
    }
    hll_view_end(&view, memory);
    return state;
}

/* A view whose content decides for itself whether it is sparse: Redis's tokens are its registers. */
SketchBytes
hll_from_registers(const uint8_t *registers, SketchHash hash, unsigned precision,
                   const SketchMemory *memory)
{
    HllView view = {.hash = hash,
                    .precision = precision,
                    .token_bits = hll_token_bits(hash, precision),
                    .dense = true,
                    .registers = registers};
    uint32_t limit = hll_sparse_limit(precision);
    uint32_t *tokens = NULL;
    uint32_t used = 0;
    SketchBytes packed;

    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++)
        used += registers[i] > 0;
    if (view.token_bits == precision && used <= limit) {
        tokens = memory->scratch((limit + 1) * sizeof(uint32_t), memory->context);
        for (uint32_t i = 0; i < UINT32_C(1) << precision; i++)
            if (registers[i] > 0)
                tokens[view.count++] = i << 6 | registers[i];
        view.dense = false;
        view.tokens = tokens;
    }
    packed = pack_view(&view, memory);
    if (tokens)
        memory->release(tokens, memory->context);
    return packed;
}

/* ---- the door ---- */

static bool
admit_header(SketchBytes input, SketchError *error)
{
    HllHeader h;
    unsigned precision_max;

    if (!sketch_admit_common(input, &hll_ops, error))
        return false;
    h = hll_header(input);
    if (input.data[2] != HLL_SPARSE && input.data[2] != HLL_DENSE)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   HLL_SPARSE, HLL_DENSE);
    if (h.hash != SKETCH_HASH_XXH3 && h.hash != SKETCH_HASH_REDIS)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function",
                                   input.data[3], SKETCH_HASH_XXH3, SKETCH_HASH_REDIS);
    precision_max = h.hash == SKETCH_HASH_REDIS ? HLL_PRECISION_REDIS : HLL_PRECISION_MAX;
    if (h.precision < HLL_PRECISION_MIN || h.precision > precision_max)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Precision out of range",
                                   h.precision, HLL_PRECISION_MIN, precision_max);
    if (h.count > (h.dense ? 0 : hll_sparse_limit(h.precision)))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many tokens", h.count, 0,
                                   h.dense ? 0 : hll_sparse_limit(h.precision));
    return true;
}

/* Everything but the estimate, which is derived. */
static bool
same_content(SketchBytes a, SketchBytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, 8) == 0 &&
           memcmp(a.data + HLL_PACKED_HEADER, b.data + HLL_PACKED_HEADER,
                  a.size - HLL_PACKED_HEADER) == 0;
}

static bool
hll_admit(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    HllView view;

    if (!admit_header(input, error))
        return false;
    if (!hll_view(&view, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The body does not decode");
    *value = view.dense
                 ? hll_from_registers(view.registers, view.hash, view.precision, memory)
                 : pack_view(&view, memory);
    hll_view_end(&view, memory);
    if (!same_content(input, *value)) {
        memory->release_value((uint8_t *)value->data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "Not in canonical form");
    }
    return true;
}

/* ---- questions ---- */

uint64_t
hll_cardinality(SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = hll_header(value);
    HllHistogram histogram;
    HllView view;

    if (!h.working)
        return h.estimate;
    hll_view(&view, value, memory);
    hll_view_histogram(&view, &histogram);
    hll_view_end(&view, memory);
    return round_estimate(hll_estimate(&histogram));
}

double
hll_relative_error(SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = hll_header(value);

    return hll_estimate_error((double)hll_cardinality(value, memory),
                              h.dense ? h.precision : hll_token_bits(h.hash, h.precision));
}

uint8_t *
hll_registers(SketchBytes value, const SketchMemory *memory)
{
    HllView view;
    uint8_t *registers;

    if (!hll_view(&view, value, memory))
        return NULL;
    registers = memory->scratch((size_t)1 << view.precision, memory->context);
    if (view.dense)
        memcpy(registers, view.registers, (size_t)1 << view.precision);
    else {
        memset(registers, 0, (size_t)1 << view.precision);
        for (uint32_t i = 0; i < view.count; i++)
            hll_raise(registers, view.tokens[i], view.token_bits, view.precision);
    }
    hll_view_end(&view, memory);
    return registers;
}

const SketchOps hll_ops = {
    .name = "hll",
    .kind = SKETCH_HLL,
    .version = 1,
    .header_bytes = HLL_PACKED_HEADER,
    .admit = hll_admit,
    .open = hll_open,
    .pack = hll_pack,
    .merge = hll_merge,
};
