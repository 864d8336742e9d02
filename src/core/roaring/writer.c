/*
 * writer.c - the portable format of roaring bitmaps: writing each container in its smallest form,
 * so that equal sets have equal bytes.
 *
 * A container is written as runs where these take fewer bytes than both other forms; else as an
 * array, up to 4096 values; else as a bitset.
 */
#include "roaring_internal.h"

typedef struct WrittenContainer {
    RoaringContainer from;
    RoaringForm form;
    uint32_t runs;
} WrittenContainer;

RoaringWriter
roaring_writer(SketchKind kind, size_t room, const SketchMemory *memory)
{
    return (RoaringWriter){
        .kind = kind,
        .room = room,
        .memory = memory,
        .containers = memory->scratch(room * sizeof(WrittenContainer) + 1, memory->context),
    };
}

/* How many runs the values make, and how many values there are. */
static uint32_t
count_runs(const RoaringContainer *from, uint32_t *cardinality)
{
    uint32_t runs = 0;

    if (from->form == ROARING_RUNS) {
        *cardinality = from->cardinality;
        runs = from->count;
    } else if (from->form == ROARING_BITSET) {
        uint64_t carry = 0;

        *cardinality = 0;
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
            uint64_t word = load_le64(from->data + i * sizeof word);

            *cardinality += (uint32_t)__builtin_popcountll(word);
            runs += (uint32_t)__builtin_popcountll(word & ~(word << 1 | carry));
            carry = word >> 63;
        }
    } else {
        *cardinality = from->count;
        runs = from->count > 0;
        for (uint32_t i = 1; i < from->count; i++)
            runs += roaring_container_low(from, i) != roaring_container_low(from, i - 1) + 1;
    }
    return runs;
}

static size_t
written_bytes(const WrittenContainer *written)
{
    switch (written->form) {
    case ROARING_RUNS:
        return 2 + (size_t)written->runs * 4;
    case ROARING_ARRAY:
        return (size_t)written->from.cardinality * 2;
    default:
        return ROARING_BITSET_BYTES;
    }
}

void
roaring_write_container(RoaringWriter *writer, const RoaringContainer *container)
{
    WrittenContainer *written = writer->containers + writer->count;

    written->from = *container;
    written->runs = count_runs(container, &written->from.cardinality);
    if (written->from.cardinality == 0)
        return;
    written->form = written->from.cardinality <= ROARING_ARRAY_MAX ? ROARING_ARRAY : ROARING_BITSET;
    if (2 + (size_t)written->runs * 4 < written_bytes(written))
        written->form = ROARING_RUNS;
    writer->count++;
}

void
roaring_write_bucket(RoaringWriter *writer, const RoaringBucket *bucket)
{
    for (uint32_t i = 0; i < bucket->containers; i++) {
        RoaringContainer container;

        if (roaring_bucket_container(bucket, i, &container))
            roaring_write_container(writer, &container);
    }
}

/* ---- writing ---- */

static uint8_t *
write_array(uint8_t *to, const uint64_t *bitset)
{
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        for (uint64_t word = bitset[i]; word != 0; word &= word - 1, to += 2)
            store_le16(to, (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word)));
    return to;
}

/* The first bit at or after `from` that is 1, or 0; 65536 when there is none. */
static uint32_t
next_bit(const uint64_t *bitset, uint32_t from, bool one)
{
    while (from < 65536) {
        uint64_t word = (one ? bitset[from >> 6] : ~bitset[from >> 6]) >> (from & 63);

        if (word != 0)
            return from + (uint32_t)__builtin_ctzll(word);
        from = (from | 63) + 1;
    }
    return 65536;
}

static uint8_t *
write_runs(uint8_t *to, const uint64_t *bitset, uint32_t runs)
{
    store_le16(to, (uint16_t)runs);
    to += 2;
    for (uint32_t first = next_bit(bitset, 0, true); first < 65536;) {
        uint32_t end = next_bit(bitset, first, false);

        store_le16(to, (uint16_t)first);
        store_le16(to + 2, (uint16_t)(end - first - 1));
        to += 4;
        first = next_bit(bitset, end, true);
    }
    return to;
}

static uint8_t *
write_container(uint8_t *to, const WrittenContainer *written)
{
    const RoaringContainer *from = &written->from;

    if (written->form == ROARING_RUNS && from->form == ROARING_RUNS) {
        store_le16(to, (uint16_t)from->count);
        memcpy(to + 2, from->data, (size_t)from->count * 4);
        return to + 2 + (size_t)from->count * 4;
    }
    if (written->form == from->form) {
        memcpy(to, from->data, written_bytes(written));
        return to + written_bytes(written);
    }
    if (written->form == ROARING_ARRAY && from->form >= ROARING_VALUES32) {
        for (uint32_t i = 0; i < from->count; i++, to += 2)
            store_le16(to, (uint16_t)roaring_container_low(from, i));
        return to;
    } else {
        uint64_t bitset[ROARING_BITSET_WORDS] = {0};

        roaring_change_bitset(bitset, from, ROARING_SET);
        if (written->form == ROARING_ARRAY)
            return write_array(to, bitset);
        if (written->form == ROARING_RUNS)
            return write_runs(to, bitset, written->runs);
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++, to += 8)
            store_le64(to, bitset[i]);
        return to;
    }
}

