/*
 * list.c - the state of an aggregate: the hashes of its items as they come.
 *
 * A list is the one form that knows more than a filter. A packed filter keeps as many bits of the
 * hashes as its own items need; a union of many filters needs more, and could not tell which items
 * of two filters are the same. So a list that leaves the server, to be united with others, travels
 * as a list, in the encoding for transit:
 *
 *     0..3    as in every value, encoding 64
 *     4       fingerprint bits
 *     5       hash bits, at least
 *     6..7    zero
 *     8..15   hashes, at most 2^24
 *     16..27  zero
 *     28..    distinct hashes, ascending, 8 bytes each, little-endian
 */
#include "cuckoo_internal.h"

#include "core/common/distinct.h"
#include "core/common/hash_list.h"
#include "core/common/polled.h"

#define SMALLEST_CHUNK 128

static CuckooListState *
list_state(SketchState state)
{
    return state_at(state.data);
}

static size_t
list_capacity(SketchState state)
{
    return (size_t)(state_end(state) - (uint8_t *)list_state(state)->hash) / sizeof(uint64_t);
}

/* An empty list for `hashes` hashes or more, as far as CUCKOO_LARGEST allows. */
static SketchState
new_list(unsigned fingerprint_bits, unsigned hash_bits, size_t hashes, const SketchMemory *memory)
{
    size_t size = state_chunk(SMALLEST_CHUNK, sizeof(CuckooListState) + hashes * sizeof(uint64_t));
    SketchState state =
        state_new(SKETCH_CUCKOO, CUCKOO_LIST, SKETCH_HASH_XXH3,
                  size < CUCKOO_LARGEST ? size : CUCKOO_LARGEST, sizeof(CuckooListState), memory);

    list_state(state)->fingerprint_bits = (uint8_t)fingerprint_bits;
    list_state(state)->hash_bits = (uint8_t)hash_bits;
    return state;
}

SketchState
cuckoo_new_list(uint32_t capacity, unsigned fingerprint_bits, const SketchMemory *memory)
{
    return new_list(fingerprint_bits, cuckoo_hash_bits(capacity, fingerprint_bits), 0, memory);
}

bool
cuckoo_is_list(const uint8_t *data)
{
    return sketch_encoding(data) == CUCKOO_LIST || sketch_encoding(data) == CUCKOO_TRANSIT;
}

/* A list in transit. */
static bool
transit_list(CuckooList *list, SketchBytes value)
{
    CuckooHeader header;

    if (value.size < CUCKOO_PACKED_HEADER)
        return false;
    header = cuckoo_header(value);
    if (header.items > HASH_LIST_TRANSIT_MAX)
        return false;
    *list = (CuckooList){.fingerprint_bits = header.fingerprint_bits,
                         .hash_bits = header.hash_bits,
                         .in_transit = true,
                         .count = (uint32_t)header.items,
                         .hashes = value.data + CUCKOO_PACKED_HEADER};
    header.items = 0;
    return cuckoo_header_valid(&header) &&
           value.size == CUCKOO_PACKED_HEADER + list->count * sizeof(uint64_t);
}

bool
cuckoo_list(CuckooList *list, SketchBytes value)
{
    const CuckooListState *s = state_at(value.data);

    if (sketch_encoding(value.data) == CUCKOO_TRANSIT)
        return transit_list(list, value);
    if (!state_fits(value, sizeof *s))
        return false;
    *list = (CuckooList){.fingerprint_bits = s->fingerprint_bits,
                         .hash_bits = s->hash_bits,
                         .count = s->count,
                         .hashes = (const uint8_t *)s->hash};
    return true;
}

bool
cuckoo_list_grow(SketchState *state, size_t more, const SketchMemory *memory, SketchError *error)
{
    const size_t largest = (CUCKOO_LARGEST - sizeof(CuckooListState)) / sizeof(uint64_t);
    CuckooListState *s = list_state(*state), *t;
    size_t capacity = list_capacity(*state);
    SketchState grown;

    s->count = (uint32_t)distinct_drop(s->hash, s->count, memory);
    if (s->count + more <= capacity && s->count <= capacity / 2)
        return true;
    if (s->count + more > largest)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Items while an aggregate is built",
                                   (int64_t)(s->count + more), 0, (int64_t)largest);
    if (capacity == largest)
        return true;
    grown = new_list(s->fingerprint_bits, s->hash_bits,
                     s->count + (more > capacity ? more : capacity), memory);
    t = list_state(grown);
    polled_copy(t->hash, s->hash, s->count * sizeof *t->hash, memory);
    t->count = s->count;
    *state = grown;
    return true;
}

