/*
 * cursor.c - reading the blocks of any encoding in order; packing and validating, which do that.
 */
#include <math.h>

#include "core/common/sort.h"
#include "ddsketch_internal.h"

/* ---- order ---- */

#define SORT_NAME sort_places
#define SORT_ELEMENT uint32_t
#define SORT_KEY(e) (e)
#include "core/common/sort_digits.h"

/* Returns the position of a page in the order: like a place in a list, but for its block. */
static uint32_t
place_of(int32_t key)
{
    return (uint32_t) !(key & 1) << 31 | (uint32_t)((key >> 1) + (1 << 30));
}

/* Orders pages by a slot for every place from `low` to `high`. */
static void
place_pages(DdCursor *c, uint32_t low, uint32_t high)
{
    size_t span = (size_t)(high - low) + 1;
    uint32_t count = 0, *slots;

    c->order = c->memory->scratch((c->count + span) * sizeof64(*slots), c->memory->context);
    slots = c->order + c->count;

    memset(slots, 0, span * sizeof *slots);
    for (uint32_t n = 1; n <= c->count; n++)
        slots[place_of(*dd_key(c->pages, n)) - low] = n;
    for (size_t i = 0; i < span; i++) {
        c->order[count] = slots[i];
        count += slots[i] != 0;
    }
    c->count = count;
}

/* Orders pages by sorting, wherever they are. */
static void
sort_pages(DdCursor *c)
{
    uint64_t *places =
        c->memory->scratch(2 * (size_t)c->count * sizeof64(*places), c->memory->context);

    c->order = c->memory->scratch((c->count + (size_t)1) * sizeof64(*c->order), c->memory->context);
    for (uint32_t n = 1; n <= c->count; n++)
        places[n - 1] = (uint64_t)place_of(*dd_key(c->pages, n)) << 32 | n;
    sort_u64(places, c->count, places + c->count, c->memory);
    for (uint32_t i = 0; i < c->count; i++)
        c->order[i] = (uint32_t)places[i];
    c->memory->release(places, c->memory->context);
}

static void
begin_pages(DdCursor *c, DdPages *pages)
{
    uint32_t low = UINT32_MAX, high = 0;

    c->pages = pages;
    c->total = pages->total;
    c->zeros = pages->zeros;
    c->count = pages->state.count;
    for (uint32_t n = 1; n <= c->count; n++) {
        uint32_t place = place_of(*dd_key(pages, n));

        low = place < low ? place : low;
        high = place > high ? place : high;
    }
    if (c->count > 0 && (high - low) / 8 < c->count)
        place_pages(c, low, high);
    else
        sort_pages(c);
}

static void
begin_list(DdCursor *c, const DdList *list)
{
    uint32_t count = list->state.count;

    c->total = c->count = count;
    c->order =
        c->memory->scratch((2 * (size_t)count + 1) * sizeof64(*c->order), c->memory->context);
    memcpy(c->order, list->places, count * sizeof *c->order);
    sort_places(c->order, count, c->order + count, c->memory);
    while (c->at < count && c->order[c->at] == 0)
        c->at++;
    c->zeros = c->at;
}

/* ---- the cursor ---- */

bool
dd_cursor_begin(DdCursor *c, SketchBytes value, const SketchMemory *memory)
{
    *c = (DdCursor){.memory = memory};
    if (!sketch_is_working(value.data)) {
        DdHeader header;

        if (!dd_header_read(value, &header))
            return false;
        c->grid = header.grid;
        c->total = header.total;
        c->zeros = header.zeros;
        c->requested = header.requested;
        c->extremes = header.extremes;
        dd_reader_begin(&c->reader, &header);
    } else {
        if (!state_fits(value, sizeof(DdState)))
            return false;
        dd_state_grid(state_at(value.data), &c->grid);
        c->requested = ddsketch_requested(value);
        c->extremes = ((const DdState *)state_at(value.data))->extremes;
        if (sketch_encoding(value.data) == DDSKETCH_LIST)
            begin_list(c, state_at(value.data));
        else
            begin_pages(c, state_at(value.data));
    }
    c->left = c->total - c->zeros;
    return true;
}

void
dd_cursor_end(DdCursor *c)
{
    if (c->order)
        c->memory->release(c->order, c->memory->context);
    c->order = NULL;
}

