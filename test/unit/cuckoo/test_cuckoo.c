/*
 * test_cuckoo.c - cuckoo filters against a sorted array that does the same.
 */
#include "../multiset.h"

static SketchError error;

/* Everything that can be asked of a packed value, of members and of others. */
static void
expect_answers(const Multiset *m, SketchState state, Random *random, unsigned skew, uint64_t items)
{
    SketchBytes packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
    CuckooView view = cuckoo_view(packed, &memory);
    CuckooHeader header = cuckoo_header(packed);

    expect(header.items == m->items && header.deletes == m->deletes, "numbers");
    for (unsigned i = 0; i < 200; i++) {
        uint64_t hash = i % 2 && m->items > 0
                            ? m->item[random_below(random, m->items)] << (64 - m->p) |
                                  (random_next(random) >> m->p)
                            : random_hash(random, skew, items);
        uint64_t count = multiset_count(m, hash);

        expect(counts_to(packed, &view, hash, count), "count of an item, packed");
        expect(cuckoo_table_count(state, hash) == count, "count of an item, table");
    }
    release_bytes(packed);
}

static void
change(Multiset *m, SketchState *state, Random *random, unsigned skew, uint64_t items)
{
    uint64_t hash = random_hash(random, skew, items);
    uint64_t count = multiset_count(m, hash);
    bool full = m->capacity > 0 && m->items >= m->capacity;

    switch (random_below(random, 4)) {
    case 0:
        expect(cuckoo_delete(*state, hash, &memory) == multiset_delete(m, hash), "deleting");
        break;
    case 1:
        expect(filter_insert(state, hash, &error) == (count > 0 || !full), "adding what is absent");
        if (count == 0 && !full)
            multiset_add(m, hash);
        break;
    default:
        if (filter_add(state, hash, &error)) {
            expect(count < 8 && !full, "a ninth copy, or into a full filter");
            multiset_add(m, hash);
        } else
            expect((count >= 8 || full) && error.status == SKETCH_LIMIT && error.has_range &&
                       error.found > error.high,
                   "an item refused");
    }
}

static void
test_changes(void)
{
    static const unsigned skews[] = {0, 0, 0, 20, 40};

    for (unsigned run = 0; run < trials_of(60); run++) {
        Random random = {run};
        unsigned f = 8 + run % 25, skew = skews[run % 5];
        uint32_t capacity = 1 + (uint32_t)random_below(&random, run % 3 ? 3000 : 40000);
        bool fixed = run % 4 == 0;
        uint64_t items = 1 + random_below(&random, run % 2 ? 40 : 4000);
        Multiset m = multiset_new(f, multiset_bits(capacity, f), fixed ? capacity : 0);
        SketchState state = cuckoo_new(capacity, fixed, f, &memory);

        for (unsigned step = 0; step < 3000; step++) {
            change(&m, &state, &random, skew, items);
            if (random_below(&random, 500) == 0) {
                expect(multiset_agrees(&m, sketch_bytes(state)), "run %u, step %u", run, step);
                expect_answers(&m, state, &random, skew, items);
            }
        }
        expect(multiset_agrees(&m, sketch_bytes(state)), "run %u", run);
        release_state(state);
        multiset_free(&m);
    }
    conclude("adding and deleting one by one");
}

/*
 * A filter beside how often it holds each fingerprint, of which there are few enough to count all.
 */
typedef struct Counted {
    SketchState state;
    unsigned p;
    uint64_t items;
    uint8_t held[1 << 20];
} Counted;

static void
fold(Counted *counted, unsigned p)
{
    for (; counted->p > p; counted->p--)
        for (size_t i = 0; i < (size_t)1 << (counted->p - 1); i++)
            counted->held[i] = (uint8_t)(counted->held[2 * i] + counted->held[2 * i + 1]);
}

