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

#endif
