/*
 * hll_accuracy.c - how far off is hll? Counts with the core alone, many times over.
 *
 *     hll_accuracy PRECISION FIRST TRIALS N...
 *
 * Runs the trials FIRST .. FIRST + TRIALS - 1. A trial adds the largest N of distinct items to an
 * empty sketch, packs it at every N (ascending) on the way, and notes the relative error of the
 * packed value's cardinality. Prints a line for every N:
 *
 *     N  trials that were dense there  sum of errors  sum of squared errors  sum of fourth powers
 *
 * The fourth powers tell how well the squares are known. Item i of trial t is output t * 2^32 + i
 * of the generator splitmix64, a bijection of its counter, in place of a hash: no two items of any
 * trial are the same, and the same numbers come out everywhere.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/hll/hll.h"
#include "numbers.h"

#define MOST_N 200

/* Values of a trial lie one behind the other; the next trial begins anew. */
typedef struct Arena {
    uint64_t memory[1 << 19];
    size_t used; /* words */
} Arena;

static Arena arena;

static uint8_t *
arena_value(uint64_t size, void *context)
{
    Arena *a = context;
    size_t words = (size + 7) / 8;
    uint64_t *start = a->memory + a->used;

    if (words > sizeof a->memory / sizeof a->memory[0] - a->used)
        fail("a sketch grew beyond the arena");
    a->used += words;
    return (uint8_t *)start;
}

static void
arena_release_value(uint8_t *data, void *context)
{
    (void)data;
    (void)context;
}

static void *
heap_scratch(uint64_t size, void *context)
{
    void *memory = malloc(size);

    (void)context;
    if (!memory)
        fail("out of memory");
    return memory;
}

static void
heap_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* Nobody cancels a benchmark. */
static void
never_stop(void *context)
{
    (void)context;
}

static const SketchMemory memory = {
    .value = arena_value,
    .release_value = arena_release_value,
    .scratch = heap_scratch,
    .release = heap_release,
    .poll = never_stop,
    .context = &arena,
};

typedef struct Point {
    uint64_t n;
    uint64_t dense;
    double sum;
    double squares;
    double fourths;
} Point;

static void
run_trial(uint64_t trial, unsigned precision, Point *points, int count)
{
    SketchState state;
    uint64_t i = 0;

    arena.used = 0;
    state = hll_new(SKETCH_HASH_XXH3, precision, &memory);
    for (int k = 0; k < count; k++) {
        SketchBytes value;
        double error;
        size_t used;

        for (; i < points[k].n; i++)
            hll_insert(&state, splitmix64((trial << 32) + i), &memory);
        used = arena.used;
        value = hll_ops.pack(sketch_bytes(state), &memory);
        error = (double)hll_cardinality(value, &memory) / (double)points[k].n - 1;
        points[k].dense += hll_header(value).dense;
        points[k].sum += error;
        points[k].squares += error * error;
        points[k].fourths += error * error * error * error;
        arena.used = used;
    }
}

int
main(int argc, char **argv)
{
    Point points[MOST_N] = {{0}};
    int count = argc - 4;
    uint64_t precision, first, trials;

    if (count < 1 || count > MOST_N)
        fail("usage: hll_accuracy PRECISION FIRST TRIALS N...");
    precision = number(argv[1]);
    first = number(argv[2]);
    trials = number(argv[3]);
    if (precision < HLL_PRECISION_MIN || precision > HLL_PRECISION_MAX)
        fail("no such precision");
    for (int k = 0; k < count; k++) {
        points[k].n = number(argv[k + 4]);
        if (points[k].n == 0 || points[k].n >> 32 || (k > 0 && points[k].n <= points[k - 1].n))
            fail("N must ascend and stay below 2^32");
    }
    for (uint64_t trial = first; trial < first + trials; trial++)
        run_trial(trial, (unsigned)precision, points, count);
    for (int k = 0; k < count; k++)
        printf("%" PRIu64 " %" PRIu64 " %.17g %.17g %.17g\n", points[k].n, points[k].dense,
               points[k].sum, points[k].squares, points[k].fourths);
    return 0;
}
