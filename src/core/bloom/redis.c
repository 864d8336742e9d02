/*
 * redis.c - Bloom filters of RedisBloom: read, probed, added to and united as they are.
 *
 * The bits of a filter say nothing about its items, so such a value keeps RedisBloom's addressing,
 * and hash id 1. An item is a string of bytes. With MM64A, which is MurmurHash64A, it has the
 * hashes a = MM64A(item, c6a4a7935bd1e995) and b = MM64A(item, a). Its bit i is number
 * (a + i b mod 2^64) mod m, counted from the lowest bit of the first byte; m is 2^n2 or, if n2 is
 * 0, the number of bits.
 *
 *     0      1        2   3     4..5    6..7    8..11    12..23  24..31
 *     kind   version  2   hash  growth  layers  options  zero    items
 *
 * and an entry of 40 bytes for each layer, then their bits:
 *
 *     0..7      8..15  16..23  24..27  28..29  30      31  32..39
 *     capacity  items  error   bytes   zero    hashes  n2  bits per entry
 *
 * Options: 1 not rounded to powers of two; 2 capacity given in bits; 4 hash of 64 bits, always set
 * here; 8 does not grow. Reserving, growing and counting follow RedisBloom 2.8. Input is checked
 * for everything that genuine filters have in common (bloom_redis_layer_good), a stored value only
 * for its size, and for bits of an item outside of their layer (bloom_redis_read). Filters from
 * before version 2.0, whose hash has 32 bits, are refused. redis_transfer.c reads and writes
 * payloads.
 */
#include "redis.h"

#include <math.h>

#include "core/common/hash.h"
#include "core/common/polled.h"
#include "core/common/popcount.h"
#include "core/common/portable.h"

/* Offsets of the fields of a value, and of those of the entry of a layer. */
enum { GROWTH = 4, LAYERS = 6, OPTIONS = 8, ZERO = 12, ITEMS = 24 };
enum {
    LAYER_CAPACITY = 0,
    LAYER_ITEMS = 8,
    LAYER_ERROR = 16,
    LAYER_BYTES = 24,
    LAYER_ZERO = 28,
    LAYER_HASHES = 30,
    LAYER_N2 = 31,
    LAYER_BITS_PER_ENTRY = 32
};

#define OPTION_FORCE64 4
#define OPTIONS_KNOWN 15
#define LN2_SQUARED 0.480453013918201
#define LN2 0.693147180559945

/* ---- reading ---- */

/* Returns true if an item has bits, and all of them lie in the layer. */
static bool
bits_fit(const BloomRedisLayer *layer)
{
    return layer->hashes > 0 && layer->bytes > 0 &&
           (layer->n2 == 0 || (layer->n2 < 64 && UINT64_C(1) << layer->n2 <= 8 * layer->bytes));
}

/* A layer, but for where its bits are. */
static BloomRedisLayer
read_entry(const uint8_t *entry)
{
    return (BloomRedisLayer){.capacity = load_le64(entry + LAYER_CAPACITY),
                             .items = load_le64(entry + LAYER_ITEMS),
                             .error = load_le_double(entry + LAYER_ERROR),
                             .bytes = load_le32(entry + LAYER_BYTES),
                             .hashes = entry[LAYER_HASHES],
                             .n2 = entry[LAYER_N2],
                             .bits_per_entry = load_le_double(entry + LAYER_BITS_PER_ENTRY)};
}

