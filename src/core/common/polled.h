/*
 * polled.h - long loops, and setting, copying and comparing many bytes, with polls in between.
 */
#ifndef SKETCH_POLLED_H
#define SKETCH_POLLED_H

#include "core/sketch.h"

#include <string.h>

/*
 * POLLED_FOR (i, from, to, steps, memory) is for (size_t i = from; i < to; i++) that polls `memory`
 * between pieces of the loop and at its end; `steps` is how many steps of a few nanoseconds the
 * body takes. The loop inside a piece has nothing to count, so that it is as fast as without polls.
 * `break` and `continue` do what they do in any loop; after `break` nothing is polled but once.
 *
 * POLLED_FOR_EACH is the same with the expression that polls.
 */
#define POLLED_FOR(i, from, to, steps, memory)                                                     \
    POLLED_FOR_EACH (i, from, to, steps, (memory)->poll((memory)->context))

#define POLLED_FOR_EACH(i, from, to, steps, poll)                                                  \
    for (size_t i = (from), i##_stop = i, i##_to = (to); i == i##_stop && i < i##_to; poll)        \
        for (i##_stop = sketch_piece_end(i, i##_to, steps); i < i##_stop; i++)

#define POLLED_PIECE ((size_t)4 << 20)

static inline void
polled_zero(void *to, size_t size, const SketchMemory *memory)
{
    for (uint8_t *at = to; size > 0; memory->poll(memory->context)) {
        size_t piece = size < POLLED_PIECE ? size : POLLED_PIECE;

        memset(at, 0, piece);
        at += piece;
        size -= piece;
    }
}

static inline void
polled_copy(void *to, const void *from, size_t size, const SketchMemory *memory)
{
    const uint8_t *source = from;

    for (uint8_t *at = to; size > 0; memory->poll(memory->context)) {
        size_t piece = size < POLLED_PIECE ? size : POLLED_PIECE;

        memcpy(at, source, piece);
        at += piece;
        source += piece;
        size -= piece;
    }
}

/* Ends a validate that found its input canonical: *value is a copy of it. */
static inline bool
polled_accept(SketchBytes input, const SketchMemory *memory, SketchBytes *value)
{
    uint8_t *copy = memory->value(input.size, memory->context);

    polled_copy(copy, input.data, input.size, memory);
    *value = (SketchBytes){copy, input.size};
    return true;
}

/* As memcmp. */
static inline int
polled_compare(const void *a, const void *b, size_t size, const SketchMemory *memory)
{
    const uint8_t *one = a, *other = b;
    int order = 0;

    for (; size > 0 && order == 0; memory->poll(memory->context)) {
        size_t piece = size < POLLED_PIECE ? size : POLLED_PIECE;

        order = memcmp(one, other, piece);
        one += piece;
        other += piece;
        size -= piece;
    }
    return order;
}

/*
 * Ends a validate that packed its input again: returns true if `packed` has the same bytes.
 * Otherwise releases it and refuses the input.
 */
static inline bool
polled_accept_packed(SketchBytes input, SketchBytes packed, const SketchMemory *memory,
                     SketchError *error)
{
    if (packed.size == input.size &&
        polled_compare(packed.data, input.data, input.size, memory) == 0)
        return true;
    memory->release_value((uint8_t *)packed.data, memory->context);
    return sketch_refuse(error, SKETCH_MALFORMED, "Not in canonical form");
}

#endif
