/*
 * counted.h - how often does each 64-bit hash occur in a collection that gains and loses members?
 *
 * A hash table of open addressing with linear probing. A slot whose count falls to 0 is taken out by
 * moving the following ones back, so that nothing has to be marked as deleted. The table doubles
 * above two thirds of its slots and halves below one sixth, so a slot in use costs 24 to 96 bytes.
 *
 * Interface: counted_begin, counted_add, counted_remove; `used` is the number of distinct hashes.
 * Limitations: hashes should be spread evenly; equal low bits of many make it slow, not wrong.
 * Reference: D. Knuth, The Art of Computer Programming, volume 3, 6.4, algorithms L and R.
 */
#ifndef COUNTED_H
#define COUNTED_H

#include "core/sketch.h"

typedef struct CountedSlot {
    uint64_t hash;
    uint64_t count; /* 0: nothing is here */
} CountedSlot;

typedef struct Counted {
    CountedSlot *slot;
    size_t slots; /* a power of two */
    size_t used;
} Counted;

extern void counted_begin(Counted *counted, const SketchMemory *memory);
extern void counted_end(Counted *counted, const SketchMemory *memory);

/* One more of a hash; the table may move to other memory. */
extern void counted_add(Counted *counted, uint64_t hash, const SketchMemory *memory);

/* One less of a hash; false when there is none. */
extern bool counted_remove(Counted *counted, uint64_t hash, const SketchMemory *memory);

#endif
