/*
 * index.c - states with an index: adding to their counters. Their layout in memory: working.h.
 */
#include "working.h"

static inline void
append_counter(TopkIndexed *s, uint64_t word, uint64_t count, uint64_t margin, uint32_t slot,
               uint32_t hash)
{
    uint32_t position = s->state.counters++;

    s->counter[position] = (TopkWorkingCounter){word, count, margin};
    topk_index(s)[slot] = (hash & ~TOPK_POSITION_MASK) | (position + 1);
}

/* Appends a text to the others, where there must be room; returns its word. */
static inline uint64_t
store_text(TopkIndexed *s, uint32_t hash, const TopkItem *item)
{
    uint32_t *used = topk_texts_used(s);
    uint8_t *to = topk_texts(s) + *used;
    uint64_t word = (uint64_t)hash << 32 | *used;

    memcpy(to, &item->size, TOPK_LENGTH_BYTES);
    memcpy(to + TOPK_LENGTH_BYTES, item->bytes, item->size);
    *used += (uint32_t)TOPK_LENGTH_BYTES + item->size;
    return word;
}

/* topk_add_counter for an item whose hash is known; compiled once for each type. */
static inline __attribute__((always_inline)) void
add_hashed(StateWriter *w, TopkType type, TopkItem item, uint32_t hash, uint64_t count,
           uint64_t margin)
{
    TopkIndexed *s = topk_indexed(topk_state(w->state.data));
    bool text = type == TOPK_TEXT;
    size_t bytes = text ? TOPK_LENGTH_BYTES + item.size : 0;
    TopkFound found;

    item.type = type;
    found = topk_find_item(s, hash, &item);
    if (found.position != TOPK_NOT_FOUND) {
        s->counter[found.position].count += count;
        s->counter[found.position].margin += margin;
        return;
    }
    if (s->state.counters == s->capacity ||
        (text && topk_texts_room(w->state) - *topk_texts_used(s) < bytes)) {
        topk_make_room(w, bytes);
        s = topk_indexed(topk_state(w->state.data));
        found = topk_find_item(s, hash, &item);
    }
    append_counter(s, text ? store_text(s, hash, &item) : (uint64_t)item.number, count, margin,
                   found.slot, hash);
}

void
topk_add_counter(StateWriter *w, const TopkItem *item, uint64_t count, uint64_t margin)
{
    state_poll(w, 8);
    if (item->type == TOPK_TEXT)
        add_hashed(w, TOPK_TEXT, *item, topk_item_hash(item), count, margin);
    else
        add_hashed(w, TOPK_BIGINT, *item, topk_item_hash(item), count, margin);
}

#define BATCH 16

/*
 * Counts what a copy of the log holds, in batches: prefetches all slots first, then all counters.
 * Compiled once for each type.
 */
static inline __attribute__((always_inline)) void
count_log(StateWriter *w, ByteReader log, TopkType type, uint32_t records)
{
    TopkCounter batch[BATCH];
    uint32_t hashes[BATCH];

    while (records > 0) {
        uint32_t count = records < BATCH ? records : BATCH;
        const TopkIndexed *s = topk_indexed(topk_state(w->state.data));
        const uint32_t *index = topk_index(s);
        uint32_t mask = s->slots - 1;

        for (uint32_t i = 0; i < count; i++) {
            topk_read_record(&log, type, &batch[i]);
            hashes[i] = topk_item_hash(&batch[i].item);
            __builtin_prefetch(&index[hashes[i] & mask], 1);
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t position = index[hashes[i] & mask] & TOPK_POSITION_MASK;

            __builtin_prefetch(&s->counter[position - (position > 0)], 1);
        }
        for (uint32_t i = 0; i < count; i++)
            add_hashed(w, type, batch[i].item, hashes[i], batch[i].count, 0);
        records -= count;
    }
}

void
topk_empty_log(StateWriter *w)
{
    TopkState *s = topk_state(w->state.data);
    uint32_t records = s->records;
    uint8_t copy[TOPK_LOG_BYTES];
    ByteReader log = byte_reader(copy, s->log_bytes);

    /* A copy, because adding may replace the state by a larger one. */
    memcpy(copy, topk_log(s), s->log_bytes);
    s->log_bytes = s->records = 0;
    if (topk_type(s) == TOPK_TEXT)
        count_log(w, log, TOPK_TEXT, records);
    else
        count_log(w, log, TOPK_BIGINT, records);
    state_poll(w, 8 * (size_t)records);
}
