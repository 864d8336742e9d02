/*
 * import.c - sketches of other systems in SQL: read, counted on with their hash, given back. What
 * they are: core/hll/from_redis.c, from_postgresql_hll.c and from_datasketches.c.
 *
 * SQL objects served:
 *   hll_from_redis, hll_to_redis, hll_redis_empty, hll_redis_agg
 *   hll_from_postgresql_hll, hll_to_postgresql_hll, hll_postgresql_hll_empty,
 *   hll_postgresql_hll_hash, hll_postgresql_hll_agg
 *   hll_from_datasketches, hll_to_datasketches, hll_datasketches_empty,
 *   hll_datasketches_hash, hll_datasketches_agg,
 *   hll_datasketches_postgresql_hash
 *   hll_add_hash
 *
 * Scalar functions are STRICT, except hll_add_hash, which takes a NULL hash for none and refuses a
 * NULL sketch. Aggregates skip NULL values and are NULL over no rows.
 */
#include "hll.h"

#include "catalog/pg_type.h"

#include "core/common/bytes.h"
#include "core/common/datasketches.h"
#include "core/common/item.h"
#include "pg/shared/items.h"

/* An empty sketch of the precision in argument 0, which the system calls `name`. */
static Datum
empty(FunctionCallInfo fcinfo, SketchHash hash, const char *name)
{
    int64 precision =
        sketch_check_range(name, PG_GETARG_INT64(0), HLL_PRECISION_MIN, HLL_PRECISION_MAX);

    return sketch_state_result(hll_new(hash, (unsigned)precision, &sketch_memory));
}

/* The state of an aggregate over items of a system, or an empty sketch. */
static SketchState
state_of(FunctionCallInfo fcinfo, SketchHash hash, unsigned precision)
{
    SketchState state = PG_ARGISNULL(0) ? hll_new(hash, precision, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, &hll_ops);

    if (hll_state_hash(state) != hash)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("cannot add an item of %s to this hll", hll_origin(hash)->system),
                        errdetail("The sketch was counted with the hash function of %s.",
                                  hll_origin(hll_state_hash(state))->system)));
    return state;
}

/* ---- Redis ---- */

SQL_FUNCTION(sketches_hll_redis_empty,
             sketch_state_result(hll_new(SKETCH_HASH_REDIS, HLL_PRECISION_REDIS, &sketch_memory)));
SQL_FUNCTION(sketches_hll_from_redis,
             sketch_import(fcinfo, hll_from_redis, "invalid HyperLogLog of Redis"));

PG_FUNCTION_INFO_V1(sketches_hll_to_redis);
Datum
sketches_hll_to_redis(PG_FUNCTION_ARGS)
{
    SketchBytes string;
    SketchError error;

    if (!hll_to_redis(sketch_arg(fcinfo, 0), &sketch_memory, &string, &error))
        sketch_raise(&error, "cannot write this hll as a HyperLogLog of Redis");
    return sketch_bytea(string);
}

/* hll_redis_agg(text) and (bytea) */
PG_FUNCTION_INFO_V1(sketches_hll_redis_agg_state);
Datum
sketches_hll_redis_agg_state(PG_FUNCTION_ARGS)
{
    const struct varlena *item;
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    state = state_of(fcinfo, SKETCH_HASH_REDIS, HLL_PRECISION_REDIS);
    item = PG_GETARG_VARLENA_PP(1);
    hll_insert_foreign(&state, VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item), &sketch_memory);
    return sketch_aggregate_result(fcinfo, state);
}

/* ---- hashes ---- */

/* Adds a hash of DataSketches, as hll_datasketches_hash returns it. */
static void
insert_coupon(SketchState *state, int64 coupon)
{
    if (coupon > PG_UINT32_MAX || coupon >> HLL_TOKEN_BITS <= 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%lld is no hash of DataSketches", (long long)coupon),
                        errdetail("Must be between 2^26 and 2^32 - 1."),
                        errhint("hll_datasketches_hash makes them.")));
    hll_insert_token(state, hll_token_of_coupon((uint32)coupon), &sketch_memory);
}

/* hll_add_hash(hll, bigint): a hash made elsewhere, by the sketch's own function */
PG_FUNCTION_INFO_V1(sketches_hll_add_hash);
Datum
sketches_hll_add_hash(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(0) && PG_ARGISNULL(1))
        PG_RETURN_NULL();
    if (PG_ARGISNULL(0))
        ereport(ERROR,
                (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
                 errmsg("cannot add a hash to an hll that is NULL"),
                 errdetail("The hash function of the sketch must have made the hash."),
                 errhint("Start with hll_postgresql_hll_empty() or hll_datasketches_empty().")));
    if (PG_ARGISNULL(1))
        return sketch_packed_arg_datum(fcinfo, 0);
    state = sketch_open(sketch_arg(fcinfo, 0), &hll_ops);
    if (hll_state_hash(state) == SKETCH_HASH_DATASKETCHES)
        insert_coupon(&state, PG_GETARG_INT64(1));
    else
        hll_insert(&state, (uint64)PG_GETARG_INT64(1), &sketch_memory);
    return sketch_state_result(state);
}

