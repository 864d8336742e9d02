/*
 * fuzz_ratelimit.c - bytes that may be a limiter, and questions to it at any time.
 *
 * The last 24 bytes of an input are three times.
 */
#include "fuzz.h"

#include "bytes.h"
#include "ratelimit.h"

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

void
fuzz_ratelimit_read(SketchBytes input)
{
    SketchBytes value = {input.data, input.size}, taken;
    Ratelimit limiter;
    SketchError error = {.status = SKETCH_OK};

    if (input.size < TIMES * 8)
        return;
    value.size -= TIMES * 8;
    if (!ratelimit_ops.admit(value, &memory, &taken, &error)) {
        fuzz_check_refusal(error);
        return;
    }
    fuzz_check(taken.size == value.size && memcmp(taken.data, value.data, value.size) == 0,
               "a limiter is not canonical");
    fuzz_check(ratelimit_read(taken, &limiter), "what was admitted cannot be read");
    release_bytes(taken);
    for (int i = 0; i < TIMES; i++) {
        int64_t now = (int64_t)load_le64(value.data + value.size + i * 8) / 4;

        ask(limiter, now);
        ratelimit_take(&limiter, (int32_t)(now & 7), now);
        taken = ratelimit_write(&limiter, &memory);
        fuzz_check(ratelimit_read(taken, &limiter), "what was written cannot be read");
        release_bytes(taken);
    }
}

size_t
fuzz_ratelimit_seed(Random *random, uint8_t *buffer)
{
    Ratelimit limiter;
    SketchError error;
    SketchBytes value;
    size_t size;
    int64_t now = (int64_t)random_below(random, 1000000000);

    if (random_below(random, 2))
        ratelimit_make_funnel(&limiter, (int32_t)random_below(random, 100), 3, 1000, &error);
    else
        ratelimit_make_window(&limiter, 1 + (int32_t)random_below(random, 300), 1000, &error);
    for (unsigned i = 0; i < 20; i++)
        ratelimit_take(&limiter, 3, now += (int64_t)random_below(random, 100));
    value = ratelimit_write(&limiter, &memory);
    size = value.size;
    memcpy(buffer, value.data, size);
    release_bytes(value);
    for (unsigned i = 0; i < TIMES; i++, size += 8)
        store_le64(buffer + size, (uint64_t)(now + (int64_t)random_below(random, 2000) - 500) * 4);
    return size;
}
