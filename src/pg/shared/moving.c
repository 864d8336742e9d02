/*
 * moving.c - unions of stored sketches over sliding windows.
 *
 * SQL objects served: MSFUNC, MINVFUNC and MFINALFUNC of T_union_agg, and the first two of
 * T_union_cardinality_agg and T_union_percentile_agg, for every type T. None of them is STRICT. A
 * row whose sketch is NULL changes nothing; a frame that has only such rows is NULL.
 *
 * A sketch cannot forget, so the plain aggregate would have to unite all rows of every frame: 365
 * merges for each row, if a frame is a year of days. But PostgreSQL promises that rows leave in the
 * order in which they came, and that the last row is never taken out. For such a queue two stacks
 * are enough:
 *
 *         rows              oldest [ a  b  c  d | e  f  g ] newest
 *         front: the unions      abcd           |  back: one union
 *         from each row on        bcd           |         efg
 *                                  cd           |
 *                                   d           |
 *
 * A new row is merged into the union of the back. The oldest row leaves with its union. The result
 * of a frame is the union from its oldest row on, merged with that of the back. When the front is
 * empty, a new one is made of the back, from the newest row to the oldest. So each row is merged
 * twice, whatever the length of the frame, and each frame costs one merge and one final function.
 *
 * Unions take memory. A front of more than ALL_ROWS rows, or one whose unions would take more than
 * ALL_BYTES, is divided into blocks, each as long as the square root of the number of rows. Only
 * the union from the first row of each block on is kept. The unions within a block are made when
 * its first row becomes the oldest; so each row is merged three times.
 *
 * Memory of a frame of n rows: 8 bytes for each row and a copy of its value, which is a pointer if
 * the sketch is stored out of line; and n unions of together at most ALL_BYTES, or 2 sqrt(n) of
 * them. The union of all rows tells how large they are: no union of fewer rows is larger. One of
 * more than LARGE_BYTES is kept packed if a block of its size would take more than LARGE_BLOCK.
 *
 * If merging is exact (hll, theta, ddsketch, roaring), the answers are those of the plain
 * aggregate. For the other types they are those of a table that is aggregated in parts and merged,
 * with the same bounds. Sketches that cannot be merged are refused as by the plain aggregate, when
 * the row arrives or when its frame is united.
 *
 * References: K. Tangwongsan, M. Hirzel, S. Schneider, Optimal and general out-of-order
 * sliding-window aggregation, VLDB 2019, section 2 (two stacks). PostgreSQL, nodeWindowAgg.c.
 */
#include "moving.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* Fronts of more rows, or whose unions would take more bytes, keep one for each block only. */
#define ALL_ROWS 1024
#define ALL_BYTES ((Size)64 << 20)

/* Larger unions are kept packed, which takes as long as merging them, where they are many. */
#define LARGE_BYTES 32768
#define LARGE_BLOCK ((Size)8 << 20)

#define ROOM_MIN 64

typedef struct Moving {
    MemoryContext memory; /* the aggregate's: everything here lives in it */
    MemoryContext call;   /* for what merging leaves behind */

    /* The rows from the oldest on, numbered from 0; row i is at value[i - base]. */
    Datum *value;
    uint64 base;
    uint64 first;
    uint64 end;
    size_t room;

    /* The front had rows front .. back - 1 at first, in blocks of `block` rows. */
    uint64 front;
    uint64 back;
    uint64 block;
    SketchState
        *from_block;       /* from the first row of each block on; of the first one there is none */
    SketchState *from_row; /* from each row of the current block on */
    SketchState back_union; /* data is NULL if there are no rows, here and everywhere */

    SketchFrameQuantiles quantiles; /* of T_union_percentile_agg */
} Moving;

/* ---- rows ---- */

static void
add_row(Moving *m, Datum sketch)
{
    MemoryContext caller = MemoryContextSwitchTo(m->memory);
    size_t used = m->end - m->base;

    if (used == m->room) {
        size_t rows = m->end - m->first;

        memmove(m->value, m->value + (m->first - m->base), rows * sizeof(Datum));
        m->base = m->first;
        used = rows;
        if (rows > m->room / 2) {
            m->room *= 2;
            m->value = repalloc_huge(m->value, m->room * sizeof(Datum));
        }
    }
    m->value[used] = datumCopy(sketch, false, -1);
    m->end++;
    MemoryContextSwitchTo(caller);
}

