/*
 * state.h - working states: what the structs of all types begin with, and changing them.
 *
 * A working value lives in memory only, in host byte order. Each type lays one struct over it,
 * FooState, whose first member is a StateHeader. The struct begins at the length word that the
 * database keeps in front of the value: that is where memory is aligned to 8 bytes (4 on i386:
 * SketchMemory.value), so that fields of 64 bits have their natural places. `state_at` turns a
 * value's data into its struct.
 *
 *     0  length    the database's length word; core leaves it alone
 *     4  kind, version, encoding, hash    the common header of sketch.h
 *     8  the type's fields
 *
 * `version` is STATE_VERSION, which no packed value has: a working value that was stored, or made
 * by another release, is refused.
 *
 * Interface: a function that changes a state makes a StateWriter of it, changes writer.state,
 * replaces it with state_replace when it has to grow, polls with state_poll, and hands
 * writer.state back. The caller's own value is never released: nodeAgg frees it.
 *
 * Sizes: the allocator's chunks are powers of two up to 8 kB and multiples of larger blocks above,
 * so that a state, its length word included, fills a power of two: state_chunk. In bytes:
 *
 *     hll        64 to 12 distinct items, 128 to 28, 256 to 60; a list up to 8,192 (2,044 items) at
 *                precision 13, 2^p at others (128 at 4 to 6, 256 at 7); 2^p + 16 as registers
 *     tdigest    128 to 14 values, 256 to 30, 512 to 62; values up to 16,384 (2,046); then 65,536
 *                at compression up to 409, 131,072 up to 1,228, 1,048,576 up to 10,000
 *     roaring    64 to 10 values, 128 to 26, 256 to 58; a list up to 2,048 (506); 4 to 8 for each
 *                scattered value, 10,000 to 18,000 for 65,536 numbers with more than 4,096 in
 *     roaring64  64 to 5 values, 128 to 13; 5 to 13 for each scattered value
 *     cms        64 to 4 rows, 128 to 12, 512 to 48, 2,048 to 216, 8,192 to 900; a list up to
 *                16,384 (1,812 rows); 56,128 as a table of 2,000 x 7, 112,128 with counts beyond
 *                2^32 - 1
 *     topk       (bigint items of 3 bytes) 128 to 24 distinct items, 256 to 48, 512 to 120, 2,048
 *                to 504; lists up to 8,448 (2,088) and 72,752 (2,344); 91,184 at k up to 12,
 *                721,968 at k = 100
 *     cuckoo     128 to 14 items; 8 to 16 for each distinct item, twice that while it is packed
 */
#ifndef STATE_H
#define STATE_H

#include "polled.h"

#define STATE_VERSION 0xf1

typedef struct StateHeader {
    uint32_t length;
    uint8_t kind, version, encoding, hash;
} StateHeader;

_Static_assert(sizeof(StateHeader) == SKETCH_PREFIX_BYTES + SKETCH_COMMON_BYTES,
               "a state begins with the length word and the common header");

/* The struct of a working value: FooState *s = state_at(state.data). */
static inline void *
state_at(const uint8_t *data)
{
    return (void *)(data - SKETCH_PREFIX_BYTES);
}

/* The size of a value whose struct, with what follows its fields, has `bytes` bytes. */
static inline size_t
state_size(size_t bytes)
{
    return bytes - SKETCH_PREFIX_BYTES;
}

/* Where a value of `size` bytes ends. */
static inline uint8_t *
state_end(SketchState state)
{
    return state.data + state.size;
}

/*
 * The smallest power of two, and multiple of `least`, that holds `bytes` bytes: the growth ladder
 * of all states. `least` is a power of two.
 */
static inline uint64_t
state_chunk(uint64_t least, uint64_t bytes)
{
    while (least < bytes)
        least *= 2;
    return least;
}

/*
 * A fresh working value of `bytes` bytes, length word included, of which the first `cleared` are
 * set to zero and the header is filled in.
 */
static inline SketchState
state_new(uint8_t kind, uint8_t encoding, uint8_t hash, uint64_t bytes, size_t cleared,
          const SketchMemory *memory)
{
    const uint64_t size = bytes - SKETCH_PREFIX_BYTES;
    SketchState state = {memory->value(size, memory->context), (size_t)size};

    memset(state.data, 0, state_size(cleared));
    sketch_write_common(state.data, kind, STATE_VERSION, encoding, hash);
    return state;
}

/*
 * Returns true if a value marked as working has the struct of this release, of `bytes` bytes: what
 * every function checks that takes a value from its caller. The rest is trusted: states never leave
 * the server that made them.
 */
static inline bool
state_fits(SketchBytes value, size_t bytes)
{
    return value.size >= state_size(bytes) && sketch_version(value.data) == STATE_VERSION;
}

/* A copy of a working value, for another owner; data is NULL if it does not fit. */
static inline SketchState
state_copy(SketchBytes value, size_t bytes, const SketchMemory *memory)
{
    SketchState copy = {NULL, value.size};

    if (state_fits(value, bytes)) {
        copy.data = memory->value(value.size, memory->context);
        polled_copy(copy.data, value.data, value.size, memory);
    }
    return copy;
}

/* A state that is being changed. */
typedef struct StateWriter {
    SketchState state;
    const uint8_t *original; /* the caller's, which is not released; NULL if there is none */
    const SketchMemory *memory;
    size_t steps; /* since the last poll */
} StateWriter;

static inline StateWriter
state_writer(SketchState state, const SketchMemory *memory)
{
    return (StateWriter){state, state.data, memory, 0};
}

/* Goes on with `fresh`, and releases the state before it unless it is the caller's. */
static inline void
state_replace(StateWriter *w, SketchState fresh)
{
    if (w->state.data != w->original && w->state.data != fresh.data)
        w->memory->release_value(w->state.data, w->memory->context);
    w->state = fresh;
}

/* A loop that only polls is shorter with POLLED_FOR of polled.h. */
static inline void
state_poll(StateWriter *w, size_t steps)
{
    sketch_poll(w->memory, &w->steps, steps);
}

#endif
