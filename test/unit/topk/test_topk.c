/*
 * test_topk.c - counting: exact at first, within bounds for ever, and where it has to be right.
 */
#include "../heavy.h"

static SketchError error;

static const TopkType types[] = {TOPK_BIGINT, TOPK_TEXT};

/* ---- few items ---- */

/* As long as nothing is dropped, everything is known. */
static void
test_exact(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (unsigned items = 1; items <= 1400; items = items * 3 / 2 + 1) {
            Heavy heavy = heavy_new(10, types[t], items);
            Random random = {items};
            Topk topk;

            for (unsigned n = 0; n < 3 * items; n++)
                heavy_add(&heavy, zipf(&random, items), 1 + random_below(&random, 3));
            topk = heavy_read(sketch_bytes(heavy.state));
            expect(topk.header.error_bound == 0 && topk.header.type == types[t],
                   "%u items: not exact", items);
            heavy_close(&topk);
            heavy_sound(&heavy, sketch_bytes(heavy.state), "exact");
            heavy_check(&heavy, "exact");
            heavy_free(&heavy);
        }
    conclude("few items are counted exactly");
}

static void
test_empty(void)
{
    SketchState state = topk_new(10, TOPK_NONE, &memory);
    SketchBytes packed = heavy_pack(state);
    TopkHeader h = topk_header(packed);
    Topk topk = heavy_read(packed);

    expect(packed.size == TOPK_PACKED_HEADER, "%zu bytes", packed.size);
    expect(h.k == 10 && h.type == TOPK_NONE && h.total == 0 && h.error_bound == 0 &&
               h.counters == 0,
           "header");
    expect(topk_find(&topk, topk_number(0)) == 0 && topk_listed(&topk) == 0, "no counters");
    heavy_close(&topk);
    release_bytes(packed);
    release_state(state);
    conclude("an empty sketch");
}

/* Items that differ in little: lengths, zeros, signs, extremes. */
static void
test_items(void)
{
    static const int64_t numbers[] = {0, 1, -1, 2, -2, 63, 64, -64, -65, INT64_MAX, INT64_MIN};
    static const char *const texts[] = {"",   "\0", "\0\0", "a",       "a\0",
                                        "ab", "b",  "\xff", "\xff\xff"};
    static const uint32_t sizes[] = {0, 1, 2, 1, 2, 2, 1, 1, 2};
    SketchState number = topk_new(20, TOPK_BIGINT, &memory);
    SketchState text = topk_new(20, TOPK_TEXT, &memory);

    for (unsigned i = 0; i < 11; i++)
        heavy_insert(&number, topk_number(numbers[i]), i + 1);
    for (unsigned i = 0; i < 9; i++)
        heavy_insert(&text, topk_text((const uint8_t *)texts[i], sizes[i]), i + 1);
    for (unsigned form = 0; form < 2; form++) {
        SketchBytes n = form ? heavy_pack(number) : sketch_bytes(number);
        SketchBytes s = form ? heavy_pack(text) : sketch_bytes(text);
        Topk a = heavy_read(n), b = heavy_read(s);

        expect(a.header.counters == 11 && b.header.counters == 9, "how many");
        for (unsigned i = 0; i < 11; i++)
            expect(topk_find(&a, topk_number(numbers[i])) == 10 - i &&
                       a.counters[10 - i].count == i + 1,
                   "number %u", i);
        for (unsigned i = 0; i < 9; i++)
            expect(topk_find(&b, topk_text((const uint8_t *)texts[i], sizes[i])) == 8 - i &&
                       b.counters[8 - i].count == i + 1,
                   "text %u", i);
        expect(topk_find(&a, topk_number(65)) == 11 && topk_find(&b, topk_number(0)) == 9 &&
                   topk_find(&a, topk_text((const uint8_t *)"", 0)) == 11 &&
                   topk_find(&b, topk_text((const uint8_t *)"c", 1)) == 9,
               "what is not there");
        heavy_close(&a);
        heavy_close(&b);
        if (form) {
            release_bytes(n);
            release_bytes(s);
        }
    }
    release_state(number);
    release_state(text);
    conclude("items are their bytes, or their number");
}

