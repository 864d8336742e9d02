/*
 * working.c - theta sketches that change: adding, growing, merging, packing.
 *
 * A hash is appended to the buffer, right after the header; a full buffer moves to the table after
 * it. So a row touches one place in memory instead of two, which determines its cost with thousands
 * of groups, and the cache misses of a full buffer overlap. Most rows of a large group do not get
 * that far: their hash is not below theta.
 *
 * The table has open addressing. A hash belongs in the slot chosen by the upper half of its product
 * with a multiplier, or in the next free one; 0 is a free slot. The table grows when seven eighths
 * of it are used, until there are slots for one and a half times 2^lgk hashes. From then on, theta
 * becomes the (2^lgk + 1)-th smallest hash, and the hashes below it move to a new table.
 *
 * Theta also falls in a union with a sketch that has a lower one. Hashes that are no longer below
 * it stay in their slots until the next new table, and count as used.
 *
 * A state fills a chunk of the allocator: 128 bytes without a table, for 13 hashes, 256 with 16
 * slots, and so on; at most 49,280 bytes for lgk 12. Packing takes the hashes of buffer and table,
 * each once; if there are more than 2^lgk, theta falls to the next one. So a packed value depends
 * only on the set of hashes, not on which were dropped when.
 */
#include "core/common/murmur3.h"
#include "core/common/sort.h"
#include "theta_internal.h"

/* A full buffer without a table stays without one up to this many distinct hashes. */
#define BUFFER_DISTINCT 10
/* Size of the first state with a table, and minimum size of the largest state. */
#define TABLE_BYTES_MIN 256
#define LARGEST_BYTES_MIN 1024
/* Above this size, the allocator does not round chunks up. */
#define CHUNK_MAX 8192
/* A longer probe sequence (a little longer in a large table) is no accident but an attack. */
#define LONG_PROBE_SLOTS 1024

/* Returns the number of slots used before the table grows. */
static uint32_t
fill_limit(uint32_t slots)
{
    return slots - slots / 8;
}

/* Returns the bytes of the largest state. */
static size_t
largest_bytes(unsigned lgk)
{
    size_t bytes = sizeof(ThetaState) + ((size_t)theta_most(lgk) + theta_most(lgk) / 2) * 8;

    return bytes <= CHUNK_MAX ? state_chunk(LARGEST_BYTES_MIN, bytes) : bytes;
}

/* Returns an empty state of `bytes` bytes. */
static SketchState
new_state(unsigned lgk, uint64_t theta, size_t bytes, const SketchMemory *memory)
{
    SketchState state = state_new(SKETCH_THETA, SKETCH_WORKING, SKETCH_HASH_DATASKETCHES, bytes,
                                  sizeof(ThetaState), memory);
    ThetaState *s = state_at(state.data);

    s->lgk = (uint8_t)lgk;
    s->theta = theta;
    polled_zero(s->slot, bytes - sizeof(ThetaState), memory);
    return state;
}

SketchState
theta_new(unsigned lgk, const SketchMemory *memory)
{
    return new_state(lgk, THETA_EXACT, sizeof(ThetaState), memory);
}

/* ---- the table ---- */

/* Returns the odd number by which hashes are multiplied to choose their slots. */
static inline uint64_t
multiplier_of(const ThetaState *s)
{
    return murmur3_avalanche(s->salt + UINT64_C(1)) | 1;
}

/* Returns the slot where a hash belongs. */
static inline uint32_t
home_of(uint64_t hash, uint64_t multiplier, uint32_t slots)
{
    return (uint32_t)((hash * multiplier >> 32) * slots >> 32);
}

/* Puts a hash, unless it is there, into a table with a free slot; returns the slots passed. */
static inline uint32_t
put(ThetaState *s, uint32_t slots, uint64_t multiplier, uint64_t hash)
{
    uint32_t at = home_of(hash, multiplier, slots), passed = 0;

    for (; s->slot[at] != 0; passed++) {
        if (s->slot[at] == hash)
            return passed;
        if (++at == slots)
            at = 0;
    }
    s->slot[at] = hash;
    s->used++;
    return passed;
}

static inline uint64_t
theta_of_state(SketchState state)
{
    const ThetaState *s = state_at(state.data);

    return s->theta;
}

/*
 * Returns the hash with exactly `rank` smaller ones in the table, or theta if it has no more than
 * `rank` hashes. Counts the hashes by their highest bits, then sorts those that have the bits of
 * the one it looks for.
 */
