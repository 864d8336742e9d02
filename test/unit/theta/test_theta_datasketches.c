/*
 * test_theta_datasketches.c - theta sketches of the datasketches extension 1.8, of Java, and others
 * written by hand. sql/theta_import.sql reads the larger ones of test/data.
 */
#include "../theta_set.h"

#define BYTES_MAX 4096

static SketchError error;

static SketchBytes
read_bytes(const void *data, size_t size, unsigned lgk)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0}, again;
    bool good;

    error = (SketchError){.status = SKETCH_OK, .reason = ""};
    good = theta_from_datasketches((SketchBytes){exact.data, exact.size}, lgk, &memory, &value,
                                   &error);
    free(exact.data);
    expect(memory_used.pieces == before + good, "memory was kept");
    if (!good) {
        expect(error.status == SKETCH_MALFORMED && error.reason, "refused without a reason");
        return (SketchBytes){NULL, 0};
    }
    expect(theta_ops.validate(value, &memory, &again, &error) && same_value(value, again),
           "not canonical");
    release_bytes(again);
    return value;
}

static SketchBytes
read_hex(const char *hex)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes value = read_bytes(bytes.data, bytes.size, 0);

    free(bytes.data);
    return value;
}

/* Returns true if a value is written as these bytes. */
static bool
goes_back(SketchBytes value, bool compressed, const char *hex)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes written;
    bool same;

    if (!value.data || !theta_to_datasketches(value, compressed, &memory, &written, &error))
        return false;
    same = same_bytes(written.data, written.size, bytes.data, bytes.size);
    memory_release((void *)written.data, NULL);
    free(bytes.data);
    return same;
}

/* A sketch of 1 .. n, as bigint. */
static SketchBytes
counted(unsigned lgk, int64_t n)
{
    SketchState state = theta_new(lgk, &memory);

    for (int64_t i = 1; i <= n; i++)
        theta_put(&state, theta_hash_int64(i));
    return theta_finish(state);
}

#define ONE "15f97dcbbd86a105"
#define TWO "c397fc1281709d1e"

static void
test_known(void)
{
    static const struct {
        int64_t n;
        const char *hex;
    } known[] = {
        {0, "010303"
            "00001ecc93"},
        {1, "010303"
            "00001acc93" ONE},
        {2, "020303"
            "00001acc93"
            "0200000000000000" ONE TWO},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes value = read_hex(known[i].hex), mine = counted(12, known[i].n);

        expect(value.data && same_value(value, mine), "%d items", (int)known[i].n);
        expect(goes_back(value, false, known[i].hex), "%d items: back", (int)known[i].n);
        expect(known[i].n > 1 || goes_back(value, true, known[i].hex), "not worth compressing");
        release_bytes(value);
        release_bytes(mine);
    }
    conclude("sketches of the peer are what is counted here, and go back");
}

static void
test_hashes(void)
{
    union {
        uint64_t bits;
        double value;
    } nan = {UINT64_C(0xfff8000000000123)};

    expect(theta_hash_int64(1) == UINT64_C(0x05a186bdcb7df915), "1");
    expect(theta_hash("user-1", 6, &memory) == UINT64_C(0x7e4689214f16213b), "user-1");
    expect(theta_hash_double(0.25) == UINT64_C(0x16aeb686f8c43d67), "0.25");
    expect(theta_hash_double(-0.0) == theta_hash_int64(0), "-0");
    expect(theta_hash_double(nan.value) == theta_hash_int64(INT64_C(0x7ff8000000000000)), "NaN");
    expect(theta_hash("", 0, &memory) == 0, "no bytes");
    for (int64_t i = -5; i < 100; i++) {
        uint8_t bytes[8];

        for (unsigned b = 0; b < 8; b++)
            bytes[b] = (uint8_t)((uint64_t)(i * i * i * 7919) >> 8 * b);
        expect(theta_hash(bytes, 8, &memory) == theta_hash_int64(i * i * i * 7919), "as bytes");
    }
    conclude("values have the hashes of the peer");
}

