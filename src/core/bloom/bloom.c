/*
 * bloom.c - Bloom filter: has this been seen?
 *
 * Each item sets k bits of a bit string, chosen by its hash. An item whose bits are not all set
 * was never added, for certain; one whose bits are all set probably was. How often "probably" is
 * wrong, the rate of false positives, depends on how many items there are for how many bits, and
 * is what a filter is made for.
 *
 * What is different from the textbook:
 *
 *   It begins as a list. Up to a few hashes (8 bytes each, while that is not more than the filter
 *   would take, and 240 at most) are kept as they are: exact, and without loss when merged.
 *
 *   It is sized at the end. While items come in, their hashes are collected, 8 bytes each
 *   (working.c); packing drops repetitions and makes a filter for as many as there are. So
 *   nobody has to know beforehand, an aggregate over the same items gives the same bytes in every
 *   plan, and no bit is set before it is known where it belongs: packing sets them block by block.
 *
 *   Bits of an item lie together, in a block of 512 bytes. A probe of a filter that is stored out
 *   of line reads one piece of it. Blocks get different numbers of items, which costs .5 % more
 *   bits at a rate of 1 % and 1 % at .1 %. (The blocks of 64 bytes that one would take for the
 *   cache cost 3.5 and 8 %, and leave no room to promise a total; bits of one item in several
 *   cache lines are fetched in parallel.) geometry.c computes the rate with that.
 *
 * A filter that is full grows by a further one, a layer. Layers come in generations, each for
 * `expansion` times the items of the one before, and a generation of 1024 items or more comes in
 * four layers as it is needed. A stranger has to pass all layers, so their rates add up; every
 * generation gets the same share of the rate asked for, as many as there can be up to 400 million
 * items, so that the sum stays below it. (Shares that fall like 1/i^2 work for ever, but cost 35
 * bits an item at 1 % after growing from 100 items to a million; these cost 20, RedisBloom 46.)
 * The first generation gets half where the capacity says something, from 256 items on. A filter
 * that was made for more items than its capacity, as all from an aggregate that was given no
 * capacity, gets .9 of the rate, and its later layers share the rest.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4..5       6..7    8..15     16..23  24..31
 *     kind   version  encoding  hash  expansion  layers  capacity  rate    items
 *
 *     list (encoding 0): layers 0; from 32 on the hashes, ascending, 8 bytes each
 *     filter (encoding 1): from 32 on an entry of 32 bytes for each layer, then their bits
 *
 *     0..7      8..15  16..23  24..27  28..29       30      31
 *     capacity  items  rate    blocks  block bytes  hashes  flags (1: items estimated)
 *
 * What bloom_validate enforces:
 *   1. kind 5, version 1, XXH3, capacity 1..2^30, rate 1e-9 .. below 1, expansion 0..32768.
 *   2. list: at most 240 hashes, and no more than bloom_list_limit, ascending.
 *   3. layers: capacity at least 1, rate above 0 and below 1, at least one block of 1..512 bytes,
 *      1..64 hashes; no bit set and no items, or both; no more bits set than the items account
 *      for, or, where they are estimated, the items that the bits tell.
 *   4. layers: `capacity` items in these bits are expected to give `rate`, or less; .1 % of it is
 *      left for arithmetic. So no header can promise what its bits cannot keep.
 *   5. layers in the order of bloom_layer_compare, none twice; one where expansion is 0.
 *   6. items is the sum of those of the layers; the size is exact.
 *
 * Merging (working.c) ORs layers of equal shape where the result is within the capacity, and
 * keeps them side by side otherwise, in which case rates add up. Left out: deleting and counting
 * (that is what cuckoo filters do), and folding a filter onto one of half its blocks: filters that
 * are sized to what they hold are hardly ever of such shapes.
 *
 * References: B. Bloom, CACM 13(7), 1970. F. Putze, P. Sanders, J. Singler, Cache-, hash- and
 * space-efficient Bloom filters, WEA 2007 (blocks). P. S. Almeida et al., Scalable Bloom filters,
 * IPL 101(6), 2007 (layers).
 */
