/*
 * radix.c - sorting numbers by their digits; how is in radix_template.h.
 */
#include "radix.h"

#define RADIX_ELEMENT uint64_t
#define RADIX_KEY(e) (e)
#include "radix_template.h"

void
radix_sort_u64(uint64_t *keys, size_t count, uint64_t *other, const SketchMemory *memory)
{
    radix_sort(keys, count, other, memory);
}
