/*
 * tdigest.c - t-digest: which value stands at a given rank?
 *
 * A digest describes a distribution by centroids. A centroid is the mean of some neighbouring
 * values and how many they are. Centroids are small at both ends and large in the middle, so
 * quantiles near 0 and 1 are known best. Between centroids a query interpolates. Two digests merge
 * by merging their centroids.
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
 * greatest value are always centroids of their own.
 *
 * Two levels. While values come in, the digest is kept at five times its compression. An aggregate
 * takes 64 kB at most for that (at compressions up to 400), and its many merges cost no accuracy.
 * Only packing goes down to the compression, in one step from fine centroids; most of the accuracy
 * comes from there. A packed digest has at most 3/4 compression centroids in 6.8 compression bytes.
 * What fits is packed as it is, so up to 150 single values are answered exactly at compression 200.
 * As long as nothing had to be merged on the way, which begins at five times the compression and
 * 2,048 more, a digest does not depend on the order in which values and digests came.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3          4..5         6..7   8..15   16..   then     then
 *     kind   version  encoding  requested  compression  count  weight  means  weights  quantiles
 *
 *     means      `count` of them in ascending order, 8 bytes each (IEEE 754)
 *     weights    `count` of them, at least 1 each, in groups of 7 bits, the lowest first, with the
 *                high bit set on all but the last
 *     quantiles  `requested` of them, 8 bytes each: those that the state of approx_percentile is to
 *                answer; a digest has none
 *
 * What tdigest_validate enforces:
 *   1. kind 2, version 1, encoding 0, compression 10..10000.
 *   2. at most 3/4 compression centroids in 6.8 compression bytes; means finite, not -0, and not
 *      descending.
 *   3. weights in their shortest form, none 0; their sum is the weight and at most 2^63-1.
 *   4. requested quantiles between 0 and 1; no bytes left over.
 *
 * Accuracy at compression 200 and 1M values, rank error in ppm (rms; uniform, lognormal, Pareto)
 * and bytes: see doc/bench. Values between centroids are interpolated, so where a few values make
 * up everything an answer may lie between two of them. Left out: removal.
 *
 * References: T. Dunning, O. Ertl, Computing extremely accurate quantiles using t-digests, arXiv
 * 1902.04023. T. Dunning, The t-digest: efficient estimates of distributions, 2021.
 */
#include "tdigest_internal.h"

unsigned
tdigest_compression(SketchBytes value)
{
    return sketch_is_working(value.data) ? tdigest_working_compression(value)
                                         : load_le16(value.data + 4);
}

uint64_t
tdigest_weight(SketchBytes value)
{
    return sketch_is_working(value.data) ? tdigest_working_weight(value)
                                         : load_le64(value.data + 8);
}

/* What every reading begins with: enough bytes for the header, a compression in range. */
static bool
header_is_good(SketchBytes value)
{
    unsigned compression;

    if (value.size < TDIGEST_VALUES_HEADER ||
        (!sketch_is_working(value.data) && value.size < TDIGEST_PACKED_HEADER))
        return false;
    compression = tdigest_compression(value);
    return compression >= TDIGEST_COMPRESSION_MIN && compression <= TDIGEST_COMPRESSION_MAX;
}

bool
tdigest_read(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    if (!header_is_good(value))
        return false;
    digest->compression = tdigest_compression(value);
    return sketch_is_working(value.data) ? tdigest_read_working(digest, value, memory)
                                         : tdigest_read_packed(digest, value, memory);
}

static SketchBytes
tdigest_pack(SketchBytes value, const SketchMemory *memory)
{
    Tdigest digest;
    SketchBytes packed;

    if (!tdigest_read(&digest, value, memory))
        return (SketchBytes){NULL, 0};
    packed = tdigest_write_packed(&digest, memory);
    tdigest_close(&digest, memory);
    return packed;
}

static SketchState
tdigest_open(SketchBytes value, const SketchMemory *memory)
{
    Tdigest digest;
    SketchState state;

    if (!tdigest_read(&digest, value, memory))
        return (SketchState){NULL, 0};
    state = tdigest_working_copy(&digest, memory);
    tdigest_close(&digest, memory);
    return state;
}

static bool
tdigest_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    Tdigest digest;
    bool merged;

    /* Packed digests go into the state as they lie, one after the other, while there is room. */
    if (header_is_good(other) && !sketch_is_working(other.data) && other.data[3] == 0) {
        TdigestAppended appended = tdigest_append_packed(*state, other);

        if (appended != TDIGEST_NO_ROOM)
            return appended == TDIGEST_APPENDED || sketch_refuse_damaged(error);
    }
    if (!tdigest_read(&digest, other, memory))
        return sketch_refuse_damaged(error);
    merged = tdigest_append(state, &digest, memory, error);
    tdigest_close(&digest, memory);
    return merged;
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
    .validate = tdigest_validate,
    .open = tdigest_open,
    .pack = tdigest_pack,
    .merge = tdigest_merge,
};
