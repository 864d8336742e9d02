/*
 * working.c - the working encodings: a list of buckets, and pages of counters.
 *
 * A sketch begins as a list with the bucket of each value. Beyond DD_LIST_COUNT values it counts
 * them: each block of 16 buckets that occurs gets a page with their counters, found by a hash table
 * of page numbers. A page whose counters all return to 0 stays until room is needed.
 */
#include "ddsketch_internal.h"

#include <math.h>

#define MIN_LIST_BYTES 128 /* most groups would outgrow a smaller one */
#define MIN_PAGES_BYTES 512

/* ---- requested quantiles ---- */

RequestedQuantiles
ddsketch_requested(SketchBytes value)
{
    DdHeader header;

    if (sketch_is_working(value.data)) {
        unsigned count = ((const DdState *)state_at(value.data))->requested;

        return (RequestedQuantiles){count, value.data + value.size - count * sizeof(double)};
    }
    return dd_header_read(value, &header) ? header.requested : (RequestedQuantiles){0, NULL};
}

void
ddsketch_request(SketchState *state, RequestedQuantiles requested, const SketchMemory *memory)
{
    size_t behind = requested.count * sizeof(double);
    SketchState copy = {memory->value(state->size + behind, memory->context), state->size + behind};

    polled_copy(copy.data, state->data, state->size, memory);
    memcpy(copy.data + state->size, requested.quantiles, behind);
    ((DdState *)state_at(copy.data))->requested = (uint8_t)requested.count;
    *state = copy;
}

void
dd_replace(StateWriter *w, SketchState fresh)
{
    RequestedQuantiles requested = ddsketch_requested(sketch_bytes(w->state));

    ((DdState *)state_at(fresh.data))->extremes =
        ((const DdState *)state_at(w->state.data))->extremes;
    if (requested.count > 0) {
        uint8_t *without = fresh.data;

        ddsketch_request(&fresh, requested, w->memory);
        w->memory->release_value(without, w->memory->context);
    }
    state_replace(w, fresh);
}

/* ---- the list ---- */

/* Returns an empty list with room for `count` values. */
static SketchState
new_list(int scale, size_t count, const SketchMemory *memory)
{
    size_t bytes = sizeof(DdList) + count * sizeof(uint32_t);
    SketchState state = state_new(SKETCH_DDSKETCH, DDSKETCH_LIST, DDSKETCH_EXPONENTIAL,
                                  state_chunk(MIN_LIST_BYTES, bytes), sizeof(DdList), memory);

    ((DdState *)state_at(state.data))->scale = (int8_t)scale;
    ((DdState *)state_at(state.data))->extremes = ddsketch_no_values;
    return state;
}

static inline bool
list_has_room(SketchState state, size_t more)
{
    const DdList *list = state_at(state.data);

    return state_size(sizeof *list + (list->state.count + more) * sizeof(uint32_t) +
                      list->state.requested * sizeof(double)) <= state.size;
}

bool
dd_list_add(StateWriter *w, uint32_t place, uint64_t count)
{
    DdList *list = state_at(w->state.data);

    if (count > DD_LIST_COUNT - list->state.count)
        return false;
    if (!list_has_room(w->state, count)) {
        const DdList *old = list;
        SketchState grown = new_list(old->state.scale, old->state.count + count, w->memory);

        list = state_at(grown.data);
        memcpy(list->places, old->places, old->state.count * sizeof(uint32_t));
        list->state.count = old->state.count;
        dd_replace(w, grown);
        list = state_at(w->state.data);
    }
    for (; count > 0; count--)
        list->places[list->state.count++] = place;
    return true;
}

/* ---- pages ---- */

/* How a chunk of memory is split: an eighth of it is the directory. */
typedef struct Split {
    uint64_t bytes;
    uint32_t directory, capacity;
} Split;

static Split
split(uint64_t bytes, bool wide)
{
    Split d = {.bytes = bytes, .directory = (uint32_t)(bytes / (wide ? 64 : 32))};

    d.capacity = (uint32_t)((bytes - sizeof(DdPages) - d.directory * sizeof(uint32_t)) /
                            (sizeof(int32_t) + (DDSKETCH_BLOCK * sizeof(uint32_t) << wide)));
    /* An even number of keys keeps the counters aligned. */
    d.capacity &= ~UINT32_C(1);
    return d;
}

/* Returns an empty state with room for at least `room` pages. */
SketchState
dd_new_pages(const DdsketchGrid *grid, bool wide, uint32_t room, const SketchMemory *memory)
{
    Split d = split(MIN_PAGES_BYTES, wide);
    SketchState state;
    DdPages *pages;

    while (d.capacity < room)
        d = split(d.bytes * 2, wide);
    state = state_new(SKETCH_DDSKETCH, DDSKETCH_PAGES, (uint8_t)grid->mapping, d.bytes,
                      (size_t)d.bytes, memory);
    pages = state_at(state.data);
    pages->state.scale = (int8_t)grid->scale;
    pages->state.wide = wide;
    pages->state.shift = (uint8_t)(32 - __builtin_ctz(d.directory));
    pages->state.extremes = ddsketch_no_values;
    pages->gamma = grid->gamma;
    pages->offset = grid->offset;
    pages->directory = d.directory;
    pages->capacity = d.capacity;
    return state;
}

