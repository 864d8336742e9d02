/*
 * sort_digits.h - sorting by a number, generated for each type of elements.
 *
 * Elements are sorted by the digits of their keys, the least significant first, in linear time. If
 * keys differ in many bits, it is nearly enough to sort by the highest bits that differ: some ten
 * bits more than it takes to number the elements. That is three passes of 8 bits for few elements,
 * two of 11 for thousands and three for more. Keys that are hashes need only as many bits as it
 * takes to number half of the elements, one pass. Insertion puts the rest in order. If keys were
 * chosen so that they agree in those bits, insertion would be quadratic: it gives up after a number
 * of moves, and the elements are sorted by all digits.
 *
 * Interface: a file that wants a sort defines
 *
 *     SORT_NAME          name of the function
 *     SORT_ELEMENT       type of the elements
 *     SORT_KEY(e)        the key of element e, an unsigned number
 *     SORT_HASHES        if keys are hashes, so spread evenly unless somebody chose them
 *     SORT_SAME(kept, e) if elements of equal keys become one: a statement that adds element e to
 *                        the element `kept`, after which e is dropped; `(void)0` only drops it
 *
 * and includes this file, which defines
 *
 *     static size_t SORT_NAME(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other,
 *                             const SketchMemory *memory)
 *
 * and undefines its parameters, so that a file may have several sorts. `count` is below 2^32,
 * `other` is as long as `elements` and is used on the way. Returns how many elements are left. The
 * order of elements of equal keys stays. Polls if elements are many. sort_merge.h sorts elements
 * that have no number as their key.
 */
#include <string.h>

#include "polled.h"

#ifndef SORT_DIGITS_H
#define SORT_DIGITS_H

#define SORT_INSERTION_COUNT 32 /* up to this many are sorted by insertion alone */
#define SORT_WIDE_COUNT 1024    /* from here on digits of 11 bits pay */
#define SORT_MANY_COUNT 4096    /* and from here on three of them */
#define SORT_WIDE_BITS 11
#define SORT_NARROW_BITS 8
#define SORT_DIGITS_MAX (3 << SORT_WIDE_BITS) /* of all passes, wide or narrow */
#define SORT_HASH_BITS 12                     /* by which hashes are distributed, at most */
#define SORT_HASHES_MAX 32768                 /* that are distributed: eight to a part */
#define SORT_MOVES 8                          /* of an element, on average, by insertion */

#ifndef SORT_NAMED
#define SORT_JOIN_(a, b) a##_##b
#define SORT_JOIN(a, b) SORT_JOIN_(a, b)
#define SORT_NAMED(part) SORT_JOIN(SORT_NAME, part)
#endif

/* Few elements, the usual case, are one piece and never polled. */
#define SORT_FOR(i, from, to) POLLED_FOR_EACH (i, from, to, 1, sort_poll_between(memory, i, to))

static inline void
sort_poll_between(const SketchMemory *memory, size_t done, size_t count)
{
    if (done < count)
        memory->poll(memory->context);
}

/* Where each part begins, from how many elements it has. */
static inline void
sort_starts(uint32_t *parts, size_t count)
{
    uint32_t before = 0;

    for (size_t part = 0; part < count; part++) {
        uint32_t here = parts[part];

        parts[part] = before;
        before += here;
    }
}

#endif

#ifdef SORT_SAME
#define SORT_DROPS true
#else
#define SORT_DROPS false
#define SORT_SAME(kept, e) (void)0
#endif

/*
 * Inserts the elements of `from` into `to`, which may be the same array. Returns how many of them
 * it took: fewer than `count` if that needed more than `moves`. *kept is how many are in `to` then.
 */
static inline __attribute__((always_inline)) size_t
SORT_NAMED(insert)(SORT_ELEMENT *to, const SORT_ELEMENT *from, size_t count, size_t moves,
                   size_t *kept, const SketchMemory *memory)
{
    uint64_t greatest = 0;
    size_t end = 0;

    SORT_FOR (i, 0, count) {
        uint64_t key = SORT_KEY(from[i]);
        SORT_ELEMENT element;
        size_t j = end;

        if (SORT_DROPS ? key > greatest : key >= greatest) { /* as nearly all are */
            greatest = key;
            to[end++] = from[i];
            continue;
        }
        element = from[i];
        for (; j > 0 && SORT_KEY(to[j - 1]) > key; j--)
            to[j] = to[j - 1];
        if (SORT_DROPS && j > 0 && SORT_KEY(to[j - 1]) == key) {
            SORT_SAME(to[j - 1], element);
            for (size_t k = j; k < end; k++)
                to[k] = to[k + 1];
        } else {
            to[j] = element;
            end++;
        }
        if (end - j > moves) {
            *kept = end;
            return i + 1;
        }
        moves -= end - j;
    }
    *kept = end;
    return count;
}

/* Drops elements of the key before; returns how many are left. */
static inline size_t
SORT_NAMED(drop)(SORT_ELEMENT *elements, size_t count, const SketchMemory *memory)
{
    size_t kept = 0;

    if (!SORT_DROPS)
        return count;
    SORT_FOR (i, 0, count)
        if (kept > 0 && SORT_KEY(elements[kept - 1]) == SORT_KEY(elements[i]))
            SORT_SAME(elements[kept - 1], elements[i]);
        else
            elements[kept++] = elements[i];
    return kept;
}

