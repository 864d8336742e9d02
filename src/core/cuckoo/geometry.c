/*
 * geometry.c - how many hash bits for how many items at which rate.
 */
#include "cuckoo_internal.h"

#include <math.h>

const char cuckoo_copies[] = "Copies of one item";
const char cuckoo_full[] = "Items of a filter that must not grow";
const char cuckoo_used_up[] = "Items that the hash bits allow";

/* Returns the least s with 2^s >= items / 7.6: f + s hash bits have the rate that f states. */
static unsigned
spread(uint64_t items)
{
    unsigned s = 0;

    while (s < 58 && UINT64_C(38) << s < 5 * items)
        s++;
    return s;
}

unsigned
cuckoo_hash_bits(uint64_t items, unsigned fingerprint_bits)
{
    unsigned s = spread(items);

    return fingerprint_bits + (s < CUCKOO_SPREAD_MIN   ? CUCKOO_SPREAD_MIN
                               : s > CUCKOO_SPREAD_MAX ? CUCKOO_SPREAD_MAX
                                                       : s);
}

unsigned
cuckoo_current_bits(const CuckooHeader *header)
{
    unsigned bits = header->hash_bits - spread(header->items);

    return bits < header->fingerprint_bits ? bits : header->fingerprint_bits;
}

double
cuckoo_false_positive_rate(const CuckooHeader *header)
{
    return -expm1(-ldexp((double)header->items, -(int)header->hash_bits));
}

CuckooLayout
cuckoo_layout(const CuckooHeader *header)
{
    return cuckoo_layout_of(header->hash_bits, header->items);
}

bool
cuckoo_refuse_full(const CuckooHeader *header, uint64_t items, SketchError *error)
{
    return sketch_refuse_range(error, SKETCH_LIMIT,
                               header->capacity > 0 && header->capacity == cuckoo_limit(header)
                                   ? cuckoo_full
                                   : cuckoo_used_up,
                               (int64_t)items, 0, (int64_t)cuckoo_limit(header));
}
