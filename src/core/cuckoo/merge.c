/*
 * merge.c - many items at once: union, sum, fewer hash bits.
 *
 * What is merged into a table is an array in ascending order first. It is swept into the table in
 * place while there are gaps enough, and otherwise both are merged into a fresh table.
 */
#include "cuckoo_internal.h"

static void
cut_bits(uint64_t *fingerprints, CuckooHeader *header, unsigned hash_bits)
{
    for (uint64_t i = 0; i < header->items && hash_bits < header->hash_bits; i++)
        fingerprints[i] >>= header->hash_bits - hash_bits;
    header->hash_bits = hash_bits;
}

void
cuckoo_compact(SketchState *state, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(*state);
    CuckooHeader header = cuckoo_table_header(*state);
    uint64_t wanted = header.items > header.capacity ? header.items : header.capacity;
    unsigned hash_bits = cuckoo_hash_bits(wanted, header.fingerprint_bits);
    uint64_t *fingerprints;

    *cuckoo_deletes(*state) = header.deletes = 0;
    if (hash_bits >= header.hash_bits)
        return;
    fingerprints = memory->scratch((header.items + 1) * sizeof(uint64_t), memory->context);
    cuckoo_table_fingerprints(&table, fingerprints, header.items);
    cut_bits(fingerprints, &header, hash_bits);
    *state = cuckoo_new_table(&header, fingerprints, 2, memory);
    memory->release(fingerprints, memory->context);
}

/* a and b, both ascending, into one; with `sum` equal ones of both stay, else they are one. */
static uint64_t
merge_sorted(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count, bool sum,
             uint64_t *to)
{
    uint64_t count = 0, i = 0, j = 0;

    while (i < a_count && j < b_count) {
        uint64_t x = a[i], y = b[j];

        to[count++] = x <= y ? x : y;
        i += x <= y;
        j += y < x || (y == x && !sum);
    }
    for (; i < a_count; i++)
        to[count++] = a[i];
    for (; j < b_count; j++)
        to[count++] = b[j];
    return count;
}

/*
 * Sweeps over the table and puts `other` in, of equal ones once. Most are there, or fall into a gap,
 * and are looked up each at its home. Where one is in the way it waits in a queue, and so do those
 * that it is in the way of, until a gap takes the last: no more wait than were put in. Tells how many
 * of the others were dealt with; those that are left, like those in `queue` (a ring of `ring` places,
 * a power of two), found no slot any more.
 */
typedef struct Sweep {
    uint64_t *queue;
    size_t ring;
    size_t head;
    size_t tail;
    uint64_t done;
    uint64_t added;
} Sweep;

#define PREFETCH_AHEAD 32

/* The first slot from `at` on that is free or whose fingerprint is not smaller. */
static inline size_t
pass_smaller(const CuckooTable *table, size_t at, uint64_t fingerprint)
{
    /*
     * Four at a time, since how many there are cannot be predicted. A free one minus 1 is large, and
     * those behind it are larger than the fingerprint: they have homes there.
     */
    while (at + 4 <= table->slots) {
        const uint64_t *slot = table->slot + at;
        unsigned smaller = (unsigned)(slot[0] - 1 < fingerprint) + (slot[1] - 1 < fingerprint) +
                           (slot[2] - 1 < fingerprint) + (slot[3] - 1 < fingerprint);

        at += smaller;
        if (smaller < 4)
            return at;
    }
    while (at < table->slots && table->slot[at] - 1 < fingerprint)
        at++;
    return at;
}

static void
sweep(const CuckooTable *table, const uint64_t *other, uint64_t count, Sweep *sweep)
{
    const CuckooTable t = *table;
    uint64_t *queue = sweep->queue;
    const size_t mask = sweep->ring - 1;
    size_t head = 0, tail = 0, at = 0;
    uint64_t i = 0, added = 0;

    while (i < count) {
        uint64_t key = other[i] + 1, here;
        size_t home = cuckoo_home(&t, other[i]);

        if (i + PREFETCH_AHEAD < count)
            __builtin_prefetch(t.slot + cuckoo_home(&t, other[i + PREFETCH_AHEAD]));
        at = home > at ? home : at;
        at = pass_smaller(&t, at, other[i]);
        if (at >= t.slots)
            break;
        here = t.slot[at];
        i++;
        at++;
        /* Which is the rule in a union of many; what is not written stays clean. */
        if (here == key)
            continue;
        t.slot[at - 1] = key;
        added++;
        if (here == 0)
            continue;
        queue[tail++ & mask] = here;
        while (head != tail && at < t.slots) {
            uint64_t waiting = queue[head & mask];

            here = t.slot[at];
            if (i < count && other[i] + 1 < waiting) {
                t.slot[at] = other[i++] + 1;
                added++;
            } else {
                i += i < count && other[i] + 1 == waiting;
                t.slot[at] = waiting;
                head++;
            }
            at++;
            if (here != 0)
                queue[tail++ & mask] = here;
        }
    }
    sweep->head = head;
    sweep->tail = tail;
    sweep->done = i;
    sweep->added = added;
}

