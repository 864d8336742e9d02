/*
 * datadog.c - the buckets of the DDSketch library, and its message. The format is in datadog.h.
 */
#include "datadog.h"

#include <math.h>

#include "portable.h"
#include "varint.h"

#define BIN_BYTES 8
#define LN2 0.693147180559945309417

/* ---- the mapping ---- */

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

double
datadog_bound(const DatadogMapping *mapping, double index)
{
    double position = index - mapping->offset;
    double exponent, share, significand;

    if (mapping->interpolation == 0)
        return portable_exp(position * portable_log(mapping->gamma));
    position *= portable_log(mapping->gamma) / LN2;
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

double
datadog_accuracy(const DatadogMapping *mapping)
{
    /* Largest increase of ln where the approximate logarithm grows by 1. */
    static const double steepness[] = {1, 1, 0.75, 0.7};

    return 1 - 2 / (1 + (mapping->interpolation == 0
                             ? mapping->gamma
                             : portable_exp(steepness[mapping->interpolation] / LN2 *
                                            portable_log(mapping->gamma))));
}

/* ---- the message ---- */

typedef struct Field {
    uint64_t number;
    unsigned wire;
    ByteReader bytes; /* of DATADOG_BYTES */
    uint64_t varint;  /* of DATADOG_VARINT */
    double fixed;     /* of DATADOG_FIXED64 */
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
    if (field->wire == DATADOG_VARINT)
        field->varint = read_varint(r);
    else if (field->wire == DATADOG_FIXED64) {
        p = read_span(r, 8);
        field->fixed = p ? load_le_double(p) : 0;
    } else if (field->wire == DATADOG_FIXED32)
        read_span(r, 4);
    else if (field->wire == DATADOG_BYTES) {
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

static bool
read_mapping(ByteReader r, DatadogMapping *mapping, SketchError *error)
{
    Field field;

    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == DATADOG_FIXED64)
            mapping->gamma = field.fixed;
        else if (field.number == 2 && field.wire == DATADOG_FIXED64)
            mapping->offset = field.fixed;
        else if (field.number == 3 && field.wire == DATADOG_VARINT)
            mapping->interpolation = field.varint;
    }
    if (r.failed)
        return malformed(error);
    if (!(mapping->gamma > 1 && mapping->gamma < 1e300) || !isfinite(mapping->offset))
        return sketch_refuse(error, SKETCH_MALFORMED, "Gamma or offset out of range");
    if (mapping->interpolation > 3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown interpolation",
                                   (int64_t)(mapping->interpolation & INT64_MAX), 0, 3);
    return true;
}

static bool
rounded(double count, uint64_t *result, SketchError *error)
{
    if (!(count >= 0 && count < 0x1p63))
        return sketch_refuse(error, SKETCH_MALFORMED, "A count is out of range");
    *result = (uint64_t)rint(count);
    return true;
}

/* The mapping and the count of zeros may come after the stores. */
bool
datadog_read(SketchBytes message, DatadogMapping *mapping, uint64_t *zeros, SketchError *error)
{
    ByteReader r = byte_reader(message.data, message.size);
    bool mapped = false;
    double count = 0;
    Field field;

    *mapping = (DatadogMapping){.gamma = 0};
    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == DATADOG_BYTES) {
            if (!read_mapping(field.bytes, mapping, error))
                return false;
            mapped = true;
        } else if (field.number == 4 && field.wire == DATADOG_FIXED64)
            count = field.fixed;
    }
    if (r.failed || !mapped)
        return malformed(error);
    return rounded(count, zeros, error);
}

/* ---- the stores ---- */

typedef struct Visitor {
    DatadogVisit visit;
    void *context;
    bool negative;
    const SketchMemory *memory;
    size_t steps;
    SketchError *error;
} Visitor;

static bool
visit_bin(Visitor *v, double index, double count)
{
    uint64_t whole;

    sketch_poll(v->memory, &v->steps, 1);
    if (!rounded(count, &whole, v->error))
        return false;
    return whole == 0 || v->visit(v->context, v->negative, index, whole);
}

static double
index_of(uint64_t varint)
{
    return (double)(int32_t)unzigzag(varint & UINT32_MAX);
}

static bool
visit_entry(Visitor *v, ByteReader r)
{
    double index = 0, count = 0;
    Field field;

    while (next_field(&r, &field)) {
        if (field.number == 1 && field.wire == DATADOG_VARINT)
            index = index_of(field.varint);
        else if (field.number == 2 && field.wire == DATADOG_FIXED64)
            count = field.fixed;
    }
    return r.failed ? malformed(v->error) : visit_bin(v, index, count);
}

static bool
visit_row(Visitor *v, ByteReader r, double *index)
{
    const uint8_t *p;

    if (bytes_left(&r) % BIN_BYTES != 0)
        return malformed(v->error);
    while (bytes_left(&r) > 0 && (p = read_span(&r, BIN_BYTES)) != NULL)
        if (!visit_bin(v, (*index)++, load_le_double(p)))
            return false;
    return true;
}

static bool
visit_store(Visitor *v, ByteReader r)
{
    ByteReader again = r;
    double index = 0;
    Field field;

    /* The first index may come after the counts. */
    while (next_field(&again, &field))
        if (field.number == 3 && field.wire == DATADOG_VARINT)
            index = index_of(field.varint);
    if (again.failed)
        return malformed(v->error);
    while (next_field(&r, &field)) {
        bool good = true;

        sketch_poll(v->memory, &v->steps, 1);
        if (field.number == 1 && field.wire == DATADOG_BYTES)
            good = visit_entry(v, field.bytes);
        else if (field.number == 2 && field.wire == DATADOG_BYTES)
            good = visit_row(v, field.bytes, &index);
        else if (field.number == 2 && field.wire == DATADOG_FIXED64)
            good = visit_bin(v, index++, field.fixed);
        if (!good)
            return false;
    }
    return true;
}

bool
datadog_each_bin(SketchBytes message, DatadogVisit visit, void *context, const SketchMemory *memory,
                 SketchError *error)
{
    Visitor v = {visit, context, false, memory, 0, error};
    ByteReader r = byte_reader(message.data, message.size);
    Field field;

    while (next_field(&r, &field)) {
        if ((field.number != 2 && field.number != 3) || field.wire != DATADOG_BYTES)
            continue;
        v.negative = field.number == 3;
        if (!visit_store(&v, field.bytes))
            return false;
    }
    return true;
}
