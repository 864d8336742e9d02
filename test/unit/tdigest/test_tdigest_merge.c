/*
 * test_tdigest_merge.c - merging in any shape and size: weights are exact, errors stay small.
 */
#include "../digest.h"

#include "core/common/bytes.h"

#define N 128000
#define WAYS 64

static const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
static const double targets[] = {300e-6, 300e-6, 200e-6, 50e-6, 8e-6};

static double values[N], sorted[N];

/* N lognormal values, in random order and in theirs. */
static void
draw(uint64_t seed)
{
    Random random = {seed};

    for (size_t i = 0; i < N; i++)
        values[i] = exp(sqrt(-2 * log(random_unit(&random))) *
                        cos(6.283185307179586 * random_unit(&random)));
    memcpy(sorted, values, sizeof sorted);
    sort_doubles(sorted, N);
}

/* All N values are in it, at errors of a factor of the targets; releases it. */
static void
check_whole(SketchBytes packed, double factor, const char *name)
{
    Tdigest digest = digest_read(packed);

    expect(digest_canonical(packed), "%s: not canonical", name);
    expect(digest.weight == N && tdigest_weight(packed) == N, "%s: weight", name);
    expect(packed.size + SKETCH_PREFIX_BYTES <= 1400, "%s: %zu bytes", name, packed.size);
    expect(tdigest_min(&digest) == sorted[0] && tdigest_max(&digest) == sorted[N - 1],
           "%s: extremes", name);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned low = 0; low < 2; low++) {
            double q = low ? 1 - quantiles[i] : quantiles[i];
            double error = oracle_error(sorted, N, tdigest_quantile(&digest, q), q);

            expect(error <= factor * targets[i] + 2.0 / N, "%s: %g ppm at p%g", name, error * 1e6,
                   q * 100);
        }
    expect_consistent(&digest, name);
    digest_close(&digest);
    release_bytes(packed);
}

/* Values from `first` to before `end`, packed. */
static SketchBytes
part(size_t first, size_t end)
{
    return digest_packed_of(values + first, end - first, 200);
}

static SketchBytes
union_of(SketchBytes a, SketchBytes b)
{
    SketchState state = tdigest_ops.open(a, &memory);

    digest_merge(&state, b);
    return digest_finish(state);
}

/* Releases both. */
static SketchBytes
united(SketchBytes a, SketchBytes b)
{
    SketchBytes both = union_of(a, b);

    release_bytes(a);
    release_bytes(b);
    return both;
}

/* ---- the shapes of merging ---- */

/* All into one state, as a union aggregate does; parts packed or working. */
static SketchBytes
merge_many(const size_t *end, bool working)
{
    SketchState all = digest_new(200);
    size_t first = 0;

    for (unsigned i = 0; i < WAYS; first = end[i++]) {
        SketchState state = digest_of(values + first, end[i] - first, 200);
        SketchBytes packed = digest_pack(state);

        digest_merge(&all, working ? sketch_bytes(state) : packed);
        release_bytes(packed);
        release_state(state);
    }
    return digest_finish(all);
}

static void
even_ends(size_t *end)
{
    for (unsigned i = 0; i < WAYS; i++)
        end[i] = (size_t)N * (i + 1) / WAYS;
}

/* A few large parts, and many of one value or none. */
static void
uneven_ends(size_t *end)
{
    for (unsigned i = 0; i < WAYS; i++)
        end[i] = i == 0 ? 1 : i % 8 == 3 ? end[i - 1] + N / 9 : end[i - 1] + i % 3;
    end[WAYS - 1] = N;
}

static SketchBytes
merge_tree(const size_t *end, unsigned first, unsigned parts)
{
    if (parts == 1)
        return part(first == 0 ? 0 : end[first - 1], end[first]);
    return united(merge_tree(end, first, parts / 2),
                  merge_tree(end, first + parts / 2, parts - parts / 2));
}

/* Packed again after each step: what a chain of a | b | c does. */
static SketchBytes
merge_chain(const size_t *end)
{
    SketchBytes all = part(0, end[0]);

    for (unsigned i = 1; i < WAYS; i++)
        all = united(all, part(end[i - 1], end[i]));
    return all;
}

static void
test_shapes(void)
{
    size_t end[WAYS];

    for (unsigned i = 0; i < 5; i++) {
        bool uneven = i % 2 == 1;

        draw(i + 1);
        if (i == 4) /* each part a range of its own */
            memcpy(values, sorted, sizeof values);
        if (uneven)
            uneven_ends(end);
        else
            even_ends(end);
        check_whole(merge_many(end, false), 3, uneven ? "uneven" : "even");
        check_whole(merge_many(end, true), 2, uneven ? "uneven, working" : "even, working");
        check_whole(merge_tree(end, 0, WAYS), 10, uneven ? "uneven tree" : "tree");
        check_whole(merge_chain(end), 15, uneven ? "uneven chain" : "chain");
    }
    conclude("64 ways, evenly and not, at once, in trees and in chains");
}

