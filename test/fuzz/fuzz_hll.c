/*
 * fuzz_hll.c - every question to an hll, and strings of Redis's.
 */
#include "fuzz.h"

#include <math.h>

#include "core/hll/hll.h"

/* Reducing by two steps and by one, from either encoding. */
static void
check_reduce(SketchBytes packed, unsigned precision)
{
    SketchBytes result[2];

    for (unsigned i = 0; i < 2; i++) {
        SketchState state = hll_ops.open(packed, &memory);

        for (unsigned step = i; step < 2; step++) {
            uint8_t *before = state.data;

            hll_reduce(&state, step == 0 ? (precision + 18) / 2 : precision, &memory);
            if (state.data != before)
                memory_release_value(before, NULL);
        }
        result[i] = hll_ops.pack(sketch_bytes(state), &memory);
        release_state(state);
    }
    fuzz_check(same_bytes(result[0].data, result[0].size, result[1].data, result[1].size),
               "reducing in two steps differs from one");
    if (precision < hll_header(packed).precision)
        fuzz_check(hll_header(result[0]).precision == precision, "reduced to another precision");
    for (unsigned i = 0; i < 2; i++) {
        SketchError error;
        SketchBytes validated;

        fuzz_check(hll_ops.validate(result[i], &memory, &validated, &error),
                   "a reduced value is refused");
        release_bytes(validated);
        release_bytes(result[i]);
    }
}

/* Writing it for Redis and reading that gives it back, or there is a reason not to. */
static void
check_redis(SketchBytes packed)
{
    HllHeader h = hll_header(packed);
    SketchError error = {.status = SKETCH_OK};
    SketchBytes string, again;
    bool good = hll_to_redis(packed, &memory, &string, &error);

    fuzz_check(good == (h.hash == SKETCH_HASH_REDIS && h.precision == HLL_PRECISION_REDIS),
               "written for Redis or not");
    if (!good) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(hll_from_redis(string, &memory, &again, &error), "Redis's string is refused");
    fuzz_check(same_bytes(again.data, again.size, packed.data, packed.size),
               "to Redis and back is another value");
    release_bytes(again);
    memory_release((void *)string.data, NULL);
}

