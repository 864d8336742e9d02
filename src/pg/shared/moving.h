/*
 * moving.h - aggregates over window frames that move. How it works: moving.c.
 *
 * An aggregate in its moving mode has three functions:
 *
 *     SKETCHES_MOVING(hll_agg_state, union_state)    defines hll_agg_state_moving, its transition
 *     moving_inverse                                 is its inverse transition, as of all others
 *     SKETCHES_MOVING_FINAL(final)                   defines final_moving, its final function
 */
#ifndef MOVING_H
#define MOVING_H

#include "glue.h"

typedef struct SketchMoving {
    PGFunction add;   /* transition of the plain aggregate: takes in one row */
    PGFunction merge; /* its combine function: takes in another state */
    PGFunction pack;  /* makes a large state small, or NULL */
    bool strict;      /* add is STRICT: the first value becomes the state */
    bool each; /* rows are dear to take in, as sketches are: keep a sum from each of them on */
} SketchMoving;

/* What packs the state of every type with a packed encoding. */
extern PGDLLEXPORT Datum sketches_final(PG_FUNCTION_ARGS);

/* The moving transition: (internal, the arguments of the aggregate) returns internal. */
extern Datum sketch_moving_add(FunctionCallInfo fcinfo, const SketchMoving *moving);

/*
 * The memory of the aggregate that a moving function works for, where the function may keep memory
 * of its own. Raises outside of a window.
 */
extern void sketch_moving_memory(FunctionCallInfo fcinfo, MemoryContext *memory);

/* Calls a final function of the plain aggregate with the state of the frame; NULL over no rows. */
extern Datum sketch_moving_final(FunctionCallInfo fcinfo, PGFunction final);

#define SKETCHES_MOVING(adds, merges, ...)                                                         \
    extern Datum sketches_##adds(PG_FUNCTION_ARGS);                                                \
    extern Datum sketches_##merges(PG_FUNCTION_ARGS);                                              \
    PG_FUNCTION_INFO_V1(sketches_##adds##_moving);                                                 \
    Datum sketches_##adds##_moving(PG_FUNCTION_ARGS)                                               \
    {                                                                                              \
        static const SketchMoving moving = {                                                       \
            .add = sketches_##adds, .merge = sketches_##merges, __VA_ARGS__};                      \
                                                                                                   \
        return sketch_moving_add(fcinfo, &moving);                                                 \
    }

/* The final function of an aggregate in its moving mode, from that of the plain one. */
#define SKETCHES_MOVING_FINAL(name)                                                                \
    extern Datum sketches_##name(PG_FUNCTION_ARGS);                                                \
    PG_FUNCTION_INFO_V1(sketches_##name##_moving);                                                 \
    Datum sketches_##name##_moving(PG_FUNCTION_ARGS)                                               \
    {                                                                                              \
        return sketch_moving_final(fcinfo, sketches_##name);                                       \
    }

#endif
