/*
 * cuckoo.c - a filter that forgets again: is an item in the set, how often, and take it out.
 *
 * A filter keeps of every item a few bits of its hash. Whatever was added is found; what was not is
 * taken for a member with a small probability. Other than a Bloom filter it can delete items, count
 * them, merge by the greater count or the sum, and be cut down to fewer bits.
 *
 * That is the work of a cuckoo filter (Fan and others), and it is the type's name. How the bits are
 * kept is not: a table with two places for every item has room that is never filled, fails when it
 * is nearly full, and looks different after every order of insertion. A stored value is not changed
 * in place, so here it is what such a table means, by quotienting (Cleary; Bender and others):
 *
 *     a filter is a sorted multiset of fingerprints, the p highest bits of the items' hashes.
 *
 * n fingerprints of p bits have a false-positive rate of n / 2^p. p stays as it is while the
 * filter grows; what a table of twice the size would take as one bit more of the bucket's number and
 * one less of the fingerprint is the same bit here. So "fingerprint bits" f are a measure of the
 * rate: 8 * .95 / 2^f, that of a cuckoo filter with buckets of four slots at 95 % load, and p is the
 * least that has this rate at the capacity, or at the number of items of an aggregate:
 *
 *     2^p >= items * 2^f / 7.6        f = 16: between .006 and .012 %; 64 times as many: .38 to .75 %
 *
 * Equal fingerprints are stored as often as they are held. Union takes the greater count of each,
 * the sum adds; filters of different p meet at the lower one.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4              5   6..7   8..15   16..23    24..27     28..
 *     kind   version  encoding  hash  fingerprint f  p   zero   items   deletes   capacity   buckets
 *
 * The capacity is 0 in a filter that grows. The fingerprints of n items fall into 2^c cells by their
 * c highest bits, 2^c being the least power of two >= n (so a cell has one half to one on average);
 * of each only the other r = p - c bits are stored. 256 cells are a bucket:
 *
 *     0..3    displacement: where the bucket really begins, bytes behind the begin of its room
 *     4..7    items of each quarter of its cells, 255 for 255 or more
 *     8..     its room
 *
 *     cell bits: for every cell as many ones as it has items, and a zero; up to a whole byte
 *     remainders of r bits, in ascending order within their cell; up to a whole byte
 *
 * All buckets have room for the same number of items, 33/32 of the mean, so that the place of one is
 * computed. A bucket that has more goes on in the room of the next one (behind its 8 bytes), which
 * then begins displaced; one that has fewer leaves zeros. Room is in use by 97 %, and displacements
 * are a fraction of a bucket: the waiting times of a queue whose customers are all but alike. So a
 * probe of a stored filter reads the header and one or two chunks more. When all cells make one
 * bucket only, it has no 8 bytes in front and takes what it needs.
 *
 * Bits per item: r + 1 + 2^c/n in the bucket, that is log2(1/rate) + 1.91 to 2; with room, bucket
 * header and padding 5 % more. At f = 16 and full that is 15.9; a cuckoo table takes 16 / .95.
 *
 * Costs as measured (Zen 3, one core of a machine that others used, the best of many runs):
 *
 *     probe of a packed value    37 ns of 10 items, 52 of 120 kB, 62 of 1 MB, 100 and more of 10 MB,
 *                                which lies in no cache: some 350 instructions, then memory
 *     add, delete in a table     35 and 12 ns; to make a table and pack it again: 7 ns an item, which
 *                                is what one change of a stored filter costs
 *     an aggregate               2 ns for a hash in the list, and once 30 for each distinct one
 *     union into a table         2.5 ns an item to read it, 10 to 14 to look it up
 *
 * What cuckoo_validate enforces:
 *   1. kind 6, version 1, encoding 0, hash 0; f from 8 to 32; p from f + 8 to f + 29; zeros.
 *   2. no more items than the capacity, if there is one, of at most 2^30, nor than 2^(p-1);
 *      deletes at most 2^63-1.
 *   3. fingerprints in ascending order, as many as the header tells; written again they give the
 *      same bytes: every room, displacement and bit of padding is as it has to be.
 *
 * Deleting an item that was never added removes, with the probability of a false positive, another
 * item's fingerprint; `deletes` counts how often that was risked. After a union of two filters two
 * different items with the same fingerprint share one. Left out: kicking, since nothing is in the
 * way of anything; steps of growth, since every value has the size it needs.
 *
 * References: B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, Cuckoo filter: practically better
 * than Bloom, CoNEXT 2014. J. Cleary, Compact hash tables using bidirectional linear probing, IEEE
 * ToC 1984. M. Bender and others, Don't thrash: how to cache your hash on flash, VLDB 2012. P.
 * Pandey and others, A general-purpose counting filter, SIGMOD 2017. P. Elias, Efficient storage
 * and retrieval by content and address of static files, JACM 1974.
 */
