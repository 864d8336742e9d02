/*
 * test_bloom_redis.c - filters of RedisBloom: a real one, and all that they do beside the plainest
 * filter there is.
 */
#include <stddef.h>

#include "../members.h"
#include "../redis_payload.h"

#include "core/bloom/redis.h"
#include "core/common/hash.h"

#define FORCE64 4
#define NO_ROUND 1
#define MODULE_ID UINT64_C(0x3016e5a289bef800)
#define LAYERS 40

static SketchError error;

/* ---- the plainest filter ---- */

typedef struct PlainLayer {
    uint64_t capacity, items, bytes, n2;
    double error, bits_per_entry;
    unsigned hashes;
    bool *bit;
} PlainLayer;

typedef struct Plain {
    uint32_t layers, growth, options;
    PlainLayer layer[LAYERS];
} Plain;

static PlainLayer
plain_layer(uint64_t capacity, double rate)
{
    PlainLayer layer = {.capacity = capacity, .error = rate};
    uint64_t bits;

    layer.bits_per_entry = -log(rate) / 0.480453013918201;
    layer.hashes = (unsigned)ceil(0.693147180559945 * layer.bits_per_entry);
    bits = (uint64_t)((double)capacity * layer.bits_per_entry);
    layer.bytes = bits == 0 ? 8 : (bits + 63) / 64 * 8;
    layer.bit = calloc(8 * layer.bytes, sizeof(bool));
    return layer;
}

static uint64_t
plain_bit(const PlainLayer *layer, SketchBytes item, unsigned i)
{
    uint64_t a = murmur64a(item.data, item.size, UINT64_C(0xc6a4a7935bd1e995), &memory);
    uint64_t b = murmur64a(item.data, item.size, a, &memory);

    return (a + i * b) % (layer->n2 > 0 ? UINT64_C(1) << layer->n2 : 8 * layer->bytes);
}

static bool
plain_contains(const Plain *plain, SketchBytes item)
{
    for (uint32_t l = 0; l < plain->layers; l++) {
        const PlainLayer *layer = &plain->layer[l];
        unsigned i = 0;

        while (i < layer->hashes && layer->bit[plain_bit(layer, item, i)])
            i++;
        if (i == layer->hashes)
            return true;
    }
    return false;
}

static bool
plain_add(Plain *plain, SketchBytes item)
{
    PlainLayer *last = &plain->layer[plain->layers - 1];

    if (plain_contains(plain, item))
        return false;
    if (last->items >= last->capacity) {
        plain->layer[plain->layers++] =
            plain_layer(last->capacity * (plain->growth > 0 ? plain->growth : 1), last->error / 2);
        last++;
    }
    for (unsigned i = 0; i < last->hashes; i++)
        last->bit[plain_bit(last, item, i)] = true;
    last->items++;
    return true;
}

static Plain
plain_of(uint64_t capacity, double rate, uint32_t growth, uint32_t options)
{
    Plain plain = {.layers = 1, .growth = growth, .options = options | FORCE64};

    plain.layer[0] = plain_layer(capacity, rate / 2);
    return plain;
}

static void
plain_free(Plain *plain)
{
    for (uint32_t l = 0; l < plain->layers; l++)
        free(plain->layer[l].bit);
}

static void
plain_bytes(const PlainLayer *layer, uint8_t *bytes)
{
    memset(bytes, 0, layer->bytes);
    for (uint64_t i = 0; i < 8 * layer->bytes; i++)
        bytes[i / 8] |= (uint8_t)(layer->bit[i] << i % 8);
}

/* The value that has these layers. */
static SketchBytes
value_of(const Plain *plain)
{
    BloomRedis redis = {plain->growth, plain->layers, plain->options, 0, NULL, NULL};
    BloomRedisLayer layer[LAYERS];
    SketchBytes value;

    for (uint32_t l = 0; l < plain->layers; l++) {
        const PlainLayer *from = &plain->layer[l];
        uint8_t *bits = malloc(from->bytes);

        plain_bytes(from, bits);
        layer[l] =
            (BloomRedisLayer){from->capacity, from->items,  from->error, from->bits_per_entry,
                              from->bytes,    from->hashes, from->n2,    bits};
    }
    value = bloom_redis_write(&redis, layer, &memory);
    for (uint32_t l = 0; l < plain->layers; l++)
        free((void *)layer[l].bits);
    return value;
}

