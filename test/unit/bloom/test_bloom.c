/*
 * test_bloom.c - nothing added is ever lost, and strangers get in as seldom as was asked for.
 *
 * Rates are measured with so many strangers that 4 standard errors decide; where the filter itself
 * is a matter of luck, a few seeds are taken and their mean is judged.
 */
#include "core/bloom/bloom_internal.h"
#include "../members.h"

/* ---- what an aggregate makes ---- */

static void
test_sizes(void)
{
    static const struct {
        uint64_t items;
        double rate, bits;
    } cases[] = {{1000, 0.01, 10.0},    {30000, 0.01, 10.0},  {200000, 0.01, 10.0},
                 {1000, 0.001, 15.6},   {30000, 0.001, 15.6}, {200000, 0.001, 15.6},
                 {2000, 0.3, 2.8},      {2000, 1e-6, 32.0},   {2000, 1e-9, 52.0},
                 {2000, 0.999999, 0.5}, {5000, 0.5, 1.7}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t n = cases[i].items, strangers = n > 100000 ? 500000 : 300000, missing;
        SketchBytes value = filter_of(100, cases[i].rate, 2, i, 0, n);
        Bloom bloom = read_value(value);
        BloomLayer layer = bloom_next_layer(&bloom);
        uint64_t found = count_false(value, strangers);

        missing = count_missing(value, i, 0, n);
        expect(missing == 0, "%llu lost", (unsigned long long)missing);
        expect(bloom.layers == 1 && bloom.items == n && layer.items == n && layer.capacity == n,
               "not one filter of its items");
        expect(8.0 * (double)bloom_layer_bytes(&layer) <= cases[i].bits * (double)n,
               "%llu items at %g: %g bits", (unsigned long long)n, cases[i].rate,
               8.0 * (double)bloom_layer_bytes(&layer) / (double)n);
        expect(rate_is_within(found, strangers, cases[i].rate), "rate %g, asked for %g",
               (double)found / (double)strangers, cases[i].rate);
        expect(canonical(value), "not canonical");
        release_bytes(value);
    }
    conclude("filters sized at the end: bits and rates as promised, nothing lost");
}

/* The rate that is told is the one there is. */
static void
test_told_rate(void)
{
    for (unsigned seed = 0; seed < 4; seed++) {
        SketchBytes value = filter_of(100, 0.02, 2, seed, 0, 3000);
        Bloom bloom = read_value(value);
        BloomLayer layer = bloom_next_layer(&bloom);
        double told = bloom_layer_rate(&layer, &memory),
               found = (double)count_false(value, 1000000) / 1e6;

        expect(fabs(found - told) <= 4 * sqrt(told / 1e6), "told %g, found %g", told, found);
        release_bytes(value);
    }
    conclude("the rate as it is filled is the one that strangers find");
}

/* Small filters, where the luck of the draw is greatest: the mean of many is below. */
static void
test_small_filters(void)
{
    static const uint64_t items[] = {101, 150, 241, 600};

    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        uint64_t found = 0;

        for (unsigned seed = 0; seed < 30; seed++) {
            SketchBytes value = filter_of(8, 0.01, 2, 100 + seed, 0, items[i]);

            found += count_false(value, 20000);
            expect(count_missing(value, 100 + seed, 0, items[i]) == 0, "lost");
            release_bytes(value);
        }
        expect(rate_is_within(found, 30 * 20000, 0.0095), "%llu items: rate %g",
               (unsigned long long)items[i], (double)found / (30 * 20000.0));
    }
    conclude("small filters keep the rate on average, with the margin they are made with");
}

/* Repetitions, order and the way of collecting do not matter to a byte. */
static void
test_set(void)
{
    static const uint64_t counts[] = {1, 20, 240, 241, 5000, 70000};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint64_t n = counts[i];
        SketchBytes once = filter_of(100000, 0.01, 2, 7, 0, n), twice;
        SketchState state = bloom_new(100000, 0.01, 2, &memory),
                    half = bloom_new(100000, 0.01, 2, &memory);
        SketchError error;

        for (uint64_t k = n; k-- > 0;)
            for (unsigned repeat = 0; repeat < 1 + k % 3 + (n < 1000 ? 30 : 0); repeat++)
                insert(k % 2 ? &half : &state, member(7, k));
        expect(state.size < 128 + 80 * n, "%zu bytes for %llu hashes", state.size,
               (unsigned long long)n);
        expect(merge_into(&bloom_ops, &state, sketch_bytes(half), &error), "not merged");
        twice = finish(state);
        expect(same_value(once, twice), "%llu items", (unsigned long long)n);
        expect(read_value(twice).items == n, "items");
        release_state(half);
        release_bytes(once);
        release_bytes(twice);
    }
    conclude("a set of items has one filter: repetitions, order and merging do not matter");
}

