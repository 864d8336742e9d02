/*
 * test_hll_postgresql.c - values of postgresql-hll 2.17, and others written bit by bit.
 */
#include "../foreign_hll.h"

#define HASH SKETCH_HASH_POSTGRESQL_HLL
#define HEADER 3

static SketchBytes
read_hex(const char *hex)
{
    return read_foreign_hex(hll_from_postgresql_hll, hex);
}

static Bytes
written(SketchBytes value, unsigned regwidth, int threshold, bool may_be_sparse)
{
    SketchBytes out;
    Bytes copy;

    if (!hll_to_postgresql_hll(value, regwidth, threshold, may_be_sparse, &memory, &out, &error))
        return (Bytes){NULL, 0};
    copy = bytes_copy(out.data, out.size);
    memory_release((void *)out.data, NULL);
    return copy;
}

/* Explicit values are the hashes, so they are read as what is counted here. */
static void
test_known_hashes(void)
{
    static const struct {
        const char *hex;
        unsigned precision, n;
    } known[] = {
        {"118b7f", 11, 0},
        {"126a7f004403b7fb05c44a", 10, 1},
        {"12917f004403b7fb05c44a", 17, 1},
        {"12937f004403b7fb05c44a", 18, 1}, /* the same, of more registers than ours have */
        {"128b7fb419d210486ab6c1de0820a06c76c0a8004403b7fb05c44a06c9ec78d52c26530fd4c5f69b6c771b"
         "122f34392c621e721b341d80dfead7e630e12993257f8fb23987d28c06f0df795b3d5839b2488b0c",
         11, 10},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        expect(same_values(read_hex(known[i].hex), counted(HASH, known[i].precision, known[i].n)),
               "%u items, log2m %u", known[i].n, known[i].precision);
    conclude("explicit values are what is counted here");
}

/* Sparse and full ones of the peer, told by their digests: written, and read again. */
static void
test_known_registers(void)
{
    static const struct {
        unsigned precision, regwidth, n, form;
        size_t size;
        uint64_t digest;
    } known[] = {
        {10, 4, 100, 3, 163, UINT64_C(0xc44850d0b0b45469)},
        {10, 4, 700, 4, 515, UINT64_C(0x1f33e54db5da03dc)},
        {10, 4, 5000, 4, 515, UINT64_C(0x3ab92a1bcd8da061)},
        {10, 4, 40000, 4, 515, UINT64_C(0x249e35b679d37b50)},
        {11, 5, 700, 3, 1179, UINT64_C(0xd4d031a3600fbe26)},
        {11, 5, 40000, 4, 1283, UINT64_C(0xaa4f4d9e0d825b91)},
        {14, 5, 5000, 3, 10176, UINT64_C(0x2b740a3e28e51418)},
        {14, 6, 5000, 3, 10711, UINT64_C(0x5821a8f953ef0dbb)},
        {14, 6, 40000, 4, 12291, UINT64_C(0x3ee402c29c010624)},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes value = counted(HASH, known[i].precision, known[i].n);
        Bytes bytes = written(value, known[i].regwidth, -1, true);
        uint8_t *registers = hll_registers(value, &memory);

        expect((bytes.data[0] & 15) == known[i].form && bytes.size == known[i].size &&
                   digest_of((SketchBytes){bytes.data, bytes.size}) == known[i].digest,
               "%u items, log2m %u: written", known[i].n, known[i].precision);
        for (size_t j = 0; j < (size_t)1 << known[i].precision; j++)
            if (registers[j] >= 1u << known[i].regwidth)
                registers[j] = (uint8_t)((1u << known[i].regwidth) - 1);
        expect(has_registers(read_foreign(hll_from_postgresql_hll, bytes.data, bytes.size),
                             registers, known[i].precision),
               "%u items, log2m %u: read", known[i].n, known[i].precision);
        memory_release(registers, NULL);
        free(bytes.data);
        release_bytes(value);
    }
    conclude("sparse and full values have the peer's bytes");
}

/* ---- written bit by bit ---- */

static void
put(Bytes *out, uint64_t *at, uint64_t bits, unsigned length)
{
    for (unsigned i = length; i-- > 0; ++*at)
        out->data[*at / 8] |= (uint8_t)((bits >> i & 1) << (7 - *at % 8));
    out->size = (size_t)((*at + 7) / 8);
}

/* A value of these registers, in the plainest way. */
static Bytes
plain_value(const uint8_t *ranks, unsigned log2m, unsigned width, bool sparse)
{
    size_t count = (size_t)1 << log2m;
    Bytes out = {calloc(HEADER + count * (log2m + width) / 8 + 1, 1), 0};
    uint64_t at = 0;

    put(&out, &at, 1u << 4 | (sparse ? 3 : 4), 8);
    put(&out, &at, (width - 1) << 5 | log2m, 8);
    put(&out, &at, 127, 8);
    for (size_t i = 0; i < count; i++)
        if (!sparse)
            put(&out, &at, ranks[i], width);
        else if (ranks[i] > 0)
            put(&out, &at, (uint64_t)i << width | ranks[i], log2m + width);
    return out;
}

static void
test_every_width(void)
{
    Random random = {1};
    uint8_t *ranks = malloc(1 << 12);

    for (unsigned log2m = 4; log2m <= 12; log2m += 1 + (log2m > 8))
        for (unsigned width = 4; width <= 8; width++)
            for (unsigned used = 1; used <= 257; used += 64) {
                unsigned highest = width < 6 ? (1u << width) - 1 : 64 - log2m;
                Bytes full, sparse, back;
                size_t filled = 0;
                bool shorter;
                SketchBytes value;

                random_ranks(&random, ranks, log2m, used, highest);
                for (size_t i = 0; i < (size_t)1 << log2m; i++) {
                    ranks[i] = ranks[i] < highest ? ranks[i] : (uint8_t)highest;
                    filled += ranks[i] > 0;
                }
                ranks[0] = filled > 0 ? ranks[0] : (uint8_t)highest;
                filled += filled == 0;
                full = plain_value(ranks, log2m, width, false);
                sparse = plain_value(ranks, log2m, width, true);
                value = read_foreign(hll_from_postgresql_hll, full.data, full.size);
                expect(
                    has_registers(read_foreign(hll_from_postgresql_hll, sparse.data, sparse.size),
                                  ranks, log2m),
                    "log2m %u, regwidth %u: registers, sparse", log2m, width);
                shorter = filled * (log2m + width) < (width << log2m);
                back = written(value, width, -1, true);
                expect(same_bytes(back.data, back.size, shorter ? sparse.data : full.data,
                                  shorter ? sparse.size : full.size),
                       "log2m %u, regwidth %u, %zu registers: back", log2m, width, filled);
                free(back.data);
                back = written(value, width, -1, false);
                full.data[2] = 63;
                expect(same_bytes(back.data, back.size, full.data, full.size),
                       "log2m %u, regwidth %u: back, never sparse", log2m, width);
                free(back.data);
                expect(has_registers(value, ranks, log2m), "log2m %u, regwidth %u: registers",
                       log2m, width);
                full.data = realloc(full.data, full.size + 1);
                full.data[full.size] = 0;
                expect(refused_for(hll_from_postgresql_hll, full.data, full.size + 1,
                                   "The length does not match the contents"),
                       "log2m %u, regwidth %u: a byte more", log2m, width);
                expect(refused_for(hll_from_postgresql_hll, full.data, full.size - 1,
                                   "The length does not match the contents"),
                       "log2m %u, regwidth %u: a byte less", log2m, width);
                free(full.data);
                free(sparse.data);
            }
    free(ranks);
    conclude("every width, sparse and full, both ways");
}

/* More than 2^18 registers: a register's number has index bits in front, as a hash has. */
static void
test_folded(void)
{
    Random random = {2};
    uint8_t *expected = malloc(1 << 18), *ranks = malloc(1 << 20);

    for (unsigned log2m = 19; log2m <= 20; log2m++)
        for (unsigned used = 0; used < 64; used += 30) {
            Bytes sparse, full;

            random_ranks(&random, ranks, log2m, used + 1, 31);
            memset(expected, 0, 1 << 18);
            for (uint32_t i = 0; i < 1u << log2m; i++)
                if (ranks[i] > 0) {
                    uint64_t hash = (uint64_t)i | UINT64_C(1) << (log2m + ranks[i] - 1);
                    unsigned rank = 1 + (unsigned)__builtin_ctzll(hash >> 18);

                    if (rank > expected[i & 0x3ffff])
                        expected[i & 0x3ffff] = (uint8_t)rank;
                }
            sparse = plain_value(ranks, log2m, 5, true);
            full = plain_value(ranks, log2m, 6, false);
            expect(has_registers(read_foreign(hll_from_postgresql_hll, sparse.data, sparse.size),
                                 expected, 18),
                   "sparse, log2m %u", log2m);
            expect(has_registers(read_foreign(hll_from_postgresql_hll, full.data, full.size),
                                 expected, 18),
                   "full, log2m %u", log2m);
            free(sparse.data);
            free(full.data);
        }
    free(expected);
    free(ranks);
    conclude("more than 2^18 registers are folded");
}

/* A hash of nothing but zeros above the index is counted here and not there. */
static void
test_written(void)
{
    static const struct {
        int threshold;
        unsigned code;
    } known[] = {{-1, 63}, {0, 0}, {1, 1}, {2, 2}, {512, 10}, {8192, 14}};
    SketchBytes none = read_hex("118b7f"), one = read_hex("138b4800010022");
    SketchState zeros = hll_new(HASH, 11, &memory), ours = hll_new(SKETCH_HASH_XXH3, 11, &memory);
    SketchBytes packed;
    Bytes bytes;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        bytes = written(one, 5, known[i].threshold, i & 1);
        expect(bytes.data[2] == known[i].code + (i & 1 ? 64 : 0), "threshold %d: %u",
               known[i].threshold, bytes.data[2]);
        free(bytes.data);
    }
    for (unsigned used = 7; used <= 8; used++) {
        uint8_t ranks[16] = {1, 1, 1, 1, 1, 1, 1, used == 8};
        SketchBytes value = hll_from_registers(ranks, HASH, 4, &memory);

        bytes = written(value, 4, -1, true);
        expect((bytes.data[0] & 15) == (used == 8 ? 4 : 3), "%u bytes sparse, 8 full", used);
        free(bytes.data);
        release_bytes(value);
    }
    bytes = written(none, 5, -1, true);
    expect(same_bytes(bytes.data, bytes.size, "\x11\x8b\x7f", 3), "an empty one");
    free(bytes.data);
    bytes = written(none, 5, -1, false);
    expect(same_bytes(bytes.data, bytes.size, "\x11\x8b\x3f", 3), "an empty one, never sparse");
    free(bytes.data);
    hll_insert(&zeros, 5, &memory);
    packed = hll_ops.pack(sketch_bytes(zeros), &memory);
    bytes = written(packed, 5, -1, true);
    expect(hll_cardinality(packed, &memory) == 1, "a hash of 5 counts");
    expect(same_bytes(bytes.data, bytes.size, "\x11\x8b\x7f", 3), "but not there");
    free(bytes.data);
    expect(!written(sketch_bytes(ours), 5, -1, true).data && error.status == SKETCH_MISMATCH &&
               error.one && strcmp(error.other, "postgresql-hll") == 0,
           "another hash function");
    release_bytes(packed);
    release_bytes(none);
    release_bytes(one);
    release_state(zeros);
    release_state(ours);
    conclude("parameters, empty sketches and hashes of zeros are written");
}

