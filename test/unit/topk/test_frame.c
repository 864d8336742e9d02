/*
 * test_frame.c - the most frequent items of rows that come and go, against an array of counts; the
 * order of a list; texts of equal hash.
 */
#include <stdlib.h>

#include "core/common/hash.h"
#include "../heavy.h"
#include "core/topk/frame.h"
#include "core/topk/topk_internal.h"

#define ITEMS 2000

typedef struct Expected {
    uint64_t count;
    TopkItem item;
    uint8_t bytes[TEXT_MOST];
} Expected;

static int
list_order(const void *x, const void *y)
{
    const Expected *a = x, *b = y;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return topk_compare_items(&a->item, &b->item);
}

static void
add(TopkFrame *frame, TopkItem item)
{
    SketchError error = {.reason = ""};

    expect(topk_frame_add(frame, item, &memory, &error), "not added: %s", error.reason);
}

/* The first k items of a frame are those of the counts, in the order of the list of a topk. */
static void
check_top(const TopkFrame *frame, TopkType type, const uint64_t *truth, uint32_t k)
{
    Expected *expected = malloc(ITEMS * sizeof *expected);
    TopkCounter *counters = malloc((k + 1) * sizeof *counters);
    uint32_t distinct = 0, listed = topk_frame_top(frame, k, counters);

    for (uint32_t i = 0; i < ITEMS; i++)
        if (truth[i] > 0)
            expected[distinct++].count = truth[i];
    distinct = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        if (truth[i] > 0) {
            Expected *e = &expected[distinct++];

            e->item = item_of(type, i, e->bytes);
        }
    /* Sorting moves the bytes. */
    for (uint32_t i = 0; i < distinct; i++)
        if (type == TOPK_TEXT) {
            uint8_t *bytes = malloc(TEXT_MOST);

            memcpy(bytes, expected[i].bytes, TEXT_MOST);
            expected[i].item.bytes = bytes;
        }
    qsort(expected, distinct, sizeof *expected, list_order);
    expect(frame->items.used == distinct && frame->ranks.count == distinct, "%zu of %zu, not %u",
           frame->items.used, frame->ranks.count, distinct);
    expect(listed == (distinct < k ? distinct : k), "%u of %u listed", listed, k);
    for (uint32_t i = 0; i < listed; i++)
        if (!same_item(counters[i].item, expected[i].item) ||
            counters[i].count != expected[i].count || counters[i].error != 0) {
            expect(false, "place %u of %u is another item or count", i, k);
            break;
        }
    for (uint32_t i = 0; i < distinct && type == TOPK_TEXT; i++)
        free((void *)expected[i].item.bytes);
    free(counters);
    free(expected);
}

/* Random comings and goings, more of one in every phase; `skew` makes some items frequent. */
static void
try(TopkType type, bool skew, uint64_t seed)
{
    uint64_t truth[ITEMS] = {0};
    Random random = {seed};
    uint8_t buffer[TEXT_MOST];
    TopkFrame frame;

    topk_frame_begin(&frame, &memory);
    check_top(&frame, type, truth, 3);
    for (unsigned phase = 0; phase < 6; phase++) {
        for (unsigned i = 0; i < 6000; i++) {
            uint32_t n = (uint32_t)random_below(&random, ITEMS);

            if (skew)
                n = (uint32_t)random_below(&random, n + 1);
            if (random_below(&random, 10) < (phase % 2 ? 2 : 8)) {
                add(&frame, item_of(type, n, buffer));
                truth[n]++;
            } else {
                expect(topk_frame_remove(&frame, item_of(type, n, buffer), &memory) ==
                           (truth[n] > 0),
                       "item %u, there %llu times", n, (unsigned long long)truth[n]);
                truth[n] -= truth[n] > 0;
            }
            if (i % 1500 == 0)
                check_top(&frame, type, truth, i % 13);
        }
        check_top(&frame, type, truth, 1);
        check_top(&frame, type, truth, 100);
        check_top(&frame, type, truth, ITEMS + 5);
    }
    /* All at once and all away. */
    for (uint32_t n = 0; n < ITEMS; n += 2)
        while (truth[n] > 0) {
            expect(topk_frame_remove(&frame, item_of(type, n, buffer), &memory), "%u is gone", n);
            truth[n]--;
        }
    check_top(&frame, type, truth, ITEMS);
    topk_frame_end(&frame, &memory);
    expect(memory_used.pieces == 0, "memory was kept");
}

