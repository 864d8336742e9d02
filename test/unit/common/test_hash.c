/*
 * test_hash.c - the hash functions' known answers. Values on disk depend on every one of them.
 */
#include "../check.h"
#include "../memory.h"
#include "core/common/hash.h"
#include "core/common/polled.h"
#include "core/hll/hll.h"
#include "core/hll/hll_internal.h"

/* xxHash's own test vectors, seed 0: the hash of the first bytes of its test buffer. */
static void
test_xxh3(void)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } known[] = {
        {0, UINT64_C(0x2d06800538d394c2)},    {1, UINT64_C(0xc44bdff4074eecdb)},
        {6, UINT64_C(0x27b56a84cd2d7325)},    {12, UINT64_C(0xa713daf0dfbb77e7)},
        {24, UINT64_C(0xa3fe70bf9d3510eb)},   {48, UINT64_C(0x397da259ecba1f11)},
        {80, UINT64_C(0xbcdefbbb2c47c90a)},   {195, UINT64_C(0xcd94217ee362ec3a)},
        {403, UINT64_C(0xcdeb804d65c6dea4)},  {512, UINT64_C(0x617e49599013cb6b)},
        {2048, UINT64_C(0xdd59e2c3a5f038e0)}, {2240, UINT64_C(0x6e73a90539cf2948)},
        {2367, UINT64_C(0xcb37aeb9e5d361ed)},
    };
    uint8_t buffer[2367];
    uint64_t generator = 2654435761u;

    for (size_t i = 0; i < sizeof buffer; i++) {
        buffer[i] = (uint8_t)(generator >> 56);
        generator *= UINT64_C(11400714785074694797);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Bytes exact = bytes_copy(buffer, known[i].size);

        expect(hash_bytes(exact.data, exact.size) == known[i].hash, "%zu bytes", known[i].size);
        free(exact.data);
    }
    conclude("XXH3-64 of xxHash's test vectors");
}

static void
test_int64(void)
{
    static const int64_t numbers[] = {0, 1, -1, 255, 256, INT64_MAX, INT64_MIN};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint8_t bytes[8];

        for (unsigned j = 0; j < 8; j++)
            bytes[j] = (uint8_t)((uint64_t)numbers[i] >> (8 * j));
        expect(hash_int64(numbers[i]) == hash_bytes(bytes, 8), "%lld", (long long)numbers[i]);
    }
    expect(hash_int64(1) != hash_int64(-1), "1 and -1");
    conclude("an integer hashes as its eight little-endian bytes");
}

static uint64_t
murmur(const char *text, uint64_t seed)
{
    Bytes exact = bytes_copy(text, strlen(text));
    uint64_t hash = murmur64a(exact.data, exact.size, seed, &memory);

    free(exact.data);
    return hash;
}

/*
 * SMHasher's verification: keys of 0 to 255 bytes 0, 1, 2 ..., each with the seed 256 less its
 * length, and the hash of all their hashes.
 */
static void
test_murmur_verification(void)
{
    uint8_t key[256], hashes[256 * 8];

    for (unsigned i = 0; i < 256; i++) {
        key[i] = (uint8_t)i;
        store_le64(hashes + 8 * i, murmur64a(key, i, 256 - i, &memory));
    }
    ok((uint32_t)murmur64a(hashes, sizeof hashes, 0, &memory) == 0x1f0d3804,
       "SMHasher's verification value");
}

static void
test_murmur(void)
{
    expect(murmur("", 0) == 0, "nothing");
    expect(murmur("foo", 0) == UINT64_C(0xcdde38358fd25b01), "foo");
    expect(murmur("hello world", 0) == UINT64_C(0xd3ba2368a832afce), "hello world");
    conclude("MurmurHash64A's known answers");
    test_murmur_verification();

    /* No outside answers for these: that every byte counts, and no byte behind the end. */
    for (size_t size = 0; size <= 40; size++) {
        uint8_t *data = malloc(size);
        uint64_t hash;

        memset(data, 0x80, size);
        hash = murmur64a(data, size, 7, &memory);
        expect(hash != murmur64a(data, size, 8, &memory), "the seed, %zu bytes", size);
        for (size_t i = 0; i < size; i++) {
            data[i] ^= 1;
            expect(hash != murmur64a(data, size, 7, &memory), "byte %zu of %zu", i, size);
            data[i] ^= 1;
        }
        free(data);
    }
    conclude("every byte and the seed count, and nothing behind the end");
}

