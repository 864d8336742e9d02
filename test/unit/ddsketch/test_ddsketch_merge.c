/*
 * test_ddsketch_merge.c - union and subtraction: what is added and taken away leaves no trace.
 *
 * `test_ddsketch_merge N` tries N pairs instead of 2,000, as was done once with 10^5.
 */
#include "../counted_buckets.h"
#include "core/ddsketch/ddsketch_internal.h"

#define MOST 300

static SketchBytes
random_sketch(Random *random, int scale)
{
    unsigned kind = (unsigned)random_below(random, 12);
    size_t count = random_below(random, random_below(random, 4) ? 30 : MOST);
    SketchState state = sketch_new(scale);

    for (size_t i = 0; i < count; i++)
        sketch_add(
            &state, hard_value(random, kind < 10 ? kind : (unsigned)random_below(random, 10)),
            random_below(random, 8) ? 1 : random_next(random) >> (10 + random_below(random, 54)));
    return sketch_finish(state);
}

/* Of (a | b) - b: those of a where they are outside of b, else unknown. */
static void
expect_extremes(SketchBytes less, SketchBytes a, SketchBytes b)
{
    Ddsketch l = sketch_read(less), x = sketch_read(a), y = sketch_read(b);

    expect(l.extremes.min ==
                   (x.extremes.min < y.extremes.min || l.total == 0 ? x.extremes.min : -INFINITY) &&
               l.extremes.max ==
                   (x.extremes.max > y.extremes.max || l.total == 0 ? x.extremes.max : INFINITY),
           "extremes %g and %g", l.extremes.min, l.extremes.max);
    ddsketch_close(&l, &memory);
    ddsketch_close(&x, &memory);
    ddsketch_close(&y, &memory);
}

/* A union, in the order of the leaves from `first` to `end`, of a random tree. */
static SketchBytes
tree(Random *random, const SketchBytes *leaves, unsigned first, unsigned end)
{
    unsigned middle = first + 1;
    SketchBytes left, right, united;
    SketchState state, other;

    if (end - first == 1) {
        state = ddsketch_ops.open(leaves[first], &memory);
        return sketch_finish(state);
    }
    middle += (unsigned)random_below(random, end - first - 1);
    left = tree(random, leaves, first, middle);
    right = tree(random, leaves, middle, end);
    if (random_below(random, 2)) {
        united = left;
        left = right;
        right = united;
    }
    state = ddsketch_ops.open(left, &memory);
    other = ddsketch_ops.open(right, &memory);
    sketch_union(&state, random_below(random, 2) ? right : sketch_bytes(other));
    release_bytes(left);
    release_bytes(right);
    release_state(other);
    return sketch_finish(state);
}

/*
 * A union does not depend on order and brackets, whatever the scales, whether extremes are known,
 * and however many of the sketches are empty.
 */
static void
test_trees(void)
{
    enum { LEAVES = 7 };
    Random random = {11};

    for (unsigned round = 0; round < trials_of(4000); round++) {
        SketchBytes leaves[LEAVES], one, other;

        for (unsigned i = 0; i < LEAVES; i++) {
            unsigned kind = (unsigned)random_below(&random, 3);
            SketchState state = sketch_new(3 + (int)random_below(&random, 5));

            if (kind > 0)
                for (uint64_t n = 1 + random_below(&random, 4); n > 0; n--)
                    sketch_add(&state, random_below(&random, 5) ? random_unit(&random) - 0.5 : 0,
                               1);
            leaves[i] = sketch_finish(state);
            if (kind == 2) {
                SketchError error;

                state = ddsketch_ops.open(leaves[i], &memory);
                sketch_union(&state, leaves[i]);
                expect(sketch_minus(&state, leaves[i], &error), "not subtracted");
                release_bytes(leaves[i]);
                leaves[i] = sketch_finish(state);
            }
        }
        one = tree(&random, leaves, 0, LEAVES);
        for (unsigned i = LEAVES; i-- > 1;) {
            unsigned j = (unsigned)random_below(&random, i + 1);
            SketchBytes swap = leaves[i];

            leaves[i] = leaves[j];
            leaves[j] = swap;
        }
        other = tree(&random, leaves, 0, LEAVES);
        expect(same_sketch(one, other) && sketch_canonical(one), "round %u", round);
        release_bytes(one);
        release_bytes(other);
        for (unsigned i = 0; i < LEAVES; i++) {
            SketchState empty = sketch_new(-10 + (int)(round % 31)), state;
            SketchBytes nothing = sketch_finish(empty);

            state = ddsketch_ops.open(leaves[i], &memory);
            sketch_union(&state, nothing);
            one = sketch_finish(state);
            state = ddsketch_ops.open(nothing, &memory);
            sketch_union(&state, leaves[i]);
            other = sketch_finish(state);
            expect(same_sketch(one, other) &&
                       (one.size == nothing.size || same_sketch(one, leaves[i])),
                   "an empty sketch changes a union");
            release_bytes(one);
            release_bytes(other);
            release_bytes(nothing);
            release_bytes(leaves[i]);
        }
    }
    conclude("unions are the same in any order and brackets; empty sketches are neutral");
}

