/*
 * ratelimit_parts.h - what the files of ratelimit share with one another and with nobody else.
 */
#ifndef RATELIMIT_PARTS_H
#define RATELIMIT_PARTS_H

#include "ratelimit.h"

/* ratelimit_funnel.c */
extern RatelimitAnswer funnel_take(Ratelimit *limiter, int32_t quantity, int64_t now);

/* ratelimit_window.c */
extern RatelimitAnswer window_take(Ratelimit *limiter, int32_t quantity, int64_t now);
extern void window_change(Ratelimit *limiter, const Ratelimit *fresh, int64_t now);

/* Whether all of a bucket lies within the range of times, or about. */
extern bool bucket_is_good(const Ratelimit *limiter, int64_t bucket);

#endif
