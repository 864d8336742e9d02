/*
 * probe.c - is one item in a packed filter?
 *
 * The hash determines the bucket and one of its quotients. In the lengths of the bucket, the run of
 * the quotient is the ones between the zero of the quotient before and its own zero; the number of
 * ones in front of them is the index of the run's first remainder. The items of each quarter, in
 * the bucket's header, allow counting to begin at the quarter. A probe touches these, 8 or 16 bytes
 * of lengths, and a remainder or two.
 *
 * The view may be a slice of the value. Bytes outside of it read as zeros and make the result void
 * (`missing`). Damaged bytes cannot make a probe run on: it ends with the items of the header or
 * with the view.
 *
 * There are two paths: count_contiguous for contiguous bytes, the usual case, and count_anywhere
 * for buckets that continue elsewhere. The latter could do all probes, at 1.5 times the
 * instructions (callgrind).
 */
#include "cuckoo_internal.h"

/*
 * A bucket being probed. Offsets in it are those in the stream of slots, from the start of its own
 * slots; those below `direct` are contiguous bytes from `place` on.
 */
typedef struct CuckooBucket {
    uint32_t number;
    const uint8_t *place;
    size_t direct;
} CuckooBucket;

static inline size_t
bucket_offset(const CuckooLayout *layout, uint32_t bucket)
{
    return CUCKOO_PACKED_HEADER + bucket * (layout->slot_bytes + cuckoo_bucket_header(layout));
}

static inline CuckooBucket
find_bucket(const CuckooView *view, uint32_t number)
{
    const CuckooLayout *layout = &view->layout;
    size_t offset = bucket_offset(layout, number) + cuckoo_bucket_header(layout);
    CuckooBucket bucket = {number, NULL, 0};

    if (offset >= view->offset && offset - view->offset < view->size) {
        bucket.place = view->data + (offset - view->offset);
        bucket.direct = view->size - (offset - view->offset);
        if (number + 1 < layout->buckets && layout->slot_bytes < bucket.direct)
            bucket.direct = layout->slot_bytes;
    }
    return bucket;
}

/* Loads one byte, which may be in the slots of a later bucket, or missing. */
static uint8_t
load_byte(CuckooView *view, const CuckooBucket *bucket, size_t at)
{
    const CuckooLayout *layout = &view->layout;
    const uint32_t further = layout->buckets - 1 - bucket->number;
    size_t buckets = at / layout->slot_bytes;
    CuckooBucket there;

    if (buckets > further)
        buckets = further;
    there = find_bucket(view, bucket->number + (uint32_t)buckets);
    at -= buckets * layout->slot_bytes;
    if (at < there.direct)
        return there.place[at];
    view->missing = true;
    return 0;
}

static uint64_t
load_slow(CuckooView *view, const CuckooBucket *bucket, size_t at, size_t bytes)
{
    uint64_t word = 0;

    for (size_t i = 0; i < bytes; i++)
        word |= (uint64_t)load_byte(view, bucket, at + i) << (8 * i);
    return word;
}

/* Loads up to 8 bytes of a bucket into the low bytes of the result; the others may be anything. */
static inline uint64_t
load(CuckooView *view, const CuckooBucket *bucket, size_t at, size_t bytes)
{
    return bucket->direct >= 8 && at <= bucket->direct - 8 ? load_le64(bucket->place + at)
                                                           : load_slow(view, bucket, at, bytes);
}

/* Returns, in each byte, the number of ones in the word up to the end of that byte. */
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