static void
test_pairs(uint64_t pairs)
{
    Random random = {1};

    for (uint64_t i = 0; i < pairs; i++) {
        int scale = random_below(&random, 3) ? 6 : (int)random_below(&random, 31) - 10;
        int finer = scale < 18 ? scale + (int)random_below(&random, 3) : scale;
        SketchBytes a = random_sketch(&random, scale), b = random_sketch(&random, finer);
        SketchBytes both, less, working, other_order;
        SketchState state = ddsketch_ops.open(a, &memory), second = ddsketch_ops.open(b, &memory);
        SketchError error = {.reason = ""};

        sketch_union(&state, random_below(&random, 2) ? b : sketch_bytes(second));
        both = sketch_packed(state);
        expect(sketch_minus(&state, random_below(&random, 2) ? b : sketch_bytes(second), &error),
               "not subtracted: %s", error.reason);
        less = sketch_packed(state);
        expect(same_counts(less, a), "(a | b) - b is not a");
        expect_extremes(less, a, b);
        sketch_union(&second, a);
        other_order = sketch_packed(second);
        expect(same_sketch(both, other_order), "b | a is not a | b");
        expect(sketch_minus(&second, both, &error), "not subtracted from itself");
        working = sketch_packed(second);
        expect(working.size == 9, "what is left of all less all");
        release_bytes(a);
        release_bytes(b);
        release_bytes(both);
        release_bytes(less);
        release_bytes(other_order);
        release_bytes(working);
        release_state(state);
        release_state(second);
    }
    conclude("(a | b) - b has the counts of a, and a | b those of b | a");
}

/* What is not contained is refused, and nothing is changed, however far it got. */
static void
test_refused(void)
{
    Random random = {2};

    for (unsigned i = 0; i < 1000; i++) {
        SketchBytes a = random_sketch(&random, 6), before, more, after;
        SketchState state = ddsketch_ops.open(a, &memory), other;
        double extra = hard_value(&random, i);
        SketchError error = {.status = SKETCH_OK};

        other = ddsketch_ops.open(a, &memory);
        sketch_add(&other, extra, 1);
        /* As many values in all: one is in another bucket. */
        if (i % 2)
            sketch_add(&state, hard_value(&random, i), 1);
        before = sketch_packed(state);
        more = sketch_finish(other);
        if (!same_sketch(before, more))
            expect(!sketch_minus(&state, more, &error) && error.status == SKETCH_OUT_OF_RANGE,
                   "what is not contained was subtracted");
        after = sketch_packed(state);
        expect(same_sketch(before, more) || same_sketch(after, before),
               "a refused subtraction changed something");
        release_bytes(a);
        release_bytes(before);
        release_bytes(more);
        release_bytes(after);
        release_state(state);
    }
    conclude("a sketch that is not contained is refused, and nothing is changed");
}

