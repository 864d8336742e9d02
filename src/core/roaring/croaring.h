/*
 * croaring.h - the functions of CRoaring that algebra.c calls.
 *
 * PostgreSQL loads libraries so that their symbols are visible to those loaded later (RTLD_GLOBAL),
 * and another extension may bring a CRoaring of any version. So nothing here is called by its
 * symbol, but by this table; croaring.c fills it, in one of three ways.
 */
#ifndef CORE_ROARING_CROARING_H
#define CORE_ROARING_CROARING_H

#include "core/sketch.h"

typedef struct roaring_bitmap_s CRoaringBitmap;

/* Name, result and arguments of each, as versions 4 and 5 declare them. */
#define CROARING_FUNCTIONS(F)                                                                      \
    F(roaring_bitmap_and, CRoaringBitmap *, (const CRoaringBitmap *, const CRoaringBitmap *))      \
    F(roaring_bitmap_andnot, CRoaringBitmap *, (const CRoaringBitmap *, const CRoaringBitmap *))   \
    F(roaring_bitmap_free, void, (const CRoaringBitmap *))                                         \
    F(roaring_bitmap_or, CRoaringBitmap *, (const CRoaringBitmap *, const CRoaringBitmap *))       \
    F(roaring_bitmap_portable_deserialize_frozen, CRoaringBitmap *, (const char *))                \
    F(roaring_bitmap_portable_deserialize_safe, CRoaringBitmap *, (const char *, size_t))          \
    F(roaring_bitmap_portable_serialize, size_t, (const CRoaringBitmap *, char *))                 \
    F(roaring_bitmap_portable_size_in_bytes, size_t, (const CRoaringBitmap *))                     \
    F(roaring_bitmap_xor, CRoaringBitmap *, (const CRoaringBitmap *, const CRoaringBitmap *))

typedef struct CRoaring {
#define CROARING_MEMBER(name, result, arguments) result(*name) arguments;
    CROARING_FUNCTIONS(CROARING_MEMBER)
#undef CROARING_MEMBER
} CRoaring;

/* Returns the functions, or NULL with an error if there is no CRoaring to call. */
extern const CRoaring *croaring_functions(SketchError *error);

#endif
