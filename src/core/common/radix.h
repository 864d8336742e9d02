/*
 * radix.h - the former name of sort.h.
 */
#ifndef RADIX_H
#define RADIX_H

#include "sort.h"

#define radix_sort_u64 sort_u64

#endif
