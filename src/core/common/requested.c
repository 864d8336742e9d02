/*
 * requested.c - quantiles behind a value in transit.
 */
#include "requested.h"

#include <math.h>

#include "bytes.h"

bool
requested_take(SketchBytes *value, uint8_t packed_max, size_t header, RequestedQuantiles *requested)
{
    size_t bytes;

    *requested = (RequestedQuantiles){0, NULL};
    if (sketch_encoding(value->data) <= packed_max)
        return true;
    requested->count = value->data[value->size - 1];
    bytes = 1 + requested->count * sizeof(double);
    if (sketch_encoding(value->data) != SKETCH_TRANSIT || requested->count == 0 ||
        bytes > value->size - header)
        return false;
    value->size -= bytes;
    requested->quantiles = value->data + value->size;
    return true;
}

SketchBytes
requested_append(SketchBytes packed, RequestedQuantiles requested, const SketchMemory *memory)
{
    size_t behind = requested.count * sizeof(double);
    uint8_t *data = memory->value(packed.size + behind + 1, memory->context);

    memcpy(data, packed.data, packed.size);
    sketch_write_common(data, sketch_kind(data), sketch_version(data), SKETCH_TRANSIT,
                        sketch_hash(data));
    memcpy(data + packed.size, requested.quantiles, behind);
    data[packed.size + behind] = (uint8_t)requested.count;
    memory->release_value((uint8_t *)packed.data, memory->context);
    return (SketchBytes){data, packed.size + behind + 1};
}

bool
requested_validate(RequestedQuantiles requested, SketchError *error)
{
    for (unsigned i = 0; i < requested.count; i++) {
        double q = load_le_double(requested.quantiles + i * sizeof(double));

        if (!(q >= 0 && q <= 1) || signbit(q))
            return sketch_refuse(error, SKETCH_MALFORMED, "A percentile is not between 0 and 1");
    }
    return true;
}
