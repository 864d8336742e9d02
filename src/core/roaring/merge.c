/* merge.c - states: opening, merging, and making one of containers. */
#include "core/common/polled.h"
#include "working.h"

/*
 * From this many values on, checking for a full bitset costs little compared with the merge: it
 * ends at the first words that are not.
 */
#define LOOK_FROM 32

/* ---- merging ---- */

/*
 * The containers to merge come in ascending order. The search for an entry goes on from the last
 * one; new entries go behind the old ones, and merge_end puts all in order.
 */
typedef struct Merge {
    SketchState state;
    uint32_t before;   /* entries */
    uint32_t place;    /* the first of them that is not below the last key */
    size_t bitsets;    /* for containers that have no other place */
    bool certain;      /* the place of a container is the one it had when its need was counted */
    uint32_t list_max; /* values of a list at most */
} Merge;

static Merge
merge_begin(SketchState state, size_t bitsets, bool certain, uint32_t list_max)
{
    return (Merge){state, roaring_entries(state.data), 0, bitsets, certain, list_max};
}

static RoaringEntry *
find_entry(Merge *merge, uint64_t key)
{
    RoaringDirectory *directory = roaring_directory(merge->state.data);
    uint32_t last = roaring_entries(merge->state.data);

    while (merge->place < merge->before && directory->entry[merge->place].key < key)
        merge->place++;
    if (merge->place < merge->before && directory->entry[merge->place].key == key)
        return &directory->entry[merge->place];
    if (last > merge->before && directory->entry[last - 1].key == key)
        return &directory->entry[last - 1];
    return NULL;
}

static RoaringEntry *
new_entry(uint8_t *data, uint64_t key)
{
    RoaringDirectory *directory = roaring_directory(data);
    RoaringEntry *entry = &directory->entry[directory->entries++];

    *entry = (RoaringEntry){.key = key, .bitset = ROARING_NO_BITSET};
    return entry;
}

/* Merges the old entries and the new ones, each of which are in order. */
static void
merge_end(const Merge *merge, const SketchMemory *memory)
{
    RoaringEntry *entries = roaring_directory(merge->state.data)->entry, *old;
    uint32_t count = roaring_entries(merge->state.data), i = 0, j = merge->before;

    if (j == 0 || j == count || entries[j - 1].key < entries[j].key)
        return;
    old = memory->scratch(merge->before * sizeof *old, memory->context);
    memcpy(old, entries, merge->before * sizeof *old);
    for (uint32_t to = 0; i < merge->before; to++)
        entries[to] = j < count && entries[j].key < old[i].key ? entries[j++] : old[i++];
    memory->release(old, memory->context);
}

/* Destination of a merged container. */
typedef enum Place {
    PLACE_NOWHERE, /* its values are there */
    PLACE_VALUES,
    PLACE_LIST,
    PLACE_LONG_LIST, /* a bitset takes less room, if there is one */
    PLACE_BITSET,
    PLACE_NEW_BITSET,
    PLACE_FULL
} Place;

static Place
place_of(const Merge *merge, const RoaringEntry *entry, const RoaringContainer *container)
{
    const uint8_t *data = merge->state.data;
    bool is_words = container->form == ROARING_WORDS;

    if (entry && entry->bitset == ROARING_FULL)
        return PLACE_NOWHERE;
    if (container->cardinality == 65536 && roaring_change(data) == ROARING_SET)
        return PLACE_FULL;
    if (entry && entry->bitset != ROARING_NO_BITSET)
        return PLACE_BITSET;
    if (is_words || container->cardinality > merge->list_max)
        return PLACE_NEW_BITSET;
    if (container->cardinality < roaring_list_worth(data))
        return PLACE_VALUES;
    if (entry && roaring_list_total(sketch_bytes(merge->state), entry) + container->cardinality >
                     ROARING_ARRAY_MAX)
        return PLACE_LONG_LIST;
    return PLACE_LIST;
}

/*
 * A packed set has a container once. Another state may have it in several lists, of which each may
 * change the place of the next. So unless places are certain an entry is counted even if there is
 * one, and for a long list room is counted both as a list and as a bitset.
 */
