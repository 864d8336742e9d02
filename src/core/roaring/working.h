/*
 * working.h - sets that grow, for the files that add to them and merge them.
 *
 * A container is single values, a page, which is its 65536 bits, or full. Host byte order:
 *
 *     0..3    as in every value; 3: 1 if the set counts by parity
 *     4..7    count: how many values wait
 *     8..11   sorted: so many of them in front are in ascending order, without duplicates
 *     12..15  entries there is room for in the directory
 *     16..19  pages there is room for
 *     then, where there is room for entries, the directory: u32 entries, u32 pages in use;
 *             entries of 16 bytes: u64 key in ascending order, u32 page or 2^32-1 for a full one
 *     ..      pages of 8192 bytes, in the order in which they were made
 *     ..      values of 4 bytes (roaring) or 8 (roaring64), to the end
 *
 * Adding appends a value. When there is no room left the values are settled: sorted, freed of
 * duplicates, and those whose container is a page become bits of it. A container of so many values
 * that they take as much as a page becomes one. Merging changes pages at once, appends the values
 * of small containers, and makes pages of large ones. A full container that is merged takes no more
 * than its entry, so that long ranges are cheap; not so where parity counts, as it may get holes.
 *
 * A group of ten 32-bit values takes 64 bytes with the length word, and a set in which every value
 * was seen once 4 bytes a value at most and as many again for a moment while it grows.
 */
#ifndef ROARING_WORKING_H
#define ROARING_WORKING_H

#include "roaring_internal.h"

typedef struct Entry {
    uint64_t key;
    uint32_t page;
    uint32_t unused;
} Entry;

#define FULL UINT32_MAX /* for a page */

typedef struct Directory {
    uint32_t entries;
    uint32_t pages;
    Entry entry[];
} Directory;

_Static_assert(sizeof(Entry) == ROARING_ENTRY_BYTES &&
                   sizeof(Directory) == ROARING_DIRECTORY_HEADER,
               "as roaring_values_at has it");

static inline uint32_t *
count_at(const uint8_t *data)
{
    return (uint32_t *)(data + 4);
}

static inline uint32_t *
sorted_at(const uint8_t *data)
{
    return (uint32_t *)(data + 8);
}

/* Room for entries and for pages. */
static inline uint32_t *
entry_slots_at(const uint8_t *data)
{
    return (uint32_t *)(data + 12);
}

static inline uint32_t *
page_slots_at(const uint8_t *data)
{
    return (uint32_t *)(data + 16);
}

/* Only where there is room for entries. */
static inline Directory *
directory_of(const uint8_t *data)
{
    return (Directory *)(data + ROARING_WORKING_HEADER);
}

static inline uint32_t
entries_in(const uint8_t *data)
{
    return *entry_slots_at(data) > 0 ? directory_of(data)->entries : 0;
}

static inline uint32_t
pages_in(const uint8_t *data)
{
    return *entry_slots_at(data) > 0 ? directory_of(data)->pages : 0;
}

static inline uint64_t *
page_of(const uint8_t *data, uint32_t page)
{
    return (uint64_t *)(data + ROARING_WORKING_HEADER + ROARING_DIRECTORY_HEADER +
                        (size_t)*entry_slots_at(data) * ROARING_ENTRY_BYTES +
                        (size_t)page * ROARING_PAGE_BYTES);
}

static inline PageChange
change_of(const uint8_t *data)
{
    return data[3] ? PAGE_FLIP : PAGE_SET;
}

static inline uint64_t
get_value(const uint8_t *data, uint32_t i)
{
    const uint8_t *values = data + roaring_values_at(data);

    return data[0] == SKETCH_ROARING ? ((const uint32_t *)values)[i]
                                     : ((const uint64_t *)values)[i];
}

static inline void
put_value(uint8_t *data, uint32_t i, uint64_t value)
{
    uint8_t *values = data + roaring_values_at(data);

    if (data[0] == SKETCH_ROARING)
        ((uint32_t *)values)[i] = (uint32_t)value;
    else
        ((uint64_t *)values)[i] = value;
}

static inline size_t
capacity_of(SketchState state)
{
    return (state.size - roaring_values_at(state.data)) / roaring_value_bytes(state.data);
}

/* Values of one container that take as much as its page. */
static inline uint32_t
page_worth(const uint8_t *data)
{
    return (uint32_t)(ROARING_PAGE_BYTES / roaring_value_bytes(data));
}

/* The end of the values of value i's container, all values being settled. */
static inline uint32_t
group_end(const uint8_t *data, uint32_t i)
{
    uint64_t key = get_value(data, i) >> 16;
    uint32_t end = i + 1;

    while (end < *count_at(data) && get_value(data, end) >> 16 == key)
        end++;
    return end;
}

static inline uint64_t *
new_page(uint8_t *data, Entry *entry, uint64_t key)
{
    Directory *directory = directory_of(data);
    uint64_t *page = page_of(data, directory->pages);

    *entry = (Entry){.key = key, .page = directory->pages++};
    memset(page, 0, ROARING_PAGE_BYTES);
    return page;
}

/* ---- working.c ---- */

/* For values that may be anything: nothing that is read or written later leaves the value. */
extern bool roaring_working_is_sound(SketchBytes value);

/*
 * Puts the values in order, those of pages and full containers into these. Takes its time once per buffer: the
 * values already in order are merged with the others, not sorted again.
 */
extern void roaring_settle(SketchState state, const SketchMemory *memory);

/* Room for so many more values, entries and pages, in a fresh value where there is none. */
extern void roaring_make_room(SketchState *state, size_t values, size_t entries, size_t pages,
                              const SketchMemory *memory);

#endif
