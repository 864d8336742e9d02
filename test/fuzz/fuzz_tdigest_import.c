/*
 * fuzz_tdigest_import.c - quantile sketches and histograms of other systems.
 *
 * The first byte chooses the format. What is read is a digest like any other, and goes to
 * DataSketches and back.
 */
#include "fuzz.h"

#include <math.h>

#include "core/common/bytes.h"
#include "core/tdigest/tdigest.h"

#include "../unit/foreign_digest.h"

#define TDIGEST_MODE 3
#define CENTROIDS_MAX 64

typedef enum Format {
    DATASKETCHES,
    KLL_DOUBLE,
    KLL_FLOAT,
    KLL_LONG,
    DUNNING,
    EXTENSION,
    EXTENSION_TEXT,
    DDSKETCH,
    HISTOGRAM,
    EXPONENTIAL,
    FORMATS
} Format;

/* ---- reading ---- */

/* Half of the numbers are bounds, one less than there are counts, or as many, or one more. */
static bool
read_histogram(SketchBytes input, SketchBytes *value, SketchError *error)
{
    uint32_t numbers = (uint32_t)(input.size / 8), count = numbers / 2;
    double *bounds = memory_scratch(input.size + 8, NULL);
    int64_t *counts = memory_scratch(input.size + 8, NULL);
    bool good;

    for (uint32_t i = 0; i < numbers; i++) {
        const uint8_t *p = input.data + 8 * i;

        if (i < count)
            counts[i] = (int64_t)load_le64(p);
        else
            bounds[i - count] = load_le_double(p);
    }
    good = tdigest_from_histogram(bounds, numbers - count, counts, count, &memory, value, error);
    memory_release(bounds, NULL);
    memory_release(counts, NULL);
    return good;
}

static bool
read_exponential(SketchBytes input, SketchBytes *value, SketchError *error)
{
    uint32_t count = (uint32_t)(input.size > 8 ? (input.size - 8) / 8 : 0);
    int64_t *counts = memory_scratch(input.size + 8, NULL);
    ExponentialHistogram h = {.positive = {0, count / 2, counts},
                              .negative = {0, count - count / 2, counts + count / 2},
                              .min = -INFINITY,
                              .max = INFINITY};
    bool good;

    if (input.size >= 8) {
        h.scale = (int8_t)input.data[0];
        h.min = input.data[1] & 1 ? -(double)(input.data[1] >> 2) : h.min;
        h.max = input.data[1] & 2 ? (double)input.data[1] : h.max;
        h.positive.offset = (int16_t)load_le16(input.data + 2);
        h.negative.offset = (int32_t)load_le32(input.data + 4);
    }
    for (uint32_t i = 0; i < count; i++)
        counts[i] = (int64_t)load_le64(input.data + 8 + 8 * (size_t)i);
    good = tdigest_from_exponential_histogram(&h, &memory, value, error);
    memory_release(counts, NULL);
    return good;
}

static bool
import(unsigned format, SketchBytes input, SketchBytes *value, SketchError *error)
{
    switch (format % FORMATS) {
    case DATASKETCHES:
        return tdigest_from_datasketches(input, &memory, value, error);
    case KLL_DOUBLE:
        return tdigest_from_kll(input, TDIGEST_ITEM_DOUBLE, &memory, value, error);
    case KLL_FLOAT:
        return tdigest_from_kll(input, TDIGEST_ITEM_FLOAT, &memory, value, error);
    case KLL_LONG:
        return tdigest_from_kll(input, TDIGEST_ITEM_LONG, &memory, value, error);
    case DUNNING:
        return tdigest_from_dunning(input, &memory, value, error);
    case EXTENSION:
        return tdigest_from_extension(input, &memory, value, error);
    case EXTENSION_TEXT:
        return tdigest_from_extension_text(input, &memory, value, error);
    case DDSKETCH:
        return tdigest_from_ddsketch(input, &memory, value, error);
    case HISTOGRAM:
        return read_histogram(input, value, error);
    default:
        return read_exponential(input, value, error);
    }
}

/* To DataSketches and back. */
static SketchBytes
there_and_back(SketchBytes value)
{
    SketchError error;
    SketchBytes there, back;
    Tdigest digest;

    fuzz_check(tdigest_read(&digest, value, &memory), "imported, but cannot be read");
    there = tdigest_to_datasketches(&digest, &memory);
    tdigest_close(&digest, &memory);
    fuzz_check(tdigest_from_datasketches(there, &memory, &back, &error), "written, but not read");
    release_bytes(there);
    return back;
}

/* The weight of the mean at *i, and in *rows that of its points; *i goes to the next mean. */
static uint64_t
weight_of_mean(const Tdigest *digest, uint32_t *i, uint64_t *rows)
{
    const TdigestCentroid *c = digest->centroids;
    const double mean = c[*i].mean;
    uint64_t weight = 0;

    for (*rows = 0; *i < digest->count && c[*i].mean == mean; ++*i) {
        weight += c[*i].weight;
        *rows += tdigest_is_point(&c[*i]) ? c[*i].weight : 0;
    }
    return weight;
}

static uint32_t
count_means(const Tdigest *digest)
{
    uint64_t rows;
    uint32_t means = 0;

    for (uint32_t i = 0; i < digest->count; means++)
        weight_of_mean(digest, &i, &rows);
    return means;
}

/* But for the ends: a heavy centroid there gets its extreme as a value of its own. */
static bool
same_centroids(const Tdigest *a, const Tdigest *b)
{
    const uint32_t means = count_means(a);

    for (uint32_t i = 0, j = 0, n = 0; means == count_means(b) && n < means; n++) {
        const double mean_a = tdigest_shown(a, a->centroids[i].mean), mean_b = b->centroids[j].mean;
        uint64_t rows_a, rows_b;
        const bool same = weight_of_mean(a, &i, &rows_a) == weight_of_mean(b, &j, &rows_b) &&
                          mean_a == mean_b && rows_a == rows_b;

        if (n > 0 && n + 1 < means && !same)
            return false;
    }
    return true;
}

