/*
 * fuzz_ddsketch.c - every query of a ddsketch, what union and subtraction make of two, and messages
 * of the DDSketch library.
 */
#include "fuzz.h"

#include <float.h>
#include <math.h>

#include "core/ddsketch/ddsketch.h"

#include "../unit/foreign_digest.h"

static Ddsketch
read_sketch(SketchBytes value)
{
    Ddsketch sketch;

    fuzz_check(ddsketch_read(&sketch, value, &memory), "validated, but cannot be read");
    return sketch;
}

static bool
same_value(SketchBytes a, SketchBytes b)
{
    return a.data && b.data && same_bytes(a.data, a.size, b.data, b.size);
}

/* Buckets ascend, all are counted, nothing descends or leaves the ends. */
static void
check_answers(const Ddsketch *sketch)
{
    double value = -INFINITY, low, high, mean;
    uint64_t total = 0, rank = 0;

    for (uint32_t i = 0; i < sketch->count; i++) {
        double lower = ddsketch_bucket_low(sketch, i), upper = ddsketch_bucket_high(sketch, i);
        double middle = ddsketch_bucket_middle(sketch, i);

        fuzz_check(sketch->buckets[i].count > 0, "an empty bucket");
        fuzz_check(lower <= upper && lower <= middle && middle <= upper && lower >= value,
                   "a bucket's bounds");
        value = lower;
        total += sketch->buckets[i].count;
        /* Looking for a rank passes all buckets: few of very many are enough. */
        if (i % (sketch->count / 64 + 1) == 0) {
            fuzz_check(ddsketch_rank(sketch, middle) >= rank, "ranks descend");
            rank = ddsketch_rank(sketch, middle);
        }
    }
    fuzz_check(total == sketch->total, "the total");
    if (total == 0)
        return;
    low = ddsketch_at(sketch, 1);
    high = ddsketch_at(sketch, total);
    value = low;
    for (unsigned i = 0; i <= 16; i++) {
        double next = ddsketch_percentile(sketch, i / 16.0);

        fuzz_check(next >= value && next <= high, "a percentile");
        value = next;
    }
    mean = ddsketch_mean(sketch);
    fuzz_check(mean >= low && mean <= high, "a mean");
    fuzz_check(!(ddsketch_deviation(sketch) < 0), "a deviation");
    ddsketch_sum(sketch);
    fuzz_check(ddsketch_rank(sketch, -INFINITY) == 0 && ddsketch_rank(sketch, INFINITY) == total,
               "ranks beyond the ends");
}

/* Beside that of zeros. Without any, its scale does not count. */
static bool
has_buckets(const Ddsketch *sketch)
{
    return sketch->count > 1 || (sketch->count == 1 && sketch->buckets[0].sign != 0);
}

/* The same buckets and counts: a subtraction may leave other extremes. */
static bool
same_counts(SketchBytes a, SketchBytes b)
{
    Ddsketch x = read_sketch(a), y = read_sketch(b);
    bool same = x.total == y.total && x.count == y.count &&
                (!has_buckets(&x) || x.grid.scale == y.grid.scale) &&
                memcmp(x.buckets, y.buckets, x.count * sizeof *x.buckets) == 0;

    ddsketch_close(&x, &memory);
    ddsketch_close(&y, &memory);
    return same;
}

/* Adds a value of some weight and subtracts it again, which leaves what was there. */
static void
check_added(SketchBytes packed, uint64_t total)
{
    static const double values[] = {0, 1.5, -1e-310, -DBL_MAX};
    double value = values[mix64(packed.size) % 4];
    uint64_t weight = mix64(total) >> (1 + mix64(packed.size) % 63) | 1;
    SketchState state = ddsketch_ops.open(packed, &memory), one;
    uint8_t *before = state.data;
    SketchError error = {.status = SKETCH_OK};
    uint64_t before_total;
    DdsketchGrid grid;
    SketchBytes after;

    if (ddsketch_insert(&state, value, weight, &memory, &error)) {
        if (state.data != before)
            memory_release_value(before, NULL);
        ddsketch_grid(packed, &grid, &before_total);
        one = ddsketch_new(&grid, &memory);
        before = one.data;
        fuzz_check(ddsketch_insert(&one, value, weight, &memory, &error), "it is not added alone");
        if (one.data != before)
            memory_release_value(before, NULL);
        before = state.data;
        fuzz_check(ddsketch_subtract(&state, sketch_bytes(one), &memory, &error),
                   "what was added is not there");
        if (state.data != before)
            memory_release_value(before, NULL);
        release_state(one);
    } else
        fuzz_check_refusal(error);
    after = ddsketch_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(same_counts(after, packed), "adding and subtracting changes it");
    release_bytes(after);
    release_state(state);
}

