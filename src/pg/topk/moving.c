/*
 * moving.c - aggregates of topk over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(topk_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(topk_agg_k_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(topk_agg_count_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(topk_agg_bigint_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(topk_agg_bigint_k_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(topk_agg_bigint_count_state, union_state, .pack = sketches_final)
SKETCHES_MOVING_FINAL(approx_top_k_final)