#include "cuckoo.h"

#include <math.h>

#include "core/common/bits.h"
#include "cuckoo_internal.h"

const char cuckoo_copies[] = "Copies of one item";
const char cuckoo_full[] = "Items of a filter that must not grow";
const char cuckoo_used_up[] = "Items that the hash bits allow";

/* ---- parameters ---- */

/* The least s with 2^s >= items / 3.8, slots of a table at 95 % load in buckets of four. */
static unsigned
spread(uint64_t items)
{
    unsigned s = 0;

    while (UINT64_C(38) << s < 5 * items)
        s++;
    return s;
}

unsigned
cuckoo_hash_bits(uint64_t items, unsigned fingerprint_bits)
{
    unsigned s = spread(items);

    return fingerprint_bits + (s < CUCKOO_SPREAD_MIN   ? CUCKOO_SPREAD_MIN
                               : s > CUCKOO_SPREAD_MAX ? CUCKOO_SPREAD_MAX
                                                       : s);
}

uint64_t
cuckoo_limit(const CuckooHeader *header)
{
    uint64_t half = UINT64_C(1) << (header->hash_bits - 1);
    uint64_t limit = half < UINT32_MAX ? half : UINT32_MAX;

    return header->capacity > 0 && header->capacity < limit ? header->capacity : limit;
}

unsigned
cuckoo_current_bits(const CuckooHeader *header)
{
    unsigned bits = header->hash_bits - spread(header->items);

    return bits < header->fingerprint_bits ? bits : header->fingerprint_bits;
}

double
cuckoo_false_positive_rate(const CuckooHeader *header)
{
    return -expm1(-ldexp((double)header->items, -(int)header->hash_bits));
}

/* ---- the layout ---- */

CuckooHeader
cuckoo_header(SketchBytes packed)
{
    return (CuckooHeader){
        .fingerprint_bits = packed.data[4],
        .hash_bits = packed.data[5],
        .items = load_le64(packed.data + 8),
        .deletes = load_le64(packed.data + 16),
        .capacity = load_le32(packed.data + 24),
    };
}

static bool
sound(const CuckooHeader *header)
{
    return header->fingerprint_bits >= CUCKOO_BITS_MIN &&
           header->fingerprint_bits <= CUCKOO_BITS_MAX &&
           header->hash_bits >= header->fingerprint_bits + CUCKOO_SPREAD_MIN &&
           header->hash_bits <= header->fingerprint_bits + CUCKOO_SPREAD_MAX &&
           header->items <= cuckoo_limit(header);
}

/* ---- writing ---- */

/* How many of the fingerprints, which ascend, are in the bucket. */
static size_t
bucket_items(const CuckooLayout *layout, const uint64_t *fingerprints, size_t count,
             uint32_t bucket)
{
    unsigned shift = layout->hash_bits - layout->cell_bits + (unsigned)__builtin_ctz(layout->cells);
    size_t items = 0;

    while (items < count && fingerprints[items] >> shift == bucket)
        items++;
    return items;
}

