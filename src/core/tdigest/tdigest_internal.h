/*
 * tdigest_internal.h - what the files of t-digest share with one another and with nobody else.
 *
 * tdigest.c           what it is; packing, reading, validating
 * working.c   adding, merging
 * compress.c  which neighbours become one centroid
 * query.c     quantiles, ranks and means
 * redis.c     Redis's DUMP payload
 */
#ifndef TDIGEST_INTERNAL_H
#define TDIGEST_INTERNAL_H

#include "core/common/bytes.h"
#include "tdigest.h"

/* Working digests are this much finer than packed ones. */
#define TDIGEST_FINENESS 5

/* The density's d for a compression: with some 5/8 compression centroids they fit the room. */
#define TDIGEST_FILL 1.05

/* The most centroids a packed digest holds. */
static inline uint32_t
tdigest_packed_limit(unsigned compression)
{
    return compression * 3 / 4;
}

/* The most bytes they take: at compression 200 a value and its length word stay below 1.4 kB. */
static inline size_t
tdigest_packed_room(unsigned compression)
{
    return compression * 34 / 5;
}

/* Fields of working values, in host byte order. */
static inline uint16_t *
tdigest_compression_at(const uint8_t *data)
{
    return (uint16_t *)(data + 4);
}

/* Values, or centroids. */
static inline uint32_t *
tdigest_count_at(const uint8_t *data)
{
    return (uint32_t *)(data + 8);
}

/* Of centroids: their total weight, and how many in front are sorted and merged. */
static inline uint64_t *
tdigest_weight_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

static inline uint32_t *
tdigest_sorted_at(const uint8_t *data)
{
    return (uint32_t *)(data + 20);
}

/* tdigest.c */
extern SketchBytes tdigest_pack_digest(const Tdigest *digest, const SketchMemory *memory);

/* working.c */
extern bool tdigest_read_working(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchState tdigest_open(SketchBytes value, const SketchMemory *memory);
extern bool tdigest_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                          SketchError *error);

/*
 * compress.c: merges neighbours of sorted centroids as far as density d allows. Returns
 * how many there are in `out`, which has room for `count` and must not overlap.
 */
extern uint32_t tdigest_compress(const Centroid *centroids, uint32_t count, uint64_t weight,
                                 double d, Centroid *out);

#endif
