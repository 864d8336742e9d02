/*
 * test_ratelimit.c - limiters against their definitions: GCRA as redis-cell has it, and a list of
 * all hits that were ever allowed.
 */
#include "../check.h"
#include "../whole.h"
#include "../memory.h"

#include "core/ratelimit/ratelimit.h"

#define HITS 100000

/* Every state goes through its bytes. */
static Ratelimit
through_bytes(const Ratelimit *limiter)
{
    SketchBytes value = ratelimit_write(limiter, &memory), again;
    Ratelimit read;
    SketchError error;
    bool good = ratelimit_read(value, &read);

    expect(good, "what was written is read");
    expect(ratelimit_ops.validate(value, &memory, &again, &error), "and validated");
    expect(again.size == value.size && memcmp(again.data, value.data, value.size) == 0,
           "as it was");
    expect(value.size < 2000, "%zu bytes", value.size);
    release_bytes(again);
    release_bytes(value);
    return read;
}

static Ratelimit
token_bucket(int32_t max_burst, int32_t count, int64_t period)
{
    Ratelimit limiter;
    SketchError error;

    expect(ratelimit_make_token_bucket(&limiter, max_burst, count, period, &error),
           "a token_bucket");
    return limiter;
}

static Ratelimit
window(int32_t max_count, int64_t period)
{
    Ratelimit limiter;
    SketchError error;

    expect(ratelimit_make_window(&limiter, max_count, period, &error), "a window");
    return limiter;
}

/* The numbers of CL.THROTTLE for a burst of 4 and 1 per second. */
static void
test_known(void)
{
    const int64_t s = 1000000;
    Ratelimit limiter = token_bucket(4, 1, s);
    RatelimitAnswer a = ratelimit_take(&limiter, 6, 0);

    expect(!a.allowed && a.limit == 5 && a.remaining == 5 && a.retry_after == -1, "six at once");
    for (int32_t i = 4; i >= 0; i--) {
        a = ratelimit_take(&limiter, 1, 0);
        expect(a.allowed && a.remaining == i && a.reset_after == (5 - i) * s, "%d remain", i);
    }
    a = ratelimit_take(&limiter, 1, 0);
    expect(!a.allowed && a.remaining == 0 && a.retry_after == s && a.reset_after == 5 * s, "sixth");
    a = ratelimit_take(&limiter, 1, 3 * s);
    expect(a.allowed && a.remaining == 2 && a.reset_after == 3 * s && a.retry_after == -1, "later");
    a = ratelimit_take(&limiter, 0, 3 * s);
    expect(a.allowed && a.remaining == 2, "a look");
    conclude("the numbers of redis-cell");
}

/* The quotient of two positive numbers, rounded up. */
static int64_t
quotient_up(Whole a, int64_t b)
{
    return (int64_t)((a + b - 1) / b);
}

/* GCRA by its formulas, in count-ths of a microsecond. */
static void
test_token_bucket(void)
{
    Random random = {1};

    for (unsigned round = 0; round < trials_of(300); round++) {
        int32_t burst = (int32_t)random_below(&random, round % 3 ? 20 : 1000000);
        int64_t period =
            1 + (int64_t)random_below(&random, UINT64_C(1) << random_below(&random, 40));
        int32_t count = 1 + (int32_t)random_below(&random, round % 5 ? 1000 : INT32_MAX);
        Whole t = period, dvt = t * (burst + 1), tat = -whole_power(100);
        int64_t now = (int64_t)random_below(&random, UINT64_C(1) << 50) - (INT64_C(1) << 49);
        Ratelimit limiter = token_bucket(burst, count, period);

        for (unsigned i = 0; i < 200; i++) {
            int32_t q =
                (int32_t)random_below(&random, random_below(&random, 4) ? 3 : (uint64_t)burst + 3);
            Whole at = (Whole)now * count, begin = tat > at ? tat : at, next = begin + t * q;
            bool allowed = at >= next - dvt;
            RatelimitAnswer a = ratelimit_take(&limiter, q, now);

            expect(a.allowed == allowed && a.limit == burst + 1, "round %u.%u: allowed", round, i);
            expect(a.retry_after ==
                       (allowed || t * q > dvt ? -1 : quotient_up(next - dvt - at, count)),
                   "round %u.%u: retry", round, i);
            if (allowed)
                tat = next;
            begin = tat > at ? tat : at;
            expect(a.reset_after == quotient_up(begin - at, count), "round %u.%u: reset", round, i);
            expect(a.remaining == (int64_t)((dvt - (begin - at)) / t), "round %u.%u: remaining",
                   round, i);
            limiter = through_bytes(&limiter);
            now += (int64_t)random_below(&random, (uint64_t)(period / count) * 3 + 2);
        }
    }
    conclude("token_buckets by the formulas of GCRA");
}

