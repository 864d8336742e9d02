/*
 * hash_table.h - a table from 64-bit hashes to 64-bit values that are not 0.
 *
 * Open addressing with linear probing. When an entry is removed, the following entries move back,
 * so that no slot has to be marked as deleted. The table doubles above two thirds of its slots and
 * halves below one sixth, so an entry costs 24 to 96 bytes.
 *
 * Interface: hash_table_begin, _end, hash_table_first and hash_table_next to look for a hash,
 * hash_table_put and hash_table_remove to change what was found; `used` counts the entries.
 * There may be several entries of one hash: the caller distinguishes them by their values.
 * Limitations: hashes should be spread evenly; many equal low bits make the table slow, not wrong.
 * Reference: D. Knuth, The Art of Computer Programming, volume 3, 6.4, algorithms L and R.
 */
#ifndef HASH_TABLE_H
#define HASH_TABLE_H

#include "core/sketch.h"

typedef struct HashSlot {
    uint64_t hash;
    uint64_t value; /* 0: nothing is here */
} HashSlot;

typedef struct HashTable {
    HashSlot *slot;
    size_t slots; /* a power of two */
    size_t used;
} HashTable;

extern void hash_table_begin(HashTable *table, const SketchMemory *memory);
extern void hash_table_end(HashTable *table, const SketchMemory *memory);

/* The first slot from `at` on that has the hash, or the free one where it would go. */
static inline size_t
hash_table_next(const HashTable *table, uint64_t hash, size_t at)
{
    at &= table->slots - 1;
    while (table->slot[at].value != 0 && table->slot[at].hash != hash)
        at = (at + 1) & (table->slots - 1);
    return at;
}

/*
 * Returns the first of all slots that has the hash, or the free one where it would go. To look for
 * another entry of the hash, call hash_table_next with the slot after the found one.
 */
static inline size_t
hash_table_first(const HashTable *table, uint64_t hash)
{
    return hash_table_next(table, hash, (size_t)hash);
}

/* Puts an entry into a free slot that was found for its hash; the table may move. */
extern void hash_table_put(HashTable *table, size_t at, uint64_t hash, uint64_t value,
                           const SketchMemory *memory);

/* Takes the entry of a slot out; others move, and so may the table. */
extern void hash_table_remove(HashTable *table, size_t at, const SketchMemory *memory);

#endif
