/*
 * table.c - a filter that changes item by item.
 *
 * A table is a sorted array with gaps. The canonical slot of a fingerprint is proportional to its
 * value. A fingerprint is in its canonical slot or after it, with no gap in between. So the slots
 * are in the order of the fingerprints, an item is found within a few steps, and new items go into
 * gaps. Some slots follow the last canonical one.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"

SketchState
cuckoo_new_table(const CuckooHeader *header, const uint64_t *fingerprints, uint64_t spare,
                 const SketchMemory *memory)
{
    uint64_t count = header->items;
    uint64_t range = (count + spare) * 5 / 4 + 8;
    size_t end = 0, slots;
    SketchState state;
    CuckooTable table;

    /* 17/16 of the range in 8-byte slots; if that is too large, without the spare space. */
    if (range * 17 / 2 + 128 > CUCKOO_MAX_BYTES)
        range = count * 5 / 4 + 8;
    slots = range + range / 16 + 8;
    POLLED_FOR (i, 0, count, 1, memory) {
        size_t at = cuckoo_canonical_slot_of(fingerprints[i], header->hash_bits, range);

        end = (at > end ? at : end) + 1;
    }
    if (end + 8 > slots)
        slots = end + end / 8 + 8;
    state = cuckoo_new_state(CUCKOO_TABLE, header, slots * sizeof(uint64_t), memory);
    cuckoo_state(state)->items = count;
    cuckoo_state(state)->range = (uint32_t)range;
    table = cuckoo_table(state);
    polled_zero(table.slot, slots * sizeof *table.slot, memory);
    end = 0;
    POLLED_FOR (i, 0, count, 1, memory) {
        size_t at = cuckoo_canonical_slot(&table, fingerprints[i]);

        end = at > end ? at : end;
        table.slot[end++] = fingerprints[i] + 1;
    }
    return state;
}

uint64_t
cuckoo_table_copy(const CuckooTable *table, uint64_t *to, uint64_t most, const SketchMemory *memory)
{
    uint64_t count = 0;

    POLLED_FOR (i, 0, table->slots, 1, memory)
        if (table->slot[i] != 0 && count <= most)
            to[count++] = table->slot[i] - 1;
    return count;
}

uint64_t *
cuckoo_table_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table((SketchState){(uint8_t *)value.data, value.size});
    uint64_t *fingerprints;

    *header = cuckoo_state_header(state_at(value.data));
    fingerprints = memory->scratch((header->items + 1) * sizeof64(uint64_t), memory->context);
    cuckoo_table_copy(&table, fingerprints, header->items, memory);
    return fingerprints;
}

/* ---- one item ---- */

/* Returns the slot after the last smaller fingerprint, where this one is or would go. */
static size_t
find(const CuckooTable *table, uint64_t fingerprint)
{
    size_t at = cuckoo_canonical_slot(table, fingerprint);

    while (at < table->slots && table->slot[at] != 0 && table->slot[at] <= fingerprint)
        at++;
    return at;
}

static uint64_t
count_from(const CuckooTable *table, size_t at, uint64_t fingerprint)
{
    uint64_t count = 0;

    while (at + count < table->slots && table->slot[at + count] == fingerprint + 1)
        count++;
    return count;
}

uint64_t
cuckoo_table_count(SketchState state, uint64_t hash)
{
    CuckooTable table = cuckoo_table(state);
    uint64_t fingerprint = cuckoo_fingerprint(hash, table.hash_bits);

    return count_from(&table, find(&table, fingerprint), fingerprint);
}

/* Polls after a long walk, which only items chosen by an adversary cause. */
static inline void
poll_walk(size_t begin, size_t end, const SketchMemory *memory)
{
    if (end - begin >= SKETCH_POLL_STEPS)
        memory->poll(memory->context);
}

/* Replaces the table by a copy with more gaps. */
static void
spread_out(SketchState *state, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(*state);
    CuckooHeader header = cuckoo_state_header(cuckoo_state(*state));
    uint64_t *fingerprints =
        memory->scratch((header.items + 1) * sizeof64(uint64_t), memory->context);

    cuckoo_table_copy(&table, fingerprints, header.items, memory);
    *state = cuckoo_new_table(&header, fingerprints, header.items / 2 + 4, memory);
    memory->release(fingerprints, memory->context);
}

bool
cuckoo_add(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    const uint8_t *original = state->data;
    CuckooTable table = cuckoo_table(*state);
    CuckooHeader header = cuckoo_state_header(cuckoo_state(*state));
    uint64_t fingerprint = cuckoo_fingerprint(hash, table.hash_bits);
    size_t at = find(&table, fingerprint), gap;

    if (count_from(&table, at, fingerprint) >= CUCKOO_COPIES_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, cuckoo_copies, CUCKOO_COPIES_MAX + 1, 0,
                                   CUCKOO_COPIES_MAX);
    if (header.items >= cuckoo_limit(&header))
        return cuckoo_refuse_full(&header, header.items + 1, error);
    for (;;) {
        for (gap = at; gap < table.slots && table.slot[gap] != 0;)
            gap++;
        if (gap < table.slots && (header.items < table.range * 9 / 10 || state->data != original))
            break;
        /* A table that was spread out has a gap, if only after the last item. */
        spread_out(state, memory);
        table = cuckoo_table(*state);
        at = find(&table, fingerprint);
    }
    memmove(table.slot + at + 1, table.slot + at, (gap - at) * sizeof *table.slot);
    table.slot[at] = fingerprint + 1;
    cuckoo_state(*state)->items++;
    poll_walk(at, gap, memory);
    return true;
}

bool
cuckoo_delete(SketchState state, uint64_t hash, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(state);
    uint64_t fingerprint = cuckoo_fingerprint(hash, table.hash_bits);
    size_t at = find(&table, fingerprint), end = at + 1;

    if (count_from(&table, at, fingerprint) == 0)
        return false;
    /* Later fingerprints move one slot back, up to one that is in its canonical slot. */
    while (end < table.slots && table.slot[end] != 0 &&
           cuckoo_canonical_slot(&table, table.slot[end] - 1) < end)
        end++;
    memmove(table.slot + at, table.slot + at + 1, (end - at - 1) * sizeof *table.slot);
    table.slot[end - 1] = 0;
    cuckoo_state(state)->items--;
    poll_walk(at, end, memory);
    cuckoo_state(state)->deletes += cuckoo_state(state)->deletes < INT64_MAX;
    return true;
}