/* Another filter, of a hundred items and as many bits or more, by union or by sum. */
static void
join(Counted *counted, Random *random, bool sum)
{
    uint32_t capacity = random_below(random, 2) ? 30000 : 16000;
    Multiset other = multiset_new(8, multiset_bits(capacity, 8), 0);
    SketchState state = cuckoo_new(capacity, false, 8, &memory);
    bool fits = true;

    for (unsigned i = 0; i < 100; i++) {
        uint64_t hash = mix64(random_below(random, 20000));

        if (filter_add(&state, hash, &error))
            multiset_add(&other, hash);
    }
    multiset_cut(&other, counted->p);
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0, end; i < other.items; i = end) {
            uint8_t *held = &counted->held[other.item[i]], before = *held;

            for (end = i; end < other.items && other.item[end] == other.item[i];)
                end++;
            if (pass == 0)
                fits = fits && (!sum || *held == 0 || *held + (end - i) <= 8);
            else if (fits)
                *held = (uint8_t)(sum ? *held + (end - i) : *held > end - i ? *held : end - i);
            counted->items += *held - before;
        }
    if (sum)
        expect(filter_sum(&counted->state, sketch_bytes(state), &error) == fits, "a sum");
    else
        expect(merge_into(&cuckoo_ops, &counted->state, sketch_bytes(state), &error), "a union");
    release_state(state);
    multiset_free(&other);
}

/* Three million operations. */
static void
test_many(void)
{
    static Counted counted;

    for (unsigned round = 0; round < 8; round++) {
        const uint32_t capacity = UINT32_C(1000) << round % 5;
        Random random = {99 + round};
        SketchBytes packed;
        uint64_t most = 0;

        counted = (Counted){.state = cuckoo_new(capacity, false, 8, &memory),
                            .p = multiset_bits(capacity, 8)};
        for (unsigned step = 0; step < 375000; step++) {
            uint64_t draw = random_next(&random), hash = mix64(draw % 20000);
            uint8_t *held = &counted.held[hash >> (64 - counted.p)];

            if (draw >> 62 == 0 || counted.items > 30000) {
                expect(cuckoo_delete(counted.state, hash, &memory) == (*held > 0), "deleting");
                counted.items -= *held > 0;
                *held -= *held > 0;
            } else if (draw >> 62 == 1)
                expect(cuckoo_table_count(counted.state, hash) == *held, "counting");
            else if (filter_add(&counted.state, hash, &error)) {
                counted.items++;
                expect(++*held <= 8, "a ninth copy");
            } else
                expect(*held >= 8, "refused");
            most = counted.items > most ? counted.items : most;
            if (step % 1000 == 999) /* not into an empty one, whose hash bits do not count */
                join(&counted, &random, step % 3000 == 999);
            if (step % 100000 == 99999) {
                unsigned wanted = multiset_bits(counted.items, 8);

                filter_compact(&counted.state);
                fold(&counted, wanted < counted.p ? wanted : counted.p);
            }
        }
        expect(most > 20000, "the filter was never large");
        packed = cuckoo_ops.pack(sketch_bytes(counted.state), &memory);
        expect(cuckoo_header(packed).items == counted.items, "items at the end");
        expect(cuckoo_header(packed).hash_bits == counted.p, "hash bits at the end");
        release_bytes(packed);
        for (uint64_t i = 0; i < UINT64_C(1) << counted.p; i++)
            expect(cuckoo_table_count(counted.state, i << (64 - counted.p)) == counted.held[i],
                   "count at the end");
        release_state(counted.state);
    }
    conclude("three million operations");
}

static SketchState
random_filter(Multiset *m, Random *random, uint64_t most, unsigned skew)
{
    unsigned f = random_below(random, 3) ? 16 : 8 + (unsigned)random_below(random, 25);
    uint32_t capacity = 1 + (uint32_t)random_below(random, random_below(random, 2) ? 100 : 9000);
    bool fixed = random_below(random, 6) == 0;
    uint64_t items = random_below(random, most), universe = 1 + random_below(random, 2 * most);
    SketchState state;

    if (fixed && items > capacity)
        items = capacity;
    *m = multiset_new(f, multiset_bits(capacity, f), fixed ? capacity : 0);
    state = cuckoo_new(capacity, fixed, f, &memory);
    for (uint64_t i = 0; i < items; i++) {
        uint64_t hash = random_hash(random, skew, universe);

        if (filter_add(&state, hash, &error))
            multiset_add(m, hash);
        if (random_below(random, 50) == 0) {
            hash = random_hash(random, skew, universe);
            expect(cuckoo_delete(state, hash, &memory) == multiset_delete(m, hash), "deleting");
        }
    }
    return state;
}

static bool
sum_fits(const Multiset *a, const Multiset *b)
{
    Multiset both = multiset_copy(a), fine = multiset_copy(b);
    unsigned p = a->p < b->p ? a->p : b->p;
    bool fits = true;

    multiset_cut(&both, p);
    multiset_cut(&fine, p);
    for (size_t i = 0; i < both.items && fits; i++) {
        uint64_t hash = both.item[i] << (64 - p);
        uint64_t other = multiset_count(&fine, hash);

        fits = other == 0 || multiset_count(&both, hash) + other <= 8;
    }
    multiset_free(&both);
    multiset_free(&fine);
    return fits;
}

