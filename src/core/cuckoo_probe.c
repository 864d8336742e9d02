/*
 * cuckoo_probe.c - is one item in a packed filter?
 *
 * The hash says which bucket and which of its cells. In the cell bits, the ones between the zero of
 * the cell before and its own are its items; how many ones stand in front of them says where their
 * remainders are. A probe touches the bucket's 8 bytes, on average half of its 64 bytes of cell bits
 * and a remainder or two.
 *
 * The view may be a slice of the value. What a probe would read outside it is taken as zeros, and
 * makes the answer void (`missing`). Nothing that is read can make a probe run away: it ends with
 * the items that the header tells or with the view.
 */
#include "cuckoo_parts.h"

/* A bucket being probed: `start` bytes behind the begin of the room, counted along the tape. */
typedef struct Bucket {
    CuckooView *view;
    uint32_t room;
    size_t start;
} Bucket;

static size_t
bucket_offset(const CuckooLayout *layout, uint32_t bucket)
{
    return CUCKOO_PACKED_HEADER + bucket * (layout->room + cuckoo_bucket_header(layout));
}

static uint64_t
load_slow(CuckooView *view, size_t offset, size_t bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < bytes; i++)
        if (offset + i >= view->offset && offset + i - view->offset < view->size)
            word |= (uint64_t)view->data[offset + i - view->offset] << (8 * i);
        else
            view->missing = true;
    return word;
}

/* Up to 8 bytes at an offset of the value. */
static inline uint64_t
load(CuckooView *view, size_t offset, size_t bytes)
{
    if (offset >= view->offset && offset - view->offset + 8 <= view->size)
        return load_le64(view->data + (offset - view->offset));
    return load_slow(view, offset, bytes);
}

/* Up to 8 bytes of a bucket, wherever its parts are; what is beyond them is anything. */
static inline uint64_t
load_bucket(const Bucket *bucket, size_t at, size_t bytes)
{
    const CuckooLayout *layout = &bucket->view->layout;
    uint32_t room = bucket->room;
    uint64_t word;

    at += bucket->start;
    if (at + 8 <= layout->room || room + 1 == layout->buckets)
        return load(bucket->view, bucket_offset(layout, room) + cuckoo_bucket_header(layout) + at,
                    bytes);
    if (at >= layout->room) {
        size_t rooms = at / layout->room;

        if (rooms > layout->buckets - 1 - room)
            rooms = layout->buckets - 1 - room;
        room += (uint32_t)rooms;
        at -= rooms * layout->room;
        if (at + 8 <= layout->room || room + 1 == layout->buckets)
            return load(bucket->view,
                        bucket_offset(layout, room) + cuckoo_bucket_header(layout) + at, bytes);
    }
    word = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (at == layout->room && room + 1 < layout->buckets) {
            room++;
            at = 0;
        }
        word |= (load(bucket->view, bucket_offset(layout, room) + cuckoo_bucket_header(layout) + at,
                      1) &
                 255)
                << (8 * i);
        at++;
    }
    return word;
}

static inline unsigned
count_ones(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
}

/* The position of the nth one, from 0, of a word that has it. */
static inline unsigned
nth_one(uint64_t word, unsigned n)
{
    unsigned at = 0;

    for (unsigned width = 32; width >= 8; width /= 2) {
        uint64_t low = word & ((UINT64_C(1) << width) - 1);
        unsigned ones = count_ones(low);

        if (n >= ones) {
            n -= ones;
            at += width;
            word >>= width;
        } else
            word = low;
    }
    for (; n > 0; n--)
        word &= word - 1;
    return at + (unsigned)__builtin_ctzll(word | UINT64_C(1) << 63);
}

CuckooView
cuckoo_view(SketchBytes packed)
{
    CuckooHeader header = cuckoo_header(packed);

    /* Of a damaged header nothing is believed. */
    if (header.hash_bits < CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN ||
        header.hash_bits > CUCKOO_BITS_MAX + CUCKOO_SPREAD_MAX ||
        header.items > cuckoo_limit(&header))
        header = (CuckooHeader){.hash_bits = CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN};
    return (CuckooView){.layout = cuckoo_layout(&header), .data = packed.data, .size = packed.size};
}

static uint32_t
bucket_of(const CuckooLayout *layout, uint64_t fingerprint)
{
    return (uint32_t)(fingerprint >> layout->remainder_bits) / layout->cells;
}

size_t
cuckoo_probe_offset(const CuckooLayout *layout, uint64_t hash)
{
    return bucket_offset(layout, bucket_of(layout, cuckoo_fingerprint(hash, layout->hash_bits)));
}

size_t
cuckoo_probe_size(const CuckooLayout *layout)
{
    return layout->room + layout->room / 2 + (size_t)2 * CUCKOO_BUCKET_HEADER;
}

/*
 * Where the ones of a cell begin in the cell bits of a bucket with so many items: behind as many
 * zeros as there are cells before. SIZE_MAX when there are not.
 */
static size_t
find_cell(const Bucket *bucket, size_t items, uint32_t cell)
{
    const size_t bits = bucket->view->layout.cells + items;
    uint32_t zeros = cell; /* still to be passed */

    if (cell == 0)
        return 0;
    for (size_t bit = 0; bit < bits && !bucket->view->missing; bit += 64) {
        size_t left = bits - bit < 64 ? bits - bit : 64;
        uint64_t word = ~load_bucket(bucket, bit / 8, (left + 7) / 8);
        unsigned here;

        if (left < 64)
            word &= (UINT64_C(1) << left) - 1;
        here = count_ones(word);
        if (here >= zeros)
            return bit + nth_one(word, zeros - 1) + 1;
        zeros -= here;
    }
    return SIZE_MAX;
}

uint64_t
cuckoo_count(CuckooView *view, uint64_t hash)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t fingerprint = cuckoo_fingerprint(hash, layout->hash_bits);
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t cell = (uint32_t)(fingerprint >> r) % layout->cells;
    Bucket bucket = {view, bucket_of(layout, fingerprint), 0};
    size_t items = layout->items, at, item, remainders;
    uint64_t count = 0;

    view->missing = false;
    if (items == 0)
        return 0;
    if (layout->buckets > 1) {
        uint64_t head = load(view, bucket_offset(layout, bucket.room), 8);

        bucket.start = (uint32_t)head;
        items = head >> 32 < items ? head >> 32 : items;
    }
    at = find_cell(&bucket, items, cell);
    if (at == SIZE_MAX)
        return 0;
    remainders = cuckoo_cell_bytes(layout, items);
    for (item = at - cell; item < items && !view->missing; item++, at++) {
        size_t bit = item * r;
        uint64_t remainder;

        if (!(load_bucket(&bucket, at / 8, 1) >> at % 8 & 1))
            break;
        remainder = load_bucket(&bucket, remainders + bit / 8,
                                (r + bit % 8 + 7) / 8 < 8 ? (r + bit % 8 + 7) / 8 : 8) >>
                    bit % 8;
        if (r + bit % 8 > 64)
            remainder |= load_bucket(&bucket, remainders + bit / 8 + 8, 1) << (64 - bit % 8);
        remainder &= mask;
        if (remainder > (fingerprint & mask))
            break;
        count += remainder == (fingerprint & mask);
    }
    return count;
}
