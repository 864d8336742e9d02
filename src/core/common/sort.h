/*
 * sort.h - sorting numbers in linear time, whatever they are. Other elements: sort_digits.h.
 */
#ifndef SORT_H
#define SORT_H

#include "core/sketch.h"

/*
 * Sorts fewer than 2^32 numbers in ascending order; `other` is as long and is used on the way.
 * Polls if they are many.
 */
extern void sort_u64(uint64_t *numbers, size_t count, uint64_t *other, const SketchMemory *memory);

/* Sorts hashes the same way, faster, and drops repetitions; returns how many are left. */
extern size_t sort_hashes(uint64_t *hashes, size_t count, uint64_t *other,
                          const SketchMemory *memory);

#endif
