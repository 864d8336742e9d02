/*
 * percentile.c - quantiles as aggregates of their own.
 *
 * SQL objects served: the state and final functions of approx_percentile (one quantile, or an array
 * of them) and the final function of approx_median.
 *
 * The state is a digest that carries the requested quantiles, so it is complete in itself wherever
 * the plan moves it. Aggregates skip NULL values and are NULL over no rows.
 */
#include "tdigest.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "core/common/bytes.h"

static Datum
percentile_state(FunctionCallInfo fcinfo, const double *q, int count)
{
    SketchState state;

    if (PG_ARGISNULL(0)) {
        uint8 quantiles[TDIGEST_REQUESTED_MAX * sizeof(double)];

        if (count > TDIGEST_REQUESTED_MAX)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("too many quantiles: %d", count),
                            errdetail("Allowed are at most %d.", TDIGEST_REQUESTED_MAX)));
        for (int i = 0; i < count; i++)
            store_le_double(quantiles + i * sizeof(double), tdigest_check_quantile(q[i]) + 0.0);
        state =
            tdigest_new(TDIGEST_COMPRESSION_DEFAULT, (unsigned)count, quantiles, &sketch_memory);
    } else {
        const uint8 *quantiles;

        state = sketch_aggregate_state(fcinfo);
        quantiles = state.data + state.size - count * sizeof(double);
        for (int i = 0; i < count && state.data[3] == count; i++)
            if (load_le_double(quantiles + i * sizeof(double)) != q[i])
                count = -1;
        if (state.data[3] != count)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("quantiles changed within a group")));
    }
    if (!isfinite(PG_GETARG_FLOAT8(1)) || !tdigest_add(state, PG_GETARG_FLOAT8(1)))
        tdigest_insert_checked(&state, PG_GETARG_FLOAT8(1), 1);
    return sketch_datum(state.data);
}

SKETCHES_FUNCTION(approx_percentile_state)
{
    double q;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    sketch_check_not_null(fcinfo, 2, "quantile");
    q = PG_GETARG_FLOAT8(2);
    return percentile_state(fcinfo, &q, 1);
}

SKETCHES_FUNCTION(approx_percentiles_state)
{
    ArrayType *array;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    sketch_check_not_null(fcinfo, 2, "quantile");
    array = PG_GETARG_ARRAYTYPE_P(2);
    if (ARR_HASNULL(array) && array_contains_nulls(array))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("quantile must not be null")));
    return percentile_state(fcinfo, (const double *)ARR_DATA_PTR(array),
                            ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
}

SKETCHES_FUNCTION(approx_percentile_final)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest) || digest.requested == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_quantile(&digest, load_le_double(digest.quantiles)));
}

SKETCHES_FUNCTION(approx_percentiles_final)
{
    Datum answers[TDIGEST_REQUESTED_MAX];
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    for (unsigned i = 0; i < digest.requested; i++)
        answers[i] = Float8GetDatum(
            tdigest_quantile(&digest, load_le_double(digest.quantiles + i * sizeof(double))));
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int)digest.requested, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

SKETCHES_FUNCTION(approx_median_final)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_quantile(&digest, 0.5));
}