bool
bloom_redis_read(BloomRedis *redis, SketchBytes value)
{
    uint64_t size;

    if (value.size < BLOOM_PACKED_HEADER ||
        (sketch_encoding(value.data) & ~SKETCH_WORKING) != BLOOM_REDIS)
        return false;
    *redis = (BloomRedis){.growth = load_le16(value.data + GROWTH),
                          .layers = load_le16(value.data + LAYERS),
                          .options = load_le32(value.data + OPTIONS),
                          .items = load_le64(value.data + ITEMS),
                          .entry = value.data + BLOOM_PACKED_HEADER};
    size = BLOOM_PACKED_HEADER + (uint64_t)redis->layers * BLOOM_REDIS_ENTRY;
    if (redis->layers == 0 || redis->layers > BLOOM_LAYERS_MAX || size > value.size)
        return false;
    redis->bits = value.data + size;
    for (uint32_t i = 0; i < redis->layers; i++) {
        BloomRedisLayer layer = read_entry(redis->entry + i * (size_t)BLOOM_REDIS_ENTRY);

        size += layer.bytes;
        if (!bits_fit(&layer) || size > value.size)
            return false;
    }
    return size == value.size;
}

BloomRedisLayer
bloom_redis_next(BloomRedis *redis)
{
    BloomRedisLayer layer = read_entry(redis->entry);

    layer.bits = redis->bits;
    redis->entry += BLOOM_REDIS_ENTRY;
    redis->bits += layer.bytes;
    return layer;
}

/* ---- bits ---- */

typedef struct BloomRedisHash {
    uint64_t a, b;
} BloomRedisHash;

static BloomRedisHash
hash_item(SketchBytes item, const SketchMemory *memory)
{
    uint64_t a = murmur64a(item.data, item.size, BLOOM_REDIS_SEED, memory);

    return (BloomRedisHash){a, murmur64a(item.data, item.size, a, memory)};
}

static uint64_t
bit_of(const BloomRedisLayer *layer, BloomRedisHash hash, unsigned i)
{
    uint64_t x = hash.a + i * hash.b;

    return layer->n2 > 0 ? x & ((UINT64_C(1) << layer->n2) - 1) : x % (8 * layer->bytes);
}

static bool
layer_contains(const BloomRedisLayer *layer, BloomRedisHash hash)
{
    for (unsigned i = 0; i < layer->hashes; i++) {
        uint64_t bit = bit_of(layer, hash, i);

        if (!(layer->bits[bit / 8] >> bit % 8 & 1))
            return false;
    }
    return true;
}

bool
bloom_redis_contains(SketchBytes value, SketchBytes item, const SketchMemory *memory)
{
    BloomRedisHash hash = hash_item(item, memory);
    BloomRedis redis;

    if (!bloom_redis_read(&redis, value))
        return false;
    for (uint32_t i = 0; i < redis.layers; i++) {
        BloomRedisLayer layer = bloom_redis_next(&redis);

        if (layer_contains(&layer, hash))
            return true;
    }
    return false;
}

uint64_t
bloom_redis_ones(const BloomRedisLayer *layer, const SketchMemory *memory)
{
    uint64_t ones = 0;

    for (uint64_t at = 0; at < layer->bytes; at += POLLED_PIECE) {
        uint64_t left = layer->bytes - at;

        ones += popcount_bytes(layer->bits + at, left < POLLED_PIECE ? left : POLLED_PIECE);
        memory->poll(memory->context);
    }
    return ones;
}

double
bloom_redis_rate(const BloomRedisLayer *layer, const SketchMemory *memory)
{
    return portable_power((double)bloom_redis_ones(layer, memory) / (8.0 * layer->bytes),
                          layer->hashes);
}

/* Nothing makes the items of a value agree with its bits, so both have to be zero. */
bool
bloom_redis_is_empty(SketchBytes value)
{
    BloomRedis redis;

    if (!bloom_redis_read(&redis, value) || redis.items > 0)
        return false;
    for (const uint8_t *end = value.data + value.size; redis.bits < end; redis.bits++)
        if (*redis.bits != 0)
            return false;
    return true;
}

/* ---- validating ---- */

