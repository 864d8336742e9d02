/*
 * working.h - the working encodings of topk, for the files that build and change sketches.
 *
 * Two encodings, in host byte order: exact (0x80), while nothing was dropped, and bounded (0x81),
 * which has deficits as well:
 *
 *     0..3     as in every value; 3: type of the items
 *     4..11    total              12..19   floor
 *     20..23   k                  24..27   counters in use
 *     28..31   counters there is room for
 *     32..35   slots of the index, a power of two, or 0 when there is none
 *     then     of bigints with an index only: the stage, 8 bytes that tell how many bigints are in
 *              it, and 15 bigints
 *     then     counters of 16 bytes: the item's word, its count
 *     then     bounded only: deficits, 8 bytes for each counter
 *     then     slots, 4 bytes each
 *     then     of text only: 4 bytes, how many bytes of the heap are in use; the heap: items, each
 *              with 4 bytes of length in front, in the order of their counters
 *
 * An item's word is the bigint itself; or of a text 32 bits of its hash (high) and where in the heap
 * it is. A slot is the place of a counter plus 1 and above that 10 bits of the item's hash, so that
 * an item without a counter seldom costs more than a look at the index.
 *
 * The stage takes bigints as they come, and they go on to their counters 15 at a time. With many
 * groups every look at an index or a counter is a cache miss; those of 15 items are under way
 * together, and what a row touches are the first cache lines of a state. Staged items are part of
 * the total; each occurs once, and whatever changes counters places them first.
 *
 * A counter's deficit is the floor less its error. So nothing but a purge has to touch the counters
 * that a new or merged item does not concern: a new counter has deficit 0, when floors add up
 * deficits stay, and when an item is merged its deficits add up like its counts. The paper's
 * counter, upper bound less floor, is count - deficit.
 *
 * A few counters are searched one by one; from 1 kB on there is an index. A state of ten bigints
 * takes 200 bytes with the length word. Sizes up to 4 kB fill the chunks of the database's
 * allocator; those beyond 8 kB, which it does not round up and gives back when freed, grow by a
 * third or a half.
 *
 * grow.c      sizes, growing, purging
 * working.c   adding
 * merge.c     reading, opening, merging
 */
#ifndef TOPK_WORKING_H
#define TOPK_WORKING_H

#include "core/common/hash.h"
#include "topk_internal.h"

#define HEADER 36
#define TAG_SHIFT 22 /* of a slot; places take the bits below */
#define PLACE_MASK ((1u << TAG_SHIFT) - 1)

_Static_assert((uint64_t)TOPK_K_MAX * 32 < PLACE_MASK, "a slot holds the place of any counter");

typedef struct Tally {
    uint64_t word;
    uint64_t count;
} Tally;

#define STAGE_ITEMS 15

typedef struct Stage {
    uint64_t count;
    uint64_t words[STAGE_ITEMS];
} Stage;

/* ---- the parts of a value ---- */

static inline uint64_t *
total_at(const uint8_t *data)
{
    return (uint64_t *)(data + 4);
}

static inline uint64_t *
floor_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

static inline uint32_t *
field_at(const uint8_t *data, unsigned at)
{
    return (uint32_t *)(data + at);
}

static inline uint32_t
k_of(const uint8_t *data)
{
    return *field_at(data, 20);
}

static inline uint32_t *
counters_at(const uint8_t *data)
{
    return field_at(data, 24);
}

static inline uint32_t
capacity_of(const uint8_t *data)
{
    return *field_at(data, 28);
}

static inline uint32_t
slots_of(const uint8_t *data)
{
    return *field_at(data, 32);
}

static inline bool
is_bounded(const uint8_t *data)
{
    return data[2] == TOPK_BOUNDED;
}

static inline size_t
stage_bytes(TopkType type, uint32_t slots)
{
    return type == TOPK_BIGINT && slots > 0 ? sizeof(Stage) : 0;
}

static inline bool
has_stage(const uint8_t *data)
{
    return stage_bytes(data[3], slots_of(data)) > 0;
}

static inline Stage *
stage_of(const uint8_t *data)
{
    return (Stage *)(data + HEADER);
}

static inline Tally *
tallies_of(const uint8_t *data)
{
    return (Tally *)(data + HEADER + stage_bytes(data[3], slots_of(data)));
}

static inline uint64_t *
deficits_of(const uint8_t *data)
{
    return (uint64_t *)(tallies_of(data) + capacity_of(data));
}

static inline size_t
tally_bytes(bool bounded)
{
    return sizeof(Tally) + (bounded ? sizeof(uint64_t) : 0);
}

/* Where the index begins in a value of such numbers. */
static inline size_t
index_offset(TopkType type, uint32_t capacity, uint32_t slots, bool bounded)
{
    return HEADER + stage_bytes(type, slots) + capacity * tally_bytes(bounded);
}

static inline uint32_t *
index_of(const uint8_t *data)
{
    return (uint32_t *)(data +
                        index_offset(data[3], capacity_of(data), slots_of(data), is_bounded(data)));
}

static inline size_t
heap_offset(const uint8_t *data)
{
    return index_offset(data[3], capacity_of(data), slots_of(data), is_bounded(data)) +
           slots_of(data) * sizeof(uint32_t);
}

/* Of text: the bytes of the heap in use. */
static inline uint32_t *
used_at(const uint8_t *data)
{
    return (uint32_t *)(data + heap_offset(data));
}

