/*
 * merge.c - sets as operands: merging, opening and packing states.
 */
#include "working.h"

/* A copy that fits what is there. */
static SketchState
copy_working(SketchBytes value, const SketchMemory *memory)
{
    SketchState copy = {memory->value(value.size, memory->context), value.size};

    memcpy(copy.data, value.data, value.size);
    return copy;
}

/* ---- merging ---- */

/*
 * A merge comes with containers in ascending order. It finds the entries that were there before by
 * steps, and puts new ones behind them, to be put in order once at the end.
 */
typedef struct Merge {
    SketchState state;
    uint32_t before; /* entries */
    uint32_t place;  /* of them, which are not below the last key */
} Merge;

static Merge
merge_begin(SketchState state)
{
    return (Merge){state, entries_in(state.data), 0};
}

static Entry *
find_entry(Merge *merge, uint64_t key)
{
    Directory *directory = directory_of(merge->state.data);

    while (merge->place < merge->before && directory->entry[merge->place].key < key)
        merge->place++;
    return merge->place < merge->before && directory->entry[merge->place].key == key
               ? &directory->entry[merge->place]
               : NULL;
}

static Entry *
new_entry(uint8_t *data)
{
    Directory *directory = directory_of(data);

    *sorted_at(data) = 0; /* values of this container may be waiting */
    return &directory->entry[directory->entries++];
}

/* Puts in order the old entries and the new ones, both of which are. */
static void
merge_end(const Merge *merge, const SketchMemory *memory)
{
    uint8_t *data = merge->state.data;
    Entry *entries = directory_of(data)->entry, *old;
    uint32_t count = entries_in(data), i = 0, j = merge->before;

    if (j == 0 || j == count || entries[j - 1].key < entries[j].key)
        return;
    old = memory->scratch(merge->before * sizeof *old, memory->context);
    memcpy(old, entries, merge->before * sizeof *old);
    for (uint32_t to = 0; i < merge->before; to++)
        entries[to] = j < count && entries[j].key < old[i].key ? entries[j++] : old[i++];
    memory->release(old, memory->context);
}

static bool
is_full(const uint8_t *data, const RoaringContainer *container)
{
    return container->cardinality == 65536 && change_of(data) == PAGE_SET;
}

/* For a container that is worth a page, or has an entry. */
static void
merge_large(Merge *merge, Entry *entry, const RoaringContainer *container)
{
    uint8_t *data = merge->state.data;

    if (is_full(data, container)) {
        /* A page that it had stays behind, unused. */
        *(entry ? entry : new_entry(data)) = (Entry){.key = container->key, .page = FULL};
        return;
    }
    if (!entry)
        new_page(data, entry = new_entry(data), container->key);
    if (entry->page != FULL)
        page_change(page_of(data, entry->page), container, change_of(data));
}

/* All values of a container. */
static RoaringContainer
full_container(uint64_t key)
{
    static const uint8_t run[] = {0, 0, 0xff, 0xff};

    return (RoaringContainer){
        .key = key, .form = ROARING_RUNS, .count = 1, .cardinality = 65536, .data = run};
}

static RoaringContainer
entry_container(const uint8_t *data, const Entry *entry)
{
    if (entry->page == FULL)
        return full_container(entry->key);
    return (RoaringContainer){.key = entry->key,
                              .form = ROARING_BITSET,
                              .data = (const uint8_t *)page_of(data, entry->page)};
}

static void
merge_sound(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    uint32_t entries = entries_in(other.data), count = *count_at(other.data);
    Merge merge;

    roaring_make_room(state, count, entries,
                      change_of(state->data) == PAGE_SET ? pages_in(other.data) : entries, memory);
    merge = merge_begin(*state);
    for (uint32_t i = 0; i < entries; i++) {
        const Entry *entry = &directory_of(other.data)->entry[i];
        RoaringContainer container = entry_container(other.data, entry);

        merge_large(&merge, find_entry(&merge, entry->key), &container);
    }
    merge_end(&merge, memory);
    for (uint32_t i = 0; i < count; i++)
        roaring_push(*state, get_value(other.data, i));
}

static bool
merge_working(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    SketchState copy;

    if (!roaring_working_is_sound(other))
        return false;
    if (state->data[3] == other.data[3]) {
        merge_sound(state, other, memory);
        return true;
    }
    /* A value that waits twice is in one of the two sets, and not in the other. */
    copy = copy_working(other, memory);
    roaring_settle(copy, memory);
    merge_sound(state, sketch_bytes(copy), memory);
    memory->release_value(copy.data, memory->context);
    return true;
}

/* Room for a packed value; false for a damaged one. */
static bool
make_room_for_packed(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    RoaringCursor cursor = roaring_cursor(other, false);
    RoaringContainer container;
    Merge merge = merge_begin(*state);
    size_t values = 0, entries = 0, pages = 0;

    while (roaring_next(&cursor, &container)) {
        if (find_entry(&merge, container.key))
            continue;
        if (container.cardinality < page_worth(state->data))
            values += container.cardinality;
        else {
            entries++;
            pages += !is_full(state->data, &container);
        }
    }
    if (cursor.damaged)
        return false;
    roaring_make_room(state, values, entries, pages, memory);
    return true;
}