/*
 * Sorts by `passes` digits of `bits` bits from bit `low` on; the result is in `elements`. Compiled
 * for each number of digits that it is called with.
 */
static inline __attribute__((always_inline)) void
SORT_NAMED(by_digits)(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other, unsigned low,
                      unsigned bits, unsigned passes, const SketchMemory *memory)
{
    uint32_t seen[SORT_DIGITS_MAX];
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    SORT_ELEMENT *from = elements;
    SORT_ELEMENT *to = other;

    memset(seen, 0, ((size_t)passes << bits) * sizeof seen[0]);
    SORT_FOR (i, 0, count) {
        uint64_t key = SORT_KEY(elements[i]);

        for (unsigned pass = 0; pass < passes; pass++)
            seen[(pass << bits) + (key >> (low + pass * bits) & mask)]++;
    }
    for (unsigned pass = 0; pass < passes; pass++) {
        uint32_t *start = seen + (pass << bits);
        unsigned shift = low + pass * bits;
        SORT_ELEMENT *swap = from;

        sort_starts(start, (size_t)mask + 1);
        SORT_FOR (i, 0, count)
            to[start[(uint64_t)SORT_KEY(from[i]) >> shift & mask]++] = from[i];
        from = to;
        to = swap;
    }
    if (from != elements)
        polled_copy(elements, from, count * sizeof *elements, memory);
}

/* Inserts `from`, which may be `elements`; or sorts by all digits if that takes too many moves. */
static inline __attribute__((always_inline)) size_t
SORT_NAMED(finish)(SORT_ELEMENT *elements, const SORT_ELEMENT *from, size_t count, size_t moves,
                   SORT_ELEMENT *other, const SketchMemory *memory)
{
    size_t kept, taken = SORT_NAMED(insert)(elements, from, count, moves, &kept, memory);

    if (taken == count)
        return kept;
    memmove(elements + kept, from + taken, (count - taken) * sizeof *elements);
    count = kept + count - taken;
    SORT_NAMED(by_digits)
    (elements, count, other, 0, SORT_NARROW_BITS, 64 / SORT_NARROW_BITS, memory);
    return SORT_NAMED(drop)(elements, count, memory);
}

#ifdef SORT_HASHES

/* Distributes by the highest bits below bit `top` to about as many parts as there are elements. */
static size_t
SORT_NAMED(by_parts)(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other, unsigned top,
                     const SketchMemory *memory)
{
    uint32_t start[1 << SORT_HASH_BITS];
    unsigned bits = 32 - (unsigned)__builtin_clz((uint32_t)count / 2), low;
    uint64_t mask;

    bits = bits < SORT_HASH_BITS ? bits : SORT_HASH_BITS;
    low = top > bits ? top - bits : 0;
    mask = (UINT64_C(1) << bits) - 1;
    memset(start, 0, sizeof start[0] << bits);
    SORT_FOR (i, 0, count)
        start[(uint64_t)SORT_KEY(elements[i]) >> low & mask]++;
    sort_starts(start, (size_t)1 << bits);
    SORT_FOR (i, 0, count)
        other[start[(uint64_t)SORT_KEY(elements[i]) >> low & mask]++] = elements[i];
    return SORT_NAMED(finish)(elements, other, count, SORT_MOVES * count, other, memory);
}

#endif

static size_t
SORT_NAME(SORT_ELEMENT *elements, size_t count, SORT_ELEMENT *other, const SketchMemory *memory)
{
    unsigned sorted = count < SORT_WIDE_COUNT   ? 3 * SORT_NARROW_BITS
                      : count < SORT_MANY_COUNT ? 2 * SORT_WIDE_BITS
                                                : 3 * SORT_WIDE_BITS;
    uint64_t differ = 0;
    size_t ascending = 1;
    unsigned top, low;

    if (count <= SORT_INSERTION_COUNT)
        return SORT_NAMED(finish)(elements, elements, count, SIZE_MAX, other, memory);
    SORT_FOR (i, 1, count) {
        if (SORT_KEY(elements[i]) < SORT_KEY(elements[i - 1]))
            break;
        ascending++;
    }
    if (ascending == count)
        return SORT_NAMED(drop)(elements, count, memory);
    SORT_FOR (i, 0, count)
        differ |= SORT_KEY(elements[i]) ^ SORT_KEY(elements[0]);
    top = 64 - (unsigned)__builtin_clzll(differ); /* all bits that differ are below this one */
#ifdef SORT_HASHES
    if (count <= SORT_HASHES_MAX)
        return SORT_NAMED(by_parts)(elements, count, other, top, memory);
#endif
    low = top > sorted ? top - sorted : 0;
    if (count < SORT_WIDE_COUNT)
        SORT_NAMED(by_digits)(elements, count, other, low, SORT_NARROW_BITS, 3, memory);
    else if (count < SORT_MANY_COUNT)
        SORT_NAMED(by_digits)(elements, count, other, low, SORT_WIDE_BITS, 2, memory);
    else
        SORT_NAMED(by_digits)(elements, count, other, low, SORT_WIDE_BITS, 3, memory);
    if (low == 0)
        return SORT_NAMED(drop)(elements, count, memory);
    return SORT_NAMED(finish)(elements, elements, count, SORT_MOVES * count, other, memory);
}

#undef SORT_NAME
#undef SORT_ELEMENT
#undef SORT_KEY
#undef SORT_HASHES
#undef SORT_SAME
#undef SORT_DROPS
