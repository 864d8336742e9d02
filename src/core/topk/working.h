/*
 * working.h - the working encodings of topk, for the files that build and change sketches.
 *
 * Two encodings, in host byte order: exact (0x80), while nothing was dropped, and bounded (0x81),
 * which has margins as well:
 *
 *     0..3     as in every value; 3: type of the items
 *     4..11    total              12..19   error bound
 *     20..23   k                  24..27   counters in use
 *     28..31   counters there is room for
 *     32..35   slots of the index, a power of two, or 0 when there is none
 *     then     of bigints with an index only: the buffer, 8 bytes with the number of bigints in it,
 *              and 15 bigints
 *     then     counters of 16 bytes: the item's word, its count
 *     then     bounded only: margins, 8 bytes for each counter
 *     then     slots, 4 bytes each
 *     then     of text only: 4 bytes, the number of bytes of text in use; the texts, each with 4
 *              bytes of length in front, in the order of their counters
 *
 * The word of a bigint is the number itself. The word of a text is 32 bits of its hash (high) and
 * the offset of the text. A slot is the position of a counter plus 1 and above that 10 bits of the
 * item's hash, so that an item without a counter seldom costs more than a look at the index.
 *
 * The buffer takes bigints as they come, and they go on to their counters 15 at a time. With many
 * groups every look at an index or a counter is a cache miss; the misses of 15 items overlap, and a
 * row touches only the first cache lines of a state. Buffered items are part of the total; each
 * occurs once, and whatever changes counters empties the buffer first.
 *
 * A counter's margin is the error bound less its error. So only a purge has to touch the counters of
 * items that are not added or merged: a new counter has margin 0, margins stay when error bounds
 * add up, and when an item is merged its margins add up like its counts. The paper's counter, upper
 * bound less error bound, is count - margin.
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

#define TOPK_WORKING_HEADER 36
#define TOPK_TAG_SHIFT 22 /* of a slot; positions take the bits below */
#define TOPK_POSITION_MASK ((1u << TOPK_TAG_SHIFT) - 1)

_Static_assert((uint64_t)TOPK_K_MAX * 32 < TOPK_POSITION_MASK,
               "a slot holds the position of any counter");

typedef struct TopkWorkingCounter {
    uint64_t word;
    uint64_t count;
} TopkWorkingCounter;

#define TOPK_BUFFER_ITEMS 15

typedef struct TopkBuffer {
    uint64_t count;
    uint64_t words[TOPK_BUFFER_ITEMS];
} TopkBuffer;

/* ---- the parts of a value ---- */

static inline uint64_t *
topk_total_at(const uint8_t *data)
{
    return (uint64_t *)(data + 4);
}

static inline uint64_t *
topk_error_bound_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

static inline uint32_t *
topk_field_at(const uint8_t *data, unsigned at)
{
    return (uint32_t *)(data + at);
}

static inline uint32_t
topk_k(const uint8_t *data)
{
    return *topk_field_at(data, 20);
}

static inline uint32_t *
topk_count_at(const uint8_t *data)
{
    return topk_field_at(data, 24);
}

static inline uint32_t
topk_capacity(const uint8_t *data)
{
    return *topk_field_at(data, 28);
}

static inline uint32_t
topk_slots(const uint8_t *data)
{
    return *topk_field_at(data, 32);
}

static inline bool
topk_is_bounded(const uint8_t *data)
{
    return data[2] == TOPK_BOUNDED;
}

static inline size_t
topk_buffer_bytes(TopkType type, uint32_t slots)
{
    return type == TOPK_BIGINT && slots > 0 ? sizeof(TopkBuffer) : 0;
}

static inline bool
topk_has_buffer(const uint8_t *data)
{
    return topk_buffer_bytes(data[3], topk_slots(data)) > 0;
}

static inline TopkBuffer *
topk_buffer_of(const uint8_t *data)
{
    return (TopkBuffer *)(data + TOPK_WORKING_HEADER);
}

static inline TopkWorkingCounter *
topk_counters_of(const uint8_t *data)
{
    return (TopkWorkingCounter *)(data + TOPK_WORKING_HEADER +
                                  topk_buffer_bytes(data[3], topk_slots(data)));
}

static inline uint64_t *
topk_margins_of(const uint8_t *data)
{
    return (uint64_t *)(topk_counters_of(data) + topk_capacity(data));
}

static inline size_t
topk_counter_bytes(bool bounded)
{
    return sizeof(TopkWorkingCounter) + (bounded ? sizeof(uint64_t) : 0);
}

/* Where the index begins in a value of such numbers. */
static inline size_t
topk_index_offset(TopkType type, uint32_t capacity, uint32_t slots, bool bounded)
{
    return TOPK_WORKING_HEADER + topk_buffer_bytes(type, slots) +
           capacity * topk_counter_bytes(bounded);
}

static inline uint32_t *
topk_index_of(const uint8_t *data)
{
    return (uint32_t *)(data + topk_index_offset(data[3], topk_capacity(data), topk_slots(data),
                                                 topk_is_bounded(data)));
}

static inline size_t
topk_texts_offset(const uint8_t *data)
{
    return topk_index_offset(data[3], topk_capacity(data), topk_slots(data),
                             topk_is_bounded(data)) +
           topk_slots(data) * sizeof(uint32_t);
}

/* Of text: the bytes in use. */
static inline uint32_t *
topk_texts_used_at(const uint8_t *data)
{
    return (uint32_t *)(data + topk_texts_offset(data));
}

