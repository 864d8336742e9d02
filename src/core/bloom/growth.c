/*
 * growth.c - which layer comes next, and when a list becomes the first. The rules: bloom.c.
 */
#include "bloom_internal.h"

#include <math.h>

#include "core/common/portable.h"

#define LN2_SQUARED 0.480453013918201424667

#define GROWN_ITEMS 6e8          /* a value that has grown to this is near the limit of 1 GB */
#define QUARTERS 4               /* layers of a generation */
#define MIN_QUARTERED_ITEMS 1024 /* of a generation of QUARTERS layers; else it is one */
#define MIN_CHOSEN_CAPACITY 256  /* a capacity of this or more was chosen by the user */
#define ENDLESS_SHARE (1.0 / 64) /* of the rate that is left, if generations do not expand */
#define MIN_RATE_LEFT 0.01       /* of the rate, for new layers after a union has used it up */

/* Returns how many generations `items` items fill. */
static double
generations(const Bloom *bloom, double items)
{
    return portable_log(1 + items * (bloom->expansion - 1) / (double)bloom->capacity) /
           portable_log(bloom->expansion);
}

/* Returns the fraction of the remaining rate that the items from..to get; at most half. */
static double
share(const Bloom *bloom, double from, double to)
{
    double before, more, left;

    if (bloom->expansion <= 1)
        return ENDLESS_SHARE;
    before = generations(bloom, from);
    more = generations(bloom, to) - before;
    left = generations(bloom, GROWN_ITEMS) - before;
    return more < left / 2 ? more / left : 0.5;
}

static double
first_rate(const Bloom *bloom)
{
    if (bloom->expansion == 0)
        return bloom->rate * BLOOM_WHOLE_SHARE;
    if (bloom->capacity >= MIN_CHOSEN_CAPACITY)
        return bloom->rate / 2;
    return bloom->rate * share(bloom, 0, (double)bloom->capacity);
}

/* Returns the capacity of the layer that follows layers for `before` items. */
static double
next_capacity(const Bloom *bloom, double before)
{
    double generation = (double)bloom->capacity;

    /* At least an eighth of `before`, about as when generations double, to keep layers few. */
    if (bloom->expansion <= 1)
        return generation > before / 8 ? generation : floor(before / 8);
    generation *= portable_power(bloom->expansion, (unsigned)(generations(bloom, before) + 1e-6));
    return generation < MIN_QUARTERED_ITEMS ? generation : ceil(generation / QUARTERS);
}

BloomLayer
bloom_plan_layer(const Bloom *bloom, uint64_t before, double used, uint64_t items)
{
    const double left = fmax(bloom->rate - used, bloom->rate * MIN_RATE_LEFT);
    double capacity = before == 0 ? (double)bloom->capacity : next_capacity(bloom, (double)before);
    BloomLayer layer = {.items = items, .rate = first_rate(bloom)};

    if (items > capacity) {
        layer.rate = bloom->rate * BLOOM_WHOLE_SHARE;
        capacity = (double)items;
    }
    if (before > 0)
        layer.rate = left * share(bloom, (double)before, (double)before + capacity);
    layer.capacity = (uint64_t)fmin(capacity, (double)BLOOM_LAYER_CAPACITY_MAX);
    bloom_layer_shape(&layer);
    return layer;
}

uint64_t
bloom_first_bytes(uint64_t capacity, double rate, unsigned expansion)
{
    Bloom bloom = {.capacity = capacity, .rate = rate, .expansion = expansion};
    BloomLayer layer = bloom_plan_layer(&bloom, 0, 0, 1);

    return BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER + bloom_layer_bytes(&layer);
}

uint32_t
bloom_list_limit(const Bloom *bloom)
{
    double filter = (double)bloom->capacity * -portable_log(first_rate(bloom)) / LN2_SQUARED;
    uint32_t limit = (uint32_t)fmin(fmax(filter / 64, 8), BLOOM_LIST_MAX);

    return bloom->expansion == 0 && limit > bloom->capacity ? (uint32_t)bloom->capacity : limit;
}
