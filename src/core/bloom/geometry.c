/*
 * geometry.c - how many bits for how many items at which rate, and back.
 *
 * A block of S bits that got j items, with k bits each, has the share 1 - s^j of its bits set,
 * where s = (1 - 1/S)^k. Its false-positive rate is the k-th power of that share. Of n items each
 * of B blocks gets a binomial number, nearly Poisson with mean n/B. The power is convex: blocks
 * with more items lose more than the others win. So the rate of the filter is above the textbook's,
 * at 1% and 4096 bits by 2.7%. It is computed with this effect, by Gauss-Hermite quadrature over
 * the distribution of j, and the number of bits is the least that meets the rate asked for.
 * Compared with the exact sum over all j the error is 1e-5 at rates of 1 to 0.01%, 3e-4 at 1e-6
 * and .2% at 1e-9.
 *
 * The shape of a filter is stored, so exp and log are those of common/portable.h.
 */
#include "bloom_internal.h"

#include <math.h>

#include "core/common/portable.h"

#define LN2 0.693147180559945309417

/* ---- rates ---- */

/* Returns the rate of a block with j items; log_s is the logarithm of s = (1 - 1/S)^k. */
static double
block_rate(double j, double log_s, unsigned k, double bits)
{
    double u = portable_exp(j * log_s); /* share of bits that are not set */
    double f = 1 - u;
    double variance = (u - (1 + k * j / bits) * u * u) / bits;
    double rate = portable_power(f, k);

    /* The fraction of bits set scatters around its mean, too. */
    if (k > 1 && variance > 0)
        rate += k * (k - 1) / 2.0 * portable_power(f, k - 2) * variance;
    return rate < 1 ? rate : 1;
}

double
bloom_expected_rate(double n, unsigned hashes, uint32_t blocks, uint32_t block_bytes)
{
    static const double node[] = {0, 1.154405394739968, 2.366759410734541, 3.750439717725742};
    static const double weight[] = {0.457142857142857, 0.240123178605013, 0.030757123967586,
                                    0.000548268855972};
    double bits = 8.0 * block_bytes, mean = n / blocks;
    double log_s = hashes * portable_log(1 - 1 / bits);
    double deviation, skew, rate;

    if (blocks == 1)
        return block_rate(n, log_s, hashes, bits);
    deviation = sqrt(mean * (1 - 1.0 / blocks));
    skew = 1 - 2.0 / blocks;
    rate = 0;
    for (int i = -3; i <= 3; i++) {
        double z = i < 0 ? -node[-i] : node[i];
        double j = mean + deviation * z + skew * (z * z - 1) / 6;

        if (j > 0)
            rate += weight[i < 0 ? -i : i] * block_rate(j, log_s, hashes, bits);
    }
    return rate;
}

/* ---- from items to bits ---- */

/* Cuts `bytes`, or a little more, into the fewest blocks of equal size. */
static void
cut_into_blocks(double bytes, BloomLayer *layer)
{
    double blocks = ceil(bytes / BLOOM_BLOCK_BYTES);

    layer->blocks = blocks < 1 ? 1 : blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
    layer->block_bytes = (uint32_t)ceil(bytes / layer->blocks);
    if (layer->block_bytes < 1)
        layer->block_bytes = 1;
    if (layer->block_bytes > BLOOM_BLOCK_BYTES)
        layer->block_bytes = BLOOM_BLOCK_BYTES;
}

static double
rate_of_shape(const BloomLayer *layer)
{
    return bloom_expected_rate((double)layer->capacity, layer->hashes, layer->blocks,
                               layer->block_bytes);
}

/* Returns the fewest bytes that meet the rate with layer->hashes hashes. */
static double
bytes_needed(BloomLayer *layer)
{
    double k = layer->hashes, n = (double)layer->capacity;
    double fill = portable_exp(portable_log(layer->rate) / k);
    double bytes = -k * n / portable_log(1 - fill) / 8, step;

    /* Newton's method in logarithms: rate ~ fill^k, fill = 1 - exp(-kn/bits). */
    for (int i = 0; i < 2; i++) {
        double x = k * n / (8 * bytes), u = portable_exp(-x), change;

        cut_into_blocks(bytes, layer);
        change = portable_log(rate_of_shape(layer) / layer->rate) * (1 - u) / (k * x * u);
        bytes *= change > 0 ? 1 / portable_exp(change < 1 ? -change : -1) : portable_exp(change);
    }
    step = floor(bytes / 4096) + 1;
    bytes = ceil(bytes);
    for (cut_into_blocks(bytes, layer); rate_of_shape(layer) > layer->rate;
         cut_into_blocks(bytes, layer))
        bytes += step;
    return (double)layer->blocks * layer->block_bytes;
}

void
bloom_layer_shape(BloomLayer *layer)
{
    int best = (int)floor(-portable_log(layer->rate) / LN2 + 0.5);
    double least = 0;
    BloomLayer chosen = *layer;

    /* With blocks of uneven load the best number may be one below the textbook's. */
    for (int hashes = best; hashes >= best - 1; hashes--) {
        double bytes;

        layer->hashes = hashes < 1                            ? 1
                        : (unsigned)hashes > BLOOM_HASHES_MAX ? BLOOM_HASHES_MAX
                                                              : (unsigned)hashes;
        bytes = bytes_needed(layer);
        if (least == 0 || bytes < least) {
            least = bytes;
            chosen = *layer;
        }
    }
    *layer = chosen;
}

