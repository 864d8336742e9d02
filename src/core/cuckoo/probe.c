/*
 * probe.c - is one item in a packed filter?
 *
 * The hash says which bucket and which of its cells. In the cell bits, the ones between the zero of
 * the cell before and its own are its items; how many ones stand in front of them says where their
 * remainders are. The numbers of items in quarters of the bucket, which stand in front of it, say
 * where to begin counting. A probe touches these, 8 or 16 bytes of cell bits, a remainder or two.
 *
 * The view may be a slice of the value. What a probe would read outside it is taken as zeros, and
 * makes the answer void (`missing`). Nothing that is read can make a probe run away: it ends with
 * the items that the header tells or with the view.
 */
#include "cuckoo_internal.h"

static inline CuckooLayout
layout_of(unsigned hash_bits, uint64_t items)
{
    CuckooLayout layout = {.hash_bits = hash_bits, .items = items};
    unsigned bucket_bits;

    if (items > 1)
        layout.cell_bits = 64 - (unsigned)__builtin_clzll(items - 1);
    bucket_bits = layout.cell_bits < CUCKOO_BUCKET_BITS ? layout.cell_bits : CUCKOO_BUCKET_BITS;
    layout.remainder_bits = hash_bits - layout.cell_bits;
    layout.cells = UINT32_C(1) << bucket_bits;
    layout.buckets = UINT32_C(1) << (layout.cell_bits - bucket_bits);
    layout.slots =
        (uint32_t)((items * 33 / 32 + layout.buckets - 1) >> (layout.cell_bits - bucket_bits));
    if (layout.buckets == 1)
        layout.slots = (uint32_t)items;
    layout.room = cuckoo_bucket_bytes(&layout, layout.slots);
    return layout;
}

CuckooLayout
cuckoo_layout(const CuckooHeader *header)
{
    return layout_of(header->hash_bits, header->items);
}

/*
 * A bucket being probed. Places in it are counted along the tape from the begin of its room on;
 * up to `direct` they are bytes in a row from `place` on.
 */
typedef struct Bucket {
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
find_bucket(const CuckooView *view, uint32_t number)
{
    const CuckooLayout *layout = &view->layout;
    size_t offset = bucket_offset(layout, number) + cuckoo_bucket_header(layout);
    Bucket bucket = {number, NULL, 0};

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
load_byte(CuckooView *view, const Bucket *bucket, size_t at)
{
    const CuckooLayout *layout = &view->layout;
    const uint32_t further = layout->buckets - 1 - bucket->number;
    size_t rooms = at / layout->room;
    Bucket there;

    if (rooms > further)
        rooms = further;
    there = find_bucket(view, bucket->number + (uint32_t)rooms);
    at -= rooms * layout->room;
    if (at < there.direct)
        return there.place[at];
    view->missing = true;
    return 0;
}

static uint64_t
load_slow(CuckooView *view, const Bucket *bucket, size_t at, size_t bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)load_byte(view, bucket, at + i) << (8 * i);
    return word;
}

/* Up to 8 bytes of a bucket; what follows them is anything. */
static inline uint64_t
load(CuckooView *view, const Bucket *bucket, size_t at, size_t bytes)
{
    return at + 8 <= bucket->direct ? load_le64(bucket->place + at)
                                    : load_slow(view, bucket, at, bytes);
}

/* In every byte of the result how many ones the word has up to the end of that byte. */
static inline uint64_t
ones_up_to(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return word * UINT64_C(0x0101010101010101);
}

static inline unsigned
in_nibble(unsigned nibble)
{
    return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * nibble) & 15;
}

