/*
 * test_ddsketch_import.c - exponential histograms and sketches of the DDSketch library, in and out.
 */
#include "../counted_buckets.h"
#include "../foreign_digest.h"

#include "core/common/bytes.h"

#define MOST 200

/* ---- exponential histograms ---- */

/* Random counts come back as buckets, at every scale and sign. */
static void
test_exponential(void)
{
    Random random = {1};

    for (unsigned round = 0; round < trials_of(2000); round++) {
        int scale = (int)random_below(&random, 31) - 10;
        int64_t low = ddsketch_index_min(scale), high = ddsketch_index_max(scale);
        int64_t counts[2][MOST], total = 0;
        uint32_t found = 0;
        HistogramCounts side[2];
        int64_t zeros = (int64_t)random_below(&random, 3);
        SketchBytes packed;
        SketchError error = {.reason = ""};
        Ddsketch sketch;

        for (unsigned s = 0; s < 2; s++) {
            side[s].count = (uint32_t)random_below(&random, MOST);
            if (side[s].count > high - low + 1)
                side[s].count = (uint32_t)(high - low + 1);
            side[s].offset =
                (int32_t)(low + (int64_t)random_below(&random,
                                                      (uint64_t)(high - low + 2 - side[s].count)));
            side[s].counts = counts[s];
            for (uint32_t i = 0; i < side[s].count; i++)
                total += counts[s][i] =
                    (int64_t)(random_below(&random, 2) *
                              (random_next(&random) >> (8 + random_below(&random, 55))));
        }
        if (!ddsketch_from_exponential_histogram(
                &(ExponentialHistogram){scale, zeros, side[1], side[0], -INFINITY, INFINITY},
                &memory, &packed, &error)) {
            expect(false, "scale %d: %s", scale, error.reason);
            continue;
        }
        expect(sketch_canonical(packed), "not canonical");
        sketch = sketch_read(packed);
        expect(sketch.total == (uint64_t)(total + zeros) && sketch.grid.scale == scale, "total");
        for (uint32_t i = 0; i < sketch.count; i++) {
            const DdsketchBucket *b = &sketch.buckets[i];
            int64_t count = zeros;

            if (b->sign != 0) {
                const HistogramCounts *of = &side[b->sign > 0];

                count = b->index < of->offset || b->index - (int64_t)of->offset >= of->count
                            ? 0
                            : of->counts[b->index - (int64_t)of->offset];
            }
            expect(b->count == (uint64_t)count, "scale %d, bucket %d", scale, b->index);
            found++;
        }
        for (unsigned s = 0; s < 2; s++)
            for (uint32_t i = 0; i < side[s].count; i++)
                found -= counts[s][i] > 0;
        expect(found == (zeros > 0), "buckets are missing");
        ddsketch_close(&sketch, &memory);
        release_bytes(packed);
    }
    conclude("exponential histograms are read bucket by bucket");
}

static void
refused(int scale, int64_t zeros, HistogramCounts positive, SketchStatus status, const char *name)
{
    SketchBytes packed;
    SketchError error = {.status = SKETCH_OK};

    if (ddsketch_from_exponential_histogram(
            &(ExponentialHistogram){scale, zeros, positive, {0, 0, NULL}, -INFINITY, INFINITY},
            &memory, &packed, &error)) {
        release_bytes(packed);
        ok(false, name);
    } else
        ok(error.status == status && error.reason, name);
}

static void
test_refused(void)
{
    static const int64_t one[] = {1}, less[] = {-1}, most[] = {INT64_MAX}, none[] = {0};
    SketchBytes packed;
    SketchError error;

    refused(21, 0, (HistogramCounts){0, 1, one}, SKETCH_OUT_OF_RANGE, "scale 21");
    refused(-11, 0, (HistogramCounts){0, 1, one}, SKETCH_OUT_OF_RANGE, "scale -11");
    refused(0, -1, (HistogramCounts){0, 1, one}, SKETCH_OUT_OF_RANGE, "a negative count of zeros");
    refused(0, 0, (HistogramCounts){0, 1, less}, SKETCH_OUT_OF_RANGE, "a negative count");
    refused(0, 1, (HistogramCounts){0, 1, most}, SKETCH_OVERFLOW, "more than 2^63-1 in all");
    refused(0, 0, (HistogramCounts){1024, 1, one}, SKETCH_OUT_OF_RANGE, "a bucket from 2^1024 on");
    refused(20, 0, (HistogramCounts){INT32_MAX, 1, one}, SKETCH_OUT_OF_RANGE, "the last index");
    ok(ddsketch_from_exponential_histogram(
           &(ExponentialHistogram){
               20, 0, {INT32_MAX, 1, none}, {INT32_MIN, 1, none}, -INFINITY, INFINITY},
           &memory, &packed, &error),
       "without a value it may be anywhere");
    release_bytes(packed);
}

