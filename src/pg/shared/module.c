/*
 * module.c - what makes the shared library a module of PostgreSQL, and its version
 * (sketches_version). It has no settings and no session state.
 */
#include "pg/shared/glue.h"

#include "utils/builtins.h"

SKETCHES_MODULE_MAGIC("sketches", SKETCHES_VERSION);

/* Version of the library as built; CREATE EXTENSION and its update have their own. */
PG_FUNCTION_INFO_V1(sketches_version);
Datum
sketches_version(PG_FUNCTION_ARGS)
{
    PG_RETURN_TEXT_P(cstring_to_text(SKETCHES_VERSION));
}
