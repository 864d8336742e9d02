/*
 * hll.h - what the files of the type hll share.
 */
#ifndef PG_HLL_H
#define PG_HLL_H

#include "pg/shared/glue.h"

#include "core/hll/hll.h"

/*
 * The precision in argument 2 of a transition function, which may not change within a group. `name`
 * is what errors call it.
 */
extern unsigned hll_constant_precision(FunctionCallInfo fcinfo, const char *name);

#endif
