/*
 * working.c - states of Count-Min sketches: their layout, and adding to them.
 *
 * CmsState holds the fields of the packed header, up to 12 pending hashes, each to be counted once,
 * and then
 *
 *     a list (0x80)            the log, records of a count and a hash, see list.c
 *     a table (0x81 or 0x82)   cells of 4 bytes or 8, row by row
 *
 * An input row appends 8 bytes to the pending hashes and touches nothing else: with 10,000 groups
 * in 80 MB, time goes into cache misses. When there is no room left, the pending hashes move on
 * together: to the cells of a table, which overlaps the cache misses, or to the log of a list. A
 * list is compacted when its log is full. Cells of 4 bytes become cells of 8 when a count exceeds
 * 2^32 - 1.
 *
 * A list of up to 4 rows takes 64 bytes, of up to 12 rows 128. A list of 1,000 rows, 700 of them
 * distinct, takes 8 kB, and a row costs about 25 ns more than its cache miss.
 */
#include "cms_internal.h"

#define LIST_BYTES_MIN 64

static inline bool
is_list(SketchState state)
{
    return cms_state(state.data)->header.encoding == CMS_WORKING_LIST;
}

SketchState
cms_new(CmsShape shape, const SketchMemory *memory)
{
    if (shape.hash == SKETCH_HASH_REDIS)
        return cms_new_table(CMS_WORKING_TABLE32, shape, 0, memory);
    return cms_new_state(CMS_WORKING_LIST, shape, LIST_BYTES_MIN, memory);
}

/* ---- pending hashes ---- */

void
cms_add_waiting(StateWriter *w)
{
    CmsState *s = cms_state(w->state.data);
    uint32_t count = s->waiting;
    uint64_t hashes[CMS_WAITING_MAX];

    if (is_list(w->state) && cms_log_left(w->state) < count * CMS_RECORD_BYTES_MIN) {
        cms_compact(w, 0);
        return;
    }
    /* A copy, because adding may replace the state by one with wider cells. */
    memcpy(hashes, s->hash, count * sizeof *hashes);
    s->waiting = 0;
    if (is_list(w->state))
        for (uint32_t i = 0; i < count; i++)
            cms_append_record(s, hashes[i], 1);
    else
        for (uint32_t i = 0; i < count; i++)
            cms_add_to_table(w, hashes[i], 1);
}

static inline bool
can_wait(SketchState state)
{
    uint32_t most =
        state.size >= state_size(CMS_STATE_BODY)
            ? CMS_WAITING_MAX
            : (uint32_t)((state.size - state_size(sizeof(CmsState))) / sizeof(uint64_t));

    return cms_state(state.data)->waiting < most;
}

/* Makes room for a pending hash: the smallest list grows, other states move their hashes on. */
static void
make_waiting_room(StateWriter *w)
{
    SketchState larger;

    if (w->state.size >= state_size(CMS_STATE_BODY)) {
        cms_add_waiting(w);
        return;
    }
    larger = cms_new_list(cms_state_shape(cms_state(w->state.data)), 0, w->memory);
    memcpy(larger.data, w->state.data, w->state.size);
    state_replace(w, larger);
}

/* ---- adding ---- */

/*
 * In a list, a count of 1 becomes a pending hash. In a table it does so only if others are pending;
 * merging adds many items, which go to the cells at once.
 */
void
cms_add_item(StateWriter *w, uint64_t hash, uint64_t count)
{
    CmsState *s = cms_state(w->state.data);
    bool waits = s->waiting > 0;

    state_poll(w, 1 + s->depth);
    if (!is_list(w->state) && (count > 1 || !waits)) {
        /* Keeps the order of items, on which conservative cells depend. */
        if (waits)
            cms_add_waiting(w);
        cms_add_to_table(w, hash, count);
        return;
    }
    if (count == 1) {
        if (!can_wait(w->state))
            make_waiting_room(w);
        s = cms_state(w->state.data);
        s->hash[s->waiting++] = hash;
        return;
    }
    if (cms_log_left(w->state) < cms_record_bytes(count))
        cms_compact(w, cms_record_bytes(count));
    if (is_list(w->state))
        cms_append_record(cms_state(w->state.data), hash, count);
    else
        cms_add_to_table(w, hash, count);
}

bool
cms_add(SketchState state, uint64_t hash)
{
    CmsState *s = cms_state(state.data);

    if (s->total >= INT64_MAX || !can_wait(state))
        return false;
    s->hash[s->waiting++] = hash;
    s->total++;
    return true;
}

bool
cms_check_total(const CmsState *state, uint64_t more, SketchError *error)
{
    return more <= INT64_MAX - state->total ||
           sketch_refuse(error, SKETCH_OVERFLOW, "The total would exceed 2^63-1");
}

bool
cms_insert(SketchState *state, uint64_t hash, uint64_t count, const SketchMemory *memory,
           SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    const CmsState *s = cms_state(state->data);

    if (s->header.hash != SKETCH_HASH_XXH3)
        return sketch_refuse(error, SKETCH_MISMATCH, "It counts with the hash of Redis");
    if (!cms_check_total(s, count, error))
        return false;
    cms_add_item(&w, hash, count);
    cms_state(w.state.data)->total += count;
    *state = w.state;
    return true;
}
