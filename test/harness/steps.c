/*
 * steps.c - counts the work of the extension, for steps.t: the basic blocks that run in a library
 * compiled with -fsanitize-coverage=trace-pc, and the cache lines that are copied or filled.
 */
#include "postgres.h"

#include "fmgr.h"

static uint64 steps;

extern void __sanitizer_cov_trace_pc(void);
extern void *__real_memcpy(void *to, const void *from, size_t size);
extern void *__wrap_memcpy(void *to, const void *from, size_t size);
extern void *__real_memmove(void *to, const void *from, size_t size);
extern void *__wrap_memmove(void *to, const void *from, size_t size);
extern void *__real_memset(void *to, int byte, size_t size);
extern void *__wrap_memset(void *to, int byte, size_t size);

void
__sanitizer_cov_trace_pc(void)
{
    steps++;
}

void *
__wrap_memcpy(void *to, const void *from, size_t size)
{
    steps += size / 64;
    return __real_memcpy(to, from, size);
}

void *
__wrap_memmove(void *to, const void *from, size_t size)
{
    steps += size / 64;
    return __real_memmove(to, from, size);
}

void *
__wrap_memset(void *to, int byte, size_t size)
{
    steps += size / 64;
    return __real_memset(to, byte, size);
}

PG_FUNCTION_INFO_V1(steps_made);
extern PGDLLEXPORT Datum steps_made(PG_FUNCTION_ARGS);

Datum
steps_made(PG_FUNCTION_ARGS)
{
    PG_RETURN_INT64((int64)steps);
}
