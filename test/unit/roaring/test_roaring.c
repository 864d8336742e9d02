/*
 * test_roaring.c - roaring and roaring64 against plain sets.
 */
#include "pieces.h"
#include "core/common/bytes.h"

#define ROUNDS 60

/* Membership in a value that is not damaged. */
static bool
has_value(SketchBytes value, uint64_t wanted)
{
    bool found = false;

    expect(roaring_contains(value, wanted, &found), "damaged");
    return found;
}

/* Values in random order, some twice, through a state. */
static void
test_states(SketchKind kind)
{
    Random random = {kind};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set set = set_random(&random, kind, (unsigned)random_below(&random, 9), 20);
        SketchState state = roaring_new(kind, false, &memory);
        SketchBytes packed, expected = set_pack(&set, kind);
        uint64_t *order = malloc((set.count + 1) * sizeof *order);

        if (set.count > 0)
            memcpy(order, set.values, set.count * sizeof *order);
        for (size_t i = set.count; i > 1; i--) {
            size_t j = random_below(&random, i);
            uint64_t swap = order[i - 1];

            order[i - 1] = order[j];
            order[j] = swap;
        }
        for (size_t i = 0; i < set.count; i++) {
            state_add(&state, order[round % 2 ? i : set.count - 1 - i]);
            if (random_below(&random, 3) == 0)
                state_add(&state, order[random_below(&random, set.count)]);
        }
        expect(set.count > 10 || kind != SKETCH_ROARING || state.size <= 124,
               "%zu values: %zu bytes", set.count, state.size);
        packed = set_ops(kind)->pack(sketch_bytes(state), &memory);
        expect(set_equals(&set, packed), "round %u: other values", round);
        expect(same_value(packed, expected), "round %u: other bytes", round);
        expect(roaring_cardinality(sketch_bytes(state), &memory) <= (int64_t)set.count * 2 &&
                   roaring_cardinality(sketch_bytes(state), &memory) == (int64_t)set.count,
               "round %u: cardinality", round);
        release_bytes(packed);
        release_bytes(expected);
        release_state(state);
        free(order);
        set_free(&set);
    }
    conclude("%s: a state holds what was added, in the bytes of the sorted set", name_of(kind));
}

static void
test_doors(SketchKind kind)
{
    Random random = {kind + 10};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set set = set_random(&random, kind, (unsigned)random_below(&random, 6), 30);
        SketchBytes value = set_pack(&set, kind), again, read;
        size_t size = roaring_portable_bytes(value);
        uint8_t *portable = malloc(size);
        SketchState state;
        SketchError error;

        expect(set_ops(kind)->validate(value, &memory, &again, &error), "round %u: %s", round,
               error.reason);
        expect(same_value(value, again), "round %u: validated as other bytes", round);
        release_bytes(again);

        roaring_to_portable(value, portable, &memory);
        expect(roaring_from_portable(kind, (SketchBytes){portable, size}, &memory, &read, &error),
               "round %u: %s", round, error.reason);
        expect(same_value(value, read), "round %u: portable bytes read as others", round);
        release_bytes(read);
        for (unsigned cut = 0; cut < 30; cut++)
            expect(!roaring_from_portable(kind,
                                          (SketchBytes){portable, random_below(&random, size)},
                                          &memory, &read, &error),
                   "round %u: cut and accepted", round);
        free(portable);

        state = set_ops(kind)->open(value, &memory);
        again = set_ops(kind)->pack(sketch_bytes(state), &memory);
        expect(same_value(value, again), "round %u: opened and packed as other bytes", round);
        release_bytes(again);
        release_state(state);
        release_bytes(value);
        set_free(&set);
    }
    conclude("%s: through validate, the portable format and a state unchanged", name_of(kind));
}

static Set
stretches(Random *random, SketchKind kind)
{
    return set_random(random, kind, (unsigned)random_below(random, 8), 8);
}

/*
 * A few values in each of many containers, which in roaring64 are buckets of one, and more in some.
 */