/*
 * More than one a microsecond, and none that divides a second: in any time no more than the rate.
 */
static void
test_rates(void)
{
    static const int32_t counts[] = {700000, 999999, 1000000, 1000001, 3000000, INT32_MAX};

    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        Ratelimit limiter = token_bucket(99, counts[i], 1000000);
        int64_t granted = 0, all = 100 + counts[i] / 50;

        for (int64_t now = 0; now <= 20000; now++) {
            RatelimitAnswer a = ratelimit_take(&limiter, 0, now);

            expect(a.remaining <= 100, "as many as it holds");
            granted += a.remaining;
            ratelimit_take(&limiter, a.remaining, now);
        }
        /*
         * A token bucket of 100 is full before a microsecond is over where there are more than
         * that.
         */
        if (counts[i] > 100000000)
            all = INT64_C(20001) * 100;
        expect(granted == all, "%d a second: %d in 20 ms, not %d", counts[i], (int)granted,
               (int)all);
    }
    conclude("the rate is exact in any time");
}

/* A window beside all hits that it allowed, while the clock goes on. */
static void
follow(Random *random, int32_t max, int64_t period, unsigned steps, int64_t *times)
{
    Ratelimit limiter = window(max, period);
    int64_t blur = ratelimit_granularity(&limiter);
    int64_t now = (int64_t)random_below(random, UINT64_C(1) << 50) - (INT64_C(1) << 49);
    size_t count = 0, first = 0, blurred = 0;

    for (unsigned i = 0; i < steps && count + (size_t)max < HITS; i++) {
        int32_t q = (int32_t)random_below(random, random_below(random, 5) ? 3 : (uint64_t)max + 3);
        int64_t exact;
        RatelimitAnswer a;

        while (first < count && times[first] <= now - period)
            first++;
        while (blurred < count && times[blurred] <= now - period - blur)
            blurred++;
        exact = (int64_t)(count - first);
        a = ratelimit_take(&limiter, q, now);
        expect(!a.allowed || exact + q <= max, "%d in %d: %d too many", q, max, (int)exact);
        expect(a.allowed || (int64_t)(count - blurred) + q > max, "%d in %d: refused", q, max);
        if (blur == 0)
            expect(a.remaining == max - exact - (a.allowed ? q : 0), "remaining");
        expect(a.allowed || q > max || (a.retry_after > 0 && a.retry_after <= period + blur),
               "a time to retry");
        if (a.retry_after > 0) {
            Ratelimit then = limiter, before = limiter;

            expect(ratelimit_take(&then, q, now + a.retry_after).allowed,
                   "after that it is allowed");
            expect(!ratelimit_take(&before, q, now + a.retry_after - 1).allowed, "not before");
        }
        if (a.reset_after > 0) {
            Ratelimit then = limiter;

            expect(ratelimit_take(&then, max, now + a.reset_after).allowed, "all after the reset");
        }
        for (int32_t j = 0; a.allowed && j < q; j++)
            times[count++] = now;
        limiter = through_bytes(&limiter);
        now +=
            (int64_t)random_below(random, random_below(random, 9) ? (uint64_t)(period / max * 4) + 2
                                                                  : (uint64_t)period * 2);
    }
}

