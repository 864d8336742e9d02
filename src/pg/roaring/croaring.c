/*
 * croaring.c - CRoaring's memory, and whose CRoaring it is.
 *
 * CRoaring takes its memory from palloc, in the context that is current when it is called: an error
 * raised half-way leaks nothing. Allocations are also where its long loops can be cancelled.
 *
 * PostgreSQL loads libraries with RTLD_GLOBAL. An extension that brings a CRoaring of its own and
 * shows its symbols would have ours call into it, whatever its version. The shared build compares,
 * for each function that is called, where it was found with where it is in the library that this
 * one was linked with, and refuses to load; one with CROARING_DIR cannot be captured.
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

#ifndef SKETCHES_OWN_CROARING

/* Every function that is called; test/t/019_croaring.pl compares with what the library imports. */
static const struct {
    const char *name;
    void *found;
} called[] = {
    {"roaring_bitmap_add_offset", (void *)roaring_bitmap_add_offset},
    {"roaring_bitmap_and", (void *)roaring_bitmap_and},
    {"roaring_bitmap_and_cardinality", (void *)roaring_bitmap_and_cardinality},
    {"roaring_bitmap_andnot", (void *)roaring_bitmap_andnot},
    {"roaring_bitmap_free", (void *)roaring_bitmap_free},
    {"roaring_bitmap_intersect", (void *)roaring_bitmap_intersect},
    {"roaring_bitmap_is_subset", (void *)roaring_bitmap_is_subset},
    {"roaring_bitmap_or", (void *)roaring_bitmap_or},
    {"roaring_bitmap_or_inplace", (void *)roaring_bitmap_or_inplace},
    {"roaring_bitmap_portable_deserialize_frozen",
     (void *)roaring_bitmap_portable_deserialize_frozen},
    {"roaring_bitmap_portable_serialize", (void *)roaring_bitmap_portable_serialize},
    {"roaring_bitmap_portable_size_in_bytes", (void *)roaring_bitmap_portable_size_in_bytes},
    {"roaring_bitmap_xor", (void *)roaring_bitmap_xor},
    {"roaring_init_memory_hook", (void *)roaring_init_memory_hook},
};

/* Asked by its handle, a library is searched with those it was linked with, and no others. */
static void
check_whose(void)
{
    Dl_info self, other;
    void *handle = NULL;

    if (dladdr((void *)croaring_init, &self) != 0 && self.dli_fname)
        handle = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (handle == NULL)
        return;
    for (unsigned i = 0; i < lengthof(called); i++) {
        if (dlsym(handle, called[i].name) == called[i].found)
            continue;
        if (dladdr(called[i].found, &other) == 0)
            other.dli_fname = NULL;
        dlclose(handle);
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("sketches would call CRoaring in \"%s\"",
                        other.dli_fname ? other.dli_fname : "another library"),
                 errdetail("That library was loaded before and brings a CRoaring of its own."),
                 errhint("Load sketches first, or build it with CROARING_DIR, which compiles "
                         "CRoaring in.")));
    }
    dlclose(handle);
}

#endif

void
croaring_init(void)
{
#ifndef SKETCHES_OWN_CROARING
    check_whose();
#endif
    roaring_init_memory_hook((roaring_memory_t){take, take_again, take_zeroed, give_back,
                                                take_aligned, give_back_aligned});
}