static void
copy_hashes(uint64_t *to, const CuckooList *list, const SketchMemory *memory)
{
    if (!list->in_transit)
        polled_copy(to, list->hashes, list->count * sizeof *to, memory);
    else
        POLLED_FOR (i, 0, list->count, 1, memory)
            to[i] = load_le64(list->hashes + i * sizeof *to);
}

bool
cuckoo_append_list(SketchState *state, const CuckooList *other, const SketchMemory *memory,
                   SketchError *error)
{
    CuckooListState *s = list_state(*state);

    if (s->count + (size_t)other->count > list_capacity(*state) &&
        !cuckoo_list_grow(state, other->count, memory, error))
        return false;
    s = list_state(*state);
    copy_hashes(s->hash + s->count, other, memory);
    s->count += other->count;
    return true;
}

SketchState
cuckoo_list_open(const CuckooList *list, const SketchMemory *memory)
{
    SketchState state = new_list(list->fingerprint_bits, list->hash_bits, list->count, memory);

    copy_hashes(list_state(state)->hash, list, memory);
    list_state(state)->count = list->count;
    return state;
}

/* The distinct hashes of a list in ascending order, in scratch memory. */
static uint64_t *
distinct_of(const CuckooList *list, uint32_t *count, const SketchMemory *memory)
{
    uint64_t *distinct = memory->scratch(list->count * sizeof *distinct + 1, memory->context);

    *count = list->count;
    if (list->in_transit)
        copy_hashes(distinct, list, memory);
    else {
        *count = (uint32_t)distinct_hashes((const uint64_t *)list->hashes, list->count, distinct,
                                           memory);
        distinct_sort(distinct, *count, memory);
    }
    return distinct;
}

/* Cuts hashes to fingerprints of as many bits as their number needs. */
static CuckooHeader
cut_hashes(const CuckooList *list, uint64_t *hashes, uint32_t count, const SketchMemory *memory)
{
    CuckooHeader header = {.fingerprint_bits = list->fingerprint_bits,
                           .hash_bits = cuckoo_hash_bits(count, list->fingerprint_bits),
                           .items = count};

    if (header.hash_bits < list->hash_bits)
        header.hash_bits = list->hash_bits;
    POLLED_FOR (i, 0, count, 1, memory)
        hashes[i] = cuckoo_fingerprint(hashes[i], header.hash_bits);
    return header;
}

uint64_t *
cuckoo_list_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    CuckooList list;
    uint64_t *hashes;
    uint32_t count;

    if (!cuckoo_list(&list, value))
        return NULL;
    hashes = distinct_of(&list, &count, memory);
    *header = cut_hashes(&list, hashes, count, memory);
    return hashes;
}

SketchBytes
cuckoo_list_transit(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes transit = {NULL, 0};
    CuckooHeader header;
    CuckooList list;
    uint64_t *hashes;
    uint32_t count;
    uint8_t *data;

    if (!cuckoo_list(&list, value))
        return transit;
    hashes = distinct_of(&list, &count, memory);
    if (count < 1 || count > HASH_LIST_TRANSIT_MAX) {
        header = cut_hashes(&list, hashes, count, memory);
        transit = cuckoo_encode(&header, hashes, memory);
    } else {
        transit.size = CUCKOO_PACKED_HEADER + count * sizeof *hashes;
        transit.data = data = memory->value(transit.size, memory->context);
        header = (CuckooHeader){
            .fingerprint_bits = list.fingerprint_bits, .hash_bits = list.hash_bits, .items = count};
        cuckoo_write_header(data, CUCKOO_TRANSIT, &header);
        hash_list_write(data + CUCKOO_PACKED_HEADER, hashes, count, memory);
    }
    memory->release(hashes, memory->context);
    return transit;
}
