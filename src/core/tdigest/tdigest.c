/*
 * tdigest.c - t-digest: which value stands at a given rank?
 *
 * A digest describes a distribution by centroids, each the mean of some neighbouring values and
 * how many they were. Centroids are small at the ends and large in the middle, so that quantiles
 * near 0 and 1 are known best; between centroids one interpolates. Two digests merge by merging
 * their centroids.
 *
 * How large a centroid may be at quantile q is the reciprocal of a density of centroids,
 *
 *     density(q) = d/2 * (.65 / (pi * sqrt(q(1-q))) + .35 / (2 L q(1-q))),   L = ln n + 1
 *
 * a blend of Dunning's scale functions k1 (the square root: absolute error) and k2 (the logarithm:
 * error relative to the distance from the nearer end). With d a little above the compression both
 * integrate to about d/2 centroids. A centroid's limit is taken at its outer end, where the density
 * is highest, and centroids are formed from both ends to the middle, so neither end is favoured. The
 * least and the greatest value are always centroids of their own.
 *
 * Two levels. While values come in, the digest is kept at five times its compression, which costs
 * an aggregate 64 kB at most (at compressions up to 400) and makes the many merges on the way
 * harmless; only packing goes down to the compression, in one step from fine centroids. That is
 * where most of the accuracy comes from. Packing leaves at most 3/4 compression centroids in 6.8
 * compression bytes; what fits is packed as it is, so that many single values are answered exactly.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3         4..5         6..7   8..15   16..       then
 *     kind   version  encoding  asked     compression  count  weight  means      weights, asked
 *
 *     count means in ascending order, 8 bytes each (IEEE 754); count weights of at least 1 in
 *     groups of 7 bits, the lowest first, high bit set on all but the last; `asked` quantiles, 8
 *     bytes each: none in a digest, but the state of approx_percentile carries its questions.
 *
 * What tdigest_validate enforces:
 *   1. kind 2, version 1, encoding 0, compression 10..10000.
 *   2. at most 3/4 compression centroids in 6.8 compression bytes; means finite, not -0, and not
 *      descending.
 *   3. weights in their shortest form, none 0; their sum is the weight and at most 2^63-1.
 *   4. questions between 0 and 1; nothing left over.
 *
 * Accuracy at compression 200 and 1M values, rank error in ppm (rms; uniform, lognormal, Pareto)
 * and bytes: see doc/bench. Exact up to 150 values. Values between centroids are interpolated, so
 * where a few values make up everything an answer may lie between two of them. Left out: removal.
 *
 * References: T. Dunning, O. Ertl, Computing extremely accurate quantiles using t-digests, arXiv
 * 1902.04023. T. Dunning, The t-digest: efficient estimates of distributions, 2021.
 */
#include "tdigest.h"

#include <math.h>

#include "core/common/bytes.h"
#include "tdigest_internal.h"

unsigned
tdigest_compression(SketchBytes value)
{
    return sketch_is_working(value.data) ? *tdigest_compression_at(value.data)
                                         : load_le16(value.data + 4);
}

/* ---- reading ---- */

/* Weights of 7 bits a byte; false when the shortest form was not used or 63 bits do not do. */
static bool
read_weight(ByteReader *r, uint64_t *weight)
{
    unsigned shift = 0;
    uint8_t byte;

    *weight = 0;
    do {
        byte = read_u8(r);
        *weight |= (uint64_t)(byte & 127) << shift;
        shift += 7;
    } while (byte & 128 && shift < 63);
    return !r->failed && !(byte & 128) && byte != 0;
}

static bool
read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    uint32_t count = load_le16(value.data + 6);
    ByteReader r =
        byte_reader(value.data + TDIGEST_PACKED_HEADER, value.size - TDIGEST_PACKED_HEADER);
    const uint8_t *means = read_span(&r, count * sizeof(double));
    uint64_t total = 0;
    Centroid *centroids;

    if (!means)
        return false;
    centroids = memory->scratch(count * sizeof(Centroid) + 1, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        centroids[i].mean = load_le_double(means + i * sizeof(double));
        if (!read_weight(&r, &centroids[i].weight) ||
            centroids[i].weight > TDIGEST_WEIGHT_MAX - total) {
            memory->release(centroids, memory->context);
            return false;
        }
        total += centroids[i].weight;
    }
    digest->asked = value.data[3];
    digest->questions = read_span(&r, digest->asked * sizeof(double));
    digest->count = count;
    digest->centroids = centroids;
    digest->scratch = centroids;
    digest->weight = total;
    if (!digest->questions || bytes_left(&r) > 0 || total != load_le64(value.data + 8)) {
        tdigest_close(digest, memory);
        return false;
    }
    return true;
}

bool
tdigest_read(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    if (value.size < TDIGEST_VALUES_HEADER ||
        (!sketch_is_working(value.data) && value.size < TDIGEST_PACKED_HEADER))
        return false;
    digest->compression = tdigest_compression(value);
    if (digest->compression < TDIGEST_COMPRESSION_MIN ||
        digest->compression > TDIGEST_COMPRESSION_MAX)
        return false;
    return sketch_is_working(value.data) ? tdigest_read_working(digest, value, memory)
                                         : read_packed(digest, value, memory);
}

void
tdigest_close(Tdigest *digest, const SketchMemory *memory)
{
    if (digest->scratch)
        memory->release(digest->scratch, memory->context);
    digest->scratch = NULL;
}

/* ---- packing ---- */

static size_t
weight_bytes(uint64_t weight)
{
    size_t bytes = 1;

    while (weight >>= 7)
        bytes++;
    return bytes;
}

static uint8_t *
write_weight(uint8_t *to, uint64_t weight)
{
    for (; weight > 127; weight >>= 7)
        *to++ = (uint8_t)(weight | 128);
    *to++ = (uint8_t)weight;
    return to;
}