static void
test_totals(void)
{
    SketchState state = sketch_new(6), other;
    SketchBytes packed, full;
    SketchError error = {.status = SKETCH_OK};
    Ddsketch sketch;

    for (unsigned i = 0; i < 100; i++)
        sketch_add(&state, i, 1);
    sketch_add(&state, 5, UINT32_MAX - 101);
    sketch_add(&state, 5, 1);
    other = ddsketch_ops.open(sketch_bytes(state), &memory);
    for (unsigned i = 0; i < 3; i++)
        sketch_add(&state, 5, 1);
    sketch_add(&state, 0, 1);
    packed = sketch_packed(state);
    sketch = sketch_read(packed);
    ok(sketch.total == UINT64_C(4) + UINT32_MAX && ddsketch_percentile(&sketch, 0.5) > 4.97 &&
           ddsketch_percentile(&sketch, 0.5) < 5.03 && sketch_canonical(packed),
       "counters become wider past 2^32-1");
    ddsketch_close(&sketch, &memory);
    sketch_union(&other, packed);
    ok(sketch_minus(&other, packed, &error), "and are subtracted");
    release_bytes(packed);
    release_state(other);

    sketch_add(&state, 1e300, INT64_MAX - (UINT64_C(4) + UINT32_MAX) - 1);
    full = sketch_packed(state);
    ok(!ddsketch_insert(&state, 1, 2, &memory, &error) && error.status == SKETCH_OVERFLOW &&
           error.high == 1,
       "the total is at most 2^63-1");
    other = sketch_new(6);
    sketch_add(&other, 1, 2);
    {
        uint8_t *before = state.data;
        SketchBytes more = sketch_packed(other);

        ok(!merge_into(&ddsketch_ops, &state, more, &error) && error.status == SKETCH_OVERFLOW &&
               state.data == before,
           "of a union, too");
        release_bytes(more);
    }
    packed = sketch_packed(state);
    ok(same_sketch(packed, full), "and nothing is changed");
    release_bytes(packed);
    release_bytes(full);
    release_state(other);
    release_state(state);

    state = sketch_new(6);
    ok(!ddsketch_insert(&state, NAN, 1, &memory, &error) && error.status == SKETCH_OUT_OF_RANGE &&
           !ddsketch_insert(&state, -INFINITY, 1, &memory, &error) &&
           error.status == SKETCH_OUT_OF_RANGE && !ddsketch_add(state, NAN) &&
           !ddsketch_add(state, INFINITY),
       "what is not finite is refused");
    release_state(state);
}

/* At scale 20 every value may have a block of its own. */
static void
test_limit(void)
{
    SketchState state = sketch_new(20), other = sketch_new(20);
    SketchError error = {.status = SKETCH_OK};
    SketchBytes packed, more, after;
    uint64_t added = 0;
    double value = 1;

    for (; added < DDSKETCH_BLOCKS_MAX; added++, value *= 1.00003)
        sketch_add(&state, value, 1);
    packed = sketch_packed(state);
    ok(!ddsketch_insert(&state, -1, 1, &memory, &error) && error.status == SKETCH_LIMIT,
       "more than 2^18 blocks are refused");
    ok(sketch_canonical(packed) && packed.size < 2000000 && memory_used.largest < 40 << 20,
       "so many are not, nor do they take more than 40 MB");
    for (unsigned i = 0; i < 200; i++)
        sketch_add(&other, -1 - i, 1);
    more = sketch_finish(other);
    ok(!merge_into(&ddsketch_ops, &state, more, &error) && error.status == SKETCH_LIMIT,
       "nor merged");
    after = sketch_packed(state);
    ok(same_sketch(after, packed), "and nothing is changed");
    release_bytes(more);
    release_bytes(after);
    release_bytes(packed);
    release_state(state);
}

static void
attach(SketchState *state, const double *quantiles, unsigned count)
{
    uint8_t *before = state->data;

    ddsketch_request(state, (RequestedQuantiles){count, (const uint8_t *)quantiles}, &memory);
    memory_release_value(before, NULL);
}

static bool
carries(SketchBytes value, const double *quantiles, unsigned count)
{
    RequestedQuantiles requested = ddsketch_requested(value);

    return requested.count == count &&
           memcmp(requested.quantiles, quantiles, count * sizeof *quantiles) == 0;
}

