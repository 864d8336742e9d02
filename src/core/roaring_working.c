/*
 * roaring_working.c - sets that grow: adding and merging.
 *
 * A container is either single values or a page: its 65536 bits. Host byte order:
 *
 *     0..3    as in every value; 3: 1 if the set counts by parity
 *     4..7    count: how many values wait
 *     8..11   sorted: so many of them in front are in ascending order, without duplicates
 *     12..15  pages
 *     16..19  slots: room for pages
 *     20..    slots of 16 bytes, `pages` of them used: u64 key in ascending order, u32 page
 *     ..      slots of 8192 bytes: pages, in the order in which they were made
 *     ..      values of 4 bytes (roaring) or 8 (roaring64), to the end
 *
 * Adding appends a value. When there is no room left the values are settled: sorted, freed of
 * duplicates, and those whose container is a page become bits of it. A container of so many values
 * that they take as much as a page becomes one. Merging changes pages at once, appends the values
 * of small containers, and makes pages of large ones.
 *
 * A group of ten 32-bit values takes 64 bytes with the length word, and a set in which every value
 * was seen once 4 bytes a value at most and as many again for a moment while it grows.
 */
#include "roaring_parts.h"

#include "radix.h"

#define SMALLEST_CHUNK 64
#define LARGEST_CHUNK 8192 /* the allocator's largest power of two */
#define SETTLE_FROM 1024   /* bytes: smaller states just double */
#define ROOM_MIN 4096      /* values that may wait beside pages, at least */

typedef struct PageEntry {
    uint64_t key;
    uint32_t page;
    uint32_t unused;
} PageEntry;

_Static_assert(sizeof(PageEntry) == ROARING_PAGE_ENTRY_BYTES, "as roaring_values_at has it");

static uint32_t *
count_at(const uint8_t *data)
{
    return (uint32_t *)(data + 4);
}

static uint32_t *
sorted_at(const uint8_t *data)
{
    return (uint32_t *)(data + 8);
}

static uint32_t *
pages_at(const uint8_t *data)
{
    return (uint32_t *)(data + 12);
}

static uint32_t *
slots_at(const uint8_t *data)
{
    return (uint32_t *)(data + 16);
}

static PageEntry *
entries_of(const uint8_t *data)
{
    return (PageEntry *)(data + ROARING_WORKING_HEADER);
}

static uint64_t *
page_of(const uint8_t *data, uint32_t page)
{
    return (uint64_t *)(data + ROARING_WORKING_HEADER +
                        (size_t)*slots_at(data) * ROARING_PAGE_ENTRY_BYTES +
                        (size_t)page * ROARING_PAGE_BYTES);
}

static PageChange
change_of(const uint8_t *data)
{
    return data[3] ? PAGE_FLIP : PAGE_SET;
}

static uint64_t
get_value(const uint8_t *data, uint32_t i)
{
    const uint8_t *values = data + roaring_values_at(data);

    return data[0] == SKETCH_ROARING ? ((const uint32_t *)values)[i]
                                     : ((const uint64_t *)values)[i];
}

static void
put_value(uint8_t *data, uint32_t i, uint64_t value)
{
    uint8_t *values = data + roaring_values_at(data);

    if (data[0] == SKETCH_ROARING)
        ((uint32_t *)values)[i] = (uint32_t)value;
    else
        ((uint64_t *)values)[i] = value;
}

static size_t
capacity_of(SketchState state)
{
    return (state.size - roaring_values_at(state.data)) / roaring_value_bytes(state.data);
}

/* Values of one container that take as much as its page. */
static uint32_t
page_worth(const uint8_t *data)
{
    return (uint32_t)(ROARING_PAGE_BYTES / roaring_value_bytes(data));
}