uint32_t
dd_cursor_blocks(const DdCursor *c)
{
    uint32_t blocks = c->order ? c->count : dd_reader_count(c->reader, c->memory);

    return blocks <= DDSKETCH_BLOCKS_MAX ? blocks : UINT32_MAX;
}

/* Makes the block of a list's next place, and moves past all places in it. */
static void
listed_block(DdCursor *c, DdBlock *block)
{
    uint32_t first = c->order[c->at];

    *block =
        (DdBlock){.number = dd_place_index(first) >> 4, .negative = dd_place_is_negative(first)};
    for (; c->at < c->count && c->order[c->at] >> 4 == first >> 4; c->at++)
        block->counts[c->order[c->at] & (DDSKETCH_BLOCK - 1)]++;
}

/* Takes the counts of a block off what is left of the total; fails if they are more. */
static bool
take_total(DdCursor *c, const DdBlock *block)
{
    uint64_t sum = 0, all = 0;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        sum += block->counts[i];
        all |= block->counts[i];
    }
    /* The sum of 16 numbers of 59 bits does not overflow. */
    if (all >> 59 == 0) {
        if (sum > c->left)
            return false;
        c->left -= sum;
        return true;
    }
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        if (block->counts[i] > c->left)
            return false;
        c->left -= block->counts[i];
    }
    return true;
}

bool
dd_cursor_next(DdCursor *c, DdBlock *block)
{
    bool more;

    sketch_poll(c->memory, &c->steps, DD_BLOCK_STEPS);
    if (!c->order) {
        more = dd_reader_next(&c->reader, block);
        c->failed = c->reader.failed;
    } else {
        more = c->at < c->count;
        if (more && c->pages)
            dd_page_block(c->pages, c->order[c->at++], block);
        else if (more)
            listed_block(c, block);
    }
    if (more ? !take_total(c, block) : c->left > 0)
        c->failed = true;
    return more && !c->failed;
}

/* ---- packing ---- */

/* Writes the blocks that are left; those of 32-bit pages, without copying them first. */
static void
write_blocks(DdCursor *c, DdWriter *writer)
{
    uint32_t sums[DDSKETCH_BLOCK] = {0};
    DdBlock block;

    if (c->pages && !c->pages->state.wide && c->total <= INT32_MAX)
        for (; c->at < c->count; c->at++) {
            int32_t key = *dd_key(c->pages, c->order[c->at]);
            const uint32_t *counts = dd_counters(c->pages, c->order[c->at]);

            dd_write_counts(writer, key & 1, key >> 1, counts);
            for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
                sums[i] += counts[i];
            sketch_poll(c->memory, &c->steps, DD_BLOCK_STEPS);
        }
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        c->left -= sums[i];
    while (dd_cursor_next(c, &block))
        dd_write_block(writer, &block);
}

SketchBytes
dd_pack_cursor(DdCursor *c)
{
    uint32_t blocks = dd_cursor_blocks(c);
    unsigned width = 64 - (unsigned)__builtin_clzll(c->total | 1);
    DdHeader header = {
        .grid = c->grid, .extremes = c->extremes, .total = c->total, .zeros = c->zeros};
    uint8_t head[SKETCH_HEADER_MAX], *bits, *data;
    SketchBytes packed = {NULL, 0};
    DdWriter writer;

    if (blocks == UINT32_MAX)
        return packed;
    bits = c->memory->scratch((uint64_t)blocks * DD_BLOCK_BYTES(width) + 1, c->memory->context);
    writer = dd_writer(bits);
    write_blocks(c, &writer);
    if (!c->failed) {
        size_t head_bytes, body = (size_t)(bits_finish(&writer.bits) - bits);

        memcpy(header.stores, writer.stores, sizeof header.stores);
        head_bytes = (size_t)(dd_header_write(head, &header) - head);
        packed.size = head_bytes + body;
        packed.data = data = c->memory->value(packed.size, c->memory->context);
        memcpy(data, head, head_bytes);
        memcpy(data + head_bytes, bits, body);
    }
    c->memory->release(bits, c->memory->context);
    return packed;
}

/* ---- validating ---- */

