/*
 * test_tdigest_redis.c - t-digests of Redis's: good payloads, and every lie in one.
 */
#include "../digest.h"
#include "../redis_tdigest.h"

#define ROOM (1 << 18)

static uint8_t room[ROOM];
static SketchError error;

/* Reads from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
import(const uint8_t *data, size_t size, SketchBytes *value)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    memory_used.largest = 0;
    good = tdigest_from_redis((SketchBytes){exact.data, exact.size}, &memory, value, &error);
    free(exact.data);
    expect(memory_used.largest <= 2 * size + 100, "%zu bytes took %zu", size, memory_used.largest);
    if (good)
        expect(memory_used.pieces == before + 1, "more memory kept than the value");
    else
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before,
               "refused without a reason, or with memory kept");
    return good;
}

static bool
imported(const RedisTdigest *t, SketchBytes *value)
{
    Payload p = {room, 0};

    payload_tdigest(&p, t);
    return import(p.data, p.size, value);
}

static bool
refused(const uint8_t *data, size_t size)
{
    SketchBytes value;

    if (!import(data, size, &value))
        return true;
    release_bytes(value);
    return false;
}

static bool
lie_refused(const RedisTdigest *t)
{
    Payload p = {room, 0};

    payload_tdigest(&p, t);
    return refused(p.data, p.size);
}

/* As Redis fills it in. */
static RedisTdigest
honest(double low, double high, unsigned count, const double *means, const double *weights)
{
    RedisTdigest t = {100, low, high, 610, (int64_t)count, 0, 7, 0, 0, count, means, weights};

    for (unsigned i = 0; i < count; i++)
        t.merged_weight += weights[i];
    return t;
}

/* ---- good ones ---- */

/* Imported, these centroids come out. */
static void
check_import(const RedisTdigest *t, unsigned count, const double *means, const double *weights)
{
    SketchBytes value;
    Tdigest digest;

    if (!imported(t, &value)) {
        expect(false, "%u centroids: %s", t->count, error.reason);
        return;
    }
    digest = digest_read(value);
    expect(digest.compression == 100 && digest.count == count && digest_canonical(value) &&
               digest.requested == 0,
           "%u centroids, not %u", digest.count, count);
    for (unsigned i = 0; i < count && i < digest.count; i++)
        expect(digest.centroids[i].mean == means[i] &&
                   (double)digest.centroids[i].weight == weights[i],
               "centroid %u: %.17g, weight %llu", i, digest.centroids[i].mean,
               (unsigned long long)digest.centroids[i].weight);
    digest_close(&digest);
    release_bytes(value);
}

#define LIST(...) ((const double[]){__VA_ARGS__})

static void
test_good(void)
{
    RedisTdigest t = honest(DBL_MAX, -DBL_MAX, 0, NULL, NULL);

    check_import(&t, 0, NULL, NULL);
    t = honest(5, 5, 1, LIST(5), LIST(1));
    check_import(&t, 1, LIST(5), LIST(1));
    t = honest(-0.0, 0, 2, LIST(-0.0, 0), LIST(1, 1));
    check_import(&t, 2, LIST(0, 0), LIST(1, 1));
    t = honest(1, 3, 3, LIST(1, 2, 3), LIST(1, 5, 1));
    check_import(&t, 3, LIST(1, 2, 3), LIST(1, 5, 1));
    conclude("empty, one value, single extremes");

    t = honest(5, 5, 1, LIST(5), LIST(9));
    check_import(&t, 1, LIST(5), LIST(9));
    t = honest(1, 2, 2, LIST(1, 2), LIST(3, 4));
    check_import(&t, 2, LIST(1, 2), LIST(3, 4));
    t = honest(1, 50, 3, LIST(10, 20, 30), LIST(4, 5, 3));
    check_import(&t, 5, LIST(1, 13, 20, 20, 50), LIST(1, 3, 5, 2, 1));
    t = honest(1, 50, 3, LIST(1, 20, 30), LIST(4, 5, 3));
    check_import(&t, 4, LIST(1, 20, 20, 50), LIST(4, 5, 2, 1));
    t = honest(1, 30, 3, LIST(10, 20, 30), LIST(4, 5, 3));
    check_import(&t, 4, LIST(1, 13, 20, 30), LIST(1, 3, 5, 3));
    t = honest(1, 9, 1, LIST(5), LIST(2));
    check_import(&t, 2, LIST(1, 9), LIST(1, 1));
    t = honest(1, 9, 1, LIST(5), LIST(3));
    check_import(&t, 3, LIST(1, 5, 9), LIST(1, 1, 1));
    t = honest(1, 9, 1, LIST(4), LIST(10));
    check_import(&t, 3, LIST(1, 30 / 8.0, 9), LIST(1, 8, 1));
    t = honest(0, 100, 2, LIST(10, 20), LIST(2, 2)); /* what remains would pass the extremes */
    check_import(&t, 4, LIST(0, 20, 20, 100), LIST(1, 1, 1, 1));
    conclude("extremes apart from the outer centroids become centroids");
}

