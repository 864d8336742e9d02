/*
 * test_cms.c - Count-Min sketches against exact counts.
 */
#include "../frequency.h"

#include <math.h>

static void
test_shapes(void)
{
    CmsShape s;
    SketchError error;

    expect(cms_shape_of_error(.001, .01, &s, &error) && s.width == 2000 && s.depth == 7, "1");
    expect(cms_shape_of_error(.01, .01, &s, &error) && s.width == 200 && s.depth == 7, "2");
    expect(cms_shape_of_error(.3, .25, &s, &error) && s.width == 7 && s.depth == 2, "3");
    for (int depth = 1; depth <= CMS_DEPTH_MAX; depth++) {
        double p = ldexp(1, -depth);

        expect(cms_shape_of_error(.3, p, &s, &error) && s.depth == (uint32_t)depth, "2^-%d", depth);
        expect(cms_shape_of_error(.3, nextafter(p, 1), &s, &error) && s.depth == (uint32_t)depth,
               "a little more than 2^-%d", depth);
        expect(cms_shape_of_error(.3, nextafter(p, 0), &s, &error) == (depth < CMS_DEPTH_MAX),
               "a little less than 2^-%d", depth);
        expect(depth == CMS_DEPTH_MAX || s.depth == (uint32_t)depth + 1, "rows for less than 2^-%d",
               depth);
    }
    expect(!cms_shape_of_size(0, 1, &s, &error) && !cms_shape_of_size(1, 0, &s, &error), "0");
    expect(!cms_shape_of_size(1, 33, &s, &error), "too deep");
    expect(!cms_shape_of_size(CMS_CELLS_MAX / 2 + 1, 2, &s, &error), "too wide");
    expect(cms_shape_of_size(CMS_CELLS_MAX / 2, 2, &s, &error), "the widest");
    expect(!cms_shape_of_size(INT64_MAX, 2, &s, &error), "far too wide");
    expect(!cms_shape_of_error(1e-300, .5, &s, &error), "an error of nearly nothing");
    expect(!cms_shape_of_error(.1, 1e-300, &s, &error), "a probability of nearly nothing");
    conclude("shapes, as Redis has them");
}

/* Up to the limit a sketch is exact; ten items are small. */
static void
test_lists(void)
{
    Random random = {1};

    for (unsigned round = 0; round < trials_of(40); round++) {
        SketchState state = cms_new(shape(2000, 7), &memory);
        uint64_t counts[200] = {0}, total = 0;
        unsigned items = 1 + (unsigned)random_below(&random, 200);
        SketchBytes packed;

        for (unsigned i = 0; i < 3000; i++) {
            uint64_t which = random_below(&random, items), more = 1 + random_below(&random, 3);

            if (more > 1 || !cms_add(state, item(which)))
                insert(&state, item(which), more);
            counts[which] += more;
            total += more;
        }
        packed = pack(state);
        for (unsigned i = 0; i < 200; i++)
            expect(cms_query(packed, item(i)) == counts[i], "item %u", i);
        expect(cms_total(sketch_bytes(state)) == total && cms_error(packed) == 0 &&
                   cms_is_exact(packed),
               "exact");
        expect(items > 10 || packed.size < 200, "%zu bytes packed", packed.size);
        release_bytes(packed);
        check_stored(state, "list");
        release_state(state);
    }
    {
        SketchState state = cms_new(shape(2000, 7), &memory);

        for (unsigned i = 0; i < 10; i++)
            insert(&state, item(i), 1);
        expect(state.size + SKETCH_PREFIX_BYTES <= 200, "%zu bytes of state", state.size);
        release_state(state);
    }
    conclude("few items are exact");
}

