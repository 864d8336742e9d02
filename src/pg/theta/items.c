/*
 * items.c - what takes the values that theta sketches count, by their types.
 *
 * SQL objects served, each for smallint, int, bigint, double precision, text and bytea:
 *   theta_add, theta_add_all          not STRICT: NULL adds nothing, a NULL sketch is an empty one
 *   _theta_agg_state                  transitions of theta_agg; NULL values are skipped
 *   theta_contains, theta_contained   operators @> and <@; STRICT
 *
 * Values are hashed as DataSketches does: integers of any width as 8 bytes, so that an int and a
 * bigint are one item and an int and a double precision are not; texts as UTF-8 whatever the
 * encoding of the database is, so that a text and its bytea are one item in UTF-8. An empty text has
 * no hash and is no item.
 */
#include "theta.h"

#include "access/heaptoast.h"
#include "mb/pg_wchar.h"

/* ---- hashes ---- */

static uint64
bytea_hash(Datum item)
{
    const struct varlena *bytes = (const struct varlena *)PG_DETOAST_DATUM_PACKED(item);

    return theta_hash(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &sketch_memory);
}

static uint64
text_hash(Datum item)
{
    const struct varlena *text = (const struct varlena *)PG_DETOAST_DATUM_PACKED(item);
    const char *bytes = VARDATA_ANY(text);
    int size = VARSIZE_ANY_EXHDR(text), encoding = GetDatabaseEncoding();

    if (likely(encoding == PG_UTF8 || encoding == PG_SQL_ASCII || size == 0))
        return theta_hash(bytes, (size_t)size, &sketch_memory);
    bytes = pg_server_to_any(bytes, size, PG_UTF8);
    return theta_hash(bytes, bytes == VARDATA_ANY(text) ? (size_t)size : strlen(bytes),
                      &sketch_memory);
}

/* The hash of an element of an array. */
typedef uint64 (*HashElement)(Datum element);

static uint64
smallint_hash(Datum element)
{
    return theta_hash_int64(DatumGetInt16(element));
}

static uint64
integer_hash(Datum element)
{
    return theta_hash_int64(DatumGetInt32(element));
}

static uint64
bigint_hash(Datum element)
{
    return theta_hash_int64(DatumGetInt64(element));
}

static uint64
float8_hash(Datum element)
{
    return theta_hash_double(DatumGetFloat8(element));
}

/* ---- adding ---- */

/* What a NULL sketch stands for when something is added. */
static SketchState
default_state(void)
{
    return theta_new(THETA_LGK_DEFAULT, &sketch_memory);
}

static Datum
add(FunctionCallInfo fcinfo, HashElement hash)
{
    SketchState state;

    if (sketch_adds_null(fcinfo))
        return sketch_nothing_added(fcinfo);
    state = sketch_open(sketch_arg_or_empty(fcinfo, default_state), &theta_ops);
    theta_insert(&state, hash(PG_GETARG_DATUM(1)), &sketch_memory);
    return sketch_state_result(state);
}

static Datum
add_all(FunctionCallInfo fcinfo, HashElement hash)
{
    SketchElements elements;
    SketchState state;
    Datum element;

    if (sketch_adds_null(fcinfo))
        return sketch_nothing_added(fcinfo);
    state = sketch_open(sketch_arg_or_empty(fcinfo, default_state), &theta_ops);
    elements = sketch_elements(PG_GETARG_ARRAYTYPE_P(1));
    while (sketch_next_element(&elements, &element))
        theta_insert(&state, hash(element), &sketch_memory);
    return sketch_state_result(state);
}

/* ---- aggregates ---- */

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, uint64 hash, unsigned lgk)
{
    SketchState state = PG_ARGISNULL(0) ? theta_new(lgk, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, &theta_ops);

    theta_insert(&state, hash, &sketch_memory);
    return sketch_aggregate_result(fcinfo, state);
}

/*
 * Transition; `lgk` is looked at for the first value only. Adding to a state in place that has room,
 * or does not need the hash, is what happens per row.
 */
static inline Datum
aggregate(FunctionCallInfo fcinfo, uint64 hash, unsigned lgk)
{
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && theta_add(state, hash))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, hash, lgk);
}

static unsigned
constant_lgk(FunctionCallInfo fcinfo)
{
    int32 lgk;

    sketch_check_not_null(fcinfo, 2, "lgk");
    lgk = PG_GETARG_INT32(2);
    if (!PG_ARGISNULL(0))
        theta_check_same_lgk(theta_lgk(sketch_front(fcinfo, 0)), lgk);
    return theta_check_lgk(lgk, THETA_LGK_MAX);
}

/* ---- looking up ---- */

