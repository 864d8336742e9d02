/*
 * murmur.c - MurmurHash64A, the hash of Redis's HyperLogLog and of RedisBloom.
 *
 * Source: Austin Appleby, SMHasher, MurmurHash2.cpp (public domain). Written from the description:
 * eight bytes at a time are mixed by multiply, shift-xor, multiply and folded into the state; the
 * remaining bytes are folded in as one little-endian number; a final avalanche closes. Kept for
 * reading and writing what Redis made, not for new work: XXH3 is faster and better.
 */
#include "hash.h"

uint64_t
murmur64a(const void *data, size_t size, uint64_t seed)
{
    const uint64_t multiplier = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *p = data;
    uint64_t h = seed ^ (size * multiplier);

    for (; size >= 8; size -= 8, p += 8) {
        uint64_t k = load_le64(p) * multiplier;

        k ^= k >> 47;
        h = (h ^ k * multiplier) * multiplier;
    }
    if (size > 0) {
        uint64_t tail = 0;

        for (size_t i = 0; i < size; i++)
            tail |= (uint64_t)p[i] << (8 * i);
        h = (h ^ tail) * multiplier;
    }
    h = (h ^ h >> 47) * multiplier;
    return h ^ h >> 47;
}

uint32_t
murmur32(const void *data, size_t size, uint32_t seed)
{
    const uint32_t multiplier = 0x5bd1e995;
    const uint8_t *p = data;
    uint32_t h = seed ^ (uint32_t)size;

    for (; size >= 4; size -= 4, p += 4) {
        uint32_t k = load_le32(p) * multiplier;

        k ^= k >> 24;
        h = h * multiplier ^ k * multiplier;
    }
    if (size > 0) {
        uint32_t tail = 0;

        for (size_t i = 0; i < size; i++)
            tail |= (uint32_t)p[i] << (8 * i);
        h = (h ^ tail) * multiplier;
    }
    h = (h ^ h >> 13) * multiplier;
    return h ^ h >> 15;
}
