/*
 * cuckoo.c - the type cuckoo in SQL. What it is and how it works: core/cuckoo/cuckoo.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   cuckoo_empty, cuckoo_compact                                  make, cut down
 *   cuckoo_add, addnx, try_add, try_addnx, delete, try_delete     one item, hashed or text
 *   cuckoo_add_all, cuckoo_addnx_all, cuckoo_delete_all           many
 *   cuckoo_sum                                                    two filters
 *   cuckoo_cardinality, cuckoo_info                               look
 *   cuckoo_from_redis, cuckoo_to_redis                            refuse
 *
 * Adding takes NULL for an empty sketch or for no item, deleting takes it for no item, and
 * cuckoo_sum for an empty sketch; the others are STRICT.
 */
#include "cuckoo.h"

#include "pg/shared/describe.h"

#include "utils/builtins.h"

/* ---- parameters ---- */

unsigned
cuckoo_check_fingerprint_bits(int64 bits)
{
    if (bits < CUCKOO_BITS_MIN || bits > CUCKOO_BITS_MAX)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("cuckoo fingerprint bits %lld are out of range", (long long)bits),
                        errdetail("Must be between %d and %d.", CUCKOO_BITS_MIN, CUCKOO_BITS_MAX)));
    return (unsigned)bits;
}

uint32
cuckoo_check_capacity(int64 capacity)
{
    return (uint32)sketch_check_range("cuckoo capacity", capacity, 1, CUCKOO_CAPACITY_MAX);
}

#define EXPANSION_MAX 32768 /* Redis's */

void
cuckoo_raise_refused(const SketchError *error)
{
    const char *hint = NULL;

    if (error->reason == cuckoo_copies)
        hint = "cuckoo_addnx adds an item only when it is absent.";
    else if (error->reason == cuckoo_full)
        hint = "A filter made with another expansion than 0 grows.";
    else if (error->reason == cuckoo_used_up)
        hint = "Make the filter with a larger capacity or more fingerprint bits.";
    if (hint == NULL || error->status != SKETCH_LIMIT)
        sketch_raise(error, "cannot add to this cuckoo filter");
    ereport(ERROR,
            (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("cannot add to this cuckoo filter"),
             sketch_errdetail(error), errhint("%s", hint)));
    pg_unreachable();
}

/* ---- building and changing ---- */

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return cuckoo_new(CUCKOO_CAPACITY_DEFAULT, false, CUCKOO_BITS_DEFAULT, &sketch_memory);
}

/* Opens a filter as a table. */
static SketchState
open_table(SketchBytes value)
{
    SketchState state = cuckoo_open_table(value, &sketch_memory);

    if (state.data == NULL)
        sketch_raise_damaged();
    return state;
}

/* (sketch, whether it changed) */
static Datum
changed_row(FunctionCallInfo fcinfo, Datum sketch, bool changed)
{
    Datum values[2] = {sketch, BoolGetDatum(changed)};

    return sketch_row(fcinfo, values, NULL);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_empty);
Datum
sketches_cuckoo_empty(PG_FUNCTION_ARGS)
{
    uint32 capacity = cuckoo_check_capacity(PG_GETARG_INT64(0));
    unsigned bits = cuckoo_check_fingerprint_bits(PG_GETARG_INT64(1));

    sketch_check_range("cuckoo expansion", PG_GETARG_INT64(2), 0, EXPANSION_MAX);
    return sketch_state_result(cuckoo_new(capacity, PG_GETARG_INT64(2) == 0, bits, &sketch_memory));
}

/* The hash of the item in argument 1. */
static uint64
item_hash(FunctionCallInfo fcinfo)
{
    return sketch_item_hash_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
}

static Datum
item_add(FunctionCallInfo fcinfo)
{
    SketchState state;
    SketchError error;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = open_table(sketch_arg_or_empty(fcinfo, default_state));
    if (!cuckoo_add(&state, item_hash(fcinfo), &sketch_memory, &error))
        cuckoo_raise_refused(&error);
    return sketch_state_result(state);
}

SQL_FUNCTION(sketches_cuckoo_add, item_add(fcinfo));

/* Added or not, as CF.ADD replies: false for a ninth copy and for a full filter. */
static Datum
item_try_add(FunctionCallInfo fcinfo)
{
    SketchState state;
    SketchError error;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = open_table(sketch_arg_or_empty(fcinfo, default_state));
    if (!cuckoo_add(&state, item_hash(fcinfo), &sketch_memory, &error))
        return changed_row(fcinfo, sketch_packed_arg_datum(fcinfo, 0), false);
    return changed_row(fcinfo, sketch_state_result(state), true);
}

SQL_FUNCTION(sketches_cuckoo_try_add, item_try_add(fcinfo));

static bool
is_member(FunctionCallInfo fcinfo)
{
    return !PG_ARGISNULL(0) && cuckoo_arg_has(fcinfo, item_hash(fcinfo));
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_addnx);
Datum
sketches_cuckoo_addnx(PG_FUNCTION_ARGS)
{
    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    return is_member(fcinfo) ? sketch_packed_arg_datum(fcinfo, 0) : item_add(fcinfo);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_try_addnx);
Datum
sketches_cuckoo_try_addnx(PG_FUNCTION_ARGS)
{
    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    return is_member(fcinfo) ? changed_row(fcinfo, sketch_packed_arg_datum(fcinfo, 0), false)
                             : item_try_add(fcinfo);
}