/* For values that may be anything: nothing that is read or written later leaves the value. */
static bool
working_is_sound(SketchBytes value)
{
    const PageEntry *entries = entries_of(value.data);

    if (value.size < ROARING_WORKING_HEADER || roaring_values_at(value.data) > value.size ||
        *pages_at(value.data) > *slots_at(value.data) ||
        *count_at(value.data) > capacity_of((SketchState){(uint8_t *)value.data, value.size}) ||
        *sorted_at(value.data) > *count_at(value.data))
        return false;
    for (uint32_t i = 0; i < *pages_at(value.data); i++)
        if (entries[i].page >= *pages_at(value.data) ||
            entries[i].key > roaring_value_max(value.data[0]) >> 16 ||
            (i > 0 && entries[i].key <= entries[i - 1].key))
            return false;
    return true;
}

/* ---- room ---- */

static SketchState
new_working(SketchKind kind, bool parity, size_t slots, size_t values, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + ROARING_WORKING_HEADER +
                    slots * (ROARING_PAGE_BYTES + ROARING_PAGE_ENTRY_BYTES) +
                    values * (kind == SKETCH_ROARING ? 4 : 8);
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
    state.data[1] = roaring_ops.version;
    state.data[2] = ROARING_WORKING;
    state.data[3] = parity;
    *slots_at(state.data) = (uint32_t)slots;
    return state;
}

