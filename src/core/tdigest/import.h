/*
 * import.h - how a sketch of another system becomes a digest.
 *
 * A reader begins an import with room for what its input can hold at most, adds centroids or spread
 * buckets in any order, may set the extremes, and finishes it. Whatever fails, it ends the import,
 * which gives the memory back.
 */
#ifndef TDIGEST_IMPORT_H
#define TDIGEST_IMPORT_H

#include "tdigest_internal.h"

typedef struct TdigestImport {
    const SketchMemory *memory;
    SketchError *error;
    TdigestCentroid *room;      /* with a place in front of and behind the centroids */
    TdigestCentroid *centroids; /* in room */
    uint32_t count;
    uint32_t capacity;
    uint64_t weight;
    TdigestEnds ends;
    bool sorted;
    size_t steps; /* since the last poll */
} TdigestImport;

/* The most centroids: few enough that computing with their number never overflows. */
#define TDIGEST_IMPORT_MAX (UINT32_MAX / 64)

/* Makes room for `capacity` centroids; false if those are too many. */
extern bool tdigest_import_begin(TdigestImport *import, uint64_t capacity,
                                 const SketchMemory *memory, SketchError *error);

/* A centroid of a weight of at least 1; what is not finite, or too much, is refused. */
extern bool tdigest_import_add(TdigestImport *import, double mean, uint64_t weight);

/* The same for values that are known to be equal. */
extern bool tdigest_import_point(TdigestImport *import, double value, uint64_t weight);

/* Values that lie above or below a bound; at least one. They are put next to it. */
extern bool tdigest_import_beside(TdigestImport *import, double bound, TdigestBeside beside,
                                  uint64_t weight);

/*
 * Values that lie somewhere between two bounds: they are spread evenly inside, as at most `points`
 * centroids, at least one, and a value next to each bound.
 */
extern bool tdigest_import_spread(TdigestImport *import, double low, double high, uint64_t weight,
                                  unsigned points);

/*
 * Sets minimum and maximum, which other systems store in addition to centroids. Means of more
 * than one value keep their sum; samples that stand for more than one stay where they are.
 */
typedef enum TdigestOuter { TDIGEST_OUTER_MEANS, TDIGEST_OUTER_SAMPLES } TdigestOuter;
extern bool tdigest_import_extremes(TdigestImport *import, double low, double high,
                                    TdigestOuter outer);

/*
 * The packed value, at the compression given, brought into our range. Where the centroids do not
 * fit it is raised as far as they need, to `most` at most; beyond that they are merged.
 */
extern SketchBytes tdigest_import_finish(TdigestImport *import, double compression, double most);

extern void tdigest_import_end(TdigestImport *import);

#endif
