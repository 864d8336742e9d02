/*
 * moving.c - aggregates over window frames that move: rows enter at one end and leave at the other.
 *
 * SQL objects served: the MSFUNC, MINVFUNC and MFINALFUNC of the aggregates: moving_state,
 * moving_inverse and moving_final, which look the plain aggregate's functions up. None of them is
 * STRICT. A row whose first argument is NULL changes nothing; a frame that has only such rows is
 * NULL.
 *
 * A sketch cannot forget, so the plain aggregate would have to add all rows of every frame: 365
 * merges for each row, if a frame is a year of days. But PostgreSQL promises that rows leave in the
 * order in which they came, and that the last row is never taken out. For such a queue two stacks
 * are enough:
 *
 *         rows            oldest [ a  b  c  d | e  f  g ] newest
 *         front: the sums      abcd           |  back: one sum
 *         from each row on      bcd           |         efg
 *                                cd           |
 *                                 d           |
 *
 * A new row is added to the sum of the back. The oldest row leaves with its sum. The result of a
 * frame is the sum from its oldest row on, merged with the sum of the back: one merge. When the
 * front is empty, a new one is made of the back, from the newest row to the oldest. So each row is
 * added twice, whatever the length of the frame, and each frame costs one merge and one final
 * function.
 *
 * Sums take memory. A front of more than SUMS_ALL rows, or one whose sums would take more than
 * SUMS_BYTES, is divided into blocks, each as long as the square root of the number of rows. Only
 * the sum from the first row of each block on is kept. The sums within a block are made when its
 * first row becomes the oldest; so each row is added three times. If adding a row is very cheap, as
 * for a number, there are no sums within blocks: the rows that are left of the first block are
 * added for every frame.
 *
 * Memory of a frame of n rows: 20 bytes for each argument of a row (row_queue.h), values that are
 * longer and not stored out of line, and n sums of together at most SUMS_BYTES, or 2 sqrt(n) sums.
 * The sum of all rows tells how large they are: no sum of fewer rows is larger. A sum of more than
 * SUM_UNPACKED bytes is kept packed, if as many of its size would take more than SUMS_UNPACKED.
 *
 * If merging is exact (hll, roaring, bitfield), the answers are those of the plain aggregate. For
 * the other types they are those of a table that is aggregated in parts and merged, with the same
 * bounds.
 *
 * The errors of the plain aggregate (parameters that change within a group, sketches that cannot be
 * merged) are raised with the same words when the row arrives, or when the frame is united.
 *
 * References: K. Tangwongsan, M. Hirzel, S. Schneider, Optimal and general out-of-order
 * sliding-window aggregation, VLDB 2019, section 2 (two stacks). PostgreSQL, nodeWindowAgg.c.
 */
#include "moving.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "miscadmin.h"
#include "row_queue.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* Fronts of more rows, or whose sums would take more bytes, keep a sum for each block only. */
#define SUMS_ALL 1024
#define SUMS_BYTES ((Size)64 << 20)

/* The least length of a block of numbers. */
#define NUMBERS_BLOCK 256

/* Larger sums are kept packed, which takes as long as uniting them, where they are many. */
#define SUM_UNPACKED 32768
#define SUMS_UNPACKED ((Size)8 << 20)

/* The functions of the plain aggregate, and what to know of its rows. */
typedef struct Plain {
    PGFunction add;    /* transition: takes in one row */
    PGFunction merge;  /* combine function: takes in another state */
    bool strict;       /* add is STRICT: the first value becomes the state */
    bool packs;        /* a large state can wait packed */
    bool sums_per_row; /* adding a row is expensive, as of a sketch: keep a sum for each row */
} Plain;

/* A state of the plain aggregate; `present` is false before the first row. */
typedef struct Sum {
    Datum state;
    bool present;
} Sum;

typedef struct Moving {
    Plain plain;
    PGFunction final;     /* of the plain aggregate; NULL before it was looked up */
    MemoryContext memory; /* the aggregate's: everything here lives in it */
    MemoryContext call;   /* for one call of the plain aggregate's functions */
    RowQueue rows;

    /* The front had rows front .. back - 1 at first, in blocks of `block` rows. */
    uint64 front;
    uint64 back;
    uint64 block;
    Sum *from_block; /* from the first row of each block on; of the first block there is none */
    Sum *from_row;   /* from each row of the current block on, if sums_per_row */
    Sum back_sum;
} Moving;