#include "bloom.h"

#include <string.h>

#include "bloom_internal.h"

/* ---- reading ---- */

/* Whether the layers are sound in themselves and fill `bytes`. */
static bool
layers_fill(const Bloom *bloom, size_t bytes)
{
    const uint8_t *entry = bloom->next;

    for (uint32_t i = 0; i < bloom->layers; i++) {
        BloomLayer layer;

        if (bytes < BLOOM_LAYER_HEADER)
            return false;
        bytes -= BLOOM_LAYER_HEADER;
        layer = bloom_layer_entry(entry);
        if (layer.blocks == 0 || layer.block_bytes == 0 || layer.block_bytes > BLOOM_BLOCK_BYTES ||
            layer.hashes == 0 || layer.hashes > BLOOM_HASHES_MAX || layer.capacity == 0 ||
            layer.capacity > BLOOM_LAYER_CAPACITY_MAX || !(layer.rate > 0 && layer.rate < 1) ||
            bloom_layer_bytes(&layer) > bytes)
            return false;
        bytes -= bloom_layer_bytes(&layer);
        entry += BLOOM_LAYER_HEADER + (bloom->working ? bloom_layer_bytes(&layer) : 0);
    }
    return bytes == 0;
}

/* `size` is that of the whole value, which is packed; of it `value` has the directory at least. */
static bool
read_packed(Bloom *bloom, SketchBytes value, size_t size)
{
    size_t body = size - BLOOM_PACKED_HEADER;

    *bloom = (Bloom){.capacity = load_le64(value.data + 8),
                     .rate = load_le_double(value.data + 16),
                     .expansion = load_le16(value.data + 4),
                     .items = load_le64(value.data + 24)};
    if (value.data[2] == BLOOM_LIST) {
        bloom->hash = value.data + BLOOM_PACKED_HEADER;
        bloom->hashes = (uint32_t)bloom->items;
        return bloom->items <= BLOOM_LIST_MAX && body == bloom->items * sizeof(uint64_t);
    }
    bloom->layers = load_le16(value.data + 6);
    if (bloom->layers * (size_t)BLOOM_LAYER_HEADER > value.size - BLOOM_PACKED_HEADER)
        return false;
    bloom->next = value.data + BLOOM_PACKED_HEADER;
    bloom->next_bits = bloom->next + bloom->layers * (size_t)BLOOM_LAYER_HEADER;
    return value.data[2] == BLOOM_FILTER && bloom->layers > 0 && layers_fill(bloom, body);
}

static bool
read_working(Bloom *bloom, SketchBytes value)
{
    const uint8_t *data = value.data;
    size_t before = BLOOM_HASHES_HEADER;
    uint16_t expansion;

    *bloom = (Bloom){.working = true};
    memcpy(&expansion, data + 4, sizeof expansion);
    memcpy(&bloom->hashes, data + 8, sizeof bloom->hashes);
    memcpy(&bloom->capacity, data + 12, sizeof bloom->capacity);
    memcpy(&bloom->rate, data + 20, sizeof bloom->rate);
    bloom->expansion = expansion;
    if (data[2] == BLOOM_LAYERS) {
        uint64_t bytes;

        if (value.size < BLOOM_LAYERS_HEADER)
            return false;
        memcpy(&bloom->layers, data + 36, sizeof bloom->layers);
        memcpy(&bytes, data + 28, sizeof bytes);
        if (bytes > value.size - BLOOM_LAYERS_HEADER)
            return false;
        bloom->next = data + BLOOM_LAYERS_HEADER;
        bloom->next_bits = bloom->next + BLOOM_LAYER_HEADER;
        if (!layers_fill(bloom, bytes))
            return false;
        before = BLOOM_LAYERS_HEADER + (bytes + 7) / 8 * 8;
    } else if (data[2] != BLOOM_HASHES)
        return false;
    bloom->hash = data + before;
    return before <= value.size && bloom->hashes <= (value.size - before) / sizeof(uint64_t);
}

