/*
 * describe.h - the one-line descriptions of values, for people.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "glue.h"

/*
 * A number with a comma after every three digits, whatever the locale, and the same of things:
 * 2,000 bytes.
 */
extern char *sketch_number(uint64 number);
extern char *sketch_count(uint64 number, const char *thing);

/*
 * Returns a line as text: what psprintf makes of the format, and the number of bytes of the value.
 *
 * pg_attribute_printf names gnu_printf if the server was built by gcc, which clang warns of.
 */
extern Datum sketch_line(Size bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
