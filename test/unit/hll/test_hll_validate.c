/*
 * test_hll_validate.c - the door: every truncation, every flipped bit, every wrong number.
 *
 * Bytes are either refused with a reason, or validated as the value they are: the same bytes but
 * for the estimate, which is computed anew.
 */
#include "../check.h"
#include "../memory.h"
#include "core/hll/hll_internal.h"

static SketchError error;

typedef struct Shape {
    const char *name;
    SketchHash hash;
    unsigned precision;
    unsigned items;
    unsigned stride; /* every how many bits is one flipped */
} Shape;

static const Shape shapes[] = {
    {"empty", SKETCH_HASH_XXH3, 14, 0, 1},
    {"one", SKETCH_HASH_XXH3, 18, 1, 1},
    {"few", SKETCH_HASH_XXH3, 14, 10, 1},
    {"full sparse, precision 4", SKETCH_HASH_XXH3, 4, 12, 1},
    {"full sparse, precision 10", SKETCH_HASH_XXH3, 10, 204, 1},
    {"full sparse, precision 14", SKETCH_HASH_XXH3, 14, 3276, 61},
    {"dense, precision 4", SKETCH_HASH_XXH3, 4, 20, 1},
    {"dense, precision 9", SKETCH_HASH_XXH3, 9, 5000, 1},
    {"dense, precision 14", SKETCH_HASH_XXH3, 14, 100000, 211},
    {"dense, precision 18", SKETCH_HASH_XXH3, 18, 60000, 40009},
    {"Redis, few", SKETCH_HASH_REDIS, 14, 10, 1},
    {"Redis, precision 4", SKETCH_HASH_REDIS, 4, 12, 1},
    {"Redis, dense, precision 5", SKETCH_HASH_REDIS, 5, 60, 1},
    {"Redis, dense, precision 14", SKETCH_HASH_REDIS, 14, 20000, 211},
    {"postgresql-hll, empty", SKETCH_HASH_POSTGRESQL_HLL, 11, 0, 1},
    {"postgresql-hll, few", SKETCH_HASH_POSTGRESQL_HLL, 11, 10, 1},
    {"postgresql-hll, registers", SKETCH_HASH_POSTGRESQL_HLL, 11, 3000, 13},
    {"DataSketches, few", SKETCH_HASH_DATASKETCHES, 12, 10, 1},
    {"DataSketches, registers", SKETCH_HASH_DATASKETCHES, 12, 3000, 29},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = hll_new(shape->hash, shape->precision, &memory);
    SketchBytes packed;

    for (uint64_t i = 0; i < shape->items; i++) {
        uint8_t *before = state.data;

        hll_insert_token(&state, hll_token(mix64(i + 77)), &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

/* Validates from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
validate(const uint8_t *data, size_t size, SketchBytes *value)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = hll_ops.validate((SketchBytes){exact.data, exact.size}, &memory, value, &error);
    free(exact.data);
    if (good)
        expect(memory_used.pieces == before + 1, "more memory kept than the value");
    else
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before,
               "refused without a reason, or with memory kept");
    return good;
}

/* Returns true if bytes are refused or validated as what they are, with a correct estimate. */
static bool
refused_or_itself(const uint8_t *data, size_t size)
{
    SketchBytes value, packed;
    SketchState state;
    bool same;

    if (!validate(data, size, &value))
        return true;
    state = hll_ops.open(value, &memory);
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    same = value.size == size && memcmp(value.data, data, 8) == 0 &&
           memcmp(value.data + 16, data + 16, size - 16) == 0 &&
           same_bytes(packed.data, packed.size, value.data, value.size) &&
           hll_cardinality(sketch_bytes(state), &memory) == hll_cardinality(value, &memory);
    release_bytes(packed);
    release_state(state);
    release_bytes(value);
    return same;
}

static void
test_good(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]), validated;
        bool good = validate(value.data, value.size, &validated);

        expect(good && same_bytes(value.data, value.size, validated.data, validated.size), "%s",
               shapes[i].name);
        if (good)
            release_bytes(validated);
        release_bytes(value);
    }
    conclude("good values come through unchanged");
}

static void
test_cut(const Shape *shape)
{
    SketchBytes value = value_of(shape), validated;
    uint8_t *longer = malloc(value.size + 8);

    for (size_t size = 0; size<value.size; size += shape->stride> 1 && size > 50 ? 37 : 1)
        expect(!validate(value.data, size, &validated), "%s cut at %zu", shape->name, size);
    for (unsigned fill = 0; fill < 256; fill += 85) {
        memcpy(longer, value.data, value.size);
        memset(longer + value.size, (int)fill, 8);
        for (size_t more = 1; more <= 8; more++)
            expect(!validate(longer, value.size + more, &validated), "%s and %zu bytes",
                   shape->name, more);
    }
    free(longer);
    release_bytes(value);
}