/* Returns true if a value, packed or working, has just these layers. */
static bool
same_layers(SketchBytes value, const Plain *plain)
{
    BloomRedis redis;
    uint64_t items = 0;
    bool same = bloom_redis_read(&redis, value) && redis.layers == plain->layers &&
                redis.growth == plain->growth && redis.options == plain->options;

    for (uint32_t l = 0; same && l < plain->layers; l++) {
        BloomRedisLayer layer = bloom_redis_next(&redis);
        const PlainLayer *other = &plain->layer[l];
        uint8_t *bits = malloc(other->bytes);

        plain_bytes(other, bits);
        same = layer.capacity == other->capacity && layer.items == other->items &&
               layer.error == other->error && layer.hashes == other->hashes &&
               layer.n2 == other->n2 && layer.bits_per_entry == other->bits_per_entry &&
               same_bytes(layer.bits, layer.bytes, bits, other->bytes);
        items += layer.items;
        free(bits);
    }
    return same && redis.items == items;
}

static SketchBytes
item_of(char *room, uint64_t which, uint64_t n)
{
    return (SketchBytes){
        (uint8_t *)room,
        (size_t)sprintf(room, "%llu-%llu", (unsigned long long)which, (unsigned long long)n)};
}

static bool
add(SketchState *state, SketchBytes item, bool *added)
{
    uint8_t *before = state->data;
    bool good = bloom_redis_add(state, item, added, &memory, &error);

    if (state->data != before)
        memory_release_value(before, NULL);
    return good;
}

/* ---- a real one ---- */

#define HEADER                                                                                     \
    "07000000000000000100000005000000020000001000000000000000800000000000000007000000000000007b14" \
    "ae47e17a743fe9862fb2350e2640080000000a0000000000000000"
#define BITS "940307c77f506058200568a880814284"
#define DUMP                                                                                       \
    "07813016e5a289bef8040207020102050202020a047b14ae47e17a743f020804e9862fb2350e2640024080020005" \
    "10940307c77f506058200568a8808142840207000c0000cb6528998f3cc4"
#define AFTER                                                                                      \
    "07813016e5a289bef804020c020202050202020a047b14ae47e17a743f020804e9862fb2350e2640024080020005" \
    "10958317df7f506d58300768a980915285020a0214047b14ae47e17a643f0209044af7d49edef0284002410002"   \
    "0005200005000001000002a000000000404000040020000000089000080400080000120202000c00af0d80c5e6c8" \
    "fea4"

