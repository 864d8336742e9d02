/*
 * ratelimit_funnel.c - the generic cell rate algorithm.
 *
 * Everything taken pours a spacing T = period / count into a funnel that runs empty in real time and
 * holds limit * T. Where it has run empty at is all that has to be remembered.
 */
#include "ratelimit_parts.h"

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

RatelimitAnswer
funnel_take(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    int64_t spacing = limiter->period / limiter->count;
    int64_t holds = spacing * limiter->limit;
    int64_t poured, empty_at, full;
    RatelimitAnswer answer = {.limit = limiter->limit, .retry_after = -1};

    /* No honest clock leaves it fuller than full: this one was set back. */
    if (limiter->empty_at > now + holds)
        limiter->empty_at = now + holds;
    /* More than it holds is no amount that could ever be poured in. */
    if (quantity > limiter->limit) {
        full = later(limiter->empty_at, now) - now;
        answer.remaining = (int32_t)((holds - full) / spacing);
        answer.reset_after = full;
        return answer;
    }
    poured = spacing * quantity;
    empty_at = later(limiter->empty_at, now) + poured;
    answer.allowed = empty_at - now <= holds;
    if (answer.allowed) {
        if (quantity > 0)
            limiter->empty_at = empty_at;
    } else {
        answer.retry_after = empty_at - holds - now;
    }
    full = later(limiter->empty_at, now) - now;
    answer.remaining = (int32_t)((holds - full) / spacing);
    answer.reset_after = full;
    return answer;
}
