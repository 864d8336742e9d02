/*
 * radix_template.h - sorting elements by a number, by its digits, the least significant first.
 *
 * If the numbers differ in many bits, it is nearly enough to sort by the highest bits that differ:
 * some ten bits more than it takes to number the elements. That is three passes of 8 bits for few
 * elements, two of 11 for thousands and three for more. One pass of insertion sort puts the rest in
 * order. If the numbers were made to agree in those bits, insertion would be quadratic: it gives up
 * after a number of moves, and the elements are sorted by all digits.
 *
 * Interface: a file that wants a sort defines
 *
 *     RADIX_ELEMENT    type of the elements
 *     RADIX_KEY(e)     the number of element e, a uint64_t
 *
 * and includes this file, which defines a static function radix_sort for it. Elements of equal
 * numbers stay in their order. Limitations: one type of elements in a file.
 */
#ifndef RADIX_TEMPLATE_H
#define RADIX_TEMPLATE_H

#include <string.h>

#include "core/sketch.h"
#include "polled.h"

#define RADIX_INSERTION_COUNT 32 /* so few are sorted by insertion alone */
#define RADIX_WIDE_COUNT 1024    /* from here on digits of 11 bits pay */
#define RADIX_MANY_COUNT 4096    /* and from here on three of them */
#define RADIX_WIDE_BITS 11
#define RADIX_NARROW_BITS 8
#define RADIX_PASSES_MAX 8
#define RADIX_DIGITS_MAX (3 << RADIX_WIDE_BITS) /* of all passes, wide or narrow */

/* Between two pieces: few elements, the usual case, are one piece and never polled. */
static inline void
radix_poll_between(const SketchMemory *memory, size_t done, size_t count)
{
    if (done < count)
        memory->poll(memory->context);
}

/* False, with the elements in some other order, when it took more than `moves`. */
static bool
radix_insertion_sort(RADIX_ELEMENT *elements, size_t count, size_t moves,
                     const SketchMemory *memory)
{
    uint64_t greatest = count > 0 ? RADIX_KEY(elements[0]) : 0;

    for (size_t i = 1; i < count; radix_poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++) {
            uint64_t key = RADIX_KEY(elements[i]);
            RADIX_ELEMENT element;
            size_t j = i;

            if (key >= greatest) { /* as nearly all are */
                greatest = key;
                continue;
            }
            element = elements[i];
            for (; j > 0 && RADIX_KEY(elements[j - 1]) > key; j--)
                elements[j] = elements[j - 1];
            elements[j] = element;
            if (i - j > moves)
                return false;
            moves -= i - j;
        }
    return true;
}

/*
 * Sorts by `passes` digits of `bits` bits from bit `low` on; the result is in `elements`. Compiled
 * for each number of digits that it is called with.
 */
static inline __attribute__((always_inline)) void
radix_sort_by_digits(RADIX_ELEMENT *elements, size_t count, RADIX_ELEMENT *other, unsigned low,
                     unsigned bits, unsigned passes, const SketchMemory *memory)
{
    uint32_t seen[RADIX_DIGITS_MAX];
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    RADIX_ELEMENT *from = elements;
    RADIX_ELEMENT *to = other;

    memset(seen, 0, ((size_t)passes << bits) * sizeof seen[0]);
    for (size_t i = 0; i < count; radix_poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++) {
            uint64_t key = RADIX_KEY(elements[i]);

            for (unsigned pass = 0; pass < passes; pass++)
                seen[(pass << bits) + (key >> (low + pass * bits) & mask)]++;
        }
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t *start = seen + (pass << bits);
        unsigned shift = low + pass * bits;
        uint32_t before = 0;
        RADIX_ELEMENT *swap = from;

        for (uint64_t digit = 0; digit <= mask; digit++) {
            uint32_t here = start[digit];

            start[digit] = before;
            before += here;
        }
        for (size_t i = 0; i < count; radix_poll_between(memory, i, count))
            for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++)
                to[start[RADIX_KEY(from[i]) >> shift & mask]++] = from[i];
        from = to;
        to = swap;
    }
    if (from != elements)
        polled_copy(elements, from, count * sizeof *elements, memory);
}

/* Sorts fewer than 2^32 elements; `other` is as long and is used on the way. Polls if many. */
static void
radix_sort(RADIX_ELEMENT *elements, size_t count, RADIX_ELEMENT *other, const SketchMemory *memory)
{
    uint64_t any = 0, all = UINT64_MAX;
    unsigned sorted = count < RADIX_WIDE_COUNT   ? 3 * RADIX_NARROW_BITS
                      : count < RADIX_MANY_COUNT ? 2 * RADIX_WIDE_BITS
                                                 : 3 * RADIX_WIDE_BITS;
    unsigned top, low;

    if (count <= RADIX_INSERTION_COUNT) {
        radix_insertion_sort(elements, count, count * count, memory);
        return;
    }
    for (size_t i = 0; i < count; radix_poll_between(memory, i, count))
        for (size_t stop = sketch_piece_end(i, count, 1); i < stop; i++) {
            uint64_t key = RADIX_KEY(elements[i]);

            any |= key;
            all &= key;
        }
    if (any == all)
        return;
    top = 64 - (unsigned)__builtin_clzll(any ^ all); /* all bits that differ are below this one */
    low = top > sorted ? top - sorted : 0;
    if (count < RADIX_WIDE_COUNT)
        radix_sort_by_digits(elements, count, other, low, RADIX_NARROW_BITS, 3, memory);
    else if (count < RADIX_MANY_COUNT)
        radix_sort_by_digits(elements, count, other, low, RADIX_WIDE_BITS, 2, memory);
    else
        radix_sort_by_digits(elements, count, other, low, RADIX_WIDE_BITS, 3, memory);
    if (low > 0 && !radix_insertion_sort(elements, count, 4 * count, memory))
        radix_sort_by_digits(elements, count, other, 0, RADIX_NARROW_BITS, RADIX_PASSES_MAX,
                             memory);
}

#endif
