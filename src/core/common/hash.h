/*
 * hash.h - the hash functions for items.
 *
 * The extension's own hash is XXH3-64, whose output is frozen and the same on every platform.
 * Values that come from another system keep its function, one of the MurmurHash family. The hash id
 * in a value's header says which function it is.
 */
#ifndef SKETCH_HASH_H
#define SKETCH_HASH_H

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "bytes.h"
#include "core/sketch.h"

/* Seed of the hash that Redis's HyperLogLog uses. */
#define REDIS_HLL_SEED UINT64_C(0xadc83b19)

static inline uint64_t
hash_bytes(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

/* With a seed; 0 gives hash_bytes. The seed costs nothing if it and the size are constants. */
static inline uint64_t
hash_seeded(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

/* hash_seeded for long data: polls `memory` between pieces. */
extern uint64_t hash_polled(const void *data, size_t size, uint64_t seed,
                            const SketchMemory *memory);

/* A number hashes as its 8 bytes, little-endian. */
static inline uint64_t
hash_int64_seeded(int64_t value, uint64_t seed)
{
    uint8_t bytes[8];

    store_le64(bytes, (uint64_t)value);
    return hash_seeded(bytes, sizeof bytes, seed);
}

static inline uint64_t
hash_int64(int64_t value)
{
    return hash_int64_seeded(value, 0);
}

/*
 * MurmurHash64A of Austin Appleby, with little-endian loads on every platform. This one and the
 * next two poll `memory` while they read a long item.
 */
extern uint64_t murmur64a(const void *data, size_t size, uint64_t seed, const SketchMemory *memory);

/* MurmurHash2, the same of 32 bits, which Redis's Count-Min sketches and Top-K use. */
extern uint32_t murmur32(const void *data, size_t size, uint32_t seed, const SketchMemory *memory);

/* MurmurHash3 of 128 bits for 64-bit processors, little-endian as well, in two halves. */
typedef struct Murmur3 {
    uint64_t first;
    uint64_t second;
} Murmur3;

extern Murmur3 murmur3(const void *data, size_t size, uint64_t seed, const SketchMemory *memory);

#endif
