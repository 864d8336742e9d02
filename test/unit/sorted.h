/*
 * sorted.h - the oracle of quantiles: the values themselves, sorted.
 */
#ifndef SORTED_H
#define SORTED_H

#include <stdlib.h>

static inline int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static inline void
sort_doubles(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

#endif
