/*
 * test_roaring_merges.c - unions and symmetric differences of many medium sets in states, beside
 * plain sets; and states that are refused.
 */
#include "../set.h"
#include "core/roaring/working.h"

#define CONTAINERS 6

/*
 * Values of a few containers: some thin, some of hundreds, now and then thousands, a range, or all.
 */
static Set
medium_set(Random *random, SketchKind kind)
{
    uint64_t base = kind == SKETCH_ROARING ? 0 : UINT64_C(5) << 33;
    Set set = {NULL, 0, 0};

    for (uint64_t key = 0; key < CONTAINERS; key++) {
        static const uint32_t most[] = {1, 8, 15, 300, 300, 700, 3000, 6000};
        uint32_t count = (uint32_t)random_below(random, most[random_below(random, 8)] + 1);
        uint64_t start = random_below(random, 60000);

        if (random_below(random, 40) == 0)
            for (uint64_t low = 0; low < 65536; low++)
                set_append(&set, base + (key << 16) + low);
        else if (random_below(random, 6) == 0)
            for (uint64_t low = start; low < start + count && low < 65536; low++)
                set_append(&set, base + (key << 16) + low);
        else
            for (uint32_t i = 0; i < count; i++)
                set_append(&set, base + (key << 16) + random_below(random, 65536));
    }
    set_settle(&set);
    return set;
}

/* A set as a packed value or as one of several kinds of state. */
static SketchBytes
operand(Random *random, SketchKind kind, const Set *set)
{
    const SketchOps *ops = set_ops(kind);
    SketchBytes packed = set_pack(set, kind);
    SketchState state;
    SketchError error;

    switch (random_below(random, 4)) {
    case 0:
        state = ops->open(packed, &memory);
        break;
    case 1:
        /* The same twice over: two lists for each container. */
        state = ops->open(packed, &memory);
        expect(merge_into(ops, &state, packed, &error), "refused");
        break;
    case 2:
        /* One that counts by parity. */
        state = roaring_new(kind, true, &memory);
        expect(merge_into(ops, &state, packed, &error), "refused");
        break;
    default:
        return packed;
    }
    release_bytes(packed);
    return sketch_bytes(state);
}

static void
expect_state(const Set *set, SketchKind kind, SketchState state, const char *when)
{
    SketchBytes packed = set_ops(kind)->pack(sketch_bytes(state), &memory);
    SketchBytes expected = set_pack(set, kind);

    expect(same_value(packed, expected), "%s: other bytes", when);
    expect(roaring_cardinality(sketch_bytes(state), &memory) == (int64_t)set->count,
           "%s: cardinality", when);
    release_bytes(packed);
    release_bytes(expected);
}

static void
test_medium(SketchKind kind, RoaringOp op)
{
    Random random = {kind * 16 + op};
    const SketchOps *ops = set_ops(kind);

    for (unsigned round = 0; round < 5; round++) {
        SketchState state = roaring_new(kind, op == ROARING_XOR, &memory), opened;
        Set set = {NULL, 0, 0};

        for (unsigned n = 0; n < 24; n++) {
            Set next = medium_set(&random, kind), sum = set_combine(op, &set, &next);
            SketchBytes value = operand(&random, kind, &next);
            SketchError error;

            expect(merge_into(ops, &state, value, &error), "refused");
            release_bytes(value);
            set_free(&next);
            set_free(&set);
            set = sum;
            for (unsigned i = 0; op == ROARING_OR && i < n * 20 % 70; i++) {
                uint64_t added = (kind == SKETCH_ROARING ? 0 : UINT64_C(5) << 33) +
                                 random_below(&random, CONTAINERS << 16);

                state_add(&state, added);
                set_append(&set, added);
            }
            set_settle(&set);
            if (n % 5 == round % 5)
                expect_state(&set, kind, state, "on the way");
        }
        expect_state(&set, kind, state, "at the end");
        opened = ops->open(sketch_bytes(state), &memory);
        expect_state(&set, kind, opened, "a copy");
        release_state(opened);
        release_state(state);
        set_free(&set);
    }
    conclude("%s: medium sets by %s", ops->name, op == ROARING_OR ? "union" : "parity");
}

