/*
 * redis.c - Bloom filters of RedisBloom in SQL. What they are: core/bloom/redis.c.
 *
 * SQL objects served:
 *   bloom_from_redis(bytea), (bytea, bytea)     a DUMP payload; header and chunks of SCANDUMP
 *   bloom_to_redis(bloom)                       header and chunks for LOADCHUNK
 *   bloom_plan(bigint, float8 [, bigint])       what a filter will take, here and in Redis
 *
 * All are STRICT.
 */
#include "bloom.h"

#include <math.h>

bool
bloom_redis_item_contains(SketchBytes value, SketchItem item)
{
    return bloom_redis_contains(value, sketch_foreign_item(item, "a bloom filter", "Redis"),
                                &sketch_memory);
}

void
bloom_redis_item_add(SketchState *state, SketchItem item)
{
    SketchBytes bytes = sketch_foreign_item(item, "a bloom filter", "Redis");
    SketchError error;
    bool added;

    if (!bloom_redis_add(state, bytes, &added, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this bloom filter of Redis");
}

/* bloom_from_redis(payload) and (header, chunks) */
PG_FUNCTION_INFO_V1(sketches_bloom_from_redis);
Datum
sketches_bloom_from_redis(PG_FUNCTION_ARGS)
{
    SketchBytes header, value;
    SketchError error;

    if (PG_NARGS() == 1)
        return sketch_import(fcinfo, bloom_redis_from_dump, "invalid Bloom filter of Redis");
    header = sketch_inline_bytes(PG_GETARG_BYTEA_PP(0));
    if (!bloom_redis_from_scandump(header, sketch_inline_bytes(PG_GETARG_BYTEA_PP(1)),
                                   &sketch_memory, &value, &error))
        sketch_raise_import(fcinfo, &error, header, "invalid Bloom filter of Redis");
    return sketch_datum(value.data);
}

PG_FUNCTION_INFO_V1(sketches_bloom_to_redis);
Datum
sketches_bloom_to_redis(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    BloomRedis redis;
    bytea *header;
    Size header_size;
    Datum values[2];

    if (!bloom_is_redis(value.data))
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("cannot write this bloom filter as a filter of Redis"),
                        errdetail("It was made with this extension's hash (XXH3), and RedisBloom "
                                  "has another (MurmurHash64A)."),
                        errhint("Only filters that bloom_from_redis has read can be written.")));
    if (!bloom_redis_read(&redis, value))
        sketch_raise_damaged();
    header_size = bloom_redis_header_bytes(&redis);
    header = palloc(VARHDRSZ + header_size);
    SET_VARSIZE(header, VARHDRSZ + header_size);
    bloom_redis_write_header(redis, (uint8 *)VARDATA(header));
    values[0] = PointerGetDatum(header);
    values[1] =
        sketch_bytea((SketchBytes){redis.bits, value.size - (size_t)(redis.bits - value.data)});
    return sketch_row(fcinfo, values, NULL);
}

/* ---- the calculator ---- */

/* bloom_plan(items, error_rate) and (items, error_rate, filled) */
PG_FUNCTION_INFO_V1(sketches_bloom_plan);
Datum
sketches_bloom_plan(PG_FUNCTION_ARGS)
{
    int64 items = sketch_check_range("bloom items", PG_GETARG_INT64(0), 1, BLOOM_CAPACITY_MAX);
    double rate = PG_GETARG_FLOAT8(1);
    int64 filled = PG_NARGS() > 2 ? sketch_check_range("bloom filled items", PG_GETARG_INT64(2), 0,
                                                       INT64CONST(1) << 40)
                                  : items;
    BloomLayer layer = {.capacity = (uint64)items};
    BloomRedisLayer redis;
    Datum values[7];
    bool nulls[7] = {false};

    bloom_check_rate(rate);
    layer.rate = rate * BLOOM_WHOLE_SHARE;
    bloom_layer_shape(&layer);
    redis = bloom_redis_plan((uint64)items, rate);
    values[0] = Int64GetDatum((int64)(8 * bloom_layer_bytes(&layer)));
    values[1] = Float8GetDatum(8.0 * bloom_layer_bytes(&layer) / items);
    values[2] = Int32GetDatum((int32)layer.hashes);
    values[3] = Int64GetDatum(
        (int64)(VARHDRSZ + BLOOM_PACKED_HEADER + BLOOM_LAYER_HEADER + bloom_layer_bytes(&layer)));
    values[4] = Float8GetDatum(bloom_expected_rate(&layer, (double)filled));
    nulls[5] = redis.bytes == 0;
    values[5] = Int64GetDatum((int64)redis.bytes);
    values[6] = Int32GetDatum((int32)redis.hashes);
    return sketch_row(fcinfo, values, nulls);
}
