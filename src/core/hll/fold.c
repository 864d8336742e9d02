/*
 * fold.c - tokens and registers at a lower precision.
 *
 * Index bits that are cut off become part of the rank, unless the rank has bits of its own. No rank
 * is lost that the lower precision would know: either the bits are zeros, and all ranks move up
 * alike, or they alone decide the rank.
 */
#include "hll_internal.h"

void
hll_fold_tokens(const uint32_t *from, uint32_t count, unsigned index_bits, HllRegisters to)
{
    const unsigned history = hll_history(to.hash);
    const bool rank_apart = hll_origin(to.hash)->rank_apart;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t folded = hll_fold_token(from[i], index_bits, to.precision, rank_apart);

        hll_register_add(to.of + (folded >> 6), folded & (HLL_RANKS - 1), history);
    }
}

void
hll_fold_registers(const uint8_t *from, unsigned precision, HllRegisters to)
{
    const unsigned history = hll_history(to.hash);

    for (uint32_t i = 0; i < UINT32_C(1) << precision; i++)
        for (uint64_t seen = hll_register_seen(from[i], history); seen > 0; seen &= seen - 1) {
            uint32_t token = i << 6 | (uint32_t)__builtin_ctzll(seen);

            hll_fold_tokens(&token, 1, precision, to);
        }
}