/* Versions 1 and 2 as Java wrote them, by their descriptions; the real ones are in test/data. */
static void
test_old_versions(void)
{
    SketchBytes two = counted(12, 2), none = counted(12, 0), value;
    static const char *const of_two[] = {
        "020203"
        "0000"
        "1a"
        "cc93"
        "0200000000000000" ONE TWO,
        "030103"
        "0000"
        "1a"
        "0000"
        "020000000000803f"
        "ffffffffffffff7f" ONE TWO,
        "030203"
        "0000"
        "1a"
        "cc93"
        "020000000000803f"
        "ffffffffffffff7f" ONE TWO,
        "030303"
        "0000"
        "0a"
        "cc93"
        "020000000000803f"
        "ffffffffffffff7f" TWO ONE,
    };
    static const char *const of_none[] = {
        "030103"
        "0000"
        "1e"
        "0000"
        "0000000000000000"
        "ffffffffffffff7f",
        "010203"
        "0000"
        "1e"
        "cc93",
        "020203"
        "0000"
        "1e"
        "cc93"
        "0000000000000000",
    };

    for (size_t i = 0; i < 4; i++) {
        value = read_hex(of_two[i]);
        expect(value.data && same_value(value, two), "two hashes %zu: %s", i, error.reason);
        if (value.data)
            release_bytes(value);
    }
    for (size_t i = 0; i < 3; i++) {
        value = read_hex(of_none[i]);
        expect(value.data && same_value(value, none), "no hashes %zu: %s", i, error.reason);
        if (value.data)
            release_bytes(value);
    }
    release_bytes(two);
    release_bytes(none);
    conclude("serial versions 1 and 2, and hashes that are not sorted");
}

static void
test_round_trip(void)
{
    static const int64_t items[] = {1, 2, 3, 100, 1000, 4096, 4097, 50000};

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
        for (unsigned op = 0; op < 2; op++) {
            SketchBytes whole = counted(12, items[i]), half = counted(11, items[i] / 2);
            SketchBytes value, bytes[2], again;

            expect(theta_combine(op ? THETA_INTERSECTION : THETA_DIFFERENCE, whole, half, &memory,
                                 &value, &error),
                   "combined");
            for (unsigned compressed = 0; compressed < 2; compressed++) {
                expect(
                    theta_to_datasketches(value, compressed, &memory, &bytes[compressed], &error),
                    "written");
                again = read_bytes(bytes[compressed].data, bytes[compressed].size,
                                   theta_summary(value, &memory).lgk);
                expect(again.data && same_value(again, value), "%d items", (int)items[i]);
                if (again.data)
                    release_bytes(again);
            }
            expect(bytes[1].size <= bytes[0].size, "compressed");
            expect(bytes[1].data[1] == (bytes[1].size < bytes[0].size ? 4 : 3) ||
                       theta_summary(value, &memory).count < 3,
                   "version");
            memory_release((void *)bytes[0].data, NULL);
            memory_release((void *)bytes[1].data, NULL);
            release_bytes(whole);
            release_bytes(half);
            release_bytes(value);
        }
    conclude("versions 3 and 4 come back as they were");
}

/* Bits of version 4, decoded the slow way. */
static void
test_version_4(void)
{
    SketchBytes value = counted(8, 3000), bytes, words;
    ThetaSummary summary = theta_summary(value, &memory);
    uint64_t hash = 0, at = 0;
    size_t start;

    expect(theta_to_datasketches(value, true, &memory, &bytes, &error) &&
               theta_to_datasketches(value, false, &memory, &words, &error),
           "written");
    start = 16u + bytes.data[4];
    expect(bytes.data[0] == 2 && bytes.data[1] == 4 && bytes.data[2] == 3 && bytes.data[5] == 26,
           "preamble");
    expect(bytes.size == start + (summary.count * bytes.data[3] + 7) / 8, "size");
    for (uint32_t i = 0; i < summary.count; i++) {
        uint64_t difference = 0;

        for (unsigned bit = 0; bit < bytes.data[3]; bit++, at++)
            difference = difference << 1 | (bytes.data[start + at / 8] >> (7 - at % 8) & 1);
        hash += difference;
        expect(memcmp(&hash, words.data + 24 + 8 * i, 8) == 0, "hash %u", i);
    }
    memory_release((void *)bytes.data, NULL);
    memory_release((void *)words.data, NULL);
    release_bytes(value);
    conclude("version 4 has the differences, the highest bit first");
}

static void
test_lgk(void)
{
    SketchBytes many = counted(14, 10000), words, value, mine;

    expect(theta_to_datasketches(many, false, &memory, &words, &error), "written");
    value = read_bytes(words.data, words.size, 0);
    expect(value.data && same_value(value, many), "10,000 hashes take lgk 14");
    release_bytes(value);
    for (unsigned lgk = THETA_LGK_MIN; lgk <= 13; lgk += 3) {
        value = read_bytes(words.data, words.size, lgk);
        mine = counted(lgk, 10000);
        expect(value.data && same_value(value, mine), "at lgk %u", lgk);
        release_bytes(value);
        release_bytes(mine);
    }
    memory_release((void *)words.data, NULL);
    release_bytes(many);
    conclude("lgk holds every hash, or drops some");
}

