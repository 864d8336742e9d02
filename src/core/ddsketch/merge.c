/*
 * merge.c - union, subtraction, and folding to coarser buckets, which both may need.
 *
 * Counts are added or subtracted. Sketches of different scales meet at the lower one: one scale
 * down, bucket i becomes part of bucket i >> 1. Zeros are in no bucket: a sketch of nothing else
 * does not count there, as an empty one does not.
 */
#include "reader.h"

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

static SketchState
fold_list(const DdList *list, const DdsketchGrid *grid, unsigned shift, const SketchMemory *memory)
{
    SketchState state = dd_new_state(grid, list->state.count, 0, memory);
    DdList *folded = state_at(state.data);

    folded->state.count = list->state.count;
    for (uint32_t i = 0; i < list->state.count; i++) {
        uint32_t place = list->places[i];

        folded->places[i] =
            place == 0 ? 0 : dd_place(dd_place_is_negative(place), dd_place_index(place) >> shift);
    }
    return state;
}

static void
fold(StateWriter *w, int scale)
{
    DdPages *old = state_at(w->state.data), *pages;
    StateWriter folded;
    DdsketchGrid grid;
    SketchError error;
    DdBlock block;
    unsigned shift;

    dd_state_grid(&old->state, &grid);
    if (grid.mapping != DDSKETCH_EXPONENTIAL || scale >= grid.scale)
        return;
    shift = (unsigned)(grid.scale - scale);
    grid.scale = scale;
    if (dd_is_list(w->state)) {
        dd_replace(w, fold_list(state_at(w->state.data), &grid, shift, w->memory));
        return;
    }
    /* Cannot fail: folding does not make more blocks. */
    folded = (StateWriter){dd_new_pages(&grid, old->state.wide, 0, w->memory), NULL, w->memory, 0};
    for (uint32_t n = 1; n <= old->state.count; n++) {
        dd_page_block(old, n, &block);
        add_shifted(&folded, &block, shift, &error);
        state_poll(w, 64);
    }
    pages = state_at(folded.state.data);
    pages->total = old->total;
    pages->zeros = old->zeros;
    dd_replace(w, folded.state);
}

void
ddsketch_fold(SketchState *state, int scale, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    fold(&w, scale);
    *state = w.state;
}

/* Of two grids whose buckets are empty, the one that a union has. */
static bool
grid_before(const DdsketchGrid *a, const DdsketchGrid *b)
{
    if (a->mapping != b->mapping)
        return a->mapping < b->mapping;
    if (a->gamma != b->gamma || a->offset != b->offset)
        return a->gamma != b->gamma ? a->gamma < b->gamma : a->offset < b->offset;
    return a->scale <= b->scale;
}

static bool
has_buckets(SketchState state)
{
    const DdList *list = state_at(state.data);
    const DdPages *pages = state_at(state.data);

    if (!dd_is_list(state))
        return pages->total > pages->zeros;
    for (uint32_t i = 0; i < list->state.count; i++)
        if (list->places[i] != 0)
            return true;
    return false;
}

/* Gives other buckets to a state that has nothing but zeros. */
static void
change_grid(StateWriter *w, const DdsketchGrid *grid)
{
    uint64_t zeros = dd_state_total(state_at(w->state.data));

    dd_replace(w, dd_new_state(grid, zeros, 0, w->memory));
    if (dd_is_list(w->state))
        dd_list_add(w, 0, zeros);
    else {
        DdPages *pages = state_at(w->state.data);

        pages->total = pages->zeros = zeros;
    }
}

/*
 * Folds the state if the cursor's buckets are coarser. Sets *shift to how many scales the cursor's
 * are finer than the state's. Refuses buckets that cannot be merged.
 */
static bool
match_grids(StateWriter *w, const DdCursor *cursor, unsigned *shift, SketchError *error)
{
    DdsketchGrid grid;

    *shift = 0;
    if (cursor->zeros == cursor->total)
        return true;
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
    fold(w, cursor->grid.scale);
    *shift = cursor->grid.scale > grid.scale ? (unsigned)(cursor->grid.scale - grid.scale) : 0;
    return true;
}

