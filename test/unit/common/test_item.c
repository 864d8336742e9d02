/*
 * test_item.c - texts that are the canonical form of a value, against what printf prints.
 */
#include "../check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/common/item.h"

static Random numbers = {1};

/* ---- oracles ---- */

/* The integer that prints as this text. */
static bool
oracle_integer(const char *text, int64_t *integer)
{
    char printed[32];
    long long value;

    errno = 0;
    value = strtoll(text, NULL, 10);
    snprintf(printed, sizeof printed, "%lld", value);
    *integer = value;
    return errno == 0 && strcmp(printed, text) == 0;
}

static void
print_uuid(const uint8_t *uuid, char *text)
{
    for (int i = 0; i < 16; i++)
        text += sprintf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

/* The uuid that prints as this text of 36 characters. */
static bool
oracle_uuid(const char *text, uint8_t *uuid)
{
    char digits[33], printed[37];
    unsigned count = 0;

    for (const char *c = text; *c; c++)
        if (*c != '-' && count < 32)
            digits[count++] = *c;
    digits[count] = '\0';
    if (count < 32)
        return false;
    for (int i = 0; i < 16; i++) {
        char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};

        uuid[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    print_uuid(uuid, printed);
    return strcmp(printed, text) == 0;
}

/* What item_hash_text has to say, in plain words. Texts are copied to where no byte follows. */
static void
expect_hash(const char *text)
{
    Bytes exact = bytes_copy(text, strlen(text));
    uint64_t hash = item_hash_text(exact.data, exact.size), expected;
    uint8_t uuid[16];
    int64_t integer;

    if (oracle_integer(text, &integer))
        expected = item_hash_integer(integer);
    else if (strlen(text) == 36 && oracle_uuid(text, uuid))
        expected = item_hash_uuid(uuid);
    else
        expected = hash_bytes(text, strlen(text));
    expect(hash == expected, "\"%s\"", text);
    free(exact.data);
}

/* ---- integers ---- */

static void
test_integers(void)
{
    char text[32];

    for (int64_t i = -20000; i <= 20000; i++) {
        sprintf(text, "%" PRId64, i);
        expect_hash(text);
        expect(item_hash_text(text, strlen(text)) == item_hash_integer(i), "%s", text);
    }
    for (int digits = 1; digits <= 19; digits++)
        for (int i = 0; i < 300; i++) {
            uint64_t power = 1, value;

            for (int d = 1; d < digits; d++)
                power *= 10;
            value = power +
                    random_below(&numbers, power > INT64_MAX / 10 ? INT64_MAX - power : 9 * power);
            sprintf(text, "%s%" PRIu64, i % 2 ? "-" : "", value);
            expect_hash(text);
            expect(item_hash_text(text, strlen(text)) ==
                       item_hash_integer(i % 2 ? -(int64_t)value : (int64_t)value),
                   "%s", text);
        }
    conclude("an integer's text hashes as the integer");
}

/* Each is no canonical form of an integer, or is at the edge of those. */
static void
test_edges(void)
{
    static const char *const texts[] = {
        "",
        "-",
        "--1",
        "+1",
        "00",
        "-0",
        "01",
        "-01",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "0x1",
        "1_0",
        "1-1",
        "12-3",
        "1:",
        "1/",
        "/1",
        ".1",
        "1,000",
        "９",
        "00012",
        "-00012",
        "12345678-",
        "1234-5678",
        "12345678901234567/",
        "9223372036854775806",
        "9223372036854775807",
        "9223372036854775808",
        "9223372036854775809",
        "-9223372036854775807",
        "-9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "-9999999999999999999",
        "10000000000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "-10000000000000000000",
        "09223372036854775807",
        "2026-11-22",
        "12:30",
        "10.20.30.40",
        "1.2.3.4",
        "12345678:",
        "1234567:",
        "123456789012345;",
        "-1234567a",
        "1234567890123456a",
        "a1234567",
        "\xb1\xb2\xb3\xb4",
        "1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_hash(texts[i]);
    conclude("what is no canonical form keeps its bytes");
}

/* Canonical texts with one character changed, added or left out. */
static void
test_near_integers(void)
{
    static const char characters[] = "0123456789-+. /:;abz\xb1\x10";

    for (int i = 0; i < 40000; i++) {
        char text[32];
        size_t size, at;
        char c = characters[random_below(&numbers, sizeof characters - 1)];

        sprintf(text, "%" PRId64,
                (int64_t)(random_next(&numbers) >> random_below(&numbers, 64)) *
                    (random_below(&numbers, 2) ? 1 : -1));
        size = strlen(text);
        at = random_below(&numbers, size);
        switch (random_below(&numbers, 3)) {
        case 0:
            text[at] = c;
            break;
        case 1:
            memmove(text + at + 1, text + at, size - at + 1);
            text[at] = c;
            break;
        default:
            memmove(text + at, text + at + 1, size - at);
        }
        expect_hash(text);
    }
    conclude("an integer's text with one character changed is told from one");
}

/* The first look never turns a canonical form away: all others are only slower. */
static void
test_first_look(void)
{
    for (int i = 0; i < 20000; i++) {
        char text[40];
        int64_t integer = (int64_t)(random_next(&numbers) >> random_below(&numbers, 64));

        sprintf(text, "%" PRId64, i % 2 ? integer : -integer);
        expect(item_may_be_value((const uint8_t *)text, strlen(text)), "%s", text);
    }
    expect(!item_may_be_value((const uint8_t *)"", 0), "no text");
    expect(!item_may_be_value((const uint8_t *)"word", 4), "a word");
    expect(!item_may_be_value((const uint8_t *)"2026-11-22", 10), "a date");
    expect(!item_may_be_value((const uint8_t *)"123456789012345678901", 21), "too long");
    conclude("the first look turns no integer away");
}

/* ---- uuids ---- */

static void
test_uuids(void)
{
    uint8_t uuid[16];
    char text[40];

    for (int i = 0; i < 20000; i++) {
        for (int b = 0; b < 16; b++)
            uuid[b] = (uint8_t)random_next(&numbers);
        if (i < 256)
            memset(uuid, i, sizeof uuid);
        print_uuid(uuid, text);
        expect(item_hash_text(text, 36) == item_hash_uuid(uuid), "%s", text);
        expect_hash(text);
    }
    conclude("a uuid's text hashes as its bytes");

    /* Every byte in every place. */
    print_uuid(uuid, text);
    for (int at = 0; at < 36; at++)
        for (int c = 1; c < 256; c++) {
            char before = text[at];

            text[at] = (char)c;
            expect_hash(text);
            text[at] = before;
        }
    conclude("and with any other character in it as text");
    text[35] = '\0';
    expect_hash(text);
    expect_hash("00112233445566778899aabbccddeeff");
    expect_hash("{00112233-4455-6677-8899-aabbccddee}");
    expect_hash("00112233-4455-6677-8899-AABBCCDDEEFF");
    conclude("other forms of a uuid are text");
}

/* Both ways to read digits, for whatever this is compiled for. */
static void
test_portable(void)
{
    for (int i = 0; i < 50000; i++) {
        static const char characters[] = "0123456789abcdef0123456789abcdef/:`gAF@\xe1\x80";
        char text[37], digits[32];
        uint64_t words[4];
        uint8_t bytes[16], uuid[16];
        unsigned count = 0;
        bool good;

        for (int c = 0; c < 36; c++) {
            text[c] = characters[random_below(&numbers, i % 8 ? 16 : sizeof characters - 1)];
            if (c == 8 || c == 13 || c == 18 || c == 23)
                text[c] = '-';
            else
                digits[count++] = text[c];
        }
        text[36] = '\0';
        for (int w = 0; w < 4; w++)
            words[w] = load_le64((const uint8_t *)digits + 8 * w);
        good = oracle_uuid(text, uuid);
        expect(item_read_hex_portable(words, bytes) == good, "%s", text);
        if (good) {
            expect(memcmp(bytes, uuid, 16) == 0, "%s, portable", text);
            expect(item_read_uuid((const uint8_t *)text, bytes), "%s is read", text);
            expect(memcmp(bytes, uuid, 16) == 0, "%s, bytes", text);
        } else
            expect(!item_read_uuid((const uint8_t *)text, bytes), "%s is not read", text);
    }
    conclude("with and without SSE2 alike");
}

/* ---- addresses ---- */

static void
expect_address(const uint8_t *address, int size, unsigned prefix)
{
    char text[ITEM_INET_MAX], printed[INET6_ADDRSTRLEN + 4];
    size_t length = item_write_inet(address, (size_t)size, prefix, text);
    int64_t integer;

    inet_ntop(size == 4 ? AF_INET : AF_INET6, address, printed, INET6_ADDRSTRLEN);
    if (prefix != 8 * (unsigned)size)
        sprintf(printed + strlen(printed), "/%u", prefix);
    expect(length == strlen(printed) && memcmp(text, printed, length) == 0, "%s is %.*s", printed,
           (int)length, text);
    expect(!item_read_integer((const uint8_t *)text, length, &integer), "%s is text", printed);
}

/*
 * Words of 1 to 4 digits, most of them zero, so that runs of zeros of every length are at every
 * place.
 */
static void
test_addresses(void)
{
    uint8_t address[16];

    for (unsigned i = 0; i < 70000; i++) {
        store_le32(address, i < 256 ? i * 0x01010101 : (uint32_t)random_next(&numbers));
        expect_address(address, 4, i % 2 ? 32 : i / 2 % 33);
    }
    for (unsigned i = 0; i < 200000; i++) {
        for (int word = 0; word < 8; word++) {
            unsigned value = (uint16_t)random_next(&numbers) >> 4 * random_below(&numbers, 4);

            value = i & 1u << word ? 0 : random_below(&numbers, 4) ? value : 0xffff;
            address[2 * word] = (uint8_t)(value >> 8);
            address[2 * word + 1] = (uint8_t)value;
        }
        expect_address(address, 16, i % 3 ? 128 : i / 3 % 129);
    }
    for (unsigned i = 0; i < 1000; i++) {
        char text[ITEM_MACADDR_MAX], printed[32];
        size_t size = i % 2 ? 6 : 8;

        store_le64(address, random_next(&numbers));
        for (size_t byte = 0; byte < size; byte++)
            sprintf(printed + 3 * byte, "%02x:", address[byte]);
        expect(item_write_macaddr(address, size, text) == 3 * size - 1 &&
                   memcmp(text, printed, 3 * size - 1) == 0,
               "%s", printed);
    }
    conclude("addresses are written as they print, and are no number");
}

/* ---- floating point ---- */

static void
test_integral(void)
{
    static const struct {
        double value;
        int64_t integer;
    } integral[] = {
        {0.0, 0},
        {-0.0, 0},
        {3.0, 3},
        {-1.0, -1},
        {0x1p53, INT64_C(1) << 53},
        {0x1p53 + 2, (INT64_C(1) << 53) + 2},
        {0x1p62, INT64_C(1) << 62},
        {-0x1p63, INT64_MIN},
        {0x1p63 - 1024, INT64_MAX - 1023},
    };
    static const double others[] = {0.5,          1.5,     -2.5,     0x1p63,    -0x1p63 - 2048,
                                    1e300,        5e-324,  INFINITY, -INFINITY, 1e19,
                                    0x1p51 + 0.5, -0x1p-1, 0.1,      -1e-300,   NAN};
    int64_t integer;

    for (size_t i = 0; i < sizeof integral / sizeof *integral; i++)
        expect(item_is_integer(integral[i].value, &integer) && integer == integral[i].integer, "%g",
               integral[i].value);
    for (int i = 0; i < 10000; i++) {
        int64_t number = (int64_t)random_next(&numbers) >> (11 + random_below(&numbers, 53));

        expect(item_is_integer((double)number, &integer) && integer == number, "%" PRId64, number);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(!item_is_integer(others[i], &integer), "%g", others[i]);
    conclude("an integral double is that integer, others are none");
}

static void
test_plain(void)
{
    static const char *const known[][2] = {
        {"1.5", "1.5"},
        {"-0.0001", "-0.0001"},
        {"NaN", "NaN"},
        {"-Infinity", "-Infinity"},
        {"1e-05", "0.00001"},
        {"-1.5e-07", "-0.00000015"},
        {"1e+22", "10000000000000000000000"},
        {"-9.223372036854776e+18", "-9223372036854776000"},
        {"1.2345678901234565e+15", "1234567890123456.5"},
        {"1.2345678901234565e+16", "12345678901234565"},
        {"1.2345678901234565e+17", "123456789012345650"},
    };
    char plain[ITEM_PLAIN_MAX + 1];
    size_t longest = 0;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        Bytes exact = bytes_copy(known[i][0], strlen(known[i][0]));
        size_t size = item_write_plain((const char *)exact.data, exact.size, plain);

        expect(size == strlen(known[i][1]) && memcmp(plain, known[i][1], size) == 0, "%s is %.*s",
               known[i][0], (int)size, plain);
        free(exact.data);
    }
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = random_next(&numbers);
        char shortest[32];
        double value;

        memcpy(&value, &bits, sizeof value);
        if (i < 4)
            value = i == 0   ? 5e-324
                    : i == 1 ? -2.2250738585072014e-308
                    : i == 2 ? DBL_MAX
                             : 4.5e-323;
        if (!isfinite(value))
            continue;
        for (int digits = 0; digits < 17; digits++) {
            sprintf(shortest, "%.*e", digits, value);
            if (strtod(shortest, NULL) == value)
                break;
        }
        plain[item_write_plain(shortest, strlen(shortest), plain)] = '\0';
        longest = strlen(plain) > longest ? strlen(plain) : longest;
        expect(strtod(plain, NULL) == value && !strchr(plain, 'e'), "%s is %s", shortest, plain);
    }
    expect(longest <= ITEM_PLAIN_MAX, "%zu characters", longest);
    conclude("the digits of a double without its exponent");
}

/* ---- kinds ---- */

static void
test_seeds(void)
{
    static const struct {
        const char *name;
        uint64_t seed;
    } seeds[] = {
        {"integer", ITEM_SEED_INTEGER},
        {"uuid", ITEM_SEED_UUID},
        {"boolean", ITEM_SEED_BOOLEAN},
        {"bytea", ITEM_SEED_BYTEA},
        {"date", ITEM_SEED_DATE},
        {"time", ITEM_SEED_TIME},
        {"timetz", ITEM_SEED_TIMETZ},
        {"timestamp", ITEM_SEED_TIMESTAMP},
        {"timestamptz", ITEM_SEED_TIMESTAMPTZ},
        {"interval", ITEM_SEED_INTERVAL},
        {"jsonb", ITEM_SEED_JSONB},
    };

    expect(ITEM_SEED_TEXT == 0, "text");
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        expect(seeds[i].seed == hash_bytes(seeds[i].name, strlen(seeds[i].name)), "%s: %llx",
               seeds[i].name, (unsigned long long)hash_bytes(seeds[i].name, strlen(seeds[i].name)));
    conclude("a seed is the hash of its kind's name");
}

static int
compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

/*
 * The bytes of an item alone: 0 to 16 of them, as a text, a bytea, and what else has that length.
 */
static void
test_kinds(void)
{
    enum { ITEMS = 1000000 };
    uint64_t *hashes = malloc(ITEMS * sizeof *hashes);
    unsigned count = 0;

    for (unsigned i = 0; count + 7 < ITEMS; i++) {
        size_t size = i % 2 ? 8 : 16;
        uint8_t bytes[16];
        int64_t number;

        store_le64(bytes, i | UINT64_C(0x4141414141414141) << 24);
        store_le64(bytes + 8, i);
        number = (int64_t)load_le64(bytes);
        hashes[count++] = item_hash_text(bytes, size);
        hashes[count++] = hash_seeded(bytes, size, ITEM_SEED_BYTEA);
        hashes[count++] = size == 16 ? item_hash_uuid(bytes) : item_hash_integer(number);
        hashes[count++] = size == 16 ? hash_seeded(bytes, size, ITEM_SEED_INTERVAL)
                                     : hash_int64_seeded(number, ITEM_SEED_DATE);
        if (size == 16)
            continue;
        hashes[count++] = hash_int64_seeded(number, ITEM_SEED_TIME);
        hashes[count++] = hash_int64_seeded(number, ITEM_SEED_TIMESTAMP);
        hashes[count++] = hash_int64_seeded(number, ITEM_SEED_TIMESTAMPTZ);
    }
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (unsigned i = 1; i < count; i++)
        expect(hashes[i - 1] != hashes[i], "item %u", i);
    free(hashes);
    conclude(
        "a million items whose bytes are those of items of other kinds have hashes of their own");
}

int
main(void)
{
    test_integers();
    test_edges();
    test_near_integers();
    test_first_look();
    test_uuids();
    test_portable();
    test_addresses();
    test_integral();
    test_plain();
    test_seeds();
    test_kinds();
    return conclude_all();
}
