/*
 * describe.h - what the one-line descriptions of values share.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "glue.h"

#include "lib/stringinfo.h"

/* A number with a comma after every three digits, whatever the locale. */
static inline void
sketch_append_number(StringInfo text, uint64 number)
{
    if (number < 1000) {
        appendStringInfo(text, "%u", (unsigned)number);
        return;
    }
    sketch_append_number(text, number / 1000);
    appendStringInfo(text, ",%03u", (unsigned)(number % 1000));
}

/* A number of things: 1 byte, 2,000 bytes. */
static inline void
sketch_append_count(StringInfo text, uint64 number, const char *thing)
{
    sketch_append_number(text, number);
    appendStringInfo(text, " %s%s", thing, number == 1 ? "" : "s");
}

#endif