/* Sets of some 300 values a container: no bitset is made for them. */
static void
test_memory(SketchKind kind)
{
    const SketchOps *ops = set_ops(kind);
    Random random = {kind};
    Set sum = {NULL, 0, 0};
    SketchState state = roaring_new(kind, false, &memory);
    SketchError error;

    for (unsigned n = 0; n < 7; n++) {
        Set set = {NULL, 0, 0};
        SketchBytes value;

        for (unsigned i = 0; i < 5000; i++) {
            set_append(&set, random_below(&random, 1000000));
            set_append(&sum, set.values[i]);
        }
        set_settle(&set);
        value = set_pack(&set, kind);
        expect(merge_into(ops, &state, value, &error), "refused");
        release_bytes(value);
        set_free(&set);
    }
    set_settle(&sum);
    expect_state(&sum, kind, state, "seven sets");
    expect(state.size < 2 * sum.count * 2 + 40000, "%zu bytes", state.size);
    release_state(state);
    set_free(&sum);
    conclude("%s: seven sets of 5,000 values in twice their bytes", ops->name);
}

/* A state of another version, or one that was cut off, is refused whatever is asked of it. */
static void
test_foreign_states(SketchKind kind)
{
    const SketchOps *ops = set_ops(kind);
    SketchState state = roaring_new(kind, false, &memory);
    size_t sizes[6] = {SKETCH_COMMON_BYTES, 19, 20, 100};

    for (uint64_t i = 0; i < 5000; i++)
        state_add(&state, i * 77);
    sizes[4] = roaring_state(state.data)->end - 1;
    sizes[5] = state.size;
    for (unsigned i = 0; i < 12; i++) {
        bool whole = i / 2 == 5, right = whole && i % 2 == 0;
        size_t size = sizes[i / 2];
        uint8_t *copy = memory_value(size, NULL);
        SketchBytes foreign = {copy, size};
        SketchState into = roaring_new(kind, false, &memory);
        SketchState opened;
        SketchError error;

        memcpy(copy, state.data, size);
        copy[1] = i % 2 == 0 ? STATE_VERSION : ROARING_FORMAT_VERSION;
        opened = ops->open(foreign, &memory);
        expect((opened.data != NULL) == right, "%zu bytes are opened", size);
        expect((roaring_cardinality(foreign, &memory) == 5000) == right, "%zu bytes", size);
        expect(merge_into(ops, &into, foreign, &error) == right, "%zu bytes are merged", size);
        expect(right || error.status == SKETCH_DAMAGED, "no reason");
        if (opened.data)
            release_state(opened);
        release_state(into);
        release_bytes(foreign);
    }
    release_state(state);
    conclude("%s: states of another version or size", ops->name);
}

/* A list may have as many values as an array. */
static void
test_list(SketchKind kind)
{
    static const uint32_t counts[] = {300, ROARING_ARRAY_MAX - 1, ROARING_ARRAY_MAX};

    for (unsigned i = 0; i < 3; i++) {
        SketchState state = roaring_new(kind, false, &memory);
        Set set = {NULL, 0, 0};
        SketchBytes packed, value;
        SketchError error;
        uint32_t list;

        for (uint64_t low = 0; low < counts[i]; low++)
            set_append(&set, 10 + 3 * low);
        packed = set_pack(&set, kind);
        expect(merge_into(set_ops(kind), &state, packed, &error), "refused");
        value = sketch_bytes(state);
        list = roaring_directory(state.data)->entry[0].list;
        expect(list != 0 && roaring_list(value, list)->count == counts[i], "%u: no list",
               counts[i]);
        release_bytes(packed);
        release_state(state);
        set_free(&set);
    }
    conclude("%s: lists as long as an array", set_ops(kind)->name);
}

/*
 * A packed set that lost its end is refused: by merging, which changes nothing, opening and
 * packing.
 */
static void
test_short(SketchKind kind)
{
    Random random = {kind + 200};
    const SketchOps *ops = set_ops(kind);
    Set set = medium_set(&random, kind);
    SketchBytes packed = set_pack(&set, kind);
    SketchState state = roaring_new(kind, false, &memory);
    SketchBytes before, after;
    unsigned before_pieces;

    for (unsigned i = 0; i < 20; i++)
        state_add(&state, random_below(&random, CONTAINERS << 16));
    before = ops->pack(sketch_bytes(state), &memory);
    before_pieces = memory_used.pieces;
    for (size_t lost = 1; lost < packed.size - ops->header_bytes; lost += 1 + lost / 8) {
        Bytes part = bytes_copy(packed.data, packed.size - lost);
        SketchBytes bad = {part.data, part.size};
        SketchError error = {.status = SKETCH_OK};

        expect(!merge_into(ops, &state, bad, &error) && error.status == SKETCH_DAMAGED,
               "merged, %zu bytes less", lost);
        expect(!ops->open(bad, &memory).data, "opened, %zu bytes less", lost);
        expect(memory_used.pieces == before_pieces, "memory kept, %zu bytes less", lost);
        free(part.data);
    }
    after = ops->pack(sketch_bytes(state), &memory);
    expect(same_bytes(before.data, before.size, after.data, after.size), "the state has changed");
    release_bytes(before);
    release_bytes(after);
    release_bytes(packed);
    release_state(state);
    set_free(&set);
    conclude("%s: a packed set that lost its end", ops->name);
}

