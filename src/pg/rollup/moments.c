/*
 * moments.c - variances and standard deviations of exact numbers, from what is kept of them: how
 * many there are, their sum and the sum of their squares.
 *
 * They have the digits that PostgreSQL's own aggregates have, which compute with the same numbers.
 * NULL over no rows, and over one for that of a sample; NaN if a value is NaN or infinite.
 */
#include "pg/rollup/rollup.h"

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

static Datum
compute(PGFunction operation, Datum one, Datum other)
{
    return DirectFunctionCall2(operation, one, other);
}

/* (n q - s s) / (n (n - 1)); n n below for a population. False: there are too few numbers. */
static bool
find_variance(FunctionCallInfo fcinfo, Datum *variance)
{
    int64 count = PG_GETARG_INT64(0), less = PG_GETARG_BOOL(3) ? 1 : 0;
    Datum n = NumericGetDatum(int64_to_numeric(count)), sum = PG_GETARG_DATUM(1);
    Datum zero = NumericGetDatum(int64_to_numeric(0));
    Datum above = compute(numeric_sub, compute(numeric_mul, n, PG_GETARG_DATUM(2)),
                          compute(numeric_mul, sum, sum));

    if (count <= less)
        return false;
    if (DatumGetBool(compute(numeric_le, above, zero)))
        *variance = zero;
    else
        *variance =
            compute(numeric_div, above,
                    compute(numeric_mul, n, NumericGetDatum(int64_to_numeric(count - less))));
    return true;
}

PG_FUNCTION_INFO_V1(sketches_rollup_variance);
Datum
sketches_rollup_variance(PG_FUNCTION_ARGS)
{
    Datum variance;

    if (!find_variance(fcinfo, &variance))
        PG_RETURN_NULL();
    PG_RETURN_DATUM(variance);
}

PG_FUNCTION_INFO_V1(sketches_rollup_stddev);
Datum
sketches_rollup_stddev(PG_FUNCTION_ARGS)
{
    Datum variance, root, low;
    int digits;

    if (!find_variance(fcinfo, &variance))
        PG_RETURN_NULL();
    if (numeric_is_nan(DatumGetNumeric(variance)) || numeric_is_inf(DatumGetNumeric(variance)))
        PG_RETURN_DATUM(variance);
    digits = DatumGetInt32(DirectFunctionCall1(numeric_scale, variance));
    root =
        compute(numeric_round, DirectFunctionCall1(numeric_sqrt, variance), Int32GetDatum(digits));
    /* It was rounded before, to more digits: if that made it a half, it is one too high. */
    low = compute(numeric_sub, root, NumericGetDatum(int64_div_fast_to_numeric(5, digits + 1)));
    if (DatumGetBool(compute(numeric_gt, low, NumericGetDatum(int64_to_numeric(0)))) &&
        DatumGetBool(compute(numeric_gt, compute(numeric_mul, low, low), variance)))
        root = compute(numeric_sub, root, NumericGetDatum(int64_div_fast_to_numeric(1, digits)));
    PG_RETURN_DATUM(root);
}
