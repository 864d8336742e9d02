/*
 * algebra.c - set algebra of packed values: the part that is CRoaring's.
 *
 * A bucket is read in place: CRoaring's bitmaps are views of the stored bytes, and only the
 * directory is copied. writer.c brings results into the canonical form. A roaring64 is worked on
 * bucket by bucket, so that one code serves both types; buckets that only one side has are copied.
 *
 * A view is taken only of a bucket whose containers lie inside it. CRoaring gets its memory where
 * roaring_init_memory_hook says; in the database that is palloc, and an error frees everything.
 */
#include <roaring/roaring.h>

#include "roaring_internal.h"

static roaring_bitmap_t *
view_of(const RoaringBucket *bucket)
{
    if (!roaring_bucket_is_sound(bucket))
        return NULL;
    return roaring_bitmap_portable_deserialize_frozen((const char *)bucket->data);
}

/* ---- the buckets of two values, by their high halves ---- */

typedef struct Pair {
    RoaringCursor a, b;
    bool in_a, in_b;     /* whether the present bucket is in them */
    bool more_a, more_b; /* whether they have a bucket that was not visited */
    uint32_t high;
} Pair;

static Pair
pair_of(SketchBytes a, SketchBytes b)
{
    Pair pair = {.a = roaring_cursor(a, false), .b = roaring_cursor(b, false)};

    pair.more_a = roaring_next_bucket(&pair.a);
    pair.more_b = roaring_next_bucket(&pair.b);
    return pair;
}

static bool
next_pair(Pair *pair)
{
    if (pair->in_a)
        pair->more_a = roaring_next_bucket(&pair->a);
    if (pair->in_b)
        pair->more_b = roaring_next_bucket(&pair->b);
    pair->in_a = pair->more_a && (!pair->more_b || pair->a.bucket.high <= pair->b.bucket.high);
    pair->in_b = pair->more_b && (!pair->more_a || pair->b.bucket.high <= pair->a.bucket.high);
    pair->high = pair->in_a ? pair->a.bucket.high : pair->b.bucket.high;
    return (pair->in_a || pair->in_b) && !pair->a.damaged && !pair->b.damaged;
}

/* Views of a bucket that both have; false for a damaged one. */
static bool
open_views(const Pair *pair, roaring_bitmap_t **a, roaring_bitmap_t **b)
{
    *a = view_of(&pair->a.bucket);
    *b = *a ? view_of(&pair->b.bucket) : NULL;
    if (*a && !*b)
        roaring_bitmap_free(*a);
    return *b != NULL;
}

static bool
undamaged(const Pair *pair)
{
    return !pair->a.damaged && !pair->b.damaged;
}

/* ---- results ---- */

/* Results in portable form: the writer refers to them until the value is written. */
typedef struct Kept {
    struct Kept *next;
    uint8_t bytes[];
} Kept;

typedef struct Result {
    RoaringWriter writer;
    Kept *kept;
    const SketchMemory *memory;
} Result;

/* Adds a bitmap and frees it. */
static void
keep(Result *result, roaring_bitmap_t *bitmap, uint32_t high)
{
    size_t bytes = roaring_bitmap_portable_size_in_bytes(bitmap);
    Kept *kept = result->memory->scratch(sizeof *kept + bytes, result->memory->context);
    RoaringBucket bucket;

    roaring_bitmap_portable_serialize(bitmap, (char *)kept->bytes);
    roaring_bitmap_free(bitmap);
    kept->next = result->kept;
    result->kept = kept;
    if (roaring_bucket_open(&bucket, high, kept->bytes, bytes))
        roaring_write_bucket(&result->writer, &bucket);
}

static void
release_kept(Result *result)
{
    while (result->kept) {
        Kept *next = result->kept->next;

        result->memory->release(result->kept, result->memory->context);
        result->kept = next;
    }
}

/* The value when all went well; always gives back the memory. */
static bool
finish(Result *result, bool good, SketchBytes *value)
{
    if (good)
        *value = roaring_write(&result->writer);
    else
        roaring_discard(&result->writer);
    release_kept(result);
    return good;
}

static roaring_bitmap_t *
apply(RoaringOp op, const roaring_bitmap_t *a, const roaring_bitmap_t *b)
{
    switch (op) {
    case ROARING_AND:
        return roaring_bitmap_and(a, b);
    case ROARING_OR:
        return roaring_bitmap_or(a, b);
    case ROARING_XOR:
        return roaring_bitmap_xor(a, b);
    default:
        return roaring_bitmap_andnot(a, b);
    }
}

