/*
 * merge.c - many items at once: union, sum, fewer hash bits.
 *
 * A value that is merged into a table is read into an ascending array first. It is inserted into the
 * table in place while there are enough gaps; otherwise both are merged into a new table. The
 * state of a union of many keeps packed values until there are many (pending.c), as long as their hash
 * bits are no fewer than its own and there cannot be too many items.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"

static void
cut_bits(uint64_t *fingerprints, CuckooHeader *header, unsigned hash_bits,
         const SketchMemory *memory)
{
    const unsigned cut = header->hash_bits - hash_bits;

    if (cut > 0)
        POLLED_FOR (i, 0, header->items, 1, memory)
            fingerprints[i] >>= cut;
    header->hash_bits = hash_bits;
}

void
cuckoo_compact(SketchState *state, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(*state);
    CuckooHeader header = cuckoo_state_header(cuckoo_state(*state));
    uint64_t wanted = header.items > header.capacity ? header.items : header.capacity;
    unsigned hash_bits = cuckoo_hash_bits(wanted, header.fingerprint_bits);
    uint64_t *fingerprints;

    cuckoo_state(*state)->deletes = header.deletes = 0;
    if (hash_bits >= header.hash_bits)
        return;
    fingerprints = memory->scratch((header.items + 1) * sizeof(uint64_t), memory->context);
    cuckoo_table_copy(&table, fingerprints, header.items, memory);
    cut_bits(fingerprints, &header, hash_bits, memory);
    *state = cuckoo_new_table(&header, fingerprints, 2, memory);
    memory->release(fingerprints, memory->context);
}

/*
 * A walk over a table that inserts an array. Most fingerprints are there already, or fall into a
 * gap. A fingerprint that stands in the way of a new one waits in a queue for the next slot; if
 * that is taken, its fingerprint waits too, until a gap takes the last. No more fingerprints wait
 * than were put in. The queue is a ring of `ring` places, a power of two. If the table ends before
 * the queue is empty and the array is done, rebuild makes a new table. (Merging both into a new
 * table every time would take 4 times the instructions of a union of many filters; callgrind.)
 */
typedef struct Insertion {
    uint64_t *queue;
    size_t ring;
    size_t head;
    size_t tail;
    uint64_t done;  /* of the array */
    uint64_t added; /* that were not there before */
} Insertion;

#define PREFETCH_AHEAD 32

/* The first slot from `at` on that is free or whose fingerprint is not smaller. */
static inline size_t
skip_smaller(const CuckooTable *table, size_t at, uint64_t fingerprint)
{
    /*
     * Four at a time, since the processor cannot predict their number. A free slot minus 1 is
     * large, and all fingerprints behind it are larger: their canonical slots are there.
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
insert_sorted(const CuckooTable *table, const uint64_t *other, uint64_t count, Insertion *insertion,
              const SketchMemory *memory)
{
    const CuckooTable t = *table;
    uint64_t *queue = insertion->queue;
    const size_t mask = insertion->ring - 1;
    size_t head = 0, tail = 0, at = 0;
    uint64_t i = 0, added = 0;

    for (; i < count && at < t.slots; memory->poll(memory->context)) {
        uint64_t stop = sketch_piece_end(i, count, 1);

        while (i < stop) {
            uint64_t key = other[i] + 1, here;
            size_t canonical = cuckoo_canonical_slot(&t, other[i]);

            if (i + PREFETCH_AHEAD < count)
                __builtin_prefetch(t.slot + cuckoo_canonical_slot(&t, other[i + PREFETCH_AHEAD]));
            at = canonical > at ? canonical : at;
            at = skip_smaller(&t, at, other[i]);
            if (at >= t.slots)
                break;
            here = t.slot[at];
            i++;
            at++;
            /* The usual case in a union of many. Memory not written stays clean in the cache. */
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
                if (at % SKETCH_POLL_STEPS == 0)
                    memory->poll(memory->context);
            }
        }
    }
    insertion->head = head;
    insertion->tail = tail;
    insertion->done = i;
    insertion->added = added;
}

/* A new table, with more slots, of a table and what could not be inserted. */
static SketchState
rebuild(const CuckooTable *table, const CuckooHeader *header, const Insertion *inserted,
        const uint64_t *other, uint64_t count, const SketchMemory *memory)
{
    CuckooHeader merged = *header;
    uint64_t waiting = inserted->tail - inserted->head;
    uint64_t rest = count - inserted->done, placed;
    uint64_t *all = memory->scratch(
        (header->items + inserted->added + rest + waiting + 1) * sizeof *all, memory->context);
    uint64_t *queue = memory->scratch((waiting + 1) * sizeof *queue, memory->context);
    SketchState state;

    placed = cuckoo_table_copy(table, all, header->items + inserted->added, memory);
    POLLED_FOR (i, 0, waiting, 1, memory)
        queue[i] = inserted->queue[(inserted->head + i) & (inserted->ring - 1)] - 1;
    merged.items = placed + cuckoo_merge_sorted(queue, waiting, other + inserted->done, rest, false,
                                                all + placed, memory);
    state = cuckoo_new_table(&merged, all, merged.items / 2 + 4, memory);
    memory->release(queue, memory->context);
    memory->release(all, memory->context);
    return state;
}

