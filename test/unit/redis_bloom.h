/*
 * redis_bloom.h - the plainest filter of RedisBloom there is, with a bool for each bit, and
 * payloads of a real server.
 */
#ifndef REDIS_BLOOM_H
#define REDIS_BLOOM_H

#include "members.h"
#include "redis_payload.h"

#include "core/bloom/redis.h"
#include "core/common/hash.h"

#define FORCE64 4
#define LAYERS 40

static SketchError error;

/* ---- the plainest filter ---- */

typedef struct PlainLayer {
    uint64_t capacity, items, bytes, n2;
    double error, bits_per_entry;
    unsigned hashes;
    bool *bit;
} PlainLayer;

typedef struct Plain {
    uint32_t layers, growth, options;
    PlainLayer layer[LAYERS];
} Plain;

static inline PlainLayer
plain_layer(uint64_t capacity, double rate)
{
    PlainLayer layer = {.capacity = capacity, .error = rate};
    uint64_t bits;

    layer.bits_per_entry = -log(rate) / 0.480453013918201;
    layer.hashes = (unsigned)ceil(0.693147180559945 * layer.bits_per_entry);
    bits = (uint64_t)((double)capacity * layer.bits_per_entry);
    layer.bytes = bits == 0 ? 8 : (bits + 63) / 64 * 8;
    layer.bit = calloc(8 * layer.bytes, sizeof(bool));
    return layer;
}

static inline uint64_t
plain_bit(const PlainLayer *layer, SketchBytes item, unsigned i)
{
    uint64_t a = murmur64a(item.data, item.size, UINT64_C(0xc6a4a7935bd1e995), &memory);
    uint64_t b = murmur64a(item.data, item.size, a, &memory);

    return (a + i * b) % (layer->n2 > 0 ? UINT64_C(1) << layer->n2 : 8 * layer->bytes);
}

static inline bool
plain_contains(const Plain *plain, SketchBytes item)
{
    for (uint32_t l = 0; l < plain->layers; l++) {
        const PlainLayer *layer = &plain->layer[l];
        unsigned i = 0;

        while (i < layer->hashes && layer->bit[plain_bit(layer, item, i)])
            i++;
        if (i == layer->hashes)
            return true;
    }
    return false;
}

static inline bool
plain_add(Plain *plain, SketchBytes item)
{
    PlainLayer *last = &plain->layer[plain->layers - 1];

    if (plain_contains(plain, item))
        return false;
    if (last->items >= last->capacity) {
        plain->layer[plain->layers++] =
            plain_layer(last->capacity * (plain->growth > 0 ? plain->growth : 1), last->error / 2);
        last++;
    }
    for (unsigned i = 0; i < last->hashes; i++)
        last->bit[plain_bit(last, item, i)] = true;
    last->items++;
    return true;
}

static inline Plain
plain_of(uint64_t capacity, double rate, uint32_t growth, uint32_t options)
{
    Plain plain = {.layers = 1, .growth = growth, .options = options | FORCE64};

    plain.layer[0] = plain_layer(capacity, rate / 2);
    return plain;
}

static inline void
plain_free(Plain *plain)
{
    for (uint32_t l = 0; l < plain->layers; l++)
        free(plain->layer[l].bit);
}

static inline void
plain_bytes(const PlainLayer *layer, uint8_t *bytes)
{
    memset(bytes, 0, layer->bytes);
    for (uint64_t i = 0; i < 8 * layer->bytes; i++)
        bytes[i / 8] |= (uint8_t)(layer->bit[i] << i % 8);
}

/* The value that has these layers. */
static inline SketchBytes
value_of(const Plain *plain)
{
    BloomRedis redis = {plain->growth, plain->layers, plain->options, 0, NULL, NULL};
    BloomRedisLayer layer[LAYERS];
    SketchBytes value;

    for (uint32_t l = 0; l < plain->layers; l++) {
        const PlainLayer *from = &plain->layer[l];
        uint8_t *bits = malloc(from->bytes);

        plain_bytes(from, bits);
        layer[l] =
            (BloomRedisLayer){from->capacity, from->items,  from->error, from->bits_per_entry,
                              from->bytes,    from->hashes, from->n2,    bits};
    }
    value = bloom_redis_write(&redis, layer, &memory);
    for (uint32_t l = 0; l < plain->layers; l++)
        free((void *)layer[l].bits);
    return value;
}

