/*
 * portable.c - the portable format of roaring bitmaps: reading and validating.
 *
 *     without runs   u32 12346, u32 containers
 *     with runs      u16 12347, u16 containers - 1, a bit for each container: is it one of runs?
 *     directory      for each container: u16 key, u16 cardinality - 1
 *     offsets        for each container: u32 offset from the start; left out where there are runs
 *                    and fewer than 4 containers
 *     containers     array, for a cardinality up to 4096: u16 values
 *                    bitset, for a cardinality above: 8192 bytes
 *                    runs: u16 number of runs; for each u16 first value, u16 how many follow it
 *
 * All little-endian; offsets follow from the sizes. The format of roaring64 is u64 buckets, and for
 * each bucket u32 high half (the bits above the lowest 32) and such a bitmap.
 *
 * What roaring_bucket_check enforces: keys ascending; containers one behind the other, at their
 * offsets; values of arrays ascending; as many bits as the cardinality says; runs ascending with a
 * gap between them, within 65536, and as many values as the cardinality says.
 *
 * Reference: https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "core/common/popcount.h"

#include "roaring_internal.h"

#define CHECK_STEPS 1024 /* what a container counts for when polling */

bool
roaring_bucket_open(RoaringBucket *bucket, uint32_t high, const uint8_t *data, size_t size)
{
    ByteReader r = byte_reader(data, size);
    const uint8_t *start = read_span(&r, 4);
    uint32_t cookie = start ? load_le32(start) : 0;

    *bucket = (RoaringBucket){.high = high, .data = data, .size = size};
    if (cookie == ROARING_COOKIE_PLAIN) {
        const uint8_t *count = read_span(&r, 4);

        bucket->containers = count ? load_le32(count) : 0;
    } else if ((cookie & 0xffff) == ROARING_COOKIE_RUNS) {
        bucket->containers = (cookie >> 16) + 1;
        bucket->run_flags = read_span(&r, (bucket->containers + 7) / 8);
    } else {
        return false;
    }
    if (bucket->containers > ROARING_BUCKET_CONTAINERS)
        return false;
    bucket->keys = read_span(&r, (size_t)bucket->containers * 4);
    if (!bucket->run_flags || bucket->containers >= ROARING_OFFSETS_FROM)
        bucket->offsets = read_span(&r, (size_t)bucket->containers * 4);
    bucket->first = size - bytes_left(&r);
    return !r.failed;
}

/* Reads the directory and, for runs, their number. False: the container leaves the bucket. */
static bool
container_at(const RoaringBucket *bucket, uint32_t i, size_t offset, RoaringContainer *container,
             size_t *bytes)
{
    if (offset > bucket->size)
        return false;
    container->key = load_le16(bucket->keys + (size_t)i * 4);
    container->cardinality = load_le16(bucket->keys + (size_t)i * 4 + 2) + 1U;
    container->count = container->cardinality;
    container->data = bucket->data + offset;
    if (bucket->run_flags && bucket->run_flags[i / 8] >> i % 8 & 1) {
        if (bucket->size - offset < 2)
            return false;
        container->form = ROARING_RUNS;
        container->count = load_le16(container->data);
        container->data += 2;
        *bytes = 2 + (size_t)container->count * 4;
    } else if (container->cardinality <= ROARING_ARRAY_MAX) {
        container->form = ROARING_ARRAY;
        *bytes = (size_t)container->count * 2;
    } else {
        container->form = ROARING_BITSET;
        *bytes = ROARING_BITSET_BYTES;
    }
    return *bytes <= bucket->size - offset;
}

bool
roaring_bucket_container(const RoaringBucket *bucket, uint32_t i, RoaringContainer *container)
{
    size_t offset = bucket->first;
    size_t bytes;

    if (bucket->offsets) {
        offset = load_le32(bucket->offsets + (size_t)i * 4);
    } else {
        for (uint32_t before = 0; before < i; before++) {
            if (!container_at(bucket, before, offset, container, &bytes))
                return false;
            offset += bytes;
        }
    }
    if (!container_at(bucket, i, offset, container, &bytes))
        return false;
    container->key |= (uint64_t)bucket->high << 16;
    return true;
}

/* ---- validating ---- */

bool
roaring_container_check(const RoaringContainer *container, SketchError *error)
{
    uint32_t last = 0, cardinality = 0;
    uint16_t unordered = 0; /* as wide as what is compared, for vector instructions */

    switch (container->form) {
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            uint32_t first = load_le16(container->data + (size_t)i * 4);
            uint32_t follow = load_le16(container->data + (size_t)i * 4 + 2);

            if (i > 0 && first <= last + 1)
                return sketch_refuse(error, SKETCH_MALFORMED, "Runs are not in ascending order");
            last = first + follow;
            if (last > 65535)
                return sketch_refuse(error, SKETCH_MALFORMED, "A run leaves its container");
            cardinality += follow + 1;
        }
        break;
    case ROARING_BITSET:
        cardinality = (uint32_t)popcount_bytes(container->data, ROARING_BITSET_BYTES);
        break;
    default:
        for (uint32_t i = 1; i < container->count; i++)
            unordered |= load_le16(container->data + (size_t)i * 2) <=
                         load_le16(container->data + (size_t)i * 2 - 2);
        if (unordered)
            return sketch_refuse(error, SKETCH_MALFORMED,
                                 "Values of an array are not in ascending order");
        cardinality = container->count;
    }
    if (cardinality != container->cardinality)
        return sketch_refuse_range(error, SKETCH_MALFORMED,
                                   "A container does not hold as many values as it says",
                                   cardinality, container->cardinality, container->cardinality);
    return true;
}

bool
roaring_bucket_check(SketchBytes input, uint32_t high, const SketchMemory *memory, size_t *used,
                     RoaringBucket *bucket, SketchError *error)
{
    size_t offset, bytes, steps = 0;

    if (!roaring_bucket_open(bucket, high, input.data, input.size))
        return sketch_refuse(error, SKETCH_MALFORMED, "No directory of a roaring bitmap");
    offset = bucket->first;
    for (uint32_t i = 0; i < bucket->containers; i++) {
        RoaringContainer container;

        sketch_poll(memory, &steps, CHECK_STEPS);
        if (i > 0 && load_le16(bucket->keys + (size_t)i * 4) <=
                         load_le16(bucket->keys + (size_t)(i - 1) * 4))
            return sketch_refuse(error, SKETCH_MALFORMED, "Keys are not in ascending order");
        if (bucket->offsets && load_le32(bucket->offsets + (size_t)i * 4) != offset)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A container's offset is wrong",
                                       load_le32(bucket->offsets + (size_t)i * 4), (int64_t)offset,
                                       (int64_t)offset);
        if (!container_at(bucket, i, offset, &container, &bytes))
            return sketch_refuse(error, SKETCH_MALFORMED, "A container leaves the bitmap");
        if (!roaring_container_check(&container, error))
            return false;
        offset += bytes;
    }
    *used = offset;
    return true;
}

size_t
roaring_bucket_bytes(const RoaringBucket *bucket)
{
    RoaringContainer last;

    if (bucket->containers == 0 || !roaring_bucket_container(bucket, bucket->containers - 1, &last))
        return bucket->first;
    return (size_t)(last.data - bucket->data) + (last.form == ROARING_BITSET ? ROARING_BITSET_BYTES
                                                 : last.form == ROARING_RUNS
                                                     ? (size_t)last.count * 4
                                                     : (size_t)last.count * 2);
}
