/*
 * container.c - how many values two containers of one key have in common.
 *
 * Arrays are compared eight values against eight where the processor has the instruction for it
 * (string comparison of SSE 4.2), else merged without branches; a short one is searched for in a
 * long one. An array is looked up in bits and merged with runs. Two others become bits: 8 kB each,
 * which stay in the processor's first cache. A container of all 65536 values answers for itself.
 *
 * Reference: B. Schlegel, T. Willhalm and W. Lehner, Fast sorted-set intersection using SIMD
 * instructions, ADMS 2011.
 */
#include "roaring_internal.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define HAVE_STRING_COMPARISON
#endif

static bool
is_full(const RoaringContainer *container)
{
    return container->cardinality == 65536 && container->form != ROARING_ARRAY;
}

static uint32_t
low_at(const RoaringContainer *array, uint32_t i)
{
    return load_le16(array->data + (size_t)i * 2);
}

/* ---- two arrays ---- */

static uint32_t
common_of_arrays(const RoaringContainer *a, uint32_t i, const RoaringContainer *b, uint32_t j)
{
    uint32_t n = 0;

    while (i < a->count && j < b->count) {
        uint32_t x = low_at(a, i), y = low_at(b, j);

        n += x == y;
        i += x <= y;
        j += y <= x;
    }
    return n;
}

/* The shorter array searched for in the longer one by steps that double. */
static uint32_t
common_by_search(const RoaringContainer *few, const RoaringContainer *many)
{
    uint32_t n = 0, from = 0;

    for (uint32_t i = 0; i < few->count && from < many->count; i++) {
        uint32_t wanted = low_at(few, i), step = 1, end;

        while (from + step < many->count && low_at(many, from + step) < wanted)
            step *= 2;
        end = from + step < many->count ? from + step + 1 : many->count;
        from += step / 2;
        while (from < end) {
            uint32_t middle = from + (end - from) / 2;

            if (low_at(many, middle) < wanted)
                from = middle + 1;
            else
                end = middle;
        }
        n += from < many->count && low_at(many, from) == wanted;
    }
    return n;
}

#ifdef HAVE_STRING_COMPARISON

#define EQUAL_ANY (_SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK)

/* Of two instructions the quicker one takes a zero for the end of its eight values. */
__attribute__((target("sse4.2,popcnt"))) static uint32_t
common_by_eights(const RoaringContainer *a, const RoaringContainer *b)
{
    uint32_t i = 0, j = 0, n = 0;

    while (i + 8 <= a->count && j + 8 <= b->count) {
        __m128i x = _mm_loadu_si128((const __m128i *)(a->data + (size_t)i * 2));
        __m128i y = _mm_loadu_si128((const __m128i *)(b->data + (size_t)j * 2));
        uint32_t last_a = low_at(a, i + 7), last_b = low_at(b, j + 7);
        __m128i equal = low_at(a, i) == 0 || low_at(b, j) == 0 ? _mm_cmpestrm(x, 8, y, 8, EQUAL_ANY)
                                                               : _mm_cmpistrm(x, y, EQUAL_ANY);

        n += (uint32_t)__builtin_popcount((unsigned)_mm_cvtsi128_si32(equal));
        i += (uint32_t)(last_a <= last_b) << 3;
        j += (uint32_t)(last_b <= last_a) << 3;
    }
    return n + common_of_arrays(a, i, b, j);
}

#endif

#define SEARCH_FROM 32 /* times as long */

static uint32_t
common_in_arrays(const RoaringContainer *a, const RoaringContainer *b)
{
    if (a->count > b->count) {
        const RoaringContainer *swap = a;

        a = b;
        b = swap;
    }
    if (a->count < b->count / SEARCH_FROM)
        return common_by_search(a, b);
#ifdef HAVE_STRING_COMPARISON
    if (__builtin_cpu_supports("sse4.2"))
        return common_by_eights(a, b);
#endif
    return common_of_arrays(a, 0, b, 0);
}

/* ---- an array and any other form ---- */

static uint32_t
common_with_array(const RoaringContainer *array, const RoaringContainer *other)
{
    uint32_t n = 0, run = 0;

    if (other->form == ROARING_BITSET) {
        for (uint32_t i = 0; i < array->count; i++)
            n += roaring_container_contains(other, low_at(array, i));
        return n;
    }
    for (uint32_t i = 0; i < array->count; i++) {
        uint32_t low = low_at(array, i);

        while (run < other->count && load_le16(other->data + (size_t)run * 4) +
                                             load_le16(other->data + (size_t)run * 4 + 2) <
                                         low)
            run++;
        if (run == other->count)
            break;
        n += load_le16(other->data + (size_t)run * 4) <= low;
    }
    return n;
}

/* ---- any two ---- */

uint32_t
roaring_common(const RoaringContainer *a, const RoaringContainer *b, RoaringScratch *scratch)
{
    if (is_full(a))
        return b->cardinality;
    if (is_full(b))
        return a->cardinality;
    if (a->form == ROARING_ARRAY)
        return b->form == ROARING_ARRAY ? common_in_arrays(a, b) : common_with_array(a, b);
    if (b->form == ROARING_ARRAY)
        return common_with_array(b, a);
    roaring_load_bitset(scratch->a, a);
    roaring_load_bitset(scratch->b, b);
    for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
        scratch->a[i] &= scratch->b[i];
    return roaring_bitset_cardinality(scratch->a);
}
