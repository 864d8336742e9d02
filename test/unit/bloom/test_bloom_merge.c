/*
 * test_bloom_merge.c - unions and intersections beside those of plain sets.
 *
 * A union has all members of both and no more strangers than both together; an intersection has
 * all common members and no stranger that is not one of both.
 */
#include "core/bloom/bloom_internal.h"
#include "../members.h"

static SketchError error;

/* The union, packed; data is NULL when it is refused. */
static SketchBytes
union_of(SketchBytes a, SketchBytes b)
{
    SketchState state = bloom_ops.open(a, &memory);
    SketchBytes packed = {NULL, 0};

    error = (SketchError){.status = SKETCH_OK};
    if (merge_into(&bloom_ops, &state, b, &error))
        packed = pack(state);
    else {
        SketchBytes unchanged = pack(state);

        expect(same_value(unchanged, a), "a refused union changed something");
        release_bytes(unchanged);
    }
    release_state(state);
    return packed;
}

static SketchBytes
intersection_of(SketchBytes a, SketchBytes b)
{
    SketchState state = bloom_ops.open(a, &memory);
    uint8_t *before = state.data;
    SketchBytes packed = {NULL, 0};

    error = (SketchError){.status = SKETCH_OK};
    if (bloom_intersect(&state, b, &memory, &error))
        packed = pack(state);
    if (state.data != before)
        memory_release_value(before, NULL);
    release_state(state);
    return packed;
}

typedef struct Part {
    uint64_t capacity;
    double rate;
    unsigned expansion;
    uint64_t from, to;
} Part;

static SketchBytes
filter_of_part(const Part *part)
{
    return filter_of(part->capacity, part->rate, part->expansion, 0, part->from, part->to);
}

/* Lists, single filters, grown ones, of the same and of different shapes, empty ones. */
static const Part parts[] = {
    {100, 0.01, 2, 0, 0},         {100, 0.01, 2, 0, 15},        {100, 0.01, 2, 10, 24},
    {100, 0.01, 2, 0, 90},        {100, 0.01, 2, 50, 600},      {100, 0.02, 3, 0, 1000},
    {10000, 0.01, 2, 0, 3000},    {10000, 0.01, 2, 2000, 5000}, {10000, 0.01, 2, 0, 10000},
    {10000, 0.01, 2, 5000, 9000}, {10000, 0.001, 2, 0, 10},     {10000, 0.01, 2, 0, 50},
};
#define PARTS (sizeof parts / sizeof parts[0])

static void
test_union(void)
{
    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = 0; j < PARTS; j++) {
            SketchBytes a = filter_of_part(&parts[i]), b = filter_of_part(&parts[j]);
            SketchBytes one = union_of(a, b), other = union_of(b, a);
            Bloom bloom = read_value(one);
            const Part *p, *q;
            bool none_a, none_b;
            uint64_t found;

            expect(count_missing(one, 0, parts[i].from, parts[i].to) == 0 &&
                       count_missing(one, 0, parts[j].from, parts[j].to) == 0,
                   "%zu | %zu: lost", i, j);
            found = count_false(one, 20000);
            expect(rate_is_within(found, 20000, parts[i].rate + parts[j].rate),
                   "%zu | %zu: rate %g", i, j, (double)found / 20000);
            expect(canonical(one), "%zu | %zu: not canonical", i, j);
            expect(same_value(one, other), "%zu | %zu: the order matters", i, j);
            /* Those of both, unless one is empty. */
            none_a = parts[i].from == parts[i].to;
            none_b = parts[j].from == parts[j].to;
            p = none_a && !none_b ? &parts[j] : &parts[i];
            q = none_b && !none_a ? &parts[i] : &parts[j];
            expect(bloom.rate == fmin(p->rate, q->rate) &&
                       bloom.capacity == (p->capacity > q->capacity ? p->capacity : q->capacity),
                   "%zu | %zu: parameters", i, j);
            if (i == j)
                expect(same_value(one, a), "%zu | itself", i);
            release_bytes(a);
            release_bytes(b);
            release_bytes(one);
            release_bytes(other);
        }
    conclude("unions have all members of both, and no more strangers than both");
}

