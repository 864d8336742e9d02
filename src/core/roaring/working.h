/*
 * working.h - sets that grow, for the files that add to them and merge them.
 *
 * A container is held as bits, as full, as lists of 16-bit values, or as single values. Host byte
 * order, except for what is copied from packed values:
 *
 *     0..     RoaringState, but for the length word
 *     20..    the directory, where there are slots for entries: u32 entries, u32 bitsets in use,
 *             u32 sorted, u32 0; then entries of 16 bytes: u64 key, ascending; u32 bitset, or
 *             2^32-1 for a full container, or 2^32-2 for none; u32 its newest list, or 0
 *     ..      bitsets of 8192 bytes
 *     ..      values of 4 bytes (roaring) or 8 (roaring64), of which the first `sorted` are in
 *             ascending order without duplicates; then free room
 *     end..   lists: u32 next older list of the container, or 0; u16 count; u16 count of this and
 *             all older ones; u16 values, ascending, little-endian; padding to 4 bytes. A list is
 *             named by its distance from the end of the value, so that lists are moved as they lie.
 *
 * Adding sets a bit, where the container is a bitset and no key between the first one and its own
 * is missing, so that there is nothing to search; else it appends a value. Merging changes bitsets
 * at once and copies arrays as they lie: a list is put in front of those its container has, unless
 * they come to more than 4096 values, which take less room as a bitset. When room runs out, values
 * are compacted: sorted, freed of duplicates and, where their container is a bitset, turned into
 * bits. If that is not enough, a small state grows as it is (a state that is mostly lists up to a
 * larger size), and a large one is regrouped: the lists and values of each container become one
 * list, or a bitset if there are more than 4096, or values if there are few. A full container takes
 * only its entry, and nothing is merged into it; a set that counts by parity has no full
 * containers, because its values may leave again.
 *
 * Memory: a group of ten 32-bit values takes 64 bytes with the length word. Random values take 2
 * bytes each, and 1 for values that wait; while a state is regrouped, less than 10 together.
 */
#ifndef ROARING_WORKING_H
#define ROARING_WORKING_H

#include "roaring_internal.h"

typedef struct RoaringList {
    uint32_t next;
    uint16_t count;
    uint16_t total; /* its count and those of all older lists */
    uint8_t lows[];
} RoaringList;

/* Requested room, by purpose. */
typedef struct RoaringSpace {
    size_t values, entries, bitsets, list_bytes;
} RoaringSpace;

static inline uint32_t
roaring_entries(const uint8_t *data)
{
    return roaring_state(data)->entry_slots > 0 ? roaring_directory(data)->entries : 0;
}

static inline uint32_t
roaring_bitsets(const uint8_t *data)
{
    return roaring_state(data)->entry_slots > 0 ? roaring_directory(data)->bitsets : 0;
}

static inline uint32_t
roaring_sorted(const uint8_t *data)
{
    return roaring_state(data)->entry_slots > 0 ? roaring_directory(data)->sorted : 0;
}

static inline void
roaring_set_sorted(uint8_t *data, uint32_t sorted)
{
    if (roaring_state(data)->entry_slots > 0)
        roaring_directory(data)->sorted = sorted;
}

static inline size_t
roaring_values_at(const uint8_t *data)
{
    return roaring_bitsets_at(data) +
           (size_t)roaring_state(data)->bitset_slots * ROARING_BITSET_BYTES;
}

/* Returns the number of pending values. */
static inline uint32_t
roaring_count(const uint8_t *data)
{
    return (uint32_t)((roaring_state(data)->next - roaring_values_at(data)) /
                      roaring_value_bytes(data));
}

static inline void
roaring_set_count(uint8_t *data, uint32_t count)
{
    roaring_state(data)->next =
        (uint32_t)(roaring_values_at(data) + (size_t)count * roaring_value_bytes(data));
}

static inline RoaringChange
roaring_change(const uint8_t *data)
{
    return roaring_state(data)->header.hash ? ROARING_FLIP : ROARING_SET;
}

/* Value i of values of 4 or 8 bytes. */
static inline uint64_t
roaring_value(const uint8_t *values, bool wide, uint32_t i)
{
    return wide ? ((const uint64_t *)values)[i] : ((const uint32_t *)values)[i];
}

static inline void
roaring_put_value(uint8_t *values, bool wide, uint32_t i, uint64_t value)
{
    if (wide)
        ((uint64_t *)values)[i] = value;
    else
        ((uint32_t *)values)[i] = (uint32_t)value;
}

/*
 * Returns the end of the values in value i's container; values ascend. The search doubles its steps
 * and then bisects, so that a container of many values is not read for its end.
 */
static inline uint32_t
roaring_group_end(const uint8_t *values, bool wide, uint32_t i, uint32_t count)
{
    const uint64_t key = roaring_value(values, wide, i) >> 16;
    uint32_t step = 1, end;

    while (step < count - i && roaring_value(values, wide, i + step) >> 16 == key)
        step *= 2;
    end = step < count - i ? i + step : count;
    for (i += step / 2 + 1; i < end;) {
        uint32_t middle = i + (end - i) / 2;

        if (roaring_value(values, wide, middle) >> 16 == key)
            i = middle + 1;
        else
            end = middle;
    }
    return end;
}

/* From this many values on, a list with its entry takes no more bytes than the values. */
#define ROARING_LIST_WORTH_MAX 12

static inline uint32_t
roaring_list_worth(const uint8_t *data)
{
    return data[0] == SKETCH_ROARING ? ROARING_LIST_WORTH_MAX : 4;
}

static inline size_t
roaring_list_bytes(uint32_t count)
{
    return sizeof(RoaringList) + ((size_t)count * ROARING_LOW_BYTES + 3) / 4 * 4;
}

