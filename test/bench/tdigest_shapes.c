/*
 * tdigest_shapes.c - how far off is tdigest for values of many shapes, with the curve between
 * centroids and with a line? Ranks of its quantiles, by the core alone.
 *
 *     tdigest_shapes measure SHAPE VALUES FIRST SEEDS
 *     tdigest_shapes along SHAPE VALUES FIRST SEEDS
 *
 * Digests of the default compression are made of one part, 64 and 1,000 parts, each of which has
 * the next of the values and is packed before it is merged, for SEEDS seeds from FIRST. Shapes
 * without chance are the same for all seeds.
 *
 * The error is the distance of a quantile from the ranks of the answer, as a share of all values;
 * an answer that is in the data k times has k + 1 ranks. `measure` prints a line for each number of
 * parts and each way between centroids, with sums over the seeds:
 *
 *     PARTS  line|curve  averages  maxima  squares at p50, p90, p95, p99, p99.9, p99.99
 *
 * where average and maximum are those of the quantiles .0005, .0015 .. .9995. `along` does it for
 * one part only, and prints the sums of squares at quantiles towards 1, at tenths of decades of
 * 1 - Q:
 *
 *     Q  line  curve
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/tdigest/tdigest.h"
#include "heap.h"
#include "ranks.h"
#include "tdigest_line.h"

#define RANKS 1000
#define QUANTILES 6
#define TENTHS 40

static const double quantiles[QUANTILES] = {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
static const size_t parts_of[] = {1, 64, 1000};
#define WAYS (sizeof parts_of / sizeof parts_of[0])

/* ---- the values ---- */

/* Two numbers between 0 and 1 that are chance, and the place of the value among all. */
typedef struct Draw {
    double a, b;
    double place;
} Draw;

static double
uniform(Draw d)
{
    return d.a;
}

static double
normal(Draw d)
{
    return sqrt(-2 * log(d.a)) * cos(6.283185307179586 * d.b);
}

static double
lognormal(Draw d)
{
    return exp(normal(d));
}

/* With no mean. */
static double
pareto(Draw d)
{
    return 1 / d.a;
}

static double
gumbel(Draw d)
{
    return -log(-log(d.a));
}

/* Over 20 decades. */
static double
loguniform(Draw d)
{
    return pow(10, 20 * d.a - 10);
}

/* Evenly spread ranks, without chance: exponential, and even logarithms over 600 decades. */
static double
exponential(Draw d)
{
    return -log(1 - d.place);
}

static double
spaced(Draw d)
{
    return pow(10, 600 * d.place - 300);
}

/* Normal values, but for a share that has one value. */
static double
ties(Draw d, double share)
{
    double value = normal(d);

    /* The last digits of b are chance, too. */
    return fmod(d.b * 0x1p20, 1) < share ? 0.5 : value;
}

static double
ties_1(Draw d)
{
    return ties(d, 0.01);
}

static double
ties_3(Draw d)
{
    return ties(d, 0.03);
}

static double
ties_10(Draw d)
{
    return ties(d, 0.1);
}

static double
ties_30(Draw d)
{
    return ties(d, 0.3);
}

static double
distinct_20(Draw d)
{
    return floor(20 * d.a);
}

static double
distinct_150(Draw d)
{
    return floor(150 * d.a);
}

static double
bimodal(Draw d)
{
    double value = normal(d);

    return fmod(d.b * 0x1p20, 1) < 0.5 ? value : 100 + value;
}

static double
two_normals(Draw d)
{
    return d.place < 0.5 ? normal(d) : 100 + 10 * normal(d);
}

typedef enum Order { AS_THEY_COME, SHUFFLED, ASCENDING, NARROWING } Order;

typedef struct Shape {
    const char *name;
    double (*value)(Draw);
    Order order;
} Shape;

static const Shape shapes[] = {
    {"uniform", uniform, AS_THEY_COME},
    {"normal", normal, AS_THEY_COME},
    {"lognormal", lognormal, AS_THEY_COME},
    {"pareto", pareto, AS_THEY_COME},
    {"gumbel", gumbel, AS_THEY_COME},
    {"loguniform", loguniform, AS_THEY_COME},
    {"exponential", exponential, SHUFFLED},
    {"spaced", spaced, SHUFFLED},
    {"ties-1", ties_1, AS_THEY_COME},
    {"ties-3", ties_3, AS_THEY_COME},
    {"ties-10", ties_10, AS_THEY_COME},
    {"ties-30", ties_30, AS_THEY_COME},
    {"distinct-20", distinct_20, AS_THEY_COME},
    {"distinct-150", distinct_150, AS_THEY_COME},
    {"bimodal", bimodal, AS_THEY_COME},
    {"two-normals", two_normals, AS_THEY_COME},
    {"sorted", normal, ASCENDING},
    {"narrowing", normal, NARROWING},
};

static Shape
shape_of(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(name, shapes[i].name) == 0)
            return shapes[i];
    fail("no such shape");
    return shapes[0];
}

