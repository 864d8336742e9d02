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

/*
 * A bucket being probed. Places in it are counted along the tape from the begin of its room on;
 * up to `direct` they are bytes in a row from `place` on.
 */
typedef struct Bucket {
    CuckooView *view;
    uint32_t number;
    const uint8_t *place;
    size_t direct;
} Bucket;

static inline size_t
bucket_offset(const CuckooLayout *layout, uint32_t bucket)
{
    return CUCKOO_PACKED_HEADER + bucket * (layout->room + cuckoo_bucket_header(layout));
}

static inline Bucket
find_bucket(CuckooView *view, uint32_t number)
{
    const CuckooLayout *layout = &view->layout;
    size_t offset = bucket_offset(layout, number) + cuckoo_bucket_header(layout);
    Bucket bucket = {view, number, NULL, 0};

    if (offset >= view->offset && offset - view->offset < view->size) {
        bucket.place = view->data + (offset - view->offset);
        bucket.direct = view->size - (offset - view->offset);
        if (number + 1 < layout->buckets && layout->room < bucket.direct)
            bucket.direct = layout->room;
    }
    return bucket;
}

/* One byte wherever it is: in one of the next rooms, or missing. */
static uint8_t
load_byte(const Bucket *bucket, size_t at)
{
    const CuckooLayout *layout = &bucket->view->layout;
    const uint32_t further = layout->buckets - 1 - bucket->number;
    size_t rooms = at / layout->room;
    Bucket there;

    if (rooms > further)
        rooms = further;
    there = find_bucket(bucket->view, bucket->number + (uint32_t)rooms);
    at -= rooms * layout->room;
    if (at < there.direct)
        return there.place[at];
    bucket->view->missing = true;
    return 0;
}

static uint64_t
load_slow(const Bucket *bucket, size_t at, size_t bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)load_byte(bucket, at + i) << (8 * i);
    return word;
}

