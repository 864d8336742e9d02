/*
 * tdigest.h - what the files of the type tdigest share.
 */
#ifndef PG_TDIGEST_H
#define PG_TDIGEST_H

#include "pg/shared/glue.h"

#include "core/tdigest/tdigest.h"

/* The hint of a quantile that is none. */
#define APPROX_PERCENTILE_ORDER                                                                    \
    "The value comes first: approx_percentile(value, q), q between 0 and 1."

/* Reads argument 0; false for an empty digest. Raises for a damaged one. */
extern bool tdigest_open_arg(FunctionCallInfo fcinfo, Tdigest *digest);

/* Adds a value; raises for one that is not finite, and past the largest total weight. */
extern void tdigest_insert_checked(SketchState *state, double value, uint64 weight);

/* Raises unless the value is finite. */
extern double tdigest_check_value(double value);

#endif
