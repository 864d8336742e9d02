/*
 * template.h - what the script of a rollup is made of.
 *
 *   template.c  a text with names in braces, filled in
 *   columns.c   what the template names of the columns, and of tables that are joined
 *   script.c    the script
 */
#ifndef ROLLUP_TEMPLATE_H
#define ROLLUP_TEMPLATE_H

#include "pg/rollup/rollup.h"

/* ---- template.c ---- */

typedef struct Text {
    const char *name, *value; /* NULL: there is none, for {if name} */
    bool is_template;
} Text;

typedef struct Filling {
    Text texts[288];
    int count;
} Filling;

/* Sets a text; NULL: there is none, for {if name}. */
extern void filling_add(Filling *filling, const char *name, const char *value);
/* A text that was set, as it is. */
extern const char *filling_find(const Filling *filling, const char *name);
/* The text with all names in it filled in. */
extern char *filling_fill(const Filling *filling, const char *text);
/* {define name} becomes a text of that name; returns what comes after those. */
extern const char *filling_define(Filling *filling, const char *text);
/* Has all texts that are set pass through format(). */
extern void filling_format(Filling *filling);

/* ---- columns.c ---- */

/* Lists of columns, as the query, the stored rows and the log have them. */
extern void filling_add_lists(Filling *filling, const RollupQuery *query);
/* Of a star: what is logged of tables that are joined, and which facts that is about. */
extern void filling_add_joins(Filling *filling, const RollupQuery *query);
/* How a level reads the rollup below: by the names that the columns of its view have. */
extern void filling_add_level(Filling *filling, const RollupQuery *query);
/* Columns that are not stored yet: s has those that are, a what is computed from rows. */
extern void filling_add_filling(Filling *filling, const RollupQuery *query);
/* How they are read; after the definitions. */
extern void filling_add_filled(Filling *filling, const RollupQuery *query);

#endif
