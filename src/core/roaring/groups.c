/*
 * groups.c - the containers of a state, each made of its bits, lists and values.
 *
 * Lists of a container are merged by setting bits in 8 kB that stay in the processor's first cache.
 * If the values are few, a second level, a bit for each changed word, leads to the words that have
 * to be read and cleared.
 */
#include "core/common/polled.h"
#include "core/common/sort.h"

#include "working.h"

#define MAX_NOTED_VALUES 512 /* up to this many, the words they change are noted */

/* ---- values in order ---- */

bool
roaring_ascend(const uint8_t *values, bool wide, uint32_t from, uint32_t count,
               const SketchMemory *memory)
{
    POLLED_FOR (i, from > 0 ? from : 1, count, 1, memory)
        if (roaring_value(values, wide, (uint32_t)i) <=
            roaring_value(values, wide, (uint32_t)i - 1))
            return false;
    return true;
}

void
roaring_copy_wide(uint64_t *to, const uint8_t *values, bool wide, uint32_t from, uint32_t count,
                  const SketchMemory *memory)
{
    POLLED_FOR (i, from, count, 1, memory)
        *to++ = roaring_value(values, wide, (uint32_t)i);
}

size_t
roaring_sort_distinct(uint64_t *values, size_t count, bool parity, const SketchMemory *memory)
{
    uint64_t *other = memory->scratch(count * sizeof64(*other) + 1, memory->context);
    size_t left = 0, steps = 0;

    sort_u64(values, count, other, memory);
    memory->release(other, memory->context);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;

        while (end < count && values[end] == values[i])
            end++;
        if (!parity || (end - i) % 2 == 1)
            values[left++] = values[i];
        sketch_poll(memory, &steps, end - i);
        i = end;
    }
    return left;
}

/* ---- groups ---- */

void
roaring_groups(RoaringGroups *groups, SketchBytes state, const SketchMemory *memory)
{
    const uint8_t *data = state.data;

    groups->state = state;
    groups->entry = roaring_directory(data)->entry;
    groups->entries_end = groups->entry + roaring_entries(data);
    groups->values = data + roaring_values_at(data);
    groups->wide = data[0] == SKETCH_ROARING64;
    groups->count = roaring_count(data);
    groups->i = 0;
    groups->sorted = NULL;
    groups->memory = memory;
    groups->steps = 0;
    groups->used = groups->counting = false;
    memset(groups->bits, 0, sizeof groups->bits);
    memset(groups->touched, 0, sizeof groups->touched);
    if (roaring_ascend(groups->values, groups->wide, roaring_sorted(data), groups->count, memory))
        return;
    groups->sorted = memory->scratch(groups->count * sizeof64(*groups->sorted), memory->context);
    roaring_copy_wide(groups->sorted, groups->values, groups->wide, 0, groups->count, memory);
    groups->count = (uint32_t)roaring_sort_distinct(groups->sorted, groups->count,
                                                    roaring_state(data)->header.hash, memory);
    groups->values = (const uint8_t *)groups->sorted;
    groups->wide = true;
}

void
roaring_end_groups(RoaringGroups *groups)
{
    if (groups->sorted)
        groups->memory->release(groups->sorted, groups->memory->context);
}

static inline void
touch(RoaringGroups *groups, uint32_t low, RoaringChange change)
{
    uint32_t word = low >> 6;

    roaring_change_value(groups->bits, low, change);
    groups->touched[word >> 6] |= UINT64_C(1) << (word & 63);
}

static inline void
touch_all(RoaringGroups *groups, const RoaringContainer *container, RoaringChange change)
{
    if (container->form == ROARING_ARRAY)
        for (uint32_t i = 0; i < container->count; i++)
            touch(groups, roaring_low(container, i), change);
    else
        for (uint32_t i = 0; i < container->count; i++)
            touch(groups, roaring_listed(container, i), change);
}