/* ---- postgresql-hll ---- */

SQL_FUNCTION(sketches_hll_postgresql_hll_empty, empty(fcinfo, SKETCH_HASH_POSTGRESQL_HLL, "log2m"));
SQL_FUNCTION(sketches_hll_from_postgresql_hll,
             sketch_import(fcinfo, hll_from_postgresql_hll, "invalid value of postgresql-hll"));

/* The expansion threshold as the type of a column has it. */
static int
check_threshold(int64 threshold)
{
    if (threshold < -1 || threshold > HLL_POSTGRESQL_HLL_THRESHOLD_MAX ||
        (threshold > 0 && (threshold & (threshold - 1)) != 0))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("expthresh %lld is out of range", (long long)threshold),
                        errdetail("Must be -1 (automatic), 0 or a power of 2 up to %d.",
                                  HLL_POSTGRESQL_HLL_THRESHOLD_MAX)));
    return (int)threshold;
}

PG_FUNCTION_INFO_V1(sketches_hll_to_postgresql_hll);
Datum
sketches_hll_to_postgresql_hll(PG_FUNCTION_ARGS)
{
    int64 regwidth =
        sketch_check_range("regwidth", PG_GETARG_INT64(1), HLL_POSTGRESQL_HLL_REGWIDTH_MIN,
                           HLL_POSTGRESQL_HLL_REGWIDTH_MAX);
    int threshold = check_threshold(PG_GETARG_INT64(2));
    SketchBytes bytes;
    SketchError error;

    if (!hll_to_postgresql_hll(sketch_arg(fcinfo, 0), (unsigned)regwidth, threshold,
                               PG_GETARG_BOOL(3), &sketch_memory, &bytes, &error))
        sketch_raise(&error, "cannot write this hll as a value of postgresql-hll");
    return sketch_bytea(bytes);
}

/* The hash of the low bytes of an integer, or of all of them. */
static Datum
postgresql_hll_hash(FunctionCallInfo fcinfo, int64 value, size_t size)
{
    int64 seed = sketch_check_range("seed", PG_GETARG_INT64(1), 0, PG_INT32_MAX);
    uint8 bytes[8];

    store_le64(bytes, (uint64)value);
    PG_RETURN_INT64((int64)hll_postgresql_hll_hash(bytes, size, (uint32)seed, &sketch_memory));
}

SQL_FUNCTION(sketches_hll_postgresql_hll_hash_boolean,
             postgresql_hll_hash(fcinfo, PG_GETARG_BOOL(0), 1));
SQL_FUNCTION(sketches_hll_postgresql_hll_hash_smallint,
             postgresql_hll_hash(fcinfo, PG_GETARG_INT16(0), 2));
SQL_FUNCTION(sketches_hll_postgresql_hll_hash_integer,
             postgresql_hll_hash(fcinfo, PG_GETARG_INT32(0), 4));
SQL_FUNCTION(sketches_hll_postgresql_hll_hash_bigint,
             postgresql_hll_hash(fcinfo, PG_GETARG_INT64(0), 8));

/* (text) and (bytea) */
PG_FUNCTION_INFO_V1(sketches_hll_postgresql_hll_hash_bytes);
Datum
sketches_hll_postgresql_hll_hash_bytes(PG_FUNCTION_ARGS)
{
    const struct varlena *item = PG_GETARG_VARLENA_PP(0);
    int64 seed = sketch_check_range("seed", PG_GETARG_INT64(1), 0, PG_INT32_MAX);

    PG_RETURN_INT64((int64)hll_postgresql_hll_hash(VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item),
                                                   (uint32)seed, &sketch_memory));
}

/* Precision argument of an aggregate, or the default if it has none. */
static unsigned
aggregate_precision(FunctionCallInfo fcinfo, const char *name, unsigned otherwise)
{
    return PG_NARGS() > 2 ? hll_constant_precision(fcinfo, name) : otherwise;
}

/* hll_postgresql_hll_agg(hash) and (hash, log2m) */
PG_FUNCTION_INFO_V1(sketches_hll_postgresql_hll_agg_state);
Datum
sketches_hll_postgresql_hll_agg_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    state = state_of(fcinfo, SKETCH_HASH_POSTGRESQL_HLL,
                     aggregate_precision(fcinfo, "log2m", HLL_POSTGRESQL_HLL_LOG2M));
    hll_insert(&state, (uint64)PG_GETARG_INT64(1), &sketch_memory);
    return sketch_aggregate_result(fcinfo, state);
}

/* ---- DataSketches ---- */

SQL_FUNCTION(sketches_hll_datasketches_empty, empty(fcinfo, SKETCH_HASH_DATASKETCHES, "lgk"));
SQL_FUNCTION(sketches_hll_from_datasketches,
             sketch_import(fcinfo, hll_from_datasketches, "invalid HLL sketch of DataSketches"));

