/*
 * tdigest_internal.h - what the files of t-digest share. Each uses those above it only.
 *
 * header.c      fields of packed values and of states
 * ends.c        first and last values that are next to a bound
 * sort.c        values and centroids in order
 * neighbors.c   which neighbours become one centroid
 * polygon.c     digests that overlap become one: the sum of their polygons
 * packed.c      packing, reading and checking packed values
 * working.c     states: adding, growing, compacting
 * read.c        values of any encoding, opened for reading
 * merge.c       opening for changes, merging
 * curve.c       the curve of values over ranks, between centroids
 * query.c       quantiles, ranks and means
 * import.c      how a sketch of another system becomes a digest; a file from_<system>.c for each
 * tdigest.c     what it is, and what the glue calls
 */
#ifndef TDIGEST_INTERNAL_H
#define TDIGEST_INTERNAL_H

#include "core/common/bytes.h"
#include "core/common/requested.h"
#include "tdigest.h"

#define TDIGEST_VERSION 1

/* Working digests are this much finer than packed ones. */
#define TDIGEST_FINENESS 5

/* ---- header.c ---- */

typedef struct TdigestPacked {
    uint8_t encoding;
    uint8_t ends;
    unsigned compression;
    uint32_t count;
    uint64_t weight;
} TdigestPacked;

/* The caller has checked for a header. */
extern TdigestPacked tdigest_read_header(const uint8_t *data);
extern void tdigest_write_header(uint8_t *data, const TdigestPacked *packed);

/* Returns true if a value is long enough for its header, and its compression is in range. */
extern bool tdigest_has_header(SketchBytes value);

/* ---- ends.c ---- */

/* Returns the value to put next to a bound, on the side that *beside says; see ends.c. */
extern double tdigest_beside(double bound, TdigestBeside *beside);

/* Reads the byte that says what the first and the last value are; fails if no value says that. */
extern bool tdigest_ends_of(uint8_t byte, double low, double high, TdigestEnds *ends);
extern uint8_t tdigest_ends_byte(const TdigestEnds *ends);

/* Returns the ends of a digest that still are. */
extern TdigestEnds tdigest_ends(const Tdigest *digest);

/* Returns true if a digest may have values at both sides of a bound of a histogram. */
static inline bool
tdigest_has_bounds(const Tdigest *digest)
{
    return digest->ends.low_beside > TDIGEST_AT_END || digest->ends.high_beside > TDIGEST_AT_END;
}

/* Returns true if there is just one double between two values: that bound. */
extern bool tdigest_beside_one_bound(double low, double high);

/* Makes *ends those of a union. */
extern void tdigest_widen_ends(TdigestEnds *ends, const TdigestEnds *other);

/* ---- read.c ---- */

/* Reads any value; what waits in a state is not merged. */
extern bool tdigest_read_any(Tdigest *digest, SketchBytes value, const SketchMemory *memory);

/* ---- neighbors.c ---- */

/* Gaps are looked for only in centroids that may have this weight or more. */
#define TDIGEST_GAP_WEIGHT 3

/*
 * The length of a gap that is wide in a centroid of that length and weight: half of it. Few values
 * leave such gaps by chance, so there it is more.
 */
static inline double
tdigest_wide_gap(double length, double weight)
{
    return length * (weight < 8 ? 1 - weight / 16 : 0.5);
}

/*
 * Merges neighbours of sorted centroids as far as density d allows. Gaps add centroids, if `most`
 * is not 0. Returns how many there are in `out`, which has room for as many as the digest has and
 * must not overlap.
 */
extern uint32_t tdigest_join_neighbors(const Tdigest *digest, double d, uint32_t most,
                                       TdigestCentroid *out, const SketchMemory *memory);

/* Whether any of them has values that are not equal. */
extern bool tdigest_has_spread(const TdigestCentroid *c, uint32_t count);

/* Whether sums of values and of weights lose nothing that a few centroids would be missed for. */
extern bool tdigest_is_tame(const TdigestCentroid *c, uint32_t count, uint64_t weight);