/* The table and what a sweep could not place, as a table with more slots. */
static SketchState
sweep_rest(const CuckooTable *table, const CuckooHeader *header, const Sweep *swept,
           const uint64_t *other, uint64_t count, const SketchMemory *memory)
{
    CuckooHeader merged = *header;
    uint64_t waiting = swept->tail - swept->head;
    uint64_t rest = count - swept->done, placed;
    uint64_t *all = memory->scratch(
        (header->items + swept->added + rest + waiting + 1) * sizeof *all, memory->context);
    uint64_t *queue = memory->scratch((waiting + 1) * sizeof *queue, memory->context);
    SketchState state;

    placed = cuckoo_table_fingerprints(table, all, header->items + swept->added);
    for (uint64_t i = 0; i < waiting; i++)
        queue[i] = swept->queue[(swept->head + i) & (swept->ring - 1)] - 1;
    merged.items =
        placed + merge_sorted(queue, waiting, other + swept->done, rest, false, all + placed);
    state = cuckoo_new_table(&merged, all, merged.items / 2 + 4, memory);
    memory->release(queue, memory->context);
    memory->release(all, memory->context);
    return state;
}

/* In place, as long as there are slots; the header is what the result's will be but for the items. */
static void
merge_in_place(SketchState *state, const CuckooHeader *header, const uint64_t *other,
               uint64_t count, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(*state);
    Sweep swept = {.ring = 2};

    while (swept.ring < count + 2)
        swept.ring *= 2;
    swept.queue = memory->scratch(swept.ring * sizeof *swept.queue, memory->context);
    sweep(&table, other, count, &swept);
    state->data[4] = (uint8_t)header->fingerprint_bits;
    memcpy(state->data + 8, &header->capacity, sizeof header->capacity);
    *cuckoo_deletes(*state) = header->deletes;
    if (swept.done < count || swept.head != swept.tail)
        *state = sweep_rest(&table, header, &swept, other, count, memory);
    else
        *cuckoo_items(*state) = header->items + swept.added;
    memory->release(swept.queue, memory->context);
}

/* No item of both has too many copies. */
static bool
sums_fit(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
         SketchError *error)
{
    for (uint64_t i = 0, j = 0; i < a_count && j < b_count;) {
        uint64_t x = a[i], y = b[j], copies = 0;

        if (x != y) {
            i += x < y;
            j += y < x;
            continue;
        }
        for (; i < a_count && a[i] == x; i++)
            copies++;
        for (; j < b_count && b[j] == x; j++)
            copies++;
        if (copies > CUCKOO_COPIES_MAX)
            return sketch_refuse_range(error, SKETCH_LIMIT, cuckoo_copies, (int64_t)copies, 0,
                                       CUCKOO_COPIES_MAX);
    }
    return true;
}

/* Parameters at which two filters meet. The items are those of the first. */
static CuckooHeader
meet(const CuckooHeader *a, const CuckooHeader *b)
{
    CuckooHeader header = *a;

    if (b->fingerprint_bits < header.fingerprint_bits)
        header.fingerprint_bits = b->fingerprint_bits;
    if (b->hash_bits < header.hash_bits)
        header.hash_bits = b->hash_bits;
    if (b->deletes > header.deletes)
        header.deletes = b->deletes;
    if (a->capacity == 0 || b->capacity == 0)
        header.capacity = 0;
    else if (b->capacity > a->capacity)
        header.capacity = b->capacity;
    return header;
}

/* As a fresh table. */
static bool
merge_anew(SketchState *state, uint64_t *other, CuckooHeader *other_header, bool sum,
           const SketchMemory *memory, SketchError *error)
{
    CuckooHeader before, header;
    uint64_t *mine = cuckoo_fingerprints(sketch_bytes(*state), &before, memory), *all;
    bool good;

    if (!mine)
        return sketch_refuse_damaged(error);
    header = meet(&before, other_header);
    cut_bits(mine, &before, header.hash_bits);
    cut_bits(other, other_header, header.hash_bits);
    all = memory->scratch((before.items + other_header->items + 1) * sizeof *all, memory->context);
    good = !sum || sums_fit(mine, before.items, other, other_header->items, error);
    if (good) {
        header.items = merge_sorted(mine, before.items, other, other_header->items, sum, all);
        good = header.items <= cuckoo_limit(&header) ||
               cuckoo_refuse_full(&header, header.items, error);
    }
    if (good)
        *state = cuckoo_new_table(&header, all, header.items / 2 + 4, memory);
    memory->release(all, memory->context);
    memory->release(mine, memory->context);
    return good;
}

static bool
merge(SketchState *state, SketchBytes other, bool sum, const SketchMemory *memory,
      SketchError *error)
{
    CuckooHeader other_header, header;
    uint64_t *fingerprints = cuckoo_fingerprints(other, &other_header, memory);
    bool merged = true;

    if (!fingerprints)
        return sketch_refuse_damaged(error);
    if (state->data[2] == CUCKOO_TABLE && !sum) {
        CuckooHeader before = cuckoo_table_header(*state);
        uint64_t all = before.items + other_header.items;

        header = meet(&before, &other_header);
        if (header.hash_bits == before.hash_bits && all <= cuckoo_limit(&header) &&
            all <= cuckoo_table(*state).homes * 9 / 10) {
            cut_bits(fingerprints, &other_header, header.hash_bits);
            merge_in_place(state, &header, fingerprints, other_header.items, memory);
            memory->release(fingerprints, memory->context);
            return true;
        }
    }
    merged = merge_anew(state, fingerprints, &other_header, sum, memory, error);
    memory->release(fingerprints, memory->context);
    return merged;
}

bool
cuckoo_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    if (state->data[2] == CUCKOO_LIST && other.data[2] == CUCKOO_LIST &&
        state->data[4] == other.data[4] && state->data[5] == other.data[5]) {
        if (!cuckoo_sound_list(other))
            return sketch_refuse_damaged(error);
        return cuckoo_append_list(state, other, memory, error);
    }
    return merge(state, other, false, memory, error);
}

bool
cuckoo_sum(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    return merge(state, other, true, memory, error);
}
