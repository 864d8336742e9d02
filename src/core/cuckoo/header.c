/*
 * header.c - the fields of packed values. Their bytes: cuckoo.c.
 */
#include "cuckoo_internal.h"

CuckooHeader
cuckoo_header(SketchBytes packed)
{
    return (CuckooHeader){
        .fingerprint_bits = packed.data[4],
        .hash_bits = packed.data[5],
        .items = load_le64(packed.data + 8),
        .deletes = load_le64(packed.data + 16),
        .capacity = load_le32(packed.data + 24),
    };
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
    data[0] = SKETCH_CUCKOO;
    data[1] = CUCKOO_VERSION;
    data[2] = encoding;
    data[3] = SKETCH_HASH_XXH3;
    data[4] = (uint8_t)header->fingerprint_bits;
    data[5] = (uint8_t)header->hash_bits;
    store_le16(data + 6, 0);
    store_le64(data + 8, header->items);
    store_le64(data + 16, header->deletes);
    store_le32(data + 24, header->capacity);
}

bool
cuckoo_reserved_is_zero(const uint8_t *data)
{
    return load_le16(data + 6) == 0;
}
