/*
 * place.c - states: their memory, and containers that are put into them, each where it belongs.
 */
#include "core/common/polled.h"
#include "working.h"

#define MIN_CHUNK_BYTES 64
#define MAX_CHUNK_BYTES 8192      /* the allocator's largest power of two */
#define SLACK_BYTES_MAX (1 << 20) /* larger states get half of their bytes as free space */

/*
 * A bitset is checked for being full after a container of this many values was merged: that costs
 * little compared with the merge, since the check ends at the first words that are not.
 */
#define MIN_FULL_CHECK_VALUES 32

/* ---- memory ---- */

SketchState
roaring_new_working(SketchKind kind, bool parity, RoaringSpace need, const SketchMemory *memory)
{
    size_t needed =
        sizeof(RoaringState) +
        (need.entries > 0 ? sizeof(RoaringDirectory) + need.entries * sizeof(RoaringEntry) : 0) +
        need.bitsets * ROARING_BITSET_BYTES + need.values * (kind == SKETCH_ROARING ? 4 : 8) +
        need.list_bytes;
    size_t chunk =
        needed <= MAX_CHUNK_BYTES ? state_chunk(MIN_CHUNK_BYTES, needed) : (needed + 7) / 8 * 8;
    SketchState state =
        state_new((uint8_t)kind, ROARING_WORKING, parity, chunk, sizeof(RoaringState), memory);

    roaring_state(state.data)->entry_slots = (uint32_t)need.entries;
    roaring_state(state.data)->bitset_slots = (uint32_t)need.bitsets;
    if (need.entries > 0) {
        *roaring_directory(state.data) = (RoaringDirectory){.entries = 0};
        /* roaring_set_bit reads the first key, and uses it only if there is one. */
        roaring_directory(state.data)->entry[0].key = 0;
    }
    roaring_set_count(state.data, 0);
    roaring_state(state.data)->end = (uint32_t)state.size;
    return state;
}

SketchState
roaring_new(SketchKind kind, bool parity, const SketchMemory *memory)
{
    return roaring_new_working(kind, parity, (RoaringSpace){.values = 1}, memory);
}

RoaringSpace
roaring_with_slack(SketchKind kind, RoaringSpace need)
{
    size_t bytes = need.values * (kind == SKETCH_ROARING ? 4 : 8) +
                   need.bitsets * ROARING_BITSET_BYTES + need.list_bytes;

    need.list_bytes +=
        (bytes < SLACK_BYTES_MAX ? bytes : bytes / 2) + need.entries * sizeof(RoaringEntry) / 4;
    need.entries += need.entries / 4;
    need.bitsets += need.bitsets / 4;
    return need;
}

uint64_t *
roaring_add_bitset(SketchState state, RoaringEntry *entry)
{
    entry->bitset = roaring_directory(state.data)->bitsets++;
    return roaring_bitset(state.data, entry->bitset);
}

uint8_t *
roaring_add_list(SketchState state, RoaringEntry *entry, uint32_t count)
{
    uint32_t *end = &roaring_state(state.data)->end;
    uint32_t total = count + roaring_list_total(sketch_bytes(state), entry);
    RoaringList *list;

    *end -= (uint32_t)roaring_list_bytes(count);
    list = (RoaringList *)(state.data + *end);
    *list = (RoaringList){
        .next = entry->list,
        .count = (uint16_t)count,
        .total = total < UINT16_MAX ? (uint16_t)total : UINT16_MAX,
    };
    entry->list = (uint32_t)(state.size - *end);
    return list->lows;
}

/* ---- containers ---- */

RoaringMerge
roaring_merge_begin(SketchState state, size_t bitsets, bool certain, uint32_t list_max)
{
    return (RoaringMerge){state, roaring_entries(state.data), 0, bitsets, certain, list_max};
}