static void
test_merge(void)
{
    for (unsigned run = 0; run < trials_of(400); run++) {
        Random random = {run + 1000};
        unsigned skew = run % 5 ? 0 : 30;
        bool sum = run % 3 == 0, fits;
        Multiset a, b, expected;
        SketchState x = random_filter(&a, &random, run % 7 ? 700 : 20, skew);
        SketchState y = random_filter(&b, &random, run % 2 ? 60 : 1500, skew);
        SketchBytes other =
            run % 4 < 2 ? cuckoo_ops.pack(sketch_bytes(y), &memory) : sketch_bytes(y);
        bool good;

        expected = multiset_copy(&a);
        multiset_merge(&expected, &b, sum);
        fits = (expected.capacity == 0 || expected.items <= expected.capacity) &&
               (!sum || sum_fits(&a, &b));
        good = sum ? filter_sum(&x, other, &error) : merge_into(&cuckoo_ops, &x, other, &error);
        expect(good == fits, "run %u: %s", run, good ? "merged" : "refused");
        if (!good)
            expect(error.status == SKETCH_LIMIT && error.has_range && error.found > error.high,
                   "a reason");
        expect(multiset_agrees(good ? &expected : &a, sketch_bytes(x)), "run %u", run);
        if (good) /* it goes on working */
            for (unsigned i = 0; i < 50; i++)
                change(&expected, &x, &random, skew, 500);
        expect(multiset_agrees(good ? &expected : &a, sketch_bytes(x)), "run %u, afterwards", run);
        expect(multiset_agrees(&b, sketch_bytes(y)), "the other one changed");
        if (run % 4 < 2)
            release_bytes(other);
        release_state(x);
        release_state(y);
        multiset_free(&a);
        multiset_free(&b);
        multiset_free(&expected);
    }
    conclude("union and sum, of equal and of different parameters");
}

/* Small ones swept into a large one, which fills up, at its end too. */
static void
test_sweeps(void)
{
    for (unsigned run = 0; run < trials_of(12); run++) {
        Random random = {run + 77};
        unsigned skew = run % 3 ? 0 : 28;
        Multiset m = multiset_new(16, multiset_bits(3000, 16), 0);
        SketchState state = cuckoo_new(3000, false, 16, &memory);

        for (unsigned i = 0; i < 60; i++) {
            Multiset other = multiset_new(16, multiset_bits(3000, 16), 0);
            SketchState small = cuckoo_new(3000, false, 16, &memory);

            for (uint64_t n = random_below(&random, 120); n > 0; n--) {
                uint64_t hash = random_hash(&random, skew, 5000);

                if (run % 4 == 1)
                    hash |= UINT64_C(0xfff) << 52;
                if (filter_add(&small, hash, &error))
                    multiset_add(&other, hash);
            }
            expect(merge_into(&cuckoo_ops, &state, sketch_bytes(small), &error), "merging");
            multiset_merge(&m, &other, false);
            expect(multiset_agrees(&m, sketch_bytes(state)), "run %u, %u merged", run, i);
            release_state(small);
            multiset_free(&other);
        }
        expect_answers(&m, state, &random, skew, 5000);
        release_state(state);
        multiset_free(&m);
    }
    conclude("many small filters merged into one");
}

/* Items side by side at the end of the range, so that a sweep goes through the last slots. */
static void
test_sweeps_at_end(void)
{
    const unsigned p = multiset_bits(1, 8);

    for (unsigned run = 0; run < trials_of(60); run++) {
        Random random = {run + 300};
        uint64_t of = 10 + random_below(&random, 100);
        Multiset m = multiset_new(8, p, 0);
        SketchState state = cuckoo_new(1, false, 8, &memory);

        for (unsigned i = 0; i < 40; i++) {
            Multiset other = multiset_new(8, p, 0);
            SketchState small = cuckoo_new(1, false, 8, &memory);

            for (uint64_t n = random_below(&random, 6); n > 0; n--) {
                uint64_t hash = ~(random_below(&random, of) << (64 - p));

                if (filter_add(&small, hash, &error))
                    multiset_add(&other, hash);
            }
            expect(merge_into(&cuckoo_ops, &state, sketch_bytes(small), &error), "merging");
            multiset_merge(&m, &other, false);
            expect(multiset_agrees(&m, sketch_bytes(state)), "run %u, %u merged", run, i);
            release_state(small);
            multiset_free(&other);
        }
        release_state(state);
        multiset_free(&m);
    }
    conclude("filters merged at the end of a table");
}

