/*
 * fuzz_topk.c - what must hold of any sketch of heavy hitters that was validated.
 */
#include "fuzz.h"

#include "core/topk/topk.h"

static void
fuzz_topk_ask(SketchBytes packed, SketchBytes working)
{
    TopkHeader header = topk_header(packed), other = topk_header(working);
    SketchBytes half;
    Topk topk;

    fuzz_check(header.k == other.k && header.total == other.total &&
                   header.error_bound == other.error_bound,
               "two headers");
    if (!topk_read(&topk, packed, &memory)) {
        fuzz_check(false, "what was validated cannot be read");
        return;
    }
    for (uint32_t i = 0; i < topk.header.counters; i++) {
        const TopkCounter *c = &topk.counters[i];

        fuzz_check(i == 0 || c->count <= c[-1].count, "counts rise");
        fuzz_check(c->error <= header.error_bound, "an error above the error bound");
        fuzz_check(c->count <= header.total, "a count above the total");
        fuzz_check(topk_find(&topk, c->item) == i, "an item is elsewhere");
    }
    topk_close(&topk, &memory);
    half = topk_decay(packed, 0.5, &memory);
    fuzz_check(half.data && topk_header(half).total <= header.total, "decay adds");
    release_bytes(half);
}

/* The union's bounds have room for what either of two is sure of. */
static void
fuzz_topk_ask_two(SketchBytes a, SketchBytes b)
{
    SketchState state = topk_ops.open(a, &memory), before = state;
    SketchError error;
    SketchBytes both;
    Topk one, together;

    if (topk_ops.merge(&state, b, &memory, &error)) {
        if (state.data != before.data)
            release_state(before);
        both = topk_ops.pack(sketch_bytes(state), &memory);
        fuzz_check(topk_read(&one, a, &memory) && topk_read(&together, both, &memory),
                   "a union cannot be read");
        for (uint32_t i = 0; i < one.header.counters; i++) {
            uint32_t at = topk_find(&together, one.counters[i].item);
            uint64_t upper = at < together.header.counters
                                 ? together.counters[at].count + together.counters[at].error
                                 : together.header.error_bound;

            fuzz_check(one.counters[i].count <= upper, "a union is below what was counted");
        }
        topk_close(&one, &memory);
        topk_close(&together, &memory);
        release_bytes(both);
    }
    release_state(state);
}

static size_t
fuzz_topk_seed(Random *random, uint8_t *buffer)
{
    TopkType type = random_below(random, 2) ? TOPK_BIGINT : TOPK_TEXT;
    SketchState state = topk_new(1 + (uint32_t)random_below(random, 5), TOPK_NONE, &memory);
    unsigned items = (unsigned)random_below(random, random_below(random, 3) ? 20 : 3000);
    SketchBytes packed;
    SketchError error;
    size_t size;

    for (unsigned i = 0; i < items; i++) {
        uint64_t number = random_below(random, 1 + random_below(random, 4000));
        TopkItem item = type == TOPK_BIGINT
                            ? topk_number((int64_t)number)
                            : topk_text((const uint8_t *)&number, (uint32_t)(number % 5));
        SketchState before = state;

        if (!topk_insert(&state, item, 1 + random_below(random, 3), &memory, &error))
            break;
        if (state.data != before.data)
            release_state(before);
    }
    packed = topk_ops.pack(sketch_bytes(state), &memory);
    size = packed.size;
    memcpy(buffer, packed.data, size);
    release_bytes(packed);
    release_state(state);
    return size;
}

static const FuzzMode topk = {.number = 14,
                              .name = "topk",
                              .ops = &topk_ops,
                              .ask = fuzz_topk_ask,
                              .ask_two = fuzz_topk_ask_two,
                              .seed = fuzz_topk_seed};

FUZZ_MODE(topk)
