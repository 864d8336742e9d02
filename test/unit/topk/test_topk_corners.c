/*
 * test_topk_corners.c - what chance seldom brings about: texts whose hashes are equal, what is
 * known exactly and stays so, rounding that raises the error bound, selection among equals.
 */
#include "core/common/bytes.h"
#include "core/common/hash.h"
#include "../heavy.h"
#include "core/topk/topk_internal.h"

/* ---- texts whose hashes are equal where a sketch looks ---- */

typedef struct Hashed {
    uint32_t hash;
    uint32_t number;
} Hashed;

static int
hash_order(const void *a, const void *b)
{
    uint32_t x = ((const Hashed *)a)->hash, y = ((const Hashed *)b)->hash;

    return (x > y) - (x < y);
}

static TopkItem
numbered(uint32_t number, uint8_t *buffer)
{
    store_le32(buffer, number);
    return topk_text(buffer, 4);
}

#define TEXTS 400000

/* Of so many texts some 18 have a partner of the same 32 bits of hash. */
static void
test_collisions(void)
{
    Hashed *texts = malloc(TEXTS * sizeof *texts);
    unsigned pairs = 0;

    for (uint32_t i = 0; i < TEXTS; i++) {
        uint8_t buffer[4];
        TopkItem item = numbered(i, buffer);

        texts[i] = (Hashed){(uint32_t)(hash_bytes(item.bytes, item.size) >> 32), i};
    }
    qsort(texts, TEXTS, sizeof *texts, hash_order);
    for (uint32_t i = 1; i < TEXTS; i++) {
        if (texts[i].hash != texts[i - 1].hash)
            continue;
        pairs++;
        /* With few counters, which are searched one by one, and with an index. */
        for (unsigned others = 0; others <= 300; others += 300) {
            SketchState state = topk_new(10, TOPK_TEXT, &memory);
            uint8_t a[4], b[4], c[4];
            SketchBytes packed;
            Topk topk;

            for (unsigned j = 0; j < 7; j++) {
                heavy_insert(&state, numbered(texts[i].number, a), 1);
                if (j < 3)
                    heavy_insert(&state, numbered(texts[i - 1].number, b), 1 + j);
            }
            for (unsigned j = 0; j < others; j++)
                heavy_insert(&state, numbered(TEXTS + j, c), 1);
            heavy_insert(&state, numbered(texts[i - 1].number, b), 1);
            packed = heavy_pack(state);
            topk = heavy_read(packed);
            expect(topk.counters[0].count == 7 && topk.counters[1].count == 7, "7 each");
            expect(topk_find(&topk, numbered(texts[i].number, a)) < 2 &&
                       topk_find(&topk, numbered(texts[i - 1].number, b)) < 2,
                   "both are there");
            heavy_close(&topk);
            release_bytes(packed);
            release_state(state);
        }
    }
    expect(pairs > 3, "%u pairs", pairs);
    free(texts);
    conclude("texts with the same hash are two items");
}

/* ---- what is known exactly ---- */

#define NOISE 60000

/* Of each sketch items 0 to 9 are known exactly; the others come once each, and are purged. */
static Heavy
with_noise(TopkType type, uint32_t from)
{
    Heavy heavy = heavy_new(10, type, 3 * NOISE);

    for (uint32_t i = 0; i < 10; i++)
        heavy_add(&heavy, i, 5000 + i);
    for (uint32_t i = 0; i < NOISE; i++)
        heavy_add(&heavy, from + i, 1);
    return heavy;
}

