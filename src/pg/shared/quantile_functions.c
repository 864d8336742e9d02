/*
 * quantile_functions.c - what tdigest and ddsketch share: quantiles that an aggregate is asked for,
 * queries about a number or many, histograms, sparklines.
 */
#include "quantile_functions.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#define BUCKETS_MAX 10000
#define WIDTH_MAX 1000

/* ---- arguments ---- */

double
sketch_check_fraction(const char *what, double q, const char *hint)
{
    if (!(q >= 0 && q <= 1)) {
        if (q > 1 && q <= 100)
            hint = psprintf("For %.15g percent write %.15g.%s%s", q, q / 100, hint ? " " : "",
                            hint ? hint : "");
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%s %s is out of range", what, sketch_shortest(q)),
                        errdetail("Must be between 0 and 1."), hint ? errhint("%s", hint) : 0));
    }
    return q;
}

double
sketch_check_number(Datum number)
{
    double value = DatumGetFloat8(number);

    if (isnan(value))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("NaN has no rank")));
    return value;
}

/* ---- requested quantiles ---- */

static SketchQuantileArgument
requested_kind(Oid type)
{
    return type == FLOAT8OID ? ONE_QUANTILE : QUANTILE_ARRAY;
}

SketchQuantileArgument
sketch_requested_kind(FunctionCallInfo fcinfo)
{
    return requested_kind(sketch_declared_type(fcinfo, 2));
}

SketchRequested
sketch_requested_other(FunctionCallInfo fcinfo, SketchQuantileArgument kind, double *one)
{
    ArrayType *array;

    sketch_check_not_null(fcinfo, 2, "percentile");
    array = PG_GETARG_ARRAYTYPE_P(2);
    if (ARR_NDIM(array) > 1)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("the array of percentiles has %d dimensions", ARR_NDIM(array)),
                        errdetail("The answers are an array of one dimension.")));
    if (ARR_HASNULL(array) && array_contains_nulls(array))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("percentile must not be null")));
    return (SketchRequested){(const double *)ARR_DATA_PTR(array),
                             ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array))};
}

void
sketch_write_requested(SketchRequested requested, uint8 *quantiles, const char *hint)
{
    if (requested.count > SKETCH_REQUESTED_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("too many percentiles: %d", requested.count),
                        errdetail("At most %d are allowed.", SKETCH_REQUESTED_MAX)));
    for (int i = 0; i < requested.count; i++) {
        sketch_check_fraction("percentile", requested.q[i], hint);
        /* -0 becomes 0, so that equal quantiles have equal bytes. */
        store_le_double(quantiles + i * sizeof(double), requested.q[i] + 0.0);
    }
}

void
sketch_raise_requested(const char *hint)
{
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                    errmsg("percentiles changed within a group"), hint ? errhint("%s", hint) : 0));
}

void
sketch_frame_quantiles(FunctionCallInfo fcinfo, SketchFrameQuantiles *quantiles,
                       MemoryContext memory, const char *hint)
{
    SketchRequested requested;
    bool same;
    double one;

    if (quantiles->q == NULL)
        quantiles->kind = requested_kind(get_fn_expr_argtype(fcinfo->flinfo, 2));
    requested = sketch_requested_arg(fcinfo, quantiles->kind, &one);
    if (quantiles->q == NULL) {
        uint8 checked[SKETCH_REQUESTED_MAX * sizeof(double)];

        sketch_write_requested(requested, checked, hint);
        quantiles->count = requested.count;
        quantiles->q = MemoryContextAlloc(memory, (requested.count + 1) * sizeof(double));
        memcpy(quantiles->q, requested.q, requested.count * sizeof(double));
        return;
    }
    same = requested.count == quantiles->count;
    for (int i = 0; i < requested.count && same; i++)
        same = requested.q[i] == quantiles->q[i];
    if (!same)
        sketch_raise_requested(hint);
}