RoaringEntry *
roaring_merge_entry(RoaringMerge *merge, uint64_t key)
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
void
roaring_merge_end(const RoaringMerge *merge, const SketchMemory *memory)
{
    RoaringEntry *entries = roaring_directory(merge->state.data)->entry, *old;
    uint32_t count = roaring_entries(merge->state.data), i = 0, j = merge->before;

    if (j == 0 || j == count || entries[j - 1].key < entries[j].key)
        return;
    old = memory->scratch(merge->before * sizeof64(*old), memory->context);
    memcpy(old, entries, merge->before * sizeof *old);
    for (uint32_t to = 0; i < merge->before; to++)
        entries[to] = j < count && entries[j].key < old[i].key ? entries[j++] : old[i++];
    memory->release(old, memory->context);
}

/* Destination of a merged container. */
typedef enum Place {
    PLACE_NONE, /* its values are there already */
    PLACE_VALUES,
    PLACE_LIST,
    PLACE_LONG_LIST, /* a bitset takes less room, if there is one */
    PLACE_BITSET,
    PLACE_NEW_BITSET,
    PLACE_FULL
} Place;

static Place
place_of(const RoaringMerge *merge, const RoaringEntry *entry, const RoaringContainer *container)
{
    const uint8_t *data = merge->state.data;
    bool is_words = container->form == ROARING_WORDS;

    if (entry && entry->bitset == ROARING_FULL)
        return PLACE_NONE;
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
 * A packed set has a key once. Another state may have it in several lists, each of which may change
 * the place of the next. So unless places are certain, an entry is counted even if there is one,
 * and a long list counts both as a list and as a bitset.
 */
void
roaring_merge_need(RoaringMerge *merge, RoaringSpace *need, const RoaringContainer *container)
{
    const RoaringEntry *entry = roaring_merge_entry(merge, container->key);
    Place place = place_of(merge, entry, container);

    merge->bitsets += place == PLACE_NEW_BITSET;
    if (place == PLACE_VALUES)
        need->values += container->cardinality;
    else if (place != PLACE_NONE && place != PLACE_BITSET)
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
has_free_bitset(const RoaringMerge *merge)
{
    const uint8_t *data = merge->state.data;

    return roaring_bitsets(data) + merge->bitsets < roaring_state(data)->bitset_slots;
}

/* `entry` is that of the container, or NULL. */
void
roaring_merge_container(RoaringMerge *merge, RoaringEntry *entry, const RoaringContainer *container)
{
    SketchState state = merge->state;
    Place place = place_of(merge, entry, container);
    uint64_t *bitset;

    if (place == PLACE_NONE)
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
    if (container->cardinality >= MIN_FULL_CHECK_VALUES &&
        roaring_change(state.data) == ROARING_SET && roaring_bitset_is_full(bitset))
        entry->bitset = ROARING_FULL;
}

SketchState
roaring_state_of(SketchBytes like, const RoaringContainer *containers, size_t count,
                 RoaringSpace need, const SketchMemory *memory)
{
    SketchKind kind = (SketchKind)like.data[0];
    bool parity = roaring_state(like.data)->header.hash;
    SketchState state = roaring_new(kind, parity, memory);
    uint8_t *empty = state.data;
    RoaringMerge merge = roaring_merge_begin(state, 0, true, ROARING_ARRAY_MAX);

    POLLED_FOR (i, 0, count, 4, memory)
        roaring_merge_need(&merge, &need, containers + i);
    need.entries += need.entries == 0; /* the directory holds how many values are sorted */
    state = roaring_new_working(kind, parity, roaring_with_slack(kind, need), memory);
    memory->release_value(empty, memory->context);
    merge = roaring_merge_begin(state, merge.bitsets, true, ROARING_ARRAY_MAX);
    POLLED_FOR (i, 0, count, 64, memory)
        roaring_merge_container(&merge, NULL, containers + i);
    roaring_set_sorted(state.data, roaring_count(state.data));
    return state;
}
