/*
 * roaring.c - roaring and roaring64: which integers are in the set, exactly?
 *
 * A roaring bitmap cuts the integers into containers by their bits above the lowest 16. A container
 * lists the lowest 16 bits of its values, and takes the smallest of three forms: an array of 16-bit
 * values, a bitset of 8 kB, or runs of values that follow one another. Set algebra works container
 * by container, with bit and vector instructions.
 *
 *     {1, 2, 5, 65536 .. 131071}    container 0: array 1 2 5    container 1: one run, 0 .. 65535
 *     takes 37 bytes: 12 of header, 13 of directory, 6 of the array, 6 of the run
 *
 * Packed values hold the portable format that Roaring libraries of all languages read (portable.c),
 * behind a header with the number of values. Little-endian:
 *
 *     0      1        2         3      4..11         12..
 *     kind   version  encoding  0      cardinality   roaring: one portable bitmap, to the end
 *
 *     roaring64:  12..15    number of buckets: a bucket is the values of one high half, the bits
 *                           above the lowest 32
 *                 16..      the index, 8 bytes a bucket: u32 high half, ascending; u32 where its
 *                           bitmap ends, counted from byte 0
 *                 then      for each bucket a portable bitmap of the low halves
 *
 * The portable format of roaring64 has no such index; with it a bucket is found without a walk
 * through those before it. Each container is in its smallest form, so equal sets have equal bytes.
 *
 * What validate enforces:
 *   1. kind 3 or 4, version 1, encoding 0, byte 3 zero.
 *   2. portable bitmaps as portable.c says, each ending where the index says.
 *   3. roaring64: high halves ascending and below 2^31, no bucket empty.
 *   4. the cardinality is that of the bitmaps.
 * A container that comes in another form than the smallest is brought into the smallest.
 *
 * Merging requires nothing: any two sets of one type unite. The answers are exact.
 *
 * Left out: values of 64 bits, since bigint has 63 and a sign.
 *
 * References: D. Lemire et al., Roaring bitmaps: implementation of an optimized software library,
 * Software: Practice and Experience 48 (4), 2018.
 * https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "roaring.h"

#include "core/common/polled.h"
#include "roaring_internal.h"

/* ---- validating ---- */

/*
 * The bitmaps of bytes from outside. A roaring is one bitmap. Each bitmap of a roaring64 has its
 * high half in the index of our header or, in the portable format, in front of the bitmap.
 */
typedef struct Bitmaps {
    SketchKind kind;
    SketchBytes input;
    const uint8_t *index; /* NULL in the portable format */
    size_t at;
    uint64_t buckets;
} Bitmaps;

/* The high half of bucket i; afterwards `at` is where its bitmap begins. */
static bool
read_high(Bitmaps *bitmaps, uint64_t i, uint32_t *high)
{
    *high = 0;
    if (bitmaps->kind == SKETCH_ROARING)
        return true;
    if (bitmaps->index) {
        *high = load_le32(bitmaps->index + i * 8);
        return true;
    }
    if (bitmaps->input.size - bitmaps->at < 4)
        return false;
    *high = load_le32(bitmaps->input.data + bitmaps->at);
    bitmaps->at += 4;
    return true;
}

static SketchBytes
bytes_from(const Bitmaps *bitmaps)
{
    return (SketchBytes){bitmaps->input.data + bitmaps->at, bitmaps->input.size - bitmaps->at};
}

/* Checks everything and counts the containers. */
static bool
check_bitmaps(Bitmaps bitmaps, const SketchMemory *memory, size_t *containers, SketchError *error)
{
    int64_t last_high = -1;
    size_t steps = 0;

    *containers = 0;
    for (uint64_t i = 0; i < bitmaps.buckets; i++) {
        uint32_t high;
        size_t bytes;
        RoaringBucket bucket;

        sketch_poll(memory, &steps, 32);
        if (!read_high(&bitmaps, i, &high))
            return sketch_refuse(error, SKETCH_MALFORMED, "There are fewer buckets than announced");
        if (high > INT32_MAX)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A high half is too large", high, 0,
                                       INT32_MAX);
        if ((int64_t)high <= last_high)
            return sketch_refuse(error, SKETCH_MALFORMED, "High halves are not in ascending order");
        if (!roaring_bucket_check(bytes_from(&bitmaps), high, memory, &bytes, &bucket, error))
            return false;
        if (bucket.containers == 0 && bitmaps.kind == SKETCH_ROARING64)
            return sketch_refuse(error, SKETCH_MALFORMED, "A bucket is empty");
        last_high = high;
        bitmaps.at += bytes;
        *containers += bucket.containers;
        if (bitmaps.index && load_le32(bitmaps.index + i * 8 + 4) != bitmaps.at)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A bucket ends elsewhere",
                                       load_le32(bitmaps.index + i * 8 + 4), (int64_t)bitmaps.at,
                                       (int64_t)bitmaps.at);
    }
    if (bitmaps.at != bitmaps.input.size)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Wrong size (bytes)",
                                   (int64_t)bitmaps.input.size, (int64_t)bitmaps.at,
                                   (int64_t)bitmaps.at);
    return true;
}

