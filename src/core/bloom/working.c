/*
 * working.c - filters that change: opening, adding.
 *
 * Two working encodings, in host byte order:
 *
 *     0..3    as in every value
 *     4..5    expansion
 *     6..7    zero
 *     8..11   hashes
 *     12..19  capacity
 *     20..27  rate
 *
 *     hashes (0x80):   28..   hashes, 8 bytes each, in no order and with repetitions
 *     layers (0x81):   28..35 bytes of the layers
 *                      36..39 layers
 *                      40..43 zero
 *                      44..   layers, each its entry as it is stored and then its bits; at the next
 *                             multiple of 8 from 44 on hashes, as above
 *
 * Adding appends a hash. Packing decides which hashes are new and where they belong. A value begins
 * with 128 bytes for 12 hashes, length word included, and doubles when it is full of distinct ones
 * (16 MB grow to 64). Hashes become a layer before packing only when the value has 512 MB: 67
 * million hashes, or fewer beside layers.
 *
 * A filter that must not grow (expansion 0) is always kept as layers, and an item is put into its
 * place at once, because the filter has to know when it is full.
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/distinct.h"
#include "core/common/polled.h"

#define SMALLEST_CHUNK 128
#define LARGEST_CHUNK (UINT64_C(1) << 29)
#define FOURFOLD_CHUNK (UINT64_C(1) << 24) /* a value of this size grows fourfold */

/* A state of `size` bytes or more, so that it and its length word fill a power of two. */
static SketchState
new_chunk(size_t size, const SketchMemory *memory)
{
    size_t chunk = SMALLEST_CHUNK;
    SketchState state;

    while (chunk < size + SKETCH_PREFIX_BYTES && chunk < LARGEST_CHUNK)
        chunk *= 2;
    /* Above the largest chunk a value gets the size it needs. */
    state.size = chunk >= size + SKETCH_PREFIX_BYTES ? chunk - SKETCH_PREFIX_BYTES : size;
    state.data = memory->value(state.size, memory->context);
    return state;
}

SketchState
bloom_new_working(uint64_t capacity, double rate, unsigned expansion, uint64_t bytes, size_t hashes,
                  const SketchMemory *memory)
{
    bool layered = bytes > 0 || expansion == 0;
    size_t header = layered ? BLOOM_LAYERS_HEADER + (bytes + 7) / 8 * 8 : BLOOM_HASHES_HEADER;
    SketchState state = new_chunk(header + hashes * sizeof(uint64_t), memory);
    uint16_t narrow = (uint16_t)expansion;

    memset(state.data, 0, layered ? BLOOM_LAYERS_HEADER : BLOOM_HASHES_HEADER);
    state.data[0] = SKETCH_BLOOM;
    state.data[1] = BLOOM_VERSION;
    state.data[2] = layered ? BLOOM_LAYERS : BLOOM_HASHES;
    state.data[3] = SKETCH_HASH_XXH3;
    memcpy(state.data + 4, &narrow, sizeof narrow);
    memcpy(state.data + 12, &capacity, sizeof capacity);
    memcpy(state.data + 20, &rate, sizeof rate);
    return state;
}

SketchState
bloom_new(uint64_t capacity, double rate, unsigned expansion, const SketchMemory *memory)
{
    return bloom_new_working(capacity, rate, expansion, 0, 0, memory);
}

/* The bytes that the layers of a value take in a working one. */
static uint64_t
layers_size(Bloom bloom)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < bloom.layers; i++) {
        BloomLayer layer = bloom_next_layer(&bloom);

        bytes += BLOOM_LAYER_HEADER + bloom_layer_bytes(&layer);
    }
    return bytes;
}

void
bloom_append_layer(SketchState state, const BloomLayer *layer, const SketchMemory *memory)
{
    uint64_t bytes = bloom_state_layer_bytes(state);
    uint8_t *to = state.data + BLOOM_LAYERS_HEADER + bytes;

    bloom_layer_write(to, layer);
    polled_copy(to + BLOOM_LAYER_HEADER, layer->bits, bloom_layer_bytes(layer), memory);
    bytes += BLOOM_LAYER_HEADER + bloom_layer_bytes(layer);
    memcpy(state.data + 28, &bytes, sizeof bytes);
    *(uint32_t *)(state.data + 36) += 1;
}

