/*
 * funnel.c - the generic cell rate algorithm.
 *
 * Everything taken pours a spacing T = period / count into a funnel that holds limit * T and runs
 * empty as time goes by. When it will have run empty is all that has to be remembered.
 */
#include "ratelimit_internal.h"

static int64_t
spacing_of(const Ratelimit *limiter)
{
    return limiter->period / limiter->count;
}

static int64_t
later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Nothing leaves a funnel fuller than full: if it seems so, the clock was set back. */
void
funnel_settle(Ratelimit *limiter, int64_t now)
{
    int64_t full_until = now + spacing_of(limiter) * limiter->limit;

    if (limiter->empty_at > full_until)
        limiter->empty_at = full_until;
}

/* Carried over from other parameters, a funnel may well be fuller than full. */
RatelimitAnswer
funnel_ask(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    int64_t spacing = spacing_of(limiter);
    int64_t holds = spacing * limiter->limit;
    int64_t level = later(limiter->empty_at, now) - now;
    RatelimitAnswer answer = {.limit = limiter->limit, .retry_after = -1};

    /* More than it holds never fits; spacing * quantity might not even be a number. */
    if (quantity <= limiter->limit) {
        int64_t poured = level + spacing * quantity;

        answer.allowed = poured <= holds;
        if (!answer.allowed) {
            answer.retry_after = poured - holds;
        } else if (quantity > 0) {
            level = poured;
            limiter->empty_at = now + level;
        }
    }
    answer.remaining = level < holds ? (int32_t)((holds - level) / spacing) : 0;
    answer.reset_after = level;
    return answer;
}
