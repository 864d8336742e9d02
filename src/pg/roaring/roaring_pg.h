/*
 * roaring_pg.h - what the files that bind roaring and roaring64 share.
 *
 *   roaring.c    making sets and changing them
 *   text.c       texts that are read as sets
 *   algebra.c    set algebra
 *   aggregate.c  aggregates
 *   query.c      questions
 *   elements.c   values as rows, arrays and texts
 *   venn.c       many sets held against one another
 *   planner.c    index conditions, selectivity of values in sets, rows of roaring_elements
 *   analyze.c    what ANALYZE keeps of columns of sets
 *   gin.c        GIN indexes
 */
#ifndef PG_ROARING_PG_H
#define PG_ROARING_PG_H

#include "pg/shared/glue.h"

#include "core/roaring/roaring.h"

static inline SketchKind
roaring_kind(SketchBytes value)
{
    return (SketchKind)sketch_kind(value.data);
}

/* The type that the called function was declared to return. */
static inline SketchKind
roaring_result_kind(FunctionCallInfo fcinfo)
{
    return (SketchKind)sketch_result_ops(fcinfo)->kind;
}

/* A value of the range of the type, or error 22003 that names it. */
extern uint64 roaring_check_value(SketchKind kind, int64 value);

/*
 * The first and the last value of lo .. hi - 1 in the order of the type, of a roaring from 0 on;
 * false if there is none. Error 22023 for a range of roaring64 that would go on at 0.
 */
extern bool roaring_range_of(SketchKind kind, int64 lo, int64 hi, uint64 *first, uint64 *last);

extern SketchBytes roaring_empty_set(SketchKind kind);

/* The set of values in any order; they are rearranged. */
extern SketchBytes roaring_set_of(SketchKind kind, uint64 *values, size_t count);

extern SketchBytes roaring_op(RoaringOp op, SketchBytes a, SketchBytes b);

/* The result of an operation of argument 0 with another set. */
extern Datum roaring_changed(FunctionCallInfo fcinfo, RoaringOp op, SketchBytes other);

/* The cast to bigint[], which the planner puts into index conditions. */
extern PGDLLEXPORT Datum sketches_roaring_to_array(PG_FUNCTION_ARGS);

#endif
