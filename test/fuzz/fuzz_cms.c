/*
 * fuzz_cms.c - what must hold of any Count-Min sketch that was validated, and of two.
 */
#include "fuzz.h"

#include "core/cms/cms.h"

static void
fuzz_cms_ask(SketchBytes packed, SketchBytes working)
{
    fuzz_check(cms_total(packed) == cms_total(working), "two totals");
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t count = cms_query(packed, hash);

        fuzz_check(count <= cms_total(packed), "an estimate above the total");
    }
}

static void
fuzz_cms_ask_two(SketchBytes a, SketchBytes b)
{
    uint64_t one, other;
    SketchError error;
    bool good = cms_inner_product(a, b, &memory, &one, &error);

    fuzz_check(good == cms_inner_product(b, a, &memory, &other, &error), "a product one way only");
    fuzz_check(!good || one == other, "two products");
}

static size_t
fuzz_cms_seed(Random *random, uint8_t *buffer)
{
    CmsShape shape;
    SketchState state;
    SketchBytes packed;
    SketchError error;
    size_t size;
    unsigned items = (unsigned)random_below(random, random_below(random, 2) ? 8 : 60);

    /* Few shapes: those of two values have to be the same for a union. */
    cms_shape_of_size(1 + 14 * (int64_t)random_below(random, 3),
                      1 + (int64_t)random_below(random, 2), &shape, &error);
    state = cms_new(shape, &memory);
    for (unsigned i = 0; i < items; i++) {
        SketchState before = state;

        if (!cms_insert(&state, random_below(random, UINT64_MAX),
                        1 + random_below(random, UINT64_C(1) << random_below(random, 40)), &memory,
                        &error))
            break;
        if (state.data != before.data)
            release_state(before);
    }
    packed = cms_ops.pack(sketch_bytes(state), &memory);
    size = packed.size;
    memcpy(buffer, packed.data, size);
    release_bytes(packed);
    release_state(state);
    return size;
}

static const FuzzMode cms = {.number = 13,
                             .name = "cms",
                             .ops = &cms_ops,
                             .ask = fuzz_cms_ask,
                             .ask_two = fuzz_cms_ask_two,
                             .seed = fuzz_cms_seed};

FUZZ_MODE(cms)

/* ---- Redis ---- */

static void
fuzz_redis_cms_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value, payload, again, item = {(const uint8_t *)"item", 4};
    SketchState state;
    uint64_t count;

    if (!cms_from_redis(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&cms, value);
    count = cms_query_bytes(value, item, &memory);
    fuzz_check(count <= cms_total(value), "an estimate above the total");
    if (cms_to_redis(value, &memory, &payload, &error)) {
        fuzz_check(cms_from_redis(payload, &memory, &again, &error), "given back, but not taken");
        fuzz_check(again.size == value.size && memcmp(again.data, value.data, value.size) == 0,
                   "given back as another one");
        release_bytes(payload);
        release_bytes(again);
    }
    state = cms_ops.open(value, &memory);
    again = sketch_bytes(state);
    if (cms_insert_bytes(&state, item, 7, &memory, &error)) {
        fuzz_check(cms_query_bytes(sketch_bytes(state), item, &memory) == count + 7, "counted on");
        if (state.data != again.data)
            release_bytes(again);
    }
    release_state(state);
    release_bytes(value);
}

static size_t
fuzz_redis_cms_seed(Random *random, uint8_t *buffer)
{
    CmsShape shape = {1 + (uint32_t)random_below(random, 30), 1 + (uint32_t)random_below(random, 4),
                      SKETCH_HASH_REDIS};
    SketchState state = cms_new(shape, &memory);
    SketchBytes payload, packed;
    SketchError error;
    size_t size;

    for (unsigned i = 0; i < 20; i++) {
        uint64_t number = random_next(random);
        SketchBytes item = {(const uint8_t *)&number, 1 + i % 8};

        cms_insert_bytes(&state, item, 1 + random_below(random, 1000), &memory, &error);
    }
    packed = cms_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(cms_to_redis(packed, &memory, &payload, &error), "no payload");
    size = payload.size;
    memcpy(buffer, payload.data, size);
    release_bytes(payload);
    release_bytes(packed);
    release_state(state);
    return size;
}

static const FuzzMode redis_cms = {.number = 30,
                                   .name = "DUMP payload of a Count-Min sketch",
                                   .read = fuzz_redis_cms_read,
                                   .seed = fuzz_redis_cms_seed,
                                   .repair = fuzz_payload_repair};

FUZZ_MODE(redis_cms)