/* ---- union ---- */

static bool
check_requested(SketchBytes state, RequestedQuantiles other, SketchError *error)
{
    RequestedQuantiles own = ddsketch_requested(state);

    return own.count == 0 || other.count == 0 ||
           (own.count == other.count &&
            memcmp(own.quantiles, other.quantiles, own.count * sizeof(double)) == 0) ||
           sketch_refuse(error, SKETCH_OUT_OF_RANGE, "Their percentiles differ");
}

/* Makes all the room for a merge beforehand, so that it does not fail halfway. */
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

/*
 * Adds counts to the counters of a page. GCC vectorizes this and the next function only if they are
 * not inlined.
 */
static __attribute__((noinline)) void
add_counts(uint32_t *restrict counters, const uint32_t *restrict counts)
{
    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        counters[i] += counts[i];
}

/* Subtracts counts from the counters of a page, which wrap; returns false if one was smaller. */
static __attribute__((noinline)) bool
subtract_counts(uint32_t *restrict counters, const uint32_t *restrict counts)
{
    uint32_t borrows = 0;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++) {
        uint32_t left = counters[i] - counts[i];

        borrows |= (~counters[i] & counts[i]) | (~(counters[i] ^ counts[i]) & left);
        counters[i] = left;
    }
    return borrows >> 31 == 0;
}

/* Adds the blocks of a packed value to 32-bit counters: the usual case. */
static bool
add_packed(StateWriter *w, DdReader *reader, SketchError *error)
{
    DdPages *pages = state_at(w->state.data);

    while (dd_next_code(reader)) {
        uint32_t counts[DDSKETCH_BLOCK];
        int32_t key = dd_page_key(reader->store == 0, reader->number);
        uint32_t page = dd_find_page(pages, key);

        if (page == 0) {
            page = dd_page_for(w, key, error);
            if (page == 0)
                return false;
            pages = state_at(w->state.data);
        }
        dd_read_counts(reader, counts);
        add_counts(dd_counters(pages, page), counts);
        state_poll(w, DD_BLOCK_STEPS);
    }
    return !reader->failed || sketch_refuse_damaged(error);
}

static bool
add_blocks(StateWriter *w, DdCursor *cursor, unsigned shift, SketchError *error)
{
    DdBlock block;

    while (dd_cursor_next(cursor, &block))
        if (!add_shifted(w, &block, shift, error))
            return false;
    return !cursor->failed || sketch_refuse_damaged(error);
}

/* Adds everything to a list, for which it is not too much. */
static bool
list_all(StateWriter *w, DdCursor *cursor, unsigned shift, SketchError *error)
{
    DdBlock block;

    while (dd_cursor_next(cursor, &block))
        for (int i = 0; i < DDSKETCH_BLOCK; i++)
            if (block.counts[i] > 0)
                dd_list_add(w,
                            dd_place(block.negative, (block.number * DDSKETCH_BLOCK + i) >> shift),
                            block.counts[i]);
    dd_list_add(w, 0, cursor->zeros);
    return !cursor->failed || sketch_refuse_damaged(error);
}

static bool
add_all(StateWriter *w, DdCursor *cursor, SketchBytes other, unsigned shift, SketchError *error)
{
    DdPages *pages = state_at(w->state.data);
    bool narrow;

    if (dd_is_list(w->state) && cursor->total <= DD_LIST_COUNT - pages->state.count)
        return list_all(w, cursor, shift, error);
    if (!dd_make_pages(w, cursor->total, error))
        return false;
    pages = state_at(w->state.data);
    /* A block takes at least two bytes, in a packed value; in a state it takes more. */
    if (pages->state.count + other.size / 2 > DDSKETCH_BLOCKS_MAX &&
        !make_room_ahead(w, other, shift, error))
        return false;
    narrow = !cursor->order && shift == 0 && !pages->state.wide;
    if (!(narrow ? add_packed(w, &cursor->reader, error) : add_blocks(w, cursor, shift, error)))
        return false;
    pages = state_at(w->state.data);
    pages->total += cursor->total;
    pages->zeros += cursor->zeros;
    return true;
}

