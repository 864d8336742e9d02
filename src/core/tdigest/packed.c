/*
 * packed.c - the packed encoding: reading, writing, validating. The bytes are in tdigest.c.
 */
#include <math.h>

#include "tdigest_internal.h"

/* The density's d for a compression: with some 5/8 compression centroids they fit the room. */
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

bool
tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    uint32_t count = load_le16(value.data + 6);
    ByteReader r =
        byte_reader(value.data + TDIGEST_PACKED_HEADER, value.size - TDIGEST_PACKED_HEADER);
    const uint8_t *means = read_span(&r, count * sizeof(double));
    uint64_t total = 0;
    TdigestCentroid *centroids;

    if (!means)
        return false;
    centroids = memory->scratch(count * sizeof(TdigestCentroid) + 1, memory->context);
    for (uint32_t i = 0; i < count; i++) {
        centroids[i].mean = load_le_double(means + i * sizeof(double));
        if (!read_weight(&r, &centroids[i].weight) ||
            centroids[i].weight > TDIGEST_WEIGHT_MAX - total) {
            memory->release(centroids, memory->context);
            return false;
        }
        total += centroids[i].weight;
    }
    digest->requested = value.data[3];
    digest->quantiles = read_span(&r, digest->requested * sizeof(double));
    digest->count = count;
    digest->centroids = centroids;
    digest->scratch = centroids;
    digest->weight = total;
    if (!digest->quantiles || bytes_left(&r) > 0 || total != load_le64(value.data + 8)) {
        tdigest_close(digest, memory);
        return false;
    }
    return true;
}

/* ---- writing ---- */

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
body_bytes(const TdigestCentroid *centroids, uint32_t count)
{
    size_t bytes = count * sizeof(double);

    for (uint32_t i = 0; i < count; i++)
        bytes += weight_bytes(centroids[i].weight);
    return bytes;
}

static bool
fits_packed(const TdigestCentroid *centroids, uint32_t count, unsigned compression)
{
    return count <= centroids_max(compression) &&
           body_bytes(centroids, count) <= bytes_max(compression);
}

/* Down to what a packed digest may hold; returns how many of `out` are left. */
static uint32_t
reduce_centroids(const Tdigest *digest, TdigestCentroid *out)
{
    double d = digest->compression * FILL;
    uint32_t count;

    if (fits_packed(digest->centroids, digest->count, digest->compression)) {
        memcpy(out, digest->centroids, digest->count * sizeof(TdigestCentroid));
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
tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory)
{
    TdigestCentroid *centroids =
        memory->scratch(digest->count * sizeof(TdigestCentroid) + 1, memory->context);
    uint32_t count = reduce_centroids(digest, centroids);
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
        to = write_weight(to, centroids[i].weight);
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