void
dd_state_grid(const DdState *state, DdsketchGrid *grid)
{
    *grid = (DdsketchGrid){.mapping = (DdsketchMapping)state->header.hash, .scale = state->scale};
    if (grid->mapping != DDSKETCH_EXPONENTIAL) {
        grid->gamma = ((const DdPages *)state)->gamma;
        grid->offset = ((const DdPages *)state)->offset;
    }
}

SketchState
dd_new_state(const DdsketchGrid *grid, uint64_t total, uint32_t blocks, const SketchMemory *memory)
{
    if (grid->mapping == DDSKETCH_EXPONENTIAL && grid->scale <= DD_LIST_SCALE_MAX &&
        total <= DD_LIST_COUNT)
        return new_list(grid->scale, total, memory);
    return dd_new_pages(grid, total > UINT32_MAX, blocks, memory);
}

SketchState
ddsketch_new(const DdsketchGrid *grid, const SketchMemory *memory)
{
    return dd_new_state(grid, 0, 0, memory);
}

void
dd_page_block(DdPages *pages, uint32_t n, DdBlock *block)
{
    const void *counters = dd_counters(pages, n);
    int32_t key = *dd_key(pages, n);

    block->negative = key & 1;
    block->number = key >> 1;
    if (pages->state.wide)
        memcpy(block->counts, counters, sizeof block->counts);
    else
        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            block->counts[i] = ((const uint32_t *)counters)[i];
}

/* Adds a page for a key that has none; there must be room. */
static uint32_t
new_page(DdPages *pages, int32_t key)
{
    uint32_t *directory = dd_directory(pages);
    uint32_t at = (uint32_t)key * UINT32_C(0x9e3779b1) >> pages->state.shift;

    while (directory[at] != 0)
        at = (at + 1) & (pages->directory - 1);
    directory[at] = ++pages->state.count;
    *dd_key(pages, directory[at]) = key;
    return directory[at];
}

static void
add_counters(DdPages *pages, uint32_t n, const uint64_t *counts)
{
    if (pages->state.wide) {
        uint64_t *counters = dd_counters(pages, n);

        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            counters[i] += counts[i];
    } else {
        uint32_t *counters = dd_counters(pages, n);

        for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
            counters[i] += (uint32_t)counts[i];
    }
}

static bool
is_empty(const DdBlock *block)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < DDSKETCH_BLOCK; i++)
        all |= block->counts[i];
    return all == 0;
}

static uint32_t
filled_pages(StateWriter *w)
{
    DdPages *pages = state_at(w->state.data);
    uint32_t filled = 0;
    DdBlock block;

    for (uint32_t n = 1; n <= pages->state.count; n++) {
        dd_page_block(pages, n, &block);
        filled += !is_empty(&block);
        state_poll(w, 8);
    }
    return filled;
}

/* Copies the nonempty pages to a state with room for `room` pages. */
static void
rebuild(StateWriter *w, bool wide, uint32_t room)
{
    DdPages *old = state_at(w->state.data), *pages;
    DdsketchGrid grid;
    SketchState fresh;
    DdBlock block;

    dd_state_grid(&old->state, &grid);
    fresh = dd_new_pages(&grid, wide, room, w->memory);
    pages = state_at(fresh.data);
    pages->total = old->total;
    pages->zeros = old->zeros;
    for (uint32_t n = 1; n <= old->state.count; n++) {
        dd_page_block(old, n, &block);
        if (!is_empty(&block))
            add_counters(pages, new_page(pages, *dd_key(old, n)), block.counts);
        state_poll(w, 16);
    }
    dd_replace(w, fresh);
}

bool
dd_make_room(StateWriter *w, uint32_t more, SketchError *error)
{
    DdPages *pages = state_at(w->state.data);
    uint32_t filled;

    if (more <= pages->capacity - pages->state.count &&
        more <= DDSKETCH_BLOCKS_MAX - pages->state.count)
        return true;
    filled = filled_pages(w);
    if (more > DDSKETCH_BLOCKS_MAX - filled)
        return sketch_refuse_range(error, SKETCH_LIMIT,
                                   "The values fill too many blocks of 16 buckets",
                                   (int64_t)filled + more, 0, DDSKETCH_BLOCKS_MAX);
    /* Where dropping empty pages made the room, leave some more, so that it lasts for a while. */
    rebuild(w, pages->state.wide, filled + more + filled / 4);
    return true;
}

/* ---- adding ---- */

uint32_t
dd_page_for(StateWriter *w, int32_t key, SketchError *error)
{
    uint32_t page = dd_find_page(state_at(w->state.data), key);

    if (page == 0 && dd_make_room(w, 1, error))
        page = new_page(state_at(w->state.data), key);
    return page;
}

bool
dd_add_block(StateWriter *w, const DdBlock *block, SketchError *error)
{
    uint32_t page = dd_page_for(w, dd_page_key(block->negative, block->number), error);

    if (page == 0)
        return false;
    add_counters(state_at(w->state.data), page, block->counts);
    return true;
}