static SketchBytes
from_dump(const void *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0};
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = bloom_redis_from_dump((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    expect(memory_used.pieces == before + good && (good || error.status == SKETCH_MALFORMED),
           "memory was kept");
    free(exact.data);
    return good ? value : (SketchBytes){NULL, 0};
}

static SketchBytes
from_dump_hex(const char *hex)
{
    Bytes bytes = bytes_of_hex(hex);
    SketchBytes value = from_dump(bytes.data, bytes.size);

    free(bytes.data);
    return value;
}

static SketchBytes
from_scandump(SketchBytes header, SketchBytes body)
{
    Bytes exact = bytes_copy(header.data, header.size);
    Bytes exact_body = bytes_copy(body.data, body.size);
    unsigned before = memory_used.pieces;
    SketchBytes value = {NULL, 0};
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    good = bloom_redis_from_scandump((SketchBytes){exact.data, exact.size},
                                     (SketchBytes){exact_body.data, exact_body.size}, &memory,
                                     &value, &error);
    expect(memory_used.pieces == before + good && (good || error.status == SKETCH_MALFORMED),
           "memory was kept");
    free(exact.data);
    free(exact_body.data);
    return good ? value : (SketchBytes){NULL, 0};
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

/* Items from..to - 1 in a filter. */
static SketchBytes
filter(uint64_t capacity, double rate, uint32_t growth, uint64_t from, uint64_t to)
{
    Plain plain = plain_of(capacity, rate, growth, 0);
    SketchBytes value;
    char room[50];

    for (uint64_t n = from; n < to; n++)
        plain_add(&plain, item_of(room, 0, n));
    value = value_of(&plain);
    plain_free(&plain);
    return value;
}

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

/* ---- payloads ---- */

typedef struct Fields {
    uint64_t version, items, layers, options, growth;
    uint64_t capacity, hashes, bits, n2, bytes, layer_items;
    uint64_t more; /* fields behind the last */
    double rate, bits_per_entry;
} Fields;

static const Fields good = {4, 1, 1, 4, 2, 10, 8, 128, 0, 16, 1, 0, 0.005, 11.027753418256411};

static SketchBytes
from_fields(const Fields *f)
{
    static uint8_t room[100000];
    static const uint8_t bits[64] = {1, 2, 3};
    Payload p = {room, 0};

    payload_module(&p, MODULE_ID | f->version);
    payload_signed(&p, (int64_t)f->items);
    payload_signed(&p, (int64_t)f->layers);
    if (f->version >= 2)
        payload_signed(&p, (int64_t)f->options);
    if (f->version >= 4)
        payload_signed(&p, (int64_t)f->growth);
    for (uint64_t i = 0; i < f->layers && i < 300; i++) {
        payload_signed(&p, (int64_t)f->capacity);
        payload_double(&p, f->rate);
        payload_signed(&p, (int64_t)f->hashes);
        payload_double(&p, f->bits_per_entry);
        if (f->version >= 1) {
            payload_signed(&p, (int64_t)f->bits);
            payload_signed(&p, (int64_t)f->n2);
        }
        payload_field(&p, bits, f->bytes);
        payload_signed(&p, (int64_t)f->layer_items);
    }
    for (uint64_t i = 0; i < f->more; i++)
        payload_signed(&p, 1);
    payload_module_end(&p);
    return from_dump(p.data, p.size);
}

/* Returns true if a payload is refused, and for this reason; or read, if there is none. */
static bool
answered(const Fields *fields, const char *reason)
{
    SketchBytes value = from_fields(fields);

    if (!value.data)
        return reason && strcmp(error.reason, reason) == 0;
    release_bytes(value);
    return !reason;
}

static void
test_dump(void)
{
    static const char damaged[] = "Damaged Bloom filter";
    static const char disagree[] = "Error rate, bits and hashes disagree";
    static const char many[] = "Capacity or items out of range";
    static const char range[] = "Bits out of range";
    static const char old[] = "A filter of RedisBloom before 2.0, whose hash has 32 bits";
    static const struct {
        size_t field;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {offsetof(Fields, version), 5, "Encoding version of the DUMP payload"},
        {offsetof(Fields, version), 1024, "The DUMP payload is of another module"},
        {offsetof(Fields, version), 1, old},
        {offsetof(Fields, version), 0, old},
        {offsetof(Fields, options), 20, "Unknown options"},
        {offsetof(Fields, options), UINT64_C(1) << 32 | 4, "Unknown options"},
        {offsetof(Fields, options), 11, old},
        {offsetof(Fields, options), 15, NULL},
        {offsetof(Fields, growth), 32768, NULL},
        {offsetof(Fields, growth), 32769, "Expansion out of range"},
        {offsetof(Fields, growth), 65538, "Expansion out of range"},
        {offsetof(Fields, items), 2, damaged},
        {offsetof(Fields, layers), 0, damaged},
        {offsetof(Fields, layers), 257, damaged},
        {offsetof(Fields, bits), 127, damaged},
        {offsetof(Fields, more), 1, damaged},
        {offsetof(Fields, hashes), 8 + 256, disagree},
        {offsetof(Fields, hashes), 9, disagree},
        {offsetof(Fields, capacity), 0, many},
        {offsetof(Fields, capacity), UINT64_C(1) << 54, NULL},
        {offsetof(Fields, capacity), (UINT64_C(1) << 54) + 1, many},
        {offsetof(Fields, layer_items), (UINT64_C(1) << 54) + 1, many},
        {offsetof(Fields, n2), 8, range},
        {offsetof(Fields, n2), 7, NULL},
        {offsetof(Fields, n2), 64, range},
    };
    static const double rates[] = {0, 1, NAN, -0.005};
    Fields fields = good;
    SketchBytes value;
    BloomRedis redis;

    expect(answered(&good, NULL), "the good one: %s", error.reason);
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        fields = good;
        memcpy((char *)&fields + lies[i].field, &lies[i].value, sizeof lies[i].value);
        expect(answered(&fields, lies[i].reason), "lie %zu: %s", i, error.reason);
    }
    fields = good;
    for (unsigned i = 0; i < 4; i++) {
        fields.rate = rates[i];
        expect(answered(&fields, "Error rate out of range"), "rate %g", rates[i]);
    }
    fields = good;
    fields.bits_per_entry = 11.0277545;
    expect(answered(&fields, disagree), "bits per entry");
    fields = good;
    fields.items = fields.layer_items = UINT64_C(1) << 54;
    expect(answered(&fields, NULL), "as many items as there may be");
    fields = good;
    fields.bytes = fields.bits = 0;
    expect(answered(&fields, range), "no bits");
    fields = good;
    fields.layers = fields.items = 2;
    fields.version = 3;
    value = from_fields(&fields);
    expect(value.data && bloom_redis_read(&redis, value) && redis.growth == 2 &&
               redis.layers == 2 && canonical(value),
           "before growth was a field");
    release_bytes(value);
    conclude("no lie of DUMP is believed");
}

static void
test_cut_dump(void)
{
    static uint8_t room[200];
    Bytes whole = bytes_of_hex(DUMP);

    for (size_t size = 0; size < whole.size; size++) {
        SketchBytes value;
        size_t sealed = size;

        /* Cut within the fields, with a footer that is right. */
        memcpy(room, whole.data, size);
        if (size < whole.size - PAYLOAD_FOOTER) {
            Payload p = {room, size};

            payload_finish(&p);
            sealed = p.size;
        }
        value = from_dump(room, sealed);
        expect(!value.data, "cut at %zu", size);
        if (value.data)
            release_bytes(value);
    }
    free(whole.data);
    conclude("cut payloads are refused");
}

static void
test_scandump(void)
{
    static const char fit[] = "The chunks do not fit the header";
    static const char number[] = "The header has another number of filters";
    static const struct {
        size_t at, bytes;
        uint64_t value;
        const char *reason;
    } lies[] = {
        {0, 8, 8, "Items are not the sum of those of the filters"},
        {8, 4, 0, number},
        {8, 4, 2, number},
        {8, 4, 257, number},
        {12, 4, 21, "Unknown options"},
        {12, 4, 1, "A filter of RedisBloom before 2.0, whose hash has 32 bits"},
        {16, 4, 32769, "Expansion out of range"},
        {20, 8, 17, fit},
        {20, 8, 15, fit},
        {20, 8, (UINT64_C(1) << 32) + 16, fit},
        {28, 8, 127, fit},
        {36, 8, UINT64_C(1) << 55, "Capacity or items out of range"},
        {44, 8, 0, "Error rate out of range"},
        {60, 4, 264, "Error rate, bits and hashes disagree"},
        {64, 8, 0, "Capacity or items out of range"},
        {72, 1, 8, "Bits out of range"},
    };
    Bytes header = bytes_of_hex(HEADER), bits = bytes_of_hex(BITS);
    SketchBytes body = {bits.data, bits.size}, value;

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        Bytes lie = bytes_copy(header.data, header.size);

        for (size_t byte = 0; byte < lies[i].bytes; byte++)
            lie.data[lies[i].at + byte] = (uint8_t)(lies[i].value >> 8 * byte);
        value = from_scandump((SketchBytes){lie.data, lie.size}, body);
        expect(!value.data && strcmp(error.reason, lies[i].reason) == 0, "lie %zu: %s", i,
               error.reason);
        free(lie.data);
    }
    expect(!from_scandump((SketchBytes){header.data, 72}, body).data && error.found == 72 &&
               error.low == 73,
           "a header cut");
    expect(!from_scandump((SketchBytes){header.data, 73}, (SketchBytes){bits.data, 15}).data,
           "chunks cut");
    conclude("no lie of SCANDUMP is believed");

    /* Both ways, with any number of layers. */
    for (uint64_t items = 0; items < 300; items = 3 * items + 1) {
        SketchBytes filled = items == 0
                                 ? filter(1, 0x1.6a09e667f3bcdp-254, 1, 0, 1) /* 255 hashes */
                                 : filter(6, 0.03, 3, 0, items);
        size_t size, fields;
        uint8_t *written;
        BloomRedis redis;

        bloom_redis_read(&redis, filled);
        size = bloom_redis_header_bytes(&redis);
        fields = BLOOM_PACKED_HEADER + redis.layers * (size_t)BLOOM_REDIS_ENTRY;
        written = malloc(size);
        bloom_redis_write_header(redis, written);
        value = from_scandump((SketchBytes){written, size},
                              (SketchBytes){filled.data + fields, filled.size - fields});
        expect(value.data && same_value(value, filled), "%u layers", redis.layers);
        if (value.data)
            release_bytes(value);
        release_bytes(filled);
        free(written);
    }
    free(header.data);
    free(bits.data);
    conclude("SCANDUMP both ways");
}

