/*
 * distinct.h - dropping repetitions from many 64-bit hashes.
 */
#ifndef DISTINCT_H
#define DISTINCT_H

#include "core/sketch.h"

/* distinct_hashes sorts up to this many hashes completely. */
#define DISTINCT_SORTED 4096

/*
 * Writes the distinct ones of `count` hashes to `out`, which has room for as many and does not
 * overlap, and returns how many there are. Those with the same highest bits stand together, in
 * ascending order of these bits.
 */
extern size_t distinct_hashes(const uint64_t *hashes, size_t count, uint64_t *out,
                              const SketchMemory *memory);

/* Sorts what distinct_hashes wrote, cheaper than what stands in no order at all. */
extern void distinct_sort(uint64_t *distinct, size_t count, const SketchMemory *memory);

/*
 * Drops repetitions in place, unless a sample says that there are few; returns how many hashes are
 * left. What is left is in the order of distinct_hashes, or in its old order if nothing was
 * dropped.
 */
extern size_t distinct_drop(uint64_t *hashes, size_t count, const SketchMemory *memory);

/* A guess at how many of `count` hashes are distinct, from one in 64 of them. */
extern size_t distinct_guess(const uint64_t *hashes, size_t count, const SketchMemory *memory);

#endif
