/*
 * template.c - a text with names in braces, filled in; template.sql says how it is read.
 */
#include "pg/rollup/rollup.h"
#include "pg/rollup/template.h"

#include "utils/builtins.h"

void
filling_add(Filling *filling, const char *name, const char *value)
{
    int i = 0;

    while (i < filling->count && strcmp(filling->texts[i].name, name) != 0)
        i++;
    if (i == (int)lengthof(filling->texts))
        elog(ERROR, "the template of rollups has no room for %s", name);
    filling->count = Max(filling->count, i + 1);
    filling->texts[i] = (Text){name, value, false};
}

static const Text *
find(const Filling *filling, const char *name)
{
    for (int i = 0; i < filling->count; i++)
        if (strcmp(filling->texts[i].name, name) == 0)
            return &filling->texts[i];
    elog(ERROR, "the template of rollups names an unknown %s", name);
}

const char *
filling_find(const Filling *filling, const char *name)
{
    return find(filling, name)->value;
}

/* Fills up to {end}, {else} or the end of the text; returns what comes after. out may be NULL. */
static const char *
fill(const Filling *filling, const char *text, StringInfo out, bool *is_else)
{
    *is_else = false;
    for (;;) {
        const char *brace = strchrnul(text, '{'), *end;
        char *name;

        if (out)
            appendBinaryStringInfo(out, text, brace - text);
        if (*brace == '\0')
            return brace;
        end = strchr(brace, '}');
        name = pnstrdup(brace + 1, end - brace - 1);
        text = end + 1;
        if (strcmp(name, "end") == 0 || strcmp(name, "else") == 0) {
            *is_else = strcmp(name, "else") == 0;
            return text;
        }
        if (strncmp(name, "if ", 3) == 0) {
            bool is = out && find(filling, name + 3)->value != NULL;

            text = fill(filling, text, is ? out : NULL, is_else);
            if (*is_else)
                text = fill(filling, text, is ? NULL : out, is_else);
        } else if (out) {
            bool is_literal = strncmp(name, "literal ", 8) == 0, ignored;
            const Text *found = find(filling, is_literal ? name + 8 : name);
            StringInfoData whole;

            initStringInfo(&whole);
            if (found->is_template)
                (void)fill(filling, found->value, &whole, &ignored);
            else if (found->value)
                appendStringInfoString(&whole, found->value);
            appendStringInfoString(out, is_literal ? quote_literal_cstr(whole.data) : whole.data);
            pfree(whole.data);
        }
    }
}

char *
filling_fill(const Filling *filling, const char *text)
{
    StringInfoData out;
    bool ignored;

    initStringInfo(&out);
    (void)fill(filling, text, &out, &ignored);
    return out.data;
}

const char *
filling_define(Filling *filling, const char *text)
{
    while (strncmp(text += strspn(text, "\n"), "{define ", 8) == 0) {
        const char *name = text + 8, *end = strchr(name, '}');
        bool ignored;

        text = fill(filling, end + 1, NULL, &ignored);
        filling_add(filling, pnstrdup(name, end - name),
                    pnstrdup(end + 1, text - strlen("{end}") - (end + 1)));
        filling->texts[filling->count - 1].is_template = true;
    }
    return text;
}

/* As format() writes it. */
static const char *
format_literal(const char *text)
{
    StringInfoData out;

    if (strchr(text, '%') == NULL)
        return text;
    initStringInfo(&out);
    for (; *text; text++) {
        if (*text == '%')
            appendStringInfoChar(&out, '%');
        appendStringInfoChar(&out, *text);
    }
    return out.data;
}

void
filling_format(Filling *filling)
{
    for (Text *text = filling->texts; text < filling->texts + filling->count; text++)
        if (text->value && !text->is_template)
            text->value = format_literal(text->value);
}
