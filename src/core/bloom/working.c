/*
 * working.c - states: opening, adding, growing.
 *
 * A state is a BloomState and hashes (0x80), or a BloomLayersState, layers and hashes (0x81).
 * Adding appends a hash. Packing decides which hashes are new and where they belong. A state begins
 * with 128 bytes, length word included, for 12 hashes, and doubles when it is full of distinct ones
 * (from 16 MB it grows to 64). Hashes become a layer before packing only when the state has 512 MB:
 * 67 million hashes, or fewer if it has layers.
 *
 * A filter that must not grow (expansion 0) is always a BloomLayersState. Its items are added at
 * once, to a list or the one layer, because it has to know when it is full.
 */
#include "bloom_internal.h"

#include <string.h>

#include "core/common/polled.h"

#define MIN_CHUNK_BYTES 128
#define MAX_CHUNK_BYTES (UINT64_C(1) << 29)
#define QUADRUPLED_CHUNK_BYTES (UINT64_C(1) << 24) /* a value of this size grows fourfold */

SketchState
bloom_new_state(const Bloom *parameters, uint64_t bytes, size_t hashes, const SketchMemory *memory)
{
    const bool layered = bytes > 0 || parameters->expansion == 0;
    const size_t header = layered ? sizeof(BloomLayersState) : sizeof(BloomState);
    uint64_t size = header + (bytes + 7) / 8 * 8 + hashes * sizeof64(uint64_t);
    SketchState state;
    BloomState *s;

    /* A state above the largest chunk gets the exact size. */
    if (size <= MAX_CHUNK_BYTES)
        size = state_chunk(MIN_CHUNK_BYTES, size);
    state = state_new(SKETCH_BLOOM, layered ? BLOOM_LAYERS : BLOOM_HASHES, SKETCH_HASH_XXH3, size,
                      header, memory);
    s = bloom_state(state.data);
    s->expansion = (uint16_t)parameters->expansion;
    s->capacity = parameters->capacity;
    s->rate = parameters->rate;
    return state;
}

SketchState
bloom_new(uint64_t capacity, double rate, unsigned expansion, const SketchMemory *memory)
{
    Bloom parameters = {.capacity = capacity, .rate = rate, .expansion = expansion};

    return bloom_new_state(&parameters, 0, 0, memory);
}

/* Returns the bytes that the layers of a value take in a state. */
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
    BloomLayersState *s = bloom_layers_state(state.data);
    uint8_t *to = (uint8_t *)(s + 1) + s->layer_bytes;

    bloom_write_entry(to, layer);
    polled_copy(to + BLOOM_LAYER_HEADER, layer->bits, bloom_layer_bytes(layer), memory);
    s->layer_bytes += BLOOM_LAYER_HEADER + bloom_layer_bytes(layer);
    s->layers++;
}

SketchState
bloom_open_with(Bloom bloom, uint64_t more_bytes, size_t more_hashes, const SketchMemory *memory)
{
    SketchState state = bloom_new_state(&bloom, layers_size(bloom) + more_bytes,
                                        bloom.hashes.count + more_hashes, memory);

    for (Bloom at = bloom; at.layers > 0; at.layers--) {
        BloomLayer layer = bloom_next_layer(&at);

        bloom_append_layer(state, &layer, memory);
    }
    hash_log_append(bloom_log(state), &bloom.hashes, memory);
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

Bloom
bloom_read_state(SketchState state)
{
    Bloom bloom;

    /* Cannot fail: it has been read before. */
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

static bool
has_space(SketchState state, size_t more)
{
    HashLog log = bloom_log(state);

    return *log.count + more <= hash_log_max(log);
}

void
bloom_grow(StateWriter *w, size_t more)
{
    size_t count, wanted;

    if (has_space(w->state, more) || hash_log_tidy(bloom_log(w->state), more, w->memory))
        return;
    /* Hashes become layers once they are a quarter of a large state. */
    if (w->state.size >= state_size(MAX_CHUNK_BYTES) &&
        hash_log_max(bloom_log(w->state)) > MAX_CHUNK_BYTES / 4 / sizeof(uint64_t))
        state_replace(w, bloom_repack(sketch_bytes(w->state), w->memory));
    if (has_space(w->state, more))
        return;
    count = bloom_state(w->state.data)->hashes;
    wanted = count / 2 + 1 + bloom_state_layer_bytes(w->state.data) / 64;
    /* The executor copies a grown state, free space and all; growing fourfold saves one copy. */
    if (w->state.size == state_size(QUADRUPLED_CHUNK_BYTES))
        wanted += count;
    state_replace(w, bloom_open_with(bloom_read_state(w->state), 0, wanted > more ? wanted : more,
                                     w->memory));
}

static void
append(StateWriter *w, uint64_t hash)
{
    bloom_grow(w, 1);
    hash_log_add(bloom_log(w->state), hash);
}

static bool
refuse_full(uint64_t items, uint64_t capacity, SketchError *error)
{
    return sketch_refuse_range(error, SKETCH_LIMIT, "Items of a filter that does not grow",
                               (int64_t)items, 0, (int64_t)capacity);
}

bool
bloom_add_fixed(StateWriter *w, uint64_t hash, SketchError *error)
{
    Bloom bloom = bloom_read_state(w->state);
    BloomLayer layer;
    uint8_t *entry;

    if (bloom_contains(sketch_bytes(w->state), hash))
        return true;
    if (bloom.layers == 0) {
        if (bloom.hashes.count >= bloom.capacity)
            return refuse_full(bloom.hashes.count + UINT64_C(1), bloom.capacity, error);
        append(w, hash);
        if (bloom.hashes.count + 1 > bloom_list_limit(&bloom))
            state_replace(w, bloom_repack(sketch_bytes(w->state), w->memory));
        return true;
    }
    entry = (uint8_t *)bloom.next;
    layer = bloom_next_layer(&bloom);
    if (layer.items >= layer.capacity)
        return refuse_full(layer.items + 1, layer.capacity, error);
    bloom_layer_set(&layer, (uint8_t *)layer.bits, hash);
    layer.items++;
    bloom_write_entry(entry, &layer);
    return true;
}

bool
bloom_insert(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    StateWriter w = state_writer(*state, memory);
    bool inserted = true;

    if (bloom_state(state->data)->expansion == 0)
        inserted = bloom_add_fixed(&w, hash, error);
    else
        append(&w, hash);
    *state = w.state;
    return inserted;
}
