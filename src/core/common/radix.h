/*
 * radix.h - sorting numbers in linear time, whatever they are.
 */
#ifndef RADIX_H
#define RADIX_H

#include "core/sketch.h"

/*
 * Sorts fewer than 2^32 keys in ascending order; `other` is as long and is used on the way. Polls if
 * keys are many.
 */
extern void radix_sort_u64(uint64_t *keys, size_t count, uint64_t *other,
                           const SketchMemory *memory);

#endif