/* The target after a merge of 64: twice that of one digest, rms over seeds. */
static void
test_rms(void)
{
    double sum[5] = {0};
    size_t end[WAYS];

    even_ends(end);
    for (unsigned seed = 1; seed <= 10; seed++) {
        SketchBytes packed;
        Tdigest digest;

        draw(seed + 50);
        packed = merge_many(end, false);
        digest = digest_read(packed);
        for (unsigned i = 0; i < 5; i++) {
            double q = quantiles[i];
            double high = oracle_error(sorted, N, tdigest_quantile(&digest, q), q);
            double low = oracle_error(sorted, N, tdigest_quantile(&digest, 1 - q), 1 - q);

            sum[i] += (high * high + low * low) / 2;
        }
        digest_close(&digest);
        release_bytes(packed);
    }
    for (unsigned i = 0; i < 5; i++)
        expect(sqrt(sum[i] / 10) <= 2 * targets[i], "%g ppm at p%g", sqrt(sum[i] / 10) * 1e6,
               quantiles[i] * 100);
    conclude("after merging 64 the rms error is within twice the targets");
}

/* ---- orders in which parts of one structure come ---- */

static size_t
from_ends(size_t i)
{
    return i % 2 ? N - 1 - i / 2 : i / 2;
}

/* The union of parts that have the next values each, in their order. */
static SketchBytes
merge_parts(unsigned parts)
{
    SketchState state = digest_new(200);

    for (unsigned i = 0; i < parts; i++) {
        SketchBytes packed = part((size_t)N * i / parts, (size_t)N * (i + 1) / parts);

        digest_merge(&state, packed);
        release_bytes(packed);
    }
    return digest_finish(state);
}

/* Of 300 parts those that come late are samples. */
static void
test_part_orders(void)
{
    static const char *const names[] = {"dealt out", "consecutive", "from the ends",
                                        "from the middle"};
    static const unsigned parts[] = {1, 2, 24, 64, 300};
    double mean = 0;

    draw(77);
    for (size_t i = 0; i < N; i++)
        mean += sorted[i] / N;
    for (unsigned order = 0; order < 4; order++)
        for (unsigned p = 0; p < 5; p++) {
            SketchBytes packed;
            Tdigest digest;

            for (size_t i = 0, at = 0; i < N; i++) {
                if (order == 0) {
                    values[i] = sorted[at];
                    at = at + parts[p] < N ? at + parts[p] : (at + 1) % parts[p];
                } else
                    values[i] = sorted[order == 1   ? i
                                       : order == 2 ? from_ends(i)
                                                    : from_ends(N - 1 - i)];
            }
            packed = merge_parts(parts[p]);
            digest = digest_read(packed);
            expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) / mean - 1) < 1e-9,
                   "%s, %u parts: the mean is wrong by %g", names[order], parts[p],
                   tdigest_trimmed_mean(&digest, 0, 1) / mean - 1);
            digest_close(&digest);
            {
                char nm[50];
                sprintf(nm, "%s %u", names[order], parts[p]);
                check_whole(packed, 2, nm);
            }
        }
    conclude("parts dealt out, consecutive, from the ends and from the middle");
}

/*
 * Few values that occur often, and a long tail: slices are narrower than what they take. With a
 * tail, digests of low compression lack more than may be given back.
 */
static void
test_mean(void)
{
    static const unsigned compressions[] = {20, 50, 200};
    Random random = {123};

    for (unsigned tail = 0; tail < 2; tail++)
        for (unsigned i = tail; i < 3; i++)
            for (unsigned parts = 2; parts <= 24; parts += 11) {
                SketchState state = digest_new(compressions[i]);
                double mean = 0, values_of_part[200];
                SketchBytes packed;
                Tdigest digest;

                for (unsigned p = 0; p < parts; p++) {
                    for (unsigned v = 0; v < 200; v++) {
                        values_of_part[v] = tail ? 1 / (1e-5 + random_unit(&random))
                                                 : (double)random_below(&random, 6);
                        mean += values_of_part[v] / (200 * parts);
                    }
                    packed = digest_packed_of(values_of_part, 200, compressions[i]);
                    digest_merge(&state, packed);
                    release_bytes(packed);
                }
                packed = digest_finish(state);
                digest = digest_read(packed);
                expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) / mean - 1) < 1e-9,
                       "tail %u, %u parts, compression %u: the mean is wrong by %g", tail, parts,
                       compressions[i], tdigest_trimmed_mean(&digest, 0, 1) / mean - 1);
                digest_close(&digest);
                release_bytes(packed);
            }
    conclude("the mean of a union is exact but for rounding");
}