/* ---- Datadog ---- */

static bool
read_datadog(Foreign f, SketchBytes *packed, SketchError *error)
{
    Bytes exact = bytes_copy(f.data, f.size);
    bool read =
        ddsketch_from_datadog((SketchBytes){exact.data, exact.size}, &memory, packed, error);

    free(exact.data);
    return read;
}

/* A message, read and written and read again, and merged with itself and taken off again. */
static void
test_datadog(void)
{
    static uint8_t buffer[1 << 16], nested[1 << 16];
    Random random = {2};

    for (unsigned round = 0; round < trials_of(1000); round++) {
        double counts[MOST], gamma = round % 3 ? 1.02 : 1 + random_unit(&random);
        uint32_t count = (uint32_t)random_below(&random, MOST), filled = 0;
        int32_t first = (int32_t)random_below(&random, 4000) - 2000;
        unsigned interpolation = (unsigned)random_below(&random, 4);
        Foreign f = {buffer, 0};
        SketchBytes packed, written, again, both;
        SketchError error = {.reason = ""};
        SketchState state;
        Ddsketch sketch;

        for (uint32_t i = 0; i < count; i++) {
            counts[i] = random_below(&random, 3) ? (double)random_below(&random, 1000) : 0;
            filled += counts[i] > 0;
        }
        foreign_ddsketch(&f, gamma, interpolation, first, counts, count, round % 2, 3, nested);
        if (!read_datadog(f, &packed, &error)) {
            expect(false, "not read: %s", error.reason);
            continue;
        }
        sketch = sketch_read(packed);
        expect(sketch_canonical(packed), "not canonical");
        expect(sketch.grid.mapping == DDSKETCH_LOGARITHMIC + interpolation &&
                   sketch.grid.gamma == gamma && sketch.grid.offset == 0.25,
               "mapping");
        expect(sketch.count == 2 * filled + 1 && sketch.buckets[filled].count == 3, "buckets");
        for (uint32_t i = 0, at = filled + 1; i < count; i++)
            if (counts[i] > 0) {
                expect(sketch.buckets[at].index == first + (int32_t)i &&
                           (double)sketch.buckets[at].count == counts[i] &&
                           sketch.buckets[2 * filled - at].index == sketch.buckets[at].index,
                       "bin %u", i);
                at++;
            }
        written = ddsketch_to_datadog(&sketch, &memory);
        expect(ddsketch_from_datadog(written, &memory, &again, &error) &&
                   same_sketch(again, packed),
               "written and read it is another one");
        release_bytes(again);
        release_bytes(written);
        expect(ddsketch_to_datadog_ceiling(&sketch, &memory, &written, &error) &&
                   ddsketch_from_datadog_ceiling(written, &memory, &again, &error) &&
                   same_sketch(again, packed),
               "written and read with indexes rounded up it is another one");
        state = ddsketch_ops.open(packed, &memory);
        sketch_union(&state, again);
        both = sketch_packed(state);
        expect(sketch_minus(&state, packed, &error), "not subtracted");
        release_bytes(again);
        again = sketch_packed(state);
        expect(same_sketch(again, packed) && (both.size >= packed.size), "less itself");
        release_bytes(both);
        release_bytes(again);
        release_bytes(written);
        release_bytes(packed);
        release_state(state);
        ddsketch_close(&sketch, &memory);
    }
    conclude("messages of DDSketch are read, written, merged and subtracted");
}

/* What is written of exponential buckets has the same bounds. */
static void
test_exported(void)
{
    Random random = {3};
    SketchState state = sketch_new(6);
    SketchBytes packed, written, read;
    Ddsketch sketch, other;
    SketchError error;

    for (unsigned i = 0; i < 500; i++)
        sketch_add(&state, hard_value(&random, i % 2 ? 0 : 9), 1);
    packed = sketch_finish(state);
    sketch = sketch_read(packed);
    written = ddsketch_to_datadog(&sketch, &memory);
    expect(ddsketch_from_datadog(written, &memory, &read, &error), "not read");
    other = sketch_read(read);
    expect(other.count == sketch.count && other.grid.mapping == DDSKETCH_LOGARITHMIC, "buckets");
    for (uint32_t i = 0; i < other.count; i++)
        expect(fabs(ddsketch_bucket_middle(&other, i) - ddsketch_bucket_middle(&sketch, i)) <=
                   1e-12 * fabs(ddsketch_bucket_middle(&sketch, i)),
               "bucket %u", i);
    conclude("exponential buckets are written with their bounds");
    ddsketch_close(&sketch, &memory);
    ddsketch_close(&other, &memory);
    release_bytes(packed);
    release_bytes(written);
    release_bytes(read);
}

