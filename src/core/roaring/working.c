/*
 * working.c - states: adding, compacting in the memory there is, growing. working.h says how they
 * are laid out.
 */
#include "working.h"
#include "core/common/polled.h"

#define MIN_COMPACTED_BYTES 1024  /* smaller states just double */
#define MIN_REGROUPED_BYTES 16384 /* smaller states grow as they are */

/* States that are mostly lists regroup later: regrouping saves them no memory. */
#define MIN_REGROUPED_LIST_BYTES 131072

static size_t
free_bytes(SketchState state)
{
    return roaring_state(state.data)->end - roaring_state(state.data)->next;
}

static bool
fits(SketchState state, RoaringSpace need)
{
    const uint8_t *data = state.data;

    return need.values * roaring_value_bytes(data) + need.list_bytes <= free_bytes(state) &&
           roaring_entries(data) + need.entries <= roaring_state(data)->entry_slots &&
           roaring_bitsets(data) + need.bitsets <= roaring_state(data)->bitset_slots;
}

/* ---- compacting ---- */

/* Puts all values in order; those that are sorted already are merged with the others. */
static void
sort_values(SketchState state, const SketchMemory *memory)
{
    bool wide = state.data[0] == SKETCH_ROARING64, parity = roaring_state(state.data)->header.hash;
    uint8_t *values = state.data + roaring_values_at(state.data), *front;
    uint32_t count = roaring_count(state.data), sorted = roaring_sorted(state.data), n = 0;
    size_t tail_count = count - sorted, steps = 0;
    uint64_t *tail;

    if (roaring_ascend(values, wide, sorted, count, memory))
        return;
    tail = memory->scratch(tail_count * sizeof64(*tail), memory->context);
    roaring_copy_wide(tail, values, wide, sorted, count, memory);
    tail_count = roaring_sort_distinct(tail, tail_count, parity, memory);
    front = memory->scratch(sorted * (size_t)8 + 1, memory->context);
    polled_copy(front, values, sorted * (size_t)roaring_value_bytes(state.data), memory);
    for (uint32_t i = 0, j = 0; i < sorted || j < tail_count;) {
        /* Behind the end of one, the value of the other: there is none above all values. */
        uint64_t a = i < sorted ? roaring_value(front, wide, i) : tail[j];
        uint64_t b = j < tail_count ? tail[j] : a;
        bool in_a = i < sorted && a <= b, in_b = j < tail_count && b <= a;

        i += in_a;
        j += in_b;
        if (!(in_a && in_b && parity))
            roaring_put_value(values, wide, n++, a < b ? a : b);
        sketch_poll(memory, &steps, 1);
    }
    roaring_set_count(state.data, n);
    memory->release(front, memory->context);
    memory->release(tail, memory->context);
}

/* Turns ordered values into bits, where their container is bits; the others stay. */
static inline void
absorb(SketchState state, bool wide, const SketchMemory *memory)
{
    const RoaringEntry *entry = roaring_directory(state.data)->entry;
    const RoaringEntry *entries_end = entry + roaring_entries(state.data);
    uint8_t *values = state.data + roaring_values_at(state.data);
    uint32_t count = roaring_count(state.data), left = 0;
    size_t steps = 0;

    for (uint32_t i = 0, end; i < count; i = end) {
        uint64_t key = roaring_value(values, wide, i) >> 16;

        end = roaring_group_end(values, wide, i, count);
        sketch_poll(memory, &steps, end - i);
        while (entry < entries_end && entry->key < key)
            entry++;
        if (entry == entries_end || entry->key != key || entry->bitset == ROARING_NO_BITSET) {
            memmove(values + (size_t)left * (wide ? 8 : 4), values + (size_t)i * (wide ? 8 : 4),
                    (size_t)(end - i) * (wide ? 8 : 4));
            left += end - i;
        } else if (entry->bitset != ROARING_FULL) {
            RoaringContainer group = {.form = wide ? ROARING_VALUES64 : ROARING_VALUES32,
                                      .count = end - i,
                                      .data = values + (size_t)i * (wide ? 8 : 4)};

            roaring_change_bitset(roaring_bitset(state.data, entry->bitset), &group,
                                  roaring_change(state.data));
        }
    }
    roaring_set_count(state.data, left);
    roaring_set_sorted(state.data, left);
}

static void
compact(SketchState state, const SketchMemory *memory)
{
    if (roaring_sorted(state.data) == roaring_count(state.data))
        return;
    sort_values(state, memory);
    if (state.data[0] == SKETCH_ROARING64)
        absorb(state, true, memory);
    else
        absorb(state, false, memory);
}

