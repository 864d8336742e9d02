/*
 * packed.c - blocks of counts as bits. The codes are in ddsketch.c and doc/formats.md.
 *
 * Writer and reader keep the same DdCoding: the mode and width of the block before, and its last
 * count, with which the next block's differences begin. There is one way to write each block, so a
 * value is canonical if writing what was read reproduces it.
 */
#include "core/common/varint.h"
#include "reader.h"

/* ---- reading ---- */

void
dd_reader_begin(DdReader *reader, const DdHeader *header)
{
    *reader = (DdReader){
        .bits = bit_reader(header->blocks.data, header->blocks.size),
        .stores = {header->stores[0], header->stores[1]},
        .left = header->stores[0].span,
        .number = header->stores[0].first - 1,
        .coding = dd_first_coding,
        .narrow = header->total <= UINT32_MAX,
    };
}

bool
dd_read_code(DdReader *r)
{
    for (;;) {
        uint64_t bits;

        while (r->left == 0) {
            if (r->store == 1) {
                r->failed = bits_overrun(&r->bits);
                return false;
            }
            r->store = 1;
            r->left = r->stores[1].span;
            r->number = r->stores[1].first - 1;
            r->coding = dd_first_coding;
        }
        if (bits_overrun(&r->bits))
            break;
        bits = bits_peek(&r->bits);
        if ((bits & 1) == 0)
            r->bits.at += 1;
        else if ((bits & 2) == 0) {
            r->bits.at += 3;
            r->coding.width += bits & 4 ? -1U : 1U;
        } else if ((bits & 4) == 0) {
            unsigned length = bits >> 3 & 31;
            uint64_t run = (UINT64_C(1) << length) + (bits >> 8 & ((UINT64_C(1) << length) - 1));

            r->bits.at += 8 + length;
            if (run >= r->left)
                break;
            r->left -= (uint32_t)run;
            r->number += (int32_t)run;
            r->coding.before = 0;
            continue;
        } else {
            r->bits.at += 10;
            r->coding.differences = bits >> 3 & 1;
            r->coding.width = bits >> 4 & 63;
        }
        /* A width of at least 1 makes a block two bytes: that bounds the memory of reading. */
        if (r->coding.width - 1 > (r->narrow ? 31 : 62))
            break;
        r->left--;
        r->number++;
        return true;
    }
    r->failed = true;
    return false;
}

#define LOW_BITS(n) ((UINT64_C(1) << (n)) - 1)
#define HALVES(width)                                                                              \
    {                                                                                              \
        LOW_BITS(8 * (width)), LOW_BITS(4 * (width)),                                              \
            LOW_BITS(2 * (width)) * UINT64_C(0x0000000100000001),                                  \
            LOW_BITS(width) * UINT64_C(0x0001000100010001)                                         \
    }

const DdHalves dd_halves[8] = {HALVES(0), HALVES(1), HALVES(2), HALVES(3),
                               HALVES(4), HALVES(5), HALVES(6), HALVES(7)};

void
dd_read_any_counts(DdReader *r, uint32_t *counts)
{
    const unsigned width = r->coding.width;
    const size_t byte = (size_t)(r->bits.at >> 3), most = 2 * (size_t)width + 8;
    const uint64_t mask = LOW_BITS(width);
    const uint8_t *data = r->bits.data + byte;
    unsigned at = r->bits.at & 7;
    uint8_t tail[2 * 32 + 8];

    /* Near the end read from a copy, padded with zeros; bits_overrun notices later. */
    if (byte + most > r->bits.size) {
        size_t left = byte < r->bits.size ? r->bits.size - byte : 0;

        memset(tail, 0, sizeof tail);
        memcpy(tail, data, left < most ? left : most);
        data = tail;
    }
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++, at += width)
        counts[i] = (uint32_t)(load_le64(data + (at >> 3)) >> (at & 7) & mask);
    r->bits.at += DDSKETCH_BLOCK * width;
    if (r->coding.differences) {
        uint32_t before = (uint32_t)r->coding.before;

        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            counts[i] = before += counts[i] >> 1 ^ -(counts[i] & 1);
    }
    r->coding.before = counts[DDSKETCH_BLOCK - 1];
}

