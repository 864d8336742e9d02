/*
 * module.c - what makes the shared library a module of PostgreSQL. It has no settings and no
 * session state.
 */
#include "compat.h"

PG_MODULE_MAGIC;