static inline uint8_t *
topk_texts_of(const uint8_t *data)
{
    return (uint8_t *)data + topk_texts_offset(data) + sizeof(uint32_t);
}

static inline size_t
topk_texts_room(SketchState state)
{
    return state.size - topk_texts_offset(state.data) - sizeof(uint32_t);
}

/* ---- items ---- */

#define TOPK_LENGTH_BYTES sizeof(uint32_t)

static inline uint32_t
topk_text_length(const uint8_t *texts, uint64_t word)
{
    uint32_t size;

    memcpy(&size, texts + (uint32_t)word, TOPK_LENGTH_BYTES);
    return size;
}

static inline uint32_t
topk_number_hash(int64_t number)
{
    return (uint32_t)(hash_int64(number) >> 32);
}

static inline uint32_t
topk_text_hash(const uint8_t *bytes, uint32_t size)
{
    return (uint32_t)(hash_bytes(bytes, size) >> 32);
}

static inline uint32_t
topk_word_hash(const uint8_t *data, uint64_t word)
{
    return data[3] == TOPK_BIGINT ? topk_number_hash((int64_t)word) : (uint32_t)(word >> 32);
}

static inline TopkItem
topk_item_of(const uint8_t *data, uint64_t word)
{
    if (data[3] == TOPK_BIGINT)
        return topk_number((int64_t)word);
    return topk_text(topk_texts_of(data) + (uint32_t)word + TOPK_LENGTH_BYTES,
                     topk_text_length(topk_texts_of(data), word));
}

/* ---- looking up ---- */

#define TOPK_NOWHERE UINT32_MAX

/* Where an item's counter is, or NOWHERE and the empty slot that a new one would take. */
typedef struct TopkFound {
    uint32_t position;
    uint32_t slot;
} TopkFound;

/* With an index. */
static inline TopkFound
topk_find_hashed(const uint8_t *data, uint32_t hash, uint64_t word)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    const uint32_t *index = topk_index_of(data);
    uint32_t slots = topk_slots(data);
    uint32_t at;

    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT == 0 && counters[position].word == word)
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOWHERE, at};
}

static inline TopkFound
topk_find_number(const uint8_t *data, int64_t number)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    uint32_t count = *topk_count_at(data);

    if (topk_slots(data) > 0)
        return topk_find_hashed(data, topk_number_hash(number), (uint64_t)number);
    for (uint32_t i = 0; i < count; i++)
        if (counters[i].word == (uint64_t)number)
            return (TopkFound){i, 0};
    return (TopkFound){TOPK_NOWHERE, 0};
}

static inline bool
topk_same_text(const uint8_t *texts, const TopkWorkingCounter *counter, uint32_t hash,
               const uint8_t *bytes, uint32_t size)
{
    return counter->word >> 32 == hash && topk_text_length(texts, counter->word) == size &&
           memcmp(texts + (uint32_t)counter->word + TOPK_LENGTH_BYTES, bytes, size) == 0;
}

static inline TopkFound
topk_find_text(const uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    const uint8_t *texts = topk_texts_of(data);
    uint32_t slots = topk_slots(data);
    uint32_t at;
    const uint32_t *index;

    if (slots == 0) {
        uint32_t count = *topk_count_at(data);

        for (uint32_t i = 0; i < count; i++)
            if (topk_same_text(texts, &counters[i], hash, bytes, size))
                return (TopkFound){i, 0};
        return (TopkFound){TOPK_NOWHERE, 0};
    }
    index = topk_index_of(data);
    /* In one of many groups these are cache misses, which do not have to wait for the first. */
    __builtin_prefetch(&counters[*topk_count_at(data)], 1);
    __builtin_prefetch(texts + *topk_texts_used_at(data), 1);
    for (at = hash & (slots - 1); index[at] != 0; at = (at + 1) & (slots - 1)) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT == 0 &&
            topk_same_text(texts, &counters[position], hash, bytes, size))
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOWHERE, at};
}

static inline void
topk_set_slot(uint8_t *data, uint32_t slot, uint32_t hash, uint32_t position)
{
    if (topk_slots(data) > 0)
        topk_index_of(data)[slot] = (hash & ~TOPK_POSITION_MASK) | (position + 1);
}

/* ---- changing ---- */

/* A state that is being changed; `original` is what the caller gave, which is not released. */
typedef struct TopkWriter {
    SketchState state;
    const uint8_t *original;
    const SketchMemory *memory;
    size_t steps; /* since the last poll */
} TopkWriter;

/* ---- grow.c ---- */

/* An empty value with room for `counters`, and for texts of `texts` bytes at least. */
extern SketchState topk_new_working(uint32_t k, TopkType type, uint32_t counters, bool bounded,
                                    size_t texts, const SketchMemory *memory);

/* A type for a value that has none yet, and margins for a value that needs them. */
extern void topk_convert(TopkWriter *w, TopkType type, bool bounded);

/* Room for one more counter and `bytes` more of texts; the state has a type. */
extern void topk_make_room(TopkWriter *w, size_t bytes);

/* ---- working.c ---- */

extern bool topk_check_type(const uint8_t *data, TopkType type, SketchError *error);
extern bool topk_check_total(const uint8_t *data, uint64_t more, SketchError *error);

/* Adds to an item's counter, or makes one; the state has the item's type. The total stays. */
extern void topk_add_counter(TopkWriter *w, const TopkItem *item, uint64_t count, uint64_t margin);

/* Gives the buffered items their counters. */
extern void topk_empty_buffer(TopkWriter *w);

#endif
