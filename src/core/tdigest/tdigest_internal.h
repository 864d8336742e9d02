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
 *   import.c    how a sketch of another system becomes a digest; a file for each of them:
 *               redis.c datasketches.c kll.c dunning.c extension.c histogram.c ddsketch.c
 *   tdigest.c   what it is; what takes any encoding: reading, packing, merging
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
                                 double d, TdigestCentroid *out, const SketchMemory *memory);

/* sort.c */

/* Sorts values as centroids of weight 1 into `out`; `spare` has room for as many, too. */
extern void tdigest_sort_values(const double *values, uint32_t count, TdigestCentroid *out,
                                TdigestCentroid *spare, const SketchMemory *memory);

/* Sorts centroids; `other` is as long. */
extern void tdigest_sort_centroids(TdigestCentroid *centroids, uint32_t count,
                                   TdigestCentroid *other, const SketchMemory *memory);

/* Of equal means the lightest first, among sorted centroids; `spare` is twice as long. */
extern void tdigest_order_ties(TdigestCentroid *centroids, uint32_t count, uint64_t *spare,
                               const SketchMemory *memory);

/* packed.c: the caller has read the compression already. */

/*
 * The centroids of a packed value into `out`, which has room for them; their number and weight
 * stand in the header. False for a damaged value. `quantiles`, if given, is where the requested
 * ones are.
 */
extern bool tdigest_decode(SketchBytes value, TdigestCentroid *out, const uint8_t **quantiles);

static inline uint32_t
tdigest_packed_count(SketchBytes value)
{
    return load_le16(value.data + 6);
}

static inline uint64_t
tdigest_packed_weight(SketchBytes value)
{
    return load_le64(value.data + 8);
}

extern bool tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchBytes tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory);

/* The lowest compression at which the centroids are packed as they are. */
extern double tdigest_compression_for(const TdigestCentroid *centroids, uint32_t count);

/* What is left to check after sketch_validate_common. */
extern bool tdigest_validate_packed(SketchBytes input, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);

/* working.c: the same. */
extern bool tdigest_read_working(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchState tdigest_working_copy(const Tdigest *digest, const SketchMemory *memory);

/* Fails, with nothing changed, when the requested quantiles differ or the weights are too much. */
extern bool tdigest_append(SketchState *state, const Tdigest *digest, const SketchMemory *memory,
                           SketchError *error);

/* The same for a packed digest without requested quantiles, if it can be appended as it lies. */
typedef enum TdigestAppended { TDIGEST_APPENDED, TDIGEST_DAMAGED, TDIGEST_NO_ROOM } TdigestAppended;
extern TdigestAppended tdigest_append_packed(SketchState state, SketchBytes packed);
extern unsigned tdigest_working_compression(SketchBytes value);
extern uint64_t tdigest_working_weight(SketchBytes value);

#endif