/* `high` values of TWO are 1000, the others 0. */
#define TWO 4000

static SketchBytes
two_values(unsigned high)
{
    static double of_part[TWO];

    for (unsigned i = 0; i < TWO; i++)
        of_part[i] = i < high ? 1000 : 0;
    return digest_packed_of(of_part, TWO, 200);
}

/*
 * Two values only: between them there is nothing, though each run spreads half a centroid over the
 * way. All of it goes back to where it came from.
 */
static void
test_two_values(void)
{
    static const unsigned high[] = {1, 2, 3, 10, 100, 1000, 2000, 3500, 3990, 3998, 3999};

    for (unsigned a = 0; a < sizeof high / sizeof *high; a++)
        for (unsigned b = 0; b < sizeof high / sizeof *high; b++) {
            SketchState state = digest_new(200);
            SketchBytes parts[] = {two_values(high[a]), two_values(high[b])}, packed;
            double mean = 1000.0 * (high[a] + high[b]) / (2 * TWO), share;
            Tdigest digest;

            for (unsigned p = 0; p < 2; p++) {
                digest_merge(&state, parts[p]);
                release_bytes(parts[p]);
            }
            packed = digest_finish(state);
            digest = digest_read(packed);
            expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) / mean - 1) < 1e-9,
                   "%u and %u high values: the mean is wrong by %g", high[a], high[b],
                   tdigest_trimmed_mean(&digest, 0, 1) / mean - 1);
            share = tdigest_below(&digest, 500) / (2 * TWO);
            expect(fabs(share - (1 - mean / 1000)) < 0.005, "%u and %u high values: %g are low",
                   high[a], high[b], share);
            digest_close(&digest);
            release_bytes(packed);
        }
    conclude("of two values the mean is exact, and the rank between them near");
}

/* Nothing is between two heaps of values, whether they come together or apart. */
static void
test_gap(void)
{
    for (unsigned parts = 1; parts <= 32; parts += 31) {
        SketchBytes packed;
        Tdigest digest;

        for (size_t i = 0; i < N; i++)
            values[i] = (i % 10 < 4 ? 0 : 1e6) + (double)(i * 7919 % N) / N;
        packed = merge_parts(parts);
        digest = digest_read(packed);
        expect(tdigest_quantile(&digest, 0.3999) <= 1 && tdigest_quantile(&digest, 0.4001) >= 1e6,
               "%u parts: %.17g and %.17g", parts, tdigest_quantile(&digest, 0.3999),
               tdigest_quantile(&digest, 0.4001));
        digest_close(&digest);
        release_bytes(packed);
    }
    conclude("no answer in a gap");
}

/* ---- few values ---- */

/* Merging what is exact, together no more than is held, is exact: the bytes of the whole. */
static void
test_exact(void)
{
    Random random = {8};

    for (unsigned trial = 0; trial < trials_of(300); trial++) {
        size_t n = random_below(&random, 151), split = random_below(&random, n + 1);
        double all[150];
        SketchBytes whole, both;

        for (size_t i = 0; i < n; i++)
            all[i] = trial % 2 ? random_unit(&random) : (double)random_below(&random, 9);
        whole = digest_packed_of(all, n, 200);
        both = united(digest_packed_of(all + split, n - split, 200),
                      digest_packed_of(all, split, 200));
        expect(same_values(whole, both), "%zu and %zu of %zu", split, n - split, n);
        release_bytes(whole);
        release_bytes(both);
    }
    conclude("few values: merging gives the bytes of the whole");
}

static void
test_empty(void)
{
    static const size_t sizes[] = {0, 1, 2, 150, 151, 5000, N};
    static const unsigned compressions[] = {10, 200, 10000};

    draw(9);
    for (unsigned i = 0; i < 7; i++)
        for (unsigned c = 0; c < 3; c++) {
            SketchBytes packed = digest_packed_of(values, sizes[i], 200);
            SketchState empty = digest_new(compressions[c]);
            SketchState state = tdigest_ops.open(packed, &memory);
            SketchBytes nothing = digest_pack(empty), a, b;

            digest_merge(&state, i % 2 ? nothing : sketch_bytes(empty));
            digest_merge(&empty, packed);
            a = digest_finish(state);
            b = digest_finish(empty);
            expect(same_values(a, b), "%zu values and nothing of %u", sizes[i], compressions[c]);
            expect((sizes[i] == 0 && compressions[c] < 200)
                       ? tdigest_compression(a) == compressions[c]
                       : same_values(a, packed),
                   "%zu values with nothing of %u are others", sizes[i], compressions[c]);
            expect(tdigest_weight(a) == sizes[i] && digest_canonical(a), "%zu", sizes[i]);
            release_bytes(a);
            release_bytes(b);
            release_bytes(nothing);
            release_bytes(packed);
        }
    conclude("merging with an empty digest changes nothing");
}

