/*
 * working.c - adding to sets, and room for what is added. How they lie in memory:
 * working.h.
 */
#include "working.h"

#include "core/common/radix.h"

#define SMALLEST_CHUNK 64
#define LARGEST_CHUNK 8192 /* the allocator's largest power of two */
#define SETTLE_FROM 1024   /* bytes: smaller states just double */
#define ROOM_MIN 4096      /* values that may wait beside bitsets, at least */

bool
roaring_working_is_sound(SketchBytes value)
{
    const uint8_t *data = value.data;
    const RoaringDirectory *directory = roaring_directory(data);

    if (value.size < ROARING_WORKING_HEADER || roaring_values_at(data) > value.size ||
        roaring_entries(data) > *roaring_entry_slots(data) ||
        roaring_bitsets(data) > *roaring_bitset_slots(data) ||
        *roaring_count(data) > roaring_capacity((SketchState){(uint8_t *)data, value.size}) ||
        *roaring_sorted(data) > *roaring_count(data))
        return false;
    for (uint32_t i = 0; i < roaring_entries(data); i++) {
        const RoaringEntry *entry = &directory->entry[i];

        if ((entry->bitset >= roaring_bitsets(data) &&
             (entry->bitset != ROARING_FULL || data[3])) ||
            entry->key > roaring_value_max(data[0]) >> 16 || (i > 0 && entry->key <= entry[-1].key))
            return false;
    }
    return true;
}

/* ---- room ---- */

static SketchState
new_working(SketchKind kind, bool parity, size_t entries, size_t bitsets, size_t values,
            const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + ROARING_WORKING_HEADER +
                    (entries > 0 ? ROARING_DIRECTORY_HEADER : 0) + entries * ROARING_ENTRY_BYTES +
                    bitsets * ROARING_BITSET_BYTES + values * (kind == SKETCH_ROARING ? 4 : 8);
    size_t chunk = SMALLEST_CHUNK;
    SketchState state;

    while (chunk < needed && chunk < LARGEST_CHUNK)
        chunk *= 2;
    if (chunk < needed)
        chunk = (needed + 7) / 8 * 8;
    state.size = chunk - SKETCH_PREFIX_BYTES;
    state.data = memory->value(state.size, memory->context);
    memset(state.data, 0, ROARING_WORKING_HEADER);
    state.data[0] = (uint8_t)kind;
    state.data[1] = ROARING_FORMAT_VERSION;
    state.data[2] = ROARING_WORKING;
    state.data[3] = parity;
    *roaring_entry_slots(state.data) = (uint32_t)entries;
    *roaring_bitset_slots(state.data) = (uint32_t)bitsets;
    if (entries > 0)
        *roaring_directory(state.data) = (RoaringDirectory){.entries = 0, .bitsets = 0};
    return state;
}

SketchState
roaring_new(SketchKind kind, bool parity, const SketchMemory *memory)
{
    return new_working(kind, parity, 0, 0, 1, memory);
}

/* Sorts keys; leaves each once or, counting by parity, those that are there an odd number of times.
 * Returns how many are left. `other` is as long. */
static size_t
sort_distinct(uint64_t *keys, size_t count, uint64_t *other, bool parity)
{
    size_t left = 0;

    for (size_t i = 1; i < count; i++)
        if (keys[i] < keys[i - 1]) {
            radix_sort_u64(keys, count, other);
            break;
        }
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;

        while (end < count && keys[end] == keys[i])
            end++;
        if (!parity || (end - i) % 2 == 1)
            keys[left++] = keys[i];
        i = end;
    }
    return left;
}

void
roaring_settle(SketchState state, const SketchMemory *memory)
{
    uint8_t *data = state.data;
    uint32_t sorted = *roaring_sorted(data), count = *roaring_count(data), left = 0;
    const RoaringEntry *entry = roaring_directory(data)->entry,
                       *entries_end = entry + roaring_entries(data);
    uint64_t *merged, *tail;
    size_t tail_count, n = 0;

    if (sorted == count)
        return;
    tail_count = count - sorted;
    merged = memory->scratch((count + 2 * tail_count) * sizeof *merged, memory->context);
    tail = merged + count;
    for (size_t i = 0; i < tail_count; i++)
        tail[i] = roaring_get_value(data, sorted + (uint32_t)i);
    tail_count = sort_distinct(tail, tail_count, tail + tail_count, data[3]);
    for (size_t i = 0, j = 0; i < sorted || j < tail_count;) {
        uint64_t a = i < sorted ? roaring_get_value(data, (uint32_t)i) : UINT64_MAX;
        uint64_t b = j < tail_count ? tail[j] : UINT64_MAX;

        i += a <= b;
        j += b <= a;
        if (a != b || !data[3])
            merged[n++] = a < b ? a : b;
    }
    for (size_t i = 0; i < n; i++) {
        while (entry < entries_end && entry->key < merged[i] >> 16)
            entry++;
        if (entry == entries_end || entry->key != merged[i] >> 16)
            roaring_put_value(data, left++, merged[i]);
        else if (entry->bitset != ROARING_FULL)
            roaring_change_value(roaring_bitset(data, entry->bitset), merged[i] & 0xffff,
                                 roaring_change(data));
    }
    *roaring_sorted(data) = *roaring_count(data) = left;
    memory->release(merged, memory->context);
}