static Set
scattered(Random *random, SketchKind kind)
{
    unsigned shift = kind == SKETCH_ROARING ? 16 : 32;
    unsigned few = (unsigned)random_below(random, 2000);
    Set set = {NULL, 0, 0};

    for (unsigned i = 0; i < few; i++)
        set_append(&set, random_below(random, 100) << shift | random_below(random, 30) * 2000);
    for (unsigned i = (unsigned)random_below(random, 300); i > 0; i--)
        set_append(&set, random_below(random, 5) * 20 << shift | random_below(random, 100));
    set_settle(&set);
    return set;
}

static void
test_algebra(SketchKind kind, Set (*make)(Random *, SketchKind), const char *what)
{
    Random random = {kind + 20};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set a = make(&random, kind);
        Set b = make(&random, kind);
        SketchBytes in_a = set_pack(&a, kind), in_b = set_pack(&b, kind);
        SketchError error;
        Set common = set_combine(ROARING_AND, &a, &b), rest = set_combine(ROARING_ANDNOT, &a, &b);
        uint64_t cardinality;
        bool answer;

        for (unsigned op = ROARING_AND; op <= ROARING_ANDNOT; op++) {
            Set expected = set_combine((RoaringOp)op, &a, &b);
            SketchBytes bytes = set_pack(&expected, kind), result;

            expect(roaring_combine((RoaringOp)op, in_a, in_b, &memory, &result, &error) &&
                       same_value(result, bytes),
                   "round %u: operation %u", round, op);
            release_bytes(result);
            if (op == ROARING_OR || op == ROARING_XOR) {
                SketchState state = roaring_new(kind, op == ROARING_XOR, &memory);
                SketchState other = set_ops(kind)->open(in_b, &memory);

                expect(merge_into(set_ops(kind), &state, in_a, &error) &&
                           merge_into(set_ops(kind), &state, round % 2 ? in_b : sketch_bytes(other),
                                      &error),
                       "round %u: merging", round);
                result = set_ops(kind)->pack(sketch_bytes(state), &memory);
                expect(same_value(result, bytes), "round %u: merged, operation %u", round, op);
                release_bytes(result);
                release_state(state);
                release_state(other);
            }
            release_bytes(bytes);
            set_free(&expected);
        }
        expect(roaring_intersection_cardinality(in_a, in_b, &memory, &cardinality) &&
                   cardinality == common.count,
               "round %u: cardinality of the intersection", round);
        expect(roaring_intersects(in_a, in_b, &memory, &answer) && answer == (common.count > 0),
               "round %u: intersects", round);
        expect(roaring_is_subset(in_a, in_b, &memory, &answer) && answer == (rest.count == 0),
               "round %u: subset", round);
        {
            SketchBytes in_common = set_pack(&common, kind);

            expect(roaring_is_subset(in_common, in_b, &memory, &answer) && answer,
                   "round %u: subset of b", round);
            release_bytes(in_common);
        }
        release_bytes(in_a);
        release_bytes(in_b);
        set_free(&a);
        set_free(&b);
        set_free(&common);
        set_free(&rest);
    }
    conclude("%s, %s: set algebra as plain sets have it", name_of(kind), what);
}

/* Counting by parity: what came an even number of times is gone. */
static void
test_parity(SketchKind kind)
{
    Random random = {kind + 30};

    for (unsigned round = 0; round < trials_of(10); round++) {
        SketchState state = roaring_new(kind, true, &memory);
        Set set = {NULL, 0, 0};
        SketchBytes value = set_pack(&set, kind);

        for (unsigned n = 0; n < 12; n++) {
            Set next = set_random(&random, kind, 3, 6), sum = set_combine(ROARING_XOR, &set, &next);
            SketchBytes bytes = set_pack(&next, kind);
            SketchError error;

            expect(merge_into(set_ops(kind), &state, bytes, &error), "merging");
            release_bytes(bytes);
            set_free(&set);
            set_free(&next);
            set = sum;
        }
        release_bytes(value);
        value = set_ops(kind)->pack(sketch_bytes(state), &memory);
        expect(set_equals(&set, value), "round %u: other values", round);
        release_bytes(value);
        release_state(state);
        set_free(&set);
    }
    conclude("%s: a chain of symmetric differences", name_of(kind));
}

