/*
 * from_extension.c - digests of the tdigest extension for PostgreSQL.
 *
 * Its text and its JSON, which have six digits of each mean:
 *
 *     flags 1 count 4 compression 100 centroids 2 (1.500000, 3) (7.000000, 1)
 *   {"flags": 1, "count": 4, "compression": 100, "centroids": 2, "mean": [1.5, 7], "count": [3, 1]}
 *
 * And exactly, big-endian, what its send function writes: flags (4 bytes), count (8), compression
 * (4), centroids (4), then mean (8) and count (8) of each. Flag 1 says that means are stored;
 * digests of old versions have sums in their place. A digest that was not compacted is not in
 * order.
 *
 * The extension does not keep the least and the greatest value: they are the outer means. It keeps
 * more centroids at a compression than we do, and ten times as many before it compacts them. They
 * are all kept, at a higher compression.
 */
#include <errno.h>
#include <stdlib.h>

#include "import.h"

#define FLAG_MEANS 1
/* Its largest digests have 100,000 centroids, ten for each unit of compression: 160 bytes each. */
#define TEXT_MAX (16 * 1024 * 1024)
#define BINARY_HEADER 20

typedef struct Fields {
    int64_t flags, count, compression, centroids;
} Fields;

static bool
check_fields(const Fields *fields, SketchError *error)
{
    if (fields->flags & ~(int64_t)FLAG_MEANS)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown flags");
    if (fields->compression < 1)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Compression out of range",
                                   fields->compression, 1, INT64_MAX);
    return true;
}

static bool
add_centroid(TdigestImport *import, const Fields *fields, double mean, int64_t count)
{
    if (count < 1)
        return sketch_refuse_range(import->error, SKETCH_MALFORMED, "A count is out of range",
                                   count, 1, INT64_MAX);
    if (!(fields->flags & FLAG_MEANS))
        mean /= (double)count;
    return tdigest_import_add(import, mean, (uint64_t)count);
}

/* Checks that there are as many centroids and values as announced, and makes the digest. */
static bool
finish(TdigestImport *import, const Fields *fields, SketchBytes *value)
{
    if (import->count != (uint64_t)fields->centroids || import->weight != (uint64_t)fields->count)
        return sketch_refuse(import->error, SKETCH_MALFORMED, "Count and centroids do not add up");
    *value = tdigest_import_finish(import, (double)fields->compression, TDIGEST_COMPRESSION_MAX);
    return true;
}

/* ---- binary ---- */

bool
tdigest_from_extension(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                       SketchError *error)
{
    ByteReader r = byte_reader(input.data, input.size);
    Fields fields;
    TdigestImport import;
    bool good;

    fields.flags = (int32_t)read_be32(&r);
    fields.count = (int64_t)read_be64(&r);
    fields.compression = (int32_t)read_be32(&r);
    fields.centroids = (int32_t)read_be32(&r);
    if (r.failed || fields.centroids < 0 || bytes_left(&r) != (uint64_t)fields.centroids * 16)
        return sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
    if (!check_fields(&fields, error) ||
        !tdigest_import_begin(&import, (uint64_t)fields.centroids, memory, error))
        return false;
    good = true;
    for (int64_t i = 0; i < fields.centroids && good; i++) {
        uint64_t bits = read_be64(&r);
        double mean;

        memcpy(&mean, &bits, sizeof mean);
        good = add_centroid(&import, &fields, mean, (int64_t)read_be64(&r));
    }
    good = good && finish(&import, &fields, value);
    tdigest_import_end(&import);
    return good;
}

/* ---- text ---- */

static bool
bad_text(SketchError *error)
{
    return sketch_refuse(error, SKETCH_MALFORMED, "Not the text of a digest");
}

