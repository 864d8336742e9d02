/*
 * roaring.c - roaring and roaring64: which integers are in the set, exactly?
 *
 * A roaring bitmap cuts the integers into containers of 65536 by their bits above the lowest 16,
 * and keeps of each container what is smallest: an array of 16-bit values when there are few, a
 * bitset of 8 kB when there are many, or runs where values follow one another. Set algebra works
 * container by container with bit and vector instructions.
 *
 * Packed values hold the portable format that Roaring libraries of all languages read, behind a
 * header that answers how many values there are. Little-endian:
 *
 *     0      1        2         3      4..11         12..
 *     kind   version  encoding  0      cardinality   roaring: one portable bitmap, to the end
 *
 *     roaring64:  12..15    buckets, one for each high half that occurs
 *                 16..      per bucket 8 bytes: u32 high half, ascending; u32 where it ends,
 *                           counted from byte 0
 *                 then      per bucket a portable bitmap of the low halves
 *
 * The index of roaring64 is not part of the portable format: it makes a bucket found without
 * walking through those before it. Each container is in its smallest form, so equal sets have
 * equal bytes.
 *
 * What validate enforces:
 *   1. kind 3 or 4, version 1, encoding 0, byte 3 zero.
 *   2. portable bitmaps as portable.c says, each ending where it should.
 *   3. of roaring64: high halves ascending and below 2^31, no bucket empty.
 *   4. the cardinality is that of the bitmaps.
 * Containers in another form than the smallest are read and brought into it.
 *
 * Left out: values of more than 63 bits, since bigint has no more.
 *
 * References: D. Lemire et al., Roaring bitmaps: implementation of an optimized software library,
 * Software: Practice and Experience 48 (4), 2018. https://github.com/RoaringBitmap/RoaringFormatSpec
 */
#include "roaring.h"

#include "roaring_internal.h"

/* ---- containers of a value ---- */

static uint32_t
buckets_of(SketchBytes value)
{
    return load_le32(value.data + 12);
}

RoaringCursor
roaring_cursor(SketchBytes value, bool reverse)
{
    RoaringCursor cursor = {.value = value, .reverse = reverse, .buckets = 1};

    if (value.data[0] == SKETCH_ROARING) {
        cursor.damaged = value.size < ROARING_HEADER;
    } else {
        cursor.damaged = value.size < ROARING64_HEADER ||
                         buckets_of(value) > (value.size - ROARING64_HEADER) / 8;
        if (!cursor.damaged)
            cursor.buckets = buckets_of(value);
    }
    return cursor;
}

bool
roaring_bucket(SketchBytes value, uint32_t i, uint64_t *high, RoaringBody *body)
{
    const uint8_t *index = value.data + ROARING64_HEADER + (size_t)i * 8;
    size_t start = ROARING_HEADER, end = value.size;

    *high = 0;
    if (value.data[0] == SKETCH_ROARING64) {
        start = i > 0 ? load_le32(index - 4) : ROARING64_HEADER + (size_t)buckets_of(value) * 8;
        end = load_le32(index + 4);
        *high = load_le32(index);
    }
    return start <= end && end <= value.size && body_open(body, value.data + start, end - start);
}

bool
roaring_next_bucket(RoaringCursor *cursor)
{
    uint32_t i = cursor->reverse ? cursor->buckets - 1 - cursor->bucket : cursor->bucket;

    if (cursor->damaged || cursor->bucket >= cursor->buckets)
        return false;
    cursor->bucket++;
    cursor->container = 0;
    cursor->damaged = !roaring_bucket(cursor->value, i, &cursor->high, &cursor->body);
    return !cursor->damaged;
}

bool
roaring_next(RoaringCursor *cursor, RoaringContainer *container)
{
    uint32_t i;

    while (cursor->container >= cursor->body.containers)
        if (!roaring_next_bucket(cursor))
            return false;
    i = cursor->reverse ? cursor->body.containers - 1 - cursor->container : cursor->container;
    cursor->container++;
    cursor->damaged = !body_container(&cursor->body, i, cursor->high, container);
    if (cursor->damaged)
        cursor->body.containers = 0;
    return !cursor->damaged;
}

