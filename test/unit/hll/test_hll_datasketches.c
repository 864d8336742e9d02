/*
 * test_hll_datasketches.c - HLL sketches of the datasketches extension 1.8, and others written
 * register by register.
 */
#include <math.h>

#include "../foreign_hll.h"

#define HASH SKETCH_HASH_DATASKETCHES
#define LIST 0
#define SET 1
#define REGISTERS 2
#define REGISTERS_HEADER 40
#define COMPACT 8
#define OUT_OF_ORDER 16

static SketchBytes
read_hex(const char *hex)
{
    return read_foreign_hex(hll_from_datasketches, hex);
}

static Bytes
written(SketchBytes value, unsigned bits)
{
    SketchBytes out;
    Bytes copy;

    if (!hll_to_datasketches(value, bits, &memory, &out, &error))
        return (Bytes){NULL, 0};
    copy = bytes_copy(out.data, out.size);
    memory_release((void *)out.data, NULL);
    return copy;
}

static int
compare_coupons(const void *a, const void *b)
{
    return memcmp(a, b, 4);
}

/* Returns true if two lists or sets have the same header and the same coupons in any order. */
static bool
same_coupons(Bytes a, Bytes b)
{
    size_t header = (a.data[7] & 3) == LIST ? 8 : 12;

    if (a.size != b.size || memcmp(a.data, b.data, header) != 0)
        return false;
    qsort(a.data + header, (a.size - header) / 4, 4, compare_coupons);
    qsort(b.data + header, (b.size - header) / 4, 4, compare_coupons);
    return memcmp(a.data, b.data, a.size) == 0;
}

#define FIVE "2bf2fb06862ff90d7581660781bc5d067b65e608"
#define EIGHT FIVE "fc2d420ac1e91705d2167307"

