/*
 * working.h - the states of topk, for the files that build and change sketches.
 *
 * A sketch begins as a list (TopkList), which is exact. When it has more than 1536 items, or more
 * than 64 kB of them, it gets an index (TopkIndexed).
 *
 * Adding appends a record to the log, whether or not the item has a counter. A record is a count
 * and an item, written as in the packed form. So a row touches only the header and the log, two
 * cache lines of one page. With many groups nothing else matters.
 *
 * When the log of a list is full, its records are appended to the others after the log. When there
 * is no room for them, the list is compacted: an index in scratch memory merges the records of each
 * item into one. It then grows if more than half of it is still in use. The steps are large up to
 * 8 kB, because groups may all grow at the same time, and then none can use the memory that another
 * leaves behind; larger chunks are given back by the allocator. A list of ten bigints takes 128
 * bytes: it has no room after the log yet.
 *
 * In a state with an index, the counters of TopkIndexed are followed by
 *
 *     slots of the index, 4 bytes each
 *     of text only: 4 bytes, the number of bytes of text in use; the texts, each after 4 bytes of
 *     length, in the order of their counters
 *
 * When its log is full, its items move on to the counters, 16 at a time. Their cache misses
 * overlap: all slots are prefetched before the first counter is looked up.
 *
 * The word of a bigint is the number itself. The word of a text is 32 bits of its hash (high) and
 * the offset of the text. A slot is the position of a counter plus 1 and, above that, 10 bits of
 * the item's hash, so an item without a counter seldom costs more than a look at the index.
 *
 * A counter's margin is the error bound minus its error. That way only a purge has to touch all
 * counters: a new counter has margin 0, margins stay the same when error bounds are added, and the
 * margins of an item are added in a merge like its counts. The paper's counter, upper bound minus
 * error bound, is count - margin.
 */
#ifndef TOPK_WORKING_H
#define TOPK_WORKING_H

#include "core/common/hash.h"
#include "core/common/state.h"
#include "topk_internal.h"

#define TOPK_LIST_LOG_BYTES 96
#define TOPK_LOG_BYTES 1024 /* of a state with an index */
#define TOPK_LIST_ITEMS 1536
#define TOPK_LIST_BYTES 65536

#define TOPK_TAG_SHIFT 22 /* of a slot; positions take the bits below */
#define TOPK_POSITION_MASK ((1u << TOPK_TAG_SHIFT) - 1)

_Static_assert((uint64_t)TOPK_K_MAX * 32 < TOPK_POSITION_MASK,
               "a slot holds the position of any counter");

/* ---- states ---- */

typedef struct TopkState {
    StateHeader header; /* `hash` is the type of the items */
    uint64_t total;
    uint32_t k;
    uint32_t log_bytes; /* in use */
    uint32_t records;   /* in the log and, in a list, after it */
    union {
        uint32_t list_bytes; /* of a list: bytes of records after the log */
        uint32_t counters;   /* of a state with an index */
    };
} TopkState;

typedef struct TopkList {
    TopkState state;
    uint8_t log[TOPK_LIST_LOG_BYTES];
    uint8_t records[];
} TopkList;

typedef struct TopkWorkingCounter {
    uint64_t word;
    uint64_t count;
    uint64_t margin;
} TopkWorkingCounter;

typedef struct TopkIndexed {
    TopkState state;
    uint64_t error_bound;
    uint32_t capacity; /* how many counters there is room for */
    uint32_t slots;    /* of the index, a power of two */
    uint8_t log[TOPK_LOG_BYTES];
    TopkWorkingCounter counter[];
} TopkIndexed;

_Static_assert(sizeof(TopkState) == 32 && sizeof(TopkList) == 128, "a small list fills a chunk");
_Static_assert(sizeof(TopkIndexed) % sizeof(uint64_t) == 0, "counters are aligned");

static inline TopkState *
topk_state(const uint8_t *data)
{
    return state_at(data);
}

static inline TopkType
topk_type(const TopkState *s)
{
    return s->header.hash;
}

static inline bool
topk_has_index(const TopkState *s)
{
    return s->header.encoding == TOPK_INDEXED;
}

/* A state as a list, or as a state with an index. */
static inline TopkList *
topk_list(const TopkState *s)
{
    return (TopkList *)s;
}

static inline TopkIndexed *
topk_indexed(const TopkState *s)
{
    return (TopkIndexed *)s;
}

static inline uint8_t *
topk_log(const TopkState *s)
{
    return topk_has_index(s) ? topk_indexed(s)->log : topk_list(s)->log;
}

static inline size_t
topk_log_room(const TopkState *s)
{
    return topk_has_index(s) ? TOPK_LOG_BYTES : TOPK_LIST_LOG_BYTES;
}

/* Returns the bytes of a list for records after the log. */
static inline size_t
topk_list_room(SketchState list)
{
    return list.size - state_size(sizeof(TopkList));
}

static inline uint32_t *
topk_index(const TopkIndexed *s)
{
    return (uint32_t *)(s->counter + s->capacity);
}

/* Return, for text, the bytes of text in use, and the texts. */
static inline uint32_t *
topk_texts_used(const TopkIndexed *s)
{
    return topk_index(s) + s->slots;
}

static inline uint8_t *
topk_texts(const TopkIndexed *s)
{
    return (uint8_t *)(topk_texts_used(s) + 1);
}