/* ---- stored values ---- */

static void
test_stored_lies(void)
{
    static const char body[] = "The value is truncated or corrupt";
    static const struct {
        size_t at;
        uint8_t value;
        const char *reason;
    } lies[] = {
        {3, 2, "Unknown hash function"},
        {6, 0, body},
        {6, 2, body},
        {7, 1, body},
        {8, 20, "Unknown options"},
        {12, 1, body},
        {15, 1, body},
        {16, 1, body},
        {23, 1, body},
        {24, 6, "Items are not the sum of those of the filters"},
        {40, 6, "Items are not the sum of those of the filters"},
        {56, 15, body},
        {60, 1, "Reserved bytes are not zero"},
        {61, 1, "Reserved bytes are not zero"},
        {62, 9, "Error rate, bits and hashes disagree"},
        {63, 8, "Bits out of range"},
    };
    SketchBytes value = from_dump_hex(DUMP), validated;

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        Bytes lie = bytes_copy(value.data, value.size);

        lie.data[lies[i].at] = lies[i].value;
        expect(
            !bloom_ops.validate((SketchBytes){lie.data, lie.size}, &memory, &validated, &error) &&
                strcmp(error.reason, lies[i].reason) == 0,
            "lie %zu: %s", i, error.reason);
        free(lie.data);
    }
    for (size_t size = 0; size < value.size; size++) {
        Bytes cut = bytes_copy(value.data, size);

        expect(!bloom_ops.validate((SketchBytes){cut.data, cut.size}, &memory, &validated, &error),
               "cut at %zu", size);
        free(cut.data);
    }
    conclude("no lie of a stored value is believed");
    {
        SketchState state = bloom_ops.open(value, &memory), copy = bloom_ops.open(value, &memory);
        bool added;

        state.data[6] = 9; /* layers */
        expect(!bloom_redis_add(&state, (SketchBytes){value.data, 1}, &added, &memory, &error) &&
                   error.status == SKETCH_DAMAGED && !added,
               "added to");
        expect(!bloom_redis_contains(sketch_bytes(state), (SketchBytes){value.data, 1}, &memory),
               "asked");
        expect(!merge_into(&bloom_ops, &state, value, &error) && error.status == SKETCH_DAMAGED,
               "united");
        expect(!merge_into(&bloom_ops, &copy, sketch_bytes(state), &error) &&
                   error.status == SKETCH_DAMAGED,
               "united into another");
        expect(!bloom_ops.open(sketch_bytes(state), &memory).data, "opened");
        release_state(state);
        release_state(copy);
    }
    release_bytes(value);
    conclude("a damaged value is refused");
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
    test_dump();
    test_cut_dump();
    test_scandump();
    test_stored_lies();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
