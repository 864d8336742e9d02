/*
 * ranks.h - values in order, and the ranks of answers among them.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/sketch.h"

/* A double's bits become a number of the same order. */
static inline uint64_t
sort_key(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

#define SORT_NAME sort_values
#define SORT_ELEMENT double
#define SORT_KEY(e) sort_key(e)
#include "core/common/sort_digits.h"

/* How many of the sorted values are below x, or with `equal` not above it. */
static inline size_t
count_below(const double *sorted, size_t n, double x, bool equal)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (sorted[middle] < x || (equal && sorted[middle] == x))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
