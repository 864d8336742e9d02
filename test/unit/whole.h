/*
 * whole.h - whole numbers of up to 100 bits, for oracles that compute in more digits than core
 * does. gcc has no integers of 128 bits on 32-bit processors, but there its __float128 is exact as
 * far.
 */
#ifndef WHOLE_H
#define WHOLE_H

#ifdef __SIZEOF_INT128__
typedef __int128 Whole;
#else
typedef __float128 Whole;
#endif

/* 2^exponent */
static inline Whole
whole_power(unsigned exponent)
{
    Whole power = 1;

    while (exponent-- > 0)
        power *= 2;
    return power;
}

#endif