/* Up to 8 bytes of a bucket; what follows them is anything. */
static inline uint64_t
load(const Bucket *bucket, size_t at, size_t bytes)
{
    return at + 8 <= bucket->direct ? load_le64(bucket->place + at) : load_slow(bucket, at, bytes);
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
    uint64_t ones = word;
    unsigned byte;

    /* In every byte how many ones there are up to its end, then in which byte that passes n. */
    ones -= ones >> 1 & UINT64_C(0x5555555555555555);
    ones = (ones & UINT64_C(0x3333333333333333)) + (ones >> 2 & UINT64_C(0x3333333333333333));
    ones = (ones + (ones >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    ones *= UINT64_C(0x0101010101010101);
    byte = (unsigned)((((n | UINT64_C(0x80)) * UINT64_C(0x0101010101010101) - ones) >> 7 &
                       UINT64_C(0x0101010101010101)) *
                          UINT64_C(0x0101010101010101) >>
                      56);
    n -= (unsigned)(ones << 8 >> 8 * byte & 255);
    word >>= 8 * byte;
    for (; n > 0; n--)
        word &= word - 1;
    return 8 * byte + (unsigned)__builtin_ctzll(word | UINT64_C(1) << 63);
}

CuckooView
cuckoo_view(SketchBytes packed)
{
    CuckooHeader header = cuckoo_header(packed);

    /* Of a damaged header nothing is believed. */
    if (header.hash_bits < CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN ||
        header.hash_bits > CUCKOO_BITS_MAX + CUCKOO_SPREAD_MAX ||
        header.items > UINT64_C(1) << (header.hash_bits - 1) || header.items > UINT32_MAX)
        header = (CuckooHeader){.hash_bits = CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN};
    return (CuckooView){.layout = cuckoo_layout(&header), .data = packed.data, .size = packed.size};
}

static inline uint32_t
bucket_of(const CuckooLayout *layout, uint64_t fingerprint)
{
    return (uint32_t)(fingerprint >> layout->remainder_bits >> __builtin_ctz(layout->cells));
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
 * All that a probe reads is fetched from memory at once: the header of the bucket, which is needed
 * first, and where the cell bits and remainders most likely are, some way behind that.
 */
static inline void
prefetch(const Bucket *bucket, uint32_t cell)
{
    const CuckooLayout *layout = &bucket->view->layout;
    size_t cells = (size_t)cell * 2 / 8;
    size_t remainder = cuckoo_cell_bytes(layout, layout->slots) +
                       (size_t)cell * layout->slots / layout->cells * layout->remainder_bits / 8;

    if (remainder + 96 < bucket->direct) {
        __builtin_prefetch(bucket->place - 8);
        __builtin_prefetch(bucket->place + cells + 16);
        __builtin_prefetch(bucket->place + remainder + 16);
        __builtin_prefetch(bucket->place + remainder + 80);
    }
}

/*
 * Where the ones of a cell begin in the cell bits, which begin at `start`, of a bucket with so many
 * items: behind as many zeros as there are cells before. SIZE_MAX when there are not.
 */
static inline size_t
find_cell(const Bucket *bucket, size_t start, size_t items, uint32_t cell)
{
    const size_t bits = bucket->view->layout.cells + items;
    uint32_t zeros = cell; /* still to be passed */

    if (cell == 0)
        return 0;
    for (size_t bit = 0; bit < bits; bit += 64) {
        size_t left = bits - bit < 64 ? bits - bit : 64;
        uint64_t word = ~load(bucket, start + bit / 8, (left + 7) / 8);
        unsigned here = count_ones(word);

        if (here >= zeros)
            return bit + nth_one(word, zeros - 1) + 1;
        zeros -= here;
    }
    return SIZE_MAX;
}

/* How many ones there are from a place in the cell bits on, up to so many. */
static inline size_t
count_cell(const Bucket *bucket, size_t start, size_t at, size_t most)
{
    size_t ones = 0;

    while (ones < most) {
        size_t left = (most - ones + at % 8 + 7) / 8;
        uint64_t word = load(bucket, start + at / 8, left < 8 ? left : 8) >> at % 8;
        unsigned run = ~word ? (unsigned)__builtin_ctzll(~word) : 64;
        unsigned seen = 64 - (unsigned)(at % 8);

        ones += run < seen ? run : seen;
        at += run < seen ? run : seen;
        if (run < seen)
            break;
    }
    return ones < most ? ones : most;
}

uint64_t
cuckoo_count(CuckooView *view, uint64_t hash)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t fingerprint = cuckoo_fingerprint(hash, layout->hash_bits);
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t cell = (uint32_t)(fingerprint >> r) & (layout->cells - 1);
    Bucket bucket = find_bucket(view, bucket_of(layout, fingerprint));
    size_t items = layout->items, start = 0, at, item, end, remainders;
    uint64_t count = 0;

    view->missing = false;
    if (items == 0)
        return 0;
    if (layout->buckets > 1) {
        prefetch(&bucket, cell);
        if (bucket.place == NULL || bucket.place - view->data < CUCKOO_BUCKET_HEADER) {
            view->missing = true;
            return 0;
        }
        start = load_le32(bucket.place - CUCKOO_BUCKET_HEADER);
        items = load_le32(bucket.place - CUCKOO_BUCKET_HEADER + 4);
        if (items > layout->items)
            items = layout->items;
    }
    at = find_cell(&bucket, start, items, cell);
    if (at >= layout->cells + items || at - cell > items)
        return 0;
    item = at - cell;
    end = item + count_cell(&bucket, start, at, items - item);
    remainders = start + cuckoo_cell_bytes(layout, items);
    for (; item < end && !view->missing; item++) {
        size_t bit = item * r, bytes = (r + bit % 8 + 7) / 8;
        uint64_t remainder = load(&bucket, remainders + bit / 8, bytes < 8 ? bytes : 8) >> bit % 8;

        if (bytes > 8)
            remainder |= load(&bucket, remainders + bit / 8 + 8, 1) << (64 - bit % 8);
        remainder &= mask;
        if (remainder > (fingerprint & mask))
            break;
        count += remainder == (fingerprint & mask);
    }
    return count;
}
