/*
 * portable.c - the portable format of roaring bitmaps: reading and validating.
 *
 *     without runs   u32 12346, u32 containers
 *     with runs      u16 12347, u16 containers - 1, a bit per container: is it one of runs?
 *     then           per container: u16 key, u16 cardinality - 1
 *                    per container: u32 offset from the start (with runs: from 4 containers on)
 *                    the containers: an array of u16, or, for a cardinality above 4096, 8192 bytes
 *                    of bits, or u16 runs and per run u16 first value, u16 how many follow it
 *
 * All little-endian; offsets follow from the sizes. The format of roaring64 is u64 buckets and per
 * bucket u32 high half and such a bitmap.
 *
 * What body_check enforces: keys ascending; offsets where the containers are, one behind the other;
 * values of arrays ascending; as many bits as the cardinality says; runs ascending with a gap between
 * them, within 65536, and as many values as the cardinality says.
 *
 * Reference: https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "core/common/popcount.h"
#include "roaring_internal.h"

bool
body_open(RoaringBody *body, const uint8_t *data, size_t size)
{
    ByteReader r = byte_reader(data, size);
    const uint8_t *start = read_span(&r, 4);
    uint32_t cookie = start ? load_le32(start) : 0;

    *body = (RoaringBody){.data = data, .size = size};
    if (cookie == COOKIE_PLAIN) {
        const uint8_t *count = read_span(&r, 4);

        body->containers = count ? load_le32(count) : 0;
    } else if ((cookie & 0xffff) == COOKIE_RUNS) {
        body->containers = (cookie >> 16) + 1;
        body->run_flags = read_span(&r, (body->containers + 7) / 8);
    } else {
        return false;
    }
    if (body->containers > BUCKET_CONTAINERS)
        return false;
    body->keys = read_span(&r, (size_t)body->containers * 4);
    if (!body->run_flags || body->containers >= OFFSETS_FROM)
        body->offsets = read_span(&r, (size_t)body->containers * 4);
    body->first = size - bytes_left(&r);
    return !r.failed;
}

/* What the directory and, for runs, the container's first bytes say. False: it leaves the body. */
static bool
container_at(const RoaringBody *body, uint32_t i, size_t offset, RoaringContainer *container,
             size_t *bytes)
{
    if (offset > body->size)
        return false;
    container->key = load_le16(body->keys + (size_t)i * 4);
    container->cardinality = load_le16(body->keys + (size_t)i * 4 + 2) + 1U;
    container->count = container->cardinality;
    container->data = body->data + offset;
    if (body->run_flags && body->run_flags[i / 8] >> i % 8 & 1) {
        if (body->size - offset < 2)
            return false;
        container->form = ROARING_RUNS;
        container->count = load_le16(container->data);
        container->data += 2;
        *bytes = 2 + (size_t)container->count * 4;
    } else if (container->cardinality <= ARRAY_MAX) {
        container->form = ROARING_ARRAY;
        *bytes = (size_t)container->count * 2;
    } else {
        container->form = ROARING_BITSET;
        *bytes = ROARING_PAGE_BYTES;
    }
    return *bytes <= body->size - offset;
}

bool
body_container(const RoaringBody *body, uint32_t i, uint64_t high, RoaringContainer *container)
{
    size_t offset = body->first;
    size_t bytes;

    if (body->offsets) {
        offset = load_le32(body->offsets + (size_t)i * 4);
    } else {
        for (uint32_t before = 0; before < i; before++) {
            if (!container_at(body, before, offset, container, &bytes))
                return false;
            offset += bytes;
        }
    }
    if (!container_at(body, i, offset, container, &bytes))
        return false;
    container->key |= high << 16;
    return true;
}

bool
body_is_sound(const RoaringBody *body)
{
    RoaringContainer container;

    for (uint32_t i = 0; i < body->containers; i++)
        if (!body_container(body, i, 0, &container))
            return false;
    return true;
}

/* ---- validating ---- */

static bool
check_container(const RoaringContainer *container, SketchError *error)
{
    uint32_t last = 0, cardinality = 0;

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
        cardinality = (uint32_t)popcount_bytes(container->data, PAGE_WORDS * 8);
        break;
    default:
        for (uint32_t i = 1; i < container->count; i++)
            if (container_low(container, i) <= container_low(container, i - 1))
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
body_check(SketchBytes input, size_t *used, RoaringBody *body, SketchError *error)
{
    size_t offset, bytes;

    if (!body_open(body, input.data, input.size))
        return sketch_refuse(error, SKETCH_MALFORMED, "No directory of a roaring bitmap");
    offset = body->first;
    for (uint32_t i = 0; i < body->containers; i++) {
        RoaringContainer container;

        if (i > 0 &&
            load_le16(body->keys + (size_t)i * 4) <= load_le16(body->keys + (size_t)(i - 1) * 4))
            return sketch_refuse(error, SKETCH_MALFORMED, "Keys are not in ascending order");
        if (body->offsets && load_le32(body->offsets + (size_t)i * 4) != offset)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A container's offset is wrong",
                                       load_le32(body->offsets + (size_t)i * 4), (int64_t)offset,
                                       (int64_t)offset);
        if (!container_at(body, i, offset, &container, &bytes))
            return sketch_refuse(error, SKETCH_MALFORMED, "A container leaves the bitmap");
        if (!check_container(&container, error))
            return false;
        offset += bytes;
    }
    *used = offset;
    return true;
}

size_t
body_bytes(const RoaringBody *body)
{
    RoaringContainer last;

    if (body->containers == 0 || !body_container(body, body->containers - 1, 0, &last))
        return body->first;
    return (size_t)(last.data - body->data) + (last.form == ROARING_BITSET ? ROARING_PAGE_BYTES
                                               : last.form == ROARING_RUNS
                                                   ? (size_t)last.count * 4
                                                   : (size_t)last.count * 2);
}
