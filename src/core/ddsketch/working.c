/*
 * working.c - the working encodings: a list of values, and pages of counters.
 *
 * A sketch begins as a list of the values themselves, which costs nothing to extend. When it has
 * VALUES_BYTES, its values are counted: each octave or part of it that occurs gets a page, the
 * counters of the 16 buckets of a block, found by a hash table of page numbers. Pages of which all
 * counters became 0 stay until room is needed.
 */
#include "ddsketch_internal.h"

#include <math.h>

#define VALUES_LEAST 128 /* less would be left behind by most groups */
#define VALUES_BYTES 1024
#define PAGES_LEAST 512

/* ---- the list ---- */

static inline uint32_t
values_capacity(size_t size)
{
    return (uint32_t)((size + SKETCH_PREFIX_BYTES - sizeof(DdValues)) / sizeof(double));
}

SketchState
ddsketch_new(const DdsketchGrid *grid, const SketchMemory *memory)
{
    SketchState state;

    if (grid->mapping != DDSKETCH_EXPONENTIAL)
        return dd_new_pages(grid, false, 0, memory);
    state = state_new(SKETCH_DDSKETCH, DDSKETCH_VALUES, DDSKETCH_EXPONENTIAL, VALUES_LEAST,
                      sizeof(DdValues), memory);
    ((DdState *)state_at(state.data))->scale = (int8_t)grid->scale;
    return state;
}

/* The same list with room for more; of at most VALUES_BYTES. */
static void
grow_values(StateWriter *w)
{
    const DdValues *old = state_at(w->state.data);
    size_t used = sizeof *old + old->state.count * sizeof(double);
    SketchState grown =
        state_new(SKETCH_DDSKETCH, DDSKETCH_VALUES, DDSKETCH_EXPONENTIAL,
                  state_chunk(VALUES_LEAST, used + sizeof(double)), sizeof *old, w->memory);

    memcpy((uint8_t *)state_at(grown.data) + sizeof(StateHeader),
           (const uint8_t *)old + sizeof(StateHeader), used - sizeof(StateHeader));
    state_replace(w, grown);
}

/* ---- pages ---- */

/* How a chunk of memory is divided: an eighth of it is the directory. */
typedef struct Division {
    size_t bytes;
    uint32_t directory, capacity;
} Division;

static Division
divide(size_t bytes, bool wide)
{
    Division d = {.bytes = bytes, .directory = (uint32_t)(bytes / (wide ? 64 : 32))};

    d.capacity = (uint32_t)((bytes - sizeof(DdPages) - d.directory * sizeof(uint32_t)) /
                            (sizeof(int32_t) + (DDSKETCH_BLOCK * sizeof(uint32_t) << wide)));
    /* An even number of keys keeps the counters aligned. */
    d.capacity &= ~UINT32_C(1);
    return d;
}