static size_t
body_bytes(const Centroid *centroids, uint32_t count)
{
    size_t bytes = count * sizeof(double);

    for (uint32_t i = 0; i < count; i++)
        bytes += weight_bytes(centroids[i].weight);
    return bytes;
}

static bool
fits_packed(const Centroid *centroids, uint32_t count, unsigned compression)
{
    return count <= tdigest_packed_limit(compression) &&
           body_bytes(centroids, count) <= tdigest_packed_room(compression);
}

/* Down to what a packed digest may hold; returns how many of `out` are left. */
static uint32_t
reduce_centroids(const Tdigest *digest, Centroid *out)
{
    double d = digest->compression * TDIGEST_FILL;
    uint32_t count;

    if (fits_packed(digest->centroids, digest->count, digest->compression)) {
        memcpy(out, digest->centroids, digest->count * sizeof(Centroid));
        return digest->count;
    }
    /* One step does unless the centroids that came in were coarse already. */
    do {
        count = tdigest_compress(digest->centroids, digest->count, digest->weight, d, out);
        d *= 0.9;
    } while (!fits_packed(out, count, digest->compression));
    return count;
}

SketchBytes
tdigest_pack_digest(const Tdigest *digest, const SketchMemory *memory)
{
    Centroid *centroids = memory->scratch(digest->count * sizeof(Centroid) + 1, memory->context);
    uint32_t count = reduce_centroids(digest, centroids);
    size_t questions = digest->asked * sizeof(double);
    SketchBytes packed = {.size = TDIGEST_PACKED_HEADER + body_bytes(centroids, count) + questions};
    uint8_t *data, *to;

    packed.data = data = memory->value(packed.size, memory->context);
    data[0] = SKETCH_TDIGEST;
    data[1] = tdigest_ops.version;
    data[2] = TDIGEST_PACKED;
    data[3] = (uint8_t)digest->asked;
    store_le16(data + 4, (uint16_t)digest->compression);
    store_le16(data + 6, (uint16_t)count);
    store_le64(data + 8, digest->weight);
    to = data + TDIGEST_PACKED_HEADER;
    for (uint32_t i = 0; i < count; i++, to += sizeof(double))
        store_le_double(to, centroids[i].mean);
    for (uint32_t i = 0; i < count; i++)
        to = write_weight(to, centroids[i].weight);
    if (questions > 0)
        memcpy(to, digest->questions, questions);
    memory->release(centroids, memory->context);
    return packed;
}

static SketchBytes
tdigest_pack(SketchBytes value, const SketchMemory *memory)
{
    Tdigest digest;
    SketchBytes packed;

    if (!tdigest_read(&digest, value, memory))
        return (SketchBytes){NULL, 0};
    packed = tdigest_pack_digest(&digest, memory);
    tdigest_close(&digest, memory);
    return packed;
}

/* ---- the door ---- */

static bool
validate_centroids(const Tdigest *digest, SketchError *error)
{
    for (uint32_t i = 0; i < digest->count; i++) {
        double mean = digest->centroids[i].mean;

        if (!isfinite(mean) || (mean == 0 && signbit(mean)))
            return sketch_refuse(error, SKETCH_MALFORMED,
                                 "A mean is not a finite number, or is -0");
        if (i > 0 && mean < digest->centroids[i - 1].mean)
            return sketch_refuse(error, SKETCH_MALFORMED, "Means are not in ascending order");
    }
    for (unsigned i = 0; i < digest->asked; i++) {
        double q = load_le_double(digest->questions + i * sizeof(double));

        if (!(q >= 0 && q <= 1))
            return sketch_refuse(error, SKETCH_MALFORMED, "A quantile is not between 0 and 1");
    }
    return true;
}

static bool
tdigest_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    unsigned compression;
    Tdigest digest;
    bool good;

    if (!sketch_validate_common(input, &tdigest_ops, error))
        return false;
    compression = load_le16(input.data + 4);
    if (input.data[2] != TDIGEST_PACKED)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   TDIGEST_PACKED, TDIGEST_PACKED);
    if (compression < TDIGEST_COMPRESSION_MIN || compression > TDIGEST_COMPRESSION_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Compression out of range", compression,
                                   TDIGEST_COMPRESSION_MIN, TDIGEST_COMPRESSION_MAX);
    if (load_le16(input.data + 6) > tdigest_packed_limit(compression))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many centroids",
                                   load_le16(input.data + 6), 0, tdigest_packed_limit(compression));
    if (!tdigest_read(&digest, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The body does not decode");
    good = validate_centroids(&digest, error) &&
           (fits_packed(digest.centroids, digest.count, digest.compression) ||
            sketch_refuse(error, SKETCH_MALFORMED, "Centroids take more bytes than allowed"));
    if (good)
        *value = tdigest_pack_digest(&digest, memory);
    tdigest_close(&digest, memory);
    return good;
}

uint64_t
tdigest_weight(SketchBytes value)
{
    uint32_t count;
    uint64_t weight;

    if (!sketch_is_working(value.data))
        return load_le64(value.data + 8);
    /* Copied: the value may lie anywhere in a tuple. */
    memcpy(&count, tdigest_count_at(value.data), sizeof count);
    if (value.data[2] == TDIGEST_VALUES)
        return count;
    memcpy(&weight, tdigest_weight_at(value.data), sizeof weight);
    return weight;
}

const SketchOps tdigest_ops = {
    .name = "tdigest",
    .kind = SKETCH_TDIGEST,
    .version = 1,
    .header_bytes = TDIGEST_PACKED_HEADER,
    .validate = tdigest_validate,
    .open = tdigest_open,
    .pack = tdigest_pack,
    .merge = tdigest_merge,
};
