/*
 * geometry.c - how many bits for how many items at which rate, and back.
 *
 * n items that set k bits each reach the rate p in -k n / ln(1 - p^(1/k)) bits, which is smallest
 * for k near log2(1 / p). Two things cost more bits. Blocks get different numbers of items, and
 * full blocks add more false positives than sparse ones save: k^2 / 2 bits for every block but the
 * first. And the number of bits set in a block varies around its mean: k / 4 + 1/2 bits. The exact
 * sum over all numbers of items in a block (test_bloom.c) confirms that this is enough; it wastes
 * .1% of the bits at a rate of 1%, and 1.5% at 1e-9.
 *
 * The shape of a filter is stored, so exp and log are those of common/portable.h.
 */
#include "bloom_internal.h"

#include <math.h>

#include "core/common/portable.h"

#define LN2 0.693147180559945309417
#define BLOCK_BITS (8.0 * BLOOM_BLOCK_BYTES)

/* Returns the extra bits for uneven blocks and for the variation of the bits set in a block. */
static double
bits_of_unevenness(const BloomLayer *layer)
{
    const double k = layer->hashes;

    return k / 4 + 0.5 + (layer->blocks - 1.0) * k * k / 2;
}

double
bloom_expected_rate(const BloomLayer *layer, double n)
{
    const double bits = 8.0 * layer->blocks * layer->block_bytes - bits_of_unevenness(layer);

    return bits <= 0 ? 1
                     : portable_power(1 - portable_exp(-n * layer->hashes / bits), layer->hashes);
}

void
bloom_layer_shape(BloomLayer *layer)
{
    const double rounded = floor(-portable_log(layer->rate) / LN2 + 0.5);
    const double k = fmin(fmax(rounded, 1), BLOOM_HASHES_MAX);
    const double fill = portable_exp(portable_log(layer->rate) / k);
    const double bits = -k * (double)layer->capacity / portable_log(1 - fill);
    double blocks, bytes;

    layer->hashes = (unsigned)k;
    layer->blocks = 1;
    blocks = 1 + ceil((bits + bits_of_unevenness(layer) - BLOCK_BITS) / (BLOCK_BITS - k * k / 2));
    layer->blocks = (uint32_t)fmin(fmax(blocks, 1), UINT32_MAX);
    bytes = ceil((bits + bits_of_unevenness(layer)) / layer->blocks / 8);
    layer->block_bytes = (uint32_t)fmin(bytes, BLOOM_BLOCK_BYTES);
}

/*
 * An item leaves a bit clear with probability q = 1 - (1 - (1 - 1/S)^k) / blocks, where a block has
 * S bits. Returns the n for which q^n is the share of clear bits.
 */
uint64_t
bloom_estimate(const BloomLayer *layer, uint64_t ones)
{
    double bits = 8.0 * layer->block_bytes, all = bits * layer->blocks, clear = all - (double)ones;
    double touched = 1 - portable_power(1 - 1 / bits, layer->hashes);
    double n =
        portable_log((clear > 0.5 ? clear : 0.5) / all) / portable_log(1 - touched / layer->blocks);

    return ones == 0 ? 0 : n < 1 ? 1 : (uint64_t)floor(n + 0.5);
}
