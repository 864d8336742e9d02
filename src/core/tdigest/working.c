/*
 * working.c - digests that change: adding and merging.
 *
 * Two working encodings, in host byte order:
 *
 *     0..3    as in every value; 3: how many requested quantiles stand at its end
 *     4..5    compression
 *     6..7    zero
 *     8..11   number of values, or of centroids
 *
 *     values (0x80):      12..   values of weight 1 in no order, 8 bytes each
 *     centroids (0x81):   12..19 total weight
 *                         20..23 sorted: how many centroids in front are in order and merged
 *                         24..27 zero
 *                         28..   centroids of 16 bytes: mean, weight
 *
 * and at the end the requested quantiles, 8 bytes each. A digest begins as values: a group of ten
 * takes 128 bytes with the length word. Values double up to 16 kB. What does not fit there becomes
 * centroids of the largest size at once. What has weights becomes centroids, too, which double up
 * to that size: there the buffer behind the sorted ones is long enough to make sorting cheap. From
 * then on a full value is sorted and merged in place, at five times the compression.
 */
#include "tdigest_internal.h"

#define SMALLEST_CHUNK 128
#define LARGE_CHUNK 16384 /* and the largest of values */
#define BUFFER 2048       /* centroids that may wait to be merged, at least */

/* Fields of working values, in host byte order. */
static uint16_t *
compression_at(const uint8_t *data)
{
    return (uint16_t *)(data + 4);
}

/* Values, or centroids. */
static uint32_t *
count_at(const uint8_t *data)
{
    return (uint32_t *)(data + 8);
}

/* Of centroids: their total weight, and how many in front are sorted and merged. */
static uint64_t *
weight_at(const uint8_t *data)
{
    return (uint64_t *)(data + 12);
}

static uint32_t *
sorted_at(const uint8_t *data)
{
    return (uint32_t *)(data + 20);
}

static double *
values_of(const uint8_t *data)
{
    return (double *)(data + TDIGEST_VALUES_HEADER);
}

static TdigestCentroid *
centroids_of(const uint8_t *data)
{
    return (TdigestCentroid *)(data + TDIGEST_CENTROIDS_HEADER);
}

static size_t
requested_bytes(SketchBytes value)
{
    return value.data[3] * sizeof(double);
}

static const uint8_t *
requested_quantiles(SketchBytes value)
{
    return value.data + value.size - requested_bytes(value);
}

static uint32_t
capacity_of(SketchState state)
{
    size_t room = state.size - requested_bytes(sketch_bytes(state));

    return state.data[2] == TDIGEST_VALUES
               ? (uint32_t)((room - TDIGEST_VALUES_HEADER) / sizeof(double))
               : (uint32_t)((room - TDIGEST_CENTROIDS_HEADER) / sizeof(TdigestCentroid));
}

/* Centroids beyond which a digest does not grow but merges. */
static uint32_t
capacity_max(unsigned compression)
{
    return compression * TDIGEST_FINENESS + BUFFER;
}

/*
 * An empty value with room for `count`, sized to fill a power of two with its length word. In large
 * ones the requested quantiles lie behind that, so that a digest is compressed at the same values
 * whatever is requested of it.
 */
static SketchState
new_working(uint8_t encoding, unsigned compression, uint32_t count, unsigned requested,
            const uint8_t *quantiles, const SketchMemory *memory)
{
    size_t body = encoding == TDIGEST_VALUES
                      ? TDIGEST_VALUES_HEADER + (size_t)count * sizeof(double)
                      : TDIGEST_CENTROIDS_HEADER + (size_t)count * sizeof(TdigestCentroid);
    size_t behind = requested * sizeof(double);
    size_t chunk = SMALLEST_CHUNK;
    SketchState state;

    while (chunk < SKETCH_PREFIX_BYTES + body + (chunk < LARGE_CHUNK ? behind : 0))
        chunk *= 2;
    state.size = chunk - SKETCH_PREFIX_BYTES + (chunk < LARGE_CHUNK ? 0 : behind);
    state.data = memory->value(state.size, memory->context);
    memset(state.data, 0, state.size);
    state.data[0] = SKETCH_TDIGEST;
    state.data[1] = TDIGEST_VERSION;
    state.data[2] = encoding;
    state.data[3] = (uint8_t)requested;
    *compression_at(state.data) = (uint16_t)compression;
    if (requested > 0)
        memcpy(state.data + state.size - requested * sizeof(double), quantiles,
               requested * sizeof(double));
    return state;
}