static void
test_flips(const Shape *shape)
{
    SketchBytes value = value_of(shape);
    Bytes changed = bytes_copy(value.data, value.size);

    for (size_t bit = 0; bit < 8 * value.size;
         bit += bit < 400 ? 1 : shape->stride + 6 * (sample() - 1)) {
        changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        expect(refused_or_itself(changed.data, changed.size), "%s: bit %zu", shape->name, bit);
        if (bit / 8 >= 8 && bit / 8 < 16) {
            SketchBytes repaired;
            bool good = validate(changed.data, changed.size, &repaired);

            expect(good && same_bytes(repaired.data, repaired.size, value.data, value.size),
                   "%s: the estimate is not repaired", shape->name);
            if (good)
                release_bytes(repaired);
        }
        changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(changed.data);
    release_bytes(value);
}

/* A value with one byte of its header replaced. */
static bool
header_refused(const Shape *shape, unsigned byte, unsigned to)
{
    SketchBytes value = value_of(shape), validated;
    Bytes changed = bytes_copy(value.data, value.size);
    bool good;

    changed.data[byte] = (uint8_t)to;
    good = validate(changed.data, changed.size, &validated);
    if (good)
        release_bytes(validated);
    free(changed.data);
    release_bytes(value);
    return !good;
}

static void
test_header(const Shape *shape)
{
    static const bool has_encoding[][4] = {{1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 1, 1}, {1, 0, 1, 1}};

    for (unsigned to = 0; to < 256; to++) {
        expect(to == 1 || header_refused(shape, 0, to), "%s: kind %u", shape->name, to);
        expect(to == 1 || header_refused(shape, 1, to), "%s: version %u", shape->name, to);
        expect((to < 4 && has_encoding[shape->hash][to]) || header_refused(shape, 2, to),
               "%s: encoding %u", shape->name, to);
        expect(to <= 3 || header_refused(shape, 3, to), "%s: hash %u", shape->name, to);
        expect((to >= 4 && to <= 18) || header_refused(shape, 4, to), "%s: precision %u",
               shape->name, to);
        expect(shape->hash != SKETCH_HASH_REDIS || to <= 14 || header_refused(shape, 4, to),
               "%s: Redis, precision %u", shape->name, to);
    }
}

/* Numbers of the header are named in the error. */
static void
test_reasons(void)
{
    expect(header_refused(&shapes[2], 0, 9) && error.has_range && error.found == 9 &&
               error.low == 1,
           "kind");
    expect(header_refused(&shapes[2], 1, 2) && error.has_range && error.found == 2, "version");
    expect(header_refused(&shapes[2], 2, 7) && error.has_range && error.found == 7, "encoding");
    expect(header_refused(&shapes[2], 2, 2) && strstr(error.reason, "hash function"),
           "the encoding of a foreign hash function");
    expect(header_refused(&shapes[10], 2, 1) && strstr(error.reason, "hash function"), "of ours");
    expect(header_refused(&shapes[2], 3, 5) && error.has_range && error.found == 5, "hash");
    expect(header_refused(&shapes[2], 4, 19) && error.has_range && error.found == 19 &&
               error.low == 4 && error.high == 18,
           "precision");
    expect(header_refused(&shapes[10], 4, 15) && error.found == 15 && error.high == 14,
           "precision of Redis's");
    expect(header_refused(&shapes[2], 7, 255) && error.found == 0xff00 + 10 && error.high == 3276,
           "tokens");
    expect(header_refused(&shapes[6], 6, 1) && error.found == 1 && error.high == 0,
           "tokens of a dense one");
    conclude("errors name what was found and what is allowed");
}

/* A sparse value made of these tokens, ascending or not; the oracle of what write makes. */
static bool
tokens_validated(const uint32_t *tokens, uint32_t count, SketchHash hash, unsigned precision)
{
    uint8_t data[4096] = {1, 1, hll_first_encoding(hash), (uint8_t)hash, (uint8_t)precision};
    unsigned bits = hll_index_bits(data[2], precision);
    size_t size = 16 + hll_sparse_size(tokens, count, bits);
    SketchBytes value;
    bool good;

    store_le16(data + 6, (uint16_t)count);
    hll_sparse_write(tokens, count, bits, data + 16);
    good = validate(data, size, &value);
    if (good) {
        expect(same_bytes(value.data + 16, value.size - 16, data + 16, size - 16), "other bytes");
        release_bytes(value);
    }
    return good;
}

static void
test_tokens(void)
{
    const uint32_t last = (UINT32_C(1) << 26) - 1;
    uint32_t many[13];

    expect(tokens_validated((uint32_t[]){0 << 6 | 1}, 1, 0, 14), "the first, rank 1");
    expect(tokens_validated((uint32_t[]){last << 6 | 39}, 1, 0, 14), "the last, rank 39");
    expect(!tokens_validated((uint32_t[]){last << 6 | 40}, 1, 0, 14), "rank 40");
    expect(!tokens_validated((uint32_t[]){0 << 6 | 63}, 1, 0, 14), "rank 63");
    expect(tokens_validated((uint32_t[]){0 << 6 | 39, 1 << 6 | 39, last << 6 | 1}, 3, 0, 4), "3");
    expect(tokens_validated((uint32_t[]){16383 << 6 | 51}, 1, 1, 14), "Redis, rank 51");
    expect(!tokens_validated((uint32_t[]){16383 << 6 | 52}, 1, 1, 14), "Redis, rank 52");
    expect(!tokens_validated((uint32_t[]){16384 << 6 | 1}, 1, 1, 14), "Redis, index 16384");
    expect(!tokens_validated((uint32_t[]){5 << 6 | 1, 16384 << 6 | 1}, 2, 1, 14), "and another");
    expect(tokens_validated((uint32_t[]){15 << 6 | 61}, 1, 1, 4), "Redis, precision 4");
    expect(!tokens_validated((uint32_t[]){16 << 6 | 1}, 1, 1, 4), "Redis, 4, index 16");
    expect(tokens_validated((uint32_t[]){5 << 6 | 1, 5 << 6 | 2, 5 << 6 | 39}, 3, 0, 4),
           "three of an index");
    expect(!tokens_validated((uint32_t[]){5 << 6 | 2, 5 << 6 | 2}, 2, 0, 4), "a repetition");
    expect(!tokens_validated((uint32_t[]){5 << 6 | 2, 5 << 6 | 1}, 2, 0, 4), "descending");
    expect(!tokens_validated((uint32_t[]){5 << 6 | 1, 5 << 6 | 2}, 2, 1, 4), "Redis, two");
    for (uint32_t i = 0; i < 13; i++)
        many[i] = i << 6 | 3;
    expect(tokens_validated(many, 12, 0, 4) && tokens_validated(many, 12, 1, 4), "12");
    expect(!tokens_validated(many, 13, 0, 4) && !tokens_validated(many, 13, 1, 4), "13");
    conclude("tokens: index, rank and number at their bounds");
}

static bool
registers_validated(SketchHash hash, const uint8_t registers[16])
{
    unsigned history = hll_history(hash);
    uint8_t data[128] = {1, 1, hll_dense_encoding(hash), (uint8_t)hash, 4};
    HllDenseLayout layout;
    SketchBytes value;
    bool good;

    hll_dense_layout(registers, 4, hash, &layout);
    data[5] = (uint8_t)layout.base;
    hll_dense_write(registers, 4, history, &layout, data + 16);
    good = validate(data, 16 + layout.size, &value);
    if (good)
        release_bytes(value);
    return good;
}

/* Registers that no sketch which had to become dense has. */
static void
test_dense_that_is_sparse(void)
{
    uint8_t ranks[16] = {0}, registers[16];

    memset(registers, 3, sizeof registers);
    for (unsigned used = 0; used <= 16; used++) {
        expect(registers_validated(SKETCH_HASH_REDIS, ranks) == (used > 12), "Redis, %u", used);
        expect(registers_validated(SKETCH_HASH_XXH3, registers) == (used > 0), "XXH3, %u", used);
        if (used < 16) {
            ranks[used] = 2;
            registers[used] = 2 << 2 | 1;
        }
    }
    conclude("too few registers for a dense sketch");
}

/* Ranks below 1 count as seen; a register that says otherwise is none. */
static void
test_impossible_registers(void)
{
    static const bool possible[12] = {[3] = true, [7] = true, [9] = true, [11] = true};
    uint8_t registers[16];

    for (unsigned reg = 0; reg < 256; reg++)
        for (unsigned place = 0; place < 16; place++) {
            memset(registers, 4 << 2, sizeof registers);
            registers[place] = (uint8_t)reg;
            expect(registers_validated(SKETCH_HASH_XXH3, registers) ==
                       (reg < 12 ? possible[reg] : reg >> 2 <= 61),
                   "register %u at %u", reg, place);
        }
    conclude("registers that tell of ranks below 1 or above the highest are refused");
}

/* What other systems get of a value, as the system of its hash function; false if it is refused. */
static bool
exported(SketchBytes value)
{
    SketchBytes bytes;
    bool good = false;

    error.status = SKETCH_OK;
    if (value.data[3] == SKETCH_HASH_REDIS && hll_header(value).precision == HLL_PRECISION_REDIS)
        good = hll_to_redis(value, &memory, &bytes, &error);
    else if (value.data[3] == SKETCH_HASH_POSTGRESQL_HLL)
        good = hll_to_postgresql_hll(value, 5, -1, true, &memory, &bytes, &error);
    else if (value.data[3] == SKETCH_HASH_DATASKETCHES)
        good = hll_to_datasketches(value, 8, &memory, &bytes, &error);
    else
        error.status = SKETCH_DAMAGED;
    if (good)
        memory_release((void *)bytes.data, NULL);
    return good;
}

/* Packed bytes that storage damaged after they were validated: no crash, and it is said. */
static void
test_damaged(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]), packed;
        Bytes cut = bytes_copy(value.data, value.size > 40 ? value.size - 20 : 16);
        SketchBytes damaged = {cut.data, cut.size};
        SketchState state = value.size > 40 ? hll_ops.open(value, &memory) : (SketchState){NULL, 0};
        HllJoint joint;

        if (state.data) {
            Bytes before = bytes_copy(state.data, state.size);
            SketchState opened = hll_ops.open(damaged, &memory);

            packed = hll_ops.pack(damaged, &memory);
            expect(!opened.data && !packed.data && !hll_registers(damaged, &memory), "%s",
                   shapes[i].name);
            expect(!hll_ops.merge(&state, damaged, &memory, &error) &&
                       error.status == SKETCH_DAMAGED &&
                       same_bytes(before.data, before.size, state.data, state.size),
                   "%s: merged", shapes[i].name);
            expect(!hll_joint(value, damaged, &memory, &joint, &error) &&
                       error.status == SKETCH_DAMAGED &&
                       !hll_joint(damaged, value, &memory, &joint, &error) &&
                       error.status == SKETCH_DAMAGED,
                   "%s: compared", shapes[i].name);
            expect(!exported(damaged) && error.status == SKETCH_DAMAGED, "%s: exported",
                   shapes[i].name);
            free(before.data);
            release_state(state);
        }
        free(cut.data);
        release_bytes(value);
    }
    conclude("damaged values are told from good ones, and change nothing");
}

