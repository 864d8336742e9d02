/*
 * bloom_internal.h - what the files of bloom share. Each uses those above it only.
 *
 * geometry.c  how many bits for how many items at which rate, and back
 * growth.c    which layer comes next
 * layer.c     the bits of one layer
 * header.c    the fields of packed values and of the entries of their layers
 * read.c      a value opened for reading, and probes of it
 * packed.c    the packed form: what goes into which layer
 * working.c   states: opening, adding, growing
 * merge.c     union and intersection
 * redis.c     filters of RedisBloom, which are kept apart
 * redis_transfer.c  their payloads, in and out
 * bloom.c     the essay; validating
 */
#ifndef BLOOM_INTERNAL_H
#define BLOOM_INTERNAL_H

#include "bloom.h"

#define BLOOM_VERSION 1

/*
 * The share of the requested rate for a layer that is meant to be the only one. The rest is kept
 * for items added later, and for bad luck in small filters.
 */
#define BLOOM_WHOLE_SHARE 0.9

/* Maximum capacity of a layer: more items than 1 GB has bits. */
#define BLOOM_LAYER_CAPACITY_MAX (UINT64_C(1) << 36)

/* ---- geometry.c ---- */

/* Sets blocks, block_bytes and hashes of a layer from its capacity and rate. */
extern void bloom_layer_shape(BloomLayer *layer);

/* Returns the expected rate of a layer with n items; it errs on the high side. */
extern double bloom_expected_rate(const BloomLayer *layer, double n);

/* Estimates the number of items from `ones` set bits; at least 1 if a bit is set. */
extern uint64_t bloom_estimate(const BloomLayer *layer, uint64_t ones);

/* ---- growth.c ---- */

/* Returns the largest number of hashes kept as a list. */
extern uint32_t bloom_list_limit(const Bloom *bloom);

/*
 * Plans the next layer, for at least `items` items. The value has layers for `before` items, whose
 * rates add up to `used`. Reads only the parameters of *bloom.
 */
extern BloomLayer bloom_plan_layer(const Bloom *bloom, uint64_t before, double used,
                                   uint64_t items);

/* ---- header.c ---- */

/* Reads the header of a packed value; its layers cannot be read yet. */
extern Bloom bloom_read_header(const uint8_t *data);

/* Writes the header of a packed value with the parameters of `bloom`. */
extern void bloom_write_header(uint8_t *data, uint8_t encoding, const Bloom *bloom, uint32_t layers,
                               uint64_t items);

/* Writes the entry of a layer, as bloom_layer_entry reads it. */
extern void bloom_write_entry(uint8_t *entry, const BloomLayer *layer);

/* Returns true if an entry has unknown flags, which only damage or a later version can set. */
extern bool bloom_entry_has_unknown_flags(const uint8_t *entry);

/* ---- layer.c ---- */

extern bool bloom_layer_contains(const BloomLayer *layer, uint64_t hash);
extern void bloom_layer_set(const BloomLayer *layer, uint8_t *bits, uint64_t hash);

/* Returns true if the bits of two layers may be combined. */
extern bool bloom_layer_same_shape(const BloomLayer *a, const BloomLayer *b);
extern void bloom_layer_or(uint8_t *bits, const BloomLayer *other, const SketchMemory *memory);
extern void bloom_layer_and(uint8_t *bits, const BloomLayer *other, const SketchMemory *memory);

/* Whether each of two layers has a bit set that the other has not. */
typedef struct BloomDifference {
    bool only_a;
    bool only_b;
} BloomDifference;

/* Counts the bits set in either of two layers, in their first `blocks` blocks. */
extern uint64_t bloom_layer_or_ones(const BloomLayer *a, const BloomLayer *b, uint32_t blocks,
                                    BloomDifference *difference, const SketchMemory *memory);

/* Order of layers in a value: by capacity, the highest rate first, then by the other fields. */
extern int bloom_layer_compare(const BloomLayer *a, const BloomLayer *b);

/* ---- read.c ---- */

/* Returns true if one of the layers has a hash. */
extern bool bloom_layers_contain(Bloom bloom, uint64_t hash);

/* ---- packed.c ---- */

extern SketchBytes bloom_pack(SketchBytes value, const SketchMemory *memory);
extern SketchBytes bloom_transit(SketchBytes value, const SketchMemory *memory);

/* ---- working.c ---- */

/* The struct of a state with layers (BLOOM_LAYERS). Each layer is its entry, then its bits. */
typedef struct BloomLayersState {
    BloomState common;
    uint64_t layer_bytes; /* of all layers; the hashes begin at the next multiple of 8 */
    uint32_t layers;
    uint32_t unused;
} BloomLayersState;

_Static_assert(sizeof(BloomLayersState) == 48, "layers are aligned");

static inline BloomLayersState *
bloom_layers_state(const uint8_t *data)
{
    return state_at(data);
}

static inline uint64_t
bloom_state_layer_bytes(const uint8_t *data)
{
    return sketch_encoding(data) == BLOOM_LAYERS ? bloom_layers_state(data)->layer_bytes : 0;
}

static inline uint64_t *
bloom_state_hashes(const uint8_t *data)
{
    uint8_t *layers = (uint8_t *)(bloom_layers_state(data) + 1);

    return sketch_encoding(data) == BLOOM_LAYERS
               ? (uint64_t *)(layers + (bloom_layers_state(data)->layer_bytes + 7) / 8 * 8)
               : (uint64_t *)(bloom_state(data) + 1);
}

static inline HashLog
bloom_log(SketchState state)
{
    return (HashLog){bloom_state_hashes(state.data), &bloom_state(state.data)->hashes,
                     state_end(state)};
}

/* Returns an empty state with space for `bytes` bytes of layers and for `hashes` hashes. */
extern SketchState bloom_new_state(const Bloom *parameters, uint64_t bytes, size_t hashes,
                                   const SketchMemory *memory);

/* Appends a layer; there must be space for it, and it overwrites any hashes. */
extern void bloom_append_layer(SketchState state, const BloomLayer *layer,
                               const SketchMemory *memory);

extern SketchState bloom_open(SketchBytes value, const SketchMemory *memory);

/* Returns a working copy of a value, with space for more layers and hashes. */
extern SketchState bloom_open_with(Bloom bloom, uint64_t more_bytes, size_t more_hashes,
                                   const SketchMemory *memory);
extern Bloom bloom_read_state(SketchState state);

/* Packs a value and opens it again, which puts each hash into the layer where it belongs. */
extern SketchState bloom_repack(SketchBytes value, const SketchMemory *memory);

/* Makes space for `more` hashes; if the state has to grow, it usually doubles. */
extern void bloom_grow(StateWriter *w, size_t more);

/* Adds to a filter that does not grow; fails, with nothing changed, if it is full. */
extern bool bloom_add_fixed(StateWriter *w, uint64_t hash, SketchError *error);

/* ---- merge.c ---- */

extern bool bloom_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                        SketchError *error);

#endif
