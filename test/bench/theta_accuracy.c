/*
 * theta_accuracy.c - how far off is theta? Counts with the core alone, many times over.
 *
 *     theta_accuracy count LGK FIRST TRIALS N...
 *     theta_accuracy expressions LGK FIRST TRIALS
 *
 * Runs the trials FIRST .. FIRST + TRIALS - 1. A trial of `count` adds the largest N of distinct
 * items to an empty sketch and packs it at every N (ascending) on the way. A trial of `expressions`
 * makes the four sets A to D of 100,000 items below, and evaluates each expression. Prints a line
 * for every N, or expression:
 *
 *     N  variance  sum  squares  fourths  outside-1  outside-2  outside-3
 *
 * N is the true number; variance the sum over the trials of the theoretical variance of the
 * relative error, (1 - theta) / (theta N), with the theta that the result has; then the sums of the
 * relative errors, their squares and fourth powers; then how often the true number was outside of
 * the bounds of 1, 2 and 3 standard deviations.
 *
 * Item i of trial t is the integer t * 2^32 + i.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/theta/theta.h"
#include "heap.h"

#define MOST_N 100
#define SET_ITEMS 100000

typedef struct Point {
    uint64_t n;
    double variance;
    double sum;
    double squares;
    double fourths;
    uint64_t outside[4]; /* by the number of standard deviations */
} Point;

static void
note(Point *point, SketchBytes value)
{
    ThetaSummary summary = theta_summary(value, &memory);
    double n = (double)point->n, theta = (double)summary.theta / (double)THETA_EXACT, error;

    error = theta_bounds(summary, 1).estimate / n - 1;
    point->variance += (1 - theta) / (theta * n);
    point->sum += error;
    point->squares += error * error;
    point->fourths += error * error * error * error;
    for (unsigned sigmas = 1; sigmas <= 3; sigmas++) {
        ThetaBounds bounds = theta_bounds(summary, sigmas);

        point->outside[sigmas] += n < bounds.lower || n > bounds.upper;
    }
}

static void
add_items(SketchState *state, uint64_t from, uint64_t to)
{
    for (uint64_t item = from; item < to; item++) {
        SketchState before = *state;

        theta_insert(state, theta_hash_int64((int64_t)item), &memory);
        drop_replaced(before, state);
    }
}

static void
count(uint64_t trial, unsigned lgk, Point *points, int n)
{
    SketchState state = theta_new(lgk, &memory);
    uint64_t item = trial << 32;

    for (int i = 0; i < n; i++) {
        SketchBytes value;

        add_items(&state, item, (trial << 32) + points[i].n);
        item = (trial << 32) + points[i].n;
        value = theta_ops.pack(sketch_bytes(state), &memory);
        note(&points[i], value);
        heap_release_value((uint8_t *)value.data, NULL);
    }
    heap_release_value(state.data, NULL);
}

/* ---- expressions ---- */

enum { A, B, C, D, SETS };

/* The first item of each set. */
static const uint64_t begin[SETS] = {0, 40000, 70000, 90000};

/* In the order of @EXPRESSIONS in theta_accuracy. */
#define EXPRESSIONS 5
static const uint64_t truth[EXPRESSIONS] = {60000, 30000, 30000, 10000, 20000};

static SketchBytes
set_of(uint64_t trial, unsigned lgk, unsigned set)
{
    SketchState state = theta_new(lgk, &memory);
    uint64_t first = (trial << 32) + begin[set];
    SketchBytes value;

    add_items(&state, first, first + SET_ITEMS);
    value = theta_ops.pack(sketch_bytes(state), &memory);
    heap_release_value(state.data, NULL);
    return value;
}

static SketchBytes
combined(ThetaOp op, SketchBytes a, SketchBytes b)
{
    SketchBytes value;
    SketchError error;

    if (!theta_combine(op, a, b, &memory, &value, &error))
        fail(error.reason);
    return value;
}

static void
evaluate(uint64_t trial, unsigned lgk, Point *points)
{
    SketchBytes set[SETS], value[EXPRESSIONS], either;

    for (unsigned i = 0; i < SETS; i++)
        set[i] = set_of(trial, lgk, i);
    value[0] = combined(THETA_INTERSECTION, set[A], set[B]);
    value[1] = combined(THETA_DIFFERENCE, value[0], set[C]);
    value[2] = combined(THETA_INTERSECTION, value[0], set[C]);
    value[3] = combined(THETA_INTERSECTION, value[2], set[D]);
    either = combined(THETA_UNION, set[A], set[B]);
    value[4] = combined(THETA_INTERSECTION, either, set[C]);
    heap_release_value((uint8_t *)either.data, NULL);
    either = value[4];
    value[4] = combined(THETA_DIFFERENCE, either, set[D]);
    heap_release_value((uint8_t *)either.data, NULL);
    for (unsigned i = 0; i < EXPRESSIONS; i++) {
        note(&points[i], value[i]);
        heap_release_value((uint8_t *)value[i].data, NULL);
    }
    for (unsigned i = 0; i < SETS; i++)
        heap_release_value((uint8_t *)set[i].data, NULL);
}

/* ---- the program ---- */

int
main(int argc, char **argv)
{
    Point points[MOST_N] = {{0}};
    bool counts = argc > 1 && strcmp(argv[1], "count") == 0;
    int n = counts ? argc - 5 : EXPRESSIONS;
    uint64_t lgk, first, trials;

    if (n < 1 || n > MOST_N || (!counts && (argc != 5 || strcmp(argv[1], "expressions") != 0)))
        fail("usage: theta_accuracy count|expressions LGK FIRST TRIALS [N...]");
    lgk = number(argv[2]);
    first = number(argv[3]);
    trials = number(argv[4]);
    if (lgk < THETA_LGK_MIN || lgk > THETA_LGK_MAX)
        fail("no such lgk");
    for (int i = 0; i < n; i++) {
        points[i].n = counts ? number(argv[i + 5]) : truth[i];
        if (points[i].n == 0 || points[i].n >> 32 ||
            (counts && i > 0 && points[i].n <= points[i - 1].n))
            fail("N must ascend and stay below 2^32");
    }
    for (uint64_t trial = first; trial < first + trials; trial++)
        if (counts)
            count(trial, (unsigned)lgk, points, n);
        else
            evaluate(trial, (unsigned)lgk, points);
    for (int i = 0; i < n; i++)
        printf("%" PRIu64 " %.17g %.17g %.17g %.17g %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               points[i].n, points[i].variance, points[i].sum, points[i].squares, points[i].fourths,
               points[i].outside[1], points[i].outside[2], points[i].outside[3]);
    return 0;
}
