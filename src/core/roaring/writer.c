/*
 * writer.c - the containers of a value that is made, each in its smallest form, so that equal sets
 * have equal bytes; and the value of them.
 *
 * A container is written as runs where these take fewer bytes than both other forms; else as an
 * array, up to 4096 values; else as a bitset.
 */
#include "core/common/polled.h"
#include "roaring_internal.h"

#define BLOCK_BYTES 65536 /* of a block, at least */

/* A list of blocks; the first may have bytes left. */
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
        .containers = memory->scratch(slots * sizeof64(RoaringWritten), memory->context),
    };
}

/* Counts the runs of bits: each begins with a one after a zero. */
static inline __attribute__((always_inline)) uint32_t
count_runs_of_bits(const RoaringContainer *from)
{
    uint32_t runs = 0;
    uint64_t carry = 0;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
        uint64_t word = roaring_word(from, i);

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

/* Counts the runs of the values. */
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
            runs += roaring_low(from, i) != roaring_low(from, i - 1) + 1;
        return runs;
    default:
        for (uint32_t i = 1; i < from->count; i++)
            runs += roaring_listed(from, i) != roaring_listed(from, i - 1) + 1;
        return runs;
    }
}

/* Trusts the cardinality of a bitset, but not that of runs: memory is sized by their values. */
static uint32_t
count_values(const RoaringContainer *from)
{
    uint32_t values = 0;

    switch (from->form) {
    case ROARING_RUNS:
        for (uint32_t i = 0; i < from->count; i++)
            values += roaring_run(from, i).last - roaring_run(from, i).first + 1;
        return values;
    case ROARING_BITSET:
        return from->cardinality;
    case ROARING_WORDS:
        return roaring_bitset_cardinality((const uint64_t *)from->data);
    default:
        return from->count;
    }
}

static void
more_slots(RoaringWriter *writer)
{
    const SketchMemory *memory = writer->memory;
    RoaringWritten *more = memory->scratch(2 * writer->slots * sizeof64(*more), memory->context);

    polled_copy(more, writer->containers, writer->count * sizeof *more, memory);
    memory->release(writer->containers, memory->context);
    writer->containers = more;
    writer->slots *= 2;
}

/* Adds a container and chooses its form; NULL for an empty one. */
static RoaringWritten *
add(RoaringWriter *writer, const RoaringContainer *container)
{
    RoaringWritten *written;

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
    if (ROARING_RUNS_BYTES + (size_t)written->runs * ROARING_RUN_BYTES <
        roaring_written_bytes(written))
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
        (RoaringWritten){.from = *container, .form = container->form, .runs = container->count};
}

void
roaring_write_container(RoaringWriter *writer, const RoaringContainer *container)
{
    add(writer, container);
}

/* ---- containers ---- */

uint8_t *
roaring_put_container(uint8_t *to, const RoaringWritten *written)
{
    const RoaringContainer *from = &written->from;
    uint64_t bits[ROARING_BITSET_WORDS];
    const uint64_t *bitset = bits;

    if (written->form == ROARING_RUNS) {
        store_le16(to, (uint16_t)written->runs);
        to += ROARING_RUNS_BYTES;
    }
    if (written->form == from->form) {
        size_t bytes = roaring_written_bytes(written) -
                       (written->form == ROARING_RUNS ? ROARING_RUNS_BYTES : 0);

        memcpy(to, from->data, bytes);
        return to + bytes;
    }
    if (written->form == ROARING_ARRAY && from->form >= ROARING_VALUES32) {
        for (uint32_t i = 0; i < from->count; i++)
            roaring_put_low(to, i, roaring_listed(from, i));
        return to + (size_t)from->count * ROARING_LOW_BYTES;
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
    RoaringWritten *written = add(writer, container);

    if (written) {
        uint8_t *kept = roaring_keep(&writer->kept, roaring_written_bytes(written), writer->memory);

        roaring_put_container(kept, written);
        written->from.form = written->form;
        written->from.count =
            written->form == ROARING_RUNS ? written->runs : written->from.cardinality;
        written->from.data = kept + (written->form == ROARING_RUNS ? ROARING_RUNS_BYTES : 0);
    }
}

void
roaring_discard(RoaringWriter *writer)
{
    const SketchMemory *memory = writer->memory;

    roaring_release_kept(writer->kept, memory);
    memory->release(writer->containers, memory->context);
}

/* ---- the value ---- */

/* Containers `first` to `end` - 1 share the bits above the lowest 32. */
static RoaringLayout
written_layout(const RoaringWritten *first, const RoaringWritten *end)
{
    bool runs = false;

    for (const RoaringWritten *written = first; written < end && !runs; written++)
        runs = written->form == ROARING_RUNS;
    return roaring_layout_of((uint32_t)(end - first), runs);
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
        store_le32(bitmap, ROARING_COOKIE_RUNS | (layout.containers - 1) << 16);
        memset(bitmap + layout.run_flags, 0, layout.keys - layout.run_flags);
    } else {
        store_le32(bitmap, ROARING_COOKIE_PLAIN);
        store_le32(bitmap + ROARING_AT_COUNT, layout.containers);
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
    uint64_t size = 0;
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
    value = (SketchBytes){data = memory->value(size, memory->context), (size_t)size};
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
