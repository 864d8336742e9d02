/*
 * packed.c - values packed and in transit: reading, writing, validating. The bytes: tdigest.c.
 */
#include <math.h>

#include "tdigest_internal.h"

#include "core/common/varint.h"

/* The density's d is this times the compression: some 5/8 compression centroids, which fit. */
#define FILL 1.05
/* Polygons are cut just there, not at the last neighbour before, so they need fewer slices. */
#define FILL_RUNS 1.12
/* Points are joined whole or not at all, which leaves room: so much more is tried first. */
#define MORE_FOR_POINTS 0.6

/* The most bytes they take: at compression 200 a value and its length word stay below 1.4 kB. */
static size_t
bytes_max(unsigned compression)
{
    return compression * 34 / 5;
}

static inline size_t
mark_bytes(uint32_t count)
{
    return (count + 7) / 8;
}

/* ---- reading ---- */

/* A weight of one byte, as most are, or of more. */
static uint64_t
read_weight(ByteReader *r)
{
    return r->at < r->end && *r->at < 128 ? *r->at++ : read_varint(r);
}

/* Reads which centroids are points: a bit for each, and *marked if there are any. */
static bool
read_marks(ByteReader *r, TdigestCentroid *out, uint32_t count, bool *marked)
{
    const uint8_t *marks = read_span(r, mark_bytes(count));

    if (!marks || (count % 8 > 0 && marks[count / 8] >> count % 8 != 0))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out[i].point = marks[i / 8] >> i % 8 & 1;
        *marked |= out[i].point;
        if (out[i].point && out[i].weight == 1)
            return false;
    }
    return true;
}

/* The first mean and the last one are what the header says is at the ends. */
static bool
read_ends(const TdigestPacked *packed, const TdigestCentroid *centroids, TdigestEnds *ends)
{
    *ends = (TdigestEnds){0};
    return packed->count > 0 ? tdigest_ends_of(packed->ends, centroids[0].mean,
                                               centroids[packed->count - 1].mean, ends)
                             : packed->ends == 0;
}

bool
tdigest_decode(SketchBytes value, TdigestCentroid *out, TdigestEnds *ends,
               RequestedQuantiles *requested)
{
    const TdigestPacked packed = tdigest_read_header(value.data);
    uint64_t left = packed.weight;
    const uint8_t *means;
    bool marked = false;
    ByteReader r;

    if (!requested_take(&value, TDIGEST_POINTS, TDIGEST_PACKED_HEADER, requested))
        return false;
    r = byte_reader(value.data + TDIGEST_PACKED_HEADER, value.size - TDIGEST_PACKED_HEADER);
    means = read_span(&r, packed.count * sizeof(double));
    if (!means || left > TDIGEST_WEIGHT_MAX)
        return false;
    for (uint32_t i = 0; i < packed.count; i++) {
        uint64_t weight = read_weight(&r);

        if (weight == 0 || weight > left)
            return false;
        left -= weight;
        out[i] = tdigest_unmarked(load_le_double(means + i * sizeof(double)), weight);
    }
    if (packed.encoding != TDIGEST_PACKED && !read_marks(&r, out, packed.count, &marked))
        return false;
    return !r.failed && left == 0 && bytes_left(&r) == 0 &&
           marked >= (packed.encoding == TDIGEST_POINTS) && read_ends(&packed, out, ends);
}

bool
tdigest_read_packed(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    const TdigestPacked packed = tdigest_read_header(value.data);
    RequestedQuantiles requested;
    TdigestCentroid *centroids;

    /* A centroid has at least 9 bytes: nothing is allocated for more than there are. */
    if (packed.count > value.size / 9)
        return false;
    centroids = memory->scratch(packed.count * sizeof64(TdigestCentroid) + 1, memory->context);
    if (!tdigest_decode(value, centroids, &digest->ends, &requested)) {
        memory->release(centroids, memory->context);
        return false;
    }
    digest->compression = packed.compression;
    digest->requested = requested.count;
    digest->quantiles = requested.quantiles;
    digest->count = packed.count;
    digest->centroids = digest->scratch = centroids;
    digest->weight = packed.weight;
    digest->order = TDIGEST_MERGED;
    digest->residual = 0;
    return true;
}