SketchState
roaring_new(SketchKind kind, bool parity, const SketchMemory *memory)
{
    return new_working(kind, parity, 0, 1, memory);
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

/*
 * Puts the values in order, those of pages into their pages. Takes its time once per buffer: the
 * values already in order are merged with the others, not sorted again.
 */
static void
settle(SketchState state, const SketchMemory *memory)
{
    uint8_t *data = state.data;
    uint32_t sorted = *sorted_at(data), count = *count_at(data), left = 0;
    const PageEntry *entry = entries_of(data), *entries_end = entry + *pages_at(data);
    uint64_t *merged, *tail;
    size_t tail_count, n = 0;

    if (sorted == count)
        return;
    tail_count = count - sorted;
    merged = memory->scratch((count + 2 * tail_count) * sizeof *merged, memory->context);
    tail = merged + count;
    for (size_t i = 0; i < tail_count; i++)
        tail[i] = get_value(data, sorted + (uint32_t)i);
    tail_count = sort_distinct(tail, tail_count, tail + tail_count, data[3]);
    for (size_t i = 0, j = 0; i < sorted || j < tail_count;) {
        uint64_t a = i < sorted ? get_value(data, (uint32_t)i) : UINT64_MAX;
        uint64_t b = j < tail_count ? tail[j] : UINT64_MAX;

        i += a <= b;
        j += b <= a;
        if (a != b || !data[3])
            merged[n++] = a < b ? a : b;
    }
    for (size_t i = 0; i < n; i++) {
        while (entry < entries_end && entry->key < merged[i] >> 16)
            entry++;
        if (entry < entries_end && entry->key == merged[i] >> 16)
            page_change_value(page_of(data, entry->page), merged[i] & 0xffff, change_of(data));
        else
            put_value(data, left++, merged[i]);
    }
    *sorted_at(data) = *count_at(data) = left;
    memory->release(merged, memory->context);
}

/* The end of the values of value i's container, all values being settled. */
static uint32_t
group_end(const uint8_t *data, uint32_t i)
{
    uint64_t key = get_value(data, i) >> 16;
    uint32_t end = i + 1;

    while (end < *count_at(data) && get_value(data, end) >> 16 == key)
        end++;
    return end;
}

static uint32_t
count_page_worthy(const uint8_t *data, uint32_t *values)
{
    uint32_t pages = 0;

    *values = 0;
    for (uint32_t i = 0, end; i < *count_at(data); i = end) {
        end = group_end(data, i);
        if (end - i >= page_worth(data)) {
            pages++;
            *values += end - i;
        }
    }
    return pages;
}

static uint64_t *
new_page(uint8_t *data, PageEntry *entry, uint64_t key)
{
    uint64_t *page = page_of(data, *pages_at(data));

    *entry = (PageEntry){.key = key, .page = (*pages_at(data))++};
    memset(page, 0, ROARING_PAGE_BYTES);
    return page;
}

/* Copies settled `from` to the empty `to`; containers worth a page become one. */
static void
copy_settled(SketchState to, const uint8_t *from)
{
    const PageEntry *old = entries_of(from), *old_end = old + *pages_at(from);
    PageEntry *entry = entries_of(to.data);
    uint32_t count = *count_at(from), left = 0;

    memcpy(page_of(to.data, 0), page_of(from, 0), (size_t)*pages_at(from) * ROARING_PAGE_BYTES);
    *pages_at(to.data) = *pages_at(from);
    for (uint32_t i = 0, end; i < count; i = end) {
        uint64_t key = get_value(from, i) >> 16;

        end = group_end(from, i);
        if (end - i < page_worth(from)) {
            for (; i < end; i++)
                put_value(to.data, left++, get_value(from, i));
        } else {
            uint64_t *page;

            while (old < old_end && old->key < key)
                *entry++ = *old++;
            page = new_page(to.data, entry++, key);
            for (; i < end; i++)
                page_change_value(page, get_value(from, i) & 0xffff, PAGE_SET);
        }
    }
    while (old < old_end)
        *entry++ = *old++;
    *count_at(to.data) = *sorted_at(to.data) = left;
}

/* Room for so many more values and pages, in a fresh value where there is none. */
static void
make_room(SketchState *state, size_t values, size_t pages, const SketchMemory *memory)
{
    uint8_t *data = state->data;
    size_t left, room, slots;
    uint32_t worthy, worthy_values;
    SketchState fresh;

    if (*count_at(data) + values <= capacity_of(*state) &&
        *pages_at(data) + pages <= *slots_at(data))
        return;
    if (pages == 0 && *slots_at(data) == 0 && state->size < SETTLE_FROM &&
        values <= capacity_of(*state)) {
        fresh = new_working(data[0], data[3], 0, 2 * capacity_of(*state), memory);
        memcpy(fresh.data + 4, data + 4, state->size - 4);
        *state = fresh;
        return;
    }
    settle(*state, memory);
    worthy = count_page_worthy(data, &worthy_values);
    left = *count_at(data) - worthy_values;
    slots = *pages_at(data) + worthy + pages;
    room = slots > 0 ? ROOM_MIN : 8;
    if (room < left / 2)
        room = left / 2;
    if (room < values)
        room = values;
    if (worthy == 0 && slots <= *slots_at(data) && left + room <= capacity_of(*state))
        return;
    if (slots > *slots_at(data) && *slots_at(data) > 0)
        slots += slots / 4;
    else if (slots < *slots_at(data))
        slots = *slots_at(data);
    fresh = new_working(data[0], data[3], slots, left + room, memory);
    copy_settled(fresh, data);
    *state = fresh;
}

void
roaring_insert(SketchState *state, uint64_t value, const SketchMemory *memory)
{
    if (!roaring_push(*state, value)) {
        make_room(state, 1, 0, memory);
        roaring_push(*state, value);
    }
}

/* ---- merging ---- */

/* The page of a key if there is one; *place is where its entry is or would be. */
static uint64_t *
find_page(const uint8_t *data, uint64_t key, uint32_t *place)
{
    const PageEntry *entries = entries_of(data);
    uint32_t end = *pages_at(data);

    /* Keys come in ascending order: a step or two from the last place. */
    while (*place < end && entries[*place].key < key)
        (*place)++;
    return *place < end && entries[*place].key == key ? page_of(data, entries[*place].page) : NULL;
}

static uint64_t *
insert_page(uint8_t *data, uint64_t key, uint32_t place)
{
    PageEntry *entry = entries_of(data) + place;

    *sorted_at(data) = 0; /* values of this container may be waiting */
    memmove(entry + 1, entry, (*pages_at(data) - place) * sizeof *entry);
    return new_page(data, entry, key);
}

static bool
merge_working(SketchState *state, SketchBytes other, const SketchMemory *memory)
{
    const PageEntry *entries = entries_of(other.data);
    uint32_t pages = *pages_at(other.data), count = *count_at(other.data), place = 0;

    if (!working_is_sound(other))
        return false;
    make_room(state, count, pages, memory);
    for (uint32_t i = 0; i < pages; i++) {
        RoaringContainer container = {
            .form = ROARING_BITSET,
            .data = (const uint8_t *)page_of(other.data, entries[i].page),
        };
        uint64_t *page = find_page(state->data, entries[i].key, &place);

        page_change(page ? page : insert_page(state->data, entries[i].key, place), &container,
                    change_of(state->data));
    }
    for (uint32_t i = 0; i < count; i++)
        roaring_push(*state, get_value(other.data, i));
    return true;
}

/* How many values and pages a packed value may need; false for a damaged one. */
static bool
count_packed(const uint8_t *data, SketchBytes other, size_t *values, size_t *pages)
{
    RoaringCursor cursor = roaring_cursor(other, false);
    RoaringContainer container;
    uint32_t place = 0;

    *values = *pages = 0;
    while (roaring_next(&cursor, &container)) {
        if (find_page(data, container.key, &place))
            continue;
        if (container.cardinality >= page_worth(data))
            ++*pages;
        else
            *values += container.cardinality;
    }
    return !cursor.damaged;
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
    size_t values, pages;
    uint32_t place = 0;

    if (!count_packed(state->data, other, &values, &pages))
        return false;
    make_room(state, values, pages, memory);
    while (roaring_next(&cursor, &container)) {
        uint64_t *page = find_page(state->data, container.key, &place);

        if (!page && container.cardinality >= page_worth(state->data))
            page = insert_page(state->data, container.key, place);
        if (page)
            page_change(page, &container, change_of(state->data));
        else
            append_values(*state, &container);
    }
    return true;
}

bool
roaring_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    if (!working_is_sound(sketch_bytes(*state)) ||
        !(sketch_is_working(other.data) ? merge_working(state, other, memory)
                                        : merge_packed(state, other, memory)))
        return sketch_refuse_damaged(error);
    return true;
}