/* Sets *state to the changed state or, if the change failed, releases that. */
static bool
keep_if(StateWriter *w, SketchState *state, bool changed)
{
    if (changed)
        *state = w->state;
    else
        state_replace(w, *state);
    return changed;
}

/*
 * Merges where one side is empty: it adds nothing, and its buckets do not count. Of empty sketches
 * alone the coarsest, or the first, buckets count. Returns false if there is more to do.
 */
static bool
merge_empty(StateWriter *w, DdCursor *cursor, SketchBytes other, bool *merged, SketchError *error)
{
    RequestedQuantiles requested = ddsketch_requested(sketch_bytes(w->state));
    const DdState *s = state_at(w->state.data);
    SketchState copy;
    DdsketchGrid grid;

    *merged = true;
    if (dd_state_total(s) > 0)
        return cursor->total == 0;
    dd_state_grid(s, &grid);
    if (cursor->total == 0 && grid_before(&grid, &cursor->grid))
        return true;
    copy = dd_open(other, w->memory);
    *merged = copy.data != NULL || sketch_refuse_damaged(error);
    if (*merged && requested.count > 0) {
        uint8_t *without = copy.data;

        ddsketch_request(&copy, requested, w->memory);
        w->memory->release_value(without, w->memory->context);
    }
    if (*merged)
        state_replace(w, copy);
    return true;
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
    if (cursor.requested.count == 0 && merge_empty(&w, &cursor, other, &merged, error)) {
        dd_cursor_end(&cursor);
        return keep_if(&w, state, merged);
    }
    if (!has_buckets(w.state)) {
        DdsketchGrid grid;

        dd_state_grid(state_at(w.state.data), &grid);
        if (cursor.zeros < cursor.total || !grid_before(&grid, &cursor.grid))
            change_grid(&w, &cursor.grid);
    }
    merged = check_requested(sketch_bytes(*state), cursor.requested, error) &&
             match_grids(&w, &cursor, &shift, error) && add_all(&w, &cursor, other, shift, error);
    if (merged)
        dd_widen_extremes(w.state, cursor.extremes);
    dd_cursor_end(&cursor);
    return keep_if(&w, state, merged);
}

SketchState
dd_open(SketchBytes value, const SketchMemory *memory)
{
    StateWriter w = {{NULL, 0}, NULL, memory, 0};
    DdCursor cursor;
    SketchError error;
    uint32_t blocks;

    if (sketch_is_working(value.data))
        return state_copy(value, sizeof(DdState), memory);
    if (!dd_cursor_begin(&cursor, value, memory))
        return w.state;
    blocks = dd_cursor_blocks(&cursor);
    if (blocks != UINT32_MAX) {
        w.state = dd_new_state(&cursor.grid, cursor.total, blocks, memory);
        if (!add_all(&w, &cursor, (SketchBytes){value.data, 0}, 0, &error)) {
            memory->release_value(w.state.data, memory->context);
            w.state = (SketchState){NULL, 0};
        } else if (cursor.requested.count > 0) {
            uint8_t *without = w.state.data;

            ddsketch_request(&w.state, cursor.requested, memory);
            memory->release_value(without, memory->context);
        }
    }
    if (w.state.data)
        dd_widen_extremes(w.state, cursor.extremes);
    dd_cursor_end(&cursor);
    return w.state;
}

/* ---- subtraction ---- */

