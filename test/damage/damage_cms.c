/*
 * damage_cms.c - values of cms, ours and Redis's.
 */
#include "damage.h"

#include "core/cms/cms.h"

/* ---- good values ---- */

static const SketchBytes item = {(const uint8_t *)"item", 4};

/* Counts of every size, as many as there are items. */
static SketchBytes
counted(uint32_t width, uint32_t depth, SketchHash hash, unsigned items)
{
    SketchState state = cms_new((CmsShape){width, depth, hash}, &damage_memory);
    SketchError error;

    for (unsigned i = 0; i < items; i++) {
        uint64_t number = damage_hash(i), count = 1 + (number >> (i % 8 ? 56 : 30));

        damage_expect(hash == SKETCH_HASH_REDIS
                          ? cms_insert_bytes(&state, (SketchBytes){(uint8_t *)&number, 8}, count,
                                             &damage_memory, &error)
                          : cms_insert(&state, number, count, &damage_memory, &error));
    }
    return damage_result(state);
}

static void
make(void)
{
    damage_value("list", counted(2000, 7, SKETCH_HASH_XXH3, 4));
    damage_value("long list", counted(2000, 7, SKETCH_HASH_XXH3, 140));
    damage_value("table", counted(7, 2, SKETCH_HASH_XXH3, 12));
    damage_value("large table", counted(100, 5, SKETCH_HASH_XXH3, 1000));
    damage_value("table of Redis", counted(7, 2, SKETCH_HASH_REDIS, 12));
    damage_value("large table of Redis", counted(100, 5, SKETCH_HASH_REDIS, 1000));
}

/* ---- calls ---- */

static uint64_t
query(SketchBytes packed)
{
    return cms_shape(packed).hash == SKETCH_HASH_REDIS
               ? cms_query_bytes(packed, item, &damage_memory)
               : cms_query(packed, damage_hash(0)) + cms_query(packed, damage_hash(9999));
}

static bool
read_header(SketchBytes packed)
{
    cms_total(packed);
    cms_error(packed);
    return cms_is_exact(packed);
}

static void
add(SketchBytes value)
{
    SketchState state = damage_open(value, &cms_ops);
    SketchError error;

    for (unsigned i = 0; i < 60; i += 6)
        if (cms_shape(sketch_bytes(state)).hash == SKETCH_HASH_REDIS)
            damage_expect(cms_insert_bytes(&state, (SketchBytes){item.data, 1 + i % 4}, 1,
                                           &damage_memory, &error));
        else if (!cms_add(state, damage_hash(i)))
            damage_expect(cms_insert(&state, damage_hash(i), 3, &damage_memory, &error));
    damage_result(state);
}

/* The first sketch says the shape. */
static void
merge_weighted(SketchBytes a, SketchBytes b)
{
    SketchState state = cms_new(cms_shape(a), &damage_memory);
    SketchError error;

    damage_expect(cms_merge_times(&state, a, 3, &damage_memory, &error));
    damage_expect(cms_merge_times(&state, b, UINT64_C(1) << 40, &damage_memory, &error));
    damage_result(state);
}

static bool
multiply(SketchBytes a, SketchBytes b)
{
    SketchError error;
    uint64_t product;

    return cms_inner_product(a, b, &damage_memory, &product, &error);
}

static bool
write_redis(SketchBytes packed)
{
    SketchBytes payload;
    SketchError error;

    return cms_to_redis(packed, &damage_memory, &payload, &error);
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(query(damage_pack(value)));
    TRY(read_header(damage_header(value)));
    TRY(add(value));
    TRY(merge_weighted(value, good));
    TRY(merge_weighted(good, value));
    TRY(multiply(value, good));
    TRY(multiply(good, value));
    TRY(write_redis(damage_pack(value)));
}

static const DamageType cms = {.ops = &cms_ops, .hash_at = 10, .make = make, .call = call};

DAMAGE_TYPE(cms)