/* So many values that they are bits, each of them twice, and some a third time. */
static void
test_added_by_parity(SketchKind kind)
{
    enum { VALUES = 100000, THIRD = 7000 };
    SketchState state = roaring_new(kind, true, &memory);
    SketchBytes value;

    for (unsigned i = 0; i < 2 * VALUES + THIRD; i++) {
        uint8_t *before = state.data;

        roaring_insert(&state, i % VALUES, &memory);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    value = set_ops(kind)->pack(sketch_bytes(state), &memory);
    expect(roaring_cardinality(value, &memory) == THIRD, "%lld are left",
           (long long)roaring_cardinality(value, &memory));
    release_bytes(value);
    release_state(state);
    conclude("%s: values added by parity", name_of(kind));
}

/* The portable format of 64 bits: high halves ascend, and what is cut off is missed. */
static void
test_highs(void)
{
    enum { BUCKET = 4 + 18 }; /* the high half, and a bitmap of one value */
    static const struct {
        uint32_t high[3];
        bool good;
    } cases[] = {
        {{0, 1, 2}, true},          {{3, 40, INT32_MAX}, true},
        {{0, 0, 2}, false},         {{1, 0, 2}, false},
        {{0, 2, 2}, false},         {{0, 2, 1}, false},
        {{2, 3, 2}, false},         {{0, 1, UINT32_C(1) << 31}, true},
        {{0, 1, UINT32_MAX}, true},
    };
    Set set = {NULL, 0, 0};
    SketchBytes value, read;
    SketchError error;
    Bytes portable;

    for (uint64_t high = 0; high < 3; high++)
        set_append(&set, high << 32 | 5);
    value = set_pack(&set, SKETCH_ROARING64);
    portable = (Bytes){malloc(8 + 3 * BUCKET), 8 + 3 * BUCKET};
    expect(roaring_portable_bytes(value) == portable.size, "%zu bytes", portable.size);
    roaring_to_portable(value, portable.data, &memory);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool good;

        for (unsigned bucket = 0; bucket < 3; bucket++)
            store_le32(portable.data + 8 + BUCKET * bucket, cases[i].high[bucket]);
        good = roaring_from_portable(SKETCH_ROARING64, (SketchBytes){portable.data, portable.size},
                                     &memory, &read, &error);
        expect(good == cases[i].good, "highs of case %zu", i);
        if (!good)
            continue;
        for (uint64_t bucket = 0; bucket < 3; bucket++)
            expect(has_value(read, (uint64_t)cases[i].high[bucket] << 32 | 5), "case %zu", i);
        release_bytes(read);
        for (size_t size = 0; size < portable.size; size++) {
            Bytes cut = bytes_copy(portable.data, size);

            expect(!roaring_from_portable(SKETCH_ROARING64, (SketchBytes){cut.data, cut.size},
                                          &memory, &read, &error),
                   "cut at %zu", size);
            free(cut.data);
        }
    }
    free(portable.data);
    release_bytes(value);
    set_free(&set);
    conclude("high halves in the portable format");
}

static bool
looked_up(SketchBytes value, uint64_t wanted, unsigned *reads)
{
    bool found = false;

    expect(look_up(value, wanted, &found, reads), "damaged");
    return found;
}

/* What is not a set of many containers takes a piece for the container and one to find it. */
static void
test_pieces(SketchKind kind)
{
    static const struct {
        uint64_t containers, step;
        unsigned reads;
    } shapes[] = {{200, 1, 2}, {200, 20, 2}, {65536, 70, 4}, {3000, 21, 4}};

    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Set set = {NULL, 0, 0};
        SketchBytes value;
        unsigned reads, most = 0;

        for (uint64_t at = 0; at < shapes[i].containers << 16; at += shapes[i].step * 50)
            set_append(&set, at);
        value = set_pack(&set, kind);
        for (size_t j = 0; j < set.count; j += 1 + set.count / 500) {
            expect(looked_up(value, set.values[j], &reads), "shape %u, value %zu", i, j);
            most = reads > most ? reads : most;
            expect(!looked_up(value, set.values[j] + 1, &reads), "shape %u, beside %zu", i, j);
        }
        expect(most <= shapes[i].reads, "shape %u: %u pieces", i, most);
        release_bytes(value);
        set_free(&set);
    }
    conclude("%s: pieces that are read for one probe", name_of(kind));
}