/* Of one value, or of one zero, only the bucket is known. */
static void
test_one_value(void)
{
    for (int sign = -1; sign <= 1; sign++) {
        SketchState state = sketch_new(6);
        SketchBytes packed, written, read;
        Ddsketch sketch, other;
        SketchError error;

        sketch_add(&state, sign * 5.0, 1);
        packed = sketch_finish(state);
        sketch = sketch_read(packed);
        written = ddsketch_to_datadog(&sketch, &memory);
        expect(ddsketch_from_datadog(written, &memory, &read, &error) && sketch_canonical(read),
               "sign %d: not read", sign);
        other = sketch_read(read);
        expect(other.total == 1 && isinf(other.extremes.min) && other.extremes.min < 0 &&
                   isinf(other.extremes.max) && other.extremes.max > 0,
               "sign %d: %g to %g", sign, other.extremes.min, other.extremes.max);
        expect(fabs(ddsketch_percentile(&other, 0.5) - sign * 5.0) <= 0.0055 * 5, "sign %d: %g",
               sign, ddsketch_percentile(&other, 0.5));
        ddsketch_close(&sketch, &memory);
        ddsketch_close(&other, &memory);
        release_bytes(packed);
        release_bytes(written);
        release_bytes(read);
    }
    conclude("a message of one value");
}

/* A store of counts in a row has one for each bucket of its span, and no more. */
static void
test_written_span(void)
{
    static uint8_t buffer[4096], nested[4096];
    static const double counts[] = {1, 2, 3};
    SketchBytes packed, written;
    Foreign f = {buffer, 0};
    SketchError error;
    Ddsketch sketch;
    bool found = false;

    foreign_ddsketch(&f, 1.02, 0, 7, counts, 3, false, 0, nested);
    ok(read_datadog(f, &packed, &error), "a message of three buckets");
    sketch = sketch_read(packed);
    written = ddsketch_to_datadog(&sketch, &memory);
    /* Field 2 of a store, of three doubles. */
    for (size_t i = 0; i + 26 <= written.size; i++)
        found = found || (written.data[i] == 0x12 && written.data[i + 1] == 24 &&
                          load_le_double(written.data + i + 2) == 1 &&
                          load_le_double(written.data + i + 10) == 2 &&
                          load_le_double(written.data + i + 18) == 3);
    ok(found, "... is written with three counts");
    release_bytes(written);
    ok(ddsketch_to_datadog_ceiling(&sketch, &memory, &written, &error), "... and rounded up");
    /*
     * Field 3 of the last store, that of negative values: its first index is 8, as a zigzag varint.
     */
    ok(written.size > 2 && written.data[written.size - 2] == 0x18 &&
           written.data[written.size - 1] == 16,
       "... with the next index");
    ddsketch_close(&sketch, &memory);
    release_bytes(packed);
    release_bytes(written);
}

static void
test_bad_messages(void)
{
    static uint8_t buffer[4096], nested[4096];
    static const double one[] = {1}, less[] = {-1}, nan[] = {NAN}, huge[] = {0x1p63};
    static const struct {
        double gamma;
        unsigned interpolation;
        const double *counts;
        double zeros;
        const char *name;
    } bad[] = {{1, 0, one, 0, "gamma 1"},
               {NAN, 0, one, 0, "gamma is not a number"},
               {1.5, 4, one, 0, "interpolation 4"},
               {1.5, 0, less, 0, "a negative count"},
               {1.5, 0, nan, 0, "a count that is not a number"},
               {1.5, 0, huge, 0, "a count of 2^63"},
               {1.5, 0, one, -1, "negative zeros"}};

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        Foreign f = {buffer, 0};
        SketchBytes packed;
        SketchError error = {.status = SKETCH_OK};

        foreign_ddsketch(&f, bad[i].gamma, bad[i].interpolation, 0, bad[i].counts, 1, false,
                         bad[i].zeros, nested);
        ok(!read_datadog(f, &packed, &error) && error.status == SKETCH_MALFORMED, bad[i].name);
    }
}

int
main(void)
{
    test_exponential();
    test_refused();
    test_datadog();
    test_exported();
    test_one_value();
    test_written_span();
    test_bad_messages();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
