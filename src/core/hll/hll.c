/*
 * hll.c - HyperLogLog: how many distinct items were there?
 *
 * Each item is hashed to 64 bits. The low p bits choose one of m = 2^p registers, and the register
 * keeps the highest rank seen: the trailing zeros of the remaining bits, plus one. A rank r occurs
 * once in 2^r items, so the ranks tell how many distinct items there were. Repetitions change
 * nothing, and two sketches merge register by register into the sketch of all their items.
 *
 * Four things are different from the textbook:
 *
 *   Registers have a history. A register keeps its highest rank and, in two bits, whether the rank
 *   one below and the rank two below were seen (Ertl's UltraLogLog). This gives the error of 1.85
 *   times as many registers without history, for 1.4 times the bytes: the same error in a quarter
 *   fewer bytes.
 *
 *   A sketch starts as tokens. 26 index bits and the rank of an item fit a 32-bit token, which is a
 *   cell of a sketch of precision 26. Up to m/5 distinct tokens (at least 12) are kept as they are,
 *   so small counts are exact except for collisions: relative error .005 %. A sketch of more tokens
 *   becomes dense. That depends only on the set of items, not on their order or on merges, so
 *   serial, parallel and distributed plans give the same bytes.
 *
 *   A sketch is stored compressed. A register with its history has 3.99 bits of entropy; dense.c
 *   stores it in 4.11.
 *
 *   The cardinality is estimated by maximum likelihood, from tokens or registers (estimate.c), and
 *   the estimate is cached in the header.
 *
 * The hash function decides whether there is history. A sketch with another system's hash keeps
 * only ranks, as that system does, so that it converts without loss; its registers are estimated as
 * in Redis. Sketches with Redis's hash have registers from the first item on. Those of
 * postgresql-hll and DataSketches start as tokens, too, but a sketch that was read from another
 * system's registers never has tokens of hashes.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4          5     6..7   8..15     16..
 *     kind   version  encoding  hash  precision  base  count  estimate  body
 *
 *     sparse       (encoding 0): base 0, count tokens; body in sparse.c
 *     dense        (encoding 1): count 0, registers with history; dense.c explains body and base
 *     plain        (encoding 2): the same, of registers without history
 *     plain sparse (encoding 3): a token for each register that is not empty
 *
 * What hll_validate enforces:
 *   1. kind 1, version 1, a known hash and an encoding that it has, precision 4..18 (Redis's hash:
 *      at most 14).
 *   2. sparse: count at most hll_sparse_limit, tokens ascending and in range, ranks possible; plain
 *      sparse: one token for each index, and not empty if the hash function has encoding 0.
 *   3. dense or plain: 2^precision registers, each possible and not all empty; plain: more of them
 *      are not empty than a plain sparse sketch may have tokens.
 *   4. packing the content again gives the same body and size.
 *   5. the estimate is computed again.
 *
 * The working value is described in working.c.
 *
 * Bytes and error at precision 13: 10 items 53 bytes, 1,000 items 2.5 kB, 1,638 items 3.9 kB, all
 * .005 %; dense from 3.2 kB to 4.3 kB and from .57 % to .84 %. The general error is .761 / sqrt(m).
 *
 * Merging sketches of different precision folds the finer one: the ranks and the history of a
 * coarser register follow from the index bits that are cut off. Sketches of different hash
 * functions cannot be merged. Left out: deletion, because a register does not know how many items
 * had its rank.
 *
 * References: P. Flajolet et al., HyperLogLog, AofA 2007. O. Ertl, UltraLogLog, arXiv 2308.16862
 * (history, estimation). S. Heule et al., HyperLogLog in practice, EDBT 2013 (tokens). Redis, for
 * the registers of its sketches and its hash.
 */
#include "hll.h"

#include <math.h>

#include "core/common/bytes.h"
#include "hll_internal.h"

/* ---- headers ---- */

const HllOrigin *
hll_origin(SketchHash hash)
{
    static const HllOrigin known[] = {
        [SKETCH_HASH_XXH3] = {"xxh3", "this extension", HLL_PRECISION_MAX, true, false},
        [SKETCH_HASH_REDIS] = {"redis", "Redis", HLL_PRECISION_REDIS, false, false},
        [SKETCH_HASH_POSTGRESQL_HLL] = {"postgresql-hll", "postgresql-hll", HLL_PRECISION_MAX, true,
                                        false},
        [SKETCH_HASH_DATASKETCHES] = {"datasketches", "DataSketches", HLL_PRECISION_MAX, true,
                                      true},
    };
    static const HllOrigin unknown = {"unknown", "an unknown system", 0, false, false};

    return (size_t)hash < sizeof known / sizeof known[0] ? &known[hash] : &unknown;
}

