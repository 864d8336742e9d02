/*
 * cursor.c - the blocks of any encoding, one after the other; packing, opening and validating by it.
 */
#include "core/common/sort.h"
#include "ddsketch_internal.h"

#define BLOCK_STEPS 32

/* ---- the order of pages ---- */

/* Negative before positive, then by the number of the block; the page is in the low half. */
static uint64_t
order_of(int32_t key, uint32_t page)
{
    uint64_t positive = !(key & 1);

    return positive << 63 | (uint64_t)((uint32_t)(key >> 1) + (UINT32_C(1) << 30)) << 32 | page;
}

static void
begin_pages(DdCursor *c, DdPages *pages)
{
    uint32_t count = pages->state.count;
    bool sorted = true;

    c->pages = pages;
    c->total = pages->total;
    c->zeros = pages->zeros;
    c->order = c->memory->scratch((2 * (size_t)count + 1) * sizeof *c->order, c->memory->context);
    for (uint32_t n = 1; n <= count; n++) {
        c->order[n - 1] = order_of(*dd_key(pages, n), n);
        sorted = sorted && (n == 1 || c->order[n - 2] < c->order[n - 1]);
    }
    /* Pages of a value that was opened are in order. */
    if (!sorted)
        sort_u64(c->order, count, c->order + count, c->memory);
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
        c->packed = true;
        c->grid = header.grid;
        c->total = header.total;
        c->zeros = header.zeros;
        dd_reader_begin(&c->reader, value, &header);
    } else {
        if (!dd_state_is_sound(value))
            return false;
        dd_state_grid(state_at(value.data), &c->grid);
        if (sketch_encoding(value.data) == DDSKETCH_VALUES) {
            StateWriter w = state_writer((SketchState){(uint8_t *)value.data, value.size}, memory);
            SketchError error;

            dd_make_pages(&w, 0, &error);
            c->temporary = w.state;
            begin_pages(c, state_at(w.state.data));
        } else
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
    if (c->temporary.data)
        c->memory->release_value(c->temporary.data, c->memory->context);
    c->order = NULL;
    c->temporary.data = NULL;
}

uint32_t
dd_cursor_blocks(const DdCursor *c)
{
    uint32_t blocks = c->packed ? dd_reader_count(c->reader, c->memory) : c->pages->state.count;

    return blocks <= DDSKETCH_BLOCKS_MAX ? blocks : UINT32_MAX;
}

/* Whether what is left of the total has all of a block. */
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

    sketch_poll(c->memory, &c->steps, BLOCK_STEPS);
    if (c->packed) {
        more = dd_reader_next(&c->reader, block);
        c->failed = c->reader.failed;
    } else {
        more = c->at < c->pages->state.count;
        if (more) {
            dd_page_block(c->pages, (uint32_t)c->order[c->at], block);
            /* A damaged state may have a key twice, or one that is none. */
            c->failed = (c->at > 0 && c->order[c->at] >> 32 == c->order[c->at - 1] >> 32) ||
                        block->number < DD_BLOCK_MIN || block->number > DD_BLOCK_MAX;
            c->at++;
        }
    }
    if (more ? !take_total(c, block) : c->left > 0)
        c->failed = true;
    return more && !c->failed;
}

/* ---- packing ---- */

SketchBytes
dd_pack_cursor(DdCursor *c)
{
    uint32_t blocks = dd_cursor_blocks(c);
    unsigned width = 64 - (unsigned)__builtin_clzll(c->total | 1);
    DdHeader header = {.grid = c->grid, .total = c->total, .zeros = c->zeros};
    uint8_t head[SKETCH_HEADER_MAX], *bits, *data;
    SketchBytes packed = {NULL, 0};
    DdWriter writer;
    DdBlock block;

    if (blocks == UINT32_MAX)
        return packed;
    bits = c->memory->scratch((size_t)blocks * DD_BLOCK_BYTES(width) + 1, c->memory->context);
    writer = dd_writer(bits);
    while (dd_cursor_next(c, &block))
        dd_write_block(&writer, &block);
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

/* Whether every count is of a bucket that some double falls into. */
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
 * Writes what is read, which gives the same bytes if the value is canonical. Never more of them
 * than there are: then it is not.
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
dd_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    DdStore stores[2];
    DdHeader header;
    DdCursor cursor;
    uint32_t blocks;
    uint8_t *data;
    bool good;

    if (sketch_encoding(input.data) != DDSKETCH_PACKED)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding",
                                   sketch_encoding(input.data), DDSKETCH_PACKED, DDSKETCH_PACKED);
    if (!dd_header_read(input, &header) || !dd_cursor_begin(&cursor, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The header is not one of a ddsketch");
    blocks = dd_reader_count(cursor.reader, memory);
    if (blocks != UINT32_MAX && blocks > DDSKETCH_BLOCKS_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many blocks of 16 buckets", blocks,
                                   0, DDSKETCH_BLOCKS_MAX);
    good =
        blocks != UINT32_MAX &&
        is_canonical(&cursor, (SketchBytes){input.data + header.bytes, input.size - header.bytes},
                     stores) &&
        memcmp(stores, header.stores, sizeof stores) == 0;
    dd_cursor_end(&cursor);
    if (!good)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The counts are not those of the header, or not in their one form");
    data = memory->value(input.size, memory->context);
    memcpy(data, input.data, input.size);
    *value = (SketchBytes){data, input.size};
    return true;
}
