/*
 * bloom_accuracy.c - how many bits does bloom take, and whom does it let in? By the core alone.
 *
 *     bloom_accuracy made ITEMS RATE FILTERS STRANGERS
 *     bloom_accuracy grown ITEMS RATE FILTERS STRANGERS
 *
 * `made` collects the items in the state of an aggregate and packs it; `grown` begins with a filter
 * for 100 items and adds to the packed value, one by one at first and half a percent of what is
 * there later. Of each filter it asks all its items, and its part of the strangers. Prints
 *
 *     items missing  bytes of bits  strangers let in  false positives told by the bits, summed over filters
 *
 * and the number of filters inside the last one. Item i of filter f is output f * 2^34 + i of the
 * generator splitmix64, strangers are those from 2^33 on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bloom/bloom.h"

#define STRANGERS_FROM (UINT64_C(1) << 33)

static void
fail(const char *reason)
{
    fprintf(stderr, "bloom_accuracy: %s\n", reason);
    exit(1);
}

static void *
heap_scratch(uint64_t size, void *context)
{
    void *memory = malloc(size + 1);

    (void)context;
    if (!memory)
        fail("out of memory");
    return memory;
}

static void
heap_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* Data begins behind its length word, 8 bytes and 4 from a multiple of 16. */
static uint8_t *
heap_value(uint64_t size, void *context)
{
    return (uint8_t *)heap_scratch(size + 12, context) + 12;
}

static void
heap_release_value(uint8_t *data, void *context)
{
    heap_release(data - 12, context);
}

/* Nobody cancels a benchmark. */
static void
never_stop(void *context)
{
    (void)context;
}

static const SketchMemory memory = {
    .value = heap_value,
    .release_value = heap_release_value,
    .scratch = heap_scratch,
    .release = heap_release,
    .poll = never_stop,
};

static uint64_t
item(uint64_t filter, uint64_t i)
{
    uint64_t z = ((filter << 34) + i) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static SketchBytes
with_items(SketchState state, uint64_t filter, uint64_t from, uint64_t to)
{
    SketchBytes packed;
    SketchError error;

    for (uint64_t i = from; i < to; i++) {
        uint8_t *before = state.data;

        if (!bloom_add(state, item(filter, i)) &&
            !bloom_insert(&state, item(filter, i), &memory, &error))
            fail(error.reason);
        if (state.data != before)
            heap_release_value(before, NULL);
    }
    packed = bloom_ops.pack((SketchBytes){state.data, state.size}, &memory);
    heap_release_value(state.data, NULL);
    return packed;
}

static SketchBytes
make_filter(uint64_t filter, uint64_t items, double rate, bool grown)
{
    uint64_t done = grown ? 0 : items;
    SketchBytes value = with_items(
        bloom_new(BLOOM_CAPACITY_DEFAULT, rate, BLOOM_EXPANSION_DEFAULT, &memory), filter, 0, done);

    while (done < items) {
        uint64_t end = done + 1 + done / 200;
        SketchState state = bloom_ops.open(value, &memory);

        heap_release_value((uint8_t *)value.data, NULL);
        if (end > items)
            end = items;
        value = with_items(state, filter, done, end);
        done = end;
    }
    return value;
}

int
main(int count, char **arguments)
{
    uint64_t items, filters, strangers, missing = 0, bytes = 0, let_in = 0;
    uint32_t layers = 0;
    double rate, told = 0;
    bool grown;

    if (count != 6)
        fail("usage: bloom_accuracy made|grown ITEMS RATE FILTERS STRANGERS");
    grown = strcmp(arguments[1], "grown") == 0;
    items = strtoull(arguments[2], NULL, 10);
    rate = strtod(arguments[3], NULL);
    filters = strtoull(arguments[4], NULL, 10);
    strangers = strtoull(arguments[5], NULL, 10);
    for (uint64_t filter = 0; filter < filters; filter++) {
        SketchBytes value = make_filter(filter, items, rate, grown);
        double none = 1;
        Bloom bloom;

        if (!bloom_read(&bloom, value))
            fail("the value cannot be read");
        layers = bloom.layers;
        for (uint64_t i = 0; i < items; i++)
            missing += !bloom_has(&bloom, item(filter, i));
        for (uint64_t i = 0; i < strangers / filters; i++)
            let_in += bloom_has(&bloom, item(filter, STRANGERS_FROM + i));
        for (uint32_t i = 0; i < layers; i++) {
            BloomLayer layer = bloom_next_layer(&bloom);

            bytes += bloom_layer_bytes(&layer);
            none *= 1 - bloom_layer_rate(&layer, &memory);
        }
        told += 1 - none;
        heap_release_value((uint8_t *)value.data, NULL);
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.9g %" PRIu32 "\n", missing, bytes, let_in, told,
           layers);
    return 0;
}
