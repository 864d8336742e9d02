/*
 * list.c - the state of an aggregate: the hashes of its items as they come.
 */
#include "cuckoo_internal.h"

#include "core/common/distinct.h"

#define SMALLEST_CHUNK 128
#define GUESSED_FROM 65536 /* from here on a sample tells whether dropping repetitions pays */

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
cuckoo_list_valid(SketchBytes value)
{
    uint32_t count;

    if (value.size < CUCKOO_LIST_HEADER)
        return false;
    memcpy(&count, value.data + 8, sizeof count);
    return value.data[4] >= CUCKOO_BITS_MIN && value.data[4] <= CUCKOO_BITS_MAX &&
           value.data[5] >= value.data[4] + CUCKOO_SPREAD_MIN &&
           value.data[5] <= value.data[4] + CUCKOO_SPREAD_MAX && count <= list_capacity(value.size);
}

/* Drops repetitions, unless a sample says that there are few. */
static void
drop_repetitions(SketchState state, const SketchMemory *memory)
{
    uint32_t count = *list_count(state);
    uint64_t *hashes = list_hashes(state), *distinct;

    if (count > GUESSED_FROM && distinct_guess(hashes, count, memory) > (uint64_t)count * 9 / 16)
        return;
    distinct = memory->scratch(count * sizeof *distinct + 1, memory->context);
    count = (uint32_t)distinct_hashes(hashes, count, distinct, memory);
    memcpy(hashes, distinct, count * sizeof *hashes);
    memory->release(distinct, memory->context);
    *list_count(state) = count;
}

bool
cuckoo_list_reserve(SketchState *state, size_t more, const SketchMemory *memory, SketchError *error)
{
    const size_t largest = list_capacity(CUCKOO_LARGEST - SKETCH_PREFIX_BYTES);
    size_t capacity = list_capacity(state->size);
    SketchState grown;

    drop_repetitions(*state, memory);
    if (*list_count(*state) + more <= capacity && *list_count(*state) <= capacity / 2)
        return true;
    if (*list_count(*state) + more > largest)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Items while an aggregate is built",
                                   (int64_t)(*list_count(*state) + more), 0, (int64_t)largest);
    if (capacity == largest)
        return true;
    grown = new_list(state->data[4], state->data[5],
                     *list_count(*state) + (more > capacity ? more : capacity), memory);
    memcpy(list_hashes(grown), list_hashes(*state), *list_count(*state) * sizeof(uint64_t));
    *list_count(grown) = *list_count(*state);
    *state = grown;
    return true;
}

bool
cuckoo_append_list(SketchState *state, SketchBytes other, const SketchMemory *memory,
                   SketchError *error)
{
    uint32_t count;

    memcpy(&count, other.data + 8, sizeof count);
    if (*list_count(*state) + (size_t)count > list_capacity(state->size) &&
        !cuckoo_list_reserve(state, count, memory, error))
        return false;
    if (count > 0)
        memcpy(list_hashes(*state) + *list_count(*state), other.data + CUCKOO_LIST_HEADER,
               count * sizeof(uint64_t));
    *list_count(*state) += count;
    return true;
}

uint64_t *
cuckoo_list_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    uint32_t count;
    uint64_t *distinct;

    if (!cuckoo_list_valid(value))
        return NULL;
    memcpy(&count, value.data + 8, sizeof count);
    distinct = memory->scratch(count * sizeof *distinct + 1, memory->context);
    count = (uint32_t)distinct_hashes((const uint64_t *)(value.data + CUCKOO_LIST_HEADER), count,
                                      distinct, memory);
    distinct_sort(distinct, count, memory);
    *header = (CuckooHeader){.fingerprint_bits = value.data[4],
                             .hash_bits = cuckoo_hash_bits(count, value.data[4]),
                             .items = count};
    if (header->hash_bits < value.data[5])
        header->hash_bits = value.data[5];
    for (uint32_t i = 0; i < count; i++)
        distinct[i] = cuckoo_fingerprint(distinct[i], header->hash_bits);
    return distinct;
}
