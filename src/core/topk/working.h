/*
 * working.h - the working encodings of topk, for the files that build and change sketches.
 *
 * A sketch begins as a list (0x80), which is exact. When it has more than 1536 items or more than
 * 64 kB of them it gets an index (0x81). Both are in host byte order and begin alike:
 *
 *     0..3     as in every value; 3: type of the items
 *     4..11    total              12..15   k
 *     16..19   bytes of the log   20..23   records
 *
 * The log takes items as they come, with or without a counter. A record is a count and an item, in
 * the groups of 7 bits of the packed form; of a text its length and its bytes. Adding appends a
 * record to the log, so a row touches the header and the log only, two cache lines of one page.
 * With many groups nothing else matters.
 *
 * A list:
 *
 *     24..27   bytes of records behind the log
 *     28..123  the log
 *     124..    records
 *
 * When the log is full its records go behind the others. When there is no room for them the list is
 * settled: records of one item become one, found with an index in scratch memory. Then it grows, if
 * more than half is still in use. The steps are large up to 8 kB, because groups may grow in step
 * and no other group has a use for the memory that a group leaves behind then; larger chunks the
 * allocator gives back. A list of ten bigints takes 128 bytes with the length word: it has no room
 * behind the log yet.
 *
 * A value with an index:
 *
 *     24..27   counters in use    28..35   error bound
 *     36..39   counters there is room for
 *     40..43   slots of the index, a power of two
 *     44..     the log, 1 kB
 *     then     counters of 24 bytes: the item's word, its count, its margin
 *     then     slots, 4 bytes each
 *     then     of text only: 4 bytes, the number of bytes of text in use; the texts, each with 4
 *              bytes of length in front, in the order of their counters
 *
 * When its log is full its items go on to the counters, 16 at a time. Their cache misses overlap:
 * all slots are prefetched before the first counter is looked for.
 *
 * The word of a bigint is the number itself. The word of a text is 32 bits of its hash (high) and
 * the offset of the text. A slot is the position of a counter plus 1 and above that 10 bits of the
 * item's hash, so that an item without a counter seldom costs more than a look at the index.
 *
 * A counter's margin is the error bound less its error. So only a purge has to touch the counters
 * of items that are not added or merged: a new counter has margin 0, margins stay when error bounds
 * add up, and when an item is merged its margins add up like its counts. The paper's counter, upper
 * bound less error bound, is count - margin.
 *
 * list.c      the log and lists
 * grow.c      values with an index: sizes, growing, purging
 * working.c   adding
 * read.c, merge.c   reading, opening, merging
 */
#ifndef TOPK_WORKING_H
#define TOPK_WORKING_H

#include "core/common/hash.h"
#include "topk_internal.h"

#define TOPK_LIST_HEADER 28
#define TOPK_LIST_LOG_BYTES 96
#define TOPK_LIST_BODY (TOPK_LIST_HEADER + TOPK_LIST_LOG_BYTES)
#define TOPK_INDEXED_HEADER 44
#define TOPK_LOG_BYTES 1024 /* of a value with an index */
#define TOPK_LIST_ITEMS 1536
#define TOPK_LIST_BYTES 65536

#define TOPK_TAG_SHIFT 22 /* of a slot; positions take the bits below */
#define TOPK_POSITION_MASK ((1u << TOPK_TAG_SHIFT) - 1)

_Static_assert((uint64_t)TOPK_K_MAX * 32 < TOPK_POSITION_MASK,
               "a slot holds the position of any counter");

typedef struct TopkWorkingCounter {
    uint64_t word;
    uint64_t count;
    uint64_t margin;
} TopkWorkingCounter;

/* ---- the parts of a value ---- */

static inline uint64_t *
topk_total_at(const uint8_t *data)
{
    return (uint64_t *)(data + 4);
}

static inline uint32_t *
topk_field_at(const uint8_t *data, unsigned at)
{
    return (uint32_t *)(data + at);
}

static inline uint32_t
topk_k(const uint8_t *data)
{
    return *topk_field_at(data, 12);
}

static inline uint32_t *
topk_log_used_at(const uint8_t *data)
{
    return topk_field_at(data, 16);
}

/* How many there are, in the log and behind it. */
static inline uint32_t *
topk_records_at(const uint8_t *data)
{
    return topk_field_at(data, 20);
}

static inline bool
topk_has_index(const uint8_t *data)
{
    return data[2] == TOPK_INDEXED;
}

static inline uint8_t *
topk_log(const uint8_t *data)
{
    return (uint8_t *)data + (topk_has_index(data) ? TOPK_INDEXED_HEADER : TOPK_LIST_HEADER);
}

static inline size_t
topk_log_room(const uint8_t *data)
{
    return topk_has_index(data) ? TOPK_LOG_BYTES : TOPK_LIST_LOG_BYTES;
}

/* Of a list: its records behind the log, and how many bytes there are for them. */

static inline uint32_t *
topk_list_used_at(const uint8_t *data)
{
    return topk_field_at(data, 24);
}

