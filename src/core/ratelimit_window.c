/*
 * ratelimit_window.c - at most so many in any period, by a log of times or by counts in buckets.
 *
 * A hit at time t is in the window of `now` while t > now - period. A bucket is in it while its last
 * microsecond is.
 */
#include "ratelimit_parts.h"

#include <string.h>

/* ---- buckets ---- */

static int64_t
width_of(const Ratelimit *limiter)
{
    return (limiter->period + RATELIMIT_BUCKETS - 1) / RATELIMIT_BUCKETS;
}

/* The bucket of a time, also of one before 0. */
static int64_t
bucket_of(const Ratelimit *limiter, int64_t time)
{
    int64_t width = width_of(limiter);

    return time / width - (time % width < 0);
}

bool
bucket_is_good(const Ratelimit *limiter, int64_t bucket)
{
    int64_t most = RATELIMIT_TIME_MAX / width_of(limiter) + 1;

    return bucket >= -most && bucket <= most;
}

int64_t
ratelimit_blur(const Ratelimit *limiter)
{
    return limiter->kind == RATELIMIT_COUNTS ? width_of(limiter) : 0;
}

/* When the last hit that entry i may hold leaves the window. */
static int64_t
leaves_at(const Ratelimit *limiter, uint32_t i)
{
    if (limiter->kind == RATELIMIT_LOG)
        return limiter->times[i] + limiter->period;
    return (limiter->newest - i + 1) * width_of(limiter) - 1 + limiter->period;
}

/* ---- what is held ---- */

static int64_t
hits_of(const Ratelimit *limiter)
{
    int64_t hits = 0;

    if (limiter->kind == RATELIMIT_LOG)
        return limiter->held;
    for (uint32_t i = 0; i < limiter->held; i++)
        hits += limiter->counts[i];
    return hits;
}

/* The clock was set back: what was newest is now, and all distances stay as they are. */
static void
step_back(Ratelimit *limiter, int64_t now)
{
    if (limiter->held == 0)
        return;
    if (limiter->kind == RATELIMIT_LOG) {
        int64_t ahead = limiter->times[limiter->held - 1] - now;

        for (uint32_t i = 0; ahead > 0 && i < limiter->held; i++) {
            limiter->times[i] -= ahead;
            if (limiter->times[i] < -RATELIMIT_TIME_MAX)
                limiter->times[i] = -RATELIMIT_TIME_MAX;
        }
    } else if (limiter->newest > bucket_of(limiter, now)) {
        limiter->newest = bucket_of(limiter, now);
    }
}

/* Forgets what has left the window. */
static void
expire(Ratelimit *limiter, int64_t now)
{
    uint32_t gone = 0;

    if (limiter->kind == RATELIMIT_LOG) {
        while (gone < limiter->held && leaves_at(limiter, gone) <= now)
            gone++;
        limiter->held -= gone;
        memmove(limiter->times, limiter->times + gone, limiter->held * sizeof *limiter->times);
        return;
    }
    while (limiter->held > 0 && (leaves_at(limiter, limiter->held - 1) <= now ||
                                 limiter->counts[limiter->held - 1] == 0))
        limiter->held--;
    if (limiter->held == 0)
        limiter->newest = 0;
}

static void
add(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    int64_t bucket, ahead;

    if (limiter->kind == RATELIMIT_LOG) {
        for (int32_t i = 0; i < quantity; i++)
            limiter->times[limiter->held++] = now;
        return;
    }
    bucket = bucket_of(limiter, now);
    if (limiter->held == 0) {
        limiter->newest = bucket;
        limiter->counts[0] = 0;
        limiter->held = 1;
    }
    /* What is left after expire() ends within a period of now, so there is room to move it on. */
    ahead = bucket - limiter->newest;
    if (ahead > 0) {
        memmove(limiter->counts + ahead, limiter->counts, limiter->held * sizeof *limiter->counts);
        memset(limiter->counts, 0, (size_t)ahead * sizeof *limiter->counts);
        limiter->held += (uint32_t)ahead;
        limiter->newest = bucket;
    }
    limiter->counts[0] += (uint32_t)quantity;
}

/* How long until `needed` of the oldest hits have left. */
static int64_t
wait_for(const Ratelimit *limiter, int64_t needed, int64_t now)
{
    if (limiter->kind == RATELIMIT_LOG)
        return leaves_at(limiter, (uint32_t)needed - 1) - now;
    for (uint32_t i = limiter->held; i-- > 0;) {
        needed -= limiter->counts[i];
        if (needed <= 0)
            return leaves_at(limiter, i) - now;
    }
    return 0;
}

/* When the last one leaves. */
static int64_t
reset_after(const Ratelimit *limiter, int64_t now)
{
    if (limiter->held == 0)
        return 0;
    return leaves_at(limiter, limiter->kind == RATELIMIT_LOG ? limiter->held - 1 : 0) - now;
}

RatelimitAnswer
window_take(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    RatelimitAnswer answer = {.limit = limiter->limit, .retry_after = -1};
    int64_t hits;

    step_back(limiter, now);
    expire(limiter, now);
    hits = hits_of(limiter);
    answer.allowed = quantity <= limiter->limit - hits;
    if (answer.allowed && quantity > 0) {
        add(limiter, quantity, now);
        hits += quantity;
    } else if (!answer.allowed && quantity <= limiter->limit) {
        answer.retry_after = wait_for(limiter, hits + quantity - limiter->limit, now);
    }
    answer.remaining = (int32_t)(limiter->limit - hits);
    answer.reset_after = reset_after(limiter, now);
    return answer;
}

/* Hits that a window with other parameters goes on with come now, as many as it can hold. */
void
window_change(Ratelimit *limiter, const Ratelimit *fresh, int64_t now)
{
    int64_t hits;

    step_back(limiter, now);
    expire(limiter, now);
    hits = hits_of(limiter);
    *limiter = *fresh;
    if (hits > 0)
        add(limiter, (int32_t)(hits < limiter->limit ? hits : limiter->limit), now);
}
