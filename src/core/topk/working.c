/*
 * working.c - adding to sketches. How they lie in memory: working.h.
 */
#include "working.h"

/* ---- the fast paths: appending to the log ---- */

/* The longest record that counts a bigint once. */
#define NUMBER_RECORD_BYTES (1 + VARINT_MAX)

/* Notes a record that ends at `end`. */
static inline void
appended(uint8_t *data, const uint8_t *end, uint64_t count)
{
    *topk_log_used_at(data) = (uint32_t)(end - topk_log(data));
    ++*topk_records_at(data);
    *topk_total_at(data) += count;
}

bool
topk_add_number(SketchState state, int64_t number)
{
    uint8_t *data = state.data, *to = topk_log(data) + *topk_log_used_at(data);

    if (data[3] != TOPK_BIGINT || *topk_total_at(data) >= TOPK_TOTAL_MAX ||
        topk_log_room(data) - *topk_log_used_at(data) < NUMBER_RECORD_BYTES)
        return false;
    *to++ = 1;
    appended(data, write_varint(to, zigzag(number)), 1);
    return true;
}

bool
topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size)
{
    uint8_t *data = state.data, *to = topk_log(data) + *topk_log_used_at(data);

    /* The count takes one byte, the length no more than 4. */
    if (data[3] != TOPK_TEXT || *topk_total_at(data) >= TOPK_TOTAL_MAX || size > TOPK_ITEM_MAX ||
        topk_log_room(data) - *topk_log_used_at(data) < 5 + (size_t)size)
        return false;
    *to++ = 1;
    to = write_varint(to, size);
    memcpy(to, bytes, size);
    appended(data, to + size, 1);
    return true;
}

/* ---- values with an index ---- */

static inline void
append_counter(uint8_t *data, uint64_t word, uint64_t count, uint64_t margin, uint32_t slot,
               uint32_t hash)
{
    uint32_t position = (*topk_count_at(data))++;

    topk_counters_of(data)[position] = (TopkWorkingCounter){word, count, margin};
    topk_index_of(data)[slot] = (hash & ~TOPK_POSITION_MASK) | (position + 1);
}

/* Puts a text behind the other texts, where there must be room, and returns its word. */
static inline uint64_t
store_text(uint8_t *data, uint32_t hash, const TopkItem *item)
{
    uint32_t *used = topk_texts_used_at(data);
    uint8_t *to = topk_texts_of(data) + *used;
    uint64_t word = (uint64_t)hash << 32 | *used;

    memcpy(to, &item->size, TOPK_LENGTH_BYTES);
    memcpy(to + TOPK_LENGTH_BYTES, item->bytes, item->size);
    *used += (uint32_t)TOPK_LENGTH_BYTES + item->size;
    return word;
}

/* Compiled for either type. */
static inline __attribute__((always_inline)) void
add_hashed(TopkWriter *w, TopkType type, TopkItem item, uint32_t hash, uint64_t count,
           uint64_t margin)
{
    bool text = type == TOPK_TEXT;
    size_t bytes = text ? TOPK_LENGTH_BYTES + item.size : 0;
    TopkFound found;

    item.type = type;
    found = topk_find_item(w->state.data, hash, &item);
    if (found.position != TOPK_NOWHERE) {
        TopkWorkingCounter *counter = &topk_counters_of(w->state.data)[found.position];

        counter->count += count;
        counter->margin += margin;
        return;
    }
    if (*topk_count_at(w->state.data) == topk_capacity(w->state.data) ||
        (text && topk_texts_room(w->state) - *topk_texts_used_at(w->state.data) < bytes)) {
        topk_make_room(w, bytes);
        found = topk_find_item(w->state.data, hash, &item);
    }
    append_counter(w->state.data,
                   text ? store_text(w->state.data, hash, &item) : (uint64_t)item.number, count,
                   margin, found.slot, hash);
}

void
topk_add_counter(TopkWriter *w, const TopkItem *item, uint64_t count, uint64_t margin)
{
    sketch_poll(w->memory, &w->steps, 8);
    if (item->type == TOPK_TEXT)
        add_hashed(w, TOPK_TEXT, *item, topk_item_hash(item), count, margin);
    else
        add_hashed(w, TOPK_BIGINT, *item, topk_item_hash(item), count, margin);
}

