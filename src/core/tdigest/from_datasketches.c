/*
 * from_datasketches.c - t-digests of Apache DataSketches, both ways.
 *
 *     0      1        2       3..4  5      6..7   8..11      12..15
 *     longs  version  family  k     flags  parts  centroids  buffered
 *
 * and, where there are values: the least, the greatest, centroids of mean and weight, buffered
 * values. All is little-endian. Numbers take 8 bytes, or 4 in a sketch of floats; the length says
 * which. One value stands by itself at byte 8, and an empty sketch ends there.
 *
 * k is the compression. Their digests of a compression may have more centroids than ours of the
 * same one, so a digest that needs it gets a higher compression.
 *
 * The format has no marks for points. Between centroids of one mean nothing is spread, there as
 * here, so a point of weight w is written as three: 1, w - 2, 1; or as two, where theirs have no
 * room for so many: 1, w - 1. The number of parts is in two bytes that are unused in their format:
 * they write 0 and do not look at it. What is written here is read back as it was, but for ends
 * that are next to bounds (ends.c), and for the order at a mean where it would be ambiguous.
 *
 * Reference: the project's PreambleUtil and TDigestDouble.
 */
#include <math.h>

#include "import.h"

#define VERSION 1
#define TDIGEST_FAMILY 20
#define K_MIN 10
#define FLAG_EMPTY 1
#define FLAG_SINGLE 2
#define FLAG_REVERSE 4
#define HEADER 8
#define COUNTS 8

/* Offsets of the fields. */
enum { LONGS = 0, SERIAL = 1, FAMILY = 2, K = 3, FLAGS = 5, PARTS = 6 };

static double
read_number(ByteReader *r, unsigned width)
{
    const uint8_t *p = read_span(r, width);

    return !p ? 0 : width == 8 ? load_le_double(p) : load_le_float(p);
}

/* Whether a point of these parts comes first; *weight is that of all. */
static bool
take_parts(const TdigestCentroid *c, uint32_t count, unsigned parts, uint64_t *weight)
{
    if (count < 2 || c[0].weight != 1 || c[1].mean != c[0].mean)
        return false;
    *weight = 1 + c[1].weight;
    if (parts == 2 || count == 2 || c[2].mean != c[0].mean || c[2].weight != 1)
        return parts == 2 || *weight == 2;
    ++*weight;
    return true;
}

/* Puts points together again; those of weight 2 have two parts always. */
static void
join_parts(TdigestImport *import, unsigned parts)
{
    TdigestCentroid *c = import->centroids;
    uint32_t count = 0;

    for (uint32_t i = 0, taken; i < import->count; i += taken) {
        uint64_t weight;
        bool point = take_parts(&c[i], import->count - i, parts, &weight);

        taken = !point ? 1 : weight == 2 ? 2 : parts;
        c[count] = c[i];
        if (point) {
            c[count].weight = weight;
            c[count].point = 1;
        }
        count++;
    }
    import->count = count;
}

/* Least, greatest, centroids, buffered values; the length has been checked. */
static bool
read_values(ByteReader *r, unsigned width, uint32_t centroids, uint32_t buffered, unsigned parts,
            TdigestImport *import)
{
    double low = read_number(r, width), high = read_number(r, width);

    for (uint32_t i = 0; i < centroids; i++) {
        double mean = read_number(r, width);
        const uint8_t *weight = read_span(r, width);

        if (i > 0 && mean < import->centroids[i - 1].mean)
            return sketch_refuse(import->error, SKETCH_MALFORMED,
                                 "Means are not in ascending order");
        if (!tdigest_import_add(import, mean, width == 8 ? load_le64(weight) : load_le32(weight)))
            return false;
    }
    if (parts > 0)
        join_parts(import, parts);
    for (uint32_t i = 0; i < buffered; i++)
        if (!tdigest_import_add(import, read_number(r, width), 1))
            return false;
    return tdigest_import_extremes(import, low, high,
                                   parts > 0 ? TDIGEST_OUTER_SAMPLES : TDIGEST_OUTER_MEANS);
}

/* How wide its numbers are, by the length that they would make; 0 for another length. */
static unsigned
number_width(size_t size, uint64_t centroids, uint64_t buffered)
{
    for (unsigned width = 8; width >= 4; width -= 4)
        if (size == HEADER + COUNTS + width * (2 + 2 * centroids + buffered))
            return width;
    return 0;
}

/* Reads what is behind the header. For another form it is false, and the caller's reason stays. */
static bool
read_body(SketchBytes input, unsigned flags, TdigestImport *import)
{
    ByteReader r = byte_reader(input.data + HEADER, input.size - HEADER);
    const unsigned parts = load_le16(input.data + PARTS);
    unsigned width;
    uint32_t centroids, buffered;

    if (flags & FLAG_EMPTY)
        return input.data[LONGS] == 1 && !(flags & FLAG_SINGLE) && bytes_left(&r) == 0;
    if (flags & FLAG_SINGLE) {
        width = (unsigned)bytes_left(&r);
        return input.data[LONGS] == 1 && (width == 4 || width == 8) &&
               tdigest_import_add(import, read_number(&r, width), 1);
    }
    centroids = read_le32(&r);
    buffered = read_le32(&r);
    width = number_width(input.size, centroids, buffered);
    return input.data[LONGS] == 2 && width > 0 && centroids + (uint64_t)buffered > 0 &&
           read_values(&r, width, centroids, buffered, parts == 2 || parts == 3 ? parts : 0,
                       import);
}