size_t
containers_of(SketchBytes value)
{
    RoaringCursor cursor = roaring_cursor(value, false);
    size_t containers = 0;

    while (roaring_next_bucket(&cursor))
        containers += cursor.body.containers;
    return containers;
}

/* ---- the door ---- */

/*
 * The bitmaps of bytes from outside: one for roaring; for roaring64 each with its high half, which
 * stands in our own header's index or, in the portable format, before the bitmap.
 */
typedef struct Bitmaps {
    SketchKind kind;
    SketchBytes input;
    const uint8_t *index; /* NULL in the portable format */
    size_t at;
    uint64_t buckets;
} Bitmaps;

/* The high half of bucket i; afterwards `at` is where its bitmap begins. */
static bool
read_high(Bitmaps *bitmaps, uint64_t i, uint32_t *high)
{
    *high = 0;
    if (bitmaps->kind == SKETCH_ROARING)
        return true;
    if (bitmaps->index) {
        *high = load_le32(bitmaps->index + i * 8);
        return true;
    }
    if (bitmaps->input.size - bitmaps->at < 4)
        return false;
    *high = load_le32(bitmaps->input.data + bitmaps->at);
    bitmaps->at += 4;
    return true;
}

static SketchBytes
bytes_from(const Bitmaps *bitmaps)
{
    return (SketchBytes){bitmaps->input.data + bitmaps->at, bitmaps->input.size - bitmaps->at};
}

/* Looks at everything and counts the containers. */
static bool
check_bitmaps(Bitmaps bitmaps, size_t *containers, SketchError *error)
{
    int64_t last_high = -1;

    *containers = 0;
    for (uint64_t i = 0; i < bitmaps.buckets; i++) {
        uint32_t high;
        size_t bytes;
        RoaringBody body;

        if (!read_high(&bitmaps, i, &high))
            return sketch_refuse(error, SKETCH_MALFORMED, "There are fewer buckets than it says");
        if (high > INT32_MAX)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A high half is too large", high, 0,
                                       INT32_MAX);
        if ((int64_t)high <= last_high)
            return sketch_refuse(error, SKETCH_MALFORMED, "High halves are not in ascending order");
        if (!body_check(bytes_from(&bitmaps), &bytes, &body, error))
            return false;
        if (body.containers == 0 && bitmaps.kind == SKETCH_ROARING64)
            return sketch_refuse(error, SKETCH_MALFORMED, "A bucket is empty");
        last_high = high;
        bitmaps.at += bytes;
        *containers += body.containers;
        if (bitmaps.index && load_le32(bitmaps.index + i * 8 + 4) != bitmaps.at)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "A bucket ends elsewhere",
                                       load_le32(bitmaps.index + i * 8 + 4), (int64_t)bitmaps.at,
                                       (int64_t)bitmaps.at);
    }
    if (bitmaps.at != bitmaps.input.size)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Wrong size (bytes)",
                                   (int64_t)bitmaps.input.size, (int64_t)bitmaps.at,
                                   (int64_t)bitmaps.at);
    return true;
}

/* The packed value of bitmaps that were checked. */
static SketchBytes
pack_bitmaps(Bitmaps bitmaps, size_t containers, const SketchMemory *memory)
{
    RoaringPlan plan = plan_new(bitmaps.kind, containers, memory);

    for (uint64_t i = 0; i < bitmaps.buckets; i++) {
        uint32_t high;
        RoaringBody body;

        read_high(&bitmaps, i, &high);
        body_open(&body, bytes_from(&bitmaps).data, bytes_from(&bitmaps).size);
        plan_body(&plan, &body, high);
        bitmaps.at += body_bytes(&body);
    }
    return plan_write(&plan, memory);
}

static bool
validate_bitmaps(Bitmaps bitmaps, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    size_t containers;

    if (!check_bitmaps(bitmaps, &containers, error))
        return false;
    *value = pack_bitmaps(bitmaps, containers, memory);
    return true;
}

