/*
 * overview_accuracy.c - how far off is the size of an overlap? Two sets with the core alone, many
 * times over.
 *
 *     overview_accuracy FIRST TRIALS ITEMS SHARED...
 *
 * Runs the trials FIRST .. FIRST + TRIALS - 1. A trial makes two sets of ITEMS items for each
 * number of items that they share, and estimates that number in four ways. Prints a line for each:
 *
 *     SHARED  WAY  sum of squared errors  bytes of one set, over all trials
 *
 * The ways are the joint likelihood of two hll, the sum of two hll less their union, and theta with
 * lgk 9 and 12. Items are outputs of splitmix64, a bijection of its counter, as in hll_accuracy.c.
 */
#include <inttypes.h>

#include "core/hll/hll.h"
#include "core/theta/theta.h"
#include "heap.h"

#define MOST_SHARED 50
enum { JOINT, SUBTRACTED, THETA_SMALL, THETA_DEFAULT, WAYS };

static const char *const names[WAYS] = {"joint", "subtracted", "theta-9", "theta-12"};

typedef struct Point {
    uint64_t shared;
    double squares[WAYS];
    double bytes[WAYS];
} Point;

static SketchBytes
packed(const SketchOps *ops, SketchState state)
{
    SketchBytes value = ops->pack(sketch_bytes(state), &memory);

    heap_release_value(state.data, NULL);
    return value;
}

static SketchBytes
hll_of(uint64_t from, uint64_t to)
{
    SketchState state = hll_new(SKETCH_HASH_XXH3, HLL_PRECISION_DEFAULT, &memory);

    for (uint64_t item = from; item < to; item++) {
        SketchState before = state;

        hll_insert(&state, splitmix64(item), &memory);
        drop_replaced(before, &state);
    }
    return packed(&hll_ops, state);
}

static SketchBytes
theta_of(unsigned lgk, uint64_t from, uint64_t to)
{
    SketchState state = theta_new(lgk, &memory);

    for (uint64_t item = from; item < to; item++) {
        SketchState before = state;

        theta_insert(&state, theta_hash_int64((int64_t)item), &memory);
        drop_replaced(before, &state);
    }
    return packed(&theta_ops, state);
}

static double
either(SketchBytes a, SketchBytes b)
{
    SketchState state = hll_new(SKETCH_HASH_XXH3, HLL_PRECISION_DEFAULT, &memory);
    const SketchBytes both[2] = {a, b};
    SketchError error;
    double estimate;

    for (unsigned i = 0; i < 2; i++) {
        SketchState before = state;

        if (!hll_ops.merge(&state, both[i], &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
    }
    estimate = (double)hll_cardinality(sketch_bytes(state), &memory);
    heap_release_value(state.data, NULL);
    return estimate;
}

static void
note(Point *point, unsigned way, double estimate, SketchBytes a, SketchBytes b)
{
    double error = estimate - (double)point->shared;

    point->squares[way] += error * error;
    point->bytes[way] += (double)(a.size + SKETCH_PREFIX_BYTES);
    if (way != JOINT) {
        heap_release_value((uint8_t *)a.data, NULL);
        heap_release_value((uint8_t *)b.data, NULL);
    }
}

static void
run_trial(uint64_t trial, uint64_t items, Point *point)
{
    uint64_t from = trial << 32, second = from + items - point->shared;
    SketchBytes a = hll_of(from, from + items), b = hll_of(second, second + items), common;
    SketchError error;
    HllJoint joint;

    if (!hll_joint(a, b, &memory, &joint, &error))
        fail(error.reason);
    note(point, JOINT, joint.both, a, b);
    note(point, SUBTRACTED,
         (double)hll_cardinality(a, &memory) + (double)hll_cardinality(b, &memory) - either(a, b),
         a, b);
    for (unsigned way = THETA_SMALL; way < WAYS; way++) {
        unsigned lgk = way == THETA_SMALL ? 9 : 12;
        double estimate;

        a = theta_of(lgk, from, from + items);
        b = theta_of(lgk, second, second + items);
        if (!theta_combine(THETA_INTERSECTION, a, b, &memory, &common, &error))
            fail(error.reason);
        estimate = theta_bounds(theta_summary(common, &memory), 1).estimate;
        heap_release_value((uint8_t *)common.data, NULL);
        note(point, way, estimate, a, b);
    }
}

int
main(int argc, char **argv)
{
    Point points[MOST_SHARED] = {{0}};
    int count = argc - 4;
    uint64_t first, trials, items;

    if (count < 1 || count > MOST_SHARED)
        fail("usage: overview_accuracy FIRST TRIALS ITEMS SHARED...");
    first = number(argv[1]);
    trials = number(argv[2]);
    items = number(argv[3]);
    for (int k = 0; k < count; k++) {
        points[k].shared = number(argv[k + 4]);
        if (points[k].shared > items || items >> 31)
            fail("SHARED must be at most ITEMS, and these below 2^31");
    }
    for (uint64_t trial = first; trial < first + trials; trial++)
        for (int k = 0; k < count; k++)
            run_trial(trial, items, &points[k]);
    for (int k = 0; k < count; k++)
        for (unsigned way = 0; way < WAYS; way++)
            printf("%" PRIu64 " %s %.17g %.17g\n", points[k].shared, names[way],
                   points[k].squares[way], points[k].bytes[way]);
    return 0;
}
