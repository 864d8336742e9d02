/*
 * writer.c - the portable format of roaring bitmaps: writing each container in its smallest form,
 * so that equal sets have equal bytes.
 *
 * A container is written as runs where these take fewer bytes than both other forms; else as an
 * array, up to 4096 values; else as a bitset.
 */
#include "core/common/polled.h"
#include "roaring_internal.h"

#define BLOCK_BYTES 65536 /* of what is kept, at least */

typedef struct WrittenContainer {
    RoaringContainer from;
    RoaringForm form;
    uint32_t runs;
} WrittenContainer;

/* Blocks; of the first one a part is left. */
struct RoaringKept {
    RoaringKept *next;
    size_t left;
    uint8_t *at;
    uint8_t bytes[];
};

uint8_t *
roaring_keep(RoaringKept **kept, size_t bytes, const SketchMemory *memory)
{
    RoaringKept *block = *kept;

    bytes = (bytes + 7) / 8 * 8;
    if (!block || block->left < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

        block = memory->scratch(sizeof *block + size, memory->context);
        *block = (RoaringKept){.next = *kept, .left = size, .at = block->bytes};
        *kept = block;
    }
    block->at += bytes;
    block->left -= bytes;
    return block->at - bytes;
}

void
roaring_release_kept(RoaringKept *kept, const SketchMemory *memory)
{
    for (RoaringKept *next; kept; kept = next) {
        next = kept->next;
        memory->release(kept, memory->context);
    }
}

RoaringWriter
roaring_writer(SketchKind kind, size_t expected, const SketchMemory *memory)
{
    size_t slots = expected > 4 ? expected : 4;

    return (RoaringWriter){
        .kind = kind,
        .slots = slots,
        .memory = memory,
        .containers = memory->scratch(slots * sizeof(WrittenContainer), memory->context),
    };
}

/* How many runs the bits make: each begins with a one in front of which there is none. */
static inline __attribute__((always_inline)) uint32_t
count_runs_of_bits(const RoaringContainer *from)
{
    uint32_t runs = 0;
    uint64_t carry = 0;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
        uint64_t word = roaring_container_word(from, i);

        runs += (uint32_t)__builtin_popcountll(word & ~(word << 1 | carry));
        carry = word >> 63;
    }
    return runs;
}

#ifdef __x86_64__
__attribute__((target("popcnt"))) static uint32_t
count_runs_by_instruction(const RoaringContainer *from)
{
    return count_runs_of_bits(from);
}
#endif

/* How many runs the values make. */
static uint32_t
count_runs(const RoaringContainer *from)
{
    uint32_t runs = from->count > 0;

    switch (from->form) {
    case ROARING_RUNS:
        return from->count;
    case ROARING_BITSET:
    case ROARING_WORDS:
#ifdef __x86_64__
        if (__builtin_cpu_supports("popcnt"))
            return count_runs_by_instruction(from);
#endif
        return count_runs_of_bits(from);
    case ROARING_ARRAY:
        for (uint32_t i = 1; i < from->count; i++)
            runs += load_le16(from->data + (size_t)i * 2) !=
                    load_le16(from->data + (size_t)i * 2 - 2) + 1;
        return runs;
    default:
        for (uint32_t i = 1; i < from->count; i++)
            runs += roaring_container_low(from, i) != roaring_container_low(from, i - 1) + 1;
        return runs;
    }
}

