/*
 * tdigest_accuracy.c - how far off is tdigest? Ranks of its quantiles, by the core alone.
 *
 *     tdigest_accuracy measure DISTRIBUTION VALUES FIRST SEEDS
 *     tdigest_accuracy few DISTRIBUTION VALUES FIRST SEEDS
 *     tdigest_accuracy orders DISTRIBUTION VALUES FIRST SEEDS
 *     tdigest_accuracy values DISTRIBUTION VALUES SEED
 *     tdigest_accuracy ranks DISTRIBUTION VALUES SEED ESTIMATE...
 *     tdigest_accuracy equal VALUES
 *
 * `measure` makes digests of the default compression for the seeds FIRST .. FIRST + SEEDS - 1 in
 * five ways: of the values in random order; of 64 parts that are packed and merged; of the sorted
 * values; of the sorted values from the end; and of the values in random order, asked without
 * packing, as approx_percentile does. It prints a line for each way and quantile:
 *
 *     WAY  Q  sum of errors  sum of squared errors  sum of fourth powers
 *
 * The error is the rank of the answer as a share of all values, less Q; the rank of a value is the
 * number of values below it and half of those equal to it.
 *
 * `few` does the same for so few values that half of one counts: the rank of an answer between two
 * values is interpolated, so that what percentile_cont returns has no error.
 *
 * `orders` makes digests of one part (so that nothing is merged), 24, 64 and 1,000 parts, and a
 * tree of 12 digests of 30 digests of 24 parts each, for each order in which the values may come:
 *
 *     random       a part has the next values in random order
 *     robin        value i of the sorted ones is in part i % parts
 *     consecutive  a part has the next of the sorted values
 *     widening     a part has the next values from the median outwards, on both sides
 *     narrowing    a part has the next values from both ends to the median
 *     growing      value i is raised to the power 2i/n, and a part has the next ones
 *
 * It prints the same lines; WAY is the order and the number of parts, or `tree`.
 *
 * For other digests of the same values, `values` writes them as COPY in binary form, (number,
 * value), and `ranks` prints the errors of their estimates, one for every quantile in order.
 * `equal` makes the digests of one value over and over, and prints how many of 10,001 quantiles of
 * each are another value, and of how many they are all together.
 *
 * Value i of seed s comes from the outputs s * 2^33 + 2i and the next one of the generator
 * splitmix64, so the same values come out everywhere, but for the last digit of libm.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tdigest/tdigest.h"
#include "numbers.h"
#include "ranks.h"

#define QUANTILES 5
#define WAYS 5
#define PARTS 64
#define EQUAL_QUANTILES 10000
#define ORDERS 6
#define SHAPES 5

static bool few; /* the task */
static const double quantiles[QUANTILES] = {0.5, 0.9, 0.99, 0.999, 0.9999};
static const char *const ways[WAYS] = {"random", "merged", "sorted", "reversed", "state"};

/* Values lie one behind the other; the next digest begins anew. */
typedef struct Arena {
    uint64_t memory[1 << 20];
    size_t used; /* words */
} Arena;

static Arena arena;

/* Data begins behind its length word, which ends at a multiple of 8. */
static uint8_t *
arena_value(uint64_t size, void *context)
{
    Arena *a = context;
    size_t words = (SKETCH_PREFIX_BYTES + size + 7) / 8;
    uint64_t *start = a->memory + a->used;

    if (words > sizeof a->memory / sizeof a->memory[0] - a->used)
        fail("digests grew beyond the arena");
    a->used += words;
    return (uint8_t *)start + SKETCH_PREFIX_BYTES;
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

/* ---- the values ---- */

typedef double (*Distribution)(double, double);

static double
uniform(double a, double b)
{
    (void)b;
    return a;
}

static double
lognormal(double a, double b)
{
    return exp(sqrt(-2 * log(a)) * cos(6.283185307179586 * b));
}

/* With a finite mean and no variance. */
static double
pareto(double a, double b)
{
    (void)b;
    return pow(a, -1 / 1.5);
}

/* Its logarithm is even: over seven orders of magnitude. */
static double
spaced(double a, double b)
{
    (void)b;
    return exp(16 * (a - 0.5));
}

static Distribution
distribution_of(const char *name)
{
    static const struct {
        const char *name;
        Distribution distribution;
    } known[] = {
        {"uniform", uniform}, {"lognormal", lognormal}, {"pareto", pareto}, {"spaced", spaced}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].distribution;
    fail("no such distribution");
    return NULL;
}

static void
make_values(Distribution distribution, uint64_t seed, double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t counter = (seed << 33) + 2 * i;

        values[i] = distribution(fraction(counter), fraction(counter + 1));
    }
}