/* A state through a change of servers. */
static void
move(SketchState *state)
{
    SketchBytes transit = ddsketch_ops.transit(sketch_bytes(*state), &memory), value;
    SketchError error = {.reason = ""};

    release_state(*state);
    if (!ddsketch_ops.validate(transit, &memory, &value, &error)) {
        expect(false, "refused in transit: %s", error.reason);
        value = transit;
    } else {
        expect(same_sketch(value, transit), "changed in transit");
        release_bytes(transit);
    }
    *state = ddsketch_ops.open(value, &memory);
    release_bytes(value);
}

/* Requested quantiles stay with a state, and change nothing else of it. */
static void
test_requested(void)
{
    static const double quantiles[] = {0.5, 0, 1, 0.99}, others[] = {0.5, 0, 1, 0.9};
    Random random = {5};

    for (unsigned i = 0; i < 300; i++) {
        unsigned count = 1 + i % 4;
        SketchState state = sketch_new(6), plain = sketch_new(6);

        attach(&state, quantiles, count);
        for (unsigned n = 0; n < 12; n++) {
            SketchBytes other = random_sketch(&random, 8 - (int)n), a, b;

            sketch_union(&state, other);
            sketch_union(&plain, other);
            sketch_add(&state, n, 1);
            sketch_add(&plain, n, 1);
            if (random_below(&random, 3) == 0)
                move(&state);
            a = sketch_packed(state);
            b = sketch_packed(plain);
            expect(carries(sketch_bytes(state), quantiles, count), "%u quantiles are lost", count);
            expect(same_sketch(a, b), "another sketch");
            release_bytes(other);
            release_bytes(a);
            release_bytes(b);
        }
        expect(ddsketch_requested(sketch_bytes(plain)).count == 0, "quantiles of nobody");
        release_state(state);
        release_state(plain);
    }
    for (unsigned i = 1; i <= 4; i++) {
        SketchState state = sketch_new(6), other = sketch_new(6);
        SketchError error;

        attach(&state, quantiles, 4);
        attach(&other, others, i);
        expect(!merge_into(&ddsketch_ops, &state, sketch_bytes(other), &error) &&
                   error.status == SKETCH_OUT_OF_RANGE,
               "%u of other quantiles", i);
        release_state(state);
        release_state(other);
    }
    conclude("requested quantiles stay with a state and change nothing else");
}

/* A packed sketch of `count` values of one bucket, of which so many are 0. */
static SketchBytes
sketch_of_one(int scale, double value, uint64_t count, uint64_t zeros)
{
    SketchState state = sketch_new(scale);

    if (count > 0)
        sketch_add(&state, value, count);
    if (zeros > 0)
        sketch_add(&state, 0, zeros);
    return sketch_finish(state);
}

/* A list has up to DD_LIST_COUNT values, however they come together, and scale 20 has none. */
static void
test_list_limits(void)
{
    for (uint64_t n = 0; n <= DD_LIST_COUNT; n += n < 8 || n + 8 > DD_LIST_COUNT ? 1 : 13)
        for (int more = -1; more <= 1; more++)
            for (unsigned form = 0; form < 2; form++) {
                uint64_t m = DD_LIST_COUNT - n + (uint64_t)more;
                SketchBytes a = sketch_of_one(6, 2, n, 0), b, both, expected;
                SketchState state = ddsketch_ops.open(a, &memory), other;

                if (n == DD_LIST_COUNT && more < 0) {
                    release_bytes(a);
                    release_state(state);
                    continue;
                }
                b = sketch_of_one(6, -3, m / 2, m - m / 2);
                other = ddsketch_ops.open(b, &memory);
                expect(dd_is_list(state) && dd_is_list(other) == (m <= DD_LIST_COUNT), "opened");
                expect(state.size + SKETCH_PREFIX_BYTES <= DD_LIST_BYTES, "%zu bytes", state.size);
                sketch_union(&state, form ? b : sketch_bytes(other));
                expect(dd_is_list(state) == (more <= 0 && (form == 1 || n + m <= DD_LIST_COUNT)),
                       "%llu and %llu values", (unsigned long long)n, (unsigned long long)m);
                both = sketch_finish(state);
                state = sketch_new(6);
                if (n > 0)
                    sketch_add(&state, 2, n);
                if (m / 2 > 0)
                    sketch_add(&state, -3, m / 2);
                if (m - m / 2 > 0)
                    sketch_add(&state, 0, m - m / 2);
                expect(dd_is_list(state) == (more <= 0), "added one by one");
                expected = sketch_finish(state);
                expect(same_sketch(both, expected) && sketch_canonical(both), "united");
                release_bytes(a);
                release_bytes(b);
                release_bytes(both);
                release_bytes(expected);
                release_state(other);
            }
    for (int scale = 19; scale <= 20; scale++) {
        SketchState state = sketch_new(scale);

        expect(dd_is_list(state) == (scale == DD_LIST_SCALE_MAX), "scale %d", scale);
        release_state(state);
    }
    conclude("lists have up to DD_LIST_COUNT values");
}

