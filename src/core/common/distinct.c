/*
 * distinct.c - dropping repetitions from many 64-bit hashes.
 *
 * To find equal hashes among tens of millions, a complete sort does more work than is needed. Here
 * hashes are distributed by their highest bits into parts that fit the first-level cache. There are
 * two steps, so that neither writes to more places at once than the processor keeps address
 * translations for. A small open-addressing table then finds the equal hashes of each part.
 *
 * This needs hashes that are spread evenly. If they are not (somebody chose them), a part that is
 * too large for the table is sorted instead, so the cost stays near that of sorting.
 */
#include "distinct.h"

#include <string.h>

#include "polled.h"
#include "sort.h"

#define PART 600 /* hashes of a part, on average at most */
#define TABLE_BITS 11
#define TABLE_COUNT_MAX 1400
#define ONE_STEP_BITS 9 /* up to here distributing once does */
#define STEP_BITS_MAX 12
#define MIN_GUESSED_HASHES 65536 /* for a sample to decide whether dropping repetitions pays */

/*
 * Distributes by `bits` bits below the `above` highest, the parts in the order of these bits;
 * end[i] becomes the end of part i. Returns the size of the largest.
 */
static size_t
distribute(const uint64_t *hashes, size_t count, unsigned above, unsigned bits, uint64_t *out,
           size_t *end, const SketchMemory *memory)
{
    const unsigned shift = 64 - above - bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    size_t before = 0, largest = 0;

    memset(end, 0, sizeof *end << bits);
    POLLED_FOR (i, 0, count, 1, memory)
        end[hashes[i] >> shift & mask]++;
    for (uint64_t part = 0; part <= mask; part++) {
        size_t here = end[part];

        if (here > largest)
            largest = here;
        end[part] = before;
        before += here;
    }
    POLLED_FOR (i, 0, count, 1, memory)
        out[end[hashes[i] >> shift & mask]++] = hashes[i];
    return largest;
}

/*
 * Drops repetitions from a few hashes, at least one, whose `agree` highest bits are equal; `agree`
 * is at least 1. `out` may be where they stand, or before.
 */
static size_t
distinct_by_table(const uint64_t *hashes, size_t count, unsigned agree, uint64_t *out)
{
    uint64_t table[1 << TABLE_BITS];
    const uint64_t mask = (UINT64_C(1) << TABLE_BITS) - 1;
    const unsigned shift = 64 - agree - TABLE_BITS;
    const uint64_t none = ~hashes[0]; /* disagrees in those bits, so it is none of them */
    size_t kept = 0;

    for (uint64_t slot = 0; slot <= mask; slot++)
        table[slot] = none;
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = hashes[i];
        uint64_t slot = hash >> shift & mask;

        while (table[slot] != hash && table[slot] != none)
            slot = (slot + 1) & mask;
        out[kept] = hash;
        kept += table[slot] == none;
        table[slot] = hash;
    }
    return kept;
}

/* Drops repetitions from a part of any size; scratch is as large as the part. */
static size_t
distinct_part(uint64_t *part, size_t count, unsigned agree, uint64_t *out, uint64_t *scratch,
              const SketchMemory *memory)
{
    if (count <= TABLE_COUNT_MAX)
        return count == 0 ? 0 : distinct_by_table(part, count, agree, out);
    count = sort_hashes(part, count, scratch, memory);
    memmove(out, part, count * sizeof *out);
    return count;
}

/* Number of high bits distinguishing the parts. */
static unsigned
part_bits(size_t count)
{
    unsigned bits = 1;

    while (bits < 2 * STEP_BITS_MAX && count >> bits > PART)
        bits++;
    return bits;
}

size_t
distinct_hashes(const uint64_t *hashes, size_t count, uint64_t *out, const SketchMemory *memory)
{
    size_t end[1 << STEP_BITS_MAX], fine_end[1 << STEP_BITS_MAX];
    size_t largest, kept = 0, begin = 0, steps = 0;
    unsigned bits, coarse, fine;
    uint64_t *scratch;

    if (count <= DISTINCT_SORTED) {
        uint64_t other[DISTINCT_SORTED];

        memcpy(out, hashes, count * sizeof *out);
        return sort_hashes(out, count, other, memory);
    }
    bits = part_bits(count);
    coarse = bits <= ONE_STEP_BITS ? bits : bits / 2;
    fine = bits - coarse;
    largest = distribute(hashes, count, 0, coarse, out, end, memory);
    scratch = memory->scratch(2 * largest * sizeof64(*scratch), memory->context);
    for (unsigned i = 0; i < 1u << coarse; i++) {
        size_t here = end[i] - begin, fine_begin = 0;

        sketch_poll(memory, &steps, 8 * here);
        if (fine == 0)
            kept += distinct_part(out + begin, here, coarse, out + kept, scratch, memory);
        else {
            distribute(out + begin, here, coarse, fine, scratch, fine_end, memory);
            for (unsigned j = 0; j < 1u << fine; j++) {
                kept += distinct_part(scratch + fine_begin, fine_end[j] - fine_begin, bits,
                                      out + kept, scratch + largest, memory);
                fine_begin = fine_end[j];
            }
        }
        begin = end[i];
    }
    memory->release(scratch, memory->context);
    return kept;
}

void
distinct_sort(uint64_t *distinct, size_t count, const SketchMemory *memory)
{
    unsigned bits = part_bits(count);
    size_t steps = 0;

    for (size_t begin = 0, end; begin < count; begin = end) {
        uint64_t few[TABLE_COUNT_MAX], *other = few;

        for (end = begin + 1; end < count; end++)
            if ((distinct[end] ^ distinct[begin]) >> (64 - bits) != 0)
                break;
        if (end - begin > TABLE_COUNT_MAX)
            other = memory->scratch((end - begin) * sizeof64(*other), memory->context);
        sort_hashes(distinct + begin, end - begin, other, memory);
        if (other != few)
            memory->release(other, memory->context);
        sketch_poll(memory, &steps, 8 * (end - begin));
    }
}

/*
 * The sample is the hashes whose six lowest bits are 0, so it has all repetitions of a hash or
 * none. Hashes that somebody chose may all be in it: then only the first ones are looked at.
 */
size_t
distinct_guess(const uint64_t *hashes, size_t count, const SketchMemory *memory)
{
    size_t room = count / 32 + 100, kept = 0, different;
    uint64_t *sample = memory->scratch((2 * room + 1) * sizeof64(*sample), memory->context);

    for (size_t i = 0; i < count && kept < room; i++) {
        sample[kept] = hashes[i];
        kept += hashes[i] % 64 == 0;
    }
    different = distinct_hashes(sample, kept, sample + room, memory);
    memory->release(sample, memory->context);
    return kept == 0 ? count : (size_t)((double)count * ((double)different / (double)kept));
}

size_t
distinct_drop(uint64_t *hashes, size_t count, const SketchMemory *memory)
{
    uint64_t *distinct;

    if (count > MIN_GUESSED_HASHES && distinct_guess(hashes, count, memory) > count / 16 * 9)
        return count;
    distinct = memory->scratch(count * sizeof64(*distinct) + 1, memory->context);
    count = distinct_hashes(hashes, count, distinct, memory);
    polled_copy(hashes, distinct, count * sizeof *hashes, memory);
    memory->release(distinct, memory->context);
    return count;
}
