/*
 * items.c - items that are added to sketches, for all types.
 */
#include "items.h"

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

SketchState
sketch_open_or_empty(FunctionCallInfo fcinfo, const SketchAdding *adding)
{
    return PG_ARGISNULL(0) ? adding->empty() : sketch_open(sketch_arg(fcinfo, 0), adding->ops);
}

Datum
sketch_add_item(FunctionCallInfo fcinfo, const SketchAdding *adding, SketchItemType type)
{
    SketchState state;

    if (sketch_adds_null(fcinfo))
        return sketch_nothing_added(fcinfo);
    state = sketch_open_or_empty(fcinfo, adding);
    adding->add(&state, sketch_item_arg(fcinfo, 1, type));
    return sketch_state_result(state);
}

Datum
sketch_add_items(FunctionCallInfo fcinfo, const SketchAdding *adding, SketchItemType type)
{
    SketchElements elements;
    SketchState state;
    SketchItem item;

    if (sketch_adds_null(fcinfo))
        return sketch_nothing_added(fcinfo);
    state = sketch_open_or_empty(fcinfo, adding);
    elements = sketch_elements(PG_GETARG_ARRAYTYPE_P(1));
    while (sketch_next_item(&elements, type, &item))
        adding->add(&state, item);
    return sketch_state_result(state);
}
