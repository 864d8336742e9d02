/*
 * moving.c - hll over sliding windows.
 *
 * SQL objects served: all functions of the moving mode of approx_count_distinct, and the final
 * function of hll_union_cardinality_agg, whose other functions are in pg/shared/moving.c.
 *
 * approx_count_distinct has no sketches, but a table of the hashes in the frame with their counts.
 * It is exact, except that two items of equal hash count as one; there is one such pair in some six
 * billion items. A row costs two look-ups. The table takes 24 to 96 bytes for each distinct item.
 */
#include "pg/shared/items.h"
#include "pg/shared/moving.h"

#include "core/common/counted.h"
#include "hll.h"

/* The table of a frame, an empty one for its first row; *memory is where it may grow. */
static Counted *
counted_state(FunctionCallInfo fcinfo, MemoryContext *memory)
{
    MemoryContext caller;
    Counted *counted;

    sketch_moving_memory(fcinfo, memory);
    if (!PG_ARGISNULL(0))
        return (Counted *)PG_GETARG_POINTER(0);
    caller = MemoryContextSwitchTo(*memory);
    counted = palloc(sizeof *counted);
    counted_begin(counted, &sketch_memory);
    MemoryContextSwitchTo(caller);
    return counted;
}

/* A row with NULL changes nothing, but makes the state if there is none. */
PG_FUNCTION_INFO_V1(sketches_approx_count_distinct_moving);
Datum
sketches_approx_count_distinct_moving(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Counted *counted = counted_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        uint64 hash = sketch_item_hash_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
        MemoryContext caller = MemoryContextSwitchTo(memory);

        counted_add(counted, hash, &sketch_memory);
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(counted);
}

PG_FUNCTION_INFO_V1(sketches_approx_count_distinct_inverse);
Datum
sketches_approx_count_distinct_inverse(PG_FUNCTION_ARGS)
{
    MemoryContext memory;
    Counted *counted = counted_state(fcinfo, &memory);

    if (!PG_ARGISNULL(1)) {
        uint64 hash = sketch_item_hash_arg(fcinfo, 1, sketch_item_type(fcinfo, 1));
        MemoryContext caller = MemoryContextSwitchTo(memory);

        if (!counted_remove(counted, hash, &sketch_memory))
            elog(ERROR, "a row leaves the frame that is not in it");
        MemoryContextSwitchTo(caller);
    }
    PG_RETURN_POINTER(counted);
}

SQL_FUNCTION(sketches_approx_count_distinct_moving_final,
             Int64GetDatum(PG_ARGISNULL(0) ? 0 : (int64)((Counted *)PG_GETARG_POINTER(0))->used));

PG_FUNCTION_INFO_V1(sketches_hll_union_cardinality_moving_final);
Datum
sketches_hll_union_cardinality_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_INT64(0);
    PG_RETURN_INT64((int64)hll_cardinality(united, &sketch_memory));
}