static inline uint8_t *
topk_list_records(const uint8_t *data)
{
    return (uint8_t *)data + TOPK_LIST_BODY;
}

static inline size_t
topk_list_room(SketchState state)
{
    return state.size - TOPK_LIST_BODY;
}

/* What follows is of values with an index only. */

static inline uint32_t *
topk_count_at(const uint8_t *data)
{
    return topk_field_at(data, 24);
}

static inline uint64_t *
topk_error_bound_at(const uint8_t *data)
{
    return (uint64_t *)(data + 28);
}

static inline uint32_t
topk_capacity(const uint8_t *data)
{
    return *topk_field_at(data, 36);
}

static inline uint32_t
topk_slots(const uint8_t *data)
{
    return *topk_field_at(data, 40);
}

static inline TopkWorkingCounter *
topk_counters_of(const uint8_t *data)
{
    return (TopkWorkingCounter *)(data + TOPK_INDEXED_HEADER + TOPK_LOG_BYTES);
}

static inline uint32_t *
topk_index_of(const uint8_t *data)
{
    return (uint32_t *)(topk_counters_of(data) + topk_capacity(data));
}

/* Where texts begin in a value with this room for counters and slots. */
static inline size_t
topk_texts_offset(uint32_t capacity, uint32_t slots)
{
    return TOPK_INDEXED_HEADER + TOPK_LOG_BYTES + capacity * sizeof(TopkWorkingCounter) +
           slots * sizeof(uint32_t);
}

/* Of text: the bytes in use. */
static inline uint32_t *
topk_texts_used_at(const uint8_t *data)
{
    return (uint32_t *)(topk_index_of(data) + topk_slots(data));
}

static inline uint8_t *
topk_texts_of(const uint8_t *data)
{
    return (uint8_t *)(topk_texts_used_at(data) + 1);
}

static inline size_t
topk_texts_room(SketchState state)
{
    return state.size - (size_t)(topk_texts_of(state.data) - state.data);
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
topk_item_hash(const TopkItem *item)
{
    return item->type == TOPK_BIGINT ? topk_number_hash(item->number)
                                     : topk_text_hash(item->bytes, item->size);
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

/* ---- records ---- */

#define TOPK_RECORD_BYTES_MIN 2

static inline size_t
topk_record_bytes(const TopkItem *item, uint64_t count)
{
    if (item->type == TOPK_BIGINT)
        return varint_bytes(count) + varint_bytes(zigzag(item->number));
    return varint_bytes(count) + varint_bytes(item->size) + item->size;
}

static inline uint8_t *
topk_write_record(uint8_t *to, const TopkItem *item, uint64_t count)
{
    to = write_varint(to, count);
    if (item->type == TOPK_BIGINT)
        return write_varint(to, zigzag(item->number));
    to = write_varint(to, item->size);
    memcpy(to, item->bytes, item->size);
    return to + item->size;
}

/*
 * The next record of a log, into *to, with error 0; the reader fails at bytes that are none. (A
 * result would be put together from narrow stores and copied with wide loads, which wait for them.)
 */
static inline void
topk_read_record(ByteReader *r, TopkType type, TopkCounter *to)
{
    uint64_t number;

    to->item.type = type;
    to->item.size = 0;
    to->count = read_varint(r);
    to->error = 0;
    number = read_varint(r);
    if (type == TOPK_BIGINT) {
        to->item.number = unzigzag(number);
        return;
    }
    if (number > TOPK_ITEM_MAX) {
        r->failed = true;
        number = 0;
    }
    to->item.size = (uint32_t)number;
    to->item.bytes = read_span(r, (size_t)number);
}

/* ---- counters in scratch memory, with an index of their items ---- */

typedef struct TopkItems {
    TopkCounter *counters;
    uint32_t count;
    uint32_t mask; /* of the slots */
    uint32_t *slots;
} TopkItems;

/* With room for `most` items. */
static inline TopkItems
topk_items(uint32_t most, const SketchMemory *memory)
{
    uint32_t slots = 16;
    TopkItems items = {.count = 0};

    while (slots < most + most / 2)
        slots *= 2;
    items.mask = slots - 1;
    items.counters = memory->scratch(most * sizeof *items.counters + 1, memory->context);
    items.slots = memory->scratch(slots * sizeof *items.slots, memory->context);
    memset(items.slots, 0, slots * sizeof *items.slots);
    return items;
}

static inline void
topk_items_close(TopkItems *items, const SketchMemory *memory)
{
    memory->release(items->slots, memory->context);
    memory->release(items->counters, memory->context);
}

static inline bool
topk_same_item(const TopkItem *a, const TopkItem *b)
{
    return a->type == TOPK_BIGINT ? a->number == b->number
                                  : a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* The counter of an item, or NULL and where in the index it would be. */
static inline TopkCounter *
topk_items_find(const TopkItems *items, const TopkItem *item, uint32_t hash, uint32_t *slot)
{
    uint32_t at = hash & items->mask;

    for (; items->slots[at] != 0; at = (at + 1) & items->mask) {
        TopkCounter *counter = &items->counters[(items->slots[at] & TOPK_POSITION_MASK) - 1];

        if ((items->slots[at] ^ hash) >> TOPK_TAG_SHIFT == 0 &&
            topk_same_item(&counter->item, item))
            return counter;
    }
    *slot = at;
    return NULL;
}

/* The counter of an item, a new one of count 0 if it had none. */
static inline TopkCounter *
topk_items_get(TopkItems *items, const TopkItem *item)
{
    uint32_t hash = topk_item_hash(item), slot;
    TopkCounter *counter = topk_items_find(items, item, hash, &slot);

    if (counter)
        return counter;
    counter = &items->counters[items->count++];
    items->slots[slot] = (hash & ~TOPK_POSITION_MASK) | items->count;
    *counter = (TopkCounter){.item = *item};
    return counter;
}

/* ---- looking up in a value with an index ---- */

#define TOPK_NOWHERE UINT32_MAX

/* Where an item's counter is, or TOPK_NOWHERE and the empty slot that a new one would take. */
typedef struct TopkFound {
    uint32_t position;
    uint32_t slot;
} TopkFound;

static inline TopkFound
topk_find_number(const uint8_t *data, uint32_t hash, int64_t number)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    const uint32_t *index = topk_index_of(data);
    uint32_t mask = topk_slots(data) - 1, at;

    for (at = hash & mask; index[at] != 0; at = (at + 1) & mask) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT == 0 &&
            counters[position].word == (uint64_t)number)
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOWHERE, at};
}

