/*
 * damage_ratelimit.c - values of ratelimit.
 */
#include "damage.h"

#include "core/ratelimit/ratelimit.h"

#define SECOND INT64_C(1000000)

/* ---- good values ---- */

static SketchBytes
taken(Ratelimit limiter, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        ratelimit_take(&limiter, 1, (1000 + (int64_t)i * 7) * SECOND / 10);
    return ratelimit_write(&limiter, &damage_memory);
}

static void
make(void)
{
    Ratelimit limiter;
    SketchError error;

    damage_expect(ratelimit_make_token_bucket(&limiter, 15, 30, 60 * SECOND, &error));
    damage_value("bucket", taken(limiter, 7));
    damage_expect(ratelimit_make_window(&limiter, 5, 60 * SECOND, &error));
    damage_value("window of times", taken(limiter, 3));
    damage_expect(ratelimit_make_window(&limiter, RATELIMIT_LOG_MAX, 60 * SECOND, &error));
    damage_value("full window of times", taken(limiter, RATELIMIT_LOG_MAX));
    damage_expect(ratelimit_make_window(&limiter, 5000, 60 * SECOND, &error));
    damage_value("window of counts", taken(limiter, 10));
    damage_value("full window of counts", taken(limiter, 1000));
}

/* ---- calls ---- */

static Ratelimit
read(SketchBytes value)
{
    Ratelimit limiter;

    damage_expect(ratelimit_read(value, &limiter));
    return limiter;
}

static void
take(SketchBytes value, int32_t quantity, int64_t now)
{
    Ratelimit limiter = read(value), after = limiter;

    ratelimit_take(&after, quantity, now);
    ratelimit_write(&after, &damage_memory);
    ratelimit_take(&limiter, 0, now);
    ratelimit_hits(&after);
    ratelimit_granularity(&after);
}

static void
retake(SketchBytes value, SketchBytes other, int64_t now)
{
    Ratelimit limiter = read(value), fresh = read(other);
    RatelimitAnswer answer;

    damage_expect(ratelimit_retake(&limiter, &fresh, 1, now, &answer));
    ratelimit_write(&limiter, &damage_memory);
}

static void
call(SketchBytes value, SketchBytes good)
{
    TRY(take(value, 1, 105 * SECOND));
    TRY(take(value, 1, 0));
    TRY(take(value, INT32_MAX, 105 * SECOND));
    TRY(take(value, 3, RATELIMIT_TIME_MAX));
    TRY(take(value, 3, -RATELIMIT_TIME_MAX));
    TRY(retake(value, good, 105 * SECOND));
    TRY(retake(good, value, 105 * SECOND));
    TRY(retake(value, value, RATELIMIT_TIME_MAX));
}

static const DamageType ratelimit = {
    .ops = &ratelimit_ops, .hash_at = 3, .make = make, .call = call};

DAMAGE_TYPE(ratelimit)
