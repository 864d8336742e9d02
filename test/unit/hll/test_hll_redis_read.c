/*
 * test_hll_redis_read.c - HYLL strings at the bounds of both encodings, and crafted ones.
 */
#include "../hyll.h"

static void
test_sparse_bounds(void)
{
    uint8_t *r = calloc(HYLL_RANKS, 1);

    expect_sparse("7fff", r, true, "16384 zeros in one");
    expect_sparse("3f7fbf", r, false, "64 and 16320 zeros");
    r[HYLL_RANKS - 1] = 32;
    expect_sparse("7ffefc", r, true, "the highest rank in the last register");
    memset(r + HYLL_RANKS - 4, 1, 4);
    expect_sparse("7ffb83", r, true, "the longest run of a rank");
    memset(r + HYLL_RANKS - 4, 0, 4);
    r[0] = 5;
    expect_sparse("907ffe", r, true, "the first register");
    r[65] = 1;
    expect_sparse("903f807fbd", r, true, "64 zeros in a byte");
    r[65] = 0;
    r[66] = 1;
    expect_sparse("904040807fbc", r, true, "65 zeros in two");
    memset(r, 0, HYLL_RANKS);
    memset(r, 7, 9);
    expect_sparse("9b9b987ff6", r, true, "nine of a rank: four, four, one");
    expect_sparse("98999a9a7ff6", r, false, "nine of a rank, cut otherwise");
    conclude("sparse: every opcode at its bounds");

    expect(sparse_refused(""), "nothing");
    expect(sparse_refused("7ffe"), "a register short");
    expect(sparse_refused("7fff00"), "a zero more");
    expect(sparse_refused("7fff80"), "a rank more");
    expect(sparse_refused("7fff7fff"), "twice as many");
    expect(sparse_refused("7ffe81"), "a run that ends behind the last");
    expect(sparse_refused("7ffe01"), "zeros that end behind the last");
    expect(sparse_refused("7ffe4001"), "long zeros that end behind the last");
    expect(sparse_refused("7f"), "half an opcode");
    expect(sparse_refused("7ffe40"), "half an opcode at the end");
    conclude("sparse: runs must cover all registers and no more");
    free(r);
}

/* CVE-2025-32023: zeros past the end, often enough that a signed index comes round. */
static void
test_overflowing_runs(void)
{
    size_t size = 2 * 140000;
    uint8_t *body = malloc(size + 1);
    Bytes string;

    for (size_t i = 0; i < size; i += 2) {
        body[i] = 0x7f;
        body[i + 1] = 0xff;
    }
    body[size] = 0xff;
    string = hyll(1, body, size + 1);
    expect(refused(string.data, string.size), "140,000 runs of 16384 zeros and a rank");
    free(string.data);
    memset(body, 0x83, size);
    string = hyll(1, body, size);
    expect(refused(string.data, string.size), "280,000 runs of four");
    free(string.data);
    free(body);
    conclude("runs beyond every register are refused");
}

static void
test_dense(void)
{
    uint8_t *r = malloc(HYLL_RANKS), *body = malloc(HYLL_DENSE_SIZE);
    Random random = {6};
    Bytes string;

    for (unsigned shape = 0; shape < 4; shape++) {
        memset(body, 0, HYLL_DENSE_SIZE);
        for (unsigned i = 0; i < HYLL_RANKS; i++) {
            r[i] = (uint8_t)(shape == 0   ? random_below(&random, 52)
                             : shape == 1 ? 51
                             : shape == 2 ? (i % 2) * 51
                                          : i * 33 / HYLL_RANKS);
            for (unsigned bit = 0; bit < 6; bit++)
                body[(6 * i + bit) / 8] |= (uint8_t)((r[i] >> bit & 1) << (6 * i + bit) % 8);
        }
        string = hyll(0, body, HYLL_DENSE_SIZE - 16);
        expect(reads_as(string, r, shape < 3), "shape %u", shape);
        for (unsigned header = 5; header < 16; header++)
            string.data[header] ^= 0x55; /* what the cardinality is, nobody believes */
        expect(reads_as(string, r, false), "shape %u, another header", shape);
        for (unsigned over = 52; shape == 0 && over < 64; over++)
            for (unsigned i = 0; i < HYLL_RANKS; i += 4095) {
                uint8_t *at = string.data + 16 + i / 4 * 3;
                uint32_t four = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
                uint32_t crafted = (four & ~(63u << 6 * (i % 4))) | over << 6 * (i % 4);

                for (unsigned b = 0; b < 3; b++)
                    at[b] = (uint8_t)(crafted >> 8 * b);
                expect(refused(string.data, string.size), "rank %u in %u", over, i);
                for (unsigned b = 0; b < 3; b++)
                    at[b] = (uint8_t)(four >> 8 * b);
            }
        free(string.data);
    }
    conclude("dense: six bits, least significant first; no rank above 51");
    string = hyll(0, body, HYLL_DENSE_SIZE - 16);
    for (size_t size = 0; size < HYLL_DENSE_SIZE; size += size < 40 ? 1 : 97)
        expect(refused(string.data, size), "cut at %zu", size);
    free(string.data);
    string = hyll(0, memset(body, 0, HYLL_DENSE_SIZE), HYLL_DENSE_SIZE - 15);
    expect(refused(string.data, string.size), "a byte more");
    for (unsigned encoding = 1; encoding < 256; encoding++) {
        string.data[4] = (uint8_t)encoding;
        expect(refused(string.data, HYLL_DENSE_SIZE), "encoding %u", encoding);
    }
    for (unsigned i = 0; i < 4; i++) {
        string.data[4] = 0;
        string.data[i] ^= 0x20;
        expect(refused(string.data, HYLL_DENSE_SIZE), "another magic");
        string.data[i] ^= 0x20;
    }
    conclude("dense: other lengths, encodings and magics are refused");
    free(string.data);
    free(body);
    free(r);
}

/* A change anywhere in a sparse string: refused, or registers that Redis would read, too. */
static void
test_changes(void)
{
    SketchState state = counted(NULL, 40);
    SketchBytes string, value, again;
    unsigned good = 0, bad = 0;

    hll_to_redis(sketch_bytes(state), &memory, &string, &error);
    for (size_t i = 0; i < string.size; i++)
        for (unsigned flip = 1; flip < 256; flip += 3) {
            Bytes changed = bytes_copy(string.data, string.size);

            changed.data[i] ^= (uint8_t)flip;
            if (from_redis(changed.data, changed.size, &value)) {
                good++;
                expect(hll_ops.validate(value, &memory, &again, &error), "byte %zu", i);
                release_bytes(again);
                release_bytes(value);
            } else
                bad++;
            free(changed.data);
        }
    expect(good > 100 && bad > 1000, "%u good, %u bad", good, bad);
    for (size_t size = 0; size < string.size; size++)
        expect(refused(string.data, size), "cut at %zu", size);
    conclude("a changed string is refused or a value of its own; a cut one is refused");
    memory_release((void *)string.data, NULL);
    release_state(state);
}

int
main(void)
{
    test_sparse_bounds();
    test_overflowing_runs();
    test_dense();
    test_changes();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
