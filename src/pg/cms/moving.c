/*
 * moving.c - aggregates of cms over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(cms_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cms_agg_text_state, union_state, .pack = sketches_final)
