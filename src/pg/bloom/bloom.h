/*
 * bloom.h - what the files of the type bloom share.
 */
#ifndef PG_BLOOM_H
#define PG_BLOOM_H

#include "pg/shared/items.h"

#include "core/bloom/redis.h"

/* An item by its hash; a text has bytes, too, which a filter of Redis hashes in its own way. */
typedef struct BloomItem {
    uint64 hash;
    SketchBytes bytes;
} BloomItem;

static inline BloomItem
bloom_item(Datum item, bool is_text)
{
    return (BloomItem){sketch_item_hash(item, is_text),
                       is_text ? sketch_inline_bytes(PG_DETOAST_DATUM_PACKED(item))
                               : (SketchBytes){NULL, 0}};
}

/* Probing a filter of Redis, and adding to it; they raise if the item has no bytes. */
extern bool bloom_redis_item_contains(SketchBytes value, BloomItem item);
extern bool bloom_redis_item_add(SketchState *state, BloomItem item);

/* What a filter is made with. */
typedef struct BloomParameters {
    uint64 capacity;
    double rate;
    unsigned expansion;
} BloomParameters;

extern const BloomParameters bloom_defaults;

/* Raises if a parameter is out of range, or if the filter would be too large. */
extern BloomParameters bloom_check_parameters(int64 capacity, double rate, int32 expansion);

/* Adds to a working value what bloom_add had no room for. */
extern void bloom_insert_or_raise(SketchState *state, uint64 hash);

extern void bloom_intersect_or_raise(SketchState *state, SketchBytes other);

#endif