/* Merges in place as long as there are slots. `header` is the result's, except for its items. */
static void
merge_in_place(SketchState *state, const CuckooHeader *header, const uint64_t *other,
               uint64_t count, const SketchMemory *memory)
{
    CuckooTable table = cuckoo_table(*state);
    Insertion inserted = {.ring = 2};

    while (inserted.ring < count + 2)
        inserted.ring *= 2;
    inserted.queue = memory->scratch(inserted.ring * sizeof *inserted.queue, memory->context);
    insert_sorted(&table, other, count, &inserted, memory);
    cuckoo_set_parameters(cuckoo_state(*state), header);
    if (inserted.done < count || inserted.head != inserted.tail)
        *state = rebuild(&table, header, &inserted, other, count, memory);
    else
        cuckoo_state(*state)->items = header->items + inserted.added;
    memory->release(inserted.queue, memory->context);
}

/*
 * Returns true if every fingerprint that both arrays have has at most CUCKOO_COPIES_MAX copies in
 * all.
 */
static bool
sums_fit(const uint64_t *a, uint64_t a_count, const uint64_t *b, uint64_t b_count,
         const SketchMemory *memory, SketchError *error)
{
    uint64_t i = 0, j = 0;

    for (; i < a_count && j < b_count; memory->poll(memory->context)) {
        uint64_t stop = i + j + SKETCH_POLL_STEPS;

        while (i < a_count && j < b_count && i + j < stop) {
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
    }
    return true;
}

/* The parameters of a union or sum; the items are those of the first. */
static CuckooHeader
merge_headers(const CuckooHeader *a, const CuckooHeader *b)
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

/* Merges into a new table. */
static bool
merge_anew(SketchState *state, uint64_t *other, CuckooHeader *other_header, bool sum,
           const SketchMemory *memory, SketchError *error)
{
    CuckooHeader before, header;
    uint64_t *mine = cuckoo_read(sketch_bytes(*state), &before, memory), *all;
    bool good;

    if (!mine)
        return sketch_refuse_damaged(error);
    header = merge_headers(&before, other_header);
    cut_bits(mine, &before, header.hash_bits, memory);
    cut_bits(other, other_header, header.hash_bits, memory);
    all = memory->scratch((before.items + other_header->items + 1) * sizeof *all, memory->context);
    good = !sum || sums_fit(mine, before.items, other, other_header->items, memory, error);
    if (good) {
        header.items =
            cuckoo_merge_sorted(mine, before.items, other, other_header->items, sum, all, memory);
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
    uint64_t *fingerprints = cuckoo_read(other, &other_header, memory);
    bool merged = true;

    if (!fingerprints)
        return sketch_refuse_damaged(error);
    if (sketch_encoding(state->data) == CUCKOO_TABLE && !sum) {
        CuckooHeader before = cuckoo_state_header(cuckoo_state(*state));
        uint64_t all = before.items + other_header.items;

        header = merge_headers(&before, &other_header);
        if (header.hash_bits == before.hash_bits && all <= cuckoo_limit(&header) &&
            all <= cuckoo_table(*state).range * 9 / 10) {
            cut_bits(fingerprints, &other_header, header.hash_bits, memory);
            merge_in_place(state, &header, fingerprints, other_header.items, memory);
            memory->release(fingerprints, memory->context);
            return true;
        }
    }
    merged = merge_anew(state, fingerprints, &other_header, sum, memory, error);
    memory->release(fingerprints, memory->context);
    return merged;
}

/* Returns true if a packed value can wait to be merged; *header becomes that of the union. */
static bool
can_wait(SketchState state, SketchBytes packed, CuckooHeader *header)
{
    CuckooHeader before, other;
    CuckooReader reader;

    if (sketch_encoding(state.data) != CUCKOO_PENDING ||
        sketch_encoding(packed.data) != CUCKOO_PACKED || !cuckoo_reader_open(&reader, packed))
        return false;
    before = cuckoo_state_header(cuckoo_state(state));
    other = cuckoo_header(packed);
    *header = merge_headers(&before, &other);
    header->items = before.items + other.items;
    return header->hash_bits == before.hash_bits && header->items <= cuckoo_limit(header);
}

bool
cuckoo_merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    CuckooHeader header;
    CuckooList mine, list;

    if (sketch_encoding(state->data) == CUCKOO_LIST && cuckoo_is_list(other.data)) {
        if (!cuckoo_list(&mine, sketch_bytes(*state)) || !cuckoo_list(&list, other))
            return sketch_refuse_damaged(error);
        if (mine.fingerprint_bits == list.fingerprint_bits && mine.hash_bits == list.hash_bits)
            return cuckoo_list_append(state, &list.hashes, memory, error);
    }
    if (can_wait(*state, other, &header))
        return cuckoo_append_pending(state, &header, other, memory) || sketch_refuse_damaged(error);
    return merge(state, other, false, memory, error);
}

bool
cuckoo_sum(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    return merge(state, other, true, memory, error);
}
