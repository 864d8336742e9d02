/*
 * import.c - sketches and histograms of other systems, in and out.
 *
 * SQL objects served: ddsketch_from_exponential_histogram, ddsketch_to_exponential_histogram
 * (OpenTelemetry, Prometheus), ddsketch_from_ddsketch, ddsketch_to_ddsketch (Datadog). All are NULL
 * for NULL. What they read becomes a value only after it was checked.
 */
#include "ddsketch.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

/* ---- exponential histograms ---- */

SQL_FUNCTION(sketches_ddsketch_from_exponential_histogram,
             sketch_from_exponential_histogram(fcinfo, ddsketch_from_exponential_histogram));

/* More buckets than this, most of them empty, are no histogram to send. */
#define ROW_MAX 1000000

/*
 * The counts from the first to the last of some buckets of one sign, which ascend, or descend if
 * `step` is -1.
 */
static Datum
counts_between(const DdsketchBucket *first, uint32 count, int step)
{
    int64 span = count == 0 ? 0 : (int64)first[(int64)step * (count - 1)].index - first->index + 1;
    int lengths[] = {(int)span}, lower_bounds[] = {1};
    ArrayType *array;
    int64 *counts;

    if (count == 0)
        return PointerGetDatum(construct_empty_array(INT8OID));
    if (span > ROW_MAX)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("too many buckets for an exponential histogram"),
                 errdetail("There are %lld from the first to the last one; at most %d are allowed.",
                           (long long)span, ROW_MAX),
                 errhint("ddsketch_reduce joins buckets.")));
    array = sketch_new_array(1, lengths, lower_bounds, INT8OID, (Size)span * sizeof(int64), false);
    counts = (int64 *)ARR_DATA_PTR(array);
    memset(counts, 0, (Size)span * sizeof *counts);
    for (int64 i = 0; i < count; i++)
        counts[(int64)first[step * i].index - first->index] = (int64)first[step * i].count;
    return PointerGetDatum(array);
}

PG_FUNCTION_INFO_V1(sketches_ddsketch_to_exponential_histogram);
Datum
sketches_ddsketch_to_exponential_histogram(PG_FUNCTION_ARGS)
{
    uint32 negative = 0, zero, positive;
    const DdsketchBucket *last_negative, *first_positive;
    bool nulls[8] = {false};
    Ddsketch sketch;
    Datum values[8];

    ddsketch_open_arg(fcinfo, &sketch);
    if (sketch.grid.mapping != DDSKETCH_EXPONENTIAL)
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 errmsg("a sketch of the DDSketch library is no exponential histogram"),
                 errdetail("Its buckets grow by %.15g.", sketch.grid.gamma),
                 errhint("ddsketch_to_ddsketch writes it; ddsketch_buckets lists its buckets.")));
    while (negative < sketch.count && sketch.buckets[negative].sign < 0)
        negative++;
    zero = negative < sketch.count && sketch.buckets[negative].sign == 0;
    positive = sketch.count - negative - zero;
    last_negative = sketch.buckets + negative - 1;
    first_positive = sketch.buckets + negative + zero;
    values[0] = Int32GetDatum(sketch.grid.scale);
    values[1] = Int64GetDatum(zero ? (int64)sketch.buckets[negative].count : 0);
    values[2] = Int32GetDatum(positive ? first_positive->index : 0);
    values[3] = counts_between(first_positive, positive, 1);
    values[4] = Int32GetDatum(negative ? last_negative->index : 0);
    values[5] = counts_between(last_negative, negative, -1);
    /* Only what is exact. */
    values[6] = Float8GetDatum(ddsketch_has_min(&sketch) ? ddsketch_at(&sketch, 1) : 0);
    values[7] = Float8GetDatum(ddsketch_has_max(&sketch) ? ddsketch_at(&sketch, sketch.total) : 0);
    nulls[6] = !ddsketch_has_min(&sketch);
    nulls[7] = !ddsketch_has_max(&sketch);
    return sketch_row(fcinfo, values, nulls);
}

/* ---- Datadog ---- */

SQL_FUNCTION(sketches_ddsketch_from_ddsketch,
             sketch_import(fcinfo,
                           PG_GETARG_BOOL(1) ? ddsketch_from_datadog_ceiling
                                             : ddsketch_from_datadog,
                           "invalid DDSketch"));

/* bytea has the same layout as a sketch. */
PG_FUNCTION_INFO_V1(sketches_ddsketch_to_ddsketch);
Datum
sketches_ddsketch_to_ddsketch(PG_FUNCTION_ARGS)
{
    Ddsketch sketch;
    SketchBytes message;
    SketchError error;

    ddsketch_open_arg(fcinfo, &sketch);
    if (sketch.grid.mapping == DDSKETCH_EXPONENTIAL && sketch.grid.scale == DDSKETCH_SCALE_MIN)
        ereport(ERROR,
                (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                 errmsg("buckets of scale %d have no gamma", sketch.grid.scale),
                 errdetail("They grow by 2^1024, which is more than double precision has.")));
    if (!PG_GETARG_BOOL(1))
        return sketch_datum(ddsketch_to_datadog(&sketch, &sketch_memory).data);
    if (!ddsketch_to_datadog_ceiling(&sketch, &sketch_memory, &message, &error))
        sketch_raise(&error, "cannot write this ddsketch in rows of counts");
    return sketch_datum(message.data);
}
