/*
 * test_ddsketch.c - every answer beside the values themselves.
 *
 * `test_ddsketch N` compares N percentiles instead of 300,000, as was done once with 10^7.
 */
#include "../counted_buckets.h"

#define MOST 3000

/* A sketch of the values, built in one of several ways, packed. */
static SketchBytes
built(Random *random, const double *values, size_t count, int scale)
{
    SketchBytes other, twice;
    SketchState state;
    SketchError error;
    size_t half = random_below(random, count + 1);

    switch (random_below(random, 6)) {
    case 0: /* one after the other */
        return sketch_finish(sketch_of(values, count, scale));
    case 1: /* merged, from a packed sketch */
        state = sketch_of(values, half, scale);
        other = sketch_finish(sketch_of(values + half, count - half, scale));
        sketch_union(&state, other);
        release_bytes(other);
        return sketch_finish(state);
    case 2: { /* merged, from a working one into an opened one */
        SketchState second = sketch_of(values + half, count - half, scale);

        other = sketch_finish(sketch_of(values, half, scale));
        state = ddsketch_ops.open(other, &memory);
        sketch_union(&state, sketch_bytes(second));
        release_bytes(other);
        release_state(second);
        return sketch_finish(state);
    }
    case 3: /* from finer buckets, folded */ {
        uint8_t *before;

        state = sketch_of(values, count, scale < 18 ? scale + 3 : scale);
        before = state.data;
        ddsketch_fold(&state, scale, &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
        return sketch_finish(state);
    }
    case 4: /* all of it twice, less all of it, less nothing */
        other = sketch_finish(sketch_of(values, count, scale));
        state = ddsketch_ops.open(other, &memory);
        sketch_union(&state, other);
        twice = sketch_packed(state);
        expect(sketch_minus(&state, other, &error), "not subtracted: %s", error.reason);
        expect(!sketch_minus(&state, twice, &error) || count == 0, "twice is subtracted from once");
        release_bytes(twice);
        /* Once it is subtracted, the extremes are not known. */
        twice = sketch_finish(state);
        expect(same_counts(twice, other), "twice less once");
        release_bytes(twice);
        return other;
    default: /* backwards */
        state = sketch_new(scale);
        for (size_t i = count; i-- > 0;)
            sketch_add(&state, values[i], 1);
        return sketch_finish(state);
    }
}

static unsigned
fill(Random *random, double *values, size_t count)
{
    unsigned kind = (unsigned)random_below(random, 12);

    for (size_t i = 0; i < count; i++)
        values[i] = hard_value(random, kind < 10 ? kind : (unsigned)random_below(random, 10)) + 0.0;
    return kind;
}

static void
test_percentiles(uint64_t answers)
{
    static double values[MOST], sorted[MOST];
    Random random = {3};

    while (answers > 0) {
        size_t count = 1 + random_below(&random, random_below(&random, 8) ? 200 : MOST);
        int scale = (int)random_below(&random, 4) ? 6 : (int)random_below(&random, 31) - 10;
        unsigned kind = fill(&random, values, count);
        SketchBytes packed = built(&random, values, count, scale);
        DdsketchGrid grid = grid_of(scale);
        double a = ddsketch_relative_error(&grid);
        Ddsketch sketch = sketch_read(packed);

        memcpy(sorted, values, sizeof sorted);
        sort_doubles(sorted, count);
        expect(sketch.total == count && sketch.grid.scale == scale, "total");
        for (unsigned i = 0; i < 200 && answers > 0; i++, answers--) {
            double q = i == 0 ? 0 : i == 1 ? 1 : random_unit(&random);
            double value = sorted[oracle_row(count, q)];
            double answer = ddsketch_percentile(&sketch, q);

            expect(is_within(answer, value, a), "kind %u, %zu values, scale %d, q %.17g: %a, %a",
                   kind, count, scale, q, answer, value);
        }
        if (answers % 16 == 0)
            expect(sketch_canonical(packed), "not canonical");
        ddsketch_close(&sketch, &memory);
        release_bytes(packed);
    }
    conclude("percentiles are those of percentile_disc within the error, however it was built");
}

/* Any way of building it gives the same bytes. */
static void
test_same_bytes(void)
{
    static double values[MOST];
    Random random = {4};

    for (unsigned round = 0; round < trials_of(300); round++) {
        size_t count = random_below(&random, random_below(&random, 8) ? 200 : MOST);
        int scale = (int)random_below(&random, 21) - 2;
        unsigned kind = fill(&random, values, count);
        SketchBytes first = sketch_finish(sketch_of(values, count, scale));

        for (unsigned i = 0; i < 5; i++) {
            SketchBytes again;

            for (size_t j = count; j > 1; j--) {
                size_t other = random_below(&random, j);
                double value = values[other];

                values[other] = values[j - 1];
                values[j - 1] = value;
            }
            again = built(&random, values, count, scale);
            expect(same_sketch(first, again), "kind %u, %zu values, scale %d", kind, count, scale);
            release_bytes(again);
        }
        release_bytes(first);
    }
    conclude("the same values have the same bytes, in any order and however it was built");
}

static void
test_ranks(void)
{
    static double values[MOST];
    Random random = {5};

    for (unsigned round = 0; round < trials_of(200); round++) {
        size_t count = 1 + random_below(&random, 400);
        SketchBytes packed;
        Ddsketch sketch;
        uint64_t before = 0;

        fill(&random, values, count);
        packed = sketch_finish(sketch_of(values, count, 6));
        sort_doubles(values, count);
        sketch = sketch_read(packed);
        for (uint32_t i = 0; i < sketch.count; i++) {
            double low = ddsketch_bucket_low(&sketch, i), high = ddsketch_bucket_high(&sketch, i);
            size_t below = 0, within = 0;

            for (size_t j = 0; j < count; j++) {
                below += sketch.buckets[i].sign < 0 ? values[j] < low : values[j] <= low;
                within += sketch.buckets[i].sign < 0 ? values[j] < high : values[j] <= high;
            }
            if (sketch.buckets[i].sign == 0)
                continue;
            expect(within - below == sketch.buckets[i].count, "bucket %u has %llu, not %zu", i,
                   (unsigned long long)sketch.buckets[i].count, within - below);
            expect(ddsketch_rank(&sketch, low) == below &&
                       (ddsketch_rank(&sketch, high) == within || high == 0),
                   "rank of %a or %a", low, high);
            expect(ddsketch_rank(&sketch, low) >= before, "ranks descend");
            before = ddsketch_rank(&sketch, low / 2 + high / 2);
            expect(before >= below && (before <= within || high == 0), "rank within bucket %u", i);
        }
        expect(ddsketch_rank(&sketch, INFINITY) == count && ddsketch_rank(&sketch, -INFINITY) == 0,
               "ranks beyond the ends");
        ddsketch_close(&sketch, &memory);
        release_bytes(packed);
    }
    conclude("buckets have the values between their bounds, and ranks are exact there");
}

static void
test_moments(void)
{
    static double values[MOST];
    Random random = {6};

    for (unsigned round = 0; round < trials_of(300); round++) {
        size_t count = 1 + random_below(&random, 500);
        long double sum = 0, magnitudes = 0, squares = 0, deviation, error;
        unsigned kind = fill(&random, values, count);
        SketchBytes packed = sketch_finish(sketch_of(values, count, 6));
        Ddsketch sketch = sketch_read(packed);
        DdsketchGrid grid = grid_of(6);
        double a = ddsketch_relative_error(&grid) + 1e-12;

        for (size_t i = 0; i < count; i++) {
            sum += values[i];
            magnitudes += fabsl(values[i]);
            squares += (long double)values[i] * values[i];
        }
        deviation = count > 1 ? sqrtl(fmaxl(0, squares - sum * sum / (long double)count) /
                                      (long double)(count - 1))
                              : 0;
        if (magnitudes < DBL_MAX / 2) {
            expect(fabsl(ddsketch_sum(&sketch) - sum) <= a * magnitudes + 1e-305L, "kind %u: sum",
                   kind);
            expect(fabsl(ddsketch_mean(&sketch) - sum / (long double)count) <=
                       (a * magnitudes + 1e-305L) / (long double)count,
                   "kind %u: mean", kind);
            /* As a vector of deviations changes by at most that of the values. */
            error =
                a * sqrtl(squares / (long double)(count > 1 ? count - 1 : 1)) * 1.0001L + 1e-305L;
            if (count > 1)
                expect(fabsl(ddsketch_deviation(&sketch) - deviation) <=
                           error + 1e-9L * sqrtl(squares),
                       "kind %u: deviation %g, not %Lg", kind, ddsketch_deviation(&sketch),
                       deviation);
            else
                expect(isnan(ddsketch_deviation(&sketch)), "a deviation of one");
        }
        expect(ddsketch_mean(&sketch) >= ddsketch_at(&sketch, 1) &&
                   ddsketch_mean(&sketch) <= ddsketch_at(&sketch, count),
               "the mean of extremes");
        ddsketch_close(&sketch, &memory);
        release_bytes(packed);
    }
    conclude("sum, mean and deviation are within the error");
}

/* The sizes that doc/formats.md and the essay state. */
static void
test_sizes(void)
{
    static const size_t counts[] = {10, 1000, 1000000}, most[] = {60, 260, 800};
    Random random = {7};

    for (unsigned i = 0; i < 3; i++) {
        SketchState state = sketch_new(6);
        SketchBytes packed;

        for (size_t j = 0; j < counts[i]; j++)
            sketch_add(&state, hard_value(&random, 0), 1);
        packed = sketch_finish(state);
        expect(packed.size <= most[i], "%zu values take %zu bytes", counts[i], packed.size);
        printf("# %zu lognormal values: %zu bytes\n", counts[i], packed.size);
        release_bytes(packed);
    }
    conclude("10, 1,000 and 1,000,000 lognormal values take 60, 260 and 800 bytes at most");
}

int
main(int count, char **arguments)
{
    test_percentiles(count > 1 ? strtoull(arguments[1], NULL, 10) : 300000);
    test_same_bytes();
    test_ranks();
    test_moments();
    test_sizes();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