SketchState
tdigest_new(unsigned compression, unsigned requested, const uint8_t *quantiles,
            const SketchMemory *memory)
{
    return new_working(TDIGEST_VALUES, compression, 0, requested, quantiles, memory);
}

/* Here and below the value may lie anywhere in a tuple, unaligned. */
unsigned
tdigest_working_compression(SketchBytes value)
{
    uint16_t compression;

    memcpy(&compression, compression_at(value.data), sizeof compression);
    return compression;
}

uint64_t
tdigest_working_weight(SketchBytes value)
{
    uint32_t count;
    uint64_t weight;

    memcpy(&count, count_at(value.data), sizeof count);
    if (value.data[2] == TDIGEST_VALUES)
        return count;
    memcpy(&weight, weight_at(value.data), sizeof weight);
    return weight;
}

/* ---- reading ---- */

/* Whether the weights are positive and add up to the total, which is one that we count. */
static bool
weights_add_up(const TdigestCentroid *centroids, uint32_t count, uint64_t total)
{
    if (total > TDIGEST_WEIGHT_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (centroids[i].weight == 0 || centroids[i].weight > total)
            return false;
        total -= centroids[i].weight;
    }
    return total == 0;
}

/* Working values are not validated, but a packed one that storage damaged may look like one. */
static bool
fits_working(SketchBytes value)
{
    size_t requested = requested_bytes(value);
    size_t header =
        value.data[2] == TDIGEST_VALUES ? TDIGEST_VALUES_HEADER : TDIGEST_CENTROIDS_HEADER;

    if ((value.data[2] != TDIGEST_VALUES && value.data[2] != TDIGEST_CENTROIDS) ||
        value.size < header + requested)
        return false;
    return *count_at(value.data) <= capacity_of((SketchState){(uint8_t *)value.data, value.size}) &&
           (value.data[2] == TDIGEST_VALUES ||
            (*sorted_at(value.data) <= *count_at(value.data) &&
             weights_add_up(centroids_of(value.data), *count_at(value.data),
                            *weight_at(value.data))));
}

bool
tdigest_read_working(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    TdigestCentroid *sorted, *spare;
    uint32_t count;

    if (!fits_working(value))
        return false;
    count = *count_at(value.data);
    digest->count = count;
    digest->requested = value.data[3];
    digest->quantiles = requested_quantiles(value);
    digest->weight = tdigest_working_weight(value);
    sorted = memory->scratch((size_t)count * 2 * sizeof *sorted + 1, memory->context);
    spare = sorted + count;
    digest->scratch = sorted;
    digest->centroids = sorted;
    if (value.data[2] == TDIGEST_VALUES) {
        tdigest_sort_values(values_of(value.data), count, sorted, spare, memory);
        return true;
    }
    memcpy(sorted, centroids_of(value.data), count * sizeof *sorted);
    /* Unmerged, half the weight of a large centroid would lie between it and a single value. */
    if (*sorted_at(value.data) < count) {
        tdigest_sort_centroids(sorted, count, spare, memory);
        tdigest_order_ties(sorted, count, (uint64_t *)spare, memory);
        digest->count =
            tdigest_compress(sorted, count, digest->weight,
                             TDIGEST_FINENESS * (double)digest->compression, spare, memory);
        digest->centroids = spare;
    }
    return true;
}

/* ---- growing ---- */

/*
 * A state being changed. A state that is replaced is released, unless it is the caller's own.
 */
