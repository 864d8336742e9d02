/*
 * test_tdigest_repeats.c - values that repeat: exact where they are many of all, or few different.
 */
#include "../digest.h"

#define ROWS_MAX 40000
#define VALUES_MAX 167 /* of 1,000 / 6 */

typedef struct Rows {
    double *values, *sorted;
    size_t count;
} Rows;

static void
shuffle(double *values, size_t count, Random *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        double moved = values[i - 1];

        values[i - 1] = values[j];
        values[j] = moved;
    }
}

/* Expects exact ranks of a value, and exact percentiles where its rows are. */
static void
expect_exact(const Tdigest *digest, const Rows *rows, double value, const char *name,
             unsigned trial)
{
    const size_t begin = oracle_count(rows->sorted, rows->count, value, false);
    const size_t end = oracle_count(rows->sorted, rows->count, value, true);

    expect(begin < end && tdigest_less(digest, value) == (double)begin &&
               tdigest_up_to(digest, value) == (double)end,
           "%s %u: %g has the rows %g to %g, not %zu to %zu of %zu", name, trial, value,
           tdigest_less(digest, value), tdigest_up_to(digest, value), begin, end, rows->count);
    for (unsigned i = 1; i < 8 && end - begin > 1; i++) {
        double index = (double)begin + (double)(end - 1 - begin) * i / 8;
        double q = index / (double)(rows->count - 1);

        expect(tdigest_percentile(digest, q) == value, "%s %u: percentile %.17g is %.17g, not %g",
               name, trial, q, tdigest_percentile(digest, q), value);
    }
}

/* One of the other rows: smooth, of a few values, or of many; few of them repeat a heavy one. */
static double
other_row(Random *random, unsigned kind)
{
    double u = random_unit(random);

    return kind == 0   ? -30 * log(1 - u)
           : kind == 1 ? floor(u * 40) * 3 + 0.5
                       : floor(u * 5000) / 40;
}

/* Rows of one part, in random order: of each heavy value the share, and a random rest. */
static void
make_part(double *values, size_t count, const double *heavy, unsigned heavy_count, double share,
          Random *random)
{
    const unsigned kind = (unsigned)random_below(random, 3);
    const size_t each = (size_t)ceil(share * (double)count);
    size_t n = 0;

    for (unsigned i = 0; i < heavy_count; i++)
        for (size_t j = 0; j < each; j++)
            values[n++] = heavy[i];
    while (n < count)
        values[n++] = random_below(random, 4) == 0 ? heavy[random_below(random, heavy_count)]
                                                   : other_row(random, kind);
    shuffle(values, count, random);
}

/*
 * 3 % at compression 200: a value of that share, in each part too, is exact, alone, merged and with
 * weights.
 */
static void
test_shares(void)
{
    static const unsigned compressions[] = {50, 100, 200, 500, 1000};
    Rows rows = {malloc(ROWS_MAX * sizeof(double)), malloc(ROWS_MAX * sizeof(double)), 0};

    for (unsigned trial = 0; trial < trials_of(1000); trial++) {
        Random random = {trial + 1};
        const unsigned compression = compressions[random_below(&random, 5)];
        const double share = 6.0 / compression;
        const size_t part = (size_t)(20 * pow(10, 2 * random_unit(&random)));
        const unsigned parts = 1 + (unsigned)random_below(&random, ROWS_MAX / part);
        double heavy[VALUES_MAX];
        const unsigned heavy_count =
            1 + (unsigned)random_below(&random, part / (size_t)ceil(share * (double)part));
        SketchState built = digest_new(compression), merged = digest_new(compression);
        SketchState weighted = digest_new(compression);
        SketchBytes packed;
        Tdigest digest;

        rows.count = part * parts;
        for (unsigned i = 0; i < heavy_count; i++)
            heavy[i] = floor(random_unit(&random) * 1000) / 8;
        for (unsigned p = 0; p < parts; p++) {
            double *values = rows.values + p * part;
            SketchState one = digest_new(compression);

            make_part(values, part, heavy, heavy_count, share, &random);
            for (size_t i = 0; i < part; i++)
                digest_add(&one, values[i], 1);
            packed = digest_finish(one);
            digest_merge(&merged, packed);
            release_bytes(packed);
            /* Now and then a digest of digests. */
            if (random_below(&random, 8) == 0) {
                packed = digest_finish(merged);
                merged = tdigest_ops.open(packed, &memory);
                release_bytes(packed);
            }
        }
        memcpy(rows.sorted, rows.values, rows.count * sizeof(double));
        sort_doubles(rows.sorted, rows.count);
        for (size_t i = 0, end; i < rows.count; i = end) {
            for (end = i + 1; end < rows.count && rows.sorted[end] == rows.sorted[i];)
                end++;
            for (size_t left = end - i, weight; left > 0; left -= weight) {
                weight = 1 + (size_t)random_below(&random, left);
                digest_add(&weighted, rows.sorted[i], weight);
            }
        }
        shuffle(rows.values, rows.count, &random);
        for (size_t i = 0; i < rows.count; i++)
            digest_add(&built, rows.values[i], 1);
        for (unsigned way = 0; way < 3; way++) {
            static const char *const names[] = {"built", "merged", "weighted"};

            packed = digest_finish(way == 0 ? built : way == 1 ? merged : weighted);
            expect(digest_canonical(packed), "%s %u: not canonical", names[way], trial);
            digest = digest_read(packed);
            for (unsigned i = 0; i < heavy_count; i++)
                expect_exact(&digest, &rows, heavy[i], names[way], trial);
            digest_close(&digest);
            release_bytes(packed);
        }
    }
    conclude("a value of 6 / compression of all rows is exact");
    free(rows.values);
    free(rows.sorted);
}

