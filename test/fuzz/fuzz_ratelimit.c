/*
 * fuzz_ratelimit.c - bytes that may be a limiter, and questions to it at any time.
 *
 * The last 24 bytes of an input are three times, and with them other parameters to ask by.
 */
#include "fuzz.h"

#include "core/common/bytes.h"
#include "core/ratelimit/ratelimit.h"

#define TIMES 3

static void
ask(Ratelimit limiter, int64_t now)
{
    int32_t quantity = (int32_t)(now & 0xffff);
    Ratelimit after = limiter;
    RatelimitAnswer answer = ratelimit_take(&after, quantity, now);

    fuzz_check(answer.remaining >= 0 && answer.remaining <= answer.limit,
               "more remain than may be");
    fuzz_check(answer.reset_after >= 0, "it was as new before");
    fuzz_check(!answer.allowed || quantity <= answer.limit, "more than the limit is allowed");
    fuzz_check(ratelimit_take(&after, 0, now).remaining == answer.remaining, "two answers differ");
}

/* Asks by other parameters, of the same sort or not. */
static void
ask_otherwise(Ratelimit *limiter, int64_t now)
{
    int32_t limit = 1 + (int32_t)(now >> 8 & 0x3ff), quantity = (int32_t)(now >> 3 & 0xff);
    int64_t period = (now >> 16 & 0xffff) + 1;
    Ratelimit fresh, before = *limiter;
    RatelimitAnswer answer;
    SketchError error;

    if (now & 1)
        ratelimit_make_token_bucket(&fresh, limit, 1 + (int32_t)(now >> 32 & 0xff), period, &error);
    else
        ratelimit_make_window(&fresh, limit, period, &error);
    if (!ratelimit_retake(limiter, &fresh, quantity, now, &answer)) {
        fuzz_check((fresh.kind == RATELIMIT_TOKEN_BUCKET) !=
                       (before.kind == RATELIMIT_TOKEN_BUCKET),
                   "the same sort is refused");
        return;
    }
    fuzz_check(answer.limit == fresh.limit && answer.remaining >= 0 &&
                   answer.remaining <= fresh.limit && answer.reset_after >= 0,
               "an answer out of its range");
    fuzz_check(limiter->limit == (answer.allowed && quantity > 0 ? fresh.limit : before.limit),
               "parameters change with a grant and not otherwise");
}

static void
fuzz_ratelimit_read(SketchBytes input)
{
    SketchBytes value = {input.data, input.size}, taken;
    Ratelimit limiter;
    SketchError error = {.status = SKETCH_OK};

    if (input.size < TIMES * 8)
        return;
    value.size -= TIMES * 8;
    if (!ratelimit_ops.validate(value, &memory, &taken, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(taken.size == value.size && memcmp(taken.data, value.data, value.size) == 0,
               "a limiter is not canonical");
    fuzz_check(ratelimit_read(taken, &limiter), "what was validated cannot be read");
    release_bytes(taken);
    for (int i = 0; i < TIMES; i++) {
        int64_t now = (int64_t)load_le64(value.data + value.size + i * 8) / 4;

        ask(limiter, now);
        ratelimit_take(&limiter, (int32_t)(now & 7), now);
        if (i > 0)
            ask_otherwise(&limiter, now);
        taken = ratelimit_write(&limiter, &memory);
        fuzz_check(ratelimit_read(taken, &limiter), "what was written cannot be read");
        release_bytes(taken);
    }
}

static size_t
fuzz_ratelimit_seed(Random *random, uint8_t *buffer)
{
    Ratelimit limiter;
    SketchError error;
    SketchBytes value;
    size_t size;
    uint64_t period = 1 + random_below(random, UINT64_C(1) << random_below(random, 55));
    int64_t now = (int64_t)random_below(random, RATELIMIT_TIME_MAX / 2);

    if (random_below(random, 2))
        ratelimit_make_token_bucket(&limiter, (int32_t)random_below(random, 60),
                                    1 + (int32_t)random_below(random, 9), (int64_t)period, &error);
    else
        ratelimit_make_window(&limiter, 1 + (int32_t)random_below(random, 300), (int64_t)period,
                              &error);
    for (unsigned i = 0; i < 20; i++)
        ratelimit_take(&limiter, 3, now += (int64_t)random_below(random, period / 8 + 1));
    value = ratelimit_write(&limiter, &memory);
    size = value.size;
    memcpy(buffer, value.data, size);
    release_bytes(value);
    for (unsigned i = 0; i < TIMES; i++, size += 8)
        store_le64(buffer + size,
                   (uint64_t)(now + (int64_t)(random_below(random, period * 2) - period / 2)) * 4);
    return size;
}

static const FuzzMode ratelimit = {.number = 12,
                                   .name = "ratelimit",
                                   .ops = &ratelimit_ops,
                                   .read = fuzz_ratelimit_read,
                                   .seed = fuzz_ratelimit_seed};

FUZZ_MODE(ratelimit)
