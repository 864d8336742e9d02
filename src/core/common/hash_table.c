/*
 * hash_table.c - see hash_table.h.
 */
#include "hash_table.h"

#include <string.h>

#define SLOTS_MIN 64

static void
take_slots(HashTable *table, size_t slots, const SketchMemory *memory)
{
    table->slot = memory->scratch(slots * sizeof64(HashSlot), memory->context);
    memset(table->slot, 0, slots * sizeof(HashSlot));
    table->slots = slots;
}

void
hash_table_begin(HashTable *table, const SketchMemory *memory)
{
    take_slots(table, SLOTS_MIN, memory);
    table->used = 0;
}

void
hash_table_end(HashTable *table, const SketchMemory *memory)
{
    memory->release(table->slot, memory->context);
}

static void
resize(HashTable *table, size_t slots, const SketchMemory *memory)
{
    HashTable before = *table;
    size_t steps = 0;

    take_slots(table, slots, memory);
    for (size_t i = 0; i < before.slots; i++) {
        size_t at = (size_t)before.slot[i].hash & (slots - 1);

        sketch_poll(memory, &steps, 1);
        if (before.slot[i].value == 0)
            continue;
        while (table->slot[at].value != 0)
            at = (at + 1) & (slots - 1);
        table->slot[at] = before.slot[i];
    }
    hash_table_end(&before, memory);
}

void
hash_table_put(HashTable *table, size_t at, uint64_t hash, uint64_t value,
               const SketchMemory *memory)
{
    table->slot[at] = (HashSlot){.hash = hash, .value = value};
    if (++table->used > table->slots / 3 * 2)
        resize(table, table->slots * 2, memory);
}

/*
 * Closes the gap at a slot: an entry further on that would be looked for at the gap or before moves
 * there and leaves a gap of its own.
 */
static void
close_gap(HashTable *table, size_t gap)
{
    size_t mask = table->slots - 1;

    for (size_t at = (gap + 1) & mask; table->slot[at].value != 0; at = (at + 1) & mask)
        if (((at - (size_t)table->slot[at].hash) & mask) >= ((at - gap) & mask)) {
            table->slot[gap] = table->slot[at];
            gap = at;
        }
    table->slot[gap].value = 0;
}

void
hash_table_remove(HashTable *table, size_t at, const SketchMemory *memory)
{
    close_gap(table, at);
    if (--table->used < table->slots / 6 && table->slots > SLOTS_MIN)
        resize(table, table->slots / 2, memory);
}
