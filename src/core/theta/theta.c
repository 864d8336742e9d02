/*
 * theta.c - theta sketches: how many distinct items are in an expression of sets?
 *
 * Each item is hashed to 63 bits. A sketch keeps the k = 2^lgk smallest hashes, and theta, a bound
 * below which no hash of its items is missing. Hashes are evenly spread, so there were about
 * count * 2^63 / theta distinct items. Up to k items, theta is 2^63 - 1, above every hash, and the
 * sketch is the set itself.
 *
 * The hashes are a sample of the items, chosen by hash alone. So the samples of two sets are
 * comparable: below the lower of the two thetas, the sketches tell for every item whether it is in
 * one set, in the other, or in both. The union, intersection or difference of the hashes below it,
 * with that theta, is a sketch of the union, intersection or difference of the sets, and can be
 * used in further expressions. HyperLogLog has a fourth of the error in the same bytes, but only
 * unions.
 *
 *   union         the hashes below theta that either has; if they are more than k, theta falls
 *   intersection  the hashes below theta that both have
 *   difference    the hashes below theta that only the first has
 *
 * The intersection with a set that is known to be empty is empty, whatever the other's theta.
 *
 * The content of a sketch, and so its bytes, depend only on the set of items: theta is the (k+1)-th
 * smallest hash, or the theta of a merged sketch if that is lower. Sketches of different k merge
 * into one of the lower k.
 *
 * The relative standard error of a sketch that dropped hashes is 1 / sqrt(k - 1): 1.56% for lgk 12.
 * That of an expression is about sqrt(n / s) times as large, where n is the size of the union of
 * its sets and s the size of the result. estimate.c computes the bounds.
 *
 * Hashes, estimates and bounds are those of Apache DataSketches (common/datasketches.h), so
 * sketches can be exchanged with its libraries and with Spark, Druid, Pinot, Trino and others
 * (from_datasketches.c). packed.c describes packed values, working.c working values.
 *
 * What theta_validate enforces:
 *   1. kind 12, version 1, encoding 0, the hash of DataSketches, lgk 4..26.
 *   2. count at most 2^lgk, theta above count and at most 2^63 - 1; the size follows from these.
 *   3. hashes ascend, the first is above 0, the last is below theta.
 *   4. bits that belong to no hash are zero.
 *
 * Bytes for lgk 12: 10 items 95, 1,000 items 6.9 kB, 4,096 items 27 kB, a million 23 kB; with
 * twice as many items, each hash takes one bit less. The state of ten items has 128 bytes.
 *
 * Left out: sampling below 2^63 from the first item on (p in DataSketches), other seeds than 9001,
 * and sketches with values (tuple sketches).
 *
 * References: Z. Bar-Yossef et al., Counting distinct elements in a data stream, RANDOM 2002
 * (the k smallest). A. Dasgupta, K. Lang, L. Rhodes, J. Thaler, A framework for estimating stream
 * expression cardinalities, ICDT 2016 (theta).
 */
#include "theta_internal.h"

uint64_t
theta_hash(const void *item, size_t size, const SketchMemory *memory)
{
    return size > 0 ? datasketches_hash(item, size, memory).first >> 1 : 0;
}

/* ---- operations of every type ---- */

static bool
validate_header(SketchBytes input, SketchError *error)
{
    ThetaSummary summary;

    if (!sketch_validate_common(input, &theta_ops, error))
        return false;
    if (sketch_hash(input.data) != SKETCH_HASH_DATASKETCHES)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown hash function",
                                   sketch_hash(input.data), SKETCH_HASH_DATASKETCHES,
                                   SKETCH_HASH_DATASKETCHES);
    summary = theta_summary(input, NULL);
    if (summary.lgk < THETA_LGK_MIN || summary.lgk > THETA_LGK_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "lgk out of range", summary.lgk,
                                   THETA_LGK_MIN, THETA_LGK_MAX);
    if (summary.count > theta_most(summary.lgk))
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More hashes than 2^lgk", summary.count,
                                   0, theta_most(summary.lgk));
    if (summary.theta > THETA_EXACT || summary.theta <= summary.count)
        return sketch_refuse(error, SKETCH_MALFORMED, "Theta that no items can produce");
    return true;
}

static bool
theta_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
               SketchError *error)
{
    ThetaCursor cursor;
    size_t steps = 0;

    if (!validate_header(input, error))
        return false;
    if (!theta_cursor_begin(&cursor, input, memory))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The length does not match the number of hashes");
    while (cursor.hash != THETA_NO_HASH) {
        theta_next(&cursor);
        sketch_poll(memory, &steps, 4);
    }
    if (cursor.damaged || !theta_cursor_ends_clean(&cursor))
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "Hashes are not ascending, or not below theta");
    return polled_accept(input, memory, value);
}

/* Packs a value; a packed one, too, which detects damage. */
static SketchBytes
theta_pack(SketchBytes value, const SketchMemory *memory)
{
    ThetaCursor cursor;
    ThetaWriter w;
    bool damaged;
    size_t steps = 0;

    if (!theta_cursor_begin(&cursor, value, memory))
        return (SketchBytes){NULL, 0};
    w = theta_writer(cursor.summary, memory);
    while (cursor.hash != THETA_NO_HASH) {
        theta_write(&w, cursor.hash);
        theta_next(&cursor);
        sketch_poll(memory, &steps, 8);
    }
    theta_written(&w);
    damaged = cursor.damaged;
    theta_cursor_end(&cursor, memory);
    if (damaged) {
        memory->release_value((uint8_t *)w.value.data, memory->context);
        return (SketchBytes){NULL, 0};
    }
    return w.value;
}

static bool
theta_is_empty(SketchBytes value)
{
    ThetaSummary summary;

    if (sketch_is_working(value.data)) {
        const ThetaState *s = state_at(value.data);

        return state_fits(value, sizeof(ThetaState)) && s->buffered == 0 && s->used == 0 &&
               s->theta == THETA_EXACT;
    }
    summary = theta_summary(value, NULL);
    return value.size >= THETA_HEADER && theta_is_known_empty(summary);
}

const SketchOps theta_ops = {
    .name = "theta",
    .kind = SKETCH_THETA,
    .version = THETA_VERSION,
    .header_bytes = THETA_HEADER,
    .validate = theta_validate,
    .open = theta_open,
    .pack = theta_pack,
    .merge = theta_merge,
    .is_empty = theta_is_empty,
};