static bool
validate(SketchBytes input, const SketchOps *ops, const SketchMemory *memory, SketchBytes *value,
         SketchError *error)
{
    Bitmaps bitmaps = {ops->kind, input, NULL, ROARING_HEADER, 1};

    if (!sketch_validate_common(input, ops, error))
        return false;
    if (input.data[2] != ROARING_PACKED || input.data[3] != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Unknown encoding or flags");
    if (ops->kind == SKETCH_ROARING64) {
        bitmaps.buckets = load_le32(input.data + 12);
        bitmaps.index = input.data + ROARING64_HEADER;
        if (bitmaps.buckets > (input.size - ROARING64_HEADER) / 8)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many buckets",
                                       (int64_t)bitmaps.buckets, 0,
                                       (int64_t)((input.size - ROARING64_HEADER) / 8));
        bitmaps.at = ROARING64_HEADER + (size_t)bitmaps.buckets * 8;
    }
    if (!validate_bitmaps(bitmaps, memory, value, error))
        return false;
    if (load_le64(value->data + 4) == load_le64(input.data + 4))
        return true;
    *error = (SketchError){SKETCH_MALFORMED,
                           "The cardinality is wrong",
                           true,
                           (int64_t)load_le64(input.data + 4),
                           (int64_t)load_le64(value->data + 4),
                           (int64_t)load_le64(value->data + 4)};
    memory->release_value((uint8_t *)value->data, memory->context);
    return false;
}

static bool
roaring_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                 SketchError *error)
{
    return validate(input, &roaring_ops, memory, value, error);
}

static bool
roaring64_validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value,
                   SketchError *error)
{
    return validate(input, &roaring64_ops, memory, value, error);
}

/* ---- the portable format ---- */

bool
roaring_from_portable(SketchKind kind, SketchBytes input, const SketchMemory *memory,
                      SketchBytes *value, SketchError *error)
{
    Bitmaps bitmaps = {kind, input, NULL, 0, 1};

    if (kind == SKETCH_ROARING64) {
        if (input.size < 8)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Too short (bytes)",
                                       (int64_t)input.size, 8, INT64_MAX);
        bitmaps.buckets = load_le64(input.data);
        bitmaps.at = 8;
    }
    return validate_bitmaps(bitmaps, memory, value, error);
}

size_t
roaring_portable_bytes(SketchBytes value)
{
    if (value.data[0] == SKETCH_ROARING)
        return value.size - ROARING_HEADER;
    /* Of each bucket's 8 bytes in the index 4 remain. */
    return 8 + value.size - ROARING64_HEADER - (size_t)buckets_of(value) * 4;
}

void
roaring_to_portable(SketchBytes value, uint8_t *to)
{
    size_t at = ROARING_HEADER;

    if (value.data[0] == SKETCH_ROARING) {
        memcpy(to, value.data + at, value.size - at);
        return;
    }
    store_le64(to, buckets_of(value));
    to += 8;
    at = ROARING64_HEADER + (size_t)buckets_of(value) * 8;
    for (uint32_t i = 0; i < buckets_of(value); i++) {
        const uint8_t *index = value.data + ROARING64_HEADER + (size_t)i * 8;
        size_t end = load_le32(index + 4);

        memcpy(to, index, 4);
        memcpy(to + 4, value.data + at, end - at);
        to += 4 + end - at;
        at = end;
    }
}

/* ---- building ---- */

SketchBytes
roaring_from_sorted(SketchKind kind, const uint64_t *values, size_t count,
                    const SketchMemory *memory)
{
    size_t containers = 0;
    RoaringPlan plan;

    for (size_t i = 0; i < count; i++)
        containers += i == 0 || values[i] >> 16 != values[i - 1] >> 16;
    plan = plan_new(kind, containers, memory);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && values[end] >> 16 == values[i] >> 16; end++)
            continue;
        plan_add(&plan, &(RoaringContainer){
                            .key = values[i] >> 16,
                            .form = ROARING_VALUES64,
                            .count = (uint32_t)(end - i),
                            .data = (const uint8_t *)(values + i),
                        });
    }
    return plan_write(&plan, memory);
}