/* The packed value of bitmaps that were checked. */
static SketchBytes
pack_bitmaps(Bitmaps bitmaps, size_t containers, const SketchMemory *memory)
{
    RoaringWriter writer = roaring_writer(bitmaps.kind, containers, memory);

    for (uint64_t i = 0; i < bitmaps.buckets; i++) {
        uint32_t high;
        RoaringBucket bucket;

        read_high(&bitmaps, i, &high);
        roaring_bucket_open(&bucket, high, bytes_from(&bitmaps).data, bytes_from(&bitmaps).size);
        roaring_write_bucket(&writer, &bucket);
        bitmaps.at += roaring_bucket_bytes(&bucket);
    }
    return roaring_write(&writer);
}

static bool
validate_bitmaps(Bitmaps bitmaps, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    size_t containers;

    if (!check_bitmaps(bitmaps, memory, &containers, error))
        return false;
    *value = pack_bitmaps(bitmaps, containers, memory);
    return true;
}

static bool
validate(SketchBytes input, const SketchOps *ops, const SketchMemory *memory, SketchBytes *value,
         SketchError *error)
{
    Bitmaps bitmaps = {ops->kind, input, NULL, ROARING_HEADER, 1};
    int64_t cardinality;

    if (!sketch_validate_common(input, ops, error))
        return false;
    if (input.data[2] != ROARING_PACKED || input.data[3] != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown encoding or flags");
    if (ops->kind == SKETCH_ROARING64) {
        bitmaps.buckets = load_le32(input.data + 12);
        bitmaps.index = input.data + ROARING64_HEADER;
        if (bitmaps.buckets > (input.size - ROARING64_HEADER) / 8)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many buckets",
                                       (int64_t)bitmaps.buckets, 0,
                                       (int64_t)((input.size - ROARING64_HEADER) / 8));
        bitmaps.at = ROARING64_HEADER + (size_t)bitmaps.buckets * 8;
    }
    if (!validate_bitmaps(bitmaps, memory, value, error))
        return false;
    cardinality = (int64_t)load_le64(value->data + 4);
    if (cardinality == (int64_t)load_le64(input.data + 4))
        return true;
    memory->release_value((uint8_t *)value->data, memory->context);
    return sketch_refuse_range(error, SKETCH_MALFORMED, "The cardinality is wrong",
                               (int64_t)load_le64(input.data + 4), cardinality, cardinality);
}

static bool
roaring_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    return validate(input, &roaring_ops, memory, value, error);
}

static bool
roaring64_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                   SketchError *error)
{
    return validate(input, &roaring64_ops, memory, value, error);
}

/* ---- the portable format ---- */

bool
roaring_from_portable(SketchKind kind, SketchBytes input, const SketchMemory *memory,
                      SketchBytes *value, SketchError *error)
{
    Bitmaps bitmaps = {kind, input, NULL, 0, 1};

    if (kind == SKETCH_ROARING64) {
        if (input.size < 8)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short (bytes)",
                                       (int64_t)input.size, 8, INT64_MAX);
        bitmaps.buckets = load_le64(input.data);
        bitmaps.at = 8;
    }
    return validate_bitmaps(bitmaps, memory, value, error);
}

size_t
roaring_portable_bytes(SketchBytes value)
{
    size_t end;

    if (value.data[0] == SKETCH_ROARING)
        return value.size - ROARING_HEADER;
    if (roaring_buckets(value) > (value.size - ROARING64_HEADER) / 8)
        return 0;
    end = ROARING64_HEADER + (size_t)roaring_buckets(value) * 8;
    for (uint32_t i = 0; i < roaring_buckets(value); i++) {
        size_t next = load_le32(value.data + ROARING64_HEADER + (size_t)i * 8 + 4);

        if (next < end || next > value.size)
            return 0;
        end = next;
    }
    if (end != value.size)
        return 0;
    /* Of each bucket's 8 bytes in the index 4 remain. */
    return 8 + value.size - ROARING64_HEADER - (size_t)roaring_buckets(value) * 4;
}

void
roaring_to_portable(SketchBytes value, uint8_t *to, const SketchMemory *memory)
{
    size_t at = ROARING_HEADER;

    if (value.data[0] == SKETCH_ROARING) {
        polled_copy(to, value.data + at, value.size - at, memory);
        return;
    }
    store_le64(to, roaring_buckets(value));
    to += 8;
    at = ROARING64_HEADER + (size_t)roaring_buckets(value) * 8;
    for (uint32_t i = 0; i < roaring_buckets(value); i++) {
        const uint8_t *index = value.data + ROARING64_HEADER + (size_t)i * 8;
        size_t end = load_le32(index + 4);

        memcpy(to, index, 4);
        polled_copy(to + 4, value.data + at, end - at, memory);
        to += 4 + end - at;
        at = end;
    }
}

const SketchOps roaring_ops = {
    .name = "roaring",
    .kind = SKETCH_ROARING,
    .version = ROARING_FORMAT_VERSION,
    .header_bytes = ROARING_HEADER,
    .validate = roaring_validate,
    .open = roaring_open,
    .open_many = roaring_open_many,
    .pack = roaring_pack,
    .merge = roaring_merge,
};

const SketchOps roaring64_ops = {
    .name = "roaring64",
    .kind = SKETCH_ROARING64,
    .version = ROARING_FORMAT_VERSION,
    .header_bytes = ROARING64_HEADER,
    .validate = roaring64_validate,
    .open = roaring_open,
    .open_many = roaring_open_many,
    .pack = roaring_pack,
    .merge = roaring_merge,
};
