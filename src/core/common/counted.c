/*
 * counted.c - see counted.h.
 */
#include "counted.h"

#include <string.h>

#define SLOTS_MIN 64

static void
take_slots(Counted *counted, size_t slots, const SketchMemory *memory)
{
    counted->slot = memory->scratch(slots * sizeof(CountedSlot), memory->context);
    memset(counted->slot, 0, slots * sizeof(CountedSlot));
    counted->slots = slots;
}

void
counted_begin(Counted *counted, const SketchMemory *memory)
{
    take_slots(counted, SLOTS_MIN, memory);
    counted->used = 0;
}

void
counted_end(Counted *counted, const SketchMemory *memory)
{
    memory->release(counted->slot, memory->context);
}

static inline size_t
home_of(const Counted *counted, uint64_t hash)
{
    return (size_t)hash & (counted->slots - 1);
}

/* The slot of a hash, or the free one where it would go. */
static inline size_t
find(const Counted *counted, uint64_t hash)
{
    size_t at = home_of(counted, hash);

    while (counted->slot[at].count != 0 && counted->slot[at].hash != hash)
        at = (at + 1) & (counted->slots - 1);
    return at;
}

static void
resize(Counted *counted, size_t slots, const SketchMemory *memory)
{
    Counted before = *counted;
    size_t steps = 0;

    take_slots(counted, slots, memory);
    for (size_t i = 0; i < before.slots; i++) {
        sketch_poll(memory, &steps, 1);
        if (before.slot[i].count != 0)
            counted->slot[find(counted, before.slot[i].hash)] = before.slot[i];
    }
    counted_end(&before, memory);
}

void
counted_add(Counted *counted, uint64_t hash, const SketchMemory *memory)
{
    CountedSlot *slot = &counted->slot[find(counted, hash)];

    slot->hash = hash;
    if (slot->count++ == 0 && ++counted->used > counted->slots / 3 * 2)
        resize(counted, counted->slots * 2, memory);
}

/*
 * Closes the gap at a slot: a hash further on that would be looked for at the gap or before moves
 * there and leaves a gap of its own.
 */
static void
close_gap(Counted *counted, size_t gap)
{
    size_t mask = counted->slots - 1;

    for (size_t at = (gap + 1) & mask; counted->slot[at].count != 0; at = (at + 1) & mask)
        if (((at - home_of(counted, counted->slot[at].hash)) & mask) >= ((at - gap) & mask)) {
            counted->slot[gap] = counted->slot[at];
            gap = at;
        }
    counted->slot[gap].count = 0;
}

bool
counted_remove(Counted *counted, uint64_t hash, const SketchMemory *memory)
{
    size_t at = find(counted, hash);

    if (counted->slot[at].count == 0)
        return false;
    if (--counted->slot[at].count == 0) {
        close_gap(counted, at);
        if (--counted->used < counted->slots / 6 && counted->slots > SLOTS_MIN)
            resize(counted, counted->slots / 2, memory);
    }
    return true;
}
