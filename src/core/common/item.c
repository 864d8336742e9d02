/*
 * item.c - texts that are the canonical form of a value, and the hash of that value.
 */
#include "item.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* ---- integers ---- */

static inline bool
are_digits(uint64_t eight)
{
    return (eight & EACH(0xf0)) == EACH(0x30) && ((eight + EACH(6)) & EACH(0xf0)) == EACH(0x30);
}

/* The number of eight digits, the first in the lowest byte: by pairs, then pairs of pairs. */
static inline uint64_t
number_of(uint64_t eight)
{
    eight -= EACH('0');
    eight = (eight * 10 + (eight >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    eight = (eight * 100 + (eight >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (eight * 10000 + (eight >> 32)) & UINT64_C(0xffffffff);
}

bool
item_read_integer(const uint8_t *text, size_t size, int64_t *integer)
{
    bool negative = size > 0 && text[0] == '-';
    const uint8_t *digits = text + negative;
    size_t left = size - negative;
    uint64_t value = 0, limit = (uint64_t)INT64_MAX + negative;

    /* 19 digits are less than 2^64. */
    if (left < 1 || left > 19 || (digits[0] == '0' && size > 1))
        return false;
    for (; left >= 8; left -= 8, digits += 8) {
        uint64_t eight = load_le64(digits);

        if (!are_digits(eight))
            return false;
        value = value * 100000000 + number_of(eight);
    }
    for (; left > 0; left--) {
        uint8_t digit = (uint8_t)(*digits++ - '0');

        if (digit > 9)
            return false;
        value = value * 10 + digit;
    }
    if (value > limit)
        return false;
    *integer = (int64_t)(negative ? -value : value);
    return true;
}

/* ---- uuids: 32 digits as four words, the first in the lowest byte ---- */

/*
 * Four bytes out of eight digits. *wrong gets bits if a character is neither a digit nor a letter a
 * to f: if its value does not print as that character, or if it is g to o, whose value is above 15.
 */
static inline uint32_t
read_hex(uint64_t digits, uint64_t *wrong)
{
    uint64_t letters = digits >> 6 & EACH(1);
    uint64_t values = (digits & EACH(15)) + letters * 9;
    uint64_t above_nine = (values + EACH(6)) >> 4 & EACH(1);

    *wrong |= (values + EACH('0') + above_nine * ('a' - '0' - 10)) ^ digits;
    *wrong |= values & EACH(0xf0);
    values = (values << 4 | values >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    values = (values | values >> 8) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(values | values >> 16);
}

bool
item_read_hex_portable(const uint64_t *digits, uint8_t *bytes)
{
    uint64_t wrong = 0;

    for (int i = 0; i < 4; i++)
        store_le32(bytes + 4 * i, read_hex(digits[i], &wrong));
    return wrong == 0;
}

#ifdef __SSE2__

/* The values of sixteen digits, a byte each; *good stays all ones where they are digits. */
static inline __m128i
hex_values(const uint64_t *digits, __m128i *good)
{
    __m128i text = _mm_loadu_si128((const __m128i *)digits);
    __m128i letters = _mm_cmpgt_epi8(text, _mm_set1_epi8('a' - 1));
    __m128i first = _mm_and_si128(letters, _mm_set1_epi8('a' - 10 - '0'));
    __m128i values = _mm_sub_epi8(_mm_sub_epi8(text, _mm_set1_epi8('0')), first);
    __m128i most = _mm_add_epi8(_mm_set1_epi8(9), _mm_and_si128(letters, _mm_set1_epi8(6)));

    *good = _mm_and_si128(*good, _mm_cmpeq_epi8(_mm_max_epu8(values, most), most));
    return values;
}

/* Eight bytes out of sixteen values, each byte in a lane of 16 bits. */
static inline __m128i
pairs_of(__m128i values)
{
    __m128i pairs = _mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8));

    return _mm_and_si128(pairs, _mm_set1_epi16(0xff));
}

static inline bool
read_hex_all(const uint64_t *digits, uint8_t *bytes)
{
    __m128i good = _mm_set1_epi8(-1);
    __m128i first = pairs_of(hex_values(digits, &good));
    __m128i second = pairs_of(hex_values(digits + 2, &good));

    _mm_storeu_si128((__m128i *)bytes, _mm_packus_epi16(first, second));
    return _mm_movemask_epi8(good) == 0xffff;
}

#else

static inline bool
read_hex_all(const uint64_t *digits, uint8_t *bytes)
{
    return item_read_hex_portable(digits, bytes);
}

#endif

bool
item_read_uuid(const uint8_t *text, uint8_t *uuid)
{
    uint64_t digits[4];

    if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-')
        return false;
    digits[0] = load_le64(text);
    digits[1] = load_le32(text + 9) | (uint64_t)load_le32(text + 14) << 32;
    digits[2] = load_le32(text + 19) | (uint64_t)load_le32(text + 24) << 32;
    digits[3] = load_le64(text + 28);
    return read_hex_all(digits, uuid);
}

/* ---- IPv4 addresses ---- */

size_t
item_write_ipv4(const uint8_t *address, char *text)
{
    char *end = text;

    for (int i = 0; i < 4; i++) {
        unsigned byte = address[i];

        if (i > 0)
            *end++ = '.';
        if (byte >= 100)
            *end++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *end++ = (char)('0' + byte / 10 % 10);
        *end++ = (char)('0' + byte % 10);
    }
    return (size_t)(end - text);
}

/* ---- hashes ---- */

bool
item_hash_value(const uint8_t *text, size_t size, uint64_t *hash)
{
    uint8_t uuid[ITEM_UUID_BYTES];
    int64_t integer;

    if (size == ITEM_UUID_SIZE) {
        if (!item_read_uuid(text, uuid))
            return false;
        *hash = hash_bytes(uuid, sizeof uuid);
        return true;
    }
    if (!item_read_integer(text, size, &integer))
        return false;
    *hash = hash_int64(integer);
    return true;
}

uint64_t
item_hash_double(double value)
{
    uint64_t bits = UINT64_C(0x7ff8000000000000);

    /* Both ends of the range of int64_t are doubles. NaN is not within. */
    if (value >= -0x1p63 && value < 0x1p63 && (double)(int64_t)value == value)
        return hash_int64((int64_t)value);
    if (value == value)
        memcpy(&bits, &value, sizeof bits);
    return hash_int64((int64_t)bits);
}
