/*
 * layer.c - the bits of one layer.
 *
 * The block of an item is the upper half of (upper half of its hash) * (number of blocks), so
 * ascending hashes have ascending blocks. Bit i = 1..k in the block is the upper half of
 *
 *     (upper half of (hash * M^i)) * bits of the block        M = f1357aea2e62a9c5, modulo 2^64
 *
 * M is a multiplier with good spectral properties (G. Steele, S. Vigna, Computationally easy,
 * spectrally good multipliers for congruential pseudorandom number generators, 2021).
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/popcount.h"

#define MULTIPLIER UINT64_C(0xf1357aea2e62a9c5)

size_t
bloom_block_at(const BloomLayer *layer, uint64_t hash)
{
    return (size_t)((hash >> 32) * layer->blocks >> 32) * layer->block_bytes;
}

/* Returns the item's next bit, in a block of `bits` bits, as the lowest bit of the result. */
static inline unsigned
next_bit(const uint8_t *block, uint64_t bits, uint64_t *hash)
{
    uint64_t bit;

    *hash *= MULTIPLIER;
    bit = (*hash >> 32) * bits >> 32;
    return block[bit >> 3] >> (bit & 7);
}

/*
 * Four bits are fetched before the first is tested: a large filter is not in the cache, and four
 * fetches take as long as one.
 */
bool
bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash)
{
    const uint64_t bits = (uint64_t)layer->block_bytes * 8;
    unsigned left = layer->hashes, set = 1;

    for (; left >= 4; left -= 4) {
        set &= next_bit(block, bits, &hash);
        set &= next_bit(block, bits, &hash);
        set &= next_bit(block, bits, &hash);
        set &= next_bit(block, bits, &hash);
        if (!set)
            return false;
    }
    for (; left > 0; left--)
        set &= next_bit(block, bits, &hash);
    return set;
}

bool
bloom_layer_contains(const BloomLayer *layer, uint64_t hash)
{
    return bloom_block_contains(layer, layer->bits + bloom_block_at(layer, hash), hash);
}

/* Sets the bits of an item; `bits` are those of the layer, writable. */
void
bloom_layer_set(const BloomLayer *layer, uint8_t *bits, uint64_t hash)
{
    uint8_t *block = bits + bloom_block_at(layer, hash);
    const uint64_t size = (uint64_t)layer->block_bytes * 8;

    for (unsigned i = 0; i < layer->hashes; i++) {
        uint64_t bit;

        hash *= MULTIPLIER;
        bit = (hash >> 32) * size >> 32;
        block[bit >> 3] |= (uint8_t)(1u << (bit & 7));
    }
}

/* ---- whole layers ---- */