static void
test_compact(void)
{
    for (unsigned run = 0; run < trials_of(40); run++) {
        Random random = {run + 5};
        uint32_t capacity = 1000 << run % 12;
        bool fixed = run % 5 == 0;
        Multiset m = multiset_new(12, multiset_bits(capacity, 12), fixed ? capacity : 0);
        SketchState state = cuckoo_new(capacity, fixed, 12, &memory);
        unsigned wanted;

        for (unsigned i = 0; i < 2000 && !(fixed && i >= capacity); i++) {
            uint64_t hash = random_hash(&random, 0, 1000);

            if (filter_add(&state, hash, &error))
                multiset_add(&m, hash);
            if (random_below(&random, 3) == 0)
                expect(cuckoo_delete(state, hash, &memory) == multiset_delete(&m, hash),
                       "deleting");
        }
        filter_compact(&state);
        wanted = multiset_bits(m.items > m.capacity ? m.items : m.capacity, 12);
        if (wanted < m.p)
            multiset_cut(&m, wanted);
        m.deletes = 0;
        expect(multiset_agrees(&m, sketch_bytes(state)), "run %u", run);
        expect_answers(&m, state, &random, 0, 1000);
        release_state(state);
        multiset_free(&m);
    }
    conclude("compacting");
}

/* The state of an aggregate: a set, with the hash bits its number needs. */
static void
test_lists(void)
{
    static const uint64_t sizes[] = {0, 1, 5, 6, 7, 14, 15, 100, 1024, 1945, 1946, 5000};

    for (unsigned run = 0; run < 4 * sizeof sizes / sizeof sizes[0]; run++) {
        Random random = {run};
        uint64_t size = sizes[run / 4], kept = 0;
        bool parted = run % 2;
        unsigned f = run % 4 < 2 ? 16 : 9;
        uint32_t capacity = run % 3 ? 1024 : UINT32_C(1) << run % 31;
        SketchState state = cuckoo_new_list(capacity, f, &memory);
        SketchState part = cuckoo_new_list(capacity, f, &memory);
        uint64_t *hashes = malloc(size * sizeof *hashes + 1);
        Multiset m;

        for (uint64_t i = 0; i < size; i++)
            hashes[i] = mix64(i * 7 + run);
        for (uint64_t i = 0; i < 3 * size; i++) {
            uint64_t hash = hashes[i < size ? i : random_below(&random, size)];
            SketchState *to = parted && random_below(&random, 2) ? &part : &state;

            if (!cuckoo_list_add(*to, hash))
                expect(filter_insert(to, hash, &error), "adding to a list");
        }
        if (parted)
            expect(merge_into(&cuckoo_ops, &state, sketch_bytes(part), &error), "merging lists");
        m = multiset_new(f, multiset_bits(size > capacity ? size : capacity, f), 0);
        for (uint64_t i = 0; i < size; i++) {
            multiset_add(&m, hashes[i]);
            kept++;
        }
        expect(state.data[2] == CUCKOO_LIST && multiset_agrees(&m, sketch_bytes(state)),
               "%llu items", (unsigned long long)kept);
        expect(size > 14 || state.size <= (parted ? 508 : 252), "a small list takes %zu bytes",
               state.size);
        release_state(part);
        part = cuckoo_ops.open(sketch_bytes(state), &memory);
        expect(part.data[2] == CUCKOO_LIST && multiset_agrees(&m, sketch_bytes(part)), "opened");
        release_state(part);
        part = cuckoo_open_table(sketch_bytes(state), &memory);
        expect(part.data[2] == CUCKOO_TABLE && multiset_agrees(&m, sketch_bytes(part)),
               "opened as a table");
        expect(merge_into(&cuckoo_ops, &part, sketch_bytes(state), &error) &&
                   multiset_agrees(&m, sketch_bytes(part)),
               "a list into a table");
        expect(merge_into(&cuckoo_ops, &state, sketch_bytes(part), &error) &&
                   state.data[2] == CUCKOO_TABLE && multiset_agrees(&m, sketch_bytes(state)),
               "a table into a list");
        if (size > 0) {
            expect(filter_insert(&state, hashes[0], &error) &&
                       multiset_agrees(&m, sketch_bytes(state)),
                   "what is there already");
        }
        release_state(part);
        release_state(state);
        multiset_free(&m);
        free(hashes);
    }
    conclude("lists of aggregates");
}

