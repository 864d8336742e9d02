/*
 * merge.c - states: opening and merging.
 */
#include "core/common/polled.h"
#include "working.h"

/* ---- packed sets ---- */

/* Sums the space for the containers of a packed value from a cursor; false for a damaged one. */
static bool
need_of_packed(SketchState state, RoaringCursor cursor, uint32_t list_max, RoaringSpace *need,
               size_t *bitsets)
{
    RoaringContainer container;
    RoaringMerge merge = roaring_merge_begin(state, 0, true, list_max);

    *need = (RoaringSpace){.values = 0};
    while (roaring_next(&cursor, &container))
        roaring_merge_need(&merge, need, &container);
    *bitsets = merge.bitsets;
    return !cursor.damaged;
}

/* Merges a packed value from a cursor; need_of_packed has read it once, and there is space. */
static void
add_packed(SketchState state, RoaringCursor cursor, uint32_t list_max, size_t bitsets)
{
    RoaringContainer container;
    RoaringMerge merge = roaring_merge_begin(state, bitsets, true, list_max);

    while (roaring_next(&cursor, &container))
        roaring_merge_container(&merge, roaring_merge_entry(&merge, container.key), &container);
    roaring_merge_end(&merge, cursor.memory);
}

/* Merges containers as long as they need no room: their entry has a bitset, or is full. */
static void
add_to_bitsets(SketchState state, RoaringCursor *cursor)
{
    RoaringContainer container;
    RoaringMerge merge = roaring_merge_begin(state, 0, true, ROARING_ARRAY_MAX);

    while (roaring_next(cursor, &container)) {
        RoaringEntry *entry = roaring_merge_entry(&merge, container.key);

        if (!entry || entry->bitset == ROARING_NO_BITSET) {
            roaring_unread(cursor, &container);
            return;
        }
        roaring_merge_container(&merge, entry, &container);
    }
}

/* In a union of many, containers soon have bitsets, and a value is then read once, not twice. */
static bool
merge_packed(StateWriter *w, SketchBytes other)
{
    RoaringCursor cursor = roaring_cursor(other, false, w->memory);
    RoaringSpace need;
    size_t bitsets;

    add_to_bitsets(w->state, &cursor);
    do
        if (!need_of_packed(w->state, cursor, ROARING_ARRAY_MAX, &need, &bitsets))
            return false;
    while (roaring_make_room(w, need));
    add_packed(w->state, cursor, ROARING_ARRAY_MAX, bitsets);
    return true;
}

/* ---- working sets ---- */

/* The parts of a state one by one: bits, full containers and single lists. */
typedef struct Parts {
    SketchBytes state;
    uint32_t entry;
    uint32_t list; /* the next one of the entry before */
} Parts;

static bool
next_part(Parts *parts, RoaringContainer *container)
{
    const uint8_t *data = parts->state.data;
    const RoaringEntry *entry = roaring_directory(data)->entry + parts->entry;

    while (parts->list == 0) {
        if (parts->entry == roaring_entries(data))
            return false;
        parts->entry++;
        parts->list = entry->list;
        if (entry->bitset == ROARING_FULL) {
            *container = roaring_full_container(entry->key);
            return true;
        }
        if (entry->bitset != ROARING_NO_BITSET) {
            *container =
                (RoaringContainer){.key = entry->key,
                                   .form = ROARING_WORDS,
                                   .data = (const uint8_t *)roaring_bitset(data, entry->bitset)};
            return true;
        }
        entry++;
    }
    *container = roaring_list_container(entry[-1].key, roaring_list(parts->state, parts->list));
    parts->list = roaring_list(parts->state, parts->list)->next;
    return true;
}

/* Merges a state that counts in the same way. */
static void
merge_parts(StateWriter *w, SketchBytes other)
{
    const uint8_t *values = other.data + roaring_values_at(other.data);
    uint32_t count = roaring_count(other.data);
    RoaringContainer container;
    RoaringSpace need;
    RoaringMerge merge;
    Parts parts;

    do {
        merge = roaring_merge_begin(w->state, 0, false, ROARING_ARRAY_MAX);
        need = (RoaringSpace){.values = count};
        for (parts = (Parts){.state = other}; next_part(&parts, &container);) {
            state_poll(w, 32);
            roaring_merge_need(&merge, &need, &container);
        }
    } while (roaring_make_room(w, need));
    merge = roaring_merge_begin(w->state, merge.bitsets, false, ROARING_ARRAY_MAX);
    for (parts = (Parts){.state = other}; next_part(&parts, &container);) {
        state_poll(w, ROARING_BITSET_WORDS);
        roaring_merge_container(&merge, roaring_merge_entry(&merge, container.key), &container);
    }
    roaring_merge_end(&merge, w->memory);
    polled_copy(w->state.data + roaring_state(w->state.data)->next, values,
                count * roaring_value_bytes(other.data), w->memory);
    roaring_set_count(w->state.data, roaring_count(w->state.data) + count);
}

static bool
merge_working(StateWriter *w, SketchBytes other)
{
    SketchBytes packed;

    if (!roaring_is_state(other))
        return false;
    if (roaring_change(w->state.data) == roaring_change(other.data)) {
        merge_parts(w, other);
        return true;
    }
    packed = roaring_pack(other, w->memory);
    merge_packed(w, packed);
    w->memory->release_value((uint8_t *)packed.data, w->memory->context);
    return true;
}

bool
roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    bool good = sketch_is_working(other.data) ? merge_working(&w, other) : merge_packed(&w, other);

    *state = w.state;
    return good || sketch_refuse_damaged(error);
}

/* ---- opening ---- */

/*
 * In a union of many what follows is likely to be as large as the first value: a list more than
 * half as long as it may be would become a bitset with the next value. Room for an eighth more of
 * bitsets and lists keeps bitsets from moving for the sake of a list.
 */
#define MANY_LIST_MAX (ROARING_ARRAY_MAX / 2)
#define MANY_SPARE 8

/* A working copy for a union of `many`, or as small as it can be. */
static SketchState
open_for(bool many, SketchBytes value, const SketchMemory *memory)
{
    const uint32_t list_max = many ? MANY_LIST_MAX : ROARING_ARRAY_MAX;
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    const SketchState none = {NULL, 0};
    SketchState state;
    RoaringSpace need;
    size_t bitsets, spare;
    uint8_t *empty;
    bool good;

    if (sketch_is_working(value.data))
        return roaring_is_state(value) ? state_copy(value, sizeof(RoaringState), memory) : none;
    state = roaring_new(value.data[0], false, memory);
    empty = state.data;
    good = need_of_packed(state, cursor, list_max, &need, &bitsets);
    if (good) {
        spare = many ? need.bitsets / MANY_SPARE : 0;
        need.entries += spare;
        need.bitsets += spare;
        need.list_bytes += spare * ROARING_BITSET_BYTES;
        state = roaring_new_working(value.data[0], false, need, memory);
    }
    memory->release_value(empty, memory->context);
    if (!good)
        return none;
    add_packed(state, cursor, list_max, bitsets);
    return state;
}

SketchState
roaring_open(SketchBytes value, const SketchMemory *memory)
{
    return open_for(false, value, memory);
}

SketchState
roaring_open_many(SketchBytes value, const SketchMemory *memory)
{
    return open_for(true, value, memory);
}
