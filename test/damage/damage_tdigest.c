/*
 * damage_tdigest.c - values of tdigest.
 */
#include "damage.h"

#include "core/common/bytes.h"
#include "core/tdigest/tdigest.h"

/* ---- good values ---- */

/* Rows of weights up to `most`. */
static SketchBytes
digested(unsigned compression, unsigned count, unsigned most)
{
    SketchState state = tdigest_new(compression, 0, NULL, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < count; i++)
        damage_expect(
            tdigest_insert(&state, (i % 97) * 1.5 + i, 1 + i % most, &damage_memory, &error));
    return damage_result(state);
}

/* A histogram open at both ends; in transit if quantiles are requested. */
static SketchBytes
histogram(unsigned requested, unsigned buckets, int64_t each)
{
    uint8_t quantiles[TDIGEST_REQUESTED_MAX * sizeof(double)];
    double bounds[30];
    int64_t counts[31];
    SketchBytes value;
    SketchState state;
    SketchError error;

    for (unsigned i = 0; i <= buckets; i++) {
        bounds[i] = (double)i * i - 9;
        counts[i] = each * (int64_t)(i % 3);
    }
    counts[0] = counts[buckets] = each;
    damage_expect(tdigest_from_histogram(bounds, buckets, counts, buckets + 1, &damage_memory,
                                         &value, &error));
    for (unsigned i = 0; i < requested; i++)
        store_le_double(quantiles + i * sizeof(double), (i + 0.5) / requested);
    state = tdigest_new(200, requested, quantiles, &damage_memory);
    damage_expect(tdigest_ops.merge(&state, value, &damage_memory, &error));
    return tdigest_ops.transit(sketch_bytes(state), &damage_memory);
}

static void
make(void)
{
    damage_value("one", digested(200, 1, 1));
    damage_value("few", digested(100, 8, 3));
    damage_value("many", digested(300, 5000, 1));
    damage_value("many of weights", digested(300, 5000, 3));
    damage_value("few of a histogram", histogram(0, 3, 1));
    damage_value("of a histogram", histogram(0, 20, 100));
    damage_value("in transit", histogram(2, 3, 2));
    damage_value("many in transit", histogram(30, 20, 100));
}

/* ---- calls ---- */

static void
query(SketchBytes value)
{
    Tdigest digest;

    damage_expect(tdigest_read(&digest, value, &damage_memory) && digest.count > 0);
    tdigest_min(&digest);
    tdigest_max(&digest);
    for (double q = 0; q <= 1; q += 0.25) {
        tdigest_quantile(&digest, q);
        tdigest_percentile(&digest, q);
        tdigest_at(&digest, q * (double)(digest.weight - 1));
        tdigest_below(&digest, q * 150);
        tdigest_less(&digest, q * 150);
    }
    tdigest_below(&digest, -1e300);
    tdigest_below(&digest, 1e300);
    tdigest_trimmed_mean(&digest, 0, 1);
    tdigest_trimmed_mean(&digest, 0.1, 0.7);
    tdigest_trimmed_sum(&digest, 0.1, 0.7);
}

static void
write_datasketches(SketchBytes packed)
{
    Tdigest digest;

    damage_expect(tdigest_read(&digest, packed, &damage_memory));
    tdigest_to_datasketches(&digest, &damage_memory);
}

static void
add(SketchBytes value)
{
    SketchState state = damage_open(value, &tdigest_ops);
    SketchError error;

    for (unsigned i = 0; i < 100; i++)
        if (i % 5 == 0 || !tdigest_add(state, i))
            damage_expect(tdigest_insert(&state, i, 1 + i, &damage_memory, &error));
    damage_result(state);
}

/* The state of tdigest_union_percentile_agg has the compression of the first digest. */
static void
request(SketchBytes value, SketchBytes other)
{
    static const uint8_t quantile[sizeof(double)];
    unsigned compression = tdigest_compression(value);
    SketchState state;
    SketchError error;

    state = tdigest_new(compression, 1, quantile, &damage_memory);
    damage_expect(tdigest_ops.merge(&state, value, &damage_memory, &error));
    damage_expect(tdigest_ops.merge(&state, other, &damage_memory, &error));
    query(sketch_bytes(state));
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(tdigest_weight(damage_header(value)));
    TRY(tdigest_compression(damage_header(value)));
    TRY(query(value));
    TRY(query(sketch_bytes(damage_open(value, &tdigest_ops))));
    TRY(write_datasketches(damage_pack(value)));
    TRY(add(value));
    TRY(request(value, good));
    TRY(request(good, value));
}

static const DamageType tdigest = {.ops = &tdigest_ops, .hash_at = 1, .make = make, .call = call};

DAMAGE_TYPE(tdigest)
