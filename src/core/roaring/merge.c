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
 * The containers to merge come in ascending order. The search for an entry goes on from the last
 * one; new entries go behind the old ones, and merge_end puts all in order.
 */
typedef struct Merge {
    SketchState state;
    uint32_t before; /* entries */
    uint32_t place;  /* the first of them that is not below the last key */
} Merge;

static Merge
merge_begin(SketchState state)
{
    return (Merge){state, roaring_entries(state.data), 0};
}

static RoaringEntry *
find_entry(Merge *merge, uint64_t key)
{
    RoaringDirectory *directory = roaring_directory(merge->state.data);

    while (merge->place < merge->before && directory->entry[merge->place].key < key)
        merge->place++;
    return merge->place < merge->before && directory->entry[merge->place].key == key
               ? &directory->entry[merge->place]
               : NULL;
}

static RoaringEntry *
new_entry(uint8_t *data)
{
    RoaringDirectory *directory = roaring_directory(data);

    *roaring_sorted(data) = 0; /* values of this container may be waiting */
    return &directory->entry[directory->entries++];
}

/* Puts in order the old entries and the new ones, both of which are. */
static void
merge_end(const Merge *merge, const SketchMemory *memory)
{
    uint8_t *data = merge->state.data;
    RoaringEntry *entries = roaring_directory(data)->entry, *old;
    uint32_t count = roaring_entries(data), i = 0, j = merge->before;

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
    return container->cardinality == 65536 && roaring_change(data) == ROARING_SET;
}

/* For a container that is worth a bitset, or has an entry. */
static void
merge_large(Merge *merge, RoaringEntry *entry, const RoaringContainer *container)
{
    uint8_t *data = merge->state.data;

    if (is_full(data, container)) {
        /* A bitset that it had stays behind, unused. */
        *(entry ? entry : new_entry(data)) =
            (RoaringEntry){.key = container->key, .bitset = ROARING_FULL};
        return;
    }
    if (!entry)
        roaring_new_bitset(data, entry = new_entry(data), container->key);
    if (entry->bitset != ROARING_FULL)
        roaring_change_bitset(roaring_bitset(data, entry->bitset), container, roaring_change(data));
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
entry_container(const uint8_t *data, const RoaringEntry *entry)
{
    if (entry->bitset == ROARING_FULL)
        return full_container(entry->key);
    return (RoaringContainer){.key = entry->key,
                              .form = ROARING_BITSET,
                              .data = (const uint8_t *)roaring_bitset(data, entry->bitset)};
}

static void
merge_sound(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    uint32_t entries = roaring_entries(other.data), count = *roaring_count(other.data);
    Merge merge;

    roaring_make_room(
        state, count, entries,
        roaring_change(state->data) == ROARING_SET ? roaring_bitsets(other.data) : entries, memory);
    merge = merge_begin(*state);
    for (uint32_t i = 0; i < entries; i++) {
        const RoaringEntry *entry = &roaring_directory(other.data)->entry[i];
        RoaringContainer container = entry_container(other.data, entry);

        merge_large(&merge, find_entry(&merge, entry->key), &container);
    }
    merge_end(&merge, memory);
    for (uint32_t i = 0; i < count; i++)
        roaring_push(*state, roaring_get_value(other.data, i));
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
    size_t values = 0, entries = 0, bitsets = 0;

    while (roaring_next(&cursor, &container)) {
        if (find_entry(&merge, container.key))
            continue;
        if (container.cardinality < roaring_bitset_worth(state->data))
            values += container.cardinality;
        else {
            entries++;
            bitsets += !is_full(state->data, &container);
        }
    }
    if (cursor.damaged)
        return false;
    roaring_make_room(state, values, entries, bitsets, memory);
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
        RoaringEntry *entry = find_entry(&merge, container.key);

        if (entry || container.cardinality >= roaring_bitset_worth(state->data))
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

/* How many containers the settled values make. */
static size_t
count_groups(const uint8_t *data)
{
    size_t groups = 0;

    for (uint32_t i = 0; i < *roaring_count(data); i = roaring_group_end(data, i))
        groups++;
    return groups;
}

/* Settled values become containers, between those that have entries. */
static SketchBytes
pack_settled(const uint8_t *data, const SketchMemory *memory)
{
    const RoaringEntry *entry = roaring_directory(data)->entry,
                       *entries_end = entry + roaring_entries(data);
    RoaringWriter writer =
        roaring_writer(data[0], roaring_entries(data) + count_groups(data), memory);
    uint32_t count = *roaring_count(data), i = 0;

    while (i < count || entry < entries_end) {
        uint64_t key = i < count ? roaring_get_value(data, i) >> 16 : UINT64_MAX;

        if (entry < entries_end && entry->key < key) {
            RoaringContainer container = entry_container(data, entry++);

            roaring_write_container(&writer, &container);
        } else {
            uint32_t end = roaring_group_end(data, i);

            roaring_write_container(
                &writer,
                &(RoaringContainer){
                    .key = key,
                    .form = data[0] == SKETCH_ROARING ? ROARING_VALUES32 : ROARING_VALUES64,
                    .count = end - i,
                    .data = data + roaring_values_at(data) + (size_t)i * roaring_value_bytes(data),
                });
            i = end;
        }
    }
    return roaring_write(&writer);
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
    cardinality = *roaring_count(copy.data);
    for (uint32_t i = 0; i < roaring_entries(copy.data); i++) {
        uint32_t bitset = roaring_directory(copy.data)->entry[i].bitset;

        cardinality += bitset == ROARING_FULL
                           ? 65536
                           : roaring_bitset_cardinality(roaring_bitset(copy.data, bitset));
    }
    memory->release_value(copy.data, memory->context);
    return cardinality;
}
