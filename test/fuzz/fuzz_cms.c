/*
 * fuzz_cms.c - what must hold of any Count-Min sketch that was validated, and of two.
 */
#include "fuzz.h"

#include "core/cms/cms.h"

static void
fuzz_cms_ask(SketchBytes packed, SketchBytes working)
{
    fuzz_check(cms_total(packed) == cms_total(working), "two totals");
    fuzz_check(cms_error(packed) == cms_error(working), "two bounds");
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t count = cms_query(packed, hash);

        fuzz_check(count == cms_query(working, hash), "two estimates of one item");
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

    cms_shape_of_size(1 + (int64_t)random_below(random, 30), 1 + (int64_t)random_below(random, 3),
                      &shape, &error);
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