/* Of equal counts the lower item comes first, by number or by bytes. */
static void
test_ties(void)
{
    static const int64_t numbers[] = {5, -7, 3, INT64_MIN, 100};
    static const char *const texts[] = {"b", "ab", "", "abc", "\xc3"};
    static const int64_t sorted[] = {INT64_MIN, -7, 3, 5, 100};
    static const char *const in_order[] = {"", "ab", "abc", "b", "\xc3"};
    SketchState number = topk_new(3, TOPK_BIGINT, &memory);
    SketchState text = topk_new(3, TOPK_TEXT, &memory);
    Topk a, b;

    for (unsigned i = 0; i < 5; i++) {
        heavy_insert(&number, topk_number(numbers[i]), 1);
        heavy_insert(&text, topk_text((const uint8_t *)texts[i], (uint32_t)strlen(texts[i])), 1);
    }
    a = heavy_read(sketch_bytes(number));
    b = heavy_read(sketch_bytes(text));
    for (unsigned i = 0; i < 5; i++)
        expect(a.counters[i].item.number == sorted[i] &&
                   same_bytes(b.counters[i].item.bytes, b.counters[i].item.size, in_order[i],
                              strlen(in_order[i])),
               "place %u", i);
    expect(topk_listed(&a) == 3, "three are listed");
    heavy_close(&a);
    heavy_close(&b);
    release_state(number);
    release_state(text);
    conclude("equal counts are in the order of their items");
}

/* ---- many items ---- */

typedef enum Order { SHUFFLED, CLUSTERED, ASCENDING, DESCENDING, DISTINCT, ORDERS } Order;

static const char *const order_names[] = {"shuffled", "clustered", "ascending", "descending",
                                          "distinct"};

/* So many rows in an order, of items whose frequencies are about 1 / (1 + number). */
static void
feed(Heavy *heavy, Order order, uint32_t rows, uint64_t seed)
{
    Random random = {seed};
    uint32_t *times = calloc(heavy->items, sizeof *times);

    for (uint32_t n = 0; n < rows; n++) {
        uint32_t item = order == DISTINCT ? n % heavy->items : zipf(&random, heavy->items);

        times[item]++;
        if (order == SHUFFLED || order == DISTINCT)
            heavy_add(heavy, item, 1);
    }
    for (uint32_t n = 0; n < heavy->items && order != SHUFFLED && order != DISTINCT; n++) {
        /*
         * Item numbers ascend as frequencies descend; 7919 is prime to the numbers of items here.
         */
        uint32_t item = order == CLUSTERED   ? (uint32_t)((uint64_t)n * 7919 % heavy->items)
                        : order == ASCENDING ? heavy->items - 1 - n
                                             : n;

        for (; times[item] > 0; times[item]--)
            heavy_add(heavy, item, 1);
    }
    free(times);
}

static void
test_bounds(void)
{
    static const uint32_t ks[] = {1, 10, 40};

    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; i < 3; i++)
            for (Order order = 0; order < ORDERS; order++) {
                Heavy heavy = heavy_new(ks[i], types[t], 50000);
                TopkHeader h;

                feed(&heavy, order, 100000, ks[i]);
                heavy_check(&heavy, order_names[order]);
                /* Every purge lowers half of the counters by what it raises the error bound. */
                h = topk_header(sketch_bytes(heavy.state));
                expect(h.error_bound > 0, "%s, k = %u: nothing was dropped", order_names[order],
                       ks[i]);
                expect(h.error_bound * (ks[i] < 40 ? 1536 : 12288) <= 2 * h.total,
                       "%s, k = %u: error bound %llu", order_names[order], ks[i],
                       (unsigned long long)h.error_bound);
                heavy_free(&heavy);
            }
    conclude("the truth is within the bounds, which are those of the theory, in any order");
}

/* The measure of the type, at a size for every day: what is listed is right, to the last count. */
static void
test_heavy_hitters(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (Order order = 0; order < DISTINCT; order++) {
            Heavy heavy = heavy_new(50, types[t], 100000);
            SketchBytes packed;
            uint64_t fiftieth, higher = 0;
            double off = 0;
            Topk topk;

            feed(&heavy, order, 400000, 7);
            packed = heavy_pack(heavy.state);
            expect(t == 1 || packed.size + SKETCH_PREFIX_BYTES <= 4000, "%zu bytes", packed.size);
            topk = heavy_read(packed);
            fiftieth = topk.counters[49].count;
            for (uint32_t i = 0; i < heavy.items; i++) {
                uint8_t buffer[TEXT_MOST];
                uint32_t at;

                if (heavy.truth[i] < fiftieth)
                    continue;
                at = topk_find(&topk, item_of(types[t], i, buffer));
                higher += heavy.truth[i] > fiftieth;
                expect(at < topk.header.counters && (at < 50 || heavy.truth[i] == fiftieth),
                       "%s: item %u of %llu is not listed", order_names[order], i,
                       (unsigned long long)heavy.truth[i]);
                if (at < 50)
                    off +=
                        (double)(heavy.truth[i] - topk.counters[at].count) / (double)heavy.truth[i];
            }
            expect(higher < 50, "%s: %llu items are above the 50th", order_names[order],
                   (unsigned long long)higher);
            expect(off / 50 <= 0.002, "%s: mean error %g", order_names[order], off / 50);
            heavy_close(&topk);
            release_bytes(packed);
            heavy_free(&heavy);
        }
    conclude("the top 50 are the top 50, their counts within .2 %% in the mean, in 4 kB");
}

