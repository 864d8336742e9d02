/*
 * portable.h - logarithms and powers with the same bits on every platform.
 *
 * What is stored has to be the same wherever it is computed, and so does what is compared with a
 * stored number. The last bits of log, exp and pow differ between C libraries, so such numbers are
 * computed here, of operations that IEEE 754 rounds correctly (+ - * / and sqrt) or that are exact
 * (frexp, ldexp, floor). A result that is only returned to a user may come from the C library.
 * It needs -ffp-contract=off, with which all of src/core is compiled.
 */
#ifndef SKETCH_PORTABLE_H
#define SKETCH_PORTABLE_H

/* Returns the natural logarithm of a finite x > 0; less than 1 ulp off. */
extern double portable_log(double x);

/* Returns e^x, less than 2 ulp off: 0 below the smallest double, INFINITY above the largest. */
extern double portable_exp(double x);

/* Returns x^n by squaring, less than n ulp off for n > 0. */
extern double portable_power(double x, unsigned n);

#endif
