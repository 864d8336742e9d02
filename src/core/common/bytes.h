/*
 * bytes.h - little-endian numbers, and a reader that cannot leave its buffer.
 *
 * Packed values are little-endian, as is the processor (src/pg/shared/compat.h refuses others), and
 * unaligned: memcpy compiles to one load. Big-endian numbers occur in formats of other systems and
 * in the binary form of geohash.
 */
#ifndef SKETCH_BYTES_H
#define SKETCH_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t
load_le16(const uint8_t *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint32_t
load_le32(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t
load_le64(const uint8_t *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static inline void
store_le16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void
store_le32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline void
store_le64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

static inline double
load_le_double(const uint8_t *p)
{
    uint64_t bits = load_le64(p);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float
load_le_float(const uint8_t *p)
{
    uint32_t bits = load_le32(p);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline void
store_le_double(uint8_t *p, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    store_le64(p, bits);
}

/*
 * Reads from the front of a buffer. Reading past the end sets `failed` and yields zeros, so a
 * parser may check once per step instead of once per byte.
 */
typedef struct ByteReader {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
} ByteReader;

static inline ByteReader
byte_reader(const uint8_t *data, size_t size)
{
    return (ByteReader){data, data + size, false};
}

static inline size_t
bytes_left(const ByteReader *r)
{
    return (size_t)(r->end - r->at);
}

/* The next n bytes, or NULL when fewer are left. */
static inline const uint8_t *
read_span(ByteReader *r, size_t n)
{
    const uint8_t *span = r->at;

    if (n > bytes_left(r)) {
        r->failed = true;
        r->at = r->end;
        return NULL;
    }
    r->at += n;
    return span;
}

static inline uint8_t
read_u8(ByteReader *r)
{
    const uint8_t *p = read_span(r, 1);

    return p ? *p : 0;
}

static inline uint32_t
read_le32(ByteReader *r)
{
    const uint8_t *p = read_span(r, 4);

    return p ? load_le32(p) : 0;
}

static inline uint64_t
read_le64(ByteReader *r)
{
    const uint8_t *p = read_span(r, 8);

    return p ? load_le64(p) : 0;
}

static inline double
read_le_double(ByteReader *r)
{
    const uint8_t *p = read_span(r, 8);

    return p ? load_le_double(p) : 0;
}

static inline uint16_t
read_be16(ByteReader *r)
{
    const uint8_t *p = read_span(r, 2);

    return p ? (uint16_t)(p[0] << 8 | p[1]) : 0;
}

static inline uint32_t
read_be32(ByteReader *r)
{
    const uint8_t *p = read_span(r, 4);

    return p ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3] : 0;
}

static inline uint64_t
read_be64(ByteReader *r)
{
    uint64_t high = read_be32(r);

    return high << 32 | read_be32(r);
}

/* Store a number and return the place for the next one; the caller has made room. */
static inline uint8_t *
write_u8(uint8_t *at, uint8_t v)
{
    *at = v;
    return at + sizeof v;
}

static inline uint8_t *
write_le32(uint8_t *at, uint32_t v)
{
    store_le32(at, v);
    return at + sizeof v;
}

static inline uint8_t *
write_le64(uint8_t *at, uint64_t v)
{
    store_le64(at, v);
    return at + sizeof v;
}

static inline uint8_t *
write_le_double(uint8_t *at, double v)
{
    store_le_double(at, v);
    return at + sizeof v;
}

#endif