/* ---- the plain aggregate ---- */

extern Datum sketches_send(PG_FUNCTION_ARGS);

static PGFunction
address_of(Oid function)
{
    FmgrInfo info;

    fmgr_info(function, &info);
    return info.fn_addr;
}

/* Returns true if values of a type are sketches, which have a packed encoding. */
static bool
is_sketch(Oid type)
{
    bool varlena;
    Oid send;

    getTypeBinaryOutputInfo(type, &send, &varlena);
    return address_of(send) == sketches_send;
}

/*
 * Finds the aggregate that calls a moving function. The executor does not say which one of its
 * window that is; those with the same transition differ in nothing but their final functions.
 */
static FormData_pg_aggregate
called_aggregate(FunctionCallInfo fcinfo)
{
    Oid called = fcinfo->flinfo->fn_oid;
    ListCell *cell;

    foreach (cell, castNode(WindowAggState, fcinfo->context)->funcs) {
        Oid function = lfirst_node(WindowFuncExprState, cell)->wfunc->winfnoid;
        HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(function));
        FormData_pg_aggregate aggregate;

        if (!HeapTupleIsValid(tuple)) /* a window function */
            continue;
        aggregate = *(Form_pg_aggregate)GETSTRUCT(tuple);
        ReleaseSysCache(tuple);
        if (aggregate.aggmtransfn == called || aggregate.aggmfinalfn == called)
            return aggregate;
    }
    elog(ERROR, "function %u is of no aggregate in this window", called);
}

/* The functions of the plain aggregate, but for the final one. */
static Plain
plain_aggregate(FunctionCallInfo fcinfo)
{
    FormData_pg_aggregate aggregate = called_aggregate(fcinfo);
    Plain plain = {.merge = address_of(aggregate.aggcombinefn)};
    FmgrInfo add;
    Oid *types;
    int count;

    fmgr_info(aggregate.aggtransfn, &add);
    plain.add = add.fn_addr;
    plain.strict = add.fn_strict;
    get_func_signature(aggregate.aggtransfn, &types, &count);
    plain.sums_per_row = types[1] == aggregate.aggtranstype;
    /* A state that carries what was asked of the sketches would lose that. */
    if (is_sketch(aggregate.aggtranstype) && !(plain.sums_per_row && count > 2))
        plain.packs = true;
    return plain;
}

static void
release(Sum *sum)
{
    if (sum->present)
        pfree(DatumGetPointer(sum->state));
    sum->present = false;
}

/* Calls a function of the plain aggregate in the current context. */
static Sum
call(FunctionCallInfo fcinfo, PGFunction function, Sum state, const NullableDatum *arguments,
     int count)
{
    LOCAL_FCINFO(plain, ROW_ARGUMENTS + 1);
    Datum result;

    InitFunctionCallInfoData(*plain, fcinfo->flinfo, (short)(count + 1), fcinfo->fncollation,
                             fcinfo->context, NULL);
    plain->args[0] = (NullableDatum){.value = state.state, .isnull = !state.present};
    memcpy(plain->args + 1, arguments, count * sizeof *arguments);
    result = function(plain);
    return (Sum){result, !plain->isnull};
}

/*
 * Advances as nodeAgg does: the state lives in the aggregate's memory, temporary data is freed.
 */
static void
advance(Moving *m, FunctionCallInfo fcinfo, PGFunction function, Sum *sum,
        const NullableDatum *arguments, int count)
{
    MemoryContext caller = MemoryContextSwitchTo(m->call);
    Sum after = call(fcinfo, function, *sum, arguments, count);

    if (after.present && (!sum->present || after.state != sum->state)) {
        MemoryContextSwitchTo(m->memory);
        release(sum);
        *sum = (Sum){datumCopy(after.state, false, -1), true};
    }
    MemoryContextSwitchTo(caller);
    MemoryContextReset(m->call);
}

