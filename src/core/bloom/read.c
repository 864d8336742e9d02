/*
 * read.c - a value opened for reading, and probes of it.
 *
 * All encodings except RedisBloom's are read through one struct, Bloom: parameters, layers one
 * after the other, then hashes. bloom_read and bloom_read_directory decide whether bytes can
 * be read at all; the functions that take a Bloom rely on it.
 */
#include "bloom_internal.h"

#include <string.h>

/* Returns true if each layer of a packed value is sound by itself and all of them fill `bytes`. */
static bool
layers_fill(const Bloom *bloom, size_t bytes)
{
    const uint8_t *entry = bloom->next;

    for (uint32_t i = 0; i < bloom->layers; i++, entry += BLOOM_LAYER_HEADER) {
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
    }
    return bytes == 0;
}

/* `size` is the size of the whole packed value; `value` has at least its header and directory. */
static bool
read_packed(Bloom *bloom, SketchBytes value, size_t size)
{
    const uint8_t encoding = sketch_encoding(value.data), *body = value.data + BLOOM_PACKED_HEADER;
    size_t left = size - BLOOM_PACKED_HEADER;

    *bloom = bloom_read_header(value.data);
    if (encoding == BLOOM_LIST) {
        bloom->layers = 0;
        bloom->hashes = (HashList){.data = body, .count = (uint32_t)bloom->items};
        return bloom->items <= BLOOM_LIST_MAX && left == bloom->items * sizeof(uint64_t);
    }
    if (encoding == BLOOM_TRANSIT) {
        if (bloom->items > HASH_TRANSIT_MAX || bloom->items * sizeof(uint64_t) > left)
            return false;
        left -= bloom->items * sizeof(uint64_t);
        bloom->hashes = (HashList){.data = body + left, .count = (uint32_t)bloom->items};
    } else if (encoding != BLOOM_FILTER || bloom->layers == 0)
        return false;
    if (bloom->layers * (size_t)BLOOM_LAYER_HEADER > value.size - BLOOM_PACKED_HEADER)
        return false;
    bloom->next = body;
    bloom->next_bits = body + bloom->layers * (size_t)BLOOM_LAYER_HEADER;
    return layers_fill(bloom, left);
}

static bool
read_working(Bloom *bloom, SketchBytes value)
{
    const bool layered = sketch_encoding(value.data) == BLOOM_LAYERS;
    const BloomState *s = bloom_state(value.data);

    if (!state_fits(value, layered ? sizeof(BloomLayersState) : sizeof(BloomState)))
        return false;
    *bloom = (Bloom){
        .capacity = s->capacity,
        .rate = s->rate,
        .expansion = s->expansion,
        .hashes = {(const uint8_t *)bloom_state_hashes(value.data), s->hashes, .is_log = true}};
    if (layered) {
        bloom->layers = bloom_layers_state(value.data)->layers;
        bloom->next = (const uint8_t *)(bloom_layers_state(value.data) + 1);
        bloom->next_bits = bloom->next + BLOOM_LAYER_HEADER;
    }
    return true;
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
    /* A damaged value whose kind is that of another type has been opened as one of that type. */
    if (sketch_kind(value.data) != SKETCH_BLOOM)
        return false;
    if (sketch_is_working(value.data))
        return read_working(bloom, value);
    return value.size >= BLOOM_PACKED_HEADER && read_packed(bloom, value, value.size) &&
           parameters_good(bloom);
}

bool
bloom_read_directory(Bloom *bloom, SketchBytes front, size_t size)
{
    return front.size >= BLOOM_PACKED_HEADER && front.size <= size &&
           sketch_encoding(front.data) == BLOOM_FILTER && read_packed(bloom, front, size) &&
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
    if (bloom->hashes.is_log) {
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
    const HashList *hashes = &bloom->hashes;
    uint32_t low = 0, high = hashes->count;

    if (hashes->is_log) {
        for (uint32_t i = 0; i < hashes->count; i++)
            if (hash_list_at(hashes, i) == hash)
                return true;
        return bloom_layers_contain(*bloom, hash);
    }
    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (hash_list_at(hashes, middle) < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return (low < hashes->count && hash_list_at(hashes, low) == hash) ||
           bloom_layers_contain(*bloom, hash);
}

bool
bloom_contains(SketchBytes value, uint64_t hash)
{
    Bloom bloom;

    return bloom_read(&bloom, value) && bloom_has(&bloom, hash);
}