/* Bits and runs of a small container, one by one; not more than `limit` of them. */
static void
append_values(SketchState state, const RoaringContainer *container)
{
    uint64_t high = container->key << 16;

    if (container->form == ROARING_ARRAY) {
        for (uint32_t i = 0; i < container->count; i++)
            roaring_push(state, high | load_le16(container->data + (size_t)i * 2));
        return;
    }
    for (uint32_t i = 0; i < container->count; i++) {
        uint32_t first = load_le16(container->data + (size_t)i * 4);
        uint32_t last = first + load_le16(container->data + (size_t)i * 4 + 2);

        /* Pushing beyond the room there is, as a damaged value may ask, does nothing. */
        for (uint32_t low = first; low <= last && low <= 65535; low++)
            roaring_push(state, high | low);
    }
}

static bool
merge_packed(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    RoaringCursor cursor = roaring_cursor(other, false);
    RoaringContainer container;
    Merge merge;

    if (!make_room_for_packed(state, other, memory))
        return false;
    merge = merge_begin(*state);
    while (roaring_next(&cursor, &container)) {
        Entry *entry = find_entry(&merge, container.key);

        if (entry || container.cardinality >= page_worth(state->data))
            merge_large(&merge, entry, &container);
        else
            append_values(*state, &container);
    }
    merge_end(&merge, memory);
    return true;
}

bool
roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    if (!roaring_working_is_sound(sketch_bytes(*state)) ||
        !(sketch_is_working(other.data) ? merge_working(state, other, memory)
                                        : merge_packed(state, other, memory)))
        return sketch_refuse_damaged(error);
    return true;
}

/* ---- opening and packing ---- */

SketchState
roaring_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState empty, state;
    SketchError error;
    bool merged;

    if (sketch_is_working(value.data))
        return roaring_working_is_sound(value) ? copy_working(value, memory)
                                               : (SketchState){NULL, 0};
    state = empty = roaring_new(value.data[0], false, memory);
    merged = roaring_merge(&state, value, memory, &error);
    if (state.data != empty.data || !merged)
        memory->release_value(empty.data, memory->context);
    return merged ? state : (SketchState){NULL, 0};
}

/* How many containers the values make; a plan has room for each, and a container may have many. */
static size_t
count_groups(const uint8_t *data)
{
    size_t groups = 0;

    for (uint32_t i = 0; i < *count_at(data); i = group_end(data, i))
        groups++;
    return groups;
}

/* Settled values become containers, between those that have entries. */
static SketchBytes
pack_settled(const uint8_t *data, const SketchMemory *memory)
{
    const Entry *entry = directory_of(data)->entry, *entries_end = entry + entries_in(data);
    RoaringPlan plan = plan_new(data[0], entries_in(data) + count_groups(data), memory);
    uint32_t count = *count_at(data), i = 0;

    while (i < count || entry < entries_end) {
        uint64_t key = i < count ? get_value(data, i) >> 16 : UINT64_MAX;

        if (entry < entries_end && entry->key < key) {
            RoaringContainer container = entry_container(data, entry++);

            plan_add(&plan, &container);
        } else {
            uint32_t end = group_end(data, i);

            plan_add(
                &plan,
                &(RoaringContainer){
                    .key = key,
                    .form = data[0] == SKETCH_ROARING ? ROARING_VALUES32 : ROARING_VALUES64,
                    .count = end - i,
                    .data = data + roaring_values_at(data) + (size_t)i * roaring_value_bytes(data),
                });
            i = end;
        }
    }
    return plan_write(&plan, memory);
}

SketchBytes
roaring_pack(SketchBytes value, const SketchMemory *memory)
{
    SketchState copy;
    SketchBytes packed;

    if (!sketch_is_working(value.data)) {
        RoaringCursor cursor = roaring_cursor(value, false);
        RoaringContainer container;

        while (roaring_next(&cursor, &container))
            continue;
        if (cursor.damaged)
            return (SketchBytes){NULL, 0};
        packed.data = memcpy(memory->value(value.size, memory->context), value.data, value.size);
        packed.size = value.size;
        return packed;
    }
    if (!roaring_working_is_sound(value))
        return (SketchBytes){NULL, 0};
    copy = copy_working(value, memory);
    roaring_settle(copy, memory);
    packed = pack_settled(copy.data, memory);
    memory->release_value(copy.data, memory->context);
    return packed;
}

int64_t
roaring_cardinality(SketchBytes value, const SketchMemory *memory)
{
    SketchState copy;
    int64_t cardinality;

    if (!sketch_is_working(value.data))
        return (int64_t)load_le64(value.data + 4);
    if (!roaring_working_is_sound(value))
        return -1;
    copy = copy_working(value, memory);
    roaring_settle(copy, memory);
    cardinality = *count_at(copy.data);
    for (uint32_t i = 0; i < entries_in(copy.data); i++) {
        uint32_t page = directory_of(copy.data)->entry[i].page;

        cardinality += page == FULL ? 65536 : page_cardinality(page_of(copy.data, page));
    }
    memory->release_value(copy.data, memory->context);
    return cardinality;
}
