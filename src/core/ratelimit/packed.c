/*
 * packed.c - packed limiters, written and checked. Their bytes: ratelimit.c.
 */
#include "core/common/bytes.h"
#include "ratelimit_internal.h"

/* Offsets of the fields. NUMBER is the count of a token bucket, or of a window's entries. */
enum { LIMIT = 4, NUMBER = 8, PERIOD = 12, ARRIVAL = 20, ARRIVAL_PARTS = 28, NEWEST = 20 };

#define TOKEN_BUCKET_BYTES 32
#define COUNTS_HEADER 28

SketchBytes
ratelimit_write(const Ratelimit *limiter, const SketchMemory *memory)
{
    size_t size = limiter->kind == RATELIMIT_TOKEN_BUCKET ? TOKEN_BUCKET_BYTES
                  : limiter->kind == RATELIMIT_LOG ? RATELIMIT_HEADER + (size_t)limiter->held * 8
                                                   : COUNTS_HEADER + (size_t)limiter->held * 4;
    uint8_t *data = memory->value(size, memory->context);

    sketch_write_common(data, SKETCH_RATELIMIT, RATELIMIT_VERSION, (uint8_t)limiter->kind, 0);
    store_le32(data + LIMIT, (uint32_t)limiter->limit);
    store_le32(data + NUMBER,
               limiter->kind == RATELIMIT_TOKEN_BUCKET ? (uint32_t)limiter->count : limiter->held);
    store_le64(data + PERIOD, (uint64_t)limiter->period);
    switch (limiter->kind) {
    case RATELIMIT_TOKEN_BUCKET:
        store_le64(data + ARRIVAL, (uint64_t)limiter->arrival);
        store_le32(data + ARRIVAL_PARTS, limiter->arrival_parts);
        break;
    case RATELIMIT_LOG:
        for (uint32_t i = 0; i < limiter->held; i++)
            store_le64(data + RATELIMIT_HEADER + (size_t)i * 8, (uint64_t)limiter->times[i]);
        break;
    case RATELIMIT_COUNTS:
        store_le64(data + NEWEST, (uint64_t)limiter->newest);
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
    if (value.size != RATELIMIT_HEADER + (size_t)limiter->held * 8)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The length does not match the number of hits");
    for (uint32_t i = 0; i < limiter->held; i++) {
        int64_t time = (int64_t)load_le64(value.data + RATELIMIT_HEADER + (size_t)i * 8);

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
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "The length does not match the number of buckets");
    limiter->newest = (int64_t)load_le64(value.data + NEWEST);
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

static bool
read_token_bucket(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    if (value.size != TOKEN_BUCKET_BYTES)
        return sketch_refuse(error, SKETCH_MALFORMED, "Wrong size");
    limiter->arrival = (int64_t)load_le64(value.data + ARRIVAL);
    limiter->arrival_parts = load_le32(value.data + ARRIVAL_PARTS);
    /* The time when a token bucket is empty may be up to 2^61 after the time of the call. */
    if (!is_valid_time(limiter->arrival / 2))
        return sketch_refuse(error, SKETCH_MALFORMED, "A time is out of range");
    if (limiter->arrival_parts >= (uint32_t)limiter->count)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Parts of a microsecond",
                                   limiter->arrival_parts, 0, (int64_t)limiter->count - 1);
    return true;
}

bool
ratelimit_read_packed(SketchBytes value, Ratelimit *limiter, SketchError *error)
{
    uint32_t limit, number;
    int64_t period;
    uint8_t kind;

    kind = sketch_encoding(value.data);
    limit = load_le32(value.data + LIMIT);
    number = load_le32(value.data + NUMBER);
    period = (int64_t)load_le64(value.data + PERIOD);
    if (sketch_hash(value.data) != 0)
        return sketch_refuse(error, SKETCH_MALFORMED, "Byte 3 is not 0");
    if (limit < 1 || limit > INT32_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "Limit", limit, 1, INT32_MAX);
    if (kind == RATELIMIT_TOKEN_BUCKET && number > INT32_MAX)
        return sketch_refuse_range(error, SKETCH_MALFORMED, "count", number, 1, INT32_MAX);
    if (kind == RATELIMIT_TOKEN_BUCKET
            ? !ratelimit_make_token_bucket(limiter, (int32_t)limit - 1, (int32_t)number, period,
                                           error)
            : !ratelimit_make_window(limiter, (int32_t)limit, period, error)) {
        error->status = SKETCH_MALFORMED;
        return false;
    }
    if (limiter->kind != (RatelimitKind)kind)
        return sketch_refuse(error, SKETCH_MALFORMED,
                             "A limit up to 128 has a log, a larger one counts");
    if (kind == RATELIMIT_TOKEN_BUCKET)
        return read_token_bucket(value, limiter, error);
    limiter->held = number;
    return kind == RATELIMIT_LOG ? read_log(value, limiter, error)
                                 : read_counts(value, limiter, error);
}
