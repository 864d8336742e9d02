/*
 * fuzz_tdigest.c - every query of a tdigest, and payloads of Redis's t-digests.
 */
#include "fuzz.h"

#include <math.h>

#include "core/common/bytes.h"
#include "core/tdigest/tdigest.h"

#include "../unit/redis_tdigest.h"

static Tdigest
read_digest(SketchBytes value)
{
    Tdigest digest;

    fuzz_check(tdigest_read(&digest, value, &memory), "validated, but cannot be read");
    return digest;
}

static void
check_same(const Tdigest *a, const Tdigest *b)
{
    fuzz_check(a->compression == b->compression && a->count == b->count && a->weight == b->weight &&
                   a->requested == b->requested,
               "the working value is another one");
    fuzz_check(memcmp(a->centroids, b->centroids, a->count * sizeof(TdigestCentroid)) == 0,
               "working centroids differ from packed ones");
    fuzz_check(a->requested == 0 ||
                   memcmp(a->quantiles, b->quantiles, a->requested * sizeof(double)) == 0,
               "working quantiles differ from those in transit");
    fuzz_check(a->count == 0 ||
                   (tdigest_min(a) == tdigest_min(b) && tdigest_max(a) == tdigest_max(b)),
               "working extremes differ from packed ones");
}

/* Nothing descends, and nothing leaves the extremes. */
static void
check_answers(const Tdigest *digest)
{
    double weight = (double)digest->weight;
    double low = tdigest_min(digest), high = tdigest_max(digest);
    double value = low, percentile = low, below = 0, mean = low;

    for (unsigned i = 0; i <= 64; i++) {
        double next = tdigest_quantile(digest, i / 64.0);

        fuzz_check(next >= value && next <= high, "a quantile");
        value = next;
        next = tdigest_percentile(digest, i / 64.0);
        fuzz_check(next >= percentile && next <= high, "a percentile");
        percentile = next;
    }
    for (uint32_t i = 0; i < digest->count; i++) {
        double c = digest->centroids[i].mean;
        double after = digest->centroids[i + 1 < digest->count ? i + 1 : i].mean;
        double rank = tdigest_below(digest, c);
        double between = tdigest_below(digest, c / 2 + after / 2);

        fuzz_check(rank >= below && rank <= weight, "a rank");
        fuzz_check(tdigest_less(digest, c) <= rank, "what is less than a mean");
        fuzz_check(between >= 0 && between <= weight, "a rank between");
        below = rank;
    }
    fuzz_check(tdigest_below(digest, -INFINITY) == 0 && tdigest_below(digest, INFINITY) == weight,
               "a rank beyond the extremes");
    fuzz_check(isnan(tdigest_trimmed_mean(digest, 0, 0)), "a mean of none");
    for (unsigned i = 1; i <= 8; i++) {
        mean = tdigest_trimmed_mean(digest, (i - 1) / 8.0, i / 8.0);
        fuzz_check(mean >= low && mean <= high, "a mean");
    }
}

/* Storage may turn it into what looks like a working value: anything but not ending. */
static void
check_damaged(SketchBytes packed)
{
    uint8_t *data = memory_value(packed.size, NULL);
    SketchBytes damaged = {data, packed.size};
    Tdigest digest;

    memcpy(data, packed.data, packed.size);
    data[2] = TDIGEST_VALUES | packed.data[packed.size - 1] % 2;
    if (tdigest_read(&digest, damaged, &memory)) {
        SketchBytes again = tdigest_ops.pack(damaged, &memory);

        if (digest.count > 0)
            tdigest_below(&digest, 1);
        tdigest_close(&digest, &memory);
        release_bytes(again);
    }
    memory_release_value(data, NULL);
}

static void
fuzz_tdigest_ask(SketchBytes packed, SketchBytes working)
{
    Tdigest digest = read_digest(packed), other = read_digest(working);
    SketchState state = tdigest_ops.open(packed, &memory);
    uint8_t *before = state.data;
    SketchError error = {.status = SKETCH_OK};
    uint64_t more = mix64(digest.weight) >> (1 + mix64(digest.count) % 63) | 1;

    check_same(&digest, &other);
    fuzz_check(tdigest_weight(packed) == digest.weight && tdigest_weight(working) == digest.weight,
               "weight");
    if (digest.count > 0)
        check_answers(&digest);
    if (tdigest_insert(&state, -0.0, more, &memory, &error))
        fuzz_check(tdigest_weight(sketch_bytes(state)) == digest.weight + more, "added weight");
    else {
        fuzz_check_refusal(error);
        fuzz_check(more > TDIGEST_WEIGHT_MAX - digest.weight, "a weight refused");
    }
    if (state.data != before)
        memory_release_value(before, NULL);
    release_state(state);
    tdigest_close(&digest, &memory);
    tdigest_close(&other, &memory);
    check_damaged(packed);
}

