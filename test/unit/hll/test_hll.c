/*
 * test_hll.c - random histories of sketches against the oracle: whatever was added and merged in
 * whatever order, working or packed, at whatever precisions, the packed bytes are those of the set.
 */
#include "../check.h"
#include "../memory.h"
#include "../oracle.h"

#define POOL 4

/* A sketch, what it should be, and how many distinct items it is drawn from. */
typedef struct Pair {
    SketchState state;
    Oracle oracle;
} Pair;

static SketchError error;

static Pair
pair_new(SketchHash hash, unsigned precision)
{
    return (Pair){hll_new(hash, precision, &memory), oracle_new(hash, precision)};
}

static void
pair_free(Pair *pair)
{
    release_state(pair->state);
    oracle_free(&pair->oracle);
}

static void
pair_add(Pair *pair, uint64_t hash)
{
    uint8_t *before = pair->state.data;

    if (pair->oracle.hash == SKETCH_HASH_DATASKETCHES)
        hll_insert_token(&pair->state, hll_token(hash), &memory);
    else
        hll_insert(&pair->state, hash, &memory);
    if (pair->state.data != before)
        memory_release_value(before, NULL);
    oracle_add(&pair->oracle, hash);
}

/* The hash of item n; some are extreme. */
static uint64_t
item_hash(uint64_t n)
{
    uint64_t hash = mix64(n + UINT64_C(0x5851f42d4c957f2d));

    switch (n % 97) {
    case 0:
        return hash & UINT64_C(0x3ffffff); /* no bit above those of a token */
    case 1:
        return hash | ~UINT64_C(0x3ffffff);
    case 2:
        return hash & ~UINT64_C(0x3ffff0); /* its rank grows by folding */
    case 3:
        return (hash & ~UINT64_C(0x3ffffff)) | (hash >> 40 & 15);
    default:
        return hash;
    }
}

/* Replaces a state by what a store and a load of it make. */
static void
pair_reopen(Pair *pair, bool through_door)
{
    SketchBytes packed = hll_ops.pack(sketch_bytes(pair->state), &memory);

    release_state(pair->state);
    if (through_door) {
        SketchBytes validated = {NULL, 0};
        bool good = hll_ops.validate(packed, &memory, &validated, &error);

        expect(good, "a packed value is not validated: %s", good ? "" : error.reason);
        expect(good && same_bytes(packed.data, packed.size, validated.data, validated.size),
               "validating changed it");
        if (good) {
            release_bytes(packed);
            packed = validated;
        }
    }
    pair->state = hll_ops.open(packed, &memory);
    release_bytes(packed);
}

static void
pair_merge(Pair *into, const Pair *from, bool packed)
{
    SketchBytes other =
        packed ? hll_ops.pack(sketch_bytes(from->state), &memory) : sketch_bytes(from->state);

    expect(merge_into(&hll_ops, &into->state, other, &error), "merge refused");
    oracle_merge(&into->oracle, &from->oracle);
    if (packed)
        release_bytes(other);
}

static void
pair_reduce(Pair *pair, unsigned precision)
{
    uint8_t *before = pair->state.data;

    hll_reduce(&pair->state, precision, &memory);
    if (pair->state.data != before)
        memory_release_value(before, NULL);
    oracle_reduce(&pair->oracle, precision);
}

/*
 * What hll/working.c says of sizes, the length word of the database included: a power of two, and
 * no longer a list than twice the limit and an eighth. A reduced sketch keeps the room it had.
 */
static bool
size_is_as_promised(SketchState state, bool reduced)
{
    HllHeader h = hll_header(sketch_bytes(state));
    size_t limit = oracle_limit(h.precision);
    size_t chunk = state.size + SKETCH_PREFIX_BYTES;

    if (h.dense)
        return chunk == sizeof(HllState) + ((size_t)1 << h.precision);
    return chunk >= 64 && (chunk & (chunk - 1)) == 0 &&
           sizeof(HllState) + h.count * sizeof(uint32_t) <= chunk &&
           (reduced || chunk == 64 || (chunk / 2 - 64) / 4 < limit + limit / 8);
}