/* Returns true if every count is of a bucket that some double falls into. */
static bool
in_range(const DdsketchGrid *grid, const DdBlock *block)
{
    int32_t low, high;

    if (grid->mapping != DDSKETCH_EXPONENTIAL)
        return true;
    low = ddsketch_index_min(grid->scale);
    high = ddsketch_index_max(grid->scale);
    if (block->number > low >> 4 && block->number < high >> 4)
        return true;
    for (int i = 0; i < DDSKETCH_BLOCK; i++) {
        int32_t index = block->number * DDSKETCH_BLOCK + i;

        if (block->counts[i] > 0 && (index < low || index > high))
            return false;
    }
    return true;
}

/*
 * Returns true if writing what is read gives the same bytes. Stops when it gives more: the value
 * is not canonical then.
 */
static bool
is_canonical(DdCursor *c, SketchBytes body, DdStore *stores)
{
    size_t room = body.size + DD_BLOCK_BYTES(64) + 8;
    uint8_t *bits = c->memory->scratch(room, c->memory->context);
    DdWriter writer = dd_writer(bits);
    bool good = true;
    DdBlock block;

    while (good && dd_cursor_next(c, &block)) {
        dd_write_block(&writer, &block);
        good = (size_t)(writer.bits.at - bits) <= body.size && in_range(&c->grid, &block);
    }
    if (good && !c->failed) {
        size_t size = (size_t)(bits_finish(&writer.bits) - bits);

        good = size == body.size && memcmp(bits, body.data, size) == 0;
    }
    memcpy(stores, writer.stores, sizeof writer.stores);
    c->memory->release(bits, c->memory->context);
    return good && !c->failed;
}

bool
dd_outer_buckets(SketchBytes input, DdsketchBucket *low, DdsketchBucket *high,
                 const SketchMemory *memory)
{
    DdCursor cursor;
    DdBlock block;
    bool any;

    if (!dd_cursor_begin(&cursor, input, memory))
        return false;
    *low = *high = (DdsketchBucket){.count = cursor.zeros};
    any = cursor.zeros > 0;
    while (dd_cursor_next(&cursor, &block))
        for (int i = 0; i < DDSKETCH_BLOCK; i++) {
            DdsketchBucket bucket = {block.number * DDSKETCH_BLOCK + i, block.negative ? -1 : 1,
                                     block.counts[i]};

            if (bucket.count == 0)
                continue;
            /* Negative ones come first, each sign from 0 outwards. */
            if (block.negative || !any)
                *low = bucket;
            if (!block.negative || !any)
                *high = bucket;
            any = true;
        }
    dd_cursor_end(&cursor);
    return !cursor.failed;
}

static bool
in_bucket(const DdHeader *header, DdsketchBucket bucket, double value)
{
    int sign = (value > 0) - (value < 0);

    return sign == bucket.sign &&
           (sign == 0 || ddsketch_index(sign * value, header->grid.scale) == bucket.index);
}

/* Returns true if the extremes that are known are in the outer buckets. */
static bool
extremes_match(SketchBytes input, const DdHeader *header, const SketchMemory *memory)
{
    const double min = header->extremes.min, max = header->extremes.max;
    DdsketchBucket low, high;

    return dd_outer_buckets(input, &low, &high, memory) &&
           (isinf(min) || in_bucket(header, low, min)) &&
           (isinf(max) || in_bucket(header, high, max)) &&
           (header->total > 1 || min == max || isinf(min) || isinf(max));
}

bool
dd_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    DdStore stores[2];
    DdHeader header;
    DdCursor cursor;
    uint32_t blocks;
    uint8_t *data;
    bool good;

    if (!dd_header_read(input, &header) || !dd_cursor_begin(&cursor, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The header is invalid");
    blocks = dd_reader_count(cursor.reader, memory);
    if (blocks != UINT32_MAX && blocks > DDSKETCH_BLOCKS_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many blocks of 16 buckets", blocks,
                                   0, DDSKETCH_BLOCKS_MAX);
    good = blocks != UINT32_MAX && is_canonical(&cursor, header.blocks, stores) &&
           memcmp(stores, header.stores, sizeof stores) == 0;
    dd_cursor_end(&cursor);
    if (!good)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The counts do not match the header, or are not in canonical form");
    if ((isfinite(header.extremes.min) || isfinite(header.extremes.max)) &&
        !extremes_match(input, &header, memory))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The minimum or the maximum is not in the outer bucket");
    if (!requested_validate(header.requested, error))
        return false;
    data = memory->value(input.size, memory->context);
    memcpy(data, input.data, input.size);
    *value = (SketchBytes){data, input.size};
    return true;
}
