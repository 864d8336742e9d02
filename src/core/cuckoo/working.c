/*
 * working.c - filters that change: adding, deleting, merging.
 *
 * Two working encodings, in host byte order:
 *
 *     0..3    as in every value
 *     4       fingerprint bits
 *
 *     list (0x80), the state of an aggregate
 *     5       hash bits, at least
 *     6..7    zero
 *     8..11   hashes
 *     12..    hashes, 8 bytes each, in no order and with repetitions
 *
 *     table (0x81), everything else
 *     5       hash bits
 *     6..7    zero
 *     8..11   capacity, 0 for a filter that grows
 *     12..19  items
 *     20..27  deletes
 *     28..31  homes
 *     32..35  zero
 *     36..    slots, 8 bytes each: a fingerprint plus 1, or 0 for none
 *
 * A list begins with 128 bytes for 14 hashes, length word included, and doubles when it is full of
 * distinct ones. (Half of that would be less for groups of up to 6 items only: the pieces that all
 * others leave behind are of use to nobody.) How many bits are kept is decided by packing, when
 * their number is known, or are more from the beginning, for what the filter will be merged with.
 *
 * A table is a sorted array with gaps. A fingerprint's home is its share of the homes, so homes
 * ascend with fingerprints; it stands there or, with no gap in between, behind. So the order of the
 * slots is that of the fingerprints, an item is found within some steps, and the gaps take what is
 * added. Another filter, sorted, is merged in one sweep. Some slots follow the last home.
 */
#include "cuckoo_internal.h"

SketchState
cuckoo_new_working(uint8_t encoding, unsigned fingerprint_bits, size_t header, size_t size,
                   const SketchMemory *memory)
{
    SketchState state = {memory->value(size, memory->context), size};

    memset(state.data, 0, header);
    state.data[0] = SKETCH_CUCKOO;
    state.data[1] = cuckoo_ops.version;
    state.data[2] = encoding;
    state.data[3] = SKETCH_HASH_XXH3;
    state.data[4] = (uint8_t)fingerprint_bits;
    return state;
}

uint64_t *
cuckoo_working_fingerprints(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    if (value.data[2] == CUCKOO_LIST)
        return cuckoo_list_fingerprints(value, header, memory);
    if (value.data[2] == CUCKOO_TABLE)
        return cuckoo_sound_fingerprints(value, header, memory);
    return NULL;
}

/* Of a value in any encoding. */
uint64_t *
cuckoo_fingerprints(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    if (sketch_is_working(value.data))
        return cuckoo_working_fingerprints(value, header, memory);
    *header = cuckoo_header(value);
    return cuckoo_decode(value, memory);
}

SketchState
cuckoo_open_table(SketchBytes value, const SketchMemory *memory)
{
    SketchState state = {NULL, 0};
    CuckooHeader header;
    uint64_t *fingerprints = cuckoo_fingerprints(value, &header, memory);

    if (fingerprints) {
        state = cuckoo_new_table(&header, fingerprints, header.items / 8 + 2, memory);
        memory->release(fingerprints, memory->context);
    }
    return state;
}

SketchState
cuckoo_open(SketchBytes value, const SketchMemory *memory)
{
    SketchState state = {NULL, 0};

    if (value.data[2] != CUCKOO_LIST)
        return cuckoo_open_table(value, memory);
    if (cuckoo_sound_list(value)) {
        state = (SketchState){memory->value(value.size, memory->context), value.size};
        memcpy(state.data, value.data, value.size);
    }
    return state;
}

SketchState
cuckoo_new(uint32_t capacity, bool fixed, unsigned fingerprint_bits, const SketchMemory *memory)
{
    CuckooHeader header = {.fingerprint_bits = fingerprint_bits,
                           .hash_bits = cuckoo_hash_bits(capacity, fingerprint_bits),
                           .capacity = fixed ? capacity : 0};

    return cuckoo_new_table(&header, NULL, 2, memory);
}

bool
cuckoo_insert(SketchState *state, uint64_t hash, const SketchMemory *memory, SketchError *error)
{
    if (state->data[2] == CUCKOO_TABLE)
        return cuckoo_table_count(*state, hash) > 0 || cuckoo_add(state, hash, memory, error);
    if (cuckoo_list_add(*state, hash))
        return true;
    if (!cuckoo_make_list_room(state, 1, memory, error))
        return false;
    cuckoo_list_add(*state, hash);
    return true;
}