/* Within the capacity they are ORed, and the number of items is estimated; beyond, chained. */
static void
test_same_shape(void)
{
    static const struct {
        uint64_t from_a, to_a, from_b, to_b;
        unsigned layers;
    } cases[] = {{0, 4000, 3000, 9000, 1},  {0, 6000, 6000, 9000, 1}, {0, 9000, 2000, 5000, 1},
                 {0, 9000, 8000, 16000, 2}, {0, 9500, 0, 9500, 1},    {0, 7000, 5000, 9900, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SketchBytes a = filter_of(10000, 0.01, 2, 0, cases[i].from_a, cases[i].to_a);
        SketchBytes b = filter_of(10000, 0.01, 2, 0, cases[i].from_b, cases[i].to_b);
        SketchBytes both = union_of(a, b);
        Bloom bloom = read_value(both);
        double items = (double)(cases[i].to_b > cases[i].to_a ? cases[i].to_b : cases[i].to_a);

        if (bloom.layers > 1)
            items = (double)(cases[i].to_a - cases[i].from_a + cases[i].to_b - cases[i].from_b);
        expect(bloom.layers == cases[i].layers, "%zu: %u layers", i, bloom.layers);
        expect(fabs((double)bloom.items - items) <= 0.01 * items + 5, "%zu: %llu items for %g", i,
               (unsigned long long)bloom.items, items);
        if (bloom.layers == 1)
            expect(both.size == a.size && rate_is_within(count_false(both, 100000), 100000, 0.01),
                   "%zu: size or rate", i);
        release_bytes(a);
        release_bytes(b);
        release_bytes(both);
    }
    conclude("filters of one shape are ORed as long as their items fit one");
}

/* Many of them, in one state, as an aggregate does; and what grows afterwards. */
static void
test_many(void)
{
    SketchState state = bloom_new(100, 0.01, 2, &memory);
    SketchBytes value;
    uint64_t n = 0;

    for (unsigned i = 0; i < 60; i++) {
        uint64_t more = 1 + mix64(i) % 700;
        SketchBytes part = filter_of(i % 3 ? 100 : 1000, 0.01, 2, 0, n, n + more);
        SketchState working = bloom_ops.open(part, &memory);

        insert(&working, member(1, i));
        expect(merge_into(&bloom_ops, &state, i % 2 ? part : sketch_bytes(working), &error),
               "not merged");
        insert(&state, member(1, i));
        n += more;
        release_state(working);
        release_bytes(part);
    }
    value = finish(state);
    expect(count_missing(value, 0, 0, n) == 0 && count_missing(value, 1, 0, 60) == 0, "lost");
    expect(rate_is_within(count_false(value, 30000), 30000, 0.6), "rate");
    expect(canonical(value), "not canonical");
    value = with_members(value, 0, n, n + 5000);
    expect(count_missing(value, 0, 0, n + 5000) == 0, "lost what was added to a union");
    expect(canonical(value), "not canonical");
    release_bytes(value);
    conclude("a union of many, added to on the way and afterwards");
}

static void
test_intersection(void)
{
    for (size_t i = 0; i < PARTS; i++)
        for (size_t j = 0; j < PARTS; j++) {
            SketchBytes a = filter_of_part(&parts[i]), b = filter_of_part(&parts[j]);
            SketchBytes one = intersection_of(a, b), other = intersection_of(b, a);
            Bloom x = read_value(a), y = read_value(b);
            BloomLayer p = {0}, q = {0};
            bool fits = x.layers == 0 || y.layers == 0;

            if (x.layers == 1 && y.layers == 1) {
                p = bloom_next_layer(&x);
                q = bloom_next_layer(&y);
                fits = p.capacity == q.capacity && p.rate == q.rate;
            }
            expect(!one.data == !fits && !other.data == !fits, "%zu & %zu: %s", i, j,
                   fits ? "refused" : "not refused");
            if (one.data) {
                unsigned wrong = 0;

                for (uint64_t n = 0; n < 12000; n++) {
                    bool both = bloom_contains(a, member(0, n)) && bloom_contains(b, member(0, n));

                    wrong += bloom_contains(one, member(0, n)) != both;
                }
                expect(wrong == 0, "%zu & %zu: %u wrong", i, j, wrong);
                expect(canonical(one) && same_value(one, other), "%zu & %zu: not canonical", i, j);
                release_bytes(one);
                release_bytes(other);
            } else
                expect(error.status == SKETCH_MISMATCH && error.reason, "%zu & %zu: no reason", i,
                       j);
            release_bytes(a);
            release_bytes(b);
        }
    conclude("intersections have what both have");
}

/*
 * A list stays one, although parameters of both (a capacity from 256 on, a higher expansion) allow
 * fewer hashes. Bits would report strangers, and fit no third filter.
 */
static void
test_list_stays(void)
{
    static const struct {
        Part list, other;
        uint64_t capacity;
        unsigned expansion;
    } cases[] = {
        {{255, 0.01, 2, 0, 63}, {256, 0.01, 2, 0, 200}, 255, 2},
        {{255, 0.01, 2, 0, 63}, {256, 0.01, 0, 0, 200}, 255, 2},
        {{255, 0.5, 2, 0, 30}, {300, 0.4, 3, 0, 300}, 255, 2},
        {{255, 0.01, 2, 0, 63}, {256, 0.01, 2, 20, 200}, 256, 2},
        {{100, 0.01, 1, 0, 28}, {100, 0.01, 2, 0, 200}, 100, 1},
        {{100, 0.01, 1, 0, 28}, {100, 0.001, 2, 0, 200}, 100, 2},
        {{226, 0.999, 2, 0, 11}, {111, 0.999, 1544, 0, 100}, 226, 2},
        {{30, 0.01, 0, 0, 8}, {256, 0.01, 2, 0, 200}, 256, 2},
    };
    SketchBytes third = filter_of(1000, 0.001, 2, 0, 0, 1000);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const Part *l = &cases[i].list, *o = &cases[i].other;
        SketchBytes list = filter_of_part(l), other = filter_of_part(o);
        SketchBytes both = intersection_of(list, other), turned = intersection_of(other, list);
        SketchBytes three;
        Bloom bloom = read_value(both);

        expect(read_value(list).layers == 0 && bloom.layers == 0, "%zu: no list", i);
        expect(bloom.capacity == cases[i].capacity && bloom.expansion == cases[i].expansion &&
                   bloom.rate == fmin(l->rate, o->rate),
               "%zu: capacity %llu, expansion %u, rate %g", i, (unsigned long long)bloom.capacity,
               bloom.expansion, bloom.rate);
        expect(count_missing(both, 0, o->from, l->to < o->to ? l->to : o->to) == 0, "%zu: lost", i);
        for (uint32_t n = 0; n < bloom.hashes.count; n++)
            expect(bloom_contains(list, hash_list_at(&bloom.hashes, n)) &&
                       bloom_contains(other, hash_list_at(&bloom.hashes, n)),
                   "%zu: a hash that one has not", i);
        expect(canonical(both) && same_value(both, turned), "%zu: not canonical", i);
        three = intersection_of(both, third);
        expect(three.data && read_value(three).hashes.count == bloom.hashes.count,
               "%zu: with a third", i);
        if (three.data)
            release_bytes(three);
        release_bytes(turned);
        release_bytes(both);
        release_bytes(other);
        release_bytes(list);
    }
    release_bytes(third);
    conclude("an intersection with a list is a list");
}

