/*
 * ddsketch.c - DDSketch: which value has a given rank, to within a guaranteed relative error?
 *
 * A sketch counts values in buckets whose bounds grow by a constant factor. With b = 2^(2^-scale),
 * bucket i has the values above b^i up to b^(i+1), so b^i 2b/(1+b) differs from each of them by at
 * most a = (b-1)/(b+1) of that value:
 *
 *     scale      4      5      6      7      8
 *     a       2.17%  1.08%  .541%  .271%  .135%
 *
 * A quantile is the value of one row, the one that percentile_disc returns. The counts determine
 * the bucket of that row, so every quantile is off by at most a, for any input. (t-digest is better
 * on average, but without a guarantee.) Negative values have buckets that mirror the positive ones,
 * and zeros are counted.
 *
 * The sketch is the multiset of bucket numbers, and the exact minimum and maximum, to which answers
 * are clamped. The sum is computed from the buckets, to within a. Therefore
 *
 *   - the same multiset of values has the same bytes, whatever the order, the plan, the merges;
 *   - union adds counts, and is exact;
 *   - subtraction subtracts counts, and is exact: (a | b) - b has the counts of a. Subtracting a
 *     sketch that is not contained in the other is refused. An extreme stays known if it is outside
 *     of all that was subtracted. Of counts of buckets, too, extremes are not known, and a union in
 *     which one is unknown has none: so it does not depend on order and brackets.
 *   - an empty sketch adds nothing, whatever its buckets: a | empty has the bytes of a.
 *
 * The buckets are those of OpenTelemetry's exponential histograms and of Prometheus's native ones,
 * which are read and written without loss. Sketches of two scales merge at the lower one; one scale
 * down, two neighbours are one bucket. The sketches of Datadog's DDSketch library have other
 * buckets, with a factor gamma of their own; they keep them, and merge only with each other.
 *
 * Packed value, little-endian; a number is a varint, in groups of 7 bits:
 *
 *     0     1        2         3        4
 *     kind  version  encoding  mapping  scale  [gamma offset]  total zeros  stores  [min] [max]
 *     blocks
 *
 *     mapping   0 exponential; 1 to 4 the library's: logarithmic, linear, quadratic, cubic, which
 *               have gamma and the offset of their indexes, as doubles; their scale is 0
 *     stores    of negative values, then of positive ones: how many blocks of 16 buckets there are
 *               from the first nonempty one to the last, and, unless that is 0, the number of the
 *               first, in zigzag form. Block n has the buckets 16n to 16n + 15.
 *     min, max  if they are known, which bits 4 to 6 of the mapping's byte say (header.c), and not
 *               those of the bucket of zeros; the maximum only if it is not the minimum
 *     blocks    a string of bits for both stores, padded with zeros to a byte
 *
 * Each nonempty block has a code and 16 numbers of w bits: its counts or, with d, the differences
 * between each count and the one before it, in zigzag form. At the start of a store and after empty
 * blocks, the count before is 0. Codes, the first bit left:
 *
 *     0            d and w as in the block before; in the first of a store w is 1, without d
 *     10s          d as before, w one more (s = 0) or one less (s = 1)
 *     110 n r      2^n + r empty blocks come first; n has 5 bits and r has n. Another code follows.
 *     111 d w      d has 1 bit, w has 6
 *
 * w is the smallest width that is enough, at least 1. Differences are used if they need fewer bits
 * than the counts. They do where counts are large: neighbours of a smooth distribution differ by
 * about the square root of their count.
 *
 * What dd_validate enforces:
 *   1. kind, version 1, encoding 0; a mapping and its parameters in range.
 *   2. the total is the sum of all counts and zeros, and at most 2^63-1.
 *   3. at most 2^18 nonempty blocks, which is more than scale 9 can have.
 *   4. buckets that some double falls into.
 *   5. writing the counts gives the same bytes: a sketch has only one packed form.
 *
 * Bytes at scale 6: 10 lognormal values 48, 1,000 values 206, 1,000,000 values 732, where the
 * entropy of the counts is 8, 137 and 589.
 *
 * In transit (encoding 64), the state of an aggregate that quantiles were requested of has these
 * after the packed value (core/common/requested.h).
 *
 * Left out: a cap on the number of buckets, which in other libraries makes the error depend on the
 * data.
 *
 * References: C. Masson, J. Rim, H. Lee, DDSketch: a fast and fully-mergeable quantile sketch with
 * relative-error guarantees, VLDB 2019. OpenTelemetry metrics data model, ExponentialHistogram.
 */
