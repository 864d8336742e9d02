/*
 * bloom.c - the type bloom in SQL. What it is and how it works: core/bloom/bloom.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   bloom_empty, bloom_add, bloom_add_all, bloom_try_add          build and change
 *   bloom_contains, bloom_contains_each                           probe
 *   bloom_intersection                                            combine
 *   bloom_cardinality, bloom_false_positive_rate, bloom_info,
 *   bloom_filters                                                 ask and look inside
 *
 * Adding takes NULL for an empty sketch or for no item; the others are STRICT. Elements of arrays
 * that are NULL are not added, and are answered NULL. Aggregates: aggregate.c.
 */
#include "bloom.h"

#include "pg/shared/describe.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/* ---- parameters ---- */

const BloomParameters bloom_defaults = {BLOOM_CAPACITY_DEFAULT, BLOOM_RATE_DEFAULT,
                                        BLOOM_EXPANSION_DEFAULT};

#define SURELY_FITS 10000000 /* items, at whatever rate */

void
bloom_check_rate(double rate)
{
    if (!(rate >= BLOOM_RATE_MIN && rate < 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("bloom error rate %s is out of range", sketch_shortest(rate)),
                        errdetail("Must be at least %g and less than 1.", BLOOM_RATE_MIN)));
}

BloomParameters
bloom_check_parameters(int64 capacity, double rate, int64 expansion)
{
    uint64 bytes;

    sketch_check_range("bloom capacity", capacity, BLOOM_CAPACITY_MIN, BLOOM_CAPACITY_MAX);
    bloom_check_rate(rate);
    if (expansion < 0 || expansion > BLOOM_EXPANSION_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("bloom expansion %lld is out of range", (long long)expansion),
                        errdetail("Must be between 0 and %d; with 0 the filter does not grow.",
                                  BLOOM_EXPANSION_MAX)));
    bytes = capacity < SURELY_FITS ? 0 : bloom_first_bytes((uint64)capacity, rate, expansion);
    if (bytes > SKETCH_VALUE_MAX - VARHDRSZ)
        ereport(ERROR,
                (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
                 errmsg("a bloom filter for %lld items would be too large", (long long)capacity),
                 errdetail("It would take %llu bytes, the limit is %zu.", (unsigned long long)bytes,
                           (size_t)SKETCH_VALUE_MAX - VARHDRSZ),
                 errhint("Choose a lower capacity or a higher error rate.")));
    return (BloomParameters){(uint64)capacity, rate, (unsigned)expansion};
}

void
bloom_add_item(SketchState *state, SketchItem item)
{
    SketchError error;

    if (unlikely(bloom_is_redis(state->data)))
        bloom_redis_item_add(state, item);
    else {
        uint64 hash = sketch_item_hash(item);

        if (!bloom_add(*state, hash) && !bloom_insert(state, hash, &sketch_memory, &error))
            ereport(ERROR,
                    (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("bloom filter is full"),
                     sketch_errdetail(&error),
                     errhint("Make it with a higher capacity, or with an expansion above 0.")));
    }
}

/* ---- building and changing ---- */

PG_FUNCTION_INFO_V1(sketches_bloom_empty);
Datum
sketches_bloom_empty(PG_FUNCTION_ARGS)
{
    BloomParameters p =
        bloom_check_parameters(PG_GETARG_INT64(0), PG_GETARG_FLOAT8(1), PG_GETARG_INT64(2));

    return sketch_state_result(bloom_new(p.capacity, p.rate, p.expansion, &sketch_memory));
}

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return bloom_new(bloom_defaults.capacity, bloom_defaults.rate, bloom_defaults.expansion,
                     &sketch_memory);
}

static const SketchAdding adding = {&bloom_ops, default_state, bloom_add_item};

SQL_FUNCTION(sketches_bloom_add, sketch_add_item(fcinfo, &adding));
SQL_FUNCTION(sketches_bloom_add_all, sketch_add_items(fcinfo, &adding));

/* (filter with the item, whether it was new), as BF.ADD replies */
PG_FUNCTION_INFO_V1(sketches_bloom_try_add);
Datum
sketches_bloom_try_add(PG_FUNCTION_ARGS)
{
    SketchBytes before;
    SketchItem item;
    Datum values[2];
    Bloom bloom;
    bool added;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    before = sketch_arg_or_empty(fcinfo, default_state);
    item = sketch_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
    if (bloom_is_redis(before.data))
        added = !bloom_redis_item_contains(before, item);
    else if (bloom_read(&bloom, before))
        added = !bloom_has(&bloom, sketch_item_hash(item));
    else
        sketch_raise_damaged();
    if (added) {
        SketchState state = sketch_open(before, &bloom_ops);

        bloom_add_item(&state, item);
        values[0] = sketch_state_result(state);
    } else
        values[0] = sketch_packed_arg_datum(fcinfo, 0);
    values[1] = BoolGetDatum(added);
    return sketch_row(fcinfo, values, NULL);
}

