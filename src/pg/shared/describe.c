/*
 * describe.c - the one-line descriptions of values, for people.
 */
#include "describe.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

char *
sketch_number(uint64 number)
{
    return number < 1000
               ? psprintf("%u", (unsigned)number)
               : psprintf("%s,%03u", sketch_number(number / 1000), (unsigned)(number % 1000));
}

char *
sketch_count(uint64 number, const char *thing)
{
    return psprintf("%s %s%s", sketch_number(number), thing, number == 1 ? "" : "s");
}

Datum
sketch_line(Size bytes, const char *format, ...)
{
    StringInfoData line;
    va_list values;
    int needed = 256;

    initStringInfo(&line);
    do {
        enlargeStringInfo(&line, needed);
        va_start(values, format);
        needed = appendStringInfoVA(&line, format, values);
        va_end(values);
    } while (needed > 0);
    appendStringInfo(&line, ", %s", sketch_count(bytes, "byte"));
    PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}
