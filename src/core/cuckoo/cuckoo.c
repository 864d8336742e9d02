/*
 * cuckoo.c - a filter that can forget: is an item in the set, and how often? Items can be deleted.
 *
 * A filter keeps a few bits of the hash of every item. An item that was added is always found. An
 * item that was not added is reported as present with a small probability. Unlike a Bloom filter it
 * can delete items, count them, merge by the greater count or the sum, and be cut down to fewer
 * bits.
 *
 * The type is named for the cuckoo filter (Fan and others), which does the same, but stores the
 * bits differently. Its table has two places for every item; some slots are never filled, inserting
 * fails when it is nearly full, and its bytes depend on the order of insertion. A stored value is
 * never changed in place, so it can hold the content of such a table, written by quotienting
 * (Cleary; Bender and others):
 *
 *     a filter is a sorted multiset of fingerprints, the p highest bits of the items' hashes.
 *
 * n fingerprints of p bits have a false-positive rate of n / 2^p. p stays the same while the filter
 * grows: when the number of buckets doubles, one of the p bits moves from the remainder to the
 * bucket number. So the "fingerprint bits" f only state the rate: 8 * .95 / 2^f, that of a cuckoo
 * filter with buckets of four slots at 95% load. p is the smallest that reaches this rate at the
 * capacity, or at the number of items of an aggregate, but at least f + 8:
 *
 *     2^p >= items * 2^f / 7.6        f = 16: between .006 and .012%; 64 times as many: .38 to .75%
 *
 * A fingerprint is stored once for every copy. A union takes the greater count of each fingerprint,
 * a sum adds the counts. Filters of different p merge at the lower one.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3     4              5   6..7   8..15   16..23    24..27    28..
 *     kind   version  encoding  hash  fingerprint f  p   zero   items   deletes   capacity  buckets
 *
 * The capacity is 0 in a filter that grows. The c highest bits of a fingerprint are its quotient;
 * only the other r = p - c bits, its remainder, are stored. 2^c is the least power of two >= n, so
 * there is half an item to one item per quotient. The items of one quotient are a run. 256
 * quotients are a bucket:
 *
 *     0..3    displacement: how many bytes after the start of its slots the bucket really begins
 *     4..7    items of each quarter of its quotients, 255 for 255 or more
 *     8..     its slots
 *
 *     lengths: for every quotient as many ones as its run has items, then a zero; padded to a byte
 *     remainders of r bits, ascending within their run; padded to a byte
 *
 * Every bucket has slots for the same number of items, 33/32 of the mean, so the place of a bucket
 * can be computed. A bucket with more items continues in the slots of the next one (after its 8
 * bytes), which then begins displaced. A bucket with fewer items leaves zeros. 97% of the slots are
 * in use, and displacements are a fraction of a bucket: they behave like waiting times in a queue
 * with nearly equal service times. So a probe of a stored filter reads the header and one or two
 * more chunks. A value of one bucket has no bucket header, and slots for exactly its items.
 *
 * A bucket takes r + 1 + 2^c/n bits per item, that is log2(1/rate) + 1.91 to 2. Free slots, bucket
 * headers and padding add 5%. A full filter of f = 16 takes 15.9 bits; a cuckoo table, 16 / .95.
 *
 * Costs as measured (Zen 3, one core of a shared machine, best of many runs):
 *
 *     probe of a packed value    37 ns for 10 items, 52 for 120 kB, 62 for 1 MB, 100 or more for
 *                                10 MB outside of the cache: some 350 instructions, then memory
 *     add, delete in a table     35 and 12 ns; opening a table and packing it again, as one change
 *                                of a stored filter does, 7 ns per item
 *     an aggregate               2 ns per row, and 30 once for each distinct item
 *     union                      75 instructions per item for two filters, packing included;
 *                                110 to 300 for hundreds of filters (callgrind)
 *
 * A list of hashes in transit (list.c) begins with the same header.
 *
 * What cuckoo_validate enforces of a packed value:
 *   1. kind 6, version 1, encoding 0, hash 0; f from 8 to 32; p from f + 8 to f + 29; zeros.
 *   2. at most 2^(p-1) items, at most 2^32-1, and no more than the capacity, if there is one; the
 *      capacity at most 2^30; deletes at most 2^63-1.
 *   3. fingerprints in ascending order, as many as the header says. Packing them again gives the
 *      same bytes, so every free slot, displacement and bit of padding is canonical.
 *
 * Limitations: deleting an item that was never added removes, with the probability of a false
 * positive, another item's fingerprint; `deletes` counts how often that was risked. After a union,
 * two different items with the same fingerprint share one. Left out: moving items between two
 * buckets, since no item is ever in the way of another; and growth in steps, since every value has
 * the size it needs.
 *
 * References: B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, Cuckoo filter: practically better
 * than Bloom, CoNEXT 2014. J. Cleary, Compact hash tables using bidirectional linear probing, IEEE
 * ToC 1984. M. Bender and others, Don't thrash: how to cache your hash on flash, VLDB 2012. P.
 * Pandey and others, A general-purpose counting filter, SIGMOD 2017. P. Elias, Efficient storage
 * and retrieval by content and address of static files, JACM 1974.
 */
