/*
 * packed.c - the packed form of a value: what goes into which layer.
 *
 * Collected hashes go into layers that are not full, the last layer first. Those that are left make
 * a new layer. The bytes depend only on the set of hashes and on the layers that were there.
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/polled.h"

/*
 * The contents of a packed value: layers, and distinct hashes that no layer has. `own` is the
 * scratch memory with the bits of layers that were copied or made here.
 */
typedef struct BloomContent {
    Bloom *bloom;
    const SketchMemory *memory;
    BloomLayer *layer;
    uint32_t layers;
    uint8_t **own;
    uint32_t owned;
    uint64_t *hash;
    size_t hashes;
} BloomContent;

#define SORT_NAME sort_layers
#define SORT_ELEMENT BloomLayer
#define SORT_BEFORE(a, b) (bloom_layer_compare(a, b) < 0)
#include "core/common/sort_merge.h"

/* Sorts the layers and drops repeated ones. */
static void
order_layers(BloomContent *content)
{
    const SketchMemory *memory = content->memory;
    BloomLayer *layer = content->layer;
    BloomLayer *other = memory->scratch(content->layers * sizeof64(*other) + 1, memory->context);
    uint32_t kept = 0;

    sort_layers(layer, content->layers, other, memory);
    memory->release(other, memory->context);
    for (uint32_t i = 0; i < content->layers; i++)
        if (kept == 0 || bloom_layer_compare(&layer[kept - 1], &layer[i]) != 0)
            layer[kept++] = layer[i];
    content->layers = kept;
}

#define STEPS_OF_LAYER 8 /* of looking up a hash that a layer does not have: a cache miss */

/*
 * Collects the distinct hashes that no layer has. They ascend unless there are no layers and more
 * than `sorted_max` hashes: the bits of a first layer do not depend on their order.
 */
static void
collect_hashes(BloomContent *content, size_t sorted_max)
{
    const SketchMemory *memory = content->memory;
    Bloom *bloom = content->bloom;
    size_t count, kept = 0;
    uint64_t *hash = hash_list_distinct(&bloom->hashes, bloom->layers > 0 ? UINT32_MAX : sorted_max,
                                        &count, memory);

    if (bloom->layers > 0) {
        POLLED_FOR (i, 0, count, STEPS_OF_LAYER * (size_t)bloom->layers, memory)
            if (!bloom_layers_contain(*bloom, hash[i]))
                hash[kept++] = hash[i];
        count = kept;
    }
    content->hash = hash;
    content->hashes = count;
}

static bool
content_has(const BloomContent *content, uint64_t hash)
{
    for (uint32_t i = 0; i < content->layers; i++)
        if (bloom_layer_contains(&content->layer[i], hash))
            return true;
    return false;
}

/* Puts hashes into layers that are not full, the last one first. */
static void
fill_layers(BloomContent *content)
{
    const SketchMemory *memory = content->memory;
    const size_t steps = 1 + STEPS_OF_LAYER * (size_t)content->layers;
    bool overfull = content->layers == BLOOM_LAYERS_MAX; /* no layer may follow */
    size_t at = 0, kept = 0;

    for (uint32_t i = content->layers; i-- > 0 && at < content->hashes;) {
        BloomLayer *layer = &content->layer[i];
        size_t bytes = bloom_layer_bytes(layer);
        uint8_t *bits;

        if (layer->items >= layer->capacity && !overfull)
            continue;
        bits = memory->scratch(bytes, memory->context);
        polled_copy(bits, layer->bits, bytes, memory);
        layer->bits = content->own[content->owned++] = bits;
        for (size_t stop = at; at < content->hashes && (layer->items < layer->capacity || overfull);
             at++) {
            if (at == stop) {
                memory->poll(memory->context);
                stop = sketch_piece_end(at, content->hashes, steps + layer->hashes);
            }
            if (content_has(content, content->hash[at]))
                continue;
            bloom_layer_set(layer, bits, content->hash[at]);
            layer->items++;
            /* Beyond the capacity, the items are estimated from the bits. */
            layer->estimated |= layer->items > layer->capacity;
        }
    }
    for (; at < content->hashes; memory->poll(memory->context))
        for (size_t stop = sketch_piece_end(at, content->hashes, steps); at < stop; at++)
            if (!content_has(content, content->hash[at]))
                content->hash[kept++] = content->hash[at];
    content->hashes = kept;
}

/* Plans a layer for the hashes that are left; it has no bits yet. */
static BloomLayer
plan_layer(const BloomContent *content)
{
    uint64_t before = 0;
    double used = 0;

    for (uint32_t i = 0; i < content->layers; i++) {
        before += content->layer[i].capacity;
        used += content->layer[i].rate;
    }
    return bloom_plan_layer(content->bloom, before, used, content->hashes);
}

static SketchBytes
write_list(const BloomContent *content)
{
    const SketchMemory *memory = content->memory;
    uint64_t size = BLOOM_PACKED_HEADER + content->hashes * sizeof64(uint64_t);
    uint8_t *data = memory->value(size, memory->context);

    bloom_write_header(data, BLOOM_LIST, content->bloom, 0, content->hashes);
    hash_list_write(data + BLOOM_PACKED_HEADER, content->hash, content->hashes, memory);
    return (SketchBytes){data, (size_t)size};
}

