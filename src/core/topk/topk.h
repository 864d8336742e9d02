/*
 * topk.h - heavy hitters: which items occur most often, and how often? The essay is in topk.c.
 */
#ifndef TOPK_H
#define TOPK_H

#include "core/common/bytes.h"
#include "core/sketch.h"

#define TOPK_K_MIN 1
#define TOPK_K_MAX 100000
#define TOPK_K_DEFAULT 10

/* Maximum bytes of an item, and of all items of a sketch. */
#define TOPK_ITEM_MAX (1 << 20)
#define TOPK_BYTES_MAX (1 << 29)

/* The largest total: counts are bigint. */
#define TOPK_TOTAL_MAX INT64_MAX

/* Encodings: packed, and two working ones. */
#define TOPK_PACKED 0
#define TOPK_LIST (SKETCH_WORKING | 0)
#define TOPK_INDEXED (SKETCH_WORKING | 1)

#define TOPK_VERSION 1
#define TOPK_PACKED_HEADER 28

extern const SketchOps topk_ops;

/* The type of all items, which is that of the first one. */
typedef enum TopkType { TOPK_NONE = 0, TOPK_BIGINT = 1, TOPK_TEXT = 2 } TopkType;

typedef struct TopkItem {
    TopkType type;
    uint32_t size; /* of the bytes of a text */
    union {
        int64_t number;
        const uint8_t *bytes;
    };
} TopkItem;

/* An item and its bounds: it occurred at least `count` and at most count + error times. */
typedef struct TopkCounter {
    TopkItem item;
    uint64_t count;
    uint64_t error;
} TopkCounter;

/* Header of a value. */
typedef struct TopkHeader {
    uint32_t k;
    TopkType type;
    uint64_t total;       /* of all counts added */
    uint64_t error_bound; /* an item without a counter occurred at most this often */
    uint32_t counters;    /* their number */
} TopkHeader;

extern TopkHeader topk_header(SketchBytes value);

extern uint32_t topk_k_of(SketchBytes value);

/*
 * A sketch opened for reading: its counters in descending order of their counts, then in descending
 * order of their errors, then in ascending order of items.
 */
typedef struct Topk {
    TopkHeader header;
    TopkCounter *counters;
} Topk;

/* Opens a value for reading; fails for a damaged one, and then there is nothing to close. */
extern bool topk_read(Topk *topk, SketchBytes value, const SketchMemory *memory);
extern void topk_close(Topk *topk, const SketchMemory *memory);

/* Returns the number of counters in the list of the top k. */
static inline uint32_t
topk_listed(const Topk *topk)
{
    return topk->header.counters < topk->header.k ? topk->header.counters : topk->header.k;
}

/* Returns the position of an item's counter, or the number of counters if it has none. */
extern uint32_t topk_find(const Topk *topk, TopkItem item);

/* Returns an empty working sketch; k must be in range. */
extern SketchState topk_new(uint32_t k, TopkType type, const SketchMemory *memory);

/*
 * Adds an item `weight` >= 1 times. Replaces *state as SketchOps.merge does. Fails, with nothing
 * changed, for an item of another type or too long, and for a total above TOPK_TOTAL_MAX.
 */
extern bool topk_insert(SketchState *state, TopkItem item, uint64_t weight,
                        const SketchMemory *memory, SketchError *error);

/* The fast paths, for one item; return false, with nothing changed, if topk_insert is needed. */
extern bool topk_add_number(SketchState state, int64_t number);
extern bool topk_add_text(SketchState state, const uint8_t *bytes, uint32_t size);

/*
 * Returns a packed sketch with every count multiplied by a factor of 0 to 1, and the bounds rounded
 * outwards. Returns no data for a damaged value.
 */
extern SketchBytes topk_decay(SketchBytes value, double factor, const SketchMemory *memory);

/* ---- other systems ---- */

/* Makes a packed sketch of the bytes of DataSketches' frequent items, which are of `type`. */
extern bool topk_from_datasketches(SketchBytes input, uint32_t k, TopkType type,
                                   const SketchMemory *memory, SketchBytes *value,
                                   SketchError *error);

/* Items of the DUMP payload of a TOPK key, the highest counts first. */
typedef struct TopkRedisItem {
    SketchBytes bytes;
    uint64_t count;
} TopkRedisItem;

typedef struct TopkRedis {
    TopkRedisItem *items;
    uint32_t count;
} TopkRedis;

/* Reads a payload; if it fails, there is nothing to close. */
extern bool topk_read_redis(SketchBytes payload, const SketchMemory *memory, TopkRedis *list,
                            SketchError *error);
extern void topk_redis_close(TopkRedis *list, const SketchMemory *memory);

static inline TopkItem
topk_number(int64_t number)
{
    return (TopkItem){.type = TOPK_BIGINT, .number = number};
}

static inline TopkItem
topk_text(const uint8_t *bytes, uint32_t size)
{
    return (TopkItem){.type = TOPK_TEXT, .size = size, .bytes = bytes};
}

#endif
