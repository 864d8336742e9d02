/*
 * moving.h - aggregates over window frames that move. How it works: moving.c.
 *
 * An aggregate in its moving mode has three functions. In SQL each has the arguments of its
 * aggregate, in C they are the same for nearly all: moving_state, moving_inverse and moving_final.
 * An aggregate with a way of its own, such as approx_count_distinct, uses only what is here.
 */
#ifndef MOVING_H
#define MOVING_H

#include "glue.h"

/*
 * The memory of the aggregate that a moving function works for, where the function may keep memory
 * of its own. Raises outside of a window.
 */
extern void sketch_moving_memory(FunctionCallInfo fcinfo, MemoryContext *memory);

#endif
