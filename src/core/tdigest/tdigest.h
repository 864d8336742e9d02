/*
 * tdigest.h - t-digest: which value stands at a given rank? The essay is in tdigest.c.
 */
#ifndef TDIGEST_H
#define TDIGEST_H

#include "core/sketch.h"

#define TDIGEST_COMPRESSION_MIN 10
#define TDIGEST_COMPRESSION_MAX 10000
#define TDIGEST_COMPRESSION_DEFAULT 200

/* The largest total weight: counts are bigint. */
#define TDIGEST_WEIGHT_MAX INT64_MAX

/* The most quantiles that the state of approx_percentile may carry. */
#define TDIGEST_REQUESTED_MAX 255

/* Encodings: packed, and two working ones. */
#define TDIGEST_PACKED 0
#define TDIGEST_VALUES (SKETCH_WORKING | 0)
#define TDIGEST_CENTROIDS (SKETCH_WORKING | 1)

#define TDIGEST_PACKED_HEADER 16
#define TDIGEST_VALUES_HEADER 12
#define TDIGEST_CENTROIDS_HEADER 28

extern const SketchOps tdigest_ops;

/* Some neighbouring values: their mean, and how many they are. */
typedef struct TdigestCentroid {
    double mean;
    uint64_t weight;
} TdigestCentroid;

/*
 * A digest opened for reading: centroids in ascending order of their means. The first mean is the
 * least value, the last mean the greatest.
 */
typedef struct Tdigest {
    unsigned compression;
    uint32_t count;
    const TdigestCentroid *centroids;
    uint64_t weight;
    unsigned requested;       /* how many quantiles a state of approx_percentile is to answer; */
    const uint8_t *quantiles; /* 8 bytes each, as they stand in the value */
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
 * tdigest_quantile the value at q times the weight. tdigest_below is the weight below a value, half
 * of what equals it included; tdigest_less the weight of what is less.
 */
extern double tdigest_at(const Tdigest *digest, double index);
extern double tdigest_quantile(const Tdigest *digest, double q);
extern double tdigest_below(const Tdigest *digest, double value);
extern double tdigest_less(const Tdigest *digest, double value);
extern double tdigest_trimmed_mean(const Tdigest *digest, double low, double high);

/*
 * Reads the DUMP payload of a t-digest of Redis (TDIGEST.*) into a packed value. The compression
 * is Redis's, brought into our range.
 */
extern bool tdigest_from_redis(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                               SketchError *error);

static inline double
tdigest_min(const Tdigest *digest)
{
    return digest->centroids[0].mean;
}

static inline double
tdigest_max(const Tdigest *digest)
{
    return digest->centroids[digest->count - 1].mean;
}

/* The fast path: a value of weight 1 where there is room. */
static inline bool
tdigest_add(SketchState state, double value)
{
    uint8_t *data = state.data;
    uint32_t *count = (uint32_t *)(data + 8);

    value += 0.0; /* -0 becomes 0 */
    if (data[2] == TDIGEST_VALUES) {
        if (TDIGEST_VALUES_HEADER + (*count + (size_t)1 + data[3]) * sizeof(double) > state.size)
            return false;
        ((double *)(data + TDIGEST_VALUES_HEADER))[(*count)++] = value;
        return true;
    } else {
        uint64_t *weight = (uint64_t *)(data + 12);

        if (TDIGEST_CENTROIDS_HEADER + (*count + (size_t)1) * sizeof(TdigestCentroid) +
                    data[3] * sizeof(double) >
                state.size ||
            *weight >= TDIGEST_WEIGHT_MAX)
            return false;
        ((TdigestCentroid *)(data + TDIGEST_CENTROIDS_HEADER))[(*count)++] =
            (TdigestCentroid){value, 1};
        (*weight)++;
        return true;
    }
}

#endif