/* ---- opening and packing ---- */

/* A copy that fits what is there. */
static SketchState
copy_working(SketchBytes value, const SketchMemory *memory)
{
    SketchState copy = {memory->value(value.size, memory->context), value.size};

    memcpy(copy.data, value.data, value.size);
    return copy;
}

SketchState
roaring_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState empty, state;
    SketchError error;
    bool merged;

    if (sketch_is_working(value.data))
        return working_is_sound(value) ? copy_working(value, memory) : (SketchState){NULL, 0};
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

/* Settled values become containers, between those that are pages. */
static SketchBytes
pack_settled(const uint8_t *data, const SketchMemory *memory)
{
    const PageEntry *entry = entries_of(data), *entries_end = entry + *pages_at(data);
    RoaringPlan plan = plan_new(data[0], *pages_at(data) + count_groups(data), memory);
    uint32_t count = *count_at(data), i = 0;

    while (i < count || entry < entries_end) {
        uint64_t key = i < count ? get_value(data, i) >> 16 : UINT64_MAX;

        if (entry < entries_end && entry->key < key) {
            plan_add(&plan, &(RoaringContainer){
                                .key = entry->key,
                                .form = ROARING_BITSET,
                                .data = (const uint8_t *)page_of(data, entry->page),
                            });
            entry++;
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
    if (!working_is_sound(value))
        return (SketchBytes){NULL, 0};
    copy = copy_working(value, memory);
    settle(copy, memory);
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
    if (!working_is_sound(value))
        return -1;
    copy = copy_working(value, memory);
    settle(copy, memory);
    cardinality = *count_at(copy.data);
    for (uint32_t i = 0; i < *pages_at(copy.data); i++)
        cardinality += page_cardinality(page_of(copy.data, i));
    memory->release_value(copy.data, memory->context);
    return cardinality;
}
