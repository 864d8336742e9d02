/*
 * test_tdigest_curve.c - the curve of any digest, however damaged its shape: ranks and values
 * ascend with one another to the last digit, and invert one another.
 *
 * The number of random digests is the argument, 50,000 without one.
 */
#include "../digest.h"
#include "core/tdigest/curve.h"

#define CENTROIDS 12
#define ASKED 24

/* ---- digests of all shapes ---- */

/* A mean of one of the families: near one another, ties, denormal, as far apart as possible. */
static double
draw_mean(Random *random, unsigned family)
{
    double unit = random_unit(random);
    double sign = random_below(random, 2) ? 1 : -1;

    switch (family) {
    case 0:
        return unit;
    case 1:
        return (double)random_below(random, 5) - 2;
    case 2:
        return sign * 0x1p-1074 * (double)random_below(random, 9);
    case 3:
        return sign * DBL_MAX * (1 - unit / 8);
    case 4:
        return sign * pow(10, 600 * unit - 300);
    case 5:
        return 1 + DBL_EPSILON * (double)random_below(random, 8);
    case 6:
        return sign * pow(unit, -20);
    default:
        return draw_mean(random, (unsigned)random_below(random, 7));
    }
}

static uint64_t
draw_weight(Random *random, unsigned family)
{
    switch (family) {
    case 0:
        return 1 + random_below(random, 3);
    case 1:
        return 1 + random_below(random, 1000);
    case 2:
        return (uint64_t)1 << random_below(random, 59);
    case 3:
        return (UINT64_C(1) << 59) - random_below(random, 1000);
    default:
        return draw_weight(random, (unsigned)random_below(random, 4));
    }
}

/* A valid digest in `room`. */
static Tdigest
draw_digest(Random *random, TdigestCentroid *room)
{
    unsigned means = (unsigned)random_below(random, 8), weights = (unsigned)random_below(random, 5);
    uint32_t count = 1 + (uint32_t)random_below(random, CENTROIDS);
    double sorted[CENTROIDS];
    uint64_t weight = 0;

    for (uint32_t i = 0; i < count; i++)
        sorted[i] = draw_mean(random, means) + 0.0;
    sort_doubles(sorted, count);
    for (uint32_t i = 0; i < count; i++) {
        room[i] = (TdigestCentroid){sorted[i], draw_weight(random, weights)};
        weight += room[i].weight;
    }
    return (Tdigest){.compression = 200, .count = count, .centroids = room, .weight = weight};
}

/* ---- what is asked ---- */

/* Indexes near one another, near whole numbers and anywhere, ascending. */
static void
draw_indexes(Random *random, const Tdigest *digest, double *indexes)
{
    double weight = (double)digest->weight, before = 0;
    uint32_t i = (uint32_t)random_below(random, digest->count);

    for (uint32_t j = 0; j < i; j++)
        before += (double)digest->centroids[j].weight;
    for (unsigned k = 0; k < ASKED; k += 3) {
        double index = before + random_unit(random) * (double)digest->centroids[i].weight;

        if (k % 4 == 0)
            index = random_unit(random) * weight;
        else if (k % 4 == 1)
            index = floor(index);
        indexes[k] = fmin(index, weight);
        indexes[k + 1] = fmin(nextafter(index, INFINITY), weight);
        indexes[k + 2] = fmax(nextafter(index, 0), 0);
    }
    indexes[0] = 0;
    indexes[1] = weight;
    sort_doubles(indexes, ASKED);
}

/* Values at, beside and between means, ascending. */
static void
draw_values(Random *random, const Tdigest *digest, double *values)
{
    for (unsigned k = 0; k < ASKED; k += 3) {
        uint32_t i = (uint32_t)random_below(random, digest->count);
        double mean = digest->centroids[i].mean;
        double next = digest->centroids[i + 1 < digest->count ? i + 1 : i].mean;
        double share = k % 2 ? random_unit(random) : pow(random_unit(random), 20);
        double value = mean * (1 - share) + next * share;

        values[k] = value;
        values[k + 1] = nextafter(k % 4 ? value : mean, -INFINITY);
        values[k + 2] = nextafter(k % 4 ? value : mean, INFINITY);
    }
    sort_doubles(values, ASKED);
}

static double
beside(double value, double towards)
{
    return nextafter(value, towards);
}

