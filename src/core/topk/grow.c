/*
 * grow.c - the sizes of working sketches: making, growing and purging them.
 */
#include "working.h"

/* A heap may have so many bytes for each counter before long items cost counters. */
#define HEAP_SHARE 128

static size_t
heap_share(uint32_t k)
{
    return (size_t)topk_counters_max(k) * HEAP_SHARE;
}

/* ---- sizes ---- */

/* Counters and slots of a value, and the bytes they and the header take. */
typedef struct Layout {
    uint32_t capacity;
    uint32_t slots;
    size_t bytes;
} Layout;

static Layout
layout_of(TopkType type, uint32_t capacity, uint32_t slots, bool bounded)
{
    return (Layout){capacity, slots,
                    index_offset(type, capacity, slots, bounded) + slots * sizeof(uint32_t)};
}

/*
 * The smallest layout with room for so many counters: they fill their chunks, and have no more room
 * than for the most that k allows. (After a union with a smaller k there may be more than these.)
 */
static Layout
choose_layout(TopkType type, uint32_t counters, uint32_t k, bool bounded)
{
    static const size_t small[] = {128, 200, 256, 512};
    uint32_t most = topk_counters_max(k);
    uint32_t capacity, slots;

    most = most > counters ? most : counters;
    for (unsigned i = 0; i < sizeof small / sizeof small[0]; i++) {
        capacity = (uint32_t)((small[i] - SKETCH_PREFIX_BYTES - HEADER) / tally_bytes(bounded));
        if (capacity >= counters)
            return layout_of(type, capacity, 0, bounded);
    }
    for (size_t chunk = 1024; chunk <= 4096; chunk *= 2) {
        slots = (uint32_t)chunk / 16;
        capacity = (uint32_t)((chunk - SKETCH_PREFIX_BYTES - slots * sizeof(uint32_t) -
                               index_offset(type, 0, slots, bounded)) /
                              tally_bytes(bounded));
        if (capacity >= counters)
            return layout_of(type, capacity, slots, bounded);
    }
    for (slots = 512;; slots *= 2)
        for (unsigned eighths = slots > 512 ? 9 : 12; eighths <= 12; eighths += 3) {
            capacity = slots / 16 * eighths;
            if (capacity >= counters)
                return layout_of(type, capacity < most ? capacity : most, slots, bounded);
        }
}

static SketchState
new_working(uint32_t k, TopkType type, Layout layout, bool bounded, size_t heap,
            const SketchMemory *memory)
{
    SketchState state = {.size = layout.bytes};
    uint8_t *data;

    if (type == TOPK_TEXT) {
        size_t chunk = 128;

        state.size += sizeof(uint32_t) + heap;
        while (chunk < state.size + SKETCH_PREFIX_BYTES)
            chunk *= 2;
        if (chunk <= 8192)
            state.size = chunk - SKETCH_PREFIX_BYTES;
    }
    state.data = data = memory->value(state.size, memory->context);
    memset(data, 0, HEADER);
    data[0] = SKETCH_TOPK;
    data[1] = topk_ops.version;
    data[2] = bounded ? TOPK_BOUNDED : TOPK_EXACT;
    data[3] = (uint8_t)type;
    *field_at(data, 20) = k;
    *field_at(data, 28) = layout.capacity;
    *field_at(data, 32) = layout.slots;
    if (has_stage(data))
        stage_of(data)->count = 0;
    memset(index_of(data), 0, layout.slots * sizeof(uint32_t));
    if (type == TOPK_TEXT)
        *used_at(data) = 0;
    return state;
}

SketchState
topk_new_working(uint32_t k, TopkType type, uint32_t counters, bool bounded, size_t heap,
                 const SketchMemory *memory)
{
    return new_working(k, type, choose_layout(type, counters, k, bounded), bounded, heap, memory);
}

#define TEXT_GUESS 16 /* bytes of an item's heap, before there are any */

SketchState
topk_new(uint32_t k, TopkType type, const SketchMemory *memory)
{
    Layout layout = choose_layout(type, 1, k, false);

    return new_working(k, type, layout, false, TEXT_GUESS * layout.capacity, memory);
}

/* Enters all counters into an index that is empty or out of date. */
static void
fill_index(uint8_t *data)
{
    const Tally *tallies = tallies_of(data);
    uint32_t slots = slots_of(data);
    uint32_t count = *counters_at(data);
    uint32_t *index = index_of(data);

    memset(index, 0, slots * sizeof *index);
    for (uint32_t i = 0; slots > 0 && i < count; i++) {
        uint32_t hash = word_hash(data, tallies[i].word);
        uint32_t at = hash & (slots - 1);

        while (index[at] != 0)
            at = (at + 1) & (slots - 1);
        index[at] = (hash & ~PLACE_MASK) | (i + 1);
    }
}

/* ---- purging ---- */

/* Moves what is kept of the heap to its front; counters lie in the order of their items there. */
static uint64_t
move_text(uint8_t *heap, uint64_t word, uint32_t *used)
{
    uint32_t bytes = text_length(heap, word) + (uint32_t)LENGTH_BYTES;
    uint64_t moved = (word & ~(uint64_t)UINT32_MAX) | *used;

    memmove(heap + *used, heap + (uint32_t)word, bytes);
    *used += bytes;
    return moved;
}