/* Collects the values of the touched words and clears these. */
static uint32_t
collect(RoaringGroups *groups)
{
    uint32_t n = 0;

    for (unsigned i = 0; i < ROARING_BITSET_WORDS / 64; i++) {
        for (uint64_t words = groups->touched[i]; words != 0; words &= words - 1) {
            unsigned word = i * 64 + (unsigned)__builtin_ctzll(words);

            for (uint64_t bits = groups->bits[word]; bits != 0; bits &= bits - 1)
                roaring_put_low(groups->lows, n++, word * 64 + (unsigned)__builtin_ctzll(bits));
            groups->bits[word] = 0;
        }
        groups->touched[i] = 0;
    }
    return n;
}

/* Builds the container of lists and values, MAX_NOTED_VALUES at most in all. */
static RoaringContainer
merge_values(RoaringGroups *groups, uint32_t list, const RoaringContainer *values)
{
    RoaringChange change = roaring_change(groups->state.data);
    RoaringContainer container = *values;

    for (; list != 0; list = roaring_list(groups->state, list)->next) {
        container = roaring_list_container(values->key, roaring_list(groups->state, list));
        if (change == ROARING_SET)
            touch_all(groups, &container, ROARING_SET);
        else
            touch_all(groups, &container, ROARING_FLIP);
    }
    touch_all(groups, values, change);
    container.count = container.cardinality = collect(groups);
    container.form = ROARING_ARRAY;
    container.data = groups->lows;
    return container;
}

/*
 * Sets or flips the values, and adds to `cardinality` those that are new, less those that are gone.
 */
static inline uint32_t
count_changes(uint64_t *bits, const RoaringContainer *container, RoaringChange change,
              uint32_t cardinality)
{
    for (uint32_t i = 0; i < container->count; i++) {
        uint32_t low = roaring_listed(container, i);
        uint32_t was = bits[low >> 6] >> (low & 63) & 1;

        roaring_change_value(bits, low, change);
        cardinality += change == ROARING_SET ? !was : 1 - 2 * was;
    }
    return cardinality;
}

static inline void
clear_words(uint64_t *bits, const RoaringContainer *container)
{
    for (uint32_t i = 0; i < container->count; i++)
        bits[roaring_listed(container, i) >> 6] = 0;
}

/* Returns the cardinality that merge_values would give, without building the container. */
static RoaringContainer
count_merged_values(RoaringGroups *groups, uint32_t list, const RoaringContainer *values)
{
    RoaringChange change = roaring_change(groups->state.data);
    uint32_t n = count_changes(groups->bits, values, change, 0);
    RoaringContainer container;

    for (uint32_t next = list; next != 0; next = roaring_list(groups->state, next)->next) {
        container = roaring_list_container(0, roaring_list(groups->state, next));
        n = change == ROARING_SET ? count_changes(groups->bits, &container, ROARING_SET, n)
                                  : count_changes(groups->bits, &container, ROARING_FLIP, n);
    }
    for (; list != 0; list = roaring_list(groups->state, list)->next) {
        container = roaring_list_container(0, roaring_list(groups->state, list));
        clear_words(groups->bits, &container);
    }
    clear_words(groups->bits, values);
    return (RoaringContainer){.form = ROARING_ARRAY, .cardinality = n};
}

/*
 * The container of any bits, lists and values. It lies in `bits` until the next step; in `lows` if
 * there were no bits before and it has at most 4096 values.
 */
