/*
 * test_tdigest_working.c - how large working digests are, and how they grow.
 */
#include "../digest.h"
#include "core/tdigest/tdigest_internal.h"

#define VALUES_MOST 16384

/* What tdigest/working.c promises: room for five times the compression and a buffer of 2048. */
static size_t
most_bytes(unsigned compression)
{
    size_t needed =
        sizeof(TdigestCentroids) + (5 * (size_t)compression + 2048) * sizeof(TdigestCentroid);
    size_t chunk = 128;

    while (chunk < needed)
        chunk *= 2;
    return chunk;
}

static unsigned
requested_of(SketchState state)
{
    unsigned requested;

    tdigest_requested(sketch_bytes(state), &requested);
    return requested;
}

/* With the length word, and in large values without the requested quantiles. */
static size_t
chunk_of(SketchState state)
{
    size_t size = state.size + SKETCH_PREFIX_BYTES;

    return size < VALUES_MOST ? size : size - requested_of(state) * sizeof(double);
}

static bool
power_of_two(size_t size)
{
    return size >= 128 && (size & (size - 1)) == 0;
}

static void
test_growth(unsigned compression, unsigned requested)
{
    uint8_t quantiles[TDIGEST_REQUESTED_MAX * 8] = {0};
    SketchState state = tdigest_new(compression, requested, quantiles, &memory);
    Random random = {compression};

    for (unsigned n = 1; n <= 100000; n++) {
        size_t before = chunk_of(state);

        digest_add(&state, random_unit(&random), 1);
        expect(power_of_two(chunk_of(state)) && chunk_of(state) >= before &&
                   chunk_of(state) <= most_bytes(compression),
               "%u values, compression %u: %zu bytes", n, compression, chunk_of(state));
        /* Values take at most twice what they are, and the header. */
        if (state.data[2] == TDIGEST_VALUES)
            expect(chunk_of(state) <= 128 || chunk_of(state) < 2 * (8 * (n + requested) + 16),
                   "%u values: %zu bytes", n, chunk_of(state));
        expect(n > 10 || requested > 3 || chunk_of(state) == 128, "%u values: %zu bytes", n,
               chunk_of(state));
        expect(n > 2000 || requested > 0 || chunk_of(state) <= VALUES_MOST, "%u values: %zu bytes",
               n, chunk_of(state));
        expect(tdigest_weight(sketch_bytes(state)) == n, "%u values: weight", n);
    }
    release_state(state);
}

static void
test_growths(void)
{
    static const unsigned compressions[] = {10, 200, 500, 10000};

    for (unsigned i = 0; i < 4; i++) {
        test_growth(compressions[i], 0);
        test_growth(compressions[i], 3);
    }
    test_growth(200, TDIGEST_REQUESTED_MAX);
    conclude("sizes are powers of two with the length word, from 128 bytes up to what is promised");
}

/* What is requested of a digest makes no difference to its centroids. */
static void
test_requested(void)
{
    static const unsigned requested[] = {1, 2, 10, TDIGEST_REQUESTED_MAX};
    uint8_t quantiles[TDIGEST_REQUESTED_MAX * 8] = {0};

    for (unsigned i = 0; i < 4; i++)
        for (uint64_t most = 1; most < 4; most += 2) {
            SketchState plain = digest_new(100);
            SketchState state = tdigest_new(100, requested[i], quantiles, &memory);
            Random random = {i};

            for (unsigned n = 1; n <= 20000; n++) {
                double value = random_unit(&random);
                uint64_t weight = 1 + random_below(&random, most);

                digest_add(&plain, value, weight);
                digest_add(&state, value, weight);
                if (n % 2000 == 0 || (n > 1900 && n < 2100)) {
                    Tdigest a = digest_read(sketch_bytes(plain));
                    Tdigest b = digest_read(sketch_bytes(state));

                    expect(same_bytes(a.centroids, a.count * sizeof *a.centroids, b.centroids,
                                      b.count * sizeof *b.centroids),
                           "%u values, %u quantiles", n, requested[i]);
                    digest_close(&a);
                    digest_close(&b);
                }
            }
            release_state(plain);
            release_state(state);
        }
    conclude("the same centroids whatever is requested");
}

