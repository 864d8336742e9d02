/*
 * test_item.c - texts that are the canonical form of a value, against what printf prints.
 */
#include "../check.h"

#include <errno.h>
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
        expected = hash_int64(integer);
    else if (strlen(text) == 36 && oracle_uuid(text, uuid))
        expected = hash_bytes(uuid, 16);
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
        expect(item_hash_text(text, strlen(text)) == hash_int64(i), "%s", text);
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
                       hash_int64(i % 2 ? -(int64_t)value : (int64_t)value),
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
        expect(item_hash_text(text, 36) == hash_bytes(uuid, 16), "%s", text);
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

/* ---- addresses and floating point ---- */

static void
test_ipv4(void)
{
    for (unsigned i = 0; i < 70000; i++) {
        uint32_t number = i < 256 ? i * 0x01010101 : (uint32_t)random_next(&numbers);
        uint8_t address[4] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16),
                              (uint8_t)(number >> 8), (uint8_t)number};
        char text[ITEM_IPV4_MAX + 1] = {0}, printed[32];
        size_t size = item_write_ipv4(address, text);

        sprintf(printed, "%u.%u.%u.%u", address[0], address[1], address[2], address[3]);
        expect(size == strlen(printed) && memcmp(text, printed, size) == 0, "%s", printed);
        expect(item_hash_text(text, size) == hash_bytes(text, size), "%s is text", printed);
    }
    conclude("addresses are written as they print, and are no number");
}

static uint64_t
bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void
test_doubles(void)
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
                                    0x1p51 + 0.5, -0x1p-1, 0.1,      -1e-300};

    for (size_t i = 0; i < sizeof integral / sizeof *integral; i++)
        expect(item_hash_double(integral[i].value) == hash_int64(integral[i].integer), "%g",
               integral[i].value);
    for (int i = 0; i < 10000; i++) {
        int64_t integer = (int64_t)random_next(&numbers) >> (11 + random_below(&numbers, 53));

        expect(item_hash_double((double)integer) == hash_int64(integer), "%" PRId64, integer);
    }
    conclude("an integral double hashes as the integer");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(item_hash_double(others[i]) == hash_int64((int64_t)bits_of(others[i])), "%g",
               others[i]);
    expect(item_hash_double(NAN) == hash_int64(INT64_C(0x7ff8000000000000)), "NaN");
    expect(item_hash_double(-NAN) == item_hash_double(NAN), "-NaN");
    expect(item_hash_double(nan("7")) == item_hash_double(NAN), "another NaN");
    conclude("other doubles as their bytes, NaN as one");
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
    test_ipv4();
    test_doubles();
    return conclude_all();
}