static void
add_need(Merge *merge, RoaringNeed *need, const RoaringContainer *container)
{
    const RoaringEntry *entry = find_entry(merge, container->key);
    Place place = place_of(merge, entry, container);

    merge->bitsets += place == PLACE_NEW_BITSET;
    if (place == PLACE_VALUES)
        need->values += container->cardinality;
    else if (place != PLACE_NOWHERE && place != PLACE_BITSET)
        need->entries += !merge->certain || !entry;
    need->bitsets += place == PLACE_NEW_BITSET || place == PLACE_LONG_LIST;
    if (place == PLACE_LIST || (place == PLACE_LONG_LIST && !merge->certain))
        need->list_bytes += roaring_list_bytes(container->cardinality);
}

static void
add_values(SketchState state, const RoaringContainer *container)
{
    uint64_t high = container->key << 16;
    uint16_t lows[ROARING_LIST_WORTH_MAX];
    uint32_t count;

    if (container->form != ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count; i++)
            roaring_push(state, high | roaring_listed(container, i));
        return;
    }
    count = roaring_decode(container, lows);
    for (uint32_t i = 0; i < count; i++)
        roaring_push(state, high | lows[i]);
}

static void
add_list(SketchState state, RoaringEntry *entry, const RoaringContainer *container)
{
    uint8_t *to = roaring_add_list(state, entry, container->cardinality);
    uint16_t lows[ROARING_ARRAY_MAX];
    uint32_t count;

    if (container->form == ROARING_ARRAY) {
        memcpy(to, container->data, roaring_container_bytes(container));
        return;
    }
    if (container->form != ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count; i++)
            roaring_put_low(to, i, roaring_listed(container, i));
        return;
    }
    count = roaring_decode(container, lows);
    for (uint32_t i = 0; i < container->cardinality; i++)
        roaring_put_low(to, i, i < count ? lows[i] : 0); /* a damaged container may have fewer */
}

/* The lists of a container that becomes a bitset go into it. */
static void
add_bitset(SketchState state, RoaringEntry *entry, const RoaringContainer *container)
{
    uint64_t *bitset = roaring_add_bitset(state, entry);

    roaring_load_bitset(bitset, container);
    for (uint32_t list = entry->list; list != 0;) {
        const RoaringList *here = roaring_list(sketch_bytes(state), list);
        RoaringContainer lows = roaring_list_container(entry->key, here);

        roaring_change_bitset(bitset, &lows, roaring_change(state.data));
        list = here->next;
    }
    entry->list = 0;
}

/* Returns true if there is a bitset beyond those for containers that have no other place. */
static bool
has_free_bitset(const Merge *merge)
{
    const uint8_t *data = merge->state.data;

    return roaring_bitsets(data) + merge->bitsets < roaring_state(data)->bitset_slots;
}

/* `entry` is that of the container, or NULL. */
static void
merge_container(Merge *merge, RoaringEntry *entry, const RoaringContainer *container)
{
    SketchState state = merge->state;
    Place place = place_of(merge, entry, container);
    uint64_t *bitset;

    if (place == PLACE_NOWHERE)
        return;
    if (place == PLACE_VALUES) {
        add_values(state, container);
        return;
    }
    if (!entry)
        entry = new_entry(state.data, container->key);
    if (place == PLACE_NEW_BITSET)
        merge->bitsets--;
    if (place == PLACE_LONG_LIST)
        place = merge->certain || has_free_bitset(merge) ? PLACE_NEW_BITSET : PLACE_LIST;
    if (place == PLACE_LIST) {
        add_list(state, entry, container);
        return;
    }
    roaring_set_sorted(state.data, 0); /* values of this container may be waiting */
    if (place == PLACE_FULL) {
        /* A bitset that it had stays behind, unused. */
        *entry = (RoaringEntry){.key = container->key, .bitset = ROARING_FULL};
        return;
    }
    if (place == PLACE_NEW_BITSET)
        add_bitset(state, entry, container);
    else
        roaring_change_bitset(roaring_bitset(state.data, entry->bitset), container,
                              roaring_change(state.data));
    bitset = roaring_bitset(state.data, entry->bitset);
    /* Nothing needs to be merged into a full one. */
    if (container->cardinality >= LOOK_FROM && roaring_change(state.data) == ROARING_SET &&
        roaring_bitset_is_full(bitset))
        entry->bitset = ROARING_FULL;
}