/* The list at a distance from the end, which is not 0. */
static inline const RoaringList *
roaring_list(SketchBytes state, uint32_t distance)
{
    return (const RoaringList *)(state.data + state.size - distance);
}

/* Counts the values in the lists of a container, duplicates included. */
static inline uint32_t
roaring_list_total(SketchBytes state, const RoaringEntry *entry)
{
    return entry->list == 0 ? 0 : roaring_list(state, entry->list)->total;
}

static inline RoaringContainer
roaring_list_container(uint64_t key, const RoaringList *list)
{
    return (RoaringContainer){.key = key,
                              .form = ROARING_ARRAY,
                              .cardinality = list->count,
                              .count = list->count,
                              .data = list->lows};
}

/* Returns true if the value is a state of this release; what it points to is not checked. */
static inline bool
roaring_is_state(SketchBytes value)
{
    const RoaringState *set = roaring_state(value.data);

    return state_fits(value, sizeof *set) && roaring_values_at(value.data) <= set->next &&
           set->next <= set->end && set->end <= value.size;
}

/* ---- groups.c ---- */

/*
 * The containers of a state in ascending order, each with all its bits, lists and values. If the
 * set counts by parity, some may be empty. The data of a container lie in the state, in `sorted`,
 * or in the scratch, which the next step overwrites.
 */
typedef struct RoaringGroups {
    SketchBytes state;
    const RoaringEntry *entry, *entries_end;
    const uint8_t *values; /* in ascending order */
    bool wide;             /* 8 bytes each */
    uint32_t count, i;
    uint64_t *sorted; /* the values, where they were not in order */
    bool used;        /* whether `bits` are to be cleared */
    const SketchMemory *memory;
    size_t steps;
    bool counting; /* only cardinalities are wanted: a container of several parts has no data */
    uint64_t bits[ROARING_BITSET_WORDS];
    uint64_t touched[ROARING_BITSET_WORDS / 64]; /* a bit for each changed word of `bits` */
    uint8_t lows[ROARING_LOWS_BYTES];
} RoaringGroups;

extern void roaring_groups(RoaringGroups *groups, SketchBytes state, const SketchMemory *memory);
extern bool roaring_next_group(RoaringGroups *groups, RoaringContainer *container);
extern void roaring_end_groups(RoaringGroups *groups);

/* Returns true if the data of a container are in the scratch. */
static inline bool
roaring_in_scratch(const RoaringGroups *groups, const RoaringContainer *container)
{
    return container->data == groups->lows || container->data == (const uint8_t *)groups->bits;
}

/* Sorts values, which are changed; leaves each once or, counting by parity, those that are there an
 * odd number of times. Returns how many are left. */
extern size_t roaring_sort_distinct(uint64_t *values, size_t count, bool parity,
                                    const SketchMemory *memory);

/* Returns true if values of 4 or 8 bytes ascend from value `from` on, each of them once. */
extern bool roaring_ascend(const uint8_t *values, bool wide, uint32_t from, uint32_t count,
                           const SketchMemory *memory);

/* Copies values `from` to `count` - 1 as 8 bytes each. */
extern void roaring_copy_wide(uint64_t *to, const uint8_t *values, bool wide, uint32_t from,
                              uint32_t count, const SketchMemory *memory);

/* ---- place.c ---- */

/* An empty state with space. */
extern SketchState roaring_new_working(SketchKind kind, bool parity, RoaringSpace need,
                                       const SketchMemory *memory);

/*
 * Give an entry a bitset, which is not cleared; or a list of `count` values. There must be space.
 */
extern uint64_t *roaring_add_bitset(SketchState state, RoaringEntry *entry);
extern uint8_t *roaring_add_list(SketchState state, RoaringEntry *entry, uint32_t count);

/* Returns the space for a state that needs `need` now, with some for later. */
extern RoaringSpace roaring_with_slack(SketchKind kind, RoaringSpace need);

/*
 * The containers to merge come in ascending order. The search for an entry goes on from the last
 * one; new entries go behind the old ones, and roaring_merge_end puts all in order.
 */
typedef struct RoaringMerge {
    SketchState state;
    uint32_t before;   /* entries */
    uint32_t place;    /* the first of them that is not below the last key */
    size_t bitsets;    /* for containers that have no other place */
    bool certain;      /* the place of a container is the one it had when its need was counted */
    uint32_t list_max; /* values of a list at most */
} RoaringMerge;

extern RoaringMerge roaring_merge_begin(SketchState state, size_t bitsets, bool certain,
                                        uint32_t list_max);

/* Returns the entry of a key, or NULL. */
extern RoaringEntry *roaring_merge_entry(RoaringMerge *merge, uint64_t key);

/* Adds the space that a container needs to `need`. */
extern void roaring_merge_need(RoaringMerge *merge, RoaringSpace *need,
                               const RoaringContainer *container);

/* Puts a container into the state, which must have the space; `entry` is that of its key. */
extern void roaring_merge_container(RoaringMerge *merge, RoaringEntry *entry,
                                    const RoaringContainer *container);
extern void roaring_merge_end(const RoaringMerge *merge, const SketchMemory *memory);

/*
 * A fresh state of the kind of `like`, of these containers, which ascend, each with its own key;
 * with space for more. Containers in a working form have their cardinality set, except bits of
 * more than ROARING_ARRAY_MAX values.
 */
extern SketchState roaring_state_of(SketchBytes like, const RoaringContainer *containers,
                                    size_t count, RoaringSpace need, const SketchMemory *memory);

/* ---- working.c ---- */

/*
 * Makes space for more, in a fresh value if there is none. Returns true if the state was regrouped:
 * the same containers may need other space then.
 */
extern bool roaring_make_room(StateWriter *w, RoaringSpace need);

#endif