static void
random_step(Pair pool[POOL], unsigned low, unsigned high, Random *random)
{
    Pair *pair = &pool[random_below(random, POOL)];
    size_t limit = oracle_limit(pair->oracle.precision);
    size_t universe = 3 * limit, n = 1;

    switch (random_below(random, 12)) {
    case 0: {
        SketchHash hash = pair->oracle.hash;

        pair_free(pair);
        *pair = pair_new(hash, low + (unsigned)random_below(random, high - low + 1));
        break;
    }
    case 1:
        pair_reopen(pair, false);
        break;
    case 2:
        pair_reopen(pair, true);
        break;
    case 3:
    case 4:
    case 5:
        pair_merge(pair, &pool[random_below(random, POOL)], random_below(random, 2) == 0);
        break;
    case 6:
        if (random_below(random, 4) == 0 && low < high)
            pair_reduce(pair, low + (unsigned)random_below(random, high - low + 1));
        break;
    case 7:
        n = limit / 2;
        /* fallthrough */
    case 8:
        n += random_below(random, limit);
        /* fallthrough */
    default:
        if (n == 1)
            n = random_below(random, 20);
        for (; n > 0; n--)
            pair_add(pair, item_hash(random_below(random, universe)));
    }
    expect(size_is_as_promised(pair->state, low < high), "a working value of %zu bytes",
           pair->state.size);
    expect(oracle_agrees(&pair->oracle, sketch_bytes(pair->state), &memory), "p %u, %zu items",
           pair->oracle.precision, pair->oracle.items);
}

static void
random_history(SketchHash hash, unsigned low, unsigned high, unsigned steps)
{
    Random random = {hash * 1000 + low * 20 + high};
    Pair pool[POOL];

    for (unsigned i = 0; i < POOL; i++)
        pool[i] = pair_new(hash, low + (unsigned)random_below(&random, high - low + 1));
    for (unsigned i = 0; i < trials_of(steps); i++)
        random_step(pool, low, high, &random);
    for (unsigned i = 0; i < POOL; i++)
        pair_free(&pool[i]);
    conclude("%s, precision %u to %u: %u steps", hll_origin(hash)->hash, low, high, steps);
}

/* Items 0 .. n-1, in the order of a permutation of 0 .. n-1 and with repetitions. */
static SketchState
sketch_of(uint64_t first, uint64_t n, uint64_t stride, unsigned precision)
{
    Pair pair = pair_new(SKETCH_HASH_XXH3, precision);
    SketchState state;

    for (uint64_t i = 0; i < n; i++) {
        pair_add(&pair, mix64(first + i * stride % n));
        if (i % 3 == 0)
            pair_add(&pair, mix64(first + i / 2 * stride % n));
    }
    expect(oracle_agrees(&pair.oracle, sketch_bytes(pair.state), &memory), "%u items", (unsigned)n);
    state = pair.state;
    oracle_free(&pair.oracle);
    return state;
}

/* The smallest number of items at which a sketch is dense is one more than the limit. */
static void
test_limit(SketchHash hash, unsigned precision)
{
    Pair pair = pair_new(hash, precision);
    size_t limit = oracle_limit(precision);

    /* Distinct at every number of index bits that holds so many; each one twice. */
    for (uint64_t i = 0; i <= limit && i < (UINT64_C(1) << precision); i++) {
        SketchBytes packed;

        for (unsigned twice = 0; twice < 2; twice++)
            pair_add(&pair, i | mix64(i) << (hash == SKETCH_HASH_REDIS ? precision : 26));
        if (i + 2 < limit && i > (precision > 14 ? 8 : 40))
            continue;
        packed = hll_ops.pack(sketch_bytes(pair.state), &memory);
        expect(hll_header(packed).dense == (i + 1 > limit), "%u tokens at precision %u",
               (unsigned)i + 1, precision);
        expect(oracle_agrees(&pair.oracle, packed, &memory), "%u tokens", (unsigned)i + 1);
        release_bytes(packed);
    }
    pair_free(&pair);
}