static void
check_values(const Tdigest *digest, const double *indexes, uint64_t seed)
{
    double least = tdigest_min(digest), greatest = tdigest_max(digest);
    double units = least, ranks = least;

    for (unsigned k = 0; k < ASKED; k++) {
        double index = indexes[k], slack = 1e-12 * index;
        double value = tdigest_curve_value(digest, index, TDIGEST_UNITS);

        expect(value >= units && value <= greatest, "seed %llu: %.17g at %.17g after %.17g",
               (unsigned long long)seed, value, index, units);
        units = value;
        expect(tdigest_below(digest, beside(value, -INFINITY)) <= index + slack &&
                   tdigest_below(digest, beside(value, INFINITY)) >= index - slack,
               "seed %llu: %.17g at %.17g, beside it ranks %.17g and %.17g",
               (unsigned long long)seed, value, index,
               tdigest_below(digest, beside(value, -INFINITY)),
               tdigest_below(digest, beside(value, INFINITY)));
        value = tdigest_curve_value(digest, fmin(index, (double)digest->weight - 1), TDIGEST_RANKS);
        expect(value >= ranks && value <= greatest, "seed %llu: %.17g at rank %.17g after %.17g",
               (unsigned long long)seed, value, index, ranks);
        ranks = value;
    }
    expect(units == greatest && tdigest_at(digest, 0) == least, "seed %llu: ends",
           (unsigned long long)seed);
}

static void
check_ranks(const Tdigest *digest, const double *values, uint64_t seed)
{
    double weight = (double)digest->weight, below = 0, less = 0;

    for (unsigned k = 0; k < ASKED; k++) {
        double b = tdigest_below(digest, values[k]), l = tdigest_less(digest, values[k]);

        expect(b >= below && b <= weight, "seed %llu: rank of %.17g is %.17g after %.17g",
               (unsigned long long)seed, values[k], b, below);
        expect(l >= less && l <= b, "seed %llu: less than %.17g is %.17g after %.17g, below %.17g",
               (unsigned long long)seed, values[k], l, less, b);
        below = b;
        less = l;
    }
}

/* Trimmed means stay between the extremes, ascend, and that of all is the mean of the centroids. */
static void
check_means(Random *random, const Tdigest *digest, uint64_t seed)
{
    double cut = random_unit(random), far = cut + (1 - cut) * random_unit(random);
    double low = tdigest_trimmed_mean(digest, 0, far), high = tdigest_trimmed_mean(digest, cut, 1);
    double middle = tdigest_trimmed_mean(digest, cut, far), all = 0;

    expect(low >= tdigest_min(digest) && high <= tdigest_max(digest) &&
               (isnan(middle) || (middle >= tdigest_min(digest) && middle <= tdigest_max(digest))),
           "seed %llu: trimmed means %.17g, %.17g, %.17g", (unsigned long long)seed, low, middle,
           high);
    for (uint32_t i = 0; i < digest->count; i++)
        all += digest->centroids[i].mean *
               ((double)digest->centroids[i].weight / (double)digest->weight);
    middle = tdigest_trimmed_mean(digest, 0, 1);
    expect(!(fabs(middle / 2 - all / 2) >
             1e-13 * fmax(fabs(tdigest_min(digest)), fabs(tdigest_max(digest))) +
                 CENTROIDS * 0x1p-1074),
           "seed %llu: mean %.17g, not %.17g", (unsigned long long)seed, middle, all);
}

static void
test_any(uint64_t digests)
{
    for (uint64_t seed = 1; seed <= digests; seed++) {
        TdigestCentroid room[CENTROIDS];
        double asked[ASKED];
        Random random = {seed};
        Tdigest digest = draw_digest(&random, room);

        draw_indexes(&random, &digest, asked);
        check_values(&digest, asked, seed);
        draw_values(&random, &digest, asked);
        check_ranks(&digest, asked, seed);
        check_means(&random, &digest, seed);
    }
    conclude("%llu digests of any shape: monotone, inverse, within the extremes",
             (unsigned long long)digests);
}

/* ---- what the curve is ---- */

static Tdigest
digest_by_hand(const TdigestCentroid *centroids, uint32_t count)
{
    Tdigest digest = {.compression = 200, .count = count, .centroids = centroids};

    for (uint32_t i = 0; i < count; i++)
        digest.weight += centroids[i].weight;
    return digest;
}

/* Of evenly spread values, whatever the weights, the curve is the line. */
static void
test_even(void)
{
    TdigestCentroid c[40];
    uint64_t before = 0;
    Tdigest digest;

    for (unsigned i = 0; i < 40; i++) {
        uint64_t weight = i == 0 || i == 39 ? 1 : 1 + i % 7;

        c[i] = (TdigestCentroid){(double)before + (double)weight / 2, weight};
        before += weight;
    }
    digest = digest_by_hand(c, 40);
    for (double index = 1; index < (double)digest.weight - 1; index += 0.25)
        expect(fabs(tdigest_at(&digest, index) - index) < 0.6, "at %g: %.17g", index,
               tdigest_at(&digest, index));
    conclude("evenly spread values are on a line, within a value");
}

