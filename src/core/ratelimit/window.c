/*
 * window.c - at most max_count in any period, by a log of times or by counts in buckets.
 *
 * A hit at time t is in the window as long as t > now - period; a bucket, as long as its last
 * microsecond is.
 */
#include "ratelimit_internal.h"

#include <string.h>

bool
ratelimit_make_window(Ratelimit *limiter, int32_t max_count, int64_t period, SketchError *error)
{
    if (max_count < 1)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "max_count", max_count, 1,
                                   INT32_MAX);
    if (period < 1 || period > RATELIMIT_TIME_MAX)
        return sketch_refuse_range(error, SKETCH_OUT_OF_RANGE, "period in microseconds", period, 1,
                                   RATELIMIT_TIME_MAX);
    *limiter =
        (Ratelimit){.kind = max_count <= RATELIMIT_LOG_MAX ? RATELIMIT_LOG : RATELIMIT_COUNTS,
                    .limit = max_count,
                    .count = max_count,
                    .period = period};
    return true;
}

/* ---- buckets ---- */

static int64_t
width_of(const Ratelimit *limiter)
{
    return (limiter->period + RATELIMIT_BUCKETS - 1) / RATELIMIT_BUCKETS;
}

/* Returns the bucket of a time, which may be negative. */
static int64_t
bucket_of(const Ratelimit *limiter, int64_t time)
{
    int64_t width = width_of(limiter);

    return time / width - (time % width < 0);
}

bool
ratelimit_bucket_is_valid(const Ratelimit *limiter, int64_t bucket)
{
    int64_t most = RATELIMIT_TIME_MAX / width_of(limiter) + 1;

    return bucket >= -most && bucket <= most;
}

int64_t
ratelimit_granularity(const Ratelimit *limiter)
{
    return limiter->kind == RATELIMIT_COUNTS ? width_of(limiter) : 0;
}

/* Returns when the last hit that entry i may stand for leaves the window. */
static int64_t
leaves_at(const Ratelimit *limiter, uint32_t i)
{
    if (limiter->kind == RATELIMIT_LOG)
        return limiter->times[i] + limiter->period;
    return (limiter->newest - i + 1) * width_of(limiter) - 1 + limiter->period;
}

/* Returns true if a hit at `time`, not after `now`, is in the window. */
static bool
is_within(const Ratelimit *limiter, int64_t time, int64_t now)
{
    if (limiter->kind == RATELIMIT_COUNTS)
        time = (bucket_of(limiter, time) + 1) * width_of(limiter) - 1;
    return time + limiter->period > now;
}

/* ---- hits ---- */

int64_t
ratelimit_hits(const Ratelimit *limiter)
{
    int64_t hits = 0;

    if (limiter->kind == RATELIMIT_LOG)
        return limiter->held;
    for (uint32_t i = 0; i < limiter->held; i++)
        hits += limiter->counts[i];
    return hits;
}

/*
 * Moves hits in the future to `now`: they were taken before the clock was set back. Other hits keep
 * their times. No hit seems older than it is, so none leaves too early.
 */
static void
forget_the_future(Ratelimit *limiter, int64_t now)
{
    int64_t ahead;
    uint32_t from;

    if (limiter->kind == RATELIMIT_LOG) {
        for (uint32_t i = limiter->held; i > 0 && limiter->times[i - 1] > now; i--)
            limiter->times[i - 1] = now;
        return;
    }
    ahead = limiter->newest - bucket_of(limiter, now);
    if (limiter->held == 0 || ahead <= 0)
        return;
    limiter->newest -= ahead;
    from = ahead < limiter->held ? (uint32_t)ahead : limiter->held - 1;
    for (uint32_t i = 0; i < from; i++)
        limiter->counts[from] += limiter->counts[i];
    limiter->held -= from;
    memmove(limiter->counts, limiter->counts + from, limiter->held * sizeof *limiter->counts);
}

/* Forgets the hits that have left the window. */
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

void
window_advance(Ratelimit *limiter, int64_t now)
{
    forget_the_future(limiter, now);
    expire(limiter, now);
}

/* Adds hits that are no older than those held; a log must have room. */
static void
add(Ratelimit *limiter, uint32_t hits, int64_t time)
{
    int64_t bucket, ahead;

    if (limiter->kind == RATELIMIT_LOG) {
        for (uint32_t i = 0; i < hits; i++)
            limiter->times[limiter->held++] = time;
        return;
    }
    bucket = bucket_of(limiter, time);
    if (limiter->held == 0) {
        limiter->newest = bucket;
        limiter->counts[0] = 0;
        limiter->held = 1;
    }
    /* All buckets are in one window with the new hits, so there is room to move them. */
    ahead = bucket - limiter->newest;
    if (ahead > 0) {
        memmove(limiter->counts + ahead, limiter->counts, limiter->held * sizeof *limiter->counts);
        memset(limiter->counts, 0, (size_t)ahead * sizeof *limiter->counts);
        limiter->held += (uint32_t)ahead;
        limiter->newest = bucket;
    }
    limiter->counts[0] += hits;
}

/* Returns the time until the `needed` oldest hits have left the window. */
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

/* Returns the time until the last hit leaves the window. */
static int64_t
reset_after(const Ratelimit *limiter, int64_t now)
{
    if (limiter->held == 0)
        return 0;
    return leaves_at(limiter, limiter->kind == RATELIMIT_LOG ? limiter->held - 1 : 0) - now;
}

/* After a change of parameters, the window may have more hits than its limit. */
RatelimitAnswer
window_decide(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    RatelimitAnswer answer = {.limit = limiter->limit, .retry_after = -1};
    int64_t hits = ratelimit_hits(limiter), over = hits + quantity - limiter->limit;

    answer.allowed = over <= 0;
    if (answer.allowed && quantity > 0) {
        add(limiter, (uint32_t)quantity, now);
        hits += quantity;
    } else if (!answer.allowed && quantity <= limiter->limit) {
        answer.retry_after = wait_for(limiter, over, now);
    }
    answer.remaining = hits < limiter->limit ? (int32_t)(limiter->limit - hits) : 0;
    answer.reset_after = reset_after(limiter, now);
    return answer;
}

void
window_carry(Ratelimit *to, const Ratelimit *from, int64_t now)
{
    int64_t surplus =
        to->kind == RATELIMIT_LOG ? ratelimit_hits(from) - (RATELIMIT_LOG_MAX + 1) : 0;

    for (uint32_t n = 0; n < from->held; n++) {
        /* From the oldest to the newest, each with the latest time that it may have. */
        uint32_t i = from->kind == RATELIMIT_LOG ? n : from->held - 1 - n;
        int64_t hits = from->kind == RATELIMIT_LOG ? 1 : from->counts[i];
        int64_t time = leaves_at(from, i) - from->period;

        if (time > now)
            time = now;
        /* A log may have no room for the oldest hits; the rest exceeds every log's limit. */
        if (surplus > 0) {
            int64_t left_out = hits < surplus ? hits : surplus;

            surplus -= left_out;
            hits -= left_out;
        }
        if (hits > 0 && is_within(to, time, now))
            add(to, (uint32_t)hits, time);
    }
}
