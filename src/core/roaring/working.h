/*
 * working.h - sets that grow, for the files that add to them and merge them.
 *
 * A container is held as single values, as a bitset of 65536 bits, or as full. Host byte order:
 *
 *     0..3    as in every value; 3: 1 if the set counts by parity
 *     4..7    count: how many values wait
 *     8..11   sorted: how many of them, at the front, are in ascending order without duplicates
 *     12..15  slots for entries in the directory
 *     16..19  slots for bitsets
 *     20..    the directory, where there are slots for entries: u32 entries, u32 bitsets in use;
 *             entries of 16 bytes: u64 key, ascending; u32 bitset, or 2^32-1 for a full container
 *     ..      bitsets of 8192 bytes, in the order in which they were made
 *     ..      values of 4 bytes (roaring) or 8 (roaring64), to the end
 *
 * Adding appends a value. When there is no room left the values are settled: they are sorted and
 * freed of duplicates, and values of a container that is a bitset become bits of it. Values that
 * take as many bytes as a bitset become a bitset. Merging changes bitsets at once, appends the
 * values of small containers, and makes bitsets of large ones. A full container takes only its
 * entry, so that long ranges are cheap; a set that counts by parity has none, as they get holes.
 *
 * A group of ten 32-bit values takes 64 bytes with the length word, and a set in which every value
 * was seen once 4 bytes a value at most and as many again for a moment while it grows.
 */
#ifndef ROARING_WORKING_H
#define ROARING_WORKING_H

#include "roaring_internal.h"

typedef struct RoaringEntry {
    uint64_t key;
    uint32_t bitset;
    uint32_t unused;
} RoaringEntry;

#define ROARING_FULL UINT32_MAX /* for a bitset */

typedef struct RoaringDirectory {
    uint32_t entries;
    uint32_t bitsets;
    RoaringEntry entry[];
} RoaringDirectory;

_Static_assert(sizeof(RoaringEntry) == ROARING_ENTRY_BYTES &&
                   sizeof(RoaringDirectory) == ROARING_DIRECTORY_HEADER,
               "as roaring_values_at has it");

static inline uint32_t *
roaring_count(const uint8_t *data)
{
    return (uint32_t *)(data + 4);
}

static inline uint32_t *
roaring_sorted(const uint8_t *data)
{
    return (uint32_t *)(data + 8);
}

/* Room for entries and for bitsets. */
static inline uint32_t *
roaring_entry_slots(const uint8_t *data)
{
    return (uint32_t *)(data + 12);
}

static inline uint32_t *
roaring_bitset_slots(const uint8_t *data)
{
    return (uint32_t *)(data + 16);
}

/* Only where there is room for entries. */
static inline RoaringDirectory *
roaring_directory(const uint8_t *data)
{
    return (RoaringDirectory *)(data + ROARING_WORKING_HEADER);
}

static inline uint32_t
roaring_entries(const uint8_t *data)
{
    return *roaring_entry_slots(data) > 0 ? roaring_directory(data)->entries : 0;
}

static inline uint32_t
roaring_bitsets(const uint8_t *data)
{
    return *roaring_entry_slots(data) > 0 ? roaring_directory(data)->bitsets : 0;
}

static inline uint64_t *
roaring_bitset(const uint8_t *data, uint32_t bitset)
{
    return (uint64_t *)(data + ROARING_WORKING_HEADER + ROARING_DIRECTORY_HEADER +
                        (size_t)*roaring_entry_slots(data) * ROARING_ENTRY_BYTES +
                        (size_t)bitset * ROARING_BITSET_BYTES);
}

static inline RoaringChange
roaring_change(const uint8_t *data)
{
    return data[3] ? ROARING_FLIP : ROARING_SET;
}

static inline uint64_t
roaring_get_value(const uint8_t *data, uint32_t i)
{
    const uint8_t *values = data + roaring_values_at(data);

    return data[0] == SKETCH_ROARING ? ((const uint32_t *)values)[i]
                                     : ((const uint64_t *)values)[i];
}

static inline void
roaring_put_value(uint8_t *data, uint32_t i, uint64_t value)
{
    uint8_t *values = data + roaring_values_at(data);

    if (data[0] == SKETCH_ROARING)
        ((uint32_t *)values)[i] = (uint32_t)value;
    else
        ((uint64_t *)values)[i] = value;
}

static inline size_t
roaring_capacity(SketchState state)
{
    return (state.size - roaring_values_at(state.data)) / roaring_value_bytes(state.data);
}

/* Values of one container that take as much as its bitset. */
static inline uint32_t
roaring_bitset_worth(const uint8_t *data)
{
    return (uint32_t)(ROARING_BITSET_BYTES / roaring_value_bytes(data));
}

/* The end of the values of value i's container, all values being settled. */
static inline uint32_t
roaring_group_end(const uint8_t *data, uint32_t i)
{
    uint64_t key = roaring_get_value(data, i) >> 16;
    uint32_t end = i + 1;

    while (end < *roaring_count(data) && roaring_get_value(data, end) >> 16 == key)
        end++;
    return end;
}

static inline uint64_t *
roaring_new_bitset(uint8_t *data, RoaringEntry *entry, uint64_t key)
{
    RoaringDirectory *directory = roaring_directory(data);
    uint64_t *bitset = roaring_bitset(data, directory->bitsets);

    *entry = (RoaringEntry){.key = key, .bitset = directory->bitsets++};
    memset(bitset, 0, ROARING_BITSET_BYTES);
    return bitset;
}

/* ---- working.c ---- */

/* For values that may be anything: nothing that is read or written later leaves the value. */
extern bool roaring_working_is_sound(SketchBytes value);

/*
 * Puts the values in order; those of bitsets become bits, those of full containers go. Values that
 * are in order already are merged with the others, not sorted again.
 */
extern void roaring_settle(SketchState state, const SketchMemory *memory);

/* Room for so many more values, entries and bitsets, in a fresh value where there is none. */
extern void roaring_make_room(SketchState *state, size_t values, size_t entries, size_t bitsets,
                              const SketchMemory *memory);

#endif