/*
 * A container that arrays have filled is known to be full: what is merged later is not looked at.
 */
static void
test_filled(SketchKind kind, uint64_t parts)
{
    const SketchOps *ops = set_ops(kind);
    SketchState state = roaring_new(kind, false, &memory);
    Set set = {NULL, 0, 0};
    SketchError error;

    for (uint64_t i = 0; i < parts; i++) {
        Set part = {NULL, 0, 0};
        SketchBytes value;

        for (uint64_t low = i; low < 65536; low += parts) {
            set_append(&part, low);
            set_append(&set, low);
        }
        set_settle(&part);
        value = set_pack(&part, kind);
        expect(merge_into(ops, &state, value, &error), "refused");
        expect((roaring_directory(state.data)->entry[0].bitset == ROARING_FULL) == (i == parts - 1),
               "%llu of %llu parts", (unsigned long long)i + 1, (unsigned long long)parts);
        release_bytes(value);
        set_free(&part);
    }
    set_settle(&set);
    expect_state(&set, kind, state, "filled");
    release_state(state);
    set_free(&set);
    conclude("%s: a container that %llu arrays have filled", ops->name, (unsigned long long)parts);
}

/* Runs that end with their container, or begin with it, wherever their values go. */
static void
test_ends(SketchKind kind)
{
    static const uint32_t lengths[] = {3, 5, 10, 40, 300, 2000, 4096, 4097, 20000, 65536};
    const SketchOps *ops = set_ops(kind);

    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (unsigned parity = 0; parity < 2; parity++) {
            SketchState state = roaring_new(kind, parity, &memory);
            Set set = {NULL, 0, 0};
            SketchBytes packed;
            SketchError error;

            for (uint64_t n = 0; n < lengths[i]; n++) {
                set_append(&set, 65535 - n);
                set_append(&set, 131072 + n);
            }
            set_settle(&set);
            packed = set_pack(&set, kind);
            /* A second time with parity leaves none, a third time all. */
            for (unsigned n = 0; n < 3; n++)
                expect(merge_into(ops, &state, packed, &error), "refused");
            expect_state(&set, kind, state, "runs at the ends");
            release_bytes(packed);
            release_state(state);
            set_free(&set);
        }
    conclude("%s: runs at the ends of a container", ops->name);
}

/* Thousands of containers of a few values each, which stay values when a state is regrouped. */
static void
test_thin(SketchKind kind, bool parity)
{
    Random random = {kind + 300};
    const SketchOps *ops = set_ops(kind);
    SketchState state = roaring_new(kind, parity, &memory);
    Set set = {NULL, 0, 0};

    for (unsigned round = 0; round < trials_of(9); round++) {
        Set next = {NULL, 0, 0}, sum;
        SketchBytes value;
        SketchError error;

        for (unsigned i = 0; i < 3000; i++) {
            uint64_t key = random_below(&random, 4000);
            uint64_t most = i % 100 ? 3 : 30;

            for (uint64_t n = random_below(&random, most); n > 0; n--)
                set_append(&next, key << 16 | random_below(&random, 300));
        }
        if (round % 3 == 2) { /* what was there is gone, by parity, or there twice */
            set_free(&next);
            for (size_t i = 0; i < set.count; i++)
                set_append(&next, set.values[i]);
        }
        set_settle(&next);
        sum = set_combine(parity ? ROARING_XOR : ROARING_OR, &set, &next);
        value = set_pack(&next, kind);
        expect(merge_into(ops, &state, value, &error), "refused");
        for (size_t i = 0; !parity && i < next.count; i += 3)
            state_add(&state, next.values[i]);
        expect_state(&sum, kind, state, "thin containers");
        release_bytes(value);
        set_free(&next);
        set_free(&set);
        set = sum;
    }
    release_state(state);
    set_free(&set);
    conclude("%s: thousands of thin containers by %s", ops->name, parity ? "parity" : "union");
}

