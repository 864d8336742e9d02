/*
 * topk.c - the type topk in SQL. What it is and how it works: core/topk/topk.c.
 *
 * SQL objects served, in addition to the shared ones of shared/io.c, shared/union.c and
 * shared/compare.c:
 *   _topk_in, _topk_recv, topk(bytea)                     in and out; inputs check the encoding
 *   topk_empty, topk_add, topk_add_all, topk_try_add,
 *   topk_decay                                            build and change
 *   topk_list, topk_list_bigint, topk_contains, topk_count, topk_bounds,
 *   topk_total, topk_error, topk_info                     ask
 *
 * Items are text or bigint, each function of an item being bound for both. Adding takes NULL for an
 * empty sketch or for nothing to add; the others are STRICT. Aggregates: aggregate.c.
 */
#include "topk.h"

#include "pg/shared/describe.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* ---- input ---- */

Topk
topk_read_or_raise(SketchBytes value)
{
    Topk topk;

    if (!topk_read(&topk, value, &sketch_memory))
        sketch_raise_damaged();
    return topk;
}

/*
 * Core takes any bytes for a text; in a value they are UTF-8, or what SQL_ASCII takes for a text.
 */
Datum
topk_check_encoding(Datum value, int code, Node *context)
{
    int encoding = GetDatabaseEncoding() == PG_SQL_ASCII ? PG_SQL_ASCII : PG_UTF8;
    Topk topk;

    if (value == (Datum)0) /* refused softly */
        return value;
    topk = topk_read_or_raise(sketch_value(value));
    for (uint32 i = 0; topk.header.type == TOPK_TEXT && i < topk.header.counters; i++) {
        TopkItem item = topk.counters[i].item;

        CHECK_FOR_INTERRUPTS();
        if (!pg_verify_mbstr(encoding, (const char *)item.bytes, (int)item.size, true))
            sketches_ereturn(
                context, (Datum)0,
                (errcode(code), errmsg("invalid value of type topk"),
                 errdetail("An item is not valid text in encoding %s.",
                           pg_encoding_to_char(encoding)),
                 errhint("Only a database with the encoding SQL_ASCII takes any bytes.")));
    }
    topk_close(&topk, &sketch_memory);
    return value;
}

SQL_FUNCTION(sketches_topk_in,
             topk_check_encoding(sketch_in(fcinfo, &topk_ops), ERRCODE_INVALID_TEXT_REPRESENTATION,
                                 fcinfo->context));
SQL_FUNCTION(sketches_topk_recv, topk_check_encoding(sketch_recv(fcinfo, &topk_ops),
                                                     ERRCODE_INVALID_BINARY_REPRESENTATION, NULL));
SQL_FUNCTION(sketches_topk_from_bytea,
             topk_check_encoding(sketch_from_bytea(fcinfo, &topk_ops),
                                 ERRCODE_INVALID_BINARY_REPRESENTATION, NULL));

/* ---- items ---- */

Datum
topk_item_datum(TopkItem item)
{
    char digits[32];

    if (item.type == TOPK_TEXT && sketch_texts_are_utf8())
        return PointerGetDatum(cstring_to_text_with_len((const char *)item.bytes, (int)item.size));
    if (item.type == TOPK_TEXT) {
        /*
         * The conversion wants a zero at the end. It raises for a character that is missing here.
         */
        char *utf8 = pnstrdup((const char *)item.bytes, item.size);

        return CStringGetTextDatum(pg_any_to_server(utf8, (int)item.size, PG_UTF8));
    }
    pg_lltoa(item.number, digits);
    return CStringGetTextDatum(digits);
}

static const char *
type_name(TopkType type)
{
    return type == TOPK_TEXT ? "text" : "bigint";
}

static void
check_type(TopkHeader h, TopkType type)
{
    if (h.type != TOPK_NONE && h.type != type)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("this topk has no items of type %s", type_name(type)),
                        errdetail("Its items are of type %s.", type_name(h.type)),
                        errhint("Cast the item to %s.", type_name(h.type))));
}

void
topk_check_numbers(TopkHeader h)
{
    if (h.type == TOPK_TEXT)
        ereport(ERROR,
                (errcode(ERRCODE_DATATYPE_MISMATCH),
                 errmsg("this topk has no items of type bigint"),
                 errdetail("Its items are of type text."), errhint("topk_list lists them.")));
}

/* The item in argument 1. */
static TopkItem
item_arg(FunctionCallInfo fcinfo)
{
    return topk_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
}

/* ---- parameters ---- */

uint32
topk_check_k(int64 k)
{
    return (uint32)sketch_check_range("topk k", k, TOPK_K_MIN, TOPK_K_MAX);
}

