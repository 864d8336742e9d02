/*
 * requested.h - the quantiles that an aggregate of sketches was asked for.
 *
 * The state carries them wherever the plan moves it. A packed value has none: it is its content.
 * In transit they follow the packed value, 8 bytes each, and then their number, 1 to 255, in the
 * last byte.
 */
#ifndef REQUESTED_H
#define REQUESTED_H

#include "core/sketch.h"

typedef struct RequestedQuantiles {
    unsigned count;
    const uint8_t *quantiles;
} RequestedQuantiles;

/*
 * Takes them off the end of a value in transit, of which at least `header` bytes must be left; a
 * packed one has none. Fails for an encoding that is neither 0 to `packed_max` nor in transit, and
 * where there is not what the value says.
 */
extern bool requested_take(SketchBytes *value, uint8_t packed_max, size_t header,
                           RequestedQuantiles *requested);

/* Returns a value in transit made of a packed one, which it releases. */
extern SketchBytes requested_append(SketchBytes packed, RequestedQuantiles requested,
                                    const SketchMemory *memory);

/* Refuses quantiles that are not between 0 and 1, or are -0. */
extern bool requested_validate(RequestedQuantiles requested, SketchError *error);

#endif
