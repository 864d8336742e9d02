/*
 * working.c - adding to sketches. Their layout in memory: working.h.
 */
#include "working.h"

/* ---- the fast paths: appending to the log ---- */

/* The longest record of a bigint with count 1. */
#define NUMBER_RECORD_BYTES (1 + VARINT_MAX)

/* Accounts for a record in the log that ends at `end`. */
static inline void
appended(TopkState *s, const uint8_t *end, uint64_t count)
{
    s->log_bytes = (uint32_t)(end - topk_log(s));
    s->records++;
    s->total += count;
}

bool
topk_add_number(SketchState state, int64_t number)
{
    TopkState *s = topk_state(state.data);
    uint8_t *to = topk_log(s) + s->log_bytes;

    if (topk_type(s) != TOPK_BIGINT || s->total >= TOPK_TOTAL_MAX ||
        topk_log_room(s) - s->log_bytes < NUMBER_RECORD_BYTES)
        return false;
    *to++ = 1;
    appended(s, write_varint(to, zigzag(number)), 1);
    return true;
}

bool
topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size)
{
    TopkState *s = topk_state(state.data);
    uint8_t *to = topk_log(s) + s->log_bytes;

    /* The count takes one byte, the length at most 4. */
    if (topk_type(s) != TOPK_TEXT || s->total >= TOPK_TOTAL_MAX || size > TOPK_ITEM_MAX ||
        topk_log_room(s) - s->log_bytes < 5 + (size_t)size)
        return false;
    *to++ = 1;
    to = write_varint(to, size);
    memcpy(to, bytes, size);
    appended(s, to + size, 1);
    return true;
}

/* ---- adding ---- */

bool
topk_check_type(const TopkState *s, TopkType type, SketchError *error)
{
    if (topk_type(s) == TOPK_NONE || type == TOPK_NONE || topk_type(s) == type)
        return true;
    return sketch_refuse(error, SKETCH_MISMATCH,
                         topk_type(s) == TOPK_BIGINT ? "Items of type bigint and of type text"
                                                     : "Items of type text and of type bigint");
}

bool
topk_check_total(const TopkState *s, uint64_t more, SketchError *error)
{
    uint64_t left = TOPK_TOTAL_MAX - s->total;

    if (more <= left)
        return true;
    if (left == 0)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total is 2^63-1 already");
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1",
                               (int64_t)more, 0, (int64_t)left);
}

void
topk_add_item(StateWriter *w, const TopkItem *item, uint64_t count)
{
    TopkState *s = topk_state(w->state.data);
    size_t bytes = topk_record_bytes(item, count);
    bool fits = bytes <= topk_log_room(s);

    if (!fits || topk_log_room(s) - s->log_bytes < bytes) {
        if (topk_has_index(s))
            topk_empty_log(w);
        else
            topk_empty_list_log(w, fits ? 0 : bytes);
    }
    s = topk_state(w->state.data);
    s->total += count;
    if (bytes <= topk_log_room(s))
        appended(s, topk_write_record(topk_log(s) + s->log_bytes, item, count), 0);
    else if (topk_has_index(s))
        topk_add_counter(w, item, count, 0);
    else
        topk_append_record(topk_list(s), item, count);
}

bool
topk_insert(SketchState *state, TopkItem item, uint64_t weight, const SketchMemory *memory,
            SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    TopkState *s = topk_state(state->data);

    if (!topk_check_type(s, item.type, error) || !topk_check_length(item, error) ||
        !topk_check_total(s, weight, error))
        return false;
    s->header.hash = (uint8_t)item.type;
    topk_add_item(&w, &item, weight);
    *state = w.state;
    return true;
}