static bool
parameters_good(const Bloom *bloom)
{
    return bloom->layers <= BLOOM_LAYERS_MAX && bloom->capacity >= BLOOM_CAPACITY_MIN &&
           bloom->capacity <= BLOOM_CAPACITY_MAX && bloom->rate >= BLOOM_RATE_MIN &&
           bloom->rate < 1 && bloom->expansion <= BLOOM_EXPANSION_MAX;
}

bool
bloom_read(Bloom *bloom, SketchBytes value)
{
    bool working = sketch_is_working(value.data);

    if (value.size < (working ? BLOOM_HASHES_HEADER : BLOOM_PACKED_HEADER) ||
        !(working ? read_working(bloom, value) : read_packed(bloom, value, value.size)))
        return false;
    return parameters_good(bloom);
}

bool
bloom_read_directory(Bloom *bloom, SketchBytes front, size_t size)
{
    return front.size >= BLOOM_PACKED_HEADER && front.size <= size &&
           read_packed(bloom, front, size) && parameters_good(bloom) && bloom->layers > 0;
}

/* Packed: entries, then bits. Working: each entry before its bits. */
BloomLayer
bloom_next_layer(Bloom *bloom)
{
    BloomLayer layer = bloom_layer_entry(bloom->next);
    size_t bytes = bloom_layer_bytes(&layer);

    layer.bits = bloom->next_bits;
    bloom->next_bits += bytes;
    bloom->next += BLOOM_LAYER_HEADER;
    if (bloom->working) {
        bloom->next += bytes;
        bloom->next_bits += BLOOM_LAYER_HEADER;
    }
    return layer;
}

bool
bloom_layers_contain(Bloom bloom, uint64_t hash)
{
    for (uint32_t i = 0; i < bloom.layers; i++) {
        BloomLayer layer = bloom_next_layer(&bloom);

        if (bloom_layer_contains(&layer, hash))
            return true;
    }
    return false;
}