uint64
topk_check_least(int64 count, const char *what)
{
    if (count < 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("topk %s %lld is out of range", what, (long long)count),
                        errdetail("Must be at least 0."),
                        errhint("What was counted cannot be taken back; topk_decay lowers all.")));
    return (uint64)count;
}

pg_noinline void
topk_insert_or_raise(SketchState *state, TopkItem item, uint64 count)
{
    SketchError error;

    check_type(topk_header(sketch_bytes(*state)), item.type);
    if (count > 0 && !topk_insert(state, item, count, &sketch_memory, &error))
        sketch_raise(&error, "cannot add to this topk");
}

/* ---- building and changing ---- */

SQL_FUNCTION(sketches_topk_empty, sketch_state_result(topk_new(topk_check_k(PG_GETARG_INT64(0)),
                                                               TOPK_NONE, &sketch_memory)));

/* Makes the empty sketch that replaces NULL when something is added. */
static SketchState
default_state(void)
{
    return topk_new(TOPK_K_DEFAULT, TOPK_NONE, &sketch_memory);
}

/* topk_add(topk, item [, count]) */
PG_FUNCTION_INFO_V1(sketches_topk_add);
Datum
sketches_topk_add(PG_FUNCTION_ARGS)
{
    SketchState state;
    uint64 count;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    count = PG_NARGS() > 2 ? topk_check_least(PG_GETARG_INT64(2), "count") : 1;
    state = sketch_open(sketch_arg_or_empty(fcinfo, default_state), &topk_ops);
    topk_insert_or_raise(&state, item_arg(fcinfo), count);
    return sketch_state_result(state);
}

static void
add_item(SketchState *state, SketchItem item)
{
    topk_insert_or_raise(state, topk_item(item), 1);
}

static const SketchAdding adding = {&topk_ops, default_state, add_item};

SQL_FUNCTION(sketches_topk_add_all, sketch_add_items(fcinfo, &adding));

/*
 * topk_try_add(topk, item [, count]): the sketch, and the item that was the last of a full list and
 * is in the list no more.
 */
PG_FUNCTION_INFO_V1(sketches_topk_try_add);
Datum
sketches_topk_try_add(PG_FUNCTION_ARGS)
{
    Datum values[2] = {(Datum)0, (Datum)0};
    bool nulls[2] = {false, true};
    SketchBytes value, packed;
    SketchState state;
    Topk before, after;
    uint64 count;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    count = PG_NARGS() > 2 ? topk_check_least(PG_GETARG_INT64(2), "count") : 1;
    value = sketch_arg_or_empty(fcinfo, default_state);
    state = sketch_open(value, &topk_ops);
    before = topk_read_or_raise(value);
    topk_insert_or_raise(&state, item_arg(fcinfo), count);
    packed = sketch_pack(sketch_bytes(state));
    values[0] = sketch_datum(packed.data);
    if (before.header.counters >= before.header.k) {
        TopkItem last = before.counters[before.header.k - 1].item;

        after = topk_read_or_raise(packed);
        if (topk_find(&after, last) >= topk_listed(&after)) {
            values[1] = topk_item_datum(last);
            nulls[1] = false;
        }
    }
    return sketch_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(sketches_topk_decay);
Datum
sketches_topk_decay(PG_FUNCTION_ARGS)
{
    double factor = PG_GETARG_FLOAT8(1);
    SketchBytes decayed;

    if (!(factor >= 0 && factor <= 1))
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
                        errmsg("topk decay factor %s is out of range", sketch_shortest(factor)),
                        errdetail("Must be between 0 and 1.")));
    decayed = topk_decay(sketch_arg(fcinfo, 0), factor, &sketch_memory);
    if (decayed.data == NULL)
        sketch_raise_damaged();
    return sketch_datum(decayed.data);
}

/* ---- asking ---- */

/* Source of the rows, and the next one. */
typedef struct Listed {
    Topk topk;
    uint32 at;
} Listed;

static void *
begin_list(FunctionCallInfo fcinfo)
{
    Listed *list = palloc0(sizeof *list);

    /* The texts of items lie in the value, so a copy of all of it is kept, too. */
    list->topk = topk_read_or_raise(
        sketch_value(PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)))));
    return list;
}

static void *
begin_list_bigint(FunctionCallInfo fcinfo)
{
    Listed *list = begin_list(fcinfo);

    topk_check_numbers(list->topk.header);
    return list;
}

/* The next counter with its numbers; NULL behind the last one. */
static const TopkCounter *
next_listed(Listed *list, Datum *values)
{
    const TopkCounter *c = &list->topk.counters[list->at];

    if (list->at == topk_listed(&list->topk))
        return NULL;
    list->at++;
    values[1] = values[2] = Int64GetDatum((int64)c->count);
    values[3] = Int64GetDatum((int64)(c->count + c->error));
    return c;
}

