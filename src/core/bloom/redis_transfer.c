/*
 * redis_transfer.c - payloads of RedisBloom's filters: in from DUMP and SCANDUMP, out to LOADCHUNK.
 *
 * read_layers and dump_layer read the fields of DUMP; which there are depends on the encoding
 * version (bits and n2 from 1 on, options from 2, growth from 4, a seed of the hash at the end from
 * 5). The header of SCANDUMP, 20 bytes and 53 for each layer, is little-endian:
 *
 *     0..7   8..11   12..15   16..19
 *     items  layers  options  growth
 *
 *     0..7   8..15  16..23  24..31  32..39          40..43  44..51    52
 *     bytes  bits   items   error   bits per entry  hashes  capacity  n2
 *
 * If bit 31 of the options is set, 8 bytes of a seed follow. Servers that know seeds write the
 * usual one as well; filters of another are refused, because nothing could be found in them.
 *
 * The chunks are the bits of all layers. The fields of a payload are checked like those of a stored
 * value, before memory for the value is allocated.
 */
#include "redis.h"

#include "core/common/polled.h"
#include "core/common/redis_dump.h"

#define MODULE_ID UINT64_C(0x3016e5a289bef800) /* the low 10 bits are the encoding version */
#define VERSION_MAX 5
#define HEADER 20 /* of SCANDUMP */
#define LINK 53   /* of a layer in it */
#define SEED 8    /* at its end, with this option: */
#define OPTION_SEED (UINT32_C(1) << 31)

/* ---- in: DUMP and SCANDUMP ---- */

static bool
refuse_payload(SketchError *error)
{
    return sketch_refuse(error, SKETCH_MALFORMED, "Damaged Bloom filter");
}

static bool
check_seed(uint64_t seed, SketchError *error)
{
    return seed == BLOOM_REDIS_SEED ||
           sketch_refuse(error, SKETCH_MALFORMED,
                         "It was made with a seed of its own; only the usual one is known");
}

/* Reads all fields of the next layer; its bits go into scratch memory. */
static bool
dump_layer(ByteReader *fields, unsigned version, BloomRedisLayer *layer, SketchBytes *bits,
           const SketchMemory *memory)
{
    uint64_t stated;

    layer->capacity = (uint64_t)redis_dump_signed(fields);
    layer->error = redis_dump_double(fields);
    stated = (uint64_t)redis_dump_signed(fields);
    layer->bits_per_entry = redis_dump_double(fields);
    layer->hashes = stated <= UINT8_MAX ? (unsigned)stated : 0;
    stated = version >= 1 ? (uint64_t)redis_dump_signed(fields) : 0;
    layer->n2 = version >= 1 ? (uint64_t)redis_dump_signed(fields) : 0;
    if (fields->failed || !redis_dump_string_field(fields, memory, bits))
        return false;
    layer->bytes = bits->size;
    layer->items = (uint64_t)redis_dump_signed(fields);
    return !fields->failed && (version == 0 || stated == 8 * bits->size);
}

static bool
read_layers(ByteReader *fields, unsigned version, BloomRedis *redis, BloomRedisLayer *layer,
            SketchBytes *bits, uint32_t *strings, const SketchMemory *memory, SketchError *error)
{
    uint64_t items = 0, stated = (uint64_t)redis_dump_signed(fields);
    uint64_t layers = (uint64_t)redis_dump_signed(fields), options, growth;

    options = version >= 2 ? (uint64_t)redis_dump_signed(fields) : 0;
    growth = version >= 4 ? (uint64_t)redis_dump_signed(fields) : BLOOM_EXPANSION_DEFAULT;
    if (fields->failed || layers == 0 || layers > BLOOM_LAYERS_MAX)
        return refuse_payload(error);
    *redis = (BloomRedis){.growth = growth > UINT16_MAX ? UINT16_MAX : (uint32_t)growth,
                          .options = options > UINT32_MAX ? UINT32_MAX : (uint32_t)options};
    if (!bloom_redis_options_good(redis->options, redis->growth, error))
        return false;
    for (; redis->layers < layers; redis->layers++) {
        BloomRedisLayer *here = &layer[redis->layers];

        bits[redis->layers] = (SketchBytes){NULL, 0};
        if (!dump_layer(fields, version, here, &bits[redis->layers], memory)) {
            *strings = redis->layers + (bits[redis->layers].data != NULL);
            return refuse_payload(error);
        }
        *strings = redis->layers + 1;
        if (!bloom_redis_layer_good(here, error))
            return false;
        here->bits = bits[redis->layers].data;
        items += here->items;
    }
    if (version >= 5) {
        uint64_t seed = (uint64_t)redis_dump_signed(fields);

        if (!fields->failed && !check_seed(seed, error))
            return false;
    }
    return (redis_dump_end(fields) && items == stated) || refuse_payload(error);
}

