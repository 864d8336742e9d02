/*
 * ratelimit.c - the type ratelimit in SQL. What it is: core/ratelimit/ratelimit.c.
 *
 * SQL objects served, STRICT but for take and retake:
 *   _ratelimit_in, recv, ratelimit(bytea)     in and out
 *   ratelimit_bucket, ratelimit_sliding       make
 *   ratelimit_take, peek, retake              ask
 *   ratelimit_info, describe                  look inside
 *
 * take and retake refuse NULL: after a result of NULL, code that refuses by IF NOT allowed would
 * let everybody in. The functions that keep limiters in a table are in table.c.
 */
#include "pg/shared/describe.h"
#include "pg/shared/glue.h"

#include "datatype/timestamp.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "core/ratelimit/ratelimit.h"

static _Noreturn void
refuse(const SketchError *error)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("%s %lld is out of range", error->reason, (long long)error->found),
                    errdetail("Must be between %lld and %lld.", (long long)error->low,
                              (long long)error->high)));
}

/* Returns microseconds; as in comparisons of intervals, a day has 24 hours and a month 30 days. */
static int64
period_arg(FunctionCallInfo fcinfo, int n)
{
    Interval *interval = PG_GETARG_INTERVAL_P(n);
    int64 days = (int64)interval->month * 30 + interval->day;
    int64 period;

    if (__builtin_mul_overflow(days, USECS_PER_DAY, &period) ||
        __builtin_add_overflow(period, interval->time, &period) || period < 1 ||
        period > RATELIMIT_TIME_MAX)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("period \"%s\" is out of range",
                        DatumGetCString(DirectFunctionCall1(interval_out, PG_GETARG_DATUM(n)))),
                 errdetail("Must be between 1 microsecond and 73000 years.")));
    return period;
}

static int64
time_arg(FunctionCallInfo fcinfo, int n)
{
    int64 time = PG_GETARG_TIMESTAMPTZ(n);

    if (time < -RATELIMIT_TIME_MAX || time > RATELIMIT_TIME_MAX)
        ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
                        errmsg("time of a rate limit is out of range"),
                        errdetail("It must be finite and within 73000 years of 2000-01-01.")));
    return time;
}

static int32
quantity_arg(FunctionCallInfo fcinfo, int n)
{
    int32 quantity = PG_GETARG_INT32(n);

    sketch_check_range("quantity", quantity, 0, PG_INT32_MAX);
    return quantity;
}

static Ratelimit
limiter_arg(FunctionCallInfo fcinfo, int n)
{
    Ratelimit limiter;

    if (!ratelimit_read(sketch_arg(fcinfo, n), &limiter))
        sketch_raise_damaged();
    return limiter;
}

static Datum
limiter_datum(const Ratelimit *limiter)
{
    return sketch_datum(ratelimit_write(limiter, &sketch_memory).data);
}

PG_FUNCTION_INFO_V1(sketches_ratelimit_bucket);
Datum
sketches_ratelimit_bucket(PG_FUNCTION_ARGS)
{
    Ratelimit limiter;
    SketchError error;

    if (!ratelimit_make_token_bucket(&limiter, PG_GETARG_INT32(0), PG_GETARG_INT32(1),
                                     period_arg(fcinfo, 2), &error))
        refuse(&error);
    return limiter_datum(&limiter);
}

PG_FUNCTION_INFO_V1(sketches_ratelimit_sliding);
Datum
sketches_ratelimit_sliding(PG_FUNCTION_ARGS)
{
    Ratelimit limiter;
    SketchError error;

    if (!ratelimit_make_window(&limiter, PG_GETARG_INT32(0), period_arg(fcinfo, 1), &error))
        refuse(&error);
    return limiter_datum(&limiter);
}

/* ---- asking ---- */

static Datum
interval_of(int64 microseconds)
{
    Interval *interval = palloc0(sizeof *interval);

    interval->time = microseconds;
    return IntervalPGetDatum(interval);
}

/* The row of take, from its second column on. */
static void
answer_row(RatelimitAnswer answer, Datum *values, bool *nulls)
{
    values[0] = BoolGetDatum(answer.allowed);
    values[1] = Int32GetDatum(answer.limit);
    values[2] = Int32GetDatum(answer.remaining);
    nulls[3] = answer.retry_after < 0;
    values[3] = nulls[3] ? (Datum)0 : interval_of(answer.retry_after);
    values[4] = interval_of(answer.reset_after);
}

