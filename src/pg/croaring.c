/*
 * croaring.c - CRoaring's memory, and whose CRoaring it is.
 *
 * CRoaring takes its memory from palloc, in the context that is current when it is called: an error
 * raised half-way leaks nothing. Allocations are also where its long loops can be cancelled.
 *
 * PostgreSQL loads libraries with RTLD_GLOBAL. An extension that brings a CRoaring of its own and
 * shows its symbols would have ours call into it, whatever its version. The shared build looks at
 * where a function was found and refuses to load; one with CROARING_DIR cannot be captured.
 */
#include "roaring.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#ifndef SKETCHES_OWN_CROARING
#include <dlfcn.h>
#endif

#include <roaring/roaring.h>

static void *
take(size_t size)
{
    CHECK_FOR_INTERRUPTS();
    return palloc_extended(size > 0 ? size : 1, MCXT_ALLOC_HUGE);
}

static void *
take_again(void *memory, size_t size)
{
    return memory ? repalloc_huge(memory, size > 0 ? size : 1) : take(size);
}

static void *
take_zeroed(size_t count, size_t size)
{
    if (size != 0 && count > MaxAllocHugeSize / size)
        elog(ERROR, "CRoaring asked for %zu times %zu bytes", count, size);
    return memset(take(count * size), 0, count * size);
}

static void
give_back(void *memory)
{
    if (memory)
        pfree(memory);
}

/* The pointer that palloc returned stands in front of the aligned one. */
static void *
take_aligned(size_t alignment, size_t size)
{
    char *memory = take(size + alignment + sizeof(void *));
    char *aligned = (char *)TYPEALIGN(alignment, memory + sizeof(void *));

    memcpy(aligned - sizeof(void *), &memory, sizeof(void *));
    return aligned;
}

static void
give_back_aligned(void *aligned)
{
    void *memory;

    if (aligned == NULL)
        return;
    memcpy(&memory, (char *)aligned - sizeof(void *), sizeof(void *));
    pfree(memory);
}

void
croaring_init(void)
{
#ifndef SKETCHES_OWN_CROARING
    Dl_info info;

    if (dladdr((void *)roaring_bitmap_or, &info) != 0 && info.dli_fname &&
        strstr(info.dli_fname, "libroaring") == NULL)
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("sketches would call CRoaring in \"%s\"", info.dli_fname),
                 errdetail("That library was loaded before and brings a CRoaring of its own."),
                 errhint("Load sketches first, or build it with CROARING_DIR, which compiles "
                         "CRoaring in.")));
#endif
    roaring_init_memory_hook((roaring_memory_t){take, take_again, take_zeroed, give_back,
                                                take_aligned, give_back_aligned});
}