/* Returns true if a value, packed or working, has just these layers. */
static inline bool
same_layers(SketchBytes value, const Plain *plain)
{
    BloomRedis redis;
    uint64_t items = 0;
    bool same = bloom_redis_read(&redis, value) && redis.layers == plain->layers &&
                redis.growth == plain->growth && redis.options == plain->options;

    for (uint32_t l = 0; same && l < plain->layers; l++) {
        BloomRedisLayer layer = bloom_redis_next(&redis);
        const PlainLayer *other = &plain->layer[l];
        uint8_t *bits = malloc(other->bytes);

        plain_bytes(other, bits);
        same = layer.capacity == other->capacity && layer.items == other->items &&
               layer.error == other->error && layer.hashes == other->hashes &&
               layer.n2 == other->n2 &&
               fabs(layer.bits_per_entry / other->bits_per_entry - 1) < 1e-15 &&
               same_bytes(layer.bits, layer.bytes, bits, other->bytes);
        items += layer.items;
        free(bits);
    }
    return same && redis.items == items;
}

static inline SketchBytes
item_of(char *room, uint64_t which, uint64_t n)
{
    return (SketchBytes){
        (uint8_t *)room,
        (size_t)sprintf(room, "%llu-%llu", (unsigned long long)which, (unsigned long long)n)};
}

/* Items from..to - 1 in a filter. */
static inline SketchBytes
filter(uint64_t capacity, double rate, uint32_t growth, uint64_t from, uint64_t to)
{
    Plain plain = plain_of(capacity, rate, growth, 0);
    SketchBytes value;
    char room[50];

    for (uint64_t n = from; n < to; n++)
        plain_add(&plain, item_of(room, 0, n));
    value = value_of(&plain);
    plain_free(&plain);
    return value;
}

/* ---- a filter of a real server, before and after more items ---- */

#define HEADER                                                                                     \
    "07000000000000000100000005000000020000001000000000000000800000000000000007000000000000007b14" \
    "ae47e17a743fe9862fb2350e2640080000000a0000000000000000"
#define BITS "940307c77f506058200568a880814284"
#define DUMP                                                                                       \
    "07813016e5a289bef8040207020102050202020a047b14ae47e17a743f020804e9862fb2350e2640024080020005" \
    "10940307c77f506058200568a8808142840207000c0000cb6528998f3cc4"
#define AFTER                                                                                      \
    "07813016e5a289bef804020c020202050202020a047b14ae47e17a743f020804e9862fb2350e2640024080020005" \
    "10958317df7f506d58300768a980915285020a0214047b14ae47e17a643f0209044af7d49edef0284002410002"   \
    "0005200005000001000002a000000000404000040020000000089000080400080000120202000c00af0d80c5e6c8" \
    "fea4"

static inline SketchBytes
from_dump(const void *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0};
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = bloom_redis_from_dump((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    expect(memory_used.pieces == before + good && (good || error.status == SKETCH_MALFORMED),
           "memory was kept");
    free(exact.data);
    return good ? value : (SketchBytes){NULL, 0};
}

static inline SketchBytes
from_dump_hex(const char *hex)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes value = from_dump(bytes.data, bytes.size);

    free(bytes.data);
    return value;
}

static inline SketchBytes
from_scandump(SketchBytes header, SketchBytes body)
{
    Bytes exact = bytes_copy(header.data, header.size);
    Bytes exact_body = bytes_copy(body.data, body.size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0};
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = bloom_redis_from_scandump((SketchBytes){exact.data, exact.size},
                                     (SketchBytes){exact_body.data, exact_body.size}, &memory,
                                     &value, &error);
    expect(memory_used.pieces == before + good && (good || error.status == SKETCH_MALFORMED),
           "memory was kept");
    free(exact.data);
    free(exact_body.data);
    return good ? value : (SketchBytes){NULL, 0};
}

#endif
