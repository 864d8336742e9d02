/*
 * redis.h - Bloom filters of RedisBloom. What they are: redis.c.
 */
#ifndef BLOOM_REDIS_H
#define BLOOM_REDIS_H

#include "bloom_internal.h"

#define BLOOM_REDIS_ENTRY 40
#define BLOOM_REDIS_NO_SCALING 8                      /* an option */
#define BLOOM_REDIS_SEED UINT64_C(0xc6a4a7935bd1e995) /* of the hash, unless a filter has its own */
/* Limits of a layer; the items of all layers together fit into a bigint. */
#define BLOOM_REDIS_ITEMS_MAX (UINT64_C(1) << 54)
#define BLOOM_REDIS_BITS_MAX (UINT64_C(1) << 33) /* of a layer: 1 GB */

typedef struct BloomRedisLayer {
    uint64_t capacity;
    uint64_t items;
    double error;
    double bits_per_entry;
    uint64_t bytes; /* below 2^32 */
    unsigned hashes;
    uint64_t n2;
    const uint8_t *bits;
} BloomRedisLayer;

typedef struct BloomRedis {
    uint32_t growth;
    uint32_t layers;
    uint32_t options;
    uint64_t items;
    const uint8_t *entry; /* of the layer that bloom_redis_next reads next */
    const uint8_t *bits;  /* of that layer */
} BloomRedis;

static inline bool
bloom_is_redis(const uint8_t *data)
{
    return sketch_hash(data) == SKETCH_HASH_REDIS;
}

/* Opens a value for reading; false if it is damaged. bloom_redis_next then returns its layers. */
extern bool bloom_redis_read(BloomRedis *redis, SketchBytes value);
extern BloomRedisLayer bloom_redis_next(BloomRedis *redis);

extern bool bloom_redis_contains(SketchBytes value, SketchBytes item, const SketchMemory *memory);

/*
 * Adds an item to a working value and replaces *state as SketchOps.merge does; *added is false if
 * the item was there. Fails when the filter is full.
 */
extern bool bloom_redis_add(SketchState *state, SketchBytes item, bool *added,
                            const SketchMemory *memory, SketchError *error);

/* Counts the set bits of a layer; returns the false-positive rate they imply. */
extern uint64_t bloom_redis_ones(const BloomRedisLayer *layer, const SketchMemory *memory);
extern double bloom_redis_rate(const BloomRedisLayer *layer, const SketchMemory *memory);

/* As in SketchOps; bloom_ops calls them for values of RedisBloom. */
extern bool bloom_redis_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                                 SketchError *error);
extern SketchState bloom_redis_copy(SketchBytes value, bool working, const SketchMemory *memory);
extern bool bloom_redis_is_empty(SketchBytes value);
extern bool bloom_redis_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                              SketchError *error);

/* Plans the first layer of BF.RESERVE; bytes is 0 if it is too large. */
extern BloomRedisLayer bloom_redis_plan(uint64_t capacity, double error);

/* Check what all layers made by RedisBloom have in common, and the options of a filter. */
extern bool bloom_redis_layer_good(const BloomRedisLayer *layer, SketchError *error);
extern bool bloom_redis_options_good(uint32_t options, uint32_t growth, SketchError *error);

/* Returns a packed value with these layers, and growth and options of `redis`. */
extern SketchBytes bloom_redis_write(const BloomRedis *redis, const BloomRedisLayer *layer,
                                     const SketchMemory *memory);

/* Make a packed value of a DUMP payload, or of the header and the chunks of SCANDUMP. */
extern bool bloom_redis_from_dump(SketchBytes payload, const SketchMemory *memory,
                                  SketchBytes *value, SketchError *error);
extern bool bloom_redis_from_scandump(SketchBytes header, SketchBytes body,
                                      const SketchMemory *memory, SketchBytes *value,
                                      SketchError *error);

/* Writes the header for LOADCHUNK; its chunks are the bits of the value, unchanged. */
extern size_t bloom_redis_header_bytes(const BloomRedis *redis);
extern void bloom_redis_write_header(BloomRedis redis, uint8_t *to);

#endif