#include "cuckoo.h"

#include "cuckoo_internal.h"

#include "core/common/polled.h"

/* ---- bytes from outside ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    CuckooHeader h = cuckoo_header(input);
    CuckooHeader grows = h;

    if (sketch_hash(input.data) != SKETCH_HASH_XXH3)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function",
                                   sketch_hash(input.data), SKETCH_HASH_XXH3, SKETCH_HASH_XXH3);
    if (h.fingerprint_bits < CUCKOO_BITS_MIN || h.fingerprint_bits > CUCKOO_BITS_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Fingerprint bits out of range",
                                   h.fingerprint_bits, CUCKOO_BITS_MIN, CUCKOO_BITS_MAX);
    if (h.hash_bits < h.fingerprint_bits + CUCKOO_SPREAD_MIN ||
        h.hash_bits > h.fingerprint_bits + CUCKOO_SPREAD_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Hash bits out of range", h.hash_bits,
                                   h.fingerprint_bits + CUCKOO_SPREAD_MIN,
                                   h.fingerprint_bits + CUCKOO_SPREAD_MAX);
    if (!cuckoo_reserved_is_zero(input.data))
        return sketch_refuse(error, SKETCH_MALFORMED, "Reserved bytes are not zero");
    if (h.capacity > CUCKOO_CAPACITY_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Capacity out of range", h.capacity, 0,
                                   CUCKOO_CAPACITY_MAX);
    if (h.deletes > INT64_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Number of deletes out of range");
    if (sketch_encoding(input.data) == CUCKOO_TRANSIT)
        return true;
    grows.capacity = 0;
    if (h.items > cuckoo_limit(&grows))
        return sketch_refuse(error, SKETCH_MALFORMED, "More items than the hash bits allow");
    if (h.items > cuckoo_limit(&h))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More items than the capacity",
                                   (int64_t)h.items, 0, h.capacity);
    return true;
}

/* A value in transit has no deletes and no capacity, and its hashes are whole. */
static bool
validate_transit(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    CuckooHeader header = cuckoo_header(input);
    CuckooList list;

    if (header.deletes != 0 || header.capacity != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Reserved bytes are not zero");
    if (header.items < 1 || header.items > HASH_TRANSIT_MAX)
        return sketch_refuse(error, SKETCH_MALFORMED, "Too many hashes for a value in transit");
    if (!cuckoo_list(&list, input))
        return sketch_refuse(error, SKETCH_MALFORMED, "The hashes do not fit the header");
    return hash_list_validate(&list.hashes, memory, error) && polled_accept(input, memory, value);
}

static bool
cuckoo_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                SketchError *error)
{
    CuckooHeader header;
    uint64_t *fingerprints;

    if (!sketch_validate_common(input, &cuckoo_ops, error) || !validate_header(input, error))
        return false;
    if (sketch_encoding(input.data) == CUCKOO_TRANSIT)
        return validate_transit(input, memory, value, error);
    fingerprints = cuckoo_decode(input, memory);
    if (!fingerprints)
        return sketch_refuse(error, SKETCH_MALFORMED, "The items do not fit the header");
    header = cuckoo_header(input);
    *value = cuckoo_encode(&header, fingerprints, memory);
    memory->release(fingerprints, memory->context);
    return polled_accept_packed(input, *value, memory, error);
}

static SketchBytes
cuckoo_pack(SketchBytes value, const SketchMemory *memory)
{
    CuckooHeader header;
    uint64_t *fingerprints = cuckoo_read(value, &header, memory);
    SketchBytes packed = {NULL, 0};

    if (fingerprints) {
        packed = cuckoo_encode(&header, fingerprints, memory);
        memory->release(fingerprints, memory->context);
    }
    return packed;
}

/* A table goes into transit packed: that loses nothing. */
static SketchBytes
cuckoo_transit(SketchBytes value, const SketchMemory *memory)
{
    return cuckoo_is_list(value.data) ? cuckoo_list_transit(value, memory)
                                      : cuckoo_pack(value, memory);
}

/* A filter whose items were all deleted is empty, too. */
static bool
cuckoo_is_empty(SketchBytes value)
{
    CuckooList list;

    if (cuckoo_is_list(value.data))
        return cuckoo_list(&list, value) && list.hashes.count == 0;
    if (sketch_is_working(value.data))
        return state_fits(value, sizeof(CuckooState)) &&
               cuckoo_state_header(state_at(value.data)).items == 0;
    return value.size >= CUCKOO_PACKED_HEADER && cuckoo_header(value).items == 0;
}

const SketchOps cuckoo_ops = {
    .name = "cuckoo",
    .kind = SKETCH_CUCKOO,
    .version = CUCKOO_VERSION,
    .header_bytes = CUCKOO_PACKED_HEADER,
    .many_encoding = CUCKOO_PENDING,
    .validate = cuckoo_validate,
    .open = cuckoo_open,
    .open_many = cuckoo_open_many,
    .pack = cuckoo_pack,
    .transit = cuckoo_transit,
    .merge = cuckoo_merge,
    .is_empty = cuckoo_is_empty,
};