static void
test_windows(void)
{
    static const int32_t limits[] = {1, 2, 7, 128, 129, 1000, 20000};
    int64_t *times = malloc(HITS * sizeof *times);
    Random random = {2};

    for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
        for (unsigned round = 0; round < trials_of(12); round++)
            follow(&random, limits[i],
                   1 + (int64_t)random_below(&random, UINT64_C(1) << random_below(&random, 44)),
                   600, times);
    free(times);
    conclude("windows never allow one too many, and refuse no more than they have to");
}

/* Backwards in jumps: nobody gets more than by a clock that stands still. */
static void
test_clock(void)
{
    Random random = {3};

    for (unsigned round = 0; round < trials_of(300); round++) {
        int32_t max = 1 + (int32_t)random_below(&random, 300);
        int64_t period = 1000 + (int64_t)random_below(&random, 1000000), now = 0;
        Ratelimit a = window(max, period), b = token_bucket(max, max, period);
        int64_t got_a = 0, got_b = 0;

        for (unsigned i = 0; i < 1500; i++) {
            got_a += ratelimit_take(&a, 1, now).allowed;
            got_b += ratelimit_take(&b, 1, now).allowed;
            now -= i < 1499 ? (int64_t)random_below(&random, (uint64_t)period * 5) : 0;
        }
        expect(got_a == max, "window: %d of %d", (int)got_a, max);
        expect(got_b >= 1 && got_b <= max + 1, "token_bucket: %d of %d", (int)got_b, max + 1);
        expect(ratelimit_take(&a, max, now + 2 * period).allowed, "the window goes on");
        expect(ratelimit_take(&b, 1, now + quotient_up(period, max)).allowed,
               "the token_bucket goes on");
    }
    conclude("a clock that is set back");
}

/*
 * A clock that is set back again and again, beside the time that really passes: in that nobody gets
 * more than by a clock that is right, whichever bucket a hit fell into and wherever in it.
 */
static void
test_skew(void)
{
    static const int32_t limits[] = {1, 3, 128, 129, 700};
    int64_t *times = malloc(HITS * sizeof *times);
    Random random = {4};

    for (unsigned round = 0; round < trials_of(200); round++) {
        int32_t max = limits[round % 5];
        int64_t period = 1 + (int64_t)random_below(&random, UINT64_C(1) << (4 + round % 30));
        int32_t rate = max + round % 3;
        Ratelimit hits = window(max, period), pouring = token_bucket(max - 1, rate, period), honest;
        size_t count = 0, first = 0;
        int64_t now = 0, skew = 0;

        honest = pouring;
        for (unsigned i = 0; i < 500 && count + (size_t)max < HITS; i++) {
            int32_t q = 1 + (int32_t)random_below(&random, (uint64_t)max);

            while (first < count && times[first] <= now - period)
                first++;
            if (ratelimit_take(&hits, q, now - skew).allowed) {
                expect((int64_t)(count - first) + q <= max, "round %u: %d in %d, set back", round,
                       q, max);
                for (int32_t j = 0; j < q; j++)
                    times[count++] = now;
            }
            if (ratelimit_take(&pouring, q, now - skew).allowed)
                expect(ratelimit_take(&honest, q, now).allowed, "round %u: %d of %d, set back",
                       round, q, max);
            hits = through_bytes(&hits);
            now += (int64_t)random_below(&random, (uint64_t)period / 4 + 2);
            if (random_below(&random, 4) == 0)
                skew += (int64_t)random_below(&random, (uint64_t)period * 2);
        }
        ratelimit_take(&hits, 0, now - skew);
        ratelimit_take(&pouring, 0, now - skew);
        expect(
            ratelimit_take(&hits, max, now - skew + period + ratelimit_granularity(&hits)).allowed,
            "the window goes on");
        expect(ratelimit_take(&pouring, max, now - skew + quotient_up((Whole)period * max, rate))
                   .allowed,
               "the token_bucket goes on");
    }
    free(times);
    conclude("a clock that is set back, beside one that is right");
}

