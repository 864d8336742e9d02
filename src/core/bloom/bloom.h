/*
 * bloom.h - Bloom filter: has this been seen? The essay is in bloom.c.
 */
#ifndef BLOOM_H
#define BLOOM_H

#include "core/common/bytes.h"
#include "core/common/hash_log.h"
#include "core/common/state.h"

#define BLOOM_CAPACITY_MIN 1
#define BLOOM_CAPACITY_MAX (INT64_C(1) << 30)
#define BLOOM_CAPACITY_DEFAULT 100
#define BLOOM_RATE_MIN 1e-9 /* rates are below 1 */
#define BLOOM_RATE_DEFAULT 0.01
#define BLOOM_EXPANSION_MAX 32768
#define BLOOM_EXPANSION_DEFAULT 2

/* Encodings: three packed ones, one in transit, and two working ones (and RedisBloom's, 0x82). */
#define BLOOM_LIST 0
#define BLOOM_FILTER 1
#define BLOOM_REDIS 2 /* of RedisBloom: redis.h */
#define BLOOM_TRANSIT SKETCH_TRANSIT
#define BLOOM_HASHES (SKETCH_WORKING | 0)
#define BLOOM_LAYERS (SKETCH_WORKING | 1)

#define BLOOM_PACKED_HEADER 32
#define BLOOM_LAYER_HEADER 32

/* Maximum number of hashes in a packed list. */
#define BLOOM_LIST_MAX 240

/*
 * Maximum number of layers, which keeps a probe cheap. A union may have fewer, so that items can
 * still be added to it. Growing from any capacity to 1 GB takes at most 170 layers.
 */
#define BLOOM_LAYERS_MAX 256
#define BLOOM_UNION_LAYERS_MAX 192

/* A union is refused if the sum of its layers' rates exceeds this and twice the requested rate. */
#define BLOOM_UNION_RATE_MAX 0.5

/* Maximum size of a block. */
#define BLOOM_BLOCK_BYTES 512
#define BLOOM_HASHES_MAX 64 /* bits an item sets */

extern const SketchOps bloom_ops;

/* One filter of a value. */
typedef struct BloomLayer {
    uint64_t capacity;
    uint64_t items;
    double rate; /* of false positives when it holds `capacity` items */
    uint32_t blocks;
    uint32_t block_bytes;
    unsigned hashes;
    bool estimated; /* items is estimated from the bits */
    const uint8_t *bits;
} BloomLayer;

/* A value opened for reading: its parameters, its layers one by one, and its hashes. */
typedef struct Bloom {
    uint64_t capacity;
    double rate;
    unsigned expansion; /* 0: holds at most `capacity` items */
    uint32_t layers;
    const uint8_t *next; /* entry that bloom_next_layer reads next */
    const uint8_t *next_bits;
    HashList hashes; /* of a state: some may be in a layer already */
    uint64_t items;  /* packed: in all layers, or in the list */
} Bloom;

/* Opens a value for reading; fails for a damaged one. */
extern bool bloom_read(Bloom *bloom, SketchBytes value);

/*
 * Reads the header and directory of a packed filter of `size` bytes. `front` needs to hold no more
 * than these, so the bits of the layers must not be read.
 */
extern bool bloom_read_directory(Bloom *bloom, SketchBytes front, size_t size);

/* Returns the number of items in a packed value, from its header. */
extern uint64_t bloom_items(const uint8_t *data);

/* Returns the bytes of a packed filter's header and directory, from its header. */
extern size_t bloom_front_bytes(const uint8_t *data);

/* Returns the next layer; may be called `layers` times. */
extern BloomLayer bloom_next_layer(Bloom *bloom);

/* Returns the size of a value at the point where its first filter replaces the list. */
extern uint64_t bloom_first_bytes(uint64_t capacity, double rate, unsigned expansion);

/* Returns an empty working filter; the parameters must be in range. */
extern SketchState bloom_new(uint64_t capacity, double rate, unsigned expansion,
                             const SketchMemory *memory);

/*
 * Adds an item by its hash. bloom_add is the fast path; it returns false, with nothing changed,
 * when bloom_insert is needed. bloom_insert replaces *state as SketchOps.merge does; it fails, with
 * nothing changed, when a filter that does not grow is full.
 */
static inline bool bloom_add(SketchState state, uint64_t hash);
extern bool bloom_insert(SketchState *state, uint64_t hash, const SketchMemory *memory,
                         SketchError *error);

/*
 * Returns true if an item may have been added; false is certain. A damaged value contains nothing.
 */
extern bool bloom_has(const Bloom *bloom, uint64_t hash);
extern bool bloom_contains(SketchBytes value, uint64_t hash);

/* A fast path for packed values of one layer, the usual case; returns false for all others. */
extern bool bloom_single_contains(SketchBytes value, uint64_t hash, bool *contains);

/*
 * For a probe that reads only part of a value: bloom_block_at returns where the block of an item
 * begins in the bits of a layer, bloom_block_contains whether that block has the item.
 */
extern size_t bloom_block_at(const BloomLayer *layer, uint64_t hash);
extern bool bloom_block_contains(const BloomLayer *layer, const uint8_t *block, uint64_t hash);

/* Returns a layer from its entry in the directory. Entry i is at BLOOM_PACKED_HEADER + 32 i. */
extern BloomLayer bloom_layer_entry(const uint8_t *entry);

/* Below 2^48; at most the size of the value if bloom_read accepted it. */
static inline uint64_t
bloom_layer_bytes(const BloomLayer *layer)
{
    return (uint64_t)layer->blocks * layer->block_bytes;
}

/*
 * Replaces *state, as SketchOps.merge does, by the intersection, which is a list if either side is
 * one. Fails unless one side is a list or both are single layers of the same shape.
 */
extern bool bloom_intersect(SketchState *state, SketchBytes other, const SketchMemory *memory,
                            SketchError *error);

/* Counts the set bits of a layer; returns the false-positive rate they imply. */
extern uint64_t bloom_layer_ones(const BloomLayer *layer, const SketchMemory *memory);
extern double bloom_layer_rate(const BloomLayer *layer, const SketchMemory *memory);

/*
 * The struct of a working value. Its layers follow, if it has any, then a log of hashes
 * (working.c).
 */
typedef struct BloomState {
    StateHeader header;
    uint16_t expansion;
    uint16_t unused;
    uint32_t hashes;
    uint64_t capacity;
    double rate;
} BloomState;

_Static_assert(sizeof(BloomState) == 32, "a state of 12 hashes has 128 bytes");

static inline BloomState *
bloom_state(const uint8_t *data)
{
    return state_at(data);
}

static inline bool
bloom_add(SketchState state, uint64_t hash)
{
    BloomState *s = bloom_state(state.data);
    HashLog log = {(uint64_t *)(s + 1), &s->hashes, state_end(state)};

    return s->header.encoding == BLOOM_HASHES && hash_log_add(log, hash);
}

#endif