typedef struct Writer {
    SketchState state;
    const uint8_t *callers;
    const SketchMemory *memory;
} Writer;

static void
replace(Writer *writer, SketchState fresh)
{
    if (writer->state.data != writer->callers)
        writer->memory->release_value(writer->state.data, writer->memory->context);
    writer->state = fresh;
}

/* The same content as centroids with room for `count`. */
static void
regrow_centroids(Writer *writer, uint32_t count)
{
    SketchBytes old = sketch_bytes(writer->state);
    SketchState grown = new_working(TDIGEST_CENTROIDS, *compression_at(old.data), count,
                                    old.data[3], requested_quantiles(old), writer->memory);
    uint32_t used = *count_at(old.data);

    *count_at(grown.data) = used;
    *weight_at(grown.data) = tdigest_working_weight(old);
    if (old.data[2] == TDIGEST_VALUES)
        for (uint32_t i = 0; i < used; i++)
            centroids_of(grown.data)[i] = (TdigestCentroid){values_of(old.data)[i], 1};
    else {
        *sorted_at(grown.data) = *sorted_at(old.data);
        memcpy(centroids_of(grown.data), centroids_of(old.data), used * sizeof(TdigestCentroid));
    }
    replace(writer, grown);
}

static void
regrow_values(Writer *writer)
{
    SketchBytes old = sketch_bytes(writer->state);
    uint32_t used = *count_at(old.data);
    SketchState grown = new_working(TDIGEST_VALUES, *compression_at(old.data), used + 1,
                                    old.data[3], requested_quantiles(old), writer->memory);

    *count_at(grown.data) = used;
    memcpy(values_of(grown.data), values_of(old.data), used * sizeof(double));
    replace(writer, grown);
}

static void
compress_in_place(const Writer *writer)
{
    const SketchMemory *memory = writer->memory;
    uint8_t *data = writer->state.data;
    TdigestCentroid *centroids = centroids_of(data);
    uint32_t count = *count_at(data);
    TdigestCentroid *scratch = memory->scratch(count * sizeof *scratch, memory->context);

    tdigest_sort_centroids(centroids, count, scratch, memory);
    count = tdigest_compress(centroids, count, *weight_at(data),
                             TDIGEST_FINENESS * (double)*compression_at(data), scratch, memory);
    memcpy(centroids, scratch, count * sizeof *scratch);
    *count_at(data) = count;
    *sorted_at(data) = count;
    memory->release(scratch, memory->context);
}

/* Makes room for one more centroid, or with `single` for one more value of weight 1. */
static void
make_room(Writer *writer, bool single)
{
    uint8_t *data = writer->state.data;
    uint32_t count = *count_at(data);
    uint32_t capacity = capacity_of(writer->state);
    uint32_t most = capacity_max(*compression_at(data));

    if (count < capacity && (single || data[2] == TDIGEST_CENTROIDS))
        return;
    if (data[2] == TDIGEST_VALUES) {
        if (single && writer->state.size + SKETCH_PREFIX_BYTES < LARGE_CHUNK)
            regrow_values(writer);
        else
            regrow_centroids(writer, single ? most : count + 1);
        return;
    }
    if (capacity >= most)
        compress_in_place(writer);
    /* After merging there is room for the buffer, unless what was added was too coarse. */
    if (*count_at(data) > capacity - capacity / 4)
        regrow_centroids(writer, capacity + 1);
}

static void
append_one(Writer *writer, TdigestCentroid centroid)
{
    uint8_t *data;

    make_room(writer, centroid.weight == 1);
    data = writer->state.data;
    if (data[2] == TDIGEST_VALUES)
        values_of(data)[*count_at(data)] = centroid.mean;
    else {
        centroids_of(data)[*count_at(data)] = centroid;
        *weight_at(data) += centroid.weight;
    }
    ++*count_at(data);
}

