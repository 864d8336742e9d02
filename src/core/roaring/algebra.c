/*
 * algebra.c - set algebra of packed values.
 *
 * Both values are read in place, container by container. Containers whose key only one side has are
 * copied or left out; those of one key go to CRoaring, BATCH pairs at a time. Two short arrays with
 * no batch begun are merged here: ids that are random in 64 bits have a bucket each, which would be
 * a batch of one, and calling CRoaring takes longer than the merge.
 *
 * CRoaring takes its memory from malloc, which no error of the database gives back. So its bitmaps
 * live only inside compute(), where nothing can raise: what it reads and where it writes is
 * allocated before. Between batches the caller is asked whether to go on. No hook is set:
 * the library may have other users in the same process. A batch also bounds what CRoaring takes.
 * Batches with runs are copied and not viewed: a view makes room for 65536 runs in each container
 * of runs. CRoaring trusts its input and would write beyond its memory for a damaged container, so
 * each is checked before, which takes a small part of the time.
 *
 * If only a number is wanted, container.c counts, without memory.
 */
#include "croaring.h"
#include "roaring_internal.h"

#define BATCH 64
#define SHORT 64                                 /* values that two short arrays have together */
#define RESULT_BYTES (ROARING_BITSET_BYTES + 32) /* of a container and its place in the directory */

/* ---- the containers of two values, by their keys ---- */

typedef struct Pair {
    RoaringCursor in_a, in_b;
    RoaringContainer next_a, next_b;
    bool more_a, more_b;           /* whether there is a next one */
    const RoaringContainer *a, *b; /* the present ones, of one key; NULL where there is none */
    RoaringContainer present_a, present_b;
    const SketchMemory *memory;
    size_t steps;
} Pair;

static Pair
pair_of(SketchBytes a, SketchBytes b, const SketchMemory *memory)
{
    Pair pair = {.in_a = roaring_cursor(a, false, memory),
                 .in_b = roaring_cursor(b, false, memory),
                 .memory = memory};

    pair.more_a = roaring_next(&pair.in_a, &pair.next_a);
    pair.more_b = roaring_next(&pair.in_b, &pair.next_b);
    return pair;
}

static bool
next_pair(Pair *pair)
{
    uint64_t key_a = pair->more_a ? pair->next_a.key : UINT64_MAX;
    uint64_t key_b = pair->more_b ? pair->next_b.key : UINT64_MAX;

    if (!pair->more_a && !pair->more_b)
        return false;
    pair->a = pair->b = NULL;
    if (key_a <= key_b) {
        pair->present_a = pair->next_a;
        pair->a = &pair->present_a;
        pair->more_a = roaring_next(&pair->in_a, &pair->next_a);
    }
    if (key_b <= key_a) {
        pair->present_b = pair->next_b;
        pair->b = &pair->present_b;
        pair->more_b = roaring_next(&pair->in_b, &pair->next_b);
    }
    if (pair->a && pair->b)
        sketch_poll(pair->memory, &pair->steps, 1024);
    return true;
}

static bool
undamaged(const Pair *pair)
{
    return !pair->in_a.damaged && !pair->in_b.damaged;
}

/* ---- CRoaring ---- */

/* The bitmap of a packed roaring; NULL without memory. */
static CRoaringBitmap *
bitmap_of(const CRoaring *croaring, SketchBytes value)
{
    const char *portable = (const char *)value.data + ROARING_HEADER;

    if (roaring_has_runs(value.data + ROARING_HEADER))
        return croaring->roaring_bitmap_portable_deserialize_safe(portable,
                                                                  value.size - ROARING_HEADER);
    return croaring->roaring_bitmap_portable_deserialize_frozen(portable);
}

static CRoaringBitmap *
apply(const CRoaring *croaring, RoaringOp op, const CRoaringBitmap *a, const CRoaringBitmap *b)
{
    switch (op) {
    case ROARING_AND:
        return croaring->roaring_bitmap_and(a, b);
    case ROARING_OR:
        return croaring->roaring_bitmap_or(a, b);
    case ROARING_XOR:
        return croaring->roaring_bitmap_xor(a, b);
    default:
        return croaring->roaring_bitmap_andnot(a, b);
    }
}

static void
free_bitmap(const CRoaring *croaring, CRoaringBitmap *bitmap)
{
    if (bitmap)
        croaring->roaring_bitmap_free(bitmap);
}