/* ---- filters that do not grow ---- */

static void
test_fixed(void)
{
    /* two filters of a capacity, what of them is united, and whether that goes */
    static const struct {
        Part a, b;
        SketchStatus status;
    } cases[] = {
        {{500, 0.01, 0, 0, 300}, {500, 0.01, 0, 200, 450}, SKETCH_OK},
        {{500, 0.01, 0, 0, 300}, {500, 0.01, 0, 300, 590}, SKETCH_LIMIT},
        {{500, 0.01, 0, 0, 20}, {500, 0.01, 0, 10, 300}, SKETCH_OK},
        {{500, 0.01, 0, 0, 20}, {500, 0.01, 0, 10, 40}, SKETCH_OK},
        {{500, 0.01, 0, 0, 80}, {500, 0.01, 0, 80, 160}, SKETCH_OK},
        {{500, 0.01, 0, 0, 40}, {500, 0.01, 0, 40, 535}, SKETCH_LIMIT},
        {{10, 0.01, 0, 0, 8}, {10, 0.01, 0, 2, 10}, SKETCH_OK},
        {{10, 0.01, 0, 0, 8}, {10, 0.01, 0, 5, 13}, SKETCH_LIMIT},
        {{10, 0.01, 0, 0, 8}, {500, 0.01, 0, 0, 300}, SKETCH_OK},
        {{500, 0.01, 0, 0, 300}, {600, 0.01, 0, 0, 300}, SKETCH_MISMATCH},
        {{500, 0.01, 0, 0, 300}, {500, 0.02, 0, 0, 300}, SKETCH_MISMATCH},
        {{500, 0.01, 0, 0, 490}, {500, 0.01, 2, 490, 900}, SKETCH_OK},
        {{500, 0.01, 0, 0, 0}, {500, 0.01, 0, 0, 0}, SKETCH_OK},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned turn = 0; turn < 2; turn++) {
            const Part *x = turn ? &cases[i].b : &cases[i].a;
            const Part *y = turn ? &cases[i].a : &cases[i].b;
            SketchBytes a = filter_of_part(x), b = filter_of_part(y), both = union_of(a, b);

            expect(error.status == cases[i].status, "%zu: status %d", i, error.status);
            if (both.data) {
                Bloom bloom = read_value(both);

                expect(count_missing(both, 0, x->from, x->to) == 0 &&
                           count_missing(both, 0, y->from, y->to) == 0,
                       "%zu: lost", i);
                expect(bloom.expansion == (x->expansion | y->expansion), "%zu: expansion", i);
                expect(bloom.expansion > 0 || bloom.layers <= 1, "%zu: layers", i);
                expect(canonical(both), "%zu: not canonical", i);
                release_bytes(both);
            } else
                expect(error.reason && error.has_range &&
                           (error.found < error.low || error.found > error.high),
                       "%zu: no reason", i);
            release_bytes(a);
            release_bytes(b);
        }
    conclude("filters that do not grow are united within their capacity, or refused with numbers");
}

