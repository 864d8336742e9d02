/*
 * topk.h - what the files of topk in src/pg share.
 */
#ifndef PG_TOPK_H
#define PG_TOPK_H

#include "pg/shared/items.h"

#include "miscadmin.h"

#include "core/topk/topk.h"

/* k, or error 22023. */
extern uint32 topk_check_k(int64 k);

/* The sketch, or the error of a damaged value. */
extern Topk topk_read_or_raise(SketchBytes value);

/* A count or weight, whichever `what` says; error 22023 below 0. */
extern uint64 topk_check_least(int64 count, const char *what);

/* Adds an item to a working value; raises for one of another type, or too long. */
extern void topk_insert_or_raise(SketchState *state, TopkItem item, uint64 count);

/*
 * An item that comes as text or bigint. A text is kept as UTF-8 whatever the encoding of the
 * database is; the copy of one that is converted is left to the end of the row.
 */
static pg_attribute_always_inline TopkItem
topk_item(SketchItem item)
{
    SketchBytes utf8;

    if (item.type != ITEM_TEXT)
        return topk_number(item.integer);
    utf8 = sketch_utf8(item.bytes);
    return topk_text(utf8.data, (uint32_t)utf8.size);
}

static pg_attribute_always_inline TopkItem
topk_item_arg(FunctionCallInfo fcinfo, int n, SketchItemType type)
{
    return topk_item(sketch_item_arg(fcinfo, n, type));
}

/* Raises if the items are texts, where all of them are to be returned as numbers. */
extern void topk_check_numbers(TopkHeader h);

/* An item as a text. */
extern Datum topk_item_datum(TopkItem item);

/* The value, if its texts can be texts of this database; otherwise an error with that code. */
extern Datum topk_check_encoding(Datum value, int code, Node *context);

#endif