static RoaringContainer
merge_bitsets(RoaringGroups *groups, const RoaringEntry *entry, const RoaringContainer *values,
              uint32_t total)
{
    RoaringChange change = roaring_change(groups->state.data);
    RoaringContainer result = {
        .key = entry->key, .form = ROARING_WORDS, .data = (const uint8_t *)groups->bits};

    if (entry->bitset != ROARING_NO_BITSET)
        memcpy(groups->bits, roaring_bitset(groups->state.data, entry->bitset),
               ROARING_BITSET_BYTES);
    for (uint32_t list = entry->list; list != 0; list = roaring_list(groups->state, list)->next) {
        RoaringContainer container =
            roaring_list_container(entry->key, roaring_list(groups->state, list));

        roaring_change_bitset(groups->bits, &container, change);
    }
    roaring_change_bitset(groups->bits, values, change);
    if (entry->bitset != ROARING_NO_BITSET || groups->counting ||
        (total > ROARING_ARRAY_MAX &&
         roaring_bitset_cardinality(groups->bits) > ROARING_ARRAY_MAX)) {
        groups->used = true;
        return result;
    }
    result.form = ROARING_ARRAY;
    result.data = groups->lows;
    result.count = result.cardinality = roaring_take_lows(groups->bits, groups->lows);
    return result;
}

static RoaringContainer
merge_parts(RoaringGroups *groups, const RoaringEntry *entry, const RoaringContainer *values)
{
    uint32_t total = values->count, list = entry->list;

    if (entry->bitset == ROARING_FULL)
        return roaring_full_container(entry->key);
    if (entry->list == 0 && entry->bitset == ROARING_NO_BITSET)
        return *values;
    if (entry->list == 0 && values->count == 0)
        return (RoaringContainer){
            .key = entry->key,
            .form = ROARING_WORDS,
            .data = (const uint8_t *)roaring_bitset(groups->state.data, entry->bitset)};
    if (entry->bitset == ROARING_NO_BITSET && values->count == 0 &&
        roaring_list(groups->state, list)->next == 0)
        return roaring_list_container(entry->key, roaring_list(groups->state, list));
    for (; list != 0 && total <= ROARING_ARRAY_MAX; list = roaring_list(groups->state, list)->next)
        total += roaring_list(groups->state, list)->count;
    sketch_poll(groups->memory, &groups->steps, total);
    if (groups->used)
        memset(groups->bits, 0, sizeof groups->bits);
    groups->used = false;
    if (entry->bitset == ROARING_NO_BITSET && total <= MAX_NOTED_VALUES && groups->counting)
        return count_merged_values(groups, entry->list, values);
    if (entry->bitset == ROARING_NO_BITSET && total <= MAX_NOTED_VALUES)
        return merge_values(groups, entry->list, values);
    return merge_bitsets(groups, entry, values, total);
}

bool
roaring_next_group(RoaringGroups *groups, RoaringContainer *container)
{
    uint64_t key = groups->i < groups->count
                       ? roaring_value(groups->values, groups->wide, groups->i) >> 16
                       : UINT64_MAX;
    RoaringContainer values = {.form = groups->wide ? ROARING_VALUES64 : ROARING_VALUES32};

    sketch_poll(groups->memory, &groups->steps, 32);
    if (groups->entry == groups->entries_end && groups->i == groups->count)
        return false;
    if (groups->entry == groups->entries_end || key <= groups->entry->key) {
        uint32_t end = roaring_group_end(groups->values, groups->wide, groups->i, groups->count);

        values.count = values.cardinality = end - groups->i;
        values.data = groups->values + (size_t)groups->i * (groups->wide ? 8 : 4);
        groups->i = end;
    }
    if (groups->entry == groups->entries_end || key < groups->entry->key) {
        values.key = key;
        *container = values;
    } else {
        values.key = groups->entry->key;
        *container = merge_parts(groups, groups->entry++, &values);
    }
    return true;
}

int64_t
roaring_cardinality(SketchBytes value, const SketchMemory *memory)
{
    RoaringContainer container;
    RoaringGroups groups;
    int64_t cardinality = 0;

    if (!sketch_is_working(value.data))
        return (int64_t)roaring_packed_cardinality(value.data);
    if (!roaring_is_state(value))
        return -1;
    roaring_groups(&groups, value, memory);
    groups.counting = true;
    while (roaring_next_group(&groups, &container))
        cardinality += container.form == ROARING_WORDS
                           ? roaring_bitset_cardinality((const uint64_t *)container.data)
                           : container.cardinality;
    roaring_end_groups(&groups);
    return cardinality;
}