bool
roaring_from_range(SketchKind kind, uint64_t lo, uint64_t hi, const SketchMemory *memory,
                   SketchBytes *value, SketchError *error)
{
    uint64_t containers = (hi >> 16) - (lo >> 16) + 1;
    uint8_t runs[3][4];
    RoaringPlan plan;

    /* Fourteen bytes a container is what a run and its place in the directory take. */
    if (containers > ROARING_RANGE_CONTAINERS_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "The range is too long (containers)",
                                   (int64_t)containers, 0, ROARING_RANGE_CONTAINERS_MAX);
    plan = plan_new(kind, (size_t)containers, memory);
    for (uint64_t key = lo >> 16; key <= hi >> 16; key++) {
        uint32_t first = key == lo >> 16 ? lo & 0xffff : 0;
        uint32_t last = key == hi >> 16 ? hi & 0xffff : 65535;
        uint8_t *run = runs[key == lo >> 16 ? 0 : key == hi >> 16 ? 1 : 2];

        store_le16(run, (uint16_t)first);
        store_le16(run + 2, (uint16_t)(last - first));
        plan_add(&plan, &(RoaringContainer){key, ROARING_RUNS, last - first + 1, 1, run});
    }
    *value = plan_write(&plan, memory);
    return true;
}

/* Containers that the range covers go, those at its two ends are cut. */
bool
roaring_without_range(SketchBytes value, uint64_t lo, uint64_t hi, const SketchMemory *memory,
                      SketchBytes *result)
{
    RoaringCursor cursor = roaring_cursor(value, false);
    RoaringContainer container;
    uint64_t(*cut)[PAGE_WORDS] = memory->scratch(2 * sizeof *cut, memory->context);
    unsigned cuts = 0;
    RoaringPlan plan;

    plan = plan_new((SketchKind)value.data[0], containers_of(value), memory);
    while (roaring_next(&cursor, &container)) {
        uint32_t first = container.key == lo >> 16 ? lo & 0xffff : 0;
        uint32_t last = container.key == hi >> 16 ? hi & 0xffff : 65535;

        if (container.key < lo >> 16 || container.key > hi >> 16) {
            plan_add(&plan, &container);
        } else if (first > 0 || last < 65535) {
            memset(cut[cuts], 0, sizeof *cut);
            page_change(cut[cuts], &container, PAGE_SET);
            page_change_range(cut[cuts], first, last, PAGE_SET);
            page_change_range(cut[cuts], first, last, PAGE_FLIP);
            container.form = ROARING_BITSET;
            container.data = (const uint8_t *)cut[cuts++];
            plan_add(&plan, &container);
        }
    }
    *result = plan_write(&plan, memory);
    memory->release(cut, memory->context);
    return !cursor.damaged;
}

bool
roaring_convert(SketchBytes value, SketchKind kind, const SketchMemory *memory, SketchBytes *result)
{
    RoaringCursor cursor = roaring_cursor(value, false);
    RoaringContainer container;
    RoaringPlan plan = plan_new(kind, containers_of(value), memory);

    while (roaring_next(&cursor, &container))
        plan_add(&plan, &container);
    *result = plan_write(&plan, memory);
    return !cursor.damaged;
}

const SketchOps roaring_ops = {
    .name = "roaring",
    .kind = SKETCH_ROARING,
    .version = 1,
    .header_bytes = ROARING_HEADER,
    .validate = roaring_validate,
    .open = roaring_open,
    .pack = roaring_pack,
    .merge = roaring_merge,
};

const SketchOps roaring64_ops = {
    .name = "roaring64",
    .kind = SKETCH_ROARING64,
    .version = 1,
    .header_bytes = ROARING64_HEADER,
    .validate = roaring64_validate,
    .open = roaring_open,
    .pack = roaring_pack,
    .merge = roaring_merge,
};
