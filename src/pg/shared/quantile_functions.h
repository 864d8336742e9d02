/*
 * quantile_functions.h - what the types that describe a distribution of numbers share.
 */
#ifndef QUANTILE_FUNCTIONS_H
#define QUANTILE_FUNCTIONS_H

#include "glue.h"

#include "core/common/histogram.h"

/* Raises unless 0 <= q <= 1, with the hint if there is one. */
extern double sketch_check_quantile(double q, const char *hint);

/*
 * Argument n, a text. PostgreSQL takes a literal or parameter without a type for text where both a
 * number and an array would do; it is read as the number, of the given type.
 */
extern Datum sketch_untyped_number(FunctionCallInfo fcinfo, int n, Oid type);

/* A query about one number, and its answer; `sketch` is NULL if it is empty. False for NULL. */
typedef bool (*SketchQuery)(const void *sketch, Datum number, Datum *answer);

/*
 * Answers a query about argument 1, which the SQL function declares as a number, as an array of
 * numbers, or as a text that is a number without a type. The types are those of numbers and of answers.
 */
extern Datum sketch_answer(FunctionCallInfo fcinfo, const void *sketch, SketchQuery query,
                           Oid number, Oid answer);

/* Raises for NaN, which is no number to count values up to. */
extern double sketch_check_number(Datum number);

/* Argument n, an array whose elements are 8 bytes wide; raises if one is NULL. */
extern const void *sketch_array_of_eight(FunctionCallInfo fcinfo, int n, const char *what,
                                         uint32 *count);

/*
 * T_from_exponential_histogram(scale, zero_count, positive_offset, positive, negative_offset,
 * negative).
 */
typedef bool (*SketchHistogramReader)(int scale, int64_t zeros, HistogramCounts positive,
                                      HistogramCounts negative, const SketchMemory *memory,
                                      SketchBytes *value, SketchError *error);

extern Datum sketch_from_exponential_histogram(FunctionCallInfo fcinfo, SketchHistogramReader read);

/* A distribution of `total` values, at least one, from low to high. */
typedef struct SketchDistribution {
    double low, high;
    int64 total;
    int64 (*below)(const void *sketch, double value); /* how many are below, at most the total */
    const void *sketch;
} SketchDistribution;

/* Reads argument 0; false if it is empty. `sketch` lasts as long as the memory context. */
typedef bool (*SketchDistributionReader)(FunctionCallInfo fcinfo, SketchDistribution *d);

/*
 * T_histogram(T, buckets): the rows (lower, upper, count) of buckets of equal width, for sketch_rows;
 * no rows if the sketch is empty.
 */
extern void *sketch_begin_histogram(FunctionCallInfo fcinfo, SketchDistributionReader read);
extern bool sketch_next_bucket(void *rows, Datum *values, bool *nulls);

/* T_sparkline(T, width): NULL if the sketch is empty. */
extern Datum sketch_sparkline(FunctionCallInfo fcinfo, SketchDistributionReader read);

#endif
