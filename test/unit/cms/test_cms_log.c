/*
 * test_cms_log.c - the lists of Count-Min sketches that change: what waits, the log, its order.
 */
#include "../frequency.h"

#include <stdlib.h>

/* ---- an oracle: pairs in the order in which they came ---- */

#define PAIRS 40000

typedef struct Oracle {
    CmsEntry pairs[PAIRS];
    uint32_t count;
} Oracle;

static int
compare_pairs(const void *a, const void *b)
{
    uint64_t x = ((const CmsEntry *)a)->hash, y = ((const CmsEntry *)b)->hash;

    return (x > y) - (x < y);
}

static void
sum_pairs(Oracle *o)
{
    uint32_t kept = 0;

    qsort(o->pairs, o->count, sizeof *o->pairs, compare_pairs);
    for (uint32_t i = 0; i < o->count; i++)
        if (kept > 0 && o->pairs[kept - 1].hash == o->pairs[i].hash)
            o->pairs[kept - 1].count += o->pairs[i].count;
        else
            o->pairs[kept++] = o->pairs[i];
    o->count = kept;
}

/* The packed list as formats.md has it, byte by byte. */
static void
check_list(SketchState state, Oracle *o, CmsShape made, const char *what)
{
    SketchBytes packed = pack(state);
    uint64_t total = 0, most = 1;
    unsigned bytes = 1;

    sum_pairs(o);
    for (uint32_t i = 0; i < o->count; i++) {
        total += o->pairs[i].count;
        most = o->pairs[i].count > most ? o->pairs[i].count : most;
    }
    while (bytes < 8 && most >> 8 * bytes > 0)
        bytes *= 2;
    expect(packed.size == CMS_HEADER + o->count * (8 + (size_t)bytes), "%s: %zu bytes", what,
           packed.size);
    expect(packed.data[2] == CMS_LIST && packed.data[10] == bytes &&
               load_le32(packed.data + 4) == made.width && load_le64(packed.data + 12) == total &&
               load_le32(packed.data + 20) == o->count,
           "%s: header", what);
    for (uint32_t i = 0; i < o->count; i++)
        expect(load_le64(packed.data + CMS_HEADER + 8 * (size_t)i) == o->pairs[i].hash &&
                   cms_load(packed.data + CMS_HEADER + 8 * (size_t)o->count + (size_t)i * bytes,
                            bytes) == o->pairs[i].count,
               "%s: item %u", what, i);
    release_bytes(packed);
    check_stored(state, what);
}

static void
add_pair(SketchState *state, Oracle *o, uint64_t hash, uint64_t count)
{
    if (count > 1 || !cms_add(*state, hash))
        insert(state, hash, count);
    if (o->count == PAIRS)
        sum_pairs(o);
    o->pairs[o->count++] = (CmsEntry){hash, count};
}

/* ---- tests ---- */

/* Any mix of counts, of many or few items; the state is looked at on the way, too. */
static void
test_random(void)
{
    static Oracle oracle;
    CmsShape made = shape(200000, 1); /* 20,000 items */
    Random random = {11};

    for (unsigned round = 0; round < trials_of(60); round++) {
        SketchState state = cms_new(made, &memory);
        uint64_t items = 1 + random_below(&random, 1 + random_below(&random, 6000));
        unsigned rows = (unsigned)random_below(&random, 12000), ones = round % 4;

        oracle.count = 0;
        for (unsigned i = 0; i < rows; i++) {
            uint64_t count = 1;

            if (random_below(&random, 4) > ones)
                count += random_below(&random, UINT64_C(1) << random_below(&random, 34));
            add_pair(&state, &oracle, item(random_below(&random, items)), count);
            if (random_below(&random, 4000) == 0)
                check_list(state, &oracle, made, "on the way");
        }
        check_list(state, &oracle, made, "at the end");
        release_state(state);
    }
    conclude("lists of any items with any counts are what was added");
}

