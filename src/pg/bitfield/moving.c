/*
 * moving.c - aggregates of bitfield over window frames that move. How: pg/shared/moving.c.
 */
#include "pg/shared/moving.h"

/* Final function of the aggregates whose state is the result. */
PG_FUNCTION_INFO_V1(sketches_bitfield_final);
Datum
sketches_bitfield_final(PG_FUNCTION_ARGS)
{
    return PG_GETARG_DATUM(0);
}

SKETCHES_MOVING(bitfield_and_state, bitfield_and_state, .strict = true, .each = true)
SKETCHES_MOVING(bitfield_or_state, bitfield_or_state, .strict = true, .each = true)
SKETCHES_MOVING(bitfield_xor_state, bitfield_xor_state, .strict = true, .each = true)
SKETCHES_MOVING(bitfield_agg_state, bitfield_or_state)
SKETCHES_MOVING_FINAL(bitfield_final)
SKETCHES_MOVING_FINAL(bitfield_agg_final)