static void
remove_row(Moving *m)
{
    pfree(DatumGetPointer(m->value[m->first - m->base]));
    m->first++;
}

/* ---- unions ---- */

static void
release(SketchState *sum)
{
    if (sum->data)
        pfree(DatumGetPointer(sketch_datum(sum->data)));
    sum->data = NULL;
}

static SketchState
copy_in(MemoryContext memory, SketchBytes value)
{
    MemoryContext caller = MemoryContextSwitchTo(memory);
    SketchBytes copy = sketch_copy(value);

    MemoryContextSwitchTo(caller);
    return (SketchState){(uint8_t *)copy.data, copy.size};
}

/* Merges a row into a union, as nodeAgg does: the union stays, what else is allocated is freed. */
static void
unite(Moving *m, SketchState *sum, uint64 row)
{
    MemoryContext caller = MemoryContextSwitchTo(m->call);
    SketchBytes sketch = sketch_value(m->value[row - m->base]);
    SketchState after;

    CHECK_FOR_INTERRUPTS();
    if (sum->data == NULL)
        after = sketch_open(sketch, NULL);
    else {
        after = sketch_is_working(sum->data) ? *sum : sketch_open(sketch_bytes(*sum), NULL);
        sketch_merge(&after, sketch);
    }
    if (after.data != sum->data) {
        release(sum);
        *sum = copy_in(m->memory, sketch_bytes(after));
    }
    MemoryContextSwitchTo(caller);
    MemoryContextReset(m->call);
}

/* A copy of a union to keep, packed if it is large and so is a block of its size. */
static SketchState
kept_copy(Moving *m, SketchState sum)
{
    MemoryContext caller = MemoryContextSwitchTo(m->call);
    SketchBytes value = sketch_bytes(sum);
    SketchState copy = {NULL, 0};

    if (sum.data) {
        if (sum.size > LARGE_BYTES && sum.size * m->block > LARGE_BLOCK)
            value = sketch_pack(value);
        copy = copy_in(m->memory, value);
    }
    MemoryContextSwitchTo(caller);
    MemoryContextReset(m->call);
    return copy;
}

/* ---- the front ---- */

static inline uint64
block_of(const Moving *m, uint64 row)
{
    return (row - m->front) / m->block;
}

static inline uint64
block_begin(const Moving *m, uint64 block)
{
    return m->front + block * m->block;
}

/* Behind the last row of a block. */
static inline uint64
block_end(const Moving *m, uint64 block)
{
    return Min(block_begin(m, block + 1), m->back);
}

/* The unions from each row of a block on. */
static void
enter_block(Moving *m, uint64 block)
{
    uint64 end = block_end(m, block);
    SketchState sum = {NULL, 0};

    if (end < m->back)
        sum = kept_copy(m, m->from_block[block + 1]);
    for (uint64 i = end; i-- > block_begin(m, block);) {
        unite(m, &sum, i);
        m->from_row[i - block_begin(m, block)] = kept_copy(m, sum);
    }
    release(&sum);
}

/* The length of a block of a new front; m->back_union is the union of all its rows. */
static uint64
length_of_blocks(Moving *m)
{
    uint64 rows = m->end - m->first;
    uint64 root = (uint64)ceil(sqrt((double)rows));
    Size bytes;
    SketchState sum;

    if (rows > ALL_ROWS)
        return root;
    m->block = rows;
    sum = kept_copy(m, m->back_union);
    bytes = sum.size;
    release(&sum);
    return rows * bytes <= ALL_BYTES ? rows : root;
}

/* The back, which is all there is, becomes the front. */
static void
flip(Moving *m)
{
    SketchState sum = {NULL, 0};
    uint64 blocks;

    m->block = length_of_blocks(m);
    m->front = m->first;
    m->back = m->end;
    release(&m->back_union);

    blocks = block_of(m, m->back - 1) + 1;
    m->from_block = MemoryContextAllocZero(m->memory, blocks * sizeof(SketchState));
    for (uint64 i = m->back; i-- > block_end(m, 0);) {
        unite(m, &sum, i);
        if (i == block_begin(m, block_of(m, i)))
            m->from_block[block_of(m, i)] = kept_copy(m, sum);
    }
    release(&sum);
    m->from_row = MemoryContextAllocZero(m->memory, m->block * sizeof(SketchState));
    enter_block(m, 0);
}