/* Takers by different limits of one window: none gets more than its own allows, or less. */
static void
test_limits_in_turn(void)
{
    static const int32_t limits[] = {1, 40, 128, 129, 400};
    int64_t *times = malloc(HITS * sizeof *times);
    Random random = {5};

    for (unsigned round = 0; round < trials_of(200); round++) {
        int64_t period = 1 + (int64_t)random_below(&random, UINT64_C(1) << (8 + round % 30));
        int64_t blur = period / 128 + 1, now = 0;
        Ratelimit limiter = window(limits[round % 5], period);
        size_t count = 0, first = 0, blurred = 0;

        for (unsigned i = 0; i < 400 && count + 400 < HITS; i++) {
            int32_t max = limits[random_below(&random, 1 + round % 5)];
            int32_t q = (int32_t)random_below(&random, (uint64_t)max + 2);
            Ratelimit fresh = window(max, period);
            RatelimitAnswer a;

            while (first < count && times[first] <= now - period)
                first++;
            while (blurred < count && times[blurred] <= now - period - blur)
                blurred++;
            expect(ratelimit_retake(&limiter, &fresh, q, now, &a), "the same sort");
            expect(!a.allowed || (int64_t)(count - first) + q <= max, "%d of %d: too many", q, max);
            expect(a.allowed || (int64_t)(count - blurred) + q > max, "%d of %d: refused", q, max);
            expect(a.limit == max && a.remaining >= 0 && a.remaining <= max, "the answer's own");
            /* Between a log and buckets it may be a bucket sooner or later. */
            if (a.retry_after >= 0) {
                Ratelimit then = limiter, before = limiter;
                int64_t off = limiter.kind == fresh.kind ? 0 : blur;
                RatelimitAnswer b;

                ratelimit_retake(&then, &fresh, q, now + a.retry_after + off, &b);
                expect(b.allowed, "allowed when it was said to be");
                if (a.retry_after > off) {
                    ratelimit_retake(&before, &fresh, q, now + a.retry_after - off - 1, &b);
                    expect(!b.allowed, "and not before");
                }
            }
            for (int32_t j = 0; a.allowed && j < q; j++)
                times[count++] = now;
            limiter = through_bytes(&limiter);
            now += (int64_t)random_below(&random, (uint64_t)period / 16 + 2);
        }
    }
    free(times);
    conclude("one window by limits in turn");
}

/*
 * The same with token buckets of any parameters, by the formulas of GCRA, which know one time only.
 */
static void
test_token_buckets_in_turn(void)
{
    Random random = {6};

    for (unsigned round = 0; round < trials_of(200); round++) {
        /* Microseconds, and count-ths of one by the parameters of the last grant. */
        int64_t tat = 0, parts = 0, unit = 1, now = 0;
        Ratelimit limiter = token_bucket(10, 1, 1000);

        for (unsigned i = 0; i < 300; i++) {
            int32_t burst = (int32_t)random_below(&random, 20);
            int32_t count = 1 + (int32_t)random_below(&random, 9);
            int64_t t = 1 + (int64_t)random_below(&random, 9000), dvt = t * (burst + 1);
            int32_t q = (int32_t)random_below(&random, (uint64_t)burst + 3);
            Ratelimit fresh = token_bucket(burst, count, t);
            bool same = limiter.limit == fresh.limit && limiter.count == count &&
                        limiter.period == fresh.period;
            int64_t at = now * count;
            int64_t before = same ? tat * count + parts : (tat + (parts > 0)) * count;
            int64_t begin = before > at ? before : at, next = begin + t * q;
            bool allowed = at >= next - dvt;
            RatelimitAnswer a;

            expect(!same || unit == count, "parts of a microsecond");
            expect(ratelimit_retake(&limiter, &fresh, q, now, &a), "the same sort");
            expect(a.allowed == allowed, "round %u.%u: allowed", round, i);
            expect(a.retry_after ==
                       (allowed || t * q > dvt ? -1 : quotient_up(next - dvt - at, count)),
                   "round %u.%u: retry", round, i);
            if (allowed) {
                begin = next;
                if (q > 0) {
                    tat = next / count;
                    parts = next % count;
                    unit = count;
                }
            }
            expect(a.reset_after == quotient_up(begin - at, count), "round %u.%u: reset", round, i);
            expect(a.remaining == (begin - at < dvt ? (dvt - (begin - at)) / t : 0),
                   "round %u.%u: remaining", round, i);
            limiter = through_bytes(&limiter);
            now += (int64_t)random_below(&random, 2000);
        }
    }
    conclude("one token_bucket by parameters in turn");
}