/* What a bitset says is taken; runs are counted, since room for their values depends on it. */
static uint32_t
count_values(const RoaringContainer *from)
{
    uint32_t values = 0;

    switch (from->form) {
    case ROARING_RUNS:
        for (uint32_t i = 0; i < from->count; i++)
            values += load_le16(from->data + (size_t)i * 4 + 2) + 1U;
        return values;
    case ROARING_BITSET:
        return from->cardinality;
    case ROARING_WORDS:
        return roaring_bitset_cardinality((const uint64_t *)from->data);
    default:
        return from->count;
    }
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

static void
more_slots(RoaringWriter *writer)
{
    const SketchMemory *memory = writer->memory;
    WrittenContainer *more = memory->scratch(2 * writer->slots * sizeof *more, memory->context);

    polled_copy(more, writer->containers, writer->count * sizeof *more, memory);
    memory->release(writer->containers, memory->context);
    writer->containers = more;
    writer->slots *= 2;
}

/* Adds a container and chooses its form; NULL for an empty one. */
static WrittenContainer *
add(RoaringWriter *writer, const RoaringContainer *container)
{
    WrittenContainer *written;

    sketch_poll(writer->memory, &writer->steps,
                container->form == ROARING_WORDS ? ROARING_BITSET_WORDS : 64 + container->count);
    if (writer->count == writer->slots)
        more_slots(writer);
    written = writer->containers + writer->count;
    written->from = *container;
    written->from.cardinality = count_values(container);
    if (written->from.cardinality == 0)
        return NULL;
    written->runs = count_runs(container);
    written->form = written->from.cardinality <= ROARING_ARRAY_MAX ? ROARING_ARRAY : ROARING_BITSET;
    if (2 + (size_t)written->runs * 4 < written_bytes(written))
        written->form = ROARING_RUNS;
    writer->count++;
    return written;
}

void
roaring_write_packed(RoaringWriter *writer, const RoaringContainer *container)
{
    sketch_poll(writer->memory, &writer->steps, 64);
    if (writer->count == writer->slots)
        more_slots(writer);
    writer->containers[writer->count++] =
        (WrittenContainer){.from = *container, .form = container->form, .runs = container->count};
}

void
roaring_write_container(RoaringWriter *writer, const RoaringContainer *container)
{
    add(writer, container);
}

void
roaring_write_bucket(RoaringWriter *writer, const RoaringBucket *bucket)
{
    for (uint32_t i = 0; i < bucket->containers; i++) {
        RoaringContainer container;

        if (roaring_bucket_container(bucket, i, &container))
            add(writer, &container);
    }
}

/* ---- containers ---- */

static uint8_t *
write_container(uint8_t *to, const WrittenContainer *written)
{
    const RoaringContainer *from = &written->from;
    uint64_t bits[ROARING_BITSET_WORDS];
    const uint64_t *bitset = bits;

    if (written->form == ROARING_RUNS) {
        store_le16(to, (uint16_t)written->runs);
        to += 2;
    }
    if (written->form == from->form) {
        size_t bytes = written_bytes(written) - (written->form == ROARING_RUNS ? 2 : 0);

        memcpy(to, from->data, bytes);
        return to + bytes;
    }
    if (written->form == ROARING_ARRAY && from->form >= ROARING_VALUES32) {
        for (uint32_t i = 0; i < from->count; i++, to += 2)
            store_le16(to, (uint16_t)roaring_container_low(from, i));
        return to;
    }
    if (from->form == ROARING_WORDS)
        bitset = (const uint64_t *)from->data;
    else
        roaring_load_bitset(bits, from);
    if (written->form == ROARING_ARRAY)
        return roaring_bitset_values(bitset, to);
    if (written->form == ROARING_RUNS)
        return roaring_bitset_runs(bitset, to);
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++, to += 8)
        store_le64(to, bitset[i]);
    return to;
}

void
roaring_write_copy(RoaringWriter *writer, const RoaringContainer *container)
{
    WrittenContainer *written = add(writer, container);

    if (written) {
        uint8_t *kept = roaring_keep(&writer->kept, written_bytes(written), writer->memory);

        write_container(kept, written);
        written->from.form = written->form;
        written->from.data = kept + (written->form == ROARING_RUNS ? 2 : 0);
        written->from.count =
            written->form == ROARING_RUNS ? written->runs : written->from.cardinality;
    }
}

/* ---- bitmaps ---- */

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
write_bucket(RoaringWriter *writer, uint8_t *to, const WrittenContainer *first,
             const WrittenContainer *end)
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
    for (size_t i = 0; i < count; i++) {
        sketch_poll(writer->memory, &writer->steps, 64 + first[i].from.count);
        to = write_container(to, first + i);
    }
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
    const SketchMemory *memory = writer->memory;

    roaring_release_kept(writer->kept, memory);
    memory->release(writer->containers, memory->context);
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

    for (const WrittenContainer *written = all; written < all_end; written++) {
        cardinality += written->from.cardinality;
        sketch_poll(memory, &writer->steps, 4);
    }
    if (wide) {
        size = ROARING64_HEADER;
        for (const WrittenContainer *first = all, *end; first < all_end; first = end, buckets++) {
            end = bucket_end(writer, first);
            size += 8 + bucket_bytes(first, end);
            sketch_poll(memory, &writer->steps, 16 * (size_t)(end - first));
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
            to = write_bucket(writer, to, first, end);
            store_le32(index, (uint32_t)(first->from.key >> 16));
            store_le32(index + 4, (uint32_t)(to - data));
        }
    } else {
        write_bucket(writer, data + ROARING_HEADER, all, all_end);
    }
    roaring_discard(writer);
    return value;
}