/* Counters have 32 bits up to a total of 2^32 - 1. */
static void
test_widths(void)
{
    for (int more = -1; more <= 1; more++)
        for (unsigned form = 0; form < 2; form++) {
            uint64_t total = UINT32_MAX + (uint64_t)more;
            SketchBytes a = sketch_of_one(6, 2, total - 1000, 500),
                        b = sketch_of_one(6, 2, 450, 50);
            SketchBytes whole = sketch_of_one(6, 2, total - 550, 550), both;
            SketchState state = ddsketch_ops.open(a, &memory), other, opened;
            SketchError error;

            opened = ddsketch_ops.open(whole, &memory);
            other = ddsketch_ops.open(b, &memory);
            expect(((DdState *)state_at(opened.data))->wide == (more > 0), "opened, %d", more);
            sketch_union(&state, form ? b : sketch_bytes(other));
            expect(((DdState *)state_at(state.data))->wide == (more > 0), "united, %d", more);
            both = sketch_packed(state);
            expect(same_sketch(both, whole), "united");
            release_bytes(both);
            expect(sketch_minus(&state, b, &error) && sketch_minus(&opened, a, &error),
                   "subtracted");
            both = sketch_finish(state);
            expect(same_counts(both, a), "what is left");
            release_bytes(both);
            both = sketch_finish(opened);
            expect(same_counts(both, b), "and of the other");
            release_bytes(both);
            release_bytes(a);
            release_bytes(b);
            release_bytes(whole);
            release_state(other);
        }
    conclude("counters are as wide as the total needs");
}

/* Up to 2^18 blocks, exactly; those of both count once, also if they are coarser in the union. */
static void
test_block_limits(void)
{
    enum { BOTH = 100 };
    SketchState full = sketch_new(20);
    SketchBytes packed;
    double value = 1;

    for (uint32_t i = 0; i < DDSKETCH_BLOCKS_MAX - BOTH; i++, value *= 1.00003)
        sketch_add(&full, value, 1);
    packed = sketch_packed(full);
    for (unsigned form = 0; form < 4; form++)
        for (unsigned more = 0; more <= 1; more++) {
            SketchState state = ddsketch_ops.open(packed, &memory), other = sketch_new(20);
            SketchError error = {.status = SKETCH_OK};
            SketchBytes small, after;
            bool merged;

            /* New ones, and one that is there already. */
            for (unsigned i = 0; i < BOTH + more; i++)
                sketch_add(&other, form % 2 ? -1 - (double)i : ldexp(1, -1 - (int)i), 1);
            sketch_add(&other, 1, 1);
            small = sketch_packed(other);
            merged =
                merge_into(&ddsketch_ops, &state, form / 2 ? small : sketch_bytes(other), &error);
            expect(merged == !more, "form %u: %u blocks more than there may be: %s", form, more,
                   merged ? "merged" : error.reason);
            expect(merged || (error.status == SKETCH_LIMIT &&
                              error.found == (int64_t)DDSKETCH_BLOCKS_MAX + more &&
                              error.high == DDSKETCH_BLOCKS_MAX),
                   "form %u: %lld blocks", form, (long long)error.found);
            after = sketch_finish(state);
            expect(same_sketch(after, packed) == !merged, "form %u: what is left", form);
            expect(merge_into(&ddsketch_ops, &other, packed, &error) == !more, "the other way");
            release_bytes(after);
            after = sketch_finish(other);
            expect(same_sketch(after, small) == (more > 0), "form %u: the other", form);
            release_bytes(after);
            release_bytes(small);
        }
    release_state(full);
    release_bytes(packed);
    conclude("a union has up to 2^18 blocks");
}