/* Whether argument `n` has a hash; of a stored value only the header is read if theta says no. */
static Datum
contains(FunctionCallInfo fcinfo, int n, uint64 hash)
{
    SketchBytes value;
    Size size;

    if (!sketch_arg_at_hand(fcinfo, n, TOAST_MAX_CHUNK_SIZE, &value, &size)) {
        if (hash == 0 || hash >= theta_summary(value, &sketch_memory).theta)
            PG_RETURN_BOOL(false);
        value = sketch_packed_arg(fcinfo, n);
    }
    PG_RETURN_BOOL(theta_contains(value, hash, &sketch_memory));
}

/* ---- by type ---- */

PG_FUNCTION_INFO_V1(sketches_theta_add_smallint);
Datum
sketches_theta_add_smallint(PG_FUNCTION_ARGS)
{
    return add(fcinfo, smallint_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_smallint);
Datum
sketches_theta_add_all_smallint(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, smallint_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_smallint_state);
Datum
sketches_theta_agg_smallint_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, smallint_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_smallint_lgk_state);
Datum
sketches_theta_agg_smallint_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, smallint_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_smallint);
Datum
sketches_theta_contains_smallint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, smallint_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_smallint);
Datum
sketches_theta_contained_smallint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, smallint_hash(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sketches_theta_add_integer);
Datum
sketches_theta_add_integer(PG_FUNCTION_ARGS)
{
    return add(fcinfo, integer_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_integer);
Datum
sketches_theta_add_all_integer(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, integer_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_integer_state);
Datum
sketches_theta_agg_integer_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, integer_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_integer_lgk_state);
Datum
sketches_theta_agg_integer_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, integer_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_integer);
Datum
sketches_theta_contains_integer(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, integer_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_integer);
Datum
sketches_theta_contained_integer(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, integer_hash(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sketches_theta_add_bigint);
Datum
sketches_theta_add_bigint(PG_FUNCTION_ARGS)
{
    return add(fcinfo, bigint_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_bigint);
Datum
sketches_theta_add_all_bigint(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, bigint_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bigint_state);
Datum
sketches_theta_agg_bigint_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, bigint_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bigint_lgk_state);
Datum
sketches_theta_agg_bigint_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, bigint_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_bigint);
Datum
sketches_theta_contains_bigint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, bigint_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_bigint);
Datum
sketches_theta_contained_bigint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, bigint_hash(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sketches_theta_add_float8);
Datum
sketches_theta_add_float8(PG_FUNCTION_ARGS)
{
    return add(fcinfo, float8_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_float8);
Datum
sketches_theta_add_all_float8(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, float8_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_float8_state);
Datum
sketches_theta_agg_float8_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, float8_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_float8_lgk_state);
Datum
sketches_theta_agg_float8_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, float8_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_float8);
Datum
sketches_theta_contains_float8(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, float8_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_float8);
Datum
sketches_theta_contained_float8(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, float8_hash(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sketches_theta_add_text);
Datum
sketches_theta_add_text(PG_FUNCTION_ARGS)
{
    return add(fcinfo, text_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_text);
Datum
sketches_theta_add_all_text(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, text_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_untyped);
Datum
sketches_theta_add_all_untyped(PG_FUNCTION_ARGS)
{
    return sketch_with_array(fcinfo, sketches_theta_add_all_text);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_text_state);
Datum
sketches_theta_agg_text_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, text_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_text_lgk_state);
Datum
sketches_theta_agg_text_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, text_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_text);
Datum
sketches_theta_contains_text(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, text_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_text);
Datum
sketches_theta_contained_text(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, text_hash(PG_GETARG_DATUM(0)));
}

PG_FUNCTION_INFO_V1(sketches_theta_add_bytea);
Datum
sketches_theta_add_bytea(PG_FUNCTION_ARGS)
{
    return add(fcinfo, bytea_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_bytea);
Datum
sketches_theta_add_all_bytea(PG_FUNCTION_ARGS)
{
    return add_all(fcinfo, bytea_hash);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bytea_state);
Datum
sketches_theta_agg_bytea_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, bytea_hash(PG_GETARG_DATUM(1)), THETA_LGK_DEFAULT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bytea_lgk_state);
Datum
sketches_theta_agg_bytea_lgk_state(PG_FUNCTION_ARGS)
{
    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    return aggregate(fcinfo, bytea_hash(PG_GETARG_DATUM(1)), constant_lgk(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_bytea);
Datum
sketches_theta_contains_bytea(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, bytea_hash(PG_GETARG_DATUM(1)));
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_bytea);
Datum
sketches_theta_contained_bytea(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, bytea_hash(PG_GETARG_DATUM(0)));
}
