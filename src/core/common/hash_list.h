/*
 * hash_list.h - distinct hashes in ascending order, 8 bytes each, as values store them.
 */
#ifndef SKETCH_HASH_LIST_H
#define SKETCH_HASH_LIST_H

#include "bytes.h"
#include "core/sketch.h"

/*
 * The most hashes that a state in transit carries, 128 MB. A state with more is packed, and a union
 * of packed values may be larger than it has to be, or wrong more often.
 */
#define HASH_LIST_TRANSIT_MAX (UINT32_C(1) << 24)

static inline void
hash_list_write(uint8_t *to, const uint64_t *hashes, size_t count, const SketchMemory *memory)
{
    for (size_t i = 0; i < count; memory->poll(memory->context))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
            store_le64(to + i * sizeof *hashes, hashes[i]);
}

/* Whether every hash is above the one before. */
static inline bool
hash_list_ascends(const uint8_t *list, size_t count, const SketchMemory *memory)
{
    for (size_t i = 1; i < count; memory->poll(memory->context))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
            if (load_le64(list + i * sizeof(uint64_t)) <=
                load_le64(list + (i - 1) * sizeof(uint64_t)))
                return false;
    return true;
}

#endif