/* The k-th item has a frequency of 1 / (k + 1)^s. */
static uint64_t
zipf(Random *random, uint64_t items, double s)
{
    static double *sums;
    static uint64_t of;
    static double at;
    double wanted;
    uint64_t low = 0, end = items;

    if (of != items || at != s) {
        sums = realloc(sums, items * sizeof *sums);
        for (uint64_t i = 0; i < items; i++)
            sums[i] = (i ? sums[i - 1] : 0) + pow((double)(i + 1), -s);
        of = items;
        at = s;
    }
    wanted = random_unit(random) * sums[items - 1];
    while (low < end) {
        uint64_t middle = (low + end) / 2;

        if (sums[middle] < wanted)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

#define ITEMS 100000
#define ADDED 1000000

/* The textbook's sketch: cells of 4 bytes, every row counts. */
static double
plain_error(const uint32_t *counts, size_t bytes, uint32_t depth, uint32_t first, uint32_t last)
{
    uint32_t width = (uint32_t)(bytes / 4 / depth);
    uint32_t *cells = calloc((size_t)width * depth, sizeof *cells);
    double sum = 0;

    for (uint64_t i = 0; i < ITEMS; i++)
        for (uint32_t row = 0; row < depth; row++) {
            uint64_t seeded[2] = {i, row};

            cells[row * width + hash_bytes(seeded, sizeof seeded) % width] += counts[i];
        }
    for (uint64_t i = first; i < last; i++) {
        uint32_t least = UINT32_MAX;

        for (uint32_t row = 0; row < depth; row++) {
            uint64_t seeded[2] = {i, row};
            uint32_t cell = cells[row * width + hash_bytes(seeded, sizeof seeded) % width];

            least = cell < least ? cell : least;
        }
        sum += least - counts[i];
    }
    free(cells);
    return sum / (last - first);
}

static double
our_error(SketchBytes value, const uint32_t *counts, uint32_t first, uint32_t last)
{
    double sum = 0;

    for (uint64_t i = first; i < last; i++)
        sum += (double)(cms_query(value, item(i)) - counts[i]);
    return sum / (last - first);
}

/* Every item, alone and after a merge of 64 parts: never less, and rarely more than the bound. */
static void
test_bounds(void)
{
    CmsShape made = shape(700, 5);
    SketchState whole = cms_new(made, &memory), merged = cms_new(made, &memory), parts[64];
    uint32_t *counts = calloc(ITEMS, sizeof *counts);
    Random random = {2};
    unsigned over[2] = {0, 0};
    SketchBytes both[2];
    uint64_t bound;

    for (unsigned i = 0; i < 64; i++)
        parts[i] = cms_new(made, &memory);
    for (unsigned i = 0; i < ADDED; i++) {
        uint64_t which = zipf(&random, ITEMS, 1.0);

        counts[which]++;
        if (!cms_add(whole, item(which)))
            insert(&whole, item(which), 1);
        insert(&parts[i % 64], item(which), 1);
    }
    for (unsigned i = 0; i < 64; i++) {
        SketchBytes packed = pack(parts[i]);

        merge(&merged, i % 2 ? packed : sketch_bytes(parts[i]), 1);
        release_bytes(packed);
        release_state(parts[i]);
    }
    both[0] = pack(whole);
    both[1] = pack(merged);
    bound = cms_error(both[0]);
    expect(bound == (2ULL * ADDED + 699) / 700 && cms_error(both[1]) == bound, "bound");
    for (uint64_t i = 0; i < ITEMS; i++) {
        uint64_t estimates[2] = {cms_query(both[0], item(i)), cms_query(both[1], item(i))};

        for (int j = 0; j < 2; j++) {
            expect(estimates[j] >= counts[i], "item %d: %d of %d", (int)i, (int)estimates[j],
                   (int)counts[i]);
            over[j] += estimates[j] - counts[i] > bound;
        }
    }
    expect(over[0] <= ITEMS / 32 && over[1] <= ITEMS / 32, "%u and %u beyond the bound", over[0],
           over[1]);
    check_stored(whole, "table");
    check_stored(merged, "merged table");
    release_bytes(both[0]);
    release_bytes(both[1]);
    release_state(whole);
    release_state(merged);
    free(counts);
    conclude("never below the truth, and within the bound");
}

/* Beside a plain sketch of as many bytes as ours takes when it is stored. */
static void
test_accuracy(void)
{
    static const struct {
        uint32_t width, depth;
    } shapes[] = {{2600, 4}, {22000, 4}};
    uint32_t *counts = calloc(ITEMS, sizeof *counts);
    Random random = {3};
    uint32_t *stream = malloc(ADDED * sizeof *stream);

    for (unsigned i = 0; i < ADDED; i++)
        counts[stream[i] = (uint32_t)zipf(&random, ITEMS, 1.0)]++;
    for (unsigned s = 0; s < 2; s++) {
        SketchState state = cms_new(shape(shapes[s].width, shapes[s].depth), &memory);
        SketchBytes packed;
        double all, top, plain_all, plain_top;

        for (unsigned i = 0; i < ADDED; i++)
            if (!cms_add(state, item(stream[i])))
                insert(&state, item(stream[i]), 1);
        packed = pack(state);
        all = our_error(packed, counts, 0, ITEMS);
        top = our_error(packed, counts, 0, 1000);
        plain_all = plain_error(counts, packed.size, shapes[s].depth, 0, ITEMS);
        plain_top = plain_error(counts, packed.size, shapes[s].depth, 0, 1000);
        printf("# %zu bytes: error %.2f, plain %.2f; of the top 1000 %.4f, plain %.2f\n",
               packed.size, all, plain_all, top, plain_top);
        expect(plain_all >= 1.3 * all, "all");
        expect(plain_top >= 20 * top, "top 1000");
        release_bytes(packed);
        release_state(state);
    }
    free(stream);
    free(counts);
    conclude("errors beside those of a plain sketch of the same size");
}

static void
test_merging(void)
{
    CmsShape small = shape(50, 3);
    SketchState a = cms_new(small, &memory), b = cms_new(small, &memory),
                c = cms_new(shape(51, 3), &memory);
    SketchError error;
    uint64_t product;

    insert(&a, item(1), 5);
    insert(&a, item(2), 1);
    insert(&b, item(1), 3);
    insert(&b, item(3), 7);
    expect(cms_inner_product(sketch_bytes(a), sketch_bytes(b), &memory, &product, &error) &&
               product == 15,
           "a product of lists");
    merge(&a, sketch_bytes(b), 10);
    expect(count_of(a, item(1)) == 35 && count_of(a, item(3)) == 70 &&
               cms_total(sketch_bytes(a)) == 106,
           "with a weight");
    merge(&a, sketch_bytes(b), 0);
    expect(cms_total(sketch_bytes(a)) == 106, "with none");
    check_stored(a, "with none");
    {
        SketchState nothing = cms_new(small, &memory);

        merge(&nothing, sketch_bytes(b), 0);
        expect(count_of(nothing, item(1)) == 0, "none of nothing");
        check_stored(nothing, "none of nothing");
        release_state(nothing);
    }
    insert(&c, item(1), 1);
    expect(!cms_merge_times(&a, sketch_bytes(c), 1, &memory, &error) &&
               error.status == SKETCH_MISMATCH,
           "another width");
    expect(!cms_inner_product(sketch_bytes(a), sketch_bytes(c), &memory, &product, &error),
           "nor so");
    expect(!cms_merge_times(&a, sketch_bytes(b), INT64_MAX, &memory, &error) &&
               error.status == SKETCH_OVERFLOW && cms_total(sketch_bytes(a)) == 106,
           "too often");
    for (uint64_t i = 10; i < 200; i++)
        insert(&b, item(i), i);
    expect(!is_exact(b), "a table");
    check_stored(b, "small table");
    merge(&a, sketch_bytes(b), 2);
    expect(count_of(a, item(1)) >= 41, "a list and a table");
    for (uint64_t i = 10; i < 200; i++)
        expect(count_of(a, item(i)) >= 2 * i, "item %d", (int)i);
    check_stored(a, "list and table");
    merge(&a, sketch_bytes(a), 1);
    check_stored(a, "with itself");
    release_state(a);
    release_state(b);
    release_state(c);
    conclude("merging, with weights, lists and tables");
}

/* Counts beyond 32 bits and up to the last. */
static void
test_large(void)
{
    SketchState state = cms_new(shape(50, 3), &memory);
    SketchError error;
    SketchBytes packed;

    for (uint64_t i = 0; i < 100; i++)
        insert(&state, item(i), 1 + i);
    insert(&state, item(7), UINT32_MAX - 100);
    check_stored(state, "nearly 32 bits");
    insert(&state, item(7), 1000);
    expect(count_of(state, item(7)) >= UINT32_MAX + 907ULL, "more than 32 bits");
    check_stored(state, "64 bits");
    {
        uint64_t total = cms_total(sketch_bytes(state)), was = count_of(state, item(7));

        expect(cms_add(state, item(7)) && count_of(state, item(7)) == was + 1 &&
                   cms_total(sketch_bytes(state)) == total + 1,
               "one more");
    }
    packed = pack(state);
    expect(packed.size < 50 * 3 * 3, "narrow all the same: %zu", packed.size);
    release_bytes(packed);
    insert(&state, item(8), INT64_MAX - cms_total(sketch_bytes(state)));
    check_stored(state, "all");
    expect(!cms_insert(&state, item(8), 1, &memory, &error) && error.status == SKETCH_OVERFLOW,
           "no more");
    expect(!cms_add(state, item(8)), "nor so");
    expect(cms_total(sketch_bytes(state)) == INT64_MAX, "nothing was added");
    release_state(state);
    conclude("large counts");
}

/* Cells of 32 bits whose sum has more, wherever in the table they are. */
static void
test_sums_widen(void)
{
    for (uint64_t large = 0; large < 40; large++) {
        SketchState a = cms_new(shape(50, 3), &memory), b = cms_new(shape(50, 3), &memory);
        SketchBytes packed;

        for (uint64_t i = 0; i < 60; i++) {
            insert(&a, item(i), 1);
            insert(&b, item(i), 1);
        }
        insert(&a, item(large), 3000000000);
        insert(&b, item(large), 3000000000);
        packed = pack(b);
        merge(&a, packed, 1);
        expect(count_of(a, item(large)) >= 6000000002, "item %u", (unsigned)large);
        check_stored(a, "widened");
        release_bytes(packed);
        release_state(a);
        release_state(b);
    }
    conclude("a sum beyond 32 bits is not lost");
}

static void
test_products(void)
{
    CmsShape made = shape(3000, 5);
    SketchState a = cms_new(made, &memory), b = cms_new(made, &memory);
    Random random = {5};
    double exact = 0;
    uint64_t product, counts[2][3000] = {{0}};
    SketchError error;

    for (unsigned i = 0; i < 30000; i++) {
        uint64_t x = zipf(&random, 3000, 1.1), y = zipf(&random, 3000, 1.1);

        counts[0][x]++;
        counts[1][y]++;
        insert(&a, item(x), 1);
        insert(&b, item(y), 1);
    }
    for (unsigned i = 0; i < 3000; i++)
        exact += (double)counts[0][i] * (double)counts[1][i];
    expect(!is_exact(a), "tables");
    expect(cms_inner_product(sketch_bytes(a), sketch_bytes(b), &memory, &product, &error),
           "a product");
    expect(fabs((double)product / exact - 1) < 0.02, "%.0f, exactly %.0f", (double)product, exact);
    release_state(a);
    release_state(b);
    conclude("products of tables");
}

/* Lists of more items than a list may have become tables when they are stored, whenever that is. */
static void
test_long_lists(void)
{
    static const CmsShape shapes[] = {{20, 2, 0}, {100, 5, 0}, {700, 1, 0}, {2000, 7, 0}};
    static const uint32_t limits[] = {10, 50, 70, 1400};

    for (unsigned s = 0; s < 4; s++) {
        CmsShape made = shapes[s];
        uint32_t limit = limits[s];
        SketchState state = cms_new(made, &memory);

        for (uint32_t n = 1; n <= 3 * limit && n < 1900; n++) {
            SketchBytes packed;

            insert(&state, item(n), n);
            insert(&state, item(1 + n / 2), 1);
            if (n < limit - 1 && n % 100 > 0)
                continue;
            packed = pack(state);
            expect(cms_is_exact(packed) == (n <= limit), "%u items of %u x %u", n, made.width,
                   made.depth);
            for (uint32_t i = 1; i <= n; i++)
                expect(cms_query(packed, item(i)) >= i, "item %u of %u", i, n);
            release_bytes(packed);
            if (n % 10 == 0 || n == limit + 1)
                check_stored(state, "around the limit");
        }
        release_state(state);

        /* Just as many, so often that the log is compacted with all of them. */
        state = cms_new(made, &memory);
        for (uint32_t i = 0; i < 200 * limit; i++)
            insert(&state, item(i % limit), 1);
        expect(is_exact(state), "%u items of %u x %u", limit, made.width, made.depth);
        release_state(state);
    }
    conclude("lists are as long as lists may be when they are stored");
}

/* Weights that lead beyond 32 bits, over tables of 32 and of 64, and over lists. */
static void
test_weights(void)
{
    CmsShape small = shape(50, 3);

    for (int sample = 0; sample < 4; sample++) {
        SketchState state = cms_new(small, &memory), other = cms_new(small, &memory);
        SketchBytes packed;
        uint64_t times = UINT64_C(1) << 33;

        for (uint64_t i = 0; i < (sample & 1 ? 80 : 4); i++)
            insert(&state, item(i), 1);
        for (uint64_t i = 0; i < (sample & 2 ? 80 : 4); i++)
            insert(&other, item(i), 1 + i);
        packed = pack(other);
        merge(&state, packed, times);
        merge(&state, packed, UINT32_MAX);
        merge(&state, packed, 1);
        for (uint64_t i = 0; i < (sample & 2 ? 80 : 4); i++)
            expect(count_of(state, item(i)) >= (i < 4) + (1 + i) * (times + (times >> 1)),
                   "%d: item %d", sample, (int)i);
        expect(cms_total(sketch_bytes(state)) ==
                   (sample & 1 ? 80 : 4) + cms_total(packed) * (times + (times >> 1)),
               "%d: total", sample);
        check_stored(state, "weighted");
        release_bytes(packed);
        release_state(other);
        release_state(state);
    }
    conclude("weights beyond 32 bits");
}

int
main(void)
{
    test_shapes();
    test_lists();
    test_long_lists();
    test_bounds();
    test_accuracy();
    test_merging();
    test_large();
    test_sums_widen();
    test_products();
    test_weights();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
