/*
 * distribution.h - what the types that describe a distribution of numbers share.
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include "glue.h"

/* Raises unless 0 <= q <= 1, with the hint if there is one. */
extern double sketch_check_quantile(double q, const char *hint);

/*
 * Argument n, a text. PostgreSQL takes a literal or parameter without a type for text where both a
 * number and an array would do; it is read as the number, of the given type.
 */
extern Datum sketch_untyped_number(FunctionCallInfo fcinfo, int n, Oid type);

/* Argument n, an array whose elements are 8 bytes wide; raises if one is NULL. */
extern const void *sketch_array_of_eight(FunctionCallInfo fcinfo, int n, const char *what,
                                         uint32 *count);

/* A distribution of `total` values, at least one, from low to high. */
typedef struct SketchDistribution {
    double low, high;
    int64 total;
    int64 (*below)(const void *sketch, double value); /* how many are below, at most the total */
    const void *sketch;
} SketchDistribution;

/*
 * The rows (lower, upper, count) of a histogram of buckets of equal width, for sketch_rows; `count`
 * is checked. No rows if `distribution` is NULL.
 */
extern void *sketch_begin_histogram(const SketchDistribution *distribution, int32 count);
extern bool sketch_next_bucket(void *rows, Datum *values, bool *nulls);

/* The distribution as a line of `width` characters, which is checked; NULL data for no values. */
extern text *sketch_sparkline(const SketchDistribution *distribution, int32 width);

#endif
