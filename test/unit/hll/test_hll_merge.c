/*
 * test_hll_merge.c - the laws of merging: any order, any tree, any repetition, the same bytes.
 */
#include "../check.h"
#include "../memory.h"
#include "core/hll/hll.h"

typedef struct Shape {
    SketchHash hash;
    unsigned precision;
    uint64_t first, count; /* items first .. first + count - 1 */
    bool registers;        /* read as such: its tokens are not known */
} Shape;

/* Empty, a few, at the limit and one beyond, dense; coarse and fine. */
static const Shape shapes[] = {
    {SKETCH_HASH_XXH3, 14, 0, 0, false},
    {SKETCH_HASH_XXH3, 14, 0, 1, false},
    {SKETCH_HASH_XXH3, 14, 5, 100, false},
    {SKETCH_HASH_XXH3, 14, 0, 3276, false},
    {SKETCH_HASH_XXH3, 14, 9, 3277, false},
    {SKETCH_HASH_XXH3, 14, 50, 40000, false},
    {SKETCH_HASH_XXH3, 4, 0, 12, false},
    {SKETCH_HASH_XXH3, 4, 7, 13, false},
    {SKETCH_HASH_XXH3, 6, 3, 11, false},
    {SKETCH_HASH_XXH3, 10, 90, 205, false},
    {SKETCH_HASH_XXH3, 10, 60, 900, false},
    {SKETCH_HASH_XXH3, 18, 1, 30, false},
    {SKETCH_HASH_XXH3, 18, 0, 52429, false},
    {SKETCH_HASH_REDIS, 14, 0, 0, false},
    {SKETCH_HASH_REDIS, 14, 5, 100, false},
    {SKETCH_HASH_REDIS, 14, 0, 5000, false},
    {SKETCH_HASH_REDIS, 4, 0, 12, false},
    {SKETCH_HASH_REDIS, 4, 0, 60, false},
    {SKETCH_HASH_REDIS, 7, 30, 28, false},
    {SKETCH_HASH_REDIS, 7, 1, 26, false},
    {SKETCH_HASH_REDIS, 10, 30, 200, false},
    {SKETCH_HASH_POSTGRESQL_HLL, 9, 0, 50, false},
    {SKETCH_HASH_POSTGRESQL_HLL, 9, 40, 80, true},
    {SKETCH_HASH_POSTGRESQL_HLL, 9, 9, 103, false},
    {SKETCH_HASH_POSTGRESQL_HLL, 7, 30, 20, true},
    {SKETCH_HASH_POSTGRESQL_HLL, 7, 30, 25, false},
    {SKETCH_HASH_DATASKETCHES, 10, 0, 100, false},
    {SKETCH_HASH_DATASKETCHES, 10, 40, 200, true},
    {SKETCH_HASH_DATASKETCHES, 10, 9, 1000, false},
    {SKETCH_HASH_DATASKETCHES, 5, 30, 8, false},
    {SKETCH_HASH_DATASKETCHES, 5, 30, 40, true},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

/* The values under test, packed, in the order of the shapes. */
static SketchBytes values[SHAPES];

static SketchBytes
pack_and_release(SketchState state)
{
    SketchBytes packed = hll_ops.pack(sketch_bytes(state), &memory);

    release_state(state);
    return packed;
}

static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = hll_new(shape->hash, shape->precision, &memory);
    SketchBytes value;

    for (uint64_t i = 0; i < shape->count; i++) {
        uint8_t *before = state.data;

        hll_insert_token(&state, hll_token(mix64(shape->first + i)), &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    value = pack_and_release(state);
    if (shape->registers) {
        uint8_t *registers = hll_registers(value, &memory);

        release_bytes(value);
        value = hll_from_registers(registers, shape->hash, shape->precision, &memory);
        memory_release(registers, NULL);
    }
    return value;
}

/* a or b; with b in its working encoding when asked. */
static SketchBytes
merged(SketchBytes a, SketchBytes b, bool working)
{
    SketchState state = hll_ops.open(a, &memory);
    SketchError error;

    if (working) {
        SketchState other = hll_ops.open(b, &memory);

        expect(merge_into(&hll_ops, &state, sketch_bytes(other), &error), "refused");
        release_state(other);
    } else
        expect(merge_into(&hll_ops, &state, b, &error), "refused");
    return pack_and_release(state);
}

static SketchBytes
reduced(SketchBytes value, unsigned precision)
{
    SketchState state = hll_ops.open(value, &memory);
    uint8_t *before = state.data;

    hll_reduce(&state, precision, &memory);
    if (state.data != before)
        memory_release_value(before, NULL);
    return pack_and_release(state);
}

/* Returns true if two packed values are the same bytes; both are released. */
static bool
same_released(SketchBytes a, SketchBytes b)
{
    bool same = same_bytes(a.data, a.size, b.data, b.size);

    release_bytes(a);
    release_bytes(b);
    return same;
}

static bool
miscible(size_t i, size_t j)
{
    return shapes[i].hash == shapes[j].hash;
}

static void
test_pairs(void)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SHAPES; j++)
            if (miscible(i, j))
                expect(same_released(merged(values[i], values[j], false),
                                     merged(values[j], values[i], true)),
                       "%zu and %zu", i, j);
    conclude("a | b = b | a, working or packed");
    for (size_t i = 0; i < SHAPES; i++) {
        Shape none = {shapes[i].hash, shapes[i].precision, 0, 0, false};
        SketchBytes empty = value_of(&none);

        expect(same_released(merged(values[i], empty, false), merged(empty, values[i], false)),
               "%zu and nothing", i);
        expect(same_released(merged(values[i], empty, true), merged(values[i], values[i], true)),
               "%zu and nothing, or itself", i);
        expect(same_bytes(values[i].data, values[i].size, empty.data, empty.size) ==
                   (shapes[i].count == 0),
               "%zu is nothing", i);
        release_bytes(empty);
    }
    conclude("a | nothing = a | a");
}

