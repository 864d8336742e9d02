/*
 * ddsketch.h - DDSketch: quantiles with a guaranteed relative error, and subtraction. The essay is
 * in ddsketch.c.
 */
#ifndef DDSKETCH_H
#define DDSKETCH_H

#include <math.h>

#include "core/common/histogram.h"
#include "core/common/requested.h"

/* Buckets grow by 2^(2^-scale). */
#define DDSKETCH_SCALE_MIN -10
#define DDSKETCH_SCALE_MAX 20

/* Counts are bigint. */
#define DDSKETCH_TOTAL_MAX INT64_MAX

/* Buckets are stored in blocks of 16; at most this many blocks may hold a value. */
#define DDSKETCH_BLOCK 16
#define DDSKETCH_BLOCKS_MAX ((uint32_t)1 << 18)

/* Maximum number of quantiles that a state can carry. */
#define DDSKETCH_REQUESTED_MAX 255

/* Encodings: packed and two working ones; SKETCH_TRANSIT is for a state that carries quantiles. */
#define DDSKETCH_PACKED 0
#define DDSKETCH_LIST (SKETCH_WORKING | 0)
#define DDSKETCH_PAGES (SKETCH_WORKING | 1)

extern const SketchOps ddsketch_ops;

/*
 * How buckets are laid out: exponential ones by their scale; those of the DDSketch library by gamma
 * and an offset of the index, through one of four logarithms. Values store these numbers.
 */
typedef enum DdsketchMapping {
    DDSKETCH_EXPONENTIAL = 0,
    DDSKETCH_LOGARITHMIC = 1,
    DDSKETCH_LINEAR = 2,
    DDSKETCH_QUADRATIC = 3,
    DDSKETCH_CUBIC = 4
} DdsketchMapping;

typedef struct DdsketchGrid {
    DdsketchMapping mapping;
    int scale;            /* of DDSKETCH_EXPONENTIAL, */
    double gamma, offset; /* of the others */
} DdsketchGrid;

/*
 * The exact minimum and maximum. A minimum that is not known, because values came as counts of
 * buckets or were subtracted, is -INFINITY and makes that of each union unknown; of no values it is
 * INFINITY. The maximum mirrors it. So that of a union is the lower of two numbers.
 */
typedef struct DdsketchExtremes {
    double min, max;
} DdsketchExtremes;

static const DdsketchExtremes ddsketch_no_values = {INFINITY, -INFINITY};
static const DdsketchExtremes ddsketch_unknown = {-INFINITY, INFINITY};

static inline void
ddsketch_widen(DdsketchExtremes *extremes, DdsketchExtremes other)
{
    extremes->min = other.min < extremes->min ? other.min : extremes->min;
    extremes->max = other.max > extremes->max ? other.max : extremes->max;
}

/* buckets.c: return the largest relative error of a quantile, and the lowest scale for an error. */
extern double ddsketch_relative_error(const DdsketchGrid *grid);
extern int ddsketch_scale_for(double relative_error);

/* Returns the factor between the bounds of an exponential bucket. */
extern double ddsketch_growth(int scale);

/*
 * Return the largest double in bucket `index`, the largest one below the bucket, and the value that
 * represents the bucket.
 */
extern double ddsketch_upper(const DdsketchGrid *grid, int64_t index);
extern double ddsketch_lower(const DdsketchGrid *grid, int64_t index);
extern double ddsketch_middle(const DdsketchGrid *grid, int64_t index);

/* Returns the exponential bucket of a finite value above 0. */
extern int32_t ddsketch_index(double value, int scale);

/* Return the lowest and the highest bucket that some double falls into. */
extern int32_t ddsketch_index_min(int scale);
extern int32_t ddsketch_index_max(int scale);

/* Sets the grid and the total of any value; fails for a damaged one. */
extern bool ddsketch_grid(SketchBytes value, DdsketchGrid *grid, uint64_t *total);

/* Returns an empty working sketch; the grid must be valid. */
extern SketchState ddsketch_new(const DdsketchGrid *grid, const SketchMemory *memory);

/* The quantiles requested of an aggregate of sketches, which its state carries. */
extern RequestedQuantiles ddsketch_requested(SketchBytes value);

/* Replaces *state, which carries no quantiles, by a copy that carries these. */
extern void ddsketch_request(SketchState *state, RequestedQuantiles requested,
                             const SketchMemory *memory);

