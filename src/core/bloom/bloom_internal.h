/*
 * bloom_internal.h - what the files of bloom share with one another and with nobody else.
 *
 * bloom.c           what it is; reading, validating
 * pack.c      what of a value goes into which layers when it is packed
 * working.c   filters that change: adding, union, intersection
 * layer.c     the bits of one layer
 * geometry.c  how many bits for how many items at which rate, and back
 */
#ifndef BLOOM_INTERNAL_H
#define BLOOM_INTERNAL_H

#include "bloom.h"
#include "core/common/bytes.h"

#define BLOOM_FLAG_ESTIMATED 1 /* in byte 31 of a layer's entry */

/*
 * A layer that is meant to be the only one gets this share of the rate asked for. The rest is for
 * what is added later, and for the luck of the draw in small filters.
 */
#define BLOOM_WHOLE_SHARE 0.9

/* ---- bloom.c ---- */

/* The most items that a layer may be made for: more than any that 1 GB has bits for. */
#define BLOOM_LAYER_CAPACITY_MAX (UINT64_C(1) << 36)

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

/* ---- working.c ---- */

extern SketchState bloom_open(SketchBytes value, const SketchMemory *memory);
extern bool bloom_merge(SketchState *state, SketchBytes other, const SketchMemory *memory,
                        SketchError *error);

/* ---- layer.c ---- */

extern void bloom_layer_write(uint8_t *entry, const BloomLayer *layer);
extern bool bloom_layer_contains(const BloomLayer *layer, uint64_t hash);
extern void bloom_layer_set(const BloomLayer *layer, uint8_t *bits, uint64_t hash);

/* Whether their bits may be combined. */
extern bool bloom_layer_same_shape(const BloomLayer *a, const BloomLayer *b);
extern void bloom_layer_or(uint8_t *bits, const BloomLayer *other);
extern void bloom_layer_and(uint8_t *bits, const BloomLayer *other);

/* What one has and the other has not. */
typedef struct BloomMore {
    bool a;
    bool b;
} BloomMore;

/* The ones of both in the first `blocks` blocks, and whether one has more there. */
extern uint64_t bloom_layer_or_ones(const BloomLayer *a, const BloomLayer *b, uint32_t blocks,
                                    BloomMore *more);

/* Order of layers in a value: by capacity, then the loosest first, then by what else they are. */
extern int bloom_layer_compare(const BloomLayer *a, const BloomLayer *b);

/* ---- geometry.c ---- */

/* Sets blocks, block_bytes and hashes of a layer from its capacity and rate. */
extern void bloom_layer_shape(BloomLayer *layer);

/* The rate that n items are expected to give. */
extern double bloom_expected_rate(double n, unsigned hashes, uint32_t blocks, uint32_t block_bytes);

/* How many items set so many bits; at least 1 where there are any. */
extern uint64_t bloom_estimate(const BloomLayer *layer, uint64_t ones);

/* The rate of the layer that a new value begins with. */
extern double bloom_first_rate(const Bloom *bloom);

/* The most hashes that stay a list. */
extern uint32_t bloom_list_limit(const Bloom *bloom);

/*
 * The layer for `items` items, and maybe more, of a value with its parameters, which has layers for
 * `before` already whose rates add up to `used`.
 */
extern BloomLayer bloom_plan_layer(const Bloom *bloom, uint64_t before, double used,
                                   uint64_t items);

#endif