static inline TopkFound
topk_find_text(const uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    const TopkWorkingCounter *counters = topk_counters_of(data);
    const uint32_t *index = topk_index_of(data);
    const uint8_t *texts = topk_texts_of(data);
    uint32_t mask = topk_slots(data) - 1, at;

    for (at = hash & mask; index[at] != 0; at = (at + 1) & mask) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;
        uint64_t word;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT != 0)
            continue;
        word = counters[position].word;
        if (word >> 32 == hash && topk_text_length(texts, word) == size &&
            memcmp(texts + (uint32_t)word + TOPK_LENGTH_BYTES, bytes, size) == 0)
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOWHERE, at};
}

static inline TopkFound
topk_find_item(const uint8_t *data, uint32_t hash, const TopkItem *item)
{
    return item->type == TOPK_BIGINT ? topk_find_number(data, hash, item->number)
                                     : topk_find_text(data, hash, item->bytes, item->size);
}

/* ---- changing ---- */

/* A state that is being changed; `original` is what the caller gave, which is not released. */
typedef struct TopkWriter {
    SketchState state;
    const uint8_t *original;
    const SketchMemory *memory;
    size_t steps; /* since the last poll */
} TopkWriter;

static inline void
topk_replace(TopkWriter *w, SketchState fresh)
{
    if (w->state.data != w->original)
        w->memory->release_value(w->state.data, w->memory->context);
    w->state = fresh;
}

/* ---- list.c ---- */

/* An empty list with room for records of so many bytes. */
extern SketchState topk_new_list(uint32_t k, TopkType type, size_t bytes,
                                 const SketchMemory *memory);

/* Whether records of so many bytes, of so many items, may be a list. */
extern bool topk_list_holds(size_t bytes, uint32_t items);

/* The items of all records with the sums of their counts; false where one is damaged. */
extern bool topk_read_records(const uint8_t *data, TopkItems *items, const SketchMemory *memory);

/*
 * Moves the records of a list's log behind the others, with room for `bytes` more there; or makes a
 * value with an index of the list.
 */
extern void topk_empty_list_log(TopkWriter *w, size_t bytes);
extern void topk_append_record(uint8_t *data, const TopkItem *item, uint64_t count);
extern void topk_make_indexed(TopkWriter *w);

/* ---- grow.c ---- */

/* An empty value with an index, with room for `counters`, and for texts of `texts` bytes. */
extern SketchState topk_new_indexed(uint32_t k, TopkType type, uint32_t counters, size_t texts,
                                    const SketchMemory *memory);

/* Makes room for one more counter and `bytes` more of texts. */
extern void topk_make_room(TopkWriter *w, size_t bytes);

/* ---- working.c ---- */

extern bool topk_check_type(const uint8_t *data, TopkType type, SketchError *error);
extern bool topk_check_total(const uint8_t *data, uint64_t more, SketchError *error);

/* Adds to an item's counter, or makes one, in a value with an index. The total stays. */
extern void topk_add_counter(TopkWriter *w, const TopkItem *item, uint64_t count, uint64_t margin);

/* Adds an item to any value, to its log if the item is short enough, and to the total. */
extern void topk_add_item(TopkWriter *w, const TopkItem *item, uint64_t count);

/* Moves what is in the log of a value with an index to the counters. */
extern void topk_empty_log(TopkWriter *w);

#endif
