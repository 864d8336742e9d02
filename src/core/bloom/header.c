/*
 * header.c - the fields of packed values and of the entries of their layers. Their bytes: bloom.c.
 */
#include "bloom_internal.h"

enum { EXPANSION = 4, LAYERS = 6, CAPACITY = 8, RATE = 16, ITEMS = 24 };

/* Offsets in the entry of a layer. */
enum {
    LAYER_CAPACITY = 0,
    LAYER_ITEMS = 8,
    LAYER_RATE = 16,
    LAYER_BLOCKS = 24,
    LAYER_BLOCK_BYTES = 28,
    LAYER_HASHES = 30,
    LAYER_FLAGS = 31
};

#define FLAG_ESTIMATED 1

Bloom
bloom_read_header(const uint8_t *data)
{
    return (Bloom){.expansion = load_le16(data + EXPANSION),
                   .layers = load_le16(data + LAYERS),
                   .capacity = load_le64(data + CAPACITY),
                   .rate = load_le_double(data + RATE),
                   .items = load_le64(data + ITEMS)};
}

uint64_t
bloom_items(const uint8_t *data)
{
    return load_le64(data + ITEMS);
}

void
bloom_write_header(uint8_t *data, uint8_t encoding, const Bloom *bloom, uint32_t layers,
                   uint64_t items)
{
    sketch_write_common(data, SKETCH_BLOOM, BLOOM_VERSION, encoding, SKETCH_HASH_XXH3);
    store_le16(data + EXPANSION, (uint16_t)bloom->expansion);
    store_le16(data + LAYERS, (uint16_t)layers);
    store_le64(data + CAPACITY, bloom->capacity);
    store_le_double(data + RATE, bloom->rate);
    store_le64(data + ITEMS, items);
}

size_t
bloom_front_bytes(const uint8_t *data)
{
    return BLOOM_PACKED_HEADER + bloom_read_header(data).layers * (size_t)BLOOM_LAYER_HEADER;
}

BloomLayer
bloom_layer_entry(const uint8_t *entry)
{
    return (BloomLayer){.capacity = load_le64(entry + LAYER_CAPACITY),
                        .items = load_le64(entry + LAYER_ITEMS),
                        .rate = load_le_double(entry + LAYER_RATE),
                        .blocks = load_le32(entry + LAYER_BLOCKS),
                        .block_bytes = load_le16(entry + LAYER_BLOCK_BYTES),
                        .hashes = entry[LAYER_HASHES],
                        .estimated = (entry[LAYER_FLAGS] & FLAG_ESTIMATED) != 0};
}

void
bloom_write_entry(uint8_t *entry, const BloomLayer *layer)
{
    store_le64(entry + LAYER_CAPACITY, layer->capacity);
    store_le64(entry + LAYER_ITEMS, layer->items);
    store_le_double(entry + LAYER_RATE, layer->rate);
    store_le32(entry + LAYER_BLOCKS, layer->blocks);
    store_le16(entry + LAYER_BLOCK_BYTES, (uint16_t)layer->block_bytes);
    entry[LAYER_HASHES] = (uint8_t)layer->hashes;
    entry[LAYER_FLAGS] = layer->estimated ? FLAG_ESTIMATED : 0;
}

bool
bloom_entry_has_unknown_flags(const uint8_t *entry)
{
    return (entry[LAYER_FLAGS] & ~FLAG_ESTIMATED) != 0;
}

bool
bloom_single_contains(SketchBytes value, uint64_t hash, bool *contains)
{
    const size_t front = BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER;
    const uint8_t *entry = value.data + BLOOM_PACKED_HEADER;
    BloomLayer layer;

    if (value.size <= front || sketch_encoding(value.data) != BLOOM_FILTER ||
        load_le16(value.data + LAYERS) != 1)
        return false;
    /* Three fields only: a whole BloomLayer would go through memory and double the time. */
    layer = (BloomLayer){.blocks = load_le32(entry + LAYER_BLOCKS),
                         .block_bytes = load_le16(entry + LAYER_BLOCK_BYTES),
                         .hashes = entry[LAYER_HASHES]};
    if (layer.hashes == 0 || bloom_layer_bytes(&layer) != value.size - front)
        return false;
    *contains =
        bloom_block_contains(&layer, value.data + front + bloom_block_at(&layer, hash), hash);
    return true;
}