/*
 * Keys in clusters with gaps between mislead both guesses where a key is; every answer is right,
 * and no piece is read that is not there.
 */
static void
test_misleading_keys(SketchKind kind)
{
    Random random = {kind + 30};

    for (unsigned round = 0; round < trials_of(20); round++) {
        Set set = {NULL, 0, 0};
        SketchBytes value;
        unsigned reads;

        for (unsigned cluster = 0; cluster < 6; cluster++) {
            uint64_t key = random_below(&random, 65000), count = random_below(&random, 1500);

            for (uint64_t i = 0; i < count && key < 65536; i++, key += 1 + random_below(&random, 2))
                set_append(&set, key << 16 | 7);
        }
        set_settle(&set);
        value = set_pack(&set, kind);
        for (uint64_t key = 0; key < 65536; key += 1 + random_below(&random, 60)) {
            expect(looked_up(value, key << 16 | 7, &reads) == set_has(&set, key << 16 | 7),
                   "key %zu", (size_t)key);
            expect(reads <= 8, "key %zu: %u pieces", (size_t)key, reads);
        }
        release_bytes(value);
        set_free(&set);
    }
    conclude("%s: keys in clusters are found in pieces", name_of(kind));
}

static void
test_questions(SketchKind kind)
{
    Random random = {kind + 40};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set set = set_random(&random, kind, (unsigned)random_below(&random, 6), 6);
        SketchBytes value = set_pack(&set, kind);
        uint64_t max = roaring_value_max(kind), found, rank;
        unsigned reads;

        for (unsigned i = 0; i < 300; i++) {
            uint64_t at = set.count > 0 && i % 2 ? set.values[random_below(&random, set.count)] +
                                                       random_below(&random, 3)
                                                 : set_random_base(&random, kind, 8);
            size_t below, absent;

            at -= at > 0 && i % 3 == 0;
            if (at > max)
                at = max;
            below = set_below(&set, at);
            expect(has_value(value, at) == set_has(&set, at), "round %u: contains", round);
            expect(looked_up(value, at, &reads) == set_has(&set, at), "round %u: lookup", round);
            expect(kind == SKETCH_ROARING64 || !looked_up(value, at | UINT64_C(1) << 32, &reads),
                   "round %u: lookup of more than 32 bits", round);
            expect(roaring_rank(value, at, &memory, &rank) && rank == below + set_has(&set, at),
                   "round %u: rank", round);
            expect(roaring_next_value(value, at, true, &memory, &found) == (below < set.count) &&
                       (below >= set.count || found == set.values[below]),
                   "round %u: next", round);
            absent = below;
            while (absent < set.count && set.values[absent] == at + (absent - below))
                absent++;
            expect(roaring_next_value(value, at, false, &memory, &found) ==
                           (absent - below <= max - at) &&
                       (absent - below > max - at || found == at + (absent - below)),
                   "round %u: next absent from %llu", round, (unsigned long long)at);
            if (set.count > 0) {
                size_t rank = random_below(&random, set.count);

                expect(roaring_select(value, rank, &memory, &found) && found == set.values[rank],
                       "round %u: select", round);
            }
        }
        expect(!roaring_select(value, set.count, &memory, &found), "round %u: select beyond",
               round);
        release_bytes(value);
        set_free(&set);
    }
    conclude("%s: membership, ranks and positions", name_of(kind));
}

