/*
 * test_bloom_validate.c - the door and the bytes: every truncation, every flipped bit, every lie.
 *
 * Bytes are either refused with a reason, or validated as they are. A flipped bit of a filter may
 * well be another filter; what the validated value says of itself has to hold then.
 */
#include "../members.h"

#include "core/bloom/bloom_internal.h"
#include "core/common/bytes.h"

static SketchError error;

typedef struct Shape {
    const char *name;
    uint64_t capacity;
    double rate;
    unsigned expansion;
    uint64_t items, more; /* of a union with a filter of the same parameters */
} Shape;

static const Shape shapes[] = {
    {"empty", 100, 0.01, 2, 0, 0},        {"one", 1, 0.5, 1, 1, 0},
    {"list", 100, 0.01, 2, 12, 0},        {"longest list", 1 << 20, 0.01, 2, 240, 0},
    {"filter", 100, 0.01, 2, 90, 0},      {"whole", 100, 0.01, 2, 700, 0},
    {"united", 1000, 0.01, 2, 300, 300},  {"chained", 100, 0.1, 2, 130, 150},
    {"fixed list", 20, 0.01, 0, 5, 0},    {"fixed", 20, 0.01, 0, 20, 0},
    {"tight", 30, 1e-9, 32768, 100, 100}, {"loose", 64, 0.999, 2, 300, 0},
};
#define SHAPES (sizeof shapes / sizeof shapes[0])

static SketchBytes
value_of(const Shape *shape)
{
    SketchState state = bloom_new(shape->capacity, shape->rate, shape->expansion, &memory);

    insert_members(&state, 0, 0, shape->items);
    if (shape->more > 0) {
        SketchBytes first = finish(state), second;

        second = filter_of(shape->capacity, shape->rate, shape->expansion, 1, 0, shape->more);
        state = bloom_ops.open(first, &memory);
        expect(merge_into(&bloom_ops, &state, second, &error), "not merged");
        release_bytes(first);
        release_bytes(second);
    }
    return finish(state);
}

/* Validates from memory of exactly the size. A refusal must have a reason and keep no memory. */
static bool
validated(const uint8_t *data, size_t size)
{
    Bytes exact = bytes_copy(data, size);
    unsigned before = memory_used.pieces;
    SketchBytes value;
    bool good;

    error = (SketchError){.status = SKETCH_OK};
    memory_used.largest = 0;
    good = bloom_ops.validate((SketchBytes){exact.data, exact.size}, &memory, &value, &error);
    expect(memory_used.largest <= size + SKETCH_PREFIX_BYTES, "%zu bytes allocated for %zu",
           memory_used.largest, size);
    free(exact.data);
    if (good) {
        expect(memory_used.pieces == before + 1, "more memory kept than the value");
        expect(same_bytes(value.data, value.size, data, size) && canonical(value),
               "validated as something else");
        release_bytes(value);
    } else
        expect(error.status == SKETCH_MALFORMED && error.reason && memory_used.pieces == before &&
                   (!error.has_range || error.found < error.low || error.found > error.high),
               "refused without a good reason, or with memory kept");
    return good;
}

static void
test_good(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);

        expect(validated(value.data, value.size), "%s: %s", shapes[i].name, error.reason);
        release_bytes(value);
    }
    conclude("good values come through unchanged");
}

static void
test_cut(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes longer = {malloc(value.size + 9), value.size + 9};

        memset(longer.data, 1, longer.size);
        memcpy(longer.data, value.data, value.size);
        for (size_t size = 0; size < longer.size; size++)
            expect(size == value.size || !validated(longer.data, size), "%s of %zu bytes: %zu",
                   shapes[i].name, value.size, size);
        free(longer.data);
        release_bytes(value);
    }
    conclude("cut or longer values are refused");
}

/* Returns true if a bit of this byte may be another one in a good value. */
static bool
is_free(SketchBytes value, size_t at)
{
    size_t bits = BLOOM_PACKED_HEADER + load_le16(value.data + 6) * (size_t)BLOOM_LAYER_HEADER;

    if (at < 4 || (at >= 6 && at < 8) || (at >= 24 && at < BLOOM_PACKED_HEADER))
        return false;
    /* An entry: capacity, rate, how many bits an item sets and the shape of the same size are free
     * as far as they agree. */
    if (at >= BLOOM_PACKED_HEADER && at < bits)
        at = (at - BLOOM_PACKED_HEADER) % BLOOM_LAYER_HEADER;
    else
        return true;
    return at < 8 || at >= 16;
}

