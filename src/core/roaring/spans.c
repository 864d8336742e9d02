/*
 * spans.c - how the values of a packed set spread, as the planner wants to know it: counts by
 * ranges, and systematic samples.
 *
 * Both are one pass over the directory. A container is looked into only where a bound or a wanted
 * rank falls into it, and for its least and its greatest value.
 */
#include "roaring_internal.h"

RoaringSpans
roaring_spans(SketchBytes value, const uint64_t *bounds, size_t ranges, const SketchMemory *memory)
{
    return (RoaringSpans){
        .cursor = roaring_cursor(value, false, memory), .bounds = bounds, .ranges = ranges};
}

/* Returns how many values of the container are below `bound`. */
static uint32_t
count_below(const RoaringContainer *container, uint64_t bound)
{
    uint64_t base = container->key << 16;

    if (bound <= base)
        return 0;
    if (bound > (base | 0xffff))
        return container->cardinality;
    return roaring_container_rank(container, (uint32_t)(bound - 1) & 0xffff);
}

bool
roaring_next_span(RoaringSpans *spans, RoaringSpan *span)
{
    RoaringContainer *container = &spans->container;

    for (;;) {
        uint64_t base = container->key << 16, first;
        uint32_t end;
        bool inside;

        if (spans->rank >= container->cardinality) {
            if (!roaring_next(&spans->cursor, container))
                return false;
            spans->rank = 0;
            continue;
        }
        first = base | roaring_container_select(container, spans->rank);
        while (spans->range < spans->ranges && spans->bounds[spans->range + 1] <= first)
            spans->range++;
        if (spans->range == spans->ranges)
            return false;
        inside = first >= spans->bounds[spans->range];
        end = count_below(container, spans->bounds[spans->range + inside]);
        if (end <= spans->rank || end > container->cardinality) {
            spans->cursor.damaged = true;
            return false;
        }
        *span = (RoaringSpan){.range = spans->range,
                              .first = first,
                              .last = base | roaring_container_select(container, end - 1),
                              .count = end - spans->rank};
        spans->rank = end;
        if (inside)
            return true;
    }
}

size_t
roaring_sample(SketchBytes value, uint64_t first, uint64_t step, uint64_t *sample, size_t most,
               const SketchMemory *memory)
{
    RoaringCursor cursor = roaring_cursor(value, false, memory);
    RoaringContainer container;
    uint64_t next = first, seen = 0; /* ranks */
    size_t count = 0;

    while (count < most && roaring_next(&cursor, &container)) {
        for (; count < most && next - seen < container.cardinality; next += step)
            sample[count++] =
                container.key << 16 | roaring_container_select(&container, (uint32_t)(next - seen));
        seen += container.cardinality;
    }
    return count;
}
