/*
 * croaring.c - finds CRoaring, in the way that src/croaring.mk chose:
 *
 *   compiled in   its sources, with hidden symbols
 *   opened        when it is first needed: the library that `make install` put beside ours, or else
 *                 libroaring, by its name. It sees its own symbols before those of others
 *                 (RTLD_DEEPBIND) and shows none (RTLD_LOCAL). Without it all else works
 *   linked        libroaring, by the loader, as distributions want it. If another library was first
 *                 to bring these symbols, it is not called
 *
 * CRoaring's memory hook is not used: there is one for each copy, and a linked one may have other
 * users.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, RTLD_DEEPBIND */
#endif

#include "croaring.h"

#if defined(SKETCHES_CROARING_OPENED) || defined(SKETCHES_CROARING_LINKED)
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char another[] = "Another library that was loaded before brings a CRoaring of its own";
#endif

#ifdef SKETCHES_CROARING_OPENED

/* The versions of the library's interface: those of CRoaring 4.0 and 5.1. */
#define MIN_INTERFACE 16
#define MAX_INTERFACE 27

#ifdef __APPLE__
#define LIBRARY "libroaring.%d.dylib"
#else
#define LIBRARY "libroaring.so.%d"
#endif

/* The sanitizer for addresses refuses RTLD_DEEPBIND. */
#if defined(RTLD_DEEPBIND) && !defined(__SANITIZE_ADDRESS__)
#define OWN_SYMBOLS_FIRST RTLD_DEEPBIND
#else
#define OWN_SYMBOLS_FIRST 0
#endif

/* Beside a server's extensions; nobody links with, loads or needs a library of this name. */
#define PRIVATE_LIBRARY "sketches-libroaring.so"

static CRoaring functions;

/* Finds a function; without RTLD_DEEPBIND only if no other library shows one of its name. */
static bool
find(void *library, const char *name, void *function, bool *shadowed)
{
    void *symbol = dlsym(library, name);
    void *shown = OWN_SYMBOLS_FIRST ? NULL : dlsym(RTLD_DEFAULT, name);

    memcpy(function, &symbol, sizeof symbol);
    if (symbol == NULL)
        return false;
    *shadowed = *shadowed || (shown && shown != symbol);
    return !*shadowed;
}

/* Fills `functions` from the library of this name; sets *shadowed if another shows one of them. */
static bool
take(const char *name, bool *shadowed)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | OWN_SYMBOLS_FIRST);
    bool found = true;

    if (library == NULL)
        return false;
#define FIND(name, result, arguments)                                                              \
    found = found && find(library, #name, &functions.name, shadowed);
    CROARING_FUNCTIONS(FIND)
#undef FIND
    if (!found)
        dlclose(library);
    return found;
}

/*
 * Takes the library in the directory of our own; of a program of the tests, in that of the program.
 * Whoever can write there can also replace what looks there.
 */
static bool
take_private(bool *shadowed)
{
    Dl_info self;
    char name[4096];
    const char *slash;
    int length;

    if (dladdr(&functions, &self) == 0 || self.dli_fname == NULL)
        return false;
    slash = strrchr(self.dli_fname, '/');
    if (slash == NULL)
        return false; /* would be searched for */
    length = snprintf(name, sizeof name, "%.*s/" PRIVATE_LIBRARY, (int)(slash - self.dli_fname),
                      self.dli_fname);
    return length > 0 && (size_t)length < sizeof name && take(name, shadowed);
}

static bool
take_shared(bool *shadowed)
{
    char name[64];

    for (int i = MAX_INTERFACE; i >= MIN_INTERFACE; i--) {
        snprintf(name, sizeof name, LIBRARY, i);
        if (take(name, shadowed))
            return true;
    }
    return false;
}

const CRoaring *
croaring_functions(SketchError *error)
{
    static bool found;
    bool shadowed = false;

    found = found || take_private(&shadowed) || take_shared(&shadowed);
    if (found)
        return &functions;
    sketch_refuse(error, SKETCH_NO_LIBRARY,
                  shadowed ? another : "libroaring of CRoaring 4 or 5 cannot be opened");
    return NULL;
}

#else

#include <roaring/roaring.h>

static const CRoaring functions = {
#define ADDRESS(name, result, arguments) .name = name,
    CROARING_FUNCTIONS(ADDRESS)
#undef ADDRESS
};

#ifdef SKETCHES_CROARING_LINKED

/* Asked by its handle, this library is searched with those it was linked with, and no others. */
static bool
is_ours(void)
{
    Dl_info self;
    void *handle = NULL;
    bool ours = true;

    if (dladdr((const void *)&functions, &self) != 0 && self.dli_fname)
        handle = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (handle == NULL)
        return true; /* a program of the tests */
#define COMPARE(name, result, arguments)                                                           \
    ours = ours && dlsym(handle, #name) == (void *)functions.name;
    CROARING_FUNCTIONS(COMPARE)
#undef COMPARE
    dlclose(handle);
    return ours;
}

const CRoaring *
croaring_functions(SketchError *error)
{
    static bool checked;

    checked = checked || is_ours();
    if (checked)
        return &functions;
    sketch_refuse(error, SKETCH_NO_LIBRARY, another);
    return NULL;
}

#else

const CRoaring *
croaring_functions(SketchError *error)
{
    (void)error;
    return &functions;
}

#endif
#endif
