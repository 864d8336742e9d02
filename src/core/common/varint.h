/*
 * varint.h - integers of 7 bits a byte, the lowest first; the high bit is set on all but the last.
 */
#ifndef SKETCH_VARINT_H
#define SKETCH_VARINT_H

#include "bytes.h"

#define VARINT_MAX 10

static inline size_t
varint_bytes(uint64_t number)
{
    return (size_t)(63 - __builtin_clzll(number | 1)) / 7 + 1;
}

static inline uint8_t *
write_varint(uint8_t *to, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *to++ = (uint8_t)(number | 128);
    *to++ = (uint8_t)number;
    return to;
}

/* Only the shortest form of 64 bits is read; anything else sets `failed`. */
static inline uint64_t
read_varint(ByteReader *r)
{
    uint64_t number = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = read_u8(r);
        number |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 63);
    if (byte & 128) {
        byte = read_u8(r);
        number |= (uint64_t)byte << 63;
        if (byte != 1)
            r->failed = true;
    }
    if (byte == 0 && shift > 7)
        r->failed = true;
    return number;
}

/* Small integers of either sign as small ones of none. */
static inline uint64_t
zigzag(int64_t number)
{
    return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

static inline int64_t
unzigzag(uint64_t number)
{
    return (int64_t)(number >> 1 ^ -(number & 1));
}

#endif