void
bloom_intersect_or_raise(SketchState *state, SketchBytes other)
{
    SketchError error;

    if (bloom_is_redis(state->data) || bloom_is_redis(other.data)) {
        sketch_refuse(&error, SKETCH_MISMATCH, "Filters of RedisBloom have no intersection");
        sketch_raise(&error, "cannot intersect these values of type bloom");
    }
    if (!bloom_intersect(state, other, &sketch_memory, &error))
        sketch_raise(&error, "cannot intersect these values of type bloom");
}

PG_FUNCTION_INFO_V1(sketches_bloom_intersection);
Datum
sketches_bloom_intersection(PG_FUNCTION_ARGS)
{
    SketchState state = sketch_open(sketch_arg(fcinfo, 0), &bloom_ops);

    bloom_intersect_or_raise(&state, sketch_arg(fcinfo, 1));
    return sketch_state_result(state);
}

/* ---- probing ---- */

/*
 * A filter to probe: all of it, or its header and directory, with blocks fetched from `datum`.
 */
typedef struct Probe {
    bool whole;
    Bloom bloom;
    Datum datum;
    SketchBytes redis; /* a whole value of Redis */
} Probe;

/* Reading a slice costs as much as reading this many bytes of a value in one go. */
#define SLICE_BYTES 4096

/* `at_hand`, `value` and `size` are what sketch_arg_at_hand said. */
static Probe
begin_probe(Datum datum, Size items, bool at_hand, SketchBytes value, Size size)
{
    Probe probe = {.whole = true, .datum = datum};

    if (bloom_is_redis(value.data)) {
        probe.redis = at_hand ? value : sketch_value(datum);
        return probe;
    }
    if (!at_hand) {
        Size slices;

        slices = (Size)(bloom_front_bytes(value.data) - BLOOM_PACKED_HEADER) / BLOOM_LAYER_HEADER;
        slices = 1 + slices * items;
        if (sketch_encoding(value.data) != BLOOM_FILTER || slices >= size / SLICE_BYTES)
            value = sketch_value(probe.datum);
        else {
            if (bloom_front_bytes(value.data) > value.size)
                value = sketch_slice(probe.datum, 0, bloom_front_bytes(value.data));
            probe.whole = false;
            if (!bloom_read_directory(&probe.bloom, value, size))
                sketch_raise_damaged();
        }
    }
    if (probe.whole && !bloom_read(&probe.bloom, value))
        sketch_raise_damaged();
    return probe;
}

/* Returns true if a layer has the item; fetches one block of each. */
static bool
fetched_contains(const Probe *probe, uint64 hash)
{
    Bloom bloom = probe->bloom;
    Size offset = BLOOM_PACKED_HEADER + bloom.layers * (Size)BLOOM_LAYER_HEADER;

    for (uint32 i = 0; i < probe->bloom.layers; i++) {
        BloomLayer layer = bloom_next_layer(&bloom);
        SketchBytes block =
            sketch_slice(probe->datum, offset + bloom_block_at(&layer, hash), layer.block_bytes);
        bool found;

        if (block.size != layer.block_bytes)
            sketch_raise_damaged();
        found = bloom_block_contains(&layer, block.data, hash);
        pfree((void *)DatumGetPointer(sketch_datum(block.data)));
        if (found)
            return true;
        offset += bloom_layer_bytes(&layer);
    }
    return false;
}

static inline bool
probe_contains(const Probe *probe, SketchItem item, uint64 hash)
{
    if (probe->redis.data)
        return bloom_redis_item_contains(probe->redis, item);
    return probe->whole ? bloom_has(&probe->bloom, hash) : fetched_contains(probe, hash);
}

