/*
 * packed.c - the packed encoding: reading, writing, validating. The bytes are in tdigest.c.
 */
#include <math.h>

#include "tdigest_internal.h"

#include "core/common/varint.h"

/* The density's d is this times the compression: some 5/8 compression centroids, which fit. */
#define FILL 1.05

/* The most centroids a packed digest holds. */
static uint32_t
centroids_max(unsigned compression)
{
    return compression * 3 / 4;
}

/* The most bytes they take: at compression 200 a value and its length word stay below 1.4 kB. */
static size_t
bytes_max(unsigned compression)
{
    return compression * 34 / 5;
}

/* ---- reading ---- */

/* A weight of one byte, as most are, or of more. */
static uint64_t
read_weight(ByteReader *r)
{
    return r->at < r->end && *r->at < 128 ? *r->at++ : read_varint(r);
}

bool
tdigest_decode(SketchBytes value, TdigestCentroid *out, const uint8_t **quantiles)
{
    uint32_t count = tdigest_packed_count(value);
    ByteReader r =
        byte_reader(value.data + TDIGEST_PACKED_HEADER, value.size - TDIGEST_PACKED_HEADER);
    const uint8_t *means = read_span(&r, count * sizeof(double));
    const uint8_t *after;
    uint64_t left = tdigest_packed_weight(value);

    if (!means || left > TDIGEST_WEIGHT_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t weight = read_weight(&r);

        if (weight == 0 || weight > left)
            return false;
        left -= weight;
        out[i] = (TdigestCentroid){load_le_double(means + i * sizeof(double)), weight};
    }
    after = read_span(&r, value.data[3] * sizeof(double));
    if (quantiles)
        *quantiles = after;
    return !r.failed && left == 0 && bytes_left(&r) == 0;
}

bool
tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    uint32_t count = tdigest_packed_count(value);
    TdigestCentroid *centroids;

    /* A centroid has at least 9 bytes: nothing is allocated for more than there are. */
    if (count > value.size / 9)
        return false;
    centroids = memory->scratch(count * sizeof(TdigestCentroid) + 1, memory->context);
    if (!tdigest_decode(value, centroids, &digest->quantiles)) {
        memory->release(centroids, memory->context);
        return false;
    }
    digest->requested = value.data[3];
    digest->count = count;
    digest->centroids = centroids;
    digest->scratch = centroids;
    digest->weight = tdigest_packed_weight(value);
    return true;
}

/* ---- writing ---- */

static size_t
body_bytes(const TdigestCentroid *centroids, uint32_t count)
{
    size_t bytes = count * sizeof(double);

    for (uint32_t i = 0; i < count; i++)
        bytes += varint_bytes(centroids[i].weight);
    return bytes;
}

static bool
fits_packed(const TdigestCentroid *centroids, uint32_t count, unsigned compression)
{
    return count <= centroids_max(compression) &&
           body_bytes(centroids, count) <= bytes_max(compression);
}

double
tdigest_compression_for(const TdigestCentroid *centroids, uint32_t count)
{
    return fmax(ceil(count * 4.0 / 3), ceil((double)body_bytes(centroids, count) * 5 / 34));
}

/* Down to what a packed digest may hold; returns how many of `out` are left. */
static uint32_t
reduce_centroids(const Tdigest *digest, TdigestCentroid *out, const SketchMemory *memory)
{
    double d = digest->compression * FILL;
    uint32_t count;

    if (fits_packed(digest->centroids, digest->count, digest->compression)) {
        memcpy(out, digest->centroids, digest->count * sizeof(TdigestCentroid));
        return digest->count;
    }
    /* One step is enough unless the centroids that came in were coarse already. */
    do {
        count = tdigest_compress(digest->centroids, digest->count, digest->weight, d, out, memory);
        d *= 0.9;
    } while (!fits_packed(out, count, digest->compression));
    return count;
}

SketchBytes
tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory)
{
    TdigestCentroid *centroids =
        memory->scratch(digest->count * sizeof(TdigestCentroid) + 1, memory->context);
    uint32_t count = reduce_centroids(digest, centroids, memory);
    size_t requested = digest->requested * sizeof(double);
    SketchBytes packed = {.size = TDIGEST_PACKED_HEADER + body_bytes(centroids, count) + requested};
    uint8_t *data, *to;

    packed.data = data = memory->value(packed.size, memory->context);
    data[0] = SKETCH_TDIGEST;
    data[1] = TDIGEST_VERSION;
    data[2] = TDIGEST_PACKED;
    data[3] = (uint8_t)digest->requested;
    store_le16(data + 4, (uint16_t)digest->compression);
    store_le16(data + 6, (uint16_t)count);
    store_le64(data + 8, digest->weight);
    to = data + TDIGEST_PACKED_HEADER;
    for (uint32_t i = 0; i < count; i++, to += sizeof(double))
        store_le_double(to, centroids[i].mean);
    for (uint32_t i = 0; i < count; i++)
        to = write_varint(to, centroids[i].weight);
    if (requested > 0)
        memcpy(to, digest->quantiles, requested);
    memory->release(centroids, memory->context);
    return packed;
}

/* ---- validating ---- */

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
    for (unsigned i = 0; i < digest->requested; i++) {
        double q = load_le_double(digest->quantiles + i * sizeof(double));

        if (!(q >= 0 && q <= 1))
            return sketch_refuse(error, SKETCH_MALFORMED, "A quantile is not between 0 and 1");
    }
    return true;
}

bool
tdigest_validate_packed(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error)
{
    unsigned compression = load_le16(input.data + 4);
    Tdigest digest;
    bool good;

    if (input.data[2] != TDIGEST_PACKED)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   TDIGEST_PACKED, TDIGEST_PACKED);
    if (compression < TDIGEST_COMPRESSION_MIN || compression > TDIGEST_COMPRESSION_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Compression out of range", compression,
                                   TDIGEST_COMPRESSION_MIN, TDIGEST_COMPRESSION_MAX);
    if (load_le16(input.data + 6) > centroids_max(compression))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many centroids",
                                   load_le16(input.data + 6), 0, centroids_max(compression));
    digest.compression = compression;
    if (!tdigest_read_packed(&digest, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The body does not decode");
    good = validate_centroids(&digest, error) &&
           (fits_packed(digest.centroids, digest.count, digest.compression) ||
            sketch_refuse(error, SKETCH_MALFORMED, "Centroids take more bytes than allowed"));
    if (good)
        *value = tdigest_write_packed(&digest, memory);
    tdigest_close(&digest, memory);
    return good;
}
