/*
 * bloom.c - Bloom filter: has this been seen?
 *
 * Each item sets k bits of a bit string, chosen by its hash. If one of its bits is not set, the
 * item was never added, for certain. If all are set, it probably was. The rate of false positives
 * is how often "probably" is wrong. It depends on the bits there are for each item, and a filter is
 * made for a rate that the user chooses.
 *
 * Three things differ from the textbook:
 *
 *   A filter begins as a list. A few hashes (8 bytes each, up to 8 of them or as many as take no
 *   more bytes than the filter would, 240 at most) are kept as they are: exact, and merged without
 *   loss.
 *
 *   A filter is sized at the end. While items come in, their hashes are collected, 8 bytes each
 *   (working.c). Packing drops repetitions and makes a filter for the number that is left. Nobody
 *   has to know that number beforehand, the same items give the same bytes in every plan, and the
 *   bits are set block by block, because each hash is known before the first bit is.
 *
 *   The bits of an item lie together, in a block of 512 bytes. A probe of a filter that is stored
 *   out of line reads one piece of it. Blocks get different numbers of items, which costs .6% more
 *   bits at a rate of 1% and 1.2% at .1%: geometry.c. (Blocks of 64 bytes, a cache line, would cost
 *   3.5 and 8%. They would save little: the bits of one item in several cache lines are fetched in
 *   parallel.)
 *
 * A full filter grows by another filter, called a layer. Layers come in generations. A generation
 * is for `expansion` times the items of the one before, and from 1024 items on it comes in four
 * layers, each made when it is needed. An absent item is a false positive if any layer says so, so
 * the rates of the layers add up. Every generation gets an equal share of the rate asked for, and
 * there are shares for all generations up to 600 million items: the sum stays below the rate.
 * (Shares that fall like 1/i^2 last for ever, but cost 35 bits an item at 1% after growing from
 * 100 items to a million; equal shares cost 20, RedisBloom's halves 46.) If the capacity is 256 or
 * more, somebody chose it, and the first generation gets half of the rate. If a value is packed for
 * the first time with more items than its capacity, as after an aggregate without a capacity, that
 * layer gets .9 of the rate and later ones share the rest.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..5       6..7    8..15     16..23  24..31
 *     kind   version  encoding  hash  expansion  layers  capacity  rate    items
 *
 *     list (encoding 0): layers 0; from 32 on the hashes, ascending, 8 bytes each
 *     filter (encoding 1): from 32 on an entry of 32 bytes for each layer, then their bits
 *     in transit (encoding 64): as a filter, possibly without layers; then hashes as in a list.
 *         `items` is the number of these hashes
 *     of RedisBloom (encoding 2, hash 1): redis.c
 *
 * The entry of a layer:
 *
 *     0..7      8..15  16..23  24..27  28..29       30      31
 *     capacity  items  rate    blocks  block bytes  hashes  flags (1: items estimated)
 *
 * What bloom_validate enforces:
 *   1. kind 5, version 1, XXH3, capacity 1..2^30, rate 1e-9 .. below 1, expansion 0..32768.
 *   2. list: at most 240 hashes, and no more than bloom_list_limit, ascending. In transit: at least
 *      one hash, and if there are no layers more than a list may have; at most 2^24, ascending,
 *      none that a layer has. The expansion is not 0.
 *   3. layers: capacity at least 1, rate above 0 and below 1, at least one block of 1..512 bytes,
 *      1..64 hashes. Counted items are 1..capacity, at least one bit is set, and no more than the
 *      items can set. Estimated items are exactly what follows from the bits.
 *   4. layers: `capacity` items in these bits are expected to give `rate` or less; .1% of it is
 *      left for arithmetic. No header can promise what its bits cannot keep.
 *   5. layers in the order of bloom_layer_compare, none twice; only one if expansion is 0.
 *   6. items is the sum over the layers, except in transit; the size is exact.
 *
 * Merging (merge.c) ORs layers of equal shape if the result is within the capacity. Other layers
 * stay side by side, and their rates add up. Left out: deleting and counting, which cuckoo filters
 * do; and folding a filter onto one of half its blocks, since filters that are sized by their
 * content hardly ever have such shapes.
 *
 * References: B. Bloom, CACM 13(7), 1970. F. Putze, P. Sanders, J. Singler, Cache-, hash- and
 * space-efficient Bloom filters, WEA 2007 (blocks). P. S. Almeida et al., Scalable Bloom filters,
 * IPL 101(6), 2007 (layers).
 */
#include "bloom.h"

#include <string.h>

#include "bloom_internal.h"
#include "core/common/polled.h"
#include "redis.h"

/* ---- bytes from outside ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    const uint8_t hash = sketch_hash(input.data);
    Bloom header = bloom_read_header(input.data);

    if (hash != SKETCH_HASH_XXH3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function", hash,
                                   SKETCH_HASH_XXH3, SKETCH_HASH_XXH3);
    if (header.capacity < BLOOM_CAPACITY_MIN || header.capacity > BLOOM_CAPACITY_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Capacity out of range");
    if (header.expansion > BLOOM_EXPANSION_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Expansion out of range",
                                   header.expansion, 0, BLOOM_EXPANSION_MAX);
    if (!(header.rate >= BLOOM_RATE_MIN && header.rate < 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "Error rate out of range");
    return true;
}

static bool
validate_list(const Bloom *bloom, SketchBytes input, const SketchMemory *memory, SketchError *error)
{
    uint32_t limit = bloom_list_limit(bloom);

    if (bloom_read_header(input.data).layers != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "A list with filters");
    if (bloom->hashes.count > limit)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many hashes for a list",
                                   bloom->hashes.count, 0, limit);
    return hash_list_validate(&bloom->hashes, memory, error);
}

/*
 * A value in transit has hashes in addition to layers, or more hashes than a list; no packed value
 * has.
 */
