/*
 * rows.c - rows as results, one or many.
 */
#include "glue.h"

#include "access/htup_details.h"
#include "funcapi.h"

#define ROW_COLUMNS_MAX 16

/* The type of a result row, found in the catalog. */
static TupleDesc
row_type(FunctionCallInfo fcinfo)
{
    TupleDesc row;

    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE ||
        row->natts > ROW_COLUMNS_MAX)
        elog(ERROR, "return type must be a row type of at most %d columns", ROW_COLUMNS_MAX);
    return BlessTupleDesc(row);
}

Datum
sketch_row(FunctionCallInfo fcinfo, Datum *values, const bool *nulls)
{
    static const bool no_nulls[ROW_COLUMNS_MAX] = {false};
    TupleDesc *cached = sketch_cached_row(fcinfo);
    TupleDesc row = cached ? *cached : row_type(fcinfo);

    if (row == NULL) {
        MemoryContext caller = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);

        row = *cached = row_type(fcinfo);
        MemoryContextSwitchTo(caller);
    }
    return HeapTupleGetDatum(heap_form_tuple(row, values, (bool *)(nulls ? nulls : no_nulls)));
}

Datum
sketch_rows(FunctionCallInfo fcinfo, SketchBeginRows begin, SketchNextRow next)
{
    Datum values[ROW_COLUMNS_MAX];
    bool nulls[ROW_COLUMNS_MAX] = {false};
    FuncCallContext *call;

    if (SRF_IS_FIRSTCALL()) {
        MemoryContext old;

        call = SRF_FIRSTCALL_INIT();
        old = MemoryContextSwitchTo(call->multi_call_memory_ctx);
        call->user_fctx = begin(fcinfo);
        if (get_call_result_type(fcinfo, NULL, &call->tuple_desc) == TYPEFUNC_COMPOSITE)
            call->tuple_desc = BlessTupleDesc(call->tuple_desc);
        else
            call->tuple_desc = NULL;
        MemoryContextSwitchTo(old);
    }
    call = SRF_PERCALL_SETUP();
    if (!next(call->user_fctx, values, nulls))
        SRF_RETURN_DONE(call);
    if (call->tuple_desc == NULL)
        SRF_RETURN_NEXT(call, values[0]);
    SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}
