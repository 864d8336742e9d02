/*
 * moving.c - aggregates of bloom over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(bloom_agg_capacity_rate_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_capacity_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_int_capacity_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_rate_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_text_capacity_rate_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_text_capacity_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_text_int_capacity_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_text_rate_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_agg_text_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(bloom_intersection_state, bloom_intersection_state, .pack = sketches_final,
                .each = true)