/* A value as the glue hands it on, aligned, with one byte set and perhaps too short. */
static void
expect_damaged(SketchBytes value, size_t byte, uint8_t set, size_t size, const char *name)
{
    uint8_t *data = memory.value(size, NULL);
    SketchBytes damaged = {data, size};

    memcpy(data, value.data, size);
    data[byte] = set;
    expect(!hll_ops.pack(damaged, &memory).data && !hll_ops.open(damaged, &memory).data &&
               !hll_registers(damaged, &memory) && hll_cardinality(damaged, &memory) == 0,
           "%s: byte %zu, %zu of %zu bytes", name, byte, size, value.size);
    release_bytes(damaged);
}

/* A flipped bit can make a stored value look like a working one. */
static void
test_damaged_working(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        SketchState state = hll_ops.open(value, &memory);
        SketchBytes working = sketch_bytes(state);

        expect_damaged(value, 2, value.data[2] | SKETCH_WORKING, value.size, shapes[i].name);
        expect_damaged(working, 1, STATE_VERSION - 1, working.size, shapes[i].name);
        if (hll_header(value).dense)
            expect_damaged(working, 1, STATE_VERSION, working.size - 1, shapes[i].name);
        release_state(state);
        release_bytes(value);
    }
    conclude("a working value of another version, or too short, is damaged");
}

int
main(void)
{
    test_good();
    for (size_t i = 0; i < SHAPES; i++)
        test_cut(&shapes[i]);
    conclude("cut or longer values are refused");
    for (size_t i = 0; i < SHAPES; i++)
        test_flips(&shapes[i]);
    conclude("a flipped bit is refused, or makes another canonical value");
    for (size_t i = 0; i < SHAPES; i++)
        if (shapes[i].items < 200)
            test_header(&shapes[i]);
    conclude("wrong kinds, versions, encodings, hashes and precisions are refused");
    test_reasons();
    test_tokens();
    test_dense_that_is_sparse();
    test_impossible_registers();
    test_damaged();
    test_damaged_working();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
