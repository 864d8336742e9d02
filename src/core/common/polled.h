/*
 * polled.h - setting, copying and comparing many bytes, with polls in between.
 */
#ifndef SKETCH_POLLED_H
#define SKETCH_POLLED_H

#include "core/sketch.h"

#include <string.h>

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

#endif