PG_FUNCTION_INFO_V1(sketches_hll_to_datasketches);
Datum
sketches_hll_to_datasketches(PG_FUNCTION_ARGS)
{
    int64 bits = PG_GETARG_INT64(1);
    SketchBytes bytes;
    SketchError error;

    if (bits != 4 && bits != 6 && bits != 8)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("%lld bits for a register are out of range", (long long)bits),
                        errdetail("Must be 4, 6 or 8.")));
    if (!hll_to_datasketches(sketch_arg(fcinfo, 0), (unsigned)bits, &sketch_memory, &bytes, &error))
        sketch_raise(&error, "cannot write this hll as a sketch of DataSketches");
    return sketch_bytea(bytes);
}

static uint32
coupon_of_integer(int64 value)
{
    uint8 bytes[8];

    store_le64(bytes, (uint64)value);
    return hll_datasketches_coupon(bytes, sizeof bytes, &sketch_memory);
}

/* 0 for no bytes: the libraries of DataSketches count no such item. */
static uint32
coupon_of_bytes(SketchBytes item)
{
    return item.size > 0 ? hll_datasketches_coupon(item.data, item.size, &sketch_memory) : 0;
}

static uint32
coupon_of_text(SketchBytes text)
{
    SketchBytes utf8 = sketch_utf8(text);
    uint32 coupon = coupon_of_bytes(utf8);

    sketch_free_utf8(utf8, text);
    return coupon;
}

/* The hash as a result; NULL for no item. */
static Datum
coupon_datum(FunctionCallInfo fcinfo, uint32 coupon)
{
    if (coupon == 0)
        PG_RETURN_NULL();
    PG_RETURN_INT64(coupon);
}

SQL_FUNCTION(sketches_hll_datasketches_hash_smallint,
             coupon_datum(fcinfo, coupon_of_integer(PG_GETARG_INT16(0))));
SQL_FUNCTION(sketches_hll_datasketches_hash_integer,
             coupon_datum(fcinfo, coupon_of_integer(PG_GETARG_INT32(0))));
SQL_FUNCTION(sketches_hll_datasketches_hash_bigint,
             coupon_datum(fcinfo, coupon_of_integer(PG_GETARG_INT64(0))));
SQL_FUNCTION(sketches_hll_datasketches_hash_float8,
             coupon_datum(fcinfo, coupon_of_integer(datasketches_double(PG_GETARG_FLOAT8(0)))));
SQL_FUNCTION(sketches_hll_datasketches_hash_text,
             coupon_datum(fcinfo, coupon_of_text(sketch_inline_bytes(PG_GETARG_VARLENA_PP(0)))));
SQL_FUNCTION(sketches_hll_datasketches_hash_bytes,
             coupon_datum(fcinfo, coupon_of_bytes(sketch_inline_bytes(PG_GETARG_VARLENA_PP(0)))));

/* hll_datasketches_agg(hash) and (hash, lgk) */
PG_FUNCTION_INFO_V1(sketches_hll_datasketches_agg_state);
Datum
sketches_hll_datasketches_agg_state(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    state = state_of(fcinfo, SKETCH_HASH_DATASKETCHES,
                     aggregate_precision(fcinfo, "lgk", HLL_DATASKETCHES_LGK));
    insert_coupon(&state, PG_GETARG_INT64(1));
    return sketch_aggregate_result(fcinfo, state);
}

/* ---- DataSketches' extension of PostgreSQL, which hashes the bytes of a datum ---- */

static Datum
datum_hash(uint64 bits, size_t size)
{
    uint8 bytes[8];

    store_le64(bytes, bits);
    PG_RETURN_INT64(hll_datasketches_coupon(bytes, size, &sketch_memory));
}

PG_FUNCTION_INFO_V1(sketches_hll_datasketches_postgresql_hash);
Datum
sketches_hll_datasketches_postgresql_hash(PG_FUNCTION_ARGS)
{
    const struct varlena *item;
    float4 real;
    float8 number;
    uint32 bits;
    uint64 wide;

    switch (sketch_declared_type(fcinfo, 0)) {
    case INT2OID:
        return datum_hash((uint64)PG_GETARG_INT16(0), sizeof(int16));
    case INT4OID:
        return datum_hash((uint64)PG_GETARG_INT32(0), sizeof(int32));
    case FLOAT4OID:
        real = PG_GETARG_FLOAT4(0);
        memcpy(&bits, &real, sizeof bits);
        return datum_hash(bits, sizeof bits);
    case INT8OID:
        return datum_hash((uint64)PG_GETARG_INT64(0), sizeof(int64));
    case FLOAT8OID:
        number = PG_GETARG_FLOAT8(0);
        memcpy(&wide, &number, sizeof wide);
        return datum_hash(wide, sizeof wide);
    default: /* text, bytea */
        item = PG_GETARG_VARLENA_PP(0);
        PG_RETURN_INT64(
            hll_datasketches_coupon(VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item), &sketch_memory));
    }
}
