/*
 * tdigest.h - t-digest: which value stands at a given rank? The essay is in tdigest.c.
 */
#ifndef TDIGEST_H
#define TDIGEST_H

#include "core/common/histogram.h"
#include "core/common/state.h"

#define TDIGEST_COMPRESSION_MIN 10
#define TDIGEST_COMPRESSION_MAX 10000
#define TDIGEST_COMPRESSION_DEFAULT 200

/* The largest total weight: counts are bigint. */
#define TDIGEST_WEIGHT_MAX INT64_MAX

/* Most quantiles in the state of approx_percentile. */
#define TDIGEST_REQUESTED_MAX 255

/*
 * Encodings: two packed and two working ones; SKETCH_TRANSIT is for a state that carries quantiles.
 */
#define TDIGEST_PACKED 0
#define TDIGEST_POINTS 1 /* packed, with marks at the centroids that are points */
#define TDIGEST_VALUES (SKETCH_WORKING | 0)
#define TDIGEST_CENTROIDS (SKETCH_WORKING | 1)

#define TDIGEST_PACKED_HEADER 16
extern const SketchOps tdigest_ops;

/*
 * Some neighbouring values: their mean, and how many they are. It is a point if it is known that
 * they all equal the mean because they came as one row with a weight; a single value is known to be
 * one without that mark.
 */
typedef struct TdigestCentroid {
    double mean;
    uint64_t weight : 63;
    uint64_t point : 1;
} TdigestCentroid;

_Static_assert(sizeof(TdigestCentroid) == 16, "a weight and its mark are one number");

/* A centroid without a mark; and weight and mark of one together. Compilers take more steps. */
static inline TdigestCentroid
tdigest_unmarked(double mean, uint64_t weight)
{
    const struct {
        double mean;
        uint64_t bits;
    } both = {mean, weight};
    TdigestCentroid c;

    memcpy(&c, &both, sizeof c);
    return c;
}

static inline uint64_t
tdigest_bits(const TdigestCentroid *c)
{
    uint64_t bits;

    memcpy(&bits, (const uint8_t *)c + sizeof c->mean, sizeof bits);
    return bits;
}

static inline bool
tdigest_is_point(const TdigestCentroid *c)
{
    return c->weight == 1 || c->point;
}

/* In which order the centroids of a digest are. Queries need one that is merged. */
typedef enum TdigestOrder {
    TDIGEST_MERGED, /* ascending, none more than is needed */
    TDIGEST_SORTED, /* ascending */
    TDIGEST_RUNS    /* ascending runs, each of which was a digest, or single values */
} TdigestOrder;

/*
 * Values of which a histogram says only that they are above or below a bound are next to it: one
 * double above or below. Where these are the least or the greatest values, that bound is the
 * minimum or the maximum. `low` and `high` are such values, and in which direction their bounds
 * are. If others turn out to be less or greater, they are ends no more.
 */
typedef enum TdigestBeside {
    TDIGEST_AT_END,
    TDIGEST_BELOW_BOUND,
    TDIGEST_ABOVE_BOUND
} TdigestBeside;

typedef struct TdigestEnds {
    double low, high;
    TdigestBeside low_beside, high_beside;
} TdigestEnds;

/*
 * A digest opened for reading: centroids in ascending order of their means. The first mean is the
 * least value, the last mean the greatest, if they are not beside a bound.
 */
typedef struct Tdigest {
    unsigned compression;
    uint32_t count;
    const TdigestCentroid *centroids;
    uint64_t weight;
    TdigestOrder order;
    uint32_t first;  /* centroids of the first run, which may be none */
    double residual; /* of those that are not merged: see TdigestCentroids */
    TdigestEnds ends;
    unsigned requested;       /* how many quantiles a state of approx_percentile returns; */
    const uint8_t *quantiles; /* 8 bytes each, as they are in the value */
    void *scratch;
} Tdigest;

/* False for a damaged value; there is nothing to close then. */
extern bool tdigest_read(Tdigest *digest, SketchBytes value, const SketchMemory *memory);

static inline void
tdigest_close(Tdigest *digest, const SketchMemory *memory)
{
    if (digest->scratch)
        memory->release(digest->scratch, memory->context);
    digest->scratch = NULL;
}

/* An empty working digest, with requested quantiles or none; compression must be in range. */
extern SketchState tdigest_new(unsigned compression, unsigned requested, const uint8_t *quantiles,
                               const SketchMemory *memory);

/*
 * Adds a finite value. tdigest_insert replaces *state as SketchOps.merge does; it fails, with
 * nothing changed, when the total weight would pass TDIGEST_WEIGHT_MAX. weight is at least 1.
 */
static inline bool tdigest_add(SketchState state, double value);
extern bool tdigest_insert(SketchState *state, double value, uint64_t weight,
                           const SketchMemory *memory, SketchError *error);

/* The compression of any value, and its total weight. */
extern unsigned tdigest_compression(SketchBytes value);
extern uint64_t tdigest_weight(SketchBytes value);

/*
 * Answers; the digest must not be empty. tdigest_at is the value at an index of the weight, from 0;
 * tdigest_quantile the value at q times the weight, as Redis has it, tdigest_percentile as
 * PostgreSQL's percentile_cont has it. tdigest_below is the weight below a value, half of what
 * equals it included; tdigest_less the weight of what is less; tdigest_up_to that of what is less
 * or equal.
 */
