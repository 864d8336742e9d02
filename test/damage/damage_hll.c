/*
 * damage_hll.c - values of hll, ours and those of Redis, postgresql-hll and DataSketches.
 */
#include "damage.h"

#include "core/hll/hll.h"

/* ---- good values ---- */

static SketchBytes
counted(SketchHash hash, unsigned precision, unsigned items)
{
    SketchState state = hll_new(hash, precision, &damage_memory);

    for (uint64_t i = 0; i < items; i++)
        if (hash == SKETCH_HASH_XXH3)
            hll_insert(&state, damage_hash(i), &damage_memory);
        else
            hll_insert_foreign(&state, &i, sizeof i, &damage_memory);
    return damage_result(state);
}

/* Registers that no tokens are known of. */
static SketchBytes
registers(SketchHash hash, unsigned precision, unsigned items)
{
    uint8_t *all = hll_registers(counted(hash, precision, items), &damage_memory);

    return hll_from_registers(all, hash, precision, &damage_memory);
}

static void
make(void)
{
    damage_value("sparse", counted(SKETCH_HASH_XXH3, 13, 5));
    damage_value("large sparse", counted(SKETCH_HASH_XXH3, 13, 400));
    damage_value("dense", counted(SKETCH_HASH_XXH3, 6, 300));
    damage_value("large dense", counted(SKETCH_HASH_XXH3, 11, 5000));
    damage_value("sparse of Redis", counted(SKETCH_HASH_REDIS, 14, 5));
    damage_value("large sparse of Redis", counted(SKETCH_HASH_REDIS, 14, 400));
    damage_value("plain of Redis", counted(SKETCH_HASH_REDIS, 6, 300));
    damage_value("large plain of Redis", counted(SKETCH_HASH_REDIS, 11, 5000));
    for (unsigned hash = SKETCH_HASH_POSTGRESQL_HLL; hash <= SKETCH_HASH_DATASKETCHES; hash++) {
        bool lists = hash == SKETCH_HASH_POSTGRESQL_HLL;

        damage_value(lists ? "tokens of postgresql-hll" : "coupons of DataSketches",
                     counted(hash, 11, 5));
        damage_value(lists ? "many tokens of postgresql-hll" : "many coupons of DataSketches",
                     counted(hash, 12, 150));
        damage_value(lists ? "sparse of postgresql-hll" : "sparse of DataSketches",
                     registers(hash, 11, 5));
        damage_value(lists ? "plain of postgresql-hll" : "plain of DataSketches",
                     registers(hash, 6, 300));
        damage_value(lists ? "large plain of postgresql-hll" : "large plain of DataSketches",
                     registers(hash, 11, 5000));
    }
}

/* ---- calls ---- */

static double
read_header(SketchBytes header)
{
    HllHeader h = hll_header(header);

    hll_origin(h.hash);
    return (double)hll_cardinality(header, &damage_memory) +
           hll_relative_error(header, &damage_memory);
}

static void
read_registers(SketchBytes value)
{
    uint8_t *all = hll_registers(value, &damage_memory);
    unsigned history = hll_history(hll_header(value).hash), sum = 0;

    damage_expect(all != NULL);
    for (uint32_t i = 0; i < UINT32_C(1) << hll_precision(value); i++)
        sum += all[i] >> history;
    damage_expect(sum > 0);
}

static void
add(SketchBytes value)
{
    SketchState state = damage_open(value, &hll_ops);
    SketchHash hash = hll_state_hash(state);

    hll_origin(hash);
    for (uint64_t i = 0; i < 40; i++)
        if (hash == SKETCH_HASH_XXH3)
            hll_insert(&state, damage_hash(i), &damage_memory);
        else if (hash == SKETCH_HASH_DATASKETCHES && i % 2 == 0)
            hll_insert_token(&state,
                             hll_token_of_coupon(hll_datasketches_coupon(&i, 8, &damage_memory)),
                             &damage_memory);
        else
            hll_insert_foreign(&state, &i, sizeof i, &damage_memory);
    hll_cardinality(sketch_bytes(state), &damage_memory);
    damage_result(state);
}

static void
reduce(SketchBytes value, unsigned steps)
{
    SketchState state = damage_open(value, &hll_ops);
    unsigned precision = hll_precision(sketch_bytes(state));

    damage_expect(precision >= HLL_PRECISION_MIN + steps);
    hll_reduce(&state, precision - steps, &damage_memory);
    damage_result(state);
}

static bool
compare(SketchBytes a, SketchBytes b)
{
    HllJoint joint;
    SketchError error;

    return hll_joint(a, b, &damage_memory, &joint, &error);
}

static bool
write_foreign(SketchBytes value, SketchHash hash, unsigned bits)
{
    SketchBytes bytes;
    SketchError error;

    switch (hash) {
    case SKETCH_HASH_REDIS:
        return hll_to_redis(value, &damage_memory, &bytes, &error);
    case SKETCH_HASH_POSTGRESQL_HLL:
        return hll_to_postgresql_hll(value, bits, -1, true, &damage_memory, &bytes, &error) &&
               hll_to_postgresql_hll(value, bits, 0, false, &damage_memory, &bytes, &error);
    default:
        return hll_to_datasketches(value, bits, &damage_memory, &bytes, &error);
    }
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(read_header(damage_header(value)));
    TRY(hll_cardinality(value, &damage_memory));
    TRY(read_registers(value));
    TRY(add(value));
    TRY(reduce(value, 0));
    TRY(reduce(value, 2));
    TRY(compare(value, good));
    TRY(compare(good, value));
    TRY(write_foreign(value, SKETCH_HASH_REDIS, 0));
    TRY(write_foreign(value, SKETCH_HASH_POSTGRESQL_HLL, 5));
    TRY(write_foreign(value, SKETCH_HASH_DATASKETCHES, 4));
    TRY(write_foreign(value, SKETCH_HASH_DATASKETCHES, 6));
    TRY(write_foreign(value, SKETCH_HASH_DATASKETCHES, 8));
}

static const DamageType hll = {.ops = &hll_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(hll)