/*
 * Count, extremes and centroids come back, those of one mean perhaps in another order, but not
 * which ends are next to a bound. What has come back once comes back the same.
 */
static void
check_there_and_back(SketchBytes value)
{
    SketchBytes back = there_and_back(value), again = there_and_back(back);
    Tdigest a, b;

    fuzz_check(tdigest_read(&a, value, &memory) && tdigest_read(&b, back, &memory), "readable");
    fuzz_check(a.weight == b.weight && a.compression <= b.compression, "another one comes back");
    if (a.count > 0)
        fuzz_check(tdigest_min(&a) == tdigest_min(&b) && tdigest_max(&a) == tdigest_max(&b),
                   "other extremes come back");
    fuzz_check(same_centroids(&a, &b), "other centroids come back");
    fuzz_check(same_bytes(back.data, back.size, again.data, again.size),
               "another one comes back the second time");
    tdigest_close(&a, &memory);
    tdigest_close(&b, &memory);
    release_bytes(back);
    release_bytes(again);
}

static void
read_sketch(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    unsigned format = input.size > 0 ? input.data[0] : 0;
    size_t skip = input.size > 0;
    SketchBytes value;

    input = (SketchBytes){input.data + skip, input.size - skip};
    memory_used.largest = 0;
    if (!import(format, input, &value, &error)) {
        fuzz_check_refusal(error);
        fuzz_check(memory_used.largest <= 32 * input.size + 10000,
                   "more memory than the input is worth");
        return;
    }
    check_there_and_back(value);
    fuzz_value(fuzz_mode(TDIGEST_MODE), value);
    release_bytes(value);
}

/* ---- good inputs ---- */

static double
random_step(Random *random)
{
    return random_unit(random) * (double)random_below(random, 5);
}

static void
write_kll(Foreign *f, TdigestItem item, const TdigestCentroid *centroids, uint32_t count,
          Random *random)
{
    uint32_t sizes[3];
    double items[CENTROIDS_MAX];

    sizes[0] = (uint32_t)random_below(random, count + 1);
    sizes[1] = (uint32_t)random_below(random, count - sizes[0] + 1);
    sizes[2] = count - sizes[0] - sizes[1];
    for (uint32_t i = 0; i < count; i++)
        items[i] = trunc(centroids[i].mean);
    foreign_kll(f, item, 3, sizes, items, (uint32_t)random_below(random, 4),
                random_below(random, 2) == 0, items[0], items[count - 1]);
}

static void
write_numbers(Foreign *f, Format format, uint32_t count, Random *random)
{
    double bound = -20;

    if (format == EXPONENTIAL)
        foreign_integer(f, random_below(random, 8) | random_below(random, 50) << 32, 8, false);
    for (uint32_t i = 0; i < count; i++)
        foreign_integer(f, random_below(random, 1000), 8, false);
    if (format == HISTOGRAM)
        for (uint32_t i = 0; i < count; i++)
            foreign_number(f, bound += 0.01 + random_step(random), 8, false);
}

static size_t
seed(Random *random, uint8_t *buffer)
{
    static uint8_t room[1 << 14];
    Format format = (Format)random_below(random, FORMATS);
    TdigestCentroid centroids[CENTROIDS_MAX];
    double counts[CENTROIDS_MAX];
    uint32_t count = 1 + (uint32_t)random_below(random, CENTROIDS_MAX);
    bool small = random_below(random, 2) == 0;
    Foreign f = {buffer, 0};
    double mean = -100;

    for (uint32_t i = 0; i < count; i++) {
        centroids[i].mean = mean += random_step(random);
        if (small)
            centroids[i].mean = (float)mean;
        centroids[i].weight = 1 + random_below(random, random_below(random, 3) ? 2 : 1000);
        counts[i] = (double)centroids[i].weight;
    }
    f.data[f.size++] = (uint8_t)format;
    switch (format) {
    case DATASKETCHES:
        foreign_datasketches(&f, small ? 4 : 8, 10 + (unsigned)random_below(random, 300), centroids,
                             count, &centroids[count / 2].mean, small ? 1 : 0, centroids[0].mean,
                             centroids[count - 1].mean);
        break;
    case DUNNING:
        (random_below(random, 2) ? foreign_dunning : foreign_avl)(
            &f, small, 100, centroids, count, centroids[0].mean, centroids[count - 1].mean);
        break;
    case EXTENSION:
        foreign_extension(&f, 1, 50, centroids, count);
        break;
    case EXTENSION_TEXT:
        foreign_text(&f, small, 50, centroids, count);
        break;
    case DDSKETCH:
        foreign_ddsketch(&f, small ? 1.02 : 1.7, (unsigned)random_below(random, 4), -5, counts,
                         count, random_below(random, 2) == 0, 3, room);
        break;
    case HISTOGRAM:
    case EXPONENTIAL:
        write_numbers(&f, format, count, random);
        break;
    default:
        write_kll(&f,
                  format == KLL_DOUBLE  ? TDIGEST_ITEM_DOUBLE
                  : format == KLL_FLOAT ? TDIGEST_ITEM_FLOAT
                                        : TDIGEST_ITEM_LONG,
                  centroids, count, random);
        break;
    }
    return f.size;
}

static const FuzzMode quantile_sketches = {
    .number = 40, .name = "quantile sketches of others", .read = read_sketch, .seed = seed};

FUZZ_MODE(quantile_sketches)