/* ---- from bits to items ---- */

/*
 * An item leaves a bit clear with probability q = 1 - (1 - (1 - 1/S)^k) / blocks. The answer is the
 * n for which q^n is the share of clear bits.
 */
uint64_t
bloom_estimate(const BloomLayer *layer, uint64_t ones)
{
    double bits = 8.0 * layer->block_bytes, all = bits * layer->blocks;
    double clear = all - (double)ones;
    double touched = 1 - portable_power(1 - 1 / bits, layer->hashes);
    double n;

    if (ones == 0)
        return 0;
    n = portable_log((clear > 0.5 ? clear : 0.5) / all) / portable_log(1 - touched / layer->blocks);
    return n < 1 ? 1 : (uint64_t)floor(n + 0.5);
}

/* ---- growth ---- */

#define GROWN_ITEMS 4e8 /* a value that has grown to this is near the limit of 1 GB */
#define QUARTERS 4
#define QUARTERS_FROM 1024    /* a generation of so many items comes in quarters */
#define CHOSEN_FROM 256       /* somebody has chosen a capacity of this or more */
#define QUARTERS_FOR_EVER 256 /* generations of one size: 4/256 of the rate that is left for each */

/* The number of quarters of generations between `items` and GROWN_ITEMS. */
static double
quarters_left(const Bloom *bloom, double items)
{
    double generation = (double)bloom->capacity, end = generation, quarters = 0;

    for (;;) {
        if (end > items)
            quarters += QUARTERS * (items > end - generation ? (end - items) / generation : 1);
        if (end >= GROWN_ITEMS)
            return quarters;
        generation *= bloom->expansion;
        end += generation;
    }
}

/* Returns the part of the remaining rate for the items from..to. */
static double
share(const Bloom *bloom, double from, double to)
{
    double before, after;

    if (bloom->expansion <= 1)
        return (double)QUARTERS / QUARTERS_FOR_EVER;
    before = quarters_left(bloom, from);
    after = quarters_left(bloom, to);
    return before > after ? (before - after) / before : 0.5;
}

double
bloom_first_rate(const Bloom *bloom)
{
    if (bloom->expansion == 0)
        return bloom->rate * BLOOM_WHOLE_SHARE;
    if (bloom->capacity >= CHOSEN_FROM)
        return bloom->rate / 2;
    return bloom->rate * share(bloom, 0, (double)bloom->capacity);
}

/*
 * Layers of a union may have used up the rate, and the layers that follow cannot make up for it.
 * These get at least what they would get after a filter of BLOOM_WHOLE_SHARE; if generations are of
 * one size, a share of 1e-6 of the rate.
 */
static double
least_left(const Bloom *bloom, double items)
{
    double quarters;

    if (bloom->expansion <= 1)
        return bloom->rate * 1e-6;
    quarters = quarters_left(bloom, items);
    return bloom->rate * (1 - BLOOM_WHOLE_SHARE) * (quarters > 1 ? quarters : 1) /
           quarters_left(bloom, 0);
}

/* Returns the capacity of the next layer after layers for `before` items. */
static uint64_t
next_capacity(const Bloom *bloom, uint64_t before)
{
    double generation = (double)bloom->capacity, end = generation;

    /* At least an eighth of `before`, as with generations that double, so that layers stay few. */
    if (bloom->expansion <= 1)
        return bloom->capacity > before / 8 ? bloom->capacity : before / 8;
    while (end <= (double)before && end < BLOOM_LAYER_CAPACITY_MAX) {
        generation *= bloom->expansion;
        end += generation;
    }
    if (generation >= QUARTERS_FROM)
        generation = ceil(generation / QUARTERS);
    return generation < BLOOM_LAYER_CAPACITY_MAX ? (uint64_t)generation : BLOOM_LAYER_CAPACITY_MAX;
}

BloomLayer
bloom_plan_layer(const Bloom *bloom, uint64_t before, double used, uint64_t items)
{
    BloomLayer layer = {.items = items};

    if (before == 0) {
        layer.capacity = bloom->capacity;
        layer.rate =
            items > bloom->capacity ? bloom->rate * BLOOM_WHOLE_SHARE : bloom_first_rate(bloom);
    } else
        layer.capacity = next_capacity(bloom, before);
    if (items > layer.capacity)
        layer.capacity = items < BLOOM_LAYER_CAPACITY_MAX ? items : BLOOM_LAYER_CAPACITY_MAX;
    if (before > 0) {
        double left = bloom->rate - used, least = least_left(bloom, (double)before);

        if (left < least)
            left = least;
        layer.rate = left * share(bloom, (double)before, (double)(before + layer.capacity));
    }
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
    double filter = (double)bloom->capacity * -portable_log(bloom_first_rate(bloom)) / (LN2 * LN2);
    uint32_t limit = filter < BLOOM_LIST_MAX * 64 ? (uint32_t)(filter / 64) : BLOOM_LIST_MAX;

    if (limit < 8)
        limit = 8;
    return bloom->expansion == 0 && limit > bloom->capacity ? (uint32_t)bloom->capacity : limit;
}
