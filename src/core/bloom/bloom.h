/*
 * bloom.h - Bloom filter: has this been seen? The essay is in bloom.c.
 */
#ifndef BLOOM_H
#define BLOOM_H

#include "core/common/bytes.h"
#include "core/sketch.h"

#define BLOOM_CAPACITY_MIN 1
#define BLOOM_CAPACITY_MAX (INT64_C(1) << 30)
#define BLOOM_CAPACITY_DEFAULT 100
#define BLOOM_RATE_MIN 1e-9 /* up to, and without, 1 */
#define BLOOM_RATE_DEFAULT 0.01
#define BLOOM_EXPANSION_MAX 32768
#define BLOOM_EXPANSION_DEFAULT 2

/* Encodings: packed, and two working ones. */
#define BLOOM_LIST 0
#define BLOOM_FILTER 1
#define BLOOM_HASHES (SKETCH_WORKING | 0)
#define BLOOM_LAYERS (SKETCH_WORKING | 1)

#define BLOOM_PACKED_HEADER 32
#define BLOOM_LAYER_HEADER 32
#define BLOOM_HASHES_HEADER 28
#define BLOOM_LAYERS_HEADER 44

/* The most hashes of a packed list. */
#define BLOOM_LIST_MAX 240

/* Layers of a value, and the bytes of a block of theirs, at most. */
#define BLOOM_LAYERS_MAX 65535
#define BLOOM_BLOCK_BYTES 512
#define BLOOM_HASHES_MAX 64 /* bits an item sets */

extern const SketchOps bloom_ops;

/* One filter of a value. */
typedef struct BloomLayer {
    uint64_t capacity;
    uint64_t items;
    double rate; /* of false positives at `capacity` items */
    uint32_t blocks;
    uint32_t block_bytes;
    unsigned hashes;
    bool estimated; /* items is what the bits tell */
    const uint8_t *bits;
} BloomLayer;

/* A value opened for reading: its parameters, its layers one by one, and the hashes beside them. */
typedef struct Bloom {
    uint64_t capacity;
    double rate;
    unsigned expansion; /* 0: holds `capacity` items and no more */
    bool working;
    uint32_t layers;
    const uint8_t *next; /* of the layers: where bloom_next_layer is */
    const uint8_t *next_bits;
    const uint8_t *hash; /* 8 bytes each; packed: ascending */
    uint32_t hashes;     /* in a working value possibly with repetitions, and with members */
    uint64_t items;      /* packed: all of them */
} Bloom;

/* False for a damaged value. */
extern bool bloom_read(Bloom *bloom, SketchBytes value);

/*
 * The same for a filter of `size` bytes of which only the front is there, up to the end of the
 * directory. Its layers have no bits.
 */
extern bool bloom_read_directory(Bloom *bloom, SketchBytes front, size_t size);

/* The bytes of header and directory of a packed filter, of whose header there are 8 bytes. */
static inline size_t
bloom_front_bytes(const uint8_t *data)
{
    return BLOOM_PACKED_HEADER + load_le16(data + 6) * (size_t)BLOOM_LAYER_HEADER;
}

/* The layers in their order, `layers` times. */
extern BloomLayer bloom_next_layer(Bloom *bloom);

/* The bytes that a value takes when its hashes are too many for a list. */
extern uint64_t bloom_first_bytes(uint64_t capacity, double rate, unsigned expansion);

/* An empty working filter; the parameters must be in range. */
extern SketchState bloom_new(uint64_t capacity, double rate, unsigned expansion,
                             const SketchMemory *memory);

/*
 * Adds an item by its hash. bloom_insert replaces *state as SketchOps.merge does; it fails, with
 * nothing changed, when a filter that does not grow is full.
 */
static inline bool bloom_add(SketchState state, uint64_t hash);
extern bool bloom_insert(SketchState *state, uint64_t hash, const SketchMemory *memory,
                         SketchError *error);

/* Whether an item may have been added; false is certain. A damaged value contains nothing. */
extern bool bloom_has(const Bloom *bloom, uint64_t hash);
extern bool bloom_contains(SketchBytes value, uint64_t hash);

/* The same of a packed value of one filter, which is most of them; false for others. */
extern bool bloom_single_contains(SketchBytes value, uint64_t hash, bool *contains);

/*
 * The same from pieces: which block of a layer an item is in, as its place among the bits of the
 * layer, and whether such a block has it.
 */
extern size_t bloom_block_at(const BloomLayer *layer, uint64_t hash);
extern bool bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash);

/* A layer from its entry in the directory, which stands at BLOOM_PACKED_HEADER + 32 i. */
extern BloomLayer bloom_layer_entry(const uint8_t *entry);

/* Below 2^41; of a value that was read, of its size. */
static inline uint64_t
bloom_layer_bytes(const BloomLayer *layer)
{
    return (uint64_t)layer->blocks * layer->block_bytes;
}

/* *state becomes what both have, as merge makes the union; fails for filters of other shapes. */
extern bool bloom_intersect(SketchState *state, SketchBytes other, const SketchMemory *memory,
                            SketchError *error);

/* How many bits of a layer are set, and its rate of false positives as it is filled. */
extern uint64_t bloom_layer_ones(const BloomLayer *layer);
extern double bloom_layer_rate(const BloomLayer *layer);

/* The parameters of an aggregate's state. */
static inline uint64_t
bloom_state_capacity(const uint8_t *data)
{
    uint64_t capacity;

    memcpy(&capacity, data + 12, sizeof capacity);
    return capacity;
}

static inline double
bloom_state_rate(const uint8_t *data)
{
    double rate;

    memcpy(&rate, data + 20, sizeof rate);
    return rate;
}

static inline bool
bloom_add(SketchState state, uint64_t hash)
{
    uint8_t *data = state.data;
    uint32_t *count = (uint32_t *)(data + 8);

    if (data[2] != BLOOM_HASHES ||
        BLOOM_HASHES_HEADER + (*count + (size_t)1) * sizeof(uint64_t) > state.size)
        return false;
    ((uint64_t *)(data + BLOOM_HASHES_HEADER))[(*count)++] = hash;
    return true;
}

#endif