/* Writes the result in portable form; false without memory or room. Nothing in here may raise. */
static bool
compute(const CRoaring *croaring, RoaringOp op, SketchBytes a, SketchBytes b, uint8_t *to,
        size_t room, size_t *size)
{
    CRoaringBitmap *in_a = bitmap_of(croaring, a), *in_b = bitmap_of(croaring, b), *result = NULL;

    if (in_a && in_b)
        result = apply(croaring, op, in_a, in_b);
    *size = result ? croaring->roaring_bitmap_portable_size_in_bytes(result) : SIZE_MAX;
    if (*size <= room)
        croaring->roaring_bitmap_portable_serialize(result, (char *)to);
    free_bitmap(croaring, in_a);
    free_bitmap(croaring, in_b);
    free_bitmap(croaring, result);
    return *size <= room;
}

/* ---- batches ---- */

/* Pairs of containers of one bucket, and containers that stay as they are, all in order. */
typedef struct Batch {
    RoaringContainer a[BATCH], b[BATCH], single[BATCH];
    unsigned pairs, singles;
} Batch;

/* Some containers as a packed roaring. */
static SketchBytes
value_of(const RoaringContainer *containers, unsigned count, const SketchMemory *memory)
{
    RoaringWriter writer = roaring_writer(SKETCH_ROARING, count, memory);

    for (unsigned i = 0; i < count; i++)
        roaring_write_packed(&writer, &containers[i]);
    return roaring_write(&writer);
}

/* Writes the singles up to a key. */
static unsigned
write_singles(const Batch *batch, unsigned i, uint64_t key, RoaringWriter *writer)
{
    for (; i < batch->singles && batch->single[i].key <= key; i++)
        roaring_write_packed(writer, &batch->single[i]);
    return i;
}

/* Returns the largest size of a batch's result in portable form. */
static size_t
result_bytes(const Batch *batch)
{
    size_t bytes = 64;

    for (unsigned i = 0; i < batch->pairs; i++) {
        const RoaringContainer *a = &batch->a[i], *b = &batch->b[i];
        size_t arrays =
            ROARING_LOW_BYTES * ((size_t)a->count + b->count) + RESULT_BYTES - ROARING_BITSET_BYTES;
        bool both = a->form == ROARING_ARRAY && b->form == ROARING_ARRAY;

        bytes += both && arrays < RESULT_BYTES ? arrays : RESULT_BYTES;
    }
    return bytes;
}

/* Writes what the batch has and empties it. */
static bool
flush(Batch *batch, RoaringOp op, RoaringWriter *writer, SketchError *error)
{
    const SketchMemory *memory = writer->memory;
    size_t room = result_bytes(batch), size;
    unsigned singles = 0;
    bool good = true;

    if (batch->pairs > 0) {
        const CRoaring *croaring = croaring_functions(error);
        if (croaring == NULL)
            return false;
        SketchBytes a = value_of(batch->a, batch->pairs, memory);
        SketchBytes b = value_of(batch->b, batch->pairs, memory);
        uint8_t *result = memory->scratch(room, memory->context);
        RoaringBucket bucket;
        RoaringContainer container;

        good = compute(croaring, op, a, b, result, room, &size) &&
               roaring_bucket_open(&bucket, (uint32_t)(batch->a[0].key >> 16), result, size);
        for (uint32_t i = 0; good && i < bucket.containers; i++) {
            good = roaring_bucket_container(&bucket, i, &container);
            if (!good)
                break;
            singles = write_singles(batch, singles, container.key, writer);
            roaring_write_copy(writer, &container);
        }
        memory->release(result, memory->context);
        memory->release_value((uint8_t *)a.data, memory->context);
        memory->release_value((uint8_t *)b.data, memory->context);
    }
    write_singles(batch, singles, UINT64_MAX, writer);
    memory->poll(memory->context);
    batch->pairs = batch->singles = 0;
    return good || sketch_refuse(error, SKETCH_LIMIT, "There is not enough memory for the result");
}

/* ---- short arrays ---- */

static bool
are_short(const RoaringContainer *a, const RoaringContainer *b)
{
    return a->form == ROARING_ARRAY && b->form == ROARING_ARRAY && a->count + b->count <= SHORT;
}