/* More values than are sorted between two polls. */
static void
test_sorting(void)
{
    const size_t distinct = 1048583, twice = 3000, count = distinct + twice; /* a prime number */
    uint64_t *values = malloc(count * sizeof *values);

    for (unsigned parity = 0; parity < 2; parity++) {
        size_t left, expected = parity ? distinct - twice : distinct;
        bool good = true;

        for (size_t i = 0; i < count; i++)
            values[i] = (uint64_t)i * 7919 % distinct; /* the last ones are the first ones again */
        memory_polls = 0;
        left = roaring_sort_distinct(values, count, parity, &memory);
        expect(left == expected && memory_polls >= 2, "%zu left, %zu polls", left, memory_polls);
        for (size_t i = 1; i < left; i++)
            good = good && values[i] > values[i - 1];
        expect(good && values[left - 1] < distinct, "not in order");
    }
    free(values);
    conclude("a million values in order");
}

/* Values that are alone in their containers: whatever passes all of them polls. */
static void
test_polls(void)
{
    const uint32_t count = 1200000, times = count / SKETCH_POLL_STEPS;
    const RoaringSpace need = {.entries = 1, .values = 2 * count};
    SketchState state = roaring_new_working(SKETCH_ROARING64, false, need, &memory);
    StateWriter w;
    uint64_t *values = malloc(count * sizeof *values);
    uint8_t *at = state.data + roaring_values_at(state.data);
    RoaringSpace more = {.values = 1};

    for (uint32_t i = 0; i < count; i++)
        roaring_push(state, (uint64_t)i << 16);
    memory_polls = 0;
    expect(roaring_ascend(at, true, 0, count, &memory), "they do not ascend");
    expect(memory_polls >= times, "%zu polls of comparing", memory_polls);
    memory_polls = 0;
    roaring_copy_wide(values, at, true, 0, count, &memory);
    expect(memory_polls >= times, "%zu polls of copying", memory_polls);
    memory_polls = 0;
    expect(roaring_sort_distinct(values, count, false, &memory) == count, "not as many");
    expect(memory_polls >= 2 * times, "%zu polls of sorting", memory_polls);

    /*
     * The last value comes again: room for as many as are free, and one more, is made by
     * compacting.
     */
    roaring_push(state, (uint64_t)(count - 1) << 16);
    roaring_set_sorted(state.data, count);
    more.values += (roaring_state(state.data)->end - roaring_state(state.data)->next) / 8;
    memory_polls = 0;
    w = state_writer(state, &memory);
    expect(!roaring_make_room(&w, more), "it was regrouped");
    state = w.state;
    expect(roaring_count(state.data) == count && roaring_sorted(state.data) == count,
           "not compacted");
    expect(memory_polls >= 2 * times, "%zu polls of compacting", memory_polls);
    release_state(state);
    free(values);
    conclude("values that are alone in their containers are passed with polls");
}

#define EVEN_CONTAINERS 10

/* So many values of each container, `last` of the last one; others for each `seed`. */
static Set
even_set(SketchKind kind, uint32_t each, uint32_t last, uint32_t seed)
{
    uint64_t base = kind == SKETCH_ROARING ? 0 : UINT64_C(5) << 33;
    Set set = {NULL, 0, 0};

    for (uint64_t key = 0; key < EVEN_CONTAINERS; key++) {
        uint32_t count = key < EVEN_CONTAINERS - 1 ? each : last;

        for (uint32_t i = 0; i < count; i++)
            set_append(&set, base + (key << 16) + (i * 65536 / count + seed * 7) % 65536);
    }
    set_settle(&set);
    return set;
}

/*
 * A state opened for a union of many: lists that are long are bitsets from the beginning, so that
 * what follows changes them where they are; there is room for short ones.
 */