static void
test_exact_through_merges(void)
{
    for (TopkType type = TOPK_BIGINT; type <= TOPK_TEXT; type++)
        for (int packed = 0; packed < 2; packed++) {
            Heavy a = with_noise(type, 100), b = with_noise(type, 100 + NOISE);
            SketchBytes value;
            Topk topk;

            expect(topk_header(sketch_bytes(a.state)).error_bound > 0, "not all is exact");
            heavy_add(&a, 11, 70000);
            heavy_add(&b, 12, 70000);
            heavy_merge(&a, &b, packed);
            heavy_check(&a, "merged");
            value = heavy_pack(a.state);
            topk = heavy_read(value);
            for (uint32_t i = 0; i < 13; i++) {
                uint8_t buffer[TEXT_MOST];
                uint32_t at = topk_find(&topk, item_of(type, i, buffer));
                uint64_t error = at < topk.header.counters ? topk.counters[at].error : UINT64_MAX;

                if (i < 10)
                    expect(error == 0 && topk.counters[at].count == a.truth[i], "item %u", i);
                else if (i > 10)
                    expect(error < UINT64_MAX && topk.counters[at].count == 70000,
                           "item %u, of one side", i);
            }
            heavy_close(&topk);
            release_bytes(value);
            heavy_free(&a);
            heavy_free(&b);
        }
    conclude("what is known exactly on both sides stays so when they are merged");
}

/* ---- decay that raises the error bound ---- */

/* Errors of 6 where error bounds are 10 become 6 again, and nothing may be below that. */
static void
test_raised_error_bound(void)
{
    static const uint8_t counters[][3] = {{11, 10, 2}, {9, 10, 4}, {4, 6, 6}, {4, 6, 8}};
    uint8_t bytes[TOPK_PACKED_HEADER + sizeof counters] = {SKETCH_TOPK, 1, TOPK_PACKED,
                                                           TOPK_BIGINT};
    SketchBytes value, older, again;
    SketchError error = {.reason = ""};
    bool good;
    Topk topk;

    store_le32(bytes + 4, 10);
    store_le64(bytes + 8, 40);
    store_le64(bytes + 16, 10);
    store_le32(bytes + 24, 4);
    memcpy(bytes + TOPK_PACKED_HEADER, counters, sizeof counters);
    good = topk_ops.validate((SketchBytes){bytes, sizeof bytes}, &memory, &value, &error);
    expect(good, "made by hand: %s", good ? "" : error.reason);
    if (good) {
        older = topk_decay(value, 0.5, &memory);
        good = topk_ops.validate(older, &memory, &again, &error);
        expect(good, "older: %s", good ? "" : error.reason);
        if (good)
            release_bytes(again);
        topk = heavy_read(older);
        expect(topk.header.error_bound == 6 && topk.header.counters == 2 && topk.header.total == 20,
               "error bound %d, %u counters", (int)topk.header.error_bound, topk.header.counters);
        expect(topk.counters[0].count == 5 && topk.counters[0].error == 6 &&
                   topk.counters[1].count == 4 && topk.counters[1].error == 6,
               "bounds of 5.5 to 10.5 and 4.5 to 9.5");
        heavy_close(&topk);
        release_bytes(older);
        release_bytes(value);
    }
    conclude("decay that raises the error bound drops what is below it");
}

/* ---- selection ---- */

static int
descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

static void
test_selection(void)
{
    Random random = {7};

    for (unsigned round = 0; round < trials_of(300); round++) {
        uint64_t values[200], sorted[200], copy[200];
        uint32_t count = 1 + (uint32_t)random_below(&random, 200);
        unsigned bits = (unsigned)random_below(&random, 64);

        for (uint32_t i = 0; i < count; i++)
            sorted[i] = values[i] = random_next(&random) >> bits << (round % 3 == 0 ? bits / 2 : 0);
        qsort(sorted, count, sizeof *sorted, descending);
        for (uint32_t rank = 1; rank <= count; rank += 1 + rank / 8) {
            memcpy(copy, values, sizeof copy);
            expect(topk_nth_largest(copy, count, rank, &memory) == sorted[rank - 1],
                   "%u of %u, %u bits", rank, count, 64 - bits);
        }
    }
    conclude("the n-th largest of any numbers");
}

static int
kept_first(const void *a, const void *b)
{
    const TopkCounter *x = a, *y = b;

    if (topk_upper(x) != topk_upper(y))
        return topk_upper(x) > topk_upper(y) ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return topk_compare_items(&x->item, &y->item);
}

