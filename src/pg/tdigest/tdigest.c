/*
 * tdigest.c - the type tdigest in SQL. What it is and how it works: ../core/tdigest.c.
 *
 * SQL objects served, beside the shared ones of shared/io.c, shared/union.c and shared/compare.c:
 *   tdigest_empty, tdigest_add, tdigest_add_all                  build and change
 *   tdigest_agg_state, tdigest_weighted_agg_state,
 *   approx_percentile_state and their final functions            aggregates
 *   tdigest_quantile, cdf, rank, revrank, byrank, byrevrank      ask, one or an array
 *   tdigest_trimmed_mean, min, max, mean, count, info            ask
 *   tdigest_centroids                                            look inside; more to look at is
 *                                                                in view.c
 *   tdigest_from_redis                                           Redis
 *
 * Scalar functions are STRICT; of an empty digest they are NULL, ranks are -2 and counts 0.
 * Aggregates skip NULL values and are NULL over no rows. Questions of an array that are NULL are
 * answered NULL.
 */
#include "pg/shared/glue.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"

#include "core/common/bytes.h"
#include "core/tdigest/tdigest.h"
#include "tdigest.h"

SKETCHES_IO(tdigest);

/* ---- parameters ---- */

static unsigned
check_compression(int32 compression)
{
    return (unsigned)sketch_check_range("tdigest compression", compression, TDIGEST_COMPRESSION_MIN,
                                        TDIGEST_COMPRESSION_MAX);
}

static double
check_value(double value)
{
    if (!isfinite(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("a tdigest cannot hold %s", isnan(value) ? "NaN"
                                                           : value > 0  ? "Infinity"
                                                                        : "-Infinity"),
                        errhint("Filter values that are not finite.")));
    return value;
}

static uint64
check_weight(int64 weight)
{
    if (weight < 1)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("tdigest weight %lld is out of range", (long long)weight),
                        errdetail("A weight is at least 1.")));
    return (uint64)weight;
}

static double
check_quantile(double q)
{
    if (!(q >= 0 && q <= 1))
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("quantile %.15g is out of range", q), errdetail("Allowed are 0 to 1.")));
    return q;
}

static pg_noinline void
insert(SketchState *state, double value, uint64 weight)
{
    SketchError error;

    if (!tdigest_insert(state, check_value(value), weight, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this tdigest");
}

/* ---- building and changing ---- */

SKETCHES_FUNCTION(tdigest_empty)
{
    unsigned compression = check_compression(PG_GETARG_INT32(0));

    return sketch_state_result(tdigest_new(compression, 0, NULL, &sketch_memory));
}

/* tdigest_add(tdigest, float8 [, bigint]) */
SKETCHES_FUNCTION(tdigest_add)
{
    SketchState state = sketch_open(sketch_arg(fcinfo, 0));

    insert(&state, PG_GETARG_FLOAT8(1), PG_NARGS() > 2 ? check_weight(PG_GETARG_INT64(2)) : 1);
    return sketch_state_result(state);
}

SKETCHES_FUNCTION(tdigest_add_all)
{
    SketchState state = sketch_open(sketch_arg(fcinfo, 0));
    SketchElements elements = sketch_elements(PG_GETARG_ARRAYTYPE_P(1));
    Datum element;

    while (sketch_next_element(&elements, &element))
        insert(&state, DatumGetFloat8(element), 1);
    return sketch_state_result(state);
}

/* ---- aggregates ---- */

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, unsigned compression, uint64 weight)
{
    SketchState state = PG_ARGISNULL(0) ? tdigest_new(compression, 0, NULL, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo);

    insert(&state, PG_GETARG_FLOAT8(1), weight);
    return sketch_datum(state.data);
}

/*
 * Transition with argument 1 the value; `compression` is looked at for the first value only.
 * Adding a value to a state in place that has room is what happens per row.
 */
static inline Datum
aggregate_value(FunctionCallInfo fcinfo, unsigned compression)
{
    if (!PG_ARGISNULL(0) && likely(isfinite(PG_GETARG_FLOAT8(1)))) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && tdigest_add(state, PG_GETARG_FLOAT8(1)))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, compression, 1);
}

SKETCHES_FUNCTION(tdigest_agg_state)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate_value(fcinfo, TDIGEST_COMPRESSION_DEFAULT);
}

/* The compression in argument n, which may not change within a group. */
static unsigned
constant_compression(FunctionCallInfo fcinfo, int n)
{
    sketch_check_not_null(fcinfo, n, "tdigest compression");
    if (!PG_ARGISNULL(0)) {
        unsigned before = tdigest_compression(sketch_value(PG_GETARG_DATUM(0)));

        if (PG_GETARG_INT32(n) != (int32)before)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("tdigest compression changed within a group"),
                            errdetail("It was %u and is now %d.", before, PG_GETARG_INT32(n))));
    }
    return check_compression(PG_GETARG_INT32(n));
}