/* ---- growing ---- */

/* Copies the state, without regrouping, into a value with space for `need` more. */
static SketchState
grow_as_is(SketchState state, RoaringSpace need, const SketchMemory *memory)
{
    const uint8_t *data = state.data;
    uint32_t entries = roaring_entries(data), bitsets = roaring_bitsets(data);
    size_t lists = state.size - roaring_state(data)->end;
    SketchState fresh;

    need.values += roaring_count(data);
    need.entries += entries;
    need.bitsets += bitsets;
    need.list_bytes += lists;
    fresh = roaring_new_working(data[0], roaring_state(data)->header.hash,
                                roaring_with_slack(data[0], need), memory);
    if (entries > 0) {
        polled_copy(roaring_directory(fresh.data), roaring_directory(data),
                    sizeof(RoaringDirectory) + entries * sizeof(RoaringEntry), memory);
        polled_copy(roaring_bitset(fresh.data, 0), roaring_bitset(data, 0),
                    (size_t)bitsets * ROARING_BITSET_BYTES, memory);
    }
    polled_copy(fresh.data + roaring_values_at(fresh.data), data + roaring_values_at(data),
                roaring_count(data) * roaring_value_bytes(data), memory);
    roaring_set_count(fresh.data, roaring_count(data));
    polled_copy(fresh.data + fresh.size - lists, data + state.size - lists, lists, memory);
    roaring_state(fresh.data)->end = (uint32_t)(fresh.size - lists);
    return fresh;
}

/*
 * Copies the container to lasting data: not in the scratch, and not as bits if it may be a list.
 */
static RoaringContainer
keep_container(const RoaringGroups *groups, RoaringContainer container, RoaringKept **kept)
{
    uint8_t *copy;

    if (!roaring_in_scratch(groups, &container))
        return container;
    if (container.form == ROARING_WORDS)
        container.cardinality = roaring_bitset_cardinality(groups->bits);
    if (container.form == ROARING_WORDS && container.cardinality <= ROARING_ARRAY_MAX) {
        container.form = ROARING_ARRAY;
        container.count = container.cardinality;
        copy = roaring_keep(kept, roaring_container_bytes(&container), groups->memory);
        roaring_bitset_values(groups->bits, copy);
    } else {
        copy = roaring_keep(kept, roaring_container_bytes(&container), groups->memory);
        memcpy(copy, container.data, roaring_container_bytes(&container));
    }
    container.data = copy;
    return container;
}

/* Copies the values to a fresh state, in which each container is in one piece. */
static SketchState
regroup(SketchBytes state, RoaringSpace need, const SketchMemory *memory)
{
    RoaringContainer container, *containers;
    RoaringGroups groups;
    RoaringKept *kept = NULL;
    SketchState fresh;
    size_t most = roaring_entries(state.data), count = 0;

    roaring_groups(&groups, state, memory);
    for (uint32_t i = 0; i < groups.count; most++) {
        i = roaring_group_end(groups.values, groups.wide, i, groups.count);
        sketch_poll(memory, &groups.steps, 1);
    }
    containers = memory->scratch(most * sizeof64(container) + 1, memory->context);
    while (roaring_next_group(&groups, &container))
        containers[count++] = keep_container(&groups, container, &kept);
    fresh = roaring_state_of(state, containers, count, need, memory);
    roaring_release_kept(kept, memory);
    memory->release(containers, memory->context);
    roaring_end_groups(&groups);
    return fresh;
}

bool
roaring_make_room(StateWriter *w, RoaringSpace need)
{
    size_t size = w->state.size, lists = size - roaring_state(w->state.data)->end;
    bool regroups = size >= (lists > size / 2 ? MIN_REGROUPED_LIST_BYTES : MIN_REGROUPED_BYTES);

    if (fits(w->state, need))
        return false;
    if (size >= MIN_COMPACTED_BYTES) {
        compact(w->state, w->memory);
        /* Room for a few values only would be gone at once. */
        if (fits(w->state, need) && free_bytes(w->state) >= size / 8)
            return false;
    }
    state_replace(w, regroups ? regroup(sketch_bytes(w->state), need, w->memory)
                              : grow_as_is(w->state, need, w->memory));
    return regroups;
}

void
roaring_insert(SketchState *state, uint64_t value, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    if (!roaring_add(w.state, value)) {
        roaring_make_room(&w, (RoaringSpace){.values = 1});
        roaring_push(w.state, value);
    }
    *state = w.state;
}