/* Adds a planned layer and sets its bits, at `bits` or, if that is NULL, in scratch memory. */
static void
add_layer(BloomContent *content, BloomLayer layer, uint8_t *bits)
{
    const SketchMemory *memory = content->memory;
    size_t bytes = bloom_layer_bytes(&layer);

    if (bits == NULL)
        bits = content->own[content->owned++] = memory->scratch(bytes, memory->context);
    polled_zero(bits, bytes, memory);
    POLLED_FOR (i, 0, content->hashes, layer.hashes, memory)
        bloom_layer_set(&layer, bits, content->hash[i]);
    layer.bits = bits;
    content->layer[content->layers++] = layer;
    content->hashes = 0;
}

static uint64_t
layers_size(const BloomContent *content)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < content->layers; i++)
        size += BLOOM_LAYER_HEADER + bloom_layer_bytes(&content->layer[i]);
    return size;
}

/* Writes the directory and the bits of all layers; returns the items in them. */
static uint64_t
put_layers(const BloomContent *content, uint8_t *entry)
{
    uint8_t *bits = entry + content->layers * (size_t)BLOOM_LAYER_HEADER;
    uint64_t items = 0;

    for (uint32_t i = 0; i < content->layers; i++) {
        const BloomLayer *layer = &content->layer[i];

        bloom_write_entry(entry, layer);
        if (layer->bits != bits)
            polled_copy(bits, layer->bits, bloom_layer_bytes(layer), content->memory);
        entry += BLOOM_LAYER_HEADER;
        bits += bloom_layer_bytes(layer);
        items += layer->items;
    }
    return items;
}

static SketchBytes
write_layers(BloomContent *content)
{
    const SketchMemory *memory = content->memory;
    uint64_t size = BLOOM_PACKED_HEADER + layers_size(content);
    uint8_t *data, *only = NULL;
    BloomLayer more = {0};
    uint64_t items;

    if (content->hashes > 0) {
        more = plan_layer(content);
        size += BLOOM_LAYER_HEADER + bloom_layer_bytes(&more);
    }
    /* A value that is too large is refused here, before any bit is set. */
    data = memory->value(size, memory->context);
    /* A single layer is made in place. */
    if (content->layers == 0)
        only = data + BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER;
    if (content->hashes > 0)
        add_layer(content, more, only);
    for (uint32_t i = 0; i < content->layers; i++)
        if (content->layer[i].estimated)
            content->layer[i].items =
                bloom_estimate(&content->layer[i], bloom_layer_ones(&content->layer[i], memory));
    order_layers(content);
    items = put_layers(content, data + BLOOM_PACKED_HEADER);
    bloom_write_header(data, BLOOM_FILTER, content->bloom, content->layers, items);
    return (SketchBytes){data, (size_t)size};
}

/* Writes layers as they are, and then the hashes that no layer has. */
static SketchBytes
write_transit(const BloomContent *content)
{
    const SketchMemory *memory = content->memory;
    uint64_t before = BLOOM_PACKED_HEADER + layers_size(content);
    uint64_t size = before + content->hashes * sizeof64(uint64_t);
    uint8_t *data = memory->value(size, memory->context);

    bloom_write_header(data, BLOOM_TRANSIT, content->bloom, content->layers, content->hashes);
    put_layers(content, data + BLOOM_PACKED_HEADER);
    hash_list_write(data + before, content->hash, content->hashes, memory);
    return (SketchBytes){data, (size_t)size};
}

static SketchBytes
write_content(BloomContent *content, bool transit)
{
    if (content->layers == 0 && content->hashes <= bloom_list_limit(content->bloom))
        return write_list(content);
    /* A filter that does not grow has one layer, and all hashes belong there. */
    if (transit && content->hashes > 0 && content->hashes <= HASH_TRANSIT_MAX &&
        content->bloom->expansion > 0)
        return write_transit(content);
    if (content->hashes > 0)
        fill_layers(content);
    return write_layers(content);
}

static SketchBytes
write_value(SketchBytes value, bool transit, const SketchMemory *memory)
{
    Bloom bloom;
    BloomLayer only;
    BloomContent content = {.bloom = &bloom, .memory = memory, .layer = &only};
    SketchBytes packed;
    Bloom layers;

    if (!bloom_read(&bloom, value))
        return (SketchBytes){NULL, 0};
    collect_hashes(&content, transit ? HASH_TRANSIT_MAX : BLOOM_LIST_MAX);
    if (bloom.layers > 0) {
        content.layer = memory->scratch((bloom.layers + 1) * sizeof64(BloomLayer), memory->context);
        content.own = memory->scratch((bloom.layers + 1) * sizeof64(uint8_t *), memory->context);
    }
    layers = bloom;
    while (content.layers < bloom.layers)
        content.layer[content.layers++] = bloom_next_layer(&layers);
    order_layers(&content);
    packed = write_content(&content, transit);
    while (content.owned > 0)
        memory->release(content.own[--content.owned], memory->context);
    if (bloom.layers > 0) {
        memory->release(content.own, memory->context);
        memory->release(content.layer, memory->context);
    }
    memory->release(content.hash, memory->context);
    return packed;
}

SketchBytes
bloom_pack(SketchBytes value, const SketchMemory *memory)
{
    return write_value(value, false, memory);
}

SketchBytes
bloom_transit(SketchBytes value, const SketchMemory *memory)
{
    return write_value(value, true, memory);
}
