/*
 * working.c - adding to sketches. How they lie in memory: working.h.
 */
#include "working.h"

/* ---- the fast paths ---- */

/* Counts an item that has a counter, or gives it one; the caller has seen that there is room. */
static inline void
count_found(uint8_t *data, uint32_t place, uint64_t weight)
{
    tallies_of(data)[place].count += weight;
    *total_at(data) += weight;
}

static inline void
append(uint8_t *data, uint64_t word, uint64_t count, uint64_t deficit, uint32_t slot, uint32_t hash)
{
    uint32_t place = (*counters_at(data))++;

    tallies_of(data)[place] = (Tally){word, count};
    if (is_bounded(data))
        deficits_of(data)[place] = deficit;
    set_slot(data, slot, hash, place);
}

/* Puts an item into the heap, which has room, and returns its word. */
static inline uint64_t
store_text(uint8_t *data, uint32_t hash, const uint8_t *bytes, uint32_t size)
{
    uint32_t *used = used_at(data);
    uint8_t *to = heap_of(data) + *used;
    uint64_t word = (uint64_t)hash << 32 | *used;

    memcpy(to, &size, LENGTH_BYTES);
    memcpy(to + LENGTH_BYTES, bytes, size);
    *used += (uint32_t)LENGTH_BYTES + size;
    return word;
}

/*
 * Counts the staged items, for which there is room: first all indexes are asked for, then all
 * counters, so that each look finds what it needs in the cache or on its way there.
 */
static void
place_all(uint8_t *data)
{
    Stage *stage = stage_of(data);
    const Tally *tallies = tallies_of(data);
    const uint32_t *index = index_of(data);
    uint32_t mask = slots_of(data) - 1;
    uint32_t hashes[STAGE_ITEMS];
    uint32_t count = (uint32_t)stage->count;

    __builtin_prefetch(&tallies[*counters_at(data)], 1);
    for (uint32_t i = 0; i < count; i++) {
        hashes[i] = number_hash((int64_t)stage->words[i]);
        __builtin_prefetch(&index[hashes[i] & mask], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = index[hashes[i] & mask] & PLACE_MASK;

        __builtin_prefetch(&tallies[place - (place > 0)], 1);
    }
    for (uint32_t i = 0; i < count; i++) {
        Found found = find_hashed(data, hashes[i], stage->words[i]);

        if (found.place == NOWHERE)
            append(data, stage->words[i], 1, 0, found.slot, hashes[i]);
        else
            tallies_of(data)[found.place].count++;
    }
    stage->count = 0;
}

/* Takes an item that need not have a counter yet; false where the stage cannot be emptied. */
static inline bool
stage_number(uint8_t *data, int64_t number)
{
    Stage *stage = stage_of(data);

    if (stage->count == STAGE_ITEMS) {
        if (capacity_of(data) - *counters_at(data) < STAGE_ITEMS)
            return false;
        place_all(data);
    }
    stage->words[stage->count++] = (uint64_t)number;
    return true;
}

bool
topk_add_number(SketchState state, int64_t number)
{
    uint8_t *data = state.data;
    Found found;

    if (data[3] != TOPK_BIGINT || *total_at(data) >= TOPK_TOTAL_MAX)
        return false;
    if (has_stage(data)) {
        if (!stage_number(data, number))
            return false;
    } else {
        found = find_number(data, number);
        if (found.place != NOWHERE)
            tallies_of(data)[found.place].count++;
        else if (*counters_at(data) < capacity_of(data))
            append(data, (uint64_t)number, 1, 0, found.slot, 0);
        else
            return false;
    }
    ++*total_at(data);
    return true;
}

bool
topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size)
{
    uint8_t *data = state.data;
    uint32_t hash;
    Found found;

    if (data[3] != TOPK_TEXT || *total_at(data) >= TOPK_TOTAL_MAX || size > TOPK_ITEM_MAX)
        return false;
    hash = text_hash(bytes, size);
    found = find_text(data, hash, bytes, size);
    if (found.place == NOWHERE) {
        if (*counters_at(data) == capacity_of(data) ||
            heap_room(state) - *used_at(data) < LENGTH_BYTES + size)
            return false;
        append(data, store_text(data, hash, bytes, size), 1, 0, found.slot, hash);
        ++*total_at(data);
    } else
        count_found(data, found.place, 1);
    return true;
}

/* ---- adding ---- */

static Found
find_item(const uint8_t *data, const TopkItem *item, uint32_t hash)
{
    return item->type == TOPK_BIGINT ? find_number(data, item->number)
                                     : find_text(data, hash, item->bytes, item->size);
}

void
topk_add_counter(SketchState *state, const TopkItem *item, uint64_t count, uint64_t deficit,
                 const uint8_t *original, const SketchMemory *memory)
{
    bool text = item->type == TOPK_TEXT;
    uint32_t hash = text ? text_hash(item->bytes, item->size) : number_hash(item->number);
    size_t bytes = text ? LENGTH_BYTES + item->size : 0;
    Found found = find_item(state->data, item, hash);

    if (found.place != NOWHERE) {
        tallies_of(state->data)[found.place].count += count;
        if (is_bounded(state->data))
            deficits_of(state->data)[found.place] += deficit;
        return;
    }
    if (*counters_at(state->data) == capacity_of(state->data) ||
        (text && heap_room(*state) - *used_at(state->data) < bytes)) {
        topk_make_room(state, bytes, original, memory);
        found = find_item(state->data, item, hash);
    }
    append(state->data,
           text ? store_text(state->data, hash, item->bytes, item->size) : (uint64_t)item->number,
           count, deficit, found.slot, hash);
}

void
topk_place_staged(SketchState *state, const uint8_t *original, const SketchMemory *memory)
{
    Stage stage;

    if (!has_stage(state->data))
        return;
    if (capacity_of(state->data) - *counters_at(state->data) >= STAGE_ITEMS) {
        place_all(state->data);
        return;
    }
    stage = *stage_of(state->data);
    stage_of(state->data)->count = 0;
    for (uint32_t i = 0; i < stage.count; i++) {
        TopkItem item = topk_number((int64_t)stage.words[i]);

        topk_add_counter(state, &item, 1, 0, original, memory);
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
    uint64_t left = TOPK_TOTAL_MAX - *total_at(data);

    if (more <= left)
        return true;
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1",
                               (int64_t)more, 0, (int64_t)left);
}

bool
topk_insert(SketchState *state, TopkItem item, uint64_t weight, const SketchMemory *memory,
            SketchError *error)
{
    const uint8_t *original = state->data;

    if (!topk_check_type(state->data, item.type, error))
        return false;
    if (item.type == TOPK_TEXT && item.size > TOPK_ITEM_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "An item is too long (bytes)", item.size, 0,
                                   TOPK_ITEM_MAX);
    if (!topk_check_total(state->data, weight, error))
        return false;
    topk_convert(state, item.type, false, original, memory);
    topk_place_staged(state, original, memory);
    topk_add_counter(state, &item, weight, 0, original, memory);
    *total_at(state->data) += weight;
    return true;
}