/* Room for `pages` pages, or a few more. */
SketchState
dd_new_pages(const DdsketchGrid *grid, bool wide, uint32_t room, const SketchMemory *memory)
{
    Division d = divide(PAGES_LEAST, wide);
    SketchState state;
    DdPages *pages;

    while (d.capacity < room)
        d = divide(d.bytes * 2, wide);
    state = state_new(SKETCH_DDSKETCH, DDSKETCH_PAGES, (uint8_t)grid->mapping, d.bytes, d.bytes,
                      memory);
    pages = state_at(state.data);
    pages->state.scale = (int8_t)grid->scale;
    pages->state.wide = wide;
    pages->state.shift = (uint8_t)(32 - __builtin_ctz(d.directory));
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

bool
dd_state_is_sound(SketchBytes value)
{
    size_t bytes = value.size + SKETCH_PREFIX_BYTES;
    const DdState *state = state_at(value.data);
    const DdPages *pages = (const DdPages *)state;
    Division d;

    if (bytes < sizeof *state || state->header.hash > DDSKETCH_CUBIC ||
        state->scale < DDSKETCH_SCALE_MIN || state->scale > DDSKETCH_SCALE_MAX || state->wide > 1)
        return false;
    if (state->header.encoding == DDSKETCH_VALUES) {
        const double *values = ((const DdValues *)state)->values;

        if (state->header.hash != DDSKETCH_EXPONENTIAL ||
            state->count > values_capacity(value.size) || state->count > VALUES_BYTES)
            return false;
        for (uint32_t i = 0; i < state->count; i++)
            if (!isfinite(values[i]))
                return false;
        return true;
    }
    if (state->header.encoding != DDSKETCH_PAGES || bytes < PAGES_LEAST || bytes > (size_t)1 << 30)
        return false;
    d = divide(bytes, state->wide);
    return pages->directory == d.directory && pages->capacity == d.capacity &&
           state->count <= d.capacity && state->count <= DDSKETCH_BLOCKS_MAX &&
           pages->total <= DDSKETCH_TOTAL_MAX && pages->zeros <= pages->total &&
           (state->header.hash == DDSKETCH_EXPONENTIAL ||
            (pages->gamma > 1 && pages->gamma < 1e300 && isfinite(pages->offset)));
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

/* A page for a key that has none; there is room. */
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

/* The pages that are not empty, with room for `room` in all. */
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
    state_replace(w, fresh);
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
    /* If empty pages made the room, some more are left, lest this happens again soon. */
    rebuild(w, pages->state.wide, filled + more + filled / 4);
    return true;
}

/* ---- adding ---- */

bool
dd_add_block(StateWriter *w, const DdBlock *block, SketchError *error)
{
    int32_t key = dd_page_key(block->negative, block->number);
    DdPages *pages = state_at(w->state.data);
    uint32_t page = dd_find_page(pages, key);

    if (page == 0) {
        if (!dd_make_room(w, 1, error))
            return false;
        pages = state_at(w->state.data);
        page = new_page(pages, key);
    }
    add_counters(pages, page, block->counts);
    return true;
}

bool
dd_add_count(StateWriter *w, bool negative, int32_t index, uint64_t count, SketchError *error)
{
    DdBlock block = {.negative = negative, .number = index >> 4};

    block.counts[index & (DDSKETCH_BLOCK - 1)] = count;
    return dd_add_block(w, &block, error);
}

/* The blocks that the values of a list fill; at most one each. */
static bool
count_values(StateWriter *w, const DdValues *list, SketchError *error)
{
    for (uint32_t i = 0; i < list->state.count; i++) {
        double value = list->values[i];
        DdPages *pages = state_at(w->state.data);

        pages->total++;
        if (value == 0)
            pages->zeros++;
        else if (!dd_add_count(w, value < 0, ddsketch_index(fabs(value), list->state.scale), 1,
                               error))
            return false;
    }
    return true;
}

bool
dd_make_pages(StateWriter *w, uint64_t more, SketchError *error)
{
    DdState *state = state_at(w->state.data);
    uint64_t total =
        state->header.encoding == DDSKETCH_VALUES ? state->count : ((DdPages *)state)->total;
    bool wide;

    if (!dd_check_total(total, more, error))
        return false;
    wide = total + more > UINT32_MAX;
    if (state->header.encoding == DDSKETCH_VALUES) {
        StateWriter counted;
        DdsketchGrid grid;

        dd_state_grid(state, &grid);
        counted = (StateWriter){dd_new_pages(&grid, wide, 0, w->memory), NULL, w->memory, 0};
        count_values(&counted, (const DdValues *)state, error);
        state_replace(w, counted.state);
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
    if (s->header.encoding == DDSKETCH_VALUES) {
        if (s->count >= values_capacity(state.size) || magnitude >= UINT64_C(0x7ff) << 52)
            return false;
        ((DdValues *)s)->values[s->count++] = value;
        return true;
    }
    /* Normal numbers at scales that the table serves; the rest is rare. */
    if (magnitude - (UINT64_C(1) << 52) >= UINT64_C(0x7fe) << 52 || s->wide || s->scale > 8 ||
        s->header.hash != DDSKETCH_EXPONENTIAL || pages->total == UINT32_MAX) {
        if (magnitude != 0 || pages->total >= UINT32_MAX || s->header.hash != DDSKETCH_EXPONENTIAL)
            return false;
        pages->zeros++;
        pages->total++;
        return true;
    }
    index = ddsketch_index_8(magnitude) >> (8 - s->scale);
    page = dd_find_page(pages, dd_page_key(bits >> 63, index >> 4));
    if (page == 0)
        return false;
    ((uint32_t *)dd_counters(pages, page))[index & (DDSKETCH_BLOCK - 1)]++;
    pages->total++;
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
    DdPages *pages;

    if (!check_value(s, value, error))
        return false;
    if (weight == 0 || (weight == 1 && ddsketch_add(*state, value)))
        return true;
    if (s->header.encoding == DDSKETCH_VALUES && weight == 1 &&
        state->size + SKETCH_PREFIX_BYTES < VALUES_BYTES) {
        grow_values(&w);
        *state = w.state;
        return ddsketch_add(*state, value);
    }
    if (!dd_make_pages(&w, weight, error))
        return false;
    if (value != 0 &&
        !dd_add_count(&w, value < 0, ddsketch_index(fabs(value), s->scale), weight, error)) {
        state_replace(&w, *state);
        return false;
    }
    pages = state_at(w.state.data);
    pages->total += weight;
    if (value == 0)
        pages->zeros += weight;
    *state = w.state;
    return true;
}

/* ---- removing ---- */

static bool
refuse_missing(SketchError *error)
{
    return sketch_refuse(error, SKETCH_OUT_OF_RANGE, "There are not so many values in a bucket");
}

/* Takes `weight` values of one bucket off a list, all or none of them. */
static bool
remove_listed(DdValues *list, bool negative, bool zero, int32_t index, uint64_t weight)
{
    int scale = list->state.scale;
    uint32_t left = 0, taken = 0;

    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = left = taken = 0; i < list->state.count; i++) {
            double value = list->values[i];

            if (taken < weight && (zero ? value == 0
                                        : value != 0 && (value < 0) == negative &&
                                              ddsketch_index(fabs(value), scale) == index))
                taken++;
            else if (round == 1)
                list->values[left++] = value;
        }
        if (taken < weight)
            return false;
    }
    list->state.count = left;
    return true;
}