static bool
next_item(void *rows, Datum *values, bool *nulls)
{
    const TopkCounter *c = next_listed(rows, values);

    if (c)
        values[0] = topk_item_datum(c->item);
    return c != NULL;
}

static bool
next_item_bigint(void *rows, Datum *values, bool *nulls)
{
    const TopkCounter *c = next_listed(rows, values);

    if (c)
        values[0] = Int64GetDatum(c->item.number);
    return c != NULL;
}

SQL_FUNCTION(sketches_topk_list, sketch_rows(fcinfo, begin_list, next_item));
SQL_FUNCTION(sketches_topk_list_bigint, sketch_rows(fcinfo, begin_list_bigint, next_item_bigint));

/* One item: listed or not, its count and upper bound. */
typedef struct Known {
    bool listed;
    uint64 count;
    uint64 upper;
} Known;

static Known
ask(FunctionCallInfo fcinfo)
{
    Topk topk = topk_read_or_raise(sketch_arg(fcinfo, 0));
    Known known = {.upper = topk.header.error_bound};
    TopkItem item = item_arg(fcinfo);
    uint32 position;

    check_type(topk.header, item.type);
    position = topk_find(&topk, item);
    if (position < topk.header.counters) {
        known.listed = position < topk_listed(&topk);
        known.count = topk.counters[position].count;
        known.upper = known.count + topk.counters[position].error;
    }
    topk_close(&topk, &sketch_memory);
    return known;
}

static Datum
bounds_row(FunctionCallInfo fcinfo, Known known)
{
    Datum values[3] = {Int64GetDatum((int64)known.count), Int64GetDatum((int64)known.count),
                       Int64GetDatum((int64)known.upper)};

    return sketch_row(fcinfo, values, NULL);
}

SQL_FUNCTION(sketches_topk_contains, BoolGetDatum(ask(fcinfo).listed));
SQL_FUNCTION(sketches_topk_count, Int64GetDatum((int64)ask(fcinfo).count));
SQL_FUNCTION(sketches_topk_bounds, bounds_row(fcinfo, ask(fcinfo)));
SQL_FUNCTION(sketches_topk_total,
             Int64GetDatum((int64)topk_header(sketch_header(fcinfo, 0, NULL)).total));
SQL_FUNCTION(sketches_topk_error,
             Int64GetDatum((int64)topk_header(sketch_header(fcinfo, 0, NULL)).error_bound));

PG_FUNCTION_INFO_V1(sketches_topk_info);
Datum
sketches_topk_info(PG_FUNCTION_ARGS)
{
    Size size;
    TopkHeader h = topk_header(sketch_header(fcinfo, 0, &size));
    Datum values[6];
    bool nulls[6] = {false};

    values[0] = Int32GetDatum((int32)h.k);
    nulls[1] = h.type == TOPK_NONE;
    values[1] = CStringGetTextDatum(type_name(h.type));
    values[2] = Int32GetDatum((int32)h.counters);
    values[3] = Int64GetDatum((int64)h.total);
    values[4] = Int64GetDatum((int64)h.error_bound);
    values[5] = Int32GetDatum((int32)(size + VARHDRSZ));
    return sketch_row(fcinfo, values, nulls);
}

/* Items in the line for people, and bytes of each. */
#define DESCRIBED 3
#define DESCRIBED_BYTES 40

PG_FUNCTION_INFO_V1(sketches_topk_describe);
Datum
sketches_topk_describe(PG_FUNCTION_ARGS)
{
    SketchBytes value = sketch_packed_arg(fcinfo, 0);
    Topk topk = topk_read_or_raise(value);
    uint32 shown = Min(topk_listed(&topk), DESCRIBED);
    char *items = "", *accuracy = "exact";

    for (uint32 i = 0; i < shown; i++) {
        char *item = TextDatumGetCString(topk_item_datum(topk.counters[i].item));
        int length = (int)strlen(item), clipped = pg_mbcliplen(item, length, DESCRIBED_BYTES);

        items = psprintf("%s%s%.*s%s %s", items, i == 0 ? ", " : " > ", clipped, item,
                         clipped < length ? "..." : "", sketch_number(topk.counters[i].count));
    }
    if (topk.header.error_bound > 0)
        accuracy = psprintf("counts at most %s too low", sketch_number(topk.header.error_bound));
    return sketch_line(value.size + VARHDRSZ, "topk: k = %s, total %s%s, %s",
                       sketch_number(topk.header.k), sketch_number(topk.header.total), items,
                       accuracy);
}