static void
sort(double *values, size_t n)
{
    double *spare = heap_scratch(n * sizeof *spare, NULL);

    sort_values(values, n, spare, &memory);
    free(spare);
}

static double *
sorted_copy(const double *values, size_t n)
{
    double *sorted = heap_scratch(n * sizeof *sorted, NULL);

    memcpy(sorted, values, n * sizeof *sorted);
    sort(sorted, n);
    return sorted;
}

static double
rank_error(const double *sorted, size_t n, double q, double estimate)
{
    double rank = ((double)count_below(sorted, n, estimate, false) +
                   (double)count_below(sorted, n, estimate, true)) /
                  2;

    return rank / (double)n - q;
}

static double
interpolated_error(const double *sorted, size_t n, double q, double estimate)
{
    size_t below = count_below(sorted, n, estimate, false);
    double rank = (double)below;

    if (below > 0 && below < n)
        rank += (estimate - sorted[below]) / (sorted[below] - sorted[below - 1]);
    return rank / (double)(n - 1) - q;
}

static double
error_of(const Tdigest *digest, const double *sorted, size_t n, double q)
{
    if (few)
        return interpolated_error(sorted, n, q, tdigest_percentile(digest, q));
    return rank_error(sorted, n, q, tdigest_quantile(digest, q));
}

/* ---- digests ---- */

static void
add(SketchState *state, double value)
{
    SketchError error;

    if (!tdigest_add(*state, value) && !tdigest_insert(state, value, 1, &memory, &error))
        fail(error.reason);
}

/* The state after every `step`-th value from the first on; a step of -1 goes backwards. */
static SketchState
state_of(const double *values, size_t n, size_t first, ptrdiff_t step)
{
    SketchState state = tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &memory);

    for (size_t i = first; i < n; i += (size_t)step)
        add(&state, values[i]);
    return state;
}

static SketchBytes
digest_of(const double *values, size_t n, size_t first, ptrdiff_t step)
{
    return tdigest_ops.pack(sketch_bytes(state_of(values, n, first, step)), &memory);
}

static SketchBytes
digest_of_parts(const double *values, size_t n)
{
    SketchState state = tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &memory);
    SketchError error;

    for (size_t part = 0; part < PARTS; part++) {
        SketchBytes digest = digest_of(values, n, part, PARTS);

        if (!tdigest_ops.merge(&state, digest, &memory, &error))
            fail(error.reason);
    }
    return tdigest_ops.pack(sketch_bytes(state), &memory);
}

static SketchBytes
digest_in_way(int way, const double *values, const double *sorted, size_t n)
{
    switch (way) {
    case 0:
        return digest_of(values, n, 0, 1);
    case 1:
        return digest_of_parts(values, n);
    case 2:
        return digest_of(sorted, n, 0, 1);
    case 3:
        return digest_of(sorted, n, n - 1, -1);
    default:
        return sketch_bytes(state_of(values, n, 0, 1));
    }
}

typedef struct Sums {
    double errors;
    double squares;
    double fourths;
} Sums;

static void
measure(SketchBytes value, const double *sorted, size_t n, Sums *sums)
{
    Tdigest digest;

    if (!tdigest_read(&digest, value, &memory))
        fail("a digest cannot be read");
    for (int i = 0; i < QUANTILES; i++) {
        double error = error_of(&digest, sorted, n, quantiles[i]);

        sums[i].errors += error;
        sums[i].squares += error * error;
        sums[i].fourths += error * error * error * error;
    }
    tdigest_close(&digest, &memory);
}