/* Weighted values, and digests that are merged, need no more. */
static void
test_weighted_growth(void)
{
    static const unsigned compressions[] = {10, 200, 1000};

    for (unsigned i = 0; i < 3; i++) {
        SketchState state = digest_new(compressions[i]);
        SketchState all = digest_new(compressions[i]);
        Random random = {i};

        for (unsigned n = 1; n <= 40000; n++) {
            digest_add(&state, random_unit(&random), 2 + random_below(&random, 1000));
            expect(power_of_two(chunk_of(state)) &&
                       chunk_of(state) <= most_bytes(compressions[i]) &&
                       (chunk_of(state) <= 128 || chunk_of(state) <= 2 * (16 * (size_t)n + 32)),
                   "%u weights: %zu bytes", n, chunk_of(state));
            if (n % 100 == 0) {
                SketchBytes packed = digest_pack(state);

                digest_merge(&all, packed);
                expect(power_of_two(chunk_of(all)) && chunk_of(all) <= most_bytes(compressions[i]),
                       "%u digests: %zu bytes", n / 100, chunk_of(all));
                release_bytes(packed);
            }
        }
        release_state(state);
        release_state(all);
    }
    conclude("weights and merged digests need no more");
}

/* A copy to work on is as large as what is in it. */
static void
test_open(void)
{
    for (unsigned n = 0; n < 100000; n = n * 2 + 1) {
        SketchState state = digest_new(200), opened;
        SketchBytes packed;
        Tdigest a, b;

        for (unsigned i = 0; i < n; i++)
            digest_add(&state, mix64(i), 1);
        packed = digest_pack(state);
        opened = tdigest_ops.open(packed, &memory);
        expect(power_of_two(chunk_of(opened)) && chunk_of(opened) <= 4096, "%u values: %zu bytes",
               n, chunk_of(opened));
        release_state(opened);
        opened = tdigest_ops.open(sketch_bytes(state), &memory);
        a = digest_read(sketch_bytes(state));
        b = digest_read(sketch_bytes(opened));
        expect(power_of_two(chunk_of(opened)) && a.count == b.count &&
                   same_bytes(a.centroids, a.count * sizeof(TdigestCentroid), b.centroids,
                              b.count * sizeof(TdigestCentroid)),
               "%u values: opened as something else", n);
        expect(n <= 10000 || (b.count >= 200 && b.count <= 5 * 200 + 4096), "%u values: %u", n,
               b.count);
        digest_close(&a);
        digest_close(&b);
        release_state(opened);
        release_bytes(packed);
        release_state(state);
    }
    conclude("copies to work on");
}

/* Reading and packing leave a value as it is. */
static void
test_untouched(void)
{
    SketchState state = digest_new(50);

    for (unsigned n = 0; n < 9000; n++) {
        digest_add(&state, mix64(n) % 5000, 1 + n / 4000);
        if (n % 250 == 0 || n < 20) {
            Bytes before = bytes_copy(state.data, state.size);
            SketchState other = tdigest_ops.open(sketch_bytes(state), &memory);
            SketchBytes packed = digest_pack(state);
            Tdigest digest = digest_read(sketch_bytes(state));

            expect(digest_sound(&digest), "%u values: not sound", n);
            digest_merge(&other, sketch_bytes(state));
            expect(same_bytes(before.data, before.size, state.data, state.size), "%u values", n);
            digest_close(&digest);
            release_bytes(packed);
            release_state(other);
            free(before.data);
        }
    }
    release_state(state);
    conclude("reading, opening, packing and being merged change nothing");
}

/*
 * Means that differ in their last bits only, descending or in no order; with one far from them
 * these bits are not among those that are sorted by first. Equal means keep their order.
 */
static void
test_close_means(void)
{
    static const uint32_t counts[] = {1, 2, 3, 40, 500, 5000};
    Random random = {11};

    for (unsigned i = 0; i < 6; i++)
        for (unsigned order = 0; order < 4; order++) {
            uint32_t count = counts[i];
            TdigestCentroid *centroids = malloc(count * sizeof *centroids);
            TdigestCentroid *out = malloc(count * sizeof *out);
            TdigestCentroid *other = malloc(count * sizeof *other);
            uint64_t weights = 0, sum = 0;

            for (uint32_t at = 0; at < count; at++) {
                uint64_t bits = order % 2 ? random_below(&random, 4 * count) : count - at;

                centroids[at].mean =
                    order > 1 && at == count / 2 ? -1e9 : 1 + (double)bits * 0x1p-52;
                centroids[at].weight = 1 + at;
                sum += 1 + at;
            }
            memcpy(out, centroids, count * sizeof *out);
            tdigest_sort_centroids(out, count, other, &memory);
            for (uint32_t at = 0; at < count; at++) {
                expect(
                    at == 0 || out[at - 1].mean < out[at].mean ||
                        (out[at - 1].mean == out[at].mean && out[at - 1].weight < out[at].weight),
                    "%u of %u", at, count);
                expect(centroids[out[at].weight - 1].mean == out[at].mean, "another mean");
                weights += out[at].weight;
            }
            expect(weights == sum, "a centroid is missing");
            free(centroids);
            free(out);
            free(other);
        }
    conclude("centroids with close means are sorted");
}

int
main(void)
{
    test_growths();
    test_requested();
    test_weighted_growth();
    test_open();
    test_untouched();
    test_close_means();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
