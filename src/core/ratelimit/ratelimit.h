/*
 * ratelimit.h - limits on how often something may happen. The essay is in ratelimit.c.
 *
 *   ratelimit.c          what it is; packing, validating
 *   funnel.c             a number per period, evenly, after a burst
 *   window.c             at most a number in any period
 *
 * Times are microseconds since whatever the caller counts from; periods are microseconds.
 */
#ifndef RATELIMIT_H
#define RATELIMIT_H

#include "core/sketch.h"

extern const SketchOps ratelimit_ops;

/* Times and periods are limited so that no sum of them overflows. */
#define RATELIMIT_TIME_MAX (INT64_MAX / 4)

/* A window up to this limit knows the time of each hit; a larger one counts in buckets. */
#define RATELIMIT_LOG_MAX 128
#define RATELIMIT_BUCKETS 128 /* a period has; one more is touched by it */

/* What take and peek answer; times are -1 where there is no such time. */
typedef struct RatelimitAnswer {
    bool allowed;
    int32_t limit;
    int32_t remaining;
    int64_t retry_after; /* until the same could be allowed; -1 if it is, or never will be */
    int64_t reset_after; /* until nothing taken counts any more */
} RatelimitAnswer;

typedef enum RatelimitKind { RATELIMIT_FUNNEL, RATELIMIT_LOG, RATELIMIT_COUNTS } RatelimitKind;

typedef struct Ratelimit {
    RatelimitKind kind;
    int32_t limit;  /* funnel: of a burst, one more than max_burst; window: of a period */
    int32_t count;  /* funnel: how many in a period; window: the limit */
    int64_t period; /* microseconds */

    /*
     * Funnel: the theoretical arrival time of GCRA, when it will have run empty; at or before now if
     * it has. The parts are of a microsecond, 0 .. count - 1.
     */
    int64_t arrival;
    uint32_t arrival_parts;

    /* Window: the times of hits in ascending order, or how many came in each bucket. */
    uint32_t held;                          /* entries used of the one array or the other */
    int64_t times[RATELIMIT_LOG_MAX + 1];   /* log; one more only while it is asked */
    int64_t newest;                         /* counts: number of the newest bucket */
    uint32_t counts[RATELIMIT_BUCKETS + 1]; /* from the newest to the oldest */
} Ratelimit;

/* Fresh limiters; false with the parameter that is out of range. */
extern bool ratelimit_make_funnel(Ratelimit *limiter, int32_t max_burst, int32_t count,
                                  int64_t period, SketchError *error);
extern bool ratelimit_make_window(Ratelimit *limiter, int32_t max_count, int64_t period,
                                  SketchError *error);

/* From and to packed values; false for a damaged one. */
extern bool ratelimit_read(SketchBytes value, Ratelimit *limiter);
extern SketchBytes ratelimit_write(const Ratelimit *limiter, const SketchMemory *memory);

/* Takes `quantity`, 0 or more, at a time within +-RATELIMIT_TIME_MAX, or nothing if it may not. */
extern RatelimitAnswer ratelimit_take(Ratelimit *limiter, int32_t quantity, int64_t now);

/*
 * The same by the parameters of `fresh`, which are the limiter's from the next grant on. What was
 * taken before counts. False when they are not of the same sort, funnel or window.
 */
extern bool ratelimit_retake(Ratelimit *limiter, const Ratelimit *fresh, int32_t quantity,
                             int64_t now, RatelimitAnswer *answer);

/* The hits that a window held when it was asked last. */
extern int64_t ratelimit_hits(const Ratelimit *limiter);

/* How much longer than the period a hit may count, a bucket: 0 where the window is exact. */
extern int64_t ratelimit_granularity(const Ratelimit *limiter);

#endif
