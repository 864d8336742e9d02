/*
 * sort_merge.h - sorting by a comparison, generated for each type of elements: in time that does
 * not depend on them, by merging runs. Elements that are in order already are only looked at.
 *
 * Interface: a file that wants a sort defines
 *
 *     SORT_NAME          name of the function
 *     SORT_ELEMENT       type of the elements
 *     SORT_BEFORE(a, b)  whether element *a comes before element *b
 *
 * and includes this file, which defines
 *
 *     static void SORT_NAME(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other,
 *                           const SketchMemory *memory)
 *
 * and undefines its parameters. `other` is as long as `elements` and is used on the way. The order
 * of equal elements stays. Polls if elements are many. sort_digits.h sorts by numbers.
 */
#include <string.h>

#include "polled.h"

#define SORT_RUN 8 /* elements of a run that is made by insertion */

#ifndef SORT_NAMED
#define SORT_JOIN_(a, b) a##_##b
#define SORT_JOIN(a, b) SORT_JOIN_(a, b)
#define SORT_NAMED(part) SORT_JOIN(SORT_NAME, part)
#endif

static inline void
SORT_NAMED(merge)(const SORT_ELEMENT *a, const SORT_ELEMENT *a_end, const SORT_ELEMENT *b,
                  const SORT_ELEMENT *b_end, SORT_ELEMENT *to)
{
    while (a < a_end && b < b_end)
        *to++ = SORT_BEFORE(b, a) ? *b++ : *a++;
    memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
    memcpy(to + (a_end - a), b, (size_t)(b_end - b) * sizeof *b);
}

static void
SORT_NAME(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other, const SketchMemory *memory)
{
    SORT_ELEMENT *from = elements, *to = other;
    size_t sorted = 1, steps = 0;

    while (sorted < count && !SORT_BEFORE(&elements[sorted], &elements[sorted - 1]))
        sorted++;
    if (sorted < count)
        for (size_t i = 0; i < count; i++) {
            SORT_ELEMENT element = elements[i];
            size_t j = i;

            for (; j % SORT_RUN > 0 && SORT_BEFORE(&element, &elements[j - 1]); j--)
                elements[j] = elements[j - 1];
            elements[j] = element;
        }
    for (size_t run = sorted < count ? SORT_RUN : count; run < count; run *= 2) {
        SORT_ELEMENT *swap = from;

        for (size_t i = 0; i < count; i += 2 * run) {
            size_t middle = count - i < run ? count : i + run;
            size_t end = count - middle < run ? count : middle + run;

            SORT_NAMED(merge)(from + i, from + middle, from + middle, from + end, to + i);
            sketch_poll(memory, &steps, end - i);
        }
        from = to;
        to = swap;
    }
    if (from != elements)
        polled_copy(elements, from, count * sizeof *elements, memory);
}

#undef SORT_NAME
#undef SORT_ELEMENT
#undef SORT_BEFORE
