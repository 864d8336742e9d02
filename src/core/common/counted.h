/*
 * counted.h - how often does each 64-bit hash occur in a collection that gains and loses members?
 *
 * A hash table (hash_table.h) whose values are the counts: 24 to 96 bytes a distinct hash.
 *
 * Interface: counted_begin, _end, counted_add, counted_remove; `used` is the number of distinct
 * hashes.
 */
#ifndef COUNTED_H
#define COUNTED_H

#include "hash_table.h"

typedef HashTable Counted;

static inline void
counted_begin(Counted *counted, const SketchMemory *memory)
{
    hash_table_begin(counted, memory);
}

static inline void
counted_end(Counted *counted, const SketchMemory *memory)
{
    hash_table_end(counted, memory);
}

/* One more of a hash; the table may move to other memory. */
static inline void
counted_add(Counted *counted, uint64_t hash, const SketchMemory *memory)
{
    size_t at = hash_table_first(counted, hash);

    if (counted->slot[at].value != 0)
        counted->slot[at].value++;
    else
        hash_table_put(counted, at, hash, 1, memory);
}

/* One less of a hash; false when there is none. */
static inline bool
counted_remove(Counted *counted, uint64_t hash, const SketchMemory *memory)
{
    size_t at = hash_table_first(counted, hash);

    if (counted->slot[at].value == 0)
        return false;
    if (counted->slot[at].value > 1)
        counted->slot[at].value--;
    else
        hash_table_remove(counted, at, memory);
    return true;
}

#endif
