/*
 * module.c - what makes the shared library a module of PostgreSQL. It has no settings and no
 * session state.
 */
#include "pg/roaring/roaring.h"

PG_MODULE_MAGIC;

PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
    croaring_init();
}
