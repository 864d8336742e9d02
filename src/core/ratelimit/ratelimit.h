/*
 * ratelimit.h - limits on how often something may happen. The essay is in ratelimit.c.
 *
 *   ratelimit.c          the essay; making limiters, taking from them
 *   packed.c             packed values, written and checked
 *   token_bucket.c         a number of hits per period, evenly spaced, after a burst
 *   window.c             at most a number of hits in any period
 *
 * Times are microseconds since an origin that the caller chooses; periods are microseconds.
 */
#ifndef RATELIMIT_H
#define RATELIMIT_H

#include "core/sketch.h"

extern const SketchOps ratelimit_ops;

/* Times and periods are limited so that no sum of them overflows. */
#define RATELIMIT_TIME_MAX (INT64_MAX / 4)

/* A window with a limit up to this stores the time of each hit; others count hits in buckets. */
#define RATELIMIT_LOG_MAX 128
#define RATELIMIT_BUCKETS 128 /* in a period; a period touches up to one more */

/* The result of a call. Times are durations in microseconds. */
typedef struct RatelimitAnswer {
    bool allowed;
    int32_t limit;
    int32_t remaining;
    int64_t retry_after; /* until the quantity could be allowed; -1 if it was, or never will be */
    int64_t reset_after; /* until nothing taken counts any more */
} RatelimitAnswer;

typedef enum RatelimitKind {
    RATELIMIT_TOKEN_BUCKET,
    RATELIMIT_LOG,
    RATELIMIT_COUNTS
} RatelimitKind;

typedef struct Ratelimit {
    RatelimitKind kind;
    int32_t limit;  /* token bucket: of a burst, one more than max_burst; window: of a period */
    int32_t count;  /* token bucket: how many in a period; window: the limit */
    int64_t period; /* microseconds */

    /*
     * Token bucket: the theoretical arrival time of GCRA, at which it will be empty; not after
     * `now` if it is empty. There are 0 .. count - 1 parts, each 1 / count of a microsecond.
     */
    int64_t arrival;
    uint32_t arrival_parts;

    /* Window: the times of hits in ascending order, or the number of hits in each bucket. */
    uint32_t held;                          /* entries in use, of times or of counts */
    int64_t times[RATELIMIT_LOG_MAX + 1];   /* log; the last entry only during a call */
    int64_t newest;                         /* counts: number of the newest bucket */
    uint32_t counts[RATELIMIT_BUCKETS + 1]; /* from the newest to the oldest */
} Ratelimit;

/* Make a fresh limiter; fail with the parameter that is out of range. */
extern bool ratelimit_make_token_bucket(Ratelimit *limiter, int32_t max_burst, int32_t count,
                                        int64_t period, SketchError *error);
extern bool ratelimit_make_window(Ratelimit *limiter, int32_t max_count, int64_t period,
                                  SketchError *error);

/* Read and write packed values; reading fails for a damaged one. */
extern bool ratelimit_read(SketchBytes value, Ratelimit *limiter);
extern SketchBytes ratelimit_write(const Ratelimit *limiter, const SketchMemory *memory);

/* Takes `quantity` >= 0, all or nothing, at a time within +-RATELIMIT_TIME_MAX. */
extern RatelimitAnswer ratelimit_take(Ratelimit *limiter, int32_t quantity, int64_t now);

/*
 * Takes by the parameters of `fresh`, which the limiter adopts if a quantity above 0 is allowed.
 * The limiter's earlier hits count; those of `fresh`, if it has any, do not. Fails if one is a
 * token bucket and the other a window.
 */
extern bool ratelimit_retake(Ratelimit *limiter, const Ratelimit *fresh, int32_t quantity,
                             int64_t now, RatelimitAnswer *answer);

/* Returns the number of hits in the window as of the last call. */
extern int64_t ratelimit_hits(const Ratelimit *limiter);

/* Returns how much longer than the period a hit may count: a bucket, or 0 if exact. */
extern int64_t ratelimit_granularity(const Ratelimit *limiter);

#endif
