/*
 * merge.c - union, subtraction, and the coarser buckets that both may need.
 *
 * Counts add, and counts subtract. Buckets of different scales meet at the coarser one, whose
 * buckets are joined neighbours: bucket i becomes i >> 1, one scale down.
 */
#include "ddsketch_internal.h"

/* ---- folding ---- */

static bool
add_shifted(StateWriter *w, const DdBlock *block, unsigned shift, SketchError *error)
{
    if (shift == 0)
        return dd_add_block(w, block, error);
    for (int i = 0; i < DDSKETCH_BLOCK; i++)
        if (block->counts[i] > 0 &&
            !dd_add_count(w, block->negative, (block->number * DDSKETCH_BLOCK + i) >> shift,
                          block->counts[i], error))
            return false;
    return true;
}

void
dd_fold(StateWriter *w, int scale)
{
    DdPages *old, *pages;
    StateWriter folded;
    DdsketchGrid grid;
    SketchError error;
    DdBlock block;
    unsigned shift;

    dd_state_grid(state_at(w->state.data), &grid);
    if (grid.mapping != DDSKETCH_EXPONENTIAL || scale >= grid.scale)
        return;
    /* Neither fails: no values are added, and blocks do not become more. */
    dd_make_pages(w, 0, &error);
    old = state_at(w->state.data);
    shift = (unsigned)(grid.scale - scale);
    grid.scale = scale;
    folded = (StateWriter){dd_new_pages(&grid, old->state.wide, 0, w->memory), NULL, w->memory, 0};
    for (uint32_t n = 1; n <= old->state.count; n++) {
        dd_page_block(old, n, &block);
        add_shifted(&folded, &block, shift, &error);
        state_poll(w, 64);
    }
    pages = state_at(folded.state.data);
    pages->total = old->total;
    pages->zeros = old->zeros;
    state_replace(w, folded.state);
}

void
ddsketch_fold(SketchState *state, int scale, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    dd_fold(&w, scale);
    *state = w.state;
}

/*
 * Brings the state to buckets into which the cursor's fit, and as pages; *shift is how much
 * coarser they are than the cursor's.
 */
static bool
match_grids(StateWriter *w, const DdCursor *cursor, uint64_t more, unsigned *shift,
            SketchError *error)
{
    DdsketchGrid grid;

    dd_state_grid(state_at(w->state.data), &grid);
    if (!dd_same_grid(&grid, &cursor->grid)) {
        if (grid.mapping == DDSKETCH_EXPONENTIAL)
            return sketch_refuse_pair(error, "Their buckets differ", "exponential histograms",
                                      "the DDSketch library");
        if (cursor->grid.mapping == DDSKETCH_EXPONENTIAL)
            return sketch_refuse_pair(error, "Their buckets differ", "the DDSketch library",
                                      "exponential histograms");
        return sketch_refuse(error, SKETCH_MISMATCH,
                             "Their buckets differ, in gamma, offset or interpolation");
    }
    dd_fold(w, cursor->grid.scale);
    *shift = cursor->grid.scale > grid.scale ? (unsigned)(cursor->grid.scale - grid.scale) : 0;
    return dd_make_pages(w, more, error);
}

/* ---- union ---- */

/* Makes room for a merge that might fail on the way, so that it does not. */
static bool
make_room_ahead(StateWriter *w, SketchBytes other, unsigned shift, SketchError *error)
{
    DdPages *pages = state_at(w->state.data);
    int32_t key, before = 0;
    uint32_t missing = 0;
    DdCursor cursor;
    DdBlock block;

    if (!dd_cursor_begin(&cursor, other, w->memory))
        return sketch_refuse_damaged(error);
    while (dd_cursor_next(&cursor, &block)) {
        key = dd_page_key(block.negative, block.number >> shift);
        missing += (missing == 0 || key != before) && dd_find_page(pages, key) == 0;
        before = key;
    }
    dd_cursor_end(&cursor);
    return dd_make_room(w, missing, error);
}

static bool
add_all(StateWriter *w, DdCursor *cursor, SketchBytes other, unsigned shift, SketchError *error)
{
    DdPages *pages = state_at(w->state.data);
    DdBlock block;

    /* A block of a value has two bytes at least, if it is not 16 counters of a state. */
    if (pages->state.count + other.size / 2 > DDSKETCH_BLOCKS_MAX &&
        !make_room_ahead(w, other, shift, error))
        return false;
    while (dd_cursor_next(cursor, &block))
        if (!add_shifted(w, &block, shift, error))
            return false;
    if (cursor->failed)
        return sketch_refuse_damaged(error);
    pages = state_at(w->state.data);
    pages->total += cursor->total;
    pages->zeros += cursor->zeros;
    return true;
}

/* After a change that failed: only *state is left. */
static bool
leave(StateWriter *w, SketchState *state, bool changed)
{
    if (changed)
        *state = w->state;
    else
        state_replace(w, *state);
    return changed;
}