/* Appended whole where there is room: a run that is in order already. */
static void
append_all(Writer *writer, const TdigestCentroid *centroids, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint8_t *data = writer->state.data;
        uint32_t used = *count_at(data);

        if (data[2] == TDIGEST_CENTROIDS && count - i <= capacity_of(writer->state) - used) {
            memcpy(centroids_of(data) + used, centroids + i, (count - i) * sizeof *centroids);
            *count_at(data) += count - i;
            for (; i < count; i++)
                *weight_at(data) += centroids[i].weight;
        } else
            append_one(writer, centroids[i++]);
    }
}

/* ---- adding ---- */

static bool
check_weight(SketchBytes value, uint64_t more, SketchError *error)
{
    uint64_t left = TDIGEST_WEIGHT_MAX - tdigest_working_weight(value);

    if (more <= left)
        return true;
    if (left == 0)
        return sketch_refuse(error, SKETCH_OVERFLOW, "The total weight is 2^63-1 already");
    return sketch_refuse_range(error, SKETCH_OVERFLOW, "The total weight would exceed 2^63-1",
                               (int64_t)more, 1, (int64_t)left);
}

bool
tdigest_insert(SketchState *state, double value, uint64_t weight, const SketchMemory *memory,
               SketchError *error)
{
    Writer writer = {*state, state->data, memory};

    if (!check_weight(sketch_bytes(*state), weight, error))
        return false;
    append_one(&writer, (TdigestCentroid){value + 0.0, weight});
    *state = writer.state;
    return true;
}

TdigestAppended
tdigest_append_packed(SketchState state, SketchBytes packed)
{
    uint32_t count = tdigest_packed_count(packed);
    uint64_t weight = tdigest_packed_weight(packed);
    uint32_t *used = count_at(state.data);
    uint16_t *compression = compression_at(state.data);

    if (state.data[2] != TDIGEST_CENTROIDS || count > capacity_of(state) - *used ||
        weight > TDIGEST_WEIGHT_MAX - *weight_at(state.data))
        return TDIGEST_NO_ROOM;
    if (!tdigest_decode(packed, centroids_of(state.data) + *used, NULL))
        return TDIGEST_DAMAGED;
    *used += count;
    *weight_at(state.data) += weight;
    if (load_le16(packed.data + 4) < *compression)
        *compression = load_le16(packed.data + 4);
    return TDIGEST_APPENDED;
}

bool
tdigest_append(SketchState *state, const Tdigest *digest, const SketchMemory *memory,
               SketchError *error)
{
    Writer writer = {*state, state->data, memory};

    if (digest->requested > 0 && state->data[3] > 0 &&
        (digest->requested != state->data[3] ||
         memcmp(digest->quantiles, requested_quantiles(sketch_bytes(*state)),
                digest->requested * sizeof(double)) != 0))
        return sketch_refuse(error, SKETCH_MISMATCH, "They were asked for different quantiles");
    if (!check_weight(sketch_bytes(*state), digest->weight, error))
        return false;
    if (digest->compression < *compression_at(state->data))
        *compression_at(state->data) = (uint16_t)digest->compression;
    append_all(&writer, digest->centroids, digest->count);
    *state = writer.state;
    return true;
}

SketchState
tdigest_working_copy(const Tdigest *digest, const SketchMemory *memory)
{
    bool values = digest->weight == digest->count &&
                  digest->count * sizeof(double) + TDIGEST_VALUES_HEADER < LARGE_CHUNK;
    SketchState state =
        new_working(values ? TDIGEST_VALUES : TDIGEST_CENTROIDS, digest->compression, digest->count,
                    digest->requested, digest->quantiles, memory);

    if (values)
        for (uint32_t i = 0; i < digest->count; i++)
            values_of(state.data)[i] = digest->centroids[i].mean;
    else {
        memcpy(centroids_of(state.data), digest->centroids,
               digest->count * sizeof(TdigestCentroid));
        *weight_at(state.data) = digest->weight;
        *sorted_at(state.data) = digest->count;
    }
    *count_at(state.data) = digest->count;
    return state;
}
