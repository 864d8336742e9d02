/*
 * item.h - the hash of an item: an item is what it prints as.
 *
 * Drivers send parameters as text, and tables join columns of different types. So the number 3 has
 * one hash as integer, as floating point and as the text "3", and a uuid has the hash of its text:
 *
 *   integer                    hash_int64
 *   floating point             an integral number within 64 bits: like that integer; otherwise the
 *                              8 bytes of the double, every NaN as one
 *   text                       the canonical form of an integer: like that integer; the canonical
 *                              form of a uuid: like its 16 bytes; otherwise the bytes of the text
 *   IPv4 address               like its text
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
#define ITEM_IPV4_MAX 15

/* The integer whose canonical form a text is, -2^63 .. 2^63 - 1; false if there is none. */
extern bool item_read_integer(const uint8_t *text, size_t size, int64_t *integer);

/* The 16 bytes of the uuid whose canonical form 36 characters are; false if there is none. */
extern bool item_read_uuid(const uint8_t *text, uint8_t *uuid);

/* 16 bytes out of 32 digits, four words of eight, as item_read_uuid does without SSE2. */
extern bool item_read_hex_portable(const uint64_t *digits, uint8_t *bytes);

/* Writes the four bytes of an address as text, without a NUL; returns its length. */
extern size_t item_write_ipv4(const uint8_t *address, char *text);

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

extern uint64_t item_hash_double(double value);

#endif
