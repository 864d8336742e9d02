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

/* Reads a number of 64 bits in its shortest form; anything else sets `failed`. */
static inline uint64_t
read_varint(ByteReader *r)
{
    const uint8_t *at = r->at;
    size_t most = bytes_left(r) < VARINT_MAX ? bytes_left(r) : VARINT_MAX, size = 1;
    uint64_t number;

    if (most > 0 && at[0] < 128) {
        r->at++;
        return at[0];
    }
    number = most > 0 ? at[0] & 127 : 0;
    for (; size < most; size++) {
        number |= (uint64_t)(at[size] & 127) << 7 * size;
        if (at[size] < 128)
            break;
    }
    /* The last byte is there and not 0; the tenth has one bit of the number. */
    if (size >= most || at[size] == 0 || (size == VARINT_MAX - 1 && at[size] > 1)) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    r->at += size + 1;
    return number;
}

/* Signed integers as unsigned ones, small ones as small ones: 0, -1, 1, -2 as 0, 1, 2, 3. */
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