/* After the buckets were made coarser nothing is left of that if the merge fails. */
static void
test_failures(void)
{
    static const uint64_t totals[] = {1, 200, 300, INT64_MAX - 1};

    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++)
        for (int scale = 4; scale <= 8; scale++)
            for (unsigned form = 0; form < 2; form++) {
                SketchBytes a = sketch_of_one(6, 2, totals[i], 0), after;
                SketchBytes b = sketch_of_one(scale, 3, INT64_MAX - totals[i] + 1, 0);
                SketchBytes c = sketch_of_one(scale, 5, 1, 0);
                SketchState state = ddsketch_ops.open(a, &memory);
                SketchState large = ddsketch_ops.open(b, &memory);
                SketchState small = ddsketch_ops.open(c, &memory);
                uint8_t *before = state.data;
                unsigned pieces = memory_used.pieces;
                SketchError error = {.status = SKETCH_OK};

                expect(!dd_merge(&state, form ? b : sketch_bytes(large), &memory, &error) &&
                           error.status == SKETCH_OVERFLOW,
                       "an overflow");
                expect(
                    !ddsketch_subtract(&state, form ? c : sketch_bytes(small), &memory, &error) &&
                        error.status == SKETCH_OUT_OF_RANGE,
                    "not contained");
                expect(
                    !ddsketch_subtract(&state, form ? b : sketch_bytes(large), &memory, &error) ||
                        totals[i] > INT64_MAX / 2,
                    "more than there are");
                expect(state.data == before && memory_used.pieces == pieces, "what was kept");
                after = sketch_packed(state);
                expect(same_sketch(after, a), "what was changed");
                release_bytes(after);
                release_bytes(a);
                release_bytes(b);
                release_bytes(c);
                release_state(state);
                release_state(large);
                release_state(small);
            }
    conclude("a merge that fails changes nothing and keeps nothing");
}

/* A packed value that ends too early is refused wherever it is read, and nothing is kept. */
static void
test_damaged(void)
{
    Random random = {5};

    for (unsigned trial = 0; trial < trials_of(300); trial++) {
        SketchBytes a = random_sketch(&random, 6), b = random_sketch(&random, 6 - (int)(trial % 3));
        SketchState state = ddsketch_ops.open(a, &memory);
        Bytes bytes = bytes_copy(b.data, b.size - 1 - random_below(&random, b.size / 2));
        SketchBytes bad = {bytes.data, bytes.size}, read = {NULL, 0};
        uint8_t *before = state.data;
        unsigned pieces = memory_used.pieces;
        SketchError error = {.status = SKETCH_OK};
        SketchState opened;

        if (ddsketch_ops.validate(bad, &memory, &read, &error)) {
            release_bytes(read);
        } else {
            expect(!dd_merge(&state, bad, &memory, &error) && error.status == SKETCH_DAMAGED,
                   "merged");
            expect(!ddsketch_subtract(&state, bad, &memory, &error), "subtracted");
            opened = ddsketch_ops.open(bad, &memory);
            expect(!opened.data, "opened");
            expect(state.data == before && memory_used.pieces == pieces, "what was kept");
        }
        free(bytes.data);
        release_bytes(a);
        release_bytes(b);
        release_state(state);
    }
    conclude("damaged sketches are refused");
}

int
main(int count, char **arguments)
{
    test_trees();
    test_pairs(count > 1 ? strtoull(arguments[1], NULL, 10) : 2000);
    test_refused();
    test_totals();
    test_limit();
    test_requested();
    test_list_limits();
    test_widths();
    test_block_limits();
    test_failures();
    test_damaged();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
