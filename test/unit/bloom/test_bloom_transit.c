/*
 * test_bloom_transit.c - states that are united elsewhere, limits of a union, and polls.
 */
#include "core/bloom/bloom_internal.h"
#include "../members.h"

/* What validate makes of a state on its way, in place of the state. */
static SketchBytes
arrived(SketchState state)
{
    SketchBytes transit = bloom_ops.transit(sketch_bytes(state), &memory), value;
    SketchError error = {.reason = ""};

    release_state(state);
    if (!bloom_ops.validate(transit, &memory, &value, &error)) {
        expect(false, "refused in transit: %s", error.reason);
        return transit;
    }
    expect(same_value(value, transit), "changed by validating");
    release_bytes(transit);
    return value;
}

static SketchState
state_of(double rate, uint64_t which, uint64_t from, uint64_t to)
{
    SketchState state = bloom_new(100, rate, 2, &memory);

    insert_members(&state, which, from, to);
    return state;
}

/* Shards of some items each, some in two shards, give the bytes of one aggregate over all. */
static void
test_shards(void)
{
    static const uint64_t sizes[] = {1, 5, 30, 240, 700, 5000};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t each = sizes[i], all = 0;
        SketchState united = bloom_new(100, 0.01, 2, &memory), serial;
        SketchBytes a, b;

        for (uint64_t shard = 0; shard < 32; shard++) {
            uint64_t from = shard * each, to = from + each + each / 3;
            SketchBytes value = arrived(state_of(0.01, 7, from, to));
            SketchError error = {.reason = ""};

            all = to;
            expect(merge_into(&bloom_ops, &united, value, &error), "%s", error.reason);
            expect(sketch_is_packed(value.data) == (each + each / 3 <= 14), "another encoding");
            release_bytes(value);
        }
        serial = state_of(0.01, 7, 0, all);
        a = finish(united);
        b = finish(serial);
        expect(same_value(a, b), "32 shards of %llu are another filter", (unsigned long long)each);
        release_bytes(a);
        release_bytes(b);
    }
    conclude("32 shards in transit, united, are the filter of a serial plan");
}

/* Layers travel as they are, and hashes beside them; what arrives packs as the state would have. */
static void
test_layers(void)
{
    SketchBytes filter = filter_of(100, 0.01, 2, 1, 0, 3000), value, packed, expected;
    SketchState state = bloom_ops.open(filter, &memory);
    Bloom bloom;

    insert_members(&state, 2, 0, 500);
    expected = pack(state);
    value = arrived(state);
    bloom = read_value(value);
    expect(value.data[2] == BLOOM_TRANSIT && bloom.layers == 1 && bloom.hashes.count >= 480,
           "%u layers and %u hashes", bloom.layers, bloom.hashes.count);
    expect(count_missing(value, 1, 0, 3000) == 0 && count_missing(value, 2, 0, 500) == 0, "lost");
    packed = bloom_ops.pack(value, &memory);
    expect(same_value(packed, expected), "packed as something else");
    release_bytes(packed);
    packed = finish(bloom_ops.open(value, &memory));
    expect(same_value(packed, expected), "opened as something else");
    release_bytes(packed);
    release_bytes(expected);
    release_bytes(value);

    state = bloom_ops.open(filter, &memory);
    value = arrived(state);
    expect(same_value(value, filter), "a filter without hashes beside it does not travel packed");
    release_bytes(value);
    release_bytes(filter);

    filter = filter_of(1000, 0.01, 0, 1, 0, 700);
    value = arrived(bloom_ops.open(filter, &memory));
    expect(same_value(value, filter), "a filter that does not grow does not travel packed");
    release_bytes(value);
    release_bytes(filter);
    conclude("layers and hashes travel side by side");
}

static bool
refused(const uint8_t *data, size_t size, const char *reason)
{
    SketchError error = {.reason = ""};
    SketchBytes value;

    if (bloom_ops.validate((SketchBytes){data, size}, &memory, &value, &error)) {
        release_bytes(value);
        return false;
    }
    return error.status == SKETCH_MALFORMED && strcmp(error.reason, reason) == 0;
}

