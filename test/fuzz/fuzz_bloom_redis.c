/*
 * fuzz_bloom_redis.c - Bloom filters of RedisBloom: payloads of DUMP, headers and chunks of
 * SCANDUMP.
 *
 * The first byte of an input says which: even for DUMP.
 */
#include "fuzz.h"

#include <math.h>

#include "core/bloom/redis.h"

#include "../unit/redis_tdigest.h"

#define ITEMS 20
#define GROWN_MAX (UINT64_C(1) << 24) /* bits of a layer that may be added */
#define MODULE UINT64_C(0x3016e5a289bef804)

static SketchBytes
item(unsigned n)
{
    static char text[8];

    text[0] = (char)('a' + n);
    return (SketchBytes){(const uint8_t *)text, 1 + n % 3};
}

static BloomRedis
read_redis(SketchBytes value)
{
    BloomRedis redis;

    fuzz_check(bloom_redis_read(&redis, value), "validated, but cannot be read");
    return redis;
}

/* Given back and taken again it is the same, by either way in. */
static void
check_back(SketchBytes value)
{
    BloomRedis redis = read_redis(value);
    size_t size = bloom_redis_header_bytes(&redis);
    uint8_t *header = malloc(size);
    SketchBytes again, body = {redis.bits, value.size - (size_t)(redis.bits - value.data)};
    SketchError error = {.status = SKETCH_OK};

    bloom_redis_write_header(redis, header);
    fuzz_check(
        bloom_redis_from_scandump((SketchBytes){header, size}, body, &memory, &again, &error),
        "what was given is refused");
    fuzz_check(same_bytes(again.data, again.size, value.data, value.size), "back as another value");
    release_bytes(again);
    fuzz_check(bloom_ops.validate(value, &memory, &again, &error), "a good value is refused");
    fuzz_check(same_bytes(again.data, again.size, value.data, value.size), "validated otherwise");
    release_bytes(again);
    free(header);
}

static void
check_adding(SketchBytes value)
{
    SketchState state = bloom_ops.open(value, &memory);
    SketchError error = {.status = SKETCH_OK};
    BloomRedis redis = read_redis(value);
    BloomRedisLayer last = {0};
    SketchBytes packed;
    double growth = redis.growth > 0 ? redis.growth : 1;

    for (uint32_t i = redis.layers; i > 0; i--)
        last = bloom_redis_next(&redis);
    for (unsigned n = 0; n < ITEMS; n++) {
        uint8_t *before = state.data;
        bool added;

        if (last.items + n >= last.capacity &&
            !((double)last.capacity * growth * growth * last.bits_per_entry * 2 <
              (double)GROWN_MAX))
            break;
        if (!bloom_redis_add(&state, item(n), &added, &memory, &error)) {
            fuzz_check_refusal(error);
            break;
        }
        fuzz_check(bloom_redis_contains(sketch_bytes(state), item(n), &memory),
                   "an added item is not there");
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = bloom_ops.pack(sketch_bytes(state), &memory);
    check_back(packed);
    for (unsigned n = 0; n < ITEMS; n++)
        fuzz_check(bloom_redis_contains(packed, item(n), &memory) >=
                       bloom_redis_contains(value, item(n), &memory),
                   "adding lost an answer");
    release_bytes(packed);
    release_state(state);
}

static void
check_union(SketchBytes value)
{
    SketchState state = bloom_ops.open(value, &memory);
    SketchError error = {.status = SKETCH_OK};

    if (merge_into(&bloom_ops, &state, value, &error)) {
        SketchBytes packed = bloom_ops.pack(sketch_bytes(state), &memory);

        check_back(packed);
        for (unsigned n = 0; n < ITEMS; n++)
            fuzz_check(bloom_redis_contains(packed, item(n), &memory) >=
                           bloom_redis_contains(value, item(n), &memory),
                       "a union lost an answer");
        release_bytes(packed);
    } else
        fuzz_check_refusal(error);
    release_state(state);
}

static void
fuzz_bloom_redis_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes rest = {input.data + 1, input.size - 1}, value;
    BloomRedis redis;
    bool good;

    if (input.size < 2)
        return;
    if (input.data[0] % 2 == 0)
        good = bloom_redis_from_dump(rest, &memory, &value, &error);
    else {
        size_t front =
            rest.size < 20 ? rest.size : 20 + load_le32(rest.data + 8) % 300 * (size_t)53;

        front = front < rest.size ? front : rest.size;
        good = bloom_redis_from_scandump((SketchBytes){rest.data, front},
                                         (SketchBytes){rest.data + front, rest.size - front},
                                         &memory, &value, &error);
    }
    if (!good) {
        fuzz_check_refusal(error);
        return;
    }
    redis = read_redis(value);
    for (uint32_t i = redis.layers; i > 0; i--) {
        BloomRedisLayer layer = bloom_redis_next(&redis);
        double rate = bloom_redis_rate(&layer, &memory);

        fuzz_check(rate >= 0 && rate <= 1, "a rate");
    }
    check_back(value);
    check_adding(value);
    check_union(value);
    release_bytes(value);
}