static void
write_bucket(const CuckooLayout *layout, const uint64_t *fingerprints, size_t items, uint8_t *to)
{
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    BitWriter remainders = bit_writer(to + cuckoo_cell_bytes(layout, items));

    memset(to, 0, cuckoo_cell_bytes(layout, items));
    for (size_t i = 0; i < items; i++) {
        size_t bit = (fingerprints[i] >> r & (layout->cells - 1)) + i;
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

static void
write_quarters(const CuckooLayout *layout, const uint64_t *fingerprints, size_t items, uint8_t *to)
{
    for (size_t i = 0; i < items; i++) {
        uint8_t *quarter =
            to + (fingerprints[i] >> layout->remainder_bits & (layout->cells - 1)) / CUCKOO_QUARTER;

        *quarter += *quarter < UINT8_MAX;
    }
}

/*
 * The rooms of all buckets in a row, without the headers in between, are a tape; this copies to or
 * from a place of it. `body` is what follows the header of the value.
 */
static void
copy_tape(const CuckooLayout *layout, uint8_t *body, size_t at, uint8_t *bytes, size_t size,
          bool write)
{
    size_t room = at / layout->room;

    if (room >= layout->buckets)
        room = layout->buckets - 1;
    at -= room * layout->room;
    while (size > 0) {
        size_t left = room + 1 < layout->buckets ? layout->room - at : size;
        size_t here = size < left ? size : left;
        uint8_t *place = body + room * (layout->room + cuckoo_bucket_header(layout)) +
                         cuckoo_bucket_header(layout) + at;

        memcpy(write ? place : bytes, write ? bytes : place, here);
        bytes += here;
        size -= here;
        room++;
        at = 0;
    }
}

SketchBytes
cuckoo_encode(const CuckooHeader *header, const uint64_t *fingerprints, const SketchMemory *memory)
{
    CuckooLayout layout = cuckoo_layout(header);
    size_t count = header->items, done = 0, end = 0, largest = 0;
    size_t size = CUCKOO_PACKED_HEADER;
    uint8_t *data, *body, *bucket;

    for (uint32_t i = 0; i < layout.buckets && count > 0; i++) {
        size_t items = bucket_items(&layout, fingerprints + done, count - done, i);
        size_t bytes = cuckoo_bucket_bytes(&layout, items);

        end = (end > i * layout.room ? end : i * layout.room) + bytes;
        largest = bytes > largest ? bytes : largest;
        done += items;
    }
    if (count > 0)
        size += layout.buckets * cuckoo_bucket_header(&layout) + end;
    data = memory->value(size, memory->context);
    memset(data, 0, size);
    data[0] = SKETCH_CUCKOO;
    data[1] = cuckoo_ops.version;
    data[2] = CUCKOO_PACKED;
    data[3] = SKETCH_HASH_XXH3;
    data[4] = (uint8_t)header->fingerprint_bits;
    data[5] = (uint8_t)header->hash_bits;
    store_le64(data + 8, header->items);
    store_le64(data + 16, header->deletes);
    store_le32(data + 24, header->capacity);
    if (count == 0)
        return (SketchBytes){data, size};

    body = data + CUCKOO_PACKED_HEADER;
    bucket = memory->scratch(largest + 8, memory->context);
    done = end = 0;
    for (uint32_t i = 0; i < layout.buckets; i++) {
        size_t home = i * layout.room;
        size_t items = bucket_items(&layout, fingerprints + done, count - done, i);
        size_t bytes = cuckoo_bucket_bytes(&layout, items);

        end = end > home ? end : home;
        if (layout.buckets > 1) {
            uint8_t *head = body + i * (layout.room + CUCKOO_BUCKET_HEADER);

            store_le32(head, (uint32_t)(end - home));
            write_quarters(&layout, fingerprints + done, items, head + 4);
        }
        write_bucket(&layout, fingerprints + done, items, bucket);
        copy_tape(&layout, body, end, bucket, bytes, true);
        end += bytes;
        done += items;
    }
    memory->release(bucket, memory->context);
    return (SketchBytes){data, size};
}

/* ---- reading ---- */

/*
 * The fingerprints of a bucket, in `bytes` and 8 more. False when the cell bits do not have so many
 * ones for so many cells, or the fingerprints do not ascend.
 */
static bool
read_bucket(const CuckooLayout *layout, const uint8_t *bytes, size_t items, uint32_t bucket,
            uint64_t *fingerprints)
{
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint64_t first_cell = (uint64_t)bucket * layout->cells;
    const uint8_t *remainders = bytes + cuckoo_cell_bytes(layout, items);
    const size_t bits = layout->cells + items;
    size_t i = 0;
    uint64_t at = 0, before = 0;

    for (size_t bit = 0; bit < bits; bit += 64) {
        uint64_t word = load_le64(bytes + bit / 8);

        if (bits - bit < 64)
            word &= (UINT64_C(1) << (bits - bit)) - 1;
        for (; word; word &= word - 1) {
            uint64_t cell = bit + (unsigned)__builtin_ctzll(word) - i;
            uint64_t remainder;

            if (i == items || cell >= layout->cells)
                return false;
            remainder = load_le64(remainders + at / 8) >> at % 8;
            if (r + at % 8 > 64)
                remainder |= (uint64_t)remainders[at / 8 + 8] << (64 - at % 8);
            at += r;
            fingerprints[i] = (first_cell + cell) << r | (remainder & mask);
            if (fingerprints[i] < before)
                return false;
            before = fingerprints[i++];
        }
    }
    return i == items;
}

/* The items of a bucket that begins at a place of the tape: the ones before so many zeros. */
static size_t
count_items(const CuckooLayout *layout, uint8_t *body, size_t at, size_t tape)
{
    size_t ones = 0, zeros = 0;

    for (; at < tape && zeros < layout->cells; at++) {
        uint8_t byte;

        copy_tape(layout, body, at, &byte, 1, false);
        for (unsigned bit = 0; bit < 8 && zeros < layout->cells; bit++) {
            ones += byte >> bit & 1;
            zeros += !(byte >> bit & 1);
        }
    }
    return ones;
}

uint64_t *
cuckoo_decode(SketchBytes packed, const SketchMemory *memory)
{
    CuckooHeader header = cuckoo_header(packed);
    size_t body_size = packed.size - CUCKOO_PACKED_HEADER;
    uint8_t *body = (uint8_t *)packed.data + CUCKOO_PACKED_HEADER;
    uint8_t *bucket = NULL;
    size_t bucket_size = 0, done = 0, tape;
    CuckooLayout layout;
    uint64_t *fingerprints;
    bool good = true;

    if (!sound(&header))
        return NULL;
    layout = cuckoo_layout(&header);
    /* No memory is taken that the value is not worth. */
    if (header.items > 0 &&
        (body_size / (layout.room + cuckoo_bucket_header(&layout)) + 1 < layout.buckets ||
         body_size < header.items / 8 * (layout.remainder_bits + 1)))
        return NULL;
    /* The last bucket ends where the body does. */
    tape = body_size - layout.buckets * cuckoo_bucket_header(&layout);
    fingerprints = memory->scratch(header.items * sizeof(uint64_t) + 1, memory->context);
    for (uint32_t i = 0; i < layout.buckets && header.items > 0 && good; i++) {
        size_t start = 0, items = header.items, bytes, begin;

        if (layout.buckets > 1) {
            const uint8_t *head = body + i * (layout.room + CUCKOO_BUCKET_HEADER);

            if (body_size < (size_t)(head - body) + CUCKOO_BUCKET_HEADER) {
                good = false;
                break;
            }
            start = load_le32(head);
            items = load_le32(head + 4);
            items = cuckoo_quarters_told((uint32_t)items)
                        ? cuckoo_quarters_sum((uint32_t)items)
                        : count_items(&layout, body, i * layout.room + start, tape);
        }
        begin = i * layout.room + start;
        if (items > header.items - done ||
            begin + (bytes = cuckoo_bucket_bytes(&layout, items)) > tape) {
            good = false;
            break;
        }
        if (bytes + 16 > bucket_size) {
            if (bucket)
                memory->release(bucket, memory->context);
            bucket_size = bytes + bytes / 4 + 16;
            bucket = memory->scratch(bucket_size, memory->context);
        }
        copy_tape(&layout, body, begin, bucket, bytes, false);
        memset(bucket + bytes, 0, 16);
        good = read_bucket(&layout, bucket, items, i, fingerprints + done);
        done += items;
    }
    if (bucket)
        memory->release(bucket, memory->context);
    if (good && done == header.items)
        return fingerprints;
    memory->release(fingerprints, memory->context);
    return NULL;
}

/* ---- the door ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    CuckooHeader h = cuckoo_header(input);
    CuckooHeader grows = h;

    if (input.data[2] != CUCKOO_PACKED)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   CUCKOO_PACKED, CUCKOO_PACKED);
    if (input.data[3] != SKETCH_HASH_XXH3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function", input.data[3],
                                   SKETCH_HASH_XXH3, SKETCH_HASH_XXH3);
    if (h.fingerprint_bits < CUCKOO_BITS_MIN || h.fingerprint_bits > CUCKOO_BITS_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Fingerprint bits out of range",
                                   h.fingerprint_bits, CUCKOO_BITS_MIN, CUCKOO_BITS_MAX);
    if (h.hash_bits < h.fingerprint_bits + CUCKOO_SPREAD_MIN ||
        h.hash_bits > h.fingerprint_bits + CUCKOO_SPREAD_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Hash bits out of range", h.hash_bits,
                                   h.fingerprint_bits + CUCKOO_SPREAD_MIN,
                                   h.fingerprint_bits + CUCKOO_SPREAD_MAX);
    if (load_le16(input.data + 6) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Reserved bytes are not zero");
    if (h.capacity > CUCKOO_CAPACITY_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Capacity out of range", h.capacity, 0,
                                   CUCKOO_CAPACITY_MAX);
    if (h.deletes > INT64_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Number of deletes out of range");
    grows.capacity = 0;
    if (h.items > cuckoo_limit(&grows))
        return sketch_refuse(error, SKETCH_MALFORMED, "More items than the hash bits allow");
    if (h.items > cuckoo_limit(&h))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More items than the capacity",
                                   (int64_t)h.items, 0, h.capacity);
    return true;
}

static bool
cuckoo_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                SketchError *error)
{
    CuckooHeader header;
    uint64_t *fingerprints;

    if (!sketch_validate_common(input, &cuckoo_ops, error) || !validate_header(input, error))
        return false;
    fingerprints = cuckoo_decode(input, memory);
    if (!fingerprints)
        return sketch_refuse(error, SKETCH_MALFORMED, "The items do not fit the header");
    header = cuckoo_header(input);
    *value = cuckoo_encode(&header, fingerprints, memory);
    memory->release(fingerprints, memory->context);
    if (value->size == input.size && memcmp(value->data, input.data, input.size) == 0)
        return true;
    memory->release_value((uint8_t *)value->data, memory->context);
    return sketch_refuse(error, SKETCH_MALFORMED, "Not in canonical form");
}

static SketchBytes
cuckoo_pack(SketchBytes value, const SketchMemory *memory)
{
    CuckooHeader header;
    uint64_t *fingerprints;
    SketchBytes packed = {NULL, 0};

    if (sketch_is_working(value.data))
        fingerprints = cuckoo_working_fingerprints(value, &header, memory);
    else {
        header = cuckoo_header(value);
        fingerprints = cuckoo_decode(value, memory);
    }
    if (fingerprints) {
        packed = cuckoo_encode(&header, fingerprints, memory);
        memory->release(fingerprints, memory->context);
    }
    return packed;
}

const SketchOps cuckoo_ops = {
    .name = "cuckoo",
    .kind = SKETCH_CUCKOO,
    .version = 1,
    .header_bytes = CUCKOO_PACKED_HEADER,
    .validate = cuckoo_validate,
    .open = cuckoo_open,
    .pack = cuckoo_pack,
    .merge = cuckoo_merge,
};