/* The same items in another order, in parts, merged as states or packed: the same bytes. */
static void
test_orders(void)
{
    CmsShape made = shape(2000, 7);

    for (uint64_t items = 1; items <= 1400; items += items / 4 + 1) {
        SketchState all = cms_new(made, &memory), back = cms_new(made, &memory),
                    merged = cms_new(made, &memory), parts[3];
        SketchBytes a, b, c;

        for (int i = 0; i < 3; i++)
            parts[i] = cms_new(made, &memory);
        for (uint64_t i = 0; i < 3 * items; i++) {
            insert(&all, item(i % items), 1 + i % 2);
            insert(&parts[i % 3], item(i % items), 1 + i % 2);
        }
        for (uint64_t i = 3 * items; i-- > 0;)
            insert(&back, item(i % items), 1 + i % 2);
        merge(&merged, sketch_bytes(parts[0]), 1);
        b = pack(parts[1]);
        merge(&merged, b, 1);
        release_bytes(b);
        merge(&merged, sketch_bytes(parts[2]), 1);
        a = pack(all);
        b = pack(back);
        c = pack(merged);
        expect(cms_is_exact(a), "%d items", (int)items);
        expect(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "%d: backwards",
               (int)items);
        expect(a.size == c.size && memcmp(a.data, c.data, a.size) == 0, "%d: merged", (int)items);
        release_bytes(a);
        release_bytes(b);
        release_bytes(c);
        for (int i = 0; i < 3; i++)
            release_state(parts[i]);
        release_state(all);
        release_state(back);
        release_state(merged);
    }
    conclude("equal lists have equal bytes, in any order and through merges");
}

/*
 * Hashes that somebody chose: equal but for their lowest bits, or but for the highest of them, in
 * descending order, or few of them very often. Whatever they are, they come out in order.
 */
static void
test_chosen_hashes(void)
{
    static Oracle oracle;
    CmsShape made = shape(200000, 1);

    for (unsigned kind = 0; kind < 5; kind++) {
        SketchState state = cms_new(made, &memory);

        oracle.count = 0;
        for (uint64_t i = 0; i < 20000; i++) {
            uint64_t low = 20000 - i;
            uint64_t hash = kind == 0   ? low
                            : kind == 1 ? UINT64_MAX - low
                            : kind == 2 ? (low % 7) << 61 | low
                            : kind == 3 ? low << 40 | 5
                                        : (low & 3 ? low & 15 : low);

            add_pair(&state, &oracle, hash, 1 + (i % 100 == 0));
        }
        check_list(state, &oracle, made, "chosen");
        release_state(state);
    }
    conclude("chosen hashes");
}

/* A few rows stay small: 64 bytes up to 4 rows, 128 up to 12. Long lists do not stay long. */
static void
test_sizes(void)
{
    SketchState state = cms_new(shape(2000, 7), &memory);
    size_t largest = 0;

    for (uint64_t i = 1; i <= 12; i++) {
        insert(&state, item(i), 1);
        expect(state.size + SKETCH_PREFIX_BYTES == (i <= 4 ? 64 : 128), "%d rows: %zu bytes",
               (int)i, state.size);
    }
    for (uint64_t i = 0; i < 20000; i++) {
        insert(&state, item(i % 600), 1);
        largest = state.size > largest ? state.size : largest;
    }
    expect(largest + SKETCH_PREFIX_BYTES == 8192, "600 items: %zu bytes", largest);
    release_state(state);
    /* A state of 128 bytes without anything in it takes a count of any size. */
    state = cms_new_list(shape(2000, 7), 0, &memory);
    insert(&state, item(1), UINT64_C(1) << 62);
    expect(count_of(state, item(1)) == UINT64_C(1) << 62, "a large count");
    check_stored(state, "a large count");
    release_state(state);
    conclude("sizes of small lists");
}

