/*
 * test_unite.c - an empty sketch is neutral: in any tree of unions, of any parameters.
 *
 * A leaf of a tree is a sketch of some items, or an empty one of other parameters and often of
 * another hash function; it comes packed, working or in transit. The union has to be, byte for
 * byte, that of the same tree without its empty leaves, or if nothing else is left, one of the
 * empty ones merged in any order.
 */
#include "../check.h"
#include "../memory.h"
#include "core/bloom/redis.h"
#include "core/cms/cms.h"
#include "core/cuckoo/cuckoo.h"
#include "core/hll/hll.h"
#include "core/theta/theta.h"
#include "core/topk/topk.h"

#define LEAVES_MAX 9
#define TREES 400

static uint64_t seed = 54;

static uint64_t
draw(uint64_t below)
{
    seed++;
    return mix64(seed) % below;
}

/* Replaces a state as core does, and releases what it was. */
#define CHANGE(state, call)                                                                        \
    do {                                                                                           \
        uint8_t *before = (state).data;                                                            \
                                                                                                   \
        expect(call, "a change is refused");                                                       \
        if ((state).data != before)                                                                \
            memory_release_value(before, NULL);                                                    \
    } while (0)

/* ---- a sketch of `items` items: for a tree always of the same kind, empty ones of any ---- */

static SketchState
make_hll(uint64_t first, uint64_t items, unsigned kind)
{
    static const SketchHash hashes[] = {SKETCH_HASH_XXH3, SKETCH_HASH_REDIS,
                                        SKETCH_HASH_POSTGRESQL_HLL, SKETCH_HASH_DATASKETCHES};
    SketchHash hash = hashes[(items > 0 ? kind : draw(4)) % 4];
    SketchState state = hll_new(hash, 4 + (unsigned)draw(11), &memory);

    for (uint64_t i = 0; i < items; i++)
        CHANGE(state, (hll_insert_token(&state, hll_token(mix64(first + i)), &memory), true));
    return state;
}

static SketchState
make_theta(uint64_t first, uint64_t items, unsigned kind)
{
    SketchState state = theta_new(4 + (unsigned)draw(10), &memory);

    (void)kind;
    for (uint64_t i = 0; i < items; i++)
        CHANGE(state, (theta_insert(&state, mix64(first + i) >> 1, &memory), true));
    return state;
}

static SketchState
make_topk(uint64_t first, uint64_t items, unsigned kind)
{
    SketchState state = topk_new((uint32_t)(1 + draw(20)), TOPK_NONE, &memory);
    SketchError error;

    (void)kind;
    for (uint64_t i = 0; i < items; i++)
        CHANGE(state, topk_insert(&state, topk_number((int64_t)(mix64(first + i) % 3000)),
                                  1 + i % 3, &memory, &error));
    return state;
}

static SketchState
make_cms(uint64_t first, uint64_t items, unsigned kind)
{
    CmsShape shape = {20 + kind, 2 + kind % 3, kind % 2 ? SKETCH_HASH_REDIS : SKETCH_HASH_XXH3};
    SketchState state;
    SketchError error;

    if (items == 0)
        shape = (CmsShape){(uint32_t)(1 + draw(40)), (uint32_t)(1 + draw(4)),
                           draw(2) ? SKETCH_HASH_REDIS : SKETCH_HASH_XXH3};
    state = cms_new(shape, &memory);
    for (uint64_t i = 0; i < items; i++) {
        uint64_t item = mix64(first + i);
        SketchBytes bytes = {(uint8_t *)&item, sizeof item};

        CHANGE(state, shape.hash == SKETCH_HASH_REDIS
                          ? cms_insert_bytes(&state, bytes, 1 + i % 400, &memory, &error)
                          : cms_insert(&state, item, 1 + i % 400, &memory, &error));
    }
    return state;
}

/* A filter of RedisBloom, or one of this extension with some capacity, rate and expansion. */
static SketchState
make_bloom(uint64_t first, uint64_t items, unsigned kind)
{
    SketchState state;
    SketchError error;
    bool added;

    if (items > 0 ? kind % 3 == 0 : draw(3) == 0) {
        BloomRedisLayer layer = bloom_redis_plan(1 + draw(300), 0.01);
        uint8_t *bits = calloc(layer.bytes, 1);
        BloomRedis redis = {.growth = 2, .layers = 1, .options = 5};
        SketchBytes packed;

        layer.bits = bits;
        packed = bloom_redis_write(&redis, &layer, &memory);
        state = bloom_redis_copy(packed, true, &memory);
        release_bytes(packed);
        free(bits);
        for (uint64_t i = 0; i < items; i++) {
            uint64_t item = first + i;

            CHANGE(state, bloom_redis_add(&state, (SketchBytes){(uint8_t *)&item, 8}, &added,
                                          &memory, &error));
        }
        return state;
    }
    state =
        bloom_new(1 + draw(1000), (double)(1 + draw(90)) / 1000, (unsigned)(1 + draw(3)), &memory);
    for (uint64_t i = 0; i < items; i++)
        CHANGE(state, bloom_add(state, mix64(first + i)) ||
                          bloom_insert(&state, mix64(first + i), &memory, &error));
    return state;
}