/* So many hashes, ascending as signed numbers. */
static Bytes
hashes(unsigned log2m, unsigned threshold, size_t first, size_t count)
{
    Bytes bytes = {malloc(HEADER + 8 * count), HEADER + 8 * count};

    memcpy(bytes.data, (uint8_t[]){0x12, (uint8_t)(4 << 5 | log2m), (uint8_t)(64 | threshold)},
           HEADER);
    for (size_t i = 0; i < count; i++) {
        uint64_t nth = first + i, hash = (nth << 44 | mix64(nth) >> 20) - (UINT64_C(1) << 60);

        for (unsigned byte = 0; byte < 8; byte++)
            bytes.data[HEADER + 8 * i + byte] = (uint8_t)(hash >> (56 - 8 * byte));
    }
    return bytes;
}

/* A value of these hashes, whose column has 2^(threshold - 1) of them at most, or 63: automatic. */
static SketchBytes
explicit_value(unsigned log2m, unsigned threshold, size_t first, size_t count)
{
    Bytes bytes = hashes(log2m, threshold, first, count);
    SketchBytes value = read_foreign(hll_from_postgresql_hll, bytes.data, bytes.size);

    free(bytes.data);
    return value;
}

static SketchBytes
union_of(SketchBytes a, SketchBytes b)
{
    SketchState state = hll_ops.open(a, &memory);
    SketchBytes packed;

    expect(merge_into(&hll_ops, &state, b, &error), "refused");
    packed = hll_ops.pack(sketch_bytes(state), &memory);
    release_state(state);
    return packed;
}