/* The union from the oldest row of the front on. */
static inline SketchState *
front_union(const Moving *m)
{
    return &m->from_row[m->first - block_begin(m, block_of(m, m->first))];
}

/* The oldest row leaves. */
static void
remove_oldest(Moving *m)
{
    uint64 block;

    if (m->first == m->back)
        flip(m);
    block = block_of(m, m->first);
    release(front_union(m));
    remove_row(m);

    if (m->first == m->back) {
        pfree(m->from_block);
        pfree(m->from_row);
    } else if (block_of(m, m->first) != block) {
        enter_block(m, block + 1);
        release(&m->from_block[block + 1]);
    }
}

/* ---- the functions ---- */

void
sketch_moving_memory(FunctionCallInfo fcinfo, MemoryContext *memory)
{
    if (AggCheckCallContext(fcinfo, memory) != AGG_CONTEXT_WINDOW)
        elog(ERROR, "called outside of a window aggregate");
}

static Moving *
moving_state(FunctionCallInfo fcinfo)
{
    MemoryContext memory;
    Moving *m;

    sketch_moving_memory(fcinfo, &memory);
    if (!PG_ARGISNULL(0))
        return (Moving *)PG_GETARG_POINTER(0);
    m = MemoryContextAllocZero(memory, sizeof *m);
    m->memory = memory;
    m->call = AllocSetContextCreate(memory, "sketches moving union", ALLOCSET_DEFAULT_SIZES);
    m->room = ROOM_MIN;
    m->value = MemoryContextAlloc(memory, m->room * sizeof(Datum));
    return m;
}

static void
take_in(Moving *m, Datum sketch)
{
    add_row(m, sketch);
    unite(m, &m->back_union, m->end - 1);
}

PG_FUNCTION_INFO_V1(sketches_moving_union);
Datum
sketches_moving_union(PG_FUNCTION_ARGS)
{
    Moving *m = moving_state(fcinfo);

    if (!PG_ARGISNULL(1))
        take_in(m, PG_GETARG_DATUM(1));
    PG_RETURN_POINTER(m);
}

PG_FUNCTION_INFO_V1(sketches_moving_union_percentile);
Datum
sketches_moving_union_percentile(PG_FUNCTION_ARGS)
{
    Moving *m = moving_state(fcinfo);

    if (!PG_ARGISNULL(1)) {
        sketch_frame_quantiles(fcinfo, &m->quantiles, m->memory, NULL);
        take_in(m, PG_GETARG_DATUM(1));
    }
    PG_RETURN_POINTER(m);
}

PG_FUNCTION_INFO_V1(sketches_moving_inverse);
Datum
sketches_moving_inverse(PG_FUNCTION_ARGS)
{
    Moving *m = moving_state(fcinfo);

    if (!PG_ARGISNULL(1))
        remove_oldest(m);
    PG_RETURN_POINTER(m);
}

bool
sketch_moving_union(FunctionCallInfo fcinfo, SketchBytes *united)
{
    const Moving *m = PG_ARGISNULL(0) ? NULL : (const Moving *)PG_GETARG_POINTER(0);
    SketchState sum;

    if (m == NULL || m->first == m->end)
        return false;
    if (m->first == m->back || m->back == m->end) {
        *united = sketch_bytes(m->first == m->back ? m->back_union : *front_union(m));
        return true;
    }
    *united = sketch_bytes(*front_union(m));
    sum = sketch_is_working(united->data) ? copy_in(CurrentMemoryContext, *united)
                                          : sketch_open(*united, NULL);
    sketch_merge(&sum, sketch_bytes(m->back_union));
    *united = sketch_bytes(sum);
    return true;
}

PG_FUNCTION_INFO_V1(sketches_moving_final);
Datum
sketches_moving_final(PG_FUNCTION_ARGS)
{
    SketchBytes united;

    if (!sketch_moving_union(fcinfo, &united))
        PG_RETURN_NULL();
    return sketch_packed_datum(united);
}

const SketchFrameQuantiles *
sketch_moving_quantiles(FunctionCallInfo fcinfo)
{
    return &((const Moving *)PG_GETARG_POINTER(0))->quantiles;
}