/*
 * At a rate of .999 a filter reports most items of the other list, and these are not added to it.
 */
static void
test_fixed_lists(void)
{
    unsigned united = 0;

    for (uint32_t i = 0; i < 300; i++) {
        SketchBytes a = filter_of(10, 0.999, 0, 0, 20 * i, 20 * i + 5 + i % 4);
        SketchBytes b = filter_of(8 + i % 3, 0.999, 0, 0, 20 * i + 9, 20 * i + 17);
        SketchBytes one = union_of(a, b), other = union_of(b, a);

        expect(!one.data == !other.data && (!one.data || same_value(one, other)),
               "%u: the order matters", i);
        united += one.data != NULL;
        if (one.data)
            release_bytes(one);
        if (other.data)
            release_bytes(other);
        release_bytes(a);
        release_bytes(b);
    }
    expect(united > 0 && united < 300, "%u of 300 unions", united);
    conclude("of two lists that do not grow the union is the same in both orders");
}

/* Random operations beside a plain set, nothing ever lost. */
static void
test_random(void)
{
    Random random = {11};

    for (unsigned round = 0; round < trials_of(25); round++) {
        uint64_t have[4000];
        unsigned count = 0;
        SketchBytes value = filter_of(1 + random_below(&random, 300), 0.02,
                                      (unsigned)random_below(&random, 3) + 1, 0, 0, 0);

        while (count < 3500) {
            unsigned more = 1 + (unsigned)random_below(&random, 250);
            SketchState state = bloom_ops.open(value, &memory);
            uint64_t lost = 0;

            if (random_below(&random, 2)) {
                SketchState part = bloom_new(1 + random_below(&random, 400), 0.02, 2, &memory);

                for (unsigned i = 0; i < more; i++) {
                    have[count] = mix64(random_below(&random, 5000));
                    insert(&part, have[count++]);
                }
                if (random_below(&random, 2)) {
                    SketchBytes packed = pack(part);

                    expect(merge_into(&bloom_ops, &state, packed, &error), "not merged");
                    release_bytes(packed);
                } else
                    expect(merge_into(&bloom_ops, &state, sketch_bytes(part), &error),
                           "not merged");
                release_state(part);
            } else
                for (unsigned i = 0; i < more; i++) {
                    have[count] = mix64(random_below(&random, 5000));
                    insert(&state, have[count++]);
                }
            for (unsigned i = count - more; i < count; i++)
                lost += !bloom_contains(sketch_bytes(state), have[i]);
            release_bytes(value);
            value = finish(state);
            for (unsigned i = 0; i < count; i++)
                lost += !bloom_contains(value, have[i]);
            expect(lost == 0, "%llu lost", (unsigned long long)lost);
            expect(canonical(value), "not canonical");
        }
        release_bytes(value);
    }
    conclude("adding, packing and uniting in any order lose nothing");
}

