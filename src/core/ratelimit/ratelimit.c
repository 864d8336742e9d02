/*
 * ratelimit.c - rate limiters: may this happen now, or is it too often?
 *
 * There are two kinds of limiters. Each is a value that tells what was taken so far; every call
 * returns the value that replaces it.
 *
 * The funnel (funnel.c) is the generic cell rate algorithm, GCRA: `count` per period, spaced
 * evenly, and a burst of max_burst + 1 after a quiet time. It stores one exact time.
 *
 * The sliding window (window.c) allows at most max_count within any period. Up to a limit of 128 it
 * stores the time of every hit and is exact. Above that it divides the period into 128 buckets and
 * stores the number of hits in each. A bucket counts until its last microsecond has left the
 * window. So the window never allows one hit too many, and a hit counts for the period and up to
 * one bucket (1/128 of the period) longer. It takes at most 544 bytes for any such limit.
 *
 * Packed value, little-endian:
 *
 *     0      1        2         3   4..7    8..11    12..19
 *     kind   version  encoding  0   limit   number   period in microseconds
 *
 *     funnel (0)    number: count           20..27  time at which it will be empty: microseconds
 *                                           28..31  and count-ths of a microsecond
 *     log (1)       number: of hits n       20..    n times, 8 bytes each, ascending
 *     counts (2)    number: of buckets n    20..27  number of the newest bucket: time / width
 *                                           28..    n counts, 4 bytes each, newest first
 *
 * What validate enforces: limit 1 .. 2^31 - 1, period at least 1 and below 2^61, times less than
 * 2^61 from 0.
 *   funnel   count 1 .. 2^31 - 1; limit times spacing below 2^61; empty less than 2^62 from 0, its
 *            count-ths less than count
 *   log      limit <= 128, n <= limit, times ascending and less than a period apart
 *   counts   limit > 128, n <= 129, the newest and the oldest count not 0, together <= limit; the
 *            newest bucket within the range of times, and 0 if there is none
 *
 * Setting the clock back never allows more. A funnel is then at most full. Hits of a window with a
 * time in the future count as hits of now, and the others keep their times, so each counts for at
 * most a period and a bucket from then on.
 *
 * Parameters may change between two calls, for example with a new release of a program. Earlier
 * hits still count, as far as they are stored: a funnel becomes empty at the same time as without
 * the change, as in redis-cell, and hits of a window keep their times, rounded up to the end of a
 * bucket if only the bucket is known. A call that takes nothing keeps the old parameters, so that a
 * refusal by a small limit does not make the limiter forget hits that calls with a large limit
 * took.
 *
 * Left out: merging. Two limiters of one key cannot be merged without allowing too much.
 *
 * References: ITU-T I.371 (GCRA); redis-cell, CL.THROTTLE (the numbers of the answer).
 */
#include "ratelimit.h"

#include "core/common/bytes.h"
#include "ratelimit_internal.h"

#define FUNNEL_BYTES 32
#define LOG_HEADER 20
#define COUNTS_HEADER 28

bool
ratelimit_make_funnel(Ratelimit *limiter, int32_t max_burst, int32_t count, int64_t period,
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
    *limiter = (Ratelimit){.kind = RATELIMIT_FUNNEL,
                           .limit = (int32_t)limit,
                           .count = count,
                           .period = period,
                           .arrival = -RATELIMIT_TIME_MAX};
    return true;
}

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

/* ---- bytes ---- */

SketchBytes
ratelimit_write(const Ratelimit *limiter, const SketchMemory *memory)
{
    size_t size = limiter->kind == RATELIMIT_FUNNEL ? FUNNEL_BYTES
                  : limiter->kind == RATELIMIT_LOG  ? LOG_HEADER + (size_t)limiter->held * 8
                                                    : COUNTS_HEADER + (size_t)limiter->held * 4;
    uint8_t *data = memory->value(size, memory->context);

    data[0] = SKETCH_RATELIMIT;
    data[1] = ratelimit_ops.version;
    data[2] = (uint8_t)limiter->kind;
    data[3] = 0;
    store_le32(data + 4, (uint32_t)limiter->limit);
    store_le32(data + 8,
               limiter->kind == RATELIMIT_FUNNEL ? (uint32_t)limiter->count : limiter->held);
    store_le64(data + 12, (uint64_t)limiter->period);
    switch (limiter->kind) {
    case RATELIMIT_FUNNEL:
        store_le64(data + 20, (uint64_t)limiter->arrival);
        store_le32(data + 28, limiter->arrival_parts);
        break;
    case RATELIMIT_LOG:
        for (uint32_t i = 0; i < limiter->held; i++)
            store_le64(data + LOG_HEADER + (size_t)i * 8, (uint64_t)limiter->times[i]);
        break;
    case RATELIMIT_COUNTS:
        store_le64(data + 20, (uint64_t)limiter->newest);
        for (uint32_t i = 0; i < limiter->held; i++)
            store_le32(data + COUNTS_HEADER + (size_t)i * 4, limiter->counts[i]);
        break;
    }
    return (SketchBytes){data, size};
}

static bool
is_valid_time(int64_t time)
{
    return time >= -RATELIMIT_TIME_MAX && time <= RATELIMIT_TIME_MAX;
}

static bool
read_log(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    if (limiter->held > (uint32_t)limiter->limit)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More hits than the limit",
                                   limiter->held, 0, limiter->limit);
    if (value.size != LOG_HEADER + (size_t)limiter->held * 8)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as the number of hits says");
    for (uint32_t i = 0; i < limiter->held; i++) {
        int64_t time = (int64_t)load_le64(value.data + LOG_HEADER + (size_t)i * 8);

        if (!is_valid_time(time) || (i > 0 && (time < limiter->times[i - 1] ||
                                               time - limiter->times[0] >= limiter->period)))
            return sketch_refuse(error, SKETCH_MALFORMED, "Times are not ascending in one period");
        limiter->times[i] = time;
    }
    return true;
}