/* Containers `first` to `end` - 1 share the bits above the lowest 32. */
static bool
has_runs(const WrittenContainer *first, const WrittenContainer *end)
{
    for (; first < end; first++)
        if (first->form == ROARING_RUNS)
            return true;
    return false;
}

static size_t
directory_bytes(size_t containers, bool runs)
{
    if (!runs)
        return 8 + containers * 8;
    return 4 + (containers + 7) / 8 + containers * (containers >= ROARING_OFFSETS_FROM ? 8 : 4);
}

static size_t
bucket_bytes(const WrittenContainer *first, const WrittenContainer *end)
{
    size_t bytes = directory_bytes((size_t)(end - first), has_runs(first, end));

    for (; first < end; first++)
        bytes += written_bytes(first);
    return bytes;
}

static uint8_t *
write_bucket(uint8_t *to, const WrittenContainer *first, const WrittenContainer *end)
{
    size_t count = (size_t)(end - first);
    bool runs = has_runs(first, end);
    size_t offset = directory_bytes(count, runs);

    if (runs) {
        store_le16(to, ROARING_COOKIE_RUNS);
        store_le16(to + 2, (uint16_t)(count - 1));
        to += 4;
        memset(to, 0, (count + 7) / 8);
        for (size_t i = 0; i < count; i++)
            to[i / 8] |= (uint8_t)((first[i].form == ROARING_RUNS) << i % 8);
        to += (count + 7) / 8;
    } else {
        store_le32(to, ROARING_COOKIE_PLAIN);
        store_le32(to + 4, (uint32_t)count);
        to += 8;
    }
    for (size_t i = 0; i < count; i++, to += 4) {
        store_le16(to, (uint16_t)first[i].from.key);
        store_le16(to + 2, (uint16_t)(first[i].from.cardinality - 1));
    }
    for (size_t i = 0; i < count && (!runs || count >= ROARING_OFFSETS_FROM); i++, to += 4) {
        store_le32(to, (uint32_t)offset);
        offset += written_bytes(first + i);
    }
    for (size_t i = 0; i < count; i++)
        to = write_container(to, first + i);
    return to;
}

static const WrittenContainer *
bucket_end(const RoaringWriter *writer, const WrittenContainer *first)
{
    const WrittenContainer *end = first;

    while (end < writer->containers + writer->count && end->from.key >> 16 == first->from.key >> 16)
        end++;
    return end;
}

void
roaring_discard(RoaringWriter *writer)
{
    writer->memory->release(writer->containers, writer->memory->context);
}

SketchBytes
roaring_write(RoaringWriter *writer)
{
    const SketchMemory *memory = writer->memory;
    const WrittenContainer *all = writer->containers, *all_end = all + writer->count;
    bool wide = writer->kind == SKETCH_ROARING64;
    uint64_t cardinality = 0;
    uint32_t buckets = 0;
    size_t size = ROARING_HEADER;
    SketchBytes value;
    uint8_t *data, *to;

    for (const WrittenContainer *written = all; written < all_end; written++)
        cardinality += written->from.cardinality;
    if (wide) {
        size = ROARING64_HEADER;
        for (const WrittenContainer *first = all, *end; first < all_end; first = end, buckets++) {
            end = bucket_end(writer, first);
            size += 8 + bucket_bytes(first, end);
        }
    } else {
        size += bucket_bytes(all, all_end);
    }
    value = (SketchBytes){data = memory->value(size, memory->context), size};
    data[0] = (uint8_t)writer->kind;
    data[1] = ROARING_FORMAT_VERSION;
    data[2] = ROARING_PACKED;
    data[3] = 0;
    store_le64(data + 4, cardinality);
    if (wide) {
        uint8_t *index = data + ROARING64_HEADER;

        store_le32(data + 12, buckets);
        to = index + (size_t)buckets * 8;
        for (const WrittenContainer *first = all, *end; first < all_end; first = end, index += 8) {
            end = bucket_end(writer, first);
            to = write_bucket(to, first, end);
            store_le32(index, (uint32_t)(first->from.key >> 16));
            store_le32(index + 4, (uint32_t)(to - data));
        }
    } else {
        write_bucket(data + ROARING_HEADER, all, all_end);
    }
    roaring_discard(writer);
    return value;
}
