/*
 * multiply.h - the upper half of a product of two 64-bit numbers.
 */
#ifndef SKETCH_MULTIPLY_H
#define SKETCH_MULTIPLY_H

#include <stdint.h>

/* From products of 32 bits by 32, for compilers without a type of 128 bits. */
static inline uint64_t
multiply_high_portable(uint64_t a, uint64_t b)
{
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32); /* at most (2^32 - 1) * 2^32: no overflow */
    uint64_t other = a_low * b_high + (uint32_t)middle;

    return a_high * b_high + (middle >> 32) + (other >> 32);
}

static inline uint64_t
multiply_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)a * b >> 64);
#else
    return multiply_high_portable(a, b);
#endif
}

#endif
