/*
 * foreign_internal.h - what foreign.c and foreign_length.c share.
 */
#ifndef FOREIGN_INTERNAL_H
#define FOREIGN_INTERNAL_H

#include "bytes.h"
#include "foreign.h"

/* A number of `bytes` bytes, big-endian. */
static inline uint64_t
foreign_be(const uint8_t *from, unsigned bytes)
{
    uint64_t number = 0;

    while (bytes-- > 0)
        number = number << 8 | *from++;
    return number;
}

static inline bool
foreign_found(ForeignMark *mark, const char *what, const char *reader, const char *advice)
{
    mark->what = what;
    mark->reader = reader;
    mark->advice = advice;
    return true;
}

/* Formats without a mark, whose lengths fit. */
extern bool foreign_length_mark(SketchBytes input, ForeignMark *mark);

#endif
