/*
 * read.c - a value opened for reading, and probes of it.
 *
 * All encodings except RedisBloom's are read through one struct, Bloom: parameters, layers one
 * after the other, hashes beside them. bloom_read and bloom_read_directory decide whether bytes can
 * be read at all; the functions that take a Bloom rely on it.
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/hash_list.h"

/* Whether every layer is sound in itself, and together they take exactly `bytes`. */
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

/* `size` is the size of the whole packed value; `value` has at least its header and directory. */
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
    if (value.data[2] == BLOOM_TRANSIT) {
        if (bloom->items > HASH_LIST_TRANSIT_MAX || bloom->items * sizeof(uint64_t) > body)
            return false;
        bloom->hashes = (uint32_t)bloom->items;
        body -= bloom->hashes * sizeof(uint64_t);
        bloom->hash = value.data + BLOOM_PACKED_HEADER + body;
    } else if (value.data[2] != BLOOM_FILTER || bloom->layers == 0)
        return false;
    if (bloom->layers * (size_t)BLOOM_LAYER_HEADER > value.size - BLOOM_PACKED_HEADER)
        return false;
    bloom->next = value.data + BLOOM_PACKED_HEADER;
    bloom->next_bits = bloom->next + bloom->layers * (size_t)BLOOM_LAYER_HEADER;
    return layers_fill(bloom, body);
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
           front.data[2] == BLOOM_FILTER && read_packed(bloom, front, size) &&
           parameters_good(bloom);
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
    /* Three fields only: a whole BloomLayer would go through memory, which takes as long again. */
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