/* ---- packed sets ---- */

/* Sums the space for the containers of a packed value from a cursor; false for a damaged one. */
static bool
need_of_packed(SketchState state, RoaringCursor cursor, uint32_t list_max, RoaringNeed *need,
               size_t *bitsets)
{
    RoaringContainer container;
    Merge merge = merge_begin(state, 0, true, list_max);

    *need = (RoaringNeed){.values = 0};
    while (roaring_next(&cursor, &container))
        add_need(&merge, need, &container);
    *bitsets = merge.bitsets;
    return !cursor.damaged;
}

/* Merges them, after they were read once. */
static void
add_packed(SketchState state, RoaringCursor cursor, uint32_t list_max, size_t bitsets)
{
    RoaringContainer container;
    Merge merge = merge_begin(state, bitsets, true, list_max);

    while (roaring_next(&cursor, &container))
        merge_container(&merge, find_entry(&merge, container.key), &container);
    merge_end(&merge, cursor.memory);
}

/* Merges containers as long as they need no room because there is a bitset, or all values are. */
static void
add_to_bitsets(SketchState state, RoaringCursor *cursor)
{
    RoaringContainer container;
    Merge merge = merge_begin(state, 0, true, ROARING_ARRAY_MAX);

    while (roaring_next(cursor, &container)) {
        RoaringEntry *entry = find_entry(&merge, container.key);

        if (!entry || entry->bitset == ROARING_NO_BITSET) {
            roaring_unread(cursor, &container);
            return;
        }
        merge_container(&merge, entry, &container);
    }
}

/* In a union of many all containers soon have bitsets, and a value is read once, not twice. */
static bool
merge_packed(StateWriter *w, SketchBytes other)
{
    RoaringCursor cursor = roaring_cursor(other, false, w->memory);
    RoaringNeed need;
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
    RoaringNeed need;
    Merge merge;
    Parts parts;

    do {
        merge = merge_begin(w->state, 0, false, ROARING_ARRAY_MAX);
        need = (RoaringNeed){.values = count};
        for (parts = (Parts){.state = other}; next_part(&parts, &container);) {
            state_poll(w, 32);
            add_need(&merge, &need, &container);
        }
    } while (roaring_make_room(w, need));
    merge = merge_begin(w->state, merge.bitsets, false, ROARING_ARRAY_MAX);
    for (parts = (Parts){.state = other}; next_part(&parts, &container);) {
        state_poll(w, ROARING_BITSET_WORDS);
        merge_container(&merge, find_entry(&merge, container.key), &container);
    }
    merge_end(&merge, w->memory);
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

/* ---- making a state of containers ---- */

SketchState
roaring_state_of(SketchBytes like, const RoaringContainer *containers, size_t count,
                 RoaringNeed need, const SketchMemory *memory)
{
    SketchKind kind = (SketchKind)like.data[0];
    bool parity = roaring_state(like.data)->header.hash;
    SketchState state = roaring_new(kind, parity, memory);
    uint8_t *empty = state.data;
    Merge merge = merge_begin(state, 0, true, ROARING_ARRAY_MAX);

    POLLED_FOR (i, 0, count, 4, memory)
        add_need(&merge, &need, containers + i);
    need.entries += need.entries == 0; /* a directory tells how many values are sorted */
    state = roaring_new_working(kind, parity, roaring_with_slack(kind, need), memory);
    memory->release_value(empty, memory->context);
    merge = merge_begin(state, merge.bitsets, true, ROARING_ARRAY_MAX);
    POLLED_FOR (i, 0, count, 64, memory)
        merge_container(&merge, NULL, containers + i);
    roaring_set_sorted(state.data, roaring_count(state.data));
    return state;
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
    RoaringNeed need;
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
