/*
 * packed.c - packing states: the portable bitmaps of bitmap.c, with their header.
 */
#include "core/common/polled.h"
#include "working.h"

static SketchBytes
copy_packed(SketchBytes value, const SketchMemory *memory)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    uint8_t *copy;

    while (roaring_next(&cursor, &container))
        continue;
    if (cursor.damaged)
        return (SketchBytes){NULL, 0};
    copy = memory->value(value.size, memory->context);
    polled_copy(copy, value.data, value.size, memory);
    return (SketchBytes){copy, value.size};
}

SketchBytes
roaring_pack(SketchBytes value, const SketchMemory *memory)
{
    RoaringContainer container;
    RoaringGroups groups;
    RoaringWriter writer;
    SketchBytes packed;

    if (!sketch_is_working(value.data))
        return copy_packed(value, memory);
    if (!roaring_is_state(value))
        return (SketchBytes){NULL, 0};
    roaring_groups(&groups, value, memory);
    writer = roaring_writer(value.data[0], roaring_entries(value.data), memory);
    while (roaring_next_group(&groups, &container))
        if (roaring_in_scratch(&groups, &container))
            roaring_write_copy(&writer, &container);
        else
            roaring_write_container(&writer, &container);
    packed = roaring_write(&writer);
    roaring_end_groups(&groups);
    return packed;
}