static void
test_many(void)
{
    double means[600], weights[600];

    for (unsigned count = 1; count <= 600; count += count < 90 ? 1 : 51) {
        uint64_t total = 0;
        double sum = 0;
        RedisTdigest t;
        SketchBytes value;

        for (unsigned i = 0; i < count; i++) {
            means[i] = i + 0.25;
            weights[i] = 1 + (i * 7 + count) % 40;
            total += (uint64_t)weights[i];
            sum += means[i] * weights[i];
        }
        t = honest(weights[0] == 1 ? 0.25 : 0, weights[count - 1] == 1 ? count - 0.75 : count,
                   count, means, weights);
        if (count == 1)
            t.high = weights[0] == 1 ? t.low : 0.5;
        if (imported(&t, &value)) {
            Tdigest digest = digest_read(value);

            expect(digest.weight == total && digest_canonical(value) &&
                       tdigest_min(&digest) == t.low && tdigest_max(&digest) == t.high,
                   "%u centroids", count);
            expect(fabs(tdigest_trimmed_mean(&digest, 0, 1) * (double)total - sum) <= 1e-9 * sum,
                   "%u centroids: mean", count);
            expect_consistent(&digest, "from Redis");
            digest_close(&digest);
            release_bytes(value);
        } else
            expect(false, "%u centroids: %s", count, error.reason);
    }
    conclude("many centroids: weight, extremes and mean are those of Redis");
}

static void
test_compressions(void)
{
    static const struct {
        double found;
        unsigned becomes;
    } known[] = {{1, 10},        {9.9, 10},      {10, 10},         {100.7, 100},     {1000, 1000},
                 {10000, 10000}, {10001, 10000}, {DBL_MAX, 10000}, {INFINITY, 10000}};
    static const double wrong[] = {0, -1, 0.5, -INFINITY, NAN, -DBL_MAX};
    RedisTdigest t = honest(1, 2, 2, LIST(1, 2), LIST(1, 1));

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        SketchBytes value;
        bool good;

        t.compression = known[i].found;
        good = imported(&t, &value);
        expect(good && tdigest_compression(value) == known[i].becomes, "%g", known[i].found);
        if (good)
            release_bytes(value);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        t.compression = wrong[i];
        expect(lie_refused(&t), "%g", wrong[i]);
    }
    conclude("the compression is brought into our range; none is no compression");
}

/* ---- lies ---- */

static const double good_means[] = {10, 20, 30, 40};
static const double good_weights[] = {3, 5, 7, 2};

static RedisTdigest
good_one(void)
{
    return honest(1, 50, 4, good_means, good_weights);
}

static void
test_numbers(void)
{
    static const double bad_means[] = {NAN, INFINITY, -INFINITY, 9.5, -DBL_MAX};
    static const double bad_weights[] = {0,        -1,    0.5,       1.5,  NAN,
                                         INFINITY, 1e300, -INFINITY, -0.0, 0x1p53 * 2};
    RedisTdigest t = good_one();
    double means[4], weights[4];

    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 10; j++) {
            memcpy(means, good_means, sizeof means);
            memcpy(weights, good_weights, sizeof weights);
            t.means = means;
            t.weights = weights;
            weights[i] = bad_weights[j];
            expect(lie_refused(&t), "weight %u is %g", i, weights[i]);
            weights[i] = good_weights[i];
            if (j < 3 || (j < 5 && i > 0)) {
                means[i] = bad_means[j];
                expect(lie_refused(&t), "mean %u is %g", i, means[i]);
            }
        }
    conclude("means that are not numbers or not in order, weights that are not whole");
}

static void
test_extremes(void)
{
    static const double bad[][2] = {{11, 50},        {1, 39},       {NAN, 50},      {1, NAN},
                                    {-INFINITY, 50}, {1, INFINITY}, {INFINITY, 50}, {50, 1}};
    RedisTdigest t = good_one();

    for (unsigned i = 0; i < 8; i++) {
        t.low = bad[i][0];
        t.high = bad[i][1];
        expect(lie_refused(&t), "extremes %g and %g", t.low, t.high);
    }
    t = honest(4, 6, 1, LIST(5), LIST(1));
    expect(lie_refused(&t), "one value that is two");
    t = honest(DBL_MAX, -DBL_MAX, 1, LIST(5), LIST(1));
    expect(lie_refused(&t), "extremes of nothing");
    conclude("extremes that are none");
}

/* As far apart as doubles are: no overflow gets into the means. */
static void
test_far_extremes(void)
{
    const RedisTdigest far[] = {
        honest(-DBL_MAX, DBL_MAX, 2, LIST(-1, DBL_MAX / 2), LIST(2, 3)),
        honest(-DBL_MAX, DBL_MAX, 1, LIST(0x1p-1074), LIST(2)),
        honest(-DBL_MAX, DBL_MAX, 2, LIST(-DBL_MAX, DBL_MAX), LIST(0x1p53, 0x1p53)),
    };
    SketchBytes value;

    for (unsigned i = 0; i < 3; i++)
        if (imported(&far[i], &value)) {
            Tdigest digest = digest_read(value);

            expect(tdigest_min(&digest) == -DBL_MAX && tdigest_max(&digest) == DBL_MAX &&
                       digest_canonical(value),
                   "%u: not canonical", i);
            digest_close(&digest);
            release_bytes(value);
        } else
            expect(false, "%u: %s", i, error.reason);
    conclude("the largest values and weights");
}

