/*
 * cuckoo.h - what the files of the type cuckoo share.
 */
#ifndef PG_CUCKOO_H
#define PG_CUCKOO_H

#include "pg/shared/items.h"

#include "core/cuckoo/cuckoo.h"

/* Raise for what is out of range. */
extern unsigned cuckoo_check_fingerprint_bits(int64 bits);
extern uint32 cuckoo_check_capacity(int64 capacity);

/* Raises for an item that was refused, with a remedy. */
extern _Noreturn void cuckoo_raise_refused(const SketchError *error);

/* Returns true if the filter in argument 0 has the item of this hash. */
extern bool cuckoo_arg_has(FunctionCallInfo fcinfo, uint64 hash);

extern void cuckoo_sum_or_raise(SketchState *state, SketchBytes other);
extern _Noreturn void cuckoo_raise_sum(const SketchError *error);

#endif
