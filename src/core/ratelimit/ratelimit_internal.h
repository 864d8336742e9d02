/*
 * ratelimit_internal.h - what the files of ratelimit share. Each uses those above it only.
 *
 * token_bucket.c token buckets
 * window.c     sliding windows
 * packed.c     the bytes of both
 * ratelimit.c  what a limiter is; calls, and what the glue calls
 *
 * A call has two steps. advance brings a limiter to `now`, by its own parameters: it moves times in
 * the future, which exist after the clock was set back, to `now`, lowers a token bucket that is
 * more than full, and removes hits that have left the window. decide computes the result, and takes
 * if that is allowed. In between, the limiter may get other parameters.
 */
#ifndef RATELIMIT_INTERNAL_H
#define RATELIMIT_INTERNAL_H

#include "ratelimit.h"

#define RATELIMIT_VERSION 1
#define RATELIMIT_HEADER 20

/* packed.c: reads and checks a value, whose common header must be valid. */
extern bool ratelimit_read_packed(SketchBytes value, Ratelimit *limiter, SketchError *error);

/* token_bucket.c */
extern void token_bucket_advance(Ratelimit *limiter, int64_t now);
extern RatelimitAnswer token_bucket_decide(Ratelimit *limiter, int32_t quantity, int64_t now);

/* Gives the fresh token bucket `to` the level of `from`, rounded up to a microsecond. */
extern void token_bucket_carry(Ratelimit *to, const Ratelimit *from);

/* window.c */
extern void window_advance(Ratelimit *limiter, int64_t now);
extern RatelimitAnswer window_decide(Ratelimit *limiter, int32_t quantity, int64_t now);

/* Copies the hits of `from`, which was advanced, to the fresh window `to`; none becomes older. */
extern void window_carry(Ratelimit *to, const Ratelimit *from, int64_t now);

/* Returns true if a bucket is within the range of times, or at most one bucket outside. */
extern bool ratelimit_bucket_is_valid(const Ratelimit *limiter, int64_t bucket);

#endif
