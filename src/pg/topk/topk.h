/*
 * topk.h - what the files of topk in src/pg share.
 */
#ifndef PG_TOPK_H
#define PG_TOPK_H

#include "pg/shared/glue.h"

#include "miscadmin.h"

#include "core/topk/topk.h"

/* k, or error 22023. */
extern uint32 topk_check_k(int32 k);

/* The k in argument n. Raises if the rows before had another k, `before`; 0 for the first row. */
extern uint32 topk_constant_k(FunctionCallInfo fcinfo, int n, uint32 before);

static inline TopkItem
topk_text_item(Datum datum)
{
    const struct varlena *text = (const struct varlena *)PG_DETOAST_DATUM_PACKED(datum);

    return topk_text((const uint8_t *)VARDATA_ANY(text), (uint32_t)VARSIZE_ANY_EXHDR(text));
}

/* Argument n, a text or a bigint. */
static inline TopkItem
topk_arg_item(FunctionCallInfo fcinfo, int n, TopkType type)
{
    return type == TOPK_TEXT ? topk_text_item(PG_GETARG_DATUM(n)) : topk_number(PG_GETARG_INT64(n));
}

/* An item as a text, and an array of them. */
extern Datum topk_item_datum(TopkItem item);
extern Datum topk_item_array(const TopkItem *items, uint32 count);
extern Datum topk_number_array(const TopkItem *items, uint32 count);

/* The value, if its texts are texts of this database; otherwise an error with that code. */
extern Datum topk_check_encoding(Datum value, int code, Node *context);

#endif
