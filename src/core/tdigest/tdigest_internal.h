/*
 * tdigest_internal.h - what the files of t-digest share with one another and with nobody else.
 *
 * Each file calls only those above it:
 *
 *   compress.c  which neighbours become one centroid
 *   sort.c      values and centroids in order
 *   packed.c    the packed encoding: reading, writing, validating
 *   working.c   the working encodings: reading, adding, growing
 *   query.c     quantiles, ranks and means
 *   redis.c     Redis's DUMP payload
 *   tdigest.c   what it is; what takes either encoding: reading, packing, merging
 */
#ifndef TDIGEST_INTERNAL_H
#define TDIGEST_INTERNAL_H

#include "core/common/bytes.h"
#include "tdigest.h"

#define TDIGEST_VERSION 1

/* Working digests are this much finer than packed ones. */
#define TDIGEST_FINENESS 5

/* compress.c */

/*
 * Merges neighbours of sorted centroids as far as density d allows. Returns how many there are in
 * `out`, which has room for `count` and must not overlap.
 */
extern uint32_t tdigest_compress(const TdigestCentroid *centroids, uint32_t count, uint64_t weight,
                                 double d, TdigestCentroid *out);

/* sort.c */

/* The bits of a double as a number of the same order. */
static inline uint64_t
tdigest_sort_key(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | UINT64_C(1) << 63);
}

/* Sorts keys and makes them centroids of weight 1; `keys` has room for twice as many. */
extern void tdigest_sort_values(uint64_t *keys, uint32_t count, TdigestCentroid *out);

/* Sorts centroids in place; `other` has room for as many. */
extern void tdigest_sort_centroids(TdigestCentroid *centroids, uint32_t count,
                                   TdigestCentroid *other);

/* Merges two sorted runs into `out`. */
extern void tdigest_merge_runs(const TdigestCentroid *a, const TdigestCentroid *a_end,
                               const TdigestCentroid *b, const TdigestCentroid *b_end,
                               TdigestCentroid *out);

/* packed.c: the caller has read the compression already. */
extern bool tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchBytes tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory);

/* What is left to check after sketch_validate_common. */
extern bool tdigest_validate_packed(SketchBytes input, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);

/* working.c: the same. */
extern bool tdigest_read_working(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchState tdigest_working_copy(const Tdigest *digest, const SketchMemory *memory);

/* Fails, with nothing changed, when the requested quantiles differ or the weights are too much. */
extern bool tdigest_append(SketchState *state, const Tdigest *digest, const SketchMemory *memory,
                           SketchError *error);
extern unsigned tdigest_working_compression(SketchBytes value);
extern uint64_t tdigest_working_weight(SketchBytes value);

#endif