#define BATCH 16

/*
 * Counts what a copy of the log holds: first all slots are prefetched, then all counters. Compiled
 * for either type.
 */
static inline __attribute__((always_inline)) void
count_log(TopkWriter *w, ByteReader log, TopkType type, uint32_t records)
{
    TopkCounter batch[BATCH];
    uint32_t hashes[BATCH];

    while (records > 0) {
        uint32_t count = records < BATCH ? records : BATCH;
        const uint32_t *index = topk_index_of(w->state.data);
        const TopkWorkingCounter *counters = topk_counters_of(w->state.data);
        uint32_t mask = topk_slots(w->state.data) - 1;

        for (uint32_t i = 0; i < count; i++) {
            topk_read_record(&log, type, &batch[i]);
            hashes[i] = topk_item_hash(&batch[i].item);
            __builtin_prefetch(&index[hashes[i] & mask], 1);
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t position = index[hashes[i] & mask] & TOPK_POSITION_MASK;

            __builtin_prefetch(&counters[position - (position > 0)], 1);
        }
        for (uint32_t i = 0; i < count; i++)
            add_hashed(w, type, batch[i].item, hashes[i], batch[i].count, 0);
        records -= count;
    }
}

void
topk_empty_log(TopkWriter *w)
{
    uint8_t *data = w->state.data;
    uint32_t used = *topk_log_used_at(data), records = *topk_records_at(data);
    uint8_t copy[TOPK_LOG_BYTES];
    ByteReader log = byte_reader(copy, used);

    /* The value may be replaced by a larger one meanwhile. */
    memcpy(copy, topk_log(data), used);
    *topk_log_used_at(data) = *topk_records_at(data) = 0;
    if (data[3] == TOPK_TEXT)
        count_log(w, log, TOPK_TEXT, records);
    else
        count_log(w, log, TOPK_BIGINT, records);
    sketch_poll(w->memory, &w->steps, 8 * (size_t)records);
}

/* ---- adding ---- */

bool
topk_check_type(const uint8_t *data, TopkType type, SketchError *error)
{
    if (data[3] == TOPK_NONE || type == TOPK_NONE || data[3] == type)
        return true;
    return sketch_refuse(error, SKETCH_MISMATCH,
                         data[3] == TOPK_BIGINT ? "Items of type bigint and of type text"
                                                : "Items of type text and of type bigint");
}

bool
topk_check_total(const uint8_t *data, uint64_t more, SketchError *error)
{
    uint64_t left = TOPK_TOTAL_MAX - *topk_total_at(data);

    if (more <= left)
        return true;
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1",
                               (int64_t)more, 0, (int64_t)left);
}

void
topk_add_item(TopkWriter *w, const TopkItem *item, uint64_t count)
{
    size_t bytes = topk_record_bytes(item, count);
    bool fits = bytes <= topk_log_room(w->state.data);
    uint8_t *data;

    if (!fits || topk_log_room(w->state.data) - *topk_log_used_at(w->state.data) < bytes) {
        if (topk_has_index(w->state.data))
            topk_empty_log(w);
        else
            topk_empty_list_log(w, fits ? 0 : bytes);
    }
    data = w->state.data;
    *topk_total_at(data) += count;
    if (bytes <= topk_log_room(data))
        appended(data, topk_write_record(topk_log(data) + *topk_log_used_at(data), item, count), 0);
    else if (topk_has_index(data))
        topk_add_counter(w, item, count, 0);
    else
        topk_append_record(data, item, count);
}

bool
topk_insert(SketchState *state, TopkItem item, uint64_t weight, const SketchMemory *memory,
            SketchError *error)
{
    TopkWriter w = {*state, state->data, memory, 0};

    if (!topk_check_type(state->data, item.type, error))
        return false;
    if (!topk_check_length(item, error) || !topk_check_total(state->data, weight, error))
        return false;
    state->data[3] = (uint8_t)item.type;
    topk_add_item(&w, &item, weight);
    *state = w.state;
    return true;
}
