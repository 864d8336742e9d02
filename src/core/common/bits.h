/*
 * bits.h - bit strings, least significant bit of the first byte first.
 *
 * The writer does not know the size of its buffer: its callers compute the exact size before they
 * write, because a packed value is allocated to the byte. The reader never reads past its buffer;
 * bits behind the end are zeros, and `bits_overrun` says that some were read.
 */
#ifndef SKETCH_BITS_H
#define SKETCH_BITS_H

#include "bytes.h"

#define BITS_PEEK 57 /* bits that bits_peek always delivers */

typedef struct BitWriter {
    uint8_t *at;
    uint64_t pending;
    unsigned count; /* bits in pending, below 32 between calls */
} BitWriter;

typedef struct BitReader {
    const uint8_t *data;
    size_t size; /* bytes */
    uint64_t at; /* bit position */
} BitReader;

static inline BitWriter
bit_writer(uint8_t *at)
{
    return (BitWriter){at, 0, 0};
}

/* Appends the low `length` bits of `bits`; the others must be zero. At most 32 at a time. */
static inline void
bits_put(BitWriter *w, uint64_t bits, unsigned length)
{
    w->pending |= bits << w->count;
    w->count += length;
    if (w->count >= 32) {
        store_le32(w->at, (uint32_t)w->pending);
        w->at += 4;
        w->pending >>= 32;
        w->count -= 32;
    }
}

/*
 * Appends up to 56 bits like bits_put, but without a branch, which words of many lengths would make
 * hard to predict. With those pending they are at most 63; fewer than 8 are left pending. Writes 8
 * bytes, of which the last ones may be behind what is appended.
 */
static inline void
bits_put_wide(BitWriter *w, uint64_t bits, unsigned length)
{
    w->pending |= bits << w->count;
    w->count += length;
    store_le64(w->at, w->pending);
    w->at += w->count >> 3;
    w->pending >>= w->count & ~7u;
    w->count &= 7;
}

/* Appends n ones and a zero. */
static inline void
bits_put_unary(BitWriter *w, uint64_t n)
{
    for (; n >= 31; n -= 31)
        bits_put(w, (UINT64_C(1) << 31) - 1, 31);
    bits_put(w, (UINT64_C(1) << n) - 1, (unsigned)n + 1);
}

/* Writes what is pending, zero-padded to a byte; returns the end. */
static inline uint8_t *
bits_finish(BitWriter *w)
{
    for (; w->count > 0; w->count = w->count > 8 ? w->count - 8 : 0) {
        *w->at++ = (uint8_t)w->pending;
        w->pending >>= 8;
    }
    return w->at;
}

static inline BitReader
bit_reader(const uint8_t *data, size_t size)
{
    return (BitReader){data, size, 0};
}

/* The next bits without consuming them: at least BITS_PEEK valid ones. */
static inline uint64_t
bits_peek(const BitReader *r)
{
    uint64_t byte = r->at >> 3;
    uint64_t word = 0;

    if (byte + 8 <= r->size)
        word = load_le64(r->data + byte);
    else
        for (unsigned i = 0; byte + i < r->size; i++)
            word |= (uint64_t)r->data[byte + i] << (8 * i);
    return word >> (r->at & 7);
}

static inline uint64_t
bits_get(BitReader *r, unsigned length)
{
    uint64_t bits = bits_peek(r) & ((UINT64_C(1) << length) - 1);

    r->at += length;
    return bits;
}

/*
 * Counts ones up to and past the next zero. A result of `limit` means that there are that many or
 * more; the position is then of no use.
 */
static inline uint64_t
bits_get_unary(BitReader *r, uint64_t limit)
{
    uint64_t ones = 0;

    for (;;) {
        unsigned run = (unsigned)__builtin_ctzll(~bits_peek(r) | UINT64_C(1) << (BITS_PEEK - 1));

        ones += run;
        if (run < BITS_PEEK - 1) {
            r->at += run + 1;
            return ones < limit ? ones : limit;
        }
        r->at += run;
        if (ones >= limit)
            return limit;
    }
}

static inline bool
bits_overrun(const BitReader *r)
{
    return r->at > (uint64_t)r->size * 8;
}

#endif
