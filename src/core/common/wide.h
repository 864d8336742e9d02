/*
 * wide.h - the upper half of a product of two 64-bit numbers, also where the compiler has no
 * numbers of 128 bits, as on 32-bit processors.
 */
#ifndef SKETCH_WIDE_H
#define SKETCH_WIDE_H

#include <stdint.h>

/* As on paper, in digits of 32 bits. */
static inline uint64_t
multiply_high_by_halves(uint64_t a, uint64_t b)
{
    uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (uint32_t)middle;

    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static inline uint64_t
multiply_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    return multiply_high_by_halves(a, b);
#endif
}

#endif
