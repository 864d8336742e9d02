/*
 * items.c - items that are added to sketches, for all types.
 */
#include "items.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

bool sketch_as_utf8 = false;

/* A process has one database, whose encoding never changes. */
bool
sketch_look_at_encoding(void)
{
    int encoding = GetDatabaseEncoding();

    sketch_as_utf8 = encoding == PG_UTF8 || encoding == PG_SQL_ASCII;
    return sketch_as_utf8;
}

/* Returns true if all bytes are ASCII, which is the same in all encodings of servers. */
static bool
is_ascii(SketchBytes text)
{
    for (Size at = 0; at < text.size;) {
        Size end = at + Min(POLLED_PIECE, text.size - at);
        uint8 bits = 0;

        CHECK_FOR_INTERRUPTS();
        for (; at < end; at++)
            bits |= text.data[at];
        if (bits >= 0x80)
            return false;
    }
    return true;
}

SketchBytes
sketch_convert_text(SketchBytes text)
{
    const char *utf8;

    if (is_ascii(text))
        return text;
    utf8 = pg_server_to_any((const char *)text.data, (int)text.size, PG_UTF8);
    return (SketchBytes){(const uint8_t *)utf8, strlen(utf8)};
}

SketchBytes
sketch_enum_label(Oid value)
{
    HeapTuple tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(value));
    char *label;

    if (!HeapTupleIsValid(tuple))
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("invalid internal value for enum: %u", value)));
    label = pstrdup(NameStr(((Form_pg_enum)GETSTRUCT(tuple))->enumlabel));
    ReleaseSysCache(tuple);
    return (SketchBytes){(const uint8_t *)label, strlen(label)};
}

uint64
sketch_hash_converted(SketchBytes text)
{
    SketchBytes utf8 = sketch_convert_text(text);
    uint64 hash = sketch_hash_utf8(utf8);

    sketch_free_utf8(utf8, text);
    return hash;
}

SketchBytes
sketch_foreign_item(SketchItem item, const char *sketch, const char *system)
{
    if (item.type == ITEM_HASHED)
        ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
                        errmsg("cannot use a hashed value with %s of %s", sketch, system),
                        errdetail("It keeps the hash function of %s; a hashed value has this "
                                  "extension's.",
                                  system),
                        errhint("Pass the item as text.")));
    return item.bytes;
}

ArrayType *
sketch_items_arg(FunctionCallInfo fcinfo, int n, SketchItemType *type)
{
    *type = sketch_item_type(fcinfo, n);
    if (sketch_declared_type(fcinfo, n) == TEXTOID)
        return DatumGetArrayTypeP(
            OidInputFunctionCall(F_ARRAY_IN, text_to_cstring(PG_GETARG_TEXT_PP(n)), TEXTOID, -1));
    return PG_GETARG_ARRAYTYPE_P(n);
}

SketchState
sketch_open_or_empty(FunctionCallInfo fcinfo, const SketchAdding *adding)
{
    return PG_ARGISNULL(0) ? adding->empty() : sketch_open(sketch_arg(fcinfo, 0), adding->ops);
}

Datum
sketch_add_item(FunctionCallInfo fcinfo, const SketchAdding *adding)
{
    SketchState state;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open_or_empty(fcinfo, adding);
    adding->add(&state, sketch_item_arg(fcinfo, 1, sketch_item_type(fcinfo, 1)));
    return sketch_state_result(state);
}

Datum
sketch_add_items(FunctionCallInfo fcinfo, const SketchAdding *adding)
{
    SketchElements elements;
    SketchItemType type;
    SketchState state;
    SketchItem item;

    if (sketch_is_given_null(fcinfo))
        return sketch_as_it_was(fcinfo);
    state = sketch_open_or_empty(fcinfo, adding);
    elements = sketch_elements(sketch_items_arg(fcinfo, 1, &type));
    while (sketch_next_item(&elements, type, &item))
        adding->add(&state, item);
    return sketch_state_result(state);
}

Datum
sketch_aggregate_slow(FunctionCallInfo fcinfo, const SketchAggregate *aggregate, uint64 hash)
{
    SketchState state =
        PG_ARGISNULL(0) ? aggregate->begin(fcinfo) : sketch_aggregate_state(fcinfo, aggregate->ops);

    aggregate->insert(&state, hash);
    return sketch_aggregate_result(fcinfo, state);
}

Datum
sketch_aggregate_checked(FunctionCallInfo fcinfo, const SketchAggregate *aggregate, uint64 hash)
{
    if (!PG_ARGISNULL(0)) {
        SketchState state;

        aggregate->check(fcinfo);
        state = sketch_state_in_place(fcinfo);
        if (state.data && aggregate->add(state, hash))
            return PG_GETARG_DATUM(0);
    }
    return sketch_aggregate_slow(fcinfo, aggregate, hash);
}
