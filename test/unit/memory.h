/*
 * memory.h - the memory that tests give to core: as unhelpful as SketchMemory allows.
 *
 * Fresh memory is full of garbage. A value starts 4 bytes behind a multiple of 8, as behind the
 * length word of the database, and ends where its size says, so that the address sanitizer sees a
 * step too far; the 4 bytes in front are watched. Whatever is not given back, or given back by the
 * wrong function or twice, is noticed. `largest` tells the biggest piece asked for.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sketch.h"

#define MEMORY_PIECES 4096
#define MEMORY_WATCHED UINT32_C(0xfee1900d)

typedef struct Piece {
    uint8_t *start; /* what malloc returned; a value is 4 bytes behind it */
    bool value;
} Piece;

static struct {
    Piece piece[MEMORY_PIECES]; /* in use */
    unsigned pieces;
    size_t largest;
    uint32_t garbage;
} memory_used = {.garbage = 1};

static inline void
memory_fail(const char *reason)
{
    fflush(stdout);
    fprintf(stderr, "memory: %s\n", reason);
    abort();
}

static inline uint8_t *
memory_take(size_t size, bool value)
{
    uint8_t *start = malloc(size > 0 ? size : 1);

    if (!start || memory_used.pieces == MEMORY_PIECES)
        memory_fail("no more");
    memory_used.garbage = memory_used.garbage * 1664525 + 1013904223;
    memset(start, (int)(memory_used.garbage >> 24 | 1), size);
    memory_used.piece[memory_used.pieces++] = (Piece){start, value};
    if (size > memory_used.largest)
        memory_used.largest = size;
    return start;
}

static inline void
memory_give_back(uint8_t *start, bool value)
{
    for (unsigned i = memory_used.pieces; i-- > 0;)
        if (memory_used.piece[i].start == start) {
            if (memory_used.piece[i].value != value)
                memory_fail("given back by the wrong function");
            memory_used.piece[i] = memory_used.piece[--memory_used.pieces];
            free(start);
            return;
        }
    memory_fail("given back, but not in use");
}

static inline uint8_t *
memory_value(uint64_t size, void *context)
{
    uint32_t watched = MEMORY_WATCHED;
    uint8_t *start = memory_take(size + SKETCH_PREFIX_BYTES, true);

    (void)context;
    memcpy(start, &watched, sizeof watched);
    return start + SKETCH_PREFIX_BYTES;
}

static inline void
memory_release_value(uint8_t *data, void *context)
{
    uint32_t watched = MEMORY_WATCHED;

    (void)context;
    if (memcmp(data - SKETCH_PREFIX_BYTES, &watched, sizeof watched) != 0)
        memory_fail("the bytes in front of a value were changed");
    memory_give_back(data - SKETCH_PREFIX_BYTES, true);
}

static inline void *
memory_scratch(uint64_t size, void *context)
{
    (void)context;
    return memory_take(size, false);
}

static inline void
memory_release(void *piece, void *context)
{
    (void)context;
    memory_give_back(piece, false);
}

/* How often core asked whether to go on. */
static size_t memory_polls;

static inline void
memory_poll(void *context)
{
    (void)context;
    memory_polls++;
}

static const SketchMemory memory = {
    .value = memory_value,
    .release_value = memory_release_value,
    .scratch = memory_scratch,
    .release = memory_release,
    .poll = memory_poll,
};

static inline void
release_bytes(SketchBytes value)
{
    memory_release_value((uint8_t *)value.data, NULL);
}

static inline void
release_state(SketchState state)
{
    memory_release_value(state.data, NULL);
}

/* Merges and releases what *state was, if it was replaced. */
static inline bool
merge_into(const SketchOps *ops, SketchState *state, SketchBytes other, SketchError *error)
{
    uint8_t *before = state->data;
    bool merged = sketch_unite(state, other, &memory, error);

    (void)ops;

    if (state->data != before)
        memory_release_value(before, NULL);
    return merged;
}

#endif
