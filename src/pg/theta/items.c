/*
 * items.c - what takes the values that theta sketches count, by their types.
 *
 * SQL objects served, each for smallint, int, bigint, double precision, text and bytea:
 *   theta_add, theta_add_all          not STRICT: NULL adds nothing, a NULL sketch is an empty one
 *   _theta_agg_state                  transitions of theta_agg; NULL values are skipped
 *   theta_contains                    operator @>; STRICT, and NULL at or above theta
 *
 * Values are hashed as DataSketches does: integers of any width as 8 bytes, so that an int and a
 * bigint are one item and an int and a double precision are not; texts as UTF-8 whatever the
 * encoding of the database is, so that a text and its bytea are one item in UTF-8. An empty text
 * has no hash and is no item.
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

static unsigned
constant_lgk(FunctionCallInfo fcinfo)
{
    int64 lgk;

    sketch_check_not_null(fcinfo, 2, "lgk");
    lgk = PG_GETARG_INT64(2);
    if (!PG_ARGISNULL(0))
        theta_check_same_lgk(theta_lgk(sketch_front(fcinfo, 0)), lgk);
    return theta_check_lgk(lgk, THETA_LGK_MAX);
}

static SketchState
aggregate_begin(FunctionCallInfo fcinfo)
{
    return theta_new(PG_NARGS() > 2 ? constant_lgk(fcinfo) : THETA_LGK_DEFAULT, &sketch_memory);
}

static void
aggregate_check(FunctionCallInfo fcinfo)
{
    constant_lgk(fcinfo);
}

static void
aggregate_insert(SketchState *state, uint64 hash)
{
    theta_insert(state, hash, &sketch_memory);
}

static const SketchAggregate aggregate = {.ops = &theta_ops,
                                          .hash = hash_of,
                                          .begin = aggregate_begin,
                                          .check = aggregate_check,
                                          .add = theta_add,
                                          .insert = aggregate_insert};

/* ---- looking up ---- */

/* NULL where nobody can say; of a stored value only the header is read if that decides. */
PG_FUNCTION_INFO_V1(sketches_theta_contains);
Datum
sketches_theta_contains(PG_FUNCTION_ARGS)
{
    uint64 hash = hash_of(sketch_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1)));
    ThetaAnswer answer = THETA_YES;
    SketchBytes value;
    Size size;

    if (!sketch_arg_at_hand(fcinfo, 0, TOAST_MAX_CHUNK_SIZE, &value, &size)) {
        answer = theta_samples(theta_summary(value, &sketch_memory).theta, hash);
        if (answer == THETA_YES)
            value = sketch_packed_arg(fcinfo, 0);
    }
    if (answer == THETA_YES)
        answer = theta_contains(value, hash, &sketch_memory);
    if (answer == THETA_UNKNOWN)
        PG_RETURN_NULL();
    PG_RETURN_BOOL(answer == THETA_YES);
}

/* ---- by type ---- */

SQL_FUNCTION(sketches_theta_add, sketch_add_item(fcinfo, &adding));
SQL_FUNCTION(sketches_theta_add_all, sketch_add_items(fcinfo, &adding));
SQL_FUNCTION(sketches_theta_agg_smallint_state,
             sketch_aggregate_item(fcinfo, &aggregate, ITEM_SMALLINT));
SQL_FUNCTION(sketches_theta_agg_integer_state,
             sketch_aggregate_item(fcinfo, &aggregate, ITEM_INTEGER));
SQL_FUNCTION(sketches_theta_agg_bigint_state,
             sketch_aggregate_item(fcinfo, &aggregate, ITEM_BIGINT));
SQL_FUNCTION(sketches_theta_agg_float8_state,
             sketch_aggregate_item(fcinfo, &aggregate, ITEM_FLOAT8));
SQL_FUNCTION(sketches_theta_agg_text_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_TEXT));
SQL_FUNCTION(sketches_theta_agg_bytea_state, sketch_aggregate_item(fcinfo, &aggregate, ITEM_BYTEA));
