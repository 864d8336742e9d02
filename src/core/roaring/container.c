/*
 * container.c - how many values two containers of one key have in common.
 *
 * Arrays are compared eight values against eight where the processor has the instruction for it
 * (string comparison of SSE 4.2), else merged without branches. The values of a short array are
 * searched for in a long one. The values of an array are looked up in bits, and merged with runs.
 * Two containers of other forms become bits: 8 kB each, which stay in the processor's first cache.
 * A container of all 65536 values has all values of the other.
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
common_of_arrays(const RoaringContainer *a, const RoaringContainer *b)
{
    uint32_t i = 0, j = 0, n = 0;

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

/* The next eight values, or as many as there are, of which *last is the last one. */
__attribute__((target("sse4.2"))) static inline __m128i
next_eight(const uint8_t *at, const uint8_t *end, int *count, uint32_t *last)
{
    uint8_t values[16] = {0};

    *count = end - at < 16 ? (int)(end - at) / 2 : 8;
    *last = load_le16(at + (size_t)*count * 2 - 2);
    memcpy(values, at, (size_t)*count * 2);
    return _mm_loadu_si128((const __m128i *)values);
}

/*
 * Of two instructions the quicker one takes a zero for the end of its eight values, so zeros, which
 * can only be the first, are dealt with before, and what is less than eight is left to the other.
 */
__attribute__((target("sse4.2,popcnt"))) static uint32_t
common_by_eights(const RoaringContainer *a, const RoaringContainer *b)
{
    const uint8_t *p = a->data, *p_end = p + (size_t)a->count * 2;
    const uint8_t *q = b->data, *q_end = q + (size_t)b->count * 2;
    uint32_t n = load_le16(p) == 0 && load_le16(q) == 0;

    p += load_le16(p) == 0 ? 2 : 0;
    q += load_le16(q) == 0 ? 2 : 0;
    while (p_end - p >= 16 && q_end - q >= 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p), y = _mm_loadu_si128((const __m128i *)q);
        uint32_t last_x = load_le16(p + 14), last_y = load_le16(q + 14);

        n += (uint32_t)__builtin_popcount(
            (unsigned)_mm_cvtsi128_si32(_mm_cmpistrm(x, y, EQUAL_ANY)));
        p += (size_t)(last_x <= last_y) << 4;
        q += (size_t)(last_y <= last_x) << 4;
    }
    while (p < p_end && q < q_end) {
        int count_x, count_y;
        uint32_t last_x, last_y;
        __m128i x = next_eight(p, p_end, &count_x, &last_x);
        __m128i y = next_eight(q, q_end, &count_y, &last_y);
        __m128i equal = _mm_cmpestrm(x, count_x, y, count_y, EQUAL_ANY);

        n += (uint32_t)__builtin_popcount((unsigned)_mm_cvtsi128_si32(equal));
        p += last_x <= last_y ? (size_t)count_x * 2 : 0;
        q += last_y <= last_x ? (size_t)count_y * 2 : 0;
    }
    return n;
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
    if (a->count == 0)
        return 0;
    if (a->count < b->count / SEARCH_FROM)
        return common_by_search(a, b);
#ifdef HAVE_STRING_COMPARISON
    if (__builtin_cpu_supports("sse4.2"))
        return common_by_eights(a, b);
#endif
    return common_of_arrays(a, b);
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
