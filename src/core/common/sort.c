/*
 * sort.c - sorting numbers; how is in sort_digits.h.
 */
#include "sort.h"

#define SORT_NAME sort_numbers
#define SORT_ELEMENT uint64_t
#define SORT_KEY(e) (e)
#include "sort_digits.h"

void
sort_u64(uint64_t *numbers, size_t count, uint64_t *other, const SketchMemory *memory)
{
    sort_numbers(numbers, count, other, memory);
}

#define SORT_NAME sort_and_drop
#define SORT_ELEMENT uint64_t
#define SORT_KEY(e) (e)
#define SORT_HASHES
#define SORT_SAME(kept, e) (void)0
#include "sort_digits.h"

size_t
sort_hashes(uint64_t *hashes, size_t count, uint64_t *other, const SketchMemory *memory)
{
    return sort_and_drop(hashes, count, other, memory);
}