SKETCHES_FUNCTION(tdigest_agg_compression_state)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate_value(fcinfo, constant_compression(fcinfo, 2));
}

/* tdigest_weighted_agg(float8, bigint [, int]); a value without a weight is skipped */
SKETCHES_FUNCTION(tdigest_weighted_agg_state)
{
    if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
        return sketch_unchanged_state(fcinfo);
    return aggregate_slow(
        fcinfo, PG_NARGS() > 3 ? constant_compression(fcinfo, 3) : TDIGEST_COMPRESSION_DEFAULT,
        check_weight(PG_GETARG_INT64(2)));
}

/*
 * approx_percentile: the state is a digest that carries its questions, so that it is complete in
 * itself wherever the plan moves it.
 */
static Datum
percentile_state(FunctionCallInfo fcinfo, const double *q, int count)
{
    SketchState state;

    if (PG_ARGISNULL(0)) {
        uint8 questions[TDIGEST_ASKED_MAX * sizeof(double)];

        if (count > TDIGEST_ASKED_MAX)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("too many quantiles: %d", count),
                            errdetail("Allowed are at most %d.", TDIGEST_ASKED_MAX)));
        for (int i = 0; i < count; i++)
            store_le_double(questions + i * sizeof(double), check_quantile(q[i]) + 0.0);
        state =
            tdigest_new(TDIGEST_COMPRESSION_DEFAULT, (unsigned)count, questions, &sketch_memory);
    } else {
        const uint8 *questions;

        state = sketch_aggregate_state(fcinfo);
        questions = state.data + state.size - count * sizeof(double);
        for (int i = 0; i < count && state.data[3] == count; i++)
            if (load_le_double(questions + i * sizeof(double)) != q[i])
                count = -1;
        if (state.data[3] != count)
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("quantiles changed within a group")));
    }
    if (!isfinite(PG_GETARG_FLOAT8(1)) || !tdigest_add(state, PG_GETARG_FLOAT8(1)))
        insert(&state, PG_GETARG_FLOAT8(1), 1);
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

/* ---- reading ---- */

bool
tdigest_open_arg(FunctionCallInfo fcinfo, Tdigest *digest)
{
    if (!tdigest_read(digest, sketch_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    return digest->count > 0;
}

SKETCHES_FUNCTION(approx_percentile_final)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest) || digest.asked == 0)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_quantile(&digest, load_le_double(digest.questions)));
}

SKETCHES_FUNCTION(approx_percentiles_final)
{
    Datum answers[TDIGEST_ASKED_MAX];
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    for (unsigned i = 0; i < digest.asked; i++)
        answers[i] = Float8GetDatum(
            tdigest_quantile(&digest, load_le_double(digest.questions + i * sizeof(double))));
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, (int)digest.asked, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

SKETCHES_FUNCTION(approx_median_final)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_quantile(&digest, 0.5));
}

/*
 * A question about one argument and its answer. Of an empty digest (`digest` is NULL) the answer
 * may be NULL, which is told by false.
 */
typedef bool (*Question)(const Tdigest *digest, Datum asked, Datum *answer);

