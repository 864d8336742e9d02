/*
 * from_datadog.c - sketches of the DDSketch library, from its message and back.
 *
 * core/common/datadog.h describes the message. Bins are kept as they are, with the library's gamma,
 * offset and interpolation; their counts, which are doubles, are rounded. Bins are written as one
 * row of counts or, if that is shorter, one by one. Exponential buckets are written as a
 * logarithmic mapping with their factor as gamma; a bin includes its lower bound in the library,
 * and its upper bound here.
 *
 * The libraries for Go and Java number a bin by the logarithm of its values rounded down, as is
 * done here, those for Python and JavaScript by the logarithm rounded up: their indexes are one
 * more. No message says which. The latter read nothing but rows of counts, one for each sign.
 */
#include "core/common/datadog.h"
#include "core/common/varint.h"
#include "ddsketch_internal.h"

#include <math.h>

/* ---- reading ---- */

typedef struct Bins {
    StateWriter writer;
    int rounded_up; /* by which an index is more than here, 0 or 1 */
    SketchError *error;
} Bins;

static bool
add_bin(void *context, bool negative, double index, uint64_t count)
{
    Bins *bins = context;
    DdPages *pages;

    index -= bins->rounded_up;
    if (index < INT32_MIN || index > INT32_MAX)
        return sketch_refuse(bins->error, SKETCH_MALFORMED, "The index of a bin is out of range");
    if (!dd_make_pages(&bins->writer, count, bins->error) ||
        !dd_add_count(&bins->writer, negative, (int32_t)index, count, bins->error))
        return false;
    pages = state_at(bins->writer.state.data);
    pages->total += count;
    return true;
}

static bool
read_message(SketchBytes message, int rounded_up, const SketchMemory *memory, SketchBytes *value,
             SketchError *error)
{
    Bins bins = {{{NULL, 0}, NULL, memory, 0}, rounded_up, error};
    DatadogMapping mapping;
    DdsketchGrid grid;
    uint64_t zeros;
    DdPages *pages;
    bool good;

    if (!datadog_read(message, &mapping, &zeros, error))
        return false;
    grid = (DdsketchGrid){.mapping = DDSKETCH_LOGARITHMIC + (DdsketchMapping)mapping.interpolation,
                          .gamma = mapping.gamma,
                          .offset = mapping.offset + 0.0}; /* -0 becomes 0 */
    bins.writer.state = dd_new_pages(&grid, zeros > UINT32_MAX, 0, memory);
    pages = state_at(bins.writer.state.data);
    pages->total = pages->zeros = zeros;
    good = datadog_each_bin(message, add_bin, &bins, memory, error);
    /* Extremes were not set, so they are not known. */
    if (good)
        *value = ddsketch_ops.pack(sketch_bytes(bins.writer.state), memory);
    memory->release_value(bins.writer.state.data, memory->context);
    return good;
}

bool
ddsketch_from_datadog(SketchBytes message, const SketchMemory *memory, SketchBytes *value,
                      SketchError *error)
{
    return read_message(message, 0, memory, value, error);
}

bool
ddsketch_from_datadog_ceiling(SketchBytes message, const SketchMemory *memory, SketchBytes *value,
                              SketchError *error)
{
    return read_message(message, 1, memory, value, error);
}

/* ---- writing ---- */

/* Writes to `at`, or only counts the bytes if that is NULL. */
typedef struct Output {
    uint8_t *at;
    size_t size;
} Output;

static void
put_varint(Output *o, uint64_t number)
{
    if (o->at)
        o->at = write_varint(o->at, number);
    o->size += varint_bytes(number);
}

static void
put_key(Output *o, unsigned field, unsigned wire)
{
    put_varint(o, field << 3 | wire);
}

static void
put_double(Output *o, double number)
{
    if (o->at) {
        store_le_double(o->at, number);
        o->at += sizeof number;
    }
    o->size += sizeof number;
}

/* Writes a field that is a message of its own, after counting its bytes. */
typedef void (*PutMessage)(Output *output, const void *of);

static void
put_message(Output *o, unsigned field, PutMessage put, const void *of)
{
    Output counted = {NULL, 0};

    put(&counted, of);
    put_key(o, field, DATADOG_BYTES);
    put_varint(o, counted.size);
    put(o, of);
}

static void
put_mapping(Output *o, const void *of)
{
    const DdsketchGrid *grid = of;
    bool exponential = grid->mapping == DDSKETCH_EXPONENTIAL;

    put_key(o, 1, DATADOG_FIXED64);
    put_double(o, exponential ? ddsketch_growth(grid->scale) : grid->gamma);
    put_key(o, 2, DATADOG_FIXED64);
    put_double(o, grid->offset);
    if (grid->mapping > DDSKETCH_LOGARITHMIC) {
        put_key(o, 3, DATADOG_VARINT);
        put_varint(o, (uint64_t)(grid->mapping - DDSKETCH_LOGARITHMIC));
    }
}

