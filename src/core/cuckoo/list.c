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

static uint32_t *
list_count(SketchState state)
{
    return (uint32_t *)(state.data + 8);
}

static uint64_t *
list_hashes(SketchState state)
{
    return (uint64_t *)(state.data + CUCKOO_LIST_HEADER);
}

static size_t
list_capacity(size_t size)
{
    return (size - CUCKOO_LIST_HEADER) / sizeof(uint64_t);
}

/* An empty list for `hashes` hashes or more, as far as CUCKOO_LARGEST allows. */
static SketchState
new_list(unsigned fingerprint_bits, unsigned hash_bits, size_t hashes, const SketchMemory *memory)
{
    size_t needed = SKETCH_PREFIX_BYTES + CUCKOO_LIST_HEADER + hashes * sizeof(uint64_t);
    size_t chunk = SMALLEST_CHUNK;

    while (chunk < needed && chunk < CUCKOO_LARGEST)
        chunk *= 2;
    if (chunk > CUCKOO_LARGEST)
        chunk = CUCKOO_LARGEST;
    return cuckoo_new_working(CUCKOO_LIST, fingerprint_bits, hash_bits, CUCKOO_LIST_HEADER,
                              chunk - SKETCH_PREFIX_BYTES, memory);
}

SketchState
cuckoo_new_list(uint32_t capacity, unsigned fingerprint_bits, const SketchMemory *memory)
{
    return new_list(fingerprint_bits, cuckoo_hash_bits(capacity, fingerprint_bits), 0, memory);
}

bool
cuckoo_is_list(const uint8_t *data)
{
    return data[2] == CUCKOO_LIST || data[2] == CUCKOO_TRANSIT;
}

bool
cuckoo_list(CuckooList *list, SketchBytes value)
{
    const bool in_transit = value.data[2] == CUCKOO_TRANSIT;
    const size_t header = in_transit ? CUCKOO_PACKED_HEADER : CUCKOO_LIST_HEADER;
    CuckooHeader bits;
    size_t space;

    if (value.size < header)
        return false;
    bits = (CuckooHeader){.fingerprint_bits = value.data[4], .hash_bits = value.data[5]};
    space = (value.size - header) / sizeof(uint64_t);
    *list = (CuckooList){.fingerprint_bits = bits.fingerprint_bits,
                         .hash_bits = bits.hash_bits,
                         .in_transit = in_transit,
                         .hashes = value.data + header};
    if (!in_transit)
        memcpy(&list->count, value.data + 8, sizeof list->count);
    else if (load_le64(value.data + 8) <= HASH_LIST_TRANSIT_MAX)
        list->count = load_le32(value.data + 8);
    else
        return false;
    return cuckoo_header_valid(&bits) && list->count <= space &&
           (!in_transit || value.size == header + list->count * sizeof(uint64_t));
}

bool
cuckoo_list_reserve(SketchState *state, size_t more, const SketchMemory *memory, SketchError *error)
{
    const size_t largest = list_capacity(CUCKOO_LARGEST - SKETCH_PREFIX_BYTES);
    size_t capacity = list_capacity(state->size);
    SketchState grown;

    *list_count(*state) = (uint32_t)distinct_drop(list_hashes(*state), *list_count(*state), memory);
    if (*list_count(*state) + more <= capacity && *list_count(*state) <= capacity / 2)
        return true;
    if (*list_count(*state) + more > largest)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Items while an aggregate is built",
                                   (int64_t)(*list_count(*state) + more), 0, (int64_t)largest);
    if (capacity == largest)
        return true;
    grown = new_list(state->data[4], state->data[5],
                     *list_count(*state) + (more > capacity ? more : capacity), memory);
    polled_copy(list_hashes(grown), list_hashes(*state), *list_count(*state) * sizeof(uint64_t),
                memory);
    *list_count(grown) = *list_count(*state);
    *state = grown;
    return true;
}

static void
copy_hashes(uint64_t *to, const CuckooList *list, const SketchMemory *memory)
{
    if (!list->in_transit)
        polled_copy(to, list->hashes, list->count * sizeof *to, memory);
    else
        for (size_t i = 0; i < list->count; memory->poll(memory->context))
            for (size_t stop = sketch_piece_end(i, list->count, 1); i < stop; i++)
                to[i] = load_le64(list->hashes + i * sizeof *to);
}

bool
cuckoo_append_list(SketchState *state, const CuckooList *other, const SketchMemory *memory,
                   SketchError *error)
{
    uint32_t count = other->count;

    if (*list_count(*state) + (size_t)count > list_capacity(state->size) &&
        !cuckoo_list_reserve(state, count, memory, error))
        return false;
    copy_hashes(list_hashes(*state) + *list_count(*state), other, memory);
    *list_count(*state) += count;
    return true;
}

SketchState
cuckoo_list_open(const CuckooList *list, const SketchMemory *memory)
{
    SketchState state = new_list(list->fingerprint_bits, list->hash_bits, list->count, memory);

    copy_hashes(list_hashes(state), list, memory);
    *list_count(state) = list->count;
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
    for (size_t i = 0; i < count; memory->poll(memory->context))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
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