static void
test_lists(void)
{
    for (uint64_t n = 0; n <= 240; n += 16) {
        SketchBytes value = filter_of(1000000, 0.01, 2, 3, 0, n);

        expect(value.size == BLOOM_PACKED_HEADER + 8 * n && value.data[2] == BLOOM_LIST,
               "%llu items: %zu bytes", (unsigned long long)n, value.size);
        expect(count_missing(value, 3, 0, n) == 0 && count_false(value, 100000) == 0, "inexact");
        expect(canonical(value), "not canonical");
        release_bytes(value);
    }
    conclude("few items are a list: exact");

    for (unsigned i = 0; i < 10; i++) {
        SketchState state = bloom_new(100, 0.01, 2, &memory);

        insert_members(&state, i, 0, 10);
        expect(state.size + SKETCH_PREFIX_BYTES <= 200, "%zu bytes", state.size);
        release_state(state);
    }
    conclude("the state of ten values is at most 200 bytes");
}

/* ---- growth ---- */

static void
test_growth(uint64_t capacity, double rate, unsigned expansion, uint64_t to, double bits)
{
    SketchBytes value = filter_of(capacity, rate, expansion, 1, 0, 0);
    uint64_t n = 0, found, reported = 0, layers_before = 0;

    while (n < to) {
        uint64_t more = n < 3000 ? 1 : n / 40;
        Bloom bloom;

        if (n + more > to)
            more = to - n;
        value = with_members(value, 1, n, n + more);
        n += more;
        if (n < 600 || n == to || n / 1000 != reported) {
            reported = n / 1000;
            bloom = read_value(value);
            expect(bloom.layers >= layers_before, "fewer layers than before");
            layers_before = bloom.layers;
            expect(count_missing(value, 1, n > 300 ? n - 300 : 0, n) == 0, "the newest are lost");
            /* What was taken for a member was not counted. */
            expect(bloom.items <= n && (double)(n - bloom.items) <= 4 + 2 * rate * (double)n,
                   "%llu items of %llu", (unsigned long long)bloom.items, (unsigned long long)n);
        }
    }
    found = count_false(value, 300000);
    expect(count_missing(value, 1, 0, n) == 0, "lost");
    expect(rate_is_within(found, 300000, rate), "rate %g", (double)found / 300000);
    expect(8.0 * (double)value.size <= bits * (double)n, "%g bits",
           8.0 * (double)value.size / (double)n);
    expect(canonical(value), "not canonical");
    release_bytes(value);
    conclude("grown from %llu at %g by %u to %llu: nothing lost, rate kept, at most %g bits",
             (unsigned long long)capacity, rate, expansion, (unsigned long long)to, bits);
}

/* The rates of the layers add up to less than was asked for, however far it grows. */
static void
test_rates_add_up(void)
{
    static const struct {
        uint64_t capacity;
        double rate;
        unsigned expansion;
        unsigned layers;
    } cases[] = {{100, 0.01, 2, 90},  {1, 0.5, 2, 90},    {1000000, 0.001, 2, 30},
                 {100, 0.01, 1, 118}, {300, 1e-9, 4, 40}, {1 << 30, 0.01, 32768, 2}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Bloom bloom = {
            .capacity = cases[i].capacity, .rate = cases[i].rate, .expansion = cases[i].expansion};
        uint64_t before = 0;
        double sum = 0;

        for (unsigned k = 0; k < cases[i].layers; k++) {
            BloomLayer layer = bloom_plan_layer(&bloom, before, sum, 1);

            expect(layer.rate > 0 && layer.capacity >= cases[i].capacity / 4 &&
                       bloom_expected_rate(&layer, (double)layer.capacity) <= layer.rate * 1.000001,
                   "a layer that does not keep its rate");
            if (before < 400000000)
                sum += layer.rate;
            before += layer.capacity;
        }
        expect(sum <= cases[i].rate * 1.001, "%g of %g", sum, cases[i].rate);
    }
    conclude("the rates of layers add up to no more than was asked for");
}

/* ---- filters that do not grow ---- */

