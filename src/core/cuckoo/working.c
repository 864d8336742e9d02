/*
 * working.c - reading and opening any value.
 *
 * There are three working encodings: a list (0x80, CuckooListState) is the state of an aggregate;
 * pending packed values (0x82, CuckooState, pending.c) are the state of a union of many; a table
 * (0x81, CuckooState) is everything else.
 *
 * A list begins with 128 bytes, length word included, for 14 hashes, and doubles when it is full of
 * distinct ones. (Beginning with 64 bytes would save memory only in groups of up to 6 items: the
 * chunks that larger groups leave behind are not used again.) Packing, when the number of items is
 * known, decides how many hash bits to keep; byte 5 may demand more, for the sake of filters it
 * will be merged with.
 */
#include "cuckoo_internal.h"

uint64_t *
cuckoo_read(SketchBytes value, CuckooHeader *header, const SketchMemory *memory)
{
    const uint8_t encoding = sketch_encoding(value.data);

    /* A damaged value whose kind is that of another type has been opened as one of that type. */
    if (sketch_kind(value.data) != SKETCH_CUCKOO)
        return NULL;
    if (cuckoo_is_list(value.data))
        return cuckoo_list_read(value, header, memory);
    if (sketch_is_working(value.data) && !state_fits(value, sizeof(CuckooState)))
        return NULL;
    if (encoding == CUCKOO_TABLE)
        return cuckoo_table_read(value, header, memory);
    if (encoding == CUCKOO_PENDING)
        return cuckoo_pending_read(value, header, memory, NULL);
    if (encoding != CUCKOO_PACKED)
        return NULL;
    *header = cuckoo_header(value);
    return cuckoo_decode(value, memory);
}

SketchState
cuckoo_open_table(SketchBytes value, const SketchMemory *memory)
{
    SketchState state = {NULL, 0};
    CuckooHeader header;
    uint64_t *fingerprints = cuckoo_read(value, &header, memory);

    if (fingerprints) {
        state = cuckoo_new_table(&header, fingerprints, header.items / 8 + 2, memory);
        memory->release(fingerprints, memory->context);
    }
    return state;
}

SketchState
cuckoo_open(SketchBytes value, const SketchMemory *memory)
{
    CuckooList list;

    if (!cuckoo_is_list(value.data))
        return cuckoo_open_table(value, memory);
    return cuckoo_list(&list, value) ? cuckoo_list_open(&list, memory) : (SketchState){NULL, 0};
}

bool
cuckoo_is_pending(SketchBytes value)
{
    return sketch_kind(value.data) == SKETCH_CUCKOO &&
           sketch_encoding(value.data) == CUCKOO_PENDING && state_fits(value, sizeof(CuckooState));
}

/* A union or sum of many begins with a pending value. */
SketchState
cuckoo_open_many(SketchBytes value, const SketchMemory *memory)
{
    if (sketch_encoding(value.data) != CUCKOO_PACKED)
        return cuckoo_open(value, memory);
    return cuckoo_fits(value) ? cuckoo_new_pending(value, false, 0, memory)
                              : (SketchState){NULL, 0};
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
    if (sketch_encoding(state->data) == CUCKOO_PENDING) {
        SketchState table = cuckoo_open_table(sketch_bytes(*state), memory);

        if (table.data == NULL)
            return sketch_refuse_damaged(error);
        *state = table;
    }
    if (sketch_encoding(state->data) == CUCKOO_TABLE)
        return cuckoo_table_count(*state, hash) > 0 || cuckoo_add(state, hash, memory, error);
    return cuckoo_list_insert(state, hash, memory, error);
}