static bool
same_answer(const RatelimitAnswer *a, const RatelimitAnswer *b)
{
    return a->allowed == b->allowed && a->limit == b->limit && a->remaining == b->remaining &&
           a->retry_after == b->retry_after && a->reset_after == b->reset_after;
}

static bool
same_limiter(const Ratelimit *a, const Ratelimit *b)
{
    SketchBytes one = ratelimit_write(a, &memory), other = ratelimit_write(b, &memory);
    bool same = same_bytes(one.data, one.size, other.data, other.size);

    release_bytes(one);
    release_bytes(other);
    return same;
}

static void
test_change(void)
{
    Ratelimit limiter = token_bucket(10, 5, 1000), fresh = token_bucket(3, 1, 1000),
              other = window(5, 1000);
    RatelimitAnswer a;

    ratelimit_take(&limiter, 11, 0);
    expect(!ratelimit_retake(&limiter, &other, 1, 0, &a), "another sort");
    expect(!ratelimit_retake(&other, &limiter, 1, 0, &a), "and the other way round");
    expect(ratelimit_retake(&limiter, &fresh, 3, 0, &a) && !a.allowed && a.limit == 4, "refused");
    expect(limiter.limit == 11, "and nothing is changed");
    expect(ratelimit_retake(&limiter, &fresh, 1, 0, &a) && a.allowed && limiter.limit == 4,
           "other parameters from what is granted on");

    /* Another period: from one log to another all is known, into buckets and out of them about. */
    limiter = window(3, 1000);
    ratelimit_take(&limiter, 1, 0);
    ratelimit_take(&limiter, 2, 700);
    fresh = window(3, 500);
    expect(ratelimit_retake(&limiter, &fresh, 1, 900, &a) && a.allowed && a.remaining == 0,
           "what is older than a shorter period is forgotten");
    fresh = window(4, 10000);
    expect(ratelimit_retake(&limiter, &fresh, 2, 1000, &a) && !a.allowed && a.retry_after == 9700,
           "what a longer one knows keeps its time");
    limiter = window(1000, 12800);
    ratelimit_take(&limiter, 500, 150);
    ratelimit_take(&limiter, 100, 350);
    fresh = window(700, 128);
    expect(ratelimit_retake(&limiter, &fresh, 601, 420, &a) && !a.allowed && a.retry_after == 107,
           "a bucket as if all had come at its end");
    fresh = window(100, 12800);
    expect(ratelimit_retake(&limiter, &fresh, 100, 420, &a) && a.retry_after == 12800 - 21,
           "and as far as a log has room");
    expect(limiter.limit == 1000 && limiter.held == 3, "the old buckets stay");

    /* Hits of the one that gives the parameters are none of the limiter's, of whatever time. */
    for (unsigned i = 0; i < 16; i++) {
        Ratelimit used = i & 1 ? window(i & 2 ? 128 : 1000, 12800) : token_bucket(700, 1, 128);
        Ratelimit one, other;
        RatelimitAnswer b;

        limiter = i & 1 ? window(i & 4 ? 127 : 900, 12800) : token_bucket(10, 3, 1000);
        ratelimit_take(&limiter, 10, INT64_C(1000000000));
        one = other = limiter;
        fresh = used;
        ratelimit_take(&used, 128, i & 8 ? INT64_C(1000000000) : 0);
        ratelimit_retake(&one, &fresh, 1, INT64_C(1000000000), &a);
        ratelimit_retake(&other, &used, 1, INT64_C(1000000000), &b);
        expect(a.allowed && same_answer(&a, &b) && same_limiter(&one, &other), "used %u", i);
    }

    /* As many hits of a bucket as a log has room for, one more, and many more: the newest stay. */
    for (int32_t hits = 128; hits <= 300; hits += hits < 132 ? 1 : 56) {
        limiter = window(1000, 12800);
        ratelimit_take(&limiter, hits, 50);
        ratelimit_take(&limiter, 1, 150);
        fresh = window(128, 12800);
        expect(ratelimit_retake(&limiter, &fresh, 1, 160, &a) && !a.allowed && a.remaining == 0,
               "%d hits in a log of 128", hits);
        expect(a.retry_after == 12800 - 61 && a.reset_after == 12800, "%d hits: the newest", hits);
    }
    conclude("parameters that change");
}