/*
 * Add a value. ddsketch_add is the fast path, for weight 1; it returns false, with
 * nothing changed, if ddsketch_insert is needed. ddsketch_insert replaces *state as SketchOps.merge
 * does. It fails, with nothing changed, for a value that is not finite, for buckets that are not
 * exponential, if the total would exceed DDSKETCH_TOTAL_MAX, or if there would be too many blocks.
 */
extern bool ddsketch_add(SketchState state, double value);
extern bool ddsketch_insert(SketchState *state, double value, uint64_t weight,
                            const SketchMemory *memory, SketchError *error);

/*
 * merge.c: subtracts `other` and replaces *state as SketchOps.merge does. Fails with
 * SKETCH_OUT_OF_RANGE, and nothing changed, if *state does not contain `other`. The result has the
 * coarser buckets of the two, unless `other` is empty.
 */
extern bool ddsketch_subtract(SketchState *state, SketchBytes other, const SketchMemory *memory,
                              SketchError *error);

/* Joins buckets down to a scale; no effect if they are that coarse already or not exponential. */
extern void ddsketch_fold(SketchState *state, int scale, const SketchMemory *memory);

/* A nonempty bucket. Those of negative values mirror those of positive ones. */
typedef struct DdsketchBucket {
    int32_t index;
    int32_t sign; /* -1, 0 for zeros, 1 */
    uint64_t count;
    uint64_t up_to; /* the count of this bucket and of all below it, in a sketch that was read */
} DdsketchBucket;

/* A sketch opened for reading: its buckets in ascending order. */
typedef struct Ddsketch {
    DdsketchGrid grid;
    DdsketchExtremes extremes;
    uint64_t total;
    uint32_t count;
    DdsketchBucket *buckets;
} Ddsketch;

/* Opens a value for reading; fails for a damaged one, and then there is nothing to close. */
extern bool ddsketch_read(Ddsketch *sketch, SketchBytes value, const SketchMemory *memory);

static inline void
ddsketch_close(Ddsketch *sketch, const SketchMemory *memory)
{
    memory->release(sketch->buckets, memory->context);
}

/* Whether the minimum, or the maximum, is exact: known, or zero. False for an empty sketch. */
static inline bool
ddsketch_has_min(const Ddsketch *sketch)
{
    return sketch->count > 0 && (isfinite(sketch->extremes.min) || sketch->buckets[0].sign == 0);
}

static inline bool
ddsketch_has_max(const Ddsketch *sketch)
{
    return sketch->count > 0 &&
           (isfinite(sketch->extremes.max) || sketch->buckets[sketch->count - 1].sign == 0);
}

/*
 * query.c: the sketch must not be empty. ddsketch_at returns the value at a rank from 1 to the
 * total. ddsketch_rank returns the number of values up to `value`, interpolated in its bucket. The
 * deviation is that of a sample, NaN for a single value.
 */
extern double ddsketch_bucket_low(const Ddsketch *sketch, uint32_t i);
extern double ddsketch_bucket_high(const Ddsketch *sketch, uint32_t i);
extern double ddsketch_bucket_middle(const Ddsketch *sketch, uint32_t i);
extern double ddsketch_at(const Ddsketch *sketch, uint64_t rank);
extern double ddsketch_percentile(const Ddsketch *sketch, double q);
extern uint64_t ddsketch_rank(const Ddsketch *sketch, double value);
extern double ddsketch_sum(const Ddsketch *sketch);
extern double ddsketch_mean(const Ddsketch *sketch);
extern double ddsketch_deviation(const Ddsketch *sketch);

/* from_exponential_histogram.c */
extern bool ddsketch_from_exponential_histogram(const ExponentialHistogram *histogram,
                                                const SketchMemory *memory, SketchBytes *value,
                                                SketchError *error);

/*
 * from_datadog.c: reads and writes the message of the DDSketch libraries; ceiling: of those that
 * round the index of a bucket up. A message to those has a row of at most so many buckets of each
 * sign.
 */
enum { DDSKETCH_ROW_MAX = 1000000 };
extern bool ddsketch_from_datadog(SketchBytes message, const SketchMemory *memory,
                                  SketchBytes *value, SketchError *error);
extern bool ddsketch_from_datadog_ceiling(SketchBytes message, const SketchMemory *memory,
                                          SketchBytes *value, SketchError *error);
extern SketchBytes ddsketch_to_datadog(const Ddsketch *sketch, const SketchMemory *memory);
extern bool ddsketch_to_datadog_ceiling(const Ddsketch *sketch, const SketchMemory *memory,
                                        SketchBytes *message, SketchError *error);

#endif
