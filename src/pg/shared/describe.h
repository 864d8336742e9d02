/*
 * describe.h - numbers for people, as T_describe writes them.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "glue.h"

#define SKETCH_GROUPED_MAX 32

/* A number with its digits in groups of three, in `text`, which it returns. */
static inline const char *
sketch_grouped(uint64 number, char *text)
{
    char digits[SKETCH_GROUPED_MAX];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *to = text;

    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

#endif
