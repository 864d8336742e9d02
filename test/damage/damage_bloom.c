/*
 * damage_bloom.c - values of bloom, ours and RedisBloom's.
 */
#include "damage.h"

#include "core/bloom/bloom.h"
#include "core/bloom/redis.h"
#include "core/common/bytes.h"

/* ---- good values ---- */

static SketchState
filled(uint64_t capacity, unsigned items)
{
    SketchState state = bloom_new(capacity, 0.01, BLOOM_EXPANSION_DEFAULT, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < items; i++)
        damage_expect(bloom_insert(&state, damage_hash(i), &damage_memory, &error));
    return state;
}

/*
 * A filter as BF.RESERVE makes it, with its first items, that grows or is rounded to powers of two.
 */
static SketchState
filled_redis(uint64_t capacity, unsigned items, unsigned n2)
{
    BloomRedisLayer layer = bloom_redis_plan(capacity, 0.01);
    BloomRedis redis = {.growth = 2, .layers = 1, .options = 5};
    SketchState state;
    SketchError error;

    if (n2 > 0) {
        redis.options = 4;
        layer.n2 = n2;
        layer.bytes = UINT64_C(1) << n2 >> 3;
        layer.capacity = (uint64_t)((double)(8 * layer.bytes) / layer.bits_per_entry);
    }
    layer.bits = damage_memory.value(layer.bytes, NULL);
    memset((uint8_t *)layer.bits, 0, layer.bytes);
    state = damage_open(bloom_redis_write(&redis, &layer, &damage_memory), NULL);
    for (unsigned i = 0; i < items; i++) {
        uint64_t hash = damage_hash(i);
        bool added;

        damage_expect(bloom_redis_add(&state, (SketchBytes){(uint8_t *)&hash, sizeof hash}, &added,
                                      &damage_memory, &error));
    }
    return state;
}

static void
make(void)
{
    damage_value("list", damage_result(filled(100, 3)));
    damage_value("full list", damage_result(filled(100, 70)));
    damage_value("filter", damage_result(filled(10, 20)));
    damage_value("large filter", damage_result(filled(500, 2000)));
    damage_value("hashes in transit",
                 bloom_ops.transit(sketch_bytes(filled(10000, 250)), &damage_memory));
    damage_value("layers in transit",
                 bloom_ops.transit(sketch_bytes(filled(100, 290)), &damage_memory));
    damage_value("filter of Redis", damage_result(filled_redis(10, 5, 0)));
    damage_value("rounded filter of Redis", damage_result(filled_redis(10, 5, 7)));
    damage_value("large filter of Redis", damage_result(filled_redis(100, 1000, 0)));
}

/* ---- calls ---- */

static const SketchBytes item = {(const uint8_t *)"item", 4};

static void
probe(SketchBytes value)
{
    bool found;
    Bloom bloom;

    if (bloom_is_redis(value.data)) {
        bloom_redis_contains(value, item, &damage_memory);
        return;
    }
    if (bloom_single_contains(value, damage_hash(0), &found))
        bloom_single_contains(value, damage_hash(90), &found);
    damage_expect(bloom_read(&bloom, value));
    for (unsigned i = 0; i < 4; i++)
        bloom_has(&bloom, damage_hash(i * 30));
}

/* The header is read, then the directory, and of each layer the block of the item. */
static void
probe_out_of_line(SketchBytes value)
{
    SketchBytes front = damage_header(value), block;
    size_t offset;
    Bloom bloom;

    bloom_items(front.data);
    if (bloom_is_redis(front.data) || sketch_encoding(front.data) != BLOOM_FILTER)
        return;
    front = damage_slice(value, 0, bloom_front_bytes(front.data));
    damage_expect(bloom_read_directory(&bloom, front, value.size));
    offset = BLOOM_PACKED_HEADER + bloom.layers * (size_t)BLOOM_LAYER_HEADER;
    for (uint32_t i = bloom.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&bloom);

        block =
            damage_slice(value, offset + bloom_block_at(&layer, damage_hash(0)), layer.block_bytes);
        damage_expect(block.size == layer.block_bytes);
        bloom_block_contains(&layer, block.data, damage_hash(0));
        offset += bloom_layer_bytes(&layer);
    }
}

static void
summarize(SketchBytes value)
{
    Bloom bloom;

    damage_expect(!bloom_is_redis(value.data) && bloom_read(&bloom, value));
    for (uint32_t i = bloom.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&bloom);

        bloom_layer_ones(&layer, &damage_memory);
        bloom_layer_rate(&layer, &damage_memory);
    }
}

static void
summarize_redis(SketchBytes value)
{
    BloomRedis redis, layers;
    uint8_t *header;

    damage_expect(bloom_is_redis(value.data) && bloom_redis_read(&redis, value));
    layers = redis;
    for (uint32_t i = redis.layers; i > 0; i--) {
        BloomRedisLayer layer = bloom_redis_next(&layers);

        bloom_redis_ones(&layer, &damage_memory);
        bloom_redis_rate(&layer, &damage_memory);
    }
    header = damage_memory.scratch(bloom_redis_header_bytes(&redis), NULL);
    bloom_redis_write_header(redis, header);
    damage_slice(value, (size_t)(redis.bits - value.data), SIZE_MAX);
}

static void
add(SketchBytes value)
{
    SketchState state = damage_open(value, &bloom_ops);
    SketchError error;
    bool added;

    for (unsigned i = 0; i < 300; i += 50)
        if (bloom_is_redis(state.data))
            damage_expect(bloom_redis_add(&state, (SketchBytes){item.data, 1 + i % 4}, &added,
                                          &damage_memory, &error));
        else if (!bloom_add(state, damage_hash(i)))
            damage_expect(bloom_insert(&state, damage_hash(i), &damage_memory, &error));
    damage_result(state);
}

static void
intersect(SketchBytes a, SketchBytes b)
{
    SketchState state = damage_open(a, &bloom_ops);
    SketchError error;

    damage_expect(!bloom_is_redis(state.data) && !bloom_is_redis(b.data));
    damage_expect(bloom_intersect(&state, b, &damage_memory, &error));
    damage_result(state);
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(probe(value));
    TRY(probe(damage_pack(value)));
    TRY(probe_out_of_line(value));
    TRY(summarize(damage_pack(value)));
    TRY(summarize_redis(damage_pack(value)));
    TRY(add(value));
    TRY(intersect(value, good));
    TRY(intersect(good, value));
}

static const DamageType bloom = {.ops = &bloom_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(bloom)