static void
test_refusals(void)
{
    SketchBytes good = arrived(state_of(0.01, 3, 0, 300));
    uint8_t *bad = memory_value(good.size, NULL);
    uint64_t first = load_le64(good.data + BLOOM_PACKED_HEADER);

    expect(good.data[2] == BLOOM_TRANSIT && good.size == BLOOM_PACKED_HEADER + 2400, "no list");
#define TRY(change, bytes, reason)                                                                 \
    do {                                                                                           \
        memcpy(bad, good.data, good.size);                                                         \
        change;                                                                                    \
        expect(refused(bad, bytes, reason), "not refused: %s", reason);                            \
    } while (0)
    TRY(store_le64(bad + BLOOM_PACKED_HEADER + 8, first), good.size,
        "Hashes are not in ascending order");
    TRY(store_le64(bad + BLOOM_PACKED_HEADER, UINT64_MAX), good.size,
        "Hashes are not in ascending order");
    TRY((void)0, good.size - 1, "The value is truncated or corrupt");
    TRY(store_le64(bad + 24, 299), good.size, "The value is truncated or corrupt");
    TRY(store_le64(bad + 24, UINT64_MAX), good.size, "The value is truncated or corrupt");
    TRY(store_le16(bad + 6, 1), good.size, "The value is truncated or corrupt");
    TRY(store_le16(bad + 4, 0), good.size, "A filter in transit that does not grow");
    TRY(store_le64(bad + 24, 14), BLOOM_PACKED_HEADER + 14 * 8,
        "Too few hashes for a value in transit");
    TRY(store_le64(bad + 24, 0), BLOOM_PACKED_HEADER, "Too few hashes for a value in transit");
    memory_release_value(bad, NULL);
    release_bytes(good);

    /* One filter, and beside it the hash of an item that it has. */
    good = filter_of(100, 0.01, 2, 3, 0, 300);
    bad = memory_value(good.size + 8, NULL);
    memcpy(bad, good.data, good.size);
    bad[2] = BLOOM_TRANSIT;
    store_le64(bad + 24, 1);
    store_le64(bad + good.size, member(3, 7));
    expect(refused(bad, good.size + 8, "A hash that one of the filters has"), "not refused");
    memory_release_value(bad, NULL);
    release_bytes(good);
    conclude("no lie in transit is believed");
}

/* ---- limits of a union ---- */

/* Filters that never unite into one, at a rate, until one is refused; their number. */
static unsigned
unite_until_refused(double rate, unsigned most, SketchError *error)
{
    SketchState state = bloom_new(100, rate, 2, &memory);
    SketchBytes before, after;
    unsigned united = 0;

    for (bool good = true; good && united <= most; united += good) {
        SketchBytes filter = filter_of(100, rate, 2, united, 0, 130);

        before = pack(state);
        good = merge_into(&bloom_ops, &state, filter, error);
        after = pack(state);
        expect(good || same_value(before, after), "changed, though it was refused");
        release_bytes(before);
        release_bytes(after);
        release_bytes(filter);
    }
    release_state(state);
    return united;
}

static void
test_limits(void)
{
    SketchError error = {.reason = ""};
    SketchBytes many, one;
    SketchState state;
    unsigned united;

    united = unite_until_refused(0.001, 300, &error);
    expect(united == BLOOM_UNION_LAYERS_MAX && error.status == SKETCH_LIMIT &&
               error.found == BLOOM_UNION_LAYERS_MAX + 1 && error.high == BLOOM_UNION_LAYERS_MAX,
           "%u filters: %s", united, error.reason);
    united = unite_until_refused(0.01, 300, &error);
    expect(united == 55 && error.status == SKETCH_LIMIT && error.found == 51 && error.high == 50,
           "%u filters: %s, %lld", united, error.reason, (long long)error.found);
    united = unite_until_refused(0.4, 300, &error);
    expect(united == 2 && error.found == 108 && error.high == 80, "%u filters, %lld", united,
           (long long)error.found);

    /* Many against many: tried on a copy. */
    state = bloom_new(100, 0.001, 2, &memory);
    for (unsigned i = 0; i < 100; i++) {
        SketchBytes filter = filter_of(100, 0.001, 2, i, 0, 130);

        expect(merge_into(&bloom_ops, &state, filter, &error), "refused");
        release_bytes(filter);
    }
    many = pack(state);
    expect(merge_into(&bloom_ops, &state, many, &error), "the same filters again are refused");
    release_state(state);
    state = bloom_new(100, 0.001, 2, &memory);
    for (unsigned i = 50; i < 200; i++) {
        SketchBytes filter = filter_of(100, 0.001, 2, i, 0, 130);

        expect(merge_into(&bloom_ops, &state, filter, &error), "refused");
        release_bytes(filter);
    }
    one = pack(state);
    expect(!merge_into(&bloom_ops, &state, many, &error) && error.status == SKETCH_LIMIT, "united");
    many = (release_bytes(many), finish(state));
    expect(same_value(many, one), "changed, though it was refused");
    release_bytes(one);
    release_bytes(many);
    conclude("a union has limits, and nothing changes at them");
}

