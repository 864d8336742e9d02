/*
 * query.c - quantiles and ranks of a digest.
 *
 * SQL objects served: tdigest_quantile, percentile, cdf, rank, revrank, byrank, byrevrank, and for
 * lists tdigest_quantiles, percentiles, cdf_each and so on, which share the C function;
 * tdigest_counts, tdigest_trimmed_mean, tdigest_trimmed_sum. All are STRICT. Of an empty digest
 * they are NULL. Elements of an array that are NULL are answered NULL.
 */
#include "tdigest.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "pg/shared/quantile_functions.h"

static bool
query_quantile(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double q = sketch_check_fraction("quantile", DatumGetFloat8(number), NULL);

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_quantile(digest, q));
    return true;
}

static bool
query_percentile(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double q = sketch_check_fraction("percentile", DatumGetFloat8(number), NULL);

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_percentile(digest, q));
    return true;
}

static bool
query_cdf(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double value = sketch_check_number(number);

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_below(digest, value) / (double)digest->weight);
    return true;
}

/* The same with all that equals the value. */
static bool
query_cdf_inclusive(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double value = sketch_check_number(number);

    if (!digest)
        return false;
    *answer = Float8GetDatum(fmin(tdigest_up_to(digest, value) / (double)digest->weight, 1));
    return true;
}

/* A rounded rank; as a double it may be more than all. */
static int64
whole(double count, const Tdigest *digest)
{
    return count < (double)digest->weight ? (int64)count : (int64)digest->weight;
}

/* The number below, equal values counting half, rounded down: 0 to the weight. */
static bool
query_rank(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double value = sketch_check_number(number);

    if (!digest)
        return false;
    *answer = Int64GetDatum(whole(ceil(tdigest_below(digest, value) - 0.5), digest));
    return true;
}

/* The number above, equal values counting half: 0 to the weight. */
static bool
query_revrank(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    double value = sketch_check_number(number);

    if (!digest)
        return false;
    *answer =
        Int64GetDatum((int64)digest->weight - whole(round(tdigest_below(digest, value)), digest));
    return true;
}

static int64
check_rank(int64 rank)
{
    if (rank < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("rank %lld is out of range", (long long)rank),
                        errdetail("Must be at least 0.")));
    return rank;
}

/* The value of a rank from the least; none past the last. */
static bool
query_byrank(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    int64 rank = check_rank(DatumGetInt64(number));

    if (!digest || (uint64)rank >= digest->weight)
        return false;
    *answer = Float8GetDatum(tdigest_at(digest, (double)rank));
    return true;
}

/* The value of a rank from the greatest; none past the last. */
static bool
query_byrevrank(const void *sketch, Datum number, Datum *answer)
{
    const Tdigest *digest = sketch;
    int64 rank = check_rank(DatumGetInt64(number));

    if (!digest || (uint64)rank >= digest->weight)
        return false;
    *answer = Float8GetDatum(tdigest_at(digest, (double)(digest->weight - 1 - (uint64)rank)));
    return true;
}

static Datum
answer_query(FunctionCallInfo fcinfo, SketchQuery query, Oid number, Oid answer)
{
    Tdigest digest;
    bool filled = tdigest_open_arg(fcinfo, &digest);
    Datum result = sketch_answer(fcinfo, filled ? &digest : NULL, query, number, answer);

    tdigest_close(&digest, &sketch_memory);
    return result;
}

SQL_FUNCTION(sketches_tdigest_quantile, answer_query(fcinfo, query_quantile, FLOAT8OID, FLOAT8OID));
SQL_FUNCTION(sketches_tdigest_percentile,
             answer_query(fcinfo, query_percentile, FLOAT8OID, FLOAT8OID));
SQL_FUNCTION(sketches_tdigest_cdf,
             answer_query(fcinfo, PG_GETARG_BOOL(2) ? query_cdf_inclusive : query_cdf, FLOAT8OID,
                          FLOAT8OID));
SQL_FUNCTION(sketches_tdigest_rank, answer_query(fcinfo, query_rank, FLOAT8OID, INT8OID));
SQL_FUNCTION(sketches_tdigest_revrank, answer_query(fcinfo, query_revrank, FLOAT8OID, INT8OID));
SQL_FUNCTION(sketches_tdigest_byrank, answer_query(fcinfo, query_byrank, INT8OID, FLOAT8OID));
SQL_FUNCTION(sketches_tdigest_byrevrank, answer_query(fcinfo, query_byrevrank, INT8OID, FLOAT8OID));

/* In whole numbers, those up to and including a value. */
static int64
up_to(const void *sketch, double value)
{
    return whole(rint(tdigest_up_to(sketch, value)), sketch);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_counts);
Datum
sketches_tdigest_counts(PG_FUNCTION_ARGS)
{
    Tdigest digest;
    Datum counts;

    tdigest_open_arg(fcinfo, &digest);
    counts = sketch_counts(fcinfo, (int64)digest.weight, up_to, &digest);
    tdigest_close(&digest, &sketch_memory);
    return counts;
}

/* The mean or the sum between the quantiles in arguments 1 and 2; NULL where there is nothing. */
static Datum
trimmed(FunctionCallInfo fcinfo, double (*answer)(const Tdigest *digest, double low, double high))
{
    double low = sketch_check_fraction("fraction", PG_GETARG_FLOAT8(1), NULL);
    double high = sketch_check_fraction("fraction", PG_GETARG_FLOAT8(2), NULL);
    Tdigest digest;
    double found;

    if (low >= high)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the lower fraction %s is not below the upper one %s",
                               sketch_shortest(low), sketch_shortest(high))));
    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    found = answer(&digest, low, high);
    if (isnan(found))
        PG_RETURN_NULL();
    if (isinf(found))
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("value out of range: overflow")));
    PG_RETURN_FLOAT8(found);
}

SQL_FUNCTION(sketches_tdigest_trimmed_mean, trimmed(fcinfo, tdigest_trimmed_mean));
SQL_FUNCTION(sketches_tdigest_trimmed_sum, trimmed(fcinfo, tdigest_trimmed_sum));