/* Large filters, of which a sample tells first whether their items fit one. */
static void
test_large(void)
{
    static const struct {
        uint64_t from, to, layers, items;
    } others[] = {{0, 42000, 1, 42000},
                  {5000, 9000, 1, 42000},
                  {30000, 42000, 1, 42000},
                  {42000, 84000, 2, 84000},
                  {40000, 60000, 2, 0}};
    SketchBytes full = filter_of(42000, 0.01, 2, 4, 0, 42000);
    SketchBytes a = filter_of(42000, 0.01, 2, 4, 0, 30000);
    SketchBytes b = filter_of(42000, 0.01, 2, 4, 10000, 40000), both;

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        SketchBytes other = filter_of(42000, 0.01, 2, 4, others[i].from, others[i].to);

        both = union_of(full, other);
        expect(read_value(both).layers == others[i].layers, "%llu..: %u layers",
               (unsigned long long)others[i].from, read_value(both).layers);
        expect(others[i].items == 0 || read_value(both).items == others[i].items, "%llu items",
               (unsigned long long)read_value(both).items);
        expect(count_missing(both, 4, others[i].from, others[i].to) == 0 &&
                   count_missing(both, 4, 0, 42000) == 0,
               "lost");
        release_bytes(both);
        release_bytes(other);
    }
    both = union_of(a, b);
    expect(read_value(both).layers == 1 && fabs((double)read_value(both).items - 40000) < 1000,
           "%u layers of %llu items", read_value(both).layers,
           (unsigned long long)read_value(both).items);
    release_bytes(both);
    release_bytes(full);
    release_bytes(a);
    release_bytes(b);
    conclude("large filters are one where they fit, and else side by side");
}

/* Longer than what is done between two polls; and whose number of items stands. */
static void
test_bits(void)
{
    static const struct {
        uint64_t from, to;
        bool estimated;
    } others[] = {{40000, 100000, true}, {10000, 30000, false}, {0, 60000, false}};
    SketchBytes a = filter_of(100000, 0.01, 2, 4, 0, 60000);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        SketchBytes b = filter_of(100000, 0.01, 2, 4, others[i].from, others[i].to);
        SketchBytes or = union_of(a, b), and = intersection_of(a, b);
        Bloom bloom_a = read_value(a), bloom_b = read_value(b);
        Bloom bloom_or = read_value(or), bloom_and = read_value(and);
        BloomLayer x = bloom_next_layer(&bloom_a), y = bloom_next_layer(&bloom_b);
        BloomLayer both = bloom_next_layer(&bloom_or), common = bloom_next_layer(&bloom_and);
        size_t size = bloom_layer_bytes(&x), wrong = 0;

        for (size_t at = 0; at < size; at++) {
            wrong += both.bits[at] != (x.bits[at] | y.bits[at]);
            wrong += common.bits[at] != (x.bits[at] & y.bits[at]);
        }
        expect(size > 100000 && wrong == 0, "%zu: %zu of %zu bytes are wrong", i, wrong, size);
        expect(both.estimated == others[i].estimated && common.estimated == others[i].estimated,
               "%zu: estimated", i);
        if (!others[i].estimated)
            expect(both.items == x.items && common.items == y.items, "%zu: items", i);
        expect(canonical(or) && canonical(and), "%zu: not canonical", i);
        release_bytes(b);
        release_bytes(or);
        release_bytes(and);
    }
    release_bytes(a);
    conclude("bits are those of both, and a count stands where one side has all of them");
}

/* The same filter, said to have so many items; 0 for those that its bits tell. */
static SketchBytes
retold(SketchBytes filter, uint64_t items)
{
    uint8_t *data = memory_value(filter.size, NULL), *entry = data + BLOOM_PACKED_HEADER;
    BloomLayer layer;

    memcpy(data, filter.data, filter.size);
    layer = bloom_layer_entry(entry);
    layer.bits = entry + BLOOM_LAYER_HEADER;
    layer.estimated = items == 0;
    layer.items = items > 0 ? items : bloom_estimate(&layer, bloom_layer_ones(&layer, &memory));
    store_le64(data + 24, layer.items);
    bloom_write_entry(entry, &layer);
    return (SketchBytes){data, filter.size};
}