SketchState
bloom_open_with(Bloom bloom, uint64_t more_bytes, size_t more_hashes, const SketchMemory *memory)
{
    SketchState state =
        bloom_new_working(bloom.capacity, bloom.rate, bloom.expansion,
                          layers_size(bloom) + more_bytes, bloom.hashes + more_hashes, memory);
    uint64_t *to;

    for (Bloom at = bloom; at.layers > 0; at.layers--) {
        BloomLayer layer = bloom_next_layer(&at);

        bloom_append_layer(state, &layer, memory);
    }
    to = bloom_state_hashes(state);
    if (bloom.working)
        polled_copy(to, bloom.hash, bloom.hashes * sizeof *to, memory);
    else
        for (size_t i = 0; i < bloom.hashes; memory->poll(memory->context))
            for (size_t stop = sketch_piece_end(i, bloom.hashes, 1); i < stop; i++)
                to[i] = bloom_hash_at(&bloom, (uint32_t)i);
    *bloom_count_at(state) = bloom.hashes;
    return state;
}

SketchState
bloom_open(SketchBytes value, const SketchMemory *memory)
{
    Bloom bloom;

    if (!bloom_read(&bloom, value))
        return (SketchState){NULL, 0};
    return bloom_open_with(bloom, 0, 0, memory);
}

void
bloom_change_replace(BloomChange *change, SketchState with)
{
    if (change->state.data != change->original)
        change->memory->release_value(change->state.data, change->memory->context);
    change->state = with;
}

Bloom
bloom_read_state(SketchState state)
{
    Bloom bloom;

    /* It was read before, so it can be read. */
    if (!bloom_read(&bloom, sketch_bytes(state)))
        memset(&bloom, 0, sizeof bloom);
    return bloom;
}

SketchState
bloom_repack(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = bloom_pack(value, memory);
    SketchState state = bloom_open(packed, memory);

    memory->release_value((uint8_t *)packed.data, memory->context);
    return state;
}

/* ---- adding ---- */

void
bloom_change_reserve(BloomChange *change)
{
    SketchState state = change->state;
    size_t max = bloom_hashes_max(state), more;
    uint32_t count = *bloom_count_at(state);

    if (count < max)
        return;
    count = (uint32_t)distinct_drop(bloom_state_hashes(state), count, change->memory);
    *bloom_count_at(state) = count;
    if (count > 0 && count <= max / 2)
        return;
    if (state.size + SKETCH_PREFIX_BYTES >= LARGEST_CHUNK && max > LARGEST_CHUNK / 32)
        bloom_change_replace(change, bloom_repack(sketch_bytes(state), change->memory));
    state = change->state;
    count = *bloom_count_at(state);
    if (count < bloom_hashes_max(state))
        return;
    more = count / 2 + 1 + bloom_state_layer_bytes(state) / 64;
    /* The executor copies a grown state with its free space: one large copy is saved. */
    if (state.size + SKETCH_PREFIX_BYTES == FOURFOLD_CHUNK)
        more += count;
    bloom_change_replace(change, bloom_open_with(bloom_read_state(state), 0, more, change->memory));
}

static bool
refuse_full(uint64_t items, uint64_t capacity, SketchError *error)
{
    return sketch_refuse_range(error, SKETCH_LIMIT, "Items of a filter that does not grow",
                               (int64_t)items, 0, (int64_t)capacity);
}

bool
bloom_change_insert_fixed(BloomChange *change, uint64_t hash, SketchError *error)
{
    Bloom bloom = bloom_read_state(change->state);
    BloomLayer layer;
    uint8_t *entry;

    if (bloom_contains(sketch_bytes(change->state), hash))
        return true;
    if (bloom.layers == 0) {
        if (bloom.hashes >= bloom.capacity)
            return refuse_full(bloom.hashes + UINT64_C(1), bloom.capacity, error);
        bloom_change_append(change, hash);
        if (bloom.hashes + 1 > bloom_list_limit(&bloom))
            bloom_change_replace(change, bloom_repack(sketch_bytes(change->state), change->memory));
        return true;
    }
    entry = (uint8_t *)bloom.next;
    layer = bloom_next_layer(&bloom);
    if (layer.items >= layer.capacity)
        return refuse_full(layer.items + 1, layer.capacity, error);
    bloom_layer_set(&layer, (uint8_t *)layer.bits, hash);
    layer.items++;
    bloom_layer_write(entry, &layer);
    return true;
}

bool
bloom_insert(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    BloomChange change = {*state, state->data, memory};
    bool inserted = true;

    if (bloom_state_expansion(*state) == 0)
        inserted = bloom_change_insert_fixed(&change, hash, error);
    else
        bloom_change_append(&change, hash);
    *state = change.state;
    return inserted;
}
