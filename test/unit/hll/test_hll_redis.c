/*
 * test_hll_redis.c - HYLL strings of real servers, both ways, and when Redis keeps them sparse.
 */
#include "../hyll.h"
#include "../redis_payload.h"

static void
test_known(void)
{
    static const char *const abc[] = {"a", "b", "c"};
    static const struct {
        const char *const *items;
        unsigned count;
        const char *string;
    } known[] = {
        {abc, 0, "48594c4c0100000000000000000000807fff"},
        {abc, 3, "48594c4c01000000000000000000008060f38050b1844bfb80425a"},
    };
    Bytes dump = bytes_of_hex("001b48594c4c01000000000000000000008060f38050b1844bfb80425a0c00"
                              "542f38c64c63ee00");

    for (unsigned i = 0; i < 2; i++) {
        SketchState state = counted(known[i].items, known[i].count);
        SketchBytes packed = hll_ops.pack(sketch_bytes(state), &memory), string, value;
        Bytes expected = bytes_of_hex(known[i].string);

        expect(hll_to_redis(sketch_bytes(state), &memory, &string, &error) &&
                   same_bytes(string.data, string.size, expected.data, expected.size),
               "%u items, written", known[i].count);
        memory_release((void *)string.data, NULL);
        expect(from_redis(expected.data, expected.size, &value) &&
                   same_bytes(value.data, value.size, packed.data, packed.size),
               "%u items, read", known[i].count);
        release_bytes(value);
        if (i == 1) {
            expect(from_redis(dump.data, dump.size, &value) &&
                       same_bytes(value.data, value.size, packed.data, packed.size),
                   "the DUMP payload");
            release_bytes(value);
        }
        release_bytes(packed);
        release_state(state);
        free(expected.data);
    }
    free(dump.data);
    conclude("strings of a real server, both ways");
}

static void
test_pfcount(void)
{
    static const struct {
        unsigned n, count;
        size_t size;
    } known[] = {
        {10, 10, 0},
        {100, 100, 0},
        {1000, 1001, 1922},
        {10000, 9988, HYLL_DENSE_SIZE},
        {100000, 99562, HYLL_DENSE_SIZE},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchState state = counted(NULL, known[i].n);
        SketchBytes string, value;

        expect(hll_cardinality(sketch_bytes(state), &memory) == known[i].count, "%u: %u",
               known[i].n, (unsigned)hll_cardinality(sketch_bytes(state), &memory));
        hll_to_redis(sketch_bytes(state), &memory, &string, &error);
        expect(known[i].size == 0 || string.size == known[i].size, "%u: a string of %zu bytes",
               known[i].n, string.size);
        expect(from_redis(string.data, string.size, &value) &&
                   hll_cardinality(value, &memory) == known[i].count,
               "%u: read", known[i].n);
        memory_release((void *)string.data, NULL);
        release_bytes(value);
        release_state(state);
    }
    conclude("PFCOUNT of the numbers up to N");
}

/* 3000 bytes are sparse and 3001 are not. */
static void
test_sparse_limit(void)
{
    for (unsigned size = 2995; size <= 3005; size++) {
        uint8_t *r = calloc(HYLL_RANKS, 1);
        unsigned last = 0;
        SketchBytes value, string;

        /* Alternating ranks take a byte each; the rest is zeros, in two bytes. */
        for (unsigned i = 0; i < size - 16 - 2; i++)
            r[last = i] = (uint8_t)(1 + i % 2);
        value = hll_from_registers(r, SKETCH_HASH_REDIS, 14, &memory);
        hll_to_redis(value, &memory, &string, &error);
        expect(string.size == (size <= 3000 ? size : HYLL_DENSE_SIZE) &&
                   string.data[4] == (size <= 3000),
               "zeros last, %u bytes: %zu", size, string.size);
        memory_release((void *)string.data, NULL);
        release_bytes(value);
        /* And with a rank as the last byte. */
        for (unsigned i = 0; i <= last; i++)
            r[i] = 0;
        for (unsigned i = 0; i < size - 16 - 2; i++)
            r[HYLL_RANKS - 1 - i] = (uint8_t)(1 + i % 2);
        value = hll_from_registers(r, SKETCH_HASH_REDIS, 14, &memory);
        hll_to_redis(value, &memory, &string, &error);
        expect(string.size == (size <= 3000 ? size : HYLL_DENSE_SIZE), "ranks last, %u bytes: %zu",
               size, string.size);
        memory_release((void *)string.data, NULL);
        release_bytes(value);
        free(r);
    }
    for (unsigned rank = 31; rank <= 51; rank++) {
        uint8_t *r = calloc(HYLL_RANKS, 1);
        SketchBytes value, string;

        r[77] = (uint8_t)rank;
        value = hll_from_registers(r, SKETCH_HASH_REDIS, 14, &memory);
        hll_to_redis(value, &memory, &string, &error);
        expect(string.size == (rank <= 32 ? 16 + 5 : HYLL_DENSE_SIZE), "a rank of %u: %zu bytes",
               rank, string.size);
        memory_release((void *)string.data, NULL);
        release_bytes(value);
        free(r);
    }
    conclude("sparse up to 3000 bytes and a rank of 32, dense beyond");
}

/* A payload around a string, LZF included, gives what the string gives. */
static void
test_payloads(void)
{
    uint8_t *data = malloc(40000), *compressed = malloc(30000);

    for (unsigned n = 0; n < 5000; n = n * 4 + 1) {
        SketchState state = counted(NULL, n);
        SketchBytes packed = hll_ops.pack(sketch_bytes(state), &memory), string, value;
        Payload p = {data, 0};
        size_t size;

        hll_to_redis(packed, &memory, &string, &error);
        payload_string(&p, string.data, string.size);
        expect(from_redis(p.data, p.size, &value) &&
                   same_bytes(value.data, value.size, packed.data, packed.size),
               "%u items", n);
        release_bytes(value);
        size = payload_lzf(string.data, string.size, compressed);
        p.size = 0;
        payload_bytes(&p, "\x00\xc3", 2);
        payload_length(&p, size, 32);
        payload_length(&p, string.size, 14);
        payload_bytes(&p, compressed, size);
        payload_finish(&p);
        expect(from_redis(p.data, p.size, &value) &&
                   same_bytes(value.data, value.size, packed.data, packed.size),
               "%u items, LZF", n);
        release_bytes(value);
        memory_release((void *)string.data, NULL);
        p.size = 0;
        payload_string(&p, "HYLX\1", 5);
        expect(refused(p.data, p.size), "a payload of another string");
        release_bytes(packed);
        release_state(state);
    }
    conclude("DUMP payloads, compressed or not");
    free(data);
    free(compressed);
}

static void
test_export_refused(void)
{
    SketchState xxh3 = hll_new(SKETCH_HASH_XXH3, 14, &memory);
    SketchState coarse = hll_new(SKETCH_HASH_REDIS, 13, &memory);
    SketchBytes string;

    expect(!hll_to_redis(sketch_bytes(xxh3), &memory, &string, &error) &&
               error.status == SKETCH_MISMATCH,
           "another hash function");
    expect(!hll_to_redis(sketch_bytes(coarse), &memory, &string, &error) &&
               error.status == SKETCH_MISMATCH && error.found == 13,
           "another precision");
    conclude("only what Redis would have counted becomes a HYLL string");
    release_state(xxh3);
    release_state(coarse);
}

int
main(void)
{
    test_known();
    test_pfcount();
    test_sparse_limit();
    test_payloads();
    test_export_refused();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