static void
test_shifts(SketchKind kind)
{
    Random random = {kind + 50};

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        Set set = round % 4 == 3 ? scattered(&random, kind)
                                 : set_random(&random, kind, (unsigned)random_below(&random, 6), 6);
        SketchBytes value = set_pack(&set, kind), shifted;
        int64_t offset = round % 3 == 0 ? (int64_t)random_below(&random, 200000) - 100000
                         : round % 3 == 1
                             ? (int64_t)(random_next(&random) >> random_below(&random, 64))
                             : -(int64_t)random_below(&random, UINT64_C(1) << 33);
        Set expected = {NULL, 0, 0};
        SketchBytes bytes;

        for (size_t i = 0; i < set.count; i++) {
            uint64_t moved;

            if (!__builtin_add_overflow(set.values[i], offset, &moved) &&
                moved <= roaring_value_max(kind))
                set_append(&expected, moved);
        }
        bytes = set_pack(&expected, kind);
        expect(roaring_shift(value, offset, &memory, &shifted), "round %u: damaged", round);
        expect(same_value(shifted, bytes), "round %u: shifted by %lld", round, (long long)offset);
        release_bytes(shifted);
        release_bytes(bytes);
        release_bytes(value);
        set_free(&set);
        set_free(&expected);
    }
    conclude("%s: shifting", name_of(kind));
}

static void
test_ranges(SketchKind kind)
{
    Random random = {kind + 60};
    SketchBytes value;
    SketchError error;

    for (unsigned round = 0; round < trials_of(ROUNDS); round++) {
        uint64_t lo = set_random_base(&random, kind, 8), hi = lo + random_below(&random, 300000);
        Set set = {NULL, 0, 0};
        SketchBytes bytes;

        if (lo > roaring_value_max(kind))
            lo = roaring_value_max(kind);
        if (hi > roaring_value_max(kind) || hi < lo)
            hi = roaring_value_max(kind);
        for (uint64_t i = 0; i <= hi - lo; i++)
            set_append(&set, lo + i);
        bytes = set_pack(&set, kind);
        expect(roaring_from_range(kind, lo, hi, &memory, &value, &error), "%s", error.reason);
        expect(same_value(value, bytes), "round %u: range", round);
        release_bytes(value);
        release_bytes(bytes);
        set_free(&set);
    }
    if (kind == SKETCH_ROARING) {
        expect(roaring_from_range(kind, 0, UINT32_MAX, &memory, &value, &error) &&
                   roaring_cardinality(value, &memory) == INT64_C(1) << 32,
               "all values");
        release_bytes(value);
    } else {
        expect(!roaring_from_range(kind, 0, INT64_MAX, &memory, &value, &error) &&
                   error.status == SKETCH_LIMIT,
               "a range that is too long");
    }
    conclude("%s: ranges", name_of(kind));
}

/* A set without a range, of which it may have values before, in and behind. */
static void
test_without_range(SketchKind kind)
{
    Random random = {kind + 80};

    for (unsigned round = 0; round < trials_of(2 * ROUNDS); round++) {
        Set set = set_random(&random, kind, (unsigned)random_below(&random, 8), 8);
        Set rest = {NULL, 0, 0};
        SketchBytes value = set_pack(&set, kind), expected, result;
        uint64_t lo = set_random_base(&random, kind, 8), hi;

        if (round % 4 == 0)
            lo = 0;
        hi = lo + random_below(&random, round % 3 ? 200000 : 50);
        if (round % 5 == 0)
            hi |= 65535;
        if (hi > roaring_value_max(kind) || hi < lo)
            hi = roaring_value_max(kind);
        for (size_t i = 0; i < set.count; i++)
            if (set.values[i] < lo || set.values[i] > hi)
                set_append(&rest, set.values[i]);
        expected = set_pack(&rest, kind);
        expect(roaring_without_range(value, lo, hi, &memory, &result) &&
                   same_value(result, expected),
               "round %u: without %llu to %llu", round, (unsigned long long)lo,
               (unsigned long long)hi);
        release_bytes(result);
        release_bytes(expected);
        release_bytes(value);
        set_free(&rest);
        set_free(&set);
    }
    conclude("%s: without a range", name_of(kind));
}

int
main(void)
{
    for (SketchKind kind = SKETCH_ROARING; kind <= SKETCH_ROARING64; kind++) {
        test_states(kind);
        test_doors(kind);
        test_algebra(kind, stretches, "stretches");
        test_algebra(kind, scattered, "scattered values");
        test_parity(kind);
        test_added_by_parity(kind);
        test_questions(kind);
        test_pieces(kind);
        test_misleading_keys(kind);
        test_shifts(kind);
        test_ranges(kind);
        test_without_range(kind);
    }
    test_highs();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
