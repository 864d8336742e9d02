/*
 * quantile_functions.h - what the types that describe a distribution of numbers share.
 */
#ifndef QUANTILE_FUNCTIONS_H
#define QUANTILE_FUNCTIONS_H

#include "glue.h"

#include "core/common/bytes.h"
#include "core/common/histogram.h"

/*
 * Raises unless 0 <= q <= 1; `what` it is stands in the message, and `hint`, unless it is NULL,
 * after what is said of a percentage.
 */
extern double sketch_check_fraction(const char *what, double q, const char *hint);

/*
 * The quantiles in argument 2 of an aggregate, whose state carries them from its first row on.
 * There are as many as a state can count in a byte.
 */
#define SKETCH_REQUESTED_MAX 255

typedef struct SketchRequested {
    const double *q;
    int count;
} SketchRequested;

/* How the argument has them. */
typedef enum SketchQuantileArgument { ONE_QUANTILE, QUANTILE_ARRAY } SketchQuantileArgument;

/* Reads them; a single quantile is kept in *one. */
extern SketchRequested sketch_requested_other(FunctionCallInfo fcinfo, SketchQuantileArgument kind,
                                              double *one);

/* Returns how the called function was declared to have them. */
extern SketchQuantileArgument sketch_requested_kind(FunctionCallInfo fcinfo);

static inline SketchRequested
sketch_requested_arg(FunctionCallInfo fcinfo, SketchQuantileArgument kind, double *one)
{
    if (kind != ONE_QUANTILE || PG_ARGISNULL(2))
        return sketch_requested_other(fcinfo, kind, one);
    *one = PG_GETARG_FLOAT8(2);
    return (SketchRequested){one, 1};
}

/* Checks quantiles and writes them as a state has them, 8 bytes each. */
extern void sketch_write_requested(SketchRequested requested, uint8 *quantiles, const char *hint);

/* Raises unless a state, which has `count` of them, was asked for just these. */
extern _Noreturn void sketch_raise_requested(const char *hint);

static inline void
sketch_check_requested(SketchRequested requested, const uint8 *quantiles, unsigned count,
                       const char *hint)
{
    bool same = count == (unsigned)requested.count;

    for (int i = 0; i < requested.count && same; i++)
        same = load_le_double(quantiles + i * sizeof(double)) == requested.q[i];
    if (!same)
        sketch_raise_requested(hint);
}

/*
 * The quantiles that the rows of a window frame request; q is NULL before the first row. A frame
 * that moves has no plain state that could carry them.
 */
typedef struct SketchFrameQuantiles {
    SketchQuantileArgument kind;
    int count;
    double *q;
} SketchFrameQuantiles;

/*
 * Keeps argument 2 of the first row in `memory`, checked; that of another row has to be the same.
 */
extern void sketch_frame_quantiles(FunctionCallInfo fcinfo, SketchFrameQuantiles *quantiles,
                                   MemoryContext memory, const char *hint);

/* The answers to them as a result: a number, or an array. */
typedef double (*SketchPercentile)(const void *sketch, double q);

extern Datum sketch_frame_result(const SketchFrameQuantiles *quantiles, const void *sketch,
                                 SketchPercentile percentile);

/* A query about one number, and its answer; `sketch` is NULL if it is empty. False for NULL. */
typedef bool (*SketchQuery)(const void *sketch, Datum number, Datum *answer);

/*
 * Answers a query about argument 1, which the SQL function declares as a number or as an array of
 * numbers. The types are those of numbers and of answers.
 */
extern Datum sketch_answer(FunctionCallInfo fcinfo, const void *sketch, SketchQuery query,
                           Oid number, Oid answer);

/* Raises for NaN, which is no number to count values up to. */
extern double sketch_check_number(Datum number);

/* Argument n, an array whose elements are 8 bytes wide; raises if one is NULL. */
extern const void *sketch_array_of_eight(FunctionCallInfo fcinfo, int n, const char *what,
                                         uint32 *count);

/*
 * T_counts(T, bounds): how many of `total` values are up to the first bound, between bounds, and
 * above the last one. up_to is not called if there are none.
 */
extern Datum sketch_counts(FunctionCallInfo fcinfo, int64 total,
                           int64 (*up_to)(const void *sketch, double value), const void *sketch);

/*
 * T_from_exponential_histogram(scale, zero_count, positive_offset, positive, negative_offset,
 * negative, min, max); NULL for NULL, but for the extremes, which are not known then.
 */
typedef bool (*SketchHistogramReader)(const ExponentialHistogram *histogram,
                                      const SketchMemory *memory, SketchBytes *value,
                                      SketchError *error);

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
 * T_histogram(T, buckets): the rows (lower, upper, count) of buckets of equal width, for
 * sketch_rows; no rows if the sketch is empty.
 */
extern void *sketch_begin_histogram(FunctionCallInfo fcinfo, SketchDistributionReader read);
extern bool sketch_next_bucket(void *rows, Datum *values, bool *nulls);

/* T_sparkline(T, width): NULL if the sketch is empty. */
extern Datum sketch_sparkline(FunctionCallInfo fcinfo, SketchDistributionReader read);

#endif