/*
 * As many different values as have room, by the rows of each: 8 bytes of a mean, those of a weight,
 * and a bit, in 6.8 bytes per compression.
 */
static void
test_different(void)
{
    static const struct {
        unsigned values;
        uint64_t rows;
    } kept[] = {{149, 127},
                {134, (1 << 14) - 1},
                {122, (1 << 21) - 1},
                {112, (1 << 28) - 1},
                {103, UINT64_C(1) << 34}};

    for (unsigned k = 0; k < sizeof kept / sizeof kept[0]; k++)
        for (unsigned more = 0; more < 2; more++) {
            const unsigned values = kept[k].values + more;
            SketchState state = digest_new(200);
            unsigned wrong = 0;
            SketchBytes packed;
            Tdigest digest;

            /* In turns, so that each comes many times. */
            for (unsigned turn = 0; turn < 7; turn++)
                for (unsigned i = 0; i < values; i++) {
                    uint64_t weight = kept[k].rows / 7 + (turn < kept[k].rows % 7);

                    digest_add(&state, i * 37 % values * 1.5, weight);
                }
            packed = digest_finish(state);
            digest = digest_read(packed);
            for (unsigned i = 0; i < values; i++)
                wrong += tdigest_less(&digest, i * 1.5) != (double)(i * kept[k].rows) ||
                         tdigest_up_to(&digest, i * 1.5) != (double)((i + 1) * kept[k].rows);
            expect((wrong > 0) == more, "%u values of %llu rows: %u wrong", values,
                   (unsigned long long)kept[k].rows, wrong);
            digest_close(&digest);
            release_bytes(packed);
        }
    conclude("as many different values as have room");
}

/* A state keeps five times its compression of different values, in any order and number. */
static void
test_states(void)
{
    Rows rows = {malloc(ROWS_MAX * sizeof(double)), malloc(ROWS_MAX * sizeof(double)), ROWS_MAX};

    for (unsigned order = 0; order < 3; order++) {
        SketchState state = digest_new(200);
        Random random = {order + 5};
        Tdigest digest;

        for (size_t i = 0; i < rows.count; i++)
            rows.sorted[i] = (double)(i / (rows.count / 1000));
        memcpy(rows.values, rows.sorted, rows.count * sizeof(double));
        if (order == 1)
            shuffle(rows.values, rows.count, &random);
        for (size_t i = 0; i < rows.count; i++)
            digest_add(&state, rows.values[order == 2 ? rows.count - 1 - i : i], 1);
        digest = digest_read(sketch_bytes(state));
        for (unsigned i = 0; i < 1000; i++)
            expect_exact(&digest, &rows, i, "state", order);
        digest_close(&digest);
        release_state(state);
    }
    free(rows.values);
    free(rows.sorted);
    conclude("a state keeps 1,000 different values");
}

int
main(void)
{
    test_shares();
    test_different();
    test_states();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
