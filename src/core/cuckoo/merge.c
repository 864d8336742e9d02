/*
 * merge.c - many items at once: union, sum, fewer hash bits.
 *
 * Both values are read into ascending arrays, which are merged into a new table. The state of a
 * union or sum of many collects packed values instead (pending.c), unless they might have too many
 * items together.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"

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
    fingerprints = memory->scratch((header.items + 1) * sizeof64(uint64_t), memory->context);
    cuckoo_table_copy(&table, fingerprints, header.items, memory);
    cuckoo_cut_bits(fingerprints, &header, hash_bits, memory);
    *state = cuckoo_new_table(&header, fingerprints, 2, memory);
    memory->release(fingerprints, memory->context);
}

/* Returns the header of a union or sum, but with the items of the first. */
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

/* cuckoo_read, with a reason where it returns NULL. */
static uint64_t *
read_or_refuse(SketchBytes value, CuckooHeader *header, const SketchMemory *memory,
               SketchError *error)
{
    uint64_t *fingerprints;

    if (cuckoo_is_pending(value))
        return cuckoo_pending_read(value, header, memory, error);
    if ((fingerprints = cuckoo_read(value, header, memory)) == NULL)
        sketch_refuse_damaged(error);
    return fingerprints;
}

static bool
merge(SketchState *state, SketchBytes value, bool sum, const SketchMemory *memory,
      SketchError *error)
{
    CuckooHeader before, added, header;
    uint64_t *other = read_or_refuse(value, &added, memory, error), *mine, *all;
    bool good;

    if (!other)
        return false;
    if ((mine = read_or_refuse(sketch_bytes(*state), &before, memory, error)) == NULL) {
        memory->release(other, memory->context);
        return false;
    }
    header = merge_headers(&before, &added);
    cuckoo_cut_bits(mine, &before, header.hash_bits, memory);
    cuckoo_cut_bits(other, &added, header.hash_bits, memory);
    all = memory->scratch((before.items + added.items + 1) * sizeof64(*all), memory->context);
    good = !sum || cuckoo_sums_fit(mine, before.items, other, added.items, memory, error);
    if (good) {
        header.items =
            cuckoo_merge_sorted(mine, before.items, other, added.items, sum, all, memory);
        good = header.items <= cuckoo_limit(&header) ||
               cuckoo_refuse_full(&header, header.items, error);
    }
    if (good)
        *state = cuckoo_new_table(&header, all, header.items / 2 + 4, memory);
    memory->release(all, memory->context);
    memory->release(mine, memory->context);
    memory->release(other, memory->context);
    return good;
}

/* Returns true if a packed value can become pending; sets *header to that of the result. */
static bool
can_wait(SketchState state, SketchBytes packed, bool sum, CuckooHeader *header)
{
    CuckooHeader before, other;

    if (sketch_encoding(state.data) != CUCKOO_PENDING || cuckoo_state(state)->sums != sum ||
        sketch_encoding(packed.data) != CUCKOO_PACKED || !cuckoo_fits(packed))
        return false;
    before = cuckoo_state_header(cuckoo_state(state));
    other = cuckoo_header(packed);
    *header = merge_headers(&before, &other);
    header->items = before.items + other.items;
    return header->items <= cuckoo_limit(header);
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
    if (can_wait(*state, other, false, &header))
        return cuckoo_append_pending(state, &header, other, memory, error);
    return merge(state, other, false, memory, error);
}

SketchState
cuckoo_open_sum(SketchBytes value, const SketchMemory *memory)
{
    SketchState state;

    if (cuckoo_is_pending(value))
        return cuckoo_copy_pending(value, memory);
    state = cuckoo_open_many(value, memory);
    if (state.data && sketch_encoding(state.data) == CUCKOO_PENDING)
        cuckoo_state(state)->sums = true;
    return state;
}

bool
cuckoo_sum(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    SketchState sum = *state;
    CuckooHeader header;

    if (sketch_unite_empty(&sum, other, memory)) {
        if (sum.data == NULL)
            return sketch_refuse_damaged(error);
        if (sketch_encoding(sum.data) == CUCKOO_PENDING)
            cuckoo_state(sum)->sums = true;
        *state = sum;
        return true;
    }
    if (can_wait(*state, other, true, &header))
        return cuckoo_append_pending(state, &header, other, memory, error);
    return merge(state, other, true, memory, error);
}

bool
cuckoo_pack_sum(SketchBytes value, const SketchMemory *memory, SketchBytes *packed,
                SketchError *error)
{
    CuckooHeader header;
    uint64_t *fingerprints = read_or_refuse(value, &header, memory, error);

    if (!fingerprints)
        return false;
    *packed = cuckoo_encode(&header, fingerprints, memory);
    memory->release(fingerprints, memory->context);
    return true;
}