/* Where both have the bits of the result, a count stands; of two the one that can be right. */
static void
test_same_bits(void)
{
    static const uint64_t told[] = {0, 80, 100};
    SketchBytes filter = filter_of(100, 0.01, 2, 4, 0, 90), as[3];

    for (unsigned i = 0; i < 3; i++)
        as[i] = retold(filter, told[i]);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++) {
            unsigned low = i < j ? i : j, high = i < j ? j : i;
            SketchBytes or = union_of(as[i], as[j]), and = intersection_of(as[i], as[j]);

            expect(canonical(as[i]), "%u is no filter", i);
            expect(same_value(or, as[high]) && same_value(and, as[low > 0 ? low : high]),
                   "told %llu and %llu items", (unsigned long long)told[i],
                   (unsigned long long)told[j]);
            release_bytes(or);
            release_bytes(and);
        }
    for (unsigned i = 0; i < 3; i++)
        release_bytes(as[i]);
    release_bytes(filter);
    conclude("a count goes before an estimate, the higher in a union, the lower in common");
}

/*
 * As many layers as there may be, of one byte each and all full: what is added goes into one of
 * them beyond its capacity, and its bits say how many it holds.
 */
static void
test_last_layer(void)
{
    size_t layers = BLOOM_LAYERS_MAX, size = BLOOM_PACKED_HEADER + layers * 33;
    uint8_t *data = memory_value(size, NULL), *entry = data + BLOOM_PACKED_HEADER;
    SketchBytes value = {data, size}, more;
    SketchState state;
    SketchError error = {.status = SKETCH_OK};
    Bloom bloom;
    unsigned over = 0;

    memset(data, 0, BLOOM_PACKED_HEADER);
    memcpy(data, (uint8_t[]){SKETCH_BLOOM, 1, BLOOM_FILTER, SKETCH_HASH_XXH3, 1, 0}, 6);
    store_le16(data + 6, (uint16_t)layers);
    store_le64(data + 8, 1);
    store_le_double(data + 16, 0.9);
    store_le64(data + 24, layers);
    for (size_t i = 0; i < layers; i++, entry += BLOOM_LAYER_HEADER) {
        bloom_write_entry(entry, &(BloomLayer){.capacity = 1,
                                               .items = 1,
                                               .rate = 0.9 - (double)i * 1e-5,
                                               .blocks = 1,
                                               .block_bytes = 1,
                                               .hashes = 1});
        data[size - layers + i] = 1;
    }
    expect(canonical(value), "not a good value");
    state = bloom_ops.open(value, &memory);
    insert_members(&state, 0, 0, 50);
    more = finish(state);
    expect(more.size == size && canonical(more), "another layer, or not canonical");
    expect(count_missing(more, 0, 0, 50) == 0, "lost");
    for (bloom = read_value(more); bloom.layers > 0; bloom.layers--) {
        BloomLayer layer = bloom_next_layer(&bloom);

        over += layer.items > layer.capacity;
        expect(layer.estimated == (layer.items > layer.capacity), "counted beyond its capacity");
        expect(!layer.estimated ||
                   layer.items == bloom_estimate(&layer, bloom_layer_ones(&layer, &memory)),
               "%llu items", (unsigned long long)layer.items);
    }
    expect(over == 1, "%u layers beyond their capacity", over);
    state = bloom_ops.open(more, &memory);
    expect(!merge_into(&bloom_ops, &state, value, &error) && error.status == SKETCH_LIMIT &&
               error.found == (int64_t)layers + 1,
           "more layers than there may be");
    release_state(state);
    release_bytes(value);
    release_bytes(more);
    conclude("past the last layer there are estimated items, and nothing is lost");
}

int
main(void)
{
    test_union();
    test_same_shape();
    test_many();
    test_intersection();
    test_list_stays();
    test_fixed();
    test_fixed_lists();
    test_random();
    test_large();
    test_bits();
    test_same_bits();
    test_last_layer();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
