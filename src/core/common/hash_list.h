/*
 * hash_list.h - distinct hashes in ascending order, 8 bytes each, as values store them.
 */
#ifndef SKETCH_HASH_LIST_H
#define SKETCH_HASH_LIST_H

#include "bytes.h"
#include "polled.h"

/*
 * Most hashes of a state in transit, 128 MB. A state with more is packed, and a union
 * of packed values may be larger than it has to be, or wrong more often.
 */
#define HASH_LIST_TRANSIT_MAX (UINT32_C(1) << 24)

static inline void
hash_list_write(uint8_t *to, const uint64_t *hashes, size_t count, const SketchMemory *memory)
{
    POLLED_FOR (i, 0, count, 1, memory)
        store_le64(to + i * sizeof *hashes, hashes[i]);
}

/* Returns true if every hash is above the one before. */
static inline bool
hash_list_ascends(const uint8_t *list, size_t count, const SketchMemory *memory)
{
    POLLED_FOR (i, 1, count, 1, memory)
        if (load_le64(list + i * sizeof(uint64_t)) <= load_le64(list + (i - 1) * sizeof(uint64_t)))
            return false;
    return true;
}

#endif
