/*
 * radix.c - sorting numbers by their digits, the least significant first.
 *
 * If keys differ in many bits, it is nearly enough to sort by the highest bits that differ: some
 * ten bits more than it takes to number the keys. That is three passes of 8 bits for few keys, two
 * of 11 for thousands and three for more. One pass of insertion sort puts the rest in order. If the
 * keys were made to agree in those bits, insertion would be quadratic: it gives up after a number
 * of moves, and the keys are sorted by all digits.
 */
#include "radix.h"

#include <string.h>

#include "polled.h"

#define INSERTION_COUNT 32 /* so few are sorted by insertion alone */
#define WIDE_COUNT 1024    /* from here on digits of 11 bits pay */
#define MANY_COUNT 4096    /* and from here on three of them */
#define WIDE_BITS 11
#define NARROW_BITS 8
#define PASSES_MAX 8

/* Between two pieces: few keys, the usual case, are one piece and never polled. */
static inline void
poll_between(const SketchMemory *memory, size_t done, size_t count)
{
    if (done < count)
        memory->poll(memory->context);
}

/* False, with the keys in some other order, when it took more than `moves`. */
static bool
insertion_sort(uint64_t *keys, size_t count, size_t moves, const SketchMemory *memory)
{
    for (size_t i = 1; i < count; poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++) {
            uint64_t key = keys[i];
            size_t j = i;

            if (keys[i - 1] <= key) /* as nearly all are */
                continue;
            for (; j > 0 && keys[j - 1] > key; j--)
                keys[j] = keys[j - 1];
            keys[j] = key;
            if (i - j > moves)
                return false;
            moves -= i - j;
        }
    return true;
}

/*
 * Sorts by `passes` digits of `bits` bits from bit `low` on; the result is in `keys`. Compiled for
 * each number of digits that it is called with.
 */
static inline __attribute__((always_inline)) void
sort_by_digits(uint64_t *keys, size_t count, uint64_t *other, unsigned low, unsigned bits,
               unsigned passes, const SketchMemory *memory)
{
    uint32_t seen[PASSES_MAX << NARROW_BITS > 3 << WIDE_BITS ? PASSES_MAX << NARROW_BITS
                                                             : 3 << WIDE_BITS];
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t *from = keys;
    uint64_t *to = other;

    memset(seen, 0, ((size_t)passes << bits) * sizeof seen[0]);
    for (size_t i = 0; i < count; poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
            for (unsigned pass = 0; pass < passes; pass++)
                seen[(pass << bits) + (keys[i] >> (low + pass * bits) & mask)]++;
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t *start = seen + (pass << bits);
        unsigned shift = low + pass * bits;
        uint32_t before = 0;
        uint64_t *swap = from;

        for (uint64_t digit = 0; digit <= mask; digit++) {
            uint32_t here = start[digit];

            start[digit] = before;
            before += here;
        }
        for (size_t i = 0; i < count; poll_between(memory, i, count))
            for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
                to[start[from[i] >> shift & mask]++] = from[i];
        from = to;
        to = swap;
    }
    if (from != keys)
        polled_copy(keys, from, count * sizeof *keys, memory);
}

void
radix_sort_u64(uint64_t *keys, size_t count, uint64_t *other, const SketchMemory *memory)
{
    uint64_t any = 0, all = UINT64_MAX;
    unsigned sorted = count < WIDE_COUNT   ? 3 * NARROW_BITS
                      : count < MANY_COUNT ? 2 * WIDE_BITS
                                           : 3 * WIDE_BITS;
    unsigned top, low;

    if (count <= INSERTION_COUNT) {
        insertion_sort(keys, count, count * count, memory);
        return;
    }
    for (size_t i = 0; i < count; poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++) {
            any |= keys[i];
            all &= keys[i];
        }
    if (any == all)
        return;
    top = 64 - (unsigned)__builtin_clzll(any ^ all); /* all bits that differ are below this one */
    low = top > sorted ? top - sorted : 0;
    if (count < WIDE_COUNT)
        sort_by_digits(keys, count, other, low, NARROW_BITS, 3, memory);
    else if (count < MANY_COUNT)
        sort_by_digits(keys, count, other, low, WIDE_BITS, 2, memory);
    else
        sort_by_digits(keys, count, other, low, WIDE_BITS, 3, memory);
    if (low > 0 && !insertion_sort(keys, count, 4 * count, memory))
        sort_by_digits(keys, count, other, 0, NARROW_BITS, PASSES_MAX, memory);
}
