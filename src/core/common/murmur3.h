/*
 * murmur3.h - the steps of MurmurHash3 for 64-bit processors, which murmur.c puts together.
 *
 * They are inline because an item of 8 bytes, the usual one, needs few of them: datasketches.h.
 */
#ifndef MURMUR3_H
#define MURMUR3_H

#include <stdint.h>

#define MURMUR3_FIRST_MULTIPLIER UINT64_C(0x87c37b91114253d5)
#define MURMUR3_SECOND_MULTIPLIER UINT64_C(0x4cf5ad432745937f)

static inline uint64_t
murmur3_rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline uint64_t
murmur3_mix_first(uint64_t k)
{
    return murmur3_rotate(k * MURMUR3_FIRST_MULTIPLIER, 31) * MURMUR3_SECOND_MULTIPLIER;
}

static inline uint64_t
murmur3_mix_second(uint64_t k)
{
    return murmur3_rotate(k * MURMUR3_SECOND_MULTIPLIER, 33) * MURMUR3_FIRST_MULTIPLIER;
}

static inline uint64_t
murmur3_avalanche(uint64_t h)
{
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

#endif