/* A quantity of 0 takes nothing and changes nothing, whatever parameters it asks by. */
static void
test_nothing(void)
{
    Ratelimit samples[] = {token_bucket(4, 7, 1000000), window(5, 1000), window(500, 100000)};
    Ratelimit others[] = {token_bucket(9, 3, 1000000), window(7, 1000), window(600, 100000)};

    for (unsigned i = 0; i < 6; i++) {
        Ratelimit limiter = samples[i / 2], *other = &others[i / 2];
        SketchBytes before, after;
        RatelimitAnswer a;

        if (i % 2)
            ratelimit_take(&limiter, 2, 0);
        before = ratelimit_write(&limiter, &memory);
        expect(ratelimit_take(&limiter, 0, 10).allowed, "0 is allowed");
        expect(ratelimit_retake(&limiter, other, 0, 10, &a) && a.allowed, "by others, too");
        expect(a.limit == other->limit, "of which the answer is");
        after = ratelimit_write(&limiter, &memory);
        expect(after.size == before.size && memcmp(after.data, before.data, after.size) == 0,
               "sample %u stays", i);
        release_bytes(before);
        release_bytes(after);
    }
    conclude("nothing is taken");
}

/* Bytes that are no limiter; a refusal says why, and what is taken is canonical. */
static void
test_bytes(void)
{
    Ratelimit samples[] = {token_bucket(4, 7, 1000000), window(5, 1000), window(500, 100000)};

    for (unsigned i = 0; i < 3; i++) {
        SketchBytes value, taken;
        uint8_t copy[2000];
        SketchError error;

        for (int t = 0; t < 5; t++)
            ratelimit_take(&samples[i], 1 + t % 2, t * 100);
        value = ratelimit_write(&samples[i], &memory);
        for (size_t size = 0; size < value.size; size++)
            expect(
                !ratelimit_ops.validate((SketchBytes){value.data, size}, &memory, &taken, &error),
                "sample %u, %zu bytes", i, size);
        for (size_t at = 0; at < value.size; at++)
            for (unsigned to = 0; to < 256; to++) {
                memcpy(copy, value.data, value.size);
                copy[at] = (uint8_t)to;
                if (!ratelimit_ops.validate((SketchBytes){copy, value.size}, &memory, &taken,
                                            &error)) {
                    expect(error.reason != NULL, "a reason");
                    continue;
                }
                expect(taken.size == value.size && memcmp(taken.data, copy, value.size) == 0,
                       "sample %u, byte %zu = %u: canonical", i, at, to);
                release_bytes(taken);
            }
        release_bytes(value);
    }
    conclude("bytes that are no limiter");
}

/* The times of a log: ascending, and less than a period from the first to the last. */
static void
test_times(void)
{
    static const struct {
        int64_t times[3];
        bool good;
    } logs[] = {
        {{0, 500, 999}, true},
        {{0, 0, 0}, true},
        {{-999, -500, 0}, true},
        {{0, 500, 1000}, false},
        {{0, 1000, 1001}, false},
        {{0, 500, 499}, false},
        {{500, 0, 700}, false},
        {{-1, -2, -3}, false},
        {{RATELIMIT_TIME_MAX, RATELIMIT_TIME_MAX, RATELIMIT_TIME_MAX}, true},
        {{-RATELIMIT_TIME_MAX, -RATELIMIT_TIME_MAX, -RATELIMIT_TIME_MAX}, true},
        {{RATELIMIT_TIME_MAX, RATELIMIT_TIME_MAX, RATELIMIT_TIME_MAX + 1}, false},
        {{-RATELIMIT_TIME_MAX - 1, -RATELIMIT_TIME_MAX, -RATELIMIT_TIME_MAX}, false},
    };

    for (unsigned i = 0; i < sizeof logs / sizeof *logs; i++) {
        Ratelimit limiter = window(5, 1000), read;
        SketchBytes value;

        limiter.held = 3;
        memcpy(limiter.times, logs[i].times, sizeof logs[i].times);
        value = ratelimit_write(&limiter, &memory);
        expect(ratelimit_read(value, &read) == logs[i].good, "log %u", i);
        release_bytes(value);
    }
    conclude("times of a log");
}