/* The values as they come, and sorted; `spare` is as long. */
static void
make_values(Shape shape, uint64_t seed, double *values, double *sorted, double *spare, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t counter = (seed << 33) + 2 * i;

        values[i] = shape.value(
            (Draw){fraction(counter), fraction(counter + 1), ((double)i + 0.5) / (double)n});
    }
    memcpy(sorted, values, n * sizeof *sorted);
    sort_values(sorted, n, spare, &memory);
    for (size_t i = 0; i < n; i++)
        if (shape.order == ASCENDING)
            values[i] = sorted[i];
        else if (shape.order == NARROWING)
            values[i] = sorted[i % 2 ? n - 1 - i / 2 : i / 2];
    for (size_t i = n; shape.order == SHUFFLED && i > 1; i--) {
        size_t other = (size_t)(splitmix64((seed << 33) + i) % i);
        double value = values[other];

        values[other] = values[i - 1];
        values[i - 1] = value;
    }
}

/* ---- digests ---- */

static SketchBytes
pack(SketchState state)
{
    SketchBytes value = tdigest_ops.pack(sketch_bytes(state), &memory);

    heap_release_value(state.data, NULL);
    return value;
}

static SketchBytes
digest_of(const double *values, size_t n)
{
    SketchState state = tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &memory);
    SketchError error;

    for (size_t i = 0; i < n; i++) {
        SketchState before = state;

        if (!tdigest_add(state, values[i]) &&
            !tdigest_insert(&state, values[i], 1, &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
    }
    return pack(state);
}

static SketchBytes
digest_of_parts(const double *values, size_t n, size_t parts)
{
    SketchState state;
    SketchError error;

    if (parts == 1)
        return digest_of(values, n);
    state = tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &memory);
    for (size_t part = 0; part < parts; part++) {
        size_t from = n * part / parts;
        SketchBytes digest = digest_of(values + from, n * (part + 1) / parts - from);
        SketchState before = state;

        if (!tdigest_ops.merge(&state, digest, &memory, &error))
            fail(error.reason);
        drop_replaced(before, &state);
        heap_release_value((uint8_t *)digest.data, NULL);
    }
    return pack(state);
}

/* ---- errors ---- */

static double
rank_error(const double *sorted, size_t n, double q, double answer)
{
    double below = (double)count_below(sorted, n, answer, false) / (double)n;
    double not_above = (double)count_below(sorted, n, answer, true) / (double)n;

    return q < below ? below - q : q > not_above ? q - not_above : 0;
}

typedef double (*Answer)(const Tdigest *, double);

static double
tenth_of_decade(int i)
{
    return 1 - pow(10, -(i + 1) / 10.0);
}

static double
error_at(double q, const Tdigest *digest, Answer answer, const double *sorted, size_t n)
{
    return rank_error(sorted, n, q, answer(digest, q));
}

static const struct {
    const char *name;
    Answer answer;
} between[] = {{"line", tdigest_line_quantile}, {"curve", tdigest_quantile}};

typedef struct Sums {
    double averages, maxima;
    double squares[QUANTILES];
    double along[TENTHS];
} Sums;

static void
measure(const Tdigest *digest, Answer answer, const double *sorted, size_t n, Sums *sums)
{
    double sum = 0, most = 0;

    for (int i = 0; i < RANKS; i++) {
        double error = error_at((i + 0.5) / RANKS, digest, answer, sorted, n);

        sum += error;
        most = fmax(most, error);
    }
    sums->averages += sum / RANKS;
    sums->maxima += most;
    for (int i = 0; i < QUANTILES; i++)
        sums->squares[i] += pow(error_at(quantiles[i], digest, answer, sorted, n), 2);
    for (int i = 0; i < TENTHS; i++)
        sums->along[i] += pow(error_at(tenth_of_decade(i), digest, answer, sorted, n), 2);
}

int
main(int argc, char **argv)
{
    static Sums sums[WAYS][2];
    bool along = argc > 1 && strcmp(argv[1], "along") == 0;
    size_t n;
    double *values, *sorted;
    Shape shape;

    if (argc != 6 || (!along && strcmp(argv[1], "measure") != 0))
        fail("usage: tdigest_shapes measure|along SHAPE VALUES FIRST SEEDS");
    shape = shape_of(argv[2]);
    n = number(argv[3]);
    if (n < 1000 || n >> 31)
        fail("VALUES is out of range");
    values = heap_scratch(3 * n * sizeof *values, NULL);
    sorted = values + n;
    for (uint64_t seed = number(argv[4]), end = seed + number(argv[5]); seed < end; seed++) {
        make_values(shape, seed, values, sorted, sorted + n, n);
        for (size_t way = 0; way < (along ? 1 : WAYS); way++) {
            SketchBytes value = digest_of_parts(values, n, parts_of[way]);
            Tdigest digest;

            if (!tdigest_read(&digest, value, &memory))
                fail("a digest cannot be read");
            for (int i = 0; i < 2; i++)
                measure(&digest, between[i].answer, sorted, n, &sums[way][i]);
            tdigest_close(&digest, &memory);
            heap_release_value((uint8_t *)value.data, NULL);
        }
    }
    heap_release(values, NULL);
    for (int i = 0; along && i < TENTHS; i++)
        printf("%.17g %.17g %.17g\n", tenth_of_decade(i), sums[0][0].along[i], sums[0][1].along[i]);
    for (size_t way = 0; !along && way < WAYS; way++)
        for (int i = 0; i < 2; i++) {
            const Sums *s = &sums[way][i];

            printf("%zu %s %.17g %.17g", parts_of[way], between[i].name, s->averages, s->maxima);
            for (int q = 0; q < QUANTILES; q++)
                printf(" %.17g", s->squares[q]);
            printf("\n");
        }
    return 0;
}