bool
dd_add_count(StateWriter *w, bool negative, int32_t index, uint64_t count, SketchError *error)
{
    uint32_t page = dd_page_for(w, dd_page_key(negative, index >> 4), error);
    DdPages *pages = state_at(w->state.data);

    if (page == 0)
        return false;
    if (pages->state.wide)
        ((uint64_t *)dd_counters(pages, page))[index & (DDSKETCH_BLOCK - 1)] += count;
    else
        ((uint32_t *)dd_counters(pages, page))[index & (DDSKETCH_BLOCK - 1)] += (uint32_t)count;
    return true;
}

/* Counts the values of a list in pages; that cannot fail, for they fill at most a block each. */
static void
count_list(StateWriter *w, const DdList *list, SketchError *error)
{
    for (uint32_t i = 0; i < list->state.count; i++) {
        uint32_t place = list->places[i];

        if (place == 0)
            ((DdPages *)state_at(w->state.data))->zeros++;
        else
            dd_add_count(w, dd_place_is_negative(place), dd_place_index(place), 1, error);
    }
    ((DdPages *)state_at(w->state.data))->total = list->state.count;
}

bool
dd_make_pages(StateWriter *w, uint64_t more, SketchError *error)
{
    DdState *state = state_at(w->state.data);
    uint64_t total = dd_state_total(state);
    bool wide;

    if (!dd_check_total(total, more, error))
        return false;
    wide = total + more > UINT32_MAX;
    if (dd_is_list(w->state)) {
        StateWriter counted;
        DdsketchGrid grid;

        dd_state_grid(state, &grid);
        counted = (StateWriter){dd_new_pages(&grid, wide, 0, w->memory), NULL, w->memory, 0};
        count_list(&counted, (const DdList *)state, error);
        dd_replace(w, counted.state);
    } else if (wide && !state->wide)
        rebuild(w, true, state->count);
    return true;
}

bool
ddsketch_add(SketchState state, double value)
{
    DdState *s = state_at(state.data);
    DdPages *pages = (DdPages *)s;
    uint64_t bits, magnitude;
    uint32_t page;
    int32_t index;

    memcpy(&bits, &value, sizeof bits);
    magnitude = bits & INT64_MAX;
    /* The rest is for normal numbers at scales that the table serves; all else is rare. */
    if (magnitude - (UINT64_C(1) << 52) >= UINT64_C(0x7fe) << 52 || s->scale > 8 ||
        s->header.hash != DDSKETCH_EXPONENTIAL) {
        if (magnitude != 0 || dd_is_list(state) || pages->total >= UINT32_MAX ||
            s->header.hash != DDSKETCH_EXPONENTIAL)
            return false;
        pages->zeros++;
        pages->total++;
        ddsketch_widen(&s->extremes, (DdsketchExtremes){0, 0});
        return true;
    }
    index = ddsketch_index_8(magnitude) >> (8 - s->scale);
    if (dd_is_list(state)) {
        if (!list_has_room(state, 1))
            return false;
        ((DdList *)s)->places[s->count++] = dd_place(bits >> 63, index);
        ddsketch_widen(&s->extremes, (DdsketchExtremes){value, value});
        return true;
    }
    if (s->wide || pages->total == UINT32_MAX)
        return false;
    page = dd_find_page(pages, dd_page_key(bits >> 63, index >> 4));
    if (page == 0)
        return false;
    ((uint32_t *)dd_counters(pages, page))[index & (DDSKETCH_BLOCK - 1)]++;
    pages->total++;
    ddsketch_widen(&s->extremes, (DdsketchExtremes){value, value});
    return true;
}

static bool
check_value(const DdState *state, double value, SketchError *error)
{
    if (state->header.hash != DDSKETCH_EXPONENTIAL)
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE,
                             "The sketch has the buckets of the DDSketch library, to which whole "
                             "sketches are added");
    if (!isfinite(value))
        return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "The value is not a finite number");
    return true;
}

bool
ddsketch_insert(SketchState *state, double value, uint64_t weight, const SketchMemory *memory,
                SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    const DdState *s = state_at(state->data);
    int32_t index;
    DdPages *pages;

    if (!check_value(s, value, error))
        return false;
    if (weight == 0 || (weight == 1 && ddsketch_add(*state, value)))
        return true;
    index = value == 0 ? 0 : ddsketch_index(fabs(value), s->scale);
    if (dd_is_list(*state) &&
        dd_list_add(&w, value == 0 ? 0 : dd_place(value < 0, index), weight)) {
        *state = w.state;
        dd_widen_extremes(*state, (DdsketchExtremes){value + 0.0, value + 0.0});
        return true;
    }
    if (!dd_make_pages(&w, weight, error))
        return false;
    if (value != 0 && !dd_add_count(&w, value < 0, index, weight, error)) {
        state_replace(&w, *state);
        return false;
    }
    pages = state_at(w.state.data);
    pages->total += weight;
    if (value == 0)
        pages->zeros += weight;
    *state = w.state;
    dd_widen_extremes(*state, (DdsketchExtremes){value + 0.0, value + 0.0});
    return true;
}