extern double tdigest_at(const Tdigest *digest, double index);
extern double tdigest_quantile(const Tdigest *digest, double q);
extern double tdigest_percentile(const Tdigest *digest, double q);
extern double tdigest_below(const Tdigest *digest, double value);
extern double tdigest_up_to(const Tdigest *digest, double value);
extern double tdigest_less(const Tdigest *digest, double value);
extern double tdigest_trimmed_mean(const Tdigest *digest, double low, double high);

/* The sum of the same; infinite where it is past the greatest double. */
extern double tdigest_trimmed_sum(const Tdigest *digest, double low, double high);

/*
 * Other systems' sketches, read into a packed value. Compressions are theirs, brought into our
 * range, and 200 where there are none.
 */
extern bool tdigest_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                               SketchError *error);
extern bool tdigest_from_datasketches(SketchBytes input, const SketchMemory *memory,
                                      SketchBytes *value, SketchError *error);
extern bool tdigest_from_dunning(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                                 SketchError *error);
extern bool tdigest_from_ddsketch(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                                  SketchError *error);

/* The type of the items of a KLL sketch, which the sketch itself does not record. */
typedef enum TdigestItem { TDIGEST_ITEM_DOUBLE, TDIGEST_ITEM_FLOAT, TDIGEST_ITEM_LONG } TdigestItem;
extern bool tdigest_from_kll(SketchBytes input, TdigestItem item, const SketchMemory *memory,
                             SketchBytes *value, SketchError *error);

/* The tdigest extension for PostgreSQL: its text or JSON, and what its send function writes. */
extern bool tdigest_from_extension_text(SketchBytes input, const SketchMemory *memory,
                                        SketchBytes *value, SketchError *error);
extern bool tdigest_from_extension(SketchBytes input, const SketchMemory *memory,
                                   SketchBytes *value, SketchError *error);

/*
 * Histograms. With as many counts as bounds these are upper bounds, and the first bucket is open
 * below; with one more count the last bucket is open, too; with one less no bucket is open.
 */
extern bool tdigest_from_histogram(const double *bounds, uint32_t bounds_count,
                                   const int64_t *counts, uint32_t count,
                                   const SketchMemory *memory, SketchBytes *value,
                                   SketchError *error);

extern bool tdigest_from_exponential_histogram(const ExponentialHistogram *histogram,
                                               const SketchMemory *memory, SketchBytes *value,
                                               SketchError *error);

/* And back: the bytes in fresh memory of a value. */
extern SketchBytes tdigest_to_datasketches(const Tdigest *digest, const SketchMemory *memory);

/* The extremes of a digest that is not empty: values, or the bounds that values are next to. */
extern double tdigest_min(const Tdigest *digest);
extern double tdigest_max(const Tdigest *digest);

/* The same for any value of the curve: it is an extreme if it is at an end. */
extern double tdigest_shown(const Tdigest *digest, double value);

/* ---- states ---- */

/* Pending entries after the merged, ordered centroids of a state. */
typedef enum TdigestWaiting {
    TDIGEST_WAITING_VALUES,  /* of weight 1 */
    TDIGEST_WAITING_WEIGHTS, /* values of any weight */
    TDIGEST_WAITING_SAMPLES, /* the same, and samples of digests much smaller than this one */
    TDIGEST_WAITING_RUNS     /* values, and runs of centroids of other digests */
} TdigestWaiting;

/*
 * The state of single values, which follow. The requested quantiles are at the end of any state,
 * and before them two values that are next to bounds, if the header says so (ends.c).
 */
typedef struct TdigestState {
    StateHeader header; /* `hash` is the byte of a packed value that says what is at its ends */
    uint16_t compression;
    uint8_t requested;
    uint8_t waiting; /* a TdigestWaiting */
    uint32_t count;  /* of values, or of centroids */
} TdigestState;

/* The state of centroids, which follow. */
typedef struct TdigestCentroids {
    TdigestState state;
    uint64_t weight;
    double residual; /* of samples: their digests' sum less their own */
    uint32_t sorted; /* this many at the front are in order and merged */
    uint32_t capacity;
    uint32_t sampled; /* digests */
    bool compacted;
} TdigestCentroids;

_Static_assert(sizeof(TdigestState) == 16 && sizeof(TdigestCentroids) == 48,
               "what follows is aligned");

static inline double *
tdigest_values(const TdigestState *state)
{
    return (double *)(state + 1);
}

static inline TdigestCentroid *
tdigest_centroids(const TdigestCentroids *state)
{
    return (TdigestCentroid *)(state + 1);
}

/* The requested quantiles of a state. */
static inline const uint8_t *
tdigest_requested(SketchBytes state, unsigned *count)
{
    *count = ((const TdigestState *)state_at(state.data))->requested;
    return state.data + state.size - *count * sizeof(double);
}

/* The fast path: a value of weight 1 where there is room. */
static inline bool
tdigest_add(SketchState state, double value)
{
    TdigestState *s = state_at(state.data);

    value += 0.0; /* -0 becomes 0 */
    if (s->header.encoding == TDIGEST_VALUES) {
        if (state_size(sizeof *s) + (s->count + (size_t)1 + s->requested) * sizeof(double) >
            state.size)
            return false;
        tdigest_values(s)[s->count++] = value;
    } else {
        TdigestCentroids *c = (TdigestCentroids *)s;

        if (s->count >= c->capacity || c->weight >= TDIGEST_WEIGHT_MAX)
            return false;
        tdigest_centroids(c)[s->count++] = tdigest_unmarked(value, 1);
        c->weight++;
    }
    return true;
}

#endif