/* ---- writing ---- */

static bool
has_points(const TdigestCentroid *centroids, uint32_t count)
{
    bool marked = false;

    for (uint32_t i = 0; i < count; i++)
        marked |= centroids[i].point;
    return marked;
}

static size_t
body_bytes(const TdigestCentroid *centroids, uint32_t count)
{
    size_t bytes = count * sizeof(double);

    for (uint32_t i = 0; i < count; i++)
        bytes += varint_bytes(centroids[i].weight);
    return bytes + (has_points(centroids, count) ? mark_bytes(count) : 0);
}

/* The part of a digest that there is room for: 1 or more if it fits. */
static double
room_packed(const Tdigest *digest)
{
    const double centroids = tdigest_centroids_max(digest->compression) / fmax(digest->count, 1);

    return centroids < 1 ? centroids
                         : (double)bytes_max(digest->compression) /
                               fmax((double)body_bytes(digest->centroids, digest->count), 1);
}

double
tdigest_compression_for(const TdigestCentroid *centroids, uint32_t count)
{
    return fmax(ceil(count * 4.0 / 3), ceil((double)body_bytes(centroids, count) * 5 / 34));
}

/* The part of a weight that is in marked points. */
static double
share_of_points(const Tdigest *digest)
{
    double weight = 0;

    for (uint32_t i = 0; i < digest->count; i++)
        weight += digest->centroids[i].point ? (double)(int64_t)digest->centroids[i].weight : 0;
    return weight / (double)digest->weight;
}

/*
 * Reduces a digest to the size of a packed one, without changing it; copies it if it fits. Else
 * mostly one step is enough, unless values repeat, weights are large or the centroids that came in
 * were coarse.
 */
static Tdigest
reduce(const Tdigest *digest, const SketchMemory *memory)
{
    const bool bounds = tdigest_has_bounds(digest);
    const double fill = digest->compression * (digest->order == TDIGEST_RUNS ? FILL_RUNS : FILL);
    const double least_with_gaps = bounds ? 0.5 * digest->compression : fill;
    uint32_t most = tdigest_centroids_max(digest->compression);
    Tdigest points = *digest, reduced;
    double first_d, d, room;

    points.scratch = NULL;
    tdigest_join_points(&points, memory);
    reduced = points;
    room = room_packed(&reduced);
    if (room >= 1 && reduced.order == TDIGEST_RUNS &&
        !tdigest_is_tame(digest->centroids, digest->count, digest->weight)) {
        const size_t bytes = digest->count * sizeof *digest->centroids;

        reduced.scratch = memory->scratch(bytes, memory->context);
        reduced.centroids = memcpy(reduced.scratch, digest->centroids, bytes);
        tdigest_sort_all(reduced.scratch, reduced.count, memory);
        reduced.order = TDIGEST_SORTED;
        tdigest_join_points(&reduced, memory);
    }
    if (room >= 1 && reduced.order != TDIGEST_RUNS)
        return reduced;
    first_d = d = bounds ? fill : fill * (1 + MORE_FOR_POINTS * share_of_points(&points));
    for (;;) {
        reduced = points;
        reduced.scratch = NULL;
        tdigest_compact(&reduced, d, most, memory);
        room = room_packed(&reduced);
        if (room >= 1)
            break;
        tdigest_close(&reduced, memory);
        /*
         * If gaps are everywhere, there is no room for them. Bounds of a histogram are worth more
         * than what is between them, up to half of it.
         */
        if (most > 0 && d <= least_with_gaps) {
            most = 0;
            d = first_d;
        } else
            d = d > fill ? fmax(d * fmin(room, 0.95), fill) : d * 0.95;
    }
    tdigest_close(&points, memory);
    return reduced;
}

