/*
 * container.c - the values of one container, and how many two of one key have in common.
 *
 * Searches in arrays and runs are binary. Two arrays are compared eight values against eight where
 * the processor has the instruction for it (string comparison of SSE 4.2), else merged without
 * branches. The values of a short array are searched for in a long one. The values of an array are
 * looked up in bits, and merged with runs. Two containers of other forms become bits: 8 kB each,
 * which stay in the processor's first cache. A container of all 65536 values has all values of the
 * other.
 *
 * Reference: B. Schlegel, T. Willhalm and W. Lehner, Fast sorted-set intersection using SIMD
 * instructions, ADMS 2011.
 */
#include "core/common/popcount.h"
#include "roaring_internal.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define HAVE_STRING_COMPARISON
#endif

/* ---- one container ---- */

RoaringContainer
roaring_full_container(uint64_t key)
{
    static const uint8_t run[ROARING_RUN_BYTES] = {0, 0, 0xff, 0xff};

    return (RoaringContainer){
        .key = key, .form = ROARING_RUNS, .count = 1, .cardinality = 65536, .data = run};
}

uint32_t
roaring_decode(const RoaringContainer *container, uint16_t *lows)
{
    uint32_t n = 0;

    switch (container->form) {
    case ROARING_BITSET:
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++)
            for (uint64_t word = roaring_word(container, i); word != 0; word &= word - 1)
                lows[n++] = (uint16_t)(i * 64 + (unsigned)__builtin_ctzll(word));
        break;
    case ROARING_RUNS:
        for (uint32_t i = 0; i < container->count; i++) {
            RoaringRun run = roaring_run(container, i);

            for (uint32_t low = run.first;
                 low <= run.last && low < 65536 && n < container->cardinality; low++)
                lows[n++] = (uint16_t)low;
        }
        break;
    default:
        for (; n < container->count; n++)
            lows[n] = (uint16_t)roaring_listed(container, n);
    }
    return n;
}

uint32_t
roaring_lower_bound(const uint8_t *at, uint32_t count, size_t step, uint32_t wanted)
{
    uint32_t low = 0;

    while (low < count) {
        uint32_t middle = low + (count - low) / 2;

        if (load_le16(at + middle * step) < wanted)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* Finds the last run beginning at or before `low`, or -1. */
static int64_t
run_before(const RoaringContainer *container, uint32_t low)
{
    return (int64_t)roaring_lower_bound(container->data, container->count, ROARING_RUN_BYTES,
                                        low + 1) -
           1;
}

bool
roaring_container_contains(const RoaringContainer *container, uint32_t low)
{
    if (container->form == ROARING_BITSET)
        return container->data[low >> 3] >> (low & 7) & 1;
    if (container->form == ROARING_RUNS) {
        int64_t i = run_before(container, low);

        return i >= 0 && low <= roaring_run(container, (uint32_t)i).last;
    } else {
        uint32_t i = roaring_lower_bound(container->data, container->count, ROARING_LOW_BYTES, low);

        return i < container->count && roaring_low(container, i) == low;
    }
}

uint32_t
roaring_container_rank(const RoaringContainer *container, uint32_t low)
{
    uint32_t rank = 0;

    if (container->form == ROARING_BITSET) {
        rank = (uint32_t)popcount_bytes(container->data, (size_t)(low >> 6) * 8);
        return rank + (uint32_t)__builtin_popcountll(roaring_word(container, low >> 6) &
                                                     UINT64_MAX >> (63 - (low & 63)));
    }
    if (container->form == ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count && roaring_run(container, i).first <= low; i++) {
            RoaringRun run = roaring_run(container, i);

            rank += (run.last < low ? run.last : low) - run.first + 1;
        }
        return rank;
    }
    return roaring_lower_bound(container->data, container->count, ROARING_LOW_BYTES, low + 1);
}

uint32_t
roaring_container_select(const RoaringContainer *container, uint32_t rank)
{
    if (container->form == ROARING_BITSET) {
        for (unsigned i = 0; i < ROARING_BITSET_WORDS; i++) {
            uint64_t word = roaring_word(container, i);
            uint32_t here = (uint32_t)__builtin_popcountll(word);

            if (rank < here) {
                for (; rank > 0; rank--)
                    word &= word - 1;
                return i * 64 + (unsigned)__builtin_ctzll(word);
            }
            rank -= here;
        }
        return 65535;
    }
    if (container->form == ROARING_RUNS) {
        for (uint32_t i = 0; i < container->count; i++) {
            RoaringRun run = roaring_run(container, i);

            if (rank <= run.last - run.first)
                return run.first + rank;
            rank -= run.last - run.first + 1;
        }
        return 65535;
    }
    return roaring_low(container, rank);
}

uint32_t
roaring_container_next(const RoaringContainer *container, uint32_t low, bool present)
{
    if (present) {
        uint32_t below = low > 0 ? roaring_container_rank(container, low - 1) : 0;

        return below < container->cardinality ? roaring_container_select(container, below) : 65536;
    }
    while (low < 65536 && roaring_container_contains(container, low))
        low = container->form == ROARING_RUNS
                  ? roaring_run(container, (uint32_t)run_before(container, low)).last + 1
                  : low + 1;
    return low;
}

/* ---- two arrays ---- */

static uint32_t
common_of_arrays(const RoaringContainer *a, const RoaringContainer *b)
{
    uint32_t i = 0, j = 0, n = 0;

    while (i < a->count && j < b->count) {
        uint32_t x = roaring_low(a, i), y = roaring_low(b, j);

        n += x == y;
        i += x <= y;
        j += y <= x;
    }
    return n;
}

/* Searches the longer array for the values of the shorter one, in doubling steps. */
static uint32_t
common_by_search(const RoaringContainer *few, const RoaringContainer *many)
{
    uint32_t n = 0, from = 0;

    for (uint32_t i = 0; i < few->count && from < many->count; i++) {
        uint32_t wanted = roaring_low(few, i), step = 1, end;

        while (from + step < many->count && roaring_low(many, from + step) < wanted)
            step *= 2;
        end = from + step < many->count ? from + step + 1 : many->count;
        from += step / 2;
        while (from < end) {
            uint32_t middle = from + (end - from) / 2;

            if (roaring_low(many, middle) < wanted)
                from = middle + 1;
            else
                end = middle;
        }
        n += from < many->count && roaring_low(many, from) == wanted;
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

#define MIN_SEARCH_RATIO 32 /* of lengths, for a binary search in the longer array */

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
    if (a->count < b->count / MIN_SEARCH_RATIO)
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
            n += roaring_container_contains(other, roaring_low(array, i));
        return n;
    }
    for (uint32_t i = 0; i < array->count; i++) {
        uint32_t low = roaring_low(array, i);

        while (run < other->count && roaring_run(other, run).last < low)
            run++;
        if (run == other->count)
            break;
        n += roaring_run(other, run).first <= low;
    }
    return n;
}

/* ---- any two ---- */

static bool
is_full(const RoaringContainer *container)
{
    return container->cardinality == 65536 && container->form != ROARING_ARRAY;
}

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