static void
test_refusals(void)
{
    static const struct {
        const char *hex, *reason;
    } wrong[] = {
        {"", "Not a compact theta sketch of DataSketches"},
        {"01030300001acc", "Not a compact theta sketch of DataSketches"},
        {"0103020000"
         "1acc93" ONE,
         "Not a compact theta sketch of DataSketches"},
        {"0105030000"
         "1acc93" ONE,
         "Unknown serial version"},
        {"0103030000"
         "1bcc93" ONE,
         "Big-endian sketches are not read"},
        {"0403030000"
         "1acc93" ONE,
         "Words of the preamble"},
        {"0201030000"
         "1a0000"
         "0000000000000000",
         "Words of the preamble"},
        {"0103030000"
         "1a3412" ONE,
         "Another seed than 9001 (hash of the seed)"},
        {"0103030000"
         "1acc93" ONE "00",
         "The length does not match the contents"},
        {"0103030000"
         "1acc93",
         "The length does not match the contents"},
        {"0203030000"
         "1acc93"
         "ffffffff00000000" ONE,
         "The length does not match the contents"},
        {"0203030000"
         "1acc93"
         "0200000000000000" TWO ONE,
         "Hashes that no items can produce"},
        {"0203030000"
         "1acc93"
         "0200000000000000" ONE ONE,
         "Hashes that no items can produce"},
        {"0103030000"
         "1acc93"
         "0000000000000000",
         "Hashes that no items can produce"},
        {"0103030000"
         "1acc93"
         "ffffffffffffffff",
         "Hashes that no items can produce"},
        {"0303030000"
         "1acc93"
         "0100000000000000"
         "0100000000000080" ONE,
         "Hashes that no items can produce"},
        {"0303030000"
         "1acc93"
         "0100000000000000" ONE ONE,
         "Hashes that no items can produce"},
        {"0104030001"
         "1acc93"
         "01",
         "Bits of a difference"},
        {"0104034001"
         "1acc93"
         "01",
         "Bits of a difference"},
        {"0104030100"
         "1acc93"
         "01",
         "Bytes of the number of hashes"},
        {"0104030105"
         "1acc93"
         "01",
         "Bytes of the number of hashes"},
        {"0304030101"
         "1acc93"
         "01",
         "Words of the preamble"},
        {"0104030101"
         "1a0000"
         "0180",
         "Another seed than 9001 (hash of the seed)"},
        {"0204030101"
         "1acc93"
         "01",
         "The length does not match the contents"},
        {"0104030104"
         "1acc93"
         "ffffffff80",
         "The length does not match the contents"},
        {"0104030101"
         "1acc93"
         "0100",
         "Hashes that no items can produce"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        SketchBytes value = read_hex(wrong[i].hex);

        expect(!value.data && strcmp(error.reason, wrong[i].reason) == 0, "%s: %s", wrong[i].hex,
               value.data ? "taken" : error.reason);
        if (value.data)
            release_bytes(value);
    }
    expect(read_hex("01030300001a3412" ONE).data == NULL && error.found == 0x1234 &&
               error.low == 0x93cc,
           "both hashes of the seed");
    conclude("what is no sketch is refused");
}

/* Small bytes that stand for many hashes take no more than they have to. */
static void
test_dense(void)
{
    static uint8_t bytes[BYTES_MAX];
    SketchBytes value;
    uint32_t count = (BYTES_MAX - 12) * 8;

    memset(bytes, 0xff, sizeof bytes);
    memcpy(bytes, (uint8_t[]){1, 4, 3, 1, 4, 26, 0xcc, 0x93}, 8);
    memcpy(bytes + 8, &count, 4);
    memory_used.largest = 0;
    value = read_bytes(bytes, sizeof bytes, 0);
    expect(value.data && theta_summary(value, &memory).count == count, "differences of one bit");
    expect(memory_used.largest < 64 * sizeof bytes, "%zu bytes", memory_used.largest);
    release_bytes(value);
    conclude("differences of one bit do not take much memory");
}

int
main(void)
{
    test_hashes();
    test_known();
    test_old_versions();
    test_round_trip();
    test_version_4();
    test_lgk();
    test_refusals();
    test_dense();
    expect(memory_used.pieces == 0, "%u pieces left", memory_used.pieces);
    conclude("no memory is left");
    return conclude_all();
}
