/*
 * header.c - the header of packed values and the index of roaring64: the only file that knows where
 * their fields are. The bytes: roaring.c. Working: RoaringState in roaring.h.
 *
 * In the portable format of roaring64 each high half is in front of its bitmap, and the number of
 * buckets, u64, before all.
 */
#include "core/common/polled.h"
#include "roaring_internal.h"

enum { CARDINALITY = 4, BUCKETS = 12, INDEX_END = 4 };
enum { PORTABLE_COUNT_BYTES = 8, PORTABLE_HIGH_BYTES = 4 };

static bool
is_wide(const uint8_t *header)
{
    return header[0] == SKETCH_ROARING64;
}

uint64_t
roaring_packed_cardinality(const uint8_t *header)
{
    return load_le64(header + CARDINALITY);
}

uint32_t
roaring_buckets(const uint8_t *header)
{
    return is_wide(header) ? load_le32(header + BUCKETS) : 1;
}

size_t
roaring_header_bytes(SketchKind kind, uint32_t buckets)
{
    return kind == SKETCH_ROARING ? ROARING_HEADER
                                  : ROARING64_HEADER + (size_t)buckets * ROARING_INDEX_BYTES;
}

size_t
roaring_first_bucket(SketchBytes value)
{
    if (value.size < (is_wide(value.data) ? ROARING64_HEADER : ROARING_HEADER))
        return 0;
    if (is_wide(value.data) &&
        roaring_buckets(value.data) > (value.size - ROARING64_HEADER) / ROARING_INDEX_BYTES)
        return 0;
    return roaring_header_bytes((SketchKind)value.data[0], roaring_buckets(value.data));
}

/* ---- the index ---- */

static const uint8_t *
entry_at(const uint8_t *data, uint32_t i)
{
    return data + ROARING64_HEADER + (size_t)i * ROARING_INDEX_BYTES;
}

RoaringIndexEntry
roaring_index_entry(const uint8_t *entry)
{
    return (RoaringIndexEntry){load_le32(entry), load_le32(entry + INDEX_END)};
}

RoaringIndexEntry
roaring_index(SketchBytes value, uint32_t i)
{
    return is_wide(value.data) ? roaring_index_entry(entry_at(value.data, i))
                               : (RoaringIndexEntry){0, value.size};
}

bool
roaring_bucket_at(SketchBytes value, uint32_t i, RoaringBucket *bucket)
{
    size_t start = ROARING_HEADER, end = value.size;
    uint32_t high = 0;

    if (is_wide(value.data)) {
        const uint8_t *entry = entry_at(value.data, i);

        start = i > 0 ? load_le32(entry - INDEX_END)
                      : roaring_header_bytes(SKETCH_ROARING64, roaring_buckets(value.data));
        end = load_le32(entry + INDEX_END);
        high = load_le32(entry);
    }
    return start <= end && end <= value.size &&
           roaring_bucket_open(bucket, high, value.data + start, end - start);
}

bool
roaring_find_bucket(SketchBytes value, uint64_t high, RoaringBucket *bucket)
{
    uint32_t low = 0, end, buckets;

    bucket->containers = 0;
    bucket->keys = NULL;
    if (roaring_first_bucket(value) == 0)
        return false;
    if (!is_wide(value.data))
        return high > 0 || roaring_bucket_at(value, 0, bucket);
    end = buckets = roaring_buckets(value.data);
    while (low < end) {
        uint32_t middle = low + (end - low) / 2;

        if (load_le32(entry_at(value.data, middle)) < high)
            low = middle + 1;
        else
            end = middle;
    }
    return low == buckets || roaring_index(value, low).high != high ||
           roaring_bucket_at(value, low, bucket);
}

/* ---- writing ---- */

uint8_t *
roaring_write_header(uint8_t *data, SketchKind kind, uint64_t cardinality, uint32_t buckets)
{
    sketch_write_common(data, (uint8_t)kind, ROARING_FORMAT_VERSION, ROARING_PACKED, 0);
    store_le64(data + CARDINALITY, cardinality);
    if (is_wide(data))
        store_le32(data + BUCKETS, buckets);
    return data + roaring_header_bytes(kind, buckets);
}

void
roaring_write_index(uint8_t *data, uint32_t i, RoaringIndexEntry entry)
{
    uint8_t *to = (uint8_t *)entry_at(data, i);

    store_le32(to, entry.high);
    store_le32(to + INDEX_END, (uint32_t)entry.end);
}

/* ---- the portable format ---- */

size_t
roaring_portable_bytes(SketchBytes value)
{
    size_t end = roaring_first_bucket(value);
    uint32_t buckets = roaring_buckets(value.data);

    if (end == 0)
        return 0;
    if (!is_wide(value.data))
        return value.size - end;
    for (uint32_t i = 0; i < buckets; i++) {
        size_t next = roaring_index(value, i).end;

        if (next < end || next > value.size)
            return 0;
        end = next;
    }
    if (end != value.size)
        return 0;
    return PORTABLE_COUNT_BYTES + (size_t)buckets * PORTABLE_HIGH_BYTES + value.size -
           roaring_first_bucket(value);
}

void
roaring_to_portable(SketchBytes value, uint8_t *to, const SketchMemory *memory)
{
    size_t at = roaring_first_bucket(value);
    uint32_t buckets = roaring_buckets(value.data);

    if (is_wide(value.data)) {
        store_le64(to, buckets);
        to += PORTABLE_COUNT_BYTES;
    }
    for (uint32_t i = 0; i < buckets; i++) {
        RoaringIndexEntry entry = roaring_index(value, i);

        if (is_wide(value.data)) {
            store_le32(to, entry.high);
            to += PORTABLE_HIGH_BYTES;
        }
        polled_copy(to, value.data + at, entry.end - at, memory);
        to += entry.end - at;
        at = entry.end;
    }
}
