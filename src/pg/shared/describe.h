/*
 * describe.h - the one-line descriptions of values, for people.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "glue.h"

/* A number with a comma after every three digits, whatever the locale; and of things: 2,000 bytes. */
extern char *sketch_number(uint64 number);
extern char *sketch_count(uint64 number, const char *thing);

/*
 * The line as a text: what psprintf makes of the format, and how many bytes the value has.
 */
extern Datum sketch_line(Size bytes, const char *format, ...) pg_attribute_printf(2, 3);

#endif