static void
test_open_many(SketchKind kind)
{
    static const struct {
        uint32_t each, last, bitsets;
    } cases[] = {{1, 1, 0},
                 {100, 9, 0},
                 {2048, 2048, 0},
                 {2049, 2049, EVEN_CONTAINERS},
                 {3000, 800, EVEN_CONTAINERS - 1},
                 {4096, 4097, EVEN_CONTAINERS},
                 {30000, 1000, EVEN_CONTAINERS - 1}};
    const SketchOps *ops = set_ops(kind);

    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t each = cases[i].each, last = cases[i].last, bitsets = cases[i].bitsets;
        Set set = even_set(kind, each, last, 0);
        SketchBytes packed = set_pack(&set, kind);
        SketchState state = ops->open_many(packed, &memory);
        SketchState small = ops->open(packed, &memory);
        const uint8_t *first = state.data;

        expect_state(&set, kind, state, "just opened");
        expect(roaring_bitsets(state.data) == bitsets, "%u: %u bitsets", each,
               roaring_bitsets(state.data));
        expect(bitsets > 0 || state.size == small.size, "%u: %zu bytes, not %zu", each, state.size,
               small.size);
        for (uint32_t seed = 1; seed < 8; seed++) {
            Set next = even_set(kind, each, last, seed);
            Set sum = set_combine(ROARING_OR, &set, &next);
            SketchBytes value = set_pack(&next, kind);
            SketchError error;

            expect(merge_into(ops, &state, value, &error), "refused");
            release_bytes(value);
            set_free(&next);
            set_free(&set);
            set = sum;
        }
        expect(bitsets == 0 || state.data == first, "%u: moved", each);
        expect_state(&set, kind, state, "with all");
        release_state(small);
        release_state(state);
        release_bytes(packed);
        set_free(&set);
    }
    conclude("%s: opened for a union of many", ops->name);
}

/*
 * Packed values in which a key comes twice or too early, as a damaged page may have them: merging
 * would put bitsets where there is no room for them.
 */
static void
test_disorder(SketchKind kind)
{
    static const uint8_t keys[][4] = {{0, 0, 0, 0}, {0, 1, 1, 2}, {0, 1, 2, 2}, {1, 0, 2, 3},
                                      {0, 1, 3, 2}, {3, 1, 2, 3}, {0, 1, 2, 3}};
    const unsigned cases = sizeof keys / sizeof *keys;
    const SketchOps *ops = set_ops(kind);
    Set set = {NULL, 0, 0};

    for (uint64_t key = 0; key < 4; key++)
        for (uint32_t i = 0; i < 3000; i++)
            set_append(&set, (key << 16) + i * 21);
    set_settle(&set);
    for (unsigned i = 0; i < cases; i++) {
        SketchBytes packed = set_pack(&set, kind), again;
        uint8_t *directory = (uint8_t *)packed.data + (kind == SKETCH_ROARING ? 20 : 32);
        SketchState into = roaring_new(kind, false, &memory), opened;
        bool good = i == cases - 1;
        RoaringContainer container;
        RoaringCursor cursor;
        SketchError error;
        unsigned seen = 0;

        for (unsigned k = 0; k < 4; k++)
            directory[4 * k] = keys[i][k];
        expect(merge_into(ops, &into, packed, &error) == good, "case %u: merged", i);
        expect(good || error.status == SKETCH_DAMAGED, "no reason");
        opened = ops->open(packed, &memory);
        expect((opened.data != NULL) == good, "case %u: opened", i);
        if (opened.data)
            release_state(opened);
        opened = ops->open_many(packed, &memory);
        expect((opened.data != NULL) == good, "case %u: opened for many", i);
        if (opened.data)
            release_state(opened);
        again = ops->pack(packed, &memory);
        expect((again.data != NULL) == good, "case %u: packed", i);
        if (again.data)
            release_bytes(again);
        for (cursor = roaring_cursor(packed, true, &memory); roaring_next(&cursor, &container);)
            seen++;
        expect(cursor.damaged == !good && (seen == 4) == good, "case %u: descending", i);
        release_state(into);
        release_bytes(packed);
    }
    set_free(&set);
    conclude("%s: keys out of order", ops->name);
}

/* A directory that is cut off: a cursor ends there, and every later look ends at once. */
static void
test_cut(SketchKind kind)
{
    const SketchOps *ops = set_ops(kind);
    Set set = even_set(kind, 3000, 3000, 0);
    SketchBytes packed = set_pack(&set, kind);
    size_t keys = kind == SKETCH_ROARING ? 20 : 32;
    SketchState into = roaring_new(kind, false, &memory);
    RoaringContainer container;
    SketchError error;

    for (size_t size = keys - 8; size < keys + 4 * EVEN_CONTAINERS; size += 3) {
        SketchBytes cut = {packed.data, size};
        RoaringCursor cursor = roaring_cursor(cut, false, &memory);

        expect(!roaring_next(&cursor, &container) && cursor.damaged, "%zu bytes", size);
        expect(!roaring_next(&cursor, &container) && cursor.damaged, "%zu bytes again", size);
        expect(!merge_into(ops, &into, cut, &error) && error.status == SKETCH_DAMAGED,
               "%zu bytes: merged", size);
    }
    release_state(into);
    release_bytes(packed);
    set_free(&set);
    conclude("%s: a directory cut off", ops->name);
}