bool
bloom_redis_layer_good(const BloomRedisLayer *layer, SketchError *error)
{
    double expected;

    if (!(layer->error > 0 && layer->error < 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "Error rate out of range");
    expected = -portable_log(layer->error) / LN2_SQUARED;
    if (!(fabs(layer->bits_per_entry - expected) <= 1e-9 * expected) ||
        layer->hashes != ceil(LN2 * layer->bits_per_entry))
        return sketch_refuse(error, SKETCH_MALFORMED, "Error rate, bits and hashes disagree");
    if (layer->capacity < 1 || layer->capacity > BLOOM_REDIS_ITEMS_MAX ||
        layer->items > BLOOM_REDIS_ITEMS_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Capacity or items out of range");
    if (!bits_fit(layer))
        return sketch_refuse(error, SKETCH_MALFORMED, "Bits out of range");
    return true;
}

bool
bloom_redis_options_good(uint32_t options, uint32_t growth, SketchError *error)
{
    if (options & ~(uint32_t)OPTIONS_KNOWN)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown options");
    if (!(options & OPTION_FORCE64))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "A filter of RedisBloom before 2.0, whose hash has 32 bits");
    if (growth > BLOOM_EXPANSION_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Expansion out of range", growth, 0,
                                   BLOOM_EXPANSION_MAX);
    return true;
}

bool
bloom_redis_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                     SketchError *error)
{
    BloomRedis redis;
    uint64_t items = 0;

    if (sketch_hash(input.data) != SKETCH_HASH_REDIS)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function",
                                   sketch_hash(input.data), SKETCH_HASH_REDIS, SKETCH_HASH_REDIS);
    if (!bloom_redis_read(&redis, input) || load_le32(input.data + ZERO) != 0 ||
        load_le64(input.data + ZERO + 4) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "The value is truncated or corrupt");
    if (!bloom_redis_options_good(redis.options, redis.growth, error))
        return false;
    for (BloomRedis at = redis; at.layers > 0; at.layers--) {
        bool zero = load_le16(at.entry + LAYER_ZERO) == 0;
        BloomRedisLayer layer = bloom_redis_next(&at);

        if (!zero || !bloom_redis_layer_good(&layer, error))
            return zero ? false
                        : sketch_refuse(error, SKETCH_MALFORMED, "Reserved bytes are not zero");
        items += layer.items;
    }
    if (items != redis.items)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "Items are not the sum of those of the filters");
    return polled_accept(input, memory, value);
}

/* ---- making ---- */

/* The working and the packed encoding differ only in the common header. */
static void
write_common_header(uint8_t *data, uint8_t encoding)
{
    sketch_write_common(data, SKETCH_BLOOM, encoding == BLOOM_REDIS ? BLOOM_VERSION : STATE_VERSION,
                        encoding, SKETCH_HASH_REDIS);
}

static SketchState
new_value(const BloomRedis *like, uint32_t layers, uint64_t bytes, uint8_t encoding,
          const SketchMemory *memory)
{
    uint64_t size = BLOOM_PACKED_HEADER + (uint64_t)layers * BLOOM_REDIS_ENTRY + bytes;
    SketchState state = {memory->value(size, memory->context), (size_t)size};

    memset(state.data, 0, BLOOM_PACKED_HEADER + (size_t)layers * BLOOM_REDIS_ENTRY);
    write_common_header(state.data, encoding);
    store_le16(state.data + GROWTH, (uint16_t)like->growth);
    store_le16(state.data + LAYERS, (uint16_t)layers);
    store_le32(state.data + OPTIONS, like->options);
    return state;
}

static void
write_entry(uint8_t *entry, const BloomRedisLayer *layer)
{
    store_le64(entry + LAYER_CAPACITY, layer->capacity);
    store_le64(entry + LAYER_ITEMS, layer->items);
    store_le_double(entry + LAYER_ERROR, layer->error);
    store_le32(entry + LAYER_BYTES, (uint32_t)layer->bytes);
    store_le16(entry + LAYER_ZERO, 0);
    entry[LAYER_HASHES] = (uint8_t)layer->hashes;
    entry[LAYER_N2] = (uint8_t)layer->n2;
    store_le_double(entry + LAYER_BITS_PER_ENTRY, layer->bits_per_entry);
}

