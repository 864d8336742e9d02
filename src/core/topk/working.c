/*
 * working.c - adding to sketches. How they lie in memory: working.h.
 */
#include "working.h"

/* ---- the fast paths ---- */

/* Counts an item that has a counter, or gives it one; the caller has seen that there is room. */
static inline void
count_found(uint8_t *data, uint32_t position, uint64_t weight)
{
    topk_counters_of(data)[position].count += weight;
    *topk_total_at(data) += weight;
}

static inline void
append(uint8_t *data, uint64_t word, uint64_t count, uint64_t margin, uint32_t slot, uint32_t hash)
{
    uint32_t position = (*topk_count_at(data))++;

    topk_counters_of(data)[position] = (TopkWorkingCounter){word, count};
    if (topk_is_bounded(data))
        topk_margins_of(data)[position] = margin;
    topk_set_slot(data, slot, hash, position);
}

/* Puts an item behind the other texts, where there is room, and returns its word. */
static inline uint64_t
store_text(uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    uint32_t *used = topk_texts_used_at(data);
    uint8_t *to = topk_texts_of(data) + *used;
    uint64_t word = (uint64_t)hash << 32 | *used;

    memcpy(to, &size, TOPK_LENGTH_BYTES);
    memcpy(to + TOPK_LENGTH_BYTES, bytes, size);
    *used += (uint32_t)TOPK_LENGTH_BYTES + size;
    return word;
}

/*
 * Counts the buffered items, for which there is room. All slots are prefetched first, then all
 * counters, so that each look finds what it needs in the cache or on its way there.
 */
static void
empty_buffer(uint8_t *data)
{
    TopkBuffer *buffer = topk_buffer_of(data);
    const TopkWorkingCounter *counters = topk_counters_of(data);
    const uint32_t *index = topk_index_of(data);
    uint32_t mask = topk_slots(data) - 1;
    uint32_t hashes[TOPK_BUFFER_ITEMS];
    uint32_t count = (uint32_t)buffer->count;

    __builtin_prefetch(&counters[*topk_count_at(data)], 1);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = topk_number_hash((int64_t)buffer->words[i]);
        __builtin_prefetch(&index[hashes[i] & mask], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = index[hashes[i] & mask] & TOPK_POSITION_MASK;

        __builtin_prefetch(&counters[position - (position > 0)], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        TopkFound found = topk_find_hashed(data, hashes[i], buffer->words[i]);

        if (found.position == TOPK_NOWHERE)
            append(data, buffer->words[i], 1, 0, found.slot, hashes[i]);
        else
            topk_counters_of(data)[found.position].count++;
    }
    buffer->count = 0;
}

/* Takes an item that need not have a counter yet; false where the buffer cannot be emptied. */
static inline bool
buffer_number(uint8_t *data, int64_t number)
{
    TopkBuffer *buffer = topk_buffer_of(data);

    if (buffer->count == TOPK_BUFFER_ITEMS) {
        if (topk_capacity(data) - *topk_count_at(data) < TOPK_BUFFER_ITEMS)
            return false;
        empty_buffer(data);
    }
    buffer->words[buffer->count++] = (uint64_t)number;
    return true;
}

bool
topk_add_number(SketchState state, int64_t number)
{
    uint8_t *data = state.data;
    TopkFound found;

    if (data[3] != TOPK_BIGINT || *topk_total_at(data) >= TOPK_TOTAL_MAX)
        return false;
    if (topk_has_buffer(data)) {
        if (!buffer_number(data, number))
            return false;
    } else {
        found = topk_find_number(data, number);
        if (found.position != TOPK_NOWHERE)
            topk_counters_of(data)[found.position].count++;
        else if (*topk_count_at(data) < topk_capacity(data))
            append(data, (uint64_t)number, 1, 0, found.slot, 0);
        else
            return false;
    }
    ++*topk_total_at(data);
    return true;
}

bool
topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size)
{
    uint8_t *data = state.data;
    uint32_t hash;
    TopkFound found;

    if (data[3] != TOPK_TEXT || *topk_total_at(data) >= TOPK_TOTAL_MAX || size > TOPK_ITEM_MAX)
        return false;
    hash = topk_text_hash(bytes, size);
    found = topk_find_text(data, hash, bytes, size);
    if (found.position == TOPK_NOWHERE) {
        if (*topk_count_at(data) == topk_capacity(data) ||
            topk_texts_room(state) - *topk_texts_used_at(data) < TOPK_LENGTH_BYTES + size)
            return false;
        append(data, store_text(data, hash, bytes, size), 1, 0, found.slot, hash);
        ++*topk_total_at(data);
    } else
        count_found(data, found.position, 1);
    return true;
}

/* ---- adding ---- */

static TopkFound
find_item(const uint8_t *data, const TopkItem *item, uint32_t hash)
{
    return item->type == TOPK_BIGINT ? topk_find_number(data, item->number)
                                     : topk_find_text(data, hash, item->bytes, item->size);
}

void
topk_add_counter(TopkWriter *w, const TopkItem *item, uint64_t count, uint64_t margin)
{
    bool text = item->type == TOPK_TEXT;
    uint32_t hash = text ? topk_text_hash(item->bytes, item->size) : topk_number_hash(item->number);
    size_t bytes = text ? TOPK_LENGTH_BYTES + item->size : 0;
    TopkFound found = find_item(w->state.data, item, hash);

    sketch_poll(w->memory, &w->steps, 8);
    if (found.position != TOPK_NOWHERE) {
        topk_counters_of(w->state.data)[found.position].count += count;
        if (topk_is_bounded(w->state.data))
            topk_margins_of(w->state.data)[found.position] += margin;
        return;
    }
    if (*topk_count_at(w->state.data) == topk_capacity(w->state.data) ||
        (text && topk_texts_room(w->state) - *topk_texts_used_at(w->state.data) < bytes)) {
        topk_make_room(w, bytes);
        found = find_item(w->state.data, item, hash);
    }
    append(w->state.data,
           text ? store_text(w->state.data, hash, item->bytes, item->size) : (uint64_t)item->number,
           count, margin, found.slot, hash);
}

void
topk_empty_buffer(TopkWriter *w)
{
    TopkBuffer buffer;

    if (!topk_has_buffer(w->state.data))
        return;
    if (topk_capacity(w->state.data) - *topk_count_at(w->state.data) >= TOPK_BUFFER_ITEMS) {
        empty_buffer(w->state.data);
        return;
    }
    buffer = *topk_buffer_of(w->state.data);
    topk_buffer_of(w->state.data)->count = 0;
    for (uint32_t i = 0; i < buffer.count; i++) {
        TopkItem item = topk_number((int64_t)buffer.words[i]);

        topk_add_counter(w, &item, 1, 0);
    }
}

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

bool
topk_insert(SketchState *state, TopkItem item, uint64_t weight, const SketchMemory *memory,
            SketchError *error)
{
    TopkWriter w = {*state, state->data, memory, 0};

    if (!topk_check_type(state->data, item.type, error))
        return false;
    if (item.type == TOPK_TEXT && item.size > TOPK_ITEM_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "An item is too long (bytes)", item.size, 0,
                                   TOPK_ITEM_MAX);
    if (!topk_check_total(state->data, weight, error))
        return false;
    topk_convert(&w, item.type, false);
    topk_empty_buffer(&w);
    topk_add_counter(&w, &item, weight, 0);
    *topk_total_at(w.state.data) += weight;
    *state = w.state;
    return true;
}
