/*
 * read.c - values of any encoding, opened for reading.
 */
#include "tdigest_internal.h"

bool
tdigest_read_any(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    if (!tdigest_has_header(value))
        return false;
    if (!sketch_is_working(value.data))
        return tdigest_read_packed(digest, value, memory);
    tdigest_read_state(digest, value, memory);
    return true;
}

bool
tdigest_read(Tdigest *digest, SketchBytes value, const SketchMemory *memory)
{
    if (!tdigest_read_any(digest, value, memory))
        return false;
    /* Unmerged, half the weight of a large centroid would be between it and a single value. */
    if (digest->weight > digest->count)
        tdigest_settle(digest, 2 * TDIGEST_FINENESS * digest->compression, memory);
    return true;
}