SketchState
bloom_redis_copy(SketchBytes value, bool working, const SketchMemory *memory)
{
    SketchState state = {NULL, 0};
    BloomRedis redis;

    if (!bloom_redis_read(&redis, value))
        return state;
    state = (SketchState){memory->value(value.size, memory->context), value.size};
    polled_copy(state.data, value.data, value.size, memory);
    write_common_header(state.data, working ? SKETCH_WORKING | BLOOM_REDIS : BLOOM_REDIS);
    return state;
}

SketchBytes
bloom_redis_write(const BloomRedis *redis, const BloomRedisLayer *layer, const SketchMemory *memory)
{
    uint64_t bytes = 0, items = 0;
    SketchState state;
    uint8_t *entry, *bits;

    for (uint32_t i = 0; i < redis->layers; i++) {
        bytes += layer[i].bytes;
        items += layer[i].items;
    }
    state = new_value(redis, redis->layers, bytes, BLOOM_REDIS, memory);
    entry = state.data + BLOOM_PACKED_HEADER;
    bits = entry + redis->layers * (size_t)BLOOM_REDIS_ENTRY;
    for (uint32_t i = 0; i < redis->layers; i++, entry += BLOOM_REDIS_ENTRY) {
        write_entry(entry, &layer[i]);
        polled_copy(bits, layer[i].bits, layer[i].bytes, memory);
        bits += layer[i].bytes;
    }
    store_le64(state.data + ITEMS, items);
    return sketch_bytes(state);
}

/* Plans a layer as RedisBloom does; its bytes are 0 if it would be too large. */
static BloomRedisLayer
plan(uint64_t capacity, double error)
{
    double bits_per_entry = -portable_log(error) / LN2_SQUARED;
    double bits = floor((double)capacity * bits_per_entry);
    BloomRedisLayer layer = {.capacity = capacity,
                             .error = error,
                             .bits_per_entry = bits_per_entry,
                             .hashes = (unsigned)ceil(LN2 * bits_per_entry)};

    if (bits <= (double)BLOOM_REDIS_BITS_MAX)
        layer.bytes = (bits < 1 ? 1 : (uint64_t)bits) / 64 * 8 + ((uint64_t)bits % 64 ? 8 : 0);
    if (bits < 1)
        layer.bytes = 8;
    return layer;
}

BloomRedisLayer
bloom_redis_plan(uint64_t capacity, double error)
{
    return plan(capacity, error / 2);
}

/* Adds a layer with half the error rate and `growth` times the capacity of the last one. */
static bool
grow(SketchState *state, BloomRedis redis, const SketchMemory *memory, SketchError *error)
{
    BloomRedis all = redis;
    BloomRedisLayer last = {0}, next;
    uint64_t bytes = 0;
    SketchState grown;
    uint8_t *to;

    for (uint32_t i = 0; i < redis.layers; i++) {
        last = bloom_redis_next(&redis);
        bytes += last.bytes;
    }
    if (!bloom_redis_layer_good(&last, error))
        return sketch_refuse_damaged(error);
    next = plan(last.capacity * (redis.growth > 0 ? redis.growth : 1), last.error * 0.5);
    if (redis.layers == BLOOM_LAYERS_MAX || next.bytes == 0 || last.capacity > UINT32_MAX ||
        next.hashes > UINT8_MAX || bytes + next.bytes > UINT32_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Filters of a value", redis.layers + 1, 1,
                                   redis.layers);
    grown =
        new_value(&all, redis.layers + 1, bytes + next.bytes, sketch_encoding(state->data), memory);
    to = grown.data + BLOOM_PACKED_HEADER;
    memcpy(to, all.entry, redis.layers * (size_t)BLOOM_REDIS_ENTRY);
    to += redis.layers * (size_t)BLOOM_REDIS_ENTRY;
    write_entry(to, &next);
    to += BLOOM_REDIS_ENTRY;
    polled_copy(to, all.bits, bytes, memory);
    polled_zero(to + bytes, next.bytes, memory);
    store_le64(grown.data + ITEMS, all.items);
    *state = grown;
    return true;
}

