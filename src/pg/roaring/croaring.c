/*
 * croaring.c - checks which CRoaring is called.
 *
 * PostgreSQL loads libraries with RTLD_GLOBAL. If another extension contains a CRoaring and exports
 * its symbols, our calls would go to that copy, whatever its version. So the shared build compares,
 * for each function of CRoaring that it calls, the address found with the address in the library
 * that it was linked with. If they differ, it refuses to load. A build with CROARING_DIR has
 * CRoaring inside and needs no check.
 *
 * CRoaring's memory hook is not used: there is one for the whole process, and the library may have
 * other users.
 */
#include "roaring_pg.h"

#ifndef SKETCHES_OWN_CROARING
#include <dlfcn.h>
#endif

#include <roaring/roaring.h>

#ifndef SKETCHES_OWN_CROARING

/* Every function that is called; test/t/019_croaring.pl compares with what the library imports. */
static const struct {
    const char *name;
    void *found;
} called[] = {
    {"roaring_bitmap_and", (void *)roaring_bitmap_and},
    {"roaring_bitmap_andnot", (void *)roaring_bitmap_andnot},
    {"roaring_bitmap_free", (void *)roaring_bitmap_free},
    {"roaring_bitmap_or", (void *)roaring_bitmap_or},
    {"roaring_bitmap_portable_deserialize_frozen",
     (void *)roaring_bitmap_portable_deserialize_frozen},
    {"roaring_bitmap_portable_deserialize_safe", (void *)roaring_bitmap_portable_deserialize_safe},
    {"roaring_bitmap_portable_serialize", (void *)roaring_bitmap_portable_serialize},
    {"roaring_bitmap_portable_size_in_bytes", (void *)roaring_bitmap_portable_size_in_bytes},
    {"roaring_bitmap_xor", (void *)roaring_bitmap_xor},
};

/* dlsym with its handle searches this library and those that it was linked with, no others. */
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
}