/* Growing never gets near the most layers: the last ones are for hundreds of millions of items. */
static void
test_growth(void)
{
    static const struct {
        uint64_t capacity;
        unsigned expansion;
    } cases[] = {{1, 1}, {100, 1}, {100, 2}, {1, 2}, {7, 3}, {1000000, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bloom bloom = {
            .capacity = cases[i].capacity, .rate = 0.01, .expansion = cases[i].expansion};
        uint64_t before = 0, bytes = 0;
        unsigned layers = 0;
        double used = 0;

        for (; bytes < 1 << 30; layers++) {
            BloomLayer layer = bloom_plan_layer(&bloom, before, used, 1);

            before += layer.capacity;
            used += layer.rate;
            bytes += bloom_layer_bytes(&layer);
        }
        expect(layers <= 170, "%u layers from %llu by %u", layers,
               (unsigned long long)cases[i].capacity, cases[i].expansion);
        expect(used <= 0.01001, "a rate of %g", used);
    }
    conclude("a value of 1 GB has at most 170 layers, whatever it began with");
}

/* ---- polls ---- */

static void
test_polls(void)
{
    SketchState state = bloom_new(100, 0.001, 2, &memory);
    SketchError error = {.reason = ""};
    SketchBytes value, big, both;
    BloomLayer layer;
    Bloom bloom;
    size_t before;

    for (unsigned i = 0; i < 150; i++) {
        SketchBytes filter = filter_of(100, 0.001, 2, i, 0, 130);

        merge_into(&bloom_ops, &state, filter, &error);
        release_bytes(filter);
    }
    insert_members(&state, 1000, 0, 20000);
    before = memory_polls;
    value = finish(state);
    /* 20,000 probes of 150 filters each, at 8 steps. */
    expect(memory_polls - before > 300, "%zu polls of packing", memory_polls - before);
    release_bytes(value);

    big = filter_of(300000, 1e-6, 2, 0, 0, 20);
    state = bloom_ops.open(big, &memory);
    insert_members(&state, 0, 0, 300000);
    before = memory_polls;
    value = finish(state);
    expect(memory_polls - before > 60, "%zu polls of setting bits", memory_polls - before);
    bloom = read_value(value);
    layer = bloom_next_layer(&bloom);
    before = memory_polls;
    bloom_layer_ones(&layer, &memory);
    expect(memory_polls > before, "counting bits does not poll");
    before = memory_polls;
    bloom_layer_rate(&layer, &memory);
    expect(memory_polls > before, "the rate does not poll");
    state = bloom_ops.open(value, &memory);
    before = memory_polls;
    expect(merge_into(&bloom_ops, &state, value, &error), "not united");
    expect(memory_polls > before, "a union does not poll");
    before = memory_polls;
    both = bloom_ops.transit(sketch_bytes(state), &memory);
    expect(memory_polls > before, "going in transit does not poll");
    release_bytes(both);
    before = memory_polls;
    expect(bloom_ops.validate(value, &memory, &both, &error) && memory_polls > before,
           "validating does not poll");
    release_bytes(both);
    release_state(state);
    release_bytes(value);
    release_bytes(big);
    conclude("every long loop asks whether to go on");
}

int
main(void)
{
    test_shards();
    test_layers();
    test_refusals();
    test_limits();
    test_growth();
    test_polls();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
