/*
 * moving.c - aggregates of cuckoo over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(cuckoo_agg_parameters_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_text_parameters_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_text_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_sum_state, cuckoo_sum_state, .pack = sketches_final, .each = true)
