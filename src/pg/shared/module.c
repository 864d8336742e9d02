/*
 * module.c - what makes the shared library a module of PostgreSQL, and its version
 * (sketches_version). It has no settings and no session state.
 */
#include "pg/shared/glue.h"

#include "utils/builtins.h"

SKETCHES_MODULE_MAGIC("sketches", SKETCHES_VERSION);

/* Version of the library as built; CREATE EXTENSION and its update have their own. */
SQL_FUNCTION(sketches_version, PointerGetDatum(cstring_to_text(SKETCHES_VERSION)));