Datum
sketch_frame_result(const SketchFrameQuantiles *quantiles, const void *sketch,
                    SketchPercentile percentile)
{
    Datum answers[SKETCH_REQUESTED_MAX];

    for (int i = 0; i < quantiles->count; i++)
        answers[i] = Float8GetDatum(percentile(sketch, quantiles->q[i]));
    if (quantiles->kind != QUANTILE_ARRAY)
        return answers[0];
    PG_RETURN_ARRAYTYPE_P(construct_array(answers, quantiles->count, FLOAT8OID, sizeof(float8),
                                          FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* ---- queries ---- */

typedef struct Answers {
    const void *sketch;
    SketchQuery query;
} Answers;

static bool
answer_element(void *context, Datum number, Datum *answer)
{
    const Answers *answers = context;

    return answers->query(answers->sketch, number, answer);
}

Datum
sketch_answer(FunctionCallInfo fcinfo, const void *sketch, SketchQuery query, Oid number,
              Oid answer)
{
    Answers answers = {sketch, query};
    Datum result;

    if (sketch_declared_type(fcinfo, 1) != number)
        return sketch_answer_each(PG_GETARG_ARRAYTYPE_P(1), answer, answer_element, &answers);
    if (!query(sketch, PG_GETARG_DATUM(1), &result))
        PG_RETURN_NULL();
    return result;
}

const void *
sketch_array_of_eight(FunctionCallInfo fcinfo, int n, const char *what, uint32 *count)
{
    ArrayType *array = PG_GETARG_ARRAYTYPE_P(n);

    if (ARR_NDIM(array) > 1)
        ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
                        errmsg("the array of %s has %d dimensions", what, ARR_NDIM(array)),
                        errdetail("It must have one.")));
    if (ARR_HASNULL(array) && array_contains_nulls(array))
        ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                        errmsg("the array of %s must not contain NULL", what)));
    *count = (uint32)ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
    return ARR_DATA_PTR(array);
}

/* ---- counts between bounds ---- */

Datum
sketch_counts(FunctionCallInfo fcinfo, int64 total,
              int64 (*up_to)(const void *sketch, double value), const void *sketch)
{
    uint32 count;
    const double *bounds = sketch_array_of_eight(fcinfo, 1, "bounds", &count);
    int lengths[] = {(int)count + 1}, lower_bounds[] = {1};
    ArrayType *array = sketch_new_array(1, lengths, lower_bounds, INT8OID,
                                        ((Size)count + 1) * sizeof(int64), false);
    int64 *counts = (int64 *)ARR_DATA_PTR(array), before = 0;

    for (uint32 i = 0; i <= count; i++) {
        int64 below = total;

        CHECK_FOR_INTERRUPTS();
        if (i < count && (isnan(bounds[i]) || (i > 0 && bounds[i] <= bounds[i - 1])))
            ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                            errmsg("bounds must be numbers in ascending order"),
                            errdetail("Bound %u is %s.", i + 1, sketch_shortest(bounds[i]))));
        if (i < count && total > 0)
            below = Max(Min(up_to(sketch, bounds[i]), total), before);
        counts[i] = below - before;
        before = below;
    }
    PG_RETURN_ARRAYTYPE_P(array);
}

/* ---- exponential histograms ---- */

static HistogramCounts
counts_arg(FunctionCallInfo fcinfo, int n, const char *what)
{
    HistogramCounts counts = {.offset = PG_GETARG_INT32(n)};

    counts.counts = sketch_array_of_eight(fcinfo, n + 1, what, &counts.count);
    return counts;
}

/* The extreme in argument n; `unknown` if that is NULL. */
static double
extreme_arg(FunctionCallInfo fcinfo, int n, const char *what, double unknown)
{
    if (PG_ARGISNULL(n))
        return unknown;
    if (!isfinite(PG_GETARG_FLOAT8(n)))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("the %s of a histogram must be a finite number", what)));
    return PG_GETARG_FLOAT8(n) + 0.0;
}