bool
roaring_combine(RoaringOp op, SketchBytes a, SketchBytes b, const SketchMemory *memory,
                SketchBytes *value)
{
    Pair pair = pair_of(a, b);
    bool keeps_a = op != ROARING_AND, keeps_b = op == ROARING_OR || op == ROARING_XOR;
    Result result = {.memory = memory};
    bool good = true;

    result.writer = roaring_writer((SketchKind)a.data[0],
                                   roaring_containers(a) + roaring_containers(b), memory);
    while (good && next_pair(&pair)) {
        roaring_bitmap_t *in_a, *in_b;

        if (pair.in_a && pair.in_b) {
            good = open_views(&pair, &in_a, &in_b);
            if (good) {
                keep(&result, apply(op, in_a, in_b), pair.high);
                roaring_bitmap_free(in_a);
                roaring_bitmap_free(in_b);
            }
        } else if (pair.in_a ? keeps_a : keeps_b) {
            roaring_write_bucket(&result.writer, pair.in_a ? &pair.a.bucket : &pair.b.bucket);
        }
    }
    return finish(&result, good && undamaged(&pair), value);
}

bool
roaring_intersection_cardinality(SketchBytes a, SketchBytes b, uint64_t *cardinality)
{
    Pair pair = pair_of(a, b);

    *cardinality = 0;
    while (next_pair(&pair)) {
        roaring_bitmap_t *in_a, *in_b;

        if (!pair.in_a || !pair.in_b)
            continue;
        if (!open_views(&pair, &in_a, &in_b))
            return false;
        *cardinality += roaring_bitmap_and_cardinality(in_a, in_b);
        roaring_bitmap_free(in_a);
        roaring_bitmap_free(in_b);
    }
    return undamaged(&pair);
}

bool
roaring_is_subset(SketchBytes a, SketchBytes b, bool *is_subset)
{
    Pair pair = pair_of(a, b);

    *is_subset = true;
    while (*is_subset && next_pair(&pair)) {
        roaring_bitmap_t *in_a, *in_b;

        if (!pair.in_a || !pair.in_b) {
            *is_subset = !pair.in_a || pair.a.bucket.containers == 0;
            continue;
        }
        if (!open_views(&pair, &in_a, &in_b))
            return false;
        *is_subset = roaring_bitmap_is_subset(in_a, in_b);
        roaring_bitmap_free(in_a);
        roaring_bitmap_free(in_b);
    }
    return undamaged(&pair);
}

bool
roaring_intersects(SketchBytes a, SketchBytes b, bool *intersects)
{
    Pair pair = pair_of(a, b);

    *intersects = false;
    while (!*intersects && next_pair(&pair)) {
        roaring_bitmap_t *in_a, *in_b;

        if (!pair.in_a || !pair.in_b)
            continue;
        if (!open_views(&pair, &in_a, &in_b))
            return false;
        *intersects = roaring_bitmap_intersect(in_a, in_b);
        roaring_bitmap_free(in_a);
        roaring_bitmap_free(in_b);
    }
    return undamaged(&pair);
}

/* ---- shifting ---- */

/* Keeps a bitmap whose high half may have left the range of the type. */
static void
keep_in_range(Result *result, roaring_bitmap_t *bitmap, int64_t high)
{
    if (high >= 0 && (uint64_t)high <= roaring_value_max(result->writer.kind) >> 32)
        keep(result, bitmap, (uint32_t)high);
    else
        roaring_bitmap_free(bitmap);
}

bool
roaring_shift(SketchBytes value, int64_t offset, const SketchMemory *memory, SketchBytes *shifted)
{
    RoaringCursor cursor = roaring_cursor(value, false);
    int64_t buckets = offset >> 32; /* rounded down */
    int64_t rest = offset & UINT32_MAX;
    roaring_bitmap_t *carried = NULL; /* what left the bucket before at its upper end */
    int64_t carried_high = 0;
    Result result = {.memory = memory};
    bool good = true;

    result.writer =
        roaring_writer((SketchKind)value.data[0], 2 * roaring_containers(value) + 1, memory);
    while (good && roaring_next_bucket(&cursor)) {
        int64_t high = (int64_t)cursor.bucket.high + buckets;
        roaring_bitmap_t *view = view_of(&cursor.bucket), *stays;

        if (!(good = view != NULL))
            break;
        stays = roaring_bitmap_add_offset(view, rest);
        if (carried && carried_high == high) {
            roaring_bitmap_or_inplace(stays, carried);
            roaring_bitmap_free(carried);
        } else if (carried) {
            keep_in_range(&result, carried, carried_high);
        }
        keep_in_range(&result, stays, high);
        carried = roaring_bitmap_add_offset(view, rest - (INT64_C(1) << 32));
        carried_high = high + 1;
        roaring_bitmap_free(view);
    }
    if (carried)
        keep_in_range(&result, carried, carried_high);
    return finish(&result, good && !cursor.damaged, shifted);
}
