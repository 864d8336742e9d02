/*
 * build.c - packed values made of sorted values, of ranges and of other packed values.
 */
#include "roaring_internal.h"

SketchBytes
roaring_from_sorted(SketchKind kind, const uint64_t *values, size_t count,
                    const SketchMemory *memory)
{
    RoaringWriter writer = roaring_writer(kind, count / 1024, memory);

    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && values[end] >> 16 == values[i] >> 16; end++)
            continue;
        roaring_write_container(&writer, &(RoaringContainer){
                                             .key = values[i] >> 16,
                                             .form = ROARING_VALUES64,
                                             .count = (uint32_t)(end - i),
                                             .data = (const uint8_t *)(values + i),
                                         });
    }
    return roaring_write(&writer);
}

bool
roaring_from_range(SketchKind kind, uint64_t lo, uint64_t hi, const SketchMemory *memory,
                   SketchBytes *value, SketchError *error)
{
    uint64_t containers = (hi >> 16) - (lo >> 16) + 1;
    uint8_t runs[3][ROARING_RUN_BYTES];
    RoaringWriter writer;

    /* Fourteen bytes a container is what a run and its place in the directory take. */
    if (containers > ROARING_RANGE_CONTAINERS_MAX)
        return sketch_refuse_range(error, SKETCH_LIMIT, "The range is too long (containers)",
                                   (int64_t)containers, 0, ROARING_RANGE_CONTAINERS_MAX);
    writer = roaring_writer(kind, (size_t)containers, memory);
    for (uint64_t key = lo >> 16; key <= hi >> 16; key++) {
        uint32_t first = key == lo >> 16 ? lo & 0xffff : 0;
        uint32_t last = key == hi >> 16 ? hi & 0xffff : 65535;
        uint8_t *run = runs[key == lo >> 16 ? 0 : key == hi >> 16 ? 1 : 2];

        roaring_put_run(run, first, last);
        roaring_write_container(&writer,
                                &(RoaringContainer){key, ROARING_RUNS, last - first + 1, 1, run});
    }
    *value = roaring_write(&writer);
    return true;
}

/* Containers that the range covers go, those at its two ends are cut. */
bool
roaring_without_range(SketchBytes value, uint64_t lo, uint64_t hi, const SketchMemory *memory,
                      SketchBytes *result)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    RoaringWriter writer =
        roaring_writer((SketchKind)value.data[0], roaring_expected(value), memory);
    uint64_t cut[ROARING_BITSET_WORDS];

    while (roaring_next(&cursor, &container)) {
        uint32_t first = container.key == lo >> 16 ? lo & 0xffff : 0;
        uint32_t last = container.key == hi >> 16 ? hi & 0xffff : 65535;

        if (container.key < lo >> 16 || container.key > hi >> 16) {
            roaring_write_packed(&writer, &container);
        } else if (first > 0 || last < 65535) {
            roaring_load_bitset(cut, &container);
            roaring_change_range(cut, first, last, ROARING_SET);
            roaring_change_range(cut, first, last, ROARING_FLIP);
            container.form = ROARING_WORDS;
            container.data = (const uint8_t *)cut;
            roaring_write_copy(&writer, &container);
        }
    }
    *result = roaring_write(&writer);
    return !cursor.damaged;
}

bool
roaring_convert(SketchBytes value, SketchKind kind, const SketchMemory *memory, SketchBytes *result)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    RoaringWriter writer = roaring_writer(kind, roaring_expected(value), memory);

    while (roaring_next(&cursor, &container))
        roaring_write_packed(&writer, &container);
    *result = roaring_write(&writer);
    return !cursor.damaged;
}