/* What waits is counted before what is asked, merged or counted otherwise, in the order it came. */
static void
test_waiting(void)
{
    CmsShape made = shape(20, 2);
    SketchState one = cms_new(made, &memory), plain = cms_new(made, &memory), third;
    SketchBytes a, b;

    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t count = i % 5 == 0 ? 2 : 1;

        /* As an aggregate does. The other one is packed and opened, so that nothing waits. */
        if (count > 1 || !cms_add(one, item(i % 300)))
            insert(&one, item(i % 300), count);
        insert(&plain, item(i % 300), count);
        if (i >= 20) {
            SketchBytes packed = pack(plain);

            release_state(plain);
            plain = cms_ops.open(packed, &memory);
            release_bytes(packed);
        }
    }
    expect(cms_state(one.data)->waiting > 0 && cms_state(plain.data)->waiting == 0, "waits");
    a = pack(one);
    b = pack(plain);
    expect(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "the same table");
    /* Merged as a state or packed: the same table, and the state is as it was. */
    third = cms_new(made, &memory);
    merge(&third, sketch_bytes(one), 3);
    merge(&plain, a, 2);
    release_bytes(b);
    b = pack(third);
    release_bytes(a);
    a = pack(plain);
    expect(a.size == b.size && memcmp(a.data, b.data, a.size) == 0, "three times");
    release_bytes(a);
    release_bytes(b);
    expect(cms_state(one.data)->waiting > 0, "it still waits");
    merge(&one, sketch_bytes(one), 1);
    insert(&plain, item(1), 1);
    merge(&plain, sketch_bytes(one), 1);
    expect(cms_total(sketch_bytes(plain)) == 5 * 3600 + 1, "total");
    check_stored(plain, "merged while something waits");
    release_state(one);
    release_state(plain);
    release_state(third);
    conclude("what waits is counted in its order");
}

/* A packed list is opened with room for all of its records, and no more. */
static void
test_opened_sizes(void)
{
    for (uint32_t count = 1; count < 250; count++)
        for (unsigned each = 1; each <= 200; each += 199) {
            SketchState state = cms_new(shape(2000, 7), &memory), opened;
            size_t record = each == 1 ? 9 : 10, log = each == 1 && count <= 12 ? 0 : count * record;
            SketchBytes packed;

            for (uint32_t i = 0; i < count; i++)
                insert(&state, item(i), each);
            packed = pack(state);
            opened = cms_ops.open(packed, &memory);
            expect(opened.size + SKETCH_PREFIX_BYTES == state_chunk(128, 128 + log),
                   "%u items of %u: %zu bytes", count, each, opened.size);
            release_bytes(packed);
            release_state(opened);
            release_state(state);
        }
    conclude("a list is opened in as many bytes as its records take");
}

/* A working value of another release, or too short for its fields, is refused wherever it comes. */
static void
test_foreign_states(void)
{
    SketchState state = cms_new(shape(2000, 7), &memory), into = cms_new(shape(2000, 7), &memory);
    SketchError error;
    uint64_t product;

    insert(&state, item(1), 3);
    for (unsigned sample = 0; sample < 2; sample++) {
        size_t size = sample == 0 ? state.size : sizeof(CmsState) - SKETCH_PREFIX_BYTES - 1;
        SketchBytes copy = {memory_value(size, NULL), size};
        SketchState before = into;

        memcpy((uint8_t *)copy.data, state.data, size);
        if (sample == 0)
            ((uint8_t *)copy.data)[1] = CMS_VERSION;
        expect(cms_ops.open(copy, &memory).data == NULL, "%u: opened", sample);
        expect(cms_ops.pack(copy, &memory).data == NULL, "%u: packed", sample);
        expect(!cms_ops.merge(&into, copy, &memory, &error) && error.status == SKETCH_DAMAGED,
               "%u: merged", sample);
        expect(into.data == before.data && cms_total(sketch_bytes(into)) == 0, "%u: changed",
               sample);
        expect(!cms_inner_product(copy, sketch_bytes(state), &memory, &product, &error) &&
                   error.status == SKETCH_DAMAGED,
               "%u: multiplied", sample);
        release_bytes(copy);
    }
    release_state(state);
    release_state(into);
    conclude("working values of another version, or too short");
}

int
main(void)
{
    test_random();
    test_orders();
    test_chosen_hashes();
    test_sizes();
    test_waiting();
    test_opened_sizes();
    test_foreign_states();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