/* Lists and sets are the hashes, so they are read as what is counted here. */
static void
test_known_coupons(void)
{
    static const struct {
        unsigned lgk, n, bits;
        const char *hex;
    } known[] = {
        {11, 0, 8, "0201070b030c0008"},
        {4, 1, 8, "02010704030801082bf2fb06"},
        {8, 5, 4, "0201070803080500" FIVE},
        {12, 5, 6, "0201070c03080504" FIVE},
        {18, 7, 4, "0201071203080700" FIVE "fc2d420ac1e91705"},
        {21, 7, 4, "0201071503080700" FIVE "fc2d420ac1e91705"},
        {8, 8, 4, "030107080508000108000000" EIGHT},
        {12, 8, 6, "0301070c0508000508000000" EIGHT},
        {14, 8, 8, "0301070e0508000908000000" EIGHT},
        {21, 8, 4, "030107150508000108000000" EIGHT},
        {12, 20, 8,
         "0301070c050800091400000081bc5d06cef05b1f6ec53406862ff90dc87a2404db522d042bf2fb06b05b4612"
         "ae3c8811c1e91705d216730734a2610e75816607f671f206b83ff907464ab7047b65e608fc2d420ac3dd5104"
         "7c74b907"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        unsigned precision = known[i].lgk < 18 ? known[i].lgk : 18;
        SketchBytes value = read_hex(known[i].hex);
        Bytes theirs = bytes_of_hex(known[i].hex), back = written(value, known[i].bits);

        theirs.data[3] = (uint8_t)precision; /* what is folded stays folded */
        expect(same_coupons(back, theirs), "%u items, lgK %u: back", known[i].n, known[i].lgk);
        expect(same_values(value, counted(HASH, precision, known[i].n)), "%u items, lgK %u",
               known[i].n, known[i].lgk);
        free(theirs.data);
        free(back.data);
    }
    conclude("lists and sets are what is counted here, and go back");
}

/* Returns true if a value is read with the registers of another. Takes the first. */
static bool
same_registers(SketchBytes value, SketchBytes other)
{
    uint8_t *registers = hll_registers(other, &memory);
    bool same = has_registers(value, registers, hll_header(other).precision);

    memory_release(registers, NULL);
    return same;
}

/*
 * Registers of the peer, told by their digests: written, and read again. Its bytes 8 to 15, which
 * need the order of the items, are 0 here, and the flag that says so is set.
 */
static void
test_known_registers(void)
{
    static const struct {
        unsigned lgk, bits, n;
        size_t size;
        uint64_t digest;
    } known[] = {
        {4, 8, 8, 56, UINT64_C(0xcd4ae211e7c15890)},
        {4, 8, 60000, 56, UINT64_C(0x63dcc4fdcb1f5587)},
        {8, 4, 300, 168, UINT64_C(0xb568d8b5765b4c35)},
        {8, 4, 3000, 168, UINT64_C(0x522a96fb0e297e06)},
        {8, 4, 60000, 168, UINT64_C(0x6fc7b47f5bd7787b)},
        {12, 4, 3000, 2088, UINT64_C(0x3438e029af028b9e)},
        {12, 4, 60000, 2092, UINT64_C(0x52e6c7cc5cc9debf)}, /* with an exception */
        {12, 6, 3000, 3113, UINT64_C(0x56e71fda87cf7cbe)},
        {12, 6, 60000, 3113, UINT64_C(0x1da9c5e31769d5fc)},
        {12, 8, 3000, 4136, UINT64_C(0x0e32b708bdfccbf0)},
        {14, 8, 3000, 16424, UINT64_C(0x9bdcbc221f99daa1)},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes value = counted(HASH, known[i].lgk, known[i].n);
        Bytes bytes = written(value, known[i].bits);

        expect(bytes.size == known[i].size &&
                   digest_of((SketchBytes){bytes.data, bytes.size}) == known[i].digest,
               "%u items, lgK %u, %u bits: written", known[i].n, known[i].lgk, known[i].bits);
        expect(same_registers(read_foreign(hll_from_datasketches, bytes.data, bytes.size), value),
               "%u items, lgK %u, %u bits: read", known[i].n, known[i].lgk, known[i].bits);
        free(bytes.data);
        release_bytes(value);
    }
    conclude("registers have the peer's bytes");
}

/* ---- written register by register ---- */

/* The log2 of the first table of exceptions, by lgK from 4 on, as DataSketches has it. */
static const uint8_t first_table[] = {2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13};

/* A sketch of these registers, in the plainest way; as a table that has gaps, if not compact. */
static Bytes
plain_sketch(const uint8_t *ranks, unsigned lgk, unsigned bits, bool compact)
{
    size_t count = (size_t)1 << lgk, packed = count * bits / 8 + (bits == 6), exceptions = 0;
    Bytes out = {calloc(REGISTERS_HEADER + packed + 8 * count + 8192, 1),
                 REGISTERS_HEADER + packed};
    unsigned base = bits == 4 ? 63 : 0, lg = first_table[lgk - 4];
    double low = 0, high = 0;
    uint32_t at_base = 0;

    for (size_t i = 0; i < count; i++)
        base = ranks[i] < base ? ranks[i] : base;
    for (size_t i = 0; i < count; i++) {
        unsigned kept = ranks[i] - base;
        uint8_t *exception;

        at_base += ranks[i] == base;
        *(ranks[i] < 32 ? &low : &high) += ldexp(1, -ranks[i]);
        if (bits == 4 && kept >= 15) {
            kept = 15;
            exception = out.data + out.size + (compact ? 4 : 8) * exceptions++;
            store_le32(exception, (uint32_t)ranks[i] << 26 | (uint32_t)i);
        }
        for (unsigned bit = 0; bit < bits; bit++)
            out.data[REGISTERS_HEADER + (i * bits + bit) / 8] |=
                (uint8_t)((kept >> bit & 1) << (i * bits + bit) % 8);
    }
    while (exceptions > 0.75 * (1u << lg))
        lg++;
    if (compact)
        out.size += 4 * exceptions;
    else if (exceptions > 0)
        out.size += (size_t)4 << (lg += 1);
    memcpy(out.data,
           (uint8_t[]){10, 1, 7, (uint8_t)lgk, (uint8_t)(exceptions > 0 ? lg : 0),
                       compact ? COMPACT | OUT_OF_ORDER : OUT_OF_ORDER, (uint8_t)base,
                       (uint8_t)((bits / 2 - 2) << 2 | REGISTERS)},
           8);
    store_le_double(out.data + 16, low);
    store_le_double(out.data + 24, high);
    store_le32(out.data + 32, at_base);
    store_le32(out.data + 36, (uint32_t)exceptions);
    return out;
}

static void
test_every_width(void)
{
    Random random = {1};
    uint8_t *ranks = malloc(1 << 12);

    for (unsigned lgk = 4; lgk <= 12; lgk += 1 + (lgk > 8))
        for (unsigned bits = 4; bits <= 8; bits += 2)
            for (unsigned used = 0; used <= 256; used += 64) {
                Bytes compact, loose, back;
                SketchBytes value;

                /* With all of them used, above a base of 8. */
                random_ranks(&random, ranks, lgk, used, 48);
                for (size_t i = 0; i < (size_t)1 << lgk; i++)
                    ranks[i] = (uint8_t)(ranks[i] + (used == 256 ? 8 : 0));
                ranks[random_below(&random, 1 << lgk)] = used & 64 ? 63 : 15;
                compact = plain_sketch(ranks, lgk, bits, true);
                loose = plain_sketch(ranks, lgk, bits, false);
                value = read_foreign(hll_from_datasketches, compact.data, compact.size);
                back = written(value, bits);
                expect(same_bytes(back.data, back.size, compact.data, compact.size),
                       "lgK %u, %u bits: back", lgk, bits);
                expect(has_registers(value, ranks, lgk), "lgK %u, %u bits: read", lgk, bits);
                expect(has_registers(read_foreign(hll_from_datasketches, loose.data, loose.size),
                                     ranks, lgk),
                       "lgK %u, %u bits: read with gaps", lgk, bits);
                for (int more = -1; more <= 1; more += 2) {
                    expect(!read_foreign(hll_from_datasketches, compact.data,
                                         compact.size + (size_t)more)
                                .data,
                           "lgK %u, %u bits: %d bytes more", lgk, bits, more);
                    expect(
                        !read_foreign(hll_from_datasketches, loose.data, loose.size + (size_t)more)
                             .data,
                        "lgK %u, %u bits, with gaps: %d bytes more", lgk, bits, more);
                }
                free(compact.data);
                free(loose.data);
                free(back.data);
            }
    free(ranks);
    conclude("registers of every width, compact or not, both ways");
}

/* More than 2^18 registers. */
static void
test_folded(void)
{
    Random random = {2};
    uint8_t *expected = malloc(1 << 18), *ranks = malloc(1 << 21);

    for (unsigned lgk = 19; lgk <= 21; lgk++) {
        random_ranks(&random, ranks, lgk, 40, 48);
        memset(expected, 0, 1 << 18);
        for (uint32_t i = 0; i < 1u << lgk; i++)
            if (ranks[i] > expected[i & 0x3ffff])
                expected[i & 0x3ffff] = ranks[i];
        for (unsigned bits = 4; bits <= 8; bits += 2) {
            Bytes sketch = plain_sketch(ranks, lgk, bits, true);

            expect(has_registers(read_foreign(hll_from_datasketches, sketch.data, sketch.size),
                                 expected, 18),
                   "lgK %u, %u bits", lgk, bits);
            free(sketch.data);
        }
    }
    free(expected);
    free(ranks);
    conclude("more than 2^18 registers are folded");
}

/* DataSketches fills three quarters of a table, and has no sets of less than 2^8 registers. */
static void
test_modes(void)
{
    static const struct {
        unsigned lgk, n, mode, lg;
    } known[] = {
        {4, 7, LIST, 3},        {4, 8, REGISTERS, 0},  {7, 8, REGISTERS, 0},  {8, 7, LIST, 3},
        {8, 8, SET, 5},         {8, 24, SET, 5},       {8, 25, REGISTERS, 0}, {9, 25, SET, 6},
        {9, 48, SET, 6},        {9, 49, REGISTERS, 0}, {10, 49, SET, 7},      {10, 96, SET, 7},
        {10, 97, REGISTERS, 0},
    };
    SketchState ours = hll_new(SKETCH_HASH_XXH3, 11, &memory);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (unsigned bits = 4; bits <= 8; bits += 2) {
            SketchBytes value = counted(HASH, known[i].lgk, known[i].n);
            Bytes bytes = written(value, bits);

            expect(bytes.data[7] == ((bits / 2 - 2) << 2 | known[i].mode) &&
                       (known[i].mode == REGISTERS || bytes.data[4] == known[i].lg),
                   "lgK %u, %u items", known[i].lgk, known[i].n);
            expect(
                same_registers(read_foreign(hll_from_datasketches, bytes.data, bytes.size), value),
                "lgK %u, %u items: read", known[i].lgk, known[i].n);
            free(bytes.data);
            release_bytes(value);
        }
    expect(!written(sketch_bytes(ours), 8).data && error.status == SKETCH_MISMATCH && error.one &&
               strcmp(error.other, "DataSketches") == 0,
           "another hash function");
    release_state(ours);
    conclude("coupons are kept where DataSketches would keep them");
}

/* Hexadecimal zeros. */
#define Z4 "00000000"
#define Z28 Z4 Z4 Z4 Z4 Z4 Z4 Z4
#define Z32 Z28 Z4
#define Z64 Z32 Z32
#define ONE "2bf2fb06"
#define TWO ONE "862ff90d"

static void
test_gaps_and_flags(void)
{
    static const char *const alike[] = {
        "0201070c03080200" TWO,
        "0201070c03180200" TWO, /* out of order */
        "0201070c03280200" TWO, /* full size */
        "0201070c03000200" ONE Z4 "862ff90d" Z4 Z4 Z4 Z4 Z4,
        "0301070c0508000102000000" TWO,
        "0301070c0500000102000000" Z64 ONE Z28 "862ff90d" Z28,
        "0301070806080001"
        "02000000" TWO,
        "030107080500000102000000" Z64 ONE Z28 "862ff90d" Z28,
    };

    for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
        expect(same_values(read_hex(alike[i]), counted(HASH, i < 6 ? 12 : 8, 2)), "%s", alike[i]);
    conclude("gaps, flags and modes do not matter");
}

static void
test_refused(void)
{
    static const char foreign[] = "Not an HLL sketch of DataSketches";
    static const char length[] = "The length does not match the contents";
    static const char coupons[] = "Coupons that no items can produce";
    static const char registers[] = "Registers that no items can produce";
    static const struct {
        const char *hex, *reason;
    } known[] = {
        {"", foreign},
        {"0201070c030c00", foreign},
        {"0202070c030c0000", foreign},
        {"0201030c030c0000", foreign},
        {"02010703030c0000", "lgK out of range"},
        {"02010716030c0000", "lgK out of range"},
        {"0201070c030d0000", "Unknown flags"},
        {"0201070c030e0000", "Unknown flags"},
        {"0201070c034c0000", "Unknown flags"},
        {"0201070c038c0000", "Unknown flags"},
        {"0201070c030c0003", "Unknown mode"},
        {"0201070c030c000c", "Unknown mode"},
        {"0301070c030c0000", "Unknown mode"},
        {"0301070c0508000d00000000", "Unknown mode"},
        {"0201070c0508000100000000", "Unknown mode"},
        {"020107040018000a" Z32 Z4 Z4 Z4 Z4, "Unknown mode"},
        {"0a0107040018000e" Z32 Z4 Z4 Z4 Z4, "Unknown mode"},
        /* lists */
        {"0201070c030c0100" ONE, length},
        {"0201070c03080000", length},
        {"0201070c03080100", length},
        {"0201070c03080100" TWO, length},
        {"0201070c03000100" ONE, length},
        {"0201070c03080800" FIVE TWO ONE, length},
        {"0201070c0308010000000000", coupons}, /* a gap */
        {"0201070c030801002bf2fb00", coupons}, /* no rank */
        {"0201070c03080200" ONE ONE, coupons},
        {"0201070c03000100" ONE ONE Z4 Z4 Z4 Z4 Z4 Z4, coupons},
        {"0201070c03000200" ONE Z28, coupons},
        /* sets */
        {"0301070c05080001", length},
        {"0301070c05080001000000", length},
        {"0301070c050c000101000000" ONE, length},
        {"03010707050800010100000"
         "0" ONE,
         length},
        {"0301070c0508000101000000" TWO, length},
        {"0301070c0508000102000000" ONE, length},
        {"0301070c0508000101000000" ONE "00", length},
        {"030107080508000121000000" Z64 Z64 Z4, length},              /* 33 of at most 32 */
        {"0301070c0400000101000000" ONE Z28 Z28 Z4, length},          /* a table of 16 */
        {"030107080600000101000000" ONE Z28 Z32 Z64 Z64 Z64, length}, /* of 64, lgK 8 */
        {"0301070c0500000101000000" ONE Z28 Z32, length},
        {"0301070c0508000102000000" ONE ONE, coupons},
        /* registers */
        {"0a01070c0008000a", length},
        {"0a01070400080002" Z32 Z4 "000000", length}, /* without the last byte of 4 bits */
        {"0a010704000c000a" Z32 Z4 Z4 Z4 Z4, length}, /* empty */
        {"0a0107040008000a" Z32 Z4 Z4 Z4 "00000040", registers}, /* rank 64 */
        {"0a01070400080006" Z32 Z4 Z4 Z4 "01", registers},       /* the byte more */
        {"0a01070400084002" Z32 Z4 Z4, registers},               /* base 64 */
        {"0a01070400083e02" Z32 "02000000" Z4, registers},       /* base 62 and 2 */
        {"0a01070400080002" Z32 "0f000000" Z4, registers},       /* no exception */
        {"0a01070400080002" Z28 "01000000"
         "00000000" Z4 "00000040",
         registers},
        {"0a01070400080002" Z28 "01000000"
         "0f000000" Z4 "00000038",
         registers}, /* too low */
        {"0a01070400080002" Z28 "01000000"
         "0f000000" Z4 "01000040",
         registers}, /* of another */
        {"0a01070400080002" Z28 "01000000"
         "0f000000" Z4 "10000040",
         registers}, /* of none */
        {"0a01070400080002" Z28 "01000000"
         "0f000000" Z4 Z4,
         registers},
        {"0a01070400080002" Z28 "02000000"
         "ff000000" Z4 "0000004000000044",
         registers}, /* twice */
        {"0a01070400080002" Z28 "02000000"
         "ff000000" Z4 "00000040",
         registers},
        {"0a01070402000002" Z28 "01000000"
         "0f000000" Z4 "00000040"
         "0000004000000000" Z4,
         registers},
        {"0a01070402000002" Z28 "01000000"
         "0f000000" Z4 "00000040",
         registers}, /* not 4 places */
        {"0a0107041f000002" Z28 "01000000"
         "0f000000" Z4 "00000040",
         registers},
        {"0a01070400080002" Z28 "11000000"
         "ffffffff"
         "ffffffff" Z64 Z4,
         registers},
    };
    SketchBytes value;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        Bytes bytes = bytes_of_hex(known[i].hex);

        expect(refused_for(hll_from_datasketches, bytes.data, bytes.size, known[i].reason),
               "%s: %s", known[i].hex, error.reason);
        free(bytes.data);
    }
    for (size_t i = 0; i < 3; i++) {
        static const char *const cut[] = {"0201070c03080200" TWO, "0301070c0508000102000000" TWO,
                                          "0a01070400080002" Z28 "01000000"
                                          "0f000000" Z4 "00000040"};
        Bytes bytes = bytes_of_hex(cut[i]);

        for (size_t size = 8; size < bytes.size; size++)
            expect(refused_for(hll_from_datasketches, bytes.data, size,
                               i == 2 && size >= 48 ? registers : length),
                   "%s, %zu bytes: %s", cut[i], size, error.reason);
        free(bytes.data);
    }
    conclude("what is no sketch of DataSketches is refused");

    /* Beside those: as they should be. */
    value = read_hex("0a01070400080002" Z28 "01000000"
                     "0f000000" Z4 "00000040");
    expect(value.data, "an exception");
    release_bytes(value);
    value = read_hex("0a01070400083d02" Z32 "02000000" Z4);
    expect(value.data, "base 61 and 2");
    release_bytes(value);
    conclude("and what stands right beside it is read");
}

static void
test_coupon(void)
{
    Random random = {3};
    unsigned most = 0;

    expect(hll_datasketches_coupon("", 0, &memory) >> 26 > 0, "no bytes have a hash");
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t item = random_next(&random);
        Murmur3 hash = murmur3(&item, sizeof item, 9001, &memory);
        uint32_t coupon = hll_datasketches_coupon(&item, sizeof item, &memory);
        unsigned rank = coupon >> 26;

        expect((coupon & 0x3ffffff) == (hash.first & 0x3ffffff), "the index");
        expect(hash.second >> (64 - rank) == 1, "the rank");
        most = rank > most ? rank : most;
    }
    expect(most > 10, "%u", most);
    conclude("a coupon has the index of one half of a hash and the rank of the other");
}

int
main(void)
{
    test_coupon();
    test_known_coupons();
    test_known_registers();
    test_every_width();
    test_folded();
    test_modes();
    test_gaps_and_flags();
    test_refused();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