/* ---- orders ---- */

static const char *const orders[ORDERS] = {"random",   "robin",     "consecutive",
                                           "widening", "narrowing", "growing"};
static const size_t shapes[SHAPES] = {1, 24, 64, 1000, 24 * 30 * 12}; /* the last one is a tree */

/* The values in an order, and their sorted copy, in which the growing ones are others. */
static void
arrange(int order, double *values, double *sorted, size_t n, double *arranged)
{
    for (size_t i = 0; i < n; i++) {
        size_t outwards = order == 3 ? n - 1 - i : i;

        arranged[i] = order == 0   ? values[i]
                      : order <= 2 ? sorted[i]
                      : order <= 4 ? sorted[outwards % 2 ? n - 1 - outwards / 2 : outwards / 2]
                                   : pow(values[i], 2 * ((double)i + 0.5) / (double)n);
    }
    if (order == 5) {
        memcpy(sorted, arranged, n * sizeof *sorted);
        sort(sorted, n);
    }
}

static SketchBytes
digest_of_part(int order, const double *arranged, size_t n, size_t part, size_t parts)
{
    if (order == 1)
        return digest_of(arranged, n, part, (ptrdiff_t)parts);
    return digest_of(arranged, n * (part + 1) / parts, n * part / parts, 1);
}

/* The union of some neighbouring parts, or of digests of them: `fan` at a time, ends with 0. */
static SketchBytes
digest_of_tree(int order, const double *arranged, size_t n, size_t part, size_t span, size_t parts,
               const size_t *fan)
{
    SketchState state;
    SketchError error;
    size_t used = arena.used;
    SketchBytes result;
    uint8_t copy[4096];

    if (*fan == 0)
        result = digest_of_part(order, arranged, n, part, parts);
    else {
        state = tdigest_new(TDIGEST_COMPRESSION_DEFAULT, 0, NULL, &memory);
        for (size_t i = 0; i < *fan; i++) {
            SketchBytes digest = digest_of_tree(order, arranged, n, part + i * (span / *fan),
                                                span / *fan, parts, fan + 1);

            if (!tdigest_ops.merge(&state, digest, &memory, &error))
                fail(error.reason);
        }
        result = tdigest_ops.pack(sketch_bytes(state), &memory);
    }
    if (result.size > sizeof copy)
        fail("a digest is too large");
    /* What was used on the way is free again. */
    memcpy(copy, result.data, result.size);
    arena.used = used;
    result.data = memcpy(arena_value(result.size, &arena), copy, result.size);
    return result;
}

static SketchBytes
digest_of_shape(int order, const double *arranged, size_t n, size_t parts)
{
    static const size_t tree[] = {12, 30, 24, 0};
    size_t flat[] = {parts, 0};

    if (parts == 1)
        return digest_of(arranged, n, 0, 1);
    return digest_of_tree(order, arranged, n, 0, parts, parts, parts == 8640 ? tree : flat);
}

/* ---- what is asked for ---- */

static void
measure_seeds(Distribution distribution, double *values, size_t n, uint64_t first, uint64_t seeds)
{
    Sums sums[WAYS][QUANTILES] = {{{0}}};

    for (uint64_t seed = first; seed < first + seeds; seed++) {
        double *sorted;

        make_values(distribution, seed, values, n);
        sorted = sorted_copy(values, n);
        for (int way = 0; way < WAYS; way++) {
            arena.used = 0;
            measure(digest_in_way(way, values, sorted, n), sorted, n, sums[way]);
        }
        free(sorted);
    }
    for (int way = 0; way < WAYS; way++)
        for (int i = 0; i < QUANTILES; i++)
            printf("%s %g %.17g %.17g %.17g\n", ways[way], quantiles[i], sums[way][i].errors,
                   sums[way][i].squares, sums[way][i].fourths);
}