#include "ddsketch_internal.h"

bool
ddsketch_grid(SketchBytes value, DdsketchGrid *grid, uint64_t *total)
{
    DdHeader header;

    if (sketch_is_working(value.data)) {
        const DdState *state = state_at(value.data);

        if (!state_fits(value, sizeof *state))
            return false;
        dd_state_grid(state, grid);
        *total = dd_state_total(state);
        return true;
    }
    if (!dd_header_read(value, &header))
        return false;
    *grid = header.grid;
    *total = header.total;
    return true;
}

static void
reverse(DdsketchBucket *buckets, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        DdsketchBucket other = buckets[i];

        buckets[i] = buckets[count - 1 - i];
        buckets[count - 1 - i] = other;
    }
}

bool
ddsketch_read(Ddsketch *sketch, SketchBytes value, const SketchMemory *memory)
{
    uint32_t blocks, count = 0, negative = 0;
    DdsketchBucket *buckets;
    DdCursor cursor;
    DdBlock block;
    bool good;

    if (!dd_cursor_begin(&cursor, value, memory))
        return false;
    blocks = dd_cursor_blocks(&cursor);
    if (blocks == UINT32_MAX) {
        dd_cursor_end(&cursor);
        return false;
    }
    buckets = memory->scratch(((uint64_t)blocks * DDSKETCH_BLOCK + 1) * sizeof64(*buckets),
                              memory->context);
    while (dd_cursor_next(&cursor, &block)) {
        for (int i = 0; i < DDSKETCH_BLOCK; i++) {
            buckets[count] = (DdsketchBucket){.index = block.number * DDSKETCH_BLOCK + i,
                                              .sign = block.negative ? -1 : 1,
                                              .count = block.counts[i]};
            count += block.counts[i] > 0;
        }
        if (block.negative)
            negative = count;
    }
    reverse(buckets, negative);
    if (cursor.zeros > 0) {
        memmove(buckets + negative + 1, buckets + negative, (count - negative) * sizeof *buckets);
        buckets[negative] = (DdsketchBucket){.count = cursor.zeros};
        count++;
    }
    POLLED_FOR (i, 0, count, 1, memory)
        buckets[i].up_to = buckets[i].count + (i > 0 ? buckets[i - 1].up_to : 0);
    *sketch = (Ddsketch){cursor.grid, cursor.extremes, cursor.total, count, buckets};
    good = !cursor.failed;
    dd_cursor_end(&cursor);
    if (!good)
        memory->release(buckets, memory->context);
    return good;
}

static SketchBytes
ddsketch_pack(SketchBytes value, const SketchMemory *memory)
{
    DdCursor cursor;
    SketchBytes packed;

    if (!dd_cursor_begin(&cursor, value, memory))
        return (SketchBytes){NULL, 0};
    packed = dd_pack_cursor(&cursor);
    dd_cursor_end(&cursor);
    return packed;
}

static SketchBytes
ddsketch_transit(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = ddsketch_pack(value, memory);
    RequestedQuantiles requested = ddsketch_requested(value);

    return packed.data == NULL || requested.count == 0
               ? packed
               : requested_append(packed, requested, memory);
}

static bool
ddsketch_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                  SketchError *error)
{
    return sketch_validate_common(input, &ddsketch_ops, error) &&
           dd_validate(input, memory, value, error);
}

const SketchOps ddsketch_ops = {
    .name = "ddsketch",
    .kind = SKETCH_DDSKETCH,
    .version = DDSKETCH_VERSION,
    .header_bytes = DDSKETCH_HEADER_MIN,
    .validate = ddsketch_validate,
    .open = dd_open,
    .pack = ddsketch_pack,
    .transit = ddsketch_transit,
    .merge = dd_merge,
};