/* ---- compressions ---- */

static void
test_compressions(void)
{
    static const unsigned compressions[] = {10, 11, 100, 200, 1000, 10000};

    draw(10);
    for (unsigned i = 0; i < 6; i++)
        for (unsigned j = 0; j < 6; j++)
            for (unsigned form = 0; form < 4; form++) {
                unsigned lower = compressions[i < j ? i : j];
                SketchState state = digest_of(values, N / 4, compressions[i]);
                SketchState other = digest_of(values + N / 4, N / 4, compressions[j]);
                SketchBytes packed = digest_pack(other), both;
                Tdigest digest;

                if (form & 2) {
                    SketchBytes own = digest_finish(state);

                    state = tdigest_ops.open(own, &memory);
                    release_bytes(own);
                }
                digest_merge(&state, form & 1 ? packed : sketch_bytes(other));
                both = digest_finish(state);
                digest = digest_read(both);
                expect(digest.compression == lower && digest.weight == N / 2 &&
                           digest.count <= lower * 3 / 4 && digest.count >= lower * 9 / 20 &&
                           digest_canonical(both),
                       "%u and %u: compression %u, %u centroids", compressions[i], compressions[j],
                       digest.compression, digest.count);
                expect(fabs(tdigest_quantile(&digest, 0.5) - 1) < 10.0 / lower + 0.01,
                       "%u and %u: median %g", compressions[i], compressions[j],
                       tdigest_quantile(&digest, 0.5));
                digest_close(&digest);
                release_bytes(both);
                release_bytes(packed);
                release_state(other);
            }
    conclude("of two compressions the lower is kept");
}

/* Many coarse digests in one: nothing can be merged any further, and still it is packed. */
static void
test_coarse(void)
{
    Random random = {4};

    for (unsigned trial = 0; trial < trials_of(60); trial++) {
        unsigned compression = 10 + (unsigned)random_below(&random, trial % 2 ? 10 : 300);
        SketchState all = digest_new(compression);
        uint64_t total = 0;
        SketchBytes packed;

        for (unsigned i = 0; i < 400; i++) {
            SketchState state = digest_new(compression);
            unsigned few = 1 + (unsigned)random_below(&random, 8);

            for (unsigned j = 0; j < few; j++) {
                uint64_t weight = UINT64_C(1) << random_below(&random, trial % 3 ? 45 : 4);

                digest_add(&state, random_unit(&random) * 1000 + i, weight);
                total += weight;
            }
            packed = digest_finish(state);
            digest_merge(&all, packed);
            release_bytes(packed);
        }
        packed = digest_finish(all);
        expect(tdigest_weight(packed) == total && digest_canonical(packed), "compression %u",
               compression);
        release_bytes(packed);
    }
    conclude("coarse digests of any weights merge and pack");
}

/* States of other requested quantiles are not merged; a state without any merges with all. */
static void
test_other_quantiles(void)
{
    static const double lists[][2] = {{0, 0}, {0.5, 0}, {0.25, 0}, {0.5, 0.25}, {0.25, 0.5}};
    static const unsigned requested[] = {0, 1, 1, 2, 2};

    for (unsigned i = 0; i < 5; i++)
        for (unsigned j = 0; j < 5; j++) {
            SketchState state[2];
            SketchBytes packed;
            SketchError error;
            Bytes before;
            bool merged;

            for (unsigned k = 0; k < 2; k++) {
                unsigned l = k ? j : i;
                uint8_t list[16];

                store_le_double(list, lists[l][0]);
                store_le_double(list + 8, lists[l][1]);
                state[k] = tdigest_new(k ? 100 : 200, requested[l], list, &memory);
                digest_add(&state[k], k, 1 + (i + j) % 2); /* values, or centroids */
            }
            before = bytes_copy(state[0].data, state[0].size);
            packed = digest_transit(state[1]);
            merged = merge_into(&tdigest_ops, &state[0], packed, &error);
            expect(merged == (i == j || i == 0 || j == 0), "%u and %u", i, j);
            if (!merged)
                expect(error.status == SKETCH_OUT_OF_RANGE && error.reason &&
                           same_bytes(before.data, before.size, state[0].data, state[0].size),
                       "%u and %u: refused, but changed", i, j);
            else {
                unsigned count;

                tdigest_requested(sketch_bytes(state[0]), &count);
                expect(count == requested[i], "%u and %u: %u quantiles", i, j, count);
            }
            free(before.data);
            release_bytes(packed);
            release_state(state[0]);
            release_state(state[1]);
        }
    conclude("states of other quantiles are not merged");
}