/* The union in either order: of all the weight, the lower compression, the outer extremes. */
static void
fuzz_tdigest_ask_two(SketchBytes a, SketchBytes b)
{
    Tdigest x = read_digest(a), y = read_digest(b);
    double low = INFINITY, high = -INFINITY;

    if (x.count > 0) {
        low = tdigest_min(&x);
        high = tdigest_max(&x);
    }
    if (y.count > 0) {
        low = fmin(low, tdigest_min(&y));
        high = fmax(high, tdigest_max(&y));
    }
    for (unsigned i = 0; i < 2; i++) {
        SketchState state = tdigest_ops.open(i ? b : a, &memory);
        SketchError error;
        SketchBytes packed;
        Tdigest both;

        fuzz_check(merge_into(&tdigest_ops, &state, i ? a : b, &error), "merged only once");
        packed = tdigest_ops.pack(sketch_bytes(state), &memory);
        both = read_digest(packed);
        fuzz_check(both.weight == x.weight + y.weight, "the weight of a union");
        /* The lower one; that of an empty digest counts beside another empty one only (states that
         * percentiles were requested of all have one). */
        fuzz_check(x.requested || y.requested ||
                       both.compression == ((x.count > 0) != (y.count > 0)
                                                ? (x.count > 0 ? x.compression : y.compression)
                                            : x.compression < y.compression ? x.compression
                                                                            : y.compression),
                   "the compression of a union");
        if (both.count > 0) {
            /* Values next to two neighbouring bounds may be on the other side of each other. */
            fuzz_check(
                (tdigest_min(&both) == low || tdigest_min(&both) == nextafter(low, high)) &&
                    (tdigest_max(&both) == high || tdigest_max(&both) == nextafter(high, low)),
                "the extremes of a union");
            check_answers(&both);
        }
        tdigest_close(&both, &memory);
        release_bytes(packed);
        release_state(state);
    }
    tdigest_close(&x, &memory);
    tdigest_close(&y, &memory);
}

/* ---- good inputs ---- */

static double
random_value(Random *random)
{
    switch (random_below(random, 5)) {
    case 0:
        return (double)random_below(random, 7) - 3;
    case 1:
        return ldexp(random_unit(random) - 0.5, (int)random_below(random, 2000) - 1000);
    case 2:
        return 0x1.fffffffffffffp1023 * (random_below(random, 2) ? 1 : -1);
    default:
        return random_unit(random) * 100;
    }
}

static uint64_t
random_weight(Random *random)
{
    return random_below(random, 3) ? 1
                                   : 1 + (random_next(random) >> (1 + random_below(random, 63)));
}

/* Its ends are next to bounds. */
static void
merge_histogram(SketchState *state, Random *random)
{
    uint32_t count = 2 + (uint32_t)random_below(random, 12);
    double bounds[16], bound = -3;
    int64_t counts[16];
    SketchBytes value;
    SketchError error;

    for (uint32_t i = 0; i < count; i++) {
        bounds[i] = bound += (double)random_below(random, 3) + 0.5;
        counts[i] = (int64_t)random_below(random, 40);
    }
    fuzz_check(tdigest_from_histogram(bounds, count - 1, counts, count, &memory, &value, &error),
               "a histogram is refused");
    merge_into(&tdigest_ops, state, value, &error);
    release_bytes(value);
}

