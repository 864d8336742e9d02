/*
 * fuzz_topk.c - what must hold of any sketch of heavy hitters that was validated.
 */
#include "fuzz.h"

#include "core/common/redis_dump.h"
#include "core/topk/topk.h"

#include "../unit/redis_payload.h"

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

/* ---- other systems ---- */

static void
fuzz_redis_topk_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    TopkRedis list;

    if (!topk_read_redis(input, &memory, &list, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        uint8_t *copy = malloc(list.items[i].bytes.size);

        fuzz_check(list.items[i].bytes.size > 0, "an item of no bytes");
        memcpy(copy, list.items[i].bytes.data, list.items[i].bytes.size); /* all of it is there */
        free(copy);
        fuzz_check(i == 0 || list.items[i].count <= list.items[i - 1].count, "counts rise");
    }
    topk_redis_close(&list, &memory);
}

static size_t
fuzz_redis_topk_seed(Random *random, uint8_t *buffer)
{
    static const double decay = 0.9;
    uint32_t k = 1 + (uint32_t)random_below(random, 4),
             width = 1 + (uint32_t)random_below(random, 9);
    uint8_t bytes[8 * 10 * 3] = {0};
    Payload p = {buffer, 0};

    payload_module(&p, UINT64_C(0x4e8a4af9360f1000));
    payload_signed(&p, k);
    payload_signed(&p, width);
    payload_signed(&p, 3);
    payload_double(&p, decay);
    payload_field(&p, bytes, (size_t)8 * width * 3);
    for (uint32_t i = 0; i < k; i++)
        store_le32(bytes + 24 * i + 16, (uint32_t)random_next(random));
    payload_field(&p, bytes, (size_t)24 * k);
    for (uint32_t i = 0; i < k; i++)
        payload_field(&p, "item" + (i % 2 ? 0 : 4), i % 2 ? 5 : 1);
    payload_module_end(&p);
    return p.size;
}

static const FuzzMode redis_topk = {.number = 31,
                                    .name = "DUMP payload of a Top-K",
                                    .read = fuzz_redis_topk_read,
                                    .seed = fuzz_redis_topk_seed,
                                    .repair = fuzz_payload_repair};

FUZZ_MODE(redis_topk)

/* The first byte says of which type the items are, and k. */
static void
fuzz_datasketches_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    if (input.size < 1)
        return;
    if (!topk_from_datasketches((SketchBytes){input.data + 1, input.size - 1},
                                1 + input.data[0] / 2, input.data[0] % 2 ? TOPK_TEXT : TOPK_BIGINT,
                                &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&topk, value);
    release_bytes(value);
}

static size_t
fuzz_datasketches_seed(Random *random, uint8_t *buffer)
{
    bool text = random_below(random, 2);
    uint32_t count = 1 + (uint32_t)random_below(random, 20);
    uint64_t offset = random_below(random, 3), total = offset;
    uint8_t *at = buffer + 1 + 32;

    for (uint32_t i = 0; i < count; i++, at += 8) {
        uint64_t number = 1 + random_below(random, 9);

        store_le64(at, number);
        total += number;
    }
    for (uint32_t i = 0; i < count; i++)
        if (text) {
            store_le32(at, i);
            memset(at + 4, 'x', i);
            at += 4 + i;
        } else {
            store_le64(at, random_next(random));
            at += 8;
        }
    buffer[0] = (uint8_t)(text | 2 * random_below(random, 20));
    memcpy(buffer + 1, (const uint8_t[]){4, 1, 10, 5, 5, 0, 0, 0}, 8);
    store_le64(buffer + 1 + 8, count);
    store_le64(buffer + 1 + 16, total);
    store_le64(buffer + 1 + 24, offset);
    return (size_t)(at - buffer);
}

static const FuzzMode datasketches = {.number = 32,
                                      .name = "DataSketches' frequent items",
                                      .read = fuzz_datasketches_read,
                                      .seed = fuzz_datasketches_seed};

FUZZ_MODE(datasketches)