/* ---- order ---- */

/* Few different values of few different weights, so that many are equal in one or in both. */
static TdigestCentroid
draw_tied(Random *random)
{
    double value = (double)random_below(random, 20);
    uint64_t weight = 1 + random_below(random, 5) * random_below(random, 30);

    return (TdigestCentroid){value, weight};
}

static SketchBytes
tied_digest(const TdigestCentroid *all, uint32_t first, uint32_t end)
{
    SketchState state = digest_new(100);

    for (uint32_t i = first; i < end; i++)
        digest_add(&state, all[i].mean, all[i].weight);
    return digest_finish(state);
}

/* Until something has to be merged on the way: 5 * 100 + 2048 centroids. */
static void
test_order(void)
{
    enum { MOST = 2500 };
    static TdigestCentroid all[MOST];
    Random random = {8};

    for (unsigned trial = 0; trial < trials_of(200); trial++) {
        uint32_t count = 2 + (uint32_t)random_below(&random, trial % 4 ? 60 : MOST - 1);
        uint32_t half = count / 2;
        SketchBytes one, other, a, b, ab, ba;

        for (uint32_t i = 0; i < count; i++)
            all[i] = draw_tied(&random);
        one = tied_digest(all, 0, count);
        a = tied_digest(all, 0, half);
        b = tied_digest(all, half, count);
        ab = union_of(a, b);
        ba = union_of(b, a);
        for (uint32_t i = count - 1; i > 0; i--) {
            uint32_t j = (uint32_t)random_below(&random, i + 1);
            TdigestCentroid swap = all[i];

            all[i] = all[j];
            all[j] = swap;
        }
        other = tied_digest(all, 0, count);
        expect(digest_canonical(one) && same_values(one, other), "%u in another order", count);
        expect(digest_canonical(ab) && same_values(ab, ba), "%u: the union does not commute",
               count);
        release_bytes(one);
        release_bytes(other);
        release_bytes(a);
        release_bytes(b);
        release_bytes(ab);
        release_bytes(ba);
    }
    conclude("the order of values and of digests makes no difference");
}

/* A digest of any compression, of values with weights, or of several digests. */
static SketchBytes
any_digest(Random *random, unsigned compression)
{
    SketchState state = digest_new(compression);
    unsigned parts = random_below(random, 2) ? 1 : 5, kind = (unsigned)random_below(random, 3);

    for (unsigned i = 0; i < parts; i++) {
        SketchState part = digest_new(compression);
        unsigned count = compression * 3 / 4 + 1 + (unsigned)random_below(random, 400);

        for (unsigned j = 0; j < count; j++) {
            double u = random_unit(random);

            digest_add(&part,
                       kind == 0   ? u
                       : kind == 1 ? 1 / u
                                   : floor(20 * u),
                       parts > 1 ? 1 : 1 + random_below(random, 10));
        }
        if (parts == 1) {
            release_state(state);
            return digest_finish(part);
        }
        digest_merge(&state, sketch_bytes(part));
        release_state(part);
    }
    return digest_finish(state);
}

/* Also where the ends of the digests, which are split in the one that is merged, have a weight. */
static void
test_either_order(void)
{
    Random random = {9};

    for (unsigned trial = 0; trial < trials_of(1500); trial++) {
        unsigned compression = 10 + (unsigned)random_below(&random, trial % 4 ? 15 : 200);
        SketchBytes a = any_digest(&random, compression), b = any_digest(&random, compression);
        SketchBytes ab = union_of(a, b), ba = union_of(b, a);

        expect(same_values(ab, ba), "trial %u: compression %u", trial, compression);
        release_bytes(a);
        release_bytes(b);
        release_bytes(ab);
        release_bytes(ba);
    }
    conclude("a | b is b | a at every compression");
}

int
main(void)
{
    test_exact();
    test_empty();
    test_shapes();
    test_rms();
    test_part_orders();
    test_mean();
    test_two_values();
    test_gap();
    test_compressions();
    test_coarse();
    test_other_quantiles();
    test_order();
    test_either_order();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
