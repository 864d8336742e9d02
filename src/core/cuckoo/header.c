/*
 * header.c - the fields of packed values. Their bytes: cuckoo.c.
 */
#include "cuckoo_internal.h"

CuckooHeader
cuckoo_header(SketchBytes packed)
{
    return (CuckooHeader){
        .fingerprint_bits = packed.data[CUCKOO_AT_FINGERPRINT_BITS],
        .hash_bits = packed.data[CUCKOO_AT_HASH_BITS],
        .items = load_le64(packed.data + CUCKOO_AT_ITEMS),
        .deletes = load_le64(packed.data + CUCKOO_AT_DELETES),
        .capacity = load_le32(packed.data + CUCKOO_AT_CAPACITY),
    };
}

_Static_assert(offsetof(CuckooListState, hash_bits) == offsetof(CuckooState, hash_bits) &&
                   offsetof(CuckooState, hash_bits) == SKETCH_PREFIX_BYTES + CUCKOO_AT_HASH_BITS &&
                   offsetof(CuckooListState, fingerprint_bits) ==
                       SKETCH_PREFIX_BYTES + CUCKOO_AT_FINGERPRINT_BITS,
               "the parameters are in one place in all encodings");

CuckooParameters
cuckoo_parameters(const uint8_t *data)
{
    return (CuckooParameters){.fingerprint_bits = data[CUCKOO_AT_FINGERPRINT_BITS],
                              .hash_bits = data[CUCKOO_AT_HASH_BITS],
                              .is_list = sketch_encoding(data) == CUCKOO_LIST};
}

bool
cuckoo_header_valid(const CuckooHeader *header)
{
    return header->fingerprint_bits >= CUCKOO_BITS_MIN &&
           header->fingerprint_bits <= CUCKOO_BITS_MAX &&
           header->hash_bits >= header->fingerprint_bits + CUCKOO_SPREAD_MIN &&
           header->hash_bits <= header->fingerprint_bits + CUCKOO_SPREAD_MAX &&
           header->items <= cuckoo_limit(header);
}

void
cuckoo_write_header(uint8_t *data, uint8_t encoding, const CuckooHeader *header)
{
    sketch_write_common(data, SKETCH_CUCKOO, CUCKOO_VERSION, encoding, SKETCH_HASH_XXH3);
    data[CUCKOO_AT_FINGERPRINT_BITS] = (uint8_t)header->fingerprint_bits;
    data[CUCKOO_AT_HASH_BITS] = (uint8_t)header->hash_bits;
    store_le16(data + CUCKOO_AT_RESERVED, 0);
    store_le64(data + CUCKOO_AT_ITEMS, header->items);
    store_le64(data + CUCKOO_AT_DELETES, header->deletes);
    store_le32(data + CUCKOO_AT_CAPACITY, header->capacity);
}

bool
cuckoo_reserved_is_zero(const uint8_t *data)
{
    return load_le16(data + CUCKOO_AT_RESERVED) == 0;
}