static void
take_in(Moving *m, FunctionCallInfo fcinfo, Sum *sum, uint64 row)
{
    NullableDatum arguments[ROW_ARGUMENTS];

    CHECK_FOR_INTERRUPTS();
    row_queue_read(&m->rows, row, arguments);
    if (m->plain.strict && !sum->present) {
        MemoryContext caller = MemoryContextSwitchTo(m->memory);

        *sum = (Sum){datumCopy(arguments[0].value, false, -1), true};
        MemoryContextSwitchTo(caller);
        return;
    }
    advance(m, fcinfo, m->plain.add, sum, arguments, m->rows.arguments);
}

static bool
is_kept_packed(const Moving *m, Sum sum)
{
    Size size = VARSIZE_ANY(DatumGetPointer(sum.state));

    return m->plain.packs && size > SUM_UNPACKED && size * m->block > SUMS_UNPACKED;
}

/* A copy of a sum to keep. */
static Sum
copy_of(Moving *m, Sum sum)
{
    MemoryContext caller = MemoryContextSwitchTo(m->memory);

    if (sum.present && is_kept_packed(m, sum)) {
        MemoryContextSwitchTo(m->call);
        sum.state = sketch_datum(sketch_pack(sketch_any_value(sum.state)).data);
        MemoryContextSwitchTo(m->memory);
    }
    if (sum.present)
        sum.state = datumCopy(sum.state, false, -1);
    MemoryContextSwitchTo(caller);
    MemoryContextReset(m->call);
    return sum;
}

/* ---- the state ---- */

void
sketch_moving_memory(FunctionCallInfo fcinfo, MemoryContext *memory)
{
    if (AggCheckCallContext(fcinfo, memory) != AGG_CONTEXT_WINDOW)
        elog(ERROR, "called outside of a window aggregate");
}