static void
measure_orders(Distribution distribution, double *values, size_t n, uint64_t first, uint64_t seeds)
{
    static Sums sums[ORDERS][SHAPES][QUANTILES];
    double *arranged = heap_scratch(n * sizeof *arranged, NULL);

    for (uint64_t seed = first; seed < first + seeds; seed++) {
        double *sorted;

        make_values(distribution, seed, values, n);
        sorted = sorted_copy(values, n);
        for (int order = 0; order < ORDERS; order++) {
            arrange(order, values, sorted, n, arranged);
            for (int shape = 0; shape < SHAPES; shape++) {
                arena.used = 0;
                measure(digest_of_shape(order, arranged, n, shapes[shape]), sorted, n,
                        sums[order][shape]);
            }
        }
        free(sorted);
    }
    free(arranged);
    for (int order = 0; order < ORDERS; order++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int i = 0; i < QUANTILES; i++) {
                const Sums *s = &sums[order][shape][i];

                printf("%s/", orders[order]);
                printf(shapes[shape] == 8640 ? "tree" : "%zu", shapes[shape]);
                printf(" %g %.17g %.17g %.17g\n", quantiles[i], s->errors, s->squares, s->fourths);
            }
}

static void
measure_equal(double *values, size_t n)
{
    size_t others = 0, asked = 0;

    for (size_t i = 0; i < n; i++)
        values[i] = 0.1;
    for (int way = 0; way < WAYS; way++) {
        Tdigest digest;

        arena.used = 0;
        if (!tdigest_read(&digest, digest_in_way(way, values, values, n), &memory))
            fail("a digest cannot be read");
        for (int i = 0; i <= EQUAL_QUANTILES; i++, asked++)
            others += tdigest_quantile(&digest, (double)i / EQUAL_QUANTILES) != values[0];
        tdigest_close(&digest, &memory);
    }
    printf("%zu %zu\n", others, asked);
}

static void
put_big_endian(uint64_t number, int bytes)
{
    while (bytes-- > 0)
        putchar((int)(number >> 8 * bytes & 255));
}

static void
write_values(const double *values, size_t n)
{
    fwrite("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 1, 19, stdout);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;

        memcpy(&bits, &values[i], sizeof bits);
        put_big_endian(2, 2);
        put_big_endian(4, 4);
        put_big_endian(i, 4);
        put_big_endian(8, 4);
        put_big_endian(bits, 8);
    }
    put_big_endian(65535, 2);
    if (fflush(stdout) != 0)
        fail("cannot write");
}

static void
print_errors(const double *values, size_t n, char **estimates)
{
    double *sorted = sorted_copy(values, n);

    for (int i = 0; i < QUANTILES; i++)
        printf("%.17g\n", rank_error(sorted, n, quantiles[i], strtod(estimates[i], NULL)));
    free(sorted);
}

static double *
room_for(const char *text, size_t *n)
{
    *n = number(text);
    if (*n < PARTS || *n >> 31)
        fail("VALUES is out of range");
    return heap_scratch(*n * sizeof(double), NULL);
}

int
main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "";
    bool equal = strcmp(task, "equal") == 0 && argc == 3;
    size_t n;
    double *values;

    few = strcmp(task, "few") == 0 && argc == 6;
    if (!equal && !few && !(strcmp(task, "measure") == 0 && argc == 6) &&
        !(strcmp(task, "orders") == 0 && argc == 6) &&
        !(strcmp(task, "values") == 0 && argc == 5) &&
        !(strcmp(task, "ranks") == 0 && argc == 5 + QUANTILES))
        fail("usage: tdigest_accuracy measure|few|orders|values|ranks|equal ...");
    values = room_for(argv[equal ? 2 : 3], &n);
    if (equal)
        measure_equal(values, n);
    else if (few || strcmp(task, "measure") == 0)
        measure_seeds(distribution_of(argv[2]), values, n, number(argv[4]), number(argv[5]));
    else if (strcmp(task, "orders") == 0)
        measure_orders(distribution_of(argv[2]), values, n, number(argv[4]), number(argv[5]));
    else {
        make_values(distribution_of(argv[2]), number(argv[4]), values, n);
        if (strcmp(task, "values") == 0)
            write_values(values, n);
        else
            print_errors(values, n, argv + 5);
    }
    free(values);
    return 0;
}
