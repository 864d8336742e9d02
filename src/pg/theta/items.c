/*
 * items.c - what takes the values that theta sketches count, by their types.
 *
 * SQL objects served, each for smallint, int, bigint, double precision, text and bytea:
 *   theta_add, theta_add_all          not STRICT: NULL adds nothing, a NULL sketch is an empty one
 *   _theta_agg_state                  transitions of theta_agg; NULL values are skipped
 *   theta_contains, _theta_contained  operators @> and <@; STRICT
 *
 * Values are hashed as DataSketches does: integers of any width as 8 bytes, so that an int and a
 * bigint are one item and an int and a double precision are not; texts as UTF-8 whatever the
 * encoding of the database is, so that a text and its bytea are one item in UTF-8. An empty text has
 * no hash and is no item.
 */
#include "theta.h"

#include "pg/shared/items.h"

#include "access/heaptoast.h"

/* ---- hashes ---- */

static uint64
text_hash(SketchBytes text)
{
    SketchBytes utf8 = sketch_utf8(text);
    uint64 hash = theta_hash(utf8.data, utf8.size, &sketch_memory);

    sketch_free_utf8(utf8, text);
    return hash;
}

static pg_attribute_always_inline uint64
hash_of(SketchItem item)
{
    if (item.type == ITEM_TEXT)
        return text_hash(item.bytes);
    if (item.type == ITEM_BYTEA)
        return theta_hash(item.bytes.data, item.bytes.size, &sketch_memory);
    if (item.type == ITEM_FLOAT8)
        return theta_hash_double(item.number);
    return theta_hash_int64(item.integer);
}

/* ---- adding ---- */

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return theta_new(THETA_LGK_DEFAULT, &sketch_memory);
}

static void
add_item(SketchState *state, SketchItem item)
{
    theta_insert(state, hash_of(item), &sketch_memory);
}

static const SketchAdding adding = {&theta_ops, default_state, add_item};

/* ---- aggregates ---- */

static pg_noinline Datum
aggregate_slow(FunctionCallInfo fcinfo, uint64 hash, unsigned lgk)
{
    SketchState state = PG_ARGISNULL(0) ? theta_new(lgk, &sketch_memory)
                                        : sketch_aggregate_state(fcinfo, &theta_ops);

    theta_insert(&state, hash, &sketch_memory);
    return sketch_aggregate_result(fcinfo, state);
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

/*
 * Transition: (state, item [, lgk]). Only the first value of a group needs lgk. Adding to a state in
 * place that has room, or does not need the hash, is what happens per row.
 */
static pg_attribute_always_inline Datum
aggregate(FunctionCallInfo fcinfo, SketchItemType type, bool has_lgk)
{
    unsigned lgk = THETA_LGK_DEFAULT;
    uint64 hash;

    if (PG_ARGISNULL(1))
        return sketch_unchanged_state(fcinfo);
    hash = hash_of(sketch_item_arg(fcinfo, 1, type));
    if (has_lgk)
        lgk = constant_lgk(fcinfo);
    if (!PG_ARGISNULL(0)) {
        SketchState state = sketch_state_in_place(fcinfo);

        if (state.data && theta_add(state, hash))
            return PG_GETARG_DATUM(0);
    }
    return aggregate_slow(fcinfo, hash, lgk);
}

/* ---- looking up ---- */

/*
 * Returns true if the sketch in argument `n` has the item in the other argument; of a stored value
 * only the header is read if theta says no.
 */
static Datum
contains(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    uint64 hash = hash_of(sketch_item_arg(fcinfo, 1 - n, type));
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
    return sketch_add_item(fcinfo, &adding, ITEM_SMALLINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_smallint);
Datum
sketches_theta_add_all_smallint(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_SMALLINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_smallint_state);
Datum
sketches_theta_agg_smallint_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_SMALLINT, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_smallint_lgk_state);
Datum
sketches_theta_agg_smallint_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_SMALLINT, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_smallint);
Datum
sketches_theta_contains_smallint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_SMALLINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_smallint);
Datum
sketches_theta_contained_smallint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_SMALLINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_integer);
Datum
sketches_theta_add_integer(PG_FUNCTION_ARGS)
{
    return sketch_add_item(fcinfo, &adding, ITEM_INTEGER);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_integer);
Datum
sketches_theta_add_all_integer(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_INTEGER);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_integer_state);
Datum
sketches_theta_agg_integer_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_INTEGER, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_integer_lgk_state);
Datum
sketches_theta_agg_integer_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_INTEGER, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_integer);
Datum
sketches_theta_contains_integer(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_INTEGER);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_integer);
Datum
sketches_theta_contained_integer(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_INTEGER);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_bigint);
Datum
sketches_theta_add_bigint(PG_FUNCTION_ARGS)
{
    return sketch_add_item(fcinfo, &adding, ITEM_BIGINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_bigint);
Datum
sketches_theta_add_all_bigint(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_BIGINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bigint_state);
Datum
sketches_theta_agg_bigint_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_BIGINT, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bigint_lgk_state);
Datum
sketches_theta_agg_bigint_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_BIGINT, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_bigint);
Datum
sketches_theta_contains_bigint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_BIGINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_bigint);
Datum
sketches_theta_contained_bigint(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_BIGINT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_float8);
Datum
sketches_theta_add_float8(PG_FUNCTION_ARGS)
{
    return sketch_add_item(fcinfo, &adding, ITEM_FLOAT8);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_float8);
Datum
sketches_theta_add_all_float8(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_FLOAT8);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_float8_state);
Datum
sketches_theta_agg_float8_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_FLOAT8, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_float8_lgk_state);
Datum
sketches_theta_agg_float8_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_FLOAT8, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_float8);
Datum
sketches_theta_contains_float8(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_FLOAT8);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_float8);
Datum
sketches_theta_contained_float8(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_FLOAT8);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_text);
Datum
sketches_theta_add_text(PG_FUNCTION_ARGS)
{
    return sketch_add_item(fcinfo, &adding, ITEM_TEXT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_text);
Datum
sketches_theta_add_all_text(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_TEXT);
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
    return aggregate(fcinfo, ITEM_TEXT, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_text_lgk_state);
Datum
sketches_theta_agg_text_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_TEXT, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_text);
Datum
sketches_theta_contains_text(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_TEXT);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_text);
Datum
sketches_theta_contained_text(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_TEXT);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_bytea);
Datum
sketches_theta_add_bytea(PG_FUNCTION_ARGS)
{
    return sketch_add_item(fcinfo, &adding, ITEM_BYTEA);
}

PG_FUNCTION_INFO_V1(sketches_theta_add_all_bytea);
Datum
sketches_theta_add_all_bytea(PG_FUNCTION_ARGS)
{
    return sketch_add_items(fcinfo, &adding, ITEM_BYTEA);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bytea_state);
Datum
sketches_theta_agg_bytea_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_BYTEA, false);
}

PG_FUNCTION_INFO_V1(sketches_theta_agg_bytea_lgk_state);
Datum
sketches_theta_agg_bytea_lgk_state(PG_FUNCTION_ARGS)
{
    return aggregate(fcinfo, ITEM_BYTEA, true);
}

PG_FUNCTION_INFO_V1(sketches_theta_contains_bytea);
Datum
sketches_theta_contains_bytea(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 0, ITEM_BYTEA);
}

PG_FUNCTION_INFO_V1(sketches_theta_contained_bytea);
Datum
sketches_theta_contained_bytea(PG_FUNCTION_ARGS)
{
    return contains(fcinfo, 1, ITEM_BYTEA);
}
