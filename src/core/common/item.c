/*
 * item.c - texts that are the canonical form of a value, and the canonical forms of values.
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

/* ---- addresses ---- */

static char *
write_number(char *end, unsigned number)
{
    if (number >= 100)
        *end++ = (char)('0' + number / 100);
    if (number >= 10)
        *end++ = (char)('0' + number / 10 % 10);
    *end++ = (char)('0' + number % 10);
    return end;
}

static char *
write_ipv4(char *end, const uint8_t *address)
{
    for (int i = 0; i < 4; i++) {
        if (i > 0)
            *end++ = '.';
        end = write_number(end, address[i]);
    }
    return end;
}

static inline char
hex_digit(unsigned value)
{
    return "0123456789abcdef"[value & 15];
}

/* A word of 16 bits without leading zeros. */
static char *
write_word(char *end, unsigned word)
{
    for (int shift = 12; shift > 0; shift -= 4)
        if (word >> shift != 0)
            *end++ = hex_digit(word >> shift);
    *end++ = hex_digit(word);
    return end;
}

/*
 * The longest run of zeros, the first of several, is written as "::" if it has two words or more.
 * After ten zero bytes and ffff, or twelve zero bytes, the rest is written as an IPv4 address.
 */
static char *
write_ipv6(char *end, const uint8_t *address)
{
    unsigned words[8], zeros = 0, start = 0, length = 1;

    for (unsigned i = 0; i < 8; i++) {
        words[i] = (unsigned)(address[2 * i] << 8 | address[2 * i + 1]);
        zeros = words[i] == 0 ? zeros + 1 : 0;
        if (zeros > length) {
            length = zeros;
            start = i + 1 - zeros;
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        if (length > 1 && i == start) {
            *end++ = ':';
            i += length;
            if (i == 8) {
                *end++ = ':';
                break;
            }
        }
        if (i > 0)
            *end++ = ':';
        if (i == 6 && start == 0 && (length == 6 || (length == 5 && words[5] == 0xffff)))
            return write_ipv4(end, address + 12);
        end = write_word(end, words[i]);
    }
    return end;
}

size_t
item_write_inet(const uint8_t *address, size_t size, unsigned prefix, char *text)
{
    char *end = size == 4 ? write_ipv4(text, address) : write_ipv6(text, address);

    if (prefix != 8 * size) {
        *end++ = '/';
        end = write_number(end, prefix);
    }
    return (size_t)(end - text);
}

size_t
item_write_macaddr(const uint8_t *address, size_t size, char *text)
{
    for (size_t i = 0; i < size; i++, text += 3) {
        text[0] = hex_digit(address[i] >> 4);
        text[1] = hex_digit(address[i]);
        if (i + 1 < size)
            text[2] = ':';
    }
    return 3 * size - 1;
}

/* ---- floating point ---- */

/* An exponent comes after one digit before the point: -d.ddde-07. */
size_t
item_write_plain(const char *shortest, size_t size, char *text)
{
    const char *e = memchr(shortest, 'e', size), *from = shortest;
    char digits[32], *end = text;
    int count = 0, whole, exponent = 0;

    if (!e) {
        memcpy(text, shortest, size);
        return size;
    }
    for (const char *at = e + 2; at < shortest + size; at++)
        exponent = exponent * 10 + (*at - '0');
    whole = 1 + (e[1] == '-' ? -exponent : exponent);
    if (*from == '-')
        *end++ = *from++;
    for (; from < e; from++)
        if (*from != '.')
            digits[count++] = *from;
    if (whole <= 0) {
        memset(end, '0', (size_t)(2 - whole));
        end[1] = '.';
        end += 2 - whole;
        whole = count;
    }
    for (int i = 0; i < count || i < whole; i++) {
        if (i == whole)
            *end++ = '.';
        *end++ = i < count ? digits[i] : '0';
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
        *hash = item_hash_uuid(uuid);
        return true;
    }
    if (!item_read_integer(text, size, &integer))
        return false;
    *hash = item_hash_integer(integer);
    return true;
}
