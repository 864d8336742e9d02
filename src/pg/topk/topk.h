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

/* The value, if its texts are texts of this database; otherwise an error with that code. */
extern Datum topk_check_encoding(Datum value, int code, Node *context);

#endif
