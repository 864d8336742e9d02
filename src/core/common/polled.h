/*
 * polled.h - setting and copying many bytes, with polls in between.
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

#endif