/*
 * Raises the floor of a bounded value to the highest upper bound that `keep` counters exceed, and
 * drops the others. Where so many are equal that next to none would be left, some that equal the
 * floor stay: a list of items that are all equally rare still has k of them.
 */
static void
purge(uint8_t *data, uint32_t keep, const SketchMemory *memory)
{
    Tally *tallies = tallies_of(data);
    uint64_t *deficits = deficits_of(data);
    uint32_t count = *counters_at(data);
    uint64_t *above = memory->scratch((size_t)count * sizeof *above, memory->context);
    uint32_t equals = keep < topk_packed_least(k_of(data)) ? keep : topk_packed_least(k_of(data));
    uint32_t kept = 0, used = 0;
    uint64_t rise;

    for (uint32_t i = 0; i < count; i++)
        above[i] = tallies[i].count - deficits[i];
    rise = topk_nth_largest(above, count, keep + 1);
    memory->release(above, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        bool more = tallies[i].count - deficits[i] > rise;

        equals -= more && equals > 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t height = tallies[i].count - deficits[i];

        if (height < rise || (height == rise && equals == 0))
            continue;
        equals -= height == rise;
        tallies[kept] = tallies[i];
        deficits[kept] = deficits[i] + rise;
        if (data[3] == TOPK_TEXT)
            tallies[kept].word = move_text(heap_of(data), tallies[i].word, &used);
        kept++;
    }
    if (data[3] == TOPK_TEXT)
        *used_at(data) = used;
    *counters_at(data) = kept;
    *floor_at(data) += rise;
    fill_index(data);
}

/* ---- growing ---- */

/* The same content with room for `counters`, and of a text for `heap` bytes, and deficits or not. */
static SketchState
regrow(const uint8_t *data, TopkType type, uint32_t counters, size_t heap, bool bounded,
       const SketchMemory *memory)
{
    Layout layout = choose_layout(type, counters, k_of(data), bounded);
    uint32_t count = *counters_at(data);
    SketchState grown;

    /* Room for more counters is of use with room for their items. */
    if (type == TOPK_TEXT) {
        size_t guess = (count > 0 ? heap / count + 1 : TEXT_GUESS) * layout.capacity;
        size_t share = heap_share(k_of(data));

        guess = guess < share ? guess : share;
        heap = heap > guess ? heap : guess;
    }
    grown = new_working(k_of(data), type, layout, bounded, heap, memory);
    *total_at(grown.data) = *total_at(data);
    *floor_at(grown.data) = *floor_at(data);
    *counters_at(grown.data) = count;
    memcpy(tallies_of(grown.data), tallies_of(data), count * sizeof(Tally));
    if (bounded && is_bounded(data))
        memcpy(deficits_of(grown.data), deficits_of(data), count * sizeof(uint64_t));
    else if (bounded)
        memset(deficits_of(grown.data), 0, count * sizeof(uint64_t));
    if (data[3] == TOPK_TEXT) {
        *used_at(grown.data) = *used_at(data);
        memcpy(heap_of(grown.data), heap_of(data), *used_at(data));
    }
    fill_index(grown.data);
    return grown;
}

static void
replace(SketchState *state, SketchState fresh, const uint8_t *original, const SketchMemory *memory)
{
    if (state->data != original)
        memory->release_value(state->data, memory->context);
    *state = fresh;
}

void
topk_convert(SketchState *state, TopkType type, bool bounded, const uint8_t *original,
             const SketchMemory *memory)
{
    uint8_t *data = state->data;

    bounded |= is_bounded(data);
    if (data[3] == type && is_bounded(data) == bounded)
        return;
    if (data[3] == TOPK_NONE && type == TOPK_BIGINT && is_bounded(data) == bounded &&
        slots_of(data) == 0)
        data[3] = TOPK_BIGINT;
    else
        replace(state,
                regrow(data, type, capacity_of(data), data[3] == TOPK_TEXT ? heap_room(*state) : 0,
                       bounded, memory),
                original, memory);
}

void
topk_make_room(SketchState *state, size_t bytes, const uint8_t *original,
               const SketchMemory *memory)
{
    uint32_t k = k_of(state->data);
    uint32_t most = topk_counters_max(k);
    bool text = state->data[3] == TOPK_TEXT;

    for (;;) {
        const uint8_t *data = state->data;
        uint32_t count = *counters_at(data);
        size_t heap = text ? *used_at(data) + bytes : 0;
        bool full = count >= capacity_of(data);
        bool long_items = heap > heap_share(k);

        if (!full && (!text || heap <= heap_room(*state)))
            return;
        if (count >= most || (long_items && count > 2 * topk_packed_least(k)) ||
            heap > TOPK_BYTES_MAX) {
            topk_convert(state, data[3], true, original, memory);
            purge(state->data, *counters_at(state->data) / 2, memory);
        } else {
            /* A heap that overflows before the counters do gets half as much again. */
            if (text && !full)
                heap += heap / 2;
            replace(state,
                    regrow(data, data[3], full ? count + 1 : capacity_of(data), heap,
                           is_bounded(data), memory),
                    original, memory);
        }
    }
}