/* An empty one may be a filter from which all items were deleted. */
static SketchState
make_cuckoo(uint64_t first, uint64_t items, unsigned kind)
{
    uint64_t deleted = items == 0 ? draw(3) : 0, hash = mix64(first);
    SketchState state =
        kind % 2 || deleted > 0
            ? cuckoo_new((uint32_t)(1000 + draw(5000)), items == 0 && draw(2),
                         8 + (unsigned)draw(24), &memory)
            : cuckoo_new_list((uint32_t)(1 + draw(5000)), 8 + (unsigned)draw(24), &memory);
    SketchError error;

    for (uint64_t i = 0; i < items; i++)
        CHANGE(state, cuckoo_insert(&state, mix64(first + i), &memory, &error));
    for (uint64_t i = 0; i < deleted; i++)
        CHANGE(state, cuckoo_add(&state, hash, &memory, &error));
    for (uint64_t i = 0; i < deleted; i++)
        expect(cuckoo_delete(state, hash, &memory), "an item cannot be deleted");
    return state;
}

/* ---- trees ---- */

typedef struct Subject {
    const SketchOps *ops;
    SketchState (*make)(uint64_t first, uint64_t items, unsigned kind);
    bool commutes; /* the same bytes in any order and any tree */
    bool empty_commutes;
} Subject;

static const Subject subjects[] = {
    {&hll_ops, make_hll, true, true},       {&theta_ops, make_theta, true, true},
    {&topk_ops, make_topk, false, true},    {&cms_ops, make_cms, false, true},
    {&bloom_ops, make_bloom, false, false}, {&cuckoo_ops, make_cuckoo, false, true},
};

typedef struct Leaf {
    SketchBytes value;
    bool empty;
} Leaf;

static SketchBytes
packed_of(const SketchOps *ops, SketchState state)
{
    SketchBytes packed = ops->pack(sketch_bytes(state), &memory);

    release_state(state);
    return packed;
}

/* The state as it is, packed, or in transit. */
static SketchBytes
in_some_form(const SketchOps *ops, SketchState state)
{
    SketchBytes sent;

    switch (draw(3)) {
    case 0:
        return sketch_bytes(state);
    case 1:
        return packed_of(ops, state);
    default:
        sent = (ops->transit ? ops->transit : ops->pack)(sketch_bytes(state), &memory);
        release_state(state);
        return sent;
    }
}

/* The union of leaves, divided at random; of none, no data. */
static SketchState
unite(const SketchOps *ops, const Leaf *leaf, unsigned count, uint64_t shape, bool skip_empty)
{
    unsigned left = count > 1 ? 1 + (unsigned)(mix64(shape) % (count - 1)) : 0;
    SketchState a, b;
    SketchError error = {.reason = ""};

    if (count == 1 && leaf->empty && skip_empty)
        return (SketchState){NULL, 0};
    if (count == 1)
        return (shape & 1 && ops->open_many ? ops->open_many : ops->open)(leaf->value, &memory);
    a = unite(ops, leaf, left, mix64(shape + 1), skip_empty);
    b = unite(ops, leaf + left, count - left, mix64(shape + 2), skip_empty);
    if (a.data == NULL || b.data == NULL)
        return a.data == NULL ? b : a;
    if (!merge_into(ops, &a, sketch_bytes(b), &error))
        expect(false, "%s: a union is refused: %s", ops->name, error.reason);
    release_state(b);
    return a;
}