static Moving *
new_moving(FunctionCallInfo fcinfo)
{
    MemoryContext memory;
    Moving *m;

    sketch_moving_memory(fcinfo, &memory);
    m = MemoryContextAllocZero(memory, sizeof *m);
    m->plain = plain_aggregate(fcinfo);
    m->memory = memory;
    m->call = AllocSetContextCreate(memory, "sketches moving aggregate", ALLOCSET_DEFAULT_SIZES);
    row_queue_begin(&m->rows, fcinfo, memory);
    return m;
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

/* The sum of all blocks of the front behind one, if there are any. */
static inline Sum
behind_block(const Moving *m, uint64 block)
{
    if (block_end(m, block) == m->back)
        return (Sum){0, false};
    return m->from_block[block + 1];
}

/* The sums from each row of a block on. */
static void
enter_block(Moving *m, FunctionCallInfo fcinfo, uint64 block)
{
    Sum sum = copy_of(m, behind_block(m, block));

    for (uint64 i = block_end(m, block); i-- > block_begin(m, block);) {
        take_in(m, fcinfo, &sum, i);
        m->from_row[i - block_begin(m, block)] = copy_of(m, sum);
    }
    release(&sum);
}

/* The length of a block of a new front, of m->rows; m->back_sum is the sum of all of them. */
static uint64
length_of_blocks(Moving *m)
{
    uint64 rows = m->rows.end - m->rows.first;
    uint64 root = (uint64)ceil(sqrt((double)rows));
    Size bytes;
    Sum sum;

    if (!m->plain.sums_per_row)
        return Max(root, NUMBERS_BLOCK);
    if (rows > SUMS_ALL)
        return root;
    m->block = rows;
    sum = copy_of(m, m->back_sum);
    bytes = VARSIZE_ANY(DatumGetPointer(sum.state));
    release(&sum);
    return rows * bytes <= SUMS_BYTES ? rows : root;
}

/* The back, which is all there is, becomes the front. */
static void
flip(Moving *m, FunctionCallInfo fcinfo)
{
    Sum sum = {0, false};
    uint64 blocks;

    m->block = length_of_blocks(m);
    m->front = m->rows.first;
    m->back = m->rows.end;
    release(&m->back_sum);

    blocks = block_of(m, m->back - 1) + 1;
    m->from_block = MemoryContextAllocZero(m->memory, blocks * sizeof(Sum));
    for (uint64 i = m->back; i-- > block_end(m, 0);) {
        take_in(m, fcinfo, &sum, i);
        if (i == block_begin(m, block_of(m, i)))
            m->from_block[block_of(m, i)] = copy_of(m, sum);
    }
    release(&sum);
    if (m->plain.sums_per_row) {
        m->from_row = MemoryContextAllocZero(m->memory, m->block * sizeof(Sum));
        enter_block(m, fcinfo, 0);
    }
}

/* The oldest row leaves. */
static void
remove_first(Moving *m, FunctionCallInfo fcinfo)
{
    uint64 block;

    if (m->rows.first == m->back)
        flip(m, fcinfo);
    block = block_of(m, m->rows.first);
    if (m->plain.sums_per_row)
        release(&m->from_row[m->rows.first - block_begin(m, block)]);
    row_queue_remove(&m->rows);

    if (m->rows.first == m->back) {
        pfree(m->from_block);
        if (m->plain.sums_per_row)
            pfree(m->from_row);
    } else if (block_of(m, m->rows.first) != block) {
        if (m->plain.sums_per_row)
            enter_block(m, fcinfo, block + 1);
        release(&m->from_block[block + 1]);
    }
}

/*
 * The sum of the front: the one that is kept, which is not to be changed, if sums are kept for each
 * row; otherwise one in the current context.
 */
static Sum
front_sum(Moving *m, FunctionCallInfo fcinfo)
{
    uint64 block;
    Sum sum;

    if (m->rows.first == m->back)
        return (Sum){0, false};
    block = block_of(m, m->rows.first);
    if (m->plain.sums_per_row)
        return m->from_row[m->rows.first - block_begin(m, block)];
    sum = behind_block(m, block);
    if (sum.present)
        sum.state = datumCopy(sum.state, false, -1);
    for (uint64 i = m->rows.first; i < block_end(m, block); i++) {
        NullableDatum arguments[ROW_ARGUMENTS];

        row_queue_read(&m->rows, i, arguments);
        sum = call(fcinfo, m->plain.add, sum, arguments, m->rows.arguments);
    }
    return sum;
}

/* ---- the functions ---- */

PG_FUNCTION_INFO_V1(sketches_moving_state);
Datum
sketches_moving_state(PG_FUNCTION_ARGS)
{
    Moving *m = PG_ARGISNULL(0) ? new_moving(fcinfo) : (Moving *)PG_GETARG_POINTER(0);

    if (!PG_ARGISNULL(1)) {
        row_queue_add(&m->rows, fcinfo);
        take_in(m, fcinfo, &m->back_sum, m->rows.end - 1);
    }
    PG_RETURN_POINTER(m);
}

PG_FUNCTION_INFO_V1(sketches_moving_inverse);
Datum
sketches_moving_inverse(PG_FUNCTION_ARGS)
{
    if (!PG_ARGISNULL(1))
        remove_first((Moving *)PG_GETARG_POINTER(0), fcinfo);
    return PG_GETARG_DATUM(0);
}

/* The result of an aggregate without a final function. */
static Datum
state_itself(FunctionCallInfo fcinfo)
{
    return PG_GETARG_DATUM(0);
}

PG_FUNCTION_INFO_V1(sketches_moving_final);
Datum
sketches_moving_final(PG_FUNCTION_ARGS)
{
    Moving *m;
    Sum sum;

    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    m = (Moving *)PG_GETARG_POINTER(0);
    if (m->final == NULL) {
        Oid final = called_aggregate(fcinfo).aggfinalfn;

        m->final = OidIsValid(final) ? address_of(final) : state_itself;
    }
    sum = front_sum(m, fcinfo);
    if (!sum.present)
        sum = m->back_sum;
    else if (m->back_sum.present) {
        NullableDatum back = {.value = m->back_sum.state};

        if (m->plain.sums_per_row)
            sum.state = datumCopy(sum.state, false, -1);
        sum = call(fcinfo, m->plain.merge, sum, &back, 1);
    }
    if (sum.present)
        sum = call(fcinfo, m->final, sum, NULL, 0);
    if (!sum.present)
        PG_RETURN_NULL();
    return sum.state;
}
