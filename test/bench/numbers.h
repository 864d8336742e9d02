/*
 * numbers.h - what the programs of this directory are made of: numbers of a generator, which are
 * the same everywhere, and those of the command line.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
fail(const char *reason)
{
    fprintf(stderr, "accuracy: %s\n", reason);
    exit(1);
}

static inline uint64_t
number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (end == text || *end)
        fail("an argument is no number");
    return value;
}

/* A bijection of its counter. */
static inline uint64_t
splitmix64(uint64_t counter)
{
    uint64_t z = counter * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Returns a number between 0 and 1, and neither. */
static inline double
fraction(uint64_t counter)
{
    return ((double)(splitmix64(counter) >> 11) + 0.5) * 0x1p-53;
}

#endif