/* ---- weights and limits ---- */

static void
test_weights(void)
{
    Heavy heavy = heavy_new(10, TOPK_BIGINT, 20000);
    Random random = {3};

    for (unsigned n = 0; n < 60000; n++)
        heavy_add(&heavy, zipf(&random, 20000),
                  1 + (random_next(&random) >> (24 + random_below(&random, 40))));
    heavy_check(&heavy, "weights");
    heavy_free(&heavy);
    conclude("weights up to 2^40 are within bounds");
}

static void
test_overflow(void)
{
    for (unsigned t = 0; t < 2; t++) {
        SketchState state = topk_new(10, TOPK_NONE, &memory);
        uint8_t buffer[TEXT_MOST];
        TopkItem item = item_of(types[t], 5, buffer);
        uint8_t *before;
        Bytes bytes;

        heavy_insert(&state, item, INT64_MAX - 1);
        expect(!topk_insert(&state, item, 2, &memory, &error) && error.status == SKETCH_OVERFLOW &&
                   error.has_range && error.found == 2 && error.high == 1,
               "two, where one is left");
        heavy_insert(&state, item, 1);
        bytes = bytes_copy(state.data, state.size);
        before = state.data;
        expect(t == 0 ? !topk_add_number(state, item.number)
                      : !topk_add_text(state, item.bytes, item.size),
               "one more by the fast path");
        expect(!topk_insert(&state, item, 1, &memory, &error) && error.status == SKETCH_OVERFLOW &&
                   !error.has_range,
               "one more");
        expect(!topk_insert(&state, item_of(types[t], 6, buffer), INT64_MAX, &memory, &error),
               "another");
        expect(state.data == before && same_bytes(bytes.data, bytes.size, state.data, state.size),
               "a refusal changed something");
        free(bytes.data);
        release_state(state);
    }
    conclude("the total ends at 2^63-1");
}

static void
test_mismatch(void)
{
    for (unsigned t = 0; t < 2; t++) {
        SketchState state = topk_new(10, TOPK_NONE, &memory);
        uint8_t buffer[TEXT_MOST];
        TopkItem other = item_of(types[!t], 5, buffer);
        Bytes bytes;

        heavy_insert(&state, item_of(types[t], 7, buffer), 1);
        other = item_of(types[!t], 5, buffer);
        bytes = bytes_copy(state.data, state.size);
        expect(t == 0 ? !topk_add_text(state, other.bytes, other.size)
                      : !topk_add_number(state, other.number),
               "added by the fast path");
        expect(!topk_insert(&state, other, 1, &memory, &error) && error.status == SKETCH_MISMATCH,
               "added");
        expect(same_bytes(bytes.data, bytes.size, state.data, state.size),
               "a refusal changed something");
        free(bytes.data);
        release_state(state);
    }
    conclude("items of another type are refused");
}

/* Items as long as they may be, and one byte longer. */
static void
test_long_items(void)
{
    uint8_t *text = calloc(TOPK_ITEM_MAX + 1, 1);
    SketchState state = topk_new(2, TOPK_NONE, &memory);
    SketchBytes packed;
    Topk topk;

    for (unsigned n = 0; n < 60; n++) {
        uint32_t size = n % 3 == 0 ? TOPK_ITEM_MAX : 300000;

        text[0] = (uint8_t)(n % 20);
        heavy_insert(&state, topk_text(text, size), n % 20 == 7 ? 5 : 1);
    }
    expect(!topk_insert(&state, topk_text(text, TOPK_ITEM_MAX + 1), 1, &memory, &error) &&
               error.status == SKETCH_LIMIT && error.found == TOPK_ITEM_MAX + 1,
           "longer than allowed");
    expect(state.size <= 30 << 20, "%zu bytes", state.size);
    packed = heavy_pack(state);
    topk = heavy_read(packed);
    text[0] = 7;
    expect(topk.header.counters >= 4 && topk.header.total == 60 + 3 * 4, "%u counters, total %llu",
           topk.header.counters, (unsigned long long)topk.header.total);
    expect(topk.counters[0].item.bytes[0] == 7 && topk.counters[0].count == 10, "the heavy one");
    heavy_close(&topk);
    release_bytes(packed);
    release_state(state);
    free(text);
    conclude("items of up to 1 MB");
}