/* Reads the counts of a block of any width; fails if one exceeds every total. */
static bool
read_wide_counts(DdReader *r, uint64_t *counts)
{
    const unsigned width = r->coding.width, low = width < 32 ? width : 32;
    uint64_t all = 0;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        uint64_t number = bits_get(&r->bits, low);

        number |= bits_get(&r->bits, width - low) << low % 64;
        if (r->coding.differences)
            number = r->coding.before + (uint64_t)unzigzag(number);
        all |= counts[i] = r->coding.before = number;
    }
    return all <= DDSKETCH_TOTAL_MAX;
}

bool
dd_reader_next(DdReader *r, DdBlock *block)
{
    if (!dd_next_code(r))
        return false;
    block->number = r->number;
    block->negative = r->store == 0;
    if (r->narrow) {
        uint32_t counts[DDSKETCH_BLOCK];

        dd_read_counts(r, counts);
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            block->counts[i] = counts[i];
    } else
        r->failed = !read_wide_counts(r, block->counts);
    r->failed |= bits_overrun(&r->bits);
    return !r->failed;
}

uint32_t
dd_reader_count(DdReader r, const SketchMemory *memory)
{
    uint32_t count = 0;
    size_t steps = 0;

    while (dd_next_code(&r)) {
        r.bits.at += DDSKETCH_BLOCK * r.coding.width;
        count++;
        sketch_poll(memory, &steps, 1);
    }
    return r.failed ? UINT32_MAX : count;
}

/* ---- writing ---- */

DdWriter
dd_writer(uint8_t *to)
{
    return (DdWriter){.bits = bit_writer(to), .coding = dd_first_coding};
}

/*
 * Appends at most 56 bits, without a branch: writes 8 bytes and keeps the complete ones. All bits
 * of a writer come from here, so fewer than 8 are pending.
 */
static inline void
put(BitWriter *bits, uint64_t number, unsigned width)
{
    bits->pending |= number << bits->count;
    bits->count += width;
    store_le64(bits->at, bits->pending);
    bits->at += bits->count / 8;
    bits->pending >>= bits->count / 8 * 8;
    bits->count %= 8;
}

static unsigned
width_of(uint64_t number)
{
    return 64 - (unsigned)__builtin_clzll(number | 1);
}

/* Returns the count before a block: 0 if the block before it is empty. */
static uint64_t
count_before(const DdWriter *w, bool negative, int32_t number)
{
    return w->stores[!negative].span > 0 && number == w->number + 1 ? w->coding.before : 0;
}

/* Moves on to a block: writes the empty blocks before it, or begins a store. */
static void
write_place(DdWriter *w, bool negative, int32_t number)
{
    DdStore *store = &w->stores[!negative];
    uint32_t run;

    if (store->span == 0) {
        *store = (DdStore){number, 1};
        w->coding = dd_first_coding;
    } else {
        run = (uint32_t)(number - w->number) - 1;
        store->span += run + 1;
        if (run > 0) {
            unsigned length = width_of(run) - 1;

            put(&w->bits, 3 | length << 3, 8);
            put(&w->bits, run - (UINT64_C(1) << length), length);
        }
    }
    w->number = number;
}

/* Writes the code of a block; returns true if it is for differences. */
static bool
write_code(DdWriter *w, uint64_t all_counts, uint64_t all_differences)
{
    unsigned width = width_of(all_counts), differences = width_of(all_differences) < width;

    if (differences)
        width = width_of(all_differences);
    if (differences != w->coding.differences ||
        (width != w->coding.width && width != w->coding.width + 1 && width != w->coding.width - 1))
        put(&w->bits, 7 | differences << 3 | width << 4, 10);
    else if (width == w->coding.width)
        put(&w->bits, 0, 1);
    else
        put(&w->bits, width > w->coding.width ? 1 : 5, 3);
    w->coding.differences = differences;
    w->coding.width = width;
    return differences;
}

