/*
 * item.h - the hash of an item: an item is what it prints as.
 *
 * Drivers send parameters as text, and tables join columns of different types. So the number 3 has
 * one hash as integer, as floating point and as the text "3", and a uuid has the hash of its text.
 * An item is of the first kind that fits:
 *
 *   integer     an integral number within 64 bits of any numeric type; the canonical form of one as
 *               text: its 8 bytes
 *   uuid        a uuid, or its canonical form as text: its 16 bytes
 *   text        a text; anything else that prints in one way only, as what it prints: other
 *               numbers, network addresses. Their texts need not be looked at
 *   others      a type each: the bytes that hashed.c defines
 *
 * The hash is XXH3-64 with a seed of the kind's own. Without it two items of different kinds would
 * be one item wherever their bytes are the same: the text "AAAAAAAA" and the integer
 * 4702111234474983745, true and the bytea 01.
 *
 * A form is canonical if it is what the value prints as: no blank, no plus sign, no leading zero,
 * no capital. So equal texts stay equal, and different texts different.
 *
 * Most texts are words. For these only the length and the first byte are tested.
 */
#ifndef SKETCH_ITEM_H
#define SKETCH_ITEM_H

#include "core/common/hash.h"

#define ITEM_INTEGER_MAX 20 /* characters: a minus and 19 digits */
#define ITEM_UUID_SIZE 36
#define ITEM_UUID_BYTES 16

/* Characters of what is written below, at most. */
#define ITEM_INET_MAX 43    /* 8 words of 4 digits, and a prefix length of 3 digits */
#define ITEM_MACADDR_MAX 23 /* 8 bytes */
#define ITEM_PLAIN_MAX 345  /* a minus, "0.", 324 zeros, 17 digits */

/*
 * The seeds: XXH3-64 of the kind's name, so that their differences are without a pattern. Text,
 * whose items may be long, has no seed: XXH3 derives 192 bytes from it for items above 240 bytes.
 */
#define ITEM_SEED_TEXT UINT64_C(0)
#define ITEM_SEED_INTEGER UINT64_C(0xa9c89472289f6a93)
#define ITEM_SEED_UUID UINT64_C(0x1d9ee71295bba8ac)
#define ITEM_SEED_BOOLEAN UINT64_C(0x9800fe0b535ce50f)
#define ITEM_SEED_BYTEA UINT64_C(0x2d462665c9ba034a)
#define ITEM_SEED_DATE UINT64_C(0x972e5c7e55682a8f)
#define ITEM_SEED_TIME UINT64_C(0xe0c4b7971dcaa4d2)
#define ITEM_SEED_TIMETZ UINT64_C(0xe4907c9b6a8fa96d)
#define ITEM_SEED_TIMESTAMP UINT64_C(0x19b486fce0c34b26)
#define ITEM_SEED_TIMESTAMPTZ UINT64_C(0xaddeac7262097941)
#define ITEM_SEED_INTERVAL UINT64_C(0x58bc7738e94fae70)
#define ITEM_SEED_JSONB UINT64_C(0x5c0f548841491270)

/* The integer whose canonical form a text is, -2^63 .. 2^63 - 1; false if there is none. */
extern bool item_read_integer(const uint8_t *text, size_t size, int64_t *integer);

/* The 16 bytes of the uuid whose canonical form 36 characters are; false if there is none. */
extern bool item_read_uuid(const uint8_t *text, uint8_t *uuid);

/* 16 bytes out of 32 digits, four words of eight, as item_read_uuid does without SSE2. */
extern bool item_read_hex_portable(const uint64_t *digits, uint8_t *bytes);

/*
 * Writes an address of 4 or 16 bytes as PostgreSQL prints an inet, without a NUL: `prefix` is left
 * out if it is all bits. Returns the length of the text, at most ITEM_INET_MAX.
 */
extern size_t item_write_inet(const uint8_t *address, size_t size, unsigned prefix, char *text);

/* Writes the `size` bytes of a hardware address as PostgreSQL prints it; returns the length. */
extern size_t item_write_macaddr(const uint8_t *address, size_t size, char *text);

/*
 * Writes the shortest digits of a double, which may have an exponent (1.5e-07), as numeric prints
 * them (0.00000015). Returns the length, at most ITEM_PLAIN_MAX.
 */
extern size_t item_write_plain(const char *shortest, size_t size, char *text);

static inline uint64_t
item_hash_integer(int64_t integer)
{
    return hash_int64_seeded(integer, ITEM_SEED_INTEGER);
}

static inline uint64_t
item_hash_uuid(const uint8_t *uuid)
{
    return hash_seeded(uuid, ITEM_UUID_BYTES, ITEM_SEED_UUID);
}

/* The hash of the value whose canonical form a text is, of 1 to 20 or 36 bytes; false if none. */
extern bool item_hash_value(const uint8_t *text, size_t size, uint64_t *hash);

/*
 * False for most texts that are no canonical form, and for none that is. An integer begins with a
 * minus or a digit, and a long one ends in four digits, which dates and addresses do not. Only the
 * upper half of these digits is compared, so times, which have a colon there, are not excluded.
 */
static inline bool
item_may_be_value(const uint8_t *text, size_t size)
{
    if (size - 1 < ITEM_INTEGER_MAX)
        return (uint8_t)(text[0] - '-') <= '9' - '-' &&
               (size < 5 || (load_le32(text + size - 4) & 0xf0f0f0f0) == 0x30303030);
    return size == ITEM_UUID_SIZE;
}

static inline uint64_t
item_hash_text(const void *text, size_t size)
{
    uint64_t hash;

    if (item_may_be_value(text, size) && item_hash_value(text, size, &hash))
        return hash;
    return hash_bytes(text, size);
}

/* Converts a double to the same integer; false if there is none of 64 bits. */
static inline bool
item_is_integer(double value, int64_t *integer)
{
    /* Both ends of the range of int64_t are doubles. NaN is not within. */
    if (!(value >= -0x1p63 && value < 0x1p63))
        return false;
    *integer = (int64_t)value;
    return (double)*integer == value;
}

#endif