static bool
validate_transit(const Bloom *bloom, const SketchMemory *memory, SketchError *error)
{
    const uint32_t count = bloom->hashes.count;
    size_t steps = 0;

    if (bloom->expansion == 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "A filter in transit that does not grow");
    if (count == 0 || (bloom->layers == 0 && count <= bloom_list_limit(bloom)))
        return sketch_refuse_range(
            error, SKETCH_MALFORMED, "Too few hashes for a value in transit", count,
            bloom->layers == 0 ? bloom_list_limit(bloom) + INT64_C(1) : 1, HASH_TRANSIT_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (bloom_layers_contain(*bloom, hash_list_at(&bloom->hashes, i)))
            return sketch_refuse(error, SKETCH_MALFORMED, "A hash that one of the filters has");
        sketch_poll(memory, &steps, 1 + 8 * (size_t)bloom->layers);
    }
    return hash_list_validate(&bloom->hashes, memory, error);
}

#define RATE_TOLERANCE 1.001

/* Estimated items follow from the bits; counted items limit how many bits may be set. */
static bool
validate_layer(const BloomLayer *layer, const uint8_t *entry, const SketchMemory *memory,
               SketchError *error)
{
    uint64_t ones = bloom_layer_ones(layer, memory);
    double rate = bloom_expected_rate(layer, (double)layer->capacity);

    if (bloom_entry_has_unknown_flags(entry))
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown flags");
    if (!(rate <= layer->rate * RATE_TOLERANCE))
        return sketch_refuse(error, SKETCH_MALFORMED, "Too few bits for capacity and error rate");
    if (layer->estimated ? layer->items != bloom_estimate(layer, ones)
                         : layer->items == 0 || layer->items > layer->capacity || ones == 0 ||
                               ones > layer->items * layer->hashes)
        return sketch_refuse(error, SKETCH_MALFORMED, "Items and bits of a filter disagree");
    return true;
}

static bool
validate_layers(Bloom bloom, uint64_t *items, const SketchMemory *memory, SketchError *error)
{
    BloomLayer before = {0};

    if (bloom.expansion == 0 && bloom.layers > 1)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Filters where none may be added",
                                   bloom.layers, 1, 1);
    for (uint32_t i = 0; i < bloom.layers; i++) {
        const uint8_t *entry = bloom.next;
        BloomLayer layer = bloom_next_layer(&bloom);

        if (!validate_layer(&layer, entry, memory, error))
            return false;
        if (i > 0 && bloom_layer_compare(&before, &layer) >= 0)
            return sketch_refuse(error, SKETCH_MALFORMED, "Filters are not in their order");
        if (layer.items > UINT64_MAX - *items)
            return sketch_refuse(error, SKETCH_MALFORMED, "Too many items");
        *items += layer.items;
        before = layer;
    }
    return true;
}

static bool
validate_body(const Bloom *bloom, SketchBytes input, const SketchMemory *memory, SketchError *error)
{
    uint64_t items = 0;

    if (sketch_encoding(input.data) == BLOOM_LIST)
        return validate_list(bloom, input, memory, error);
    if (!validate_layers(*bloom, &items, memory, error))
        return false;
    if (sketch_encoding(input.data) == BLOOM_TRANSIT)
        return validate_transit(bloom, memory, error);
    if (items != bloom->items)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "Items are not the sum of those of the filters");
    return true;
}

static bool
bloom_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    Bloom bloom;

    if (!sketch_validate_common(input, &bloom_ops, error))
        return false;
    if (sketch_encoding(input.data) == BLOOM_REDIS)
        return bloom_redis_validate(input, memory, value, error);
    if (!validate_header(input, error))
        return false;
    if (!bloom_read(&bloom, input))
        return sketch_refuse(error, SKETCH_MALFORMED, "The value is truncated or corrupt");
    if (!validate_body(&bloom, input, memory, error))
        return false;
    return polled_accept(input, memory, value);
}

/* Values of RedisBloom take their own way. */

static SketchState
open_any(SketchBytes value, const SketchMemory *memory)
{
    return bloom_is_redis(value.data) ? bloom_redis_copy(value, true, memory)
                                      : bloom_open(value, memory);
}

static SketchBytes
pack_any(SketchBytes value, const SketchMemory *memory)
{
    return bloom_is_redis(value.data) ? sketch_bytes(bloom_redis_copy(value, false, memory))
                                      : bloom_pack(value, memory);
}

static SketchBytes
transit_any(SketchBytes value, const SketchMemory *memory)
{
    return bloom_is_redis(value.data) ? pack_any(value, memory) : bloom_transit(value, memory);
}

static bool
merge_any(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    if (bloom_is_redis(state->data) != bloom_is_redis(other.data))
        return sketch_refuse(error, SKETCH_MISMATCH,
                             "One was made with the hash of RedisBloom (MurmurHash64A), the other "
                             "with this extension's (XXH3)");
    return bloom_is_redis(state->data) ? bloom_redis_merge(state, other, memory, error)
                                       : bloom_merge(state, other, memory, error);
}

const SketchOps bloom_ops = {
    .name = "bloom",
    .kind = SKETCH_BLOOM,
    .version = BLOOM_VERSION,
    .header_bytes = BLOOM_PACKED_HEADER,
    .encoding_max = BLOOM_REDIS,
    .validate = bloom_validate,
    .open = open_any,
    .pack = pack_any,
    .transit = transit_any,
    .merge = merge_any,
};