/* Returns true if the filter in argument n has the item in the other argument. */
static pg_attribute_always_inline Datum
contains(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    SketchItem item = sketch_item_arg(fcinfo, 1 - n, type);
    uint64 hash = sketch_item_hash(item);
    SketchBytes value;
    Size size = 0;
    bool at_hand = sketch_arg_at_hand(fcinfo, n, 2 * SLICE_BYTES, &value, &size), found;
    Probe probe;

    if (at_hand && bloom_single_contains(value, hash, &found))
        PG_RETURN_BOOL(found);
    probe = begin_probe(PG_GETARG_DATUM(n), 1, at_hand, value, size);
    PG_RETURN_BOOL(probe_contains(&probe, item, hash));
}

SQL_FUNCTION(sketches_bloom_contains, contains(fcinfo, 0, ITEM_HASHED));
SQL_FUNCTION(sketches_bloom_contains_text, contains(fcinfo, 0, ITEM_TEXT));
SQL_FUNCTION(sketches_bloom_contains_enum, contains(fcinfo, 0, ITEM_ENUM));

/* Whether the filter contains the item, with the item first. */
SQL_FUNCTION(sketches_bloom_contained, contains(fcinfo, 1, ITEM_HASHED));
SQL_FUNCTION(sketches_bloom_contained_text, contains(fcinfo, 1, ITEM_TEXT));
SQL_FUNCTION(sketches_bloom_contained_enum, contains(fcinfo, 1, ITEM_ENUM));

typedef struct Probes {
    Probe probe;
    SketchItemType type;
} Probes;

static bool
probe_item(void *context, Datum element, Datum *answer)
{
    const Probes *probes = context;
    SketchItem item = sketch_item(element, probes->type);

    *answer = BoolGetDatum(probe_contains(&probes->probe, item, sketch_item_hash(item)));
    return true;
}

PG_FUNCTION_INFO_V1(sketches_bloom_contains_each);
Datum
sketches_bloom_contains_each(PG_FUNCTION_ARGS)
{
    SketchItemType type;
    ArrayType *items = sketch_items_arg(fcinfo, 1, &type);
    int count = ArrayGetNItems(ARR_NDIM(items), ARR_DIMS(items));
    Size size = 0;
    SketchBytes value;
    bool at_hand = sketch_arg_at_hand(fcinfo, 0, (count + (Size)1) * SLICE_BYTES, &value, &size);
    Probes probes = {begin_probe(PG_GETARG_DATUM(0), count, at_hand, value, size), type};

    return sketch_answer_each(items, BOOLOID, probe_item, &probes);
}

/* ---- asking and looking inside ---- */

SQL_FUNCTION(sketches_bloom_cardinality,
             Int64GetDatum((int64)bloom_items(sketch_header(fcinfo, 0, NULL).data)));

/* Summary of a value, with sums over its layers. */
typedef struct Summary {
    uint64 capacity;
    double error_rate;
    uint32 expansion;
    uint64 items;
    uint32 layers;
    uint64 bytes;
    uint64 ones;
    double rate; /* as it is filled */
    Size size;   /* of the value */
    const char *hash;
} Summary;

static Summary
summarize_redis(SketchBytes value)
{
    Summary sum = {.size = value.size, .hash = "redis"};
    double none = 1;
    BloomRedis redis;

    if (!bloom_redis_read(&redis, value))
        sketch_raise_damaged();
    sum.expansion = redis.options & BLOOM_REDIS_NO_SCALING ? 0 : redis.growth;
    sum.items = redis.items;
    sum.layers = redis.layers;
    for (uint32 i = 0; i < sum.layers; i++) {
        BloomRedisLayer layer = bloom_redis_next(&redis);

        /* The first filter gets half of the rate, unless it stays the only one. */
        if (i == 0)
            sum.error_rate = sum.expansion == 0 ? layer.error : 2 * layer.error;
        sum.capacity += layer.capacity;
        sum.bytes += layer.bytes;
        sum.ones += bloom_redis_ones(&layer, &sketch_memory);
        none *= 1 - bloom_redis_rate(&layer, &sketch_memory);
    }
    sum.rate = 1 - none;
    return sum;
}

/* Summarizes argument 0. */
static Summary
summarize(FunctionCallInfo fcinfo)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    Summary sum = {.size = value.size, .hash = "xxh3"};
    double none = 1;
    Bloom bloom;

    if (bloom_is_redis(value.data))
        return summarize_redis(value);
    if (!bloom_read(&bloom, value))
        sketch_raise_damaged();
    sum.error_rate = bloom.rate;
    sum.expansion = bloom.expansion;
    sum.items = bloom.items;
    sum.layers = bloom.layers;
    for (uint32 i = 0; i < sum.layers; i++) {
        BloomLayer layer = bloom_next_layer(&bloom);

        sum.capacity += layer.capacity;
        sum.bytes += bloom_layer_bytes(&layer);
        sum.ones += bloom_layer_ones(&layer, &sketch_memory);
        none *= 1 - bloom_layer_rate(&layer, &sketch_memory);
    }
    sum.rate = 1 - none;
    if (sum.layers == 0) {
        sum.capacity = bloom.capacity;
        sum.bytes = bloom.items * sizeof(uint64);
    }
    return sum;
}