static bool
insert_into(SketchState *state, double value)
{
    uint8_t *before = state->data;
    SketchError error;
    bool inserted = ddsketch_insert(state, value, 1, &memory, &error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return inserted;
}

/*
 * Folded, in one step or by merging into coarser buckets, it has the same bytes. A value is added
 * to both, because the buckets of an empty sketch do not count.
 */
static void
check_folded(SketchBytes packed, const DdsketchGrid *grid)
{
    DdsketchGrid coarser = *grid;
    SketchState state, merged;
    SketchBytes a, b;
    SketchError error;
    uint8_t *before;

    if (grid->mapping != DDSKETCH_EXPONENTIAL || grid->scale == DDSKETCH_SCALE_MIN)
        return;
    coarser.scale -= 1 + (int)(packed.size % 3);
    if (coarser.scale < DDSKETCH_SCALE_MIN)
        coarser.scale = DDSKETCH_SCALE_MIN;
    state = ddsketch_ops.open(packed, &memory);
    before = state.data;
    ddsketch_fold(&state, coarser.scale, &memory);
    if (state.data != before)
        memory_release_value(before, NULL);
    merged = ddsketch_new(&coarser, &memory);
    if (!insert_into(&state, 1) || !insert_into(&merged, 1)) {
        release_state(state);
        release_state(merged);
        return;
    }
    fuzz_check(merge_into(&ddsketch_ops, &merged, packed, &error), "not merged into coarser");
    a = ddsketch_ops.pack(sketch_bytes(state), &memory);
    b = ddsketch_ops.pack(sketch_bytes(merged), &memory);
    fuzz_check(same_value(a, b), "folded and merged it differs");
    release_bytes(a);
    release_bytes(b);
    release_state(state);
    release_state(merged);
}

static void
fuzz_ddsketch_ask(SketchBytes packed, SketchBytes working)
{
    Ddsketch sketch = read_sketch(packed), other = read_sketch(working);
    DdsketchGrid grid;
    uint64_t total;

    fuzz_check(sketch.count == other.count && sketch.total == other.total, "the working value");
    for (uint32_t i = 0; i < sketch.count; i++)
        fuzz_check(sketch.buckets[i].index == other.buckets[i].index &&
                       sketch.buckets[i].sign == other.buckets[i].sign &&
                       sketch.buckets[i].count == other.buckets[i].count,
                   "a working bucket");
    fuzz_check(ddsketch_grid(packed, &grid, &total) && total == sketch.total, "the grid");
    check_answers(&sketch);
    check_added(packed, total);
    check_folded(packed, &grid);
    ddsketch_close(&sketch, &memory);
    ddsketch_close(&other, &memory);
}

/* (a | b) - b has the counts of a, in the coarser buckets of the two, if b has any. */
static void
fuzz_ddsketch_ask_two(SketchBytes a, SketchBytes b)
{
    SketchState state = ddsketch_ops.open(a, &memory), less, folded;
    SketchBytes expected, found;
    uint8_t *before;
    SketchError error;
    Ddsketch other = read_sketch(b);

    fuzz_check(merge_into(&ddsketch_ops, &state, b, &error), "merged only once");
    before = state.data;
    fuzz_check(ddsketch_subtract(&state, b, &memory, &error), "a part is not subtracted");
    if (state.data != before)
        memory_release_value(before, NULL);
    folded = ddsketch_ops.open(a, &memory);
    before = folded.data;
    if (has_buckets(&other))
        ddsketch_fold(&folded, other.grid.scale, &memory);
    if (folded.data != before)
        memory_release_value(before, NULL);
    expected = ddsketch_ops.pack(sketch_bytes(folded), &memory);
    found = ddsketch_ops.pack(sketch_bytes(state), &memory);
    fuzz_check(same_counts(expected, found), "(a | b) - b is not a");

    less = ddsketch_ops.open(a, &memory);
    before = less.data;
    if (!ddsketch_subtract(&less, b, &memory, &error)) {
        SketchBytes unchanged = ddsketch_ops.pack(sketch_bytes(less), &memory);

        fuzz_check_refusal(error);
        fuzz_check(less.data == before && same_value(unchanged, a),
                   "a refused subtraction changed something");
        release_bytes(unchanged);
    } else if (less.data != before)
        memory_release_value(before, NULL);
    release_bytes(expected);
    release_bytes(found);
    release_state(state);
    release_state(folded);
    release_state(less);
    ddsketch_close(&other, &memory);
}

/* ---- good inputs ---- */

static double
random_value(Random *random)
{
    switch (random_below(random, 6)) {
    case 0:
        return (double)random_below(random, 7) - 3;
    case 1:
        return ldexp(random_unit(random) - 0.5, (int)random_below(random, 2090) - 1070);
    case 2:
        return DBL_MAX * (random_below(random, 2) ? 1 : -1);
    default:
        return 1 + random_unit(random) * 3;
    }
}

static size_t
fuzz_ddsketch_seed(Random *random, uint8_t *buffer)
{
    DdsketchGrid grid = {.mapping = DDSKETCH_EXPONENTIAL,
                         .scale = random_below(random, 2) ? 6 : (int)random_below(random, 31) - 10};
    uint64_t values = random_below(random, random_below(random, 16) ? 40 : 3000);
    SketchState state = ddsketch_new(&grid, &memory);
    SketchBytes packed;
    SketchError error;
    size_t size;

    for (uint64_t i = 0; i < values; i++) {
        uint8_t *before = state.data;
        uint64_t weight = random_below(random, 4)
                              ? 1
                              : 1 + (random_next(random) >> (1 + random_below(random, 63)));

        ddsketch_insert(&state, random_value(random), weight, &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    packed = ddsketch_ops.pack(sketch_bytes(state), &memory);
    size = packed.size;
    memcpy(buffer, packed.data, size);
    release_bytes(packed);
    release_state(state);
    return size;
}

static const FuzzMode ddsketch = {.number = 55,
                                  .name = "ddsketch",
                                  .ops = &ddsketch_ops,
                                  .ask = fuzz_ddsketch_ask,
                                  .ask_two = fuzz_ddsketch_ask_two,
                                  .seed = fuzz_ddsketch_seed};

FUZZ_MODE(ddsketch)

/* ---- messages of the DDSketch library ---- */

static void
fuzz_datadog_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value, written, again;
    Ddsketch sketch;

    memory_used.largest = 0;
    if (!ddsketch_from_datadog(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        fuzz_check(memory_used.largest <= 32 * input.size + 4096,
                   "more memory than the input is worth");
        return;
    }
    fuzz_value(&ddsketch, value);
    sketch = read_sketch(value);
    if (ddsketch_to_datadog_ceiling(&sketch, &memory, &written, &error)) {
        if (ddsketch_from_datadog_ceiling(written, &memory, &again, &error))
            release_bytes(again);
        release_bytes(written);
    }
    written = ddsketch_to_datadog(&sketch, &memory);
    ddsketch_close(&sketch, &memory);
    /* Counts are doubles there, and may round to more than 2^63-1 in all. */
    if (ddsketch_from_datadog(written, &memory, &again, &error))
        release_bytes(again);
    else
        fuzz_check(error.status == SKETCH_OVERFLOW || error.status == SKETCH_MALFORMED,
                   "written, but not read");
    release_bytes(written);
    release_bytes(value);
}

static size_t
fuzz_datadog_seed(Random *random, uint8_t *buffer)
{
    static uint8_t room[1 << 16];
    double counts[64];
    uint32_t count = (uint32_t)random_below(random, 64);
    Foreign f = {buffer, 0};

    for (uint32_t i = 0; i < count; i++)
        counts[i] = (double)random_below(random, 5) * (random_below(random, 9) ? 1 : 1e15);
    foreign_ddsketch(&f, random_below(random, 2) ? 1.02 : 1.7, (unsigned)random_below(random, 4),
                     (int32_t)random_below(random, 2000) - 1000, counts, count,
                     random_below(random, 2) == 0, 3, room);
    return f.size;
}

static const FuzzMode datadog = {.number = 56,
                                 .name = "message of DDSketch",
                                 .read = fuzz_datadog_read,
                                 .seed = fuzz_datadog_seed};

FUZZ_MODE(datadog)
