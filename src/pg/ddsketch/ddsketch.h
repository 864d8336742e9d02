/*
 * ddsketch.h - what the files of the type ddsketch share.
 */
#ifndef PG_DDSKETCH_H
#define PG_DDSKETCH_H

#include "pg/shared/quantile_functions.h"

#include "core/ddsketch/ddsketch.h"

#define DDSKETCH_ERROR_DEFAULT 0.0055

/* Reads argument 0; false for an empty sketch. Raises for a damaged one. */
extern bool ddsketch_open_arg(FunctionCallInfo fcinfo, Ddsketch *sketch);

/* Adds a value; raises for one that is not finite, and past the largest total. */
extern void ddsketch_insert_checked(SketchState *state, double value, uint64 weight);

/* A weight that is not negative, or an error. */
extern uint64 ddsketch_check_weight(int64 weight);

/* The scale for the relative error in argument n, which is checked, or for the default one. */
extern int ddsketch_scale_arg(FunctionCallInfo fcinfo, int n);

/* An empty state of exponential buckets. */
extern SketchState ddsketch_new_state(int scale);

/* Raises if the scale given for another row of a group is another one. */
extern void ddsketch_check_unchanged(SketchBytes state, int scale);

#endif
