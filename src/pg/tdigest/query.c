/*
 * query.c - quantiles and ranks of a digest.
 *
 * SQL objects served: tdigest_quantile, percentile, cdf, rank, revrank, byrank, byrevrank, each for
 * one argument or an array of them, and tdigest_trimmed_mean. All are STRICT. Of an empty digest
 * they are NULL, and ranks are -2. Elements of an array that are NULL are answered NULL.
 */
#include "tdigest.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"

#include "pg/shared/distribution.h"

/*
 * A query with one argument, and its answer. Of an empty digest (`digest` is NULL) the answer may
 * be NULL; the query then returns false.
 */
typedef bool (*TdigestQuery)(const Tdigest *digest, Datum argument, Datum *answer);

static bool
query_quantile(const Tdigest *digest, Datum argument, Datum *answer)
{
    double q = sketch_check_quantile(DatumGetFloat8(argument), NULL);

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_quantile(digest, q));
    return true;
}

static bool
query_percentile(const Tdigest *digest, Datum argument, Datum *answer)
{
    double q = sketch_check_quantile(DatumGetFloat8(argument), NULL);

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_percentile(digest, q));
    return true;
}

static double
check_number(double value)
{
    if (isnan(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("NaN has no rank")));
    return value;
}

static bool
query_cdf(const Tdigest *digest, Datum argument, Datum *answer)
{
    double value = check_number(DatumGetFloat8(argument));

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_below(digest, value) / (double)digest->weight);
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
query_rank(const Tdigest *digest, Datum argument, Datum *answer)
{
    double value = check_number(DatumGetFloat8(argument));

    if (!digest)
        return false;
    *answer = Int64GetDatum(whole(ceil(tdigest_below(digest, value) - 0.5), digest));
    return true;
}

/* The number above, equal values counting half: 0 to the weight. */
static bool
query_revrank(const Tdigest *digest, Datum argument, Datum *answer)
{
    double value = check_number(DatumGetFloat8(argument));

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
                        errdetail("A rank is at least 0.")));
    return rank;
}

/* The value of a rank from the least; none past the last. */
static bool
query_byrank(const Tdigest *digest, Datum argument, Datum *answer)
{
    int64 rank = check_rank(DatumGetInt64(argument));

    if (!digest || (uint64)rank >= digest->weight)
        return false;
    *answer = Float8GetDatum(tdigest_at(digest, (double)rank));
    return true;
}

/* The value of a rank from the greatest; none past the last. */
static bool
query_byrevrank(const Tdigest *digest, Datum argument, Datum *answer)
{
    int64 rank = check_rank(DatumGetInt64(argument));

    if (!digest || (uint64)rank >= digest->weight)
        return false;
    *answer = Float8GetDatum(tdigest_at(digest, (double)(digest->weight - 1 - (uint64)rank)));
    return true;
}

static Datum
answer_one(FunctionCallInfo fcinfo, TdigestQuery query, Datum argument)
{
    Tdigest digest;
    bool filled = tdigest_open_arg(fcinfo, &digest);
    Datum answer;
    bool answered = query(filled ? &digest : NULL, argument, &answer);

    tdigest_close(&digest, &sketch_memory);
    if (!answered)
        PG_RETURN_NULL();
    return answer;
}

typedef struct Queries {
    TdigestQuery query;
    const Tdigest *digest;
} Queries;

static bool
answer_item(void *context, Datum argument, Datum *answer)
{
    const Queries *queries = context;

    return queries->query(queries->digest, argument, answer);
}

static Datum
answer_each(FunctionCallInfo fcinfo, TdigestQuery query, Oid answer_type)
{
    Tdigest digest;
    bool filled = tdigest_open_arg(fcinfo, &digest);
    Queries queries = {query, filled ? &digest : NULL};

    return sketch_answer_each(PG_GETARG_ARRAYTYPE_P(1), answer_type, answer_item, &queries);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_quantile);
Datum
sketches_tdigest_quantile(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_quantile, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_quantile_untyped);
Datum
sketches_tdigest_quantile_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_quantile, sketch_untyped_number(fcinfo, 1, FLOAT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_quantile_each);
Datum
sketches_tdigest_quantile_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_quantile, FLOAT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_percentile);
Datum
sketches_tdigest_percentile(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_percentile, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_percentile_untyped);
Datum
sketches_tdigest_percentile_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_percentile, sketch_untyped_number(fcinfo, 1, FLOAT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_percentile_each);
Datum
sketches_tdigest_percentile_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_percentile, FLOAT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_cdf);
Datum
sketches_tdigest_cdf(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_cdf, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_cdf_untyped);
Datum
sketches_tdigest_cdf_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_cdf, sketch_untyped_number(fcinfo, 1, FLOAT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_cdf_each);
Datum
sketches_tdigest_cdf_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_cdf, FLOAT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_rank);
Datum
sketches_tdigest_rank(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_rank, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_rank_untyped);
Datum
sketches_tdigest_rank_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_rank, sketch_untyped_number(fcinfo, 1, FLOAT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_rank_each);
Datum
sketches_tdigest_rank_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_rank, INT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_revrank);
Datum
sketches_tdigest_revrank(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_revrank, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_revrank_untyped);
Datum
sketches_tdigest_revrank_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_revrank, sketch_untyped_number(fcinfo, 1, FLOAT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_revrank_each);
Datum
sketches_tdigest_revrank_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_revrank, INT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrank);
Datum
sketches_tdigest_byrank(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_byrank, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrank_untyped);
Datum
sketches_tdigest_byrank_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_byrank, sketch_untyped_number(fcinfo, 1, INT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrank_each);
Datum
sketches_tdigest_byrank_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_byrank, FLOAT8OID);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrevrank);
Datum
sketches_tdigest_byrevrank(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_byrevrank, PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrevrank_untyped);
Datum
sketches_tdigest_byrevrank_untyped(PG_FUNCTION_ARGS)
{
    return answer_one(fcinfo, query_byrevrank, sketch_untyped_number(fcinfo, 1, INT8OID));
}

PG_FUNCTION_INFO_V1(sketches_tdigest_byrevrank_each);
Datum
sketches_tdigest_byrevrank_each(PG_FUNCTION_ARGS)
{
    return answer_each(fcinfo, query_byrevrank, FLOAT8OID);
}

/* The mean or the sum between the quantiles in arguments 1 and 2; NULL where there is nothing. */
static Datum
trimmed(FunctionCallInfo fcinfo, double (*answer)(const Tdigest *digest, double low, double high))
{
    double low = sketch_check_quantile(PG_GETARG_FLOAT8(1), NULL);
    double high = sketch_check_quantile(PG_GETARG_FLOAT8(2), NULL);
    Tdigest digest;
    double found;

    if (low >= high)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the lower quantile %g is not below the upper one %g", low, high)));
    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    found = answer(&digest, low, high);
    if (isnan(found))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(found);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_trimmed_mean);
Datum
sketches_tdigest_trimmed_mean(PG_FUNCTION_ARGS)
{
    return trimmed(fcinfo, tdigest_trimmed_mean);
}

PG_FUNCTION_INFO_V1(sketches_tdigest_trimmed_sum);
Datum
sketches_tdigest_trimmed_sum(PG_FUNCTION_ARGS)
{
    return trimmed(fcinfo, tdigest_trimmed_sum);
}
