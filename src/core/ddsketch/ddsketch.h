/*
 * ddsketch.h - DDSketch: quantiles with a guaranteed relative error, and subtraction. The essay is
 * in ddsketch.c.
 */
#ifndef DDSKETCH_H
#define DDSKETCH_H

#include "core/common/histogram.h"
#include "core/sketch.h"

/* Buckets grow by 2^(2^-scale). */
#define DDSKETCH_SCALE_MIN -10
#define DDSKETCH_SCALE_MAX 20

/* Counts are bigint. */
#define DDSKETCH_TOTAL_MAX INT64_MAX

/* Buckets are stored in blocks of 16; at most this many blocks may hold a value. */
#define DDSKETCH_BLOCK 16
#define DDSKETCH_BLOCKS_MAX ((uint32_t)1 << 18)

/* The most quantiles that can be requested of a state. */
#define DDSKETCH_REQUESTED_MAX 255

/* Encodings: packed, and two working ones; SKETCH_TRANSIT for a state that carries quantiles. */
#define DDSKETCH_PACKED 0
#define DDSKETCH_LIST (SKETCH_WORKING | 0)
#define DDSKETCH_PAGES (SKETCH_WORKING | 1)

extern const SketchOps ddsketch_ops;

/*
 * Where buckets begin. Exponential ones by their scale; those of the DDSketch library by gamma and
 * an offset of the index, through one of four logarithms. The numbers are stored.
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

/* buckets.c: the largest relative error of a quantile; the scale that is good enough for one. */
extern double ddsketch_relative_error(const DdsketchGrid *grid);
extern int ddsketch_scale_for(double relative_error);

/* The factor between two bounds of exponential buckets. */
extern double ddsketch_growth(int scale);

/*
 * The largest double of bucket `index`, and the largest below the bucket; the value that stands for
 * it.
 */
extern double ddsketch_upper(const DdsketchGrid *grid, int64_t index);
extern double ddsketch_lower(const DdsketchGrid *grid, int64_t index);
extern double ddsketch_middle(const DdsketchGrid *grid, int64_t index);

/* The bucket of a finite value above 0, of exponential buckets. */
extern int32_t ddsketch_index(double value, int scale);

/* Lowest and highest bucket of any double. */
extern int32_t ddsketch_index_min(int scale);
extern int32_t ddsketch_index_max(int scale);

/* The buckets of any value, and how many values there are; false for a damaged one. */
extern bool ddsketch_grid(SketchBytes value, DdsketchGrid *grid, uint64_t *total);

/* An empty working sketch; the grid is a good one. */
extern SketchState ddsketch_new(const DdsketchGrid *grid, const SketchMemory *memory);

/*
 * The quantiles that an aggregate of sketches was asked for, 8 bytes each: its state carries them,
 * wherever the plan moves it. Packing drops them, so that a packed value is its counts alone.
 */
typedef struct DdsketchRequested {
    unsigned count;
    const uint8_t *quantiles;
} DdsketchRequested;

extern DdsketchRequested ddsketch_requested(SketchBytes value);

/* Replaces *state, which carries none, by a copy that carries these. */
extern void ddsketch_request(SketchState *state, DdsketchRequested requested,
                             const SketchMemory *memory);

/*
 * Adds a value. ddsketch_add is the fast path of weight 1: false, with nothing changed, if it takes
 * more than that. ddsketch_insert replaces *state as SketchOps.merge does; it fails, with nothing
 * changed, for a value that is not finite, for buckets that are not exponential, or when the total
 * would pass DDSKETCH_TOTAL_MAX. ddsketch_remove fails, too, if there are not so many values in the
 * bucket of `value`.
 */
extern bool ddsketch_add(SketchState state, double value);
extern bool ddsketch_insert(SketchState *state, double value, uint64_t weight,
                            const SketchMemory *memory, SketchError *error);
extern bool ddsketch_remove(SketchState *state, double value, uint64_t weight,
                            const SketchMemory *memory, SketchError *error);

/*
 * merge.c: *state becomes what is left of it without `other`, as SketchOps.merge replaces it; fails
 * with SKETCH_OUT_OF_RANGE, and nothing changed, if `other` is not contained in it. The coarser
 * buckets of the two count, unless `other` is empty.
 */
extern bool ddsketch_subtract(SketchState *state, SketchBytes other, const SketchMemory *memory,
                              SketchError *error);

/* Joins buckets down to a scale; nothing is changed if they are as coarse or not exponential. */
extern void ddsketch_fold(SketchState *state, int scale, const SketchMemory *memory);

/* A bucket that is not empty. Those of negative values mirror those of positive ones. */
typedef struct DdsketchBucket {
    int32_t index;
    int32_t sign; /* -1, 0 for zeros, 1 */
    uint64_t count;
} DdsketchBucket;

/* A sketch opened for reading: its buckets in ascending order. */
typedef struct Ddsketch {
    DdsketchGrid grid;
    uint64_t total;
    uint32_t count;
    DdsketchBucket *buckets;
} Ddsketch;

/* False for a damaged value; there is nothing to close then. */
extern bool ddsketch_read(Ddsketch *sketch, SketchBytes value, const SketchMemory *memory);

static inline void
ddsketch_close(Ddsketch *sketch, const SketchMemory *memory)
{
    memory->release(sketch->buckets, memory->context);
}

/*
 * query.c: the sketch must not be empty. ddsketch_at is the value of a rank from 1 to the
 * total. ddsketch_rank is the number of values up to one, of the values of its own bucket those in
 * proportion. The deviation is that of a sample, NaN for a single value.
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
extern bool ddsketch_from_exponential_histogram(int scale, int64_t zeros, HistogramCounts positive,
                                                HistogramCounts negative,
                                                const SketchMemory *memory, SketchBytes *value,
                                                SketchError *error);

/* from_datadog.c: the message of the DDSketch library, and back: its bytes in memory of a value. */
extern bool ddsketch_from_datadog(SketchBytes message, const SketchMemory *memory,
                                  SketchBytes *value, SketchError *error);
extern SketchBytes ddsketch_to_datadog(const Ddsketch *sketch, const SketchMemory *memory);

#endif