static void
test_fixed(void)
{
    static const uint64_t capacities[] = {1, 5, 9, 100, 2000};

    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++) {
        uint64_t capacity = capacities[i], held = 0, n = 0;
        SketchState state = bloom_new(capacity, 0.01, 0, &memory);
        SketchError error = {.status = SKETCH_OK};
        SketchBytes full, after;

        for (; held < capacity; n++)
            if (!bloom_contains(sketch_bytes(state), member(2, n))) {
                insert(&state, member(2, n));
                held++;
            }
        full = pack(state);
        expect(read_value(full).items == capacity, "not full");
        expect(count_missing(full, 2, 0, n) == 0, "lost");
        expect(rate_is_within(count_false(full, 100000), 100000, 0.02), "rate");
        insert(&state, member(2, 0)); /* is there already */
        while (bloom_contains(sketch_bytes(state), member(2, n)))
            n++;
        expect(!try_insert(&state, member(2, n), &error) && error.status == SKETCH_LIMIT &&
                   error.found == (int64_t)capacity + 1 && error.high == (int64_t)capacity,
               "one more than %llu", (unsigned long long)capacity);
        after = finish(state);
        expect(same_value(full, after), "changed by what was refused");
        expect(canonical(full), "not canonical");
        release_bytes(full);
        release_bytes(after);
    }
    conclude("a filter that does not grow holds its capacity, and then refuses");
}

/* ---- from pieces, as an out-of-line value is read ---- */

static void
test_pieces(void)
{
    SketchBytes value = filter_of(100, 0.01, 2, 4, 0, 50000);
    BloomLayer layer = bloom_layer_entry(value.data + BLOOM_PACKED_HEADER);
    size_t bits = BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER;
    unsigned found = 0;

    expect(layer.block_bytes <= BLOOM_BLOCK_BYTES, "%u bytes of a block", layer.block_bytes);
    for (uint64_t n = 0; n < 60000; n++) {
        uint64_t hash = member(4, n), at = bloom_block_at(&layer, hash);

        expect(at + layer.block_bytes <= bloom_layer_bytes(&layer), "a block outside");
        expect(bloom_block_contains(&layer, value.data + bits + at, hash) ==
                   bloom_contains(value, hash),
               "a block differs from the whole");
        found += bloom_contains(value, hash);
    }
    expect(found >= 50000 && found < 50300, "%u found", found);
    release_bytes(value);
    conclude("one block of the bits answers for the whole");
}

/* The rate of one block with j items: the mean over the bits that they set. */
static double
block_rate(double j, const BloomLayer *layer)
{
    const double k = layer->hashes, bits = 8.0 * layer->block_bytes;
    const double clear = exp(j * k * log1p(-1 / bits));
    const double variance = (clear - (1 + k * j / bits) * clear * clear) / bits;
    double rate = pow(1 - clear, k);

    if (k > 1 && variance > 0)
        rate += k * (k - 1) / 2 * pow(1 - clear, k - 2) * variance;
    return fmin(rate, 1);
}

/* The rate of a layer with n items: the sum over the binomial number of items in a block. */
static double
exact_rate(const BloomLayer *layer, double n)
{
    const double p = 1.0 / layer->blocks, mean = n * p, spread = sqrt(mean * (1 - p));
    double sum = 0;

    if (layer->blocks == 1)
        return block_rate(n, layer);
    for (double j = fmax(floor(mean - 12 * spread), 0); j <= fmin(mean + 15 * spread + 30, n); j++)
        sum += block_rate(j, layer) * exp(lgamma(n + 1) - lgamma(j + 1) - lgamma(n - j + 1) +
                                          j * log(p) + (n - j) * log1p(-p));
    return sum;
}

/* Every shape keeps its rate, and gives few bits away for having a formula. */
static void
test_exact_rates(void)
{
    Random random = {9};

    for (unsigned i = 0; i < 6000; i++) {
        double n = floor(exp(random_unit(&random) * 14)), rate;
        BloomLayer layer = {.capacity = (uint64_t)n,
                            .rate = i % 3 ? exp(-random_unit(&random) * 7)
                                          : exp(-random_unit(&random) * 40)};

        bloom_layer_shape(&layer);
        rate = exact_rate(&layer, n);
        expect(rate <= layer.rate * 1.0001, "%g items: %g for %g", n, rate, layer.rate);
        expect(bloom_expected_rate(&layer, n) <= layer.rate * 1.0000001, "%g items: told %g for %g",
               n, bloom_expected_rate(&layer, n), layer.rate);
        if (layer.blocks > 50) {
            BloomLayer fewer = layer;

            fewer.blocks -= (uint32_t)ceil(layer.blocks * 0.02) + 1;
            expect(layer.rate < 1e-5 || exact_rate(&fewer, n) > layer.rate,
                   "%g items at %g: a fiftieth of the bits is given away", n, layer.rate);
        }
    }
    conclude("shapes keep their rates by the exact sum, with less than a fiftieth more bits than "
             "that needs");
}