static bool
same(SketchBytes a, SketchBytes b)
{
    return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

static void
shuffle(Leaf *leaf, unsigned count)
{
    for (unsigned i = count; i > 1; i--) {
        unsigned j = (unsigned)draw(i);
        Leaf moved = leaf[j];

        leaf[j] = leaf[i - 1];
        leaf[i - 1] = moved;
    }
}

static void
test_tree(const Subject *subject)
{
    const SketchOps *ops = subject->ops;
    unsigned count = 2 + (unsigned)draw(LEAVES_MAX - 1), kind = (unsigned)draw(6), full = 0;
    uint64_t empty_of_4 = draw(5), shape = draw(UINT64_MAX);
    Leaf leaf[LEAVES_MAX];
    SketchBytes all, without;
    SketchState filled;

    for (unsigned i = 0; i < count; i++) {
        uint64_t items = draw(4) < empty_of_4 ? 0 : 1 + draw(draw(3) ? 40 : 2000);

        full += items > 0;
        leaf[i].empty = items == 0;
        leaf[i].value = in_some_form(ops, subject->make(draw(10000), items, kind));
        expect(ops->is_empty == NULL || ops->is_empty(leaf[i].value) == leaf[i].empty,
               "%s: %s empty, with %llu items", ops->name, leaf[i].empty ? "not" : "is",
               (unsigned long long)items);
    }
    all = packed_of(ops, unite(ops, leaf, count, shape, false));
    filled = unite(ops, leaf, count, shape, true);
    if (full > 0) {
        without = packed_of(ops, filled);
        expect(same(all, without), "%s: %u leaves, %u of them not empty", ops->name, count, full);
        release_bytes(without);
    }
    if (full > 0 ? subject->commutes : subject->empty_commutes) {
        shuffle(leaf, count);
        without = packed_of(ops, unite(ops, leaf, count, draw(UINT64_MAX), false));
        expect(same(all, without), "%s: another order of %u leaves, %u of them not empty",
               ops->name, count, full);
        release_bytes(without);
    }
    release_bytes(all);
    for (unsigned i = 0; i < count; i++)
        release_bytes(leaf[i].value);
}

/* What theta unites without a state, and what is not a union: a sum, a weighted merge. */
static void
test_other_merges(void)
{
    SketchError error;

    for (unsigned i = 0; i < TREES; i++) {
        SketchState a = make_theta(draw(1000), draw(3000), 0), b = make_theta(0, 0, 0);
        SketchBytes packed = packed_of(&theta_ops, a), empty = packed_of(&theta_ops, b), both;

        if (theta_ops.is_empty(packed))
            expect(!theta_ops.is_empty(packed) || packed.size == empty.size, "an empty one");
        else
            for (unsigned side = 0; side < 2; side++) {
                expect(theta_combine(THETA_UNION, side ? empty : packed, side ? packed : empty,
                                     &memory, &both, &error) &&
                           same(both, packed),
                       "theta: the union of two values");
                release_bytes(both);
            }
        release_bytes(packed);
        release_bytes(empty);
    }
    for (unsigned i = 0; i < TREES; i++) {
        SketchState a = make_cuckoo(draw(1000), 1 + draw(300), 1), b = make_cuckoo(0, 0, 1), sum;
        SketchBytes packed = packed_of(&cuckoo_ops, a), empty = packed_of(&cuckoo_ops, b), both;

        for (unsigned side = 0; side < 2; side++) {
            sum = cuckoo_open_table(side ? empty : packed, &memory);
            CHANGE(sum, cuckoo_sum(&sum, side ? packed : empty, &memory, &error));
            both = packed_of(&cuckoo_ops, sum);
            expect(same(both, packed), "cuckoo: a sum");
            release_bytes(both);
        }
        release_bytes(packed);
        release_bytes(empty);
    }
    for (unsigned i = 0; i < TREES; i++) {
        uint64_t times = draw(3);
        SketchState a = make_cms(draw(1000), 1 + draw(30), i % 6), b = make_cms(0, 0, 0);
        SketchBytes packed = packed_of(&cms_ops, a), both;

        CHANGE(b, cms_merge_times(&b, packed, times, &memory, &error));
        expect(cms_total(sketch_bytes(b)) == times * cms_total(packed) &&
                   (times == 0 || cms_shape(sketch_bytes(b)).width == cms_shape(packed).width),
               "cms: a weighted merge");
        both = packed_of(&cms_ops, b);
        expect(times != 1 || same(both, packed), "cms: a weighted merge of weight 1");
        release_bytes(both);
        release_bytes(packed);
    }
    conclude("sums, weighted merges and unions of two values have empty ones as neutral");
}

int
main(void)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        for (unsigned tree = 0; tree < TREES; tree++)
            test_tree(&subjects[i]);
        conclude("%s: empty sketches are neutral in %d random trees", subjects[i].ops->name, TREES);
    }
    test_other_merges();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
