/*
 * compat.h - the one place that tests the PostgreSQL version. 13 to 18 compile.
 *
 * Include it instead of postgres.h and fmgr.h.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "postgres.h"

/*
 * Everything is compiled with hidden visibility; only what SQL calls is exported. Before 16
 * PostgreSQL left PGDLLEXPORT empty on most platforms.
 */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

#include "fmgr.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* Begins the definition of the C function behind the SQL function `name`. */
#define SKETCHES_FUNCTION(name)                                                                    \
    PGDLLEXPORT Datum sketches_##name(PG_FUNCTION_ARGS);                                           \
    PG_FUNCTION_INFO_V1(sketches_##name);                                                          \
    Datum sketches_##name(PG_FUNCTION_ARGS)

/* Errors that an input function may report softly, to pg_input_is_valid() of 16 and later. */
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#define sketches_ereturn(context, value, ...) ereturn(context, value, __VA_ARGS__)
#else
#define sketches_ereturn(context, value, ...)                                                      \
    do {                                                                                           \
        (void)(context);                                                                           \
        ereport(ERROR, __VA_ARGS__);                                                               \
        return value;                                                                              \
    } while (0)
#endif

/* The base64 functions take bytes instead of characters since 18. */
#include "common/base64.h"

static inline int
sketches_b64_encode(const uint8 *data, int size, char *text, int room)
{
#if PG_VERSION_NUM >= 180000
    return pg_b64_encode(data, size, text, room);
#else
    return pg_b64_encode((const char *)data, size, text, room);
#endif
}

static inline int
sketches_b64_decode(const char *text, int length, uint8 *data, int room)
{
#if PG_VERSION_NUM >= 180000
    return pg_b64_decode(text, length, data, room);
#else
    return pg_b64_decode(text, length, (char *)data, room);
#endif
}

#endif
