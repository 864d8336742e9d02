/*
 * redis_write.c - payloads of Redis's DUMP command, written. Their layout: redis_dump.c.
 *
 * Bytes are those of a server, compressed strings included. The compressor is LZF's: a table of
 * 65,536 positions, found by a hash of three bytes, offers one earlier place to copy from. A copy
 * reaches back 8 kB and takes 3 to 264 bytes; what cannot be copied is written in runs of at most
 * 32 bytes. After a copy the positions of its last two bytes enter the table.
 */
#include "redis_dump.h"

#include "polled.h"

#define RDB_VERSION 12
#define COMPRESSED_MIN 21 /* shorter strings are not compressed */
#define RUN_MAX 32
#define COPY_MAX 264
#define DISTANCE_MAX 8192
#define POSITIONS 65536

static uint8_t *
write_be(uint8_t *at, uint64_t number, unsigned bytes)
{
    while (bytes-- > 0)
        *at++ = (uint8_t)(number >> 8 * bytes);
    return at;
}

static uint8_t *
write_length(uint8_t *at, uint64_t length)
{
    if (length < 64)
        return write_be(at, length, 1);
    if (length < 16384)
        return write_be(at, length | 0x4000, 2);
    if (length <= UINT32_MAX)
        return write_be(write_be(at, 0x80, 1), length, 4);
    return write_be(write_be(at, 0x81, 1), length, 8);
}

/* ---- compression ---- */

typedef struct Lzf {
    const uint8_t *in;
    size_t size;
    uint8_t *out;
    size_t written, most;
    size_t run; /* where bytes begin that are not written yet */
    uint32_t *positions;
} Lzf;

static uint32_t
hash_at(const Lzf *z, size_t at)
{
    uint32_t bytes = (uint32_t)z->in[at] << 16 | (uint32_t)z->in[at + 1] << 8 | z->in[at + 2];

    return ((bytes >> 8) - bytes * 5) & (POSITIONS - 1);
}

/* Writes what is pending up to `end`, in runs; false where there is no room. */
static bool
write_runs(Lzf *z, size_t end)
{
    while (z->run < end) {
        size_t run = end - z->run < RUN_MAX ? end - z->run : RUN_MAX;

        if (z->written + run + 1 > z->most)
            return false;
        z->out[z->written++] = (uint8_t)(run - 1);
        memcpy(z->out + z->written, z->in + z->run, run);
        z->written += run;
        z->run += run;
    }
    return true;
}

/* Counts the bytes at `at` repeating those at `from`, as LZF does; the first three are known to. */
static size_t
copy_length(const Lzf *z, size_t from, size_t at)
{
    size_t most = z->size - at - 2, length = 2;

    most = most < COPY_MAX ? most : COPY_MAX;
    if (most > 16)
        while (length < 18) {
            length++;
            if (z->in[from + length] != z->in[at + length])
                return length;
        }
    do
        length++;
    while (length < most && z->in[from + length] == z->in[at + length]);
    return length;
}

static bool
write_copy(Lzf *z, size_t distance, size_t length)
{
    if (z->written + 3 > z->most)
        return false;
    length -= 2;
    if (length < 7) {
        z->out[z->written++] = (uint8_t)(distance >> 8 | length << 5);
    } else {
        z->out[z->written++] = (uint8_t)(distance >> 8 | 7 << 5);
        z->out[z->written++] = (uint8_t)(length - 7);
    }
    z->out[z->written++] = (uint8_t)distance;
    return true;
}

/* The compressed size, or 0 where it would be more than `most`. */
static size_t
compress(SketchBytes string, uint8_t *out, size_t most, const SketchMemory *memory)
{
    Lzf z = {.in = string.data, .size = string.size, .out = out, .most = most};
    size_t at = 0, steps = 0;
    bool fits = true;

    z.positions = memory->scratch(POSITIONS * sizeof *z.positions, memory->context);
    memset(z.positions, 0, POSITIONS * sizeof *z.positions);
    while (fits && at + 2 < z.size) {
        uint32_t *position = &z.positions[hash_at(&z, at)];
        size_t from = *position;

        *position = (uint32_t)at;
        if (from > 0 && at - from <= DISTANCE_MAX && memcmp(z.in + from, z.in + at, 3) == 0) {
            size_t length = copy_length(&z, from, at);

            fits = write_runs(&z, at) && write_copy(&z, at - from - 1, length);
            at += length;
            z.run = at;
            if (at + 2 >= z.size)
                break;
            z.positions[hash_at(&z, at - 2)] = (uint32_t)at - 2;
            z.positions[hash_at(&z, at - 1)] = (uint32_t)at - 1;
        } else {
            at++;
        }
        sketch_poll(memory, &steps, 4);
    }
    fits = fits && write_runs(&z, z.size);
    memory->release(z.positions, memory->context);
    return fits ? z.written : 0;
}

/* ---- fields ---- */

uint8_t *
redis_write_module(uint8_t *at, uint64_t id)
{
    *at++ = 7;
    *at++ = 0x81;
    return write_be(at, id, 8);
}

uint8_t *
redis_write_number(uint8_t *at, uint64_t number)
{
    *at++ = 2;
    return write_length(at, number);
}

uint8_t *
redis_write_string(uint8_t *at, SketchBytes string, const SketchMemory *memory)
{
    uint8_t *packed;
    size_t size;

    *at++ = 5;
    if (string.size >= COMPRESSED_MIN) {
        packed = memory->scratch(string.size, memory->context);
        size = compress(string, packed, string.size - 4, memory);
        if (size > 0) {
            *at++ = 0xc3;
            at = write_length(write_length(at, size), string.size);
            polled_copy(at, packed, size, memory);
        }
        memory->release(packed, memory->context);
        if (size > 0)
            return at + size;
    }
    at = write_length(at, string.size);
    polled_copy(at, string.data, string.size, memory);
    return at + string.size;
}

uint8_t *
redis_write_end(uint8_t *start, uint8_t *at, const SketchMemory *memory)
{
    *at++ = 0;
    store_le16(at, RDB_VERSION);
    store_le64(at + 2, redis_crc64(start, (size_t)(at + 2 - start), memory));
    return at + 10;
}