/* Adds a block of finer buckets to a page, or subtracts it; false if a counter was smaller. */
static bool
change_counters(DdPages *pages, uint32_t page, const DdBlock *block, unsigned shift, bool subtract)
{
    bool enough = true;

    for (int i = 0; i < DDSKETCH_BLOCK; i++) {
        unsigned at = (unsigned)((block->number * DDSKETCH_BLOCK + i) >> shift) % DDSKETCH_BLOCK;
        uint64_t count = block->counts[i];

        if (pages->state.wide) {
            uint64_t *counter = (uint64_t *)dd_counters(pages, page) + at;

            enough &= *counter >= count;
            *counter += subtract ? -count : count;
        } else {
            uint32_t *counter = (uint32_t *)dd_counters(pages, page) + at;

            enough &= *counter >= count;
            *counter += (uint32_t)(subtract ? -count : count);
        }
    }
    return enough;
}

/*
 * Subtracts from the counters what a cursor reads, or adds it again. Counters wrap, so that one
 * undoes the other. Returns false if a counter was smaller, or with cursor->failed.
 */
static bool
change_pages(DdPages *pages, DdCursor *cursor, unsigned shift, bool subtract)
{
    bool enough = true;

    if (!cursor->order && shift == 0 && !pages->state.wide) {
        DdReader *reader = &cursor->reader;

        while (dd_next_code(reader)) {
            uint32_t page = dd_find_page(pages, dd_page_key(reader->store == 0, reader->number));
            uint32_t counts[DDSKETCH_BLOCK];

            dd_read_counts(reader, counts);
            if (page == 0)
                enough = false;
            else if (subtract)
                enough &= subtract_counts(dd_counters(pages, page), counts);
            else
                add_counts(dd_counters(pages, page), counts);
            sketch_poll(cursor->memory, &cursor->steps, DD_BLOCK_STEPS);
        }
        cursor->failed = reader->failed;
    } else {
        DdBlock block;

        while (dd_cursor_next(cursor, &block)) {
            uint32_t page = dd_find_page(pages, dd_page_key(block.negative, block.number >> shift));

            enough &= page != 0 && change_counters(pages, page, &block, shift, subtract);
        }
    }
    return enough && !cursor->failed;
}

static bool
subtract_all(DdPages *pages, DdCursor *cursor, SketchBytes other, unsigned shift,
             SketchError *error)
{
    DdCursor again;

    if (cursor->total > pages->total)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more values",
                                   (int64_t)cursor->total, 0, (int64_t)pages->total);
    if (cursor->zeros > pages->zeros)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more zeros",
                                   (int64_t)cursor->zeros, 0, (int64_t)pages->zeros);
    if (!change_pages(pages, cursor, shift, true)) {
        if (dd_cursor_begin(&again, other, cursor->memory)) {
            change_pages(pages, &again, shift, false);
            dd_cursor_end(&again);
        }
        return cursor->failed
                   ? sketch_refuse_damaged(error)
                   : sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                                   "The sketch to be subtracted has more values in some bucket");
    }
    pages->total -= cursor->total;
    pages->zeros -= cursor->zeros;
    return true;
}

/* An extreme stays known if all that was subtracted is on the inner side of it. */
static void
keep_extremes(DdPages *pages, DdsketchExtremes subtracted)
{
    DdsketchExtremes *e = &pages->state.extremes;

    if (pages->total == 0) {
        *e = ddsketch_no_values;
        return;
    }
    e->min = subtracted.min > e->min ? e->min : -INFINITY;
    e->max = subtracted.max < e->max ? e->max : INFINITY;
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
    if (cursor.total == 0) {
        /* Subtracting nothing loses no precision, whatever that of `other` is. */
        dd_cursor_end(&cursor);
        return true;
    }
    subtracted = match_grids(&w, &cursor, &shift, error) && dd_make_pages(&w, 0, error) &&
                 subtract_all(state_at(w.state.data), &cursor, other, shift, error);
    if (subtracted)
        keep_extremes(state_at(w.state.data), cursor.extremes);
    dd_cursor_end(&cursor);
    return keep_if(&w, state, subtracted);
}