Datum
sketch_from_exponential_histogram(FunctionCallInfo fcinfo, SketchHistogramReader read)
{
    ExponentialHistogram histogram;
    SketchBytes value;
    SketchError error;

    for (int n = 0; n < 6; n++)
        if (PG_ARGISNULL(n))
            PG_RETURN_NULL();
    histogram = (ExponentialHistogram){
        .scale = PG_GETARG_INT32(0),
        .zeros = PG_GETARG_INT64(1),
        .positive = counts_arg(fcinfo, 2, "positive counts"),
        .negative = counts_arg(fcinfo, 4, "negative counts"),
        .min = extreme_arg(fcinfo, 6, "minimum", -INFINITY),
        .max = extreme_arg(fcinfo, 7, "maximum", INFINITY),
    };
    if (!read(&histogram, &sketch_memory, &value, &error))
        sketch_raise(&error, "invalid exponential histogram");
    return sketch_datum(value.data);
}

/* ---- buckets of equal width ---- */

/*
 * Cuts the range into `count` buckets. Counts are differences of ranks, so they add up to the
 * total; the last bucket includes its upper bound. Bounds never descend and never leave the range,
 * whatever rounding makes of them.
 */
static void
cut(const SketchDistribution *d, uint32 count, double *bounds, int64 *counts)
{
    int64 before = 0;

    for (uint32 i = 0; i <= count; i++) {
        double share = (double)i / count;

        bounds[i] = i == 0 ? d->low
                    : i == count
                        ? d->high
                        : Min(Max(d->low * (1 - share) + d->high * share, bounds[i - 1]), d->high);
    }
    for (uint32 i = 0; i < count; i++) {
        int64 below =
            i + 1 == count || d->low == d->high ? d->total : d->below(d->sketch, bounds[i + 1]);

        below = Max(below, before);
        counts[i] = below - before;
        before = below;
    }
}

typedef struct Rows {
    uint32 at, count;
    double *bounds; /* one more than rows */
    int64 *counts;
} Rows;

void *
sketch_begin_histogram(FunctionCallInfo fcinfo, SketchDistributionReader read)
{
    int64 count = sketch_check_range("number of buckets", PG_GETARG_INT64(1), 1, BUCKETS_MAX);
    Rows *rows = palloc0(sizeof *rows);
    SketchDistribution d;

    if (!read(fcinfo, &d))
        return rows;
    rows->count = d.low == d.high ? 1 : (uint32)count;
    rows->bounds = palloc((rows->count + 1) * sizeof(double));
    rows->counts = palloc(rows->count * sizeof(int64));
    cut(&d, rows->count, rows->bounds, rows->counts);
    return rows;
}

bool
sketch_next_bucket(void *begun, Datum *values, bool *nulls)
{
    Rows *rows = begun;

    if (rows->at == rows->count)
        return false;
    values[0] = Float8GetDatum(rows->bounds[rows->at]);
    values[1] = Float8GetDatum(rows->bounds[rows->at + 1]);
    values[2] = Int64GetDatum(rows->counts[rows->at++]);
    return true;
}

/*
 * One character a bucket, as high as its share of the fullest one. Block elements need UTF-8; other
 * encodings get ASCII.
 */
Datum
sketch_sparkline(FunctionCallInfo fcinfo, SketchDistributionReader read)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const char *const *levels = GetDatabaseEncoding() == PG_UTF8 ? blocks : ascii;
    uint32 width = (uint32)sketch_check_range("width", PG_GETARG_INT64(1), 1, WIDTH_MAX);
    double *bounds;
    int64 *counts, most = 1;
    SketchDistribution d;
    StringInfoData line;

    if (!read(fcinfo, &d))
        PG_RETURN_NULL();
    bounds = palloc((width + 1) * sizeof(double));
    counts = palloc(width * sizeof(int64));
    cut(&d, width, bounds, counts);
    for (uint32 i = 0; i < width; i++)
        most = Max(most, counts[i]);
    initStringInfo(&line);
    for (uint32 i = 0; i < width; i++)
        appendStringInfoString(&line, levels[(int)ceil(8.0 * (double)counts[i] / (double)most)]);
    PG_RETURN_TEXT_P(cstring_to_text_with_len(line.data, line.len));
}
