/*
 * murmur.c - the MurmurHash family, for sketches of other systems.
 *
 * MurmurHash64A is the hash of Redis's HyperLogLog and of RedisBloom, MurmurHash2 that of
 * RedisBloom's Count-Min sketches, MurmurHash3 that of postgresql-hll and DataSketches. Not for new
 * work: XXH3 is faster and better.
 *
 * Source: Austin Appleby, SMHasher, MurmurHash2.cpp and MurmurHash3.cpp (public domain). Written
 * from the description. The older two mix eight (or four) bytes at a time by multiply, shift-xor,
 * multiply, and fold them into the state. The remaining bytes are folded in as one little-endian
 * number, and a final avalanche follows. MurmurHash3 mixes eight bytes into each half of
 * its state, by multiply, rotate, multiply, and the halves into one another.
 */
#include "hash.h"

#include "murmur3.h"

/* Up to eight bytes as a little-endian number. */
static inline uint64_t
load_tail(const uint8_t *p, size_t size)
{
    uint64_t tail = 0;

    for (size_t i = 0; i < size; i++)
        tail |= (uint64_t)p[i] << (8 * i);
    return tail;
}

uint64_t
murmur64a(const void *data, size_t size, uint64_t seed, const SketchMemory *memory)
{
    const uint64_t multiplier = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *p = data;
    uint64_t h = seed ^ (size * multiplier);
    size_t steps = 0;

    for (; size >= 8; size -= 8, p += 8) {
        uint64_t k = load_le64(p) * multiplier;

        k ^= k >> 47;
        h = (h ^ k * multiplier) * multiplier;
        sketch_poll(memory, &steps, 1);
    }
    if (size > 0)
        h = (h ^ load_tail(p, size)) * multiplier;
    h = (h ^ h >> 47) * multiplier;
    return h ^ h >> 47;
}

uint32_t
murmur32(const void *data, size_t size, uint32_t seed, const SketchMemory *memory)
{
    const uint32_t multiplier = 0x5bd1e995;
    const uint8_t *p = data;
    uint32_t h = seed ^ (uint32_t)size;
    size_t steps = 0;

    for (; size >= 4; size -= 4, p += 4) {
        uint32_t k = load_le32(p) * multiplier;

        k ^= k >> 24;
        h = h * multiplier ^ k * multiplier;
        sketch_poll(memory, &steps, 1);
    }
    if (size > 0)
        h = (h ^ (uint32_t)load_tail(p, size)) * multiplier;
    h = (h ^ h >> 13) * multiplier;
    return h ^ h >> 15;
}

/* ---- MurmurHash3 ---- */

Murmur3
murmur3(const void *data, size_t size, uint64_t seed, const SketchMemory *memory)
{
    const uint8_t *p = data;
    Murmur3 h = {seed, seed};
    size_t left = size, steps = 0;

    for (; left >= 16; left -= 16, p += 16) {
        h.first = murmur3_rotate(h.first ^ murmur3_mix_first(load_le64(p)), 27) + h.second;
        h.first = h.first * 5 + 0x52dce729;
        h.second = murmur3_rotate(h.second ^ murmur3_mix_second(load_le64(p + 8)), 31) + h.first;
        h.second = h.second * 5 + 0x38495ab5;
        sketch_poll(memory, &steps, 1);
    }
    if (left > 8)
        h.second ^= murmur3_mix_second(load_tail(p + 8, left - 8));
    if (left > 0)
        h.first ^= murmur3_mix_first(load_tail(p, left < 8 ? left : 8));
    h.first ^= size;
    h.second ^= size;
    h.first += h.second;
    h.second += h.first;
    h.first = murmur3_avalanche(h.first);
    h.second = murmur3_avalanche(h.second);
    h.first += h.second;
    h.second += h.first;
    return h;
}