static uint64_t
select_hash(SketchState state, uint32_t rank, const SketchMemory *memory)
{
    const ThetaState *s = state_at(state.data);
    const uint64_t theta = s->theta;
    const uint32_t slots = theta_slots(state.size);
    unsigned bits = 64 - (unsigned)__builtin_clzll(theta), shift = bits > 10 ? bits - 10 : 0;
    uint32_t seen[1024] = {0}, before = 0, agreeing = 0, digit = 0;
    uint64_t *sorted, found;

    POLLED_FOR (i, 0, slots, 1, memory)
        if (theta_is_live(s->slot[i], theta))
            seen[s->slot[i] >> shift]++;
    while (digit < 1024 && before + seen[digit] <= rank)
        before += seen[digit++];
    if (digit == 1024)
        return theta;
    sorted = memory->scratch(2 * (size_t)seen[digit] * sizeof64(*sorted), memory->context);
    POLLED_FOR (i, 0, slots, 1, memory)
        if (s->slot[i] >> shift == digit && theta_is_live(s->slot[i], theta))
            sorted[agreeing++] = s->slot[i];
    sort_u64(sorted, agreeing, sorted + agreeing, memory);
    found = sorted[rank - before];
    memory->release(sorted, memory->context);
    return found;
}

/* Returns a state of `bytes` bytes with the buffer, and the hashes of the table below theta. */
static SketchState
rebuilt(SketchState state, uint64_t theta, unsigned salt, size_t bytes, const SketchMemory *memory)
{
    const ThetaState *s = state_at(state.data);
    const uint32_t slots = theta_slots(state.size);
    SketchState fresh = new_state(s->lgk, theta, bytes, memory);
    ThetaState *to = state_at(fresh.data);
    uint64_t multiplier;

    to->salt = (uint16_t)salt;
    multiplier = multiplier_of(to);
    POLLED_FOR (i, 0, slots, 4, memory)
        if (theta_is_live(s->slot[i], theta))
            put(to, theta_slots(fresh.size), multiplier, s->slot[i]);
    to->buffered = s->buffered;
    memcpy(to->buffer, s->buffer, sizeof to->buffer);
    return fresh;
}

/* Moves the hashes to other slots, with the next multiplier. */
static void
salt_again(StateWriter *w)
{
    const ThetaState *s = state_at(w->state.data);

    state_replace(w, rebuilt(w->state, s->theta, s->salt + 1U, w->state.size + SKETCH_PREFIX_BYTES,
                             w->memory));
}

/*
 * Moves the buffer into a table that has room for it. Hashes that an adversary made for the same
 * slot would take time quadratic in their number, so they are moved to other slots.
 */
static void
flush(StateWriter *w)
{
    ThetaState *s = state_at(w->state.data);
    const uint32_t slots = theta_slots(w->state.size);
    const uint64_t multiplier = multiplier_of(s);
    uint32_t passed = 0;

    for (unsigned i = 0; i < s->buffered; i++)
        __builtin_prefetch(&s->slot[home_of(s->buffer[i], multiplier, slots)]);
    for (unsigned i = 0; i < s->buffered; i++)
        if (s->buffer[i] < s->theta) {
            uint32_t here = put(s, slots, multiplier, s->buffer[i]);

            passed = here > passed ? here : passed;
        }
    s->buffered = 0;
    if (passed > LONG_PROBE_SLOTS + slots / 256)
        salt_again(w);
}

/* ---- adding ---- */

/* Sorts the few hashes of a buffer and drops repetitions, and hashes that are not below theta. */
static void
tidy_buffer(ThetaState *s)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < s->buffered; i++) {
        uint64_t hash = s->buffer[i];
        unsigned j = kept;

        while (j > 0 && s->buffer[j - 1] > hash)
            j--;
        if (hash >= s->theta || (j > 0 && s->buffer[j - 1] == hash))
            continue;
        for (unsigned at = kept++; at > j; at--)
            s->buffer[at] = s->buffer[at - 1];
        s->buffer[j] = hash;
    }
    s->buffered = (uint8_t)kept;
}

/* Makes room in a full buffer. */
static void
empty_buffer(StateWriter *w)
{
    ThetaState *s = state_at(w->state.data);
    uint32_t slots = theta_slots(w->state.size);
    size_t bytes = w->state.size + SKETCH_PREFIX_BYTES, largest = largest_bytes(s->lgk);

    if (slots == 0) {
        tidy_buffer(s);
        if (s->buffered <= BUFFER_DISTINCT)
            return;
    }
    if (s->used + s->buffered > fill_limit(slots)) {
        size_t larger = bytes < TABLE_BYTES_MIN ? TABLE_BYTES_MIN : 2 * bytes;
        uint64_t theta = s->theta;

        if (bytes >= largest) { /* larger, too, if it was reduced */
            theta = select_hash(w->state, theta_most(s->lgk), w->memory);
            larger = bytes;
        } else if (larger > largest)
            larger = largest;
        state_replace(w, rebuilt(w->state, theta, s->salt, larger, w->memory));
    }
    flush(w);
}