static bool
read_counts(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    int64_t together = 0;

    if (limiter->held > RATELIMIT_BUCKETS + 1)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Too many buckets", limiter->held, 0,
                                   RATELIMIT_BUCKETS + 1);
    if (value.size != COUNTS_HEADER + (size_t)limiter->held * 4)
        return sketch_refuse(error, SKETCH_MALFORMED, "Not as long as the number of buckets says");
    limiter->newest = (int64_t)load_le64(value.data + 20);
    for (uint32_t i = 0; i < limiter->held; i++) {
        limiter->counts[i] = load_le32(value.data + COUNTS_HEADER + (size_t)i * 4);
        together += limiter->counts[i];
    }
    if (!ratelimit_bucket_is_valid(limiter, limiter->newest) ||
        (limiter->held == 0 && limiter->newest != 0))
        return sketch_refuse(error, SKETCH_MALFORMED, "The newest bucket is out of range");
    if (limiter->held > 0 && (limiter->counts[0] == 0 || limiter->counts[limiter->held - 1] == 0))
        return sketch_refuse(error, SKETCH_MALFORMED, "The first or last bucket is empty");
    if (together > limiter->limit)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "More hits than the limit", together, 0,
                                   limiter->limit);
    return true;
}

/* Everything about a packed value is checked. */
static bool
read_checked(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    uint32_t limit, number;
    int64_t period;

    if (!sketch_validate_common(value, &ratelimit_ops, error))
        return false;
    limit = load_le32(value.data + 4);
    number = load_le32(value.data + 8);
    period = (int64_t)load_le64(value.data + 12);
    if (value.data[2] > RATELIMIT_COUNTS)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Unknown encoding", value.data[2], 0,
                                   RATELIMIT_COUNTS);
    if (value.data[3] != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Byte 3 is not 0");
    if (limit < 1 || limit > INT32_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Limit", limit, 1, INT32_MAX);
    if (value.data[2] == RATELIMIT_FUNNEL) {
        if (number > INT32_MAX)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "count", number, 1, INT32_MAX);
        if (!ratelimit_make_funnel(limiter, (int32_t)limit - 1, (int32_t)number, period, error)) {
            error->status = SKETCH_MALFORMED;
            return false;
        }
        if (value.size != FUNNEL_BYTES)
            return sketch_refuse(error, SKETCH_MALFORMED, "Wrong size");
        limiter->arrival = (int64_t)load_le64(value.data + 20);
        limiter->arrival_parts = load_le32(value.data + 28);
        /* A full funnel takes up to 2^61 to run empty. */
        if (!is_valid_time(limiter->arrival / 2))
            return sketch_refuse(error, SKETCH_MALFORMED, "A time is out of range");
        if (limiter->arrival_parts >= number)
            return sketch_refuse_range(error, SKETCH_MALFORMED, "Parts of a microsecond",
                                       limiter->arrival_parts, 0, (int64_t)number - 1);
        return true;
    }
    if (!ratelimit_make_window(limiter, (int32_t)limit, period, error)) {
        error->status = SKETCH_MALFORMED;
        return false;
    }
    if (limiter->kind != (RatelimitKind)value.data[2])
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "A limit up to 128 has a log, a larger one counts");
    limiter->held = number;
    if (limiter->kind == RATELIMIT_LOG)
        return read_log(value, limiter, error);
    if (value.size < COUNTS_HEADER)
        return sketch_refuse(error, SKETCH_MALFORMED, "Wrong size");
    return read_counts(value, limiter, error);
}

bool
ratelimit_read(SketchBytes value, Ratelimit *limiter)
{
    SketchError error;

    return read_checked(value, limiter, &error);
}

/* ---- operations of every type ---- */

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

/* There is no working encoding: limiters are small and change once per question. */
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

/* ---- asking ---- */

static void
settle(Ratelimit *limiter, int64_t now)
{
    if (limiter->kind == RATELIMIT_FUNNEL)
        funnel_settle(limiter, now);
    else
        window_settle(limiter, now);
}

static RatelimitAnswer
ask(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    return limiter->kind == RATELIMIT_FUNNEL ? funnel_ask(limiter, quantity, now)
                                             : window_ask(limiter, quantity, now);
}

RatelimitAnswer
ratelimit_take(Ratelimit *limiter, int32_t quantity, int64_t now)
{
    settle(limiter, now);
    return ask(limiter, quantity, now);
}

bool
ratelimit_retake(Ratelimit *limiter, const Ratelimit *fresh, int32_t quantity, int64_t now,
                 RatelimitAnswer *answer)
{
    Ratelimit changed = *fresh;

    if ((limiter->kind == RATELIMIT_FUNNEL) != (fresh->kind == RATELIMIT_FUNNEL))
        return false;
    settle(limiter, now);
    if (limiter->limit == fresh->limit && limiter->count == fresh->count &&
        limiter->period == fresh->period) {
        *answer = ask(limiter, quantity, now);
        return true;
    }
    if (limiter->kind == RATELIMIT_FUNNEL)
        funnel_carry(&changed, limiter);
    else
        window_carry(&changed, limiter, now);
    *answer = ask(&changed, quantity, now);
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
    .version = 1,
    .header_bytes = 20,
    .validate = validate,
    .open = open,
    .pack = pack,
    .merge = merge,
};
