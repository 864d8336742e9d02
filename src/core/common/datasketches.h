/*
 * datasketches.h - how the sketches of Apache DataSketches hash items: MurmurHash3 with seed 9001.
 *
 * The bytes of an item: of an integer of any width its 8 bytes, of a floating-point number the 8
 * bytes of the double, of a text its UTF-8. No bytes at all are no item. HLL takes both halves of
 * the hash, theta sketches the first one.
 */
#ifndef DATASKETCHES_H
#define DATASKETCHES_H

#include "hash.h"
#include "murmur3.h"

#define DATASKETCHES_SEED 9001
/* The low 16 bits of the first half of the hash of the seed, which sketches store in its place. */
#define DATASKETCHES_SEED_HASH 0x93cc

static inline Murmur3
datasketches_hash(const void *item, size_t size, const SketchMemory *memory)
{
    return murmur3(item, size, DATASKETCHES_SEED, memory);
}

/* The first half for an item of 8 bytes. */
static inline uint64_t
datasketches_hash_int64(int64_t value)
{
    uint64_t first = (DATASKETCHES_SEED ^ murmur3_mix_first((uint64_t)value)) ^ sizeof value;
    uint64_t second = DATASKETCHES_SEED ^ sizeof value;

    first += second;
    return murmur3_avalanche(first) + murmur3_avalanche(first + second);
}

/* The 8 bytes of a double as they are hashed, as an integer: 0 for -0, and one NaN. */
static inline int64_t
datasketches_double(double value)
{
    uint64_t bits;

    if (value == 0)
        return 0;
    memcpy(&bits, &value, sizeof bits);
    return value == value ? (int64_t)bits : INT64_C(0x7ff8000000000000);
}

#endif