static bool
remove_counted(DdPages *pages, bool negative, bool zero, int32_t index, uint64_t weight)
{
    uint32_t page;

    if (zero) {
        if (pages->zeros < weight)
            return false;
        pages->zeros -= weight;
    } else {
        unsigned at = index & (DDSKETCH_BLOCK - 1);

        page = dd_find_page(pages, dd_page_key(negative, index >> 4));
        if (page == 0)
            return false;
        if (pages->state.wide) {
            uint64_t *counter = (uint64_t *)dd_counters(pages, page) + at;

            if (*counter < weight)
                return false;
            *counter -= weight;
        } else {
            uint32_t *counter = (uint32_t *)dd_counters(pages, page) + at;

            if (*counter < weight)
                return false;
            *counter -= (uint32_t)weight;
        }
    }
    pages->total -= weight;
    return true;
}

bool
ddsketch_remove(SketchState *state, double value, uint64_t weight, const SketchMemory *memory,
                SketchError *error)
{
    DdState *s = state_at(state->data);
    int32_t index;
    bool removed;

    (void)memory;
    if (!check_value(s, value, error))
        return false;
    index = value == 0 ? 0 : ddsketch_index(fabs(value), s->scale);
    removed = s->header.encoding == DDSKETCH_VALUES
                  ? remove_listed((DdValues *)s, value < 0, value == 0, index, weight)
                  : remove_counted((DdPages *)s, value < 0, value == 0, index, weight);
    return removed || refuse_missing(error);
}
