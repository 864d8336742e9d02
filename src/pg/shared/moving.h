/*
 * moving.h - aggregates over sliding windows: rows enter at one end and leave at the other.
 *
 * An aggregate in its moving mode has a state of its own and three functions: one takes a row in,
 * its inverse takes the oldest row out, and the final function answers for the rows of the frame.
 * Unions of stored sketches share all of them (moving.c). approx_count_distinct, approx_percentile
 * and approx_median have others, in the moving.c of their types, and use sketch_moving_memory only.
 */
#ifndef MOVING_H
#define MOVING_H

#include "quantile_functions.h"

/*
 * The memory of the aggregate that a moving function works for, where the function may keep memory
 * of its own. Raises outside of a window.
 */
extern void sketch_moving_memory(FunctionCallInfo fcinfo, MemoryContext *memory);

/*
 * For final functions: the union of the sketches in the frame, a packed or a working value, in the
 * current context or the frame's own, not to be changed. False if there are none.
 */
extern bool sketch_moving_union(FunctionCallInfo fcinfo, SketchBytes *united);

/* The quantiles that the rows of this frame request. */
extern const SketchFrameQuantiles *sketch_moving_quantiles(FunctionCallInfo fcinfo);

#endif
