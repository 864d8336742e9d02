/*
 * cms.h - Count-Min sketches: how often did each item occur? The essay is in cms.c.
 */
#ifndef CMS_H
#define CMS_H

#include "core/sketch.h"

extern const SketchOps cms_ops;

#define CMS_DEPTH_MAX 32
#define CMS_CELLS_MAX (INT64_C(1) << 26)

/* The hash determines the cells of an item: cms_internal.h for XXH3, redis.c for Redis's. */
typedef struct CmsShape {
    uint32_t width, depth;
    SketchHash hash;
} CmsShape;

/*
 * Set *shape from an error and a probability, both between 0 and 1: width ceil(2 / error), depth
 * ceil(log2(1 / probability)); or from a width and a depth. Fail if these are out of range.
 */
extern bool cms_shape_of_error(double error, double probability, CmsShape *shape,
                               SketchError *refused);
extern bool cms_shape_of_size(int64_t width, int64_t depth, CmsShape *shape, SketchError *refused);

/* Return fields of any value; those of a damaged one may be anything. */
extern CmsShape cms_shape(SketchBytes value);
extern uint64_t cms_total(SketchBytes value);

/* Returns true if a packed value is a list of items with their counts. */
extern bool cms_is_exact(SketchBytes value);

/* ---- changing ---- */

extern SketchState cms_new(CmsShape shape, const SketchMemory *memory);

/* Counts an item `count` >= 1 times; may replace *state, as SketchOps.merge does. */
extern bool cms_insert(SketchState *state, uint64_t hash, uint64_t count,
                       const SketchMemory *memory, SketchError *error);

/* The fast path, counts an item once; returns false, with nothing changed, if cms_insert has to. */
extern bool cms_add(SketchState state, uint64_t hash);

/* Merges another sketch `times` times; 0 adds nothing. */
extern bool cms_merge_times(SketchState *state, SketchBytes other, uint64_t times,
                            const SketchMemory *memory, SketchError *error);

/* ---- querying a packed value ---- */

/* Estimates how often an item was added, never too low; 0 for a damaged value. */
extern uint64_t cms_query(SketchBytes value, uint64_t hash);

/* Returns the error bound. About one estimate in 2^depth may be too large by more than this. */
extern uint64_t cms_error(SketchBytes value);

/*
 * Estimates the sum, over all items, of the product of their counts in two sketches of the same
 * shape, packed or working. Fails if it exceeds 2^63 - 1 or the shapes differ.
 */
extern bool cms_inner_product(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                              uint64_t *product, SketchError *error);

/* ---- values of Redis, whose items are bytes ---- */

extern bool cms_insert_bytes(SketchState *state, SketchBytes item, uint64_t count,
                             const SketchMemory *memory, SketchError *error);
extern uint64_t cms_query_bytes(SketchBytes value, SketchBytes item, const SketchMemory *memory);

/* Convert the DUMP payload of a CMS key to a packed value, and back. */
extern bool cms_from_redis(SketchBytes payload, const SketchMemory *memory, SketchBytes *value,
                           SketchError *error);
extern bool cms_to_redis(SketchBytes value, const SketchMemory *memory, SketchBytes *payload,
                         SketchError *error);

#endif