SQL_FUNCTION(sketches_bloom_false_positive_rate, Float8GetDatum(summarize(fcinfo).rate));

PG_FUNCTION_INFO_V1(sketches_bloom_info);
Datum
sketches_bloom_info(PG_FUNCTION_ARGS)
{
    Summary sum = summarize(fcinfo);
    bool nulls[10] = {false};
    Datum values[10] = {0};

    values[0] = Int64GetDatum((int64)sum.capacity);
    values[1] = Float8GetDatum(sum.error_rate);
    values[2] = Int32GetDatum((int32)sum.expansion);
    values[3] = Int64GetDatum((int64)sum.items);
    values[4] = Int32GetDatum((int32)sum.layers);
    nulls[5] = sum.items == 0;
    values[5] = Float8GetDatum(nulls[5] ? 0 : 8.0 * sum.bytes / sum.items);
    nulls[6] = sum.layers == 0;
    values[6] = Float8GetDatum(nulls[6] ? 0 : sum.ones / (8.0 * sum.bytes));
    values[7] = Float8GetDatum(sum.rate);
    values[8] = CStringGetTextDatum(sum.hash);
    values[9] = Int32GetDatum((int32)(sum.size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

/* One line for people. */
PG_FUNCTION_INFO_V1(sketches_bloom_describe);
Datum
sketches_bloom_describe(PG_FUNCTION_ARGS)
{
    Summary sum = summarize(fcinfo);

    return sketch_line(sum.size + VARHDRSZ, "bloom: %s, %.2g%% false positives",
                       sketch_count(sum.items, "item"), 100 * sum.rate);
}

/* One row for each layer; none for a list. */
typedef struct Layers {
    Bloom bloom;
    BloomRedis redis;
    bool is_redis;
    uint32 at, count;
} Layers;

static void *
begin_layers(FunctionCallInfo fcinfo)
{
    Layers *layers = palloc0(sizeof *layers);
    Size size;
    SketchBytes front = sketch_header(fcinfo, 0, &size);

    if (bloom_is_redis(front.data)) {
        layers->is_redis = true;
        if (!bloom_redis_read(&layers->redis, sketch_copy(sketch_packed_arg(fcinfo, 0))))
            sketch_raise_damaged();
        layers->count = layers->redis.layers;
        return layers;
    }
    if (sketch_encoding(front.data) == BLOOM_FILTER) {
        Size bytes = bloom_front_bytes(front.data);

        /* The argument may be gone by the next call. */
        if (bytes > front.size)
            front = sketch_slice(PG_GETARG_DATUM(0), 0, bytes);
        else
            front = sketch_copy((SketchBytes){front.data, bytes});
        if (!bloom_read_directory(&layers->bloom, front, size))
            sketch_raise_damaged();
    }
    layers->count = layers->bloom.layers;
    return layers;
}

static bool
next_layer(void *rows, Datum *values, bool *nulls)
{
    Layers *layers = rows;
    BloomLayer layer;

    if (layers->at == layers->count)
        return false;
    if (layers->is_redis) {
        BloomRedisLayer redis = bloom_redis_next(&layers->redis);

        layer = (BloomLayer){.capacity = redis.capacity,
                             .items = redis.items,
                             .rate = redis.error,
                             .hashes = redis.hashes,
                             .blocks = (uint32)redis.bytes,
                             .block_bytes = 1};
    } else
        layer = bloom_next_layer(&layers->bloom);
    values[0] = Int32GetDatum((int32)++layers->at);
    values[1] = Int64GetDatum((int64)layer.capacity);
    values[2] = Int64GetDatum((int64)layer.items);
    values[3] = Float8GetDatum(layer.rate);
    values[4] = Int32GetDatum((int32)layer.hashes);
    values[5] = Int64GetDatum((int64)(8 * bloom_layer_bytes(&layer)));
    return true;
}

SQL_FUNCTION(sketches_bloom_filters, sketch_rows(fcinfo, begin_layers, next_layer));
