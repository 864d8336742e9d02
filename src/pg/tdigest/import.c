/*
 * import.c - digests made from other systems' sketches and histograms, and back.
 *
 * SQL objects served: tdigest_from_redis, tdigest_from_datasketches, tdigest_to_datasketches,
 * tdigest_from_kll, tdigest_from_dunning, tdigest_from_tdigest_extension, tdigest_from_histogram,
 * tdigest_from_exponential_histogram, tdigest_from_ddsketch. All are NULL for NULL.
 */
#include "tdigest.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "pg/shared/quantile_functions.h"

SQL_FUNCTION(sketches_tdigest_from_redis,
             sketch_import(fcinfo, tdigest_from_redis, "invalid t-digest of Redis"));
SQL_FUNCTION(sketches_tdigest_from_datasketches,
             sketch_import(fcinfo, tdigest_from_datasketches, "invalid t-digest of DataSketches"));
SQL_FUNCTION(sketches_tdigest_from_dunning,
             sketch_import(fcinfo, tdigest_from_dunning, "invalid t-digest of Dunning's library"));
SQL_FUNCTION(sketches_tdigest_from_ddsketch,
             sketch_import(fcinfo, tdigest_from_ddsketch, "invalid DDSketch"));

/* From bytea: what its send function writes. */
SQL_FUNCTION(sketches_tdigest_from_tdigest_extension,
             sketch_import(fcinfo, tdigest_from_extension,
                           "invalid digest of the tdigest extension"));

PG_FUNCTION_INFO_V1(sketches_tdigest_from_tdigest_extension_text);
Datum
sketches_tdigest_from_tdigest_extension_text(PG_FUNCTION_ARGS)
{
    SketchBytes value;
    SketchError error;

    if (!tdigest_from_extension_text(sketch_inline_bytes(PG_GETARG_TEXT_PP(0)), &sketch_memory,
                                     &value, &error)) {
        if (error.status == SKETCH_MALFORMED)
            ereport(ERROR,
                    (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
                     errmsg("invalid digest of the tdigest extension"), sketch_errdetail(&error)));
        sketch_raise(&error, "invalid digest of the tdigest extension");
    }
    return sketch_datum(value.data);
}

static TdigestItem
item_arg(FunctionCallInfo fcinfo, int n)
{
    const char *name = text_to_cstring(PG_GETARG_TEXT_PP(n));

    if (strcmp(name, "double") == 0)
        return TDIGEST_ITEM_DOUBLE;
    if (strcmp(name, "float") == 0)
        return TDIGEST_ITEM_FLOAT;
    if (strcmp(name, "long") == 0)
        return TDIGEST_ITEM_LONG;
    ereport(ERROR,
            (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown type of items \"%s\"", name),
             errdetail("Must be \"double\", \"float\" or \"long\".")));
    pg_unreachable();
}

PG_FUNCTION_INFO_V1(sketches_tdigest_from_kll);
Datum
sketches_tdigest_from_kll(PG_FUNCTION_ARGS)
{
    TdigestItem item = item_arg(fcinfo, 1);
    SketchBytes input = sketch_inline_bytes(PG_GETARG_BYTEA_PP(0)), value;
    SketchError error;

    if (!tdigest_from_kll(input, item, &sketch_memory, &value, &error))
        sketch_raise_import(fcinfo, &error, input, "invalid KLL sketch of DataSketches");
    return sketch_datum(value.data);
}

/* bytea has the same layout as a sketch. */
PG_FUNCTION_INFO_V1(sketches_tdigest_to_datasketches);
Datum
sketches_tdigest_to_datasketches(PG_FUNCTION_ARGS)
{
    Tdigest digest;

    if (!tdigest_read(&digest, sketch_packed_arg(fcinfo, 0), &sketch_memory))
        sketch_raise_damaged();
    return sketch_datum(tdigest_to_datasketches(&digest, &sketch_memory).data);
}

/* ---- histograms ---- */

PG_FUNCTION_INFO_V1(sketches_tdigest_from_histogram);
Datum
sketches_tdigest_from_histogram(PG_FUNCTION_ARGS)
{
    uint32 bounds_count, count;
    const double *bounds = sketch_array_of_eight(fcinfo, 0, "bounds", &bounds_count);
    const int64 *counts = sketch_array_of_eight(fcinfo, 1, "counts", &count);
    SketchBytes value;
    SketchError error;

    if (!tdigest_from_histogram(bounds, bounds_count, (const int64_t *)counts, count,
                                &sketch_memory, &value, &error))
        sketch_raise(&error, "invalid histogram");
    return sketch_datum(value.data);
}

SQL_FUNCTION(sketches_tdigest_from_exponential_histogram,
             sketch_from_exponential_histogram(fcinfo, tdigest_from_exponential_histogram));
