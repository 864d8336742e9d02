/*
 * header.c - the fields of packed digests, and what any value says in front. The bytes: tdigest.c.
 */
#include "tdigest_internal.h"

/* Offsets of the fields behind the common header. */
enum { COMPRESSION = SKETCH_COMMON_BYTES, COUNT = 6, WEIGHT = 8 };

TdigestPacked
tdigest_read_header(const uint8_t *data)
{
    return (TdigestPacked){
        .encoding = sketch_encoding(data),
        .ends = sketch_hash(data),
        .compression = load_le16(data + COMPRESSION),
        .count = load_le16(data + COUNT),
        .weight = load_le64(data + WEIGHT),
    };
}

void
tdigest_write_header(uint8_t *data, const TdigestPacked *packed)
{
    sketch_write_common(data, SKETCH_TDIGEST, TDIGEST_VERSION, packed->encoding, packed->ends);
    store_le16(data + COMPRESSION, (uint16_t)packed->compression);
    store_le16(data + COUNT, (uint16_t)packed->count);
    store_le64(data + WEIGHT, packed->weight);
}

bool
tdigest_has_header(SketchBytes value)
{
    unsigned compression;

    if (value.size < SKETCH_COMMON_BYTES)
        return false;
    if (sketch_is_working(value.data))
        return state_fits(value, sizeof(TdigestState));
    if (value.size < TDIGEST_PACKED_HEADER)
        return false;
    compression = tdigest_read_header(value.data).compression;
    return compression >= TDIGEST_COMPRESSION_MIN && compression <= TDIGEST_COMPRESSION_MAX;
}

/* Reads the fields of a state at any address in a tuple, unaligned. */
static TdigestCentroids
state_fields(SketchBytes value)
{
    TdigestCentroids fields = {.state = {.count = 0}};
    size_t size = value.size < state_size(sizeof fields) ? value.size : state_size(sizeof fields);

    memcpy((uint8_t *)&fields + SKETCH_PREFIX_BYTES, value.data, size);
    return fields;
}

unsigned
tdigest_compression(SketchBytes value)
{
    return sketch_is_working(value.data) ? state_fields(value).state.compression
                                         : tdigest_read_header(value.data).compression;
}

uint64_t
tdigest_weight(SketchBytes value)
{
    TdigestCentroids fields;

    if (!sketch_is_working(value.data))
        return tdigest_read_header(value.data).weight;
    fields = state_fields(value);
    return fields.state.header.encoding == TDIGEST_VALUES ? fields.state.count : fields.weight;
}
