/*
 * redis_payload.h - what Redis's DUMP answers, made here: strings in all their forms, a footer.
 */
#ifndef REDIS_PAYLOAD_H
#define REDIS_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAYLOAD_FOOTER 10

/* A payload being written; `data` must have room. */
typedef struct Payload {
    uint8_t *data;
    size_t size;
} Payload;

static inline void
payload_u8(Payload *p, unsigned byte)
{
    p->data[p->size++] = (uint8_t)byte;
}

static inline void
payload_bytes(Payload *p, const void *data, size_t size)
{
    if (size > 0)
        memcpy(p->data + p->size, data, size);
    p->size += size;
}

/* A length in one of its forms: of 6, 14, 32 or 64 bits. */
static inline void
payload_length(Payload *p, uint64_t length, unsigned bits)
{
    if (bits == 6)
        payload_u8(p, (unsigned)length & 63);
    else if (bits == 14) {
        payload_u8(p, 0x40 | (length >> 8 & 63));
        payload_u8(p, length & 255);
    } else {
        payload_u8(p, bits == 32 ? 0x80 : 0x81);
        for (unsigned i = bits; i > 0; i -= 8)
            payload_u8(p, length >> (i - 8) & 255);
    }
}

/* CRC-64 of Jones, one bit at a time, from its unreflected polynomial. */
static inline uint64_t
payload_crc(const uint8_t *data, size_t size)
{
    uint64_t reflected = 0; /* the register with its bits in reverse: the first in bit 63 */
    uint64_t crc = 0;

    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bit < 8; bit++) {
            uint64_t out = reflected >> 63 ^ (data[i] >> bit & 1);

            reflected = reflected << 1 ^ (out ? UINT64_C(0xad93d23594c935a9) : 0);
        }
    for (unsigned bit = 0; bit < 64; bit++)
        crc |= (reflected >> bit & 1) << (63 - bit);
    return crc;
}

/* Makes the last eight bytes the checksum of those before. */
static inline void
payload_seal(uint8_t *data, size_t size)
{
    uint64_t crc;

    if (size < 8)
        return;
    crc = payload_crc(data, size - 8);
    for (unsigned i = 0; i < 8; i++)
        data[size - 8 + i] = (uint8_t)(crc >> (8 * i));
}

static inline void
payload_finish(Payload *p)
{
    payload_u8(p, 12); /* RDB version */
    payload_u8(p, 0);
    p->size += 8;
    payload_seal(p->data, p->size);
}

/* The payload of a plain string, with its length in the shortest form. */
static inline void
payload_string(Payload *p, const void *data, size_t size)
{
    payload_u8(p, 0);
    payload_length(p, size, size < 64 ? 6 : size < 16384 ? 14 : 32);
    payload_bytes(p, data, size);
    payload_finish(p);
}

/* ---- fields of a module's value ---- */

static inline void
payload_double(Payload *p, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    payload_u8(p, 4);
    for (unsigned i = 0; i < 64; i += 8)
        payload_u8(p, bits >> i & 255);
}

/* As a server writes it: with the opcode of an unsigned field. */
static inline void
payload_signed(Payload *p, int64_t value)
{
    payload_u8(p, 2);
    payload_length(p, (uint64_t)value, value >= 0 && value < 64 ? 6 : 64);
}

static inline void
payload_module(Payload *p, uint64_t id)
{
    payload_u8(p, 7);
    payload_length(p, id, 64);
}

/* A field of bytes. */
static inline void
payload_field(Payload *p, const void *data, size_t size)
{
    payload_u8(p, 5);
    payload_length(p, size, size < 64 ? 6 : size < 16384 ? 14 : 32);
    payload_bytes(p, data, size);
}

static inline void
payload_module_end(Payload *p)
{
    payload_u8(p, 0);
    payload_finish(p);
}

/* ---- compression ---- */

/*
 * LZF in the plainest way that has matches in it: a run of one byte becomes a literal and matches
 * at distance 1, everything else literals. Returns the compressed size; `to` needs room for 33/32
 * of `size` and one more.
 */
static inline size_t
payload_lzf(const uint8_t *data, size_t size, uint8_t *to)
{
    size_t n = 0;

    for (size_t at = 0; at < size;) {
        size_t run = 0;

        if (at > 0)
            while (run < 264 && at + run < size && data[at + run] == data[at - 1])
                run++;
        if (run >= 9) {
            to[n++] = 7 << 5;
            to[n++] = (uint8_t)(run - 9);
            to[n++] = 0;
            at += run;
        } else if (run >= 3) {
            to[n++] = (uint8_t)((run - 2) << 5);
            to[n++] = 0;
            at += run;
        } else {
            to[n++] = 0;
            to[n++] = data[at++];
        }
    }
    return n;
}

#endif
