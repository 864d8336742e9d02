/*
 * packed.c - writing and reading packed values. cuckoo.c describes the layout.
 */
#include "cuckoo_internal.h"

#include "core/common/bits.h"
#include "core/common/polled.h"

/* ---- writing ---- */

/* Counts the ascending fingerprints below `limit` by a galloping search from the front. */
static size_t
count_below(const uint64_t *fingerprints, size_t count, uint64_t limit)
{
    size_t low = 0, step = 1;

    while (step <= count && fingerprints[step - 1] < limit) {
        low = step;
        step *= 2;
    }
    count = step <= count ? step - 1 : count;
    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (fingerprints[middle] < limit)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

static void
write_bucket(const CuckooLayout *layout, const uint64_t *fingerprints, size_t items, uint8_t *to,
             const SketchMemory *memory)
{
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    BitWriter remainders = bit_writer(to + cuckoo_unary_bytes(layout, items));

    polled_zero(to, cuckoo_unary_bytes(layout, items), memory);
    POLLED_FOR (i, 0, items, 2, memory) {
        size_t bit = (fingerprints[i] >> r & (layout->quotients - 1)) + i;
        uint64_t remainder = fingerprints[i] & mask;

        to[bit / 8] |= (uint8_t)(1 << bit % 8);
        if (r <= 32)
            bits_put(&remainders, remainder, r);
        else {
            bits_put(&remainders, remainder & UINT32_MAX, 32);
            bits_put(&remainders, remainder >> 32, r - 32);
        }
    }
    bits_finish(&remainders);
}

/* Writes the number of items in each quarter of a bucket; returns their sum. */
static size_t
write_quarters(const CuckooLayout *layout, const uint64_t *fingerprints, size_t count,
               uint32_t bucket, uint8_t *to)
{
    uint64_t next = (uint64_t)bucket * layout->quotients;
    size_t items = 0;

    for (unsigned i = 0; i < layout->quotients / CUCKOO_QUARTER; i++) {
        size_t here;

        next += CUCKOO_QUARTER;
        here = count_below(fingerprints + items, count - items, next << layout->remainder_bits);
        to[i] = here < UINT8_MAX ? (uint8_t)here : UINT8_MAX;
        items += here;
    }
    return items;
}

/*
 * Copies bytes to or from offset `at` of the stream, which is the slots of all buckets in a row,
 * without the headers in between. `body` is what follows the header of the value.
 */
static void
copy_stream(const CuckooLayout *layout, uint8_t *body, size_t at, uint8_t *bytes, size_t size,
            bool write)
{
    size_t bucket = at / layout->slot_bytes;

    if (bucket >= layout->buckets)
        bucket = layout->buckets - 1;
    at -= bucket * layout->slot_bytes;
    while (size > 0) {
        size_t left = bucket + 1 < layout->buckets ? layout->slot_bytes - at : size;
        size_t here = size < left ? size : left;
        uint8_t *place = body + bucket * (layout->slot_bytes + cuckoo_bucket_header(layout)) +
                         cuckoo_bucket_header(layout) + at;

        memcpy(write ? place : bytes, write ? bytes : place, here);
        bytes += here;
        size -= here;
        bucket++;
        at = 0;
    }
}

SketchBytes
cuckoo_encode(const CuckooHeader *header, const uint64_t *fingerprints, const SketchMemory *memory)
{
    CuckooLayout layout = cuckoo_layout(header);
    size_t count = header->items, done = 0, end = 0, largest = 0, steps = 0;
    size_t size = CUCKOO_PACKED_HEADER;
    uint8_t *data, *body, *bucket;

    for (uint32_t i = 0; i < layout.buckets && count > 0; i++) {
        uint64_t next = ((uint64_t)i + 1) * layout.quotients << layout.remainder_bits;
        size_t items = count_below(fingerprints + done, count - done, next);
        size_t bytes = cuckoo_bucket_bytes(&layout, items);

        sketch_poll(memory, &steps, layout.quotients);
        end = (end > i * layout.slot_bytes ? end : i * layout.slot_bytes) + bytes;
        largest = bytes > largest ? bytes : largest;
        done += items;
    }
    if (count > 0)
        size += layout.buckets * cuckoo_bucket_header(&layout) + end;
    data = memory->value(size, memory->context);
    polled_zero(data, size, memory);
    cuckoo_write_header(data, CUCKOO_PACKED, header);
    if (count == 0)
        return (SketchBytes){data, size};

    body = data + CUCKOO_PACKED_HEADER;
    bucket = memory->scratch(largest + 8, memory->context);
    done = end = 0;
    for (uint32_t i = 0; i < layout.buckets; i++) {
        size_t own = i * layout.slot_bytes, items = count - done, bytes;

        sketch_poll(memory, &steps, layout.quotients);
        end = end > own ? end : own;
        if (layout.buckets > 1) {
            uint8_t *head = body + i * (layout.slot_bytes + CUCKOO_BUCKET_HEADER);

            store_le32(head, (uint32_t)(end - own));
            items = write_quarters(&layout, fingerprints + done, items, i, head + 4);
        }
        bytes = cuckoo_bucket_bytes(&layout, items);
        write_bucket(&layout, fingerprints + done, items, bucket, memory);
        copy_stream(&layout, body, end, bucket, bytes, true);
        end += bytes;
        done += items;
    }
    memory->release(bucket, memory->context);
    return (SketchBytes){data, size};
}

/* ---- reading ---- */

/* Counts the items of the bucket at offset `at` of the stream: the ones among its lengths. */
static size_t
count_items(const CuckooLayout *layout, uint8_t *body, size_t at, size_t stream,
            const SketchMemory *memory)
{
    size_t ones = 0, zeros = 0, steps = 0;

    for (; at < stream && zeros < layout->quotients; at++) {
        uint8_t byte;

        copy_stream(layout, body, at, &byte, 1, false);
        sketch_poll(memory, &steps, 8);
        for (unsigned bit = 0; bit < 8 && zeros < layout->quotients; bit++) {
            ones += byte >> bit & 1;
            zeros += !(byte >> bit & 1);
        }
    }
    return ones;
}

/* A packed value that is read bucket by bucket. */
typedef struct Reader {
    CuckooLayout layout;
    uint8_t *body;
    size_t body_size;
    size_t stream;   /* bytes of the slots of all buckets */
    size_t begin;    /* offset of the next bucket in the stream */
    uint64_t left;   /* items */
    uint32_t bucket; /* the next one */
    uint8_t *copy;   /* of a bucket's bytes, in scratch memory */
    size_t copy_size;
} Reader;

static bool
reader_open(Reader *reader, SketchBytes packed)
{
    CuckooHeader header = cuckoo_header(packed);
    size_t body_size = packed.size - CUCKOO_PACKED_HEADER;

    if (!cuckoo_header_valid(&header))
        return false;
    *reader = (Reader){.layout = cuckoo_layout(&header),
                       .body = (uint8_t *)packed.data + CUCKOO_PACKED_HEADER,
                       .body_size = body_size,
                       .left = header.items};
    /* A damaged number of items must not take memory out of proportion to the value. */
    if (header.items > 0 &&
        (body_size / (reader->layout.slot_bytes + cuckoo_bucket_header(&reader->layout)) + 1 <
             reader->layout.buckets ||
         body_size < header.items / 8 * (reader->layout.remainder_bits + 1)))
        return false;
    /* The last bucket ends where the body does. */
    reader->stream = body_size - reader->layout.buckets * cuckoo_bucket_header(&reader->layout);
    return true;
}

bool
cuckoo_fits(SketchBytes packed)
{
    Reader reader;

    return packed.size >= CUCKOO_PACKED_HEADER && reader_open(&reader, packed);
}

/* Finds the next bucket and its number of items; fails for a damaged value. */
static bool
find_bucket(Reader *reader, size_t *items, const SketchMemory *memory)
{
    const CuckooLayout *layout = &reader->layout;
    size_t start = 0;

    *items = reader->left;
    if (layout->buckets > 1) {
        size_t at = reader->bucket * (layout->slot_bytes + CUCKOO_BUCKET_HEADER);
        uint32_t quarters;

        if (reader->body_size < at + CUCKOO_BUCKET_HEADER)
            return false;
        start = load_le32(reader->body + at);
        if (start > reader->stream)
            return false;
        quarters = load_le32(reader->body + at + 4);
        *items =
            cuckoo_quarters_known(quarters)
                ? cuckoo_quarters_sum(quarters)
                : count_items(layout, reader->body, reader->bucket * layout->slot_bytes + start,
                              reader->stream, memory);
    }
    reader->begin = reader->bucket * layout->slot_bytes + start;
    return *items <= reader->left &&
           reader->begin + cuckoo_bucket_bytes(layout, *items) <= reader->stream;
}

static void
release_copy(Reader *reader, const SketchMemory *memory)
{
    if (reader->copy)
        memory->release(reader->copy, memory->context);
    reader->copy = NULL;
    reader->copy_size = 0;
}

/*
 * Returns the bytes of the next bucket, readable past their end by 8 bytes: in place, or a copy if
 * they continue in the slots of another bucket or end with the value.
 */
static const uint8_t *
bucket_bytes(Reader *reader, size_t bytes, const SketchMemory *memory)
{
    const CuckooLayout *layout = &reader->layout;
    size_t own = reader->begin - reader->bucket * layout->slot_bytes;
    size_t at = reader->bucket * (layout->slot_bytes + cuckoo_bucket_header(layout)) +
                cuckoo_bucket_header(layout) + own;

    if (own + bytes <= layout->slot_bytes && at + bytes + 8 <= reader->body_size)
        return reader->body + at;
    if (bytes + 8 > reader->copy_size) {
        release_copy(reader, memory);
        reader->copy_size = bytes + bytes / 4 + 8;
        reader->copy = memory->scratch(reader->copy_size, memory->context);
    }
    copy_stream(layout, reader->body, reader->begin, reader->copy, bytes, false);
    memset(reader->copy + bytes, 0, 8);
    return reader->copy;
}

/* Counts the ones of a word. Without a popcount instruction the builtin would be a call. */
static inline unsigned
ones_of(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    return (unsigned)(((word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >>
                      56);
}

/*
 * Reads all fingerprints of the next bucket, its lengths word by word. Fails if the lengths have
 * more or fewer ones than there are items, if they do not end with a zero, or if the fingerprints
 * do not ascend.
 */
static bool
read_bucket(Reader *reader, size_t items, uint64_t *fingerprints, const SketchMemory *memory)
{
    const CuckooLayout *layout = &reader->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint8_t *lengths = bucket_bytes(reader, cuckoo_bucket_bytes(layout, items), memory);
    const uint8_t *remainders = lengths + cuckoo_unary_bytes(layout, items);
    const uint64_t first = (uint64_t)reader->bucket * layout->quotients;
    const size_t bits = layout->quotients + items;
    uint64_t before = 0;
    size_t read = 0, steps = 0;
    bool ascends = true;

    reader->left -= items;
    reader->bucket++;
    if ((lengths[(bits - 1) / 8] >> (bits - 1) % 8 & 1) != 0)
        return false;
    for (size_t begin = 0; begin < bits; begin += 64) {
        uint64_t word = load_le64(lengths + begin / 8);

        if (bits - begin < 64)
            word &= (UINT64_C(1) << (bits - begin)) - 1;
        if (ones_of(word) > items - read)
            return false;
        for (; word; word &= word - 1) {
            const uint64_t at = read * r;
            uint64_t remainder = load_le64(remainders + at / 8) >> at % 8;
            uint64_t quotient = first + begin + (unsigned)__builtin_ctzll(word) - read;

            /* Only a wide remainder can reach into a ninth byte. */
            if (r > 57 && r + at % 8 > 64)
                remainder |= (uint64_t)remainders[at / 8 + 8] << (64 - at % 8);
            remainder = quotient << r | (remainder & mask);
            ascends &= remainder >= before;
            fingerprints[read++] = before = remainder;
        }
        sketch_poll(memory, &steps, 64);
    }
    return read == items && ascends;
}

uint64_t *
cuckoo_decode(SketchBytes packed, const SketchMemory *memory)
{
    Reader reader;
    uint64_t *fingerprints, *to;
    size_t items, steps = 0;
    bool good = true;

    if (!reader_open(&reader, packed))
        return NULL;
    to = fingerprints = memory->scratch(reader.left * sizeof64(uint64_t) + 1, memory->context);
    while (reader.left > 0 && good && reader.bucket < reader.layout.buckets) {
        good = find_bucket(&reader, &items, memory) && read_bucket(&reader, items, to, memory);
        to += items;
        sketch_poll(memory, &steps, reader.layout.quotients);
    }
    release_copy(&reader, memory);
    if (good && reader.left == 0)
        return fingerprints;
    memory->release(fingerprints, memory->context);
    return NULL;
}