static void
test_many_hashes(void)
{
    for (size_t count = 10; count < UINT16_MAX; count += count / 3) {
        SketchBytes value = explicit_value(count % 2 ? 4 : 11, 63, 0, count);
        uint64_t cardinality = hll_cardinality(value, &memory);

        expect(!hll_header(value).dense && cardinality + 2 * count / 1000 >= count &&
                   cardinality <= count + count / 1000,
               "%zu hashes: %u", count, (unsigned)cardinality);
        release_bytes(value);
    }
    conclude("explicit values of any number of hashes stay exact");
    for (size_t count = UINT16_MAX; count <= UINT16_MAX + 1; count++) {
        SketchBytes value = explicit_value(11, 63, 0, count);

        expect((value.data != NULL) == (count == UINT16_MAX), "%zu", count);
        if (value.data)
            release_bytes(value);
        else
            expect(error.found == (int64_t)count && error.high == UINT16_MAX, "the range");
    }
    conclude("up to as many as a header can count");
    for (size_t count = 1024; count <= 1025; count++) {
        SketchBytes half = explicit_value(11, 11, 0, 512);
        SketchBytes rest = explicit_value(11, 11, 512, count - 512), both = union_of(half, rest);

        expect(hll_header(both).dense == (count > 1024), "%zu hashes", count);
        release_bytes(half);
        release_bytes(rest);
        release_bytes(both);
    }
    conclude("a sketch keeps as many hashes as the column that it comes from");
}