/* One item and duplicates of it never need a bigger value. */
static void
test_duplicates(void)
{
    Pair pair = pair_new(SKETCH_HASH_XXH3, 14);

    for (unsigned i = 0; i < 100000; i++)
        pair_add(&pair, mix64(i % 6));
    expect(pair.state.size == 60, "%zu bytes for six items", pair.state.size);
    expect(hll_cardinality(sketch_bytes(pair.state), &memory) == 6, "six items");
    pair_free(&pair);
    conclude("repetitions take no room");
}

/* n items at precision 13 take `most` bytes, or fewer. */
static void
expect_size(uint64_t n, size_t most)
{
    SketchState state = sketch_of(1000, n, 1, 13);
    SketchBytes packed = hll_ops.pack(sketch_bytes(state), &memory);
    size_t size = packed.size + SKETCH_PREFIX_BYTES;

    expect(size <= most, "%u items: %zu", (unsigned)n, size);
    release_state(state);
    release_bytes(packed);
}

static void
test_sizes(void)
{
    expect_size(0, 20);
    expect_size(10, 60);
    expect_size(1000, 2600);
    for (uint64_t n = 1500; n < 400000; n = n * 5 / 4)
        expect_size(n, 4330);
    conclude("packed sizes at precision 13: 60, 2600, 4330 bytes at most");
}

/* A refused merge leaves both as they were, to the byte. */
static void
test_refused(void)
{
    SketchState a = sketch_of(0, 5, 1, 14);
    SketchState dense = sketch_of(0, 5000, 1, 14);
    Pair b = pair_new(SKETCH_HASH_REDIS, 10);
    SketchState states[2] = {a, dense};

    for (unsigned i = 0; i < 300; i++)
        pair_add(&b, mix64(i));
    for (unsigned i = 0; i < 2; i++) {
        Bytes before = bytes_copy(states[i].data, states[i].size);
        SketchState state = states[i];

        expect(!hll_ops.merge(&state, sketch_bytes(b.state), &memory, &error), "it merged");
        expect(error.status == SKETCH_MISMATCH && error.reason, "the reason");
        expect(state.data == states[i].data &&
                   same_bytes(state.data, state.size, before.data, before.size),
               "something changed");
        free(before.data);
    }
    release_state(a);
    release_state(dense);
    pair_free(&b);
    conclude("different hash functions: refused, nothing changed");
}

int
main(void)
{
    for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++)
        random_history(SKETCH_HASH_XXH3, p, p, p <= 10 ? 300 : p <= 14 ? 60 : 16);
    for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_REDIS; p++)
        random_history(SKETCH_HASH_REDIS, p, p, p <= 10 ? 300 : 60);
    random_history(SKETCH_HASH_XXH3, 4, 8, 2000);
    random_history(SKETCH_HASH_XXH3, 4, 13, 500);
    random_history(SKETCH_HASH_XXH3, 4, 18, 80);
    random_history(SKETCH_HASH_REDIS, 4, 8, 3000);
    random_history(SKETCH_HASH_REDIS, 4, 14, 400);
    for (SketchHash hash = SKETCH_HASH_POSTGRESQL_HLL; hash <= SKETCH_HASH_DATASKETCHES; hash++) {
        for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++)
            random_history(hash, p, p, p <= 10 ? 200 : p <= 14 ? 40 : 10);
        random_history(hash, 4, 8, 2000);
        random_history(hash, 4, 13, 300);
        random_history(hash, 4, 18, 50);
    }
    for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++)
        test_limit(SKETCH_HASH_XXH3, p);
    for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_REDIS; p++)
        test_limit(SKETCH_HASH_REDIS, p);
    for (unsigned p = HLL_PRECISION_MIN; p <= HLL_PRECISION_MAX; p++) {
        test_limit(SKETCH_HASH_POSTGRESQL_HLL, p);
        test_limit(SKETCH_HASH_DATASKETCHES, p);
    }
    conclude("sparse up to the limit, dense from one more");
    test_duplicates();
    test_sizes();
    test_refused();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