/*
 * Computes the differences of counts below 2^31, in zigzag form; sets all[0] and all[1] to the OR
 * of the counts and of the differences. GCC vectorizes this and the next function only if they are
 * not inlined.
 */
static __attribute__((noinline)) void
subtract_neighbors(const uint32_t *restrict counts, uint32_t before, uint32_t *restrict differences,
                   uint32_t *restrict all)
{
    uint32_t difference = counts[0] - before;

    all[0] = counts[0];
    all[1] = differences[0] = difference << 1 ^ (uint32_t)((int32_t)difference >> 31);
    for (unsigned i = 1; i < DDSKETCH_BLOCK; i++) {
        difference = counts[i] - counts[i - 1];
        differences[i] = difference << 1 ^ (uint32_t)((int32_t)difference >> 31);
        all[0] |= counts[i];
        all[1] |= differences[i];
    }
}

static __attribute__((noinline)) void
join_pairs(const uint32_t *restrict numbers, uint32_t *restrict pairs, unsigned width)
{
    for (unsigned i = 0; i < DDSKETCH_BLOCK / 2; i++)
        pairs[i] = numbers[2 * i] | numbers[2 * i + 1] << width;
}

/* Writes 16 numbers of up to 32 bits, several at once where they fit in 56 bits. */
static void
write_numbers(BitWriter *to, const uint32_t *numbers, unsigned width)
{
    uint32_t pairs[DDSKETCH_BLOCK / 2];
    uint64_t fours[DDSKETCH_BLOCK / 4];
    BitWriter bits = *to;

    if (width > 14)
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            put(&bits, numbers[i], width);
    else {
        join_pairs(numbers, pairs, width);
        for (unsigned i = 0; i < DDSKETCH_BLOCK / 4; i++)
            fours[i] = pairs[2 * i] | (uint64_t)pairs[2 * i + 1] << 2 * width;
        if (width > 7)
            for (unsigned i = 0; i < DDSKETCH_BLOCK / 4; i++)
                put(&bits, fours[i], 4 * width);
        else
            for (unsigned i = 0; i < DDSKETCH_BLOCK / 4; i += 2)
                put(&bits, fours[i] | fours[i + 1] << 4 * width, 8 * width);
    }
    *to = bits;
}

void
dd_write_counts(DdWriter *w, bool negative, int32_t number, const uint32_t *counts)
{
    uint32_t differences[DDSKETCH_BLOCK], all[2];
    const uint32_t *numbers;

    subtract_neighbors(counts, (uint32_t)count_before(w, negative, number), differences, all);
    if (all[0] == 0)
        return;
    write_place(w, negative, number);
    numbers = write_code(w, all[0], all[1]) ? differences : counts;
    write_numbers(&w->bits, numbers, w->coding.width);
    w->coding.before = counts[DDSKETCH_BLOCK - 1];
}

static void
write_wide_block(DdWriter *w, const DdBlock *block)
{
    uint64_t before = count_before(w, block->negative, block->number), all = 0, all_differences = 0;
    uint64_t differences[DDSKETCH_BLOCK];
    const uint64_t *numbers;
    unsigned low;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        differences[i] = zigzag((int64_t)(block->counts[i] - before));
        before = block->counts[i];
        all |= before;
        all_differences |= differences[i];
    }
    write_place(w, block->negative, block->number);
    numbers = write_code(w, all, all_differences) ? differences : block->counts;
    low = w->coding.width < 32 ? w->coding.width : 32;
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        put(&w->bits, numbers[i] & LOW_BITS(low), low);
        put(&w->bits, numbers[i] >> low, w->coding.width - low);
    }
    w->coding.before = before;
}

void
dd_write_block(DdWriter *w, const DdBlock *block)
{
    uint32_t counts[DDSKETCH_BLOCK];
    uint64_t all = 0;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        all |= block->counts[i];
    if (all == 0)
        return;
    if ((all | w->coding.before) > INT32_MAX) {
        write_wide_block(w, block);
        return;
    }
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        counts[i] = (uint32_t)block->counts[i];
    dd_write_counts(w, block->negative, block->number, counts);
}
