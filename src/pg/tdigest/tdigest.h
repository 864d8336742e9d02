/*
 * tdigest.h - what the two files of the type tdigest share.
 */
#ifndef PG_TDIGEST_H
#define PG_TDIGEST_H

#include "pg/shared/glue.h"

#include "core/tdigest/tdigest.h"

/* Reads argument 0; false for an empty digest. Raises for a damaged one. */
extern bool tdigest_open_arg(FunctionCallInfo fcinfo, Tdigest *digest);

#endif