/* Lists made for different sizes, or of different bits, meet as their filters would. */
static void
test_lists_meet(void)
{
    static const uint32_t capacities[] = {1, 1024, 5000, 1000000, CUCKOO_CAPACITY_MAX};

    for (unsigned run = 0; run < 100; run++) {
        uint32_t of_a = capacities[run % 5], of_b = capacities[run / 5 % 5];
        unsigned f = run / 25 % 2 ? 16 : 8;
        Multiset a = multiset_new(16, multiset_bits(of_a, 16), 0);
        Multiset b = multiset_new(f, multiset_bits(of_b, f), 0);
        SketchState x = cuckoo_new_list(of_a, 16, &memory), y = cuckoo_new_list(of_b, f, &memory);

        for (uint64_t i = 0; i < 40; i++) {
            uint64_t hash = mix64(i + run);

            if (i < 25) {
                filter_insert(&x, hash, &error);
                multiset_add(&a, hash);
            }
            if (i >= 15) {
                filter_insert(&y, hash, &error);
                multiset_add(&b, hash);
            }
        }
        expect(merge_into(&cuckoo_ops, &x, sketch_bytes(y), &error), "merging lists");
        multiset_merge(&a, &b, false);
        expect(multiset_agrees(&a, sketch_bytes(x)), "lists for %u and %u items", of_a, of_b);
        release_state(x);
        release_state(y);
        multiset_free(&a);
        multiset_free(&b);
    }
    conclude("lists for different numbers of items");
}

/*
 * The rate is items / 2^p; within six standard errors of the number of negatives taken for members.
 */
static void
test_rate(void)
{
    const uint64_t full = 1945 * 64;
    SketchState grown = cuckoo_new(1024, false, 16, &memory);
    SketchState list = cuckoo_new_list(1024, 16, &memory);
    const struct {
        SketchState *state;
        double low, high;
    } rates[] = {{&grown, 0.0070, 0.0075}, {&list, 0.000114, 0.000117}};

    for (uint64_t i = 0; i < full; i++) {
        expect(filter_add(&grown, mix64(i), &error), "growing");
        filter_insert(&list, mix64(i), &error);
    }
    for (unsigned i = 0; i < 2; i++) {
        SketchBytes packed = cuckoo_ops.pack(sketch_bytes(*rates[i].state), &memory);
        CuckooHeader header = cuckoo_header(packed);
        CuckooView view = cuckoo_view(packed, &memory);
        double rate = cuckoo_false_positive_rate(&header), load;
        const unsigned trials = 1000000;
        uint64_t found = 0, margin;

        load = (double)header.items / ((double)view.layout.buckets * view.layout.slots);
        for (uint64_t at = 0; at < full; at++)
            expect(cuckoo_count(&view, mix64(at)) > 0, "a member is not found");
        for (uint64_t at = 0; at < trials; at++)
            found += cuckoo_count(&view, mix64(at + (UINT64_C(1) << 40))) > 0;
        margin = (uint64_t)(6 * __builtin_sqrt(rate * trials)) + 1;
        expect(found + margin >= rate * trials && found <= rate * trials + (double)margin,
               "%llu of %u negatives at rate %g", (unsigned long long)found, trials, rate);
        expect(rate >= rates[i].low && rate <= rates[i].high, "rate %g", rate);
        expect(load >= 0.95 && load <= 1, "load %g", load);
        expect(cuckoo_current_bits(&header) == (i == 0 ? 10 : 16), "fingerprint bits");
        expect(i == 0 || (double)(8 * packed.size) / (double)full <= 16 / 0.95, "%g bits an item",
               (double)(8 * packed.size) / (double)full);
        release_bytes(packed);
    }
    release_state(grown);
    release_state(list);
    conclude("false positives, load and bits of an item");
}