bool
bloom_redis_from_dump(SketchBytes payload, const SketchMemory *memory, SketchBytes *value,
                      SketchError *error)
{
    BloomRedisLayer *layer;
    SketchBytes *bits;
    BloomRedis redis;
    ByteReader fields;
    uint32_t strings = 0;
    unsigned version;
    bool good;

    if (!redis_dump_versions(payload, MODULE_ID, VERSION_MAX, &version, &fields, memory, error))
        return false;
    layer = memory->scratch(BLOOM_LAYERS_MAX * sizeof64(*layer), memory->context);
    bits = memory->scratch(BLOOM_LAYERS_MAX * sizeof64(*bits), memory->context);
    good = read_layers(&fields, version, &redis, layer, bits, &strings, memory, error);
    if (good)
        *value = bloom_redis_write(&redis, layer, memory);
    while (strings > 0)
        memory->release((void *)bits[--strings].data, memory->context);
    memory->release(bits, memory->context);
    memory->release(layer, memory->context);
    return good;
}

bool
bloom_redis_from_scandump(SketchBytes header, SketchBytes body, const SketchMemory *memory,
                          SketchBytes *value, SketchError *error)
{
    BloomRedisLayer layer[BLOOM_LAYERS_MAX];
    BloomRedis redis = {0};
    ByteReader fields = byte_reader(header.data, header.size);
    uint64_t items = 0, stated, at = 0;
    uint32_t layers;
    bool seeded;

    if (header.size < HEADER + LINK)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short for a header (bytes)",
                                   (int64_t)header.size, HEADER + LINK, INT64_MAX);
    stated = read_le64(&fields);
    layers = read_le32(&fields);
    redis.options = read_le32(&fields);
    redis.growth = read_le32(&fields);
    seeded = redis.options & OPTION_SEED;
    redis.options &= ~OPTION_SEED;
    if (layers == 0 || layers > BLOOM_LAYERS_MAX ||
        header.size != HEADER + (uint64_t)layers * LINK + (seeded ? SEED : 0))
        return sketch_refuse(error, SKETCH_MALFORMED, "The header has another number of filters");
    if (seeded && !check_seed(load_le64(header.data + header.size - SEED), error))
        return false;
    if (!bloom_redis_options_good(redis.options, redis.growth, error))
        return false;
    for (; redis.layers < layers; redis.layers++) {
        BloomRedisLayer *here = &layer[redis.layers];
        uint64_t bits;

        here->bits = body.data + at;
        here->bytes = read_le64(&fields);
        bits = read_le64(&fields);
        here->items = read_le64(&fields);
        here->error = read_le_double(&fields);
        here->bits_per_entry = read_le_double(&fields);
        here->hashes = read_le32(&fields);
        if (here->hashes > UINT8_MAX)
            here->hashes = 0;
        here->capacity = read_le64(&fields);
        here->n2 = read_u8(&fields);
        if (here->bytes > body.size - at || here->bytes > UINT32_MAX || bits != 8 * here->bytes)
            return sketch_refuse(error, SKETCH_MALFORMED, "The chunks do not fit the header");
        if (!bloom_redis_layer_good(here, error))
            return false;
        at += here->bytes;
        items += here->items;
    }
    if (at != body.size)
        return sketch_refuse(error, SKETCH_MALFORMED, "The chunks do not fit the header");
    if (items != stated)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "Items are not the sum of those of the filters");
    *value = bloom_redis_write(&redis, layer, memory);
    return true;
}

/* ---- out: SCANDUMP ---- */

size_t
bloom_redis_header_bytes(const BloomRedis *redis)
{
    return HEADER + redis->layers * (size_t)LINK;
}

void
bloom_redis_write_header(BloomRedis redis, uint8_t *to)
{
    to = write_le64(to, redis.items);
    to = write_le32(to, redis.layers);
    to = write_le32(to, redis.options);
    to = write_le32(to, redis.growth);
    for (uint32_t i = redis.layers; i > 0; i--) {
        BloomRedisLayer layer = bloom_redis_next(&redis);

        to = write_le64(to, layer.bytes);
        to = write_le64(to, 8 * layer.bytes);
        to = write_le64(to, layer.items);
        to = write_le_double(to, layer.error);
        to = write_le_double(to, layer.bits_per_entry);
        to = write_le32(to, layer.hashes);
        to = write_le64(to, layer.capacity);
        to = write_u8(to, (uint8_t)layer.n2);
    }
}
