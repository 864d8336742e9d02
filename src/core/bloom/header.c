/*
 * header.c - the fields of packed values and of the entries of their layers. Their bytes: bloom.c.
 */
#include "bloom_internal.h"

#define FLAG_ESTIMATED 1

Bloom
bloom_read_header(const uint8_t *data)
{
    return (Bloom){.expansion = load_le16(data + 4),
                   .layers = load_le16(data + 6),
                   .capacity = load_le64(data + 8),
                   .rate = load_le_double(data + 16),
                   .items = load_le64(data + 24)};
}

void
bloom_write_header(uint8_t *data, uint8_t encoding, const Bloom *bloom, uint32_t layers,
                   uint64_t items)
{
    data[0] = SKETCH_BLOOM;
    data[1] = BLOOM_VERSION;
    data[2] = encoding;
    data[3] = SKETCH_HASH_XXH3;
    store_le16(data + 4, (uint16_t)bloom->expansion);
    store_le16(data + 6, (uint16_t)layers);
    store_le64(data + 8, bloom->capacity);
    store_le_double(data + 16, bloom->rate);
    store_le64(data + 24, items);
}

size_t
bloom_front_bytes(const uint8_t *data)
{
    return BLOOM_PACKED_HEADER + bloom_read_header(data).layers * (size_t)BLOOM_LAYER_HEADER;
}

BloomLayer
bloom_layer_entry(const uint8_t *entry)
{
    return (BloomLayer){.capacity = load_le64(entry),
                        .items = load_le64(entry + 8),
                        .rate = load_le_double(entry + 16),
                        .blocks = load_le32(entry + 24),
                        .block_bytes = load_le16(entry + 28),
                        .hashes = entry[30],
                        .estimated = (entry[31] & FLAG_ESTIMATED) != 0};
}

void
bloom_write_entry(uint8_t *entry, const BloomLayer *layer)
{
    store_le64(entry, layer->capacity);
    store_le64(entry + 8, layer->items);
    store_le_double(entry + 16, layer->rate);
    store_le32(entry + 24, layer->blocks);
    store_le16(entry + 28, (uint16_t)layer->block_bytes);
    entry[30] = (uint8_t)layer->hashes;
    entry[31] = layer->estimated ? FLAG_ESTIMATED : 0;
}

bool
bloom_entry_has_unknown_flags(const uint8_t *entry)
{
    return (entry[31] & ~FLAG_ESTIMATED) != 0;
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