/*
 * Makes one point of all points of equal mean, in fresh scratch memory, unless the digest is a list
 * of rows that is stored as it is. Runs of nothing but points need no polygons: they are put in
 * order.
 */
extern void tdigest_join_points(Tdigest *digest, const SketchMemory *memory);

/* Divides a weight as density d has it: ends of slices, the last one the weight itself. */
extern uint32_t tdigest_divide_weight(uint64_t weight, double d, uint64_t *ends, uint32_t most);

/* ---- polygon.c ---- */

/* Merges overlapping runs of centroids; with gaps there are at most `most`. */
extern uint32_t tdigest_add_polygons(Tdigest *digest, double d, uint32_t most,
                                     TdigestCentroid **out, const SketchMemory *memory);

/* Reduces a digest to density d, in fresh scratch memory, which it owns instead of its own. */
extern void tdigest_compact(Tdigest *digest, double d, uint32_t most, const SketchMemory *memory);

/* Merges what waits, down to the density of states, unless all of it are so many points. */
extern void tdigest_settle(Tdigest *digest, uint32_t most, const SketchMemory *memory);

/* ---- merge.c ---- */

extern SketchState tdigest_open(SketchBytes value, const SketchMemory *memory);
extern bool tdigest_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                          SketchError *error);

/* ---- sort.c ---- */

/* Sorts values as centroids of weight 1 into `out`; `spare` has room for as many, too. */
extern void tdigest_sort_values(const double *values, uint32_t count, TdigestCentroid *out,
                                TdigestCentroid *spare, const SketchMemory *memory);

/* Sorts centroids; `other` is as long. */
extern void tdigest_sort_centroids(TdigestCentroid *centroids, uint32_t count,
                                   TdigestCentroid *other, const SketchMemory *memory);

/* Sorts centroids by mean, and those of equal means by weight, the lightest first. */
extern void tdigest_sort_all(TdigestCentroid *centroids, uint32_t count,
                             const SketchMemory *memory);

/* ---- packed.c ---- */

/* The most centroids a packed digest holds. */
static inline uint32_t
tdigest_centroids_max(unsigned compression)
{
    return compression * 3 / 4;
}

/*
 * Reads a value, packed or in transit: its centroids into `out`, which has room for them, its
 * ends, and what was requested of it. False if it is damaged.
 */
extern bool tdigest_decode(SketchBytes value, TdigestCentroid *out, TdigestEnds *ends,
                           RequestedQuantiles *requested);

extern bool tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory);
extern SketchBytes tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory);

/* The same with the quantiles requested of it, if there are any. */
extern SketchBytes tdigest_write_transit(const Tdigest *digest, const SketchMemory *memory);

/* The lowest compression at which the centroids are packed as they are. */
extern double tdigest_compression_for(const TdigestCentroid *centroids, uint32_t count);

/* Checks what is left after sketch_validate_common. */
extern bool tdigest_validate_packed(SketchBytes input, const SketchMemory *memory,
                                    SketchBytes *value, SketchError *error);

/* ---- working.c ---- */

/* Reads a state as it is: nothing is merged, and `order` says what the centroids are. */
extern void tdigest_read_state(Tdigest *digest, SketchBytes value, const SketchMemory *memory);

/* Makes a state of what a packed digest holds. */
extern SketchState tdigest_open_packed(const Tdigest *digest, const SketchMemory *memory);

/* The ends of a state, and those of its union with a digest that was merged into it. */
extern TdigestEnds tdigest_state_ends(SketchBytes state);
extern void tdigest_widen_state_ends(StateWriter *w, const TdigestEnds *other);

/* Adds a run of centroids; the caller has checked the weight. */
extern void tdigest_add_run(StateWriter *w, const TdigestCentroid *run, uint32_t count);

/* Returns room for a run of centroids, or NULL; tdigest_commit adds what was written there. */
extern TdigestCentroid *tdigest_room(SketchState state, uint32_t count, uint64_t weight);
extern void tdigest_commit(SketchState state, uint32_t count, uint64_t weight);

/* False, with *error, if `more` weight is too much. */
extern bool tdigest_check_weight(SketchBytes state, uint64_t more, SketchError *error);

#endif