bool
hll_refuse_hashes(SketchError *error, SketchBytes one, SketchBytes other)
{
    return sketch_refuse_pair(error, "They were counted with different hash functions",
                              hll_origin((SketchHash)one.data[3])->system,
                              hll_origin((SketchHash)other.data[3])->system);
}

HllHeader
hll_header(SketchBytes value)
{
    const uint8_t *data = value.data;
    uint8_t encoding = data[2] & (uint8_t)~SKETCH_WORKING;
    HllHeader h = {.working = sketch_is_working(data),
                   .encoding = encoding,
                   .dense = hll_is_dense(encoding),
                   .hash = (SketchHash)data[3],
                   .precision = data[4]};

    if (h.working) {
        memcpy(&h.count, data + 8, sizeof h.count);
        h.count += data[6];
    } else {
        h.base = data[5];
        h.count = load_le16(data + 6);
        h.estimate = load_le64(data + 8);
    }
    return h;
}

/* ---- packing ---- */

/* To the nearest integer; saturated registers, which only crafted values have, stop at 2^63-1. */
static uint64_t
round_estimate(double estimate)
{
    return estimate < 0x1p63 ? (uint64_t)llround(estimate) : INT64_MAX;
}

static SketchBytes
new_packed(const HllView *view, size_t body, double estimate, const SketchMemory *memory,
           uint8_t **data)
{
    SketchBytes packed = {memory->value(HLL_PACKED_HEADER + body, memory->context),
                          HLL_PACKED_HEADER + body};

    *data = (uint8_t *)packed.data;
    (*data)[0] = SKETCH_HLL;
    (*data)[1] = hll_ops.version;
    (*data)[2] = view->encoding;
    (*data)[3] = (uint8_t)view->hash;
    (*data)[4] = (uint8_t)view->precision;
    (*data)[5] = 0;
    store_le16(*data + 6, (uint16_t)view->count);
    store_le64(*data + 8, round_estimate(estimate));
    return packed;
}

/* A view of an encoding, without contents. */
static HllView
view_of(SketchHash hash, unsigned precision, uint8_t encoding)
{
    return (HllView){.hash = hash,
                     .precision = precision,
                     .encoding = encoding,
                     .dense = hll_is_dense(encoding),
                     .index_bits = hll_index_bits(encoding, precision),
                     .history = hll_encoding_history(encoding)};
}

static SketchBytes
pack_tokens(const HllView *view, const SketchMemory *memory)
{
    size_t size = hll_sparse_size(view->tokens, view->count, view->index_bits);
    SketchBytes packed;
    uint8_t *data;

    packed = new_packed(view, size, hll_view_estimate(view), memory, &data);
    if (view->count == 0)
        data[2] = hll_first_encoding(view->hash);
    hll_sparse_write(view->tokens, view->count, view->index_bits, data + HLL_PACKED_HEADER);
    return packed;
}

/*
 * Packs registers as tokens, one for each of the `used` that are not empty; registers with history
 * only if all are empty.
 */
static SketchBytes
pack_registers_as_tokens(const HllView *view, uint32_t used, const SketchMemory *memory)
{
    uint32_t *tokens = memory->scratch((used + 1) * sizeof(uint32_t), memory->context);
    HllView sparse = view_of(view->hash, view->precision, HLL_PLAIN_SPARSE);
    SketchBytes packed;

    sparse.tokens = tokens;

    for (uint32_t i = 0; sparse.count < used; i++)
        if (view->registers[i] > 0)
            tokens[sparse.count++] = i << 6 | view->registers[i];
    packed = pack_tokens(&sparse, memory);
    memory->release(tokens, memory->context);
    return packed;
}

/* How many registers are not empty. */
static uint32_t
registers_used(const HllView *view)
{
    uint8_t empty = hll_register_empty(view->history);
    uint32_t used = 0;

    for (uint32_t i = 0; i < UINT32_C(1) << view->precision; i++)
        used += view->registers[i] != empty;
    return used;
}

static SketchBytes
pack_view(const HllView *view, const SketchMemory *memory)
{
    HllDenseLayout layout;
    SketchBytes packed;
    uint32_t used;
    uint8_t *data;

    if (!view->dense)
        return pack_tokens(view, memory);
    used = registers_used(view);
    if (used == 0 || (view->history == 0 && used <= hll_sparse_limit(view->precision)))
        return pack_registers_as_tokens(view, used, memory);
    hll_dense_layout(view->registers, view->precision, view->hash, &layout);
    packed = new_packed(view, layout.size, hll_estimate(&layout.cells), memory, &data);
    data[5] = (uint8_t)layout.base;
    hll_dense_write(view->registers, view->precision, view->history, &layout,
                    data + HLL_PACKED_HEADER);
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
        state = hll_new_dense(view.hash, view.precision, memory);
        memcpy(state.data + HLL_WORKING_HEADER, view.registers, (size_t)1 << view.precision);
    } else
        state = hll_new_sparse(view.hash, view.precision, view.encoding, view.tokens, view.count,
                               memory);
    hll_view_end(&view, memory);
    return state;
}

