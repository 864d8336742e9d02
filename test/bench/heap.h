/*
 * heap.h - the memory that the programs of this directory hand to core: as plain as SketchMemory
 * allows.
 */
#ifndef HEAP_H
#define HEAP_H

#include <stdlib.h>

#include "core/sketch.h"
#include "numbers.h"

static inline void *
heap_scratch(uint64_t size, void *context)
{
    void *memory = malloc(size > 0 ? size : 1);

    (void)context;
    if (!memory)
        fail("out of memory");
    return memory;
}

static inline void
heap_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

/* Data begins behind its length word. */
static inline uint8_t *
heap_value(uint64_t size, void *context)
{
    return (uint8_t *)heap_scratch(SKETCH_PREFIX_BYTES + size, context) + SKETCH_PREFIX_BYTES;
}

static inline void
heap_release_value(uint8_t *data, void *context)
{
    heap_release(data - SKETCH_PREFIX_BYTES, context);
}

/* Nobody cancels a benchmark. */
static void
never_stop(void *context)
{
    (void)context;
}

static const SketchMemory memory = {
    .value = heap_value,
    .release_value = heap_release_value,
    .scratch = heap_scratch,
    .release = heap_release,
    .poll = never_stop,
};

/* Of a state that core may have replaced: what it was before goes. */
static inline void
drop_replaced(SketchState before, const SketchState *now)
{
    if (now->data != before.data)
        heap_release_value(before.data, NULL);
}

#endif
