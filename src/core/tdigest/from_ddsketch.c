/*
 * from_ddsketch.c - DDSketch, as its Protocol Buffers message.
 *
 *     DDSketch       1 IndexMapping   2 Store of positive values   3 Store of negative ones
 *                    4 double, the count of zeros
 *     IndexMapping   1 double gamma   2 double offset   3 interpolation: 0 none, 1 linear,
 *                    2 quadratic, 3 cubic
 *     Store          1 map of index (sint32) to count (double)   2 packed doubles, the counts of
 *                    indexes in a row   3 sint32, the first of these indexes
 *
 * Bin i holds the values from L(i) to L(i+1), where L(i) is gamma^(i - offset), or with an
 * interpolation the inverse of an approximate logarithm. Its values stand where the sketch answers
 * them, at L(i) (1 + a) with a the relative accuracy, so the error of the sketch stays. Only wide
 * bins are spread. Counts are rounded. Sketches of the Python library, which rounds indexes up, are
 * read a bin too high.
 *
 * References: C. Masson, J. Rim, H. Lee, DDSketch, VLDB 2019; ddsketch.proto and the mappings of
 * sketches-go and sketches-java.
 */
#include <float.h>
#include <math.h>

#include "core/common/varint.h"
#include "import.h"

#define WIDE 1.25 /* bins whose upper end is this many times the lower one are spread, */
#define POINTS 10 /* as so many centroids */
#define BIN_BYTES 8

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

typedef struct Field {
    uint64_t number;
    unsigned wire;
    ByteReader bytes; /* of WIRE_BYTES */
    uint64_t varint;  /* of WIRE_VARINT */
    double fixed;     /* of WIRE_FIXED64 */
} Field;

/* The next field of a message; false at its end, or with r->failed. */
static bool
next_field(ByteReader *r, Field *field)
{
    uint64_t key, size;
    const uint8_t *p = NULL;

    if (bytes_left(r) == 0 || r->failed)
        return false;
    key = read_varint(r);
    *field = (Field){.number = key >> 3, .wire = key & 7};
    if (field->wire == WIRE_VARINT)
        field->varint = read_varint(r);
    else if (field->wire == WIRE_FIXED64) {
        p = read_span(r, 8);
        field->fixed = p ? load_le_double(p) : 0;
    } else if (field->wire == WIRE_FIXED32)
        read_span(r, 4);
    else if (field->wire == WIRE_BYTES) {
        size = read_varint(r);
        p = size <= bytes_left(r) ? read_span(r, (size_t)size) : NULL;
        if (p)
            field->bytes = byte_reader(p, (size_t)size);
        else
            r->failed = true;
    } else
        r->failed = true;
    return !r->failed;
}

static bool
malformed(SketchError *error)
{
    return sketch_refuse(error, SKETCH_MALFORMED, "Not a message of DDSketch");
}

/* ---- the mapping ---- */

typedef struct Mapping {
    double gamma, offset;
    uint64_t interpolation;
    double accuracy;
} Mapping;

static bool
read_mapping(ByteReader r, Mapping *mapping, SketchError *error)
{
    /* How much ln grows, at most, where the approximate logarithm grows by 1. */
    static const double steepness[] = {1, 1, 0.75, 0.7};
    Field field;

    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == WIRE_FIXED64)
            mapping->gamma = field.fixed;
        else if (field.number == 2 && field.wire == WIRE_FIXED64)
            mapping->offset = field.fixed;
        else if (field.number == 3 && field.wire == WIRE_VARINT)
            mapping->interpolation = field.varint;
    }
    if (r.failed)
        return malformed(error);
    if (!(mapping->gamma > 1 && mapping->gamma < 1e300) || !isfinite(mapping->offset))
        return sketch_refuse(error, SKETCH_MALFORMED, "Gamma or offset out of range");
    if (mapping->interpolation > 3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown interpolation",
                                   (int64_t)(mapping->interpolation & INT64_MAX), 0, 3);
    mapping->accuracy =
        1 - 2 / (1 + (mapping->interpolation == 0
                          ? mapping->gamma
                          : exp(steepness[mapping->interpolation] * log2(mapping->gamma))));
    return true;
}

/* The s from 0 to 1 of which the cubic approximation of log2(1 + s) is `share`. */
static double
cubic_inverse(double share)
{
    double low = 0, high = 1;

    for (int i = 0; i < 60; i++) {
        double s = (low + high) / 2;

        if (((6.0 / 35 * s - 3.0 / 5) * s + 10.0 / 7) * s < share)
            low = s;
        else
            high = s;
    }
    return high;
}

/* Where a bin begins; 0 and infinity where that is outside the range of double. */
static double
lower_bound(const Mapping *mapping, double index)
{
    double position = index - mapping->offset;
    double exponent, share, significand;

    if (mapping->interpolation == 0)
        return pow(mapping->gamma, position);
    position *= log2(mapping->gamma);
    exponent = floor(position);
    share = position - exponent;
    if (!(exponent > -1100))
        return 0;
    if (!(exponent < 1100))
        return INFINITY;
    significand = mapping->interpolation == 1   ? 1 + share
                  : mapping->interpolation == 2 ? 3 - sqrt(4 - 3 * share)
                                                : 1 + cubic_inverse(share);
    return ldexp(significand, (int)exponent);
}