static void
test_flips(void)
{
    for (size_t i = 0; i < SHAPES; i++) {
        SketchBytes value = value_of(&shapes[i]);
        Bytes changed = bytes_copy(value.data, value.size);
        unsigned refused = 0, passed = 0;

        for (size_t bit = 0; bit < 8 * value.size; bit++) {
            bool good;

            changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            good = validated(changed.data, changed.size);
            expect(!good || is_free(value, bit / 8), "%s: bit %zu", shapes[i].name, bit);
            refused += !good;
            passed += good;
            changed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        expect(refused > 80 && passed > 0, "%s: %u refused, %u passed", shapes[i].name, refused,
               passed);
        free(changed.data);
        release_bytes(value);
    }
    conclude("a flipped bit is refused, or makes another canonical value");
}

/* ---- lies ---- */

/* A good filter with one thing changed. */
static bool
lie(size_t at, uint64_t value, size_t width)
{
    SketchBytes good = value_of(&shapes[5]);
    Bytes changed = bytes_copy(good.data, good.size);
    bool passed;

    for (size_t i = 0; i < width; i++)
        changed.data[at + i] = (uint8_t)(value >> 8 * i);
    passed = validated(changed.data, changed.size);
    free(changed.data);
    release_bytes(good);
    return passed;
}

static uint64_t
bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void
test_header_lies(void)
{
    expect(lie(8, 1, 8) && lie(8, UINT64_C(1) << 30, 8), "capacities that are allowed");
    expect(!lie(8, 0, 8) && !lie(8, (UINT64_C(1) << 30) + 1, 8) && !lie(8, UINT64_MAX, 8),
           "capacities");
    expect(lie(16, bits_of(1e-9), 8) && lie(16, bits_of(0.9999), 8), "rates that are allowed");
    expect(!lie(16, bits_of(0.9e-9), 8) && !lie(16, bits_of(1), 8) && !lie(16, bits_of(0), 8) &&
               !lie(16, bits_of(-0.1), 8) && !lie(16, bits_of(NAN), 8) &&
               !lie(16, bits_of(INFINITY), 8),
           "rates");
    for (unsigned i = 0; i < 2; i++)
        expect(!lie(16, bits_of(i == 0 ? 0.9e-9 : 1), 8) &&
                   strcmp(error.reason, "Error rate out of range") == 0,
               "a rate, refused for another reason: %s", error.reason);
    expect(lie(4, 0, 2) && lie(4, 32768, 2) && !lie(4, 32769, 2) && !lie(4, 65535, 2),
           "expansions");
    expect(!lie(0, SKETCH_HLL, 1) && !lie(1, 2, 1) && !lie(3, SKETCH_HASH_REDIS, 1), "the rest");
    expect(!lie(2, BLOOM_LIST, 1) && !lie(2, 2, 1) && !lie(2, BLOOM_HASHES, 1) &&
               !lie(2, BLOOM_LAYERS, 1),
           "encodings");
    expect(!lie(6, 0, 2) && !lie(6, 2, 2) && !lie(6, 65535, 2), "how many filters");
    expect(!lie(24, 0, 8) && !lie(24, 701, 8) && !lie(24, UINT64_MAX, 8), "items");
    conclude("headers that lie are refused");
}

static void
test_layer_lies(void)
{
    size_t entry = BLOOM_PACKED_HEADER;
    SketchBytes good = value_of(&shapes[5]);
    BloomLayer layer = bloom_layer_entry(good.data + entry);

    release_bytes(good);
    expect(!lie(entry, 0, 8) && !lie(entry, 699, 8) && lie(entry, 700, 8) &&
               !lie(entry, UINT64_C(1) << 36, 8) && !lie(entry, (UINT64_C(1) << 36) + 1, 8) &&
               !lie(entry, UINT64_MAX, 8),
           "capacity of a filter");
    expect(!lie(entry + 8, 0, 8) && !lie(entry + 8, 701, 8), "its items");
    expect(!lie(entry + 16, bits_of(0), 8) && !lie(entry + 16, bits_of(1), 8) &&
               !lie(entry + 16, bits_of(-1), 8) && !lie(entry + 16, bits_of(NAN), 8),
           "its rate");
    expect(!lie(entry + 24, 0, 4) && !lie(entry + 24, UINT32_MAX, 4) &&
               !lie(entry + 24, layer.blocks + 1, 4),
           "its blocks");
    expect(!lie(entry + 28, 0, 2) && !lie(entry + 28, 513, 2) &&
               !lie(entry + 28, layer.block_bytes + 1, 2),
           "their bytes");
    expect(!lie(entry + 30, 0, 1) && !lie(entry + 30, 65, 1) && !lie(entry + 30, 255, 1) &&
               !lie(entry + 30, 1, 1) && !lie(entry + 30, 64, 1),
           "its hashes");
    expect(!lie(entry + 31, 2, 1) && !lie(entry + 31, 128, 1), "its flags");
    conclude("filters that lie are refused");

    /* Capacity, rate and bits have to agree: a percent more than the bits can keep is refused. */
    expect(!lie(entry, 707, 8) && !lie(entry + 16, bits_of(layer.rate * 0.99), 8) &&
               lie(entry + 16, bits_of(layer.rate * 1.01), 8) &&
               lie(entry + 16, bits_of(layer.rate * 0.9999), 8),
           "a promise that the bits cannot keep");
    expect(strcmp(error.reason ? error.reason : "", "") == 0 && !lie(entry, UINT64_C(1) << 36, 8) &&
               strcmp(error.reason, "Too few bits for capacity and error rate") == 0,
           "refused for another reason: %s", error.reason);
    conclude("a filter promises no more than its bits can keep");

    /* Estimated items are those that the bits tell. */
    for (uint64_t items = 600; items < 800; items++)
        for (unsigned flag = 0; flag < 2; flag++) {
            bool passed;

            good = value_of(&shapes[5]);
            store_le64((uint8_t *)good.data + 24, items);
            store_le64((uint8_t *)good.data + entry + 8, items);
            ((uint8_t *)good.data)[entry + 31] = (uint8_t)flag;
            layer = bloom_layer_entry(good.data + entry);
            layer.bits = good.data + entry + BLOOM_LAYER_HEADER;
            passed = validated(good.data, good.size);
            if (flag)
                expect(passed ==
                           (items == bloom_estimate(&layer, bloom_layer_ones(&layer, &memory))),
                       "estimated %llu items", (unsigned long long)items);
            else
                expect(passed == (items <= 700 &&
                                  items * layer.hashes >= bloom_layer_ones(&layer, &memory)),
                       "%llu items", (unsigned long long)items);
            release_bytes(good);
        }
    conclude("items have to explain the bits, and estimated ones to follow from them");
}

static void
test_order(void)
{
    SketchBytes list = value_of(&shapes[2]), chained = value_of(&shapes[7]);
    Bloom bloom = read_value(chained);
    Bytes changed = bytes_copy(list.data, list.size);
    uint8_t *first = changed.data + BLOOM_PACKED_HEADER;
    uint8_t hash[8];

    memcpy(hash, first, 8);
    memcpy(first, first + 8, 8);
    expect(!validated(changed.data, changed.size), "a hash twice");
    memcpy(first + 8, hash, 8);
    expect(!validated(changed.data, changed.size), "hashes not in order");
    free(changed.data);

    expect(bloom.layers == 2, "%u layers", bloom.layers);
    if (bloom.layers == 2) {
        BloomLayer a = bloom_next_layer(&bloom), b = bloom_next_layer(&bloom);
        uint8_t *to;

        changed = bytes_copy(chained.data, chained.size);
        to = changed.data + BLOOM_PACKED_HEADER;
        bloom_write_entry(to, &b);
        bloom_write_entry(to + BLOOM_LAYER_HEADER, &a);
        to += 2 * BLOOM_LAYER_HEADER;
        memcpy(to, b.bits, bloom_layer_bytes(&b));
        memcpy(to + bloom_layer_bytes(&b), a.bits, bloom_layer_bytes(&a));
        expect(!validated(changed.data, changed.size), "filters not in order");
        memcpy(changed.data, chained.data, chained.size);
        store_le16(changed.data + 4, 0);
        expect(!validated(changed.data, changed.size) && error.found == 2 && error.low == 1 &&
                   error.high == 1,
               "two filters where none may be added: %s", error.reason);
        free(changed.data);
    }
    release_bytes(list);
    release_bytes(chained);

    /* One more than a list may have. */
    {
        Bytes longer = {calloc(1, 32 + 8 * 17), 32 + 8 * 17};

        memcpy(longer.data, (uint8_t[]){SKETCH_BLOOM, 1, BLOOM_LIST, 0, 0, 0}, 6);
        store_le64(longer.data + 8, 100);
        store_le_double(longer.data + 16, 0.01);
        for (unsigned i = 0; i <= 16; i++) {
            store_le64(longer.data + 24, i);
            store_le64(longer.data + 32 + 8 * i, i);
            expect(validated(longer.data, 32 + 8 * i) == (i <= 15), "a list of %u", i);
        }
        store_le64(longer.data + 24, 1);
        expect(validated(longer.data, 40), "a list of one");
        store_le_double(longer.data + 16, 1);
        expect(!validated(longer.data, 40), "a list of rate 1");
        free(longer.data);
    }
    conclude("lists and filters out of order, and lists too long, are refused");
}

/* ---- damage ---- */

/* A stored value of any bytes: read without leaving it, or refused. None of them is a state. */
static void
use_damaged(SketchBytes damaged)
{
    SketchState state = {(uint8_t *)damaged.data, damaged.size}, copy;
    SketchBytes packed = bloom_ops.pack(damaged, &memory), other;
    Bloom bloom;

    bloom_contains(damaged, 42);
    expect(bloom_read(&bloom, damaged) == (packed.data != NULL), "packed though unreadable");
    expect(!packed.data || !sketch_is_working(damaged.data), "a stored value is no state");
    other = filter_of(100, 0.01, 2, 0, 0, 5);
    copy = bloom_ops.open(damaged, &memory);
    expect(!copy.data == !packed.data, "opened though unreadable");
    if (copy.data) {
        expect(merge_into(&bloom_ops, &copy, other, &error) || error.reason, "no reason");
        release_state(copy);
    } else {
        expect(!bloom_ops.merge(&state, other, &memory, &error) && error.status == SKETCH_DAMAGED &&
                   state.data == damaged.data,
               "merged though unreadable");
        expect(!bloom_intersect(&state, other, &memory, &error) && error.status == SKETCH_DAMAGED,
               "intersected though unreadable");
    }
    copy = bloom_ops.open(other, &memory);
    if (!merge_into(&bloom_ops, &copy, damaged, &error))
        expect(error.reason, "no reason");
    release_state(copy);
    release_bytes(other);
    if (packed.data)
        release_bytes(packed);
}

static void
test_damage(void)
{
    Random random = {5};
    unsigned readable = 0;

    for (unsigned round = 0; round < trials_of(4000); round++) {
        const Shape *shape = &shapes[round % SHAPES];
        SketchBytes value = value_of(shape), damaged;
        uint8_t *data;

        data = (uint8_t *)value.data;
        if (round / SHAPES % 4 == 0)
            data[2] |= SKETCH_WORKING;
        for (unsigned i = round / SHAPES % 4; i > 0; i--) {
            size_t at = 4 + random_below(&random, 72) % (value.size - 4);

            /* Other capacities are good ones, and take up to a gigabyte. */
            if (at < 12 || at >= 20)
                data[at] ^= (uint8_t)(1 << random_below(&random, 8));
        }
        damaged = value;
        if (round % 5 == 0)
            damaged.size = 4 + random_below(&random, value.size - 3);
        {
            /* Of exactly its size, so that stepping outside is seen. */
            uint8_t *exact = memory_value(damaged.size, NULL);
            Bloom bloom;

            memcpy(exact, damaged.data, damaged.size);
            readable += bloom_read(&bloom, (SketchBytes){exact, damaged.size});
            use_damaged((SketchBytes){exact, damaged.size});
            memory_release_value(exact, NULL);
        }
        release_bytes(value);
    }
    expect(readable > 0.1 * trials_of(4000) && readable < 0.9 * trials_of(4000), "%u readable",
           readable);
    expect(memory_used.pieces == 0, "memory was kept");
    conclude("damaged values are read within their bounds, or refused");
}

/* A layer whose property comes early or late in the order of layers. */
static void
set_property(BloomLayer *layer, unsigned property, bool late)
{
    static const uint8_t bits[2][4] = {{3}, {4}}; /* as many as two blocks of two bytes have */

    switch (property) {
    case 0:
        layer->capacity = late ? 20 : 10;
        break;
    case 1:
        layer->rate = late ? 0.1 : 0.2;
        break;
    case 2:
        layer->blocks = late ? 2 : 1;
        break;
    case 3:
        layer->block_bytes = late ? 2 : 1;
        break;
    case 4:
        layer->hashes = late ? 6 : 5;
        break;
    case 5:
        layer->items = late ? 7 : 8;
        break;
    case 6:
        layer->estimated = late;
        break;
    default:
        layer->bits = bits[late];
    }
}

static void
test_layer_order(void)
{
    for (unsigned differs = 0; differs < 8; differs++) {
        BloomLayer early, late;

        for (unsigned property = 0; property < 8; property++) {
            set_property(&early, property, property > differs);
            set_property(&late, property, property == differs);
        }
        expect(bloom_layer_compare(&early, &late) < 0 && bloom_layer_compare(&late, &early) > 0 &&
                   bloom_layer_compare(&early, &early) == 0,
               "property %u", differs);
    }
    conclude("the first property that differs is the order of two filters");
}

int
main(void)
{
    test_good();
    test_cut();
    test_flips();
    test_header_lies();
    test_layer_lies();
    test_order();
    test_layer_order();
    test_damage();
    return conclude_all();
}