SketchBytes
hll_from_registers(const uint8_t *registers, SketchHash hash, unsigned precision,
                   const SketchMemory *memory)
{
    HllView view = view_of(hash, precision, hll_dense_encoding(hash));

    view.registers = registers;
    return pack_view(&view, memory);
}

SketchBytes
hll_from_tokens(uint32_t *tokens, uint32_t count, uint8_t encoding, SketchHash hash,
                unsigned precision, const SketchMemory *memory)
{
    HllView view = view_of(hash, precision, encoding);
    SketchBytes packed;

    view.tokens = tokens;
    view.count = hll_tokens_sort(tokens, count, view.history, memory);
    if (view.count > hll_sparse_limit(precision))
        hll_view_as_dense(&view, memory);
    packed = pack_view(&view, memory);
    hll_view_end(&view, memory);
    return packed;
}

/* ---- validating ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    unsigned precision_max;
    HllHeader h;

    if (!sketch_validate_common(input, &hll_ops, error))
        return false;
    h = hll_header(input);
    if (h.encoding >= HLL_ENCODINGS)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", h.encoding, 0,
                                   HLL_ENCODINGS - 1);
    precision_max = hll_origin(h.hash)->precision_max;
    if (precision_max == 0)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function", h.hash,
                                   SKETCH_HASH_XXH3, SKETCH_HASH_DATASKETCHES);
    if (!hll_has_encoding(h.hash, h.encoding))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The encoding is not that of the hash function's sketches");
    if (h.precision < HLL_PRECISION_MIN || h.precision > precision_max)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Precision out of range", h.precision,
                                   HLL_PRECISION_MIN, precision_max);
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

/* A register that no item can produce has a history that is impossible for its rank. */
static bool
possible_registers(const HllView *view)
{
    for (uint32_t i = 0; i < UINT32_C(1) << view->precision; i++) {
        uint8_t reg = view->registers[i];
        uint64_t bits = hll_register_bits(reg, view->history);

        if (hll_register_of(bits | hll_register_empty(view->history + 1), view->history) != reg)
            return false;
    }
    return true;
}

static bool
hll_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    HllView view;

    if (!validate_header(input, error))
        return false;
    if (!hll_view(&view, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The body does not decode");
    if (view.dense && !possible_registers(&view)) {
        hll_view_end(&view, memory);
        return sketch_refuse(error, SKETCH_MALFORMED, "A register that no item can produce");
    }
    *value = pack_view(&view, memory);
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
    double estimate;
    HllView view;

    if (!h.working)
        return h.estimate;
    if (!hll_view(&view, value, memory))
        return 0;
    estimate = hll_view_estimate(&view);
    hll_view_end(&view, memory);
    return round_estimate(estimate);
}

double
hll_relative_error(SketchBytes value, const SketchMemory *memory)
{
    HllHeader h = hll_header(value);
    unsigned index_bits = hll_index_bits(h.encoding, h.precision);
    double cardinality = (double)hll_cardinality(value, memory);

    /* Only the header was read, and that of a damaged value may say anything. */
    return index_bits < 64
               ? hll_estimate_error(cardinality, index_bits, hll_encoding_history(h.encoding))
               : 0;
}

uint8_t *
hll_registers(SketchBytes value, const SketchMemory *memory)
{
    unsigned history;
    HllView view;
    uint8_t *registers;
    size_t size;

    if (!hll_view(&view, value, memory))
        return NULL;
    size = (size_t)1 << view.precision;
    history = hll_history(view.hash);
    registers = memory->scratch(size, memory->context);
    if (view.dense)
        memcpy(registers, view.registers, size);
    else {
        memset(registers, hll_register_empty(history), size);
        hll_fold_tokens(view.tokens, view.count, view.index_bits, registers, view.precision,
                        view.hash);
    }
    hll_view_end(&view, memory);
    return registers;
}

const SketchOps hll_ops = {
    .name = "hll",
    .kind = SKETCH_HLL,
    .version = 1,
    .header_bytes = HLL_PACKED_HEADER,
    .validate = hll_validate,
    .open = hll_open,
    .pack = hll_pack,
    .merge = hll_merge,
};
