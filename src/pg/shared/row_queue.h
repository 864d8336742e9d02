/*
 * row_queue.h - the rows of a window frame that moves, in the order in which they came.
 *
 * A row is the arguments of an aggregate. Rows enter at one end and leave at the other, and any row
 * between can be read by its number. Numbers count from 0 and are never used again.
 *
 *     chunks      [ r r r r ] [ r r r r ] [ r r . . ]         400 slots each, in 8 kB
 *                       ^ first                 ^ end
 *
 * Memory: 20 bytes for each argument. They hold a number or any value of at most 18 bytes, also the
 * pointer to a sketch that is stored out of line, which is valid as long as the query runs. A
 * longer value is copied to memory of its own. A chunk is freed when its last row has left.
 */
#ifndef ROW_QUEUE_H
#define ROW_QUEUE_H

#include "glue.h"

/* Arguments of an aggregate, at most. */
#define ROW_ARGUMENTS 4

/* A slot, which holds one argument; its bytes begin at a multiple of 4. */
typedef struct RowSlot {
    char bytes[18];
    uint8 holds; /* one of RowSlotHolds */
    uint8 unused;
} RowSlot;

typedef struct RowQueue {
    MemoryContext memory;
    int arguments;
    bool by_value[ROW_ARGUMENTS];
    int16 length[ROW_ARGUMENTS];
    uint64 first; /* number of the oldest row */
    uint64 end;   /* of the next one to come */
    RowSlot **chunk;
    size_t chunk_rows;
    size_t chunks; /* in use */
    size_t room;   /* for chunks */
    uint64 base;   /* number of the first row of the first chunk */
} RowQueue;

/* An empty queue for the arguments that a transition function has besides the state. */
extern void row_queue_begin(RowQueue *queue, FunctionCallInfo fcinfo, MemoryContext memory);

/* Takes in the arguments of this call. */
extern void row_queue_add(RowQueue *queue, FunctionCallInfo fcinfo);

/* The oldest row leaves. */
extern void row_queue_remove(RowQueue *queue);

/* The arguments of a row; what they point to is not to be changed. */
extern void row_queue_read(const RowQueue *queue, uint64 row, NullableDatum *arguments);

#endif