/* To postgresql-hll and back are the same registers, where each has room for the highest rank. */
static void
check_postgresql_hll(SketchBytes packed)
{
    SketchError error = {.status = SKETCH_OK};
    unsigned highest = 64 - hll_header(packed).precision;
    size_t m = (size_t)1 << hll_header(packed).precision;
    uint8_t *registers, *read;
    SketchBytes there, back;

    if (!hll_to_postgresql_hll(packed, 6, -1, packed.data[packed.size - 1] & 1, &memory, &there,
                               &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(hll_from_postgresql_hll(there, &memory, &back, &error), "written, but not read");
    registers = hll_registers(packed, &memory);
    read = hll_registers(back, &memory);
    for (size_t i = 0; i < m; i++)
        fuzz_check(read[i] == (registers[i] <= highest ? registers[i] : 0), "another register");
    memory_release(registers, NULL);
    memory_release(read, NULL);
    memory_release((void *)there.data, NULL);
    release_bytes(back);
}

static void
check_datasketches(SketchBytes packed)
{
    unsigned bits = 4 + 2 * (packed.data[packed.size - 1] % 3u);
    SketchError error = {.status = SKETCH_OK};
    uint8_t *registers, *read;
    SketchBytes there, back;

    if (!hll_to_datasketches(packed, bits, &memory, &there, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(hll_from_datasketches(there, &memory, &back, &error), "written, but not read");
    registers = hll_registers(packed, &memory);
    read = hll_registers(back, &memory);
    fuzz_check(memcmp(registers, read, (size_t)1 << hll_header(packed).precision) == 0,
               "other registers come back");
    memory_release(registers, NULL);
    memory_release(read, NULL);
    memory_release((void *)there.data, NULL);
    release_bytes(back);
}

static void
check_registers(SketchBytes packed, SketchBytes working)
{
    HllHeader h = hll_header(packed);
    uint8_t *one = hll_registers(packed, &memory), *other = hll_registers(working, &memory);

    fuzz_check(one && other && memcmp(one, other, (size_t)1 << h.precision) == 0,
               "working registers differ from packed ones");
    for (uint32_t i = 0; i < UINT32_C(1) << h.precision; i++)
        fuzz_check((unsigned)one[i] >> hll_history(h.hash) <=
                       (h.hash == SKETCH_HASH_DATASKETCHES ? 63 : 65 - h.precision),
                   "an impossible rank");
    memory_release(one, NULL);
    memory_release(other, NULL);
}

static void
fuzz_hll_ask(SketchBytes packed, SketchBytes working)
{
    uint64_t n = hll_cardinality(packed, &memory);
    double error = hll_relative_error(packed, &memory);
    SketchState state = hll_ops.open(packed, &memory);
    uint8_t *before = state.data;

    fuzz_check(n <= INT64_MAX && n == hll_cardinality(working, &memory), "cardinality");
    fuzz_check(error >= 0 && error < 1e6, "relative error");
    hll_insert(&state, mix64(n), &memory);
    fuzz_check(hll_cardinality(sketch_bytes(state), &memory) > 0, "an item is in it");
    if (state.data != before)
        memory_release_value(before, NULL);
    release_state(state);
    check_registers(packed, working);
    check_reduce(packed, HLL_PRECISION_MIN + packed.data[packed.size - 1] % 15);
    check_redis(packed);
    check_postgresql_hll(packed);
    check_datasketches(packed);
}

static void
fuzz_hll_ask_two(SketchBytes a, SketchBytes b)
{
    SketchError error;
    HllJoint joint;

    /* The union of an empty sketch has no hash function to agree on. */
    if (sketch_hash(a.data) != sketch_hash(b.data))
        return;
    fuzz_check(hll_joint(a, b, &memory, &joint, &error), "not comparable");
    fuzz_check(joint.only_a >= 0 && joint.only_b >= 0 && joint.both >= 0, "a joint estimate");
    for (unsigned i = 0; i < 2; i++) {
        double size = (double)hll_cardinality(i ? b : a, &memory);

        fuzz_check(joint.both <= size * (1 + 1e-9) + 0.5, "more in both than in one");
    }
}

/* Small sketches mostly, now and then a large one. */
static SketchBytes
random_sketch(Random *random, SketchHash hash, unsigned precision)
{
    uint64_t items = random_below(random, (UINT64_C(1) << precision) / 2 + 30);
    uint64_t first = random_below(random, 1000);
    SketchState state = hll_new(hash, precision, &memory);
    SketchBytes packed;

    if (random_below(random, 3) == 0)
        items %= 40;
    for (uint64_t i = 0; i < items; i++) {
        uint8_t *before = state.data;

        hll_insert(&state, mix64(first + i), &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

/* Registers no set of items gives, though each might be. */
static SketchBytes
crafted_sketch(Random *random, SketchHash hash, unsigned precision)
{
    const unsigned history = hll_history(hash);
    size_t m = (size_t)1 << precision;
    uint8_t *registers = malloc(m);
    unsigned low = (unsigned)random_below(random, 65 - precision);
    unsigned range = 1 + (unsigned)random_below(random, 66 - precision - low);
    uint64_t rare = 1 + random_below(random, 2 * m);
    SketchBytes packed;

    for (size_t i = 0; i < m; i++) {
        registers[i] = hll_register_empty(history);
        if (random_below(random, 2 * m) < rare)
            for (unsigned ranks = 0; ranks <= history; ranks++) {
                unsigned rank = low + (unsigned)random_below(random, range);

                if (rank > 0)
                    hll_register_add(&registers[i], rank, history);
            }
    }
    packed = hll_from_registers(registers, hash, precision, &memory);
    free(registers);
    return packed;
}

static size_t
move_to(SketchBytes value, uint8_t *buffer)
{
    memcpy(buffer, value.data, value.size);
    release_bytes(value);
    return value.size;
}

static size_t
fuzz_hll_seed(Random *random, uint8_t *buffer)
{
    SketchHash hash = random_below(random, 3) ? SKETCH_HASH_XXH3 : 1 + random_below(random, 3);
    unsigned most = random_below(random, 16) ? 7 : hash == SKETCH_HASH_REDIS ? 14 : 18;
    unsigned precision = 4 + (unsigned)random_below(random, most - 3);

    return move_to(random_below(random, 4) ? random_sketch(random, hash, precision)
                                           : crafted_sketch(random, hash, precision),
                   buffer);
}

static const FuzzMode hll = {.number = 0,
                             .name = "hll",
                             .ops = &hll_ops,
                             .sets = true,
                             .ask = fuzz_hll_ask,
                             .ask_two = fuzz_hll_ask_two,
                             .seed = fuzz_hll_seed};

FUZZ_MODE(hll)

static void
fuzz_hyll_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    if (!hll_from_redis(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&hll, value);
    release_bytes(value);
}

static size_t
fuzz_hyll_seed(Random *random, uint8_t *buffer)
{
    SketchBytes value = random_below(random, 4)
                            ? random_sketch(random, SKETCH_HASH_REDIS, HLL_PRECISION_REDIS)
                            : crafted_sketch(random, SKETCH_HASH_REDIS, HLL_PRECISION_REDIS);
    SketchBytes string;
    SketchError error;
    size_t size;

    fuzz_check(hll_to_redis(value, &memory, &string, &error), "not written for Redis");
    release_bytes(value);
    if (random_below(random, 3) == 0)
        size = fuzz_payload(random, string.data, string.size, buffer);
    else
        memcpy(buffer, string.data, size = string.size);
    memory_release((void *)string.data, NULL);
    return size;
}

static const FuzzMode hyll = {.number = 1,
                              .name = "HYLL string",
                              .read = fuzz_hyll_read,
                              .seed = fuzz_hyll_seed,
                              .repair = fuzz_payload_repair};

FUZZ_MODE(hyll)

static void
fuzz_postgresql_hll_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    if (!hll_from_postgresql_hll(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&hll, value);
    release_bytes(value);
}

/* Written by us, or explicit. */
static size_t
fuzz_postgresql_hll_seed(Random *random, uint8_t *buffer)
{
    unsigned precision = 4 + (unsigned)random_below(random, random_below(random, 16) ? 6 : 14);
    SketchBytes value, bytes;
    SketchError error;
    size_t size = 3;

    if (random_below(random, 3) == 0) {
        memcpy(buffer, (uint8_t[]){0x12, (uint8_t)(0x80 | precision), 0x7f}, 3);
        for (unsigned hashes = (unsigned)random_below(random, 50); hashes > 0; hashes--)
            for (unsigned byte = 0; byte < 8; byte++)
                buffer[size++] =
                    (uint8_t)(byte == 0 ? 0x80 + 5 * (50 - hashes) : random_below(random, 256));
        return size;
    }
    value = random_below(random, 4) ? random_sketch(random, SKETCH_HASH_POSTGRESQL_HLL, precision)
                                    : crafted_sketch(random, SKETCH_HASH_POSTGRESQL_HLL, precision);
    fuzz_check(hll_to_postgresql_hll(value, 4 + (unsigned)random_below(random, 5), 0,
                                     random_below(random, 2), &memory, &bytes, &error),
               "not written");
    release_bytes(value);
    memcpy(buffer, bytes.data, size = bytes.size);
    memory_release((void *)bytes.data, NULL);
    return size;
}

static const FuzzMode postgresql_hll = {.number = 50,
                                        .name = "value of postgresql-hll",
                                        .read = fuzz_postgresql_hll_read,
                                        .seed = fuzz_postgresql_hll_seed};

FUZZ_MODE(postgresql_hll)

static void
fuzz_datasketches_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    if (!hll_from_datasketches(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_value(&hll, value);
    release_bytes(value);
}

static size_t
fuzz_datasketches_seed(Random *random, uint8_t *buffer)
{
    unsigned precision = 4 + (unsigned)random_below(random, random_below(random, 16) ? 7 : 12);
    SketchBytes value = random_below(random, 4)
                            ? random_sketch(random, SKETCH_HASH_DATASKETCHES, precision)
                            : crafted_sketch(random, SKETCH_HASH_DATASKETCHES, precision);
    SketchBytes bytes;
    SketchError error;
    size_t size;

    fuzz_check(hll_to_datasketches(value, 4 + 2 * (unsigned)random_below(random, 3), &memory,
                                   &bytes, &error),
               "not written");
    release_bytes(value);
    memcpy(buffer, bytes.data, size = bytes.size);
    memory_release((void *)bytes.data, NULL);
    return size;
}

static const FuzzMode datasketches_hll = {.number = 51,
                                          .name = "HLL sketch of DataSketches",
                                          .read = fuzz_datasketches_read,
                                          .seed = fuzz_datasketches_seed};

FUZZ_MODE(datasketches_hll)
