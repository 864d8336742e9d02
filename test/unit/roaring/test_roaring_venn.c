/*
 * test_roaring_venn.c - the regions of Venn diagrams of many sets, against plain arrays.
 */
#include "../set.h"

#define SETS_MOST 70

static uint64_t
random_value(Random *random, SketchKind kind)
{
    uint64_t value = random_below(random, 300000);

    return kind == SKETCH_ROARING64 && value % 3 == 0 ? value + (UINT64_C(5) << 40) : value;
}

/* Values of chance, ranges, or what another set has, so that regions of every size arise. */
static Set
random_members(Random *random, SketchKind kind, const Set *other)
{
    Set set = {NULL, 0, 0};
    unsigned parts = (unsigned)random_below(random, 4);

    for (unsigned part = 0; part < parts; part++) {
        uint64_t base = random_value(random, kind), count = random_below(random, 30);

        if (random_below(random, 3) == 0)
            count = random_below(random, 200000);
        for (uint64_t i = 0; i < count; i++)
            set_append(&set, count > 30 ? base + i : random_value(random, kind));
    }
    for (size_t i = 0; other && i < other->count; i++)
        if (random_below(random, 50) > 0)
            set_append(&set, other->values[i]);
    set_settle(&set);
    return set;
}

static bool
member_bit(const uint64_t *members, size_t i)
{
    return members[i / 64] >> (i % 64) & 1;
}

/* Each value comes once, in the region that has exactly its sets. */
static void
check_regions(SketchKind kind, const Set *sets, const SketchBytes *values, size_t count,
              const Set *all)
{
    RoaringVenn *venn = roaring_venn(kind, values, count, &memory);
    const uint64_t *members;
    SketchBytes region;
    size_t seen = 0;

    expect(venn != NULL, "a Venn diagram is refused");
    while (roaring_next_region(venn, &members, &region)) {
        RoaringCursor cursor = roaring_cursor(region, false, &memory);
        RoaringContainer container;
        uint64_t least, again;
        SketchError error;
        SketchBytes valid;

        expect(roaring_select(region, 0, &memory, &least), "an empty region");
        expect(set_ops(kind)->validate(region, &memory, &valid, &error), "an invalid region");
        expect(valid.size == region.size && memcmp(valid.data, region.data, valid.size) == 0,
               "a region that is not canonical");
        release_bytes(valid);
        while (roaring_next(&cursor, &container)) {
            uint16_t lows[65536];
            uint32_t n = roaring_decode(&container, lows);

            for (uint32_t j = 0; j < n; j += 1 + n / 200)
                for (size_t i = 0; i < count; i++) {
                    again = container.key << 16 | lows[j];
                    expect(member_bit(members, i) == set_has(&sets[i], again), "%zu in set %zu",
                           (size_t)again, i);
                }
        }
        seen += (size_t)roaring_cardinality(region, &memory);
        release_bytes(region);
    }
    expect(seen == all->count, "%zu values of %zu", seen, all->count);
    roaring_release_venn(venn);
}

static void
test_venn(SketchKind kind)
{
    Random random = {kind};

    for (unsigned round = 0; round < (sample() > 1 ? 4 : 12); round++) {
        size_t count = random_below(&random, round % 10 == 0 ? SETS_MOST : 6);
        Set sets[SETS_MOST], all = {NULL, 0, 0};
        SketchBytes values[SETS_MOST];

        for (size_t i = 0; i < count; i++) {
            sets[i] = random_members(&random, kind, i > 0 ? &sets[i - 1] : NULL);
            values[i] = set_pack(&sets[i], kind);
            for (size_t j = 0; j < sets[i].count; j++)
                set_append(&all, sets[i].values[j]);
            if (sets[i].count == 0 && i % 2 == 0) {
                release_bytes(values[i]);
                values[i] = (SketchBytes){NULL, 0};
            }
        }
        set_settle(&all);
        check_regions(kind, sets, values, count, &all);
        for (size_t i = 0; i < count; i++) {
            if (values[i].data)
                release_bytes(values[i]);
            set_free(&sets[i]);
        }
        set_free(&all);
    }
    conclude("%s: regions of Venn diagrams", set_ops(kind)->name);
}

int
main(void)
{
    for (SketchKind kind = SKETCH_ROARING; kind <= SKETCH_ROARING64; kind++)
        test_venn(kind);
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