bool
bloom_has(const Bloom *bloom, uint64_t hash)
{
    uint32_t low = 0, high = bloom->hashes;

    if (bloom->working) {
        for (uint32_t i = 0; i < bloom->hashes; i++)
            if (bloom_hash_at(bloom, i) == hash)
                return true;
        return bloom_layers_contain(*bloom, hash);
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (bloom_hash_at(bloom, middle) < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return (low < bloom->hashes && bloom_hash_at(bloom, low) == hash) ||
           bloom_layers_contain(*bloom, hash);
}

bool
bloom_single_contains(SketchBytes value, uint64_t hash, bool *contains)
{
    const size_t front = BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER;
    const uint8_t *entry = value.data + BLOOM_PACKED_HEADER;
    BloomLayer layer;

    if (value.size <= front || value.data[2] != BLOOM_FILTER || load_le16(value.data + 6) != 1)
        return false;
    /* Only what is needed: a whole entry goes through memory, and to wait for that takes as long. */
    layer = (BloomLayer){
        .blocks = load_le32(entry + 24), .block_bytes = load_le16(entry + 28), .hashes = entry[30]};
    if (layer.hashes == 0 || bloom_layer_bytes(&layer) != value.size - front)
        return false;
    *contains =
        bloom_block_contains(&layer, value.data + front + bloom_block_at(&layer, hash), hash);
    return true;
}

bool
bloom_contains(SketchBytes value, uint64_t hash)
{
    Bloom bloom;

    return bloom_read(&bloom, value) && bloom_has(&bloom, hash);
}

/* ---- the door ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    uint64_t capacity;
    unsigned expansion;
    double rate;

    if (!sketch_validate_common(input, &bloom_ops, error))
        return false;
    capacity = load_le64(input.data + 8);
    expansion = load_le16(input.data + 4);
    rate = load_le_double(input.data + 16);
    if (input.data[2] != BLOOM_LIST && input.data[2] != BLOOM_FILTER)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", input.data[2],
                                   BLOOM_LIST, BLOOM_FILTER);
    if (input.data[3] != SKETCH_HASH_XXH3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function", input.data[3],
                                   SKETCH_HASH_XXH3, SKETCH_HASH_XXH3);
    if (capacity < BLOOM_CAPACITY_MIN || capacity > BLOOM_CAPACITY_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Capacity out of range");
    if (expansion > BLOOM_EXPANSION_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Expansion out of range", expansion, 0,
                                   BLOOM_EXPANSION_MAX);
    if (!(rate >= BLOOM_RATE_MIN && rate < 1))
        return sketch_refuse(error, SKETCH_MALFORMED, "Error rate out of range");
    return true;
}

static bool
validate_list(const Bloom *bloom, SketchBytes input, SketchError *error)
{
    uint32_t limit = bloom_list_limit(bloom);

    if (load_le16(input.data + 6) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "A list with filters");
    if (bloom->hashes > limit)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many hashes for a list",
                                   bloom->hashes, 0, limit);
    for (uint32_t i = 1; i < bloom->hashes; i++)
        if (bloom_hash_at(bloom, i) <= bloom_hash_at(bloom, i - 1))
            return sketch_refuse(error, SKETCH_MALFORMED, "Hashes are not in ascending order");
    return true;
}

#define RATE_TOLERANCE 1.001

/* The items of a layer follow from its bits where they are estimated; else they bound them. */
static bool
validate_layer(const BloomLayer *layer, uint8_t flags, SketchError *error)
{
    uint64_t ones = bloom_layer_ones(layer);
    double rate = bloom_expected_rate((double)layer->capacity, layer->hashes, layer->blocks,
                                      layer->block_bytes);

    if (flags & ~BLOOM_FLAG_ESTIMATED)
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
validate_layers(Bloom bloom, SketchError *error)
{
    BloomLayer before = {0};
    uint64_t items = 0, told = bloom.items;

    if (bloom.expansion == 0 && bloom.layers > 1)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Filters where none may be added",
                                   bloom.layers, 1, 1);
    for (uint32_t i = 0; i < bloom.layers; i++) {
        uint8_t flags = bloom.next[31];
        BloomLayer layer = bloom_next_layer(&bloom);

        if (!validate_layer(&layer, flags, error))
            return false;
        if (i > 0 && bloom_layer_compare(&before, &layer) >= 0)
            return sketch_refuse(error, SKETCH_MALFORMED, "Filters are not in their order");
        if (layer.items > UINT64_MAX - items)
            return sketch_refuse(error, SKETCH_MALFORMED, "Too many items");
        items += layer.items;
        before = layer;
    }
    if (items != told)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "Items are not the sum of those of the filters");
    return true;
}

static bool
bloom_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    uint8_t *data;
    Bloom bloom;

    if (!validate_header(input, error))
        return false;
    if (!bloom_read(&bloom, input))
        return sketch_refuse(error, SKETCH_MALFORMED, "The body does not decode");
    if (bloom.layers == 0 ? !validate_list(&bloom, input, error) : !validate_layers(bloom, error))
        return false;
    data = memory->value(input.size, memory->context);
    memcpy(data, input.data, input.size);
    *value = (SketchBytes){data, input.size};
    return true;
}

const SketchOps bloom_ops = {
    .name = "bloom",
    .kind = SKETCH_BLOOM,
    .version = 1,
    .header_bytes = BLOOM_PACKED_HEADER,
    .validate = bloom_validate,
    .open = bloom_open,
    .pack = bloom_pack,
    .merge = bloom_merge,
};
