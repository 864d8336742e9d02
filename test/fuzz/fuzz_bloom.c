/*
 * fuzz_bloom.c - every question to a Bloom filter.
 */
#include "fuzz.h"

#include "core/bloom/bloom.h"
#include "core/bloom/bloom_internal.h"
#include "core/common/bytes.h"

#define STRANGERS 40
#define BYTES_MAX (4 << 20) /* of a filter that a value's capacity asks for */

static Bloom
read_bloom(SketchBytes value)
{
    Bloom bloom;

    fuzz_check(bloom_read(&bloom, value), "validated, but cannot be read");
    return bloom;
}

static uint64_t
stranger(uint64_t n)
{
    return mix64(n * UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- what fits ---- */

/* A header may honestly promise a billion items: what is added would take as many bytes. */
static bool
grown_fits(Bloom mine, Bloom theirs)
{
    uint64_t before = 0;
    double used = 0;
    Bloom both = {.capacity = mine.capacity > theirs.capacity ? mine.capacity : theirs.capacity,
                  .expansion =
                      mine.expansion > theirs.expansion ? mine.expansion : theirs.expansion,
                  .rate = mine.rate < theirs.rate ? mine.rate : theirs.rate};

    for (unsigned side = 0; side < 2; side++) {
        Bloom *bloom = side ? &theirs : &mine;

        for (uint32_t i = 0; i < bloom->layers; i++) {
            BloomLayer layer = bloom_next_layer(bloom);

            before += layer.capacity;
            used += layer.rate;
        }
    }
    for (unsigned first = 0; first < 2; first++) {
        BloomLayer layer = bloom_plan_layer(&both, first ? 0 : before, used, 1);

        if (bloom_layer_bytes(&layer) > BYTES_MAX)
            return false;
    }
    return true;
}

static bool
fuzz_bloom_fits(SketchBytes a, SketchBytes b)
{
    if (a.data[3] == SKETCH_HASH_REDIS || b.data[3] == SKETCH_HASH_REDIS)
        return false; /* fuzz_bloom_redis.c has these */
    return grown_fits(read_bloom(a), read_bloom(b));
}

/* ---- one value ---- */

/* Header, directory and one block of each layer answer as the whole does. */
static void
check_pieces(SketchBytes packed, uint64_t hash)
{
    size_t front_bytes = bloom_front_bytes(packed.data), offset = front_bytes;
    Bytes front = bytes_copy(packed.data, front_bytes);
    Bloom bloom;
    bool found = false, single;

    fuzz_check(bloom_read_directory(&bloom, (SketchBytes){front.data, front.size}, packed.size),
               "the directory cannot be read");
    for (uint32_t i = bloom.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&bloom);
        size_t at = offset + bloom_block_at(&layer, hash);
        Bytes block;

        fuzz_check(at + layer.block_bytes <= packed.size, "a block out of bounds");
        block = bytes_copy(packed.data + at, layer.block_bytes);
        found |= bloom_block_contains(&layer, block.data, hash);
        free(block.data);
        offset += bloom_layer_bytes(&layer);
    }
    if (bloom_single_contains(packed, hash, &single))
        fuzz_check(single == found, "a single filter answers otherwise");
    fuzz_check(offset == packed.size, "the directory is of another size");
    fuzz_check(found == bloom_contains(packed, hash), "the pieces answer otherwise");
    free(front.data);
}

static void
check_layers(Bloom bloom)
{
    uint64_t items = 0, told = bloom.items;

    for (uint32_t i = bloom.layers; i > 0; i--) {
        BloomLayer layer = bloom_next_layer(&bloom);
        uint64_t ones = bloom_layer_ones(&layer, &memory);
        double rate = bloom_layer_rate(&layer, &memory);

        items += layer.items;
        fuzz_check(ones <= 8 * bloom_layer_bytes(&layer) && (ones == 0) == (layer.items == 0),
                   "bits and items");
        fuzz_check(rate >= 0 && rate <= 1 && (rate > 0) >= (ones == 8 * bloom_layer_bytes(&layer)),
                   "a rate");
    }
    fuzz_check(items + bloom.hashes.count == told, "the sum of the items");
}

/* What is added is there, and so is what was there; one that does not grow may refuse. */
static void
check_adding(SketchBytes packed)
{
    SketchState state = bloom_ops.open(packed, &memory);
    SketchError error = {.status = SKETCH_OK};
    Bloom before = read_bloom(packed);
    uint64_t count = 1 + packed.data[packed.size - 1] % STRANGERS, added = 0;
    SketchBytes after;

    for (; added < count; added++) {
        uint8_t *old = state.data;
        bool good = bloom_add(state, stranger(added)) ||
                    bloom_insert(&state, stranger(added), &memory, &error);

        if (state.data != old)
            memory_release_value(old, NULL);
        if (!good) {
            fuzz_check_refusal(error);
            fuzz_check(before.expansion == 0, "an item refused by one that grows");
            break;
        }
    }
    after = bloom_ops.pack(sketch_bytes(state), &memory);
    for (uint64_t i = 0; i < added; i++)
        fuzz_check(bloom_contains(after, stranger(i)) &&
                       bloom_contains(sketch_bytes(state), stranger(i)),
                   "an added item is not there");
    for (uint64_t i = 0; i < before.hashes.count; i++)
        fuzz_check(bloom_contains(after, hash_list_at(&before.hashes, (uint32_t)i)),
                   "adding lost one");
    for (uint64_t i = 0; i < STRANGERS; i++)
        fuzz_check(bloom_contains(after, stranger(i)) >= bloom_contains(packed, stranger(i)),
                   "adding lost an answer");
    release_bytes(after);
    release_state(state);
}

static void
check_itself(SketchBytes packed)
{
    SketchState state = bloom_ops.open(packed, &memory);
    uint8_t *before = state.data;
    SketchError error = {.status = SKETCH_OK};

    if (bloom_intersect(&state, packed, &memory, &error)) {
        SketchBytes both = bloom_ops.pack(sketch_bytes(state), &memory);

        fuzz_check(same_bytes(both.data, both.size, packed.data, packed.size),
                   "the intersection with itself is another");
        release_bytes(both);
    } else {
        fuzz_check_refusal(error);
        fuzz_check(read_bloom(packed).layers > 1, "no intersection with itself");
    }
    if (state.data != before)
        memory_release_value(before, NULL);
    release_state(state);
}

/* Storage may turn it into anything: but whatever is done with it ends, within its bounds. */
static void
check_damaged(SketchBytes packed, SketchBytes working)
{
    for (unsigned i = 0; i < 6; i++) {
        SketchBytes good = i == 1 ? working : packed; /* a state never comes from storage */
        uint8_t *data = memory_value(good.size, NULL);
        SketchBytes damaged = {data, good.size}, again;
        uint64_t where = mix64(good.size + i + good.data[good.size - 1]);
        Bloom bloom;
        bool single;

        memcpy(data, good.data, good.size);
        if (i < 2)
            data[2] ^= SKETCH_WORKING;
        else if (i < 4)
            data[4 + where % (good.size - 4)] ^= (uint8_t)(where >> 56 | 1);
        else
            damaged.size = 4 + where % (good.size - 3);
        bloom_contains(damaged, where);
        bloom_single_contains(damaged, where, &single);
        if (bloom_read(&bloom, damaged) && fuzz_bloom_fits(damaged, damaged)) {
            again = bloom_ops.pack(damaged, &memory);
            release_bytes(again);
        }
        memory_release_value(data, NULL);
    }
}

static void
fuzz_bloom_ask(SketchBytes packed, SketchBytes working)
{
    Bloom one = read_bloom(packed), other = read_bloom(working);

    fuzz_check(one.capacity == other.capacity && one.rate == other.rate &&
                   one.expansion == other.expansion && one.layers == other.layers &&
                   one.hashes.count == other.hashes.count,
               "the working value is another one");
    check_layers(one);
    for (uint32_t i = 0; i < one.hashes.count; i++)
        fuzz_check(bloom_has(&one, hash_list_at(&one.hashes, i)) &&
                       bloom_has(&other, hash_list_at(&one.hashes, i)),
                   "one of the list is not there");
    for (uint64_t i = 0; i < STRANGERS; i++) {
        fuzz_check(bloom_has(&one, stranger(i)) == bloom_has(&other, stranger(i)), "two answers");
        if (one.layers > 0)
            check_pieces(packed, stranger(i));
    }
    check_adding(packed);
    check_itself(packed);
    check_damaged(packed, working);
}

/* ---- two values ---- */

static void
fuzz_bloom_ask_two(SketchBytes a, SketchBytes b)
{
    SketchState state = bloom_ops.open(a, &memory), both = bloom_ops.open(a, &memory);
    uint8_t *before = both.data;
    SketchError error = {.status = SKETCH_OK};
    SketchBytes result;
    Bloom one = read_bloom(a);

    fuzz_check(merge_into(&bloom_ops, &state, b, &error), "merged only once");
    result = bloom_ops.pack(sketch_bytes(state), &memory);
    for (uint64_t i = 0; i < STRANGERS; i++)
        fuzz_check(bloom_contains(result, stranger(i)) >=
                       (bloom_contains(a, stranger(i)) || bloom_contains(b, stranger(i))),
                   "a union lost an item");
    for (uint32_t i = 0; i < one.hashes.count; i++)
        fuzz_check(bloom_contains(result, hash_list_at(&one.hashes, i)),
                   "a union lost one of a list");
    release_bytes(result);
    if (bloom_intersect(&both, b, &memory, &error)) {
        result = bloom_ops.pack(sketch_bytes(both), &memory);
        for (uint64_t i = 0; i < STRANGERS; i++)
            fuzz_check(bloom_contains(result, stranger(i)) <=
                           (bloom_contains(a, stranger(i)) && bloom_contains(b, stranger(i))),
                       "an intersection has what one of them has not");
        if (one.layers == 0 || read_bloom(b).layers == 0)
            fuzz_check(read_bloom(result).layers == 0, "an intersection with a list is none");
        release_bytes(result);
    } else
        fuzz_check_refusal(error);
    if (both.data != before)
        memory_release_value(before, NULL);
    release_state(state);
    release_state(both);
}

/* ---- making ---- */

static SketchBytes
random_filter(Random *random)
{
    static const double rates[] = {0.01, 0.1, 0.5, 0.001, 1e-6, 0.999};
    uint64_t capacity = 1 + random_below(random, UINT64_C(1) << random_below(random, 11));
    double rate = rates[random_below(random, sizeof rates / sizeof rates[0])];
    unsigned expansion =
        (unsigned)random_below(random, random_below(random, 8) ? 4 : 40000) & 32767;
    SketchState state = bloom_new(capacity, rate, expansion, &memory);
    uint64_t items = random_below(random, UINT64_C(1) << (1 + random_below(random, 10)));
    SketchError error;

    for (uint64_t i = 0; i < items; i++) {
        uint8_t *before = state.data;
        uint64_t hash = random_below(random, 8) ? random_next(random)
                                                : stranger(random_below(random, STRANGERS));

        if (!bloom_add(state, hash))
            bloom_insert(&state, hash, &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    {
        SketchBytes packed = bloom_ops.pack(sketch_bytes(state), &memory);

        release_state(state);
        return packed;
    }
}

/* With more items, in transit if it goes that way; the value is released. */
static SketchBytes
in_transit(Random *random, SketchBytes value)
{
    SketchState state = bloom_ops.open(value, &memory);
    SketchBytes transit;
    SketchError error;

    for (uint64_t items = random_below(random, 600); items > 0; items--) {
        uint8_t *before = state.data;
        uint64_t hash = random_next(random);

        if (!bloom_add(state, hash))
            bloom_insert(&state, hash, &memory, &error);
        if (state.data != before)
            memory_release_value(before, NULL);
    }
    transit = bloom_ops.transit(sketch_bytes(state), &memory);
    release_state(state);
    release_bytes(value);
    return transit;
}

/* A filter, or a union of several, which has estimated items or more than one layer. */
static size_t
fuzz_bloom_seed(Random *random, uint8_t *buffer)
{
    SketchBytes value = random_filter(random);
    size_t size;

    for (uint64_t more = random_below(random, 4); more > 1; more--) {
        SketchState state = bloom_ops.open(value, &memory);
        SketchBytes other = random_filter(random);
        SketchError error;

        if (fuzz_bloom_fits(value, other) && merge_into(&bloom_ops, &state, other, &error)) {
            release_bytes(value);
            value = bloom_ops.pack(sketch_bytes(state), &memory);
        }
        release_bytes(other);
        release_state(state);
    }
    if (random_below(random, 4) == 0)
        value = in_transit(random, value);
    size = value.size <= FUZZ_INPUT_MAX / 4 ? value.size : BLOOM_PACKED_HEADER;
    memcpy(buffer, value.data, size);
    release_bytes(value);
    return size;
}

static int
compare_hashes(const void *a, const void *b)
{
    uint64_t x = load_le64(a), y = load_le64(b);

    return x < y ? -1 : x > y;
}

/* Items of layers are what their bits tell, and the header's are their sum; a list is sorted. */
static void
fuzz_bloom_repair(uint8_t *data, size_t size)
{
    size_t first_size;
    uint64_t items = 0;
    uint8_t *entry;
    Bloom bloom;

    if (size < 4)
        return;
    first_size = load_le32(data) % (size - 3);
    data += 4;
    if (first_size < BLOOM_PACKED_HEADER || sketch_is_working(data))
        return;
    if (data[2] == BLOOM_LIST) {
        items = (first_size - BLOOM_PACKED_HEADER) / sizeof(uint64_t);
        store_le64(data + 24, items);
        qsort(data + BLOOM_PACKED_HEADER, items, sizeof(uint64_t), compare_hashes);
        return;
    }
    if (!bloom_read(&bloom, (SketchBytes){data, first_size}))
        return;
    for (entry = data + BLOOM_PACKED_HEADER; bloom.layers > 0; bloom.layers--) {
        BloomLayer layer = bloom_next_layer(&bloom);
        uint64_t ones = bloom_layer_ones(&layer, &memory);

        if (layer.estimated || layer.items == 0 || layer.items > layer.capacity ||
            ones > layer.items * layer.hashes) {
            layer.estimated = true;
            layer.items = bloom_estimate(&layer, ones);
        }
        bloom_write_entry(entry, &layer);
        items += layer.items;
        entry += BLOOM_LAYER_HEADER;
    }
    store_le64(data + 24, items);
}

static const FuzzMode bloom = {.number = 5,
                               .name = "bloom",
                               .ops = &bloom_ops,
                               .ask = fuzz_bloom_ask,
                               .ask_two = fuzz_bloom_ask_two,
                               .fits = fuzz_bloom_fits,
                               .seed = fuzz_bloom_seed,
                               .repair = fuzz_bloom_repair};

FUZZ_MODE(bloom)