static void
add(StateWriter *w, uint64_t hash)
{
    if (!theta_add(w->state, hash)) {
        empty_buffer(w);
        theta_add(w->state, hash);
    }
}

void
theta_insert_slow(SketchState *state, uint64_t hash, const SketchMemory *memory)
{
    StateWriter w = state_writer(*state, memory);

    add(&w, hash);
    *state = w.state;
}

void
theta_reduce(SketchState state, unsigned lgk)
{
    ThetaState *s = state_at(state.data);

    if (lgk < s->lgk)
        s->lgk = (uint8_t)lgk;
}

/* ---- opening and merging ---- */

/* Returns the smallest empty state with room for the hashes of a value. */
static SketchState
state_for(ThetaSummary summary, const SketchMemory *memory)
{
    size_t bytes = sizeof(ThetaState), largest = largest_bytes(summary.lgk);

    while (summary.count > THETA_BUFFER && bytes < largest &&
           fill_limit((uint32_t)((bytes - sizeof(ThetaState)) / 8)) < summary.count + THETA_BUFFER)
        bytes = 2 * bytes < largest ? 2 * bytes : largest;
    return new_state(summary.lgk, summary.theta, bytes, memory);
}

/*
 * Adds the hashes of a cursor, up to the state's theta. As long as the table has room they bypass
 * the buffer, which is there for rows of many groups.
 */
static void
add_cursor(StateWriter *w, ThetaCursor *cursor)
{
    while (cursor->hash < theta_of_state(w->state)) {
        ThetaState *s = state_at(w->state.data);
        const uint32_t slots = theta_slots(w->state.size), limit = fill_limit(slots);
        const uint64_t multiplier = multiplier_of(s);
        uint32_t passed = 0;

        while (cursor->hash < s->theta && s->used < limit &&
               passed <= LONG_PROBE_SLOTS + slots / 256) {
            passed = put(s, slots, multiplier, cursor->hash);
            theta_next(cursor);
            state_poll(w, 4);
        }
        if (passed > LONG_PROBE_SLOTS + slots / 256)
            salt_again(w);
        if (cursor->hash < theta_of_state(w->state)) {
            add(w, cursor->hash);
            theta_next(cursor);
        }
    }
}

SketchState
theta_open(SketchBytes value, const SketchMemory *memory)
{
    StateWriter w = {.memory = memory};
    ThetaCursor cursor;
    bool damaged;

    if (sketch_is_working(value.data))
        return state_copy(value, sizeof(ThetaState), memory);
    if (!theta_cursor_begin(&cursor, value, memory))
        return (SketchState){NULL, 0};
    w.state = state_for(cursor.summary, memory);
    add_cursor(&w, &cursor);
    damaged = cursor.damaged;
    theta_cursor_end(&cursor, memory);
    if (damaged) {
        memory->release_value(w.state.data, memory->context);
        return (SketchState){NULL, 0};
    }
    return w.state;
}

static void
lower(SketchState state, uint64_t theta, unsigned lgk)
{
    ThetaState *s = state_at(state.data);

    if (theta < s->theta)
        s->theta = theta;
    theta_reduce(state, lgk);
}

/* Adds the hashes of a working value; they are unsorted. */
static void
add_working(StateWriter *w, SketchBytes working)
{
    const ThetaState *other = state_at(working.data);
    const uint32_t slots = theta_slots(working.size);

    for (uint32_t i = 0; i < slots; i++) {
        add(w, other->slot[i]);
        state_poll(w, 2);
    }
    for (unsigned i = 0; i < other->buffered; i++)
        add(w, other->buffer[i]);
}

bool
theta_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    ThetaCursor cursor;
    bool good = true;

    if (sketch_is_working(other.data)) {
        const ThetaState *s = state_at(other.data);

        if (!state_fits(other, sizeof(ThetaState)))
            return sketch_refuse_damaged(error);
        lower(w.state, s->theta, s->lgk);
        add_working(&w, other);
    } else {
        if (!theta_cursor_begin(&cursor, other, memory))
            return sketch_refuse_damaged(error);
        lower(w.state, cursor.summary.theta, cursor.summary.lgk);
        add_cursor(&w, &cursor);
        good = !cursor.damaged;
        theta_cursor_end(&cursor, memory);
    }
    *state = w.state;
    return good || sketch_refuse_damaged(error);
}
