/*
 * bitmap.c - portable bitmaps: reading and checking them. writer.c writes them.
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
 * What roaring_check_bucket enforces: keys ascending; containers one behind the other, at their
 * offsets; values of arrays ascending; as many bits as the cardinality says; runs ascending with a
 * gap between them, within 65536, and as many values as the cardinality says.
 *
 * Reference: https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "core/common/popcount.h"
#include "roaring_internal.h"

#define MIN_OFFSETS 4    /* containers: fewer of them, if some have runs, have no offsets */
#define CHECK_STEPS 1024 /* what a container counts for when polling */

enum { RUN_FLAGS = 4, KEYS_PLAIN = 8 }; /* counted from the first byte */

/* ---- reading ---- */

RoaringLayout
roaring_layout_of(uint32_t containers, bool runs)
{
    RoaringLayout layout = {.containers = containers,
                            .run_flags = runs ? RUN_FLAGS : 0,
                            .keys = runs ? RUN_FLAGS + (containers + 7) / 8 : KEYS_PLAIN};
    size_t after = layout.keys + (size_t)containers * ROARING_KEY_BYTES;

    layout.offsets = !runs || containers >= MIN_OFFSETS ? after : 0;
    layout.body = layout.offsets > 0 ? after + (size_t)containers * ROARING_OFFSET_BYTES : after;
    return layout;
}

bool
roaring_read_layout(const uint8_t *bitmap, RoaringLayout *layout)
{
    uint32_t cookie = load_le32(bitmap);

    if (cookie == ROARING_COOKIE_PLAIN)
        *layout = roaring_layout_of(load_le32(bitmap + ROARING_AT_COUNT), false);
    else if ((cookie & 0xffff) == ROARING_COOKIE_RUNS)
        *layout = roaring_layout_of((cookie >> 16) + 1, true);
    else
        return false;
    return layout->containers <= ROARING_BUCKET_CONTAINERS;
}

bool
roaring_has_runs(const uint8_t *bitmap)
{
    return (load_le32(bitmap) & 0xffff) == ROARING_COOKIE_RUNS;
}

bool
roaring_bucket_open(RoaringBucket *bucket, uint32_t high, const uint8_t *data, size_t size)
{
    RoaringLayout layout;

    if (size < ROARING_LAYOUT_BYTES || !roaring_read_layout(data, &layout) || layout.body > size)
        return false;
    *bucket = (RoaringBucket){.high = high,
                              .data = data,
                              .size = size,
                              .containers = layout.containers,
                              .run_flags = layout.run_flags > 0 ? data + layout.run_flags : NULL,
                              .keys = data + layout.keys,
                              .offsets = layout.offsets > 0 ? data + layout.offsets : NULL,
                              .first = layout.body};
    return true;
}

/* The container at an offset, and where it ends. False: it leaves the bucket. */
static inline bool
container_at(const RoaringBucket *bucket, uint32_t i, size_t offset, RoaringContainer *container,
             size_t *end)
{
    if (offset > bucket->size)
        return false;
    roaring_describe(container, bucket->keys + (size_t)i * ROARING_KEY_BYTES);
    container->key |= (uint64_t)bucket->high << 16;
    container->data = bucket->data + offset;
    if (bucket->run_flags && bucket->run_flags[i / 8] >> i % 8 & 1) {
        if (bucket->size - offset < ROARING_RUNS_BYTES)
            return false;
        container->form = ROARING_RUNS;
        container->count = load_le16(container->data);
        container->data += ROARING_RUNS_BYTES;
        *end = offset + ROARING_RUNS_BYTES + (size_t)container->count * ROARING_RUN_BYTES;
    } else if (container->cardinality <= ROARING_ARRAY_MAX) {
        container->form = ROARING_ARRAY;
        *end = offset + (size_t)container->count * ROARING_LOW_BYTES;
    } else {
        container->form = ROARING_BITSET;
        *end = offset + ROARING_BITSET_BYTES;
    }
    return *end <= bucket->size;
}

static inline size_t
offset_of(const RoaringBucket *bucket, uint32_t i)
{
    return load_le32(bucket->offsets + (size_t)i * ROARING_OFFSET_BYTES);
}

bool
roaring_bucket_container(const RoaringBucket *bucket, uint32_t i, RoaringContainer *container)
{
    size_t end = bucket->first;

    if (bucket->offsets)
        return container_at(bucket, i, offset_of(bucket, i), container, &end);
    for (uint32_t before = 0; before < i; before++)
        if (!container_at(bucket, before, end, container, &end))
            return false;
    return container_at(bucket, i, end, container, &end);
}

/* ---- checking ---- */

bool
roaring_check_container(const RoaringContainer *container, SketchError *error)
{
    uint32_t last = 0, cardinality = 0;
    uint16_t unordered = 0; /* as wide as what is compared, for vector instructions */

    switch (container->form) {
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            RoaringRun run = roaring_run(container, i);

            if (i > 0 && run.first <= last + 1)
                return sketch_refuse(error, SKETCH_MALFORMED, "Runs are not in ascending order");
            last = run.last;
            if (last > 65535)
                return sketch_refuse(error, SKETCH_MALFORMED, "A run leaves its container");
            cardinality += last - run.first + 1;
        }
        break;
    case ROARING_BITSET:
        cardinality = (uint32_t)popcount_bytes(container->data, ROARING_BITSET_BYTES);
        break;
    default:
        for (uint32_t i = 1; i < container->count; i++)
            unordered |= roaring_low(container, i) <= roaring_low(container, i - 1);
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
roaring_check_bucket(SketchBytes input, uint32_t high, const SketchMemory *memory, size_t *used,
                     RoaringBucket *bucket, SketchError *error)
{
    size_t end, offset, steps = 0;
    int64_t last_key = -1;

    if (!roaring_bucket_open(bucket, high, input.data, input.size))
        return sketch_refuse(error, SKETCH_MALFORMED, "No directory of a roaring bitmap");
    if (bucket->run_flags && bucket->containers % 8 > 0 &&
        bucket->run_flags[bucket->containers / 8] >> bucket->containers % 8 != 0)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "A run flag is set behind the last container");
    offset = bucket->first;
    for (uint32_t i = 0; i < bucket->containers; i++, offset = end) {
        RoaringContainer container;
        int64_t key = roaring_key(bucket->keys, i);

        sketch_poll(memory, &steps, CHECK_STEPS);
        if (key <= last_key)
            return sketch_refuse(error, SKETCH_MALFORMED, "Keys are not in ascending order");
        if (bucket->offsets && offset_of(bucket, i) != offset)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A container's offset is wrong",
                                       (int64_t)offset_of(bucket, i), (int64_t)offset,
                                       (int64_t)offset);
        if (!container_at(bucket, i, offset, &container, &end))
            return sketch_refuse(error, SKETCH_MALFORMED, "A container leaves the bitmap");
        if (!roaring_check_container(&container, error))
            return false;
        last_key = key;
    }
    *used = offset;
    return true;
}
