/*
 * test_bloom_redis.c - filters of RedisBloom: a real one, and all that they do compared with the
 * plainest filter there is.
 */
#include "../redis_bloom.h"

#define NO_ROUND 1

static bool
add(SketchState *state, SketchBytes item, bool *added)
{
    uint8_t *before = state->data;
    bool good = bloom_redis_add(state, item, added, &memory, &error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

static void
test_known(void)
{
    static const char *const items[] = {
        "tiny-1-144272509", "tiny-1-611178002", "tiny-1-909925047", "tiny-1-861425548",
        "tiny-1-820096753", "tiny-1-67760436",  "tiny-1-273878287",
    };
    static const char *const next[] = {
        "next-1-6130128",   "next-1-411983601", "next-1-841443398",
        "next-1-920142113", "next-1-880990038",
    };
    Bytes header = bytes_of_hex(HEADER), bits = bytes_of_hex(BITS);
    SketchBytes value = from_dump_hex(DUMP), after = from_dump_hex(AFTER), other;
    uint8_t *written = malloc(header.size);
    Plain empty = plain_of(10, 0.01, 2, NO_ROUND);
    SketchState state;
    BloomRedis redis;
    bool added;

    expect(value.data && after.data, "DUMP: %s", error.reason);
    other =
        from_scandump((SketchBytes){header.data, header.size}, (SketchBytes){bits.data, bits.size});
    expect(same_value(value, other) && canonical(value) && canonical(after), "SCANDUMP");
    release_bytes(other);
    bloom_redis_read(&redis, value);
    expect(bloom_redis_header_bytes(&redis) == header.size, "the size of the header");
    bloom_redis_write_header(redis, written);
    expect(memcmp(written, header.data, header.size) == 0, "the header");

    /* The same items, into an empty filter of the same parameters. */
    other = value_of(&empty);
    state = bloom_ops.open(other, &memory);
    for (unsigned i = 0; i < 7; i++) {
        SketchBytes item = {(const uint8_t *)items[i], strlen(items[i])};

        expect(!bloom_redis_contains(sketch_bytes(state), item, &memory) &&
                   add(&state, item, &added) && added && bloom_redis_contains(value, item, &memory),
               "%s", items[i]);
    }
    release_bytes(other);
    other = finish(state);
    expect(other.size == value.size && memcmp(other.data + 24, value.data + 24, 8) == 0 &&
               memcmp(other.data + 72, value.data + 72, bits.size) == 0,
           "the same items set the same bits");
    release_bytes(other);

    state = bloom_ops.open(value, &memory);
    for (unsigned i = 0; i < 5; i++)
        expect(add(&state, (SketchBytes){(const uint8_t *)next[i], strlen(next[i])}, &added) &&
                   added,
               "%s", next[i]);
    other = finish(state);
    expect(same_value(other, after), "grown as Redis does");
    release_bytes(other);
    release_bytes(value);
    release_bytes(after);
    plain_free(&empty);
    free(header.data);
    free(bits.data);
    free(written);
    conclude("a filter of a real server: read, added to, and given back");
}

/* ---- beside the plain one ---- */

static void
test_filters(void)
{
    static const struct {
        uint64_t capacity;
        double rate;
        uint32_t growth;
        unsigned items, n2;
    } cases[] = {{1, 0.01, 2, 60, 0},   {20, 0.1, 1, 200, 0},  {20, 0.1, 0, 90, 0},
                 {7, 0.5, 4, 600, 0},   {50, 1e-6, 2, 300, 0}, {100, 0.999, 2, 150, 0},
                 {30, 0.05, 2, 100, 7}, {1, 0.9, 3, 20, 0}};
    char room[50];

    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        Plain plain = plain_of(cases[c].capacity, cases[c].rate, cases[c].growth, 0);
        SketchBytes value, again;
        SketchState state;
        bool added;

        plain.layer[0].n2 = cases[c].n2;
        value = value_of(&plain);
        expect(canonical(value), "%zu: not canonical", c);
        state = bloom_ops.open(value, &memory);
        release_bytes(value);
        for (unsigned n = 0; n < cases[c].items; n++) {
            SketchBytes item = item_of(room, c, n);
            bool is = plain_add(&plain, item);

            expect(add(&state, item, &added) && added == is, "%zu: item %u", c, n);
            expect(bloom_redis_contains(sketch_bytes(state), item, &memory),
                   "%zu: item %u is not there", c, n);
            expect(n % 16 > 0 || same_layers(sketch_bytes(state), &plain), "%zu: after %u", c, n);
            item = item_of(room, 1000 + c, n);
            expect(bloom_redis_contains(sketch_bytes(state), item, &memory) ==
                       plain_contains(&plain, item),
                   "%zu: a stranger", c);
        }
        expect(same_layers(sketch_bytes(state), &plain), "%zu: at the end", c);
        value = finish(state);
        again = value_of(&plain);
        expect(value.size == again.size && canonical(value), "%zu: packed", c);
        release_bytes(value);
        release_bytes(again);
        plain_free(&plain);
    }
    conclude("filled and grown, they are what the plainest filter is");
}

static void
test_plan(void)
{
    static const double rates[] = {0.5, 0.1, 0.01, 1e-9};
    Random random = {1};
    uint64_t sum = 0;

    for (unsigned r = 0; r < 4; r++)
        for (uint64_t capacity = 1; capacity < 200; capacity++) {
            PlainLayer plain = plain_layer(capacity, rates[r] / 2);
            BloomRedisLayer layer = bloom_redis_plan(capacity, rates[r]);

            expect(layer.capacity == capacity && layer.error == rates[r] / 2 &&
                       layer.bytes == plain.bytes && layer.hashes == plain.hashes &&
                       bloom_redis_layer_good(&layer, &error),
                   "%llu at %g", (unsigned long long)capacity, rates[r]);
            free(plain.bit);
        }
    {
        /* 2^33 bits are the most. */
        BloomRedisLayer layer = bloom_redis_plan(1000, 0.01);
        uint64_t most = (uint64_t)(0x1p33 / layer.bits_per_entry);

        expect(bloom_redis_plan(most, 0.01).bytes == UINT64_C(1) << 30, "the largest");
        expect(bloom_redis_plan(most + 1, 0.01).bytes == 0, "larger");
    }
    conclude("sizes are those of BF.RESERVE");

    for (unsigned i = 0; i < 10000; i++) {
        uint64_t capacity = 1 + random_below(&random, 1000000000);
        double rate = ldexp(random_unit(&random), -(int)(i % 40));
        BloomRedisLayer layer = bloom_redis_plan(capacity, rate);
        uint64_t bits;

        memcpy(&bits, &layer.bits_per_entry, sizeof bits);
        sum = sum * UINT64_C(0x9e3779b97f4a7c15) + bits + layer.bytes * 256 + layer.hashes;
    }
    expect(sum == UINT64_C(0x185b991e277b56b), "%#llx", (unsigned long long)sum);
    conclude("and the same on every platform");
}

static void
test_fixed(void)
{
    Plain plain = plain_of(5, 0.01, 2, BLOOM_REDIS_NO_SCALING);
    SketchBytes value = value_of(&plain);
    SketchState state = bloom_ops.open(value, &memory);
    char room[50];
    bool added;

    for (unsigned n = 0; n < 5; n++)
        expect(add(&state, item_of(room, 0, n), &added) && added, "item %u", n);
    expect(!add(&state, item_of(room, 0, 5), &added) && !added && error.status == SKETCH_LIMIT &&
               error.found == 6 && error.high == 5,
           "one too many");
    expect(add(&state, item_of(room, 0, 4), &added) && !added, "one that is there");
    release_state(state);
    release_bytes(value);
    plain_free(&plain);

    /* A hash is a byte: the layer after this one would have more. */
    plain = plain_of(1, 0x1.6a09e667f3bcdp-254, 1, 0);
    value = value_of(&plain);
    state = bloom_ops.open(value, &memory);
    expect(plain.layer[0].hashes == 255 && add(&state, item_of(room, 0, 0), &added), "255 hashes");
    expect(!add(&state, item_of(room, 0, 1), &added) && error.status == SKETCH_LIMIT &&
               error.found == 2 && error.high == 1,
           "256 hashes");
    release_state(state);
    release_bytes(value);
    plain_free(&plain);
    conclude("what is full and cannot grow refuses");
}

static void
test_rate(void)
{
    Plain plain = plain_of(3000, 0.01, 2, 0);
    SketchBytes value;
    BloomRedisLayer layer;
    BloomRedis redis;
    uint64_t ones = 0;
    char room[50];

    for (unsigned n = 0; n < 3000; n++)
        plain_add(&plain, item_of(room, 0, n));
    for (uint64_t i = 0; i < 8 * plain.layer[0].bytes; i++)
        ones += plain.layer[0].bit[i];
    value = value_of(&plain);
    bloom_redis_read(&redis, value);
    layer = bloom_redis_next(&redis);
    expect(bloom_redis_ones(&layer, &memory) == ones, "ones");
    expect(fabs(bloom_redis_rate(&layer, &memory) /
                    pow((double)ones / (8.0 * (double)layer.bytes), layer.hashes) -
                1) < 1e-9,
           "rate");
    release_bytes(value);
    plain_free(&plain);
    conclude("bits set, and the rate that follows");
}

/* ---- union ---- */

/* The union of two values, which are taken. */
static SketchBytes
united(SketchBytes a, SketchBytes b)
{
    SketchState state = bloom_ops.open(a, &memory);

    expect(merge_into(&bloom_ops, &state, b, &error), "refused");
    release_bytes(a);
    release_bytes(b);
    return finish(state);
}

static bool
has_items(SketchBytes value, uint64_t from, uint64_t to)
{
    char room[50];
    bool all = true;

    for (uint64_t n = from; n < to; n++)
        all &= bloom_redis_contains(value, item_of(room, 0, n), &memory);
    return all;
}

static uint64_t
items_of(SketchBytes value)
{
    return load_le64(value.data + 24);
}

static void
test_union(void)
{
    SketchBytes value, both;
    BloomRedis redis;

    /* Of one shape: the bits of both, and as many items as the bits tell. */
    value = united(filter(1000, 0.01, 2, 0, 300), filter(1000, 0.01, 2, 200, 500));
    both = filter(1000, 0.01, 2, 0, 500);
    expect(value.size == both.size && memcmp(value.data + 72, both.data + 72, both.size - 72) == 0,
           "the bits of both");
    expect(items_of(value) > 475 && items_of(value) < 525 && canonical(value), "%llu items",
           (unsigned long long)items_of(value));
    release_bytes(both);
    release_bytes(value);

    /* One within the other: its count stands, whichever comes first. */
    value = united(filter(1000, 0.01, 2, 0, 300), filter(1000, 0.01, 2, 100, 200));
    both = united(filter(1000, 0.01, 2, 100, 200), filter(1000, 0.01, 2, 0, 300));
    expect(same_value(value, both) && items_of(value) == 300, "a part changes nothing");
    release_bytes(both);
    release_bytes(value);

    value = united(filter(10, 0.01, 2, 0, 120), filter(10, 0.01, 2, 0, 120));
    both = filter(10, 0.01, 2, 0, 120);
    expect(same_value(value, both), "layer by layer with itself");
    release_bytes(both);
    release_bytes(value);

    /* No more than both had, no fewer than one. */
    value = united(filter(4, 0.01, 2, 0, 1), filter(4, 0.01, 2, 1, 2));
    expect(items_of(value) >= 1 && items_of(value) <= 2, "1 and 1");
    release_bytes(value);
    value = united(filter(1, 0.9, 2, 0, 1), filter(1, 0.9, 2, 1, 2));
    expect(items_of(value) >= 1 && items_of(value) <= 2, "1 and 1, full of ones");
    release_bytes(value);

    /* Layer by layer; those without a match come first, so that the last one is filled on. */
    value = united(filter(10, 0.01, 2, 0, 60), filter(10, 0.01, 2, 60, 90));
    expect(bloom_redis_read(&redis, value) && redis.layers == 3 && has_items(value, 0, 90) &&
               canonical(value),
           "%u layers", redis.layers);
    release_bytes(value);
    value = united(filter(10, 0.01, 2, 0, 20), filter(33, 0.02, 4, 20, 100));
    expect(bloom_redis_read(&redis, value) && redis.layers == 4 && redis.growth == 2 &&
               has_items(value, 0, 100) && canonical(value),
           "%u layers", redis.layers);
    if (redis.layers == 4) {
        static const uint64_t capacities[] = {33, 132, 10, 20};

        for (unsigned i = 0; i < 4; i++)
            expect(bloom_redis_next(&redis).capacity == capacities[i], "layer %u", i);
    }
    /* And again, one and then all with a match, behind the first two. */
    value = united(value, filter(20, 0.01, 1, 200, 240));
    expect(bloom_redis_read(&redis, value) && redis.layers == 5, "%u layers", redis.layers);
    value = united(value, filter(10, 0.01, 2, 240, 270));
    expect(bloom_redis_read(&redis, value) && redis.layers == 5 && has_items(value, 0, 100) &&
               has_items(value, 200, 270) && canonical(value),
           "%u layers", redis.layers);
    release_bytes(value);
    conclude("unions have all items, in layers of one shape together");
}

static void
test_union_limit(void)
{
    SketchBytes value = filter(1, 0.01, 1, 0, 0), other;
    SketchState state = bloom_ops.open(value, &memory);
    SketchBytes before;

    release_bytes(value);
    for (uint64_t capacity = 2; capacity <= BLOOM_UNION_LAYERS_MAX; capacity++) {
        other = filter(capacity, 0.01, 1, 0, 0);
        expect(merge_into(&bloom_ops, &state, other, &error), "%u layers", (unsigned)capacity);
        release_bytes(other);
    }
    before = pack(state);
    other = filter(1000, 0.01, 1, 0, 0);
    expect(!merge_into(&bloom_ops, &state, other, &error) && error.status == SKETCH_LIMIT &&
               error.found == BLOOM_UNION_LAYERS_MAX + 1 && error.low == 1 &&
               error.high == BLOOM_UNION_LAYERS_MAX,
           "one too many");
    value = finish(state);
    expect(same_value(value, before), "changed");
    release_bytes(value);
    release_bytes(before);
    release_bytes(other);
    conclude("a union has at most %u layers", BLOOM_UNION_LAYERS_MAX);
}

int
main(void)
{
    test_known();
    test_plan();
    test_filters();
    test_fixed();
    test_rate();
    test_union();
    test_union_limit();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