/* In transit there are marks even if they are all 0. */
static SketchBytes
write_value(const Tdigest *digest, bool transit, const SketchMemory *memory)
{
    Tdigest reduced = reduce(digest, memory);
    const TdigestCentroid *centroids = reduced.centroids;
    const bool points = has_points(centroids, reduced.count);
    const TdigestEnds ends = tdigest_ends(&reduced);
    SketchBytes value = {.size = TDIGEST_PACKED_HEADER + body_bytes(centroids, reduced.count) +
                                 (transit && !points ? mark_bytes(reduced.count) : 0)};
    TdigestPacked packed = {points ? TDIGEST_POINTS : TDIGEST_PACKED, tdigest_ends_byte(&ends),
                            digest->compression, reduced.count, digest->weight};
    uint8_t *data, *to;

    value.data = data = memory->value(value.size, memory->context);
    tdigest_write_header(data, &packed);
    to = data + TDIGEST_PACKED_HEADER;
    for (uint32_t i = 0; i < reduced.count; i++, to += sizeof(double))
        store_le_double(to, centroids[i].mean);
    for (uint32_t i = 0; i < reduced.count; i++)
        to = write_varint(to, centroids[i].weight);
    if (points || transit) {
        memset(to, 0, mark_bytes(reduced.count));
        for (uint32_t i = 0; i < reduced.count; i++)
            to[i / 8] |= (uint8_t)(centroids[i].point << i % 8);
    }
    tdigest_close(&reduced, memory);
    return value;
}

SketchBytes
tdigest_write_packed(const Tdigest *digest, const SketchMemory *memory)
{
    return write_value(digest, false, memory);
}

SketchBytes
tdigest_write_transit(const Tdigest *digest, const SketchMemory *memory)
{
    RequestedQuantiles requested = {digest->requested, digest->quantiles};

    return requested.count == 0
               ? tdigest_write_packed(digest, memory)
               : requested_append(write_value(digest, true, memory), requested, memory);
}

/* ---- validating ---- */

static bool
validate_centroids(const Tdigest *digest, SketchError *error)
{
    const TdigestCentroid *c = digest->centroids;

    for (uint32_t i = 0; i < digest->count; i++) {
        double mean = c[i].mean;

        if (!isfinite(mean) || (mean == 0 && signbit(mean)))
            return sketch_refuse(error, SKETCH_MALFORMED,
                                 "A mean is not a finite number, or is -0");
        if (i > 0 && mean < c[i - 1].mean)
            return sketch_refuse(error, SKETCH_MALFORMED, "Means are not in ascending order");
        if (i > 0 && mean == c[i - 1].mean && (c[i].point || c[i - 1].point) &&
            tdigest_is_point(&c[i]) && tdigest_is_point(&c[i - 1]))
            return sketch_refuse(error, SKETCH_MALFORMED, "Two points have the same mean");
    }
    return requested_validate((RequestedQuantiles){digest->requested, digest->quantiles}, error);
}

bool
tdigest_validate_packed(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                        SketchError *error)
{
    const TdigestPacked packed = tdigest_read_header(input.data);
    Tdigest digest;
    bool good;

    if (!tdigest_has_header(input))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Compression out of range",
                                   packed.compression, TDIGEST_COMPRESSION_MIN,
                                   TDIGEST_COMPRESSION_MAX);
    if (packed.count > tdigest_centroids_max(packed.compression))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many centroids", packed.count, 0,
                                   tdigest_centroids_max(packed.compression));
    if (!tdigest_read_packed(&digest, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED, "The value is truncated or corrupt");
    good = validate_centroids(&digest, error) &&
           (room_packed(&digest) >= 1 ||
            sketch_refuse(error, SKETCH_MALFORMED, "Centroids take more bytes than allowed"));
    if (good)
        *value = tdigest_write_transit(&digest, memory);
    tdigest_close(&digest, memory);
    return good;
}