/* Returns the position of one number n, from 0, of a word; `ones` is ones_up_to(word). */
static inline unsigned
nth_one(uint64_t word, uint64_t ones, unsigned n)
{
    /* nth[bits][n] is the position of one number n of four bits. */
    static const uint8_t nth[16][4] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                       {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                       {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
    /* A byte is before that one if its count is at most n. */
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

/* Returns a view of a value; it has no items if the header is damaged. */
static inline CuckooView
view_of(SketchBytes packed)
{
    unsigned hash_bits = packed.data[CUCKOO_AT_HASH_BITS];
    uint64_t items = load_le64(packed.data + CUCKOO_AT_ITEMS);

    if (hash_bits < CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN ||
        hash_bits > CUCKOO_BITS_MAX + CUCKOO_SPREAD_MAX || items > UINT64_C(1) << (hash_bits - 1) ||
        items > UINT32_MAX) {
        hash_bits = CUCKOO_BITS_MIN + CUCKOO_SPREAD_MIN;
        items = 0;
    }
    return (CuckooView){
        .layout = cuckoo_layout_of(hash_bits, items), .data = packed.data, .size = packed.size};
}

CuckooView
cuckoo_view(SketchBytes packed, const SketchMemory *memory)
{
    CuckooView view = view_of(packed);

    view.memory = memory;
    return view;
}

static inline uint32_t
bucket_of(const CuckooLayout *layout, uint64_t fingerprint)
{
    return (uint32_t)(fingerprint >> layout->remainder_bits >> __builtin_ctz(layout->quotients));
}

size_t
cuckoo_probe_offset(const CuckooLayout *layout, uint64_t hash)
{
    return bucket_offset(layout, bucket_of(layout, cuckoo_fingerprint(hash, layout->hash_bits)));
}

size_t
cuckoo_probe_size(const CuckooLayout *layout)
{
    return layout->slot_bytes + layout->slot_bytes / 2 + (size_t)2 * CUCKOO_BUCKET_HEADER;
}

/* Skips `zeros` zeros of the lengths from bit `at` on; returns SIZE_MAX if `end` comes first. */
static inline size_t
skip_zeros(CuckooView *view, const CuckooBucket *bucket, size_t start, size_t at, unsigned zeros,
           size_t end)
{
    size_t steps = 0;

    if (zeros == 0)
        return at;
    while (at < end && !view->missing) {
        sketch_poll(view->memory, &steps, 4);
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

/* Counts the ones in the lengths from bit `at` up to a zero, at most `most`. */
static inline size_t
count_run(CuckooView *view, const CuckooBucket *bucket, size_t start, size_t at, size_t most)
{
    size_t ones = 0, steps = 0;

    while (ones < most) {
        sketch_poll(view->memory, &steps, 4);
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

/* Counts the copies of a fingerprint, wherever the bytes of its bucket are. */
static __attribute__((noinline)) uint64_t
count_anywhere(CuckooView *view, uint64_t fingerprint)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t quotient = (uint32_t)(fingerprint >> r) & (layout->quotients - 1);
    CuckooBucket bucket = find_bucket(view, bucket_of(layout, fingerprint));
    size_t items = layout->items, start = 0, from = 0, at, item, end, remainders;
    unsigned zeros = quotient;
    uint64_t count = 0;
    size_t steps = 0;

    if (layout->buckets > 1) {
        uint32_t quarters;

        if (bucket.place == NULL || bucket.place - view->data < CUCKOO_BUCKET_HEADER) {
            view->missing = true;
            return 0;
        }
        start = load_le32(bucket.place - CUCKOO_BUCKET_HEADER);
        quarters = load_le32(bucket.place - CUCKOO_BUCKET_HEADER + 4);
        if (cuckoo_quarters_known(quarters)) {
            unsigned quarter = quotient / CUCKOO_QUARTER;

            items = cuckoo_quarters_sum(quarters);
            from = quotient / CUCKOO_QUARTER * CUCKOO_QUARTER +
                   cuckoo_quarters_sum(quarters & ((UINT64_C(1) << 8 * quarter) - 1));
            zeros = quotient % CUCKOO_QUARTER;
        } else {
            items =
                skip_zeros(view, &bucket, start, 0, layout->quotients, layout->quotients + items);
            if (items == SIZE_MAX)
                return 0;
            items -= layout->quotients;
        }
    }
    at = skip_zeros(view, &bucket, start, from, zeros, layout->quotients + items);
    if (at >= layout->quotients + items || at - quotient > items)
        return 0;
    item = at - quotient;
    end = item + count_run(view, &bucket, start, at, items - item);
    remainders = start + cuckoo_unary_bytes(layout, items);
    for (; item < end && !view->missing; item++) {
        size_t bit = item * r, bytes = (r + bit % 8 + 7) / 8;
        uint64_t remainder =
            load(view, &bucket, remainders + bit / 8, bytes < 8 ? bytes : 8) >> bit % 8;

        if (bytes > 8)
            remainder |= load(view, &bucket, remainders + bit / 8 + 8, 1) << (64 - bit % 8);
        remainder &= mask;
        sketch_poll(view->memory, &steps, 1);
        if (remainder > (fingerprint & mask))
            break;
        count += remainder == (fingerprint & mask);
    }
    return count;
}

/*
 * Counts the copies of a fingerprint in the usual case: the lengths are contiguous, and so are the
 * remainders of the run. Returns false, without a result, if not, or if numbers are unusual.
 */
static inline bool
count_contiguous(const CuckooView *view, uint64_t fingerprint, uint64_t *count)
{
    const CuckooLayout *layout = &view->layout;
    const unsigned r = layout->remainder_bits;
    const uint64_t mask = (UINT64_C(1) << r) - 1;
    const uint32_t quotient = (uint32_t)(fingerprint >> r) & (layout->quotients - 1);
    CuckooBucket bucket = find_bucket(view, bucket_of(layout, fingerprint));
    size_t items = layout->items, at = 0, bit, unary_bytes;
    uint64_t start = 0;
    unsigned zeros = quotient, run;
    const uint8_t *bytes = bucket.place;
    uint64_t word;

    if (bytes == NULL || r > 56)
        return false;
    if (layout->buckets > 1) {
        uint64_t head;
        uint32_t quarters;

        if (bytes - view->data < CUCKOO_BUCKET_HEADER)
            return false;
        /*
         * Fetches all of the bucket at once: in a large filter, a probe mostly waits for memory. In
         * a function of its own GCC would drop this: it considers one that only prefetches pure.
         */
        for (size_t line = 64; line < layout->slot_bytes && line < bucket.direct; line += 64)
            __builtin_prefetch(bytes - CUCKOO_BUCKET_HEADER + line);
        head = load_le64(bytes - CUCKOO_BUCKET_HEADER);
        quarters = (uint32_t)(head >> 32);
        if (!cuckoo_quarters_known(quarters))
            return false;
        zeros = quotient % CUCKOO_QUARTER;
        at = quotient - zeros +
             cuckoo_quarters_sum(quarters & ((UINT64_C(1) << (quotient - zeros) / 8) - 1));
        items = cuckoo_quarters_sum(quarters);
        start = (uint32_t)head;
    }
    unary_bytes = cuckoo_unary_bytes(layout, items);
    if (start + unary_bytes + 8 > bucket.direct)
        return false;
    bytes += start;
    while (zeros > 0) {
        unsigned shift = at % 8;
        uint64_t ones;

        if (at >= layout->quotients + items)
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
    if (at >= layout->quotients + items || at - quotient > items)
        return false;
    /* Long runs, and runs near the end, are left to count_anywhere. */
    word = ~(load_le64(bytes + at / 8) >> at % 8);
    run = (unsigned)__builtin_ctzll(word | UINT64_C(1) << 63);
    bit = (at - quotient) * r;
    if (run > 8 || start + unary_bytes + (bit + (run + 1) * r) / 8 + 8 > bucket.direct)
        return false;
    bytes += unary_bytes;
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
    if (view->layout.items > 0 && !count_contiguous(view, fingerprint, &count))
        count = count_anywhere(view, fingerprint);
    return count;
}

static __attribute__((noinline)) bool
count_packed_slowly(SketchBytes packed, uint64_t fingerprint, uint64_t *count,
                    const SketchMemory *memory)
{
    CuckooView view = cuckoo_view(packed, memory);

    *count = count_anywhere(&view, fingerprint);
    return !view.missing;
}

bool
cuckoo_count_packed(SketchBytes packed, uint64_t hash, uint64_t *count, const SketchMemory *memory)
{
    /* Called for every row: a view of its own stays in registers. */
    CuckooView view = view_of(packed);
    uint64_t fingerprint = cuckoo_fingerprint(hash, view.layout.hash_bits);

    *count = 0;
    return view.layout.items == 0 || count_contiguous(&view, fingerprint, count) ||
           count_packed_slowly(packed, fingerprint, count, memory);
}