static void
skip_spaces(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

/* Takes what is expected, after spaces; false for anything else. */
static bool
take(const char **at, const char *expected)
{
    size_t length = strlen(expected);

    skip_spaces(at);
    if (strncmp(*at, expected, length) != 0)
        return false;
    *at += length;
    return true;
}

/* A decimal number: nothing else that strtod would take. */
static bool
take_double(const char **at, double *number)
{
    char *end;

    skip_spaces(at);
    if (strspn(*at, "+-.0123456789") == 0)
        return false;
    *number = strtod(*at, &end);
    if (end == *at || memchr(*at, 'x', (size_t)(end - *at)) ||
        memchr(*at, 'X', (size_t)(end - *at)))
        return false;
    *at = end;
    return true;
}

static bool
take_integer(const char **at, int64_t *number)
{
    char *end;

    skip_spaces(at);
    if (strspn(*at, "-0123456789") == 0)
        return false;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    if (end == *at || errno != 0)
        return false;
    *at = end;
    return true;
}

static bool
read_plain(const char *at, TdigestImport *import, SketchBytes *value)
{
    Fields fields;

    if (!take(&at, "flags") || !take_integer(&at, &fields.flags) || !take(&at, "count") ||
        !take_integer(&at, &fields.count) || !take(&at, "compression") ||
        !take_integer(&at, &fields.compression) || !take(&at, "centroids") ||
        !take_integer(&at, &fields.centroids))
        return bad_text(import->error);
    if (!check_fields(&fields, import->error))
        return false;
    while (take(&at, "(")) {
        double mean;
        int64_t count;

        if (!take_double(&at, &mean) || !take(&at, ",") || !take_integer(&at, &count) ||
            !take(&at, ")"))
            return bad_text(import->error);
        if (!add_centroid(import, &fields, mean, count))
            return false;
    }
    skip_spaces(&at);
    return *at == '\0' ? finish(import, &fields, value) : bad_text(import->error);
}

/* ---- JSON ---- */

/* Steps over an array of numbers; its beginning is kept to be read when all is known. */
static bool
take_array(const char **at, const char **array)
{
    if (!take(at, "["))
        return false;
    *array = *at;
    *at += strspn(*at, "+-.0123456789eE, \t\r\n");
    return take(at, "]");
}

/* One field, in any order; both a number and an array have the name "count". */
static bool
take_field(const char **at, Fields *fields, const char **means, const char **counts)
{
    const char *ignored;

    if (take(at, "\"flags\""))
        return take(at, ":") && take_integer(at, &fields->flags);
    if (take(at, "\"compression\""))
        return take(at, ":") && take_integer(at, &fields->compression);
    if (take(at, "\"centroids\""))
        return take(at, ":") && take_integer(at, &fields->centroids);
    if (take(at, "\"mean\"") || take(at, "\"sum\""))
        return take(at, ":") && take_array(at, means);
    if (!take(at, "\"count\"") || !take(at, ":"))
        return false;
    ignored = *at;
    if (take(&ignored, "["))
        return take_array(at, counts);
    return take_integer(at, &fields->count);
}

static bool
read_json(const char *at, TdigestImport *import, SketchBytes *value)
{
    Fields fields = {.flags = FLAG_MEANS, .count = -1, .compression = -1, .centroids = -1};
    const char *means = NULL, *counts = NULL;

    do
        if (!take_field(&at, &fields, &means, &counts))
            return bad_text(import->error);
    while (take(&at, ","));
    if (!take(&at, "}") || !means || !counts)
        return bad_text(import->error);
    skip_spaces(&at);
    if (*at != '\0')
        return bad_text(import->error);
    if (!check_fields(&fields, import->error))
        return false;
    for (int64_t i = 0; i < fields.centroids; i++) {
        double mean;
        int64_t count;

        if ((i > 0 && (!take(&means, ",") || !take(&counts, ","))) || !take_double(&means, &mean) ||
            !take_integer(&counts, &count))
            return bad_text(import->error);
        if (!add_centroid(import, &fields, mean, count))
            return false;
    }
    if (!take(&means, "]") || !take(&counts, "]"))
        return bad_text(import->error);
    /* jsonb keeps the last of two fields of one name: the array. */
    if (fields.count < 0)
        fields.count = (int64_t)import->weight;
    return finish(import, &fields, value);
}

bool
tdigest_from_extension_text(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                            SketchError *error)
{
    TdigestImport import;
    const char *at;
    char *text;
    bool good;

    if (input.size > TEXT_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "The text is too long (bytes)",
                                   (int64_t)input.size, 0, TEXT_MAX);
    /* A centroid takes at least four characters, as 1,1 and what separates it from the next. */
    if (!tdigest_import_begin(&import, input.size / 4 + 1, memory, error))
        return false;
    at = text = memory->scratch(input.size + 1, memory->context);
    memcpy(text, input.data, input.size);
    text[input.size] = '\0';
    good = take(&at, "{") ? read_json(at, &import, value) : read_plain(at, &import, value);
    memory->release(text, memory->context);
    tdigest_import_end(&import);
    return good;
}
