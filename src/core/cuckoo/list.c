/*
 * list.c - the state of an aggregate: a log of hashes.
 *
 * Packing, when the number of items is known, decides how many bits of the hashes to keep. In
 * transit (hash_log.h) a list has the header of a packed value, with the number of hashes as its
 * items and without deletes and capacity; its hash bits are the minimum for the filter.
 */
#include "cuckoo_internal.h"

#include "core/common/polled.h"

#define MIN_CHUNK_BYTES 128

static CuckooListState *
list_state(SketchState state)
{
    return state_at(state.data);
}

static HashLog
list_log(SketchState state)
{
    CuckooListState *s = list_state(state);

    return (HashLog){s->hash, &s->count, state_end(state)};
}

/* Returns an empty list for at least `hashes` hashes, as far as CUCKOO_MAX_BYTES allows. */
static SketchState
new_list(unsigned fingerprint_bits, unsigned hash_bits, size_t hashes, const SketchMemory *memory)
{
    size_t size = state_chunk(MIN_CHUNK_BYTES, sizeof(CuckooListState) + hashes * sizeof(uint64_t));
    SketchState state = state_new(SKETCH_CUCKOO, CUCKOO_LIST, SKETCH_HASH_XXH3,
                                  size < CUCKOO_MAX_BYTES ? size : CUCKOO_MAX_BYTES,
                                  sizeof(CuckooListState), memory);

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

/* Opens a list in transit. */
static bool
transit_list(CuckooList *list, SketchBytes value)
{
    CuckooHeader header;

    if (value.size < CUCKOO_PACKED_HEADER)
        return false;
    header = cuckoo_header(value);
    if (header.items > HASH_TRANSIT_MAX ||
        value.size != CUCKOO_PACKED_HEADER + header.items * sizeof(uint64_t))
        return false;
    *list = (CuckooList){
        .fingerprint_bits = header.fingerprint_bits,
        .hash_bits = header.hash_bits,
        .hashes = {value.data + CUCKOO_PACKED_HEADER, (uint32_t)header.items, .is_log = false}};
    header.items = 0;
    return cuckoo_header_valid(&header);
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
                         .hashes = {(const uint8_t *)s->hash, s->count, .is_log = true}};
    return true;
}

/* Returns a working copy with space for `more` hashes. */
static SketchState
open_with(const CuckooList *list, size_t more, const SketchMemory *memory)
{
    SketchState state =
        new_list(list->fingerprint_bits, list->hash_bits, list->hashes.count + more, memory);

    hash_log_append(list_log(state), &list->hashes, memory);
    return state;
}

SketchState
cuckoo_list_open(const CuckooList *list, const SketchMemory *memory)
{
    return open_with(list, 0, memory);
}

/* Makes space for `more` hashes; replaces *state as SketchOps.merge does. */
static bool
grow(SketchState *state, size_t more, const SketchMemory *memory, SketchError *error)
{
    const size_t largest = (CUCKOO_MAX_BYTES - sizeof(CuckooListState)) / sizeof(uint64_t);
    const CuckooListState *s = list_state(*state);
    size_t capacity = hash_log_max(list_log(*state));
    CuckooList list;

    if (s->count + more <= capacity || hash_log_tidy(list_log(*state), more, memory))
        return true;
    if (s->count + more > largest)
        return sketch_refuse_range(error, SKETCH_LIMIT, "Items while an aggregate is built",
                                   (int64_t)(s->count + more), 0, (int64_t)largest);
    if (capacity == largest)
        return true;
    cuckoo_list(&list, sketch_bytes(*state));
    *state = open_with(&list, more > capacity ? more : capacity, memory);
    return true;
}

bool
cuckoo_list_insert(SketchState *state, uint64_t hash, const SketchMemory *memory,
                   SketchError *error)
{
    return grow(state, 1, memory, error) && hash_log_add(list_log(*state), hash);
}

bool
cuckoo_list_append(SketchState *state, const HashList *hashes, const SketchMemory *memory,
                   SketchError *error)
{
    if (!grow(state, hashes->count, memory, error))
        return false;
    hash_log_append(list_log(*state), hashes, memory);
    return true;
}

/* Cuts hashes to fingerprints with the bits that their number needs; returns their header. */
static CuckooHeader
cut_hashes(const CuckooList *list, uint64_t *hashes, size_t count, const SketchMemory *memory)
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
    size_t count;

    if (!cuckoo_list(&list, value))
        return NULL;
    /* cuckoo_encode does binary searches in the fingerprints, so they have to ascend. */
    if (!list.hashes.is_log && !hash_list_ascends(&list.hashes, memory))
        return NULL;
    hashes = hash_list_distinct(&list.hashes, UINT32_MAX, &count, memory);
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
    size_t count;
    uint8_t *data;

    if (!cuckoo_list(&list, value))
        return transit;
    hashes = hash_list_distinct(&list.hashes, UINT32_MAX, &count, memory);
    if (count < 1 || count > HASH_TRANSIT_MAX) {
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