/* Remainders of up to 61 bits, which lie across more than eight bytes. */
static void
test_wide(void)
{
    for (unsigned f = 27; f <= 32; f++)
        for (unsigned items = 1; items < 70; items += 1 + items / 8) {
            Random random = {f * 100 + items};
            Multiset m = multiset_new(f, multiset_bits(CUCKOO_CAPACITY_MAX, f), 0);
            SketchState state = cuckoo_new(CUCKOO_CAPACITY_MAX, false, f, &memory);
            SketchBytes packed;
            CuckooView view;

            for (unsigned i = 0; i < items; i++) {
                uint64_t hash = mix64(i);

                expect(filter_add(&state, hash, &error), "adding");
                multiset_add(&m, hash);
            }
            expect_answers(&m, state, &random, 0, 2 * items);
            packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
            view = cuckoo_view(packed, &memory);
            for (unsigned i = 0; i < items; i++)
                for (unsigned bit = 64 - m.p; bit < 64; bit++) {
                    uint64_t hash = mix64(i) ^ UINT64_C(1) << bit;

                    expect(counts_to(packed, &view, hash, multiset_count(&m, hash)),
                           "%u bits, item %u, bit %u", f, i, bit);
                }
            release_bytes(packed);
            release_state(state);
            multiset_free(&m);
        }
    conclude("wide fingerprints, and others that differ in a bit");
}

/*
 * A quarter of a bucket with 255 items or more, whose number its header cannot tell: every other
 * item of the bucket is still found.
 */
static void
test_crowded_quarter(void)
{
    for (unsigned crowd = 150; crowd <= 750; crowd += 100) {
        Multiset m = multiset_new(16, multiset_bits(4096, 16), 0);
        SketchState state = cuckoo_new(4096, false, 16, &memory);
        SketchBytes packed;
        CuckooView view;

        for (uint64_t i = 0; i < 2000 + crowd; i++) {
            /* A few fingerprints of each of the first 40 quotients of some bucket. */
            uint64_t near = UINT64_C(5) << 60 | (i % 40) << 52 | i << 40;
            uint64_t hash = i < 2000 ? mix64(i) : near;

            expect(filter_insert(&state, hash, &error), "adding");
            if (multiset_count(&m, hash) == 0)
                multiset_add(&m, hash);
        }
        packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
        view = cuckoo_view(packed, &memory);
        for (uint64_t i = 0; i < m.items; i++) {
            uint64_t hash = m.item[i] << (64 - m.p), other = hash ^ UINT64_C(1) << (64 - m.p);

            expect(counts_to(packed, &view, hash, 1), "%u items, a member", crowd);
            expect(counts_to(packed, &view, other, multiset_count(&m, other)),
                   "%u items, a neighbor of a member", crowd);
        }
        release_bytes(packed);
        release_state(state);
        multiset_free(&m);
    }
    conclude("a crowded quarter of a bucket");
}

/* A slice that is too short says so; the one that is as long as told is nearly always enough. */
static void
test_slices(void)
{
    SketchState state = cuckoo_new_list(1024, 16, &memory);
    SketchBytes packed;
    unsigned short_ones = 0;
    CuckooView whole;

    for (uint64_t i = 0; i < 50000; i++)
        filter_insert(&state, mix64(i), &error);
    packed = cuckoo_ops.pack(sketch_bytes(state), &memory);
    whole = cuckoo_view(packed, &memory);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t hash = mix64(i), count = cuckoo_count(&whole, hash);
        CuckooView view = whole;

        view.offset = cuckoo_probe_offset(&view.layout, hash);
        for (size_t size = cuckoo_probe_size(&view.layout);; size *= 2) {
            Bytes slice;
            uint64_t answer;

            view.size = size < packed.size - view.offset ? size : packed.size - view.offset;
            slice = bytes_copy(packed.data + view.offset, view.size);
            view.data = slice.data;
            answer = cuckoo_count(&view, hash);
            free(slice.data);
            if (!view.missing) {
                expect(answer == count, "an answer from a slice");
                break;
            }
            short_ones++;
        }
        if (i % 100 == 0)
            for (size_t size = 0; size < view.size; size += 7) {
                CuckooView shorter = view;
                Bytes slice = bytes_copy(packed.data + view.offset, size);

                shorter.data = slice.data;
                shorter.size = size;
                expect(cuckoo_count(&shorter, hash) == count || shorter.missing,
                       "a wrong answer from a slice");
                free(slice.data);
            }
    }
    expect(short_ones < 1000, "%u slices were too short", short_ones);
    release_bytes(packed);
    release_state(state);
    conclude("probing slices");
}

int
main(void)
{
    test_changes();
    test_many();
    test_merge();
    test_sweeps();
    test_sweeps_at_end();
    test_compact();
    test_lists();
    test_lists_meet();
    test_rate();
    test_wide();
    test_crowded_quarter();
    test_slices();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
