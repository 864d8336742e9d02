/*
 * hll.c - HyperLogLog: how many distinct items were there?
 *
 * Each item is hashed to 64 bits. The low p bits choose one of m = 2^p registers, and the register
 * keeps the highest rank seen: the trailing zeros of the remaining bits, plus one. A rank r occurs
 * once in 2^r items, so the ranks show how many distinct items there were. Repetitions change
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
 *   so small counts are exact except for collisions: relative error .005%. A sketch of more tokens
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
 * system's registers never has tokens of hashes. postgresql-hll keeps hashes up to a threshold of
 * the column's own; a sketch read from one keeps as many tokens, and of two the fewer.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4          5              6..7   8..15     16..
 *     kind   version  encoding  hash  precision  base or limit  count  estimate  body
 *
 *     sparse       (encoding 0): count tokens; body in sparse.c. The limit is 0, or 2^limit tokens
 *                  are the most that the value holds (postgresql-hll's expthresh)
 *     dense        (encoding 1): count 0, registers with history; dense.c explains body and base
 *     plain        (encoding 2): the same, of registers without history
 *     plain sparse (encoding 3): a token for each register that is not empty
 *
 * What hll_validate enforces:
 *   1. kind 1, version 1, a known hash and an encoding that it has, precision 4..18 (Redis's hash:
 *      at most 14).
 *   2. sparse: count and limit as hll_sparse_limit has it, tokens ascending and in range, ranks
 *      possible; plain sparse: one token for each index, and not empty if the hash function has
 *      encoding 0.
 *   3. dense or plain: 2^precision registers, each possible and not all empty; plain: more of them
 *      are not empty than a plain sparse sketch may have tokens.
 *   4. packing the content again gives the same body and size.
 *   5. the estimate is computed again.
 *
 * The working value is described in working.c.
 *
 * Bytes and error at precision 13: 10 items 53 bytes, 1,000 items 2.5 kB, 1,638 items 3.9 kB, all
 * .005%; dense 3.2 kB at first, then 4.2 to 4.3 kB, and from .57% to .84%. The general error is
 * .761 / sqrt(m).
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
#include "hll_internal.h"

uint64_t
hll_cardinality(SketchBytes value, const SketchMemory *memory)
{
    double estimate;
    HllView view;

    if (!sketch_is_working(value.data))
        return hll_packed_estimate(value);
    if (!hll_view(&view, value, memory))
        return 0;
    estimate = hll_view_estimate(&view);
    hll_view_end(&view, memory);
    return hll_round_estimate(estimate);
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

/* ---- validating ---- */

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

/* A value of postgresql-hll is read as one, too; no kind of a sketch begins with its 1. */
static bool
hll_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    HllView view;

    if (input.size > 0 && input.data[0] >> 4 == HLL_POSTGRESQL_HLL_FORMAT)
        return hll_from_postgresql_hll(input, memory, value, error);
    if (!sketch_validate_common(input, &hll_ops, error) || !hll_validate_header(input, error))
        return false;
    if (!hll_view(&view, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The value is truncated or corrupt");
    if (view.dense && !possible_registers(&view)) {
        hll_view_end(&view, memory);
        return sketch_refuse(error, SKETCH_MALFORMED, "A register that no item can produce");
    }
    *value = hll_pack_view(&view, memory);
    hll_view_end(&view, memory);
    if (!hll_same_content(input, *value)) {
        memory->release_value((uint8_t *)value->data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "Not in canonical form");
    }
    return true;
}

static bool
hll_is_empty(SketchBytes value)
{
    HllHeader h;

    if (sketch_is_working(value.data) ? !state_fits(value, sizeof(HllState))
                                      : value.size < HLL_PACKED_HEADER)
        return false;
    h = hll_header(value);
    return !h.dense && h.count == 0;
}

const SketchOps hll_ops = {
    .name = "hll",
    .kind = SKETCH_HLL,
    .version = HLL_VERSION,
    .header_bytes = HLL_PACKED_HEADER,
    .encoding_max = HLL_ENCODINGS - 1,
    .validate = hll_validate,
    .open = hll_open,
    .pack = hll_pack,
    .merge = hll_merge,
    .is_empty = hll_is_empty,
};