bool
bloom_redis_add(SketchState *state, SketchBytes item, bool *added, const SketchMemory *memory,
                SketchError *error)
{
    BloomRedisHash hash = hash_item(item, memory);
    BloomRedisLayer layer;
    BloomRedis redis;
    uint8_t *entry;

    *added = false;
    if (!bloom_redis_read(&redis, sketch_bytes(*state)))
        return sketch_refuse_damaged(error);
    if (bloom_redis_contains(sketch_bytes(*state), item, memory))
        return true;
    entry = state->data + BLOOM_PACKED_HEADER + (redis.layers - 1) * (size_t)BLOOM_REDIS_ENTRY;
    if (load_le64(entry + LAYER_ITEMS) >= load_le64(entry + LAYER_CAPACITY)) {
        if (redis.options & BLOOM_REDIS_NO_SCALING)
            return sketch_refuse_range(error, SKETCH_LIMIT, "Items of a filter that does not grow",
                                       (int64_t)load_le64(entry + LAYER_ITEMS) + 1, 0,
                                       (int64_t)load_le64(entry + LAYER_CAPACITY));
        if (!grow(state, redis, memory, error))
            return false;
        bloom_redis_read(&redis, sketch_bytes(*state));
        entry = state->data + BLOOM_PACKED_HEADER + (redis.layers - 1) * (size_t)BLOOM_REDIS_ENTRY;
    }
    layer = bloom_redis_next(&redis);
    for (uint32_t i = 1; i < redis.layers; i++)
        layer = bloom_redis_next(&redis);
    for (unsigned i = 0; i < layer.hashes; i++) {
        uint64_t bit = bit_of(&layer, hash, i);

        ((uint8_t *)layer.bits)[bit / 8] |= (uint8_t)(1u << bit % 8);
    }
    store_le64(entry + LAYER_ITEMS, layer.items + 1);
    store_le64(state->data + ITEMS, load_le64(state->data + ITEMS) + 1);
    *added = true;
    return true;
}

/* ---- union ---- */

/*
 * ORs a layer into one of equal addressing. If one of them has all bits of the other, the number of
 * items is the greater of the two. Otherwise it is estimated from the bits, clamped between the
 * greater number and the sum.
 */
static void
or_layer(uint8_t *entry, uint8_t *bits, const BloomRedisLayer *other, const SketchMemory *memory)
{
    uint64_t items = load_le64(entry + LAYER_ITEMS), before, ones;
    uint64_t most = items + other->items, least = items > other->items ? items : other->items;
    BloomRedisLayer both = *other;
    double all = 8.0 * other->bytes, estimate;
    size_t steps = 0;

    most = most < BLOOM_REDIS_ITEMS_MAX ? most : BLOOM_REDIS_ITEMS_MAX;
    both.bits = bits;
    before = bloom_redis_ones(&both, memory);
    for (uint64_t i = 0; i < other->bytes; i++) {
        bits[i] |= other->bits[i];
        sketch_poll(memory, &steps, 1);
    }
    ones = bloom_redis_ones(&both, memory);
    if (ones == before || ones == bloom_redis_ones(other, memory)) {
        store_le64(entry + LAYER_ITEMS, least);
        return;
    }
    estimate = (double)ones >= all
                   ? (double)most
                   : -all / other->hashes * portable_log((all - (double)ones) / all);
    store_le64(entry + LAYER_ITEMS, estimate >= (double)most    ? most
                                    : estimate <= (double)least ? least
                                                                : (uint64_t)(estimate + 0.5));
}

static bool
same_addressing(const BloomRedisLayer *a, const BloomRedisLayer *b)
{
    return a->bytes == b->bytes && a->hashes == b->hashes && a->n2 == b->n2 &&
           a->capacity == b->capacity && a->error == b->error;
}