/* Items that differ late or in their lengths only, and whose counts are often equal. */
static void
test_best(void)
{
    Random random = {11};
    uint8_t text[64];

    memset(text, 0, sizeof text);
    memcpy(text, "https://www", 11);
    for (unsigned round = 0; round < trials_of(300); round++) {
        TopkCounter counters[50], sorted[50];
        uint32_t count = 1 + (uint32_t)random_below(&random, 50);
        uint64_t counts = 1 + random_below(&random, 4);
        int64_t step = (int64_t)(random_next(&random) >> round % 64);

        for (uint32_t i = 0; i < count; i++)
            counters[i] = (TopkCounter){
                .item = round % 2 ? topk_text(text, i) : topk_number((int64_t)(i * (uint64_t)step)),
                .count = 1 + random_below(&random, counts),
                .error = random_below(&random, counts)};
        memcpy(sorted, counters, sizeof counters);
        qsort(sorted, count, sizeof *sorted, kept_first);
        for (uint32_t most = 1; most <= count; most++) {
            topk_keep_best(counters, count, most, &memory);
            for (uint32_t i = 0; i < most; i++)
                expect(kept_first(&counters[i], &sorted[i]) == 0, "%u of the best %u of %u", i,
                       most, count);
        }
    }
    conclude("the best counters of any, in order");
}

/*
 * The error bound of a packed sketch is not below the count of the best item that was dropped. Here
 * the items take as many bytes each, except a short one, wherever it came.
 */
static void
test_dropped(void)
{
    static const uint32_t places[] = {0, 1, 100};
    uint8_t text[64];

    for (uint32_t size = 20; size < 64; size++)
        for (unsigned place = 0; place < 3; place++) {
            SketchState state = topk_new(10, TOPK_TEXT, &memory);
            SketchBytes packed;
            Topk topk;

            memset(text, 'x', sizeof text);
            for (uint32_t i = 0; i < 200; i++) {
                text[0] = (uint8_t)i;
                heavy_insert(&state, topk_text(text, i == places[place] ? 1 : size), 1200 - i);
            }
            packed = heavy_pack(state);
            topk = heavy_read(packed);
            expect(topk.header.counters >= 20 && topk.header.counters < 60, "%u counters",
                   topk.header.counters);
            /* The counts are 1200, 1199 and so on. */
            expect(topk.header.error_bound >= 1200 - topk.header.counters &&
                       topk.counters[topk.header.counters - 1].count > topk.header.error_bound,
                   "%u bytes each, the short one at %u: %u counters, error bound %u", size,
                   places[place], topk.header.counters, (unsigned)topk.header.error_bound);
            heavy_close(&topk);
            release_bytes(packed);
            release_state(state);
        }
    conclude("the error bound covers what packing drops");
}

/* ---- long loops ---- */

static void
expect_polls(size_t least, const char *what)
{
    expect(memory_polls >= least, "%s: asked %d times", what, (int)memory_polls);
    memory_polls = 0;
}

static void
test_polls(void)
{
    SketchState state = topk_new(100000, TOPK_BIGINT, &memory), other;
    SketchBytes packed, validated;
    SketchError error;

    memory_polls = 0;
    for (int64_t i = 0; i < 1000000; i++)
        heavy_insert(&state, topk_number(i * 7919 % 1000003), 1 + (uint64_t)i % 5);
    memory_polls = 0;
    packed = topk_ops.pack(sketch_bytes(state), &memory);
    expect_polls(20, "pack");
    expect(topk_ops.validate(packed, &memory, &validated, &error), "validated");
    expect_polls(20, "validate");
    release_bytes(validated);
    other = topk_new(100000, TOPK_BIGINT, &memory);
    expect(merge_into(&topk_ops, &other, packed, &error), "merged");
    expect_polls(20, "merge");
    release_state(other);
    release_bytes(packed);
    release_state(state);
    conclude("long loops ask whether to go on");
}

int
main(void)
{
    test_collisions();
    test_exact_through_merges();
    test_raised_error_bound();
    test_selection();
    test_best();
    test_dropped();
    ok(memory_used.pieces == 0, "all memory was given back");
    test_polls();
    return conclude_all();
}
