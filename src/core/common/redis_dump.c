/*
 * redis_dump.c - what is inside a payload of Redis's DUMP command.
 *
 * Layout, with everything in it untrusted:
 *
 *     type (0: string, 7: module) | value | u16 RDB version | u64 CRC64 of all before
 *
 * The version and the checksum are little-endian.
 *
 * A string begins with a length in one of these forms, told by the two high bits of its first byte:
 *
 *     00 six bits of length              10 000000 u32 big-endian    10 000001 u64 big-endian
 *     01 fourteen bits, big-endian       11 000000 / 000001 / 000010: an integer of 1, 2, 4
 *                                           bytes, little-endian, to be read as its decimal digits
 *                                        11 000011: LZF, compressed length, length, data
 *
 * A module's value is 0x81 and its 8-byte big-endian id, then fields, each an opcode and its value,
 * and opcode 0 at the end.
 *
 *     1 signed, 2 unsigned: a length as above     4 double: 8 bytes, little-endian     5 string
 *
 * A server writes signed fields with opcode 2, as two's complement; both are read alike.
 *
 * References: Redis's RDB file format; the Jones polynomial ad93d23594c935a9 (reflected);
 * M. Lehmann's LZF, a byte-oriented Lempel-Ziv whose control byte below 32 announces literals and
 * otherwise a match of 3 bits of length and 13 bits of distance.
 */
#include "redis_dump.h"

#include <stdio.h>

#include "bytes.h"
#include "polled.h"

#define FOOTER_BYTES 10
#define TYPE_STRING 0
#define TYPE_MODULE 7
#define FIELD_END 0
#define FIELD_SIGNED 1
#define FIELD_UNSIGNED 2
#define FIELD_DOUBLE 4
#define FIELD_STRING 5
#define ENCODED_LZF 3
#define MODULE_VERSION_MASK 1023

/* Effect of a byte on a checksum with k bytes after it: eight bytes are looked up at once. */
static struct {
    bool ready;
    uint64_t of[8][256];
} crc;

static void
make_crc(void)
{
    const uint64_t polynomial = UINT64_C(0x95ac9329ac4bc9b5); /* reflected */

    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t sum = byte;

        for (unsigned bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
        crc.of[0][byte] = sum;
    }
    for (unsigned k = 1; k < 8; k++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint64_t sum = crc.of[k - 1][byte];

            crc.of[k][byte] = sum >> 8 ^ crc.of[0][sum & 255];
        }
    crc.ready = true;
}

uint64_t
redis_crc64(const uint8_t *data, size_t size, const SketchMemory *memory)
{
    uint64_t sum = 0;

    if (!crc.ready)
        make_crc();
    for (size_t i = 0; i < size; memory->poll(memory->context)) {
        size_t stop = sketch_piece_end(i, size, 1);

        for (; stop - i >= 8; i += 8) {
            uint64_t word = sum ^ load_le64(data + i);

            sum = 0;
            for (unsigned k = 0; k < 8; k++, word >>= 8)
                sum ^= crc.of[7 - k][word & 255];
        }
        for (; i < stop; i++)
            sum = sum >> 8 ^ crc.of[0][(sum ^ data[i]) & 255];
    }
    return sum;
}

/* A length, or with *encoded set the number of a special encoding. */
static uint64_t
read_length(ByteReader *r, bool *encoded)
{
    uint8_t first = read_u8(r);
    uint8_t low = first & 63;

    *encoded = false;
    switch (first >> 6) {
    case 0:
        return low;
    case 1:
        return (uint64_t)low << 8 | read_u8(r);
    case 2:
        if (low == 0)
            return read_be32(r);
        if (low == 1)
            return read_be64(r);
        r->failed = true;
        return 0;
    default:
        *encoded = true;
        return low;
    }
}

/* Expands exactly `size` bytes; false when the input is anything else than that. */
static bool
lzf_expand(ByteReader *in, uint8_t *out, size_t size, const SketchMemory *memory)
{
    size_t at = 0, steps = 0;

    while (bytes_left(in) > 0) {
        unsigned control = read_u8(in);

        sketch_poll(memory, &steps, 1);
        if (control < 32) {
            size_t literals = control + 1;
            const uint8_t *from = read_span(in, literals);

            if (!from || literals > size - at)
                return false;
            memcpy(out + at, from, literals);
            at += literals;
        } else {
            size_t length = control >> 5;
            size_t distance = (size_t)(control & 31) << 8;

            if (length == 7)
                length += read_u8(in);
            length += 2;
            distance += read_u8(in) + (size_t)1;
            if (in->failed || distance > at || length > size - at)
                return false;
            for (; length > 0; length--, at++)
                out[at] = out[at - distance];
        }
    }
    return at == size;
}

static bool
read_lzf(ByteReader *r, const SketchMemory *memory, SketchBytes *string)
{
    bool encoded[2];
    uint64_t compressed = read_length(r, &encoded[0]);
    uint64_t size = read_length(r, &encoded[1]);
    const uint8_t *data;
    uint8_t *out;
    ByteReader in;

    /* A match of 3 bytes yields at most 264: no honest size is beyond that. */
    if (r->failed || encoded[0] || encoded[1] || compressed > bytes_left(r) ||
        size > REDIS_STRING_MAX || size > compressed * 264)
        return false;
    data = read_span(r, (size_t)compressed);
    out = memory->scratch((size_t)size + 1, memory->context);
    in = byte_reader(data, (size_t)compressed);
    if (!lzf_expand(&in, out, (size_t)size, memory)) {
        memory->release(out, memory->context);
        return false;
    }
    *string = (SketchBytes){out, (size_t)size};
    return true;
}

