/*
 * bloom.c - Bloom filter: has this been seen?
 *
 * Each item sets k bits of a bit string, chosen by its hash. If one of its bits is not set, the
 * item was certainly never added. If all are set, it probably was. The false-positive rate is how
 * often an item that was never added finds all of its bits set. It depends on the number of bits
 * per item, and a filter is made for a rate that the user chooses.
 *
 * Three things differ from the textbook:
 *
 *   A filter begins as a list. The first few hashes are kept as they are, exact and merged without
 *   loss: 8 of them or, if that is more, as many as fit in the bytes of the filter (8 bytes each,
 *   240 at most).
 *
 *   A filter is sized at the end. While items come in, their hashes are collected, 8 bytes each
 *   (working.c). Packing drops repetitions and makes a filter for the number that is left. Nobody
 *   has to know that number beforehand, the same items give the same bytes in every plan, and the
 *   bits can be set block by block, because all hashes are known before the first bit is set.
 *
 *   The bits of an item lie together, in a block of 512 bytes, so a probe of a filter that is
 *   stored out of line reads one piece of it. Blocks get different numbers of items, which costs
 *   .6% more bits at a rate of 1% and 1.2% at .1% (geometry.c). Blocks of 64 bytes, a cache line,
 *   would cost 3.5% and 8%, and save little: the processor fetches the cache lines of one item in
 *   parallel.
 *
 * A full filter grows by another filter, called a layer. Layers come in generations, each for
 * `expansion` times the items of the one before. The first is one layer; a later one of 1024 items
 * or more is four, each made when it is needed. An absent item is a false positive if any layer
 * reports it, so the rates of the layers add up. Every generation gets an equal share of the
 * requested rate, with shares for all generations up to 600 million items, so the sum stays below
 * that rate. (Shares that fall like 1/i^2 never run out, but growing from 100 items to a million at
 * 1% then costs 35 bits per item. Equal shares cost 20, RedisBloom's halves 46.) A capacity of 256
 * or more is taken as chosen by the user, and the first generation gets half of the rate. If a
 * value already has more items than its capacity when it is first packed, as after an aggregate
 * without a capacity, that layer gets .9 of the rate and later ones share the rest.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..5       6..7    8..15     16..23  24..31
 *     kind   version  encoding  hash  expansion  layers  capacity  rate    items
 *
 *     list (encoding 0): layers 0; from 32 on the hashes, ascending, 8 bytes each
 *     filter (encoding 1): from 32 on an entry of 32 bytes for each layer, then their bits
 *     in transit (encoding 64): like a filter, possibly without layers, then hashes as in a list;
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
 *   2. list: at most bloom_list_limit hashes, ascending. In transit: the expansion is not 0; at
 *      most 2^24 hashes, ascending, none of them in a layer; at least one, or without layers more
 *      than a list may have.
 *   3. layers: capacity 1..2^36, rate above 0 and below 1, at least one block of 1..512 bytes,
 *      1..64 hashes. Counted items are 1..capacity, at least one bit is set, and no more than the
 *      items can set. Estimated items are exactly what follows from the bits.
 *   4. layers: the expected rate of `capacity` items in these bits is at most `rate`, with .1%
 *      allowed for arithmetic. No header can promise what its bits cannot keep.
 *   5. layers: at most 256, in the order of bloom_layer_compare, none twice; only one if expansion
 *      is 0.
 *   6. items is the sum over the layers, except in transit; the size is exact.
 *
 * Merging (merge.c) ORs layers of equal shape if the result is within the capacity. Other layers
 * stay side by side, and their rates add up. Left out: deleting and counting, which cuckoo filters
 * do; and folding a filter onto one with half as many blocks, because filters sized by their
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

/* A value in transit has, unlike a packed one, hashes and layers, or too many hashes for a list. */
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

/* Values of RedisBloom have functions of their own. */

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

/* A layer without items may be left of an intersection. */
static bool
is_empty(SketchBytes value)
{
    Bloom bloom;
    uint64_t items = 0;

    if (bloom_is_redis(value.data))
        return bloom_redis_is_empty(value);
    if (!bloom_read(&bloom, value) || bloom.hashes.count > 0)
        return false;
    while (bloom.layers-- > 0)
        items |= bloom_next_layer(&bloom).items;
    return items == 0;
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
    .is_empty = is_empty,
};
