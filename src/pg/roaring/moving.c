/*
 * moving.c - aggregates of roaring over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(roaring_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(roaring64_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(roaring_intersection_state, roaring_intersection_state, .pack = sketches_final,
                .each = true)
SKETCHES_MOVING(roaring_xor_state, roaring_xor_state, .pack = sketches_final, .each = true)
SKETCHES_MOVING_FINAL(roaring_cardinality_final)