bool
tdigest_from_datasketches(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                          SketchError *error)
{
    TdigestImport import;
    unsigned k, flags;
    bool good;

    if (input.size < HEADER || input.data[SERIAL] != VERSION ||
        input.data[FAMILY] != TDIGEST_FAMILY)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not a t-digest of DataSketches");
    k = load_le16(input.data + K);
    flags = input.data[FLAGS];
    if (k < K_MIN)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "k out of range", k, K_MIN, UINT16_MAX);
    if (flags & ~(unsigned)(FLAG_EMPTY | FLAG_SINGLE | FLAG_REVERSE))
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown flags");
    /* A centroid takes at least 8 bytes, a buffered value 4. */
    if (!tdigest_import_begin(&import, input.size / 4, memory, error))
        return false;
    sketch_refuse(error, SKETCH_MALFORMED, "The length does not match the contents");
    good = read_body(input, flags, &import);
    if (good)
        *value = tdigest_import_finish(&import, k, 3.0 * k);
    tdigest_import_end(&import);
    return good;
}

/* In how many parts points are written; 0 if the reader has nothing to know of them. */
static unsigned
parts_of_points(const Tdigest *digest)
{
    const TdigestCentroid *c = digest->centroids;
    uint32_t points = 0;

    for (uint32_t i = 0; i < digest->count; i++)
        points += c[i].point;
    /* An outer centroid at the extreme would be taken for a point. */
    if (points == 0 && (digest->count == 0 ||
                        (tdigest_is_point(&c[0]) && tdigest_is_point(&c[digest->count - 1]))))
        return 0;
    return digest->count + 2 * points <= 2 * digest->compression ? 3 : 2;
}

/* Whether a single value would be taken for the first part of what follows at its mean. */
static bool
is_mistaken(const TdigestCentroid *c, uint32_t count, unsigned parts)
{
    for (uint32_t i = 0; parts > 0 && i + 1 < count; i++)
        if (c[i].weight == 1 && (parts == 2 || tdigest_is_point(&c[i + 1]) ||
                                 (i + 2 < count && tdigest_is_point(&c[i + 2]))))
            return true;
    return false;
}

/*
 * Where the parts at a mean would be mistaken, what is spread there comes first, and then its
 * points, as one. Returns how many centroids are in `out`.
 */
static uint32_t
order_parts(const Tdigest *digest, unsigned parts, TdigestCentroid *out)
{
    const TdigestCentroid *c = digest->centroids;
    uint32_t count = 0;

    for (uint32_t i = 0, end; i < digest->count; i = end) {
        uint64_t rows = 0;
        bool mistaken;

        for (end = i + 1; end < digest->count && c[end].mean == c[i].mean;)
            end++;
        mistaken = is_mistaken(&c[i], end - i, parts);
        for (uint32_t j = i; j < end; j++)
            if (mistaken && tdigest_is_point(&c[j]))
                rows += c[j].weight;
            else
                out[count++] = c[j];
        if (rows > 0)
            out[count++] = (TdigestCentroid){c[i].mean, rows, rows > 1};
    }
    return count;
}

static uint8_t *
write_centroid(uint8_t *to, double mean, uint64_t weight)
{
    return write_le64(write_le_double(to, mean), weight);
}

/* Writes a centroid, or a point as its parts. */
static uint8_t *
write_parts(uint8_t *to, double mean, TdigestCentroid c, unsigned parts)
{
    const bool third = c.point && parts == 3 && c.weight > 2;

    if (c.point)
        to = write_centroid(to, mean, 1);
    to = write_centroid(to, mean, c.weight - c.point - third);
    return third ? write_centroid(to, mean, 1) : to;
}

SketchBytes
tdigest_to_datasketches(const Tdigest *digest, const SketchMemory *memory)
{
    const bool single = digest->weight == 1;
    TdigestCentroid *ordered =
        memory->scratch(digest->count * sizeof64(*ordered) + 1, memory->context);
    const unsigned parts = parts_of_points(digest);
    const uint32_t centroids = order_parts(digest, parts, ordered);
    uint32_t count = centroids;
    uint8_t *data, *to;
    size_t size;

    for (uint32_t i = 0; i < centroids; i++)
        count += !ordered[i].point ? 0 : ordered[i].weight == 2 ? 1 : parts - 1;
    size = digest->count == 0 ? HEADER
           : single           ? HEADER + 8
                              : HEADER + COUNTS + 16 + (size_t)count * 16;
    data = memory->value(size, memory->context);
    to = data + HEADER;
    memset(data, 0, HEADER);
    data[LONGS] = digest->weight > 1 ? 2 : 1;
    data[SERIAL] = VERSION;
    data[FAMILY] = TDIGEST_FAMILY;
    store_le16(data + K, (uint16_t)digest->compression);
    data[FLAGS] = digest->count == 0 ? FLAG_EMPTY : single ? FLAG_SINGLE : 0;
    store_le16(data + PARTS, (uint16_t)parts);
    if (single)
        store_le_double(to, tdigest_min(digest));
    else if (digest->count > 0) {
        to = write_le32(to, count);
        to = write_le32(to, 0);
        to = write_le_double(to, tdigest_min(digest));
        to = write_le_double(to, tdigest_max(digest));
        for (uint32_t i = 0; i < centroids; i++)
            to = write_parts(to, tdigest_shown(digest, ordered[i].mean), ordered[i], parts);
    }
    memory->release(ordered, memory->context);
    return (SketchBytes){data, size};
}
