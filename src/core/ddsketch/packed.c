/*
 * packed.c - blocks of counts as bits. The codes are in ddsketch.c and doc/formats.md.
 *
 * Writer and reader keep the same DdCoding: the mode and width of the block before, and the last
 * count, from which the next block's differences go on. There is one way to write each block, so a
 * value is canonical if writing what was read gives it again.
 */
#include "ddsketch_internal.h"

#include "core/common/varint.h"

static const DdCoding first_coding = {.differences = 0, .width = 1, .before = 0};

/* ---- reading ---- */

void
dd_reader_begin(DdReader *reader, SketchBytes value, const DdHeader *header)
{
    *reader = (DdReader){
        .bits = bit_reader(value.data + header->bytes, value.size - header->bytes),
        .stores = {header->stores[0], header->stores[1]},
        .left = header->stores[0].span,
        .number = header->stores[0].first,
        .coding = first_coding,
    };
}

/*
 * The code before a block: reader->coding and reader->number become its. False after the last
 * block, or with reader->failed.
 */
static inline bool
next_code(DdReader *r)
{
    for (;;) {
        uint64_t bits;

        while (r->left == 0) {
            if (r->store == 1)
                return false;
            r->store = 1;
            r->left = r->stores[1].span;
            r->number = r->stores[1].first;
            r->coding = first_coding;
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
        /* A block has two bytes at least, so that a value is not much larger read than packed. */
        if (r->coding.width - 1 > 62)
            break;
        r->left--;
        r->number++;
        return true;
    }
    r->failed = true;
    return false;
}

/* 16 numbers, of which a word has `group` whole ones. */
static inline void
read_groups(const uint8_t *data, uint64_t at, unsigned width, unsigned group, uint64_t *numbers)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i += group, at += group * width) {
        uint64_t word = load_le64(data + (at >> 3)) >> (at & 7);

        for (unsigned j = 0; j < group; j++, word >>= width)
            numbers[i + j] = word & mask;
    }
}

/* Numbers of at most BITS_PEEK bits; away from the end, without looking for it at each. */
static inline void
read_narrow(DdReader *r, unsigned width, uint64_t *numbers)
{
    uint64_t at = r->bits.at;

    if ((at + DDSKETCH_BLOCK * width) / 8 + 8 > r->bits.size)
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            numbers[i] = bits_get(&r->bits, width);
    else if (width <= BITS_PEEK / 16)
        read_groups(r->bits.data, at, width, 16, numbers);
    else if (width <= BITS_PEEK / 8)
        read_groups(r->bits.data, at, width, 8, numbers);
    else if (width <= BITS_PEEK / 4)
        read_groups(r->bits.data, at, width, 4, numbers);
    else
        read_groups(r->bits.data, at, width, 1, numbers);
    r->bits.at = at + DDSKETCH_BLOCK * width;
}

bool
dd_reader_next(DdReader *r, DdBlock *block)
{
    uint64_t all = 0;

    if (!next_code(r))
        return false;
    block->number = r->number - 1;
    block->negative = r->store == 0;
    if (r->coding.width <= BITS_PEEK)
        read_narrow(r, r->coding.width, block->counts);
    else
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
            block->counts[i] = bits_get(&r->bits, 32);
            block->counts[i] |= bits_get(&r->bits, r->coding.width - 32) << 32;
        }
    if (r->coding.differences)
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
            r->coding.before += (uint64_t)unzigzag(block->counts[i]);
            block->counts[i] = r->coding.before;
        }
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        all |= block->counts[i];
    r->coding.before = block->counts[DDSKETCH_BLOCK - 1];
    r->failed = all > DDSKETCH_TOTAL_MAX || bits_overrun(&r->bits);
    return !r->failed;
}

uint32_t
dd_reader_count(DdReader r, const SketchMemory *memory)
{
    uint32_t count = 0;
    size_t steps = 0;

    while (next_code(&r)) {
        r.bits.at += DDSKETCH_BLOCK * r.coding.width;
        count++;
        sketch_poll(memory, &steps, 1);
    }
    return r.failed || bits_overrun(&r.bits) ? UINT32_MAX : count;
}

/* ---- writing ---- */

DdWriter
dd_writer(uint8_t *to)
{
    return (DdWriter){.bits = bit_writer(to), .coding = first_coding};
}

static void
put(BitWriter *bits, uint64_t number, unsigned width)
{
    if (width > 32) {
        bits_put(bits, number & UINT32_MAX, 32);
        number >>= 32;
        width -= 32;
    }
    bits_put(bits, number, width);
}

static unsigned
width_of(uint64_t number)
{
    return 64 - (unsigned)__builtin_clzll(number | 1);
}

/* The blocks of a store up to this one, of which those between are empty. */
static void
write_place(DdWriter *w, const DdBlock *block)
{
    DdStore *store = &w->stores[block->negative ? 0 : 1];
    uint32_t run;

    if (store->span == 0) {
        *store = (DdStore){block->number, 1};
        w->coding = first_coding;
        return;
    }
    run = (uint32_t)(block->number - w->number) - 1;
    store->span += run + 1;
    if (run > 0) {
        unsigned length = width_of(run) - 1;

        bits_put(&w->bits, 3 | length << 3, 8);
        bits_put(&w->bits, run - (UINT64_C(1) << length), length);
        w->coding.before = 0;
    }
}

static void
write_code(DdWriter *w, unsigned differences, unsigned width)
{
    if (differences != w->coding.differences ||
        (width != w->coding.width && width != w->coding.width + 1 && width != w->coding.width - 1))
        bits_put(&w->bits, 7 | differences << 3 | width << 4, 10);
    else if (width == w->coding.width)
        bits_put(&w->bits, 0, 1);
    else
        bits_put(&w->bits, width > w->coding.width ? 1 : 5, 3);
    w->coding.differences = differences;
    w->coding.width = width;
}

void
dd_write_block(DdWriter *w, const DdBlock *block)
{
    uint64_t numbers[DDSKETCH_BLOCK], all = 0, all_differences = 0, before;
    unsigned width, narrow;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        all |= block->counts[i];
    if (all == 0)
        return;
    write_place(w, block);
    before = w->coding.before;
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        numbers[i] = zigzag((int64_t)(block->counts[i] - before));
        all_differences |= numbers[i];
        before = block->counts[i];
    }
    width = width_of(all);
    narrow = width_of(all_differences);
    write_code(w, narrow < width, narrow < width ? narrow : width);
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        put(&w->bits, narrow < width ? numbers[i] : block->counts[i], w->coding.width);
    w->coding.before = before;
    w->number = block->number;
    w->negative = block->negative;
}
