/*
 * registry.h - the list of types. A new type adds one line here, and to the Makefile's list.
 *
 * A line has the kind, its number, which is the first byte of every value of the type, and its
 * operations. Numbers are stored: never renumber, never use again one that was released, and none
 * of 16 to 31, with which values of postgresql-hll begin (hll reads them), nor 58 and 59, the first
 * bytes of portable roaring bitmaps.
 */
#ifndef SKETCH_REGISTRY_H
#define SKETCH_REGISTRY_H

#define SKETCH_TYPES(TYPE)                                                                         \
    TYPE(SKETCH_HLL, 1, hll_ops)                                                                   \
    TYPE(SKETCH_TDIGEST, 2, tdigest_ops)                                                           \
    TYPE(SKETCH_ROARING, 3, roaring_ops)                                                           \
    TYPE(SKETCH_ROARING64, 4, roaring64_ops)                                                       \
    TYPE(SKETCH_BLOOM, 5, bloom_ops)                                                               \
    TYPE(SKETCH_CUCKOO, 6, cuckoo_ops)                                                             \
    TYPE(SKETCH_CMS, 7, cms_ops)                                                                   \
    TYPE(SKETCH_TOPK, 8, topk_ops)                                                                 \
    TYPE(SKETCH_RATELIMIT, 10, ratelimit_ops)                                                      \
    TYPE(SKETCH_DDSKETCH, 11, ddsketch_ops)                                                        \
    TYPE(SKETCH_THETA, 12, theta_ops)

#endif
