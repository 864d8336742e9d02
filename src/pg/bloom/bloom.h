/*
 * bloom.h - what the files of the type bloom share.
 */
#ifndef PG_BLOOM_H
#define PG_BLOOM_H

#include "pg/shared/items.h"

#include "core/bloom/redis.h"

/* Probing a filter of Redis, and adding to it; they raise for a hashed item. */
extern bool bloom_redis_item_contains(SketchBytes value, SketchItem item);
extern void bloom_redis_item_add(SketchState *state, SketchItem item);

/* Parameters of a filter. */
typedef struct BloomParameters {
    uint64 capacity;
    double rate;
    unsigned expansion;
} BloomParameters;

extern const BloomParameters bloom_defaults;

/* Raises if the rate is out of range. */
extern void bloom_check_rate(double rate);

/* Raises if a parameter is out of range, or if the filter would be too large. */
extern BloomParameters bloom_check_parameters(int64 capacity, double rate, int64 expansion);

/* Adds an item to a working value; raises if the filter is full. */
extern void bloom_add_item(SketchState *state, SketchItem item);

extern void bloom_intersect_or_raise(SketchState *state, SketchBytes other);

#endif