/*
 * Values that wait become lists when a state is regrouped to make room, and with what is merged
 * these become bitsets: it is regrouped again, and what was between is given back.
 */
static void
test_regrouped_twice(SketchKind kind)
{
    const SketchOps *ops = set_ops(kind);
    const unsigned containers = kind == SKETCH_ROARING ? 2 : 1; /* 24 kB of values in either */
    SketchState state = roaring_new(kind, false, &memory);
    unsigned before_pieces = memory_used.pieces;
    Random random = {kind + 300};
    Set set = {NULL, 0, 0}, more = {NULL, 0, 0};
    SketchBytes packed;
    SketchError error;

    for (unsigned i = 0; i < 3000 * containers; i++) {
        uint64_t added = random_below(&random, (uint64_t)containers << 16);

        state_add(&state, added);
        set_append(&set, added);
    }
    for (unsigned i = 0; i < 2200 * containers; i++) {
        set_append(&more, (i % containers << 16) + i / containers * 29);
        set_append(&set, more.values[i]);
    }
    set_settle(&more);
    set_settle(&set);
    packed = set_pack(&more, kind);
    expect(roaring_entries(state.data) == 0, "there are lists already");
    expect(merge_into(ops, &state, packed, &error), "refused");
    release_bytes(packed);
    expect(memory_used.pieces == before_pieces, "memory is kept");
    expect(roaring_bitsets(state.data) == containers, "%u bitsets", roaring_bitsets(state.data));
    expect_state(&set, kind, state, "folded");
    release_state(state);
    set_free(&more);
    set_free(&set);
    conclude("%s: a state that is folded twice", ops->name);
}

/*
 * A damaged state whose bitsets have few values and lists beside them. To make room for another
 * state it is folded: the bitsets become lists, so those of the other one need room, too.
 */
static void
test_bitset_and_list(SketchKind kind)
{
    enum { DAMAGED = 2, ALL = 8 };
    const RoaringSpace need = {.entries = ALL, .bitsets = DAMAGED, .list_bytes = 8192};
    const RoaringSpace other_need = {.entries = ALL, .bitsets = ALL};
    SketchState damaged = roaring_new_working(kind, false, need, &memory), state;
    SketchState other = roaring_new_working(kind, false, other_need, &memory);
    SketchError error;

    for (uint64_t key = 0; key < ALL; key++) {
        RoaringEntry *entry = &roaring_directory(other.data)->entry[key];

        *entry = (RoaringEntry){.key = key, .bitset = ROARING_NO_BITSET};
        memset(roaring_add_bitset(other, entry), 0x55, ROARING_BITSET_BYTES);
        if (key >= DAMAGED)
            continue;
        entry = &roaring_directory(damaged.data)->entry[key];
        *entry = (RoaringEntry){.key = key, .bitset = ROARING_NO_BITSET};
        memset(roaring_add_bitset(damaged, entry), 0, ROARING_BITSET_BYTES);
        *roaring_bitset(damaged.data, entry->bitset) = 1;
        store_le16(roaring_add_list(damaged, entry, 1), 101);
    }
    roaring_directory(other.data)->entries = ALL;
    roaring_directory(damaged.data)->entries = DAMAGED;
    state = set_ops(kind)->open(sketch_bytes(damaged), &memory);
    expect(state.data && merge_into(set_ops(kind), &state, sketch_bytes(other), &error), "refused");
    expect(roaring_cardinality(sketch_bytes(state), &memory) == ALL * 32768 + DAMAGED,
           "%lld values", (long long)roaring_cardinality(sketch_bytes(state), &memory));
    release_state(state);
    release_state(other);
    release_state(damaged);
    conclude("%s: a damaged state with bitsets and lists of one container", set_ops(kind)->name);
}

int
main(void)
{
    for (SketchKind kind = SKETCH_ROARING; kind <= SKETCH_ROARING64; kind++) {
        test_medium(kind, ROARING_OR);
        test_medium(kind, ROARING_XOR);
        test_memory(kind);
        test_foreign_states(kind);
        test_list(kind);
        test_short(kind);
        test_filled(kind, 16);
        test_filled(kind, 2048);
        test_ends(kind);
        test_thin(kind, false);
        test_thin(kind, true);
        test_open_many(kind);
        test_disorder(kind);
        test_cut(kind);
        test_regrouped_twice(kind);
        test_bitset_and_list(kind);
    }
    test_sorting();
    test_polls();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