/* The sides with a value decide whether it is in the result. */
static void
write_short(RoaringOp op, const RoaringContainer *a, const RoaringContainer *b,
            RoaringWriter *writer)
{
    bool only_a = op != ROARING_AND, only_b = op == ROARING_OR || op == ROARING_XOR;
    bool both = op == ROARING_AND || op == ROARING_OR;
    uint8_t lows[SHORT * ROARING_LOW_BYTES];
    RoaringContainer result = {.key = a->key, .form = ROARING_ARRAY, .data = lows};

    for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
        uint32_t x = i < a->count ? roaring_listed(a, i) : UINT32_MAX;
        uint32_t y = j < b->count ? roaring_listed(b, j) : UINT32_MAX;

        if (x == y ? both : x < y ? only_a : only_b)
            roaring_put_low(lows, result.count++, x < y ? x : y);
        i += x <= y;
        j += y <= x;
    }
    result.cardinality = result.count;
    roaring_write_copy(writer, &result);
}

/* ---- the operations ---- */

bool
roaring_combine(RoaringOp op, SketchBytes a, SketchBytes b, const SketchMemory *memory,
                SketchBytes *value, SketchError *error)
{
    bool keeps_a = op != ROARING_AND, keeps_b = op == ROARING_OR || op == ROARING_XOR;
    bool good = true, sound = true;
    size_t expected = (keeps_a ? roaring_expected(a) : 0) + (keeps_b ? roaring_expected(b) : 0);
    RoaringWriter writer = roaring_writer((SketchKind)a.data[0], expected, memory);
    Pair pair = pair_of(a, b, memory);
    Batch *batch = memory->scratch(sizeof *batch, memory->context);

    batch->pairs = batch->singles = 0;
    while (good && sound && next_pair(&pair)) {
        if (batch->pairs == BATCH || batch->singles == BATCH ||
            (batch->pairs > 0 && pair.a && batch->a[0].key >> 16 != pair.a->key >> 16))
            good = flush(batch, op, &writer, error);
        if (pair.a && pair.b && batch->pairs == 0 && are_short(pair.a, pair.b)) {
            write_singles(batch, 0, UINT64_MAX, &writer);
            batch->singles = 0;
            write_short(op, pair.a, pair.b, &writer);
        } else if (pair.a && pair.b) {
            sound =
                roaring_check_container(pair.a, error) && roaring_check_container(pair.b, error);
            batch->a[batch->pairs] = *pair.a;
            batch->b[batch->pairs++] = *pair.b;
        } else if (pair.a ? keeps_a : keeps_b) {
            batch->single[batch->singles++] = pair.a ? *pair.a : *pair.b;
        }
    }
    sound = sound && undamaged(&pair);
    good = good && (!sound || flush(batch, op, &writer, error));
    memory->release(batch, memory->context);
    if (good && sound) {
        *value = roaring_write(&writer);
        return true;
    }
    roaring_discard(&writer);
    return good ? sketch_refuse_damaged(error) : false;
}

bool
roaring_intersection_cardinality(SketchBytes a, SketchBytes b, const SketchMemory *memory,
                                 uint64_t *cardinality)
{
    Pair pair = pair_of(a, b, memory);
    RoaringScratch scratch;

    *cardinality = 0;
    while (next_pair(&pair) && (pair.a || pair.more_a) && (pair.b || pair.more_b))
        if (pair.a && pair.b)
            *cardinality += roaring_common(pair.a, pair.b, &scratch);
    return undamaged(&pair);
}

bool
roaring_is_subset(SketchBytes a, SketchBytes b, const SketchMemory *memory, bool *is_subset)
{
    Pair pair = pair_of(a, b, memory);
    RoaringScratch scratch;

    *is_subset = true;
    while (*is_subset && next_pair(&pair))
        if (pair.a)
            *is_subset = pair.b && roaring_common(pair.a, pair.b, &scratch) == pair.a->cardinality;
    return undamaged(&pair);
}

bool
roaring_intersects(SketchBytes a, SketchBytes b, const SketchMemory *memory, bool *intersects)
{
    Pair pair = pair_of(a, b, memory);
    RoaringScratch scratch;

    *intersects = false;
    while (!*intersects && next_pair(&pair))
        if (pair.a && pair.b)
            *intersects = roaring_common(pair.a, pair.b, &scratch) > 0;
    return undamaged(&pair);
}