static SketchBytes
copy_string(const void *data, size_t size, const SketchMemory *memory)
{
    uint8_t *copy = memory->scratch(size + 1, memory->context);

    polled_copy(copy, data, size, memory);
    return (SketchBytes){copy, size};
}

/* An integer of 1, 2 or 4 bytes that stands for its decimal digits. */
static bool
read_integer(ByteReader *r, unsigned encoding, const SketchMemory *memory, SketchBytes *string)
{
    const uint8_t *p = read_span(r, (size_t)1 << encoding);
    char digits[16];
    int32_t number;

    if (!p)
        return false;
    number = encoding == 0   ? (int8_t)p[0]
             : encoding == 1 ? (int16_t)load_le16(p)
                             : (int32_t)load_le32(p);
    *string =
        copy_string(digits, (size_t)snprintf(digits, sizeof digits, "%d", (int)number), memory);
    return true;
}

static bool
read_string(ByteReader *r, const SketchMemory *memory, SketchBytes *string)
{
    bool encoded;
    uint64_t length = read_length(r, &encoded);
    const uint8_t *data;

    if (r->failed)
        return false;
    if (encoded && length == ENCODED_LZF)
        return read_lzf(r, memory, string);
    if (encoded)
        return length < ENCODED_LZF && read_integer(r, (unsigned)length, memory, string);
    if (length > REDIS_STRING_MAX || !(data = read_span(r, (size_t)length)))
        return false;
    *string = copy_string(data, (size_t)length, memory);
    return true;
}

/* Checks the frame and leaves the reader behind the type byte. */
static bool
open_payload(SketchBytes payload, uint8_t type, ByteReader *r, const SketchMemory *memory,
             SketchError *error)
{
    size_t body;

    if (payload.size < 1 + FOOTER_BYTES)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short for a DUMP payload (bytes)",
                                   (int64_t)payload.size, 1 + FOOTER_BYTES, INT64_MAX);
    body = payload.size - FOOTER_BYTES;
    if (redis_crc64(payload.data, payload.size - 8, memory) != load_le64(payload.data + body + 2))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The checksum of the DUMP payload does not match");
    *r = byte_reader(payload.data, body);
    if (read_u8(r) != type)
        return sketch_refuse_range(error, SKETCH_MALFORMED,
                                   "The DUMP payload is of another type of key", payload.data[0],
                                   type, type);
    return true;
}

bool
redis_dump_string(SketchBytes payload, const SketchMemory *memory, SketchBytes *string,
                  SketchError *error)
{
    ByteReader r;

    if (!open_payload(payload, TYPE_STRING, &r, memory, error))
        return false;
    if (!read_string(&r, memory, string))
        return sketch_refuse(error, SKETCH_MALFORMED, "Damaged string in the DUMP payload");
    if (bytes_left(&r) > 0) {
        memory->release((void *)string->data, memory->context);
        return sketch_refuse(error, SKETCH_MALFORMED, "Extra bytes in the DUMP payload");
    }
    return true;
}

bool
redis_dump_module(SketchBytes payload, uint64_t id, ByteReader *fields, const SketchMemory *memory,
                  SketchError *error)
{
    if (!open_payload(payload, TYPE_MODULE, fields, memory, error))
        return false;
    if (read_u8(fields) != 0x81 || read_be64(fields) != id)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The DUMP payload is of another module or version");
    return true;
}

bool
redis_dump_versions(SketchBytes payload, uint64_t id, unsigned version_max, unsigned *version,
                    ByteReader *fields, const SketchMemory *memory, SketchError *error)
{
    uint64_t found;

    if (!open_payload(payload, TYPE_MODULE, fields, memory, error))
        return false;
    if (read_u8(fields) != 0x81)
        fields->failed = true;
    found = read_be64(fields);
    *version = (unsigned)(found & MODULE_VERSION_MASK);
    if (fields->failed || (found & ~(uint64_t)MODULE_VERSION_MASK) != id)
        return sketch_refuse(error, SKETCH_MALFORMED, "The DUMP payload is of another module");
    if (*version > version_max)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Encoding version of the DUMP payload",
                                   *version, 0, version_max);
    return true;
}

/* Reads an opcode, which must be one of the two. */
static bool
next_field(ByteReader *fields, uint64_t opcode, uint64_t other)
{
    bool encoded;
    uint64_t found = read_length(fields, &encoded);

    if ((found != opcode && found != other) || encoded)
        fields->failed = true;
    return !fields->failed;
}

int64_t
redis_dump_signed(ByteReader *fields)
{
    bool encoded = false;
    uint64_t value =
        next_field(fields, FIELD_SIGNED, FIELD_UNSIGNED) ? read_length(fields, &encoded) : 0;

    if (encoded)
        fields->failed = true;
    return (int64_t)value;
}

double
redis_dump_double(ByteReader *fields)
{
    const uint8_t *bytes =
        next_field(fields, FIELD_DOUBLE, FIELD_DOUBLE) ? read_span(fields, 8) : NULL;

    return bytes ? load_le_double(bytes) : 0;
}

bool
redis_dump_string_field(ByteReader *fields, const SketchMemory *memory, SketchBytes *string)
{
    if (next_field(fields, FIELD_STRING, FIELD_STRING) && read_string(fields, memory, string))
        return true;
    fields->failed = true;
    return false;
}

bool
redis_dump_end(ByteReader *fields)
{
    return next_field(fields, FIELD_END, FIELD_END) && bytes_left(fields) == 0;
}