static bool
delete_item(FunctionCallInfo fcinfo, Datum *sketch)
{
    bool member = is_member(fcinfo);
    SketchState state;

    if (!member) {
        *sketch = sketch_packed_arg_datum(fcinfo, 0);
        return false;
    }
    state = open_table(sketch_arg(fcinfo, 0));
    cuckoo_delete(state, item_hash(fcinfo), &sketch_memory);
    *sketch = sketch_state_result(state);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_delete);
Datum
sketches_cuckoo_delete(PG_FUNCTION_ARGS)
{
    Datum sketch;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    delete_item(fcinfo, &sketch);
    return sketch;
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_try_delete);
Datum
sketches_cuckoo_try_delete(PG_FUNCTION_ARGS)
{
    Datum sketch;
    bool deleted;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    deleted = delete_item(fcinfo, &sketch);
    return changed_row(fcinfo, sketch, deleted);
}

/* With `absent` only items that are not there are added. */
static Datum
add_all(FunctionCallInfo fcinfo, bool absent)
{
    SketchElements elements;
    SketchItemType type;
    SketchState state;
    SketchError error;
    SketchItem item;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = open_table(sketch_arg_or_empty(fcinfo, default_state));
    elements = sketch_elements(sketch_items_arg(fcinfo, 1, &type));
    while (sketch_next_item(&elements, type, &item)) {
        uint64 hash = sketch_item_hash(item);

        if (!(absent ? cuckoo_insert(&state, hash, &sketch_memory, &error)
                     : cuckoo_add(&state, hash, &sketch_memory, &error)))
            cuckoo_raise_refused(&error);
    }
    return sketch_state_result(state);
}

SQL_FUNCTION(sketches_cuckoo_add_all, add_all(fcinfo, false));
SQL_FUNCTION(sketches_cuckoo_addnx_all, add_all(fcinfo, true));

/* Items that are not there are skipped. */
PG_FUNCTION_INFO_V1(sketches_cuckoo_delete_all);
Datum
sketches_cuckoo_delete_all(PG_FUNCTION_ARGS)
{
    SketchElements elements;
    SketchItemType type;
    SketchState state;
    SketchItem item;

    if (sketch_removes_nothing(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = open_table(sketch_arg(fcinfo, 0));
    elements = sketch_elements(sketch_items_arg(fcinfo, 1, &type));
    while (sketch_next_item(&elements, type, &item))
        cuckoo_delete(state, sketch_item_hash(item), &sketch_memory);
    return sketch_state_result(state);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_compact);
Datum
sketches_cuckoo_compact(PG_FUNCTION_ARGS)
{
    SketchState state = open_table(sketch_arg(fcinfo, 0));

    cuckoo_compact(&state, &sketch_memory);
    return sketch_state_result(state);
}

void
cuckoo_raise_sum(const SketchError *error)
{
    sketch_raise(error, "cannot add up these values of type cuckoo");
}

void
cuckoo_sum_or_raise(SketchState *state, SketchBytes other)
{
    SketchError error;

    if (!cuckoo_sum(state, other, &sketch_memory, &error))
        cuckoo_raise_sum(&error);
}

PG_FUNCTION_INFO_V1(sketches_cuckoo_sum);
Datum
sketches_cuckoo_sum(PG_FUNCTION_ARGS)
{
    SketchState state;

    if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
        return sketch_one_of_two(fcinfo);
    state = open_table(sketch_arg(fcinfo, 0));
    cuckoo_sum_or_raise(&state, sketch_arg(fcinfo, 1));
    return sketch_state_result(state);
}

/* ---- looking ---- */

static CuckooHeader
header_arg(FunctionCallInfo fcinfo, Size *size)
{
    CuckooHeader header = cuckoo_header(sketch_header(fcinfo, 0, size));

    if (!cuckoo_header_valid(&header))
        sketch_raise_damaged();
    return header;
}

SQL_FUNCTION(sketches_cuckoo_cardinality, Int64GetDatum((int64)header_arg(fcinfo, NULL).items));

PG_FUNCTION_INFO_V1(sketches_cuckoo_info);
Datum
sketches_cuckoo_info(PG_FUNCTION_ARGS)
{
    Size size;
    CuckooHeader header = header_arg(fcinfo, &size);
    CuckooLayout layout = cuckoo_layout(&header);
    double slots = (double)layout.buckets * layout.slots;
    bool nulls[10] = {false};
    Datum values[10];

    values[0] = Int64GetDatum((int64)header.items);
    values[1] = Int64GetDatum((int64)header.deletes);
    values[2] = Int64GetDatum(layout.buckets);
    values[3] = Int32GetDatum((int32)layout.slots);
    values[4] = Int32GetDatum((int32)cuckoo_current_bits(&header));
    values[5] = Float8GetDatum(slots > 0 ? (double)header.items / slots : 0);
    values[6] = Float8GetDatum(cuckoo_false_positive_rate(&header));
    values[7] = Int32GetDatum((int32)header.hash_bits);
    values[8] = Int64GetDatum(header.capacity);
    nulls[8] = header.capacity == 0;
    values[9] = Int32GetDatum((int32)(size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

/* One line for people. */
PG_FUNCTION_INFO_V1(sketches_cuckoo_describe);
Datum
sketches_cuckoo_describe(PG_FUNCTION_ARGS)
{
    Size size;
    CuckooHeader header = header_arg(fcinfo, &size);

    return sketch_line(size + VARHDRSZ, "cuckoo: %s, %.2g%% false positives",
                       sketch_count(header.items, "item"),
                       100 * cuckoo_false_positive_rate(&header));
}