static bool
ask_quantile(const Tdigest *digest, Datum asked, Datum *answer)
{
    double q = check_quantile(DatumGetFloat8(asked));

    if (!digest)
        return false;
    *answer = Float8GetDatum(tdigest_quantile(digest, q));
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
ask_cdf(const Tdigest *digest, Datum asked, Datum *answer)
{
    double value = check_number(DatumGetFloat8(asked));

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

/* How many are below, halves down: -1 below all, n above all, -2 in an empty digest. */
static bool
ask_rank(const Tdigest *digest, Datum asked, Datum *answer)
{
    double value = check_number(DatumGetFloat8(asked));
    int64 rank;

    if (!digest)
        rank = -2;
    else if (value < tdigest_min(digest))
        rank = -1;
    else
        rank = whole(ceil(tdigest_below(digest, value) - 0.5), digest);
    *answer = Int64GetDatum(rank);
    return true;
}

/* How many are above: -1 above all, n below all, -2 in an empty digest. */
static bool
ask_revrank(const Tdigest *digest, Datum asked, Datum *answer)
{
    double value = check_number(DatumGetFloat8(asked));
    int64 rank;

    if (!digest)
        rank = -2;
    else if (value > tdigest_max(digest))
        rank = -1;
    else
        rank = (int64)digest->weight - whole(round(tdigest_below(digest, value)), digest);
    *answer = Int64GetDatum(rank);
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

/* The value of a rank from the least, Infinity past the last. */
static bool
ask_byrank(const Tdigest *digest, Datum asked, Datum *answer)
{
    int64 rank = check_rank(DatumGetInt64(asked));

    if (!digest)
        return false;
    *answer = Float8GetDatum((uint64)rank >= digest->weight ? get_float8_infinity()
                                                            : tdigest_at(digest, (double)rank));
    return true;
}

/* The value of a rank from the greatest, -Infinity past the last. */
static bool
ask_byrevrank(const Tdigest *digest, Datum asked, Datum *answer)
{
    int64 rank = check_rank(DatumGetInt64(asked));

    if (!digest)
        return false;
    *answer = Float8GetDatum((uint64)rank >= digest->weight
                                 ? -get_float8_infinity()
                                 : tdigest_at(digest, (double)(digest->weight - 1 - (uint64)rank)));
    return true;
}

static Datum
ask_one(FunctionCallInfo fcinfo, Question question)
{
    Tdigest digest;
    bool filled = tdigest_open_arg(fcinfo, &digest);
    Datum answer;
    bool answered = question(filled ? &digest : NULL, PG_GETARG_DATUM(1), &answer);

    tdigest_close(&digest, &sketch_memory);
    if (!answered)
        PG_RETURN_NULL();
    return answer;
}

typedef struct Questions {
    Question question;
    const Tdigest *digest;
} Questions;

static bool
ask_item(void *context, Datum asked, Datum *answer)
{
    const Questions *questions = context;

    return questions->question(questions->digest, asked, answer);
}

static Datum
ask_each(FunctionCallInfo fcinfo, Question question, Oid answer_type)
{
    Tdigest digest;
    bool filled = tdigest_open_arg(fcinfo, &digest);
    Questions questions = {question, filled ? &digest : NULL};

    return sketch_answer_each(PG_GETARG_ARRAYTYPE_P(1), answer_type, ask_item, &questions);
}

#define QUESTION(name, type)                                                                       \
    SKETCHES_FUNCTION(tdigest_##name) { return ask_one(fcinfo, ask_##name); }                      \
    SKETCHES_FUNCTION(tdigest_##name##_each) { return ask_each(fcinfo, ask_##name, type); }        \
    extern int sketches_tdigest_##name##_question

QUESTION(quantile, FLOAT8OID);
QUESTION(cdf, FLOAT8OID);
QUESTION(rank, INT8OID);
QUESTION(revrank, INT8OID);
QUESTION(byrank, FLOAT8OID);
QUESTION(byrevrank, FLOAT8OID);

SKETCHES_FUNCTION(tdigest_trimmed_mean)
{
    double low = check_quantile(PG_GETARG_FLOAT8(1));
    double high = check_quantile(PG_GETARG_FLOAT8(2));
    Tdigest digest;
    double mean;

    if (low >= high)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the lower quantile %g is not below the upper one %g", low, high)));
    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    mean = tdigest_trimmed_mean(&digest, low, high);
    if (isnan(mean))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(mean);
}

SKETCHES_FUNCTION(tdigest_min)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_min(&digest));
}

SKETCHES_FUNCTION(tdigest_max)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_max(&digest));
}

SKETCHES_FUNCTION(tdigest_mean)
{
    Tdigest digest;

    if (!tdigest_open_arg(fcinfo, &digest))
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(tdigest_trimmed_mean(&digest, 0, 1));
}

SKETCHES_FUNCTION(tdigest_count)
{
    PG_RETURN_INT64((int64)tdigest_weight(sketch_header(PG_GETARG_DATUM(0), NULL)));
}

SKETCHES_FUNCTION(tdigest_info)
{
    SketchBytes value = sketch_pack(sketch_value(PG_GETARG_DATUM(0)));
    bool nulls[6] = {false};
    Datum values[6] = {0};
    Tdigest digest;

    if (!tdigest_read(&digest, value, &sketch_memory))
        sketch_raise_damaged();
    values[0] = Int32GetDatum((int32)digest.compression);
    values[1] = Int32GetDatum((int32)digest.count);
    values[2] = Int64GetDatum((int64)digest.weight);
    if (digest.count > 0) {
        values[3] = Float8GetDatum(tdigest_min(&digest));
        values[4] = Float8GetDatum(tdigest_max(&digest));
    } else
        nulls[3] = nulls[4] = true;
    values[5] = Int32GetDatum((int32)(value.size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

SKETCHES_FUNCTION(tdigest_from_redis)
{
    SketchBytes value;
    SketchError error;

    if (!tdigest_from_redis(sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), &sketch_memory, &value,
                            &error))
        sketch_raise(&error, "invalid t-digest of Redis");
    return sketch_datum(value.data);
}