bool
dd_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    DdCursor cursor;
    unsigned shift;
    bool merged;

    if (!dd_cursor_begin(&cursor, other, memory))
        return sketch_refuse_damaged(error);
    merged = match_grids(&w, &cursor, cursor.total, &shift, error) &&
             add_all(&w, &cursor, other, shift, error);
    dd_cursor_end(&cursor);
    return leave(&w, state, merged);
}

SketchState
dd_open(SketchBytes value, const SketchMemory *memory)
{
    StateWriter w = {{NULL, 0}, NULL, memory, 0};
    DdCursor cursor;
    SketchError error;
    uint32_t blocks;

    if (sketch_is_working(value.data) && sketch_encoding(value.data) == DDSKETCH_VALUES) {
        SketchState copy;

        if (!dd_state_is_sound(value))
            return (SketchState){NULL, 0};
        copy = (SketchState){memory->value(value.size, memory->context), value.size};
        memcpy(copy.data, value.data, value.size);
        return copy;
    }
    if (!dd_cursor_begin(&cursor, value, memory))
        return w.state;
    blocks = dd_cursor_blocks(&cursor);
    if (blocks != UINT32_MAX) {
        w.state = dd_new_pages(&cursor.grid, cursor.total > UINT32_MAX, blocks, memory);
        if (!add_all(&w, &cursor, (SketchBytes){value.data, 0}, 0, &error)) {
            memory->release_value(w.state.data, memory->context);
            w.state = (SketchState){NULL, 0};
        }
    }
    dd_cursor_end(&cursor);
    return w.state;
}

/* ---- subtraction ---- */

/* Adds `count` to a counter, or subtracts it, which fails if there is less. */
static bool
change_counter(DdPages *pages, uint32_t page, unsigned at, uint64_t count, bool subtract)
{
    if (pages->state.wide) {
        uint64_t *counter = (uint64_t *)dd_counters(pages, page) + at;

        if (subtract && *counter < count)
            return false;
        *counter = subtract ? *counter - count : *counter + count;
    } else {
        uint32_t *counter = (uint32_t *)dd_counters(pages, page) + at;

        if (subtract && *counter < count)
            return false;
        *counter = (uint32_t)(subtract ? *counter - count : *counter + count);
    }
    return true;
}

/* The first `most` counts of a block; how many were changed. */
static int
change_block(DdPages *pages, const DdBlock *block, unsigned shift, int most, bool subtract)
{
    uint32_t page = dd_find_page(pages, dd_page_key(block->negative, block->number >> shift));

    for (int i = 0; i < most; i++) {
        int32_t index = (block->number * DDSKETCH_BLOCK + i) >> shift;

        if (block->counts[i] > 0 &&
            (page == 0 || !change_counter(pages, page, index & (DDSKETCH_BLOCK - 1),
                                          block->counts[i], subtract)))
            return i;
    }
    return most;
}

/* The first `blocks` blocks and `counts` counts of the next are added again. */
static void
undo(DdPages *pages, SketchBytes other, unsigned shift, uint32_t blocks, int counts,
     const SketchMemory *memory)
{
    DdCursor cursor;
    DdBlock block;

    if (!dd_cursor_begin(&cursor, other, memory))
        return;
    for (; blocks > 0 && dd_cursor_next(&cursor, &block); blocks--)
        change_block(pages, &block, shift, DDSKETCH_BLOCK, false);
    if (counts > 0 && dd_cursor_next(&cursor, &block))
        change_block(pages, &block, shift, counts, false);
    dd_cursor_end(&cursor);
}

static bool
subtract_all(DdPages *pages, DdCursor *cursor, SketchBytes other, unsigned shift,
             SketchError *error)
{
    bool contained = true;
    uint32_t blocks = 0;
    int counts = 0;
    DdBlock block;

    if (cursor->total > pages->total)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more values",
                                   (int64_t)cursor->total, 0, (int64_t)pages->total);
    if (cursor->zeros > pages->zeros)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more zeros",
                                   (int64_t)cursor->zeros, 0, (int64_t)pages->zeros);
    while (contained && dd_cursor_next(cursor, &block)) {
        counts = change_block(pages, &block, shift, DDSKETCH_BLOCK, true);
        contained = counts == DDSKETCH_BLOCK;
        blocks += contained;
    }
    if (cursor->failed || !contained) {
        counts = contained ? 0 : counts;
        undo(pages, other, shift, blocks, counts, cursor->memory);
        return cursor->failed
                   ? sketch_refuse_damaged(error)
                   : sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more values in some bucket");
    }
    pages->total -= cursor->total;
    pages->zeros -= cursor->zeros;
    return true;
}

bool
ddsketch_subtract(SketchState *state, SketchBytes other, const SketchMemory *memory,
                  SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    DdCursor cursor;
    unsigned shift;
    bool subtracted;

    if (!dd_cursor_begin(&cursor, other, memory))
        return sketch_refuse_damaged(error);
    subtracted = match_grids(&w, &cursor, 0, &shift, error) &&
                 subtract_all(state_at(w.state.data), &cursor, other, shift, error);
    dd_cursor_end(&cursor);
    return leave(&w, state, subtracted);
}