/* ---- sizes ---- */

static void
test_sizes(void)
{
    SketchState state = topk_new(10, TOPK_BIGINT, &memory);
    SketchState opened;
    SketchBytes packed;

    for (unsigned n = 1; n <= 200000; n++) {
        size_t before = state.size, size;

        heavy_insert(&state, topk_number((int64_t)mix64(n)), 1);
        size = state.size + SKETCH_PREFIX_BYTES;
        expect(state.size >= before, "%u items: %zu bytes", n, size);
        expect(n > 5 || size <= 128, "%u items: %zu bytes", n, size);
        expect(n > 10 || size <= 256, "%u items: %zu bytes", n, size);
        expect(n < 11 || n > 1000 || size <= 48 * (size_t)n + 512, "%u items: %zu bytes", n, size);
        expect(size <= 92000, "%u items: %zu bytes", n, size);
        if (n == 10) {
            packed = heavy_pack(state);
            opened = topk_ops.open(packed, &memory);
            expect(opened.size + SKETCH_PREFIX_BYTES <= 256 && packed.size <= 150,
                   "ten items: %zu, packed %zu", opened.size, packed.size);
            release_state(opened);
            release_bytes(packed);
        }
    }
    packed = heavy_pack(state);
    expect(packed.size + SKETCH_PREFIX_BYTES <= 1000, "packed: %zu bytes", packed.size);
    release_bytes(packed);
    release_state(state);
    conclude("ten bigints take 256 bytes at most, any number of them 92 kB; packed 1000 bytes");
}

/* Rare items only: there are still k in the list, right after a purge as well. */
static void
test_rare(void)
{
    for (unsigned t = 0; t < 2; t++) {
        Heavy heavy = heavy_new(10, types[t], 7000);

        for (uint32_t n = 0; n < 7000; n++) {
            heavy_add(&heavy, n, 1);
            if (n > 10 && n % sample() == 0) {
                Topk topk;

                expect(topk_read(&topk, sketch_bytes(heavy.state), &memory), "readable");
                expect(topk.header.counters >= 10, "after %u items: %u counters", n,
                       topk.header.counters);
                topk_close(&topk, &memory);
            }
        }
        heavy_check(&heavy, "rare");
        heavy_free(&heavy);
    }
    conclude("of items that are all rare some are kept");
}

/* The fast path and the other one make the same bytes; so do the same rows again. */
static void
test_same(void)
{
    for (unsigned t = 0; t < 2; t++)
        for (unsigned n = 1; n < 100000; n *= 7) {
            SketchState fast = topk_new(10, types[t], &memory);
            SketchState slow = topk_new(10, types[t], &memory);
            Random random = {n};
            SketchBytes a, b;

            for (unsigned i = 0; i < n; i++) {
                uint8_t buffer[TEXT_MOST];
                TopkItem item = item_of(types[t], zipf(&random, 50000), buffer);
                uint8_t *before = slow.data;

                heavy_insert(&fast, item, 1);
                topk_insert(&slow, item, 1, &memory, &error);
                if (slow.data != before)
                    memory_release_value(before, NULL);
            }
            expect(fast.size == slow.size, "%u rows: other sizes", n);
            a = heavy_pack(fast);
            b = heavy_pack(slow);
            expect(same_bytes(a.data, a.size, b.data, b.size), "%u rows: other bytes", n);
            release_bytes(a);
            release_bytes(b);
            release_state(fast);
            release_state(slow);
        }
    conclude("the same rows in the same order give the same bytes, on either path");
}

int
main(void)
{
    test_empty();
    test_exact();
    test_items();
    test_ties();
    test_bounds();
    test_heavy_hitters();
    test_weights();
    test_overflow();
    test_mismatch();
    test_long_items();
    test_sizes();
    test_rare();
    test_same();
    ok(memory_used.pieces == 0, "all memory was given back");
    return conclude_all();
}