/* The shape of a filter is part of its bytes, and has to be the same on every machine. */
static void
test_frozen(void)
{
    static const struct {
        uint64_t capacity;
        double rate;
        uint32_t blocks, block_bytes;
        unsigned hashes;
    } shapes[] = {
        {UINT64_C(1), 0.01, 1, 2, 7},
        {UINT64_C(10), 0.01, 1, 13, 7},
        {UINT64_C(100), 0.01, 1, 121, 7},
        {UINT64_C(100), 0.01 / 23, 1, 202, 11},
        {UINT64_C(1000), 0.009, 3, 411, 7},
        {UINT64_C(1000), 0.005, 3, 463, 8},
        {UINT64_C(30000), 0.009, 73, 507, 7},
        {UINT64_C(1000000), 0.009, 2409, 512, 7},
        {UINT64_C(1000000), 0.0009, 3608, 512, 10},
        {UINT64_C(1000000), 1e-05, 6066, 512, 17},
        {UINT64_C(5000), 0.5, 2, 451, 1},
        {UINT64_C(5000), 0.999, 1, 91, 1},
        {UINT64_C(5000), 1e-09, 60, 505, 30},
        {UINT64_C(400000000), 0.01, 942450, 512, 7},
        {UINT64_C(1) << 36, 0.01, 161911539, 512, 7},
    };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        BloomLayer layer = {.capacity = shapes[i].capacity, .rate = shapes[i].rate};

        bloom_layer_shape(&layer);
        expect(layer.blocks == shapes[i].blocks && layer.block_bytes == shapes[i].block_bytes &&
                   layer.hashes == shapes[i].hashes,
               "%llu at %g: %u x %u, %u", (unsigned long long)shapes[i].capacity, shapes[i].rate,
               layer.blocks, layer.block_bytes, layer.hashes);
    }
    conclude("shapes are what they were");
}

/* Where the bits of an item are is part of it as well. */
static void
test_frozen_bits(void)
{
    static const struct {
        uint64_t items;
        double rate;
        uint64_t sum;
    } values[] = {{90, 0.1, UINT64_C(0x866f76735ff1fa4b)},
                  {3000, 0.01, UINT64_C(0xa4fffbb67462bb50)},
                  {20000, 0.001, UINT64_C(0xb28a02769bd98484)}};

    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        SketchBytes value = filter_of(8, values[i].rate, 2, 1, 0, values[i].items);
        uint64_t sum = 0;

        for (size_t at = 0; at < value.size; at++)
            sum = mix64(sum ^ value.data[at]);
        expect(sum == values[i].sum, "%llu items: %llx", (unsigned long long)values[i].items,
               (unsigned long long)sum);
        release_bytes(value);
    }
    conclude("bits are where they were");
}

/*
 * What is added to room in a layer goes there in the order of the hashes, each if it is not there
 * by then: as if they had been added one by one.
 */
static void
test_room(void)
{
    uint64_t items = 0;

    for (unsigned seed = 0; seed < 20; seed++) {
        SketchBytes at_once = filter_of(300, 0.9, 2, seed, 0, 100), one_by_one;
        uint64_t hash[100];

        one_by_one = bloom_ops.pack(at_once, &memory);
        for (unsigned i = 0; i < 100; i++) {
            unsigned j = i;

            for (hash[i] = member(seed, 1000 + i); j > 0 && hash[j - 1] > hash[j]; j--) {
                uint64_t other = hash[j];

                hash[j] = hash[j - 1];
                hash[j - 1] = other;
            }
        }
        for (unsigned i = 0; i < 100; i++) {
            SketchState state = bloom_ops.open(one_by_one, &memory);

            release_bytes(one_by_one);
            insert(&state, hash[i]);
            one_by_one = finish(state);
        }
        at_once = with_members(at_once, seed, 1000, 1100);
        items += read_value(at_once).items;
        expect(same_value(at_once, one_by_one), "another filter");
        release_bytes(at_once);
        release_bytes(one_by_one);
    }
    expect(items < 20 * 195, "%llu of 4000 items were new", (unsigned long long)items);
    conclude("added at once is added one by one, in the order of hashes");
}

int
main(void)
{
    test_sizes();
    test_told_rate();
    test_small_filters();
    test_set();
    test_lists();
    test_growth(100, 0.01, 2, 30000, 23);
    test_growth(100, 0.001, 4, 20000, 33);
    test_growth(1, 0.1, 2, 4000, 32);
    test_growth(5000, 0.01, 1, 60000, 24);
    test_rates_add_up();
    test_fixed();
    test_pieces();
    test_exact_rates();
    test_frozen();
    test_frozen_bits();
    test_room();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