static inline uint8_t *
heap_of(const uint8_t *data)
{
    return (uint8_t *)data + heap_offset(data) + sizeof(uint32_t);
}

static inline size_t
heap_room(SketchState state)
{
    return state.size - heap_offset(state.data) - sizeof(uint32_t);
}

/* ---- items ---- */

#define LENGTH_BYTES sizeof(uint32_t)

static inline uint32_t
text_length(const uint8_t *heap, uint64_t word)
{
    uint32_t size;

    memcpy(&size, heap + (uint32_t)word, LENGTH_BYTES);
    return size;
}

static inline uint32_t
number_hash(int64_t number)
{
    return (uint32_t)(hash_int64(number) >> 32);
}

static inline uint32_t
text_hash(const uint8_t *bytes, uint32_t size)
{
    return (uint32_t)(hash_bytes(bytes, size) >> 32);
}

static inline uint32_t
word_hash(const uint8_t *data, uint64_t word)
{
    return data[3] == TOPK_BIGINT ? number_hash((int64_t)word) : (uint32_t)(word >> 32);
}

static inline TopkItem
item_of(const uint8_t *data, uint64_t word)
{
    if (data[3] == TOPK_BIGINT)
        return topk_number((int64_t)word);
    return topk_text(heap_of(data) + (uint32_t)word + LENGTH_BYTES,
                     text_length(heap_of(data), word));
}

/* ---- looking up ---- */

#define NOWHERE UINT32_MAX

/* Where an item's counter is, or NOWHERE and the empty slot that a new one would take. */
typedef struct Found {
    uint32_t place;
    uint32_t slot;
} Found;

/* With an index. */
static inline Found
find_hashed(const uint8_t *data, uint32_t hash, uint64_t word)
{
    const Tally *tallies = tallies_of(data);
    const uint32_t *index = index_of(data);
    uint32_t slots = slots_of(data);
    uint32_t at;

    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t place = (index[at] & PLACE_MASK) - 1;

        if ((index[at] ^ hash) >> TAG_SHIFT == 0 && tallies[place].word == word)
            return (Found){place, at};
    }
    return (Found){NOWHERE, at};
}

static inline Found
find_number(const uint8_t *data, int64_t number)
{
    const Tally *tallies = tallies_of(data);
    uint32_t count = *counters_at(data);

    if (slots_of(data) > 0)
        return find_hashed(data, number_hash(number), (uint64_t)number);
    for (uint32_t i = 0; i < count; i++)
        if (tallies[i].word == (uint64_t)number)
            return (Found){i, 0};
    return (Found){NOWHERE, 0};
}

static inline bool
same_text(const uint8_t *heap, const Tally *tally, uint32_t hash, const uint8_t *bytes,
          uint32_t size)
{
    return tally->word >> 32 == hash && text_length(heap, tally->word) == size &&
           memcmp(heap + (uint32_t)tally->word + LENGTH_BYTES, bytes, size) == 0;
}

static inline Found
find_text(const uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    const Tally *tallies = tallies_of(data);
    const uint8_t *heap = heap_of(data);
    uint32_t slots = slots_of(data);
    uint32_t at;
    const uint32_t *index;

    if (slots == 0) {
        uint32_t count = *counters_at(data);

        for (uint32_t i = 0; i < count; i++)
            if (same_text(heap, &tallies[i], hash, bytes, size))
                return (Found){i, 0};
        return (Found){NOWHERE, 0};
    }
    index = index_of(data);
    /* In one of many groups these are cache misses, which do not have to wait for the first. */
    __builtin_prefetch(&tallies[*counters_at(data)], 1);
    __builtin_prefetch(heap + *used_at(data), 1);
    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t place = (index[at] & PLACE_MASK) - 1;

        if ((index[at] ^ hash) >> TAG_SHIFT == 0 &&
            same_text(heap, &tallies[place], hash, bytes, size))
            return (Found){place, at};
    }
    return (Found){NOWHERE, at};
}

static inline void
set_slot(uint8_t *data, uint32_t slot, uint32_t hash, uint32_t place)
{
    if (slots_of(data) > 0)
        index_of(data)[slot] = (hash & ~PLACE_MASK) | (place + 1);
}

/* ---- grow.c; `original` is the data of a state that may not be released ---- */

/* An empty value with room for `counters`; `heap` bytes of items are what a text needs at least. */
extern SketchState topk_new_working(uint32_t k, TopkType type, uint32_t counters, bool bounded,
                                    size_t heap, const SketchMemory *memory);

/* A type for a value that has none yet, and deficits for one that needs them. */
extern void topk_convert(SketchState *state, TopkType type, bool bounded, const uint8_t *original,
                         const SketchMemory *memory);

/* Room for one more counter and, of a text, `bytes` more of the heap; the state has a type. */
extern void topk_make_room(SketchState *state, size_t bytes, const uint8_t *original,
                           const SketchMemory *memory);

/* ---- working.c ---- */

extern bool topk_check_type(const uint8_t *data, TopkType type, SketchError *error);
extern bool topk_check_total(const uint8_t *data, uint64_t more, SketchError *error);

/* Adds to an item's counter, or makes one; the state is of the item's type, the total the caller's. */
extern void topk_add_counter(SketchState *state, const TopkItem *item, uint64_t count,
                             uint64_t deficit, const uint8_t *original, const SketchMemory *memory);

/* Gives the staged items their counters. */
extern void topk_place_staged(SketchState *state, const uint8_t *original,
                              const SketchMemory *memory);

#endif