PG_FUNCTION_INFO_V1(sketches_ratelimit_take);
Datum
sketches_ratelimit_take(PG_FUNCTION_ARGS)
{
    Ratelimit limiter;
    Datum values[6];
    bool nulls[6] = {false};

    sketch_check_not_null(fcinfo, 0, "rate limiter");
    sketch_check_not_null(fcinfo, 1, "quantity");
    sketch_check_not_null(fcinfo, 2, "time of a rate limit");
    limiter = limiter_arg(fcinfo, 0);
    answer_row(ratelimit_take(&limiter, quantity_arg(fcinfo, 1), time_arg(fcinfo, 2)), values + 1,
               nulls + 1);
    values[0] = limiter_datum(&limiter);
    return sketch_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(sketches_ratelimit_peek);
Datum
sketches_ratelimit_peek(PG_FUNCTION_ARGS)
{
    Ratelimit limiter = limiter_arg(fcinfo, 0), after = limiter;
    Datum values[5];
    bool nulls[5] = {false};
    int32 quantity = quantity_arg(fcinfo, 1);
    int64 time = time_arg(fcinfo, 2);
    RatelimitAnswer answer = ratelimit_take(&after, quantity, time), now;

    /* Remaining quantity and reset as if nothing had been taken. */
    now = ratelimit_take(&limiter, 0, time);
    answer.remaining = now.remaining;
    answer.reset_after = now.reset_after;
    answer_row(answer, values, nulls);
    return sketch_row(fcinfo, values, nulls);
}

/* ratelimit_retake(limiter, fresh, quantity, at): take, by the parameters of another one. */
PG_FUNCTION_INFO_V1(sketches_ratelimit_retake);
Datum
sketches_ratelimit_retake(PG_FUNCTION_ARGS)
{
    Ratelimit limiter, fresh;
    RatelimitAnswer answer;
    Datum values[6];
    bool nulls[6] = {false};

    sketch_check_not_null(fcinfo, 0, "rate limiter");
    sketch_check_not_null(fcinfo, 1, "fresh rate limiter");
    sketch_check_not_null(fcinfo, 2, "quantity");
    sketch_check_not_null(fcinfo, 3, "time of a rate limit");
    limiter = limiter_arg(fcinfo, 0);
    fresh = limiter_arg(fcinfo, 1);
    if (!ratelimit_retake(&limiter, &fresh, quantity_arg(fcinfo, 2), time_arg(fcinfo, 3), &answer))
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 limiter.kind == RATELIMIT_TOKEN_BUCKET
                     ? errmsg("a token bucket cannot be used as a sliding window")
                     : errmsg("a sliding window cannot be used as a token bucket"),
                 errhint("Use another key for it, or delete this one from ratelimit_keys.")));
    answer_row(answer, values + 1, nulls + 1);
    values[0] = limiter_datum(&limiter);
    return sketch_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(sketches_ratelimit_info);
Datum
sketches_ratelimit_info(PG_FUNCTION_ARGS)
{
    Ratelimit limiter = limiter_arg(fcinfo, 0);
    Datum values[6];

    values[0] = CStringGetTextDatum(limiter.kind == RATELIMIT_TOKEN_BUCKET ? "bucket" : "sliding");
    values[1] = Int32GetDatum(limiter.limit);
    values[2] = Int32GetDatum(limiter.count);
    values[3] = interval_of(limiter.period);
    values[4] = interval_of(ratelimit_granularity(&limiter));
    values[5] = Int32GetDatum((int32)(sketch_arg(fcinfo, 0).size + VARHDRSZ));
    return sketch_row(fcinfo, values, NULL);
}

/* Writes a period in the largest unit of which it is a multiple. */
static char *
period_text(int64 period)
{
    static const struct {
        const char *name;
        int64 microseconds;
    } units[] = {{"d", USECS_PER_DAY}, {"h", USECS_PER_HOUR}, {"min", USECS_PER_MINUTE},
                 {"s", USECS_PER_SEC}, {"ms", 1000},          {"us", 1}};
    int i = 0;

    while (period % units[i].microseconds != 0)
        i++;
    return psprintf("%s %s", sketch_number((uint64)(period / units[i].microseconds)),
                    units[i].name);
}

/*
 * ratelimit: token bucket, 30 per 1 min, 16 at once, 36 bytes
 * ratelimit: sliding window, 100 per 1 min, 3 held, 48 bytes
 */
PG_FUNCTION_INFO_V1(sketches_ratelimit_describe);
Datum
sketches_ratelimit_describe(PG_FUNCTION_ARGS)
{
    Ratelimit limiter = limiter_arg(fcinfo, 0);
    bool token_bucket = limiter.kind == RATELIMIT_TOKEN_BUCKET;

    return sketch_line(
        sketch_arg(fcinfo, 0).size + VARHDRSZ, "ratelimit: %s, %s per %s, %s %s",
        token_bucket ? "token bucket" : "sliding window", sketch_number((uint64)limiter.count),
        period_text(limiter.period),
        sketch_number((uint64)(token_bucket ? limiter.limit : ratelimit_hits(&limiter))),
        token_bucket ? "at once" : "held");
}