/* ---- the stores ---- */

static bool
add_bin(TdigestImport *import, const Mapping *mapping, double index, double count, bool negative,
        unsigned points)
{
    double low, high, middle;

    if (!(count >= 0 && count < 0x1p63))
        return sketch_refuse(import->error, SKETCH_MALFORMED, "A count is out of range");
    count = rint(count);
    if (count == 0)
        return true;
    low = lower_bound(mapping, index);
    high = fmin(lower_bound(mapping, index + 1), DBL_MAX);
    if (!(low <= DBL_MAX))
        return sketch_refuse(import->error, SKETCH_MALFORMED,
                             "A bin lies outside the range of double precision");
    middle = fmin(low * (1 + mapping->accuracy), high);
    return tdigest_import_spread(import, negative ? -high : low, negative ? -low : high,
                                 negative ? -middle : middle, (uint64_t)count, points);
}

static double
index_of(uint64_t varint)
{
    return (double)(int32_t)unzigzag(varint & UINT32_MAX);
}

static bool
add_entry(TdigestImport *import, const Mapping *mapping, ByteReader r, bool negative,
          unsigned points)
{
    double index = 0, count = 0;
    Field field;

    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == WIRE_VARINT)
            index = index_of(field.varint);
        else if (field.number == 2 && field.wire == WIRE_FIXED64)
            count = field.fixed;
    }
    return r.failed ? malformed(import->error)
                    : add_bin(import, mapping, index, count, negative, points);
}

static bool
add_row(TdigestImport *import, const Mapping *mapping, ByteReader r, double *index, bool negative,
        unsigned points)
{
    const uint8_t *p;

    if (bytes_left(&r) % BIN_BYTES != 0)
        return malformed(import->error);
    while (bytes_left(&r) > 0 && (p = read_span(&r, BIN_BYTES)) != NULL) {
        sketch_poll(import->memory, &import->steps, 1);
        if (!add_bin(import, mapping, (*index)++, load_le_double(p), negative, points))
            return false;
    }
    return true;
}

static bool
add_store(TdigestImport *import, const Mapping *mapping, ByteReader r, bool negative,
          unsigned points)
{
    ByteReader again = r;
    double index = 0;
    Field field;

    /* The first index may stand behind the counts. */
    while (next_field(&again, &field))
        if (field.number == 3 && field.wire == WIRE_VARINT)
            index = index_of(field.varint);
    if (again.failed)
        return malformed(import->error);
    while (next_field(&r, &field)) {
        bool good = true;

        sketch_poll(import->memory, &import->steps, 1);
        if (field.number == 1 && field.wire == WIRE_BYTES)
            good = add_entry(import, mapping, field.bytes, negative, points);
        else if (field.number == 2 && field.wire == WIRE_BYTES)
            good = add_row(import, mapping, field.bytes, &index, negative, points);
        else if (field.number == 2 && field.wire == WIRE_FIXED64)
            good = add_bin(import, mapping, index++, field.fixed, negative, points);
        if (!good)
            return false;
    }
    return true;
}

/* ---- the sketch ---- */

/* The mapping and the count of zeros, which may stand behind the stores. */
static bool
read_fields(ByteReader r, Mapping *mapping, double *zeros, SketchError *error)
{
    bool mapped = false;
    Field field;

    *mapping = (Mapping){.gamma = 0};
    *zeros = 0;
    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == WIRE_BYTES) {
            if (!read_mapping(field.bytes, mapping, error))
                return false;
            mapped = true;
        } else if (field.number == 4 && field.wire == WIRE_FIXED64)
            *zeros = field.fixed;
    }
    if (r.failed || !mapped)
        return malformed(error);
    if (!(*zeros >= 0 && *zeros < 0x1p63))
        return sketch_refuse(error, SKETCH_MALFORMED, "A count is out of range");
    *zeros = rint(*zeros);
    return true;
}

static bool
add_stores(TdigestImport *import, const Mapping *mapping, ByteReader r, unsigned points)
{
    Field field;

    while (next_field(&r, &field))
        if ((field.number == 2 || field.number == 3) && field.wire == WIRE_BYTES &&
            !add_store(import, mapping, field.bytes, field.number == 3, points))
            return false;
    return true;
}

bool
tdigest_from_ddsketch(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                      SketchError *error)
{
    const uint64_t bins = input.size / BIN_BYTES; /* at most: each has a count of 8 bytes */
    ByteReader r = byte_reader(input.data, input.size);
    TdigestImport import;
    Mapping mapping;
    double zeros;
    unsigned points;
    bool good;

    if (!read_fields(r, &mapping, &zeros, error))
        return false;
    points = lower_bound(&mapping, 1) < lower_bound(&mapping, 0) * WIDE ? 1 : POINTS;
    if (!tdigest_import_begin(&import, bins * points + 1, memory, error))
        return false;
    good = (zeros == 0 || tdigest_import_add(&import, 0, (uint64_t)zeros)) &&
           add_stores(&import, &mapping, r, points);
    if (good)
        *value = tdigest_import_finish(&import, TDIGEST_COMPRESSION_DEFAULT,
                                       2.0 * TDIGEST_COMPRESSION_DEFAULT);
    tdigest_import_end(&import);
    return good;
}