static uint32_t
count_bitset_worthy(const uint8_t *data, uint32_t *values)
{
    uint32_t bitsets = 0;

    *values = 0;
    for (uint32_t i = 0, end; i < *roaring_count(data); i = end) {
        end = roaring_group_end(data, i);
        if (end - i >= roaring_bitset_worth(data)) {
            bitsets++;
            *values += end - i;
        }
    }
    return bitsets;
}

/* Copies settled `from` to the empty `to`; containers worth a bitset become one. */
static void
copy_settled(SketchState to, const uint8_t *from)
{
    const RoaringEntry *old = roaring_directory(from)->entry,
                       *old_end = old + roaring_entries(from);
    RoaringDirectory *directory = roaring_directory(to.data);
    RoaringEntry *entry = directory->entry;
    uint32_t count = *roaring_count(from), left = 0;

    if (old < old_end) {
        directory->bitsets = roaring_bitsets(from);
        memcpy(roaring_bitset(to.data, 0), roaring_bitset(from, 0),
               (size_t)roaring_bitsets(from) * ROARING_BITSET_BYTES);
    }
    for (uint32_t i = 0, end; i < count; i = end) {
        uint64_t key = roaring_get_value(from, i) >> 16;

        end = roaring_group_end(from, i);
        if (end - i < roaring_bitset_worth(from)) {
            for (; i < end; i++)
                roaring_put_value(to.data, left++, roaring_get_value(from, i));
        } else {
            uint64_t *bitset;

            while (old < old_end && old->key < key)
                *entry++ = *old++;
            bitset = roaring_new_bitset(to.data, entry++, key);
            for (; i < end; i++)
                roaring_change_value(bitset, roaring_get_value(from, i) & 0xffff, ROARING_SET);
        }
    }
    while (old < old_end)
        *entry++ = *old++;
    if (entry > directory->entry)
        directory->entries = (uint32_t)(entry - directory->entry);
    *roaring_count(to.data) = *roaring_sorted(to.data) = left;
}

/* What there is room for when `needed` of `slots` are: some more, where they turned out too few. */
static size_t
grown_slots(size_t needed, size_t slots)
{
    if (needed <= slots)
        return slots;
    return slots > 0 ? needed + needed / 4 : needed;
}

void
roaring_make_room(SketchState *state, size_t values, size_t entries, size_t bitsets,
                  const SketchMemory *memory)
{
    uint8_t *data = state->data;
    size_t left, room;
    uint32_t worthy, worthy_values;
    SketchState fresh;

    if (*roaring_count(data) + values <= roaring_capacity(*state) &&
        roaring_entries(data) + entries <= *roaring_entry_slots(data) &&
        roaring_bitsets(data) + bitsets <= *roaring_bitset_slots(data))
        return;
    if (entries == 0 && *roaring_entry_slots(data) == 0 && state->size < SETTLE_FROM &&
        values <= roaring_capacity(*state)) {
        fresh = new_working(data[0], data[3], 0, 0, 2 * roaring_capacity(*state), memory);
        memcpy(fresh.data + 4, data + 4, state->size - 4);
        *state = fresh;
        return;
    }
    roaring_settle(*state, memory);
    worthy = count_bitset_worthy(data, &worthy_values);
    left = *roaring_count(data) - worthy_values;
    entries += roaring_entries(data) + worthy;
    bitsets += roaring_bitsets(data) + worthy;
    room = entries > 0 ? ROOM_MIN : 8;
    if (room < left / 2)
        room = left / 2;
    if (room < values)
        room = values;
    if (worthy == 0 && entries <= *roaring_entry_slots(data) &&
        bitsets <= *roaring_bitset_slots(data) && left + room <= roaring_capacity(*state))
        return;
    fresh = new_working(data[0], data[3], grown_slots(entries, *roaring_entry_slots(data)),
                        grown_slots(bitsets, *roaring_bitset_slots(data)), left + room, memory);
    copy_settled(fresh, data);
    *state = fresh;
}

void
roaring_insert(SketchState *state, uint64_t value, const SketchMemory *memory)
{
    if (!roaring_push(*state, value)) {
        roaring_make_room(state, 1, 0, 0, memory);
        roaring_push(*state, value);
    }
}