/* Buckets of one sign; `step`, 1 or -1, is the direction in which their indexes ascend. */
typedef struct Store {
    const DdsketchBucket *first;
    uint32_t count;
    int step;
    bool ceiling; /* for libraries that round indexes up, and read rows only */
} Store;

static int64_t
span_of(const Store *store)
{
    return store->first[(int64_t)store->step * (store->count - 1)].index -
           (int64_t)store->first->index + 1;
}

static void
put_entry(Output *o, const void *of)
{
    const DdsketchBucket *bucket = of;

    put_key(o, 1, DATADOG_VARINT);
    put_varint(o, zigzag(bucket->index));
    put_key(o, 2, DATADOG_FIXED64);
    put_double(o, (double)bucket->count);
}

static void
put_store(Output *o, const void *of)
{
    const Store *store = of;
    const DdsketchBucket *bucket = store->first;
    int64_t span;

    if (store->count == 0)
        return;
    span = span_of(store);
    /* An entry takes 14 bytes or more, a count in a row 8. */
    if (span / 2 > store->count && !store->ceiling) {
        for (uint32_t i = 0; i < store->count; i++, bucket += store->step)
            put_message(o, 1, put_entry, bucket);
        return;
    }
    put_key(o, 2, DATADOG_BYTES);
    put_varint(o, (uint64_t)span * sizeof(double));
    for (int64_t at = 0; at < span; at++) {
        bool is_next = bucket->index == store->first->index + at;

        put_double(o, is_next ? (double)bucket->count : 0);
        /* The last bucket ends the span; there is none after it. */
        if (is_next && at + 1 < span)
            bucket += store->step;
    }
    put_key(o, 3, DATADOG_VARINT);
    put_varint(o, zigzag((int64_t)store->first->index + store->ceiling));
}

/* The parts of a sketch, as they are written. */
typedef struct Parts {
    const DdsketchGrid *grid;
    Store positive, negative;
    double zeros;
} Parts;

static Parts
parts_of(const Ddsketch *sketch, bool ceiling)
{
    uint32_t negative = 0, zero, positive;

    while (negative < sketch->count && sketch->buckets[negative].sign < 0)
        negative++;
    zero = negative < sketch->count && sketch->buckets[negative].sign == 0;
    positive = sketch->count - negative - zero;
    return (Parts){&sketch->grid,
                   {sketch->buckets + sketch->count - positive, positive, 1, ceiling},
                   {sketch->buckets + (negative > 0 ? negative - 1 : 0), negative, -1, ceiling},
                   zero > 0 ? (double)sketch->buckets[negative].count : 0};
}

static void
put_parts(Output *o, const Parts *parts)
{
    put_message(o, 1, put_mapping, parts->grid);
    if (parts->positive.count > 0 || parts->positive.ceiling)
        put_message(o, 2, put_store, &parts->positive);
    if (parts->negative.count > 0 || parts->negative.ceiling)
        put_message(o, 3, put_store, &parts->negative);
    if (parts->zeros > 0) {
        put_key(o, 4, DATADOG_FIXED64);
        put_double(o, parts->zeros);
    }
}

static SketchBytes
write_message(const Parts *parts, const SketchMemory *memory)
{
    Output counted = {NULL, 0}, written;
    uint8_t *data;

    put_parts(&counted, parts);
    data = memory->value(counted.size, memory->context);
    written = (Output){data, 0};
    put_parts(&written, parts);
    return (SketchBytes){data, counted.size};
}

SketchBytes
ddsketch_to_datadog(const Ddsketch *sketch, const SketchMemory *memory)
{
    Parts parts = parts_of(sketch, false);

    return write_message(&parts, memory);
}

/* Those libraries keep 2,048 bins, so this is no limit for what they can use. */
static bool
fits_row(const Store *store, SketchError *error)
{
    if (store->count == 0)
        return true;
    if (span_of(store) > DDSKETCH_ROW_MAX)
        return sketch_refuse(error, SKETCH_LIMIT,
                             "From the first bucket to the last there are more than 1,000,000");
    if ((int64_t)store->first->index + span_of(store) > INT32_MAX)
        return sketch_refuse(error, SKETCH_LIMIT, "The index of a bucket is out of range");
    return true;
}

bool
ddsketch_to_datadog_ceiling(const Ddsketch *sketch, const SketchMemory *memory,
                            SketchBytes *message, SketchError *error)
{
    Parts parts = parts_of(sketch, true);

    if (!fits_row(&parts.positive, error) || !fits_row(&parts.negative, error))
        return false;
    *message = write_message(&parts, memory);
    return true;
}
