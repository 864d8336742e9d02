/*
 * hash.c - the hashes of items in other systems, whose sketches go on to be counted with them.
 */
#include "core/common/hash.h"
#include "core/common/datasketches.h"
#include "hll_internal.h"

uint64_t
hll_redis_hash(const void *item, size_t size, const SketchMemory *memory)
{
    return murmur64a(item, size, REDIS_HLL_SEED, memory);
}

uint64_t
hll_postgresql_hll_hash(const void *item, size_t size, uint32_t seed, const SketchMemory *memory)
{
    return murmur3(item, size, seed, memory).first;
}

uint32_t
hll_datasketches_coupon(const void *item, size_t size, const SketchMemory *memory)
{
    Murmur3 hash = datasketches_hash(item, size, memory);
    unsigned zeros = hash.second > 0 ? (unsigned)__builtin_clzll(hash.second) : 64;

    return ((zeros < HLL_RANKS - 2 ? zeros : HLL_RANKS - 2) + 1) << HLL_TOKEN_BITS |
           ((uint32_t)hash.first & ((UINT32_C(1) << HLL_TOKEN_BITS) - 1));
}
