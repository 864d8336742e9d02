/*
 * moving.c - aggregates of cuckoo over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

SKETCHES_MOVING(cuckoo_agg_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_text_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_bits_state, union_state, .pack = sketches_final)
SKETCHES_MOVING(cuckoo_agg_text_bits_state, union_state, .pack = sketches_final)