static inline size_t
topk_texts_room(SketchState state)
{
    return (size_t)(state_end(state) - topk_texts(topk_indexed(topk_state(state.data))));
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
topk_word_hash(const TopkIndexed *s, uint64_t word)
{
    return topk_type(&s->state) == TOPK_BIGINT ? topk_number_hash((int64_t)word)
                                               : (uint32_t)(word >> 32);
}

static inline TopkItem
topk_item_of(const TopkIndexed *s, uint64_t word)
{
    if (topk_type(&s->state) == TOPK_BIGINT)
        return topk_number((int64_t)word);
    return topk_text(topk_texts(s) + (uint32_t)word + TOPK_LENGTH_BYTES,
                     topk_text_length(topk_texts(s), word));
}

/* ---- records ---- */

static inline size_t
topk_record_bytes(const TopkItem *item, uint64_t count)
{
    return varint_bytes(count) + topk_item_bytes(item);
}

static inline uint8_t *
topk_write_record(uint8_t *to, const TopkItem *item, uint64_t count)
{
    return topk_write_item(write_varint(to, count), item);
}

/* Reads the next record of a log into *to, with error 0. */
static inline void
topk_read_record(ByteReader *r, TopkType type, TopkCounter *to)
{
    to->count = read_varint(r);
    to->error = 0;
    topk_read_item(r, type, &to->item);
}

/* ---- counters in scratch memory, with an index of their items ---- */

typedef struct TopkItems {
    TopkCounter *counters;
    uint32_t count;
    uint32_t mask; /* of the slots */
    uint32_t *slots;
} TopkItems;

/* Returns an empty table with room for `most` items. */
static inline TopkItems
topk_items(uint32_t most, const SketchMemory *memory)
{
    uint32_t slots = 16;
    TopkItems items = {.count = 0};

    while (slots < most + most / 2)
        slots *= 2;
    items.mask = slots - 1;
    items.counters = memory->scratch(most * sizeof64(*items.counters) + 1, memory->context);
    items.slots = memory->scratch(slots * sizeof64(*items.slots), memory->context);
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

/* Returns the counter of an item; if it has none, returns NULL and sets *slot to its free slot. */
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

/* Returns the counter of an item, a new one with count 0 if it had none. */
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

/* ---- looking up in a state with an index ---- */

#define TOPK_NOT_FOUND UINT32_MAX

/* The position of an item's counter, or TOPK_NOT_FOUND and the free slot for a new one. */
typedef struct TopkFound {
    uint32_t position;
    uint32_t slot;
} TopkFound;

static inline TopkFound
topk_find_number(const TopkIndexed *s, uint32_t hash, int64_t number)
{
    const uint32_t *index = topk_index(s);
    uint32_t mask = s->slots - 1, at;

    for (at = hash & mask; index[at] != 0; at = (at + 1) & mask) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT == 0 &&
            s->counter[position].word == (uint64_t)number)
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOT_FOUND, at};
}

static inline TopkFound
topk_find_text(const TopkIndexed *s, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    const uint32_t *index = topk_index(s);
    const uint8_t *texts = topk_texts(s);
    uint32_t mask = s->slots - 1, at;

    for (at = hash & mask; index[at] != 0; at = (at + 1) & mask) {
        uint32_t position = (index[at] & TOPK_POSITION_MASK) - 1;
        uint64_t word;

        if ((index[at] ^ hash) >> TOPK_TAG_SHIFT != 0)
            continue;
        word = s->counter[position].word;
        if (word >> 32 == hash && topk_text_length(texts, word) == size &&
            memcmp(texts + (uint32_t)word + TOPK_LENGTH_BYTES, bytes, size) == 0)
            return (TopkFound){position, at};
    }
    return (TopkFound){TOPK_NOT_FOUND, at};
}

static inline TopkFound
topk_find_item(const TopkIndexed *s, uint32_t hash, const TopkItem *item)
{
    return item->type == TOPK_BIGINT ? topk_find_number(s, hash, item->number)
                                     : topk_find_text(s, hash, item->bytes, item->size);
}

/* ---- list.c ---- */

/* Returns an empty list with room for `bytes` bytes of records after the log. */
extern SketchState topk_new_list(uint32_t k, TopkType type, size_t bytes,
                                 const SketchMemory *memory);

/* Returns true if a list may have `items` items in records of `bytes` bytes. */
extern bool topk_list_holds(size_t bytes, uint32_t items);

/* Returns the items of all records of a state, with the sums of their counts. */
extern TopkItems topk_read_records(const TopkState *s, const SketchMemory *memory);

/*
 * Moves the records of a list's log to the others, with room for `bytes` more there; or gives the
 * list an index.
 */
extern void topk_empty_list_log(StateWriter *w, size_t bytes);

/* Appends a record after the log, where there must be room. */
extern void topk_append_record(TopkList *list, const TopkItem *item, uint64_t count);
extern void topk_make_indexed(StateWriter *w);

/* ---- grow.c ---- */

/* Returns an empty state with an index, with room for `counters` and `texts` bytes of text. */
extern SketchState topk_new_indexed(uint32_t k, TopkType type, uint32_t counters, size_t texts,
                                    const SketchMemory *memory);

/* Makes room for one more counter and `bytes` more of texts. */
extern void topk_make_room(StateWriter *w, size_t bytes);

/* ---- index.c ---- */

/* Adds to an item's counter in a state with an index, or makes one; does not add to the total. */
extern void topk_add_counter(StateWriter *w, const TopkItem *item, uint64_t count, uint64_t margin);

/* Moves the records in the log of a state with an index to the counters. */
extern void topk_empty_log(StateWriter *w);

/* ---- working.c ---- */

/* Refuse items of a second type, and a total above TOPK_TOTAL_MAX. */
extern bool topk_check_type(const TopkState *s, TopkType type, SketchError *error);
extern bool topk_check_total(const TopkState *s, uint64_t more, SketchError *error);

/* Adds an item to any state, through the log if it is short enough, and adds to the total. */
extern void topk_add_item(StateWriter *w, const TopkItem *item, uint64_t count);

#endif