/* ---- texts of equal hash ---- */

#define MULTIPLIER UINT64_C(0x9fb21c651e98df25) /* of XXH3, for inputs of 4 to 8 bytes */

static uint64_t
inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;

    for (unsigned i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

static uint64_t
rotated(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* The word that XXH3 mixes to a hash of 8 bytes. */
static uint64_t
unmixed(uint64_t hash)
{
    uint64_t x = hash ^ hash >> 28 ^ hash >> 56;

    x *= inverse_of(MULTIPLIER);
    x ^= (x >> 35) + 8;
    x *= inverse_of(MULTIPLIER);
    /* x ^ rotations of x is a map whose 64th power changes nothing, so its 63rd is its inverse. */
    for (unsigned i = 0; i < 63; i++)
        x ^= rotated(x, 49) ^ rotated(x, 24);
    return x;
}

/* A text of 8 bytes with the hash of another text. */
static TopkItem
partner(TopkItem item, uint8_t *buffer)
{
    const uint8_t zeros[8] = {0};
    uint64_t word = unmixed(hash_bytes(item.bytes, item.size)) ^ unmixed(hash_bytes(zeros, 8));

    store_le32(buffer, (uint32_t)(word >> 32));
    store_le32(buffer + 4, (uint32_t)word);
    return topk_text(buffer, 8);
}

static void
try_equal_hashes(void)
{
    uint8_t bytes[8];
    TopkItem a = topk_text((const uint8_t *)"seven77", 7), b = partner(a, bytes);
    TopkCounter top[3];
    TopkFrame frame;

    expect(hash_bytes(a.bytes, a.size) == hash_bytes(b.bytes, b.size) && !same_item(a, b),
           "the hashes are not equal");
    for (unsigned first = 0; first < 2; first++) {
        topk_frame_begin(&frame, &memory);
        add(&frame, first ? a : b);
        add(&frame, first ? b : a);
        add(&frame, a);
        expect(topk_frame_top(&frame, 3, top) == 2 && same_item(top[0].item, a) &&
                   same_item(top[1].item, b),
               "two texts of one hash");
        expect(topk_frame_remove(&frame, a, &memory) && topk_frame_remove(&frame, a, &memory) &&
                   !topk_frame_remove(&frame, a, &memory),
               "one of them leaves");
        expect(topk_frame_top(&frame, 3, top) == 1 && same_item(top[0].item, b), "the other stays");
        topk_frame_end(&frame, &memory);
    }
}

static void
try_length(void)
{
    uint8_t *bytes = calloc(TOPK_ITEM_MAX + 1, 1);
    TopkItem longest = topk_text(bytes, TOPK_ITEM_MAX);
    TopkCounter top;
    SketchError error;
    TopkFrame frame;

    topk_frame_begin(&frame, &memory);
    expect(!topk_frame_add(&frame, topk_text(bytes, TOPK_ITEM_MAX + 1), &memory, &error) &&
               error.status == SKETCH_LIMIT,
           "too long an item");
    expect(topk_frame_top(&frame, 1, &top) == 0, "it was added");
    add(&frame, longest);
    expect(topk_frame_top(&frame, 1, &top) == 1 && same_item(top.item, longest),
           "the longest item");
    topk_frame_end(&frame, &memory);
    free(bytes);
}

int
main(void)
{
    try(TOPK_BIGINT, true, 1);
    try(TOPK_TEXT, true, 2);
    conclude("the most frequent items in their order, as counts have it");
    try(TOPK_BIGINT, false, 3);
    try(TOPK_TEXT, false, 4);
    conclude("the same where many counts are equal");
    try_equal_hashes();
    conclude("texts of equal hash are told apart");
    try_length();
    expect(memory_used.pieces == 0, "memory was kept");
    conclude("an item that is too long is refused");
    return conclude_all();
}
