/*
 * combines.c - combines two sets by the CRoaring that a build here has
 * (src/core/roaring/croaring.c), calling each of its functions, and prints where that is. Exits
 * with 1 if there is none, or if a result is another set. make deps tries by it whatever it finds.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif

#include "core/roaring/croaring.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef SKETCHES_CROARING_OPENED
#include <dlfcn.h>
#endif

/* Sets of two arrays, of the upper halves 0 and 1, in the portable format. */
#define BYTES 64
typedef struct Set {
    size_t size;
    uint8_t bytes[BYTES];
} Set;

static void
put(Set *set, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        set->bytes[set->size++] = (uint8_t)(value >> 8 * i);
}

/* The set of the values that are in `low`, and 65,536 more than those in `high`, bit by bit. */
static Set
set_of(uint32_t low, uint32_t high)
{
    uint32_t halves[] = {low, high};
    Set set = {0};
    uint32_t offset = 8 + 2 * (4 + 4);

    put(&set, 12346, 4); /* no runs */
    put(&set, 2, 4);
    for (uint32_t key = 0; key < 2; key++) {
        put(&set, key, 2);
        put(&set, (uint32_t)__builtin_popcount(halves[key]) - 1, 2);
    }
    for (uint32_t key = 0; key < 2; key++) {
        put(&set, offset, 4);
        offset += 2 * (uint32_t)__builtin_popcount(halves[key]);
    }
    for (uint32_t key = 0; key < 2; key++)
        for (uint32_t value = 0; value < 32; value++)
            if (halves[key] >> value & 1)
                put(&set, value, 2);
    return set;
}

static bool
is(const CRoaring *croaring, CRoaringBitmap *bitmap, uint32_t low, uint32_t high)
{
    Set wanted = set_of(low, high);
    Set found = {0};
    bool same;

    if (bitmap == NULL)
        return false;
    found.size = croaring->roaring_bitmap_portable_size_in_bytes(bitmap);
    same = found.size == wanted.size &&
           croaring->roaring_bitmap_portable_serialize(bitmap, (char *)found.bytes) == found.size &&
           memcmp(found.bytes, wanted.bytes, found.size) == 0;
    croaring->roaring_bitmap_free(bitmap);
    return same;
}

int
main(void)
{
    SketchError error;
    const CRoaring *croaring = croaring_functions(&error);
    /* Every result has values in both halves. */
    const uint32_t low_a = 0x1f, low_b = 0xf4, high_a = 0x0f, high_b = 0x55;
    Set a = set_of(low_a, high_a), b = set_of(low_b, high_b);
    CRoaringBitmap *in_a, *in_b;
    bool good;

    alarm(20);
    if (croaring == NULL) {
        fprintf(stderr, "%s\n", error.reason);
        return 1;
    }
#ifdef SKETCHES_CROARING_OPENED
    Dl_info library;
    void *function;

    memcpy(&function, &croaring->roaring_bitmap_and, sizeof function);
    printf("%s\n", dladdr(function, &library) && library.dli_fname ? library.dli_fname : "");
    fflush(stdout);
#endif
    in_a = croaring->roaring_bitmap_portable_deserialize_frozen((const char *)a.bytes);
    in_b = croaring->roaring_bitmap_portable_deserialize_safe((const char *)b.bytes, b.size);
    good =
        in_a && in_b &&
        is(croaring, croaring->roaring_bitmap_and(in_a, in_b), low_a & low_b, high_a & high_b) &&
        is(croaring, croaring->roaring_bitmap_or(in_a, in_b), low_a | low_b, high_a | high_b) &&
        is(croaring, croaring->roaring_bitmap_xor(in_a, in_b), low_a ^ low_b, high_a ^ high_b) &&
        is(croaring, croaring->roaring_bitmap_andnot(in_a, in_b), low_a & ~low_b, high_a & ~high_b);
    if (in_a)
        croaring->roaring_bitmap_free(in_a);
    if (in_b)
        croaring->roaring_bitmap_free(in_b);
    if (!good)
        fprintf(stderr, "its sets are other ones\n");
    return good ? 0 : 1;
}