/* As above, with its first argument released: for expressions in expressions. */
static SketchBytes
then_merged(SketchBytes a, SketchBytes b)
{
    SketchBytes both = merged(a, b, false);

    release_bytes(a);
    return both;
}

static void
test_triples(void)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SHAPES; j++)
            for (size_t k = 0; k < SHAPES; k += 2) {
                SketchBytes right;

                if (!miscible(i, j) || !miscible(j, k) ||
                    (shapes[i].precision == 18 && shapes[j].precision == 18))
                    continue;
                right = merged(values[j], values[k], false);
                expect(same_released(then_merged(merged(values[i], values[j], false), values[k]),
                                     merged(values[i], right, true)),
                       "%zu, %zu, %zu", i, j, k);
                release_bytes(right);
            }
    conclude("(a | b) | c = a | (b | c)");
}

static SketchBytes
then_reduced(SketchBytes value, unsigned precision)
{
    SketchBytes less = reduced(value, precision);

    release_bytes(value);
    return less;
}

static void
test_reduce(void)
{
    for (size_t i = 0; i < SHAPES; i++)
        for (unsigned p = 4; p <= 18; p++) {
            SketchBytes less = reduced(values[i], p);
            SketchBytes validated;
            SketchError error;

            expect(hll_header(less).precision ==
                       (p < shapes[i].precision ? p : shapes[i].precision),
                   "%zu at %u", i, p);
            if (hll_ops.validate(less, &memory, &validated, &error)) {
                expect(true, "validated");
                release_bytes(validated);
            } else
                expect(false, "%zu at %u is not validated: %s", i, p, error.reason);
            for (unsigned step = p + 1; step < shapes[i].precision; step++)
                expect(
                    same_released(then_reduced(reduced(values[i], step), p), reduced(values[i], p)),
                    "%zu to %u by way of %u", i, p, step);
            release_bytes(less);
        }
    conclude("reducing in steps is reducing at once, and gives a canonical value");
    for (size_t i = 0; i < SHAPES; i++)
        for (size_t j = 0; j < SHAPES; j += 1 + (i & 1))
            for (unsigned p = 4; p <= 14; p += 2)
                if (miscible(i, j)) {
                    SketchBytes less = reduced(values[i], p);

                    expect(same_released(then_reduced(merged(values[i], values[j], false), p),
                                         then_reduced(merged(less, values[j], false), p)),
                           "%zu and %zu at %u", i, j, p);
                    release_bytes(less);
                }
    conclude("reducing before or after merging makes no difference");
}

/* The parts of a set, in random sizes and merged as a random tree, against the set at once. */
static void
test_trees(void)
{
    Random random = {11};

    for (unsigned trial = 0; trial < trials_of(40); trial++) {
        Shape all = {SKETCH_HASH_XXH3, 10 + trial % 5, 1000 * trial, random_below(&random, 6000),
                     false};
        SketchBytes part[24];
        unsigned parts = 0;

        for (uint64_t at = 0; parts < 23 && at < all.count; parts++) {
            Shape some = all;
            uint64_t overlap = random_below(&random, at + 1);

            some.first += at - overlap;
            some.count = overlap + random_below(&random, all.count / 8 + 2);
            if (some.first + some.count > all.first + all.count)
                some.count = all.first + all.count - some.first;
            at = some.first + some.count - all.first;
            part[parts] = value_of(&some);
        }
        part[parts++] = value_of(&all);
        while (parts > 1) {
            unsigned i = (unsigned)random_below(&random, parts);
            SketchBytes last = part[--parts];

            if (i == parts)
                i = 0;
            part[i] = then_merged(part[i], last);
            release_bytes(last);
        }
        expect(same_released(part[0], value_of(&all)), "tree %u", trial);
    }
    conclude("any tree of overlapping parts gives the bytes of the whole");
}

/*
 * Redis's tokens are its registers, so folding can leave a dense sketch fewer of them than a sparse
 * one may hold: 26 registers of 128 are dense, and the 12 of 16 that they fold to are sparse.
 */
static void
test_redis_fold(void)
{
    uint8_t registers[128] = {0}, folded[16] = {0};
    SketchBytes dense, expected;

    for (unsigned i = 0; i < 12; i++) {
        registers[i] = (uint8_t)(i + 1);
        registers[i + 16] = 2;
        folded[i] = (uint8_t)(i + 1 + 3); /* index bits 4 to 6 are zeros above the rank */
    }
    registers[32] = registers[33] = 1;
    dense = hll_from_registers(registers, SKETCH_HASH_REDIS, 7, &memory);
    expected = hll_from_registers(folded, SKETCH_HASH_REDIS, 4, &memory);
    expect(hll_header(dense).dense && !hll_header(expected).dense, "dense, sparse");
    expect(same_released(reduced(dense, 4), expected), "reduced");
    release_bytes(dense);
    conclude("a dense sketch of Redis can become sparse by reducing");
}

int
main(void)
{
    for (size_t i = 0; i < SHAPES; i++)
        values[i] = value_of(&shapes[i]);
    test_pairs();
    test_triples();
    test_reduce();
    test_redis_fold();
    test_trees();
    for (size_t i = 0; i < SHAPES; i++)
        release_bytes(values[i]);
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
