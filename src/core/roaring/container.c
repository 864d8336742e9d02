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

#define SIXTEEN 32 /* bytes of as many values */
#define EIGHT 16

/* Bits for those of the eight values y that are among the eight values x; a zero ends either. */
__attribute__((target("sse4.2"))) static inline __m128i
equal_to_any(__m128i x, __m128i y)
{
    return _mm_cmpistrm(x, y, _SIDD_UWORD_OPS | _SIDD_CMP_EQUAL_ANY | _SIDD_BIT_MASK);
}

__attribute__((target("sse4.2"))) static inline __m128i
eight_at(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)at);
}

/* The next eight values of an array, or as many as there are with zeros behind them. */
typedef struct Eight {
    __m128i values;
    uint32_t last;
    const uint8_t *end; /* where they end in the array */
} Eight;

/* There are eight or more values before `end`: the last ones are read with those before them. */
__attribute__((target("sse4.2"))) static inline Eight
next_eight(const uint8_t *at, const uint8_t *end)
{
    static const uint8_t down[2 * EIGHT] = {0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,
                                            11,  12,  13,  14,  15,  128, 128, 128, 128, 128, 128,
                                            128, 128, 128, 128, 128, 128, 128, 128, 128, 128};

    if (end - at >= EIGHT)
        return (Eight){eight_at(at), load_le16(at + EIGHT - 2), at + EIGHT};
    return (Eight){_mm_shuffle_epi8(eight_at(end - EIGHT), eight_at(down + EIGHT - (end - at))),
                   load_le16(end - 2), end};
}

/* The values of an array, in `room` if they are fewer than eight: at its end. */
static const uint8_t *
behind_room(const RoaringContainer *array, uint8_t room[EIGHT])
{
    size_t bytes = (size_t)array->count * 2;

    return bytes >= EIGHT ? array->data : memcpy(room + EIGHT - bytes, array->data, bytes);
}

/*
 * The instruction takes a zero for the end, so zeros, which can only be the first, are dealt with
 * before. The next step waits for the last values of this one; meanwhile four instructions compare
 * sixteen values with sixteen.
 */
__attribute__((target("sse4.2,popcnt"))) static uint32_t
common_by_eights(const RoaringContainer *a, const RoaringContainer *b)
{
    uint8_t room_a[EIGHT] = {0}, room_b[EIGHT] = {0};
    const uint8_t *p = behind_room(a, room_a), *p_end = p + (size_t)a->count * 2;
    const uint8_t *q = behind_room(b, room_b), *q_end = q + (size_t)b->count * 2;
    uint32_t n = load_le16(p) == 0 && load_le16(q) == 0;

    p += load_le16(p) == 0 ? 2 : 0;
    q += load_le16(q) == 0 ? 2 : 0;
    while (p_end - p >= SIXTEEN && q_end - q >= SIXTEEN) {
        __m128i x = eight_at(p), x_next = eight_at(p + EIGHT);
        __m128i y = eight_at(q), y_next = eight_at(q + EIGHT);
        __m128i equal = _mm_or_si128(equal_to_any(x, y), equal_to_any(x_next, y));
        __m128i equal_next = _mm_or_si128(equal_to_any(x, y_next), equal_to_any(x_next, y_next));
        uint32_t last_x = load_le16(p + SIXTEEN - 2), last_y = load_le16(q + SIXTEEN - 2);

        n += (uint32_t)__builtin_popcount((unsigned)_mm_cvtsi128_si32(equal) |
                                          (unsigned)_mm_cvtsi128_si32(equal_next) << 8);
        p += last_x <= last_y ? SIXTEEN : 0;
        q += last_y <= last_x ? SIXTEEN : 0;
    }
    while (p < p_end && q < q_end) {
        Eight x = next_eight(p, p_end), y = next_eight(q, q_end);

        n += (uint32_t)__builtin_popcount(
            (unsigned)_mm_cvtsi128_si32(equal_to_any(x.values, y.values)));
        p = x.last <= y.last ? x.end : p;
        q = y.last <= x.last ? y.end : q;
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
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt"))
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
