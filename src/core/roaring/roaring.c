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
 * Packed values hold the portable format that Roaring libraries of all languages read (bitmap.c),
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
 *   2. portable bitmaps as bitmap.c says, each ending where the index says.
 *   3. roaring64: high halves ascending, no bucket empty.
 *   4. the cardinality is that of the bitmaps.
 * A container that comes in another form than the smallest is brought into the smallest.
 *
 * Merging requires nothing: any two sets of one type unite. All results are exact.
 *
 * A roaring64 has any 64 bits, in the order of unsigned numbers, as the libraries have it. SQL
 * knows them as bigint: -1 is 2^64-1, so negative numbers are above all others. Ids that are hashes
 * go in as they are.
 *
 * References: D. Lemire et al., Roaring bitmaps: implementation of an optimized software library,
 * Software: Practice and Experience 48 (4), 2018.
 * https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "roaring.h"

#include "roaring_internal.h"

/* ---- validating ---- */

/*
 * The bitmaps of bytes from outside. A roaring is one bitmap. Each bitmap of a roaring64 has its
 * high half in the index of our header or, in the portable format, in front of the bitmap.
 */
typedef struct Bitmaps {
    SketchKind kind;
    SketchBytes input;
    bool indexed;
    size_t at; /* what is read next */
    uint64_t buckets;
} Bitmaps;

/* The high half of bucket i; afterwards `at` is where its bitmap begins. */
static bool
read_high(Bitmaps *bitmaps, uint64_t i, uint32_t *high)
{
    ByteReader r =
        byte_reader(bitmaps->input.data + bitmaps->at, bitmaps->input.size - bitmaps->at);

    *high = 0;
    if (bitmaps->kind == SKETCH_ROARING)
        return true;
    if (bitmaps->indexed) {
        *high = roaring_index(bitmaps->input, (uint32_t)i).high;
        return true;
    }
    *high = read_le32(&r);
    bitmaps->at = bitmaps->input.size - bytes_left(&r);
    return !r.failed;
}

/* Checks everything and hands the containers to the writer. */
static bool
read_bitmaps(Bitmaps bitmaps, RoaringWriter *writer, SketchError *error)
{
    int64_t last_high = -1;

    for (uint64_t i = 0; i < bitmaps.buckets; i++) {
        uint32_t high;
        size_t bytes, end;
        RoaringBucket bucket;
        RoaringContainer container;

        sketch_poll(writer->memory, &writer->steps, 32);
        if (!read_high(&bitmaps, i, &high))
            return sketch_refuse(error, SKETCH_MALFORMED, "There are fewer buckets than announced");
        if ((int64_t)high <= last_high)
            return sketch_refuse(error, SKETCH_MALFORMED, "High halves are not in ascending order");
        if (!roaring_check_bucket(
                (SketchBytes){bitmaps.input.data + bitmaps.at, bitmaps.input.size - bitmaps.at},
                high, writer->memory, &bytes, &bucket, error))
            return false;
        if (bucket.containers == 0 && bitmaps.kind == SKETCH_ROARING64)
            return sketch_refuse(error, SKETCH_MALFORMED, "A bucket is empty");
        last_high = high;
        bitmaps.at += bytes;
        end = bitmaps.indexed ? roaring_index(bitmaps.input, (uint32_t)i).end : bitmaps.at;
        if (end != bitmaps.at)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A bucket ends elsewhere",
                                       (int64_t)end, (int64_t)bitmaps.at, (int64_t)bitmaps.at);
        for (uint32_t j = 0; j < bucket.containers; j++)
            if (roaring_bucket_container(&bucket, j, &container))
                roaring_write_container(writer, &container);
    }
    if (bitmaps.at != bitmaps.input.size)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Wrong size (bytes)",
                                   (int64_t)bitmaps.input.size, (int64_t)bitmaps.at,
                                   (int64_t)bitmaps.at);
    return true;
}

static bool
pack_bitmaps(Bitmaps bitmaps, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    RoaringWriter writer = roaring_writer(bitmaps.kind, 0, memory);
    bool good = read_bitmaps(bitmaps, &writer, error);

    if (good)
        *value = roaring_write(&writer);
    else
        roaring_discard(&writer);
    return good;
}

static bool
validate(SketchBytes input, const SketchOps *ops, const SketchMemory *memory, SketchBytes *value,
         SketchError *error)
{
    Bitmaps bitmaps = {.kind = ops->kind, .input = input};
    int64_t given, counted;

    if (!sketch_validate_common(input, ops, error))
        return false;
    if (sketch_encoding(input.data) != ROARING_PACKED || sketch_hash(input.data) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown encoding or flags");
    bitmaps.indexed = ops->kind == SKETCH_ROARING64;
    bitmaps.buckets = roaring_buckets(input.data);
    bitmaps.at = roaring_first_bucket(input);
    if (bitmaps.at == 0)
        return sketch_refuse_range(
            error, SKETCH_MALFORMED, "Too many buckets", (int64_t)bitmaps.buckets, 0,
            (int64_t)((input.size - ROARING64_HEADER) / ROARING_INDEX_BYTES));
    if (!pack_bitmaps(bitmaps, memory, value, error))
        return false;
    given = (int64_t)roaring_packed_cardinality(input.data);
    counted = (int64_t)roaring_packed_cardinality(value->data);
    if (given == counted)
        return true;
    memory->release_value((uint8_t *)value->data, memory->context);
    return sketch_refuse_range(error, SKETCH_MALFORMED, "The cardinality is wrong", given, counted,
                               counted);
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

bool
roaring_from_portable(SketchKind kind, SketchBytes input, const SketchMemory *memory,
                      SketchBytes *value, SketchError *error)
{
    Bitmaps bitmaps = {.kind = kind, .input = input, .buckets = 1};

    if (kind == SKETCH_ROARING64) {
        if (input.size < sizeof bitmaps.buckets)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short (bytes)",
                                       (int64_t)input.size, 8, INT64_MAX);
        bitmaps.buckets = load_le64(input.data);
        bitmaps.at = sizeof bitmaps.buckets;
    }
    return pack_bitmaps(bitmaps, memory, value, error);
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