/* Values of an exponential distribution: the densities of centroids of equal weight halve. */
static void
test_exponential(void)
{
    enum { COUNT = 22, EACH = 1000 };
    TdigestCentroid c[COUNT];
    double worst = 0, worst_line = 0;
    Tdigest digest;

    /* Centroid i has the values between -ln(1 - i/20) and the next; its mean is exact. */
    for (unsigned i = 1; i < COUNT - 1; i++) {
        double a = 1 - (i - 1) / (COUNT - 2.0), b = 1 - i / (COUNT - 2.0);
        double upper = b > 0 ? b * log(b) - b : 0, lower = a * log(a) - a;

        c[i] = (TdigestCentroid){(upper - lower) / (a - b), EACH};
    }
    c[0] = (TdigestCentroid){0, 1};
    c[COUNT - 1] = (TdigestCentroid){12, 1};
    digest = digest_by_hand(c, COUNT);
    for (double q = 0.05; q < 0.9; q += 0.001) {
        double value = tdigest_quantile(&digest, q), rank = q * (double)digest.weight;
        double error = fabs(1 - exp(-value) - q);
        unsigned i = (unsigned)((rank - 1) / EACH + 0.5);
        double share = (rank - 1) / EACH + 0.5 - i;
        double line = c[i].mean * (1 - share) + c[i + 1].mean * share;

        worst = fmax(worst, error);
        worst_line = fmax(worst_line, fabs(1 - exp(-line) - q));
    }
    expect(worst < 4e-4 && worst_line > 10 * worst, "error %g, of lines %g", worst, worst_line);
    conclude("an exponential density: a tenth of the error of lines");
}

/*
 * A value that fills several centroids is not spread; nor are the extremes, whatever their weight.
 */
static void
test_ties(void)
{
    static const TdigestCentroid c[] = {{1, 700}, {4, 10}, {5, 300}, {5, 200},
                                        {5, 1},   {9, 40}, {20, 9}};
    static const struct {
        double value, below, less;
    } known[] = {{0, 0, 0}, {1, 350, 0}, {5, 960.5, 710}, {20, 1255.5, 1251}, {21, 1260, 1260}};
    Tdigest digest = digest_by_hand(c, 7);

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        expect(tdigest_below(&digest, known[i].value) == known[i].below &&
                   tdigest_less(&digest, known[i].value) == known[i].less,
               "%g: below %.17g, less %.17g", known[i].value,
               tdigest_below(&digest, known[i].value), tdigest_less(&digest, known[i].value));
    for (unsigned index = 0; index <= 1260; index++) {
        double value = tdigest_at(&digest, index);

        expect((value == 1) == (index <= 700) && (value == 5) == (index >= 710 && index <= 1211) &&
                   (value == 20) == (index >= 1251),
               "at %u: %.17g", index, value);
    }
    conclude("ties and heavy extremes are steps");
}

/* Parts of a centroid have the means of the curve, and add up to the centroid. */
static void
test_parts(void)
{
    static const TdigestCentroid c[] = {{0, 1}, {1, 100}, {2.5, 100}, {5, 100}, {11, 100}, {40, 1}};
    Tdigest digest = digest_by_hand(c, 6);
    double before = -INFINITY;

    for (unsigned cut = 102; cut <= 200; cut++) {
        double low = tdigest_curve_mean(&digest, 2, 101, 101, cut);
        double high = tdigest_curve_mean(&digest, 2, 101, cut, 201);

        expect(low > before && low < 2.5 && high > 2.5 && high < 5, "cut %u: %.17g, %.17g", cut,
               low, high);
        expect(fabs((low * (cut - 101) + high * (201 - cut)) / 100 - 2.5) < 0.01,
               "cut %u: together %.17g", cut, (low * (cut - 101) + high * (201 - cut)) / 100);
        before = low;
    }
    expect(tdigest_trimmed_mean(&digest, 0, 1) == (0 + 100 + 250 + 500 + 1100 + 40) / 402.0,
           "the mean of all is %.17g", tdigest_trimmed_mean(&digest, 0, 1));
    conclude("trimmed means of parts of a centroid");
}

int
main(int argc, char **argv)
{
    test_even();
    test_exponential();
    test_ties();
    test_parts();
    test_any(argc > 1 ? strtoull(argv[1], NULL, 10) : 50000);
    return conclude_all();
}
