/*
 * token_bucket.c - the generic cell rate algorithm.
 *
 * Each hit pours a spacing T = period / count into the bucket, which holds limit * T and drains as
 * time passes. Only one number has to be stored: the time at which it will be empty, which is
 * the theoretical arrival time of GCRA.
 *
 * The arithmetic is exact. T is a fraction, so a time has microseconds and parts; `count` parts are
 * a microsecond. So 700,000 per second means 700,000, not the million that a spacing in whole
 * microseconds would allow.
 */
#include "ratelimit_internal.h"

bool
ratelimit_make_token_bucket(Ratelimit *limiter, int32_t max_burst, int32_t count, int64_t period,
                            SketchError *error)
{
    int64_t spacing, limit;

    if (max_burst < 0 || max_burst == INT32_MAX)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "max_burst", max_burst, 0,
                                   INT32_MAX - 1);
    if (period < 1 || period > RATELIMIT_TIME_MAX)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "period in microseconds", period, 1,
                                   RATELIMIT_TIME_MAX);
    if (count < 1)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "count", count, 1, INT32_MAX);
    /* In whole microseconds, rounded up. */
    spacing = period / count + (period % count > 0);
    limit = max_burst + INT64_C(1);
    if (spacing > RATELIMIT_TIME_MAX / limit)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "max_burst", max_burst, 0,
                                   RATELIMIT_TIME_MAX / spacing - 1);
    *limiter = (Ratelimit){.kind = RATELIMIT_TOKEN_BUCKET,
                           .limit = (int32_t)limit,
                           .count = count,
                           .period = period,
                           .arrival = -RATELIMIT_TIME_MAX};
    return true;
}

/* A duration, never negative; 0 <= parts < count. */
typedef struct Duration {
    int64_t microseconds;
    int64_t parts;
} Duration;

/* Returns quantity * T, which ratelimit_make_token_bucket keeps below 2^61 up to the limit. */
static Duration
time_of(const Ratelimit *limiter, int64_t quantity)
{
    int64_t parts = limiter->period % limiter->count * quantity;

    return (Duration){limiter->period / limiter->count * quantity + parts / limiter->count,
                      parts % limiter->count};
}

static Duration
sum(const Ratelimit *limiter, Duration a, Duration b)
{
    int64_t parts = a.parts + b.parts, carry = parts >= limiter->count;

    return (Duration){a.microseconds + b.microseconds + carry, parts - carry * limiter->count};
}

/* Returns a - b, where b is at most a. */
static Duration
difference(const Ratelimit *limiter, Duration a, Duration b)
{
    int64_t parts = a.parts - b.parts, borrow = parts < 0;

    return (Duration){a.microseconds - b.microseconds - borrow, parts + borrow * limiter->count};
}

static bool
is_longer(Duration a, Duration b)
{
    return a.microseconds > b.microseconds ||
           (a.microseconds == b.microseconds && a.parts > b.parts);
}

/* Rounds a duration up to whole microseconds. */
static int64_t
rounded_up(Duration a)
{
    return a.microseconds + (a.parts > 0);
}

/* Returns the time until the token bucket is empty. */
static Duration
level_of(const Ratelimit *limiter, int64_t now)
{
    if (limiter->arrival < now)
        return (Duration){0, 0};
    return (Duration){limiter->arrival - now, limiter->arrival_parts};
}

static void
set_level(Ratelimit *limiter, Duration level, int64_t now)
{
    limiter->arrival = now + level.microseconds;
    limiter->arrival_parts = (uint32_t)level.parts;
}

/* Returns the largest quantity, up to the limit, that takes no longer than `time`. */
static int32_t
quantity_in(const Ratelimit *limiter, Duration time)
{
    double microseconds = (double)time.microseconds + (double)time.parts / limiter->count;
    int64_t quantity = (int64_t)(microseconds / (double)limiter->period * limiter->count);

    /* Rounding is off by less than one. */
    quantity = quantity < limiter->limit ? quantity : limiter->limit;
    while (quantity > 0 && is_longer(time_of(limiter, quantity), time))
        quantity--;
    while (quantity < limiter->limit && !is_longer(time_of(limiter, quantity + 1), time))
        quantity++;
    return (int32_t)quantity;
}

/* Lowers a token bucket that is more than full, which means that the clock was set back. */
void
token_bucket_advance(Ratelimit *limiter, int64_t now)
{
    Duration full = time_of(limiter, limiter->limit);

    if (is_longer(level_of(limiter, now), full))
        set_level(limiter, full, now);
}

void
token_bucket_carry(Ratelimit *to, const Ratelimit *from)
{
    to->arrival = from->arrival + (from->arrival_parts > 0);
}

/* After a change of parameters, the token bucket may be more than full. */
RatelimitAnswer
token_bucket_decide(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    Duration full = time_of(limiter, limiter->limit), level = level_of(limiter, now);
    RatelimitAnswer answer = {.limit = limiter->limit, .retry_after = -1};

    /* A quantity above the limit is never allowed. */
    if (quantity <= limiter->limit) {
        Duration poured = sum(limiter, level, time_of(limiter, quantity));

        answer.allowed = !is_longer(poured, full);
        if (!answer.allowed) {
            answer.retry_after = rounded_up(difference(limiter, poured, full));
        } else if (quantity > 0) {
            level = poured;
            set_level(limiter, level, now);
        }
    }
    if (is_longer(full, level))
        answer.remaining = quantity_in(limiter, difference(limiter, full, level));
    answer.reset_after = rounded_up(level);
    return answer;
}
