/*
 * ratelimit.c - rate limiters: may this happen now, or would that be too often?
 *
 * There are two kinds of limiters. Each is a value that records what was taken so far; every call
 * returns a value to replace it.
 *
 * The token bucket (token_bucket.c) is the generic cell rate algorithm, GCRA: `count` per period,
 * spaced evenly, and a burst of max_burst + 1 after a quiet time. It stores one exact time.
 *
 * The sliding window (window.c) allows at most max_count within any period. With a limit of up to
 * 128, it stores the time of every hit and is exact. With a higher one, it divides the period into
 * 128 buckets and stores the number of hits in each. A bucket counts until its last microsecond has
 * left the window. So the window never allows a hit too many, but a hit counts for up to one bucket
 * (1/128 of the period) longer than the period. It takes at most 544 bytes, whatever the limit.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3   4..7    8..11    12..19
 *     kind   version  encoding  0   limit   number   period in microseconds
 *
 *     bucket (0)    number: count           20..27  time at which it will be empty: microseconds
 *                                           28..31  and parts, each 1 / count of a microsecond
 *     log (1)       number: n hits          20..    n times, 8 bytes each, ascending
 *     counts (2)    number: n buckets       20..27  number of the newest bucket: time / width
 *                                           28..    n counts, 4 bytes each, newest first
 *
 * What validate enforces: limit 1 .. 2^31 - 1, period at least 1 and below 2^61, times less than
 * 2^61 from 0.
 *   bucket   count 1 .. 2^31 - 1; limit times spacing below 2^61; empty less than 2^62 from 0;
 *            parts less than count
 *   log      limit <= 128, n <= limit, times ascending and less than a period apart
 *   counts   limit > 128, n <= 129, the newest and the oldest count not 0, the sum of all at most
 *            the limit; the newest bucket within the range of times, and 0 if there is none
 *
 * Setting the clock back never allows more. A token bucket is then at most full. In a window, hits
 * with a time in the future count as hits of now, and the others keep their times, so each counts
 * for at most a period and a bucket from then on.
 *
 * Parameters may change between two calls, for example with a new release of an application.
 * Earlier hits still count, as far as they are stored: a token bucket will be empty at the same
 * time as without the change, as in redis-cell, and hits of a window keep their times, or get the
 * end of their bucket if only that is known. A call that takes nothing keeps the old parameters, so
 * a refusal by a small limit does not make the limiter forget hits allowed by a larger one.
 *
 * Left out: merging. Two limiters of one key cannot be merged without allowing too much.
 *
 * References: ITU-T I.371 (GCRA); redis-cell, CL.THROTTLE (the numbers returned).
 */
#include "ratelimit_internal.h"

static bool
read_checked(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    return sketch_validate_common(value, &ratelimit_ops, error) &&
           ratelimit_read_packed(value, limiter, error);
}

bool
ratelimit_read(SketchBytes value, Ratelimit *limiter)
{
    SketchError error;

    return read_checked(value, limiter, &error);
}

static bool
validate(SketchBytes input, const SketchMemory *memory, SketchBytes *value, SketchError *error)
{
    Ratelimit limiter;

    if (!read_checked(input, &limiter, error))
        return false;
    *value = ratelimit_write(&limiter, memory);
    return true;
}

static SketchBytes
pack(SketchBytes value, const SketchMemory *memory)
{
    Ratelimit limiter;

    return ratelimit_read(value, &limiter) ? ratelimit_write(&limiter, memory)
                                           : (SketchBytes){NULL, 0};
}

/* There is no working encoding: limiters are small and change only once per call. */
static SketchState
open(SketchBytes value, const SketchMemory *memory)
{
    SketchBytes packed = pack(value, memory);

    return (SketchState){(uint8_t *)packed.data, packed.size};
}

static bool
merge(SketchState *state, SketchBytes other, const SketchMemory *memory, SketchError *error)
{
    (void)state;
    (void)other;
    (void)memory;
    return sketch_refuse(error, SKETCH_MISMATCH, "Limiters cannot be combined");
}

/* ---- taking ---- */

static void
advance(Ratelimit *limiter, int64_t now)
{
    if (limiter->kind == RATELIMIT_TOKEN_BUCKET)
        token_bucket_advance(limiter, now);
    else
        window_advance(limiter, now);
}

static RatelimitAnswer
decide(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    return limiter->kind == RATELIMIT_TOKEN_BUCKET ? token_bucket_decide(limiter, quantity, now)
                                                   : window_decide(limiter, quantity, now);
}

RatelimitAnswer
ratelimit_take(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    advance(limiter, now);
    return decide(limiter, quantity, now);
}

bool
ratelimit_retake(Ratelimit *limiter, const Ratelimit *fresh, int32_t quantity, int64_t now,
                 RatelimitAnswer *answer)
{
    /* Only the parameters of `fresh`: it may have hits of its own, of any time. */
    Ratelimit changed = {
        .kind = fresh->kind, .limit = fresh->limit, .count = fresh->count, .period = fresh->period};

    if ((limiter->kind == RATELIMIT_TOKEN_BUCKET) != (fresh->kind == RATELIMIT_TOKEN_BUCKET))
        return false;
    advance(limiter, now);
    if (limiter->limit == fresh->limit && limiter->count == fresh->count &&
        limiter->period == fresh->period) {
        *answer = decide(limiter, quantity, now);
        return true;
    }
    if (limiter->kind == RATELIMIT_TOKEN_BUCKET)
        token_bucket_carry(&changed, limiter);
    else
        window_carry(&changed, limiter, now);
    *answer = decide(&changed, quantity, now);
    /*
     * A refusal changes nothing: hits that a smaller limit has no room for, or that a shorter
     * period has forgotten, still count in calls with the larger limit or period.
     */
    if (answer->allowed && quantity > 0)
        *limiter = changed;
    return true;
}

const SketchOps ratelimit_ops = {
    .name = "ratelimit",
    .kind = SKETCH_RATELIMIT,
    .version = RATELIMIT_VERSION,
    .header_bytes = RATELIMIT_HEADER,
    .encoding_max = RATELIMIT_COUNTS,
    .validate = validate,
    .open = open,
    .pack = pack,
    .merge = merge,
};