static void
test_counts(void)
{
    static const int64_t counts[] = {0,
                                     1,
                                     3,
                                     5,
                                     8,
                                     -1,
                                     -4,
                                     INT32_MAX,
                                     INT64_MAX,
                                     INT64_MIN,
                                     1 << 28,
                                     UINT32_MAX,
                                     (INT64_C(1) << 32) + 4};
    RedisTdigest t;

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        t = good_one();
        t.merged = counts[i];
        expect(lie_refused(&t), "says %lld centroids", (long long)counts[i]);
        t = good_one();
        t.unmerged = counts[i];
        expect(counts[i] == 0 || lie_refused(&t), "says %lld more", (long long)counts[i]);
    }
    conclude("counts that lie");
}

/* More weight than we can count is refused, not wrapped around. */
static void
test_overflow(void)
{
    enum { COUNT = 2050 };
    double *means = malloc(2 * COUNT * sizeof *means), *weights = means + COUNT;

    for (unsigned i = 0; i < COUNT; i++) {
        means[i] = i;
        weights[i] = 0x1p53;
    }
    for (unsigned count = 1022; count <= COUNT; count += count < 1026 ? 1 : 1024) {
        RedisTdigest t = honest(0, count - 1.0, count, means, weights);
        SketchBytes value;
        bool good = imported(&t, &value);

        expect(good == (count < 1024), "%u times 2^53", count);
        if (good) {
            expect(tdigest_weight(value) == (uint64_t)count << 53 && digest_canonical(value),
                   "%u times 2^53: weight", count);
            release_bytes(value);
        }
    }
    free(means);
    conclude("a total weight beyond 2^63-1 is refused");
}

/* ---- the payload ---- */

/* The same payload with the opcode of one field another. */
static void
test_opcodes(void)
{
    static const unsigned opcodes[] = {0, 1, 2, 3, 4, 5, 6, 0x40, 0xc0, 0xc4, 0xff};
    RedisTdigest t = good_one();
    Payload p = {room, 0};
    size_t at = 10;

    payload_tdigest(&p, &t);
    for (unsigned field = 0; field < REDIS_TDIGEST_FIELDS + 8 + 1; field++) {
        unsigned right = p.data[at];

        for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
            p.data[at] = (uint8_t)opcodes[i];
            payload_seal(p.data, p.size);
            expect(refused(p.data, p.size) ==
                       !(opcodes[i] == right || (right == 2 && opcodes[i] == 1)),
                   "field %u is of kind %x", field, opcodes[i]);
        }
        p.data[at] = (uint8_t)right;
        at += right == 4 ? 9 : right == 2 && p.data[at + 1] == 0x81 ? 10 : 2;
    }
    conclude("fields of another kind; signed ones are 1 or 2");
}

static void
test_frame(void)
{
    RedisTdigest t = good_one();
    Payload p = {room, 0};
    Bytes whole;

    payload_tdigest(&p, &t);
    whole = bytes_copy(p.data, p.size);
    expect(!refused(whole.data, whole.size), "good");
    for (size_t size = 0; size < whole.size; size++) {
        expect(refused(whole.data, size), "cut at %zu", size);
        memcpy(room, whole.data, size);
        payload_seal(room, size);
        expect(refused(room, size), "cut at %zu and sealed", size);
    }
    for (size_t more = 1; more < 12; more++) {
        p = (Payload){room, 0};
        payload_bytes(&p, whole.data, whole.size - PAYLOAD_FOOTER);
        for (size_t i = 0; i < more; i++)
            payload_u8(&p, 0);
        payload_finish(&p);
        expect(refused(p.data, p.size), "and %zu bytes", more);
    }
    for (size_t at = 0; at < 10; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            whole.data[at] ^= (uint8_t)(1 << bit);
            payload_seal(whole.data, whole.size);
            expect(refused(whole.data, whole.size), "byte %zu, bit %u", at, bit);
            whole.data[at] ^= (uint8_t)(1 << bit);
        }
    conclude("cut, longer, of another type or module");

    for (size_t bit = 0; bit < 8 * (whole.size - 8); bit++) {
        SketchBytes value;

        whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        payload_seal(whole.data, whole.size);
        if (import(whole.data, whole.size, &value)) {
            expect(digest_canonical(value), "bit %zu: not canonical", bit);
            release_bytes(value);
        }
        whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(whole.data);
    conclude("a flipped bit under a good checksum is refused, or makes a sound digest");
}

int
main(void)
{
    test_good();
    test_many();
    test_compressions();
    test_numbers();
    test_extremes();
    test_far_extremes();
    test_counts();
    test_overflow();
    test_opcodes();
    test_frame();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