static void
test_ranges(void)
{
    Ratelimit limiter;
    SketchError error;

    expect(!ratelimit_make_token_bucket(&limiter, -1, 1, 1, &error), "burst -1");
    expect(!ratelimit_make_token_bucket(&limiter, INT32_MAX, 1, 1, &error), "too large a burst");
    expect(!ratelimit_make_token_bucket(&limiter, 0, 0, 1, &error), "count 0");
    expect(ratelimit_make_token_bucket(&limiter, 0, 2, 1, &error), "two a microsecond");
    expect(ratelimit_take(&limiter, 1, 0).reset_after == 1, "half of one, rounded up");
    expect(ratelimit_make_token_bucket(&limiter, INT32_MAX - 1, INT32_MAX, 1, &error), "the most");
    expect(ratelimit_take(&limiter, INT32_MAX, 0).reset_after == 1, "in one microsecond");
    limiter = through_bytes(&limiter);
    expect(ratelimit_take(&limiter, 1, 1).remaining == INT32_MAX - 1, "and again in the next");
    expect(!ratelimit_make_token_bucket(&limiter, 2, 2, RATELIMIT_TIME_MAX, &error),
           "too long, rounded");
    expect(error.found == 2 && error.low == 0 && error.high == 0, "none but 0");
    expect(ratelimit_make_token_bucket(&limiter, 0, 2, RATELIMIT_TIME_MAX, &error), "of 0");
    expect(!ratelimit_make_token_bucket(&limiter, INT32_MAX, 1, 1, &error) && error.low == 0 &&
               error.high == INT32_MAX - 1,
           "the range of bursts");
    expect(!ratelimit_make_token_bucket(&limiter, 0, 0, 1, &error) && error.low == 1 &&
               error.high == INT32_MAX,
           "the range of counts");
    expect(!ratelimit_make_token_bucket(&limiter, 0, 1, 0, &error), "no period");
    expect(!ratelimit_make_token_bucket(&limiter, 4, 1, RATELIMIT_TIME_MAX / 4, &error),
           "too long");
    expect(ratelimit_make_token_bucket(&limiter, 3, 1, RATELIMIT_TIME_MAX / 4, &error),
           "the longest");
    expect(ratelimit_take(&limiter, 4, RATELIMIT_TIME_MAX).allowed, "at the end of time");
    limiter = through_bytes(&limiter);
    expect(ratelimit_take(&limiter, 1, -RATELIMIT_TIME_MAX).retry_after > 0,
           "and at the beginning");
    expect(!ratelimit_make_window(&limiter, 0, 1, &error), "of none");
    expect(!ratelimit_make_window(&limiter, 1, RATELIMIT_TIME_MAX + 1, &error), "too long");
    expect(ratelimit_make_window(&limiter, INT32_MAX, RATELIMIT_TIME_MAX, &error), "the largest");
    expect(ratelimit_take(&limiter, INT32_MAX, RATELIMIT_TIME_MAX).remaining == 0, "all of it");
    expect(!ratelimit_take(&limiter, 1, RATELIMIT_TIME_MAX).allowed, "and no more");
    limiter = through_bytes(&limiter);
    expect(!ratelimit_take(&limiter, 1, -RATELIMIT_TIME_MAX).allowed, "long before that");
    limiter = through_bytes(&limiter);
    conclude("extremes");
}

int
main(void)
{
    test_known();
    test_token_bucket();
    test_rates();
    test_windows();
    test_clock();
    test_skew();
    test_limits_in_turn();
    test_token_buckets_in_turn();
    test_change();
    test_nothing();
    test_bytes();
    test_times();
    test_ranges();
    expect(memory_used.pieces == 0, "%u pieces of memory kept", memory_used.pieces);
    conclude("no memory is kept");
    return conclude_all();
}