/* Where Redis puts an item: told by a real server. */
static void
test_redis(void)
{
    static const struct {
        const char *item;
        unsigned index, rank;
    } known[] = {{"hello", 9216, 1}, {"", 5938, 2}, {"foo", 7348, 5}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint64_t hash = hll_redis_hash(known[i].item, strlen(known[i].item), &memory);

        expect((hash & 16383) == known[i].index, "index of '%s'", known[i].item);
        expect(hll_rank(hash, 14) == known[i].rank, "rank of '%s'", known[i].item);
    }
    conclude("Redis's register and rank of an item");
}

static void
test_rank(void)
{
    for (unsigned bits = 4; bits <= 26; bits++) {
        expect(hll_rank(0, bits) == 65 - bits, "all zeros above %u bits", bits);
        expect(hll_rank((UINT64_C(1) << bits) - 1, bits) == 65 - bits, "only index, %u", bits);
        for (unsigned i = bits; i < 64; i++)
            expect(hll_rank(~UINT64_C(0) << i, bits) == i - bits + 1, "bit %u above %u", i, bits);
    }
    conclude("ranks run from 1 to 65 - p");
}

/* The hash by pieces is that of all bytes at once, and asks once a piece whether to go on. */
static void
test_polled(void)
{
    static const size_t sizes[] = {0,
                                   1,
                                   POLLED_PIECE - 1,
                                   POLLED_PIECE,
                                   POLLED_PIECE + 1,
                                   2 * POLLED_PIECE,
                                   3 * POLLED_PIECE + 77};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t size = sizes[i], pieces = (size + POLLED_PIECE - 1) / POLLED_PIECE;
        uint8_t *data = malloc(size);

        for (size_t at = 0; at < size; at++)
            data[at] = (uint8_t)mix64(at);
        expect(hash_polled(data, size, 0, &memory) == hash_bytes(data, size), "%zu bytes", size);
        memory_polls = 0;
        expect(hash_polled(data, size, 7, &memory) == XXH3_64bits_withSeed(data, size, 7),
               "%zu bytes with a seed", size);
        expect(pieces <= 1 || memory_polls == pieces, "%zu bytes: asked %zu times", size,
               memory_polls);
        free(data);
    }
    conclude("large data are hashed by pieces, to the same");
}

/*
 * The other systems' hashes ask as they go, once in SKETCH_POLL_STEPS words; of a short item never.
 */
static void
test_murmur_polled(void)
{
    size_t size = (size_t)3 * 16 * SKETCH_POLL_STEPS, asked[3];
    uint8_t *data = calloc(1, size);

    memory_polls = 0;
    murmur64a(data, 1000, 1, &memory);
    murmur32(data, 1000, 1, &memory);
    murmur3(data, 1000, 1, &memory);
    expect(memory_polls == 0, "1000 bytes: asked %zu times", memory_polls);
    murmur64a(data, size, 1, &memory);
    asked[0] = memory_polls, memory_polls = 0;
    murmur32(data, size, 1, &memory);
    asked[1] = memory_polls, memory_polls = 0;
    murmur3(data, size, 1, &memory);
    asked[2] = memory_polls;
    expect(asked[0] == 6 && asked[1] == 12 && asked[2] == 3, "%zu bytes: asked %zu, %zu, %zu times",
           size, asked[0], asked[1], asked[2]);
    free(data);
    conclude("the hash of a long item can be stopped");
}

int
main(void)
{
    test_xxh3();
    test_polled();
    test_murmur_polled();
    test_int64();
    test_murmur();
    test_redis();
    test_rank();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
