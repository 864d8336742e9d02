/*
 * tdigest.c - t-digest: which value stands at a given rank?
 *
 * A digest describes a distribution by centroids. A centroid is the mean of some neighbouring
 * values and how many they are. Centroids are small at both ends and large in the middle, so
 * quantiles near 0 and 1 are known best. Between centroids a query follows a curve. Two digests
 * merge by merging their centroids.
 *
 * A density of centroids says how many there may be around quantile q:
 *
 *     density(q) = d/2 * (.65 / (pi * sqrt(q(1-q))) + .35 / (2 L q(1-q))),   L = ln n + 1
 *
 * For n, the weight, L takes the greatest power of two that is not above it.
 *
 * It blends two of Dunning's scale functions: k1 (the square root: a constant absolute error) and
 * k2 (the logarithm: an error relative to the distance from the nearer end). With d a little above
 * the compression both integrate to about d/2 centroids. The largest weight of a centroid is the
 * reciprocal of the density, taken at the centroid's outer end, where the density is highest.
 * Centroids are formed from both ends to the middle, so neither end is favoured. The least and the
 * greatest value are always centroids of their own, and so are values at both sides of a gap that a
 * centroid would reach over (neighbors.c).
 *
 * Two levels. While values come in, the digest is kept at five times its compression. An aggregate
 * takes 64 kB at most for that (at compressions up to 400), and its many compactions cost no
 * accuracy. Only packing goes down to the compression, in one step from fine centroids; most of the
 * error comes from there. A packed digest has at most 3/4 compression centroids in 6.8 compression
 * bytes. What fits is packed as it is, so up to 150 single values are answered exactly at
 * compression 200. As long as nothing had to be merged on the way, which begins at five times the
 * compression and 2,048 more, a digest does not depend on the order in which values and digests
 * came.
 *
 * Merging. Digests are not merged as points at their means: the points of parts of like structure
 * stack up, and p50 was wrong by 2,600 ppm (24 parts of sorted values, dealt out in turn) where a
 * single digest was by 50. Their polygons are added (polygon.c). In a union of many digests each is
 * small compared with the state; of these a sample is taken, which is a point for each centroid,
 * but each time at another place of its weight (working.c). A single value that comes to a packed
 * digest is a run of its own: beside coarse centroids, it would be a wall between their halves.
 *
 * Points. Rows that are equal are a centroid that is marked as a point: nothing of it is spread
 * over the way to its neighbours. They come as one row of a weight, or repeat; points of equal mean
 * become one. So few different values are exact, however many rows there are: as many as fit in a
 * packed digest, and in a state five times the compression. Of more, where density allows, light
 * points are joined with their neighbours, as a whole or not at all; those that are heavier than
 * the largest centroid, 6 / compression of all at most, stay, alone and in a union. A list of rows
 * that is stored as it is has no marks.
 *
 * Packed value, little-endian:
 *
 *     0     1        2         3     4..5         6..7   8..15   16..   then     then
 *     kind  version  encoding  ends  compression  count  weight  means  weights  marks
 *
 *     ends       whether the first and the last value are next to a bound: 0 but for histograms
 *                (ends.c)
 *     means      `count` of them in ascending order, 8 bytes each (IEEE 754)
 *     weights    `count` of them, at least 1 each, in groups of 7 bits, the lowest first, with the
 *                high bit set on all but the last
 *     marks      encoding 1: a bit for each centroid, set if it is a point
 *
 * In transit (encoding 64), the state of an aggregate that quantiles were requested of has these
 * after a packed value with marks, whether any is set or not (core/common/requested.h).
 *
 * What tdigest_validate enforces:
 *   1. kind 2, version 1, encoding 0 or 1, compression 10..10000.
 *   2. at most 3/4 compression centroids in 6.8 compression bytes; means finite, not -0, and not
 *      descending. Two points of one mean next to each other are single values, both of them.
 *   3. weights in their shortest form, none 0; their sum is the weight and at most 2^63-1. With
 *      encoding 1 at least one mark, and none at a weight of 1.
 *   4. ends that are known, with a finite bound, and 0 in an empty digest; no bytes left over.
 *
 * Accuracy at compression 200 and 1M values, rank error in ppm (rms; uniform, lognormal, Pareto)
 * and bytes: see doc/bench. Left out: removal.
 *
 * References: T. Dunning, O. Ertl, Computing extremely accurate quantiles using t-digests, arXiv
 * 1902.04023. T. Dunning, The t-digest: efficient estimates of distributions, 2021.
 */
#include "tdigest_internal.h"

/* Packs in one step, whatever waits. */
static SketchBytes
write_with(SketchBytes value, SketchBytes (*write)(const Tdigest *, const SketchMemory *),
           const SketchMemory *memory)
{
    Tdigest digest;
    SketchBytes written;

    if (!tdigest_read_any(&digest, value, memory))
        return (SketchBytes){NULL, 0};
    written = write(&digest, memory);
    tdigest_close(&digest, memory);
    return written;
}

static SketchBytes
tdigest_pack(SketchBytes value, const SketchMemory *memory)
{
    return write_with(value, tdigest_write_packed, memory);
}

static SketchBytes
tdigest_transit(SketchBytes value, const SketchMemory *memory)
{
    return write_with(value, tdigest_write_transit, memory);
}

static bool
tdigest_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    return sketch_validate_common(input, &tdigest_ops, error) &&
           tdigest_validate_packed(input, memory, value, error);
}

const SketchOps tdigest_ops = {
    .name = "tdigest",
    .kind = SKETCH_TDIGEST,
    .version = TDIGEST_VERSION,
    .header_bytes = TDIGEST_PACKED_HEADER,
    .encoding_max = TDIGEST_POINTS,
    .validate = tdigest_validate,
    .open = tdigest_open,
    .pack = tdigest_pack,
    .transit = tdigest_transit,
    .merge = tdigest_merge,
};