/* Returns a word whose bytes are the numbers of ones in the bytes of `w`. */
static inline uint64_t
ones_of_bytes(uint64_t w)
{
    w -= w >> 1 & UINT64_C(0x5555555555555555);
    w = (w & UINT64_C(0x3333333333333333)) + (w >> 2 & UINT64_C(0x3333333333333333));
    return (w + (w >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

/* Returns the sum of the eight bytes of a word. */
static inline uint64_t
sum_of_bytes(uint64_t w)
{
    w = (w & UINT64_C(0x00ff00ff00ff00ff)) + (w >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return w * UINT64_C(0x0001000100010001) >> 48;
}

#define WORDS 24 /* their ones_of_bytes add up without overflow: 24 * 8 < 256 */

#define PIECE_BYTES 65536 /* between two calls of sketch_poll */

uint64_t
bloom_layer_ones(const BloomLayer *layer, const SketchMemory *memory)
{
    uint64_t size = bloom_layer_bytes(layer), ones = 0;
    size_t steps = 0;

    for (uint64_t at = 0; at < size; at += PIECE_BYTES) {
        size_t piece = size - at < PIECE_BYTES ? (size_t)(size - at) : PIECE_BYTES;

        ones += popcount_bytes(layer->bits + at, piece);
        sketch_poll(memory, &steps, piece / 8);
    }
    return ones;
}

uint64_t
bloom_layer_or_ones(const BloomLayer *a, const BloomLayer *b, uint32_t blocks,
                    BloomDifference *difference, const SketchMemory *memory)
{
    size_t size = (size_t)blocks * a->block_bytes, i = 0;
    uint64_t ones = 0, in_a = 0, in_b = 0, x = 0, y = 0;
    size_t steps = 0;

    for (; i + 8 * WORDS <= size; i += 8 * WORDS) {
        uint64_t sum = 0;

        for (size_t j = i; j < i + 8 * WORDS; j += 8) {
            uint64_t u = load_le64(a->bits + j), v = load_le64(b->bits + j);

            sum += ones_of_bytes(u | v);
            in_a |= u & ~v;
            in_b |= v & ~u;
        }
        ones += sum_of_bytes(sum);
        sketch_poll(memory, &steps, WORDS);
    }
    for (; i < size; i += 8) {
        size_t bytes = size - i < 8 ? size - i : 8;

        x = y = 0;
        memcpy(&x, a->bits + i, bytes);
        memcpy(&y, b->bits + i, bytes);
        ones += sum_of_bytes(ones_of_bytes(x | y));
        in_a |= x & ~y;
        in_b |= y & ~x;
    }
    *difference = (BloomDifference){in_a != 0, in_b != 0};
    return ones;
}

double
bloom_layer_rate(const BloomLayer *layer, const SketchMemory *memory)
{
    double sum = 0;
    size_t steps = 0;

    for (uint32_t i = 0; i < layer->blocks; i++) {
        const uint8_t *block = layer->bits + (size_t)i * layer->block_bytes;
        uint64_t ones = popcount_bytes(block, layer->block_bytes);
        double fill = (double)ones / (8.0 * layer->block_bytes), rate = 1;

        for (unsigned k = 0; k < layer->hashes; k++)
            rate *= fill;
        sum += rate;
        sketch_poll(memory, &steps, 16 + layer->block_bytes / 8);
    }
    return sum / layer->blocks;
}

bool
bloom_layer_same_shape(const BloomLayer *a, const BloomLayer *b)
{
    return a->capacity == b->capacity && a->rate == b->rate && a->blocks == b->blocks &&
           a->block_bytes == b->block_bytes && a->hashes == b->hashes;
}

void
bloom_layer_or(uint8_t *restrict bits, const BloomLayer *other, const SketchMemory *memory)
{
    const uint8_t *restrict from = other->bits;
    size_t size = bloom_layer_bytes(other), steps = 0;

    for (size_t at = 0; at < size; sketch_poll(memory, &steps, PIECE_BYTES / 16))
        for (size_t end = size - at < PIECE_BYTES ? size : at + PIECE_BYTES; at < end; at++)
            bits[at] |= from[at];
}

void
bloom_layer_and(uint8_t *restrict bits, const BloomLayer *other, const SketchMemory *memory)
{
    const uint8_t *restrict from = other->bits;
    size_t size = bloom_layer_bytes(other), steps = 0;

    for (size_t at = 0; at < size; sketch_poll(memory, &steps, PIECE_BYTES / 16))
        for (size_t end = size - at < PIECE_BYTES ? size : at + PIECE_BYTES; at < end; at++)
            bits[at] &= from[at];
}

#define COMPARE(x, y)                                                                              \
    if ((x) != (y))                                                                                \
    return (x) < (y) ? -1 : 1

int
bloom_layer_compare(const BloomLayer *a, const BloomLayer *b)
{
    COMPARE(a->capacity, b->capacity);
    COMPARE(b->rate, a->rate);
    COMPARE(a->blocks, b->blocks);
    COMPARE(a->block_bytes, b->block_bytes);
    COMPARE(a->hashes, b->hashes);
    COMPARE(b->items, a->items);
    COMPARE(a->estimated, b->estimated);
    return memcmp(a->bits, b->bits, bloom_layer_bytes(a));
}