/* The union of three is the same whichever two come first, and keeps the fewest hashes of them. */
static void
test_limits(void)
{
    Random random = {5};

    for (unsigned trial = 0; trial < trials_of(300); trial++) {
        SketchBytes v[3], pair[3], all[3];
        size_t at = 0;

        for (unsigned i = 0; i < 3; i++) {
            size_t count = 1 + random_below(&random, 400);

            v[i] = explicit_value(9 + (unsigned)random_below(&random, 3),
                                  trial % 2 ? 63 : 7 + (unsigned)random_below(&random, 8),
                                  at - random_below(&random, at / 2 + 1), count);
            at += count;
        }
        for (unsigned i = 0; i < 3; i++) {
            pair[i] = union_of(v[i], v[(i + 1) % 3]);
            all[i] = union_of(pair[i], v[(i + 2) % 3]);
        }
        for (unsigned i = 1; i < 3; i++)
            expect(same_bytes(all[0].data, all[0].size, all[i].data, all[i].size),
                   "trial %u: another order, other bytes", trial);
        for (unsigned i = 0; i < 3; i++) {
            SketchBytes again;

            expect(hll_ops.validate(all[i], &memory, &again, &error), "%s", error.reason);
            release_bytes(again);
            release_bytes(v[i]);
            release_bytes(pair[i]);
            release_bytes(all[i]);
        }
    }
    conclude("of several sketches the fewest hashes are kept, in any order of merging");
}

static void
test_refused(void)
{
    static const char length[] = "The length does not match the contents";
    static const char unordered[] = "Registers are not in ascending order";
    static const char descending[] = "Hashes are not in ascending order";
    static const char foreign[] = "Not a value of postgresql-hll";
    static const char rank[] = "Value of a register out of range";
    static const struct {
        const char *hex, *reason;
        int64_t found, low, high;
    } known[] = {
        {"", foreign, 0, 0, 0},
        {"118b", foreign, 0, 0, 0},
        {"218b7f", foreign, 0, 0, 0},
        {"108b7f", "A value of postgresql-hll without content", 0, 0, 0},
        {"158b7f", "Unknown form", 5, 1, 4},
        {"11837f", "log2m out of range", 3, 4, 31},
        {"114b7f", "regwidth out of range", 3, 4, 8},
        {"118b7f00", length, 0, 0, 0},
        {"128b7f00000000", length, 0, 0, 0},
        {"128b7f00000000000000050000000000000005", descending, 0, 0, 0},
        {"128b7f0000000000000005ffffffffffffffff", descending, 0, 0, 0},
        {"138b7f00", length, 0, 0, 0},
        {"138a7f0043", length, 0, 0, 0}, /* a bit behind the last register */
        {"138b7f00220022", unordered, 0, 0, 0},
        {"138b7f00420022", unordered, 0, 0, 0},
        {"138b7f0020", rank, 0, 1, 53},
        {"13ab7f001b00", rank, 54, 1, 53}, /* of 6 bits, with bits of padding */
        {"14847f", length, 0, 0, 0},
        {"14a47ff40000000000000000000000", rank, 61, 1, 60},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Bytes bytes = bytes_of_hex(known[i].hex);

        expect(refused_for(hll_from_postgresql_hll, bytes.data, bytes.size, known[i].reason),
               "%s: %s", known[i].hex, error.reason);
        expect(error.found == known[i].found && error.low == known[i].low &&
                   error.high == known[i].high,
               "%s: %lld", known[i].hex, (long long)error.found);
        free(bytes.data);
    }
    conclude("what is no value of postgresql-hll is refused");
}

int
main(void)
{
    test_known_hashes();
    test_known_registers();
    test_every_width();
    test_folded();
    test_written();
    test_many_hashes();
    test_limits();
    test_refused();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