/* A genuine filter, possibly grown, by either way. */
static size_t
fuzz_bloom_redis_seed(Random *random, uint8_t *buffer)
{
    BloomRedisLayer layer = bloom_redis_plan(1 + random_below(random, 30), 0.01);
    uint8_t header[20 + 53] = {0}, *out = buffer;
    SketchState state;
    SketchBytes value;
    SketchError error;
    BloomRedis redis;
    size_t size;

    store_le32(header + 8, 1);
    store_le32(header + 12, random_below(random, 4) ? 5 : 13);
    store_le32(header + 16, (uint32_t)random_below(random, 5));
    store_le64(header + 20, layer.bytes);
    store_le64(header + 28, 8 * layer.bytes);
    store_le_double(header + 44, layer.error);
    store_le_double(header + 52, layer.bits_per_entry);
    store_le32(header + 60, layer.hashes);
    store_le64(header + 64, layer.capacity);
    {
        uint8_t *zero = calloc(1, layer.bytes);

        fuzz_check(bloom_redis_from_scandump((SketchBytes){header, sizeof header},
                                             (SketchBytes){zero, layer.bytes}, &memory, &value,
                                             &error),
                   "a genuine filter is refused");
        free(zero);
    }
    state = bloom_ops.open(value, &memory);
    for (uint64_t n = random_below(random, 60); n > 0; n--) {
        uint8_t *before = state.data;
        uint64_t text = random_next(random);
        bool added;

        if (!bloom_redis_add(&state, (SketchBytes){(uint8_t *)&text, sizeof text}, &added, &memory,
                             &error))
            break;
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    redis = read_redis(sketch_bytes(state));
    *out++ = (uint8_t)random_below(random, 2);
    if (buffer[0] == 1) {
        size_t body = state.size - (size_t)(redis.bits - state.data);

        bloom_redis_write_header(redis, out);
        out += bloom_redis_header_bytes(&redis);
        memcpy(out, redis.bits, body);
        size = (size_t)(out - buffer) + body;
    } else {
        Payload p = {out, 0};

        payload_module(&p, MODULE);
        payload_signed(&p, (int64_t)redis.items);
        payload_signed(&p, redis.layers);
        payload_signed(&p, redis.options);
        payload_signed(&p, redis.growth);
        for (uint32_t i = redis.layers; i > 0; i--) {
            BloomRedisLayer here = bloom_redis_next(&redis);

            payload_signed(&p, (int64_t)here.capacity);
            payload_double(&p, here.error);
            payload_signed(&p, here.hashes);
            payload_double(&p, here.bits_per_entry);
            payload_signed(&p, (int64_t)(8 * here.bytes));
            payload_signed(&p, (int64_t)here.n2);
            payload_u8(&p, 5);
            payload_length(&p, here.bytes, 32);
            payload_bytes(&p, here.bits, here.bytes);
            payload_signed(&p, (int64_t)here.items);
        }
        payload_u8(&p, 0);
        payload_finish(&p);
        size = p.size + 1;
    }
    release_state(state);
    release_bytes(value);
    return size;
}

static void
fuzz_bloom_redis_repair(uint8_t *data, size_t size)
{
    if (size > 12 && data[0] % 2 == 0)
        payload_seal(data + 1, size - 1);
}

static const FuzzMode bloom_redis = {.number = 15,
                                     .name = "bloom of Redis",
                                     .read = fuzz_bloom_redis_read,
                                     .seed = fuzz_bloom_redis_seed,
                                     .repair = fuzz_bloom_redis_repair};

FUZZ_MODE(bloom_redis)