/*
 * Sets match[i] to the layer of `mine` with the addressing of layer i of `theirs`, or to -1 if
 * there is none. Returns how many layers have no match, and sets *more to their bytes.
 */
static uint32_t
match_layers(BloomRedis mine, BloomRedis theirs, int32_t *match, uint64_t *more)
{
    uint32_t extra = 0;

    *more = 0;
    for (uint32_t i = 0; i < theirs.layers; i++) {
        BloomRedisLayer layer = bloom_redis_next(&theirs);
        BloomRedis at = mine;

        match[i] = -1;
        for (uint32_t j = 0; j < mine.layers && match[i] < 0; j++) {
            BloomRedisLayer own = bloom_redis_next(&at);

            if (same_addressing(&own, &layer))
                match[i] = (int32_t)j;
        }
        if (match[i] < 0) {
            extra++;
            *more += layer.bytes;
        }
    }
    return extra;
}

bool
bloom_redis_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                  SketchError *error)
{
    int32_t match[BLOOM_LAYERS_MAX];
    BloomRedis mine, theirs, at;
    uint64_t bytes = 0, more, items = 0;
    uint32_t extra, appended = 0;
    SketchState both;
    uint8_t *entries, *bits, *end;

    if (!bloom_redis_read(&mine, sketch_bytes(*state)) || !bloom_redis_read(&theirs, other))
        return sketch_refuse_damaged(error);
    extra = match_layers(mine, theirs, match, &more);
    if (mine.layers + extra > BLOOM_UNION_LAYERS_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Filters of a union", mine.layers + extra,
                                   1, BLOOM_UNION_LAYERS_MAX);
    at = mine;
    for (uint32_t i = 0; i < mine.layers; i++)
        bytes += bloom_redis_next(&at).bytes;
    if (bytes + more > UINT32_MAX)
        return sketch_refuse(error, SKETCH_LIMIT, "The union would be too large");
    both =
        new_value(&mine, mine.layers + extra, bytes + more, sketch_encoding(state->data), memory);
    entries = both.data + BLOOM_PACKED_HEADER;
    bits = entries + (mine.layers + extra) * (size_t)BLOOM_REDIS_ENTRY;
    /* Layers that only `theirs` has come first, because items are added to the last layer. */
    memcpy(entries + extra * (size_t)BLOOM_REDIS_ENTRY, mine.entry,
           mine.layers * (size_t)BLOOM_REDIS_ENTRY);
    polled_copy(bits + more, mine.bits, bytes, memory);
    end = bits;
    for (uint32_t i = 0; i < theirs.layers; i++) {
        const uint8_t *from = theirs.entry + i * (size_t)BLOOM_REDIS_ENTRY;
        BloomRedis one = {.entry = from, .bits = theirs.bits};
        BloomRedisLayer layer = bloom_redis_next(&one);

        theirs.bits += layer.bytes;
        if (match[i] < 0) {
            memcpy(entries + appended++ * (size_t)BLOOM_REDIS_ENTRY, from, BLOOM_REDIS_ENTRY);
            polled_copy(end, layer.bits, layer.bytes, memory);
            end += layer.bytes;
        } else {
            uint32_t place = extra + (uint32_t)match[i];
            uint8_t *to = bits + more;

            for (uint32_t j = extra; j < place; j++)
                to += load_le32(entries + j * (size_t)BLOOM_REDIS_ENTRY + LAYER_BYTES);
            or_layer(entries + place * (size_t)BLOOM_REDIS_ENTRY, to, &layer, memory);
        }
    }
    for (uint32_t j = 0; j < mine.layers + extra; j++)
        items += load_le64(entries + j * (size_t)BLOOM_REDIS_ENTRY + LAYER_ITEMS);
    store_le64(both.data + ITEMS, items);
    *state = both;
    return true;
}
