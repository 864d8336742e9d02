/*
 * roaring.h - what the files that bind roaring and roaring64 share.
 *
 *   roaring.c    making sets and changing them
 *   text.c       texts that are read as sets
 *   algebra.c    set algebra
 *   aggregate.c  aggregates
 *   moving.c     aggregates over window frames that move
 *   query.c      questions
 *   elements.c   values as rows, arrays and texts
 *   venn.c       many sets held against one another
 *   planner.c    index conditions and rows; selectivity.c and distribution.c: estimates
 *   analyze.c    what ANALYZE keeps of columns of sets
 *   gin.c        GIN indexes
 */
#ifndef PG_ROARING_H
#define PG_ROARING_H

#include "pg/shared/glue.h"

#include "core/roaring/roaring.h"

static inline SketchKind
roaring_kind(SketchBytes value)
{
    return (SketchKind)sketch_kind(value.data);
}

/* A value of the range of the type, or error 22003 that names it. */
extern uint64 roaring_check_value(SketchKind kind, int64 value);

/* Half-open lo .. hi as first and last value; false for none, as where hi is not above lo. */
extern bool roaring_check_range(SketchKind kind, int64 lo, int64 hi, uint64 *first, uint64 *last);

extern SketchBytes roaring_empty_set(SketchKind kind);

/* The set of values in any order; they are rearranged. */
extern SketchBytes roaring_set_of(SketchKind kind, uint64 *values, size_t count);

extern SketchBytes roaring_op(RoaringOp op, SketchBytes a, SketchBytes b);

/* The result of an operation of argument 0 with another set. */
extern Datum roaring_changed(FunctionCallInfo fcinfo, RoaringOp op, SketchBytes other);

#endif
