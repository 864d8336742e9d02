/*
 * packed.c - portable bitmaps: reading, checking and writing them, and packing states.
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
#include "core/common/polled.h"
#include "core/common/popcount.h"
#include "working.h"

#define COOKIE_PLAIN 12346
#define COOKIE_RUNS 12347
#define OFFSETS_FROM 4   /* containers: fewer of them, if some have runs, have no offsets */
#define CHECK_STEPS 1024 /* what a container counts for when polling */

enum { COUNT = 4, RUN_FLAGS = 4, KEYS_PLAIN = 8 }; /* counted from the first byte */

/* ---- reading ---- */

static inline RoaringLayout
layout_of(uint32_t containers, bool runs)
{
    RoaringLayout layout = {.containers = containers,
                            .run_flags = runs ? RUN_FLAGS : 0,
                            .keys = runs ? RUN_FLAGS + (containers + 7) / 8 : KEYS_PLAIN};
    size_t after = layout.keys + (size_t)containers * ROARING_KEY_BYTES;

    layout.offsets = !runs || containers >= OFFSETS_FROM ? after : 0;
    layout.body = layout.offsets > 0 ? after + (size_t)containers * ROARING_OFFSET_BYTES : after;
    return layout;
}

static inline bool
read_layout(const uint8_t *bitmap, RoaringLayout *layout)
{
    uint32_t cookie = load_le32(bitmap);

    if (cookie == COOKIE_PLAIN)
        *layout = layout_of(load_le32(bitmap + COUNT), false);
    else if ((cookie & 0xffff) == COOKIE_RUNS)
        *layout = layout_of((cookie >> 16) + 1, true);
    else
        return false;
    return layout->containers <= ROARING_BUCKET_CONTAINERS;
}

bool
roaring_read_layout(const uint8_t *bitmap, RoaringLayout *layout)
{
    return read_layout(bitmap, layout);
}

bool
roaring_has_runs(const uint8_t *bitmap)
{
    return (load_le32(bitmap) & 0xffff) == COOKIE_RUNS;
}

bool
roaring_bucket_open(RoaringBucket *bucket, uint32_t high, const uint8_t *data, size_t size)
{
    RoaringLayout layout;

    if (size < ROARING_LAYOUT_BYTES || !read_layout(data, &layout) || layout.body > size)
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

/* ---- writing ---- */

/* Containers `first` to `end` - 1 share the bits above the lowest 32. */
static RoaringLayout
written_layout(const RoaringWritten *first, const RoaringWritten *end)
{
    bool runs = false;

    for (const RoaringWritten *written = first; written < end && !runs; written++)
        runs = written->form == ROARING_RUNS;
    return layout_of((uint32_t)(end - first), runs);
}

static size_t
bitmap_bytes(const RoaringWritten *first, const RoaringWritten *end)
{
    size_t bytes = written_layout(first, end).body;

    for (; first < end; first++)
        bytes += roaring_written_bytes(first);
    return bytes;
}

static uint8_t *
write_bitmap(RoaringWriter *writer, uint8_t *bitmap, const RoaringWritten *first,
             const RoaringWritten *end)
{
    RoaringLayout layout = written_layout(first, end);
    uint8_t *to = bitmap + layout.body;

    if (layout.run_flags > 0) {
        store_le32(bitmap, COOKIE_RUNS | (layout.containers - 1) << 16);
        memset(bitmap + layout.run_flags, 0, layout.keys - layout.run_flags);
    } else {
        store_le32(bitmap, COOKIE_PLAIN);
        store_le32(bitmap + COUNT, layout.containers);
    }
    for (size_t i = 0; i < layout.containers; i++) {
        const RoaringWritten *written = first + i;
        uint8_t *key = bitmap + layout.keys + i * ROARING_KEY_BYTES;

        sketch_poll(writer->memory, &writer->steps, 64 + written->from.count);
        roaring_put_key(key, &written->from);
        if (layout.run_flags > 0)
            bitmap[layout.run_flags + i / 8] |= (uint8_t)((written->form == ROARING_RUNS) << i % 8);
        if (layout.offsets > 0)
            store_le32(bitmap + layout.offsets + i * ROARING_OFFSET_BYTES, (uint32_t)(to - bitmap));
        to = roaring_put_container(to, written);
    }
    return to;
}

static const RoaringWritten *
bucket_end(const RoaringWriter *writer, const RoaringWritten *first)
{
    const RoaringWritten *end = first;

    while (end < writer->containers + writer->count && end->from.key >> 16 == first->from.key >> 16)
        end++;
    return end;
}

SketchBytes
roaring_write(RoaringWriter *writer)
{
    const SketchMemory *memory = writer->memory;
    const RoaringWritten *first = writer->containers, *all_end = first + writer->count, *end;
    bool narrow = writer->kind == SKETCH_ROARING;
    uint64_t cardinality = 0;
    uint32_t buckets = 0;
    size_t size = 0;
    SketchBytes value;
    uint8_t *data, *to;

    for (; first < all_end; first++) {
        cardinality += first->from.cardinality;
        sketch_poll(memory, &writer->steps, 4);
    }
    /* An empty roaring has a bitmap, too. */
    for (first = writer->containers; first < all_end || (narrow && buckets == 0); first = end) {
        end = bucket_end(writer, first);
        size += bitmap_bytes(first, end);
        buckets++;
        sketch_poll(memory, &writer->steps, 16 * (size_t)(end - first));
    }
    size += roaring_header_bytes(writer->kind, buckets);
    value = (SketchBytes){data = memory->value(size, memory->context), size};
    to = roaring_write_header(data, writer->kind, cardinality, buckets);
    first = writer->containers;
    for (uint32_t i = 0; i < buckets; i++, first = end) {
        end = bucket_end(writer, first);
        to = write_bitmap(writer, to, first, end);
        if (!narrow)
            roaring_write_index(
                data, i,
                (RoaringIndexEntry){(uint32_t)(first->from.key >> 16), (size_t)(to - data)});
    }
    roaring_discard(writer);
    return value;
}

/* ---- packing states ---- */

static SketchBytes
copy_packed(SketchBytes value, const SketchMemory *memory)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    uint8_t *copy;

    while (roaring_next(&cursor, &container))
        continue;
    if (cursor.damaged)
        return (SketchBytes){NULL, 0};
    copy = memory->value(value.size, memory->context);
    polled_copy(copy, value.data, value.size, memory);
    return (SketchBytes){copy, value.size};
}

SketchBytes
roaring_pack(SketchBytes value, const SketchMemory *memory)
{
    RoaringContainer container;
    RoaringGroups groups;
    RoaringWriter writer;
    SketchBytes packed;

    if (!sketch_is_working(value.data))
        return copy_packed(value, memory);
    if (!roaring_is_state(value))
        return (SketchBytes){NULL, 0};
    roaring_groups(&groups, value, memory);
    writer = roaring_writer(value.data[0], roaring_entries(value.data), memory);
    while (roaring_next_group(&groups, &container))
        if (roaring_in_scratch(&groups, &container))
            roaring_write_copy(&writer, &container);
        else
            roaring_write_container(&writer, &container);
    packed = roaring_write(&writer);
    roaring_end_groups(&groups);
    return packed;
}
