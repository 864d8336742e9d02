/*
 * bloom_internal.h - what the files of bloom share with one another and with nobody else. Each file
 * uses those above it only.
 *
 * geometry.c  how many bits for how many items at which rate, and back
 * layer.c     the bits of one layer
 * read.c      a value opened for reading, and probes of it
 * pack.c      the packed form: what goes into which layer
 * working.c   filters that change: opening, adding
 * combine.c   union and intersection
 * redis.c     filters of RedisBloom, which are kept apart
 * redis_transfer.c  their payloads, in and out
 * bloom.c     the essay; validating
 */
#ifndef BLOOM_INTERNAL_H
#define BLOOM_INTERNAL_H

#include "bloom.h"
#include "core/common/bytes.h"

#define BLOOM_VERSION 1

#define BLOOM_FLAG_ESTIMATED 1 /* in byte 31 of a layer's entry */

/*
 * The share of the rate asked for that a layer gets if it is meant to be the only one. The rest is
 * for what is added later, and for bad luck in small filters.
 */
#define BLOOM_WHOLE_SHARE 0.9

/* The most items that a layer may be made for: more than any that 1 GB has bits for. */
#define BLOOM_LAYER_CAPACITY_MAX (UINT64_C(1) << 36)

/* ---- geometry.c ---- */

/* Sets blocks, block_bytes and hashes of a layer from its capacity and rate. */
extern void bloom_layer_shape(BloomLayer *layer);

/* The rate that n items are expected to give. */
extern double bloom_expected_rate(double n, unsigned hashes, uint32_t blocks, uint32_t block_bytes);

/* The number of items that set `ones` bits; at least 1 if a bit is set. */
extern uint64_t bloom_estimate(const BloomLayer *layer, uint64_t ones);

/* The rate of the layer that a new value begins with. */
extern double bloom_first_rate(const Bloom *bloom);

/* The most hashes that stay a list. */
extern uint32_t bloom_list_limit(const Bloom *bloom);

/*
 * The next layer, for at least `items` items, of a value that has layers for `before` items whose
 * rates add up to `used`. Only the parameters of *bloom are read.
 */
extern BloomLayer bloom_plan_layer(const Bloom *bloom, uint64_t before, double used,
                                   uint64_t items);

/* ---- layer.c ---- */

extern void bloom_layer_write(uint8_t *entry, const BloomLayer *layer);
extern bool bloom_layer_contains(const BloomLayer *layer, uint64_t hash);
extern void bloom_layer_set(const BloomLayer *layer, uint8_t *bits, uint64_t hash);

/* Whether the bits of two layers may be combined. */
extern bool bloom_layer_same_shape(const BloomLayer *a, const BloomLayer *b);
extern void bloom_layer_or(uint8_t *bits, const BloomLayer *other, const SketchMemory *memory);
extern void bloom_layer_and(uint8_t *bits, const BloomLayer *other, const SketchMemory *memory);

/* For each of two layers whether it has a bit set that the other has not. */
typedef struct BloomDifference {
    bool only_a;
    bool only_b;
} BloomDifference;

/* The bits that are set in either of two layers, in their first `blocks` blocks. */
extern uint64_t bloom_layer_or_ones(const BloomLayer *a, const BloomLayer *b, uint32_t blocks,
                                    BloomDifference *difference, const SketchMemory *memory);

/* Order of layers in a value: by capacity, the highest rate first, then by the other fields. */
extern int bloom_layer_compare(const BloomLayer *a, const BloomLayer *b);

/* ---- read.c ---- */

static inline uint64_t
bloom_hash_at(const Bloom *bloom, uint32_t i)
{
    const uint8_t *p = bloom->hash + (size_t)i * sizeof(uint64_t);
    uint64_t hash;

    if (!bloom->working)
        return load_le64(p);
    memcpy(&hash, p, sizeof hash);
    return hash;
}

/* Whether one of the layers has a hash. */
extern bool bloom_layers_contain(Bloom bloom, uint64_t hash);

/* ---- pack.c ---- */

extern SketchBytes bloom_pack(SketchBytes value, const SketchMemory *memory);
extern SketchBytes bloom_transit(SketchBytes value, const SketchMemory *memory);

/* ---- working.c ---- */

static inline uint32_t *
bloom_count_at(SketchState state)
{
    return (uint32_t *)(state.data + 8);
}

static inline unsigned
bloom_state_expansion(SketchState state)
{
    return *(uint16_t *)(state.data + 4);
}

static inline uint64_t
bloom_state_layer_bytes(SketchState state)
{
    uint64_t bytes = 0;

    if (state.data[2] == BLOOM_LAYERS)
        memcpy(&bytes, state.data + 28, sizeof bytes);
    return bytes;
}

static inline size_t
bloom_hashes_begin(SketchState state)
{
    return state.data[2] == BLOOM_LAYERS
               ? BLOOM_LAYERS_HEADER + (bloom_state_layer_bytes(state) + 7) / 8 * 8
               : BLOOM_HASHES_HEADER;
}

static inline uint64_t *
bloom_state_hashes(SketchState state)
{
    return (uint64_t *)(state.data + bloom_hashes_begin(state));
}

/* The number of hashes that the memory of a state has space for. */
static inline size_t
bloom_hashes_max(SketchState state)
{
    return (state.size - bloom_hashes_begin(state)) / sizeof(uint64_t);
}

/* An empty value with space for layers of `bytes` bytes in all, and for `hashes` hashes. */
extern SketchState bloom_new_working(uint64_t capacity, double rate, unsigned expansion,
                                     uint64_t bytes, size_t hashes, const SketchMemory *memory);

/* Adds a layer behind the others; there must be space for it, and no hashes yet. */
extern void bloom_append_layer(SketchState state, const BloomLayer *layer,
                               const SketchMemory *memory);

extern SketchState bloom_open(SketchBytes value, const SketchMemory *memory);

/* A working copy of a value, with space for more layers and hashes. */
extern SketchState bloom_open_with(Bloom bloom, uint64_t more_bytes, size_t more_hashes,
                                   const SketchMemory *memory);
extern Bloom bloom_read_state(SketchState state);

/* The value packed and opened again, after which each hash is in the layer it belongs to. */
extern SketchState bloom_repack(SketchBytes value, const SketchMemory *memory);

/* A state being changed. A state that is replaced is released, unless it is the original. */
typedef struct BloomChange {
    SketchState state;
    const uint8_t *original; /* NULL if there is none */
    const SketchMemory *memory;
} BloomChange;

extern void bloom_change_replace(BloomChange *change, SketchState with);

/* Makes space for at least one more hash; as a rule for as many again as there are. */
extern void bloom_change_reserve(BloomChange *change);

/* Puts a hash into a filter that does not grow; fails, with nothing changed, if it is full. */
extern bool bloom_change_insert_fixed(BloomChange *change, uint64_t hash, SketchError *error);

static inline void
bloom_change_append(BloomChange *change, uint64_t hash)
{
    bloom_change_reserve(change);
    bloom_state_hashes(change->state)[(*bloom_count_at(change->state))++] = hash;
}

/* ---- combine.c ---- */

extern bool bloom_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                        SketchError *error);

#endif