/* The position of the nth one, from 0, of a word that has it; `ones` is ones_up_to(word). */
static inline unsigned
nth_one(uint64_t word, uint64_t ones, unsigned n)
{
    /* Of four bits, by how many there are before. */
    static const uint8_t nth[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                       {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                       {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    /* The bytes whose ones end before that one: those that n is not less than. */
    uint64_t before = ((n | UINT64_C(0x80)) * UINT64_C(0x0101010101010101) - ones) >> 7 &
                      UINT64_C(0x0101010101010101);
    unsigned shift = 8 * (unsigned)(before * UINT64_C(0x0101010101010101) >> 56);

    unsigned byte = (unsigned)(word >> shift) & 255, low = in_nibble(byte & 15);

    n -= (unsigned)(ones << 8 >> shift & 255);
    shift += n >= low ? 4 : 0;
    byte = n >= low ? byte >> 4 : byte & 15;
    n -= n >= low ? low : 0;
    return shift + nth[byte][n & 3];
}

/* Of a damaged header nothing is believed. */
static inline CuckooView
view_of(SketchBytes packed)
{
    unsigned hash_bits = packed.data[5];
    uint64_t items = load_le64(packed.data + 8);

    if (hash_bits < CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN ||
        hash_bits > CUCKOO_BITS_MAX + CUCKOO_SPREAD_MAX || items > UINT64_C(1) << (hash_bits - 1) ||
        items > UINT32_MAX) {
        hash_bits = CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN;
        items = 0;
    }
    return (CuckooView){
        .layout = layout_of(hash_bits, items), .data = packed.data, .size = packed.size};
}

CuckooView
cuckoo_view(SketchBytes packed)
{
    return view_of(packed);
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
 * All that a probe reads is fetched from memory at once: beside the header of the bucket, which is
 * read next, where the remainders and the cell bits most likely are. The bucket begins late in one of
 * two, by two dozen bytes on average.
 */
static inline void
prefetch(const CuckooView *view, const uint8_t *place, uint32_t cell)
{
    const CuckooLayout *layout = &view->layout;
    size_t cells = (size_t)cell * 2 / 8;
    size_t remainder = cuckoo_cell_bytes(layout, layout->slots) +
                       (size_t)cell * layout->slots / layout->cells * layout->remainder_bits / 8;

    if (remainder + 112 < (size_t)(view->data + view->size - place)) {
        __builtin_prefetch(place + remainder - 16);
        __builtin_prefetch(place + remainder + 48);
        __builtin_prefetch(place + cells + 16);
    }
}

/* The place behind so many zeros from `at` on in the cell bits; SIZE_MAX if that is not below `end`. */
static inline size_t
pass_zeros(CuckooView *view, const Bucket *bucket, size_t start, size_t at, unsigned zeros,
           size_t end)
{
    if (zeros == 0)
        return at;
    while (at < end && !view->missing) {
        unsigned shift = at % 8;
        size_t bytes = (end - at + shift + 7) / 8;
        uint64_t word = ~load(view, bucket, start + at / 8, bytes < 8 ? bytes : 8) >> shift;
        uint64_t ones = ones_up_to(word);

        if (ones >> 56 >= zeros)
            return at + nth_one(word, ones, zeros - 1) + 1;
        zeros -= (unsigned)(ones >> 56);
        at += 64 - shift;
    }
    return SIZE_MAX;
}

/* How many ones there are from a place in the cell bits on, up to so many. */
static inline size_t
count_cell(CuckooView *view, const Bucket *bucket, size_t start, size_t at, size_t most)
{
    size_t ones = 0;

    while (ones < most) {
        size_t left = (most - ones + at % 8 + 7) / 8;
        uint64_t word = load(view, bucket, start + at / 8, left < 8 ? left : 8) >> at % 8;
        unsigned run = ~word ? (unsigned)__builtin_ctzll(~word) : 64;
        unsigned seen = 64 - (unsigned)(at % 8);

        ones += run < seen ? run : seen;
        at += run < seen ? run : seen;
        if (run < seen)
            break;
    }
    return ones < most ? ones : most;
}

/* Wherever its bytes are, if they are in the view at all. */
static __attribute__((noinline)) uint64_t
count_anywhere(CuckooView *view, uint64_t fingerprint)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t cell = (uint32_t)(fingerprint >> r) & (layout->cells - 1);
    Bucket bucket = find_bucket(view, bucket_of(layout, fingerprint));
    size_t items = layout->items, start = 0, from = 0, at, item, end, remainders;
    unsigned zeros = cell;
    uint64_t count = 0;

    if (layout->buckets > 1) {
        uint32_t quarters;

        if (bucket.place == NULL || bucket.place - view->data < CUCKOO_BUCKET_HEADER) {
            view->missing = true;
            return 0;
        }
        start = load_le32(bucket.place - CUCKOO_BUCKET_HEADER);
        quarters = load_le32(bucket.place - CUCKOO_BUCKET_HEADER + 4);
        if (cuckoo_quarters_told(quarters)) {
            unsigned quarter = cell / CUCKOO_QUARTER;

            items = cuckoo_quarters_sum(quarters);
            from = cell / CUCKOO_QUARTER * CUCKOO_QUARTER +
                   cuckoo_quarters_sum(quarters & ((UINT64_C(1) << 8 * quarter) - 1));
            zeros = cell % CUCKOO_QUARTER;
        } else {
            items = pass_zeros(view, &bucket, start, 0, layout->cells, layout->cells + items);
            if (items == SIZE_MAX)
                return 0;
            items -= layout->cells;
        }
    }
    at = pass_zeros(view, &bucket, start, from, zeros, layout->cells + items);
    if (at >= layout->cells + items || at - cell > items)
        return 0;
    item = at - cell;
    end = item + count_cell(view, &bucket, start, at, items - item);
    remainders = start + cuckoo_cell_bytes(layout, items);
    for (; item < end && !view->missing; item++) {
        size_t bit = item * r, bytes = (r + bit % 8 + 7) / 8;
        uint64_t remainder =
            load(view, &bucket, remainders + bit / 8, bytes < 8 ? bytes : 8) >> bit % 8;

        if (bytes > 8)
            remainder |= load(view, &bucket, remainders + bit / 8 + 8, 1) << (64 - bit % 8);
        remainder &= mask;
        if (remainder > (fingerprint & mask))
            break;
        count += remainder == (fingerprint & mask);
    }
    return count;
}

/*
 * What most probes take: the cell bits are in a row, and so are the remainders of the cell. False
 * where they are not, or numbers are unusual, which says nothing of the answer.
 */
static inline bool
count_in_a_row(const CuckooView *view, uint64_t fingerprint, uint64_t *count)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t cell = (uint32_t)(fingerprint >> r) & (layout->cells - 1);
    Bucket bucket = find_bucket(view, bucket_of(layout, fingerprint));
    size_t items = layout->items, start = 0, at = 0, bit, cell_bytes;
    unsigned zeros = cell, run;
    const uint8_t *bytes = bucket.place;
    uint64_t word;

    if (bytes == NULL || r > 56)
        return false;
    if (layout->buckets > 1) {
        uint64_t head;
        uint32_t quarters;

        if (bytes - view->data < CUCKOO_BUCKET_HEADER)
            return false;
        prefetch(view, bytes, cell);
        head = load_le64(bytes - CUCKOO_BUCKET_HEADER);
        quarters = (uint32_t)(head >> 32);
        if (!cuckoo_quarters_told(quarters))
            return false;
        zeros = cell % CUCKOO_QUARTER;
        at = cell - zeros +
             cuckoo_quarters_sum(quarters & ((UINT64_C(1) << (cell - zeros) / 8) - 1));
        items = cuckoo_quarters_sum(quarters);
        start = (uint32_t)head;
    }
    cell_bytes = cuckoo_cell_bytes(layout, items);
    if (start + cell_bytes + 8 > bucket.direct)
        return false;
    bytes += start;
    while (zeros > 0) {
        unsigned shift = at % 8;
        uint64_t ones;

        if (at >= layout->cells + items)
            return false;
        word = ~load_le64(bytes + at / 8) >> shift;
        ones = ones_up_to(word);
        if (ones >> 56 >= zeros) {
            at += nth_one(word, ones, zeros - 1) + 1;
            break;
        }
        zeros -= (unsigned)(ones >> 56);
        at += 64 - shift;
    }
    if (at >= layout->cells + items || at - cell > items)
        return false;
    /* So many items are in the cell; the last of them may not be the last of the bucket. */
    word = ~(load_le64(bytes + at / 8) >> at % 8);
    run = (unsigned)__builtin_ctzll(word | UINT64_C(1) << 63);
    bit = (at - cell) * r;
    if (run > 8 || start + cell_bytes + (bit + (run + 1) * r) / 8 + 8 > bucket.direct)
        return false;
    bytes += cell_bytes;
    fingerprint &= mask;
    *count = (run > 0) & ((load_le64(bytes + bit / 8) >> bit % 8 & mask) == fingerprint);
    for (; run > 1; run--) {
        bit += r;
        *count += (load_le64(bytes + bit / 8) >> bit % 8 & mask) == fingerprint;
    }
    return true;
}

uint64_t
cuckoo_count(CuckooView *view, uint64_t hash)
{
    uint64_t fingerprint = cuckoo_fingerprint(hash, view->layout.hash_bits), count = 0;

    view->missing = false;
    if (view->layout.items > 0 && !count_in_a_row(view, fingerprint, &count))
        count = count_anywhere(view, fingerprint);
    return count;
}

static __attribute__((noinline)) bool
count_packed_slowly(SketchBytes packed, uint64_t fingerprint, uint64_t *count)
{
    CuckooView view = view_of(packed);

    *count = count_anywhere(&view, fingerprint);
    return !view.missing;
}

bool
cuckoo_count_packed(SketchBytes packed, uint64_t hash, uint64_t *count)
{
    /* Which the compiler keeps in registers: this is what happens per row. */
    CuckooView view = view_of(packed);
    uint64_t fingerprint = cuckoo_fingerprint(hash, view.layout.hash_bits);

    *count = 0;
    return view.layout.items == 0 || count_in_a_row(&view, fingerprint, count) ||
           count_packed_slowly(packed, fingerprint, count);
}