/* Small compressions mostly, so that few values are many; now and then requested quantiles. */
static SketchBytes
random_digest(Random *random)
{
    unsigned compression = 10 + (unsigned)random_below(random, random_below(random, 8) ? 30 : 400);
    unsigned requested = random_below(random, 4) ? 0 : (unsigned)random_below(random, 5);
    uint64_t values = random_below(random, random_below(random, 16) ? 60 : 5000);
    bool weighted = random_below(random, 2) == 0;
    uint8_t quantiles[4 * sizeof(double)];
    SketchState state;
    SketchBytes value;
    SketchError error;

    for (unsigned i = 0; i < requested; i++)
        store_le_double(quantiles + i * sizeof(double), random_unit(random));
    state = tdigest_new(compression, requested, quantiles, &memory);
    for (uint64_t i = 0; i < values; i++) {
        uint8_t *before = state.data;

        tdigest_insert(&state, random_value(random), weighted ? random_weight(random) : 1, &memory,
                       &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    if (random_below(random, 4) == 0)
        merge_histogram(&state, random);
    value = tdigest_ops.transit(sketch_bytes(state), &memory);
    release_state(state);
    return value;
}

static size_t
fuzz_tdigest_seed(Random *random, uint8_t *buffer)
{
    SketchBytes value = random_digest(random);
    size_t size = value.size;

    memcpy(buffer, value.data, size);
    release_bytes(value);
    return size;
}

/* The weight is the sum of the weights, for a changed value that decodes. */
static void
fuzz_tdigest_repair(uint8_t *data, size_t size)
{
    size_t first_size, count, end;
    uint64_t total = 0, weight = 0;
    unsigned shift = 0;

    if (size < 4)
        return;
    first_size = load_le32(data) % (size - 3);
    data += 4;
    if (first_size < TDIGEST_PACKED_HEADER)
        return;
    count = load_le16(data + 6);
    end = first_size;
    if (data[2] == SKETCH_TRANSIT)
        end -= 1 + data[first_size - 1] * sizeof(double);
    for (size_t at = TDIGEST_PACKED_HEADER + count * sizeof(double); at < end && at < first_size;
         at++) {
        weight |= shift < 64 ? (uint64_t)(data[at] & 127) << shift : 0;
        shift += 7;
        if (data[at] < 128) {
            total += weight;
            weight = shift = 0;
        }
    }
    store_le64(data + 8, total);
}

static const FuzzMode tdigest = {.number = 3,
                                 .name = "tdigest",
                                 .ops = &tdigest_ops,
                                 .ask = fuzz_tdigest_ask,
                                 .ask_two = fuzz_tdigest_ask_two,
                                 .seed = fuzz_tdigest_seed,
                                 .repair = fuzz_tdigest_repair};

FUZZ_MODE(tdigest)

/* ---- Redis ---- */

static void
fuzz_redis_tdigest_read(SketchBytes input)
{
    SketchError error = {.status = SKETCH_OK};
    SketchBytes value;

    memory_used.largest = 0;
    if (!tdigest_from_redis(input, &memory, &value, &error)) {
        fuzz_check_refusal(error);
        fuzz_check(memory_used.largest <= 2 * input.size + 100,
                   "more memory than the input is worth");
        return;
    }
    fuzz_value(&tdigest, value);
    release_bytes(value);
}

static size_t
fuzz_redis_tdigest_seed(Random *random, uint8_t *buffer)
{
    double means[64], weights[64];
    unsigned count = (unsigned)random_below(random, 64);
    RedisTdigest t = {.compression = 10 + (double)random_below(random, 100),
                      .capacity = 610,
                      .merged = count,
                      .count = count,
                      .means = means,
                      .weights = weights};
    Payload p = {buffer, 0};
    double value = -100;

    for (unsigned i = 0; i < count; i++) {
        means[i] = value += random_unit(random) * (double)random_below(random, 10);
        weights[i] = 1 + (double)random_below(random, random_below(random, 3) ? 2 : 1000);
        t.merged_weight += weights[i];
    }
    if (count > 0) {
        t.low = means[0] - (weights[0] > 1 && count > 1 ? random_unit(random) : 0);
        t.high = means[count - 1] + (weights[count - 1] > 1 && count > 1 ? random_unit(random) : 0);
    }
    payload_tdigest(&p, &t);
    return p.size;
}

static const FuzzMode redis_tdigest = {.number = 4,
                                       .name = "DUMP payload of a t-digest",
                                       .read = fuzz_redis_tdigest_read,
                                       .seed = fuzz_redis_tdigest_seed,
                                       .repair = fuzz_payload_repair};

FUZZ_MODE(redis_tdigest)
